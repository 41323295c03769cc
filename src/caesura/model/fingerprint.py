"""Fingerprints: a short text that is equal for equal data, whatever the file format, order and path.

The fingerprint covers what measures compare: the names of items and coders, the number of units (or the times, in
seconds), the boundaries with their types, and the spans with their levels, labels and categories. It does not cover the words
of the text, the segment labels of a linear segmentation, and the order of the type scale, which signatures name separately.

- Names are compared in Unicode normalization form C, so that a file name from macOS equals one from Linux.
- A single item or a single coder has no name, because the name usually is that of the file.
- Times are rounded to microseconds; 3 and 3.0 are equal. A corpus that was converted to common units has the fingerprint of the
  times, see :attr:`caesura.Corpus.origin`.
- The digests of the items are added, so that items can be read in any order, in parts, and without keeping them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from hashlib import blake2b
from operator import itemgetter
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from caesura.model.dialogue import Annotation
from caesura.model.documents import Documents
from caesura.model.hierarchy import Hierarchy
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import MAX_SECONDS

_MODULUS = 1 << 128
_MICROSECONDS = 1e6
_WHOLE, _FLOAT = np.dtype("<i8"), np.dtype("<f8")
_length = struct.Struct("<q").pack
_two_lengths = struct.Struct("<qq").pack
_first = itemgetter(0)


@dataclass(frozen=True, slots=True)
class DigestSum:
    """Sum of the digests of items, from which a fingerprint is made. Sums can be added in any order."""

    items: int = 0
    total: int = 0  # sum of the digests, modulo 2^128
    nameless: int = 0  # sum of the digests without the names of the items

    def __add__(self, other: DigestSum) -> DigestSum:
        total, nameless = self.total + other.total, self.nameless + other.nameless
        return DigestSum(self.items + other.items, total % _MODULUS, nameless % _MODULUS)

    @property
    def fingerprint(self) -> str:
        total = self.nameless if self.items == 1 else self.total
        return blake2b(struct.pack("<q", self.items) + total.to_bytes(16, "little"), digest_size=8).hexdigest()


def fingerprint_of(items: Iterable[tuple[str, Mapping[str, Annotation]]]) -> str:
    listed = list(items)
    coders = {coder for _, by_coder in listed for coder in by_coder}
    return digest_sum(listed, single_coder=len(coders) == 1).fingerprint


def digest_sum(items: Iterable[tuple[str, Mapping[str, Annotation]]], *, single_coder: bool = False) -> DigestSum:
    names: dict[str, bytes] = {}  # of the coders, in their framed form
    digests = []
    for item, by_coder in items:
        pieces = []
        for coder, annotation in by_coder.items():
            if coder not in names:
                names[coder] = _framed(b"" if single_coder else _name(coder))
            pieces.append((names[coder][8:], names[coder] + _framed(content_bytes(annotation))))
        pieces.sort(key=_first)
        digests.append((item, b"".join([piece for _, piece in pieces])))
    return _add(digests)


def _add(contents: Iterable[tuple[str, bytes]]) -> DigestSum:
    number = total = nameless = 0
    for item, content in contents:
        digest = blake2b(content, digest_size=16).digest()
        number += 1
        nameless += int.from_bytes(digest, "little")
        total += int.from_bytes(blake2b(digest + _name(item), digest_size=16).digest(), "little")
    return DigestSum(number, total % _MODULUS, nameless % _MODULUS)


def column_digests(documents: Documents, places: Iterable[int]) -> DigestSum:
    """Return the sum of the digests of documents that are stored as columns, without one object per document."""
    items = list(documents.items)
    if documents.typed:
        return pair_digests((items[place], documents.pair(place)) for place in places)
    sides = [
        (_framed(name), column.offsets.tolist(), memoryview(_little(column.positions)))
        for name, column in ((b"hypothesis", documents.hypothesis), (b"reference", documents.reference))
    ]
    lengths = documents.length.tolist()

    def contents() -> Iterator[tuple[str, bytes]]:
        for d in places:
            pieces: list[bytes | memoryview] = []
            for name, offsets, positions in sides:
                first, last = offsets[d], offsets[d + 1]
                head = b"s" + _two_lengths(lengths[d], last - first)
                pieces += [name, _length(len(head) + 8 * (last - first)), head, positions[8 * first : 8 * last]]
            yield items[d], b"".join(pieces)

    return _add(contents())


def fingerprint_of_pairs(pairs: Mapping[str, tuple[Any, Any]]) -> str:
    """Return the fingerprint of references and hypotheses; the names of the two coders do not count."""
    return pair_digests(pairs.items()).fingerprint


def pair_digests(pairs: Iterable[tuple[str, tuple[Any, Any]]]) -> DigestSum:
    return digest_sum((item, {"reference": pair[0], "hypothesis": pair[1]}) for item, pair in pairs)


def _name(text: str) -> bytes:
    return (text if text.isascii() else normalize("NFC", text)).encode("utf-8", "surrogatepass")


def _little(numbers: NDArray[Any]) -> bytes:
    """Return whole or floating-point numbers of 64 bits as bytes, the same on every machine."""
    return numbers.astype(_FLOAT if numbers.dtype.kind == "f" else _WHOLE, copy=False).tobytes()


def _framed(content: bytes) -> bytes:
    """Return bytes with their number in front, so that no two lists of contents have the same bytes."""
    return _length(len(content)) + content


def _texts(texts: Iterable[str | None]) -> bytes:
    return b"".join(b"-" if text is None else _framed(_name(text)) for text in texts)


def numbers_bytes(numbers: Iterable[int]) -> bytes:
    listed = list(numbers)
    if any(abs(number) >= 2**63 for number in listed):
        return b"n" + repr(listed).encode()
    return struct.pack(f"<q{len(listed)}q", len(listed), *listed)


def _microseconds(time: float) -> int:
    """Return a time in whole microseconds; beyond all clocks, they may be too many for a floating-point number."""
    return round(time * _MICROSECONDS) if abs(time) <= MAX_SECONDS else int(time) * 10**6


def _times(times: Iterable[float]) -> bytes:
    return numbers_bytes(map(_microseconds, times))


@singledispatch
def content_bytes(annotation: Any) -> bytes:
    if isinstance(annotation, Mapping):
        streams = sorted(((_name(name), entry) for name, entry in annotation.items()), key=_first)
        if [name for name, _ in streams] == [b""]:  # a text without streams, as measures receive it
            return content_bytes(streams[0][1])
        return b"d" + b"".join(_framed(name) + _framed(content_bytes(stream)) for name, stream in streams)
    raise TypeError(f"expected an annotation; got {type(annotation).__name__}")


@content_bytes.register
def _segmentation(annotation: Segmentation) -> bytes:
    positions = annotation.boundary_positions
    head = b"s" + _two_lengths(annotation.length, positions.size)
    if annotation.types == UNTYPED or not positions.size:
        return head + _little(positions)
    ranks, framed = _type_names(annotation.types)
    codes = annotation.codes.tolist()
    if positions.size > 1 and (positions[1:] == positions[:-1]).any():  # several types at a position
        entries = sorted((place, ranks[code], code) for place, code in zip(positions.tolist(), codes, strict=True))
        codes = [code for _, _, code in entries]
    return head + _little(positions) + b"".join([framed[code] for code in codes])


@lru_cache(1024)
def _type_names(types: tuple[str, ...]) -> tuple[list[int], list[bytes]]:
    """Return the place of each type in alphabetical order, and its name as bytes."""
    names = [normalize("NFC", name) for name in types]
    order = {name: rank for rank, name in enumerate(sorted(set(names)))}
    return [order[name] for name in names], [_framed(_name(name)) for name in names]


@content_bytes.register
def _(annotation: Hierarchy) -> bytes:
    if annotation.edges is None:
        head = b"h" + numbers_bytes((annotation.length, annotation.extent))
        rows = sorted((span.start, span.end, span.level, span.label or "") for span in annotation.spans)
    else:
        head, ranges = b"H" + _times(annotation.axis.extent), annotation.ranges
        rows = sorted((_microseconds(a), _microseconds(b), level, label or "") for a, b, label, level in ranges)
    return head + numbers_bytes(x for row in rows for x in row[:3]) + _texts(row[3] for row in rows)


@content_bytes.register
def _(annotation: Tree) -> bytes:
    times = () if annotation.times is None else annotation.times.reshape(-1).tolist()
    numbers = [len(annotation.words), *annotation.start.tolist(), *annotation.end.tolist()]
    return b"t" + numbers_bytes(numbers) + _texts(annotation.labels) + _times(times)


@content_bytes.register
def _(annotation: Spans) -> bytes:
    bounds, starts, ends = annotation.bounds, annotation.starts, annotation.ends
    positions = np.concatenate([starts, ends] if bounds is None else [np.array(bounds), starts, ends])
    seconds = annotation.axis == "seconds"
    rounded = np.round(positions * _MICROSECONDS) + 0.0 if seconds else positions + 0.0  # -0.0 equals 0.0
    head = (b"P" if seconds else b"p") + _two_lengths(0 if bounds is None else len(bounds), len(annotation))
    return head + _little(rounded) + b"".join(map(_category, annotation.categories))


@lru_cache(1024)
def _category(name: str | None) -> bytes:
    return b"-" if name is None else b"+" + _framed(_name(name))


@content_bytes.register
def _(annotation: BoundaryScores) -> bytes:
    times = () if annotation.times is None else annotation.times.tolist()
    return b"b" + _length(len(annotation)) + _little(annotation.scores + 0.0) + _times(times)  # -0.0 equals 0.0


@content_bytes.register
def _(annotation: Tier) -> bytes:
    points = annotation.points or ()
    rows = [
        _times(time for interval in annotation.intervals for time in interval[:2]),
        _texts(interval.label for interval in annotation.intervals),
        _times(point.time for point in points),
        _texts(point.label for point in points),
        _times(time for word in annotation.words or () for time in word[:2]),
    ]
    return b"i" + _times((annotation.begin, annotation.end)) + b"".join(rows)
