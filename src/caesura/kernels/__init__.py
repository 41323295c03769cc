"""Compiled loops: flat arrays in, numbers out. No objects, no validation, no GIL.

One call processes many documents: the boundaries of document d are ``pos[off[d]:off[d + 1]]``, sorted, as 64-bit integers.
The caller has checked the input.
"""
