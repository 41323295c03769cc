"""Gold standards: build one hierarchy from several coders, and measure how much of their annotations each method keeps."""
