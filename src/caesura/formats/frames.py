"""Data frames of pandas, polars and Arrow as corpora, and corpora as data frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.formats.columns import from_frame
from caesura.formats.format import Reading, Writing
from caesura.formats.spans_csv import spans_table
from caesura.formats.table import PARQUET, read_table
from caesura.formats.unit_table import table_columns
from caesura.model.corpus import Corpus
from caesura.model.segmentation import check_types
from caesura.model.spans import Spans

if TYPE_CHECKING:
    import pandas as pd

_NAME = "the data frame"


def read(frame: Any, **options: Any) -> Corpus:
    if not (hasattr(frame, "iloc") or hasattr(frame, "__arrow_c_stream__")):
        kind = type(frame).__name__
        problem = f"expected a path, or a data frame of pandas, polars or Arrow; got {kind}"
        raise OptionError(f"{problem}. To read several files, give their folder or a glob")
    types = options.pop("types", None)
    declared = None if types is None else check_types(types)
    excluded = options.pop("excluded", None)
    reading = Reading(_NAME, "", declared, excluded, PARQUET.resolve(options))
    corpus = read_table(reading, from_frame(frame, _NAME))
    return corpus.with_source(replace(reading.source(PARQUET), format="frame"))


def write(corpus: Corpus) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise OptionError("to_frame needs pandas; install it with `pip install pandas`") from None
    if corpus and all(isinstance(annotation, Spans) for annotation in corpus.values()):
        return _spans_frame(pd, corpus)
    frame = pd.DataFrame(table_columns(Writing(corpus, _NAME, PARQUET.resolve({})), read_table))
    frame["unit"] = frame["unit"].astype(int)
    for coder in corpus.coders:
        cells = frame[coder].replace("NA", pd.NA)
        frame[coder] = cells.astype("Int64") if set(cells.dropna()) <= {"0", "1"} else cells
    return frame


def _spans_frame(pd: Any, corpus: Corpus) -> pd.DataFrame:
    header, *rows = spans_table(Writing(corpus, _NAME, PARQUET.resolve({})))
    frame = pd.DataFrame(rows, columns=header)
    for name in header[2:4]:
        positions = pd.to_numeric(frame[name].replace("", None))
        frame[name] = positions.astype("Int64" if name in ("start", "end") else "float64")
    return frame.replace({"label": {"": None}})
