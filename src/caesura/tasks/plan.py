"""How many items and coders does a study need? The answer comes from a pilot study."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import OptionError
from caesura.judging.planning import Plan, plan_study
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus, flat_as_tiers, lack_units
from caesura.options import OptionSet, number, path, seed, setting, whole
from caesura.tasks.measure_choice import measures_setting
from caesura.tasks.units import with_units

_DEFAULT_MEASURE = "boundary_similarity(n_t=2)"


@dataclass(frozen=True)
class PlanOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting("Measure with a coefficient of agreement (default: B).")
    items: tuple[int, ...] = setting(
        (), whole(2), "Number of items of the planned study. May be repeated (default: 5 to 200).", flags=("--items",)
    )
    coders: tuple[int, ...] = setting(
        (),
        whole(2),
        "Number of coders of the planned study. May be repeated (default: 2 to two more than in the pilot).",
        flags=("--coders",),
    )
    power: float = setting(0.8, number(0.06, 0.999), "Probability with which a difference is to be found.")
    seed: int | None = setting(0, seed, "Random seed.")
    figure: str | None = setting(
        None, path, "File for a figure of the widths, ending in .svg, .pdf or .png.", flags=("-o", "--output")
    )


def plan(pilot: Corpus, options: PlanOptions | None = None) -> Plan:
    """Return what studies of several sizes will be able to say, by a pilot study."""
    options = options or PlanOptions()
    hint = ""
    if lack_units([pilot]):
        hint = "choose units of time: --reading units=0.5 (steps of 0.5 s)"
    elif len(pilot) and flat_as_tiers([pilot]):
        hint = (
            "convert the files to tiers first, caesura convert FILE.lab FILE.TextGrid, and choose --reading units=0.5"
        )
    if hint:  # the errors of simulated coders are positions between units
        raise OptionError(
            f"a plan simulates coders over units, and these annotations are in seconds, without units; {hint}"
        )
    (pilot,), _ = with_units([pilot])
    return plan_study(
        pilot,
        measure=options.measures[0] if options.measures else _DEFAULT_MEASURE,
        items=options.items or None,
        coders=options.coders or None,
        power=options.power,
        seed=options.seed,
    )
