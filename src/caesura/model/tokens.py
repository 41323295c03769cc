"""Whether the coders of an item segmented the same text."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.errors import MismatchError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.projection import alignment_hint
from caesura.model.segmentation import Segmentation


def check_same_tokens(corpus: Corpus) -> list[MismatchError]:
    """What keeps coders from being compared: for each item the first difference between their texts, if there is one.

    Streams must be the same, then the tokens of each stream; where one side carries no text, its length must be the
    same. Nothing is raised: the list is empty if all is well.

    >>> ann = Segmentation.from_marks(["", "."], units=["good", "night"])
    >>> bo = Segmentation.from_marks([",", "."], units=["good", "knight"])
    >>> for problem in check_same_tokens(Corpus({"x": {"Ann": {"F": ann}, "Bo": {"F": bo}}})):
    ...     print(problem)
    item 'x', stream 'F': token 2 is 'night' for Ann and 'knight' for Bo; to lay other texts over each other: read with \
align='edit'
    """
    by_item: dict[str, dict[str, Annotation]] = {}
    for item, coder in corpus:
        by_item.setdefault(item, {})[coder] = corpus[item, coder]
    found = ((item, text_difference(by_coder)) for item, by_coder in by_item.items())
    return [MismatchError(f"item {item!r}{said}") for item, said in found if said is not None]


def text_difference(by_coder: Mapping[str, Annotation]) -> str | None:
    """The first difference between the coders of one item, as the end of a sentence (": 4 tokens for ..."), or None.

    Every coder against the first, and the texts against the first text: what no coder carries cannot differ.
    """
    (first, one), *others = by_coder.items()
    for coder, other in others:
        said = _streams(first, one, coder, other)
        if said is not None:
            return said
    streams = one if isinstance(one, Dialogue) else ("",)
    for stream in streams:
        place = f", stream {stream!r}" if isinstance(one, Dialogue) else ""
        sides = {coder: _side(other, stream) for coder, other in by_coder.items()}
        base = next((coder for coder, side in sides.items() if side.units is not None), first)
        for coder, side in sides.items():
            said = _texts(base, sides[base], coder, side)
            if said is not None:
                return f"{place}: {said}"
    return None


def _side(one: Annotation, stream: str) -> Segmentation:
    return streams_of(one)[stream]


def _streams(a: str, one: Annotation, b: str, other: Annotation) -> str | None:
    if isinstance(one, Dialogue) != isinstance(other, Dialogue):
        there, not_there = (a, b) if isinstance(one, Dialogue) else (b, a)
        return f": {there} has streams and {not_there} has none"
    if isinstance(one, Dialogue) and isinstance(other, Dialogue):
        for stream in (*one, *other):
            if stream not in one or stream not in other:
                there, not_there = (a, b) if stream in one else (b, a)
                return f": stream {stream!r} is there for {there} and not for {not_there}"
    return None


def _texts(a: str, one: Segmentation, b: str, other: Segmentation) -> str | None:
    lengths = f"{one.length} tokens for {a} and {other.length} for {b}" if one.length != other.length else ""
    if one.units is not None and other.units is not None and one.units != other.units:
        for i, (x, y) in enumerate(zip(one.units, other.units, strict=False), 1):
            if x != y:
                said = f"token {i} is {x!r} for {a} and {y!r} for {b}" + (f" ({lengths})" if lengths else "")
                return said + alignment_hint(one.units, other.units)
    return lengths + alignment_hint(one.units, other.units) if lengths else None
