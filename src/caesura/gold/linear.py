"""One gold standard from several segmentations of the same text, type by type."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from caesura.agreement.majority import segmentation_of_marks
from caesura.errors import CaesuraError, OptionError, Undefined, own_errors
from caesura.gold.median import find_median
from caesura.limits import plain_count
from caesura.measures.boundary import BoundarySimilarity
from caesura.model.batch import Batch
from caesura.model.columns import Boundaries
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.index import EMPTY, argsort, bincount, flatnonzero, lexsort, offsets, repeat, searchsorted
from caesura.model.projection import text_difference
from caesura.model.result import Excluded
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.value import Ints, OnDemand
from caesura.options import OptionSet, flag, fraction, setting, suggest, whole
from caesura.progress import report_progress

# Methods for segmentations and dialogues.
METHODS = ("median", "majority", "threshold", "cochran", "any", "all")
_BLOCK_SIZE = 1_000_000  # boundaries of coders, and of the gold standard beside each coder, that are aligned at a time


def method_name(known: Collection[str]) -> Callable[[str, Any], str]:
    """Return a validator for the name of a method; case does not matter, and ``-`` equals ``_``."""

    def check(_: str, value: Any) -> str:
        name = value.strip().lower().replace("-", "_") if isinstance(value, str) else repr(value)
        if name not in known:
            raise OptionError(suggest("no method", name, known))
        return name

    return check


@dataclass(frozen=True)
class LinearGoldOptions(OptionSet):
    """Method for the gold standard of segmentations, and its options."""

    method: str = setting("median", method_name(METHODS), "How to make the gold standard.")
    n_t: int = setting(2, whole(1, 1_000_000), "Maximum span of a near miss, in positions (exclusive).")
    threshold: int | None = setting(None, whole(1), "Minimum number of coders of a boundary, for the method threshold.")
    alpha: float = setting(0.01, fraction, "Significance level of Cochran's Q.")
    ignore_types: bool = setting(False, flag, "Whether boundaries of all types count as the same.")

    def __post_init__(self) -> None:
        OptionSet.__post_init__(self)
        if (self.method == "threshold") != (self.threshold is not None):
            if self.threshold is None:
                raise OptionError("method 'threshold' needs a threshold, the minimum number of coders of a boundary")
            raise OptionError(f"threshold is an option of the method 'threshold'; got it with {self.method!r}")


@dataclass(frozen=True)
class TimeScale:
    """Where positions are in time, for a median whose near misses are measured in seconds."""

    # Item and stream -> time of each position, in a fixed fraction of a second; the stream is empty outside dialogues.
    places: Mapping[tuple[str, str], Ints]
    n_t: int  # boundaries less than this far apart are near misses, in the same fraction


@dataclass(frozen=True, slots=True)
class GoldBoundary:
    """A boundary that at least one coder placed, or that the gold standard has."""

    item: str
    stream: str | None  # name of the stream, in a dialogue
    position: int  # position in the text or stream
    type: str | None  # boundary type; None if boundaries have no types
    coders: tuple[str, ...]  # the coders who placed it exactly there
    # Coder -> position of a near miss. For a boundary of the gold standard, the coder's boundary that pairs with it; for a
    # dropped boundary, the boundary of the gold standard that the coder's boundary pairs with.
    near: Mapping[str, int] = field(default_factory=dict, hash=False)
    time: float | None = None  # time in seconds, if the gold standard was made from tiers


@dataclass(frozen=True, slots=True)
class GoldItem:
    """The gold standard of one item in numbers."""

    item: str
    units: int
    coders: tuple[str, ...]  # coders of the item
    # Number of boundaries or spans that are in the gold standard, and of others that coders placed.
    kept: int
    dropped: int
    optima: int  # number of equally good solutions
    cost: float | None  # sum of the boundary edit distances to the coders; None for a hierarchy
    # B of the gold standard with the coders, from their edits together; for a hierarchy, mean kappa with the coders.
    agreement: float | None

    def __json__(self) -> dict[str, Any]:
        """Return the plain form; a number of optima with thousands of digits becomes text."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return plain | {"optima": plain_count(self.optima)}


@dataclass(frozen=True, eq=False)
class LinearGolds:
    """The gold standards of all items that have one."""

    annotations: dict[str, Segmentation | Dialogue]
    items: tuple[GoldItem, ...]
    kept: Sequence[GoldBoundary]
    dropped: Sequence[GoldBoundary]
    excluded: tuple[Excluded, ...]
    thresholds: dict[str, int]  # those of Cochran's Q by type


@dataclass(frozen=True)
class _Text:
    """The segmentations of one text or stream by all its coders."""

    item: str
    stream: str | None
    by_coder: Mapping[str, Segmentation]
    ignore_types: bool

    @property
    def length(self) -> int:
        return next(iter(self.by_coder.values())).length

    @cached_property
    def types(self) -> tuple[str, ...]:
        """Types that occur in this text, in order; UNTYPED if boundaries have no types."""
        if self.ignore_types or all(side.types == UNTYPED for side in self.by_coder.values()):
            return UNTYPED
        declared = next((side.types for side in self.by_coder.values() if side.types_declared), ())
        occurring = {name for side in self.by_coder.values() for _, name in side.boundaries}
        return (*(name for name in declared if name in occurring), *sort_types(occurring - {*declared}))

    def marks(self, name: str) -> tuple[dict[str, Ints], int]:
        """Return the positions of one type by coder, and the last possible position."""
        # That is the end of the text only if a coder marked it, which only typed boundaries can do.
        if self.types == UNTYPED:
            return {coder: side.inner for coder, side in self.by_coder.items()}, self.length - 1
        positions = {}
        for coder, side in self.by_coder.items():
            codes = [code for code, known in enumerate(side.types) if known == name]
            positions[coder] = side.boundary_positions[np.isin(side.codes, codes)]
        ends = any(at.size and at[-1] == self.length for at in positions.values())
        return positions, self.length if ends else self.length - 1

    def segmentation(self, decisions: Iterable[_Decision], scale: _Scale | None) -> Segmentation:
        """Return the gold standard, with the text of the first coder who has it."""
        units = next((side.units for side in self.by_coder.values() if side.units is not None), None)
        types, declared = scale or (UNTYPED, True)
        marks = [(position, entry.name) for entry in decisions for position in entry.positions]
        return segmentation_of_marks(self.length, marks, types, types_declared=declared, units=units)


# Boundary types of the gold standard, the same in all items, so that one table can store them; and whether they are declared.
_Scale = tuple[tuple[str, ...], bool]


def _scale_of(texts: Sequence[_Text]) -> _Scale | None:
    """Return the scale that all coders share, or all types that occur; None if boundaries have no types."""
    sides = [side for text in texts if not text.ignore_types for side in text.by_coder.values()]
    scales = dict.fromkeys((side.types, side.types_declared) for side in sides if side.types != UNTYPED)
    if len(scales) == 1 and all(side.types != UNTYPED or not side.boundary_positions.size for side in sides):
        return next(iter(scales))
    return (sort_types({name for side in sides for name in side.types}), False) if scales else None


@dataclass(frozen=True, slots=True)
class _Decision:
    """The boundaries of one type in the gold standard of a text, and those of the coders."""

    text: _Text
    name: str
    at: Ints | None  # time of each position, if near misses are in seconds
    marks: dict[str, Ints]
    last: int
    positions: tuple[int, ...]
    optima: int

    @property
    def length(self) -> int:
        if self.at is None:
            return self.last + 1
        return int(self.at[self.last - 1]) + 1 if self.last else 1

    def places(self, positions: Ints) -> Ints:
        return positions if self.at is None else self.at[positions - 1]


def linear_golds(corpus: Corpus, options: LinearGoldOptions, scale: TimeScale | None = None) -> LinearGolds:
    """Return the gold standard of each item that has one, with the origin of every boundary."""
    number = len(corpus.coders)
    if options.threshold is not None and options.threshold > number:
        raise OptionError(f"threshold must be at most {number}, the number of coders; got {options.threshold}")
    items, excluded = _texts_of_items(corpus, options)
    texts = [*chain.from_iterable(items.values())]
    thresholds = _cochran_thresholds(texts, options.alpha) if options.method == "cochran" else {}
    types = _scale_of(texts)
    exclusive = all(side.exclusive for text in texts for side in text.by_coder.values())
    origins = _Origins(options.n_t if scale is None else scale.n_t)
    annotations: dict[str, Segmentation | Dialogue] = {}
    optima: dict[str, int] = {}
    for done, (item, group) in enumerate(items.items(), 1):
        try:
            with own_errors():
                decisions = [
                    [_decision(text, name, options, thresholds, scale) for name in text.types] for text in group
                ]
                of_item = [*chain.from_iterable(decisions)]
                if exclusive:
                    _check_exclusive(of_item)
                pairs = zip(group, decisions, strict=True)
                golds = {text.stream or "": text.segmentation(entries, types) for text, entries in pairs}
                annotations[item] = golds[""] if group[0].stream is None else Dialogue(golds)
                optima[item] = math.prod(entry.optima for entry in of_item)
                origins.add(of_item)
        except CaesuraError as error:
            origins.errors[item] = error
        report_progress(done, len(items))
    origins.align()
    for item, problem in origins.errors.items():
        excluded.append(Excluded(item, None, str(problem)))
        annotations.pop(item, None)
    if not annotations:
        raise OptionError(f"no item has a gold standard: {'; '.join(map(str, excluded[:5]))}")
    (kept, kept_in), (dropped, dropped_in) = origins.listed(True), origins.listed(False)
    rows = []
    for item, annotation in annotations.items():
        costs, number = origins.costs.get(item, ([], 0))
        cost = sum(costs, 0.0)
        facts = annotation.length, tuple(corpus.of_item(item)), kept_in[item], dropped_in[item], optima[item], cost
        rows.append(GoldItem(item, *facts, 1 - cost / number if number else 1.0))
    return LinearGolds(annotations, tuple(rows), kept, dropped, tuple(excluded), thresholds)


def _texts_of_items(corpus: Corpus, options: LinearGoldOptions) -> tuple[dict[str, list[_Text]], list[Excluded]]:
    """Return the texts and streams of each item that can be used, and the other items."""
    items: dict[str, list[_Text]] = {}
    excluded: list[Excluded] = []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        if (reason := _reason_not_usable(by_coder, corpus.coders, options)) is not None:
            excluded.append(Excluded(item, None, reason))
            continue
        streams = {coder: texts_of(annotation) for coder, annotation in by_coder.items()}
        dialogue = any(isinstance(annotation, Dialogue) for annotation in by_coder.values())
        items[item] = [
            _Text(
                item,
                name if dialogue else None,
                {coder: streams[coder][name] for coder in streams},
                options.ignore_types,
            )
            for name in next(iter(streams.values()))
        ]
    if not items:
        raise OptionError(f"no item was annotated by two coders: {'; '.join(map(str, excluded[:5]))}")
    return items, excluded


def _reason_not_usable(
    by_coder: Mapping[str, Annotation], coders: Sequence[str], options: LinearGoldOptions
) -> str | None:
    names = [*by_coder]
    if len(names) < 2:
        return f"coded by {names[0]} only"
    missing = [coder for coder in coders if coder not in by_coder]
    if options.method == "cochran" and missing:
        return f"not coded by {', '.join(missing)}; Cochran's Q needs all coders"
    if options.threshold is not None and options.threshold > len(names):
        return f"coded by {len(names)} coders, fewer than the threshold of {options.threshold}"
    return (text_difference(by_coder) or "").removeprefix(": ") or None


def _decision(
    text: _Text, name: str, options: LinearGoldOptions, thresholds: Mapping[str, int], scale: TimeScale | None
) -> _Decision:
    marks, last = text.marks(name)
    at = None if scale is None else scale.places[text.item, text.stream or ""]
    if options.method == "median":
        best = find_median([*marks.values()], last, options.n_t if scale is None else scale.n_t, at)
        return _Decision(text, name, at, marks, last, best.positions, best.optima)
    minimum = {
        "majority": len(marks) // 2 + 1,
        "threshold": options.threshold or 0,
        "cochran": thresholds.get(name, 0),
        "any": 1,
        "all": len(marks),
    }[options.method]
    positions, counts = np.unique(np.concatenate([*marks.values()]), return_counts=True)
    return _Decision(text, name, at, marks, last, tuple(positions[counts >= minimum].tolist()), 1)


def _cochran_thresholds(texts: Sequence[_Text], alpha: float) -> dict[str, int]:
    from caesura.agreement.cochran import cochran_q

    by_type: dict[str, dict[str, dict[str, Segmentation]]] = {}
    for text in texts:
        for name in text.types:
            marks, last = text.marks(name)
            by_type.setdefault(name, {})[f"{text.item}\n{text.stream}"] = {
                coder: Segmentation.from_valid_entries(last + 1, at) for coder, at in marks.items()
            }
    thresholds = {}
    for name, items in by_type.items():
        place = "" if name == UNTYPED[0] else f"type {name!r}: "
        try:
            threshold = cochran_q(Corpus(items), alpha=alpha).threshold
        except (OptionError, Undefined) as error:
            raise Undefined(f"{place}{error}; choose the method 'majority' or 'threshold'") from None
        if threshold is None:
            raise Undefined(
                f"{place}Cochran's Q has no significant threshold at alpha={alpha:g}; choose a larger alpha, or the method "
                "'majority' or 'threshold'"
            )
        thresholds[name] = threshold
    return thresholds


def _check_exclusive(decisions: Iterable[_Decision]) -> None:
    """Raise an error if a position would get two types although no coder ever gives a position two types."""
    names: dict[tuple[str | None, int], str] = {}
    for decision in decisions:
        for position in decision.positions:
            key = decision.text.stream, position
            if key in names:
                stream = "" if key[0] is None else f"stream {key[0]!r}: "
                raise OptionError(
                    f"{stream}position {position} would get the types {names[key]!r} and {decision.name!r}, but no coder gives "
                    "a position two types, so the types exclude each other; choose the method 'majority', or ignore the "
                    "types: --ignore-types, or ignore_types=True in Python"
                )
            names[key] = decision.name


class _Origins:
    """The coders and near misses of every boundary of coders and gold standards, for some items at a time."""

    def __init__(self, n_t: int) -> None:
        self.measure = BoundarySimilarity(n_t=n_t)
        self.errors: dict[str, CaesuraError] = {}
        # Item -> costs of its decisions, and number of edits and matches with all coders, the denominator of B.
        self.costs: dict[str, tuple[list[float], int]] = {}
        self._blocks: list[_Rows] = []
        self._waiting: list[_Decision] = []
        self._size = 0

    def add(self, decisions: Sequence[_Decision]) -> None:
        self._waiting += decisions
        self._size += sum(len(entry.positions) + own.size for entry in decisions for own in entry.marks.values())
        if self._size > _BLOCK_SIZE:
            self.align()

    def align(self) -> None:
        """Align gold standards with their coders. A document is a coder of a decision; its first side is the gold standard."""
        decisions, self._waiting, self._size = self._waiting, [], 0
        coders = np.array([len(entry.marks) for entry in decisions], np.int64)
        ends, owner = offsets(coders), repeat(np.arange(len(decisions)), coders)
        golds = [np.array(entry.positions, np.int64) for entry in decisions]
        marks = [own for entry in decisions for own in entry.marks.values()]
        a_off = offsets(repeat(np.array([gold.size for gold in golds], np.int64), coders))
        b_off = offsets([own.size for own in marks])
        times = [entry.places(gold) for entry, gold in zip(decisions, golds, strict=True)]
        a_place = np.concatenate([EMPTY, *map(np.tile, times, coders)])
        b_place = np.concatenate([EMPTY, *(entry.places(own) for entry in decisions for own in entry.marks.values())])
        length = repeat(np.array([entry.length for entry in decisions], np.int64), coders)
        batch = Batch.of_sides(length, Boundaries(a_place, EMPTY, a_off), Boundaries(b_place, EMPTY, b_off))
        errors = {decisions[owner[document]].text.item: error for document, error in self.measure.check(batch).items()}
        if errors:
            self.errors |= errors
            self._waiting = [entry for entry in decisions if entry.text.item not in errors]
            self.align()
            return
        partners = self.measure.partners(batch)
        paired = partners >= 0
        distance = np.zeros(len(partners), np.int64)
        distance[paired] = np.abs(a_place[paired] - b_place[partners[paired]])
        a_ends, b_ends = a_off[ends], b_off[ends]
        pairs = np.diff(offsets(paired.astype(np.int64))[a_ends])
        moved = np.diff(offsets(distance)[a_ends]).tolist()
        added = np.diff(a_ends) + np.diff(b_ends) - 2 * pairs
        for entry, far, alone, number in zip(decisions, moved, added.tolist(), (added + pairs).tolist(), strict=True):
            costs, before = self.costs.get(entry.text.item, ([], 0))
            self.costs[entry.text.item] = [*costs, alone + far / self.measure["n_t"]], before + number
        near = flatnonzero(distance)
        document = searchsorted(a_off, near, "right") - 1
        own, other = np.concatenate([EMPTY, *map(np.tile, golds, coders)]), np.concatenate([EMPTY, *marks])
        pairs_of_documents = document, own[near], other[partners[near]]
        document_of_mark = repeat(np.arange(len(owner)), np.diff(b_off))
        coder = np.arange(len(owner)) - ends[owner]
        self._blocks.append(_Rows.of(decisions, golds, owner, coder, document_of_mark, other, pairs_of_documents))

    def listed(self, kept: bool) -> tuple[Sequence[GoldBoundary], Counter[str]]:
        """Return the boundaries that are in a gold standard, or all others, and their number in each item."""
        numbers: Counter[str] = Counter()
        rows = [flatnonzero(block.kept == kept) for block in self._blocks]
        for block, own in zip(self._blocks, rows, strict=True):
            counts = bincount(block.decision[own], minlength=len(block.decisions)).tolist()
            for decision, count in zip(block.decisions, counts, strict=True):
                numbers[decision.text.item] += count
        block_of = repeat(np.arange(len(rows)), np.array([len(own) for own in rows], np.int64))
        build = partial(self._boundary, block_of, np.concatenate([EMPTY, *rows]))
        return OnDemand(build, range(len(block_of))), numbers

    def _boundary(self, block_of: Ints, row: Ints, number: int) -> GoldBoundary:
        return self._blocks[int(block_of[number])].boundary(int(row[number]))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Boundaries of some items in the order of item, stream, position and type."""

    decisions: Sequence[_Decision]
    decision: Any
    position: Any
    kept: Any  # whether it is in the gold standard
    # The coders of each boundary, and the coders and positions of near misses, with their offsets.
    coder_off: Ints
    coder: Any
    near_off: Ints
    near: Any

    @classmethod
    def of(
        cls,
        decisions: Sequence[_Decision],
        golds: Sequence[Ints],
        owner: Ints,
        coder: Ints,
        document: Ints,
        marked: Ints,
        near: tuple[Ints, Ints, Ints],
    ) -> _Rows:
        """Return the rows of decisions, from the decision and coder of each document, and the document of each mark.

        ``near`` has the document, the position in the gold standard and the position of the coder of each near miss.
        """
        step = 2 + max((entry.last for entry in decisions), default=0)
        gold_codes = np.concatenate([EMPTY, *(number * step + gold for number, gold in enumerate(golds))])
        codes, inverse = np.unique(np.concatenate([gold_codes, owner[document] * step + marked]), return_inverse=True)
        decision, position = np.divmod(codes, step)
        texts = [entry.text for entry in decisions]
        text = np.cumsum([0, *(a is not b for a, b in pairwise(texts))])
        order = lexsort((decision, position, text[decision]))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        kept = np.zeros(len(order), bool)
        kept[rank[inverse[: len(gold_codes)]]] = True
        row = rank[inverse[len(gold_codes) :]]
        near_document, own, other = near  # both are on one side only, so that their rows differ
        near_row = np.concatenate([rank[searchsorted(codes, owner[near_document] * step + at)] for at in (own, other)])
        near_marks = np.stack([np.tile(coder[near_document], 2), np.concatenate([other, own])])
        return cls(
            decisions,
            decision[order].astype(np.int32),
            position[order].astype(np.int32),
            kept,
            offsets(bincount(row, minlength=len(order))),
            coder[document][argsort(row, kind="stable")].astype(np.int32),
            offsets(bincount(near_row, minlength=len(order))),
            near_marks[:, argsort(near_row, kind="stable")].astype(np.int32),
        )

    def boundary(self, row: int) -> GoldBoundary:
        decision = self.decisions[self.decision[row]]
        text, names = decision.text, [*decision.marks]
        coders = self.coder[self.coder_off[row] : self.coder_off[row + 1]].tolist()
        near = self.near[:, self.near_off[row] : self.near_off[row + 1]].T.tolist()
        return GoldBoundary(
            text.item,
            text.stream,
            int(self.position[row]),
            None if text.types == UNTYPED else decision.name,
            tuple(names[coder] for coder in coders),
            {names[coder]: position for coder, position in near},
        )
