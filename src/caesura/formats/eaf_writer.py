"""Write tiers as an .eaf file of ELAN."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from caesura.formats.content import describe_value
from caesura.formats.format import Writing
from caesura.model.tier import Interval, Tier
from caesura.notices import warn

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
"""
_TAIL = """    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_MILLISECONDS = 10**12
_NEAR_MILLISECOND = 1e-3  # milliseconds; the nearest number to a time such as 0.038 s is not exact


def write_eaf(writing: Writing) -> str:
    """Return the file of one item: one tier per coder, and a word tier if there are words.

    Parameters
    ----------
    writing : Writing
        The corpus and the options.

    Returns
    -------
    str
        The XML document. Times are rounded to whole milliseconds, as ELAN stores them, and all tiers end at the same time;
        a warning says so if that changes a tier.

    Raises
    ------
    FormatError
        If there are several items, a tier has points, a name or label contains characters that XML does not allow, or an
        interval is shorter than a millisecond.
    """
    from xml.sax.saxutils import quoteattr  # slow to import: it loads urllib and ssl

    item = writing.only_item()
    tiers = cast("Mapping[str, Tier]", writing.corpus.of_item(item))
    rows = {coder: _rows(writing, item, coder, tier) for coder, tier in tiers.items()}
    rows |= _words(writing, item, tiers)
    _warn_of_losses(writing, tiers)
    times = sorted({time for intervals in rows.values() for row in intervals for time in row[:2]} | {_end(tiers)})
    slots = {time: f"ts{i}" for i, time in enumerate(times, 1)}
    parts = [_HEAD, "    <TIME_ORDER>\n"]
    parts += [f'        <TIME_SLOT TIME_SLOT_ID="{slot}" TIME_VALUE="{time}"/>\n' for time, slot in slots.items()]
    parts.append("    </TIME_ORDER>\n")
    number = 0
    for name, intervals in rows.items():
        parts.append(f'    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID={quoteattr(name)}>\n')
        for start, end, label in intervals:
            number += 1
            parts.append(
                f'        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="{slots[start]}" '
                f'TIME_SLOT_REF2="{slots[end]}"><ANNOTATION_VALUE>{_text(label)}</ANNOTATION_VALUE>'
                "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
            )
        parts.append("    </TIER>\n")
    return "".join([*parts, _TAIL])


def _warn_of_losses(writing: Writing, tiers: Mapping[str, Tier]) -> None:
    """Warn if ELAN cannot store a time or the end of a tier."""
    times = [time for tier in tiers.values() for row in (*tier.intervals, *(tier.words or ())) for time in row[:2]]
    ends = {tier.end for tier in tiers.values()}
    rounded = next(
        (time for time in (*times, *ends) if abs(round(time * 1000) - time * 1000) > _NEAR_MILLISECOND), None
    )
    if rounded is not None:
        warn(f"{writing.path}: ELAN stores whole milliseconds; times such as {rounded!r} s are rounded")
    if len(ends) > 1:
        warn(f"{writing.path}: ELAN stores no end per tier; all tiers end at {max(ends):g} s")


def _end(tiers: Mapping[str, Tier]) -> int:
    return max(round(tier.end * 1000) for tier in tiers.values())


def _rows(writing: Writing, item: str, coder: str, tier: Tier) -> list[tuple[int, int, str]]:
    if tier.points is not None:
        raise writing.error("ELAN has no points; write a TextGrid", item, coder)
    return _milliseconds(writing, item, coder, tier.intervals)


def _milliseconds(writing: Writing, item: str, name: str, intervals: Sequence[Interval]) -> list[tuple[int, int, str]]:
    """Return intervals in milliseconds; raise an error if one cannot be written."""
    rows = []
    for text in (name, *(interval.label for interval in intervals)):
        if match := _NOT_XML.search(text):
            raise writing.error(
                f"XML cannot store the character {match.group()!r} in {describe_value(text)}", item, name
            )
    for interval in intervals:
        start, end = round(interval.start * 1000), round(interval.end * 1000)
        if not 0 <= start < end < _MAX_MILLISECONDS:
            raise writing.error(f"ELAN stores whole milliseconds from 0 up; got {interval}", item, name)
        rows.append((start, end, interval.label))
    return rows


def _words(writing: Writing, item: str, tiers: Mapping[str, Tier]) -> dict[str, list[tuple[int, int, str]]]:
    """Return the word tier, if there is one. All coders must have the same words."""
    first, words = next((coder, tier.words) for coder, tier in tiers.items())
    for coder, tier in tiers.items():
        if tier.words != words:
            raise writing.error(f"a file has one word tier; {first!r} and {coder!r} have different words")
    if words is None:
        return {}
    name = writing.options["words"] or "words"
    if name in tiers:
        raise writing.error(f"a coder has the name of the word tier, {name!r}; choose another with words=...")
    return {name: _milliseconds(writing, item, name, words)}


def _text(text: str) -> str:
    from xml.sax.saxutils import escape

    return escape(text, {"\r": "&#13;"})
