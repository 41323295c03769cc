"""One module per task. A task takes a corpus or a source of documents and returns a result."""
