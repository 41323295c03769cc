"""Check what a page sends: parameters, and numbers of items and coders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.errors import OptionError
from caesura.measures.registry import find_measure
from caesura.tasks.workbench import Parameters, Workbench


def read_parameters(workbench: Workbench, body: dict[str, Any]) -> Parameters:
    """Return the parameters in a request."""
    measure, options, coders = body.get("measure"), body.get("options"), body.get("coders")
    if measure is not None and not isinstance(measure, str):
        raise OptionError("measure: expected a text")
    if coders is not None and not isinstance(coders, list):
        raise OptionError("coders: expected a list of numbers")
    if options is None or measure is None:
        return workbench.parameters(measure, coders)
    if not isinstance(options, dict):
        raise OptionError("options: expected an object")
    return workbench.parameters(find_measure(measure)(**options), coders)


def item_of(workbench: Workbench, number: Any) -> str:
    """Return the name of an item by its number on the page."""
    return name_of("item", workbench.items, number)


def name_of(what: str, names: Sequence[str], number: Any) -> str:
    if isinstance(number, str) and number.isdecimal() and len(number) < 10:
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
        raise OptionError(f"{what}: expected a number from 0 to {len(names) - 1}; got {number!r:.40}")
    return names[number]
