"""Rhetorical structure in .rs3 and .rs4, of RSTTool and rstWeb: elementary discourse units and what they are grouped to.

A ``segment`` is an EDU, and EDUs are the units. A node is a nucleus of its parent (its relation is ``span``, or a
multinuclear one) or a satellite attached to it. A group covers its nuclei with everything attached to these; and with what
is attached to the group itself, it covers that too. Each such yield of two or more EDUs is a span: two spans where
something is attached to a node, one where the group around them covers the same. Yields of one EDU are no spans: everyone
has them, and kappa would be about nothing else. A yield with a gap, where a satellite stands between the nuclei of the
group to which it is attached, is no span either; with the satellite it is one.

Levels are derived from nesting. The label of a span is the relation of the outermost node with that yield that is more than
``span``; the whole text has none. A file is one coder and one item, named by the file; ``read_coders`` takes several, and
where they have the same name in several folders, the folders are the coders. Secondary edges and signals of .rs4 are not
read.

Coders who do not share EDUs can be compared on where EDUs end: ``as_="segments"`` reads a segmentation, with whitespace
tokens as units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from caesura.formats.format import Format, Reading
from caesura.formats.spans import REPAIR, Frame, LeftOut, Row, choice, hierarchy
from caesura.formats.symbols import CODER, ITEM
from caesura.formats.xml import decode_xml, parse_xml
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option

__all__ = ["FORMAT"]

_SPAN = "span"
_MULTINUC = "multinuc"


@dataclass
class _Node:
    """A segment or group."""

    name: str
    line: int | None
    edu: int = 0
    """Its number, from 1; 0 for a group."""
    kind: str = ""
    parent: str | None = None
    relation: str | None = None
    nuclei: list[_Node] = field(default_factory=list)
    satellites: list[_Node] = field(default_factory=list)
    base: tuple[int, int, int] = (0, 0, 0)
    """First and last EDU, and how many, of the node's nuclei."""
    full: tuple[int, int, int] = (0, 0, 0)
    """The same with what is attached to the node."""
    depth: int = 0


def read(reading: Reading) -> Corpus:
    """One hierarchy over EDUs, or one segmentation into EDUs."""
    body, multinuclear, declared = _parse(reading)
    nodes, edus = _nodes(reading, body)
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    if reading.options["as_"] == "segments":
        words = [edu.split() for edu in edus]
        masses = [len(one) for one in words]
        reading.add(item, coder, Segmentation.from_masses(masses, units=[word for one in words for word in one]))
        return reading.corpus()
    place = f"item {item!r}, coder {coder!r}"
    left_out = LeftOut(reading.path)
    with reading.item(None, f"{place}: "):
        order = _tree(reading, nodes, multinuclear, declared)
        rows = _spans(reading, order, left_out)
        frame = Frame(units=tuple(edus))
        made = hierarchy(rows, frame, place=place, options=reading.options, left_out=left_out)
        reading.add(item, coder, made)
    left_out.warn()
    return reading.corpus()


def _parse(reading: Reading) -> tuple[Any, set[str], set[str]]:
    """The body, and the relations that are declared, those with several nuclei apart."""
    root = parse_xml(reading)
    body = root.find("body") if root.tag == "rst" else None
    if body is None:
        raise reading.error(root.sourceline, f"<rst> with a <body> is needed; got <{str(root.tag)[:40]}>")
    relations = [(one.get("name") or "", one.get("type") or "") for one in root.iterfind("header/relations/rel")]
    multinuclear = {name.casefold() for name, kind in relations if kind == _MULTINUC}
    return body, multinuclear, {name.casefold() for name, _ in relations}


def _nodes(reading: Reading, body: Any) -> tuple[dict[str, _Node], list[str]]:
    nodes: dict[str, _Node] = {}
    edus: list[str] = []
    for one in body:
        if one.tag not in ("segment", "group"):
            continue
        name = one.get("id")
        if not name:
            raise reading.error(one.sourceline, f"a {one.tag} must have an id; got none")
        if name in nodes:
            raise reading.error(one.sourceline, f"an id may stand only once; got {name[:40]!r} again")
        node = _Node(name, one.sourceline, parent=one.get("parent") or None, relation=one.get("relname") or None)
        if one.tag == "segment":
            said = " ".join("".join(one.itertext()).split())
            if not said:
                raise reading.error(one.sourceline, f"segment {name[:40]!r} must have a text; it is empty")
            edus.append(said)
            node.edu = len(edus)
        else:
            node.kind = one.get("type") or ""
        nodes[name] = node
    if not edus:
        raise reading.error(body.sourceline, "at least one EDU, a <segment>, is needed; got none")
    return nodes, edus


def _tree(reading: Reading, nodes: dict[str, _Node], multinuclear: set[str], declared: set[str]) -> list[_Node]:
    """Every node after its parent; nuclei and satellites told apart."""
    tops = []
    for node in nodes.values():
        if node.parent is None:
            tops.append(node)
            continue
        above = nodes.get(node.parent)
        if above is None:
            raise reading.error(
                node.line, f"the parent of {node.name[:40]!r} must be a node; there is no {node.parent[:40]!r}"
            )
        relation = (node.relation or "").casefold()
        if relation not in declared and relation != _SPAN:
            raise reading.error(
                node.line,
                f"a relation must be declared in the header, to tell nuclei from satellites; got {node.relation!r}",
            )
        nucleus = relation == _SPAN or (above.kind == _MULTINUC and relation in multinuclear)
        (above.nuclei if nucleus and not above.edu else above.satellites).append(node)
    order = tops
    for node in order:  # grows while it is walked: no recursion
        for below in (*node.nuclei, *node.satellites):
            below.depth = node.depth + 1
            order.append(below)
    if len(order) < len(nodes):
        reached = {node.name for node in order}
        lost = next(node for node in nodes.values() if node.name not in reached)
        raise reading.error(lost.line, f"a node must hang from a root; {lost.name[:40]!r} hangs in a circle")
    for node in reversed(order):
        parts = [below.full for below in node.nuclei]
        node.base = _joined([(node.edu, node.edu, 1)] if node.edu else parts)
        node.full = _joined([node.base, *(below.full for below in node.satellites)])
        if not node.base[2]:
            raise reading.error(node.line, f"a group must have a nucleus; {node.name[:40]!r} has none")
    return order


def _joined(parts: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    if not parts:
        return (0, 0, 0)
    firsts, lasts, counts = zip(*parts, strict=True)
    return min(firsts), max(lasts), sum(counts)


def _spans(reading: Reading, order: list[_Node], left_out: LeftOut) -> list[Row]:
    """The distinct yields without a gap, the outermost node first."""
    found: dict[tuple[int, int], str | None] = {}
    for node in order:
        for first, last, relation in _yields(reading, node, left_out):
            if first < last:
                found[first, last] = found.get((first, last)) or (None if relation == _SPAN else relation)
    return [Row(first, last, None, label) for (first, last), label in found.items()]


def _yields(reading: Reading, node: _Node, left_out: LeftOut) -> Iterator[tuple[int, int, str | None]]:
    first, last, count = node.full
    if count == last - first + 1:
        yield first, last, node.relation
    elif reading.options["repair"]:
        left_out.said.append(f"the yield of node {node.name[:40]!r}, {first}-{last}, has gaps and was left out")
    else:
        raise reading.error(
            node.line,
            f"the yield of node {node.name[:40]!r} must have no gap; it has {count} of the EDUs {first}-{last}; "
            "or read with repair=True, without such spans",
        )
    if node.base != node.full:
        first, last, count = node.base
        if count == last - first + 1:
            yield first, last, _SPAN


FORMAT = Format(
    name="rs3",
    suffixes=(".rs3", ".rs4"),
    description="rhetorical structure of RSTTool and rstWeb: EDUs, and spans of two or more",
    read=read,
    looks_like=lambda lines: lines.lstrip().startswith("<rst"),
    extra="xml",
    decode=decode_xml,
    options=(
        ITEM,
        CODER,
        Option("as_", "spans", choice("spans", "segments"), "spans of EDUs, or a segmentation of the tokens into EDUs"),
        REPAIR,
    ),
    annotation_types=(Hierarchy,),
)
