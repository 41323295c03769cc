"""Judging: systems and parsers against people, with bounds, significance tests and the mistakes of each system."""
