"""Rezonator files (.rez): JSON followed by a NUL byte, with a map of nodes that refer to each other.

``ROOT[0].nodeMap`` has a node ``doc`` with a list of units. Each unit has a list of entries, and each entry refers to a
token. The fields that users see are in the ``tagMap`` of a unit (the speaker) and of a token (its text and kind).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from caesura.errors import FormatError, SegmentationError
from caesura.formats.content import decode, describe_value
from caesura.formats.format import Format, Reading
from caesura.formats.symbols import OPTIONS, Streams, Symbols
from caesura.formats.values import list_names
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, flag, text

_SPEAKER_FIELDS = ("speaker", "Speaker", "participant", "Participant")

Node = Mapping[str, Any]


def _read(reading: Reading) -> Corpus:
    root = _root(reading)
    return reading.read_one(lambda: _NodeMap(reading, root).annotation())


def _root(reading: Reading) -> Node:
    data = reading.json("Rezonator file")
    roots = data.get("ROOT") if isinstance(data, dict) else None
    if not isinstance(roots, list) or not roots or not isinstance(roots[0], dict):
        raise reading.error(1, 'expected an object with "ROOT": [{"nodeMap": {...}}]')
    root: Node = roots[0]
    if not isinstance(root.get("nodeMap"), dict):
        version = root.get("version")
        note = f" ({version[:40]})" if isinstance(version, str) else ""
        problem = f"expected ROOT[0].nodeMap, which this file{note} does not have: files of Rezonator 0.8 and before have grids"
        raise reading.error(1, f"{problem} instead; open it in a newer Rezonator and save it again")
    return root


class _NodeMap:
    """Nodes of a file. Every access is checked: a node may be missing, have the wrong type, or be listed twice."""

    def __init__(self, reading: Reading, root: Node) -> None:
        self.reading = reading
        self.root = root
        self.nodes: Node = root["nodeMap"]
        self.options = reading.options
        self.symbols = Symbols.from_options(reading.options, reading.types, {})
        self.visited: set[str] = set()

    def annotation(self) -> Segmentation | Dialogue:
        units = self.node_list(self.document(), "unitList", "unit")
        if not units:
            raise self.reading.error(None, "expected a document of at least one unit; got none")
        if not self.has_endnotes():
            kind = f"{self.options['kind']} {self.options['endnote']!r}"
            consequence = "all boundaries are untyped; set the endnotes with symbols="
            self.reading.warn(f"no token is of {kind}, so {consequence}")
            self.symbols = replace(self.symbols, unclassified=UNTYPED[0])
        tags = {unit: self.tags(unit) for unit in units}
        speaker_field = self.speaker_field(tags)
        streams = Streams()
        for unit in units:
            stream = "" if speaker_field is None else self.speaker(unit, tags[unit], speaker_field)
            streams.add(stream, *self.split(unit))
        segmentations = self.symbols.segmentations(streams, self.reading)
        return Dialogue(segmentations) if speaker_field is not None else segmentations[""]

    def has_endnotes(self) -> bool:
        """Return whether boundary types are known: from symbols, from ``unclassified``, or from endnote tokens."""
        if self.symbols.types or self.symbols.unclassified is not None:
            return True
        tag_maps = (node.get("tagMap") for node in self.nodes.values() if isinstance(node, dict))
        return any(isinstance(tags, dict) and self.is_endnote(tags) for tags in tag_maps)

    def is_endnote(self, tags: Node) -> bool:
        return bool(tags.get(self.options["kind"]) == self.options["endnote"])

    def document(self) -> str:
        name = self.root.get("discourseNode")
        if isinstance(name, str) and name in self.nodes:
            return name
        documents = [key for key, node in self.nodes.items() if isinstance(node, dict) and node.get("type") == "doc"]
        if len(documents) != 1:
            raise self.reading.error(None, f"expected one node of type 'doc' in the nodeMap; got {len(documents)}")
        return documents[0]

    def root_field(self, option: str, key: str) -> str | None:
        """Return the field set by an option, or else the field that the file sets under ``key``."""
        name = self.options[option] or self.root.get(key)
        return name if isinstance(name, str) else None

    def speaker_field(self, unit_tags: Mapping[str, Node]) -> str | None:
        """Return the unit field with the speaker's name; None if there are no streams."""
        if not self.options["streams"]:
            return None
        fields = dict.fromkeys(field for tags in unit_tags.values() for field in tags)
        name = self.root_field("speaker", "speakerField")
        if name is None:
            return next((field for field in _SPEAKER_FIELDS if field in fields), None)
        if name not in fields:
            problem = f"no unit has a field {name!r} for the speaker; the fields are {list_names(fields)}"
            raise self.reading.error(None, f"{problem}; or read with streams=False")
        return name

    def speaker(self, unit: str, tags: Node, field: str) -> str:
        speaker = tags.get(field)
        if not isinstance(speaker, str) or not speaker.strip():
            expected = f"{self.describe(unit)} must name its speaker in the field {field!r}"
            raise self.error(unit, f"{expected}; got {describe_value(speaker)}")
        return speaker.strip()

    def split(self, unit: str) -> tuple[list[str], str]:
        field = self.root_field("token", "displayTokenField") or "text"
        pairs = [self.token(entry, field) for entry in self.node_list(unit, "entryList", "entry")]
        tokens, endnotes = [token for token, _ in pairs], [is_endnote for _, is_endnote in pairs]
        place = f"{self.describe(unit)}: "
        if any(endnotes[:-1]):
            token = tokens[endnotes.index(True)]
            raise self.error(unit, f"{place}an endnote must be the last token; got {token!r} before")
        try:
            return self.split_endnote(tokens) if any(endnotes) else self.split_symbol(tokens)
        except SegmentationError as error:
            raise self.error(unit, f"{place}{error}") from None

    def token(self, entry: str, field: str) -> tuple[str, bool]:
        name: str = self.value(entry, "token", str, "name a token", "entry")
        self.visit(name, "token")
        tags = self.tags(name, "token")
        token = tags.get(field)
        if not isinstance(token, str):
            expected = f"token {name[:40]!r} must have a text in the field {field!r}"
            raise self.error(name, f"{expected}; the fields are {list_names(tags)}")
        return token.strip(), self.is_endnote(tags)

    def split_symbol(self, tokens: list[str]) -> tuple[list[str], str]:
        if not self.symbols.types and self.symbols.unclassified is None:
            expected = f"it must end in a token whose {self.options['kind']} is {self.options['endnote']!r}"
            hint = "Set the endnotes with symbols=, or the type of other endings with unclassified="
            raise SegmentationError(f"{expected}; the last is {tokens[-1] if tokens else None!r}. {hint}")
        return self.symbols.split(tokens)

    def split_endnote(self, tokens: list[str]) -> tuple[list[str], str]:
        last = tokens[-1]
        if not last:
            raise SegmentationError("an endnote must have a text; it is empty")
        if self.symbols.types and last not in self.symbols.types:
            raise SegmentationError(f"an endnote must be one of {self.symbols.symbol_list}; got {last!r}")
        return Symbols({last: self.symbols.types.get(last, last)}).split(tokens)

    def node_list(self, name: str, key: str, kind: str) -> list[str]:
        names: list[Any] = self.value(name, key, list, f"have a list {key}")
        for child in names:
            if not isinstance(child, str):
                raise self.error(name, f"{key} of {name[:40]!r} must name nodes; got {describe_value(child)}")
            self.visit(child, kind)
        return names

    def visit(self, name: str, kind: str) -> None:
        """Raise an error if a node occurs in two lists, because it would be read twice."""
        if name in self.visited:
            raise self.error(name, f"{kind} {name[:40]!r} must be listed only once; got it again")
        self.visited.add(name)

    def node(self, name: str, kind: str) -> Node:
        node = self.nodes.get(name)
        if not isinstance(node, dict):
            raise self.error(name, f"{kind} {name[:40]!r} is not in the nodeMap")
        return node

    def value(self, name: str, key: str, value_type: type, expected: str, kind: str = "node") -> Any:
        value = self.node(name, kind).get(key)
        if not isinstance(value, value_type):
            raise self.error(name, f"{kind} {name[:40]!r} must {expected}; got {describe_value(value)}")
        return value

    def tags(self, name: str, kind: str = "unit") -> dict[str, Any]:
        tags: dict[str, Any] = self.value(name, "tagMap", dict, "have a tagMap", kind)
        return tags

    def describe(self, unit: str) -> str:
        number = self.nodes[unit].get("unitSeq")
        return f"unit {describe_value(number)}" if isinstance(number, int) else f"unit {unit[:40]!r}"

    def error(self, name: str, problem: str) -> FormatError:
        return self.reading.error(self.reading.line_of_key("nodeMap", name), problem)


FORMAT = Format(
    name="rez",
    suffixes=(".rez",),
    description="Rezonator file: units of tokens that end in endnotes",
    read=_read,
    looks_like=lambda text: text.lstrip().startswith("{") and '"nodeMap"' in text,
    decode=lambda path, data: decode(path, data.rstrip(b"\0")),
    options=(
        *OPTIONS,
        Option("attached", False, flag, "whether a symbol may also be the end of the last token"),
        Option("token", None, text, "field of a token that contains its text (default: the file's displayTokenField)"),
        Option("speaker", None, text, "field of a unit that names the speaker (default: the file's speakerField)"),
        Option("kind", "kind", text, "field of a token that gives its kind"),
        Option("endnote", "EndNote", text, "kind of an endnote"),
        Option("streams", True, flag, "whether each speaker is a stream; if not, all units form one text"),
    ),
)
