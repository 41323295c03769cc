"""What became of the boundaries of each type: the table behind Figure 6 of Lai & Li (2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.many import Scores
from caesura.measures.registry import parse
from caesura.model.score import Score


@dataclass(frozen=True, slots=True)
class OperationsRow:
    """The boundaries of one type, on both sides, and what share of them met with what; the shares add up to 1."""

    type: str
    boundaries: int
    match: float
    """Same place, same type."""
    substitution: Mapping[str, float]
    """Same place, this other type."""
    alone: float
    """Nothing on the other side: deletion or insertion."""
    transposition: float
    """Another place, same type."""
    transposition_with_substitution: float
    """Another place, another type."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "type": self.type,
            "boundaries": self.boundaries,
            "match": self.match,
            "substitution": dict(self.substitution),
            "alone": self.alone,
            "transposition": self.transposition,
            "transposition with substitution": self.transposition_with_substitution,
        }


@dataclass(frozen=True, slots=True)
class OperationsTable:
    """A row for each type that occurs, in the order of the types."""

    rows: tuple[OperationsRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[OperationsRow]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> OperationsRow:
        for row in self.rows:
            if row.type == name:
                return row
        raise OptionError(f"no boundary of type {name!r}; there are {', '.join(self.types) or 'none'}")

    @property
    def types(self) -> tuple[str, ...]:
        """The types that occur."""
        return tuple(row.type for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"rows": [row.to_dict() for row in self.rows]}


def operations_table(
    source: Score | Scores | Iterable[Score] | Iterable[Pair], measure: str | Measure = "flexible_similarity"
) -> OperationsTable:
    """For each type, over all boundaries of that type on both sides, the shares of what happened to them.

    ``source`` is a score with edits, several of them, what ``score_many`` returned (pairs it could not score are left
    out), or pairs of segmentations or dialogues, which are then scored by ``measure``. A match counts for two
    boundaries of its type, a substitution for one of each type, a deletion or insertion for one. (The seed's printed
    shares are too low for matches: its program counted those of the last participant only.)

    >>> from caesura import Segmentation, flexible_similarity
    >>> a = Segmentation.from_marks(["", ",", "", "", ".", "."])
    >>> b = Segmentation.from_marks(["", "", ",", "", "?", "."])
    >>> row = operations_table(flexible_similarity(a, b))["."]
    >>> row.boundaries, round(row.match, 3), dict(row.substitution)
    (3, 0.667, {',': 0.0, '?': 0.3333333333333333})
    """
    types: dict[str, None] = {}
    met: dict[str, Counter[str]] = {}
    replaced: dict[str, Counter[str]] = {}
    for score in _scores(source, parse(measure)):
        if score.edits is None:
            way_out = "give the scores a total was made of, or take a measure that aligns"
            raise OptionError(f"a score with edits is needed; {way_out}: {score.signature} has none")
        types.update(dict.fromkeys(score.types))
        for edit in score.edits:
            for mine, other in ((edit.a_type, edit.b_type), (edit.b_type, edit.a_type)):
                if mine is None:
                    continue
                met.setdefault(mine, Counter())[edit.kind] += 1
                if edit.kind == "substitution" and other is not None:
                    replaced.setdefault(mine, Counter())[other] += 1
    occurring = [name for name in types if name in met]
    rows = []
    for name in occurring:
        kinds = met[name]
        n = kinds.total()
        by = replaced.get(name, Counter())
        rows.append(
            OperationsRow(
                type=name,
                boundaries=n,
                match=kinds["match"] / n,
                substitution=MappingProxyType({other: by[other] / n for other in occurring if other != name}),
                alone=(kinds["deletion"] + kinds["insertion"]) / n,
                transposition=kinds["transposition"] / n,
                transposition_with_substitution=kinds["transposition with substitution"] / n,
            )
        )
    return OperationsTable(tuple(rows))


def _scores(source: Any, measure: Measure) -> Iterator[Score]:
    if isinstance(source, Score):
        yield source
    elif isinstance(source, Scores):
        for place in source.scored.tolist():
            yield source[place]
    else:
        for one in source:
            yield one if isinstance(one, Score) else measure.score(*one)
