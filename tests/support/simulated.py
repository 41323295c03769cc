"""Agreement over flexible similarity, with the options of its simulation as keywords."""

from __future__ import annotations

from typing import Any

import caesura as cz

SIMULATION = ("draws", "tolerance", "variates", "checkpoint")


def flexible_agreement(corpus: cz.Corpus, **options: Any) -> cz.Agreement:
    """Return agreement without an interval; ``normalize`` is that of the measure."""
    measure = cz.parse(options.pop("measure", "flexible_similarity"))
    if (normalize := options.pop("normalize", None)) is not None:
        measure = measure.replace(normalize=normalize)
    simulation = {name: options.pop(name) for name in SIMULATION if name in options}
    if simulation:
        chance_class = cz.Exact if options.get("chance") == "exact" else cz.Simulate
        options["chance"] = chance_class(**simulation)
    return cz.agreement(corpus, measure, **{"interval": None, **options})
