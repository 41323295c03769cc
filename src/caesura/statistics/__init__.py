"""Resampling and tests over plain arrays.

Nothing here knows what a segmentation is: numpy arrays in, frozen results out. Callers decide what is counted and what an
item or a system is.

- ``intervals.py``: percentile bootstrap over additive parts; mean and standard error over values.
- ``paired.py``: two systems on the same items, by studentised bootstrap or approximate randomisation.
- ``ranks.py``: several systems, by Kruskal-Wallis and Friedman with comparisons of pairs.
- ``multiple.py``: many comparisons: Holm, Benjamini-Yekutieli, compact letters, wins and losses.
- ``alternative.py``: may a program replace a coder? The alternative annotator test.

A p-value is significant at alpha if it is alpha or less.
"""

from __future__ import annotations

from caesura.statistics.alternative import AlternativeTest, CoderTest, alternative_annotator
from caesura.statistics.intervals import BootstrapInterval, MeanInterval, bootstrap, item_weights, mean_interval
from caesura.statistics.multiple import Wins, benjamini_yekutieli, holm, letters, wins
from caesura.statistics.paired import PairedBootstrap, Randomisation, paired_bootstrap, randomisation
from caesura.statistics.ranks import RankTest, friedman, kruskal_wallis

__all__ = [
    "AlternativeTest",
    "BootstrapInterval",
    "CoderTest",
    "MeanInterval",
    "PairedBootstrap",
    "Randomisation",
    "RankTest",
    "Wins",
    "alternative_annotator",
    "benjamini_yekutieli",
    "bootstrap",
    "friedman",
    "holm",
    "item_weights",
    "kruskal_wallis",
    "letters",
    "mean_interval",
    "paired_bootstrap",
    "randomisation",
    "wins",
]
