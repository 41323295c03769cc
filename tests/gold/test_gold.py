"""``cz.gold``: methods, origin of boundaries, types, dialogues, hierarchies, and bad input."""

from __future__ import annotations

from importlib import import_module

import pytest

import caesura as cz
from caesura.data import stargazer
from caesura.errors import OptionError, Undefined
from caesura.gold.linear import GoldBoundary
from oracle.median import medians, preferred
from support.corpora import random_corpus


def corpus_of(length: int, **coders: list[int]) -> cz.Corpus:
    return cz.Corpus({"t": {name: cz.Segmentation.from_positions(length, at) for name, at in coders.items()}})


# position  1 2 3 4 5 6 7 8
# ann       . | . . | . . .
# bo        . | . . . | . .
# cy        . . . . | . . |
# di        . . . . . | . .
FOUR = corpus_of(9, ann=[2, 5], bo=[2, 6], cy=[5, 8], di=[6])


@pytest.mark.parametrize(
    ("method", "positions"),
    [("majority", []), ("any", [2, 5, 6, 8]), ("all", []), ("threshold", [2, 5, 6]), ("median", [2, 5])],
)
def test_methods(method: str, positions: list[int]) -> None:
    result = cz.gold(FOUR, method, threshold=2 if method == "threshold" else None)
    gold = result.corpus["t", "gold"]
    assert isinstance(gold, cz.Segmentation)
    assert gold.positions.tolist() == positions
    assert [boundary.position for boundary in result.kept] == positions
    marked = {2, 5, 6, 8}
    assert [boundary.position for boundary in result.dropped] == sorted(marked - {*positions})


def test_median_is_the_default_and_equals_exhaustive_search() -> None:
    coders = [(2, 5), (2, 6), (5, 8), (6,)]
    cost, golds = medians(coders, 8)
    result = cz.gold(FOUR)
    assert result.method == "median"
    assert (result.cost, result.optima) == (float(cost), len(golds))
    assert tuple(boundary.position for boundary in result.kept) == preferred(golds, coders)


def test_origin_of_boundaries() -> None:
    result = cz.gold(FOUR)
    assert result.kept == (
        GoldBoundary("t", None, 2, None, ("ann", "bo"), {}),
        GoldBoundary("t", None, 5, None, ("ann", "cy"), {"bo": 6, "di": 6}),
    )
    assert result.dropped == (
        GoldBoundary("t", None, 6, None, ("bo", "di"), {"bo": 5, "di": 5}),
        GoldBoundary("t", None, 8, None, ("cy",), {}),
    )
    assert all(boundary.near == {} for boundary in cz.gold(FOUR, "any", n_t=1).kept)


def test_cost_and_agreement_are_those_of_b() -> None:
    for method in ("median", "majority", "any"):
        result = cz.gold(FOUR, method)
        scores = [
            cz.boundary_similarity(result.corpus["t", "gold"], FOUR["t", coder])  # type: ignore[arg-type]
            for coder in FOUR.coders
        ]
        (item,) = result.items
        assert item.cost == result.cost == sum(edit.cost for score in scores for edit in score.edits or ())
        assert item.agreement == pytest.approx(sum(scores).value)  # type: ignore[union-attr]


def test_text_is_kept() -> None:
    units = ["a", "b", "c"]
    coders = {"x": cz.Segmentation.from_positions(3, [1]), "y": cz.Segmentation.from_positions(3, [1], units=units)}
    gold = cz.gold(cz.Corpus({"t": coders})).corpus["t", "gold"]
    assert gold == cz.Segmentation.from_positions(3, [1], units=units)


def test_cochran_uses_the_significant_threshold() -> None:
    readers = stargazer()
    test = cz.cochran_q(readers)
    result = cz.gold(readers, "cochran")
    assert result.thresholds == {"boundary": test.threshold}
    assert result.corpus.of_coder("gold") == test.gold()
    assert f"|threshold:{test.threshold}|" in result.signature
    with pytest.raises(Undefined, match="no significant threshold at alpha=1e-30"):
        cz.gold(readers, "cochran", alpha=1e-30)


def test_each_type_has_its_own_gold() -> None:
    # position 2 has a scene for all, and an act for two of three; no two types exclude each other
    scale = ["scene", "act"]
    sets = {"a": [{"scene", "act"}], "b": [{"scene", "act"}], "c": [{"scene"}]}
    coders = {
        name: cz.Segmentation.from_positions(5, [2], marks=marks, types=scale)  # type: ignore[arg-type]
        for name, marks in sets.items()
    }
    result = cz.gold(cz.Corpus({"play": coders}))
    gold = result.corpus["play", "gold"]
    assert gold == cz.Segmentation.from_positions(5, [2], marks=[{"scene", "act"}], types=scale)
    expected = [("scene", ("a", "b", "c")), ("act", ("a", "b"))]
    assert [(boundary.type, boundary.coders) for boundary in result.kept] == expected


def typed(**coders: str) -> cz.Corpus:
    """Return texts with one type (or none, a dot) per unit."""
    texts = {name: cz.Segmentation.from_marks([m.strip(".") for m in marks]) for name, marks in coders.items()}
    return cz.Corpus({"t": texts})


def test_types_that_exclude_each_other_are_refused_where_both_would_win() -> None:
    corpus = typed(a="..,...;", b="..?...;")
    with pytest.raises(OptionError, match=r"position 3 would get the types ',' and '\?', .* exclude each other"):
        cz.gold(corpus)
    majority = cz.gold(corpus, "majority").corpus["t", "gold"]
    assert isinstance(majority, cz.Segmentation)
    assert majority.boundaries == ((7, ";"),)
    untyped = cz.gold(corpus, ignore_types=True).corpus["t", "gold"]
    assert untyped == cz.Segmentation.from_positions(7, [3])


def test_types_without_conflict_have_a_gold() -> None:
    # the comma is a near miss of b, the end is marked by both
    result = cz.gold(typed(a="..,...;", b="...,..;", c="..,...;"))
    gold = result.corpus["t", "gold"]
    assert isinstance(gold, cz.Segmentation)
    assert gold.boundaries == ((3, ","), (7, ";"))
    assert result.kept[0].near == {"b": 4}  # type: ignore[union-attr]


def test_all_items_have_the_same_types() -> None:
    first, second = typed(a=".,...", b=".,..."), typed(a="..?..", b="..?..")
    corpus = cz.Corpus({"x": first.of_item("t"), "y": second.of_item("t")})
    golds = [*cz.gold(corpus).corpus.values()]
    assert [gold.types for gold in golds] == [(",", "?")] * 2  # type: ignore[union-attr]


def test_streams_are_separate() -> None:
    def talk(first: list[int], second: list[int]) -> cz.Dialogue:
        return cz.Dialogue(
            {"A": cz.Segmentation.from_positions(6, first), "B": cz.Segmentation.from_positions(4, second)}
        )

    corpus = cz.Corpus({"t": {"x": talk([2], [1]), "y": talk([2], [1]), "z": talk([5], [1, 3])}})
    result = cz.gold(corpus)
    assert result.corpus["t", "gold"] == talk([2], [1])
    assert [(boundary.stream, boundary.position) for boundary in result.dropped] == [("A", 5), ("B", 3)]
    assert result.items[0].units == 10


def test_hierarchies_are_unified() -> None:
    coders = {
        "first": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
        "second": cz.Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
        "third": cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
    }
    corpus = cz.Corpus({"figure 4": coders})
    result = cz.gold(corpus)
    unified = cz.unify(coders)
    assert (result.method, result.optima, result.cost) == ("conflict_free_union", 2, None)
    assert result.corpus["figure 4", "gold"] == unified.hierarchy
    assert [(span.start, span.end) for span in result.kept] == [(1, 8), (1, 2), (3, 6), (7, 8)]  # type: ignore[union-attr]
    assert [span.reason for span in result.dropped] == ["crosses 3-6", "crosses 3-6"]  # type: ignore[union-attr]
    assert cz.gold(corpus, "any").method == "union"
    assert cz.gold(corpus, "all").corpus["figure 4", "gold"] == cz.unify(coders, method="consensus").hierarchy
    with pytest.raises(OptionError, match="n_t is an option for segmentations; these are hierarchies"):
        cz.gold(corpus, n_t=3)
    with pytest.raises(OptionError, match="no method 'median'"):
        cz.gold(corpus, "median")


def test_result() -> None:
    result = cz.gold(FOUR)
    assert repr(result) == "Gold(median: 2 boundaries in 1 item of 4 coders, 4 optima)"
    plain = result.to_dict()
    assert plain["kept"][1] == {
        "item": "t",
        "stream": None,
        "position": 5,
        "type": None,
        "coders": ["ann", "cy"],
        "near": {"bo": 6, "di": 6},
        "time": None,
    }
    assert (plain["optima"], plain["cost"], plain["items"][0]["optima"]) == (4, 4.0, 4)
    frame = result.to_frame()
    assert list(frame["position"]) == [2, 5, 6, 8]
    assert list(frame["kept"]) == [True, True, False, False]
    assert frame["coders"][1] == "ann, cy"
    assert "2 boundaries" in result._repr_html_()
    assert result.signature.startswith("gold|method:median|n_t:2|coders:4|items:1|")


def test_optima_of_several_items_multiply_and_may_have_any_number_of_digits() -> None:
    """Each boundary of only one of two coders may be in the gold standard or not; Python prints 4,300 digits."""
    pair = {"a": cz.Segmentation.from_positions(510, range(10, 510, 10)), "b": cz.Segmentation.from_positions(510, [])}
    result = cz.gold(cz.Corpus({str(i): pair for i in range(300)}))
    assert result.optima == 2 ** (50 * 300)
    assert result.to_dict()["optima"] == "about 10^4515"
    assert "about 10^4515 optima" in repr(result)


def test_items_that_cannot_be_used_are_excluded() -> None:
    long, short = cz.Segmentation.from_positions(9, [2]), cz.Segmentation.from_positions(8, [2])
    corpus = cz.Corpus({"good": {"a": long, "b": long}, "lone": {"a": long}, "differ": {"a": long, "b": short}})
    result = cz.gold(corpus)
    expected = ["item 'lone': coded by a only", "item 'differ': 9 tokens for a and 8 for b"]
    assert [str(entry) for entry in result.excluded] == expected
    assert result.corpus.item_names == ("good",)


@pytest.mark.parametrize("method", ["median", "any"])
def test_items_are_aligned_block_by_block(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(7, items=9, coders="abcd")
    whole = cz.gold(corpus, method)
    assert [boundary.item for boundary in whole.dropped] == sorted(boundary.item for boundary in whole.dropped)
    monkeypatch.setattr(import_module("caesura.gold.linear"), "_BLOCK_SIZE", 20)
    blocks = cz.gold(corpus, method)
    assert (blocks.kept, blocks.dropped, blocks.items) == (whole.kept, whole.dropped, whole.items)


def test_items_with_too_many_pairs_of_boundaries_are_excluded(monkeypatch: pytest.MonkeyPatch) -> None:
    dense = {coder: cz.Segmentation.from_positions(9, range(1, 9)) for coder in "abc"}
    corpus = cz.Corpus({"dense": dense, "t": FOUR.of_item("t")})
    monkeypatch.setattr(import_module("caesura.measures.boundary"), "MAX_BOUNDARY_PAIRS", 8)
    result = cz.gold(corpus, "any")
    assert (result.corpus.item_names, [entry.item for entry in result.excluded]) == (("t",), ["dense"])
    assert (result.kept, result.items) == (cz.gold(FOUR, "any").kept, cz.gold(FOUR, "any").items)


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (corpus_of(5, a=[2]), {}, "a gold standard needs at least two coders; got 'a'"),
        (
            cz.Corpus({i: {c: cz.Segmentation.from_positions(5, [2])} for i, c in (("x", "a"), ("y", "b"))}),
            {},
            "no item was annotated by two coders: item 'x': coded by a only; item 'y': coded by b only",
        ),
        (FOUR, {"method": "mayority"}, "no method 'mayority'; did you mean 'majority'?"),
        (FOUR, {"method": "threshold"}, "method 'threshold' needs a threshold"),
        (FOUR, {"method": "threshold", "threshold": 5}, "threshold must be at most 4, the number of coders; got 5"),
        (FOUR, {"method": "threshold", "threshold": 0}, "threshold must be a whole number of at least 1; got 0"),
        (FOUR, {"threshold": 2}, "threshold is an option of the method 'threshold'; got it with 'median'"),
        (FOUR, {"level": "full"}, "level is an option for hierarchies; these are segmentations"),
        (FOUR, {"n_t": 0}, "n_t must be a whole number of at least 1; got 0"),
        (cz.Corpus({"t": {c: cz.Tree.from_brackets("(S (A x))") for c in "ab"}}), {}, "gold needs segmentations"),
    ],
)
def test_bad_input(corpus: cz.Corpus, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        cz.gold(corpus, **options)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_names_of_methods_in_any_case() -> None:
    assert cz.gold(FOUR, "MAJORITY").method == "majority"
