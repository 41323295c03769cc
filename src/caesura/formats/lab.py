"""Segment annotations of music in .lab files (``12.5 31.25 verse``) and in the text files of SALAMI::

    0.000000000	Silence
    0.528253968	A, a, Intro, (voice
    14.202154195	b
    238.445691609	End

In SALAMI, capital letters are labels of the upper level and small letters are labels of the lower level; both may have primes.
Silence is on both levels, and End ends both levels. Lines after End must have the same time. The names of the folder ``parsed``
and the endings of the files in it are no parts of items and coders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import OptionError
from caesura.formats.content import NUMBER, decode, load
from caesura.formats.format import NAME_OPTIONS, Format, Reading
from caesura.formats.spans import DURATION, OPTIONS, Continuum, SpanRow, add_spans, last_end
from caesura.formats.values import check_time, parse_number
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.value import count_of
from caesura.options import Option
from caesura.options import path as check_path

_UPPER = re.compile(r"[A-Z]+['\u2019]*")
_LOWER = re.compile(r"[a-z]{1,2}['\u2019]*")
_LAYER = re.compile(r"(?<=.)_(?:functions|lowercase|uppercase)$")  # ending of the names of files in the folder parsed
_SILENCE = "silence"
_END = "end"
_MIN_GAP = 1e-3  # seconds; programs round the ends of segments


def _read_lab(reading: Reading) -> Corpus:
    rows = list(_lab_rows(reading, 1))
    gaps = [(a.end, b.start) for a, b in pairwise(rows) if b.start - a.end > _MIN_GAP]
    if gaps:  # they may come from a wrong time or a missing line
        reading.notes.append(
            f"{count_of(len(gaps), 'gap')} between segments (first from {gaps[0][0]:g} to {gaps[0][1]:g} s)"
        )
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
        return check_time(name, parse_number(cell))


def _corpus(reading: Reading, rows: list[SpanRow], item: str, coder: str) -> Corpus:
    item, coder = reading.options["item"] or item, reading.options["coder"] or coder
    duration = reading.options["duration"]
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        continuum = Continuum(seconds=True, duration=None if duration is None else float(duration))
        add_spans(reading, item, coder, rows, continuum, last=last_end(rows))
    return reading.corpus()


def _read_salami(reading: Reading) -> Corpus:
    lines = list(_salami_lines(reading))
    layers = _layers(labels for _, labels in lines)
    _describe_layers(reading, layers, lines)
    current: dict[int, tuple[float, str]] = {}  # level -> start and label of the segment that has not ended
    rows: list[SpanRow] = []
    for time, labels in lines:
        begun = _levels(labels, layers)
        ended = {2, *begun} if 1 in begun else begun  # a new segment of the upper level ends that of the lower level
        for level in [level for level in ended if level in current]:
            start, name = current.pop(level)
            rows.append(SpanRow(start, time, level, name))
        if not _is_end(labels):
            current |= {level: (time, label) for level, label in begun.items()}
    if current:
        raise reading.error(None, "the last line must be End; there is none, so the last segments do not end")
    return _corpus(reading, rows, *_salami_names(reading))


def _salami_names(reading: Reading) -> tuple[str, str]:
    folder = Path(reading.path).absolute().parent
    if folder.name == "parsed":
        folder = folder.parent
    item, _, coder = _LAYER.sub("", reading.stem).rpartition("_")
    return item or folder.name, coder


def _salami_lines(reading: Reading) -> Iterator[tuple[float, list[str]]]:
    previous, ended, after = 0.0, False, 0
    for number, line in enumerate(reading.text.splitlines(), 1):
        cells = line.strip().split(None, 1)
        if not cells:
            continue
        if len(cells) < 2:
            raise reading.error(number, f"a line is a time and its labels; got {line.strip()[:40]!r}")
        time = _time(reading, number, "time", cells[0])
        if time < previous:
            raise reading.error(number, f"times must not decrease; got {time:.10g} after {previous:.10g}")
        if ended:
            if time > previous:
                raise reading.error(number, f"End must be the last time, {previous:.10g}; got {time:.10g} after it")
            after += 1
            continue
        labels = [label.strip() for label in cells[1].split(",")]
        previous, ended = time, _is_end(labels)
        yield time, labels
    if after:
        reading.ignored.append(f"{count_of(after, 'line')} after End (at the same time)")


def _is_end(labels: list[str]) -> bool:
    return any(label.lower() == _END for label in labels)


def _layers(lines: Iterable[list[str]]) -> dict[str, int]:
    """Return the layers of a file with their levels: capital letters, small letters, or functions if there are neither."""
    labels = {label for line in lines for label in line if label.lower() not in (_SILENCE, _END)}
    upper, lower = any(map(_UPPER.fullmatch, labels)), any(map(_LOWER.fullmatch, labels))
    if upper and lower:
        return {"upper": 1, "lower": 2}
    return {"upper" if upper else "lower" if lower else "functions": 1}


def _levels(labels: list[str], layers: Mapping[str, int]) -> dict[int, str]:
    levels: dict[int, str] = {}
    for label in labels:
        if label.lower() in (_SILENCE, _END):
            levels |= dict.fromkeys(layers.values(), label)
        elif (layer := _layer(label, layers)) is not None:
            levels.setdefault(layers[layer], label)
    return levels


def _layer(label: str, layers: Mapping[str, int]) -> str | None:
    if "functions" in layers:
        return "functions" if label and not label.startswith("(") and not label.endswith(")") else None
    layer = "upper" if _UPPER.fullmatch(label) else "lower" if _LOWER.fullmatch(label) else None
    return layer if layer in layers else None


def _describe_layers(reading: Reading, layers: Mapping[str, int], lines: Sequence[tuple[float, list[str]]]) -> None:
    names = {"upper": "capital letters", "lower": "small letters", "functions": "functions"}
    reading.roles |= {names[layer]: f"segments of level {level}" for layer, level in layers.items()}
    words = (_SILENCE, _END, "")
    unread = {
        label for _, labels in lines for label in labels if label.lower() not in words and not _layer(label, layers)
    }
    if unread:
        reading.ignored.append(
            f"{count_of(len(unread), 'word')} such as {min(unread)[:40]} (functions and instruments)"
        )


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
