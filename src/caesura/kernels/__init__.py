"""The compiled loops: flat arrays in, numbers out. No objects, no validation, no GIL.

Many documents travel in one call: the boundaries of document d stand in ``pos[off[d]:off[d + 1]]``,
sorted, as 64-bit integers. Whoever calls has checked the input.
"""
