"""Times of words in .ctm, as aligners and recognisers write them, a word a line:

    talk1 1 0.50 0.25 good 0.98
    talk1 1 0.75 0.40 night

Recording or sentence, channel, start, duration, word and, if the program is unsure, its confidence. Lines that begin with
``;;`` are comments. Every recording is an item, with its channel (``talk1/2``) where it has several. The coder is the file,
and its intervals are the words: two files compare two aligners. To use the words as units for something else, see
``word_times``.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from os import PathLike, fspath

from caesura.formats.format import NUMBER, Format, Reading, decode, load
from caesura.formats.symbols import CODER
from caesura.formats.timed import COMMON, Row, TierRead, add_named, snapped
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier

__all__ = ["FORMAT", "word_times"]

_LONGEST = 40  # characters of a number; what a program wrote has fewer
_LATEST = 1e9  # seconds: thirty years
_EXACT = Context(prec=2 * _LONGEST)  # in decimals 0.1 + 0.2 is 0.3, and the next word starts where this one ends


def read(reading: Reading) -> Corpus:
    """A tier of words for each recording."""
    coder = reading.options["coder"] or reading.stem
    for name, rows in _recordings(reading, empty=False).items():
        add_named(reading, name, coder, TierRead(name, rows[0].line, 0.0, max(row.end for row in rows), rows))
    return reading.corpus()


def word_times(
    path: str | PathLike[str], *, snap: float = 1e-4
) -> tuple[dict[str, list[tuple[str, float, float]]], int]:
    """Recording -> its words with start and end, in the order of the file; and how many overlaps were moved.

    Neighbours that overlap by ``snap`` seconds or less meet in the middle; a larger overlap is an error. A word may take no
    time, as some aligners have it.
    """
    reading = Reading(fspath(path), decode(path, load(path)))
    found: dict[str, list[tuple[str, float, float]]] = {}
    moved = 0
    for name, given in _recordings(reading, empty=True).items():
        rows, here = snapped(reading, given, snap, empty=True)
        found[name] = [(row.label, row.start, row.end) for row in rows]
        moved += here
    return found, moved


def _recordings(reading: Reading, *, empty: bool) -> dict[str, list[Row]]:
    """Name -> words, in the order of the file; ``empty``: whether one may take no time."""
    found: dict[tuple[str, str], list[Row]] = {}
    channels: dict[str, set[str]] = {}
    for name, channel, row in _rows(reading, empty):
        found.setdefault((name, channel), []).append(row)
        channels.setdefault(name, set()).add(channel)
    if not found:
        raise reading.error(None, "at least one word is needed; got none")
    named: dict[str, list[Row]] = {}
    for (name, channel), rows in found.items():
        full = name if len(channels[name]) == 1 else f"{name}/{channel}"
        if full in named:
            raise reading.error(rows[0].line, f"recordings must differ in name; got {full!r} again")
        named[full] = rows
    return named


def _rows(reading: Reading, empty: bool) -> Iterator[tuple[str, str, Row]]:
    for number, line in enumerate(reading.text.split("\n"), 1):
        if not line.strip() or line.startswith(";;"):
            continue
        cells = line.split()
        if not 5 <= len(cells) <= 6:
            raise reading.error(
                number,
                f"a line is recording, channel, start, duration, word and perhaps confidence; got {len(cells)} columns",
            )
        name, channel, start, duration, word = cells[:5]
        since, lasting = _decimal(reading, number, "start", start), _decimal(reading, number, "duration", duration)
        if len(cells) == 6:
            _decimal(reading, number, "confidence", cells[5])
        if lasting < 0 or (lasting == 0 and not empty) or since < 0:
            raise reading.error(
                number, f"word {word[:40]!r} must start at 0 or later and last; got start {start}, duration {duration}"
            )
        yield name, channel, Row(float(since), float(_EXACT.add(since, lasting)), word, number)


def _decimal(reading: Reading, line: int, what: str, cell: str) -> Decimal:
    if len(cell) > _LONGEST or not NUMBER.fullmatch(cell) or not abs(float(cell)) < _LATEST:
        raise reading.error(line, f"{what} must be a number below {_LATEST:g}; got {cell[:40]!r}")
    return Decimal(repr(float(cell)) if "e" in cell.lower() else cell)


def _looks_like(lines: str) -> bool:
    first = next((line for line in lines.split("\n")[:50] if line.strip() and not line.startswith(";;")), "")
    cells = first.split()
    return len(cells) in (5, 6) and all(NUMBER.fullmatch(cell[:_LONGEST]) for cell in (*cells[2:4], *cells[5:]))


FORMAT = Format(
    name="ctm",
    suffixes=(".ctm",),
    description="times of words, a line each: recording, channel, start, duration, word",
    read=read,
    looks_like=_looks_like,
    options=(CODER, *COMMON),
    annotation_types=(Tier,),
)
