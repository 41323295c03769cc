"""Adjudication: a gold standard that people decide, place by place, where coders disagree."""
