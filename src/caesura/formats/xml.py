"""XML of strangers: bytes as the document declares them, and no entity is ever expanded."""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Reading, decode

__all__ = ["decode_xml", "parse_xml"]

_FORBIDDEN = ("<!DOCTYPE", "<!ENTITY")
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding=["']([A-Za-z0-9._-]{1,40})["']""")
_UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
_KNOWN = ("utf-16", "iso-8859-1", "iso-8859-15", "windows-1252", "windows-1251", "gb2312", "gbk", "gb18030")


def parse_xml(reading: Reading) -> Any:
    """The root, by lxml. A document type or an entity is an error, and so is nesting without end."""
    try:
        from lxml import etree
    except ImportError:
        raise reading.error(None, "reading this needs lxml; install caesura[xml]") from None
    for forbidden in _FORBIDDEN:
        at = reading.text.find(forbidden)
        if at >= 0:
            line = reading.text.count("\n", 0, at) + 1
            raise reading.error(line, f"a plain document is needed, entities are not expanded; got {forbidden}")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_pis=True,
        remove_comments=True,
    )
    try:
        return etree.fromstring(reading.text.encode("utf-8", "surrogatepass"), parser)
    except etree.XMLSyntaxError as problem:
        raise reading.error(problem.lineno, f"not valid XML: {problem.msg}") from None


def decode_xml(path: str | PathLike[str], data: bytes) -> str:
    """As the document declares; UTF-8 if it does not, UTF-16 by its mark."""
    said = _DECLARED.match(data.lstrip())
    encoding = said.group(1).decode("ascii").lower() if said else "utf-8"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    if encoding in _UTF_8:
        found = decode(path, data)
    elif encoding in _KNOWN:
        try:
            found = data.decode(encoding)
        except UnicodeDecodeError as problem:
            line = data.count(b"\n", 0, problem.start) + 1
            raise FormatError(
                path, line, f"text in {encoding} is needed, as the document says; got other bytes"
            ) from None
    else:
        raise FormatError(path, 1, f"text in UTF-8 is needed; the document declares {encoding}")
    # The declaration speaks of bytes that are no more.
    return re.sub(r"\A\s*<\?xml[^>]{0,300}\?>", lambda found: "\n" * found.group().count("\n"), found)
