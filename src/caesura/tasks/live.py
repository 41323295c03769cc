"""What a live page shows under parameters that change, and the scores of a scratch copy of one annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.agreement.coefficients import Observation, has_positions, observe
from caesura.agreement.families import default_coefficient
from caesura.agreement.result import Agreement
from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.measures.registry import measures as registered_measures
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, texts_of
from caesura.model.index import bincount
from caesura.model.reading import length_of
from caesura.model.result import Excluded, Result
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats
from caesura.tasks.agree import AgreementOutcome
from caesura.tasks.alignments import Alignments, align_coders
from caesura.tasks.report import exact_chance
from caesura.tasks.report_subject import Subject, aligner_for

# Position and type of a boundary; None if the corpus has no types.
Boundary = tuple[int, str | None]
_MAX_TRIAL = 2000  # units of an item with which measures are tried


@dataclass(frozen=True)
class SystemValue:
    system: str
    value: float  # value of the measure over all items and human coders, from summed parts


@dataclass(frozen=True, eq=False, kw_only=True)
class LiveResult(Result):
    """The parts of a report that change with its parameters."""

    measure: Measure  # measure that compares coders
    aligner: Measure
    agreement: AgreementOutcome  # agreement of the human coders beyond chance, or the reason why it is undefined
    pairs: Mapping[tuple[str, str], float]  # over the common items of two coders, systems included
    # Item -> mean value of its pairs of human coders; of all pairs if there is only one human coder.
    items: Mapping[str, float]
    # Item -> number of edits that are no matches; None if that takes too long to count at once.
    disagreements: Mapping[str, int] | None
    systems: tuple[SystemValue, ...]
    people: float | None  # value over all pairs of human coders, with which the systems can be compared
    excluded: tuple[Excluded, ...]


def select_coders(subject: Subject, coders: Sequence[str]) -> Subject:
    chosen = [name for name in subject.corpus.coders if name in coders]
    people = tuple(name for name in subject.human_coders if name in chosen)
    if len(chosen) < 2 or not people:
        raise OptionError("choose at least two coders, one of them a person")
    if len(chosen) == len(subject.corpus.coders):
        return subject
    return replace(
        subject,
        corpus=subject.corpus.select(coders=chosen),
        boundaries=subject.boundaries.select(coders=[name for name in chosen if name in subject.boundaries.coders]),
        human_coders=people,
        systems=tuple(name for name in subject.systems if name in chosen),
    )


class LiveComputation:
    """Computes what a live page shows for one choice of coders, under one measure after the other."""

    # The arrays of the last measure are used again, so that a new value of an option costs little more than the kernel.

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._people = subject.without_systems(subject.corpus)
        self._has_positions = has_positions(self._people)
        self._observations: dict[str, Observation] = {}  # the last scores of each measure
        self._pairs: dict[tuple[str, str], CoderPairs] = {}  # the same, by purpose and measure

    def result(self, measure: Measure) -> LiveResult:
        subject = self.subject
        outcome = self._agreement(measure)
        pairs = self._all_pairs(measure)
        aligner = aligner_for(measure, subject.corpus)
        values = measure.values(pairs.scores.counts, pairs.scores.types)
        names = [(pairs.coders[first], pairs.coders[second]) for first, second in pairs.pairs]
        return LiveResult(
            measure=measure,
            aligner=aligner,
            agreement=outcome,
            pairs=dict(zip(names, measure.values(pairs.pair_parts, pairs.scores.types).tolist(), strict=True)),
            items=_item_means(subject, pairs, values),
            disagreements=self._disagreements(aligner, pairs),
            systems=_systems(subject, pairs),
            people=_value_of(pairs, _members(pairs, subject.human_coders, subject.human_coders)),
            excluded=pairs.excluded,
        )

    def _agreement(self, measure: Measure) -> AgreementOutcome:
        name = default_coefficient(measure, has_positions=self._has_positions)
        if self.subject.kind == "trees":
            reason = "agreement beyond chance is not defined over trees"
            return AgreementOutcome(None, reason, coefficient=name, measure=measure)

        def compute() -> Agreement:
            chance, seed = exact_chance(measure), self.subject.seed
            last = self._observations.pop(measure.name, None)
            scores = observe(self._people, measure, name, chance=chance, seed=seed, previous=last)
            self._observations[measure.name] = scores
            return scores.agreement()

        return AgreementOutcome.attempt(compute, (Undefined, OptionError), coefficient=name, measure=measure)

    def _all_pairs(self, measure: Measure) -> CoderPairs:
        """Return the scores of all pairs, systems included; those of the agreement if they are the same."""
        observation = self._observations.get(measure.name)
        if observation is not None and not self.subject.systems:
            pairs = observation.pairs
            if pairs.measure == measure and not pairs.ordered:
                return pairs
        return self._score("pairs", self.subject.corpus, measure)

    def _score(self, purpose: str, corpus: Corpus, measure: Measure) -> CoderPairs:
        key = (purpose, measure.name)
        last = self._pairs.get(key)
        pairs = None if last is None else last.rescored(measure)
        self._pairs[key] = pairs or score_coder_pairs(corpus, measure, corpus_order=True)
        return self._pairs[key]

    def _disagreements(self, aligner: Measure, pairs: CoderPairs) -> dict[str, int] | None:
        """Count the edits of each item. With equal costs the sides matter, so they must be in the order of the corpus."""
        subject = self.subject
        in_order = [name for name in subject.corpus.coders if name in pairs.coders] == list(pairs.coders)
        if pairs.measure != aligner or not in_order:
            if subject.kind == "trees":
                return None
            try:
                pairs = self._score("alignment", subject.boundaries, aligner)
            except CaesuraError:
                return {}
        numbers = aligner.count_disagreements(pairs.scores.counts, pairs.scores.types)
        if numbers is None:
            return None
        counts = bincount(pairs.item_index, numbers, len(pairs.items)).astype(int)
        return dict(zip(pairs.items, counts.tolist(), strict=True))


def measure_problems(subject: Subject) -> dict[str, str | None]:
    """Return the measures that compare such data, and what prevents each from comparing the first two coders."""
    pair = _shortest_pair(subject.corpus)
    problems: dict[str, str | None] = {}
    for name, measure_class in registered_measures().items():
        if subject.kind not in measure_class.kinds:
            continue
        problems[name] = None
        try:
            if pair is not None:
                measure_class().score(*pair)
        except CaesuraError as error:
            problems[name] = str(error)
    return problems


def _shortest_pair(corpus: Corpus) -> tuple[Any, Any] | None:
    """Return two annotations of the shortest item that has two, if it is short; a trial must not take long."""
    pairs = [list(corpus.of_item(item).values())[:2] for item in corpus.item_names]
    full = [(first, second) for first, second, *_ in filter(lambda pair: len(pair) == 2, pairs)]
    short = min(full, key=lambda pair: length_of(pair[0]), default=None)
    return short if short is not None and length_of(short[0]) <= _MAX_TRIAL else None


def boundary_types(subject: Subject) -> tuple[str, ...]:
    names = dict.fromkeys(name for streams in _streams(subject) for text in streams.values() for name in text.types)
    return () if set(names) <= set(UNTYPED) else tuple(names)


def stream_names(subject: Subject) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for streams in _streams(subject) for name in streams))


def _streams(subject: Subject) -> list[Mapping[str, Segmentation]]:
    """Return the segmentations of every annotation, by stream; trees have none."""
    return [texts_of(entry) for entry in subject.boundaries.values()] if subject.kind != "trees" else []


def align_items(subject: Subject, aligner: Measure, items: Sequence[str]) -> Alignments:
    known = frozenset(subject.boundaries.item_names)
    present = [item for item in items if item in known]
    try:
        part = subject.boundaries.select(items=present)
        return align_coders(part, aligner)
    except OptionError:
        return Alignments()


def _systems(subject: Subject, pairs: CoderPairs) -> tuple[SystemValue, ...]:
    """Return the value of each system against all human coders, the best first."""
    values = {name: _value_of(pairs, _members(pairs, (name,), subject.human_coders)) for name in subject.systems}
    sign = -1 if pairs.measure.higher_is_better else 1
    known = [SystemValue(name, value) for name, value in values.items() if value is not None]
    return tuple(sorted(known, key=lambda entry: (sign * entry.value, entry.system)))


def _item_means(subject: Subject, pairs: CoderPairs, values: Floats) -> dict[str, float]:
    """Return the mean value of the pairs of human coders on each item, as the report does."""
    people = _members(pairs, subject.human_coders, subject.human_coders)
    chosen = np.isin(pairs.pair_index, people) if people else np.ones(len(values), bool)
    numbers = bincount(pairs.item_index[chosen], minlength=len(pairs.items))
    sums = bincount(pairs.item_index[chosen], values[chosen], len(pairs.items))
    return {
        item: total / number
        for item, total, number in zip(pairs.items, sums.tolist(), numbers.tolist(), strict=True)
        if number
    }


def _members(pairs: CoderPairs, some: Sequence[str], others: Sequence[str]) -> list[int]:
    """Return the places of the pairs with one coder of each group."""
    names = [{pairs.coders[first], pairs.coders[second]} for first, second in pairs.pairs]
    return [
        place
        for place, (first, second) in enumerate(map(tuple, names))
        if (first in some and second in others) or (second in some and first in others)
    ]


def _value_of(pairs: CoderPairs, places: Sequence[int]) -> float | None:
    if not places:
        return None
    total: Floats = pairs.pair_parts[list(places)].sum(axis=0, keepdims=True)
    return float(pairs.measure.values(total, pairs.scores.types)[0])


# -- what if a coder had placed a boundary elsewhere? -----------------------------------------------------------------------


@dataclass(frozen=True)
class WhatIfValue:
    measure: Measure
    before: float | None  # value of the annotation as it is in the corpus; None if it is undefined
    after: float | None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class WhatIf(Result):
    item: str
    coder: str  # coder whose annotation was copied: the hypothesis
    against: str  # coder that it is compared with: the reference
    values: tuple[WhatIfValue, ...]  # one entry per measure


def score_scratch_copy(
    subject: Subject,
    *,
    item: str,
    coder: str,
    against: str,
    boundaries: Sequence[Boundary],
    stream: str = "",
    measure: Measure | None = None,
) -> WhatIf:
    """Score a scratch copy of an annotation against another coder, beside the annotation itself."""
    if subject.kind == "trees":
        raise OptionError("trees have no boundaries to move")
    by_coder = subject.boundaries.of_item(item)
    for name in (coder, against):
        if name not in by_coder:
            raise OptionError(f"item {item!r} was not annotated by {name}")
    original, reference = by_coder[coder], by_coder[against]
    scratch = _changed(original, boundaries, stream)
    kind = "dialogue" if isinstance(original, Dialogue) else "linear"
    measures = default_measures("score", kind)
    if measure is not None and kind in measure.kinds:
        measures = tuple(dict.fromkeys((measure, *measures)))
    values = tuple(_compare(entry, reference, original, scratch) for entry in measures)
    return WhatIf(item, coder, against, values)


def _changed(original: object, boundaries: Sequence[Boundary], stream: str) -> Segmentation | Dialogue:
    if isinstance(original, Dialogue):
        if stream not in original:
            raise OptionError(f"there is no stream {stream!r}")
        entry = original[stream]
        assert isinstance(entry, Segmentation)
        return Dialogue({**original, stream: _with_boundaries(entry, boundaries)})  # type: ignore[arg-type]
    assert isinstance(original, Segmentation)
    return _with_boundaries(original, boundaries)


def _with_boundaries(text: Segmentation, boundaries: Sequence[Boundary]) -> Segmentation:
    by_position: dict[int, list[str]] = {}
    for position, name in boundaries:
        by_position.setdefault(position, []).append(name or UNTYPED[0])
    positions = sorted(by_position)
    if set(text.types) <= set(UNTYPED):
        inner = [position for position in positions if position != text.length]
        return Segmentation.from_positions(text.length, inner, units=text.units)
    marks = [sorted(set(by_position[position])) for position in positions]
    return Segmentation.from_positions(text.length, positions, marks=marks, types=text.types, units=text.units)


def _compare(measure: Measure, reference: object, original: object, scratch: object) -> WhatIfValue:
    values: list[float | None] = []
    reason = None
    for hypothesis in (original, scratch):
        try:
            values.append(measure.score(reference, hypothesis).value)
        except CaesuraError as error:
            values.append(None)
            reason = str(error)
    return WhatIfValue(measure, values[0], values[1], reason)
