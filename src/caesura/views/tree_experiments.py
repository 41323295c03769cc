"""The experiments with trees as tables."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.options import choice
from caesura.simulation.trees import Ambiguity, LengthRow, PerturbationCurve
from caesura.views.table import Cell, Table

__all__ = ["ambiguity_table", "curve_table", "length_table"]

# What the paper's Table 1 has, in percent, for n = 8.
_PRINTED = {"lowest_f1": 12.5, "lowest_iou": 63.6, "random_f1": 27.3, "random_iou": 61.9}


def curve_table(curve: PerturbationCurve, *, level: str = "sentences") -> Table:
    """A row a delta, with mean and deviation of each kind; of sentences, or of the ``corpus``."""
    mean, deviation = {"sentences": ("mean", "deviation"), "corpus": ("corpus", "corpus_deviation")}[
        choice("sentences", "corpus")("level", level)
    ]
    kinds = list(dict.fromkeys(point.kind for point in curve.points))
    rows: dict[float, list[Cell]] = {}
    for point in curve.points:
        rows.setdefault(point.delta, [point.delta]).extend([getattr(point, mean), getattr(point, deviation)])
    columns = ("delta", *(f"{kind}{sd}" for kind in kinds for sd in ("", " sd")))
    title = f"{curve.measure!r} of {curve.sentences} trees with perturbed word boundaries, level of {level}"
    return Table(columns, tuple(map(tuple, rows.values())), title=title, notes=(curve.signature,))


def ambiguity_table(found: Ambiguity) -> Table:
    """Table 1 of the paper, whose figures stand beside ours: in percent, from the least to the greatest by ground truth."""
    rows = []
    for against in ("lowest", "random"):
        for measure, name in (("PARSEVAL F1", "f1"), ("Struct-IoU", "iou")):
            values = 100 * getattr(found, f"{against}_{name}")
            printed = _PRINTED[f"{against}_{name}"] if found.n == 8 else None
            said = "another plausible tree, lowest" if against == "lowest" else "random trees, mean"
            rows.append((said, measure, float(values.min()), float(values.max()), printed))
    columns = ("ground truth against", "unlabelled", "from", "to", "paper")
    title = f"N (P N){{{found.n}}}: {found.trees} plausible trees as ground truth, percent"
    return Table(columns, tuple(rows), title=title, notes=(found.signature,), digits=2, group=1)


def length_table(rows: Sequence[LengthRow]) -> Table:
    """A row a length: what the two levels say of all sentences up to it."""
    columns = ("words at most", "sentences", "sentence level", "corpus level")
    return Table(columns, tuple((row.length, row.sentences, row.mean, row.corpus) for row in rows))
