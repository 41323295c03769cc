"""Make one gold standard from the annotations of several coders, and compare the methods for hierarchies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from caesura.errors import OptionError
from caesura.formats import format_for_writing
from caesura.gold.experiment import Unification, evaluate_unification
from caesura.gold.gold import ALL_METHODS, Gold, gold
from caesura.gold.linear import method_name
from caesura.gold.unify import METHODS
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded, Result
from caesura.model.tier import Tier
from caesura.options import OptionSet, choice, fraction, number, positive, setting, switch, whole
from caesura.tasks.files import write_corpus
from caesura.tasks.gold_times import gold_tiers, with_times
from caesura.tasks.units import spans_as_hierarchies, with_units


@dataclass(frozen=True)
class GoldOptions(OptionSet):
    """Method for gold standards of any kind of data, and its options."""

    method: str | None = setting(
        None,
        method_name(ALL_METHODS),
        "median (the default), majority, threshold, cochran, any or all; for hierarchies conflict_free_union (the default), "
        "majority, consensus, union or best_annotator.",
    )
    n_t: int = setting(
        2, whole(1, 1_000_000), "Boundaries less than this number of positions apart are near misses.", flags=("--n-t",)
    )
    threshold: float | None = setting(
        None,
        number(0, 2**31 - 1),
        "With the method threshold, minimum number of coders of a boundary. For hierarchies, a majority is more than this "
        "fraction of the coders.",
    )
    alpha: float = setting(0.01, fraction, "Significance level of the method cochran.")
    ignore_types: bool = switch("Treat boundaries of all types as the same.")
    level: str = setting("flat", choice("flat", "full"), "Hierarchies: compare spans, or spans and levels.")
    weights: str = setting(
        "coders",
        choice("coders", "unique"),
        "Hierarchies: whether a conflict-free union counts every coder's copy of a span, or each distinct span once.",
    )
    min_support: int = setting(1, whole(1), "Hierarchies: minimum number of coders of a span in a union.")
    tolerance: float = setting(0.5, positive, "Hierarchies: seconds within which two times count as equal.")


@dataclass(frozen=True)
class UnifyOptions(OptionSet):
    """Method for gold standards of hierarchies, and its options."""

    method: str = setting("conflict_free_union", choice(*METHODS), "How to make the gold standard.")
    level: str = setting("flat", choice("flat", "full"), "Whether coders must agree on spans, or on their levels too.")
    threshold: float = setting(0.5, number(0, 1, below=True), "A majority is more than this fraction of the coders.")
    weights: str = setting(
        "coders",
        choice("coders", "unique"),
        "Whether a conflict-free union counts every coder's copy of a span, or each distinct span once.",
    )
    min_support: int = setting(
        1, whole(1), "Minimum number of coders who must have marked a span for a union to keep it."
    )
    tolerance: float = setting(0.5, positive, "Seconds within which two times count as equal.")


@dataclass(frozen=True)
class GoldStudy(Result):
    """A gold standard of hierarchies, and the evaluation of all methods.

    Attributes
    ----------
    gold : Gold
        The gold standard.
    evaluation : Unification or None
        Comparison of every method with every annotation, if requested.
    excluded : tuple of Excluded
        Items that could not be used.
    """

    gold: Gold
    evaluation: Unification | None = None
    excluded: tuple[Excluded, ...] = ()

    @property
    def signature(self) -> str:
        """The signature of the gold standard."""
        return self.gold.signature

    def to_dict(self) -> dict[str, Any]:
        """Return the gold standard and the evaluation as plain data.

        Returns
        -------
        dict
            The entries of the gold standard, and ``evaluation``.
        """
        return self.gold.to_dict() | {"evaluation": None if self.evaluation is None else self.evaluation.to_dict()}


def make_gold(corpus: Corpus, options: GoldOptions | None = None) -> Gold:
    """Make one gold standard from the annotations of several coders.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, tiers or hierarchies of several coders.
    options : GoldOptions, optional
        The method and its options.

    Returns
    -------
    Gold
        The gold standard. Tiers are converted to units, and the boundaries get times; items that cannot be converted are
        listed in ``excluded``.
    """
    options = options or GoldOptions()
    (converted,), without_units = with_units([corpus])
    values = options.select(*(entry.name for entry in options.declared()))
    result = gold(converted, **values)
    if corpus.holds(Tier):
        result = with_times(result, corpus)
    return replace(result, excluded=(*without_units, *result.excluded)) if without_units else result


def unify_hierarchies(corpus: Corpus, options: UnifyOptions | None = None, *, evaluate: bool = False) -> GoldStudy:
    """Make one hierarchy from those of several coders, item by item.

    Parameters
    ----------
    corpus : Corpus
        The coders' hierarchies.
    options : UnifyOptions, optional
        The method and its options.
    evaluate : bool, default False
        Whether to compare every method with every annotation.

    Returns
    -------
    GoldStudy
        The gold standard. Items that cannot be used are listed in ``excluded``.

    Raises
    ------
    OptionError
        If the corpus contains annotations that are not hierarchies, or if options contradict each other.
    """
    options = options or UnifyOptions()
    (corpus,), crossing = spans_as_hierarchies([corpus])
    _require_hierarchies(corpus)
    arguments = options.select("threshold", "weights", "min_support", "tolerance")
    result = gold(corpus, options.method, level=options.level, **arguments)
    evaluation = evaluate_unification(corpus, **arguments) if evaluate else None
    more = () if evaluation is None else evaluation.excluded
    return GoldStudy(result, evaluation, tuple(dict.fromkeys((*crossing, *result.excluded, *more))))


def write_gold(result: Gold, target: str) -> tuple[str, ...]:
    """Write a gold standard to a file in the format that its suffix names; in seconds if it has times and the format tiers.

    Parameters
    ----------
    result : Gold
        The gold standard.
    target : str
        Path of the file.

    Returns
    -------
    tuple of str
        Messages for the reader.
    """
    corpus = result.corpus
    if result.recordings:
        tiers = gold_tiers(result, points=False)
        chosen = format_for_writing(target, tiers)
        if chosen.can_hold([Tier]):
            corpus = gold_tiers(result, points=chosen.stores_points)
    return (*result.notes, *write_corpus(corpus, target))


def _require_hierarchies(corpus: Corpus) -> None:
    for item, coder in corpus:
        annotation = corpus[item, coder]
        if not isinstance(annotation, Hierarchy):
            raise OptionError(
                f"item {item!r}, coder {coder!r}: unify needs spans; got a {type(annotation).__name__}; `caesura gold` makes "
                "a gold standard from segmentations"
            )
