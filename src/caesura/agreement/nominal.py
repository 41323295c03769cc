"""Krippendorff's alpha over positions, a common baseline that gives no credit for near misses.

The value that a coder gives to an inner position is the set of types there, which may be empty. If an item has m coders,
every position has m values and m (m - 1) ordered pairs of values. A pair has the weight 1 / (m - 1), so that every value
counts once (Krippendorff 2004, section 11.3). Let n be the number of all values, and n_v the number of values v::

    A_o = sum over positions of (pairs that agree) / (m - 1) / n        A_e = sum over v of n_v (n_v - 1) / (n (n - 1))

and alpha = (A_o - A_e) / (1 - A_e), which equals 1 - D_o / D_e. Coders may be missing for some items. At most positions
no coder places a boundary, which increases alpha. Therefore also report coefficients based on B.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from caesura.agreement.chance import AgreementArrays, ChanceModel, Coefficient, in_blocks
from caesura.agreement.coder_pairs import CoderPairs
from caesura.engines import Engine
from caesura.measures.batch import inner_boundaries
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats, Ints
from caesura.products import product


class NominalChance(ChanceModel):
    """Chance model of alpha, computed from the segmentations only; the scores in ``observed`` are not used.

    Parameters
    ----------
    observed : CoderPairs
        Pairs of coders with their segmentations.
    coefficient : Coefficient
        The coefficient.
    engine : Engine
        Not used.
    """

    family = "nominal"
    coefficients = ("alpha",)
    uses_measure = False

    def __init__(self, observed: CoderPairs, coefficient: Coefficient, engine: Engine) -> None:
        super().__init__(observed, coefficient, engine)
        items, pairs = len(observed.items), len(observed.pairs)
        self._pair_numbers = {pair: k for k, pair in enumerate(observed.pairs)}
        self._positions = np.zeros(items)
        self._matches = np.zeros(items)  # pairs of values that agree; each pair of coders counts once
        # The same for each pair: one row per item, or all items in one row if every coder annotated every item.
        self._pair_matches = np.zeros((1 if observed.complete else items, pairs))
        *cells, counts = np.array([entry for i in range(items) for entry in self._count(i)], np.int64).T
        # How often each coder gave each value: items x coders x values, the empty set first.
        self._counts = np.zeros((items, len(observed.coders), len(self._value_codes)))
        np.add.at(self._counts, tuple(cells), counts.astype(float))
        self._weighted_matches = 2 * self._matches / (observed.present.sum(axis=1) - 1)

    @cached_property
    def _value_codes(self) -> dict[bytes, int]:
        """Set of types -> its code. The empty set is 0; if there is only one type, a boundary is 1."""
        return {b"": 0} | ({b"boundary": 1} if len(self._types) == 1 else {})

    @cached_property
    def _types(self) -> tuple[str, ...]:
        """Types that occur. Their order does not matter to a nominal coefficient, so it need not be declared."""
        texts = (text for key in self.observed.annotations for text in self.observed.streams(*key))
        return tuple(sorted({name for text in texts for _, name in text.boundaries})) or UNTYPED

    def _count(self, i: int) -> list[tuple[int, int, int, int]]:
        """Count the matches of item i, and return how often each coder gave each value: (item, coder, value, count)."""
        coders = np.flatnonzero(self.observed.present[i]).tolist()
        observed = self.observed
        texts = [observed.streams(observed.items[i], observed.coders[j]) for j in coders]
        codes = np.concatenate([self._codes(stream) for stream in zip(*texts, strict=True)], axis=1)
        self._positions[i] = sum(text.length - 1 for text in texts[0])
        unmarked = int(self._positions[i]) - codes.shape[1]
        counts = []
        for row, coder in enumerate(coders):
            counts += [(i, coder, value, n) for value, n in enumerate(np.bincount(codes[row]).tolist()) if n]
            counts.append((i, coder, 0, unmarked))
            matches = (codes[row + 1 :] == codes[row]).sum(axis=1) + unmarked
            self._matches[i] += matches.sum()
            places = [self._pair_numbers[coder, partner] for partner in coders[row + 1 :]]
            self._pair_matches[0 if self.observed.complete else i, places] += matches
        return counts

    def _codes(self, segmentations: tuple[Segmentation, ...]) -> Ints:
        """Return the codes of all coders at the positions of a text with a mark: coders x positions."""
        positions = np.unique(np.concatenate([entry.inner for entry in segmentations]))
        codes = np.zeros((len(segmentations), len(positions)), np.int64)
        for row, segmentation in enumerate(segmentations):
            values: int | list[int] = 1
            if len(self._types) > 1:
                marks, types = inner_boundaries(segmentation, self._types)
                sets = np.split(types, np.flatnonzero(np.diff(marks)) + 1) if len(types) else []
                known = self._value_codes
                values = [known.setdefault(types_here.tobytes(), len(known)) for types_here in sets]
            codes[row, np.searchsorted(positions, segmentation.inner)] = values
        return codes

    def over_items(self, weights: Floats) -> AgreementArrays:
        return _arrays(product(weights, self._weighted_matches), weights @ self._counts.sum(axis=1))

    def by_item(self) -> AgreementArrays:
        return _arrays(self._weighted_matches, self._counts.sum(axis=1))

    def over_coders(self, weights: Floats) -> AgreementArrays:
        return in_blocks(self._block, weights, len(self.observed.pairs) + len(self.observed.items))

    def _block(self, rows: Floats) -> AgreementArrays:
        """Weight the pairs of an item so that each value counts once, even if the bootstrap draws a coder twice."""
        observed = self.observed
        pairs, usable = observed.pair_weights(rows), observed.usable_items(rows)
        counts = np.einsum("ri,icv,rc->rv", usable, self._counts, rows, optimize=True)
        if observed.complete:
            return _arrays(product(pairs, self._pair_matches[0]) * rows.sum(axis=1) / pairs.sum(axis=1), counts)
        m, weight = rows @ observed.present.T, pairs @ observed.shared.T.astype(float)  # rows x items
        factor = np.where(weight > 0, usable * m / np.where(weight > 0, weight, 1), 0)
        return _arrays((product(pairs, self._pair_matches.T) * factor).sum(axis=1), counts)

    def by_pair(self) -> AgreementArrays:
        return in_blocks(self._by_pair_block, np.arange(len(self.observed.pairs)), self._counts[:, 0].size)

    def _by_pair_block(self, pairs: Ints) -> AgreementArrays:
        observed = self.observed
        usable = observed.both_present(pairs).astype(float)
        sides = [self._counts[:, side[pairs]] for side in (observed.first, observed.second)]
        counts = sum(np.einsum("ip,ipv->pv", usable, side) for side in sides)
        matches = self._pair_matches[:, pairs]
        if not observed.complete:
            matches = matches * observed.shared[:, pairs]
        return _arrays(2 * matches.sum(axis=0), np.asarray(counts))

    def by_coder(self) -> AgreementArrays:
        # Chance agreement is computed from all coders.
        observed = self.observed
        compared = observed.sum_by_coder(observed.shared.T.astype(float) @ self._positions)
        matches = observed.sum_by_coder(self._pair_matches.sum(axis=0))
        expected = np.repeat(self.total().expected, len(observed.coders))
        return AgreementArrays.of(matches / np.where(compared > 0, compared, np.nan), expected)


def _arrays(matches: Floats, counts: Floats) -> AgreementArrays:
    n = counts.sum(axis=1)
    marked = counts[:, 1:].sum(axis=1) > 0
    expected = (counts * (counts - 1)).sum(axis=1) / np.where(marked, n * (n - 1), np.nan)
    return AgreementArrays.of(matches / np.where(n > 0, n, np.nan), expected)
