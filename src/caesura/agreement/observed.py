"""Every pair of coders on every item that both coded, scored once: what all coefficients and tables are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.many import Scores, score_many
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Comparable
from caesura.model.segmentation import Segmentation

__all__ = ["Observed", "common", "observe"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Observed:
    """Row by row: item, first and second coder (as places in ``items`` and ``coders``), and additive parts.

    Items are sorted by name, and coders too if it does not matter who comes first, so that no number depends on the
    order in which a file lists them.
    """

    measure: Measure
    items: tuple[str, ...]
    coders: tuple[str, ...]
    item: Ints
    pair: Ints
    """Place in ``pairs``."""
    pairs: tuple[tuple[int, int], ...]
    """The pairs of coders who share an item, as places in ``coders``."""
    scores: Scores = field(repr=False)
    cells: Mapping[tuple[str, str], Comparable] = field(repr=False)
    dropped: Mapping[str, str]
    """Items left out, and why."""

    @property
    def parts(self) -> Floats:
        """A row of additive counts for each pair and item."""
        return self.scores.counts

    @cached_property
    def by_item(self) -> Floats:
        """Parts of all pairs together, item by item."""
        return _sums(self.parts, self.item, len(self.items))

    @cached_property
    def by_pair(self) -> Floats:
        """Parts of all items together, pair by pair."""
        return _sums(self.parts, self.pair, len(self.pairs))

    @cached_property
    def first(self) -> Ints:
        """The first coder of each pair."""
        return np.array([a for a, _ in self.pairs], np.int64)

    @cached_property
    def second(self) -> Ints:
        """The second coder of each pair."""
        return np.array([b for _, b in self.pairs], np.int64)

    @cached_property
    def members(self) -> Floats:
        """1 for the two coders of each pair: pairs x coders."""
        out = np.zeros((len(self.pairs), len(self.coders)))
        out[np.arange(len(self.pairs)), self.first] = 1
        out[np.arange(len(self.pairs)), self.second] = 1
        return out

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Which coder coded which item: a row an item."""
        out = np.zeros((len(self.items), len(self.coders)), bool)
        place = {item: i for i, item in enumerate(self.items)}
        for j, coder in enumerate(self.coders):
            out[[place[item] for item in self.items if (item, coder) in self.cells], j] = True
        return out

    def text(self, item: str, coder: str) -> Segmentation | None:
        """What the coder made of the item, None if nothing; for measures that score no dialogues."""
        return cast("Segmentation | None", self.cells.get((item, coder)))

    def similarity(self, parts: Floats) -> Floats:
        """Each row of parts as a similarity: error rates are turned round."""
        return self.measure.as_similarity(self.measure.finish(parts, self.scores.types))


def _sums(rows: Floats, group: Ints, groups: int) -> Floats:
    out = np.zeros((groups, rows.shape[1]))
    for column in range(rows.shape[1]):
        out[:, column] = np.bincount(group, rows[:, column], groups)
    return out


def common(corpus: Corpus) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Item -> its coders, of items that at least two coded; and the other items with the reason."""
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: a Corpus is needed; got {type(corpus).__name__}")
    if len(corpus.coders) < 2:
        raise OptionError(f"agreement needs at least two coders; got {', '.join(corpus.coders) or 'none'}")
    by_item = {item: list(corpus.of_item(item)) for item in corpus.item_names}
    dropped = {item: f"coded by {who[0]} only" for item, who in by_item.items() if len(who) < 2}
    return {item: who for item, who in by_item.items() if len(who) > 1}, dropped


def observe(
    corpus: Corpus, measure: Measure, *, ordered: bool = False, listed: bool = False, engine: str | Engine = "threads"
) -> Observed:
    """Score every pair of coders on every item both coded; ``ordered``: each coder once on either side.

    ``listed``: who comes first in the corpus is the first side under symmetric measures too, whose precision and recall
    are not.

    All in one batch, so that everything is scored over the same types. An item with a pair that cannot be scored is
    left out and named.
    """
    shared, dropped = common(corpus)
    coders = corpus.coders if ordered or listed or not measure.symmetric else tuple(sorted(corpus.coders))
    order = {coder: i for i, coder in enumerate(coders)}
    choose = permutations if ordered else combinations
    while True:
        keys = [
            (item, a, b)
            for item in sorted(shared)
            if item not in dropped
            for a, b in choose(sorted(shared[item], key=order.__getitem__), 2)
        ]
        if not keys:
            raise OptionError(f"no item is left that two coders share{_told(dropped)}")
        # What cannot be compared, such as a tier, comes back as an error.
        pairs = [cast("Pair", (corpus[item, a], corpus[item, b])) for item, a, b in keys]
        scores = score_many(pairs, measure, engine=engine)
        if not scores.errors:
            break
        for place, problem in scores.errors.items():
            item, a, b = keys[place]
            told = "a is {}, b is {}" if measure.sides == ("a", "b") else "reference is {}, hypothesis is {}"
            dropped.setdefault(item, f"{told.format(a, b)}: {problem}")
    items = tuple(dict.fromkeys(item for item, _, _ in keys))
    cells = {(item, who): cast(Comparable, corpus[item, who]) for item in items for who in shared[item]}
    kept = {coder for _, coder in cells}
    coders = tuple(coder for coder in coders if coder in kept)
    order = {coder: i for i, coder in enumerate(coders)}
    places = tuple(sorted({(order[a], order[b]) for _, a, b in keys}))
    number = {pair: i for i, pair in enumerate(places)}
    at = {item: i for i, item in enumerate(items)}
    return Observed(
        measure=measure,
        items=items,
        coders=coders,
        item=np.array([at[item] for item, _, _ in keys], np.int64),
        pair=np.array([number[order[a], order[b]] for _, a, b in keys], np.int64),
        pairs=places,
        scores=scores,
        cells=cells,
        dropped=dropped,
    )


def _told(dropped: Mapping[str, str]) -> str:
    some = [f"item {item!r}: {reason}" for item, reason in list(dropped.items())[:5]]
    more = [f"and {len(dropped) - 5} more"] if len(dropped) > 5 else []
    return f": {'; '.join(some + more)}" if some else ""
