"""Trees in Penn Treebank brackets."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError, OptionError
from support.files import file_writer
from support.treebanks import random_tree

HE = "(S (NP (PRP he)) (VP (VBD slept)))"
write_file = file_writer("t.ptb")


def texts(trees: list[cz.Tree | None]) -> list[str | None]:
    return [None if tree is None else tree.brackets for tree in trees]


def test_one_sentence_per_line(tmp_path: Path) -> None:
    path = write_file(tmp_path, f"# a comment\n{HE}\n\n(A a) (B b)\n%% another\n(C c)\n\n")
    assert texts(cz.read_trees(path)) == [HE, None, "(A a) (B b)", "(C c)"]
    corpus = cz.read(path)
    assert corpus.item_names == ("1", "3", "4")
    assert corpus.coders == ("t",)


def test_trees_over_several_lines(tmp_path: Path) -> None:
    text = """*x*x*x*x*x
*x*  Copyright (C) nobody
*x*x*x*x*x

( (S
    (NP (PRP he))
    (VP (VBD slept))
    (. .)) )

( (INTJ (UH oh)) ) ((A a))
"""
    path = write_file(tmp_path, text, "sw.mrg")
    expected = ["( (S (NP (PRP he)) (VP (VBD slept)) (. .)))", "( (INTJ (UH oh)))", "( (A a))"]
    assert texts(cz.read_trees(path)) == expected


def test_layout_option(tmp_path: Path) -> None:
    path = write_file(tmp_path, "(A a) (B b)\n(C c)\n")
    assert texts(cz.read_trees(path)) == ["(A a) (B b)", "(C c)"]
    assert texts(cz.read_trees(path, layout="brackets")) == ["(A a)", "(B b)", "(C c)"]
    assert cz.read(path, layout="brackets").item_names == ("1", "2", "3")
    with pytest.raises(OptionError, match="layout must be one of 'lines', 'brackets'; got 'pages'"):
        cz.read_trees(path, layout="pages")


def test_error_position(tmp_path: Path) -> None:
    path = write_file(tmp_path, f"{HE}\n(S (NP a b))\n(S (NP a)\n{HE}\n")
    with pytest.raises(FormatError) as raised:
        cz.read_trees(path)
    assert str(raised.value) == f"{path}:2: column 10: a word must be alone in its bracket; 'b' shares (NP ...)"
    excluded: list[FormatError] = []
    assert texts(cz.read_trees(path, excluded=excluded)) == [HE, None, None, HE]
    assert [(error.line, error.problem) for error in excluded] == [
        (2, "column 10: a word must be alone in its bracket; 'b' shares (NP ...)"),
        (3, "column 1: this bracket, (S ...), is never closed"),
    ]


def test_error_position_over_several_lines(tmp_path: Path) -> None:
    path = write_file(tmp_path, "( (S\n    (NP a b)))\n   (C c)) (D d)\n(S\n  (A a)\n")
    excluded: list[FormatError] = []
    assert texts(cz.read_trees(path, excluded=excluded)) == [None, "(C c)", None, "(D d)", None]
    assert [(error.line, error.problem) for error in excluded] == [
        (2, "column 11: a word must be alone in its bracket; 'b' shares (NP ...)"),
        (3, "column 9: this bracket has no opening bracket"),
        (4, "column 1: this bracket, (S ...), is never closed"),
    ]


@given(st.lists(st.one_of(st.none(), st.integers(0, 10**9)), min_size=1, max_size=6))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seeds: list[int | None]) -> None:
    path = tmp_path_factory.mktemp("ptb") / "p.ptb"
    trees = [
        None if seed is None else random_tree(Random(seed), 1 + seed % 9, ("NP", "ein Ü"[4:], "名", "x<y&z"))  # type: ignore[arg-type]
        for seed in seeds
    ]
    if trees[-1] is None:
        return
    corpus = cz.Corpus({str(i): {"p": tree} for i, tree in enumerate(trees, 1) if tree is not None})
    cz.write(corpus, path)
    assert cz.read(path) == corpus
    assert cz.read_trees(path) == trees


def test_corpora_that_cannot_be_written(tmp_path: Path) -> None:
    tree = cz.Tree.from_brackets(HE)
    for corpus, message in (
        (cz.Corpus({"1": {"q": tree}}), "the file names the coder: 'q' would be read as 'p'; rename the file to q.ptb"),
        (cz.Corpus({"1": {"p": tree, "q": tree}}), "this format stores one coder; choose one of p, q"),
        (cz.Corpus({"x": {"p": tree}}), "item 'x': sentences must be numbered 1, 2, 3 ... in ascending order"),
        (cz.Corpus({"2": {"p": tree}, "1": {"p": tree}}), "item '1': sentences must be numbered"),
        (cz.Corpus({"1": {"p": tree.with_times([(0, 1), (1, 2)])}}), "item '1': brackets cannot contain times"),
        (
            cz.Corpus({"1": {"p": cz.Tree.from_nested(("A", "a b"))}}),
            "item '1': a word must not be empty or have blanks",
        ),
        (cz.Corpus({"1": {"p": cz.Tree.from_nested(("A(", "a"))}}), r"item '1': a label must not .* got 'A\('"),
        (cz.Corpus({"1": {"p": cz.Tree.from_nested(("", "a"))}}), "item '1': a label must not be empty"),
    ):
        with pytest.raises(FormatError, match=message):
            cz.write(corpus, tmp_path / "p.ptb")
        assert not (tmp_path / "p.ptb").exists()
    with pytest.raises(FormatError, match=r"this format \(bits\) cannot store a Tree; it can be written as .*ptb"):
        cz.write(cz.Corpus({"1": {"p": tree}}), tmp_path / "p.bits")
