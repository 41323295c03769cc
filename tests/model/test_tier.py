"""Tiers in seconds, and the three kinds of units for them."""

from __future__ import annotations

import itertools
import math
import pickle
import re
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Dialogue, Segmentation, Tier, over_units
from caesura.errors import (
    CaesuraError,
    CaesuraWarning,
    FormatError,
    InputError,
    MismatchError,
    OptionError,
    SegmentationError,
    TierError,
)
from caesura.model.annotation import HAS_CODES, HAS_LABELS, HAS_NO_TYPES, IN_SECONDS, OPEN_END, SHAPE_BIT, Shape
from caesura.model.common_units import boundary_times, tiers_over_units
from caesura.model.corpus import Source
from caesura.model.dialogue import texts_of
from caesura.tasks.pairing import pair_items
from support.compared import compared

UNION = "the units are the union of the coders' times: every position is marked by a coder"


def test_times_of_boundaries() -> None:
    """Position -> time, as the coder marked it, for every kind of units; the end of one interval is the start of the next."""
    ann = Tier([(0, 1.1, "A"), (1.1, 2.0, "B")], end=3)
    bo = Tier(points=[(1.13, "x"), (2.5, "")], end=3)
    with_options = Corpus({"x": {"ann": ann, "bo": bo}}).with_source
    for options, expected in (
        ({}, ({1: 1.1, 2: 2.0}, {1: 1.13, 3: 2.5})),
        ({"tolerance": 0.0}, ({1: 1.1, 3: 2.0}, {2: 1.13, 4: 2.5})),
        ({"units": 0.5}, ({2: 1.1, 4: 2.0}, {2: 1.13, 5: 2.5})),
    ):
        corpus = with_options(Source((), tier_options=options))
        times = boundary_times(corpus)
        assert (times["x", "ann", ""], times["x", "bo", ""]) == expected
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaesuraWarning)
            (converted,), _ = tiers_over_units([corpus])
        for coder in ("ann", "bo"):
            assert list(times["x", coder, ""]) == texts_of(converted["x", coder])[""].positions.tolist()


def test_times_of_streams_and_of_items_that_cannot_be_converted() -> None:
    tier = Tier([(0, 1, "A"), (1, 2, "B")], end=3)
    talk = Dialogue({"F": tier, "M": Tier([(0, 0.5, "A")], end=3)})
    corpus = Corpus({"talk": {"ann": talk}, "text": {"ann": Segmentation.from_masses([2, 3])}})
    assert boundary_times(corpus) == {("talk", "ann", "F"): {1: 1.0, 2: 2.0}, ("talk", "ann", "M"): {1: 0.5}}
    broken = Corpus({"talk": {"ann": talk, "bo": tier}})
    assert boundary_times(broken) == {}


def put_over_units(tiers: dict[str, Tier], units: Any, **options: Any) -> tuple[dict[str, Any], str]:
    """Return coder -> (number of units, boundaries), and the note, of one item."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", UNION, CaesuraWarning)
        corpus, notes = over_units(Corpus({"x": tiers}), units, **options)
    return {
        c: (segmentation.length, segmentation.boundaries) for c, segmentation in corpus.of_item("x").items()
    }, notes.get("x", "")  # type: ignore[union-attr]


def test_equality_and_repr() -> None:
    tier = Tier([(0.5, 1, "A"), [np.float64(1), 2, "B"]], end=3)
    assert tier == Tier(((0.5, 1.0, "A"), (1.0, 2.0, "B")), 0, 3.0) != Tier([(0.5, 1, "A"), (1, 2, "B")], end=3.5)
    assert (tier.intervals[1], tier.begin, tier.end) == (cz.Interval(1.0, 2.0, "B"), 0.0, 3.0)
    assert repr(Tier(points=[(1, "x")])) == "Tier(1 point from 0 to 1 s: x)"
    assert repr(Tier([(0, 1, "x")], points=[])) == "Tier(1 interval and 0 points from 0 to 1 s: x)"
    assert tier.with_words([(0, 3, "w")]).words == (cz.Interval(0, 3, "w"),)


def test_the_end_is_that_of_the_last_interval_or_point() -> None:
    assert Tier([(0, 1, "A")], words=[(0, 2, "w")]).end == 2
    assert Tier(points=[(4, "")], words=[(0, 2, "w")]).end == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"intervals": [(0, math.nan, "A")]}, r"intervals\[0\]: end must be a time in seconds, .*; got nan"),
        ({"intervals": [(0, 10**400, "A")]}, r"intervals\[0\]: end must be a time in seconds, .*; got 1000"),
        ({"intervals": [(True, 1, "A")]}, r"intervals\[0\]: start must be a time in seconds, .*; got True"),
        ({"intervals": [(0, 1, "A"), (3, 2, "B")]}, r"intervals\[1\]: end must be > start; got 2 <= 3"),
        ({"intervals": [(1, 1, "A")]}, r"intervals\[0\]: end must be > start; got 1 <= 1"),
        ({"intervals": [(0, 2, "A"), (1, 3, "B")]}, r"intervals\[1\]: .* 0-2 s 'A' and 1-3 s 'B' overlap"),
        ({"intervals": [(4, 5, "A"), (1, 2, "B")]}, r"intervals\[1\]: .* 4-5 s 'A' and 1-2 s 'B' are not sorted"),
        ({"intervals": [(0, 1, " \n")]}, r"intervals\[0\]: an interval must have a label"),
        ({"intervals": [(0, 1, None)]}, r"intervals\[0\]: label must be a string; got None"),
        ({"intervals": [(0, 1)]}, r"intervals\[0\]: expected \(start, end, label\); got \(0, 1\)"),
        ({"intervals": ["abc"]}, r"intervals\[0\]: expected \(start, end, label\); got 'abc'"),
        ({"intervals": [(0, 1, "A")], "end": 0.5}, r"intervals\[0\] must lie in 0-0.5 s; got 0-1 s 'A'"),
        ({"intervals": [(0, 1, "A")], "begin": 0.5}, r"intervals\[0\] must lie in 0.5-1 s; got 0-1 s 'A'"),
        ({"intervals": [(0, 2, "A")], "points": [(1, "x"), (0.5, "y")]}, r"points\[1\]: points must ascend"),
        ({"points": [(1, "x"), (1, "y")]}, r"points\[1\]: points must ascend; got 1 s 'y' after 1 s 'x'"),
        ({"points": [(-1, "x"), (1, "y")]}, r"points\[0\] must lie in 0-1 s; got -1 s 'x'"),
        ({"words": [(0, 1, "w"), (0.5, 2, "v")]}, r"words\[1\]: intervals must follow each other"),
        ({}, "end: a recording must end after it begins; got 0-0 s"),
        ({"end": math.inf}, "end must be a time in seconds, .*; got inf"),
        ({"end": 1e300}, r"end must be a time in seconds, at most 1e\+12; got 1e\+300"),
        ({"intervals": [(0, 2e12, "A")]}, r"intervals\[0\]: end must be a time in seconds, at most 1e\+12; got 2"),
    ],
)
def test_invalid_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TierError, match=message):
        Tier(**arguments)


# time   0   1   2   3   4   5   6   7   8
# words  . |good|night|  .  |moon|and|sun| .
# gap     0     1     2-----2    3   4   5
WORDS = [(1, 2, "good"), (2, 3, "night"), (4, 5, "moon"), (5, 6, "and"), (6, 7, "sun")]


def test_an_end_in_a_gap_is_a_boundary_there() -> None:
    # ann    |---- A ---|     |---- B ----|
    # bo   |--- A ---|  |------- B ---------|
    ann = Tier([(1, 3.5, "A"), (4, 7, "B")], end=8, words=WORDS)
    bo = Tier([(0.2, 3, "A"), (3.9, 8, "B")], end=8, words=WORDS)
    segmentations, note = put_over_units({"ann": ann, "bo": bo}, "words")
    assert segmentations == {"ann": (5, ((2, "A"), (5, "B"))), "bo": (5, ((2, "A"), (5, "B")))}
    assert note == ""


def test_an_end_inside_a_word_moves_to_the_nearest_gap() -> None:
    # night 2-3: the end at 2.25 is nearer to 2 (gap 1), that at 5.75 in "and" nearer to 6 (gap 4)
    ann = Tier([(1, 2.25, "A"), (2.25, 5.75, "B")], end=8, words=WORDS)
    segmentations, note = put_over_units({"ann": ann}, "words")
    assert segmentations["ann"] == (5, ((1, "A"), (4, "B")))
    assert note.endswith("; the largest shift is 0.25 s, for coder 'ann' at 2.25 s")


def test_a_start_without_an_end_is_a_plain_boundary() -> None:
    # words |good|night|  |moon|and|sun|
    # ann        |- A -|  .    |B|
    ann = Tier([(2, 3, "A"), (5, 6, "B")], end=8, words=WORDS)
    segmentations, _ = put_over_units({"ann": ann}, "words")
    assert segmentations["ann"] == (5, ((1, "boundary"), (2, "A"), (3, "boundary"), (4, "B")))
    (segmentation,) = over_units(Corpus({"x": {"ann": ann}}), "words", labels="ignore")[0].of_item("x").values()
    assert segmentation == Segmentation.from_masses([1, 1, 1, 1, 1], units=[w[2] for w in WORDS])


def test_the_plain_type_precedes_declared_types() -> None:
    ann = Tier([(2, 3, "minor"), (5, 6, "major")], end=8, words=WORDS)
    corpus = over_units(Corpus({"x": {"ann": ann}}), "words", types=["minor", "major"])[0]["x", "ann"]
    assert (corpus.types, corpus.types_declared) == (("boundary", "minor", "major"), True)
    whole = Tier([(1, 3, "minor"), (3, 7, "major")], end=8, words=WORDS)
    corpus = over_units(Corpus({"x": {"ann": whole}}), "words", types=["minor", "major"])[0]["x", "ann"]
    assert corpus.types == ("minor", "major")
    with pytest.raises(TierError, match=r"item 'x': coder 'ann': boundaries\[3\]: type 'major' is not declared"):
        over_units(Corpus({"x": {"ann": ann}}), "words", types=["minor"])


def test_two_ends_at_one_gap_are_an_error() -> None:
    ann = Tier([(1, 3.2, "A"), (3.2, 3.8, "B")], end=8, words=WORDS)  # both end in the silence after "night"
    message = "two ends must not fall on the same position; 1-3.2 s 'A' and 3.2-3.8 s 'B' both end at 2"
    with pytest.raises(TierError, match=f"item 'x': coder 'ann': {message}"):
        put_over_units({"ann": ann}, "words")


def test_nothing_ends_before_the_first_word() -> None:
    ann = Tier([(0, 0.8, "noise"), (1, 7, "A")], end=8, words=WORDS)
    with pytest.raises(TierError, match=r"0-0.8 s 'noise' lies before the first unit"):
        put_over_units({"ann": ann}, "words")


def test_an_interval_without_a_word_is_reported() -> None:
    ann = Tier([(3.2, 3.8, "breath"), (4, 5, "A")], end=8, words=WORDS)
    segmentations, note = put_over_units({"ann": ann}, "words")
    assert segmentations["ann"] == (5, ((2, "breath"), (3, "A")))
    assert note == "1 interval contains no unit and becomes a single boundary"


def test_coders_may_have_different_times_for_the_same_words() -> None:
    later = [(start + 10, end + 10, word) for start, end, word in WORDS]
    ann = Tier([(1, 3, "A"), (4, 7, "B")], end=8, words=WORDS)
    bo = Tier([(11, 13, "A"), (14, 17, "B")], begin=10, end=18, words=later)
    cy = Tier([(1, 3, "A"), (4, 7, "B")], end=8)  # takes the words of the first
    segmentations, _ = put_over_units({"ann": ann, "bo": bo, "cy": cy}, "words")
    assert segmentations["ann"] == segmentations["bo"] == segmentations["cy"]


def test_coders_must_have_the_same_words() -> None:
    ann = Tier([(1, 7, "A")], words=WORDS)
    with pytest.raises(TierError, match=r"item 'x': .*; word 2 is 'night' for ann and 'day'"):
        put_over_units({"ann": ann, "bo": Tier([(1, 3, "A")], words=[(1, 2, "good"), (2, 3, "day")])}, "words")
    with pytest.raises(TierError, match="coders must have the same words; ann has 5 words and bo has 1"):
        put_over_units({"ann": ann, "bo": Tier([(1, 3, "A")], words=[(1, 2, "good")])}, "words")
    with pytest.raises(TierError, match="the units are words, but the tiers have no words"):
        put_over_units({"bo": Tier([(1, 3, "A")])}, "words")


@given(st.data())
def test_every_edge_moves_to_the_nearest_gap_by_exhaustive_search(data: st.DataObject) -> None:
    """All gaps are listed as intervals of time, and each one is tried."""
    cuts = sorted(data.draw(st.sets(st.integers(1, 60), min_size=2, max_size=10)))
    words = [(a, b, f"w{a}") for a, b in itertools.pairwise(cuts) if data.draw(st.booleans())]
    if not words:
        return
    gaps = [(0, words[0][0]), *((a[1], b[0]) for a, b in itertools.pairwise(words)), (words[-1][1], 61)]
    time = data.draw(st.floats(words[0][1], 61))
    far = [max(a - time, time - b, 0) for a, b in gaps]
    best = [i for i, segmentation in enumerate(far) if segmentation == min(far)]
    segmentations, note = put_over_units({"c": Tier(points=[(time, "p")], end=61, words=words)}, "words")
    ((length, ((position, kind),)),) = segmentations.values()
    assert (length, kind) == (len(words), "p")
    assert position in best
    assert (note == "") == (min(far) <= 1e-9)


def test_steps_in_seconds() -> None:
    # 0 . . . . 0.5 . . . . 1.0      ten steps of 0.1 s
    # ann  |- A -|- B -|              0.12 is nearest to 0.1, 0.3 to 0.3 despite binary fractions, 0.58 to 0.6
    ann = Tier([(0.12, 0.3, "A"), (0.3, 0.58, "B")], end=1)
    bo = Tier([(0, 1, "A")], end=1)
    segmentations, note = put_over_units({"ann": ann, "bo": bo}, 0.1)
    assert segmentations == {"ann": (10, ((1, "boundary"), (3, "A"), (6, "B"))), "bo": (10, ((10, "A"),))}
    assert note == ""


def test_steps_begin_where_the_recording_does() -> None:
    segmentations, _ = put_over_units(
        {"ann": Tier([(20.5, 21, "A")], begin=20, end=22), "bo": Tier(points=[(21.5, "")], begin=20)}, 0.5
    )
    assert segmentations == {"ann": (4, ((1, "boundary"), (2, "A"))), "bo": (4, ((3, "boundary"),))}


def test_invalid_steps() -> None:
    ann = Tier([(0, 0.52, "A"), (0.52, 0.54, "B")], end=1)
    with pytest.raises(TierError, match=r"the same position; 0-0.52 s 'A' and 0.52-0.54 s 'B'"):
        put_over_units({"ann": ann}, 0.1)
    with pytest.raises(TierError, match="a step must not be longer than the recording, 1 s; got 2 s"):
        put_over_units({"ann": ann}, 2)
    with pytest.raises(TierError, match="a step of 1e-12 s gives too many units in 1 s; choose a longer step"):
        put_over_units({"ann": ann}, 1e-12)


def test_the_union_of_times() -> None:
    # s      0        1.0     2.0 2.05   3.0        4.0
    # ann    |--- A ---|--- B ---|                   .
    # bo     |--- A ----|      |---- B ----|         .
    # groups          1.00       2.00      3.00
    #                 1.04       2.05
    ann = Tier([(0, 1.0, "A"), (1.0, 2.05, "B")], end=4)
    bo = Tier([(0, 1.04, "A"), (2.0, 3.0, "B")], end=4)
    segmentations, _ = put_over_units({"ann": ann, "bo": bo}, "union", tolerance=0.05)
    assert segmentations == {"ann": (4, ((1, "A"), (2, "B"))), "bo": (4, ((1, "A"), (2, "boundary"), (3, "B")))}
    segmentations, _ = put_over_units({"ann": ann, "bo": bo}, "union", tolerance=0)
    assert segmentations["bo"] == (6, ((2, "A"), (3, "boundary"), (5, "B")))


def test_a_group_is_no_longer_than_the_tolerance() -> None:
    tiers = {name: Tier(points=[(time, "p")], end=9) for name, time in (("a", 1.0), ("b", 1.4), ("c", 1.8))}
    segmentations, _ = put_over_units(tiers, "union", tolerance=0.5)
    assert [segmentation[1][0][0] for segmentation in segmentations.values()] == [1, 1, 2]


def test_a_group_has_each_coder_once() -> None:
    # ann  1.0 1.1, bo 1.2: ann's second begins a group, and bo's belongs to it
    ann, bo = Tier(points=[(1.0, "p"), (1.1, "p")], end=9), Tier(points=[(1.2, "p")], end=9)
    segmentations, _ = put_over_units({"ann": ann, "bo": bo}, "union", tolerance=0.5)
    assert segmentations == {"ann": (3, ((1, "p"), (2, "p"))), "bo": (3, ((2, "p"),))}


def test_beginning_and_end_of_the_recording() -> None:
    """Times within the tolerance are moved to the start or end of the recording. A short interval at the edge is kept."""
    ann = Tier([(0.02, 2, "A"), (2, 3.98, "B")], end=4)
    bo = Tier([(0, 0.03, "A"), (0.03, 4, "B")], end=4)
    segmentations, _ = put_over_units({"ann": ann, "bo": bo}, "union", tolerance=0.05)
    assert segmentations == {"ann": (3, ((2, "A"), (3, "B"))), "bo": (3, ((1, "A"), (3, "B")))}
    point = Tier(points=[(0.03, "p")], end=4)  # no interval starts here: it is a boundary
    assert put_over_units({"ann": point}, "union")[0]["ann"] == (2, ((1, "p"),))
    with pytest.raises(TierError, match="0 s 'p' lies before the first unit; boundaries are not possible there"):
        put_over_units({"ann": Tier(points=[(0, "p")], end=4)}, "union")
    with pytest.raises(TierError, match=r"tolerance must be shorter than the recording, 0.04 s; got 0.05 s"):
        put_over_units({"ann": Tier([(0, 0.04, "A")])}, "union")


@given(marks=st.lists(st.sets(st.integers(1, 400), max_size=8), min_size=1, max_size=4), tolerance=st.integers(0, 60))
def test_groups_match_their_definition(marks: list[set[int]], tolerance: int) -> None:
    """Points at whole tenths of a second. A group spans at most the tolerance, has each coder once, and is greedy."""
    tiers = {f"c{i}": Tier(points=[(t / 10, "p") for t in sorted(m)], end=100) for i, m in enumerate(marks)}
    segmentations, _ = put_over_units(tiers, "union", tolerance=tolerance / 10)
    group: dict[int, list[tuple[int, str]]] = {}
    for (name, (_, boundaries)), segmentation in zip(segmentations.items(), marks, strict=True):
        assert len(boundaries) == len(segmentation)
        for (position, _), time in zip(boundaries, sorted(segmentation), strict=True):
            group.setdefault(position, []).append((time, name))
    assert sorted(group) == list(range(1, len(group) + 1))
    for position, members in group.items():
        times, names = zip(*sorted(members), strict=True)
        assert times[-1] - times[0] <= tolerance
        assert len(set(names)) == len(names)
        if position > 1:  # the first of a group could not join the one before
            before = sorted(group[position - 1])
            assert times[0] >= before[-1][0]
            assert times[0] - before[0][0] > tolerance or names[0] in {name for _, name in before}


def test_coders_converted_separately_cannot_be_compared() -> None:
    """They have the same number of units but different times."""
    with pytest.warns(CaesuraWarning, match=UNION):
        segmentation, two = (
            over_units(Corpus({"x": {"c": Tier([(0, t, "A")], end=4)}}), "union")[0]["x", "c"] for t in (1.0, 3.0)
        )
    assert (segmentation.units, two.units) == (("0-1 s", "1-4 s"), ("0-3 s", "3-4 s"))
    with pytest.raises(MismatchError, match=r"'0-1 s'.*'0-3 s'"):
        cz.boundary_similarity(segmentation, two)


def test_all_coders_share_one_scale_of_types(tmp_path: Any) -> None:
    """So a table can contain them without declared types."""
    tiers = {"ann": Tier([(1, 2, "B")], end=3), "bo": Tier([(0, 2, "A")], end=3), "cy": Tier(end=3)}
    corpus, _ = over_units(Corpus({"x": tiers}), 1)
    for segmentation in corpus.of_item("x").values():
        assert (segmentation.types, segmentation.types_declared) == (("A", "B", "boundary"), False)
    cz.write(corpus, tmp_path / "c.csv")
    assert cz.read(tmp_path / "c.csv") == corpus


def test_the_union_warns() -> None:
    corpus = Corpus({"x": {"ann": Tier([(1, 2, "A")], end=4)}})
    for units in (None, "union"):
        with pytest.warns(CaesuraWarning, match=f"{UNION}.*Do not trust S, Pk, WindowDiff"):
            over_units(corpus, units)


def test_words_by_default_if_there_are_any() -> None:
    corpus = Corpus({"x": {"ann": Tier([(1, 3, "A")], words=WORDS)}, "y": {"ann": Tier([(1, 3, "A")])}})
    with pytest.raises(TierError, match="item 'y': the units are words"):
        over_units(corpus)
    excluded: list[InputError] = []
    corpus, _ = over_units(corpus, excluded=excluded)
    assert (corpus.item_names, [str(segmentation)[:14] for segmentation in excluded]) == (("x",), ["item 'y': the "])


def test_annotations_without_times_are_unchanged() -> None:
    plain = Segmentation.from_masses([2, 2])
    corpus = Corpus({"x": {"ann": plain}, "y": {"ann": Tier([(1, 2, "A")], end=3)}})
    corpus, _ = over_units(corpus, 1)
    assert corpus["x", "ann"] is plain
    assert isinstance(corpus["y", "ann"], Segmentation)
    mixed = Corpus({"x": {"ann": plain, "bo": Tier([(1, 2, "A")])}})
    with pytest.raises(TierError, match="item 'x': all coders must have tiers, or none; 'ann' has a Segmentation"):
        over_units(mixed, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": "word"}, "units must be 'words', 'union' or a number of seconds above 0; got 'word'"),
        ({"units": 0}, "units must be 'words', 'union' or a number of seconds above 0; got 0"),
        ({"units": True}, "units must be .* got True"),
        ({"units": math.nan}, "units must be .* got nan"),
        ({"tolerance": -1}, "tolerance must be a number from 0 up; got -1"),
        ({"labels": "yes"}, "labels must be one of 'types', 'ignore'; got 'yes'"),
    ],
)
def test_invalid_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        over_units(Corpus({"x": {"ann": Tier([(1, 2, "A")])}}), **options)


TIERS = Corpus({item: {"ann": Tier([(1, 2, "A")], end=3), "bo": Tier([(1, 3, "A")], end=3)} for item in "xy"})


@pytest.mark.parametrize("name", [name for name, kind in cz.measures().items() if "timed" not in kind.kinds])
def test_measures_of_units_refuse_a_tier(name: str) -> None:
    tier, measure = Tier([(1, 2, "A")]), cz.measures()[name]()
    with pytest.raises(CaesuraError, match=r"expected .*; got Tier|in seconds|seconds have none") as caught:
        measure.score(tier, tier)  # type: ignore[arg-type]
    assert compared(measure) in ("spans", "trees") or re.search("over_units|got Tier|in seconds", str(caught.value))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: cz.cochran_q(TIERS),
        lambda: cz.label_agreement(TIERS),
        lambda: cz.boundary_heat(TIERS),
        lambda: cz.check_same_tokens(TIERS),
        lambda: pair_items(TIERS, TIERS, reference_coder="ann", hypothesis_coder="bo"),
    ],
)
def test_functions_of_positions_reject_tiers_in_one_line(ask: Any) -> None:
    with pytest.raises(InputError, match=r"expected .*; got (a )?Tier") as caught:
        ask()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["c.json", "c.csv", "c.tsv", "c.bits"])
def test_other_formats_cannot_contain_tiers(tmp_path: Any, name: str) -> None:
    with pytest.raises(FormatError, match=r"cannot store a Tier; .*; it can be written as rttm, audacity, textgrid"):
        cz.write(TIERS, tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("kind", [np.int16, np.int64, np.float32, np.float64])
def test_numpy_numbers_are_accepted(kind: Any) -> None:
    tier = Tier([(kind(0), kind(1), "A"), (kind(1), kind(2), "B")], kind(0), kind(3), words=[(kind(0), kind(2), "w")])
    assert tier == Tier([(0, 1, "A"), (1, 2, "B")], 0, 3, words=[(0, 2, "w")])
    assert all(type(time) is float for row in tier.intervals for time in row[:2])
    corpus = Corpus({"x": {"ann": tier}})
    assert over_units(corpus, kind(1), tolerance=kind(2)) == over_units(corpus, 1, tolerance=2)


def test_points_beside_intervals_are_no_boundaries() -> None:
    both = Tier([(0, 4, "A"), (4, 9, "B")], points=[(1, "x"), (1, "y"), (9, "z")])
    alone = Tier(both.intervals)
    assert both.rows == both.intervals != both.points
    assert both.with_words(None) == both != alone
    for units in ("union", 1.0):
        assert put_over_units({"ann": both}, units) == put_over_units({"ann": alone}, units)
    assert Tier(points=[(1, "x")]).rows == ((1.0, "x"),)
    with pytest.raises(TierError, match=r"points\[0\] must lie in 0-4 s"):
        Tier([(0, 4, "A")], end=4, points=[(5, "x")])


def test_streams_in_seconds_are_converted_separately() -> None:
    ann = Dialogue({"F": Tier([(0, 4, "A"), (4, 9, "B")]), "M": Tier([(1, 3, "A")], end=9)})
    bo = Dialogue({"F": Tier([(0, 5, "A"), (5, 9, "B")]), "M": Tier([], end=9)})
    corpus = Corpus({"talk": {"ann": ann, "bo": bo}})
    assert (corpus.kind, corpus.holds(Tier), ann.timed, ann.length) == ("timed", True, True, 0)
    assert repr(ann) == "Dialogue(2 streams in seconds: F, M)"
    assert ann == Dialogue(dict(ann)) != bo
    converted, notes = cz.over_units(corpus, 1.0)
    assert (converted.kind, notes) == ("dialogue", {})
    for coder, dialogue in (("ann", ann), ("bo", bo)):
        for stream in "FM":
            single, _ = cz.over_units(
                Corpus({"talk": {"ann": ann[stream], "bo": bo[stream]}}), 1.0, types=["boundary", "A", "B"]
            )
            streams = converted["talk", coder]
            assert len(streams) == len(dialogue)
            assert streams[stream].boundaries == single["talk", coder].boundaries


def test_streams_in_seconds_must_agree() -> None:
    tier = Tier([(0, 4, "A")])
    with pytest.raises(SegmentationError, match="the streams must all be segmentations, or all be tiers; got both"):
        Dialogue({"F": tier, "M": cz.Segmentation.from_masses([1, 2])})
    for other, problem in [
        (tier, "all coders must have streams, or none; bo has none"),
        (Dialogue({"F": Segmentation.from_masses([1])}), "'F': all coders must have tiers, or none; 'bo' has a Segm"),
    ]:
        corpus = Corpus({"talk": {"ann": Dialogue({"F": tier, "M": tier}), "bo": other}})
        with pytest.raises(TierError, match=problem):
            cz.over_units(corpus, 1.0)
    corpus = Corpus({"talk": {"ann": Dialogue({"F": tier, "M": tier}), "bo": Dialogue({"F": tier})}})
    (problem,) = cz.check_same_tokens(cz.over_units(corpus, 1.0)[0])
    assert str(problem) == "item 'talk': ann has stream 'M', but bo does not"
    with pytest.raises(MismatchError, match="got Dialogue; convert the tiers to common units with over_units"):
        texts_of(Dialogue({"F": tier}))


def test_streams_in_seconds_cannot_be_written(tmp_path: Path) -> None:
    corpus = Corpus({"talk": {"ann": Dialogue({"F": Tier([(0, 4, "A")])})}})
    with pytest.raises(FormatError, match="no format can store streams in seconds; read them over units"):
        cz.write(corpus, tmp_path / "a.csv")


def test_what_kernels_read_is_not_part_of_the_value() -> None:
    """
    |--A--|-----|--B--|......
    0     1     2     3     4
    """
    tier = Tier([(0, 1, "A"), (2, 3, "B")], end=4)
    ns = 10**9
    has = HAS_NO_TYPES | IN_SECONDS | HAS_LABELS | HAS_CODES | Shape.PARTITION << SHAPE_BIT
    assert struct.unpack("=11q", tier.packed) == (0, 4 * ns, has, 3, ns, 2 * ns, 3 * ns, 1, 0, 2, 0)
    assert pickle.loads(pickle.dumps(tier)).packed == tier.packed
    assert "packed" not in repr(tier)
    unlabelled = Tier(points=[(1.5, "")], end=4, open_end=True)
    has = HAS_NO_TYPES | IN_SECONDS | OPEN_END | Shape.MARKS << SHAPE_BIT
    assert struct.unpack("=5q", unlabelled.packed) == (0, 4 * ns, has, 1, 1.5 * ns)


@pytest.mark.parametrize("times", [[], [1.5], [0.25, 1.0, 2.5], [1.0, 1.0000001], [0.5, 2.9999999]])
@pytest.mark.parametrize("is_labelled", [True, False])
def test_tier_from_times_is_that_of_the_class(times, is_labelled):
    """The same rows and edges, also if two times are the same place."""
    labels = ["b", "a", "b", "c"][: len(times) + 1]
    ends = [0.0, *times, 3.0]
    intervals = Tier(zip(ends[:-1], ends[1:], labels, strict=True), end=3)
    expected = intervals if is_labelled else Tier(points=[(time, "") for time in times], end=3)
    tier = Tier.from_times(np.array(times), labels if is_labelled else None, begin=0.0, end=3.0)
    assert tier == expected
    assert tier.packed == expected.packed
    assert tier.edges.labels == expected.edges.labels
