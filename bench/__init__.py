"""Benchmarks of caesura, with comparisons to other libraries."""
