"""The tables and figures of the papers behind the measures, recomputed and compared with what is printed.

One module per paper. Every display is an :class:`~caesura.papers.entry.Entry`: what is printed, with its place in the paper,
and one function that computes the same numbers. :mod:`caesura.papers.registry` lists all entries.
"""
