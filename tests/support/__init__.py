"""Data, strategies and helpers that several tests share."""
