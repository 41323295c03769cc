"""Base class of all results, and conversion of results to plain data, JSON, data frames and signatures.

A result is a frozen dataclass that derives from :class:`Result`. No result class writes its own JSON: :func:`to_plain`
converts every result to dictionaries, lists, strings and numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from caesura.errors import OptionError
from caesura.model.display import Displayed
from caesura.version import __version__

if TYPE_CHECKING:
    import pandas as pd

HIDDEN: Mapping[str, Any] = {"json": False}
"""Metadata of a dataclass field that is not part of the result's JSON: ``field(metadata=HIDDEN)``."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """An item, or one coder's annotation of an item, that was excluded from a result.

    Parameters
    ----------
    item : str or None
        Name of the item, or None if a whole file or coder is excluded.
    coder : str or None
        Name of the coder, or None if the item is excluded for all coders.
    reason : str
        Reason for the exclusion.
    """

    item: str | None
    coder: str | None
    reason: str

    def __str__(self) -> str:
        place = [f"{kind} {name!r}" for kind, name in (("item", self.item), ("coder", self.coder)) if name is not None]
        return f"{', '.join(place)}: {self.reason}" if place else self.reason


class Result(Displayed):
    """Base class of results, which are frozen dataclasses.

    Attributes
    ----------
    json_properties : tuple of str
        Properties that are part of the JSON in addition to the fields.
    frame_field : str or None
        Field whose entries are the rows of the data frame, or None if the result is a single row.
    """

    __slots__ = ()

    json_properties: ClassVar[tuple[str, ...]] = ()
    frame_field: ClassVar[str | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, which ``--json`` prints.

        Returns
        -------
        dict
            Fields and properties by name. Undefined numbers are None.
        """
        return _fields_of(self) | {name: to_plain(getattr(self, name)) for name in self.json_properties}

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per entry of the main table; a single row if there is no such table.

        Raises
        ------
        OptionError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise OptionError("to_frame needs pandas; install it with `pip install pandas`") from None
        if self.frame_field is None:
            plain = self.to_dict()
            return pd.DataFrame([{name: value for name, value in plain.items() if not isinstance(value, (dict, list))}])
        return pd.DataFrame([_row(entry) for entry in _entries(getattr(self, self.frame_field))])


def to_plain(value: Any) -> Any:
    """Return ``value`` as plain data: dictionaries, lists, strings, numbers, booleans and None.

    Parameters
    ----------
    value : object
        A result, a dataclass, an array, a mapping, a sequence or a number. Objects may define ``__json__``, a method that
        returns their plain form.

    Returns
    -------
    object
        The plain form. NaN becomes None and infinity becomes ``"inf"``, because JSON has no such numbers.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    if hasattr(value, "__json__"):
        return value.__json__()
    if isinstance(value, Result):
        return value.to_dict()
    if hasattr(value, "tolist"):  # numpy arrays and numbers
        return to_plain(value.tolist())
    return _plain_container(value)


def _plain_container(value: Any) -> Any:
    """Return an object with named entries as a dictionary, any other collection as a list, and other objects as text."""
    if is_dataclass(value) and not isinstance(value, type):
        return _fields_of(value)
    if hasattr(value, "_asdict"):  # a named tuple
        value = value._asdict()
    if isinstance(value, Mapping):
        return {_key(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, Set):
        return sorted(map(to_plain, value))
    return [to_plain(entry) for entry in value] if isinstance(value, Iterable) else str(value)


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """Return ``value`` as JSON text. All JSON output of the program is created by this function.

    Parameters
    ----------
    value : object
        Anything that :func:`to_plain` takes.
    indent : int or None, default 2
        Spaces per level; None writes one line without spaces.

    Returns
    -------
    str
        The text, in Unicode.
    """
    separators = (",", ":") if indent is None else None
    return json.dumps(to_plain(value), ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)


def signature_line(*words: str, over: str | None = None, **facts: Any) -> str:
    """Return the signature of a result: one line with everything needed to reproduce the result.

    Parameters
    ----------
    *words : str
        First words of the line, such as the names of the function and the coefficient.
    over : str, optional
        Signature at the end of the line, such as that of the measure, which contains the version. Without it, the version
        is added.
    **facts : object
        ``name:value`` entries. Entries whose value is None are left out.

    Returns
    -------
    str
        The line.
    """
    entries = [f"{name}:{signature_value(value)}" for name, value in facts.items() if value is not None]
    return "|".join([*words, *entries, over if over is not None else f"caesura:{__version__}"])


def signature_value(value: object) -> str:
    """Format a value for a signature: booleans as yes or no, None as ``auto``, without line breaks and bars.

    Parameters
    ----------
    value : object
        Value of an option.

    Returns
    -------
    str
        The formatted value.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "auto"
    return str(value).replace("|", "¦").replace("\n", " ")


def _fields_of(value: Any) -> dict[str, Any]:
    return {
        entry.name: to_plain(getattr(value, entry.name))
        for entry in fields(value)
        if entry.metadata.get("json", True) and not entry.name.startswith("_")
    }


def _key(key: object) -> str:
    return key if isinstance(key, str) else "|".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _entries(value: Any) -> list[Any]:
    return (
        [{"name": name, "value": entry} for name, entry in value.items()] if isinstance(value, Mapping) else list(value)
    )


def _row(entry: Any) -> dict[str, Any]:
    plain = to_plain(entry)
    return plain if isinstance(plain, dict) else {"value": plain}
