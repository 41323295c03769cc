"""Subtitles, SubRip's .srt and WebVTT: words, the lines they are broken into, and the cues.

    1
    00:00:00,000 --> 00:00:05,000
    In Xanadu did
    Kubla Khan

White space parts the units, after tags have been taken out. Two types of boundary, in this order: ``line``, where a line
ends inside a cue, and ``block``, where a cue ends, the last one included. Times must be well-formed and are not used.

Readers of subtitles mostly mend or pass over what they do not understand. Here every cue is read or the file is refused:
a cue without times, without a word or with ``-->`` in its text, a line without a word, a number that does not rise (.srt),
a comment that swallows a cue or a ``<`` that begins no tag (.vtt). Tags of .srt are ``<b>``, ``<i>``, ``<u>``, ``<s>``,
``<font ...>`` and ``{\\an8}`` and its like; anything else in angle brackets is text. In WebVTT ``&amp;``, ``&lt;``,
``&gt;``, ``&nbsp;``, ``&lrm;`` and ``&rlm;`` stand for characters.

What is written lasts a second a word: that the times say nothing can be seen from them.

References: https://www.w3.org/TR/webvtt1/ for WebVTT; SubRip has no specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, lines_of
from caesura.formats.one_text import check_round_trip, only_coder, only_item, read_one_text, require_text
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

__all__ = ["SRT", "VTT"]

LINE, BLOCK = TYPES = ("line", "block")

_ARROW = "-->"
_SRT_TIME = r"(\d{1,6}):([0-5]\d):([0-5]\d)[,.](\d{3})"
_VTT_TIME = r"(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})"
_SRT_TIMES = re.compile(rf"\s*{_SRT_TIME}\s*-->\s*{_SRT_TIME}(?:\s+[XY][12]:\d+)*\s*", re.ASCII)
_VTT_TIMES = re.compile(rf"\s*{_VTT_TIME}[ \t]+-->[ \t]+{_VTT_TIME}(?:[ \t]+[^\s:]+:\S+)*\s*", re.ASCII)
_SRT_TAG = re.compile(r"</?(?:[bius]\s*|font(?:\s[^<>]*)?)>|\{\\[^{}]*\}", re.IGNORECASE)
_VTT_TAG = re.compile(rf"<(?:/?(?:[A-Za-z][^<>]*)?|{_VTT_TIME})>", re.ASCII)
_ENTITIES = {
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "nbsp": "\N{NO-BREAK SPACE}",
    "lrm": "\N{LEFT-TO-RIGHT MARK}",
    "rlm": "\N{RIGHT-TO-LEFT MARK}",
}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")
_SBV = re.compile(r"\s*\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\s*$", re.ASCII | re.MULTILINE)


@dataclass
class _Block:
    """Lines between blank lines."""

    first: int
    lines: list[str] = field(default_factory=list)


@dataclass
class _Cue:
    """The text of a cue, and the number of its first line."""

    first: int
    lines: list[str]


def _blocks(lines: list[str], start: int = 1) -> Iterator[_Block]:
    block = _Block(0)
    for number, line in enumerate(lines, start):
        if line.strip():
            block.first = block.first or number
            block.lines.append(line)
        elif block.lines:
            yield block
            block = _Block(0)
    if block.lines:
        yield block


def _srt_cues(reading: Reading) -> Iterator[_Cue]:
    """Number, times, text."""
    if _SBV.match(reading.text):
        raise reading.error(
            1, "subtitles must be .srt or .vtt; these are YouTube's .sbv. Save them as one of the others"
        )
    before = -1
    for block in _blocks(lines_of(reading.text)):
        number = block.lines[0].strip()
        if not (number.isdecimal() and number.isascii() and len(number) <= 12):
            raise reading.error(block.first, f"a cue must begin with its number; got {number[:60]!r}")
        if int(number) <= before:
            raise reading.error(block.first, f"the numbers of cues must rise; got {int(number)} after {before}")
        before = int(number)
        yield _cue(reading, block, 1, _SRT_TIMES, "00:00:01,000 --> 00:00:02,000")


def _vtt_cues(reading: Reading) -> Iterator[_Cue]:
    """A header; then comments, styles and regions; then cues, comments among them."""
    lines = lines_of(reading.text)
    if not re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        raise reading.error(1, f"the file must begin with WEBVTT; got {lines[0][:60]!r}")
    header, *blocks = _blocks(lines)
    _without_arrow(reading, header, "the header", "a blank line before the first cue")
    styled = True
    for block in blocks:
        kind = block.lines[0].split()[0]
        if kind == "NOTE" or block.lines[0].strip() in ("STYLE", "REGION"):
            if kind != "NOTE" and not styled:
                raise reading.error(block.first, f"{kind} must stand before the first cue; got it after one")
            _without_arrow(reading, block, kind, "a blank line after it")
        else:
            styled = False
            yield _cue(reading, block, int(_ARROW not in block.lines[0]), _VTT_TIMES, "00:01.000 --> 00:02.000")


def _without_arrow(reading: Reading, block: _Block, what: str, way_out: str) -> None:
    """A block that is no cue must not swallow one."""
    for number, line in enumerate(block.lines, block.first):
        if _ARROW in line:
            raise reading.error(number, f"{what} must not hold {_ARROW}; put {way_out}; got {line[:60]!r}")


def _cue(reading: Reading, block: _Block, at: int, times: re.Pattern[str], example: str) -> _Cue:
    """The cue whose times are in the line ``at`` of the block."""
    line = block.lines[at] if len(block.lines) > at else ""
    place = block.first + min(at, len(block.lines) - 1)
    found = times.fullmatch(line)
    if found is None:
        raise reading.error(place, f"a cue must have times like {example}; got {line[:60]!r}")
    clock = [int(part or 0) for part in found.groups()]
    if clock[:4] > clock[4:]:
        raise reading.error(place, f"a cue must not end before it starts; got {line.strip()[:60]!r}")
    text = block.lines[at + 1 :]
    if not text:
        raise reading.error(place, "a cue must have a text; got none")
    for number, said in enumerate(text, place + 1):
        if _ARROW in said:
            raise reading.error(number, f"the text of a cue must not hold {_ARROW}; is a blank line missing before it?")
    return _Cue(place + 1, text)


def _srt_words(line: str) -> list[str]:
    return _SRT_TAG.sub("", line).split()


def _vtt_words(line: str) -> list[str]:
    bare = _VTT_TAG.sub("", line)
    if "<" in bare:
        wrong = bare[bare.index("<") :]
        raise ValueError(f"a tag must be like <i> or <v Name>, and another < written &lt;; got {wrong[:60]!r}")
    return _ENTITY.sub(lambda found: _ENTITIES[found.group(1)], bare).split()


@dataclass(frozen=True)
class _Kind:
    """What .srt and .vtt do differently."""

    cues: Callable[[Reading], Iterator[_Cue]]
    words: Callable[[str], list[str]]
    """The words of a line; a ValueError says what is wrong with it."""
    head: str
    numbered: bool
    point: str
    escape: Callable[[str], str]


def _escaped(word: str) -> str:
    return word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_SRT_KIND = _Kind(_srt_cues, _srt_words, head="", numbered=True, point=",", escape=str)
_VTT_KIND = _Kind(_vtt_cues, _vtt_words, head="WEBVTT\n\n", numbered=False, point=".", escape=_escaped)


def read(reading: Reading, *, kind: _Kind) -> Corpus:
    """One text, named by the file."""
    return read_one_text(reading, lambda: _text(reading, kind))


def _text(reading: Reading, kind: _Kind) -> Segmentation:
    units: list[str] = []
    marks: list[str] = []
    for cue in kind.cues(reading):
        for number, line in enumerate(cue.lines, cue.first):
            try:
                words = kind.words(line)
            except ValueError as problem:
                raise reading.error(number, str(problem)) from None
            if not words:
                raise reading.error(number, f"a line must hold a word; got {line[:60]!r}")
            units += words
            marks += [""] * (len(words) - 1) + [LINE]
        marks[-1] = BLOCK
    if not units:
        raise reading.error(None, "at least one cue is needed; got none")
    return Segmentation.from_marks(marks, types=reading.types or TYPES, units=units)


def write(corpus: Corpus, path: str, options: Mapping[str, Any], *, kind: _Kind) -> str:
    """One item and coder; a second a word, from zero."""
    item, coder = only_item(corpus, path, options), only_coder(corpus, path, options)
    one, units = require_text(corpus, path, item, coder)
    place = f"item {item!r}"
    if one.types != TYPES:
        got = ", ".join(map(repr, one.types[:20]))
        raise FormatError(path, None, f"{place}: the types must be 'line' and 'block', in this order; got {got}")
    if not one.exclusive:
        raise FormatError(path, None, f"{place}: this format holds one type at a position; got several")
    if one.boundaries[-1:] != ((one.length, BLOCK),):
        raise FormatError(
            path, None, f"{place}: a text of subtitles must end in a boundary of type 'block'; it does not"
        )
    out = [kind.head]
    block = start = 0
    lines: list[str] = []
    for position, name in one.boundaries:
        lines.append(" ".join(map(kind.escape, units[start:position])))
        start = position
        if name == BLOCK:
            number = f"{len(out)}\n" if kind.numbered else ""
            times = f"{_clock(block, kind)} {_ARROW} {_clock(position, kind)}"
            out.append(f"{number}{times}\n" + "\n".join(lines) + "\n\n")
            block, lines = position, []
    return check_round_trip("".join(out), partial(read, kind=kind), corpus, path, options)


def _clock(second: int, kind: _Kind) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{kind.point}000"


def _format(
    name: str, kind: _Kind, description: str, looks_like: Callable[[str], bool], other_suffixes: tuple[str, ...]
) -> Format:
    return Format(
        name=name,
        suffixes=(f".{name}",),
        other_suffixes=other_suffixes,
        description=description,
        read=partial(read, kind=kind),
        looks_like=looks_like,
        write=partial(write, kind=kind),
        options=(ITEM, CODER),
        names_from_file=("item", "coder"),
    )


def _looks_like_srt(text: str) -> bool:
    lines = text.lstrip()[:1000].splitlines()
    return _SBV.match(text) is not None or (
        len(lines) > 1 and lines[0].strip().isdecimal() and _SRT_TIMES.fullmatch(lines[1]) is not None
    )


SRT = _format("srt", _SRT_KIND, "SubRip subtitles: words in lines in cues", _looks_like_srt, (".sbv", ".txt"))
VTT = _format(
    "vtt", _VTT_KIND, "WebVTT subtitles: words in lines in cues", lambda text: text.startswith("WEBVTT"), (".txt",)
)
