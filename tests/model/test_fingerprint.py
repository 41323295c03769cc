"""Fingerprints are equal for equal data in any format and order, and differ if anything that is scored differs."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.model.documents import BoundaryColumn, Documents
from caesura.model.fingerprint import DigestSum, column_digests, digest_sum, fingerprint_of_pairs, pair_digests
from support.strategies import Pair, pairs

DATA = Path(__file__).parents[2] / "examples" / "data"
masses = cz.Segmentation.from_masses
PEOPLE = {
    "one": {"ann": masses([2, 3, 6]), "bo": masses([2, 2, 7]), "cy": masses([11])},
    "two": {"ann": masses([4, 4]), "bo": masses([3, 5])},
}


def fingerprint(annotations: dict[str, dict[str, object]]) -> str:
    return cz.Corpus(annotations).fingerprint  # type: ignore[arg-type]


def test_form() -> None:
    value = fingerprint(PEOPLE)
    assert len(value) == 16
    assert int(value, 16) >= 0


def test_order_of_items_and_coders_does_not_matter() -> None:
    reversed_order = {item: dict(reversed(list(by.items()))) for item, by in reversed(list(PEOPLE.items()))}
    assert fingerprint(reversed_order) == fingerprint(PEOPLE)


def test_words_do_not_matter() -> None:
    worded = PEOPLE | {"two": {"ann": masses([4, 4], units="abcdefgh"), "bo": masses([3, 5], units="12345678")}}
    assert fingerprint(worded) == fingerprint(PEOPLE)


CHANGES = {
    "a boundary moved": PEOPLE | {"two": {"ann": masses([4, 4]), "bo": masses([4, 4])}},
    "a boundary more": PEOPLE | {"two": {"ann": masses([4, 4]), "bo": masses([3, 4, 1])}},
    "a unit more": PEOPLE | {"two": {"ann": masses([4, 5]), "bo": masses([3, 6])}},
    "another item": PEOPLE | {"three": {"ann": masses([4, 4])}},
    "an item renamed": {"one": PEOPLE["one"], "second": PEOPLE["two"]},
    "a coder renamed": PEOPLE | {"two": {"ann": masses([4, 4]), "dee": masses([3, 5])}},
    "coders exchanged": PEOPLE | {"two": {"bo": masses([4, 4]), "ann": masses([3, 5])}},
    "items exchanged": {"one": PEOPLE["two"], "two": PEOPLE["one"]},
    "a coder missing": PEOPLE | {"two": {"ann": masses([4, 4])}},
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_matters(name: str) -> None:
    assert fingerprint(CHANGES[name]) != fingerprint(PEOPLE)


def test_a_single_item_and_a_single_coder_need_no_name() -> None:
    assert fingerprint({"a": {"x": masses([2, 3])}}) == fingerprint({"b": {"y": masses([2, 3])}})
    both = {"x": masses([2, 3]), "y": masses([1, 4])}
    assert fingerprint({"a": both}) == fingerprint({"b": both})
    assert fingerprint({"a": both}) != fingerprint({"a": {"x": both["x"], "z": both["y"]}})


def test_names_are_normalized() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    one, two = ({name: {name: masses([2, 3]), "b": masses([5])}, "z": PEOPLE["two"]} for name in (composed, decomposed))
    assert fingerprint(one) == fingerprint(two)  # type: ignore[arg-type]


marks, sets, times, tree = (
    cz.Segmentation.from_marks,
    cz.Segmentation.from_sets,
    cz.Hierarchy.from_times,
    cz.Tree.from_brackets,
)
SPANS = [(1, 6), (1, 4), (5, 6)]


def tier(end: float) -> cz.Tier:
    return cz.Tier([(0, end, "A"), (end, 3, "B")])


@pytest.mark.parametrize(
    ("annotation", "same", "different"),
    [
        (marks(["", ",", "."], types=[",", "."]), marks(["", ",", "."], types=[".", ",", ";"]), marks(["", ".", "."])),
        (marks(["", "", ","]), marks(["", "", ","]), marks(["", "", ""])),
        (sets([{"a", "b"}, set()], types=["a", "b"]), sets([{"b", "a"}, ()], types=["b", "a"]), sets([{"a"}, ()])),
        (tier(1), tier(1 + 1e-9), tier(1.001)),
        (cz.Tier([(0, 3, "A")]), cz.Tier([(0.0, 3, "A")]), cz.Tier([(0, 3, "B")])),
        (cz.Tier([(0.0, 1, "A")]), cz.Tier([(-0.0, 1, "A")]), cz.Tier(points=[(1, "A")])),
        (cz.Hierarchy(6, SPANS), cz.Hierarchy(6, SPANS[::-1], units="abcdef"), cz.Hierarchy(6, SPANS[:2])),
        (times([(0, 9, 1, "A")]), times([(0.0, 9, 1, "A")]), times([(0, 9, 1, "B")])),
        (times([(0, 1e300)]), times([(0, 1e300)]), times([(0, 2e300)])),  # beyond all clocks
        (tree("(S (N a) (V b))"), tree("(S (N c) (V d))"), tree("(S (N a) (N b))")),
        (
            cz.Dialogue({"A": masses([2, 3]), "B": masses([4])}),
            cz.Dialogue({"B": masses([4]), "A": masses([2, 3])}),
            cz.Dialogue({"A": masses([4]), "B": masses([2, 3])}),
        ),
        (cz.Spans([(0.0, 1.5, "a")]), cz.Spans([(-0.0, 1.5, "a")]), cz.Spans([(0.0, 1.75, "a")])),
        (cz.BoundaryScores([0.5, 0.0]), cz.BoundaryScores([0.5, -0.0]), cz.BoundaryScores([0.75, 0.0])),
    ],
)
def test_what_matters_in_an_annotation(annotation: object, same: object, different: object) -> None:
    first, second, third = (fingerprint({"x": {"a": entry}}) for entry in (annotation, same, different))
    assert first == second != third


# What version 0.2 printed. A signature of that version names its data with these digits.
@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (masses([2, 3]), "0ebcab1bb2f65906"),
        (marks(["", ",", "."]), "9d4a27118ea275d5"),
        (sets([{"a", "b"}, set()]), "24b90b4f43ccb231"),
        (tier(1.5), "341166558cb34608"),
        (cz.Tier(points=[(1, "A")], words=[(0, 2, "w")]), "d0652434689e1ddc"),
        (cz.Hierarchy(6, SPANS), "ba7812c9d00f0c67"),
        (times([(0, 9, 1, "A"), (2, 4.5, 2)]), "15b389203db4ad79"),
        (tree("(S (N a) (V b))").with_times([(0, 1), (1, 2.5)]), "a6b07ba64a0c39cc"),
        (cz.Dialogue({"A": masses([2, 3]), "B": masses([4])}), "a4959bf891d2cb3f"),
        (cz.Spans([(0, 3, "a"), (2, 4)], length=9), "5aa2385fbea1f8ab"),
        (cz.Spans([(0.25, 3, "é")], seconds=True), "a8b6de1affc3fbfa"),
        (cz.BoundaryScores([0.5, 0.25], [1.5, 2]), "a414de767b5180a8"),
    ],
)
def test_fingerprints_are_those_of_earlier_versions(annotation: object, expected: str) -> None:
    assert fingerprint({"x": {"a": annotation, "b": masses([5])}}) == expected


@pytest.mark.parametrize("suffix", [".csv", ".json", ".tsv"])
def test_file_format_and_path_do_not_matter(suffix: str, tmp_path: Path) -> None:
    corpus = cz.read(DATA / "people.json")
    path = tmp_path / f"elsewhere{suffix}"
    cz.write(corpus, path)
    assert cz.read(path).fingerprint == corpus.fingerprint


@given(st.lists(pairs(max_units=12), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_sums_in_any_order_and_grouping(documents: list[Pair], shuffler: random.Random) -> None:
    named = [(f"d{i}", pair.segmentations) for i, pair in enumerate(documents)]
    whole = fingerprint_of_pairs(dict(named))
    shuffler.shuffle(named)
    cut = shuffler.randrange(len(named) + 1)
    parts = pair_digests(named[:cut]) + pair_digests(named[cut:])
    assert (DigestSum() + parts).fingerprint == whole
    corpus = cz.Corpus({item: {"reference": a, "hypothesis": b} for item, (a, b) in named})
    assert corpus.fingerprint == whole


def test_equal_items_count_twice() -> None:
    entry = ("x", {"a": masses([2, 3]), "b": masses([5])})
    assert digest_sum([entry, entry]).fingerprint != digest_sum([entry]).fingerprint


def test_equal_in_every_process() -> None:
    code = "import caesura as cz; print(cz.read(r'%s').fingerprint)" % (DATA / "people.json")
    processes = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(2)]
    assert {process.stdout.strip() for process in processes} == {cz.read(DATA / "people.json").fingerprint}


@given(st.lists(pairs(max_units=12), min_size=1, max_size=6), st.data())
def test_documents_in_columns(documents: list[Pair], data: st.DataObject) -> None:
    """Columns have the fingerprint of the objects, for any choice of documents."""

    def column(sides: list[list[int]]) -> BoundaryColumn:
        offsets = np.cumsum([0, *map(len, sides)])
        return BoundaryColumn(np.array([position for side in sides for position in side], np.int64), offsets)

    references, hypotheses = ([sorted(getattr(pair, side)) for pair in documents] for side in "ab")
    items = [f"d{i}" for i in range(len(documents))]
    lengths = np.array([pair.length for pair in documents])
    columns = Documents(items, range(len(items)), lengths, column(references), column(hypotheses))
    places = data.draw(st.lists(st.sampled_from(range(len(items))), unique=True))
    expected = pair_digests((items[place], documents[place].segmentations) for place in places)
    assert column_digests(columns, places) == expected


def test_negative_zero_is_the_same_option() -> None:
    assert repr(cz.parse("boundary_similarity(w_trp=-0.0)")) == repr(cz.parse("boundary_similarity(w_trp=0.0)"))
