"""Score every segmenter against every coder on every item under one measure, in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.judging.participants import Annotations, Participants
from caesura.measures.base import Measure
from caesura.measures.many import Scores, score_many
from caesura.model.dialogue import Annotation
from caesura.model.marks import Marks
from caesura.model.result import Excluded, Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints

Bools = NDArray[np.bool_]

BOUND_PREFIX = "\0"
"""First character of the names of bounds among the segmenters; no system name can start with it."""
HUMAN = BOUND_PREFIX + "human"
RANDOM = BOUND_PREFIX + "random"
PLACEMENT = BOUND_PREFIX + "placement"


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of pairs, one row per pair: a segmentation of an item, and a coder's annotation of it as reference.

    Rows are sorted by item and then by coder, so that no result depends on the order of a file.

    Attributes
    ----------
    measure : Measure
        The measure of all scores.
    segmenters : tuple of str
        Names of systems and bounds.
    items : tuple of str
        Names of the items, sorted.
    coders : tuple of str
        Names of the coders, sorted.
    segmenter_of : numpy.ndarray
        Index of the row's segmenter in ``segmenters``.
    item_of : numpy.ndarray
        Index of the row's item in ``items``.
    reference_of : numpy.ndarray
        Index of the reference in ``coders``; -1 if all coders together are the reference, as for fuzzy success.
    author_of : numpy.ndarray
        Index in ``coders`` of the author of the segmentation if coders are compared with each other, otherwise -1.
    scores : Scores
        One score per row.
    """

    measure: Measure
    segmenters: tuple[str, ...]
    items: tuple[str, ...]
    coders: tuple[str, ...]
    segmenter_of: Ints
    item_of: Ints
    reference_of: Ints
    author_of: Ints
    scores: Scores = field(repr=False)

    @cached_property
    def rows_of(self) -> dict[str, Ints]:
        """Segmenter -> the rows that could be scored; segmenters without such rows are omitted."""
        scored = self.scores.scored
        rows = {name: scored[self.segmenter_of[scored] == s] for s, name in enumerate(self.segmenters)}
        return {name: places for name, places in rows.items() if len(places)}

    def scored(self, segmenters: Iterable[str]) -> tuple[str, ...]:
        """Return the segmenters that have scored rows.

        Parameters
        ----------
        segmenters : iterable of str
            Names of segmenters.

        Returns
        -------
        tuple of str
            Those with scored rows, in the same order.
        """
        return tuple(name for name in segmenters if name in self.rows_of)

    def score(self, segmenter: str) -> Score:
        """Return the micro score of a segmenter, from parts summed over all items and coders.

        Parameters
        ----------
        segmenter : str
            A segmenter with scored rows.

        Returns
        -------
        Score
            The score of all its rows.
        """
        return self.scores.over(self.rows_of[segmenter])

    def finish(self, parts: Floats) -> Floats:
        """Compute values from summed parts.

        Parameters
        ----------
        parts : numpy.ndarray
            One row of summed parts per value.

        Returns
        -------
        numpy.ndarray
            One value per row.
        """
        return self.measure.values(parts, self.scores.types)

    def by_item(self, rows: Ints) -> tuple[Ints, Floats]:
        """Return the items of some rows, and the parts of each item, summed over coders.

        Parameters
        ----------
        rows : numpy.ndarray
            Scored rows, such as ``rows_of[segmenter]``.

        Returns
        -------
        items : numpy.ndarray
            Indices of the items.
        parts : numpy.ndarray
            One row of parts per item.
        """
        starts = np.flatnonzero(np.diff(self.item_of[rows], prepend=-1))
        return self.item_of[rows][starts], np.add.reduceat(self.scores.counts[rows], starts, axis=0)

    def by_coder(self, segmenter: str) -> dict[str, float]:
        """Return the value of a segmenter against each coder, from parts summed over items.

        Parameters
        ----------
        segmenter : str
            A segmenter with scored rows.

        Returns
        -------
        dict of str to float
            Coder -> value; empty if all coders together are the reference.
        """
        rows = self.rows_of[segmenter]
        references = [c for c in np.unique(self.reference_of[rows]) if c >= 0]
        if not references:
            return {}
        parts = [self.scores.counts[rows[self.reference_of[rows] == c]].sum(axis=0) for c in references]
        values = self.finish(np.array(parts)).tolist()
        return {self.coders[c]: value for c, value in zip(references, values, strict=True)}

    def _pair_keys(self, rows: Ints) -> Ints:
        """Return the item and the reference of each row, encoded as one number."""
        return self.item_of[rows] * (len(self.coders) + 1) + self.reference_of[rows] + 1

    def item_means(self, segmenters: Sequence[str]) -> Floats:
        """Return the values of segmenters by item, as means over the coders for whom all segmenters have a value.

        Parameters
        ----------
        segmenters : sequence of str
            Segmenters with scored rows.

        Returns
        -------
        numpy.ndarray
            One row per item, one column per segmenter; NaN if a segmenter has no value for any coder. Rounded to 12
            digits, so that values that differ only by rounding are tied.
        """
        keys = [self._pair_keys(self.rows_of[name]) for name in segmenters]
        all_keys = np.unique(np.concatenate(keys))
        values = np.full((len(all_keys), len(segmenters)), np.nan)
        for column, (name, own_keys) in enumerate(zip(segmenters, keys, strict=True)):
            values[np.searchsorted(all_keys, own_keys), column] = self.scores.values[self.rows_of[name]]
        items = all_keys // (len(self.coders) + 1)
        complete = ~np.isnan(values).any(axis=1)
        counts = np.bincount(items[complete], minlength=len(self.items))
        sums = [np.bincount(items[complete], column[complete], minlength=len(self.items)) for column in values.T]
        means = np.column_stack(sums) / np.where(counts, counts, np.nan)[:, None]
        return means[np.unique(items)].round(12)

    def common_parts(self, a: str, b: str) -> tuple[Floats, Floats]:
        """Return the parts of two segmenters per item, from the (item, coder) on which both were scored.

        Parameters
        ----------
        a, b : str
            Two segmenters with scored rows.

        Returns
        -------
        tuple of numpy.ndarray
            One array per segmenter, with one row of parts per item.
        """
        rows_a, rows_b = self.rows_of[a], self.rows_of[b]
        keys = self._pair_keys(rows_a), self._pair_keys(rows_b)
        _, first, second = np.intersect1d(*keys, assume_unique=True, return_indices=True)
        if not len(first):
            empty = np.zeros((0, self.scores.counts.shape[1]))
            return empty, empty
        return self.by_item(rows_a[first])[1], self.by_item(rows_b[second])[1]

    @cached_property
    def excluded(self) -> tuple[Excluded, ...]:
        """Items, systems on an item, or single comparisons that could not be scored; or everything.

        Bounds are listed, in brackets, only if no system failed on the same item and reference.
        """
        return tuple(dict.fromkeys(self._exclusions()))

    def _rows_by_reason(self) -> dict[str, list[int]]:
        """Return the rows that could not be scored, by the reason."""
        rows: dict[str, list[int]] = {}
        for row, error in self.scores.errors.items():
            rows.setdefault(f"{self.measure.label}: {error}", []).append(row)
        return rows

    def _exclusions(self) -> Iterator[Excluded]:
        rows_by_reason = self._rows_by_reason()
        is_bound = np.array([name.startswith(BOUND_PREFIX) for name in self.segmenters])[self.segmenter_of]
        explained: set[tuple[int, int]] = set()  # (item, reference) for which a system failed too
        for reason, rows in rows_by_reason.items():
            failed = np.zeros(len(is_bound), bool)
            failed[rows] = True
            if (failed & ~is_bound).any() and (failed | is_bound).all():
                yield Excluded(None, None, reason)
                return
            for item in np.unique(self.item_of[failed & ~is_bound]).tolist():
                of_item = ~is_bound & (self.item_of == item)
                explained |= {(item, c) for c in self.reference_of[failed & of_item].tolist()}
                yield from self._item_exclusions(item, of_item, failed, reason)
        for reason, rows in rows_by_reason.items():
            yield from self._bound_exclusions([row for row in rows if is_bound[row]], explained, reason)

    def _bound_exclusions(
        self, rows: Sequence[int], explained: Set[tuple[int, int]], reason: str
    ) -> Iterator[Excluded]:
        """Yield the bounds that failed on an (item, reference) on which no system failed."""
        for row in rows:
            if (self.item_of[row], self.reference_of[row]) not in explained:
                bound = self.segmenters[self.segmenter_of[row]].removeprefix(BOUND_PREFIX).split()[0]
                yield Excluded(self.items[self.item_of[row]], f"({bound})", reason)

    def _item_exclusions(self, item: int, of_item: Bools, failed: Bools, reason: str) -> Iterator[Excluded]:
        """Yield the failures on one item: all systems, one system, or one system against one coder."""
        name = self.items[item]
        if failed[of_item].all():
            yield Excluded(name, None, reason)
            return
        for s in np.unique(self.segmenter_of[failed & of_item]).tolist():
            of_system = of_item & (self.segmenter_of == s)
            if failed[of_system].all():
                yield Excluded(name, self.segmenters[s], reason)
            else:
                for c in self.reference_of[failed & of_system].tolist():
                    yield Excluded(name, self.segmenters[s], f"against coder {self.coders[c]!r}: {reason}")


def score_pairs(
    participants: Participants, measure: Measure, segmenters: Annotations, *, human: bool = False
) -> PairScores:
    """Score every segmenter against every coder.

    Parameters
    ----------
    participants : Participants
        The coders and their items.
    measure : Measure
        The measure.
    segmenters : mapping of str to mapping
        Segmenter -> item -> annotation.
    human : bool, default False
        Whether coders are also scored against each other; the segmenter of these rows is ``HUMAN``.

    Returns
    -------
    PairScores
        One row per segmenter, item and reference.
    """
    coders = tuple(sorted(participants.coder_names))
    items = tuple(sorted(participants.items))
    place = {coder: i for i, coder in enumerate(coders)}
    pairs: list[tuple[Any, Any]] = []
    keys: list[tuple[int, int, int, int]] = []
    for i, item in enumerate(items):
        by_coder = dict(sorted(participants.coders[item].items()))
        references = _references(by_coder, place, measure)
        for s, author, annotation in _annotations(item, by_coder, segmenters, human):
            own = references if author is None else _references(by_coder, place, measure, author)
            author_place = -1 if author is None else place[author]
            pairs += [(reference, annotation) for _, reference in own]
            keys += [(s, i, c, author_place) for c, _ in own]
    segmenter_of, item_of, reference_of, author_of = np.array(keys, np.int64).reshape(-1, 4).T
    names = (*segmenters, HUMAN) if human else tuple(segmenters)
    return PairScores(
        measure, names, items, coders, segmenter_of, item_of, reference_of, author_of, score_many(pairs, measure)
    )


def _annotations(
    item: str, by_coder: Mapping[str, Annotation], segmenters: Annotations, human: bool
) -> Iterator[tuple[int, str | None, Annotation]]:
    """Yield the segmenter, the coder who is the author if there is one, and the annotation to be scored."""
    for s, by_item in enumerate(segmenters.values()):
        if item in by_item:
            yield s, None, by_item[item]
    for coder in by_coder if human else ():
        yield len(segmenters), coder, by_coder[coder]


def _references(
    by_coder: Mapping[str, Annotation], place: Mapping[str, int], measure: Measure, author: str | None = None
) -> list[tuple[int, Any]]:
    """Return each coder's annotation with the coder's index; or the marks of all coders as one reference, index -1.

    The author of the annotation to be scored is left out.
    """
    by_coder = {coder: annotation for coder, annotation in by_coder.items() if coder != author}
    if measure["references"] is not None:
        return [(-1, tuple(by_coder.values()))] if by_coder else []
    if not measure.accepts_marks:
        return [(place[coder], annotation) for coder, annotation in by_coder.items()]
    texts = [annotation for annotation in by_coder.values() if isinstance(annotation, Segmentation)]
    if not by_coder:
        return []
    # A dialogue has no marks. It is passed on unchanged, and the measure raises the error.
    return [(-1, Marks.of(texts) if len(texts) == len(by_coder) else next(iter(by_coder.values())))]
