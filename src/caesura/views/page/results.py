"""Everything that a report shows, computed once. What has no meaning for a corpus is the reason why, in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.coefficients import agreement
from caesura.agreement.pairwise import Pairwise, pairwise
from caesura.agreement.placed import Heat, Placed, boundaries_placed, boundary_heat
from caesura.errors import CaesuraError, InputError, OptionError, Undefined
from caesura.gold.result import Gold
from caesura.gold.unify import unify
from caesura.judging.judge import judge
from caesura.judging.result import Judgement
from caesura.measures.base import Measure
from caesura.measures.fuzzy import FuzzyScore
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.score import Score
from caesura.model.segmentation import Segmentation
from caesura.statistics import bootstrap
from caesura.tasks.agree import AgreementOutcome
from caesura.views.page.subject import Subject
from caesura.views.page.texts import Texts, texts_of

__all__ = ["STEPS", "Parser", "Results", "results_of"]

STEPS = 7
"""How many analyses there are beside the texts, for a bar of progress."""

Told = Callable[[], None]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Parser:
    """A parser against one treebank under one measure."""

    system: str
    coder: str
    score: Score
    interval: tuple[float, float] | None
    """None with a single sentence."""


@dataclass(frozen=True, eq=False)
class Results:
    """What the sections show. A string stands for a result that cannot be, and says why."""

    subject: Subject
    agreement: list[AgreementOutcome] | str
    pairs: list[Pairwise] | str
    clustering: Clustering | str
    placed: Placed | str
    heat: tuple[Heat, ...] | str
    precision_recall: Judgement | Pairwise | str
    judgement: Judgement | str | None
    """None where there are no programs, or where these are parsers."""
    parsers: list[Parser] | str | None
    """None where there are no parsers among the coders."""
    fuzzy: list[tuple[str, str, FuzzyScore]] | str | None
    """Item, program and what fuzzy success makes of its boundaries."""
    golds: dict[str, Gold] | None
    """None where there are no hierarchies."""
    texts: Texts = field(repr=False)


def results_of(subject: Subject, told: Told) -> Results:
    """Compute it all; ``told`` is called after each step, and for each item of the texts."""
    texts = texts_of(subject, told)
    found = _or_why(lambda: _agreement(subject), told)
    pairs = _or_why(lambda: _pairs(subject), told)
    clustering = _or_why(lambda: _clustering(subject), told)
    placed = _or_why(lambda: _placed(subject), told)
    heat = _or_why(lambda: _heat(subject, texts), told)
    judgement = _or_why(lambda: _judgement(subject), told)
    return Results(
        subject=subject,
        agreement=found,
        pairs=pairs,
        clustering=clustering,
        placed=placed,
        heat=heat,
        precision_recall=_or_why(lambda: _precision_recall(subject, judgement)),
        judgement=judgement,
        parsers=_or_why(lambda: _parsers(subject)),
        fuzzy=_or_why(lambda: _fuzzy(subject, texts)),
        golds=_golds(subject, told),
        texts=texts,
    )


def _or_why(make: Callable[[], T], told: Told | None = None) -> T | str:
    """The result, or why there is none."""
    try:
        return make()
    except CaesuraError as problem:
        return str(problem)
    finally:
        if told is not None:
            told()


def _agreement(subject: Subject) -> list[AgreementOutcome]:
    """One coefficient over each measure: those of ``caesura agree``."""
    if subject.kind == "trees":
        raise OptionError("agreement beyond chance is not defined over trees; the pairs below say how far parses agree")
    corpus = subject.of_people(subject.corpus)
    found = []
    for measure in subject.measures:
        name = "kappa" if measure.view in ("streams", "spans") else "multi_pi"
        try:
            result = agreement(corpus, measure=measure, coefficient=name, seed=subject.seed, chance=_chance(measure))
        except (Undefined, OptionError) as problem:
            found.append(AgreementOutcome(name, measure, None, str(problem)))
        else:
            subject.excluded.extend(
                f"item {entry.item!r} left out of agreement: {entry.reason}" for entry in result.excluded
            )
            found.append(AgreementOutcome(name, measure, result))
    return found


def _pairs(subject: Subject) -> list[Pairwise]:
    """Under every measure that can score some pair; what PARSEVAL cannot score, Struct-IoU often can."""
    found = []
    failed: dict[str, CaesuraError] = {}
    for measure in subject.measures:
        try:
            one = pairwise(subject.corpus, measure)
        except CaesuraError as problem:
            failed[measure.label] = problem
            continue
        found.append(one)
        if subject.kind == "trees":  # elsewhere agreement has named them
            subject.excluded.extend(
                f"item {entry.item!r} left out of {measure.label}: {entry.reason}" for entry in one.excluded
            )
    if not found:
        raise next(iter(failed.values()))
    subject.excluded.extend(f"no pairs under {label}: {problem}" for label, problem in failed.items())
    return found


def _chance(measure: Measure) -> str | None:
    """Exact where that can be, so that a report does not depend on draws."""
    return "exact" if measure.supports_exact_chance else None


def _clustering(subject: Subject) -> Clustering:
    if subject.kind == "trees":
        raise OptionError("clusters of coders need agreement beyond chance, which is not defined over trees")
    if len(subject.corpus.coders) < 3:
        raise OptionError(f"clusters need at least three coders; got {len(subject.corpus.coders)}")
    measure = subject.measures[0]
    return cluster_coders(subject.corpus, measure, seed=subject.seed, chance=_chance(measure))


def _placed(subject: Subject) -> Placed:
    if subject.texts is None:
        raise OptionError("trees have no boundaries")
    return boundaries_placed(subject.texts)


def _heat(subject: Subject, texts: Texts) -> tuple[Heat, ...]:
    if subject.texts is None:
        raise OptionError("trees have no boundaries")
    shown = [item.name for item in texts.items]
    if not shown:
        raise OptionError("the texts are too long to show")
    return boundary_heat(subject.of_people(subject.texts.select(items=shown)))


def _judgement(subject: Subject) -> Judgement | None:
    if not subject.systems or subject.texts is None:
        return None
    # Hierarchies are judged by their boundaries, levels as types.
    given = None if subject.kind == "hierarchies" else _judged_by(subject)
    found = judge(subject.texts, subject.systems, measures=given, seed=subject.seed)
    subject.excluded.extend(map(str, found.excluded))
    return found


def _judged_by(subject: Subject) -> tuple[Measure, ...] | None:
    """What was asked for, with precision and recall; where nothing was, what ``judge`` takes by default."""
    if len(subject.measures) > 1:
        return None
    confusion = () if subject.kind == "dialogues" else (parse("boundary_confusion(n_t=2)"),)
    return tuple(dict.fromkeys((*subject.measures, *confusion)))


def _parsers(subject: Subject) -> list[Parser] | None:
    """Every parser against every treebank, with a bootstrap interval over sentences."""
    if not subject.systems or subject.kind != "trees":
        return None
    found = []
    for measure, system, coder in product(subject.measures, subject.systems, subject.people):
        gold, predicted = subject.corpus.of_coder(coder), subject.corpus.of_coder(system)
        pairs: list[Any] = [(gold[item], predicted[item]) for item in gold if item in predicted]
        scores = score_many(pairs, measure)
        rows = scores.scored
        if not rows.size:
            continue
        interval = None
        if rows.size > 1:
            drawn = bootstrap(scores.counts[rows], partial(_finish, measure, scores.types), seed=subject.seed)
            interval = (drawn.low, drawn.high)
        found.append(Parser(system, coder, scores.over(rows), interval))
    return found


def _finish(measure: Measure, types: tuple[str, ...], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return measure.finish(parts, types)


def _precision_recall(subject: Subject, judgement: Judgement | str | None) -> Judgement | Pairwise:
    if subject.kind in ("dialogues", "trees"):
        raise OptionError(
            f"B-precision and B-recall are of boundaries without streams; the corpus holds {subject.kind}"
        )
    if isinstance(judgement, Judgement):
        return judgement
    assert subject.texts is not None
    return pairwise(subject.texts, "boundary_confusion(n_t=2)", ordered=True)


def _fuzzy(subject: Subject, texts: Texts) -> list[tuple[str, str, FuzzyScore]] | None:
    """Every program on every item that is shown."""
    if not subject.systems or subject.texts is None:
        return None
    if subject.kind == "dialogues":
        raise OptionError(f"fuzzy success is of boundaries without streams; the corpus holds {subject.kind}")
    measure = parse("fuzzy_success")
    found: list[tuple[str, str, FuzzyScore]] = []
    why: InputError | None = None
    for item in (one.name for one in texts.items):
        by_coder = {name: one for name, one in subject.texts.of_item(item).items() if isinstance(one, Segmentation)}
        people = [one for name, one in by_coder.items() if name in subject.people]
        for name in subject.systems:
            if name not in by_coder or not people:
                continue
            try:
                score = measure.score(Marks.of(people), by_coder[name])
            except InputError as problem:
                why = problem
                continue
            assert isinstance(score, FuzzyScore)
            found.append((item, name, score))
    if not found and why is not None:
        raise why
    return found


def _golds(subject: Subject, told: Told) -> dict[str, Gold] | None:
    """The union without conflicts of what people drew, item by item."""
    if subject.kind != "hierarchies":
        told()
        return None
    golds = {}
    people = subject.of_people(subject.corpus)
    for item in people.item_names:
        drawn = {coder: one for coder, one in people.of_item(item).items() if isinstance(one, Hierarchy)}
        try:
            golds[item] = unify(drawn)
        except InputError as problem:
            subject.excluded.append(f"no gold for item {item!r}: {problem}")
    told()
    return golds
