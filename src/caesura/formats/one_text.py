"""Shared pieces of formats whose file holds the running text of one coder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError
from caesura.formats.format import Reading, describe_value, require_segmentation
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import Segmentation


def read_one_text(reading: Reading, parse: Callable[[], Annotation]) -> Corpus:
    """Return the corpus of a file that holds one item of one coder.

    Parameters
    ----------
    reading : Reading
        The file; its options ``item`` and ``coder`` replace the name of the file.
    parse : callable
        Returns the annotation in the file.

    Returns
    -------
    Corpus
        One annotation.
    """
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        reading.add(item, coder, parse())
    return reading.corpus()


def only_item(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Return the item of a corpus, if it is the only one and the file names it.

    Parameters
    ----------
    corpus : Corpus
        What is to be written.
    path : str
        Path of the file.
    options : mapping
        Options of the format; ``item`` replaces the name of the file.

    Returns
    -------
    str
        Name of the item.

    Raises
    ------
    FormatError
        If there are several items, or the file has another name.
    """
    return _only("item", corpus.item_names, path, options)


def only_coder(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Return the coder of a corpus, if there is only one and the file names this one.

    Parameters
    ----------
    corpus : Corpus
        What is to be written.
    path : str
        Path of the file.
    options : mapping
        Options of the format; ``coder`` replaces the name of the file.

    Returns
    -------
    str
        Name of the coder.

    Raises
    ------
    FormatError
        If there are several coders, or the file has another name.
    """
    return _only("coder", corpus.coders, path, options)


def _only(kind: str, names: tuple[str, ...], path: str, options: Mapping[str, Any]) -> str:
    if len(names) != 1:
        raise FormatError(path, None, f"this format holds one {kind}; choose one of {', '.join(names[:20])}")
    (name,) = names
    expected = options[kind] or Path(path).stem
    if name != expected:
        # The file names the item and the coder; under another name the file would be read back as something else.
        problem = f"in this format the file names the {kind}: {name!r} would be read as {expected!r}"
        raise FormatError(path, None, f"{problem}; rename the file, or set {kind}={name!r}")
    return name


def require_text(corpus: Corpus, path: str, item: str, coder: str) -> tuple[Segmentation, tuple[str, ...]]:
    """Return a segmentation and its units, if it has units and no labels.

    Parameters
    ----------
    corpus : Corpus
        What is to be written.
    path : str
        Path of the file, for messages.
    item, coder : str
        Which annotation of the corpus.

    Returns
    -------
    segmentation : Segmentation
        The annotation.
    units : tuple of str
        The text of its units.

    Raises
    ------
    FormatError
        If the annotation is something else, or has no units.
    """
    place = f"item {item!r}, coder {coder!r}"
    segmentation = require_segmentation(corpus[item, coder], path, place, holds=("types", "units"))
    if segmentation.units is None:
        raise FormatError(path, None, f"{place}: this format needs the text of the units; write a .csv table")
    return segmentation, segmentation.units


def check_round_trip(
    content: str, read: Callable[[Reading], Corpus], corpus: Corpus, path: str, options: Mapping[str, Any]
) -> str:
    """Return the content of a file if it reads back as the corpus: a unit may look like a part of the format.

    Parameters
    ----------
    content : str
        What is to be written.
    read : callable
        Reader of the format.
    corpus : Corpus
        What the content should say.
    path : str
        Path of the file.
    options : mapping
        Options of the format.

    Returns
    -------
    str
        The content.

    Raises
    ------
    FormatError
        If the content would be read differently.
    """
    try:
        # A reader of files removes a byte order mark too.
        result = read(Reading(path, content.removeprefix("\ufeff"), options=options))
    except CaesuraError as error:
        problem = error.problem if isinstance(error, FormatError) else error
        raise FormatError(path, None, f"this format cannot hold the text: {problem}") from None
    if result != corpus:
        raise FormatError(path, None, _difference(corpus, result))
    return content


def _difference(corpus: Corpus, result: Corpus) -> str:
    """Return the first difference between a corpus and what would be read back."""
    for (item, coder), expected in corpus.items():
        actual = result.get((item, coder))
        if not isinstance(actual, Segmentation) or not isinstance(expected, Segmentation):
            return f"item {item!r}: this format cannot hold the name"
        if actual != expected:
            difference = _unit_difference(expected.units or (), actual.units or ())
            return f"item {item!r}: {difference or 'its boundaries would be read differently'}"
    return "more would be read than was written"


def _unit_difference(expected: tuple[str, ...], actual: tuple[str, ...]) -> str:
    for i, (unit, actual_unit) in enumerate(zip(expected, (*actual, None), strict=False), 1):
        if unit != actual_unit:
            got = "nothing" if actual_unit is None else describe_value(actual_unit)
            return f"unit {i}, {describe_value(unit)}, would be read as {got}"
    return ""
