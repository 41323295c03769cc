"""Trees: two parsers of GUM, the samples of EVALB, and Natural Stories."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura import Tree, over_characters, over_edits
from caesura.errors import CaesuraWarning, InputError
from caesura.measures.parseval import parseval_measure
from caesura.simulation import trees
from support.evalb import PARAMETERS, check_rows, check_summary
from support.oracles import read_oracle
from support.raw_files import check_ptb
from support.shared_data import DataFolder
from support.tree_experiments import (
    Parses,
    check_levels_by_length,
    check_samples_of_one_sentence,
    check_samples_of_ten_sentences,
)

DOCUMENTS = 7
SENTENCES = 283


@pytest.mark.slow
def test_two_parsers_of_gum(shared: DataFolder, subtests: pytest.Subtests) -> None:
    """283 sentences by an old and a new parser with the same tokens, 31 with different tokens."""
    folder = shared / "data/trees/gum_two_parsers"
    files = sorted(folder.glob("*.ptb"))
    assert len(files) == 2 * DOCUMENTS
    for path in files:
        with subtests.test("all trees, brackets and words", file=path.name):
            check_ptb(path)
    new, old = (
        [tree for path in sorted(folder.glob(f"*.{which}.ptb")) for tree in cz.read_trees(path)]
        for which in ("new", "old")
    )
    with subtests.test("the folder is read as items and coders"):
        with pytest.warns(CaesuraWarning, match=r"7 files do not match the pattern \{item\}\.\{coder\}\.ptb and are"):
            corpus = cz.read(folder, pattern="{item}.{coder}.ptb")
        lines = sum(len(path.read_text().splitlines()) for path in files)
        assert (len(corpus), set(corpus.coders)) == (lines, {"old", "new"})
    runs = [run for run in read_oracle("evalb_extra.json") if run["files"].startswith("gum_two_parsers")]
    assert runs
    for run in runs:
        with subtests.test("EVALB prints the same", files=run["files"], parameters=run["prm"]):
            name, _, which = run["files"].partition(" ")
            assert which == "(gold=new,test=old)"
            check_evalb(run, shared, f"{name}.new.ptb", f"{name}.old.ptb")
    with subtests.test("comparison with a parser that is better in every third sentence"):
        check_comparison(new, old)
    with subtests.test("levels by length are those of the shorter sentences"):
        last = check_levels_by_length(new, old)
        assert last.sentences == SENTENCES
        assert last.corpus < last.mean  # as the paper wants it
    with subtests.test("correlation over samples of one sentence"):
        check_samples_of_one_sentence(new, old)
    with subtests.test("correlation over samples of ten sentences"):
        result = check_samples_of_ten_sentences(new, old)
        assert (len(result.f1), result.sentences) == (28, SENTENCES)
        assert 0.4 < result.rho < 1
        assert result.p < 0.01
    with subtests.test("sentences with different tokens"):
        check_different_tokens(folder)


def check_evalb(run: dict[str, Any], shared: DataFolder, gold: str, predicted: str) -> None:
    sides = (cz.read_trees(shared / f"data/trees/{name}", layout="lines") for name in (gold, predicted))
    result = cz.parseval_corpus(*sides, param=shared / f"data/trees/evalb/{run['prm']}")
    check_rows(result, run["rows"])
    check_summary(result, run["summary"])


def check_comparison(new: Parses, old: Parses) -> None:
    mixed = [a if i % 3 == 0 else b for i, (a, b) in enumerate(zip(new, old, strict=True))]
    (pair,) = cz.compare_parsers(new, {"mixed": mixed, "old": old}, seed=1, replicates=400).pairs
    scores = [cz.score_many(list(zip(new, parses, strict=True)), "parseval").total.value for parses in (mixed, old)]
    assert pair.difference == pytest.approx(scores[0] - scores[1])
    assert pair.losses == 0
    assert pair.wins > 50
    assert pair.randomisation == pytest.approx(1 / 100_001)
    low, high = pair.interval
    assert 0 < low < pair.difference < high


def check_different_tokens(folder: Path) -> None:
    """30 sentences have the same characters and lose nothing. In the last one, a | differs from a /."""
    pytest.importorskip("rapidfuzz")
    pairs = [
        pair
        for path in sorted(folder.glob("*.tokenisation_differs.json"))
        for pair in json.loads(path.read_text(encoding="utf-8"))
    ]
    parses = {
        str(i): {side: Tree.from_brackets(pair[side]) for side in ("old", "new")} for i, pair in enumerate(pairs, 1)
    }
    assert len(parses) == 31
    excluded: list[InputError] = []
    projected, notes = over_characters(cz.Corpus(parses), excluded=excluded)
    assert (len(projected.item_names), len(excluded), len(notes)) == (30, 1, 30)
    assert "200km|h,as" in str(excluded[0])
    assert "200km/h,as" in str(excluded[0])
    assert all("lost" not in note for note in notes.values())
    for item, coder in projected:
        before, after = parses[item][coder], projected[item, coder]
        assert (after.words, after.labels) == (before.words, before.labels)
        ends = after.times[:, 1]
        assert ends[-1] == projected[item, "old"].times[-1, 1]
        assert (after.times[1:, 0] == ends[:-1]).all()
    edited, messages = over_edits(cz.Corpus(parses))
    assert len(edited.item_names) == 31
    (item,) = set(parses) - set(projected.item_names)
    assert re.fullmatch(
        r"for new 1 of \d+ characters differs from the text of old; 0 boundaries moved, 0 lost", messages[item]
    )
    assert all(edited[key] == projected[key] for key in projected)
    assert all(0 < cz.struct_iou(edited[i, "old"], edited[i, "new"]).value <= 1 for i in edited.item_names)


def test_samples_of_evalb(shared: DataFolder, subtests: pytest.Subtests) -> None:
    """The only sentences with quotes that return are in bug.gld with new.prm."""
    folder = shared / "data/trees/evalb"
    runs = [run for run in read_oracle("evalb_extra.json") if run["files"].startswith("evalb")]
    assert {("evalb/bug", "new.prm"), ("evalb/sample", "sample.prm")} <= {(run["files"], run["prm"]) for run in runs}
    for run in runs:
        with subtests.test("EVALB prints the same", files=run["files"], parameters=run["prm"]):
            check_evalb(run, shared, f"{run['files']}.gld", f"{run['files']}.tst")
    for path in sorted(PARAMETERS.glob("*.prm")):
        with subtests.test("our parameter file has the same values", file=path.name):
            assert parseval_measure(path, {}) == parseval_measure(folder / path.name, {})
    with subtests.test("empty lines are missing trees"):
        sample = cz.read_trees(folder / "sample.tst")
        assert len(sample) == 24
        assert [i for i, tree in enumerate(sample, 1) if tree is None] == [11, 14]


def test_natural_stories(shared: DataFolder) -> None:
    """Noise lowers Struct-IoU more than insertion: the reverse of Figure 5.

    The order of Figure 5 returns at the end if two in five utterances have one word, as in the data of the paper.
    """
    rows = (shared / "data/trees/naturalstories/ns_aligned_200.jsonl").read_text(encoding="utf-8").splitlines()[:60]
    stories = [Tree.from_brackets(row["tree"], row["times"]) for row in map(json.loads, rows)]
    curve = trees.perturbation_curve(stories, deltas=(0.0, 0.2, 0.6, 1.0), repeats=2, seed=1)
    means = {
        kind: np.array([[p.mean, p.corpus] for p in curve.of_kind(kind)]) for kind in ("noise", "insert", "delete")
    }
    for fell in means.values():
        assert (fell[0] == 1).all()
        assert (np.diff(fell, axis=0) < 0).all()
    assert (means["delete"][1:] < means["noise"][1:]).all()
    assert (means["noise"][1:] < means["insert"][1:]).all()
    one_word = Tree.from_brackets("(INTJ (UH yes))", [(0, 0.4)])
    mixed = trees.perturbation_curve(
        [*stories, *[one_word] * 40], kinds=["noise", "insert"], deltas=[1], repeats=2, seed=1
    )
    assert mixed.of_kind("insert")[0].mean < mixed.of_kind("noise")[0].mean
