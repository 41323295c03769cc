"""Registry of the coefficients for unitizing, and their resolution from names and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.agreement.gamma import Gamma, GammaCat, GammaK
from caesura.agreement.unitized_alpha import AlphaU2004, BarUAlpha, CuAlpha, KuAlpha, UAlpha
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.errors import OptionConflictError, OptionError
from caesura.measures.registry import DEFAULT_FACTS, WITHOUT_MEASURE
from caesura.model.corpus import Corpus
from caesura.model.spans import Spans
from caesura.options import normalize_name, parse_call

# Name -> coefficient. To add one, write one file with its class and add the class here.
UNITIZING: dict[str, type[UnitizingCoefficient]] = {
    entry.name: entry for entry in (Gamma, GammaCat, GammaK, UAlpha, BarUAlpha, CuAlpha, KuAlpha, AlphaU2004)
}
WITHOUT_MEASURE.update(UNITIZING)
for _entry in UNITIZING.values():
    DEFAULT_FACTS.update(_entry.hidden_facts())
# Coefficients of a corpus of spans, if the user chooses none; the first one is the main one.
DEFAULT_UNITIZING: tuple[str, ...] = ("gamma", "gamma_cat", "u_alpha")


def default_unitizing(corpus: Corpus) -> tuple[str, ...]:
    """Return the coefficients of a corpus of spans, if the user chooses none."""
    spans = [entry for entry in corpus.values() if isinstance(entry, Spans)]
    columns = [column for entry in spans for column in (entry.starts, entry.ends)]
    if not columns or (np.concatenate(columns) % 1 == 0).all():
        return DEFAULT_UNITIZING
    return tuple(
        name for name in DEFAULT_UNITIZING if all(option.name != "atom" for option in UNITIZING[name].declared())
    )


def resolve_unitizing(
    coefficient: str | UnitizingCoefficient | None, options: Mapping[str, Any]
) -> UnitizingCoefficient | None:
    """Return a coefficient for unitizing from its name, or from a text with options."""
    chosen = {name: value for name, value in options.items() if value is not None}
    if isinstance(coefficient, UnitizingCoefficient):
        if chosen:
            raise OptionConflictError(f"{', '.join(chosen)}: set options in {type(coefficient).__name__}(...)")
        return coefficient
    name, _, _ = (coefficient or "").partition("(")
    entry = UNITIZING.get(normalize_name(name))
    if coefficient is None or entry is None:
        return None
    try:
        _, inner = parse_call(coefficient)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"expected a coefficient such as 'u_alpha(atom=0.01)'; got {coefficient!r}") from None
    for option in inner:
        if option in chosen:
            raise OptionConflictError(f"{option} is set twice, in {coefficient!r} and as an option")
    return entry.create(inner | chosen)
