"""The base class of all measures. A measure turns pairs of annotations into scores.

The file of a measure imports what it needs from here: ``declaration.py`` has the attributes and options of measures and the
methods that a measure defines, and this file what all measures do with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError, own_errors
from caesura.measures.batch import Batch, Comparison, Packed, Text, are_plain, gather_plain, is_plain, pack
from caesura.measures.declaration import COUNT_COEFFICIENTS, BatchCounts, Counts, Declaration, PairCounts
from caesura.measures.edges import has_times, pack_axis
from caesura.measures.old_averages import (
    ReferencesBatch,
    averaged_columns,
    averaged_figures,
    averaged_rows,
    averaged_values,
    count_references,
    has_references,
    pack_references,
)
from caesura.measures.pooled import PooledBatch, has_streams, pack_dialogues
from caesura.measures.sums import divide, exact_sum, precision_recall, summarize
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.result import Edit, Parts, Score, signature_line, signature_value
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED
from caesura.model.signature import option_text
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints

__all__ = [
    "COUNT_COEFFICIENTS",
    "BatchCounts",
    "Counts",
    "Measure",
    "OverlapMeasure",
    "PairCounts",
    "divide",
    "precision_recall",
]

_MAX_CACHED = 1000
_PREPARATIONS = ("references",)  # options that change the pairs


class Measure(Declaration):  # the former base class, until all families have moved
    """Base class of all measures: packs pairs, counts them, and creates scores and totals.

    See :class:`~caesura.measures.declaration.Declaration` for parameters, attributes, and the methods that a measure defines.
    """

    @property
    def observed_measure(self) -> Measure:
        """The measure whose parts agreement between coders adds up: without correction for chance."""
        return self

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
        return type(self).to_batch is Measure.to_batch and not any(map(self.settings.get, _PREPARATIONS))

    def _pack_comparisons(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        """Return the arrays of pairs with one reference each."""
        batch, places, errors = self.to_batch(pairs)
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

    @cached_property
    def packs_sides_separately(self) -> bool:
        """Whether the arrays of each side depend on the annotations of that side alone, and on the types of all pairs.

        Those of dialogues depend on the order of the streams as well.
        """
        is_plain = type(self).to_batch is Measure.to_batch or self.separate_sides or self.view == "streams"
        return is_plain and type(self).pack is Measure.pack and not any(map(self.settings.get, _PREPARATIONS))

    def pack_crossed(self, batch: Batch) -> Packed[Batch]:
        """Return the documents of a batch of crossed sides that can be scored, their places, and the errors of the others.

        Parameters
        ----------
        batch : Batch
            Documents from :func:`~caesura.measures.crossed.cross`.

        Returns
        -------
        tuple
            Batch, indices and errors.
        """
        return self._with_checks(batch, np.arange(len(batch)), {})

    @property
    def packing_key(self) -> tuple[Any, ...]:
        """What the arrays of a batch depend on: measures with equal keys can score the same batch.

        A measure that packs pairs in its own way shares no batch with other measures.
        """
        own = None if type(self).to_batch is Measure.to_batch else self
        return (self.view, self.sides, self.packing, own, *map(self.settings.get, _PREPARATIONS))

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

    documents = count
    pack_batch = None
    column = "places"

    @property
    def places_boundaries(self) -> bool:
        return self.view in ("inner", "typed", "edges")

    @property
    def preparation(self) -> tuple[Any, ...]:
        return self.packing_key

    @property
    def needs(self) -> None:
        return None

    typed = property(lambda self: self.view == "typed")

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
        find_batch: Callable[[], Batch] | None = None,
        documents: int = 1,
        value: float | None = None,
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
        find_batch : callable, optional
            Function that returns the document when it is needed.
        documents : int, default 1
            Number of documents that the counts cover.
        value : float, optional
            Value of the counts, if it is known.

        Returns
        -------
        Score
            The score.
        """
        numbers = [int(x) if x.is_integer() else x for x in counts.tolist()]
        if value is None:
            value = float(self.values(counts[None, :], types)[0])
        source = {"source": batch} if find_batch is None else {"find_source": find_batch}
        return self._create_score(value, numbers, types, resolved, documents=documents, **source)

    def _create_score(
        self,
        value: float,
        numbers: Sequence[float],
        types: tuple[str, ...],
        resolved: Mapping[str, Any],
        *,
        documents: int = 1,
        **source: Any,
    ) -> Score:
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
            **(source if self.aligns else {}),
        )

    def _params(self, types: tuple[str, ...], resolved: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return every option with its resolved value; scores with the same options share it."""
        key = types, tuple(resolved.items()), tuple(map(type, resolved.values()))
        params = self._known_params.get(key)
        if params is None:
            params = MappingProxyType({**self._shown_settings, **resolved, **self.resolved_for(types)})
            if len(self._known_params) < _MAX_CACHED:
                self._known_params[key] = params
        return params

    @cached_property
    def _known_params(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """Options by boundary types and by the options that depend on the document."""
        return {}

    @cached_property
    def _shown_settings(self) -> dict[str, Any]:
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
        settings, texts = self.settings, self._setting_texts
        auto = [name for name, value in params.items() if value is not None and settings.get(name, 0) is None]
        entries = [f"{name}:{texts.get(name) or signature_value(value)}" for name, value in params.items()]
        if documents != 1:
            entries.insert(0, f"documents:{documents}")
        scale = ("<".join(types) if len(types) > 1 else "1") if self.view == "typed" else None
        return signature_line(
            self.name, *entries, types=scale, compat=self.compat, auto=",".join(auto) if auto else None
        )

    def signature_of(self, score: Score) -> str:
        """Return the signature of a score without its data.

        Parameters
        ----------
        score : Score
            A score of this measure.

        Returns
        -------
        str
            The result of :meth:`signature`, which scores with the same parameters share.
        """
        key = id(score.params), score.types, score.documents
        params, signature = self._known_signatures.get(key, (None, ""))
        if params is not score.params:
            signature = self.signature(score.params, score.types, score.documents)
            if len(self._known_signatures) < _MAX_CACHED:
                self._known_signatures[key] = score.params, signature
        return signature

    @cached_property
    def _known_signatures(self) -> dict[tuple[Any, ...], tuple[Mapping[str, Any], str]]:
        """Parameters, which keep their place in memory while they are here, and signature."""
        return {}

    @cached_property
    def _setting_texts(self) -> dict[str, str]:
        """The options for the signature, without those that are None, whose value is chosen for the data."""
        return {name: option_text(setting) for name, setting in self.settings.items() if setting is not None}


class OverlapMeasure(Measure):
    """Base class of measures whose value is F1."""

    # The first three parts are the elements that both sides have, those of the reference and those of the hypothesis.

    two_ratios = ("precision", "recall")

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        common, reference, hypothesis = counts.T[:3]
        return divide(2 * common, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return precision_recall(*(counts[name] for name in self.parts[:3]))
