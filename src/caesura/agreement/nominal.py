"""Krippendorff's alpha over positions: the familiar baseline, without credit for near misses.

The value that a coder gives to an inner position is the set of types there, the empty set too. With m coders of an item,
every position has m values and m (m - 1) ordered pairs of them; a pair weighs 1 / (m - 1), so that every value counts
once (Krippendorff 2004, section 11.3). Over all n values, n_v of them v,

    A_o = sum over positions of (pairs that agree) / (m - 1) / n        A_e = sum over v of n_v (n_v - 1) / (n (n - 1))

and alpha = (A_o - A_e) / (1 - A_e), which is 1 - D_o / D_e. Items may lack coders. Since most positions of a text are
empty for everybody, and most coders agree on that, look at B-based coefficients too.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.counted import blocks
from caesura.agreement.observed import Observed
from caesura.measures.batch import inner_boundaries
from caesura.model.segmentation import sort_types

__all__ = ["Nominal"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Nominal(Basis):
    """A ``Basis`` for alpha; what ``observed`` has of a measure is not looked at."""

    def __init__(self, observed: Observed) -> None:
        self.observed = observed
        o = observed
        self.positions = np.zeros(len(o.items))
        self.agree = np.zeros(len(o.items))
        """Per item: pairs of values that agree, each pair of coders once."""
        self.by_pair = np.zeros((len(o.items), len(o.pairs))) if self._ragged else np.zeros((1, len(o.pairs)))
        """The same pair by pair: a row an item, or all items in one row where everybody coded everything."""
        values: dict[bytes, int] = {b"": 0}
        self.types = self._types()
        if len(self.types) == 1:
            values[b"marked"] = 1
        counts: list[tuple[int, int, int, int]] = []
        number = {pair: k for k, pair in enumerate(o.pairs)}
        for i, item in enumerate(o.items):
            who = np.flatnonzero(o.present[i])
            at, codes, length = self._codes(item, who, values)
            self.positions[i] = length - 1
            for row, j in enumerate(who.tolist()):
                seen, times = np.unique(codes[row], return_counts=True)
                counts += [(i, j, v, n) for v, n in zip(seen.tolist(), times.tolist(), strict=True)]
                counts.append((i, j, 0, length - 1 - len(at)))
            for row, j in enumerate(who.tolist()[:-1]):
                same = (codes[row + 1 :] == codes[row]).sum(axis=1) + (length - 1 - len(at))
                self.agree[i] += same.sum()
                places = [number[j, k] for k in who.tolist()[row + 1 :]]
                self.by_pair[i if self._ragged else 0, places] += same
        self.counts = np.zeros((len(o.items), len(o.coders), len(values)))
        """How often each coder gave each value: items x coders x values, the empty set first."""
        np.add.at(self.counts, tuple(np.array(counts, np.int64).T[:3]), np.array([n for *_, n in counts], float))

    def _types(self) -> tuple[str, ...]:
        """Those of the measure or, if it looks at none, those that occur."""
        o = self.observed
        if o.measure.view == "typed":
            return o.scores.types
        texts = (o.text(item, coder) for item, coder in o.cells)
        return sort_types({name for one in texts if one is not None for _, name in one.boundaries}) or o.scores.types

    def _codes(self, item: str, who: Ints, values: dict[bytes, int]) -> tuple[Ints, Ints, int]:
        """Positions that anyone marked, and the value of each coder there: coders x positions."""
        o = self.observed
        texts = [one for j in who if (one := o.text(item, o.coders[j])) is not None]
        at = np.unique(np.concatenate([one.inner for one in texts]))
        codes = np.zeros((len(texts), len(at)), np.int64)
        for row, one in enumerate(texts):
            given: int | list[int] = 1
            if len(self.types) > 1:
                positions, kinds = inner_boundaries(one, self.types)
                sets = np.split(kinds, np.flatnonzero(np.diff(positions)) + 1) if len(kinds) else []
                given = [values.setdefault(each.tobytes(), len(values)) for each in sets]
            codes[row, np.searchsorted(at, one.inner)] = given
        return at, codes, texts[0].length

    @cached_property
    def _ragged(self) -> bool:
        return not bool(self.observed.present.all())

    def _figures(self, agree: Floats, counts: Floats) -> Figures:
        n = counts.sum(axis=1)
        marked = counts[:, 1:].sum(axis=1) > 0
        expected = (counts * (counts - 1)).sum(axis=1) / np.where(marked, n * (n - 1), np.nan)
        return Figures(agree / np.where(n > 0, n, np.nan), expected, np.zeros(len(n)))

    @cached_property
    def _m(self) -> Floats:
        m: Floats = self.observed.present.sum(axis=1).astype(np.float64)
        return m

    def over_items(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        return self._figures(weights @ (2 * self.agree / (self._m - 1)), weights @ self.counts.sum(axis=1))

    def each_item(self) -> Figures:
        """See :class:`Basis`."""
        return self._figures(2 * self.agree / (self._m - 1), self.counts.sum(axis=1))

    def over_coders(self, weights: Floats) -> Figures:
        """See :class:`Basis`. Pairs of an item weigh so that each value counts once, also where coders are drawn twice."""
        o = self.observed
        out = []
        for rows in blocks(weights, len(o.pairs) + len(o.items)):
            kept = ((rows > 0).astype(float) @ o.present.T >= 2).astype(float)
            pairs = rows[:, o.first] * rows[:, o.second]
            counts = np.einsum("ri,icv,rc->rv", kept, self.counts, rows, optimize=True)
            if self._ragged:
                shared = (o.present[:, o.first] & o.present[:, o.second]).astype(float)
                m, whole = rows @ o.present.T, pairs @ shared.T  # rows x items
                share = np.where(whole > 0, kept * m / np.where(whole > 0, whole, 1), 0)
                agree = ((pairs @ self.by_pair.T) * share).sum(axis=1)
            else:
                agree = pairs @ self.by_pair[0] * rows.sum(axis=1) / pairs.sum(axis=1)
            out.append(self._figures(agree, counts))
        return Figures(
            *(np.concatenate([getattr(one, name) for one in out]) for name in ("observed", "expected", "error"))
        )

    def each_coder(self) -> Figures:
        """See :class:`Basis`. Chance is that of everybody."""
        o = self.observed
        n = len(o.coders)
        mine = o.members.T
        shared = (o.present[:, o.first] & o.present[:, o.second]).astype(float)
        compared = mine @ (shared.T @ self.positions)
        agree = mine @ self.by_pair.sum(axis=0)
        whole = self.total().expected
        return Figures(agree / np.where(compared > 0, compared, np.nan), np.repeat(whole, n), np.zeros(n))
