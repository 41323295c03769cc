"""The base class of all measures. A measure turns pairs of annotations into scores."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError, own_errors
from caesura.measures.averages import (
    AVERAGE,
    averaged_columns,
    averaged_figures,
    averaged_rows,
    averaged_values,
    check_average,
)
from caesura.measures.batch import Batch, Comparison, Packed, Text, View, are_plain, gather_plain, is_plain, pack
from caesura.measures.chunks import in_chunks, with_last_position, without_empty_unit, without_first_token
from caesura.measures.edges import Packing, has_times, pack_axis
from caesura.measures.edit_columns import EditColumns
from caesura.measures.expected import ExpectedCounts
from caesura.measures.pooled import PooledBatch, has_streams, pack_dialogues
from caesura.measures.references import (
    REFERENCES,
    ReferencesBatch,
    check_references,
    count_references,
    has_references,
    pack_references,
)
from caesura.measures.sums import exact_sum, summarize
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.marks import Marks
from caesura.model.result import Edit, Parts, Score, f_measure, ratio, signature_line, signature_value
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.signature import option_text
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints, Value
from caesura.options import Option, resolve_options, suggest, without_aliases

Counts = Floats

COUNT_COEFFICIENTS = ("pi", "kappa", "multi_pi", "multi_kappa", "bias", "alpha")
"""Coefficients whose expected agreement depends only on the number of boundaries that each coder placed."""

_MAX_CACHED = 1000
_SHARED = (AVERAGE, REFERENCES)  # options of every measure


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """The result of a measure for a batch.

    Attributes
    ----------
    counts : numpy.ndarray
        Additive counts: one row per document, one column per part.
    resolved : mapping
        Options that were resolved per document, such as the window of Pk: one array per option.
    """

    counts: Counts
    resolved: Mapping[str, NDArray[Any]]


PairCounts = tuple[Sequence[float], Mapping[str, Any]]
"""The counts of a pair, and the options that were resolved for it."""


class Measure(Value, ABC):
    """Base class of all measures. An instance is one measure with its options, and is immutable.

    A subclass declares ``name``, ``title``, ``options``, ``presets``, ``parts`` and its formal properties (``best`` to
    ``chance_corrected``). It defines ``compute`` (calls a kernel), ``finish`` (turns counts into values) and, if it aligns
    boundaries, ``align``.

    Parameters
    ----------
    compat : str, optional
        Name of a preset: the options with which a publication or a program computed the measure.
    **options : object
        Values of the declared options. None means the preset's value or the default.

    Attributes
    ----------
    name : str
        Name in the registry, such as ``"boundary_similarity"``.
    title : str
        Name and source in one line, for listings.
    summary : str
        What the measure compares, in a few words, for the list of measures.
    aliases : mapping
        Other names of the measure -> the options that each of them sets, such as ``SFB`` -> ``normalize="boundaries"``.
    at_option : str or None
        Option that a number after ``@`` sets: ``F1@2`` is ``boundary_f(tolerance=2)``.
    kinds : tuple of str
        Kinds of data that the measure compares: ``"linear"``, ``"timed"``, ``"dialogue"``, ``"hierarchy"``, ``"spans"``,
        ``"trees"``.
    kind : str
        The last of ``kinds``: the most complex kind of data that the measure compares.
    options : tuple of Option
        Declared options.
    settings : mapping
        The resolved value of every option, in the order of declaration.
    compat : str or None
        Name of the preset.
    presets : mapping
        Option values of each preset, by the name of the preset.
    preset_mistakes : mapping
        Mistakes of the program that a preset repeats, one line each, by the name of the preset.
    preset_reading : mapping
        Options of formats with which the files for a preset must be read, by the name of the preset.
    parts : tuple of str
        Names of the additive counts, unless they depend on the boundary types; see :meth:`part_names`.
    view : str
        Arrays that the measure needs; see :data:`~caesura.measures.batch.View`.
    sides : tuple of str
        Names of the two sides, for messages and tables.
    coefficients : tuple of str
        Coefficients of agreement beyond chance that the measure supports; empty if there are none.
    default_coefficient : str or None
        The coefficient to use if none is chosen; None if the measure supports none.
    chance_family : str
        How expected agreement is computed: ``"counts"`` from the number of boundaries per coder, ``"random_texts"``
        from random texts, ``"spans"`` by the measure itself; ``""`` if the measure supports no coefficients.
    exact_span_chance : bool
        Whether the measure knows its expected matches if spans are placed at random: ``chance="li2024"``.
    needs_common_units : bool
        Whether both sides must have the same units. If False, the measure compares times directly.
    accepts_marks : bool
        Whether the first side may be the marks of several coders.
    needs_labels : bool
        Whether every span must have a label.
    accepts_settings : bool
        Whether the measure has the options that a settings file contains (similarity and transposition cost).
    is_mean_over_pairs : bool
        Whether the value is the mean of one minus cost over the boundary pairs in ``score.edits``.
    aligns : bool
        Whether a score keeps its document, so that it can list the edits when they are first requested.
    score_class : type
        Class of the scores.
    best : float or None
        Value for two identical annotations; None if this value varies and there is no upper limit.
    worst : float or None
        The worst possible value; None if there is no limit.
    reversible : bool
        Whether reading the text backwards never changes the value.
    needs_boundaries : bool
        Whether the value is ``Undefined`` for a reference without boundaries.
    chance_corrected : bool
        Whether the value is agreement beyond chance, which is ``Undefined`` if both sides are empty or chance agreement
        is 1. A measure with neither ``needs_boundaries`` nor ``chance_corrected`` has a value for every pair.
    options_in_short_name : tuple of str
        Options whose value the short name expresses, such as ``normalize`` in S_f and S_f^B.
    resolved_words : mapping
        For options resolved per document: the words for their integer codes.
    min_parallel : int
        Number of boundaries and documents from which several threads are faster than one.
    caution : str
        When not to use the measure, or what its value hides; empty if nothing special is known.
    hint_in_seconds : str
        Why the measure does not compare annotations in seconds, and what to use instead; empty if nothing special is known.
    two_ratios : tuple of str or None
        The two figures of which the value is F, such as precision and recall; None if there are none.
    accepts_union : bool
        Whether ``references="union"`` has a meaning: precision and recall of boundaries.
    question_options : tuple of str
        Options that say what is asked, such as a tolerance. If a preset sets them, :meth:`plain` keeps their values; the
        other options of a preset are conventions of its program.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    at_option: ClassVar[str | None] = None
    kinds: ClassVar[tuple[str, ...]] = ("linear",)
    kind: ClassVar[str] = "linear"
    options: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    preset_mistakes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    preset_reading: ClassVar[Mapping[str | None, Mapping[str, Any]]] = MappingProxyType({})
    parts: ClassVar[tuple[str, ...]] = ()
    view: ClassVar[View] = "inner"
    sides: ClassVar[tuple[str, str]] = ("reference", "hypothesis")
    coefficients: ClassVar[tuple[str, ...]] = ()
    default_coefficient: ClassVar[str | None] = None
    chance_family: ClassVar[str] = ""
    exact_span_chance: ClassVar[bool] = False
    needs_common_units: ClassVar[bool] = True
    accepts_marks: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    accepts_settings: ClassVar[bool] = False
    is_mean_over_pairs: ClassVar[bool] = False
    aligns: ClassVar[bool] = False
    score_class: ClassVar[type[Score]] = Score
    # Laws: tests/measures/test_laws.py checks them for every registered measure.
    best: ClassVar[float | None] = 1.0
    worst: ClassVar[float | None] = 0.0
    reversible: ClassVar[bool] = True
    needs_boundaries: ClassVar[bool] = False
    chance_corrected: ClassVar[bool] = False
    options_in_short_name: ClassVar[tuple[str, ...]] = ()
    resolved_words: ClassVar[Mapping[str, NDArray[np.str_]]] = MappingProxyType({})
    hint_in_seconds: ClassVar[str] = ""
    two_ratios: ClassVar[tuple[str, str] | None] = None
    accepts_union: ClassVar[bool] = False
    question_options: ClassVar[tuple[str, ...]] = ()
    caution: ClassVar[str] = ""
    min_parallel: ClassVar[int] = 50_000

    __slots__ = ("_resolved", "compat", "settings")

    compat: str | None
    settings: Mapping[str, Any]
    _resolved: tuple[tuple[str, Any], ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kind = cls.kinds[-1]
        cls.options = (*(option for option in cls.options if option not in _SHARED), *_SHARED)

    def __init__(self, /, *, compat: str | None = None, **options: Any) -> None:
        if compat is not None and (not isinstance(compat, str) or compat not in self.presets):
            raise OptionError(suggest(f"{self.name} has no preset", str(compat), self.presets))
        options = without_aliases(self.options, options)
        declared = [*(option.name for option in self.options), *(["compat"] if self.presets else [])]
        for name in options:
            if name not in declared:
                raise OptionError(suggest(f"{self.name} has no option", name, declared))
        preset = None if compat is None else self.presets[compat]
        self._set(compat, resolve_options(self.name, self.options, options, preset))
        check_average(self)
        check_references(self)
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
        return measure  # type: ignore[return-value]

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
        """Return the resolved value of an option."""
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
        return self._call_text(self.name, [option.name for option in self.options if option.always_shown], repr)

    def __json__(self) -> str:
        return repr(self)

    @property
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

    def plain_pairs(self, pairs: Sequence[Comparison]) -> Sequence[Comparison]:
        """Return pairs of annotations as :meth:`plain` compares them.

        Parameters
        ----------
        pairs : sequence of pairs
            Pairs of annotations, read as the preset needs them.

        Returns
        -------
        sequence of pairs
            The pairs, without what was added for the preset.
        """
        return without_empty_unit(pairs) if self.settings.get("first_token") else pairs

    # -- properties that depend on the options ---------------------------------------------------------------------

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
    def observed_measure(self) -> Measure:
        """The measure whose parts agreement between coders adds up: without correction for chance."""
        return self

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
        other_units = ("chunk", "last_position", "first_token")
        return self["references"] is not None or any(self.settings.get(name) for name in other_units)

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

    def aligns_like(self, other: Measure) -> bool:
        """Return whether two measures align boundaries in the same way.

        Parameters
        ----------
        other : Measure
            The measure to compare with. It may differ in ``normalize``, which only changes the divisor.

        Returns
        -------
        bool
            Whether their edits are the same.
        """
        return self == other or (
            "normalize" in self.settings and self.replace(normalize=other.settings.get("normalize")) == other
        )

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

    # -- methods of subclasses -------------------------------------------------------------------------------------

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

    def as_resolved(self, resolved: Mapping[str, Any]) -> Measure:
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

    # -- columns, which add up over items: the counts, or sums of values and figures --------------------------------

    def columns(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the additive columns: the parts or, for a mean over items, sums of values.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        tuple of str
            Names in the order of the columns of :meth:`count`.
        """
        return averaged_columns(self, types) if self.is_averaged else self.part_names(types)

    def values(self, rows: Counts, types: tuple[str, ...]) -> Floats:
        """Return the value of each row of columns.

        Parameters
        ----------
        rows : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray
            One value per row.
        """
        return averaged_values(self, rows, types) if self.is_averaged else self.finish(rows, types)

    # -- scoring ---------------------------------------------------------------------------------------------------

    def to_batch(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        """Return the arrays of the pairs that can be compared, their indices in ``pairs``, and errors by index.

        Parameters
        ----------
        pairs : sequence of pairs
            Pairs of annotations.

        Returns
        -------
        tuple
            Batch, indices and errors.
        """
        batch = gather_plain(pairs, self.view)
        if batch is not None:
            return batch, np.arange(len(pairs)), {}
        plain = are_plain(pairs)
        if not plain and "timed" in self.kinds and has_times(pairs):
            return pack_axis(pairs, self.sides, self.packing)
        if not plain and "dialogue" in self.kinds and has_streams(pairs):
            return pack_dialogues(pairs, self.sides, lambda streams: pack(streams, self.view, self.sides))
        return pack(pairs, self.view, self.sides, plain=plain)

    def pack(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        """Return the arrays of the pairs that can be scored, their indices in ``pairs``, and errors by index.

        Parameters
        ----------
        pairs : sequence of pairs
            Pairs of annotations.

        Returns
        -------
        tuple
            Batch, indices and errors.
        """
        batch = gather_plain(pairs, self.view) if self._packs_as_they_are else None
        if batch is not None:
            return self._with_checks(batch, np.arange(len(pairs)), {})
        if self["references"] is not None or has_references(pairs):
            return pack_references(pairs, self, self._pack_comparisons)
        return self._pack_comparisons(pairs)

    @cached_property
    def _packs_as_they_are(self) -> bool:
        """Whether pairs of segmentations over the same units need no preparation."""
        options = ("references", "last_position", "chunk", "first_token")
        return type(self).to_batch is Measure.to_batch and not any(self.settings.get(name) for name in options)

    def _pack_comparisons(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        """Return the arrays of pairs with one reference each."""
        pairs = with_last_position(pairs) if self.settings.get("last_position") else pairs
        batch, places, errors = self.to_batch(pairs)
        if self.settings.get("chunk") is not None:
            batch, places, errors = in_chunks((batch, places, errors), self["chunk"])
        if self.settings.get("first_token") and (missing := without_first_token(pairs)):
            failed = {d: missing[place] for d, place in enumerate(places.tolist()) if place in missing}
            batch, places, excluded = batch.drop(failed, places)
            errors |= excluded
        if errors and self.hint_in_seconds:
            timed = [place for place in errors if has_times([pairs[place]])]
            errors |= {place: MismatchError(f"{self.name} {self.hint_in_seconds}") for place in timed}
        return self._with_checks(batch, places, errors)

    def _with_checks(self, batch: Batch, places: Ints, errors: dict[int, CaesuraError]) -> Packed[Batch]:
        """Return the documents that pass ``check``, and the errors of the others."""
        if isinstance(batch, PooledBatch):
            problems = batch.document_errors(self.check(batch.streams))
        else:
            problems = self.check(batch)
        if not problems:
            return batch, places, errors
        batch, places, undefined = batch.drop(problems, places)
        return batch, places, errors | undefined

    @property
    def packing_key(self) -> tuple[Any, ...]:
        """What the arrays of a batch depend on: measures with equal keys can score the same batch.

        A measure that packs pairs in its own way shares no batch with other measures.
        """
        own = None if type(self).to_batch is Measure.to_batch else self
        names = ("references", "last_position", "chunk", "first_token")
        return (self.view, self.sides, self.packing, own, *(self.settings.get(name) for name in names))

    def count(self, batch: Batch) -> BatchCounts:
        """Return the columns of every document; the counts of the streams of a dialogue are added.

        Parameters
        ----------
        batch : Batch
            Documents that have passed ``check``.

        Returns
        -------
        BatchCounts
            The columns of :meth:`columns`, and resolved options.
        """
        if isinstance(batch, ReferencesBatch):
            return count_references(self, batch, self._count_comparisons(batch.comparisons))
        result = self._count_comparisons(batch)
        if not self.is_averaged:
            return result
        return BatchCounts(averaged_rows(self, result.counts, batch.types), result.resolved)

    def _count_comparisons(self, batch: Batch) -> BatchCounts:
        """Return the counts of documents with one reference each."""
        if not isinstance(batch, PooledBatch):
            return self.compute(batch)
        result = self.compute(batch.streams)
        words = self.resolved_words
        resolved = {name: batch.pool_resolved(column, words.get(name)) for name, column in result.resolved.items()}
        return BatchCounts(batch.pool_counts(result.counts), resolved)

    def edits_of(self, source: Batch | Comparison) -> tuple[Edit, ...] | None:
        """Return the edits of a document, stream by stream; None if the measure does not align boundaries.

        Parameters
        ----------
        source : Batch or pair
            A batch of one document, or the pair of annotations.

        Returns
        -------
        tuple of Edit or None
            The edits; those of a dialogue have the name of their stream.
        """
        if isinstance(source, tuple):
            batch, _, _ = self.pack([source])
        else:
            batch = source
        if isinstance(batch, ReferencesBatch):
            return None  # the edits differ from reference to reference
        if not isinstance(batch, PooledBatch):
            return self.align(batch)
        by_stream = [(name, self.align(stream)) for name, stream in batch.named_streams()]
        return tuple(replace(edit, stream=name) for name, edits in by_stream for edit in edits or ())

    def score(
        self,
        a: Text | Tier | Marks | Hierarchy | Spans | Tree | BoundaryScores,
        b: Text | Tier | Hierarchy | Spans | Tree | BoundaryScores,
    ) -> Score:
        """Return the score of a pair of annotations.

        Parameters
        ----------
        a : Segmentation, mapping of streams, Tier, Marks, Hierarchy or Tree
            The first side, for most measures the reference.
        b : Segmentation, mapping of streams, Tier, Hierarchy, Tree or BoundaryScores
            The second side.

        Returns
        -------
        Score
            Value, parts, edits and signature.

        Raises
        ------
        MismatchError
            If the two cannot be compared.
        Undefined
            If the measure has no value for them.
        """
        with own_errors(self.name):
            pair = self._count_plain(a, b)
            if pair is not None:
                counts, resolved = pair
                value = float(self.finish(np.array((counts,), np.float64), UNTYPED)[0])
                return self._create_score(value, counts, UNTYPED, resolved, source=(a, b))
            batch, _, errors = self.pack([(a, b)])
            if errors:
                raise errors[0]
            result = self.count(batch)
        return self.build_score(result.counts[0], batch.types, self.resolved_at(result.resolved, 0), batch=batch)

    def _count_plain(self, a: Any, b: Any) -> PairCounts | None:
        """Return the counts of two segmentations that need no preparation; None if they must become a batch."""
        return self.count_pair(a, b) if self._counts_pairs and is_plain(a, b) else None

    @cached_property
    def _counts_pairs(self) -> bool:
        """Whether the measure counts two segmentations without a batch, with the options of this measure."""
        is_defined = type(self).count_pair is not Measure.count_pair
        return is_defined and self._packs_as_they_are and not self.is_averaged

    def resolved_at(self, resolved: Mapping[str, NDArray[Any]], place: int) -> dict[str, Any]:
        """Return the options that were resolved for a document.

        Parameters
        ----------
        resolved : mapping
            One array per option.
        place : int
            Place of the document.

        Returns
        -------
        dict
            Values by the name of the option.
        """
        return {name: self._resolved_value(name, column[place]) for name, column in resolved.items()}

    def _resolved_value(self, name: str, value: Any) -> Any:
        if isinstance(value, str):  # the streams of a dialogue
            return summarize([str(value)])
        return (self.resolved_words[name][value] if name in self.resolved_words else value).item()

    def summarize_resolved(self, resolved: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the options that were resolved for many documents, each as one value or a short text.

        Parameters
        ----------
        resolved : mapping
            One array per option.

        Returns
        -------
        dict
            Values or texts by the name of the option.
        """
        return {name: summarize(self._in_words(name, column)) for name, column in resolved.items()}

    def _in_words(self, name: str, column: NDArray[Any]) -> NDArray[Any]:
        """Return the words for integer codes; other columns are numbers, or texts of dialogues."""
        codes = name in self.resolved_words and column.dtype.kind != "U"
        return self.resolved_words[name][np.unique(column)] if codes else column

    def build_score(
        self,
        counts: Counts,
        types: tuple[str, ...],
        resolved: Mapping[str, Any],
        *,
        batch: Batch | None = None,
        documents: int = 1,
    ) -> Score:
        """Return the score for a row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            Counts in the order of ``part_names``.
        types : tuple of str
            The boundary types.
        resolved : mapping
            Options as resolved for the document or documents.
        batch : Batch, optional
            The document, for a measure that aligns.
        documents : int, default 1
            Number of documents that the counts cover.

        Returns
        -------
        Score
            The score.
        """
        numbers = [int(x) if x.is_integer() else x for x in counts.tolist()]
        value = float(self.values(counts[None, :], types)[0])
        return self._create_score(value, numbers, types, resolved, source=batch, documents=documents)

    def _create_score(
        self,
        value: float,
        numbers: Sequence[float],
        types: tuple[str, ...],
        resolved: Mapping[str, Any],
        *,
        source: Any,
        documents: int = 1,
    ) -> Score:
        """Return the score with this value and these counts."""
        counts = dict(zip(self.columns(types), numbers, strict=True))
        figures: Any = None
        if self.is_averaged:
            figures = partial(averaged_figures, self, counts, types, value)
        elif type(self).derived is not Measure.derived:
            figures = partial(self.derived, counts, types)
        return (Score if self.is_averaged else self.score_class).trusted(
            measure=self,
            value=value,
            parts=Parts(counts, figures),
            params=self._params(types, resolved),
            types=types,
            documents=documents,
            source=source if self.aligns else None,
        )

    def _params(self, types: tuple[str, ...], resolved: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return every option with its resolved value."""
        if resolved:
            return MappingProxyType({**self._shown_settings, **resolved, **self.resolved_for(types)})
        params = self._known_params.get(types)
        if params is None:
            params = MappingProxyType({**self._shown_settings, **self.resolved_for(types)})
            if len(self._known_params) < _MAX_CACHED:
                self._known_params[types] = params
        return params

    @cached_property
    def _known_params(self) -> dict[tuple[str, ...], Mapping[str, Any]]:
        """Options by boundary types, for scores without options that depend on the document."""
        return {}

    @cached_property
    def _shown_settings(self) -> dict[str, Any]:
        """The options that parameters and signatures list."""
        omitted = {option.name: option.default for option in self.options if option.omitted_at_default}
        return {name: value for name, value in self._resolved if name not in omitted or value != omitted[name]}

    def total(self, scores: Sequence[Score]) -> Score:
        """Return one score for all documents, from summed parts.

        Parameters
        ----------
        scores : sequence of Score
            Scores of this measure.

        Returns
        -------
        Score
            The score of all documents.

        Raises
        ------
        OptionError
            If there are no scores, or if they have different measures or types.
        """
        types = self._types_of_total(scores)
        counts = np.array([exact_sum(score.parts.get(name, 0) for score in scores) for name in self.columns(types)])
        resolved = {
            name: summarize([score.params[name] for score in scores])
            for name, value in scores[0].params.items()
            if name not in self.settings or value != self[name]
        }
        return self.build_score(counts, types, resolved, documents=sum(score.documents for score in scores))

    def _types_of_total(self, scores: Sequence[Score]) -> tuple[str, ...]:
        if not scores:
            raise OptionError("a total needs at least one score; got none")
        first = scores[0]
        for score in scores[1:]:
            if score.measure != self or (self.fixed_types and score.types != first.types):
                raise OptionError(
                    f"only scores of one measure over the same types add up; got {first.signature} and {score.signature}"
                )
        return first.types if self.fixed_types else tuple(sorted({name for score in scores for name in score.types}))

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """Return one line with the name, every resolved option, the types, the preset and the version.

        ``auto`` lists the options that were chosen for the data, such as the window of Pk.

        Parameters
        ----------
        params : mapping
            Resolved options.
        types : tuple of str
            The boundary types.
        documents : int
            Number of documents.

        Returns
        -------
        str
            The signature.
        """
        settings = self.settings
        auto = [name for name, value in params.items() if value is not None and settings.get(name, 0) is None]
        entries = [f"{name}:{self._entry_text(name, value)}" for name, value in params.items()]
        if documents != 1:
            entries.insert(0, f"documents:{documents}")
        scale = ("<".join(types) if len(types) > 1 else "1") if self.view == "typed" else None
        return signature_line(
            self.name, *entries, types=scale, compat=self.compat, auto=",".join(auto) if auto else None
        )

    def _entry_text(self, name: str, value: Any) -> str:
        """Return the value of an option for the signature; an option that is None has the value chosen for the data."""
        setting = self.settings.get(name)
        return signature_value(value) if setting is None else option_text(setting)


_cache: dict[Any, Measure] = {}

_WORD = re.compile(r"[A-Za-z][\w.-]*")


_AFTER_AT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?(s|%)?")  # F1@2, F1@0.5s, F1@5%


def _label_value(value: Any) -> str:
    """Return a value as people write it on the command line: a word without quotes; a long value is abbreviated."""
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return repr(value) if len(repr(value)) < 20 else "…"


class OverlapMeasure(Measure):
    """Base class of measures whose value is F1.

    The first three parts are the elements that both sides have, those of the reference and those of the hypothesis.
    """

    two_ratios = ("precision", "recall")

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        common, reference, hypothesis = counts.T[:3]
        return divide(2 * common, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return precision_recall(*(counts[name] for name in self.parts[:3]))


def divide(numerator: NDArray[Any], denominator: NDArray[Any], *, empty: float | NDArray[Any] = 0.0) -> Floats:
    """Return the quotients, row by row.

    Parameters
    ----------
    numerator, denominator : numpy.ndarray
        If a denominator is 0, its numerator must be 0 too.
    empty : float or numpy.ndarray, default 0
        The result for a denominator of 0.

    Returns
    -------
    numpy.ndarray
        One quotient per row.
    """
    if np.count_nonzero(denominator) == denominator.size:
        return np.asarray(numerator / denominator, np.float64)
    zero = denominator == 0
    return np.asarray(np.where(zero, empty, numerator / (denominator + zero)), np.float64)


def precision_recall(
    recalled: float, reference: float, hypothesis: float, confirmed: float | None = None
) -> dict[str, float]:
    """Return precision, recall and F from counts.

    Parameters
    ----------
    recalled : float
        Boundaries or spans of the reference that the hypothesis has too.
    reference, hypothesis : float
        Boundaries or spans of each side.
    confirmed : float, optional
        Those of the hypothesis that the reference has too (default: as many as ``recalled``).

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``f``; see :func:`~caesura.model.result.ratio` for empty sides.
    """
    precision = ratio(recalled if confirmed is None else confirmed, hypothesis, reference + hypothesis)
    recall = ratio(recalled, reference, reference + hypothesis)
    return {"precision": precision, "recall": recall, "f": f_measure(precision, recall)}


def list_edits(
    batch: Batch,
    partners: Ints,
    *,
    transposition_cost: Callable[[int], float],
    substitution_cost: Callable[[int], float],
) -> tuple[Edit, ...]:
    """Return the edits of a document, from left to right. A boundary without a partner costs 1.

    Parameters
    ----------
    batch : Batch
        A batch of one document.
    partners : numpy.ndarray
        For each boundary of a, the index of its partner in b, or -1.
    transposition_cost : callable
        Cost of a transposition by the distance in positions.
    substitution_cost : callable
        Cost of a substitution by the distance between the types.

    Returns
    -------
    tuple of Edit
        The edits.
    """
    types = batch.types
    a_pos, b_pos = batch.a_pos.tolist(), batch.b_pos.tolist()
    a_code = batch.a_code.tolist() or [0] * len(a_pos)
    b_code = batch.b_code.tolist() or [0] * len(b_pos)
    edits = []
    unpaired = set(range(len(b_pos)))
    for i, j in enumerate(partners.tolist()):
        position, code = a_pos[i], a_code[i]
        if j < 0:
            edits.append(((position, code), Edit("deletion", position, None, types[code], None, 1.0)))
            continue
        unpaired.discard(j)
        if b_pos[j] != position:
            kind, cost = "transposition", transposition_cost(abs(b_pos[j] - position))
        elif b_code[j] != code:
            kind, cost = "substitution", substitution_cost(abs(b_code[j] - code))
        else:
            kind, cost = "match", 0.0
        leftmost = min((position, code), (b_pos[j], b_code[j]))
        edits.append((leftmost, Edit(kind, position, b_pos[j], types[code], types[b_code[j]], cost)))
    for j in unpaired:
        edits.append(((b_pos[j], b_code[j]), Edit("insertion", None, b_pos[j], None, types[b_code[j]], 1.0)))
    # No two edits begin at the same boundary, so the order is the same when the sides are swapped.
    return tuple(edit for _, edit in sorted(edits, key=lambda entry: entry[0]))
