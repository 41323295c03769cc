"""PARSEVAL and Struct-IoU of a test set, by sentence and by label, with the summaries that EVALB prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, cast

import numpy as np

from caesura.engines import Engine
from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.measures.many import Scores, score_many
from caesura.measures.parseval import Parseval, match_brackets, parseval_measure
from caesura.measures.structiou import LabelIoU, NodePair, StructIoU, iou_by_label
from caesura.model.result import HIDDEN, Excluded, Reasoned, Result, Score, keep_warnings, ratio
from caesura.model.tree import Tree
from caesura.model.value import Floats

# Trees sentence by sentence; None for a sentence without a tree.
Trees = Iterable[Tree | None]
# EVALB's status of a sentence.
SCORED, ERROR, SKIPPED = range(3)


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """PARSEVAL of one sentence. If the sentence could not be scored, ratios are None and counts are 0."""

    number: int  # from 1
    length: int  # words of the gold tree before deletion, without tags in ``delete_labels_for_length``
    status: int  # 0: scored. 1: error, because the words differ. 2: skipped, because the prediction has no words.
    recall: float | None
    precision: float | None
    matched: int  # numbers of brackets: those that match, all gold ones, all predicted ones
    gold: int
    predicted: int
    crossing: int  # predicted brackets that cross a gold bracket
    words: int
    correct_tags: int
    tagging_accuracy: float | None
    reason: str | None  # why the sentence could not be scored


@dataclass(frozen=True, slots=True)
class LabelCounts(Result):
    """Brackets of one label, after deletion; labels are cut at ``-`` or ``=``."""

    # Brackets with different labels may match (``equal_labels``, ``labelled=False``). Such a match counts for the gold label in
    # ``gold_matched`` and recall, and for the predicted label in ``predicted_matched`` and precision.

    json_properties: ClassVar[tuple[str, ...]] = ("recall", "precision", "f")

    label: str
    gold: int
    predicted: int
    gold_matched: int
    predicted_matched: int

    @property
    def recall(self) -> float:
        return ratio(self.gold_matched, self.gold, self.gold + self.predicted)

    @property
    def precision(self) -> float:
        return ratio(self.predicted_matched, self.predicted, self.gold + self.predicted)

    @property
    def f(self) -> float:
        """Matches of both sides divided by brackets of both sides."""
        return (self.gold_matched + self.predicted_matched) / (self.gold + self.predicted)


@dataclass(frozen=True, slots=True)
class ParsevalSummary(Reasoned):
    """The summary that EVALB prints at the end. Ratios are between 0 and 1; they are None if no sentence was scored."""

    max_length: int | None  # longest sentence that is counted; None for all
    sentences: int
    errors: int  # sentences with different words
    skipped: int  # sentences without a prediction
    valid: int  # scored sentences
    recall: float | None
    precision: float | None
    f: float | None
    unlabelled_recall: float | None
    unlabelled_precision: float | None
    unlabelled_f: float | None
    complete: float | None  # ratio of the sentences in which all brackets match
    unlabelled_complete: float | None
    average_crossing: float | None  # crossing brackets per sentence
    no_crossing: float | None  # ratio of the sentences without crossing brackets
    two_or_less_crossing: float | None
    tagging_accuracy: float | None

    @property
    def reason(self) -> str | None:
        return None if self.valid else "no sentence could be scored"


@dataclass(frozen=True, eq=False)
class ParsevalResult(Result):
    """Result of :func:`parseval_corpus`.

    Attributes
    ----------
    measure : Parseval
        The measure with its options.
    sentences : tuple of ParsedSentence
        One entry per sentence.
    all : ParsevalSummary
        Summary of all sentences.
    cutoff : ParsevalSummary
        Summary of the sentences that are no longer than the measure's ``cutoff``.
    scores : Scores
        The parts of every sentence.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("labels", "excluded", "signature")
    frame_field: ClassVar[str] = "sentences"

    measure: Parseval
    sentences: tuple[ParsedSentence, ...]
    all: ParsevalSummary
    cutoff: ParsevalSummary
    scores: Scores = field(repr=False, metadata=HIDDEN)

    @property
    def total(self) -> Score:
        """Score of all valid sentences, from summed parts; raises ``Undefined`` if no sentence is valid."""
        if not self.all.valid:
            example = next((f": sentence {entry.number}: {entry.reason}" for entry in self.sentences), "")
            raise Undefined(f"none of {len(self.sentences)} sentences could be scored{example}")
        return self.scores.total

    @property
    def signature(self) -> str | None:
        """Signature of ``total``; None if no sentence is valid."""
        return self.total.signature if self.all.valid else None

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """The sentences that could not be scored, by number."""
        failed = [(sentence.number, sentence.reason) for sentence in self.sentences if sentence.reason is not None]
        return tuple(Excluded(str(number), None, reason) for number, reason in failed)

    @cached_property
    def labels(self) -> tuple[LabelCounts, ...]:
        """Counts of every label that occurs, the most frequent in the gold trees first."""
        measure = self.measure
        counters = gold, predicted, gold_matched, predicted_matched = tuple(Counter[str]() for _ in range(4))
        for gold_side, predicted_side in measure.pairs_of(self.scores.batch):
            gold.update(bracket[2] for bracket in gold_side.brackets)
            predicted.update(bracket[2] for bracket in predicted_side.brackets)
            matches = match_brackets(gold_side, predicted_side, measure, labelled=measure.labelled)
            gold_matched.update(gold_side.brackets[i][2] for i, _ in matches)
            predicted_matched.update(predicted_side.brackets[j][2] for _, j in matches)
        names = sorted(gold | predicted, key=lambda label: (-gold[label], -predicted[label], label))
        return tuple(LabelCounts(name, *(counter[name] for counter in counters)) for name in names)


@keep_warnings
def parseval_corpus(
    gold: Trees,
    predicted: Trees,
    *,
    param: str | PathLike[str] | None = None,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
    **options: Any,
) -> ParsevalResult:
    """Compute PARSEVAL of a test set.

    Parameters
    ----------
    gold, predicted : iterable of Tree or None
        Trees sentence by sentence; None for a sentence without a tree.
    param : path, optional
        An EVALB parameter file.
    engine, workers, scheduler
        Where to compute; see :func:`~caesura.score_many`. Brackets are matched in Python, so processes help more than threads.
    **options : object
        Options of :func:`~caesura.parseval`.

    Returns
    -------
    ParsevalResult
        ``.all`` and ``.cutoff`` are EVALB's two summaries, ``.sentences`` its table, ``.labels`` the brackets by label,
        ``.total`` the score from summed parts.

    Raises
    ------
    MismatchError
        If the two sides have different numbers of sentences.

    Notes
    -----
    Sentences whose words differ are errors; predictions without words are skipped. Both are counted and listed with a
    reason, but not included in any figure. A parser that fails on hard sentences therefore looks better than it is, so
    check ``.all.valid``.

    Examples
    --------
    >>> from caesura import Tree
    >>> gold = [Tree.from_brackets("(S (NP (PRP She)) (VP (VBD slept)) (. .))"),
    ...         Tree.from_brackets("(S (NP (PRP He)) (VP (VBD got) (PRT (RP up))))"), None]
    >>> predicted = [Tree.from_brackets("(S (NP (PRP She)) (VP (VBD slept)) (. .))"),
    ...              Tree.from_brackets("(S (NP (PRP He)) (VP (VBD got)) (ADVP (RB up)))"), None]
    >>> result = parseval_corpus(gold, predicted)
    >>> result.all.sentences, result.all.valid, round(result.all.f, 4), result.all.complete
    (3, 2, 0.8571, 0.5)
    >>> result.sentences[2].status, result.sentences[2].reason
    (2, 'gold: there is no tree')
    >>> [(counts.label, counts.recall) for counts in result.labels]
    [('NP', 1.0), ('S', 1.0), ('VP', 0.5), ('PRT', 1.0), ('ADVP', 0.0)]
    """
    measure = parseval_measure(param, options)
    pairs: list[Any] = pair_trees(gold, predicted, "predicted")  # a missing tree is an error of its pair
    scores = score_many(pairs, measure, engine=engine, workers=workers, scheduler=scheduler)
    sentences = tuple(_sentence(i, pair, scores, measure) for i, pair in enumerate(pairs))
    every, cutoff = (_summary(sentences, scores, length) for length in (None, measure.cutoff))
    return ParsevalResult(measure, sentences, every, cutoff, scores)


def pair_trees(gold: Trees, predicted: Trees, name: str) -> list[tuple[Tree | None, Tree | None]]:
    gold_trees, predicted_trees = list(gold), list(predicted)
    for side, trees in (("gold", gold_trees), (name, predicted_trees)):
        for i, tree in enumerate(trees):
            if tree is not None and not isinstance(tree, Tree):
                raise MismatchError(f"{side}[{i}]: expected a Tree or None; got {type(tree).__name__}")
    if len(gold_trees) != len(predicted_trees):
        raise MismatchError(
            f"both sides must have the same sentences; gold has {len(gold_trees)}, {name} has {len(predicted_trees)}. "
            "Use None for a sentence without a parse"
        )
    return list(zip(gold_trees, predicted_trees, strict=True))


def _sentence(i: int, pair: tuple[Tree | None, Tree | None], scores: Scores, measure: Parseval) -> ParsedSentence:
    gold, predicted = pair
    status, reason = SCORED, None
    if i in scores.errors:
        has_words = predicted is not None and measure.brackets(predicted, predicted)[1].words
        status, reason = ERROR if has_words else SKIPPED, str(scores.errors[i])
    parts = dict(zip(scores.part_names, map(int, scores.counts[i].tolist()), strict=True))
    brackets = parts["gold"] + parts["predicted"]
    return ParsedSentence(
        number=i + 1,
        length=measure.length(gold),
        status=status,
        recall=None if status else ratio(parts["matched"], parts["gold"], brackets),
        precision=None if status else ratio(parts["matched"], parts["predicted"], brackets),
        **{name: parts[name] for name in ("matched", "gold", "predicted", "crossing", "words", "correct_tags")},
        tagging_accuracy=None if status else parts["correct_tags"] / parts["words"],
        reason=reason,
    )


def _summary(sentences: Iterable[ParsedSentence], scores: Scores, max_length: int | None) -> ParsevalSummary:
    included = [sentence for sentence in sentences if max_length is None or sentence.length <= max_length]
    status = Counter(sentence.status for sentence in included)
    valid = np.array([sentence.number - 1 for sentence in included if sentence.status == SCORED], np.int64)
    parts = scores.over(valid).parts if valid.size else {}

    def part_ratio(part: str, whole: str) -> float | None:
        return ratio(parts[part], parts[whole], parts["gold"] + parts["predicted"]) if parts else None

    by_sentence = ("complete", "unlabelled_complete", "no_crossing", "two_or_less_crossing")
    return ParsevalSummary(
        max_length=max_length,
        sentences=len(included),
        errors=status[ERROR],
        skipped=status[SKIPPED],
        valid=status[SCORED],
        recall=part_ratio("matched", "gold"),
        precision=part_ratio("matched", "predicted"),
        f=parts.get("f"),
        unlabelled_recall=part_ratio("unlabelled_matched", "gold"),
        unlabelled_precision=part_ratio("unlabelled_matched", "predicted"),
        unlabelled_f=parts.get("unlabelled_f"),
        average_crossing=part_ratio("crossing", "sentences"),
        tagging_accuracy=part_ratio("correct_tags", "words"),
        **{name: part_ratio(name, "sentences") for name in by_sentence},
    )


# -- Struct-IoU -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StructIoUSentence:
    """Struct-IoU of one sentence. If it could not be scored, its value is None and its parts are empty."""

    number: int  # from 1
    value: float | None
    parts: dict[str, float]
    alignment: tuple[NodePair, ...]
    reason: str | None


@dataclass(frozen=True, eq=False, repr=False)
class StructIoUResult(Result):
    """Result of ``struct_iou_corpus``. Sentences that could not be scored are in ``errors``; no figure includes them."""

    json_properties: ClassVar[tuple[str, ...]] = ("mean", "corpus", "sentences", "labels", "excluded", "signature")
    frame_field: ClassVar[str] = "sentences"

    scores: Scores = field(metadata=HIDDEN)

    @property
    def values(self) -> Floats:
        """Score of each sentence, in order; NaN if the sentence is in ``errors``."""
        return self.scores.values

    @property
    def errors(self) -> dict[int, CaesuraError]:
        """Index of a sentence -> reason why it has no score."""
        return self.scores.errors

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        return tuple(Excluded(str(place + 1), None, str(error)) for place, error in sorted(self.errors.items()))

    @property
    def mean(self) -> float | None:
        """Mean over the sentences; None if no sentence was scored."""
        scored = self.scores.scored
        return float(self.values[scored].mean()) if scored.size else None

    @property
    def total(self) -> Score:
        """Corpus score (Definition 15) from summed parts: long sentences weigh more. An error if none was scored."""
        return self.scores.total

    @property
    def corpus(self) -> float | None:
        """Value of ``total``; None if no sentence was scored."""
        return self.total.value if self.scores.scored.size else None

    @property
    def signature(self) -> str | None:
        """Signature of ``total``; None if no sentence was scored."""
        return self.total.signature if self.scores.scored.size else None

    @property
    def sentences(self) -> tuple[StructIoUSentence, ...]:
        return tuple(map(self._sentence, range(len(self))))

    def _sentence(self, place: int) -> StructIoUSentence:
        if place in self.errors:
            return StructIoUSentence(place + 1, None, {}, (), str(self.errors[place]))
        parts = dict(zip(self.scores.part_names, self.scores.counts[place].tolist(), strict=True))
        return StructIoUSentence(place + 1, float(self.values[place]), parts, self.alignments[place], None)

    @cached_property
    def alignments(self) -> dict[int, tuple[NodePair, ...]]:
        """Index of a sentence -> its aligned pairs of nodes."""
        alignments = cast(StructIoU, self.scores.measure).alignments(self.scores.batch)
        return dict(zip(self.scores.places.tolist(), alignments, strict=True))

    @cached_property
    def labels(self) -> tuple[LabelIoU, ...]:
        return iou_by_label(self.scores.batch, list(self.alignments.values()))

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, place: int) -> Score:
        """Return the full score of one sentence with its alignment, or raise its error."""
        return self.scores[place]

    def __repr__(self) -> str:
        scored = len(self.scores.scored)
        if not scored:
            return f"StructIoUResult(none of {len(self)} sentences could be scored)"
        return f"StructIoUResult({scored} of {len(self)} sentences, mean {self.mean:.6g}, corpus {self.corpus:.6g})"


@keep_warnings
def struct_iou_corpus(
    gold: Trees,
    predicted: Trees,
    *,
    unlabelled: bool | None = None,
    flexible_terminals: bool | None = None,
    threshold: float | None = None,
    compat: str | None = None,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> StructIoUResult:
    """Compute Struct-IoU of a test set: mean of sentences, score of the corpus, alignments and labels.

    Parameters
    ----------
    gold, predicted : iterable of Tree or None
        Trees sentence by sentence; None for a sentence without a tree.
    unlabelled, flexible_terminals, threshold, compat
        Options of :func:`struct_iou`.
    engine, workers, scheduler
        Where to compute; see :func:`~caesura.score_many`.

    Returns
    -------
    StructIoUResult
        Sentences that cannot be scored or have no tree on one side are in ``.errors``; the rest are scored.

    Raises
    ------
    MismatchError
        If the two sides have different numbers of sentences.

    Examples
    --------
    >>> gold = [Tree.from_brackets(text) for text in ("(S (NP (PRP he)) (VP (VBD slept)))", "(X (UH yes))")]
    >>> predicted = [Tree.from_brackets("(S (PRP he) (VP (VBD slept)))"), gold[1]]
    >>> struct_iou_corpus(gold, predicted)
    StructIoUResult(2 of 2 sentences, mean 0.944444, corpus 0.923077)
    """
    options = {"unlabelled": unlabelled, "flexible_terminals": flexible_terminals, "threshold": threshold}
    measure = StructIoU.cached(compat, **options)
    pairs: list[Any] = pair_trees(gold, predicted, "predicted")
    return StructIoUResult(score_many(pairs, measure, engine=engine, workers=workers, scheduler=scheduler))
