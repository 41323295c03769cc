"""Spans over texts as lines of JSON: the exports of doccano and Prodigy, with one text per line::

    {"id": 1, "text": "Ms. Haag plays Elianti", "label": [[0, 8, "PER"], [15, 22, "WORK"]]}

    {"text": "Ms. Haag plays", "_input_hash": 44, "spans": [{"start": 0, "end": 8, "label": "PER"}], "answer": "accept",
     "tokens": [{"text": "Ms.", "start": 0, "end": 3, "id": 0}, ...], "_annotator_id": "ner-ann"}

doccano writes one file per user; Prodigy writes all sessions into one file. Offsets count code points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from caesura.errors import FormatError, HierarchyError
from caesura.formats.content import describe_value, lines_of, parse_json
from caesura.formats.format import CODER, Format, Reading
from caesura.formats.standoff import (
    ANNOTATION_TYPES,
    OPTIONS,
    TOKEN_PATTERNS,
    TextSpan,
    Tokens,
    check_fragments,
    kind_of_annotation,
    to_annotation,
)
from caesura.formats.values import check_label, check_list, check_object, check_whole
from caesura.model.corpus import Corpus
from caesura.model.value import count_of
from caesura.options import Option, choice

_TEXT_FIELDS = ("text", "data")
_SPAN_FIELDS = ("label", "labels", "entities")
_ACCEPT, _ANSWERS = "accept", ("accept", "reject", "ignore")
_KEYS = re.compile('"(?:text|data|start_offset)"')  # without them, a long line is not parsed
_MAX_LINES = 100  # that are examined to recognise the format
_MAX_NAME = 200  # characters of the name of an item or coder


def _read_lines(reading: Reading, add: Callable[[int, dict[str, Any]], None]) -> None:
    for number, line in enumerate(lines_of(reading.text), 1):
        if line.strip():
            with reading.item(number):
                add(number, check_object("an object with a text and spans", _parse(reading.path, number, line)))


def _parse(path: str, number: int, line: str) -> Any:
    try:
        return parse_json(path, line, "line of JSON")
    except FormatError as error:
        raise FormatError(path, number, error.problem) from None


def _name(field: str, value: object) -> str:
    if (
        isinstance(value, (str, int))
        and not isinstance(value, bool)
        and 0 < len(str(value)[: _MAX_NAME + 1]) <= _MAX_NAME
    ):
        return str(value)
    raise HierarchyError(f"{field} must be a number or a name; got {describe_value(value)}")


def _text(record: Mapping[str, Any]) -> str:
    field = next((name for name in _TEXT_FIELDS if name in record), _TEXT_FIELDS[0])
    if not isinstance(record.get(field), str) or not record[field]:
        raise HierarchyError(f"{field} must be a text that is not empty; got {describe_value(record.get(field))}")
    return str(record[field])


def _tokens(reading: Reading, document: str, listed: object) -> Tokens:
    method = reading.options["tokens"]
    if method is not None:
        return Tokens.tokenize(document, method)
    if listed is None:
        if kind_of_annotation(reading) != "spans":
            reading.notes.append("every character is a unit (tokens=words splits the text into words)")
        return Tokens.from_offsets(document, [(i, i + 1) for i in range(len(document))])
    reading.roles.setdefault("tokens", "units")
    offsets = []
    for i, token in enumerate(check_list("a list of tokens", listed)):
        place = f"tokens[{i}]"
        fields = check_object("a token with start and end", token, place)
        offsets.append(_offsets(place, document, fields.get("start"), fields.get("end"), fields.get("text")))
    return replace(Tokens.from_offsets(document, offsets), from_file=True)


def _offsets(place: str, document: str, start: object, end: object, covered: object = None) -> tuple[int, int]:
    pair = check_whole(f"{place}: start", start, 0), check_whole(f"{place}: end", end, 0)
    try:
        check_fragments((pair,), len(document))
    except HierarchyError as error:
        raise HierarchyError(f"{place}: {error}") from None
    if isinstance(covered, str) and covered != document[pair[0] : pair[1]]:
        actual = f"{describe_value(covered)} for {describe_value(document[pair[0] : pair[1]])}"
        raise HierarchyError(f"{place} must repeat the text at its offsets {pair[0]}-{pair[1]}; got {actual}")
    return pair


def _read_doccano(reading: Reading) -> Corpus:
    def add(number: int, record: dict[str, Any]) -> None:
        item, coder = _name("id", record.get("id", number)), reading.coder_name
        field = next((name for name in _SPAN_FIELDS if name in record), None)
        if field is None and _has_numbered_annotations(record):
            problem = "annotations with offsets have numbers instead of labels, and those of all users together"
            raise reading.error(number, f"{problem}; export the project as JSONL with label, one file per user")
        if field is None:
            raise reading.error(number, f"a line must have spans in one of {', '.join(_SPAN_FIELDS)}; got none")
        reading.roles |= {"id": "item", field: "spans"}
        document = _text(record)
        entries = enumerate(_list(record, field))
        spans = [_doccano_span(f"{field}[{i}]", entry, document)._replace(line=number) for i, entry in entries]
        tokens = _tokens(reading, document, None)
        reading.add(item, coder, to_annotation(reading, item, coder, tokens, spans), number)

    _read_lines(reading, add)
    return reading.corpus()


def _list(record: Mapping[str, Any], field: str) -> list[Any]:
    return check_list(f"a list of {field}", record[field]) if record.get(field) is not None else []


def _doccano_span(place: str, entry: object, document: str) -> TextSpan:
    if isinstance(entry, dict):
        start, end, label = (entry.get(name) for name in ("start_offset", "end_offset", "label"))
    elif isinstance(entry, list) and len(entry) == 3:
        start, end, label = entry
    else:
        actual = describe_value(entry)
        raise HierarchyError(f"{place} must be a span, [start, end, label]; got {actual}; labels of texts are not read")
    return TextSpan(place, check_label(f"{place}: label", label), (_offsets(place, document, start, end),))


def _is_doccano(record: Mapping[str, Any]) -> bool | None:
    """Return whether a line is from doccano; None if it has no spans and could be in another format."""
    if _has_numbered_annotations(record):
        return True
    field = next((name for name in _SPAN_FIELDS if isinstance(record.get(name), list)), None)
    if field is None or not any(isinstance(record.get(name), str) for name in _TEXT_FIELDS):
        return False
    return _is_doccano_span(record[field][0]) if record[field] else None


def _has_numbered_annotations(record: Mapping[str, Any]) -> bool:
    """Return whether a line is in the first form of doccano, whose labels are numbers in a list of the project."""
    entries = record.get("annotations")
    first = entries[0] if isinstance(entries, list) and entries else None
    return isinstance(first, dict) and {"start_offset", "end_offset", "label"} <= first.keys()


def _is_doccano_span(entry: object) -> bool:
    if isinstance(entry, dict):
        return {"start_offset", "end_offset", "label"} <= entry.keys()
    return isinstance(entry, list) and [type(value) for value in entry] == [int, int, str]


def _read_prodigy(reading: Reading) -> Corpus:
    answers: Counter[str] = Counter()
    by_text: dict[str, str] = {}

    def add(number: int, record: dict[str, Any]) -> None:
        answer = record.get("answer", _ACCEPT)
        if answer not in _ANSWERS:
            raise reading.error(number, f"answer must be one of {', '.join(_ANSWERS)}; got {describe_value(answer)}")
        answers[answer] += 1
        if answer == _ACCEPT:
            _add_accepted(reading, number, record, by_text)
        elif record.get("_input_hash") is not None:
            reading.declined.append(_name("_input_hash", record["_input_hash"]))

    _read_lines(reading, add)
    left_out = {answer: count for answer, count in answers.items() if answer != _ACCEPT}
    if left_out:
        counts = ", ".join(f"{count} {answer}" for answer, count in left_out.items())
        reading.notes.append(f"{count_of(sum(left_out.values()), 'line')} left out because of the answer: {counts}")
    if "spans" not in reading.roles and not reading.excluded:
        raise reading.error(None, "expected spans; no accepted line has the field spans")
    return reading.corpus()


def _add_accepted(reading: Reading, number: int, record: Mapping[str, Any], by_text: dict[str, str]) -> None:
    document = _text(record)
    coder_field = next((name for name in ("_annotator_id", "_session_id") if record.get(name) is not None), None)
    coder = reading.coder_name if coder_field is None else _name(coder_field, record[coder_field])
    reading.roles |= {} if coder_field is None else {coder_field: "coder"}
    if record.get("_input_hash") is None:
        reading.notes.append("lines without _input_hash are the same item if their texts are equal")
        item = by_text.setdefault(document, str(len(by_text) + 1))
    else:
        reading.roles["_input_hash"] = "item"
        item = _name("_input_hash", record["_input_hash"])
    reading.roles |= {"spans": "spans"} if "spans" in record else {}
    entries = enumerate(_list(record, "spans"))
    spans = [_prodigy_span(f"spans[{i}]", entry, document)._replace(line=number) for i, entry in entries]
    tokens = _tokens(reading, document, record.get("tokens"))
    reading.add(item, coder, to_annotation(reading, item, coder, tokens, spans), number)


def _prodigy_span(place: str, span: object, document: str) -> TextSpan:
    fields = check_object("a span with start, end and label", span, place)
    offsets = _offsets(place, document, fields.get("start"), fields.get("end"), fields.get("text"))
    return TextSpan(place, check_label(f"{place}: label", fields.get("label")), (offsets,))


def _is_prodigy(record: Mapping[str, Any]) -> bool:
    has_answer = record.get("answer") in _ANSWERS and isinstance(record.get("spans"), list)
    return isinstance(record.get("text"), str) and ("_input_hash" in record or has_answer)


def _looks_like(matches: Callable[[Mapping[str, Any]], bool | None]) -> Callable[[str], bool]:
    """Return a function that decides by the first line that is not ambiguous."""

    def looks_like(text: str) -> bool:
        if not text[:1000].lstrip().startswith("{") or not _KEYS.search(text):
            return False
        result: bool | None = False
        for line in [line for line in text.split("\n", _MAX_LINES)[:_MAX_LINES] if line.strip()]:
            try:
                record = _parse("", 1, line)
            except FormatError:
                return False
            result = matches(record) if isinstance(record, dict) else False
            if result is not None:
                return result
        return result is None

    return looks_like


_UNITS = Option("tokens", None, choice(*TOKEN_PATTERNS), "units (default: tokens of the file, or else all characters)")

DOCCANO = Format(
    name="doccano",
    other_suffixes=(".jsonl", ".ndjson", ".json"),
    description="spans of doccano, one text per line of JSON, one file per user",
    read=_read_doccano,
    looks_like=_looks_like(_is_doccano),
    options=(CODER, _UNITS, *(option for option in OPTIONS if option.name != "discontinuous")),
    annotation_types=ANNOTATION_TYPES,
    hint="--reading tokens=words",
)
PRODIGY = replace(
    DOCCANO,
    name="prodigy",
    description="spans of Prodigy, one text and session per line of JSON",
    read=_read_prodigy,
    looks_like=_looks_like(_is_prodigy),
)
