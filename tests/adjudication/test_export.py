"""The exported gold standard, read again, is what was decided, in every format that can be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Corpus, Dialogue, Hierarchy, Segmentation, Spans, Tier
from caesura.errors import OptionError

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

# unit      1 2 3 4 5 6 7 8 9 10
# ann       . | . . | . . . | . .
# bo        . | . . . | . . | . .
# cy        . | . . . . . . . . .
POSITIONS = {"ann": [2, 5, 9], "bo": [2, 6, 9], "cy": [2]}


def linear(units: list[str] | None = None) -> Corpus:
    return Corpus(
        {
            item: {coder: Segmentation.from_positions(10, cuts, units=units) for coder, cuts in POSITIONS.items()}
            for item in ("first", "second")
        }
    )


def typed() -> Corpus:
    marks = {"ann": ["", ",", "", "", ".", ""], "bo": ["", ".", "", "", "", ""], "cy": ["", ",", "", "?", "", ""]}
    types = [",", ".", "?"]
    texts = {coder: Segmentation.from_marks(row, types=types, units=WORDS[:6]) for coder, row in marks.items()}
    return Corpus({"talk": texts})


def write_linear(name: str, units: list[str] | None = None) -> Callable[[Path], Corpus]:
    def write(folder: Path) -> Corpus:
        cz.write(linear(units), folder / name)
        return cz.read(folder / name)

    return write


def write_typed(folder: Path) -> Corpus:
    cz.write(typed(), folder / "marks.csv")
    return cz.read(folder / "marks.csv")


def write_bits(folder: Path) -> Corpus:
    (folder / "all").mkdir()
    for coder in POSITIONS:
        part = Corpus({item: {coder: linear()[item, coder]} for item in ("first", "second")})
        cz.write(part, folder / "all" / f"{coder}.bits")
    return cz.read(folder / "all")


def write_dialogue(folder: Path) -> Corpus:
    (folder / "all").mkdir()
    speech = {"ann": ["well I think ,", "so ."], "bo": ["well I ,", "think so ."], "cy": ["well I think so ."]}
    for coder, rows in speech.items():
        lines = "".join(f"1,F:,{row!r}\n".replace("'", '"') for row in rows)
        table = f"Item,Turn,Speaker,Utterance\n{''.join('chat,' + line for line in lines.splitlines(True))}chat,2,M:,yes .\n"
        (folder / "all" / f"{coder}.csv").write_text(table)
    return cz.read(folder / "all", "segsimflex", pattern="{coder}.csv")


# seconds   0        1        2        3        4
# ann       aaaaaaaaaaaaaaaaaa bbbbbbbbbb
# bo        aaaaaaaaaaaaaaaaaaaa(2.2) bbb(3)
# cy        aaaaaaaa(1) bbbbbbbbbbbbbbbbb(3)
INTERVALS = {"ann": [(0, 2, "a"), (2, 3, "b")], "bo": [(0, 2.2, "a"), (2.2, 3, "b")], "cy": [(0, 1, "a"), (1, 3, "b")]}


def tiers(labels: str = "") -> dict[str, dict[str, Tier]]:
    return {
        item: {
            coder: Tier([(start, end, labels + name) for start, end, name in rows], end=4)
            for coder, rows in INTERVALS.items()
        }
        for item in ("song", "tune")
    }


def write_tiers(suffix: str) -> Callable[[Path], Corpus]:
    def write(folder: Path) -> Corpus:
        (folder / "all").mkdir()
        for item, by_coder in tiers().items():
            cz.write(Corpus({item: by_coder}), folder / "all" / f"{item}{suffix}")
        return cz.read(folder / "all")

    return write


def write_points(folder: Path) -> Corpus:
    times = {"ann": [(1, "H"), (2, "L")], "bo": [(1.01, "H"), (2.3, "L")], "cy": [(1.02, "L")]}
    corpus = Corpus({"song": {coder: Tier(points=rows, end=4) for coder, rows in times.items()}})
    cz.write(corpus, folder / "song.TextGrid")
    return cz.read(folder / "song.TextGrid", tiers=list(times))


def write_rttm(folder: Path) -> Corpus:
    (folder / "all").mkdir()
    for coder in INTERVALS:
        part = Corpus({item: {coder: Tier(by_coder[coder].intervals)} for item, by_coder in tiers().items()})
        cz.write(part, folder / "all" / f"{coder}.rttm")
    return cz.read(folder / "all")


SPANS = {"ann": [(0, 4, "X"), (6, 9, "Y")], "bo": [(0, 4, "X"), (6, 10, "Y")], "cy": [(0, 4, "X"), (12, 14, "Y")]}


def write_spans(name: str) -> Callable[[Path], Corpus]:
    def write(folder: Path) -> Corpus:
        text = {"length": 20} if name.endswith(".csv") else {"text": "a text of 20 letters"}
        entries = {coder: Spans(rows, **text) for coder, rows in SPANS.items()}  # type: ignore[arg-type]
        cz.write(Corpus({"letter": entries}), folder / name)
        return cz.read(folder / name)

    return write


def write_hierarchy(folder: Path) -> Corpus:
    trees = {"ann": [(1, 6), (1, 4), (1, 2)], "bo": [(1, 6), (1, 4), (3, 4)], "cy": [(1, 6), (3, 6)]}
    cz.write(Corpus({"tree": {coder: Hierarchy(6, spans) for coder, spans in trees.items()}}), folder / "trees.json")
    return cz.read(folder / "trees.json")


CORPORA: dict[str, tuple[Callable[[Path], Corpus], str]] = {
    "masses JSON": (write_linear("corpus.json"), "masses-json"),
    "masses TSV": (write_linear("corpus.tsv"), "masses-tsv"),
    "CSV": (write_linear("corpus.csv", WORDS), "table-csv"),
    "typed CSV": (write_typed, "table-csv"),
    "Excel": (write_linear("corpus.xlsx", WORDS), "table-excel"),
    "Parquet": (write_linear("corpus.parquet", WORDS), "table-parquet"),
    "bits": (write_bits, "bits"),
    "segsimflex": (write_dialogue, "segsimflex"),
    "TextGrid": (write_tiers(".TextGrid"), "textgrid"),
    "points in a TextGrid": (write_points, "textgrid"),
    "ELAN": (write_tiers(".eaf"), "eaf"),
    "RTTM": (write_rttm, "rttm"),
    "spans JSON": (write_spans("corpus.json"), "spans-json"),
    "spans CSV": (write_spans("corpus.csv"), "spans-csv"),
    "hierarchies": (write_hierarchy, "spans-json"),
}


def read_again(exported: cz.ExportedGold, corpus: Corpus) -> dict[str, Any]:
    """Return item -> annotation of the files, as a user reads them."""
    options: dict[str, Any] = {"units": "times"} if corpus.kind == "timed" else {}
    annotations = {}
    for path in exported.files:
        name = exported.format if exported.format == "segsimflex" else None
        part = cz.read(path, name, **options)
        annotations |= {item: part[item, coder] for item, coder in part}
    return annotations


def marks(annotation: Any) -> Any:
    """Return what a file stores of an annotation."""
    if isinstance(annotation, Segmentation):
        return annotation.boundaries
    if isinstance(annotation, Dialogue):
        return {stream: text.boundaries for stream, text in annotation.items() if isinstance(text, Segmentation)}
    return (annotation.intervals, annotation.points or ()) if isinstance(annotation, Tier) else annotation.spans


@pytest.mark.parametrize("name", CORPORA)
def test_the_exported_gold_standard_is_what_was_decided(tmp_path: Path, name: str) -> None:
    write, expected_format = CORPORA[name]
    corpus = write(tmp_path)
    with cz.adjudicate(corpus, tmp_path / "x.adjudication.jsonl", adjudicator="Mia") as work:
        assert work.places
        choices = ["first", "majority", "none", "last"]
        for i, place in enumerate(work.places):
            choice = choices[i % 4]
            if choice in ("majority", "none"):
                work.decide(place, choice)  # type: ignore[arg-type]
            else:
                coders = [coder for coder, own in place.marks.items() if own]
                try:
                    work.decide(place, "coder", coder=coders[0 if choice == "first" else -1])
                except OptionError:  # spans of a hierarchy that cross
                    assert name == "hierarchies"
                    work.decide(place, "none")
        gold = work.gold()
        exported = cz.export_gold(work)
    assert exported.format == expected_format
    assert exported.notes == (
        ()
        if expected_format != "spans-csv"
        else ("the corpus came as table-csv, which cannot store this; it is spans-csv now",)
    )
    again = read_again(exported, corpus)
    assert set(again) == set(corpus.item_names)
    for item, annotation in again.items():
        assert marks(annotation) == marks(gold.corpus[item, "gold"])
    rows = Path(exported.record).read_text().splitlines()
    assert len(rows) == 1 + len(gold.rows)
    assert all("Mia" in row for row in rows[1:])


def test_streams_in_seconds_become_one_tier_each(tmp_path: Path) -> None:
    def talk(f: list[tuple[float, float, str]], m: list[tuple[float, float, str]]) -> Dialogue:
        return Dialogue({"F": Tier(f, end=4), "M": Tier(m, end=4)})

    ann = talk([(0, 1, ","), (1, 2, ".")], [(2, 3, ".")])
    bo = talk([(0, 2, ".")], [(2, 3, "."), (3, 4, ",")])
    with cz.adjudicate(Corpus({"chat": {"ann": ann, "bo": bo}}), tmp_path / "x.adjudication.jsonl") as work:
        assert [place.stream for place in work.places] == ["F", "M"]
        for place in work.places:
            work.decide(place, "coder", coder="ann")
        exported = cz.export_gold(work)
    assert exported.files == (str(tmp_path / "x.gold" / "chat.textgrid"),)
    again = cz.read(exported.files[0], units="times", tiers=["gold F", "gold M"])
    assert [again["chat", f"gold {stream}"] for stream in "FM"] == [ann["F"], ann["M"]]
