"""Segment annotations of music in .lab files and in the text files of SALAMI.

A .lab file contains one level, with one segment per line and times in seconds::

    0.000 12.5 intro
    12.5  31.25 verse

Deeper levels are in separate files. The option ``deeper`` lists these files, starting with the coarsest level:
``read("song_upper.lab", deeper=["song_lower.lab"])``. A file contains one item of one coder. The name of the file is used
for both unless the options ``item`` and ``coder`` are set.

In the text files of SALAMI, each line has a time and a list of labels for everything that begins at this time::

    0.000000000	Silence
    0.528253968	A, a, Intro, (voice
    14.202154195	b
    238.445691609	End

Capital letters are labels of the upper level and small letters are labels of the lower level; both may have primes. Each
segment ends where the next segment of its level begins. Silence is on both levels, and End ends both levels. Other words
name functions and instruments and are not read. For a file ``song_textfile1.txt``, the item is ``song`` and the coder is
``textfile1``. For a file ``textfile1.txt``, the item is the name of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import OptionError
from caesura.formats.format import NAME_OPTIONS, NUMBER, Format, Reading, decode, load
from caesura.formats.spans import DURATION, OPTIONS, Continuum, SpanRow, add_spans, last_end
from caesura.formats.values import check_time, parse_number
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.options import Option
from caesura.options import path as check_path

_UPPER = re.compile(r"[A-Z]+['\u2019]*")
_LOWER = re.compile(r"[a-z]{1,2}['\u2019]*")
_SILENCE = "silence"
_END = "end"


def _read_lab(reading: Reading) -> Corpus:
    """Return a corpus with one hierarchy, which has one level from this file and one from each deeper file."""
    rows = list(_lab_rows(reading, 1))
    for level, path in enumerate(reading.options["deeper"], 2):
        rows += _lab_rows(Reading(path, decode(path, load(path))), level)
    return _corpus(reading, rows, reading.stem, reading.stem)


def _lab_rows(reading: Reading, level: int) -> Iterator[SpanRow]:
    for number, line in enumerate(reading.text.splitlines(), 1):
        cells = line.split(None, 2)
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) < 2:
            raise reading.error(number, f"a line is start, end and label; got {line.strip()[:40]!r}")
        start, end = _time(reading, number, "start", cells[0]), _time(reading, number, "end", cells[1])
        if start > end:
            raise reading.error(number, f"start must not be after end; got {cells[0][:40]} > {cells[1][:40]}")
        yield SpanRow(start, end, level, cells[2].strip() if len(cells) > 2 else None)


def _time(reading: Reading, line: int, name: str, cell: str) -> float:
    with reading.at_line(line):
        time = check_time(name, parse_number(cell))
    return time


def _corpus(reading: Reading, rows: list[SpanRow], item: str, coder: str) -> Corpus:
    """Return a corpus with one hierarchy. The options ``item`` and ``coder`` override the names passed here."""
    item, coder = reading.options["item"] or item, reading.options["coder"] or coder
    duration = reading.options["duration"]
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        continuum = Continuum(seconds=True, duration=None if duration is None else float(duration))
        add_spans(reading, item, coder, rows, continuum, last=last_end(rows))
    return reading.corpus()


def _read_salami(reading: Reading) -> Corpus:
    """Return a corpus with one hierarchy of two levels."""
    current: dict[int, tuple[float, str]] = {}  # level -> start and label of the segment that has not ended
    rows: list[SpanRow] = []
    for time, labels in _salami_lines(reading):
        for level, label in _levels(labels).items():
            if level in current:
                start, name = current.pop(level)
                rows.append(SpanRow(start, time, level, name))
            if not _is_end(labels):
                current[level] = (time, label)
    if current:
        raise reading.error(None, "the last line must be End; there is none, so the last segments do not end")
    item, _, coder = reading.stem.rpartition("_")
    return _corpus(reading, rows, item or Path(reading.path).absolute().parent.name, coder)


def _salami_lines(reading: Reading) -> Iterator[tuple[float, list[str]]]:
    """Yield the time and the labels of each line, up to End."""
    previous, ended = 0.0, False
    for number, line in enumerate(reading.text.splitlines(), 1):
        cells = line.strip().split(None, 1)
        if not cells:
            continue
        if ended or len(cells) < 2:
            actual = "a line after End" if ended else repr(line.strip()[:40])
            raise reading.error(number, f"a line is a time and its labels, and End is the last; got {actual}")
        time = _time(reading, number, "time", cells[0])
        if time < previous:
            raise reading.error(number, f"times must not decrease; got {time:.10g} after {previous:.10g}")
        labels = [label.strip() for label in cells[1].split(",")]
        previous, ended = time, _is_end(labels)
        yield time, labels


def _is_end(labels: list[str]) -> bool:
    return any(label.lower() == _END for label in labels)


def _levels(labels: list[str]) -> dict[int, str]:
    """Return level -> label; labels that belong to no level are ignored."""
    levels: dict[int, str] = {}
    for label in labels:
        if label.lower() in (_SILENCE, _END):
            levels |= {1: label, 2: label}
        elif _UPPER.fullmatch(label):
            levels.setdefault(1, label)
        elif _LOWER.fullmatch(label):
            levels.setdefault(2, label)
    return levels


def _paths(name: str, value: Any) -> tuple[str, ...]:
    """Return the paths if the value is a file or a list of files; otherwise raise an error."""
    if isinstance(value, (str, PathLike)):
        return (check_path(name, value),)
    if not isinstance(value, Iterable):
        raise OptionError(f"{name} must be a file or a list of files; got {value!r}")
    return tuple(check_path(name, path) for path in value)


def _looks_like_lab(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split()
    return len(cells) > 2 and all(NUMBER.fullmatch(cell[:400]) for cell in cells[:2])


def _looks_like_salami(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split("\t")
    return len(cells) == 2 and bool(re.fullmatch(r"[0-9]+\.[0-9]+", cells[0][:400])) and cells[1][:1].isalpha()


_OPTIONS = (*NAME_OPTIONS, DURATION, *OPTIONS)

LAB = Format(
    name="lab",
    suffixes=(".lab",),
    description="segments of music, one per line: start, end, label, in seconds",
    read=_read_lab,
    looks_like=_looks_like_lab,
    options=(*_OPTIONS, Option("deeper", (), _paths, "files with the deeper levels, the coarsest first")),
    annotation_types=(Hierarchy,),
)
SALAMI = Format(
    name="salami",
    other_suffixes=(".txt",),
    description="text file of SALAMI: a time and its labels per line, upper and lower level",
    read=_read_salami,
    looks_like=_looks_like_salami,
    options=_OPTIONS,
    annotation_types=(Hierarchy,),
    companions=tuple(f"parsed/{{stem}}_{part}.txt" for part in ("functions", "uppercase", "lowercase")),
)
