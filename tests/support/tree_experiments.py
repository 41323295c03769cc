"""Checks of Struct-IoU by length and of its correlation with PARSEVAL, for any two parsers of the same sentences."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.simulation import trees
from support.treebanks import Nested, random_nested

Parses = list[cz.Tree | None]


def two_random_parsers(sentences: int, seed: int) -> tuple[Parses, Parses]:
    """Return two parses of each sentence. The second equals the first in half of the sentences."""
    rng = Random(seed)
    gold: Parses = []
    predicted: Parses = []
    for _ in range(sentences):
        words = rng.randint(2, 25)
        first = cz.Tree.from_nested(numbered(random_nested(rng, words)))
        second = cz.Tree.from_nested(numbered(random_nested(rng, words)))
        gold.append(first)
        predicted.append(rng.choice((first, second)))
    return gold, predicted


def numbered(node: Nested) -> Nested:
    """Return the same tree with the words w0, w1 ..."""
    count = iter(range(1000))

    def rename(node: Nested) -> Nested:
        label, *children = node
        return (label, *(rename(child) if isinstance(child, tuple) else f"w{next(count)}" for child in children))

    return rename(node)


def spearman(x: Any, y: Any) -> float:
    """Return Pearson's correlation of the ranks; tied values share their mean rank."""
    ranks = [[(np.sum(v < value) + np.sum(v <= value) + 1) / 2 for value in v] for v in (np.asarray(x), np.asarray(y))]
    return float(np.corrcoef(*ranks)[0, 1])


def check_levels_by_length(gold: Parses, predicted: Parses) -> trees.LengthRow:
    """Each level must equal the scores of the shorter sentences alone. Return the last level."""
    scored = cz.struct_iou_corpus([None, *gold], [None, *predicted])
    for row in trees.by_length(scored)[::9]:
        places = [i for i, sentence in enumerate(gold) if sentence is not None and sentence.length <= row.length]
        shorter = cz.struct_iou_corpus([gold[i] for i in places], [predicted[i] for i in places])
        assert row.sentences == len(places)
        assert (row.mean, row.corpus) == (pytest.approx(shorter.mean), pytest.approx(shorter.total.value))
    last = trees.by_length(scored)[-1]
    assert (last.sentences, last.mean) == (len(gold), pytest.approx(scored.mean))
    assert last.corpus == pytest.approx(scored.total.value)
    return last


def check_samples_of_one_sentence(gold: Parses, predicted: Parses) -> None:
    result = trees.correlation(gold, predicted, size=1, seed=1)
    scored = cz.struct_iou_corpus(gold, predicted)
    assert sorted(result.struct_iou.tolist()) == sorted(scored.values.tolist())
    f1 = [cz.parseval(a, b).value for a, b in zip(gold, predicted, strict=True)]  # type: ignore[arg-type]
    assert sorted(result.f1.tolist()) == pytest.approx(sorted(f1))
    assert result.rho == pytest.approx(spearman(scored.values, f1))


def check_samples_of_ten_sentences(gold: Parses, predicted: Parses) -> trees.Correlation:
    n = len(gold)
    result = trees.correlation(gold, predicted, seed=1)
    assert (len(result.f1), result.size, result.sentences, result.excluded) == (n // 10, 10, n, ())
    assert result.rho == pytest.approx(spearman(result.struct_iou, result.f1))
    # The samples partition the sentences, except for at most nine.
    assert result.struct_iou.mean() == pytest.approx(cz.struct_iou_corpus(gold, predicted).mean, abs=0.01)
    sampled = trees.correlation(gold, predicted, samples=40, seed=1, unlabelled=True)
    assert len(sampled.f1) == 40
    assert f"samples:40|size:10|seed:1|caesura:{cz.__version__}" in sampled.signature
    assert json.loads(json.dumps(sampled.to_dict()))["rho"] == sampled.rho
    return result
