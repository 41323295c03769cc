"""Convert tiers and timed hierarchies to units that all coders of an item share, and flatten hierarchies.

A measure needs units and positions between them. A tier has only times. If a recording has words, the words are the
units. Otherwise time is divided into equal steps, or at the times that the coders marked.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from operator import itemgetter
from typing import Any

from caesura.errors import HierarchyError, InputError, OptionError, TierError
from caesura.model import checks
from caesura.model.annotation import Axis
from caesura.model.corpus import Corpus, by_item, convert_items
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy, common_units
from caesura.model.segmentation import UNTYPED, Segmentation, check_types, sort_types
from caesura.model.tier import Interval, Tier
from caesura.model.value import count_of
from caesura.notices import collect_warnings, warn
from caesura.options import choice, non_negative

# Seconds within which marks of different coders are merged if the units are the union of their times.
DEFAULT_TOLERANCE = 0.05

_PLAIN = UNTYPED[0]
_MAX_TYPES = 20  # a tier with more labels is a transcription
_MIN_LABELS = 3
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)
_ROUNDING = 1e-9  # seconds: rounding error of sums of binary floating-point numbers
_UNION_WARNING = (
    "the units are the union of the coders' times: every position is marked by a coder, and an additional coder changes "
    "the scores of the others. Do not trust S, Pk, WindowDiff or chance-corrected coefficients here; compare seconds "
    "instead, for example with F1@0.5s or purity_coverage; files with tiers may also have a word tier, or equal steps "
    "(units=0.01)"
)

# ``"words"``, ``"union"``, the length of a step in seconds, or None (words if there are any, else the union).
Units = str | float | None


def over_units(
    corpus: Corpus,
    units: Units = None,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    labels: str | None = "types",
    types: Iterable[str | int] | None = None,
    excluded: list[InputError] | None = None,
) -> tuple[Corpus, dict[str, str]]:
    """Convert the tiers of each item to segmentations over the same units; also return notes on edges that moved.

    Parameters
    ----------
    corpus : Corpus
        Annotations. Items without tiers are returned unchanged.
    units : {"words", "union"} or float, optional
        Units of the segmentations; see Notes (default: words if the tiers have any, else the union).
    tolerance : float, default 0.05
        With ``units="union"``: marks of different coders at most this many seconds apart are merged.
    labels : {"types", "ignore"} or None, default "types"
        Whether labels become boundary types. Use ``"ignore"`` if the coders only marked segments. With None, labels that
        are a transcription, or number the segments, are ignored.
    types : iterable of str or int, optional
        Boundary types in ordinal order (default: those that occur). The plain type ``"boundary"`` is put before them
        unless the list contains it.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.

    Returns
    -------
    corpus : Corpus
        Segmentations.
    notes : dict of str to str
        Item -> the edges that moved and the intervals that became empty.

    Raises
    ------
    TierError
        If the tiers of an item cannot be converted to these units, for example because two intervals of a coder end at the
        same position.
    OptionError
        If an option is invalid.

    Warns
    -----
    CaesuraWarning
        If the units are the union of the coders' times.

    Notes
    -----
    Each item is converted separately, with all its coders together. In a dialogue, each stream is converted separately. The
    units are

    - ``"words"``: the words of the tiers. The edge of an interval moves to the gap between words in which it lies, or else
      to the nearest gap. Silence between two words is part of the gap. The notes report the largest shift.
    - a number of seconds, such as ``0.01``: equal steps. An edge moves to the nearest step.
    - ``"union"``: the times that the coders marked. The times are sorted. A group starts at a time t and contains the times
      up to t + ``tolerance``, but never two times of the same coder. Every group is a position. Every position is therefore
      marked by at least one coder, and an additional coder changes the scores of the others. Interpret S, Pk, WindowDiff
      and chance-corrected coefficients with care. The text of a unit is its time, which prevents a comparison of
      segmentations over different times.

    Both edges of an interval are boundaries. The label is the type of the boundary at the end of the interval. A boundary
    where an interval starts and no interval ends has the plain type ``"boundary"``. There is no boundary at the very
    beginning. A point is a boundary whose type is its label, or the plain type if it has no label. If a tier has
    intervals and points, its points are not boundaries.

    Examples
    --------
    >>> words = [(0, 0.4, "good"), (0.4, 0.9, "night"), (1.2, 1.6, "moon")]
    >>> ann = Tier([(0, 1.0, "phrase"), (1.2, 1.6, "call")], words=words)
    >>> corpus, notes = over_units(Corpus({"song": {"ann": ann}}), "words")
    >>> corpus["song", "ann"].boundaries, corpus["song", "ann"].units
    (((2, 'phrase'), (3, 'call')), ('good', 'night', 'moon'))
    """
    chosen = check_units("units", units)
    seconds = non_negative()("tolerance", tolerance)
    if labels is None:
        labels = "ignore" if are_no_types(tiers_of_corpus(corpus)) else "types"
    typed = choice("types", "ignore")("labels", labels) == "types"
    converted, axes = _convert(corpus, chosen, seconds, excluded)
    texts = [text for item in axes for entry in converted[item].values() for text in entry.texts.values()]
    occurring = {name for text in texts if text.boundary_positions.size for name in text.types}
    scale = sort_types(occurring) or UNTYPED
    if typed and types is not None:
        declared = check_types(types)
        scale = (_PLAIN, *declared) if _PLAIN in occurring and _PLAIN not in declared else declared

    def with_scale(item: str, stream: str, sides: Mapping[str, Segmentation]) -> dict[str, Segmentation]:
        scaled = {}
        for coder, text in sides.items():
            with _errors_of(coder):
                untyped = Segmentation.from_valid_entries(text.length, text.inner, units=text.units)
                scaled[coder] = text.with_types(scale, types_declared=types is not None) if typed else untyped
        return scaled

    annotations = convert_items(Corpus(converted), with_scale, TierError, excluded, lambda item, _: item not in axes)
    notes: dict[str, str] = {}
    for item in annotations:
        by_stream = {stream: _note(sides) for stream, sides in axes.get(item, {}).items()}
        named = (f"stream {stream!r}: {note}" if stream else note for stream, note in by_stream.items() if note)
        if note := "; ".join(named):
            notes[item] = note
    return Corpus(annotations).with_origin(corpus), notes


def tiers_over_units(
    corpora: Sequence[Corpus], *, excluded: list[InputError] | None = None
) -> tuple[list[Corpus], dict[str, str]]:
    """Convert the tiers of several corpora to segmentations, with the same units for all annotations of an item."""
    if not any(corpus.holds(Tier) for corpus in corpora):
        return list(corpora), {}
    options = _tier_options(corpora)
    notes: dict[str, str] = {}

    def convert(corpus: Corpus) -> Corpus:
        converted, messages = over_units(corpus, excluded=excluded, **options)
        notes.update(messages)
        return converted

    return convert_together(corpora, convert), notes


def _tier_options(corpora: Sequence[Corpus]) -> dict[str, Any]:
    """Return the options of ``over_units`` in the source of the first corpus that has any."""
    sources = [corpus.source for corpus in corpora if corpus.source is not None and corpus.source.tier_options]
    return {"labels": None} | (dict(sources[0].tier_options) if sources else {})


# Item, coder and stream -> position of a boundary -> the time at which the coder put it.
BoundaryTimes = Mapping[tuple[str, str, str], Mapping[int, float]]


def boundary_times(corpus: Corpus) -> BoundaryTimes:
    options = _tier_options([corpus])
    errors: list[InputError] = []
    with collect_warnings():  # the conversion itself issues them
        units, tolerance = check_units("units", options.get("units")), options.get("tolerance", DEFAULT_TOLERANCE)
        _, axes = _convert(corpus, units, tolerance, errors)
    times = {}
    for item, by_stream in axes.items():
        for stream, sides in by_stream.items():
            for coder, (tier, axis) in sides.items():
                at = {axis.place(interval.start): interval.start for interval in tier.intervals[::-1]}
                at.pop(0, None)
                times[item, coder, stream] = at | {axis.place(row[-2]): row[-2] for row in tier.rows}
    return times


def convert_together(
    corpora: Sequence[Corpus], convert: Callable[[Corpus], Corpus], names: Sequence[str] = ()
) -> list[Corpus]:
    """Merge several corpora, convert the merged corpus and split it again."""
    # If each corpus has exactly one item, these items are treated as the same item, even if their names differ.
    one_item = all(len(corpus.item_names) == 1 for corpus in corpora)
    annotations: dict[str, dict[str, Annotation]] = {}
    origins: dict[tuple[str, str], tuple[int, str, str]] = {}
    for i, corpus in enumerate(corpora):
        for item, coder in corpus:
            common_item = corpora[0].item_names[0] if one_item else item
            by_coder = annotations.setdefault(common_item, {})
            place = f"{names[i]}, {i + 1}" if names else str(i + 1)
            unique_coder = coder if coder not in by_coder else f"{coder} ({place})"
            by_coder[unique_coder] = corpus[item, coder]
            origins[common_item, unique_coder] = i, item, coder
    converted = convert(Corpus(annotations))
    parts: list[list[Any]] = [[] for _ in corpora]
    for key, annotation in converted.items():
        i, item, coder = origins[key]
        parts[i].append(((item, coder), annotation))
    together = zip(parts, corpora, strict=True)
    return [Corpus(by_item(part)).with_source(corpus.source).with_origin(corpus) for part, corpus in together]


def tiers_of_corpus(corpus: Corpus) -> list[Tier]:
    return [tier for annotation in corpus.values() for tier in annotation.tiers.values()]


def are_no_types(tiers: Iterable[Tier]) -> bool:
    """Return whether the labels of tiers are no boundary types: they are a transcription, or number the segments."""
    listed = list(tiers)
    return are_transcription(label_counts(listed)) or number_segments(listed)


def label_counts(tiers: Iterable[Tier]) -> Counter[str]:
    return Counter(label for tier in tiers for label in _labels(tier))


def are_transcription(labels: Mapping[str, int]) -> bool:
    """Return whether labels are a transcription and not a set of types."""
    single = sum(number == 1 for number in labels.values())
    if len(labels) > 2:
        return len(labels) > _MAX_TYPES or 2 * single > len(labels)
    return bool(labels) and single == len(labels) and all(len(label.split()) > 1 for label in labels)


def _labels(tier: Tier) -> list[str]:
    return [row.label.strip() for row in tier.rows if row.label.strip()]


def number_segments(tiers: Iterable[Tier]) -> bool:
    """Return whether labels only number the segments of each tier, such as ``u1``, ``u2``, ``u3``."""
    beginnings: set[str] = set()
    longest = 0
    for tier in tiers:
        parts = [_NUMBERED.fullmatch(label) for label in _labels(tier)]
        if not all(parts):
            return False
        beginnings |= {match[1] for match in parts if match}
        numbers = [int(match[2]) for match in parts if match]
        if len(beginnings) > 1 or numbers != sorted(set(numbers)):
            return False
        longest = max(longest, len(numbers))
    return longest >= _MIN_LABELS


def never_repeat(tiers: Iterable[Tier]) -> bool:
    """Return whether no label occurs twice in a tier, although every tier has several."""
    numbers = [(len(labels), len({*labels})) for labels in map(_labels, tiers)]
    return bool(numbers) and all(number == distinct >= _MIN_LABELS for number, distinct in numbers)


def check_units(name: str, value: object) -> Units:
    if value is None or (isinstance(value, str) and value in ("words", "union")):
        return value
    seconds = checks.finite_number(value)
    if seconds is None or seconds <= 0:
        raise OptionError(f"{name} must be 'words', 'union' or a number of seconds above 0; got {value!r}")
    return seconds


# Coder -> the tier of a stream, and the axis of its units.
_Sides = dict[str, tuple[Tier, Axis]]


def _convert(
    corpus: Corpus, units: Units, tolerance: float, excluded: list[InputError] | None
) -> tuple[dict[str, dict[str, Annotation]], dict[str, dict[str, _Sides]]]:
    """Return item -> coder -> annotation with all labels as types; and item -> stream -> tiers and axes, if it has tiers."""
    tiers = tiers_of_corpus(corpus)
    chosen = units or ("words" if any(tier.words is not None for tier in tiers) else "union")
    if chosen == "union" and tiers:
        warn(_UNION_WARNING)
    axes: dict[str, dict[str, _Sides]] = {}

    def convert(item: str, stream: str, sides: Mapping[str, Any]) -> dict[str, Annotation]:
        for coder, tier in sides.items():
            if not isinstance(tier, Tier):
                raise TierError(f"all coders must have tiers, or none; {coder!r} has a {type(tier).__name__}")
        axis = common_axis(sides, chosen, tolerance)
        axes.setdefault(item, {})[stream] = {coder: (tier, axis[coder]) for coder, tier in sides.items()}
        texts = {}
        for coder, tier in sides.items():
            with _errors_of(coder):
                texts[coder] = tier.on(axis[coder])
        return texts

    def has_no_tiers(item: str, by_coder: Mapping[str, Annotation]) -> bool:
        return not any(entry.tiers for entry in by_coder.values())

    converted = convert_items(corpus, convert, TierError, excluded, has_no_tiers)
    return converted, {item: by_stream for item, by_stream in axes.items() if item in converted}


@contextmanager
def _errors_of(coder: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise TierError(f"coder {coder!r}: {error}") from None


def common_axis(
    tiers: Mapping[str, Tier], units: str | float = "union", tolerance: float = DEFAULT_TOLERANCE
) -> dict[str, Axis]:
    """Return the axis of each coder of an item: all coders have the same units, which may have times of the coder."""
    if units == "words":
        return _words_axis(tiers)
    begin, end = min(tier.begin for tier in tiers.values()), max(tier.end for tier in tiers.values())
    if units == "union":
        return _union_axis(tiers, begin, end, tolerance)
    step = float(units)
    steps = (end - begin) / step
    if steps < 1:
        raise TierError(f"a step must not be longer than the recording, {end - begin:.10g} s; got {step:.10g} s")
    if steps > 2**31:
        raise TierError(f"a step of {step:.10g} s gives too many units in {end - begin:.10g} s; choose a longer step")

    def place(time: float) -> int:
        return math.floor((time - begin) / step + 0.5 + _ROUNDING)

    return dict.fromkeys(tiers, Axis(0, place(end), place=place))


def _note(sides: _Sides) -> str:
    notes = []
    moved = [
        (_shift(axis, time), f"for coder {coder!r} at {time:.10g} s")
        for coder, (tier, axis) in sides.items()
        for time in (*(row[-2] for row in tier.rows), *(interval.start for interval in tier.intervals))
    ]
    shift, edge = max(moved, key=itemgetter(0), default=(0.0, ""))
    if shift > _ROUNDING:
        notes.append(f"edges were moved to the nearest gap between words; the largest shift is {shift:.3g} s, {edge}")
    empty = sum(axis.place(row.start) == axis.place(row.end) for tier, axis in sides.values() for row in tier.intervals)
    if empty:
        contain, become = ("contains", "becomes") if empty == 1 else ("contain", "become")
        notes.append(f"{count_of(empty, 'interval')} {contain} no unit and {become} a single boundary")
    return "; ".join(notes)


def _shift(axis: Axis, time: float) -> float:
    """Return the distance from a time inside a word to the nearest edge of the word."""
    words = axis.times if axis.times is not None else ()
    gap = bisect_right(words, time, key=itemgetter(1))
    return 0.0 if gap == len(words) else max(0.0, min(time - words[gap][0], words[gap][1] - time))


def _words_axis(tiers: Mapping[str, Tier]) -> dict[str, Axis]:
    """Return axes that place times by each coder's own words. All coders must have the same words."""
    words_by_coder = {coder: tier.words for coder, tier in tiers.items() if tier.words}
    if not words_by_coder:
        raise TierError(
            "the units are words, but the tiers have no words; set the word tier, or choose different units"
        )
    first, words = next(iter(words_by_coder.items()))
    for coder, own in words_by_coder.items():
        rule = "coders must have the same words"
        for i, (x, y) in enumerate(zip(words, own, strict=False), 1):
            if x.label != y.label:
                raise TierError(f"{rule}; word {i} is {x.label!r} for {first} and {y.label!r} for {coder}")
        if len(words) != len(own):
            raise TierError(f"{rule}; {first} has {len(words)} words and {coder} has {len(own)}")
    tokens = tuple(word.label for word in words)

    def axis(own: Sequence[Interval]) -> Axis:
        starts, ends = [word.start for word in own], [word.end for word in own]

        def place(time: float) -> int:
            gap = bisect_right(ends, time)
            if gap == len(own) or time <= starts[gap]:
                return gap
            return gap if time - starts[gap] < ends[gap] - time else gap + 1

        return Axis(0, len(own), tokens=tokens, times=tuple(zip(starts, ends, strict=True)), place=place)

    return {coder: axis(words_by_coder.get(coder, words)) for coder in tiers}


def _union_axis(tiers: Mapping[str, Tier], begin: float, end: float, tolerance: float) -> dict[str, Axis]:
    if end - begin <= tolerance:
        raise TierError(f"tolerance must be shorter than the recording, {end - begin:.10g} s; got {tolerance:.10g} s")
    groups: dict[str, dict[float, int]] = {coder: {} for coder in tiers}  # the group of each time of each coder
    first_times = [begin]
    # An interval may start at the beginning of the recording without a boundary there; a point is always a boundary.
    in_group = {coder for coder, tier in tiers.items() if tier.points and not tier.intervals}
    marked = {(time, coder) for coder, tier in tiers.items() for row in tier.rows for time in row[:-1]}
    for time, coder in sorted(marked):
        if time > first_times[-1] + tolerance + _ROUNDING or coder in in_group:
            first_times.append(time)
            in_group.clear()
        in_group.add(coder)
        groups[coder][time] = len(first_times) - 1 if time > begin else 0
    # If no coder marked the end of the recording, it joins the last group or ends one more unit.
    if len(first_times) == 1 or end > first_times[-1] + tolerance + _ROUNDING:
        first_times.append(end)
    # The text of a unit is its time, which prevents a comparison of segmentations over different times.
    units = tuple(f"{start:.10g}-{stop:.10g} s" for start, stop in pairwise(first_times))
    return {coder: Axis(0, len(units), tokens=units, place=group.__getitem__) for coder, group in groups.items()}


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
    merged = by_item((key, _hierarchy(corpus, key)) for key in corpus)
    notes: dict[str, str] = {}
    for item, by_coder in merged.items():
        try:
            merged[item], dropped = common_units(by_coder, tolerance=tolerance)
            if dropped:
                notes[item] = short_spans_note(dropped, tolerance=tolerance)
        except HierarchyError as error:
            notes[item] = str(error)
    return Corpus(merged).with_origin(corpus), notes


def short_spans_note(number: int, *, tolerance: float = 0.5) -> str:
    present, past = ("is", "was") if number == 1 else ("are", "were")
    return f"{count_of(number, 'span')} {present} shorter than the tolerance of {tolerance:g} s and {past} dropped"


def pair_over_common_units(pair: Any, *, tolerance: float = 0.5) -> tuple[Any, int]:
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
    depth = max((_hierarchy(corpus, key).depth for key in corpus), default=1)
    return Corpus(by_item((key, _hierarchy(corpus, key).segmentation(depth)) for key in corpus))


def _hierarchy(corpus: Corpus, key: tuple[str, str]) -> Hierarchy:
    if isinstance(annotation := corpus[key], Hierarchy):
        return annotation
    raise OptionError(f"item {key[0]!r}, coder {key[1]!r}: expected a Hierarchy; got {type(annotation).__name__}")
