"""Benchmarks of caesura, against other libraries where there are any."""
