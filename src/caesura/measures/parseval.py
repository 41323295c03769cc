"""PARSEVAL: how many brackets of a parse stand in the gold parse too, counted as EVALB counts them.

A tree is turned into words, tags and brackets over the words, in this order:

1. preterminals with a deleted tag go, with their words (punctuation, traces);
2. if the two sides then differ in the number of words, quotes that one side deleted and the other kept come back;
3. brackets that lost all their words go;
4. labels of the others are cut at the first ``-`` or ``=``: NP-SBJ-1 is NP. Tags are left whole;
5. brackets with a deleted label go, their words stay.

Then brackets over the same words with equal labels match, each once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import EMPTY, Batch, Comparison
from caesura.measures.hierarchy import find_crossing
from caesura.measures.spans import DistinctSpans
from caesura.measures.trees import TreeBatch, pack_trees
from caesura.model.score import Score, ratio
from caesura.model.tree import Tree
from caesura.options import Option, flag, whole

Ints = NDArray[np.int64]
Bracket = tuple[int, int, str]
"""First word, the word after the last, label."""
Alike = Mapping[str, AbstractSet[str]]
"""What a label or word equals, apart from itself."""

_QUOTES = ("'", '"', "/")


class BracketSide(NamedTuple):
    """One tree as it is compared."""

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]
    """In preorder."""


@dataclass(frozen=True, slots=True)
class BracketRules:
    """The options of the measure, ready for use."""

    deleted: frozenset[str]
    """Tags that go with their words."""
    dropped: frozenset[str]
    """Labels of brackets that go alone: the same, and what equals them."""
    not_counted: frozenset[str]
    """Tags of words that add nothing to the length of a sentence."""
    quotes: frozenset[str]
    labels: Alike
    words: Alike
    labelled: bool

    @classmethod
    def of(cls, measure: Measure) -> BracketRules:
        """The rules of a measure."""
        deleted, labels = measure["delete_labels"], _alike(measure["equal_labels"])
        return cls(
            deleted=frozenset(deleted),
            dropped=frozenset(deleted).union(*(labels.get(label, ()) for label in deleted)),
            not_counted=frozenset(measure["delete_labels_for_length"]),
            quotes=frozenset(measure["quote_labels"]),
            labels=labels,
            words=_alike(measure["equal_words"]),
            labelled=measure["labelled"],
        )

    def sides(self, gold: Tree, predicted: Tree) -> tuple[BracketSide, BracketSide]:
        """Both trees as they are compared."""
        one, other = _Kept(gold, self), _Kept(predicted, self)
        if self.quotes and other.count and one.count != other.count:
            _restore_quotes(one, other, self)
        return one.side(self), other.side(self)

    def length(self, tree: Tree | None) -> int:
        """Words before anything is deleted, without those that are not counted."""
        return 0 if tree is None else sum(tag not in self.not_counted for tag in _Kept(tree, self).tags)


def _alike(pairs: Sequence[tuple[str, str]]) -> Alike:
    """Each with all that it equals; equality goes both ways, and no further: x = y and y = z leave x and z different."""
    found: dict[str, set[str]] = {}
    for x, y in pairs:
        found.setdefault(x, set()).add(y)
        found.setdefault(y, set()).add(x)
    return found


class _Kept:
    """A tree, and how often each of its words stands in the comparison: once, not at all, or as quotes demand."""

    __slots__ = ("inner", "tags", "times", "tree")

    def __init__(self, tree: Tree, rules: BracketRules) -> None:
        self.tree = tree
        # In preorder, a node with children stands right before the first of them.
        self.inner = [above == node for node, above in enumerate(tree.parent.tolist()[1:])]
        self.inner.append(False)
        self.tags = [label for label, inner in zip(tree.labels, self.inner, strict=True) if not inner]
        self.times = [0 if tag in rules.deleted else 1 for tag in self.tags]

    @property
    def count(self) -> int:
        return sum(self.times)

    def side(self, rules: BracketRules) -> BracketSide:
        """Words, tags and brackets that are left."""
        before = [0, *accumulate(self.times)]
        brackets = []
        for label, inner, start, end in zip(
            self.tree.labels, self.inner, self.tree.start.tolist(), self.tree.end.tolist(), strict=True
        ):
            if inner and before[start] < before[end]:
                cut = label.partition("-")[0].partition("=")[0]
                if cut not in rules.dropped:
                    brackets.append((before[start], before[end], cut))
        words, tags = (
            [text for text, times in zip(texts, self.times, strict=True) for _ in repeat(None, times)]
            for texts in (self.tree.words, self.tags)
        )
        return BracketSide(words, tags, brackets)

    def quotes(self, rules: BracketRules) -> list[_Quote]:
        """Words that may be a quote or not, deleted or kept."""
        before = accumulate(self.times, initial=0)
        return [
            _Quote(word, place, tag in rules.deleted)
            for word, (tag, text, place) in enumerate(zip(self.tags, self.tree.words, before, strict=False))
            if tag in rules.quotes and text in _QUOTES
        ]


class _Quote(NamedTuple):
    word: int
    place: int
    """How many kept words stand before it."""
    deleted: bool


def _restore_quotes(gold: _Kept, predicted: _Kept, rules: BracketRules) -> None:
    """Where one side deleted a quote and the other kept one in the same place, the deleted one is a word again.

    The predicted quotes are taken in order, and each looks for a gold quote in its place. A quote that became a word moves
    itself and all that follow on its side one place on. So places never fall, on either side, and one walk over both
    lists is enough; of the quotes in one place only the last can be a word. As in EVALB, a gold quote that became a word
    still counts as deleted, and becomes one word more where the predicted side has another quote right behind.
    """
    mine = gold.quotes(rules)
    words = {quote.place: i for i, quote in enumerate(mine) if not quote.deleted}
    first = moved = moved_predicted = 0
    for quote in predicted.quotes(rules):
        place = quote.place + moved_predicted
        while first < len(mine) and mine[first].place + moved < place:
            first += 1
        if quote.deleted:
            if words.get(place - moved, -1) >= first:
                predicted.times[quote.word] += 1
                moved_predicted += 1
        elif first < len(mine) and mine[first].deleted and mine[first].place + moved == place:
            gold.times[mine[first].word] += 1
            moved += 1


def match_brackets(
    gold: BracketSide, predicted: BracketSide, rules: BracketRules, *, labelled: bool
) -> list[tuple[int, int]]:
    """Brackets of the two sides that match, by their numbers: over the same words, with equal labels.

    The gold brackets choose in order, each the first that is left. That is the largest number of matches unless labels
    are equal in a chain, x = y and y = z. If the predicted brackets chose, the matches would be the same: in both, a pair
    is left alone only if one of the two has an earlier partner.
    """
    alike = rules.labels if labelled else {}
    one, other = (
        side.brackets if labelled else [(s, e, "") for s, e, _ in side.brackets] for side in (gold, predicted)
    )
    left: dict[Bracket, list[int]] = {}
    for place in range(len(other) - 1, -1, -1):  # the last first, so that ``pop`` takes the first
        left.setdefault(other[place], []).append(place)
    found = []
    for i, bracket in enumerate(one):
        places = left.get(bracket)
        if bracket[2] in alike:
            start, end, label = bracket
            there = (left.get((start, end, name)) for name in (label, *alike[label]))
            places = min(filter(None, there), key=lambda each: each[-1], default=None)
        if places:
            found.append((i, places.pop()))
    return found


@dataclass(frozen=True, slots=True)
class BracketBatch(TreeBatch):
    """A batch of pairs of trees, and what is compared of them."""

    sides: tuple[tuple[BracketSide, BracketSide], ...] = field(kw_only=True)

    @classmethod
    def laid(cls, trees: TreeBatch, sides: Sequence[tuple[BracketSide, BracketSide]]) -> BracketBatch:
        """The trees with their sides."""
        return cls(
            trees.length, EMPTY, EMPTY, trees.a_off, EMPTY, EMPTY, trees.b_off, pairs=trees.pairs, sides=tuple(sides)
        )

    def slice(self, start: int, stop: int) -> BracketBatch:
        """Sentences start .. stop-1."""
        return BracketBatch.laid(TreeBatch.slice(self, start, stop), self.sides[start:stop])

    def take(self, documents: Ints) -> BracketBatch:
        """Only these sentences."""
        return BracketBatch.laid(TreeBatch.take(self, documents), [self.sides[d] for d in documents.tolist()])

    def flat(self, side: int) -> DistinctSpans:
        """All brackets of one side, from the first word to the last."""
        listed = [pair[side].brackets for pair in self.sides]
        document = np.repeat(np.arange(len(listed)), np.array([len(one) for one in listed], np.int64))
        start = np.array([bracket[0] for one in listed for bracket in one], np.int64)
        end = np.array([bracket[1] for one in listed for bracket in one], np.int64)
        return DistinctSpans(document, start, end - 1)


def _labels(name: str, value: object) -> tuple[str, ...]:
    """Labels in no order, each once."""
    if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in value):
        raise OptionError(f"{name} must be a list of labels, such as ['TOP', ',']; got {value!r}")
    return tuple(sorted(set(value)))


def _pairs(name: str, value: object) -> tuple[tuple[str, str], ...]:
    """Unordered pairs in no order, each once."""
    found = set()
    for pair in value if isinstance(value, (list, tuple, set, frozenset)) else [None]:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise OptionError(f"{name} must be a list of pairs, such as [('ADVP', 'PRT')]; got {value!r}")
        x, y = sorted(pair)
        if x != y:
            found.add((x, y))
    return tuple(sorted(found))


class Parseval(Measure):
    """See :func:`parseval`."""

    __slots__ = ()
    name = "parseval"
    title = "PARSEVAL: precision, recall and F of brackets, as EVALB counts them"
    options = (
        Option("labelled", True, flag, "whether labels must be equal"),
        Option(
            "delete_labels",
            _labels("", ["TOP", "-NONE-", ",", ":", "``", "''", "."]),
            _labels,
            "tags that go with their words, and labels of brackets that go",
        ),
        Option(
            "delete_labels_for_length", ("-NONE-",), _labels, "tags of words that add nothing to a sentence's length"
        ),
        Option("equal_labels", (("ADVP", "PRT"),), _pairs, "pairs of labels or tags that are equal"),
        Option("equal_words", (), _pairs, "pairs of words that are equal"),
        Option("quote_labels", (), _labels, "tags of ', \" or / that come back where only one side deleted them"),
        Option("cutoff", 40, whole(0), "the longest sentence of the second summary of a corpus"),
    )
    short_name = "PARSEVAL F"
    kinds = ("trees",)
    view = "trees"
    sides = ("gold", "predicted")

    @property
    def symmetric(self) -> bool:
        """F is symmetric unless deleted quotes are restored, which starts from the predicted side."""
        return not self["quote_labels"]

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
        """Words, tags and brackets of the pairs that are trees."""
        trees, places, errors = pack_trees(pairs, self.sides)
        rules = BracketRules.of(self)
        return BracketBatch.laid(trees, [rules.sides(*pair) for pair in trees.pairs]), places, errors

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """There must be words, and the same on both sides."""
        assert isinstance(batch, BracketBatch)
        rules = BracketRules.of(self)
        errors: dict[int, CaesuraError] = {}
        for d, (gold, predicted) in enumerate(batch.sides):
            if not predicted.words:
                errors[d] = Undefined("predicted: no words are left, all of them have tags in delete_labels")
            elif gold.words != predicted.words:
                problem = _different(gold.words, predicted.words, rules.words)
                if problem is not None:
                    errors[d] = MismatchError(problem)
        return errors

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return (
            "matched",
            "gold",
            "predicted",
            "unlabelled_matched",
            "crossing",
            "words",
            "correct_tags",
            "sentences",
            "complete",
            "unlabelled_complete",
            "no_crossing",
            "two_or_less_crossing",
        )

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, BracketBatch)
        rules = BracketRules.of(self)
        rows = np.array([_count(*pair, rules) for pair in batch.sides], np.int64).reshape(-1, 6)
        matched, unlabelled, gold, predicted, words, tags = rows.T
        flat = batch.flat(1)
        crossing = flat.count(len(batch), find_crossing(flat, batch.flat(0), len(batch)))
        same = gold == predicted
        counts = [
            matched,
            gold,
            predicted,
            unlabelled,
            crossing,
            words,
            tags,
            np.ones(len(batch)),
            same & (matched == gold),
            same & (unlabelled == gold),
            crossing == 0,
            crossing <= 2,
        ]
        return BatchCounts(np.column_stack(counts).astype(np.float64), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        matched, gold, predicted = counts.T[:3]
        return divide(2 * matched, gold + predicted, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        matched, gold, predicted = counts["matched"], counts["gold"], counts["predicted"]
        both = gold + predicted
        return {
            "precision": ratio(matched, predicted, both),
            "recall": ratio(matched, gold, both),
            "f": ratio(2 * matched, both, both),
            "unlabelled_f": ratio(2 * counts["unlabelled_matched"], both, both),
            "tagging_accuracy": counts["correct_tags"] / counts["words"],
            "average_crossing": counts["crossing"] / counts["sentences"],
        }


def _different(gold: list[str], predicted: list[str], alike: Alike) -> str | None:
    """How the words of the two differ, or None."""
    pairs = enumerate(zip(gold, predicted, strict=False), 1)
    first = next(((i, x, y) for i, (x, y) in pairs if x != y and y not in alike.get(x, ())), None)
    where = "" if first is None else f"word {first[0]} is {first[1][:40]!r} and {first[2][:40]!r}"
    if len(gold) != len(predicted):
        counted = f"gold has {len(gold)}, predicted has {len(predicted)}"
        return f"both sides must have the same words after deletion; {counted}{where and '; ' + where}"
    return f"both sides must have the same words; {where}" if where else None


def _count(gold: BracketSide, predicted: BracketSide, rules: BracketRules) -> tuple[int, ...]:
    """Matched, matched without labels, gold and predicted brackets, words, correct tags."""
    unlabelled = len(match_brackets(gold, predicted, rules, labelled=False))
    matched = len(match_brackets(gold, predicted, rules, labelled=True)) if rules.labelled else unlabelled
    alike = rules.labels
    tags = sum(x == y or y in alike.get(x, ()) for x, y in zip(gold.tags, predicted.tags, strict=True))
    return matched, unlabelled, len(gold.brackets), len(predicted.brackets), len(gold.words), tags


def parseval_measure(param: str | PathLike[str] | None, options: Mapping[str, Any]) -> Parseval:
    """The measure that a parameter file and options ask for; options that are not None win."""
    given = {name: value for name, value in options.items() if value is not None}
    if param is None:
        return Parseval.cached(None, **given)
    from caesura.formats.evalb_param import read_evalb_param  # few have such a file

    return Parseval.cached(None, **{**read_evalb_param(param), **given})


def parseval(
    gold: Tree,
    predicted: Tree,
    *,
    param: str | PathLike[str] | None = None,
    labelled: bool | None = None,
    delete_labels: Sequence[str] | None = None,
    delete_labels_for_length: Sequence[str] | None = None,
    equal_labels: Sequence[tuple[str, str]] | None = None,
    equal_words: Sequence[tuple[str, str]] | None = None,
    quote_labels: Sequence[str] | None = None,
    cutoff: int | None = None,
) -> Score:
    """PARSEVAL: how many brackets of a predicted parse stand in the gold parse too, with the numbers of EVALB.

    From 0 to 1. A bracket is a label over words; preterminals are none. Brackets of the two sides match if they have the
    same words and equal labels, each once:

        precision = matched / predicted      recall = matched / gold      F = 2 matched / (gold + predicted)

    The value is F; 1 if neither side has a bracket. ``score.parts`` has the counts, and beside them ``crossing``
    (predicted brackets that cut through a gold bracket), ``words``, ``correct_tags``, the same brackets without labels,
    and the counts of sentences that corpus figures need: ``complete`` (all brackets match), ``no_crossing``,
    ``two_or_less_crossing``. Parts add up, so a corpus has micro averages; :func:`~caesura.parseval_corpus` has them all.

    Before that, words with a tag in ``delete_labels`` go, brackets left without words go, labels are cut at ``-`` or
    ``=``, and brackets with a deleted label go. The defaults are those of the file COLLINS.prm, which is what papers
    report: TOP, -NONE-, commas, colons, quotes and full stops are deleted, ADVP equals PRT. ``param`` is a parameter file
    of EVALB: all that it does not set is then as in EVALB without one, and options given here win over it.
    ``equal_labels`` holds for tags and for deleted labels of brackets too; pairs do not chain. ``quote_labels``: where
    the sides differ in number of words, a word ``'``, ``"`` or ``/`` with such a tag that one side deleted and the other
    kept is kept on both. ``cutoff`` and ``delete_labels_for_length`` matter to the summary of a corpus only.

    ``MismatchError`` if the words that are left differ (EVALB's error sentences), ``Undefined`` if the predicted tree has
    none left (EVALB skips it). F is the same with the sides swapped, precision and recall change places; not so with
    ``quote_labels``. EVALB says 0 or nan where neither side has a bracket.

    Black, E., et al. (1991). A procedure for quantitatively comparing the syntactic coverage of English grammars. Speech
    and Natural Language. Sekine, S., & Collins, M. (1997). EVALB.

    >>> gold = Tree.from_brackets("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NNS dogs)))))")
    >>> told = Tree.from_brackets("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NNS dogs))))))")
    >>> score = parseval(gold, told)
    >>> score.parts["matched"], score.parts["gold"], score.parts["predicted"]
    (6, 6, 7)
    >>> score.recall(), round(score.precision(), 4), round(score.value, 4)
    (1.0, 0.8571, 0.9231)
    """
    options = {
        "labelled": labelled,
        "delete_labels": delete_labels,
        "delete_labels_for_length": delete_labels_for_length,
        "equal_labels": equal_labels,
        "equal_words": equal_words,
        "quote_labels": quote_labels,
        "cutoff": cutoff,
    }
    return parseval_measure(param, options).score(gold, predicted)
