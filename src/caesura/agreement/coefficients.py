"""The coefficients: one call for all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis, Figures
from caesura.agreement.chance import COEFFICIENTS as DRAWN
from caesura.agreement.counted import PRESETS, Convention, Counted
from caesura.agreement.drawn import Drawn, Plan, Progress
from caesura.agreement.nominal import Nominal
from caesura.agreement.observed import Observed, observe
from caesura.agreement.result import Agreement, CoderRow, Row
from caesura.agreement.spans import Spanned
from caesura.engines import Engine, use_engine
from caesura.errors import CaesuraWarning, OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.hierarchy import HierarchyKappa
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.version import __version__

__all__ = ["COUNTED", "DRAWN", "agreement", "basis_of", "check_numbers", "chosen_seed", "resolve"]

COUNTED = ("pi", "kappa", "multi_pi", "multi_kappa", "bias")
"""Coefficients whose chance comes from boundary counts."""
FEW_ITEMS = 20
"""Below this many items the percentile interval is too short: it covers .84 at 5 items, .92 at 20, .95 at 50."""

Floats = NDArray[np.float64]


def agreement(
    corpus: Corpus,
    *,
    measure: str | Measure = "boundary_similarity(n_t=2)",
    coefficient: str | None = None,
    compat: str | None = None,
    interval: str | None = "items",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int | None = None,
    counted: str | None = None,
    rates: str | None = None,
    types: str | None = None,
    chance: str | None = None,
    draws: int | None = None,
    tolerance: float | None = None,
    variates: bool | None = None,
    normalize: str | None = None,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """How far coders agree beyond chance: (observed - expected) / (1 - expected).

    1 is full agreement, 0 what chance gives, below 0 is worse than chance. Observed agreement is the similarity of all
    pairs of coders on all items both coded, from summed parts: for B the mean correctness of boundary pairs, for S
    weighted by positions. (Equation 12 of 2012 prints mass S / (mass - 1), which can exceed 1.) Any symmetric measure
    will do; error rates are turned round.

    ====================  =========================================================================================
    ``coefficient``       chance
    ====================  =========================================================================================
    ``multi_pi``, ``pi``  everybody's boundaries pooled (Fleiss; Scott for two coders). The default
    ``multi_kappa``,      each coder's own, averaged over pairs (Davies & Fleiss; Cohen for two coders)
    ``kappa``
    ``bias``              no coefficient but A_e(pi) - A_e(kappa): 0 where all place equally many boundaries
    ``alpha``             Krippendorff's, nominal over positions; no near misses, the measure is not looked at
    ``kappa``, ``pi``,    over ``flexible_similarity``, the default there being ``kappa``: chance is simulated, see
    ``s``, ``s_modified``  :mod:`caesura.agreement.chance`
    ``kappa``             over ``hierarchy_kappa``, the only one there: chance is its P_c, see
                          :mod:`caesura.agreement.spans`
    ====================  =========================================================================================

    :mod:`caesura.agreement.counted` has the equations. Coders may be missing on items. Items that fewer than two coded,
    or that cannot be scored, are left out and named in ``.dropped``. ``Undefined`` is raised where the coefficient has
    no meaning: nobody placed a boundary, or chance agreement is 1 or more.

    ``.pairs``, ``.items`` and ``.coders`` are tables, ``.outliers`` the coders without whom the others agree better,
    ``.bias`` is there with every counted coefficient. ``.interval``: percentile bootstrap over ``"items"`` or
    ``"coders"``, ``replicates`` of them from the parts, at ``level``; ``interval=None`` for none. It covers .84 at 5
    items, .92 at 20, .95 at 50. ``.interval_note`` says what it is, or why there is none.

    ``compat``: ``"fournier2012"`` (S only), ``"fournier2013"``, ``"segeval-2.0.11"``: published figures counted segments
    where equation 8 says boundaries, segeval averages pi's rates over items and lumps types together. They are bundles
    of ``counted`` (``"boundaries"``, ``"segments"``), ``rates`` (``"pooled"``, ``"mean"``) and ``types`` (``"apart"``,
    ``"together"``) with the preset of the measure.

    Over flexible similarity, costs, positions and objects are summed over items before the ratio, observed and chance
    alike; with more than two coders the coefficient is that of the means over pairs. ``normalize="boundaries"`` is
    S_f^B. ``chance="simulate"``: ``draws`` pairs of texts (10,000 by default), or as many as it takes to bring the
    standard error of the coefficient below ``tolerance`` (at most ``draws``, by default a million). The same ``seed``
    gives the same number, to the last bit, whatever the engine, its workers and the order of coders and items. (With an
    asymmetric matrix, and under ``algorithm="pardist"``, who comes first in the corpus is the first side.) Control
    variates take out most of the noise; ``variates=False`` is plain simulation, the mean over draws with the standard
    error SD / sqrt(draws). ``chance="exact"``: S_f without simulation; for S_f^B the exact expected cost is one more
    control variate. If the chain behind it has too many states, chance is simulated, and ``.method`` says so.
    ``progress`` is called with the number of draws made and the most there will be. ``checkpoint``: a folder in which
    finished draws are recorded; the same call goes on where it was, and other arguments or data are refused. It needs a
    ``seed``.

    ``engine``, ``workers`` and ``scheduler`` as for :func:`~caesura.score_many`: threads, processes or a Dask cluster, for
    scores and draws.

    Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT. Fournier, C. (2013). Evaluating
    text segmentation using boundary edit distance. ACL. Krippendorff, K. (2004). Content analysis. Sage.

    >>> from caesura.data import stargazer
    >>> result = agreement(stargazer())
    >>> f"{result.value:.4f} = ({result.observed:.4f} - {result.expected:.4f}) / (1 - {result.expected:.4f})"
    '0.4644 = (0.5301 - 0.1225) / (1 - 0.1225)'
    >>> f"{agreement(stargazer(), compat='fournier2013').value:.4f}"      # as printed in 2013, section 5
    '0.4405'
    >>> result.interval_note
    'no interval: it needs at least two items to resample; there is one'
    """
    made = parse(measure)
    flexible = isinstance(made, FlexibleSimilarity)
    spans = isinstance(made, HierarchyKappa)
    name = coefficient if coefficient is not None else ("kappa" if flexible or spans else "multi_pi")
    if spans or made.view not in ("spans", "trees"):  # what is not defined has no coefficient either; resolve says so
        _check_coefficient(name, made)
    drawn = flexible and name != "alpha"
    _refuse(
        name if name == "alpha" else made.name,
        drawn=None
        if drawn
        else {"chance": chance, "draws": draws, "tolerance": tolerance, "variates": variates, "normalize": normalize},
        counted=None
        if not (drawn or spans or name == "alpha")
        else {"counted": counted, "rates": rates, "types": types},
    )
    if name == "alpha" and compat is not None:
        raise OptionError(f"alpha has no preset; got compat={compat!r}")
    if checkpoint is not None and not drawn:
        over = "alpha" if name == "alpha" else made.name
        raise OptionError(f"checkpoint keeps what was simulated, and nothing is in agreement over {over}; leave it out")
    if checkpoint is not None and seed is None:
        raise OptionError("checkpoint needs a seed, so that the same call goes on where it was; give seed=...")
    check_numbers(interval, level, replicates, seed)
    if chance not in (None, "simulate", "exact"):
        raise OptionError(f"chance must be 'simulate' or 'exact'; got {chance!r}")
    made = resolve(made, compat, normalize) if name != "alpha" else parse("boundary_similarity(n_t=1)")
    chosen = chosen_seed(seed)
    if chance == "exact" and made["algorithm"] != "exact":
        raise OptionError("chance='exact' is for the exact alignment; with algorithm='pardist' it must be simulated")
    if chance == "exact" and variates is False:
        raise OptionError("variates=False is plain simulation; with chance='exact' leave it out")
    plan = Plan.of(draws, tolerance, chosen, variates, checkpoint)
    with use_engine(engine, workers, scheduler) as opened, warnings.catch_warnings():
        if name == "alpha":  # whose sets of types have no order
            warnings.filterwarnings("ignore", "the order of the types was not declared", CaesuraWarning)
        observed = observe(corpus, made, engine=opened)
        if drawn:
            basis: Basis = Drawn(observed, name, plan, chance or "simulate", opened, progress)
        else:
            basis = basis_of(observed, name, Convention.of(compat, counted=counted, rates=rates, types=types))
    return _result(corpus, name, basis, _Bootstrap(interval, level, replicates, chosen), compat)


def basis_of(observed: Observed, coefficient: str, convention: Convention) -> Basis:
    """What a coefficient that needs no drawing is computed from."""
    if coefficient == "alpha":
        return Nominal(observed)
    if isinstance(observed.measure, HierarchyKappa):
        return Spanned(observed)
    if coefficient in ("pi", "kappa") and len(observed.coders) > 2:
        raise OptionError(f"{coefficient} is for two coders; for {len(observed.coders)} there is multi_{coefficient}")
    return Counted(observed, convention, kappa=coefficient in ("kappa", "multi_kappa"))


def _check_coefficient(name: str, measure: Measure) -> None:
    known: tuple[str, ...] = (*COUNTED, "alpha")
    if isinstance(measure, FlexibleSimilarity):
        known = (*DRAWN, "alpha")
    elif isinstance(measure, HierarchyKappa):
        known = ("kappa",)
    over = f" over {measure.name}" if measure.view in ("streams", "spans") else ""
    if name not in known:
        raise OptionError(f"coefficient must be one of {', '.join(known)}{over}; got {name!r}")


def _refuse(over: str, **groups: dict[str, Any] | None) -> None:
    """Options that do not belong to the coefficient are errors, never ignored."""
    for group in groups.values():
        for option, value in (group or {}).items():
            if value is not None:
                raise OptionError(f"{option} has no place in agreement over {over}; leave it out")


def check_numbers(
    interval: str | None = None, level: float = 0.95, replicates: int = 2000, seed: int | None = None
) -> None:
    """An option that cannot have this value is an error."""
    if interval not in (None, "items", "coders"):
        raise OptionError(f"interval must be 'items', 'coders' or None; got {interval!r}")
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1; got {level!r}")
    if replicates is not None and (not _whole(replicates) or replicates < 100):
        raise OptionError(f"replicates must be a whole number of at least 100; got {replicates!r}")
    if seed is not None and (not _whole(seed) or not 0 <= seed < 2**63):
        raise OptionError(f"seed must be a whole number from 0 to 2^63 - 1; got {seed!r}")


def chosen_seed(seed: int | None) -> int:
    """The seed that was given, or one to be told."""
    return int(np.random.SeedSequence().generate_state(1, np.uint32)[0]) if seed is None else int(seed)


def _whole(number: object) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def resolve(given: str | Measure, compat: str | None, normalize: str | None = None) -> Measure:
    """The measure with the preset, if agreement can be computed over it."""
    measure = parse(given)
    if not measure.coefficients and not measure.symmetric:
        raise OptionError(
            f"agreement needs a symmetric measure; {measure.name} changes when its sides change places. "
            "pairwise(corpus, measure, ordered=True) gives its table"
        )
    if not measure.coefficients:
        raise OptionError(
            f"agreement beyond chance is not defined over {measure.name}; pairwise(corpus, measure) gives its table"
        )
    if compat is not None and measure.compat not in (None, compat):
        raise OptionError(f"the measure has compat={measure.compat!r}, and compat={compat!r} was asked for; give one")
    changed = {name: value for name, value in (("compat", compat), ("normalize", normalize)) if value is not None}
    if not isinstance(measure, (FlexibleSimilarity, HierarchyKappa)) and compat is not None and compat not in PRESETS:
        known = ", ".join(map(repr, filter(None, PRESETS)))
        raise OptionError(f"agreement has no preset {compat!r}; it has {known}")
    return measure.replace(**changed) if changed else measure


# -- results ----------------------------------------------------------------------------------------------------------


def _values(name: str, figures: Figures) -> Floats:
    if name == "bias":
        assert figures.bias is not None
        return figures.bias
    return figures.corrected


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _result(corpus: Corpus, name: str, basis: Basis, bootstrap: _Bootstrap, compat: str | None) -> Agreement:
    o = basis.observed
    whole = basis.total()
    A, E, error = float(whole.observed[0]), float(whole.expected[0]), float(whole.error[0])  # noqa: N806 - the symbols
    if np.isnan(E):
        raise Undefined("nobody placed a boundary, so agreement beyond chance has no meaning")
    if E >= 1 and name != "bias":
        raise Undefined(f"chance agreement is {E:.6g}, so agreement beyond chance has no meaning")
    value = float(_values(name, whole)[0])
    drawn = basis if isinstance(basis, Drawn) else None
    interval, note = bootstrap.run(name, basis)
    seed = bootstrap.seed if interval is not None or (drawn is not None and drawn.draws) else None
    return Agreement(
        coefficient=name,
        value=value,
        observed=A,
        expected=E,
        bias=None if whole.bias is None else float(whole.bias[0]),
        standard_error=(1 - A) / (1 - E) ** 2 * error if error else 0.0,
        expected_error=error,
        pairs=_pair_rows(corpus, name, basis),
        items=_item_rows(corpus, name, basis),
        coders=_coder_rows(corpus, name, basis, value),
        measure=None if name == "alpha" else o.measure,
        method="counted" if drawn is None else drawn.method,
        draws=0 if drawn is None else drawn.draws,
        seed=seed,
        signature=_signature(name, basis, compat, bootstrap.words(name, basis) if interval else []),
        interval=interval,
        interval_note=note,
        dropped=dict(o.dropped),
    )


def _row(names: tuple[str, ...], name: str, figures: Figures, values: Floats, k: int, items: int) -> Row:
    return Row(
        names,
        _number(values[k]),
        float(figures.observed[k]),
        _number(figures.expected[k]),
        float(figures.error[k]),
        items,
    )


def _pair_rows(corpus: Corpus, name: str, basis: Basis) -> tuple[Row, ...]:
    """In the order of the corpus."""
    o = basis.observed
    order = {coder: i for i, coder in enumerate(corpus.coders)}
    figures = basis.each_pair()
    values = _values(name, figures)
    items = np.bincount(o.pair, minlength=len(o.pairs)).tolist()
    rows = [
        _row(tuple(sorted((o.coders[a], o.coders[b]), key=order.__getitem__)), name, figures, values, k, items[k])
        for k, (a, b) in enumerate(o.pairs)
    ]
    return tuple(sorted(rows, key=lambda row: [order[coder] for coder in row.name]))


def _item_rows(corpus: Corpus, name: str, basis: Basis) -> tuple[Row, ...]:
    o = basis.observed
    figures = basis.each_item()
    values = _values(name, figures)
    place = {item: k for k, item in enumerate(o.items)}
    return tuple(_row((item,), name, figures, values, place[item], 1) for item in corpus.item_names if item in place)


def _coder_rows(corpus: Corpus, name: str, basis: Basis, value: float) -> tuple[CoderRow, ...]:
    o = basis.observed
    n = len(o.coders)
    figures = basis.each_coder()
    values = _values(name, figures)
    without = _values(name, basis.over_coders(1 - np.eye(n))) if n > 2 else np.full(n, np.nan)
    items = o.present.sum(axis=0).tolist()
    place = {coder: k for k, coder in enumerate(o.coders)}
    return tuple(
        CoderRow(
            name=coder,
            value=_number(values[k]),
            observed=float(figures.observed[k]),
            expected=_number(figures.expected[k]),
            without=_number(without[k]),
            gain=_number(without[k] - value),
            items=items[k],
        )
        for coder in corpus.coders
        if (k := place.get(coder, -1)) >= 0
    )


def _signature(name: str, basis: Basis, compat: str | None, resampled: Sequence[str]) -> str:
    o = basis.observed
    words = [name, f"coders:{len(o.coders)}", f"items:{len(o.items)}"]
    if isinstance(basis, Nominal):
        return "|".join([*words, "nominal", *resampled, f"caesura:{__version__}"])
    if isinstance(basis, Drawn):
        words.append(f"chance:{basis.method}")
        if basis.draws:
            words += [f"draws:{basis.draws}", f"seed:{basis.plan.seed}"]
            if basis.plan.tolerance is not None:
                words.append(f"tolerance:{basis.plan.tolerance:g}")
    elif isinstance(basis, Counted):
        words += ["chance:counted", *basis.convention.words()]
        if compat is not None and compat != o.measure.compat:
            words.append(f"compat:{compat}")
    elif isinstance(basis, Spanned):
        words.append("chance:spans")
    return "|".join([*words, *resampled, o.scores.total.signature])


@dataclass(frozen=True)
class _Bootstrap:
    """Percentile bootstrap from the parts: nothing is scored again."""

    over: str | None
    level: float
    replicates: int
    seed: int

    def run(self, name: str, basis: Basis) -> tuple[tuple[float, float] | None, str]:
        """The interval, or None, and what to say of it."""
        o = basis.observed
        if self.over is None:
            return None, "no interval was asked for"
        n = len(o.items) if self.over == "items" else len(o.coders)
        if self.over == "items" and n < 2:
            return None, "no interval: it needs at least two items to resample; there is one"
        if self.over == "coders" and n < 3:
            return None, "no interval: two coders, each drawn at least once, are always the same pair"
        if self.over == "items" and n < FEW_ITEMS:
            warnings.warn(
                f"an interval from {n} items is too short: it covers about .84 at 5 items, .92 at 20, .95 at 50",
                CaesuraWarning,
                stacklevel=4,
            )
        under = basis.over_items if self.over == "items" else basis.over_coders
        values = np.concatenate([_values(name, under(weights)) for weights in self._weights(n)])
        values = values[~np.isnan(values)]
        if not len(values):
            return None, "no interval: the coefficient is undefined in every resample"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        note = f"{self.level:.4g} percentile bootstrap over {n} {self.over}, {self.replicates} replicates"
        if len(values) < self.replicates:
            note += f", {self.replicates - len(values)} of them undefined and left out"
        return (float(low), float(high)), note

    def words(self, name: str, basis: Basis) -> list[str]:
        """For the signature."""
        words = [f"interval:{self.over}", f"level:{self.level:g}", f"replicates:{self.replicates}"]
        drawn = isinstance(basis, Drawn) and basis.draws > 0
        return words if drawn else [*words, f"seed:{self.seed}"]

    def _weights(self, n: int) -> Iterator[Floats]:
        """How often each of n is drawn: a row a replicate. Of coders, at least two different ones."""
        from caesura.statistics.intervals import item_weights  # not needed by everyone

        rng = np.random.default_rng([self.seed, n])
        for weights in item_weights(n, self.replicates, rng):
            while self.over == "coders" and (bad := np.flatnonzero((weights > 0).sum(axis=1) < 2)).size:
                weights[bad] = next(item_weights(n, len(bad), rng))
            yield weights
