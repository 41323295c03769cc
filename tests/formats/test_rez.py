"""Rezonator files: a map of nodes, in which anything may be missing."""

from __future__ import annotations

import copy
import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError
from support.files import refusal


def small() -> dict[str, Any]:
    """F: well I , / M: yes . / F: so --   with kinds, as the Santa Barbara corpus has them."""
    units = [("F", "well I ,"), ("M", "yes ."), ("F", "so --")]
    nodes: dict[str, Any] = {"D": {"type": "doc", "unitList": ["U1", "U2", "U3"]}, "showList": [], "colorMap": {}}
    for u, (speaker, utterance) in enumerate(units, 1):
        tokens = utterance.split()
        names = [f"{u}.{i}" for i in range(len(tokens))]
        nodes[f"U{u}"] = {
            "type": "unit",
            "unitSeq": u,
            "entryList": [f"E{n}" for n in names],
            "tagMap": {"participant": speaker},
        }
        for name, token in zip(names, tokens, strict=True):
            nodes[f"E{name}"] = {"type": "entry", "unit": f"U{u}", "token": f"T{name}"}
            kind = "Word" if token.isalpha() else "EndNote"
            nodes[f"T{name}"] = {"type": "token", "tagMap": {"text": token, "kind": kind, "gloss": "x"}}
    return {
        "ROOT": [{"nodeMap": nodes, "discourseNode": "D", "version": "Version 0.20.3"}, {"objectIndex": "obj_chain"}]
    }


def write_file(tmp_path: Path, data: object, name: str = "t.rez") -> Path:
    path = tmp_path / name
    path.write_bytes(json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\0")
    return path


def test_endnotes_by_kind(tmp_path: Path) -> None:
    dialogue = cz.read(write_file(tmp_path, small()))["t", "t"]
    assert isinstance(dialogue, cz.Dialogue)
    assert dialogue["F"].units == ("well", "I", "so")
    assert dialogue["F"].boundaries == ((2, ","), (3, "--"))
    assert dialogue["M"].boundaries == ((1, "."),)
    assert dialogue["F"].types == (",", "--", ".")
    assert dialogue["F"].types_declared is False
    assert cz.read(tmp_path / "t.rez", types=[".", ",", "--"])["t", "t"]["F"].types == (".", ",", "--")


def test_endnotes_by_symbol(tmp_path: Path) -> None:
    data = small()
    for node in data["ROOT"][0]["nodeMap"].values():
        if isinstance(node, dict) and node.get("type") == "token":
            del node["tagMap"]["kind"]
    path = write_file(tmp_path, data)
    dialogue = cz.read(path, symbols=[".", ",", "--"])["t", "t"]
    assert dialogue["F"].boundaries == ((2, ","), (3, "--"))
    dialogue = cz.read(path, symbols=["."], unclassified=";")["t", "t"]
    assert dialogue["F"].units == ("well", "I", ",", "so", "--")
    assert dialogue["F"].boundaries == ((3, ";"), (5, ";"))
    assert dialogue["F"].types == (".", ";")


def test_fields_and_names_are_options(tmp_path: Path) -> None:
    path = write_file(tmp_path, small())
    corpus = cz.read(path, item="chat", coder="ann", token="gloss", kind="gloss", endnote="y", unclassified=";")
    assert corpus["chat", "ann"]["F"].units == ("x",) * 5
    whole = cz.read(path, streams=False)["t", "t"]
    assert isinstance(whole, cz.Segmentation)
    assert whole.units == ("well", "I", "yes", "so")


def test_without_speakers_there_are_no_streams(tmp_path: Path) -> None:
    data = small()
    for u in (1, 2, 3):
        data["ROOT"][0]["nodeMap"][f"U{u}"]["tagMap"] = {}
    assert cz.read(write_file(tmp_path, data))["t", "t"].boundaries == ((2, ","), (3, "."), (4, "--"))


# -- damage -----------------------------------------------------------------------------------------------------------


def change(*steps: str | int, to: Any = None, remove: bool = False) -> dict[str, Any]:
    data: Any = small()
    at = data["ROOT"][0]["nodeMap"]
    for step in steps[:-1]:
        at = at[step]
    if remove:
        del at[steps[-1]]
    else:
        at[steps[-1]] = to
    return data


GRIDS = {"ROOT": [{"version": "0.8.3", "wordGrid": []}]}
NO_TEXT = "must have a text in the field 'text'"
ALONE = "unit 2: an utterance must have a token before the boundary; got '.' alone"
EMPTY = "unit 2: an utterance must have at least one token; this one is empty"
BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "list": ([1], {}, 'expected an object with "ROOT": [{"nodeMap": {...}}]'),
    "no root": ({"ROOT": []}, {}, 'expected an object with "ROOT": [{"nodeMap": {...}}]'),
    "grids": (
        GRIDS,
        {},
        "expected ROOT[0].nodeMap, which this file (0.8.3) does not have: files of Rezonator 0.8 and before have grids instead; "
        "open it in a newer Rezonator and save it again",
    ),
    "no doc": ({"ROOT": [{"nodeMap": {}}]}, {}, "expected one node of type 'doc' in the nodeMap; got 0"),
    "no units": (change("D", "unitList", to=[]), {}, "expected a document of at least one unit; got none"),
    "no list": (change("D", "unitList", remove=True), {}, "node 'D' must have a list unitList; got None"),
    "number": (change("D", "unitList", to=[1]), {}, "unitList of 'D' must name nodes; got 1"),
    "twice": (change("D", "unitList", to=["U1", "U1"]), {}, "unit 'U1' must be listed only once; got it again"),
    "shared entry": (change("U2", "entryList", to=["E1.0"]), {}, "entry 'E1.0' must be listed only once; got it again"),
    "shared token": (change("E2.0", "token", to="T1.0"), {}, "token 'T1.0' must be listed only once; got it again"),
    "lost unit": (change("U2", remove=True), {}, "unit 'U2' is not in the nodeMap"),
    "lost entry": (change("E2.0", remove=True), {}, "entry 'E2.0' is not in the nodeMap"),
    "lost token": (change("T2.0", remove=True), {}, "token 'T2.0' is not in the nodeMap"),
    "no token": (change("E2.0", "token", to=[]), {}, "entry 'E2.0' must name a token; got a list"),
    "no tags": (change("T2.0", "tagMap", remove=True), {}, "token 'T2.0' must have a tagMap; got None"),
    "no text": (change("T2.0", "tagMap", to={"word": "x"}), {}, f"token 'T2.0' {NO_TEXT}; the fields are 'word'"),
    "nobody": (change("U2", "tagMap", to={}), {}, "unit 2 must name its speaker in the field 'participant'; got None"),
    "no such field": (
        small(),
        {"speaker": "who"},
        "no unit has a field 'who' for the speaker; the fields are 'participant'; or read with streams=False",
    ),
    "no endnote": (
        change("U2", "entryList", to=["E2.0"]),
        {},
        "unit 2: it must end in a token whose kind is 'EndNote'; the last is 'yes'. Set the endnotes with symbols=, or "
        "the type of other endings with unclassified=",
    ),
    "endnote alone": (change("U2", "entryList", to=["E2.1"]), {}, ALONE),
    "endnote inside": (
        change("U2", "entryList", to=["E2.1", "E2.0"]),
        {},
        "unit 2: an endnote must be the last token; got '.' before",
    ),
    "empty unit": (change("U2", "entryList", to=[]), {"unclassified": ";"}, EMPTY),
    "unknown endnote": (small(), {"symbols": [",", "--"]}, "unit 2: an endnote must be one of ',', '--'; got '.'"),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    data, options, message = BAD[name]
    path = write_file(tmp_path, data)
    assert refusal(cz.read, path, **options).problem == message


def test_errors_name_the_place_of_the_damage(tmp_path: Path) -> None:
    path = write_file(tmp_path, change("U2", "tagMap", to={}))
    error = refusal(cz.read, path)
    lines = path.read_text().splitlines()
    assert '"U2":' in lines[error.line - 1]
    excluded: list[FormatError] = []
    assert len(cz.read(path, excluded=excluded)) == 0
    assert [str(p) for p in excluded] == [str(error)]


@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"ROOT":' * 100_000, b'{"ROOT": [{"nodeMap": ' + b'{"a":' * 900])
def test_deep_nesting_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "deep.rez"
    path.write_bytes(content + b"\0")
    with pytest.raises(FormatError):
        cz.read(path)


@pytest.mark.parametrize("depth", [10, 300, 900])
def test_nested_values_are_not_traversed(depth: int, tmp_path: Path) -> None:
    deep = json.loads("[" * depth + "]" * depth)
    for steps in (("D", "unitList"), ("U1", "entryList"), ("E1.0", "token"), ("T1.0", "tagMap"), ("U1", "tagMap")):
        with suppress(cz.errors.CaesuraError):
            cz.read(write_file(tmp_path, change(*steps, to=deep)))
        with suppress(cz.errors.CaesuraError):
            cz.read(write_file(tmp_path, change(*steps, to=[deep])))


def test_a_nul_character_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "t.rez"
    path.write_bytes(b'{"ROOT":\0 []}\0')
    with pytest.raises(FormatError, match="expected text; got a NUL character"):
        cz.read(path)
    path.write_bytes(b"\0\0")
    with pytest.raises(FormatError, match="not valid JSON"):
        cz.read(path)


def test_format_without_a_writer(tmp_path: Path) -> None:
    corpus = cz.Corpus({"i": {"c": cz.Segmentation.from_bits("1")}})
    with pytest.raises(FormatError, match=r"this format \(rez\) can be read but not written"):
        cz.write(corpus, tmp_path / "t.rez")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rez")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["U1", "E1.0", "T1.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@given(data=st.data())
def test_any_change_gives_a_corpus_or_our_error(data: st.DataObject, folder: Path) -> None:
    changed = copy.deepcopy(small())
    at: Any = changed
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], (dict, list)) or not at[key] or data.draw(st.integers(0, 3)) == 0:
            at[key] = data.draw(values)
            break
        at = at[key]
    path = folder / "any.rez"
    path.write_bytes(json.dumps(changed).encode() + b"\0")
    for options in ({}, {"symbols": [".", ","], "unclassified": ";", "attached": True}):
        with suppress(cz.errors.CaesuraError), warnings.catch_warnings():
            warnings.simplefilter("ignore", CaesuraWarning)  # no endnote is left
            assert isinstance(cz.read(path, **options), cz.Corpus)
