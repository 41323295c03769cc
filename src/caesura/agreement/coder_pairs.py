"""Scores of all pairs of coders, on which all coefficients are based."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from caesura.agreement.parts import Finish, Margins, Parts, places_of_sides, sum_rows
from caesura.engines import Engine
from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.many import Scores, places_of_groups, score_crossed, score_many
from caesura.memory import check_memory
from caesura.model.batch import Pair
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, Dialogue, kind_name, texts_of
from caesura.model.index import argsort, flatnonzero, nonzero, repeat
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints

T = TypeVar("T")
# Item, first coder, second coder.
Key = tuple[str, str, str]

# Families of chance that count the positions of all coders of an item.
COUNTING = ("counts", "random_texts")
_PAIR_BYTES = 1000  # memory for a pair of coders on an item, with the tables of a coefficient
_MAX_REASONS = 5  # number of reasons in the message if no item can be used
_ALONE = "coded by "  # beginning of the reason why an item with one coder is excluded


@dataclass(frozen=True, eq=False)
class CoderPairs:
    """Scores of pairs of coders: one row per item and pair."""

    # Items are sorted by name. If the measure is symmetric, coders are sorted as well, so that results do not depend on the
    # order in the input file.

    measure: Measure
    items: tuple[str, ...]
    coders: tuple[str, ...]
    item_index: Ints  # index in ``items`` of each row
    pair_index: Ints  # index in ``pairs`` of each row
    # The two coders of each pair, as indices in ``coders``.
    first: Ints
    second: Ints
    scores: Scores = field(repr=False)  # the score of each row
    # (item, coder) -> the coder's annotation of the item.
    annotations: Mapping[tuple[str, str], Comparable] = field(repr=False)
    excluded: tuple[Excluded, ...]  # items that were excluded
    ordered: bool = False  # whether each pair occurs twice, once with each coder as the first side

    @cached_property
    def pair_parts(self) -> Floats:
        return sum_rows(self.scores.counts, self.pair_index, len(self.first))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(zip(self.first.tolist(), self.second.tolist(), strict=True))

    @cached_property
    def rows_of_pairs(self) -> list[Ints]:
        return places_of_groups(self.pair_index, len(self.first))

    @property
    def covers_all_pairs(self) -> bool:
        """Whether the measure could score all pairs of coders; items with one coder have none."""
        return all(entry.reason.startswith(_ALONE) for entry in self.excluded)

    @cached_property
    def cells(self) -> Cells:
        """Every annotation, by item and coder."""
        items, coders = _numbered(self.items), _numbered(self.coders)
        numbers = np.array([items[item] * len(coders) + coders[coder] for item, coder in self.annotations], np.int64)
        order = argsort(numbers)
        annotations = [*self.annotations.values()]
        item, coder = np.divmod(numbers[order], max(1, len(coders)))
        return Cells(item, coder, [annotations[place] for place in order.tolist()])

    @cached_property
    def sides(self) -> tuple[Ints, Ints]:
        """The cells of both coders of each row."""
        coders = self.first[self.pair_index], self.second[self.pair_index]
        return places_of_sides(self.cells.item, self.cells.coder, self.item_index, coders, len(self.coders))

    def table(
        self,
        finish: Finish,
        *,
        values: Floats | None = None,
        margins: Floats | None = None,
        pairwise: bool = False,
        pair_totals: Floats | None = None,
    ) -> Parts:
        """Return the table of parts: the counts of the measure by default, and ``margins`` with one row per cell."""
        item, coder, annotations = self.cells
        margins = np.empty((len(annotations), 0)) if margins is None else margins
        values = self.scores.counts if values is None else values
        return Parts(
            items=self.items,
            coders=self.coders,
            item=self.item_index,
            pair=self.pair_index,
            values=values,
            first=self.first,
            second=self.second,
            margins=Margins(item, coder, margins),
            finish=finish,
            pairwise=pairwise,
            pair_totals=pair_totals,
        )

    def rescored(self, measure: Measure) -> CoderPairs | None:
        """Return the scores of the same pairs under a measure that differs only in options such as ``n_t``."""
        if measure.symmetric != self.measure.symmetric or not self.covers_all_pairs:
            return None
        scores = self.scores.rescored(measure)
        return None if scores is None else replace(self, measure=measure, scores=scores)

    def restricted(self, coders: Collection[str]) -> CoderPairs | None:
        is_complete = len(self.cells.item) == len(self.items) * len(self.coders)
        if self.excluded or not is_complete or not self._declares_types:
            return None
        chosen = np.isin(np.array(self.coders, object), list(coders))
        number = np.cumsum(chosen) - 1
        pairs = chosen[self.first] & chosen[self.second]
        rows = flatnonzero(pairs[self.pair_index])
        if not len(rows):
            return None
        scores = replace(
            self.scores,
            values=self.scores.values[rows],
            counts=self.scores.counts[rows],
            resolved={name: column[rows] for name, column in self.scores.resolved.items()},
            batch=self.scores.batch.take(rows),
            places=np.arange(len(rows)),
        )
        names = {coder for coder, is_chosen in zip(self.coders, chosen, strict=True) if is_chosen}
        return replace(
            self,
            coders=tuple(coder for coder in self.coders if coder in names),
            item_index=self.item_index[rows],
            pair_index=(np.cumsum(pairs) - 1)[self.pair_index[rows]],
            first=number[self.first[pairs]],
            second=number[self.second[pairs]],
            scores=scores,
            annotations={key: entry for key, entry in self.annotations.items() if key[1] in names},
        )

    @cached_property
    def _declares_types(self) -> bool:
        """Whether the types are the same for every subset of the coders."""
        if len(self.scores.types) <= 1:
            return True
        entries = self.annotations.values()
        if not all(map(has_units, entries)):
            return False
        declared = {(text.types, text.types_declared) for entry in entries for text in texts_of(entry).values()}
        return len(declared) == 1 and declared.pop()[1]

    @cached_property
    def texts(self) -> Texts:
        """All segmentations, one per stream, with their cells."""
        streams = [
            [entry] if isinstance(entry, Segmentation) else [text for _, text in sorted(texts_of(entry).items())]
            for entry in self.cells.annotations
        ]
        sizes = [len(own) for own in streams]
        cell = repeat(np.arange(len(streams)), np.array(sizes, np.int64))
        return Texts(cell, tuple(text for own in streams for text in own))

    def similarity(self, parts: Floats) -> Floats:
        """Return the similarity for each row of parts; error rates are converted to 1 - rate."""
        return self.measure.as_similarity(self.measure.values(parts, self.scores.types))


class Cells(NamedTuple):
    """Annotations in the order of items and coders."""

    item: Ints
    coder: Ints
    annotations: list[Comparable]


class Texts(NamedTuple):
    """Segmentations of several items by several coders, one per stream."""

    cell: Ints
    segmentations: tuple[Segmentation, ...]


def has_units(annotation: Annotation) -> bool:
    """Return whether an annotation has positions between units, in one or several streams."""
    return isinstance(annotation, Segmentation) or (isinstance(annotation, Dialogue) and not annotation.timed)


def check_corpus(corpus: Corpus) -> None:
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: expected a Corpus; got {type(corpus).__name__}")


def check_coders(coders: Collection[str]) -> None:
    if len(coders) < 2:
        raise OptionError(f"agreement needs at least two coders; got {', '.join(coders) or 'none'}")


def number_of_pairs(corpus: Corpus) -> int:
    return sum(math.comb(len(corpus.of_item(item)), 2) for item in corpus.item_names)


def by_coder_name(argument: str, values: Any, kind: type[T]) -> dict[str, T]:
    if isinstance(values, Mapping) and not isinstance(values, (Corpus, Dialogue)):
        by_coder = {str(coder): value for coder, value in values.items()}
        if len(by_coder) < len(values):
            raise OptionError(f"{argument}: the names of two coders are the same string; rename one of them")
    elif isinstance(values, Iterable) and not isinstance(values, (str, Mapping, kind)):
        by_coder = {f"coder {i}": value for i, value in enumerate(values, 1)}
    else:
        name, actual = kind.__name__, type(values).__name__
        raise OptionError(f"{argument}: expected a sequence of {name} or a mapping coder -> {name}; got {actual}")
    for coder, value in by_coder.items():
        if not isinstance(value, kind):
            raise OptionError(f"coder {coder!r}: expected a {kind.__name__}; got {kind_name(value)}")
    return by_coder


def score_coder_pairs(
    corpus: Corpus,
    measure: Measure,
    *,
    ordered: bool = False,
    corpus_order: bool = False,
    engine: str | Engine = "threads",
) -> CoderPairs:
    """Score every pair of coders on every item that both coded."""
    check_corpus(corpus)
    check_coders(corpus.coders)
    pairs_of_coders = number_of_pairs(corpus) * (1 + ordered)
    what, hint = f"the scores of {pairs_of_coders:,} pairs of coders", "choose fewer coders or items with Corpus.select"
    check_memory(what, _PAIR_BYTES * pairs_of_coders, hint)
    keep_order = ordered or corpus_order or not measure.symmetric
    order = _numbered(corpus.coders if keep_order else sorted(corpus.coders))
    excluded: dict[str, str] = {}
    rows = _Rows.of(corpus, order, ordered, excluded)
    names, items, item_index, sides = [*order], rows.items, rows.item, rows.sides
    annotated = rows.annotated
    scores = (
        score_crossed(measure, rows.texts, rows.places[:, 0], rows.places[:, 1], engine) if len(item_index) else None
    )
    if scores is None or scores.errors:
        numbers = zip(item_index.tolist(), sides.tolist(), strict=True)
        keys = [(items[i], names[a], names[b]) for i, (a, b) in numbers]
        keys, scores = score_keys(corpus, measure, keys, engine, excluded, scores)
        places = _numbered(dict.fromkeys(item for item, _, _ in keys))
        items, item_index = tuple(places), np.array([places[item] for item, _, _ in keys], np.int64)
        sides = np.array([(order[a], order[b]) for _, a, b in keys], np.int64)
        annotated = [*dict.fromkeys((item, coder) for item, *both in keys for coder in both)]
    present, members = numbered(sides, len(names))
    # One number per pair, because sorting rows is slow.
    pairs, pair_index = numbered(members[:, 0] * len(present) + members[:, 1], len(present) ** 2)
    return CoderPairs(
        measure=measure,
        items=items,
        coders=tuple(np.array(names, object)[present]),
        item_index=item_index,
        pair_index=pair_index,
        first=pairs // len(present),
        second=pairs % len(present),
        scores=scores,
        annotations={key: cast(Comparable, corpus[key]) for key in annotated},
        excluded=tuple(Excluded(item, None, reason) for item, reason in excluded.items()),
        ordered=ordered,
    )


def numbered(values: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the different values, which are below ``size``, in ascending order, and the place of each value among them."""
    if size > 4 * values.size + 1000:
        different, places = np.unique(values, return_inverse=True)
        return different, places.reshape(values.shape)
    occurs = np.zeros(size, bool)
    occurs[values] = True
    return flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]


def _numbered(values: Iterable[str]) -> dict[str, int]:
    return {value: i for i, value in enumerate(values)}


class _Rows(NamedTuple):
    items: tuple[str, ...]  # names of the items with at least two coders
    texts: list[Annotation]
    annotated: list[tuple[str, str]]  # item and coder of each of them
    item: Ints  # item of each row
    sides: Ints  # the two coders of each row
    places: Ints  # the two annotations of each row, as places in ``texts``

    @classmethod
    def of(cls, corpus: Corpus, order: Mapping[str, int], ordered: bool, excluded: dict[str, str]) -> _Rows:
        """Return all rows. Items with one coder are added to ``excluded``."""
        for item in corpus.item_names:
            if len(corpus.of_item(item)) < 2:
                excluded[item] = f"{_ALONE}{next(iter(corpus.of_item(item)))} only"
        items = tuple(sorted(item for item in corpus.item_names if item not in excluded))
        texts: list[Annotation] = []
        annotated: list[tuple[str, str]] = []
        groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}  # items of the same coders have the same pairs
        for number, item in enumerate(items):
            by_coder = corpus.of_item(item)
            coders = sorted(by_coder, key=order.__getitem__)
            groups.setdefault(tuple(map(order.__getitem__, coders)), []).append((number, len(texts)))
            texts += map(by_coder.__getitem__, coders)
            annotated += [(item, coder) for coder in coders]
        blocks = [_rows_of_group(np.array(coders), np.array(entries), ordered) for coders, entries in groups.items()]
        rows = np.concatenate([np.empty((0, 5), np.int64), *blocks])
        if len(groups) > 1:
            rows = rows[argsort(rows[:, 0], kind="stable")]
        return cls(items, texts, annotated, rows[:, 0].copy(), rows[:, 1:3], rows[:, 3:])


def _rows_of_group(coders: Ints, entries: Ints, ordered: bool) -> Ints:
    """Return item, coders and annotations of each pair of coders, for items and the places of their first annotations."""
    number = len(coders)
    a, b = nonzero(~np.eye(number, dtype=bool)) if ordered else np.triu_indices(number, 1)
    items, starts = repeat(entries, len(a), axis=0).T
    first, second = np.tile(a, len(entries)), np.tile(b, len(entries))
    return np.column_stack([items, coders[first], coders[second], starts + first, starts + second])


def score_keys(
    corpus: Corpus,
    measure: Measure,
    keys: list[Key],
    engine: str | Engine,
    excluded: dict[str, str],
    first_scores: Scores | None = None,
) -> tuple[list[Key], Scores]:
    annotations = {item: corpus.of_item(item) for item in dict.fromkeys(key[0] for key in keys)}
    while True:
        keys = [key for key in keys if key[0] not in excluded]
        if not keys:
            alone = all(reason.startswith(_ALONE) for reason in excluded.values())
            problem = "no item was annotated by two coders" if alone else "no item can be compared"
            raise OptionError(f"{problem}{_reasons(excluded)}")
        # An annotation that cannot be compared, such as a tier, produces an error here.
        pairs: list[Any] = [(annotations[item][a], annotations[item][b]) for item, a, b in keys]
        scores = score_many(pairs, measure, engine=engine) if first_scores is None else first_scores
        first_scores = None
        if not scores.errors:
            return keys, scores
        if measure.chance_family not in COUNTING and all(
            isinstance(error, Undefined) for error in scores.errors.values()
        ):
            return _without_undefined(keys, scores, measure, engine, excluded, pairs)
        for place, error in scores.errors.items():
            excluded.setdefault(keys[place][0], _reason(measure, keys[place], error))


def _reason(measure: Measure, key: Key, error: CaesuraError) -> str:
    return f"{measure.sides[0]} is {key[1]}, {measure.sides[1]} is {key[2]}: {error}"


def _without_undefined(
    keys: list[Key],
    scores: Scores,
    measure: Measure,
    engine: str | Engine,
    excluded: dict[str, str],
    pairs: Sequence[Pair],
) -> tuple[list[Key], Scores]:
    """Leave out the undefined pairs; the other pairs are enough, because chance does not depend on all coders."""
    defined = [place for place in range(len(keys)) if place not in scores.errors]
    totals, undefined = (Counter(keys[place][0] for place in places) for places in (range(len(keys)), scores.errors))
    for place, error in scores.errors.items():
        item = keys[place][0]
        number, share = undefined[item], ""
        if number < totals[item]:
            are = "is" if number == 1 else "are"
            share = f"{number} of {totals[item]} pairs of coders {are} undefined and left out: "
        excluded.setdefault(item, f"{share}{_reason(measure, keys[place], error)}")
    if not defined:
        raise OptionError(f"no pair of coders can be compared{_reasons(excluded)}")
    return [keys[place] for place in defined], score_many([pairs[place] for place in defined], measure, engine=engine)


def _reasons(excluded: Mapping[str, str]) -> str:
    reasons = [f"item {item!r}: {reason}" for item, reason in list(excluded.items())[:_MAX_REASONS]]
    more = [f"and {len(excluded) - _MAX_REASONS} more"] if len(excluded) > _MAX_REASONS else []
    return f": {'; '.join(reasons + more)}" if reasons else ""
