"""Label Studio's export as JSON: tasks, and what annotators labelled in the text of each.

    [{"id": 7, "data": {"text": "Ms. Haag plays Elianti."},
      "annotations": [{"completed_by": 1, "result": [
        {"id": "x", "type": "labels", "from_name": "label", "to_name": "text",
         "value": {"start": 4, "end": 8, "text": "Haag", "labels": ["PER"]}}]}]}]

The item is the task's ``id``, the coder is ``completed_by``: an email address where the export has it, else the number; where
there is neither, the number of the annotation. Old exports say ``completions``. Annotations that were cancelled are not read,
and this is said.

A result of the type ``labels`` is a span, and one for each of its labels. Other results are not read: how many, and of which
types, is said; a file in which there is nothing else is an error. Spans in hypertext are among them, they point into markup.

An export does not say which field of ``data`` is the text, for the names of tags are not those of fields. It is the one that
``text`` names, else the ``source`` of the results (in older exports), else the only string there is.

Offsets count UTF-16 units in old exports, and characters in new ones. This matters only where a character beyond U+FFFF comes
before, and it is whichever gives ``value.text`` for all spans of an annotation; where both do, or no text is there to tell,
``offsets`` must say it.

What becomes of spans and how to choose them: see ``standoff``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.errors import FormatError, HierarchyError
from caesura.formats.format import Format, Reading, describe_value, parse_json
from caesura.formats.spans import check_whole, choice
from caesura.formats.standoff import OPTIONS, TOKENS, Drawn, Standoff, Tokens, Utf16, check_parts, plain
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option, text

__all__ = ["FORMAT"]

_LISTS = ("annotations", "completions")
_SPAN = "labels"
_OFFSETS = ("characters", "utf-16")


@dataclass(frozen=True)
class _Region:
    """A result of the type that is read."""

    name: str
    start: int
    end: int
    labels: tuple[str | None, ...]
    covered: str | None

    def at(self, said: str, offsets: str, utf16: Utf16) -> tuple[int, int] | None:
        """From which to which character it goes, if offsets are counted so; None if that cannot be."""
        given = ((self.start, self.end),)
        try:
            (part,) = utf16.parts(given) if offsets == "utf-16" else check_parts(given, len(said))
        except HierarchyError:
            return None
        fits = self.covered is None or plain(said[part[0] : part[1]]) == plain(self.covered)
        return part if fits else None


def read(reading: Reading) -> Corpus:
    """Every task that somebody annotated."""
    tasks = _tasks(parse_json(reading.path, reading.text, "Label Studio export"))
    if tasks is None:
        raise reading.error(
            1, 'a list of tasks with "id", "data" and "annotations" is needed; export as JSON, not as JSON-MIN'
        )
    file = _File(reading)
    for i, task in enumerate(tasks):
        with reading.item(None, f"tasks[{i}]: "):
            file.task(task)
    file.warn()
    return reading.corpus()


def _tasks(data: object) -> list[Any] | None:
    """The tasks; one alone, as Label Studio puts it into a storage, is a list too."""
    tasks = [data] if isinstance(data, dict) else data
    if not isinstance(tasks, list):
        return None
    known = (
        isinstance(task, dict)
        and isinstance(task.get("data"), dict)
        and any(isinstance(task.get(name), list) for name in _LISTS)
        for task in tasks
    )
    return tasks if any(known) else None


class _File:
    """Tasks on their way, and what was not read of them."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.standoff = Standoff(reading)
        self.other: Counter[str] = Counter()
        self.read = 0
        self.cancelled = 0

    def task(self, task: object) -> None:
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise HierarchyError(f'an object with "id", "data" and "annotations" is needed; got {describe_value(task)}')
        item = _name("id", task.get("id"))
        listed: object = next((task[name] for name in _LISTS if task.get(name) is not None), [])
        if not isinstance(listed, list):
            raise HierarchyError(f"item {item!r}: annotations must be a list; got {describe_value(listed)}")
        for i, one in enumerate(listed):
            with self.reading.item(None, f"item {item!r}: annotations[{i}]: "):
                if not isinstance(one, dict) or not isinstance(one.get("result"), list):
                    raise HierarchyError(f'an object with "result": [...] is needed; got {describe_value(one)}')
                if one.get("was_cancelled") is True:
                    self.cancelled += 1
                else:
                    self.annotation(item, _coder(one), task["data"], one["result"])

    def annotation(self, item: str, coder: str, data: Mapping[str, Any], results: list[Any]) -> None:
        with self.reading.item(None, f"item {item!r}, coder {coder!r}: "):
            regions = list(self.regions(results))
            said = self.text(data, results)
            self.standoff.add(item, coder, Tokens.cut(said, self.reading.options["tokens"]), self.drawn(said, regions))

    def regions(self, results: list[Any]) -> Iterator[_Region]:
        for i, one in enumerate(results):
            kind = one.get("type") if isinstance(one, dict) else None
            if not isinstance(kind, str):
                raise HierarchyError(f"result[{i}]: an object with a type is needed; got {describe_value(one)}")
            if kind != _SPAN:
                self.other[kind[:40]] += 1
                continue
            self.read += 1
            yield _region(f"result[{i}]", one.get("value"))

    def text(self, data: Mapping[str, Any], results: list[Any]) -> str:
        """The text of a task."""
        asked = self.reading.options["text"]
        sources = {one.get("source") for one in results if one.get("type") == _SPAN}
        named = {one[1:] for one in sources if isinstance(one, str) and one.startswith("$")}
        strings = [name for name, value in data.items() if isinstance(value, str)]
        found = [asked] if asked is not None else sorted(named) or strings
        if len(found) != 1:
            raise HierarchyError(
                f"one field of data must be the text, name it by text=; got {', '.join(found[:20]) or 'none'}"
            )
        if found[0] not in strings:
            raise HierarchyError(
                f"data must have the text in the field {found[0]!r}; there are {', '.join(strings[:20]) or 'none'}"
            )
        said: str = data[found[0]]
        return said

    def drawn(self, said: str, regions: list[_Region]) -> list[Drawn]:
        """The spans, offsets counted in the way that gives the text of all of them."""
        asked = self.reading.options["offsets"]
        utf16 = Utf16(said)
        ways = {way: [one.at(said, way, utf16) for one in regions] for way in ([asked] if asked else _OFFSETS)}
        fitting = {tuple(parts) for parts in ways.values() if None not in parts}
        if not fitting:
            raise HierarchyError(_unfit(said, regions, ways))
        if len(fitting) > 1:
            raise HierarchyError(
                "whether offsets count characters or UTF-16 units must be said here, by offsets='characters' or "
                "offsets='utf-16'; both give the text of all spans, at other places"
            )
        return [
            Drawn(one.name, label, (part,))
            for one, part in zip(regions, fitting.pop(), strict=True)
            if part is not None
            for label in one.labels
        ]

    def warn(self) -> None:
        if self.other:
            listed = ", ".join(f"{count} of type {kind}" for kind, count in self.other.most_common(20))
            if not self.read:
                raise self.reading.error(None, f"results of type {_SPAN} are needed; there are {listed}")
            self.standoff.left_out.said.append(f"results that are no spans of text were not read: {listed}")
        if self.cancelled:
            self.standoff.left_out.said.append(f"{self.cancelled} annotation(s) were cancelled and were not read")
        self.standoff.warn()


def _region(place: str, value: object) -> _Region:
    if not isinstance(value, dict):
        raise HierarchyError(
            f"{place}: value must be an object with start, end and labels; got {describe_value(value)}"
        )
    start, end = (check_whole(f"{place}: {name}", value.get(name), 0) for name in ("start", "end"))
    labels = value.get("labels") or [None]
    if not isinstance(labels, list) or not all(isinstance(one, str) or labels == [None] for one in labels):
        raise HierarchyError(f"{place}: labels must be a list of names; got {describe_value(labels)}")
    covered = value.get("text")
    if covered is not None and not isinstance(covered, str):
        raise HierarchyError(f"{place}: text must be a string; got {describe_value(covered)}")
    return _Region(place, start, end, tuple(labels), covered)


def _unfit(said: str, regions: list[_Region], ways: Mapping[str, list[tuple[int, int] | None]]) -> str:
    """What is wrong with the first span that fits in no way, or else with the first that fits in one way only."""
    for i, one in enumerate(regions):
        if all(parts[i] is None for parts in ways.values()):
            there = said[one.start : one.end][:60]
            return (
                f"{one.name} must repeat what the text has at {one.start}-{one.end}, {there!r}; got "
                f"{describe_value(one.covered)}; is it this text?"
            )
    names = [next(one.name for i, one in enumerate(regions) if parts[i] is None) for parts in ways.values()]
    return f"offsets must all count characters or all UTF-16 units; {' and '.join(names)} disagree on it"


def _coder(one: Mapping[str, Any]) -> str:
    who = one.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return _name("completed_by or id", one.get("id") if who is None else who)


def _name(place: str, value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value
    return str(check_whole(place, value, 0))


def _looks_like(lines: str) -> bool:
    if not lines.lstrip().startswith(("[", "{")) or not any(f'"{name}"' in lines for name in _LISTS):
        return False
    try:
        return _tasks(parse_json("", lines, "Label Studio export")) is not None
    except FormatError:
        return False


FORMAT = Format(
    name="label-studio",
    suffixes=(),
    other_suffixes=(".json",),
    description="Label Studio's export as JSON: tasks with spans that annotators labelled in a text",
    read=read,
    looks_like=_looks_like,
    options=(
        Option("text", None, text, "the field of data that is the text; by default the only string"),
        Option("offsets", None, choice(*_OFFSETS), "what offsets count; by default what gives the text of the spans"),
        TOKENS,
        *OPTIONS,
    ),
    annotation_types=(Hierarchy, Segmentation),
)
