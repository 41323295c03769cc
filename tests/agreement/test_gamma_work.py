"""Limits on the work of gamma: what is left out or refused, and that it is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.unitizing import shared_results
from caesura.agreement.unitizing_scores import UnitizingAgreement
from support.continua import overlapping


def corpus_of(coders: int, units: int = 6) -> cz.Corpus:
    return cz.Corpus({"text": {name: cz.Spans(rows) for name, rows in overlapping(coders, units, 80, 9, 0).items()}})


def compute(corpus: cz.Corpus, coefficient: Any = "gamma", **options: Any) -> tuple[UnitizingAgreement, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cz.agreement(corpus, coefficient=coefficient, interval=None, **options)
    assert isinstance(result, UnitizingAgreement)
    return result, [str(entry.message) for entry in caught]


@pytest.mark.parametrize("options", [{}, {"samples": 40}])
def test_shared_samples_change_no_bit(options: dict[str, Any]) -> None:
    corpus = corpus_of(3)
    names = ("gamma", "gamma_cat", "gamma_k")
    alone = [compute(corpus, name, **options)[0] for name in names]
    with shared_results():
        together = [compute(corpus, name, **options)[0] for name in names]
    for first, second in zip(alone, together, strict=True):
        assert first.to_dict() == second.to_dict()


def test_unproved_alignments_give_a_range_of_gamma() -> None:
    result, messages = compute(corpus_of(9, 7))
    (line,) = [line for line in messages if "not proved" in line]
    low, high = (float(word) for word in line.rpartition("between ")[2].split(" and "))
    assert low <= result.value <= high + 5e-4
    assert not result.params["proved"]
    alignment = result.alignment["text"]
    assert alignment.bound <= alignment.disorder + 1e-12


def test_a_category_per_span_needs_little_memory() -> None:
    spans = {coder: cz.Spans([(20 * k, 20 * k + 9, f"{coder}{k}") for k in range(3000)]) for coder in ("ann", "ben")}
    result, _ = compute(cz.Corpus({"text": spans}), samples=2)
    assert len(result.categories) in (0, 6000)
    assert np.isfinite(result.value)
    assert result.observed_disorder == pytest.approx(1.0)
