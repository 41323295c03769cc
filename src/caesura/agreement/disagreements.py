"""The places at which coders disagree, with the text around them and what each disagreement costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

from caesura.agreement.coder_pairs import Key, check_coders, check_corpus, check_pairs, score_keys
from caesura.agreement.compared_texts import ComparedTexts, PreparedCorpus, prepare
from caesura.agreement.disagreement_rows import (
    MAJORITY,
    SPAN,
    Disagreement,
    DisagreementPlace,
    Disagreements,
    Mark,
    sum_by_name,
)
from caesura.agreement.majority import majority
from caesura.agreement.span_disagreements import span_disagreements
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.errors import MismatchError, OptionError
from caesura.limits import MAX_LISTED_PAIRS
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.many import Scores
from caesura.measures.registry import default_measures, measures, parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, tiers_of
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import Edit, Excluded, keep_warnings, signature_line
from caesura.model.seconds import extent_problem, lack_units, one_level_as_tiers
from caesura.model.segmentation import UNTYPED
from caesura.model.signature import with_data
from caesura.options import suggest

KINDS = {
    "deletion": "miss",
    "insertion": "miss",
    "transposition": "near miss",
    "substitution": "different type",
    "transposition with substitution": "near miss, different type",
}
"""Kind of edit -> kind of disagreement."""


@keep_warnings
def disagreements(
    corpus: Corpus, *, measure: str | Measure | UnitizingCoefficient | None = None, against: str | None = None
) -> Disagreements:
    """List where coders disagree: every disagreement of every pair, and the places where they meet.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, hierarchies, spans, or tiers in seconds. Tiers are converted to units, unless the measure
        compares seconds, as ``F1@0.5s`` does: then positions are times. Rows about tiers have times in both cases.
        Hierarchies in seconds with one level, such as those of .lab files, are compared as tiers by default.
    measure : str, Measure or Gamma, optional
        Measure that aligns the boundaries of two coders, or matches their spans, and sets the costs (default: B with
        n_t = 2, S_f for dialogues, the spans themselves for hierarchies). A measure of boundaries compares hierarchies by
        their boundaries, with levels as types. Spans are aligned by gamma: ``"gamma"``, or such as ``Gamma(alpha=3)``.
    against : str, optional
        ``"majority"``, to compare every coder with what more than half of the coders marked, or the name of a coder, to
        compare the others with that coder (default: every pair of coders). Spans have no majority.

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

    Spans may overlap, nest and cross. Their best alignment under gamma puts together at most one span of each coder; each such
    group with a disorder is a place, and its cost is its disorder. Rows say whether a span of one coder is unaligned, shifted,
    or of another category. The row of a shifted span of another category has the sum of both terms as its cost.

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
    if corpus.kind == "spans":
        return span_disagreements(corpus, _check_coefficient(measure), _check_against(against, corpus))
    if isinstance(measure, UnitizingCoefficient):
        raise OptionError(f"{measure.name} lists disagreements about spans; this corpus has none")
    if measure is None or compares_seconds(parse(measure)):
        corpus = one_level_as_tiers(corpus)
    chosen = _check_measure(measure, corpus, against)
    prepared = prepare(corpus, chosen)
    reference = _check_against(against, corpus)
    excluded: dict[str, str] = {}
    keys = _keys(prepared.corpus, reference, excluded)
    if reference == MAJORITY and MAJORITY not in corpus.coders:
        prepared = _with_majority(prepared, chosen, excluded)
    keys, scores = score_keys(prepared.corpus, chosen, keys, "threads", excluded)
    texts = ComparedTexts(prepared, typed=scores.types != UNTYPED)
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


def _check_measure(measure: str | Measure | None, corpus: Corpus, against: str | None) -> Measure:
    """Return the measure, or the default for the kind of data. A majority of coders needs positions, also in seconds."""
    if corpus.kind == "trees":
        raise OptionError("trees have no boundaries to list; compare two files with `caesura trees GOLD PREDICTED`")
    kind = corpus.kind
    if kind == "timed":
        if against == MAJORITY and measure is not None and compares_seconds(parse(measure)):
            problem = "the majority of coders needs common positions, and this measure compares seconds"
            raise OptionError(f"{problem}; compare with a coder, or leave out the measure")
        if measure is None and against != MAJORITY and lack_units([corpus]):
            return _default_in_seconds(corpus)
        kind = "linear" if all("" in tiers_of(entry) for entry in corpus.values() if tiers_of(entry)) else "dialogue"
    chosen = default_measures("disagreements", kind)[0] if measure is None else parse(measure)
    if chosen.name not in aligning_measures(kind):
        problem = (
            "does not say where coders disagree" if not _lists(type(chosen)) else "cannot compare this kind of data"
        )
        raise OptionError(f"{chosen.name} {problem}; use {', '.join(aligning_measures(kind))}")
    return chosen


def _default_in_seconds(corpus: Corpus) -> Measure:
    """Return B, or a measure that does not need the extent if the tiers of an item do not have the same one."""
    defaults = default_measures("disagreements", "timed")
    known = extent_problem([corpus]) is None
    return next(measure for measure in defaults if known or not measure.packing.needs_extent)


def _check_coefficient(measure: str | Measure | UnitizingCoefficient | None) -> str | UnitizingCoefficient | None:
    """Return a coefficient for spans, or raise an error for a measure."""
    if isinstance(measure, Measure) or (isinstance(measure, str) and resolve_unitizing(measure, {}) is None):
        name = measure if isinstance(measure, str) else measure.name
        raise OptionError(
            f"disagreements about spans come from the alignment of gamma, not from {name}; leave out the measure, or convert "
            "spans that nest with .to_hierarchy()"
        )
    return measure


def _check_against(against: str | None, corpus: Corpus) -> str | None:
    if against is None or against in corpus.coders or against == MAJORITY:
        return against
    raise OptionError(suggest("against: there is no coder", str(against), [*corpus.coders, MAJORITY]))


def _keys(corpus: Corpus, against: str | None, excluded: dict[str, str]) -> list[Key]:
    """Return item, first and second coder of every comparison. Items that cannot be compared are added to ``excluded``."""
    if against is None:
        check_pairs(corpus, MAX_LISTED_PAIRS)
    keys: list[Key] = []
    for item in corpus.item_names:
        coders = list(corpus.of_item(item))
        if len(coders) < 2:
            excluded[item] = f"coded by {coders[0]} only"
        elif against in corpus.coders and against not in coders:
            excluded[item] = f"not coded by {against}"
        else:
            keys += [(item, a, b) for a, b in _pairs(coders, against)]
    return keys


def _pairs(coders: Sequence[str], against: str | None) -> Iterable[tuple[str, str]]:
    if against is None:
        return combinations(coders, 2)
    return [(against, coder) for coder in coders if coder != against]


def _with_majority(prepared: PreparedCorpus, measure: Measure, excluded: dict[str, str]) -> PreparedCorpus:
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


def _rows(texts: ComparedTexts, keys: Sequence[Key], scores: Scores) -> Iterator[Disagreement]:
    """Yield the disagreements of each comparison."""
    columns = scores.measure.edit_columns(scores.batch)
    if columns is not None:
        for document, edit in columns.costly_edits():
            yield _edit_row(texts, keys[int(scores.places[document])], edit)
        return
    corpus = texts.prepared.corpus
    for i, key in enumerate(keys):
        item, a, b = key
        first, second = corpus[item, a], corpus[item, b]
        if isinstance(first, Hierarchy) and isinstance(second, Hierarchy):
            for side, spans in enumerate(scores.measure.unmatched_spans(first, second) or ()):
                yield from (_span_row(texts, key, side, span) for span in spans)
        else:
            yield from (_edit_row(texts, key, edit) for edit in scores[i].edits or () if edit.cost > 0)


def _edit_row(texts: ComparedTexts, key: Key, edit: Edit) -> Disagreement:
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


def _span_row(texts: ComparedTexts, key: Key, side: int, span: Span) -> Disagreement:
    item, owner = key[0], key[side + 1]
    before, between, after = texts.around(item, None, [span.start - 1, span.end])

    def on_side(value: Any) -> Any:
        return (None, value) if side else (value, None)

    return Disagreement(
        item=item,
        stream=None,
        coders=key[1:],
        kind=SPAN,
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


def _places(texts: ComparedTexts, rows: Iterable[Disagreement]) -> Iterator[DisagreementPlace]:
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


def _place(texts: ComparedTexts, rows: Sequence[Disagreement]) -> DisagreementPlace:
    item, stream, span = rows[0].item, rows[0].stream, rows[0].span
    positions = _positions(rows)
    all_marks = _boundaries_here(texts, rows) if span is None else _spans_here(texts, item, span)
    marks = {coder: entries for coder, entries in all_marks.items() if entries}
    mark_times, times = _times_here(texts, rows[0], marks)
    before, between, after = texts.around(item, stream, positions if span is None else [span[0] - 1, span[1]])
    return DisagreementPlace(
        item=item,
        stream=stream,
        positions=tuple(positions),
        times=times,
        kinds=tuple(sum_by_name((), ((row.kind, row.cost) for row in rows))),
        marks=marks,
        mark_times=mark_times,
        has=tuple(marks),
        has_not=tuple(coder for coder in all_marks if coder not in marks),
        pairs=len(rows),
        cost=sum(row.cost for row in rows),
        before=before,
        between=between,
        after=after,
        span=span,
        rows=tuple(sorted(rows, key=lambda row: (-row.cost, row.position))),
    )


def _positions(rows: Sequence[Disagreement]) -> list[int]:
    return sorted({at for row in rows for at in row.positions if at is not None})


def _times_here(
    texts: ComparedTexts, row: Disagreement, marks: Mapping[str, Sequence[Mark]]
) -> tuple[dict[str, tuple[float, ...]], tuple[float, ...]]:
    """Return coder -> times of the boundaries at a place, and all times there, with the end of a span."""
    time = texts.prepared.time
    known = {coder: [time(row.item, coder, row.stream, at) for at, _ in entries] for coder, entries in marks.items()}
    mark_times = {
        coder: tuple(at for at in times if at is not None) for coder, times in known.items() if None not in times
    }
    ends = [] if row.span is None else [time(row.item, coder, None, row.span[1]) for coder in marks]
    every = {at for times in (*mark_times.values(), ends) for at in times if at is not None}
    return mark_times, tuple(sorted(every))


def _boundaries_here(texts: ComparedTexts, rows: Sequence[Disagreement]) -> dict[str, tuple[Mark, ...]]:
    """Return coder -> boundaries about which the rows disagree, for all coders of the item."""
    item, stream = rows[0].item, rows[0].stream
    disputed = {mark for row in rows for mark in zip(row.positions, row.types, strict=True)}
    positions = _positions(rows)
    marks: dict[str, tuple[Mark, ...]] = {}
    for coder in texts.prepared.coders(item):
        own = texts.marks(item, coder, stream)
        marks[coder] = tuple(mark for at in positions for mark in own.get(at, ()) if mark in disputed)
    return marks


def _spans_here(texts: ComparedTexts, item: str, span: tuple[int, int]) -> dict[str, tuple[Mark, ...]]:
    """Return coder -> level or label of a span, for all coders of the item."""
    marks: dict[str, tuple[Mark, ...]] = {}
    for coder in texts.prepared.coders(item):
        spans = cast(Hierarchy, texts.prepared.corpus[item, coder]).spans
        marks[coder] = tuple((entry.start - 1, _span_name(entry)) for entry in spans if entry[:2] == span)
    return marks
