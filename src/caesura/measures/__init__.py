"""The measures, and the registry that everything else picks them up from."""
