"""The table of pairs of coders under any measure."""

from __future__ import annotations

import json
import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.errors import CaesuraWarning, LimitError, OptionError
from caesura.model.plain import to_plain
from support.corpora import of_masses, random_corpus, shuffled
from support.excluded import reasons

# x   bo  ··|··|··   ann ··|···|·   cy ·····|·      B: bo-ann 3/4, bo-cy 1/4, ann-cy 1/2, over two pairs each
# y   bo  ·|···      ann ·|···                      B: 1, over one pair
BY_HAND = of_masses(x={"bo": [2, 2, 2], "ann": [2, 3, 1], "cy": [5, 1]}, y={"bo": [1, 3], "ann": [1, 3]})


def test_by_hand() -> None:
    table = cz.pairwise(BY_HAND, "boundary_similarity(n_t=2)")
    assert table.coders == ("bo", "ann", "cy")
    assert [row.coders for row in table.rows] == [("bo", "ann"), ("bo", "cy"), ("ann", "cy")]
    # from summed parts: 1.5 of 2 and 1 of 1
    values = [2.5 / 3, 0.25, 0.5]
    assert [row.value for row in table.rows] == pytest.approx(values)
    assert [row.items for row in table.rows] == [{"x": 0.75, "y": 1.0}, {"x": 0.25}, {"x": 0.5}]
    assert [row.score.documents for row in table.rows] == [2, 1, 1]
    mean = sum(values) / 3
    assert table.mean == pytest.approx(mean)
    assert table.deviation == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 3))
    assert table.matrix == pytest.approx(np.array([[1, 2.5 / 3, 0.25], [2.5 / 3, 1, 0.5], [0.25, 0.5, 1]]))
    assert not table.ordered


def test_symmetric_measure_has_both_ordered_pairs() -> None:
    once = cz.pairwise(BY_HAND, "boundary_similarity")
    twice = cz.pairwise(BY_HAND, "boundary_similarity", ordered=True)
    assert [row.coders for row in twice.rows] == list(permutations(("bo", "ann", "cy"), 2))
    assert twice.matrix == pytest.approx(once.matrix)
    assert (twice.mean, twice.deviation) == pytest.approx((once.mean, once.deviation))


@pytest.mark.parametrize("measure", ["window_diff", "pk", "win_pr", "crisp(tolerance=1)", "segmentation_similarity"])
def test_every_row_is_the_score_of_its_pair(measure: str) -> None:
    corpus = random_corpus(2, items=5, coders=("z", "m", "a"), missing=0.2)
    for ordered, choose in ((False, combinations), (True, permutations)):
        table = cz.pairwise(corpus, measure, ordered=ordered)
        assert [row.coders for row in table.rows] == list(choose(corpus.coders, 2))
        for row in table.rows:
            a, b = row.coders
            items = [i for i in corpus.item_names if (i, a) in corpus and (i, b) in corpus]
            scores = cz.score_many([(corpus[i, a], corpus[i, b]) for i in items], measure)
            assert row.value == pytest.approx(scores.total.value)
            assert row.items == pytest.approx(dict(zip(items, scores.values, strict=True)))
            place = [table.coders.index(coder) for coder in row.coders]
            assert table.matrix[tuple(place)] == row.value


def test_first_coder_is_the_reference() -> None:
    """One boundary against three: recall 1 and precision 1/3, or the other way round."""
    corpus = of_masses(x={"few": [4, 4], "many": [2, 2, 2, 2]})
    measure = cz.parse("boundary_confusion")
    forth = cz.pairwise(corpus, measure).rows
    back = cz.pairwise(of_masses(x={"many": [2, 2, 2, 2], "few": [4, 4]}), measure).rows
    assert [row.coders for row in forth + back] == [("few", "many"), ("many", "few")]
    assert [row.score.figures["recall"] for row in forth + back] == pytest.approx([1, 1 / 3])
    both = cz.pairwise(corpus, measure, ordered=True).rows
    assert [row.score.figures["recall"] for row in both] == pytest.approx([1, 1 / 3])


def test_asymmetric_measures_fill_half_the_matrix_unless_ordered() -> None:
    corpus = random_corpus(2, items=3, coders="abc")
    matrix = cz.pairwise(corpus, "window_diff").matrix
    assert np.isnan(matrix[np.tril_indices(3, -1)]).all()
    assert np.diag(matrix).tolist() == [0, 0, 0]  # an error rate
    assert not np.isnan(matrix[np.triu_indices(3)]).any()
    assert not np.isnan(cz.pairwise(corpus, "window_diff", ordered=True).matrix).any()


def test_flexible_similarity_is_as_symmetric_as_its_matrix() -> None:
    types = [".", ","]
    texts = {"b": "., .", "a": ",. ,"}
    marks = {coder: [mark.strip() for mark in text] for coder, text in texts.items()}
    corpus = cz.Corpus({"x": {c: cz.Segmentation.from_marks(m, types=types) for c, m in marks.items()}})
    one_way = {"types": types, "matrix": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}
    measure = cz.parse("flexible_similarity(transposition=1)").replace(similarity=one_way)
    both = cz.pairwise(corpus, measure, ordered=True).matrix
    # three positions where . and , meet: b has . , . there and a the reverse; one . -> , costs 1/2, , -> . costs 1
    assert both.tolist() == [[1, 1 - 2 / 4], [1 - 2.5 / 4, 1]]
    once = cz.pairwise(corpus, measure)
    assert [row.coders for row in once.rows] == [("b", "a")]
    assert once.matrix[0, 1] == 1 - 2 / 4
    assert math.isnan(once.matrix[1, 0])


def test_the_published_recursion_is_not_symmetric() -> None:
    """pp·· against ··pp costs 2.0 one way and 2.5 the other: who comes first in the corpus is the first side."""
    texts = {"z": ["p", "p", "", ""], "a": ["", "", "p", "p"]}
    segmentations = {coder: cz.Segmentation.from_marks(marks, types=["p"]) for coder, marks in texts.items()}
    measure = "flexible_similarity(algorithm='pardist')"
    forth = cz.pairwise(cz.Corpus({"x": segmentations}), measure)
    back = cz.pairwise(cz.Corpus({"x": dict(reversed(segmentations.items()))}), measure)
    assert [row.coders for row in forth.rows + back.rows] == [("z", "a"), ("a", "z")]
    assert {forth.rows[0].value, back.rows[0].value} == {1 - 2 / 4, 1 - 2.5 / 4}
    alone = cz.flexible_similarity(segmentations["z"], segmentations["a"], algorithm="pardist")
    assert forth.rows[0].value == alone.value
    assert math.isnan(forth.matrix[1, 0])


def test_missing_coders() -> None:
    corpus = of_masses(x={"a": [2, 3], "b": [2, 3]}, y={"b": [1, 4], "c": [2, 3]}, z={"c": [2]})
    table = cz.pairwise(corpus, "boundary_similarity")
    assert [row.coders for row in table.rows] == [("a", "b"), ("b", "c")]
    assert reasons(table) == {"z": "coded by c only"}
    assert np.isnan(table.matrix).tolist() == [[False, False, True], [False, False, False], [True, False, False]]
    assert "|coders:3|pairs:2|unordered|" in table.signature


def test_unscorable_items_are_listed() -> None:
    corpus = of_masses(
        good={"a": [2, 3], "b": [2, 3]}, unequal={"a": [2, 3], "b": [2, 4]}, short={"a": [1, 1], "b": [1, 1]}
    )
    table = cz.pairwise(corpus, "window_diff(window=3)", ordered=True)
    assert reasons(table) == {
        "unequal": "reference is a, hypothesis is b: both sides must have the same units; "
        "reference has 5, hypothesis has 6",
        "short": "reference is a, hypothesis is b: window must lie in 1..1 for a text of 2 units; got 3",
    }
    assert [row.items for row in table.rows] == [{"good": 0.0}, {"good": 0.0}]


def test_dialogues_and_texts_in_one_table() -> None:
    plain, near = cz.Segmentation.from_masses([2, 3]), cz.Segmentation.from_masses([3, 2])
    corpus = cz.Corpus(
        {"talk": {"a": {"F": plain, "G": near}, "b": {"F": near, "G": near}}, "text": {"a": plain, "b": plain}}
    )
    table = cz.pairwise(corpus, "boundary_similarity")
    assert table.excluded == ()
    assert table.mean == pytest.approx(1 - 0.5 / 3)


def test_undeclared_types() -> None:
    a = cz.Segmentation.from_sets([{"x"}, {"y"}, {"z"}])
    b = cz.Segmentation.from_sets([{"x"}, {"z"}, {"z"}])
    corpus = cz.Corpus({"t": {"a": a, "b": b}})
    with pytest.warns(CaesuraWarning, match="the order of the types was not declared; x < y < z is assumed"):
        value = cz.pairwise(corpus, "boundary_similarity").rows[0].value
    assert value == pytest.approx(1 - 1 / 3 / 3)  # by one step, of three types


@given(st.integers(0, 10_000))
def test_order_of_coders_and_items_changes_no_value(seed: int) -> None:
    corpus = random_corpus(seed, items=3, coders="abc")
    first, again = (cz.pairwise(version, "boundary_similarity") for version in (corpus, shuffled(corpus, seed)))
    values = [{frozenset(row.coders): row.value for row in result.rows} for result in (first, again)]
    assert values[0] == values[1]
    assert again.mean == pytest.approx(first.mean)


def test_json() -> None:
    table = cz.pairwise(BY_HAND, "window_diff", ordered=True)
    data = json.loads(json.dumps(table.to_dict()))
    assert (data["measure"], data["ordered"]) == ("window_diff", True)
    assert (data["mean"], data["deviation"]) == (table.mean, table.deviation)
    assert [entry["coders"] for entry in data["rows"]] == [list(row.coders) for row in table.rows]
    assert data["rows"][0]["items"] == table.rows[0].items
    assert data["rows"][0]["value"] == table.rows[0].value


@pytest.mark.parametrize(
    ("corpus", "measure", "message"),
    [
        (of_masses(), "pk", "agreement needs at least two coders; got none"),
        (of_masses(x={"a": [2, 3]}), "pk", "agreement needs at least two coders; got a"),
        (of_masses(x={"a": [2]}, y={"b": [2]}), "pk", "no item was annotated by two coders: item 'x': coded by a only"),
        (BY_HAND, "kp", "there is no measure 'kp'; choose from 'pk', 'window_diff', "),
        ({"x": {}}, "pk", "corpus: expected a Corpus; got dict"),
    ],
)
def test_invalid_input(corpus: cz.Corpus, measure: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        cz.pairwise(corpus, measure)
    assert str(caught.value).startswith(message)


def test_many_unusable_items_are_counted() -> None:
    corpus = of_masses(**{f"i{n}": {"ab"[n % 2]: [2]} for n in range(8)})
    with pytest.raises(OptionError) as caught:
        cz.pairwise(corpus, "pk")
    assert str(caught.value).endswith("; item 'i4': coded by a only; and 3 more")


def test_undefined_pairs_of_hierarchies_are_left_out() -> None:
    """Neither ann nor bo has a span in x, so that their agreement is undefined there; the other pairs are used."""
    full, empty = cz.Hierarchy(6, [(1, 4), (5, 6), (1, 2)]), cz.Hierarchy(6, [])
    corpus = cz.Corpus(
        {
            "x": {"ann": empty, "bo": empty, "cy": full},
            "y": {"ann": full, "bo": full, "cy": cz.Hierarchy(6, [(1, 4), (1, 2)])},
            "z": {"ann": empty, "bo": empty},
        }
    )
    result = cz.agreement(corpus, "hierarchy_kappa", interval=None)
    why = {entry.item: entry.reason for entry in result.excluded}
    assert why["x"].startswith("1 of 3 pairs of coders is undefined and left out: a is ann, b is bo: neither side")
    assert why["z"].startswith("a is ann, b is bo: neither side has a span")
    pairs = [("x", "ann", "cy"), ("x", "bo", "cy"), *(("y", *pair) for pair in combinations(("ann", "bo", "cy"), 2))]
    parts = sum(cz.hierarchy_kappa(corpus[item, a], corpus[item, b]) for item, a, b in pairs)
    assert result.value == pytest.approx(parts.value)
    with pytest.raises(OptionError, match="no pair of coders can be compared: item 'z': a is ann"):
        cz.agreement(corpus.select(items=["z"]), "hierarchy_kappa", interval=None)


def test_misses_of_dialogues_are_counted_in_all_pairs_together() -> None:
    """S_f moves the boundary of A by one position; in B, only the second coder has one, and both end with a boundary."""
    # A  ann |-x----    B  ann |-----x
    #    bo  |--x---       bo  |--x--x
    streams = {"ann": (["", "x", "", "", "", ""], 5), "bo": (["", "", "x", "", "", ""], 2)}
    texts = {}
    for coder, (marks, extra) in streams.items():
        second = ["x" if i in (extra, 5) else "" for i in range(6)]
        texts[coder] = {"A": cz.Segmentation.from_marks(marks), "B": cz.Segmentation.from_marks(second)}
    table = cz.pairwise(cz.Corpus({"talk": texts, "again": texts}), "flexible_similarity")
    assert [(row.full_misses, row.near_misses) for row in table.rows] == [(2, 2)]
    assert [(item.full_misses, item.near_misses) for item in table.items] == [(1, 1), (1, 1)]


def test_misses_in_seconds_are_counted_in_all_pairs_together() -> None:
    # a |--2----5------9--|
    # b |---3---5---------|     2 and 3 are within 1.5 s, 5 is the same time, 9 has no counterpart
    # c |--2-------------9|     9.9 is within 1.5 s of 9
    times = {"a": [2.0, 5.0, 9.0], "b": [3.0, 5.0], "c": [2.0, 9.9]}
    corpus = cz.Corpus({"x": {coder: cz.Segmentation.from_times(t, duration=10.0) for coder, t in times.items()}})
    table = cz.pairwise(corpus, "boundary_f(tolerance='1.5s')")
    misses = {row.coders: (row.full_misses, row.near_misses) for row in table.rows}
    assert misses == {("a", "b"): (1, 1), ("a", "c"): (1, 1), ("b", "c"): (2, 1)}


@pytest.mark.parametrize(("ordered", "rows"), [(False, 190), (True, 380)])
def test_a_table_that_needs_too_much_memory_is_refused(
    ordered: bool, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = cz.Corpus({"x": {f"c{j}": cz.Segmentation.from_masses([1, 2]) for j in range(20)}})
    assert len(cz.pairwise(corpus, "boundary_similarity", ordered=ordered).rows) == rows
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 4_000 * rows)
    with pytest.raises(
        LimitError, match=f"a table of {rows} pairs of coders: .* more than half of .*caesura convert --coder"
    ):
        cz.pairwise(corpus, "boundary_similarity", ordered=ordered)


@pytest.mark.parametrize("measure", ["boundary_similarity(n_t=2)", "window_diff", "boundary_f", "fuzzy_success", "pk"])
@pytest.mark.parametrize("items", [1, 3])
def test_the_json_of_a_row_is_that_of_its_score(measure: str, items: int) -> None:
    """Rows share what is the same in all of them, and only that."""
    corpus = random_corpus(7, items=items, coders="abcd")
    for row in cz.pairwise(corpus, measure).rows:
        entries = to_plain(row)
        assert list(entries)[:4] == ["coders", "items", "full_misses", "near_misses"]
        assert {name: entries[name] for name in list(entries)[4:]} == to_plain(row.score)
        assert list(entries)[4:] == list(to_plain(row.score))


def test_scores_of_one_coder_are_not_restricted_but_explained() -> None:
    scores = score_coder_pairs(BY_HAND.select(items=["x"]), cz.parse("boundary_similarity"))
    restricted = scores.restricted(["bo", "cy"])
    assert restricted is not None
    assert restricted.coders == ("bo", "cy")
    assert scores.restricted(["bo"]) is None
