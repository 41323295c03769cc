"""The list of coefficients for spans, and the description of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.views.answer import Answer, Section
from caesura.views.table import Table


def coefficient_facts(entry: type[UnitizingCoefficient]) -> dict[str, Any]:
    """Return everything that ``caesura measures`` says about a coefficient for spans."""
    return {
        "title": entry.title,
        "summary": _summary(entry),
        "compares": ["spans"],
        "options": {
            field.name: {"default": field.default, "description": field.metadata["description"]}
            for field in entry.declared()
        },
        "presets": {preset: dict(values) for preset, values in entry.presets.items()},
        "preset_notes": dict(entry.preset_notes),
        "example": f"caesura agree spans.csv -c {entry.name}",
    }


def _summary(entry: type[UnitizingCoefficient]) -> str:
    """Return the first sentence of the documentation."""
    return (entry.__doc__ or "").strip().split("\n")[0]


def coefficients_table(coefficients: Mapping[str, type[UnitizingCoefficient]]) -> Table:
    """Return one row per coefficient for spans."""
    rows = tuple((name, _summary(entry)) for name, entry in coefficients.items())
    notes = ("caesura measures NAME describes a coefficient with its options and presets.",)
    return Table(
        ("coefficient", "what it says about spans"), rows, title="Coefficients of agree for spans", notes=notes
    )


def coefficient_view(entry: type[UnitizingCoefficient]) -> Answer:
    """Return what ``caesura measures NAME`` prints for a coefficient for spans."""
    facts = coefficient_facts(entry)
    rows = tuple((name, repr(option["default"]), option["description"]) for name, option in facts["options"].items())
    sections = [Section("options", Table(("option", "default", "description"), rows))]
    if entry.presets:
        presets = tuple(
            (
                name,
                ", ".join(f"{option}={value!r}" for option, value in values.items()),
                entry.preset_notes.get(name, ""),
            )
            for name, values in entry.presets.items()
        )
        columns = ("preset", "options that it sets", "what it keeps and refuses")
        sections.append(Section("presets", Table(columns, presets), shown=True))
    sections.append(Section("example", f"Example:\n  {facts['example']}", shown=True))
    text = f"{facts['summary']} It compares the spans of all coders; 1 is best and 0 is chance. Name: {entry.name} in Python."
    return Answer(text, tuple(sections))
