"""Score every pair of coders once on every item that both coded; all coefficients and tables use these scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.many import Scores, score_many
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Comparable
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation

T = TypeVar("T")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Key = tuple[str, str, str]
"""Item, first coder, second coder."""

_MAX_REASONS = 5  # in the message when nothing is left


@dataclass(frozen=True, eq=False)
class CoderPairs:
    """Scores of pairs of coders: one row per item and pair.

    Items are sorted by name. If the measure is symmetric, coders are sorted as well, so that results do not depend on the
    order in the input file.

    Attributes
    ----------
    measure : Measure
        The measure.
    items, coders : tuple of str
        Names of the items and coders.
    item_index : numpy.ndarray
        Index in ``items`` of each row.
    pair_index : numpy.ndarray
        Index in ``pairs`` of each row.
    pairs : tuple of (int, int)
        The pairs of coders who share an item, as indices in ``coders``.
    scores : Scores
        The score of each row.
    annotations : mapping
        (item, coder) -> the coder's annotation of the item.
    excluded : tuple of Excluded
        Items that were excluded.
    """

    measure: Measure
    items: tuple[str, ...]
    coders: tuple[str, ...]
    item_index: Ints
    pair_index: Ints
    pairs: tuple[tuple[int, int], ...]
    scores: Scores = field(repr=False)
    annotations: Mapping[tuple[str, str], Comparable] = field(repr=False)
    excluded: tuple[Excluded, ...]

    @property
    def parts(self) -> Floats:
        """Additive counts of each row."""
        return self.scores.counts

    @cached_property
    def item_parts(self) -> Floats:
        """Additive counts of each item, summed over pairs."""
        return _sums(self.parts, self.item_index, len(self.items))

    @cached_property
    def pair_parts(self) -> Floats:
        """Additive counts of each pair, summed over items."""
        return _sums(self.parts, self.pair_index, len(self.pairs))

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
        """Matrix of pairs x coders with 1 for the two coders of each pair."""
        members = np.zeros((len(self.pairs), len(self.coders)))
        members[np.arange(len(self.pairs)), self.first] = 1
        members[np.arange(len(self.pairs)), self.second] = 1
        return members

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Whether each coder annotated each item: items x coders."""
        return np.array([[(item, coder) in self.annotations for coder in self.coders] for item in self.items], bool)

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """Whether each pair shares each item: items x pairs."""
        return self.present[:, self.first] & self.present[:, self.second]

    def segmentation(self, item: str, coder: str) -> Segmentation:
        """Return a coder's segmentation of an item, for measures that do not score dialogues.

        Parameters
        ----------
        item, coder : str
            An item and one of its coders.

        Returns
        -------
        Segmentation
            The segmentation.
        """
        return cast(Segmentation, self.annotations[item, coder])

    def similarity(self, parts: Floats) -> Floats:
        """Return the similarity for each row of parts; error rates are converted to 1 - rate.

        Parameters
        ----------
        parts : numpy.ndarray
            Rows of summed additive counts.

        Returns
        -------
        numpy.ndarray
            One similarity per row.
        """
        return self.measure.as_similarity(self.measure.finish(parts, self.scores.types))


def check_corpus(corpus: Corpus) -> None:
    """Raise an error if the argument is not a corpus.

    Parameters
    ----------
    corpus : Corpus
        The argument.
    """
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: expected a Corpus; got {type(corpus).__name__}")


def score_coder_pairs(
    corpus: Corpus,
    measure: Measure,
    *,
    ordered: bool = False,
    corpus_order: bool = False,
    engine: str | Engine = "threads",
) -> CoderPairs:
    """Score every pair of coders on every item that both coded.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    measure : Measure
        The measure.
    ordered : bool, default False
        Whether each pair is scored twice, once with each coder as the first side.
    corpus_order : bool, default False
        Whether the first coder in the corpus is the first side even if the measure is symmetric. Precision and recall are
        not symmetric.
    engine : str or Engine, default "threads"
        Engine for the computation.

    Returns
    -------
    CoderPairs
        One row per item and pair. All pairs are scored in one batch, with the same types. An item is excluded if one of
        its pairs cannot be scored.

    Raises
    ------
    OptionError
        If no item was annotated by two coders.
    """
    check_corpus(corpus)
    _check_coders(corpus.coders)
    keep_order = ordered or corpus_order or not measure.symmetric
    order = _numbered(corpus.coders if keep_order else sorted(corpus.coders))
    coders_of = {item: sorted(corpus.of_item(item), key=order.__getitem__) for item in corpus.item_names}
    excluded = {item: f"coded by {coders[0]} only" for item, coders in coders_of.items() if len(coders) < 2}
    keys, scores = _score_keys(corpus, measure, _keys(coders_of, ordered), engine, excluded)
    annotations = {(item, coder): cast(Comparable, corpus[item, coder]) for item, *pair in keys for coder in pair}
    return _index(measure, tuple(order), keys, scores, annotations, excluded)


def _check_coders(coders: tuple[str, ...]) -> None:
    if len(coders) < 2:
        raise OptionError(f"agreement needs at least two coders; got {', '.join(coders) or 'none'}")


def _numbered(values: Iterable[T]) -> dict[T, int]:
    return {value: i for i, value in enumerate(values)}


def _keys(coders_of: Mapping[str, list[str]], ordered: bool) -> list[Key]:
    """Return every pair of coders of every item, with items sorted by name."""
    pairs = permutations if ordered else combinations
    return [(item, a, b) for item in sorted(coders_of) for a, b in pairs(coders_of[item], 2)]


def _index(
    measure: Measure,
    coders: tuple[str, ...],
    keys: list[Key],
    scores: Scores,
    annotations: Mapping[tuple[str, str], Comparable],
    excluded: Mapping[str, str],
) -> CoderPairs:
    """Return the scores with the names of items and coders replaced by numbers."""
    present = {coder for _, coder in annotations}
    coder_number = _numbered(coder for coder in coders if coder in present)
    item_number = _numbered(dict.fromkeys(item for item, _, _ in keys))
    row_pairs = [(coder_number[a], coder_number[b]) for _, a, b in keys]
    pair_number = _numbered(sorted(set(row_pairs)))
    return CoderPairs(
        measure=measure,
        items=tuple(item_number),
        coders=tuple(coder_number),
        item_index=np.array([item_number[item] for item, _, _ in keys], np.int64),
        pair_index=np.array([pair_number[pair] for pair in row_pairs], np.int64),
        pairs=tuple(pair_number),
        scores=scores,
        annotations=annotations,
        excluded=tuple(Excluded(item, None, reason) for item, reason in excluded.items()),
    )


def _score_keys(
    corpus: Corpus, measure: Measure, keys: list[Key], engine: str | Engine, excluded: dict[str, str]
) -> tuple[list[Key], Scores]:
    """Return the keys whose items can be scored, and their scores. Other items are added to ``excluded``."""
    while True:
        keys = [key for key in keys if key[0] not in excluded]
        if not keys:
            raise OptionError(f"no item was annotated by two coders{_reasons(excluded)}")
        # An annotation that cannot be compared, such as a tier, produces an error here.
        pairs = [cast(Pair, (corpus[item, a], corpus[item, b])) for item, a, b in keys]
        scores = score_many(pairs, measure, engine=engine)
        if not scores.errors:
            return keys, scores
        for place, error in scores.errors.items():
            item, a, b = keys[place]
            first, second = measure.sides
            excluded.setdefault(item, f"{first} is {a}, {second} is {b}: {error}")


def _sums(rows: Floats, group: Ints, groups: int) -> Floats:
    sums = np.zeros((groups, rows.shape[1]))
    for column in range(rows.shape[1]):
        sums[:, column] = np.bincount(group, rows[:, column], groups)
    return sums


def _reasons(excluded: Mapping[str, str]) -> str:
    reasons = [f"item {item!r}: {reason}" for item, reason in list(excluded.items())[:_MAX_REASONS]]
    more = [f"and {len(excluded) - _MAX_REASONS} more"] if len(excluded) > _MAX_REASONS else []
    return f": {'; '.join(reasons + more)}" if reasons else ""
