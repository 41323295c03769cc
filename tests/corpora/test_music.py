"""SALAMI and SPAM: songs by several annotators, on two levels, in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura import Hierarchy
from caesura.cli import main
from caesura.errors import CaesuraWarning, FormatError
from caesura.gold.experiment import Unification
from support.envelope import results_of
from support.mir_eval_levels import check_mir_eval_on_times, import_mir_eval, levels_in_seconds

Layers = dict[str, list[tuple[float, float, str]]]
LEVELS = ((1, "upper"), (2, "lower"))


@pytest.mark.slow
def test_salami(shared: Path, subtests: pytest.Subtests) -> None:
    """40 songs, 2 annotators."""
    import_mir_eval()
    path = shared / "data/hierarchical_time/salami_40songs.json"
    songs = json.loads(path.read_text(encoding="utf-8"))["songs"]
    with subtests.test("annotations that do not nest are excluded or repaired"):
        check_reading_of_salami(path)
    with subtests.test("SALAMI's own parser read the same"):
        files = sorted((shared / "data/hierarchical_time/salami_original").glob("*.txt"))
        assert len(files) == 8
        for file in files:
            check_original_file(file, songs)
    unification = cz.evaluate_unification(corpus_of(songs))
    with subtests.test("the best annotator with and without itself"):
        assert unification.row("BestAnnotator").kappa.mean == pytest.approx(0.777, abs=5e-4)
        assert unification.row("BestAnnotator-self").kappa.mean == pytest.approx(0.553, abs=5e-4)
        assert unification.row("BestAnnotator").tied_golds == len(unification.items) == 40
    with subtests.test("the command prints the same"):
        result = CliRunner().invoke(main, ["unify", str(path), "--repair", "--evaluate", "--json"])
        rows = {row["name"]: row["kappa"]["mean"] for row in results_of(result)["evaluation"]["rows"]}
        assert rows["BestAnnotator"] == pytest.approx(0.777, abs=5e-4)
        assert rows["BestAnnotator-self"] == pytest.approx(0.553, abs=5e-4)
    with subtests.test("properties that follow from the definitions"):
        check_definitions(unification)
    with subtests.test("mir_eval on a song with silences of zero length and levels that cross"):
        check_mir_eval(songs["1195"], "l", repaired=True)
    with subtests.test("mir_eval on a short song"):
        check_mir_eval(songs["381"], "tl")


@pytest.mark.slow
def test_spam(shared: Path, subtests: pytest.Subtests) -> None:
    """12 tracks, 5 annotators."""
    import_mir_eval()
    path = shared / "data/hierarchical_time/spam_12tracks_5annotators.json"
    tracks = {
        name: track["annotators"] for name, track in json.loads(path.read_text(encoding="utf-8"))["tracks"].items()
    }
    with subtests.test("two durations belong to other recordings, five annotations do not nest"):
        check_reading_of_spam(path)
    unification = cz.evaluate_unification(corpus_of(tracks))
    with subtests.test("every track has several best unions"):
        assert unification.row("CFU").tied_golds == len(unification.items) == 12
        assert unification.row("CFU").annotations == 60
    with subtests.test("properties that follow from the definitions"):
        check_definitions(unification)
    with subtests.test("mir_eval on a track that is annotated beyond its end"):
        check_mir_eval(tracks["SALAMI_164"], "t", end=210.0)


def corpus_of(tracks: dict[str, dict[str, Layers]]) -> cz.Corpus:
    """Upper and lower are levels; spans that cross are repaired."""
    return cz.Corpus(
        {name: {coder: hierarchy_of(layers) for coder, layers in by.items()} for name, by in tracks.items()}
    )


def hierarchy_of(layers: Layers) -> Hierarchy:
    spans = [(start, end, level, label) for level, name in LEVELS for start, end, label in layers[name]]
    return Hierarchy.from_times(spans, repair=True)


def check_reading_of_salami(path: Path) -> None:
    """13 annotations cross; in two more a long lower segment contains a short upper one."""
    excluded: list[FormatError] = []
    with pytest.warns(CaesuraWarning, match="spans of zero length left out: 17 in"):
        corpus = cz.read(path, excluded=excluded)
    assert len(corpus) == 65
    assert sum(" cross; " in str(error) for error in excluded) == 13
    assert sum(" lies inside " in str(error) for error in excluded) == 2
    with pytest.warns(CaesuraWarning) as messages:
        assert len(cz.read(path, repair=True)) == 80
    assert "spans left out because they do not nest: 21 in 15 annotations" in str(messages[-1].message)
    song = corpus["1019", "A1"]
    assert isinstance(song, Hierarchy)
    assert {span.label for span in song.spans if span.level == 1} == {"Z", "A", "B", "C", "D", "E"}


def check_original_file(path: Path, songs: dict[str, dict[str, Layers]]) -> None:
    """Compare with the song as parsed by SALAMI (times rounded, segments of zero length kept).

    SALAMI parses the layers one by one, so that a lower segment may continue after the upper segment in which it begins.
    """
    if path.stem == "1019_textfile1":
        with pytest.warns(CaesuraWarning, match="spans of zero length left out: 4 "):
            corpus = cz.read(path)
    else:
        corpus = cz.read(path)
    for (item, coder), hierarchy in corpus.items():
        assert isinstance(hierarchy, Hierarchy)
        assert hierarchy.edges is not None
        mine = [
            (round(hierarchy.edges[s.start - 1], 4), round(hierarchy.edges[s.end], 4), s.level, s.label)
            for s in hierarchy.spans
        ]
        layers = songs[item][f"A{coder[-1]}"]
        upper = [(start, end, 1, label) for start, end, label in layers["upper"] if start < end]
        lower = [
            (start, min([end, *(begin for begin, *_ in upper if start < begin)]), 2, label)
            for start, end, label in layers["lower"]
            if start < end and (label.lower() != "silence" or (start, label) in {(row[0], row[3]) for row in upper})
        ]
        assert sorted(mine) == sorted(upper + lower)


def check_reading_of_spam(path: Path) -> None:
    excluded: list[FormatError] = []
    with pytest.warns(CaesuraWarning) as messages:
        corpus = cz.read(path, excluded=excluded)
    assert [str(message.message).split(": ", 1)[1] for message in messages] == [
        "item 'SALAMI_164': extended from 209.8155102 s to 564.8486 s, where its annotations end",
        "item 'SALAMI_302': extended from 341.3681633 s to 458.1224 s, where its annotations end",
    ]
    assert len(corpus) + len(excluded) == 60
    assert {problem.problem.split(",")[0] for problem in excluded} == {"item 'SALAMI_302'", "item 'SALAMI_944'"}
    maggie = corpus["Isophonics_07_-_Maggie_Mae", "A1"]
    assert isinstance(maggie, Hierarchy)
    assert maggie.edges is not None
    assert maggie.edges[-1] == 40.8033  # not 40.80326531, which would make a unit of 0.03 ms
    assert maggie.depth == 2


def check_definitions(unification: Unification) -> None:
    assert not unification.excluded
    for level in ("Flat", "Full"):
        union, consensus = unification.row(f"{level}UNI"), unification.row(f"{level}CNS")
        assert (union.recall.mean, union.recall.deviation) == (1, 0)
        assert (consensus.precision.mean, consensus.precision.deviation) == (1, 0)
        assert consensus.non_crossing.mean == 1
        assert unification.row(f"{level}MCNS").conflicting_golds == 0
    row = unification.row("CFU")
    assert row.non_crossing.mean == pytest.approx(row.recall.mean, abs=1e-12)
    assert row.conflicting_golds == 0


def filled(level: list[tuple[float, float, str]], end: float) -> list[tuple[float, float, str]]:
    """Return contiguous segments from 0 to the end, as mir_eval needs them: gaps are labelled, the rest is cut off."""
    out: list[tuple[float, float, str]] = []
    at = 0.0
    for start, stop, label in sorted(level):
        start, stop = max(start, at), min(stop, end)
        if stop <= start:
            continue
        if start > at:
            out.append((at, start, "gap"))
        out.append((start, stop, label))
        at = stop
    return out if at >= end else [*out, (at, end, "gap")]


def check_mir_eval(coders: dict[str, Layers], names: str, *, end: float | None = None, repaired: bool = False) -> None:
    """Both programs compare the same spans: those that repair keeps."""
    both = [coders["A1"], coders["A2"]]
    end = end or max(s[1] for s in both[0]["upper"])
    sides = [{name: filled(layers[name], end) for _, name in LEVELS} for layers in both]
    a, b = map(hierarchy_of, sides)
    kept = [levels_in_seconds(hierarchy) for hierarchy in (a, b)]
    assert (kept != [[*side.values()] for side in sides]) == repaired
    for name in names:
        check_mir_eval_on_times(a, b, name)
