"""Roles of the columns of a table: which column names the item, the coder, the text, and which columns contain marks.

A role follows from the name of a column and from its cells: a column called ``sentence`` is the text, unless its cells are
the numbers 1, 2, 3 and so on; then it numbers the units. The option ``fields`` overrides both.

In a column of positions or times, 1.100 may be 1100 or 1.1, because spreadsheets in many languages write 1.100 for 1100. Beside
plain numbers from 1000 on, or if the numbers fall wherever they have a dot, both readings are plausible, and the option
``thousands`` decides.

The speaker of a conversation may be a stream, or a fact about a turn that the segmentation does not use, as in topic
segmentation. A speaker column is not used if every item has one speaker. The turns of an item are one text if speakers
alternate and the turns have several words. Speakers are streams if the rows of each stand together or their units are numbered
separately. Otherwise the user must choose. A column called ``stream``, or one that ``fields`` names, is always a stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError, OptionError
from caesura.formats.column_names import ALIASES, DURATIONS, ROLE_OF_NAME, SPAN_PAIRS, normalize, split_unit
from caesura.formats.columns import Column, Table
from caesura.formats.content import NUMBER
from caesura.formats.format import Reading
from caesura.formats.marks import Groups
from caesura.model.index import flatnonzero
from caesura.options import Option, flag, optional, suggest

_SEVERAL = ("coders", "ignore")  # roles of several columns, in the option ``fields``
_ROLE_NAMES = (*ALIASES, "duration", *_SEVERAL)
_TIMES = ("start", "end", "time")
_CLOCK = re.compile(r"(?:0 days )?(?:([0-9]{1,3}):)?([0-9]{1,3}):([0-9]{2}(?:[.,][0-9]{1,9})?)")
_MAX_DIGITS = 40
_TAG = re.compile(r"O|[BILEUS]-.+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}(\.0+)?")
_MAX_LABEL_WORDS = 6  # on average; longer cells are quoted text
_NUMBER_ROLES = ("start", "end", "time", "length", "duration")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_LARGE = re.compile(r"0*+[1-9][0-9]{3,}")


def check_fields(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    entries = value if isinstance(value, Mapping) else _parse_fields(name, value)
    fields: dict[str, tuple[str, ...]] = {}
    for role, columns in entries.items():
        listed = (columns,) if isinstance(columns, str) else tuple(columns) if isinstance(columns, Iterable) else ()
        if not isinstance(role, str) or not listed or not all(isinstance(column, str) and column for column in listed):
            raise OptionError(f"{name}: expected the name of a column for {role!r}; got {columns!r}")
        fields[role.strip()] = listed
    return fields


def _parse_json_fields(name: str, text: str) -> Mapping[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise OptionError(f"{name}: not a JSON object: {text[:80]!r}")
    return parsed


def _parse_fields(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be text such as 'item=doc,coders=A+B', or a mapping; got {value!r}")
    if value.lstrip().startswith("{"):
        return _parse_json_fields(name, value)
    entries: dict[str, Any] = {}
    for entry in value.split(","):
        role, equals, columns = entry.partition("=")
        if not equals or not role.strip() or not columns.strip():
            raise OptionError(f"{name}: expected ROLE=COLUMN, several separated by commas; got {entry!r}")
        listed = [column.strip() for column in columns.split("+")]
        entries[role.strip()] = listed if len(listed) > 1 else listed[0]
    return entries


def fields_text(fields: Mapping[str, str | Sequence[str]]) -> str:
    """Return the value of the option ``fields`` as text that ``check_fields`` reads."""
    listed = {role: [columns] if isinstance(columns, str) else [*columns] for role, columns in fields.items()}
    if any(re.search("[,+=]", name) or name != name.strip() for names in listed.values() for name in names):
        return json.dumps({role: names[0] if len(names) == 1 else names for role, names in listed.items()})
    return ",".join(f"{role}={'+'.join(names)}" for role, names in listed.items())


FIELDS = Option("fields", None, check_fields, "columns or fields by role, such as item=doc,text=sentence,coders=A+B")
THOUSANDS = Option(
    "thousands", None, optional(flag), "whether 1.100 in a column of positions or times is 1100 (default: it is 1.1)"
)


@dataclass
class Roles:
    columns: dict[str, str] = field(default_factory=dict)  # role -> column
    coders: list[str] | None = None  # columns that the user named as coders
    rest: list[str] = field(default_factory=list)  # columns without a role, in the order of the header
    ignored: list[str] = field(default_factory=list)
    in_seconds: set[str] = field(default_factory=set)  # columns of times that were converted to seconds

    def __contains__(self, role: str) -> bool:
        return role in self.columns

    def release(self, role: str) -> None:
        self.rest.append(self.columns.pop(role))


def assign_roles(reading: Reading, table: Table, fields: Mapping[str, tuple[str, ...]] | None) -> Roles:
    fields = fields or {}
    roles = _from_fields(reading, table, fields)
    pair = _assign_pair(reading, table, roles)
    roles.columns |= pair
    taken = {*roles.columns.values(), *(roles.coders or ()), *roles.ignored}
    free = [name for name in table.columns if name not in taken]
    for name in free:
        role = _role(normalize(name), table.columns[name])
        if role is None or (role in roles and role in fields):
            roles.rest.append(name)
        elif role in roles:
            _check_second(reading, table, role, roles.columns[role], name)
            roles.rest.append(name)
        else:
            roles.columns[role] = name
    if pair:
        places = {name: place for place, name in enumerate(table.columns)}
        roles.columns = dict(sorted(roles.columns.items(), key=lambda entry: places[entry[1]]))
    _assign_id(roles, table)
    _fill_items(reading, table, roles)
    _check_names(reading, table, roles)
    check_thousands(reading, table, roles.columns, roles.rest)
    _convert_times(reading, table, roles)
    return roles


def _assign_pair(reading: Reading, table: Table, roles: Roles) -> dict[str, str]:
    """Return two columns such as ``start_char`` and ``end_char`` as start and end, unless others have these roles."""
    names = [name for name in table.columns if name not in (*(roles.coders or ()), *roles.ignored)]
    pairs = [pair for pair in _span_pairs(table, names) if _agrees(roles, pair)]
    if not pairs or not _may_have_pair(table, roles, names):
        return {}
    if len(pairs) > 1:
        problem = f"several columns may be the start and the end: {', '.join(' and '.join(pair) for pair in pairs)}"
        readings = [{"start": start, "end": end} for start, end in pairs]
        choices = [(_described(fields), {"fields": fields}) for fields in readings]
        raise AmbiguousFileError(reading.path, problem, choices)
    return {"start": pairs[0][0], "end": pairs[0][1]}


def _may_have_pair(table: Table, roles: Roles, names: Sequence[str]) -> bool:
    """Return whether a table has no other start and end, and its rows are not units with marks or tags."""
    by_name = {role: name for name in reversed(names) if (role := _role(normalize(name), table.columns[name]))}
    if {"time", "duration"} & {*roles.columns} or "mark" in by_name or {"start", "end"} <= {*by_name, *roles.columns}:
        return False
    return "label" not in by_name or not are_tags(table.columns[by_name["label"]])


def _span_pairs(table: Table, names: Sequence[str]) -> list[tuple[str, str]]:
    by_base = {split_unit(name)[0]: name for name in names}
    pairs = [(by_base[start], by_base[end]) for start, end in SPAN_PAIRS if start in by_base and end in by_base]
    return [pair for pair in pairs if all(may_be_times(table.columns[name]) for name in pair)]


def _agrees(roles: Roles, pair: tuple[str, str]) -> bool:
    """Return whether the user gave the roles start and end to no other columns."""
    return all(roles.columns.get(role, name) == name for role, name in zip(("start", "end"), pair, strict=True))


def are_tags(column: Column) -> bool:
    """Return whether the cells are tags of tokens such as O and B-PER."""
    return "O" in column.stripped and all(_TAG.fullmatch(value) for value in column.stripped if value)


def _fill_items(reading: Reading, table: Table, roles: Roles) -> None:
    """Fill empty cells below the name of an item, as in merged cells of a spreadsheet."""
    name = roles.columns.get("item")
    if name is None:
        return
    column = table.columns[name]
    empty = np.array([not value for value in column.stripped], bool)[column.codes]
    if not empty.any() or empty[0]:
        return
    rows = np.maximum.accumulate(np.where(empty, 0, np.arange(len(empty))))
    table.columns[name] = Column(name, column.values, column.codes[rows])
    reading.notes.append(f"empty cells of {name} belong to the item above them")


def _check_names(reading: Reading, table: Table, roles: Roles) -> None:
    for role in ("item", "coder"):
        column = table.columns[roles.columns[role]] if role in roles else None
        if column is not None and not all(column.stripped) and 0 < np.count_nonzero(column.filled) < len(table):
            line = int(table.lines[np.argmin(column.filled)])
            raise reading.error(line, f"the {role} is missing in column {column.name}, and other rows have one")


def _convert_times(reading: Reading, table: Table, roles: Roles) -> None:
    for role in _TIMES:
        name = roles.columns.get(role)
        if name is not None:
            convert_to_seconds(reading, table, roles, name, milliseconds=split_unit(name)[1] == "ms")


def convert_to_seconds(reading: Reading, table: Table, roles: Roles, name: str, *, milliseconds: bool) -> None:
    clock = _are_times_of_day(table.columns[name])
    if clock or milliseconds:
        if clock:
            _check_clock(reading, table, name)
        table.columns[name] = _in_seconds(table.columns[name], clock)
        roles.in_seconds.add(name)
        what = f"times such as {clock}" if clock else "milliseconds"
        reading.notes.append(f"{what} in {name} were converted to seconds")


def _are_times_of_day(column: Column) -> str:
    """Return the first time such as 1:23 or 00:01:23.5 if at least half of the cells are such times; else nothing."""
    times = [(value, number) for value, number in zip(column.stripped, column.counts, strict=True) if value]
    matching = [(value, number) for value, number in times if _CLOCK.fullmatch(value)]
    enough = 2 * sum(number for _, number in matching) >= sum(number for _, number in times)
    return matching[0][0] if matching and enough else ""


def _check_clock(reading: Reading, table: Table, name: str) -> None:
    """Raise an error for a time with 60 seconds or 60 minutes after its hours, and for a number that may be minutes."""
    column = table.columns[name]
    for code, value in enumerate(column.stripped):
        match = _CLOCK.fullmatch(value)
        is_number = not match and NUMBER.fullmatch(value) and value.strip("0.")
        if is_number or (match and (float(match[3].replace(",", ".")) >= 60 or (match[1] and int(match[2]) >= 60))):
            line = int(table.lines[flatnonzero(column.codes == code)[0]])
            raise reading.error(line, f"{name} must be a time such as 1:05 or 0:01:05.5; got {value!r}")


def _in_seconds(column: Column, clock: str) -> Column:
    """Return a column in milliseconds or minutes as a column in seconds; cells with other content stay as they are."""
    values = [_seconds(value, bool(clock)) for value in column.stripped]
    return Column.of(column.name, [values[code] for code in column.codes.tolist()])


def _seconds(value: str, clock: bool) -> str:
    match = _CLOCK.fullmatch(value) if clock else None
    if match is not None:
        hours, minutes, seconds = match[1] or "0", match[2], match[3].replace(",", ".")
        return f"{int(hours) * 3600 + int(minutes) * 60 + float(seconds):.10g}"
    number = not clock and NUMBER.fullmatch(value) and len(value) < _MAX_DIGITS
    return f"{float(value) / 1000:.10g}" if number else value


def _check_second(reading: Reading, table: Table, role: str, first: str, second: str) -> None:
    if role == "item":
        groups = len(np.unique(table.columns[first].codes))
        pairs = np.stack([table.columns[first].codes, table.columns[second].codes])
        ambiguous = np.unique(pairs, axis=1).shape[1] > groups
    else:
        ambiguous = role in ("coder", "start", "end", "mark", "score", "stream", "time")
    if role == "text" and 2 * len(table.columns[first].values) < min(len(table), len(table.columns[second].values)):
        problem = f"the cells of {first} repeat: it may be the item or the text"
        readings: list[dict[str, str]] = [{"item": first, "text": second}, {"text": first}]
        choices = [(_described(fields), {"fields": fields}) for fields in readings]
        raise AmbiguousFileError(reading.path, problem, choices)
    if ambiguous:
        problem = f"two columns may be the {role}: {first} and {second}"
        choices = [(f"{role} in column {name}", {"fields": {role: name}}) for name in (first, second)]
        raise AmbiguousFileError(reading.path, problem, choices)


def _described(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{role} in column {name}" for role, name in fields.items())


def _role(name: str, column: Column) -> str | None:
    role = _role_of_name(name)
    if role == "text":
        return "unit" if name in ("sentence", "utterance") and _numbers_units(column) else "text"
    if role == "unit":
        return "text" if is_prose(column) and whole_numbers(column) is None else "unit"
    return role if role is not None and _fits_role(column, role) else None


def _fits_role(column: Column, role: str) -> bool:
    """Return whether the cells are numbers if the role needs them, and no passages of text if they should be labels."""
    if role in _TIMES:
        return may_be_times(column)
    if role == "score":
        return mostly_numbers(column)
    return role != "label" or not _is_quotation(column)


def may_be_times(column: Column) -> bool:
    """Return whether the cells are positions or times: most are numbers, or times such as 00:01:23."""
    return mostly_numbers(column) or bool(_are_times_of_day(column))


def _role_of_name(name: str) -> str | None:
    """Return the role of a name; a time may have a unit, as in ``start_ms``."""
    if name in ROLE_OF_NAME:
        return ROLE_OF_NAME[name]
    base, unit = split_unit(name)
    role = ROLE_OF_NAME.get(base)
    return role if unit and role in _TIMES else None


def _numbers_units(column: Column) -> bool:
    """Return whether the cells are whole numbers that count the units."""
    numbers = whole_numbers(column)
    return numbers is not None and _counts_up(numbers)


def is_prose(column: Column) -> bool:
    """Return whether most distinct cells have several words."""
    return bool(np.mean([len(value.split()) > 1 for value in column.values]) > 0.5) if column.values else False


def _is_quotation(column: Column) -> bool:
    """Return whether the cells are passages of text rather than labels."""
    return bool(column.values) and bool(np.mean([len(v.split()) for v in column.values]) > _MAX_LABEL_WORDS)


def mostly_numbers(column: Column) -> bool:
    """Return whether at least half of the filled cells are numbers; the rest are errors that the reader reports."""
    filled = [(value, number) for value, number in zip(column.stripped, column.counts, strict=True) if value]
    numbers = sum(number for value, number in filled if NUMBER.fullmatch(value))
    return bool(numbers * 2 >= sum(number for _, number in filled))


def _assign_id(roles: Roles, table: Table) -> None:
    """Assign a column called ``id``: it is the item if it repeats, and the unit number if it counts."""
    name = next((name for name in roles.rest if normalize(name) == "id"), None)
    if name is None:
        return
    column = table.columns[name]
    if "unit" not in roles and len(table) > 1 and _numbers_units(column):
        roles.columns["unit"] = name
    elif "item" not in roles and len(column.values) < len(table):
        roles.columns["item"] = name
    else:
        return
    roles.rest.remove(name)


def whole_numbers(column: Column) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    if not column.values or not all(map(_WHOLE.fullmatch, column.stripped)):
        return None
    return np.array([*map(float, column.stripped)]).astype(np.int64)[column.codes]


def _counts_up(numbers: np.ndarray[Any, np.dtype[np.int64]]) -> bool:
    """Return whether the numbers increase by one, apart from new beginnings at 0 or 1."""
    steps = np.diff(numbers)
    return bool(np.all((steps == 1) | (numbers[1:] <= 1))) and bool(np.any(steps == 1))


def _from_fields(reading: Reading, table: Table, fields: Mapping[str, tuple[str, ...]]) -> Roles:
    roles = Roles()
    by_name = {normalize(name): name for name in table.columns}
    for role, columns in fields.items():
        if role not in _ROLE_NAMES:
            raise OptionError(suggest("fields: no role", role, _ROLE_NAMES))
        if role in _SEVERAL:
            columns = _split_listed(table, columns)
        found = [_find(reading, table, by_name, column) for column in columns]
        if role == "coders":
            roles.coders = found
        elif role == "ignore":
            roles.ignored = found
        elif len(found) > 1:
            raise OptionError(f"fields: {role} must be one column; got {', '.join(found)}")
        else:
            roles.columns[role] = found[0]
    return roles


def _split_listed(table: Table, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a role with several; ``A+B`` is two columns unless a column has this name."""
    return tuple(
        part.strip() for name in columns for part in ([name] if name in table.columns else name.split("+")) if part
    )


def _find(reading: Reading, table: Table, by_name: Mapping[str, str], column: str) -> str:
    if column in table.columns:
        return column
    if normalize(column) in by_name:
        return by_name[normalize(column)]
    raise OptionError(suggest(f"fields: {reading.path} has no column", column, table.columns))


def describe_roles(
    reading: Reading, roles: Roles, values: Mapping[str, Sequence[str]], used: Sequence[str] = _ROLE_NAMES
) -> None:
    for description, names in values.items():
        reading.roles |= dict.fromkeys(names, description)
    for role, column in roles.columns.items():
        if column in reading.roles:
            continue
        if role in used:
            reading.roles[column] = role
        else:
            reading.ignored.append(f"{column} ({role}, not needed here)")


def check_thousands(reading: Reading, table: Table, roles: dict[str, str], rest: list[str]) -> None:
    """Convert numbers with dots between thousands, as the option ``thousands`` says."""
    wish = reading.options.get("thousands")
    if wish is False:
        return
    names = [name for role, name in roles.items() if role in _NUMBER_ROLES]
    names += [name for name in rest if split_unit(name)[0] in DURATIONS]
    grouped = [name for name in names if _may_have_groups(table.columns[name])]
    if wish:
        for name in grouped:
            table.columns[name] = _without_dots(table.columns[name])
            reading.notes.append(f"dots in {name} separate thousands")
        return
    for name in grouped:
        plain = next((cell for cell in table.columns[name].stripped if _LARGE.fullmatch(cell)), None)
        groups = Groups.of(table, [roles.get("item"), roles.get("coder")])
        if plain is not None or _falls_by_dots(table.columns[name], groups):
            raise _ask_for_thousands(reading, table, name, plain)


def _may_have_groups(column: Column) -> bool:
    """Return whether all numbers that have a dot have it where thousands begin, and some have one."""
    dotted = [cell for cell in column.stripped if "." in cell]
    return bool(dotted) and all(_GROUPED.fullmatch(cell) for cell in dotted)


def _without_dots(column: Column) -> Column:
    values = Column.of(
        column.name, [cell.replace(".", "") if _GROUPED.fullmatch(cell) else cell for cell in column.stripped]
    )
    return Column(column.name, values.values, values.codes[column.codes])


def _falls_by_dots(column: Column, groups: Groups) -> bool:
    """Return whether the numbers of each coder and item are in order only if dots separate thousands."""

    def falls(column: Column) -> bool:
        steps = np.diff(column.numbers[groups.order])
        return bool(np.any((steps < 0) & groups.inner()))

    return falls(column) and not falls(_without_dots(column))


def _ask_for_thousands(reading: Reading, table: Table, name: str, plain: str | None) -> AmbiguousFileError:
    column = table.columns[name]
    cell = next(cell for cell in column.stripped if _GROUPED.fullmatch(cell))
    line = int(table.lines[column.first_row(column.values[column.stripped.index(cell)])])
    reason = f"beside {plain}" if plain is not None else "and the numbers are not in order with decimals"
    number = cell.replace(".", "")
    decimal = f"{float(cell):g}" if NUMBER.fullmatch(cell) else cell
    choices: list[tuple[str, dict[str, Any]]] = [
        (f"thousands: {cell} is {number}", {"thousands": True}),
        (f"decimals: {cell} is {decimal}", {"thousands": False}),
    ]
    return AmbiguousFileError(reading.path, f"column {name!r} has {cell} (line {line}) {reason}", choices)


def check_speaker(reading: Reading, table: Table, roles: Roles) -> None:
    """Take the role of a stream from the column ``speaker`` if its rows are one text."""
    name = roles.columns.get("stream")
    if name is None or normalize(name) != "speaker" or "stream" in (reading.options["fields"] or ()):
        return
    outer = [roles.columns.get("item"), roles.columns.get("coder")]
    by_item, by_speaker = Groups.of(table, outer), Groups.of(table, [*outer, name])
    if len(by_item.keys) == len(by_speaker.keys):
        _ignore_speaker(reading, roles, name)
    elif _count_up_in(np.arange(len(table)), by_speaker) or _is_numbered_by_speaker(table, roles, by_item, by_speaker):
        reading.notes.append(f"each {name} is a stream (--fields ignore={name} makes one text of them)")
    elif "text" in roles and is_prose(table.columns[roles.columns["text"]]):
        reading.notes.append(f"the turns of all speakers are one text (--fields stream={name} makes streams of them)")
        _ignore_speaker(reading, roles, name)
    else:
        problem = f"column {name}: the rows may be one text, or each {name} may have a text of their own"
        choices = [("one text", {"fields": {"ignore": name}}), (f"one stream per {name}", {"fields": {"stream": name}})]
        raise AmbiguousFileError(reading.path, problem, choices)


def _ignore_speaker(reading: Reading, roles: Roles, name: str) -> None:
    del roles.columns["stream"]
    reading.ignored.append(f"{name} (speaker of the unit)")


def _is_numbered_by_speaker(table: Table, roles: Roles, by_item: Groups, by_speaker: Groups) -> bool:
    """Return whether the numbers of units count the units of each speaker, not those of the item."""
    numbers = whole_numbers(table.columns[roles.columns["unit"]]) if "unit" in roles else None
    return numbers is not None and _count_up_in(numbers, by_speaker) and not _count_up_in(numbers, by_item)


def _count_up_in(numbers: np.ndarray[tuple[int], np.dtype[np.int64]], groups: Groups) -> bool:
    """Return whether numbers increase by one in each group."""
    return bool(np.all(np.diff(numbers[groups.order])[groups.inner()] == 1))
