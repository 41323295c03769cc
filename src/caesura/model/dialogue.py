"""A conversation: one segmentation or tier per speaker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from caesura.errors import MismatchError, SegmentationError
from caesura.model.hierarchy import Hierarchy
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import MAX_DRAWN_UNITS, Segmentation, constructors_for
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import Displayed, Value, count_of


class Dialogue(Value, Mapping[str, Segmentation | Tier], Displayed):
    """Mapping from streams to segmentations: each speaker's units form a separate running text.

    The streams may also be tiers in seconds. :func:`~caesura.over_units` converts each stream separately.

    Parameters
    ----------
    streams : mapping of str to Segmentation or Tier
        Segmentation or tier of each stream (speaker).

    Raises
    ------
    SegmentationError
        If there is no stream, or an entry is neither a segmentation nor a tier, or some are segmentations and some tiers.

    Examples
    --------
    >>> Dialogue({"Ann": Segmentation.from_marks(["", ",", "."]), "Bo": Segmentation.from_marks(["?"])})
    Dialogue(4 units in 2 streams: Ann ··,·., Bo ·?)
    """

    __slots__ = ("_streams",)

    _streams: dict[str, Segmentation | Tier]

    def __init__(self, streams: Mapping[str, Segmentation] | Mapping[str, Tier]) -> None:
        if not isinstance(streams, Mapping):
            raise SegmentationError(f"expected a mapping from names of streams to segmentations; got {streams!r:.80}")
        if not streams:
            raise SegmentationError("a dialogue must have at least one stream; got none")
        for name, segmentation in streams.items():
            if not isinstance(name, str):
                raise SegmentationError(f"the name of a stream must be a string; got {name!r}")
            if not isinstance(segmentation, Segmentation | Tier):
                raise SegmentationError(f"stream {name!r}: expected a Segmentation; got {type(segmentation).__name__}")
        if len({type(entry) for entry in streams.values()}) > 1:
            raise SegmentationError("the streams must all be segmentations, or all be tiers; got both")
        self._fill(_streams=dict(streams))

    def __getitem__(self, stream: str) -> Segmentation | Tier:
        return self._streams[stream]

    def __iter__(self) -> Iterator[str]:
        return iter(self._streams)

    def __len__(self) -> int:
        return len(self._streams)

    @property
    def timed(self) -> bool:
        """Whether the streams are tiers in seconds."""
        return bool(self.tiers)

    @property
    def texts(self) -> Mapping[str, Segmentation]:
        """The streams if they are segmentations; empty if they are tiers."""
        return {} if self.timed else cast("Mapping[str, Segmentation]", self._streams)

    @property
    def tiers(self) -> Mapping[str, Tier]:
        """The streams if they are tiers in seconds; empty if they are segmentations."""
        is_timed = isinstance(next(iter(self._streams.values())), Tier)  # all of them are, or none
        return cast("Mapping[str, Tier]", self._streams) if is_timed else {}

    @property
    def length(self) -> int:
        """Total number of units in all streams; 0 for tiers, which have no units."""
        return sum(text.length for text in self.texts.values())

    def __eq__(self, other: object) -> bool:
        return self._streams == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = Value.__hash__

    def _key(self) -> frozenset[tuple[str, Segmentation | Tier]]:
        return frozenset(self._streams.items())

    def __repr__(self) -> str:
        streams = count_of(len(self), "stream")
        head = f"Dialogue({streams} in seconds: " if self.timed else f"Dialogue({self.length} units in {streams}: "
        if self.length <= MAX_DRAWN_UNITS and not self.timed:
            return head + ", ".join(f"{name} {text.draw()}" for name, text in self.texts.items()) + ")"
        return head + ", ".join(list(self._streams)[:8]) + (", …)" if len(self) > 8 else ")")


# Annotations that have units and can therefore be compared by measures.
Comparable = Segmentation | Dialogue | Hierarchy | Tree
# The annotation of one item by one coder.
Annotation = Comparable | Tier | Spans | BoundaryScores


def kind_name(value: object) -> str:
    if isinstance(value, BoundaryScores):
        return "BoundaryScores, which only average_precision and boundary_curve compare"
    if isinstance(value, Spans):
        return "Spans; convert spans that nest with to_hierarchy()"
    return type(value).__name__ + (
        "; convert the tiers to common units with over_units" if getattr(value, "tiers", None) else ""
    )


def reason_not_linear(by_coder: Mapping[str, Annotation]) -> str | None:
    for coder, annotation in by_coder.items():
        if isinstance(annotation, Dialogue):
            return "it has streams, which are not supported here"
        if not isinstance(annotation, Segmentation):
            return f"coder {coder!r}: expected a Segmentation; got {kind_name(annotation)}"
    return None


def texts_of(annotation: Annotation) -> Mapping[str, Segmentation]:
    """Return stream -> segmentation; raise an error if the annotation is neither a segmentation nor a dialogue of them."""
    if texts := getattr(annotation, "texts", None):
        return cast("Mapping[str, Segmentation]", texts)
    got = f"{kind_name(annotation)}{constructors_for(annotation)}"
    raise MismatchError(f"expected a Segmentation or a Dialogue; got {got}")
