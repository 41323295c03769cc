"""Agreement between coders: chance-corrected coefficients, pairs, clusters, boundary counts and labels."""
