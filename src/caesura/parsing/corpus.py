"""PARSEVAL over a test set: every sentence, every label, and the summaries that EVALB prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from caesura.engines import Engine
from caesura.errors import MismatchError, Undefined
from caesura.measures.many import Scores, score_many
from caesura.measures.parseval import BracketBatch, BracketRules, Parseval, match_brackets, parseval_measure
from caesura.model.score import Score, ratio
from caesura.model.tree import Tree

__all__ = ["LabelCounts", "ParsedSentence", "ParsevalResult", "Summary", "pair_trees", "parseval_corpus"]

SCORED, ERROR, SKIPPED = range(3)
"""EVALB's status of a sentence."""


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """One sentence. Shares are None, and counts 0, where it could not be scored."""

    number: int
    """From 1 on."""
    length: int
    """Words of the gold tree before deletion, without those of ``delete_labels_for_length``."""
    status: int
    """0: scored; 1: an error, the words differ; 2: skipped, the prediction has no words."""
    recall: float | None
    precision: float | None
    matched: int
    gold: int
    predicted: int
    crossing: int
    words: int
    correct_tags: int
    tagging_accuracy: float | None
    why: str | None
    """What was wrong with it."""


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The brackets of one label, after deletion, labels being cut at ``-`` or ``=``.

    Brackets whose labels differ may match (``equal_labels``, ``labelled=False``): such a match counts for the gold label
    in ``gold_matched`` and recall, and for the predicted label in ``predicted_matched`` and precision.
    """

    label: str
    gold: int
    predicted: int
    gold_matched: int
    predicted_matched: int

    @property
    def recall(self) -> float:
        """The share of the gold brackets that were found."""
        return ratio(self.gold_matched, self.gold, self.gold + self.predicted)

    @property
    def precision(self) -> float:
        """The share of the predicted brackets that are right."""
        return ratio(self.predicted_matched, self.predicted, self.gold + self.predicted)

    @property
    def f(self) -> float:
        """Matches of both sides over brackets of both sides."""
        return (self.gold_matched + self.predicted_matched) / (self.gold + self.predicted)


@dataclass(frozen=True, slots=True)
class Summary:
    """What EVALB prints at the end. Shares lie between 0 and 1, and are None where no sentence was scored."""

    sentences: int
    errors: int
    skipped: int
    valid: int
    recall: float | None
    precision: float | None
    f: float | None
    unlabelled_recall: float | None
    unlabelled_precision: float | None
    unlabelled_f: float | None
    complete: float | None
    """Share of sentences in which all brackets match."""
    unlabelled_complete: float | None
    average_crossing: float | None
    """Crossing brackets a sentence."""
    no_crossing: float | None
    two_or_less_crossing: float | None
    tagging_accuracy: float | None


@dataclass(frozen=True, eq=False)
class ParsevalResult:
    """What :func:`parseval_corpus` returns."""

    measure: Parseval
    sentences: tuple[ParsedSentence, ...]
    all: Summary
    """Over all sentences."""
    cutoff: Summary
    """Over sentences that are no longer than the measure's ``cutoff``."""
    scores: Scores = field(repr=False)
    """The parts of every sentence."""

    @property
    def total(self) -> Score:
        """The score of all valid sentences, from summed parts; ``Undefined`` if there is none."""
        if not self.all.valid:
            first = next((f": sentence {one.number}: {one.why}" for one in self.sentences), "")
            raise Undefined(f"none of {len(self.sentences)} sentences could be scored{first}")
        return self.scores.total

    @cached_property
    def labels(self) -> tuple[LabelCounts, ...]:
        """Every label that occurs, the most frequent in the gold trees first."""
        batch, rules = self.scores.batch, BracketRules.of(self.measure)
        assert isinstance(batch, BracketBatch)
        gold, predicted, gold_matched, predicted_matched = (Counter[str]() for _ in range(4))
        for one, other in batch.sides:
            gold.update(bracket[2] for bracket in one.brackets)
            predicted.update(bracket[2] for bracket in other.brackets)
            found = match_brackets(one, other, rules, labelled=rules.labelled)
            gold_matched.update(one.brackets[i][2] for i, _ in found)
            predicted_matched.update(other.brackets[j][2] for _, j in found)
        names = sorted(gold | predicted, key=lambda label: (-gold[label], -predicted[label], label))
        return tuple(
            LabelCounts(name, gold[name], predicted[name], gold_matched[name], predicted_matched[name])
            for name in names
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": repr(self.measure),
            "signature": self.total.signature if self.all.valid else None,
            "all": asdict(self.all),
            "cutoff": {"length": self.measure["cutoff"], **asdict(self.cutoff)},
            "sentences": [asdict(one) for one in self.sentences],
            "labels": [
                {**asdict(one), "recall": one.recall, "precision": one.precision, "f": one.f} for one in self.labels
            ],
        }


def parseval_corpus(
    gold: Iterable[Tree | None],
    predicted: Iterable[Tree | None],
    *,
    param: str | PathLike[str] | None = None,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
    **options: Any,
) -> ParsevalResult:
    """PARSEVAL of a test set: two lists of trees, None for a sentence without a parse.

    ``param`` and the options are those of :func:`~caesura.parseval`. ``.all`` and ``.cutoff`` are EVALB's two summaries,
    ``.sentences`` its table, ``.labels`` the brackets label by label, ``.total`` the score from summed parts. Figures
    without labels stand beside those with. ``engine``, ``workers`` and ``scheduler`` as for :func:`~caesura.score_many`;
    brackets are matched in Python, so processes help where threads do not.

    Sentences whose words differ are errors, predictions without words are skipped: both are counted, say why, and enter
    no figure. A parser that fails on hard sentences therefore looks better than it is, so look at ``.all.valid``.

    >>> from caesura import Tree
    >>> gold = [Tree.from_brackets("(S (NP (PRP She)) (VP (VBD slept)) (. .))"),
    ...         Tree.from_brackets("(S (NP (PRP He)) (VP (VBD got) (PRT (RP up))))"), None]
    >>> told = [Tree.from_brackets("(S (NP (PRP She)) (VP (VBD slept)) (. .))"),
    ...         Tree.from_brackets("(S (NP (PRP He)) (VP (VBD got)) (ADVP (RB up)))"), None]
    >>> found = parseval_corpus(gold, told)
    >>> found.all.sentences, found.all.valid, round(found.all.f, 4), found.all.complete
    (3, 2, 0.8571, 0.5)
    >>> found.sentences[2].status, found.sentences[2].why
    (2, 'gold: there is no tree')
    >>> [(one.label, one.recall) for one in found.labels]
    [('NP', 1.0), ('S', 1.0), ('VP', 0.5), ('PRT', 1.0), ('ADVP', 0.0)]
    """
    measure = parseval_measure(param, options)
    pairs = pair_trees(gold, predicted, "predicted")
    scores = score_many(
        pairs,  # type: ignore[arg-type]  # a missing tree is an error of its pair
        measure,
        engine=engine,
        workers=workers,
        scheduler=scheduler,
    )
    rules = BracketRules.of(measure)
    counts = [dict(zip(scores.part_names, row, strict=True)) for row in scores.counts.astype(np.int64).tolist()]
    rows = tuple(
        _sentence(i + 1, pair, counts[i], None if i not in scores.errors else str(scores.errors[i]), rules)
        for i, pair in enumerate(pairs)
    )
    short = [row for row in rows if row.length <= measure["cutoff"]]
    return ParsevalResult(measure, rows, _summary(rows, scores), _summary(short, scores), scores)


def pair_trees(
    gold: Iterable[Tree | None], predicted: Iterable[Tree | None], name: str
) -> list[tuple[Tree | None, Tree | None]]:
    """Sentence by sentence; two lists of one length, of trees and None."""
    one, other = list(gold), list(predicted)
    for side, trees in (("gold", one), (name, other)):
        for i, tree in enumerate(trees):
            if tree is not None and not isinstance(tree, Tree):
                raise MismatchError(f"{side}[{i}]: a Tree is needed, or None; got {type(tree).__name__}")
    if len(one) != len(other):
        raise MismatchError(
            f"both sides must have the same sentences; gold has {len(one)}, {name} has {len(other)}. Give None for a "
            "sentence without a parse"
        )
    return list(zip(one, other, strict=True))


def _sentence(
    number: int, pair: tuple[Tree | None, Tree | None], parts: dict[str, int], why: str | None, rules: BracketRules
) -> ParsedSentence:
    gold, predicted = pair
    status = SCORED
    if why is not None:
        left = predicted is not None and rules.sides(predicted, predicted)[1].words
        status = ERROR if left else SKIPPED
    brackets = parts["gold"] + parts["predicted"]
    return ParsedSentence(
        number=number,
        length=rules.length(gold),
        status=status,
        recall=None if status else ratio(parts["matched"], parts["gold"], brackets),
        precision=None if status else ratio(parts["matched"], parts["predicted"], brackets),
        matched=parts["matched"],
        gold=parts["gold"],
        predicted=parts["predicted"],
        crossing=parts["crossing"],
        words=parts["words"],
        correct_tags=parts["correct_tags"],
        tagging_accuracy=None if status else parts["correct_tags"] / parts["words"],
        why=why,
    )


def _summary(rows: Iterable[ParsedSentence], scores: Scores) -> Summary:
    by_status: list[list[int]] = [[], [], []]
    for row in rows:
        by_status[row.status].append(row.number - 1)
    valid = by_status[SCORED]
    parts = scores.over(np.array(valid, np.int64)).parts if valid else {}

    def share(part: str, whole: str) -> float | None:
        return ratio(parts[part], parts[whole], parts["gold"] + parts["predicted"]) if parts else None

    return Summary(
        sentences=sum(map(len, by_status)),
        errors=len(by_status[ERROR]),
        skipped=len(by_status[SKIPPED]),
        valid=len(valid),
        recall=share("matched", "gold"),
        precision=share("matched", "predicted"),
        f=parts.get("f"),
        unlabelled_recall=share("unlabelled_matched", "gold"),
        unlabelled_precision=share("unlabelled_matched", "predicted"),
        unlabelled_f=parts.get("unlabelled_f"),
        complete=share("complete", "sentences"),
        unlabelled_complete=share("unlabelled_complete", "sentences"),
        average_crossing=share("crossing", "sentences"),
        no_crossing=share("no_crossing", "sentences"),
        two_or_less_crossing=share("two_or_less_crossing", "sentences"),
        tagging_accuracy=share("correct_tags", "words"),
    )
