"""Batches of pairs of texts with one or several streams of typed boundaries.

A document contains the streams of a dialogue one after another. Two streams are separated by a border: a boundary at an
extra position on both sides, whose code follows that of the last type. No pair crosses a border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.batch import Batch, Comparison, Packed, join_boundaries, pair_problem
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.value import Ints

T = TypeVar("T")
R = TypeVar("R")

_MAX_TABLES = 1000


@dataclass(frozen=True, slots=True)
class StreamLayout:
    """Names and lengths of the streams of a document; a ``Segmentation`` is one stream without a name."""

    names: tuple[str | None, ...]
    lengths: tuple[int, ...]  # number of units of each stream

    def places(self) -> Iterator[tuple[str | None, int, int]]:
        """Yield the name, begin and end of each stream: its position p is ``begin + p`` in the arrays."""
        begin = 0
        for name, length in zip(self.names, self.lengths, strict=True):
            yield name, begin, begin + length
            begin += length + 1


@dataclass(frozen=True, slots=True)
class StreamBatch(Batch):
    streams: tuple[StreamLayout, ...] = ()  # the streams of each document
    document_fields = ("streams",)


# Name and both sides of each stream.
StreamPairs = list[tuple[str | None, Segmentation, Segmentation]]


def pack_streams(
    pairs: Sequence[Comparison], sides: tuple[str, str], types: tuple[str, ...], fixed_types: bool
) -> Packed[StreamBatch]:
    errors: dict[int, CaesuraError] = {}
    texts = valid_results(lambda pair: stream_pairs(pair, sides), dict(enumerate(pairs)), errors)
    scale = types if fixed_types else _all_types(list(texts.values()), types)
    coder = _type_coder(scale)
    encoded = valid_results(
        lambda text: (coder.encode(text, 0, sides[0]), coder.encode(text, 1, sides[1])), texts, errors
    )
    layouts = tuple(
        StreamLayout(tuple(name for name, _, _ in texts[place]), tuple(a.length for _, a, _ in texts[place]))
        for place in encoded
    )
    length = np.array([sum(layout.lengths) for layout in layouts], np.int64)
    arrays = [join_boundaries([both[side] for both in encoded.values()]) for side in (0, 1)]
    batch = StreamBatch(length, *arrays[0], *arrays[1], scale, layouts)
    return batch, np.array(list(encoded), np.int64), errors


def valid_results(function: Callable[[T], R], values: Mapping[int, T], errors: dict[int, CaesuraError]) -> dict[int, R]:
    """Return the results of a function for several values."""
    results = {}
    for place, value in values.items():
        try:
            results[place] = function(value)
        except MismatchError as error:
            errors[place] = error
    return results


def stream_pairs(pair: Any, sides: tuple[str, str], *, tiers: bool = False) -> StreamPairs:
    try:
        a, b = pair
    except (TypeError, ValueError):
        raise MismatchError(f"expected a pair of segmentations; got {type(pair).__name__}") from None
    if not isinstance(a, Mapping) and not isinstance(b, Mapping):
        return [_check_stream(None, a, b, sides, tiers)]
    for side, text, other_text in ((sides[0], a, b), (sides[1], b, a)):
        if not isinstance(text, Mapping):
            raise MismatchError(
                f"{side}: expected a mapping from streams to segmentations, because the other side has "
                f"{_quoted(other_text)}; got {type(text).__name__}"
            )
        if not text:
            raise MismatchError(f"{side}: a dialogue must have at least one stream; got none")
    for side, text, other_text in ((sides[0], a, b), (sides[1], b, a)):
        missing = [name for name in other_text if name not in text]
        if missing:
            raise MismatchError(
                f"{side}: no stream {_quoted(missing)}, which the other side has; it has {_quoted(text)}"
            )
    return [_check_stream(str(name), a[name], b[name], sides, tiers) for name in a]


def _check_stream(name: str | None, a: Any, b: Any, sides: tuple[str, str], tiers: bool) -> tuple[str | None, Any, Any]:
    if tiers and type(a) is Tier and type(b) is Tier:
        return name, a, b
    if (
        type(a) is not Segmentation
        or type(b) is not Segmentation
        or a.length != b.length
        or (a.units is not b.units and a.units is not None and b.units is not None)
    ):
        problem = pair_problem(a, b, sides)
        if problem is not None:
            raise MismatchError(problem if name is None else f"stream {name!r}: {problem}")
    return name, a, b


def _quoted(names: Any) -> str:
    return ", ".join(repr(str(name)) for name in names) or "none"


def _all_types(texts: list[StreamPairs], types: tuple[str, ...]) -> tuple[str, ...]:
    """Return all types that are declared, that occur or that the similarity names, in alphabetical order."""
    scales = {
        segmentation.types
        for text in texts
        for _, *both in text
        for segmentation in both
        if segmentation.boundary_positions.size or segmentation.types != UNTYPED
    }
    if not types and len(scales) == 1:
        return tuple(sorted(*scales))
    return tuple(sorted({name for scale in scales for name in scale}.union(types)))


class _TypeCoder:
    """Converts the types of segmentations into indices on a common scale."""

    def __init__(self, scale: tuple[str, ...]) -> None:
        self.scale = scale
        self.place = {name: i for i, name in enumerate(scale)}
        self.tables: dict[tuple[str, ...], tuple[Ints, bool, bool]] = {}

    def table(self, types: tuple[str, ...]) -> tuple[Ints, bool, bool]:
        """Return the new code of each type (-1: unknown), whether no code changes, and whether all types are known."""
        table = self.tables.get(types)
        if table is None:
            codes = [self.place.get(name, -1) for name in types]
            table = np.array(codes, np.int64), codes == list(range(len(codes))), -1 not in codes
            if len(self.tables) < _MAX_TABLES:
                self.tables[types] = table
        return table

    def encode(self, text: StreamPairs, side: int, side_name: str) -> tuple[Ints, Ints]:
        if len(text) == 1:
            name, *both = text[0]
            positions, codes = self.encode_stream(both[side], name, side_name)
            # If there is only one type, positions are distinct.
            if len(both[side].types) > 1 and (positions[1:] == positions[:-1]).any():
                raise self.two_types_error(text, side, side_name)
            return positions, codes
        all_positions: list[Ints] = []
        all_codes: list[Ints] = []
        begin = 0
        border = np.array([len(self.scale)], np.int64)
        for k, (name, *both) in enumerate(text):
            if k:
                all_positions.append(np.array([begin], np.int64))
                all_codes.append(border)
            positions, codes = self.encode_stream(both[side], name, side_name)
            all_positions.append(positions + begin if begin else positions)
            all_codes.append(codes)
            begin += both[side].length + 1
        positions = np.concatenate(all_positions)
        if (positions[1:] == positions[:-1]).any():
            raise self.two_types_error(text, side, side_name)
        return positions, np.concatenate(all_codes)

    def encode_stream(self, text: Segmentation, stream: str | None, side_name: str) -> tuple[Ints, Ints]:
        new_codes, unchanged, all_known = self.table(text.types)
        positions = text.boundary_positions
        if len(text.types) == 1:
            if not all_known and positions.size:
                raise self.unknown_type_error(text, stream, side_name)
            return positions, np.full(positions.size, new_codes[0])
        if unchanged:
            return positions, text.codes
        codes = new_codes[text.codes]
        if not all_known and (codes < 0).any():
            raise self.unknown_type_error(text, stream, side_name)
        return positions, codes

    def two_types_error(self, text: StreamPairs, side: int, side_name: str) -> MismatchError:
        for stream, *both in text:
            names_at: dict[int, list[str]] = {}
            for position, name in both[side].boundaries:
                names_at.setdefault(position, []).append(repr(name))
            for position, names in names_at.items():
                if len(names) > 1:
                    return MismatchError(
                        f"{_location(side_name, stream)}: a position may have one type only; "
                        f"got {' and '.join(names)} at position {position}"
                    )
        raise AssertionError("no position has two types")

    def unknown_type_error(self, text: Segmentation, stream: str | None, side_name: str) -> MismatchError:
        position, name = next((p, name) for p, name in text.boundaries if name not in self.place)
        return MismatchError(
            f"{_location(side_name, stream)}: type {name!r} at position {position} is not in the similarity matrix; "
            f"it has {', '.join(map(repr, self.scale))}"
        )


_type_coder = lru_cache(64)(_TypeCoder)


def _location(side_name: str, stream: str | None) -> str:
    return side_name if stream is None else f"{side_name}, stream {stream!r}"
