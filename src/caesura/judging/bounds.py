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

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.judging.field import Field
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.simulation.segmentations import _fill, regular_segmentation

__all__ = ["Baselines"]

Ints = NDArray[np.int64]
Place = Callable[[int], Ints]
"""From the number of units to positions."""
Choose = Callable[["_Kinds", int], Ints]
"""Which of the kinds so many boundaries take."""


class Baselines:
    """Segmentations in the shape of a field's items that know nothing but the coders' habits."""

    def __init__(self, field: Field) -> None:
        self.field = field

    @cached_property
    def _texts(self) -> list[Segmentation]:
        return [text for by in self.field.coders.values() for one in by.values() for text in streams_of(one).values()]

    @cached_property
    def masses(self) -> Ints:
        """The lengths of all segments of all coders, rising: what is drawn does not depend on who is listed first."""
        return np.sort(np.concatenate([np.asarray(text.masses, np.int64) for text in self._texts]))

    @cached_property
    def mean_mass(self) -> float:
        """The mean of ``masses``."""
        return float(self.masses.mean())

    @cached_property
    def _scale(self) -> tuple[str, ...] | None:
        """The types in order, or None if there is but the unnamed one and nobody marks an end."""
        declared = next((text.types for text in self._texts if text.types_declared and text.types != UNTYPED), None)
        if declared is not None:
            return declared
        if all(text.types == UNTYPED for text in self._texts):
            return None if all(text.inner.size == text.boundary_positions.size for text in self._texts) else UNTYPED
        # Where nobody declared any, what occurs is the scale, and a system may know a type more.
        systems = [
            text for by in self.field.systems.values() for one in by.values() for text in streams_of(one).values()
        ]
        return sort_types({name for text in (*self._texts, *systems) for _, name in text.boundaries}) or None

    @cached_property
    def _kinds(self) -> tuple[_Kinds, _Kinds]:
        """The types of every inner boundary of the coders, and of every end of a text (none is a kind there)."""
        code = {name: i for i, name in enumerate(self._scale or UNTYPED)}
        inner: list[tuple[int, ...]] = []
        ends: list[tuple[int, ...]] = []
        for text in self._texts:
            at: dict[int, list[int]] = {}
            for position, name in text.boundaries:
                at.setdefault(position, []).append(code[name])
            ends.append(tuple(sorted(at.pop(text.length, ()))))
            inner += (tuple(sorted(codes)) for codes in at.values())
        return _Kinds(inner), _Kinds(ends)

    def random(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Item -> a segmentation with segments drawn from those of the coders."""
        masses = self.masses
        return self._make(
            lambda units: _fill(units, masses, rng),
            lambda kinds, n: kinds.pool[rng.integers(0, len(kinds.pool), n)] if n else np.empty(0, np.int64),
        )

    def regular(self) -> dict[str, Annotation]:
        """Item -> a boundary every mean segment."""
        return self._make(lambda units: regular_segmentation(units, self.mean_mass).inner, _usual)

    def none(self) -> dict[str, Annotation]:
        """Item -> one segment, without a mark at its end."""
        return self._make(lambda units: np.empty(0, np.int64), None)

    def all(self) -> dict[str, Annotation]:
        """Item -> a boundary at every position."""
        return self._make(lambda units: np.arange(1, units), _usual)

    def _make(self, place: Place, choose: Choose | None) -> dict[str, Annotation]:
        made: dict[str, Annotation] = {}
        for item in sorted(self.field.items):
            model = next(iter(self.field.coders[item].values()))
            streams = {name: self._text(text, place, choose) for name, text in streams_of(model).items()}
            made[item] = streams[""] if isinstance(model, Segmentation) else Dialogue(streams)
        return made

    def _text(self, model: Segmentation, place: Place, choose: Choose | None) -> Segmentation:
        # Without the units: they are the coders', and to check them again in every draw takes long.
        positions = np.array(place(model.length), np.int64)
        codes = np.empty(0, np.int64)
        if self._scale is None:
            return Segmentation(model.length, positions, codes, UNTYPED)
        if choose is not None:
            inner, ends = self._kinds
            if not len(inner.pool):
                positions = positions[:0]
            kinds = choose(inner, len(positions))
            last = choose(ends, 1)
            sizes = np.concatenate([inner.size[kinds], ends.size[last]])
            codes = np.concatenate([*(inner.codes[k] for k in kinds), *(ends.codes[k] for k in last)], dtype=np.int64)
            positions = np.repeat(np.append(positions, model.length), sizes)
        if len(self._scale) == 1:
            codes = codes[:0]
        return Segmentation(model.length, positions, codes, self._scale)


class _Kinds:
    """What stood at boundaries: kinds, and a pool with each as often as it occurred."""

    def __init__(self, found: list[tuple[int, ...]]) -> None:
        number: dict[tuple[int, ...], int] = {}
        self.pool = np.array([number.setdefault(one, len(number)) for one in sorted(found)], np.int64)
        self.codes = [np.array(one, np.int64) for one in number]
        self.size = np.array([len(one) for one in number], np.int64)


def _usual(kinds: _Kinds, n: int) -> Ints:
    """The kind that occurred most often; of equally many the first."""
    if not len(kinds.pool):
        return np.empty(0, np.int64)
    return np.full(n, np.bincount(kinds.pool).argmax())
