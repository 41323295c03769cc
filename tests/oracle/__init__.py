"""Reference implementations: slow and obvious, from the definitions, with exact fractions and none of the package's code."""
