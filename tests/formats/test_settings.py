"""Settings of a study: options for reading and for measures."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import read_settings
from support.files import file_writer, refusal

TOML = """
symbols = [".", ",", "?", "--"]
unclassified = ";"
transposition = 0.5
normalize = "boundaries"

[similarity]
pairs = [[".", ",", 0.5], [",", "none", 0.25]]

[fields]
speaker = "who"
utterance = "said"
kind = "Kind"
"""

CASE_STUDY = {
    "symbols": [".", ",", "?", "--"],
    "unclassified": ";",
    "similarity": {
        "types": [".", ",", "?", "--", ";"],
        "matrix": [
            [1, 0.5, 0.25, 0.25, 1, 0],
            [0.5, 1, 0.5, 0.5, 1, 0.25],
            [0.25, 0.5, 1, 0.25, 1, 0],
            [0.25, 0.5, 0.25, 1, 1, 0.25],
            [1, 1, 1, 1, 1, 1],
            [0, 0.25, 0, 0.25, 1, 1],
        ],
    },
    "transposition": {".": 0.5, ",": 0.375, "?": 0.5, "--": 0.375, ";": 0},
}
write_file = file_writer("study.toml")


def test_toml(tmp_path: Path) -> None:
    settings = read_settings(write_file(tmp_path, TOML))
    expected = {"similarity": {(".", ","): 0.5, (",", "none"): 0.25}, "transposition": 0.5, "normalize": "boundaries"}
    assert settings.measure_options() == expected
    symbols = {symbol: symbol for symbol in (".", ",", "?", "--")}
    expected = {"symbols": symbols, "unclassified": ";", "speaker": "who", "utterance": "said"}
    assert settings.reading_options("segsimflex") == expected
    expected = {"symbols": symbols, "unclassified": ";", "speaker": "who", "kind": "Kind"}
    assert settings.reading_options("rez") == expected
    assert settings.reading_options("table-csv") == {}
    with pytest.raises(FrozenInstanceError):
        settings.unclassified = "x"
    assert hash(settings) == hash(read_settings(tmp_path / "study.toml"))


def test_json(tmp_path: Path) -> None:
    settings = read_settings(write_file(tmp_path, json.dumps(CASE_STUDY), "study.json"))
    assert settings.measure_options() == {key: CASE_STUDY[key] for key in ("similarity", "transposition")}
    assert settings.types == (".", ",", "?", "--", ";")
    assert settings.reading_options("table-csv") == {"types": [".", ",", "?", "--", ";"]}


def test_none_in_types_and_a_matrix_in_a_file(tmp_path: Path) -> None:
    path = write_file(tmp_path, '[similarity]\ntypes = [".", "none"]\nmatrix = [[1, 0.5], [0.25, 1.0]]\n')
    assert read_settings(path).measure_options() == {"similarity": {"types": ["."], "matrix": [[1, 0.5], [0.25, 1]]}}
    path = write_file(tmp_path, 'similarity = "m.csv"\n')
    assert read_settings(path).measure_options() == {"similarity": str(tmp_path / "m.csv")}
    assert read_settings(write_file(tmp_path, "# nothing\n")).measure_options() == {}


def test_two_pairs_are_not_read_as_a_matrix(tmp_path: Path) -> None:
    path = write_file(tmp_path, '[similarity]\npairs = [["a", "b", 0.5], ["a", "c", 0.5]]\n')
    assert read_settings(path).types is None
    assert read_settings(path).measure_options() == {"similarity": {("a", "b"): 0.5, ("a", "c"): 0.5}}


def test_options_for_reading_and_measuring(tmp_path: Path) -> None:
    settings = read_settings(write_file(tmp_path, json.dumps(CASE_STUDY), "study.json"))
    table = write_file(tmp_path, 'Coder,Speaker,Utterance\nann,F,a ?\nbo,F,"a ,"\n', "t.csv")
    corpus = cz.read(table, "segsimflex", **settings.reading_options("segsimflex"))
    assert corpus["t", "ann"]["F"].types == (".", ",", "?", "--", ";")
    with pytest.warns(cz.errors.CaesuraWarning):  # ';' is identical to none in this matrix
        score = cz.flexible_similarity(corpus["t", "ann"], corpus["t", "bo"], **settings.measure_options())
    assert score.value == 0.5


BAD = {
    'symbol = ["."]': "symbol: no key 'symbol'; did you mean 'symbols'?",
    "colour = 1": "colour: no key 'colour'; choose from 'similarity', 'transposition', 'normalize', "
    "'symbols', 'unclassified', 'attached', 'streams', 'fields'",
    'symbols = "."': "symbols must be a list of symbols, or a mapping from symbols to types; got '.'",
    'symbols = ["a b"]': "symbols: a symbol must be a string without spaces; got 'a b'",
    "symbols = [1]": "symbols: a symbol must be a string without spaces; got 1",
    'symbols = {"." = "none"}': "symbols: 'none' means no boundary and cannot be a boundary type",
    'unclassified = "none"': "unclassified: 'none' means no boundary and cannot be a boundary type",
    "unclassified = 3": "unclassified must be a text that is not empty; got 3",
    'attached = "no"': "attached must be True or False; got 'no'",
    'normalize = "all"': "normalize must be one of 'positions', 'boundaries'; got 'all'",
    "normalize = []": "normalize must be one of 'positions', 'boundaries'; got []",
    "transposition = -1": "transposition must be a number from 0 up; got -1",
    "transposition = nan": "transposition must be a number; got nan",
    "transposition = true": "transposition must be a number; got True",
    'transposition = {"." = "x"}': "transposition.. must be a number; got 'x'",
    "transposition = 1979-05-27": "transposition must be a number; got datetime.date(1979, 5, 27)",
    "similarity = 1": "similarity: expected a table; got 1",
    "similarity = {}": "similarity: expected either pairs, or types and matrix; got none",
    'similarity = {types = ["a"]}': "similarity: expected either pairs, or types and matrix; got types",
    "similarity = {pair = []}": "similarity.pair: no key 'pair'; did you mean 'pairs'?",
    "similarity = {pairs = 1}": "similarity.pairs: expected a list; got 1",
    'similarity = {pairs = [["a", "b"]]}': "similarity.pairs: a pair is written as (type, type, similarity); got ['a', 'b']",
    'similarity = {pairs = [["a", "b", 2]]}': "similarity.pairs['a', 'b'] must be a number from 0 to 1; got 2",
    'similarity = {pairs = [["a", "a", 0.5]]}': "similarity.pairs['a', 'a']: the similarity of a type to itself must be 1; got 0.5",
    'similarity = {pairs = [["a", "b", 0], ["b", "a", 1]]}': "similarity.pairs['a', 'b']: a pair is unordered and has one value; got 0 and 1. "
    'If the order matters, use a whole matrix, {"types": [...], "matrix": [[...]]}',
    'similarity = {types = ["a"], matrix = [[1]]}': 'similarity: the matrix must have 2 rows, one for each of 1 types and a last one for "none"; got 1',
    'similarity = {types = ["a"], matrix = [[1, 0], [0]]}': "similarity['none']: a row must have 2 numbers, one per row of the matrix; got 1",
    'similarity = {types = ["a"], matrix = [[1, 0], [1.5, 1]]}': "similarity['none', 'a'] must be a number from 0 to 1; got 1.5",
    'similarity = {types = ["a"], matrix = [[0.5, 0], [0, 1]]}': "similarity['a', 'a']: the diagonal must be exactly 1; got 0.5",
    'similarity = {types = ["a", "a"], matrix = [[1]]}': "similarity: a type may be named only once; got 'a' again",
    "similarity = {types = [], matrix = []}": "similarity: expected at least one type; got none",
    'symbols = ["b"]\nsimilarity = {types = ["a"], matrix = [[1, 0], [0, 1]]}': "symbols: type 'b' is not in similarity.types: 'a'",
    'transposition = {b = 1}\nsimilarity = {types = ["a"], matrix = [[1, 0], [0, 1]]}': "transposition.b: type 'b' is not in similarity.types: 'a'",
    f"normalize = 0x{'f' * 9000}": "normalize: invalid value",
    f"symbols = [0x{'f' * 9000}]": "symbols: invalid value",
    f"transposition = 0x{'f' * 9000}": "transposition: invalid value",
    "fields = 1": "fields: expected a table; got 1",
    'fields = {spaeker = "x"}': "fields.spaeker: no key 'spaeker'; did you mean 'speaker'?",
    "fields = {speaker = 1}": "fields.speaker must be a text that is not empty; got 1",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_damage(text: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, text)
    assert str(refusal(read_settings, path)) == f"{path}: {BAD[text]}"


def test_damaged_files(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a = 1\nb = [\n")
    with pytest.raises(FormatError, match="not valid TOML"):
        read_settings(path)
    path = write_file(tmp_path, "a = 1\na = 2\n")
    assert refusal(read_settings, path).line == 2
    with pytest.raises(FormatError, match="nested too deeply"):
        read_settings(write_file(tmp_path, "a = " + "[" * 100_000))
    with pytest.raises(FormatError, match=r"settings are a \.toml or \.json file; got \.ini"):
        read_settings(write_file(tmp_path, "a", "study.ini"))
    with pytest.raises(FormatError, match="expected an object with settings"):
        read_settings(write_file(tmp_path, "[1]", "study.json"))
    with pytest.raises(FormatError, match="No such file"):
        read_settings(tmp_path / "nowhere.toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from([".", "none", 1, 0.5]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["types", "matrix", "pairs", "."]), inner)
    ),
    max_leaves=8,
)
keys = st.sampled_from(
    ["similarity", "transposition", "normalize", "symbols", "unclassified", "attached", "streams", "fields", "other"]
)


@given(data=st.dictionaries(keys, anything, max_size=3) | anything)
def test_any_content_gives_settings_or_our_error(data: object, folder: Path) -> None:
    path = folder / "any.json"
    path.write_text(json.dumps(data))
    with suppress(cz.errors.CaesuraError):
        settings = read_settings(path)
        assert isinstance(settings.measure_options(), dict)
        assert isinstance(settings.reading_options("rez"), dict)
        hash(settings)


@given(data=st.binary(max_size=100), suffix=st.sampled_from(["toml", "json"]))
def test_any_bytes_give_settings_or_our_error(data: bytes, suffix: str, folder: Path) -> None:
    path = folder / f"any.{suffix}"
    path.write_bytes(data)
    with suppress(cz.errors.CaesuraError):
        read_settings(path)
