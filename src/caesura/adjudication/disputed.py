"""The annotations of a corpus as marks: what coders agree on, what they dispute, and the annotation that marks make.

Each kind of data has its own class, because boundaries over units, boundaries in seconds, spans and hierarchies are found,
counted and put together in different ways. :func:`disputed_of` chooses the class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b

from caesura.adjudication.places import DisputedPlace, PlacedMark, PlacedMarks, in_order
from caesura.agreement.disagreement_rows import Disagreements
from caesura.errors import InputError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of, tiers_of
from caesura.model.fingerprint import fingerprint_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded
from caesura.model.spans import Spans

# Stream -> its marks; the name of the stream is empty outside dialogues.
Streams = Mapping[str, PlacedMarks]


class DisputedCorpus(ABC):
    """A corpus whose disagreements are adjudicated."""

    # Boundary types, categories or labels that an adjudicator can choose; empty if there are none.
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
        by_item: dict[str, list[DisputedPlace]] = {item: [] for item in self.items}
        for place in self.places:
            by_item[place.item].append(place)
        return {item: tuple(places) for item, places in by_item.items()}

    @abstractmethod
    def find_places(self) -> Iterable[DisputedPlace]:
        """Return all places, in any order and without keys."""

    @abstractmethod
    def agreed(self, item: str) -> Streams:
        """Return what the coders of an item agree on."""

    @abstractmethod
    def build(self, item: str, marks: Streams) -> Annotation:
        """Return the annotation that marks make."""

    @abstractmethod
    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a mark that an adjudicator placed by hand, rounded, if it fits the item."""

    def retyped(self, marks: PlacedMarks, name: str | None) -> PlacedMarks:
        if name is None:
            return marks
        self.check_type(name)
        return tuple(dict.fromkeys(PlacedMark(mark.start, mark.end, name, mark.level) for mark in marks))

    def check_type(self, name: str | None, *, required: bool = False) -> None:
        listed = ", ".join(self.types[:20])
        if name is not None and name not in self.types:
            expected = f"one of {listed}" if self.types else "none, because marks have no types here"
            raise OptionError(f"type: expected {expected}; got {name[:80]!r}")
        if name is None and required and self.types:
            raise OptionError(f"type: choose one of {listed}")

    def fingerprint(self, item: str) -> str:
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
    if isinstance(annotation, Spans):
        return (annotation.text,) if annotation.text is not None else annotation.units or ()
    if isinstance(annotation, Hierarchy):
        return annotation.units or ()
    if tiers := tiers_of(annotation):
        return [word.label for tier in tiers.values() for word in tier.words or ()]
    return [unit for text in streams_of(annotation).values() for unit in text.units or ()]


def check_kind(corpus: Corpus) -> None:
    """Raise an error if the annotations of a corpus cannot be adjudicated."""
    if corpus.kind == "trees":
        raise OptionError("trees cannot be adjudicated here; compare them with `caesura trees GOLD PREDICTED`")
    classes = {type(annotation) for annotation in corpus.values()}
    if len(classes) > 1:
        names = " and ".join(sorted(cls.__name__ for cls in classes))
        raise OptionError(f"all annotations must be of one kind to be adjudicated; this corpus has {names}")


def describe_error(item: str, error: InputError) -> str:
    """Return why the marks of an item cannot stand together."""
    return f"item {item[:80]!r}: this decision contradicts the gold standard so far: {error}; undo one of them"


def streams_or_annotation(streams: Mapping[str, Annotation]) -> Annotation:
    """Return the only annotation, or a dialogue of all streams."""
    return streams[""] if "" in streams else Dialogue(streams)  # type: ignore[arg-type]
