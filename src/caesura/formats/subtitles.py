r"""Subtitles in SubRip (.srt) and WebVTT (.vtt) files: words in lines, and lines in cues.

Most subtitle readers repair or skip invalid cues. This reader either reads every cue or rejects the file. The tags of .srt are
``<b>``, ``<i>``, ``<u>``, ``<s>``, ``<font ...>`` and override codes such as ``{\an8}``; everything else in angle brackets is
text. In .vtt, every ``<`` must begin a tag, and entities are replaced by their characters. The writer assigns one second to
each word, so that readers can see that the times are artificial.

References: https://www.w3.org/TR/webvtt1/ for WebVTT; SubRip has no specification.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

from caesura.errors import SegmentationError
from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.formats.spans import DURATION
from caesura.formats.timed import SNAP, FileTier, IntervalRow, add_tier
from caesura.formats.values import list_names
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice, names

_LINE, _BLOCK = _TYPES = ("line", "block")

_ARROW = "-->"
_MAGIC = "WEBVTT"
_SRT_TIME = r"(\d{1,6}):([0-5]\d):([0-5]\d)[,.](\d{3})"
_VTT_TIME = r"(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})"
_SRT_TIMES = re.compile(rf"\s*{_SRT_TIME}\s*-->\s*{_SRT_TIME}(?:\s++[XY][12]:\d++)*+\s*+", re.ASCII)
_VTT_TIMES = re.compile(rf"\s*{_VTT_TIME}[ \t]+-->[ \t]+{_VTT_TIME}(?:[ \t]++[^\s:]++:\S++)*+\s*+", re.ASCII)
_SRT_TAG = re.compile(r"</?(?:[bius]\s*|font(?:\s[^<>]*)?)>|\{\\[^{}]*\}", re.IGNORECASE)
_VTT_TAG = re.compile(rf"<(?:/?(?:[A-Za-z][^<>]*)?|{_VTT_TIME})>", re.ASCII)
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "nbsp": "\u00a0", "lrm": "\u200e", "rlm": "\u200f"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")
_SBV = re.compile(r"\s*\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\s*$", re.ASCII | re.MULTILINE)


_Lines = list[tuple[int, str]]  # number and text of each line


class _Cue(NamedTuple):
    start: float
    end: float
    line: int
    text: _Lines


def _blocks(lines: list[str]) -> list[_Lines]:
    groups = groupby(enumerate(lines, 1), key=lambda numbered: bool(numbered[1].strip()))
    return [list(group) for has_text, group in groups if has_text]


def _srt_cues(reading: Reading) -> Iterator[_Cue]:
    """Yield each cue. A cue consists of a number, times and text."""
    if _SBV.match(reading.text):
        raise reading.error(1, "subtitles must be .srt or .vtt; these are YouTube's .sbv; save them as .srt or .vtt")
    previous = -1
    order = _CueOrder(reading)
    for block in _blocks(lines_of(reading.text)):
        line, number = block[0][0], block[0][1].strip()
        if not (number.isdecimal() and number.isascii() and len(number) <= 12):
            raise reading.error(line, f"a cue must begin with its number; got {number[:60]!r}")
        if int(number) <= previous:
            raise reading.error(line, f"the numbers of cues must increase; got {int(number)} after {previous}")
        previous = int(number)
        yield _cue(order, block, 1, _SRT_TIMES, "00:00:01,000 --> 00:00:02,000")


def _vtt_cues(reading: Reading) -> Iterator[_Cue]:
    """Yield each cue. Styles and regions must precede the first cue; comments may be anywhere."""
    lines = lines_of(reading.text)
    if not re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        raise reading.error(1, f"the file must begin with WEBVTT; got {lines[0][:60]!r}")
    header, *blocks = _blocks(lines)
    header[0] = header[0][0], header[0][1].removeprefix(_MAGIC)
    _refuse_arrow(reading, header, "the header", "before the first cue")
    order, had_cue = _CueOrder(reading), False
    for block in blocks:
        number, first = block[0]
        kind = first.split()[0]
        if kind == "NOTE" or first.strip() in ("STYLE", "REGION"):
            if kind != "NOTE" and had_cue:
                raise reading.error(number, f"{kind} must be before the first cue; got it after a cue")
            _refuse_arrow(reading, block, kind, "after it")
        else:
            had_cue = True
            yield _cue(order, block, int(_ARROW not in first), _VTT_TIMES, "00:01.000 --> 00:02.000")


def _refuse_arrow(reading: Reading, lines: _Lines, name: str, place: str) -> None:
    """Raise an error if a header, comment, style, region or text contains a cue."""
    for number, line in lines:
        if line.strip() == _MAGIC:
            raise reading.error(number, f"{_MAGIC} must be the first line only; got it again; were two files joined?")
        if _ARROW in line:
            expected = f"{name} must not contain {_ARROW}; put a blank line {place}"
            raise reading.error(number, f"{expected}; got {line[:60]!r}")


class _CueOrder:
    """Start and end of the last cue, to find cues in the wrong order."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.last: list[int] = []

    def add(self, line: int, clock: list[int]) -> None:
        """Count a cue that begins before the cue above it, or has its times again."""
        if self.last and clock[:4] < self.last[:4]:
            self.reading.log.count(
                "cues that begin before the cue above them, kept in the order of the file", f"line {line}"
            )
        elif clock == self.last:
            self.reading.log.count("cues with the times of the cue above them, both kept", f"line {line}")
        self.last = clock


def _cue(order: _CueOrder, block: _Lines, index: int, times: re.Pattern[str], example: str) -> _Cue:
    reading = order.reading
    number, line = block[index] if len(block) > index else (block[-1][0], "")
    match = times.fullmatch(line)
    if match is None:
        raise reading.error(number, f"a cue must have times like {example}; got {line[:60]!r}")
    clock = [int(part or 0) for part in match.groups()]
    if clock[:4] > clock[4:]:
        raise reading.error(number, f"a cue must not end before it starts; got {line.strip()[:60]!r}")
    order.add(number, clock)
    text = block[index + 1 :]
    if not text:
        raise reading.error(number, "a cue must have a text; got none")
    _refuse_arrow(reading, text, "the text of a cue", "before the next cue")
    start, end = (3600 * h + 60 * m + s + ms / 1000 for h, m, s, ms in (clock[:4], clock[4:]))
    return _Cue(start, end, number, text)


def _srt_words(line: str) -> list[str]:
    return _SRT_TAG.sub("", line).split()


def _vtt_words(line: str) -> list[str]:
    bare = _VTT_TAG.sub("", line)
    if "<" in bare:
        rest = bare[bare.index("<") :]
        raise SegmentationError(f"a tag must be like <i> or <v Name>, and any other < is &lt;; got {rest[:60]!r}")
    return _ENTITY.sub(lambda match: _ENTITIES[match.group(1)], bare).split()


@dataclass(frozen=True)
class _SubtitleStyle:
    """Differences between .srt and .vtt. ``words`` splits a line into words or raises a SegmentationError."""

    cues: Callable[[Reading], Iterator[_Cue]]
    words: Callable[[str], list[str]]
    header: str
    numbered: bool
    decimal_sign: str
    escape: Callable[[str], str]


def _read(reading: Reading, *, style: _SubtitleStyle) -> Corpus:
    if reading.options.get("units") == "times":
        add_tier(reading, reading.item_name, reading.coder_name, _tier(reading, style))
        return reading.corpus()
    reading.notes.append("times are not compared (--reading units=times makes cues segments in seconds)")
    return reading.read_one(lambda: _segmentation(reading, style))


def _lines_of_words(reading: Reading, style: _SubtitleStyle, cue: _Cue) -> list[list[str]]:
    lines = []
    for number, line in cue.text:
        with reading.at_line(number):
            words = style.words(line)
        if not words:
            raise reading.error(number, f"a line must have a word; got {line[:60]!r}")
        lines.append(words)
    return lines


def _cues(reading: Reading, style: _SubtitleStyle) -> list[_Cue]:
    cues = list(style.cues(reading))
    if not cues:
        raise reading.error(None, "expected at least one cue; got none")
    return cues


def _tier(reading: Reading, style: _SubtitleStyle) -> FileTier:
    rows = []
    for cue in sorted(_cues(reading, style), key=lambda cue: (cue.start, cue.end)):
        label = " ".join(word for words in _lines_of_words(reading, style, cue) for word in words)
        rows.append(IntervalRow(cue.start, cue.end, label, cue.line))
    reading.notes.append("cues are segments in seconds, and their texts are no boundary types")
    end = reading.options["duration"] or max(row.end for row in rows)
    return FileTier(reading.stem, None, 0.0, end, rows)


def _segmentation(reading: Reading, style: _SubtitleStyle) -> Segmentation:
    units: list[str] = []
    marks: list[str] = []
    for cue in _cues(reading, style):
        for words in _lines_of_words(reading, style, cue):
            units += words
            marks += [""] * (len(words) - 1) + [_LINE]
        marks[-1] = _BLOCK
    return Segmentation.from_marks(marks, types=reading.types or _TYPES, units=units)


def _write(writing: Writing, *, style: _SubtitleStyle) -> str:
    item = writing.only_item()
    segmentation, units = writing.text(item, writing.only_coder(), stores=("types", "units"))
    if segmentation.types != _TYPES:
        types = list_names(segmentation.types)
        raise writing.error(f"the types must be 'line' and 'block', in this order; got {types}", item)
    if not segmentation.exclusive:
        raise writing.error("this format stores one type per position; got several", item)
    if segmentation.boundaries[-1:] != ((segmentation.length, _BLOCK),):
        raise writing.error("subtitles must end in a boundary of type 'block'; these do not", item)
    cues: list[str] = []
    cue_start = line_start = 0
    lines: list[str] = []
    for position, boundary_type in segmentation.boundaries:
        lines.append(" ".join(map(style.escape, units[line_start:position])))
        line_start = position
        if boundary_type == _BLOCK:
            number = f"{len(cues) + 1}\n" if style.numbered else ""
            times = f"{_clock(cue_start, style)} {_ARROW} {_clock(position, style)}"
            cues.append(f"{number}{times}\n" + "\n".join(lines) + "\n\n")
            cue_start, lines = position, []
    return writing.check_round_trip(style.header + "".join(cues), partial(_read, style=style))


def _clock(second: int, style: _SubtitleStyle) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{style.decimal_sign}000"


def _looks_like_srt(text: str) -> bool:
    number, times, *_ = (*text.lstrip()[:1000].splitlines(), "", "")
    return bool(_SBV.match(text) or (number.strip().isdecimal() and _SRT_TIMES.fullmatch(times)))


_OPTIONS = (
    *NAME_OPTIONS,
    Option("units", None, choice("words", "times"), "words, or times: cues are segments in seconds (default: words)"),
    DURATION,
    SNAP,
    Option("labels", "ignore", choice("types", "ignore"), "for times: whether the texts of cues are boundary types"),
    Option("silence", (), names, "for times: texts of cues that are not segments, such as [music]"),
)
_SRT = _SubtitleStyle(_srt_cues, _srt_words, "", True, ",", str)
_VTT = _SubtitleStyle(_vtt_cues, _vtt_words, "WEBVTT\n\n", False, ".", partial(html.escape, quote=False))

SRT = Format(
    name="srt",
    suffixes=(".srt",),
    other_suffixes=(".sbv", ".txt"),
    description="SubRip subtitles: words in lines in cues",
    read=partial(_read, style=_SRT),
    looks_like=_looks_like_srt,
    write=partial(_write, style=_SRT),
    options=_OPTIONS,
    names_from_file=("item", "coder"),
)
VTT = replace(
    SRT,
    name="vtt",
    suffixes=(".vtt",),
    other_suffixes=(".txt",),
    description="WebVTT subtitles: words in lines in cues",
    read=partial(_read, style=_VTT),
    looks_like=lambda text: text.startswith("WEBVTT"),
    write=partial(_write, style=_VTT),
)
