"""Tokens and spans with character offsets, and the conversion of UTF-16 offsets into character offsets."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from caesura.errors import HierarchyError

Fragments = tuple[tuple[int, int], ...]
"""Start and end offsets of a span, in characters from 0, end excluded. A discontinuous span has several pairs."""

TOKEN_PATTERNS = {"words": re.compile(r"\S+"), "whitespace": re.compile(r"\S+"), "characters": re.compile(r"\S")}
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class TextSpan(NamedTuple):
    """Span over the characters of a text, as exported by an annotation tool.

    Attributes
    ----------
    name : str
        Identifier of the span in the tool, for messages.
    label : str, optional
        Label of the span.
    fragments : tuple of (int, int)
        Character offsets.
    line : int, optional
        Line of the file.
    """

    name: str
    label: str | None
    fragments: Fragments
    line: int | None = None

    def __str__(self) -> str:
        return self.name if self.label is None else f"{self.name} {self.label[:40]!r}"


@dataclass(frozen=True)
class Tokens:
    """Tokens of a text and their character offsets.

    Attributes
    ----------
    units : tuple of str
        Text of each token.
    starts, ends : tuple of int
        Offset of the first character of each token, and the offset after its last character.
    """

    units: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def tokenize(cls, document: str, method: str | None) -> Tokens:
        """Split a text into tokens.

        Parameters
        ----------
        document : str
            The text.
        method : {"words", "whitespace", "characters"}, optional
            How to split the text; None means ``"words"``.

        Returns
        -------
        Tokens
            The tokens in order.
        """
        method = method or "words"
        offsets = [match.span() for match in TOKEN_PATTERNS[method].finditer(document)]
        if method == "words":
            offsets = [part for pair in offsets for part in _split_punctuation(document, *pair)]
        return cls.from_offsets(document, offsets)

    @classmethod
    def from_offsets(cls, document: str, offsets: Sequence[tuple[int, int]]) -> Tokens:
        """Return the tokens at these offsets of a text.

        Parameters
        ----------
        document : str
            The text.
        offsets : sequence of (int, int)
            Start and end of each token, in ascending order.

        Returns
        -------
        Tokens
            The tokens.

        Raises
        ------
        HierarchyError
            If a token is empty, if tokens overlap, or if there are no tokens.
        """
        for i, (start, end) in enumerate(offsets):
            if start >= end:
                raise HierarchyError(f"token {i + 1} must have a character; it has none, at {start}")
            if i and start < offsets[i - 1][1]:
                word = document[start:end][:40]
                raise HierarchyError(f"tokens must not overlap; {word!r} begins inside the token before it")
        if not offsets:
            raise HierarchyError("expected a text of at least one token; got none")
        starts, ends = zip(*offsets, strict=True)
        return cls(tuple(document[start:end] for start, end in offsets), starts, ends)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Tokens:
        """Return the tokens of a text that consists of these words, separated by single spaces.

        Parameters
        ----------
        words : sequence of str
            The tokens.

        Returns
        -------
        Tokens
            The tokens with their offsets in that text.
        """
        offsets = []
        start = 0
        for word in words:
            offsets.append((start, start + len(word)))
            start += len(word) + 1
        return cls.from_offsets(" ".join(words), offsets)

    def covered(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last token that have a character between ``start`` and ``end``.

        Parameters
        ----------
        start, end : int
            Character offsets.

        Returns
        -------
        tuple of (int, int)
            Indices from 0; the first is larger than the last if no token is covered.
        """
        return bisect_right(self.ends, start), bisect_left(self.starts, end) - 1

    def merge_fragments(self, fragments: Fragments) -> list[tuple[int, int]]:
        """Sort the fragments, and merge neighbours if no token has a character between them.

        Parameters
        ----------
        fragments : tuple of (int, int)
            Character offsets.

        Returns
        -------
        list of (int, int)
            The merged fragments; empty fragments are removed.
        """
        merged: list[tuple[int, int]] = []
        for start, end in sorted(fragment for fragment in fragments if fragment[0] < fragment[1]):
            if merged:
                first, last = self.covered(merged[-1][1], start)
                if start <= merged[-1][1] or first > last:
                    merged[-1] = merged[-1][0], max(merged[-1][1], end)
                    continue
            merged.append((start, end))
        return merged


def _split_punctuation(document: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split punctuation from both ends of a word, one token per sign. Signs inside a word stay, as in ``L'Enfant``."""
    first, last = start, end
    while first < last and unicodedata.category(document[first])[0] in "PS":
        first += 1
    while last > first and unicodedata.category(document[last - 1])[0] in "PS":
        last -= 1
    signs = [(i, i + 1) for i in (*range(start, first), *range(last, end))]
    return sorted([*signs, (first, last)] if first < last else signs)


def check_fragments(fragments: Fragments, length: int) -> Fragments:
    """Return the fragments if all their offsets are inside the text.

    Parameters
    ----------
    fragments : tuple of (int, int)
        Character offsets.
    length : int
        Number of characters of the text.

    Returns
    -------
    tuple of (int, int)
        The same fragments.

    Raises
    ------
    HierarchyError
        If an offset lies outside the text or an end lies before its start.
    """
    for start, end in fragments:
        if not 0 <= start <= end <= length:
            raise HierarchyError(f"offsets must increase and lie in 0-{length}, the text; got {start}-{end}")
    return fragments


class Utf16Offsets:
    """Offsets in UTF-16 code units, as Java and browsers count: a character beyond U+FFFF counts twice.

    Parameters
    ----------
    document : str
        The text.

    Examples
    --------
    >>> Utf16Offsets("a😀b").to_character(3)
    2
    """

    def __init__(self, document: str) -> None:
        self.length = len(document)
        # Offsets, in code units, of the characters that take two code units.
        self._astral = [match.start() + i for i, match in enumerate(_ASTRAL.finditer(document))]

    def to_character(self, offset: int) -> int:
        """Convert an offset in code units into one in characters.

        Parameters
        ----------
        offset : int
            Number of code units from the start of the text.

        Returns
        -------
        int
            Number of characters from the start of the text.

        Raises
        ------
        HierarchyError
            If the offset lies between the two code units of a character, or outside the text.
        """
        preceding = bisect_left(self._astral, offset)
        if preceding and self._astral[preceding - 1] == offset - 1:
            raise HierarchyError(
                f"an offset must lie between characters; {offset} is inside a character of two UTF-16 units"
            )
        end = self.length + len(self._astral)
        if not 0 <= offset <= end:
            raise HierarchyError(f"an offset must lie in 0-{end}, the text in UTF-16 units; got {offset}")
        return offset - preceding

    def to_characters(self, fragments: Fragments) -> Fragments:
        """Convert fragments in code units into fragments in characters.

        Parameters
        ----------
        fragments : tuple of (int, int)
            Offsets in code units.

        Returns
        -------
        tuple of (int, int)
            Offsets in characters.
        """
        converted = tuple((self.to_character(start), self.to_character(end)) for start, end in fragments)
        return check_fragments(converted, self.length)


def single_line(covered: str) -> str:
    """Replace line breaks and tabs by spaces, as tools do when they copy a text into one line.

    Parameters
    ----------
    covered : str
        Text that a span covers.

    Returns
    -------
    str
        A text of the same length.
    """
    return re.sub(r"[\n\r\t]", " ", covered)
