"""Parameter files of EVALB, which list deleted labels and equal labels and limit the length of sentences.

Each line has a key and its values, such as ``EQ_LABEL ADVP PRT``. Only a line that begins with ``#`` is a comment; elsewhere
``#`` is a label, the tag of the pound sign. ``MAX_ERROR`` and ``DEBUG`` are accepted and ignored.
"""

from __future__ import annotations

import re
from os import PathLike, fspath
from typing import Any

from caesura.errors import FormatError
from caesura.formats.content import decode, describe_value, load
from caesura.notices import warn
from caesura.options import suggest

# Key -> option of the measure, and the number of values per line.
_LISTS = {
    "DELETE_LABEL": ("delete_labels", 1),
    "DELETE_LABEL_FOR_LENGTH": ("delete_labels_for_length", 1),
    "EQ_LABEL": ("equal_labels", 2),
    "EQ_WORD": ("equal_words", 2),
    "QUOTE_LABEL": ("quote_labels", 1),
}
_MAXIMA = {"CUTOFF_LEN": 2**31 - 1, "LABELED": 1, "MAX_ERROR": 2**31 - 1, "DEBUG": 2**31 - 1}
_KEYS = (*_LISTS, *_MAXIMA)


def read_evalb_param(path: str | PathLike[str]) -> dict[str, Any]:
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
        elif key in _MAXIMA:
            _check_count(place, line, key, values, 1)
            numbers[key] = _number(place, line, key, values[0])
        else:
            warn(suggest(f"{place}:{line}: ignored: EVALB has no key", key[:60], _KEYS))
    options: dict[str, Any] = {option: tuple(values) for option, values in lists.items()}
    return {"labelled": bool(numbers["LABELED"]), **options, "cutoff": numbers["CUTOFF_LEN"]}


def _check_count(path: str, line: int, key: str, values: list[str], count: int) -> None:
    if len(values) != count:
        needed = "one value" if count == 1 else f"{count} values"
        got = describe_value(" ".join(values)) if values else "none"
        raise FormatError(path, line, f"{key} takes {needed}; got {got} (a comment has a line of its own)")


def _number(path: str, line: int, key: str, text: str) -> int:
    maximum = _MAXIMA[key]
    # The maximum has ten digits; longer texts are rejected without converting them.
    value = int(text) if re.fullmatch("[0-9]{1,10}", text) else maximum + 1
    if value > maximum:
        raise FormatError(path, line, f"{key} must be a whole number from 0 to {maximum}; got {describe_value(text)}")
    return value
