"""Struct-IoU against its definition, a tree edit distance, and its documented laws."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
import zss
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraWarning, MismatchError, OptionError
from caesura.measures import structiou
from caesura.measures.structiou import StructIoU
from caesura.model.tree import Tree
from oracle.structiou import best_sum, gains, iou, violations
from support.treebanks import labelled, random_times, random_tree, shapes

OPTIONS = (
    {},
    {"unlabelled": True},
    {"flexible_terminals": True},
    {"threshold": 0.4},
    {"flexible_terminals": True, "threshold": 0.25},
)


def oracle_options(options: dict[str, float]) -> dict[str, float]:
    return {name.removesuffix("_terminals"): value for name, value in options.items()}


def pair(seed: int, most: int = 12, labels: str = "AB") -> tuple[Tree, Tree]:
    rng = Random(seed)
    times = rng.random() < 0.5
    words = rng.randint(1, most)
    predicted_words = rng.randint(1, most) if times else words
    return random_tree(rng, words, labels, times=times), random_tree(rng, predicted_words, labels, times=times)


def test_by_hand() -> None:
    #        the     girl    saw     a       cat
    # gold   |S--------------------------------------|
    #        |NP-------------|VP---------------------|
    #                                |NP-------------|
    # pred   |S--------------------------------------|
    #        |NP-------------|VP-------------|NP-----|
    gold = Tree.from_brackets("(S (NP (DT the) (NN girl)) (VP (VBD saw) (NP (DT a) (NN cat))))")
    predicted = Tree.from_brackets("(S (NP (DT the) (NN girl)) (VP (VBD saw) (DT a)) (NP (NN cat)))")
    score = cz.struct_iou(gold, predicted)
    # S, the first NP, and all five words. VP with VP would gain 2/3, but "cat" is below one of them only, and gains 1.
    assert score.parts == {"iou": 7, "gold": 9, "predicted": 9}
    assert score.precision() == score.recall() == score.value == 14 / 18
    # If "cat" has another tag, the VPs can pair.
    relabelled = Tree.from_brackets(predicted.brackets.replace("(NN cat)", "(XX cat)"))
    assert cz.struct_iou(gold, relabelled).parts["iou"] == pytest.approx(6 + 2 / 3, abs=1e-15)


def test_all_small_shapes_against_exhaustive_search() -> None:
    """Every pair of shapes of up to five nodes, one label, over words and over times."""
    rng = Random(1)
    every = [shape for nodes in range(1, 6) for shape in shapes(nodes)]
    assert len(every) == 1 + 1 + 2 + 5 + 14
    for a_shape in every:
        for b_shape in every:
            a, b = (Tree.from_nested(labelled(shape, rng)) for shape in (a_shape, b_shape))
            for x, y in (
                (a, b),
                *((a.with_times(random_times(rng, a.length)), b.with_times(random_times(rng, b.length))),),
            ):
                if x.times is None and x.length != y.length:
                    continue
                iou = cz.struct_iou(x, y).parts["iou"]
                assert iou == pytest.approx(best_sum(x, y), abs=1e-12), (x.brackets, y.brackets)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_labelled_shapes_against_exhaustive_search(options: dict[str, float]) -> None:
    rng = Random(2)
    every = [shape for nodes in range(2, 7) for shape in shapes(nodes)]
    for _ in range(60):
        a, b = (Tree.from_nested(labelled(rng.choice(every), rng, "AAB")) for _ in range(2))
        a, b = (tree.with_times(random_times(rng, tree.length)) for tree in (a, b))
        score = cz.struct_iou(a, b, **options)  # type: ignore[arg-type]
        assert score.parts["iou"] == pytest.approx(best_sum(a, b, **oracle_options(options)), abs=1e-12)


def edit_distance(a: Tree, b: Tree, options: dict[str, float]) -> float:
    """With delete = insert = 1 and relabel = 2 - 2 IoU, by zss."""
    weight = gains(a, b, **oracle_options(options))  # type: ignore[arg-type]

    def root(tree: Tree, side: int) -> zss.Node:
        # The root over all, so that sentences may have several; it can only pair with its like.
        nodes = [zss.Node((side, node)) for node in range(len(tree))]
        top = zss.Node((side, -1))
        for node, above in enumerate(tree.parent.tolist()):
            (nodes[above] if above >= 0 else top).addkid(nodes[node])
        return top

    def relabel(a_node: zss.Node, b_node: zss.Node) -> float:
        (_, i), (_, j) = a_node.label, b_node.label
        if i < 0 or j < 0:
            return 0.0 if i == j else 2.0
        return 2 - 2 * weight.get((i, j), 0.0)

    return float(zss.distance(root(a, 0), root(b, 1), zss.Node.get_children, lambda n: 1.0, lambda n: 1.0, relabel))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_struct_iou_is_a_tree_edit_distance(options: dict[str, float]) -> None:
    for seed in range(25):
        a, b = pair(seed, 14)
        score = cz.struct_iou(a, b, **options)  # type: ignore[arg-type]
        assert score.value == pytest.approx(1 - edit_distance(a, b, options) / (len(a) + len(b)), abs=1e-12)


def test_several_roots() -> None:
    rng = Random(5)
    for _ in range(20):
        a, b = (
            Tree.from_brackets(" ".join(random_tree(rng, rng.randint(1, 4)).brackets for _ in range(rng.randint(1, 3))))
            for _ in range(2)
        )
        a, b = (tree.with_times(random_times(rng, tree.length)) for tree in (a, b))
        score = cz.struct_iou(a, b)
        assert score.value == pytest.approx(1 - edit_distance(a, b, {}) / (len(a) + len(b)), abs=1e-12)
        assert not violations(a, b, [(p.gold, p.predicted) for p in score.alignment])


@given(st.integers(0, 10**9), st.sampled_from(OPTIONS))
def test_alignments_satisfy_the_constraints_and_sum_to_the_score(seed: int, options: dict[str, float]) -> None:
    a, b = pair(seed, 25)
    score = cz.struct_iou(a, b, **options)  # type: ignore[arg-type]
    assert not violations(a, b, [(p.gold, p.predicted) for p in score.alignment])
    weight = gains(a, b, **oracle_options(options))  # type: ignore[arg-type]
    for node_pair in score.alignment:
        assert node_pair.iou == pytest.approx(weight[node_pair.gold, node_pair.predicted], abs=1e-12)
    assert math.fsum(p.iou for p in score.alignment) == pytest.approx(score.parts["iou"], abs=1e-12)


@given(st.integers(0, 10**9), st.sampled_from(OPTIONS))
def test_swapping_the_trees_changes_no_digit(seed: int, options: dict[str, float]) -> None:
    a, b = pair(seed, 25)
    score, swapped = cz.struct_iou(a, b, **options), cz.struct_iou(b, a, **options)  # type: ignore[arg-type]
    assert (score.value, score.precision(), score.recall()) == (swapped.value, swapped.recall(), swapped.precision())


@given(st.integers(0, 10**9))
def test_mirroring_the_trees_changes_no_digit(seed: int) -> None:
    """From right to left the other decomposition may be chosen; the sums are whole numbers, and the same."""
    a, b = pair(seed, 25)
    assert cz.struct_iou(mirrored(a), mirrored(b)).value == cz.struct_iou(a, b).value


def mirrored(tree: Tree) -> Tree:
    def turned(node: int) -> tuple[object, ...]:
        below = [i for i, above in enumerate(tree.parent.tolist()) if above == node]
        if not below:
            return (tree.labels[node], tree.words[tree.start[node]])
        return (tree.labels[node], *(turned(child) for child in reversed(below)))

    mirror = Tree.from_nested(turned(0))
    return mirror if tree.times is None else mirror.with_times([(-e, -b) for b, e in reversed(tree.times.tolist())])


@given(st.integers(0, 10**9), st.floats(1e-2, 1e3))
def test_scaling_times(seed: int, factor: float) -> None:
    rng = Random(seed)
    a, b = (random_tree(rng, rng.randint(1, 20), times=True) for _ in range(2))
    scaled = [tree.with_times(tree.times * factor) for tree in (a, b)]  # type: ignore[operator]
    # Times are rounded to nanoseconds.
    assert cz.struct_iou(*scaled).value == pytest.approx(cz.struct_iou(a, b).value, abs=1e-6)


@given(st.integers(0, 10**9))
def test_identity_and_bounds(seed: int) -> None:
    a, b = pair(seed, 25)
    assert cz.struct_iou(a, a).value == 1
    assert [(p.gold, p.predicted) for p in cz.struct_iou(a, a).alignment] == [(i, i) for i in range(len(a))]
    assert 0 <= cz.struct_iou(a, b).value <= 1
    assert cz.struct_iou(a, b).value <= cz.struct_iou(a, b, flexible_terminals=True).value
    assert cz.struct_iou(a, b, flexible_terminals=True).value <= cz.struct_iou(a, b, unlabelled=True).value


def test_labels() -> None:
    gold = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    predicted = Tree.from_brackets("(S (NP (DT the)) (NP (JJ man)) (VP (VBD ate)))")
    score = cz.struct_iou(gold, predicted)
    rows = {row.label: row for row in score.labels}
    assert rows["NP"][1:] == (1, 2, 0.5, 0.5)
    assert (rows["NP"].precision, rows["NP"].recall) == (0.25, 0.5)
    assert rows["NP"].f == pytest.approx(2 * 0.5 / 3)
    for side, tree in ((1, gold), (2, predicted)):
        assert Counter({row.label: row[side] for row in score.labels}) == Counter(tree.labels)
    assert sum(row.gold_iou for row in score.labels) == pytest.approx(score.parts["iou"])
    # With flexible terminals a pair may have two labels: each side has its own.
    parse = Tree.from_brackets("(S (NP (JJ the) (NN man)) (VP (VBD ate)))")
    rows = {row.label: row for row in cz.struct_iou(gold, parse, compat="struct-iou").labels}
    assert rows["DT"][1:] == (1, 0, 1.0, 0.0)
    assert rows["JJ"][1:] == (0, 1, 0.0, 1.0)
    assert rows["DT"].precision is None
    assert rows["JJ"].f == 0


def test_corpus() -> None:
    rng = Random(3)
    gold = [random_tree(rng, n) for n in (1, 5, 9)]
    predicted = [random_tree(rng, n) for n in (1, 5, 9)]
    scores = [cz.struct_iou(a, b) for a, b in zip(gold, predicted, strict=True)]
    result = cz.struct_iou_corpus([*gold, None], [*predicted, gold[0]])
    assert result.values[:3].tolist() == [entry.value for entry in scores]
    assert result.mean == pytest.approx(sum(entry.value for entry in scores) / 3)
    nodes = sum(map(len, gold)) + sum(map(len, predicted))
    # Definition 15: weighted by nodes
    weighted = sum(s.value * (len(a) + len(b)) for s, a, b in zip(scores, gold, predicted, strict=True)) / nodes
    assert result.total.value == pytest.approx(weighted)
    assert {place: str(why) for place, why in result.errors.items()} == {3: "gold: there is no tree"}
    assert [result.alignments[i] for i in range(3)] == [entry.alignment for entry in scores]
    gold_labels = Counter(label for tree in gold for label in tree.labels)
    assert Counter({entry.label: entry.gold for entry in result.labels}) == gold_labels
    assert result[1] == scores[1]
    assert "3 of 4 sentences" in repr(result)
    with pytest.raises(MismatchError, match="both sides must have the same sentences; gold has 3, predicted has 2"):
        cz.struct_iou_corpus(gold, predicted[:2])
    with pytest.raises(MismatchError, match="there is no tree"):
        result[3]
    with pytest.raises(AttributeError, match="has no alignment; use the sentences"):
        getattr(result.total, "alignment")  # noqa: B009
    assert cz.struct_iou_corpus([None], [None]).mean is None


def test_invalid_input() -> None:
    tree = Tree.from_brackets("(X (A a) (B b))")
    timed = tree.with_times([(0, 1), (1, 2)])
    with pytest.raises(MismatchError, match=r"both sides must have times.*; predicted has times, gold has none"):
        cz.struct_iou(tree, timed)
    with pytest.raises(MismatchError, match="predicted: expected a Tree; got str"):
        cz.struct_iou(tree, "(X a)")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="threshold must be below 1"):
        cz.struct_iou(tree, tree, threshold=1)
    with pytest.warns(CaesuraWarning, match="gold has 2 words, predicted 1, and neither has times"):
        value = cz.struct_iou(tree, Tree.from_brackets("(X (A a))")).value
    assert value == pytest.approx(2 * (0.5 + 1) / (3 + 2))  # X over half as many words, and A


def chain(words: int, label: str) -> Tree:
    return Tree.from_brackets(f"({label} (T t) " * (words - 1) + "(T t)" + ")" * (words - 1))


def test_very_deep_trees_are_scored_or_rejected() -> None:
    deep = chain(50_000, "X")
    assert cz.struct_iou(deep, deep).value == 1
    with pytest.raises(MismatchError, match="nodes of this shape are too large: more than 16777216 pairs of nodes"):
        cz.struct_iou(deep, chain(50_000, "Y"))
    # A long sentence that is not deep: 20,000 words in twos.
    flat = Tree.from_nested(("S", *(("NP", ("A", "a"), ("B", "b")) for _ in range(10_000))))
    moved = Tree.from_nested(("S", ("C", "a"), *(("NP", ("C", "b"), ("C", "a")) for _ in range(9_999)), ("C", "b")))
    # Each NP of one overlaps two of the other by one word of three.
    assert cz.struct_iou(flat, moved).parts["iou"] == pytest.approx(1 + 9_999 / 3)


def zigzag(words: int, first: int) -> Tree:
    tree = "(T t)"
    for k in range(words - 1):
        tree = f"(X {tree} (T t))" if (k + first) % 2 else f"(X (T t) {tree})"
    return Tree.from_brackets(tree)


def test_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = zigzag(320, 0), zigzag(320, 1)
    message = r"1\.3e\+09 steps are needed and 6e\+08 allowed; .* or set max_steps=1e\+10"
    with pytest.raises(MismatchError, match=message):
        cz.struct_iou(a, b)
    with pytest.raises(OptionError, match=r"max_steps must be a number from 1e\+08"):
        cz.parse("struct_iou(max_steps=10)")
    monkeypatch.setattr(structiou, "_SAFE_PAIRS", 10)
    small = zigzag(60, 0), zigzag(60, 1)
    assert cz.struct_iou(*small, max_steps=6e8).signature == cz.struct_iou(*small).signature
    assert cz.struct_iou(*small, max_steps=2e9).value == cz.struct_iou(*small).value


def test_signature_and_repr() -> None:
    measure = cz.parse("struct_iou(threshold=0.5, unlabelled=True)")
    assert isinstance(measure, StructIoU)
    assert repr(measure) == "struct_iou(unlabelled=True, threshold=0.5)"
    tree = Tree.from_brackets("(X (A a))")
    preset = cz.struct_iou(tree, tree, compat="struct-iou")
    assert preset.params["flexible_terminals"] is True
    assert "|flexible_terminals:yes|threshold:0|compat:struct-iou|" in preset.signature


def test_oracle_by_hand() -> None:
    assert iou((0, 2), (1, 3)) == pytest.approx(1 / 3)
    assert iou((0, 1), (1, 2)) == 0
