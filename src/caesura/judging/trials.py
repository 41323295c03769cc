"""One measure over the whole field: every segmenter against every coder, item by item, scored in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.judging.field import Field
from caesura.measures.base import Measure
from caesura.measures.fuzzy import FuzzySuccess
from caesura.measures.many import Scores, score_many
from caesura.model.dialogue import Annotation
from caesura.model.marks import Marks
from caesura.model.score import Score
from caesura.model.segmentation import Segmentation

__all__ = ["Trials", "run"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trials:
    """Row by row: whose segmentation, of which item, against which coder, and the parts of the score."""

    measure: Measure
    segmenters: tuple[str, ...]
    items: tuple[str, ...]
    coders: tuple[str, ...]
    who: Ints
    item: Ints
    coder: Ints
    """-1 where the reference is all coders together, as of fuzzy success."""
    scores: Scores = field(repr=False)
    rows_of: Mapping[str, Ints] = field(repr=False)
    """Segmenter -> its rows that could be scored."""
    problems: tuple[str, ...]

    def score(self, segmenter: str) -> Score:
        """Micro: all items and coders, from summed parts."""
        return self.scores.over(self.rows_of[segmenter])

    def finish(self, parts: Floats) -> Floats:
        """Values of rows of summed parts."""
        return self.measure.finish(parts, self.scores.types)

    def by_item(self, segmenter: str) -> tuple[Ints, Floats]:
        """The items it was scored on, and the parts of each over all coders."""
        rows = self.rows_of[segmenter]
        items, place = np.unique(self.item[rows], return_inverse=True)
        parts = np.zeros((len(items), self.scores.counts.shape[1]))
        np.add.at(parts, place, self.scores.counts[rows])
        return items, parts

    def macro(self, segmenter: str) -> float:
        """The mean over items, each from the parts of all coders."""
        return float(self.finish(self.by_item(segmenter)[1]).mean())

    def observations(self, segmenters: Sequence[str]) -> Floats:
        """Values by (item, coder), a row each, and segmenter; NaN where there is none."""
        keys: dict[tuple[int, int], int] = {}
        for name in segmenters:
            for row in self.rows_of[name].tolist():
                keys.setdefault((int(self.item[row]), int(self.coder[row])), len(keys))
        out = np.full((len(keys), len(segmenters)), np.nan)
        for column, name in enumerate(segmenters):
            rows = self.rows_of[name]
            places = [keys[i, c] for i, c in zip(self.item[rows].tolist(), self.coder[rows].tolist(), strict=True)]
            out[places, column] = self.scores.values[rows]
        return out

    def item_values(self, segmenters: Sequence[str]) -> Floats:
        """Values by item and segmenter, over all coders; NaN where there is none."""
        out = np.full((len(self.items), len(segmenters)), np.nan)
        for column, name in enumerate(segmenters):
            items, parts = self.by_item(name)
            out[items, column] = self.finish(parts)
        return out

    def common(self, a: str, b: str) -> tuple[Floats, Floats]:
        """Parts by item of two segmenters, over the (item, coder) that both were scored on."""
        mine: list[dict[tuple[int, int], int]] = []
        for name in (a, b):
            rows = self.rows_of[name].tolist()
            mine.append({(int(self.item[row]), int(self.coder[row])): row for row in rows})
        both = sorted(mine[0].keys() & mine[1].keys())
        items, place = np.unique([i for i, _ in both], return_inverse=True)
        out = []
        for rows_by_key in mine:
            parts = np.zeros((len(items), self.scores.counts.shape[1]))
            np.add.at(parts, place, self.scores.counts[[rows_by_key[key] for key in both]])
            out.append(parts)
        return out[0], out[1]


def run(
    field: Field, measure: Measure, segmenters: Mapping[str, Mapping[str, Annotation]], *, human: str | None = None
) -> Trials:
    """Score everybody; ``human`` is the name under which coders are held against each other, each once as reference."""
    marked = isinstance(measure, FuzzySuccess)
    names = [*segmenters, *([] if human is None else [human])]
    coders = field.names
    place = {coder: i for i, coder in enumerate(coders)}
    pairs: list[tuple[Any, Annotation]] = []
    keys: list[tuple[int, int, int]] = []
    for i, item in enumerate(field.items):
        by = field.coders[item]
        together = _together(by) if marked else None
        for s, name in enumerate(names):
            if s == len(segmenters):
                for other, hypothesis in by.items():
                    rest = {coder: one for coder, one in by.items() if coder != other}
                    for coder, reference in _references(rest, marked):
                        pairs.append((reference, hypothesis))
                        keys.append((s, i, place.get(coder, -1)))
                continue
            mine = segmenters[name].get(item)
            if mine is None:
                continue
            for coder, reference in [("", together)] if marked else list(by.items()):
                pairs.append((reference, mine))
                keys.append((s, i, place.get(coder, -1)))
    scores = score_many(pairs, measure)
    who, item_of, coder_of = np.array(keys, np.int64).reshape(-1, 3).T
    good = np.ones(len(keys), bool)
    good[list(scores.errors)] = False
    problems = []
    for row, why in scores.errors.items():
        s, i, c = keys[row]
        against = "all coders" if c < 0 else f"coder {coders[c]!r}"
        problems.append(f"{names[s]}, item {field.items[i]!r}, against {against}: {measure.name}: {why}")
    rows_of = {name: np.flatnonzero(good & (who == s)) for s, name in enumerate(names)}
    return Trials(
        measure, tuple(name for name in names if len(rows_of[name])), field.items, coders, who, item_of, coder_of,
        scores, {name: rows for name, rows in rows_of.items() if len(rows)}, tuple(problems),
    )  # fmt: skip


def _references(by: Mapping[str, Annotation], marked: bool) -> list[tuple[str, Any]]:
    if not marked:
        return list(by.items())
    return [("", _together(by))] if by else []


def _together(by: Mapping[str, Annotation]) -> Any:
    """The marks of all coders. A dialogue has none; it is passed on, and the measure says so."""
    texts = [one for one in by.values() if isinstance(one, Segmentation)]
    return Marks.of(texts) if len(texts) == len(by) else next(iter(by.values()))
