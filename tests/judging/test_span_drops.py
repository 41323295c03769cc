"""Drop in agreement on spans when a system joins the coders: the same numbers as two computations of agreement."""

from __future__ import annotations

import random

import pytest

import caesura as cz
from caesura.agreement.unitizing import shared_results
from caesura.judging.substitution import unitizing_drop

OPTIONS = {"interval": None, "seed": 3}


def _spans(rng: random.Random) -> cz.Spans:
    starts = (10 * k + rng.randrange(4) for k in range(4))
    return cz.Spans([(start, start + 3 + rng.randrange(5), rng.choice("AB")) for start in starts], length=60)


@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat", "u_alpha"])
@pytest.mark.parametrize("system", ["s", "c0"])
def test_the_drop_is_the_difference_of_two_agreements(coefficient: str, system: str) -> None:
    rng = random.Random(4)
    coders = {f"x{i}": {f"c{j}": _spans(rng) for j in range(3)} for i in range(5)}
    coders["x1"] = {"c1": coders["x1"]["c1"]}  # no agreement that could drop
    annotations = {item: _spans(rng) for item in ("x0", "x1", "x3", "x4")}
    corpus = cz.Corpus(coders)
    with shared_results():
        drop = unitizing_drop(corpus, system, annotations, coefficient, 3)
        again = unitizing_drop(corpus, system, annotations, coefficient, 3)
    assert again == drop == unitizing_drop(corpus, system, annotations, coefficient, 3)
    name = "c0 (system)" if system == "c0" else system
    joined = cz.Corpus({item: {**coders[item], name: spans} for item, spans in annotations.items()})
    compared = ["x0", "x3", "x4"]
    people = cz.agreement(corpus.select(items=compared), coefficient=coefficient, **OPTIONS).value
    everyone = cz.agreement(joined.select(items=compared), coefficient=coefficient, **OPTIONS).value
    assert (drop.without_system, drop.with_system, drop.value) == (people, everyone, people - everyone)
    assert drop.items == 3
    pairs = cz.agreement(joined, coefficient=coefficient, **OPTIONS).pairs
    expected = {row.coders[0]: row.value for row in pairs if row.coders[1] == name}
    assert drop.with_coders == expected
    assert set(expected) == {"c0", "c1", "c2"}
