"""A text that several people speak: one running segmentation for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from caesura.errors import MismatchError, SegmentationError
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree


class Dialogue(Mapping[str, Segmentation]):
    """Stream -> segmentation: the units of each participant form a running text of their own.

    >>> Dialogue({"Ann": Segmentation.from_marks(["", ",", "."]), "Bo": Segmentation.from_marks(["?"])})
    Dialogue(4 units in 2 streams: Ann ··,·., Bo ·?)
    """

    __slots__ = ("_hash", "_streams")

    _streams: dict[str, Segmentation]
    _hash: int | None

    def __init__(self, streams: Mapping[str, Segmentation]) -> None:
        if not streams:
            raise SegmentationError("a dialogue has at least one stream; got none")
        for name, one in streams.items():
            if not isinstance(name, str):
                raise SegmentationError(f"a stream is named by a string; got {name!r}")
            if not isinstance(one, Segmentation):
                raise SegmentationError(f"stream {name!r}: a Segmentation is needed; got {type(one).__name__}")
        object.__setattr__(self, "_streams", dict(streams))
        object.__setattr__(self, "_hash", None)

    def __getitem__(self, stream: str) -> Segmentation:
        return self._streams[stream]

    def __iter__(self) -> Iterator[str]:
        return iter(self._streams)

    def __len__(self) -> int:
        return len(self._streams)

    @property
    def length(self) -> int:
        """Number of units, all streams together."""
        return sum(one.length for one in self._streams.values())

    def __eq__(self, other: object) -> bool:
        return self._streams == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(frozenset(self._streams.items())))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Dialogue is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Dialogue is immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Dialogue, (dict(self._streams),)

    def __repr__(self) -> str:
        head = f"Dialogue({self.length} units in {len(self)} stream{'' if len(self) == 1 else 's'}: "
        if self.length <= 60:
            return head + ", ".join(f"{name} {one.draw()}" for name, one in self._streams.items()) + ")"
        return head + ", ".join(list(self._streams)[:8]) + (", …)" if len(self) > 8 else ")")


Comparable = Segmentation | Dialogue | Hierarchy | Tree
"""What measures compare: it has units."""
Annotation = Comparable | Tier
"""What a coder makes of an item."""


def kind_name(one: object) -> str:
    """What something is, for a message that asks for something else; for a tier with the way out."""
    return type(one).__name__ + ("; over_units lays tiers over units" if isinstance(one, Tier) else "")


def reason_not_linear(by_coder: Mapping[str, Annotation]) -> str | None:
    """Why what coders made of an item are not all plain segmentations, or None."""
    for coder, one in by_coder.items():
        if isinstance(one, Dialogue):
            return "it has streams, which are not supported here"
        if not isinstance(one, Segmentation):
            return f"coder {coder!r}: a Segmentation is needed; got {kind_name(one)}"
    return None


def streams_of(one: Annotation) -> Mapping[str, Segmentation]:
    """The texts that were segmented: the streams of a dialogue, or one without a name."""
    if isinstance(one, Dialogue):
        return one
    if isinstance(one, Segmentation):
        return {"": one}
    raise MismatchError(f"a Segmentation or a Dialogue is needed; got {kind_name(one)}")
