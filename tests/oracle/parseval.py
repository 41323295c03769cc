"""PARSEVAL by definition, step by step. Trees are nested lists and every search is a full loop."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Pairs = list[tuple[str, str]]


@dataclass
class Options:
    labelled: bool = True
    delete: list[str] = field(default_factory=list)
    equal_labels: Pairs = field(default_factory=list)
    equal_words: Pairs = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)


@dataclass
class Bracket:
    label: str
    start: int
    end: int = -1


@dataclass
class Quote:
    tag: str
    word: str
    index: int  # remaining words before the current word
    opened: int  # brackets that begin before the current word
    around: list[int]  # brackets that are still open


@dataclass
class Sentence:
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)


def nested(text: str) -> list[Any]:
    """Return the roots. Each is a list of a label and either children or a word."""
    stack: list[list[Any]] = [[]]
    tokens = re.findall(r"[()]|[^\s()]+", text)
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token == "(":
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif token == ")":
            stack.pop()
        else:
            stack[-1].append(token)
        if token == "(" and before == "(":
            stack[-2].insert(0, "")  # a bracket without a label
    return stack[0]


def same(x: str, y: str, pairs: Pairs) -> bool:
    return x == y or (x, y) in pairs or (y, x) in pairs


def walk(node: list[Any], into: Sentence, around: list[int], options: Options) -> None:
    label, *inside = node
    if isinstance(inside[0], str):
        (word,) = inside
        if label in options.quotes and word in "'\"/":
            into.quotes.append(Quote(label, word, len(into.words), len(into.brackets), list(around)))
        if label not in options.delete:
            into.words.append(word)
            into.tags.append(label)
        return
    number = len(into.brackets)
    into.brackets.append(Bracket(label, len(into.words)))
    for child in inside:
        walk(child, into, [*around, number], options)
    into.brackets[number].end = len(into.words)


def become_word(side: Sentence, which: int) -> None:
    quote = side.quotes[which]
    side.words.insert(quote.index, quote.word)
    side.tags.insert(quote.index, quote.tag)
    for number, bracket in enumerate(side.brackets):
        if number >= quote.opened:
            bracket.start += 1
            bracket.end += 1
        elif number in quote.around:
            bracket.end += 1
    for later in side.quotes[which:]:
        later.index += 1


def mend_quotes(gold: Sentence, predicted: Sentence, options: Options) -> None:
    for i, mine in enumerate(predicted.quotes):
        for j, gold_quote in enumerate(gold.quotes):
            if gold_quote.index == mine.index and gold_quote.tag != mine.tag:
                is_deleted = [quote.tag in options.delete for quote in (gold_quote, mine)]
                if is_deleted == [True, False]:
                    become_word(gold, j)
                    break
                if is_deleted == [False, True]:
                    become_word(predicted, i)
                    break


def counted_brackets(side: Sentence, options: Options) -> list[Bracket]:
    brackets = []
    for bracket in side.brackets:
        if bracket.start < bracket.end:
            label = re.split("[-=]", bracket.label)[0]
            if not any(same(label, deleted, options.equal_labels) for deleted in options.delete):
                brackets.append(Bracket(label, bracket.start, bracket.end))
    return brackets


def parseval(gold_text: str, predicted_text: str, options: Options) -> dict[str, int] | int:
    """Return the counts, or the status of a sentence that cannot be scored."""
    gold, predicted = Sentence(), Sentence()
    for text, side in ((gold_text, gold), (predicted_text, predicted)):
        for root in nested(text):
            walk(root, side, [], options)
    if not predicted.words:
        return 2
    if len(gold.words) != len(predicted.words):
        mend_quotes(gold, predicted, options)
    if len(gold.words) != len(predicted.words):
        return 1
    if not all(same(x, y, options.equal_words) for x, y in zip(gold.words, predicted.words, strict=True)):
        return 1
    gold_brackets, predicted_brackets = counted_brackets(gold, options), counted_brackets(predicted, options)
    matched: set[int] = set()
    for bracket in gold_brackets:
        for j, candidate in enumerate(predicted_brackets):
            if (
                j not in matched
                and (candidate.start, candidate.end) == (bracket.start, bracket.end)
                and (not options.labelled or same(bracket.label, candidate.label, options.equal_labels))
            ):
                matched.add(j)
                break
    return {
        "matched": len(matched),
        "gold": len(gold_brackets),
        "predicted": len(predicted_brackets),
        "crossing": sum(any(cross(x, y) for y in gold_brackets) for x in predicted_brackets),
        "words": len(gold.words),
        "correct_tags": sum(same(x, y, options.equal_labels) for x, y in zip(gold.tags, predicted.tags, strict=True)),
    }


def cross(x: Bracket, y: Bracket) -> bool:
    words, other_words = set(range(x.start, x.end)), set(range(y.start, y.end))
    return bool(words & other_words) and bool(words - other_words) and bool(other_words - words)
