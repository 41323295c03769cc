"""Table of scores for all pairs of coders under any measure, and the scores as a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.engines import Engine, use_engine
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, Result, Score, signature_line

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairwiseRow:
    """One pair of coders over all items that both coded.

    Attributes
    ----------
    coders : tuple of str
        Reference and hypothesis. The order matters to measures that are not symmetric, and to precision and recall.
    score : Score
        Score over all items, from summed parts.
    items : mapping
        Item -> its value.
    """

    coders: tuple[str, str]
    score: Score
    items: Mapping[str, float]

    @property
    def value(self) -> float:
        """Value over all items, from summed parts."""
        return self.score.value

    def __json__(self) -> dict[str, object]:
        """Return the coders, the values of the items, and all fields of the score."""
        return {"coders": list(self.coders), "items": dict(self.items)} | self.score.to_dict()


@dataclass(frozen=True, eq=False)
class Pairwise(Result):
    """Scores with one row per pair of coders; ``mean`` and ``deviation`` are unweighted over the rows.

    Attributes
    ----------
    measure : Measure
        The measure.
    coders : tuple of str
        The coders.
    rows : tuple of PairwiseRow
        One row per pair.
    ordered : bool
        Whether each pair is scored in both directions.
    excluded : tuple of Excluded
        Items that were excluded.
    signature : str
        One line with everything needed to reproduce the numbers.
    """

    json_properties = ("mean", "deviation")
    frame_field = "rows"

    measure: Measure
    coders: tuple[str, ...]
    rows: tuple[PairwiseRow, ...]
    ordered: bool
    excluded: tuple[Excluded, ...]
    signature: str

    @property
    def mean(self) -> float:
        """Mean over pairs, each with the same weight."""
        return float(np.mean([row.value for row in self.rows]))

    @property
    def deviation(self) -> float:
        """Population standard deviation over pairs."""
        return float(np.std([row.value for row in self.rows]))

    @property
    def matrix(self) -> Floats:
        """Values by reference coder (row) and hypothesis coder (column), in the order of ``coders``.

        An entry is NaN if the pair was not scored because the coders share no item. The lower half is NaN for unordered pairs
        under a measure that is not symmetric.
        """
        index = {coder: i for i, coder in enumerate(self.coders)}
        matrix = np.full((len(index), len(index)), np.nan)
        np.fill_diagonal(matrix, np.nan if self.measure.best is None else self.measure.best)
        for row in self.rows:
            a, b = (index[coder] for coder in row.coders)
            matrix[a, b] = row.value
            if not self.ordered and self.measure.symmetric:
                matrix[b, a] = row.value
        return matrix

    def precision_and_recall(self) -> dict[str, tuple[float, float]]:
        """Return mean precision and mean recall of each coder, over the pairs with that coder as hypothesis.

        Returns
        -------
        dict
            Coder -> precision and recall. A pair that was scored in one direction counts for both, because precision and
            recall are exchanged if the sides are swapped.

        Raises
        ------
        AttributeError
            If the measure has no precision and recall.
        """
        by_coder: dict[str, list[tuple[float, float]]] = {coder: [] for coder in self.coders}
        for row in self.rows:
            reference, hypothesis = row.coders
            precision, recall = row.score.precision(), row.score.recall()
            by_coder[hypothesis].append((precision, recall))
            if not self.ordered:
                by_coder[reference].append((recall, precision))
        means = {coder: np.mean(values, axis=0).tolist() for coder, values in by_coder.items() if values}
        return {coder: (precision, recall) for coder, (precision, recall) in means.items()}


def pairwise(
    corpus: Corpus, measure: str | Measure, *, ordered: bool = False, engine: str | Engine = "threads"
) -> Pairwise:
    """Score every pair of coders, over all items that both coded, under any measure.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    measure : str or Measure
        The measure; it need not be symmetric.
    ordered : bool, default False
        Whether to score each pair in both directions, which matters for measures that are not symmetric. Otherwise the
        first coder in the corpus is the reference.
    engine : str or Engine, default "threads"
        Engine for the computation: ``"threads"``, ``"processes"``, ``"dask"``, or an open engine.

    Returns
    -------
    Pairwise
        One row per pair, and the values as a matrix.

    Notes
    -----
    Table 2 of Fournier & Inkpen (2012) gives the mean and deviation of 1 - WD over ordered pairs, all with the same weight.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> table = pairwise(stargazer(), "boundary_similarity(n_t=2)")
    >>> row = max(table.rows, key=lambda row: row.value)
    >>> row.coders, f"{row.value:.4f}", len(table.rows)
    (('3', '7'), '0.7500', 21)
    >>> f"{table.mean:.4f} +- {table.deviation:.4f}"
    '0.5337 +- 0.1181'
    """
    resolved = parse(measure)
    with use_engine(engine) as opened:
        observed = score_coder_pairs(corpus, resolved, ordered=ordered, corpus_order=True, engine=opened)
    values = resolved.finish(observed.parts, observed.scores.types)
    rows = []
    for k, (a, b) in enumerate(observed.pairs):
        places = np.flatnonzero(observed.pair_index == k)
        items = {observed.items[observed.item_index[place]]: float(values[place]) for place in places.tolist()}
        rows.append(PairwiseRow((observed.coders[a], observed.coders[b]), observed.scores.over(places), items))
    signature = signature_line(
        "pairwise",
        f"coders:{len(observed.coders)}",
        f"pairs:{len(rows)}",
        "ordered" if ordered else "unordered",
        over=observed.scores.total.signature,
    )
    return Pairwise(resolved, observed.coders, tuple(rows), ordered, observed.excluded, signature)
