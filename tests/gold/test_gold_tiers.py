"""Tiers of a gold standard in seconds."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caesura.gold.tiers import SEGMENT, recording_of, tier_of_decisions
from caesura.model.tier import Interval, Tier

END = 12
"""Whole seconds of the recordings."""


@st.composite
def tiers(draw: st.DrawFn) -> Tier:
    """Draw a tier whose intervals begin and end at whole seconds; some of the time is a gap."""
    cuts = sorted(draw(st.sets(st.integers(0, END), min_size=2)))
    labels = draw(st.lists(st.sampled_from(["a", "b", ""]), min_size=len(cuts) - 1, max_size=len(cuts) - 1))
    entries = zip(cuts, cuts[1:], labels, strict=False)
    return Tier([Interval(start, end, label) for start, end, label in entries if label], 0, END)


def by_second(tier: Tier) -> list[str]:
    """Return the label of each second."""
    labels = [""] * END
    for interval in tier.intervals:
        labels[int(interval.start) : int(interval.end)] = [interval.label] * int(interval.end - interval.start)
    return labels


@given(st.lists(tiers(), min_size=1, max_size=3), st.sets(st.integers(1, END - 1)))
def test_an_interval_has_the_label_of_most_coders_for_most_of_it(annotations: list[Tier], times: set[int]) -> None:
    # |--a--|b|  |---a---|      second by second, as the definition says
    marks = [(float(time), "") for time in sorted(times)]
    result = tier_of_decisions(recording_of(annotations), marks, annotations, typed=False)
    assert {interval.start for interval in result.intervals} <= {0, *times}
    labels = by_second(result)
    ends = [*sorted(times), END]
    for start, end in zip([0, *ends], ends, strict=False):
        choices = []
        for tier in annotations:
            seconds = Counter(by_second(tier)[start:end])
            most = max(seconds.values())
            choices.append({label for label, number in seconds.items() if number == most})
        votes = Counter(label for labels_of_coder in choices for label in labels_of_coder)
        assert len(set(labels[start:end])) == 1
        label = "" if labels[start] == SEGMENT else labels[start]
        assert label in votes  # some coder has it for most of the time
        if all(len(labels_of_coder) == 1 for labels_of_coder in choices):
            assert votes[label] == max(votes.values())
