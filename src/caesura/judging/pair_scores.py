"""Score every segmenter against every coder on every item under one measure, in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.parts import sum_rows
from caesura.errors import CaesuraError
from caesura.judging.participants import Annotations, Participants
from caesura.measures.base import Measure
from caesura.measures.many import Scores, score_many, score_packed
from caesura.memory import check_memory
from caesura.model.batch import Batch, Texts
from caesura.model.dialogue import Annotation
from caesura.model.index import argsort, bincount, repeat, searchsorted
from caesura.model.marks import Marks
from caesura.model.result import Excluded, Score
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats, Ints

Bools = NDArray[np.bool_]
# Memory of a pair: its keys, its parts under one measure, and what the kernels need.
PAIR_BYTES = 400
BLOCK_BOUNDARIES = 4_000_000  # boundaries of both sides of the pairs that are scored at once

# First character of the names of bounds among the segmenters; no system name can start with it.
BOUND_PREFIX = "\0"
HUMAN = BOUND_PREFIX + "human"
RANDOM = BOUND_PREFIX + "random"
PLACEMENT = BOUND_PREFIX + "placement"


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of pairs, one row per pair: a segmentation of an item, and a coder's annotation of it as reference."""

    # Rows are sorted by item and then by coder, so that no result depends on the order of a file.

    measure: Measure
    segmenters: tuple[str, ...]  # names of systems and bounds
    items: tuple[str, ...]  # names of the items, sorted
    coders: tuple[str, ...]  # names of the coders, sorted
    segmenter_of: Ints  # index of the row's segmenter in ``segmenters``
    item_of: Ints  # index of the row's item in ``items``
    # Index of the reference in ``coders``; -1 if all coders together are the reference, as for fuzzy success.
    reference_of: Ints
    # Index in ``coders`` of the author of the segmentation if coders are compared with each other, otherwise -1.
    author_of: Ints
    scores: Scores = field(repr=False)

    @cached_property
    def rows_of(self) -> dict[str, Ints]:
        """Segmenter -> the rows that could be scored; segmenters without such rows are omitted."""
        scored = self.scores.scored
        of_row = self.segmenter_of[scored]
        in_order = scored[argsort(of_row, kind="stable")]
        ends = np.cumsum(bincount(of_row, minlength=len(self.segmenters)))
        groups = np.split(in_order, ends[:-1])
        return {name: rows for name, rows in zip(self.segmenters, groups, strict=True) if len(rows)}

    def scored(self, segmenters: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in segmenters if name in self.rows_of)

    def score(self, segmenter: str) -> Score:
        """Return the micro score of a segmenter, from parts summed over all items and coders."""
        return self.scores.over(self.rows_of[segmenter])

    def finish(self, parts: Floats) -> Floats:
        return self.measure.values(parts, self.scores.types)

    def by_item(self, rows: Ints) -> tuple[Ints, Floats]:
        """Return the items of some rows, and the parts of each item, summed over coders."""
        return self._sums(rows, self.item_of)

    def by_coder(self, segmenter: str) -> dict[str, float]:
        """Return the value of a segmenter against each coder, from parts summed over items."""
        references, sums = self._sums(self.rows_of[segmenter], self.reference_of)
        if references[0] < 0:
            return {}
        return {self.coders[c]: value for c, value in zip(references.tolist(), self.finish(sums).tolist(), strict=True)}

    def _sums(self, rows: Ints, keys: Ints) -> tuple[Ints, Floats]:
        """Return the keys of some rows, and the parts of each key, summed over its rows."""
        distinct, places = np.unique(keys[rows], return_inverse=True)
        return distinct, sum_rows(self.scores.counts[rows], places, len(distinct))

    def _pair_keys(self, rows: Ints) -> Ints:
        """Return the item and the reference of each row, encoded as one number."""
        return self.item_of[rows] * (len(self.coders) + 1) + self.reference_of[rows] + 1

    def item_means(self, segmenters: Sequence[str]) -> Floats:
        """Return the values of segmenters by item, as means over the coders for whom all segmenters have a value."""
        keys = [self._pair_keys(self.rows_of[name]) for name in segmenters]
        all_keys = np.unique(np.concatenate(keys))
        values = np.full((len(all_keys), len(segmenters)), np.nan)
        for column, (name, own_keys) in enumerate(zip(segmenters, keys, strict=True)):
            values[searchsorted(all_keys, own_keys), column] = self.scores.values[self.rows_of[name]]
        items = all_keys // (len(self.coders) + 1)
        complete = ~np.isnan(values).any(axis=1)
        counts = bincount(items[complete], minlength=len(self.items))
        sums = [bincount(items[complete], column[complete], minlength=len(self.items)) for column in values.T]
        means = np.column_stack(sums) / np.where(counts, counts, np.nan)[:, None]
        return means[np.unique(items)].round(12)

    def common_keys(self, a: str, b: str) -> Ints:
        """Return the (item, coder) on which two segmenters were scored, as numbers in ascending order."""
        first, second = (self._pair_keys(self.rows_of[name]) for name in (a, b))
        return np.intersect1d(first, second, assume_unique=True)

    def parts_of(self, segmenter: str, keys: Ints) -> Floats:
        """Return the parts of a segmenter by item, from some of its (item, coder)."""
        rows = self.rows_of[segmenter]
        return self.by_item(rows[np.isin(self._pair_keys(rows), keys, assume_unique=True)])[1]

    @cached_property
    def _of_bounds(self) -> Bools:
        """Whether each row is of a bound."""
        return np.array([name.startswith(BOUND_PREFIX) for name in self.segmenters], bool)[self.segmenter_of]

    @cached_property
    def failed_references(self) -> set[tuple[int, int]]:
        """Items and references against which a system could not be scored, as indices."""
        failed = np.array(list(self.scores.errors), np.int64)
        rows = failed[~self._of_bounds[failed]]
        return set(zip(self.item_of[rows].tolist(), self.reference_of[rows].tolist(), strict=True))

    @cached_property
    def excluded(self) -> tuple[Excluded, ...]:
        """Items, systems on an item, or single comparisons that could not be scored; or everything."""
        # Bounds are listed, in brackets, only if no system failed on the same item and reference.
        return tuple(dict.fromkeys(self._exclusions()))

    def _exclusions(self) -> Iterator[Excluded]:
        rows_by_reason: dict[str, list[int]] = {}
        for row, error in self.scores.errors.items():
            rows_by_reason.setdefault(f"{self.measure.label}: {error}", []).append(row)
        of_systems = ~self._of_bounds
        items, outputs = self.item_of, self.item_of * len(self.segmenters) + self.segmenter_of
        rows_of_item, rows_of_output = bincount(items[of_systems]), bincount(outputs[of_systems])
        for reason, rows in rows_by_reason.items():
            failed = [row for row in sorted(rows, key=lambda row: (outputs[row], row)) if of_systems[row]]
            if failed and len(failed) == of_systems.sum():
                yield Excluded(None, None, reason)
                return
            for item, of_item in groupby(failed, items.__getitem__):
                failed_of_item = list(of_item)
                if len(failed_of_item) == rows_of_item[item]:
                    yield Excluded(self.items[item], None, reason)
                    continue
                for output, of_output in groupby(failed_of_item, outputs.__getitem__):
                    references = [self.reference_of[row] for row in of_output]
                    system = self.segmenters[output % len(self.segmenters)]
                    if len(references) == rows_of_output[output]:
                        yield Excluded(self.items[item], system, reason)
                    else:
                        for c in references:
                            yield Excluded(self.items[item], system, f"against coder {self.coders[c]!r}: {reason}")
        for reason, rows in rows_by_reason.items():
            for row in rows:
                if self._of_bounds[row] and (items[row], self.reference_of[row]) not in self.failed_references:
                    bound = self.segmenters[self.segmenter_of[row]].removeprefix(BOUND_PREFIX)
                    yield Excluded(self.items[items[row]], f"({bound})", reason)


class Pairing:
    """The pairs of segmenters and coders that are scored, for any number of measures."""

    # The annotations of an item are compared under every measure, so their arrays are shared between measures.

    def __init__(self, participants: Participants, segmenters: Annotations, *, human: bool = False) -> None:
        self.participants = participants
        self.segmenters = segmenters
        self.human = human
        self.coders = tuple(sorted(participants.coder_names))
        self.items = tuple(sorted(participants.items))
        self._tables: dict[str, PairTable] = {}

    def table(self, measure: Measure) -> PairTable:
        kind = reference_kind(measure)
        if kind not in self._tables:
            if self.human and kind == "each":
                coders = [len(by_coder) for by_coder in self.participants.coders.values()]
                hint = "choose fewer coders with Corpus.select, or leave out the bounds with --no-bounds (bounds=False)"
                check_memory(
                    "comparing every coder with every other", PAIR_BYTES * sum(n * (n - 1) for n in coders), hint
                )
            self._tables[kind] = _list_pairs(self, kind)
        return self._tables[kind]

    def score(self, measure: Measure) -> PairScores:
        table = self.table(measure)
        batch = None if measure.needs_pairs else table.batch
        scores = score_many(table.pairs, measure) if batch is None else _score_in_blocks(measure, batch)
        names = (*self.segmenters, HUMAN) if self.human else tuple(self.segmenters)
        segmenter, item, reference, author = table.keys.T
        return PairScores(measure, names, self.items, self.coders, segmenter, item, reference, author, scores)


def _score_in_blocks(measure: Measure, batch: Batch) -> Scores:
    """Score a batch in blocks, so that the boundaries of both sides of all pairs need not be in memory together."""
    work = batch.work
    cuts = np.unique(searchsorted(work[:-1], np.arange(work[0], work[-1], BLOCK_BOUNDARIES)))
    types, misfits = measure.scale(batch) if len(cuts) > 1 else (UNTYPED, {})
    if len(cuts) < 2 or misfits or measure.convert(batch)[0] is not batch:
        return score_packed(measure, measure.pack_batch(batch, np.arange(len(batch))), len(batch))
    blocks: list[dict[str, Any]] = []
    errors: dict[int, CaesuraError] = {}
    for begin, end in pairwise([*cuts.tolist(), len(batch)]):
        rows = np.arange(begin, end)
        packed, places, problems = measure.pack_batch(batch.take(rows), rows - begin)
        block = score_packed(measure, (packed.over(types), places, problems), len(rows))
        blocks.append({"values": block.values, "counts": block.counts} | block.resolved)
        errors |= {begin + row: error for row, error in block.errors.items()}
    # A block of which no pair could be scored has no resolved options.
    joined = {
        name: np.concatenate([block.get(name, np.zeros_like(column, shape=len(block["values"]))) for block in blocks])
        for name, column in max(blocks, key=len).items()
    }
    values, counts = joined.pop("values"), joined.pop("counts")
    scored, places, _ = batch.over(types).drop(errors, np.arange(len(batch)))
    return Scores(measure, values, errors, types, counts, joined, scored, places)


def reference_kind(measure: Measure) -> str:
    """Return what a measure compares an annotation with."""
    return "all" if measure["references"] is not None else "marks" if measure.accepts_marks else "each"


@dataclass(frozen=True, eq=False)
class PairTable:
    """Pairs of annotations, sorted by item."""

    annotations: list[Any]  # annotations and marks that occur in the pairs
    first: Ints  # numbers of the first annotations of the pairs
    second: Ints
    keys: Ints  # one row per pair: segmenter, item, reference and author, as in ``PairScores``

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        first, second = self.first.tolist(), self.second.tolist()
        return [(self.annotations[a], self.annotations[b]) for a, b in zip(first, second, strict=True)]

    @cached_property
    def texts(self) -> Texts | None:
        """The table of all annotations; None if some are lists of references."""
        return Texts.of(self.annotations)

    @cached_property
    def batch(self) -> Batch | None:
        return None if self.texts is None else self.texts.pairs(self.first, self.second)


def _list_pairs(pairing: Pairing, kind: str) -> PairTable:
    """Return all pairs, item by item: every segmenter against its references, then every coder against the others."""
    place = {coder: i for i, coder in enumerate(pairing.coders)}
    annotations: list[Any] = []
    rows: dict[int, int] = {}  # a bound may be the same annotation on many items, and is then listed once
    coders: list[tuple[int, int, int]] = []  # item, coder, annotation
    outputs: list[tuple[int, int, int, int, int]] = []  # item, segmenter, author, annotation, joint reference
    for i, item in enumerate(pairing.items):
        by_coder = dict(sorted(pairing.participants.coders[item].items()))
        authors = [(place[coder], row) for row, coder in enumerate(by_coder, len(annotations))]
        coders += ((i, author, row) for author, row in authors)
        annotations += by_coder.values()
        joint = len(annotations)
        if kind != "each":
            annotations += _joint_references(by_coder, kind, pairing.human)
        for s, by_item in enumerate(pairing.segmenters.values()):
            if item in by_item:
                row = rows.setdefault(id(by_item[item]), len(annotations))
                outputs.append((i, s, -1, row, joint))
                if row == len(annotations):
                    annotations.append(by_item[item])
        if pairing.human and len(by_coder) > 1:
            human = len(pairing.segmenters)
            outputs += ((i, human, author, row, joint + k) for k, (author, row) in enumerate(authors, 1))
    item_of, segmenter, author, second, first = np.array(outputs, np.int64).reshape(-1, 5).T
    reference = np.full(len(first), -1)
    if kind == "each":  # join both tables by item; a coder is compared with all others
        item_of_coder, coder, annotation = np.array(coders, np.int64).reshape(-1, 3).T
        off = searchsorted(item_of_coder, np.arange(len(pairing.items) + 1))
        number = np.diff(off)[item_of]
        a = repeat(np.arange(len(item_of)), number)
        b = np.arange(len(a)) + repeat(off[item_of] - np.cumsum(number) + number, number)
        others = author[a] != coder[b]
        a, b = a[others], b[others]
        item_of, segmenter, author, second = item_of[a], segmenter[a], author[a], second[a]
        first, reference = annotation[b], coder[b]
    return PairTable(annotations, first, second, np.column_stack([segmenter, item_of, reference, author]))


def _joint_references(by_coder: Mapping[str, Annotation], kind: str, human: bool) -> list[Any]:
    """Return one reference from all coders, and for each coder one from the others."""
    annotations = list(by_coder.values())
    groups = [annotations]
    if human and len(annotations) > 1:
        groups += [annotations[:i] + annotations[i + 1 :] for i in range(len(annotations))]
    if kind == "all":
        return [tuple(group) for group in groups]
    # A dialogue has no marks. It is passed on unchanged, and the measure raises the error.
    if not all(isinstance(annotation, Segmentation) for annotation in annotations):
        return [group[0] for group in groups]
    return Marks.of_groups(cast(list[Segmentation], annotations), leave_one_out=len(groups) > 1)


def score_pairs(
    participants: Participants, measure: Measure, segmenters: Annotations, *, human: bool = False
) -> PairScores:
    return Pairing(participants, segmenters, human=human).score(measure)
