"""Annotations of music: .lab files, and the text files of SALAMI.

A .lab file has a segment a line, in seconds, one level a file:

    0.000 12.5 intro
    12.5  31.25 verse

Deeper levels stand in files of their own, the option ``deeper`` names them, the coarsest first:
``read("song_upper.lab", deeper=["song_lower.lab"])``. A file is one coder and one item, both named by the file unless the
options ``item`` and ``coder`` say otherwise.

SALAMI's annotators wrote down where something begins, a time and a list of labels a line:

    0.000000000	Silence
    0.528253968	A, a, Intro, (voice
    14.202154195	b
    238.445691609	End

Capital letters with primes are the upper level and small ones the lower; each lasts until the next on its level. Silence
is on both and End ends both. Other words are functions and instruments, which are no levels, and are not read. The item is
what stands in the file's name before ``_textfile1``, or the name of the folder, and the coder is ``textfile1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import HierarchyError, OptionError
from caesura.formats.format import NUMBER, Format, Reading, decode, load
from caesura.formats.spans import BEYOND, DURATION, REPAIR, SNAP, LeftOut, Row, add_timed, check_time, last_end
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.options import Option

__all__ = ["LAB", "SALAMI"]

_UPPER = re.compile(r"[A-Z]+['\u2019]*")
_LOWER = re.compile(r"[a-z]{1,2}['\u2019]*")
_BOTH = "silence"
_END = "end"


def read(reading: Reading) -> Corpus:
    """One hierarchy: a level from this file, one from each deeper one."""
    rows = _segments(reading, reading.text, 1)
    for level, path in enumerate(reading.options["deeper"], 2):
        beside = Reading(path, decode(path, load(path)))
        rows += _segments(beside, beside.text, level)
    _add(reading, rows, reading.stem, reading.stem).warn()
    return reading.corpus()


def _segments(reading: Reading, lines: str, level: int) -> list[Row]:
    rows = []
    for number, line in enumerate(lines.splitlines(), 1):
        cells = line.split(None, 2)
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) < 2:
            raise reading.error(number, f"a line is start, end and label; got {line.strip()[:40]!r}")
        start, end = _time(reading, number, "start", cells[0]), _time(reading, number, "end", cells[1])
        if start > end:
            raise reading.error(number, f"start must not be after end; got {cells[0][:40]} > {cells[1][:40]}")
        rows.append(Row(start, end, level, cells[2].strip() if len(cells) > 2 else None))
    return rows


def _time(reading: Reading, line: int, name: str, cell: str) -> float:
    known = len(cell) < 400 and NUMBER.fullmatch(cell)
    try:
        return check_time(name, float(cell) if known else cell)
    except HierarchyError as problem:
        raise reading.error(line, str(problem)) from None


def _add(reading: Reading, rows: list[Row], item: str, coder: str) -> LeftOut:
    left_out = LeftOut(reading.path)
    add_timed(
        reading,
        rows,
        reading.options["item"] or item,
        reading.options["coder"] or coder,
        duration=reading.options["duration"],
        until=last_end(rows),
        left_out=left_out,
    )
    return left_out


def read_salami(reading: Reading) -> Corpus:
    """Two levels from one file."""
    open_: dict[int, tuple[float, str]] = {}
    rows: list[Row] = []
    before, ended = 0.0, False
    for number, line in enumerate(reading.text.splitlines(), 1):
        if not line.strip():
            continue
        cells = line.strip().split(None, 1)
        if ended or len(cells) < 2:
            came = "a line after End" if ended else repr(line.strip()[:40])
            raise reading.error(number, f"a line is a time and its labels, and End is the last; got {came}")
        now = _time(reading, number, "time", cells[0])
        if now < before:
            raise reading.error(number, f"times must not fall; got {now:.10g} after {before:.10g}")
        before, labels = now, [label.strip() for label in cells[1].split(",")]
        ended = any(label.lower() == _END for label in labels)
        for level, label in _levels(labels).items():
            if level in open_:
                since, said = open_.pop(level)
                rows.append(Row(since, now, level, said))
            if not ended:
                open_[level] = (now, label)
    if open_:
        raise reading.error(None, "the last line must be End; got none, so the last segments do not end")
    item, _, coder = reading.stem.rpartition("_")
    _add(reading, rows, item or Path(reading.path).absolute().parent.name, coder).warn()
    return reading.corpus()


def _levels(labels: list[str]) -> dict[int, str]:
    """Level -> label, of the labels that are on a level."""
    found: dict[int, str] = {}
    for label in labels:
        if label.lower() in (_BOTH, _END):
            found |= {1: label, 2: label}
        elif _UPPER.fullmatch(label):
            found.setdefault(1, label)
        elif _LOWER.fullmatch(label):
            found.setdefault(2, label)
    return found


def _paths(name: str, value: Any) -> tuple[str, ...]:
    given = [value] if isinstance(value, (str, PathLike)) else value
    listed = list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(one, (str, PathLike)) for one in listed):
        raise OptionError(f"{name} must be a file or a list of files; got {value!r}")
    return tuple(map(str, listed))


def _looks_like_lab(lines: str) -> bool:
    cells = lines.lstrip().split("\n", 1)[0].split()
    return len(cells) > 2 and all(NUMBER.fullmatch(cell[:400]) for cell in cells[:2])


def _looks_like_salami(lines: str) -> bool:
    cells = lines.lstrip().split("\n", 1)[0].split("\t")
    return len(cells) == 2 and bool(re.fullmatch(r"[0-9]+\.[0-9]+", cells[0][:400])) and cells[1][:1].isalpha()


_OPTIONS = (ITEM, CODER, DURATION, REPAIR, SNAP, BEYOND)

LAB = Format(
    name="lab",
    suffixes=(".lab",),
    description="segments of music, a line each: start, end, label, in seconds",
    read=read,
    looks_like=_looks_like_lab,
    options=(*_OPTIONS, Option("deeper", (), _paths, "files with the deeper levels, the coarsest first")),
    annotation_types=(Hierarchy,),
)
SALAMI = Format(
    name="salami",
    suffixes=(),
    other_suffixes=(".txt",),
    description="a text file of SALAMI: a time and its labels a line, upper and lower level",
    read=read_salami,
    looks_like=_looks_like_salami,
    options=_OPTIONS,
    annotation_types=(Hierarchy,),
)
