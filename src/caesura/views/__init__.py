"""Results into something to read: a table or score in, a string out."""
