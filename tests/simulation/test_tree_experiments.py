"""Experiments with trees: perturbed word boundaries, a sentence with many parses, levels, correlation."""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, TreeError, Undefined
from caesura.model.tree import join_words, split_words
from caesura.papers import ambiguity
from caesura.progress import on_progress
from caesura.simulation import trees
from caesura.views.trees import ambiguity_table
from oracle import rewording as oracle
from support.binomial import is_likely
from support.examples import examples
from support.spoken import sentences, spoken
from support.tree_experiments import (
    check_levels_by_length,
    check_samples_of_one_sentence,
    check_samples_of_ten_sentences,
    two_random_parsers,
)

MAN = "(S (NP (DT the) (NN man)) (VP (VBD ate) (NP (NN rice))))"
few = examples(60)  # laws that hold whatever the shape
seeds = st.integers(0, 2**32)
shares = st.floats(0, 1)


class Fixed(np.random.Generator):
    """A generator that returns given numbers."""

    def __init__(self, *rounds: list[float]) -> None:
        super().__init__(np.random.PCG64(0))
        self.rounds = list(rounds)

    def random(self, size: int) -> np.ndarray:  # type: ignore[override]
        numbers = self.rounds.pop(0)
        assert len(numbers) == size
        return np.array(numbers)

    def uniform(self, low: float, high: float, size: int) -> np.ndarray:  # type: ignore[override]
        numbers = self.random(size)
        assert (numbers >= low).all()
        assert (numbers <= high).all()
        return numbers


def tree(brackets: str, *edges: float) -> cz.Tree:
    """Return a tree whose words follow each other without silence."""
    return cz.Tree.from_brackets(brackets, list(pairwise(edges)))


def flat(words: int) -> cz.Tree:
    return tree(f"(S {' '.join('(N a)' for _ in range(words))})", *range(words + 1))


def edges(sentence: cz.Tree) -> list[float]:
    assert sentence.times is not None
    assert (sentence.times[1:, 0] == sentence.times[:-1, 1]).all()
    return [*sentence.times[:, 0].tolist(), float(sentence.times[-1, 1])]


def check(sentence: cz.Tree) -> None:
    """Check that the public constructor accepts a tree that was made without validation."""
    edges = sentence.parent, sentence.start, sentence.end
    assert cz.Tree(sentence.labels, *edges, sentence.words, sentence.times) == sentence


def test_gaps_are_closed_and_the_first_word_stays():
    #     |the|    |man|ate|     |rice|
    #     1   1.5  3   4   4.25  8    9
    quiet = trees.without_silence(cz.Tree.from_brackets(MAN, [(1, 1.5), (3, 4), (4, 4.25), (8, 9)]))
    assert edges(quiet) == [1, 1.5, 2.5, 2.75, 3.75]
    assert quiet.brackets == MAN


@few
@given(spoken())
def test_without_silence_words_keep_their_lengths(sentence):
    quiet = trees.without_silence(sentence)
    check(quiet)
    assert quiet.times[0, 0] == sentence.times[0, 0]
    assert np.diff(edges(quiet)) == pytest.approx(sentence.times[:, 1] - sentence.times[:, 0], abs=1e-12)
    assert trees.without_silence(quiet) is quiet
    assert quiet.brackets == sentence.brackets


def test_noise_goes_from_left_to_right():
    # b    0       4       8       12
    # r        +.5     -.25
    # b'   0           6   7.5     12       the second moves towards 6, not towards 4
    moved = trees.noise(tree("(S (A a) (B b) (C c))", 0, 4, 8, 12), 0.5, seed=Fixed([0.5, -0.25]))
    assert edges(moved) == [0, 6, 7.5, 12]


def test_a_draw_of_zero_moves_a_boundary_nowhere():
    assert edges(trees.noise(tree("(S (A a) (B b))", 0, 4, 12), 1, seed=Fixed([0.0]))) == [0, 4, 12]


@pytest.mark.parametrize("draws", [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
def test_no_word_is_lost_when_a_boundary_moves_as_far_as_possible(draws):
    moved = edges(trees.noise(tree("(S (A a) (B b) (C c))", 0, 4, 8, 12), 1, seed=Fixed(draws)))
    assert (moved[0], moved[-1]) == (0, 12)
    assert sorted(set(moved)) == moved


def test_words_of_the_smallest_possible_length_stay_in_order():
    first = 1.0
    second = math.nextafter(first, 2)
    third = math.nextafter(second, 2)
    short = tree("(S (A a) (B b))", first, second, third)
    for r in (1.0, -1.0):
        assert edges(trees.noise(short, 1, seed=Fixed([r]))) == [first, second, third]
    assert trees.insert(short, 1, seed=1) == short  # there is no room for a cut


@few
@given(spoken(silence=False), shares, seeds)
def test_noise_stays_within_the_limits_of_figure_4(sentence, delta, seed):
    before = edges(sentence)
    moved = trees.noise(sentence, delta, seed=seed)
    check(moved)
    after = edges(moved)
    assert (after[0], after[-1]) == (before[0], before[-1])
    for i in range(1, len(before) - 1):
        left = before[i] - delta * (before[i] - after[i - 1])
        right = before[i] + delta * (before[i + 1] - before[i])
        assert left - 1e-9 <= after[i] <= right + 1e-9
    assert moved.brackets == sentence.brackets


def test_noise_is_uniform():
    before, n = flat(4001), 4000
    after = edges(trees.noise(before, 0.8, seed=1))
    r = []
    for i in range(1, 4001):
        step = after[i] - i
        r.append(step if step >= 0 else step / (i - after[i - 1]))
    assert max(map(abs, r)) <= 0.8 + 1e-9
    for quarter in range(4):
        low = -0.8 + 0.4 * quarter
        assert is_likely(sum(low <= ratio < low + 0.4 for ratio in r), n, 1 / 4)


def test_silence_must_be_removed_before_noise():
    with pytest.raises(OptionError, match=r"word 2 'man' ends at 2 s, the next begins at 3 s. Use without_silence"):
        trees.noise(cz.Tree.from_brackets(MAN, [(0, 1), (1, 2), (3, 4), (4, 5)]), 0.5, seed=1)


def test_insertion_by_hand():
    # b    0   2       10          r  .1  .6      cut  .25  .5, of which the second is not used
    # b'   0 .5 2      10
    perturbed = trees.insert(tree("(S (NP (DT the)) (NN man))", 0, 2, 10), 0.6, seed=Fixed([0.1, 0.6], [0.25, 0.5]))
    assert perturbed.brackets == "(S (NP (DT the_1) (DT the_2)) (NN man))"
    assert edges(perturbed) == [0, 0.5, 2, 10]


def test_a_split_root_word_stays_the_parent_of_its_halves():
    perturbed = trees.insert(tree("(UH yes)", 1, 2), 1, seed=Fixed([0.9], [0.5]))
    assert (perturbed.brackets, edges(perturbed)) == ("(UH (UH yes_1) (UH yes_2))", [1, 1.5, 2])


def test_a_cut_at_the_edge_is_moved_inside():
    perturbed = trees.insert(tree("(S (A a))", 3, 4), 1, seed=Fixed([0.0], [0.0]))
    assert edges(perturbed) == [3, math.nextafter(3, 4), 4]


def test_insertion_is_as_frequent_as_delta_and_uniform():
    perturbed = trees.insert(flat(4000), 0.3, seed=3)
    cuts = [edge % 1 for edge in edges(perturbed) if edge % 1]
    assert is_likely(len(cuts), 4000, 0.3)
    for quarter in range(4):
        assert is_likely(sum(quarter / 4 <= cut < (quarter + 1) / 4 for cut in cuts), len(cuts), 1 / 4)


@few
@given(spoken(), shares, seeds)
def test_insertion_only_adds(sentence, delta, seed):
    perturbed = trees.insert(sentence, delta, seed=seed)
    check(perturbed)
    words = {tuple(span) for span in sentence.times.tolist()}
    before, after = (Counter(map(tuple, side.spans.tolist())) for side in (sentence, perturbed))
    # All brackets are kept except those of single words, which become two.
    assert all(span in words for span in before - after)
    assert set(sentence.times.ravel().tolist()) <= set(perturbed.times.ravel().tolist())
    assert sentence.length <= perturbed.length <= 2 * sentence.length


@pytest.mark.parametrize(
    ("brackets", "draws", "expected"),
    [
        # the | man ate | rice: the rule's own example
        (MAN, [0.9, 0.1, 0.9], "(S (NP (DT the)) (NN man_ate) (VP (NP (NN rice))))"),
        # the man | ate rice: the lowest node over the run is the NP, or the VP; nodes that lose all words vanish
        (MAN, [0.1, 0.9, 0.1], "(S (NP (DT the_man)) (VP (VBD ate_rice)))"),
        # the | man ate rice: a run of three
        (MAN, [0.9, 0.1, 0.1], "(S (NP (DT the)) (NN man_ate_rice))"),
        (MAN, [0.1, 0.1, 0.1], "(S (DT the_man_ate_rice))"),
        (MAN, [0.5, 0.5, 0.5], MAN),
        ("(UH yes)", [], "(UH yes)"),
    ],
)
def test_deletion_by_hand(brackets, draws, expected):
    n = len(draws) + 1
    perturbed = trees.delete(tree(brackets, *range(n + 1)), 0.5, seed=Fixed(draws))
    assert perturbed.brackets == expected
    assert edges(perturbed) == [0, *(i + 1 for i, r in enumerate(draws) if r >= 0.5), n]


def test_deletion_is_as_frequent_as_delta():
    assert is_likely(4001 - trees.delete(flat(4001), 0.3, seed=1).length, 4000, 0.3)


@few
@given(spoken(), shares, seeds)
def test_deletion_creates_no_new_edges(sentence, delta, seed):
    perturbed = trees.delete(sentence, delta, seed=seed)
    check(perturbed)
    assert set(perturbed.times.ravel().tolist()) <= set(sentence.times.ravel().tolist())
    assert "_".join(perturbed.words) == "_".join(sentence.words)


@given(sentences(), st.data())
def test_joined_words_match_the_definition(roots, data):
    n = len(oracle.leaves(roots))
    boundaries = data.draw(st.sets(st.integers(1, n - 1))) if n > 1 else set()
    perturbed = join_words(cz.Tree.from_brackets(oracle.to_brackets(roots)), boundaries)
    assert perturbed == cz.Tree.from_brackets(oracle.to_brackets(oracle.join(roots, boundaries)))


@given(sentences(), st.data())
def test_split_words_match_the_definition(roots, data):
    n = len(oracle.leaves(roots))
    cut = data.draw(st.sets(st.integers(0, n - 1)))
    sentence = tree(oracle.to_brackets(roots), *range(n + 1))
    perturbed = split_words(sentence, [(word, word + 0.5) for word in sorted(cut)])
    assert perturbed.brackets == oracle.to_brackets(oracle.split(roots, cut))
    assert edges(perturbed) == sorted([*range(n + 1), *(word + 0.5 for word in cut)])


SPOKEN = [
    cz.Tree.from_brackets(MAN, [(0, 1), (1, 3), (3.5, 4), (4, 8)]),
    cz.Tree.from_brackets("(ROOT (S (NP (PRP he)) (VP (VBD slept))))", [(0.5, 1), (1, 2)]),
]


def test_delta_0_scores_the_original_trees():
    wrong = [SPOKEN[0], cz.Tree.from_brackets("(S (PRP he) (VP (VBD slept)))", SPOKEN[1].times)]
    quiet = [[trees.without_silence(sentence) for sentence in side] for side in (SPOKEN, wrong)]
    expected = cz.struct_iou_corpus(*quiet)
    for point in trees.perturbation_curve(SPOKEN, wrong, deltas=[0], repeats=2, seed=1).points:
        assert (point.mean, point.deviation) == (pytest.approx(expected.mean), 0)
        assert (point.corpus, point.corpus_deviation) == (pytest.approx(expected.total.value), 0)


def test_deletion_with_delta_1_leaves_one_word():
    # (S (DT the_man_ate_rice)) of 7.5 s: its S matches one of 8 nodes, and its DT a word of one second;
    # (ROOT (S (PRP he_slept))) of 1.5 s: ROOT and S match two of 6 nodes, and PRP a word of half a second
    (point,) = trees.perturbation_curve(SPOKEN, kinds=["delete"], deltas=[1], repeats=3, seed=1).points
    sums, nodes = (1 + 1 / 7.5, 2 + 0.5 / 1.5), (8 + 2, 6 + 3)
    assert point.mean == pytest.approx(sum(2 * s / n for s, n in zip(sums, nodes, strict=True)) / 2)
    assert point.corpus == pytest.approx(2 * sum(sums) / sum(nodes))
    assert point.deviation == pytest.approx(0)


def test_values_do_not_depend_on_other_kinds_and_deltas():
    whole = trees.perturbation_curve(SPOKEN, deltas=[0.2, 0.7], repeats=2, seed=5)
    reordered = trees.perturbation_curve(SPOKEN, kinds=["delete", "noise"], deltas=[0.7, 0.5, 0.2], repeats=2, seed=5)
    for kind in ("noise", "delete"):
        assert {point for point in reordered.of_kind(kind) if point.delta != 0.5} == set(whole.of_kind(kind))
    assert whole != trees.perturbation_curve(SPOKEN, deltas=[0.2, 0.7], repeats=2, seed=6)


def test_mean_and_deviation_are_over_repeats():
    single = trees.perturbation_curve(SPOKEN, deltas=[0.5], repeats=1, seed=2).points
    double = trees.perturbation_curve(SPOKEN, deltas=[0.5], repeats=2, seed=2).points
    for first, both in zip(single, double, strict=True):
        assert first.deviation == first.corpus_deviation == 0
        # The first and the second value are equally far from their mean.
        assert both.deviation == pytest.approx(abs(first.mean - both.mean))
        assert both.corpus_deviation == pytest.approx(abs(first.corpus - both.corpus))
    assert any(both.deviation > 0.001 for both in double)


def test_seed_progress_signature_and_json():
    steps: list[tuple[int, int]] = []
    with on_progress(lambda *step: steps.append(step)):
        curve = trees.perturbation_curve(SPOKEN, deltas=[0, 1], repeats=2)
    assert steps == [(step, 12) for step in range(1, 13)]
    repeat = trees.perturbation_curve(SPOKEN, deltas=[0, 1], repeats=2, seed=curve.seed)
    assert repeat == curve
    assert curve.signature == (
        f"perturbation_curve|measure:struct_iou|kinds:noise+insert+delete|deltas:0,1|sentences:2|repeats:2|seed:{curve.seed}"
        f"|caesura:{cz.__version__}"
    )
    assert json.loads(json.dumps(curve.to_dict()))["points"][0]["mean"] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trees.noise(SPOKEN[1], 1.5, seed=1), "delta must be a number from 0 to 1; got 1.5"),
        (lambda: trees.insert(SPOKEN[1], -0.1, seed=1), "delta must be a number from 0 to 1; got -0.1"),
        (lambda: trees.delete(SPOKEN[1], math.nan, seed=1), "delta must be a number; got nan"),
        (lambda: trees.delete(SPOKEN[1], 1, seed=-1), "seed must be a whole number"),
        (lambda: trees.delete(cz.Tree.from_brackets(MAN), 1, seed=1), "expected a tree with times"),
        (lambda: trees.insert("(S (A a))", 1, seed=1), "expected a Tree; got str"),
        (lambda: trees.perturbation_curve([]), "gold: expected at least one tree"),
        (lambda: trees.perturbation_curve([*SPOKEN, None]), "gold, sentence 3: expected a Tree; got NoneType"),
        (lambda: trees.perturbation_curve(SPOKEN, SPOKEN[:1]), "gold has 2, predicted has 1"),
        (lambda: trees.perturbation_curve(SPOKEN, SPOKEN[::-1]), "sentence 1: both trees must have the same word"),
        (lambda: trees.perturbation_curve(SPOKEN, kinds=["blur"]), "kinds must be one of 'noise', 'insert', 'delete'"),
        (lambda: trees.perturbation_curve(SPOKEN, kinds="noise"), "kinds must be a list; got 'noise'"),
        (lambda: trees.perturbation_curve(SPOKEN, deltas=[]), "deltas: expected at least one"),
        (lambda: trees.perturbation_curve(SPOKEN, deltas=[2]), "deltas must be a number from 0 to 1; got 2"),
        (lambda: trees.perturbation_curve(SPOKEN, repeats=0), "repeats must be a whole number of at least 1"),
        (lambda: trees.perturbation_curve(SPOKEN, measure="pk"), "measure must compare trees, like struct_iou"),
        (lambda: trees.perturbation_curve(SPOKEN, seed="x"), "seed must be a whole number"),
        (lambda: trees.perturbation_curve(SPOKEN, deltas=[1], repeats=1).of_kind("blur"), "no kind 'blur'; choose"),
        (lambda: ambiguity.plausible_trees(0), "n must be a whole number of at least 1"),
        (lambda: ambiguity.ambiguity(1), "n must be a whole number of at least 2"),
        (lambda: ambiguity.ambiguity(11), "n must be a whole number of at most 10"),
        (lambda: ambiguity.ambiguity(2, random_trees=0), "random_trees must be a whole number of at least 1"),
        (lambda: ambiguity.random_tree([], seed=1), "words: expected at least one"),
        (lambda: trees.by_length([0.5]), "corpus: expected the result of struct_iou_corpus; got list"),
        (lambda: trees.correlation(SPOKEN, SPOKEN), "2 sentences make 0 of 10. Use a smaller size"),
        (lambda: trees.correlation(SPOKEN, SPOKEN, samples=5), "size must be at most the number of sentences, 2"),
        (lambda: trees.correlation(SPOKEN, SPOKEN, samples=2), "samples must be a whole number of at least 3"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises((OptionError, MismatchError), match=message):
        call()


def test_a_word_that_is_too_short_after_silence_is_an_error():
    lost = cz.Tree.from_brackets("(S (A a) (B b))", [(-1, -0.9), (0, 1e-300)])
    with pytest.raises(TreeError, match="gold, sentence 1: word 2 'b': must take time"):
        trees.perturbation_curve([lost])


Brackets = frozenset[tuple[int, int]]


@cache
def parses(symbol: str, start: int, end: int) -> tuple[Brackets, ...]:
    """Return the brackets over two or more words of each derivation of words start .. end - 1 of N P N P N ..."""
    if end - start == 1:
        return (frozenset(),) if symbol == ("P" if start % 2 else "NP") else ()
    if symbol == "P":
        return ()
    left, right = {"NP": ("NP", "PP"), "PP": ("P", "NP")}[symbol]
    return tuple(
        frozenset({(start, end)}) | a | b
        for middle in range(start + 1, end)
        for a in parses(left, start, middle)
        for b in parses(right, middle, end)
    )


def brackets_of(sentence: cz.Tree) -> Brackets:
    return frozenset((node.start, node.end) for node in sentence.nodes if node.end - node.start > 1)


def f1(a: Brackets, b: Brackets) -> float:
    return 2 * len(a & b) / (len(a) + len(b))


@pytest.mark.parametrize("n", range(1, 7))
def test_plausible_trees_are_all_parses(n):
    listed = ambiguity.plausible_trees(n)
    assert len(listed) == math.comb(2 * n, n) // (n + 1)
    assert Counter(map(brackets_of, listed)) == Counter(parses("NP", 0, 2 * n + 1))
    assert {parse.words for parse in listed} == {("N", "P") * n + ("N",)}
    assert {len(parse) for parse in listed} == {4 * n + 1}


@pytest.mark.parametrize("n", range(2, 7))
def test_lowest_scores_by_exhaustive_search(n):
    result, listed = ambiguity.ambiguity(n, random_trees=1, seed=1), ambiguity.plausible_trees(n)
    iou = np.full((len(listed), len(listed)), np.inf)
    pairs = list(combinations(range(len(listed)), 2))
    scored = cz.score_many([(listed[a], listed[b]) for a, b in pairs], "struct_iou(unlabelled=True)").values
    for (a, b), value in zip(pairs, scored.tolist(), strict=True):
        iou[a, b] = iou[b, a] = value
    assert result.lowest_iou.tolist() == iou.min(axis=1).tolist()
    sets = [brackets_of(parse) for parse in listed]
    assert result.lowest_f1.tolist() == [min(f1(a, b) for b in sets if b != a) for a in sets]


def random_brackets(words: int) -> list[Brackets]:
    """Return the brackets of every order in which gaps between words can close. All orders are equally likely."""
    bracket_sets = []
    for order in permutations(range(1, words)):
        groups = [(i, i + 1) for i in range(words)]
        brackets = set()
        for gap in order:
            left = next(g for g in groups if g[1] == gap)
            right = next(g for g in groups if g[0] == gap)
            joined = (left[0], right[1])
            brackets.add(joined)
            groups = [g for g in groups if g not in (left, right)] + [joined]
        bracket_sets.append(frozenset(brackets))
    return bracket_sets


@pytest.mark.parametrize("n", [2, 3])
def test_expected_f1_by_every_order(n):
    random_sets = random_brackets(2 * n + 1)
    sets = [brackets_of(parse) for parse in ambiguity.plausible_trees(n)]
    expected = [np.mean([f1(parse, random_set) for random_set in random_sets]) for parse in sets]
    assert ambiguity.ambiguity(n, random_trees=1, seed=1).random_f1 == pytest.approx(expected, abs=1e-12)


def test_random_trees_have_the_frequency_of_their_orders():
    """Of the six orders in which three gaps close, two give ((ab)(cd)), and one gives each of the four others."""
    rng = np.random.default_rng(7)
    counts = Counter(brackets_of(ambiguity.random_tree("abcd", seed=rng)) for _ in range(2000))
    for brackets, orders in Counter(random_brackets(4)).items():
        assert is_likely(counts.pop(brackets), 2000, orders / 6)
    assert not counts
    assert ambiguity.random_tree("a", seed=1).brackets == "(X a)"


def test_the_mean_over_random_trees():
    result, listed = ambiguity.ambiguity(3, random_trees=4, seed=11), ambiguity.plausible_trees(3)
    rng = np.random.default_rng(11)
    sample = [ambiguity.random_tree("NPNPNPN", seed=rng) for _ in range(4)]
    expected = [np.mean([cz.struct_iou(parse, random, unlabelled=True).value for random in sample]) for parse in listed]
    assert result.random_iou == pytest.approx(expected)


@pytest.mark.slow
def test_table_1():
    """The paper prints 63.6 as the lowest Struct-IoU. The authors' program also computes 19/33."""
    result = ambiguity.ambiguity(random_trees=1, seed=1)
    assert result.trees == 1430
    assert set(result.lowest_f1.tolist()) == {2 / 16}
    assert set(result.lowest_iou.tolist()) == {19 / 33}
    assert (round(result.random_f1.min(), 3), round(result.random_f1.max(), 3)) == (0.152, 0.315)
    table = ambiguity_table(result)
    assert [row[4] for row in table.rows] == [12.5, 63.6, 27.3, 61.9]
    assert table.rows[1][2:4] == pytest.approx((1900 / 33, 1900 / 33))
    assert ambiguity_table(ambiguity.ambiguity(2, random_trees=1, seed=1)).rows[0][4] is None
    assert len(json.loads(json.dumps(result.to_dict()))["random_iou"]) == 1430


def test_levels_by_length_are_those_of_the_shorter_sentences():
    check_levels_by_length(*two_random_parsers(60, seed=1))


def test_requested_lengths():
    corpus = cz.struct_iou_corpus(SPOKEN, SPOKEN)
    rows = trees.by_length(corpus, [3, 1, 9])
    expected = [(3, 1, 1, 1), (1, 0, None, None), (9, 2, 1, 1)]
    assert [(row.length, row.sentences, row.mean, row.corpus) for row in rows] == expected
    assert rows[0].to_dict() == {"length": 3, "sentences": 1, "mean": 1, "corpus": 1}


def test_samples_of_one_sentence():
    check_samples_of_one_sentence(*two_random_parsers(60, seed=2))


def test_samples_of_ten_sentences():
    check_samples_of_ten_sentences(*two_random_parsers(203, seed=3))


def test_sentences_that_cannot_be_compared_are_excluded_and_listed():
    texts = [
        "(S (NP (A a)) (B b))",
        "(S (NP (A a) (B b)))",
        "(S (NP (A a)) (VP (B b)))",
        "(S (NP (A a)) (VP (VP (B b))))",
    ]
    predicted = [cz.Tree.from_brackets("(S (NP (A a)) (VP (B b)))")] * 4
    gold = [None, *map(cz.Tree.from_brackets, texts), tree("(S (A a))", 0, 1), tree("(S (A a) (B b))", 0, 1, 2)]
    odd = [tree("(S (A a) (B b))", 0, 0.5, 1), tree("(S (A a) (B b))", 0, 1, 2)]
    result = trees.correlation(gold, [predicted[0], *predicted, *odd], size=1, seed=1)
    assert (result.sentences, [entry.item for entry in result.excluded]) == (5, ["1", "6"])
    assert result.excluded[1].reason.endswith("the same words after deletion; gold has 1, predicted has 2")


def test_constant_scores_have_no_correlation():
    same = [cz.Tree.from_brackets("(UH yes)")] * 3
    with pytest.raises(Undefined, match="Struct-IoU is the same in all 3 samples"):
        trees.correlation(same, same, size=1, seed=1)
    predicted = [cz.Tree.from_brackets(f"({label} yes)") for label in ("UH", "NN", "UH")]
    with pytest.raises(Undefined, match="F1 is the same in all 3 samples"):
        trees.correlation(same, predicted, size=1, seed=1)
