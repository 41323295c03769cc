"""Spans and hierarchies: what coders agree on, what they dispute, and the annotation that spans make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from caesura.adjudication.disputed import SPAN, DisputedCorpus, DisputedPlace, PlacedMark, PlacedMarks, Streams
from caesura.agreement.disagreement_rows import DisagreementPlace, Disagreements
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.spans import Spans


class DisputedSpans(DisputedCorpus):
    """Spans, which may overlap, nest and cross. A place is a group of spans that gamma aligns."""

    def __init__(self, corpus: Corpus, result: Disagreements) -> None:
        super().__init__(corpus, result)
        spans = [annotation for annotation in corpus.values() if isinstance(annotation, Spans)]
        names = {name for entry in spans for name in entry.category_names if name is not None}
        self.types = tuple(sorted(names))
        self.may_lack_type = any(None in entry.category_names for entry in spans)

    def find_places(self) -> Iterable[DisputedPlace]:
        """Return one place per group of aligned spans that differ."""
        for place in self.result.places:
            coders = list(self.corpus.of_item(place.item))
            marks = {coder: (PlacedMark(*place.units[coder]),) if coder in place.units else () for coder in coders}
            variant, number = Counter(marks.values()).most_common(1)[0]
            majority = variant if 2 * number > len(coders) else ()  # nothing if no variant has so many
            yield _place(place, marks, majority, seconds=self._first(place.item).axis == "seconds")

    def _first(self, item: str) -> Spans:
        first = next(iter(self.corpus.of_item(item).values()))
        assert isinstance(first, Spans)
        return first

    def agreed(self, item: str) -> Streams:
        coder = next(iter(self.corpus.of_item(item)))
        disputed = Counter(mark for place in self.places_of_items[item] for mark in place.marks[coder])
        spans = Counter(PlacedMark(*span) for span in self._first(item).spans)
        return {"": tuple((spans - disputed).elements())}

    def build(self, item: str, marks: Streams) -> Spans:
        entries = [entry for entry in self.corpus.of_item(item).values() if isinstance(entry, Spans)]
        model = next((entry for entry in entries if entry.text is not None or entry.units is not None), entries[0])
        bounds = None
        if model.text is None and model.units is None and all(entry.bounds is not None for entry in entries):
            known = [entry.bounds for entry in entries if entry.bounds is not None]
            bounds = min(first for first, _ in known), max(last for _, last in known)
        rows = [(mark.start, mark.end, mark.type) for mark in marks.get("", ())]
        return Spans(rows, bounds=bounds, seconds=model.axis == "seconds", text=model.text, units=model.units)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a span if it lies in the item and has a category that occurs."""
        self.check_type(mark.type, required=not self.may_lack_type)
        if mark.end is None or mark.level is not None:
            raise OptionError("marks: a span has a start and an end, and no level")
        start, end = _rounded(place, mark.start), _rounded(place, mark.end)
        first, last = self._extent(place.item)
        if not first <= start < end <= last:
            raise OptionError(
                f"marks: a span must lie in {first:.10g}-{last:.10g} and end after its start; got {start:.10g}-{end:.10g}"
            )
        return PlacedMark(start, end, mark.type)

    def _extent(self, item: str) -> tuple[float, float]:
        entries = [entry.extent for entry in self.corpus.of_item(item).values() if isinstance(entry, Spans)]
        return min(0.0, *(first for first, _ in entries)), max(last for _, last in entries)


def _rounded(place: DisputedPlace, value: float) -> float:
    """Return a time in whole milliseconds, or a whole position."""
    if place.seconds:
        return round(value, 3)
    if value % 1:
        raise OptionError(f"marks: a position must be a whole number; got {value:.10g}")
    return float(value)


def _place(
    place: DisagreementPlace,
    marks: Mapping[str, PlacedMarks],
    majority: PlacedMarks,
    *,
    seconds: bool = False,
    times: tuple[float, float] | None = None,
) -> DisputedPlace:
    return DisputedPlace(
        item=place.item,
        stream=None,
        about=SPAN,
        seconds=seconds,
        marks=marks,
        majority=majority,
        kinds=place.kinds,
        cost=place.cost,
        pairs=place.pairs,
        before=place.before,
        between=place.between,
        after=place.after,
        times=times,
    )


class DisputedHierarchies(DisputedCorpus):
    """Hierarchies. A place is a span that some coders have and others do not."""

    def __init__(self, corpus: Corpus, result: Disagreements, shared: Corpus) -> None:
        super().__init__(corpus, result)
        self.shared = shared
        labels = {span.label for item in self.items for entry in self._of_item(item).values() for span in entry.spans}
        self.types = tuple(sorted(label for label in labels if label is not None))

    def _of_item(self, item: str) -> dict[str, Hierarchy]:
        entries = self.shared.of_item(item).items()
        return {coder: entry for coder, entry in entries if isinstance(entry, Hierarchy)}

    def _spans(self, item: str) -> dict[tuple[int, int], dict[str, PlacedMarks]]:
        """Return first and last unit -> coder -> the coder's spans there."""
        by_coder = self._of_item(item)
        spans: dict[tuple[int, int], dict[str, PlacedMarks]] = {}
        for coder, hierarchy in by_coder.items():
            for span in hierarchy.spans:
                at = spans.setdefault(span[:2], dict.fromkeys(by_coder, ()))
                at[coder] += (PlacedMark(span.start, span.end, span.label, span.level),)
        return spans

    def find_places(self) -> Iterable[DisputedPlace]:
        """Return one place per span that not all coders have, or that has different labels."""
        spans = {item: self._spans(item) for item in self.result.items}
        for place in self.result.places:
            assert place.span is not None
            marks = spans[place.item].pop(place.span)
            yield _place(place, marks, _majority_span(marks), times=self._times(place.item, place.span))
        for item, remaining in spans.items():
            for span, marks in remaining.items():
                if len(_labels(marks)) > 1:
                    yield _label_place(item, marks, self._times(item, span))

    def _times(self, item: str, span: tuple[int, int]) -> tuple[float, float] | None:
        edges = next(iter(self._of_item(item).values())).edges
        return None if edges is None else (edges[span[0] - 1], edges[span[1]])

    def agreed(self, item: str) -> Streams:
        """Return the spans that the coders agree on, with the level and the label that most of them chose."""
        disputed = {(int(place.start), int(place.end)) for place in self.places_of_items[item]}
        spans = (_majority_span(marks) for span, marks in self._spans(item).items() if span not in disputed)
        return {"": tuple(mark for marks in spans for mark in marks)}

    def build(self, item: str, marks: Streams) -> Hierarchy:
        model = next(iter(self._of_item(item).values()))
        spans = list(dict.fromkeys(marks.get("", ())))
        rows = [(int(mark.start), int(mark.end or 0), mark.level or _level(mark, spans), mark.type) for mark in spans]
        return Hierarchy(model.length, rows, units=model.units, edges=model.edges, extent=model.extent)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        self.check_type(mark.type)
        length = next(iter(self._of_item(place.item).values())).length
        if mark.end is None or mark.start % 1 or mark.end % 1 or not 1 <= mark.start <= mark.end <= length:
            raise OptionError(f"marks: a span goes from a first to a last unit in 1..{length}; got {mark}")
        return mark


def _labels(marks: Mapping[str, PlacedMarks]) -> set[tuple[str | None, ...]]:
    return {tuple(mark.type for mark in own) for own in marks.values()}


def _label_place(item: str, marks: Mapping[str, PlacedMarks], times: tuple[float, float] | None) -> DisputedPlace:
    """Return the place of a span that all coders have, with different labels; the measure does not count labels."""
    labels = [tuple(mark.type for mark in own) for own in marks.values()]
    pairs = sum(first != second for first, second in combinations(labels, 2))
    return DisputedPlace(
        item=item,
        stream=None,
        about=SPAN,
        seconds=False,
        marks=marks,
        majority=_majority_span(marks),
        kinds=("different label",),
        cost=0.0,
        pairs=pairs,
        times=times,
    )


def _level(mark: PlacedMark, spans: Sequence[PlacedMark]) -> int:
    around = [
        span.level
        for span in spans
        if span.level and span.start <= mark.start and (mark.end or 0) <= (span.end or 0) and span != mark
    ]
    return 1 + max(around, default=0)


def _majority_span(marks: Mapping[str, PlacedMarks]) -> PlacedMarks:
    """Return the span if more than half of the coders have it, with the level and the label that most of them chose."""
    own = [entries for entries in marks.values() if entries]
    if 2 * len(own) <= len(marks):
        return ()
    counts = Counter(own)
    return min(own, key=lambda entries: -counts[entries])
