"""Write the scores of all documents as Parquet, one file per partition; each file is complete or absent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from caesura.engines import has_begun
from caesura.errors import OptionError
from caesura.files import delete_drafts, file_digest, is_draft, new_file
from caesura.formats.arrow import CONTENT_KEY
from caesura.measures.base import Measure
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.value import Floats


def prepare_score_folder(folder: str, checkpoint: str | PathLike[str] | None, partitions: int | None) -> None:
    """Make an empty folder for the scores, or clean the folder that an earlier run began."""
    path = Path(folder)
    if find_spec("pyarrow") is None:
        raise OptionError("scores: writing them needs pyarrow; run pip install 'caesura[parquet]'")
    try:
        path.mkdir(parents=True, exist_ok=True)
        delete_drafts(path)
        names = sorted(entry.name for entry in path.iterdir() if not is_draft(entry.name))
    except OSError as error:
        raise OptionError(f"scores: {folder} cannot be used: {error.strerror}") from None
    # In this order: another run with the same checkpoint begins it before it writes scores.
    if names and not (checkpoint is not None and has_begun(checkpoint)):
        raise OptionError(f"scores: the folder must be empty; {folder} contains {names[0]}")
    foreign = [] if partitions is None else sorted({*names} - {*map(_file_name, range(partitions))})
    if foreign:
        raise OptionError(f"scores: {folder} contains {foreign[0]}, which the earlier run did not write; remove it")


def _file_name(number: int) -> str:
    return f"part-{number:05}.parquet"


class _Unfinished(Exception):  # noqa: N818 - never leaves this module
    """Ends the writing of a file so that its draft is deleted."""


class ScoreFile:
    """Writer of the document scores of one partition, batch by batch, to a file such as ``part-00000.parquet``."""

    # The columns are ``item``, ``row`` (its row in the file), and one column per measure (null if there is no value).

    def __init__(self, folder: str, measures: tuple[Measure, ...], number: int) -> None:
        self.folder = Path(folder)
        self.path = self.folder / _file_name(number)
        self.names = [repr(measure) for measure in measures]
        self._writer: Any = None
        self._stack = ExitStack()

    def add(self, chunk: Documents | DocumentPairs, columns: list[Floats]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        values = {
            name: pa.array(column, mask=np.isnan(column)) for name, column in zip(self.names, columns, strict=True)
        }
        rows = pa.array(np.array(chunk.rows, np.int64))
        items = [item.encode("utf-8", "backslashreplace").decode() for item in chunk.items]  # half a surrogate pair
        table = pa.table({"item": pa.array(items, pa.string()), "row": rows, **values})
        table = table.replace_schema_metadata({CONTENT_KEY: b"scores"})
        with self._writing():
            if self._writer is None:
                draft = self._stack.enter_context(new_file(self.path))
                self._writer = pq.ParquetWriter(draft, table.schema, write_page_checksum=True)
            self._writer.write_table(table)

    def close(self) -> None:
        with self._writing():
            if self._writer is None:  # nothing to write: a file of an earlier run would be wrong
                self.path.unlink(missing_ok=True)
            else:
                self._writer.close()
                self._writer = None
                self._stack.close()

    def discard(self) -> None:
        """Delete the file of a partition that could not be read to its end."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
            with suppress(OSError, _Unfinished), self._stack:
                raise _Unfinished

    def digest(self) -> str | None:
        try:
            return file_digest(self.path)
        except OSError:
            return None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OptionError(f"scores: {self.folder} cannot be written: {error.strerror or error}") from None
