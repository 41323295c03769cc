"""Boundary symbols at the end of an utterance, such as ``.``, ``,``, ``?`` and ``--``: what stands there, of which type."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.errors import OptionError, SegmentationError
from caesura.model.segmentation import Segmentation, sort_types
from caesura.options import Option, text

CASE_STUDY = {symbol: symbol for symbol in (".", ",", "?", "--")}
"""Falling, continuing, rising and truncated: the endnotes of seed 000's case study, after DuBois et al. 1993."""

# What word processors and input methods make of a symbol. One of these at the end of an utterance would pass for a word.
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
    """Symbol -> type, and what an end without a symbol is: a type of its own, or an error."""

    types: Mapping[str, str]
    unclassified: str | None = None
    attached: bool = True
    """Whether a symbol may also be the last characters of a word."""

    @classmethod
    def of(cls, options: Mapping[str, Any], types: Sequence[str] | None, default: Mapping[str, str]) -> Symbols:
        """As the options say; where they name no symbols, the declared types are symbols themselves."""
        unclassified = options["unclassified"]
        named = options["symbols"]
        if named is None:
            named = default if types is None else {name: name for name in types if name != unclassified}
        return cls(named, unclassified, options["attached"])

    def scale(self, types: tuple[str, ...] | None) -> tuple[str, ...]:
        """The types in ordinal order: as declared, else in the order of the symbols, the unclassified one last."""
        mine = dict.fromkeys(self.types.values())
        if self.unclassified is not None:
            mine.setdefault(self.unclassified)
        for name in mine if types is not None else ():
            if name not in (types or ()):
                raise OptionError(f"types must hold every type that a symbol stands for; {name!r} is not among them")
        return tuple(mine) if types is None else types

    def split(self, tokens: Sequence[str]) -> tuple[list[str], str]:
        """The tokens without the final symbol, and the type of the boundary after them."""
        if not tokens:
            raise SegmentationError("an utterance must hold at least one token; this is empty")
        *words, last = tokens
        if last in self.types:
            if not words:
                raise SegmentationError(
                    f"an utterance must hold a token before the boundary symbol; got {last!r} alone"
                )
            return words, self.types[last]
        if self.attached:
            symbol = self._ending(last)
            if symbol and len(symbol) < len(last):
                word = last[: -len(symbol)]
                if self._ending(word):
                    raise SegmentationError(
                        f"the last token {last!r} ends in several boundary symbols; put a space before the boundary, "
                        "or read with attached=False if it is a word"
                    )
                return [*words, word], self.types[symbol]
        self._refuse_lookalike(last)
        if self.unclassified is None:
            raise SegmentationError(f"an utterance must end in one of {self.known}; the last token is {last!r}")
        return list(tokens), self.unclassified

    def segmentations(
        self,
        words: Mapping[str, Sequence[str]],
        marks: Mapping[str, Sequence[str]],
        options: Mapping[str, Any],
        types: tuple[str, ...] | None,
    ) -> dict[str, Segmentation]:
        """A segmentation for each stream, with one scale: where nobody named symbols or types, those that occur."""
        named = options["symbols"] is not None or types is not None
        last = [self.unclassified] if self.unclassified is not None else []
        occur = {mark for side in marks.values() for mark in side if mark}
        scale = self.scale(types) if named else (*sort_types(occur.difference(last)), *last)
        return {
            stream: Segmentation.from_marks(marks[stream], types=scale, units=tokens).with_types(
                scale, types_declared=named
            )
            for stream, tokens in words.items()
        }

    @property
    def known(self) -> str:
        """The symbols, for a message."""
        return ", ".join(map(repr, self.types)) or "no symbols"

    def _ending(self, token: str) -> str:
        """The longest symbol at the end of a token, or nothing."""
        return max((symbol for symbol in self.types if token.endswith(symbol)), key=len, default="")

    def _refuse_lookalike(self, last: str) -> None:
        meant = next((symbol for symbol in _LOOKALIKES.get(last[-1:], ()) if symbol in self.types), None)
        if meant is not None and (self.attached or len(set(last)) == 1):
            end = last if len(set(last)) == 1 else last[-1]
            name = unicodedata.name(last[-1]).lower()
            whole = "" if end == last else f" of {last!r}"
            raise SegmentationError(
                f"an utterance must end in one of {self.known}; ends in {end!r} ({name}){whole}; declared is {meant!r}"
            )


def _symbols(name: str, value: Any) -> dict[str, str]:
    """A list of symbols that are types themselves, or a mapping from symbols to types."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionError(f"{name} must be a list of symbols, or a mapping from symbols to types; got {value!r}")
    pairs = list(value.items()) if isinstance(value, Mapping) else [(one, one) for one in value]
    found: dict[str, str] = {}
    for symbol, kind in pairs:
        if not isinstance(symbol, str) or symbol.split() != [symbol]:
            raise OptionError(f"{name}: a symbol must be a string without spaces; got {symbol!r}")
        if not isinstance(kind, str) or not kind:
            raise OptionError(f"{name}: a type must be a name that is not empty; got {kind!r}")
        if symbol in found:
            raise OptionError(f"{name}: a symbol may be named only once; got {symbol!r} again")
        found[symbol] = kind
    if not found:
        raise OptionError(f"{name}: at least one symbol is needed; got none")
    return found


ITEM = Option("item", None, text, "the name of the item; by default the file's")
CODER = Option("coder", None, text, "the name of the coder; by default the file's")

OPTIONS = (
    Option("symbols", None, _symbols, "the boundary symbols, in the order of their types; or symbol -> type"),
    Option("unclassified", None, text, "the type of a segment end without a symbol; None: such an end is an error"),
    ITEM,
    CODER,
)
"""What transcripts have in common."""
