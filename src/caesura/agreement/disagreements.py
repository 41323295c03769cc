"""The places at which coders disagree, with the text around them and what each disagreement costs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, ClassVar, cast

from caesura.agreement.majority import majority
from caesura.agreement.pairwise import Key, check_coders, check_corpus, score_keys
from caesura.errors import CaesuraWarning, InputError, MismatchError, OptionError
from caesura.measures.base import Measure
from caesura.measures.many import Scores
from caesura.measures.registry import default_measures, measures, parse
from caesura.model.common_units import (
    BoundaryTimes,
    boundary_times,
    levels_as_types,
    over_common_units,
    tiers_over_units,
)
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, streams_of, tiers_of
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import HIDDEN, Edit, Excluded, Result, signature_line, to_plain
from caesura.model.segmentation import UNTYPED
from caesura.model.signature import with_data
from caesura.options import suggest

MAJORITY = "majority"
"""Value of ``against`` that compares every coder with what more than half of the coders marked."""

KINDS = {
    "deletion": "miss",
    "insertion": "miss",
    "transposition": "near miss",
    "substitution": "different type",
    "transposition with substitution": "near miss, different type",
}
"""Kind of edit -> kind of disagreement."""

_SPAN = "span"
_CONTEXT_UNITS = 5  # units of text on each side, unless fewer are long enough
_CONTEXT_CHARACTERS = 30
_MAX_UNITS_BETWEEN = 12

Mark = tuple[int, str | None]
"""Position and type of a boundary; the type is None if boundaries have no types."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One disagreement of two coders.

    Attributes
    ----------
    item : str
        Name of the item.
    stream : str or None
        Stream of a dialogue.
    coders : tuple of (str, str)
        The two coders; with ``against``, the reference first.
    kind : str
        ``"miss"`` (only one coder has the boundary), ``"near miss"`` (their boundaries are a few positions apart),
        ``"different type"``, ``"near miss, different type"``, or ``"span"`` (only one coder has the span).
    positions : tuple of (int or None, int or None)
        Position of each coder's boundary; None for the coder who has none. For a span, the position before it.
    times : tuple of (float or None, float or None)
        Time of each coder's boundary in seconds, if it is known.
    types : tuple of (str or None, str or None)
        Type of each coder's boundary, if there are types; the level or label of a span.
    cost : float
        Cost under the measure.
    before, between, after : str
        Text before the first position, between the two positions or inside the span, and after the last position; empty
        if the text is not known.
    span : tuple of (int, int) or None
        First and last unit of a span.
    """

    item: str
    stream: str | None
    coders: tuple[str, str]
    kind: str
    positions: tuple[int | None, int | None]
    times: tuple[float | None, float | None]
    types: tuple[str | None, str | None]
    cost: float
    before: str = ""
    between: str = ""
    after: str = ""
    span: tuple[int, int] | None = None

    @property
    def position(self) -> int:
        """The leftmost position."""
        return min(position for position in self.positions if position is not None)

    @property
    def time(self) -> float | None:
        """The earliest time; None if times are not known."""
        return min((time for time in self.times if time is not None), default=None)

    @property
    def has(self) -> tuple[str, ...]:
        """The coders who have a boundary, or the span."""
        return tuple(coder for coder, at in zip(self.coders, self.positions, strict=True) if at is not None)

    @property
    def has_not(self) -> tuple[str, ...]:
        """The coder who has none."""
        return tuple(coder for coder, at in zip(self.coders, self.positions, strict=True) if at is None)

    def __json__(self) -> dict[str, Any]:
        """Return the fields, the leftmost position and time, and who has a boundary."""
        extra = ("position", "time", "has", "has_not")
        names = (*(entry.name for entry in fields(self)), *extra)
        return {name: to_plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True)
class DisagreementPlace:
    """A place at which coders disagree: the disagreements of all pairs at the same or linked positions.

    Attributes
    ----------
    item : str
        Name of the item.
    stream : str or None
        Stream of a dialogue.
    positions : tuple of int
        The positions, in ascending order; several if near misses link them. For a span, the position before it.
    times : tuple of float
        Times of the boundaries there, in seconds and ascending order; empty if they are not known.
    kinds : tuple of str
        Kinds of the disagreements, the costliest first.
    marks : mapping of str to tuple
        Coder -> positions and types of the coder's boundaries here.
    mark_times : mapping of str to tuple of float
        Coder -> times of these boundaries, in seconds; empty if they are not known.
    has, has_not : tuple of str
        Coders of the item who have a boundary here, and those who have none.
    pairs : int
        Number of disagreements between two coders.
    cost : float
        Sum of the costs of these disagreements.
    before, between, after : str
        Text before the first position, between the positions (with ``|`` at those inside) or inside the span, and after the
        last position.
    span : tuple of (int, int) or None
        First and last unit of a span.
    rows : tuple of Disagreement
        The disagreements.
    """

    item: str
    stream: str | None
    positions: tuple[int, ...]
    times: tuple[float, ...]
    kinds: tuple[str, ...]
    marks: Mapping[str, tuple[Mark, ...]]
    mark_times: Mapping[str, tuple[float, ...]]
    has: tuple[str, ...]
    has_not: tuple[str, ...]
    pairs: int
    cost: float
    before: str
    between: str
    after: str
    span: tuple[int, int] | None
    rows: tuple[Disagreement, ...] = field(repr=False, metadata=HIDDEN)

    @property
    def position(self) -> int:
        """The leftmost position."""
        return self.positions[0]

    @property
    def time(self) -> float | None:
        """The earliest time; None if times are not known."""
        return self.times[0] if self.times else None

    @property
    def kind(self) -> str:
        """The kind of disagreement that costs most here."""
        return self.kinds[0]

    @property
    def label(self) -> str:
        """Who has a boundary here and who has none, in a few words for a tier: ``ann, cy | not bo``."""
        moved = next((f"{kind}: " for kind in self.kinds if kind not in ("miss", _SPAN)), "")
        has_not = f" | not {', '.join(self.has_not)}" if self.has_not else ""
        return moved + ", ".join(map(self.coder_label, self.has)) + has_not

    def coder_label(self, coder: str) -> str:
        """Return a coder with the types of the coder's boundaries here, if coders differ in them.

        Parameters
        ----------
        coder : str
            One of the coders in ``has``.

        Returns
        -------
        str
            The name, or the name and the types in brackets.
        """
        names = {name: tuple(entry for _, entry in marks if entry is not None) for name, marks in self.marks.items()}
        return f"{coder} ({' '.join(names[coder])})" if len(set(names.values())) > 1 else coder


@dataclass(frozen=True, eq=False)
class Disagreements(Result):
    """All disagreements of the coders of a corpus, the costliest place first.

    Attributes
    ----------
    measure : Measure
        Measure that aligns the coders and sets the costs.
    against : str or None
        ``"majority"`` or the coder with whom every coder is compared; None if all pairs are compared.
    coders, items : tuple of str
        The coders, and the items that were compared.
    compared : int
        Number of comparisons of two coders on an item.
    rows : tuple of Disagreement
        One row per disagreement of two coders, in the order of the places.
    places : tuple of DisagreementPlace
        Disagreements of all pairs at one place together, the costliest place first.
    excluded : tuple of Excluded
        Items that could not be compared.
    signature : str
        One line with everything needed to reproduce the list.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("cost", "by_item", "by_coder", "by_kind")
    frame_field: ClassVar[str] = "rows"

    measure: Measure
    against: str | None
    coders: tuple[str, ...]
    items: tuple[str, ...]
    compared: int
    rows: tuple[Disagreement, ...] = field(repr=False)
    places: tuple[DisagreementPlace, ...] = field(repr=False)
    excluded: tuple[Excluded, ...]
    signature: str

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def cost(self) -> float:
        """Sum of all costs."""
        return sum(row.cost for row in self.rows)

    @cached_property
    def by_item(self) -> dict[str, float]:
        """Item -> sum of its costs, the costliest first; items without disagreements cost 0."""
        return _sums(self.items, ((row.item, row.cost) for row in self.rows))

    @cached_property
    def by_coder(self) -> dict[str, float]:
        """Coder -> sum of the costs of the disagreements in which the coder takes part, the largest first."""
        return _sums(
            self.coders, ((coder, row.cost) for row in self.rows for coder in row.coders if coder in self.coders)
        )

    @cached_property
    def by_kind(self) -> dict[str, float]:
        """Kind -> sum of its costs, the costliest first."""
        return _sums((), ((row.kind, row.cost) for row in self.rows))


def _sums(names: Iterable[str], costs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums = dict.fromkeys(names, 0.0)
    for name, cost in costs:
        sums[name] = sums.get(name, 0.0) + cost
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))


def disagreements(corpus: Corpus, *, measure: str | Measure | None = None, against: str | None = None) -> Disagreements:
    """List where coders disagree: every disagreement of every pair, and the places where they meet.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, hierarchies, or tiers in seconds, which are converted to units. Rows about tiers have
        times.
    measure : str or Measure, optional
        Measure that aligns the boundaries of two coders, or matches their spans, and sets the costs (default: B with
        n_t = 2, S_f for dialogues, the spans themselves for hierarchies). A measure of boundaries compares hierarchies by
        their boundaries, with levels as types.
    against : str, optional
        ``"majority"``, to compare every coder with what more than half of the coders marked, or the name of a coder, to
        compare the others with that coder (default: every pair of coders).

    Returns
    -------
    Disagreements
        ``rows`` has one entry per disagreement of two coders, ``places`` one entry per place; both begin with the
        costliest place.

    Raises
    ------
    OptionError
        If there are fewer than two coders, no item has two coders, the coder is unknown, the measure does not align, or
        the corpus contains trees.

    Notes
    -----
    The disagreements of two coders are the edits of the measure that cost something: ``score.edits``. The sum of the costs
    over ``rows`` is therefore the sum of the costs of these edits over all pairs and items. Two disagreements belong to the
    same place if they share a position, or if near misses link their positions. A place on which many pairs disagree costs
    more than one that only one coder sees differently.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> words = "the valve stuck and then the engine stopped".split()
    >>> coders = {"ann": [3, 5], "bo": [8], "cy": [3, 5]}
    >>> item = {coder: Segmentation.from_masses(masses, units=words) for coder, masses in coders.items()}
    >>> result = disagreements(Corpus({"engine": item}))
    >>> place = result.places[0]
    >>> place.has, place.has_not, place.cost
    (('ann', 'cy'), ('bo',), 2.0)
    >>> f"{place.before} | {place.after}"
    'the valve stuck | and then the engine stopped'
    >>> [(row.coders, row.kind, row.cost) for row in result.rows]
    [(('ann', 'bo'), 'miss', 1.0), (('bo', 'cy'), 'miss', 1.0)]
    """
    check_corpus(corpus)
    check_coders(corpus.coders)
    chosen = _check_measure(measure, corpus)
    prepared = _prepare(corpus, chosen)
    reference = _check_against(against, corpus)
    excluded: dict[str, str] = {}
    keys = _keys(prepared.corpus, reference, excluded)
    if reference == MAJORITY and MAJORITY not in corpus.coders:
        prepared = _with_majority(prepared, chosen, excluded)
    keys, scores = score_keys(prepared.corpus, chosen, keys, "threads", excluded)
    texts = _Texts(prepared, typed=scores.types != UNTYPED)
    places = sorted(_places(texts, _rows(texts, keys, scores)), key=_rank)
    facts = {"coders": len(corpus.coders), "against": reference or "pairs"}
    signature = signature_line("disagreements", over=scores.total.signature, **facts)
    return Disagreements(
        measure=chosen,
        against=reference,
        coders=corpus.coders,
        items=tuple(dict.fromkeys(item for item, _, _ in keys)),
        compared=len(keys),
        rows=tuple(row for place in places for row in place.rows),
        places=tuple(places),
        excluded=(*prepared.excluded, *(Excluded(item, None, reason) for item, reason in excluded.items())),
        signature=with_data(signature, prepared.data, sum(place.cost for place in places)),
    )


def _rank(place: DisagreementPlace) -> tuple[float, int, str, str, int]:
    """Return the sort key of a place: the costliest first, then that of the most pairs, then by item and position."""
    return -place.cost, -place.pairs, place.item, place.stream or "", place.position


# -- arguments --------------------------------------------------------------------------------------------------------


def aligning_measures(kind: str) -> tuple[str, ...]:
    """Return the names of the measures that list disagreements in a kind of data.

    Parameters
    ----------
    kind : str
        ``"linear"``, ``"dialogue"`` or ``"hierarchy"``.

    Returns
    -------
    tuple of str
        Measures that align boundaries or match spans. Hierarchies can be compared by their boundaries too.
    """
    kinds = ("hierarchy", "linear") if kind == "hierarchy" else (kind,)
    return tuple(name for name, entry in measures().items() if _lists(entry) and set(kinds) & set(entry.kinds))


def _lists(entry: type[Measure]) -> bool:
    """Return whether a measure lists edits or unmatched spans."""
    return entry.align is not Measure.align or entry.unmatched_spans is not Measure.unmatched_spans


def _check_measure(measure: str | Measure | None, corpus: Corpus) -> Measure:
    """Return the measure, or the default for the kind of data."""
    if corpus.kind == "trees":
        raise OptionError("trees have no boundaries to list; compare two files with `caesura trees GOLD PREDICTED`")
    kind = corpus.kind
    if kind == "timed":
        kind = "linear" if all("" in tiers_of(entry) for entry in corpus.values() if tiers_of(entry)) else "dialogue"
    chosen = default_measures("disagreements", kind)[0] if measure is None else parse(measure)
    if chosen.name not in aligning_measures(kind):
        problem = (
            "does not say where coders disagree" if not _lists(type(chosen)) else "cannot compare this kind of data"
        )
        raise OptionError(f"{chosen.name} {problem}; use {', '.join(aligning_measures(kind))}")
    return chosen


def _check_against(against: str | None, corpus: Corpus) -> str | None:
    if against is None or against in corpus.coders or against == MAJORITY:
        return against
    raise OptionError(suggest("against: there is no coder", str(against), [*corpus.coders, MAJORITY]))


@dataclass(frozen=True)
class _Prepared:
    """A corpus over units, and the times of its boundaries.

    Attributes
    ----------
    corpus : Corpus
        Segmentations, dialogues or hierarchies.
    times : mapping
        Item, coder and stream -> position -> time.
    words : mapping
        Item -> whether its units are words; False if they are times.
    data : str
        Fingerprint of the annotations over units.
    majority : bool
        Whether the majority was added as a coder.
    excluded : tuple of Excluded
        Items whose tiers cannot be converted to units.
    """

    corpus: Corpus
    times: BoundaryTimes = field(default_factory=dict)
    words: Mapping[str, bool] = field(default_factory=dict)
    data: str = ""
    majority: bool = False
    excluded: tuple[Excluded, ...] = ()

    @cached_property
    def spans(self) -> bool:
        """Whether there are hierarchies."""
        return self.corpus.holds(Hierarchy)

    def coders(self, item: str) -> list[str]:
        """Return the coders of an item, without the majority."""
        return [coder for coder in self.corpus.of_item(item) if not (self.majority and coder == MAJORITY)]

    def time(self, item: str, coder: str, stream: str | None, position: int | None) -> float | None:
        """Return the time at which a coder put a boundary."""
        if position is None:
            return None
        if not self.times and not self.spans:
            return None
        annotation = self.corpus[item, coder]
        if isinstance(annotation, Hierarchy):
            return None if annotation.edges is None else annotation.edges[position]
        return self.times.get((item, coder, stream or ""), {}).get(position)


def _prepare(corpus: Corpus, measure: Measure) -> _Prepared:
    """Convert tiers and timed hierarchies to units, and keep the times of the boundaries."""
    if any(tiers_of(annotation) for annotation in corpus.values()):
        return _prepare_tiers(corpus)
    if corpus.kind != "hierarchy":
        return _Prepared(corpus, data=corpus.fingerprint)
    shared, notes = over_common_units(corpus)
    for item, note in notes.items():
        warnings.warn(f"item {item!r}: {note}", CaesuraWarning, stacklevel=4)
    if "hierarchy" in measure.kinds:
        return _Prepared(shared, data=shared.fingerprint)
    times = {}
    for (item, coder), annotation in shared.items():
        if isinstance(annotation, Hierarchy) and annotation.edges is not None:
            times[item, coder, ""] = dict(enumerate(annotation.edges))
    return _Prepared(levels_as_types(shared), times, data=shared.fingerprint)


def _prepare_tiers(corpus: Corpus) -> _Prepared:
    errors: list[InputError] = []
    (converted,), notes = tiers_over_units([corpus], excluded=errors)
    for item, note in notes.items():
        warnings.warn(f"item {item!r}: {note}", CaesuraWarning, stacklevel=5)
    if errors and not converted:
        raise errors[0]
    words: dict[str, bool] = {}
    for (item, _), annotation in corpus.items():
        has_words = any(tier.words is not None for tier in tiers_of(annotation).values())
        words[item] = words.get(item, False) or has_words
    excluded = tuple(Excluded(None, None, str(error)) for error in errors)
    return _Prepared(converted, boundary_times(corpus), words, converted.fingerprint, excluded=excluded)


def _keys(corpus: Corpus, against: str | None, excluded: dict[str, str]) -> list[Key]:
    """Return item, first and second coder of every comparison. Items that cannot be compared are added to ``excluded``."""
    keys: list[Key] = []
    for item in corpus.item_names:
        coders = list(corpus.of_item(item))
        if len(coders) < 2:
            excluded[item] = f"coded by {coders[0]} only"
        elif against is None:
            keys += [(item, a, b) for a, b in combinations(coders, 2)]
        elif against == MAJORITY and against not in corpus.coders:
            keys += [(item, against, coder) for coder in coders]
        elif against in coders:
            keys += [(item, against, coder) for coder in coders if coder != against]
        else:
            excluded[item] = f"not coded by {against}"
    return keys


def _with_majority(prepared: _Prepared, measure: Measure, excluded: dict[str, str]) -> _Prepared:
    """Add the majority as a coder. Items whose coders have different units are added to ``excluded``."""
    annotations: dict[str, dict[str, Annotation]] = {}
    for item in prepared.corpus.item_names:
        annotations[item] = by_coder = prepared.corpus.of_item(item)
        try:
            coders = cast("list[Comparable]", list(by_coder.values()))
            by_coder[MAJORITY] = majority(coders, levels=measure.settings.get("level") == "full")
        except MismatchError as error:
            excluded.setdefault(item, str(error))
    return replace(prepared, corpus=Corpus(annotations), majority=True)


# -- disagreements of two coders --------------------------------------------------------------------------------------


class _Texts:
    """The boundaries of the coders and the text around them; everything is looked up once."""

    def __init__(self, prepared: _Prepared, *, typed: bool) -> None:
        self.prepared = prepared
        self.typed = typed
        self._units: dict[tuple[str, str | None], tuple[str, ...] | None] = {}
        self._around: dict[tuple[Any, ...], tuple[str, str, str]] = {}
        self._marks: dict[tuple[str, str, str | None], dict[int, list[Mark]]] = {}

    def marks(self, item: str, coder: str, stream: str | None) -> dict[int, list[Mark]]:
        """Return position -> boundaries of a coder."""
        key = (item, coder, stream)
        if key not in self._marks:
            text = streams_of(self.prepared.corpus[item, coder])[stream or ""]
            at = self._marks[key] = {}
            for position, name in text.boundaries:
                at.setdefault(position, []).append((position, name if self.typed else None))
        return self._marks[key]

    def units(self, item: str, stream: str | None) -> tuple[str, ...] | None:
        """Return the units of a text or stream; None if they are not known, or are times."""
        if (item, stream) not in self._units:
            self._units[item, stream] = self._find_units(item, stream) if self.prepared.words.get(item, True) else None
        return self._units[item, stream]

    def _find_units(self, item: str, stream: str | None) -> tuple[str, ...] | None:
        for annotation in self.prepared.corpus.of_item(item).values():
            text = annotation if isinstance(annotation, Hierarchy) else streams_of(annotation).get(stream or "")
            if text is not None and text.units is not None:
                return text.units
        return None

    def around(self, item: str, stream: str | None, positions: Sequence[int]) -> tuple[str, str, str]:
        """Return the text before, between and after ascending positions."""
        key = (item, stream, *positions)
        if key not in self._around:
            units = self.units(item, stream)
            self._around[key] = ("", "", "") if units is None else _around(units, positions)
        return self._around[key]


def _around(units: Sequence[str], positions: Sequence[int]) -> tuple[str, str, str]:
    first, last = positions[0], positions[-1]
    before = _limited(units[max(0, first - _CONTEXT_UNITS) : first][::-1])[::-1]
    after = _limited(units[last : last + _CONTEXT_UNITS])
    parts = [_joined(units[start:end]) for start, end in pairwise(sorted(set(positions)))]
    if last - first > _MAX_UNITS_BETWEEN and len(parts) == 1:
        ends = (units[first : first + _CONTEXT_UNITS], units[last - _CONTEXT_UNITS : last])
        parts = [" … ".join(map(_joined, ends))]
    return _joined(before), " | ".join(parts), _joined(after)


def _limited(units: Sequence[str]) -> Sequence[str]:
    """Return as many of the first units as are needed for a reader to find the place."""
    characters = 0
    for i, unit in enumerate(units):
        characters += len(unit)
        if characters >= _CONTEXT_CHARACTERS:
            return units[: i + 1]
    return units


def _joined(units: Sequence[str]) -> str:
    """Join words with blanks, and single characters without."""
    characters = len(units) > 1 and all(len(unit) == 1 and not unit.isdigit() for unit in units)
    return ("" if characters else " ").join(units)


# -- disagreements of two coders --------------------------------------------------------------------------------------


def _rows(texts: _Texts, keys: Sequence[Key], scores: Scores) -> Iterator[Disagreement]:
    """Yield the disagreements of each comparison."""
    corpus = texts.prepared.corpus
    for i, key in enumerate(keys):
        item, a, b = key
        first, second = corpus[item, a], corpus[item, b]
        if isinstance(first, Hierarchy) and isinstance(second, Hierarchy):
            for side, spans in enumerate(scores.measure.unmatched_spans(first, second) or ()):
                yield from (_span_row(texts, key, side, span) for span in spans)
        else:
            yield from (_edit_row(texts, key, edit) for edit in scores[i].edits or () if edit.cost > 0)


def _edit_row(texts: _Texts, key: Key, edit: Edit) -> Disagreement:
    item, a, b = key
    positions = (edit.a_position, edit.b_position)
    time = texts.prepared.time
    before, between, after = texts.around(item, edit.stream, sorted(at for at in positions if at is not None))
    return Disagreement(
        item=item,
        stream=edit.stream,
        coders=(a, b),
        kind=KINDS[edit.kind],
        positions=positions,
        times=(time(item, a, edit.stream, positions[0]), time(item, b, edit.stream, positions[1])),
        types=(edit.a_type, edit.b_type) if texts.typed else (None, None),
        cost=float(edit.cost),
        before=before,
        between=between,
        after=after,
    )


def _span_row(texts: _Texts, key: Key, side: int, span: Span) -> Disagreement:
    item, owner = key[0], key[side + 1]
    before, between, after = texts.around(item, None, [span.start - 1, span.end])

    def on_side(value: Any) -> Any:
        return (None, value) if side else (value, None)

    return Disagreement(
        item=item,
        stream=None,
        coders=key[1:],
        kind=_SPAN,
        positions=on_side(span.start - 1),
        times=on_side(texts.prepared.time(item, owner, None, span.start - 1)),
        types=on_side(_span_name(span)),
        cost=1.0,
        before=before,
        between=between,
        after=after,
        span=(span.start, span.end),
    )


def _span_name(span: Span) -> str:
    return span.label if span.label is not None else f"level {span.level}"


# -- places -----------------------------------------------------------------------------------------------------------


def _places(texts: _Texts, rows: Iterable[Disagreement]) -> Iterator[DisagreementPlace]:
    """Yield the disagreements of all pairs, place by place."""
    groups: dict[tuple[str, str | None], list[Disagreement]] = {}
    for row in rows:
        groups.setdefault((row.item, row.stream), []).append(row)
    for group in groups.values():
        yield from (_place(texts, together) for together in _linked(group))


def _linked(rows: Sequence[Disagreement]) -> list[list[Disagreement]]:
    """Divide the rows of a text: rows that share a position, or the span, belong together."""
    parent: dict[Any, Any] = {}

    def root(position: Any) -> Any:
        while parent.setdefault(position, position) != position:
            parent[position] = position = parent[parent[position]]
        return position

    keys: list[Any] = []
    for row in rows:
        linked = [at for at in row.positions if at is not None] if row.span is None else [row.span]
        keys.append(linked[0])
        parent[root(linked[0])] = root(linked[-1])
    groups: dict[Any, list[Disagreement]] = {}
    for row, key in zip(rows, keys, strict=True):
        groups.setdefault(root(key), []).append(row)
    return list(groups.values())


def _place(texts: _Texts, rows: Sequence[Disagreement]) -> DisagreementPlace:
    item, stream, span = rows[0].item, rows[0].stream, rows[0].span
    positions = sorted({at for row in rows for at in row.positions if at is not None})
    marks = _boundaries_here(texts, rows) if span is None else _spans_here(texts, item, span)
    edges = positions if span is None else [span[0] - 1, span[1]]
    before, between, after = texts.around(item, stream, edges)
    has = tuple(coder for coder, entries in marks.items() if entries)
    known = {coder: [texts.prepared.time(item, coder, stream, at) for at, _ in marks[coder]] for coder in has}
    mark_times = {coder: tuple(time for time in times if time is not None) for coder, times in known.items()}
    ends = [] if span is None else [texts.prepared.time(item, coder, None, span[1]) for coder in has]
    times = {time for entries in (*mark_times.values(), ends) for time in entries if time is not None}
    return DisagreementPlace(
        item=item,
        stream=stream,
        positions=tuple(positions),
        times=tuple(sorted(times)),
        kinds=tuple(_sums((), ((row.kind, row.cost) for row in rows))),
        marks={coder: entries for coder, entries in marks.items() if entries},
        mark_times={coder: entries for coder, entries in mark_times.items() if entries},
        has=has,
        has_not=tuple(coder for coder, entries in marks.items() if not entries),
        pairs=len(rows),
        cost=sum(row.cost for row in rows),
        before=before,
        between=between,
        after=after,
        span=span,
        rows=tuple(sorted(rows, key=lambda row: (-row.cost, row.position))),
    )


def _boundaries_here(texts: _Texts, rows: Sequence[Disagreement]) -> dict[str, tuple[Mark, ...]]:
    """Return coder -> boundaries about which the rows disagree, for all coders of the item."""
    item, stream = rows[0].item, rows[0].stream
    disputed = {mark for row in rows for mark in zip(row.positions, row.types, strict=True)}
    positions = sorted({at for row in rows for at in row.positions if at is not None})
    marks: dict[str, tuple[Mark, ...]] = {}
    for coder in texts.prepared.coders(item):
        own = texts.marks(item, coder, stream)
        marks[coder] = tuple(mark for at in positions for mark in own.get(at, ()) if mark in disputed)
    return marks


def _spans_here(texts: _Texts, item: str, span: tuple[int, int]) -> dict[str, tuple[Mark, ...]]:
    """Return coder -> level or label of a span, for all coders of the item."""
    marks: dict[str, tuple[Mark, ...]] = {}
    for coder in texts.prepared.coders(item):
        spans = cast(Hierarchy, texts.prepared.corpus[item, coder]).spans
        marks[coder] = tuple((entry.start - 1, _span_name(entry)) for entry in spans if entry[:2] == span)
    return marks
