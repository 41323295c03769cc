"""Alignment of tokens, and reading of corpora whose texts differ."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Dialogue, Hierarchy, Segmentation, Tree
from caesura.errors import CaesuraWarning, FormatError, InputError, MismatchError, OptionError
from caesura.formats import read_together
from caesura.model import projection
from caesura.model.projection import ALIGNMENTS, token_pairs
from oracle import tokens as oracle
from support.commands import invoke
from support.examples import examples

pytest.importorskip("rapidfuzz")


def check_minimal(a: list[str], b: list[str]) -> None:
    pairs = token_pairs(a, b)
    assert [i for i, _ in pairs if i is not None] == [*range(len(a))]
    assert [j for _, j in pairs if j is not None] == [*range(len(b))]
    assert (None, None) not in pairs
    assert oracle.cost(a, b, pairs) == oracle.lowest_cost(a, b)


def test_the_cost_is_minimal_for_all_short_texts() -> None:
    words = ["a", "ab", "abc", "x"]
    texts = [list(text) for n in range(4) for text in product(words, repeat=n)]
    rng = random.Random(1)
    for a, b in rng.sample(list(product(texts, texts)), 800):
        check_minimal(a, b)


@examples(100)
@given(*[st.lists(st.text("abé", min_size=1, max_size=4), max_size=5)] * 2)
def test_the_cost_is_minimal(a: list[str], b: list[str]) -> None:
    check_minimal(a, b)


@examples(100)
@given(*[st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5)] * 2)
def test_equal_beginnings_and_ends_do_not_change_the_minimum(a: list[str], b: list[str]) -> None:
    alignment = projection._align_tokens("ann", "bo", ("z", *a, "a", "z"), ("z", *b, "a", "z"))
    gaps = sum(i is None or j is None for i, j in token_pairs(["z", *a, "a", "z"], ["z", *b, "a", "z"]))
    assert alignment.starts[0] == 0
    assert alignment.ends[-1] == len(a) + 3
    assert alignment.differing >= gaps - min(len(a), len(b))


def corpus(**by_coder: object) -> Corpus:
    return Corpus({"x": by_coder})


def test_similar_tokens_are_counterparts() -> None:
    #  ann  we | saw the knights | there        bo  we saw | uh the knight there
    ann = Segmentation.from_masses([1, 3, 1], units=["we", "saw", "the", "knights", "there"])
    bo = Segmentation.from_masses([2, 4], units=["we", "saw", "uh", "the", "knight", "there"], labels=["A", "B"])
    aligned, notes = cz.over_tokens(corpus(ann=ann, bo=bo))
    assert aligned["x", "ann"] == ann
    assert aligned["x", "bo"] == Segmentation.from_masses([2, 3], units=ann.units, labels=["A", "B"])
    assert notes == {"x": "for bo 2 of 6 tokens differ from the text of ann; 0 boundaries moved, 0 lost"}
    assert notes["x"].lossy


def test_a_boundary_after_a_token_without_counterpart_moves() -> None:
    ann = Segmentation.from_masses([1, 1], units=["good", "night"])
    bo = Segmentation.from_masses([2, 1], units=["good", "uhm", "night"])
    aligned, notes = cz.over_tokens(corpus(ann=ann, bo=bo))
    assert aligned["x", "bo"].positions.tolist() == [1]
    assert notes == {"x": "for bo 1 of 3 tokens differs from the text of ann; 1 boundary moved, 0 lost"}


def test_dialogues_hierarchies_and_trees() -> None:
    ann, bo = (Segmentation.from_masses([1, 1], units=units) for units in (["good", "night"], ["good", "nights"]))
    aligned, _ = cz.over_tokens(corpus(ann=Dialogue({"F": ann, "M": ann}), bo=Dialogue({"F": bo, "M": ann})))
    assert aligned["x", "bo"] == aligned["x", "ann"]
    spans = Hierarchy(3, [(1, 3, 1, "S"), (2, 3, 2, "A")], units=["a", "bc", "d"])
    other = Hierarchy(2, [(1, 2, 1, "S"), (2, 2, 2, "A")], units=["a", "bcd"])
    aligned, _ = cz.over_tokens(corpus(ann=other, bo=spans))
    assert aligned["x", "bo"] == other
    gold, parsed = Tree.from_brackets("(S (A a) (B b))"), Tree.from_brackets("(S (A a) (B bb))")
    aligned, _ = cz.over_tokens(corpus(gold=gold, parsed=parsed))
    assert cz.struct_iou(aligned["x", "gold"], aligned["x", "parsed"]).value == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_only_items_that_differ_change(name: str) -> None:
    same = Segmentation.from_masses([1, 1], units=["good", "night"])
    unknown = Segmentation.from_masses([2])
    ann, bo = (
        Segmentation.from_masses([1, 1], units=["can", "not"]),
        Segmentation.from_masses([1, 1], units=["ca", "nnot"]),
    )
    data = Corpus(
        {"same": {"ann": same, "bo": same}, "known": {"ann": same, "bo": unknown}, "x": {"ann": ann, "bo": bo}}
    )
    aligned, notes = ALIGNMENTS[name](data, only_differing=True)
    assert aligned.of_item("same") == data.of_item("same")
    assert aligned.of_item("known") == data.of_item("known")
    assert aligned["x", "bo"] != bo
    assert aligned["x", "bo"].units == aligned["x", "ann"].units
    assert list(notes) == ["x"]


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bo = Segmentation.from_masses([2, 1], units="abc"), Segmentation.from_masses([2], units="xy")
    with pytest.raises(MismatchError, match="same number of tokens; there are 3 for ann and 2 for bo; align='tokens'"):
        cz.over_positions(corpus(ann=ann, bo=bo))
    with pytest.raises(MismatchError, match="expected units with a text; got 4 units without one"):
        cz.over_tokens(corpus(ann=ann, bo=Segmentation.from_masses([4])))
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 11)
    excluded: list[InputError] = []
    aligned, _ = cz.over_tokens(corpus(ann=ann, bo=bo), excluded=excluded)
    assert not aligned
    assert "the alignment of 3 tokens of ann and 2 of bo: about 0 MB of memory, more than half of" in str(excluded[0])


def test_rapidfuzz_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz.process", None)
    with pytest.raises(OptionError, match=r"align='tokens' needs rapidfuzz; run pip install 'caesura\[align\]'"):
        token_pairs(["a"], ["b"])


@pytest.mark.slow
def test_long_texts_are_aligned_in_a_few_seconds() -> None:
    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("abcdefgh", k=rng.randint(2, 9))) for _ in range(3000)]
    a = rng.choices(vocabulary, k=8000)
    b = [word if rng.random() > 0.05 else word + "s" for word in a if rng.random() > 0.02]
    start = perf_counter()
    pairs = token_pairs(a, b)
    assert perf_counter() - start < 30
    assert sum(i is not None and j is not None for i, j in pairs) == len(b)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two coders of two items. The tokens of item y differ."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "x": (["one", "two", "three"], ["one", "two", "three"]),
        "y": (["a", "night", "c", "d"], ["a", "knight", "d"]),
    }
    for item, sides in texts.items():
        for coder, words in zip(("ann", "bo"), sides, strict=True):
            Path(coder).mkdir(exist_ok=True)
            lines = ["==========", words[0], "==========", *words[1:], "=========="]
            Path(coder, f"{item}.ref").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_the_report_and_the_signature_name_the_alignment(folder: Path) -> None:
    with pytest.warns(CaesuraWarning, match="item 'y': for bo 2 of 3 tokens differ"):
        ref, hyp = read_together(["ann", "bo"], align="tokens")
    assert ref.reading is not None
    assert ref.reading.notes == ("1 of 2 items aligned by tokens",)
    assert hyp["y", "bo"].units == ref["y", "ann"].units
    result = invoke(["score", "ann", "bo", "--align", "tokens", "-m", "pk", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert "|align:tokens|aligned_items:1|" in document["signature"]
    assert document["reading"][0]["notes"] == ["1 of 2 items aligned by tokens"]
    assert "align" not in invoke(["score", "ann", "ann", "-m", "pk", "--json"]).stdout
    agreed = invoke(["agree", ".", "--pattern", "{coder}/{item}.ref", "--align", "tokens", "--json"])
    assert agreed.exit_code == 0, agreed.output
    assert "|align:tokens|aligned_items:1|" in json.loads(agreed.stdout)["signature"]


def test_ignore_text(folder: Path) -> None:
    Path("bo", "y.ref").write_text("==========\na\n==========\nknight\nC\nd\n==========\n")
    refused = invoke(["score", "ann", "bo", "-m", "pk"])
    assert refused.exit_code == 1
    assert "read with --align tokens (or --align positions, which ignores the spelling)" in refused.stderr
    result = invoke(["score", "ann", "bo", "-m", "pk", "--ignore-text", "--json"])
    assert result.exit_code == 0, result.output
    assert "|align:positions|aligned_items:1|" in json.loads(result.stdout)["signature"]


def test_options_that_contradict_each_other(folder: Path) -> None:
    assert invoke(["score", "ann", "bo", "--ignore-text", "--align", "edit"]).exit_code == 2
    assert invoke(["score", "ann", "bo", "--align-all"]).exit_code == 2


def test_align_all(folder: Path) -> None:
    with pytest.warns(CaesuraWarning, match="item 'y'"):
        ref, _ = read_together(["ann", "bo"], align="edit")
    assert ref["x", "ann"].length == 3
    with pytest.warns(CaesuraWarning, match="item 'y'"):
        ref, _ = read_together(["ann", "bo"], align="edit", align_all=True)
    assert ref["x", "ann"].length == 11


def test_only_the_first_losses_are_reported(tmp_path: Path) -> None:
    for coder, word in (("ann", "night"), ("bo", "knight")):
        for i in range(8):
            (tmp_path / f"{i}_{coder}.csv").write_text(f"Speaker,Utterance\nF,good {word} .\n")
    with pytest.warns(CaesuraWarning) as messages:
        cz.read(tmp_path, pattern="{item}_{coder}.csv", align="tokens")
    assert len(messages) == 6
    assert str(messages[-1].message).endswith("the texts of 3 more items differ too")
    with pytest.raises(FormatError, match=r"item '0': .*all coders must have the same characters"):
        cz.read(tmp_path, pattern="{item}_{coder}.csv", align="characters")
