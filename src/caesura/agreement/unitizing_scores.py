"""Agreement on spans: the tables, the interval and the signature of a coefficient for unitizing, from parts of items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.chance import or_none
from caesura.agreement.result import Agreement, CoderAgreement, ItemAgreement, PairAgreement
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import Job, Plan, UnitizingCoefficient, categories_of, shared_result, shared_store
from caesura.engines import Engine, use_engine
from caesura.errors import RESOURCE_ERRORS, InputError, MismatchError, OptionError, ResourceError, Undefined, own_errors
from caesura.model.corpus import Corpus
from caesura.model.index import argsort, flatnonzero
from caesura.model.result import HIDDEN, Excluded, Reasoned, signature_line
from caesura.model.signature import with_data
from caesura.model.value import Floats
from caesura.notices import issue
from caesura.options import seed as check_seed
from caesura.products import product

_BLOCK = 2_000_000  # sums of parts that are kept at once


@dataclass(frozen=True, slots=True)
class CategoryAgreement(Reasoned):
    """Agreement on one category.

    Attributes
    ----------
    category : str or None
        The category; None for spans without one.
    value : float or None
        The coefficient; None if it is undefined.
    spans : int
        Number of spans with this category, of all coders.
    coverage : float or None
        Share of the length of these spans on which the coefficient rests; None if the coefficient has no coverage.
    undefined : str or None
        Why the coefficient is undefined.
    """

    category: str | None
    value: float | None
    spans: int
    coverage: float | None = None
    undefined: str | None = field(default=None, metadata=HIDDEN)

    @property
    def reason(self) -> str | None:
        """Why the coefficient is undefined; None if it is defined."""
        return self.undefined


@dataclass(frozen=True)
class UnitizingAgreement(Agreement):
    """A coefficient for unitizing with its tables; ``float(agreement)`` is ``.value``.

    It has everything that :class:`Agreement` has. ``observed`` and ``expected`` are 1 minus the disagreement.

    Attributes
    ----------
    observed_disorder, expected_disorder : float
        Observed and expected disagreement; the coefficient is 1 - observed / expected.
    categories : tuple of CategoryAgreement
        One row per category.
    coverage : float or None
        Share of the item on which the coefficient rests, if it does not use all of it.
    alignment : mapping of str to object
        Item -> best alignment of the coders' spans; empty if the coefficient aligns nothing.
    sampling_interval : tuple of (float, float) or None
        Interval of the error that comes from sampling chance; None if chance is not sampled.
    params : mapping
        Every option of the coefficient with its value.
    """

    observed_disorder: float
    expected_disorder: float
    categories: tuple[CategoryAgreement, ...]
    params: Mapping[str, Any]
    coverage: float | None = None
    alignment: Mapping[str, Any] = field(default_factory=dict)
    sampling_interval: tuple[float, float] | None = None


class Block(NamedTuple):
    """The parts of all items that the same coders annotated."""

    coders: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]  # groups of these coders
    places: NDArray[np.int64]  # places of the items among all items that were scored
    parts: Floats  # parts of each item and group


def _blocks(jobs: Sequence[Job], parts: Sequence[Floats]) -> tuple[Block, ...]:
    """Return the parts of all items by their coders."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, job in enumerate(jobs):
        places.setdefault(job.item.coders, []).append(place)
    return tuple(
        Block(coders, jobs[own[0]].groups, np.array(own), np.array([parts[place] for place in own]))
        for coders, own in places.items()
    )


@dataclass(frozen=True)
class ScoredItems:
    """Items of a corpus with the parts of all groups of coders, and sums of these parts."""

    coefficient: UnitizingCoefficient
    plan: Plan
    # The items that were scored, in ascending order of their names, so that their order in the corpus does not matter.
    items: tuple[UnitizedItem, ...]
    blocks: tuple[Block, ...]  # the parts of all groups of coders
    excluded: tuple[Excluded, ...]  # items that were not scored

    @property
    def coders(self) -> tuple[str, ...]:
        return tuple(sorted({coder for block in self.blocks for coder in block.coders}))

    @cached_property
    def item_parts(self) -> Floats:
        return np.asarray(self.over(lambda coders: [coders]))

    def over(self, choose: Callable[[tuple[str, ...]], Iterable[tuple[str, ...]]]) -> Floats | None:
        places, rows = [], []
        for block in self.blocks:
            groups = [block.groups.index(group) for group in choose(block.coders) if len(group) > 1]
            if groups:
                places.append(block.places)
                rows.append(block.parts[:, groups].sum(axis=1))
        if not rows:
            return None
        return np.asarray(np.concatenate(rows)[argsort(np.concatenate(places))])

    def total(self, rows: Floats | None) -> tuple[float, float, float, str | None]:
        """Return value, observed and expected disagreement of some items, and the reason if the value is undefined."""
        if rows is None:
            return math.nan, math.nan, math.nan, "no item was annotated by two of these coders"
        if self.coefficient.average == "items":
            return self._mean(rows)
        total = rows.sum(axis=0)
        disorders = self.coefficient.finish(total[None], self.plan)
        value = float(disorders.values[0])
        reason = self.coefficient.reason(total, self.plan) if math.isnan(value) else None
        return value, float(disorders.observed[0]), float(disorders.expected[0]), reason

    def defined_total(self) -> tuple[float, float, float]:
        *numbers, reason = self.total(self.item_parts)
        if reason is not None:
            raise Undefined(f"{self.coefficient.name} is undefined: {reason}")
        value, observed, expected = numbers
        return value, observed, expected

    def pair_value(self, pair: tuple[str, str]) -> float | None:
        return or_none(self.total(self.over(lambda names: [tuple(name for name in names if name in pair)]))[0])

    def _mean(self, rows: Floats) -> tuple[float, float, float, str | None]:
        disorders = self.coefficient.finish(rows, self.plan)
        undefined = flatnonzero(np.isnan(disorders.values))
        reason = None
        if undefined.size:
            reason = f"it is undefined for an item: {self.coefficient.reason(rows[undefined[0]], self.plan)}"
        means = (float(np.mean(column)) for column in (disorders.values, disorders.observed, disorders.expected))
        value, observed, expected = means
        return value, observed, expected, reason

    def resample(self, weights: Floats) -> Floats:
        parts = self.coefficient.needed_parts(self.item_parts)
        if self.coefficient.average == "items":
            values = self.coefficient.finish(parts, self.plan).values
            return np.asarray(product(weights, values) / weights.sum(axis=1))
        blocks = np.array_split(weights, len(weights) * parts.shape[1] // _BLOCK + 1)
        return np.concatenate([self.coefficient.finish(product(block, parts), self.plan).values for block in blocks])


def score_items(
    corpus: Corpus, coefficient: UnitizingCoefficient, *, seed: int, engine: Engine, tables: bool = True
) -> ScoredItems:
    if len(corpus.coders) < 2:
        raise MismatchError(f"{coefficient.name} needs at least two coders; got {len(corpus.coders)}")
    # Coefficients that share results prepare the items once.
    key = ("items", id(corpus), coefficient.bounds)
    items, known = shared_result(key, corpus, lambda: unitized_items(corpus, coefficient.bounds))
    excluded = list(known)
    groups = _groups if tables else _all_coders
    jobs = [Job(item, groups(item.coders)) for item in items]
    plan = Plan(categories_of(items), seed, len(jobs), sum(len(job.groups) for job in jobs))
    scored: list[Job] = []
    parts: list[Floats] = []
    failures: list[InputError] = []
    for job, result in zip(jobs, _parts_or_errors(coefficient, jobs, plan, engine), strict=True):
        if isinstance(result, InputError):
            failures.append(result)
            excluded.append(Excluded(job.item.name, None, str(result)))
        else:
            scored.append(job)
            parts.append(result)
    if not scored:
        raise failures[0] if failures else MismatchError(str(excluded[0]) if excluded else "there are no items")
    return ScoredItems(coefficient, plan, tuple(job.item for job in scored), _blocks(scored, parts), tuple(excluded))


def _parts_or_errors(
    coefficient: UnitizingCoefficient, jobs: Sequence[Job], plan: Plan, engine: Engine
) -> list[Floats | InputError]:
    """Return the parts of all items. If memory or numbers do not suffice, find the items that are too large."""
    try:
        return coefficient.all_parts(jobs, plan, engine)
    except RESOURCE_ERRORS:
        errors = {
            place: error for place, job in enumerate(jobs) if (error := _error_of(coefficient, job, plan, engine))
        }
        if not errors:
            raise ResourceError(f"all {len(jobs)} items together need more memory than is available") from None
    rest = [job for place, job in enumerate(jobs) if place not in errors]
    results = iter(coefficient.all_parts(rest, plan, engine) if rest else ())
    return [errors[place] if place in errors else next(results) for place in range(len(jobs))]


def _error_of(coefficient: UnitizingCoefficient, job: Job, plan: Plan, engine: Engine) -> InputError | None:
    """Return why an item cannot be scored even alone; None if it can."""
    try:
        with own_errors():
            coefficient.all_parts([job], plan, engine)
    except ResourceError as error:
        return error
    return None


@lru_cache(maxsize=64)
def _groups(coders: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return all coders, every pair, and all coders but one, without repetition."""
    without = [tuple(other for other in coders if other != coder) for coder in coders]
    groups = [coders, *combinations(coders, 2), *(group for group in without if len(group) > 1)]
    return tuple(dict.fromkeys(groups))


@lru_cache(maxsize=64)
def _all_coders(coders: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the group of all coders; items of the same coders have the same object, and are computed together."""
    return (coders,)


def unitizing_agreement(
    corpus: Corpus,
    coefficient: UnitizingCoefficient,
    *,
    bootstrap: Bootstrap | None = None,
    seed: int | None = 0,
    engine: str | Engine = "threads",
) -> UnitizingAgreement:
    """Compute a coefficient for unitizing with all tables; ``agreement`` calls this function."""
    bootstrap = bootstrap or Bootstrap()
    if bootstrap.interval == "coders":
        raise OptionError(f"interval='coders' is not defined for {coefficient.name}; use 'items' or None")
    number = check_seed("seed", seed)
    with use_engine(engine) as opened:
        scored = score_items(corpus, coefficient, seed=number, engine=opened)
        value, observed, expected = scored.defined_total()
        issue(coefficient.search_warnings(scored.item_parts))
        extras = coefficient.extras(scored.items, scored.item_parts, scored.plan, opened)
    shared = shared_store()  # coefficients of the same items resample them in the same way
    samples = None if shared is None else shared.setdefault("bootstrap samples", {})
    ends, note = bootstrap.run(len(scored.items), number, scored.resample, samples)
    issue(coefficient.warnings(scored.items))
    fields = {
        "coefficient": coefficient.name,
        "measure": None,
        "value": value,
        "standard_error": 0.0,
        "observed": 1 - observed,
        "expected": 1 - expected,
        "expected_error": 0.0,
        "bias": None,
        "method": "exact sums",
        "draws": 0,
        "seed": number if ends is not None or coefficient.sampled else None,
        "interval": ends,
        "interval_note": note,
        "pairs": _pair_rows(scored, corpus.coders),
        "items": _item_rows(scored, corpus.item_names),
        "coders": _coder_rows(scored, corpus.coders, value),
        "excluded": scored.excluded,
        "signature": _signature(corpus, scored, value, bootstrap.facts(ends, number), number),
        "observed_disorder": observed,
        "expected_disorder": expected,
        "categories": _category_rows(scored),
        "params": coefficient.settings,
    }
    return UnitizingAgreement(**fields | extras)


def unitizing_value(
    corpus: Corpus, coefficient: UnitizingCoefficient, *, seed: int, tables: bool
) -> tuple[float, ScoredItems]:
    """Compute the value of a coefficient for unitizing alone, with the warnings of ``unitizing_agreement``."""
    with use_engine("threads") as engine:
        scored = score_items(corpus, coefficient, seed=seed, engine=engine, tables=tables)
    value = scored.defined_total()[0]
    issue(coefficient.search_warnings(scored.item_parts))
    issue(coefficient.warnings(scored.items))
    return value, scored


def _signature(corpus: Corpus, scored: ScoredItems, value: float, interval: Mapping[str, Any], seed: int) -> str:
    coefficient = scored.coefficient
    facts: dict[str, Any] = {"coders": len(scored.coders), "items": len(scored.items), **corpus.alignment_facts}
    if coefficient.sampled:
        facts["seed"] = seed
    line = signature_line(coefficient.name, **coefficient.settings, **facts | dict(interval))
    return with_data(line, corpus.fingerprint, value)


def _columns(result: tuple[float, float, float, str | None]) -> tuple[float | None, float, float | None]:
    value, observed, expected, _ = result
    return or_none(value), 1 - observed, or_none(1 - expected)


def _pair_rows(scored: ScoredItems, coders: Sequence[str]) -> tuple[PairAgreement, ...]:
    present = [coder for coder in coders if coder in scored.coders]
    rows = []
    for pair in combinations(present, 2):
        parts = scored.over(lambda names, pair=pair: [tuple(name for name in names if name in pair)])  # type: ignore[misc]
        if parts is None:
            continue
        result = scored.total(parts)
        rows.append(PairAgreement(pair, *_columns(result), 0.0, len(parts), result[3]))
    return tuple(rows)


def _item_rows(scored: ScoredItems, names: Sequence[str]) -> tuple[ItemAgreement, ...]:
    parts = scored.item_parts
    disorders = scored.coefficient.finish(parts, scored.plan)
    columns = (disorders.values.tolist(), disorders.observed.tolist(), disorders.expected.tolist())
    rows = {}
    for item, own, value, observed, expected in zip(scored.items, parts, *columns, strict=True):
        reason = scored.coefficient.reason(own, scored.plan) if math.isnan(value) else None
        rows[item.name] = ItemAgreement(item.name, *_columns((value, observed, expected, reason)), 0.0, reason)
    return tuple(rows[name] for name in names if name in rows)


def _coder_rows(scored: ScoredItems, coders: Sequence[str], value: float) -> tuple[CoderAgreement, ...]:
    rows = []
    for coder in coders:
        if coder not in scored.coders:
            continue
        pairs = scored.over(lambda names, c=coder: [pair for pair in combinations(names, 2) if c in pair])  # type: ignore[misc]
        others = scored.over(lambda names, c=coder: [tuple(name for name in names if name != c)])  # type: ignore[misc]
        result = scored.total(pairs)
        without = scored.total(others)[0] if len(scored.coders) > 2 else math.nan
        items = sum(coder in item.coders for item in scored.items)
        gains = or_none(without), or_none(without - value)
        rows.append(CoderAgreement(coder, *_columns(result), *gains, items, result[3]))
    return tuple(rows)


def _category_rows(scored: ScoredItems) -> tuple[CategoryAgreement, ...]:
    table = scored.coefficient.category_table(scored.item_parts.sum(axis=0), scored.plan)
    annotations = (spans for item in scored.items for spans in item.annotations.values())
    counts = Counter(category for spans in annotations for category in spans.categories)
    return tuple(
        CategoryAgreement(category, value, counts[category], coverage, reason)
        for category, (value, coverage, reason) in zip(scored.plan.categories, table, strict=bool(table))
        if counts[category]
    )
