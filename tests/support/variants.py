"""Every registered measure as it comes, under each preset, and with options that change what it does."""

from __future__ import annotations

import caesura as cz
from caesura.measures.base import Measure

KINDS = cz.measures()


def variants(name: str) -> list[Measure]:
    """The measure as it comes, under each preset, and at a wider reach."""
    kind = KINDS[name]
    measures = [kind(), *(kind(compat=preset) for preset in kind.presets)]
    names = {option.name for option in kind.options}
    if "n_t" in names:
        measures += [kind(n_t=4), kind(n_t=3, transposition="unit", substitution="unit"), kind(n_t=1)]
        measures += [kind(compat=preset, n_t=4) for preset in kind.presets]
    if "padded" in names:
        measures += [kind(padded=True), *(kind(compat=preset, padded=True) for preset in kind.presets)]
    if "tolerance" in names:
        measures += [kind(tolerance=2)]
    if "min_distance" in names:
        measures += [kind(min_distance=2)]
    if "insertion" in names:
        measures += [kind(normalize="worst"), kind(insertion=1, deletion=3), kind(costs="bookstein")]
    elif "normalize" in names:
        measures += [kind(normalize="boundaries"), kind(normalize="boundaries", transposition=0.1)]
    if "chain_strength" in names:
        measures += [kind(chain_strength=3, beta=0.5, alpha=1.5), kind(p_max=2, per_cluster="best", edges="ignore")]
    if "level" in names and "timed" not in kind.kinds:
        measures += [kind(level="full")]
    if "direction" in names:
        measures += [kind(direction="mean"), kind(direction="hypothesis")]
    if "ties" in names:
        measures += [kind(ties="all")]
    if "over" in names:
        measures += [kind(over="labels"), kind(over="segments")]
    if "coefficient" in names:
        measures += [kind(coefficient="kappa"), kind(coefficient="pi"), kind(coefficient="kappa", tolerance=2)]
    if "labelled" in names:
        measures += [kind(labelled=False)]
    if "flexible_terminals" in names:
        measures += [kind(unlabelled=True), kind(flexible_terminals=True), kind(threshold=0.5)]
    return measures


def is_about_texts(measure: Measure) -> bool:
    """Presets for recordings need seconds, and some programs convert texts, such as SuperDialseg, which looks at their ends."""
    in_seconds = str(measure.settings.get("tolerance")).endswith("s")
    return not in_seconds and (measure.recipe is None or measure.recipe.prepare is None)


VARIANTS = [measure for name in KINDS for measure in variants(name) if is_about_texts(measure)]
