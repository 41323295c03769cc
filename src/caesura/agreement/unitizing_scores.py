"""Agreement on spans: the tables, the interval and the signature of a coefficient for unitizing, from parts of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.parts import GroupParts, Rows, Sums, or_none
from caesura.agreement.result import Agreement, coder_rows, item_rows, pair_rows
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.agreement.unitizing import Job, Plan, UnitizingCoefficient, categories_of, shared_result, shared_store
from caesura.engines import Engine, use_engine
from caesura.errors import RESOURCE_ERRORS, InputError, MismatchError, OptionError, ResourceError, Undefined, own_errors
from caesura.model.corpus import Corpus
from caesura.model.index import repeat
from caesura.model.result import HIDDEN, Excluded, Reasoned, signature_line, with_data
from caesura.model.value import Floats
from caesura.notices import issue
from caesura.options import seed as check_seed


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


@dataclass(frozen=True)
class ScoredItems:
    """Items of a corpus with the parts of all groups of coders."""

    coefficient: UnitizingCoefficient
    plan: Plan
    # The items that were scored, in ascending order of their names, so that their order in the corpus does not matter.
    items: tuple[UnitizedItem, ...]
    parts: GroupParts
    excluded: tuple[Excluded, ...]  # items that were not scored

    @property
    def item_parts(self) -> Floats:
        return self.parts.item_sums

    def total(self) -> Rows:
        """Return the agreement of all items, or raise the reason why there is none."""
        total = self.parts.total()
        if total.reasons is not None and total.reasons[0] is not None:
            raise Undefined(f"{self.coefficient.name} is undefined: {total.reasons[0]}")
        return total

    def partners(self, coder: str) -> set[str]:
        """Return the coders who share an item with a coder."""
        names = self.parts.coders
        own = [{names[a], names[b]} for a, b in self.parts.pairs]
        return set().union(*(pair for pair in own if coder in pair))

    def pair_value(self, pair: tuple[str, str]) -> float | None:
        places = tuple(sorted(self.parts.coders.index(coder) for coder in pair if coder in self.parts.coders))
        if places not in self.parts.pairs:
            return None
        return or_none(self.parts.by_pair().values)[self.parts.pairs.index(places)]


def _table(coefficient: UnitizingCoefficient, plan: Plan, jobs: Sequence[Job], parts: Sequence[Floats]) -> GroupParts:
    coders = tuple(sorted({coder for job in jobs for coder in job.item.coders}))
    number = {coder: place for place, coder in enumerate(coders)}
    groups: dict[tuple[str, ...], int] = {}
    group = [groups.setdefault(names, len(groups)) for job in jobs for names in job.groups]

    def finish(sums: Sums) -> Rows:
        disorders = coefficient.finish(sums.parts, plan)
        return Rows.of(1 - disorders.observed, 1 - disorders.expected, values=disorders.values)

    return GroupParts(
        items=tuple(job.item.name for job in jobs),
        coders=coders,
        item=repeat(np.arange(len(jobs)), [len(job.groups) for job in jobs]),
        group=np.array(group, np.int64),
        values=np.concatenate(parts),
        groups=tuple(tuple(sorted(number[name] for name in names)) for names in groups),
        finish=finish,
        reason=lambda sums: None if np.isnan(sums).all() else coefficient.reason(sums, plan),
        by_means=coefficient.average == "items",
    )


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
    table = _table(coefficient, plan, scored, parts)
    return ScoredItems(coefficient, plan, tuple(job.item for job in scored), table, tuple(excluded))


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
        total, table = scored.total(), scored.parts
        issue(coefficient.search_warnings(scored.item_parts))
        extras = coefficient.extras(scored.items, scored.item_parts, scored.plan, opened)
    shared = shared_store()  # coefficients of the same items resample them in the same way
    samples = None if shared is None else shared.setdefault("bootstrap samples", {})
    needed = table if table.by_means else replace(table, values=coefficient.needed_parts(table.values))
    ends, note = bootstrap.run(len(scored.items), number, lambda weights: needed.resampled(weights).values, samples)
    issue(coefficient.warnings(scored.items))
    value, observed, expected = (float(column[0]) for column in total[:3])
    fields = {
        "coefficient": coefficient.name,
        "measure": None,
        "value": value,
        "standard_error": 0.0,
        "observed": observed,
        "expected": expected,
        "expected_error": 0.0,
        "bias": None,
        "method": "exact sums",
        "draws": 0,
        "seed": number if ends is not None or coefficient.sampled else None,
        "interval": ends,
        "interval_note": note,
        "pairs": pair_rows(corpus.coders, table),
        "items": item_rows(corpus.item_names, table),
        "coders": coder_rows(corpus.coders, table, value),
        "excluded": scored.excluded,
        "signature": _signature(corpus, scored, value, bootstrap.facts(ends, number), number),
        "observed_disorder": 1 - observed,
        "expected_disorder": 1 - expected,
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
    value = float(scored.total().values[0])
    issue(coefficient.search_warnings(scored.item_parts))
    issue(coefficient.warnings(scored.items))
    return value, scored


def _signature(corpus: Corpus, scored: ScoredItems, value: float, interval: Mapping[str, Any], seed: int) -> str:
    coefficient = scored.coefficient
    facts: dict[str, Any] = {"coders": len(scored.parts.coders), "items": len(scored.items), **corpus.alignment_facts}
    if coefficient.sampled:
        facts["seed"] = seed
    line = signature_line(coefficient.name, **coefficient.settings, **facts | dict(interval))
    return with_data(line, corpus.fingerprint, value)


def _category_rows(scored: ScoredItems) -> tuple[CategoryAgreement, ...]:
    table = scored.coefficient.category_table(scored.item_parts.sum(axis=0), scored.plan)
    annotations = (spans for item in scored.items for spans in item.annotations.values())
    counts = Counter(category for spans in annotations for category in spans.categories)
    return tuple(
        CategoryAgreement(category, value, counts[category], coverage, reason)
        for category, (value, coverage, reason) in zip(scored.plan.categories, table, strict=bool(table))
        if counts[category]
    )
