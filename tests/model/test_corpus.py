"""The corpus: items, coders and their annotations."""

from __future__ import annotations

import pickle
import re

import pytest

import caesura as cz
from caesura.errors import OptionError

first, second, third = (cz.Segmentation.from_masses(m) for m in ([2, 2], [1, 3], [3, 3]))

#           Ann   Bo
#   poem    one   two
#   letter        three
CORPUS = cz.Corpus({"poem": {"Ann": first, "Bo": second}, "letter": {"Bo": third}})


def test_annotations_by_item_and_coder():
    assert CORPUS.item_names == ("poem", "letter")
    assert CORPUS.coders == ("Ann", "Bo")
    assert len(CORPUS) == 3
    assert list(CORPUS) == [("poem", "Ann"), ("poem", "Bo"), ("letter", "Bo")]
    assert CORPUS["poem", "Bo"] == second
    assert CORPUS.get(("letter", "Bo")) == third
    assert CORPUS.get(("letter", "Ann")) is None
    assert ("poem", "Ann") in CORPUS
    assert ("letter", "Ann") not in CORPUS
    assert CORPUS.of_item("poem") == {"Ann": first, "Bo": second}
    assert CORPUS.of_coder("Bo") == {"poem": second, "letter": third}
    with pytest.raises(KeyError):
        CORPUS["letter", "Ann"]


def test_a_corpus_is_a_mapping():
    keys = [("poem", "Ann"), ("poem", "Bo"), ("letter", "Bo")]
    assert list(CORPUS.keys()) == keys
    assert list(CORPUS.values()) == [first, second, third]
    assert list(CORPUS.items()) == list(zip(keys, [first, second, third], strict=True))
    assert dict(CORPUS) == dict(CORPUS.items())
    assert len(CORPUS.items()) == len(CORPUS)


TREE = cz.Tree.from_brackets("(S (NN moon))")
HIERARCHY = cz.Hierarchy(4, [(1, 2)])
TIER = cz.Tier([(0, 1, "A")])
DIALOGUE = cz.Dialogue({"F": first})


@pytest.mark.parametrize(
    ("annotations", "kind"),
    [
        ([], "linear"),
        ([first], "linear"),
        ([first, {"F": first}], "dialogue"),
        ([first, DIALOGUE, TIER], "timed"),
        ([TIER, HIERARCHY, DIALOGUE], "hierarchy"),
        ([HIERARCHY, TREE, TIER, first], "trees"),
    ],
)
def test_kind_is_that_of_the_most_structured_annotation(annotations, kind):
    assert cz.Corpus({f"item {i}": {"Ann": annotation} for i, annotation in enumerate(annotations)}).kind == kind


def test_order_is_that_of_appearance():
    corpus = cz.Corpus({"b": {"y": first}, "a": {"x": second, "y": first}})
    assert corpus.item_names == ("b", "a")
    assert corpus.coders == ("y", "x")


def test_select():
    assert CORPUS.select(coders=["Bo"]) == cz.Corpus({"poem": {"Bo": second}, "letter": {"Bo": third}})
    assert CORPUS.select(items=["letter"]) == cz.Corpus({"letter": {"Bo": third}})
    assert CORPUS.select(items=["letter"], coders=["Ann"]) == cz.Corpus({})
    assert CORPUS.select() == CORPUS
    assert CORPUS.select(items=[]) == cz.Corpus({})


def test_repr():
    assert repr(CORPUS) == "Corpus(2 items, 2 coders: Ann, Bo)"
    assert repr(cz.Corpus({"poem": {"Ann": first}})) == "Corpus(1 item, 1 coder: Ann)"
    assert repr(cz.Corpus({})) == "Corpus(0 items, 0 coders)"
    many = cz.Corpus({"poem": {f"c{i}": first for i in range(9)}})
    assert repr(many) == "Corpus(1 item, 9 coders: c0, c1, c2, c3, c4, c5, c6, c7, …)"


def test_equality_and_pickle():
    same = cz.Corpus({"letter": {"Bo": third}, "poem": {"Bo": second, "Ann": first}})
    assert same == CORPUS
    assert hash(same) == hash(CORPUS)
    assert cz.Corpus({"poem": {"Ann": first, "Bo": second}}) != CORPUS
    assert {"poem": {"Ann": first}} != CORPUS
    again = pickle.loads(pickle.dumps(CORPUS))
    assert (again, again.item_names, again.coders) == (CORPUS, CORPUS.item_names, CORPUS.coders)


def test_mappings_of_the_caller_are_copied():
    CORPUS.of_item("poem")["Cy"] = third
    assert ("poem", "Cy") not in CORPUS
    mapping = {"poem": {"Ann": first}}
    corpus = cz.Corpus(mapping)
    mapping["poem"]["Ann"] = second
    assert corpus["poem", "Ann"] == first


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CORPUS.of_item("essay"), "the corpus has no item 'essay'; it has 'poem', 'letter'"),
        (lambda: CORPUS.of_coder("Cy"), "the corpus has no coder 'Cy'; it has 'Ann', 'Bo'"),
        (lambda: CORPUS.select(items=["essay"]), "the corpus has no item 'essay'; it has 'poem', 'letter'"),
        (lambda: CORPUS.select(coders=["Ann", "Cy"]), "the corpus has no coder 'Cy'; it has 'Ann', 'Bo'"),
        (lambda: cz.Corpus({}).of_item("poem"), "the corpus has no item 'poem'; it has none"),
        (
            lambda: cz.Corpus({f"i{n}": {"Ann": first} for n in range(12)}).of_item("x"),
            "the corpus has no item 'x'; it has " + ", ".join(f"'i{n}'" for n in range(10)) + ", …",
        ),
        (lambda: cz.Corpus({"poem": {"Ann": [2, 2]}}), "item 'poem', coder 'Ann': expected a Segmentation; got list"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
        call()


def test_names_become_text():
    corpus = cz.Corpus({1: {2: first}})
    assert (corpus.item_names, corpus.coders) == (("1",), ("2",))
    assert corpus["1", "2"] == first


def test_two_names_with_the_same_text_are_rejected():
    """1 and "1" would be the same item, and the second annotation would silently replace the first."""
    with pytest.raises(OptionError):
        cz.Corpus({1: {"Ann": first}, "1": {"Ann": second}})
