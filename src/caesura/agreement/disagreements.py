"""The places at which coders disagree, with the text around them and what each disagreement costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import cast

import numpy as np

from caesura.agreement.coder_pairs import Key, check_coders, check_corpus, check_pairs, score_keys
from caesura.agreement.compared_texts import ComparedTexts, PreparedCorpus, prepare, span_name
from caesura.agreement.disagreement_columns import (
    DisagreementColumns,
    columns_of_edits,
    columns_of_scores,
    columns_of_spans,
    count_totals,
    rank_places,
)
from caesura.agreement.disagreement_rows import (
    MAJORITY,
    SPAN,
    Disagreement,
    DisagreementPlace,
    Disagreements,
    DisagreementTotals,
    Mark,
    sum_by_name,
)
from caesura.agreement.majority import majority
from caesura.agreement.span_disagreements import span_disagreements
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.errors import MismatchError, OptionError
from caesura.limits import BOUNDARIES_PER_PAIR, MAX_LISTED_BOUNDARIES, check_limit
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.edit_columns import DELETION, EDIT_KINDS, INSERTION, NONE
from caesura.measures.many import Scores
from caesura.measures.registry import default_measures, measures, parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.old_names import extent_problem, lack_units, one_level_as_tiers, streams_of, tiers_of
from caesura.model.result import Excluded, keep_warnings, signature_line
from caesura.model.segmentation import UNTYPED
from caesura.model.signature import with_data
from caesura.model.value import Ints, OnDemand
from caesura.options import suggest

# How many times longer edits take that a measure does not list as columns.
EDITS_ONE_BY_ONE = 8

# Kind of edit -> kind of disagreement.
KINDS = {
    "deletion": "miss",
    "insertion": "miss",
    "transposition": "near miss",
    "substitution": "different type",
    "transposition with substitution": "near miss, different type",
}
_KIND_NAMES = (*dict.fromkeys(KINDS.values()), SPAN)
_KIND_NUMBERS = np.array([_KIND_NAMES.index(KINDS[kind]) if kind in KINDS else -1 for kind in EDIT_KINDS])


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
    _check_size(prepared.corpus, [key for key in keys if key[0] not in excluded], chosen)
    keys, scores = score_keys(prepared.corpus, chosen, keys, "threads", excluded)
    texts = ComparedTexts(prepared, typed=scores.types != UNTYPED)
    builder = _PlaceBuilder(texts, keys, _columns(texts, keys, scores))
    facts = {"coders": len(corpus.coders), "against": reference or "pairs"}
    signature = signature_line("disagreements", over=scores.total.signature, **facts)
    return Disagreements(
        measure=chosen,
        against=reference,
        coders=corpus.coders,
        items=builder.items,
        compared=len(keys),
        rows=builder.rows,
        places=builder.places,
        excluded=(*prepared.excluded, *(Excluded(item, None, reason) for item, reason in excluded.items())),
        signature=with_data(signature, prepared.data, sum(builder.ranked.cost.tolist())),
        totals=builder.totals(corpus.coders),
    )


def aligning_measures(kind: str) -> tuple[str, ...]:
    kinds = ("hierarchy", "linear") if kind == "hierarchy" else (kind,)
    return tuple(name for name, entry in measures().items() if _lists(entry) and set(kinds) & set(entry.kinds))


def _lists(entry: type[Measure]) -> bool:
    return entry.edit_columns is not Measure.edit_columns or entry.unmatched_spans is not Measure.unmatched_spans


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
            # B, or a measure that does not need the extent if the tiers of an item do not have the same one.
            defaults, known = default_measures("disagreements", "timed"), extent_problem([corpus]) is None
            return next(default for default in defaults if known or not default.needs.extent)
        kind = "linear" if all("" in tiers_of(entry) for entry in corpus.values() if tiers_of(entry)) else "dialogue"
    chosen = default_measures("disagreements", kind)[0] if measure is None else parse(measure)
    if chosen.name not in aligning_measures(kind):
        problem = (
            "does not say where coders disagree" if not _lists(type(chosen)) else "cannot compare this kind of data"
        )
        raise OptionError(f"{chosen.name} {problem}; use {', '.join(aligning_measures(kind))}")
    return chosen


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
        check_pairs(corpus)
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


def _check_size(corpus: Corpus, keys: Sequence[Key], measure: Measure) -> None:
    """Raise an error if there are too many boundaries or spans in all comparisons."""
    one_by_one = type(measure).edit_columns is Measure.edit_columns
    sizes = {key: _size(annotation) for key, annotation in corpus.items()}
    number = sum(sizes[item, a] + sizes[item, b] + BOUNDARIES_PER_PAIR for item, a, b in keys)
    check_limit(
        f"boundaries in {len(keys):,} comparisons of two coders",
        number * (EDITS_ONE_BY_ONE if one_by_one else 1),
        MAX_LISTED_BOUNDARIES,
        "choose fewer coders (--coder, Corpus.select) or items (--item), or compare with one coder or the majority (--against)",
    )


def _size(annotation: Annotation) -> int:
    """Return the number of boundaries or spans."""
    if isinstance(annotation, Hierarchy):
        return len(annotation.spans)
    tiers = tiers_of(annotation)
    if tiers:
        return sum(len(tier.edges.inner) for tier in tiers.values())
    return sum(len(text.positions) for text in streams_of(annotation).values())


def _columns(texts: ComparedTexts, keys: Sequence[Key], scores: Scores) -> DisagreementColumns:
    if texts.prepared.spans:
        return columns_of_spans(_unmatched(texts.prepared.corpus, keys, scores.measure))
    columns = columns_of_scores(scores)
    if columns is not None:
        return columns
    return columns_of_edits((place, edit) for place in range(len(keys)) for edit in scores[place].edits or ())


def _unmatched(corpus: Corpus, keys: Sequence[Key], measure: Measure) -> Iterator[tuple[int, int, Span, str]]:
    for place, (item, a, b) in enumerate(keys):
        first, second = cast(Hierarchy, corpus[item, a]), cast(Hierarchy, corpus[item, b])
        for side, spans in enumerate(measure.unmatched_spans(first, second) or ()):
            yield from ((place, side, span, span_name(span)) for span in spans)


class _PlaceBuilder:
    """The disagreements of all comparisons, of which rows and places are built when they are needed."""

    def __init__(self, texts: ComparedTexts, keys: Sequence[Key], columns: DisagreementColumns) -> None:
        self.texts = texts
        self.keys = keys
        self.columns = columns
        self.items = tuple(dict.fromkeys(item for item, _, _ in keys))
        numbers = {item: number for number, item in enumerate(self.items)}
        self._item = np.array([numbers[item] for item, _, _ in keys], np.int32)
        self.ranked = rank_places(columns, self._item[columns.comparison], self.items)

    @property
    def rows(self) -> OnDemand[Disagreement]:
        return OnDemand(self.row, range(len(self.columns)))

    @property
    def places(self) -> OnDemand[DisagreementPlace]:
        return OnDemand(self.place, range(len(self.ranked)))

    def totals(self, coders: Sequence[str]) -> DisagreementTotals:
        order = self.ranked.order
        comparison = self.columns.comparison[order]
        item = self._item[comparison]
        numbers = {coder: number for number, coder in enumerate(coders)}
        sides = [np.array([numbers.get(key[side], -1) for key in self.keys], np.int32)[comparison] for side in (1, 2)]
        names = {"items": self.items, "coders": coders, "kinds": _KIND_NAMES}
        place_item = item[self.ranked.ends[:-1]]
        return count_totals(names, self._kinds(order), item, sides, self.columns.cost[order], place_item)

    def _kinds(self, rows: Ints) -> Ints:
        if self.columns.end is not None:
            return np.full(len(rows), _KIND_NAMES.index(SPAN))
        return _KIND_NUMBERS[self.columns.kind[rows]]

    def row(self, number: int) -> Disagreement:
        columns = self.columns
        i = int(self.ranked.order[number])
        item, a, b = self.keys[columns.comparison[i]]
        stream = columns.streams[columns.stream[i]]
        kind = columns.kind[i]
        positions = (
            None if kind == INSERTION else columns.a_position[i].item(),
            None if kind == DELETION else columns.b_position[i].item(),
        )
        names = [None if code == NONE else columns.types[code] for code in (columns.a_type[i], columns.b_type[i])]
        known = [at for at in positions if at is not None]
        span = None if columns.end is None else (known[0] + 1, columns.end[i].item())
        time = self.texts.prepared.time
        around = sorted(known) if span is None else [known[0], span[1]]
        before, between, after = self.texts.around(item, stream, around)
        return Disagreement(
            item=item,
            stream=stream,
            coders=(a, b),
            kind=SPAN if span is not None else KINDS[EDIT_KINDS[kind]],
            positions=positions,
            times=(time(item, a, stream, positions[0]), time(item, b, stream, positions[1])),
            types=(names[0], names[1]) if self.texts.typed or span is not None else (None, None),
            cost=columns.cost[i].item(),
            before=before,
            between=between,
            after=after,
            span=span,
        )

    def place(self, number: int) -> DisagreementPlace:
        begin, end = self.ranked.ends[number].item(), self.ranked.ends[number + 1].item()
        chosen = np.sort(self.ranked.order[begin:end])
        columns = self.columns.take(chosen)
        item = self.keys[columns.comparison[0]][0]
        stream = columns.streams[columns.stream[0]]
        disputed = columns.boundaries(typed=self.texts.typed)
        positions = sorted({at for at, _ in disputed})
        span = None if columns.end is None else (positions[0] + 1, columns.end[0].item())
        all_marks = self._boundaries_here(item, stream, disputed) if span is None else self._spans_here(item, span)
        marks = {coder: entries for coder, entries in all_marks.items() if entries}
        mark_times, times = self._times_here(item, stream, span, marks)
        before, between, after = self.texts.around(item, stream, positions if span is None else [positions[0], span[1]])
        kinds = zip((_KIND_NAMES[kind] for kind in self._kinds(chosen).tolist()), columns.cost.tolist(), strict=True)
        return DisagreementPlace(
            item=item,
            stream=stream,
            positions=tuple(positions),
            times=times,
            kinds=tuple(sum_by_name((), kinds)),
            marks=marks,
            mark_times=mark_times,
            has=tuple(marks),
            has_not=tuple(coder for coder in all_marks if coder not in marks),
            pairs=end - begin,
            cost=self.ranked.cost[number].item(),
            before=before,
            between=between,
            after=after,
            span=span,
            rows=self.rows[begin:end],
        )

    def _boundaries_here(self, item: str, stream: str | None, disputed: Set[Mark]) -> dict[str, tuple[Mark, ...]]:
        """Return coder -> boundaries that are disputed at a place, for all coders of the item."""
        positions = sorted({at for at, _ in disputed})
        marks: dict[str, tuple[Mark, ...]] = {}
        for coder in self.texts.prepared.coders(item):
            own = self.texts.marks(item, coder, stream)
            marks[coder] = tuple(mark for at in positions for mark in own.get(at, ()) if mark in disputed)
        return marks

    def _spans_here(self, item: str, span: tuple[int, int]) -> dict[str, tuple[Mark, ...]]:
        """Return coder -> level or label of a span, for all coders of the item."""
        return {coder: self.texts.spans(item, coder).get(span, ()) for coder in self.texts.prepared.coders(item)}

    def _times_here(
        self, item: str, stream: str | None, span: tuple[int, int] | None, marks: Mapping[str, Sequence[Mark]]
    ) -> tuple[dict[str, tuple[float, ...]], tuple[float, ...]]:
        """Return coder -> times of the boundaries at a place, and all times there, with the end of a span."""
        time = self.texts.prepared.time
        known = {coder: [time(item, coder, stream, at) for at, _ in entries] for coder, entries in marks.items()}
        mark_times = {
            coder: tuple(at for at in times if at is not None) for coder, times in known.items() if None not in times
        }
        ends = [] if span is None else [time(item, coder, None, span[1]) for coder in marks]
        every = {at for times in (*mark_times.values(), ends) for at in times if at is not None}
        return mark_times, tuple(sorted(every))
