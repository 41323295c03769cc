"""Where coders disagree: rows of pairs, places, costs, text and times."""

from __future__ import annotations

import json
import random
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import memory
from caesura.agreement.disagreement_rows import sum_by_name
from caesura.agreement.majority import majority
from caesura.data import stargazer
from caesura.errors import CaesuraWarning, LimitError, MismatchError, OptionError
from oracle import disagreements as oracle
from support.corpora import of_masses, random_corpus, shuffled
from support.excluded import reasons

B = cz.parse("boundary_similarity(n_t=2)")


def engine() -> cz.Corpus:
    """Return one item with words.

    the valve stuck and then the engine stopped
               ann |        |
               bo           |
               cy  |     |
    """
    words = ["the", "valve", "stuck", "and", "then", "the", "engine", "stopped"]
    masses = {"ann": [3, 2, 3], "bo": [5, 3], "cy": [3, 1, 4]}
    return cz.Corpus({"engine": {c: cz.Segmentation.from_masses(m, units=words) for c, m in masses.items()}})


def test_by_hand() -> None:
    result = cz.disagreements(engine())
    valve, engine_stops = result.places
    expected = ((3,), ("ann", "cy"), ("bo",), 2.0, 2)
    assert (valve.positions, valve.has, valve.has_not, valve.cost, valve.pairs) == expected
    assert (valve.before, valve.between, valve.after) == ("the valve stuck", "", "and then the engine stopped")
    assert (valve.kind, valve.kinds, valve.time, valve.position) == ("miss", ("miss",), None, 3)
    # cy puts the second boundary one position earlier: a near miss with ann and with bo, half a boundary each
    assert (engine_stops.positions, engine_stops.cost, engine_stops.kinds) == ((4, 5), 1.0, ("near miss",))
    assert (engine_stops.has, engine_stops.has_not) == (("ann", "bo", "cy"), ())
    assert engine_stops.marks == {"ann": ((5, None),), "bo": ((5, None),), "cy": ((4, None),)}
    expected = ("the valve stuck and", "then", "the engine stopped")
    assert (engine_stops.before, engine_stops.between, engine_stops.after) == expected
    assert [(row.coders, row.kind, row.positions, row.has, row.has_not, row.cost) for row in result.rows] == [
        (("ann", "bo"), "miss", (3, None), ("ann",), ("bo",), 1.0),
        (("bo", "cy"), "miss", (None, 3), ("cy",), ("bo",), 1.0),
        (("ann", "cy"), "near miss", (5, 4), ("ann", "cy"), (), 0.5),
        (("bo", "cy"), "near miss", (5, 4), ("bo", "cy"), (), 0.5),
    ]
    assert (result.cost, result.compared, len(result)) == (3.0, 3, 4)
    assert result.by_coder == {"bo": 2.5, "cy": 2.0, "ann": 1.5}
    assert result.by_item == {"engine": 3.0}
    assert result.by_kind == {"miss": 2.0, "near miss": 1.0}
    assert result.signature.startswith("disagreements|coders:3|against:pairs|boundary_similarity|")


def test_against_a_coder() -> None:
    result = cz.disagreements(engine(), against="bo")
    assert [(row.coders, row.kind, row.positions) for row in result.rows] == [
        (("bo", "ann"), "miss", (None, 3)),
        (("bo", "cy"), "miss", (None, 3)),
        (("bo", "cy"), "near miss", (5, 4)),
    ]
    assert "|against:bo|" in result.signature


def test_against_the_majority() -> None:
    """Two of three have 3 and 5: bo misses 3, and cy has 4 instead of 5. The majority is not one of those who have it."""
    result = cz.disagreements(engine(), against="majority")
    expected = [(("majority", "bo"), "miss", (3, None)), (("majority", "cy"), "near miss", (5, 4))]
    assert [(row.coders, row.kind, row.positions) for row in result.rows] == expected
    first = result.places[0]
    assert (first.has, first.has_not) == (("ann", "cy"), ("bo",))
    assert result.by_coder == {"bo": 1.0, "cy": 0.5, "ann": 0.0}
    assert result.coders == ("ann", "bo", "cy")


def test_a_coder_called_majority_is_a_coder() -> None:
    corpus = of_masses(x={"majority": [2, 2], "bo": [4], "cy": [4]})
    result = cz.disagreements(corpus, against="majority")
    assert [row.coders for row in result.rows] == [("majority", "bo"), ("majority", "cy")]
    assert result.places[0].has == ("majority",)


@given(st.integers(0, 100_000), st.sampled_from(["boundary_similarity(n_t=2)", "boundary_similarity(n_t=4)", "crisp"]))
def test_costs_are_those_of_the_edits(seed: int, measure: str) -> None:
    corpus = random_corpus(seed, items=3, coders="abcd")
    parsed = cz.parse(measure)
    for against in (None, "b"):
        result = cz.disagreements(corpus, measure=parsed, against=against)
        expected = oracle.rows(corpus, parsed, against)
        assert sorted((row.item, *row.coders, row.cost) for row in result.rows) == sorted(
            (item, a, b, cost) for item, a, b, _, cost in expected
        )
        assert result.cost == pytest.approx(sum(cost for *_, cost in expected))
        assert {(p.item, frozenset(p.positions), round(p.cost, 9)) for p in result.places} == oracle.places(expected)


@given(st.integers(0, 100_000))
def test_sums_are_those_of_the_rows(seed: int) -> None:
    """The sums from columns are those of the rows one by one, to the last bit and in the same order."""
    result = cz.disagreements(
        random_corpus(seed, items=4, coders="abc", missing=0.1), measure="boundary_similarity(n_t=3)"
    )
    assert result.cost == sum(row.cost for row in result.rows)
    by_item = sum_by_name(result.items, ((row.item, row.cost) for row in result.rows))
    by_coder = sum_by_name(result.coders, ((coder, row.cost) for row in result.rows for coder in row.coders))
    by_kind = sum_by_name((), ((row.kind, row.cost) for row in result.rows))
    for actual, expected in ((result.by_item, by_item), (result.by_coder, by_coder), (result.by_kind, by_kind)):
        assert list(actual.items()) == list(expected.items())
    costs = [place.cost for place in result.places]
    assert costs == sorted(costs, reverse=True)
    assert sum(costs) == pytest.approx(result.cost)
    assert list(result.rows) == [row for place in result.places for row in place.rows]


@given(st.integers(0, 100_000))
def test_every_coder_of_the_item_has_it_or_not(seed: int) -> None:
    corpus = random_corpus(seed, items=2, coders="abcd")
    for place in cz.disagreements(corpus).places:
        by_coder = corpus.of_item(place.item)
        marked = {coder for coder, text in by_coder.items() if set(text.positions.tolist()) & set(place.positions)}
        assert set(place.has) == marked
        assert set(place.has_not) == set(by_coder) - marked


@given(st.integers(0, 100_000))
def test_order_of_items_does_not_matter(seed: int) -> None:
    corpus = random_corpus(seed, items=3, coders="abc")
    first, again = cz.disagreements(corpus), cz.disagreements(shuffled(corpus, seed))
    assert first.cost == pytest.approx(again.cost)
    places = [[(place.item, place.positions) for place in result.places] for result in (first, again)]
    assert places[0] == places[1]


@given(st.integers(0, 100_000))
def test_majority_of_boundaries(seed: int) -> None:
    corpus = random_corpus(seed, items=2, coders="abcde")
    items = {item: corpus.of_item(item) for item in corpus.item_names}
    expected = {item: by | {"reference": oracle.majority(list(by.values()))} for item, by in items.items()}
    result = cz.disagreements(corpus, against="majority")
    rows = oracle.rows(cz.Corpus(expected), B, "reference")
    assert sorted((row.item, row.coders[1], row.cost) for row in result.rows) == sorted(
        (item, b, cost) for item, _, b, _, cost in rows
    )


def test_dialogue() -> None:
    """S_f by default: a different type in one stream, a near miss in the other."""
    ann = {"F": cz.Segmentation.from_marks(["", ",", "", "."]), "M": cz.Segmentation.from_marks(["?", "", "."])}
    bo = {"F": cz.Segmentation.from_marks(["", "", ",", "."]), "M": cz.Segmentation.from_marks([".", "", "."])}
    result = cz.disagreements(cz.Corpus({"talk": {"ann": ann, "bo": bo}}))
    assert result.measure.name == "flexible_similarity"
    assert [(p.stream, p.kind, p.positions, dict(p.marks)) for p in result.places] == [
        ("M", "different type", (1,), {"ann": ((1, "?"),), "bo": ((1, "."),)}),
        ("F", "near miss", (2, 3), {"ann": ((2, ","),), "bo": ((3, ","),)}),
    ]
    assert result.rows[0].types == ("?", ".")


def test_only_disputed_types_count() -> None:
    """Both coders have a scene at 2; only ann has an act there."""
    ann = cz.Segmentation.from_sets([set(), {"scene", "act"}, set()], types=["scene", "act"])
    bo = cz.Segmentation.from_sets([set(), {"scene"}, set()], types=["scene", "act"])
    (place,) = cz.disagreements(cz.Corpus({"x": {"ann": ann, "bo": bo}})).places
    assert (place.has, place.has_not) == (("ann",), ("bo",))
    assert place.marks == {"ann": ((2, "act"),)}


def test_majority_of_types() -> None:
    """Exclusive types: two of three mark 2, the more frequent type wins, the first of the scale if none is."""
    types = [",", ".", "?"]
    texts = {"ann": ",.", "bo": ",?", "cy": ". ", "di": ".?"}
    marks = {coder: [mark.strip() for mark in text] for coder, text in texts.items()}
    corpus = cz.Corpus({"x": {c: cz.Segmentation.from_marks(m, types=types) for c, m in marks.items()}})
    rows = cz.disagreements(corpus, measure="flexible_similarity", against="majority").rows
    expected = {("cy", (",", ".")), ("di", (",", ".")), ("ann", ("?", ".")), ("cy", ("?", None))}
    assert {(row.coders[1], row.types) for row in rows} == expected


def random_dialogues(seed: int) -> cz.Corpus:
    rng = random.Random(seed)
    items = {}
    for item in "xy":
        lengths = {"F": rng.randint(2, 12), "M": rng.randint(2, 12)}
        items[item] = {
            coder: {
                stream: cz.Segmentation.from_marks(
                    [rng.choice(["", "", "", ",", "."]) for _ in range(n)], types=[",", "."]
                )
                for stream, n in lengths.items()
            }
            for coder in "abc"
        }
    return cz.Corpus(items)


@given(st.integers(0, 100_000))
def test_costs_of_dialogues(seed: int) -> None:
    """The costs over the rows of two coders are the cost of S_f; coders who have it and who have not are all coders."""
    corpus = random_dialogues(seed)
    result = cz.disagreements(corpus)
    for item in corpus.item_names:
        for a, b in combinations(corpus.coders, 2):
            cost = sum(row.cost for row in result.rows if (row.item, row.coders) == (item, (a, b)))
            assert cost == pytest.approx(cz.flexible_similarity(corpus[item, a], corpus[item, b]).parts["cost"])
    for place in result.places:
        assert sorted((*place.has, *place.has_not)) == ["a", "b", "c"]
        for coder, marks in place.marks.items():
            text = corpus[place.item, coder][place.stream]
            assert set(marks) <= set(text.boundaries)


@given(st.integers(0, 100_000), st.sampled_from(["boundary_similarity(n_t=3)", "segmentation_similarity"]))
def test_dialogues_under_measures_of_boundaries(seed: int, measure: str) -> None:
    """Streams are compared on their own, and every place is in one stream."""
    corpus = random_dialogues(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        result = cz.disagreements(corpus, measure=measure)
        by_stream = [
            cz.disagreements(
                cz.Corpus({i: {c: corpus[i, c][stream] for c in corpus.coders} for i in corpus.item_names}),
                measure=measure,
            )
            for stream in ("F", "M")
        ]
    assert result.cost == pytest.approx(sum(part.cost for part in by_stream))
    assert len(result.places) == sum(len(part.places) for part in by_stream)


@given(st.integers(0, 100_000))
def test_majority_of_dialogues(seed: int) -> None:
    """A position has a boundary if two of three coders marked it; its type is one that no other type exceeds."""
    corpus = random_dialogues(seed)
    for item in corpus.item_names:
        coders = list(corpus.of_item(item).values())
        merged = majority(coders)
        for stream in ("F", "M"):
            sets = [coder[stream].sets() for coder in coders]
            for position, names in enumerate(merged[stream].sets()):
                here = Counter(name for text in sets for name in text[position])
                assert bool(names) == (here.total() >= 2)
                assert all(here[name] == max(here.values()) for name in names)


def test_majority_of_other_data() -> None:
    """Types that do not exclude each other are counted on their own; spans with or without their levels."""
    both, scene = ({"scene", "act"}, {"scene"})
    texts = [cz.Segmentation.from_sets([types, set()], types=["scene", "act"]) for types in (both, scene, both)]
    assert majority(texts).boundaries == ((1, "scene"), (1, "act"))
    assert majority([texts[0], texts[1]]).boundaries == ((1, "scene"),)
    deep = cz.Hierarchy(4, [(1, 4, 1), (1, 2, 3)])
    flat = cz.Hierarchy(4, [(1, 4, 1), (1, 2, 2)])
    assert majority([deep, flat, flat]).full == {(1, 4, 1), (1, 2, 2)}
    assert majority([deep, flat], levels=True).full == {(1, 4, 1)}
    for coders, message in (
        ([deep, cz.Hierarchy(5, [])], "all coders must have the same units; they have 4, 5"),
        ([deep, texts[0]], "a majority needs segmentations, dialogues or hierarchies"),
        ([cz.Dialogue({"F": texts[0]}), cz.Dialogue({"M": texts[0]})], "all coders must have the same streams"),
    ):
        with pytest.raises(MismatchError, match=message):
            majority(coders)


@given(st.integers(0, 100_000))
def test_majority_is_that_of_gold(seed: int) -> None:
    corpus = random_corpus(seed, items=2, coders="abcd")
    gold = cz.gold(corpus, method="majority").corpus
    for item in corpus.item_names:
        assert majority(list(corpus.of_item(item).values())).positions.tolist() == gold[item, "gold"].positions.tolist()


def hierarchies() -> cz.Corpus:
    units = ["a", "b", "c", "d", "e", "f"]
    ann = cz.Hierarchy(6, [(1, 6), (1, 3), (4, 6)], units=units)
    bo = cz.Hierarchy(6, [(1, 6), (1, 2)], units=units)
    return cz.Corpus({"talk": {"ann": ann, "bo": bo, "cy": ann}})


def test_hierarchies_by_spans() -> None:
    result = cz.disagreements(hierarchies())
    assert {(p.span, p.has, p.has_not, p.cost, p.between) for p in result.places} == {
        ((1, 3), ("ann", "cy"), ("bo",), 2.0, "abc"),
        ((1, 2), ("bo",), ("ann", "cy"), 2.0, "ab"),
        ((4, 6), ("ann", "cy"), ("bo",), 2.0, "def"),
    }
    assert {row.kind for row in result.rows} == {"span"}
    against = cz.disagreements(hierarchies(), against="majority")
    expected = {(("majority", "bo"), (1, 3)), (("majority", "bo"), (4, 6)), (("majority", "bo"), (1, 2))}
    assert {(row.coders, row.span) for row in against.rows} == expected


def test_hierarchies_by_boundaries() -> None:
    """Levels are types: ann has level 2 at 3, bo at 2."""
    result = cz.disagreements(hierarchies(), measure="boundary_similarity")
    assert [(p.kind, p.positions, p.cost) for p in result.places] == [("near miss", (2, 3), 1.0)]


def test_levels_of_spans() -> None:
    ann, bo = cz.Hierarchy(4, [(1, 4, 1), (1, 2, 2)]), cz.Hierarchy(4, [(1, 4, 1), (1, 2, 3)])
    corpus = cz.Corpus({"x": {"ann": ann, "bo": bo}})
    assert cz.disagreements(corpus).rows == ()
    (place,) = cz.disagreements(corpus, measure="hierarchy_overlap(level='full')").places
    assert (place.span, place.has, place.cost) == ((1, 2), ("ann", "bo"), 2.0)
    assert place.marks == {"ann": ((0, "level 2"),), "bo": ((0, "level 3"),)}


def test_timed_hierarchies() -> None:
    ann = cz.Hierarchy.from_times([(0, 10), (0, 5), (5, 10)])
    bo = cz.Hierarchy.from_times([(0, 10), (0, 7), (7, 10)])
    result = cz.disagreements(cz.Corpus({"song": {"ann": ann, "bo": bo}}))
    expected = {(0.0, ("ann",)), (5.0, ("ann",)), (0.0, ("bo",)), (7.0, ("bo",))}
    assert {(row.time, row.has) for row in result.rows} == expected
    assert {place.times for place in result.places} == {(0.0, 5.0), (5.0, 10.0), (0.0, 7.0), (7.0, 10.0)}


WORDS = [(0, 0.4, "good"), (0.4, 0.9, "night"), (1.2, 1.6, "moon"), (1.6, 2.0, "light")]


def tiers(words: Sequence[tuple[float, float, str]] | None) -> cz.Corpus:
    """Return ann with a boundary at 1.0 s, in the gap after "night", and bo with one at 1.62 s, after "moon"."""
    ann = cz.Tier([(0, 1.0, "a"), (1.0, 2.0, "a")], words=words)
    bo = cz.Tier([(0, 1.62, "a"), (1.62, 2.0, "a")], words=words)
    return cz.Corpus({"song": {"ann": ann, "bo": bo}})


def test_tiers_over_words_keep_the_times_of_the_coders() -> None:
    with pytest.warns(CaesuraWarning, match="edges were moved to the nearest gap"):
        result = cz.disagreements(tiers(WORDS))
    (row,) = result.rows
    assert (row.kind, row.positions, row.times, row.time) == ("near miss", (2, 3), (1.0, 1.62), 1.0)
    assert (row.before, row.between, row.after) == ("good night", "moon", "light")
    assert result.places[0].times == (1.0, 1.62)


def test_tiers_without_words() -> None:
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        result = cz.disagreements(tiers(None), measure="crisp")
    assert [(row.time, row.has, row.before) for row in result.rows] == [(1.0, ("ann",), ""), (1.62, ("bo",), "")]


def test_agreement_everywhere() -> None:
    result = cz.disagreements(of_masses(x={"a": [2, 3], "b": [2, 3]}))
    assert (result.rows, result.places, result.cost) == ((), (), 0)
    assert result.by_coder == {"a": 0.0, "b": 0.0}


def test_json_and_frame() -> None:
    result = cz.disagreements(engine())
    data = json.loads(json.dumps(result.to_dict()))
    assert data["cost"] == 3.0
    assert data["rows"][0]["coders"] == ["ann", "bo"]
    assert data["rows"][0]["position"] == 3
    assert data["places"][0]["has_not"] == ["bo"]
    assert "rows" not in data["places"][0]
    frame = result.to_frame()
    assert list(frame["cost"]) == [1, 1, 0.5, 0.5]
    assert {"item", "coders", "kind", "positions", "times", "types", "before", "after"} <= set(frame.columns)
    assert len(repr(result).splitlines()) <= 10


def test_excluded() -> None:
    corpus = of_masses(good={"a": [2, 3], "b": [5]}, alone={"a": [5]}, unequal={"a": [2, 3], "b": [6]})
    result = cz.disagreements(corpus)
    assert result.items == ("good",)
    assert reasons(result)["alone"] == "coded by a only"
    assert "both sides must have the same units" in reasons(result)["unequal"]
    assert "all coders must have the same units" in reasons(cz.disagreements(corpus, against="majority"))["unequal"]
    missing = of_masses(x={"a": [2, 3], "b": [5]}, y={"b": [5], "c": [5]})
    assert reasons(cz.disagreements(missing, against="a")) == {"y": "not coded by a"}


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (of_masses(x={"a": [2]}), {}, "agreement needs at least two coders; got a"),
        (of_masses(x={"a": [2]}, y={"b": [2]}), {}, "no item was annotated by two coders: item 'x': coded by a only"),
        (engine(), {"against": "an"}, "against: there is no coder 'an'; did you mean 'ann'?"),
        (engine(), {"against": "zoe"}, "against: there is no coder 'zoe'; choose from 'ann', 'bo', 'cy', 'majority'"),
        (engine(), {"measure": "pk"}, "pk does not say where coders disagree; use boundary_f, "),
        (engine(), {"measure": "fuzzy_success"}, "fuzzy_success does not say where coders disagree; use "),
        (hierarchies(), {"measure": "hierarchy_kappa"}, "hierarchy_kappa does not say where coders disagree; use "),
        (engine(), {"measure": "hierarchy_overlap"}, "hierarchy_overlap cannot compare this kind of data; use "),
        (
            cz.Corpus({"1": dict.fromkeys("ab", cz.Tree.from_brackets("(S (A a) (B b))"))}),
            {},
            "trees have no boundaries",
        ),
        ({"x": {}}, {}, "corpus: expected a Corpus; got dict"),
    ],
)
def test_invalid_input(corpus: cz.Corpus, options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        cz.disagreements(corpus, **options)
    assert str(caught.value).startswith(message)


def test_stargazer_misses() -> None:
    """Fournier's thesis, Table 5.3b: 21 pairs, 72 full misses and 28 near misses."""
    for measure in ("boundary_similarity(n_t=2)", "window_diff", "boundary_confusion(n_t=2)"):
        table = cz.pairwise(stargazer(), measure)
        assert (len(table.rows), table.full_misses, table.near_misses) == (21, 72, 28)
        (item,) = table.items
        assert (item.coders, item.units, item.pairs) == (7, 21, 21)
        assert (item.full_misses, item.near_misses) == (72, 28)
    kinds = cz.disagreements(stargazer()).by_kind
    assert kinds == {"miss": 72.0, "near miss": 14.0}


@given(st.integers(0, 100_000), st.sampled_from(sorted(cz.measures())))
def test_misses_are_those_of_the_edits(seed: int, name: str) -> None:
    """A measure that counts misses in its parts counts those in its alignment."""
    corpus = random_corpus(seed, items=2, coders="ab")
    measure = cz.parse(name)
    if "linear" not in measure.kinds or type(measure).count_misses is cz.Measure.count_misses:
        return
    scores = cz.score_many([(corpus[item, "a"], corpus[item, "b"]) for item in corpus.item_names], measure)
    full, near = measure.count_misses(scores.counts, scores.types)
    for i in range(len(scores)):
        kinds = Counter(edit.kind for edit in scores[i].edits)
        assert (full[i], near[i]) == (kinds["deletion"] + kinds["insertion"], kinds["transposition"])


def test_rows_and_places_are_built_on_demand() -> None:
    result = cz.disagreements(random_corpus(1, items=4, coders="abc"))
    assert len(result.rows) == len(result) == result.row_count == sum(place.pairs for place in result.places)
    assert len(result.places) == result.place_count
    assert result.rows[-1] == list(result.rows)[-1]
    assert result.rows[1:3] == (result.rows[1], result.rows[2])
    with pytest.raises(IndexError):
        result.places[result.place_count]


def test_the_costliest_part_keeps_the_sums() -> None:
    result = cz.disagreements(random_corpus(1, items=4, coders="abc"))
    part = result.costliest(rows=2, places=1)
    assert (len(part.rows), len(part.places)) == (2, 1)
    assert (part.cost, part.by_item, part.row_count) == (result.cost, result.by_item, result.row_count)
    assert part.to_dict()["place_count"] == result.place_count


def test_what_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_size", lambda: 1_000)
    with pytest.raises(LimitError, match=r"the disagreements of \d+ pairs of coders: about .* choose fewer coders"):
        cz.disagreements(engine())
    monkeypatch.setattr(import_module("caesura.agreement.disagreements"), "_BYTES_PER_PAIR", 0)
    with pytest.raises(LimitError, match=r"the disagreements of all pairs of coders: about .* choose fewer coders"):
        cz.disagreements(random_corpus(1, items=4, coders="abc"))


def test_links_of_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are aligned block by block, with progress; the result is that of one block."""
    corpus, calls = random_corpus(3, items=6, coders="abcd"), []
    whole = cz.disagreements(corpus)
    monkeypatch.setattr(import_module("caesura.agreement.disagreement_links"), "_CHUNK", 20)
    with cz.on_progress(lambda done, total: calls.append((done, total))):
        parts = cz.disagreements(corpus)
    assert (list(parts.rows), list(parts.places)) == (list(whole.rows), list(whole.places))
    assert len(calls) > 3
    assert calls[-1] == (36, 36)
