"""One corpus as many different tables: each gives the same corpus or an error, and never another corpus."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import AmbiguousFileError, CaesuraError, FormatError
from caesura.formats.column_names import RESERVED, normalize
from support.examples import examples

# item d1  ann ··|····|·   bo ·|·····|·    item d2  ann ·|···  bo ··|··   cy ···|·
TEXTS = {
    "d1": [
        "It began",
        "on a Monday",
        "with rain.",
        "Then, later,",
        "came the sun.",
        "We left",
        "at noon;",
        "all of us.",
    ],
    "d2": ["The Käse", "was gone.", "Nobody knew", "who had it.", "Étienne did."],
}
MARKS: dict[str, dict[str, list[int] | None]] = {
    "d1": {"ann": [2, 6], "bo": [1, 7], "cy": None},
    "d2": {"ann": [1, 4], "bo": [2], "cy": [3]},
}
CODERS = ("ann", "bo", "cy")
CORPUS = cz.Corpus(
    {
        item: {
            coder: cz.Segmentation.from_positions(len(TEXTS[item]), positions, units=TEXTS[item])
            for coder, positions in by_coder.items()
            if positions is not None
        }
        for item, by_coder in MARKS.items()
    }
)
STYLES: dict[str, tuple[str, str]] = {
    "0/1": ("0", "1"),
    "0.0/1.0": ("0.0", "1.0"),
    "TRUE/FALSE": ("FALSE", "TRUE"),
    "true/false": ("false", "true"),
    "yes/no": ("no", "yes"),
    "Y/N": ("N", "Y"),
    "x": ("", "x"),
    "1": ("", "1"),
}


@dataclass(frozen=True)
class Variation:
    """How the corpus is written as a table."""

    names: dict[str, str] = field(default_factory=lambda: {"item": "item", "unit": "unit", "text": "text"})
    style: str = "0/1"
    missing: str = "NA"
    long: bool = False
    shuffle: bool = False
    order: Sequence[int] | None = None
    extra: dict[str, Callable[[str, int], str]] = field(default_factory=dict)
    delimiter: str = ","
    quoting: int = csv.QUOTE_MINIMAL
    encoding: str = "utf-8"
    line_end: str = "\n"
    index: bool = False
    suffix: str = ".csv"
    case: Callable[[str], str] = str

    def rows(self) -> tuple[list[str], list[list[str]]]:
        no, yes = STYLES[self.style]
        rows: list[list[str]] = []
        coder_columns = [self.names["coder"], self.names["mark"]] if self.long else list(CODERS)
        roles = [role for role in ("item", "unit", "text") if role in self.names]
        header = [*(self.names[role] for role in roles), *coder_columns, *self.extra]
        for item, units in TEXTS.items():
            for i, text in enumerate(units, 1):
                values = {"item": item, "unit": str(i), "text": text}
                start = [values[role] for role in roles]
                end = [make(item, i) for make in self.extra.values()]
                marks = {coder: self._cell(MARKS[item][coder], i, no, yes) for coder in CODERS}
                if not self.long:
                    rows.append([*start, *marks.values(), *end])
                    continue
                present = [coder for coder in CODERS if MARKS[item][coder] is not None]
                rows += [[*start, coder, marks[coder], *end] for coder in present]
        if self.shuffle:
            random.Random(3).shuffle(rows)
        order = self.order or range(len(header))
        return [self.case(header[i]) for i in order], [[row[i] for i in order] for row in rows]

    def _cell(self, positions: list[int] | None, unit: int, no: str, yes: str) -> str:
        if positions is None:
            return self.missing
        return yes if unit in positions else no

    def data(self) -> bytes:
        header, rows = self.rows()
        if self.index:
            header, rows = ["", *header], [[str(i), *row] for i, row in enumerate(rows)]
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.delimiter, quoting=self.quoting, lineterminator=self.line_end)
        writer.writerows([header, *rows])
        return out.getvalue().encode(self.encoding)


def named(**names: str) -> dict[str, str]:
    return {"item": "item", "unit": "unit", "text": "text"} | names


LONG = named(coder="coder", mark="boundary")
EXTRA: dict[str, Callable[[str, int], str]] = {
    "comment": lambda item, i: "please check this one again" if i == 2 else "",
    "word_count": lambda item, i: str(3 + (i * 7) % 11),
    "genre": lambda item, i: "news",
    "speaker_turn": lambda item, i: f"t{item}{i}",
    "duration_ms": lambda item, i: f"{1.5 * i:.2f}",
    "checked_by": lambda item, i: "Dr. Foster",
    "remarks": lambda item, i: "",
}
VARIATIONS: dict[str, Variation] = {
    **{f"style {style}": Variation(style=style) for style in STYLES},
    **{f"style {style}, long": Variation(style=style, long=True, names=LONG) for style in STYLES},
    **{f"delimiter {delimiter!r}": Variation(delimiter=delimiter) for delimiter in ",;\t|"},
    "tabs in .tsv": Variation(delimiter="\t", suffix=".tsv"),
    "tabs in .txt": Variation(delimiter="\t", suffix=".txt"),
    "all quoted": Variation(quoting=csv.QUOTE_ALL),
    "Windows line ends": Variation(line_end="\r\n"),
    "UTF-8 with BOM": Variation(encoding="utf-8-sig"),
    "UTF-16": Variation(encoding="utf-16"),
    "Windows-1252": Variation(encoding="cp1252"),
    "Excel in German": Variation(encoding="cp1252", delimiter=";", line_end="\r\n", style="TRUE/FALSE"),
    "index": Variation(index=True),
    "index, floats": Variation(index=True, style="0.0/1.0", missing=""),
    "missing empty": Variation(missing=""),
    "missing NaN": Variation(missing="NaN"),
    "missing None": Variation(missing="None"),
    "upper case": Variation(case=lambda name: name if name in CODERS else name.upper()),
    "title case": Variation(case=lambda name: name if name in CODERS else name.title()),
    "no unit": Variation(names={"item": "item", "text": "text"}),
    "no text": Variation(names={"item": "item", "unit": "unit"}),
    "reversed columns": Variation(order=(5, 4, 3, 2, 1, 0)),
    "coders first": Variation(order=(3, 4, 5, 0, 1, 2)),
    "long, shuffled": Variation(long=True, names=LONG, shuffle=True),
    "long, other order": Variation(long=True, names=LONG, order=(4, 3, 2, 1, 0)),
    **{
        f"item {name}": Variation(names=named(item=name)) for name in ("doc", "document", "doc_id", "file", "recording")
    },
    **{f"text {name}": Variation(names=named(text=name)) for name in ("sentence", "token", "utterance", "content")},
    **{
        f"unit {name}": Variation(names=named(unit=name))
        for name in ("position", "sent_id", "line", "index", "paragraph")
    },
    **{
        f"coder {name}": Variation(long=True, names=named(coder=name, mark="boundary"))
        for name in ("annotator", "rater", "worker", "participant")
    },
    **{f"mark {name}": Variation(long=True, names=named(coder="coder", mark=name)) for name in ("mark", "break")},
    **{f"extra {name}": Variation(extra={name: make}) for name, make in EXTRA.items()},
    "all extra columns": Variation(extra=EXTRA),
    "long, extra column": Variation(long=True, names=LONG, extra={"comment": EXTRA["comment"]}),
}
# Without 0, an empty item may be coded without a boundary: these variations need NA.
assert len(VARIATIONS) >= 60


def same_marks(corpus: cz.Corpus) -> bool:
    """Return whether a corpus has the items, coders and boundaries of ``CORPUS``; texts may be missing."""
    return {key: entry.boundaries for key, entry in corpus.items() if isinstance(entry, cz.Segmentation)} == {
        key: entry.boundaries for key, entry in CORPUS.items() if isinstance(entry, cz.Segmentation)
    }


@pytest.mark.parametrize("name", VARIATIONS)
def test_a_variation_gives_the_same_corpus(name: str, tmp_path: Path) -> None:
    variation = VARIATIONS[name]
    path = tmp_path / f"t{variation.suffix}"
    path.write_bytes(variation.data())
    corpus = cz.read(path)
    assert same_marks(corpus)
    if "text" in variation.names:
        assert corpus == CORPUS
    report = corpus.reading
    assert set(report.roles) >= {variation.case(column) for column in variation.names.values()}
    for column in variation.extra:
        assert any(entry.startswith(variation.case(column)) for entry in report.ignored)


FRAMES = ("pandas", "polars", "arrow", "parquet", "xlsx")


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("style", ["0/1", "TRUE/FALSE", "x"])
def test_frames_give_the_same_corpus(kind: str, style: str, tmp_path: Path) -> None:
    header, rows = Variation(style=style).rows()
    typed = {"0": 0, "1": 1, "TRUE": True, "FALSE": False, "NA": None}
    columns: dict[str, list[Any]] = {
        name: [row[i] if name in ("item", "text") else typed.get(row[i], row[i]) for row in rows]
        for i, name in enumerate(header)
    }
    columns["unit"] = [int(cell) for cell in columns["unit"]]
    if style == "x":  # a column without 0 needs NA to say that a coder is missing
        columns["cy"] = [row[header.index("cy")] for row in rows]
    assert cz.read(make_frame(kind, columns, tmp_path)) == CORPUS


def make_frame(kind: str, columns: dict[str, list[Any]], folder: Path) -> Any:
    if kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [list(columns), *zip(*columns.values(), strict=True)]:
            book.active.append(list(row))
        book.save(folder / "t.xlsx")
        return folder / "t.xlsx"
    module = pytest.importorskip({"arrow": "pyarrow", "parquet": "pyarrow"}.get(kind, kind))
    if kind == "pandas":
        return module.DataFrame(columns)
    if kind == "polars":
        return module.DataFrame(columns, strict=False)
    table = module.table(columns)
    if kind == "arrow":
        return table
    import pyarrow.parquet as pq

    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


# -- errors instead of another corpus ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["?", "2", "maybe", "1?"])
@pytest.mark.parametrize("long", [False, True])
def test_one_odd_cell_is_an_error_that_names_its_line(wrong: str, long: bool, tmp_path: Path) -> None:
    header, rows = Variation(long=long, names=LONG if long else named()).rows()
    rows[4][header.index("boundary" if long else "bo")] = wrong
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in [header, *rows]))
    with pytest.raises(FormatError, match=rf"t\.csv:6: .*{wrong[0] if wrong != '?' else '[?]'}"):
        cz.read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, rows: rows.insert(3, rows[2]), "units must be numbered in order; got 3 after 3"),
        (lambda header, rows: rows.reverse(), "units must be numbered in order"),
        (lambda header, rows: rows[1].pop(), "a row must have 6 cells"),
        (lambda header, rows: header.__setitem__(3, "bo"), "two columns have the name 'bo'"),
        (lambda header, rows: [row.__setitem__(5, "") for row in rows[8:10]], "the cell is empty, but other cells"),
        (lambda header, rows: rows.clear(), "the table has no rows"),
    ],
)
def test_damage_is_an_error(change: Callable[[list[str], list[list[str]]], Any], message: str, tmp_path: Path) -> None:
    header, rows = Variation().rows()
    change(header, rows)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in [header, *rows]) + "\n")
    with pytest.raises(FormatError, match=message):
        cz.read(path)


def test_zero_and_one_that_never_fall_are_ambiguous(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,unit,ann,bo\na,1,0,0\na,2,0,1\na,3,1,1\na,4,1,1\n")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    by_shape = {options["shape"]: cz.read(path, **options) for _, options in caught.value.choices}
    assert by_shape["marks"]["a", "ann"].bits() == "001"
    assert by_shape["labels"]["a", "ann"].bits() == "010"


def test_columns_of_different_shapes_are_ambiguous(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("unit,ann,kind\n1,0,\n2,1,scene\n3,0,\n4,1,scene\n5,0,\n6,0,\n")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    coders = [cz.read(path, **options).coders for _, options in caught.value.choices]
    assert coders == [("ann",), ("kind",)]


def test_a_coder_with_one_segment_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("unit,ann,bo\n1,intro,intro\n2,intro,intro\n3,end,intro\n4,end,intro\n")
    corpus = cz.read(path)
    assert (corpus["t", "ann"].masses, corpus["t", "bo"].masses) == ((2, 2), (4,))
    path.write_text("unit,ann,bo\n1,1,1\n2,1,1\n3,2,1\n4,2,1\n5,3,1\n6,3,1\n")
    corpus = cz.read(path)
    assert (corpus["t", "ann"].masses, corpus["t", "bo"].masses) == ((2, 2, 2), (6,))


# -- any corpus -------------------------------------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
NAMES = WORDS.filter(lambda name: name == name.strip() and normalize(name) not in RESERVED)


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    """Draw a small corpus of segmentations without types; coders may be missing on items."""
    coders = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    items: dict[str, dict[str, cz.Segmentation]] = {}
    with_text = draw(st.booleans())
    for item in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        length = draw(st.integers(1, 6))
        units = draw(st.lists(WORDS, min_size=length, max_size=length)) if with_text else None
        present = draw(st.lists(st.sampled_from(coders), min_size=1, unique=True))
        items[item] = {
            coder: cz.Segmentation.from_bits(
                draw(st.lists(st.booleans(), min_size=length - 1, max_size=length - 1)), units=units
            )
            for coder in coders
            if coder in present
        }
    return cz.Corpus(items)


@st.composite
def tables(draw: st.DrawFn) -> tuple[cz.Corpus, list[list[str]]]:
    """Draw a corpus and a table that contains it, with any extra column in any place."""
    corpus = draw(corpora())
    no, yes = draw(st.sampled_from(list(STYLES.values())))
    long = draw(st.booleans())
    header = ["item", "unit"] + (["coder", "boundary"] if long else list(corpus.coders))
    rows: list[list[str]] = []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        length = next(iter(by_coder.values())).length
        cells = {
            coder: [yes if bit == "1" else no for bit in segmentation.bits()] + [no]
            for coder, segmentation in by_coder.items()
        }
        for i in range(length):
            if long:
                rows += [[item, str(i + 1), coder, cells[coder][i]] for coder in by_coder]
            else:
                rows.append(
                    [item, str(i + 1), *(cells[coder][i] if coder in cells else "NA" for coder in corpus.coders)]
                )
    extra = draw(st.none() | NAMES)
    if extra is not None and extra not in header:
        cell = st.sampled_from(["", "0", "1", "x", "a", "b", "NA", "2", "a long text with many words in it"])
        place = draw(st.integers(0, len(header)))
        header.insert(place, extra)
        for row in rows:
            row.insert(place, draw(cell))
    return corpus, [header, *rows]


def plain(corpus: cz.Corpus) -> dict[tuple[str, str], Any]:
    return {
        key: (entry.length, entry.boundaries) for key, entry in corpus.items() if isinstance(entry, cz.Segmentation)
    }


@examples(300)
@given(pair=tables(), delimiter=st.sampled_from(",;\t|"))
def test_any_table_gives_its_corpus_or_an_error(
    pair: tuple[cz.Corpus, list[list[str]]], delimiter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    corpus, rows = pair
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    try:
        result = cz.read(path)
    except CaesuraError:
        return
    # A further column with marks cannot be told from a coder; the report names it.
    further = set(result.coders) - set(corpus.coders)
    assert further <= set(rows[0])
    assert plain(result.select(coders=set(result.coders) - further)) == plain(corpus)


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@examples(200)
@given(corpus=corpora(), suffix=st.sampled_from([".csv", ".tsv", ".parquet"]))
def test_a_written_table_reads_as_the_same_corpus(
    corpus: cz.Corpus, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"written{suffix}"
    try:
        cz.write(corpus, path, {".csv": "table-csv", ".tsv": "table-tsv", ".parquet": "table-parquet"}[suffix])
    except FormatError:
        return
    assert cz.read(path) == corpus
    assert cz.Corpus.from_frame(corpus.to_frame()) == corpus


def test_the_order_of_columns_does_not_matter(tmp_path: Path) -> None:
    variation = replace(VARIATIONS["all extra columns"])
    width = 6 + len(EXTRA)
    for seed in range(20):
        order = random.Random(seed).sample(range(width), width)
        path = tmp_path / "t.csv"
        path.write_bytes(replace(variation, order=order).data())
        assert cz.read(path) == CORPUS


def test_a_column_of_labels_with_zero_and_one_is_ambiguous(tmp_path: Path) -> None:
    """Data sets of sentences often have a column ``label`` in which 1 is a boundary."""
    path = tmp_path / "t.csv"
    for header, row in (("sentence,label", "s,{}"), ("annotator,sentence_id,label", "ann,{i},{}")):
        cells = [row.format(mark, i=i) for i, mark in enumerate([0, 1, 1, 0], 1)]
        path.write_text("\n".join([header, *cells]) + "\n")
        with pytest.raises(AmbiguousFileError) as caught:
            cz.read(path)
        readings = [next(iter(cz.read(path, **options).values())) for _, options in caught.value.choices]
        assert [reading.bits() for reading in readings if isinstance(reading, cz.Segmentation)] == ["011", "101"]


def test_scores_beside_texts_are_not_positions(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("sentence,prob,gold\na,.1,0\nb,.9,1\nc,.2,0\n")
    corpus = cz.read(path)
    assert corpus["t", "gold"] == cz.Segmentation.from_bits("01", units=["a", "b", "c"])
    assert corpus.reading.ignored == ("prob (score, not needed here)",)
