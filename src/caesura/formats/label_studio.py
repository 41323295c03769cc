"""JSON exports of Label Studio, which contain tasks and the spans that annotators labelled in the text of each task::

    [{"id": 7, "data": {"text": "Ms. Haag plays Elianti."},
      "annotations": [{"completed_by": 1, "result": [
        {"id": "x", "type": "labels", "from_name": "label", "to_name": "text",
         "value": {"start": 4, "end": 8, "text": "Haag", "labels": ["PER"]}}]}]}]

Exports differ by version: the list was called ``completions``, the field with the text was the ``source`` of a result, and
offsets counted UTF-16 units instead of characters. The two differ only after a character beyond U+FFFF. The reader tries both
and uses the one that reproduces ``value.text`` for all spans of an annotation. Regions of a recording have ``original_length``
and no ``value.text``. JSON-MIN has one object per annotation, with ``annotation_id`` and the spans in a field of the project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats import standoff
from caesura.formats.content import describe_value, is_json_of
from caesura.formats.format import Format, Reading
from caesura.formats.standoff import TextSpan, Tokens, Utf16Offsets, check_fragments, single_line
from caesura.formats.values import (
    check_label,
    check_list,
    check_object,
    check_strings,
    check_time,
    check_whole,
    list_names,
    matches,
)
from caesura.model.corpus import Corpus
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.options import Option, choice, names, text

_LISTS = ("annotations", "completions")
_SPAN = "labels"
_LENGTH = "original_length"
_FACTS = ("created_at", "updated_at", "lead_time", "annotator", "agreement")  # of JSON-MIN, besides the data
_OFFSETS = ("characters", "utf-16")


@dataclass(frozen=True)
class _Region:
    name: str
    start: int
    end: int
    labels: tuple[str | None, ...]
    covered: str | None

    def locate(self, document: str, method: str, utf16: Utf16Offsets) -> tuple[int, int] | None:
        """Return the offsets in characters, assuming that ``method`` counted them; None if the text does not match."""
        offsets = ((self.start, self.end),)
        try:
            fragments = utf16.to_characters(offsets) if method == "utf-16" else check_fragments(offsets, len(document))
        except HierarchyError:
            return None
        ((start, end),) = fragments
        fits = self.covered is None or single_line(document[start:end]) == single_line(self.covered)
        return (start, end) if fits else None


def _read(reading: Reading) -> Corpus:
    tasks = _tasks(reading.json("Label Studio export"))
    if tasks is None:
        raise reading.error(1, 'expected tasks with "id", "data" and "annotations"; export as JSON, not as JSON-MIN')
    export = _Export(reading)
    export.find_text_fields(tasks)
    for i, task in enumerate(tasks):
        with reading.item(None, f"tasks[{i}]: "):
            export.add_task(task)
    export.describe()
    export.check_types()
    return reading.corpus()


def _tasks(data: object) -> list[Any] | None:
    """Return the list of tasks. A single task, as in files that Label Studio saves to a storage, becomes a list."""
    tasks = [data] if isinstance(data, dict) else data
    if isinstance(tasks, list) and any(map(_is_minimal, tasks)):
        tasks = [_from_minimal(task) for task in tasks]
    return tasks if isinstance(tasks, list) and any(map(_is_task, tasks)) else None


def _is_minimal(task: Any) -> bool:
    return isinstance(task, dict) and "annotation_id" in task and "data" not in task


def _from_minimal(task: Any) -> Any:
    """Return a task of a JSON-MIN export as a task with one annotation; other values do not change."""
    if not _is_minimal(task):
        return task
    spans = [
        {"type": _SPAN, "from_name": name, "value": value, **{key: value[key] for key in (_LENGTH,) if key in value}}
        for name, listed in task.items()
        if isinstance(listed, list)
        for value in listed
        if isinstance(value, dict) and {"start", "end"} <= value.keys()
    ]
    data = {name: value for name, value in task.items() if isinstance(value, str) and name not in _FACTS}
    annotation = {"id": task["annotation_id"], "completed_by": task.get("annotator"), "result": spans}
    return {"id": task.get("id"), "data": data, "annotations": [annotation]}


def _is_task(task: Any) -> bool:
    has_data = isinstance(task, dict) and isinstance(task.get("data"), dict)
    return has_data and any(isinstance(task.get(name), list) for name in _LISTS)


class _Export:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.skipped_types: Counter[str] = Counter()
        self.controls: Counter[str] = Counter()
        self.places: Counter[str] = Counter()  # annotations of each task, to number those without a user
        self.text_fields: set[str] = set()
        self.region_count = self.unlabelled_count = self.prediction_count = self.unnamed_count = 0

    def find_text_fields(self, tasks: list[Any]) -> None:
        """Find the fields of ``data`` that are the text, for tasks with several strings and no spans."""
        for task in filter(_is_task, tasks):
            fields = [name for name, value in task["data"].items() if isinstance(value, str)]
            name = _matching_field(task["data"], fields, _all_results(task)) if len(fields) > 1 else None
            self.text_fields |= {name} if name is not None else set()

    def add_task(self, task: object) -> None:
        fields = check_object('an object with "id", "data" and "annotations"', task)
        check_object('"data": {...}', fields.get("data"))
        item = _name("id", fields.get("id"))
        self.prediction_count += len(_list_in(fields, "predictions"))
        annotations: object = next((fields[name] for name in _LISTS if fields.get(name) is not None), [])
        listed = check_list("a list of annotations", annotations, f"item {item!r}")
        timed = [result for entry in listed for result in _list_in(entry, "result") if _is_timed(result)]
        length = max((check_time(_LENGTH, result.get(_LENGTH, 0.0)) for result in timed), default=0.0)
        for i, annotation in enumerate(listed):
            place = f"item {item!r}: annotations[{i}]"
            self.places[item] += 1
            with self.reading.item(None, f"{place}: "):
                value = check_object('an object with "result": [...]', annotation).get("result")
                if annotation.get("was_cancelled") is True:
                    self.reading.log.count("cancelled annotations not read", place)
                    continue
                results = self.chosen(check_list('"result": [...]', value))
                if timed:
                    self.add_tier(item, self.coder(item, annotation), results, length)
                else:
                    self.add_annotation(item, self.coder(item, annotation), fields, results)

    def coder(self, item: str, annotation: Mapping[str, Any]) -> str:
        user = annotation.get("completed_by")
        if isinstance(user, dict):
            user = user.get("email") or user.get("id")
        if user is None and isinstance(annotation.get("created_username"), str):
            user = annotation["created_username"].strip() or None
        if user is not None:
            return _name("completed_by", user)
        self.unnamed_count += 1
        return f"annotation {self.places[item]}"

    def chosen(self, results: list[Any]) -> list[Any]:
        """Return the results without the spans of controls that the option ``layer`` leaves out, and count the others."""
        layers = self.reading.options["layer"]
        chosen = []
        for result in results:
            if isinstance(result, dict) and result.get("type") == _SPAN:
                name = str(result.get("from_name") or "")[:80]
                self.controls[name] += 1
                if layers is not None and not matches(name, layers):
                    continue
            chosen.append(result)
        return chosen

    def document(self, task: Mapping[str, Any], results: list[Any]) -> str:
        data = task["data"]
        fields = [name for name, value in data.items() if isinstance(value, str)]
        requested = self.reading.options["text"]
        candidates = [requested] if requested is not None else _sources(results) or fields
        if len(candidates) > 1:
            name = _matching_field(data, candidates, _all_results(task))
            shared = [field for field in candidates if field in self.text_fields]
            candidates = [name] if name is not None else shared if len(shared) == 1 else candidates
            if len(candidates) == 1:
                self.reading.notes.append(f"the text is in the field {candidates[0][:80]} of data")
        if len(candidates) != 1:
            listed = list_names(candidates)
            raise HierarchyError(f"one field of data must be the text; choose it with text=; got {listed}")
        if candidates[0] not in fields:
            raise HierarchyError(
                f"the text must be in the field {candidates[0]!r}; the fields are {list_names(fields)}"
            )
        return str(data[candidates[0]])

    def add_tier(self, item: str, coder: str, results: list[Any], length: float) -> None:
        """Add the regions of a recording; without its length, it ends with the last region."""
        with self.reading.item(None, f"item {item!r}, coder {coder!r}: "):
            rows = []
            for i, result in enumerate(results):
                if not isinstance(result, dict) or result.get("type") != _SPAN:
                    self.skipped_types[str(result.get("type") if isinstance(result, dict) else "unknown")[:40]] += 1
                    continue
                self.region_count += 1
                value = check_object("a value with start, end and labels", result.get("value"), f"result[{i}]")
                start, end = (check_time(f"result[{i}]: {name}", value.get(name)) for name in ("start", "end"))
                labels = check_strings(f"result[{i}]: labels", value["labels"]) if value.get("labels") else ("",)
                self.unlabelled_count += not labels[0]
                rows.append((start, end, labels[0]))
            end = max([length, *(row[1] for row in rows)])
            self.reading.add(item, coder, _regions_of_recording(rows, end))

    def add_annotation(self, item: str, coder: str, task: Mapping[str, Any], results: list[Any]) -> None:
        with self.reading.item(None, f"item {item!r}, coder {coder!r}: "):
            regions = list(self.regions(results))
            document = self.document(task, results)
            self.unlabelled_count += sum(region.labels == (None,) for region in regions)
            spans = _text_spans(document, regions, self.reading.options["offsets"])
            tokens = Tokens.tokenize(document, self.reading.options["tokens"])
            self.reading.add(item, coder, standoff.to_annotation(self.reading, item, coder, tokens, spans))

    def regions(self, results: list[Any]) -> Iterator[_Region]:
        for i, result in enumerate(results):
            kind = result.get("type") if isinstance(result, dict) else None
            if not isinstance(kind, str):
                raise HierarchyError(f"result[{i}]: expected an object with a type; got {describe_value(result)}")
            if kind == _SPAN:
                self.region_count += 1
                yield _region(f"result[{i}]", result.get("value"))
            else:
                self.skipped_types[kind[:40]] += 1

    def check_types(self) -> None:
        if self.skipped_types:
            counts = ", ".join(f"{count} of type {kind}" for kind, count in self.skipped_types.most_common(20))
            if not self.region_count:
                raise self.reading.error(None, f"expected results of type {_SPAN}; there are {counts}")
            self.reading.log.add(f"results that are not spans of text were skipped: {counts}")

    def describe(self) -> None:
        layers, notes = self.reading.options["layer"], self.reading.notes
        listed = ", ".join(f"{name or 'without a name'} ({count})" for name, count in self.controls.most_common(20))
        if layers is not None and self.controls and not any(matches(name, layers) for name in self.controls):
            raise self.reading.error(None, f"no control matches {list_names(layers)}; the controls are {listed}")
        if layers is None and len(self.controls) > 1:
            notes.append(f"the spans of several controls were read: {listed}; choose one with --reading layer=NAME")
        if self.unnamed_count:
            notes.append("annotations without a user have their place in the task as coder")
        if self.unlabelled_count:
            spans = "1 span has" if self.unlabelled_count == 1 else f"{self.unlabelled_count} spans have"
            notes.append(f"{spans} no label")
        if self.prediction_count:
            self.reading.ignored.append(f"predictions ({self.prediction_count}, made by models)")


def _regions_of_recording(rows: list[tuple[float, float, str]], end: float) -> Tier | Spans:
    """Return a tier, or spans in seconds if regions overlap or have no label."""
    spans = Spans([(start, stop, label or None) for start, stop, label in rows], length=end, seconds=True)
    is_tier = not spans.has_overlaps and all(spans.categories) and bool((spans.starts < spans.ends).all())
    return Tier(sorted(rows), end=end) if is_tier and end else spans


def _list_in(fields: Any, name: str) -> list[Any]:
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if isinstance(value, list) else []


def _all_results(task: Mapping[str, Any]) -> list[Any]:
    return [result for name in _LISTS for entry in _list_in(task, name) for result in _list_in(entry, "result")]


def _is_timed(result: Any) -> bool:
    value = result.get("value") if isinstance(result, dict) and result.get("type") == _SPAN else None
    return (
        isinstance(value, dict) and "text" not in value and (_LENGTH in result or isinstance(value.get("start"), float))
    )


def _region(place: str, value: object) -> _Region:
    fields = check_object("a value with start, end and labels", value, place)
    start, end = (check_whole(f"{place}: {name}", fields.get(name), 0) for name in ("start", "end"))
    labels = check_strings(f"{place}: labels", fields["labels"]) if fields.get("labels") else (None,)
    return _Region(place, start, end, labels, check_label(f"{place}: text", fields.get("text")))


def _matching_field(data: Mapping[str, Any], fields: list[str], results: list[Any]) -> str | None:
    """Return the field ``text``, or the only field that has the text of all spans at their offsets."""
    regions = [result for result in results if isinstance(result, dict) and result.get("type") == _SPAN]
    values = [region["value"] for region in regions if isinstance(region.get("value"), dict)]
    quoted = [value for value in values if isinstance(value.get("text"), str)]
    matching = [name for name in fields if isinstance(data.get(name), str) and _has_spans(data[name], quoted)]
    if "text" in matching:
        return "text"
    return matching[0] if quoted and len(matching) == 1 else None


def _has_spans(document: str, values: list[dict[str, Any]]) -> bool:
    """Return whether a text has the text of all spans at their offsets, in characters or in UTF-16 units."""
    utf16 = Utf16Offsets(document)
    try:
        regions = [_region("", value) for value in values]
    except HierarchyError:
        return False
    return any(all(region.locate(document, method, utf16) for region in regions) for method in _OFFSETS)


def _sources(results: list[Any]) -> list[str]:
    """Return the fields of ``data`` that the results name as their source."""
    sources = [result.get("source") for result in results if result.get("type") == _SPAN]
    return sorted({source[1:] for source in sources if isinstance(source, str) and source.startswith("$")})


def _text_spans(document: str, regions: list[_Region], method: str | None) -> list[TextSpan]:
    """Return the spans. The offsets are interpreted in the way that reproduces the text of all spans."""
    utf16 = Utf16Offsets(document)
    methods = [method] if method else _OFFSETS
    located = {method: [region.locate(document, method, utf16) for region in regions] for method in methods}
    fitting = {tuple(filter(None, offsets)) for offsets in located.values() if None not in offsets}
    if not fitting:
        raise HierarchyError(_explain_misfit(document, regions, located))
    if len(fitting) > 1:
        raise HierarchyError("choose offsets='characters' or offsets='utf-16'; both give the text of all spans")
    return [
        TextSpan(region.name, label, (offsets,))
        for region, offsets in zip(regions, fitting.pop(), strict=True)
        for label in region.labels
    ]


def _explain_misfit(document: str, regions: list[_Region], located: Mapping[str, list[tuple[int, int] | None]]) -> str:
    """Describe the first span that matches under no interpretation, or else the spans that contradict each other."""
    for i, region in enumerate(regions):
        if all(offsets[i] is None for offsets in located.values()):
            place = f"{region.start}-{region.end}, {document[region.start : region.end][:60]!r}"
            actual = describe_value(region.covered)
            return f"{region.name} must repeat the text at {place}; got {actual}; is this the right text?"
    misfits = [regions[offsets.index(None)].name for offsets in located.values()]
    return f"offsets must all count characters or all UTF-16 units; {' and '.join(misfits)} disagree"


def _name(place: str, value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value
    return str(check_whole(place, value, 0))


FORMAT = Format(
    name="label-studio",
    other_suffixes=(".json",),
    description="Label Studio's export as JSON: tasks with spans that annotators labelled in a text",
    read=_read,
    looks_like=lambda text: is_json_of(
        text, "|".join((*_LISTS, "annotation_id")), lambda data: _tasks(data) is not None
    ),
    options=(
        Option("text", None, text, "field of data that is the text (default: the only string that fits)"),
        Option("layer", None, names, "controls whose labels are read, a pattern or a list of patterns (default: all)"),
        Option("offsets", None, choice(*_OFFSETS), "unit of the offsets (default: the one that matches the spans)"),
        *standoff.TOKEN_OPTIONS,
    ),
    annotation_types=(*standoff.ANNOTATION_TYPES, Tier),
)
