"""Compiled loops over flat arrays. They return numbers, create no objects, do not validate input and release the GIL.

One call processes many documents: the boundaries of document d are ``pos[off[d]:off[d + 1]]``, sorted, as 64-bit integers.
Callers must check the input.
"""
