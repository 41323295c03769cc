"""What the readers of rhetorical structure (.rs3, .dis, .rsd) share: units are elementary discourse units (EDUs).

The spans of EDUs are a hierarchy whose levels are derived from nesting. With ``as_="segments"``, the ends of EDUs are
boundaries over the tokens between white space instead, so that coders with different EDUs can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from caesura.formats.format import NAME_OPTIONS, Reading
from caesura.formats.spans import REPAIR, Continuum, SpanRow, build_hierarchy
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice

# Relation of the only nucleus of a node; it is not a label.
SPAN = "span"


class Yield(NamedTuple):
    """EDUs below a node; without gaps, their number is last - first + 1."""

    first: int = 0  # first and last EDU, counted from 1
    last: int = 0
    size: int = 0

    @property
    def has_gap(self) -> bool:
        return self.size != self.last - self.first + 1

    @classmethod
    def union(cls, yields: Iterable[Yield]) -> Yield:
        """Return the EDUs of several yields that have no EDU in common."""
        firsts, lasts, sizes = zip(*yields, strict=True)
        return cls(min(firsts), max(lasts), sum(sizes))


def rows_of(spans: Iterable[tuple[int, int, str | None]]) -> list[SpanRow]:
    """Return each distinct span of two or more EDUs with one label."""
    labels: dict[tuple[int, int], str | None] = {}
    for first, last, relation in spans:
        if first < last:
            labels[first, last] = labels.get((first, last)) or (None if relation == SPAN else relation)
    return [SpanRow(first, last, None, label) for (first, last), label in labels.items()]


def check_gap(reading: Reading, line: int | None, node: str, edus: Yield) -> bool:
    if not edus.has_gap:
        return True
    if reading.options["repair"]:
        reading.log.add(f"the yield of {node}, {edus.first}-{edus.last}, has gaps and was excluded")
        return False
    problem = f"the yield of {node} must have no gap; it has {edus.size} of the EDUs {edus.first}-{edus.last}"
    raise reading.error(line, f"{problem}; or read with repair=True, which excludes such spans")


def read_edus(reading: Reading, edus: Sequence[str], rows: Callable[[], list[SpanRow]]) -> Corpus:
    def annotation() -> Annotation:
        if reading.options["as_"] == "segments":
            words = [edu.split() for edu in edus]
            return Segmentation.from_masses([*map(len, words)], units=[word for edu in words for word in edu])
        continuum = Continuum(units=tuple(edus))
        return build_hierarchy(reading, reading.item_name, reading.coder_name, rows(), continuum)

    return reading.read_one(annotation)


def order_from_roots(heads: Mapping[int, int]) -> list[int]:
    """Return the nodes that can be reached from the root 0, each after its head."""
    children: dict[int, list[int]] = {}
    for node, head in heads.items():
        children.setdefault(head, []).append(node)
    order = list(children.get(0, ()))
    for node in order:  # the list grows
        order += children.get(node, ())
    return order


# Options of all formats of rhetorical structure.
OPTIONS = (
    *NAME_OPTIONS,
    Option("as_", "spans", choice("spans", "segments"), "read spans of EDUs, or a segmentation into EDUs"),
    REPAIR,
)
# Types of annotations that these formats contain.
ANNOTATION_TYPES = (Hierarchy, Segmentation)
