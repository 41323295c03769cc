"""EVALB's own output: counts of every sentence, and the summary as it is printed, under every parameter file.

The oracles ``evalb.json`` and ``evalb_extra.json`` are output of EVALB of 2008 with F, on 76 pairs of trees, on its own samples
and on two parsers of GUM.
"""

from __future__ import annotations

from typing import Any

import pytest

import caesura as cz
from caesura.measures.parseval import Parseval, parseval_measure
from support.evalb import PARAMETERS, check_rows, check_summary, printed
from support.oracles import read_oracle


@pytest.mark.parametrize(
    ("run", "file", "options"),
    [
        ("COLLINS", "COLLINS.prm", {}),
        ("COLLINS_unlabelled", "COLLINS.prm", {"labelled": False}),
        ("new", "new.prm", {}),
    ],
)
def test_76_pairs(run: str, file: str, options: dict[str, Any]) -> None:
    oracle = read_oracle("evalb.json")
    gold, predicted = (
        [cz.Tree.from_brackets(pair[side]) if pair[side].strip() else None for pair in oracle["pairs"]]
        for side in ("gold", "test")
    )
    result = cz.parseval_corpus(gold, predicted, param=PARAMETERS / file, **options)
    expected = oracle["evalb"][run]
    check_rows(result, expected["per_sentence"])
    check_summary(result, expected["summary"])
    # "3 : Length unmatch (28|27)", "32 : Words unmatch (an|,)"; the list is truncated
    for line in expected["stderr"]:
        number, _, problem = line.partition(" : ")
        kind, _, rest = problem.partition(" (")
        x, _, y = rest.rstrip(")").partition("|")
        why = result.sentences[int(number) - 1].reason
        part = f"gold has {x}, predicted has {y}" if kind == "Length unmatch" else f"is {x!r} and {y!r}"
        assert why is not None
        assert part in why


def test_unlabelled_figures() -> None:
    oracle = read_oracle("evalb.json")
    gold, predicted = (
        [cz.Tree.from_brackets(pair[side]) if pair[side].strip() else None for pair in oracle["pairs"]]
        for side in ("gold", "test")
    )
    result = cz.parseval_corpus(gold, predicted)
    figures = oracle["evalb"]["COLLINS_unlabelled"]["summary"]["All"]
    block = result.all
    values = (block.unlabelled_recall, block.unlabelled_precision, block.unlabelled_f, block.unlabelled_complete)
    names = ("Bracketing Recall", "Bracketing Precision", "Bracketing FMeasure", "Complete match")
    assert [printed(value) for value in values] == [figures[name] for name in names]


def test_the_default_is_the_file_of_collins() -> None:
    assert parseval_measure(PARAMETERS / "COLLINS.prm", {}) == Parseval()
