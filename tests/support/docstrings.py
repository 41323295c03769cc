"""Which public names lack numpydoc sections."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def public_names(package: Any) -> Iterator[tuple[str, str | None]]:
    """Yield every name in ``__all__``, and the public methods of its classes, with the missing part of its docstring, or None.

    A module in ``__all__``, such as ``caesura.statistics``, stands for its own names.
    """
    for name in exported(package):
        value, place = getattr(package, name), f"{package.__name__}.{name}"
        if inspect.ismodule(value):
            yield from public_names(value)
        elif inspect.isclass(value):
            yield place, class_gap(value)
            yield from member_gaps(value, place)
        elif inspect.isfunction(value):
            yield place, function_gap(value)


def exported(package: ModuleType) -> list[str]:
    own = [name for name, value in vars(package).items() if getattr(value, "__module__", None) == package.__name__]
    return sorted(getattr(package, "__all__", [name for name in own if not name.startswith("_")]))


# Methods that users of a measure call; the others are for those who write one, and have a line each.
METHODS = {"caesura.Measure": {"as_similarity", "plain", "replace", "score", "total"}}


def member_gaps(owner: type, place: str) -> Iterator[tuple[str, str | None]]:
    fields = own_fields(owner)
    for name, value in sorted(vars(owner).items()):
        if name.startswith("_") or name in fields or name not in METHODS.get(place, {name}):
            continue
        if isinstance(value, property) or type(value).__name__ == "cached_property":
            inherited = any(name in vars(base) for base in owner.__mro__[1:])
            yield f"{place}.{name}", None if value.__doc__ or inherited else "no docstring"
        elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
            yield f"{place}.{name}", function_gap(getattr(owner, name))


def function_gap(function: Any) -> str | None:
    doc = inspect.getdoc(function) or ""
    if not doc:
        return "no docstring"
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if name not in ("self", "cls") and not name.startswith("_")]
    if names and not has_section(doc, "Parameters"):
        return "no Parameters section"
    missing = [name for name in names if not is_described(doc, name)]
    if missing:
        return f"Parameters lacks {', '.join(missing)}"
    returns = signature.return_annotation not in (inspect.Signature.empty, None, "None", "NoReturn")
    return "no Returns section" if returns and not has_section(doc, "Returns", "Yields") else None


def class_gap(owner: type) -> str | None:
    doc = inspect.cleandoc(owner.__dict__.get("__doc__") or "")
    if not doc or doc.startswith(f"{owner.__name__}("):  # the latter is written by the dataclass decorator
        return "no docstring"
    names = own_fields(owner)
    if names and not has_section(doc, "Parameters", "Attributes"):
        return "no Parameters or Attributes section"
    missing = [name for name in names if not is_described(doc, name)]
    return f"lacks {', '.join(missing)}" if missing else None


def own_fields(owner: type) -> list[str]:
    if dataclasses.is_dataclass(owner):
        annotations = inspect.get_annotations(owner)
        return [entry.name for entry in dataclasses.fields(owner) if entry.name in annotations and entry.name[0] != "_"]
    if "__init__" not in owner.__dict__ or issubclass(owner, BaseException) or is_protocol(owner):
        return []
    parameters = inspect.signature(owner.__init__).parameters.values()  # type: ignore[misc]
    return [
        entry.name
        for entry in parameters
        if entry.name != "self" and entry.kind is not entry.VAR_KEYWORD and not entry.name.startswith("_")
    ]


def has_section(doc: str, *titles: str) -> bool:
    return any(re.search(rf"^\s*{title}\n\s*-{{3,}}", doc, re.MULTILINE) for title in titles)


def is_described(doc: str, name: str) -> bool:
    return bool(re.search(rf"^\s*(?:[\w*]+, )*\*{{0,2}}{name}(?:, [\w*]+)*\s*(:|$)", doc, re.MULTILINE))


def is_protocol(owner: type) -> bool:
    """Return whether nobody makes objects of the class; Python writes the constructor of a protocol."""
    return bool(owner.__dict__.get("_is_protocol", False))
