"""The texts and what became of every boundary between every two coders, as small numbers for the script of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.agreement.pair_scores import PairScores, score_pairs
from caesura.errors import CaesuraError
from caesura.measures.operations import OperationsTable, operations_table
from caesura.measures.structiou import StructIoUScore
from caesura.model.dialogue import Annotation, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Edit, Score
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tree import Tree
from caesura.views.page.subject import Subject
from caesura.views.table import clean

__all__ = ["KINDS", "Item", "Texts", "texts_of"]

KINDS = ("match", "transposition", "substitution", "transposition with substitution", "deletion", "insertion")
"""The kinds of edits; the page knows them by their place here."""
MAX_UNITS = 20_000
"""Units of an item that a browser still shows without delay."""
MOST_EDITS = 1_500_000
"""About 8 MB of page: the pairs of further items are left out, and named."""

_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")

Told = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Item:
    """One item as the script reads it."""

    name: str
    data: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Texts:
    """All items, what they share, and the operations that were counted on the way."""

    items: tuple[Item, ...]
    common: dict[str, Any] = field(repr=False)
    operations: OperationsTable | None
    signature: str | None
    """Of the alignment."""
    trees: tuple[tuple[str, str, str, StructIoUScore], ...] = ()
    """Item, two coders and their alignment, the worst first."""


@dataclass(eq=False)
class _Numbers:
    """Names that stand often, told by their place in a list."""

    found: dict[Any, int] = field(default_factory=dict)

    def __call__(self, name: Any) -> int:
        return self.found.setdefault(name, len(self.found))

    @property
    def listed(self) -> list[Any]:
        return list(self.found)


class _Shapes:
    """Edits as pairs of numbers: what kind of edit it is, and how far its place is from that of the one before.

    Of the same kind, shift, types, cost and stream there are few, however many edits there are: a match of plain
    boundaries is always the same shape. So an edit takes about five characters.
    """

    def __init__(self, types: _Numbers, streams: _Numbers) -> None:
        self._types = types
        self._streams = streams
        self._numbers = _Numbers()

    def pack(self, edits: tuple[Edit, ...]) -> list[int]:
        out: list[int] = []
        before = 0
        for edit in edits:
            out += (self._numbers(self._shape(edit)), edit.position - before)
            before = edit.position
        return out

    def _shape(self, edit: Edit) -> tuple[int | float, ...]:
        shift = 0 if edit.a_position is None or edit.b_position is None else edit.b_position - edit.a_position
        types = (-1 if name is None else self._types(name) for name in (edit.a_type, edit.b_type))
        return (KINDS.index(edit.kind), shift, *types, float(edit.cost), self._streams(edit.stream or ""))

    @property
    def listed(self) -> list[list[float]]:
        return [list(shape) for shape in self._numbers.listed]


def texts_of(subject: Subject, told: Told) -> Texts:
    """Every item with its units, everybody's boundaries and the edits of every two coders; ``told`` once an item."""
    if subject.kind == "trees":
        return _trees(subject, told)
    assert subject.texts is not None
    types, streams = _Numbers(), _Numbers()
    coders = {coder: i for i, coder in enumerate(subject.corpus.coders)}
    shapes = _Shapes(types, streams)
    rows: dict[str, dict[str, Any]] = {}
    for item in subject.texts.item_names:
        by_coder = {coder: streams_of(one) for coder, one in subject.texts.of_item(item).items()}
        length = sum(one.length for one in next(iter(by_coder.values())).values())
        if length > MAX_UNITS:
            subject.excluded.append(f"the text of item {item!r} is not shown: it has {length} units, above {MAX_UNITS}")
            continue
        shown = _lines(subject.corpus.of_item(item), by_coder, coders, types, streams)
        rows[item] = {"streams": shown, "edits": {}}
    observed = _observed(subject)
    pairs = () if observed is None else _aligned(subject, observed, told)
    people = set(subject.people) if len(subject.people) > 1 else set(coders)

    def counted() -> Iterator[Score]:
        """Packed for the page in passing, so that the edits of a large corpus are never in memory all at once."""
        for item, a, b, score in pairs:
            if item in rows:
                rows[item]["edits"][f"{coders[a]}-{coders[b]}"] = shapes.pack(score.edits or ())
            if a in people and b in people:
                yield score

    operations = operations_table(counted()) if observed is not None else None
    common = {
        "types": [clean(name) for name in types.listed],
        "streams": [clean(name) for name in streams.listed],
        "shapes": shapes.listed,
        "plain": set(types.listed) <= set(UNTYPED),
    }
    items = tuple(Item(item, data) for item, data in rows.items())
    return Texts(items, common, operations, None if observed is None else observed.scores.total.signature)


def _observed(subject: Subject) -> PairScores | None:
    """Every pair of coders on every item both have; None where there is none, which other sections say."""
    corpus = subject.corpus if subject.texts is None else subject.texts
    try:
        found = score_pairs(corpus, subject.aligner, corpus_order=True)
    except CaesuraError as problem:
        subject.notes.append(f"no two coders could be aligned: {problem}")
        return None
    subject.excluded.extend(f"item {entry.item!r} is not aligned: {entry.reason}" for entry in found.excluded)
    return found


def _aligned(subject: Subject, observed: PairScores, told: Told) -> Iterator[tuple[str, str, str, Any]]:
    """Item, coder, coder and their score, item by item, until the page is full."""
    made = 0
    before: int | None = None
    full: list[str] = []
    for row, (i, pair) in enumerate(zip(observed.item_index.tolist(), observed.pair_index.tolist(), strict=True)):
        item = observed.items[i]
        if i != before:
            before = i
            told()
            if made > MOST_EDITS:
                full.append(item)
        if full:
            continue
        score = observed.scores[row]
        made += len(score.alignment if isinstance(score, StructIoUScore) else score.edits or ())
        yield item, *(observed.coders[place] for place in observed.pairs[pair]), score
    if full:
        several = f"{full[0]!r} and what follows it in the order of names"
        subject.excluded.append(f"from item {several} on, pairs of coders are not aligned: the page is full")


def _lines(
    given: Mapping[str, Annotation],
    by_coder: Mapping[str, Mapping[str, Segmentation]],
    coders: Mapping[str, int],
    types: _Numbers,
    streams: _Numbers,
) -> list[dict[str, Any]]:
    """Stream by stream: the units, and where each coder has boundaries."""
    out = []
    for name, first in next(iter(by_coder.values())).items():
        units = next((one[name].units for one in by_coder.values() if one[name].units is not None), None)
        marks = [
            [coders[coder], [at for at, _ in one[name].boundaries], [types(kind) for _, kind in one[name].boundaries]]
            for coder, one in by_coder.items()
        ]
        shown = _times(given) if units is None else [_shown(unit) for unit in units]
        out.append({"stream": streams(name), "length": first.length, "units": shown, "marks": marks})
    return out


def _times(given: Mapping[str, Annotation]) -> list[str] | None:
    """Units of music are told by when they are."""
    first = next(iter(given.values()))
    if not isinstance(first, Hierarchy) or first.edges is None:
        return None
    return [f"{a:.1f}-{b:.1f} s" for a, b in zip(first.edges, first.edges[1:], strict=False)]


def _shown(unit: str) -> str:
    """In one line: a unit may be a paragraph with breaks of its own."""
    return clean(_BREAKS.sub(" ", unit))


# -- trees ------------------------------------------------------------------------------------------------------------


def _trees(subject: Subject, told: Told) -> Texts:
    """Every sentence with everybody's nodes in preorder, and which nodes of two coders are aligned."""
    coders = {coder: i for i, coder in enumerate(subject.corpus.coders)}
    rows: dict[str, dict[str, Any]] = {}
    for item in subject.corpus.item_names:
        drawn = [[coders[coder], _nodes(one)] for coder, one in subject.corpus.of_item(item).items()]
        rows[item] = {"trees": drawn, "pairs": {}}
    observed = _observed(subject)
    scored: list[tuple[str, str, str, StructIoUScore]] = []
    for item, a, b, score in () if observed is None else _aligned(subject, observed, told):
        # What is not quite the same must not become so by rounding.
        pairs = [
            [one.gold, one.predicted, one.iou if one.iou == 1 else min(round(one.iou, 4), 0.9999)]
            for one in score.alignment
        ]
        rows[item]["pairs"][f"{coders[a]}-{coders[b]}"] = [number for pair in pairs for number in pair]
        scored.append((item, a, b, score))
    scored.sort(key=lambda one: one[3].value)
    items = tuple(Item(item, data) for item, data in rows.items())
    signature = None if observed is None else observed.scores.total.signature
    return Texts(items, {}, None, signature, tuple(scored))


def _nodes(tree: Annotation) -> list[list[Any]]:
    """Depth, label and, above a word, the word."""
    assert isinstance(tree, Tree)
    leaf, starts = tree.preterminal.tolist(), tree.start.tolist()
    nodes = zip(tree.depth.tolist(), tree.labels, leaf, starts, strict=True)
    return [[deep, _shown(label), *([_shown(tree.words[at])] if word else [])] for deep, label, word, at in nodes]
