"""What comes of judging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from caesura.judging.comparison import Comparison
from caesura.judging.field import Field
from caesura.judging.mistakes import Mistakes, mistakes_of
from caesura.measures.base import Measure
from caesura.model.display import Displayed
from caesura.model.score import Score
from caesura.statistics import AlternativeTest

__all__ = ["Drop", "Judged", "Judgement", "Replacement"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One segmenter, or one bound, under one measure."""

    segmenter: str
    bound: bool
    """Whether it is no system but a bound: human, random, regular, none, all."""
    measure: Measure
    value: float
    """Micro: from parts summed over all items and coders; of ``random`` the mean of such values over draws."""
    macro: float
    """The mean over items of the value over all coders."""
    interval: tuple[float, float] | None
    interval_note: str
    """What the interval is, or why there is none."""
    items: int
    score: Score = field(repr=False)
    """Everything about the micro value: parts, further figures such as precision and recall, signature."""
    by_coder: Mapping[str, float] = field(default_factory=dict, repr=False)
    """The value against each coder as reference, from parts summed over items; empty where the coders are taken together
    (fuzzy success), and of ``random``."""
    pairs: int | None = None
    """With ``interval="pairs"``: how many boundary pairs there are."""
    standard_error: float | None = None
    """With ``interval="pairs"``: of the mean over them."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "segmenter": self.segmenter,
            "bound": self.bound,
            **self.score.to_dict(),
            "value": self.value,
            "macro": self.macro,
            "interval": None if self.interval is None else list(self.interval),
            "interval_note": self.interval_note,
            "pairs": self.pairs,
            "standard_error": self.standard_error,
            "items": self.items,
            "by_coder": dict(self.by_coder),
        }


@dataclass(frozen=True, slots=True)
class Drop:
    """How much agreement the coders lose when a system joins them, on the items that it and two of them have."""

    system: str
    value: float | None
    """``coders`` less ``joined``: 0 or below for a system that agrees with them as well as they do with each other."""
    coders: float | None
    joined: float | None
    coefficient: str
    measure: Measure
    items: int = 0
    """On how many items."""
    undefined: str | None = None
    """Why there is no value."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("system", "value", "coders", "joined", "coefficient", "items", "undefined")
        return {name: getattr(self, name) for name in names} | {"measure": repr(self.measure)}


@dataclass(frozen=True, slots=True)
class Replacement:
    """Whether a system could take the place of a coder: the alternative annotator test."""

    system: str
    test: AlternativeTest | None
    coders: tuple[str, ...]
    """The order of ``test.coders``."""
    measure: Measure
    undefined: str | None = None
    """Why there is no test."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        found: dict[str, Any] = {"system": self.system, "measure": repr(self.measure), "undefined": self.undefined}
        if self.test is not None:
            found |= {
                "winning_rate": self.test.winning_rate,
                "passed": self.test.passed,
                "advantage": self.test.advantage,
                "epsilon": self.test.epsilon,
                "q": self.test.q,
                "coders": [
                    {
                        "coder": name,
                        "items": one.items,
                        "mean_difference": one.mean_difference,
                        "test": one.test,
                        "p": one.p,
                        "adjusted": one.adjusted,
                        "rejected": one.rejected,
                        "advantage": one.advantage,
                    }
                    for name, one in zip(self.coders, self.test.coders, strict=True)
                ],
            }
        return found


@dataclass(frozen=True, eq=False)
class Judgement(Displayed):
    """The table of a comparison, and what goes with it."""

    rows: tuple[Judged, ...]
    """Systems and bounds, measure by measure."""
    comparisons: tuple[Comparison, ...]
    """Significance, measure by measure; none with a single system."""
    drops: tuple[Drop, ...]
    replacements: tuple[Replacement, ...]
    systems: tuple[str, ...]
    coders: tuple[str, ...]
    items: tuple[str, ...]
    undefined: Mapping[str, str]
    """What has no meaning here, and why: a bound, a test."""
    excluded: tuple[str, ...]
    """What was left out, and why."""
    seed: int
    signature: str
    entrants: Field = field(repr=False)
    aligner: Measure = field(repr=False)

    @cached_property
    def mistakes(self) -> dict[str, Mistakes]:
        """System -> where it goes wrong; found when first asked for."""
        return {system: mistakes_of(self.entrants, system, self.aligner) for system in self.systems}

    def row(self, segmenter: str, measure: str | Measure, *, bound: bool | None = None) -> Judged:
        """One row by name; ``measure`` as in the rows, or its name alone where that is enough.

        ``bound`` says which is meant where a system is called as a bound is; by default the system.
        """
        for one in self.rows:
            if (
                one.segmenter == segmenter
                and bound in (None, one.bound)
                and measure in (one.measure, repr(one.measure), one.measure.name)
            ):
                return one
        raise KeyError((segmenter, measure))

    def ranking(self, measure: str | Measure) -> tuple[str, ...]:
        """The systems, best first."""
        mine = [one for one in self.rows if measure in (one.measure, repr(one.measure), one.measure.name)]
        systems = [one for one in mine if not one.bound]
        best_first = sorted(systems, key=lambda one: -one.value if one.measure.higher_is_better else one.value)
        return tuple(one.segmenter for one in best_first)

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "systems": list(self.systems),
            "coders": list(self.coders),
            "items": list(self.items),
            "rows": [one.to_dict() for one in self.rows],
            "comparisons": [one.to_dict() for one in self.comparisons],
            "drops": [one.to_dict() for one in self.drops],
            "replacements": [one.to_dict() for one in self.replacements],
            "undefined": dict(self.undefined),
            "excluded": list(self.excluded),
            "seed": self.seed,
            "signature": self.signature,
        }
