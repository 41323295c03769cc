"""One measure over the whole field: every segmenter against every coder, item by item, scored in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.judging.field import Field
from caesura.measures.base import Measure
from caesura.measures.many import Scores, score_many
from caesura.model.dialogue import Annotation
from caesura.model.marks import Marks
from caesura.model.score import Score
from caesura.model.segmentation import Segmentation

__all__ = ["BOUND", "Trials", "run"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BOUND = "\0"
"""How the names of bounds begin among segmenters: no system can have such a name."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Row by row: whose segmentation, of which item, against which coder, and the parts of the score.

    Rows run item by item, coder by coder, both sorted by name, so that no number depends on the order of a file.
    """

    measure: Measure
    segmenters: tuple[str, ...]
    items: tuple[str, ...]
    coders: tuple[str, ...]
    who: Ints
    item: Ints
    coder: Ints
    """The reference; -1 where it is all coders together, as of fuzzy success."""
    other: Ints
    """The coder whose segmentation it is, where people are held against each other, else -1."""
    scores: Scores = field(repr=False)
    rows_of: Mapping[str, Ints] = field(repr=False)
    """Segmenter -> its rows that could be scored."""
    excluded: tuple[str, ...]

    def score(self, segmenter: str) -> Score:
        """Micro: all items and coders, from summed parts."""
        return self.scores.over(self.rows_of[segmenter])

    def finish(self, parts: Floats) -> Floats:
        """Values of rows of summed parts."""
        return self.measure.finish(parts, self.scores.types)

    def by_item(self, segmenter: str) -> tuple[Ints, Floats]:
        """The items it was scored on, and the parts of each over all coders."""
        return self._sums(self.rows_of[segmenter])

    def _sums(self, rows: Ints) -> tuple[Ints, Floats]:
        starts = np.flatnonzero(np.diff(self.item[rows], prepend=-1))
        return self.item[rows][starts], np.add.reduceat(self.scores.counts[rows], starts, axis=0)

    def by_coder(self, segmenter: str) -> dict[str, float]:
        """Coder -> the value against this one, from parts summed over items; none where coders are taken together."""
        rows = self.rows_of[segmenter]
        parts = {c: self.scores.counts[rows[self.coder[rows] == c]].sum(axis=0) for c in np.unique(self.coder[rows])}
        there = [c for c in parts if c >= 0]
        values = self.finish(np.array([parts[c] for c in there])).tolist() if there else []
        return {self.coders[c]: value for c, value in zip(there, values, strict=True)}

    def _key(self, rows: Ints) -> Ints:
        """Item and coder in one number."""
        return self.item[rows] * (len(self.coders) + 1) + self.coder[rows] + 1

    def observations(self, segmenters: Sequence[str]) -> Floats:
        """Values by (item, coder), a row each, and segmenter; NaN where there is none."""
        keys = [self._key(self.rows_of[name]) for name in segmenters]
        known = np.unique(np.concatenate(keys))
        out = np.full((len(known), len(segmenters)), np.nan)
        for column, (name, mine) in enumerate(zip(segmenters, keys, strict=True)):
            out[np.searchsorted(known, mine), column] = self.scores.values[self.rows_of[name]]
        return out

    def common(self, a: str, b: str) -> tuple[Floats, Floats]:
        """Parts by item of two segmenters, over the (item, coder) that both were scored on."""
        mine, theirs = self.rows_of[a], self.rows_of[b]
        _, first, second = np.intersect1d(self._key(mine), self._key(theirs), assume_unique=True, return_indices=True)
        if not len(first):
            nothing = np.zeros((0, self.scores.counts.shape[1]))
            return nothing, nothing
        return self._sums(mine[first])[1], self._sums(theirs[second])[1]


def run(
    field: Field, measure: Measure, segmenters: Mapping[str, Mapping[str, Annotation]], *, human: str | None = None
) -> Trials:
    """Score everybody; ``human`` is the name under which coders are held against each other, each once as reference."""
    marked = measure.accepts_marks
    names = [*segmenters, *([] if human is None else [human])]
    coders = tuple(sorted(field.names))
    items = tuple(sorted(field.items))
    place = {coder: i for i, coder in enumerate(coders)}
    pairs: list[tuple[Any, Any]] = []
    keys: list[tuple[int, int, int, int]] = []
    for i, item in enumerate(items):
        by = dict(sorted(field.coders[item].items()))
        references = _references(by, place, marked)
        for s, given in enumerate(segmenters.values()):
            mine = given.get(item)
            if mine is not None:
                pairs += [(reference, mine) for _, reference in references]
                keys += [(s, i, c, -1) for c, _ in references]
        if human is not None:
            for other, hypothesis in by.items():
                rest = _references({coder: one for coder, one in by.items() if coder != other}, place, marked)
                pairs += [(reference, hypothesis) for _, reference in rest]
                keys += [(len(segmenters), i, c, place[other]) for c, _ in rest]
    scores = score_many(pairs, measure)
    who, item_of, coder_of, other_of = np.array(keys, np.int64).reshape(-1, 4).T
    good = np.ones(len(keys), bool)
    good[list(scores.errors)] = False
    rows_of = {name: np.flatnonzero(good & (who == s)) for s, name in enumerate(names)}
    return Trials(
        measure,
        tuple(name for name in names if len(rows_of[name])),
        items,
        coders,
        who,
        item_of,
        coder_of,
        other_of,
        scores,
        {name: rows for name, rows in rows_of.items() if len(rows)},
        tuple(_problems(scores, np.array(keys, np.int64).reshape(-1, 4), [*names], items, coders)),
    )


def _references(by: Mapping[str, Annotation], place: Mapping[str, int], marked: bool) -> list[tuple[int, Any]]:
    """The coders, each with its place; or all of them as one, whose place is -1."""
    if not marked:
        return [(place[coder], one) for coder, one in by.items()]
    return [(-1, _together(by))] if by else []


def _together(by: Mapping[str, Annotation]) -> Any:
    """The marks of all coders. A dialogue has none; it is passed on, and the measure says so."""
    texts = [one for one in by.values() if isinstance(one, Segmentation)]
    return Marks.of(texts) if len(texts) == len(by) else next(iter(by.values()))


def _problems(
    scores: Scores, keys: Ints, names: Sequence[str], items: Sequence[str], coders: Sequence[str]
) -> Iterable[str]:
    """What could not be scored: a line for everything, an item, a system on an item, or a single comparison.

    Bounds are named only where they fail alone.
    """
    if not scores.errors:
        return
    label = scores.measure.label
    people = np.array([not name.startswith(BOUND) for name in names])[keys[:, 0]]
    by_why: dict[str, list[int]] = {}
    for row, problem in scores.errors.items():
        by_why.setdefault(str(problem), []).append(row)
    told: set[tuple[int, int]] = set()
    for why, rows in by_why.items():
        failed = np.zeros(len(keys), bool)
        failed[rows] = True
        mine = failed & people
        if mine.any() and (failed | ~people).all():
            yield f"{label}: {why}"
            return
        for i in np.unique(keys[mine, 1]).tolist():
            here = people & (keys[:, 1] == i)
            told |= {(i, c) for c in keys[mine & here, 2].tolist()}
            if failed[here].all():
                yield f"item {items[i]!r}: {label}: {why}"
                continue
            for s in np.unique(keys[mine & here, 0]).tolist():
                his = here & (keys[:, 0] == s)
                place = f"system {names[s]!r}, item {items[i]!r}"
                if failed[his].all():
                    yield f"{place}: {label}: {why}"
                else:
                    yield from (f"{place}, against coder {coders[c]!r}: {label}: {why}" for c in keys[mine & his, 2])
    for why, rows in by_why.items():
        for s, i, c, _ in keys[rows].tolist():
            if names[s].startswith(BOUND) and (i, c) not in told:
                bound = names[s].removeprefix(BOUND).split()[0]
                yield f"the bound {bound!r}, item {items[i]!r}: {label}: {why}"
