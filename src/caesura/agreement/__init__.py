"""Agreement between coders: coefficients beyond chance, pairs, clusters, counts of boundaries, labels."""
