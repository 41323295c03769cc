"""Score collections of any size: partitions are read and scored separately, and their sums are merged."""
