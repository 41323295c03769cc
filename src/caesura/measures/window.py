"""Pk, WindowDiff and WinPR, which slide a window of fixed width over both texts, and a composite of F, Pk and WindowDiff."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import distances as time_kernel
from caesura.kernels import window as kernel
from caesura.measures.axis import AXIS_WORDS, AxisMeasure, amount, amounts
from caesura.measures.base import BatchCounts, Counts, Measure, divide, option, precision_recall
from caesura.measures.boundary_f import BoundaryF
from caesura.measures.needs import Needs, seconds_on_units
from caesura.model.batch import Batch
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import MAX_UNITS, Floats
from caesura.options import flag, optional, whole

_ORIGINS = ("given", "auto", "auto, clamped to the text")
_CHOSEN, _AUTO = range(2)


def _width(name: str, value: Any) -> float | str:
    """Check for the width of a window: a whole number of units, or seconds such as 2.5 or ``"2.5s"``."""
    if isinstance(value, str) and value[:1].isdecimal() and not value.isdecimal():
        width = amount(name, value)
        if not isinstance(width, str) or width.endswith("%") or float(width[:-1]) <= 0:
            raise OptionError(f"{name} must be a whole number of units, or a time above 0 such as '5s'; got {value!r}")
        return width
    if isinstance(value, (float, np.floating)) and 0 < value < math.inf:
        return float(value)  # seconds; on an axis of units it is refused
    return whole(1)(name, value)  # type: ignore[no-any-return]


_width.value_type, _width.choices = str, ()  # type: ignore[attr-defined]  # for the command line
_WINDOW = "width k of the window (default: half the mean length of a reference segment)"
# How k is chosen and which windows are inspected, and what programs do differently.
_RULE = {
    "minimum": 2,  # an empty window contains no differences, so k is at least 1
    "mean": kernel.SEGMENTS,  # of a segment: N / segments, (N-1) / boundaries or (N-1) / segments
    "half_even": False,  # rounding of k, else half up
    "clamp": True,  # whether a k that is too large for the text is reduced
    "in_units": False,  # whether k counts units in a window, not positions
    "more_windows": False,  # with padding, whether windows without an inner position count
}
SEGEVAL: Mapping[str, Any] = {"half_even": True, "clamp": False, "more_windows": True}
_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "fournier2012": {"in_units": True},
    "segeval-2.0.11": SEGEVAL,
    "nltk": {"half_even": True, "mean": kernel.MARKS, "minimum": 0, "clamp": False},
}


class _WindowMeasure(Measure):
    """Base class of Pk, WindowDiff and WinPR, which chooses k and slides the window over the text."""

    kinds: ClassVar[tuple[str, ...]] = ("linear", "dialogue")
    needs: ClassVar[Any] = Needs(units=True)
    resolved_words = MappingProxyType({"window_from": np.array(_ORIGINS)})

    window: Any = option(None, optional(whole(1)), _WINDOW, last=-2, aliases=("k",))

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        k = self.window
        if k is None:
            return {}
        maximum = batch.length if self.changes.get("in_units") else batch.length - 1
        return {
            int(d): OptionError(
                f"window must lie in 1..{maximum[d]} for a text of {batch.length[d]} units; got {k}"
                if maximum[d] > 0
                else f"window must not be set for a text of one unit, which has no inner position; got {k}"
            )
            for d in flatnonzero(maximum < k)
        }

    def as_resolved(self, resolved: Mapping[str, Any]) -> Self:
        return self.replace(window=resolved["window"]) if self.window is None and resolved["window"] > 0 else self

    @cached_property
    def rule(self) -> kernel.Rule:
        """How wide the windows are and where they begin, for the kernel."""
        k = min(self.window, MAX_UNITS) if isinstance(self.window, int) else 0  # ``check`` refuses other widths
        return kernel.Rule(k, padded=self.settings.get("padded", True), **{**_RULE, **self.changes})

    @property
    def changes(self) -> Mapping[str, Any]:
        """What the program of the preset does differently."""
        return _PRESETS.get(self.compat or "", {}) if self.recipe is None else self.recipe.rules.get("windows", {})

    def sweep(self, batch: Batch) -> tuple[Counts, dict[str, NDArray[Any]]]:
        """Return the columns of ``kernel.sweep``, and k and its origin as resolved options."""
        a, b = batch.sides()
        n = batch.pairs
        out, k, origin = np.empty((n, 6)), np.empty(n, np.int64), np.empty(n, np.uint8)
        kernel.sweep(batch.length, a.place, a.off, b.place, b.off, self.rule, out, k, origin)
        return out, {"window": k, "window_from": origin}


class _ErrorRate(_WindowMeasure, AxisMeasure):
    """Proportion of windows on which the two sides differ."""

    kinds = ("hierarchy", "timed", "linear", "dialogue")
    needs = Needs()
    needs_common_units = True
    unit_by_options = True
    window: Any = option(None, optional(_width), f"{_WINDOW}; in seconds: 5s", last=-2, aliases=("k",))
    padded: bool = option(
        False,
        flag,
        "whether to add empty positions at both ends, so that every position is inspected equally often",
        last=-1,
    )
    presets = MappingProxyType(dict.fromkeys(_PRESETS, MappingProxyType[str, Any]({})))
    preset_notes = MappingProxyType(
        {
            "fournier2012": "a window has k units",
            "segeval-2.0.11": "k is rounded half to even and not reduced; with padding, N+k+1 windows",
            "nltk": "k is (N-1) / (2 boundaries), rounded half to even, without limits",
        }
    )
    resolved_words = MappingProxyType({**_WindowMeasure.resolved_words, **AXIS_WORDS})
    best = 0.0
    worst = 1.0
    amount_options = ("window",)
    sweep_columns: ClassVar[slice]  # errors and windows, among the columns of kernel.sweep
    parts = ("errors", "windows")

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        k = self.window
        if batch.seconds:
            return self._check_times(batch)
        if isinstance(k, (str, float)):
            problem = (
                seconds_on_units("window", k) if isinstance(k, str) else f"window must be a whole number; got {k!r}"
            )
            return dict.fromkeys(range(batch.pairs), OptionError(problem))
        return super().check(batch)

    def _check_times(self, batch: Batch) -> dict[int, CaesuraError]:
        """Return the pairs in seconds that are not longer than the window; presets and padding need units."""
        if self.padded or self.changes:
            changed = "padded" if self.padded else f"compat={self.compat}"
            error = OptionError(f"{self.name}: {changed} needs units; convert the annotations with over_units")
            return dict.fromkeys(range(batch.pairs), error)
        k, length = self._ticks(batch) / batch.ticks, batch.length / batch.ticks
        return {
            int(d): OptionError(f"window must be shorter than the recording of {length[d]:.10g} s; got {k[d]:.10g} s")
            for d in flatnonzero(k >= length)
        }

    def _ticks(self, batch: Batch) -> Floats:
        """Return k of each pair in ticks: half the mean reference segment, not rounded."""
        if self.window is None:
            return np.asarray(batch.length / (2 * (batch.sides()[0].count + 1)), np.float64)
        return amounts("window", self.window, batch)

    def sweep(self, batch: Batch) -> tuple[Counts, dict[str, NDArray[Any]]]:
        if not batch.seconds:
            return super().sweep(batch)
        k, out = self._ticks(batch), np.empty((batch.pairs, 3))
        (a, _, a_off), (b, _, b_off) = batch.sides()
        sides = a.astype(np.float64), a_off, b.astype(np.float64), b_off
        time_kernel.windows(batch.length.astype(np.float64), batch.begin.astype(np.float64), k, *sides, out)
        origin = np.full(batch.pairs, _AUTO if self.window is None else _CHOSEN, np.uint8)
        chosen: dict[str, NDArray[Any]] = {"window": k / batch.ticks, "window_from": origin}
        return out[:, [0, 2, 1]] / batch.ticks, chosen | self.resolved(batch)

    def count(self, batch: Batch) -> BatchCounts:
        # Pk and WindowDiff with the same options inspect the same windows.
        key = ("windows", self.compat, *self.settings.values())
        counts, resolved = batch.shared(key, lambda: self.sweep(batch))
        return BatchCounts(counts[:, self.sweep_columns], resolved)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return divide(counts[:, 0], counts[:, 1])


class Pk(_ErrorRate):
    name = "pk"
    title = "Pk (Beeferman, Berger & Lafferty 1999)"
    summary = "two units: together or separate"
    short_name = "Pk"
    sweep_columns = slice(2, 0, -1)


class WindowDiff(_ErrorRate):
    name = "window_diff"
    title = "WindowDiff (Pevzner & Hearst 2002)"
    summary = "number of boundaries in a window"
    short_name = "WD"
    sweep_columns = slice(0, 2)


class WinPR(_WindowMeasure):
    name = "win_pr"
    title = "WinPR (Scaiano & Inkpen 2012)"
    summary = "precision and recall over windows"
    short_name = "WinPR"
    parts = ("tp", "fp", "fn", "tn")
    two_ratios = ("precision", "recall")

    def count(self, batch: Batch) -> BatchCounts:
        out, resolved = self.sweep(batch)
        tp, fp, fn = out[:, 3:].T
        k = resolved["window"]
        positions = (batch.length - 1).astype(float)
        counts = np.column_stack([tp, fp, fn, k * positions - tp - fp - fn])
        return BatchCounts(counts / np.maximum(k, 1)[:, None], resolved)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        tp, fp, fn, _ = counts.T
        # F = 2PR / (P + R) = 2 TP / (2 TP + FP + FN), also if one of P and R is 0/0 and the other side is not empty.
        return divide(2 * tp, 2 * tp + fp + fn, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        return precision_recall(tp, tp + fn, tp + fp)


def pk(
    reference: Segmentation | Tier | Hierarchy,
    hypothesis: Segmentation | Tier | Hierarchy,
    *,
    window: float | str | None = None,
    padded: bool = False,
    compat: str | None = None,
    **options: Any,
) -> Score:
    """Compute Pk: how often two units k apart are in the same segment on one side only.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    window : int, float or str, optional
        Width k of the window (default: half the mean length of a reference segment, rounded half up, at least 2 and at
        most N-1). In seconds: a number or a text such as ``"5s"`` (default: half the mean length of a reference segment,
        not rounded).
    padded : bool, default False
        Put k-1 empty positions at each end, so that boundaries near the ends count as often as others.
    compat : {"fournier2012", "segeval-2.0.11", "nltk", "superdialseg", "chunkseg", "evalsubtitle"}, optional
        Presets, in this order: windows of k units; k rounded half-even and not clamped; k = (N-1) / (2 boundaries),
        rounded half-even, without a minimum; windows that end after the last utterance too; segeval's rule over chunks of
        6 s; segeval's rule.
    **options : object
        In seconds: ``extent`` (the extent to compare if the two sides have different ones) and ``level`` (level of a
        hierarchy).

    Returns
    -------
    Score
        An error rate from 0 (identical) to 1; ``score.params["window"]`` is k.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.

    Notes
    -----
    Over the N-k pairs of units (i, i+k)::

        Pk = proportion with [same segment in the reference] != [same segment in the hypothesis]

    Pk is always defined. It is 0 if neither text has boundaries; such texts add their windows to the total.

    Pk is not symmetric (k depends on the reference), hardly notices a segment shorter than k, and penalizes a missed
    boundary more than an added one (Pevzner & Hearst 2002): prefer B for new work. Types and position N are ignored.

    References
    ----------
    Beeferman, D., Berger, A., & Lafferty, J. (1999). Statistical models for text segmentation. Machine Learning 34.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> score = pk(reference, hypothesis)
    >>> f"{score.value:.4f}", score.parts, score.params["window"]
    ('0.2222', {'errors': 2, 'windows': 9}, 2)
    """
    return Pk.cached(compat, window=window, padded=padded, **options).score(reference, hypothesis)


def window_diff(
    reference: Segmentation | Tier | Hierarchy,
    hypothesis: Segmentation | Tier | Hierarchy,
    *,
    window: float | str | None = None,
    padded: bool = False,
    compat: str | None = None,
    **options: Any,
) -> Score:
    """Compute WindowDiff: how often the two sides have different numbers of boundaries in a window.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Tier or Hierarchy
        The two sides, both in units or both in seconds.
    window : int, float or str, optional
        k, the width of the window in positions (default: as for :func:`pk`).
    padded : bool, default False
        Pad both ends, after Lamprier et al. (2007): N+k-2 windows, none of them entirely in the padding.
    compat : {"fournier2012", "segeval-2.0.11", "nltk"}, optional
        Preset, as for :func:`pk`.
    **options : object
        ``extent`` and ``level``, as for :func:`pk`.

    Returns
    -------
    Score
        An error rate from 0 (identical) to 1; ``score.params["window"]`` is k.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.

    Notes
    -----
    Over the N-k windows between unit i and unit i+k::

        WD = proportion with b_ref(i, i+k) != b_hyp(i, i+k)

    It is not symmetric, and a near miss costs about as much as a boundary k or more positions off. Papers often report
    1 - WD, "the higher the better". segeval pads k positions, inspects N+k windows and divides by N+k+1; ``padded=True,
    compat="segeval-2.0.11"`` reproduces this.

    References
    ----------
    Pevzner, L., & Hearst, M. (2002). A critique and improvement of an evaluation metric for text segmentation.
    Computational Linguistics 28(1).

    Lamprier, S., et al. (2007). On evaluation methodologies for text segmentation algorithms. ICTAI.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([1, 1, 1, 2, 6])
    >>> f"{1 - window_diff(reference, hypothesis).value:.4f}"      # Fournier 2013, Figure 8
    '0.6667'
    """
    return WindowDiff.cached(compat, window=window, padded=padded, **options).score(reference, hypothesis)


def win_pr(reference: Segmentation, hypothesis: Segmentation, *, window: int | None = None) -> Score:
    """Compute WinPR: precision and recall with credit for near misses, from counts in windows.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two segmentations to compare.
    window : int, optional
        k, the width of the window in positions (default: as for :func:`pk`).

    Returns
    -------
    Score
        F1, from 0 to 1; 1 if both sides are empty. ``score.precision()`` and ``score.recall()`` are available.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.

    Notes
    -----
    There are N+k-2 windows of k consecutive positions that contain an inner position. R and H are the numbers of reference
    and hypothesis boundaries in a window. Sum over all windows, and divide all sums by k::

        TP = sum min(R, H)    FP = sum max(0, H-R)    FN = sum max(0, R-H)    TN = k(N-1) - TP - FP - FN

    so TP+FN is the number of boundaries of the reference, and TP+FP the number of boundaries of the hypothesis.

    References
    ----------
    Scaiano, M., & Inkpen, D. (2012). Getting more from segmentation evaluation. NAACL-HLT.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> win_pr(reference, hypothesis, window=2).parts
    {'tp': 1.5, 'fp': 0.5, 'fn': 0.5, 'tn': 7.5}
    """
    return WinPR.cached(None, window=window).score(reference, hypothesis)


class SegmentationScore(Measure):
    kinds = ("linear", "dialogue")
    needs = Needs(units=True)
    name = "segmentation_score"
    title = "Half F1, a quarter 1 - Pk and a quarter 1 - WindowDiff (SuperDialseg)"
    summary = "F1, Pk and WindowDiff in one"
    short_name = "score"
    resolved_words = Pk.resolved_words
    parts = ("matches", "reference", "hypothesis", "pk_errors", "windows", "window_diff_errors")

    @property
    def _measures(self) -> tuple[Measure, Measure, Measure]:
        return BoundaryF.cached(self.compat), Pk.cached(self.compat), WindowDiff.cached(self.compat)

    def count(self, batch: Batch) -> BatchCounts:
        f, pk, window_diff = (measure.count(batch) for measure in self._measures)
        counts = np.column_stack([f.counts, pk.counts, window_diff.counts[:, 0]])
        return BatchCounts(counts, {name: pk.resolved[name] for name in ("window", "window_from")})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        f, pk, window_diff = self._values(counts, types)
        return f / 2 + (1 - pk) / 4 + (1 - window_diff) / 4

    def _values(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
        columns = counts[:, :3], counts[:, 3:5], counts[:, [5, 4]]
        f, pk, window_diff = (m.finish(c, types) for m, c in zip(self._measures, columns, strict=True))
        return f, pk, window_diff

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        row = np.array([[counts[name] for name in self.parts]], np.float64)
        return {name: float(x[0]) for name, x in zip(("f", "pk", "window_diff"), self._values(row, types), strict=True)}


def segmentation_score(reference: Segmentation, hypothesis: Segmentation, *, compat: str | None = None) -> Score:
    """Compute the composite score of SuperDialseg: half F1, a quarter 1 - Pk and a quarter 1 - WindowDiff.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The two segmentations to compare.
    compat : {"superdialseg"}, optional
        The number that SuperDialseg prints: its conventions for the three measures, with the position after the last
        utterance, and the mean over dialogues.

    Returns
    -------
    Score
        From 0 to 1; ``score.parts["f"]``, ``["pk"]`` and ``["window_diff"]`` are its three terms.

    Notes
    -----
    ::

        score = F1 / 2 + (1 - Pk) / 4 + (1 - WindowDiff) / 4

    Use it only to extend a table that has it: Pk and WindowDiff measure nearly the same, and their weights are arbitrary.

    References
    ----------
    Jiang, J., Dong, C., Kurohashi, S., & Aizawa, A. (2023). SuperDialseg: A large-scale dataset for supervised dialogue
    segmentation. EMNLP.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> f"{segmentation_score(reference, hypothesis).value:.4f}"
    '0.7222'
    """
    return SegmentationScore.cached(compat).score(reference, hypothesis)
