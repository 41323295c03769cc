"""What a corpus contains: for every coder the number of items, units, boundaries or spans, and the types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Result
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree

MARK_NAMES = {
    "segmentation": "boundaries",
    "dialogue": "boundaries",
    "hierarchy": "spans",
    "tree": "nodes",
    "tier": "intervals",
}
"""What coders mark, by kind of annotation."""


@dataclass(frozen=True)
class CoderContents:
    """What one coder annotated, over all items of one kind.

    Parameters
    ----------
    coder : str
        Name of the coder.
    kind : str
        ``segmentation``, ``dialogue``, ``hierarchy``, ``tree`` or ``tier``.
    items : int
        Number of items.
    units : int
        Number of units; 0 for tiers, which have times instead.
    shortest, longest : int
        Units of the shortest and of the longest item.
    marks : int
        Number of boundaries, spans, nodes or intervals, depending on the kind.
    types : tuple of str
        Boundary types, or labels of spans, nodes and intervals.
    streams : tuple of str
        Streams (speakers) of dialogues.
    items_with_text, items_with_labels : int
        Items whose units have text, and items with labels.
    """

    coder: str
    kind: str
    items: int
    units: int
    shortest: int
    longest: int
    marks: int
    types: tuple[str, ...]
    streams: tuple[str, ...]
    items_with_text: int
    items_with_labels: int

    def __json__(self) -> dict[str, Any]:
        """Return the fields, with ``marks`` under the name that fits the kind."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {
            MARK_NAMES[self.kind] if name == "marks" else name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }


@dataclass(frozen=True)
class Contents(Result):
    """What a corpus contains.

    Parameters
    ----------
    items : tuple of str
        Names of the items.
    coders : tuple of CoderContents
        One entry per coder and kind of annotation.
    """

    frame_field = "coders"

    items: tuple[str, ...]
    coders: tuple[CoderContents, ...]


@dataclass(frozen=True)
class _ItemContents:
    """What one annotation contains."""

    units: int
    marks: int
    types: tuple[str, ...]
    streams: tuple[str, ...]
    has_text: bool
    has_labels: bool


def describe(corpus: Corpus) -> Contents:
    """Return what every coder of a corpus annotated.

    Parameters
    ----------
    corpus : Corpus
        Annotations of any kind.

    Returns
    -------
    Contents
        One entry per coder and kind of annotation.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> moon = Segmentation.from_marks(["", ",", "."], units=["good", "night", "moon"])
    >>> (row,) = describe(Corpus({"x": {"ann": moon}})).coders
    >>> row.units, row.marks, row.types, row.items_with_text
    (3, 2, (',', '.'), 1)
    """
    groups: dict[tuple[str, str], list[_ItemContents]] = {}
    for (_, coder), annotation in corpus.items():
        groups.setdefault((coder, type(annotation).__name__.lower()), []).append(_item_contents(annotation))
    coders = (_coder_contents(coder, kind, items) for (coder, kind), items in groups.items())
    return Contents(corpus.item_names, tuple(coders))


def _coder_contents(coder: str, kind: str, items: Sequence[_ItemContents]) -> CoderContents:
    units = [item.units for item in items]
    return CoderContents(
        coder=coder,
        kind=kind,
        items=len(items),
        units=sum(units),
        shortest=min(units),
        longest=max(units),
        marks=sum(item.marks for item in items),
        types=_distinct(name for item in items for name in item.types),
        streams=_distinct(name for item in items for name in item.streams),
        items_with_text=sum(item.has_text for item in items),
        items_with_labels=sum(item.has_labels for item in items),
    )


def _item_contents(annotation: Annotation) -> _ItemContents:
    if isinstance(annotation, Hierarchy):
        return _labelled(annotation.length, [span.label for span in annotation.spans], annotation.units is not None)
    if isinstance(annotation, Tree):
        return _labelled(annotation.length, annotation.labels, True)
    if isinstance(annotation, Tier):
        rows = annotation.intervals if annotation.points is None else annotation.points
        return _labelled(0, [row.label for row in rows], annotation.words is not None)
    return _text_contents(annotation)


def _text_contents(annotation: Segmentation | Dialogue) -> _ItemContents:
    texts = list(streams_of(annotation).values())
    return _ItemContents(
        units=annotation.length,
        marks=sum(text.positions.size for text in texts),
        types=_distinct(name for text in texts if text.types != UNTYPED for name in text.types),
        streams=tuple(annotation) if isinstance(annotation, Dialogue) else (),
        has_text=all(text.units is not None for text in texts),
        has_labels=any(text.labels is not None for text in texts),
    )


def _labelled(units: int, labels: Sequence[str | None], has_text: bool) -> _ItemContents:
    """Return the contents of an annotation whose marks may have labels, which are their types."""
    types = _distinct(label for label in labels if label)
    return _ItemContents(units, len(labels), types, (), has_text, bool(types))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
