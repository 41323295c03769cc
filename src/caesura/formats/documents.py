"""A row a document: a reference and a hypothesis over the same units, for collections of any size.

===================  ==================================================================================================
``item``             the name of the document; optional, by default the number of its row
``length``           the number of its units
``reference``,       boundary positions, rising, each from 1 to length - 1, as lists of whole numbers; or, for trees, brackets
``hypothesis``       as text, and then there is no ``length``
``reference_types``, the type of each position, as lists of text; optional. Positions may then be repeated, once for
``hypothesis_types`` each type, and the last may be ``length``
``reference_times``, of trees: a pair of times for each word; optional
``hypothesis_times``
===================  ==================================================================================================

As Parquet (``documents_parquet.py``) or as lines of JSON objects (``documents_json.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caesura.errors import CaesuraError, FormatError, OptionError, SegmentationError, TreeError
from caesura.formats.format import Reading, warn
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tree import Tree
from caesura.options import Option, text

SIDES = ("reference", "hypothesis")
FIELDS = ("item", "length", *SIDES, *(f"{side}_types" for side in SIDES), *(f"{side}_times" for side in SIDES))
_SHOWN = 5  # names that a message still lists


WRITING = tuple(Option(side, None, text, f"in writing: which coder is the {side}") for side in SIDES)
"""Which of several coders stand in the two columns."""


def sides_of(coders: Sequence[str], chosen: Mapping[str, str | None]) -> tuple[str, str]:
    """The coders that are reference and hypothesis: those that were named, or those of that name."""
    reference, hypothesis = (chosen.get(side) or side for side in SIDES)
    for side, name in zip(SIDES, (reference, hypothesis), strict=True):
        if name not in coders:
            there = ", ".join(coders[:20]) + (f" and {len(coders) - 20} more" if len(coders) > 20 else "")
            raise OptionError(f"no coder is called {name!r}; name the {side}, one of {there or 'none'}")
    if reference == hypothesis:
        raise OptionError(f"reference and hypothesis must be two coders; got {reference!r} for both")
    return reference, hypothesis


def rows_of(corpus: Corpus, path: str, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every item that both coders made something of, as a row. Items that one of them left out are named in a warning."""
    both, left_out = _both(corpus, path, options)
    if left_out:
        more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
        warn(f"{path}: left out, because one of the two coders has nothing: {', '.join(left_out[:_SHOWN])}{more}")
    if not both:
        raise FormatError(path, None, "no item has both coders; there is nothing to write")
    if any(_has_more(one) for pair in both.values() for one in pair):
        warn(f"{path}: the text of units and the labels of segments have no place in it and are left out")
    typed = any(isinstance(one, Segmentation) and one.types != UNTYPED for pair in both.values() for one in pair)
    return [{"item": item} | _row(item, *pair, path, typed) for item, pair in both.items()]


def scale_of(corpus: Corpus, path: str, options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The types that the rows have, in order; None where boundaries have none, or where nobody declared an order."""
    both, _ = _both(corpus, path, options)
    scales = dict.fromkeys(
        one.types
        for pair in both.values()
        for one in pair
        if isinstance(one, Segmentation) and one.types_declared and one.types != UNTYPED
    )
    if len(scales) > 1:
        said = " and ".join(", ".join(scale) for scale in list(scales)[:2])
        raise FormatError(path, None, f"all items must declare the same types in the same order; got {said}")
    return next(iter(scales), None)


def _both(
    corpus: Corpus, path: str, options: Mapping[str, Any]
) -> tuple[dict[str, tuple[Annotation, Annotation]], list[str]]:
    """What both coders made of each item; and the items that one of them left out."""
    try:
        reference, hypothesis = sides_of(corpus.coders, options)
    except OptionError as problem:
        raise FormatError(path, None, str(problem)) from None
    both = {}
    left_out = []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        if reference in by_coder and hypothesis in by_coder:
            both[item] = by_coder[reference], by_coder[hypothesis]
        elif reference in by_coder or hypothesis in by_coder:
            left_out.append(item)
    return both, left_out


def check_reading(reading: Reading) -> None:
    """Which coder is which is for writing; a file of documents says it itself."""
    for side in SIDES:
        if reading.options.get(side) is not None:
            raise OptionError(f"{side} is for writing; of documents the columns say it, leave it out")


def add_chunk(reading: Reading, chunk: Documents | DocumentPairs, types: tuple[str, ...] | None) -> None:
    """Documents into a corpus of two coders, called reference and hypothesis."""
    for d in range(len(chunk)):
        with reading.item(chunk.rows[d], f"item {chunk.items[d]!r}: "):
            if d in chunk.excluded:
                raise SegmentationError(str(chunk.excluded[d]))
            both = chunk.pair(d, types) if isinstance(chunk, Documents) else chunk.pairs[d]
            for side, one in zip(SIDES, both, strict=True):
                if one is not None:
                    reading.add(chunk.items[d], side, one)


def tree_from(side: str, text: str, times: Any) -> Tree:
    """A tree from brackets and, where there are some, times."""
    try:
        return Tree.from_brackets(text, times)
    except (CaesuraError, TypeError, ValueError) as problem:
        raise TreeError(f"{side}: {problem}") from None


def _has_more(one: object) -> bool:
    return isinstance(one, Segmentation) and (one.units is not None or one.labels is not None)


def _row(item: str, one: Annotation, other: Annotation, path: str, typed: bool) -> dict[str, Any]:
    if isinstance(one, Tree) and isinstance(other, Tree):
        row: dict[str, Any] = {"reference": one.brackets, "hypothesis": other.brackets}
        times = {"reference_times": one.times, "hypothesis_times": other.times}
        return row | {name: found.tolist() for name, found in times.items() if found is not None}
    if not isinstance(one, Segmentation) or not isinstance(other, Segmentation):
        raise FormatError(path, None, f"item {item!r}: a document is two segmentations or two trees")
    if one.length != other.length:
        said = f"both sides must have the same units; got {one.length} and {other.length}"
        raise FormatError(path, None, f"item {item!r}: {said}")
    row = {"length": one.length}
    for side, segmentation in zip(SIDES, (one, other), strict=True):
        row[side] = [position for position, _ in segmentation.boundaries]
        if typed and segmentation.types == UNTYPED and row[side]:
            raise FormatError(
                path, None, f"item {item!r}: all boundaries must have types, or none; the {side} has none"
            )
        if typed:
            row[f"{side}_types"] = [name for _, name in segmentation.boundaries]
    return row
