"""Warnings belong to the thread and the block that caused them."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.engines import open_engine
from caesura.errors import CaesuraWarning
from caesura.notices import warn

THREADS = 16


def study(number: int) -> cz.Corpus:
    """Return a corpus with 2 + number % 4 items, whose number the warning about its interval names."""
    items = range(2 + number % 4)
    return cz.Corpus(
        {
            f"i{i}": {
                coder: cz.Segmentation.from_masses([2, 3 + (i + c) % 3, 4 - (i + c) % 3])
                for c, coder in enumerate("abc")
            }
            for i in items
        }
    )


def work(number: int, folder: Path) -> tuple[Any, ...]:
    """Read, agree and report, and return results and warnings."""
    corpus = study(number)
    path = folder / f"{number % 4}.json"
    with cz.collect_warnings() as read_messages:
        read = cz.read(path)
    with cz.collect_warnings() as messages:
        value = cz.agreement(read, seed=0)
    with cz.collect_warnings():
        page = cz.report(corpus, title=str(number % 4))
    assert value.warnings == tuple(messages)
    return read, value, page, tuple(read_messages), tuple(messages)


@pytest.mark.slow
def test_sixteen_threads_have_their_own_results_and_warnings(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs caesura[report]")
    pytest.importorskip("jinja2", reason="needs caesura[report]")
    for number in range(4):
        cz.write(study(number), tmp_path / f"{number}.json")
    alone = [work(number, tmp_path) for number in range(4)]
    for number in range(4):
        assert any(f"an interval from {2 + number} items is too narrow" in message for message in alone[number][-1])
        assert f"an interval from {2 + number} items is too narrow" in alone[number][2]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda number: work(number, tmp_path), range(THREADS)))
    for number, results in enumerate(together):
        assert results == alone[number % 4]


def test_results_have_the_warnings_of_their_computation() -> None:
    with pytest.warns(CaesuraWarning, match="an interval from 3 items is too narrow") as caught:
        result = cz.agreement(study(1), seed=0)
    assert result.warnings == (str(caught[0].message),)
    assert caught[0].filename == __file__
    assert pickle.loads(pickle.dumps(result)).warnings == result.warnings
    assert cz.agreement(study(1), interval=None).warnings == ()


def test_threads_have_results_with_their_own_warnings() -> None:
    def compute(number: int) -> tuple[str, ...]:
        with cz.collect_warnings():
            return cz.agreement(study(number), seed=0).warnings

    with ThreadPoolExecutor(THREADS) as pool:
        for number, warnings in enumerate(pool.map(compute, range(THREADS))):
            assert len(warnings) == 1
            assert warnings[0].startswith(f"an interval from {2 + number % 4} items")


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_warnings_of_workers_reach_the_block(name: str) -> None:
    with open_engine(name, 2) as engine, cz.collect_warnings() as messages:
        list(engine.map(warn, ["first", "second", "first"]))
    assert messages == ["first", "second"]


def test_blocks_are_nested() -> None:
    with cz.collect_warnings() as outer:
        warn("a")
        with cz.collect_warnings() as inner:
            warn("b")
        warn("a")
    assert (outer, inner) == (["a"], ["b"])
    with pytest.warns(CaesuraWarning, match="c") as caught:
        warn("c")
    assert caught[0].filename == __file__
