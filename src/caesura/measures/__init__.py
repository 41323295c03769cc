"""The measures and their registry."""
