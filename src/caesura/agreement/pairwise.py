"""Table of the scores of all pairs of coders, under any measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from caesura.agreement.coder_pairs import CoderPairs, check_corpus, number_of_pairs, score_coder_pairs
from caesura.engines import Engine, use_engine
from caesura.measures.base import Measure
from caesura.measures.edit_columns import DELETION, SUBSTITUTION, TRANSPOSITION
from caesura.measures.many import Scores, places_of_groups, score_many
from caesura.measures.registry import default_measures, parse
from caesura.memory import check_memory
from caesura.model.annotation import tiers_of
from caesura.model.batch import Pair
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, Dialogue, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import bincount
from caesura.model.plain import json_entries
from caesura.model.result import Excluded, Result, Score, keep_warnings, signature_line, with_data
from caesura.model.spans import Spans
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints

# What to do if there are too many pairs of coders.
FEWER_CODERS = "choose fewer coders, with caesura convert --coder or Corpus.select"
_ROW_BYTES, _VALUE_BYTES = 2_000, 200  # of a pair of coders, and of one of its items


@dataclass(frozen=True, slots=True)
class PairwiseRow:
    """One pair of coders over all items that both coded."""

    # Reference and hypothesis. The order matters to measures that are not symmetric, and to precision and recall.
    coders: tuple[str, str]
    value: float  # value over all items, from summed parts
    items: Mapping[str, float]  # item -> its value
    # Function that returns the score over all items, of which there may be a hundred thousand.
    find_score: Callable[[], Score] = field(repr=False, compare=False)
    # Boundaries of one coder without a counterpart, and boundaries that the other coder put a few
    # positions away; None if the annotations have no boundaries to align.
    full_misses: int | None = None
    near_misses: int | None = None

    @property
    def score(self) -> Score:
        """Score over all items, from summed parts; it is built whenever it is asked for."""
        return self.find_score()

    def __json__(self) -> dict[str, object]:
        """Return the coders, the values of the items, the misses, and all fields of the score."""
        own = {"coders": self.coders, "items": self.items}
        misses = {"full_misses": self.full_misses, "near_misses": self.near_misses}
        return own | misses | json_entries(self.score)


@dataclass(frozen=True, slots=True)
class PairwiseItem:
    """One item over all pairs of its coders."""

    item: str
    coders: int
    units: int  # number of units; 0 in seconds
    boundaries: int | None  # number of boundaries of all coders together; None for hierarchies and trees
    pairs: int  # number of pairs of coders; each pair counts twice if pairs are ordered
    # Mean and population standard deviation of the values of the pairs.
    mean: float
    deviation: float
    # Misses of all pairs together, as in ``PairwiseRow``.
    full_misses: int | None = None
    near_misses: int | None = None

    @property
    def boundaries_per_coder(self) -> float | None:
        """Mean number of boundaries of a coder."""
        return None if self.boundaries is None else self.boundaries / self.coders


@dataclass(frozen=True, eq=False)
class Pairwise(Result):
    """Scores with one row per pair of coders; ``mean`` and ``deviation`` are unweighted over the rows.

    Attributes
    ----------
    measure : Measure
        The measure.
    coders : tuple of str
        The coders.
    rows : tuple of PairwiseRow
        One row per pair.
    items : tuple of PairwiseItem
        One entry per item: mean and deviation over its pairs, and its size.
    ordered : bool
        Whether each pair is scored in both directions.
    aligned_by : Measure or None
        Measure that counts full and near misses: the measure itself, or the default if it does not align boundaries; None
        if there are no boundaries to align.
    excluded : tuple of Excluded
        Items that were excluded.
    signature : str
        One line with everything needed to reproduce the numbers.
    """

    json_properties = ("mean", "deviation", "full_misses", "near_misses")
    frame_field = "rows"

    measure: Measure
    coders: tuple[str, ...]
    rows: tuple[PairwiseRow, ...] = field(repr=False)
    items: tuple[PairwiseItem, ...] = field(repr=False)
    ordered: bool
    aligned_by: Measure | None
    excluded: tuple[Excluded, ...]
    signature: str

    @property
    def mean(self) -> float:
        """Mean over pairs, each with the same weight."""
        return float(np.mean([row.value for row in self.rows]))

    @property
    def deviation(self) -> float:
        """Population standard deviation over pairs."""
        return float(np.std([row.value for row in self.rows]))

    @property
    def full_misses(self) -> int | None:
        """Boundaries of one coder without a counterpart, over all pairs; None if there are no boundaries to align."""
        return None if self.aligned_by is None else sum(row.full_misses or 0 for row in self.rows)

    @property
    def near_misses(self) -> int | None:
        """Boundaries that the other coder put a few positions away, over all pairs; None as for ``full_misses``."""
        return None if self.aligned_by is None else sum(row.near_misses or 0 for row in self.rows)

    @property
    def ranked(self) -> tuple[PairwiseRow, ...]:
        """The pairs, those that agree most first."""
        sign = -1 if self.measure.higher_is_better else 1
        return tuple(sorted(self.rows, key=lambda row: sign * row.value))

    @property
    def matrix(self) -> Floats:
        """Values by reference coder (row) and hypothesis coder (column), in the order of ``coders``.

        An entry is NaN if the pair was not scored because the coders share no item. The lower half is NaN for unordered pairs
        under a measure that is not symmetric.
        """
        index = {coder: i for i, coder in enumerate(self.coders)}
        matrix = np.full((len(index), len(index)), np.nan)
        np.fill_diagonal(matrix, np.nan if self.measure.best is None else self.measure.best)
        for row in self.rows:
            a, b = (index[coder] for coder in row.coders)
            matrix[a, b] = row.value
            if not self.ordered and self.measure.symmetric:
                matrix[b, a] = row.value
        return matrix

    def precision_and_recall(self) -> dict[str, tuple[float, float]]:
        """Return mean precision and mean recall of each coder, over the pairs with that coder as hypothesis.

        Returns
        -------
        dict
            Coder -> precision and recall. A pair that was scored in one direction counts for both, because precision and
            recall are exchanged if the sides are swapped.

        Raises
        ------
        AttributeError
            If the measure has no precision and recall.
        """
        by_coder: dict[str, list[tuple[float, float]]] = {coder: [] for coder in self.coders}
        for row in self.rows:
            reference, hypothesis = row.coders
            score = row.score
            precision, recall = score.precision(), score.recall()
            by_coder[hypothesis].append((precision, recall))
            if not self.ordered:
                by_coder[reference].append((recall, precision))
        means = {coder: np.mean(values, axis=0).tolist() for coder, values in by_coder.items() if values}
        return {coder: (precision, recall) for coder, (precision, recall) in means.items()}


def number_of_rows(corpus: Corpus, *, ordered: bool) -> int:
    return min(math.comb(len(corpus.coders), 2), number_of_pairs(corpus)) * (1 + ordered)


@keep_warnings
def pairwise(
    corpus: Corpus, measure: str | Measure, *, ordered: bool = False, engine: str | Engine = "threads"
) -> Pairwise:
    """Score every pair of coders, over all items that both coded, under any measure.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    measure : str or Measure
        The measure; it need not be symmetric.
    ordered : bool, default False
        Whether to score each pair in both directions, which matters for measures that are not symmetric. Otherwise the
        first coder in the corpus is the reference.
    engine : str or Engine, default "threads"
        Engine for the computation: ``"threads"``, ``"processes"``, ``"dask"``, or an open engine.

    Returns
    -------
    Pairwise
        One row per pair, and the values as a matrix.

    Notes
    -----
    Table 2 of Fournier & Inkpen (2012) gives the mean and deviation of 1 - WD over ordered pairs, all with the same weight,
    and the number of coders, boundaries and units of each item: ``items``. Their studies also count full misses (a boundary
    without a counterpart) and near misses (a boundary that was moved). If the measure itself does not align boundaries, as
    WD, these are counted by the default measure for the kind of data: B with n_t = 2, or S_f for dialogues. Over ordered
    pairs each miss is counted twice.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> table = pairwise(stargazer(), "boundary_similarity(n_t=2)")
    >>> row = max(table.rows, key=lambda row: row.value)
    >>> row.coders, f"{row.value:.4f}", len(table.rows)
    (('3', '7'), '0.7500', 21)
    >>> f"{table.mean:.4f} +- {table.deviation:.4f}"
    '0.5337 +- 0.1181'
    """
    resolved = parse(measure)
    check_corpus(corpus)
    number = number_of_rows(corpus, ordered=ordered)
    size = number * _ROW_BYTES + number_of_pairs(corpus) * (1 + ordered) * _VALUE_BYTES
    check_memory(f"a table of {number:,} pairs of coders", size, FEWER_CODERS)
    with use_engine(engine) as opened:
        observed = score_coder_pairs(corpus, resolved, ordered=ordered, corpus_order=True, engine=opened)
        aligned_by, misses = _misses(observed, opened)
    values = resolved.values(observed.scores.counts, observed.scores.types)
    rows = list(_pair_rows(observed, values.tolist(), misses))
    entries = (f"coders:{len(observed.coders)}", f"pairs:{len(rows)}", "ordered" if ordered else "unordered")
    signature = signature_line("pairwise", *entries, over=observed.scores.total.signature)
    return Pairwise(
        measure=resolved,
        coders=observed.coders,
        rows=tuple(rows),
        items=tuple(_item_rows(observed, values, misses)),
        ordered=ordered,
        aligned_by=aligned_by,
        excluded=observed.excluded,
        signature=with_data(signature, corpus.fingerprint, float(np.mean([row.value for row in rows]))),
    )


def _pair_rows(observed: CoderPairs, values: list[float], misses: Floats | None) -> Iterator[PairwiseRow]:
    number = len(observed.pairs)
    scores = observed.scores.by_group(observed.pair_index, number)
    item_names = [observed.items[item] for item in observed.item_index.tolist()]
    own_misses, totals = _totals(misses, observed.pair_index, number), scores.values.tolist()
    for k, (a, b) in enumerate(observed.pairs):
        items = {item_names[place]: values[place] for place in scores.places[k].tolist()}
        coders = observed.coders[a], observed.coders[b]
        yield PairwiseRow(coders, totals[k], items, partial(scores.__getitem__, k), *own_misses[k])


def _item_rows(observed: CoderPairs, values: Floats, misses: Floats | None) -> Iterator[PairwiseItem]:
    by_item: dict[str, list[Comparable]] = {}
    for (item, _), annotation in observed.annotations.items():
        by_item.setdefault(item, []).append(annotation)
    number = len(observed.items)
    own_misses = _totals(misses, observed.item_index, number)
    for k, places in enumerate(places_of_groups(observed.item_index, number)):
        item = observed.items[k]
        annotations = by_item[item]
        has_boundaries = not any(isinstance(annotation, Hierarchy | Tree | Spans) for annotation in annotations)
        numbers = [size for entry in annotations if has_boundaries for size in _boundary_counts(entry)]
        yield PairwiseItem(
            item=item,
            coders=len(annotations),
            units=0 if tiers_of(annotations[0]) else round(annotations[0].length),
            boundaries=sum(numbers) if has_boundaries else None,
            pairs=len(places),
            mean=float(np.mean(values[places])),
            deviation=float(np.std(values[places])),
            full_misses=own_misses[k][0],
            near_misses=own_misses[k][1],
        )


def _boundary_counts(annotation: Annotation) -> list[int]:
    tiers = tiers_of(annotation)
    if tiers:
        return [int(tier.edges.inner.size) for tier in tiers.values()]
    return [int(text.inner.size) for text in texts_of(annotation).values()]


def _totals(misses: Floats | None, index: Ints, number: int) -> list[tuple[int | None, int | None]]:
    if misses is None:
        return [(None, None)] * number
    full, near = (bincount(index, column, number).astype(np.int64).tolist() for column in misses.T)
    return list(zip(full, near, strict=True))


def _compared(observed: CoderPairs) -> list[Pair]:
    names = zip(observed.item_index.tolist(), observed.pair_index.tolist(), strict=True)
    keys = [(observed.items[i], *(observed.coders[coder] for coder in observed.pairs[k])) for i, k in names]
    return cast("list[Pair]", [(observed.annotations[item, a], observed.annotations[item, b]) for item, a, b in keys])


def _misses(observed: CoderPairs, engine: str | Engine) -> tuple[Measure | None, Floats | None]:
    """Return the measure that aligns boundaries, and the full and near misses of each row."""
    kinds = {type(annotation) for annotation in observed.annotations.values()}
    if kinds & {Hierarchy, Spans, Tree}:
        return None, None
    measure, scores = observed.measure, observed.scores
    counted = measure.count_misses(scores.counts, scores.types)
    if counted is None and not measure.aligns:
        if any(tiers_of(annotation) for annotation in observed.annotations.values()):
            return None, None
        measure = default_measures("pairwise", "dialogue" if Dialogue in kinds else "linear")[0]
        scores = score_many(_compared(observed), measure, engine=engine)
        counted = measure.count_misses(scores.counts, scores.types)
    if counted is None:
        counted = _misses_of_edits(scores)
    return measure, np.column_stack(counted)


def _misses_of_edits(scores: Scores) -> tuple[Floats, Floats]:
    """Count full and near misses in the alignments, for measures whose counts do not contain them."""
    full, near = np.zeros((2, len(scores)))
    edits = scores.measure.edit_columns(scores.batch)
    if edits is not None:
        moved = (edits.kind % SUBSTITUTION == TRANSPOSITION) & (edits.kind < DELETION)
        full[scores.places] = bincount(edits.document[edits.kind >= DELETION], minlength=edits.documents)
        near[scores.places] = bincount(edits.document[moved], minlength=edits.documents)
    return full, near
