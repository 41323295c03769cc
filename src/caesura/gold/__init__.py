"""One hierarchy from several: ``unify``, and how well each way of doing it keeps what the coders drew."""
