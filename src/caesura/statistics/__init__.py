"""Resampling methods and statistical tests for plain arrays.

The functions take numpy arrays and return frozen results. They do not depend on segmentations: the caller decides which
values are counted and what an item or a system is.

- ``intervals.py``: percentile bootstrap over additive parts; mean and standard error of values.
- ``paired.py``: comparison of two systems on the same items, by randomisation (exact up to 20 items) or studentised bootstrap.
- ``ranks.py``: comparison of several systems, by Friedman and Kruskal-Wallis tests with comparisons of pairs; tails of
  distributions, and ranks.
- ``multiple.py``: multiple comparisons: Holm, Benjamini-Yekutieli, compact letters, wins and losses; the alternative
  annotator test of whether a program may replace a coder.

A p-value is significant at alpha if it is at most alpha. A p-value from random draws is borderline if it is within three
standard errors of alpha.
"""

from caesura.statistics.intervals import (
    BootstrapInterval,
    MeanInterval,
    bootstrap,
    bootstrap_many,
    item_weights,
    mean_interval,
)
from caesura.statistics.multiple import (
    AlternativeTest,
    CoderTest,
    Wins,
    alternative_annotator,
    benjamini_yekutieli,
    holm,
    letters,
    wins,
)
from caesura.statistics.paired import (
    PairedBootstrap,
    Randomisation,
    is_borderline,
    monte_carlo_error,
    paired_bootstrap,
    randomisation,
)
from caesura.statistics.ranks import RankTest, blocked_kruskal_wallis, friedman, kruskal_wallis

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
    "blocked_kruskal_wallis",
    "bootstrap",
    "bootstrap_many",
    "friedman",
    "holm",
    "is_borderline",
    "item_weights",
    "kruskal_wallis",
    "letters",
    "mean_interval",
    "monte_carlo_error",
    "paired_bootstrap",
    "randomisation",
    "wins",
]
