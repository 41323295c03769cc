"""What a segmenter is to be measured by: people among themselves, and programs that know nothing of the text.

    human     every coder against every other, each once as reference
    random    segments as long as the coders make them, anywhere; the mean of many draws
    regular   a boundary every so many units, the coders' mean segment
    none      no boundary
    all       a boundary at every position

Where boundaries have types, a random one takes its types from a boundary of the coders, drawn with replacement, and a regular
one their most frequent types. So does the mark at the end of a text, where the coders make one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from caesura.judging.field import Field
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation, in_order
from caesura.simulation import fill, regular_segmentation

__all__ = ["BOUNDS", "Baselines"]

BOUNDS = ("human", "random", "regular", "none", "all")

Marks = tuple[str, ...]
Place = Callable[[int], Sequence[int]]
"""From the number of units to positions."""


class Baselines:
    """Segmentations in the shape of a field's items that know nothing but the coders' habits."""

    def __init__(self, field: Field) -> None:
        self.field = field

    @cached_property
    def _texts(self) -> list[Segmentation]:
        return [text for by in self.field.coders.values() for one in by.values() for text in _streams(one).values()]

    @cached_property
    def masses(self) -> list[int]:
        """The lengths of all segments of all coders."""
        return [mass for text in self._texts for mass in text.masses]

    @cached_property
    def mean_mass(self) -> float:
        """The mean of ``masses``."""
        return sum(self.masses) / len(self.masses)

    @cached_property
    def _scale(self) -> tuple[str, ...] | None:
        """The types in order, or None if there is but the unnamed one."""
        declared = next((text.types for text in self._texts if text.declared and text.types != UNTYPED), None)
        if declared is not None:
            return declared
        names = {name for text in self._texts for _, name in text.boundaries}
        return None if names <= set(UNTYPED) else in_order(names)

    @cached_property
    def _kinds(self) -> tuple[list[Marks], list[Marks]]:
        """The types of every inner boundary of the coders, and of every end of a text."""
        inner: list[Marks] = []
        ends: list[Marks] = []
        for text in self._texts:
            at: dict[int, list[str]] = {}
            for position, name in text.boundaries:
                at.setdefault(position, []).append(name)
            ends.append(tuple(at.pop(text.length, ())))
            inner += map(tuple, at.values())
        return inner, ends

    def random(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Item -> a segmentation with segments drawn from those of the coders."""
        masses = np.array(self.masses, np.int64)
        inner, ends = self._kinds

        def draw(n: int, end: bool) -> list[Marks]:
            pool = ends if end else inner
            return [pool[i] for i in rng.integers(0, len(pool), n)] if pool else [()] * n

        return self._make(lambda units: fill(units, masses, rng).tolist(), draw)

    def regular(self) -> dict[str, Annotation]:
        """Item -> a boundary every mean segment."""
        return self._make(lambda units: regular_segmentation(units, self.mean_mass).inner.tolist(), self._usual)

    def none(self) -> dict[str, Annotation]:
        """Item -> one segment, without a mark at its end."""
        return self._make(lambda units: [], lambda n, end: [()] * n)

    def all(self) -> dict[str, Annotation]:
        """Item -> a boundary at every position."""
        return self._make(lambda units: range(1, units), self._usual)

    def _usual(self, n: int, end: bool) -> list[Marks]:
        pool = self._kinds[1 if end else 0]
        return [Counter(pool).most_common(1)[0][0] if pool else ()] * n

    def _make(self, place: Place, kinds: Callable[[int, bool], list[Marks]]) -> dict[str, Annotation]:
        made: dict[str, Annotation] = {}
        for item in self.field.items:
            model = next(iter(self.field.coders[item].values()))
            streams = {name: self._text(text, place, kinds) for name, text in _streams(model).items()}
            made[item] = streams[""] if isinstance(model, Segmentation) else Dialogue(streams)
        return made

    def _text(self, model: Segmentation, place: Place, kinds: Callable[[int, bool], list[Marks]]) -> Segmentation:
        positions = list(place(model.length))
        if self._scale is None:
            return Segmentation.from_positions(model.length, positions, units=model.units)
        marks = [*kinds(len(positions), False), *kinds(1, True)]
        at = [(p, mark) for p, mark in zip([*positions, model.length], marks, strict=True) if mark]
        return Segmentation.from_positions(
            model.length, [p for p, _ in at], marks=[set(mark) for _, mark in at], types=self._scale, units=model.units
        )


def _streams(one: Annotation) -> Mapping[str, Segmentation]:
    return {"": one} if isinstance(one, Segmentation) else one
