"""Slow and obvious: every number once more, from its definition, with exact fractions and none of the package's code."""
