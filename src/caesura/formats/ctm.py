"""Word times in .ctm files, which forced aligners and speech recognizers write: ``talk1 1 0.50 0.25 good 0.98``.

The words are the intervals of a coder. :func:`word_times` returns them as units for other annotations.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from os import PathLike, fspath

from caesura.formats.content import NUMBER, decode, load
from caesura.formats.format import CODER, Format, Reading
from caesura.formats.timed import UNIT_OPTIONS, FileTier, IntervalRow, WordTimes, add_tier, snap_words
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier

_MAX_DIGITS = 40  # per number; no program writes longer numbers
_MAX_TIME = 1e9  # seconds, about thirty years
_EXACT = Context(prec=2 * _MAX_DIGITS)


def _read(reading: Reading) -> Corpus:
    for name, rows in _recordings(reading, allow_empty=False).items():
        tier = FileTier(name, rows[0].line, 0.0, max(row.end for row in rows), rows)
        add_tier(reading, name, reading.coder_name, tier)
    return reading.corpus()


def word_times(path: str | PathLike[str], *, snap: float = 1e-4) -> tuple[dict[str, WordTimes], int]:
    """Return the words of each recording with their times. The duration of a word may be 0."""
    reading = Reading(fspath(path), decode(path, load(path)))
    return snap_words(reading, _recordings(reading, allow_empty=True), snap, allow_empty=True)


def _recordings(reading: Reading, *, allow_empty: bool) -> dict[str, list[IntervalRow]]:
    by_channel: dict[tuple[str, str], list[IntervalRow]] = {}
    channels: dict[str, set[str]] = {}
    for name, channel, row in _rows(reading, allow_empty):
        by_channel.setdefault((name, channel), []).append(row)
        channels.setdefault(name, set()).add(channel)
    if not by_channel:
        raise reading.error(None, "expected at least one word; got none")
    recordings: dict[str, list[IntervalRow]] = {}
    for (name, channel), rows in by_channel.items():
        full_name = name if len(channels[name]) == 1 else f"{name}/{channel}"
        if full_name in recordings:
            raise reading.error(rows[0].line, f"recordings must differ in name; got {full_name!r} again")
        recordings[full_name] = rows
    return recordings


def _rows(reading: Reading, allow_empty: bool) -> Iterator[tuple[str, str, IntervalRow]]:
    for number, line in enumerate(reading.text.split("\n"), 1):
        if not line.strip() or line.startswith(";;"):
            continue
        cells = line.split()
        if not 5 <= len(cells) <= 6:
            columns = "recording, channel, start, duration, word and an optional confidence"
            raise reading.error(number, f"a line is {columns}; got {len(cells)} columns")
        name, channel, _, _, word = cells[:5]
        numbers = zip(("start", "duration", "confidence"), (*cells[2:4], *cells[5:]), strict=False)
        start, duration, *_ = (parse_decimal(reading, number, column, cell) for column, cell in numbers)
        if duration < 0 or (duration == 0 and not allow_empty) or start < 0:
            actual = f"start {cells[2]}, duration {cells[3]}"
            raise reading.error(number, f"{word[:40]!r} must start at 0 or later and have a duration; got {actual}")
        yield name, channel, IntervalRow(float(start), end_time(start, duration), word, number)


def parse_decimal(reading: Reading, line: int, name: str, cell: str) -> Decimal:
    if len(cell) > _MAX_DIGITS or not NUMBER.fullmatch(cell) or not abs(float(cell)) < _MAX_TIME:
        raise reading.error(line, f"{name} must be a number below {_MAX_TIME:g}; got {cell[:40]!r}")
    return Decimal(repr(float(cell)) if "e" in cell.lower() else cell)


def end_time(start: Decimal, duration: Decimal) -> float:
    """Return the sum of two decimal numbers. 0.1 + 0.2 is 0.3, so that adjacent intervals share their edge."""
    return float(_EXACT.add(start, duration))


def _looks_like(text: str) -> bool:
    lines = [line.rstrip("\r") for line in text.split("\n")[:50] if line.strip() and not line.startswith(";;")]
    return bool(lines) and all(map(_is_word, lines[:-1] if len(lines) > 1 else lines))


def _is_word(line: str) -> bool:
    """Return whether a line has the columns of a word; two tabs in succession are an empty column, which there is not."""
    cells = line.split()
    if len(cells) not in (5, 6) or "\t\t" in line:
        return False
    return all(NUMBER.fullmatch(cell[:_MAX_DIGITS]) for cell in (*cells[2:4], *cells[5:]))


FORMAT = Format(
    name="ctm",
    suffixes=(".ctm",),
    description="times of words, one per line: recording, channel, start, duration, word",
    read=_read,
    looks_like=_looks_like,
    options=(CODER, *UNIT_OPTIONS),
    annotation_types=(Tier,),
)
