"""Kinetics-GEBD: generic event boundaries in videos, with several raters.

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., & Feiszli, M. (2021). Generic event boundary detection: A benchmark for event
segmentation. ICCV.
"""

from caesura.measures.recipes import Recipe, register

register(
    Recipe(
        name="gebd",
        title="Kinetics-GEBD (Shou et al. 2021)",
        measures={
            "boundary_f": {
                "tolerance": "5%",
                "ends": "marked",
                "matching": "in_order",
                "empty": "recall",
                "extent": "reference",
                "references": "best_or_first",
            }
        },
        mistakes={
            "boundary_f": "a reference boundary can take the estimate of the next one; without estimates, the first rater "
            "counts and not the best"
        },
    )
)
