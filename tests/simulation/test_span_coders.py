"""Simulated coders of spans make errors at the stated rates."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.errors import InputError, OptionError
from caesura.simulation import span_coders

TRUTH = cz.Corpus({"text": {"ann": cz.Spans([(10 * k, 10 * k + 6, "xyz"[k % 3]) for k in range(400)], length=4000)}})


def test_without_errors_all_coders_have_the_truth() -> None:
    simulated = span_coders(TRUTH, coders=2)
    assert simulated["text", "coder 1"] == simulated["text", "coder 2"]
    assert simulated["text", "coder 1"].spans == TRUTH["text", "ann"].spans


def test_rates_of_errors() -> None:
    coder = span_coders(TRUTH, miss=0.25, seed=1)["text", "coder 1"]
    assert len(coder) == pytest.approx(300, abs=30)
    coder = span_coders(TRUTH, confuse=0.3, seed=1)["text", "coder 1"]
    changed = sum(a.category != b.category for a, b in zip(coder.spans, TRUTH["text", "ann"].spans, strict=True))
    assert changed == pytest.approx(400 * 0.3 * 2 / 3, abs=25)
    coder = span_coders(TRUTH, shift=0.1, seed=1)["text", "coder 1"]
    moved = np.sort(coder.starts) - TRUTH["text", "ann"].starts
    assert moved.std() == pytest.approx(0.6, rel=0.15)


def test_bad_rates_and_corpora() -> None:
    with pytest.raises(OptionError, match="miss must be"):
        span_coders(TRUTH, miss=1.5)
    with pytest.raises(OptionError, match="coders must be"):
        span_coders(TRUTH, coders=1)
    with pytest.raises(InputError, match="no spans"):
        span_coders(cz.Corpus({"text": {"ann": cz.Spans([])}}))
