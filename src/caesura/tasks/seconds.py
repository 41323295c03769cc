"""Default measures for annotations in seconds, which have no units."""

from __future__ import annotations

from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.model.common_units import are_no_types
from caesura.model.seconds import Corpora, extent_problem, tier_option, tiers_by_item
from caesura.model.segmentation import UNTYPED
from caesura.notices import warn


def default_timed_measures(task: str, corpora: Corpora) -> tuple[Measure, ...]:
    """Return the default measures of a task for annotations in seconds.

    Parameters
    ----------
    task : str
        ``"score"``, ``"agree"``, ``"judge"``, ``"pairwise"`` or ``"report"``.
    corpora : sequence of mapping
        Corpora of tiers.

    Returns
    -------
    tuple of Measure
        Boundaries within a tolerance, and segments; before them, the share of time with equal labels if two annotations
        of an item have a label in common. If the length of a recording is not known, or annotations of an item differ in
        their extent, only the boundaries.

    Warns
    -----
    CaesuraWarning
        If measures are left out because of the extent.
    """
    chosen = default_measures(task, "timed labels" if _share_labels(corpora) else "timed")
    problem = extent_problem(corpora)
    if problem is None:
        return chosen
    warn(problem)
    return tuple(measure for measure in chosen if not measure.packing.needs_extent)


def _share_labels(corpora: Corpora) -> bool:
    """Return whether labels say what a segment is: two annotations of an item use the same one, and they are no text."""
    wanted = {tier_option(corpus, "labels") for corpus in corpora}
    together = tiers_by_item(corpora).values()
    tiers = [tier for group in together for tier in group]
    if "ignore" in wanted or ("types" not in wanted and are_no_types(tiers)):
        return False
    for group in together:
        labels = [label for tier in group for label in {interval.label for interval in tier.intervals} - {*UNTYPED}]
        if len(set(labels)) < len(labels):
            return True
    return False
