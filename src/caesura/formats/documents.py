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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from caesura.errors import CaesuraError, FormatError, OptionError, TreeError
from caesura.formats.format import Option, Reading, say, shown
from caesura.model.corpus import Corpus
from caesura.model.documents import Documents, Pairs
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tree import Tree

__all__ = ["SIDES", "WRITING", "add_chunk", "rows_of", "scale_of", "sides_of", "tree_from"]

SIDES = ("reference", "hypothesis")


def _coder(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise OptionError(f"{name}: the name of a coder is needed; got {shown(value)}")
    return value


WRITING = tuple(Option(side, None, _coder, f"which coder is the {side}") for side in SIDES)
"""Which of several coders stand in the two columns."""


def sides_of(coders: Sequence[str], chosen: Mapping[str, str | None], place: str) -> tuple[str, str]:
    """The coders that are reference and hypothesis: those that were named, or those of that name."""
    found = []
    for side in SIDES:
        name = chosen.get(side) or side
        if name not in coders:
            said = f"no coder is called {name!r}"
            raise FormatError(place, None, f"{said}; name the {side}, one of {', '.join(coders[:20])}")
        found.append(name)
    return found[0], found[1]


def rows_of(corpus: Corpus, path: str, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every item that both coders made something of, as a row. An item that one of them left out is an error."""
    reference, hypothesis = sides_of(corpus.coders, options, path)
    if any(_has_more(corpus[key]) for key in corpus):
        say(f"{path}: the text of units and the labels of segments have no place in it and are left out")
    for item in corpus.items:
        by_coder = corpus.of_item(item)
        for who in (reference, hypothesis):
            if who not in by_coder:
                raise FormatError(path, None, f"item {item!r}: coder {who!r} is missing; leave the item out")
        yield {"item": item} | _row(item, by_coder[reference], by_coder[hypothesis], path)


def scale_of(corpus: Corpus, path: str, options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The types that the rows have, in order; None where boundaries have none, or where nobody declared an order."""
    sides = sides_of(corpus.coders, options, path)
    scales = dict.fromkeys(
        one.types
        for key in corpus
        if key[1] in sides and isinstance(one := corpus[key], Segmentation) and one.declared and one.types != UNTYPED
    )
    if len(scales) > 1:
        said = " and ".join(", ".join(scale) for scale in list(scales)[:2])
        raise FormatError(path, None, f"all items must declare the same types in the same order; got {said}")
    return next(iter(scales), None)


def add_chunk(reading: Reading, chunk: Documents | Pairs, types: tuple[str, ...] | None) -> None:
    """Documents into a corpus of two coders, called reference and hypothesis."""
    for d in range(len(chunk)):
        with reading.item(chunk.rows[d], f"item {chunk.items[d]!r}: "):
            if d in chunk.problems:
                raise reading.error(chunk.rows[d], chunk.problems[d])
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


def _row(item: str, one: object, other: object, path: str) -> dict[str, Any]:
    if isinstance(one, Tree) and isinstance(other, Tree):
        row: dict[str, Any] = {"reference": one.brackets, "hypothesis": other.brackets}
        times = {"reference_times": one.times, "hypothesis_times": other.times}
        return row | {name: found.tolist() for name, found in times.items() if found is not None}
    if not isinstance(one, Segmentation) or not isinstance(other, Segmentation):
        raise FormatError(path, None, f"item {item!r}: a document is two segmentations or two trees")
    if one.length != other.length:
        raise FormatError(
            path, None, f"item {item!r}: both sides must have the same units; got {one.length} and {other.length}"
        )
    row = {"length": one.length}
    typed = one.types != UNTYPED or other.types != UNTYPED
    for side, segmentation in zip(SIDES, (one, other), strict=True):
        row[side] = [position for position, _ in segmentation.boundaries]
        if typed:
            row[f"{side}_types"] = [name for _, name in segmentation.boundaries]
    return row
