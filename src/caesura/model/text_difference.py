"""Differences between the texts of coders, for error messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from caesura.errors import MismatchError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.segmentation import Segmentation

_SPACE = re.compile(r"\s+")


def check_same_tokens(corpus: Corpus) -> list[MismatchError]:
    """Return the first difference between the coders' texts for each item.

    Parameters
    ----------
    corpus : Corpus
        Segmentations and dialogues.

    Returns
    -------
    list of MismatchError
        One error per item whose coders cannot be compared; empty if there is none. The errors are not raised.

    Notes
    -----
    First the streams of all coders must be the same, then the tokens of each stream. If one coder has no text, only the
    lengths are compared.

    Examples
    --------
    >>> ann = Segmentation.from_marks(["", "."], units=["good", "night"])
    >>> bo = Segmentation.from_marks([",", "."], units=["good", "knight"])
    >>> for problem in check_same_tokens(Corpus({"x": {"Ann": {"F": ann}, "Bo": {"F": bo}}})):
    ...     print(str(problem).split(";")[0])
    item 'x', stream 'F': token 2 is 'night' for Ann and 'knight' for Bo
    """
    differences = ((item, text_difference(corpus.of_item(item))) for item in corpus.item_names)
    return [MismatchError(f"item {item!r}{difference}") for item, difference in differences if difference is not None]


def text_difference(by_coder: Mapping[str, Annotation]) -> str | None:
    # The streams of every coder are compared with those of the first coder, and every text with the first known text.
    if are_same_texts(by_coder.values()):
        return None
    (first, annotation), *_ = by_coder.items()
    for coder in by_coder:
        difference = _stream_difference(first, annotation, coder, by_coder[coder])
        if difference is not None:
            return f": {difference}"
    for stream in texts_of(annotation):
        sides = {coder: texts_of(side)[stream] for coder, side in by_coder.items()}
        base = next((coder for coder, side in sides.items() if side.units is not None), first)
        for coder, side in sides.items():
            difference = _token_difference(base, sides[base], coder, side)
            if difference is not None:
                place = f", stream {stream!r}" if isinstance(annotation, Dialogue) else ""
                return f"{place}: {difference}"
    return None


def are_same_texts(annotations: Collection[object]) -> bool:
    """Return whether annotations are certainly segmentations of the same text, which most are."""
    first = next(iter(annotations))
    return type(first) is Segmentation and all(
        type(entry) is Segmentation and entry.length == first.length and entry.units is first.units
        for entry in annotations
    )


def _stream_difference(a: str, a_side: Annotation, b: str, b_side: Annotation) -> str | None:
    if isinstance(a_side, Dialogue) != isinstance(b_side, Dialogue):
        with_streams, without = (a, b) if isinstance(a_side, Dialogue) else (b, a)
        return f"{with_streams} has streams and {without} has none"
    if isinstance(a_side, Dialogue) and isinstance(b_side, Dialogue):
        for stream in (*a_side, *b_side):
            if stream not in a_side or stream not in b_side:
                present, absent = (a, b) if stream in a_side else (b, a)
                return f"{present} has stream {stream!r}, but {absent} does not"
    return None


def _token_difference(a: str, a_side: Segmentation, b: str, b_side: Segmentation) -> str | None:
    lengths = f"{a_side.length} tokens for {a} and {b_side.length} for {b}" if a_side.length != b_side.length else ""
    tokens = () if a_side.units == b_side.units else zip(a_side.units or (), b_side.units or (), strict=False)
    for i, (x, y) in enumerate(tokens, 1):
        if x != y:
            difference = f"token {i} is {x!r} for {a} and {y!r} for {b}" + (f" ({lengths})" if lengths else "")
            return difference + alignment_hint(a_side.units, b_side.units)
    return lengths + alignment_hint(a_side.units, b_side.units) if lengths else None


def alignment_hint(a: Sequence[str] | None, b: Sequence[str] | None) -> str:
    """Return advice about units that differ, to be added to an error message."""
    if a is None or b is None:
        return ""
    advice = "; to align them, read with align='tokens'"
    if without_space(a) == without_space(b):
        return f"{advice} (or align='characters', because the characters agree)"
    return f"{advice} (or align='positions', which ignores the spelling)" if len(a) == len(b) else advice


def without_space(tokens: Sequence[str]) -> str:
    return _SPACE.sub("", "".join(tokens))
