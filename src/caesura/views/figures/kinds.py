"""The kinds of figures that ``caesura plot`` makes from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from caesura.errors import OptionConflictError
from caesura.tasks import figures as data
from caesura.tasks.figures import FigureData, FigureOptions, FigureSource
from caesura.views.figures.agreement import boundaries_per_coder, boundary_heat, dendrogram, gold, pairwise
from caesura.views.figures.judging import clusters, operations, precision_recall, systems
from caesura.views.figures.trees import by_length, correlation, perturbation, tree_alignment
from caesura.views.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One kind of figure, named after its plot function.

    Parameters
    ----------
    draw : callable
        Plot function.
    compute : callable
        Function that makes the arguments of the plot function from what was read.
    description : str
        What the figure shows.
    needs : str
        Which files and options are needed.
    options : tuple of str
        Fields of :class:`~caesura.tasks.figures.FigureOptions` that the figure uses.
    source : {"corpus", "pair", "trees"}
        What is read: one corpus, reference and hypothesis, or trees.
    max_files : int, optional
        Largest number of files (default: any number).
    """

    draw: Callable[..., Figure]
    compute: Callable[[FigureSource, FigureOptions], FigureData]
    description: str
    needs: str
    options: tuple[str, ...]
    source: str = "corpus"
    max_files: int | None = None

    @property
    def name(self) -> str:
        """Name of the kind on the command line."""
        return self.draw.__name__

    @property
    def flags(self) -> str:
        """The options that the figure takes, as on the command line."""
        return " ".join(_FLAGS[name] for name in self.options)

    def check(self, files: Sequence[str], options: FigureOptions) -> None:
        """Raise an error if files and options do not go together, whatever the files contain.

        Parameters
        ----------
        files : sequence of str
            The files.
        options : FigureOptions
            The options.

        Raises
        ------
        OptionConflictError
            If a file is missing or too many, or an option does not belong to this kind.
        """
        if not files:
            raise OptionConflictError(f"{self.name} needs {self.needs}")
        if self.max_files is not None and len(files) > self.max_files:
            raise OptionConflictError(f"{self.name} needs {self.needs}; got {len(files)} files")
        for name, flag in _FLAGS.items():
            if getattr(options, name) not in (None, ()) and name not in self.options:
                raise OptionConflictError(f"{self.name} does not take {flag}; it takes {self.flags}")
        if len(options.measures) > 1 and self.draw is not systems:
            raise OptionConflictError(f"{self.name} shows one measure; got {len(options.measures)}")


_FLAGS = {
    entry.name: (entry.metadata["flags"] or (f"--{entry.name.replace('_', '-')}",))[-1]
    for entry in fields(FigureOptions)
}
_CODERS = "a corpus with several coders"
_TREES = "two files of trees, gold and predicted"

KINDS = {
    kind.name: kind
    for kind in (
        FigureKind(
            pairwise, data.pairwise_data, "matrix of coders, with values in cells", _CODERS, ("measures", "items")
        ),
        FigureKind(boundary_heat, data.boundary_heat_data, "number of coders at each position", _CODERS, ("items",)),
        FigureKind(
            dendrogram,
            data.dendrogram_data,
            "who segments like whom, with agreement inside clusters",
            _CODERS,
            ("measures", "coefficient", "items", "seed"),
        ),
        FigureKind(
            boundaries_per_coder,
            data.boundaries_per_coder_data,
            "who places many boundaries, and who places few",
            _CODERS,
            ("items",),
        ),
        FigureKind(
            precision_recall,
            data.precision_recall_data,
            "precision against recall, of systems or of coders",
            "a corpus, and --system for systems in it or in files",
            ("measures", "systems", "items", "seed"),
        ),
        FigureKind(
            systems,
            data.systems_data,
            "systems with intervals, beside people",
            "a corpus and --system",
            ("measures", "systems", "items", "seed"),
            max_files=1,
        ),
        FigureKind(
            operations,
            data.operations_data,
            "what became of the boundaries of each type",
            "two files, or one with two coders",
            ("measures", "reference_coder", "hypothesis_coder", "items"),
            source="pair",
            max_files=2,
        ),
        FigureKind(
            clusters,
            data.clusters_data,
            "boundaries of a system among the marks of coders",
            "a corpus, one --system and one --item",
            ("measures", "systems", "items"),
            max_files=1,
        ),
        FigureKind(
            gold,
            data.gold_data,
            "one hierarchy made from several",
            "hierarchies of several coders, one --item",
            ("method", "items"),
        ),
        FigureKind(
            tree_alignment,
            data.tree_alignment_data,
            "two trees of a sentence, with aligned nodes",
            f"{_TREES}, one --item (its number)",
            ("measures", "items", "gold_times", "predicted_times"),
            source="trees",
            max_files=2,
        ),
        FigureKind(
            perturbation,
            data.perturbation_data,
            "how Struct-IoU falls as word boundaries get worse",
            "a file of trees and --gold-times",
            ("measures", "gold_times", "seed"),
            source="trees",
            max_files=1,
        ),
        FigureKind(
            by_length,
            data.by_length_data,
            "scores of sentences and of the corpus up to each length",
            _TREES,
            ("gold_times", "predicted_times"),
            source="trees",
            max_files=2,
        ),
        FigureKind(
            correlation,
            data.correlation_data,
            "Struct-IoU against PARSEVAL F1",
            _TREES,
            ("seed",),
            source="trees",
            max_files=2,
        ),
    )
}
"""Name -> kind of figure."""


def figure_kind(name: str | None) -> FigureKind:
    """Return a kind of figure by name, or raise an ``OptionConflictError`` that lists all kinds.

    Parameters
    ----------
    name : str or None
        Name of the kind.

    Returns
    -------
    FigureKind
        The kind.

    Raises
    ------
    OptionConflictError
        If there is no such kind.
    """
    if name not in KINDS:
        problem = "a kind is needed" if name is None else f"no kind {name!r}"
        raise OptionConflictError(f"{problem}; choose from {', '.join(KINDS)}")
    return KINDS[name]


def kind_table() -> Table:
    """Return one row per kind: what it shows, what it needs, and which options it takes.

    Returns
    -------
    Table
        The kinds in the order of registration.
    """
    columns = ("kind", "what it shows", "needs", "options")
    return Table(columns, tuple((kind.name, kind.description, kind.needs, kind.flags) for kind in KINDS.values()))
