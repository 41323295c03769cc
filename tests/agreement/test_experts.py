"""Similarity of types from experts: counts against a count by hand, the estimate, and the settings file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import FormatError, OptionError
from caesura.formats.settings import read_settings, write_settings
from caesura.model.result import Excluded
from caesura.tasks.similarity import SimilarityOptions, expert_similarity

TYPES = ["x", "y", "z"]


def marked(*texts: str) -> cz.Corpus:
    """One item per text: the marks of all coders with spaces between coders; a dot is no boundary."""
    items = {}
    for i, text in enumerate(texts):
        coders = {chr(ord("a") + c): segmentation(marks) for c, marks in enumerate(text.split())}
        items[str(i)] = coders
    return cz.Corpus(items)


def segmentation(marks: str) -> cz.Segmentation:
    return cz.Segmentation.from_marks(["" if mark == "." else mark for mark in marks], types=TYPES)


def counted(corpus: cz.Corpus) -> np.ndarray:
    """Count position by position, from the definition."""
    names = [*TYPES, None]
    counts = np.zeros((4, 4), int)
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        for first, second in combinations(corpus.coders, 2):
            for position in range(1, by_coder[first].length + 1):
                a, b = (dict(by_coder[coder].boundaries).get(position) for coder in (first, second))
                counts[names.index(a), names.index(b)] += 1
    return counts if len(corpus.coders) == 2 else counts + counts.T


@st.composite
def corpora(draw: st.DrawFn) -> cz.Corpus:
    coders = draw(st.integers(2, 4))
    texts = []
    for length in draw(st.lists(st.integers(1, 8), min_size=1, max_size=3)):
        marks = st.text(".xyz", min_size=length, max_size=length)
        texts.append(" ".join(draw(marks) for _ in range(coders)))
    return marked(*texts)


@given(corpora(), st.sampled_from([0.5, 1.0]))
def test_counts_and_estimate(corpus: cz.Corpus, smoothing: float):
    expected = counted(corpus)
    result = cz.similarity_from_experts(corpus, smoothing=smoothing)
    assert np.array(result.counts).tolist() == expected.tolist()
    assert result.similarity == cz.similarity_from_confusion(expected, TYPES, smoothing=smoothing)
    assert np.array(result.matrix).tolist() == np.array(result.matrix).T.tolist()


@given(corpora(), st.randoms())
def test_order_of_experts_does_not_matter(corpus: cz.Corpus, rng):
    order = list(corpus.coders)
    rng.shuffle(order)
    shuffled = cz.Corpus({item: {coder: corpus[item, coder] for coder in order} for item in corpus.item_names})
    assume(shuffled.coders != corpus.coders)
    first, second = (cz.similarity_from_experts(entry, smoothing=0.5) for entry in (corpus, shuffled))
    assert first.matrix == second.matrix


def test_streams_and_pairs_by_hand():
    """The streams of a dialogue count like one text.

    ann   F  . x . y      G  x .
    bo    F  . x . x      G  y .
    """
    ann = {"F": segmentation(".x.y"), "G": segmentation("x.")}
    bo = {"G": segmentation("y."), "F": segmentation(".x.x")}
    result = cz.similarity_from_experts(cz.Corpus({"talk": {"ann": ann, "bo": bo}}), smoothing=1)
    assert result.counts == ((1, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3))
    best = result.similarities[0]
    assert (best.first, best.second, best.confusions) == ("x", "y", 2)
    assert best.similarity == 1  # (1 + 1) (1 + 1) / ((1 + 1) (0 + 1)), at most 1


def test_settings_file_round_trip(tmp_path: Path):
    corpus = marked("x.y.z x.y.z", "x.y.z y.x.z", "....x ....z")
    for name in ("experts.toml", "experts.json"):
        path = tmp_path / name
        result = expert_similarity(corpus, SimilarityOptions(smoothing=0.5, write=str(path)))
        settings = read_settings(path)
        assert settings.types == tuple(TYPES)
        assert settings.measure_options()["similarity"] == result.similarity
        a, b = corpus["1", "a"], corpus["1", "b"]
        measure = cz.parse("SF").replace(similarity=result.similarity)
        assert cz.parse("SF").with_settings(settings.measure_options()).score(a, b) == measure.score(a, b)


def test_types_with_quotes_in_a_settings_file(tmp_path: Path):
    similarity = {"types": ['"', "\\", "é\n"], "matrix": np.eye(4).tolist()}
    write_settings(tmp_path / "s.toml", similarity, comment="a\nb")
    assert read_settings(tmp_path / "s.toml").measure_options()["similarity"] == similarity


def test_items_that_cannot_be_counted_are_listed():
    corpus = cz.Corpus(
        {
            "good": {"a": segmentation("x.yz"), "b": segmentation("x.yz")},
            "long": {"a": segmentation("x."), "b": segmentation("x..")},
            "alone": {"a": segmentation("x.")},
        }
    )
    result = cz.similarity_from_experts(corpus)
    assert result.items == ("good",)
    assert result.excluded == (
        Excluded("long", None, "stream '': both sides must have the same units; a has 2, b has 3"),
        Excluded("alone", None, "coded by a only"),
    )


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (marked("x.y"), "agreement needs at least two coders; got a"),
        (marked("x.y y.x"), "matrix['x', 'x']: there is no estimate without agreement"),
        (
            cz.Corpus({"i": {c: cz.Segmentation.from_masses([2, 3]) for c in "ab"}}),
            "the boundaries have no types; experts can only confuse boundaries of different types",
        ),
    ],
)
def test_no_estimate(corpus: cz.Corpus, message: str):
    with pytest.raises(OptionError) as caught:
        cz.similarity_from_experts(corpus)
    assert str(caught.value).startswith(message)


def test_hint_of_the_command_line():
    with pytest.raises(OptionError, match=r"set --smoothing 0.5, or leave the type out"):
        expert_similarity(marked("x.y y.x"))


def test_settings_file_needs_a_known_suffix(tmp_path: Path):
    with pytest.raises(FormatError, match=r"settings are a \.toml or \.json file; got \.csv"):
        write_settings(tmp_path / "s.csv", {"types": [], "matrix": [[1]]})
