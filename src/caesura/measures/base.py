"""The base class of all measures. A measure turns pairs of annotations into scores.

A measure is one class. Its fields are its options, made with :func:`option`; the class says what it needs (``needs``), what it
is called and what is true of it. It defines ``count`` (calls a kernel on a whole batch) and ``finish`` (turns sums of counts
into values); this file does the rest: it packs pairs, adds streams, creates scores and totals, and writes signatures.
"""

from __future__ import annotations

import re
from abc import ABCMeta
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, own_errors
from caesura.measures.edit_columns import EditColumns
from caesura.measures.expected import ExpectedCounts
from caesura.measures.needs import Needs, seconds_on_units
from caesura.measures.recipes import Presets, Recipe, recipe_of
from caesura.measures.sums import (
    AVERAGE,
    REFERENCES,
    BatchCounts,
    Counts,
    as_float,
    averaged_columns,
    averaged_figures,
    averaged_rows,
    averaged_values,
    count_references,
    divide,
    exact_sum,
    exact_sums,
    pool_resolved,
    precision_recall,
    summarize,
)
from caesura.model.batch import Batch, Packed, common_types, pair_up, plain_pair
from caesura.model.columns import Names, union_of
from caesura.model.index import reduceat
from caesura.model.result import Edit, Parts, Score, option_text, signature_line, signature_value
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.options import Option, suggest, without_aliases

__all__ = [
    "COUNT_COEFFICIENTS",
    "POSITION_COEFFICIENTS",
    "BatchCounts",
    "Counts",
    "Measure",
    "OverlapMeasure",
    "divide",
    "option",
    "precision_recall",
]

# Coefficients that count positions, whatever the measure.
POSITION_COEFFICIENTS = ("alpha", "cohen", "scott", "fleiss", "bennett", "gwet", "percent")
# Coefficients whose expected agreement depends only on the number of boundaries that each coder placed.
COUNT_COEFFICIENTS = ("pi", "kappa", "multi_pi", "multi_kappa", "bias", *POSITION_COEFFICIENTS)
_MAX_CACHED = 1000
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_AFTER_AT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?(s|%)?")  # F1@2, F1@0.5s, F1@5%
_cache: dict[Any, Any] = {}


def option(default: Any, check: Callable[[str, Any], Any], description: str, *, last: int = 0, **more: Any) -> Any:
    """Return a field of a measure that is an option; None means the value of the preset, or the default."""
    return declared(Option("", default, check, description, **more), last)


def declared(entry: Option, last: int = 0) -> Any:
    """Return a field for an option that several measures share."""
    return field(default=None, metadata={"option": entry, "last": last})


class Measure(metaclass=ABCMeta):
    """Base class of all measures: one measure with its options, which are its fields. Objects are immutable.

    Parameters
    ----------
    compat : str, optional
        Name of a preset: the options with which a publication or a program computed the measure.
    average : {"micro", "items", "items_pr"}, default "micro"
        Over several items: sum the counts, take the mean of the values, or F of the mean precision and recall.
    references : {"each", "best", "union"}, optional
        With several reference coders: mean over coders, the coder with the best value, or precision against the boundaries of
        all coders.

    Attributes
    ----------
    name : str
        Name in the registry, such as ``"boundary_similarity"``.
    options : tuple of Option
        The declared options.
    presets : mapping
        Option values of each preset, by the name of the preset; those of benchmarks are in ``caesura.benchmarks``.
    settings : mapping
        The resolved value of every option, in the order of declaration.
    label : str
        Name of the measure in the papers with the options that differ from the default, for tables and figures.
    """

    compat: str | None = None
    average: str = declared(AVERAGE, last=4)
    references: str | None = declared(REFERENCES, last=4)

    # -- what a measure says of itself --------------------------------------------------------------------------------

    name: ClassVar[str]
    title: ClassVar[str]  # name and source in one line, for listings
    summary: ClassVar[str] = ""  # what the measure compares, in a few words, for the list of measures
    short_name: ClassVar[Any] = ""  # symbol or abbreviation in the literature
    needs: ClassVar[Any] = Needs()
    # Kinds of data for which tasks offer the measure; ``kind`` is the most complex of them.
    kinds: ClassVar[tuple[str, ...]] = ("linear",)
    kind: ClassVar[str] = "linear"
    typed: ClassVar[bool] = False  # whether types of boundaries matter
    has_own_scale: ClassVar[bool] = False  # whether it defines what its types are
    parts: ClassVar[tuple[str, ...]] = ()  # names of the additive counts; if they depend on the types, ``part_names``
    sides: ClassVar[tuple[str, str]] = ("reference", "hypothesis")  # names of the two sides, for messages and tables
    options: ClassVar[tuple[Option, ...]] = ()  # in the order of the signature
    presets = cast(Any, Presets())  # preset -> values of options; recipes of benchmarks are added
    preset_notes: ClassVar[Mapping[str, str]] = MappingProxyType({})  # preset -> what it does beyond setting options
    # Other names of the measure -> the options that each of them sets, such as ``SFB`` -> ``normalize="boundaries"``.
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    at_option: ClassVar[str | None] = None  # option that a number after ``@`` sets: ``F1@2``
    options_in_short_name: ClassVar[tuple[str, ...]] = ()  # options whose value the short name expresses
    # Options that say what is asked, such as a tolerance; the others of a preset are conventions of its program.
    question_options: ClassVar[tuple[str, ...]] = ()
    # Coefficients beyond chance, the default one, and how expected agreement is computed: ``"counts"`` from the number of
    # boundaries per coder, ``"random_texts"`` from random texts, ``"spans"`` and ``"labels"`` by the measure itself.
    coefficients: ClassVar[tuple[str, ...]] = ()
    default_coefficient: ClassVar[str | None] = None
    chance_family: ClassVar[str] = ""
    exact_span_chance: ClassVar[bool] = False  # whether expected matches of spans at random places are known: li2024
    supports_exact_chance: ClassVar[Any] = False  # whether ``chance="exact"`` needs no simulation
    chance_word: ClassVar[Any] = None  # word for ``chance=`` that the options imply
    needs_common_units: ClassVar[bool] = True  # whether hierarchies in seconds are put on common units first
    accepts_marks: ClassVar[bool] = False  # whether the first side may be the marks of several coders
    needs_labels: ClassVar[bool] = False  # whether every span must have a label, for the choice of measures
    accepts_union: ClassVar[bool] = False  # whether ``references="union"`` has a meaning
    aligns: ClassVar[bool] = False  # whether a score keeps its document, so that it can list the edits
    is_mean_over_pairs: ClassVar[bool] = False  # whether the value is the mean of one minus cost over ``score.edits``
    two_ratios: ClassVar[tuple[str, str] | None] = None  # figures whose F is the value, such as precision and recall
    score_class: ClassVar[type[Score]] = Score
    column: ClassVar[Any] = "places"  # the column of the table that has the boundaries
    places_boundaries: ClassVar[bool] = True  # whether a random text is one with as many boundaries at random places
    caution: ClassVar[str] = ""  # when not to use the measure, or what its value hides
    always_converts: ClassVar[Any] = False  # whether pairs with the same extent and shape are changed, too
    min_parallel: ClassVar[int] = 50_000  # boundaries and documents from which several threads are faster than one
    amount_options: ClassVar[Any] = ()  # options in the unit of the axis, or in seconds: 0.5s
    # For options resolved per document: the words for their integer codes.
    resolved_words: ClassVar[Mapping[str, NDArray[np.str_]]] = MappingProxyType({})
    # Laws, which tests check for every registered measure: the value for two identical annotations and the worst one (None
    # without limit), whether swapping the sides or reading backwards changes the value, and when it is ``Undefined``.
    best: ClassVar[float | None] = 1.0
    worst: ClassVar[float | None] = 0.0
    symmetric: ClassVar[Any] = False
    reversible: ClassVar[bool] = True
    needs_boundaries: ClassVar[bool] = False
    chance_corrected: ClassVar[bool] = False
    fixed_types: ClassVar[Any] = True  # whether counts can be summed only if they have the same boundary types

    # -- what a measure defines ---------------------------------------------------------------------------------------

    def count(self, batch: Batch) -> BatchCounts:
        """Return the counts of every pair of a batch."""
        raise NotImplementedError

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        """Return the value of each row of counts."""
        raise NotImplementedError

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Return the pairs for which the measure has no value with these options."""
        for name in () if batch.seconds else self.amount_options:
            value = self[name]
            if isinstance(value, str) and value.endswith("s"):
                return dict.fromkeys(range(batch.pairs), OptionError(seconds_on_units(name, value)))
        return {}

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        """Return the pairs as the measure compares them, such as one level of hierarchies."""
        return batch, {}

    def scale(self, batch: Batch) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
        """Return the scale of the boundary types of a batch."""
        return common_types(batch, self.sides) if self.typed else (UNTYPED, {})

    def validate(self) -> None:  # noqa: B027 - most measures have nothing to check
        """Raise ``OptionError`` if options contradict each other."""

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the additive counts, in the order of the columns of ``count``."""
        return self.parts

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        """Return figures derived from the counts, such as precision and recall."""
        return {}

    def resolved_for(self, types: tuple[str, ...]) -> dict[str, Any]:
        """Return the options that depend on the boundary types, as the signature shows them."""
        return {}

    def as_resolved(self, resolved: Mapping[str, Any]) -> Self:
        """Return the measure with the options that were resolved for a document, such as the window of Pk."""
        return self

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        """Return a formula for the counts of two random texts; None if they must be simulated."""
        return None

    def edit_columns(self, batch: Batch) -> EditColumns | None:
        """Return the edits of every item of a batch."""
        return None

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats] | None:
        """Return the full misses and the near misses in each row of counts."""
        return None

    def count_disagreements(self, counts: Counts, types: tuple[str, ...]) -> Floats | None:
        """Return the number of edits that are no matches in each row of counts."""
        return None

    def unmatched_spans(self, a: Any, b: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
        """Return the spans of two hierarchies that have no counterpart."""
        return None

    # -- options and names --------------------------------------------------------------------------------------------

    def __init_subclass__(cls) -> None:
        """Make the class a frozen dataclass."""
        super().__init_subclass__()
        cls.kind, cls.has_own_scale = cls.kinds[-1], cls.scale is not Measure.scale
        if "presets" in cls.__dict__:
            cls.presets = Presets(cls.presets)
        cls.short_name = cls.short_name or getattr(cls, "name", "")
        dataclass(frozen=True, repr=False, init=False)(cls)
        entries: list[Any] = [entry for entry in fields(cls) if "option" in entry.metadata]  # type: ignore[arg-type]
        entries.sort(key=lambda entry: int(entry.metadata["last"]))
        cls.options = tuple(replace(entry.metadata["option"], name=entry.name) for entry in entries)

    def __init__(self, /, *, compat: str | None = None, **options: Any) -> None:
        names = [entry.name for entry in self.options]
        for name in options:
            if name not in names:
                known = [*names, *(["compat"] if self.presets else [])]
                raise OptionError(suggest(f"{self.name} has no option", name, known))
        if compat is not None and (not isinstance(compat, str) or compat not in self.presets):
            raise OptionError(suggest(f"{self.name} has no preset", str(compat), self.presets))
        defaults = self._defaults(compat)
        object.__setattr__(self, "compat", compat)
        for entry in self.options:
            value = options.get(entry.name)
            value = defaults[entry.name] if value is None else entry.check(entry.name, value)
            object.__setattr__(self, entry.name, value)
        if self.average == "items_pr" and self.two_ratios is None:
            raise OptionError(
                f"average='items_pr' needs precision and recall; {self.name} has none; use average='items'"
            )
        if self.references == "union" and not self.accepts_union:
            raise OptionError(
                f"references='union' needs the precision and recall of boundaries, which {self.name} does not have; use "
                "'each' or 'best'"
            )
        self.validate()

    @classmethod
    def cached(cls, /, compat: str | None, **options: Any) -> Self:
        """Return the measure with these options; the first call creates it, later calls reuse it."""
        try:
            key = (cls, compat, tuple(options.items()), tuple(map(type, options.values())))
            measure = _cache.get(key)
        except TypeError:  # an unhashable option is invalid; the constructor raises the explanation
            return cls(compat=compat, **without_aliases(cls.options, options))
        if measure is None:
            measure = cls(compat=compat, **without_aliases(cls.options, options))
            if len(_cache) < _MAX_CACHED:
                _cache[key] = measure
        return measure

    @classmethod
    def _defaults(cls, compat: str | None) -> dict[str, Any]:
        values = {entry.name: entry.default for entry in cls.options}
        return values | dict(cls.presets[compat]) if compat is not None else values

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The resolved value of every option, in the order of declaration."""
        return MappingProxyType({entry.name: getattr(self, entry.name) for entry in self.options})

    @cached_property
    def _changed(self) -> dict[str, Any]:
        """The options that differ from the default of the preset."""
        defaults = self._defaults(self.compat)
        return {name: value for name, value in self.settings.items() if value != defaults[name]}

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    def __getstate__(self) -> dict[str, Any]:
        """Return the options; what is known besides is computed again."""
        return {**self.settings, "compat": self.compat}

    def __repr__(self) -> str:
        return self._call_text(self.name, [entry.name for entry in self.options if entry.always_shown], repr)

    def __json__(self) -> str:
        return repr(self)

    @cached_property
    def label(self) -> str:
        """Name of the measure in the papers with the options that differ from the default, for tables and figures."""
        short = self.short_name
        hidden, after_at = self.options_in_short_name, ""
        if self.at_option is not None and self.at_option in self._changed:
            after_at = str(self[self.at_option])
        if not _AFTER_AT.fullmatch(after_at):
            return self._call_text(short, (), _label_value, hidden)
        return self._call_text(f"{short}@{after_at}", (), _label_value, (*hidden, self.at_option))

    def _call_text(
        self, name: str, always: Collection[str], format_value: Callable[[Any], str], hidden: Collection[Any] = ()
    ) -> str:
        """Return the name, the preset and all options that differ from the default or are always shown."""
        shown = [(k, v) for k, v in self.settings.items() if (k in self._changed or k in always) and k not in hidden]
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
        return type(self)(**{"compat": self.compat, **self._changed, **options})

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
        if self.recipe is not None and self.name in self.recipe.kept_in_plain:
            defaults = self._defaults(None)
            return self.replace(
                **{name: defaults[name] for name in self.presets[self.compat].keys() - self._changed.keys()}
            )
        kept = {name: self.settings[name] for name in (*self.question_options, "references")}
        return type(self)(**{**kept, **self._changed})

    def with_settings(self, options: Mapping[str, Any]) -> Self:
        """Return the measure with what a settings file says about it: similarity and transposition cost."""
        return self

    @property
    def preparation(self) -> tuple[Any, ...]:
        """What the rows of a batch depend on: measures with equal preparations can score the same batch if it fits them."""
        prepare = None if self.recipe is None else self.recipe.prepare
        return self.references, self.typed, type(self).scale, prepare, "same", None

    @cached_property
    def recipe(self) -> Recipe | None:
        """What the program of the preset does besides setting options; None if it sets options only."""
        return recipe_of(self.name, self.compat)

    @cached_property
    def needs_pairs(self) -> bool:
        """Whether the annotations of each pair are needed: there are several references, or a recipe converts them."""
        return self.references is not None or (self.recipe is not None and self.recipe.prepare is not None)

    @cached_property
    def is_averaged(self) -> bool:
        """Whether the value of several items is a mean over items, and not computed from summed counts."""
        return self.average != "micro" or self.references in ("each", "union")

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value is better (False for error rates)."""
        return self.best is None or self.worst is None or self.best > self.worst

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

    @property
    def observed_measure(self) -> Measure:
        """The measure whose parts agreement between coders adds up: without correction for chance."""
        return self

    # -- from pairs to counts -----------------------------------------------------------------------------------------

    def pack(self, pairs: Sequence[Any], types: Names | None = None) -> Packed:
        """Return the batch of the pairs that can be scored, over their types or these, their indices, and errors by index."""
        union = union_of if self.references == "union" else None
        batch, places, errors = pair_up(
            pairs, self.sides, union, streams=self.needs.streams, references=self.references is not None
        )
        errors = {place: self.needs.explain(error, self.sides) for place, error in errors.items()}
        batch, places, excluded = self.pack_batch(batch, places, types)
        return batch, places, errors | excluded

    def pack_batch(self, batch: Batch, places: Ints, types: Names | None = None) -> Packed:
        """Return the items of a batch that can be scored, their places, and the errors of the others by place."""
        excluded: dict[int, CaesuraError] = {}

        def drop(problems: Mapping[int, CaesuraError]) -> None:
            nonlocal batch, places
            if problems:
                batch, places, errors = batch.drop(batch.item_errors(problems), places)
                excluded.update(errors)

        batch, problems = self.convert(batch)
        drop({**self.needs.problems(batch, self.name, self.sides), **problems})
        if self.recipe is not None and self.recipe.prepare is not None:
            batch, problems = self.recipe.prepare(batch)
            drop(problems)
        known, problems = self.scale(batch) if types is None else common_types(batch, self.sides, types)
        drop(problems)
        batch = batch.over(known)
        drop(self.check(batch) if len(batch) else {})
        return batch, places, excluded

    def columns(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the additive columns: the parts or, for a mean over items, sums of values."""
        return averaged_columns(self, types) if self.is_averaged else self.part_names(types)

    def values(self, rows: Counts, types: tuple[str, ...]) -> Floats:
        """Return the value of each row of columns."""
        if not len(rows):
            return np.zeros(0)
        return averaged_values(self, rows, types) if self.is_averaged else self.finish(rows, types)

    def documents(self, batch: Batch) -> BatchCounts:
        """Return the columns of every item; the counts of the streams of a dialogue are added."""
        if not batch.pairs:
            return BatchCounts(np.zeros((0, len(self.columns(batch.types)))), {})
        result = self.count(batch)
        if batch.streams is not None:
            counts = self.add_streams(batch, result.counts)
            result = BatchCounts(counts, pool_resolved(self.resolved_words, batch, result.resolved))
        if self.references is not None:
            return count_references(self, batch, result)
        if not self.is_averaged:
            return result
        return BatchCounts(averaged_rows(self, result.counts, batch.types), result.resolved)

    def add_streams(self, batch: Batch, counts: Counts) -> Counts:
        """Return the sum of the counts of the streams of each document."""
        assert batch.streams is not None
        if not batch.documents:
            return counts
        if (counts == np.floor(counts)).all():
            return reduceat(np.add, counts, batch.streams[:-1], axis=0)
        rows = [exact_sums(np.ascontiguousarray(counts[start:end])) for start, end in batch.stream_ranges()]
        return np.array([[as_float(units) for units in row] for row in rows])

    def edits_of(self, source: Batch | tuple[Any, Any]) -> tuple[Edit, ...] | None:
        """Return the edits of a document, stream by stream; None if the measure does not align boundaries."""
        batch = self.pack([source])[0] if isinstance(source, tuple) else source
        if self.references is not None:
            return None  # the edits differ from reference to reference
        columns = self.edit_columns(batch)
        return None if columns is None else columns.by_document()[0]

    # -- from counts to scores ----------------------------------------------------------------------------------------

    def score(self, a: Any, b: Any) -> Score:
        """Return the score of a pair of annotations.

        Parameters
        ----------
        a, b : Segmentation, Tier, Hierarchy, Spans, Tree or mapping of streams
            The two sides; the first is the reference for most measures, and may be a list of references.

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
            batch = plain_pair(a, b, *self._plain)
            if batch is None:
                batch, _, errors = self.pack([(a, b)])
            else:
                errors = {}
                if self.has_own_scale:
                    types, errors = self.scale(batch)
                    batch = batch.over(types)
                errors = errors or self.check(batch)
            if errors:
                raise errors[0]
            result = self.documents(batch)
        return self.build_score(result.counts[0], batch.types, self.resolved_at(result.resolved, 0), batch=batch)

    @cached_property
    def _plain(self) -> tuple[int, int]:
        """What two annotations must not have, and must have, to be compared without further checks."""
        plain: tuple[int, int] = self.needs.plain(typed=self.has_own_scale)
        return (0, -1) if self.needs_pairs or self.always_converts else plain

    def resolved_at(self, resolved: Mapping[str, NDArray[Any]], place: int) -> dict[str, Any]:
        """Return the options that were resolved for a document."""
        values = {}
        for name, column in resolved.items():
            value = column[place]
            if isinstance(value, str):  # the streams of a dialogue
                values[name] = summarize([str(value)])
            else:
                values[name] = (self.resolved_words[name][value] if name in self.resolved_words else value).item()
        return values

    def summarize_resolved(self, resolved: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the options that were resolved for many documents, each as one value or a short text."""
        words = self.resolved_words  # codes stand for words; other columns are numbers, or texts of dialogues
        return {
            name: summarize(words[name][np.unique(column)] if name in words and column.dtype.kind != "U" else column)
            for name, column in resolved.items()
        }

    def build_score(
        self,
        counts: Counts,
        types: tuple[str, ...],
        resolved: Mapping[str, Any],
        *,
        batch: Batch | None = None,
        find_batch: Callable[[], Batch] | None = None,
        documents: int = 1,
        value: float | None = None,
    ) -> Score:
        """Return the score for a row of counts."""
        if value is None:
            value = float(self.values(counts[None, :], types)[0])
        figures: Any = None
        if self.is_averaged:
            figures = partial(averaged_figures, self, types, value)
        elif type(self).derived is not Measure.derived:
            figures = partial(self.derived, types=types)
        source = {"source": batch} if find_batch is None else {"find_source": find_batch}
        return (Score if self.is_averaged else self.score_class).trusted(
            measure=self,
            value=value,
            parts=Parts.of_row(self.columns(types), counts, figures),
            params=self._params(types, resolved),
            types=types,
            documents=documents,
            **(source if self.aligns else {}),
        )

    def _params(self, types: tuple[str, ...], resolved: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return every option with its resolved value; scores with the same options share it."""
        key = (types, tuple(resolved.items()), tuple(map(type, resolved.values()))) if resolved else types
        params: Mapping[str, Any] | None = self._known.get(key)
        if params is None:
            omitted = {entry.name: entry.default for entry in self.options if entry.omitted_at_default}
            shown = {name: x for name, x in self.settings.items() if name not in omitted or x != omitted[name]}
            params = MappingProxyType({**shown, **resolved, **self.resolved_for(types)})
            if len(self._known) < _MAX_CACHED:
                self._known[key] = params
        return params

    @cached_property
    def _known(self) -> dict[Any, Any]:
        """What scores share: their parameters, their signatures, and what a measure computes from its options and types."""
        return {}

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
        if not scores:
            raise OptionError("a total needs at least one score; got none")
        first = scores[0]
        for score in scores[1:]:
            if score.measure != self or (self.fixed_types and score.types != first.types):
                raise OptionError(
                    f"only scores of one measure over the same types add up; got {first.signature} and {score.signature}"
                )
        types = first.types if self.fixed_types else tuple(sorted({name for score in scores for name in score.types}))
        counts = np.array([exact_sum(score.parts.get(name, 0) for score in scores) for name in self.columns(types)])
        resolved = {
            name: summarize([score.params[name] for score in scores])
            for name, value in first.params.items()
            if name not in self.settings or value != self[name]
        }
        return self.build_score(counts, types, resolved, documents=sum(score.documents for score in scores))

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """Return one line with the name, every resolved option, the types, the preset and the version.

        ``auto`` lists the options that were chosen for the data, such as the window of Pk.
        """
        settings, entries = self.settings, []
        auto = [name for name, value in params.items() if value is not None and settings.get(name, 0) is None]
        in_seconds = self.amount_options if params.get("axis") == "time" else ()
        for name, value in params.items():
            setting = settings.get(name)
            text = signature_value(value) if setting is None else option_text(setting)
            if name in in_seconds and isinstance(value, (int, float)) and not isinstance(setting, str):
                text = option_text(f"{value}s")
            entries.append(f"{name}:{text}")
        if documents != 1:
            entries.insert(0, f"documents:{documents}")
        scale = ("<".join(types) if len(types) > 1 else "1") if self.typed else None
        return signature_line(
            self.name, *entries, types=scale, compat=self.compat, auto=",".join(auto) if auto else None
        )

    def signature_of(self, score: Score) -> str:
        """Return the signature of a score without its data."""
        key = id(score.params), score.types, score.documents
        params, signature = self._known.get(key, (None, ""))
        if params is not score.params:  # those that are kept keep their place in memory
            signature = self.signature(score.params, score.types, score.documents)
            if len(self._known) < _MAX_CACHED:
                self._known[key] = score.params, signature
        return str(signature)


dataclass(frozen=True, repr=False, init=False)(Measure)


def _label_value(value: Any) -> str:
    """Return a value as people write it on the command line: a word without quotes; a long value is abbreviated."""
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return repr(value) if len(repr(value)) < 20 else "…"


class OverlapMeasure(Measure):
    """Base class of measures whose value is F1."""

    # The first three parts are the elements that both sides have, those of the reference and those of the hypothesis.

    two_ratios = ("precision", "recall")

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        common, reference, hypothesis = counts.T[:3]
        return divide(2 * common, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return precision_recall(*(counts[name] for name in self.parts[:3]))
