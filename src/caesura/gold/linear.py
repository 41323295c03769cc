"""One gold standard from several segmentations of the same text, type by type."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, OptionError, Undefined, own_errors
from caesura.gold.median import find_median
from caesura.measures.boundary import BoundarySimilarity
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.index import bincount, flatnonzero, repeat, searchsorted
from caesura.model.projection import text_difference
from caesura.model.result import Excluded
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.value import Ints
from caesura.options import OptionSet, flag, fraction, setting, suggest, whole
from caesura.progress import report_progress

# Methods for segmentations and dialogues.
METHODS = ("median", "majority", "threshold", "cochran", "any", "all")


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
class LinearGold:
    """Gold standard of one item."""

    item: str
    annotation: Segmentation | Dialogue  # the gold standard
    coders: tuple[str, ...]  # coders of the item
    kept: tuple[GoldBoundary, ...]  # boundaries of the gold standard
    dropped: tuple[GoldBoundary, ...]  # boundaries of coders that are not in the gold standard
    optima: int  # number of equally good solutions
    cost: float  # sum of the boundary edit distances to all coders
    pairs: int  # number of edits and matches with all coders, the denominator of B

    @property
    def agreement(self) -> float:
        """B of the gold standard with the coders, from their edits together; 1 if there is no boundary."""
        return 1 - self.cost / self.pairs if self.pairs else 1.0


@dataclass(frozen=True)
class _Text:
    """The segmentations of one text or stream by all its coders."""

    item: str
    stream: str | None
    by_coder: Mapping[str, Segmentation]
    ignore_types: bool

    @property
    def place(self) -> str:
        return f"item {self.item!r}" + (f", stream {self.stream!r}" if self.stream is not None else "")

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

    @property
    def length(self) -> int:
        return next(iter(self.by_coder.values())).length

    def segmentation(self, positions: Mapping[str, Sequence[int]], scale: _Scale | None) -> Segmentation:
        """Return the gold standard from its positions by type, with the text of the first coder who has it."""
        units = next((side.units for side in self.by_coder.values() if side.units is not None), None)
        if scale is None:
            return Segmentation.from_valid_entries(self.length, np.array(positions[UNTYPED[0]], np.int64), units=units)
        marks: dict[int, list[str]] = {}
        for name, at in positions.items():
            for position in at:
                marks.setdefault(position, []).append(name)
        order = sorted(marks)
        names = [marks[position] for position in order]
        typed = Segmentation.from_positions(self.length, order, marks=names, types=scale.types, units=units)
        return typed.with_types(scale.types, types_declared=scale.declared)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Boundary types of the gold standard, the same in all items, so that one table can store them."""

    types: tuple[str, ...]
    declared: bool

    @classmethod
    def of(cls, texts: Iterable[_Text]) -> _Scale | None:
        """Return the scale that all coders share, or all types that occur; None if boundaries have no types."""
        sides = [side for text in texts if not text.ignore_types for side in text.by_coder.values()]
        scales = dict.fromkeys((side.types, side.types_declared) for side in sides if side.types != UNTYPED)
        if len(scales) == 1 and all(side.types != UNTYPED or not side.boundary_positions.size for side in sides):
            ((types, declared),) = scales
            return cls(types, declared)
        return cls(sort_types({name for side in sides for name in side.types}), False) if scales else None


def linear_golds(
    corpus: Corpus, options: LinearGoldOptions, scale_of_time: TimeScale | None = None
) -> tuple[dict[str, LinearGold], tuple[Excluded, ...], dict[str, int]]:
    """Return the gold standard of each item that has one, the other items, and the thresholds of Cochran's Q by type."""
    decided = _decide(corpus, options, scale_of_time)
    n_t = options.n_t if scale_of_time is None else scale_of_time.n_t
    alignment = _Alignment([decision for _, group in decided.items.values() for decision in group], n_t)
    if too_large := alignment.errors():
        decided.exclude(too_large)
        alignment = _Alignment([decision for _, group in decided.items.values() for decision in group], n_t)
    comparisons = iter(alignment.comparisons())
    golds = {
        item: _item_gold(
            item, tuple(corpus.of_item(item)), annotation, decisions, [*islice(comparisons, len(decisions))]
        )
        for item, (annotation, decisions) in decided.items.items()
    }
    return golds, tuple(decided.excluded), decided.thresholds


def linear_annotations(corpus: Corpus, options: LinearGoldOptions) -> dict[str, Segmentation | Dialogue]:
    """Return the gold standard of each item without the coders of its boundaries, in less time than ``linear_golds``."""
    return {item: annotation for item, (annotation, _) in _decide(corpus, options, None).items.items()}


@dataclass(frozen=True)
class _Decided:
    """The gold standard of each item that has one, with the decisions about its texts and types."""

    items: dict[str, tuple[Segmentation | Dialogue, list[_Decision]]]
    thresholds: dict[str, int]
    excluded: list[Excluded]

    def exclude(self, errors: Mapping[str, CaesuraError]) -> None:
        """Leave out some items; raise an error if no item remains."""
        self.excluded.extend(Excluded(item, None, str(error)) for item, error in errors.items())
        for item in errors:
            self.items.pop(item, None)
        if not self.items:
            raise OptionError(f"no item has a gold standard: {'; '.join(map(str, self.excluded[:5]))}")


def _decide(corpus: Corpus, options: LinearGoldOptions, scale_of_time: TimeScale | None) -> _Decided:
    number = len(corpus.coders)
    if options.threshold is not None and options.threshold > number:
        raise OptionError(f"threshold must be at most {number}, the number of coders; got {options.threshold}")
    excluded: list[Excluded] = []
    texts = _texts(corpus, options, excluded)
    thresholds = _cochran_thresholds(texts, options.alpha) if options.method == "cochran" else {}
    scale = _Scale.of(text for group in texts.values() for text in group)
    exclusive = all(side.exclusive for group in texts.values() for text in group for side in text.by_coder.values())
    decided = _Decided({}, thresholds, excluded)
    errors: dict[str, CaesuraError] = {}
    for done, (item, group) in enumerate(texts.items(), 1):
        try:
            with own_errors():
                decisions = [
                    _decision(text, name, options, thresholds, scale_of_time) for text in group for name in text.types
                ]
                if exclusive:
                    _check_exclusive(decisions)
                decided.items[item] = _annotation(group, decisions, scale), decisions
        except CaesuraError as error:
            errors[item] = error
        report_progress(done, len(texts))
    decided.exclude(errors)
    return decided


def _texts(corpus: Corpus, options: LinearGoldOptions, excluded: list[Excluded]) -> dict[str, list[_Text]]:
    """Return the texts and streams of each item that can be used; add the other items to ``excluded``."""
    texts: dict[str, list[_Text]] = {}
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        reason = _reason_not_usable(by_coder, corpus.coders, options)
        if reason is not None:
            excluded.append(Excluded(item, None, reason))
            continue
        streams = {coder: texts_of(annotation) for coder, annotation in by_coder.items()}
        first = next(iter(streams.values()))
        dialogue = any(isinstance(annotation, Dialogue) for annotation in by_coder.values())
        texts[item] = [
            _Text(
                item,
                stream if dialogue else None,
                {coder: sides[stream] for coder, sides in streams.items()},
                options.ignore_types,
            )
            for stream in first
        ]
    if not texts:
        raise OptionError(f"no item was annotated by two coders: {'; '.join(map(str, excluded[:5]))}")
    return texts


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
    counts = bincount(np.concatenate([*marks.values()]), minlength=last + 1)
    return _Decision(text, name, at, marks, last, tuple(flatnonzero(counts >= minimum).tolist()), 1)


def _cochran_thresholds(texts: Mapping[str, list[_Text]], alpha: float) -> dict[str, int]:
    from caesura.agreement.cochran import cochran_q

    by_type: dict[str, dict[str, dict[str, Segmentation]]] = {}
    for text in (text for group in texts.values() for text in group):
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


def _item_gold(
    item: str,
    coders: tuple[str, ...],
    annotation: Segmentation | Dialogue,
    decisions: Sequence[_Decision],
    comparisons: Sequence[_Comparison],
) -> LinearGold:
    boundaries = [entry for pair in zip(decisions, comparisons, strict=True) for entry in _boundaries(*pair)]
    order = {stream: i for i, stream in enumerate(dict.fromkeys(decision.text.stream for decision in decisions))}
    boundaries.sort(key=lambda entry: (order[entry[0].stream], entry[0].position))
    return LinearGold(
        item,
        annotation,
        coders,
        tuple(boundary for boundary, in_gold in boundaries if in_gold),
        tuple(boundary for boundary, in_gold in boundaries if not in_gold),
        math.prod(decision.optima for decision in decisions),
        sum((comparison.cost for comparison in comparisons), 0.0),
        sum(comparison.pairs for comparison in comparisons),
    )


def _annotation(
    texts: Sequence[_Text], decisions: Sequence[_Decision], scale: _Scale | None
) -> Segmentation | Dialogue:
    positions: dict[str, dict[str, tuple[int, ...]]] = {text.stream or "": {} for text in texts}
    for decision in decisions:
        positions[decision.text.stream or ""][decision.name] = decision.positions
    streams = {name: text.segmentation(positions[name], scale) for text in texts for name in (text.stream or "",)}
    return Dialogue(streams) if texts[0].stream is not None else streams[""]


def _check_exclusive(decisions: Sequence[_Decision]) -> None:
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


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Alignment of a gold standard with each coder: near misses in both directions, cost, and number of edits and matches."""

    near_gold: Mapping[int, dict[str, int]]
    near_coder: Mapping[int, dict[str, int]]
    cost: float
    pairs: int


class _Alignment:
    """The coders of many decisions, each as a document whose first side is the gold standard."""

    def __init__(self, decisions: Sequence[_Decision], n_t: int) -> None:
        self.decisions = decisions
        self.measure = BoundarySimilarity(n_t=n_t)
        coders = np.array([len(entry.marks) for entry in decisions], np.int64)
        self.ends = np.cumsum([0, *coders])  # of the documents of each decision
        golds = [np.array(entry.positions, np.int64) for entry in decisions]
        marks = [at for entry in decisions for at in entry.marks.values()]
        self.own = np.concatenate([EMPTY, *map(np.tile, golds, coders)])
        self.others = np.concatenate([EMPTY, *marks])
        a_off = np.cumsum([0, *repeat(np.array([at.size for at in golds], np.int64), coders)])
        b_off = np.cumsum([0, *(at.size for at in marks)])
        length = repeat(np.array([entry.length for entry in decisions], np.int64), coders)
        golds_of_coders = Boundaries(self._placed(self.own, a_off), EMPTY, a_off)
        self.batch = Batch.of_sides(length, golds_of_coders, Boundaries(self._placed(self.others, b_off), EMPTY, b_off))

    def _placed(self, positions: Ints, offsets: Ints) -> Ints:
        if all(entry.at is None for entry in self.decisions):
            return positions
        parts = zip(self.decisions, np.split(positions, offsets[self.ends[1:-1]]), strict=True)
        return np.concatenate([part if entry.at is None else entry.at[part - 1] for entry, part in parts])

    def errors(self) -> dict[str, CaesuraError]:
        found: dict[str, CaesuraError] = {}
        for document, error in self.measure.check(self.batch).items():
            decision = self.decisions[int(searchsorted(self.ends, document, "right")) - 1]
            found.setdefault(decision.text.item, error)
        return found

    def comparisons(self) -> list[_Comparison]:
        a, b = self.batch.sides("inner")
        partners = self.measure.partners(self.batch)
        paired = partners >= 0
        distance = np.zeros(len(partners), np.int64)
        distance[paired] = np.abs(a.place[paired] - b.place[partners[paired]])
        near = flatnonzero(distance)
        document = searchsorted(a.off, near, "right") - 1
        decision = searchsorted(self.ends, document, "right") - 1
        near_gold: list[dict[int, dict[str, int]]] = [{} for _ in self.decisions]
        near_coder: list[dict[int, dict[str, int]]] = [{} for _ in self.decisions]
        names = [coder for entry in self.decisions for coder in entry.marks]
        here, there = self.own[near].tolist(), self.others[partners[near]].tolist()
        for number, coder, own, other in zip(decision.tolist(), document.tolist(), here, there, strict=True):
            near_gold[number].setdefault(own, {})[names[coder]] = other
            near_coder[number].setdefault(other, {})[names[coder]] = own
        a_ends, b_ends = a.off[self.ends], b.off[self.ends]
        pairs = np.diff(np.concatenate([[0], np.cumsum(paired)])[a_ends])
        distances = np.diff(np.concatenate([[0], np.cumsum(distance)])[a_ends]).tolist()
        additions = np.diff(a_ends) + np.diff(b_ends) - 2 * pairs
        numbers = zip(distances, additions.tolist(), (additions + pairs).tolist(), strict=True)
        return [
            _Comparison(near_gold[i], near_coder[i], added + moved / self.measure["n_t"], total)
            for i, (moved, added, total) in enumerate(numbers)
        ]


def _boundaries(decision: _Decision, comparison: _Comparison) -> Iterator[tuple[GoldBoundary, bool]]:
    """Yield every boundary of the gold standard and of the coders, and whether it is in the gold standard."""
    text, gold = decision.text, decision.positions
    coders: dict[int, list[str]] = {position: [] for position in gold}
    for coder, positions in decision.marks.items():
        for position in positions.tolist():
            coders.setdefault(position, []).append(coder)
    type_name = None if text.types == UNTYPED else decision.name
    in_gold = {*gold}
    for position in sorted(coders):
        near = (comparison.near_gold if position in in_gold else comparison.near_coder).get(position, {})
        boundary = GoldBoundary(text.item, text.stream, position, type_name, tuple(coders[position]), near)
        yield boundary, position in in_gold
