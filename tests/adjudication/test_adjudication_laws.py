"""Laws of adjudication for spans and for tiers in seconds: whoever follows one coder everywhere gets that coder."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Spans, Tier
from caesura.tasks.adjudicate import same_marks
from support.examples import examples


@st.composite
def span_coders(draw: st.DrawFn) -> Corpus:
    """Return an item with two or three coders, whose spans may overlap, nest, cross and occur twice."""
    row = st.tuples(st.integers(0, 8), st.integers(1, 6), st.sampled_from(["X", "Y", None]))
    coders = {}
    for coder in "abc"[: draw(st.integers(2, 3))]:
        rows = draw(st.lists(row, max_size=4))
        coders[coder] = Spans([(start, start + size, name) for start, size, name in rows], length=20)
    if not any(len(spans) for spans in coders.values()):
        coders["a"] = Spans([(0, 1, "X")], length=20)
    return Corpus({"item": coders})


@given(span_coders(), st.sampled_from(["a", "b"]))
@examples(60)
def test_following_a_coder_gives_the_spans_of_that_coder(corpus: Corpus, coder: str) -> None:
    work = cz.adjudicate(corpus, in_memory=True)
    assert len({place.key for place in work.places}) == len(work.places)
    for place in work.places:
        work.decide(place, "coder", coder=coder)
    assert same_marks(work.gold().corpus["item", "gold"], corpus["item", coder])


@st.composite
def tier_coders(draw: st.DrawFn) -> Corpus:
    """Return an item with two or three coders, whose intervals have gaps, at whole tenths of seconds."""
    coders = {}
    for coder in "abc"[: draw(st.integers(2, 3))]:
        edges = sorted(draw(st.sets(st.integers(0, 60), min_size=2, max_size=8)))
        names = draw(st.lists(st.sampled_from(["x", "y", ""]), min_size=len(edges) - 1, max_size=len(edges) - 1))
        rows = [
            (start / 10, end / 10, name) for start, end, name in zip(edges[:-1], edges[1:], names, strict=True) if name
        ]
        coders[coder] = Tier(rows or [(0, 1, "x")], end=6)
    return Corpus({"item": coders})


@given(tier_coders(), st.sampled_from(["a", "b"]))
@examples(80)
def test_following_a_coder_gives_the_intervals_of_that_coder(corpus: Corpus, coder: str) -> None:
    work = cz.adjudicate(corpus, in_memory=True)
    for place in work.places:
        work.decide(place, "coder", coder=coder)
    gold, expected = work.gold().corpus["item", "gold"], corpus["item", coder]
    assert isinstance(gold, Tier)
    assert isinstance(expected, Tier)
    if work.types:  # otherwise all labels are the same transcription
        assert gold.intervals == expected.intervals
    else:
        assert [mark for mark in gold.edges.inner.tolist() if mark < 6] == expected.edges.inner.tolist()


@given(tier_coders())
@examples(40)
def test_places_in_seconds_are_near_each_other(corpus: Corpus) -> None:
    work = cz.adjudicate(corpus, in_memory=True)
    for place in work.places:
        times = sorted(mark.start for marks in place.marks.values() for mark in marks)
        assert all(later - earlier <= 0.5 + 1e-9 for earlier, later in pairwise(times))
