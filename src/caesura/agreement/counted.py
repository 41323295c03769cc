"""Chance agreement from how many boundaries coders placed (Fournier & Inkpen 2012, section 3.5).

Two coders who place boundaries of type t with probability P_t, wherever it may be, agree on one with the square of it;
"no boundary" is not a category. So for any similarity of boundaries

    pi, multi_pi         A_e = sum over t of P_t^2         P_t = boundaries of type t over all coders and items
                                                                 / positions over all of them (equation 8)
    kappa, multi_kappa   A_e = mean over pairs of coders of the sum over t of P_t(c) P_t(d)     (equations 11 and 15)
    bias                 A_e(pi) - A_e(kappa)                                                  (equation 16)

With coders missing on some items, P_t has each (coder, item) once, P_t(c) all items of c, and only pairs of coders who
share an item count. The bias is then no longer sure to be 0 or more.

Other conventions, which published figures need, are options: see ``Convention``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.observed import Observed
from caesura.errors import OptionError
from caesura.measures.batch import inner_boundaries

__all__ = ["PRESETS", "Convention", "Counted"]

Floats = NDArray[np.float64]

BLOCK = 4_000_000
"""Numbers that a block of rows may take at a time; only memory depends on it."""


@dataclass(frozen=True)
class Convention:
    """How boundaries are counted for chance."""

    counted: str = "boundaries"
    """``"segments"`` counts boundaries + 1, as the figures of 2012 and 2013 did against equation 8."""
    rates: str = "pooled"
    """``"mean"``: pi's probability is the mean over coders and items of boundaries / positions, long items or short."""
    types: str = "apart"
    """``"together"``: boundaries of all types over positions times types, one probability."""

    CHOICES: ClassVar = {
        "counted": ("boundaries", "segments"),
        "rates": ("pooled", "mean"),
        "types": ("apart", "together"),
    }

    @classmethod
    def of(cls, compat: str | None, **given: str | None) -> Convention:
        """A preset, with what was given in place of its own."""
        chosen = asdict(PRESETS[compat]) | {name: value for name, value in given.items() if value is not None}
        for name, value in chosen.items():
            if value not in cls.CHOICES[name]:
                allowed = " or ".join(map(repr, cls.CHOICES[name]))
                raise OptionError(f"{name} must be {allowed}; got {value!r}")
        return cls(**chosen)

    def words(self) -> list[str]:
        """For the signature: what is not at its default."""
        usual = Convention()
        return [
            f"{one.name}:{getattr(self, one.name)}"
            for one in fields(self)
            if getattr(self, one.name) != getattr(usual, one.name)
        ]


PRESETS: dict[str | None, Convention] = {
    None: Convention(),
    "fournier2012": Convention("segments", "pooled", "together"),
    "fournier2013": Convention("segments", "mean", "together"),
    "segeval-2.0.11": Convention("boundaries", "mean", "together"),
}


class Counted(Basis):
    """A ``Basis`` whose chance comes from boundary counts."""

    def __init__(self, observed: Observed, convention: Convention, kappa: bool) -> None:
        self.observed = observed
        self.convention = convention
        self.kappa = kappa

    @cached_property
    def boundaries(self) -> Floats:
        """How many boundaries each coder placed in each item: items x coders x types."""
        o = self.observed
        types = o.scores.types if o.measure.view == "typed" else o.scores.types[:1]
        out = np.zeros((len(o.items), len(o.coders), len(types)))
        for i, item in enumerate(o.items):
            for j, coder in enumerate(o.coders):
                one = o.text(item, coder)
                if one is None:
                    continue
                if len(types) > 1:
                    out[i, j] = np.bincount(inner_boundaries(one, types)[1], minlength=len(types))
                else:
                    out[i, j, 0] = one.inner.size
        return out

    @cached_property
    def positions(self) -> Floats:
        """Inner positions of each item, 0 for coders who did not code it: items x coders."""
        o = self.observed
        length = [next(o.cells[item, c].length for c in o.coders if (item, c) in o.cells) for item in o.items]
        return np.where(o.present, (np.array(length, float) - 1)[:, None], 0.0)

    @cached_property
    def cells(self) -> Floats:
        """What is summed, items x coders x (counts by type, positions, rates by type, cells, boundaries)."""
        b, n, present = self.boundaries, self.positions[:, :, None], self.observed.present[:, :, None]
        placed = b.sum(axis=2, keepdims=True)
        if self.convention.types == "together":
            n = n * b.shape[2]
            b = placed
        if self.convention.counted == "segments":
            b = b + present
        there = n > 0  # an item of one unit has no position, and no rate
        return np.concatenate([b, n, np.where(there, b / np.where(there, n, 1), 0), there, placed], axis=2)

    # -- chance ---------------------------------------------------------------------------------------------------

    def _chance(self, sums: Floats, coders: Floats, pairs: Floats) -> tuple[Floats, Floats]:
        """A_e and the bias, from cells summed over items (rows x coders x columns), weights of coders and of pairs."""
        T = (sums.shape[2] - 3) // 2  # noqa: N806
        b, n, rate, cells = sums[:, :, :T], sums[:, :, T : T + 1], sums[:, :, T + 1 : -2], sums[:, :, -2:-1]
        over = (b, n) if self.convention.rates == "pooled" else (rate, cells)
        part, whole = (np.einsum("rct,rc->rt", one, coders) for one in over)
        placed = np.einsum("rc,rc->r", sums[:, :, -1], coders) > 0
        P = part / np.where(placed, whole[:, 0], np.nan)[:, None]  # noqa: N806 - the paper's symbol
        # kappa's products as deviations from P: coders who place alike have a bias of exactly 0.
        there = n[:, :, 0] > 0
        deviation = np.where(there[:, :, None], b / np.where(there, n[:, :, 0], 1)[:, :, None] - P[:, None, :], 0)
        o = self.observed
        one, other = deviation[:, o.first], deviation[:, o.second]
        pairs = pairs * (there[:, o.first] & there[:, o.second])
        apart = np.einsum("rpt,rp->r", P[:, None, :] * (one + other) + one * other, pairs)
        weight = pairs.sum(axis=1)
        bias = -apart / np.where(weight > 0, weight, np.nan) + 0.0
        pi = (P * P).sum(axis=1)
        return (pi - bias if self.kappa else pi), bias

    def _figures(self, parts: Floats, chance: tuple[Floats, Floats]) -> Figures:
        expected, bias = chance
        return Figures(self.observed.similarity(parts), expected, np.zeros(len(expected)), bias)

    @cached_property
    def _shared(self) -> NDArray[np.bool_]:
        """Which pair shares which item: items x pairs."""
        here = self.observed.present
        return here[:, self.observed.first] & here[:, self.observed.second]

    @cached_property
    def _complete(self) -> bool:
        return bool(self.observed.present.all())

    def over_items(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        expected, bias = [], []
        flat = self.cells.reshape(len(o.items), -1)
        for rows in blocks(weights, max(len(o.items), len(o.pairs) * self.cells.shape[2])):
            sums = (rows @ flat).reshape(len(rows), *self.cells.shape[1:])
            if self._complete:
                pairs = np.ones((len(rows), len(o.pairs)))
            else:
                pairs = ((rows > 0).astype(float) @ self._shared > 0).astype(float)
            one = self._chance(sums, np.ones((len(rows), len(o.coders))), pairs)
            expected.append(one[0])
            bias.append(one[1])
        return self._figures(weights @ o.by_item, (np.concatenate(expected), np.concatenate(bias)))

    def over_coders(self, weights: Floats) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        parts, expected, bias = [], [], []
        flat = self.cells.reshape(len(o.items), -1)
        for rows in blocks(weights, max(len(o.items), len(o.pairs) * self.cells.shape[2])):
            kept = ((rows > 0).astype(float) @ o.present.T >= 2).astype(float)
            sums = (kept @ flat).reshape(len(rows), *self.cells.shape[1:])
            pairs = rows[:, o.first] * rows[:, o.second]
            one = self._chance(sums, rows, pairs)
            parts.append(pairs @ o.by_pair)
            expected.append(one[0])
            bias.append(one[1])
        return self._figures(np.concatenate(parts), (np.concatenate(expected), np.concatenate(bias)))

    def each_item(self) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        return self._figures(o.by_item, self._chance(self.cells, o.present.astype(float), self._shared.astype(float)))

    def each_coder(self) -> Figures:
        """See :class:`Basis`."""
        o = self.observed
        n = len(o.coders)
        mine = o.members.T
        sums = np.broadcast_to(self.cells.sum(axis=0), (n, *self.cells.shape[1:]))
        return self._figures(mine @ o.by_pair, self._chance(sums, np.ones((n, n)), mine))


def blocks(rows: Floats, width: int) -> list[Floats]:
    """The rows in blocks of bounded size."""
    step = max(1, BLOCK // max(1, width))
    return [rows[i : i + step] for i in range(0, len(rows), step)]
