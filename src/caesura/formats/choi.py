"""Running text with its segments apart: Choi's ``==========``, another marker on a line of its own, or blank lines.

    ==========
    The first sentence .
    The second one .
    ==========
    And another topic .
    ==========

A line is a unit, or with ``unit="word"`` whatever stands between white space. Separators before the first segment and
after the last may be there or not. White space around a line is layout. Between two separators there must be a unit, and
between marker lines a unit must not be empty; blank lines that separate may be several. A file is one item and one coder,
both named by the file unless ``item`` and ``coder`` say otherwise, and a segmentation without types.

Reference: Choi 2000, Advances in domain independent linear text segmentation, whose test files look like this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from caesura.errors import FormatError, OptionError
from caesura.formats.format import Format, Reading, lines_of
from caesura.formats.one_text import add, checked, only_coder, only_item, with_text
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, choice

_MARKER = "=========="


def read(reading: Reading) -> Corpus:
    """One text, its lines or its words."""
    return add(reading, lambda: _text(reading))


def _text(reading: Reading) -> Segmentation:
    marker, words = reading.options["marker"], reading.options["unit"] == "word"
    lines = [line.strip() for line in lines_of(reading.text)]
    while lines and not lines[-1]:
        lines.pop()
    segments: list[list[str]] = [[]]
    after_marker = False
    for number, line in enumerate(lines, 1):
        if line == marker:
            if marker and after_marker:  # between blank lines there is nothing to miss
                raise reading.error(number, f"a segment must hold at least one {reading.options['unit']}; got none")
            after_marker = True
            if segments[-1]:
                segments.append([])
        elif line:
            after_marker = False
            segments[-1].extend(line.split() if words else [line])
        elif not words:
            raise reading.error(
                number, "a line must hold a unit; it is empty. Where blank lines separate, read with marker=''"
            )
    masses = [len(segment) for segment in segments if segment]
    if not masses:
        raise reading.error(1, f"at least one {reading.options['unit']} is needed; got separators only")
    return Segmentation.from_masses(masses, units=[unit for segment in segments for unit in segment])


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """One item and coder; a line a unit, or a line a segment if words are the units."""
    item, coder = only_item(corpus, path, options), only_coder(corpus, path, options)
    one, units = with_text(corpus, path, item, coder)
    if one.types != UNTYPED:
        raise FormatError(path, None, f"item {item!r}: this format cannot hold boundary types; write a .csv table")
    between = " " if options["unit"] == "word" else "\n"
    marker = f"{options['marker']}\n"
    starts = (0, *one.inner.tolist())
    segments = [between.join(units[start : start + mass]) for start, mass in zip(starts, one.masses, strict=True)]
    made = marker.join(f"{segment}\n" for segment in segments)
    if options["marker"]:
        made = f"{marker}{made}{marker}"
    return checked(made, read, corpus, path, options)


def _marker(name: str, value: Any) -> str:
    if isinstance(value, str) and value == value.strip() and len(lines_of(value)) <= 1:
        return value
    raise OptionError(f"{name} must be a line without white space around it, or '' for blank lines; got {value!r}")


CHOI = Format(
    name="choi",
    suffixes=(".ref",),
    other_suffixes=(".txt",),
    description=f"text with {_MARKER} between segments, a line a unit",
    read=read,
    looks_like=lambda text: re.search(rf"^[ \t]*{_MARKER}[ \t]*\r?$", text, re.MULTILINE) is not None,
    write=write,
    options=(
        ITEM,
        CODER,
        Option("marker", _MARKER, _marker, "the line between segments; '' for blank lines"),
        Option("unit", "line", choice("line", "word"), "whether a line or a word is a unit"),
    ),
    names_from_file=("item", "coder"),
)

MARKED = replace(
    CHOI,
    name="marked-text",
    suffixes=(),
    other_suffixes=(),
    description="text with blank lines between segments, or another marker, a line a unit",
    looks_like=lambda text: False,  # any text may have blank lines
    options=tuple(replace(one, default="") if one.name == "marker" else one for one in CHOI.options),
)
