"""All entries: what ``displays.toml`` says about a display, and the function that computes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesura.errors import OptionError
from caesura.options import suggest
from caesura.papers import discourse, fournier, speech
from caesura.papers.data import published
from caesura.papers.entry import Entry, Paper

_COMPUTATIONS = fournier.DISPLAYS | speech.DISPLAYS | discourse.DISPLAYS
_PAPERS = {
    name: Paper(record.get("key", name), record["short"], record["citation"])
    for name, record in published()["papers"].items()
}


def _entry(name: str, record: Mapping[str, Any]) -> Entry:
    return Entry(
        name=name,
        paper=_PAPERS[record.get("paper", name.partition("-")[0])],
        display=record["display"],
        place=record["place"],
        about=record["about"],
        expected=record["verdict"],
        compute=_COMPUTATIONS.get(name),
        needs=tuple(record.get("needs", ())),
        preset=record.get("preset", ""),
        reason=record.get("reason", ""),
        printed=_flat(record.get("printed", {})),
    )


def _flat(printed: Mapping[str, Any]) -> dict[str, str]:
    """Return label -> printed number; labels of nested tables are joined with a space."""
    numbers: dict[str, str] = {}
    for label, value in printed.items():
        nested = {"": value} if isinstance(value, str) else _flat(value)
        numbers |= {f"{label} {inner}".rstrip(): number for inner, number in nested.items()}
    return numbers


# Name -> entry, paper by paper.
ENTRIES: dict[str, Entry] = {name: _entry(name, record) for name, record in published()["displays"].items()}


def find_entries(names: tuple[str, ...]) -> list[Entry]:
    """Return the entries with these names, or of these papers; all entries without names."""
    papers = {entry.paper.key for entry in ENTRIES.values()}
    for name in names:
        if name not in ENTRIES and name not in papers:
            raise OptionError(suggest("there is no display", name, [*ENTRIES, *sorted(papers)]))
    return [entry for entry in ENTRIES.values() if not names or entry.name in names or entry.paper.key in names]
