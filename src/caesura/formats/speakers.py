"""Decide what the column ``speaker`` of a table is.

The speaker of a conversation may be a stream (each speaker has a text of their own, as in measures for dialogues), or a fact
about a turn that the segmentation does not use, as in topic segmentation:

- If every item has one speaker, the column is not used.
- If the speakers alternate and the units are turns of several words, the turns of an item are one text.
- If the rows of each speaker stand together, or their units are numbered separately, the speakers are streams.
- Otherwise, the user must choose.

A column called ``stream``, or one that the option ``fields`` names, is always a stream.
"""

from __future__ import annotations

import numpy as np

from caesura.errors import AmbiguousFileError
from caesura.formats.column_names import normalize
from caesura.formats.columns import Table
from caesura.formats.format import Reading
from caesura.formats.marks import Groups
from caesura.formats.roles import Roles, is_prose, whole_numbers


def check_speaker(reading: Reading, table: Table, roles: Roles) -> None:
    """Take the role of a stream from the column ``speaker`` if its rows are one text."""
    name = roles.columns.get("stream")
    if name is None or normalize(name) != "speaker" or "stream" in (reading.options["fields"] or ()):
        return
    outer = [roles.columns.get("item"), roles.columns.get("coder")]
    by_item, by_speaker = Groups.of(table, outer), Groups.of(table, [*outer, name])
    if len(by_item.keys) == len(by_speaker.keys):
        _ignore(reading, roles, name)
    elif _stand_together(by_speaker) or _is_numbered_by_speaker(table, roles, by_item, by_speaker):
        reading.notes.append(f"each {name} is a stream (--fields ignore={name} makes one text of them)")
    elif "text" in roles and is_prose(table.columns[roles.columns["text"]]):
        reading.notes.append(f"the turns of all speakers are one text (--fields stream={name} makes streams of them)")
        _ignore(reading, roles, name)
    else:
        problem = f"column {name}: the rows may be one text, or each {name} may have a text of their own"
        choices = [("one text", {"fields": {"ignore": name}}), (f"one stream per {name}", {"fields": {"stream": name}})]
        raise AmbiguousFileError(reading.path, problem, choices)


def _ignore(reading: Reading, roles: Roles, name: str) -> None:
    del roles.columns["stream"]
    reading.ignored.append(f"{name} (speaker of the unit)")


def _stand_together(groups: Groups) -> bool:
    steps = np.diff(groups.order)
    return bool(np.all(steps[groups.inner()] == 1))


def _is_numbered_by_speaker(table: Table, roles: Roles, by_item: Groups, by_speaker: Groups) -> bool:
    """Return whether the numbers of units count the units of each speaker, not those of the item."""
    numbers = whole_numbers(table.columns[roles.columns["unit"]]) if "unit" in roles else None
    return numbers is not None and _counts(numbers, by_speaker) and not _counts(numbers, by_item)


def _counts(numbers: np.ndarray[tuple[int], np.dtype[np.int64]], groups: Groups) -> bool:
    """Return whether numbers increase by one in each group."""
    return bool(np.all(np.diff(numbers[groups.order])[groups.inner()] == 1))
