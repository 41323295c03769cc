"""Cochran's Q, percentage agreement, and the crisp gold standard derived from the number of coders per position."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any

import numpy as np

from caesura.agreement.coder_pairs import by_coder_name, check_coders
from caesura.agreement.placed import marks_per_position
from caesura.errors import MismatchError, OptionError, Undefined
from caesura.model.corpus import Corpus
from caesura.model.dialogue import reason_not_linear
from caesura.model.projection import text_difference
from caesura.model.result import HIDDEN, Excluded, Result, signature_line
from caesura.model.segmentation import Segmentation
from caesura.options import choice, fraction, whole

# The coders of one text, with or without names, or a corpus of several texts.
Coded = Iterable[Segmentation] | Mapping[str, Segmentation] | Corpus
Counts = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class MarkTable(Result):
    """The margins of the table of coders x positions; base class of the results that are computed from it."""

    # The coders; "coder 1", "coder 2" ... if they have no names.
    coders: tuple[str, ...] = field(repr=False, metadata=HIDDEN)
    marks: Counts = field(repr=False, metadata=HIDDEN)  # L_i: number of positions that each coder marked
    # Item -> G_j, the number of coders who marked each position.
    by_item: dict[str, Counts] = field(repr=False, metadata=HIDDEN)
    units: dict[str, tuple[str, ...] | None] = field(repr=False, metadata=HIDDEN)
    # Whether the input was the coders of a single text and not a corpus.
    single_text: bool = field(repr=False, metadata=HIDDEN)
    excluded: tuple[Excluded, ...] = field(repr=False, metadata=HIDDEN)  # items that were excluded

    @property
    def positions(self) -> int:
        """Total number of positions in all items (k)."""
        return sum(map(len, self.by_item.values()))

    @property
    def frequencies(self) -> Counter[int]:
        """Count -> number of positions with this count."""
        return Counter(chain.from_iterable(self.by_item.values()))

    @property
    def counts(self) -> Counts | dict[str, Counts]:
        """G_j: the counts of a single text, or item -> counts for a corpus."""
        return self.by_item[""] if self.single_text else dict(self.by_item)

    @property
    def percentage(self) -> float:
        """Percentage agreement with the majority; see :func:`percentage_agreement`."""
        c = len(self.coders)
        return sum(n * max(g, c - g) for g, n in self.frequencies.items()) / (c * self.positions)

    @property
    def sizes(self) -> dict[str, Any]:
        """Numbers of coders, items and positions, for a signature."""
        return {"coders": len(self.coders), "items": len(self.by_item), "positions": self.positions}


@dataclass(frozen=True, slots=True)
class PartialQ(Result):
    """The part of Q contributed by the positions that exactly ``g`` coders marked."""

    json_properties = ("df",)

    g: int  # number of coders
    positions: int  # n_g: number of positions that exactly g coders marked
    q: float  # the part of Q
    p: float  # chi-square with n_g degrees of freedom; descriptive, see ``cochran_q``
    significant: bool  # whether p is at most alpha

    @property
    def df(self) -> int:
        """Degrees of freedom (n_g)."""
        return self.positions


@dataclass(frozen=True)
class CochranQ(MarkTable):
    """Result of :func:`cochran_q`; ``float(result)`` is ``.q``.

    Attributes
    ----------
    q : float
        Cochran's Q.
    df : int
        Degrees of freedom: k - 1.
    p : float
        p-value of Q.
    alpha : float
        Significance level.
    partial : tuple of PartialQ
        One row per count that occurs, in ascending order; their ``q`` sum to Q.
    threshold : int or None
        Smallest number of coders that counts as a boundary, by the partial Q; None if there is none.
    chance_threshold : int or None
        Smallest number of coders that counts as a boundary, by the exact chance distribution; None if all
        coders are too few.
    """

    json_properties = ("coders", "marks", "positions", "counts", "percentage", "excluded", "signature")
    frame_field = "partial"

    q: float
    df: int
    p: float
    alpha: float
    partial: tuple[PartialQ, ...]
    threshold: int | None
    chance_threshold: int | None

    def __float__(self) -> float:
        return self.q

    @property
    def signature(self) -> str:
        """One line with everything needed to reproduce the numbers."""
        return signature_line("cochran_q", alpha=self.alpha, **self.sizes)

    def gold(self, threshold: int | None = None, rule: str = "partial") -> Segmentation | dict[str, Segmentation]:
        """Return the crisp gold standard, which has a boundary at every position that enough coders marked.

        Parameters
        ----------
        threshold : int, optional
            Minimum number of coders for a boundary (default: chosen by ``rule``).
        rule : {"partial", "chance"}, default "partial"
            ``.threshold`` (lenient) or ``.chance_threshold``.

        Returns
        -------
        Segmentation or dict
            The gold standard, with the text of the units if a coder has it; for a corpus, item -> segmentation. Call
            ``gold_signature`` with the same arguments to get the threshold that was used.

        Raises
        ------
        Undefined
            If there is no such threshold.
        """
        minimum, _ = self._minimum(threshold, rule)
        gold = {
            item: Segmentation.from_positions(
                len(counts) + 1, [j for j, g in enumerate(counts, 1) if g >= minimum], units=self.units[item]
            )
            for item, counts in self.by_item.items()
        }
        return gold[""] if self.single_text else gold

    def gold_signature(self, threshold: int | None = None, rule: str = "partial") -> str:
        """Return one line that describes the gold standard for these arguments.

        Parameters
        ----------
        threshold : int, optional
            See :meth:`gold`.
        rule : {"partial", "chance"}, default "partial"
            See :meth:`gold`.

        Returns
        -------
        str
            The signature, with the threshold.
        """
        minimum, source = self._minimum(threshold, rule)
        return signature_line("cochran_q", alpha=self.alpha, **self.sizes, gold=source, threshold=minimum)

    def _minimum(self, threshold: int | None, rule: str) -> tuple[int, str]:
        """Return the minimum number of coders for a boundary, and the source of that number."""
        rule = choice("partial", "chance")("rule", rule)
        if threshold is not None:
            if rule == "chance":
                raise OptionError(f"set threshold or rule='chance', not both; got threshold={threshold!r}")
            return whole(1, len(self.coders))("threshold", threshold), "given"
        minimum, reason = self.threshold, "no count above the mean is significant"
        if rule == "chance":
            minimum, reason = self.chance_threshold, "even marks of all coders may coincide by chance"
        if minimum is None:
            raise Undefined(f"{reason} at alpha={self.alpha}, so there is no {rule} threshold; set threshold=...")
        return minimum, rule


@dataclass(frozen=True)
class PercentageAgreement(MarkTable):
    """Result of :func:`percentage_agreement`; ``float(result)`` is ``.value``.

    Attributes
    ----------
    value : float
        Percentage agreement, from 1/2 to 1.
    """

    json_properties = ("coders", "positions", "excluded", "signature")

    value: float

    def __float__(self) -> float:
        return self.value

    @property
    def signature(self) -> str:
        """One line with everything needed to reproduce the number."""
        return signature_line("percentage_agreement", **self.sizes)


def cochran_q(segmentations: Coded, *, alpha: float = 0.01) -> CochranQ:
    """Test whether coders agree on positions more than by chance, and compute how many coders a boundary needs.

    Parameters
    ----------
    segmentations : iterable of Segmentation, mapping or Corpus
        The coders of one text, in a sequence or a mapping from names; or a ``Corpus``, whose items are treated as one long
        text.
    alpha : float, default 0.01
        Significance level of the thresholds.

    Returns
    -------
    CochranQ
        The test, its parts and two thresholds. ``.excluded`` lists dialogues, items that not all coders annotated, and
        items whose coders segmented different texts.

    Raises
    ------
    Undefined
        If every coder marked everything or nothing, so that Q is 0/0.

    Notes
    -----
    Each of c coders marks some of k inner positions. Position N and boundary types are ignored. L_i is the number of
    positions that coder i marked, and G_j is the number of coders who marked position j::

        Q = k (k-1) sum_j (G_j - mean G)^2 / D        D = k sum_i L_i - sum_i L_i^2

    If each coder marks positions at random, the G_j are close to their mean, and Q is approximately chi-square with k-1
    degrees of freedom. A large Q (a small ``.p``) shows that coders do not mark at random. It does not show that they agree
    well. With many positions, Q is almost always significant.

    **Partial Q.** Q is a sum of parts (``.partial``), one for each count g that occurs. If g coders marked n_g positions::

        Q_g = n_g (g - mean G)^2 k (k-1) / D

    which is compared with chi-square with n_g degrees of freedom.

    **Thresholds.** ``.threshold`` is the rule of Passonneau & Litman for the number of coders needed for a boundary: the
    smallest count above the mean such that this count and all larger counts are significant (p <= ``alpha``). The groups
    depend on the outcome that is tested. The test is therefore descriptive, and the threshold is lenient. For example,
    7 coders who each place 15 marks at random in 100 positions nearly always get a threshold of 3.

    ``.chance_threshold`` is stricter: the smallest g with k P(G >= g) <= ``alpha``. G is the number of marks that coincide
    at a position by chance. It is a sum of independent events with the probabilities L_i / k (Poisson-binomial), and its
    distribution is computed exactly. In the example the threshold is 6, both at .05 and at .01.

    **Gold standard.** ``.gold()`` uses the partial threshold, unless you pass ``rule="chance"`` or a number. To compare a
    program with it, use ``caesura.crisp``; its precision, recall and F are the "existing evaluation" in the paper by Yöndem &
    Üçoluk.

    There are two differences from that paper. Its equation 1 prints a sum inside the square where the mean is correct. Its
    example compares the Q of 3691 positions with 45, the critical value for 20 degrees of freedom; with 3690 degrees of
    freedom the critical value at p = .001 is 3961.

    References
    ----------
    - Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37: 256-266.
    - Passonneau, R. J., & Litman, D. J. (1997). Discourse segmentation by human and automated means. Computational
      Linguistics 23(1): 103-139.
    - Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation, section 3.

    Examples
    --------
    >>> from caesura import crisp
    >>> coders = [Segmentation.from_positions(40, marks) for marks in ([9, 20, 31], [9, 20], [9, 21, 31], [9, 20, 33])]
    >>> result = cochran_q(coders)
    >>> f"Q = {result.q:.2f}, df = {result.df}, p = {result.p:.1e}"
    'Q = 103.88, df = 38, p = 4.9e-08'
    >>> [(row.g, row.positions, row.significant) for row in result.partial]
    [(0, 34, False), (1, 2, False), (2, 1, True), (3, 1, True), (4, 1, True)]
    >>> result.threshold, result.chance_threshold
    (2, 4)
    >>> program = Segmentation.from_positions(40, [9, 20, 32])
    >>> gold = result.gold()
    >>> gold.inner.tolist(), result.gold_signature().split("|")[5:7]
    ([9, 20, 31], ['gold:partial', 'threshold:2'])
    >>> score = crisp(gold, program)
    >>> f"precision {score.precision():.3f}, recall {score.recall():.3f}, F {score.f():.3f}"
    'precision 0.667, recall 0.667, F 0.667'
    """
    alpha = fraction("alpha", alpha)
    table = _tabulate(segmentations)
    k = table.positions
    if k < 2:
        raise OptionError(f"Cochran's Q needs at least two inner positions; got {k}")
    L = table.marks  # noqa: N806 - the literature's symbols
    D = k * sum(L) - sum(n * n for n in L)  # noqa: N806
    if not D:
        raise Undefined("every coder marked all positions or none, so Q is 0/0")
    from scipy.special import chdtrc  # slow to import

    partial = []
    for g, n in sorted(table.frequencies.items()):
        # n (g - mean G)^2 k (k-1) / D over whole numbers, so that the division is the only rounding
        part = n * (k * g - sum(L)) ** 2 * (k - 1) / (k * D)
        p = float(chdtrc(n, part))
        partial.append(PartialQ(g, n, part, p, p <= alpha))
    Q = math.fsum(row.q for row in partial)  # noqa: N806
    significant = takewhile(lambda row: row.significant and row.g > sum(L) / k, reversed(partial))
    return CochranQ(
        q=Q,
        df=k - 1,
        p=float(chdtrc(k - 1, Q)),
        alpha=alpha,
        partial=tuple(partial),
        threshold=min((row.g for row in significant), default=None),
        chance_threshold=next((g for g, tail in enumerate(chance_tail(L, k)) if k * tail <= alpha), None),
        **vars(table),
    )


def percentage_agreement(segmentations: Coded) -> PercentageAgreement:
    """Compute how often coders agree with the majority at each position, from 1/2 to 1.

    Parameters
    ----------
    segmentations : iterable of Segmentation, mapping or Corpus
        See :func:`cochran_q`.

    Returns
    -------
    PercentageAgreement
        The value. ``.excluded`` lists the same items as in :func:`cochran_q`.

    Notes
    -----
    If G_j of c coders mark position j, and there are k positions::

        percentage agreement = sum_j max(G_j, c - G_j) / (c k)

    The number is inflated. Boundaries are rare, so nearly all coders agree that most positions have no boundary. Seven
    coders who each place 15 marks at random in 100 positions have an agreement of 85 %, and coders who mark nothing have
    100 %. Use it only for comparison with older work, and also report a chance-corrected coefficient.

    References
    ----------
    Passonneau, R. J., & Litman, D. J. (1993). Intention-based segmentation. ACL; after Gale, W., Church, K. W., & Yarowsky,
    D. (1992).

    Examples
    --------
    >>> percentage_agreement([Segmentation.from_bits("0100"), Segmentation.from_bits("0100"), Segmentation.from_bits("0010")])
    PercentageAgreement(value=0.8333333333333334)
    """
    table = _tabulate(segmentations)
    if not table.positions:
        raise OptionError("percentage agreement needs at least one inner position; got none")
    return PercentageAgreement(table.percentage, **vars(table))


def chance_tail(marks: Iterable[int], positions: int) -> list[float]:
    """Return the probability that at least g coders mark a position by chance."""
    mass = np.ones(1)
    for n in sorted(marks):  # so that the order of the coders does not change the last digit
        mass = np.convolve(mass, [(positions - n) / positions, n / positions])
    tail: list[float] = np.cumsum(mass[::-1])[::-1].tolist()  # adds the small terms first, for precision
    return tail


def _tabulate(segmentations: Coded) -> MarkTable:
    """Return the margins of the table; raise an error unless at least two coders segmented the same text."""
    excluded: list[Excluded] = []
    if isinstance(segmentations, Corpus):
        coders = segmentations.coders
        check_coders(coders)
        texts = _complete_items(segmentations, excluded)
    else:
        by_coder = by_coder_name("segmentations", segmentations, Segmentation)
        coders = tuple(by_coder)
        check_coders(coders)
        if (difference := text_difference(by_coder)) is not None:
            raise MismatchError(f"all coders must segment the same text{difference}")
        texts = {"": by_coder}
    return MarkTable(
        coders=coders,
        marks=tuple(sum(by_coder[coder].inner.size for by_coder in texts.values()) for coder in coders),
        by_item={item: marks_per_position([*by_coder.values()]) for item, by_coder in texts.items()},
        units={
            item: next((text.units for text in by_coder.values() if text.units is not None), None)
            for item, by_coder in texts.items()
        },
        single_text=not isinstance(segmentations, Corpus),
        excluded=tuple(excluded),
    )


def _complete_items(corpus: Corpus, excluded: list[Excluded]) -> dict[str, dict[str, Segmentation]]:
    """Return item -> coder -> segmentation for the items that all coders annotated; add the others to ``excluded``."""
    texts: dict[str, dict[str, Segmentation]] = {}
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        missing = [coder for coder in corpus.coders if coder not in by_coder]
        reason = f"not coded by {', '.join(missing)}" if missing else reason_not_linear(by_coder)
        reason = reason or (text_difference(by_coder) or "").removeprefix(": ")
        if reason:
            excluded.append(Excluded(item, None, reason))
        else:
            texts[item] = {coder: entry for coder, entry in by_coder.items() if isinstance(entry, Segmentation)}
    if not texts:
        raise OptionError(f"no item was annotated by every coder: {'; '.join(map(str, excluded))}")
    return texts
