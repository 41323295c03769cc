"""Make a corpus of hierarchies comparable: put them over common units, or flatten them to typed boundaries."""

from __future__ import annotations

from typing import Any

from caesura.errors import HierarchyError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.display import count_of
from caesura.model.hierarchy import Hierarchy, common_units
from caesura.model.segmentation import Segmentation


def over_common_units(corpus: Corpus, *, tolerance: float = 0.5) -> tuple[Corpus, dict[str, str]]:
    """Return the timed hierarchies of each item over common units, and notes on the spans that were dropped.

    Parameters
    ----------
    corpus : Corpus
        Hierarchies. Hierarchies over text are returned unchanged.
    tolerance : float, default 0.5
        Times at most this many seconds apart are merged; see :func:`~caesura.common_units`.

    Returns
    -------
    corpus : Corpus
        The hierarchies. An item whose coders have no common units is returned unchanged.
    notes : dict of str to str
        Item -> how many spans were dropped, or why the coders have no common units.

    Raises
    ------
    OptionError
        If an annotation is not a hierarchy.

    Examples
    --------
    >>> ann = Hierarchy.from_times([(0, 10), (0, 5), (5, 5.25)])
    >>> bo = Hierarchy.from_times([(0, 10), (0, 5.25)])
    >>> corpus, notes = over_common_units(Corpus({"song": {"ann": ann, "bo": bo}}))
    >>> corpus["song", "ann"].length, corpus["song", "bo"].extent, notes
    (2, 20, {'song': '1 span is shorter than the tolerance of 0.5 s and was dropped'})
    """
    merged: dict[str, dict[str, Hierarchy]] = {}
    notes: dict[str, str] = {}
    for item in corpus.item_names:
        by_coder = _hierarchies_of(corpus, item)
        try:
            merged[item], dropped = common_units(by_coder, tolerance=tolerance)
        except HierarchyError as error:
            merged[item], notes[item] = by_coder, str(error)
            continue
        if dropped:
            notes[item] = short_spans_note(dropped, tolerance=tolerance)
    return Corpus(merged), notes


def short_spans_note(number: int, *, tolerance: float = 0.5) -> str:
    """Return a sentence about the spans that are too short for common units.

    Parameters
    ----------
    number : int
        Number of short spans.
    tolerance : float, default 0.5
        Times at most this many seconds apart count as equal.

    Returns
    -------
    str
        The sentence.
    """
    present, past = ("is", "was") if number == 1 else ("are", "were")
    return f"{count_of(number, 'span')} {present} shorter than the tolerance of {tolerance:g} s and {past} dropped"


def pair_over_common_units(pair: Any, *, tolerance: float = 0.5) -> tuple[Any, int]:
    """Put two timed hierarchies over common units.

    Parameters
    ----------
    pair : tuple of two annotations
        Reference and hypothesis.
    tolerance : float, default 0.5
        Times at most this many seconds apart count as equal.

    Returns
    -------
    pair : tuple of two annotations
        The pair over common units. It is returned unchanged if it does not consist of two hierarchies or if common units
        cannot be computed; the measure then raises the error.
    short_spans : int
        Number of spans that were dropped because they are shorter than the tolerance.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(h, Hierarchy) for h in pair):
        return pair, 0
    try:
        shared, short_spans = common_units(dict(zip("ab", pair, strict=True)), tolerance=tolerance)
    except HierarchyError:
        return pair, 0
    return (shared["a"], shared["b"]), short_spans


def levels_as_types(corpus: Corpus) -> Corpus:
    """Flatten every hierarchy to a segmentation whose boundary types are levels.

    Parameters
    ----------
    corpus : Corpus
        Hierarchies over text. Convert timed hierarchies to common units first, with :func:`over_common_units`.

    Returns
    -------
    Corpus
        Segmentations. Each declares as many types as the deepest hierarchy has levels.

    Raises
    ------
    OptionError
        If an annotation is not a hierarchy.

    Notes
    -----
    There is a boundary of type ``"2"`` at every position inside the text where a span of level 2 begins or ends. S, B and
    the confusion matrix can then be computed. A boundary on the wrong level is a substitution, which costs less if the
    levels are closer.

    Examples
    --------
    >>> ann = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2), (3, 4)])
    >>> bo = Hierarchy(6, [(1, 6), (1, 3), (4, 6)])
    >>> corpus = levels_as_types(Corpus({"talk": {"ann": ann, "bo": bo}}))
    >>> corpus["talk", "ann"].boundaries
    ((2, '3'), (4, '2'), (4, '3'))
    >>> corpus["talk", "bo"].types
    ('1', '2', '3')
    """
    by_item = {item: _hierarchies_of(corpus, item) for item in corpus.item_names}
    depth = max((hierarchy.depth for by_coder in by_item.values() for hierarchy in by_coder.values()), default=1)
    flat: dict[str, dict[str, Segmentation]] = {}
    for item, by_coder in by_item.items():
        flat[item] = {coder: hierarchy.segmentation(depth) for coder, hierarchy in by_coder.items()}
    return Corpus(flat)


def _hierarchies_of(corpus: Corpus, item: str) -> dict[str, Hierarchy]:
    """Return the hierarchies of an item; raise an error if one of its annotations is not a hierarchy."""
    hierarchies: dict[str, Hierarchy] = {}
    for coder, annotation in corpus.of_item(item).items():
        if not isinstance(annotation, Hierarchy):
            raise OptionError(f"item {item!r}, coder {coder!r}: expected a Hierarchy; got {type(annotation).__name__}")
        hierarchies[coder] = annotation
    return hierarchies
