"""Gold standards of tiers: times of boundaries, and the gold standard as a tier in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.gold.linear import GoldBoundary
from caesura.tasks.gold import GoldOptions, make_gold, write_gold

WORDS = [(i, i + 0.9, word) for i, word in enumerate("abcdefgh")]

# words  a   b   c   d   e   f   g   h
# ann    |----NP-----|-----VP----|--NP--|
# bo     |----NP-----|-----VP----|--NP--|
# cy     |------NP-------|---VP--|--NP--|
ENDS = {"ann": (2.9, 5.9, 8), "bo": (2.98, 5.9, 8), "cy": (3.9, 5.95, 8)}


def recording(labels: tuple[str, ...] = ("NP", "VP", "NP")) -> cz.Corpus:
    tiers = {}
    for coder, ends in ENDS.items():
        starts = (0, *ends[:-1])
        tiers[coder] = cz.Tier([*zip(starts, ends, labels, strict=True)], end=8, words=WORDS)
    return cz.Corpus({"rec": tiers})


def test_times_are_the_median_of_the_coders() -> None:
    result = make_gold(recording())
    times = {boundary.position: boundary.time for boundary in result.kept if isinstance(boundary, GoldBoundary)}
    assert times == {3: pytest.approx(2.94), 6: pytest.approx(5.9), 8: 8}
    (dropped,) = result.dropped
    assert isinstance(dropped, GoldBoundary)
    assert (dropped.position, dropped.time, dropped.near) == (4, 3.9, {"cy": 3})


def test_time_of_a_boundary_that_nobody_placed_is_that_of_the_near_misses() -> None:
    ends = {"a": 2.9, "b": 2.9, "c": 4.9, "d": 4.9}
    tiers = {coder: cz.Tier([(0, end, "x"), (end, 8, "x")], end=8, words=WORDS) for coder, end in ends.items()}
    result = make_gold(cz.Corpus({"rec": tiers}), GoldOptions(ignore_types=True))
    (boundary,) = result.kept
    assert isinstance(boundary, GoldBoundary)
    assert (boundary.position, boundary.coders, boundary.time) == (4, (), pytest.approx(3.9))


@pytest.mark.parametrize("suffix", [".TextGrid", ".eaf"])
def test_typed_gold_is_a_tier_of_intervals(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"gold{suffix}"
    write_gold(make_gold(recording()), str(path))
    (tier,) = cz.read(path, units="times").values()
    assert isinstance(tier, cz.Tier)
    assert [label for _, _, label in tier.intervals] == ["NP", "VP", "NP"]
    assert [end for _, end, _ in tier.intervals] == pytest.approx([2.94, 5.9, 8])
    assert tier.words is not None
    assert [word.label for word in tier.words] == list("abcdefgh")


@pytest.mark.parametrize("suffix", [".TextGrid", ".eaf"])
def test_gold_without_types_has_the_same_boundaries_when_read_again(suffix: str, tmp_path: Path) -> None:
    result = make_gold(recording(), GoldOptions(ignore_types=True))
    path = tmp_path / f"gold{suffix}"
    write_gold(result, str(path))
    (again,) = cz.read(path, labels="ignore").values()
    assert isinstance(again, cz.Segmentation)
    assert again.inner.tolist() == [3, 6]


def test_gaps_stay_gaps(tmp_path: Path) -> None:
    tier = cz.Tier([(0, 2.9, "NP"), (5.0, 8, "VP")], end=8, words=WORDS)
    result = make_gold(cz.Corpus({"rec": {"a": tier, "b": tier}}))
    write_gold(result, str(tmp_path / "gold.TextGrid"))
    (again,) = cz.read(tmp_path / "gold.TextGrid", units="times").values()
    assert isinstance(again, cz.Tier)
    assert again.intervals == tier.intervals


def test_streams_become_tiers(tmp_path: Path) -> None:
    def talk(end: float) -> cz.Dialogue:
        return cz.Dialogue(
            {name: cz.Tier([(0, end, "x"), (end, 8, "y")], end=8, words=WORDS) for name in ("Ann", "Bo")}
        )

    result = make_gold(cz.Corpus({"rec": {"one": talk(2.9), "two": talk(2.9)}}))
    write_gold(result, str(tmp_path / "gold.TextGrid"))
    assert cz.read(tmp_path / "gold.TextGrid", units="times").coders == ("gold Ann", "gold Bo")


def test_other_formats_store_units(tmp_path: Path) -> None:
    write_gold(make_gold(recording()), str(tmp_path / "gold.csv"))
    (again,) = cz.read(tmp_path / "gold.csv", types=["NP", "VP"]).values()
    assert isinstance(again, cz.Segmentation)
    assert again.boundaries == ((3, "NP"), (6, "VP"), (8, "NP"))
