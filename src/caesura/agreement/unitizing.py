"""Agreement on spans: the base class of coefficients for unitizing, and the computation that all of them share.

A coefficient for unitizing compares all coders of an item at once and does not rest on a measure of pairs. It declares its
options and implements three methods: :meth:`UnitizingCoefficient.item_parts` returns an array of numbers that add up over
items, :meth:`UnitizingCoefficient.finish` turns sums of such arrays into observed and expected disagreement, and
:meth:`UnitizingCoefficient.reason` says why a coefficient is undefined. This module builds all tables (items, pairs,
coders, categories), the bootstrap over items and the signature from these parts.

To add a coefficient, write one file with a subclass and add one line in :mod:`caesura.agreement.unitizing_registry`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.chance import or_none
from caesura.agreement.result import Agreement, CoderAgreement, ItemAgreement, PairAgreement
from caesura.agreement.unitized import UnitizedItem, unitized_items
from caesura.engines import Engine, use_engine
from caesura.errors import (
    RESOURCE_ERRORS,
    InputError,
    MismatchError,
    OptionConflictError,
    OptionError,
    ResourceError,
    Undefined,
    own_errors,
)
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Excluded, Reasoned, signature_line, signature_value
from caesura.model.signature import with_data
from caesura.model.value import Floats
from caesura.notices import issue
from caesura.options import Check, OptionSet, choice, setting, text
from caesura.options import seed as check_seed
from caesura.products import product

NOTHING_MARKED = "nobody marked anything"
"""Reason why a coefficient is undefined if no coder has a span."""

LEFT_OUT = "left out, because it would take too much work"
"""Reason why a row of a table has no value, if the coefficient limits its work."""
_SHARED: ContextVar[dict[Any, Any] | None] = ContextVar("shared", default=None)


@contextmanager
def shared_results() -> Iterator[None]:
    """Let the coefficients that are computed inside share what they have in common, such as random samples.

    Yields
    ------
    None
    """
    if _SHARED.get() is not None:
        yield
        return
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def shared_store() -> dict[Any, Any] | None:
    """Return what the coefficients inside :func:`shared_results` share.

    Returns
    -------
    dict or None
        None outside of it.
    """
    return _SHARED.get()


def check_bounds(name: str, value: Any) -> tuple[float, float]:
    """Check for the beginning and the end of all items.

    Parameters
    ----------
    name : str
        Name of the option, for the error message.
    value : object
        The value to check.

    Returns
    -------
    tuple of (float, float)
        Beginning and end.

    Raises
    ------
    OptionError
        If it is not a pair of finite numbers in ascending order.
    """
    try:
        first, last = (float(position) for position in value)
    except (TypeError, ValueError):
        first, last = math.nan, math.nan
    if not -math.inf < first < last < math.inf:
        raise OptionError(f"{name} must be two numbers, beginning and end of the items; got {value!r}")
    return first, last


_check_bounds: Check = check_bounds
_check_bounds.value_type, _check_bounds.choices = str, ()  # type: ignore[attr-defined]


class Plan(NamedTuple):
    """What all items of a computation share.

    Attributes
    ----------
    categories : tuple of str or None
        All categories of the corpus, in ascending order; None, the missing category, comes first.
    seed : int
        Random seed.
    """

    categories: tuple[str | None, ...]
    seed: int

    def place_of(self, category: str | None) -> int:
        """Return the place of a category.

        Parameters
        ----------
        category : str or None
            The category.

        Returns
        -------
        int
            Its index in ``categories``.

        Raises
        ------
        OptionError
            If no span has this category.
        """
        if category not in self.categories:
            known = ", ".join(map(repr, self.categories[:20])) or "none"
            raise OptionError(f"there is no category {category!r}; the categories are {known}")
        return self.categories.index(category)


class Job(NamedTuple):
    """One item, and the groups of coders for which its parts are needed.

    Attributes
    ----------
    item : UnitizedItem
        The item.
    groups : tuple of tuple of str
        Coders of each group, in the order of the item.
    """

    item: UnitizedItem
    groups: tuple[tuple[str, ...], ...]


class Disorders(NamedTuple):
    """Observed and expected disagreement, one value per row. The coefficient is 1 - observed / expected.

    Attributes
    ----------
    observed, expected : numpy.ndarray
        Disagreement; where the coefficient is undefined, ``expected`` is 0, negative or NaN.
    """

    observed: Floats
    expected: Floats

    @property
    def values(self) -> Floats:
        """The coefficient of each row; NaN if it is undefined."""
        possible = np.where(self.expected > 0, self.expected, np.nan)
        return np.asarray(1 - self.observed / possible)


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
class UnitizingCoefficient(OptionSet):
    """Base class of coefficients for unitizing. An object is a coefficient with its options.

    Attributes
    ----------
    name : str
        Name of the coefficient.
    title : str
        Name in the papers.
    label : str
        Short name in tables (default: the name with hyphens).
    category_label : str
        Short name of the values in the table of categories (default: the label).
    presets : mapping
        Preset -> values of options.
    preset_notes : mapping
        Preset -> what it keeps of a program, and what it refuses to reproduce.
    sampled : bool
        Whether chance is sampled, so that the random seed matters.
    always_shown : tuple of str
        Options that a short signature contains even at their defaults.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    label: ClassVar[str] = ""
    category_label: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    preset_notes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    sampled: ClassVar[bool] = False
    always_shown: ClassVar[tuple[str, ...]] = ()

    bounds: tuple[float, float] | None = setting(
        None, check_bounds, "Beginning and end of all items (default: from the file, or the first start and last end)."
    )
    average: str = setting(
        "micro", choice("micro", "items"), "Sum the parts of all items, or take the mean over items."
    )
    compat: str | None = setting(None, text, "Preset that sets options which have their default value.")

    def __post_init__(self) -> None:
        if self.compat is not None:
            if self.compat not in self.presets:
                known = ", ".join(map(repr, self.presets)) or "none"
                raise OptionError(f"{self.name} has no preset {self.compat!r}; its presets are {known}")
            for entry in self.declared():
                if entry.name in self.presets[self.compat] and getattr(self, entry.name) == entry.default:
                    object.__setattr__(self, entry.name, self.presets[self.compat][entry.name])
        super().__post_init__()

    @classmethod
    def create(cls, options: Mapping[str, Any]) -> UnitizingCoefficient:
        """Return the coefficient with these options.

        Parameters
        ----------
        options : mapping
            Name -> value; None stands for "not set".

        Returns
        -------
        UnitizingCoefficient
            The coefficient.

        Raises
        ------
        OptionError
            If an option is unknown or its value invalid, or if it contradicts the preset.
        """
        declared = {entry.name: entry.default for entry in cls.declared()}
        for name in options:
            if name not in declared:
                from caesura.options import suggest

                raise OptionError(suggest(f"{cls.name} has no option", name, declared))
        chosen = {name: value for name, value in options.items() if value is not None}
        preset = cls.presets.get(str(chosen.get("compat")), {})
        for name, value in chosen.items():
            if name in preset and value == declared[name] != preset[name]:
                raise OptionConflictError(
                    f"compat={chosen['compat']!r} sets {name}={preset[name]!r}; leave out compat to use {value!r}"
                )
        return cls(**chosen)

    @classmethod
    def hidden_facts(cls) -> dict[str, str]:
        """Return the options that a short signature omits if they have their default value.

        Returns
        -------
        dict
            Name -> default as text.
        """
        hidden = [entry for entry in cls.declared() if entry.name not in cls.always_shown and entry.default is not None]
        return {
            entry.name: signature_value(entry.metadata["check"](entry.name, entry.default)) for entry in hidden
        }  # a check may change 1.0 to 1

    @property
    def settings(self) -> dict[str, Any]:
        """Every option with its value."""
        return {entry.name: getattr(self, entry.name) for entry in self.declared()}

    # -- what a coefficient implements --------------------------------------------------------------------------------

    @abstractmethod
    def item_parts(self, item: UnitizedItem, plan: Plan) -> Floats:
        """Return the parts of one item.

        Parameters
        ----------
        item : UnitizedItem
            Spans of at least two coders.
        plan : Plan
            What all items share.

        Returns
        -------
        numpy.ndarray
            Numbers that add up over items; all items have equally many.

        Raises
        ------
        InputError
            If the coefficient cannot compare these spans; the item is then excluded. The message names coder and span.
        """

    @abstractmethod
    def finish(self, parts: Floats, plan: Plan) -> Disorders:
        """Return the disagreement for sums of parts.

        Parameters
        ----------
        parts : numpy.ndarray, rows x parts
            Sums over items.
        plan : Plan
            What all items share.

        Returns
        -------
        Disorders
            One value per row.
        """

    @abstractmethod
    def reason(self, parts: Floats, plan: Plan) -> str:
        """Return the reason why the coefficient is undefined.

        Parameters
        ----------
        parts : numpy.ndarray
            One sum over items.
        plan : Plan
            What all items share.

        Returns
        -------
        str
            The reason.
        """

    def group_parts(self, job: Job, plan: Plan) -> Floats:
        """Return the parts of one item for several groups of its coders.

        Parameters
        ----------
        job : Job
            The item and the groups.
        plan : Plan
            What all items share.

        Returns
        -------
        numpy.ndarray, groups x parts
            One row per group.
        """
        return np.array([self.item_parts(job.item.select(group), plan) for group in job.groups])

    def all_parts(self, jobs: Sequence[Job], plan: Plan, engine: Engine) -> list[Floats | InputError]:
        """Return the parts of all items; override this method to divide the work in another way than by items.

        Parameters
        ----------
        jobs : sequence of Job
            The items with their groups of coders.
        plan : Plan
            What all items share.
        engine : Engine
            Engine that runs the computation.

        Returns
        -------
        list of numpy.ndarray or InputError
            One row per group, or the reason why the item is excluded.
        """
        return list(engine.map(partial(_attempt, self, plan), jobs))

    def category_table(self, parts: Floats, plan: Plan) -> list[tuple[float | None, float | None, str | None]]:
        """Return the agreement on each category of the plan.

        Parameters
        ----------
        parts : numpy.ndarray
            The sum over all items.
        plan : Plan
            What all items share.

        Returns
        -------
        list of tuple
            Value, coverage and the reason why the value is undefined; empty if there is no such table.
        """
        return []

    def extras(self, items: Sequence[UnitizedItem], parts: Floats, plan: Plan, engine: Engine) -> dict[str, Any]:
        """Return further fields of the result.

        Parameters
        ----------
        items : sequence of UnitizedItem
            The items that were scored, in the order of ``parts``.
        parts : numpy.ndarray, items x parts
            Their parts.
        plan : Plan
            What all items share.
        engine : Engine
            Engine that runs the computation.

        Returns
        -------
        dict
            Fields of :class:`UnitizingAgreement` or :class:`Agreement`, such as ``coverage`` or ``alignment``.
        """
        return {}

    def warnings(self, items: Sequence[UnitizedItem]) -> Iterable[str]:
        """Return messages about spans that are valid but easily misread.

        Parameters
        ----------
        items : sequence of UnitizedItem
            The items that were scored.

        Returns
        -------
        iterable of str
            The messages.
        """
        return ()


def _attempt(coefficient: UnitizingCoefficient, plan: Plan, job: Job) -> Floats | InputError:
    """Return the parts of one item, or the error if it cannot be scored."""
    try:
        with own_errors():
            return coefficient.group_parts(job, plan)
    except OptionError:
        raise
    except InputError as error:
        return error


# -- computation --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredItems:
    """Items of a corpus with the parts of all groups of coders, and sums of these parts.

    Attributes
    ----------
    coefficient : UnitizingCoefficient
        The coefficient.
    plan : Plan
        What all items share.
    items : tuple of UnitizedItem
        The items that were scored, in ascending order of their names, so that their order in the corpus does not matter.
    parts : tuple of dict
        Group of coders -> parts, one entry per item.
    excluded : tuple of Excluded
        Items that were not scored.
    """

    coefficient: UnitizingCoefficient
    plan: Plan
    items: tuple[UnitizedItem, ...]
    parts: tuple[Mapping[tuple[str, ...], Floats], ...]
    excluded: tuple[Excluded, ...]

    @property
    def coders(self) -> tuple[str, ...]:
        """Coders of the items that were scored, in ascending order."""
        return tuple(sorted({coder for item in self.items for coder in item.coders}))

    @property
    def item_parts(self) -> Floats:
        """Parts of all coders, one row per item."""
        return np.array([parts[item.coders] for item, parts in zip(self.items, self.parts, strict=True)])

    def over(self, choose: Callable[[tuple[str, ...]], Iterable[tuple[str, ...]]]) -> Floats | None:
        """Return the sum over items of the parts of chosen groups.

        Parameters
        ----------
        choose : callable
            Function from the coders of an item to the groups to add.

        Returns
        -------
        numpy.ndarray, items x parts, or None
            One row per item that has such a group; None if no item has one.
        """
        rows = []
        for item, parts in zip(self.items, self.parts, strict=True):
            groups = [group for group in choose(item.coders) if len(group) > 1]
            if groups:
                rows.append(np.sum([parts[group] for group in groups], axis=0))
        return np.array(rows) if rows else None

    def total(self, rows: Floats | None) -> tuple[float, float, float, str | None]:
        """Return value, observed and expected disagreement of some items, and the reason if the value is undefined.

        Parameters
        ----------
        rows : numpy.ndarray, items x parts, or None
            Parts of the items.

        Returns
        -------
        tuple
            The three numbers, NaN if they are undefined, and the reason.
        """
        if rows is None:
            return math.nan, math.nan, math.nan, "no item was annotated by two of these coders"
        if self.coefficient.average == "items":
            return self._mean(rows)
        total = rows.sum(axis=0)
        disorders = self.coefficient.finish(total[None], self.plan)
        value = float(disorders.values[0])
        reason = self.coefficient.reason(total, self.plan) if math.isnan(value) else None
        return value, float(disorders.observed[0]), float(disorders.expected[0]), reason

    def _mean(self, rows: Floats) -> tuple[float, float, float, str | None]:
        disorders = self.coefficient.finish(rows, self.plan)
        undefined = np.flatnonzero(np.isnan(disorders.values))
        reason = None
        if undefined.size:
            reason = f"it is undefined for an item: {self.coefficient.reason(rows[undefined[0]], self.plan)}"
        means = (float(np.mean(column)) for column in (disorders.values, disorders.observed, disorders.expected))
        value, observed, expected = means
        return value, observed, expected, reason

    def resample(self, weights: Floats) -> Floats:
        """Return the coefficient of weighted items.

        Parameters
        ----------
        weights : numpy.ndarray, rows x items
            Number of times that each item counts.

        Returns
        -------
        numpy.ndarray
            One value per row.
        """
        parts = self.item_parts
        if self.coefficient.average == "items":
            values = self.coefficient.finish(parts, self.plan).values
            return np.asarray(product(weights, values) / weights.sum(axis=1))
        return self.coefficient.finish(product(weights, parts), self.plan).values


def score_items(
    corpus: Corpus, coefficient: UnitizingCoefficient, *, seed: int, engine: Engine, tables: bool = True
) -> ScoredItems:
    """Compute the parts of all items of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Spans, or annotations that become spans.
    coefficient : UnitizingCoefficient
        The coefficient.
    seed : int
        Random seed.
    engine : Engine
        Engine that runs the computation.
    tables : bool, default True
        Whether to compute the parts of all pairs, and of all coders without each coder.

    Returns
    -------
    ScoredItems
        The parts.

    Raises
    ------
    InputError
        If no item can be scored; the reason is that of the first item.
    """
    if len(corpus.coders) < 2:
        raise MismatchError(f"{coefficient.name} needs at least two coders; got {len(corpus.coders)}")
    items, excluded = unitized_items(corpus, coefficient.bounds)
    categories = {name for item in items for spans in item.annotations.values() for name in spans.category_names}
    plan = Plan(tuple(sorted(categories, key=lambda name: (name is not None, name or ""))), seed)
    jobs = [Job(item, _groups(item.coders) if tables else (item.coders,)) for item in items]
    scored, parts = [], []
    failures: list[InputError] = []
    for job, result in zip(jobs, _parts_or_errors(coefficient, jobs, plan, engine), strict=True):
        if isinstance(result, InputError):
            failures.append(result)
            excluded.append(Excluded(job.item.name, None, str(result)))
        else:
            scored.append(job.item)
            parts.append(dict(zip(job.groups, result, strict=True)))
    if not scored:
        raise failures[0] if failures else MismatchError(str(excluded[0]) if excluded else "there are no items")
    return ScoredItems(coefficient, plan, tuple(scored), tuple(parts), tuple(excluded))


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


def _groups(coders: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return all coders, every pair, and all coders but one, without repetition."""
    without = [tuple(other for other in coders if other != coder) for coder in coders]
    groups = [coders, *combinations(coders, 2), *(group for group in without if len(group) > 1)]
    return tuple(dict.fromkeys(groups))


def unitizing_agreement(
    corpus: Corpus,
    coefficient: UnitizingCoefficient,
    *,
    bootstrap: Bootstrap | None = None,
    seed: int | None = 0,
    engine: str | Engine = "threads",
) -> UnitizingAgreement:
    """Compute a coefficient for unitizing with all tables; :func:`caesura.agreement` calls this function.

    Parameters
    ----------
    corpus : Corpus
        Spans of at least two coders.
    coefficient : UnitizingCoefficient
        The coefficient with its options.
    bootstrap : Bootstrap, optional
        Options of the interval over items.
    seed : int or None, default 0
        Random seed.
    engine : str or Engine, default "threads"
        Engine for the computation.

    Returns
    -------
    UnitizingAgreement
        The coefficient.

    Raises
    ------
    Undefined
        If the coefficient is undefined for these spans; the message says why.
    InputError
        If no item can be scored.
    """
    bootstrap = bootstrap or Bootstrap()
    if bootstrap.interval == "coders":
        raise OptionError(f"interval='coders' is not defined for {coefficient.name}; use 'items' or None")
    number = check_seed("seed", seed)
    with use_engine(engine) as opened:
        scored = score_items(corpus, coefficient, seed=number, engine=opened)
        value, observed, expected, reason = scored.total(scored.item_parts)
        if reason is not None:
            raise Undefined(f"{coefficient.name} is undefined: {reason}")
        extras = coefficient.extras(scored.items, scored.item_parts, scored.plan, opened)
    ends, note = bootstrap.run(len(scored.items), number, scored.resample)
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


def _signature(corpus: Corpus, scored: ScoredItems, value: float, interval: Mapping[str, Any], seed: int) -> str:
    coefficient = scored.coefficient
    facts: dict[str, Any] = {"coders": len(scored.coders), "items": len(scored.items), **corpus.alignment_facts}
    if coefficient.sampled:
        facts["seed"] = seed
    line = signature_line(coefficient.name, **coefficient.settings, **facts | dict(interval))
    return with_data(line, corpus.fingerprint, value)


def _columns(result: tuple[float, float, float, str | None]) -> tuple[float | None, float, float | None]:
    """Return value, observed and expected agreement of a row."""
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
    rows = {}
    for item, parts in zip(scored.items, scored.item_parts, strict=True):
        result = scored.total(parts[None])
        rows[item.name] = ItemAgreement(item.name, *_columns(result), 0.0, result[3])
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
    counts = dict.fromkeys(scored.plan.categories, 0)
    for item in scored.items:
        for spans in item.annotations.values():
            for category, number in zip(spans.category_names, np.bincount(spans.codes).tolist(), strict=True):
                counts[category] += number
    return tuple(
        CategoryAgreement(category, value, counts[category], coverage, reason)
        for category, (value, coverage, reason) in zip(scored.plan.categories, table, strict=bool(table))
        if counts[category]
    )
