"""Resampling and tests over plain arrays.

Nothing here knows what a segmentation is: numpy arrays in, frozen results out. What is counted, and what an item or a
system is, is the caller's affair.

    intervals.py    percentile bootstrap over additive parts, mean and standard error over values
    paired.py       two systems on the same items: studentised bootstrap, approximate randomisation

A p-value is significant at alpha if it is alpha or less.
"""

from __future__ import annotations

from caesura.statistics.intervals import BootstrapInterval, MeanInterval, bootstrap, item_weights, mean_interval
from caesura.statistics.paired import PairedBootstrap, Randomisation, paired_bootstrap, randomisation

__all__ = [
    "BootstrapInterval",
    "MeanInterval",
    "PairedBootstrap",
    "Randomisation",
    "bootstrap",
    "item_weights",
    "mean_interval",
    "paired_bootstrap",
    "randomisation",
]
