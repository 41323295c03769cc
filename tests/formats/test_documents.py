"""Documents in Parquet and in lines of JSON: reading as columns, excluded documents, and round trips."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, CaesuraWarning, FormatError, OptionError
from caesura.formats import documents_arrow, documents_json, documents_parquet
from caesura.model.documents import DocumentPairs, Documents
from support.collected import SCALE, pair_of, sound
from support.compared import compared
from support.examples import examples
from support.files import refusal
from support.strategies import trees

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
pq = pytest.importorskip("pyarrow.parquet")

PLAIN = [name for name, kind in cz.measures().items() if compared(kind) in ("inner", "typed", "streams")]
FOLDER = tempfile.TemporaryDirectory()  # for random examples, each of which writes over the last


# -- Parquet ----------------------------------------------------------------------------------------------------------


def put(path: Path, data: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(data), path, **options)
    return path


def sides(length: Any, reference: Any, hypothesis: Any) -> dict[str, Any]:
    return {"length": length, "reference": reference, "hypothesis": hypothesis}


def chunks(path: Path) -> Iterator[Documents | DocumentPairs]:
    """Return the batches of a file, as a worker reads them."""
    (whole,) = documents_parquet.partitions([str(path)], str(path.parent))
    return whole.chunks()


def read_collecting(path: Path, **options: Any) -> tuple[cz.Corpus, list[str]]:
    excluded: list[FormatError] = []
    corpus = cz.read(path, excluded=excluded, **options)
    return corpus, [str(error).removeprefix(f"{path}:") for error in excluded]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint64()])
@pytest.mark.parametrize("lists", [pa.list_, pa.large_list])
def test_whole_numbers_of_any_size(kind: Any, lists: Any, tmp_path: Path) -> None:
    # ··|···|······   ··|··|·······
    table = {
        "length": pa.array([11, 1], kind),
        "reference": pa.array([[2, 5], []], lists(kind)),
        "hypothesis": pa.array([[2, 4], []], lists(kind)),
    }
    corpus = cz.read(put(tmp_path / "a.parquet", table))
    expected = [(2, 3, 6), (2, 2, 7), (1,), (1,)]
    assert [corpus[item, side].masses for item in ("1", "2") for side in ("reference", "hypothesis")] == expected


def test_documents_with_missing_values_are_excluded(tmp_path: Path) -> None:
    table = {
        "item": ["a", None, "c", "d", "e"],
        "length": [4, None, 4, 4, 4],
        "reference": pa.array([[1], [1], None, [1, None], [2**64 - 1]], pa.list_(pa.uint64())),
        "hypothesis": pa.array([[]] * 5, pa.list_(pa.null())),
        "reference_types": pa.array([["x"], ["x"], [], ["x", "y"], ["x"]]).cast(pa.list_(pa.string())),
        "hypothesis_types": pa.array([[], [], [], None, []], pa.list_(pa.string())),
    }
    path = put(tmp_path / "a.parquet", table)
    corpus, excluded = read_collecting(path)
    assert corpus.item_names == ("a",)
    assert excluded == [
        "2: item '2': length: expected a whole number; got nothing",
        "3: item 'c': reference: expected a list; got nothing",
        "4: item 'd': reference: every entry must have a value; got an entry without a value",
        f"5: item 'e': reference: positions[0]: number too large; got {2**63 - 1}",
    ]
    result = cz.evaluate(path, "pk")
    assert (result.documents, result.excluded_documents) == (1, 4)
    assert [str(document) for document in result.excluded] == [f"{path}:{document}" for document in excluded]


POSITIONS = "column 'reference' must contain lists of whole numbers; got"
UNFIT = {
    "no side": ({"length": [1], "reference": [[1]]}, "expected a column 'hypothesis'; there are length, reference"),
    "no length": ({"reference": [[1]], "hypothesis": [[1]]}, "expected a column 'length'; there are reference"),
    "floats": ({"length": [3], "reference": [[1.5]], "hypothesis": [[1]]}, f"{POSITIONS} list<element: double>"),
    "fixed size": (
        {"length": [3], "reference": pa.array([[1, 2]], pa.list_(pa.int64(), 2)), "hypothesis": [[1]]},
        "column 'reference' must contain lists of whole numbers; got fixed_size_list<",
    ),
    "structs": (sides([3], [[{"at": 1}]], [[1]]), f"{POSITIONS} list<element: struct<"),
    "lists of lists": (
        {"length": [3], "reference": [[1]], "hypothesis": [[[1]]]},
        "column 'hypothesis' must contain lists of whole numbers; got list<element: list<",
    ),
    "text of a length": (sides(["3"], [[1]], [[1]]), "column 'length' must contain whole numbers; got string"),
    "half the types": (
        {"length": [3], "reference": [[1]], "hypothesis": [[1]], "reference_types": [["x"]]},
        "expected reference_types and hypothesis_types, or neither; got one of them",
    ),
    "numbers as types": (
        {"length": [3], "reference": [[1]], "hypothesis": [[1]], "reference_types": [[1]], "hypothesis_types": [[1]]},
        "column 'reference_types' must contain lists of text; got list<element: int64>",
    ),
    "an item of parts": (
        {"item": [["x"]], "length": [3], "reference": [[1]], "hypothesis": [[1]]},
        "column 'item' must contain text or whole numbers; got list<",
    ),
    "one tree": ({"length": [3], "reference": ["(S (N a))"], "hypothesis": [[1]]}, POSITIONS),
}


@pytest.mark.parametrize("name", UNFIT)
def test_columns_of_the_wrong_type(name: str, tmp_path: Path) -> None:
    data, message = UNFIT[name]
    path = put(tmp_path / "a.parquet", data)
    error = refusal(cz.read, path, "documents-parquet")
    assert error.problem.startswith(message)
    assert "\n" not in str(error)


def test_dictionary_columns(tmp_path: Path) -> None:
    """As in a data frame with categories. Categories that do not occur are not types of these documents."""
    words = pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int8()), ["act", "never", "scene"])
    table = {
        "item": pa.array(["a", "a"]).dictionary_encode(),
        "length": [4, 4],
        "reference": [[1], [2]],
        "hypothesis": [[1], []],
        "reference_types": pa.ListArray.from_arrays([0, 1, 2], words),
        "hypothesis_types": pa.array([["scene"], []], pa.list_(pa.string())),
    }
    (chunk,) = chunks(put(tmp_path / "a.parquet", table))
    assert sorted(chunk.types) == ["act", "scene"]
    expected = [((1, "scene"),), ((1, "scene"),), ((2, "act"),), ()]
    assert [segmentation.boundaries for segmentation in (*chunk.pair(0), *chunk.pair(1))] == expected


@pytest.mark.parametrize("group", [1, 3, 1000])
@pytest.mark.parametrize("names_of", ["text", "number", "no"])
def test_names_and_rows_of_every_batch(
    group: int, names_of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_parquet, "BATCH_SIZE", 2)
    number = 11
    table: dict[str, Any] = {
        "length": [d + 2 for d in range(number)],
        "reference": [[1]] * number,
        "hypothesis": [list(range(1, d % 3 + 1)) for d in range(number)],
    }
    if names_of != "no":
        table["item"] = [f"name {d}" if names_of == "text" else 100 + d for d in range(number)]
    documents = []
    for chunk in chunks(put(tmp_path / "a.parquet", table, row_group_size=group)):
        assert 1 <= len(chunk) <= 2
        documents += [
            (chunk.items[d], chunk.rows[d], int(chunk.length[d]), chunk.hypothesis.positions_of(d).tolist())
            for d in range(len(chunk))
        ]
    names = {"text": "name {}", "number": "10{}", "no": ""}[names_of]
    assert [document[1:] for document in documents] == [(d + 1, d + 2, table["hypothesis"][d]) for d in range(number)]
    assert [document[0] for document in documents] == [
        str(d + 1) if names_of == "no" else names.format(d) if d < 10 or names_of == "text" else "110"
        for d in range(number)
    ]


def test_a_file_is_split_at_its_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"length": [5] * 10, "reference": [[1]] * 10, "hypothesis": [[d % 4 + 1] for d in range(10)]}
    path = put(tmp_path / "a.parquet", table, row_group_size=2)
    monkeypatch.setattr(documents_parquet, "_MIN_SPLIT_BYTES", 0)
    monkeypatch.setattr(documents_parquet, "_ROWS_PER_TASK", 3)
    parts = documents_parquet.partitions([str(path)], str(tmp_path))
    assert [(part.first, part.last) for part in parts] == [(0, 2), (2, 4), (4, 5)]
    expected = [f"{path}, row groups 0 to 1", f"{path}, row groups 2 to 3", f"{path}, row group 4"]
    assert [part.place for part in parts] == expected
    rows = [
        (chunk.rows[d], int(chunk.hypothesis.positions_of(d)[0]))
        for part in parts
        for chunk in part.chunks()
        for d in range(len(chunk))
    ]
    assert rows == [(d + 1, d % 4 + 1) for d in range(10)]
    assert len({str(part.fingerprint) for part in parts}) == 3


LISTS = pa.list_(pa.int64())


def test_empty_files(tmp_path: Path) -> None:
    table = {"length": pa.array([], pa.int64()), **dict.fromkeys(("reference", "hypothesis"), pa.array([], LISTS))}
    for name, options in (("rows", {}), ("groups", {"row_group_size": 1})):
        path = put(tmp_path / f"{name}.parquet", table, **options)
        assert list(chunks(path)) == []
    with pq.ParquetWriter(tmp_path / "none.parquet", pa.table(table).schema):
        pass
    assert pq.ParquetFile(tmp_path / "none.parquet").num_row_groups == 0
    assert list(chunks(tmp_path / "none.parquet")) == []
    with pytest.raises(FormatError, match="no annotation was found"):
        cz.read(tmp_path / "none.parquet")
    with pytest.raises(cz.errors.InputError, match="no document could be scored; the source is empty"):
        cz.evaluate(tmp_path / "none.parquet", "pk")


def test_truncated_and_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rng = random.Random(3)
    rows = 200
    table = {
        "item": [f"item {d}" for d in range(rows)],
        "length": [50] * rows,
        **{side: [sorted(rng.sample(range(1, 50), 5)) for _ in range(rows)] for side in ("reference", "hypothesis")},
    }
    put(path, table, write_page_checksum=True, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    for cut in (0, 3, 4, 11, len(whole) // 3, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            cz.read(path, "documents-parquet")
        with pytest.raises(cz.errors.InputError, match="no document could be scored"):
            cz.evaluate(tmp_path, "pk")
    at = whole.index(b"item 100")
    path.write_bytes(whole[:at] + b"jtem" + whole[at + 4 :])
    with pytest.raises(FormatError, match=r"not valid Parquet: .*CRC"):
        cz.read(path)
    for _ in range(60):
        changed = bytearray(whole)
        changed[rng.randrange(4, len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        with suppress(CaesuraError):
            cz.evaluate(path, "pk")


def test_damaged_metadata(tmp_path: Path) -> None:
    """Every byte of the footer is changed; pyarrow would end the process for some of them."""
    path = put(tmp_path / "a.parquet", {"length": [4], "reference": [[1, 2]], "hypothesis": [[3]]})
    whole = path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    ended = []
    for at in range(len(whole) - 8 - footer, len(whole) - 8):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            ended.append(cz.read(path, "documents-parquet"))
        except CaesuraError as problem:
            ended.append(problem)
    assert any("histogram size mismatch" in str(outcome) for outcome in ended) or int(pa.__version__.split(".")[0]) < 19
    assert any(isinstance(outcome, cz.Corpus) for outcome in ended)


def test_a_table_of_units_with_coders_reference_and_hypothesis(tmp_path: Path) -> None:
    """Coders may have any name; the content of their columns decides."""
    segmentation = cz.Segmentation.from_sets([{"("}, set(), {")"}])
    corpus = cz.Corpus({"x": {"reference": segmentation, "hypothesis": segmentation}})
    cz.write(corpus, tmp_path / "a.parquet")
    assert cz.formats.detect(tmp_path / "a.parquet").name == "table-parquet"
    assert cz.read(tmp_path / "a.parquet") == corpus
    put(tmp_path / "b.parquet", {"item": ["x", "x"], "reference": ["1", ""], "hypothesis": ["", "1"]})
    assert cz.read(tmp_path / "b.parquet")["x", "reference"].masses == (1, 1)
    put(tmp_path / "c.parquet", {"reference": [None, "(S (N a))"], "hypothesis": ["(S (N a))", "(S (N a))"]})
    assert cz.read(tmp_path / "c.parquet")["2", "reference"].words == ("a",)


# -- limits -----------------------------------------------------------------------------------------------------------


def test_files_that_claim_to_be_too_large_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"length": [9] * 5, "reference": [[]] * 4 + [[1] * 200], "hypothesis": pa.array([[]] * 5, LISTS)}
    path = put(tmp_path / "a.parquet", table)
    monkeypatch.setattr(documents_parquet, "_MAX_ENTRIES", 100)
    message = "row group 0: expected at most 100 entries in a column; this claims to have 204"
    with pytest.raises(FormatError, match=message):
        cz.read(path)
    monkeypatch.setattr(documents_parquet, "_MAX_DOCUMENTS", 4)
    with pytest.raises(FormatError, match="expected a corpus of at most 4 documents; this claims to have 5; evaluate"):
        cz.read(path)


def test_batch_size_depends_on_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"length": [99] * 8, **dict.fromkeys(("reference", "hypothesis"), [list(range(1, 51))] * 8)}
    monkeypatch.setattr(documents_parquet, "_BATCH_ENTRIES", 100)
    assert [len(chunk) for chunk in chunks(put(tmp_path / "a.parquet", table))] == [2, 2, 2, 2]
    monkeypatch.setattr(documents_parquet, "_TREE_CHARACTERS", 30)  # of 18, 9, 18, 9, 18, 9
    put(tmp_path / "b.parquet", {"reference": ["(S (N a))", None] * 3, "hypothesis": ["(S (N a))"] * 6})
    batches = list(chunks(tmp_path / "b.parquet"))
    assert [list(batch.rows) for batch in batches] == [[1, 2, 3], [4, 5, 6]]
    assert [batch.pairs[0][0] is None for batch in batches] == [False, True]


def test_a_long_word_in_every_row_is_stored_once(tmp_path: Path) -> None:
    # as plain text these would take ten gigabytes
    word = "x" * 2**20
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), [word])
    lists = pa.ListArray.from_arrays(list(range(5_001)), column)
    table = {
        "item": column,
        "length": [3] * 5_000,
        "reference": [[1]] * 5_000,
        "hypothesis": [[2]] * 5_000,
        "reference_types": lists,
        "hypothesis_types": lists,
    }
    coming = chunks(put(tmp_path / "a.parquet", table))
    chunk = next(coming)
    assert len({id(name) for name in chunk.items[:]}) == 1
    assert chunk.types == (word,)


# -- lines of JSON ----------------------------------------------------------------------------------------------------

GOOD = '{"item": "g", "length": 4, "reference": [2], "hypothesis": [3]}'

WHOLE = "expected a whole number, of 63 bits at most;"
LINES = {
    "an array": ("[1]", "expected an object; got a list"),
    "no JSON": ("{", "not valid JSON: "),
    "two on a line": (GOOD + GOOD, "not valid JSON: Extra data at column"),
    "a key twice": ('{"length": 4, "length": 4}', "the key 'length' occurs twice in one object"),
    "no side": ('{"length": 4, "reference": []}', "hypothesis: it is missing"),
    "no length": ('{"reference": [], "hypothesis": []}', f"length: {WHOLE} got None"),
    "NaN": (GOOD.replace("[2]", "[NaN]"), "reference: a position is a whole number, of 63 bits at most; got nan"),
    "1e400": (GOOD.replace("[2]", "[1e400]"), "reference: a position is a whole number, of 63 bits at most; got inf"),
    "2.0": (GOOD.replace("[2]", "[2.0]"), "reference: a position is a whole number, of 63 bits at most; got 2.0"),
    "true": (GOOD.replace("[2]", "[true]"), "reference: a position is a whole number, of 63 bits at most; got True"),
    "10^400": (GOOD.replace("4,", f"1{'0' * 400},"), f"length: {WHOLE} got a very large"),
    "10^5000": (GOOD.replace("4,", f"1{'0' * 5000},"), "not valid JSON: Exceeds the limit"),
    "deep": ("[" * 100_000, "not valid documents: nested too deeply"),
    "deep in a field": (GOOD.replace("[2]", "[" * 100_000), "not valid documents: nested too deeply"),
    "text for a list": (GOOD.replace("[2]", "null"), "reference: expected a list of positions; got None"),
    "an item of parts": (GOOD.replace('"g"', "[]"), "item: expected text; got a list"),
    "types": (GOOD[:-1] + ', "reference_types": [1]}', "reference_types: expected a list of names; got a list"),
    "half the types": (
        GOOD[:-1] + ', "reference_types": ["x"]}',
        "hypothesis: expected one type per position; got 0 for 1 positions",
    ),
    "brackets": ('{"reference": "(S (N a)", "hypothesis": null}', "reference: line 1, column"),
    "half a tree": ('{"reference": "(S (N a))", "hypothesis": [1]}', "hypothesis: expected brackets; got a list"),
    "times": ('{"reference": "(S (N a))", "reference_times": [[0, "x"]], "hypothesis": null}', "reference: "),
    "no UTF-8": ('"\udcff"', "expected text in UTF-8; got byte 0xff"),
    "NUL": (GOOD + "\0", "expected text; got a NUL character"),
}


@pytest.mark.parametrize("name", LINES)
def test_invalid_lines_are_excluded(name: str, tmp_path: Path) -> None:
    line, why = LINES[name]
    path = tmp_path / "a.jsonl"
    other = GOOD.replace('"g"', '"h"')
    path.write_bytes(f"{GOOD}\n\n{line}\r\n{other}".encode(errors="surrogateescape"))
    result = cz.evaluate(path, "pk")
    assert (result.documents, result.excluded_documents) == (2, 1)
    (problem,) = result.excluded
    assert problem.place == f"{path}:3"
    assert problem.reason.startswith(why)
    if name not in ("no UTF-8", "NUL"):  # these are no text, for whoever reads a file as a whole
        path.write_bytes(f"{line}\n".encode())
        error = refusal(cz.read, path)
        assert (error.line, why in error.problem) == (1, True)


# -- lines of JSON with and without pyarrow ---------------------------------------------------------------------------

TYPED = (
    '{"length": 4, "reference": [2, 4], "reference_types": ["x", "y"], "hypothesis": [3], "hypothesis_types": ["z"]}'
)
TREE = '{"reference": "(S (N a) (V b))", "hypothesis": "(S (N a) (V b))"}'
UNUSUAL = {
    "an integer as the item": GOOD.replace('"g"', "-70"),
    "no item": GOOD.replace('"item": "g", ', ""),
    "null as the item": GOOD.replace('"g"', "null"),
    "a date as the item": GOOD.replace("g", "2020-01-01"),
    "escapes": GOOD.replace('"g"', '"\\u00e9\\n\\u0000\\ud83d\\ude00"'),
    "half a surrogate pair": GOOD.replace('"g"', '"\\ud800"'),
    "not ASCII": GOOD.replace("g", "élan"),
    "types on one side": TYPED.replace(', "hypothesis_types": ["z"]', ""),
    "null types": TYPED.replace('["z"]', "null"),
    "null in types": TYPED.replace('["z"]', "[null]"),
    "null as a position": GOOD.replace("[2]", "[2, null]"),
    "null as the length": GOOD.replace("4", "null"),
    "2^62": GOOD.replace("[2]", f"[{2**62}]"),
    "-2^62 as the length": GOOD.replace("4", str(-(2**62))),
    "2^63": GOOD.replace("[2]", f"[{2**63}]"),
    "-0": GOOD.replace("[2]", "[-0, 2]"),
    "positions that fall": GOOD.replace("[2]", "[3, 2]"),
    "an escaped key twice": GOOD.replace('"item"', '"l\\u0065ngth": 4, "item"'),
    "spaces around": f"  {GOOD} \t",
    "byte order mark": f"\ufeff{GOOD}",
    "two lines": GOOD.replace(", ", ",\n"),
    "an empty object": "{}",
    "trees": TREE,
    "times": GOOD[:-1] + ', "reference_times": [[0, 1]]}',
    "unknown text": GOOD[:-1] + ', "note": "a", "source": null}',
    "unknown number": GOOD[:-1] + ', "note": 1.5}',
    "unknown NaN": GOOD[:-1] + ', "note": NaN}',
    "unknown object": GOOD[:-1] + ', "meta": {"a": [{"b": [[]]}]}}',
    "unknown object with a key twice": GOOD[:-1] + ', "meta": {"a": 1, "a": 1}}',
    "unknown deep list": GOOD[:-1] + f', "note": {"[" * 100_000}{"]" * 100_000}}}',
    "unknown nested list": GOOD[:-1] + f', "note": {"[" * 300}{"]" * 300}}}',
    "unknown long number": GOOD[:-1] + f', "note": {"1" * 5000}}}',
    "unknown number too large for a float": GOOD[:-1] + ', "note": 1e999}',
    "empty key": GOOD[:-1] + ', "": 1}',
}
"""Valid and invalid lines."""


def records(path: Path, *, arrow: bool) -> tuple[list[Any], set[str]]:
    """Return all documents of a file by line, and the unknown fields."""
    documents, ignored = [], set()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(documents_json, "_MIN_ARROW_BYTES", 0 if arrow else 2**40)
        for part in documents_json.partitions([str(path)], str(path.parent)):
            for chunk in part.chunks():
                ignored |= set(chunk.ignored_fields)
                for d in range(len(chunk)):
                    try:
                        pair = chunk.pair(d) if isinstance(chunk, Documents) else chunk.pairs[d]
                    except CaesuraError as problem:
                        pair = str(problem)
                    documents.append((chunk.rows[d], chunk.items[d], chunk.excluded.get(d), pair))
    return sorted(documents, key=lambda record: record[0]), ignored


@pytest.mark.parametrize("name", [*UNUSUAL, *LINES])
def test_pyarrow_and_the_standard_library_read_the_same(name: str, tmp_path: Path) -> None:
    line = UNUSUAL[name] if name in UNUSUAL else LINES[name][0]
    path = tmp_path / "a.jsonl"
    for head, tail in (([], []), ([GOOD] * 3, [GOOD]), ([TYPED], [GOOD, TYPED]), ([UNUSUAL["unknown text"]], [GOOD])):
        for end in ("\n", "\r\n"):
            text = end.join([*head, line, *tail])
            path.write_bytes(text.encode(errors="surrogateescape"))
            expected = records(path, arrow=False)
            assert len(expected[0]) == len(head) + len(tail) + 1 + 3 * (name == "two lines")
            assert records(path, arrow=True) == expected


@given(st.lists(st.sampled_from([GOOD, TYPED, TREE, "", *UNUSUAL.values()]), max_size=12), st.integers(1, 2000))
@examples(60)
def test_pyarrow_and_the_standard_library_read_any_mixture_of_lines(lines: list[str], size: int) -> None:
    path = Path(FOLDER.name) / "mixture.jsonl"
    path.write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(documents_arrow, "_PIECE_BYTES", size)
        patched.setattr(documents_arrow, "BLOCK_BYTES", 3 * size)
        assert records(path, arrow=True) == records(path, arrow=False)


def test_pyarrow_parses_plain_lines_and_only_these(tmp_path: Path) -> None:
    def tables(*lines: str) -> list[bool]:
        data = "\n".join(lines).encode()
        return [table is not None for _, _, table in documents_arrow.parse_block(1, data)]

    assert tables(*[GOOD] * 9) == tables(TYPED, GOOD) == tables(UNUSUAL["an integer as the item"]) == [True]
    assert tables(GOOD, UNUSUAL["unknown text"]) == [True]
    assert tables(TREE) == tables(GOOD, "", GOOD) == tables(UNUSUAL["unknown nested list"]) == [False]


def test_unknown_fields_are_named_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    fields = [GOOD.replace("}", f', "note{i % 7}": {i}, "id": "x"}}').replace('"g"', f'"g{i}"') for i in range(50)]
    path.write_text("\n".join([GOOD, *fields]))
    with pytest.warns(CaesuraWarning, match="unknown fields of the documents are ignored: note0, id, note1") as caught:
        result = cz.evaluate(path, "pk", format="documents-json")
    assert (len(caught), result.documents, result.excluded_documents) == (1, 51, 0)
    path.write_text(GOOD.replace("}", ', "note": 1, "id": "x"}'))
    corpus = cz.read(path)
    assert corpus["g", "reference"].positions.tolist() == [2]
    assert corpus.reading.ignored == ("note, id (unknown)",)


def test_files_with_other_meanings_of_the_fields_are_not_documents() -> None:
    for line in (
        '{"hypothesis": [24.2, 33.94], "reference": [11.0, 23.0, 34.0], "duration": 50.0}',
        '{"hypothesis": [0, 0, 1], "reference": [0, 1, 0], "length": 3, "source": "x"}',
        '{"hypothesis": "a | b", "reference": "a b", "source": "x"}',
    ):
        assert not documents_json.FORMAT.looks_like(line)
    for line in (GOOD, TREE, TYPED, UNUSUAL["unknown text"], TREE.replace("}", ', "source": 1}')):
        assert documents_json.FORMAT.looks_like(line)


@given(
    st.lists(st.sampled_from([GOOD, "", "  ", "\r", GOOD.replace('"g"', "7")]), max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 300),
)
def test_every_line_is_read_once_wherever_a_file_is_split(
    lines: list[str], end: str, last: bool, mark: bool, stretch: int
) -> None:
    text = end.join(lines) + end * last
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(documents_json, "_PART_BYTES", stretch)
        folder = Path(FOLDER.name)
        path = folder / "a.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" * mark + text.encode())
        parts = documents_json.partitions([str(path)], str(folder))
        assert [part.first for part in parts] == [0, *(part.last for part in parts[:-1])]
        assert parts[-1].last == path.stat().st_size
        documents = [
            (chunk.rows[d], chunk.items[d]) for part in parts for chunk in part.chunks() for d in range(len(chunk))
        ]
    assert documents == [(i, "g" if '"g"' in line else "7") for i, line in enumerate(lines, 1) if line.strip()]


@pytest.fixture(autouse=True, scope="module")
def folder() -> Iterator[None]:
    yield
    FOLDER.cleanup()


def test_several_kinds_of_documents_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result for a document does not depend on its neighbours."""
    typed = '{"length": 4, "reference": [2, 4], "reference_types": ["x", "y"], "hypothesis": [3], "hypothesis_types": ["x"]}'
    tree = '{"reference": "(S (N a) (V b))", "hypothesis": "(S (N a) (V b))"}'
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([GOOD, typed, tree, GOOD.replace('"g"', '"h"'), typed]))
    corpus = cz.read(path)
    assert (corpus["2", "reference"].boundaries, corpus["3", "hypothesis"].words) == (((2, "x"), (4, "y")), ("a", "b"))
    results = []
    for number in (1, 2, 100):
        monkeypatch.setattr(documents_json, "BATCH_SIZE", number)
        results.append(cz.evaluate(path, "pk"))
    assert (
        len({(result["pk"].parts.get("errors"), result["pk"].parts["windows"], result.documents) for result in results})
        == 1
    )
    assert results[0]["pk"].documents == 4
    assert [(document.item, document.measure) for document in results[0].excluded] == [("3", "pk")]
    under_types = cz.evaluate(path, "boundary_similarity(n_t=2)")
    assert {document.item: document.reason for document in under_types.excluded if document.measure is None} == {
        "g": "boundaries have no types; the declared types are x, y",
        "h": "boundaries have no types; the declared types are x, y",
    }


def test_a_line_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_json, "_MAX_LINE_BYTES", 100)
    (tmp_path / "a.jsonl").write_text(f"{GOOD}\n{GOOD[:-1]}{' ' * 100}}}\n{GOOD}\n")
    (tmp_path / "b.jsonl").write_text(GOOD)
    result = cz.evaluate(tmp_path, "pk")
    assert (result.documents, result.excluded_partitions) == (1, 1)
    assert result.excluded[0].reason == "expected a line of at most 100 bytes"


# -- round trips ------------------------------------------------------------------------------------------------------

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    kind = draw(st.sampled_from(["plain", "typed", "undeclared", "trees", "times"]))
    items: dict[str, Any] = {}
    for item in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        if kind in ("plain", "typed", "undeclared"):
            row = draw(sound(kind != "plain"))
            reference, hypothesis = pair_of(row, declared=kind == "typed")
        else:
            words = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
            reference, hypothesis = (
                draw(trees(words, labels=["S", "NP"], tags=["N", "V"], max_brackets=3)) for _ in range(2)
            )
            if kind == "times":
                edges = np.cumsum(draw(st.lists(st.floats(0.1, 3), min_size=len(words) + 1, max_size=len(words) + 1)))
                reference = reference.with_times(list(pairwise(edges)))
        items[item] = {"reference": reference, "hypothesis": hypothesis}
    return cz.Corpus(items)


def same(first: cz.Corpus, second: cz.Corpus) -> bool:
    """Return whether corpora are equal, except for the types of sides without boundaries."""
    if first.item_names != second.item_names:
        return False
    for key in first:
        a, b = first[key], second[key]
        if a != b and not (
            isinstance(a, cz.Segmentation) and a.length == b.length and not len(a.boundaries + b.boundaries)
        ):
            return False
    return True


@given(corpora())
def test_round_trip(corpus: cz.Corpus) -> None:
    annotation = next(iter(corpus[key] for key in corpus))
    types = (
        SCALE
        if isinstance(annotation, cz.Segmentation) and annotation.types_declared and annotation.types == SCALE
        else None
    )
    for name in ("a.parquet", "a.jsonl"):
        path = Path(FOLDER.name) / name
        cz.write(corpus, path, f"documents-{'json' if path.suffix == '.jsonl' else 'parquet'}")
        again = cz.read(path, types=types if path.suffix == ".jsonl" else None)
        assert same(again, corpus)
        assert again.coders == ("reference", "hypothesis")


def test_metadata_contain_the_order_of_types(tmp_path: Path) -> None:
    segmentation = cz.Segmentation.from_sets([{"x"}, {"a"}], types=["x", "m", "a"])
    path = tmp_path / "a.parquet"
    cz.write(cz.Corpus({"i": {"reference": segmentation, "hypothesis": segmentation}}), path, "documents-parquet")
    assert json.loads(pq.read_schema(path).metadata[b"caesura.types"]) == ["x", "m", "a"]
    assert documents_parquet.inspect_files([str(path)]) == (True, ("x", "m", "a"))
    assert cz.read(path)["i", "reference"] == segmentation
    for metadata in ("{", '"x"', "[1]", "[]", '["x", "x"]', "[" * 100_000):
        table = pq.read_table(path).replace_schema_metadata({"caesura.types": metadata})
        pq.write_table(table, path)
        with pytest.raises(FormatError, match=r"caesura\.types in the metadata: "):
            cz.read(path)


PLAIN_ONE = cz.Segmentation.from_masses([2, 2])
TYPED_ONE = cz.Segmentation.from_marks(["", "x", "", ""])


def both(reference: Any, hypothesis: Any) -> dict[str, Any]:
    return {"reference": reference, "hypothesis": hypothesis}


ALL_TYPES = "all boundaries must have types, or none; the reference has none"
TWO = "item 'i': a document is two segmentations or two trees"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"i": {"ann": PLAIN_ONE}}, "no coder is called 'reference'; choose the reference: one of ann"),
        ({"i": {"reference": PLAIN_ONE}}, "no coder is called 'hypothesis'; choose the hypothesis: one of reference"),
        (
            {"i": {"reference": PLAIN_ONE, "hypothesis": cz.Segmentation.from_masses([5])}},
            "item 'i': both sides must have the same units; got 4 and 5",
        ),
        ({"i": both(PLAIN_ONE, TYPED_ONE)}, f"item 'i': {ALL_TYPES}"),
        ({"i": both(TYPED_ONE, TYPED_ONE), "j": both(PLAIN_ONE, PLAIN_ONE)}, f"item 'j': {ALL_TYPES}"),
        ({"i": both(PLAIN_ONE, cz.Tree.from_brackets("(S (N a))"))}, TWO),
        ({"i": both({"F": PLAIN_ONE}, {"F": PLAIN_ONE})}, "item 'i', coder 'reference': this format "),
        ({"i": both(cz.Hierarchy(3, [(1, 2)]), PLAIN_ONE)}, "item 'i', coder 'reference': this format "),
    ],
)
def test_corpora_that_cannot_be_written(cells: Any, message: str, tmp_path: Path) -> None:
    for name, kind in (("a.parquet", "documents-parquet"), ("a.jsonl", "documents-json")):
        assert refusal(cz.write, cz.Corpus(cells), tmp_path / name, kind).problem.startswith(message)
        assert not (tmp_path / name).exists()


def test_items_of_several_kinds_cannot_be_columns(tmp_path: Path) -> None:
    tree = cz.Tree.from_brackets("(S (N a))")
    corpus = cz.Corpus(
        {"i": {"reference": tree, "hypothesis": tree}, "j": {"reference": PLAIN_ONE, "hypothesis": PLAIN_ONE}}
    )
    with pytest.raises(FormatError, match="item 'j': all items must be segmentations, or all trees"):
        cz.write(corpus, tmp_path / "a.parquet", "documents-parquet")
    cz.write(corpus, tmp_path / "a.jsonl")
    assert cz.read(tmp_path / "a.jsonl") == corpus


def test_warnings_about_content_that_is_left_out(tmp_path: Path) -> None:
    worded = cz.Segmentation.from_masses([2, 2], units=["a", "b", "c", "d"])
    cells = {f"i{d}": {"ann": worded, "bo": worded} for d in range(2)} | {f"j{d}": {"ann": worded} for d in range(7)}
    cells["k"] = {"cy": worded}
    path = tmp_path / "a.jsonl"
    with pytest.warns(CaesuraWarning) as warnings:
        cz.write(cz.Corpus(cells), path, reference="ann", hypothesis="bo")
    assert [str(warning.message) for warning in warnings] == [
        f"{path}: left out, because only one of the two coders annotated them: j0, j1, j2, j3, j4 and 2 more",
        f"{path}: this format cannot store the text of units and the labels; they are left out",
    ]
    assert cz.read(path).item_names == ("i0", "i1")
    with pytest.warns(CaesuraWarning, match="left out"), pytest.raises(FormatError, match="no item has both coders"):
        cz.write(cz.Corpus(cells), path, reference="ann", hypothesis="cy")
    with pytest.raises(FormatError, match="reference and hypothesis must be two coders; got 'ann' for both"):
        cz.write(cz.Corpus(cells), path, reference="ann", hypothesis="ann")
    message = "reference is an option for writing; the columns of documents name it, leave it out"
    with pytest.raises(OptionError, match=message):
        cz.read(path, reference="ann")
