"""Formats of segmentations: round trips, and errors that name the place."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.data import stargazer
from caesura.errors import FormatError, OptionError
from caesura.formats import formats
from caesura.formats.column_names import RESERVED, normalize
from support.files import refusal

# -- round trips ------------------------------------------------------------------------------------------------------

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@st.composite
def plain_corpora(draw: st.DrawFn, coders: int = 3) -> cz.Corpus:
    """Draw corpora of items with one to twelve units and missing annotations."""
    who = draw(st.lists(names, min_size=1, max_size=coders, unique=True))
    items = {}
    for item in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        length = draw(st.integers(1, 12))
        present = draw(st.lists(st.sampled_from(who), min_size=1, unique=True))
        items[item] = {
            coder: cz.Segmentation.from_bits(draw(st.text("01", min_size=length - 1, max_size=length - 1)))
            for coder in who
            if coder in present
        }
    return cz.Corpus(items)


@st.composite
def typed_corpora(draw: st.DrawFn) -> cz.Corpus:
    types = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    text = draw(st.booleans())
    who = draw(st.lists(names.filter(is_column), min_size=1, max_size=3, unique=True))
    items = {}
    for item in draw(st.lists(names.filter(str.strip), min_size=1, max_size=3, unique=True)):
        length = draw(st.integers(1, 6))
        units = draw(st.lists(names | st.just(""), min_size=length, max_size=length)) if text else None
        marked = st.lists(st.lists(st.sampled_from(types), unique=True), min_size=length, max_size=length)
        items[item] = {}
        for coder in who:
            marks = {i: m for i, m in enumerate(draw(marked), 1) if m}
            items[item][coder] = cz.Segmentation.from_positions(
                length, list(marks), marks=list(marks.values()), types=types, units=units
            )
    return cz.Corpus(items)


def is_column(name: str) -> bool:
    return name == name.strip() and normalize(name) not in RESERVED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round")


@given(corpus=plain_corpora())
def test_masses_json_round_trip(corpus: cz.Corpus, folder: Path) -> None:
    cz.write(corpus, folder / "c.json")
    assert cz.read(folder / "c.json") == corpus


@given(corpus=plain_corpora(), data=st.data())
def test_masses_json_round_trip_with_labels(corpus: cz.Corpus, data: st.DataObject, folder: Path) -> None:
    cells: dict[str, dict[str, cz.Segmentation]] = {}
    for item, coder in corpus:
        masses = corpus[item, coder].masses
        labels = data.draw(st.none() | st.lists(names | st.just(""), min_size=len(masses), max_size=len(masses)))
        cells.setdefault(item, {})[coder] = cz.Segmentation.from_masses(masses, labels=labels)
    cz.write(cz.Corpus(cells), folder / "l.json")
    assert cz.read(folder / "l.json") == cz.Corpus(cells)
    assert cz.read(folder / "l.json", labels=False) == corpus
    cz.write(cz.Corpus(cells), folder / "l.json", labels=False)
    assert cz.read(folder / "l.json") == corpus


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=plain_corpora())
def test_masses_tsv_round_trip(corpus: cz.Corpus, folder: Path) -> None:
    if not all(map(str.strip, corpus.coders)) and corpus.item_names != ("c",):
        with pytest.raises(FormatError, match="a coder cannot be named"):
            cz.write(corpus, folder / "c.tsv", "masses-tsv")
        return
    cz.write(corpus, folder / "c.tsv", "masses-tsv")
    assert cz.read(folder / "c.tsv") == corpus


@given(corpus=plain_corpora(coders=1))
def test_bits_round_trip_or_error(corpus: cz.Corpus, folder: Path) -> None:
    corpus = cz.Corpus({item: {"c": corpus[item, corpus.coders[0]]} for item in corpus.item_names})
    holdable = all(
        item == item.strip() and len(item.splitlines()) == 1 and "\t" not in item for item in corpus.item_names
    )
    if holdable:
        cz.write(corpus, folder / "c.bits")
        assert cz.read(folder / "c.bits") == corpus
    else:
        with pytest.raises(FormatError, match="cannot contain tabs or line breaks"):
            cz.write(corpus, folder / "c.bits")


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=plain_corpora(), suffix=st.sampled_from([("c.csv", "table-csv"), ("c.tsv", "table-tsv")]))
def test_plain_table_round_trip(corpus: cz.Corpus, suffix: tuple[str, str], folder: Path) -> None:
    lengths = {item: {text.length for text in corpus.of_item(item).values()} for item in corpus.item_names}
    if not all(map(is_column, corpus.coders)):
        with pytest.raises(FormatError, match="a coder cannot be named"):
            cz.write(corpus, folder / suffix[0], suffix[1])
    elif len(corpus.item_names) > 1 and not all(map(str.strip, corpus.item_names)):
        with pytest.raises(FormatError):  # an empty cell belongs to the item above it, or is missing
            cz.write(corpus, folder / suffix[0], suffix[1])
    elif all(len(item_lengths) == 1 for item_lengths in lengths.values()):
        cz.write(corpus, folder / suffix[0], suffix[1])
        assert cz.read(folder / suffix[0], suffix[1]) == corpus


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=typed_corpora(), suffix=st.sampled_from([("c.csv", "table-csv"), ("c.tsv", "table-tsv")]))
def test_typed_table_round_trip(corpus: cz.Corpus, suffix: tuple[str, str], folder: Path) -> None:
    cz.write(corpus, folder / suffix[0], suffix[1])
    assert cz.read(folder / suffix[0], suffix[1]) == corpus


def test_stargazer_is_hearsts_table() -> None:
    segeval_samples = pytest.importorskip("segeval.data.samples")
    theirs = segeval_samples.HEARST_1997_STARGAZER["stargazer"]
    ours = stargazer().of_item("stargazer")
    assert {coder: text.masses for coder, text in ours.items()} == {c: tuple(m) for c, m in theirs.items()}


def test_segevals_own_tsv_form(tmp_path: Path) -> None:
    path = tmp_path / "hearst1997.tsv"
    path.write_text("Coder\tMasses\n1\t2\t3\t3\n2\t8\n")
    corpus = cz.read(path)
    assert corpus.item_names == ("hearst1997",)
    assert corpus["hearst1997", "1"].masses == (2, 3, 3)
    cz.write(corpus, path)
    assert path.read_text() == "Coder\tMasses\n1\t2\t3\t3\n2\t8\n"


def test_table_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,unit,text,ann,bo\np,1,In Xanadu,,0\np,2,did,1,0\np,3,Kubla,,1\np,4,Khan,1,1\nq,1,a,NA,1\n")
    corpus = cz.read(path)
    assert corpus["p", "ann"].masses == (2, 2)
    assert corpus["p", "bo"].masses == (3, 1)
    assert corpus["p", "ann"].units == ("In Xanadu", "did", "Kubla", "Khan")
    assert ("q", "ann") not in corpus
    assert corpus["q", "bo"].masses == (1,)


def test_types_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('unit,ann\n1,\n2,"["","", ""?""]"\n3,.\n4,\n5,\n6,.\n')
    segmentation = cz.read(path)["t", "ann"]
    assert segmentation.types == (",", ".", "?")
    assert segmentation.types_declared is False
    assert segmentation.boundaries == ((2, ","), (2, "?"), (3, "."), (6, "."))
    declared = cz.read(path, types=["?", ",", "."])["t", "ann"]
    assert declared.types == ("?", ",", ".")


def test_a_table_of_many_rows(tmp_path: Path) -> None:
    """Rows are read in batches: items may span several batches, and continue after other items."""
    path = tmp_path / "t.csv"
    sizes = [("a", 700), ("b", 1), ("c", 249), ("b", 600), ("a", 3)]
    count = dict.fromkeys("abc", 0)
    lines = ["item,unit,text,ann,bo"]
    marks: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    for item, size in sizes:
        for _ in range(size):
            count[item] += 1
            marked = count[item] % 7 == 0
            lines.append(f"{item},{count[item]},{item}{count[item] % 5},{int(marked)},NA")
            marks[item] += [count[item]] * marked
    path.write_text("\n".join(lines) + "\n")
    corpus = cz.read(path)
    assert corpus.coders == ("ann",)
    for item, length in count.items():
        units = [f"{item}{i % 5}" for i in range(1, length + 1)]
        inner = [i for i in marks[item] if i < length]
        assert corpus[item, "ann"] == cz.Segmentation.from_positions(length, inner, units=units)


@pytest.mark.parametrize(
    ("at", "row", "message"),
    [
        (600, "a,1,x", "a row must have 4 cells like the header; got 3"),
        (600, "a,9,x,", "item 'a': units must be numbered in order; got 9 after 599"),
        (600, "a,600,x,[", 'several types are written as a JSON list like ["scene", "act"]; got \'[\''),
    ],
)
def test_errors_name_lines_far_down(at: int, row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"a,{i},x," for i in range(1, 1001)]
    rows[at - 1] = row
    # Before the invalid row there are a header, a blank line, and a cell over two lines.
    rows[10] = '\na,11,"x\nx",'
    path.write_text("item,unit,text,ann\n" + "\n".join(rows) + "\n")
    error = refusal(cz.read, path)
    assert error.line == at + 3
    assert message in error.problem


def test_units_that_are_not_numbered(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("unit,ann\n 1,\n02,1\nx,\n5 ,\n")  # identifiers rather than numbers
    assert cz.read(path)["t", "ann"].masses == (2, 2)
    path.write_text("unit,ann\n 1,\n02,1\n3,\n5 ,\n")
    with pytest.raises(FormatError, match=":5: units must be numbered in order; got 5 after 3"):
        cz.read(path)


def test_coders_share_the_text_of_an_item(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,ann,bo\nwe,,\nwe,1,\n")
    corpus = cz.read(path)
    assert corpus["t", "ann"].units is corpus["t", "bo"].units
    first, second = corpus["t", "ann"].units
    assert first is second


def test_nul_characters_are_not_written(tmp_path: Path) -> None:
    corpus = cz.Corpus({"i": {"c": cz.Segmentation.from_masses([1], units=["a\0b"])}})
    with pytest.raises(FormatError, match="text cannot contain a NUL character"):
        cz.write(corpus, tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()


LABELLED = """{
  "segmentation_type": "linear",
  "items": {
    "poem": {
      "ann": [2, 1, 1],
      "bo": [4]
    }
  },
  "segment_labels": {
    "poem": {
      "ann": ["Place", "Place", "Sound/Person"]
    }
  }
}
"""


def test_segment_labels(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    path.write_text(LABELLED)
    corpus = cz.read(path)
    assert corpus["poem", "ann"].masses == (2, 1, 1)
    assert corpus["poem", "ann"].labels == ("Place", "Place", "Place", "Sound/Person")
    assert corpus["poem", "bo"].labels is None
    cz.write(corpus, path)
    assert path.read_text() == LABELLED
    path.write_text('{"items": {"poem": {"ann": [2, 1]}}, "segment_labels": {"ann": ["Place", "Sound"]}}')  # one item
    assert cz.read(path)["poem", "ann"].labels == ("Place", "Place", "Sound")


def test_invalid_labels_are_excluded_and_masses_are_read(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    path.write_text(
        json.dumps({"items": {"i": {"x": [1, 2], "y": [3]}}, "segment_labels": {"i": {"x": 7, "y": ["A"]}}})
    )
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    expected = ["segment_labels, item 'i', coder 'x': labels: expected a list of strings; got 7"]
    assert [error.problem for error in excluded] == expected
    assert corpus["i", "x"] == cz.Segmentation.from_masses([1, 2])
    assert corpus["i", "y"].labels == ("A", "A", "A")


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("unit,ann\r\n1,1\r\n2,\r\n".encode("utf-8-sig"))
    assert cz.read(path)["t", "ann"].masses == (1, 1)


def test_format_is_detected_by_content_if_the_suffix_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "corpus.dat"
    path.write_text('{"items": {"a": {"b": [1, 2]}}}')
    assert cz.read(path)["a", "b"].masses == (1, 2)


# -- damage -----------------------------------------------------------------------------------------------------------

HEADER = "add them, or read with header=no and name the columns with fields"
CELL = "correct the cell, declare boundary types with types, or leave the column out with fields"
BINARY = "is this a binary file, or text in another encoding (--encoding)?"
MASS = "a mass must be a whole number from 1 to 2147483647"
X = "item 'a', coder 'x': "
INVALID = "not valid JSON: Expecting"
ONE_MASS = '{"items": {"a": {"x": [1]}},\n'
LABELS = "expected {item: {coder: [labels]}}"
UNDECLARED = f"column 'x': type 'b' is not declared; the declared types are 'a'; {CELL}"
NOTHING = "no annotation was found; expected segment masses as JSON, {item: {coder: [masses]}}"
UNRECOGNISED = f"the format was not recognised; choose it with format: one of {', '.join(formats())}"
NO_MASSES = "segment_labels, item 'a', coder 'y': this item and coder have no masses"
BAD = {
    # name -> (content, line or None, message)
    "truncated.json": ('{"items": {"a": {"x": [1, 2', 1, "not valid JSON: Expecting ',' delimiter at column 28"),
    "later.json": ('{\n "items": {\n', 3, f"{INVALID} property name enclosed in double quotes at column 1"),
    "list.json": ("[1, 2]", 1, "expected objects with fields; got 1"),
    "kind.json": ('{"items": {},\n "segmentation_type": "tree"}', 2, "segmentation_type must be linear; got 'tree'"),
    "zero.json": ('{"items": {\n "a": {\n  "x": [1, 0]}}}', 3, X + f"masses[1]: {MASS}; got 0"),
    "nan.json": ('{"items": {"a": {"x": [NaN]}}}', 1, X + "masses[0]: expected a whole number; got nan"),
    "float.json": ('{"items": {"a": {"x": [1.5]}}}', 1, X + "masses[0]: expected a whole number; got 1.5"),
    "string.json": ('{"items": {"a": {"x": "12"}}}', 1, "item 'a', coder 'x': expected a list of masses; got '12'"),
    "none.json": ('{"items": {"a": {"x": []}}}', 1, X + "masses: a text has at least one segment; got none"),
    "item.json": ('{"items": {"a": 3}}', 1, "item 'a': expected {coder: [masses]}; got 3"),
    "twice.json": ('{"items": {"a": {"x": [1], "x": [2]}}}', None, "the key 'x' occurs twice in one object"),
    "deep.json": ("[" * 100_000, 1, "not valid documents: nested too deeply"),
    "nothing.json": ('{"items": {}}', None, NOTHING),
    "labels.json": (ONE_MASS + ' "segment_labels": 3}', 2, f"segment_labels: {LABELS}; got 3"),
    "whose.json": (
        '{"items": {"a": {"x": [1]}, "b": {"x": [1]}},\n "segment_labels": {"x": ["A"]}}',
        2,
        "segment_labels: expected {item: {coder: [labels]}}; got {coder: [labels]} for 2 items",
    ),
    "mixed.json": (
        '{"items": {"a": {"x": [1]}},\n "segment_labels": {\n "a": {"x": ["A"]},\n "b": ["A"]}}',
        4,
        "segment_labels, item 'b': expected {coder: [labels]}; got a list",
    ),
    "nobody.json": (ONE_MASS + ' "segment_labels": {"a": {\n "y": ["A"]}}}', 3, NO_MASSES),
    "label.json": (
        '{"items": {"a": {"x": [1, 1]}},\n "segment_labels": {\n "x": ["A", null]}}',
        3,
        "segment_labels, item 'a', coder 'x': labels[1]: expected a string; got None",
    ),
    "fewer.json": (
        '{"items": {"a": {"x": [1, 1]}},\n "segment_labels": {"x": ["A"]}}',
        1,
        "item 'a', coder 'x': labels: expected one label per segment; got 1 for 2 segments",
    ),
    "ragged.tsv": ("item\tunit\tann\tbo\na\t1\t1\n", 2, "a row must have 4 cells like the header; got 3"),
    "letters.tsv": ("Coder\tMasses\n1\t2\tx\n", 2, "mass 2: expected a whole number; got 'x'"),
    "blank.tsv": ("Coder\tMasses\n1\t2\t\t3\n", 2, "mass 2: expected a whole number; got ''"),
    "short.tsv": ("Coder\tMasses\n1\n", 2, "expected a name and at least one mass; got 1 cell(s)"),
    "again.tsv": ("Coder\tMasses\n1\t2\n1\t2\n", 3, "item 'again' has coder '1' twice"),
    "minus.tsv": ("Coder\tMasses\n1\t2\n2\t-2\n", 3, f"coder '2': masses[0]: {MASS}; got -2"),
    "header.tsv": ("0\n1\n", 1, "the first row must contain the names of the columns; got 0; " + HEADER),
    "two.bits": ("0101\n0120\n", 2, "a bit must be 0 or 1; got '2' at mark 3"),
    "gap.bits": ("0101\n\n01\n", 2, "expected a document, '-' for one unit; the line is empty"),
    "quote.csv": ('unit,ann\n1,"open\n', 2, "not a valid table: unexpected end of data"),
    "coderless.csv": ("item,unit\na,1\n", 1, "expected one column per coder besides item, unit; got none"),
    "nameless.csv": ("item,,x\na,1,2\n", 1, "column 2 must have a name in the header; it is empty"),
    "double.csv": ("x,x\n1,2\n", 1, "two columns have the name 'x': columns 1 and 2; rename one of them"),
    "order.csv": ("unit,x\n1,1\n3,1\n", 3, "units must be numbered in order; got 3 after 1"),
    "partly.csv": ("unit,x\n1,NA\n2,1\n", 2, "item 'partly', coder 'x': NA must be in all cells or in none"),
    "types.csv": ("types,x\nscene,1\n", 2, 'types must be a JSON list of names like ["scene", "act"]; got \'scene\''),
    "undeclared.csv": ('types,x\n"[""a""]",\n,b\n', 3, UNDECLARED),
    "cell.csv": (
        "x\n\na,\n\n".replace("a,", "[a") + '""\n' * 5,
        3,
        "column 'x': several types are written as a JSON list like [\"scene\", \"act\"]; got '[a'; " + CELL,
    ),
    "empty.json": ("", 1, "the file is empty"),
    "spaces.csv": (" \n\n", 1, "the file is empty"),
    "unknown.dat": ("hello world\n", 1, UNRECOGNISED),
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_file(name: str, tmp_path: Path) -> None:
    content, line, message = BAD[name]
    path = tmp_path / name
    path.write_text(content)
    error = refusal(cz.read, path)
    assert error.path == str(path)
    assert error.line == line
    assert str(error) == f"{path}{'' if line is None else f':{line}'}: {message}"


def test_directory(tmp_path: Path) -> None:
    error = refusal(cz.read, tmp_path)
    assert str(error) == f"{tmp_path}: no file can be read; the folder is empty"
    assert str(refusal(cz.read_coders, [tmp_path])) == f"{tmp_path}: expected a file; this is a directory"


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file or directory"):
        cz.read(tmp_path / "nowhere.json")


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "image.json"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert str(refusal(cz.read, path)) == f"{path}:1: expected text in UTF-8; got byte 0x89; {BINARY}"
    path.write_bytes(b"Coder\n\0\0")
    assert str(refusal(cz.read, path)) == f"{path}:2: expected text; got a NUL character; is this a binary file?"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_named_pipe_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    with pytest.raises(FormatError, match="expected a regular file"):
        cz.read(path)


def test_valid_items_are_read_and_invalid_items_excluded(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps({"items": {"good": {"x": [1, 2]}, "bad": {"x": [0], "y": [3]}}}))
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    assert list(corpus) == [("good", "x"), ("bad", "y")]
    expected = ["item 'bad', coder 'x': masses[0]: a mass must be a whole number from 1 to 2147483647; got 0"]
    assert [p.problem for p in excluded] == expected


SUFFIXES = [*dict.fromkeys(suffix for format in formats().values() for suffix in format.suffixes), ".dat"]


@given(data=st.binary(max_size=300), suffix=st.sampled_from(SUFFIXES))
def test_any_bytes_give_a_corpus_or_our_error(data: bytes, suffix: str, folder: Path) -> None:
    path = folder / f"any{suffix}"
    path.write_bytes(data)
    with suppress(cz.errors.CaesuraError):
        assert isinstance(cz.read(path), cz.Corpus)


@given(text=st.text('01,\t\n"[]{}:a', max_size=60), format=st.sampled_from(list(formats())))
def test_any_text_in_any_format_gives_a_corpus_or_our_error(text: str, format: str, folder: Path) -> None:
    path = folder / "any.dat"
    path.write_text(text)
    with suppress(cz.errors.CaesuraError):
        assert isinstance(cz.read(path, format), cz.Corpus)


# -- what a format cannot store ----------------------------------------------------------------------------------------


def typed() -> cz.Corpus:
    return cz.Corpus({"i": {"c": cz.Segmentation.from_marks(["", ",", "."])}})


@pytest.mark.parametrize("name", ["c.json", "c.tsv", "c.bits"])
def test_types_need_a_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    error = refusal(cz.write, typed(), path)
    expected = f"{path}: item 'i', coder 'c': this format cannot store boundary types; write a .csv table"
    assert str(error) == expected
    assert not path.exists()


@pytest.mark.parametrize("name", ["c.csv", "c.tsv", "c.bits"])
def test_labels_need_json(name: str, tmp_path: Path) -> None:
    labelled = cz.Corpus({"i": {"c": cz.Segmentation.from_labels("AAB")}})
    assert refusal(cz.write, labelled, tmp_path / name).problem == (
        "item 'i', coder 'c': this format cannot store segment labels; write .json, or leave them out (convert --drop-labels)"
    )


def test_several_coders_in_bits(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="this format stores one coder; choose one of 1, 2, 3, 4, 5, 6, 7"):
        cz.write(stargazer(), tmp_path / "s.bits")


def test_unknown_suffix_and_format(tmp_path: Path) -> None:
    message = r"the suffix must name the format: one of .json, .tsv, .*, .csv, .xlsx; got .xls"
    with pytest.raises(FormatError, match=message):
        cz.write(stargazer(), tmp_path / "s.xls")
    with pytest.raises(OptionError, match="no format 'wordperfect'; choose from 'masses-json'"):
        cz.write(stargazer(), tmp_path / "s.json", "wordperfect")


def test_unwritable_path(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        cz.write(stargazer(), tmp_path / "no" / "s.json")


def test_registry_keys_are_the_names_of_formats() -> None:
    assert [format.name for format in formats().values()] == list(formats())


def test_one_invalid_list_of_masses_does_not_hide_the_others(folder: Path) -> None:
    path = folder / "c.json"
    path.write_text('{"items": {"a": {"Ann": [1, 2], "Bo": [3]}, "b": {"Ann": [2, 0], "Bo": [2, 2]}}}')
    excluded: list[cz.FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    expected = {("a", "Ann"): (1, 2), ("a", "Bo"): (3,), ("b", "Bo"): (2, 2)}
    assert {key: text.masses for key, text in corpus.items()} == expected
    expected = [":1: item 'b', coder 'Ann': masses[1]: a mass must be a whole number from 1 to 2147483647; got 0"]
    assert [str(error).rpartition("c.json")[2] for error in excluded] == expected
