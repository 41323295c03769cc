"""Scores of a hypothesis against a reference, item by item and over all items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from caesura.errors import CaesuraWarning, MismatchError, OptionError
from caesura.formats.settings import Settings
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.many import Scores, score_many
from caesura.measures.operations import OperationsTable, operations_table
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Comparable
from caesura.model.hierarchies import pair_over_common_units, short_spans_note
from caesura.model.result import HIDDEN, Excluded, Result, Score, to_plain
from caesura.model.tier import Tier
from caesura.options import OptionSet, flag, optional, setting, text
from caesura.tasks.prepare import choose_measures, measure_value


@dataclass(frozen=True)
class ScoreOptions(OptionSet):
    """Measures, coders and additional tables."""

    measures: tuple[Measure, ...] = setting(
        (),
        measure_value,
        'Measure with its options, such as "window_diff(window=5)". May be repeated; see `caesura measures`.',
        flags=("-m", "--measure"),
    )
    reference_coder: str | None = setting(None, optional(text), "Coder of REFERENCE, if there are several.")
    hypothesis_coder: str | None = setting(None, optional(text), "Coder of HYPOTHESIS, if there are several.")
    by_item: bool = setting(False, flag, "Add one row per item.", flags=("--items",))
    edits: bool = setting(False, flag, "Show the edit of every boundary, item by item.")
    operations: bool = setting(False, flag, "Show the operations on the boundaries of each type, over all items.")


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one item, or of all items together.

    Attributes
    ----------
    item : str or None
        Name of the item; None for all items together.
    score : Score
        The score.
    edits : bool
        Whether the JSON of the score contains the edits.
    """

    item: str | None
    score: Score
    edits: bool = False

    def __json__(self) -> dict[str, Any]:
        plain = {"item": self.item} | self.score.to_dict()
        if self.edits and self.item is not None and self.score.edits is not None:
            plain["edits"] = to_plain(self.score.edits)
        return plain


@dataclass(frozen=True, slots=True)
class MeasureOperations:
    """Operations on the boundaries of each type under one measure.

    Attributes
    ----------
    measure : Measure
        The measure that aligned the boundaries.
    table : OperationsTable
        One row per boundary type.
    """

    measure: Measure
    table: OperationsTable


@dataclass(frozen=True)
class Scoring(Result):
    """The scores of a hypothesis against a reference.

    Attributes
    ----------
    scores : tuple of ItemScore
        For each measure, the total score and, if requested, the score of each item.
    operations : tuple of MeasureOperations
        Operations on the boundaries of each type, if requested.
    excluded : tuple of Excluded
        Items that could not be scored.
    pairs : mapping
        Item -> reference and hypothesis.
    """

    scores: tuple[ItemScore, ...]
    operations: tuple[MeasureOperations, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    pairs: Mapping[str, Pair] = field(default_factory=dict, metadata=HIDDEN, repr=False)

    frame_field: ClassVar[str] = "scores"

    @property
    def totals(self) -> tuple[Score, ...]:
        """The score of all items together, one per measure."""
        return tuple(entry.score for entry in self.scores if entry.item is None)

    @property
    def signature(self) -> str:
        """The signature of the first measure's total."""
        return self.totals[0].signature


def score_corpora(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    options: ScoreOptions | None = None,
    *,
    settings: Settings | None = None,
) -> Scoring:
    """Score a hypothesis against a reference, item by item and over all items.

    Parameters
    ----------
    reference : Corpus
        The reference, or a corpus with both coders.
    hypothesis : Corpus, optional
        The hypothesis.
    options : ScoreOptions, optional
        Measures and coders.
    settings : Settings, optional
        Symbols, similarity matrix and costs of a settings file.

    Returns
    -------
    Scoring
        The scores. Items that cannot be scored are listed in ``excluded``.

    Raises
    ------
    OptionError
        If the two sides have no item in common, or no item could be scored.
    """
    options = options or ScoreOptions()
    measures = choose_measures("score", reference, options.measures, settings=settings)
    paired = pair_items(
        reference, hypothesis, reference_coder=options.reference_coder, hypothesis_coder=options.hypothesis_coder
    )
    if not paired.pairs:
        raise OptionError("the two sides have no item in common")
    results = [(measure, _score_pairs(paired, measure)) for measure in measures]
    excluded = dict.fromkeys(paired.excluded)
    for measure, scores in results:
        for place, error in scores.errors.items():
            excluded[Excluded(paired.items[place], None, f"{measure!r}: {error}")] = None
    entries = [entry for _, scores in results for entry in _entries(scores, paired.items, options)]
    if not entries:
        raise OptionError("\n".join(map(str, excluded)))
    operations = _operations(results) if options.operations else ()
    pairs = dict(zip(paired.items, paired.pairs, strict=True))
    return Scoring(tuple(entries), operations, tuple(excluded), pairs)


def _score_pairs(paired: PairedItems, measure: Measure) -> Scores:
    """Score the pairs, with hierarchies in time on common units."""
    if measure.kind != "hierarchy" or not measure.needs_common_units:
        return score_many(paired.pairs, measure)
    prepared = [pair_over_common_units(pair) for pair in paired.pairs]
    lost = sum(number for _, number in prepared)
    if lost:
        warnings.warn(short_spans_note(lost), CaesuraWarning, stacklevel=3)
    return score_many([pair for pair, _ in prepared], measure)


def _entries(scores: Scores, items: Sequence[str], options: ScoreOptions) -> list[ItemScore]:
    if not scores.scored.size:
        return []
    single = options.by_item or options.edits
    entries = [ItemScore(items[i], scores[i], options.edits) for i in scores.scored.tolist()] if single else []
    return [*entries, ItemScore(None, scores.total)]


def _operations(results: Sequence[tuple[Measure, Scores]]) -> tuple[MeasureOperations, ...]:
    """Return one table per alignment; measures with the same alignment share a table."""
    tables: list[MeasureOperations] = []
    for measure, scores in results:
        if scores.scored.size and not any(measure.aligns_like(entry.measure) for entry in tables):
            tables.append(MeasureOperations(measure, operations_table(scores)))
    return tuple(tables)


@dataclass(frozen=True)
class PairedItems:
    """Reference and hypothesis of every item that both sides have.

    Attributes
    ----------
    items : tuple of str
        Names of the items.
    pairs : list of tuple
        Reference and hypothesis of each item.
    excluded : tuple of Excluded
        Items that only one side has.
    """

    items: tuple[str, ...]
    pairs: list[Pair]
    excluded: tuple[Excluded, ...]


def pair_items(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    *,
    reference_coder: str | None = None,
    hypothesis_coder: str | None = None,
) -> PairedItems:
    """Pair the items of two corpora by name, or two coders of one corpus.

    Parameters
    ----------
    reference : Corpus
        The reference, or a corpus with both coders.
    hypothesis : Corpus, optional
        The hypothesis.
    reference_coder, hypothesis_coder : str, optional
        Coder of each side, if there are several. In one corpus with two coders, the first is the reference.

    Returns
    -------
    PairedItems
        The pairs. If both corpora have exactly one item, the two items are paired even if their names differ.

    Raises
    ------
    OptionError
        If a side has several coders but none was chosen.
    MismatchError
        If an annotation is a tier, which has no units.
    """
    if hypothesis is None:
        hypothesis = reference
        if reference_coder is None and hypothesis_coder is None and len(reference.coders) == 2:
            reference_coder, hypothesis_coder = reference.coders
    first = _annotations(reference, reference_coder, "reference")
    second = _annotations(hypothesis, hypothesis_coder, "hypothesis")
    if len(first) == len(second) == 1:
        ((item, a),), (b,) = first.items(), second.values()
        return PairedItems((item,), [(a, b)], ())
    items = tuple(item for item in first if item in second)
    excluded = [Excluded(item, None, "not in the hypothesis") for item in first if item not in second]
    excluded += [Excluded(item, None, "not in the reference") for item in second if item not in first]
    return PairedItems(items, [(first[item], second[item]) for item in items], tuple(excluded))


def _annotations(corpus: Corpus, coder: str | None, side: str) -> dict[str, Comparable]:
    """Return item -> annotation of the chosen coder, or of the only coder."""
    if coder is None:
        if len(corpus.coders) != 1:
            coders = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"the {side} has several coders; choose one with --{side}-coder: {coders}")
        coder = corpus.coders[0]
    comparable: dict[str, Comparable] = {}
    for item, annotation in corpus.of_coder(coder).items():
        if isinstance(annotation, Tier):
            raise MismatchError(
                f"{side}, item {item!r}: expected a Segmentation; got a Tier, which has times but no units; "
                "over_units(corpus) makes one"
            )
        comparable[item] = annotation
    return comparable
