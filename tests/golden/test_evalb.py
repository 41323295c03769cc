"""EVALB's own output: counts of every sentence, and the summary as it is printed, under every parameter file.

``../shared/oracles/evalb.json`` and ``evalb_extra.json``: EVALB of 2008 with F, on 76 pairs of trees, its own samples and
two parsers of GUM.
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


def check_summary(found: cz.ParsevalResult, expected: dict[str, dict[str, str]]) -> None:
    assert list(expected) == ["All", f"len<={found.measure['cutoff']}"]
    for block, said in zip((found.all, found.cutoff), expected.values(), strict=True):
        assert set(said) == set(NUMBERS) | set(FIGURES)
        for name, mine in NUMBERS.items():
            assert str(getattr(block, mine)) == said[name], name
        for name, mine in FIGURES.items():
            value = getattr(block, mine)
            if not block.valid:  # where EVALB prints 0 or -nan
                assert value is None
            elif name == "Average crossing":
                assert f"{value:.2f}" == said[name]
            else:
                assert printed(value) == said[name], name


def check_rows(found: cz.ParsevalResult, expected: list[dict[str, Any]]) -> None:
    assert len(found.sentences) == len(expected)
    for mine, said in zip(found.sentences, expected, strict=True):
        assert mine.number == said["id"]
        assert {name: getattr(mine, own) for name, own in COUNTS.items()} == {name: said[name] for name in COUNTS}
        assert (mine.reason is None) == (mine.status == 0)
        for name, own in SHARES.items():
            if name in said and (name == "tag_acc" or mine.gold + mine.predicted):  # of nothing, EVALB says 0 and we 1
                assert printed(getattr(mine, own)) == said[name]


@pytest.mark.parametrize(
    ("run", "file", "options"),
    [
        ("COLLINS", "COLLINS.prm", {}),
        ("COLLINS_unlabelled", "COLLINS.prm", {"labelled": False}),
        ("new", "new.prm", {}),
    ],
)
def test_76_pairs(shared: DataFolder, run: str, file: str, options: dict[str, Any]) -> None:
    told = read_oracle("evalb.json")
    gold, predicted = (
        [cz.Tree.from_brackets(pair[side]) if pair[side].strip() else None for pair in told["pairs"]]
        for side in ("gold", "test")
    )
    found = cz.parseval_corpus(gold, predicted, param=shared / f"data/trees/evalb/{file}", **options)
    expected = told["evalb"][run]
    check_rows(found, expected["per_sentence"])
    check_summary(found, expected["summary"])
    # "3 : Length unmatch (28|27)", "32 : Words unmatch (an|,)"; the list is cut
    for line in expected["stderr"]:
        number, _, problem = line.partition(" : ")
        kind, _, rest = problem.partition(" (")
        x, _, y = rest.rstrip(")").partition("|")
        why = found.sentences[int(number) - 1].reason
        said = f"gold has {x}, predicted has {y}" if kind == "Length unmatch" else f"is {x!r} and {y!r}"
        assert why is not None
        assert said in why


def test_unlabelled_figures_stand_beside_the_labelled() -> None:
    told = read_oracle("evalb.json")
    gold, predicted = (
        [cz.Tree.from_brackets(pair[side]) if pair[side].strip() else None for pair in told["pairs"]]
        for side in ("gold", "test")
    )
    found = cz.parseval_corpus(gold, predicted)
    said = told["evalb"]["COLLINS_unlabelled"]["summary"]["All"]
    block = found.all
    mine = (block.unlabelled_recall, block.unlabelled_precision, block.unlabelled_f, block.unlabelled_complete)
    names = ("Bracketing Recall", "Bracketing Precision", "Bracketing FMeasure", "Complete match")
    assert [printed(value) for value in mine] == [said[name] for name in names]


@pytest.mark.parametrize("parsed", ["evalb", "gum_two_parsers"])
def test_samples_and_two_parsers(shared: DataFolder, parsed: str) -> None:
    """EVALB's samples hold the only quotes that come back: bug with new.prm."""
    runs = [run for run in read_oracle("evalb_extra.json") if run["files"].startswith(parsed)]
    for run in runs:
        name, _, which = run["files"].partition(" ")
        endings = ("new.ptb", "old.ptb") if which == "(gold=new,test=old)" else ("gld", "tst")
        gold, predicted = (cz.read_trees(shared / f"data/trees/{name}.{ending}", layout="lines") for ending in endings)
        found = cz.parseval_corpus(gold, predicted, param=shared / f"data/trees/evalb/{run['prm']}")
        check_rows(found, run["rows"])
        check_summary(found, run["summary"])
    if parsed == "evalb":
        assert {("evalb/bug", "new.prm"), ("evalb/sample", "sample.prm")} <= {
            (run["files"], run["prm"]) for run in runs
        }
    assert runs


def test_the_default_is_the_file_of_collins(shared: DataFolder) -> None:
    assert parseval_measure(shared / "data/trees/evalb/COLLINS.prm", {}) == Parseval()
