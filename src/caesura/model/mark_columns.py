"""Boundaries as columns: with types, with the number of coders who marked them, or with the scores of a program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.model.annotation import HAS_COUNTS, HAS_NO_TYPES, HAS_SCORES
from caesura.model.index import flatnonzero, repeat
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints

EMPTY = np.empty(0, np.int64)


class Boundaries(NamedTuple):
    """Places and types of boundaries; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    place: Ints
    code: Ints  # index into the types; empty if there is one type only
    off: Ints

    @property
    def count(self) -> Ints:  # type: ignore[override]  # nobody counts the entries of the tuple
        return np.asarray(self.off[1:] - self.off[:-1], np.int64)  # np.diff takes longer than counting a short text

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.count)


class Weights(NamedTuple):
    """Boundaries with numbers; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    place: Ints
    weight: Floats  # number of coders who marked it, or its score; 1 in an annotation without such numbers
    off: Ints

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), np.diff(self.off))


class MarkColumns:
    """The columns of a table that contain marks."""

    annotations: Sequence[Any]
    all_places: Any

    def __len__(self) -> int:
        raise NotImplementedError  # the table defines it

    def has(self, trait: int) -> NDArray[np.bool_]:
        raise NotImplementedError  # the table defines it

    @cached_property
    def weighted(self) -> Weights:
        """Boundaries with the number of coders who marked them, or with scores."""
        place, _, off = self.all_places
        weight = np.ones(len(place))
        for k in flatnonzero(self.has(HAS_COUNTS)).tolist():
            weight[off[k] : off[k + 1]] = self.annotations[k].position_counts
        for k in flatnonzero(self.has(HAS_SCORES)).tolist():
            weight[off[k] : off[k + 1]] = self.annotations[k].scores
        return Weights(place, weight, off)

    @cached_property
    def coders(self) -> Ints:
        """Number of coders for whom each annotation stands."""
        coders = np.ones(len(self), np.int64)
        for k in flatnonzero(self.has(HAS_COUNTS)).tolist():
            coders[k] = self.annotations[k].coders
        return coders

    @cached_property
    def _types(self) -> tuple[list[tuple[str, ...]], Ints]:
        """The distinct lists of types of the texts, and the number of the list of each annotation."""
        if not self.annotations or self.has(HAS_NO_TYPES).all():
            return [UNTYPED], np.zeros(len(self), np.int64)
        numbers: dict[tuple[str, ...], int] = {}
        lists = [numbers.setdefault(getattr(text, "types", UNTYPED), len(numbers)) for text in self.annotations]
        return list(numbers), np.array(lists, np.int64)

    @cached_property
    def _marked(self) -> Boundaries:
        """All boundaries, those at the ends of texts too, with their types as indices into the own types of each text."""
        listed = self.annotations
        texts = [getattr(text, "boundary_positions", EMPTY) for text in listed]
        off, place = offsets([*map(len, texts)]), join_arrays(texts)
        is_typed = any(len(types) > 1 for types in self._types[0])
        codes = (
            [text.codes if len(places) else EMPTY for text, places in zip(listed, texts, strict=True)]
            if is_typed
            else ()
        )
        return Boundaries(place, join_arrays(codes) if is_typed else np.zeros_like(place), off)

    def marked(self, types: tuple[str, ...]) -> Boundaries:
        """All boundaries, those at the ends of texts too, with their types as indices into a scale; -1 for other types."""
        (place, code, off), (lists, number) = self._marked, self._types
        new_codes = [np.array([types.index(name) if name in types else -1 for name in own]) for own in lists]
        if len(lists) == 1:
            return Boundaries(place, new_codes[0][code], off)
        first = offsets([*map(len, lists)])[number]  # place of the first code of each text among all codes
        return Boundaries(place, np.concatenate(new_codes)[code + repeat(first, np.diff(off))], off)

    def types_of(self, rows: Ints) -> set[str]:
        """Return the types that some texts declare, or have by default and use."""
        lists, number = self._types
        untyped, off = lists.index(UNTYPED) if UNTYPED in lists else -1, self._marked.off
        used = number[rows][(off[rows + 1] > off[rows]) | (number[rows] != untyped)]
        return {name for k in set(used.tolist()) for name in lists[k]}


def join_arrays(arrays: Sequence[Ints]) -> Ints:
    """Return the entries of many short arrays; this is five times faster than ``np.concatenate``."""
    return np.frombuffer(b"".join(arrays), np.int64)  # type: ignore[arg-type]  # arrays are buffers


def offsets(sizes: Sequence[int] | Ints) -> Ints:
    """Return the start of each part, followed by the end of the last one."""
    off = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=off[1:])
    return off
