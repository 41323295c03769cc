"""Judging segmenters against people: comparison, bounds, significance, and where each goes wrong."""
