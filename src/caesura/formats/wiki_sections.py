"""Sections of Wikipedia articles in text files, as in Wiki-727K and Wiki-50: ``========,2,History.`` begins a section.

If a section has no sentence of its own, the type of the boundary is the smallest level of the lines at this place.

References
----------
Koshorek, O., Cohen, A., Mor, N., Rotman, M., & Berant, J. (2018). Text segmentation as a supervised learning task. NAACL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caesura.formats.content import lines_of
from caesura.formats.format import ITEM, Format, Reading
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.model.value import count_of
from caesura.options import Option, choice, optional, text, whole

_SECTION = re.compile(r"={8},([0-9]{1,3}),(.*)")
_LIST = re.compile(r"\*\*\*LIST\*\*\*\.?")
_CODER = "reference"


class _Sentence(NamedTuple):
    """A unit, and the level of the section that it begins; None if it does not begin a section."""

    text: str
    level: int | None


def _read(reading: Reading) -> Corpus:
    item, coder = reading.item_name, reading.options["coder"] or _CODER
    with reading.item(None, f"item {item!r}: "):
        reading.add(item, coder, _parse(reading))
    return reading.corpus()


def _parse(reading: Reading) -> Segmentation:
    sentences = list(_sentences(reading))
    if reading.options["preface"] == "drop":
        first = next((i for i, sentence in enumerate(sentences) if (sentence.level or 0) > 1), len(sentences))
        sentences = sentences[first:]
    if reading.options["lists"] == "drop":
        sentences = _without_lists(sentences)
    if not sentences:
        raise reading.error(1, "expected at least one sentence; got sections only")
    deepest = reading.options["levels"]
    levels = {i: sentence.level for i, sentence in enumerate(sentences) if i and sentence.level is not None}
    levels = {i: level for i, level in levels.items() if deepest is None or level <= deepest}
    reading.roles |= {"========": "boundaries, with the level as the type"}
    reading.ignored.append("titles of sections (not needed)")
    lists = sum(_LIST.fullmatch(sentence.text) is not None for sentence in sentences)
    if lists:
        reading.notes.append(f"{count_of(lists, 'line')} ***LIST*** are units (lists=drop leaves them out)")
    units = [sentence.text for sentence in sentences]
    return Segmentation.from_positions(
        len(units), list(levels), marks=list(map(str, levels.values())), types=reading.types, units=units
    )


def _sentences(reading: Reading) -> Iterator[_Sentence]:
    levels: list[int] = []
    sections = blank = empty = 0
    for number, line in enumerate(lines_of(reading.text), 1):
        line = line.strip()
        if match := _SECTION.fullmatch(line):
            levels.append(int(match.group(1)))
            sections += 1
        elif line.startswith("====="):
            raise reading.error(number, f"a section must begin like ========,1,preface.; got {line[:60]!r}")
        elif line:
            yield _Sentence(line, min(levels) if levels else None)
            empty += max(0, len(levels) - 1)
            levels = []
        else:
            blank += 1
    if not sections:
        raise reading.error(1, "expected lines such as ========,1,preface. between sections; got none")
    empty += len(levels)
    if empty:
        reading.notes.append(f"{count_of(empty, 'section')} without a sentence of its own")
    if blank:
        reading.ignored.append(f"{count_of(blank, 'blank line')} (not a unit)")


def _without_lists(sentences: list[_Sentence]) -> list[_Sentence]:
    """Return the sentences without lists. If a list begins a section, the next sentence begins it."""
    kept: list[_Sentence] = []
    pending: int | None = None
    for sentence in sentences:
        levels = [level for level in (sentence.level, pending) if level is not None]
        pending = min(levels) if levels else None
        if not _LIST.fullmatch(sentence.text):
            kept.append(_Sentence(sentence.text, pending))
            pending = None
    return kept


def _looks_like(content: str) -> bool:
    return re.match(r"\s*={8},[0-9]{1,3},", content[:10_000]) is not None


FORMAT = Format(
    name="wiki-sections",
    other_suffixes=("", ".txt"),
    description="articles of Wiki-727K: one sentence per line, and lines such as ========,2,History. where sections begin",
    read=_read,
    looks_like=_looks_like,
    options=(
        ITEM,
        Option("coder", None, optional(text), f"name of the coder (default: {_CODER})"),
        Option("levels", None, optional(whole(1)), "deepest level of the sections that begin a segment (default: all)"),
        Option("lists", "keep", choice("keep", "drop"), "whether lines that stand for a list are units"),
        Option("preface", "keep", choice("keep", "drop"), "whether the sentences before the first section are units"),
    ),
    names_from_file=("item",),
    hint="--reading levels=N",
)
