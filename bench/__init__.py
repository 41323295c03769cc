"""Ours against the peers, in one run."""
