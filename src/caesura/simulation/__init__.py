"""Simulated segmentations and coders whose errors are known: what do measures say about them?

**Baselines.** Segmenters that know nothing of the text: :func:`random_segmentation` (segments as long as people's, anywhere),
:func:`regular_segmentation` (a boundary every so many units), :func:`no_boundaries` and :func:`all_boundaries`.

**Errors.** A copy of a reference with one kind of error: :func:`misses`, :func:`false_alarms`, :func:`near_misses`,
:func:`shifts`.

**Experiments.** The pairs behind Figure 5 of Fournier & Inkpen (2012), which are not random (:func:`figure_5a`,
:func:`figure_5b`, :func:`figure_5c`), and their Table 1, which is (:func:`table_1`).

**Coders.** A whole corpus: :func:`pseudo_coders`, who copy one segmentation and err, and :func:`random_coders`, who have
nothing in common but the length of their segments (Fournier 2013, section 5, Figure 9).

Trees have a module of their own, :mod:`caesura.simulation.trees`: perturbed word boundaries, sentences with many parses.

All random functions take a ``seed``: a whole number, which gives the same result every time, or a
``numpy.random.Generator``, which continues from its state, so that two calls are independent. Boundaries have no named types.

>>> from caesura import Segmentation, boundary_similarity
>>> reference = Segmentation.from_masses([4, 3, 5])
>>> hypothesis = near_misses(reference, 1, seed=4)
>>> hypothesis
Segmentation(12 units: ·····|·|······)
>>> boundary_similarity(reference, hypothesis).value
0.5
"""

from caesura.simulation import trees
from caesura.simulation.experiments import ScenarioMean, figure_5a, figure_5b, figure_5c, table_1
from caesura.simulation.segmentations import (
    MAX_SIMULATED_UNITS,
    SEGMENTATION_OVERHEAD,
    all_boundaries,
    false_alarms,
    misses,
    near_misses,
    no_boundaries,
    pseudo_coders,
    random_coders,
    random_segmentation,
    regular_segmentation,
    shifts,
    uniform_segments,
)

__all__ = [
    "MAX_SIMULATED_UNITS",
    "SEGMENTATION_OVERHEAD",
    "ScenarioMean",
    "all_boundaries",
    "false_alarms",
    "figure_5a",
    "figure_5b",
    "figure_5c",
    "misses",
    "near_misses",
    "no_boundaries",
    "pseudo_coders",
    "random_coders",
    "random_segmentation",
    "regular_segmentation",
    "shifts",
    "table_1",
    "trees",
    "uniform_segments",
]
