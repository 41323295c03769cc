"""Compare systems and parsers with human coders: scores, bounds, significance tests and the mistakes of each system."""
