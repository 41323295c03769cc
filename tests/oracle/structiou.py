"""Struct-IoU by exhaustive search over alignments, and the constraints on an alignment."""

from __future__ import annotations

from itertools import combinations

from caesura.model.tree import Tree

Pairs = list[tuple[int, int]]


def iou(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the IoU of two intervals (Definitions 2 to 4)."""
    common = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    return common / ((a[1] - a[0]) + (b[1] - b[0]) - common)


def ancestors(tree: Tree) -> list[set[int]]:
    """Return the ancestors of each node."""
    above_node: list[set[int]] = []
    for parent in tree.parent.tolist():
        above_node.append(above_node[parent] | {parent} if parent >= 0 else set())
    return above_node


def conflicted(first: tuple[int, int], second: tuple[int, int], a: list[set[int]], b: list[set[int]]) -> bool:
    """Return whether two pairs disagree on ancestry (Definition 10). Order does not matter."""
    (i, j), (k, m) = first, second
    return (i in a[k]) != (j in b[m]) or (k in a[i]) != (m in b[j])


def gains(
    gold: Tree, predicted: Tree, *, unlabelled: bool = False, flexible: bool = False, threshold: float = 0.0
) -> dict[tuple[int, int], float]:
    """Return the IoU of every pair of nodes that may be aligned and exceeds the threshold."""
    weights = {}
    leaf_a, leaf_b = gold.preterminal, predicted.preterminal
    for i, gold_node in enumerate(gold.nodes):
        for j, predicted_node in enumerate(predicted.nodes):
            alike = unlabelled or gold_node.label == predicted_node.label or (flexible and (leaf_a[i] or leaf_b[j]))
            value = iou((gold_node.begins, gold_node.ends), (predicted_node.begins, predicted_node.ends))
            if alike and value > threshold:
                weights[i, j] = value
    return weights


def best_sum(gold: Tree, predicted: Tree, **options: float) -> float:
    """Solve Problem 11 by exhaustive search over one-to-one matchings without conflicts."""
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
    """Return a message for each violated constraint: one-to-one, ancestors, order."""
    messages = []
    a, b = ancestors(gold), ancestors(predicted)
    for (i, j), (k, m) in combinations(pairs, 2):
        if i == k or j == m:
            messages.append(f"{i}-{j} and {k}-{m} share a node")
        elif conflicted((i, j), (k, m), a, b):
            messages.append(f"{i}-{j} and {k}-{m} disagree on ancestors")
        elif i not in a[k] and k not in a[i] and (i < k) != (j < m):
            messages.append(f"{i}-{j} and {k}-{m} cross")
    return messages
