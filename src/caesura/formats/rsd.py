"""Discourse dependencies, .rsd, as written by rst2dep and published with GUM: one elementary discourse unit (EDU) per line.

References
----------
Li, S., Wang, L., Cao, Z., & Li, W. (2014). Text-level discourse dependency parsing. ACL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from caesura.formats.content import lines_of
from caesura.formats.format import Format, Reading
from caesura.formats.rst import ANNOTATION_TYPES, OPTIONS, Yield, check_gap, order_from_roots, read_edus, rows_of
from caesura.formats.spans import SpanRow
from caesura.model.corpus import Corpus

_COLUMNS = 10
_NUMBER = re.compile("[0-9]{1,9}")
_ENDING = re.compile("_[rm]$")
_ROOT = "ROOT"


class _Edu(NamedTuple):
    line: int
    text: str
    head: int
    relation: str | None


def _read(reading: Reading) -> Corpus:
    edus = _edus(reading)
    reading.roles |= {"2": "EDUs", "7": "heads", "8": "labels"}
    return read_edus(reading, [edu.text for edu in edus], lambda: _rows(reading, edus))


def _edus(reading: Reading) -> list[_Edu]:
    edus: list[_Edu] = []
    for number, line in enumerate(lines_of(reading.text), 1):
        if line.strip() and not line.startswith("#"):
            edus.append(_edu(reading, number, line, len(edus) + 1))
    if not edus:
        raise reading.error(None, "expected at least one EDU; got none")
    return edus


def _edu(reading: Reading, number: int, line: str, expected: int) -> _Edu:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise reading.error(number, f"an EDU must have {_COLUMNS} columns with tabs between; got {len(cells)}")
    text, head, relation = " ".join(cells[1].split()), cells[6].strip(), cells[7].strip()
    if cells[0].strip() != str(expected):
        problem = f"EDUs must be numbered 1, 2, 3 ...; got {cells[0][:40]!r} for {expected}"
        raise reading.error(number, f"{problem}; a file must contain one document")
    if not text:
        raise reading.error(number, "an EDU must have a text in column 2; it is empty")
    if not _NUMBER.fullmatch(head):
        raise reading.error(number, f"column 7 must be the number of the head, or 0; got {head[:40]!r}")
    is_label = relation not in ("", "_") and relation.upper() != _ROOT
    label = _ENDING.sub("", relation) if is_label else ""
    return _Edu(number, text, int(head), label or None)


def _order(reading: Reading, edus: Sequence[_Edu], heads: Mapping[int, int]) -> Sequence[int]:
    for i, edu in enumerate(edus, 1):
        if edu.head > len(edus) or edu.head == i:
            problem = f"the head of EDU {i} must be another EDU, 1 to {len(edus)}, or 0"
            raise reading.error(edu.line, f"{problem}; got {edu.head}")
    order = order_from_roots(heads)
    if len(order) < len(edus):
        missing = min(heads.keys() - {*order})
        raise reading.error(edus[missing - 1].line, f"EDU {missing} must depend on the root; its heads form a cycle")
    return order


def _rows(reading: Reading, edus: Sequence[_Edu]) -> list[SpanRow]:
    heads = {i: edu.head for i, edu in enumerate(edus, 1)}
    order = _order(reading, edus, heads)
    yields = {i: Yield(i, i, 1) for i in heads}
    for i in reversed(order):
        if heads[i]:
            yields[heads[i]] = Yield.union([yields[heads[i]], yields[i]])
    roots = sum(head == 0 for head in heads.values())
    if roots > 1:
        reading.notes.append(f"{roots} EDUs have no head")
    unbroken = [i for i in order if check_gap(reading, edus[i - 1].line, f"EDU {i}", yields[i])]
    return rows_of((yields[i].first, yields[i].last, edus[i - 1].relation) for i in unbroken)


def _looks_like(text: str) -> bool:
    first = next((line for line in lines_of(text[:200_000]) if line.strip() and not line.startswith("#")), "")
    cells = first.split("\t")
    return len(cells) == _COLUMNS and cells[0] == "1" and _NUMBER.fullmatch(cells[6]) is not None


FORMAT = Format(
    name="rsd",
    suffixes=(".rsd",),
    description="discourse dependencies of rst2dep: one EDU per line with its head, and spans of two or more",
    read=_read,
    looks_like=_looks_like,
    options=OPTIONS,
    annotation_types=ANNOTATION_TYPES,
    part="column",
    hint="--reading as_=segments",
)
