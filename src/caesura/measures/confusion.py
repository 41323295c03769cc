"""The boundary confusion matrix of Fournier (2013), with precision, recall and F of each type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np

from caesura.errors import OptionError
from caesura.kernels import boundary as kernel
from caesura.measures.base import BatchCounts, Counts, divide, option
from caesura.measures.boundary import EditDistanceMeasure
from caesura.measures.expected import ExpectedCounts
from caesura.model.batch import Batch
from caesura.model.index import bincount, searchsorted
from caesura.model.plain import entries_of
from caesura.model.result import Score, f_measure, ratio
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import choice


@dataclass(frozen=True, slots=True)
class TypeScore:
    """B-precision, B-recall and B-F of one boundary type, or of all types."""

    type: str | None  # the boundary type; None for all types together
    precision: float
    recall: float
    f: float
    correct: float  # correctness of the pairs of this type: the cell (type, type) of the matrix
    # Number of boundaries of each side.
    hypothesis: int
    reference: int


class ConfusionScore(Score):
    """A score with a confusion matrix. The value is micro-averaged F1."""

    measure: BoundaryConfusion

    @property
    def matrix(self) -> Floats:
        """Correctness by predicted type (rows) and actual type (columns); the last of each is "no boundary"."""
        # A pair adds its correctness to its cell: 1 for a match, 1 minus the cost for a transposition or substitution. The last
        # cell counts the true negatives: inner positions without a boundary on either side.
        T = len(self.types)  # noqa: N806 - the paper's symbol
        costs = self.measure.costs(self.types)
        out = np.zeros((T + 1, T + 1))
        out[T, T] = self.parts[_TRUE_NEGATIVES]
        for i, x in enumerate(self.types):
            out[i, T] = self._count("insertions", x)
            out[T, i] = self._count("deletions", x)
            out[i, i] = self._correct(x)
            for j, y in enumerate(self.types):
                if i != j:
                    out[i, j] = self._count("substitutions", x, y) * float(1 - costs.substitution_cost(abs(i - j)))
        return out

    def _count(self, part: str, *types: str) -> int:
        return int(self.parts[_part_name(part, *types)])

    def _correct(self, name: str) -> float:
        """Return the cell (t, t): correctness of the pairs of a type."""
        near, span, matches = (self._count(part, name) for part in ("transpositions", "span", "matches"))
        costs = self.measure.costs(self.types)
        return float(matches + near * (1 - costs.transposition_cost(0)) - span * costs.per_position)

    def _rate(self, side: str, name: str | None, average: str) -> float:
        """Return the correctness of a type, or of all, divided by the boundaries of a side, or by correctness and errors."""
        if name is not None and name not in self.types:
            raise OptionError(f"no boundary type {name!r}; choose from {', '.join(self.types)}")
        if name is None and average != "micro":
            occurring = self._occurring(average)
            return sum(self._rate(side, name, "micro") for name in occurring) / len(occurring) if occurring else 1.0
        names = self.types if name is None else (name,)
        correct = sum(map(self._correct, names))
        counts = {who: sum(self._count(who, name) for name in names) for who in ("hypothesis", "reference")}
        divisor: float = counts[side]
        if self.params["denominator"] == "errors":
            additions = "insertions" if side == "hypothesis" else "deletions"
            divisor = correct + sum(self._count(additions, name) for name in names)
        return ratio(correct, divisor, sum(counts.values()))

    def _occurring(self, average: str) -> list[str]:
        if average != "macro":
            raise OptionError(f"average must be 'micro' or 'macro'; got {average!r}")
        return [t for t in self.types if self._count("hypothesis", t) or self._count("reference", t)]

    def precision(self, type: str | None = None, *, average: str = "micro") -> float:
        """Return B-precision."""
        return self._rate("hypothesis", type, average)

    def recall(self, type: str | None = None, *, average: str = "micro") -> float:
        """Return B-recall."""
        return self._rate("reference", type, average)

    def f(self, type: str | None = None, *, average: str = "micro", beta: float = 1.0) -> float:
        """Return B-F-beta."""
        if type is None and average != "micro":
            occurring = self._occurring(average)
            return sum(self.f(name, beta=beta) for name in occurring) / len(occurring) if occurring else 1.0
        return f_measure(self.precision(type), self.recall(type), beta)

    @property
    def figures(self) -> dict[str, float]:
        """B-precision, B-recall and B-F over all types."""
        return {"precision": self.precision(), "recall": self.recall(), "f": self.f()}

    @property
    def by_type(self) -> tuple[TypeScore, ...]:
        """The rates of each type, followed by those of all types together."""
        scores = []
        for name in (*self.types, None):
            names = self.types if name is None else (name,)
            counts = [sum(self._count(side, type_name) for type_name in names) for side in ("hypothesis", "reference")]
            rates = self.precision(name), self.recall(name), self.f(name)
            scores.append(TypeScore(name, *rates, sum(map(self._correct, names)), *counts))
        return tuple(scores)

    def __json__(self) -> dict[str, Any]:
        return entries_of(self) | {"types": [*self.types, None], "matrix": self.matrix}


@lru_cache(maxsize=4096)
def _part_name(part: str, *types: str) -> str:
    """Return ``matches[act]`` or ``substitutions[act>scene]``; ambiguous type names are quoted."""
    return f"{part}[{'>'.join(name if _PLAIN.fullmatch(name) else repr(name) for name in types)}]"


_PLAIN = re.compile(r"[^>'\"\[\]\s]+")
_TRUE_NEGATIVES = "true_negatives"
_PARTS_BY_TYPE = ("matches", "transpositions", "span", "hypothesis", "reference", "insertions", "deletions")


@lru_cache(maxsize=16)
def _part_names(types: tuple[str, ...]) -> tuple[str, ...]:
    by_type = [_part_name(part, name) for part in _PARTS_BY_TYPE for name in types]
    return (*by_type, *(_part_name("substitutions", x, y) for x in types for y in types), _TRUE_NEGATIVES)


def _marked_positions(batch: Batch) -> Ints:
    """Return the number of positions of each document that at least one side marks, with one or several types."""
    stride = int(batch.length.max(initial=0)) + 1
    keys, marked = [], np.zeros(batch.pairs, np.int64)
    for side in batch.boundaries():
        key = side.owner * stride + side.place  # ascending
        distinct = np.ones(len(key), bool)
        np.not_equal(key[1:], key[:-1], out=distinct[1:])
        keys.append(key[distinct])
        marked += np.diff(np.concatenate([[0], np.cumsum(distinct)])[side.off])
    a, b = keys
    shared = a[np.append(b, -1)[searchsorted(b, a)] == a]
    return marked - bincount(shared // stride, minlength=batch.pairs)


class BoundaryConfusion(EditDistanceMeasure):
    name = "boundary_confusion"
    title = "Boundary confusion matrix, B-precision, B-recall and B-F (Fournier 2013)"
    summary = "precision and recall of each type"
    short_name = "B-F"
    aliases = MappingProxyType({"F": {}, "B-F1": {}, "confusion": {}})
    denominator: str = option(
        "boundaries",
        choice("boundaries", "errors"),
        "divisor of the correctness: boundaries of a side, or correctness plus errors",
    )
    presets = MappingProxyType({"fournier2013": {"denominator": "errors"}})
    reversible = False  # with several types, the reversed text has the same cost, but counts may move between types
    score_class: ClassVar[type[Score]] = ConfusionScore

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return _part_names(types)

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats]:
        T = len(types)  # noqa: N806 - the paper's symbol
        columns = {part: counts[:, i * T : (i + 1) * T].sum(axis=1) for i, part in enumerate(_PARTS_BY_TYPE)}
        return columns["insertions"] + columns["deletions"], columns["transpositions"]

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        # With several types, the parts are not determined by the total cost.
        return super().expected_counts(types, sets) if len(types) == 1 else None

    def expected_parts(self, types: tuple[str, ...], edits: Floats) -> Counts:
        gain, pairs, matches, positions, reference, hypothesis = edits.T
        costs = self.costs(types)
        near, span = costs.split(pairs, 2 * pairs - gain / costs.scale).T[:2]
        paired = near + matches
        alone = hypothesis - paired, reference - paired
        true_negatives = positions - reference - hypothesis + matches
        return np.column_stack(
            [matches, near, span, hypothesis, reference, *alone, np.zeros(len(gain)), true_negatives]
        )

    def count(self, batch: Batch) -> BatchCounts:
        T = len(batch.types)  # noqa: N806
        out = np.zeros((batch.pairs, 7 * T + T * T + 1))
        a, b = batch.boundaries()
        kernel.confuse(*a, *b, self.partners(batch), T, out)
        marked = a.count + b.count - out[:, 0] if T == 1 else _marked_positions(batch)
        out[:, -1] = batch.length - 1 - marked
        return BatchCounts(out, {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        T = len(types)  # noqa: N806
        matches, near, span, hypothesis, reference, insertions, deletions = (
            counts[:, i * T : (i + 1) * T].sum(axis=1) for i in range(7)
        )
        costs = self.costs(types)
        near_cost, step = costs.transposition_cost(0), costs.per_position
        correct = matches + near * float(1 - near_cost) - span * step.numerator / step.denominator
        boundaries = hypothesis + reference
        divisor = 2 * correct + insertions + deletions if self.denominator == "errors" else boundaries
        # F is 1 if there is no boundary. With "errors" the divisor is also 0 if all boundaries are substituted; then F is 0.
        return divide(2 * correct, divisor, empty=np.where(boundaries > 0, 0.0, 1.0))


def boundary_confusion(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    n_t: int = 2,
    compat: str | None = None,
    transposition: str | None = None,
    substitution: str | None = None,
    w_trp: float | None = None,
    w_sub: float | None = None,
    denominator: str | None = None,
    **options: Any,
) -> ConfusionScore:
    """Compute the boundary confusion matrix, with B-precision, B-recall and B-F per type and over all types.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two segmentations to compare.
    n_t : int, default 2
        Transpositions span fewer than ``n_t`` positions.
    compat : {"fournier2013"}, optional
        Preset: ``denominator="errors"``, as in Table 2 of the 2013 paper.
    transposition : {"scaled", "printed", "unit"}, optional
        Cost of a transposition; see :func:`boundary_similarity`.
    substitution : {"scaled", "printed", "unit"}, optional
        Cost of a substitution; see :func:`boundary_similarity`.
    w_trp, w_sub : float, optional
        Weights from 0 to 1 (default) that multiply the costs of transpositions and substitutions.
    denominator : {"boundaries", "errors"}, optional
        Divisor of the correctness: the boundaries of a side (default), or correctness plus additions.
    **options : object
        Rare options: ``wt``, ``ws`` and ``alignment``, as for :func:`boundary_similarity`.

    Returns
    -------
    ConfusionScore
        Micro-averaged F1 over the boundary types ("no boundary" is not a type), ``score.matrix``,
        ``score.precision(type)``, ``score.recall(type)`` and ``score.f(type)``. A rate with divisor 0 is 1 if both sides
        are empty, and 0 otherwise.

    Notes
    -----
    Each pair of the edit distance adds its correctness, one minus its cost, to the cell (predicted, actual)::

        B-precision(t) = cell (t, t) / boundaries of type t in the hypothesis
        B-recall(t)    = cell (t, t) / boundaries of type t in the reference

    so the cost of a near miss lowers both. The last row and column of the matrix are "no boundary"; its last cell counts the
    inner positions without a boundary on either side (true negatives), which no rate uses.

    Equation 7 of the 2013 paper credits a near miss with its cost instead of its correctness; the two are equal only at
    n_t = 2. Table 2 divides by TP + FP and TP + FN and counts only additions as FP and FN. A boundary nine positions off
    then has precision 1 at n_t = 10. Use ``compat="fournier2013"`` for this variant.

    References
    ----------
    Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 3, 4])
    >>> score = boundary_confusion(reference, hypothesis)
    >>> score.precision(), score.recall()
    (0.5, 0.75)
    >>> score.matrix
    array([[1.5, 1. ],
           [0. , 6. ]])
    """
    costs = {"transposition": transposition, "substitution": substitution, "w_trp": w_trp, "w_sub": w_sub}
    measure = BoundaryConfusion.cached(compat, n_t=n_t, **costs, denominator=denominator, **options)
    return cast(ConfusionScore, measure.score(reference, hypothesis))
