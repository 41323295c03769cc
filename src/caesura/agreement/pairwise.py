"""The table of pairs of coders under any measure, and their similarity as a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.observed import observe
from caesura.engines import Engine, use_engine
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.score import Score

__all__ = ["Pairwise", "PairwiseRow", "pairwise"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairwiseRow:
    """One pair of coders over all items both coded."""

    coders: tuple[str, str]
    """Reference, hypothesis, which matters to measures that are not symmetric, and to precision and recall."""
    score: Score
    items: Mapping[str, float]
    """The value of each item by itself."""

    @property
    def value(self) -> float:
        """Over all items, from summed parts."""
        return self.score.value


@dataclass(frozen=True, eq=False)
class Pairwise:
    """A row a pair; ``mean`` and ``deviation`` are over the rows, unweighted."""

    measure: Measure
    coders: tuple[str, ...]
    rows: tuple[PairwiseRow, ...]
    ordered: bool
    signature: str
    dropped: Mapping[str, str] = field(default_factory=dict)
    """Items left out, and why."""

    @property
    def mean(self) -> float:
        """The mean over pairs, each weighing the same."""
        return float(np.mean([row.value for row in self.rows]))

    @property
    def deviation(self) -> float:
        """The standard deviation over pairs, of these pairs as the whole population."""
        return float(np.std([row.value for row in self.rows]))

    @property
    def matrix(self) -> Floats:
        """Values by coder (row, the reference) and coder, in the order of ``coders``; NaN where a pair was not scored.

        That is where two coders share no item, and of unordered pairs under a measure that is not symmetric the lower
        half.
        """
        place = {coder: i for i, coder in enumerate(self.coders)}
        out = np.full((len(place), len(place)), np.nan)
        np.fill_diagonal(out, np.nan if self.measure.best is None else self.measure.best)
        for row in self.rows:
            a, b = (place[coder] for coder in row.coders)
            out[a, b] = row.value
            if not self.ordered and self.measure.symmetric:
                out[b, a] = row.value
        return out

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "measure": repr(self.measure),
            "ordered": self.ordered,
            "mean": self.mean,
            "deviation": self.deviation,
            "pairs": [
                {"coders": list(row.coders), "items": dict(row.items)} | row.score.to_dict() for row in self.rows
            ],
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


def pairwise(
    corpus: Corpus,
    measure: str | Measure,
    *,
    ordered: bool = False,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> Pairwise:
    """Every pair of coders, over all items both coded, under any measure.

    ``ordered``: each coder once as reference, which matters for measures that are not symmetric. (Unordered, who comes
    first in the corpus is the reference.) The mean and deviation of 1 - WD in Table 2 of Fournier & Inkpen (2012) are
    those over ordered pairs, each weighing the same. ``engine``, ``workers`` and ``scheduler`` as for
    :func:`~caesura.score_many`.

    >>> from caesura.data import stargazer
    >>> table = pairwise(stargazer(), "boundary_similarity(n_t=2)")
    >>> row = max(table.rows, key=lambda row: row.value)
    >>> row.coders, f"{row.value:.4f}", len(table.rows)
    (('3', '7'), '0.7500', 21)
    >>> f"{table.mean:.4f} +- {table.deviation:.4f}"
    '0.5337 +- 0.1181'
    """
    made = parse(measure)
    with use_engine(engine, workers, scheduler) as opened:
        o = observe(corpus, made, ordered=ordered, listed=True, engine=opened)
    values = made.finish(o.parts, o.scores.types)
    rows = []
    for k, (a, b) in enumerate(o.pairs):
        mine = np.flatnonzero(o.pair == k)
        rows.append(
            PairwiseRow(
                (o.coders[a], o.coders[b]),
                o.scores.over(mine),
                {o.items[o.item[row]]: float(values[row]) for row in mine.tolist()},
            )
        )
    words = ["pairwise", f"coders:{len(o.coders)}", f"pairs:{len(rows)}", "ordered" if ordered else "unordered"]
    return Pairwise(made, o.coders, tuple(rows), ordered, "|".join([*words, o.scores.total.signature]), dict(o.dropped))
