"""Dendrograms, drawn by hand and compared character by character."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.clusters import Clustering, CoderCluster
from caesura.views.agreement import draw_dendrogram
from support.corpora import of_masses, random_corpus

Tree = str | tuple["Tree", "Tree", float, float | None]
"""A coder, or two halves, the height of the joint, and the coefficient inside."""


def clustering(tree: Tree) -> Clustering:
    clusters: list[CoderCluster] = []

    def join(node: Tree) -> tuple[str, ...]:
        if isinstance(node, str):
            return (node,)
        first, second, height, value = node
        halves = join(first), join(second)
        clusters.append(CoderCluster(halves[0] + halves[1], height, halves, value, 0.5, 0.1))
        return halves[0] + halves[1]

    coders = join(tree)
    clusters.sort(key=lambda cluster: cluster.height)
    empty = np.zeros((0, 4))
    measure = cz.parse("boundary_similarity")
    return Clustering(measure, "multi_pi", "average", coders, empty, empty, tuple(clusters), (), "signature")


TREES: dict[str, tuple[Tree, int]] = {
    "two": (("ann", "bo", 0.5, 0.714), 4),
    "three": ((("ann", "bo", 0.2, 0.714), "cy", 0.4, 0.5), 14),
    "no room for the inner value": ((("ann", "bo", 0.2, 0.714), "cy", 0.4, 0.5), 12),
    "leaf first": (("cy", ("ann", "bo", 0.2, 0.714), 0.4, 0.5), 14),
    "two pairs at one height": ((("a", "b", 0.3, 0.9), ("c", "d", 0.3, 0.8), 0.6, 0.4), 6),
    "a chain at one height": ((("a", "b", 0.5, 0.9), "c", 0.5, 0.4), 5),
    "identical": ((("a", "b", 0.0, 1.0), "c", 0.0, 1.0), 60),
    "undefined": (("a", "b", 0.5, None), 3),
    "below chance": (("a", "b", 1.0, -0.125001), 3),
    "nearly one": (("a", "b", 1.0, 0.9999), 3),
    "wide names": (("狗犬", "b", 1.0, 0.5), 3),
    "accents that combine": (("e\u0301a", "bob", 1.0, 0.5), 3),
    "control characters": (("a\x1b[31m\n", "b", 1.0, 0.5), 3),
}
"""Description -> the tree and the width of the drawing."""
DRAWINGS = """
two
ann ────┐
        ├ .71
bo  ────┘

three
ann ───────┐
           ├ .71 ─┐
bo  ───────┘      ├ .50
                  │
cy  ──────────────┘

no room for the inner value
ann ──────┐
          ├─────┐
bo  ──────┘     ├ .50
                │
cy  ────────────┘

leaf first
cy  ──────────────┐
                  ├ .50
ann ───────┐      │
           ├ .71 ─┘
bo  ───────┘

two pairs at one height
a ───┐
     ├──┐
b ───┘  │
        ├ .40
c ───┐  │
     ├──┘
d ───┘

a chain at one height
a ─────┐
       ├┐
b ─────┘├ .40
        │
c ──────┘

identical
a ┐
  ├┐
b ┘├ 1.00
   │
c ─┘

undefined
a ───┐
     ├ undefined
b ───┘

below chance
a ───┐
     ├ -.13
b ───┘

nearly one
a ───┐
     ├ 1.00
b ───┘

wide names
狗犬 ───┐
        ├ .50
b    ───┘

accents that combine
éa  ───┐
       ├ .50
bob ───┘

control characters
a�[31m� ───┐
           ├ .50
b       ───┘
"""
"""Descriptions, each with its drawing, between blank lines."""


@pytest.mark.parametrize("drawing", DRAWINGS.strip("\n").split("\n\n"), ids=list(TREES))
def test_drawn_by_hand(drawing: str) -> None:
    name, _, expected = drawing.partition("\n")
    tree, width = TREES[name]
    assert draw_dendrogram(clustering(tree), width=width) == expected


def test_from_coders() -> None:
    """The distance of ann and bo is 1/4, that of cy is 1/2 from bo and 3/4 from ann, .625 on average; see test_clusters."""
    result = cz.cluster_coders(of_masses(x={"ann": [2, 2, 2], "bo": [2, 3, 1], "cy": [5, 1]}))
    first, last = (f"{cluster.value:.2f}"[1:] for cluster in result.clusters)
    expected = f"""
ann ────────┐
            ├ {first} ──────┐
bo  ────────┘           ├ {last}
                        │
cy  ────────────────────┘
"""
    swapped = f"""
cy  ────────────────────┐
                        ├ {last}
bo  ────────┐           │
            ├ {first} ──────┘
ann ────────┘
"""
    assert draw_dendrogram(result, width=20) in (expected.strip("\n"), swapped.strip("\n"))


def test_sixty_coders() -> None:
    coders = [f"coder {i}" for i in range(60)]
    result = cz.cluster_coders(random_corpus(1, items=5, coders=coders))
    lines = draw_dendrogram(result).splitlines()
    assert len(lines) == 119
    assert [line[:9].strip() for line in lines[::2]] == list(result.leaves)
    assert all(line[:9] == " " * 9 for line in lines[1::2])
    drawing = "".join(line[9:] for line in lines)
    assert drawing.count("├") == drawing.count("┐") == drawing.count("┘") == 59
    assert max(map(len, lines)) <= 9 + 60 + 20


def test_a_chain_of_many_identical_coders() -> None:
    result = cz.cluster_coders(of_masses(x={f"c{i:02}": [2, 3] for i in range(30)}))
    drawing = draw_dendrogram(result)
    assert drawing.count("├") == 29
    assert drawing.count("1.00") >= 1
