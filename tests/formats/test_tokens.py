"""Checks that coders segmented the same text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError
from caesura.formats import check_same_tokens
from support.corpora import ALIGN_HINT


def with_units(text: str) -> cz.Segmentation:
    words = text.split()
    return cz.Segmentation.from_marks(["."] * len(words), units=words)


def silent(length: int) -> cz.Segmentation:
    return cz.Segmentation.from_marks(["."] * length)


def excluded(**by_coder: object) -> list[str]:
    errors = check_same_tokens(cz.Corpus({"x": by_coder}))
    assert all(isinstance(problem, MismatchError) for problem in errors)
    return [str(problem) for problem in errors]


def test_equal_tokens() -> None:
    assert (
        excluded(A={"F": with_units("a b"), "M": with_units("c")}, B={"M": with_units("c"), "F": with_units("a b")})
        == []
    )
    assert excluded(A=with_units("a b"), B=with_units("a b"), C=silent(2)) == []
    assert excluded(A=silent(3)) == []


def test_the_first_difference() -> None:
    expected = ["item 'x', stream 'F': token 2 is 'b' for A and 'x' for B" + ALIGN_HINT]
    assert excluded(A={"F": with_units("a b c")}, B={"F": with_units("a x y")}) == expected
    expected = ["item 'x': token 2 is 'b' for A and 'c' for C" + ALIGN_HINT]
    assert excluded(A=with_units("a b"), B=with_units("a b"), C=with_units("a c")) == expected
    # A has no text, so C is compared with B
    expected = ["item 'x': token 2 is 'b' for B and 'c' for C" + ALIGN_HINT]
    assert excluded(A=silent(2), B=with_units("a b"), C=with_units("a c")) == expected


def test_lengths() -> None:
    expected = ["item 'x', stream 'F': 2 tokens for A and 3 for B; to align them, read with align='tokens'"]
    assert excluded(A={"F": with_units("a b")}, B={"F": with_units("a b c")}) == expected
    assert excluded(A=with_units("a b"), B=with_units("a c c")) == [
        "item 'x': token 2 is 'b' for A and 'c' for B (2 tokens for A and 3 for B); to align them, read with align='tokens'"
    ]
    assert excluded(A=silent(2), B=silent(3)) == ["item 'x': 2 tokens for A and 3 for B"]


def test_streams() -> None:
    expected = ["item 'x': B has stream 'F2:', but A does not"]
    assert excluded(A={"F2": with_units("a")}, B={"F2": with_units("a"), "F2:": with_units("b")}) == expected
    assert excluded(A=with_units("a"), B={"F": with_units("a")}) == ["item 'x': B has streams and A has none"]


def test_one_error_per_item() -> None:
    corpus = cz.Corpus(
        {name: {"A": with_units("a b"), "B": with_units("c d"), "C": with_units("e")} for name in ("x", "y")}
    )
    assert [str(problem).split(":")[0] for problem in check_same_tokens(corpus)] == ["item 'x'", "item 'y'"]


texts = st.lists(st.sampled_from("ab"), min_size=1, max_size=3)
sides = st.builds(
    lambda words, there: with_units(" ".join(words)) if there else silent(len(words)), texts, st.booleans()
)
cells = sides | st.dictionaries(st.sampled_from("FM"), sides, min_size=1)


@given(
    items=st.dictionaries(st.sampled_from("xy"), st.dictionaries(st.sampled_from("ABC"), cells, min_size=1, max_size=3))
)
def test_it_never_raises_and_is_empty_if_all_can_be_compared(items: dict[str, dict[str, object]]) -> None:
    corpus = cz.Corpus(items)
    mismatched = {str(problem).split("'")[1] for problem in check_same_tokens(corpus)}
    for item in corpus.item_names:
        shapes = set()
        for annotation in corpus.of_item(item).values():
            streams = annotation if isinstance(annotation, cz.Dialogue) else {None: annotation}
            shapes.add(frozenset((name, side.length) for name, side in streams.items()))
        if len(shapes) > 1:
            assert item in mismatched
    assert mismatched <= set(corpus.item_names)
