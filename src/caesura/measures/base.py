"""A measure: a value with a name and options, which turns pairs of segmentations into scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.measures.batch import Batch, Comparison, Text, View, pack
from caesura.measures.sums import exact_sum
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.result import signature_value
from caesura.model.score import Edit, Parts, Score
from caesura.model.tree import Tree
from caesura.options import Option, resolve_options, suggest
from caesura.version import __version__

Counts = NDArray[np.float64]

COUNT_COEFFICIENTS = ("pi", "kappa", "multi_pi", "multi_kappa", "bias", "alpha")
"""Coefficients whose expected agreement follows from how many boundaries each coder placed."""


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """What a measure makes of a batch: a row of additive counts a document, and options resolved per document."""

    counts: Counts
    resolved: Mapping[str, NDArray[Any]]


class Measure(ABC):
    """Base of all measures. An instance is immutable: the measure with its options.

    A subclass declares ``name``, ``title``, ``options``, ``presets``, the laws it obeys, and four methods: ``part_names``,
    ``compute`` (call a kernel), ``finish`` (from counts to the value) and, if it aligns anything, ``edits``.

    Attributes
    ----------
    name : str
        Name in the registry, ``"boundary_similarity"``.
    title : str
        Name and source in one line, for listings.
    kinds : tuple of str
        Kinds of data the measure compares: ``"linear"``, ``"dialogue"``, ``"hierarchy"``, ``"trees"``.
    kind : str
        The last of ``kinds``: the richest data the measure is made for.
    options : tuple of Option
        Declared options; their resolved values are ``settings``.
    presets : mapping
        Values of options by the name of the preset, which ``compat`` chooses.
    view : str
        Which arrays the measure takes; see :data:`~caesura.measures.batch.View`.
    sides : tuple of str
        Names of the two sides, for messages and tables.
    coefficients : tuple of str
        Coefficients of agreement beyond chance that the measure supports, () if none.
    default_coefficient : str or None
        The coefficient if none is chosen; None if the measure supports none.
    chance_family : str
        How expected agreement is computed: ``"counts"`` from the boundaries each coder placed, ``"random_texts"`` by
        random texts, ``"spans"`` within the measure itself; ``""`` if there are no coefficients.
    needs_common_units : bool
        Whether both sides must have the same units. If not, times are compared as they are.
    accepts_marks : bool
        Whether the first side may be the marks of several coders.
    is_mean_over_pairs : bool
        Whether the value is the mean of one minus cost over the boundary pairs in ``score.edits``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ("linear",)
    kind: ClassVar[str] = "linear"
    options: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    view: ClassVar[View] = "inner"
    sides: ClassVar[tuple[str, str]] = ("reference", "hypothesis")
    coefficients: ClassVar[tuple[str, ...]] = ()
    default_coefficient: ClassVar[str | None] = None
    chance_family: ClassVar[str] = ""
    needs_common_units: ClassVar[bool] = True
    accepts_marks: ClassVar[bool] = False
    is_mean_over_pairs: ClassVar[bool] = False

    # Laws, which tests/test_laws.py holds every registered measure to.
    best: ClassVar[float | None] = 1.0
    """The value of two identical segmentations; None if that varies, and there is no limit to how good a value can be."""
    worst: ClassVar[float | None] = 0.0
    """The other end of the range; None if there is no limit to how bad a value can be."""
    reversible: ClassVar[bool] = True
    """Whether reading the text backwards never changes the value."""
    needs_boundaries: ClassVar[bool] = False
    """Whether nothing can be said about a reference without boundaries: ``Undefined``."""
    chance_corrected: ClassVar[bool] = False
    """Whether the value is agreement beyond chance, ``Undefined`` where both sides are empty or chance agreement is 1. With
    neither of these two, every pair has a value."""

    __slots__ = ("_resolved", "compat", "settings")

    compat: str | None
    settings: Mapping[str, Any]
    """Every option with its resolved value, in the order of declaration."""
    _resolved: tuple[tuple[str, Any], ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kind = cls.kinds[-1]

    def __init__(self, /, *, compat: str | None = None, **given: Any) -> None:
        if compat is not None and (not isinstance(compat, str) or compat not in self.presets):
            raise OptionError(suggest(f"{self.name} has no preset", str(compat), self.presets))
        # None is "not given": the preset's value or the default holds.
        preset = None if compat is None else self.presets[compat]
        values = resolve_options(self.name, self.options, given, preset)
        object.__setattr__(self, "compat", compat)
        object.__setattr__(self, "settings", MappingProxyType(values))
        object.__setattr__(self, "_resolved", tuple(values.items()))
        self.validate()

    @classmethod
    def _defaults(cls, compat: str | None) -> dict[str, Any]:
        values = {option.name: option.default for option in cls.options}
        return values | dict(cls.presets[compat]) if compat is not None else values

    def validate(self) -> None:  # noqa: B027 - most measures have nothing to add
        """Raise ``OptionError`` if options that are fine alone do not go together."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a measure is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a measure is immutable; cannot delete {name!r}")

    def __getitem__(self, name: str) -> Any:
        """The resolved value of an option."""
        return self.settings[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return type(self) is type(other) and self.compat == other.compat and self._resolved == other._resolved

    def __hash__(self) -> int:
        return hash((self.name, self.compat, self._resolved))

    def __repr__(self) -> str:
        return self._written(repr)

    @property
    def label(self) -> str:
        """The repr for a table: long values are left out, the signature has them."""
        return self._written(lambda value: repr(value) if len(repr(value)) < 20 else "…")

    def _written(self, shown: Callable[[Any], str]) -> str:
        """Name, options that are not at their default or always named, and preset."""
        usual = self._defaults(self.compat)
        always = {option.name for option in self.options if option.always_shown}
        words = [f"{k}={shown(v)}" for k, v in self._resolved if v != usual[k] or k in always]
        words += [] if self.compat is None else [f"compat={self.compat!r}"]
        return f"{self.name}({', '.join(words)})" if words else self.name

    def replace(self, **options: Any) -> Self:
        """The same measure with other options (``compat`` among them); what was not at its default stays."""
        usual = self._defaults(self.compat)
        mine = {name: value for name, value in self._resolved if value != usual[name]}
        return type(self)(**{"compat": self.compat, **mine, **options})

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.compat, dict(self.settings))

    # -- what a subclass says -------------------------------------------------------------------------------------

    @abstractmethod
    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the additive counts, in the order of the columns of ``compute``."""

    @abstractmethod
    def compute(self, batch: Batch) -> BatchCounts:
        """Call the kernel. The batch has passed ``check``."""

    @abstractmethod
    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        """The value of each row of counts; rows may be sums over documents."""

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Documents this measure cannot be computed for, and why."""
        return {}

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        """Further figures that follow from the counts, such as precision and recall."""
        return {}

    def align(self, batch: Batch) -> tuple[Edit, ...] | None:
        """What happened to every boundary of the one document in the batch; None if the measure aligns nothing."""
        return None

    @property
    def short_name(self) -> str:
        """Symbol or abbreviation of the measure in the literature, for narrow tables and axes."""
        return self.name

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides never changes the value, with the options of this measure."""
        return False

    @property
    def time_aware(self) -> bool:
        """Whether times are compared as they are, each side with its own units."""
        return not self.needs_common_units

    @property
    def supports_exact_chance(self) -> bool:
        """Whether expected agreement can be computed without simulation: ``chance="exact"``."""
        return False

    @property
    def accepts_settings(self) -> bool:
        """Whether the measure has the options that a settings file sets: similarity and transposition cost."""
        return False

    def with_settings(self, options: Mapping[str, Any]) -> Self:
        """Return the measure with the options of a settings file wherever its own are None.

        Parameters
        ----------
        options : mapping
            Values by the name of the option. Measures that do not accept settings ignore them.
        """
        if not self.accepts_settings:
            return self
        return self.replace(**{name: value for name, value in options.items() if self[name] is None})

    def aligns_like(self, other: Measure) -> bool:
        """Return whether the other measure aligns boundaries in the same way and at most divides by something else."""
        return self == other or (
            "normalize" in self.settings and self.replace(normalize=other.settings.get("normalize")) == other
        )

    @property
    def fixed_types(self) -> bool:
        """Whether counts over one list of types mean something else than counts over another."""
        return True

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value is a better one, as of all but error rates."""
        return self.best is None or self.worst is None or self.best > self.worst

    def as_similarity(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Error rates turned round; other values as they are."""
        if self.best is None or self.worst is None or self.higher_is_better:
            return values
        return (values - self.worst) / (self.best - self.worst)

    aligns: ClassVar[bool] = False
    """Whether a score keeps its document, from which edits and the like are made when first asked for."""
    score_class: ClassVar[type[Score]] = Score

    # -- scoring --------------------------------------------------------------------------------------------------

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, NDArray[np.int64], dict[int, CaesuraError]]:
        """Arrays for the pairs that can be compared at all."""
        return pack(pairs, self.view, self.sides)

    def pack(self, pairs: Sequence[Comparison]) -> tuple[Batch, NDArray[np.int64], dict[int, CaesuraError]]:
        """Arrays for the pairs that can be scored, their places, and what is wrong with the others."""
        batch, places, errors = self.to_batch(pairs)
        bad = self.check(batch)
        if bad:
            errors |= {int(places[d]): problem for d, problem in bad.items()}
            good = np.array([d for d in range(len(batch)) if d not in bad], np.int64)
            batch, places = batch.take(good), places[good]
        return batch, places, errors

    def score(self, a: Text | Marks | Hierarchy | Tree, b: Text | Hierarchy | Tree) -> Score:
        """The score of one pair: a batch of one."""
        batch, _, errors = self.pack([(a, b)])
        if errors:
            raise errors[0]
        computed = self.compute(batch)
        return self.build_score(computed.counts[0], batch.types, self.resolved_at(computed.resolved, 0), batch=batch)

    resolved_words: ClassVar[Mapping[str, NDArray[np.str_]]] = MappingProxyType({})
    """Of what is resolved per document: the words that its numbers stand for."""

    def resolved_at(self, resolved: Mapping[str, NDArray[Any]], place: int) -> dict[str, Any]:
        """What was resolved for one document."""
        return {
            name: (self.resolved_words[name][column[place]] if name in self.resolved_words else column[place]).item()
            for name, column in resolved.items()
        }

    def summarize(self, resolved: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """What was resolved for many documents, each as one value or a short text."""
        return {
            name: summarize(self.resolved_words[name][np.unique(column)] if name in self.resolved_words else column)
            for name, column in resolved.items()
        }

    def build_score(
        self,
        counts: Counts,
        types: tuple[str, ...],
        resolved: Mapping[str, Any],
        *,
        batch: Batch | None = None,
        documents: int = 1,
    ) -> Score:
        """A ``Score`` from one row of counts."""
        names = self.part_names(types)
        plain = {name: int(x) if x.is_integer() else x for name, x in zip(names, counts.tolist(), strict=True)}
        value = float(self.finish(counts[None, :], types)[0])
        params = {**self.settings, **resolved}
        return self.score_class(
            measure=self,
            value=value,
            parts=Parts(plain, self.derived(plain, types)),
            params=MappingProxyType(params),
            types=types,
            documents=documents,
            source=batch if self.aligns else None,
        )

    def total(self, scores: Sequence[Score]) -> Score:
        """One score for all documents, from summed parts."""
        if not scores:
            raise OptionError("a total needs at least one score; got none")
        first = scores[0]
        for other in scores[1:]:
            if other.measure != self or (self.fixed_types and other.types != first.types):
                raise OptionError(
                    f"only scores of one measure over the same types add up; got {first.signature} and {other.signature}"
                )
        types = first.types if self.fixed_types else tuple(sorted({name for one in scores for name in one.types}))
        names = self.part_names(types)
        counts = np.array([exact_sum(one.parts[name] for one in scores) for name in names])
        resolved = {
            name: summarize([one.params[name] for one in scores])
            for name in first.params
            if name not in self.settings or first.params[name] != self[name]
        }
        return self.build_score(counts, types, resolved, documents=sum(one.documents for one in scores))

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """One line, in the way of sacreBLEU: name, every resolved option, types, preset, version."""
        words = [self.name]
        if documents != 1:
            words.append(f"documents:{documents}")
        words += [f"{name}:{signature_value(value)}" for name, value in params.items()]
        if self.view == "typed":
            words.append("types:" + (signature_value("<".join(types)) if len(types) > 1 else "1"))
        if self.compat is not None:
            words.append(f"compat:{self.compat}")
        return "|".join([*words, f"caesura:{__version__}"])

    @classmethod
    def of(cls, /, compat: str | None, **options: Any) -> Self:
        """The measure with these options, made once and kept."""
        try:
            key = (cls, compat, tuple(options.items()), tuple(map(type, options.values())))
            made = _made.get(key)
        except TypeError:  # an option that cannot be hashed cannot be right, and the constructor says why
            return cls(compat=compat, **options)
        if made is None:
            made = cls(compat=compat, **options)
            if len(_made) < 1000:
                _made[key] = made
        return made  # type: ignore[return-value]


_made: dict[Any, Measure] = {}


def divide(part: NDArray[Any], whole: NDArray[Any], *, empty: float | NDArray[Any] = 0.0) -> NDArray[np.float64]:
    """part / whole, row by row, and ``empty`` where the whole is 0 (and then the part is 0 too)."""
    if whole.all():
        return np.asarray(part / whole, np.float64)
    nothing = whole == 0
    return np.asarray(np.where(nothing, empty, part / (whole + nothing)), np.float64)


def summarize(values: Sequence[Any] | NDArray[Any]) -> Any:
    """One value if all agree, else a short text that says what there was: ``2..5`` for numbers."""
    if isinstance(values, np.ndarray):
        numbers = values.dtype.kind in "iuf" and values.size
        values = [values.min().item(), values.max().item()] if numbers else np.unique(values).tolist()
    # What was summed before may be such a text already.
    ends = [end for value in values for end in (_ends(value) if isinstance(value, str) else (value,))]
    distinct = list(dict.fromkeys(ends))
    if len(distinct) == 1:
        return distinct[0]
    if all(isinstance(value, (int, float)) for value in distinct):
        return f"{min(distinct)}..{max(distinct)}"
    return "/".join(sorted({word for value in distinct for word in str(value).split("/")}))


def _ends(value: str) -> tuple[Any, ...]:
    ends = value.split("..")
    try:
        return tuple(int(end) if end.isdecimal() else float(end) for end in ends) if len(ends) == 2 else (value,)
    except ValueError:
        return (value,)


def _rebuild(kind: type[Measure], compat: str | None, settings: dict[str, Any]) -> Measure:
    """As it was: options were checked, and warned of, where the measure was made."""
    made = object.__new__(kind)
    object.__setattr__(made, "compat", compat)
    object.__setattr__(made, "settings", MappingProxyType(settings))
    object.__setattr__(made, "_resolved", tuple(settings.items()))
    return made
