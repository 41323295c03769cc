"""Resampling and tests over plain arrays.

Nothing here knows what a segmentation is: numpy arrays in, frozen results out. What is counted, and what an item or a
system is, is the caller's affair.

    intervals.py    percentile bootstrap over additive parts, mean and standard error over values

A p-value is significant at alpha if it is alpha or less.
"""

from __future__ import annotations

from caesura.statistics.intervals import BootstrapInterval, MeanInterval, bootstrap, item_weights, mean_interval

__all__ = [
    "BootstrapInterval",
    "MeanInterval",
    "bootstrap",
    "item_weights",
    "mean_interval",
]
