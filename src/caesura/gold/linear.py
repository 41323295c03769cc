"""One gold standard from several segmentations of the same text, type by type."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np

from caesura.errors import CaesuraError, OptionError, Undefined, own_errors
from caesura.gold.median import MedianSegmentation, median_segmentation
from caesura.gold.median_in_time import median_in_time
from caesura.limits import MAX_MEDIAN_WORK
from caesura.measures.boundary import BoundarySimilarity
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.index import bincount, flatnonzero, repeat, searchsorted
from caesura.model.old_names import streams_of
from caesura.model.result import Excluded
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.text_difference import text_difference
from caesura.model.value import Ints
from caesura.options import OptionSet, flag, fraction, setting, suggest, whole

T = TypeVar("T")

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

    @cached_property
    def size(self) -> int:
        return sum(map(len, self.places.values()))


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
    decided = _Decided.of(corpus, options, scale_of_time)
    all_comparisons = iter(decided.alignment.comparisons())
    comparisons = {item: list(islice(all_comparisons, len(own))) for item, own in decided.decisions.items()}
    golds = decided.for_each_item(
        lambda item, texts, decisions: _item_gold(texts, decisions, comparisons[item], decided.scale)
    )
    return golds, tuple(decided.excluded), decided.thresholds


def linear_annotations(corpus: Corpus, options: LinearGoldOptions) -> dict[str, Segmentation | Dialogue]:
    """Return the gold standard of each item without the coders of its boundaries, in less time than ``linear_golds``."""
    decided = _Decided.of(corpus, options, None)
    return decided.for_each_item(lambda _, texts, decisions: _annotation(texts, decisions, decided.scale))


@dataclass(frozen=True)
class _Decided:
    """The boundaries of the gold standard of each item that has one, and the problems of the other items."""

    texts: Mapping[str, list[_Text]]
    decisions: Mapping[str, list[_Decision]]
    alignment: _Alignment
    scale: _Scale | None
    thresholds: dict[str, int]
    excluded: list[Excluded]
    errors: dict[str, CaesuraError]

    @classmethod
    def of(cls, corpus: Corpus, options: LinearGoldOptions, scale_of_time: TimeScale | None) -> _Decided:
        number = len(corpus.coders)
        if options.threshold is not None and options.threshold > number:
            raise OptionError(f"threshold must be at most {number}, the number of coders; got {options.threshold}")
        excluded: list[Excluded] = []
        texts = _texts(corpus, options, excluded)
        rules, thresholds = _rules(texts, options)
        scale = _Scale.of(text for group in texts.values() for text in group)
        exclusive = all(side.exclusive for group in texts.values() for text in group for side in text.by_coder.values())
        n_t = options.n_t if scale_of_time is None else scale_of_time.n_t
        errors: dict[str, CaesuraError] = {}
        decisions: dict[str, list[_Decision]] = {}
        for item, group in texts.items():
            try:
                with own_errors():
                    decisions[item] = [
                        decision
                        for text in group
                        for decision in _decisions(text, _Places.of(text, n_t, scale_of_time), rules, exclusive)
                    ]
            except CaesuraError as error:
                errors[item] = error
        alignment = _Alignment(list(chain.from_iterable(decisions.values())), n_t)
        too_large = alignment.errors()
        if too_large:
            errors |= too_large
            decisions = {item: group for item, group in decisions.items() if item not in errors}
            alignment = _Alignment(list(chain.from_iterable(decisions.values())), n_t)
        return cls(texts, decisions, alignment, scale, thresholds, excluded, errors)

    def for_each_item(self, make: Callable[[str, list[_Text], list[_Decision]], T]) -> dict[str, T]:
        """Return what ``make`` returns for each item, and list the items without it; raise an error if no item has it."""
        golds: dict[str, T] = {}
        for item, decisions in self.decisions.items():
            try:
                with own_errors():
                    golds[item] = make(item, self.texts[item], decisions)
            except CaesuraError as error:
                self.errors[item] = error
        self.excluded.extend(Excluded(item, None, str(self.errors[item])) for item in self.texts if item in self.errors)
        if not golds:
            raise OptionError(f"no item has a gold standard: {'; '.join(map(str, self.excluded[:5]))}")
        return golds


def _texts(corpus: Corpus, options: LinearGoldOptions, excluded: list[Excluded]) -> dict[str, list[_Text]]:
    """Return the texts and streams of each item that can be used; add the other items to ``excluded``."""
    texts: dict[str, list[_Text]] = {}
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        reason = _reason_not_usable(by_coder, corpus.coders, options)
        if reason is not None:
            excluded.append(Excluded(item, None, reason))
            continue
        streams = {coder: streams_of(annotation) for coder, annotation in by_coder.items()}
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


@dataclass(frozen=True)
class _Places:
    """Where the positions of a text are: their own numbers, or times. The first place is that of position 1."""

    at: Ints | None
    n_t: int
    max_work: float = math.inf  # for the median

    @classmethod
    def of(cls, text: _Text, n_t: int, scale: TimeScale | None) -> _Places:
        if scale is None:
            return cls(None, n_t)
        at = scale.places[text.item, text.stream or ""]
        return cls(at, n_t, MAX_MEDIAN_WORK * len(at) / max(1, scale.size))

    def median(self, marks: list[Ints], last: int) -> MedianSegmentation:
        if self.at is None:
            return median_segmentation(marks, last, self.n_t)
        return median_in_time([at.tolist() for at in marks], self.at[:last].tolist(), self.n_t, self.max_work)

    def length(self, last: int) -> int:
        return int(self[np.array([last])][0]) + 1 if last else 1

    def __getitem__(self, positions: Ints) -> Ints:
        return positions if self.at is None else self.at[positions - 1]


# Function of a type, its positions by coder, the last position and places; returns positions and the number of optima.
Rule = Callable[[str, list[Ints], int, _Places], tuple[tuple[int, ...], int]]


def _rules(texts: Mapping[str, list[_Text]], options: LinearGoldOptions) -> tuple[Rule, dict[str, int]]:
    """Return the rule of a method, and the thresholds of Cochran's Q by type."""
    if options.method == "median":

        def median(_: str, marks: list[Ints], last: int, places: _Places) -> tuple[tuple[int, ...], int]:
            result = places.median(marks, last)
            return result.positions, result.optima

        return median, {}
    thresholds = _cochran_thresholds(texts, options.alpha) if options.method == "cochran" else {}

    def count(name: str, marks: list[Ints], last: int, _: _Places) -> tuple[tuple[int, ...], int]:
        minimum = {
            "majority": len(marks) // 2 + 1,
            "threshold": options.threshold or 0,
            "cochran": thresholds.get(name, 0),
            "any": 1,
            "all": len(marks),
        }[options.method]
        counts = bincount(np.concatenate(marks), minlength=last + 1)
        return tuple(flatnonzero(counts >= minimum).tolist()), 1

    return count, thresholds


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


@dataclass(frozen=True, slots=True)
class _Decision:
    """The boundaries of one type in the gold standard of a text, and those of the coders."""

    text: _Text
    name: str
    places: _Places
    marks: dict[str, Ints]
    last: int
    positions: tuple[int, ...]
    optima: int


def _decisions(text: _Text, places: _Places, rule: Rule, exclusive: bool) -> list[_Decision]:
    decisions = []
    for name in text.types:
        marks, last = text.marks(name)
        positions, optima = rule(name, [*marks.values()], last, places)
        decisions.append(_Decision(text, name, places, marks, last, positions, optima))
    if exclusive:
        _check_exclusive(text, {decision.name: decision.positions for decision in decisions})
    return decisions


def _item_gold(
    texts: Sequence[_Text], decisions: Sequence[_Decision], comparisons: Sequence[_Comparison], scale: _Scale | None
) -> LinearGold:
    kept: list[GoldBoundary] = []
    dropped: list[GoldBoundary] = []
    optima, cost, pairs = 1, 0.0, 0
    for decision, comparison in zip(decisions, comparisons, strict=True):
        optima *= decision.optima
        cost += comparison.cost
        pairs += comparison.pairs
        for boundary, in_gold in _boundaries(decision, comparison):
            (kept if in_gold else dropped).append(boundary)
    first, annotation = texts[0], _annotation(texts, decisions, scale)
    order = {text.stream or "": i for i, text in enumerate(texts)}
    for boundaries in (kept, dropped):
        boundaries.sort(key=lambda boundary: (order[boundary.stream or ""], boundary.position))
    return LinearGold(first.item, annotation, tuple(first.by_coder), tuple(kept), tuple(dropped), optima, cost, pairs)


def _annotation(
    texts: Sequence[_Text], decisions: Sequence[_Decision], scale: _Scale | None
) -> Segmentation | Dialogue:
    positions: dict[str, dict[str, tuple[int, ...]]] = {text.stream or "": {} for text in texts}
    for decision in decisions:
        positions[decision.text.stream or ""][decision.name] = decision.positions
    streams = {name: text.segmentation(positions[name], scale) for text in texts for name in (text.stream or "",)}
    return Dialogue(streams) if texts[0].stream is not None else streams[""]


def _check_exclusive(text: _Text, positions: Mapping[str, Sequence[int]]) -> None:
    """Raise an error if a position would get two types although no coder ever gives a position two types."""
    names: dict[int, str] = {}
    for name, at in positions.items():
        for position in at:
            if position in names:
                stream = "" if text.stream is None else f"stream {text.stream!r}: "
                raise OptionError(
                    f"{stream}position {position} would get the types {names[position]!r} and {name!r}, but no coder gives a "
                    "position two types, so the types exclude each other; choose the method 'majority', or ignore the "
                    "types: --ignore-types, or ignore_types=True in Python"
                )
            names[position] = name


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
        length = repeat(np.array([entry.places.length(entry.last) for entry in decisions], np.int64), coders)
        golds_of_coders = Boundaries(self._placed(self.own, a_off), EMPTY, a_off)
        self.batch = Batch.of_sides(length, golds_of_coders, Boundaries(self._placed(self.others, b_off), EMPTY, b_off))

    def _placed(self, positions: Ints, offsets: Ints) -> Ints:
        if all(entry.places.at is None for entry in self.decisions):
            return positions
        parts = np.split(positions, offsets[self.ends[1:-1]])
        return np.concatenate([entry.places[part] for entry, part in zip(self.decisions, parts, strict=True)])

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
