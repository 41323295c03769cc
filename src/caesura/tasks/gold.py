"""Gold standards that are made from the hierarchies of several coders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from caesura.errors import CaesuraError, HierarchyError, OptionError
from caesura.gold.experiment import Unification, evaluate_unification
from caesura.gold.unify import METHODS, Gold, check_method, unify
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded, Result
from caesura.options import OptionSet, choice, number, positive, setting, whole

GOLD_CODER = "gold"
"""Coder name of gold standards in files."""


@dataclass(frozen=True)
class GoldOptions(OptionSet):
    """Method for gold standards, and its options."""

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
class GoldStandards(Result):
    """One gold standard per item, and the evaluation of all methods.

    Attributes
    ----------
    golds : mapping
        Item -> gold standard.
    evaluation : Unification or None
        Comparison of every method with every annotation, if requested.
    excluded : tuple of Excluded
        Items that could not be used.
    """

    golds: Mapping[str, Gold]
    evaluation: Unification | None = None
    excluded: tuple[Excluded, ...] = ()

    @property
    def signature(self) -> str | None:
        """The signature of the first gold standard, or of the evaluation."""
        first = next(iter(self.golds.values()), None) or self.evaluation
        return None if first is None else first.signature


def make_gold(
    corpus: Corpus, options: GoldOptions | None = None, *, golds: bool = True, evaluate: bool = False
) -> GoldStandards:
    """Make one hierarchy from those of several coders, item by item.

    Parameters
    ----------
    corpus : Corpus
        The coders' hierarchies.
    options : GoldOptions, optional
        The method and its options.
    golds : bool, default True
        Whether to make the gold standards.
    evaluate : bool, default False
        Whether to compare every method with every annotation.

    Returns
    -------
    GoldStandards
        The gold standards. Items that cannot be used are listed in ``excluded``.

    Raises
    ------
    OptionError
        If the corpus contains annotations that are not hierarchies, or if options contradict each other.
    """
    options = options or GoldOptions()
    _require_hierarchies(corpus)
    arguments = options.select("threshold", "weights", "min_support")
    check_method(options.method, options.level, **arguments)
    arguments["tolerance"] = options.tolerance
    results: dict[str, Gold] = {}
    excluded: list[Excluded] = []
    for item in corpus.item_names if golds else ():
        hierarchies = {coder: entry for coder, entry in corpus.of_item(item).items() if isinstance(entry, Hierarchy)}
        try:
            results[item] = unify(hierarchies, method=options.method, level=options.level, **arguments)
        except CaesuraError as error:
            excluded.append(Excluded(item, None, str(error)))
    evaluation = evaluate_unification(corpus, **arguments) if evaluate else None
    more = () if evaluation is None else evaluation.excluded
    return GoldStandards(results, evaluation, tuple(dict.fromkeys((*excluded, *more))))


def corpus_of_golds(golds: Mapping[str, Gold]) -> tuple[Corpus, tuple[str, ...]]:
    """Return the gold standards as a corpus that can be written to a file.

    Parameters
    ----------
    golds : mapping
        Item -> gold standard.

    Returns
    -------
    corpus : Corpus
        The hierarchies. They keep the levels that the coders agreed on if these nest; otherwise nesting determines levels.
    notes : tuple of str
        Warnings for readers of the file, item by item.
    """
    hierarchies: dict[str, dict[str, Hierarchy]] = {}
    notes = []
    for item, gold in golds.items():
        hierarchy = gold.hierarchy
        if gold.conflicts:
            notes.append(f"item {item!r}: spans of the gold standard cross; reading it again needs repair")
        elif not _nests(hierarchy):
            hierarchy = gold.nested_hierarchy()
            notes.append(
                f"item {item!r}: levels of the gold standard contradict nesting; levels by nesting are written"
            )
        hierarchies[item] = {GOLD_CODER: hierarchy}
    return Corpus(hierarchies), tuple(notes)


def _nests(hierarchy: Hierarchy) -> bool:
    try:
        Hierarchy(hierarchy.length, hierarchy.spans)
    except HierarchyError:
        return False
    return True


def _require_hierarchies(corpus: Corpus) -> None:
    for item, coder in corpus:
        annotation = corpus[item, coder]
        if not isinstance(annotation, Hierarchy):
            raise OptionError(
                f"item {item!r}, coder {coder!r}: unify needs spans; got a {type(annotation).__name__}; "
                "convert its segments to spans with `caesura convert IN OUT.json --to spans-json`"
            )
