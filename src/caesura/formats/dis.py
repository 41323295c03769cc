"""Rhetorical structure in brackets, .dis, as in the RST Discourse Treebank.

A text ends with ``_!`` or ``!_`` before a closing bracket. The marks ``<P>`` of paragraphs at the end of a text and the
comments ``//TT_ERR`` are left out.

References
----------
Carlson, L., Marcu, D., & Okurowski, M. E. (2001). Building a discourse-tagged corpus in the framework of Rhetorical Structure
Theory. SIGdial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from caesura.formats.format import Format, Reading
from caesura.formats.rst import ANNOTATION_TYPES, OPTIONS, read_edus, rows_of
from caesura.model.corpus import Corpus

_TOKEN = re.compile(
    r"""\s+ | //TT_ERR
    | \(\s*(?P<kind>Root|Nucleus|Satellite)\b
    | \(\s*span\s+(?P<first>[0-9]{1,9})\s+(?P<last>[0-9]{1,9})\s*\)
    | \(\s*leaf\s+(?P<leaf>[0-9]{1,9})\s*\)
    | \(\s*rel2par\s+(?P<relation>[^\s()]+)\s*\)
    | \(\s*text\s+_!(?P<text>.*?)(?:_!|!_)\s*\)
    | (?P<close>\))""",
    re.VERBOSE | re.DOTALL,
)
_PARAGRAPH = "<P>"


class _Token(NamedTuple):
    kind: str
    values: tuple[str, ...]
    line: int


@dataclass
class _DisNode:
    """A node: its declared and its actual first and last EDU."""

    line: int
    declared: tuple[int, int] | None = None
    relation: str | None = None
    leaf: int = 0
    first: int = 0
    last: int = 0


def _read(reading: Reading) -> Corpus:
    nodes, edus = _parse(reading)
    if not edus:
        raise reading.error(1, "expected at least one EDU (leaf 1); got none")
    reading.roles |= {"text": "EDUs", "rel2par": "labels"}
    return read_edus(reading, edus, lambda: rows_of((node.first, node.last, node.relation) for node in nodes))


def _parse(reading: Reading) -> tuple[list[_DisNode], list[str]]:
    nodes: list[_DisNode] = []
    open_nodes: list[_DisNode] = []
    edus: list[str] = []
    for token in _tokens(reading):
        if token.kind == "kind":
            _check_place(reading, token, nodes, open_nodes)
            nodes.append(_DisNode(token.line))
            open_nodes.append(nodes[-1])
        elif not open_nodes:
            raise reading.error(token.line, "a part must be inside a node; the first node must be ( Root ...")
        elif token.kind == "close":
            _close(reading, open_nodes.pop(), open_nodes, edus)
        else:
            _fill(reading, token, open_nodes[-1], edus)
    if open_nodes:
        raise reading.error(open_nodes[-1].line, "this bracket is never closed")
    return nodes, edus


def _tokens(reading: Reading) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(reading.text):
        match = _TOKEN.match(reading.text, position)
        if match is None:
            actual = reading.text[position : position + 40].split("\n", 1)[0]
            expected = "( Root, ( Nucleus, ( Satellite, (span 1 2), (leaf 1), (rel2par name) or (text _!...!_)"
            raise reading.error(line, f"expected {expected}; got {actual!r}")
        values = {name: value for name, value in match.groupdict().items() if value is not None}
        if values:
            yield _Token(next(iter(values)), tuple(values.values()), line)
        line += reading.text.count("\n", position, match.end())
        position = match.end()


def _without_paragraphs(text: str) -> str:
    end, content_end = len(text), len(text)
    while end and (text[end - 1].isspace() or text.endswith(_PARAGRAPH, 0, end)):
        if text[end - 1].isspace():
            end -= 1
        else:
            end = content_end = end - len(_PARAGRAPH)
    return text[:end] if content_end < len(text) else text


def _check_place(reading: Reading, token: _Token, nodes: list[_DisNode], open_nodes: list[_DisNode]) -> None:
    (kind,) = token.values
    if (kind == "Root") != (not nodes):
        raise reading.error(token.line, f"the first node, and only the first, must be Root; got {kind}")
    if nodes and not open_nodes:
        raise reading.error(token.line, f"Root must contain all nodes; got {kind} after its end")
    if open_nodes and open_nodes[-1].leaf:
        raise reading.error(token.line, f"a leaf cannot contain nodes; got {kind} inside leaf {open_nodes[-1].leaf}")


def _fill(reading: Reading, token: _Token, node: _DisNode, edus: list[str]) -> None:
    if token.kind == "relation":
        node.relation = token.values[0]
    elif token.kind == "first":
        node.declared = int(token.values[0]), int(token.values[1])
    elif token.kind == "leaf":
        node.leaf = node.first = node.last = int(token.values[0])
        if node.leaf != len(edus) + 1:
            raise reading.error(token.line, f"leaves must be numbered 1, 2, 3 ...; got {node.leaf} for {len(edus) + 1}")
    else:
        text = _without_paragraphs(token.values[0])
        if text != token.values[0]:
            reading.notes.append("the marks <P> of paragraphs were left out")
        if not node.leaf or node.leaf == len(edus) or not text.strip():
            actual = "it is empty" if node.leaf > len(edus) else "it is a second text, or is not in a leaf"
            raise reading.error(token.line, f"each leaf must have one text; {actual}")
        edus.append(" ".join(text.split()))


def _close(reading: Reading, node: _DisNode, open_nodes: list[_DisNode], edus: list[str]) -> None:
    """Check a complete node and add its EDUs to its parent."""
    if node.leaf > len(edus):
        raise reading.error(node.line, f"leaf {node.leaf} must have a text; it has none")
    if not node.first:
        raise reading.error(node.line, "a node must contain a leaf; it has none")
    if node.declared is not None and node.declared != (node.first, node.last):
        problem = "the numbers after span must be those of the first and the last leaf of the node"
        raise reading.error(
            node.line, f"{problem}, {node.first} and {node.last}; got {node.declared[0]} and {node.declared[1]}"
        )
    if open_nodes:
        parent = open_nodes[-1]
        parent.first, parent.last = parent.first or node.first, node.last


FORMAT = Format(
    name="dis",
    suffixes=(".dis",),
    other_suffixes=(".txt",),
    description="rhetorical structure in brackets, as in the RST Discourse Treebank: EDUs, and spans of two or more",
    read=_read,
    looks_like=lambda text: re.match(r"\s*\(\s*Root\s*\(\s*(?:span|leaf)\s", text[:1000]) is not None,
    options=OPTIONS,
    annotation_types=ANNOTATION_TYPES,
    hint="--reading as_=segments",
)
