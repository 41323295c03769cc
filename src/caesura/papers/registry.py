"""All entries, and the function that runs them."""

from __future__ import annotations

from caesura.errors import OptionError
from caesura.options import suggest
from caesura.papers import carbone_2004, fournier_2012, fournier_2013, fournier_poem, lai_2023, shi_2024, yondem
from caesura.papers.entry import Entry

# Name -> entry, paper by paper.
ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for module in (fournier_2012, fournier_2013, fournier_poem, lai_2023, shi_2024, yondem, carbone_2004)
    for entry in module.ENTRIES
}


def find_entries(names: tuple[str, ...]) -> list[Entry]:
    """Return the entries with these names."""
    papers = {entry.paper.key for entry in ENTRIES.values()}
    for name in names:
        if name not in ENTRIES and name not in papers:
            raise OptionError(suggest("there is no display", name, [*ENTRIES, *sorted(papers)]))
    return [entry for entry in ENTRIES.values() if not names or entry.name in names or entry.paper.key in names]
