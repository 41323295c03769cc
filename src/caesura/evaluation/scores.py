"""Write the scores of all documents as Parquet, one file per partition; each file is complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.value import Floats


def prepare_score_folder(folder: str, *, resumed: bool) -> None:
    """Make an empty folder for the scores, or clean the folder that an earlier run began.

    Parameters
    ----------
    folder : str
        The folder.
    resumed : bool
        Whether an earlier run may have written there. Its unfinished files are deleted.

    Raises
    ------
    OptionError
        If pyarrow is missing, or the folder cannot be used or is not empty.
    """
    path = Path(folder)
    if find_spec("pyarrow") is None:
        raise OptionError("scores: writing them needs pyarrow; install caesura[parquet]")
    try:
        path.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in path.iterdir())
    except OSError as error:
        raise OptionError(f"scores: {folder} cannot be used: {error.strerror}") from None
    if names and not resumed:
        raise OptionError(f"scores: the folder must be empty; {folder} contains {names[0]}")
    for name in names:
        if name.startswith(".part-"):  # left by a worker that did not finish
            (path / name).unlink(missing_ok=True)


class ScoreFile:
    """Writer of the document scores of one partition, batch by batch, to a file such as ``part-00000.parquet``.

    The columns are ``item``, ``row`` (its row in the file), and one column per measure (null if there is no value).

    Parameters
    ----------
    folder : str
        The folder.
    measures : tuple of Measure
        The measures.
    """

    def __init__(self, folder: str, measures: tuple[Measure, ...]) -> None:
        self.folder = Path(folder)
        self.names = [repr(measure) for measure in measures]
        self._writer: Any = None
        self._path = self.folder / f".part-{os.getpid()}-{id(self):x}.parquet"

    def add(self, chunk: Documents | DocumentPairs, columns: list[Floats]) -> None:
        """Write the scores of a batch.

        Parameters
        ----------
        chunk : Documents or DocumentPairs
            The documents.
        columns : list of arrays
            One array per measure, NaN if a document has no score.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        values = {
            name: pa.array(column, mask=np.isnan(column)) for name, column in zip(self.names, columns, strict=True)
        }
        rows = pa.array(np.array(chunk.rows, np.int64))
        items = [item.encode("utf-8", "backslashreplace").decode() for item in chunk.items]  # half a surrogate pair
        table = pa.table({"item": pa.array(items, pa.string()), "row": rows, **values})
        with self._writing():
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._path, table.schema, write_page_checksum=True)
            self._writer.write_table(table)

    def close(self, number: int) -> None:
        """Finish the file and give it its final name.

        Parameters
        ----------
        number : int
            Number of the partition.
        """
        if self._writer is not None:
            with self._writing():
                self._writer.close()
                os.replace(self._path, self.folder / f"part-{number:05}.parquet")
            self._writer = None

    def discard(self) -> None:
        """Delete the file of a partition that could not be read to its end."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
            self._path.unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OptionError(f"scores: {self.folder} cannot be written: {error.strerror or error}") from None
