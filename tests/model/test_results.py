"""Every result has a short ``repr``, plain data, a flat data frame, a signature and a list of excluded items."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.data import stargazer
from caesura.errors import OptionError
from caesura.model.plain import flatten
from caesura.model.result import Result
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.alignments import align_coders
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.tasks.verify import verify_all

DATA = Path(__file__).parents[2] / "examples" / "data"
masses = cz.Segmentation.from_masses


def results() -> dict[str, Result]:
    people, trees = cz.read(DATA / "people.json"), [cz.read_trees(DATA / f"{name}.ptb") for name in ("gold", "parser")]
    annotators = cz.read(DATA / "annotators.json")
    agreement = cz.agreement(people)
    study = agree(people, AgreeOptions(clusters=True, cochran=True, heat=True, coefficients=("multi_pi", "alpha")))
    judgement = cz.judge(people, {name: cz.read(DATA / f"{name}.json").of_coder(name) for name in ("mine", "theirs")})
    listed = {
        "score": cz.boundary_confusion(people["engine", "ann"], people["engine", "bo"]),
        "scores": cz.score_many([(people["engine", "ann"], people["engine", "bo"])] * 9, "B"),
        "scoring": score_corpora(
            people.select(coders=["ann", "bo"]), None, ScoreOptions(by_item=True, operations=True)
        ),
        "reading": people.reading,
        "agreement": agreement,
        "study": study,
        "pairwise": cz.pairwise(people, "B"),
        "disagreements": cz.disagreements(people),
        "judgement": judgement,
        "evaluation": cz.evaluate(DATA / "documents.jsonl"),
        "unified": cz.unify(annotators.of_item("talk")),
        "labels": cz.label_agreement(_labelled()),
        "stargazer": cz.agreement(stargazer(), "S"),
        "parseval": cz.parseval_corpus(*trees),
        "struct_iou": cz.struct_iou_corpus(*trees),
        "verification": cz.verify(agreement, people),
        "verifications": verify_all(agreement.to_dict(), people),
        "gold": cz.gold(people),
        "alignments": align_coders(people, cz.parse("B")),
    }
    return {name: result for name, result in listed.items() if result is not None}


def _labelled() -> cz.Corpus:
    return cz.Corpus(
        {"x": {coder: cz.Segmentation.from_labels(labels) for coder, labels in {"a": "AABB", "b": "AAAB"}.items()}}
    )


def inside(value: Any, depth: int = 0) -> Iterator[Result]:
    """Yield the results in a value and in its fields and entries."""
    if isinstance(value, Result):
        yield value
    if depth > 6 or isinstance(value, (str, bytes, type)):
        return
    if is_dataclass(value):
        for entry in fields(value):
            yield from inside(getattr(value, entry.name), depth + 1)
    elif isinstance(value, Mapping):
        for entry in list(value.values())[:5]:
            yield from inside(entry, depth + 1)
    elif isinstance(value, (list, tuple)):
        for entry in value[:5]:
            yield from inside(entry, depth + 1)


@pytest.fixture(scope="module")
def found() -> dict[str, Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = results()
    nested = {type(entry).__name__: entry for result in listed.values() for entry in inside(result)}
    return {**nested, **listed}


def rows_of(result: Result) -> list[dict[str, Any]]:
    frame = result.to_frame()
    rows: list[dict[str, Any]] = frame.to_dict("records")
    return rows


def test_repr_is_short(found: dict[str, Result]) -> None:
    for name, result in found.items():
        lines = repr(result).splitlines()
        assert sum(math.ceil(len(line) / 100) or 1 for line in lines) <= 10, f"{name}: {result!r}"


def test_plain_data_is_json(found: dict[str, Result]) -> None:
    for name, result in found.items():
        json.dumps(result.to_dict(), allow_nan=False)
        assert isinstance(result.to_dict(), dict), name


def test_frames_are_flat(found: dict[str, Result]) -> None:
    pytest.importorskip("pandas")
    for name, result in found.items():
        for row in rows_of(result):
            nested = {column: cell for column, cell in row.items() if isinstance(cell, (list, dict, tuple, set))}
            assert not nested, f"{name}: {nested}"


def test_every_result_has_a_signature_and_excluded_items(found: dict[str, Result]) -> None:
    for name, result in found.items():
        assert result.signature is None or isinstance(result.signature, str), name  # type: ignore[attr-defined]
        assert isinstance(result.excluded, tuple), name  # type: ignore[attr-defined]
        assert result.data is None or len(result.data) == 16, name


def test_all_classes_inherit_the_short_repr() -> None:
    for module in pkgutil.walk_packages(cz.__path__, "caesura."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    long = [kind for kind in _subclasses(Result) if hasattr(kind.__repr__, "__wrapped__")]  # those of dataclasses
    assert long == []


def _subclasses(kind: type) -> Iterator[type]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def test_polars_if_there_is_no_pandas(found: dict[str, Result], monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    expected = {name: result.to_frame() for name, result in found.items()}
    monkeypatch.setitem(sys.modules, "pandas", None)
    for name, result in found.items():
        frame = result.to_frame()
        assert isinstance(frame, polars.DataFrame)
        assert frame.shape == expected[name].shape, name
        assert frame.columns == list(expected[name].columns), name
        assert not any(isinstance(kind, (polars.List, polars.Struct, polars.Object)) for kind in frame.dtypes), name
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(OptionError, match="to_frame needs pandas or polars"):
        next(iter(found.values())).to_frame()


def test_flatten() -> None:
    plain = {
        "a": {"b": {"c": 1}},
        "interval": None,
        "names": ["x", None, 3],
        "rows": [{"y": 1}],
        "empty": {},
        "none": [],
    }
    assert flatten(plain) == {"a.b.c": 1, "interval": None, "names": "x, , 3", "none": ""}


@pytest.mark.parametrize("value", [[0, 1, 0], (2, 3, 6), [1, 0, 0, 1], np.array([2, 3, 6])])
def test_a_list_instead_of_a_segmentation_names_the_constructors(value: list[int]) -> None:
    listed = str([int(entry) for entry in value])
    calls = (
        lambda: cz.boundary_similarity(value, masses([2, 2])),
        lambda: cz.score_many([(value, value)], "B")[0],
        lambda: cz.Corpus({"x": {"a": value}}),  # type: ignore[dict-item]
        lambda: cz.Tally("pk").update(value, masses([2, 2])),
    )
    for call in calls:
        with pytest.raises(cz.errors.CaesuraError, match=r"Segmentation\.from_\w+\(") as caught:
            call()
        assert listed in str(caught.value)
