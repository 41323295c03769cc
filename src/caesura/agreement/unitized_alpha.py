"""Krippendorff's alphas for unitizing, by exact sums over the overlaps of spans.

Positions are atoms: characters, tokens or frames. Times in seconds need the option ``atom``, because none of these
coefficients is free of the scale: a gap enters with its length, a span with the square of its length.

With m coders, a line of L atoms per coder, and values c, k that include the gap, written 0 (Krippendorff et al. 2016)::

    l_ck = sum over coders i, j != i, of the length that i marked c and j marked k / (m - 1)         eq. 1
    l_c. = sum over k of l_ck;   l.. = m L
    q_c  = sum over spans of value c of the squared length;  q_0 = l_0.;  Q = sum of q_c
    e_ck = (l_c. l_.k - [c = k] q_c) / (l.. - Q / l..)                                                eq. 4
    u-alpha   = 1 - (l.. - sum l_cc) / (l.. - sum e_cc)                                               eq. 5a
    |u-alpha  = 1 - (l_0. - l_00) / (e_0. - e_00)                                                     eq. 6
    cu-alpha  = the same over values without the gap, with l*_c. = l_c. - l_c0 and                    eq. 10, 11
                q*_c = sum over i, j != i, spans g of i with value c, of the squared length of g that j covers / (m - 1)
    (k)u-alpha = 1 - (e*_k. / l*_k.) (l*_k. - l_kk) / (e*_k. - e*_kk)                                 eq. 13b

The terms q cancel in l.. - sum e_cc, which is l.. sum l_c. (l.. - l_c.) / (l..^2 - Q). It is computed in this form, so that
it is exactly 0 if all coders used one value and left no gap.

References
----------
- Krippendorff, K. (1995). On the reliability of unitizing continuous data. Sociological Methodology 25.
- Krippendorff, K. (2004). Content analysis. Sage. Page 254.
- Krippendorff, K., Mathet, Y., Bouvry, S., & Widlöcher, A. (2016). On the reliability of unitizing textual continua. Quality &
  Quantity 50.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitized import UnitizedItem
from caesura.agreement.unitizing import NOTHING_MARKED, Disorders, Job, Plan, UnitizingCoefficient
from caesura.engines import Engine
from caesura.errors import InputError, OptionError, SpansError
from caesura.kernels.unitizing import section_overlaps, unit_differences
from caesura.memory import check_memory
from caesura.model.index import argsort, bincount, flatnonzero, reduceat, repeat, searchsorted
from caesura.model.spans import Spans
from caesura.model.value import Floats, Ints
from caesura.options import choice, positive, setting, text
from caesura.products import product

METRICS = ("nominal", "interval", "ratio")
_MAX_ATOMS = 2**62
_MAX_NUMBERS = 500_000  # numbers that one task computes
_CELL_BYTES = 100  # for each category of a group of coders: five parts, twice
_ROUNDING = 1e-12  # relative size below which a difference of two sums is 0


class _Line(NamedTuple):
    """The spans of one coder in atoms, sorted."""

    starts: Ints
    ends: Ints
    codes: Ints

    @property
    def lengths(self) -> Floats:
        return np.asarray(self.ends - self.starts, np.float64)


def _line(coder: str, spans: Spans, atom: float | None, codes: dict[str | None, int]) -> _Line:
    """Return the spans in atoms, or raise an error if a position is not a whole number or a span has no atoms."""
    starts, ends = (_atoms(coder, spans, column, atom) for column in (spans.starts, spans.ends))
    empty = starts >= ends
    if empty.any():
        i = int(empty.argmax())
        size = "" if atom is None else f" of {atom:g}"
        raise SpansError(f"coder {coder!r}: spans[{i}] ({spans.spans[i]}) has no atoms{size}; remove it")
    places = np.array([codes[name] for name in spans.category_names], np.int64)
    return _Line(starts, ends, places[spans.codes])


def _atoms(coder: str, spans: Spans, positions: Floats, atom: float | None) -> Ints:
    scaled = positions if atom is None else np.rint(positions / atom)
    broken = scaled % 1 != 0
    if broken.any():
        i = int(broken.argmax())
        hint = "set atom= to the length of an atom, such as atom=0.01"
        raise SpansError(f"coder {coder!r}: spans[{i}] ({spans.spans[i]}) must have whole positions; {hint}")
    if np.abs(scaled).max(initial=0) > _MAX_ATOMS:
        raise SpansError(f"coder {coder!r}: a position is larger than {_MAX_ATOMS} atoms; choose a larger atom=")
    return scaled.astype(np.int64)


class _Lines(NamedTuple):
    """The spans of several items in atoms: a line for each item and coder, one after the other."""

    # ``first`` has the first span of each line, and the number of all spans; ``valid`` says whether the spans of a line are
    # whole atoms that do not overlap.

    starts: Ints
    ends: Ints
    codes: Ints
    first: Ints
    valid: NDArray[np.bool_]
    edges: Floats

    @classmethod
    def of(cls, items: Sequence[UnitizedItem], atom: float | None, codes: dict[str | None, int]) -> _Lines:
        spans = [spans for item in items for spans in item.annotations.values()]
        sizes = np.array([len(part.categories) for part in spans])
        first = np.concatenate(([0], np.cumsum(sizes)))
        owner = repeat(np.arange(len(spans)), sizes)
        positions = np.array([np.concatenate([getattr(part, name) for part in spans]) for name in ("starts", "ends")])
        scaled = positions if atom is None else np.rint(positions / atom)
        wrong = ((scaled % 1 != 0) | (np.abs(scaled) > _MAX_ATOMS)).any(axis=0) | (scaled[0] >= scaled[1])
        wrong[1:] |= (scaled[0, 1:] < scaled[1, :-1]) & (owner[1:] == owner[:-1])
        valid = bincount(owner, wrong, len(spans)) == 0
        starts, ends = np.where(wrong, 0, scaled).astype(np.int64)
        names = np.array([codes[name] for part in spans for name in part.category_names], np.int64)
        before = np.cumsum([0, *(len(part.category_names) for part in spans[:-1])])  # names of earlier lines
        labels = names[np.concatenate([part.codes for part in spans]) + before[owner]]
        edges = np.full((2, len(spans)), np.nan)
        marked = flatnonzero(sizes)
        if len(marked):
            edges[:, marked] = positions[0, first[marked]], reduceat(np.maximum, positions[1], first[marked])
        return cls(starts, ends, labels, first, valid, edges)

    def atoms(self, coder_in: Floats, bounds: Sequence[tuple[float, float] | None], atom: float | None) -> Floats:
        known = np.array([(math.nan, math.nan) if pair is None else pair for pair in bounds])
        starts, ends = self.edges.reshape(2, len(bounds), 1, -1)
        member = coder_in > 0
        low = np.where(member & ~np.isnan(starts), starts, np.inf).min(axis=2)
        high = np.where(member & ~np.isnan(ends), ends, -np.inf).max(axis=2)
        nothing = low > high  # nobody in the group marked anything
        low, high = np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)
        low = np.where(np.isnan(known[:, :1]), low, known[:, :1])
        high = np.where(np.isnan(known[:, 1:]), high, known[:, 1:])
        return np.asarray(high - low if atom is None else np.rint(high / atom) - np.rint(low / atom))

    def lengths(self, categories: int) -> Floats:
        """Return length, squared length and number of the spans of each line by category: lines x 3 x categories."""
        lines, sizes = len(self.first) - 1, (self.ends - self.starts).astype(float)
        place = repeat(np.arange(lines), np.diff(self.first)) * categories + self.codes
        columns = [bincount(place, weights, lines * categories) for weights in (sizes, sizes**2, None)]
        return np.stack(columns, axis=0).reshape(3, lines, categories).swapaxes(0, 1).astype(float)

    def overlaps(self, pairs: Ints, values: Floats, metric: int) -> Floats:
        """Return the sums of ``kernels.unitizing.section_overlaps`` for pairs of lines."""
        out = np.zeros((len(pairs), 7, len(values)))
        section_overlaps(
            self.starts, self.ends, self.codes, self.first, np.ascontiguousarray(pairs), values, metric, out
        )
        return out


def _refuse_overlap(coder: str, spans: Spans, places: Ints, line: _Line, rule: str) -> None:
    """Raise an error that names two spans of a coder that overlap; ``places`` are their places in ``spans``."""
    overlap = line.starts[1:] < line.ends[:-1]
    if overlap.any():
        i = int(overlap.argmax())
        pair = " and ".join(f"spans[{k}] ({spans.spans[k]})" for k in places[i : i + 2])
        raise SpansError(f"coder {coder!r}: {pair} overlap; {rule}")


def _length(bounds: tuple[float, float], atom: float | None) -> float:
    """Return the number of atoms between two positions."""
    first, last = bounds
    length = last - first if atom is None else np.rint(last / atom) - np.rint(first / atom)
    if length % 1:
        raise SpansError(
            f"the item must have a whole number of atoms; its bounds are {first:.10g}-{last:.10g}; set atom="
        )
    return float(length)


@dataclass(frozen=True)
class _Alpha(UnitizingCoefficient):
    """A coefficient in atoms."""

    atom: float | None = setting(
        None, positive, "Length of an atom, such as 0.01 seconds (default: positions must be whole numbers)."
    )

    def _check_categories(self, plan: Plan) -> None:
        cells = plan.groups * len(plan.categories)
        what = f"{self.name} of {len(plan.categories):,} categories in {plan.items:,} items"
        check_memory(what, _CELL_BYTES * cells, "choose fewer items, categories or coders, or gamma")


class _Sums(NamedTuple):
    """Parts of the coefficients of 2016, each an array with one row per selection of items."""

    # ``total`` is l.., ``spans`` the number of spans, ``crossing`` l.. - sum l_cc, ``margin`` l_0. - l_00; by category:
    # ``length`` l_c., ``squares`` q_c, ``shared`` l*_c., ``shared_squares`` q*_c, and ``confused`` the observed disagreement.

    total: Floats
    spans: Floats
    crossing: Floats
    margin: Floats
    length: Floats
    squares: Floats
    shared: Floats
    shared_squares: Floats
    confused: Floats

    @classmethod
    def of(cls, parts: Floats, categories: int) -> _Sums:
        columns = [parts[:, i] for i in range(4)]
        by_category = [parts[:, 4 + i * categories : 4 + (i + 1) * categories] for i in range(5)]
        return cls(*columns, *by_category)


@dataclass(frozen=True)
class _Alpha2016(_Alpha):
    """A coefficient of Krippendorff et al. (2016); all of them have the same parts."""

    category_label = "(k)u-alpha"

    @property
    def _metric(self) -> str:
        return "nominal"

    def item_parts(self, item: UnitizedItem, plan: Plan) -> Floats:
        return np.asarray(self.group_parts(Job(item, (item.coders,)), plan)[0])

    def group_parts(self, job: Job, plan: Plan) -> Floats:
        (parts,) = self._parts_together(plan, [job])
        if isinstance(parts, InputError):
            raise parts
        return parts

    def all_parts(self, jobs: Sequence[Job], plan: Plan, engine: Engine) -> list[Floats | InputError]:
        self._check_categories(plan)
        alike: dict[tuple[Any, ...], list[int]] = {}
        for place, job in enumerate(jobs):
            alike.setdefault((job.item.coders, job.groups), []).append(place)
        tasks = []
        for (coders, groups), places in alike.items():
            numbers = (5 * len(groups) + 3 * len(coders) ** 2 + 1) * max(len(plan.categories), 1)
            size = max(1, _MAX_NUMBERS // numbers)
            tasks += [places[first : first + size] for first in range(0, len(places), size)]
        results = engine.map(partial(self._parts_together, plan), [[jobs[i] for i in task] for task in tasks])
        by_place = dict(zip(chain.from_iterable(tasks), chain.from_iterable(results), strict=True))
        return [by_place[place] for place in range(len(jobs))]

    def _parts_together(self, plan: Plan, jobs: Sequence[Job]) -> list[Floats | InputError]:
        """Return the parts of items with the same coders and groups, or the reason why an item is excluded."""
        coders, groups = jobs[0].item.coders, jobs[0].groups
        coder_in, pair_in = _membership(coders, groups)
        lines = _Lines.of([job.item for job in jobs], self.atom, plan.codes)
        atoms = lines.atoms(coder_in, [job.item.bounds if job.item.known else None for job in jobs], self.atom)
        valid = lines.valid.reshape(len(jobs), -1).all(axis=1) & (atoms % 1 == 0).all(axis=1)
        number, categories = len(jobs), len(plan.categories)
        pairs = np.array([*combinations(range(len(coders)), 2)])
        places = (np.arange(number)[:, None, None] * len(coders) + pairs).reshape(-1, 2)
        overlaps = np.zeros((len(places), 7, categories))
        kept = repeat(valid, len(pairs))
        overlaps[kept] = lines.overlaps(places[kept], self._values(plan), METRICS.index(self._metric))
        lengths = _added(coder_in, lines.lengths(categories).reshape(number, len(coders), 3 * categories))
        shared = _added(pair_in, overlaps.reshape(number, len(pairs), 7 * categories))
        shape = (number, len(groups))
        parts = _parts(
            atoms, coder_in.sum(axis=1), lengths.reshape(*shape, 3, categories), shared.reshape(*shape, 7, categories)
        )
        return [parts[i] if valid[i] else self._problem(job, plan) for i, job in enumerate(jobs)]

    def _problem(self, job: Job, plan: Plan) -> InputError:
        try:
            for coder, spans in job.item.annotations.items():
                line = _line(coder, spans, self.atom, plan.codes)
                rule = f"{self.name} needs spans that do not overlap; gamma allows them"
                _refuse_overlap(coder, spans, np.arange(len(spans)), line, rule)
            for group in job.groups:
                _length(job.item.bounds_of(group), self.atom)
        except InputError as error:
            return error
        raise AssertionError(job.item.name)

    def _values(self, plan: Plan) -> Floats:
        """Return the numeric value of each category; zeros for the nominal metric."""
        values = np.zeros(len(plan.categories))
        for i, category in enumerate(plan.categories if self._metric != "nominal" else ()):
            try:
                values[i] = float(category or "")
            except ValueError:
                values[i] = math.nan
            if not math.isfinite(values[i]):
                raise OptionError(f"metric={self._metric!r} needs numbers as categories; got {category!r}")
            if self._metric == "ratio" and values[i] < 0:
                raise OptionError(f"metric='ratio' needs numbers from 0 up; got {category!r}")
        return values

    def _shared_expected(self, sums: _Sums, plan: Plan) -> tuple[Floats, Floats]:
        """Return sum over k of l*_c. l*_k. times the difference of c and k for each c, and l*.. - Q* / l*.. ."""
        # The second is NaN if it is not positive.
        shared, total = sums.shared, sums.shared.sum(axis=1)
        if self._metric == "nominal":
            products = shared * (total[:, None] - shared)
        else:
            products = shared * (shared @ _differences(self._values(plan), self._metric))
        squares = sums.shared_squares.sum(axis=1)
        free = total**2 - squares
        free = np.where(free > _ROUNDING * total**2, free, np.nan)
        return products, free / np.where(total > 0, total, np.nan)

    def category_table(self, parts: Floats, plan: Plan) -> list[tuple[float | None, float | None, str | None]]:
        sums = _Sums.of(parts[None], len(plan.categories))
        values = self._by_category(sums, plan).values[0]
        rows: list[tuple[float | None, float | None, str | None]] = []
        for i in range(len(plan.categories)):
            length, shared = float(sums.length[0, i]), float(sums.shared[0, i])
            coverage = shared / length if length else None
            if math.isnan(values[i]):
                rows.append((None, coverage, _category_reason(shared)))
            else:
                rows.append((float(values[i]), coverage, None))
        return rows

    def _by_category(self, sums: _Sums, plan: Plan) -> Disorders:
        """Return the disagreements of (k)u-alpha, one column per category."""
        products, free = self._shared_expected(sums, plan)
        total = sums.shared.sum(axis=1)[:, None]
        shared = np.where(sums.shared > 0, sums.shared, np.nan)
        row = (shared * total - sums.shared_squares) / free[:, None]  # e*_k.
        return Disorders(sums.confused * row / shared, products / free[:, None])

    def reason(self, parts: Floats, plan: Plan) -> str:
        sums = _Sums.of(parts[None], len(plan.categories))
        return NOTHING_MARKED if not sums.spans[0] else self._reason(sums)

    def _reason(self, sums: _Sums) -> str:
        raise NotImplementedError


def _category_reason(shared: float) -> str:
    if not shared:
        return "no other coder marked anything where it was marked (coverage 0)"
    return "expected disagreement is 0"


@lru_cache(maxsize=64)
def _membership(coders: tuple[str, ...], groups: tuple[tuple[str, ...], ...]) -> tuple[Floats, Floats]:
    """Return which coders, and which pairs of coders, are in each group: 1 or 0, groups x coders and groups x pairs."""
    members = [set(group) for group in groups]
    coder_in = [[coder in group for coder in coders] for group in members]
    pair_in = [[group.issuperset(pair) for pair in combinations(coders, 2)] for group in members]
    return np.array(coder_in, float), np.array(pair_in, float)


def _added(chosen: Floats, values: Floats) -> Floats:
    """Return the sums of the chosen values for each item: items x groups x numbers."""
    items, number, size = values.shape
    flat = values.swapaxes(0, 1).reshape(number, items * size)
    return np.asarray(product(chosen, flat).reshape(len(chosen), items, size).swapaxes(0, 1))


def _parts(atoms: Floats, m: Floats, lengths: Floats, pairs: Floats) -> Floats:
    """Return the parts of some items, items x groups of coders x parts; the symbols are those of the module."""
    by_category, squares, counts = np.moveaxis(lengths, 2, 0)
    same, a, b, a_squares, b_squares, a_confused, b_confused = np.moveaxis(pairs, 2, 0)
    covered = a.sum(axis=2)  # over pairs: length that both coders marked
    marked = (m - 1) * by_category.sum(axis=2)  # over pairs: length that each of the two marked
    crossing = 2 * (marked - covered - same.sum(axis=2)) / (m - 1)
    margin = (marked - 2 * covered) / (m - 1)
    head = np.stack((m * atoms, counts.sum(axis=2), crossing, margin), axis=2)
    shared = [
        (first + second) / (m - 1)[:, None]
        for first, second in ((a, b), (a_squares, b_squares), (a_confused, b_confused))
    ]
    return np.concatenate([head, by_category, squares, *shared], axis=2)


def _differences(values: Floats, metric: str) -> Floats:
    difference = values[:, None] - values[None, :]
    if metric == "ratio":
        total = values[:, None] + values[None, :]
        difference = np.divide(difference, total, out=np.zeros_like(difference), where=total != 0)
    return np.asarray(difference**2)


@dataclass(frozen=True)
class UAlpha(_Alpha2016):
    """Krippendorff's u-alpha: agreement on spans, their categories and the gaps between them (2016, equation 5a).

    A value for ``agreement(..., coefficient=...)``; the string ``"u_alpha"`` means ``UAlpha()``. The spans of one coder must
    not overlap. :mod:`caesura.agreement.unitized_alpha` has the equations.
    """

    name = "u_alpha"
    title = "Krippendorff's u-alpha"
    label = "u-alpha"

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        sums = _Sums.of(parts, len(plan.categories))
        gap = sums.total - sums.length.sum(axis=1)
        products = (sums.length * (sums.total[:, None] - sums.length)).sum(axis=1) + gap * (sums.total - gap)
        return Disorders(sums.crossing / _nonzero(sums.total), products / _free(sums, gap))

    def _reason(self, sums: _Sums) -> str:
        return "expected disagreement is 0: all coders marked everything with the same category"


@dataclass(frozen=True)
class BarUAlpha(_Alpha2016):
    """Krippendorff's ``|u``-alpha: agreement on what is marked at all, without the categories (2016, equation 6).

    A value for ``agreement(..., coefficient=...)``; the string ``"bar_u_alpha"`` means ``BarUAlpha()``.
    """

    name = "bar_u_alpha"
    title = "Krippendorff's |u-alpha"
    label = "|u-alpha"

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        sums = _Sums.of(parts, len(plan.categories))
        gap = sums.total - sums.length.sum(axis=1)
        return Disorders(sums.margin / _nonzero(sums.total), gap * (sums.total - gap) / _free(sums, gap))

    def _reason(self, sums: _Sums) -> str:
        return "expected disagreement is 0: there is no gap between spans"


def _nonzero(numbers: Floats) -> Floats:
    return np.asarray(np.where(numbers > 0, numbers, np.nan))


def _free(sums: _Sums, gap: Floats) -> Floats:
    """Return l..^2 - Q, the denominator of expected disagreement divided by l.. ."""
    return _nonzero(sums.total**2 - sums.squares.sum(axis=1) - gap)


@dataclass(frozen=True)
class CuAlpha(_Alpha2016):
    """Krippendorff's cu-alpha: agreement on categories where two coders marked something (2016, equations 10 and 11).

    A value for ``agreement(..., coefficient=...)``; the string ``"cu_alpha"`` means ``CuAlpha()``. ``coverage`` of the
    result is the share of the text on which it rests.
    """

    name = "cu_alpha"
    title = "Krippendorff's cu-alpha"
    label = "cu-alpha"

    metric: str = setting(
        "nominal", choice(*METRICS), "Difference of two categories; interval and ratio need numbers as categories."
    )

    @property
    def _metric(self) -> str:
        return self.metric

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        sums = _Sums.of(parts, len(plan.categories))
        products, free = self._shared_expected(sums, plan)
        total = _nonzero(sums.shared.sum(axis=1))
        return Disorders(sums.confused.sum(axis=1) / total, products.sum(axis=1) / free / total)

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        sums = _Sums.of(parts.sum(axis=0)[None], len(plan.categories))
        return {"coverage": float(sums.shared.sum() / sums.total[0])}

    def _reason(self, sums: _Sums) -> str:
        if not sums.shared.sum():
            return "no place was marked by two coders (coverage 0)"
        if np.count_nonzero(sums.shared) > 1:
            return (
                "too few spans were marked by two coders for an expected disagreement: its denominator is not above 0"
            )
        return "expected disagreement is 0: all places marked by two coders have the same category"


@dataclass(frozen=True)
class KuAlpha(CuAlpha):
    """Krippendorff's (k)u-alpha: agreement on one category k (2016, equation 13).

    A value for ``agreement(..., coefficient=...)``; the string ``"ku_alpha"`` means ``KuAlpha()``. The table ``categories`` of
    the result has one row per category. Its value is that of the option ``category``. Without this option it is the value of
    all categories together, which is cu-alpha.
    """

    name = "ku_alpha"
    title = "Krippendorff's (k)u-alpha"
    label = "(k)u-alpha"

    category: str | None = setting(None, text, "The category k (default: all categories together, which is cu-alpha).")

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        if self.category is None:
            return super().finish(parts, plan)
        place = plan.place_of(self.category)
        rows = self._by_category(_Sums.of(parts, len(plan.categories)), plan)
        return Disorders(rows.observed[:, place], rows.expected[:, place])

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        if self.category is None:
            return super().extras(items, parts, plan, engine)
        sums, place = _Sums.of(parts.sum(axis=0)[None], len(plan.categories)), plan.place_of(self.category)
        return {"coverage": float(sums.shared[0, place] / sums.length[0, place])}

    def reason(self, parts: Floats, plan: Plan) -> str:
        if self.category is None:
            return super().reason(parts, plan)
        sums = _Sums.of(parts[None], len(plan.categories))
        return f"category {self.category!r}: {_category_reason(float(sums.shared[0, plan.place_of(self.category)]))}"


@dataclass(frozen=True)
class AlphaU2004(_Alpha):
    """Krippendorff's alpha_U of 1995 and 2004, superseded by u-alpha; it behaves badly with more than two coders.

    A value for ``agreement(..., coefficient=...)``; the string ``"alpha_u_2004"`` means ``AlphaU2004()``. Each category is
    compared separately, so that only spans of the same category must not overlap::

        D_o(c) = sum over ordered pairs of coders and their overlapping sections g, h of d^2 / (m (m - 1) L^2)
        d^2    = (b_g - b_h)^2 + (e_g - e_h)^2 for two spans; length^2 for a span inside a gap; else 0
        D_e(c) = (2 / L) sum over spans of c of [(N_c - 1) / 3 (2 l^3 - 3 l^2 + l)
                 + l^2 sum over gaps g >= l of (g - l + 1)] / (m L (m L - 1) - sum over spans of l (l - 1))
        alpha  = 1 - sum over c of D_o(c) / sum over c of D_e(c)

    Over several items, the disagreements of each item are weighted with its length L.
    """

    name = "alpha_u_2004"
    title = "Krippendorff's alpha_U (2004)"
    label = "alpha_U"

    def item_parts(self, item: UnitizedItem, plan: Plan) -> Floats:
        return np.asarray(self.group_parts(Job(item, (item.coders,)), plan)[0])

    def group_parts(self, job: Job, plan: Plan) -> Floats:
        item = job.item
        codes = plan.codes
        lines = {coder: _line(coder, spans, self.atom, codes) for coder, spans in item.annotations.items()}
        parts = np.zeros((len(job.groups), 1 + 2 * len(codes)))
        extents = [_extent(item.bounds_of(group), self.atom) for group in job.groups]
        parts[:, 0] = [sum(len(lines[coder].starts) for coder in group) for group in job.groups]
        for code in sorted({code for line in lines.values() for code in np.unique(line.codes).tolist()}):
            chosen = {coder: self._of_category(coder, item, line, code) for coder, line in lines.items()}
            sections = {coder: _Sections.of(line) for coder, line in chosen.items()}
            observed = {
                (a, b): unit_differences(first.starts, first.ends, second.starts, second.ends)
                for (a, first), (b, second) in combinations(chosen.items(), 2)
            }
            for row, (group, extent) in enumerate(zip(job.groups, extents, strict=True)):
                m, length = len(group), extent[1] - extent[0]
                if not length:  # none of these coders marked anything
                    continue
                total = 2 * sum(observed[pair] for pair in combinations(group, 2)) / (m * (m - 1) * length)
                expected = _expected_2004([sections[coder] for coder in group], extent) * length
                parts[row, 1 + 2 * code : 3 + 2 * code] = total, expected
        return parts

    def all_parts(self, jobs: Sequence[Job], plan: Plan, engine: Engine) -> list[Floats | InputError]:
        self._check_categories(plan)
        return super().all_parts(jobs, plan, engine)

    def _of_category(self, coder: str, item: UnitizedItem, line: _Line, code: int) -> _Line:
        places = flatnonzero(line.codes == code)
        chosen = _Line(line.starts[places], line.ends[places], line.codes[places])
        rule = f"{self.name} needs spans of the same category that do not overlap; gamma allows them"
        _refuse_overlap(coder, item.annotations[coder], places, chosen, rule)
        return chosen

    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        return Disorders(parts[:, 1::2].sum(axis=1), parts[:, 2::2].sum(axis=1))

    def reason(self, parts: Floats, plan: Plan) -> str:
        return "expected disagreement is 0" if parts[0] else NOTHING_MARKED

    def category_table(self, parts: Floats, plan: Plan) -> list[tuple[float | None, float | None, str | None]]:
        values = Disorders(parts[1::2], parts[2::2]).values.tolist()
        undefined: tuple[None, None, str] = (None, None, "expected disagreement is 0")
        return [undefined if math.isnan(value) else (value, None, None) for value in values]


class _Sections(NamedTuple):
    """The spans of one coder and category by length, and the gaps between them; edges are the first start and last end."""

    units: Floats
    unit_counts: Floats
    gaps: Floats
    gap_counts: Floats
    edges: tuple[float, float] | None

    @classmethod
    def of(cls, line: _Line) -> _Sections:
        units, unit_counts = np.unique(line.lengths, return_counts=True)
        gaps, gap_counts = np.unique(line.starts[1:] - line.ends[:-1], return_counts=True)
        edges = (float(line.starts[0]), float(line.ends[-1])) if len(line.starts) else None
        return cls(units, unit_counts.astype(float), gaps.astype(float), gap_counts.astype(float), edges)

    def outer_gaps(self, extent: tuple[float, float]) -> tuple[float, float]:
        """Return the gaps before the first and after the last span; the whole line if there is no span."""
        if self.edges is None:
            return extent[1] - extent[0], 0.0
        return self.edges[0] - extent[0], extent[1] - self.edges[1]


def _extent(bounds: tuple[float, float], atom: float | None) -> tuple[float, float]:
    first = bounds[0] if atom is None else float(np.rint(bounds[0] / atom))
    return first, first + _length(bounds, atom)


def _expected_2004(coders: Sequence[_Sections], extent: tuple[float, float]) -> float:
    """Return D_e of one category; NaN if it has no denominator."""
    m, length = len(coders), extent[1] - extent[0]
    units = np.concatenate([coder.units for coder in coders])
    weights = np.concatenate([coder.unit_counts for coder in coders])
    outer = np.array([coder.outer_gaps(extent) for coder in coders]).ravel()
    gaps = np.concatenate([outer, *(coder.gaps for coder in coders)])
    gap_counts = np.concatenate([np.ones(len(outer)), *(coder.gap_counts for coder in coders)])
    order = argsort(gaps, kind="stable")
    gaps, gap_counts = gaps[order], gap_counts[order]
    # sums from each place in ascending order to the longest gap
    number = np.concatenate([np.cumsum(gap_counts[::-1])[::-1], [0.0]])
    total = np.concatenate([np.cumsum((gaps * gap_counts)[::-1])[::-1], [0.0]])
    place = searchsorted(gaps, units, "left")
    fitting = total[place] - number[place] * (units - 1)  # sum over gaps >= l of gap - l + 1
    terms = (weights.sum() - 1) / 3 * (2 * units**3 - 3 * units**2 + units) + units**2 * fitting
    free = m * length * (m * length - 1) - (weights * units * (units - 1)).sum()
    return float(2 / length * (weights * terms).sum() / free) if free else math.nan
