"""TextGrids of Praat, long and short: tiers of intervals or points along a recording.

Praat looks for values only, quoted texts, numbers and ``<exists>``, in a fixed order; names such as ``xmin =`` are for
people, and the short form leaves them out. So one reader takes both. It is stricter than Praat: a name that stands there
must be the right one, and what is neither name nor value is an error. A quote inside a text is doubled; a text may run over
several lines.

Every interval tier is a coder, except the one that the option ``words`` names. Others are chosen by ``tiers``, names or
patterns, and so are point tiers. The item is the file; begin and end are those of the tier. Units are laid under the tiers
as ``units`` says; see :func:`~caesura.over_units`.

    cz.read("talk.TextGrid", words="word", tiers="IU *")       boundaries between words
    cz.read("talk.TextGrid", units="times")                    a Tier for each coder, in seconds
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, decode, load
from caesura.formats.timed import TIERS, Row, TierRead, add, choose, snapped
from caesura.model.corpus import Corpus
from caesura.model.tier import Interval, Point, Tier

__all__ = ["FORMAT", "word_times"]

# Possessive throughout: what has been passed over is never tried another way, however strange the file.
_TOKEN = re.compile(
    r"""(?:\s++|!.*+|(?:item|intervals|points)\s*+\[[0-9 ]*+\]\s*+:?+|(?:intervals|points)\s*+:|tiers\?)*+
    (?:(File\ type|Object\ class|xmin|xmax|size|class|name|text|number|time|mark)\s*+=\s*+)?+
    (?:"((?:[^"]++|"")*+)"|([-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+)(?!\S)|(<[a-z]++>))""",
    re.VERBOSE,
)
_REST = re.compile(r"(?:\s++|!.*+)*+")
_OPEN = re.compile(r'[^"\n]*+"(?:[^"]++|"")*+\Z')
_INTERVALS, _POINTS = "IntervalTier", "TextTier"


def read(reading: Reading) -> Corpus:
    """A tier for each coder."""
    chosen, words = choose(reading, _tiers(reading))
    add(reading, chosen, words, [reading.options["coder"] or one.name for one in chosen])
    return reading.corpus()


class _Values:
    """The values of a file, one after the other."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.text
        self.at = 0
        self._counted = 0
        self._line = 1

    @property
    def line(self) -> int:
        """Where the last value ended."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def next(self, group: int, what: str, *names: str) -> str:
        """The next value, which must be a text (2), a number (3) or a flag (4), and may be named."""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise self.error(what, self.at)
        value, name = found.group(group), found.group(1)
        if value is None or (name is not None and name not in names):
            raise self.error(what, found.start())
        self.at = found.end()
        return value

    def error(self, what: str, at: int) -> FormatError:
        """What should have come, and what did, at the line where it begins."""
        rest = _REST.match(self.text, at)
        start = rest.end() if rest else at
        line = self.text.count("\n", 0, start) + 1
        if start == len(self.text):
            return self.reading.error(line, f"{what} must come next; the file ends here")
        seen = self.text[start : start + 200].split("\n", 1)[0].strip()[:60]
        if _OPEN.match(self.text, start):
            return self.reading.error(line, f"a text must end in a quote; the one that begins here does not: {seen!r}")
        return self.reading.error(line, f"{what} must come next; got {seen!r}")

    def string(self, what: str, *names: str) -> str:
        return self.next(2, what, *names).replace('""', '"')

    def number(self, what: str, *names: str) -> float:
        return float(self.next(3, what, *names))

    def size(self, what: str) -> int:
        before = self.at
        value = self.next(3, what, "size")
        if not value.isdecimal() or len(value) > 12:
            raise self.error(what, before)
        return int(value)


def _tiers(reading: Reading) -> list[TierRead]:
    if "\r" in reading.text:
        reading.text = _plain_lines(reading.text)
    values = _Values(reading)
    kind = values.string("the type of the file, 'ooTextFile',", "File type")
    if kind not in ("ooTextFile", "ooTextFile short"):
        raise reading.error(values.line, f"the type of the file must be 'ooTextFile'; got {kind[:60]!r}")
    held = values.string("the class of the object, 'TextGrid',", "Object class")
    if held != "TextGrid":
        raise reading.error(values.line, f"the class of the object must be 'TextGrid'; got {held[:60]!r}")
    _bounds(values, "TextGrid")
    if values.next(4, "<exists>, for the tiers,") != "<exists>":
        raise reading.error(values.line, "a TextGrid must have tiers; this has none")
    tiers = [_tier(values) for _ in range(values.size("the number of tiers"))]
    rest = _REST.match(values.text, values.at)
    if rest and rest.end() < len(values.text):
        raise values.error(f"nothing after the {len(tiers)} tiers, which is how many there are said to be,", values.at)
    return tiers


def _plain_lines(text: str) -> str:
    """Line ends as the file has them become plain; a carriage return inside a text of another file stays."""
    if "\n" not in text:
        return text.replace("\r", "\n")
    return text.replace("\r\n", "\n") if text.partition("\n")[0].endswith("\r") else text


def _bounds(values: _Values, what: str) -> tuple[float, float]:
    begin = values.number(f"xmin of the {what}, a number,", "xmin")
    end = values.number(f"xmax of the {what}, a number,", "xmax")
    if not begin < end:
        raise values.reading.error(values.line, f"xmax of the {what} must be > xmin; got {end:.10g} <= {begin:.10g}")
    return begin, end


def _tier(values: _Values) -> TierRead:
    kind = values.string("the class of a tier", "class")
    if kind not in (_INTERVALS, _POINTS):
        raise values.reading.error(values.line, f"a tier is an {_INTERVALS} or a {_POINTS}; got {kind[:60]!r}")
    name, line = values.string("the name of the tier", "name"), values.line
    begin, end = _bounds(values, "tier")
    number = values.size("the number of intervals or points")
    if kind == _INTERVALS:
        return TierRead(name, line, begin, end, [_interval(values) for _ in range(number)])
    return TierRead(name, line, begin, end, [], tuple(_point(values) for _ in range(number)))


def _interval(values: _Values) -> Row:
    start = values.number("xmin of an interval, a number,", "xmin")
    line = values.line
    end = values.number("xmax of an interval, a number,", "xmax")
    return Row(start, end, values.string("the text of an interval", "text"), line)


def _point(values: _Values) -> Point:
    time = values.number("the time of a point, a number,", "number", "time")
    return Point(time, values.string("the mark of a point", "mark"))


def word_times(
    path: str | PathLike[str], tier: str | None = None, *, snap: float = 1e-4
) -> tuple[dict[str, list[tuple[str, float, float]]], int]:
    """The words of a word tier with their times, by the name of the file; and how many overlaps were moved.

    ``tier`` names the tier; it may be left out where there is one interval tier only. Neighbours that overlap by ``snap``
    seconds or less meet in the middle; a larger overlap is an error.
    """
    reading = Reading(fspath(path), _decode(path, load(path)))
    found = [one for one in _tiers(reading) if one.points is None]
    chosen = found if tier is None else [one for one in found if one.name == tier]
    if len(chosen) != 1:
        wanted = "one interval tier is needed" if tier is None else f"one interval tier must be named {tier!r}"
        there = ", ".join(repr(one.name[:40]) for one in found[:20]) or "none"
        raise reading.error(None, f"{wanted}, for the words; there are {there}")
    rows, moved = snapped(reading, [row for row in chosen[0].rows if row.label.strip()], snap)
    return {reading.stem: [(row.label, row.start, row.end) for row in rows]}, moved


# -- writing ----------------------------------------------------------------------------------------------------------


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """One item, a tier for each coder and one for the words, where there are any."""
    if len(corpus.item_names) != 1:
        names = ", ".join(map(repr, corpus.item_names[:10])) or "none"
        raise FormatError(path, None, f"a TextGrid holds one item, a file each; got {names}")
    (item,) = corpus.item_names
    if item != Path(path).stem and item != options["item"]:
        # The name is the file's; another one would come back as something else.
        raise FormatError(path, None, f"a TextGrid names the item by the file; write item {item!r} to {item}.TextGrid")
    tiers: dict[str, Tier] = {}
    for coder, one in corpus.of_item(item).items():
        assert isinstance(one, Tier)
        tiers[coder] = one
    begin = min(one.begin for one in tiers.values())
    end = max(one.end for one in tiers.values())
    parts = [_written(coder, one.intervals, one.points, one.begin, one.end) for coder, one in tiers.items()]
    words = _common_words(tiers, path)
    if words is not None:
        name = options["words"] or "words"
        if name in tiers:
            raise FormatError(
                path, None, f"a coder has the name of the word tier, {name!r}; name another with words=..."
            )
        parts.append(_written(name, words, None, words[0].start, words[-1].end))
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        f"xmin = {begin!r}",
        f"xmax = {end!r}",
        "tiers? <exists>",
        f"size = {len(parts)}",
        "item []:",
    ]
    for i, part in enumerate(parts, 1):
        lines += [f"    item [{i}]:", *part]
    text = "\n".join(lines) + "\n"
    if "\0" in text:
        raise FormatError(path, None, f"item {item!r}: names and labels must not hold a NUL character; one does")
    return text


def _common_words(tiers: Mapping[str, Tier], path: str) -> tuple[Interval, ...] | None:
    (first, one), *others = tiers.items()
    for coder, other in others:
        if other.words != one.words:
            raise FormatError(
                path,
                None,
                f"a TextGrid has one word tier; coders {first!r} and {coder!r} have other words or times of them",
            )
    if one.words is not None and not one.words:
        raise FormatError(path, None, "a word tier must have words; got none")
    return one.words


def _written(
    name: str, intervals: Sequence[Interval], points: Sequence[Point] | None, begin: float, end: float
) -> list[str]:
    kind = _INTERVALS if points is None else _POINTS
    lines = [f"class = {_quoted(kind)}", f"name = {_quoted(name)}", f"xmin = {begin!r}", f"xmax = {end!r}"]
    if points is not None:
        lines.append(f"points: size = {len(points)}")
        for i, point in enumerate(points, 1):
            lines += [f"points [{i}]:", f"    number = {point.time!r}", f"    mark = {_quoted(point.label)}"]
    else:
        filled = _filled(intervals, begin, end)
        lines.append(f"intervals: size = {len(filled)}")
        for i, one in enumerate(filled, 1):
            lines += [f"intervals [{i}]:", f"    xmin = {one.start!r}", f"    xmax = {one.end!r}"]
            lines.append(f"    text = {_quoted(one.label)}")
    return ["        " + line for line in lines]


def _filled(intervals: Sequence[Interval], begin: float, end: float) -> list[Interval]:
    """With empty intervals between them, as Praat wants it."""
    out: list[Interval] = []
    at = begin
    for one in intervals:
        if at < one.start:
            out.append(Interval(at, one.start, ""))
        out.append(one)
        at = one.end
    if at < end:
        out.append(Interval(at, end, ""))
    return out


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _decode(path: str | PathLike[str], data: bytes) -> str:
    """UTF-8, or UTF-16 by its mark, which Praat writes where a label needs it."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return decode(path, data)
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        raise FormatError(
            path, None, "text in UTF-16 is needed, as the mark at the beginning says; got other bytes"
        ) from None
    return decode(path, text.encode("utf-8"))


def _looks_like(text: str) -> bool:
    return bool(re.match(r'\s*File type = "ooTextFile[^"\n]{0,20}"\s+(?:Object class = )?"TextGrid"', text))


FORMAT = Format(
    name="textgrid",
    suffixes=(".textgrid",),
    description="a TextGrid of Praat: tiers of labelled intervals, each a coder",
    read=read,
    looks_like=_looks_like,
    write=write,
    decode=_decode,
    options=TIERS,
    annotation_types=(Tier,),
    names_from_file=("item",),
    tiers=_tiers,
)
