"""Praat TextGrids in long and short form: tiers of intervals or points in a recording.

Praat reads only the values (quoted texts, numbers and ``<exists>``), in a fixed order. Names such as ``xmin =``, other
text between the values and comments, which begin with ``!``, are for human readers, and the short form omits them. This
module therefore reads both forms in the same way. It is stricter than Praat: one of Praat's own names, if it is there, must
be the correct one. A number may be a fraction (``1/4``) or a percentage (``50%``). A quote inside a text is doubled, and a
text may contain line breaks. :func:`~caesura.formats.tier_roles.choose_tiers` finds the word tier and the tiers of the coders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import cast

from caesura.errors import FormatError
from caesura.formats import timed
from caesura.formats.content import decode, load
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.tier_roles import choose_tiers, find_word_tier
from caesura.formats.timed import FileTier, IntervalRow, WordTimes, shared_words
from caesura.model.corpus import Corpus
from caesura.model.tier import Interval, Point, Tier

# All quantifiers are possessive, so that a damaged file cannot cause backtracking.
_NAME = r"File\ type|Object\ class|xmin|xmax|size|class|name|text|number|time|mark"
_DECIMAL = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_FREE_TEXT = rf"""(?:\s++|!.*+|(?:item|intervals|points)\s*+\[[0-9 ]*+\]\s*+:?+
    |(?!(?:{_NAME})\s*+=|\.[0-9])(?:[^\s"<!0-9+-][^\s"]*+|[+-])(?!\S))*+"""
_TOKEN = re.compile(
    rf"""{_FREE_TEXT}(?:({_NAME})\s*+=\s*+)?+
    (?:"((?:[^"]++|"")*+)"|([-+]?+{_DECIMAL}(?:%|/{_DECIMAL})?+)(?!\S)|(<[a-z]++>))""",
    re.VERBOSE,
)
_REST = re.compile(_FREE_TEXT, re.VERBOSE)
_BLANKS = re.compile(r"(?:\s++|!.*+)*+")
_UNCLOSED_TEXT = re.compile(r'[^"\n]*+"(?:[^"]++|"")*+\Z')
_TEXT, _NUMBER, _FLAG = 2, 3, 4  # groups of _TOKEN
_INTERVALS, _POINTS = "IntervalTier", "TextTier"
_TOLERANCE = 1e-3  # seconds; programs round the ends of tiers


def _read(reading: Reading) -> Corpus:
    tiers, word_tier = choose_tiers(reading, _tiers(reading))
    timed.add_tiers(reading, tiers, word_tier, [reading.options["coder"] or tier.name for tier in tiers])
    return reading.corpus()


class _Scanner:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.text
        self.position = 0
        self._line = 1
        self._line_position = 0

    @property
    def line(self) -> int:
        self._line += self.text.count("\n", self._line_position, self.position)
        self._line_position = self.position
        return self._line

    def next(self, group: int, expected: str, *names: str) -> str:
        """Return the next value. It must match the group ``group`` of _TOKEN; one of ``names`` may precede it."""
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise self.error(expected, self.position)
        value, name = match.group(group), match.group(1)
        if value is None or (name is not None and name not in names):
            raise self.error(expected, match.start())
        self.position = match.end()
        return value

    def error(self, expected: str, position: int) -> FormatError:
        blanks = _BLANKS.match(self.text, position)
        start = blanks.end() if blanks else position
        line = self.text.count("\n", 0, start) + 1
        if start == len(self.text):
            return self.reading.error(line, f"{expected} must come next; the file ends here")
        actual = self.text[start : start + 200].split("\n", 1)[0].strip()[:60]
        if _UNCLOSED_TEXT.match(self.text, start):
            return self.reading.error(line, f"a text must end in a quote; this text does not: {actual!r}")
        return self.reading.error(line, f"{expected} must come next; got {actual!r}")

    def string(self, expected: str, name: str) -> str:
        return self.next(_TEXT, expected, name).replace('""', '"')

    def constant(self, description: str, name: str, *allowed: str) -> str:
        value = self.string(f"{description}, {allowed[0]!r},", name)
        if value not in allowed:
            raise self.reading.error(self.line, f"{description} must be {allowed[0]!r}; got {value[:60]!r}")
        return value

    def number(self, expected: str, *names: str) -> float:
        position = self.position
        value = self.next(_NUMBER, expected, *names)
        numerator, _, denominator = value.partition("/")
        if denominator and not float(denominator):
            raise self.error(expected, position)
        if value.endswith("%"):
            return float(value[:-1]) / 100
        return float(numerator) / float(denominator or 1)

    def size(self, expected: str) -> int:
        position = self.position
        value = self.next(_NUMBER, expected, "size")
        if not value.isdecimal() or len(value) > 12:
            raise self.error(expected, position)
        return int(value)


def _tiers(reading: Reading) -> list[FileTier]:
    if "\r" in reading.text:
        reading.text = _normalize_line_ends(reading.text)
    scanner = _Scanner(reading)
    scanner.constant("the type of the file", "File type", "ooTextFile", "ooTextFile short")
    scanner.constant("the class of the object", "Object class", "TextGrid")
    bounds = _bounds(scanner, "TextGrid")
    if scanner.next(_FLAG, "<exists>, for the tiers,") != "<exists>":
        raise reading.error(scanner.line, "a TextGrid must have tiers; this has none")
    tiers = [_tier(scanner) for _ in range(scanner.size("the number of tiers"))]
    rest = _REST.match(scanner.text, scanner.position)
    if rest and rest.end() < len(scanner.text):
        raise scanner.error(f"nothing after the {len(tiers)} tiers that the file announces,", scanner.position)
    for tier in tiers:
        if max(bounds[0] - tier.begin, tier.end - bounds[1]) > _TOLERANCE:
            extent, whole = f"{tier.begin:g} to {tier.end:g}", f"{bounds[0]:g} to {bounds[1]:g}"
            reading.log.add(f"tier {tier.name[:60]!r} lasts from {extent} s, but the file from {whole} s")
    return tiers


def _normalize_line_ends(text: str) -> str:
    """Convert all line ends to LF. If the lines already end in LF, keep carriage returns inside texts."""
    if "\n" not in text:
        return text.replace("\r", "\n")
    return text.replace("\r\n", "\n") if text.partition("\n")[0].endswith("\r") else text


def _bounds(scanner: _Scanner, owner: str) -> tuple[float, float]:
    begin = scanner.number(f"xmin of the {owner}, a number,", "xmin")
    end = scanner.number(f"xmax of the {owner}, a number,", "xmax")
    if not begin < end:
        raise scanner.reading.error(scanner.line, f"xmax of the {owner} must be > xmin; got {end:.10g} <= {begin:.10g}")
    return begin, end


def _tier(scanner: _Scanner) -> FileTier:
    kind = scanner.string("the class of a tier", "class")
    if kind not in (_INTERVALS, _POINTS):
        raise scanner.reading.error(scanner.line, f"a tier is an {_INTERVALS} or a {_POINTS}; got {kind[:60]!r}")
    name, line = scanner.string("the name of the tier", "name"), scanner.line
    begin, end = _bounds(scanner, "tier")
    count = scanner.size("the number of intervals or points")
    rows: list[IntervalRow] = []
    points: list[Point] = []
    for _ in range(count):
        if kind == _INTERVALS:
            start, row_line = scanner.number("xmin of an interval, a number,", "xmin"), scanner.line
            stop = scanner.number("xmax of an interval, a number,", "xmax")
            rows.append(IntervalRow(start, stop, scanner.string("the text of an interval", "text"), row_line))
        else:
            time = scanner.number("the time of a point, a number,", "number", "time")
            points.append(Point(time, scanner.string("the mark of a point", "mark")))
    return FileTier(name, line, begin, end, rows, None if kind == _INTERVALS else tuple(points))


def word_times(
    path: str | PathLike[str], tier: str | None = None, *, snap: float = 1e-4
) -> tuple[dict[str, WordTimes], int]:
    reading = Reading(fspath(path), _decode(path, load(path)))
    words = [row for row in find_word_tier(reading, _tiers(reading), tier).rows if row.label.strip()]
    return timed.snap_words(reading, {reading.stem: words}, snap)


def _write(writing: Writing) -> str:
    item = writing.only_item()
    tiers = cast("Mapping[str, Tier]", writing.corpus.of_item(item))
    for coder, tier in tiers.items():
        if tier.intervals and tier.points is not None:
            raise writing.error("a TextGrid cannot store intervals and points in one tier", item, coder)
    parts = [_tier_lines(coder, tier.intervals, tier.points, tier.begin, tier.end) for coder, tier in tiers.items()]
    shared = shared_words(writing, tiers, "a TextGrid")
    if shared is not None:
        name, words = shared
        if not words:
            raise writing.error("a word tier must have words; got none")
        parts.append(_tier_lines(name, words, None, words[0].start, words[-1].end))
    begin, end = min(tier.begin for tier in tiers.values()), max(tier.end for tier in tiers.values())
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", f"xmin = {begin!r}", f"xmax = {end!r}"]
    lines += ["tiers? <exists>", f"size = {len(parts)}", "item []:"]
    for i, part in enumerate(parts, 1):
        lines += [f"    item [{i}]:", *part]
    return "\n".join(lines) + "\n"


def _tier_lines(
    name: str, intervals: Sequence[Interval], points: Sequence[Point] | None, begin: float, end: float
) -> list[str]:
    if points is None:
        kind, key, filled = _INTERVALS, "intervals", _fill_gaps(intervals, begin, end)
        rows = [[f"xmin = {start!r}", f"xmax = {stop!r}", f"text = {_quote(text)}"] for start, stop, text in filled]
    else:
        kind, key = _POINTS, "points"
        rows = [[f"number = {time!r}", f"mark = {_quote(label)}"] for time, label in points]
    lines = [f"class = {_quote(kind)}", f"name = {_quote(name)}", f"xmin = {begin!r}", f"xmax = {end!r}"]
    lines.append(f"{key}: size = {len(rows)}")
    for i, row in enumerate(rows, 1):
        lines += [f"{key} [{i}]:", *(f"    {line}" for line in row)]
    return ["        " + line for line in lines]


def _fill_gaps(intervals: Sequence[Interval], begin: float, end: float) -> list[Interval]:
    starts = [begin, *(interval.end for interval in intervals)]
    ends = [*(interval.start for interval in intervals), end]
    gaps = [Interval(start, stop, "") for start, stop in zip(starts, ends, strict=True) if start < stop]
    return sorted([*intervals, *gaps])


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _decode(path: str | PathLike[str], data: bytes) -> str:
    """Decode UTF-16 if there is a byte order mark, else UTF-8. Praat writes UTF-16 if a label needs it."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return decode(path, data)
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        raise FormatError(path, None, "expected text in UTF-16; got bytes that are not valid UTF-16") from None
    return decode(path, text.encode("utf-8"))


def _looks_like(text: str) -> bool:
    return bool(re.match(r'\s*File type = "ooTextFile[^"\n]{0,20}"\s+(?:Object class = )?"TextGrid"', text))


FORMAT = Format(
    name="textgrid",
    suffixes=(".textgrid",),
    description="a TextGrid of Praat: tiers of labelled intervals, one per coder",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    decode=_decode,
    options=timed.TIER_OPTIONS,
    annotation_types=(Tier,),
    stores_points=True,
    part="tier",
    names_from_file=("item",),
    tiers=_tiers,
    hint="--tier or --labels",
)
