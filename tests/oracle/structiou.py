"""Struct-IoU from its definition: every alignment is tried. And the constraints that an alignment must keep."""

from __future__ import annotations

from itertools import combinations

from caesura.model.tree import Tree

Pairs = list[tuple[int, int]]


def iou(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Definitions 2 to 4."""
    common = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    return common / ((a[1] - a[0]) + (b[1] - b[0]) - common)


def ancestors(tree: Tree) -> list[set[int]]:
    """The ancestors of each node."""
    found: list[set[int]] = []
    for above in tree.parent.tolist():
        found.append(found[above] | {above} if above >= 0 else set())
    return found


def conflicted(one: tuple[int, int], other: tuple[int, int], a: list[set[int]], b: list[set[int]]) -> bool:
    """Definition 10: two matchings that disagree on who is an ancestor of whom. Nothing is said of order."""
    (i, j), (k, m) = one, other
    return (i in a[k]) != (j in b[m]) or (k in a[i]) != (m in b[j])


def gains(
    gold: Tree, predicted: Tree, *, unlabelled: bool = False, flexible: bool = False, threshold: float = 0.0
) -> dict[tuple[int, int], float]:
    """The IoU of every pair that may be aligned and counts."""
    found = {}
    leaf_a, leaf_b = gold.preterminal, predicted.preterminal
    for i, one in enumerate(gold.nodes):
        for j, other in enumerate(predicted.nodes):
            alike = unlabelled or one.label == other.label or (flexible and (leaf_a[i] or leaf_b[j]))
            value = iou((one.begins, one.ends), (other.begins, other.ends))
            if alike and value > threshold:
                found[i, j] = value
    return found


def best_sum(gold: Tree, predicted: Tree, **options: float) -> float:
    """Problem 11, by exhaustive search over one-to-one matchings in which no two are conflicted."""
    weight = gains(gold, predicted, **options)  # type: ignore[arg-type]
    a, b = ancestors(gold), ancestors(predicted)

    def search(i: int, chosen: Pairs) -> float:
        if i == len(gold):
            return 0.0
        best = search(i + 1, chosen)
        for j in range(len(predicted)):
            if (i, j) in weight and all(j != m and not conflicted((i, j), (k, m), a, b) for k, m in chosen):
                best = max(best, weight[i, j] + search(i + 1, [*chosen, (i, j)]))
        return best

    return search(0, [])


def violations(gold: Tree, predicted: Tree, pairs: Pairs) -> list[str]:
    """What is wrong with an alignment: one to one, ancestors, order."""
    said = []
    a, b = ancestors(gold), ancestors(predicted)
    for (i, j), (k, m) in combinations(pairs, 2):
        if i == k or j == m:
            said.append(f"{i}-{j} and {k}-{m} share a node")
        elif conflicted((i, j), (k, m), a, b):
            said.append(f"{i}-{j} and {k}-{m} disagree on ancestors")
        elif i not in a[k] and k not in a[i] and (i < k) != (j < m):
            said.append(f"{i}-{j} and {k}-{m} cross")
    return said
