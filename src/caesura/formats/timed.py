"""What formats of timed tiers have in common: which tiers to take, what to do with rounding, and units for all of them.

A file is read into a corpus of tiers, in seconds, and that corpus is laid over units: ``read`` does both, ``read_coders``
reads all files first, so that the coders of an item share their units wherever their tiers stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from caesura.errors import FormatError, InputError, OptionError, TierError
from caesura.formats.format import Reading, warn
from caesura.formats.symbols import ITEM
from caesura.model.corpus import Corpus
from caesura.model.tier import Interval, Point, Tier
from caesura.model.tiers import DEFAULT_TOLERANCE, check_units, over_units
from caesura.options import Option, choice, non_negative, text

__all__ = ["COMMON", "TIERS", "Row", "TierRead", "add", "add_named", "choose", "holds_tiers", "lay", "snapped"]


class Row(NamedTuple):
    """An interval as a file has it, labelled or not, and the line on which it stands."""

    start: float
    end: float
    label: str
    line: int | None


@dataclass
class TierRead:
    """A tier as a file has it."""

    name: str
    line: int | None
    begin: float
    end: float
    rows: list[Row]
    points: tuple[Point, ...] | None = None


def choose(reading: Reading, found: Sequence[TierRead]) -> tuple[list[TierRead], TierRead | None]:
    """The tiers that are coders, and the word tier if one was named."""
    wanted, name = reading.options["tiers"], reading.options["words"]
    there = ", ".join(repr(one.name[:40]) for one in found[:20]) or "none"
    spoken = [one for one in found if one.name == name and one.points is None]
    if name is not None and len(spoken) != 1:
        raise reading.error(
            None, f"one interval tier must be named {name!r}, for the words; got {len(spoken)}; there are {there}"
        )
    words = spoken[0] if spoken else None
    for pattern in wanted or ():
        if not any(_matches(one.name, pattern) for one in found):
            raise reading.error(None, f"tiers: {pattern!r} must match a tier; there are {there}")
    if wanted is None:
        chosen = [one for one in found if one.points is None and one is not words]
    else:
        chosen = [one for one in found if one is not words and any(_matches(one.name, pattern) for pattern in wanted)]
    if not chosen:
        hint = "; point tiers must be named" if wanted is None and any(one.points is not None for one in found) else ""
        raise reading.error(None, f"at least one tier is needed beside the words; there are {there}{hint}")
    if reading.options["coder"] is not None and len(chosen) > 1:
        names = ", ".join(repr(one.name[:40]) for one in chosen[:20])
        raise reading.error(None, f"one coder was named, so one tier is needed; choose with tiers=...: {names}")
    return chosen, words


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def add(reading: Reading, chosen: Sequence[TierRead], words: TierRead | None, coders: Sequence[str]) -> None:
    """Tiers into the corpus, each as a coder."""
    item = reading.options["item"] or reading.stem
    spoken = None
    if words is not None:
        spoken = _segments(reading, words)
        if not spoken:
            raise reading.error(
                words.line, f"tier {words.name!r} must have words; all its intervals are empty or silence"
            )
    for one, coder in zip(chosen, coders, strict=True):
        if coder in reading.annotations.get(item, ()):
            raise reading.error(one.line, f"a coder must have one tier; got {coder!r} again; choose with tiers=...")
        if words is not None:  # Praat's own tiers all have the bounds of the file; those of others may not
            one.begin, one.end = min(one.begin, words.begin), max(one.end, words.end)
        add_named(reading, item, coder, one, spoken)


def add_named(reading: Reading, item: str, coder: str, one: TierRead, words: Sequence[Interval] | None = None) -> None:
    """A tier into the corpus."""
    with reading.item(one.line, f"item {item!r}, coder {coder!r}: "):
        reading.add(item, coder, Tier(_segments(reading, one), one.begin, one.end, one.points, words))


def _segments(reading: Reading, one: TierRead) -> list[Interval]:
    """The intervals with a label: an empty one, or one that stands for silence, is no segment."""
    silence = reading.options["silence"]
    return [Interval(*row[:3]) for row in _fitted(reading, one) if row.label.strip() and row.label not in silence]


def _fitted(reading: Reading, one: TierRead) -> list[Row]:
    rows, moved = snapped(reading, one.rows, reading.options["snap"], gaps=True)
    if moved:
        said = "1 edge" if moved == 1 else f"{moved} edges"
        warn(
            f"{reading.path}: tier {one.name[:40]!r}: {said} of neighbours differed by {reading.options['snap']:g} s or "
            "less and meet in the middle"
        )
    return rows


def snapped(
    reading: Reading, rows: Sequence[Row], snap: float, *, gaps: bool = False, empty: bool = False
) -> tuple[list[Row], int]:
    """Rows that follow each other, and how often neighbours overlapped by ``snap`` or less and now meet in the middle.

    A larger overlap is an error. With ``gaps``, gaps that small are closed too: they come from rounding as overlaps do, and
    would be units of their own. With ``empty``, a row may take no time.
    """
    out: list[Row] = []
    moved = 0
    for row in rows:
        if not row.start < row.end and not (empty and row.start == row.end):
            raise reading.error(row.line, f"interval end must be > start; got {row.end:.10g} <= {row.start:.10g}")
        before = out[-1] if out else None
        if before is not None and row.start != before.end and (gaps or row.start < before.end):
            if row.start < before.end - snap:
                raise reading.error(
                    row.line,
                    f"intervals must follow each other; {row.label[:40]!r} starts at {row.start:.10g} s, before "
                    f"{before.label[:40]!r} ends at {before.end:.10g} s",
                )
            if abs(row.start - before.end) <= snap:
                middle = (row.start + before.end) / 2
                if not before.start < middle < row.end:
                    raise reading.error(row.line, f"intervals must be longer than snap, {snap:g} s, to be moved by it")
                out[-1] = Row(before.start, middle, before.label, before.line)
                row = Row(middle, row.end, row.label, row.line)
                moved += 1
        out.append(row)
    return out, moved


# -- units ------------------------------------------------------------------------------------------------------------


def holds_tiers(corpus: Corpus) -> bool:
    """Whether there are times that no units lie under yet."""
    return any(isinstance(corpus[key], Tier) for key in corpus)


def lay(
    corpus: Corpus,
    path: str,
    options: Mapping[str, Any],
    *,
    types: Sequence[str] | None = None,
    excluded: list[FormatError] | None = None,
) -> Corpus:
    """The corpus of a file or of several, its tiers over units as the options ask; ``units="times"`` leaves them be."""
    if not holds_tiers(corpus) or options["units"] == "times":
        return corpus
    bad: list[InputError] | None = None if excluded is None else []
    try:
        laid, notes = over_units(
            corpus,
            options["units"],
            tolerance=options["tolerance"],
            labels=options["labels"],
            types=types,
            excluded=bad,
        )
    except TierError as error:
        raise FormatError(path, None, str(error)) from None
    if excluded is not None:
        excluded += [FormatError(path, None, str(error)) for error in bad or ()]
    for item, note in notes.items():
        warn(f"{path}: item {item!r}: {note}")
    return laid


# -- options ----------------------------------------------------------------------------------------------------------


def _names(name: str, value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [None]
    if not listed or not all(isinstance(one, str) for one in listed):
        raise OptionError(f"{name} must be a name or a list of names; got {value!r}")
    return tuple(listed)


def _units(name: str, value: Any) -> Any:
    if value == "times":
        return value
    try:
        return check_units(name, value)
    except OptionError as error:
        raise OptionError(str(error).replace("'union' or", "'union', 'times' or")) from None


def _name(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise OptionError(f"{name} must be the name of a tier; got {value!r}")


COMMON = (
    Option(
        "units", None, _units, "words, union, seconds of a step, or times: tiers as they are; by default words if named"
    ),
    Option(
        "tolerance", DEFAULT_TOLERANCE, non_negative(), "with the union: seconds within which marks of coders are one"
    ),
    Option("silence", (), _names, "labels that are no segments, as empty ones are, such as sil and sp"),
    Option("labels", "types", choice("types", "ignore"), "whether labels are the types of boundaries, or to ignore"),
    Option(
        "snap", 1e-4, non_negative(), "edges of neighbours so many seconds apart meet in the middle, and it is said"
    ),
)
TIERS = (
    ITEM,
    Option("coder", None, text, "the name of the coder, where one tier is chosen; by default the tier's"),
    Option("tiers", None, _names, "names or patterns of the tiers that are coders; by default all with intervals"),
    Option("words", None, _name, "the name of the tier with the words"),
    *COMMON,
)
