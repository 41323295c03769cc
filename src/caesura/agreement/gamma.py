"""Gamma, gamma-cat and gamma-k: agreement on spans with gaps, overlaps and categories.

With u, v units, D = delta_empty, n annotators, C2 = n (n - 1) / 2 and a mean of x units per annotator (Mathet et al. 2015)::

    d_pos(u, v) = ((|s_u - s_v| + |e_u - e_v|) / ((e_u - s_u) + (e_v - s_v)))^2 D
    d_cat(u, v) = distance of the categories, from 0 to 1, times D
    d(u, v)     = alpha d_pos + beta d_cat;   d = D if one of the two is empty, or both

A unitary alignment has at most one unit of each annotator; its disorder is the mean of d over all C2 pairs. An alignment
contains every unit once; its disorder is the sum over its unitary alignments divided by x. The observed disorder is that of the
best alignment, which :mod:`caesura.agreement.unitary` finds exactly. The expected disorder is the mean over random continua
(:mod:`caesura.agreement.gamma_chance`). ::

    gamma = 1 - observed disorder / expected disorder

gamma-cat and gamma-k (Mathet 2017) look at the categories in the best alignment. In a unitary alignment of v >= 2 units, each
pair has the weight w = max(0, 1 - d_pos / D) / (v - 1), and ::

    delta_cat = sum of w times the distance of the categories / sum of w
    gamma-cat = 1 - delta_cat / mean delta_cat of the random continua

gamma-k(c) uses only pairs with at least one unit of category c.

Over several items, disorders are weighted with x (gamma) or with the sum of w (gamma-cat, gamma-k), so that long items count
more, and chance stays inside an item.

References
----------
- Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma for inter-annotator agreement
  measure and alignment. Computational Linguistics 41.
- Mathet, Y. (2017). The agreement measure gamma-cat: a complement to gamma focused on categorization of a continuum.
  Computational Linguistics 43.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.agreement.gamma_alignment import ItemAlignment
from caesura.agreement.gamma_family import HEAD_PARTS, NO_DISORDER, GammaFamily, tabled_categories
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import Disorders, Plan, categories_of
from caesura.engines import Engine
from caesura.errors import LimitError
from caesura.model.corpus import Corpus
from caesura.model.value import Floats
from caesura.notices import warn
from caesura.options import setting, text


@dataclass(frozen=True)
class Gamma(GammaFamily):
    """Gamma of Mathet, Widlöcher & Métivier (2015): agreement on positions and categories of spans.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma"`` means ``Gamma()``. Spans may leave gaps, overlap,
    nest and occur twice. 1 is full agreement, 0 is what shifted annotations reach; there is no lower limit.
    :mod:`caesura.agreement.gamma` has the equations.
    """

    name = "gamma"
    title = "gamma"
    always_shown = ("alpha", "beta", "delta_empty")

    def reason(self, parts: Floats, plan: Plan) -> str:
        reason = super().reason(parts, plan)
        return f"{reason}: random samples agree completely" if reason == NO_DISORDER else reason

    def _range(self, total: Floats) -> str:
        if total[8] <= 0:
            return ""
        ends = 1 - total[0] / total[8], 1 - total[6] / total[2]
        return f"; with the best alignments, it would be between {ends[0]:.3f} and {ends[1]:.3f}"


@dataclass(frozen=True)
class GammaCat(GammaFamily):
    """Gamma-cat of Mathet (2017): agreement on the categories of spans that the best alignment puts together.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma_cat"`` means ``GammaCat()``. The table ``categories``
    of the result has gamma-k, one row per category. :mod:`caesura.agreement.gamma` has the equations.
    """

    name = "gamma_cat"
    title = "gamma-cat"
    category_label = "gamma-k"
    of_categories = True
    always_shown = ("alpha", "beta", "delta_empty")

    def _tables(self, plan: Plan) -> int:
        return tabled_categories(plan)

    def category_table(self, parts: Floats, plan: Plan) -> list[tuple[float | None, float | None, str | None]]:
        table: list[tuple[float | None, float | None, str | None]] = []
        if not self._tables(plan) and plan.categories:
            warn(f"{self.name}: the values of the {len(plan.categories):,} categories are left out, {_TOO_MANY}")
        for k in range(self._tables(plan)):
            value = float(self._of_category(parts[None], k).values[0])
            reason = _no_value(parts[HEAD_PARTS + 3 * k + 1])
            table.append((None, None, reason) if math.isnan(value) else (value, None, None))
        return table

    def _of_category(self, parts: Floats, k: int) -> Disorders:
        return self._finish(*(parts[:, HEAD_PARTS + 3 * k + i] for i in range(3)))

    def reason(self, parts: Floats, plan: Plan) -> str:
        reason = super().reason(parts, plan)
        return _no_value(parts[1]) if reason == NO_DISORDER else reason


_TOO_MANY = "because there are too many categories for so many items; choose fewer categories"


def _no_value(weight: float) -> str:
    if weight <= 0:
        return (
            "in the annotations or in the random samples, no span is aligned with a span of another coder closely enough "
            "to have weight"
        )
    return "expected disorder is 0: there is only one category"


@dataclass(frozen=True)
class GammaK(GammaCat):
    """Gamma-k of Mathet (2017): agreement on one category in the best alignment.

    A value for ``agreement(..., coefficient=...)``; the string ``"gamma_k"`` means ``GammaK()``. Its value is that of the
    option ``category``. Without this option it is the value of all categories together, which is gamma-cat.
    """

    name = "gamma_k"
    title = "gamma-k"

    category: str | None = setting(None, text, "The category k (default: all categories together, which is gamma-cat).")

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        if self.category is None:
            return super().finish(parts, plan)
        if not self._tables(plan):
            raise LimitError(f"{self.name}: category {self.category!r} has no value of its own, {_TOO_MANY}")
        return self._of_category(parts, plan.place_of(self.category))

    def needed_parts(self, parts: Floats) -> Floats:
        return parts if self.category is not None else super().needed_parts(parts)

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        fields = super().extras(items, parts, plan, engine)
        if self.category is not None:  # the parts of one category have no variance
            fields |= {"sampling_interval": None, "expected_error": 0.0, "standard_error": 0.0}
        return fields

    def reason(self, parts: Floats, plan: Plan) -> str:
        if self.category is None or not parts[4] > 0:
            return super().reason(parts, plan)
        return f"category {self.category!r}: {_no_value(parts[HEAD_PARTS + 3 * plan.place_of(self.category) + 1])}"


def best_span_alignment(corpus: Corpus, coefficient: Gamma | None = None) -> Mapping[str, ItemAlignment]:
    """Return the best alignment of the coders' spans for each item, without chance.

    Parameters
    ----------
    corpus : Corpus
        Spans of at least two coders.
    coefficient : Gamma, optional
        Weights and distances (default: those of :class:`Gamma`).

    Returns
    -------
    mapping of str to ItemAlignment
        Item -> alignment; items that fewer than two coders annotated are left out.

    Examples
    --------
    >>> import caesura as cz
    >>> corpus = cz.Corpus({"text": {"ann": cz.Spans([(0, 4), (6, 9)]), "bo": cz.Spans([(0, 5)])}})
    >>> [unitary.units for unitary in best_span_alignment(corpus)["text"].unitary][1]
    (MarkedSpan(start=6.0, end=9.0, category=None), None)
    """
    chosen = coefficient or Gamma()
    items, _ = unitized_items(corpus, chosen.bounds)
    return align_items(items, chosen)


def align_items(items: Sequence[UnitizedItem], coefficient: Gamma) -> Mapping[str, ItemAlignment]:
    return coefficient.align(items, Plan(categories_of(items), 0))
