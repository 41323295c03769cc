"""A tally adds up a measure document by document."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given

import caesura as cz
from caesura.errors import MismatchError, OptionError
from support.examples import examples
from support.strategies import Pair, corpora

masses = cz.Segmentation.from_masses


@pytest.mark.parametrize("measure", ["B", "S", "Pk", "WD", "crisp", "S_f"])
@given(corpora())
@examples(30)
def test_equals_score_many_in_any_grouping(measure: str, documents: list[Pair]) -> None:
    pairs = [pair.segmentations for pair in documents]
    expected = cz.score_many(pairs, measure)
    pairs = [pairs[place] for place in expected.scored.tolist()]
    tally, first, second = cz.Tally(measure), cz.Tally(measure), cz.Tally(measure)
    for i, pair in enumerate(pairs):
        tally.update(*pair)
        (first if i % 2 else second).update(*pair)
    first.merge(pickle.loads(pickle.dumps(second)))
    if pairs:
        assert tally.compute() == first.compute() == expected.total
    assert len(tally) == len(first) == len(pairs)


def test_a_document_that_cannot_be_scored_changes_nothing() -> None:
    tally = cz.Tally("B(n_t=3)")
    tally.update(masses([2, 3]), masses([2, 3]))
    with pytest.raises(MismatchError):
        tally.update(masses([2, 3]), masses([2, 4]))
    with pytest.raises(cz.errors.CaesuraError, match="from_bits"):
        tally.update([0, 1, 0], masses([2, 2]))
    assert (len(tally), tally.compute().value) == (1, 1.0)
    assert repr(tally) == "Tally(boundary_similarity(n_t=3), 1 document)"


def test_empty_and_reset() -> None:
    tally = cz.Tally("pk")
    with pytest.raises(OptionError, match="no documents yet"):
        tally.compute()
    tally.update(masses([2, 3]), masses([3, 2]))
    tally.reset()
    assert len(tally) == 0
    tally.merge(cz.Tally("pk"))
    with pytest.raises(OptionError, match="same measure"):
        tally.merge(cz.Tally("B"))
    with pytest.raises(OptionError, match="same measure add up; expected pk, got int"):
        tally.merge(3)  # type: ignore[arg-type]
