"""From pairs of texts, each one or several streams of typed boundaries, to the flat arrays that the kernels take.

The streams of a dialogue are laid end to end in one document. Between two of them stands a border, a boundary at a
position of its own that both sides carry, with a code past the last type: it cuts off what lies before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.batch import Batch, Comparison, join_arrays, pair_problem
from caesura.model.segmentation import UNTYPED, Segmentation

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Streams:
    """The names and lengths of the streams of one document; a plain ``Segmentation`` is one stream without a name."""

    names: tuple[str | None, ...]
    lengths: tuple[int, ...]

    def places(self) -> Iterator[tuple[str | None, int, int]]:
        """Each stream's name, and where it begins and ends: position p of it is ``begin + p`` in the arrays."""
        begin = 0
        for name, length in zip(self.names, self.lengths, strict=True):
            yield name, begin, begin + length
            begin += length + 1


@dataclass(frozen=True, slots=True)
class StreamBatch(Batch):
    """A batch that knows the streams of its documents."""

    streams: tuple[Streams, ...] = ()

    def take(self, documents: Ints) -> StreamBatch:
        """Only these documents, copied together."""
        b = Batch.take(self, documents)
        streams = tuple(self.streams[d] for d in documents.tolist())
        return StreamBatch(b.length, b.a_pos, b.a_code, b.a_off, b.b_pos, b.b_code, b.b_off, b.types, streams)


Aligned = list[tuple[str | None, Segmentation, Segmentation]]


def pack_streams(
    pairs: Sequence[Comparison], sides: tuple[str, str], types: tuple[str, ...], closed: bool
) -> tuple[StreamBatch, Ints, dict[int, CaesuraError]]:
    """The batch of all pairs that can be compared, their places in ``pairs``, and what is wrong with the others.

    Codes are places in ``types``; with ``closed`` a boundary of another type is an error, else ``types`` is added to.
    """
    errors: dict[int, CaesuraError] = {}
    sound: list[int] = []
    texts: list[Aligned] = []
    for i, pair in enumerate(pairs):
        try:
            texts.append(_streams(pair, sides))
            sound.append(i)
        except MismatchError as error:
            errors[i] = error
    scale = types if closed else _union(texts, types)
    coder = _coder(scale)
    sides_pos: tuple[list[Ints], list[Ints]] = ([], [])
    sides_code: tuple[list[Ints], list[Ints]] = ([], [])
    good: list[int] = []
    kept: list[Streams] = []
    for i, text in zip(sound, texts, strict=True):
        try:
            laid = [coder.lay(text, side, sides[side]) for side in (0, 1)]
        except MismatchError as error:
            errors[i] = error
            continue
        for side, (positions, codes) in enumerate(laid):
            sides_pos[side].append(positions)
            sides_code[side].append(codes)
        good.append(i)
        kept.append(Streams(tuple(name for name, _, _ in text), tuple(a.length for _, a, _ in text)))
    length = np.array([sum(one.lengths) for one in kept], np.int64)
    (a, b), (a_code, b_code) = sides_pos, sides_code
    batch = StreamBatch(
        length,
        join_arrays(a),
        join_arrays(a_code),
        _ends(a),
        join_arrays(b),
        join_arrays(b_code),
        _ends(b),
        scale,
        tuple(kept),
    )
    return batch, np.array(good, np.int64), errors


def _ends(arrays: list[Ints]) -> Ints:
    return np.array([0, *accumulate(map(len, arrays))], np.int64)


def _streams(pair: Any, sides: tuple[str, str]) -> Aligned:
    """The pair stream by stream."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        raise MismatchError(f"a pair of segmentations is needed; got {type(pair).__name__}") from None
    if not isinstance(a, Mapping) and not isinstance(b, Mapping):
        return [_stream(None, a, b, sides)]
    for side, one, other in ((sides[0], a, b), (sides[1], b, a)):
        if not isinstance(one, Mapping):
            raise MismatchError(
                f"{side}: a mapping from streams to segmentations is needed, as the other side has {_listed(other)}; "
                f"got {type(one).__name__}"
            )
        if not one:
            raise MismatchError(f"{side}: a dialogue has at least one stream; got none")
        missing = [name for name in other if name not in one]
        if missing:
            raise MismatchError(f"{side}: no stream {_listed(missing)}, as the other side has; it has {_listed(one)}")
    return [_stream(str(name), a[name], b[name], sides) for name in a]


def _stream(name: str | None, a: Any, b: Any, sides: tuple[str, str]) -> tuple[str | None, Segmentation, Segmentation]:
    if (
        type(a) is not Segmentation
        or type(b) is not Segmentation
        or a.length != b.length
        or (a.units is not b.units and a.units is not None and b.units is not None)
    ):
        problem = pair_problem((a, b), sides)
        if problem is not None:
            raise MismatchError(problem if name is None else f"stream {name!r}: {problem}")
    return name, a, b


def _listed(names: Any) -> str:
    return ", ".join(repr(str(name)) for name in names) or "none"


def _union(texts: list[Aligned], types: tuple[str, ...]) -> tuple[str, ...]:
    """All types that were declared or occur, and those the similarity names, in alphabetical order."""
    scales = {
        one.types
        for text in texts
        for _, *both in text
        for one in both
        if one.boundary_positions.size or one.types != UNTYPED
    }
    if not types and len(scales) == 1:
        return tuple(sorted(*scales))
    return tuple(sorted({name for scale in scales for name in scale}.union(types)))


class _Coder:
    """Turns the types of segmentations into places on one scale."""

    def __init__(self, scale: tuple[str, ...]) -> None:
        self.scale = scale
        self.place = {name: i for i, name in enumerate(scale)}
        self.tables: dict[tuple[str, ...], tuple[Ints, bool, bool]] = {}

    def table(self, types: tuple[str, ...]) -> tuple[Ints, bool, bool]:
        """The new code of each type (-1: unknown), whether nothing changes, and whether all are known."""
        found = self.tables.get(types)
        if found is None:
            codes = [self.place.get(name, -1) for name in types]
            found = np.array(codes, np.int64), codes == list(range(len(codes))), -1 not in codes
            if len(self.tables) < 1000:
                self.tables[types] = found
        return found

    def lay(self, text: Aligned, side: int, who: str) -> tuple[Ints, Ints]:
        """One side of a text: positions and codes, streams end to end."""
        if len(text) == 1:
            name, *both = text[0]
            mine, kinds = self.code(both[side], name, who)
            if len(both[side].types) > 1 and (mine[1:] == mine[:-1]).any():
                raise self.crowded(text, side, who)
            return mine, kinds
        positions: list[Ints] = []
        codes: list[Ints] = []
        begin = 0
        border = np.array([len(self.scale)], np.int64)
        for k, (name, *both) in enumerate(text):
            if k:
                positions.append(np.array([begin], np.int64))
                codes.append(border)
            one = both[side]
            mine, kinds = self.code(one, name, who)
            positions.append(mine + begin if begin else mine)
            codes.append(kinds)
            begin += one.length + 1
        laid = np.concatenate(positions)
        if (laid[1:] == laid[:-1]).any():
            raise self.crowded(text, side, who)
        return laid, np.concatenate(codes)

    def code(self, one: Segmentation, stream: str | None, who: str) -> tuple[Ints, Ints]:
        """The boundaries of one stream."""
        table, same, known = self.table(one.types)
        positions, codes = one.boundary_positions, one.codes
        if len(one.types) == 1:
            if not known and positions.size:
                raise self.strange(one, stream, who)
            return positions, np.full(positions.size, table[0])
        if same:
            return positions, codes
        codes = table[codes]
        if not known and (codes < 0).any():
            raise self.strange(one, stream, who)
        return positions, codes

    def crowded(self, text: Aligned, side: int, who: str) -> MismatchError:
        """The complaint about the first position with two types."""
        for stream, *both in text:
            at: dict[int, list[str]] = {}
            for position, name in both[side].boundaries:
                at.setdefault(position, []).append(repr(name))
            for position, names in at.items():
                if len(names) > 1:
                    return MismatchError(
                        f"{_where(who, stream)}: a position may carry one type only; "
                        f"got {' and '.join(names)} at position {position}"
                    )
        raise AssertionError("no position has two types")

    def strange(self, one: Segmentation, stream: str | None, who: str) -> MismatchError:
        """The complaint about the first boundary of an unknown type."""
        position, name = next((p, name) for p, name in one.boundaries if name not in self.place)
        return MismatchError(
            f"{_where(who, stream)}: type {name!r} at position {position} is not in the similarity matrix; "
            f"it has {', '.join(map(repr, self.scale))}"
        )


@lru_cache(64)
def _coder(scale: tuple[str, ...]) -> _Coder:
    return _Coder(scale)


def _where(who: str, stream: str | None) -> str:
    return who if stream is None else f"{who}, stream {stream!r}"
