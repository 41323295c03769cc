"""Plausibility warnings of the reading report for spans and hierarchies."""

from __future__ import annotations

from caesura import Corpus, Hierarchy, Segmentation, Spans
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
