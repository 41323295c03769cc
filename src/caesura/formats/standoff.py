"""What annotation tools have in common: a text, and spans that stand apart from it and point at its characters.

Tokens are the units. They are the tool's own where it has them, else words: what stands between white space, with
punctuation at either end cut off, a token each. ``tokens="whitespace"`` cuts nothing off; with ``"characters"`` every
character that is no white space is a token, for texts written without it. A span is the tokens it covers: white space at
its edges means nothing, and levels are derived from nesting. Two spans of one label over the same tokens are one. A span
that covers no token is left out and counted.

What does not fit is never passed over in silence:

* an edge inside a token: the span is widened to the whole token, and a warning says how many were; ``edges="error"`` names
  the span and stops;
* a discontinuous span, with tokens between its fragments, is an error that names it; ``discontinuous="hull"`` reads it from
  its first to its last token, ``"fragments"`` reads each fragment as a span, and a warning says how many. Fragments with
  nothing but white space between them (brat cuts spans at the end of a line) are one;
* two spans that cross are an error that names both; ``repair=True`` leaves out spans until the rest nest, and says which.

``labels`` are patterns such as ``"PER*"``: spans with other labels are not read.

With ``as_="segments"`` the same spans make a segmentation: both edges of every span are boundaries. The type of a boundary
says what ended there, the labels of the spans that end; where spans only begin, no label ended, and the type is ``"begin"``
(the option ``begin`` names another). A span without a label ends in a plain ``"boundary"``. Where no span has a label,
boundaries have no types. Types are those that occur unless ``types`` declares them, ``begin`` among them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from os import PathLike, fspath
from typing import Any, NamedTuple

from caesura.errors import HierarchyError, OptionError
from caesura.formats.format import Reading
from caesura.formats.spans import REPAIR, Frame, LeftOut, Row, choice, hierarchy
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, text

__all__ = [
    "LAYER",
    "OPTIONS",
    "TOKENS",
    "Drawn",
    "Standoff",
    "Tokens",
    "Utf16",
    "check_parts",
    "choose",
    "file",
    "plain",
]

Parts = tuple[tuple[int, int], ...]
"""Where a span lies: characters from 0, without the end; several where it is discontinuous."""

_CUT = {"words": re.compile(r"\S+"), "whitespace": re.compile(r"\S+"), "characters": re.compile(r"\S")}
_FAR = re.compile("[\U00010000-\U0010ffff]")
_SHOWN = 20  # names that a message still lists


class Drawn(NamedTuple):
    """A span as a tool has it."""

    name: str
    label: str | None
    parts: Parts
    line: int | None = None

    def __str__(self) -> str:
        return self.name if self.label is None else f"{self.name} {self.label[:40]!r}"


@dataclass(frozen=True)
class Tokens:
    """The units, and from which to which character each goes."""

    units: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def cut(cls, said: str, how: str | None) -> Tokens:
        """Words and punctuation, whitespace tokens, or characters."""
        how = how or "words"
        places = [found.span() for found in _CUT[how].finditer(said)]
        return cls.at(said, places if how != "words" else [part for place in places for part in _pared(said, *place)])

    @classmethod
    def at(cls, said: str, places: Sequence[tuple[int, int]]) -> Tokens:
        """The tokens at these places of a text, which must not overlap."""
        for i, (start, end) in enumerate(places):
            if start >= end:
                raise HierarchyError(f"token {i + 1} must have a character; it has none, at {start}")
            if i and start < places[i - 1][1]:
                raise HierarchyError(f"tokens must not overlap; {said[start:end][:40]!r} begins inside the one before")
        if not places:
            raise HierarchyError("a text of at least one token is needed; got none")
        starts, ends = zip(*places, strict=True)
        return cls(tuple(said[start:end] for start, end in places), starts, ends)

    @classmethod
    def listed(cls, words: Sequence[str]) -> Tokens:
        """Tokens without a text: as if they stood there with a space between."""
        places = []
        at = 0
        for word in words:
            places.append((at, at + len(word)))
            at += len(word) + 1
        return cls.at(" ".join(words), places)

    def over(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last token that have a character here, from 0; the first after the last if none has."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end) - 1

    def joined(self, parts: Parts) -> list[tuple[int, int]]:
        """Parts in order; those with no character of a token between them are one."""
        whole: list[tuple[int, int]] = []
        for start, end in sorted(part for part in parts if part[0] < part[1]):
            if whole:
                before = whole[-1]
                first, last = self.over(before[1], start)
                if start <= before[1] or first > last:
                    whole[-1] = before[0], max(before[1], end)
                    continue
            whole.append((start, end))
        return whole


def _pared(said: str, start: int, end: int) -> list[tuple[int, int]]:
    """The word between punctuation, and each sign of that; punctuation inside a word stays, as in ``L'Enfant``."""
    first, last = start, end
    while first < last and unicodedata.category(said[first])[0] in "PS":
        first += 1
    while last > first and unicodedata.category(said[last - 1])[0] in "PS":
        last -= 1
    signs = [(i, i + 1) for i in (*range(start, first), *range(last, end))]
    return sorted([*signs, (first, last)] if first < last else signs)


@dataclass
class _Done:
    """How often something was done to spans, and to which first."""

    description: str
    count: int = 0
    first: str = ""

    def to(self, drawn: Drawn, place: str) -> None:
        self.count += 1
        self.first = self.first or f"{drawn} of {place}"


class Standoff:
    """The spans of a file on their way into a corpus."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.left_out = LeftOut(reading.path)
        self._done = {
            "token": _Done("{} edge(s) inside a token were widened to it"),
            "hull": _Done("{} discontinuous span(s) were read as one from first to last token"),
            "fragments": _Done("{} discontinuous span(s) were read as a span a fragment"),
        }

    def add(self, item: str, coder: str, tokens: Tokens, drawn: Sequence[Drawn]) -> None:
        """What a coder drew over a text; an error names the line of the span."""
        options = self.reading.options
        place = f"item {item!r}, coder {coder!r}"
        rows: list[Row] = []
        names: list[str] = []
        for one in self._wanted(drawn, place):
            for row in self._rows(one, tokens, place):
                rows.append(row)
                names.append(str(one))
        if not options["repair"]:
            _refuse_crossing(rows, names)
        frame = Frame(units=tokens.units)
        made = hierarchy(rows, frame, place=place, options=options, left_out=self.left_out)
        if options["as_"] == "spans":
            self.reading.add(item, coder, made)
        else:
            self.reading.add(item, coder, _segmentation(made, options["begin"], self.reading.types))

    def warn(self) -> None:
        """One warning for each kind of thing that was done or left out."""
        for done in self._done.values():
            if done.count:
                self.left_out.said.append(f"{done.description.format(done.count)}, the first in {done.first}")
        self.left_out.warn()

    def _wanted(self, drawn: Sequence[Drawn], place: str) -> list[Drawn]:
        """The spans with the labels that were asked for; to ask for what nobody drew is worth a word."""
        patterns = self.reading.options["labels"]
        if patterns is None:
            return list(drawn)
        found = [one for one in drawn if _matches(one.label or "", patterns)]
        if drawn and not found:
            asked = ", ".join(map(repr, patterns))
            self.left_out.said.append(
                f"{place}: none of {len(drawn)} span(s) has a label like {asked}; there are {_listed(drawn)}"
            )
        return found

    def _rows(self, one: Drawn, tokens: Tokens, place: str) -> list[Row]:
        """The span in tokens: one, or one a fragment, or none."""
        options = self.reading.options
        parts = tokens.joined(one.parts)
        if len(parts) > 1:
            how = options["discontinuous"]
            if how == "error":
                between, _ = tokens.over(parts[0][1], parts[1][0])
                raise self.reading.error(
                    one.line,
                    f"{place}: {one} must have no gap; token {between + 1}, {tokens.units[between][:40]!r}, lies between its "
                    "fragments; or read with discontinuous='hull' or discontinuous='fragments'",
                )
            self._done[how].to(one, place)
            if how == "hull":
                parts = [(parts[0][0], parts[-1][1])]
        rows = []
        for start, end in parts:
            first, last = tokens.over(start, end)
            if first <= last:
                self._check_edge(one, tokens, first, tokens.starts[first] < start, "begins", place)
                self._check_edge(one, tokens, last, tokens.ends[last] > end, "ends", place)
                rows.append(Row(first + 1, last + 1, None, one.label))
        if not rows:
            self.left_out.empty += 1
            self.left_out.first_empty = self.left_out.first_empty or f"{one} of {place}"
        return rows

    def _check_edge(self, one: Drawn, tokens: Tokens, token: int, inside: bool, what: str, place: str) -> None:
        if not inside:
            return
        if self.reading.options["edges"] == "error":
            finer = ", or with tokens='characters'" if "tokens" in self.reading.options else ""
            raise self.reading.error(
                one.line,
                f"{place}: {one} must begin and end between tokens; it {what} inside token {token + 1}, "
                f"{tokens.units[token][:40]!r}; or read with edges='token', widened to it{finer}",
            )
        self._done["token"].to(one, place)


def _refuse_crossing(rows: Sequence[Row], names: Sequence[str]) -> None:
    """Two spans that cross are named as their tool names them."""
    open_: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: (rows[i].start, -rows[i].end)):
        while open_ and rows[open_[-1]].end < rows[i].start:
            open_.pop()
        if open_ and rows[open_[-1]].end < rows[i].end:
            both = (f"{names[j]} over tokens {rows[j].start}-{rows[j].end}" for j in (open_[-1], i))
            raise HierarchyError(
                f"{' and '.join(both)} cross; each coder's own spans must nest; or read with repair=True, without such "
                "spans"
            )
        open_.append(i)


def _segmentation(made: Hierarchy, begin: str, types: tuple[str, ...] | None) -> Segmentation:
    """Both edges of every span as boundaries."""
    ended: dict[int, set[str]] = {}
    for span in made.spans:
        ended.setdefault(span.end, set()).add(span.label or UNTYPED[0])
    begun = {span.start - 1 for span in made.spans if span.start > 1}
    if types is None and not any(span.label for span in made.spans):
        inner = sorted((begun | set(ended)) - {made.length})
        return Segmentation.from_positions(made.length, inner, units=made.units)
    at = sorted(begun | set(ended))
    marks = [ended.get(position, {begin}) for position in at]
    return Segmentation.from_positions(made.length, at, marks=marks, types=types, units=made.units)


# -- characters -------------------------------------------------------------------------------------------------------


def check_parts(parts: Parts, length: int) -> Parts:
    """Parts that lie in a text of so many characters."""
    for start, end in parts:
        if not 0 <= start <= end <= length:
            raise HierarchyError(f"offsets must rise and lie in 0-{length}, the text; got {start}-{end}")
    return parts


class Utf16:
    """Offsets that count as Java and browsers do: a character beyond U+FFFF is two units.

    >>> Utf16("a😀b").character(3)
    2
    """

    def __init__(self, said: str) -> None:
        self.length = len(said)
        self._far = [found.start() + before for before, found in enumerate(_FAR.finditer(said))]
        """Where each character of two units begins, in units."""

    def character(self, unit: int) -> int:
        """The character that begins at a unit, or the end of the text; between two halves of a character is an error."""
        before = bisect_left(self._far, unit)
        if before and self._far[before - 1] == unit - 1:
            raise HierarchyError(f"an offset must lie between characters; {unit} is inside one, of two UTF-16 units")
        if not 0 <= unit <= self.length + len(self._far):
            raise HierarchyError(
                f"an offset must lie in 0-{self.length + len(self._far)}, the text in UTF-16 units; got {unit}"
            )
        return unit - before

    def parts(self, given: Parts) -> Parts:
        """The same in characters."""
        return check_parts(tuple((self.character(a), self.character(b)) for a, b in given), self.length)


def plain(said: str) -> str:
    """A text as tools repeat it in one line: line breaks and tabs are spaces."""
    return re.sub(r"[\n\r\t]", " ", said)


# -- layers -----------------------------------------------------------------------------------------------------------

_NOT_DRAWN = (
    "dkpro.core.api.lexmorph.",
    "dkpro.core.api.segmentation.",
    "dkpro.core.api.metadata.",
    "clarin.webanno.api.type.",
)
"""What DKPro and WebAnno say about every token or sentence, or about the whole text."""


def choose(layers: Sequence[str], patterns: Sequence[str] | None, left_out: LeftOut) -> list[str]:
    """The layers that were asked for, by their whole name or its last part; else the first that somebody drew, if any."""
    if patterns is not None:
        found = [one for one in layers if _matches(one, patterns) or _matches(one.rpartition(".")[2], patterns)]
        if not found:
            raise HierarchyError(
                f"no layer of spans is like {', '.join(map(repr, patterns))}; there are "
                f"{', '.join(layers[:_SHOWN]) or 'none'}"
            )
        return found
    drawn = [one for one in layers if not any(part in one for part in _NOT_DRAWN)]
    if len(drawn) > 1:
        left_out.said.append(
            f"of several layers of spans the first was read, {drawn[0]}; layer= names others: {', '.join(drawn[1:_SHOWN])}"
        )
    return drawn[:1]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is like one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _listed(drawn: Sequence[Drawn]) -> str:
    labels = sorted({one.label for one in drawn if one.label is not None})
    return ", ".join(repr(label[:40]) for label in labels[:_SHOWN]) or "none"


# -- options ----------------------------------------------------------------------------------------------------------


def _patterns(name: str, value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
    if isinstance(value, Mapping) or not listed or not all(isinstance(one, str) and one for one in listed):
        raise OptionError(f"{name} must be a pattern or a list of patterns; got {value!r}")
    return tuple(listed)


def file(name: str, value: Any) -> str:
    """The path of a file."""
    if isinstance(value, (str, PathLike)) and fspath(value):
        return str(fspath(value))
    raise OptionError(f"{name} must be a file; got {value!r}")


TOKENS = Option(
    "tokens",
    None,
    choice(*_CUT),
    "the units: words, whitespace tokens or characters; by default the file's own, words where it has none",
)
LAYER = Option(
    "layer",
    None,
    _patterns,
    "the layers to read, patterns of names or of their last part; by default the only one drawn",
)
OPTIONS = (
    Option(
        "as_", "spans", choice("spans", "segments"), "spans, or a segmentation with a boundary at both edges of each"
    ),
    Option("begin", "begin", text, "in segmentations: the type of a boundary where spans only begin"),
    Option("labels", None, _patterns, "the labels to read, a pattern or a list of them; by default all"),
    Option("edges", "token", choice("token", "error"), "an edge inside a token: widened to the token, or an error"),
    Option(
        "discontinuous",
        "error",
        choice("error", "hull", "fragments"),
        "a span with a gap: an error, one span from first to last token, or a span a fragment",
    ),
    REPAIR,
)
