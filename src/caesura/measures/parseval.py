"""PARSEVAL: precision and recall of the brackets of a parse, counted as in EVALB.

A tree is converted into words, tags and brackets over the words, in this order:

1. Preterminals with a deleted tag are removed with their words (punctuation, traces).
2. If the two sides then differ in the number of words, quotes that only one side deleted are restored.
3. Brackets without words are removed.
4. The remaining labels are cut at the first ``-`` or ``=``: NP-SBJ-1 becomes NP. Tags are not cut.
5. Brackets with a deleted label are removed; their words stay.

Then brackets over the same words with equal labels match. Each bracket matches at most once.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.measures.base import BatchCounts, OverlapMeasure, option
from caesura.measures.hierarchy import count_crossing
from caesura.measures.needs import Needs
from caesura.model.annotation import IS_TREE, Shape
from caesura.model.batch import Batch
from caesura.model.columns import offsets
from caesura.model.index import flatnonzero
from caesura.model.interval_columns import Intervals
from caesura.model.result import Score, ratio
from caesura.model.tree import Tree
from caesura.options import flag, whole

# A bracket: its first word, the word after its last word, and its label.
Bracket = tuple[int, int, str]
# For each label or word, the other labels or words that count as equal to it.
Equals = Mapping[str, AbstractSet[str]]

_QUOTES = ("'", '"', "/")


class BracketSide(NamedTuple):
    """Words, tags and brackets (in preorder) of a tree, in the form in which they are compared."""

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]


def _equals(pairs: Sequence[tuple[str, str]]) -> Equals:
    """Return the equal names of each name. Equality is symmetric but not transitive: x = y and y = z do not imply x = z."""
    equals: dict[str, set[str]] = {}
    for x, y in pairs:
        equals.setdefault(x, set()).add(y)
        equals.setdefault(y, set()).add(x)
    return equals


class _WordSelection:
    """A tree, and how often each of its words is compared: once, never, or several times because of restored quotes."""

    __slots__ = ("is_bracket", "repeats", "tags", "tree")

    def __init__(self, tree: Tree, rules: Parseval) -> None:
        self.tree = tree
        # In preorder, a node with children comes directly before its first child.
        self.is_bracket = [parent == node for node, parent in enumerate(tree.parent.tolist()[1:])]
        self.is_bracket.append(False)
        self.tags = [label for label, inner in zip(tree.labels, self.is_bracket, strict=True) if not inner]
        deleted = rules.deleted_tags
        self.repeats = [0 if tag in deleted else 1 for tag in self.tags]

    @property
    def count(self) -> int:
        return sum(self.repeats)

    def side(self, rules: Parseval) -> BracketSide:
        before = [0, *accumulate(self.repeats)]
        brackets, deleted = [], rules.deleted_labels
        for label, is_bracket, start, end in zip(
            self.tree.labels, self.is_bracket, self.tree.start.tolist(), self.tree.end.tolist(), strict=True
        ):
            if is_bracket and before[start] < before[end]:
                category = label.partition("-")[0].partition("=")[0]
                if category not in deleted:
                    brackets.append((before[start], before[end], category))
        words, tags = (
            [text for text, times in zip(texts, self.repeats, strict=True) for _ in range(times)]
            for texts in (self.tree.words, self.tags)
        )
        return BracketSide(words, tags, brackets)

    def quotes(self, rules: Parseval) -> list[_Quote]:
        """Return the words that are quotes, deleted or not."""
        before = accumulate(self.repeats, initial=0)
        return [
            _Quote(word, place, tag in rules.delete_labels)
            for word, (tag, text, place) in enumerate(zip(self.tags, self.tree.words, before, strict=False))
            if tag in rules.quote_labels and text in _QUOTES
        ]


class _Quote(NamedTuple):
    word: int
    place: int  # number of selected words before it
    deleted: bool


def _restore_quotes(gold: _WordSelection, predicted: _WordSelection, rules: Parseval) -> None:
    """Restore deleted quotes if the other side kept one at the same place."""
    # The predicted quotes are processed in order, and each is compared with the gold quotes at its place. A restored quote
    # moves itself and all following words of its side by one place. Places therefore never decrease on either side, and one
    # pass over both lists is enough. If several quotes have the same place, only the last can be a word. As in EVALB, a
    # restored gold quote still counts as deleted, and is restored again if another predicted quote follows directly.
    gold_quotes = [*gold.quotes(rules), _Quote(-1, sys.maxsize, False)]  # the last one marks the end
    kept_at = {quote.place: i for i, quote in enumerate(gold_quotes) if not quote.deleted}
    first = gold_shift = predicted_shift = 0
    for quote in predicted.quotes(rules):
        place = quote.place + predicted_shift
        while gold_quotes[first].place + gold_shift < place:
            first += 1
        candidate = gold_quotes[first]
        if quote.deleted:
            if kept_at.get(place - gold_shift, -1) >= first:
                predicted.repeats[quote.word] += 1
                predicted_shift += 1
        elif candidate.deleted and candidate.place + gold_shift == place:
            gold.repeats[candidate.word] += 1
            gold_shift += 1


def match_brackets(
    gold: BracketSide, predicted: BracketSide, rules: Parseval, *, labelled: bool
) -> list[tuple[int, int]]:
    """Return the pairs of matching brackets: over the same words, with equal labels."""
    # Each gold bracket, in order, matches the first free predicted bracket. This gives the largest number of matches unless
    # equal labels form a chain, x = y and y = z. Starting from the predicted brackets gives the same matches: in both cases, a
    # pair stays unmatched only if one of the two has an earlier partner.
    equals = rules.equals if labelled else {}
    gold_brackets, predicted_brackets = (
        side.brackets if labelled else [(s, e, "") for s, e, _ in side.brackets] for side in (gold, predicted)
    )
    free: dict[Bracket, list[int]] = {}
    for place in range(len(predicted_brackets) - 1, -1, -1):  # in reverse order, so that ``pop`` returns the first
        free.setdefault(predicted_brackets[place], []).append(place)
    matches = []
    for i, bracket in enumerate(gold_brackets):
        places = free.get(bracket)
        if bracket[2] in equals:
            start, end, label = bracket
            candidates = (free.get((start, end, name)) for name in (label, *equals[label]))
            places = min(filter(None, candidates), key=lambda listed: listed[-1], default=None)
        if places:
            matches.append((i, places.pop()))
    return matches


def _check_labels(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(label, str) for label in value):
        raise OptionError(f"{name} must be a list of labels, such as ['TOP', ',']; got {value!r}")
    return tuple(sorted(set(value)))


def _check_pairs(name: str, value: object) -> tuple[tuple[str, str], ...]:
    """Return a set of unordered pairs, sorted."""
    pairs = set()
    for pair in value if isinstance(value, (list, tuple, set, frozenset)) else [None]:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(entry, str) for entry in pair):
            raise OptionError(f"{name} must be a list of pairs, such as [('ADVP', 'PRT')]; got {value!r}")
        x, y = sorted(pair)
        if x != y:
            pairs.add((x, y))
    return tuple(sorted(pairs))


class Parseval(OverlapMeasure):
    """The measure behind ``parseval``."""

    name = "parseval"
    title = "PARSEVAL: precision, recall and F of brackets, as EVALB counts them"
    summary = "identical brackets, as in EVALB"
    short_name = "PARSEVAL F"
    aliases = MappingProxyType({"F": {}, "evalb": {}})
    kinds = ("trees",)
    places_boundaries = False
    needs = Needs(
        Shape.NESTED, least=Shape.NESTED, extent=False, texts=False, streams=False, tree=True, axis="any", noun="a Tree"
    )
    sides = ("gold", "predicted")
    parts = (
        *("matched", "gold", "predicted", "unlabelled_matched", "crossing"),
        *("words", "correct_tags"),
        *("sentences", "complete", "unlabelled_complete", "no_crossing", "two_or_less_crossing"),
    )

    labelled: bool = option(True, flag, "whether labels must be equal")
    delete_labels: tuple[str, ...] = option(
        _check_labels("", ["TOP", "-NONE-", ",", ":", "``", "''", "."]),
        _check_labels,
        "tags that are removed with their words, and labels of brackets that are removed",
    )
    delete_labels_for_length: tuple[str, ...] = option(
        ("-NONE-",), _check_labels, "tags of words that do not count for the length"
    )
    equal_labels: tuple[tuple[str, str], ...] = option(
        (("ADVP", "PRT"),), _check_pairs, "pairs of labels or tags that are equal"
    )
    equal_words: tuple[tuple[str, str], ...] = option((), _check_pairs, "pairs of words that are equal")
    quote_labels: tuple[str, ...] = option(
        (), _check_labels, "tags of ', \" or / that are restored if only one side deleted them"
    )
    cutoff: int = option(40, whole(0), "longest sentence of the second summary of a corpus")

    @property
    def symmetric(self) -> bool:
        """Whether F is symmetric: it is, unless deleted quotes are restored, which depends on the predicted side."""
        return not self.quote_labels

    @cached_property
    def equals(self) -> Equals:
        """Labels and tags that are equal to others."""
        return _equals(self.equal_labels)

    @cached_property
    def deleted_tags(self) -> frozenset[str]:
        """Tags that are removed with their words."""
        return frozenset(self.delete_labels)

    @cached_property
    def deleted_labels(self) -> frozenset[str]:
        """Labels of brackets that are removed: the deleted tags, and labels equal to them."""
        return self.deleted_tags.union(*(self.equals.get(label, ()) for label in self.delete_labels))

    def brackets(self, gold: Tree, predicted: Tree) -> tuple[BracketSide, BracketSide]:
        """Return both trees in the form in which they are compared."""
        gold_words, predicted_words = _WordSelection(gold, self), _WordSelection(predicted, self)
        if self.quote_labels and predicted_words.count and gold_words.count != predicted_words.count:
            _restore_quotes(gold_words, predicted_words, self)
        return gold_words.side(self), predicted_words.side(self)

    def length(self, tree: Tree | None) -> int:
        """Return the number of words before any deletion, excluding words that do not count."""
        ignored = self.delete_labels_for_length
        return 0 if tree is None else sum(tag not in ignored for tag in _WordSelection(tree, self).tags)

    def convert(self, batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
        """Return the pairs with words, tags and brackets in place of trees; a tree is prepared for each pair."""
        n, is_tree = batch.pairs, batch.table.has(IS_TREE)
        rows = flatnonzero(is_tree[batch.first] & is_tree[batch.second])
        if not len(rows):
            return batch, {}
        table = batch.table.take(np.concatenate([batch.first, batch.second]))
        sides = list(table.annotations)
        for row in rows.tolist():
            sides[row], sides[row + n] = self.brackets(sides[row], sides[row + n])
        table.annotations = sides
        return batch.on(table, np.arange(n), np.arange(n, 2 * n)), {}

    @property
    def preparation(self) -> tuple[Any, ...]:
        return tuple(self.settings.values())

    def pairs_of(self, batch: Batch) -> list[tuple[BracketSide, BracketSide]]:
        """Return both sides of each pair of a batch that was converted."""
        sides = batch.table.annotations
        return [(sides[a], sides[b]) for a, b in zip(batch.first.tolist(), batch.second.tolist(), strict=True)]

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        errors: dict[int, CaesuraError] = {}
        equal_words = _equals(self.equal_words)
        for d, (gold, predicted) in enumerate(self.pairs_of(batch)):
            if not predicted.words:
                errors[d] = Undefined("predicted: no words are left, because all tags are in delete_labels")
            elif gold.words != predicted.words:
                problem = _word_difference(gold.words, predicted.words, equal_words)
                if problem is not None:
                    errors[d] = MismatchError(problem)
        return errors

    def count(self, batch: Batch) -> BatchCounts:
        pairs = self.pairs_of(batch)
        rows = np.array([_count(*pair, self) for pair in pairs], np.int64).reshape(-1, 6)
        matched, unlabelled, gold, predicted, words, tags = rows.T
        crossing = count_crossing(*(_intervals([pair[side].brackets for pair in pairs]) for side in (1, 0)))
        complete, unlabelled_complete = ((gold == predicted) & (count == gold) for count in (matched, unlabelled))
        brackets = (matched, gold, predicted, unlabelled, crossing)
        sentences = (np.ones(len(pairs)), complete, unlabelled_complete, crossing == 0, crossing <= 2)
        return BatchCounts(np.column_stack([*brackets, words, tags, *sentences]).astype(np.float64), {})

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        matched, gold, predicted = counts["matched"], counts["gold"], counts["predicted"]
        brackets = gold + predicted
        return {
            "precision": ratio(matched, predicted, brackets),
            "recall": ratio(matched, gold, brackets),
            "f": ratio(2 * matched, brackets, brackets),
            "unlabelled_f": ratio(2 * counts["unlabelled_matched"], brackets, brackets),
            "tagging_accuracy": counts["correct_tags"] / counts["words"],
            "average_crossing": counts["crossing"] / counts["sentences"],
        }


def _intervals(brackets: Sequence[Sequence[Bracket]]) -> Intervals:
    rows = [bracket[:2] for listed in brackets for bracket in listed]
    start, end = np.array(rows, np.int64).reshape(-1, 2).T
    return Intervals(start, end, start, start, offsets(np.array([len(listed) for listed in brackets], np.int64)))


def _word_difference(gold: list[str], predicted: list[str], equals: Equals) -> str | None:
    pairs = enumerate(zip(gold, predicted, strict=False), 1)
    first = next(((i, x, y) for i, (x, y) in pairs if x != y and y not in equals.get(x, ())), None)
    example = "" if first is None else f"word {first[0]} is {first[1][:40]!r} and {first[2][:40]!r}"
    if len(gold) != len(predicted):
        counts = f"gold has {len(gold)}, predicted has {len(predicted)}"
        return f"both sides must have the same words after deletion; {counts}{example and '; ' + example}"
    return f"both sides must have the same words; {example}" if example else None


def _count(gold: BracketSide, predicted: BracketSide, rules: Parseval) -> tuple[int, ...]:
    """Return the numbers of matched brackets, matches without labels, gold and predicted brackets, words, correct tags."""
    unlabelled = len(match_brackets(gold, predicted, rules, labelled=False))
    matched = len(match_brackets(gold, predicted, rules, labelled=True)) if rules.labelled else unlabelled
    equals = rules.equals
    tags = sum(x == y or y in equals.get(x, ()) for x, y in zip(gold.tags, predicted.tags, strict=True))
    return matched, unlabelled, len(gold.brackets), len(predicted.brackets), len(gold.words), tags


def parseval_measure(param: str | PathLike[str] | None, options: Mapping[str, Any]) -> Parseval:
    chosen = {name: value for name, value in options.items() if value is not None}
    if param is None:
        return Parseval.cached(None, **chosen)
    from caesura.formats.evalb_param import read_evalb_param  # imported here: few users have such a file

    return Parseval.cached(None, **{**read_evalb_param(param), **chosen})


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
    """Compute PARSEVAL: precision, recall and F of the brackets of a parse, as in EVALB.

    Parameters
    ----------
    gold, predicted : Tree
        The two parses.
    param : path, optional
        A parameter file of EVALB. Parameters that it does not set have the values of EVALB without a file. The options
        below override the file.
    labelled : bool, optional
        Whether labels must be equal (default: yes).
    delete_labels : sequence of str, optional
        Tags that are removed with their words, and labels of brackets that are removed (default: TOP, -NONE-, commas, colons,
        quotes and full stops).
    delete_labels_for_length : sequence of str, optional
        Tags of words that do not count for the length of a sentence; this only affects the summary of a corpus.
    equal_labels : sequence of pairs, optional
        Pairs of labels that are equal (default: ADVP and PRT). They also apply to tags and to deleted labels of
        brackets. Equality is not transitive.
    equal_words : sequence of pairs, optional
        Pairs of words that are equal.
    quote_labels : sequence of str, optional
        If the sides differ in the number of words, a word ``'``, ``"`` or ``/`` with such a tag is kept on both sides
        if only one side deleted it.
    cutoff : int, optional
        Longest sentence of the second summary of a corpus (default: 40).

    Returns
    -------
    Score
        F, from 0 to 1; 1 if neither side has a bracket, for which EVALB prints 0 or nan. ``score.parts`` contains the
        counts, including ``crossing`` (predicted brackets that cross a gold bracket), ``words``, ``correct_tags``, the
        same brackets without labels, and the counts of sentences for a corpus: ``complete`` (all brackets match),
        ``no_crossing``, ``two_or_less_crossing``.

    Raises
    ------
    MismatchError
        If the remaining words differ (EVALB's error sentences).
    Undefined
        If no words of the predicted tree remain (EVALB skips it).

    Notes
    -----
    A bracket is a label over words; preterminals are not brackets. Brackets of the two sides match if they have the
    same words and equal labels; each bracket matches at most once::

        precision = matched / predicted      recall = matched / gold      F = 2 matched / (gold + predicted)

    Parts are summed over a corpus, which gives micro averages; :func:`~caesura.parseval_corpus` computes all of them.

    Before matching, words with a tag in ``delete_labels`` are removed, then brackets without words. Labels are cut at
    ``-`` or ``=``, and brackets with a deleted label are removed. The defaults are those of the file COLLINS.prm, with
    which papers report their results. If the sides are swapped, F does not change, and precision and recall are
    swapped. This is not true with ``quote_labels``.

    References
    ----------
    Black, E., et al. (1991). A procedure for quantitatively comparing the syntactic coverage of English grammars. Speech
    and Natural Language.

    Sekine, S., & Collins, M. (1997). EVALB.

    Examples
    --------
    >>> gold = Tree.from_brackets("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NNS dogs)))))")
    >>> parse = Tree.from_brackets("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NNS dogs))))))")
    >>> score = parseval(gold, parse)
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
