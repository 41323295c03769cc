"""Simulate segmentations and coders with known errors, to see how measures respond to them.

**Baselines.** Segmenters that ignore the text: :func:`random_segmentation` (random boundaries, realistic segment
lengths), :func:`regular_segmentation` (segments of equal length), :func:`no_boundaries` and :func:`all_boundaries`.

**Errors.** A copy of a reference with one kind of error: :func:`misses`, :func:`false_alarms`, :func:`near_misses`,
:func:`shifts`.

**Coders.** A whole corpus: :func:`pseudo_coders` copy one segmentation and make errors, and :func:`random_coders` have
only their segment lengths in common (Fournier 2013, section 5, Figure 9).

**Coders of spans.** :func:`span_coders` copy the spans of a corpus and miss, move and confuse some.

The module :mod:`caesura.simulation.trees` perturbs the word boundaries of trees.

All random functions take a ``seed``. A whole number gives the same result every time; a ``numpy.random.Generator``
continues from its state, so two calls are independent. Simulated boundaries are untyped.

>>> from caesura import Segmentation, boundary_similarity
>>> reference = Segmentation.from_masses([4, 3, 5])
>>> hypothesis = near_misses(reference, 1, seed=4)
>>> hypothesis
Segmentation(12 units: ·····|·|······)
>>> boundary_similarity(reference, hypothesis).value
0.5
"""

from caesura.simulation import trees
from caesura.simulation.segmentations import (
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
    span_coders,
    uniform_segments,
)

__all__ = [
    "all_boundaries",
    "false_alarms",
    "misses",
    "near_misses",
    "no_boundaries",
    "pseudo_coders",
    "random_coders",
    "random_segmentation",
    "regular_segmentation",
    "shifts",
    "span_coders",
    "trees",
    "uniform_segments",
]
