"""Rhetorical structure in .rs3 and .rs4 files of RSTTool and rstWeb: elementary discourse units (EDUs) and groups.

A node is a nucleus of its group if its relation is ``span``, or if both the group and the relation are multinuclear. All other
nodes with a parent are satellites, including every child of an EDU. Each node has two yields. The nuclear yield of a group
contains its nuclei and their satellites; that of an EDU is the EDU. The full yield also contains the satellites of the node
itself. Each distinct yield of two or more EDUs is a span; all coders have the yields of one EDU, which would dominate kappa. A
nuclear yield has a gap if a satellite lies between the nuclei of its group. It is then not a span, but the full yield, which
contains the satellite, is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.formats.format import Format, Reading
from caesura.formats.rst import ANNOTATION_TYPES, OPTIONS, SPAN, Yield, check_gap, read_edus, rows_of
from caesura.formats.spans import SpanRow
from caesura.formats.xml import Node, decode_xml, parents_first, parse_xml, unique_id
from caesura.model.corpus import Corpus

_MULTINUC = "multinuc"


@dataclass
class _RstNode(Node):
    """A segment or group; ``edu`` is the number of the EDU, from 1, and 0 for a group."""

    relation: str | None
    edu: int = 0
    kind: str = ""
    nuclei: list[_RstNode] = field(default_factory=list)
    satellites: list[_RstNode] = field(default_factory=list)
    nuclear_yield: Yield = field(default_factory=Yield)
    full_yield: Yield = field(default_factory=Yield)  # includes the satellites of the node


def _read(reading: Reading) -> Corpus:
    body, relations = _parse(reading)
    nodes, edus = _nodes(reading, body)

    def rows() -> list[SpanRow]:
        order = parents_first(reading, nodes, "node")
        for node in order:
            _attach(reading, node, nodes, relations)
        for node in reversed(order):
            if not node.edu and not node.nuclei:
                raise reading.error(node.line, f"a group must have a nucleus; {node.name[:40]!r} has none")
            edus_of_node = [Yield(node.edu, node.edu, 1)] if node.edu else [child.full_yield for child in node.nuclei]
            node.nuclear_yield = Yield.union(edus_of_node)
            node.full_yield = Yield.union([node.nuclear_yield, *(child.full_yield for child in node.satellites)])
        return rows_of(span for node in order for span in _spans(reading, node))

    return read_edus(reading, edus, rows)


def _parse(reading: Reading) -> tuple[Any, dict[str, bool]]:
    root = parse_xml(reading)
    body = root.find("body") if root.tag == "rst" else None
    if body is None:
        raise reading.error(root.sourceline, f"expected <rst> with a <body>; got <{str(root.tag)[:40]}>")
    stray = next((element for element in root.iter("segment", "group") if element.getparent() is not body), None)
    if stray is not None:
        raise reading.error(stray.sourceline, f"a <{stray.tag}> must be directly in <body>; got it elsewhere")
    relations: dict[str, bool] = {}
    for element in root.iterfind("header/relations/rel"):
        name = (element.get("name") or "").casefold()
        relations[name] = relations.get(name, False) or element.get("type") == _MULTINUC
    return body, relations


def _nodes(reading: Reading, body: Any) -> tuple[dict[str, _RstNode], list[str]]:
    nodes: dict[str, _RstNode] = {}
    edus: list[str] = []
    for element in body.iterchildren("segment", "group"):
        name, line = unique_id(reading, element, "id", nodes, f"a {element.tag}"), element.sourceline
        if element.get("parent") == "":
            raise reading.error(line, f"{element.tag} {name[:40]!r}: the parent must have an id; it is empty")
        node = _RstNode(name, line, element.get("parent"), element.get("relname") or None)
        if element.tag == "segment":
            edu = " ".join("".join(element.itertext()).split())
            if not edu:
                raise reading.error(line, f"segment {name[:40]!r} must have a text; it is empty")
            edus.append(edu)
            node.edu = len(edus)
        else:
            node.kind = element.get("type") or ""
        nodes[name] = node
    if not edus:
        raise reading.error(body.sourceline, "expected at least one EDU (<segment>); got none")
    return nodes, edus


def _attach(reading: Reading, node: _RstNode, nodes: Mapping[str, _RstNode], relations: Mapping[str, bool]) -> None:
    if node.parent is None:
        if node.relation is not None:
            reading.log.count(
                "nodes with a relation and no parent read as roots", f"{node.name[:40]} {node.relation[:40]!r}"
            )
        return
    parent, relation = nodes[node.parent], (node.relation or "").casefold()
    if relation not in relations and relation != SPAN:
        expected = "a relation must be declared in the header, to tell nuclei from satellites"
        raise reading.error(node.line, f"{expected}; got {node.relation!r}")
    is_nucleus = relation == SPAN or (parent.kind == _MULTINUC and relations[relation])
    (parent.nuclei if is_nucleus and not parent.edu else parent.satellites).append(node)


def _spans(reading: Reading, node: _RstNode) -> Iterator[tuple[int, int, str | None]]:
    if check_gap(reading, node.line, f"node {node.name[:40]!r}", node.full_yield):
        yield node.full_yield.first, node.full_yield.last, node.relation
    if node.nuclear_yield != node.full_yield and not node.nuclear_yield.has_gap:
        yield node.nuclear_yield.first, node.nuclear_yield.last, SPAN


FORMAT = Format(
    name="rs3",
    suffixes=(".rs3", ".rs4"),
    description="rhetorical structure of RSTTool and rstWeb: EDUs, and spans of two or more",
    read=_read,
    looks_like=lambda text: text.lstrip().startswith("<rst"),
    extra="xml",
    decode=decode_xml,
    options=OPTIONS,
    annotation_types=ANNOTATION_TYPES,
)
