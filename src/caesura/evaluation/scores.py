"""The score of every document, as Parquet: a file a partition, which is there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.model.documents import DocumentPairs, Documents

__all__ = ["ScoreFile", "make_folder"]

Floats = NDArray[np.float64]


def make_folder(folder: str, *, resumed: bool) -> None:
    """An empty folder for the scores; or the one that an earlier run began, without what it left unfinished."""
    path = Path(folder)
    if find_spec("pyarrow") is None:
        raise OptionError("scores: writing them needs pyarrow; install caesura[parquet]")
    try:
        path.mkdir(parents=True, exist_ok=True)
        there = sorted(one.name for one in path.iterdir())
    except OSError as problem:
        raise OptionError(f"scores: {folder} cannot be used: {problem.strerror}") from None
    if there and not resumed:
        raise OptionError(f"scores: an empty folder is needed; {folder} holds {there[0]}")
    for name in there:
        if name.startswith(".part-"):  # of a worker that did not come to its end
            (path / name).unlink(missing_ok=True)


class ScoreFile:
    """The scores of every document of a partition, written to Parquet batch by batch: ``part-00000.parquet``.

    Columns: ``item``, ``row`` (in its file), and one for each measure, null where it has no value.
    """

    def __init__(self, folder: str, measures: tuple[Measure, ...]) -> None:
        self.folder = Path(folder)
        self.names = [repr(one) for one in measures]
        self._writer: Any = None
        self._path = self.folder / f".part-{os.getpid()}-{id(self):x}.parquet"

    def add(self, chunk: Documents | DocumentPairs, columns: list[Floats]) -> None:
        """A batch."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        values = {
            name: pa.array(column, mask=np.isnan(column)) for name, column in zip(self.names, columns, strict=True)
        }
        rows = pa.array(
            list(chunk.rows) if not isinstance(chunk.rows, range) else np.arange(chunk.rows.start, chunk.rows.stop),
            pa.int64(),
        )
        items = [item.encode("utf-8", "backslashreplace").decode() for item in chunk.items]  # half a surrogate pair
        table = pa.table({"item": pa.array(items, pa.string()), "row": rows, **values})
        with self._told():
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._path, table.schema, write_page_checksum=True)
            self._writer.write_table(table)

    def close(self, number: int) -> None:
        """The partition is done."""
        if self._writer is not None:
            with self._told():
                self._writer.close()
                os.replace(self._path, self.folder / f"part-{number:05}.parquet")
            self._writer = None

    def discard(self) -> None:
        """Nothing stays of a partition that broke off."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
            self._path.unlink(missing_ok=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise OptionError(f"scores: {self.folder} cannot be written: {problem.strerror or problem}") from None
