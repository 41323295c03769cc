"""What is in a corpus, before anybody asks how well it agrees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.views.table import Cell, Table

__all__ = ["Contents", "Described", "describe", "first_lines"]

_LISTED = 20  # types and labels that are named
_WIDE = 110  # characters of a first line


@dataclass
class Described:
    """What one coder made, all items together; of one kind."""

    coder: str
    kind: str
    items: int = 0
    units: int = 0
    shortest: int = 0
    longest: int = 0
    marks: int = 0
    """Boundaries, spans, nodes or intervals, as the kind has it."""
    types: dict[str, None] = field(default_factory=dict)
    streams: dict[str, None] = field(default_factory=dict)
    with_text: int = 0
    with_labels: int = 0

    def add(self, one: Annotation) -> None:
        """One item more."""
        size = 0 if isinstance(one, Tier) else one.length
        self.shortest = min(self.shortest, size) if self.items else size
        self.longest = max(self.longest, size)
        self.items += 1
        self.units += size
        if isinstance(one, Dialogue):
            self.streams.update(dict.fromkeys(one))
        if isinstance(one, (Segmentation, Dialogue)):
            for part in _parts(one):
                self.marks += part.positions.size
                self.types.update(dict.fromkeys(part.types if part.types != UNTYPED else ()))
            self.with_text += all(part.units is not None for part in _parts(one))
            self.with_labels += any(part.labels is not None for part in _parts(one))
        elif isinstance(one, Hierarchy):
            self.marks += len(one.spans)
            self._add_labels(span.label for span in one.spans)
            self.with_text += one.units is not None
        elif isinstance(one, Tree):
            self.marks += len(one)
            self._add_labels(one.labels)
            self.with_text += 1
        else:
            rows = one.intervals if one.points is None else one.points
            self.marks += len(rows)
            self._add_labels(row.label for row in rows)
            self.with_text += one.words is not None

    def _add_labels(self, labels: Any) -> None:
        """The labels of spans, nodes and intervals are their types too, where there are any."""
        found = dict.fromkeys(label for label in labels if label)
        self.with_labels += bool(found)
        self.types.update(found)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "coder": self.coder,
            "kind": self.kind,
            "items": self.items,
            "units": self.units,
            "shortest": self.shortest,
            "longest": self.longest,
            MARKS[self.kind]: self.marks,
            "types": list(self.types),
            "streams": list(self.streams),
            "items_with_text": self.with_text,
            "items_with_labels": self.with_labels,
        }


MARKS = {
    "segmentation": "boundaries",
    "dialogue": "boundaries",
    "hierarchy": "spans",
    "tree": "nodes",
    "tier": "intervals",
}
"""What a coder draws, kind by kind."""


@dataclass(frozen=True)
class Contents:
    """Coder by coder."""

    items: tuple[str, ...]
    coders: tuple[Described, ...]

    def table(self) -> Table:
        """A row a coder and kind."""
        columns = (
            "coder",
            "kind",
            "items",
            "units",
            "per item",
            "marks",
            "types and labels",
            "streams",
            "text",
            "labels",
        )
        return Table(columns, tuple(_row(one) for one in self.coders))


def _row(one: Described) -> tuple[Cell, ...]:
    sizes = str(one.shortest) if one.shortest == one.longest else f"{one.shortest}-{one.longest}"
    return (
        one.coder,
        one.kind,
        one.items,
        one.units if one.kind != "tier" else None,
        sizes if one.kind != "tier" else None,
        f"{MARKS[one.kind]}: {one.marks}",
        _listed(list(one.types)),
        _listed(list(one.streams)),
        _share(one.with_text, one.items),
        _share(one.with_labels, one.items),
    )


def _share(some: int, of: int) -> str:
    return "yes" if some == of else f"{some} of {of}" if some else "no"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def describe(corpus: Corpus) -> Contents:
    """What every coder made.

    >>> one = Segmentation.from_marks(["", ",", "."], units=["good", "night", "moon"])
    >>> (row,) = describe(Corpus({"x": {"ann": one}})).coders
    >>> row.units, row.marks, list(row.types), row.with_text
    (3, 2, [',', '.'], 1)
    """
    found: dict[tuple[str, str], Described] = {}
    for item, coder in corpus:
        one = corpus[item, coder]
        kind = type(one).__name__.lower()
        found.setdefault((coder, kind), Described(coder, kind)).add(one)
    return Contents(corpus.item_names, tuple(found.values()))


def _parts(one: Segmentation | Dialogue) -> list[Segmentation]:
    return [*one.values()] if isinstance(one, Dialogue) else [one]


# -- the beginning of an item -----------------------------------------------------------------------------------------


def first_lines(by_coder: dict[str, Annotation], most: int = 5) -> list[tuple[str, str]]:
    """Who, and the beginning of what they made of an item: text with its boundaries where it is known.

    >>> one = Segmentation.from_marks(["", ",", "."], units=["good", "night", "moon"])
    >>> first_lines({"ann": one})
    [('ann', 'good night {,} moon {.}')]
    """
    lines: list[tuple[str, str]] = []
    for coder, one in list(by_coder.items())[:most]:
        if isinstance(one, Dialogue):
            lines += [(f"{coder}, {stream}", _cut(_segments(part))) for stream, part in list(one.items())[:most]]
        else:
            lines.append((coder, _cut(_pieces(one))))
    return lines


def _cut(pieces: Iterator[str]) -> str:
    """As much as fits a line; no more is made."""
    line = ""
    for piece in pieces:
        if len(line) + len(piece) + 1 > _WIDE:
            return f"{line} {piece[: max(0, _WIDE - len(line) - 2)]}…".strip()
        line = f"{line} {piece}" if line else piece
    return line


def _pieces(one: Annotation) -> Iterator[str]:
    if isinstance(one, Segmentation):
        return _segments(one)
    if isinstance(one, Hierarchy):
        return (f"{span.start}-{span.end}{'' if span.label is None else ' ' + span.label};" for span in one.spans)
    if isinstance(one, Tree):
        return iter(one.brackets.split())
    assert isinstance(one, Tier)
    return (f"{row};" for row in (one.intervals if one.points is None else one.points))


def _segments(one: Segmentation) -> Iterator[str]:
    """Unit by unit, each boundary after its own: a bar, or its types in braces."""
    units = one.units or ("·",) * min(one.length, _WIDE)
    at: dict[int, list[str]] = {}
    for position, name in one.boundaries[: 4 * _WIDE]:
        at.setdefault(position, []).append(name)
    for i, unit in enumerate(units, 1):
        yield unit
        if i in at:
            yield "|" if one.types == UNTYPED else "{" + "+".join(at[i]) + "}"
