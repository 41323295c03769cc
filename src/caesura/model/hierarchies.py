"""A corpus of hierarchies made into one that can be compared: over the same units, or flattened to typed boundaries."""

from __future__ import annotations

from typing import Any

from caesura.errors import HierarchyError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy, common_units
from caesura.model.segmentation import Segmentation


def over_common_units(corpus: Corpus, *, tolerance: float = 0.5) -> tuple[Corpus, dict[str, str]]:
    """Every item's hierarchies in time over the same units, and item -> what was lost or could not be done.

    Each item by itself, all its coders together: see :func:`~caesura.common_units`. An item whose coders cannot be laid
    over the same units stays as it is, and the notes say why. Hierarchies over text are left as they are.

    >>> ann = Hierarchy.from_times([(0, 10), (0, 5), (5, 5.25)])
    >>> bo = Hierarchy.from_times([(0, 10), (0, 5.25)])
    >>> corpus, notes = over_common_units(Corpus({"song": {"ann": ann, "bo": bo}}))
    >>> corpus["song", "ann"].length, corpus["song", "bo"].extent, notes
    (2, 20, {'song': '1 span is shorter than the tolerance of 0.5 s and was dropped'})
    """
    made: dict[str, dict[str, Hierarchy]] = {}
    notes: dict[str, str] = {}
    for item in corpus.item_names:
        given = _hierarchies(corpus, item)
        try:
            made[item], dropped = common_units(given, tolerance=tolerance)
        except HierarchyError as error:
            made[item] = given
            notes[item] = str(error)
            continue
        if dropped:
            said = "1 span is" if dropped == 1 else f"{dropped} spans are"
            was = "was" if dropped == 1 else "were"
            notes[item] = f"{said} shorter than the tolerance of {tolerance:g} s and {was} dropped"
    return Corpus(made), notes


def pair_over_common_units(pair: Any, *, tolerance: float = 0.5) -> tuple[Any, int]:
    """Put two hierarchies in time on common units.

    Parameters
    ----------
    pair : tuple of two annotations
        Reference and hypothesis.
    tolerance : float, default 0.5
        Seconds within which times are the same.

    Returns
    -------
    pair : tuple of two annotations
        The pair; unchanged if it does not hold two hierarchies, or if they cannot be put on common units. The measure
        then says what does not fit.
    short_spans : int
        Number of spans that are shorter than the tolerance and were left out.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(h, Hierarchy) for h in pair):
        return pair, 0
    try:
        shared, short_spans = common_units(dict(zip("ab", pair, strict=True)), tolerance=tolerance)
    except HierarchyError:
        return pair, 0
    return (shared["a"], shared["b"]), short_spans


def levels_as_types(corpus: Corpus) -> Corpus:
    """Every hierarchy flattened to its boundaries, with levels as types.

    A boundary of type ``"2"`` stands wherever a span of level 2 begins or ends inside the text. All declare as many types as
    the deepest has levels, in order, so that S, B and the confusion matrix apply: a boundary on the wrong level is a
    substitution, the cheaper the nearer the levels are. Hierarchies in time need the same units first:
    :func:`over_common_units`.

    >>> ann = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2), (3, 4)])
    >>> bo = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> corpus = levels_as_types(Corpus({"talk": {"ann": ann, "bo": bo}}))
    >>> corpus["talk", "ann"].boundaries
    ((2, '3'), (4, '2'), (4, '3'))
    >>> corpus["talk", "bo"].types
    ('1', '2', '3')
    """
    given = {item: _hierarchies(corpus, item) for item in corpus.item_names}
    deepest = max((one.depth for by_coder in given.values() for one in by_coder.values()), default=1)
    flat: dict[str, dict[str, Segmentation]] = {
        item: {coder: one.segmentation(deepest) for coder, one in by_coder.items()} for item, by_coder in given.items()
    }
    return Corpus(flat)


def _hierarchies(corpus: Corpus, item: str) -> dict[str, Hierarchy]:
    found: dict[str, Hierarchy] = {}
    for coder, one in corpus.of_item(item).items():
        if not isinstance(one, Hierarchy):
            raise OptionError(f"item {item!r}, coder {coder!r}: a Hierarchy is needed; got {type(one).__name__}")
        found[coder] = one
    return found
