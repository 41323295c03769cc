"""What formats share whose file holds running text of one coder: names that the file gives, and writing that is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError
from caesura.formats.format import Reading, describe_value
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import Segmentation


def add(reading: Reading, make: Callable[[], Annotation]) -> Corpus:
    """The corpus of a file that is one item and one coder."""
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        reading.add(item, coder, make())
    return reading.corpus()


def only_item(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """The one item that the file can hold and name."""
    return _only("item", corpus.item_names, path, options)


def only_coder(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """The one coder that the file can hold and name."""
    return _only("coder", corpus.coders, path, options)


def _only(kind: str, names: tuple[str, ...], path: str, options: Mapping[str, Any]) -> str:
    if len(names) != 1:
        raise FormatError(path, None, f"this format holds one {kind}; choose one of {', '.join(names[:20])}")
    (name,) = names
    expected = options[kind] or Path(path).stem
    if name != expected:
        # The name is the file's; another one would come back as something else.
        raise FormatError(
            path,
            None,
            f"this format names the {kind} by the file; {name!r} would be {expected!r}; or say {kind}={name!r}",
        )
    return name


def with_text(corpus: Corpus, path: str, item: str, coder: str) -> tuple[Segmentation, tuple[str, ...]]:
    """A segmentation and its units, if that is what it has and all it has."""
    one = corpus[item, coder]
    place = f"item {item!r}, coder {coder!r}"
    if not isinstance(one, Segmentation):
        raise FormatError(path, None, f"{place}: this format cannot hold streams; write a .csv table")
    if one.units is None:
        raise FormatError(path, None, f"{place}: this format needs the text of the units; write a .csv table")
    if one.labels is not None:
        raise FormatError(
            path,
            None,
            f"{place}: this format cannot hold segment labels; write .json, or leave them out (convert --drop-labels)",
        )
    return one, one.units


def checked(made: str, read: Callable[[Reading], Corpus], corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """What was made, if it reads back as what it was made from: a unit may look like part of the format."""
    try:
        # As from a file, where a byte order mark is taken off.
        back = read(Reading(path, made.removeprefix("\ufeff"), options=options))
    except CaesuraError as problem:
        said = problem.problem if isinstance(problem, FormatError) else problem
        raise FormatError(path, None, f"this format cannot hold the text: {said}") from None
    if back != corpus:
        raise FormatError(path, None, _difference(corpus, back))
    return made


def _difference(meant: Corpus, back: Corpus) -> str:
    """The first thing that would come back otherwise."""
    for item, coder in meant:
        one, other = meant[item, coder], back.get((item, coder))
        if isinstance(other, Segmentation) and isinstance(one, Segmentation):
            if one.units is not None and other.units is not None:
                for i, (mine, its) in enumerate(zip(one.units, (*other.units, None), strict=False), 1):
                    if mine != its:
                        got = "nothing" if its is None else describe_value(its)
                        return f"item {item!r}: unit {i}, {describe_value(mine)}, would be read otherwise; got {got}"
            if one == other:
                continue
            return f"item {item!r}: its boundaries would be read otherwise than they were meant"
        return f"item {item!r}: a name that this format cannot hold"
    return "more would be read than was meant"
