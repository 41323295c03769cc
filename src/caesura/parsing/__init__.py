"""Evaluation of parsers on a whole test set with PARSEVAL and Struct-IoU."""
