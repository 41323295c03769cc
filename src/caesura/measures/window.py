"""Pk, WindowDiff and WinPR: what a window of fixed width sees while it slides over both segmentations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import window as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch
from caesura.model.score import Score, f_measure, ratio
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice, flag, optional, whole

Ints = NDArray[np.int64]

_GIVEN, _AUTO, _CLAMPED = range(3)
_WINDOW = Option("window", None, optional(whole(1)), "k; by default half the mean reference segment")
_HOW_K = (
    Option("rounding", "half_up", choice("half_up", "half_even"), "how the automatic k is rounded"),
    Option("mean", "segments", choice("segments", "marks"), "k is half of N / segments, or of (N-1) / boundaries"),
)
_MINIMUM = Option("minimum", 2, whole(0), "the smallest automatic k")
_CLAMP = Option("clamp", True, flag, "whether an automatic k too large for the text is cut down to it")
_ERROR_RATE = (
    _WINDOW,
    Option("padded", False, flag, "empty positions at both ends, so that every position is inspected equally often"),
    Option("width", "positions", choice("positions", "units"), "whether k counts positions or units in a window"),
    *_HOW_K,
    _MINIMUM,
    _CLAMP,
    Option("padding", "inner", choice("inner", "segeval"), "which padded windows the sum is divided by"),
)
_PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "fournier2012": {"width": "units"},
        "segeval-2.0.11": {"rounding": "half_even", "clamp": False, "padding": "segeval"},
        "nltk": {"rounding": "half_even", "mean": "marks", "minimum": 0, "clamp": False},
    }
)


class _Windowed(Measure):
    """What the three share: how k is found and which windows there are."""

    __slots__ = ()
    resolved_words = MappingProxyType({"window_from": np.array(["given", "auto", "auto, clamped to the text"])})

    def limit(self, length: Ints) -> Ints:
        """The largest k: N-1 positions, or N units."""
        return length if self.settings.get("width") == "units" else length - 1

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """A given window must fit into the text."""
        k = self["window"]
        if k is None:
            return {}
        most = self.limit(batch.length)
        return {
            int(d): OptionError(
                f"window must lie in 1..{most[d]} for a text of {batch.length[d]} units; got {k}"
                if most[d] > 0
                else f"window: a text of one unit has no inner position to slide over; got {k}"
            )
            for d in np.flatnonzero(most < k)
        }

    def window(self, batch: Batch) -> tuple[Ints, dict[str, NDArray[Any]]]:
        """k for each document, and what to tell of it."""
        options = self.settings
        n = len(batch)
        if options["window"] is not None:
            k = np.full(n, options["window"], np.int64)
            return k, {"window": k, "window_from": np.full(n, _GIVEN, np.uint8)}
        if options["mean"] == "segments":
            over, under = batch.length, 2 * (batch.a_count + 1)
        else:
            over, under = batch.length - 1, 2 * np.maximum(batch.a_count, 1)
        k = (2 * over + under) // (2 * under)  # half up
        if options["rounding"] == "half_even":
            k -= (k % 2 == 1) & ((2 * k - 1) * under == 2 * over)
        k = np.maximum(k, options["minimum"])
        if not options["clamp"]:
            return k, {"window": k, "window_from": np.full(n, _AUTO, np.uint8)}
        most = self.limit(batch.length)
        said = np.where(k > most, _CLAMPED, _AUTO).astype(np.uint8)
        k = np.minimum(k, most)
        return k, {"window": k, "window_from": said}

    def sweep(self, batch: Batch, w: Ints, first: Ints, last: Ints) -> Counts:
        out = np.empty((len(batch), 6))
        kernel.sweep(batch.a_pos, batch.a_off, batch.b_pos, batch.b_off, w, first, last, out)
        return out


class _ErrorRate(_Windowed):
    """Share of windows on which the two sides differ."""

    __slots__ = ()
    options = _ERROR_RATE
    presets = _PRESETS
    best = 0.0
    worst = 1.0
    columns: ClassVar[slice]
    """Errors and windows, of the columns of ``kernel.sweep``."""

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("errors", "windows")

    def compute(self, batch: Batch) -> BatchCounts:
        # Pk and WindowDiff with the same options look at the same windows.
        counts, resolved = batch.cached(("windows", self._resolved), lambda: self._windows(batch))
        return BatchCounts(counts[:, self.columns], resolved)

    def _windows(self, batch: Batch) -> tuple[Counts, dict[str, NDArray[Any]]]:
        k, resolved = self.window(batch)
        w = k - 1 if self["width"] == "units" else k
        N = batch.length  # noqa: N806 - the paper's symbol
        if self["padded"]:
            first, last = 2 - w, N - 1
            windows = N + w + 1 if self["padding"] == "segeval" else N + w - 2
        else:
            first, last = np.ones_like(N), N - w
            windows = N - w
        counts = self.sweep(batch, w, first, last)
        np.maximum(windows, 0, out=counts[:, 1])
        return counts, resolved

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        return divide(counts[:, 0], counts[:, 1])


class Pk(_ErrorRate):
    """See :func:`pk`."""

    __slots__ = ()
    name = "pk"
    title = "Pk (Beeferman, Berger & Lafferty 1999)"
    short_name = "Pk"
    columns = slice(2, 0, -1)


class WindowDiff(_ErrorRate):
    """See :func:`window_diff`."""

    __slots__ = ()
    name = "window_diff"
    title = "WindowDiff (Pevzner & Hearst 2002)"
    short_name = "WD"
    columns = slice(0, 2)


class WinPR(_Windowed):
    """See :func:`win_pr`."""

    __slots__ = ()
    name = "win_pr"
    title = "WinPR (Scaiano & Inkpen 2012)"
    short_name = "WinPR"
    # A window without width would see nothing and call everything right, so k is at least 1.
    options = (_WINDOW, *_HOW_K, Option(_MINIMUM.name, 2, whole(1), _MINIMUM.description), _CLAMP)

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("tp", "fp", "fn", "tn")

    def compute(self, batch: Batch) -> BatchCounts:
        k, resolved = self.window(batch)
        N = batch.length  # noqa: N806
        tp, fp, fn = self.sweep(batch, k, 2 - k, N - 1)[:, 3:].T
        positions = (N - 1).astype(float)
        counts = np.column_stack([tp, fp, fn, k * positions - tp - fp - fn])
        return BatchCounts(counts / np.maximum(k, 1)[:, None], resolved)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        tp, fp, fn, _ = counts.T
        # F = 2PR / (P + R) = 2 TP / (2 TP + FP + FN), also where one of P and R is 0/0 with the other side not empty.
        return divide(2 * tp, 2 * tp + fp + fn, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        boundaries = 2 * tp + fp + fn
        precision, recall = ratio(tp, tp + fp, boundaries), ratio(tp, tp + fn, boundaries)
        return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}


def pk(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    window: int | None = None,
    padded: bool = False,
    compat: str | None = None,
    rounding: str | None = None,
    width: str | None = None,
    mean: str | None = None,
    minimum: int | None = None,
    clamp: bool | None = None,
    padding: str | None = None,
) -> Score:
    """Pk: how often do two units k apart lie in one segment on one side only?

    An error rate from 0 (identical) to 1. Over the N-k pairs of units (i, i+k),

        Pk = share where [same segment in the reference] != [same segment in the hypothesis]

    with k half the mean reference segment, rounded half up, at least 2 and at most N-1; ``params["window"]`` is the k
    that was used. Always defined: two texts without boundaries give 0, counted over their windows.

    It is not symmetric (k comes from the reference), hardly sees a segment shorter than k, and treats a missed boundary
    as worse than an added one (Pevzner & Hearst 2002): prefer B for anything new. ``padded`` puts k-1 empty positions
    at each end, so that boundaries near the ends count as often as others. Types and position N are not looked at.

    ``compat``: ``"fournier2012"`` (a window is k units wide), ``"segeval-2.0.11"`` (k half-even, not clamped),
    ``"nltk"`` (k = (N-1) / (2 boundaries), half-even, no minimum). The remaining options are what presets are made of.

    Beeferman, D., Berger, A., & Lafferty, J. (1999). Statistical models for text segmentation. Machine Learning 34.

    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> score = pk(reference, hypothesis)
    >>> f"{score.value:.4f}", score.parts, score.params["window"]
    ('0.2222', {'errors': 2, 'windows': 9}, 2)
    """
    return Pk.cached(
        compat,
        window=window,
        padded=padded,
        rounding=rounding,
        width=width,
        mean=mean,
        minimum=minimum,
        clamp=clamp,
        padding=padding,
    ).score(reference, hypothesis)


def window_diff(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    window: int | None = None,
    padded: bool = False,
    compat: str | None = None,
    rounding: str | None = None,
    width: str | None = None,
    mean: str | None = None,
    minimum: int | None = None,
    clamp: bool | None = None,
    padding: str | None = None,
) -> Score:
    """WindowDiff: how often do the two sides have a different *number* of boundaries in a window of k positions?

    An error rate from 0 (identical) to 1. Over the N-k windows between unit i and unit i+k,

        WD = share where b_ref(i, i+k) != b_hyp(i, i+k)

    k, ``padded`` (after Lamprier et al. 2007: N+k-2 windows, none of them wholly in the padding) and ``compat`` as for
    :func:`pk`. It is not symmetric, and a near miss costs about as much as a wide one of k or more. Papers report
    1 - WD, "the higher the better". segeval pads k positions, inspects N+k windows and divides by N+k+1: that is
    ``padded=True, compat="segeval-2.0.11"``.

    Pevzner, L., & Hearst, M. (2002). A critique and improvement of an evaluation metric for text segmentation.
    Computational Linguistics 28(1). Lamprier, S., et al. (2007). On evaluation methodologies for text segmentation
    algorithms. ICTAI.

    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([1, 1, 1, 2, 6])
    >>> f"{1 - window_diff(reference, hypothesis).value:.4f}"      # Fournier 2013, Figure 8
    '0.6667'
    """
    return WindowDiff.cached(
        compat,
        window=window,
        padded=padded,
        rounding=rounding,
        width=width,
        mean=mean,
        minimum=minimum,
        clamp=clamp,
        padding=padding,
    ).score(reference, hypothesis)


def win_pr(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    window: int | None = None,
    rounding: str | None = None,
    mean: str | None = None,
    minimum: int | None = None,
    clamp: bool | None = None,
) -> Score:
    """WinPR: precision and recall with credit for near misses, from counts in windows.

    Over all N+k-2 windows of k consecutive positions that touch an inner position (outside there is nothing), with R
    and H the boundaries of each side inside the window, all divided by k:

        TP = sum min(R, H)    FP = sum max(0, H-R)    FN = sum max(0, R-H)    TN = k(N-1) - TP - FP - FN

    so TP+FN is the number of reference boundaries and TP+FP that of the hypothesis. The value is F1; precision and
    recall are ``score.precision()``, ``score.recall()``. k as for :func:`pk`; 1 if both sides are empty.

    Scaiano, M., & Inkpen, D. (2012). Getting more from segmentation evaluation. NAACL-HLT.

    >>> reference, hypothesis = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7])
    >>> win_pr(reference, hypothesis, window=2).parts
    {'tp': 1.5, 'fp': 0.5, 'fn': 0.5, 'tn': 7.5}
    """
    return WinPR.cached(None, window=window, rounding=rounding, mean=mean, minimum=minimum, clamp=clamp).score(
        reference, hypothesis
    )
