"""Kubla Khan, divided into topics by nine coders.

Fournier, C. (2013). An initial study of topical poetry segmentation. CLfL (W13-1407).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import caesura as cz
from support.oracles import read_oracle

# The study numbers its coders 0..8. Their numbers of boundaries (Figure 1a) identify them, except for the two with 26, which
# the values of their clusters identify.
CODERS = {0: "C9", 1: "C3", 2: "C1", 3: "C7", 4: "C5", 5: "C2", 6: "C8", 7: "C6", 8: "C4"}
PLACED = [20, 26, 18, 10, 26, 16, 9, 23, 11]

# Table 1, E(J): mean and deviation of the label similarity within clusters of coders.
LABEL_SIMILARITY = {
    (4, 7): (0.491, 0.495),
    (0, 2): (0.460, 0.439),
    (6, 8): (0.685, 0.464),
    (1, 0, 2): (0.508, 0.452),
    (1, 0, 2, 4, 7): (0.512, 0.467),
    (3, 5, 6, 8): (0.593, 0.425),
    (5, 6, 8): (0.580, 0.432),
}


def test_kubla_khan(shared: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    corpus = cz.read(shared / "data/linear/kubla_khan_fournier2013.json")
    with subtests.test("every coder has the number of boundaries that the study prints"):
        assert [len(corpus["kublakhan", coder].inner) for coder in CODERS.values()] == PLACED
        placed = cz.boundaries_placed(corpus)
        assert (round(placed.mean, 4), round(placed.deviation, 4)) == (17.6667, 6.2716)
    with subtests.test("agreement"):
        assert round(cz.agreement(corpus, compat="fournier2013").value, 4) == 0.3789
        assert {
            (coefficient, measure): round(
                cz.agreement(
                    corpus, measure=f"{measure}_similarity(n_t=2)", coefficient=coefficient, interval=None
                ).value,
                4,
            )
            for coefficient in ("multi_pi", "multi_kappa")
            for measure in ("segmentation", "boundary")
        } == {
            ("multi_pi", "segmentation"): 0.7267,
            ("multi_pi", "boundary"): 0.3880,
            ("multi_kappa", "segmentation"): 0.7272,
            ("multi_kappa", "boundary"): 0.3892,
        }
        assert round(cz.agreement(corpus, coefficient="bias", interval=None).value, 4) == 0.0018
    with subtests.test("clusters of coders"):
        check_clusters(corpus)
    with subtests.test("label similarity of all coders"):
        # Section 4: "mean label similarity between all coders was 0.5330 ± 0.4567".
        result = cz.label_agreement(corpus)
        assert (round(result.value, 4), round(result.deviation, 4)) == (0.5330, 0.4567)
        assert (result.comparisons, result.empty, len(result.pairs)) == (36 * 54, 0, 36)
        assert len(result.units["kublakhan"]) == 54
        assert result.signature == (
            f"label_agreement|separator:/|coders:9|items:1|comparisons:1944|caesura:{cz.__version__}"
        )
    for cluster, published in LABEL_SIMILARITY.items():
        with subtests.test("label similarity of a cluster", coders=cluster):
            result = cz.label_agreement(corpus.select(coders=[CODERS[number] for number in cluster]))
            assert (round(result.value, 3), round(result.deviation, 3)) == published
    with subtests.test("writing and reading keep the labels"):
        cz.write(corpus, tmp_path / "again.json")
        assert cz.read(tmp_path / "again.json") == corpus


def check_clusters(corpus: cz.Corpus) -> None:
    """All seven of the study, by complete linkage on 1 - B. Average linkage joins coder 4 with 0, 1, 2 before 7."""
    published = {}
    for row in read_oracle("fournier_figures.json"):
        match = re.match(r"Kubla Khan pi\*_B coders (\[.*\])", row["figure"])
        if match:
            published[frozenset(CODERS[i] for i in json.loads(match[1]))] = row["published"]
    assert len(published) == 7
    published[frozenset(corpus.coders)] = 0.3789
    clustering = cz.cluster_coders(corpus, compat="fournier2013")
    assert {frozenset(cluster.coders): round(cluster.value, 4) for cluster in clustering.clusters} == published
    assert clustering.linkage == "complete"
    average = cz.cluster_coders(corpus, compat="fournier2013", linkage="average")
    values = {frozenset(cluster.coders): round(cluster.value, 4) for cluster in average.clusters}
    assert len(values.items() & published.items()) == 7
    for coders, value in published.items():
        alone = cz.agreement(corpus.select(coders=coders), compat="fournier2013").value
        assert round(alone, 4) == value
