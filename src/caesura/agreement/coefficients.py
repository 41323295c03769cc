"""Chance-corrected agreement with any coefficient: the function, its result, and the bootstrap interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from caesura.agreement.bootstrap import Bootstrap, Samples
from caesura.agreement.chance import Chance, ChanceModel, Coefficient
from caesura.agreement.coder_pairs import CoderPairs, check_corpus, has_units, score_coder_pairs
from caesura.agreement.families import resolve_coefficient, supports_placement
from caesura.agreement.result import Agreement, coder_rows, item_rows, pair_rows
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import DEFAULT_UNITIZING, resolve_unitizing
from caesura.agreement.unitizing_scores import unitizing_agreement
from caesura.engines import Engine, use_engine
from caesura.errors import OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, keep_warnings, signature_line, with_data
from caesura.model.value import Floats

_DEFAULT_MEASURE = "boundary_similarity(n_t=2)"
# Measure for coefficients that depend on positions only; it accepts all texts of equal length.
_POSITIONS = "boundary_f"


@keep_warnings
def agreement(
    corpus: Corpus,
    measure: str | Measure = _DEFAULT_MEASURE,
    *,
    coefficient: str | UnitizingCoefficient | None = None,
    chance: str | Chance | None = None,
    compat: str | None = None,
    interval: str | None = "items",
    level: float = 0.95,
    replicates: int | None = None,
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
    coefficient : str or UnitizingCoefficient, optional
        Name of the coefficient; see Notes (default: that of the measure). Coefficients for spans may have options, such as
        ``"u_alpha(atom=0.01)"`` or ``UAlpha(atom=0.01)``; they need no measure.
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
    replicates : int, optional
        Number of bootstrap replicates (default: 2000).
    seed : int or None, default 0
        Random seed of simulation and bootstrap; None chooses a random one.
    engine : str or Engine, default "threads"
        Engine for the computation: ``"threads"``, ``"processes"``, ``"dask"``, or an open engine.
    **options
        Options of coefficients whose chance is computed from counts: ``counted`` (``"boundaries"`` or ``"segments"``),
        ``rates`` (``"pooled"`` or ``"mean"``), ``types`` (``"separate"`` or ``"together"``). Options of coefficients for
        spans, such as ``bounds`` and ``atom``.

    Returns
    -------
    Agreement
        The coefficient, with tables in ``.pairs``, ``.items`` and ``.coders``. ``.outliers`` lists the coders whose removal
        increases agreement. ``.interval`` is explained by ``.interval_note``. ``.excluded`` lists the items that fewer than
        two coders annotated or that cannot be scored. For spans, it is a ``UnitizingAgreement``, which also has a table of
        categories.

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
                                                  see :mod:`caesura.agreement.chance`
    ``u_alpha``, ``bar_u_alpha``, ``cu_alpha``,   Krippendorff's alphas for spans, see
    ``ku_alpha``, ``alpha_u_2004``                :mod:`caesura.agreement.unitized_alpha`
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
    check_corpus(corpus)
    bootstrap = Bootstrap(interval, level, replicates)
    if coefficient is None and corpus.kind == "spans" and measure == _DEFAULT_MEASURE:
        coefficient = DEFAULT_UNITIZING[0]
    unitizing = resolve_unitizing(coefficient, options | {"compat": compat, "chance": chance})
    if unitizing is not None:
        if measure != _DEFAULT_MEASURE:
            raise OptionError(f"{unitizing.name} compares the spans of all coders itself; leave out the measure")
        of_spans = unitizing_agreement(corpus, unitizing, bootstrap=bootstrap, seed=seed, engine=engine)
        bootstrap.warn(len(of_spans.items))
        return of_spans
    assert not isinstance(coefficient, UnitizingCoefficient)
    resolved = resolve_coefficient(
        measure,
        coefficient,
        compat=compat,
        chance=chance,
        seed=seed,
        options=options,
        has_positions=has_positions(corpus),
    )
    with use_engine(engine) as opened:
        model = SharedScores().model(corpus, resolved, opened)
        result = _compute(corpus, model, bootstrap)
    bootstrap.warn(len(model.observed.items))
    return result


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Scores of all pairs of coders and bootstrap samples, which several coefficients of the same corpora share."""

    samples: Samples = field(default_factory=dict)  # bootstrap samples that were drawn
    _observed: list[tuple[Corpus, CoderPairs]] = field(default_factory=list)
    _models: list[tuple[Corpus, ChanceModel]] = field(default_factory=list)

    def model(self, corpus: Corpus, coefficient: Coefficient, engine: Engine) -> ChanceModel:
        """Return the chance model of a coefficient, whose simulation is not repeated."""
        for own, model in self._models:
            if own is corpus and model.coefficient == coefficient:
                return model
        model = coefficient.model_class(self.observe(corpus, coefficient, engine), coefficient, engine)
        self._models.append((corpus, model))
        return model

    def observe(self, corpus: Corpus, coefficient: Coefficient, engine: Engine) -> CoderPairs:
        """Return the scores of all pairs of coders for a coefficient; pairs that were scored before are used again."""
        measure, ordered = _scored_measure(coefficient)
        known = [pairs for own, pairs in self._observed if own is corpus and pairs.ordered == ordered]
        same = [pairs for pairs in known if pairs.measure == measure]
        if not coefficient.model_class.uses_measure:  # positions are the same under every measure
            same = [pairs for pairs in known if pairs.measure.symmetric and pairs.covers_all_pairs]
        if same:
            return same[0]
        pairs = next(filter(None, (pairs.rescored(measure) for pairs in known)), None)
        if pairs is None:
            pairs = _observe(corpus, coefficient, engine)
        self._observed.append((corpus, pairs))
        return pairs


def agreement_with_placement(
    corpus: Corpus,
    measure: str | Measure,
    *,
    coefficient: str,
    engine: str | Engine = "threads",
    shared: SharedScores | None = None,
    **arguments: Any,
) -> tuple[Agreement, Agreement | None]:
    """Compute a coefficient with its published chance agreement and with that of random placement."""
    interval, level, replicates = (
        arguments.pop(name, default) for name, default in (("interval", "items"), ("level", 0.95), ("replicates", None))
    )
    shared = shared or SharedScores()
    bootstrap = Bootstrap(interval, level, replicates)
    resolved = resolve_coefficient(measure, coefficient, **arguments, has_positions=has_positions(corpus))
    with use_engine(engine) as opened:
        model = shared.model(corpus, resolved, opened)
        result = _compute(corpus, model, bootstrap, shared.samples)
        placement = None
        if (
            resolved.chance is None
            and resolved.model_class.corrects
            and resolved.measure.compat is None
            and supports_placement(resolved.measure, coefficient)
        ):
            random = resolve_coefficient(measure, coefficient, chance="placement", seed=resolved.seed)
            with suppress(Undefined):
                placed = random.model_class(model.observed, random, opened)
                placement = _compute(corpus, placed, bootstrap, shared.samples)
    bootstrap.warn(len(model.observed.items))
    return result, placement


@dataclass(frozen=True, eq=False)
class Observation:
    """Scores of all pairs of coders, from which a coefficient can be computed without scoring again."""

    corpus: Corpus
    pairs: CoderPairs
    coefficient: Coefficient  # the coefficient with its measure and chance model

    def agreement(self) -> Agreement:
        with use_engine("threads") as opened:
            model = self.coefficient.model_class(self.pairs, self.coefficient, opened)
            return _compute(self.corpus, model, Bootstrap())


def observe(
    corpus: Corpus,
    measure: Measure,
    coefficient: str | None = None,
    *,
    chance: str | None = None,
    seed: int | None = 0,
    previous: Observation | None = None,
) -> Observation:
    positions = has_positions(corpus)
    resolved = resolve_coefficient(measure, coefficient, chance=chance, seed=seed, has_positions=positions)
    if previous is not None and previous.coefficient.model_class is resolved.model_class:
        pairs = previous.pairs.rescored(resolved.model_class.scored_measure(resolved.measure))
        if pairs is not None and resolved.model_class.uses_measure:
            return Observation(corpus, pairs, resolved)
    with use_engine("threads") as opened:
        return Observation(corpus, _observe(corpus, resolved, opened), resolved)


class CoderSubsets:
    """A coefficient of all coders of a corpus, and of some of them. Pairs of coders are scored once if possible."""

    def __init__(self, corpus: Corpus, measure: Measure, coefficient: str, *, seed: int | None = 0) -> None:
        self._corpus = corpus
        self._resolved = resolve_coefficient(measure, coefficient, seed=seed, has_positions=has_positions(corpus))
        with use_engine("threads") as engine:
            self._observed = _observe(corpus, self._resolved, engine)

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        return self._observed.excluded

    def value(self, coders: Sequence[str]) -> float:
        """Return the coefficient of some coders, or raise the reason why it is undefined."""
        return _defined_total(self._model(coders))[0]

    def of(self, coders: Sequence[str]) -> Callable[[Floats], Floats]:
        """Return the coefficient of some coders as a function of weights of the items."""
        parts = self._model(coders).parts
        return lambda weights: parts.resampled(weights).values

    def _model(self, coders: Sequence[str]) -> ChanceModel:
        observed = self._observed if len(coders) == len(self._corpus.coders) else self._observed.restricted(coders)
        with use_engine("threads") as engine:
            if observed is None:
                excluded = {entry.item for entry in self.excluded}
                items = [item for item in self._corpus.item_names if item not in excluded]
                observed = _observe(self._corpus.select(items=items, coders=coders), self._resolved, engine)
            return self._resolved.model_class(observed, self._resolved, engine)


def has_positions(corpus: Corpus) -> bool:
    check_corpus(corpus)
    return all(map(has_units, corpus.values()))


def _scored_measure(coefficient: Coefficient) -> tuple[Measure, bool]:
    model_class = coefficient.model_class
    scored = model_class.scored_measure(coefficient.measure) if model_class.uses_measure else parse(_POSITIONS)
    return scored, model_class.scores_both_directions and not scored.symmetric


def _observe(corpus: Corpus, coefficient: Coefficient, engine: Engine) -> CoderPairs:
    check_corpus(corpus)
    scored, ordered = _scored_measure(coefficient)
    return score_coder_pairs(corpus, scored, ordered=ordered, engine=engine)


def _compute(corpus: Corpus, model: ChanceModel, bootstrap: Bootstrap, samples: Samples | None = None) -> Agreement:
    observed, coefficient, parts = model.observed, model.coefficient, model.parts
    name = coefficient.name
    value, A, E, error, bias = _defined_total(model)  # noqa: N806 - the symbols
    resample = parts.of_coders if bootstrap.interval == "coders" else parts.resampled
    resampled = observed.coders if bootstrap.interval == "coders" else observed.items
    ends, note = bootstrap.run(len(resampled), coefficient.seed, lambda weights: resample(weights).values, samples)
    facts = {
        "coders": len(observed.coders),
        "items": len(observed.items),
        **corpus.alignment_facts,
        **model.signature_facts,
    }
    facts |= bootstrap.facts(ends, coefficient.seed)
    return Agreement(
        coefficient=name,
        measure=coefficient.measure if model.uses_measure else None,
        value=value,
        standard_error=abs(model.best - A) / (model.best - E) ** 2 * error if error else 0.0,
        observed=A,
        expected=None if math.isnan(E) else E,
        expected_error=error,
        bias=None if math.isnan(bias) else bias,
        method=model.method,
        draws=model.draws,
        seed=coefficient.seed if ends is not None or model.draws else None,
        interval=ends,
        interval_note=note,
        pairs=pair_rows(corpus.coders, parts, ordered=observed.ordered),
        items=item_rows(corpus.item_names, parts),
        coders=coder_rows(corpus.coders, parts, value, sign=1 if model.higher_is_better else -1),
        excluded=observed.excluded,
        signature=with_data(
            signature_line(name, over=observed.scores.total.signature if model.uses_measure else None, **facts),
            corpus.fingerprint,
            value,
        ),
    )


def _defined_total(model: ChanceModel) -> tuple[float, float, float, float, float]:
    """Return value, observed and expected agreement, its error and the bias, or raise the reason why there is no value."""
    value, observed, expected, error, bias = (float(column[0]) for column in model.parts.total()[:5])
    if math.isnan(expected if model.corrects else value):
        raise Undefined(f"{model.nothing}, so agreement{' beyond chance' * model.corrects} is undefined")
    if math.isnan(value):
        raise Undefined(f"chance agreement is {expected:.6g}, so agreement beyond chance is undefined")
    return value, observed, expected, error, bias
