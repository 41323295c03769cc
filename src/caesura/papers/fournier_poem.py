"""Fournier (2013): the pilot study of topics in the poem Kubla Khan."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from caesura.agreement.clusters import cluster_coders
from caesura.agreement.coefficients import agreement
from caesura.agreement.labels import label_agreement
from caesura.agreement.placed import boundaries_placed
from caesura.formats import read
from caesura.model.corpus import Corpus
from caesura.papers.data import KUBLA_KHAN, Data, segmentations_of
from caesura.papers.entry import PRESET, REFUTED, REPRODUCED, Computation, Curves, Paper, Picture, Row, statement

PAPER = Paper(
    "poem",
    "Fournier (2013, on Kubla Khan)",
    "Fournier, C. (2013). An initial study of topical poetry segmentation. CLfL (W13-1407), 47-51.",
)
COMPAT = "fournier2013"
_ITEM = "kublakhan"
# The study numbers its coders 0 to 8. Their numbers of boundaries (Figure 1a) identify them, except for the two with 26
# boundaries, which the values of their clusters identify.
_CODERS = ("C9", "C3", "C1", "C7", "C5", "C2", "C8", "C6", "C4")
_PLACED = (20, 26, 18, 10, 26, 16, 9, 23, 11)
# Cluster: pi* over B, mean and deviation of the similarity of labels
_TABLE_1: Mapping[tuple[int, ...], tuple[str, str, str]] = {
    (4, 7): ("0.3704", "0.491", "0.495"),
    (0, 2): ("0.6946", "0.460", "0.439"),
    (6, 8): ("0.7625", "0.685", "0.464"),
    (1, 0, 2): ("0.5520", "0.508", "0.452"),
    (1, 0, 2, 4, 7): ("0.4474", "0.512", "0.467"),
    (3, 5, 6, 8): ("0.4764", "0.593", "0.425"),
    (5, 6, 8): ("0.5389", "0.580", "0.432"),
}


def _corpus(data: Data) -> Corpus:
    return read(data.path(KUBLA_KHAN))


def _pi(corpus: Corpus, compat: str | None = None) -> float:
    return agreement(corpus, compat=compat, interval=None).value


def _figure_1a(data: Data) -> Computation:
    corpus = _corpus(data)
    placed, annotations = boundaries_placed(corpus), segmentations_of(corpus)
    rows = [
        Row(f"coder {number}", str(count), float(len(annotations[_ITEM, coder].inner)))
        for number, (coder, count) in enumerate(zip(_CODERS, _PLACED, strict=True))
    ]
    rows += [Row("mean", "17.6667", placed.mean), Row("deviation", "6.2716", placed.deviation)]
    return Computation(rows, Picture("boundaries_per_coder", (placed,)))


def _figure_1b(data: Data) -> Computation:
    clustering = cluster_coders(_corpus(data), compat=COMPAT)
    clusters = {frozenset(cluster.coders) for cluster in clustering.clusters}
    rows = [
        statement(
            f"coders {', '.join(map(str, numbers))} form a cluster",
            frozenset(_CODERS[number] for number in numbers) in clusters,
        )
        for numbers in _TABLE_1
    ]
    return Computation(rows, Picture("dendrogram", (clustering,)))


def _figure_1c(data: Data) -> Computation:
    labels = label_agreement(_corpus(data))
    by_line = [value or 0.0 for value in labels.units[_ITEM]]
    half = len(by_line) // 2
    rows = [
        Row("mean similarity of labels", "0.5330", labels.value),
        Row("deviation", "0.4567", labels.deviation),
        statement(
            "agreement on labels is highest at the beginning", bool(np.mean(by_line[:half]) > np.mean(by_line[half:]))
        ),
    ]
    lines = {"mean Jaccard similarity": (list(range(1, len(by_line) + 1)), by_line)}
    return Computation(rows, Curves("line", "similarity of labels", lines), (labels.signature,))


def _agreement(data: Data) -> Computation:
    corpus = _corpus(data)
    return Computation([Row("pi* over B, nine coders", "0.3789", _pi(corpus), _pi(corpus, COMPAT))])


def _table_1(data: Data) -> Computation:
    corpus = _corpus(data)
    rows: list[Row] = []
    for numbers, (pi, mean, deviation) in _TABLE_1.items():
        cluster = corpus.select(coders=[_CODERS[number] for number in numbers])
        labels = label_agreement(cluster)
        name = "coders " + ", ".join(map(str, numbers))
        rows += [
            Row(f"{name}: pi* over B", pi, _pi(cluster), _pi(cluster, COMPAT)),
            Row(f"{name}: E(J)", mean, labels.value),
            Row(f"{name}: deviation of J", deviation, labels.deviation),
        ]
    return Computation(rows)


def _stanzas(data: Data) -> Computation:
    corpus = _corpus(data)
    printed = {11: "6", 30: "9", 36: "9"}
    rows = [
        Row(
            f"coders with a boundary between lines {line} and {line + 1}",
            count,
            float(sum(line in annotation.inner for annotation in segmentations_of(corpus).values())),
        )
        for line, count in printed.items()
    ]
    return Computation(rows)


_SEGMENTS = "The printed values count segments where the equation says boundaries."
_NEEDS = {"needs": (KUBLA_KHAN,)}
# All displays of the paper.
ENTRIES = (
    PAPER.entry(
        "figure-1a", "Figure 1a", "section 4, page 50", "Boundaries per coder.", REPRODUCED, _figure_1a, **_NEEDS
    ),
    PAPER.entry(
        "figure-1b",
        "Figure 1b",
        "section 4, page 50",
        "Clusters of coders by 1 - B.",
        REPRODUCED,
        _figure_1b,
        **_NEEDS,
        reason="Complete linkage; the paper does not name it, and average linkage gives another order.",
    ),
    PAPER.entry(
        "figure-1c",
        "Figure 1c",
        "section 4, page 50",
        "Similarity of labels line by line.",
        REPRODUCED,
        _figure_1c,
        **_NEEDS,
    ),
    PAPER.entry(
        "agreement",
        "Section 4",
        "page 49",
        "Agreement of all coders.",
        PRESET,
        _agreement,
        **_NEEDS,
        preset="compat='fournier2013'",
        reason=_SEGMENTS,
    ),
    PAPER.entry(
        "table-1",
        "Table 1",
        "section 4, page 50",
        "Agreement and similarity of labels inside clusters.",
        PRESET,
        _table_1,
        **_NEEDS,
        preset="compat='fournier2013'",
        reason=_SEGMENTS,
    ),
    PAPER.entry(
        "stanzas",
        "Section 4",
        "page 49",
        "Boundaries at the ends of stanzas.",
        REFUTED,
        _stanzas,
        **_NEEDS,
        reason="In the published segmentations seven coders, not six, end a segment with line 11.",
    ),
)
