"""Parsers against a treebank: the figures of a whole test set, and whether one parser is better than another."""
