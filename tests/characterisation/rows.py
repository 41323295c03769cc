"""Turn what a command prints, and what a file contains, into plain rows that a later version can be compared with."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import caesura as cz

Row = list[Any]
MAX_UNITS = 20_000  # a text with more units is recorded without its words

# Fields of the JSON that say what a number belongs to.
_MEASURE = ("coefficient", "measure")
_ITEM = ("item", "document", "sentence")
_WHO = ("coder", "coders", "coder_a", "coder_b", "system", "systems", "segmenter", "stream", "pair", "group", "a", "b")
# Sentences for people; the recorded set is about numbers and names.
_WORDING = re.compile(r"(note|notes|warnings|reason|description|sentence|summary|title|hint|message|text|version)$")
_VERSION = re.compile(r"(\|| · )?caesura[: ]\d[\w.]+")
# Numbers of draws, intervals and tests will change before the release; they are compared in a list of their own.
_DRAWN = re.compile(
    r"(interval|low|high|draws|replicates|samples|errors?_of_mean|standard_error|expected_error|bounds|p_?values?|\bp)\b"
)


def envelope_rows(envelope: dict[str, Any]) -> list[Row]:
    """Return [measure or coefficient, item, coder or pair, name, value] for every value of a JSON envelope."""
    rows = list(_rows(envelope["results"], ("", "", ""), ""))
    rows += [["", "", "", "data", envelope["data"]], ["", "", "", "signature", _plain(envelope["signature"] or "")]]
    rows += [
        ["", entry.get("item") or "", entry.get("coder") or "", "excluded", True] for entry in envelope["excluded"]
    ]
    for number, report in enumerate(envelope["reading"]):
        facts = {name: report[name] for name in ("format", "kind", "items", "coders", "boundaries", "types", "roles")}
        rows += _rows(facts, ("", "", ""), f"reading {number}")
    return rows


def _rows(value: Any, context: tuple[str, str, str], name: str) -> Iterator[Row]:
    if isinstance(value, dict):
        measure, item, who = context
        own = [str(value[key]) for key in _MEASURE if isinstance(value.get(key), str)]
        items = [str(value[key]) for key in _ITEM if isinstance(value.get(key), (str, int))]
        people = [value[key] for key in _WHO if isinstance(value.get(key), (str, list))]
        names = [
            part for entry in people for part in ([entry] if isinstance(entry, str) else entry) if isinstance(part, str)
        ]
        context = (" ".join(own) or measure, " ".join(items) or item, " ".join(names) if names else who)
        for key, entry in value.items():
            # Options are in the signature too, and the signatures of single items are like that of the total.
            repeated = key == "params" or (key == "signature" and items)
            if not repeated and not (_WORDING.search(key) and isinstance(entry, (str, list))):
                yield from _rows(entry, context, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for entry in value:
            yield from _rows(entry, context, name)
    else:
        yield [*context, name, _plain(value) if isinstance(value, str) else value]


def _plain(text: str) -> str:
    return _VERSION.sub("", text)


def is_drawn(row: Row) -> bool:
    """Return whether a row is an interval, a p-value or a number of draws."""
    return bool(_DRAWN.search(str(row[3])))


def csv_rows(text: str) -> list[Row]:
    """Return ["csv", row number, "", column, cell] for every cell of a table; cells with a number as numbers."""
    table = list(csv.reader(io.StringIO(text)))
    header, *lines = table or [[]]
    return [
        ["csv", str(number), "", f"{place} {column}", _number(_plain(cell))]
        for number, line in enumerate(lines)
        for place, (column, cell) in enumerate(zip(header, line, strict=False))
    ]


def svg_rows(text: str) -> list[Row]:
    """Return the texts of a figure: titles, labels, names and ticks, in their order."""
    return [["figure", "", "", "text", _number(entry)] for entry in re.findall(r"<text[^>]*>([^<]+)<", text)]


def text_rows(text: str) -> list[Row]:
    """Return ["text", "", "", columns, cells] for every line of the tables that a person sees: a rule is under the header."""
    rows: list[Row] = []
    columns = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.strip() and not line.strip("─ "):
            columns = " | ".join(re.split(r"  +", lines[number - 1].strip()))
        elif not line.startswith("  "):
            columns = ""
        elif columns:
            rows.append(["text", "", "", columns, [_number(_plain(cell)) for cell in re.split(r"  +", line.strip())]])
    return rows


def _number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell if len(cell) < 50 else "(a sentence)"  # wording may change


def corpus_rows(corpus: cz.Corpus) -> list[Row]:
    """Return [item, coder, stream, shape, extent, boundaries or spans, labels, units] for every annotation of a corpus."""
    rows: list[Row] = []
    for (item, coder), annotation in corpus.items():
        streams = dict(annotation) if isinstance(annotation, cz.Dialogue) else {"": annotation}
        rows += [[item, coder, stream, *_annotation(part)] for stream, part in streams.items()]
    return json.loads(json.dumps(rows, default=_scalar))  # type: ignore[no-any-return]


def _annotation(part: Any) -> Row:
    if isinstance(part, cz.Segmentation):
        texts = [None, None] if part.length > MAX_UNITS else [_list(part.labels), _list(part.units)]
        return ["segments", part.length, list(part.boundaries), *texts]
    if isinstance(part, cz.Tier):
        rows = [list(row) for row in part.rows]
        return ["points" if part.points else "intervals", [part.begin, part.end], rows, None, _list(part.words)]
    if isinstance(part, cz.Spans):
        rows = [[span.start, span.end, span.category] for span in part.spans]
        return ["spans", [part.axis, *part.extent], rows, None, _list(part.units)]
    if isinstance(part, cz.Hierarchy):
        rows = [[span.start, span.end, span.level, span.label] for span in part.spans]
        return ["hierarchy", [part.length, _list(part.edges)], rows, None, _list(part.units)]
    if isinstance(part, cz.Tree):
        return ["tree", part.length, part.brackets, _list(part.times), None]
    return ["scores", part.length, [_list(part.places), _list(part.scores)], None, None]


def _list(values: Any) -> list[Any] | None:
    return None if values is None else [list(v) if isinstance(v, (tuple, set)) else v for v in values]


def _scalar(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else list(value)


def same(expected: Any, actual: Any) -> bool:
    """Return whether two values are equal; numbers may differ by 1e-12, relative to numbers above 1."""
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        both_nan = math.isnan(expected) and math.isnan(actual)
        return both_nan or expected == actual or math.isclose(expected, actual, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(expected, str) and isinstance(actual, str) and expected != actual:
        first, second = (_VALUE.split(text) for text in (expected, actual))  # a signature has the value once more
        return len(first) == len(second) == 3 and first[::2] == second[::2] and same(float(first[1]), float(second[1]))
    return bool(expected == actual)


_VALUE = re.compile(r"(?<=\|value:)(-?[0-9][0-9.e+-]*)")


def difference(expected: list[Row], actual: list[Row]) -> str:
    """Return the first difference between two lists of rows, or nothing."""
    for a, b in zip(expected, actual, strict=False):
        if not same(a, b):
            return f"expected {a}\n     got {b}"
    if len(expected) != len(actual):
        more = (expected if len(expected) > len(actual) else actual)[min(len(expected), len(actual))]
        return f"expected {len(expected)} rows, got {len(actual)}; the first without a partner is {more}"
    return ""
