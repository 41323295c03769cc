"""Tables of the R package segsimflex: one row per segment, with a boundary symbol at the end."""

from __future__ import annotations

import csv
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError, OptionError
from caesura.formats import check_same_tokens, formats, read_coders
from support.files import file_writer, refusal
from support.oracles import read_oracle

TABLE = """Turn,Speaker,Utterance
1,F:,"well  I think ,"
2,M:,yes.
1,F:,so we --\x20
"""
write_file = file_writer("t.csv")


def test_by_hand(tmp_path: Path) -> None:
    # F:  well I think , so we --     M:  yes .
    corpus = cz.read(write_file(tmp_path, TABLE))
    dialogue = corpus["t", "t"]
    assert isinstance(dialogue, cz.Dialogue)
    assert dialogue["F:"].units == ("well", "I", "think", "so", "we")
    assert dialogue["F:"].boundaries == ((3, ","), (5, "--"))
    assert dialogue["M:"].units == ("yes",)
    assert dialogue["M:"].boundaries == ((1, "."),)
    assert dialogue["M:"].types == (".", ",", "?", "--")


@pytest.mark.parametrize(("name", "delimiter"), [("t.tsv", "\t"), ("t.csv", ";"), ("t.csv", ","), ("t.txt", "\t")])
def test_other_delimiters(name: str, delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(
            [["", "Speaker", "Utterance"], ["1", "F", "a b ,"], ["2", "F", "c ."]]
        )
    assert cz.read(path)["t", "t"]["F"].boundaries == ((2, ","), (3, "."))


def test_symbols_in_order_are_types(tmp_path: Path) -> None:
    path = write_file(tmp_path, "Speaker,Utterance\nF,a /\nF,b //\nF,c+//\n")
    segmentation = cz.read(path, "segsimflex", symbols=["//", "/"])["t", "t"]["F"]
    assert segmentation.types == ("//", "/")
    assert segmentation.units == ("a", "b", "c+")
    assert [name for _, name in segmentation.boundaries] == ["/", "//", "//"]
    assert cz.read(path, types=["//", "/"])["t", "t"]["F"] == segmentation
    assert cz.read(path, symbols=["//", "/"], types=["/", "//"])["t", "t"]["F"].types == ("/", "//")
    renamed = cz.read(path, symbols={"/": "minor", "//": "major"})["t", "t"]["F"]
    assert renamed.types == ("minor", "major")
    assert [name for _, name in renamed.boundaries] == ["minor", "major", "major"]


def test_several_symbols_may_be_one_type(tmp_path: Path) -> None:
    path = write_file(tmp_path, "Speaker,Utterance\nF,a —\nF,b --\n")
    segmentation = cz.read(path, symbols={"--": "cut", "—": "cut", ".": "end"})["t", "t"]["F"]
    assert segmentation.types == ("cut", "end")
    assert segmentation.boundaries == ((1, "cut"), (2, "cut"))


def test_an_end_without_symbol_is_an_error_or_a_type_of_its_own(tmp_path: Path) -> None:
    path = write_file(tmp_path, "Speaker,Utterance\nF,a b\nF,c .\n")
    assert str(refusal(cz.read, path)) == (
        f"{path}:2: an utterance must end in one of '.', ',', '?', '--'; the last token is 'b'; "
        "name the boundary symbols with symbols=, or the type of other endings with unclassified="
    )
    segmentation = cz.read(path, unclassified=";")["t", "t"]["F"]
    assert segmentation.types == (".", ",", "?", "--", ";")
    assert segmentation.boundaries == ((2, ";"), (3, "."))


def test_an_empty_speaker_is_the_speaker_of_the_row_above(tmp_path: Path) -> None:
    dialogue = cz.read(write_file(tmp_path, "Speaker,Utterance\nF,a .\n,b .\nM,c .\nNA,d .\n"))["t", "t"]
    assert {stream: side.units for stream, side in dialogue.items()} == {"F": ("a", "b"), "M": ("c", "d")}


def test_columns_and_names_are_options(tmp_path: Path) -> None:
    path = write_file(tmp_path, "who,said,text,by\nF,a .,t1,ann\nF,a ?,t1,bo\nM,b .,t2,ann\n")
    corpus = cz.read(path, "segsimflex", speaker="who", utterance="said", item_column="text", coder_column="by")
    assert list(corpus) == [("t1", "ann"), ("t1", "bo"), ("t2", "ann")]
    path = write_file(tmp_path, "Item,Annotator,Speaker,Utterance\nx,ann,F,a .\nx,bo,F,a ?\n")
    assert list(cz.read(path)) == [("x", "ann"), ("x", "bo")]
    path = write_file(tmp_path, "Speaker,Utterance\nF,a .\n")
    assert list(cz.read(path, item="x", coder="ann")) == [("x", "ann")]


def test_attached_symbols_can_be_words(tmp_path: Path) -> None:
    path = write_file(tmp_path, "Speaker,Utterance\nF,um ...\nF,etc. .\n")
    segmentation = cz.read(path, attached=False, unclassified=";")["t", "t"]["F"]
    assert segmentation.units == ("um", "...", "etc.")
    assert segmentation.boundaries == ((2, ";"), (3, "."))


DASH = "an utterance must end in one of '.', ',', '?', '--'; ends in "
BAD = {
    "em dash": ("F,a —\n", 2, {}, f"{DASH}'—' (em dash); declared is '--'"),
    "en dash": ("F,a .\nF,a –\n", 3, {}, f"{DASH}'–' (en dash); declared is '--'"),
    "dash as a word": ("F,a —\n", 2, {"unclassified": ";"}, f"{DASH}'—' (em dash); declared is '--'"),
    "attached dash": ("F,a—\n", 2, {}, f"{DASH}'—' (em dash) of 'a—'; declared is '--'"),
    "ideographic": ("F,嗎 。\n", 2, {}, f"{DASH}'。' (ideographic full stop); declared is '.'"),
    "empty": ("F,a .\nF,\n", 3, {}, "an utterance must have at least one token; this one is empty"),
    "alone": ("F,.\n", 2, {}, "an utterance must have a token before the boundary; got '.' alone"),
    "several": (
        "F,what?.\n",
        2,
        {},
        "the last token 'what?.' ends in several boundary symbols; put a space before the boundary, or read with "
        "attached=False if it is a word",
    ),
    "nobody": (",a .\n", 2, {}, "the first row must name a speaker; got ''"),
    "ragged": ("F\n", 2, {}, "a row must have 2 cells like the header; got 1"),
    "comma": (
        "F,a ,\n",
        2,
        {},
        "a row must have 2 cells like the header; got 3; a cell with a comma in it must be quoted",
    ),
    "quote": ('F,"a .\n', 2, {}, "not a valid table: unexpected end of data"),
    "column": ("F,a .\n", 1, {"speaker": "Who"}, "expected a column 'Who' in the header; got 'Speaker', 'Utterance'"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    text, line, options, message = BAD[name]
    path = write_file(tmp_path, "Speaker,Utterance\n" + text)
    assert str(refusal(cz.read, path, "segsimflex", **options)) == f"{path}:{line}: {message}"


def test_valid_coders_are_read_and_invalid_coders_excluded(tmp_path: Path) -> None:
    path = write_file(tmp_path, "Coder,Speaker,Utterance\nann,F,a .\nbo,F,a\nann,F,b .\n")
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded)
    assert list(corpus) == [("t", "ann")]
    assert [p.line for p in excluded] == [3]


OPTIONS = [
    ({"symbol": ["."]}, "format segsimflex has no option 'symbol'; did you mean 'symbols'?"),
    ({"symbols": "."}, "symbols must be a list of symbols, or a mapping from symbols to types; got '.'"),
    ({"symbols": [". ."]}, "symbols: a symbol must be a string without spaces; got '. .'"),
    ({"symbols": [".", "."]}, "symbols: a symbol may be named only once; got '.' again"),
    ({"symbols": []}, "symbols: expected at least one symbol; got none"),
    ({"symbols": {".": ""}}, "symbols: a type must be a text that is not empty; got ''"),
    ({"unclassified": ""}, "unclassified must be a text that is not empty; got ''"),
    ({"attached": 1}, "attached must be True or False; got 1"),
    ({"symbols": ["."], "types": [","]}, "types must contain the type of every symbol; '.' is missing"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS)
def test_options_are_checked(options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as caught:
        cz.read(write_file(tmp_path, TABLE), "segsimflex", **options)
    assert str(caught.value) == message


def test_a_format_without_options(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="format table-csv has no option 'symbols'; choose from 'fields'"):
        cz.read(write_file(tmp_path, "unit,ann\n1,\n"), symbols=["."])


# -- round trips ------------------------------------------------------------------------------------------------------

token = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda word: word.split() == [word]
)
speaker = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda name: name == name.strip() and name not in ("", "NA")
)


@st.composite
def transcripts(draw: st.DrawFn) -> cz.Corpus:
    types = draw(st.lists(token, min_size=1, max_size=4, unique=True))
    items = {}
    for item in draw(st.lists(speaker, min_size=1, max_size=2, unique=True)):
        streams = {}
        for name in draw(st.lists(speaker, min_size=1, max_size=3, unique=True)):
            units = draw(st.lists(token, min_size=1, max_size=6))
            marks = [draw(st.sampled_from(["", *types])) for _ in units[1:]] + [draw(st.sampled_from(types))]
            streams[name] = cz.Segmentation.from_marks(marks, types=types, units=units)
        items[item] = {draw(st.shared(speaker, key="coder")): streams}
    return cz.Corpus(items)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("segsimflex")


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=transcripts(), suffix=st.sampled_from(["csv", "tsv"]))
def test_round_trip(corpus: cz.Corpus, suffix: str, folder: Path) -> None:
    path = folder / f"c.{suffix}"
    types = next(iter(corpus[next(iter(corpus))].values())).types
    cz.write(corpus, path, "segsimflex")
    assert cz.read(path, "segsimflex", symbols=types) == corpus


@pytest.mark.filterwarnings("ignore:.*got an apostrophe")
@given(corpus=transcripts())
def test_round_trip_with_unclassified_ends_or_error(corpus: cz.Corpus, folder: Path) -> None:
    """A word that looks like a symbol cannot end an utterance without a symbol."""
    path = folder / "u.csv"
    *symbols, unclassified = next(iter(corpus[next(iter(corpus))].values())).types
    if not symbols:
        return
    refused: list[str] = []
    try:
        cz.write(corpus, path, "segsimflex", unclassified=unclassified)
    except FormatError as problem:
        refused.append(problem.problem)
    if not refused:
        assert cz.read(path, "segsimflex", symbols=symbols, unclassified=unclassified) == corpus
    assert all("would be read differently" in problem for problem in refused)


@given(text=st.text('F, .?-—\n"\t', max_size=60))
def test_any_table_gives_a_corpus_or_our_error(text: str, folder: Path) -> None:
    path = folder / "any.csv"
    path.write_text("Speaker,Utterance\n" + text)
    for options in ({}, {"unclassified": ";"}, {"attached": False, "unclassified": ";"}):
        with suppress(cz.errors.CaesuraError):
            assert isinstance(cz.read(path, "segsimflex", **options), cz.Corpus)


def utterance(marks: list[str], words: list[str]) -> cz.Segmentation:
    return cz.Segmentation.from_marks(marks, units=words)


def dialogue(**streams: object) -> cz.Corpus:
    return cz.Corpus({"i": {"c": streams}})


UNWRITABLE = [
    (cz.Corpus({"i": {"c": cz.Segmentation.from_bits("1")}}), "item 'i': expected a dialogue; this has no streams"),
    (dialogue(F=cz.Segmentation.from_marks(["."])), "item 'i', stream 'F': this format needs the text of the units"),
    (
        dialogue(F=cz.Segmentation.from_marks([".", ""], units=["a", "b"])),
        "item 'i', stream 'F': every utterance ends in a boundary; there is none after the last unit",
    ),
    (
        dialogue(F=cz.Segmentation.from_marks(["."], units=["a b"])),
        "item 'i', stream 'F': a unit must be one token without spaces; unit 1 is 'a b'",
    ),
    (dialogue(NA=utterance(["."], ["a"])), "item 'i', stream 'NA': this format cannot represent this speaker name"),
    (
        dialogue(F=cz.Segmentation.from_positions(1, [1], marks=[(".", ",")], units=["a"])),
        "item 'i', stream 'F': this format stores one type per position; got several",
    ),
    (
        dialogue(F=cz.Segmentation.from_marks(["."], units=["a"]), M=cz.Segmentation.from_marks([","], units=["a"])),
        "all segmentations must declare the same types; got ('.',) and (',',)",
    ),
    (
        cz.Corpus({"i": {c: {"F": cz.Segmentation.from_marks(["."], units=["a"])} for c in "ab"}}),
        "this format stores one coder; choose one of a, b",
    ),
]


@pytest.mark.parametrize(("corpus", "message"), UNWRITABLE)
def test_corpora_that_cannot_be_written(corpus: cz.Corpus, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    assert str(refusal(cz.write, corpus, path, "segsimflex")) == f"{path}: {message}"
    assert not path.exists()


# -- several coders ---------------------------------------------------------------------------------------------------


def test_one_file_per_coder(tmp_path: Path) -> None:
    ann = write_file(tmp_path, "Speaker,Utterance\nF,a b .\n", "t001_ann.csv")
    anna = write_file(tmp_path, "Speaker,Utterance\nF,a ?\nF,b .\n", "t001_anna.csv")
    corpus = read_coders([ann, anna])
    assert list(corpus) == [("t001", "t001_ann"), ("t001", "t001_anna")]
    corpus = read_coders({"A": ann, "B": anna}, item="chat", symbols=[".", "?"])
    assert list(corpus) == [("chat", "A"), ("chat", "B")]
    assert check_same_tokens(corpus) == []
    with pytest.raises(OptionError, match="files must be a mapping from coders to files, or a list of files; got "):
        read_coders(ann)
    with pytest.raises(FormatError, match="item 't001' has coder 'x' in another file too"):
        read_coders([ann, anna], coder="x")


def test_files_without_a_common_name_are_one_item(tmp_path: Path) -> None:
    paths = [write_file(tmp_path, "Speaker,Utterance\nF,a .\n", name) for name in ("ann.csv", "bo.csv")]
    assert list(read_coders(paths)) == [("1", "ann"), ("1", "bo")]


# -- the case study ---------------------------------------------------------------------------------------------------


def test_conversations_of_the_case_study(tmp_path: Path) -> None:
    """Strings with one character per token, as tables with dummy words and attached or separate symbols."""
    cases = read_oracle("nccu.jsonl")
    texts = {case["text"]: case for case in cases if case["config"] == "identity"}
    assert sorted(texts) == ["t001", "t004", "t016"]
    symbols = [",", ".", "?", "--"]
    for text, case in texts.items():
        paths = {}
        for coder, lists in (("A1", case["lists1"]), ("A2", case["lists2"])):
            rows = [["", "Speaker", "Utterance"]]
            for name, string in zip(case["speakers"], lists, strict=True):
                words: list[str] = []
                for i, mark in enumerate(string, 1):
                    words.append(f"w{i}")
                    if mark != " ":
                        symbol = {"–": "--", ";": ""}.get(mark, mark)
                        apart = " " if len(rows) % 2 else ""
                        rows.append([str(len(rows)), name, " ".join(words) + apart + symbol])
                        words = []
                assert not words
            paths[coder] = tmp_path / f"{text}_{coder}.csv"
            with paths[coder].open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        corpus = read_coders(paths, symbols=symbols, unclassified=";")
        assert corpus.item_names == (text,)
        assert check_same_tokens(corpus) == []
        for coder, lists in (("A1", case["lists1"]), ("A2", case["lists2"])):
            dialogue = corpus[text, coder]
            assert list(dialogue) == case["speakers"]
            assert dialogue.length == case["N"] == sum(map(len, lists))
            counted = Counter(name for side in dialogue.values() for _, name in side.boundaries)
            assert counted == Counter({"–": "--"}.get(c, c) for string in lists for c in string if c != " ")
            for name, string in zip(case["speakers"], lists, strict=True):
                marks = ["" if c == " " else {"–": "--"}.get(c, c) for c in string]
                units = [f"w{i}" for i in range(1, len(string) + 1)]
                assert dialogue[name] == cz.Segmentation.from_marks(marks, types=[*symbols, ";"], units=units)
            # after writing and reading, it is the same
            again = tmp_path / f"{coder}.csv"
            mine = cz.Corpus({coder: {coder: dialogue}})
            cz.write(mine, again, "segsimflex", symbols=symbols, unclassified=";")
            assert cz.read(again, symbols=symbols, unclassified=";") == mine


def test_the_format_is_registered() -> None:
    assert formats()["segsimflex"].write is not None


def test_other_names_of_the_item(tmp_path: Path) -> None:
    rows = "x,F,a b .\nx,M,c .\ny,F,d .\n"
    path = tmp_path / "t.csv"
    for name in ("docId", "doc", "Item", "document_id"):
        path.write_text(f"{name},Speaker,Utterance\n{rows}")
        corpus = cz.read(path, symbols=["."])
        assert corpus.item_names == ("x", "y")
        assert corpus.reading.roles[name] == "item"
    path.write_text("docId,file,Speaker,Utterance\nx,z,F,a .\n")
    with pytest.raises(FormatError, match="several columns may be the item: docId, file; choose one with item_column="):
        cz.read(path, symbols=["."])
    assert cz.read(path, symbols=["."], item_column="file").item_names == ("z",)
    path.write_text("Item,docId,Speaker,Utterance\nx,z,F,a .\n")
    assert cz.read(path, symbols=["."]).item_names == ("x",)
