"""Data model: immutable annotations, corpora, scores and results, without input or output."""
