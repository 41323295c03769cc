"""How many boundaries coders placed, and how many coders placed each."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.agreement.placed import Placed
from caesura.errors import MismatchError, OptionError
from caesura.views.agreement import draw_heat, heat_table
from support.corpora import of_masses, random_corpus


def test_by_hand() -> None:
    """bo coded y only, with nothing in it.

    x  ann ··|··|··
    y  ann ·|·       bo ··
    """
    placed = cz.boundaries_placed(of_masses(x={"ann": [2, 2, 2]}, y={"ann": [1, 1], "bo": [2]}))
    ann, bo = placed.rows
    assert (ann.coder, ann.items, ann.units, ann.positions, ann.boundaries) == ("ann", 2, 8, 6, 3)
    assert (bo.coder, bo.items, bo.units, bo.positions, bo.boundaries) == ("bo", 1, 2, 1, 0)
    assert (ann.per_item, ann.per_unit, bo.per_item, bo.per_unit) == (1.5, 0.5, 0, 0)
    assert (placed.mean, placed.deviation) == (0.75, 0.75)


def test_types() -> None:
    segmentation = cz.Segmentation.from_sets([{"act", "scene"}, set(), {"scene"}], types=["scene", "act"])
    (row,) = cz.boundaries_placed(cz.Corpus({"x": {"a": segmentation}})).rows
    assert (row.boundaries, dict(row.types)) == (2, {"act": 1, "scene": 2})


def test_end_of_text_does_not_count() -> None:
    segmentation = cz.Segmentation.from_marks(["", ",", "", "."])
    (row,) = cz.boundaries_placed(cz.Corpus({"x": {"a": segmentation}})).rows
    assert (row.boundaries, row.positions, dict(row.types)) == (1, 3, {",": 1})


def test_streams_count_as_texts() -> None:
    """F ··, ···. has a place between two units less than it has units, and so has M ·? which has none."""
    talk = {"F": cz.Segmentation.from_marks(["", ",", "", "", "."]), "M": cz.Segmentation.from_marks(["?"])}
    (row,) = cz.boundaries_placed(cz.Corpus({"talk": {"ann": talk}})).rows
    assert (row.items, row.units, row.positions, row.boundaries) == (1, 6, 4, 1)
    assert row.per_unit == 0.25


def test_texts_of_one_unit() -> None:
    (row,) = cz.boundaries_placed(of_masses(x={"a": [1]})).rows
    assert (row.positions, row.per_unit) == (0, 0)


@given(st.integers(0, 10_000))
def test_sums(seed: int) -> None:
    corpus = random_corpus(seed, items=4, missing=0.3)
    placed = cz.boundaries_placed(corpus)
    assert sum(row.boundaries for row in placed.rows) == sum(corpus[key].inner.size for key in corpus)
    per_item = [row.boundaries / row.items for row in placed.rows]
    mean = sum(per_item) / len(per_item)
    assert placed.mean == pytest.approx(mean)
    assert placed.deviation == pytest.approx(math.sqrt(sum((n - mean) ** 2 for n in per_item) / len(per_item)))
    data = json.loads(json.dumps(placed.to_dict()))
    assert [row["coder"] for row in data["rows"]] == list(corpus.coders)
    assert data["mean"] == placed.mean


def test_invalid_input() -> None:
    for call in (cz.boundaries_placed, cz.boundary_heat):
        with pytest.raises(OptionError, match=r"^corpus: expected a Corpus; got list$"):
            call([])  # type: ignore[arg-type, operator]
    with pytest.raises(OptionError, match=r"^expected at least one coder; got none$"):
        cz.boundaries_placed(cz.Corpus({}))


def test_heat_by_hand() -> None:
    """
    x  ann ··|··|··   bo ··|···|·
    y  bo  ·|·
    """
    result = cz.boundary_heat(of_masses(x={"ann": [2, 2, 2], "bo": [2, 3, 1]}, y={"bo": [1, 1]}))
    expected = [("x", None, 2, (0, 2, 0, 1, 1)), ("y", None, 1, (1,))]
    assert [(heat.item, heat.stream, heat.coders, heat.counts) for heat in result] == expected
    assert draw_heat(result) == "x, 2 coders\n    1  ·2·11\n\ny, 1 coder\n    1  1"
    assert heat_table(result).columns == ("item", "position", "marked by", "coders")
    assert heat_table(result).rows[1] == ("x", 2, 2, 2)
    expected = {"item": "x", "stream": None, "coders": 2, "counts": [0, 2, 0, 1, 1], "excluded": []}
    assert json.loads(json.dumps(result[0].to_dict())) == expected


def test_heat_of_streams() -> None:
    talk = {"F": cz.Segmentation.from_marks(["", ",", ""]), "M": cz.Segmentation.from_marks(["?"])}
    result = cz.boundary_heat(cz.Corpus({"talk": {"ann": talk, "bo": talk}}))
    assert [(heat.stream, heat.counts) for heat in result] == [("F", (0, 2)), ("M", ())]
    assert draw_heat(result) == "talk, F, 2 coders\n    1  ·2\n\ntalk, M, 2 coders\n    1"
    assert heat_table(result).rows == (("talk", "F", 1, 0, 2), ("talk", "F", 2, 2, 2))
    assert result[0].to_dict()["stream"] == "F"


def test_heat_wraps_long_texts_and_abbreviates_many_coders() -> None:
    corpus = of_masses(x={f"c{i}": [3, 60] for i in range(12)})
    assert draw_heat(cz.boundary_heat(corpus), width=30).splitlines() == [
        "x, 12 coders",
        "    1  ··#" + "·" * 27,
        "   31  " + "·" * 30,
        "   61  ··",
    ]


def test_control_characters_in_names() -> None:
    assert "\x1b" not in draw_heat(cz.boundary_heat(of_masses(**{"\x1b[31m": {"a": [2, 2]}})))


def test_heat_of_different_texts() -> None:
    with pytest.raises(MismatchError, match=r"^item 'x', coder 'b': all coders must segment the same text$"):
        cz.boundary_heat(of_masses(x={"a": [2, 2], "b": [2, 3]}))


def test_nobody_placed_anything() -> None:
    placed = Placed(())
    assert placed.to_dict() == {"rows": [], "excluded": [], "mean": None, "deviation": None}
    assert math.isnan(placed.mean_density)
    assert math.isnan(placed.density_deviation)
