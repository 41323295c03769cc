"""Helpers of the Parquet formats: open and write files, and convert Arrow columns into Python or numpy values.

pyarrow is an optional dependency and slow to import, so ``pa``, ``pc`` and ``pq`` import it on first use.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError
from caesura.model.index import flatnonzero

__all__ = ["CONTENT_KEY", "pa", "pc", "pq"]  # otherwise type checkers treat imported names as private

# Key in the metadata of a Parquet file that is a result, and no input.
CONTENT_KEY = b"caesura.content"


class _LazyModule:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self.name), attribute)


if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
else:
    pa, pc, pq = map(_LazyModule, ("pyarrow", "pyarrow.compute", "pyarrow.parquet"))


def require_pyarrow(path: str, action: str) -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise FormatError(path, None, f"{action} this needs pyarrow; run pip install 'caesura[parquet]'") from None


@contextmanager
def reading_errors(path: str) -> Iterator[None]:
    """Turn errors that Arrow raises inside a ``with`` block into a ``FormatError``."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as problem:
        if isinstance(problem, CaesuraError):
            raise
        reason = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise FormatError(path, None, f"not valid Parquet: {reason}") from None


def to_parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, write_page_checksum=True, **options)
    return out.getvalue()


@contextmanager
def writing_errors(path: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError:
        raise FormatError(path, None, "text in UTF-8 cannot contain half a surrogate pair") from None


def is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def to_list(column: pa.Array) -> Sequence[Any]:
    """Return the values of a column. Equal values of a dictionary column share one Python object."""
    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    values = column.dictionary.to_pylist()
    return [None if i is None else values[i] for i in column.indices.to_pylist()]


def to_int64(column: pa.Array) -> NDArray[np.int64]:
    """Return the numbers of a column; 64-bit columns are not copied."""
    if column.type == pa.uint64():
        column = pc.min_element_wise(column, pa.scalar(2**63 - 1, pa.uint64()))
    elif not pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
    if not len(column):
        return np.empty(0, np.int64)
    # The conversion by pyarrow imports pandas if it is installed, which takes longer than to read a file of 1 MB.
    bits = column.type.bit_width
    numbers = np.dtype(f"{'i' if pa.types.is_signed_integer(column.type) else 'u'}{bits // 8}")
    values = np.frombuffer(column.buffers()[1], numbers, len(column), column.offset * numbers.itemsize)
    return values.astype(np.int64, copy=False)


def null_places(column: pa.Array) -> NDArray[np.int64]:
    if not column.null_count:
        return np.empty(0, np.int64)
    return flatnonzero(column.is_null().to_numpy(zero_copy_only=False))


def without_nulls(column: pa.Array) -> pa.Array:
    return column.fill_null(0) if column.null_count else column


def combined(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def type_codes(names: pa.Array, offsets: NDArray[np.int64], types: list[str]) -> NDArray[np.int64]:
    if not pa.types.is_dictionary(names.type):
        names = names.dictionary_encode()
    codes = to_int64(without_nulls(names.indices))
    # A dictionary may have texts that do not occur in these rows, or in no row at all.
    occurring = np.unique(codes[offsets[0] : offsets[-1]])
    place_of = {name: i for i, name in enumerate(types)}
    places = np.zeros(max(len(names.dictionary), 1), np.int64)
    for i in occurring[occurring < len(names.dictionary)].tolist():
        places[i] = place_of.setdefault(names.dictionary[i].as_py() or "", len(place_of))
    types[:] = place_of
    return places[codes]
