"""Slow and simple reference implementations of the definitions, in exact fractions and without the package's code."""
