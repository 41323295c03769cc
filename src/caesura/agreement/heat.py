"""The heat map of boundaries: how many coders marked each position (Fournier & Inkpen 2012, Figure 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.tokens import difference

__all__ = ["HeatMap", "heat_map"]


@dataclass(frozen=True)
class HeatMap:
    """Item -> the marks of all its coders, laid on top of each other; of a dialogue ``item / stream``."""

    marks: Mapping[str, Marks]
    dropped: Mapping[str, str]
    """Items left out, and why."""

    def __getitem__(self, item: str) -> Marks:
        return self.marks[item]

    def __iter__(self) -> Iterator[str]:
        return iter(self.marks)

    def __len__(self) -> int:
        return len(self.marks)

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "items": {
                item: {
                    "coders": one.coders,
                    "units": one.length,
                    "positions": one.positions.tolist(),
                    "counts": one.heights.tolist(),
                }
                for item, one in self.marks.items()
            },
            "dropped": dict(self.dropped),
        }


def heat_map(corpus: Corpus) -> HeatMap:
    """How many coders put a boundary at each inner position, item by item.

    Where bars are high, coders agree that there is a boundary; bars beside each other are near misses. Items whose coders
    segmented different texts, and hierarchies, are left out and named.

    >>> from caesura.data import stargazer
    >>> heat = heat_map(stargazer())
    >>> heat["stargazer"].counts.tolist()
    [0, 6, 3, 0, 5, 0, 2, 3, 6, 1, 1, 6, 4, 0, 0, 3, 2, 5, 0, 2]
    """
    marks: dict[str, Marks] = {}
    dropped: dict[str, str] = {}
    for item in corpus.items:
        by = corpus.of_item(item)
        if any(isinstance(one, Hierarchy) for one in by.values()):
            dropped[item] = "a hierarchy has no single row of boundaries"
            continue
        said = difference(by)
        if said is not None:
            dropped[item] = said.removeprefix(": ")
            continue
        sides = [streams_of(one) for one in by.values()]
        for stream in sides[0]:
            name = f"{item} / {stream}" if stream else item
            marks[name] = Marks.of([side[stream] for side in sides])
    if not marks:
        why = "; ".join(f"item {item!r}: {reason}" for item, reason in list(dropped.items())[:5])
        raise OptionError(f"no item has a heat map{': ' if why else ''}{why}")
    return HeatMap(marks, dropped)
