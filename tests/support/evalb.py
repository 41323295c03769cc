"""EVALB's own output compared with ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import caesura as cz

PARAMETERS = Path(__file__).parents[1] / "data" / "evalb"
"""The parameter values of EVALB's own files, in files of our own."""

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
    """Return a ratio as EVALB prints it: 0 if it is undefined."""
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
