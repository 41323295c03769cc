"""A gold standard, with what was kept, what was dropped, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.model.hierarchy import Hierarchy, Span

__all__ = ["Candidate", "Dropped", "Gold"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distinct span that someone drew; under ``level="full"``, on one level."""

    span: Span
    """As it stands, or would stand, in the gold: on the level most coders gave it, the smallest of several, and with the label
    most of these gave it, the first of several."""
    levels: tuple[int, ...]
    """Every level on which it was drawn."""
    labels: tuple[str, ...]
    """Every label it was given."""
    coders: tuple[str, ...]
    """Who drew it."""
    weight: int
    """What it counts in a conflict-free union."""

    @property
    def start(self) -> int:
        """The first unit, from 1."""
        return self.span.start

    @property
    def end(self) -> int:
        """The last unit."""
        return self.span.end

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "start": self.start,
            "end": self.end,
            "level": self.span.level,
            "label": self.span.label,
            "levels": list(self.levels),
            "labels": list(self.labels),
            "coders": list(self.coders),
            "weight": self.weight,
        }


@dataclass(frozen=True, slots=True)
class Dropped(Candidate):
    """A span that is not in the gold."""

    reason: str
    conflicts: tuple[Candidate, ...]
    """The kept spans that cross it."""

    @property
    def against(self) -> tuple[str, ...]:
        """The coders who drew one of these, in the order in which they are met."""
        return tuple(dict.fromkeys(coder for one in self.conflicts for coder in one.coders))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        # Not super(): a dataclass with slots is made anew, and the name would point to the class before.
        return Candidate.to_dict(self) | {
            "reason": self.reason,
            "conflicts": [{"start": one.start, "end": one.end, "coders": list(one.coders)} for one in self.conflicts],
        }


class Gold(Hierarchy):
    """A hierarchy made from those of several coders by :func:`unify`; a value, and equal to a hierarchy of the same spans.

    Unlike a coder's own, its spans may cross (``conflicts`` says how many pairs do), and its levels are those the
    coders agreed on, so an inner span need not be deeper than the one around it; :meth:`derived` gives levels by
    nesting.
    """

    __slots__ = (
        "best",
        "coders",
        "conflicts",
        "dropped",
        "kappas",
        "kept",
        "level",
        "method",
        "notes",
        "optima",
        "signature",
    )

    method: str
    level: str
    """``flat`` or ``full``."""
    coders: tuple[str, ...]
    kept: tuple[Candidate, ...]
    """The distinct spans that are in it, by start, the larger first."""
    dropped: tuple[Dropped, ...]
    """Those that are not, with the reason."""
    conflicts: int
    """How many pairs of kept spans cross; 0, save for a union, or a majority with a threshold below one half."""
    optima: int | None
    """How many sets of distinct spans without conflicts have the greatest weight; None save for a conflict-free union."""
    best: str | None
    """The coder whose hierarchy this is; None save for the best annotator."""
    kappas: dict[str, float | None]
    """The mean kappa of each coder with the others, None where all are undefined; empty save for the best annotator."""
    notes: tuple[str, ...]
    """What a reader has to know, such as ties and spans that became empty."""
    signature: str

    def __init__(
        self,
        text: Hierarchy,
        spans: Iterable[Span],
        *,
        method: str,
        level: str,
        coders: tuple[str, ...],
        kept: tuple[Candidate, ...],
        dropped: tuple[Dropped, ...],
        signature: str,
        conflicts: int = 0,
        optima: int | None = None,
        best: str | None = None,
        kappas: Mapping[str, float | None] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Over the units of ``text``; nothing is checked, since a union of several coders may cross."""
        self._put(text.length, tuple(spans), text.units, text.edges, text.extent)
        found = {
            "method": method,
            "level": level,
            "coders": coders,
            "kept": kept,
            "dropped": dropped,
            "conflicts": conflicts,
            "optima": optima,
            "best": best,
            "kappas": dict(kappas or {}),
            "notes": notes,
            "signature": signature,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def tied(self) -> bool:
        """Whether another gold would have been as good: several optima, or several best annotators."""
        means = [mean for mean in self.kappas.values() if mean is not None]
        return (self.optima or 1) > 1 or sum(mean > max(means) - 1e-12 for mean in means) > 1

    def derived(self) -> Hierarchy:
        """The same spans with levels by nesting, as a coder might have drawn them; an error if any cross.

        >>> from caesura.gold.unify import unify
        >>> gold = unify([Hierarchy(4, [(1, 4), (1, 2)]), Hierarchy(4, [(1, 3), (1, 2)])])
        >>> [str(span) for span in gold], [str(span) for span in gold.derived()]
        (['1-4 on level 1', '1-3 on level 1', '1-2 on level 2'], ['1-4 on level 1', '1-3 on level 2', '1-2 on level 3'])
        """
        spans = dict.fromkeys((span.start, span.end, None, span.label) for span in self.spans)
        return Hierarchy(self.length, spans, units=self.units, edges=self.edges, extent=self.extent)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "method": self.method,
            "level": self.level,
            "coders": list(self.coders),
            "length": self.length,
            "edges": None if self.edges is None else list(self.edges),
            "spans": [span._asdict() for span in self.spans],
            "kept": [one.to_dict() for one in self.kept],
            "dropped": [one.to_dict() for one in self.dropped],
            "conflicts": self.conflicts,
            "optima": self.optima,
            "tied": self.tied,
            "best": self.best,
            "kappas": dict(self.kappas),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        mine = {name: getattr(self, name) for name in Gold.__slots__}
        return _restore, ((self.length, self.units, self.edges, self.extent), self.spans, mine)

    def __repr__(self) -> str:
        units = f"{self.length} unit{'' if self.length == 1 else 's'}"
        spans = f"{len(self.spans)} span{'' if len(self.spans) == 1 else 's'}"
        if self.conflicts:
            crossing = "1 pair crosses" if self.conflicts == 1 else f"{self.conflicts} pairs cross"
            return f"Gold({self.method}, {self.level}: {units}, {spans}, {crossing})"
        drawn = f": {self.brackets()}" if self.length <= 30 and self.spans else ""
        return f"Gold({self.method}, {self.level}: {units}, {spans}{drawn})"


def _restore(text: tuple[Any, ...], spans: tuple[Span, ...], found: Mapping[str, Any]) -> Gold:
    length, units, edges, extent = text
    return Gold(Hierarchy(length, (), units=units, edges=edges, extent=extent), spans, **found)
