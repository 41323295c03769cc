"""Boundary symbols at the end of utterances, such as ``.``, ``,``, ``?`` and ``--``, and their boundary types."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import OptionError, SegmentationError
from caesura.formats.content import describe_value
from caesura.formats.format import NAME_OPTIONS, Reading
from caesura.model.segmentation import Segmentation, sort_types
from caesura.options import Option, text

# Endnotes of DuBois et al. (1993) for falling, continuing, rising and truncated units, as in segsimflex.
CASE_STUDY = {symbol: symbol for symbol in (".", ",", "?", "--")}

# Characters that word processors and input methods insert instead of a symbol. Without a check, one of them at the end
# of an utterance would be read as part of a word.
_LOOKALIKES = {
    **dict.fromkeys("—–―‒−－﹘⸺⸻", ("--", "-", "---")),
    **dict.fromkeys("，、﹐،", (",",)),
    **dict.fromkeys("。．｡", (".",)),
    **dict.fromkeys("？﹖؟", ("?",)),
    **dict.fromkeys("；﹔", (";",)),
    **dict.fromkeys("！﹗", ("!",)),
    **dict.fromkeys("：﹕", (":",)),
    "…": ("...",),
}


@dataclass(frozen=True)
class Symbols:
    """Boundary symbols of a transcript, and the type of an utterance end without a symbol."""

    types: Mapping[str, str]  # boundary type of each symbol
    unclassified: str | None = None  # type of an end without a symbol; None if such an end is an error
    attached: bool = True  # whether a symbol may also be the last characters of a word

    @classmethod
    def from_options(
        cls, options: Mapping[str, Any], types: Sequence[str] | None, default: Mapping[str, str]
    ) -> Symbols:
        unclassified, symbols = options["unclassified"], options["symbols"]
        if symbols is None:
            symbols = default if types is None else {name: name for name in types if name != unclassified}
        return cls(symbols, unclassified, options["attached"])

    def scale(self, types: tuple[str, ...] | None) -> tuple[str, ...]:
        names = dict.fromkeys(self.types.values())
        if self.unclassified is not None:
            names.setdefault(self.unclassified)
        if types is None:
            return tuple(names)
        for name in names:
            if name not in types:
                raise OptionError(f"types must contain the type of every symbol; {name!r} is missing")
        return types

    def split(self, tokens: Sequence[str]) -> tuple[list[str], str]:
        if not tokens:
            raise SegmentationError("an utterance must have at least one token; this one is empty")
        *words, last = tokens
        if last in self.types:
            if not words:
                raise SegmentationError(f"an utterance must have a token before the boundary; got {last!r} alone")
            return words, self.types[last]
        if self.attached:
            symbol = self._ending(last)
            if symbol and len(symbol) < len(last):
                word = last[: -len(symbol)]
                if self._ending(word):
                    hint = "put a space before the boundary, or read with attached=False if it is a word"
                    raise SegmentationError(f"the last token {last!r} ends in several boundary symbols; {hint}")
                return [*words, word], self.types[symbol]
        self._refuse_lookalike(last)
        if self.unclassified is None:
            problem = f"an utterance must end in one of {self.symbol_list}; the last token is {describe_value(last)}"
            hint = "name the boundary symbols with symbols=, or the type of other endings with unclassified="
            raise SegmentationError(f"{problem}; {hint}")
        return list(tokens), self.unclassified

    def segmentations(self, streams: Streams, reading: Reading) -> dict[str, Segmentation]:
        declared = reading.options["symbols"] is not None or reading.types is not None
        last = [self.unclassified] if self.unclassified is not None else []
        occurring = {mark for marks in streams.marks.values() for mark in marks if mark}
        scale = self.scale(reading.types) if declared else (*sort_types(occurring.difference(last)), *last)
        segmentations = streams.segmentations(scale)
        return {name: stream.with_types(scale, types_declared=declared) for name, stream in segmentations.items()}

    @property
    def symbol_list(self) -> str:
        return ", ".join(map(repr, self.types)) or "no symbols"

    def _ending(self, token: str) -> str:
        return max((symbol for symbol in self.types if token.endswith(symbol)), key=len, default="")

    def _refuse_lookalike(self, token: str) -> None:
        """Raise an error if the last character of a token is not a symbol but looks like one."""
        symbol = next((symbol for symbol in _LOOKALIKES.get(token[-1:], ()) if symbol in self.types), None)
        repeated = len(set(token)) == 1
        if symbol is not None and (self.attached or repeated):
            end, context = (token, "") if repeated else (token[-1], f" of {token!r}")
            actual = f"ends in {end!r} ({unicodedata.name(end[-1]).lower()}){context}; declared is {symbol!r}"
            raise SegmentationError(f"an utterance must end in one of {self.symbol_list}; {actual}")


@dataclass
class Streams:
    words: dict[str, list[str]] = field(default_factory=dict)
    # For each stream, the boundary type after each word; an empty string if there is no boundary.
    marks: dict[str, list[str]] = field(default_factory=dict)

    def add(self, stream: str, words: Sequence[str], boundary_type: str) -> None:
        self.words.setdefault(stream, []).extend(words)
        self.marks.setdefault(stream, []).extend([""] * (len(words) - 1) + [boundary_type])

    def segmentations(self, types: Sequence[str]) -> dict[str, Segmentation]:
        marks = self.marks
        return {name: Segmentation.from_marks(marks[name], types=types, units=self.words[name]) for name in marks}


def _symbols(name: str, value: Any) -> dict[str, str]:
    """Return the type of each symbol, from a mapping or from a list of symbols that are also the types."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionError(f"{name} must be a list of symbols, or a mapping from symbols to types; got {value!r}")
    pairs = list(value.items()) if isinstance(value, Mapping) else [(symbol, symbol) for symbol in value]
    result: dict[str, str] = {}
    for symbol, kind in pairs:
        if not isinstance(symbol, str) or symbol.split() != [symbol]:
            raise OptionError(f"{name}: a symbol must be a string without spaces; got {symbol!r}")
        if symbol in result:
            raise OptionError(f"{name}: a symbol may be named only once; got {symbol!r} again")
        result[symbol] = text(f"{name}: a type", kind)
    if not result:
        raise OptionError(f"{name}: expected at least one symbol; got none")
    return result


# Options of all transcript formats.
OPTIONS = (
    Option("symbols", None, _symbols, "boundary symbols in the order of their types, or a mapping from symbol to type"),
    Option("unclassified", None, text, "type of a segment end without a symbol (default: such an end is an error)"),
    *NAME_OPTIONS,
)
