"""The annotations of a corpus as marks: what coders agree on, what they dispute, and the annotation that marks make.

Each kind of data has its own class, because boundaries over units, boundaries in seconds, spans and hierarchies are found,
counted and put together in different ways. :func:`material_of` chooses the class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

from caesura.adjudication.places import SPAN, DisputedPlace, Marks, PlacedMark, in_order
from caesura.agreement.disagreement_rows import Disagreements
from caesura.errors import InputError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of, tiers_of
from caesura.model.fingerprint import fingerprint_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded
from caesura.model.spans import Spans

Streams = Mapping[str, Marks]
"""Stream -> its marks; the name of the stream is empty outside dialogues."""


class Material(ABC):
    """A corpus whose disagreements are adjudicated.

    Parameters
    ----------
    corpus : Corpus
        The annotations of the coders.
    result : Disagreements
        Their disagreements, which determine the places and their order.

    Attributes
    ----------
    places : tuple of DisputedPlace
        The places, the costliest first.
    types : tuple of str
        Boundary types, categories or labels that an adjudicator can choose; empty if there are none.
    excluded : tuple of Excluded
        Items that cannot be adjudicated.
    """

    types: tuple[str, ...] = ()

    def __init__(self, corpus: Corpus, result: Disagreements) -> None:
        self.corpus = corpus
        self.result = result
        single = {item for item in corpus.item_names if len(corpus.of_item(item)) == 1}
        self.excluded = tuple(entry for entry in result.excluded if entry.item not in single)
        without = {entry.item for entry in self.excluded}
        compared = set(result.items)
        self.excluded += tuple(
            Excluded(item, None, "its annotations cannot be compared")
            for item in corpus.item_names
            if item not in compared and item not in single and item not in without
        )
        self.items = tuple(item for item in corpus.item_names if item in compared or item in single)

    @cached_property
    def places(self) -> tuple[DisputedPlace, ...]:
        """The places, the costliest first."""
        return in_order(self.find_places())

    @cached_property
    def places_of_items(self) -> Mapping[str, tuple[DisputedPlace, ...]]:
        """Item -> its places."""
        by_item: dict[str, list[DisputedPlace]] = {item: [] for item in self.items}
        for place in self.places:
            by_item[place.item].append(place)
        return {item: tuple(places) for item, places in by_item.items()}

    @abstractmethod
    def find_places(self) -> Iterable[DisputedPlace]:
        """Return all places, in any order and without keys.

        Returns
        -------
        iterable of DisputedPlace
            The places.
        """

    @abstractmethod
    def agreed(self, item: str) -> Streams:
        """Return what the coders of an item agree on.

        Parameters
        ----------
        item : str
            Name of the item.

        Returns
        -------
        mapping of str to tuple of PlacedMark
            Stream -> marks.
        """

    @abstractmethod
    def build(self, item: str, marks: Streams) -> Annotation:
        """Return the annotation that marks make.

        Parameters
        ----------
        item : str
            Name of the item.
        marks : mapping of str to tuple of PlacedMark
            Stream -> marks.

        Returns
        -------
        annotation
            A Segmentation, Dialogue, Tier, Spans or Hierarchy.

        Raises
        ------
        InputError
            If the marks contradict each other.
        """

    @abstractmethod
    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a mark that an adjudicator placed by hand, rounded, if it fits the item.

        Parameters
        ----------
        place : DisputedPlace
            The place.
        mark : PlacedMark
            The mark.

        Returns
        -------
        PlacedMark
            The mark.

        Raises
        ------
        OptionError
            If it lies outside the item, or has a type that does not exist.
        """

    def retyped(self, marks: Marks, name: str | None) -> Marks:
        """Return marks with another type.

        Parameters
        ----------
        marks : tuple of PlacedMark
            The marks.
        name : str or None
            The type; None keeps the types.

        Returns
        -------
        tuple of PlacedMark
            The marks; of several that become equal, only one.
        """
        if name is None:
            return marks
        self.check_type(name)
        return tuple(dict.fromkeys(PlacedMark(mark.start, mark.end, name, mark.level) for mark in marks))

    def check_type(self, name: str | None, *, required: bool = False) -> None:
        """Raise an error if an adjudicator cannot choose a type.

        Parameters
        ----------
        name : str or None
            The type, category or label.
        required : bool, default False
            Whether a mark must have a type if there are types.

        Raises
        ------
        OptionError
            If there is no such type.
        """
        listed = ", ".join(self.types[:20])
        if name is not None and name not in self.types:
            expected = f"one of {listed}" if self.types else "none, because marks have no types here"
            raise OptionError(f"type: expected {expected}; got {name[:80]!r}")
        if name is None and required and self.types:
            raise OptionError(f"type: choose one of {listed}")

    def fingerprint(self, item: str) -> str:
        """Return a fingerprint of all that coders marked in an item, and of its text.

        Parameters
        ----------
        item : str
            Name of the item.

        Returns
        -------
        str
            16 hexadecimal digits. They change if an annotation, a coder or the text changes.
        """
        by_coder = self.corpus.of_item(item)
        # A second, empty item makes the name of the item count.
        parts = [item, fingerprint_of([(item, by_coder)]), *sorted(by_coder)]
        parts += [text for coder in sorted(by_coder) for text in _texts(by_coder[coder])]
        digest = blake2b(digest_size=8)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()


def _texts(annotation: Annotation) -> Iterable[str]:
    """Return the units or the text of an annotation."""
    if isinstance(annotation, Spans):
        return (annotation.text,) if annotation.text is not None else annotation.units or ()
    if isinstance(annotation, Hierarchy):
        return annotation.units or ()
    if tiers := tiers_of(annotation):
        return [word.label for tier in tiers.values() for word in tier.words or ()]
    return [unit for text in streams_of(annotation).values() for unit in text.units or ()]


def most_frequent(marks: Sequence[PlacedMark]) -> PlacedMark:
    """Return the mark that occurs most often; of equally frequent marks, the first in order.

    Parameters
    ----------
    marks : sequence of PlacedMark
        At least one mark.

    Returns
    -------
    PlacedMark
        The mark.
    """
    counts = Counter(marks)
    return min(counts, key=lambda mark: (-counts[mark], str(mark), mark.level or 0))


# -- spans --------------------------------------------------------------------------------------------------------------


class SpanMaterial(Material):
    """Spans, which may overlap, nest and cross. A place is a group of spans that gamma aligns.

    Parameters
    ----------
    corpus : Corpus
        Spans of the coders.
    result : Disagreements
        Their disagreements.
    """

    def __init__(self, corpus: Corpus, result: Disagreements) -> None:
        super().__init__(corpus, result)
        spans = [annotation for annotation in corpus.values() if isinstance(annotation, Spans)]
        names = {name for entry in spans for name in entry.category_names if name is not None}
        self.types = tuple(sorted(names))
        self.may_lack_type = any(None in entry.category_names for entry in spans)

    def find_places(self) -> Iterable[DisputedPlace]:
        """Return one place per group of aligned spans that differ.

        Returns
        -------
        iterable of DisputedPlace
            The places.
        """
        for place in self.result.places:
            coders = list(self.corpus.of_item(place.item))
            marks = {coder: (PlacedMark(*place.units[coder]),) if coder in place.units else () for coder in coders}
            yield DisputedPlace(
                key="",
                item=place.item,
                stream=None,
                about=SPAN,
                seconds=self._first(place.item).axis == "seconds",
                marks=marks,
                majority=_majority_variant(marks.values()),
                kinds=place.kinds,
                cost=place.cost,
                pairs=place.pairs,
                before=place.before,
                between=place.between,
                after=place.after,
            )

    def _first(self, item: str) -> Spans:
        first = next(iter(self.corpus.of_item(item).values()))
        assert isinstance(first, Spans)
        return first

    def agreed(self, item: str) -> Streams:
        """Return the spans that all coders have.

        Parameters
        ----------
        item : str
            Name of the item.

        Returns
        -------
        mapping of str to tuple of PlacedMark
            The spans, under the name of the only stream.
        """
        coder = next(iter(self.corpus.of_item(item)))
        disputed = Counter(mark for place in self.places_of_items[item] for mark in place.marks[coder])
        spans = Counter(PlacedMark(*span) for span in self._first(item).spans)
        return {"": tuple((spans - disputed).elements())}

    def build(self, item: str, marks: Streams) -> Spans:
        """Return the spans.

        Parameters
        ----------
        item : str
            Name of the item.
        marks : mapping of str to tuple of PlacedMark
            The spans.

        Returns
        -------
        Spans
            The spans, with the text or the bounds of the item.
        """
        entries = [entry for entry in self.corpus.of_item(item).values() if isinstance(entry, Spans)]
        model = next((entry for entry in entries if entry.text is not None or entry.units is not None), entries[0])
        text = {"text": model.text, "units": model.units}
        bounds = None
        if model.text is None and model.units is None and all(entry.bounds is not None for entry in entries):
            known = [entry.bounds for entry in entries if entry.bounds is not None]
            bounds = min(first for first, _ in known), max(last for _, last in known)
        rows = [(mark.start, mark.end, mark.type) for mark in marks.get("", ())]
        return Spans(rows, bounds=bounds, seconds=model.axis == "seconds", **text)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a span if it lies in the item and has a category that occurs.

        Parameters
        ----------
        place : DisputedPlace
            The place.
        mark : PlacedMark
            The span.

        Returns
        -------
        PlacedMark
            The span.

        Raises
        ------
        OptionError
            If it has no end, ends before it starts, lies outside the item or has an unknown category.
        """
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


def _majority_variant(variants: Iterable[Marks]) -> Marks:
    """Return what more than half of the coders have; nothing if no variant has so many."""
    listed = list(variants)
    variant, number = Counter(listed).most_common(1)[0]
    return variant if 2 * number > len(listed) else ()


# -- hierarchies --------------------------------------------------------------------------------------------------------


class HierarchyMaterial(Material):
    """Hierarchies. A place is a span that some coders have and others do not.

    Parameters
    ----------
    corpus : Corpus
        The annotations of the coders.
    result : Disagreements
        Their disagreements.
    shared : Corpus
        The same hierarchies over common units.
    """

    def __init__(self, corpus: Corpus, result: Disagreements, shared: Corpus) -> None:
        super().__init__(corpus, result)
        self.shared = shared
        labels = {span.label for item in self.items for entry in self._of_item(item).values() for span in entry.spans}
        self.types = tuple(sorted(label for label in labels if label is not None))

    def _of_item(self, item: str) -> dict[str, Hierarchy]:
        entries = self.shared.of_item(item).items()
        return {coder: entry for coder, entry in entries if isinstance(entry, Hierarchy)}

    def _spans(self, item: str) -> dict[tuple[int, int], dict[str, Marks]]:
        """Return first and last unit -> coder -> the coder's spans there."""
        by_coder = self._of_item(item)
        spans: dict[tuple[int, int], dict[str, Marks]] = {}
        for coder, hierarchy in by_coder.items():
            for span in hierarchy.spans:
                at = spans.setdefault(span[:2], dict.fromkeys(by_coder, ()))
                at[coder] += (PlacedMark(span.start, span.end, span.label, span.level),)
        return spans

    def find_places(self) -> Iterable[DisputedPlace]:
        """Return one place per span that not all coders have.

        Returns
        -------
        iterable of DisputedPlace
            The places.
        """
        spans = {item: self._spans(item) for item in self.result.items}
        for place in self.result.places:
            assert place.span is not None
            marks = spans[place.item][place.span]
            yield DisputedPlace(
                key="",
                item=place.item,
                stream=None,
                about=SPAN,
                seconds=False,
                marks=marks,
                majority=_majority_span(marks),
                kinds=place.kinds,
                cost=place.cost,
                pairs=place.pairs,
                before=place.before,
                between=place.between,
                after=place.after,
            )

    def agreed(self, item: str) -> Streams:
        """Return the spans that the coders agree on, with the level and the label that most of them chose.

        Parameters
        ----------
        item : str
            Name of the item.

        Returns
        -------
        mapping of str to tuple of PlacedMark
            The spans, under the name of the only stream.
        """
        disputed = {(int(place.start), int(place.end)) for place in self.places_of_items[item]}
        spans = (_majority_span(marks) for span, marks in self._spans(item).items() if span not in disputed)
        return {"": tuple(mark for marks in spans for mark in marks)}

    def build(self, item: str, marks: Streams) -> Hierarchy:
        """Return the hierarchy.

        Parameters
        ----------
        item : str
            Name of the item.
        marks : mapping of str to tuple of PlacedMark
            The spans. A span without a level is one level below the smallest span that contains it.

        Returns
        -------
        Hierarchy
            The hierarchy, over the common units of the item.

        Raises
        ------
        HierarchyError
            If two spans cross.
        """
        model = next(iter(self._of_item(item).values()))
        spans = list(dict.fromkeys(marks.get("", ())))
        rows = [(int(mark.start), int(mark.end or 0), mark.level or _level(mark, spans), mark.type) for mark in spans]
        return Hierarchy(model.length, rows, units=model.units, edges=model.edges, extent=model.extent)

    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a span if it lies in the item.

        Parameters
        ----------
        place : DisputedPlace
            The place.
        mark : PlacedMark
            The span: first and last unit.

        Returns
        -------
        PlacedMark
            The span.

        Raises
        ------
        OptionError
            If it has no end, lies outside the item or has an unknown label.
        """
        self.check_type(mark.type)
        length = next(iter(self._of_item(place.item).values())).length
        if mark.end is None or mark.start % 1 or mark.end % 1 or not 1 <= mark.start <= mark.end <= length:
            raise OptionError(f"marks: a span goes from a first to a last unit in 1..{length}; got {mark}")
        return mark


def _level(mark: PlacedMark, spans: Sequence[PlacedMark]) -> int:
    around = [
        span.level
        for span in spans
        if span.level and span.start <= mark.start and (mark.end or 0) <= (span.end or 0) and span != mark
    ]
    return 1 + max(around, default=0)


def _majority_span(marks: Mapping[str, Marks]) -> Marks:
    """Return the span if more than half of the coders have it, with the level and the label that most of them chose."""
    own = [entries for entries in marks.values() if entries]
    if 2 * len(own) <= len(marks):
        return ()
    counts = Counter(own)
    return min(own, key=lambda entries: -counts[entries])


def check_kind(corpus: Corpus) -> None:
    """Raise an error if the annotations of a corpus cannot be adjudicated.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Raises
    ------
    OptionError
        If the corpus contains trees or boundary scores, or mixes kinds of data.
    """
    if corpus.kind == "trees":
        raise OptionError("trees cannot be adjudicated here; compare them with `caesura trees GOLD PREDICTED`")
    classes = {type(annotation) for annotation in corpus.values()}
    if len(classes) > 1:
        names = " and ".join(sorted(cls.__name__ for cls in classes))
        raise OptionError(f"all annotations must be of one kind to be adjudicated; this corpus has {names}")


def describe_error(item: str, error: InputError) -> str:
    """Return why the marks of an item cannot stand together.

    Parameters
    ----------
    item : str
        Name of the item.
    error : InputError
        The error of the annotation.

    Returns
    -------
    str
        The sentence.
    """
    return f"item {item[:80]!r}: this decision contradicts the gold standard so far: {error}; undo one of them"


def streams_or_annotation(streams: Mapping[str, Annotation]) -> Annotation:
    """Return the only annotation, or a dialogue of all streams.

    Parameters
    ----------
    streams : mapping of str to annotation
        Stream -> its annotation; the only stream without a name is not a dialogue.

    Returns
    -------
    annotation
        The annotation.
    """
    return streams[""] if "" in streams else Dialogue(streams)  # type: ignore[arg-type]
