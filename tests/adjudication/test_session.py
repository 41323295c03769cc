"""Places, decisions and the gold standard that follows from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Dialogue, Hierarchy, Segmentation, Spans, Tier, Tree
from caesura.adjudication.disputed import PlacedMark
from caesura.adjudication.session import Adjudication
from caesura.agreement.majority import majority
from caesura.errors import ConflictError, OptionError
from caesura.model.corpus import Source
from caesura.tasks.adjudicate import journal_path
from support.examples import examples


def cut(length: int, **coders: list[int]) -> dict[str, Segmentation]:
    return {coder: Segmentation.from_positions(length, positions) for coder, positions in coders.items()}


# position  1 2 3 4 5 6 7 8 9
# ann       . | . . | . . . |
# bo        . | . . . | . . .
# cy        . | . . . | . . .
#             agreed  near    only ann
TALK = cut(10, ann=[2, 5, 9], bo=[2, 6], cy=[2, 6])


def work_on(item: dict[str, Segmentation] | None = None, **options: str) -> Adjudication:
    return cz.adjudicate(Corpus({"talk": item or TALK}), in_memory=True, **options)  # type: ignore[arg-type]


def test_near_misses_of_several_coders_are_one_place() -> None:
    work = work_on()
    assert [place.label for place in work.places] == ["9: ann; none: bo, cy", "5: ann; 6: bo, cy"]
    assert [place.cost for place in work.places] == [2, 1]
    assert [place.kinds for place in work.places] == [("miss",), ("near miss",)]
    assert [place.majority for place in work.places] == [(), (PlacedMark(6),)]
    assert str(work.progress) == "0 of 2 places decided (0% of the cost), 2 open"


def test_the_gold_standard_has_what_all_agree_on_and_what_was_decided() -> None:
    work = work_on()
    with pytest.raises(OptionError, match="2 of 2 places are open; decide them, or take the majority there"):
        work.gold()
    work.decide(work.places[0], "coder", coder="bo")
    work.decide(work.places[1], "coder", coder="ann")
    assert work.gold().corpus["talk", "gold"].positions.tolist() == [2, 5]
    work.decide(work.places[0], "hand", marks=[{"start": 8}])
    work.decide(work.places[1], "none")
    assert work.gold().corpus["talk", "gold"].positions.tolist() == [2, 8]
    work.decide(work.places[0], "majority")
    work.decide(work.places[1], "majority")
    assert work.gold().corpus["talk", "gold"].positions.tolist() == [2, 6]
    assert work.progress.open == 0
    assert work.gold().signature.startswith("adjudication|decided:2|open:0|undecided:refuse|data:")


def test_a_decision_by_hand_must_lie_in_the_text() -> None:
    work = work_on()
    for mark in ({"start": 0}, {"start": 10}, {"start": 2.5}, {"start": 3, "end": 4}):
        with pytest.raises(OptionError, match=r"marks: a boundary has a whole position in 1\.\.9"):
            work.decide(work.places[0], "hand", marks=[mark])
    with pytest.raises(OptionError, match="type: expected none, because marks have no types here; got 'x'"):
        work.decide(work.places[0], "hand", marks=[{"start": 3, "type": "x"}])
    for marks in ([{"end": 3}], [{"start": "3"}], [{"start": 3, "colour": 1}], ["3"], [{"start": float("nan")}]):
        with pytest.raises(OptionError, match="a mark"):
            work.decide(work.places[0], "hand", marks=marks)  # type: ignore[arg-type]
    for place, choice, coder, message in (
        (work.places[0], "hand", None, "by hand needs at least one mark"),
        (work.places[0], "coder", "boo", "coder: this item has no coder 'boo'; did you mean 'bo'"),
        (work.places[0], "all", None, "choice"),
        ("x", "none", None, "there is no place 'x'"),
    ):
        with pytest.raises(OptionError, match=message):
            work.decide(place, choice, coder=coder)
    assert work.progress.decided == 0


def test_the_second_is_told_what_the_first_decided() -> None:
    work = work_on()
    seen = work.state(work.places[0]).revision
    work.decide(work.places[0], "none", adjudicator="Mia", revision=seen)
    with pytest.raises(ConflictError, match=r"this place is decided already: Mia decided none at \d{4}-.*Z"):
        work.decide(work.places[0], "coder", coder="ann", adjudicator="Noa", revision=seen)
    state = work.state(work.places[0])
    assert state.decision.adjudicator == "Mia"
    again = work.decide(work.places[0], "coder", coder="ann", adjudicator="Noa", revision=state.revision)
    assert (again.decision.adjudicator, again.revision) == ("Noa", 2)


def test_undo_restores_the_place_as_it_was() -> None:
    work = work_on(adjudicator="Mia")
    with pytest.raises(OptionError, match="Mia made no decision that could be undone"):
        work.undo()
    first, second = work.places
    work.decide(first, "none")
    work.decide(second, "majority")
    work.decide(first, "coder", coder="ann")
    state = work.undo()
    assert (state.place, state.decision.choice, state.revision) == (first, "none", 3)
    assert work.undo().place == second
    assert work.undo().decision is None
    assert work.progress.decided == 0
    seen = work.state(first).revision
    work.decide(first, "none")
    work.decide(first, "majority", adjudicator="Noa")
    with pytest.raises(ConflictError, match="this place was decided again: Noa decided none"):
        work.undo()
    work.undo(adjudicator="Noa")
    work.undo()
    with pytest.raises(ConflictError, match="withdrawn meanwhile"):
        work.decide(first, "none", revision=seen)


def test_types_can_be_chosen() -> None:
    rows = {"ann": ["", ",", "", "."], "bo": ["", ".", "", "."], "cy": ["", "", ",", "."]}
    texts = {coder: Segmentation.from_marks(row, types=[",", "."]) for coder, row in rows.items()}
    work = work_on(texts)
    (place,) = work.places
    assert work.types == (",", ".")
    work.decide(place, "coder", coder="cy", type=".")
    assert work.gold().corpus["talk", "gold"].boundaries == ((3, "."), (4, "."))
    with pytest.raises(OptionError, match=r"type: choose one of ,, \."):
        work.decide(place, "hand", marks=[{"start": 1}])
    with pytest.raises(OptionError, match=r"type: expected one of ,, \.; got '!'"):
        work.decide(place, "coder", coder="cy", type="!")
    with pytest.raises(OptionError, match=r"position 4 would have two types, , and \."):
        work.decide(place, "hand", marks=[{"start": 4, "type": ","}])


def test_a_type_of_another_item_can_be_chosen() -> None:
    texts = {"talk": ("..,.", "...."), "song": (".;..", "....")}
    marks = {item: [[mark.strip(".") for mark in row] for row in rows] for item, rows in texts.items()}
    corpus = Corpus(
        {item: dict(zip("ab", map(Segmentation.from_marks, rows), strict=True)) for item, rows in marks.items()}
    )
    work = cz.adjudicate(corpus, in_memory=True)
    for place in work.places:
        work.decide(place, "coder", coder="a", type=";")
    assert [gold.boundaries for gold in work.gold().corpus.of_coder("gold").values()] == [((3, ";"),), ((2, ";"),)]


def test_an_item_of_one_coder_is_taken_as_it_is() -> None:
    corpus = Corpus({"talk": TALK, "solo": cut(6, ann=[1, 4])})
    gold = cz.adjudicate(corpus, in_memory=True).gold("majority")
    assert gold.corpus["solo", "gold"].positions.tolist() == [1, 4]
    assert gold.notes == ("2 open places: what more than half of the coders have",)


def test_items_that_cannot_be_compared_are_said() -> None:
    corpus = Corpus({"talk": TALK, "odd": {**cut(6, ann=[1]), **cut(7, bo=[1])}})
    work = cz.adjudicate(corpus, in_memory=True)
    assert any("odd" in message for message in work.messages)
    assert work.gold("majority").corpus.item_names == ("talk",)


def test_trees_and_mixed_corpora_are_refused() -> None:
    trees = dict.fromkeys(("ann", "bo"), Tree.from_brackets("(S (NP a) (VP b))"))
    with pytest.raises(OptionError, match="trees cannot be adjudicated here"):
        cz.adjudicate(Corpus({"x": trees}), in_memory=True)
    mixed = Corpus({"talk": TALK, "song": {"ann": Tier([(0, 1, "a")]), "bo": Tier([(0, 1, "a")])}})
    with pytest.raises(OptionError, match="all annotations must be of one kind"):
        cz.adjudicate(mixed, in_memory=True)
    with pytest.raises(OptionError, match="not read from files"):
        cz.adjudicate(Corpus({"talk": TALK}))


def test_streams_of_a_dialogue_are_decided_separately() -> None:
    def talk(f: list[str], m: list[str]) -> Dialogue:
        return Dialogue({"F": Segmentation.from_marks(f), "M": Segmentation.from_marks(m)})

    corpus = Corpus({"chat": {"ann": talk(["", ",", "."], ["", "."]), "bo": talk(["", "", "."], [",", "."])}})
    work = cz.adjudicate(corpus, in_memory=True)
    expected = [("F", "2 ,: ann; none: bo"), ("M", "none: ann; 1 ,: bo")]
    assert [(place.stream, place.label) for place in work.places] == expected
    work.decide(work.places[0], "coder", coder="ann")
    work.decide(work.places[1], "none")
    gold = work.gold().corpus["chat", "gold"]
    assert [gold[stream].boundaries for stream in "FM"] == [((2, ","), (3, ".")), ((2, "."),)]  # type: ignore[union-attr]


def test_times_are_decided_in_seconds() -> None:
    # seconds 0    1         2         3         4
    # ann     a a a a a|b b b b b b b b b|a a a a a
    # bo      a a a a a |b b b b b b b b b|         the gap begins 0.02 s later, and the end is missing
    # cy      a a a a a|b b|c c c c c c c|a a a a a
    rows = {
        "ann": [(0, 1, "a"), (1, 3, "b"), (3, 4, "a")],
        "bo": [(0, 1.02, "a"), (1.02, 3.01, "b")],
        "cy": [(0, 1, "a"), (1, 1.5, "b"), (1.5, 3, "c"), (3, 4, "a")],
    }
    corpus = Corpus({"song": {coder: Tier(intervals, end=4) for coder, intervals in rows.items()}})
    work = cz.adjudicate(corpus, in_memory=True)
    assert work.types == ("a", "b", "c")
    labels = [place.label for place in work.places]
    assert labels == ["none: ann, bo; 1.5 b: cy", "3 b: ann; 3.01 b: bo; 3 c: cy", "4 a: ann, cy; none: bo"]
    assert [place.cost > 0 for place in work.places] == [True, True, False]  # B does not compare the end
    assert all(place.seconds for place in work.places)
    work.decide(work.places[0], "none")
    work.decide(work.places[1], "hand", marks=[{"start": 2.90049, "type": "b"}])
    work.decide(work.places[2], "majority")
    gold = work.gold().corpus["song", "gold"]
    assert gold == Tier([(0, 1, "a"), (1, 2.9, "b"), (2.9, 4, "a")], end=4)
    with pytest.raises(OptionError, match="marks: a boundary has a time in 0-4 s; got 5 b"):
        work.decide(work.places[1], "hand", marks=[{"start": 5, "type": "b"}])


def test_boundaries_far_apart_in_time_are_different_places() -> None:
    cuts = {"ann": 10, "bo": 40, "cy": 40.2}
    corpus = Corpus({"song": {coder: Tier([(0, at, "a"), (at, 60, "b")]) for coder, at in cuts.items()}})
    work = cz.adjudicate(corpus, in_memory=True)
    # 10 s: two coders lack it. 40 s: one coder lacks it in both pairs, and the others are near.
    assert [place.cost for place in work.places] == [2.5, 2]
    assert [(place.start, place.end) for place in work.places] == [(40, 40.2), (10, 10)]


def test_transcriptions_keep_their_gaps_and_labels() -> None:
    first, text = (0.2, 1, "good evening all"), "so well then"
    rows = {"ann": [first, (1.5, 2, text)], "bo": [first, (1.5, 2.4, text)]}
    corpus = Corpus({"song": {coder: Tier(intervals, end=3) for coder, intervals in rows.items()}})
    source = Source((), tier_options={"labels": "ignore"})  # as the reader of many different labels sets it
    work = cz.adjudicate(corpus.with_source(source), in_memory=True)
    (place,) = work.places
    assert place.label == "2: ann; 2.4: bo"
    work.decide(place, "coder", coder="bo")
    assert work.gold().corpus["song", "gold"] == Tier(rows["bo"], end=3)


def test_spans_are_decided_group_by_group() -> None:
    rows = {"ann": [(0, 4, "X"), (6, 9, "Y")], "bo": [(0, 4, "X"), (6, 10, "Y")], "cy": [(0, 4, "X"), (6, 9, "Z")]}
    corpus = Corpus({"letter": {coder: Spans(spans, length=20) for coder, spans in rows.items()}})
    work = cz.adjudicate(corpus, in_memory=True)
    (place,) = work.places
    assert place.label == "6-9 Y: ann; 6-10 Y: bo; 6-9 Z: cy"
    assert place.majority == ()
    work.decide(place, "hand", marks=[{"start": 6, "end": 11, "type": "Z"}])
    assert work.gold().corpus["letter", "gold"] == Spans([(0, 4, "X"), (6, 11, "Z")], length=20)
    for mark in ({"start": 6, "end": 21}, {"start": 6, "end": 6}, {"start": 6}, {"start": 6.5, "end": 7}):
        with pytest.raises(OptionError, match="marks: a"):
            work.decide(place, "hand", marks=[{**mark, "type": "Z"}])


def test_spans_of_hierarchies_must_nest() -> None:
    trees = {"ann": [(1, 6), (1, 4)], "bo": [(1, 6), (3, 6)], "cy": [(1, 6), (1, 4)]}
    corpus = Corpus({"tree": {coder: Hierarchy(6, spans) for coder, spans in trees.items()}})
    work = cz.adjudicate(corpus, in_memory=True)
    first = next(place for place in work.places if place.start == 1)
    second = next(place for place in work.places if place.start == 3)
    work.decide(first, "majority")
    with pytest.raises(OptionError, match=r"contradicts the gold standard so far: .* cross.*; undo one of them"):
        work.decide(second, "coder", coder="bo")
    work.decide(second, "hand", marks=[{"start": 5, "end": 6}])
    gold = work.gold().corpus["tree", "gold"]
    assert gold == Hierarchy(6, [(1, 6), (1, 4), (5, 6)])


def test_labels_of_hierarchies_are_decided_too() -> None:
    rows = {"ann": [(0, 8, 1, "A")], "bo": [(0, 8, 1, "B")], "cy": [(0, 8, 1, "B"), (0, 4, 2, "c")]}
    corpus = Corpus({"song": {coder: Hierarchy.from_times(spans, duration=8) for coder, spans in rows.items()}})
    work = cz.adjudicate(corpus, in_memory=True)
    span, label = work.places
    assert (span.times, span.kinds, span.cost) == ((0, 4), ("span",), 2)
    assert (label.times, label.kinds, label.cost, label.pairs) == ((0, 8), ("different label",), 0, 2)
    work.decide(span, "none")
    work.decide(label, "coder", coder="ann")
    gold = work.gold().corpus["song", "gold"]
    assert [span.label for span in gold.spans] == ["A"]


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Return a few items with two to five coders, with or without types."""
    typed = draw(st.booleans())
    items = {}
    for number in range(draw(st.integers(1, 3))):
        length = draw(st.integers(2, 12))
        coders = {}
        for coder in "abcde"[: draw(st.integers(2, 5))]:
            row = draw(st.lists(st.sampled_from(["", "", ",", "."]), min_size=length, max_size=length))
            bare = Segmentation.from_positions(length, [i for i, mark in enumerate(row[:-1], 1) if mark])
            coders[coder] = Segmentation.from_marks(row, types=[",", "."]) if typed else bare
        items[f"item {number}"] = coders
    return Corpus(items)


@given(corpora())
@examples(60)
def test_without_decisions_the_majority_is_the_majority(corpus: Corpus) -> None:
    gold = cz.adjudicate(corpus, in_memory=True).gold("majority").corpus
    for item in corpus.item_names:
        expected = majority(list(corpus.of_item(item).values()))  # type: ignore[arg-type]
        assert gold[item, "gold"].boundaries == expected.boundaries  # type: ignore[union-attr]


@given(corpora(), st.data())
@examples(60)
def test_following_a_coder_everywhere_gives_that_coder(corpus: Corpus, data: st.DataObject) -> None:
    coder = data.draw(st.sampled_from(["a", "b"]))
    work = cz.adjudicate(corpus, in_memory=True)
    for place in work.places:
        work.decide(place, "coder", coder=coder)
    for item in corpus.item_names:
        expected = corpus[item, coder]
        assert work.gold().corpus[item, "gold"].boundaries == expected.boundaries  # type: ignore[union-attr]


def test_the_queue_is_the_same_every_time() -> None:
    corpus = Corpus({"b": TALK, "a": TALK})
    first, second = (cz.adjudicate(corpus, in_memory=True).places for _ in range(2))
    assert first == second
    assert len({place.key for place in first}) == len(first) == 4
    assert [place.item for place in first] == ["a", "b", "a", "b"]


def test_the_journal_is_beside_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    for name in ("ann.bits", "bo.bits"):
        (tmp_path / "all" / name).write_text("0100\n")
    file = str(tmp_path / "all" / "ann.bits")
    assert journal_path([file]) == str(tmp_path / "all" / "ann.adjudication.jsonl")
    folder = str(tmp_path / "all.adjudication.jsonl")
    for paths in ([tmp_path / "all"], [file, tmp_path / "all" / "bo.bits"], [tmp_path / "all" / "*.bits"]):
        assert journal_path(paths) == folder
    (tmp_path / "all" / "x.adjudication.jsonl").write_text("{}\n")
    assert cz.read(tmp_path / "all").coders == ("ann", "bo")
