"""Parsers against a treebank: PARSEVAL and Struct-IoU of a whole test set."""
