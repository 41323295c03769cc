"""Cochran's Q, percentage agreement, and the crisp gold standard that follows from counting coders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from caesura.errors import MismatchError, OptionError, Undefined
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, kind_name, reason_not_linear
from caesura.model.segmentation import Segmentation
from caesura.model.tokens import text_difference
from caesura.version import __version__

__all__ = ["CochranQ", "PartialQ", "PercentageAgreement", "cochran_q", "percentage_agreement"]

Coded = Iterable[Segmentation] | Mapping[str, Segmentation] | Corpus
"""The coders of one text, with or without names, or of several texts."""
Counts = tuple[int, ...]


@dataclass(frozen=True)
class MarkTable:
    """The table coders x positions, as far as anything here looks at it: its margins."""

    coders: tuple[str, ...]
    marks: Counts
    """L_i: how many positions each coder marked."""
    by_item: dict[str, Counts]
    """G_j: how many coders marked each position, item by item."""
    units: dict[str, tuple[str, ...] | None]
    """The text of each item, where a coder carries it."""
    one_text: bool
    """Whether the coders of one text were given, and no corpus."""
    dropped: dict[str, str]

    @property
    def positions(self) -> int:
        """k, of all items together."""
        return sum(map(len, self.by_item.values()))

    @property
    def with_count(self) -> Counter[int]:
        """How many positions each count has."""
        return Counter(chain.from_iterable(self.by_item.values()))

    @property
    def counts(self) -> Counts | dict[str, Counts]:
        """G_j, in the shape of what was given."""
        return self.by_item[""] if self.one_text else dict(self.by_item)

    @property
    def percentage(self) -> float:
        """See :func:`percentage_agreement`."""
        c = len(self.coders)
        return sum(n * max(g, c - g) for g, n in self.with_count.items()) / (c * self.positions)

    def described(self) -> list[str]:
        """For a signature: how much there is."""
        return [f"coders:{len(self.coders)}", f"items:{len(self.by_item)}", f"positions:{self.positions}"]


@dataclass(frozen=True, slots=True)
class PartialQ:
    """The part of Q that comes from the positions which ``g`` coders marked."""

    g: int
    positions: int
    """n_g: how many positions that is."""
    q: float
    p: float
    """Chi-square with n_g degrees of freedom; descriptive, see :func:`cochran_q`."""
    significant: bool

    @property
    def df(self) -> int:
        """Degrees of freedom: n_g."""
        return self.positions

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "g": self.g,
            "positions": self.positions,
            "q": self.q,
            "df": self.df,
            "p": self.p,
            "significant": self.significant,
        }


@dataclass(frozen=True)
class CochranQ:
    """What :func:`cochran_q` found; ``float(result)`` is ``.q``."""

    q: float
    df: int
    """k - 1."""
    p: float
    alpha: float
    partial: tuple[PartialQ, ...]
    """A row for each count that occurs, rising; their ``q`` add up to Q."""
    threshold: int | None
    """By the partial Q: this many coders make a boundary. None if there is no such number."""
    chance_threshold: int | None
    """By the exact distribution of chance: this many coders make a boundary. None if all of them are not enough."""
    table: MarkTable = field(repr=False)

    def __float__(self) -> float:
        return self.q

    @property
    def coders(self) -> tuple[str, ...]:
        """Their names; "coder 1", "coder 2" ... where none were given."""
        return self.table.coders

    @property
    def marks(self) -> Counts:
        """L_i: how many positions each coder marked."""
        return self.table.marks

    @property
    def positions(self) -> int:
        """k: the inner positions of all items together."""
        return self.table.positions

    @property
    def counts(self) -> Counts | dict[str, Counts]:
        """G_j: how many coders marked each inner position; for a corpus item -> counts."""
        return self.table.counts

    @property
    def percentage(self) -> float:
        """Percentage agreement with the majority; see :func:`percentage_agreement`."""
        return self.table.percentage

    @property
    def dropped(self) -> dict[str, str]:
        """Items left out, and why."""
        return self.table.dropped

    @property
    def signature(self) -> str:
        """One line that lets someone else reproduce the numbers."""
        return self._signature()

    def _signature(self, *more: str) -> str:
        return "|".join(["cochran_q", f"alpha:{self.alpha}", *self.table.described(), *more, f"caesura:{__version__}"])

    def gold(self, threshold: int | None = None, which: str = "partial") -> Segmentation | dict[str, Segmentation]:
        """The crisp gold standard: a boundary wherever at least so many coders put one.

        ``which`` takes ``.threshold`` ("partial", lenient) or ``.chance_threshold`` ("chance"); a ``threshold`` of your own
        overrules both. For a corpus it is item -> segmentation. The text of the units is kept, if a coder carries it.
        ``gold_signature`` with the same arguments says which threshold was used. ``Undefined`` is raised where there is
        no such threshold.
        """
        least, _ = self._least(threshold, which)
        made = {
            item: Segmentation.from_positions(
                len(counts) + 1, [j for j, g in enumerate(counts, 1) if g >= least], units=self.table.units[item]
            )
            for item, counts in self.table.by_item.items()
        }
        return made[""] if self.table.one_text else made

    def gold_signature(self, threshold: int | None = None, which: str = "partial") -> str:
        """One line that says how the gold standard with these arguments was made, the threshold used among it."""
        least, source = self._least(threshold, which)
        return self._signature(f"gold:{source}", f"threshold:{least}")

    def _least(self, threshold: int | None, which: str) -> tuple[int, str]:
        """How many coders make a boundary, and who says so."""
        if which not in ("partial", "chance"):
            raise OptionError(f"which must be 'partial' or 'chance'; got {which!r}")
        if threshold is not None:
            if which == "chance":
                raise OptionError(f"give threshold or which='chance', not both; got threshold={threshold!r}")
            c = len(self.coders)
            if isinstance(threshold, bool) or not isinstance(threshold, int) or not 1 <= threshold <= c:
                raise OptionError(f"threshold must be a whole number from 1 to {c}, the coders; got {threshold!r}")
            return threshold, "given"
        found = self.threshold if which == "partial" else self.chance_threshold
        if found is None:
            why = (
                "no count above the mean is significant" if which == "partial" else "even all coders may meet by chance"
            )
            raise Undefined(f"{why} at alpha={self.alpha}, so there is no {which} threshold; give threshold=...")
        return found, which

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        counts = self.counts
        return {
            "q": self.q,
            "df": self.df,
            "p": self.p,
            "alpha": self.alpha,
            "coders": list(self.coders),
            "marks": list(self.marks),
            "positions": self.positions,
            "counts": {item: list(one) for item, one in counts.items()} if isinstance(counts, dict) else list(counts),
            "partial": [row.to_dict() for row in self.partial],
            "threshold": self.threshold,
            "chance_threshold": self.chance_threshold,
            "percentage": self.percentage,
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class PercentageAgreement:
    """What :func:`percentage_agreement` found; ``float(result)`` is ``.value``."""

    value: float
    table: MarkTable = field(repr=False)

    def __float__(self) -> float:
        return self.value

    @property
    def coders(self) -> tuple[str, ...]:
        """Their names; "coder 1", "coder 2" ... where none were given."""
        return self.table.coders

    @property
    def positions(self) -> int:
        """k: the inner positions of all items together."""
        return self.table.positions

    @property
    def dropped(self) -> dict[str, str]:
        """Items left out, and why."""
        return self.table.dropped

    @property
    def signature(self) -> str:
        """One line that lets someone else reproduce the number."""
        return "|".join(["percentage_agreement", *self.table.described(), f"caesura:{__version__}"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "value": self.value,
            "coders": list(self.coders),
            "positions": self.positions,
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


def cochran_q(segmentations: Coded, *, alpha: float = 0.01) -> CochranQ:
    """Do coders mark the same positions more often than chance would have them, and how many make a boundary?

    Each of c coders marks some of k inner positions. L_i is how many coder i marked, G_j how many coders marked
    position j. If each coder had thrown the marks at random, the G_j would lie close to their mean:

        Q = k (k-1) sum_j (G_j - mean G)^2 / D        D = k sum_i L_i - sum_i L_i^2

    is then about chi-square with k-1 degrees of freedom. A large Q (a small ``.p``) says that coders do not mark at
    random; it does not say that they agree well. With many positions it hardly ever says anything else.

    Q falls into a part for each count g that occurs, ``.partial``: with n_g positions that g coders marked,
    Q_g = n_g (g - mean G)^2 k (k-1) / D, held against chi-square with n_g degrees of freedom. ``.threshold`` is the smallest
    count above the mean that is significant (p <= ``alpha``) together with every larger one that occurs. This is how
    Passonneau & Litman find the number of coders that makes a boundary. The groups are chosen by the outcome that is
    tested, so the test is descriptive and the threshold lenient: 7 coders who each throw 15 marks at random into 100
    positions nearly always get a threshold of 3. ``.chance_threshold`` is therefore given beside it: the smallest g with
    k P(G >= g) <= ``alpha``, where G, the marks that meet at a position by chance, is a sum of independent events with the
    probabilities L_i / k (Poisson-binomial, computed exactly). In that example it is 6, at .05 as at .01.

    ``.gold()`` is the crisp gold standard, by the partial threshold unless ``which="chance"`` or a number is given.
    Precision, recall and F of a program against it are those of ``caesura.crisp``, the "existing evaluation" of the paper.

    ``segmentations`` are the coders of one text, in a sequence or a mapping from names; or a ``Corpus``, whose items are
    laid side by side as one long text. The table must have no holes: items that some coder of the corpus lacks are left
    out and named in ``.dropped``, and so are items whose coders segmented different texts, and dialogues. Position N is
    not looked at, nor are types: a position is marked or it is not. ``Undefined`` is raised where D is 0, which is where
    every coder marked everything or nothing, so that Q is 0/0.

    Departures from the paper: equation 1 prints a sum inside the square, which is the mean; and its example holds a Q of
    3691 positions against 45, the chi-square of 20 degrees of freedom, where 3690 ask for 3961 at p = .001.

    References: Cochran (1950), Biometrika 37: 256-266; Passonneau & Litman (1997), Computational Linguistics 23(1): 103-139;
    the paper is Yöndem & Üçoluk, A realistic success criterion for discourse segmentation, section 3.

    >>> from caesura import crisp
    >>> coders = [Segmentation.from_positions(40, marked) for marked in ([9, 20, 31], [9, 20], [9, 21, 31], [9, 20, 33])]
    >>> found = cochran_q(coders)
    >>> f"Q = {found.q:.2f}, df = {found.df}, p = {found.p:.1e}"
    'Q = 103.88, df = 38, p = 4.9e-08'
    >>> [(row.g, row.positions, row.significant) for row in found.partial]
    [(0, 34, False), (1, 2, False), (2, 1, True), (3, 1, True), (4, 1, True)]
    >>> found.threshold, found.chance_threshold
    (2, 4)
    >>> program = Segmentation.from_positions(40, [9, 20, 32])
    >>> gold = found.gold()
    >>> gold.inner.tolist(), found.gold_signature().split("|")[5:7]
    ([9, 20, 31], ['gold:partial', 'threshold:2'])
    >>> score = crisp(gold, program)
    >>> f"precision {score.precision():.3f}, recall {score.recall():.3f}, F {score.f():.3f}"
    'precision 0.667, recall 0.667, F 0.667'
    """
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise OptionError(f"alpha must lie between 0 and 1; got {alpha!r}")
    alpha = float(alpha)
    table = _tabulate(segmentations)
    k = table.positions
    if k < 2:
        raise OptionError(f"Cochran's Q needs at least two inner positions; got {k}")
    L = table.marks  # noqa: N806 - the literature's symbols
    D = k * sum(L) - sum(n * n for n in L)  # noqa: N806
    if not D:
        raise Undefined("every coder marked all positions or none, so Q is 0/0")
    from scipy.special import chdtrc  # here, because it takes as long to load as all the rest

    partial = []
    for g, n in sorted(table.with_count.items()):
        # n (g - mean G)^2 k (k-1) / D over whole numbers, so that the division is the only rounding
        part = n * (k * g - sum(L)) ** 2 * (k - 1) / (k * D)
        p = float(chdtrc(n, part))
        partial.append(PartialQ(g, n, part, p, p <= alpha))
    Q = math.fsum(row.q for row in partial)  # noqa: N806
    return CochranQ(
        q=Q,
        df=k - 1,
        p=float(chdtrc(k - 1, Q)),
        alpha=alpha,
        partial=tuple(partial),
        threshold=_threshold(partial, sum(L) / k),
        chance_threshold=_chance_threshold(L, k, alpha),
        table=table,
    )


def percentage_agreement(segmentations: Coded) -> PercentageAgreement:
    """How often coders side with the majority, position by position, from 1/2 to 1.

    With G_j of c coders marking position j, and k positions,

        percentage agreement = sum_j max(G_j, c - G_j) / (c k)

    (Passonneau & Litman 1993, after Gale et al. 1992). The figure is inflated: boundaries are rare, so that nearly everybody
    agrees nearly everywhere that there is none. Seven coders who throw 15 marks each at random into 100 positions agree to
    85 %, and coders who mark nothing at all to 100 %. It is here to be compared with older work; report a coefficient
    that corrects for chance beside it.

    ``segmentations`` are as in :func:`cochran_q`.

    >>> percentage_agreement([Segmentation.from_bits("0100"), Segmentation.from_bits("0100"), Segmentation.from_bits("0010")])
    PercentageAgreement(value=0.8333333333333334)
    """
    table = _tabulate(segmentations)
    if not table.positions:
        raise OptionError("percentage agreement needs at least one inner position; got none")
    return PercentageAgreement(table.percentage, table)


def chance_tail(marks: Iterable[int], positions: int) -> list[float]:
    """P(G >= g) for g = 0, 1, ... c, where coder i marks a position with probability marks[i] / positions."""
    mass = np.ones(1)
    for n in sorted(marks):  # so that the order of the coders matters to no digit
        mass = np.convolve(mass, [(positions - n) / positions, n / positions])
    tail: list[float] = np.cumsum(mass[::-1])[::-1].tolist()  # from the rare end, where the small terms are
    return tail


def _threshold(partial: list[PartialQ], mean: float) -> int | None:
    found = None
    for row in reversed(partial):
        if row.g <= mean or not row.significant:
            break
        found = row.g
    return found


def _chance_threshold(marks: Counts, k: int, alpha: float) -> int | None:
    return next((g for g, tail in enumerate(chance_tail(marks, k)) if k * tail <= alpha), None)


def _tabulate(segmentations: Coded) -> MarkTable:
    """The margins of the table, if at least two coders segmented the same."""
    if isinstance(segmentations, Corpus):
        coders = segmentations.coders
        texts, dropped = _complete(segmentations)
    else:
        by_coder = _named(segmentations)
        coders = tuple(by_coder)
        texts, dropped = {"": by_coder}, {}
    if len(coders) < 2:
        raise OptionError(f"at least two coders are needed; got {', '.join(coders) or 'none'}")
    if not texts:
        why = "; ".join(f"item {item!r}: {reason}" for item, reason in dropped.items())
        raise OptionError(f"no item is left that every coder coded: {why}")
    if not isinstance(segmentations, Corpus):
        said = text_difference(texts[""])
        if said is not None:
            raise MismatchError(f"all coders must segment the same text{said}")
    by_item = {}
    for item, text in texts.items():
        counts = np.zeros(next(iter(text.values())).length - 1, np.int64)
        for one in text.values():
            counts[one.inner - 1] += 1
        by_item[item] = tuple(counts.tolist())
    return MarkTable(
        coders=coders,
        marks=tuple(sum(text[coder].inner.size for text in texts.values()) for coder in coders),
        by_item=by_item,
        units={
            item: next((one.units for one in text.values() if one.units is not None), None)
            for item, text in texts.items()
        },
        one_text=not isinstance(segmentations, Corpus),
        dropped=dropped,
    )


def _named(segmentations: Iterable[Segmentation] | Mapping[str, Segmentation]) -> dict[str, Segmentation]:
    needed = "a sequence of Segmentation, a mapping coder -> Segmentation or a Corpus is needed"
    if isinstance(segmentations, Dialogue):
        raise OptionError(f"segmentations: {needed}; got one Dialogue, which has streams and no coders")
    if isinstance(segmentations, Mapping):
        given = {str(coder): (f"coder {coder!r}", one) for coder, one in segmentations.items()}
        if len(given) < len(segmentations):
            raise OptionError(f"segmentations: coders must differ in name; got {', '.join(map(repr, segmentations))}")
    else:
        try:
            listed = list(segmentations)
        except TypeError:
            raise OptionError(f"segmentations: {needed}; got {type(segmentations).__name__}") from None
        given = {f"coder {i + 1}": (f"segmentations[{i}]", one) for i, one in enumerate(listed)}
    for place, one in given.values():
        if isinstance(one, Mapping):
            raise OptionError(f"{place}: a Segmentation is needed; got streams, which are not supported here")
        if not isinstance(one, Segmentation):
            raise OptionError(f"{place}: a Segmentation is needed; got {kind_name(one)}")
    return {coder: one for coder, (_, one) in given.items()}


def _complete(corpus: Corpus) -> tuple[dict[str, dict[str, Segmentation]], dict[str, str]]:
    """The items that every coder coded, and why the others cannot be used."""
    texts: dict[str, dict[str, Segmentation]] = {}
    dropped: dict[str, str] = {}
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        missing = [coder for coder in corpus.coders if coder not in by_coder]
        plain = {coder: one for coder, one in by_coder.items() if isinstance(one, Segmentation)}
        said = text_difference(plain) if plain else None
        if missing:
            dropped[item] = f"not coded by {', '.join(missing)}"
        elif strange := reason_not_linear(by_coder):
            dropped[item] = strange
        elif said is not None:
            dropped[item] = said.removeprefix(": ")
        else:
            texts[item] = plain
    return texts, dropped
