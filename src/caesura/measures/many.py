"""Score many pairs: at once, as a batch that an engine processes in pieces, or one after the other in a tally."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine, check_engine, use_engine
from caesura.errors import RESOURCE_ERRORS, CaesuraError, OptionError, ResourceError, own_errors
from caesura.measures.base import BatchCounts, Measure
from caesura.measures.registry import parse
from caesura.measures.sums import Partial, as_float, exact_sums
from caesura.model.batch import Batch, Packed, Pair, Texts
from caesura.model.index import argsort, bincount, searchsorted
from caesura.model.result import HIDDEN, Edit, Excluded, Result, Score, keep_warnings
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.progress import report_progress

MAX_BLOCK = 10_000_000  # boundaries and documents that are counted at once; it only affects memory
_MAX_WHOLE = 2**53  # whole numbers up to this are exact
_EDIT_BLOCK = 256  # documents whose edits are listed together
_REMOTE_PIECE = 16_000  # boundaries and documents sent to another process at once: at most 1 MB, for trees


@dataclass(frozen=True, eq=False)
class Scores(Result):
    """Scores of many pairs, the result of :func:`score_many`.

    Attributes
    ----------
    measure : Measure
        The measure with its options.
    values : numpy.ndarray
        One value per pair, in order; NaN if the pair could not be scored.
    errors : dict
        Place of a pair -> exception that explains why it could not be scored.
    types : tuple of str
        The boundary types.
    counts : numpy.ndarray
        Additive parts: one row per pair, one column per part; zeros for a pair that could not be scored.
    resolved : dict
        Options resolved per pair: one array per option.
    batch : Batch
        The pairs that were scored.
    places : numpy.ndarray
        Place in ``values`` of each document of the batch.
    """

    measure: Measure
    values: Floats
    errors: dict[int, CaesuraError] = field(metadata=HIDDEN)
    types: tuple[str, ...]
    counts: Floats = field(repr=False, metadata=HIDDEN)
    resolved: dict[str, NDArray[np.generic]] = field(repr=False, metadata=HIDDEN)
    batch: Batch = field(repr=False, metadata=HIDDEN)
    places: Ints = field(repr=False, metadata=HIDDEN)

    json_properties = ("excluded",)
    frame_field = "rows"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of the columns of ``counts``."""
        return self.measure.columns(self.types)

    @property
    def scored(self) -> Ints:
        """Places of the pairs that were scored."""
        return np.delete(np.arange(len(self)), list(self.errors))

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """Pairs that could not be scored, with their place and the reason."""
        return tuple(Excluded(str(place), None, str(error)) for place, error in sorted(self.errors.items()))

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Value and parts of every pair that was scored."""
        return tuple(
            {"place": place, "value": self.values[place], **dict(zip(self.part_names, self.counts[place], strict=True))}
            for place in self.scored.tolist()
        )

    @cached_property
    def total(self) -> Score:
        """One score for all pairs that could be scored, from summed parts."""
        scored = self.scored
        if not scored.size:
            raise OptionError(
                f"none of {len(self)} pairs could be scored" if len(self) else "there are no pairs to score"
            )
        return self.over(scored)

    def over(self, places: Ints) -> Score:
        """Return one score for some of the pairs, from summed parts.

        Parameters
        ----------
        places : numpy.ndarray
            Places of pairs that were scored.

        Returns
        -------
        Score
            The score of these pairs.
        """
        chosen = BatchCounts(self.counts[places], {name: column[places] for name, column in self.resolved.items()})
        return Partial.of(self.measure, chosen, self.types).score(self.measure)

    def by_group(self, group: Ints, number: int) -> GroupScores:
        """Return one score for each group of pairs, from summed parts.

        Parameters
        ----------
        group : numpy.ndarray
            The group of each pair, from 0 up. All pairs were scored.
        number : int
            Number of groups, each with at least one pair.

        Returns
        -------
        GroupScores
            The scores, as :meth:`over` returns them.
        """
        places = places_of_groups(group, number)
        counts = self.counts
        sums: Floats = np.zeros((number, counts.shape[1]))
        if (counts == np.floor(counts)).all() and np.abs(counts).sum() < _MAX_WHOLE:
            for column, part in enumerate(counts.T):
                sums[:, column] = bincount(group, part, number)
        else:
            for k, rows in enumerate(places):
                sums[k] = [as_float(units) for units in exact_sums(counts[rows])]
        values = self.measure.values(sums, self.types)
        return GroupScores(self.measure, self.types, self.resolved, places, sums, values)

    def rescored(self, measure: Measure) -> Scores | None:
        """Return the scores of the same pairs under a measure that differs only in options such as ``n_t``.

        Parameters
        ----------
        measure : Measure
            The measure.

        Returns
        -------
        Scores or None
            The scores; None if the pairs must be packed again, or one of them cannot be scored.
        """
        if self.errors or self.batch.streams is not None or measure.preparation != self.measure.preparation:
            return None
        if measure.needs.problems(self.batch, measure.name, measure.sides) or measure.check(self.batch):
            return None
        result = compute(measure, self.batch)
        values = measure.values(result.counts, self.batch.types)
        return replace(self, measure=measure, values=values, counts=result.counts, resolved=dict(result.resolved))

    def __getitem__(self, place: int) -> Score:
        """Return the score of a pair with its edits, or raise the error of the pair."""
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} pairs; got {place}")
        place %= len(self)
        if place in self.errors:
            raise self.errors[place]
        resolved = self.measure.resolved_at(self.resolved, place)
        find_batch = partial(self._document, place) if self.measure.aligns else None
        value = float(self.values[place])
        score = self.measure.build_score(self.counts[place], self.types, resolved, find_batch=find_batch, value=value)
        return score if find_batch is None else score.with_edits_from(partial(self._edits, place))

    def _document(self, place: int) -> Batch:
        return self.batch.take(searchsorted(self.places, [place]))

    def _edits(self, place: int) -> tuple[Edit, ...] | None:
        """Return the edits of a pair that was scored; those of its neighbours are computed with them and kept."""
        if self.measure.references is not None:
            return None  # the edits differ from reference to reference
        block, within = divmod(int(searchsorted(self.places, place)), _EDIT_BLOCK)
        number, edits = self.__dict__.get("_last_edits", (None, None))
        if number != block:
            documents = np.arange(block * _EDIT_BLOCK, min(len(self.batch), (block + 1) * _EDIT_BLOCK))
            columns = self.measure.edit_columns(self.batch.take(documents))
            edits = None if columns is None else columns.by_document()
            self.__dict__["_last_edits"] = block, edits
        return None if edits is None else edits[within]


def places_of_groups(group: Ints, number: int) -> list[Ints]:
    """Return the places of each group below a number, in ascending order."""
    return np.split(argsort(group, kind="stable"), np.cumsum(bincount(group, minlength=number))[:-1])


@dataclass(frozen=True, eq=False)
class GroupScores:
    """Scores of groups of pairs from summed parts, the result of ``Scores.by_group``."""

    measure: Measure
    types: tuple[str, ...]
    resolved: dict[str, NDArray[np.generic]]  # options resolved per pair
    places: list[Ints]  # places of the pairs of each group
    sums: Floats  # summed parts of each group
    values: Floats  # value of each group

    def __getitem__(self, group: int) -> Score:
        """Return the score of a group; it is built whenever it is asked for."""
        places = self.places[group]
        resolved = {name: column[places] for name, column in self.resolved.items()}
        return self.measure.build_score(
            self.sums[group],
            self.types,
            self.measure.summarize_resolved(resolved),
            documents=len(places),
            value=float(self.values[group]),
        )


@keep_warnings
def score_many(
    pairs: Iterable[Pair],
    measure: str | Measure,
    *,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> Scores:
    """Score many pairs of annotations at once.

    Parameters
    ----------
    pairs : iterable of pairs
        Pairs of segmentations, dialogues, hierarchies or trees, depending on the measure.
    measure : str or Measure
        The measure with its options, ``"boundary_similarity(n_t=2)"``.
    engine : {"threads", "processes", "dask"} or Engine, default "threads"
        Where to compute. All engines return bit-identical numbers.
    workers : int, optional
        Number of workers (default: one per processor; small data are scored without workers).
    scheduler : str or distributed.Client, optional
        Address of a Dask scheduler, or a client.

    Returns
    -------
    Scores
        Values, parts and the total. Pairs that cannot be scored are in ``.errors``; all others are scored.

    Notes
    -----
    All documents are passed together to compiled code, which releases the GIL.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> a, b, c = (Segmentation.from_masses(m) for m in ([2, 3, 6], [2, 2, 7], [5, 5]))
    >>> scores = score_many([(a, b), (a, a), (a, c)], "boundary_similarity(n_t=2)")
    >>> scores.values
    array([0.75, 1.  ,  nan])
    >>> print(scores.errors[2])
    both sides must have the same units; a has 11, b has 10
    >>> scores.total
    Score(0.875, boundary_similarity(n_t=2), parts={'additions': 0, 'transpositions': 1, 'span': 1, \
'substitutions': 0, 'distance': 0, 'matches': 3})
    """
    parsed = parse(measure)
    check_engine(engine, workers, scheduler)
    listed = list(pairs)
    return score_packed(parsed, parsed.pack(listed), len(listed), engine, workers, scheduler)


def score_crossed(
    measure: Measure, annotations: Sequence[Any], first: Ints, second: Ints, engine: str | Engine = "threads"
) -> Scores:
    """Score pairs of annotations that occur in many pairs and are in one table, if the measure allows it."""
    texts = None if measure.needs_pairs else Texts.of(annotations)
    batch = None if texts is None else texts.pairs(first, second)
    if batch is None:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return score_many([(annotations[a], annotations[b]) for a, b in pairs], measure, engine=engine)
    return score_packed(measure, measure.pack_batch(batch, np.arange(len(batch))), len(first), engine)


def score_packed(
    measure: Measure,
    packed: Packed,
    length: int,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> Scores:
    batch, places, errors = packed
    try:
        result = compute(measure, batch, engine, workers, scheduler)
    except RESOURCE_ERRORS:
        result, batch, places, too_large = count_separately(measure, batch, places)
        errors = errors | too_large
    counts, resolved = result.counts, dict(result.resolved)
    values = measure.values(counts, batch.types)
    if errors:
        counts = _at_places(counts, places, length, 0)
        values = _at_places(values, places, length, np.nan)
        resolved = {name: _at_places(column, places, length, 0) for name, column in resolved.items()}
    return Scores(measure, values, errors, batch.types, counts, resolved, batch, places)


def _at_places(rows: NDArray[Any], places: Ints, length: int, empty: float) -> NDArray[Any]:
    """Return an array of ``length`` rows that has ``rows`` at their places and ``empty`` elsewhere."""
    out = np.full((length, *rows.shape[1:]), empty, rows.dtype)
    out[places] = rows
    return out


def compute(
    measure: Measure, batch: Batch, engine: str | Engine = "threads", workers: int | None = None, scheduler: Any = None
) -> BatchCounts:
    """Return the counts of a batch, computed in pieces by the workers of an engine."""
    work = batch.work
    if len(batch) > 1 and work[-1] - work[0] > MAX_BLOCK:
        return _in_blocks(measure, batch, engine, workers, scheduler)
    if len(batch) < 2 or (workers is None and work[-1] - work[0] < measure.min_parallel):
        return measure.documents(batch)
    with use_engine(engine, workers, scheduler) as opened:
        if opened.workers == 1 and not opened.remote:
            return measure.documents(batch)
        if opened.remote:
            return _joined(list(opened.map(measure.documents, _pieces(batch, work, opened))))
        # Measures of the same batch share results, such as the edits of B and S, by piece.
        pieces = batch.shared(("pieces", opened.workers), lambda: list(_pieces(batch, work, opened)))
        return _joined(list(opened.map(measure.documents, iter(pieces))))


def _in_blocks(
    measure: Measure, batch: Batch, engine: str | Engine, workers: int | None, scheduler: Any
) -> BatchCounts:
    """Count a batch whose columns would take much memory block by block."""
    ends = searchsorted(batch.work, np.arange(batch.work[0], batch.work[-1], MAX_BLOCK)[1:])
    ends = np.unique(np.concatenate([[0], ends, [len(batch)]]))
    results = []
    for start, stop in pairwise(ends.tolist()):
        block = batch.slice(start, stop)
        is_small = block.work[-1] - block.work[0] <= MAX_BLOCK
        results.append(compute(measure, block, engine, workers, scheduler) if is_small else measure.documents(block))
        report_progress(stop, len(batch))
    return _joined(results)


def count_separately(
    measure: Measure, batch: Batch, places: Ints
) -> tuple[BatchCounts, Batch, Ints, dict[int, CaesuraError]]:
    """Count documents one after the other, after memory or numbers did not suffice for all of them together."""
    results: list[BatchCounts] = []
    errors: dict[int, CaesuraError] = {}
    for document in range(len(batch)):
        try:
            with own_errors():
                results.append(measure.documents(batch.take(np.array([document]))))
        except ResourceError as error:
            errors[document] = error
    batch, places, errors = batch.drop(errors, places)
    return (_joined(results) if results else measure.documents(batch)), batch, places, errors


def _joined(results: Sequence[BatchCounts]) -> BatchCounts:
    resolved = {name: np.concatenate([result.resolved[name] for result in results]) for name in results[0].resolved}
    return BatchCounts(np.concatenate([result.counts for result in results]), resolved)


def _pieces(batch: Batch, work: Ints, engine: Engine) -> Iterator[Batch]:
    """Yield pieces of about equal work, a few per worker, so that a long document does not keep other workers waiting."""
    pieces = 4 * engine.workers
    if engine.remote:
        pieces = max(pieces, int((work[-1] - work[0]) // _REMOTE_PIECE))
    cuts = searchsorted(work, np.linspace(work[0], work[-1], pieces + 1)[1:-1])
    for ends in pairwise(np.unique(np.concatenate([[0], cuts, [len(batch)]])).tolist()):
        # A piece for another process is copied out of the batch when it is sent.
        yield batch.take(np.arange(*ends)) if engine.remote else batch.slice(*ends)


class Tally:
    """The running sum of a measure: one score over all documents so far.

    Parameters
    ----------
    measure : str or Measure
        The measure.

    Attributes
    ----------
    measure : Measure
        The measure.

    Notes
    -----
    Sums are exact, so the order of the documents, and of the tallies that are merged, does not change the score. A tally can
    be pickled and sent to another process.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> tally = Tally("B")
    >>> for masses in ([2, 2, 7], [2, 3, 6]):
    ...     tally.update(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses(masses))
    >>> tally.compute().value
    0.875
    >>> tally
    Tally(boundary_similarity(n_t=2), 2 documents)
    """

    def __init__(self, measure: str | Measure) -> None:
        self.measure = parse(measure)
        self._sums = Partial.empty(self.measure, UNTYPED)

    def __len__(self) -> int:
        return self._sums.documents

    def update(self, reference: Any, hypothesis: Any) -> None:
        """Add one document.

        Parameters
        ----------
        reference, hypothesis : Segmentation, Dialogue, Hierarchy or Tree
            The two sides.

        Raises
        ------
        MismatchError
            If the two cannot be compared. The tally does not change.
        Undefined
            If the measure has no value for them. The tally does not change.
        OptionError
            If the boundary types differ from those of earlier documents. The tally does not change.
        """
        batch, _, errors = self.measure.pack([(reference, hypothesis)])
        if errors:
            raise errors[0]
        added = Partial.of(self.measure, self.measure.documents(batch), batch.types)
        self._sums = self._sums.merge(added, self.measure)

    def merge(self, other: Tally) -> None:
        """Add the documents of another tally.

        Parameters
        ----------
        other : Tally
            A tally of the same measure, such as that of another process. It does not change.

        Raises
        ------
        OptionError
            If the measures differ.
        """
        if not isinstance(other, Tally) or other.measure != self.measure:
            got = repr(other.measure) if isinstance(other, Tally) else type(other).__name__
            raise OptionError(f"only tallies of the same measure add up; expected {self.measure!r}, got {got}")
        self._sums = self._sums.merge(other._sums, self.measure)

    def compute(self) -> Score:
        """Return the score of all documents so far.

        Returns
        -------
        Score
            The score, from summed parts.

        Raises
        ------
        OptionError
            If there is no document yet.
        """
        if not len(self):
            raise OptionError("the tally has no documents yet; call update(reference, hypothesis) first")
        return self._sums.score(self.measure)

    def reset(self) -> None:
        """Forget all documents."""
        self._sums = Partial.empty(self.measure, UNTYPED)

    def __repr__(self) -> str:
        return f"Tally({self.measure!r}, {len(self)} document{'' if len(self) == 1 else 's'})"
