"""Figures for papers, drawn from results with matplotlib.

Every function takes the result of another function of caesura and returns a ``matplotlib.figure.Figure``, as wide as a
column of a paper (``width``, in inches), with or without a ``title``. Colours suit colour-blind readers (Okabe & Ito,
viridis), and shape, hatch, number or place repeat the information of colour. ``save`` writes SVG, PDF or PNG; ``svg`` returns
an element to put into HTML.

The figures need matplotlib: ``pip install 'caesura[report]'``. The modules::

    agreement.py      pairwise, boundary_heat, dendrogram, boundaries_per_coder, gold
    items.py          segments, items
    judging.py        systems, precision_recall, clusters, operations
    curves.py         curves, for caesura curve
    spans.py          alignment
    trees.py          tree_alignment, perturbation, by_length, correlation
    canvas.py         size, fonts, colours, files

:mod:`caesura.tasks.figures` has the kinds of figures that ``caesura plot`` makes from files.
"""

from caesura.views.figures.agreement import boundaries_per_coder, boundary_heat, dendrogram, gold, pairwise
from caesura.views.figures.canvas import save, svg
from caesura.views.figures.items import items, segments
from caesura.views.figures.judging import clusters, operations, precision_recall, systems
from caesura.views.figures.spans import alignment
from caesura.views.figures.trees import by_length, correlation, perturbation, tree_alignment

__all__ = [
    "alignment",
    "boundaries_per_coder",
    "boundary_heat",
    "by_length",
    "clusters",
    "correlation",
    "dendrogram",
    "gold",
    "items",
    "operations",
    "pairwise",
    "perturbation",
    "precision_recall",
    "save",
    "segments",
    "svg",
    "systems",
    "tree_alignment",
]
