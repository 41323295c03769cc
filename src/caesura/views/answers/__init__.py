"""The sentences with which commands answer, and the words for sizes."""
