"""EVALB's own output: counts of every sentence, and the summary as it is printed, under every parameter file.

The oracles ``evalb.json`` and ``evalb_extra.json`` are output of EVALB of 2008 with F, on 76 pairs of trees, on its own samples
and on two parsers of GUM.
"""

from __future__ import annotations

from typing import Any

import pytest

import caesura as cz
from caesura.measures.parseval import Parseval, parseval_measure
from support.oracles import read_oracle
from support.shared_data import DataFolder

COUNTS = {
    "len": "length",
    "status": "status",
    "matched": "matched",
    "gold": "gold",
    "test": "predicted",
    "crossing": "crossing",
    "words": "words",
    "correct_tags": "correct_tags",
}
SHARES = {"recall": "recall", "precision": "precision", "tag_acc": "tagging_accuracy"}
NUMBERS = {
    "Number of sentence": "sentences",
    "Number of Error sentence": "errors",
    "Number of Skip  sentence": "skipped",
    "Number of Valid sentence": "valid",
}
FIGURES = {
    "Bracketing Recall": "recall",
    "Bracketing Precision": "precision",
    "Bracketing FMeasure": "f",
    "Complete match": "complete",
    "Average crossing": "average_crossing",
    "No crossing": "no_crossing",
    "2 or less crossing": "two_or_less_crossing",
    "Tagging accuracy": "tagging_accuracy",
}


def printed(value: float | None) -> str:
    """As EVALB prints a share: 0 where there is none."""
    return f"{100 * (value or 0):.2f}"


def check_summary(result: cz.ParsevalResult, expected: dict[str, dict[str, str]]) -> None:
    assert list(expected) == ["All", f"len<={result.measure['cutoff']}"]
    for block, figures in zip((result.all, result.cutoff), expected.values(), strict=True):
        assert set(figures) == set(NUMBERS) | set(FIGURES)
        for name, own_name in NUMBERS.items():
            assert str(getattr(block, own_name)) == figures[name], name
        for name, own_name in FIGURES.items():
            value = getattr(block, own_name)
            if not block.valid:  # where EVALB prints 0 or -nan
                assert value is None
            elif name == "Average crossing":
                assert f"{value:.2f}" == figures[name]
            else:
                assert printed(value) == figures[name], name


def check_rows(result: cz.ParsevalResult, expected: list[dict[str, Any]]) -> None:
    assert len(result.sentences) == len(expected)
    for sentence, figures in zip(result.sentences, expected, strict=True):
        assert sentence.number == figures["id"]
        assert {name: getattr(sentence, own_name) for name, own_name in COUNTS.items()} == {
            name: figures[name] for name in COUNTS
        }
        assert (sentence.reason is None) == (sentence.status == 0)
        for name, own_name in SHARES.items():
            if name in figures and (
                name == "tag_acc" or sentence.gold + sentence.predicted
            ):  # of nothing, EVALB says 0 and we 1
                assert printed(getattr(sentence, own_name)) == figures[name]


@pytest.mark.parametrize(
    ("run", "file", "options"),
    [
        ("COLLINS", "COLLINS.prm", {}),
        ("COLLINS_unlabelled", "COLLINS.prm", {"labelled": False}),
        ("new", "new.prm", {}),
    ],
)
def test_76_pairs(shared: DataFolder, run: str, file: str, options: dict[str, Any]) -> None:
    oracle = read_oracle("evalb.json")
    gold, predicted = (
        [cz.Tree.from_brackets(pair[side]) if pair[side].strip() else None for pair in oracle["pairs"]]
        for side in ("gold", "test")
    )
    result = cz.parseval_corpus(gold, predicted, param=shared / f"data/trees/evalb/{file}", **options)
    expected = oracle["evalb"][run]
    check_rows(result, expected["per_sentence"])
    check_summary(result, expected["summary"])
    # "3 : Length unmatch (28|27)", "32 : Words unmatch (an|,)"; the list is cut
    for line in expected["stderr"]:
        number, _, problem = line.partition(" : ")
        kind, _, rest = problem.partition(" (")
        x, _, y = rest.rstrip(")").partition("|")
        why = result.sentences[int(number) - 1].reason
        part = f"gold has {x}, predicted has {y}" if kind == "Length unmatch" else f"is {x!r} and {y!r}"
        assert why is not None
        assert part in why


def test_unlabelled_figures_stand_beside_the_labelled() -> None:
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


@pytest.mark.parametrize("parsed", ["evalb", "gum_two_parsers"])
def test_samples_and_two_parsers(shared: DataFolder, parsed: str) -> None:
    """EVALB's samples hold the only quotes that come back: bug with new.prm."""
    runs = [run for run in read_oracle("evalb_extra.json") if run["files"].startswith(parsed)]
    for run in runs:
        name, _, which = run["files"].partition(" ")
        endings = ("new.ptb", "old.ptb") if which == "(gold=new,test=old)" else ("gld", "tst")
        gold, predicted = (cz.read_trees(shared / f"data/trees/{name}.{ending}", layout="lines") for ending in endings)
        result = cz.parseval_corpus(gold, predicted, param=shared / f"data/trees/evalb/{run['prm']}")
        check_rows(result, run["rows"])
        check_summary(result, run["summary"])
    if parsed == "evalb":
        assert {("evalb/bug", "new.prm"), ("evalb/sample", "sample.prm")} <= {
            (run["files"], run["prm"]) for run in runs
        }
    assert runs


def test_the_default_is_the_file_of_collins(shared: DataFolder) -> None:
    assert parseval_measure(shared / "data/trees/evalb/COLLINS.prm", {}) == Parseval()
