"""Coefficients of textbooks over positions, compared with other programs and with fractions by hand."""

from __future__ import annotations

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import fleiss_kappa

import caesura as cz
from caesura.errors import OptionError, Undefined

TWO = ("cohen", "scott", "fleiss", "bennett", "gwet", "percent")
MANY = ("fleiss", "bennett", "gwet", "percent", "krippendorff")
TYPES = {".": None, "n": None, "T": "T", "t": "t"}


def text(marks: str) -> cz.Segmentation:
    """One inner position per character, and the end of the text."""
    return cz.Segmentation.from_marks([TYPES[mark] for mark in marks] + [None], types=("t", "T"))


Items = dict[str, dict[str, str]]


def corpus(**items: dict[str, str]) -> cz.Corpus:
    return cz.Corpus({item: {coder: text(marks) for coder, marks in own.items()} for item, own in items.items()})


def random_items(seed: int, coders: int, *, missing: float = 0.0) -> Items:
    rng = np.random.default_rng(seed)
    items: Items = {}
    for item in range(5):
        length = int(rng.integers(3, 15))
        own = {f"c{c}": "".join(rng.choice(list("..tT"), length)) for c in range(coders)}
        kept = [coder for coder in own if rng.random() >= missing]
        items[f"i{item}"] = {coder: own[coder] for coder in (kept if len(kept) > 1 else ["c0", "c1"])}
    return items


def random_corpus(seed: int, coders: int, *, missing: float = 0.0) -> cz.Corpus:
    return corpus(**random_items(seed, coders, missing=missing))


def agreement(data: cz.Corpus, name: str) -> cz.Agreement:
    return cz.agreement(data, coefficient=name, interval=None)


@pytest.mark.parametrize("seed", range(5))
def test_two_coders_as_in_nltk(seed: int) -> None:
    items = random_items(seed, 2)
    places = (
        (item, coder, place, mark)
        for item in items
        for coder in items[item]
        for place, mark in enumerate(items[item][coder])
    )
    peer, data = AnnotationTask([(coder, (item, place), mark) for item, coder, place, mark in places]), corpus(**items)
    assert agreement(data, "cohen").value == pytest.approx(peer.kappa(), abs=1e-12)
    assert agreement(data, "scott").value == pytest.approx(peer.pi(), abs=1e-12)
    assert agreement(data, "percent").value == pytest.approx(peer.avg_Ao(), abs=1e-12)
    assert agreement(data, "krippendorff").value == pytest.approx(peer.alpha(), abs=1e-12)
    assert agreement(data, "bennett").value == pytest.approx(peer.S(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_as_in_statsmodels(seed: int) -> None:
    items = random_items(seed, 4)
    columns = [column for own in items.values() for column in zip(*own.values(), strict=True)]
    table = [[column.count(mark) for mark in ".tT"] for column in columns]
    assert agreement(corpus(**items), "fleiss").value == pytest.approx(fleiss_kappa(table), abs=1e-12)


def test_ac1_of_two_and_three_coders_by_hand() -> None:
    """irrCAC prints the same two values."""
    two = corpus(x={"a": "T..T...T..", "b": "T...T..T.."})
    assert agreement(two, "gwet").value == pytest.approx(19 / 29)
    assert agreement(two, "cohen").value == pytest.approx(11 / 21)
    # a  n n T n S n n T        the last coder lacks the fifth position
    # b  n T T n S n n n
    # c  n n T n T n - T
    three = corpus(
        x={"a": "nnTntn", "b": "nTTntn", "c": "nnTnTn"}, y={"a": "n", "b": "n"}, z={"a": "T", "b": "n", "c": "T"}
    )
    result = agreement(three, "gwet")
    assert (result.observed, result.expected) == pytest.approx((3 / 4, 149 / 576))
    assert result.value == pytest.approx(283 / 427)


@pytest.mark.parametrize("name", ["bennett", "gwet", "percent"])
@pytest.mark.parametrize("seed", range(3))
def test_tables_are_those_of_the_chosen_coders_and_items(name: str, seed: int) -> None:
    data = random_corpus(seed, 4, missing=0.3)
    result = agreement(data, name)
    for row in result.pairs:
        assert row.value == pytest.approx(agreement(data.select(coders=row.coders), name).value, abs=1e-12)
    for row in result.items:
        assert row.value == pytest.approx(agreement(data.select(items=[row.item]), name).value, abs=1e-12)
    for row in result.coders:
        others = [coder for coder in data.coders if coder != row.coder]
        assert row.without == pytest.approx(agreement(data.select(coders=others), name).value, abs=1e-12)


@pytest.mark.filterwarnings("ignore:an interval from")
def test_interval_is_over_items_or_coders() -> None:
    data = random_corpus(0, 5)
    for interval in ("items", "coders"):
        low, high = cz.agreement(data, coefficient="gwet", interval=interval).interval or (1, 0)
        assert -1 <= low <= agreement(data, "gwet").value <= high <= 1


def test_rare_independent_boundaries_have_a_high_ac1() -> None:
    rng = np.random.default_rng(0)
    bits = rng.random((2, 20_000)) < 0.1
    data = cz.Corpus({"x": {name: cz.Segmentation.from_bits(own) for name, own in zip("ab", bits, strict=True)}})
    assert agreement(data, "gwet").value == pytest.approx(0.78, abs=0.02)
    assert agreement(data, "cohen").value == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("name", [*TWO, "krippendorff"])
def test_equal_coders(name: str) -> None:
    assert agreement(corpus(x={"a": "T..t.", "b": "T..t."}), name).value == pytest.approx(1)


@pytest.mark.parametrize("name", [*TWO, "krippendorff"])
def test_coders_without_boundaries(name: str) -> None:
    data = corpus(x={"a": ".....", "b": "....."})
    if name == "percent":
        assert agreement(data, name).value == 1
        return
    with pytest.raises(Undefined, match="no coder placed a boundary"):
        agreement(data, name)


def test_what_a_coefficient_is_not_for() -> None:
    three = random_corpus(0, 3)
    with pytest.raises(OptionError, match="cohen is for two coders; use krippendorff for 3 coders"):
        agreement(three, "cohen")
    with pytest.raises(OptionError, match="scott is for two coders; use fleiss for 3 coders"):
        agreement(three, "scott")
    with pytest.raises(OptionError, match="same number of coders for every item; got 2 to 3; use krippendorff"):
        agreement(random_corpus(1, 3, missing=0.3), "fleiss")
    sets = cz.Segmentation.from_sets([{"t", "T"}, {"t"}, None], types=("t", "T"))
    with pytest.raises(OptionError, match="some positions have two types; use krippendorff"):
        agreement(cz.Corpus({"x": {"a": sets, "b": sets}}), "gwet")
    tier = cz.Segmentation.from_times([1.0], duration=3.0)
    with pytest.raises(OptionError, match="counts positions between units"):
        agreement(cz.Corpus({"x": {"a": tier, "b": tier}}), "gwet")
