"""Spans with character offsets: tokens, offsets in UTF-16, and spans that do not fit the tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Hierarchy, Segmentation
from caesura.errors import CaesuraWarning, FormatError, HierarchyError, OptionError
from caesura.formats.standoff import Tokens, Utf16Offsets
from support.examples import examples
from support.files import refusal

TEXT = "In Xanadu did\nKubla Khan decree."
#       0  3      10  14    20   25


def write_file(tmp_path: Path, *spans: str, text: str = TEXT) -> Path:
    """Write spans such as ``A 0 9`` in brat's format, with the text column taken from the text."""
    lines = []
    for number, span in enumerate(spans, 1):
        offsets = span.split(" ", 1)[1]
        cut = (text[slice(*map(int, pair.split()))] for pair in offsets.split(";"))
        lines.append(f"T{number}\t{span}\t{' '.join(cut)}".replace("\n", " "))
    (tmp_path / "t.txt").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "t.ann").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "t.ann"


STRICT: dict[str, Any] = {"tokens": "whitespace", "edges": "error", "as_": "hierarchy"}


def read_annotation(path: Path, **options: Any) -> Any:
    return cz.read(path, **STRICT | options)["t", "t"]


# -- tokens -----------------------------------------------------------------------------------------------------------


@examples(60)
@given(st.text("ab \n\t\u3000", max_size=20))
def test_white_space_separates_tokens_as_in_python(document: str) -> None:
    if document.split():
        tokens = Tokens.tokenize(document, None)
        assert list(tokens.units) == document.split()
        assert [document[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)] == document.split()
        assert list(Tokens.tokenize(document, "characters").units) == list("".join(document.split()))
    else:
        with pytest.raises(HierarchyError, match="expected a text of at least one token; got none"):
            Tokens.tokenize(document, None)


def test_words_and_punctuation() -> None:
    document = "«L'Enfant» (1754–1825), e.g. -- तो, नमस्ते।"
    units = Tokens.tokenize(document, "words").units
    assert units == ("«", "L'Enfant", "»", "(", "1754–1825", ")", ",", "e.g", ".", "-", "-", "तो", ",", "नमस्ते", "।")
    assert Tokens.tokenize(document, None).units == units


@examples(60)
@given(st.text("ab \n", min_size=1, max_size=12), st.data())
def test_a_span_covers_the_tokens_of_its_characters(document: str, data: st.DataObject) -> None:
    """By definition, a token is covered if one of its characters is."""
    start = data.draw(st.integers(0, len(document) - 1))
    end = data.draw(st.integers(start + 1, len(document)))
    if not document.split():
        return
    tokens = Tokens.tokenize(document, None)
    first, last = tokens.covered(start, end)
    places = list(zip(tokens.starts, tokens.ends, strict=True))
    covered = [i for i, (a, b) in enumerate(places) if set(range(a, b)) & set(range(start, end))]
    assert list(range(first, last + 1)) == covered


def test_tokens_must_not_overlap() -> None:
    with pytest.raises(HierarchyError, match="tokens must not overlap; 'bc' begins inside the token before it"):
        Tokens.from_offsets("abc", [(0, 2), (1, 3)])
    with pytest.raises(HierarchyError, match="token 2 must have a character; it has none, at 2"):
        Tokens.from_offsets("abc", [(0, 2), (2, 2)])


# -- UTF-16 -----------------------------------------------------------------------------------------------------------


@examples(60)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_offsets_in_utf_16_match_the_codec(document: str) -> None:
    utf16 = Utf16Offsets(document)
    units = len(document.encode("utf-16-le")) // 2
    begins = {len(document[:i].encode("utf-16-le")) // 2: i for i in range(len(document) + 1)}
    for unit in range(units + 1):
        if unit in begins:
            assert utf16.to_character(unit) == begins[unit]
        else:
            with pytest.raises(HierarchyError, match=f"{unit} is inside a character of two UTF-16 units"):
                utf16.to_character(unit)
    for unit in (-1, units + 1):
        with pytest.raises(HierarchyError, match=f"an offset must lie in 0-{units}, .*; got {unit}"):
            utf16.to_character(unit)


# -- spans ------------------------------------------------------------------------------------------------------------


def test_spans_over_tokens_levels_from_nesting(tmp_path: Path) -> None:
    # In Xanadu did Kubla Khan decree.
    # |----------- S -------------|
    #    |- NP -|   |-- NP --|
    path = write_file(tmp_path, "S 0 32", "NP 3 9", "NP 14 24")
    words = ["In", "Xanadu", "did", "Kubla", "Khan", "decree."]
    assert read_annotation(path) == Hierarchy(6, [(1, 6, 1, "S"), (2, 2, 2, "NP"), (4, 5, 2, "NP")], units=words)
    assert read_annotation(path, labels="N*") == Hierarchy(6, [(2, 2, 1, "NP"), (4, 5, 1, "NP")], units=words)
    assert read_annotation(path, labels=["S", "X"]) == Hierarchy(6, [(1, 6, 1, "S")], units=words)


def test_white_space_at_the_edges_is_ignored(tmp_path: Path) -> None:
    assert read_annotation(write_file(tmp_path, "NP 2 10", "NP 13 25")).flat == {(2, 2), (4, 5)}


def test_a_span_without_a_token_is_left_out_and_counted(tmp_path: Path) -> None:
    message = r"t\.ann: spans that cover no token left out: 2 \(first in T1 'NP' of item"
    with pytest.warns(CaesuraWarning, match=message):
        assert read_annotation(write_file(tmp_path, "NP 2 3", "NP 5 5", "S 0 2")).flat == {(1, 1)}


def test_an_edge_inside_a_token(tmp_path: Path) -> None:
    path = write_file(tmp_path, "S 0 2", "V 25 31", "N 4 9")
    error = refusal(read_annotation, path)
    assert error.line == 2
    assert str(error).endswith(
        "T2 'V' must begin and end between tokens; it ends inside token 6, 'decree.'; or read with edges='token', "
        "which widens it, or with tokens='characters'"
    )
    message = r"span edges inside a token moved to the edge of the token: 2 \(first in T2 'V'"
    with pytest.warns(CaesuraWarning, match=message) as warnings:
        assert cz.read(path, tokens="whitespace", as_="hierarchy")["t", "t"].flat == {(1, 1), (6, 6), (2, 2)}  # type: ignore[union-attr]
    assert warnings[0].filename == __file__  # a warning is about the line that reads
    # In(2) Xanadu(8) did(11) Kubla(16) Khan(20) decree.(27)
    assert read_annotation(path, tokens="characters").flat == {(1, 2), (21, 26), (4, 8)}


def test_discontinuous_spans(tmp_path: Path) -> None:
    path = write_file(tmp_path, "S 0 2;10 13;20 24")
    message = r":1: .*T1 'S' must have no gap; token 2, 'Xanadu', lies between its fragments; or"
    with pytest.raises(FormatError, match=message):
        read_annotation(path)
    with pytest.warns(CaesuraWarning, match="discontinuous spans read as one span from first to last token: 1 "):
        assert read_annotation(path, discontinuous="hull").flat == {(1, 5)}
    with pytest.warns(CaesuraWarning, match=r"discontinuous spans read as one span per fragment: 1 \(first in T1"):
        assert read_annotation(path, discontinuous="fragments").flat == {(1, 1), (3, 3), (5, 5)}


def test_fragments_with_white_space_between_are_one(tmp_path: Path) -> None:
    assert read_annotation(write_file(tmp_path, "S 10 13;14 19")).flat == {(3, 4)}  # over the end of a line
    assert read_annotation(write_file(tmp_path, "S 14 19;10 13")).flat == {(3, 4)}
    assert read_annotation(write_file(tmp_path, "S 20 22;22 24")).flat == {(5, 5)}  # two halves of a token


def test_spans_that_cross_are_both_named(tmp_path: Path) -> None:
    path = write_file(tmp_path, "A 0 13", "B 0 2", "C 10 24")
    message = "T1 'A' over tokens 1-3 and T3 'C' over tokens 3-5 cross; each coder's own spans"
    with pytest.raises(FormatError, match=message):
        read_annotation(path)
    with pytest.warns(CaesuraWarning, match="spans left out because they do not nest: 1 "):
        assert read_annotation(path, repair=True).flat == {(1, 3), (1, 1)}


@examples(60)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).map(sorted).map(tuple), max_size=6)  # type: ignore[arg-type]
)
def test_exactly_the_spans_that_cross_are_rejected(tmp_path_factory: pytest.TempPathFactory, spans: list[Any]) -> None:
    """Every pair is checked."""
    folder = tmp_path_factory.mktemp("crossing")  # beside other tests, whose reader would find the text
    path = write_file(folder, *(f"L {2 * a} {2 * b + 1}" for a, b in spans), text="a b c d e f")
    crossing = any(a < c <= b < d for a, b in spans for c, d in spans)
    if crossing:
        with pytest.raises(FormatError, match="cross"):
            read_annotation(path)
    else:
        assert read_annotation(path).flat == {(a + 1, b + 1) for a, b in spans}


def test_labels_without_a_match_warn(tmp_path: Path) -> None:
    path = write_file(tmp_path, "S 0 2", "NP 3 9")
    with pytest.warns(CaesuraWarning, match=r"none of 2 span\(s\) has a label like 'PN'; the labels are 'NP', 'S'"):
        assert read_annotation(path, labels="PN").flat == frozenset()
    for wrong in (3, [], [3], "", {"NP": 1}):
        with pytest.raises(OptionError, match="labels must be a name or a list of names"):
            read_annotation(path, labels=wrong)


# -- segments ---------------------------------------------------------------------------------------------------------


def test_both_edges_are_boundaries(tmp_path: Path) -> None:
    # In Xanadu did Kubla Khan decree.
    #   |- A -|-B-|     |-C -|-- D ---|
    path = write_file(tmp_path, "A 3 9", "B 10 13", "C 20 24", "D 25 32")
    segmentation = read_annotation(path, as_="segments")
    assert segmentation.boundaries == ((1, "begin"), (2, "A"), (3, "B"), (4, "begin"), (5, "C"), (6, "D"))
    assert segmentation.units == ("In", "Xanadu", "did", "Kubla", "Khan", "decree.")
    assert not segmentation.types_declared
    assert read_annotation(path, as_="segments", begin="outside").types == ("A", "B", "C", "D", "outside")
    scale = ["begin", "D", "C", "B", "A"]
    assert read_annotation(path, as_="segments", types=scale).types == tuple(scale)
    with pytest.raises(FormatError, match="type 'begin' is not declared; the declared types are 'A', 'B', 'C', 'D'"):
        read_annotation(path, as_="segments", types=list("ABCD"))


def test_spans_that_end_together_give_a_set(tmp_path: Path) -> None:
    # In Xanadu did Kubla Khan decree.
    # |---- S ----|
    #   |-- A ----|---- B ----|
    segmentation = read_annotation(write_file(tmp_path, "S 0 13", "A 3 13", "B 14 24"), as_="segments")
    assert segmentation.boundaries == ((1, "begin"), (3, "A"), (3, "S"), (5, "B"))


def test_a_text_without_spans_is_one_segment(tmp_path: Path) -> None:
    assert read_annotation(write_file(tmp_path), as_="segments") == Segmentation.from_masses([6], units=TEXT.split())
