"""Rezonator's .rez: JSON followed by a NUL byte, a map of nodes that name each other.

``ROOT[0].nodeMap`` holds a node ``doc`` with a list of units; a unit lists entries, an entry names a token. Fields that
users see are in the ``tagMap`` of a unit (the speaker) and of a token (its text, its kind). A unit's end is a boundary,
and its type is the endnote: a final token of kind ``EndNote``, or one of the given ``symbols``. A file that has no endnote at
all has plain boundaries, with a warning. The other tokens are the units, and those of one speaker form a running text of
their own. A file is one coder and one item.

The file says which field shows the text and which the speaker (``displayTokenField``, ``speakerField``); ``token`` and
``speaker`` name others.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from caesura.errors import CaesuraWarning, FormatError, SegmentationError
from caesura.formats.format import Format, Reading, decode, describe_value, line_of_key, parse_json
from caesura.formats.symbols import OPTIONS, Symbols
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, flag, text

__all__ = ["FORMAT"]

_SPEAKERS = ("speaker", "Speaker", "participant", "Participant")
Node = Mapping[str, Any]


def read(reading: Reading) -> Corpus:
    """One dialogue; without streams if the file knows no speakers, or ``streams=False``."""
    root = _root(reading)
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        reading.add(item, coder, _File(reading, root).annotation())
    return reading.corpus()


def _root(reading: Reading) -> Node:
    data = parse_json(reading.path, reading.text, "Rezonator file")
    roots = data.get("ROOT") if isinstance(data, dict) else None
    if not isinstance(roots, list) or not roots or not isinstance(roots[0], dict):
        raise reading.error(1, 'an object with "ROOT": [{"nodeMap": {...}}] is needed')
    root: Node = roots[0]
    if not isinstance(root.get("nodeMap"), dict):
        version = root.get("version")
        said = f" ({version[:40]})" if isinstance(version, str) else ""
        raise reading.error(
            1,
            f"ROOT[0].nodeMap is needed and this file{said} has none: files of Rezonator 0.8 and before hold grids "
            "instead; open it in a newer Rezonator and save it again",
        )
    return root


class _File:
    """The nodes, and what the options make of them."""

    def __init__(self, reading: Reading, root: Node) -> None:
        self.reading = reading
        self.root = root
        self.nodes: Node = root["nodeMap"]
        options = reading.options
        self.options = options
        self.symbols = Symbols.from_options(options, reading.types, {})
        self.seen: set[str] = set()

    def _ending(self) -> Symbols:
        """What ends units; where nothing in the file does, their ends are plain boundaries, and that is said."""
        symbols = self.symbols
        if symbols.types or symbols.unclassified is not None or self._has_endnotes():
            return symbols
        warnings.warn(
            f"{self.reading.path}: no token is of {self.options['kind']} {self.options['endnote']!r}, so every unit ends in a "
            "plain boundary; name endnotes by symbols=",
            CaesuraWarning,
            stacklevel=7,
        )
        return replace(symbols, unclassified=UNTYPED[0])

    def _has_endnotes(self) -> bool:
        tagged = (node.get("tagMap") for node in self.nodes.values() if isinstance(node, dict))
        return any(
            isinstance(tags, dict) and tags.get(self.options["kind"]) == self.options["endnote"] for tags in tagged
        )

    def annotation(self) -> Segmentation | Dialogue:
        units = self.listed(self.document(), "unitList", "unit")
        if not units:
            raise self.reading.error(None, "a document of at least one unit is needed; got none")
        self.symbols = self._ending()
        spoken = {name: self.tags(name) for name in units}
        speaker = self.speaker_field(spoken)
        words: dict[str, list[str]] = {}
        marks: dict[str, list[str]] = {}
        for name, tags in spoken.items():
            stream = ""
            if speaker is not None:
                said = tags.get(speaker)
                stream = said.strip() if isinstance(said, str) else ""
                if not stream:
                    raise self.error(
                        name,
                        f"{self.unit(name)} must name its speaker in the field {speaker!r}; got {describe_value(said)}",
                    )
            found, kind = self.split(name)
            words.setdefault(stream, []).extend(found)
            marks.setdefault(stream, []).extend([""] * (len(found) - 1) + [kind])
        made = self.symbols.segmentations(words, marks, self.options, self.reading.types)
        return Dialogue(made) if speaker is not None else made[""]

    def document(self) -> str:
        """The document, which the file names or of which there is one."""
        name = self.root.get("discourseNode")
        if isinstance(name, str) and name in self.nodes:
            return name
        docs = [key for key, node in self.nodes.items() if isinstance(node, dict) and node.get("type") == "doc"]
        if len(docs) != 1:
            raise self.reading.error(None, f"one node of type 'doc' is needed in the nodeMap; got {len(docs)}")
        return docs[0]

    def speaker_field(self, spoken: Mapping[str, Node]) -> str | None:
        if not self.options["streams"]:
            return None
        named: str | None = self.options["speaker"]
        if named is None and isinstance(self.root.get("speakerField"), str):
            named = self.root["speakerField"]
        fields = dict.fromkeys(field for tags in spoken.values() for field in tags)
        if named is not None and named not in fields:
            there = ", ".join(map(repr, [*fields][:20])) or "none"
            raise self.reading.error(
                None, f"no unit has a field {named!r} for the speaker; there are {there}; or read with streams=False"
            )
        return named if named is not None else next((name for name in _SPEAKERS if name in fields), None)

    def split(self, unit: str) -> tuple[list[str], str]:
        """The tokens of a unit without the endnote, and the endnote's type."""
        shown_field = self.root.get("displayTokenField")
        field = self.options["token"] or (shown_field if isinstance(shown_field, str) else "text")
        tokens: list[str] = []
        endnotes: list[bool] = []
        for entry in self.listed(unit, "entryList", "entry"):
            name = self.node(entry, "entry").get("token")
            if not isinstance(name, str):
                raise self.error(entry, f"entry {entry[:40]!r} must name a token; got {describe_value(name)}")
            tags = self.tags(name, "token")
            said = tags.get(field)
            if not isinstance(said, str):
                there = ", ".join(map(repr, [*tags][:20])) or "none"
                raise self.error(
                    name, f"token {name[:40]!r} must have a text in the field {field!r}; there are {there}"
                )
            tokens.append(said.strip())
            endnotes.append(tags.get(self.options["kind"]) == self.options["endnote"])
        place = f"{self.unit(unit)}: "
        if any(endnotes[:-1]):
            raise self.error(
                unit, f"{place}an endnote must be the last token; got {tokens[endnotes.index(True)]!r} before"
            )
        try:
            if endnotes[-1:] == [True]:
                return self.by_kind(tokens)
            if not self.symbols.types and self.symbols.unclassified is None:
                raise SegmentationError(
                    f"it must end in a token whose {self.options['kind']} is {self.options['endnote']!r}; the last is "
                    f"{tokens[-1] if tokens else None!r}. Name the endnotes by symbols=, or their absence by unclassified="
                )
            return self.symbols.split(tokens)
        except SegmentationError as problem:
            raise self.error(unit, f"{place}{problem}") from None

    def by_kind(self, tokens: list[str]) -> tuple[list[str], str]:
        *words, last = tokens
        if not words:
            raise SegmentationError(f"an utterance must hold a token before the boundary symbol; got {last!r} alone")
        if not last:
            raise SegmentationError("an endnote must have a text; it is empty")
        if self.symbols.types and last not in self.symbols.types:
            raise SegmentationError(f"an endnote must be one of {self.symbols.known}; got {last!r}")
        return words, self.symbols.types.get(last, last)

    # -- nodes of strangers: everything may be missing, of another kind, or named twice -----------------------------

    def listed(self, name: str, key: str, kind: str) -> list[str]:
        found = self.node(name).get(key)
        if not isinstance(found, list):
            raise self.error(name, f"node {name[:40]!r} must have a list {key}; got {describe_value(found)}")
        for one in found:
            if not isinstance(one, str):
                raise self.error(name, f"{key} of {name[:40]!r} must name nodes; got {describe_value(one)}")
            self.once(one, kind)
        return found

    def once(self, name: str, kind: str) -> None:
        """A node that stands in two places would be read twice."""
        if name in self.seen:
            raise self.error(name, f"{kind} {name[:40]!r} may stand in one place only; got it again")
        self.seen.add(name)

    def node(self, name: str, kind: str = "node") -> Node:
        node = self.nodes.get(name)
        if not isinstance(node, dict):
            raise self.error(name, f"{kind} {name[:40]!r} is named but not in the nodeMap")
        return node

    def tags(self, name: str, kind: str = "unit") -> Node:
        if kind == "token":
            self.once(name, kind)
        tags = self.node(name, kind).get("tagMap")
        if not isinstance(tags, dict):
            raise self.error(name, f"{kind} {name[:40]!r} must have a tagMap; got {describe_value(tags)}")
        return tags

    def unit(self, name: str) -> str:
        number = self.nodes[name].get("unitSeq")
        return f"unit {describe_value(number)}" if isinstance(number, int) else f"unit {name[:40]!r}"

    def error(self, name: str, problem: str) -> FormatError:
        return self.reading.error(line_of_key(self.reading.text, "nodeMap", name), problem)


def _decode(path: str | PathLike[str], data: bytes) -> str:
    return decode(path, data.rstrip(b"\0"))


FORMAT = Format(
    name="rez",
    suffixes=(".rez",),
    description="a Rezonator file: units of tokens that end in endnotes",
    read=read,
    looks_like=lambda text: text.lstrip().startswith("{") and '"nodeMap"' in text,
    decode=_decode,
    options=(
        *OPTIONS,
        Option("attached", False, flag, "whether a symbol may also be the end of the last token"),
        Option("token", None, text, "the field of a token that holds its text; by default the one on display"),
        Option("speaker", None, text, "the field of a unit that names the speaker; by default the file's speakerField"),
        Option("kind", "kind", text, "the field of a token that says its kind"),
        Option("endnote", "EndNote", text, "the kind of an endnote"),
        Option("streams", True, flag, "whether each speaker is a stream; if not, the whole is one text"),
    ),
)
