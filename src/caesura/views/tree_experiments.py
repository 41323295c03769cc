"""Tables of the experiments with trees."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.options import choice
from caesura.simulation.trees import Ambiguity, LengthRow, PerturbationCurve
from caesura.views.table import Cell, Table

# Table 1 of Shi, Gimpel & Livescu (2024), in percent, for n = 8.
_PRINTED = {"lowest_f1": 12.5, "lowest_iou": 63.6, "random_f1": 27.3, "random_iou": 61.9}


def curve_table(curve: PerturbationCurve, *, level: str = "sentences") -> Table:
    """Return one row per delta, with mean and standard deviation of each kind of perturbation.

    Parameters
    ----------
    curve : PerturbationCurve
        Scores of trees with perturbed word boundaries.
    level : {"sentences", "corpus"}
        Level of the scores.

    Returns
    -------
    Table
        Two columns per kind.
    """
    mean, deviation = {"sentences": ("mean", "deviation"), "corpus": ("corpus", "corpus_deviation")}[
        choice("sentences", "corpus")("level", level)
    ]
    records: dict[float, dict[str, Cell]] = {}
    for point in curve.points:
        records.setdefault(point.delta, {"delta": point.delta}).update(
            {point.kind: getattr(point, mean), f"{point.kind} sd": getattr(point, deviation)}
        )
    title = f"{curve.measure!r} of {curve.sentences} trees with perturbed word boundaries, level of {level}"
    return Table.from_records(records.values(), title=title, notes=(curve.signature,))


def ambiguity_table(ambiguity: Ambiguity) -> Table:
    """Return Table 1 of the paper in percent, with the printed figures beside the computed ones.

    Parameters
    ----------
    ambiguity : Ambiguity
        Scores between the plausible trees of an ambiguous phrase.

    Returns
    -------
    Table
        Smallest and largest value over the plausible trees as ground truth.
    """
    records: list[dict[str, Cell]] = []
    for opponent, description in (("lowest", "another plausible tree, lowest"), ("random", "random trees, mean")):
        for measure, name in (("PARSEVAL F1", "f1"), ("Struct-IoU", "iou")):
            values = 100 * getattr(ambiguity, f"{opponent}_{name}")
            records.append(
                {
                    "ground truth against": description,
                    "unlabelled": measure,
                    "from": float(values.min()),
                    "to": float(values.max()),
                    "paper": _PRINTED[f"{opponent}_{name}"] if ambiguity.n == 8 else None,
                }
            )
    title = f"N (P N){{{ambiguity.n}}}: {ambiguity.trees} plausible trees as ground truth, percent"
    return Table.from_records(records, title=title, notes=(ambiguity.signature,), digits=2, group=1)


def length_table(rows: Sequence[LengthRow]) -> Table:
    """Return one row per length: scores at both levels of all sentences up to that length.

    Parameters
    ----------
    rows : sequence of LengthRow
        Scores by length of sentence.

    Returns
    -------
    Table
        One column per level.
    """
    columns = ("words at most", "sentences", "sentence level", "corpus level")
    return Table(columns, tuple((row.length, row.sentences, row.mean, row.corpus) for row in rows))
