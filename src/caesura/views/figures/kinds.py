"""The figures that the command line makes of files: what each shows, which files it needs, which options it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura.views.figures.agreement import boundaries_per_coder, boundary_heat, dendrogram, pairwise
from caesura.views.figures.edits import operations
from caesura.views.figures.experiments import by_length, correlation, perturbation
from caesura.views.figures.fuzzy import clusters
from caesura.views.figures.hierarchies import gold
from caesura.views.figures.judging import precision_recall, systems
from caesura.views.figures.trees import tree_alignment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One figure; its name is that of the function."""

    draw: Callable[..., Figure]
    description: str
    needs: str
    """Which files, as a person would say it."""
    files: int | None
    """How many at most; None for any number."""
    takes: tuple[str, ...]
    """Options of the command line, without dashes, beside those that all take."""

    @property
    def name(self) -> str:
        """What is typed after ``caesura plot``."""
        return self.draw.__name__


_CODERS = "a corpus with several coders"
_TREES = "two files of trees, gold and predicted"

KINDS = {
    kind.name: kind
    for kind in (
        Kind(pairwise, "the matrix of coders, values in cells", _CODERS, None, ("measure", "item")),
        Kind(boundary_heat, "how many coders marked each position", _CODERS, None, ("item",)),
        Kind(
            dendrogram,
            "who segments like whom, with agreement inside clusters",
            _CODERS,
            None,
            ("measure", "coefficient", "item", "seed"),
        ),
        Kind(boundaries_per_coder, "who cuts finely and who coarsely", _CODERS, None, ("item",)),
        Kind(
            precision_recall,
            "precision against recall, of systems or of coders",
            "a corpus, with --system those it holds or files of them",
            None,
            ("measure", "system", "item", "seed"),
        ),
        Kind(
            systems,
            "systems with intervals, beside people",
            "a corpus and --system",
            1,
            ("measure", "system", "item", "seed"),
        ),
        Kind(
            operations,
            "what became of the boundaries of each type",
            "two files, or one with two coders",
            2,
            ("measure", "reference-coder", "hypothesis-coder", "item"),
        ),
        Kind(
            clusters,
            "a program's boundaries among the marks of coders",
            "a corpus, one --system and one --item",
            1,
            ("measure", "system", "item"),
        ),
        Kind(
            gold, "one hierarchy made of several", "hierarchies of several coders, one --item", None, ("method", "item")
        ),
        Kind(
            tree_alignment,
            "two trees of a sentence, with aligned nodes",
            f"{_TREES}, one --item (its number)",
            2,
            ("measure", "item", "gold-times", "predicted-times"),
        ),
        Kind(
            perturbation,
            "how Struct-IoU falls as word boundaries get worse",
            "a file of trees and --gold-times",
            1,
            ("measure", "gold-times", "seed"),
        ),
        Kind(by_length, "sentence and corpus level up to each length", _TREES, 2, ("gold-times", "predicted-times")),
        Kind(correlation, "Struct-IoU against PARSEVAL F1", _TREES, 2, ("seed",)),
    )
}
