"""What the file of a measure declares (names, properties, options, presets) and the methods that it defines."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.measures.batch import Batch, View
from caesura.measures.edges import Packing
from caesura.measures.expected import ExpectedCounts
from caesura.measures.old_averages import AVERAGE, REFERENCES
from caesura.measures.old_edit_columns import EditColumns
from caesura.measures.recipes import Presets, Recipe, recipe_of
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import Edit, Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Value
from caesura.options import Option, resolve_options, suggest, without_aliases

# Coefficients whose expected agreement depends only on the number of boundaries that each coder placed.
COUNT_COEFFICIENTS = ("pi", "kappa", "multi_pi", "multi_kappa", "bias", "alpha")

_MAX_CACHED = 1000
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_AFTER_AT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?(s|%)?")  # F1@2, F1@0.5s, F1@5%
_cache: dict[Any, Any] = {}
_SHARED = (AVERAGE, REFERENCES)  # options of every measure

# Additive counts: one row per document, one column per part.
Counts = Floats


@dataclass(frozen=True, slots=True)
class BatchCounts:
    counts: Counts
    # Options that were resolved per document, such as the window of Pk: one array per option.
    resolved: Mapping[str, NDArray[Any]]


# The counts of a pair, and the options that were resolved for it.
PairCounts = tuple[Sequence[float], Mapping[str, Any]]


class Declaration(Value, ABC):
    """What a measure declares, its options, and its names. An instance is one measure with its options, and is immutable."""

    # A subclass declares ``name``, ``title``, ``options``, ``presets``, ``parts`` and its formal properties (``best`` to
    # ``chance_corrected``). It defines ``compute`` (calls a kernel), ``finish`` (turns counts into values) and, if it aligns
    # boundaries, ``align``.

    name: ClassVar[str]  # name in the registry, such as ``"boundary_similarity"``
    title: ClassVar[str]  # name and source in one line, for listings
    summary: ClassVar[str] = ""  # what the measure compares, in a few words, for the list of measures
    # Other names of the measure -> the options that each of them sets, such as ``SFB`` -> ``normalize="boundaries"``.
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    # Option that a number after ``@`` sets: ``F1@2`` is ``boundary_f(tolerance=2)``.
    at_option: ClassVar[str | None] = None
    # Kinds of data that the measure compares: ``"linear"``, ``"timed"``, ``"dialogue"``, ``"hierarchy"``, ``"spans"``,
    # ``"trees"``.
    kinds: ClassVar[tuple[str, ...]] = ("linear",)
    kind: ClassVar[str] = "linear"  # the last of ``kinds``: the most complex kind of data that the measure compares
    # Values of the declared options. None means the preset's value or the default.
    options: ClassVar[tuple[Option, ...]] = ()  # declared options
    # Option values of each preset, by the name of the preset.
    presets = cast(Any, Presets())
    # Names of the additive counts, unless they depend on the boundary types; see ``part_names``.
    parts: ClassVar[tuple[str, ...]] = ()
    view: ClassVar[View] = "inner"  # arrays that the measure needs; see ``measures.batch.View``
    sides: ClassVar[tuple[str, str]] = ("reference", "hypothesis")  # names of the two sides, for messages and tables
    # Coefficients of agreement beyond chance that the measure supports; empty if there are none.
    coefficients: ClassVar[tuple[str, ...]] = ()
    # The coefficient to use if none is chosen; None if the measure supports none.
    default_coefficient: ClassVar[str | None] = None
    # How expected agreement is computed: ``"counts"`` from the number of boundaries per coder, ``"random_texts"`` from random
    # texts, ``"spans"`` by the measure itself; ``""`` if the measure supports no coefficients.
    chance_family: ClassVar[str] = ""
    # Whether the measure knows its expected matches if spans are placed at random: ``chance="li2024"``.
    exact_span_chance: ClassVar[bool] = False
    # Whether both sides must have the same units. If False, the measure compares times directly.
    needs_common_units: ClassVar[bool] = True
    accepts_marks: ClassVar[bool] = False  # whether the first side may be the marks of several coders
    # Whether a measure that packs pairs in its own way packs each side without a look at the other, and ``check`` depends on
    # the first side only.
    separate_sides: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False  # whether every span must have a label
    # Whether the measure has the options that a settings file contains (similarity and transposition cost).
    accepts_settings: ClassVar[bool] = False
    # Whether the value is the mean of one minus cost over the boundary pairs in ``score.edits``.
    is_mean_over_pairs: ClassVar[bool] = False
    # Whether a score keeps its document, so that it can list the edits when they are first requested.
    aligns: ClassVar[bool] = False
    score_class: ClassVar[type[Score]] = Score  # class of the scores
    # Laws: tests/measures/test_laws.py checks them for every registered measure.
    # Value for two identical annotations; None if this value varies and there is no upper limit.
    best: ClassVar[float | None] = 1.0
    worst: ClassVar[float | None] = 0.0  # the worst possible value; None if there is no limit
    reversible: ClassVar[bool] = True  # whether reading the text backwards never changes the value
    needs_boundaries: ClassVar[bool] = False  # whether the value is ``Undefined`` for a reference without boundaries
    # Whether the value is agreement beyond chance, which is ``Undefined`` if both sides are empty or chance agreement is 1. A
    # measure with neither ``needs_boundaries`` nor ``chance_corrected`` has a value for every pair.
    chance_corrected: ClassVar[bool] = False
    # Options whose value the short name expresses, such as ``normalize`` in S_f and S_f^B.
    options_in_short_name: ClassVar[tuple[str, ...]] = ()
    # For options resolved per document: the words for their integer codes.
    resolved_words: ClassVar[Mapping[str, NDArray[np.str_]]] = MappingProxyType({})
    # Why the measure does not compare annotations in seconds, and what to use instead; empty if nothing special is known.
    hint_in_seconds: ClassVar[str] = ""
    # The two figures of which the value is F, such as precision and recall; None if there are none.
    two_ratios: ClassVar[tuple[str, str] | None] = None
    # Whether ``references="union"`` has a meaning: precision and recall of boundaries.
    accepts_union: ClassVar[bool] = False
    # Options that say what is asked, such as a tolerance. If a preset sets them, ``plain`` keeps their values; the other
    # options of a preset are conventions of its program.
    question_options: ClassVar[tuple[str, ...]] = ()
    # When not to use the measure, or what its value hides; empty if nothing special is known.
    caution: ClassVar[str] = ""
    # Number of boundaries and documents from which several threads are faster than one.
    min_parallel: ClassVar[int] = 50_000

    __slots__ = ("_resolved", "compat", "settings")

    compat: str | None  # Name of a preset: the options with which a publication or a program computed the measure
    settings: Mapping[str, Any]  # the resolved value of every option, in the order of declaration
    _resolved: tuple[tuple[str, Any], ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kind = cls.kinds[-1]
        if "presets" in cls.__dict__:
            cls.presets = Presets(cls.presets)
        cls.options = (*(option for option in cls.options if option not in _SHARED), *_SHARED)

    def __init__(self, /, *, compat: str | None = None, **options: Any) -> None:
        if compat is not None and (not isinstance(compat, str) or compat not in self.presets):
            raise OptionError(suggest(f"{self.name} has no preset", str(compat), self.presets))
        options = without_aliases(self.options, options)
        names = [option.name for option in self.options]
        for name in options:
            if name not in names:
                declared = [*names, *(["compat"] if self.presets else [])]
                raise OptionError(suggest(f"{self.name} has no option", name, declared))
        preset = None if compat is None else self.presets[compat]
        self._set(compat, resolve_options(self.name, self.options, options, preset))
        if self["average"] == "items_pr" and self.two_ratios is None:
            raise OptionError(
                f"average='items_pr' needs precision and recall; {self.name} has none; use average='items'"
            )
        if self["references"] == "union" and not self.accepts_union:
            raise OptionError(
                f"references='union' needs the precision and recall of boundaries, which {self.name} does not have; use "
                "'each' or 'best'"
            )
        self.validate()

    def _set(self, compat: str | None, settings: dict[str, Any]) -> None:
        self._fill(compat=compat, settings=MappingProxyType(settings), _resolved=tuple(settings.items()))

    @classmethod
    def cached(cls, /, compat: str | None, **options: Any) -> Self:
        """Return the measure with these options; the first call creates it, later calls reuse it.

        Parameters
        ----------
        compat : str or None
            Name of a preset.
        **options : object
            Values of the declared options.

        Returns
        -------
        Measure
            The measure.
        """
        try:
            key = (cls, compat, tuple(options.items()), tuple(map(type, options.values())))
            measure = _cache.get(key)
        except TypeError:  # an unhashable option is invalid; the constructor raises the explanation
            return cls(compat=compat, **options)
        if measure is None:
            measure = cls(compat=compat, **options)
            if len(_cache) < _MAX_CACHED:
                _cache[key] = measure
        return measure

    @classmethod
    def _defaults(cls, compat: str | None) -> dict[str, Any]:
        values = {option.name: option.default for option in cls.options}
        return values | dict(cls.presets[compat]) if compat is not None else values

    def validate(self) -> None:
        """Raise ``OptionError`` if options contradict each other.

        Raises
        ------
        OptionError
            If options are valid alone but not in combination.
        """

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    def _key(self) -> tuple[Any, ...]:
        return self.name, self.compat, self._resolved

    def __reduce__(self) -> tuple[Any, ...]:
        return self._restore, (self.compat, dict(self.settings))

    @classmethod
    def _restore(cls, compat: str | None, settings: dict[str, Any]) -> Self:
        """Return an unpickled measure. Its options were already checked when it was created."""
        new = object.__new__(cls)
        new._set(compat, settings)
        return new

    def __repr__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        """The name with the options that differ from the default, and those that are always shown."""
        return self._call_text(self.name, [option.name for option in self.options if option.always_shown], repr)

    def __json__(self) -> str:
        return repr(self)

    @cached_property
    def label(self) -> str:
        """Name of the measure in the papers with the options that differ from the default, for tables and figures.

        Long values are abbreviated. The signature and the ``repr`` contain the name in the registry and the full values.
        """
        name, after_at = self.short_name, ""
        if self.at_option is not None and self[self.at_option] != self._defaults(self.compat)[self.at_option]:
            after_at = str(self[self.at_option])
        if not _AFTER_AT.fullmatch(after_at):
            return self._call_text(name, (), _label_value)
        assert self.at_option is not None
        hidden = (*self.options_in_short_name, self.at_option)
        return self._call_text(f"{name}@{after_at}", (), _label_value, hidden)

    def _call_text(
        self,
        name: str,
        always: Collection[str],
        format_value: Callable[[Any], str],
        hidden: Collection[str] | None = None,
    ) -> str:
        """Return the name, the preset and all options that differ from the default or are always shown."""
        defaults = self._defaults(self.compat)
        if hidden is None:
            hidden = self.options_in_short_name if name == self.short_name else ()
        shown = [(k, v) for k, v in self._resolved if (v != defaults[k] or k in always) and k not in hidden]
        entries = [f"{k}={format_value(v)}" for k, v in shown]
        entries += [] if self.compat is None else [f"compat={format_value(self.compat)}"]
        return f"{name}({', '.join(entries)})" if entries else name

    def replace(self, **options: Any) -> Self:
        """Return the same measure with some options changed.

        Parameters
        ----------
        **options : object
            New values, including ``compat``. Other options that differ from their default are kept.

        Returns
        -------
        Measure
            The new measure.
        """
        defaults = self._defaults(self.compat)
        changed = {name: value for name, value in self._resolved if value != defaults[name]}
        return type(self)(**{"compat": self.compat, **changed, **options})

    def plain(self) -> Self:
        """Return the measure by its own definition, without the conventions of a preset.

        Returns
        -------
        Measure
            The same question (``question_options``) without the preset, and without its mean over items; this measure if it
            has no preset.
        """
        if self.compat is None:
            return self
        defaults = self._defaults(self.compat)
        kept = {*self.question_options, "references"}
        return type(self)(**{name: value for name, value in self._resolved if name in kept or value != defaults[name]})

    @property
    def recipe(self) -> Recipe | None:
        """What the program of the preset does besides setting options; None if it sets options only."""
        return recipe_of(self.name, self.compat)

    @property
    def short_name(self) -> str:
        """Symbol or abbreviation of the measure in the literature, for narrow tables and axes."""
        return self.name

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides never changes the value, with the options of this measure."""
        return False

    @property
    def packing(self) -> Packing:
        """How annotations in seconds are converted to arrays, for measures that compare them."""
        return Packing()

    @property
    def chance_word(self) -> str | None:
        """Word for ``chance=`` that the options of the measure imply; None if they imply none."""
        return None

    @property
    def supports_exact_chance(self) -> bool:
        """Whether ``chance="exact"`` can compute expected agreement without simulation."""
        return False

    @property
    def fixed_types(self) -> bool:
        """Whether counts can be summed only if they have the same boundary types."""
        return True

    @cached_property
    def is_averaged(self) -> bool:
        """Whether the value of several items is a mean over items, and not computed from summed counts."""
        return self["average"] != "micro" or self["references"] in ("each", "union")

    @property
    def needs_pairs(self) -> bool:
        """Whether an option needs the annotations and not only their inner positions."""
        return self["references"] is not None

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value is better (False for error rates)."""
        return self.best is None or self.worst is None or self.best > self.worst

    def with_settings(self, options: Mapping[str, Any]) -> Self:
        """Return the measure with every option that is None replaced by its value from a settings file.

        Parameters
        ----------
        options : mapping
            Values by the name of the option. Measures that do not accept settings ignore them.

        Returns
        -------
        Measure
            The new measure, or this one.
        """
        if not self.accepts_settings:
            return self
        return self.replace(**{name: value for name, value in options.items() if self[name] is None})

    def as_similarity(self, values: Floats) -> Floats:
        """Return values as similarities: error rates are inverted, other values are unchanged.

        Parameters
        ----------
        values : numpy.ndarray
            Values of this measure.

        Returns
        -------
        numpy.ndarray
            Similarities.
        """
        if self.best is None or self.worst is None or self.higher_is_better:
            return values
        return (values - self.worst) / (self.best - self.worst)

    # What the subclass of a measure defines, or may define.

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the additive counts, in the order of the columns of ``compute``.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        tuple of str
            Names of the counts; by default ``parts``.
        """
        return self.parts

    @abstractmethod
    def compute(self, batch: Batch) -> BatchCounts:
        """Call the kernel and return the counts of every document.

        Parameters
        ----------
        batch : Batch
            Documents that have passed ``check``.

        Returns
        -------
        BatchCounts
            Counts and resolved options.
        """

    @abstractmethod
    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        """Return the value of each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray
            One value per row.
        """

    def count_pair(self, a: Segmentation, b: Segmentation) -> PairCounts | None:
        """Return the counts of two segmentations over the same units; None if they must become a batch.

        A batch of one document costs more than counting a short text. A measure that is called in loops defines this method
        with the same kernel as ``compute``.

        Parameters
        ----------
        a, b : Segmentation
            Segmentations over the same units.

        Returns
        -------
        tuple or None
            The counts that ``compute`` returns for this pair, and the resolved options. None if the measure has no such
            method, or if ``check`` must decide whether the pair can be scored.
        """
        return None

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Return the documents for which the measure is undefined, with the reason.

        Parameters
        ----------
        batch : Batch
            Documents that can be compared.

        Returns
        -------
        dict
            Place of a document -> exception.
        """
        return {}

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        """Return figures derived from the counts, such as precision and recall.

        Parameters
        ----------
        counts : mapping
            Counts by the name of the part.
        types : tuple of str
            The boundary types.

        Returns
        -------
        dict
            Figures by name.
        """
        return {}

    def resolved_for(self, types: tuple[str, ...]) -> dict[str, Any]:
        """Return the options that depend on the boundary types, as the signature shows them.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        dict
            Values by the name of the option.
        """
        return {}

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        """Return a formula for the counts of two random texts; None if they must be simulated.

        Parameters
        ----------
        types : tuple of str
            The boundary types.
        sets : tuple of tuple of int
            Sets of types that can occur at a position, as indices into ``types``.

        Returns
        -------
        ExpectedCounts or None
            The formula.
        """
        return None

    def as_resolved(self, resolved: Mapping[str, Any]) -> Self:
        """Return the measure with the options that were resolved for a document, such as the window of Pk.

        Parameters
        ----------
        resolved : mapping
            Resolved options of the document.

        Returns
        -------
        Measure
            A measure that treats every text like that document.
        """
        return self

    def align(self, batch: Batch) -> tuple[Edit, ...] | None:
        """Return the edits of a document; None if the measure does not align boundaries.

        Parameters
        ----------
        batch : Batch
            A batch of one document.

        Returns
        -------
        tuple of Edit or None
        """
        return None

    def edit_columns(self, batch: Batch) -> EditColumns | None:
        """Return the edits of all documents at once; None if :meth:`align` must list them one by one.

        Parameters
        ----------
        batch : Batch
            Documents.

        Returns
        -------
        EditColumns or None
            The edits of :meth:`align`, as columns.
        """
        return None

    def unmatched_spans(self, a: Hierarchy, b: Hierarchy) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
        """Return the spans of two hierarchies that have no counterpart; None if the measure does not match spans.

        Parameters
        ----------
        a, b : Hierarchy
            Hierarchies over the same units.

        Returns
        -------
        tuple of two tuples of Span, or None
            Those of a that b lacks, and those of b that a lacks.
        """
        return None

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats] | None:
        """Return the full misses and the near misses in each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        tuple of two numpy.ndarray, or None
            Boundaries without a counterpart, and boundaries that were moved; None if the counts do not contain them.
        """
        return None

    def misses_in(self, batch: Batch) -> tuple[Floats, Floats] | None:
        """Return the full misses and the near misses in each document, for a measure whose counts do not contain them.

        Parameters
        ----------
        batch : Batch
            Documents.

        Returns
        -------
        tuple of two numpy.ndarray, or None
            Boundaries without a counterpart, and boundaries that were moved; None if :meth:`align` must list them.
        """
        return None

    def count_disagreements(self, counts: Counts, types: tuple[str, ...]) -> Floats | None:
        """Return the number of edits that are no matches in each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray or None
            Number of edits; None if the counts do not contain them.
        """
        return None


def _label_value(value: Any) -> str:
    """Return a value as people write it on the command line: a word without quotes; a long value is abbreviated."""
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return repr(value) if len(repr(value)) < 20 else "…"
