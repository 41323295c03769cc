"""Sentences about scores of segmentations and trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from caesura.model.result import Score
from caesura.model.value import count_of
from caesura.views.answers.words import join, short

if TYPE_CHECKING:  # commands with other results must not import these
    from caesura.evaluation.result import Evaluation
    from caesura.tasks.score import Scoring
    from caesura.tasks.trees import TreeStudy


def score_answer(scoring: Scoring) -> str:
    first = next(entry for entry in scoring.scores if entry.item is None and entry.coder is None)
    sentence = _scores_sentence(scoring.totals, "item")
    if first.chance is None:
        return sentence
    beyond = (
        ""
        if first.chance.beyond is None
        else f"; the score is {short(first.chance.beyond)} of the way from there to the best"
    )
    label = first.score.measure.label
    return f"{sentence} Boundaries placed at random would have {label} = {short(first.chance.value)}{beyond}."


def evaluation_answer(evaluation: Evaluation) -> str:
    return _scores_sentence([*evaluation.scores.values()], "document")


def _scores_sentence(totals: Sequence[Score], unit: str) -> str:
    first, *others = totals
    documents = count_of(first.documents, unit)
    beginning = _boundary_counts(first)
    figure = f"{score_figure(first)} over {documents}"
    figure += _error_rates([first])
    sentence = f"{beginning}: {figure}." if beginning else f"{figure}."
    further = [score_figure(score) for score in others]
    return f"{sentence} Also {join(further)}{_error_rates(others)}." if further else sentence


# Counts of boundary pairs -> text for one, and for several
_COUNTS = {
    "matches": ("1 boundary matches", "{:,} boundaries match"),
    "transpositions": ("1 is a near miss", "{:,} are near misses"),
    "substitutions": ("1 has different types", "{:,} have different types"),
    "additions": ("1 is on one side only", "{:,} are on one side only"),
}


def _boundary_counts(score: Score) -> str:
    """Say how many boundaries match, are near misses, or stand on one side only, if the measure counts them."""
    if not set(_COUNTS) <= set(score.parts):
        return ""
    counts = {name: int(score.parts[name]) for name in _COUNTS}
    total = sum(counts.values())
    if not total:
        return "Neither side has a boundary"
    texts = [_COUNTS[name][number > 1].format(number) for name, number in counts.items() if number]
    return join(texts) if counts["matches"] else f"no boundary matches, {join(texts)}".capitalize()


def score_figure(score: Score) -> str:
    """Return a score for a sentence: name, value, precision and recall."""
    measure: Any = score.measure
    text = f"{measure.label} = {short(score.value)}"
    notes = [f"{name} {short(score.figures[name])}" for name in ("precision", "recall") if name in score.figures]
    return f"{text} ({', '.join(notes)})" if notes else text


def _error_rates(scores: Sequence[Score]) -> str:
    """Say in brackets for which scores 0 is best: error rates, and distances, which have no largest value."""
    measures: list[Any] = [score.measure for score in scores]
    rates = [measure.label for measure in measures if measure.best == 0 and measure.worst is not None]
    distances = [measure.label for measure in measures if measure.best == 0 and measure.worst is None]
    notes = [_zero_is_best(rates, "an error rate", "error rates"), _zero_is_best(distances, "a distance", "distances")]
    listed = "; ".join(filter(None, notes))
    return f" ({listed})" if listed else ""


def _zero_is_best(labels: Sequence[str], singular: str, plural: str) -> str:
    return f"{join(labels)}: {singular if len(labels) == 1 else plural}, 0 is best" if labels else ""


def trees_answer(study: TreeStudy) -> str:
    block = study.parseval.all
    sentences = count_of(block.valid, "sentence")
    if not block.valid:
        return "No sentence could be scored."
    percent = {name: f"{100 * getattr(block, name):.1f}" for name in ("f", "precision", "recall", "complete")}
    text = (
        f"The predicted brackets have F1 {percent['f']} % (precision {percent['precision']}, recall {percent['recall']}) "
        f"over {sentences}; {percent['complete']} % of the sentences are completely right."
    )
    scored = len(study.struct_iou.scores.scored)
    return f"{text} Struct-IoU = {short(study.struct_iou.total.value)}." if scored else text
