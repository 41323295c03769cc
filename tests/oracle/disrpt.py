"""Connectives as the scorer of the DISRPT shared task counts them: one state for the whole file, whatever its documents.

Three things follow, all described in ``docs/benchmarks.md``. A connective at the end of a document goes on if the next
document begins with ``I-conn``. An ``I-conn`` without ``B-conn`` leaves an end behind, which the next connective of one
token gets, so that it ends before it begins. The last connective of a file is lost if it has one token.
"""

from __future__ import annotations


def tags(text: str) -> list[str]:
    """The tag of each token of a .tok file, without regard to documents."""
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    tokens = [row for row in rows if "-" not in row[0] and "." not in row[0]]
    return ["B" if "B-conn" in row[-1] else "I" if "I-conn" in row[-1] else "O" for row in tokens]


def spans(text: str) -> list[tuple[int, int]]:
    """First and last token of each connective, by a state that only an O after an open connective resets."""
    result: list[tuple[int, int]] = []
    first = last = None
    for place, tag in enumerate(tags(text)):
        if tag != "I" and first is not None:
            result.append((first, first if last is None else last))
            first = last = None
        if tag == "B":
            first = place
        elif tag == "I":
            last = place
    if first is not None and last is not None:
        result.append((first, last))
    return result


def precision_recall_f(gold: str, predicted: str) -> tuple[float, float, float]:
    """Precision, recall and F over equal spans."""
    reference, hypothesis = spans(gold), spans(predicted)
    hits = sum(span in reference for span in hypothesis)
    precision, recall = (hits / len(side) if side else 0.0 for side in (hypothesis, reference))
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0
