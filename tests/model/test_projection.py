"""Different tokenizations of one text, and different texts, projected to characters."""

from __future__ import annotations

import random
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Hierarchy, Segmentation, Tree, over_characters, over_edits
from caesura.errors import CaesuraWarning, InputError, MismatchError, OptionError
from caesura.model.projection import alignment_hint
from support.transcribers import check_unknown_texts_of_different_length


def corpus(**by_coder: object) -> Corpus:
    return Corpus({"x": by_coder})


@st.composite
def cut_text(draw: st.DrawFn) -> tuple[str, list[list[str]]]:
    """Draw a text without white space and three tokenizations of it."""
    text = draw(st.text("abcä-", min_size=1, max_size=30))
    ways = []
    for _ in range(3):
        cuts = sorted(draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8)) - {len(text)})
        edges = [0, *cuts, len(text)]
        ways.append([text[a:b] for a, b in pairwise(edges)])
    return text, ways


@given(case=cut_text(), data=st.data())
def test_boundaries_stay_where_they_were_in_the_text(case: tuple[str, list[list[str]]], data: st.DataObject) -> None:
    """By definition, the text before a boundary stays the same."""
    text, ways = case
    by_coder = {}
    for i, tokens in enumerate(ways):
        marks = data.draw(st.lists(st.sampled_from(["", ",", "."]), min_size=len(tokens), max_size=len(tokens)))
        by_coder[f"c{i}"] = Segmentation.from_marks(marks, types=[",", "."], units=tokens)
    projected, _ = over_characters(corpus(**by_coder))
    for coder, before in by_coder.items():
        after = projected["x", coder]
        assert after.units == tuple(text)
        message = {("".join(before.units[:at]), kind) for at, kind in before.boundaries}
        assert {("".join(after.units[:at]), kind) for at, kind in after.boundaries} == message
        assert (after.types, after.types_declared) == (before.types, before.types_declared)


def test_white_space_belongs_to_no_token() -> None:
    #  ann  New York | is        bo  New | York is
    ann = Segmentation.from_masses([1, 1], units=["New York", "is"])
    bo = Segmentation.from_masses([1, 2], units=["New", " York", "is\n"])
    projected, notes = over_characters(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"] == Segmentation.from_masses([7, 2], units="NewYorkis")
    assert projected["x", "bo"] == Segmentation.from_masses([3, 6], units="NewYorkis")
    assert notes == {"x": "2 tokens for ann, 3 for bo: 9 characters"}


def test_labels_and_sets_of_types() -> None:
    ann = Segmentation.from_labels(["A", "A", "B"], units=["ab", "c", "de"])
    bo = Segmentation.from_sets([{"scene", "act"}], types=["scene", "act"], units=["abc", "de"])
    projected, _ = over_characters(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"] == Segmentation.from_labels("AAABB", units="abcde")
    assert projected["x", "bo"].boundaries == ((3, "scene"), (3, "act"))


def test_the_end_of_the_text_is_marked_only_if_it_was_before() -> None:
    ended = Segmentation.from_marks(["", "."], units=["ab", "c"])
    open_ = Segmentation.from_masses([1, 1], units=["a", "bc"])
    projected, _ = over_characters(corpus(ann=ended, bo=open_))
    assert [projected["x", coder].positions.tolist() for coder in ("ann", "bo")] == [[3], [1]]


def test_tokens_without_a_character_lose_their_boundary_and_this_is_reported() -> None:
    #  ann  _ | a | _ | b        the first boundary is before the text, the third falls on the second
    ann = Segmentation.from_masses([1, 1, 1, 1], units=[" ", "a", "", "b"])
    bo = Segmentation.from_masses([1, 1], units=["a", "b"])
    projected, notes = over_characters(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"].positions.tolist() == [1]
    assert notes == {"x": "for ann 0 of 2 characters differ from the text of ann; 0 boundaries moved, 2 lost"}


def test_streams_of_dialogues_are_projected_separately() -> None:
    marks = Segmentation.from_marks
    ann = {"F": marks([",", "."], units=["can", "not"]), "M": marks(["."], units=["no"])}
    bo = {"F": marks(["?"], units=["cannot"]), "M": marks(["", "."], units=["n", "o"])}
    projected, notes = over_characters(corpus(ann=ann, bo=bo))
    annotation = projected["x", "ann"]
    assert (annotation["F"].boundaries, annotation["M"].boundaries) == (((3, ","), (6, ".")), ((2, "."),))
    assert projected["x", "bo"]["F"].boundaries == ((6, "?"),)
    assert notes == {"x": "3 tokens for ann, 3 for bo: 8 characters"}
    more, _ = over_characters(corpus(ann={"F": ann["F"]}, bo=bo))  # a stream that the first coder lacks
    assert (list(more["x", "ann"]), more["x", "bo"]) == (["F"], projected["x", "bo"])


def test_spans_keep_levels_and_labels() -> None:
    ann = Hierarchy(3, [(1, 3, 1, "S"), (2, 3, 2, "VP")], units=["he", "can", "not"])
    bo = Hierarchy(2, [(1, 2), (2, 2)], units=["he", "cannot"])
    projected, _ = over_characters(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"] == Hierarchy(8, [(1, 8, 1, "S"), (3, 8, 2, "VP")], units="hecannot")
    assert projected["x", "bo"].flat == projected["x", "ann"].flat


def test_trees_get_offsets_as_times() -> None:
    ann = Tree.from_brackets("(S (-LRB- -LRB-) (JJ well-founded) ('' ''))")
    bo = Tree.from_brackets("(S (-LRB- -LRB-) (RB well) (HYPH -) (VBN founded) ('' \"))")
    projected, _ = over_characters(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"].times.tolist() == [[0, 1], [1, 13], [13, 14]]
    assert projected["x", "bo"].times.tolist() == [[0, 1], [1, 5], [5, 6], [6, 13], [13, 14]]
    assert projected["x", "ann"].words == ann.words
    assert cz.struct_iou(projected["x", "ann"], projected["x", "bo"]).value < 1


NIGHT, KNIGHT, NIGHTS, BLANK = (
    Segmentation.from_masses([1, 1], units=units)
    for units in (["good", "night"], ["good", "knight"], ["good", "nights"], ["", " "])
)


@pytest.mark.parametrize(
    ("by_coder", "message"),
    [
        ({"ann": NIGHT, "bo": KNIGHT}, "item 'x': .* character 5 differs: 'goodnight' for ann and 'goodknight'"),
        ({"ann": NIGHT, "bo": NIGHTS}, "the end after 'goodnight' for ann and .*; use align='tokens'"),
        ({"ann": NIGHT, "bo": Segmentation.from_masses([2, 3])}, "coder 'bo': .* got 5 units without one"),
        ({"ann": NIGHT, "bo": cz.Tier([(0, 1, "A")])}, "coder 'bo': expected units of text; got Tier"),
        ({"ann": NIGHT, "bo": Hierarchy.from_times([(0, 1)])}, "coder 'bo': expected units of text; got times"),
        ({"ann": NIGHT, "bo": {"F": KNIGHT}}, "all coders must have streams, or none; ann has none"),
        ({"ann": {"F": NIGHT}, "bo": {"F": KNIGHT}}, "stream 'F': all coders must have the same characters"),
        ({"ann": BLANK}, "expected a text of at least one character"),
    ],
)
def test_annotations_that_cannot_be_projected_to_characters(by_coder: dict[str, object], message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        over_characters(corpus(**by_coder))


def test_bad_items_are_collected() -> None:
    good = Segmentation.from_bits("1", units=["a", "b"])
    bad: list[InputError] = []
    projected, _ = over_characters(
        Corpus({"x": {"ann": good}, "y": {"ann": Segmentation.from_bits("1")}}), excluded=bad
    )
    assert (projected.item_names, len(bad)) == (("x",), 1)


def test_by_hand() -> None:
    #  ann   g o o d | n i g h t | m o o n
    #  bo    g o o d | k n i g h t m | o n       k has no counterpart, an o is missing
    pytest.importorskip("rapidfuzz")
    ann = Segmentation.from_masses([1, 1, 1], units=["good", "night", "moon"])
    bo = Segmentation.from_marks([",", "", ".", ""], units=["good", "knight", "m", "on"])
    projected, notes = over_edits(corpus(ann=ann, bo=bo))
    assert projected["x", "ann"] == Segmentation.from_masses([4, 5, 4], units="goodnightmoon")
    after = projected["x", "bo"]
    assert after.units == tuple("goodnightmoon")
    assert after.boundaries == ((4, ","), (10, "."))
    # whichever o is missing, m stays before it
    assert re.fullmatch("for bo 2 of 13 characters differ from .*; [01] boundar(y|ies) moved, 0 lost", notes["x"])


def test_boundaries_on_the_same_character_are_joined_and_counted() -> None:
    #  ann   a b         bo   a , x y . b     xy is deleted, so . moves to ,
    pytest.importorskip("rapidfuzz")
    ann = Segmentation.from_masses([1, 1], units=["a", "b"])
    bo = Segmentation.from_marks([",", ".", ""], units=["a", "xy", "b"])
    projected, notes = over_edits(corpus(ann=ann, bo=bo))
    assert projected["x", "bo"].boundaries == ((1, ","), (1, "."))
    assert notes == {"x": "for bo 2 of 4 characters differ from the text of ann; 1 boundary moved, 1 lost"}


def test_spans_and_words_that_become_empty() -> None:
    pytest.importorskip("rapidfuzz")
    spans = Hierarchy(3, [(1, 3), (2, 2)], units=["a", "xy", "b"])
    projected, notes = over_edits(corpus(ann=Hierarchy(2, [(1, 2)], units=["a", "b"]), bo=spans))
    assert projected["x", "bo"].flat == {(1, 2)}
    assert notes["x"].endswith("1 lost")
    tree = Tree.from_brackets("(S (A a) (X xy) (B b))")
    projected, notes = over_edits(corpus(ann=Tree.from_brackets("(S (A a) (B b))"), bo=tree))
    assert (projected["x", "bo"].length, notes["x"][-6:]) == (2, "1 lost")


@given(seed=st.integers(0, 2**32))
def test_any_two_texts(seed: int) -> None:
    """The first is unchanged. Boundaries of the second keep their order, and common boundaries stay equal."""
    pytest.importorskip("rapidfuzz")
    rng = random.Random(seed)
    words = [rng.choice(["a", "bc", "d-e", "ff"]) for _ in range(rng.randint(1, 12))]
    different = [word if rng.random() < 0.7 else rng.choice(["", "x", word + "y"]) for word in words]
    ann, bo = (Segmentation.from_bits([rng.randint(0, 1) for _ in words[1:]], units=u) for u in (words, different))
    projected, notes = over_edits(corpus(ann=ann, bo=bo))
    exact, _ = over_characters(corpus(ann=ann))
    assert projected["x", "ann"] == exact["x", "ann"]
    assert projected["x", "bo"].length == len("".join(words))
    lost = int(re.search(r"(\d+) lost", notes["x"]).group(1)) if "for bo" in notes.get("x", "") else 0  # type: ignore[union-attr]
    assert projected["x", "bo"].positions.size == bo.positions.size - lost
    if words == different:
        assert notes == {}


def test_without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    annotation, different = (Segmentation.from_bits("", units=[text]) for text in ("a", "b"))
    for ann, bo in ((annotation, different), ({"F": annotation}, {"F": different})):
        with pytest.raises(OptionError, match=r"^align='edit' needs rapidfuzz; run pip install 'caesura\[align\]'"):
            over_edits(corpus(ann=ann, bo=bo))
    assert len(over_edits(corpus(ann=annotation, bo=annotation))[0]) == 2  # nothing to align


def test_texts_too_long_to_align(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidfuzz")
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 9)
    annotation, different, longer = (Segmentation.from_bits("", units=[text]) for text in ("abcd", "abce", "abcde"))
    assert len(over_edits(corpus(ann=annotation, bo=different))[0]) == 2
    with pytest.raises(MismatchError, match=r"the alignment of 4 characters of ann and 5 of cy: .*; use smaller items"):
        over_edits(corpus(ann=annotation, bo=different, cy=longer))
    over_edits(corpus(ann=longer, bo=longer))  # equal texts need no alignment


def test_errors_suggest_a_solution() -> None:
    annotation = Segmentation.from_bits("1", units=["can", "not"])
    with pytest.raises(MismatchError, match=r"align='tokens' \(or align='characters', because the characters agree\)$"):
        cz.pk(annotation, Segmentation.from_bits("", units=["cannot"]))
    with pytest.raises(MismatchError, match=r"unit 2 differs: .* read with align='tokens' \(or align='positions'"):
        cz.pk(annotation, Segmentation.from_bits("1", units=["can", "now"]))
    with pytest.raises(MismatchError, match=r"reference has 2, hypothesis has 3$"):  # no text, no way out
        cz.pk(annotation, Segmentation.from_bits("10"))
    assert alignment_hint(None, ["a"]) == ""
    (message,) = cz.check_same_tokens(corpus(ann=annotation, bo=Segmentation.from_bits("", units=["cannot"])))
    assert str(message).endswith("align='tokens' (or align='characters', because the characters agree)")


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    for name, rows in {"ann": ["F,I can .", "F,not ,"], "bo": ["F,I .", "F,cannot ,"]}.items():
        (tmp_path / f"x_{name}.csv").write_text("Speaker,Utterance\n" + "\n".join(f'F,"{r[2:]}"' for r in rows) + "\n")
    return sorted(tmp_path.glob("*.csv"))


def test_reading_aligned(two: list[Path], tmp_path: Path) -> None:
    for read in (
        lambda: cz.read_coders(two, align="characters", types=[".", ","]),
        lambda: cz.read(tmp_path, pattern="{item}_{coder}.csv", align="characters", types=[".", ","]),
    ):
        with pytest.warns(CaesuraWarning, match=r"item 'x': 3 tokens for .*ann, 2 for .*bo: 7 characters"):
            projected = read()
        ann, bo = projected.of_item("x").values()
        assert (ann["F"].boundaries, bo["F"].boundaries) == (((4, "."), (7, ",")), ((1, "."), (7, ",")))
    with pytest.raises(OptionError, match="align must be one of 'tokens', 'characters', 'edit', 'positions'"):
        cz.read_coders(two, align="words")


def test_lossless_items_share_one_line_and_every_loss_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz")
    for coder, words in (("ann", "a b"), ("bo", "ab")):
        for i in range(13):
            word = f"{words} x" if coder == "bo" and i > 8 else words
            (tmp_path / f"{i}_{coder}.csv").write_text(f"Speaker,Utterance\nF,{word} .\n")
    with pytest.warns(CaesuraWarning) as message:
        cz.read(tmp_path, pattern="{item}_{coder}.csv", align="edit")
    lines = [str(annotation.message).removeprefix(f"{tmp_path}: ") for annotation in message]
    assert lines[-1] == "item '0': 2 tokens for ann, 1 for bo: 2 characters; 8 more items have different tokens too"
    assert sorted(line.split("'")[1] for line in lines[:-1]) == ["10", "11", "12", "9"]
    assert all("1 of 3 characters differs" in line for line in lines[:-1])


def test_coders_with_different_numbers_of_units_and_no_text(tmp_path: Path) -> None:
    ann = Segmentation.from_positions(3869, range(5, 3860, 7))
    bo = Segmentation.from_positions(3887, range(4, 3880, 9))
    check_unknown_texts_of_different_length({"ann": ann, "bo": bo}, tmp_path)
