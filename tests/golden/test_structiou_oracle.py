"""Struct-IoU of 250 pairs of trees, compared with the authors' program."""

from __future__ import annotations

import math

import pytest

import caesura as cz
from oracle.structiou import violations
from support.oracles import read_oracle


def test_oracle() -> None:
    cases = read_oracle("structiou.jsonl")
    assert len(cases) == 250
    for case in cases:
        gold = cz.Tree.from_brackets(case["gold"], case["gold_times"])
        predicted = cz.Tree.from_brackets(case["pred"], case["pred_times"])
        options = {"flexible_terminals": case["flexible_terminal_alignment"], "threshold": case["threshold_iou"]}
        score = cz.struct_iou(gold, predicted, **options)
        assert (len(gold), len(predicted)) == (case["n_gold"], case["n_pred"])
        assert score.value == pytest.approx(case["struct_iou"], abs=1e-9), case["id"]
        assert score.parts["iou"] == pytest.approx(case["sum_iou"], abs=1e-9)
        # Several alignments may have the same value, so only the sum is compared.
        gold_spans, predicted_spans = gold.spans, predicted.spans
        theirs = [(j, i) for i, j in case["alignment_preorder"]]
        assert not violations(gold, predicted, [(p.gold, p.predicted) for p in score.alignment])
        assert math.fsum(p.iou for p in score.alignment) == pytest.approx(case["sum_iou"], abs=1e-9)
        assert math.fsum(_iou(gold_spans[i], predicted_spans[j]) for i, j in theirs) == pytest.approx(
            case["sum_iou"], abs=1e-9
        )
        if options == {"flexible_terminals": True, "threshold": 0.0}:
            assert cz.struct_iou(gold, predicted, compat="struct-iou").value == score.value


def _iou(a: list[float], b: list[float]) -> float:
    common = min(a[1], b[1]) - max(a[0], b[0])
    return common / ((a[1] - a[0]) + (b[1] - b[0]) - common)
