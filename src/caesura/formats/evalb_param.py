"""EVALB's parameter files: what is deleted, what counts as equal, how long a sentence may be.

    DELETE_LABEL TOP
    DELETE_LABEL -NONE-
    DELETE_LABEL_FOR_LENGTH -NONE-
    EQ_LABEL ADVP PRT
    CUTOFF_LEN 40
    LABELED 1

A line is a key and its values; a line that begins with ``#`` is a comment. (``#`` elsewhere is a label: it is the tag of
the pound sign.) What a file does not mention has the value that EVALB gives it: nothing is deleted or equal, brackets
are labelled, and the cut-off is 40. ``MAX_ERROR`` and ``DEBUG`` are read and have no meaning here.
"""

from __future__ import annotations

import re
import warnings
from os import PathLike, fspath
from typing import Any

from caesura.errors import CaesuraWarning, FormatError
from caesura.formats.format import decode, describe_value, load

# Key -> option of the measure, and how many values a line has.
_LISTS = {
    "DELETE_LABEL": ("delete_labels", 1),
    "DELETE_LABEL_FOR_LENGTH": ("delete_labels_for_length", 1),
    "EQ_LABEL": ("equal_labels", 2),
    "EQ_WORD": ("equal_words", 2),
    "QUOTE_LABEL": ("quote_labels", 1),
}
_LARGEST = {"CUTOFF_LEN": 2**31 - 1, "LABELED": 1, "MAX_ERROR": 2**31 - 1, "DEBUG": 2**31 - 1}
_KEYS = (*_LISTS, *_LARGEST)


def read_evalb_param(path: str | PathLike[str]) -> dict[str, Any]:
    """The options of :func:`~caesura.parseval` that a parameter file sets: all of them.

    A key that EVALB does not know is named in a warning and ignored, as EVALB does it.
    """
    place = fspath(path)
    lists: dict[str, list[Any]] = {option: [] for option, _ in _LISTS.values()}
    numbers = {"CUTOFF_LEN": 40, "LABELED": 1}
    for line, text in enumerate(decode(place, load(place)).split("\n"), 1):
        words = re.findall(r"\S+", text, re.ASCII)  # a no-break space may be part of a word
        if not words or words[0].startswith("#"):
            continue
        key, *values = words
        if key in _LISTS:
            option, count = _LISTS[key]
            _check_count(place, line, key, values, count)
            lists[option].append(values[0] if count == 1 else tuple(values))
        elif key in _LARGEST:
            _check_count(place, line, key, values, 1)
            numbers[key] = _number(place, line, key, values[0])
        else:
            _warn(place, line, key)
    options: dict[str, Any] = {option: tuple(found) for option, found in lists.items()}
    return {"labelled": bool(numbers["LABELED"]), **options, "cutoff": numbers["CUTOFF_LEN"]}


def _check_count(path: str, line: int, key: str, values: list[str], count: int) -> None:
    if len(values) != count:
        needed = "one value" if count == 1 else f"{count} values"
        got = describe_value(" ".join(values)) if values else "none"
        raise FormatError(path, line, f"{key} takes {needed}; got {got} (a comment has a line of its own)")


def _number(path: str, line: int, key: str, text: str) -> int:
    most = _LARGEST[key]
    # Ten digits are more than the largest number has, and few enough to be converted.
    value = int(text) if re.fullmatch("[0-9]{1,10}", text) else most + 1
    if value > most:
        raise FormatError(path, line, f"{key} must be a whole number from 0 to {most}; got {describe_value(text)}")
    return value


def _warn(path: str, line: int, key: str) -> None:
    from difflib import get_close_matches

    near = get_close_matches(key, _KEYS, 1)
    way = f"did you mean {near[0]}?" if near else f"there are {', '.join(_KEYS)}"
    warnings.warn(f"{path}:{line}: no such key, ignored: {describe_value(key)}; {way}", CaesuraWarning, stacklevel=3)
