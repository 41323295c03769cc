"""Plausibility warnings of the reading report for spans and hierarchies."""

from __future__ import annotations

from typing import Any

import pytest

from caesura import Corpus, Dialogue, Hierarchy, Segmentation, Spans, Tier
from caesura.model.corpus import Source
from caesura.model.reading import ReadingReport

ADVICE = "; if that is wrong, change how the file is read with --reading"


def warnings_of(**coders: Spans | Hierarchy) -> list[str]:
    """Return the warnings about one item, without the advice at their end."""
    corpus = Corpus({"a": coders})
    report = ReadingReport.of(corpus, Source(files=("a.csv",), format="test", hint="--reading"))
    assert all(message.endswith(ADVICE) for message in report.warnings)
    return [message.removesuffix(ADVICE) for message in report.warnings]


def spans(*rows: tuple[float, float, str]) -> Spans:
    return Spans(rows, length=20)


def test_plausible_spans_have_no_warning() -> None:
    ann, bo = spans((0, 4, "PER"), (6, 9, "LOC")), spans((0, 5, "PER"), (6, 9, "LOC"))
    assert warnings_of(ann=ann, bo=bo) == []


def test_a_coder_without_any_span() -> None:
    assert warnings_of(ann=spans((0, 4, "PER"), (5, 6, "PER")), bo=spans()) == ["coder 'bo' has no span in any item"]


def test_identical_coders_and_categories_of_one_coder() -> None:
    ann = spans((0, 4, "PER"), (6, 9, "LOC"), (16, 19, "LOC"))
    cy = spans((0, 4, "person"), (6, 9, "place"), (16, 19, "place"))
    assert warnings_of(ann=ann, bo=ann, cy=cy) == [
        "coders 'ann' and 'bo' have identical annotations everywhere",
        "coder 'cy' uses categories that no other coder uses: person, place",
    ]


def test_categories_that_occur_once() -> None:
    ann = spans((0, 4, "so"), (6, 9, "then"), (10, 12, "she"))
    assert warnings_of(ann=ann, bo=spans((0, 4, "so"), (6, 9, "than"))) == ["most of the 4 categories occur only once"]


def test_hierarchies() -> None:
    ann = Hierarchy(4, [(1, 4, 1, "S"), (1, 2, 2, "NP")])
    bo = Hierarchy(4, [(1, 4, 1, "S"), (3, 4, 2, "VP")])
    assert warnings_of(ann=ann, bo=bo) == []
    assert warnings_of(ann=ann, bo=ann) == ["coders 'ann' and 'bo' have identical annotations everywhere"]
    assert warnings_of(ann=ann, bo=Hierarchy(4, [])) == ["coder 'bo' has no span in any item"]
    assert warnings_of(ann=ann, bo=Hierarchy(4, [(1, 4, 1, "Satz")])) == [
        "coder 'ann' uses labels that no other coder uses: NP, S",
        "coder 'bo' uses labels that no other coder uses: Satz",
    ]


def test_spans_beside_segmentations() -> None:
    corpus = Corpus({"a": {"ann": spans((0, 4, "PER"))}, "b": {"bo": Segmentation.from_masses([2, 3])}})
    report = ReadingReport.of(corpus, Source(files=("a", "b"), format="test", hint="--reading"))
    assert report.warnings[0] == (
        "annotations of different kinds are read together: spans of ann, other annotations of bo; read them separately to "
        "compare them"
    )


def test_spans_that_occur_again() -> None:
    twice = Spans([(0, 4, "PER"), (0, 4, "PER"), (0, 4, "LOC"), (2, 4, "PER")], length=20)
    by_coder = {"ann": twice, "bo": spans((0, 4, "PER"))}
    report = ReadingReport.of(Corpus({"a": by_coder, "b": by_coder}), Source(files=("a",), format="test"))
    assert report.warnings[0] == (
        "spans occur again with the same positions and category: 2 of ann; each of them counts"
    )


LATE, LATER = Hierarchy.from_times([(1, 10, 1), (1, 4, 2)]), Hierarchy.from_times([(1, 12.5, 1)])
TIER = Tier([(2, 6, "A")], begin=1, end=9)


@pytest.mark.parametrize(
    ("coders", "unit", "length"),
    [
        ([Segmentation.from_masses([2, 3])], "units", 5),
        ([Dialogue({"F": Segmentation.from_masses([2, 3]), "M": Segmentation.from_masses([4])})], "units", 9),
        ([Hierarchy(4, [(1, 4)])], "units", 4),
        ([LATE, LATER], "seconds", 11.5),  # that of the longest
        ([TIER, Tier([(1, 2, "A")], end=30)], "seconds", 8),  # that of the first
        ([Dialogue({"F": TIER, "M": Tier([(1, 2, "A")], end=5)})], "seconds", 9),
        ([Spans([(0, 2)], text="abcde")], "characters", 5),
        ([Spans([(0, 2)], units=["a", "b"])], "tokens", 2),
        ([Spans([(0, 2)], length=7), Spans([(0, 2)], length=9)], "units", 7),
        ([Spans([(0, 2)]), Spans([(0, 9)])], "units", 9),  # of unknown length
        ([Spans([(0.5, 2)], seconds=True), Spans([(0.5, 9)], seconds=True)], "seconds", 9),
        ([TIER, Segmentation.from_masses([2, 3])], "units", 8),
    ],
)
def test_unit_and_length_of_an_item(coders: list[Any], unit: str, length: float) -> None:
    corpus = Corpus({"a": dict(zip(["ann", "bo"], coders, strict=False))})
    report = ReadingReport.of(corpus, Source(files=("a",), format="test"))
    assert (report.unit, dict(report.items), report.extent) == (unit, {"a": length}, length)
