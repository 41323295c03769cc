"""Every file of ``data/everyday`` gives what ``expected.json`` says, with the command given there and no further option."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, CaesuraError
from caesura.tasks.reading import ReadingOptions
from support.commands import invoke
from support.shared_data import DataFolder

ENTRIES = [
    "dialseg711.json",
    "bad/dialseg711_masses.json",
    "tiage_anno.json",
    "superdialseg.json",
    "qmsum_IS1003a.json",
    "tcpd/annotations.json",
    "chunkseg.jsonl",
    "conll2003.bio",
    "rttm/ref.rttm",
    "doccano/admin.jsonl",
    "prodigy.jsonl",
    "evalsub/ref.fr",
    "keypress.csv",
    "boris_aggregated.csv",
    "audacity/ann/talk1.txt",
    "disrpt/eng.made.demo_test.tok",
    "disrpt_conn/eng.made.conn_test.tok",
    "excel_de.csv",
    "pandas.csv",
    "tidy.csv",
    "labels.csv",
    "segment_numbers.csv",
    "textgrid/ann/talk1.TextGrid",
    "ytseg.json",
    "sentences_labels.jsonl",
    "scores.csv",
    "coders.json",
    "bad/rttm_negative.rttm",
    "bad/keypress_text.csv",
    "bad/chunkseg_past_end.jsonl",
]
READING_FLAGS = ("--fields", "--reading", "--recipe", "--encoding", "--tier", "--words", "--labels")


@pytest.fixture
def entries(shared: DataFolder, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    folder = shared / "data/everyday"
    monkeypatch.chdir(folder)
    listed = json.loads(Path("expected.json").read_text(encoding="utf-8"))["files"]
    return {entry["files"][0]: entry for entry in listed}


def test_every_entry_is_tested(entries: dict[str, dict[str, Any]]) -> None:
    assert set(entries) == set(ENTRIES)


def arguments_of(entry: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the files and the reading options of the command of an entry."""
    files: list[str] = []
    options: list[str] = []
    words = iter(shlex.split(entry["command"])[2:])
    for word in words:
        if word.startswith("-"):
            value = next(words)
            options += [word, value] if word in READING_FLAGS else []
        else:
            files.append(word)
    return files, options


def read_entry(entry: dict[str, Any]) -> list[cz.Corpus]:
    """Read the files of an entry as its command does."""
    files, options = arguments_of(entry)
    pairs = dict(zip(options[::2], options[1::2], strict=True))
    reading = ReadingOptions(
        fields=pairs.get("--fields"), format_options=(pairs["--reading"],) if "--reading" in pairs else ()
    )
    return reading.read_separately(files)


def boundaries_of(annotation: Any) -> list[float]:
    if isinstance(annotation, cz.Segmentation):
        return [int(position) for position in annotation.inner]
    if annotation.points and not annotation.intervals:
        return [point.time for point in annotation.points]
    edges = sorted({edge for interval in annotation.intervals for edge in interval[:2]})
    return [edge for edge in edges if annotation.begin < edge < annotation.end]


def spans_of(spans: Any) -> list[list[Any]]:
    """Spans from 1, end included."""
    if isinstance(spans, cz.Hierarchy):
        return sorted([span.start, span.end, span.label] for span in spans)
    assert isinstance(spans, cz.Spans)
    return sorted([span.start + 1, span.end, span.category] for span in spans)


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str, entries: dict[str, dict[str, Any]]) -> None:
    entry = entries[name]
    if "error" in entry:
        files, options = arguments_of(entry)
        result = invoke(["info", *files, *options])
        assert result.exit_code == 1
        for word in ERRORS[name]:
            assert word in result.stderr
        return
    corpora = read_entry(entry)
    items = {item: length for corpus in corpora for item, length in corpus.reading.items.items()}
    _check_items(entry, items, corpora)
    _check_coders(entry, corpora)
    _check_boundaries(entry, corpora)
    _check_spans(entry, corpora)
    _check_intervals(entry, corpora)
    _check_details(entry, corpora)


ERRORS = {
    "bad/dialseg711_masses.json": ("item '0'", "11", "12"),
    "bad/rttm_negative.rttm": ("rttm_negative.rttm:1:", "duration", "positive"),
    "bad/keypress_text.csv": ("keypress_text.csv:3:", "soon"),
    "bad/chunkseg_past_end.jsonl": ("chunkseg_past_end.jsonl:1:", "70.0 lies outside 0..60"),
}


def _check_items(entry: dict[str, Any], items: dict[str, float], corpora: list[cz.Corpus]) -> None:
    expected = entry["items"]
    excluded = {"call2"} if entry["files"][0].startswith("rttm") else set()
    if isinstance(expected, dict):
        assert items == pytest.approx(expected)
    elif isinstance(expected, list):
        assert set(items) | excluded == set(expected)
    else:
        assert len(items) == expected
    if "durations" in entry:
        assert list(items.values()) == pytest.approx(entry["durations"])


def _check_coders(entry: dict[str, Any], corpora: list[cz.Corpus]) -> None:
    coders = entry.get("coders")
    if isinstance(coders, list):
        assert {coder for corpus in corpora for coder in corpus.coders} == set(coders)
    for item, names in (coders or {}).items() if isinstance(coders, dict) else ():
        assert set(corpora[0].of_item(item)) == set(names)


def _check_boundaries(entry: dict[str, Any], corpora: list[cz.Corpus]) -> None:
    expected = entry.get("boundaries", {})
    if isinstance(expected, list):
        expected = {str(i): by_coder for i, by_coder in enumerate(expected, 1)}
    for item, by_coder in expected.items():
        corpus = corpora[0]
        found = corpus.of_item(item)
        if isinstance(by_coder, list):
            assert boundaries_of(next(iter(found.values()))) == by_coder
            continue
        for other in corpora[1:]:
            found |= other.of_item(item)
        assert {coder: boundaries_of(annotation) for coder, annotation in found.items()} == by_coder
    for item, by_coder in entry.get("boundaries_with_types", {}).items():
        for coder, marks in by_coder.items():
            (corpus,) = (corpus for corpus in corpora if coder in corpus.coders)
            segmentation = corpus[item, coder]
            assert isinstance(segmentation, cz.Segmentation)
            assert [[int(position), kind] for position, kind in segmentation.boundaries] == marks


def _check_spans(entry: dict[str, Any], corpora: list[cz.Corpus]) -> None:
    expected = entry.get("spans_1_based_inclusive")
    if isinstance(expected, list):
        (annotation,) = corpora[0].values()
        assert spans_of(annotation) == sorted(expected)
    for item, spans in (expected or {}).items() if isinstance(expected, dict) else ():
        (annotation,) = corpora[0].of_item(item).values()
        assert spans_of(annotation) == sorted(spans)
    for coder, by_item in entry.get("spans_0_based_half_open", {}).items():
        found = corpora[0].of_coder(coder)
        if isinstance(by_item, dict):
            for item, spans in by_item.items():
                assert spans_of(found[item]) == sorted([start + 1, end, label] for start, end, label in spans)
        else:  # characters; the units of the corpus are tokens
            assert [len(spans) for spans in by_item if spans is not None] == [
                len(annotation.spans) for annotation in found.values()
            ]


def _check_intervals(entry: dict[str, Any], corpora: list[cz.Corpus]) -> None:
    for coder, intervals in entry.get("intervals", {}).items():
        (corpus,) = (corpus for corpus in corpora if coder in corpus.coders)
        found = corpus.of_coder(coder)
        if isinstance(intervals, list):
            (tier,) = found.values()
            assert [list(interval) for interval in tier.intervals] == intervals
            continue
        for key, expected in intervals.items():
            if (coder, key) == ("ref", "call2"):  # excluded, because two speakers overlap
                assert key not in found
                continue
            tier = found[key] if key in found else next(iter(found.values()))[key]
            assert [list(interval) for interval in tier.intervals] == expected


def _check_details(entry: dict[str, Any], corpora: list[cz.Corpus]) -> None:
    """Check points, types, labels of segments and streams."""
    if entry.get("types"):
        assert corpora[0].reading.types == tuple(entry["types"])
    for key, labels in entry.get("segment_labels", {}).items():
        matching = [annotation for (item, coder), annotation in corpora[0].items() if key in (item, coder)]
        for segmentation in matching:
            assert isinstance(segmentation, cz.Segmentation)
            assert segmentation.labels is not None
            assert list(dict.fromkeys(segmentation.labels)) == labels
    for coder, points in entry.get("points", {}).items():
        (annotation,) = corpora[0].of_coder(coder).values()
        tiers = annotation if isinstance(points, dict) else {"": annotation}
        for stream, expected in points.items() if isinstance(points, dict) else {"": points}.items():
            assert [list(point) for point in tiers[stream].points] == expected


@pytest.mark.parametrize("name", ["ytseg.json", "sentences_labels.jsonl"])
def test_marks_of_an_unknown_side_are_not_guessed(name: str, entries: dict[str, dict[str, Any]]) -> None:
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(name)
    assert [options for _, options in caught.value.choices] == [{"marks": "start"}, {"marks": "end"}]
    for i, side in enumerate(("start", "end")):
        corpus = cz.read(name, marks=side)
        assert len(corpus) == 2, i


@pytest.mark.parametrize("name", ["tcpd/annotations.json", "coders.json"])
def test_positions_need_a_length(name: str, entries: dict[str, dict[str, Any]]) -> None:
    with pytest.raises(CaesuraError, match="lengths=FILE"):
        cz.read(name)


def test_info_finds_the_same(entries: dict[str, dict[str, Any]]) -> None:
    """The JSON of ``caesura info`` has the items and coders of every entry."""
    for name, entry in entries.items():
        if "error" in entry:
            continue
        files, options = arguments_of(entry)
        for file in files:
            result = invoke(["info", file, *options, "--json"])
            assert result.exit_code == entry.get("exit", 0) or (name == "rttm/ref.rttm" and "hyp" in file), (
                name,
                result.stderr,
            )
            (reading,) = json.loads(result.stdout)["reading"]
            assert reading["items"], name
            assert reading["coders"], name


def test_every_command_ends_with_the_expected_code(entries: dict[str, dict[str, Any]]) -> None:
    for entry in entries.values():
        expected = 1 if "error" in entry else entry.get("exit", 0)
        result = invoke(shlex.split(entry["command"])[1:])
        assert result.exit_code == expected, (entry["command"], result.stderr)
