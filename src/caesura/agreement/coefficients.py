"""Chance-corrected agreement with any coefficient: the function, its result, and the bootstrap interval."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.agreement.chance import Chance, ChanceModel, Coefficient, or_none
from caesura.agreement.families import resolve_coefficient, supports_placement
from caesura.agreement.pairwise import CoderPairs, score_coder_pairs
from caesura.engines import Engine, use_engine
from caesura.errors import CaesuraWarning, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, Reasoned, Result, signature_line
from caesura.model.signature import with_data
from caesura.model.value import Floats
from caesura.options import OptionSet, choice, fraction, optional, setting, whole

MIN_ITEMS = 20
"""Number of items below which a bootstrap interval is too narrow."""
_POSITIONS = (
    "boundary_f"  # measure for coefficients that depend on positions only; it accepts all texts of equal length
)


class _AgreementRow(Reasoned):
    """A row with a coefficient, which is undefined without boundaries or if chance agreement is 1."""

    __slots__ = ()

    value: float | None
    expected: float | None

    @property
    def reason(self) -> str | None:
        """Why the coefficient is undefined; None if it is defined."""
        if self.value is not None:
            return None
        if self.expected is None:
            return "no coder placed a boundary"
        return f"chance agreement is {self.expected:.6g}"


@dataclass(frozen=True, slots=True)
class PairAgreement(_AgreementRow):
    """Agreement of one pair of coders, computed without the other coders.

    Attributes
    ----------
    coders : tuple of str
        The two coders.
    value : float or None
        The coefficient; None if it is undefined.
    observed : float
        Observed agreement.
    expected : float or None
        Agreement by chance; None if no coder placed a boundary.
    expected_error : float
        Standard error of ``expected``; 0 if it was not simulated.
    items : int
        Number of items that both coded.
    """

    coders: tuple[str, str]
    value: float | None
    observed: float
    expected: float | None
    expected_error: float
    items: int


@dataclass(frozen=True, slots=True)
class ItemAgreement(_AgreementRow):
    """Agreement on one item, computed without the other items.

    Attributes
    ----------
    item : str
        Name of the item.
    value : float or None
        The coefficient; None if it is undefined.
    observed : float
        Observed agreement.
    expected : float or None
        Agreement by chance; None if no coder placed a boundary.
    expected_error : float
        Standard error of ``expected``; 0 if it was not simulated.
    """

    item: str
    value: float | None
    observed: float
    expected: float | None
    expected_error: float


@dataclass(frozen=True, slots=True)
class CoderAgreement(_AgreementRow):
    """Agreement of one coder with all others.

    Attributes
    ----------
    coder : str
        Name of the coder.
    value : float or None
        The coefficient over the pairs with this coder; None if it is undefined.
    observed : float
        Observed agreement.
    expected : float or None
        Agreement by chance; None if no coder placed a boundary.
    without : float or None
        The coefficient of all others, without this coder; None if it is undefined.
    gain : float or None
        ``without`` minus the coefficient of all coders; above 0 if the other coders agree better among themselves.
    items : int
        Number of items that the coder annotated.
    """

    coder: str
    value: float | None
    observed: float
    expected: float | None
    without: float | None
    gain: float | None
    items: int


@dataclass(frozen=True)
class Agreement(Result):
    """A chance-corrected coefficient with its tables; ``float(agreement)`` is ``.value``.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    measure : Measure or None
        The measure; None for ``alpha``, which only uses positions.
    value : float
        The coefficient.
    standard_error : float
        Standard error of the coefficient due to the simulation of chance; 0 if chance was not simulated.
    observed : float
        Observed agreement.
    expected : float
        Agreement by chance.
    expected_error : float
        Standard error of ``expected``.
    bias : float or None
        A_e(pi) - A_e(kappa), if chance is computed from counts: a measure of how much the coders' boundary counts differ.
    method : str
        Method by which chance agreement was computed.
    draws : int
        Number of simulated pairs of texts.
    seed : int or None
        Random seed of simulation and bootstrap; None if there was neither.
    interval : tuple of float or None
        Ends of the bootstrap interval; None if there is none.
    interval_note : str
        Description of the interval, or the reason why there is none.
    pairs : tuple of PairAgreement
        One row per pair of coders.
    items : tuple of ItemAgreement
        One row per item.
    coders : tuple of CoderAgreement
        One row per coder.
    excluded : tuple of Excluded
        Items that were excluded.
    signature : str
        One line with everything needed to reproduce the number.
    """

    json_properties = ("outliers",)
    frame_field = "pairs"

    coefficient: str
    measure: Measure | None
    value: float
    standard_error: float
    observed: float
    expected: float
    expected_error: float
    bias: float | None
    method: str
    draws: int
    seed: int | None
    interval: tuple[float, float] | None
    interval_note: str
    pairs: tuple[PairAgreement, ...]
    items: tuple[ItemAgreement, ...]
    coders: tuple[CoderAgreement, ...]
    excluded: tuple[Excluded, ...]
    signature: str

    def __float__(self) -> float:
        return self.value

    @property
    def outliers(self) -> tuple[CoderAgreement, ...]:
        """Coders whose removal increases agreement, starting with the largest increase.

        The list is empty for ``bias``, because a larger bias is not better.
        """
        if self.coefficient == "bias":
            return ()
        outliers = [row for row in self.coders if row.gain is not None and row.gain > 0]
        return tuple(sorted(outliers, key=lambda row: (-(row.gain or 0), row.coder)))


def agreement(
    corpus: Corpus,
    measure: str | Measure = "boundary_similarity(n_t=2)",
    *,
    coefficient: str | None = None,
    chance: str | Chance | None = None,
    compat: str | None = None,
    interval: str | None = "items",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int | None = 0,
    engine: str | Engine = "threads",
    **options: Any,
) -> Agreement:
    """Compute chance-corrected agreement between coders.

    Parameters
    ----------
    corpus : Corpus
        Annotations of at least two coders. A coder need not annotate every item.
    measure : str or Measure, default "boundary_similarity(n_t=2)"
        Similarity of two annotations. Error rates are converted to 1 - rate.
    coefficient : str, optional
        Name of the coefficient; see Notes (default: that of the measure).
    chance : {"published", "placement", "simulate", "exact"}, Placement, Simulate or Exact, optional
        Method for chance agreement (default: as published). ``"placement"`` is the expected similarity of coders who place
        their boundaries at random. ``"simulate"``, the published method, and ``"exact"`` are for ``flexible_similarity``.
    compat : str, optional
        Convention of published figures: ``"fournier2012"`` (S only), ``"fournier2013"``, ``"segeval-2.0.11"``, or a preset of
        the measure such as ``"segsimflex"``.
    interval : {"items", "coders", None}, default "items"
        Whether the bootstrap resamples items or coders; ``None`` or ``"none"`` omits the interval.
    level : float, default 0.95
        Confidence level.
    replicates : int, default 2000
        Number of bootstrap replicates.
    seed : int or None, default 0
        Random seed of simulation and bootstrap; None chooses a random one.
    engine : str or Engine, default "threads"
        Engine for the computation: ``"threads"``, ``"processes"``, ``"dask"``, or an open engine.
    **options
        Options of coefficients whose chance is computed from counts: ``counted`` (``"boundaries"`` or ``"segments"``),
        ``rates`` (``"pooled"`` or ``"mean"``), ``types`` (``"separate"`` or ``"together"``).

    Returns
    -------
    Agreement
        The coefficient, with tables in ``.pairs``, ``.items`` and ``.coders``. ``.outliers`` lists the coders whose removal
        increases agreement. ``.interval`` is explained by ``.interval_note``. ``.excluded`` lists the items that fewer than
        two coders annotated or that cannot be scored.

    Raises
    ------
    Undefined
        If no coder placed a boundary, or chance agreement is 1 or more.
    OptionError
        If the measure has no such coefficient, or an option does not belong to it.

    Notes
    -----
    A coefficient is ::

        (observed - expected) / (1 - expected)

    1 is full agreement, 0 is chance agreement, and negative values are worse than chance. Observed agreement is the
    similarity of all pairs of coders on all items that both coded, computed from summed parts. For B it is the mean
    correctness of boundary pairs; for S it is weighted by positions. (Equation 12 of the 2012 paper prints mass S /
    (mass - 1), which can exceed 1.)

    ============================================  ====================================================================
    coefficient                                   chance
    ============================================  ====================================================================
    ``multi_pi``, ``pi``                          boundaries of all coders pooled (Fleiss; Scott for two coders);
                                                  the default
    ``multi_kappa``, ``kappa``                    rates of each coder, averaged over pairs (Davies & Fleiss; Cohen
                                                  for two coders)
    ``bias``                                      not a coefficient but A_e(pi) - A_e(kappa): 0 if all coders place
                                                  equally many boundaries
    ``alpha``                                     Krippendorff's alpha over positions (nominal); near misses do not
                                                  count, and the measure does not matter
    ``kappa``, ``pi``, ``s``, ``s_modified``      over ``flexible_similarity``, whose default is ``kappa``: simulated
                                                  or exact, see :mod:`caesura.agreement.random_texts`
    ``kappa``                                     over ``hierarchy_kappa``, which has no other coefficient: its P_c,
                                                  see :mod:`caesura.agreement.spans`
    ============================================  ====================================================================

    The published chance agreement of pi and kappa is the probability that two random coders both mark a position. It is far
    below the similarity that random coders really have, because near misses count as well.
    ``chance="placement"`` uses that similarity; see :mod:`caesura.agreement.placement`.

    :mod:`caesura.agreement.counts` has the equations. A preset combines values of ``counted``, ``rates`` and ``types`` with
    the preset of the measure. Published figures counted segments although equation 8 says boundaries. segeval averages the
    rates of pi over items and merges all types.

    The interval is a percentile bootstrap from the parts. A 95 % interval covers about 84 % of cases with 5 items, 92 % with
    20 and 95 % with 50.

    For flexible similarity, costs, positions and objects are summed over items before the ratio is computed, both for
    observed and for chance agreement. With more than two coders, the coefficient is computed from the means over pairs. The
    same seed gives the same number, to the last bit, with any engine, any number of workers, and any order of coders and
    items. (With an asymmetric matrix, and with ``algorithm="pardist"``, the first coder in the corpus is the first side.)
    :func:`caesura.progress.on_progress` reports the draws. If exact chance needs too many states, chance is simulated, and
    ``.method`` says so.

    References
    ----------
    - Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT.
    - Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.
    - Krippendorff, K. (2004). Content analysis. Sage.
    - Lai, R. K. Y., Li, Y., & Zhang, S. (2023). Text segmentation similarity revisited. Society for Computation in Linguistics.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> result = agreement(stargazer())
    >>> f"{result.value:.4f} = ({result.observed:.4f} - {result.expected:.4f}) / (1 - {result.expected:.4f})"
    '0.4644 = (0.5301 - 0.1225) / (1 - 0.1225)'
    >>> f"{agreement(stargazer(), compat='fournier2013').value:.4f}"      # as printed in 2013, section 5
    '0.4405'
    >>> result.interval_note
    'no interval: it needs at least two items to resample; there is one'
    >>> random = agreement(stargazer(), chance="placement")
    >>> f"{random.value:.2f} = ({random.observed:.4f} - {random.expected:.4f}) / (1 - {random.expected:.4f})"
    '0.30 = (0.5301 - 0.3281) / (1 - 0.3281)'
    """
    resolved = resolve_coefficient(measure, coefficient, compat=compat, chance=chance, seed=seed, options=options)
    bootstrap = _Bootstrap(interval, level, replicates)
    with use_engine(engine) as opened:
        observed = _observe(corpus, resolved, opened)
        result = _compute(corpus, observed, resolved, bootstrap, opened)
    bootstrap.warn(observed)
    return result


def agreement_with_placement(
    corpus: Corpus, measure: str | Measure, *, coefficient: str, engine: str | Engine = "threads", **arguments: Any
) -> tuple[Agreement, Agreement | None]:
    """Compute a coefficient with its published chance agreement and with that of random placement.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    measure : str or Measure
        The measure.
    coefficient : str
        Name of the coefficient.
    engine : str or Engine, default "threads"
        Engine for the computation.
    **arguments : object
        Further arguments of :func:`agreement`.

    Returns
    -------
    tuple
        The result of :func:`agreement`, and the result with ``chance="placement"``. The second is None if placement is not
        defined for the coefficient, if there is a preset or another method for chance, or if the value is undefined.
    """
    interval, level, replicates = (
        arguments.pop(name, default) for name, default in (("interval", "items"), ("level", 0.95), ("replicates", 2000))
    )
    bootstrap = _Bootstrap(interval, level, replicates)
    resolved = resolve_coefficient(measure, coefficient, **arguments)
    with use_engine(engine) as opened:
        observed = _observe(corpus, resolved, opened)
        result = _compute(corpus, observed, resolved, bootstrap, opened)
        placement = None
        if (
            resolved.chance is None
            and resolved.measure.compat is None
            and supports_placement(resolved.measure, coefficient)
        ):
            random = resolve_coefficient(measure, coefficient, chance="placement", seed=resolved.seed)
            with suppress(Undefined):
                placement = _compute(corpus, observed, random, bootstrap, opened)
    bootstrap.warn(observed)
    return result, placement


def _observe(corpus: Corpus, coefficient: Coefficient, engine: Engine) -> CoderPairs:
    scored = coefficient.measure if coefficient.model_class.uses_measure else parse(_POSITIONS)
    return score_coder_pairs(corpus, scored, engine=engine)


def _compute(
    corpus: Corpus, observed: CoderPairs, coefficient: Coefficient, bootstrap: _Bootstrap, engine: Engine
) -> Agreement:
    """Return the coefficient with its tables, from the scores of all pairs."""
    name = coefficient.name
    model = coefficient.model_class(observed, coefficient, engine)
    total = model.total()
    _check_defined(name, total.expected[0])
    value = float(total.values(name)[0])
    A, E, error, bias = (float(column[0]) for column in total)  # noqa: N806 - the symbols
    ends, note = bootstrap.run(name, model, coefficient.seed)
    facts = {
        "coders": len(observed.coders),
        "items": len(observed.items),
        **corpus.alignment_facts,
        **model.signature_facts,
    }
    if ends is not None:
        level = f"{bootstrap.level:g}"
        facts |= {"interval": bootstrap.interval, "level": level, "replicates": bootstrap.replicates}
        facts["seed"] = coefficient.seed
    return Agreement(
        coefficient=name,
        measure=coefficient.measure if model.uses_measure else None,
        value=value,
        standard_error=(1 - A) / (1 - E) ** 2 * error if error else 0.0,
        observed=A,
        expected=E,
        expected_error=error,
        bias=or_none(bias),
        method=model.method,
        draws=model.draws,
        seed=coefficient.seed if ends is not None or model.draws else None,
        interval=ends,
        interval_note=note,
        pairs=_pair_rows(corpus.coders, name, model),
        items=_item_rows(corpus.item_names, name, model),
        coders=_coder_rows(corpus.coders, name, model, value),
        excluded=observed.excluded,
        signature=with_data(
            signature_line(name, over=observed.scores.total.signature if model.uses_measure else None, **facts),
            corpus.fingerprint,
            value,
        ),
    )


def _check_defined(name: str, expected: float) -> None:
    if np.isnan(expected):
        raise Undefined("no coder placed a boundary, so agreement beyond chance is undefined")
    if expected >= 1 and name != "bias":
        raise Undefined(f"chance agreement is {expected:.6g}, so agreement beyond chance is undefined")


def _pair_rows(coders: Sequence[str], name: str, model: ChanceModel) -> tuple[PairAgreement, ...]:
    """Return pairs in the order of the corpus."""
    observed = model.observed
    order = {coder: i for i, coder in enumerate(coders)}
    items = np.bincount(observed.pair_index, minlength=len(observed.pairs)).tolist()
    rows = []
    for (a, b), columns, count in zip(observed.pairs, model.by_pair().rows(name), items, strict=True):
        first, second = sorted((observed.coders[a], observed.coders[b]), key=order.__getitem__)
        rows.append(PairAgreement((first, second), *columns, count))
    return tuple(sorted(rows, key=lambda row: [order[coder] for coder in row.coders]))


def _item_rows(items: Sequence[str], name: str, model: ChanceModel) -> tuple[ItemAgreement, ...]:
    rows = dict(zip(model.observed.items, model.by_item().rows(name), strict=True))
    return tuple(ItemAgreement(item, *rows[item]) for item in items if item in rows)


def _coder_rows(coders: Sequence[str], name: str, model: ChanceModel, value: float) -> tuple[CoderAgreement, ...]:
    observed = model.observed
    n = len(observed.coders)
    without = model.over_coders(1 - np.eye(n)).values(name) if n > 2 else np.full(n, np.nan)
    items = observed.present.sum(axis=0).tolist()
    rows = {}
    for coder, columns, others, count in zip(
        observed.coders, model.by_coder().rows(name), without.tolist(), items, strict=True
    ):
        rows[coder] = CoderAgreement(coder, *columns[:3], or_none(others), or_none(others - value), count)
    return tuple(rows[coder] for coder in coders if coder in rows)


@dataclass(frozen=True)
class _Bootstrap(OptionSet):
    """Options of the confidence interval, which is computed from additive parts without scoring again."""

    interval: str | None = setting("items", optional(choice("items", "coders"), "none"), "What to resample.")
    level: float = setting(0.95, fraction, "Confidence level.")
    replicates: int = setting(2000, whole(100), "Number of bootstrap replicates.")

    def run(self, coefficient: str, model: ChanceModel, seed: int) -> tuple[tuple[float, float] | None, str]:
        """Return the ends of the interval, and a description; or None, and the reason why there is no interval."""
        items = self.interval == "items"
        n = len(model.observed.items if items else model.observed.coders)
        reason = self._reason_without(n)
        if reason is not None:
            return None, reason
        compute = model.over_items if items else model.over_coders
        values = np.concatenate([compute(weights).values(coefficient) for weights in self._weights(n, seed)])
        values = values[~np.isnan(values)]
        if not len(values):
            return None, "no interval: the coefficient is undefined in every resample"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        note = f"{self.level:.4g} percentile bootstrap over {n} {self.interval}, {self.replicates} replicates"
        if len(values) < self.replicates:
            note += f", {self.replicates - len(values)} of them undefined and left out"
        return (low, high), note

    def warn(self, observed: CoderPairs) -> None:
        """Warn if there are too few items; the warning refers to the caller of the public function."""
        n = len(observed.items)
        if self.interval == "items" and self._reason_without(n) is None:
            warn_about_few_items(n, stacklevel=4)

    def _reason_without(self, n: int) -> str | None:
        """Return the reason why n items or coders allow no interval; None if they allow one."""
        if self.interval is None:
            return "no interval was requested"
        if self.interval == "items" and n < 2:
            return "no interval: it needs at least two items to resample; there is one"
        if self.interval == "coders" and n < 3:
            return "no interval: every resample of two coders has the same pair"
        return None

    def _weights(self, n: int, seed: int) -> Iterator[Floats]:
        """Yield the number of times that each of n items or coders is drawn, one row per replicate.

        A sample of coders contains at least two different coders.
        """
        from caesura.statistics.intervals import item_weights  # slow to import

        rng = np.random.default_rng([seed, n])
        for weights in item_weights(n, self.replicates, rng):
            while self.interval == "coders" and (alone := np.flatnonzero((weights > 0).sum(axis=1) < 2)).size:
                weights[alone] = next(item_weights(n, len(alone), rng))
            yield weights


def warn_about_few_items(items: int, *, stacklevel: int) -> None:
    """Warn if a bootstrap interval has too few items.

    Parameters
    ----------
    items : int
        Number of items.
    stacklevel : int
        Frame of the warning; 2 is the caller of this function.
    """
    if items < MIN_ITEMS:
        warnings.warn(
            f"an interval from {items} items is too narrow: a 95 % interval covers about 84 % of cases with 5 items, "
            "92 % with 20 and 95 % with 50",
            CaesuraWarning,
            stacklevel=stacklevel,
        )
