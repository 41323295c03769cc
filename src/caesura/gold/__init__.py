"""Gold standards: one hierarchy from several coders, and how much of their annotations each method preserves."""
