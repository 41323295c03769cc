"""Compute chance-corrected agreement with any coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.chance import Chance
from caesura.agreement.chance_model import AgreementArrays, ChanceModel
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.agreement.families import resolve_coefficient
from caesura.agreement.result import Agreement, CoderAgreement, ItemAgreement, PairAgreement
from caesura.engines import Engine, use_engine
from caesura.errors import Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import signature_line

_POSITIONS = "crisp"  # scores pairs if a coefficient looks at positions only: any pair of equal length


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
    chance : {"simulate", "exact"}, Simulate or Exact, optional
        Method for chance agreement of ``flexible_similarity`` (default: simulation).
    compat : str, optional
        Convention of published figures: ``"fournier2012"`` (S only), ``"fournier2013"``, ``"segeval-2.0.11"``, or a preset of
        the measure such as ``"segsimflex"``.
    interval : {"items", "coders", None}, default "items"
        Whether the bootstrap resamples items or coders; ``None`` or ``"none"`` for no interval.
    level : float, default 0.95
        Confidence level.
    replicates : int, default 2000
        Number of bootstrap replicates.
    seed : int or None, default 0
        Random seed of simulation and bootstrap; None draws one.
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
    ``alpha``                                     Krippendorff's, nominal over positions; no near misses, the measure
                                                  does not matter
    ``kappa``, ``pi``, ``s``, ``s_modified``      over ``flexible_similarity``, whose default is ``kappa``: simulated
                                                  or exact, see :mod:`caesura.agreement.random_texts`
    ``kappa``                                     over ``hierarchy_kappa``, the only one there: its P_c, see
                                                  :mod:`caesura.agreement.spans`
    ============================================  ====================================================================

    :mod:`caesura.agreement.counts` has the equations. A preset combines values of ``counted``, ``rates`` and ``types`` with
    the preset of the measure. Published figures counted segments although equation 8 says boundaries. segeval averages the
    rates of pi over items and merges all types.

    The interval is a percentile bootstrap from the parts. It covers .84 at 5 items, .92 at 20, .95 at 50.

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
    - Lai, R. K. Y., & Li, Y. (2023). Text segmentation similarity revisited. Society for Computation in Linguistics.

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
    """
    resolved = resolve_coefficient(measure, coefficient, compat=compat, chance=chance, seed=seed, options=options)
    name = resolved.name
    bootstrap = Bootstrap(interval, level, replicates)
    with use_engine(engine) as opened:
        scored = resolved.measure if resolved.model_class.uses_measure else parse(_POSITIONS)
        observed = score_coder_pairs(corpus, scored, engine=opened)
        model = resolved.model_class(observed, resolved, opened)
    total = model.total()
    _check_defined(name, float(total.expected[0]))
    value, A, E, error = (  # noqa: N806 - the symbols
        float(column[0]) for column in (total.values(name), total.observed, total.expected, total.error)
    )
    ends, note = bootstrap.run(name, model, resolved.seed)
    facts = {"coders": len(observed.coders), "items": len(observed.items), **model.signature_facts}
    facts |= {} if ends is None else bootstrap.signature_facts(resolved.seed)
    return Agreement(
        coefficient=name,
        measure=resolved.measure if model.uses_measure else None,
        value=value,
        standard_error=(1 - A) / (1 - E) ** 2 * error if error else 0.0,
        observed=A,
        expected=E,
        expected_error=error,
        bias=None if total.bias is None else float(total.bias[0]),
        method=model.method,
        draws=model.draws,
        seed=resolved.seed if ends is not None or model.draws else None,
        interval=ends,
        interval_note=note,
        pairs=_pair_rows(corpus.coders, name, model),
        items=_item_rows(corpus.item_names, name, model),
        coders=_coder_rows(corpus.coders, name, model, value),
        excluded=observed.excluded,
        signature=signature_line(name, over=observed.scores.total.signature if model.uses_measure else None, **facts),
    )


def _check_defined(name: str, expected: float) -> None:
    if np.isnan(expected):
        raise Undefined("no coder placed a boundary, so agreement beyond chance is undefined")
    if expected >= 1 and name != "bias":
        raise Undefined(f"chance agreement is {expected:.6g}, so agreement beyond chance is undefined")


def _columns(name: str, arrays: AgreementArrays) -> list[tuple[float | None, float, float | None, float]]:
    """Return coefficient, observed agreement, chance agreement and its error, row by row."""
    columns = (arrays.values(name), arrays.observed, arrays.expected, arrays.error)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(_or_none(value), observed, _or_none(expected), error) for value, observed, expected, error in rows]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _pair_rows(coders: Sequence[str], name: str, model: ChanceModel) -> tuple[PairAgreement, ...]:
    """Return pairs in the order of the corpus."""
    observed = model.observed
    order = {coder: i for i, coder in enumerate(coders)}
    items = np.bincount(observed.pair_index, minlength=len(observed.pairs)).tolist()
    rows = []
    for (a, b), columns, count in zip(observed.pairs, _columns(name, model.by_pair()), items, strict=True):
        first, second = sorted((observed.coders[a], observed.coders[b]), key=order.__getitem__)
        rows.append(PairAgreement((first, second), *columns, count))
    return tuple(sorted(rows, key=lambda row: [order[coder] for coder in row.coders]))


def _item_rows(items: Sequence[str], name: str, model: ChanceModel) -> tuple[ItemAgreement, ...]:
    rows = dict(zip(model.observed.items, _columns(name, model.by_item()), strict=True))
    return tuple(ItemAgreement(item, *rows[item]) for item in items if item in rows)


def _coder_rows(coders: Sequence[str], name: str, model: ChanceModel, value: float) -> tuple[CoderAgreement, ...]:
    observed = model.observed
    n = len(observed.coders)
    without = model.over_coders(1 - np.eye(n)).values(name) if n > 2 else np.full(n, np.nan)
    items = observed.present.sum(axis=0).tolist()
    rows = {}
    for k, (coder, (own, similarity, expected, _)) in enumerate(
        zip(observed.coders, _columns(name, model.by_coder()), strict=True)
    ):
        others = float(without[k])
        rows[coder] = CoderAgreement(
            coder, own, similarity, expected, _or_none(others), _or_none(others - value), items[k]
        )
    return tuple(rows[coder] for coder in coders if coder in rows)
