"""Check the sizes that the pages of a Parquet file claim to have, before a page is read.

The header of a page states its size without compression, and pyarrow reserves that memory before it looks at the page: a few
damaged bytes can cost gigabytes. Headers are written in the compact protocol of Apache Thrift
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md); their fields are defined in
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from caesura.errors import FormatError
from caesura.limits import unpacked_bytes

_STOP, _TRUE, _FALSE, _BYTE, _I32, _I64, _DOUBLE, _TEXT, _LIST, _SET, _MAP, _STRUCT = (
    0,
    1,
    2,
    3,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
)
_UNCOMPRESSED, _COMPRESSED = (2, _I32), (3, _I32)
_DATA_HEADERS, _DICTIONARY_HEADER = ((5, _STRUCT), (8, _STRUCT)), (7, _STRUCT)
_NUMBER_OF_VALUES = (1, _I32)
_FIRST_BYTES = 2**10  # of a header; more are read for a longer one
_MAX_HEADER = 2**24
_MAX_DEPTH = 16
_MIN_PAGE = 8  # bytes of the shortest page with its header

# (Number of a field, its type) -> its value: a number, the fields of a structure, or None for what is not needed.
Fields = dict[tuple[int, int], Any]


class _Header:
    """Reads one structure from bytes; raises IndexError at their end and ValueError if they are no structure."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def fields(self, depth: int = 0) -> Fields:
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        fields: Fields = {}
        number = 0
        while (byte := self._byte()) & 15 != _STOP:
            number = number + (byte >> 4) if byte >> 4 else self._number()
            kind = byte & 15
            fields[number, kind] = None if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _byte(self) -> int:
        byte = self.data[self.place]
        self.place += 1
        return byte

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number is too long")

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        if kind == _STRUCT:
            return self.fields(depth + 1)
        if kind in (_LIST, _SET, _MAP):
            return self._skip_values(kind, depth)
        if kind == _I32:  # longer numbers are cut, as pyarrow does
            return (self._number() + 2**31) % 2**32 - 2**31
        if _BYTE < kind <= _I64:
            return self._number()
        sizes = {_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8}
        if kind != _TEXT and kind not in sizes:
            raise ValueError(f"there is no type {kind}")
        size = self._varint() if kind == _TEXT else sizes[kind]  # moves the place itself
        self.place += size
        return None

    def _skip_values(self, kind: int, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        if kind == _MAP:
            size = self._varint()
            kinds = self._byte() if size else 0
            both = [kinds >> 4, kinds & 15]
        else:
            byte = self._byte()
            size = self._varint() if byte >> 4 == 15 else byte >> 4
            both = [byte & 15]
        for _ in range(size):
            for value_kind in both:
                self._value(value_kind, depth + 1)
            if self.place > len(self.data):
                raise IndexError


class PageChecker:
    def __init__(self, path: str, source: Any, file: Any) -> None:
        self.path, self.source, self.file = path, source, file
        self.size: int = source.size()
        self.limit = unpacked_bytes(self.size)
        self.checked: set[tuple[int, str]] = set()
        self.pages = 0

    def check(self, group: int, columns: Collection[str] | None = None) -> None:
        metadata = self.file.metadata.row_group(group)
        names = [self.file.schema.column(i).path for i in range(metadata.num_columns)]
        wanted = [i for i, name in enumerate(names) if columns is None or name.partition(".")[0] in columns]
        wanted = [i for i in wanted if (group, names[i]) not in self.checked]
        # The description of a damaged column would crash the process. Reading zero rows raises an error first.
        next(self.file.reader.iter_batches(0, row_groups=[group], column_indices=wanted, use_threads=False), None)
        for i in wanted:
            self.checked.add((group, names[i]))
            self._check_column(f"row group {group}, column {names[i]!r}", metadata.column(i))

    def _check_column(self, what: str, column: Any) -> None:
        place: int = column.data_page_offset
        if column.has_dictionary_page and 0 < column.dictionary_page_offset < place:
            place = column.dictionary_page_offset
        end = min(place + column.total_compressed_size, self.size)
        values = 0
        while values < column.num_values and 0 <= place < end:
            self.pages += 1
            if self.pages * _MIN_PAGE > self.size + _FIRST_BYTES:
                raise self._error(f"{what}: expected each page once; columns share pages")
            header_size, header = self._header(what, place, end)
            values += self._check_page(what, header)
            place += header_size + int(header[_COMPRESSED])

    def _header(self, what: str, place: int, end: int) -> tuple[int, Fields]:
        size = _FIRST_BYTES
        while True:
            self.source.seek(place)
            header = _Header(self.source.read(min(size, end - place)))
            try:
                fields = header.fields()
                if header.place > len(header.data):
                    raise IndexError
                return header.place, fields
            except ValueError as problem:
                raise self._error(f"{what}: the header of a page is damaged: {problem}") from None
            except IndexError:
                if place + size >= end or size >= _MAX_HEADER:
                    raise self._error(f"{what}: the header of a page has no end") from None
                size *= 2**7

    def _check_page(self, what: str, header: Fields) -> int:
        size, packed = header.get(_UNCOMPRESSED), header.get(_COMPRESSED)
        if size is None or packed is None or size < 0 or packed < 0:
            raise self._error(f"{what}: the header of a page has no valid size")
        if size > self.limit:
            problem = f"expected pages of at most {self.limit:,} bytes without compression; one claims to have {size:,}"
            raise self._error(f"{what}: {problem}")
        names = header.get(_DICTIONARY_HEADER, {}).get(_NUMBER_OF_VALUES, 0)
        if names > size:
            raise self._error(f"{what}: a dictionary of {size:,} bytes claims to have {names:,} values")
        return max(0, *(int(header.get(key, {}).get(_NUMBER_OF_VALUES, 0)) for key in _DATA_HEADERS))

    def _error(self, problem: str) -> FormatError:
        return FormatError(self.path, None, f"not valid Parquet: {problem}")
