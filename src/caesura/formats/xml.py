"""Parse XML from untrusted files, in the declared encoding and without expanding entities. Sort elements by parent."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from os import PathLike
from typing import Any, TypeVar

from caesura.errors import FormatError
from caesura.formats.content import decode
from caesura.formats.format import Reading
from caesura.formats.values import import_extra

_FORBIDDEN = ("<!DOCTYPE", "<!ENTITY")
_DECLARATION = re.compile(rb"""<\?xml[^>]{0,200}?encoding=["']([A-Za-z0-9._-]{1,40})["']""")
_UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
_OTHER_ENCODINGS = ("utf-16", "iso-8859-1", "iso-8859-15", "windows-1252", "windows-1251", "gb2312", "gbk", "gb18030")


def parse_xml(reading: Reading) -> Any:
    etree = import_extra(reading, "lxml.etree", "lxml", "xml")
    for forbidden in _FORBIDDEN:
        position = reading.text.find(forbidden)
        if position >= 0:
            line = reading.text.count("\n", 0, position) + 1
            raise reading.error(line, f"expected a plain document, entities are not expanded; got {forbidden}")
    safety = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    parser = etree.XMLParser(encoding="utf-8", remove_pis=True, remove_comments=True, **safety)
    try:
        return etree.fromstring(reading.text.encode("utf-8", "surrogatepass"), parser)
    except etree.XMLSyntaxError as error:
        raise reading.error(error.lineno, f"not valid XML: {error.msg}") from None


def decode_xml(path: str | PathLike[str], data: bytes) -> str:
    """Decode an XML file: as UTF-16 if it has that byte order mark, else in the declared encoding or UTF-8."""
    declaration = _DECLARATION.match(data.lstrip())
    encoding = declaration.group(1).decode("ascii").lower() if declaration else "utf-8"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    if encoding not in (*_UTF_8, *_OTHER_ENCODINGS):
        raise FormatError(path, 1, f"expected text in UTF-8; the document declares {encoding}")
    try:
        text = decode(path, data) if encoding in _UTF_8 else data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(path, line, f"expected text in {encoding}, as declared; got invalid bytes") from None
    # Remove the declaration, because its encoding is no longer true; keep its line breaks for the line numbers.
    return re.sub(r"\A\s*<\?xml[^>]{0,300}\?>", lambda match: "\n" * match.group().count("\n"), text)


@dataclass
class Node:
    """Element with an id that may refer to a parent element."""

    name: str
    line: int | None
    parent: str | None  # id of the parent


_Node = TypeVar("_Node", bound=Node)


def parents_first(reading: Reading, nodes: Mapping[str, _Node], kind: str) -> list[_Node]:
    for node in nodes.values():
        if node.parent is not None and node.parent not in nodes:
            problem = f"the parent of {node.name[:40]!r} must be a {kind}; got {node.parent[:40]!r}"
            raise reading.error(node.line, problem)
    parents = {name: () if node.parent is None else (node.parent,) for name, node in nodes.items()}
    try:
        return [nodes[name] for name in TopologicalSorter(parents).static_order()]
    except CycleError as error:
        node = nodes[error.args[1][0]]
        problem = f"every {kind} must be below a {kind} without a parent; {node.name[:40]!r} is in a cycle"
        raise reading.error(node.line, problem) from None


def unique_id(reading: Reading, element: Any, attribute: str, names: Container[str], kind: str) -> str:
    name = element.get(attribute)
    if not name or name in names:
        raise reading.error(element.sourceline, f"{kind} must have a unique id; got {(name or 'none')[:40]!r}")
    return str(name)
