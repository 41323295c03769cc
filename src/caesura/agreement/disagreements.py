"""The places at which coders disagree, with the text around them and what each disagreement costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, cast

import numpy as np

from caesura.agreement.coder_pairs import Key, check_coders, check_corpus, number_of_pairs, score_keys
from caesura.agreement.compared_texts import ComparedTexts, Place, PreparedCorpus, prepare, span_name
from caesura.agreement.disagreement_links import (
    MISSING,
    TOO_MANY,
    Links,
    RankedPlaces,
    SpanRow,
    links_of_scores,
    links_of_spans,
    rank_places,
)
from caesura.agreement.disagreement_rows import (
    MAJORITY,
    Disagreement,
    DisagreementPlace,
    Disagreements,
    DisagreementTotals,
    sum_by_name,
)
from caesura.agreement.gamma import Gamma
from caesura.agreement.majority import majority
from caesura.agreement.span_disagreements import ComparedSpans, align_spans
from caesura.agreement.unitized import unitized_items
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import resolve_unitizing
from caesura.errors import MismatchError, OptionError
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.edit_columns import NONE
from caesura.measures.registry import default_measures, measures, parse
from caesura.memory import check_memory
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus, extent_problem, lack_units, one_level_as_tiers
from caesura.model.dialogue import Annotation, Comparable
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import argsort, bincount, repeat
from caesura.model.result import Excluded, keep_warnings, signature_line, with_data
from caesura.model.value import Floats, Ints, OnDemand
from caesura.options import suggest

_BYTES_PER_PAIR = 1000  # of two coders on an item, with their score


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
    facts: dict[str, Any] = {"coders": len(corpus.coders), "against": against or "pairs"}
    if corpus.kind == "spans":
        gamma = _check_gamma(measure)
        _check_against(against, corpus)
        if against == MAJORITY and MAJORITY not in corpus.coders:
            raise OptionError(
                "spans have no majority; give the name of a coder, or leave out against for all pairs of coders"
            )
        units, without = unitized_items(corpus, gamma.bounds)
        keys, links, spans = align_spans(units, gamma, against)
        return _Builder(keys, links, spans, tuple(item.name for item in units)).build(
            corpus,
            corpus.fingerprint,
            measure=gamma,
            against=against,
            excluded=tuple(without),
            signature=signature_line("disagreements", gamma.name, **gamma.settings, **facts),
        )
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
    items = tuple(dict.fromkeys(item for item, _, _ in keys))
    places: list[Place] = []
    if prepared.spans:
        links, places = _links_of_hierarchies(prepared.corpus, keys, chosen)
    else:
        links = links_of_scores(scores, _item_of_keys(items, keys))
    return _Builder(keys, links, ComparedTexts(prepared, keys, links, places), items).build(
        corpus,
        prepared.data,
        measure=chosen,
        against=reference,
        excluded=(*prepared.excluded, *(Excluded(item, None, reason) for item, reason in excluded.items())),
        signature=signature_line("disagreements", over=scores.total.signature, **facts),
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


def _check_gamma(measure: str | Measure | UnitizingCoefficient | None) -> Gamma:
    """Return the coefficient that aligns spans, or raise an error for a measure or another coefficient."""
    if isinstance(measure, Measure) or (isinstance(measure, str) and resolve_unitizing(measure, {}) is None):
        name = measure if isinstance(measure, str) else measure.name
        raise OptionError(
            f"disagreements about spans come from the alignment of gamma, not from {name}; leave out the measure, or convert "
            "spans that nest with .to_hierarchy()"
        )
    chosen = resolve_unitizing(measure or "gamma", {})
    if not isinstance(chosen, Gamma):
        raise OptionError(f"disagreements about spans come from the alignment of gamma; got {measure!r}")
    return chosen


def _check_against(against: str | None, corpus: Corpus) -> str | None:
    if against is None or against in corpus.coders or against == MAJORITY:
        return against
    raise OptionError(suggest("against: there is no coder", str(against), [*corpus.coders, MAJORITY]))


def _keys(corpus: Corpus, against: str | None, excluded: dict[str, str]) -> list[Key]:
    """Return item, first and second coder of every comparison. Items that cannot be compared are added to ``excluded``."""
    keys: list[Key] = []
    if against is None:
        pairs = number_of_pairs(corpus)
        check_memory(f"the disagreements of {pairs:,} pairs of coders", _BYTES_PER_PAIR * pairs, TOO_MANY)
    for item in corpus.item_names:
        coders = list(corpus.of_item(item))
        if len(coders) < 2:
            excluded[item] = f"coded by {coders[0]} only"
        elif against is None:
            keys += [(item, a, b) for a, b in combinations(coders, 2)]
        elif against in corpus.coders and against not in coders:
            excluded[item] = f"not coded by {against}"
        else:
            keys += [(item, against, coder) for coder in coders if coder != against]
    return keys


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


def _links_of_hierarchies(corpus: Corpus, keys: Sequence[Key], measure: Measure) -> tuple[Links, list[Place]]:
    """Return the spans that only one of two coders has, each of which costs 1, and the span of each place."""
    places: dict[Place, int] = {}

    def rows() -> Iterator[SpanRow]:
        for comparison, (item, a, b) in enumerate(keys):
            first, second = cast(Hierarchy, corpus[item, a]), cast(Hierarchy, corpus[item, b])
            for side, spans in enumerate(measure.unmatched_spans(first, second) or ()):
                for span in spans:
                    place = places.setdefault((item, span.start, span.end), len(places))
                    mark = span.start - 1, span_name(span)
                    yield comparison, MISSING, *((mark, None) if side == 0 else (None, mark)), 1.0, place

    return links_of_spans(rows()), list(places)


def _item_of_keys(items: Sequence[str], keys: Sequence[Key]) -> Ints:
    numbers = {item: number for number, item in enumerate(items)}
    return np.array([numbers[item] for item, _, _ in keys], np.int32)


@dataclass(frozen=True, eq=False)
class _Builder:
    """Builds the list of disagreements; rows and places are built when they are needed."""

    keys: Sequence[Key]
    links: Links
    texts: ComparedTexts | ComparedSpans
    items: tuple[str, ...]

    def build(self, corpus: Corpus, data: str, **facts: Any) -> Disagreements:
        signature = facts.pop("signature")
        return Disagreements(
            coders=corpus.coders,
            items=self.items,
            compared=len(self.keys),
            rows=OnDemand(self.row, range(len(self.links))),
            places=OnDemand(self.place, range(len(self._ranked))),
            signature=with_data(signature, data, sum(self._ranked.cost.tolist())),
            totals=self._totals(corpus.coders),
            **facts,
        )

    @cached_property
    def _item(self) -> Ints:
        return _item_of_keys(self.items, self.keys)

    @cached_property
    def _ranked(self) -> RankedPlaces:
        return rank_places(self.links, self._item[self.links.comparison], self.items)

    def _totals(self, coders: Sequence[str]) -> DisagreementTotals:
        order = self._ranked.order
        comparison, cost = self.links.comparison[order], self.links.cost[order]
        item, kind = self._item[comparison], self.links.kind[order]
        place_item = item[self._ranked.ends[:-1]]
        numbers = {coder: number for number, coder in enumerate(coders)}
        sides = [np.array([numbers.get(key[side], -1) for key in self.keys], np.int32)[comparison] for side in (1, 2)]
        coder = np.stack(sides, axis=1).reshape(-1)
        own = coder >= 0  # the majority is no coder
        seen, first = np.unique(kind, return_index=True)
        kinds = [self.texts.kinds[number] for number in seen[argsort(first)].tolist()]
        by_kind = _sums(self.texts.kinds, kind, cost)
        return DisagreementTotals(
            rows=len(cost),
            places=len(place_item),
            cost=sum(chain.from_iterable(part.tolist() for part in np.array_split(cost, len(cost) // 500_000 + 1))),
            by_item=_largest_first(_sums(self.items, item, cost)),
            by_coder=_largest_first(_sums(coders, coder[own], repeat(cost, 2)[own])),
            by_kind=_largest_first({name: by_kind[name] for name in kinds}),
            rows_by_item=_sums(self.items, item),
            rows_by_kind=_sums(self.texts.kinds, kind),
            places_by_item=_sums(self.items, place_item),
        )

    def row(self, number: int) -> Disagreement:
        i = int(self._ranked.order[number])
        links, texts = self.links, self.texts
        item, *coders = self.keys[links.comparison[i]]
        stream, codes = links.streams[links.stream[i]], (links.a_label[i], links.b_label[i])
        starts = links.a_start[i].item(), links.b_start[i].item()
        marked = [code != NONE for code in codes]
        positions = [texts.number(item, at) if has else None for at, has in zip(starts, marked, strict=True)]
        span, spans = texts.span(i), texts.units(i)
        units = [spans.get(coder) for coder in coders]
        edges: set[Any] = {at for at in positions if at is not None} | {unit.end for unit in units if unit is not None}
        before, between, after = texts.around(item, stream, sorted(edges | ({span[1]} if span else set())))
        pair: dict[str, Any] = {
            "coders": tuple(coders),
            "positions": tuple(positions),
            "times": tuple(texts.time(item, coder, stream, at) for coder, at in zip(coders, positions, strict=True)),
            "types": tuple(links.labels[code] if has else None for code, has in zip(codes, marked, strict=True)),
            "units": tuple(units),
        }
        return Disagreement(
            item=item,
            stream=stream,
            kind=texts.kinds[links.kind[i]],
            cost=links.cost[i].item(),
            before=before,
            between=between,
            after=after,
            span=span,
            **pair,
        )

    def place(self, number: int) -> DisagreementPlace:
        begin, end = self._ranked.ends[number].item(), self._ranked.ends[number + 1].item()
        rows = np.sort(self._ranked.order[begin:end])
        texts, links, first = self.texts, self.links.take(rows), int(rows[0])
        item, stream = self.keys[links.comparison[0]][0], links.streams[links.stream[0]]
        kinds = zip((texts.kinds[k] for k in links.kind.tolist()), links.cost.tolist(), strict=True)
        span, units = texts.span(first), texts.units(first)
        marks, positions = texts.marks_at(first, links)
        has = {coder: own for coder, own in marks.items() if own}
        known = {coder: [texts.time(item, coder, stream, at) for at, _ in own] for coder, own in has.items()}
        mark_times = {
            coder: tuple(at for at in times if at is not None) for coder, times in known.items() if None not in times
        }
        ends = dict.fromkeys(has, span[1]) if span else {coder: unit.end for coder, unit in units.items()}
        end_times = [texts.time(item, coder, None, at) for coder, at in ends.items()]
        times = {at for times in (*mark_times.values(), end_times) for at in times if at is not None}
        before, between, after = texts.around(item, stream, [positions[0], span[1]] if span else positions)
        return DisagreementPlace(
            item=item,
            stream=stream,
            positions=tuple(positions),
            times=tuple(sorted(times)),
            kinds=tuple(sum_by_name((), kinds)),
            marks=has,
            mark_times=mark_times,
            has=tuple(has),
            has_not=tuple(coder for coder in marks if coder not in has),
            pairs=end - begin,
            cost=self._ranked.cost[number].item(),
            before=before,
            between=between,
            after=after,
            span=span,
            rows=OnDemand(self.row, range(begin, end)),
            units=units,
        )


def _sums(names: Sequence[str], index: Any, weights: Floats | None = None) -> dict[str, Any]:
    """Return the sum of the weights of each name, or how often it occurs."""
    return dict(zip(names, bincount(index, weights, len(names)).tolist(), strict=True))


def _largest_first(sums: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))
