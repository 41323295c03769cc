"""The base class of coefficients for unitizing: agreement on spans.

A coefficient for unitizing compares all coders of an item at once and does not rest on a measure of pairs. It declares its
options and implements three methods: :meth:`UnitizingCoefficient.item_parts` returns an array of numbers that add up over
items, :meth:`UnitizingCoefficient.finish` turns sums of such arrays into observed and expected disagreement, and
:meth:`UnitizingCoefficient.reason` says why a coefficient is undefined. :mod:`caesura.agreement.unitizing_scores` builds all
tables (items, pairs, coders, categories), the bootstrap over items and the signature from these parts.

To add a coefficient, write one file with a subclass and add one line in :mod:`caesura.agreement.unitizing_registry`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numpy as np

from caesura.agreement.unitized import UnitizedItem
from caesura.engines import Engine
from caesura.errors import InputError, OptionConflictError, OptionError, own_errors
from caesura.model.result import signature_value
from caesura.model.value import Floats
from caesura.options import Check, OptionSet, choice, setting, text

# Reason why a coefficient is undefined if no coder has a span.
NOTHING_MARKED = "nobody marked anything"

T = TypeVar("T")
_SHARED: ContextVar[dict[Any, Any] | None] = ContextVar("shared", default=None)


@contextmanager
def shared_results() -> Iterator[None]:
    """Let the coefficients that are computed inside share what they have in common, such as random samples."""
    if _SHARED.get() is not None:
        yield
        return
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def shared_store() -> dict[Any, Any] | None:
    return _SHARED.get()


def shared_result(key: tuple[Any, ...], owner: object, compute: Callable[[], T]) -> T:
    """Return a result that the coefficients inside ``shared_results`` compute once; the key has the id of ``owner``."""
    shared = _SHARED.get()
    if shared is None:
        return compute()
    if key not in shared:
        shared[key] = owner, compute()  # with the owner, so that its id stays its own
    return cast(T, shared[key][1])


def categories_of(items: Iterable[UnitizedItem]) -> tuple[str | None, ...]:
    """Return all categories, in ascending order; None, the missing category, comes first."""
    names = {name for item in items for spans in item.annotations.values() for name in spans.category_names}
    return tuple(sorted(names, key=lambda name: (name is not None, name or "")))


def check_bounds(name: str, value: Any) -> tuple[float, float]:
    """Check for the beginning and the end of all items."""
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
    """What all items of a computation share."""

    categories: tuple[str | None, ...]  # all categories of the corpus; see ``categories_of``
    seed: int
    items: int = 1
    groups: int = 1  # number of items, each counted once for every group of coders that is compared

    @property
    def codes(self) -> dict[str | None, int]:
        return {category: code for code, category in enumerate(self.categories)}

    def place_of(self, category: str | None) -> int:
        if category not in self.categories:
            known = ", ".join(map(repr, self.categories[:20])) or "none"
            raise OptionError(f"there is no category {category!r}; the categories are {known}")
        return self.categories.index(category)


class Job(NamedTuple):
    """One item, and the groups of coders for which its parts are needed."""

    item: UnitizedItem
    groups: tuple[tuple[str, ...], ...]  # coders of each group, in the order of the item


class Disorders(NamedTuple):
    """Observed and expected disagreement, one value per row. The coefficient is 1 - observed / expected."""

    # Disagreement; where the coefficient is undefined, ``expected`` is 0, negative or NaN.
    observed: Floats
    expected: Floats

    @property
    def values(self) -> Floats:
        """The coefficient of each row; NaN if it is undefined."""
        possible = np.where(self.expected > 0, self.expected, np.nan)
        return np.asarray(1 - self.observed / possible)


@dataclass(frozen=True)
class UnitizingCoefficient(OptionSet):
    """Base class of coefficients for unitizing. An object is a coefficient with its options."""

    name: ClassVar[str]  # name of the coefficient
    title: ClassVar[str]  # name in the papers
    label: ClassVar[str] = ""  # short name in tables (default: the name with hyphens)
    category_label: ClassVar[str] = ""  # short name of the values in the table of categories (default: the label)
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})  # preset -> values of options
    # Preset -> what it keeps of a program, and what it refuses to reproduce.
    preset_notes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    sampled: ClassVar[bool] = False  # whether chance is sampled, so that the random seed matters
    always_shown: ClassVar[tuple[str, ...]] = ()  # options that a short signature contains even at their defaults

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

    def needed_parts(self, parts: Floats) -> Floats:
        """Return the parts that :meth:`finish` needs, so that a bootstrap need not sum the others.

        Parameters
        ----------
        parts : numpy.ndarray, items x parts
            All parts.

        Returns
        -------
        numpy.ndarray, items x parts
            The first columns.
        """
        return parts

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

    def search_warnings(self, parts: Floats) -> Iterable[str]:
        """Return messages about searches that ended early.

        Parameters
        ----------
        parts : numpy.ndarray, items x parts
            Parts of the items.

        Returns
        -------
        iterable of str
            The messages.
        """
        return ()

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
    try:
        with own_errors():
            return coefficient.group_parts(job, plan)
    except OptionError:
        raise
    except InputError as error:
        return error
