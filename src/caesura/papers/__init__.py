"""The tables and figures of the papers behind the measures, recomputed and compared with what is printed.

``displays.toml`` says for every display where it is in its paper, which numbers it prints and what our verdict is. The modules
compute the same numbers: :mod:`~caesura.papers.fournier` on linear segmentation, :mod:`~caesura.papers.discourse` on discourse,
:mod:`~caesura.papers.speech` on intonation units and trees. :mod:`caesura.papers.registry` brings both together.
"""
