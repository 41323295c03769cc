"""Test whether a system could replace a coder: drop in agreement and alternative annotator test."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from caesura.agreement.coefficients import CoderSubsets
from caesura.agreement.families import default_coefficient
from caesura.agreement.unitizing import shared_store
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.agreement.unitizing_scores import unitizing_value
from caesura.errors import InputError, LimitError
from caesura.judging.pair_scores import HUMAN, PairScores, score_pairs
from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.index import bincount, searchsorted
from caesura.model.value import Floats
from caesura.statistics import AlternativeTest
from caesura.statistics.multiple import annotator_tests

MIN_CODERS = 3  # fewest coders for the alternative annotator test
MIN_ITEMS = 2  # fewest items of each coder


@dataclass(frozen=True, slots=True)
class AgreementDrop:
    """Drop in the coders' agreement when a system joins them, on items with the system and at least two coders."""

    system: str
    # ``without_system`` minus ``with_system``: 0 or below if the system agrees with the coders as well as they agree with each
    # other.
    value: float | None = None
    without_system: float | None = None  # agreement among the coders
    with_system: float | None = None  # agreement among the coders and the system
    coefficient: str = ""
    measure: Measure | None = None  # measure of the coefficient; None for coefficients of spans
    items: int = 0
    reason: str | None = None  # reason why there is no value
    # Coder -> coefficient of the system and this coder alone, for coefficients of spans.
    with_coders: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replacement:
    system: str
    test: AlternativeTest | None
    coders: tuple[str, ...]  # names of the coders, in the order of ``test.coders``
    measure: Measure
    reason: str | None = None  # reason why there is no test


def agreement_drop(participants: Participants, system: str, measure: Measure, seed: int) -> AgreementDrop:
    coefficient = default_coefficient(measure, has_positions=participants.kind != "timed")
    items = _items_with_agreement(participants, system)
    drop = partial(AgreementDrop, system=system, coefficient=coefficient, measure=measure)
    if not items:
        reason = f"no item of {system} has two coders"
        return drop(reason=reason if len(participants.coder_names) > 1 else "expected at least two coders; got one")
    try:
        corpus = participants.to_corpus(system=system).select(items=items)
        people = [coder for coder in corpus.coders if coder != system]
        subsets = CoderSubsets(corpus, measure, coefficient, seed=seed)
        b = subsets.value(corpus.coders)
        items = [item for item in items if item not in {entry.item for entry in subsets.excluded}]
        a = subsets.value(people)
    except InputError as error:
        return drop(items=len(items), reason=str(error))
    return drop(value=a - b, without_system=a, with_system=b, items=len(items))


def unitizing_drop(
    corpus: Corpus, system: str, annotations: Mapping[str, Annotation], coefficient: str, seed: int
) -> AgreementDrop:
    chosen = resolve_unitizing(coefficient, {})
    assert chosen is not None
    coders = {item: corpus.of_item(item) for item in corpus.item_names if item in annotations}
    items = [item for item, people in coders.items() if len(people) > 1]
    name = system if system not in corpus.coders else f"{system} (system)"
    everyone = _kept(
        (corpus, annotations),
        name,
        lambda: Corpus({item: {**people, name: annotations[item]} for item, people in coders.items()}),
    )
    with_coders: dict[str, float | None] = {}
    drop = partial(AgreementDrop, system=system, coefficient=coefficient, with_coders=with_coders)
    try:
        b, scored = unitizing_value(everyone, chosen, seed=seed, tables=True)
        together = scored.partners(name)
        others = [coder for coder in everyone.coders if coder in together and coder != name]
        with_coders.update({coder: scored.pair_value((coder, name)) for coder in others})
        if not items:
            return drop(reason=f"no item of {system} has two coders")
        if len(items) < len(coders):
            some = _kept((corpus, annotations), (name, *items), lambda: everyone.select(items=items))
            b, scored = unitizing_value(some, chosen, seed=seed, tables=False)
        names = {item.name for item in scored.items}
        people = corpus
        if len(names) < len(corpus.item_names):
            rest = [item for item in items if item in names]
            people = _kept((corpus, annotations), tuple(rest), lambda: corpus.select(items=rest))
        a, _ = unitizing_value(people, chosen, seed=seed, tables=False)
    except InputError as error:
        return drop(items=len(items), reason=str(error))
    return drop(value=a - b, without_system=a, with_system=b, items=len(names))


def _kept(owners: tuple[object, ...], name: Hashable, build: Callable[[], Corpus]) -> Corpus:
    """Return a corpus that coefficients which share results build once, because they share results of the same corpus."""
    shared = shared_store()
    if shared is None:
        return build()
    key = ("corpus", *map(id, owners), name)
    if key not in shared:
        shared[key] = owners, build()  # with its owners, so that their ids stay their own
    corpus: Corpus = shared[key][1]
    return corpus


def _items_with_agreement(participants: Participants, system: str) -> list[str]:
    """Return the items of a system that two coders annotated. Other items have no agreement that could drop."""
    by_item = participants.systems[system]
    return [item for item in participants.items if item in by_item and len(participants.coders[item]) > 1]


def too_few_coders(participants: Participants) -> str | None:
    """Return the reason why there are too few coders for the alternative annotator test, or None."""
    coders = len(participants.coder_names)
    if coders >= MIN_CODERS:
        return None
    return f"the alternative annotator test needs at least {MIN_CODERS} coders; got {coders}"


def replacement_tests(
    participants: Participants, measure: Measure, epsilon: float, scores: PairScores | None = None
) -> tuple[Replacement, ...]:
    reasons: dict[str, str | None] = dict.fromkeys(participants.systems, too_few_coders(participants))
    names = participants.coder_names
    if not all(reasons.values()):
        names = tuple(sorted(names))
        if scores is None or scores.measure != measure or HUMAN not in scores.segmenters:
            reasons = {system: _too_few_items(_shared_items(participants, system)) for system in reasons}
            try:  # score everything in one batch, over the same boundary types
                if not all(reasons.values()):
                    scores = score_pairs(participants, measure, participants.systems, human=True)
            except LimitError as error:
                reasons = dict.fromkeys(reasons, str(error))
    results = []
    for system, reason in reasons.items():
        test = None
        if scores is not None and not all(reasons.values()):
            differences = _differences(scores, system)
            reason = _too_few_items(dict(zip(names, map(len, differences), strict=True)))
            test = None if reason is not None else annotator_tests(differences, epsilon)
        results.append(Replacement(system, test, names, measure, reason))
    return tuple(results)


def _shared_items(participants: Participants, system: str) -> dict[str, int]:
    """Return the number of items that each coder shares with the system and another coder."""
    items = dict.fromkeys(sorted(participants.coder_names), 0)
    for item in _items_with_agreement(participants, system):
        for coder in participants.coders[item]:
            items[coder] += 1
    return items


def _too_few_items(items: Mapping[str, int]) -> str | None:
    """Return the reason if a coder shares too few items with the system and another coder, or None."""
    for coder, number in items.items():
        if number < MIN_ITEMS:
            return (
                f"coder {coder!r} must share at least {MIN_ITEMS} items with the system and another coder; got {number}"
            )
    return None


def _differences(scores: PairScores, system: str) -> list[Floats]:
    """Return S_h - S_f of each coder j by item: how much closer coder j is to the others than the system is."""
    # Both are means over the coders k whom the system and coder j are compared with.
    between, own = (scores.rows_of.get(name, np.empty(0, np.int64)) for name in (HUMAN, system))
    similarity = scores.measure.as_similarity(scores.scores.values)
    number, items = len(scores.coders), len(scores.items)
    keys = scores.item_of * number + scores.reference_of  # ascending in ``own``
    place = searchsorted(keys[own], keys[between])
    both = np.append(keys[own], -1)[place] == keys[between]
    of_coder, of_system = similarity[between[both]], similarity[own[place[both]]]
    group = scores.author_of[between[both]] * items + scores.item_of[between[both]]
    groups, places, counts = np.unique(group, return_inverse=True, return_counts=True)
    s_h, s_f = (bincount(places, values, len(groups)) / counts for values in (of_coder, of_system))
    return np.split(s_h - s_f, searchsorted(groups, items * np.arange(1, number)))
