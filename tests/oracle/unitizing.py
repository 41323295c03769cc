"""Krippendorff's alphas for unitizing, atom by atom and in fractions, as their equations say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, permutations

Unit = tuple[int, int, str]
GAP = None


def values_of_atoms(units: Sequence[Unit], begin: int, end: int) -> list[str | None]:
    """Return the value of every atom; spans do not overlap."""
    line: list[str | None] = [GAP] * (end - begin)
    for start, stop, category in units:
        for atom in range(start, stop):
            assert line[atom - begin] is GAP
            line[atom - begin] = category
    return line


def difference(c: str, k: str, metric: str) -> Fraction:
    """Return the squared difference of two values."""
    if metric == "nominal":
        return Fraction(c != k)
    a, b = Fraction(c), Fraction(k)
    if metric == "ratio":
        return ((a - b) / (a + b)) ** 2 if a + b else Fraction(0)
    return (a - b) ** 2


class Sums:
    """The sums of equations 1, 4 and 10, which add up over items."""

    def __init__(self) -> None:
        self.l: dict[tuple[str | None, str | None], Fraction] = {}
        self.q: dict[str | None, Fraction] = {}
        self.q_star: dict[str | None, Fraction] = {}

    def add(self, annotators: Mapping[str, Sequence[Unit]], begin: int, end: int) -> None:
        """Add one item."""
        m = len(annotators)
        lines = {name: values_of_atoms(units, begin, end) for name, units in annotators.items()}
        for i, j in permutations(annotators, 2):
            for c, k in zip(lines[i], lines[j], strict=True):
                self.l[c, k] = self.l.get((c, k), Fraction(0)) + Fraction(1, m - 1)
            for start, stop, category in annotators[i]:
                covered = sum(lines[j][atom - begin] is not GAP for atom in range(start, stop))
                self.q_star[category] = self.q_star.get(category, Fraction(0)) + Fraction(covered**2, m - 1)
        for name, units in annotators.items():
            for start, stop, category in units:
                self.q[category] = self.q.get(category, Fraction(0)) + (stop - start) ** 2
            self.q[GAP] = self.q.get(GAP, Fraction(0)) + lines[name].count(GAP)

    def row(self, c: str | None, values: Sequence[str | None]) -> Fraction:
        return sum((self.l.get((c, k), Fraction(0)) for k in values), Fraction(0))

    def expected(
        self, values: Sequence[str | None], squares: Mapping[str | None, Fraction]
    ) -> dict[tuple[str | None, str | None], Fraction] | None:
        """Return e_ck of equation 4, or None if its denominator is not positive."""
        rows = {c: self.row(c, values) for c in values}
        total = sum(rows.values(), Fraction(0))
        if not total:
            return None
        free = total - sum((squares.get(c, Fraction(0)) for c in values), Fraction(0)) / total
        if free <= 0:
            return None
        return {
            (c, k): (rows[c] * rows[k] - (squares.get(c, Fraction(0)) if c == k else 0)) / free
            for c in values
            for k in values
        }

    @property
    def values(self) -> list[str | None]:
        return list(dict.fromkeys(c for c, _ in self.l))

    @property
    def marked(self) -> list[str]:
        return [c for c in self.values if c is not GAP]

    def u_alpha(self) -> Fraction | None:
        """Equation 5a."""
        expected = self.expected(self.values, self.q)
        if expected is None:
            return None
        total = sum(self.l.values(), Fraction(0))
        return _alpha(
            total - sum(self.l.get((c, c), Fraction(0)) for c in self.values),
            total - sum(expected[c, c] for c in self.values),
        )

    def bar_u_alpha(self) -> Fraction | None:
        """Equation 6."""
        expected = self.expected(self.values, self.q)
        if expected is None or GAP not in self.values:
            return None
        observed = self.row(GAP, self.values) - self.l.get((GAP, GAP), Fraction(0))
        return _alpha(observed, sum((expected[GAP, k] for k in self.values if k is not GAP), Fraction(0)))

    def cu_alpha(self, metric: str = "nominal") -> Fraction | None:
        """Equations 10 and 11."""
        expected = self.expected(self.marked, self.q_star)
        if expected is None:
            return None
        pairs = [(c, k) for c in self.marked for k in self.marked]
        observed = sum((self.l.get((c, k), Fraction(0)) * difference(c, k, metric) for c, k in pairs), Fraction(0))
        return _alpha(observed, sum((expected[c, k] * difference(c, k, metric) for c, k in pairs), Fraction(0)))

    def ku_alpha(self, category: str, metric: str = "nominal") -> Fraction | None:
        """Equation 13."""
        expected = self.expected(self.marked, self.q_star)
        row = self.row(category, self.marked)
        if expected is None or not row:
            return None
        differences = {c: difference(category, c, metric) for c in self.marked}
        observed = sum((self.l.get((category, c), Fraction(0)) * d for c, d in differences.items()), Fraction(0))
        chance = sum((expected[category, c] * d for c, d in differences.items()), Fraction(0))
        return _alpha(observed / row * sum(expected[category, c] for c in self.marked), chance)

    def coverage(self, category: str) -> Fraction:
        return self.row(category, self.marked) / self.row(category, self.values)


def _alpha(observed: Fraction, expected: Fraction) -> Fraction | None:
    return 1 - observed / expected if expected > 0 else None


def alpha_u_2004(annotators: Mapping[str, Sequence[Unit]], begin: int, end: int) -> Fraction | None:
    """Krippendorff 1995 and 2004, over all categories."""
    observed, expected = Fraction(0), Fraction(0)
    for category in sorted({unit[2] for units in annotators.values() for unit in units}):
        sections = {
            name: _sections([unit for unit in units if unit[2] == category], begin, end)
            for name, units in annotators.items()
        }
        observed += _observed_2004(sections, end - begin)
        expected += _expected_2004(sections, end - begin)
    return _alpha(observed, expected)


def _sections(units: Sequence[Unit], begin: int, end: int) -> list[tuple[int, int, bool]]:
    """Return all units, and the gaps between them, as (start, end, is a unit)."""
    owner: list[int | None] = [None] * (end - begin)
    for number, (start, stop, _) in enumerate(units):
        for atom in range(start, stop):
            owner[atom - begin] = number
    sections, place = [], begin
    for number, atoms in groupby(owner):
        length = len(list(atoms))
        sections.append((place, place + length, number is not None))
        place += length
    return sections


def _observed_2004(sections: Mapping[str, list[tuple[int, int, bool]]], length: int) -> Fraction:
    total = 0
    for i, j in permutations(sections, 2):
        for g in sections[i]:
            for h in sections[j]:
                if max(g[0], h[0]) >= min(g[1], h[1]):
                    continue
                if g[2] and h[2]:
                    total += (g[0] - h[0]) ** 2 + (g[1] - h[1]) ** 2
                elif g[2] and h[0] <= g[0] and g[1] <= h[1]:
                    total += (g[1] - g[0]) ** 2
                elif h[2] and g[0] <= h[0] and h[1] <= g[1]:
                    total += (h[1] - h[0]) ** 2
    m = len(sections)
    return Fraction(total, m * (m - 1) * length**2)


def _expected_2004(sections: Mapping[str, list[tuple[int, int, bool]]], length: int) -> Fraction:
    units = [stop - start for line in sections.values() for start, stop, is_unit in line if is_unit]
    gaps = [stop - start for line in sections.values() for start, stop, is_unit in line if not is_unit]
    m = len(sections)
    total = Fraction(0)
    for unit in units:
        total += Fraction((len(units) - 1) * (2 * unit**3 - 3 * unit**2 + unit), 3)
        total += unit**2 * sum(gap - unit + 1 for gap in gaps if gap >= unit)
    return Fraction(2, length) * total / (m * length * (m * length - 1) - sum(unit * (unit - 1) for unit in units))
