"""PARSEVAL by hand, step by step; against a naive oracle; over a test set; and two parsers compared."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
import oracle.parseval as oracle
from caesura.errors import MismatchError, OptionError, Undefined
from caesura.model.result import Excluded
from caesura.views.trees import label_table, parser_table, sentence_table, summary_table
from support.examples import examples
from support.strategies import trees

tree = cz.Tree.from_brackets


def test_pair_by_hand():
    """The man is seen with dogs, or has them.

    gold       (S (NP I) (VP saw (NP a man) (PP with (NP dogs))))          6 brackets
    predicted  (S (NP I) (VP saw (NP (NP a man) (PP with (NP dogs)))))     7, of which "a man with dogs" is wrong
    """
    gold = tree("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NNS dogs)))) (. .))")
    predicted = tree("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (TO with) (NP (NNS dogs))))) (. !))")
    score = cz.parseval(gold, predicted)
    assert dict(score.parts) == {
        "matched": 6,
        "gold": 6,
        "predicted": 7,
        "unlabelled_matched": 6,
        "crossing": 0,
        "words": 6,
        "correct_tags": 5,
        "sentences": 1,
        "complete": 0,
        "unlabelled_complete": 0,
        "no_crossing": 1,
        "two_or_less_crossing": 1,
    }
    assert (score.recall(), score.precision(), score.value) == (1, 6 / 7, 12 / 13)
    assert score.parts["f"] == score.value == pytest.approx(score.f())
    assert score.parts["tagging_accuracy"] == 5 / 6


QUOTES = {"quote_labels": ["''", "POS"]}
EQUAL = {"equal_labels": [("A", "B"), ("C", "B")]}
DELETED = {"delete_labels": ["X"], "equal_labels": [("X", "Y")]}
POSSESSIVE = "(S (NP (NP (DT the) (NNS boys) (POS ')) (NN dog)) (VP (VBD barked)))"


@pytest.mark.parametrize(
    ("gold", "predicted", "options", "expected"),
    [
        # words are deleted with the brackets that have nothing left to stand over
        ("(S (NP (-NONE- *)) (VP (VB go)))", "(S (VP (VB go)))", {}, (2, 2, 2)),
        ("(S (NP (NP (-NONE- *)) (, ,)) (VP (VB go)))", "(S (VP (VB go)))", {}, (2, 2, 2)),
        ("(S (NP (-NONE- *)) (VP (VB go)))", "(S (NP (-NONE- *)) (VP (VB go)))", {"delete_labels": []}, (3, 3, 3)),
        # where punctuation is attached does not matter
        ("(S (NP (NN a)) (, ,) (VP (VB b)))", "(S (NP (NN a) (, ,)) (VP (VB b)))", {}, (3, 3, 3)),
        # labels are truncated before deletion: TOP-X is TOP and goes; a bracket -NONE- is cut to nothing, and stays
        ("(TOP-X (S (NN a) (NN b)))", "(S (NN a) (NN b))", {}, (1, 1, 1)),
        ("(-NONE- (NN a) (NN b))", "( (NN a) (NN b))", {}, (1, 1, 1)),
        ("(S (TOP-X a) (NN b))", "(S (NN a) (NN b))", {}, (1, 1, 1)),  # a tag TOP-X is no TOP
        # a deleted bracket keeps its words
        ("(TOP (S (TOP (NP (NN a)) (VP (VB b)))))", "(S (NP (NN a)) (VP (VB b)))", {}, (3, 3, 3)),
        # brackets match one to one: three NPs over one word against two of them, and an S between
        ("(NP (NP (NP (NN a))))", "(NP (S (NP (NN a))))", {}, (2, 3, 3)),
        ("(NP (NP (NP (NN a))))", "(NP (S (NP (NN a))))", {"labelled": False}, (3, 3, 3)),
        # equal labels apply to deletion too, and are not transitive
        ("(Y (NN a) (NN b))", "(S (NN a) (NN b))", DELETED, (0, 0, 1)),
        ("(A (NN a))", "(B (NN a))", EQUAL, (1, 1, 1)),
        ("(B (NN a))", "(A (NN a))", EQUAL, (1, 1, 1)),
        ("(A (NN a))", "(C (NN a))", EQUAL, (0, 1, 1)),
        # gold brackets are matched in order: B takes the A that A would need
        ("(B (A (NN a)))", "(A (C (NN a)))", EQUAL, (1, 2, 2)),
        ("(B (A (NN a)))", "(C (A (NN a)))", EQUAL, (2, 2, 2)),
        # several roots
        ("(NP (NN a)) (VP (VB b))", "(S (NP (NN a)) (VP (VB b)))", {}, (2, 2, 3)),
        # a restored quote keeps its position, here outside the inner NP, and the bracket around it is restored
        (POSSESSIVE, "(S (NP (NP (DT the) (NNS boys)) ('' ') (NN dog)) (VP (VBD barked)))", QUOTES, (3, 4, 4)),
        ("(S (NP (NN a)) (X ('' ')))", "(S (NP (NN a)) (X (POS ')))", QUOTES, (3, 3, 3)),
    ],
)
def test_matched_gold_and_predicted_brackets(gold, predicted, options, expected):
    parts = cz.parseval(tree(gold), tree(predicted), **options).parts
    assert (parts["matched"], parts["gold"], parts["predicted"]) == expected


def test_tags_are_not_truncated_and_are_equal_like_labels():
    gold, predicted = tree("(S (NP-SBJ-1 (NN-X a)) (VP=2 (VB b)))"), tree("(S-TPC (NP=3-4 (NN-Y a)) (VP-Q (VB b)))")
    parts = cz.parseval(gold, predicted).parts
    assert (parts["matched"], parts["gold"], parts["predicted"], parts["correct_tags"]) == (3, 3, 3, 1)
    assert cz.parseval(tree("(S (A a) (A b))"), tree("(S (B a) (C b))"), **EQUAL).parts["correct_tags"] == 1
    assert cz.parseval(tree("(S (Y a) (X b))"), tree("(S (Y a))"), **DELETED).parts["words"] == 1


def test_equal_words():
    gold, predicted = tree("(S (NN This) (VB is))"), tree("(S (NN this) (VB is))")
    assert cz.parseval(gold, predicted, equal_words=[("this", "This")]).value == 1
    with pytest.raises(MismatchError, match="same words; word 1 is 'This' and 'this'"):
        cz.parseval(gold, predicted)


def test_crossing():
    """Each predicted bracket that cuts through a gold one counts once, whatever the labels.

                a b c d e f
    gold        |-x-| |y|
    predicted     |-z-|         cuts both
                  |x|           lies inside
    """
    gold = tree("(S (x (N a) (N b) (N c)) (y (N d) (N e)) (N f))")
    predicted = tree("(S (N a) (z (x (N b) (N c)) (N d)) (N e) (N f))")
    assert cz.parseval(gold, predicted).parts["crossing"] == 1  # z, b to d, cuts both x and y
    assert cz.parseval(predicted, gold).parts["crossing"] == 2  # seen from there, x and y are the ones that cut
    assert cz.parseval(gold, predicted, delete_labels=["z"]).parts["crossing"] == 0
    assert cz.parseval(gold, predicted, delete_labels=["x", "y"]).parts["crossing"] == 0


def test_crossing_brackets_are_counted():
    """Four words after each other in pairs: b c, d e, f g against a b, c d, e f, g h."""
    words = [f"(N {c})" for c in "abcdefgh"]
    pairs = [f"(x {words[i]} {words[i + 1]})" for i in range(0, 8, 2)]
    moved = [f"(x {words[i]} {words[i + 1]})" for i in range(1, 7, 2)]
    parts = cz.parseval(tree(f"(S {' '.join(pairs)})"), tree(f"(S {words[0]} {' '.join(moved)} {words[7]})")).parts
    assert (parts["crossing"], parts["no_crossing"], parts["two_or_less_crossing"]) == (3, 0, 0)


def test_quote_deleted_on_one_side_is_restored():
    """The gold says the boys' is a possessive, the prediction a quote; the NP grows by it again.

    gold       (S (NP (NP the boys (POS ')) dog) barked)
    predicted  (S (NP (NP the boys ('' ')) dog) barked)
    """
    predicted = POSSESSIVE.replace("POS", "''")
    for pair in ((POSSESSIVE, predicted), (predicted, POSSESSIVE)):
        with pytest.raises(MismatchError, match="same words after deletion"):
            cz.parseval(*map(tree, pair))
        score = cz.parseval(*map(tree, pair), **QUOTES)
        assert (score.value, score.parts["words"], score.parts["correct_tags"]) == (1, 5, 4)


def test_quotes_stay_deleted_if_word_counts_are_equal():
    """One quote each, in other places: nothing comes back, and the words differ."""
    gold, predicted = "(S (POS ') (NN a) ('' '))", "(S ('' ') (NN a) (POS '))"
    with pytest.raises(MismatchError, match='word 1 is "\'" and'):
        cz.parseval(tree(gold), tree(predicted), **QUOTES)


def test_only_quotes_are_restored():
    for word in ("x", "''", "`"):
        with pytest.raises(MismatchError):
            cz.parseval(tree(f"(S (NN a) (POS {word}))"), tree(f"(S (NN a) ('' {word}))"), **QUOTES)
    assert cz.parseval(tree("(S (NN a) (POS /))"), tree("(S (NN a) ('' /))"), **QUOTES).parts["words"] == 2


def test_restored_quotes_make_the_measure_asymmetric():
    """EVALB lets a gold quote come back once for every predicted quote behind the other."""
    first_tree, second_tree = tree("(S (`` ') (N a))"), tree("(S (POS ') (POS ') (N a))")
    options = {"quote_labels": ["``", "POS"]}
    assert cz.parseval(first_tree, second_tree, **options).parts["words"] == 3
    with pytest.raises(MismatchError, match="gold has 3, predicted has 2"):
        cz.parseval(second_tree, first_tree, **options)


def test_unscorable_items_are_listed_and_excluded_from_the_total():
    fine = tree("(S (NN a) (NN b))")
    pairs = [(fine, fine), (fine, tree("(S (NN a))")), (fine, tree("(S (. a) (. b))")), (fine, None), (fine, "(S)")]
    scores = cz.score_many(pairs, "parseval")
    expected = {1: MismatchError, 2: Undefined, 3: MismatchError, 4: MismatchError}
    assert {i: type(problem) for i, problem in scores.errors.items()} == expected
    assert str(scores.errors[1]) == "both sides must have the same words after deletion; gold has 2, predicted has 1"
    assert str(scores.errors[2]) == "predicted: no words are left, because all tags are in delete_labels"
    assert str(scores.errors[3]) == "predicted: there is no tree"
    assert scores.total == cz.parseval(fine, fine)


def test_no_bracket_on_either_side():
    score = cz.parseval(tree("(NN a) (NN b)"), tree("(NN a) (NN b)"))
    assert (score.value, score.precision(), score.recall(), score.parts["complete"]) == (1, 1, 1, 1)
    one_sided = cz.parseval(tree("(S (NN a))"), tree("(NN a)"))
    assert (one_sided.value, one_sided.precision(), one_sided.recall()) == (0, 0, 0)


def test_measure_ignores_the_order_of_labels():
    measure = cz.parse("parseval(delete_labels=('b', 'a', 'a'), equal_labels=(('y', 'x'), ('z', 'z')))")
    assert measure == cz.parse("parseval(equal_labels=[['x', 'y']], delete_labels=['a', 'b'])")
    assert repr(measure) == "parseval(delete_labels=('a', 'b'), equal_labels=(('x', 'y'),))"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delete_labels": "TOP"}, "delete_labels must be a list of labels, such as ['TOP', ',']; got 'TOP'"),
        ({"quote_labels": [1]}, "quote_labels must be a list of labels, such as ['TOP', ',']; got [1]"),
        ({"equal_labels": ("A", "B")}, "equal_labels must be a list of pairs, such as [('ADVP', 'PRT')]"),
        ({"equal_words": 3}, "equal_words must be a list of pairs, such as [('ADVP', 'PRT')]; got 3"),
        ({"labelled": 1}, "labelled must be True or False; got 1"),
        ({"cutoff": -1}, "cutoff must be a whole number of at least 0; got -1"),
        ({"label": True}, "parseval has no option 'label'; did you mean 'labelled'?"),
    ],
)
def test_invalid_options(options, message):
    trees = [tree("(S (NN a))")]
    with pytest.raises(OptionError) as caught:
        cz.parseval_corpus(trees, trees, **options)
    assert str(caught.value).startswith(message)


def test_options_override_the_parameter_file(tmp_path: Path):
    (tmp_path / "x.prm").write_text("DELETE_LABEL X\nLABELED 0\n")
    gold, predicted = tree("(X (NN a) (. .))"), tree("(Y (NN a) (. .))")
    param = tmp_path / "x.prm"
    empty = dict.fromkeys(("delete_labels_for_length", "equal_labels", "equal_words", "quote_labels"), ())
    expected = {"labelled": False, "delete_labels": ("X",), "cutoff": 40, **empty}
    assert dict(cz.parseval(gold, predicted, param=param).params) == expected
    params = cz.parseval(gold, predicted, param=param, labelled=True, delete_labels=[]).params
    assert (params["labelled"], params["delete_labels"]) == (True, ())


WORDS = ["a", "'", '"', "/", "b"]
LABELS = ["NP", "NP-SBJ", "VP=2", "TOP", "ADVP", "PRT", "-X-", "", "X"]
TAGS = ["NN", "NN", "``", "''", "POS", ",", "ADVP", "X"]
POSSIBLE = {
    "delete": ["TOP", "``", "''", ",", "X"],
    "equal_labels": [("ADVP", "PRT"), ("PRT", "NP"), ("X", "VP"), ("NN", "POS")],
    "quotes": ["``", "''", "POS", "NN"],
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[cz.Tree, cz.Tree, oracle.Options]:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    gold, predicted = (draw(trees(words, labels=LABELS, tags=TAGS, max_brackets=6)) for _ in range(2))
    options = {name: draw(st.lists(st.sampled_from(values), unique=True)) for name, values in POSSIBLE.items()}
    equal_words = draw(st.sampled_from([[], [("a", "b")], [("'", '"'), ("b", "'")]]))
    return gold, predicted, oracle.Options(draw(st.booleans()), equal_words=equal_words, **options)


@examples(90)
@given(cases())
def test_against_the_oracle(case):
    gold, predicted, options = case
    measure = cz.measures()["parseval"](
        labelled=options.labelled,
        delete_labels=options.delete,
        equal_labels=options.equal_labels,
        equal_words=options.equal_words,
        quote_labels=options.quotes,
    )
    expected = oracle.parseval(gold.brackets, predicted.brackets, options)
    if isinstance(expected, int):
        with pytest.raises({1: MismatchError, 2: Undefined}[expected]):
            measure.score(gold, predicted)
        return
    parts = measure.score(gold, predicted).parts
    assert {name: parts[name] for name in expected} == expected
    options.labelled = False
    assert parts["unlabelled_matched"] == oracle.parseval(gold.brackets, predicted.brackets, options)["matched"]
    assert parts["complete"] == (expected["matched"] == expected["gold"] == expected["predicted"])
    if not options.quotes:
        swapped = measure.score(predicted, gold).parts
        assert (swapped["matched"], swapped["gold"]) == (expected["matched"], expected["predicted"])


def test_long_sentences():
    """Right- against left-branching: the whole and the inner pair of words are common, every other bracket crosses.

    gold       (S w (S w (S w ... (S w w))))
    predicted  (S (S (S (S w w) ...) w) w)
    """
    n = 20_000
    gold = tree("(S (N w) " * (n - 1) + "(N w)" + ")" * (n - 1))
    predicted = tree("(S " * (n - 1) + "(N w)" + " (N w))" * (n - 1))
    parts = cz.parseval(gold, predicted).parts
    assert (parts["gold"], parts["predicted"], parts["matched"]) == (n - 1, n - 1, 1)
    assert parts["crossing"] == n - 2


def test_deep_unary_chain():
    n = 20_000
    first_tree, second_tree = (tree(f"({label} " * n + "(N w)" + ")" * n) for label in ("ADVP", "X"))
    assert cz.parseval(first_tree, second_tree).parts["matched"] == 0
    assert cz.parseval(first_tree, second_tree).parts["unlabelled_matched"] == n
    assert cz.parseval(first_tree, tree("(PRT " * n + "(N w)" + ")" * n)).parts["matched"] == n


def test_many_quotes_in_one_place():
    """Kept on one side, deleted on the other, thousands of them."""
    n = 5000
    first_tree, second_tree = (tree("(S (N a) " + f"({tag} ') " * n + ")") for tag in ("POS", "''"))
    for pair in ((first_tree, second_tree), (second_tree, first_tree)):
        assert cz.parseval(*pair, **QUOTES).parts["words"] == n + 1
    with pytest.raises(MismatchError):
        cz.parseval(tree("(S (N a) " + "('' ') " * n + "(N b))"), tree("(S (N a) " + "('' ') " * n + ")"), **QUOTES)


GOLD = [
    "(TOP (S (NP-SBJ (PRP He)) (VP (VBD got) (PRT (RP up))) (. .)))",
    "(S (NP (DT The) (NN dog)) (VP (VBD ran)))",
    "(S (NP (-NONE- *)) (VP (VB Go)) (. !))",
    "(S (NP (PRP We)) (VP (VBD won)))",
    None,
    None,
]
PREDICTED = [
    "(S (NP (PRP He)) (VP (VBD got) (ADVP (RB up))) (. .))",
    "(S (NP (DT The)) (VP (VBD ran)))",
    "(S (VP (VB Go)) (. !))",
    None,
    "(S (NN a))",
    "(. .)",
]


def corpus_result(**options) -> cz.ParsevalResult:
    gold, predicted = ([None if text is None else tree(text) for text in side] for side in (GOLD, PREDICTED))
    return cz.parseval_corpus(gold, predicted, **options)


def test_rows_of_a_test_set():
    rows = corpus_result().sentences
    expected = [(1, 4, 0), (2, 3, 1), (3, 2, 0), (4, 2, 2), (5, 0, 1), (6, 0, 2)]
    assert [(row.number, row.length, row.status) for row in rows] == expected
    assert [row.reason for row in rows] == [
        None,
        "both sides must have the same words after deletion; gold has 3, predicted has 2; word 2 is 'dog' and 'ran'",
        None,
        "predicted: there is no tree",
        "gold: there is no tree",
        "gold: there is no tree",
    ]
    first = rows[0]
    assert (first.matched, first.gold, first.predicted, first.words, first.correct_tags) == (4, 4, 4, 3, 2)
    assert (first.recall, first.precision, first.tagging_accuracy) == (1, 1, 2 / 3)
    assert (rows[1].recall, rows[1].precision, rows[1].tagging_accuracy, rows[1].matched) == (None, None, None, 0)
    # the full stop of "Go !" is gone, its tag being one: (S (VP Go))
    assert (rows[2].gold, rows[2].predicted, rows[2].words) == (2, 2, 1)


def test_summaries_of_a_test_set():
    result = corpus_result(equal_labels=[], cutoff=2)
    everything, short = result.all, result.cutoff
    assert (everything.sentences, everything.errors, everything.skipped, everything.valid) == (6, 2, 2, 2)
    assert (short.sentences, short.errors, short.skipped, short.valid) == (4, 1, 2, 1)
    assert (everything.recall, everything.precision, everything.f) == (5 / 6, 5 / 6, 5 / 6)
    assert (everything.unlabelled_recall, everything.unlabelled_f, everything.unlabelled_complete) == (1, 1, 1)
    assert (everything.complete, everything.average_crossing, everything.no_crossing) == (0.5, 0, 1)
    assert (everything.tagging_accuracy, short.tagging_accuracy, short.f) == (3 / 4, 1, 1)
    assert result.total.value == everything.f
    assert result.total.documents == 2


def test_labels_of_a_test_set():
    """ADVP matches PRT: that is recall of PRT and precision of ADVP."""
    rows = {
        row.label: (row.gold, row.predicted, row.gold_matched, row.predicted_matched) for row in corpus_result().labels
    }
    expected = {"S": (2, 2, 2, 2), "VP": (2, 2, 2, 2), "NP": (1, 1, 1, 1), "PRT": (1, 0, 1, 0), "ADVP": (0, 1, 0, 1)}
    assert rows == expected
    shares = {row.label: (row.recall, row.precision, row.f) for row in corpus_result().labels}
    assert shares["PRT"] == (1, 0, 1)
    assert shares["ADVP"] == (0, 1, 1)
    unequal = {row.label: (row.recall, row.precision, row.f) for row in corpus_result(equal_labels=[]).labels}
    assert unequal["PRT"] == unequal["ADVP"] == (0, 0, 0)
    assert [row.label for row in corpus_result().labels] == ["S", "VP", "NP", "PRT", "ADVP"]


def test_test_set_without_a_valid_sentence():
    result = cz.parseval_corpus([tree("(S (NN a))")], [None])
    assert (result.all.valid, result.all.f, result.all.average_crossing, result.labels) == (0, None, None, ())
    with pytest.raises(Undefined, match="none of 1 sentences could be scored: sentence 1: predicted: there is no tree"):
        _ = result.total
    rows = {row[0]: row[1:] for row in summary_table(result).rows}
    assert rows["bracketing F"] == rows["average crossing"] == ("undefined", "undefined")
    assert rows["skipped sentences"] == (1, 1)
    assert cz.parseval_corpus([], []).all.sentences == 0


def test_incompatible_lists():
    first_tree = tree("(S (NN a))")
    with pytest.raises(MismatchError, match="both sides must have the same sentences; gold has 2, predicted has 1"):
        cz.parseval_corpus([first_tree, first_tree], [first_tree])
    with pytest.raises(MismatchError, match=r"gold\[0\]: expected a Tree or None; got str"):
        cz.parseval_corpus("wsj.mrg", [first_tree])


def test_test_set_as_json():
    plain = json.loads(json.dumps(corpus_result().to_dict(), allow_nan=False))
    assert plain["all"]["f"] == plain["cutoff"]["f"] == 1
    assert (plain["cutoff"]["max_length"], len(plain["sentences"])) == (40, 6)
    counts = {"gold": 1, "predicted": 0, "gold_matched": 1, "predicted_matched": 0}
    assert plain["labels"][3] == {"label": "PRT", **counts, "recall": 1, "precision": 0, "f": 1}
    assert json.loads(json.dumps(cz.parseval_corpus([None], [None]).to_dict()))["signature"] is None


def test_tables_of_a_test_set():
    result = corpus_result(cutoff=2)
    rows = {row[0]: row[1:] for row in summary_table(result).rows}
    assert rows["sentences"] == (6, 4)
    assert rows["bracketing F"] == (100, 100)
    assert rows["tagging accuracy"] == (75, 100)
    assert summary_table(result).columns == ("figure", "all", "len<=2")
    assert summary_table(result).notes[0].startswith("4 sentences are excluded from all figures")
    assert sentence_table(result).rows[0][:5] == (1, 4, 0, 100, 100)
    assert label_table(result.labels).rows[3] == ("PRT", 1, 0, 1, 0, 100, 0, 100)
    assert len(label_table(result.labels).notes) == 1
    assert label_table(result.labels[:3]).notes == ()


def randomly_parsed(number: int, seed: int) -> list[cz.Tree]:
    """Sentences of four words, each with one of five bracketings."""
    shapes = [
        "(S (A (N a) (N b)) (B (N c) (N d)))",
        "(S (A (N a) (B (N b) (N c) (N d))))",
        "(S (N a) (N b) (N c) (N d))",
        "(S (A (N a) (N b) (N c)) (N d))",
        "(S (B (A (N a) (N b)) (N c)) (N d))",
    ]
    rng = random.Random(seed)
    return [tree(rng.choice(shapes)) for _ in range(number)]


def test_a_parser_does_not_differ_from_itself():
    gold, predicted = randomly_parsed(30, 1), randomly_parsed(30, 2)
    (pair,) = cz.compare_parsers(gold, {"one": predicted, "other": list(predicted)}, seed=1, replicates=200).pairs
    assert (pair.difference, pair.randomisation, pair.bootstrap) == (0, 1, 1)
    assert (pair.wins, pair.ties, pair.losses) == (0, 30, 0)


def test_against_all_swaps():
    """Eight sentences: all 256 ways to swap the two parsers, from the oracle's counts."""
    gold, first_parses, second_parses = (randomly_parsed(8, seed) for seed in (1, 2, 3))
    mine, theirs = (
        [oracle.parseval(g.brackets, t.brackets, oracle.Options()) for g, t in zip(gold, predicted, strict=True)]
        for predicted in (first_parses, second_parses)
    )

    def f(rows: list[dict[str, int]]) -> float:
        return 2 * sum(row["matched"] for row in rows) / sum(row["gold"] + row["predicted"] for row in rows)

    difference = f(mine) - f(theirs)
    larger = 0
    for swap in itertools.product((False, True), repeat=8):
        first = [y if s else x for x, y, s in zip(mine, theirs, swap, strict=True)]
        second = [x if s else y for x, y, s in zip(mine, theirs, swap, strict=True)]
        larger += abs(f(first) - f(second)) >= abs(difference) - 1e-12
    (pair,) = cz.compare_parsers(gold, {"one": first_parses, "other": second_parses}, seed=1, replicates=300).pairs
    assert pair.difference == pytest.approx(difference)
    assert difference != 0
    assert pair.randomisation == larger / 256


def test_only_common_sentences_are_compared():
    gold, first_parses, second_parses = (randomly_parsed(12, seed) for seed in (1, 2, 3))
    there = [i for i in range(12) if i not in (2, 3, 5)]
    missing, wrong = list(first_parses), list(second_parses)
    missing[2] = None
    wrong[5] = tree("(S (N other) (N words))")
    without = [None if i == 3 else parse for i, parse in enumerate(gold)]
    comparison = cz.compare_parsers(without, {"one": missing, "other": wrong}, seed=7, replicates=200)
    (pair,) = comparison.pairs
    assert (comparison.sentences, pair.items, comparison.excluded_sentences(pair)) == (12, 9, 3)
    truth, first, second = ([trees[i] for i in there] for trees in (gold, first_parses, second_parses))
    (alone,) = cz.compare_parsers(truth, {"one": first, "other": second}, seed=7, replicates=200).pairs
    for name in ("difference", "interval", "bootstrap", "randomisation", "wins", "ties", "losses"):
        assert getattr(alone, name) == getattr(pair, name), name
    expected = (Excluded("04", "gold", "there is no tree"), Excluded("03", "one", "there is no tree"))
    assert comparison.excluded[:2] == expected
    assert (comparison.excluded[2].item, comparison.excluded[2].coder) == ("06", "other")
    assert comparison.excluded[2].reason.startswith("PARSEVAL F: both sides must have the same words")
    assert comparison.scores["one"].documents == 10
    table = parser_table(comparison)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["parsers"], row["sentences"], row["excluded"]) == ("one - other", 9, 3)
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["pairs"][0]["items"] == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parsers": {"one": []}}, "parsers must be a mapping from at least two names"),
        ({"measure": "pk"}, "measure must compare trees, like parseval; got pk"),
        ({"parsers": {"one": [], "two": []}}, "gold has 1, one has 0"),
        ({"parsers": {"one": [None], "two": [tree("(S (NN a))")]}}, "one: none of 1 sentences could be scored"),
        ({"replicates": 5}, "replicates must be a whole number of at least 100; got 5"),
    ],
)
def test_incomparable_parsers(arguments, message):
    trees = [tree("(S (NN a))")]
    with pytest.raises(cz.errors.InputError, match=message):
        cz.compare_parsers(**{"gold": trees, "parsers": {"one": trees, "two": trees}, **arguments})


def corpus() -> cz.Corpus:
    sentences = zip(randomly_parsed(5, 1), randomly_parsed(5, 2), strict=True)
    return cz.Corpus({str(i): {"a": gold, "b": predicted} for i, (gold, predicted) in enumerate(sentences)})


def test_pairs_of_coders():
    table = cz.pairwise(corpus(), "parseval")
    scores = cz.score_many([(corpus()[item, "a"], corpus()[item, "b"]) for item in corpus().item_names], "parseval")
    assert table.rows[0].value == scores.total.value
    assert table.matrix[0, 1] == table.matrix[1, 0]
    uneven = cz.pairwise(corpus(), cz.parse("parseval(quote_labels=['POS'])"))
    assert math.isnan(uneven.matrix[1, 0])
    assert np.isfinite(uneven.matrix[0, 1])


def test_agreement_is_the_mean_over_pairs_without_chance():
    result = cz.agreement(corpus(), measure="parseval", interval=None)
    assert (result.coefficient, result.expected) == ("mean", None)
    assert result.value == pytest.approx(cz.pairwise(corpus(), "parseval", ordered=True).mean)


def test_judging_rejects_trees():
    with pytest.raises(MismatchError, match="expected a Segmentation or a Dialogue; got Tree"):
        cz.judge(corpus(), ["b"], measures="parseval")
    text = cz.Segmentation.from_masses([2, 3])
    with pytest.raises(cz.errors.InputError, match="gold: expected a Tree; got Segmentation"):
        cz.judge(cz.Corpus({"x": {"a": text, "b": text, "c": text}}), ["c"], measures="parseval", seed=1)
