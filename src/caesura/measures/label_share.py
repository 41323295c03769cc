"""Labels over time or units: the share with equal labels, and its kappa and pi, exact by the lengths of intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import cells as kernel
from caesura.measures.axis import SegmentMeasure, Side, amount, amounts, pairs_of
from caesura.measures.base import BatchCounts, Counts, divide, option
from caesura.measures.needs import Needs
from caesura.measures.sums import CERTAIN
from caesura.model.batch import Batch, Packed
from caesura.model.columns import Boundaries, Names, Segments
from caesura.model.index import bincount, flatnonzero, searchsorted
from caesura.model.result import Score
from caesura.model.value import Floats, Ints
from caesura.options import choice

_PLAIN = re.compile(r"[^\[\]'\"\s]+")


class Shares(NamedTuple):
    """Observed agreement of rows of counts, and expected agreement by kappa and by pi."""

    # One value per row; expected agreement is 1 if it is 1 up to rounding.
    observed: Floats
    kappa: Floats
    pi: Floats

    def coefficient(self, name: str) -> Floats:
        expected: Floats = getattr(self, name)
        return (self.observed - expected) / np.where(expected < 1, 1 - expected, np.nan)


def shares_of(agreed: Floats, length: Floats, first: Floats, second: Floats) -> Shares:
    whole = np.where(length > 0, length, 1.0)
    p, q = first / whole[:, None], second / whole[:, None]
    # Added one by one, so that labels that do not occur in these documents change no digit.
    kappa, pi = (np.cumsum(products, axis=1)[:, -1] for products in (p * q, ((p + q) / 2) ** 2))
    certain = [np.where(expected >= CERTAIN, 1.0, expected) for expected in (kappa, pi)]
    return Shares(divide(agreed, length, empty=1.0), *certain)


class LabelShare(SegmentMeasure):
    name = "label_share"
    summary = "time with equal labels"
    title = "Share of time with equal labels, with kappa and pi of time"
    caution = (
        "a label cut in two is no disagreement; kappa is low if one label covers nearly all the time, so report "
        "the share beside it; if coders have streams, their times are added"
    )
    aliases = MappingProxyType({"time_kappa": {"coefficient": "kappa"}, "time_pi": {"coefficient": "pi"}})
    coefficient: str = option(
        "none",
        choice("none", "kappa", "pi"),
        "correct the share for chance: kappa with the shares of each side, pi with their mean",
    )
    tolerance: float | str = option(
        0, amount, "a label agrees if the other side has it within this distance (two coders, kappa)"
    )
    options_in_short_name = ("coefficient",)
    needs_labels = True
    needs = Needs(
        labels="compares labels, and the segments have none; use rand_index or boundary_f to compare boundaries"
    )
    coefficients = ("kappa", "pi")
    default_coefficient = "kappa"
    chance_family = "labels"
    fixed_types = False

    @property
    def short_name(self) -> str:
        return {"none": "label share", "kappa": "time kappa", "pi": "time pi"}[self.coefficient]

    @property
    def symmetric(self) -> bool:
        return bool(self.extent not in ("reference", "from_zero"))

    @property
    def chance_corrected(self) -> bool:  # type: ignore[override]  # depends on the option
        return bool(self.coefficient != "none")

    @property
    def observed_measure(self) -> LabelShare:
        return self.replace(coefficient="none")

    @property
    def has_tolerance(self) -> bool:
        """Whether labels of the other side count within a tolerance, so that there are two tables, one per base."""
        return self.tolerance not in (0, "0s", "0%")

    def validate(self) -> None:
        if self.has_tolerance and self.coefficient == "pi":
            raise OptionError("tolerance is defined for kappa only; use coefficient='kappa', or remove the tolerance")

    @property
    def amount_options(self) -> tuple[str, ...]:  # no tolerance has no unit
        return ("tolerance",) if self.tolerance else ()

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        labels = [label if _PLAIN.fullmatch(label) else repr(label) for label in types]
        tables = ("", "_back") if self.has_tolerance else ("",)
        names = ["length"]
        for table in tables:
            names.append(f"agreed{table}")
            for side in self.sides:
                names += [f"{side}{table}_unlabelled", *(f"{side}{table}[{label}]" for label in labels)]
        return tuple(names)

    def scale(self, batch: Batch) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
        """Return all labels of a batch; their lengths are parts."""
        return batch.table.label_names(np.union1d(batch.first, batch.second)), {}

    @property
    def always_converts(self) -> bool:
        return self.coefficient != "none" or super().always_converts

    def pack_batch(self, batch: Batch, places: Ints, types: Names | None = None) -> Packed:
        batch, places, errors = super().pack_batch(batch, places, types)
        if self.coefficient == "none" or not len(batch):
            return batch, places, errors
        values = self.values(self.documents(batch).counts, batch.types)
        certain: dict[int, CaesuraError] = {
            item: Undefined("chance agreement is 1, because both sides have one and the same label everywhere")
            for item in flatnonzero(np.isnan(values)).tolist()
        }
        batch, places, undefined = batch.drop(certain, places)
        return batch, places, errors | undefined

    def count(self, batch: Batch) -> BatchCounts:
        labels = len(batch.types) + 1
        if self.has_tolerance:
            counts = self._count_near(batch, labels)
        else:
            counts = np.empty((batch.pairs, 2 + 2 * labels))
            kernel.label_lengths(pairs_of(batch, self.gaps, "labels"), labels, counts)
        return BatchCounts(counts / batch.ticks, self.resolved(batch))

    def _count_near(self, batch: Batch, labels: int) -> Counts:
        """Return the counts with a tolerance, pair by pair: two tables, with either side as base."""
        tolerance = amounts("tolerance", self.tolerance, batch)
        begin, end = batch.begin, batch.begin + batch.length
        sides = [
            [_side_of_pair(boundaries, segments, row, begin[row], end[row]) for row in range(batch.pairs)]
            for boundaries, segments in zip(batch.sides(), batch.sides("labels"), strict=True)
        ]
        rows = []
        for a, b, near in zip(*sides, tolerance.tolist(), strict=True):
            forth, back = (
                _near_table(base, other, near, labels, ignore_gaps=self.gaps == "ignore")
                for base, other in ((a, b), (b, a))
            )
            agreed, first, second = back
            rows.append(np.concatenate([[forth[1].sum()], [forth[0]], *forth[1:], [agreed], second, first]))
        return np.array(rows).reshape(batch.pairs, 3 + 4 * labels)

    def tables(self, counts: Counts) -> list[Shares]:
        """Return observed and expected agreement of each row of counts, one entry per table."""
        length, tables = counts[:, 0], np.split(counts[:, 1:], 2 if self.has_tolerance else 1, axis=1)
        return [shares_of(table[:, 0], length, *np.split(table[:, 1:], 2, axis=1)) for table in tables]

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        tables, name = self.tables(counts), self.coefficient
        values = [table.observed if name == "none" else table.coefficient(name) for table in tables]
        return np.asarray(sum(values) / len(values), np.float64)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        tables = self.tables(np.array([[counts[name] for name in self.part_names(types)]]))
        if len(tables) == 1:
            (table,) = tables
            figures = {"observed": table.observed, "expected_kappa": table.kappa, "expected_pi": table.pi}
            figures |= {"kappa": table.coefficient("kappa"), "pi": table.coefficient("pi")}
        else:
            first, second = (table.coefficient("kappa") for table in tables)
            figures = {"kappa": (first + second) / 2, "kappa_reference_base": first, "kappa_hypothesis_base": second}
            figures["observed"] = (tables[0].observed + tables[1].observed) / 2
        return {name: float(value[0]) for name, value in figures.items()}


class _Segments(NamedTuple):
    """Ends in ticks of the segments of one side of a pair, with their labels."""

    begin: int
    ends: Ints
    labels: Ints


def _side_of_pair(boundaries: Boundaries, segments: Segments, row: int, begin: int, end: int) -> _Segments:
    places = boundaries.place[boundaries.off[row] : boundaries.off[row + 1]]
    return _Segments(begin, np.append(places, end), segments.label[segments.off[row] : segments.off[row + 1]])


def _near_table(
    base: _Segments, other: _Segments, tolerance: float, labels: int, *, ignore_gaps: bool
) -> tuple[float, Floats, Floats]:
    """Return the length that agrees within a tolerance, and the lengths by label of the base and of the other side."""
    # The axis is cut at all boundaries and at those of the other side moved by the tolerance. Within a piece, nothing changes:
    # it agrees if the other side has the label of the base within the tolerance, else it has the label that the other side has
    # there.
    inner = other.ends[:-1]
    begin, end = base.begin, base.ends[-1]
    cuts = np.unique(np.concatenate([[begin, end], base.ends[:-1], inner, inner - tolerance, inner + tolerance]))
    cuts = cuts[(cuts >= begin) & (cuts <= end)]
    width, middle = np.diff(cuts), (cuts[:-1] + cuts[1:]) / 2
    label = base.labels[searchsorted(base.ends, middle)]
    there = other.labels[searchsorted(other.ends, middle)]
    last = len(other.ends) - 1
    low = np.minimum(searchsorted(other.ends, middle - tolerance), last)
    high = np.minimum(searchsorted(other.ends, middle + tolerance), last)
    keys = np.sort(other.labels * (last + 1) + np.arange(last + 1))  # segments of the other side by label
    place = searchsorted(keys, label * (last + 1) + low)
    near = np.append(keys, np.iinfo(np.int64).max)[place] <= label * (last + 1) + high
    if ignore_gaps:
        width = np.where((label > 0) & (there > 0), width, 0.0)
    tallied = np.where(near, label, there)
    by_label = [bincount(side, width, labels) for side in (label, tallied)]
    return float(width[near].sum()), by_label[0], by_label[1]


def label_share(
    reference: Side,
    hypothesis: Side,
    *,
    coefficient: str = "none",
    tolerance: float | str = 0,
    gaps: str = "segment",
    extent: str | None = None,
    level: int | None = None,
) -> Score:
    """Compute the share of time, or of units, in which both sides have the same label, or its kappa or pi.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides with labels, both in units or both in seconds.
    coefficient : {"none", "kappa", "pi"}, default "none"
        Whether the value is the share, or the share corrected for chance. ``time_kappa`` is another name of the measure
        with ``"kappa"``.
    tolerance : float or str, default 0
        A label agrees if the other side has it within this distance: a number in the unit of the axis, ``"2s"`` or ``"5%"``.
    gaps : {"segment", "ignore"}, default "segment"
        Time without a label counts as a label of its own, or only time that both sides label counts.
    extent : {"same", "reference", "intersection", "union", "from_zero"}, optional
        The extent to compare if the two sides have different ones; by default they must be the same.
    level : int, optional
        Level of a hierarchy, if it has several.

    Returns
    -------
    Score
        The share, from 0 to 1, or the coefficient, at most 1. ``score.parts`` contains ``kappa``, ``pi``,
        ``expected_kappa`` and ``expected_pi`` in both cases.

    Raises
    ------
    MismatchError
        If the segments have no labels.
    Undefined
        If no time is labelled on both sides with ``gaps="ignore"``, or the coefficient is not ``"none"`` and chance
        agreement is 1.

    Notes
    -----
    With p(l) and q(l) the share of time to which the two sides give label l::

        observed = length with equal labels / length
        expected = sum over l of p(l) q(l)                   (kappa, Cohen)
        expected = sum over l of ((p(l) + q(l)) / 2)^2       (pi, Scott)
        coefficient = (observed - expected) / (1 - expected)

    Programs that sample time at equal steps get a different number for each step; here, the lengths of the intervals are
    exact. For more than two coders and several items use :func:`~caesura.agreement`, which sums lengths over items: pi then
    pools all coders (Fleiss) and kappa is the mean over pairs.

    With a tolerance, one side is the base: time with label l agrees if the other side has l anywhere within the
    tolerance; otherwise it is tallied with the label that the other side has there. Either side is the base once, and
    the value is the mean of the two kappas, ``kappa_reference_base`` and ``kappa_hypothesis_base``. The rule of the two
    tables is GSEQ's; the mean is a convention of caesura.

    Do not use it to compare *segments*: a stretch that one side divides into two segments with the same label is no
    disagreement (use :func:`boundary_f` or :func:`purity_coverage`). If one label covers most of the time, kappa and pi can
    be low in spite of a large share; report the share beside them. In a total over many pairs, pairs for which the coefficient
    is undefined are left out; :func:`~caesura.agreement` includes their lengths.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20. Bakeman, R.,
    Quera, V., & Gnisci, A. (2009). Observer agreement for timed-event sequential data: A comparison of time-based and
    event-based algorithms. Behavior Research Methods 41.

    Examples
    --------
    >>> from caesura import Tier
    >>> ann = Tier([(0, 6, "play"), (6, 10, "cry")])
    >>> bo = Tier([(0, 7, "play"), (7, 10, "cry")])
    >>> label_share(ann, bo).value
    0.9
    >>> f"{label_share(ann, bo, coefficient='kappa').value:.4f}"
    '0.7826'
    >>> label_share(ann, bo, coefficient="kappa", tolerance="1s").value
    1.0
    """
    measure = LabelShare.cached(
        None, coefficient=coefficient, tolerance=tolerance, gaps=gaps, extent=extent, level=level
    )
    return measure.score(reference, hypothesis)
