"""Trees whose words or brackets are changed: the experiments of Shi, Gimpel & Livescu (2024) with Struct-IoU.

The modules are::

    perturbation.py   word boundaries moved, added, removed (section 5.1.3, Figures 4 and 5)
    plausible.py      a sentence with many parses, against each other and against random ones (section 5.2.2, Table 1)
    levels.py         sentences and corpora (section 5.1.4, Figure 6), Struct-IoU and PARSEVAL (Figures 3 and 7)

All random functions take a ``seed``, as in :mod:`caesura.simulation`.

Shi, F., Gimpel, K., & Livescu, K. (2024). Structured tree alignment for evaluation of (speech) constituency parsing. ACL.
"""

from caesura.simulation.trees.levels import Correlation, LengthRow, by_length, correlation
from caesura.simulation.trees.perturbation import (
    CurvePoint,
    PerturbationCurve,
    delete,
    insert,
    noise,
    perturbation_curve,
    without_silence,
)
from caesura.simulation.trees.plausible import Ambiguity, ambiguity, plausible_trees, random_tree

__all__ = [
    "Ambiguity",
    "Correlation",
    "CurvePoint",
    "LengthRow",
    "PerturbationCurve",
    "ambiguity",
    "by_length",
    "correlation",
    "delete",
    "insert",
    "noise",
    "perturbation_curve",
    "plausible_trees",
    "random_tree",
    "without_silence",
]
