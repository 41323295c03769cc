"""Write speech of speakers as an .rttm file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from caesura.formats.content import describe_value
from caesura.formats.format import Writing
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.notices import warn

Row = tuple[float, float, str | None]
"""Start, end and speaker."""


def write_rttm(writing: Writing) -> str:
    """Return the lines of one coder: one line per interval, with the label or category as the speaker.

    Parameters
    ----------
    writing : Writing
        The corpus and the options.

    Returns
    -------
    str
        The file. Every item is a recording with one channel.

    Raises
    ------
    FormatError
        If there are several coders, a name has spaces, an interval has no speaker or no duration, or an item has points,
        words or no interval at all.

    Warns
    -----
    CaesuraWarning
        If a recording lasts longer than its last interval, because the format does not store the end of a recording.
    """
    coder = writing.only_coder()
    lines: list[str] = []
    for item in writing.corpus.item_names:
        _check_name(writing, item, "a recording", item)
        rows = list(_rows(writing, item, coder))
        if not rows:
            raise writing.error("this format cannot store a recording without speech", item, coder)
        lines += [_line(writing, item, coder, row) for row in rows]
        _check_extent(writing, item, coder, max(end for _, end, _ in rows))
    return "".join(lines)


def _rows(writing: Writing, item: str, coder: str) -> Iterable[Row]:
    annotation = writing.corpus[item, coder]
    if isinstance(annotation, Spans):
        if annotation.axis != "seconds":
            raise writing.error("this format stores seconds; the spans count characters or tokens", item, coder)
        return _spans(annotation)
    assert isinstance(annotation, Tier)
    for name, present in (("points", annotation.points is not None), ("words", annotation.words is not None)):
        if present:
            raise writing.error(f"this format cannot store {name}; write a TextGrid", item, coder)
    return annotation.intervals


def _spans(annotation: Spans) -> Iterator[Row]:
    yield from annotation.spans


def _line(writing: Writing, item: str, coder: str, row: Row) -> str:
    start, end, speaker = row
    if speaker is None:
        raise writing.error(
            f"a speaker must have a name; the span {start:.10g}-{end:.10g} has no category", item, coder
        )
    _check_name(writing, speaker, "a speaker", item)
    if start < 0 or end <= start:
        raise writing.error(f"speech starts at 0 or later and has a duration; got {start:.10g}-{end:.10g}", item, coder)
    first, last = Decimal(repr(start)), Decimal(repr(end))
    return f"SPEAKER {item} 1 {first:f} {last - first:f} <NA> <NA> {speaker} <NA> <NA>\n"


def _check_name(writing: Writing, name: str, what: str, item: str) -> None:
    if len(name.split()) != 1 or name.split()[0] != name or (what == "a recording" and name.startswith(";")):
        raise writing.error(f"{what} must have a name without spaces; got {describe_value(name)}", item)


def _check_extent(writing: Writing, item: str, coder: str, last: float) -> None:
    annotation = writing.corpus[item, coder]
    if isinstance(annotation, Tier):
        end: float | None = annotation.end
    else:
        assert isinstance(annotation, Spans)
        end = None if annotation.bounds is None else annotation.bounds[1]
    if end is not None and end != last and writing.options["duration"] != end:
        problem = f"item {item!r}: the recording ends at {end:.10g} s, which this format does not store"
        warn(f"{writing.path}: {problem}; it will be read with the end {last:.10g} s unless duration={end:.10g} is set")
