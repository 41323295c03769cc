"""Limits on the work of gamma: what is left out or refused, and that it is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.agreement import gamma_samples
from caesura.agreement.gamma_chance import Continuum
from caesura.agreement.unitizing import shared_results
from caesura.agreement.unitizing_scores import UnitizingAgreement
from caesura.engines import use_engine
from caesura.errors import LimitError
from support.continua import overlapping


def corpus_of(coders: int, units: int = 6) -> cz.Corpus:
    return cz.Corpus({"text": {name: cz.Spans(rows) for name, rows in overlapping(coders, units, 80, 9, 0).items()}})


def compute(corpus: cz.Corpus, coefficient: Any = "gamma", **options: Any) -> tuple[UnitizingAgreement, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cz.agreement(corpus, coefficient=coefficient, interval=None, **options)
    assert isinstance(result, UnitizingAgreement)
    return result, [str(entry.message) for entry in caught]


def test_too_many_coders_are_refused_unless_the_samples_are_set() -> None:
    corpus = corpus_of(51, 1)
    with pytest.raises(LimitError, match="gamma: 51 coders, more than 50"):
        cz.agreement(corpus, coefficient="gamma")
    both = cz.Corpus({"many": dict(corpus.of_item("text")), "few": dict(corpus_of(3).of_item("text"))})
    result, _ = compute(both)
    assert [(entry.item, "51 coders" in entry.reason) for entry in result.excluded] == [("many", True)]
    assert [row.item for row in result.items] == ["few"]


def test_fewer_samples_and_no_tables_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(4)
    full, messages = compute(corpus)
    assert not messages
    monkeypatch.setattr(gamma_samples, "MAX_TABLE_WORK", 0)
    result, messages = compute(corpus)
    assert result.value == full.value
    assert any("the values of pairs of coders and of all coders but one are left out" in line for line in messages)
    assert all(row.value is None for row in result.pairs)
    assert {row.reason for row in result.pairs} == {"left out, because it would take too much work"}
    assert all(row.without is None for row in result.coders)
    assert "nan" not in str(result.to_dict()).lower()


def test_first_samples_are_the_same_with_less_work(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(3)
    seven, _ = compute(corpus, samples=7)
    with use_engine("threads", workers=1) as engine:
        rows = gamma_samples.SampleRows
        seen: list[float] = []
        observed: list[float] = []
        align, measure = rows.observed, rows.samples

        def remember_observed(self: Any, cells: Any) -> Any:
            result = align(self, cells)
            observed.append(float(sum(row[gamma_samples.WORK_COLUMN] for row in result)))
            return result

        def remember(self: Any, cells: Any, wanted: Any) -> Any:
            result = measure(self, cells, wanted)
            seen.append(float(sum(part[:, gamma_samples.WORK_COLUMN].mean() for part in result)))
            return result

        monkeypatch.setattr(rows, "observed", remember_observed)
        monkeypatch.setattr(rows, "samples", remember)
        compute(corpus, samples=5, engine=engine)
        monkeypatch.setattr(rows, "observed", align)
        monkeypatch.setattr(rows, "samples", measure)
    monkeypatch.setattr(
        gamma_samples, "MAX_FIRST_SAMPLES_WORK", observed[0] + 7.5 * (seen[0] + gamma_samples._PER_SAMPLE)
    )
    result, messages = compute(corpus)
    assert result.draws == 7
    assert result.expected_disorder == seven.expected_disorder
    assert any("expected disorder rests on 7 random samples instead of" in line for line in messages)
    monkeypatch.setattr(gamma_samples, "MAX_FIRST_SAMPLES_WORK", 0.1 * seen[0])
    assert compute(corpus)[0].draws == gamma_samples.MIN_SAMPLES
    monkeypatch.undo()
    monkeypatch.setattr(gamma_samples, "MAX_SAMPLED_WORK", observed[0] + 40.5 * (seen[0] + gamma_samples._PER_SAMPLE))
    assert 35 < compute(corpus)[0].draws < 45  # the precision needs more
    monkeypatch.setattr(gamma_samples, "MAX_SAMPLE_WORK", 0.1 * seen[0])
    with pytest.raises(LimitError, match=r"5 random samples of 18 spans of up to 3 coders would take about"):
        compute(corpus)


def test_too_much_work_is_refused_before_all_items_are_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = cz.Corpus({f"text{i}": dict(corpus_of(3).of_item("text")) for i in range(30)})
    aligned: list[int] = []
    align = gamma_samples.SampleRows.observed

    def remember(self: Any, cells: Any) -> Any:
        aligned.append(sum(cell.observed.units for cell in cells))
        return align(self, cells)

    monkeypatch.setattr(gamma_samples.SampleRows, "observed", remember)
    monkeypatch.setattr(gamma_samples, "MAX_SAMPLE_WORK", 1)
    monkeypatch.setattr(gamma_samples, "_PILOT_UNITS", 40)
    with pytest.raises(LimitError, match="the best alignment and 5 random samples of"):
        compute(corpus)
    assert aligned == [5]  # one window of a long item


def test_window_has_units_that_follow_each_other() -> None:
    starts = np.tile(np.arange(10.0), 2)
    continuum = Continuum(starts, starts + 1, np.zeros(20, np.int32), (10, 10), (0.0, 10.0))
    window = continuum.window(6)
    assert window.starts.tolist() == [4.0, 5.0, 6.0, 3.0, 4.0, 5.0]
    assert window.sizes == (3, 3)
    assert continuum.window(20) is continuum


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
