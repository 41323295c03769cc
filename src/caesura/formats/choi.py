"""Plain text with separators between segments: Choi's ``==========``, a different marker line, or blank lines.

The format ``segment-lines``, with one segment per line, is in this module too.

References
----------
Choi, F. Y. Y. (2000). Advances in domain independent linear text segmentation. NAACL. (The test files of this paper have
this format.)
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

from caesura.errors import OptionError
from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.model.value import count_of
from caesura.options import Option, choice

_MARKER = "=========="


def _read(reading: Reading) -> Corpus:
    return reading.read_one(lambda: _parse(reading))


def _parse(reading: Reading) -> Segmentation:
    segments = [segment for segment in _segments(reading) if segment]
    if not segments:
        raise reading.error(1, f"expected at least one {reading.options['unit']}; got separators only")
    return Segmentation.from_masses([*map(len, segments)], units=chain.from_iterable(segments))


def _segments(reading: Reading) -> list[list[str]]:
    marker, unit = reading.options["marker"], reading.options["unit"]
    segments: list[list[str]] = [[]]
    empty: list[int] = []
    for number, line in enumerate(lines_of(reading.text.rstrip()), 1):
        line = line.strip()
        if line == marker:
            if len(segments) > 1 and not segments[-1]:
                empty.append(number)
            segments.append([])
        elif len(line) > 2 and set(line) == set(marker):
            problem = f"a separator must be {marker}; got {line[:60]}; if this is the separator, name it with marker="
            raise reading.error(number, problem)
        elif line:
            segments[-1] += line.split() if unit == "word" else [line]
        elif unit == "line":
            raise reading.error(number, "a line is empty; if blank lines separate segments, read with marker=''")
    if len(segments) == 1:
        _report_no_marker(reading, marker)
    if marker and not segments[0] and segments[-1]:
        reading.notes.append(f"the text begins with {marker} and does not end with it; was the file cut off?")
    if marker and empty:  # several blank lines are one separator
        plural = count_of(len(empty), "empty segment")
        reading.notes.append(f"{plural} between two lines of {marker} left out (first before line {empty[0]})")
    return segments


def _report_no_marker(reading: Reading, marker: str) -> None:
    if not marker:
        reading.notes.append("no blank line: the whole text is one segment")
        return
    problem = f"expected lines of {marker} between segments; got none"
    hint = "read blank lines as separators with marker='', or one segment per line with format='segment-lines'"
    raise reading.error(1, f"{problem}; name another separator with marker=, {hint}")


def _write(writing: Writing) -> str:
    segmentation, units = writing.text(writing.only_item(), writing.only_coder())
    separator = " " if writing.options["unit"] == "word" else "\n"
    marker = f"{writing.options['marker']}\n"
    edges = (0, *segmentation.inner.tolist(), segmentation.length)
    content = marker.join(f"{separator.join(units[start:end])}\n" for start, end in pairwise(edges))
    if writing.options["marker"]:
        content = f"{marker}{content}{marker}"
    return writing.check_round_trip(content, _read)


def _marker(name: str, value: Any) -> str:
    if isinstance(value, str) and value == value.strip() and len(lines_of(value)) <= 1:
        return value
    raise OptionError(f"{name} must be a line without white space around it, or '' for blank lines; got {value!r}")


CHOI = Format(
    name="choi",
    suffixes=(".ref",),
    other_suffixes=(".txt",),
    description=f"text with {_MARKER} between segments, one line per unit",
    read=_read,
    looks_like=lambda text: re.search(rf"^[ \t]*{_MARKER}[ \t]*\r?$", text, re.MULTILINE) is not None,
    write=_write,
    options=(
        *NAME_OPTIONS,
        Option("marker", _MARKER, _marker, "line between segments; '' for blank lines"),
        Option("unit", "line", choice("line", "word"), "whether lines or words are the units"),
    ),
    names_from_file=("item", "coder"),
)

MARKED = replace(
    CHOI,
    name="marked-text",
    suffixes=(),
    other_suffixes=(),
    description="text with blank lines between segments, or another marker, one line per unit",
    looks_like=lambda text: False,  # any text may have blank lines
    options=tuple(replace(option, default="") if option.name == "marker" else option for option in CHOI.options),
)


def _read_lines(reading: Reading) -> Corpus:
    return reading.read_one(lambda: _parse_lines(reading))


def _parse_lines(reading: Reading) -> Segmentation:
    lines = [line.split() for line in lines_of(reading.text)]
    segments = [words for words in lines if words]
    if not segments:
        raise reading.error(1, "expected at least one word; got none")
    reading.notes.append("each line is a segment, and its words are the units")
    if len(segments) < len(lines):
        reading.ignored.append(f"{count_of(len(lines) - len(segments), 'blank line')} (not a segment)")
    return Segmentation.from_masses([*map(len, segments)], units=chain.from_iterable(segments))


def _write_lines(writing: Writing) -> str:
    segmentation, units = writing.text(writing.only_item(), writing.only_coder())
    edges = (0, *segmentation.inner.tolist(), segmentation.length)
    return writing.check_round_trip("".join(f"{' '.join(units[a:b])}\n" for a, b in pairwise(edges)), _read_lines)


SEGMENT_LINES = Format(
    name="segment-lines",
    suffixes=(".edus",),
    description="text with one segment per line and words as units, such as .edus files",
    read=_read_lines,
    looks_like=lambda text: False,  # any text has lines
    write=_write_lines,
    options=NAME_OPTIONS,
    names_from_file=("item", "coder"),
)
