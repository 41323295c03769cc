"""What a page contains: as much as can be computed in the time of a page, the most important analyses first.

The time is estimated from counts before the work begins, so that the same corpus always has the same page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from caesura.agreement.coder_pairs import number_of_pairs
from caesura.limits import (
    MAX_EXACT_WORK,
    MAX_PAGE_BARS,
    MAX_PAGE_EDITS,
    MAX_PAGE_GOLD,
    MAX_PAGE_WORK,
    MAX_REPORT_CODERS,
    MAX_REPORT_PAIRS,
)
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.tasks.alignments import EDITS_PER_PAIR
from caesura.tasks.report_subject import Preparation

# Figures of one section of the page that has one figure per item.
MAX_FIGURES = 12
# Figures of such a section on a page that has hardly time for them.
MIN_FIGURES = 2


@dataclass(frozen=True)
class _Rates:
    """Work for a kind of data, in about a microsecond: per item and per possible edit, see ``possible_edits``."""

    # ``coefficient`` is that of a coefficient of agreement, ``pairs`` that of a table of pairs, and ``judgement`` that of a
    # system without bounds. ``drawn`` is per system, and per possible edit of a coder and a system, for all draws of its
    # bounds; there are fewer draws above ``max_drawn``.

    coefficient: tuple[float, float] = (80, 0.015)
    pairs: tuple[float, float] = (70, 0.07)
    judgement: tuple[float, float] = (100, 0.1)
    clustering: float = 0.05
    aligned: float = 0.25
    drawn: tuple[float, float] = (1_000, 10)
    max_drawn: float = 1_200_000


# From the times of pages about files of 1 MB.
_RATES = {
    "linear": _Rates(pairs=(40, 0.01), judgement=(100, 0.03), clustering=0.02, aligned=0.35),
    "typed": _Rates(coefficient=(130, 0.05), judgement=(200, 0.15), aligned=0.4),
    "dialogue": _Rates(coefficient=(600, 2)),
    "hierarchy": _Rates(coefficient=(50, 0.5), pairs=(70, 0.5), judgement=(150, 0.4), clustering=0.4, aligned=1.5),
    "spans": _Rates(coefficient=(150, 0), pairs=(70, 0.04), judgement=(150, 0.13)),
    "timed": _Rates(coefficient=(80, 0.1), judgement=(100, 1), drawn=(1_000, 60), max_drawn=2_000_000),
}
_READING = 15  # per annotation, with everything that is done once for each
_CONVERSION = 25  # per annotation: spans and hierarchies to boundaries
_GAMMA = 25  # per span
_MORE_OF_SPANS = 120  # per item: the other coefficients of spans, which share the samples of gamma
_MAX_COEFFICIENT = {"dialogue": 900_000.0, "spans": 2_000_000.0}  # fewer draws or samples above
_EXACT_CHANCE = 450  # per item of dialogues
_CLUSTERING = 200_000  # mostly the import of a library
_BOUNDS = 150  # per item, system and coder
_MISTAKES = (40, 1.2)  # per item and system, and per possible edit of a coder and a system
_POINT = 300  # per pair of coders: a pair in the figure of precision and recall
_GOLD = 20  # per span
_FIGURE = 45_000
_MARK = 400  # per boundary or span in a figure


@dataclass(frozen=True)
class PageBudget:
    all_coefficients: bool = True  # whether all coefficients of agreement are computed, or only the first one
    bounds: bool = True  # whether the systems are compared with bounds, such as random boundaries
    mistakes: bool = True  # whether the mistakes of the systems are counted
    figures: int = MAX_FIGURES  # figures of each section with one figure per item
    # Analysis -> why it is left out, and the command that computes it.
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the page does not contain, for its reader


def page_budget(preparation: Preparation) -> PageBudget:
    subject = preparation.subject
    work = _Work.of(preparation)
    if subject.kind == "trees" or work.total <= MAX_PAGE_WORK:
        return PageBudget()
    numbers = (len(subject.corpus.item_names), "item"), (len(subject.corpus.coders), "coder")
    items = " and ".join(f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in numbers)
    rest = MAX_PAGE_WORK - work.needed
    notes: list[str] = []
    left_out: dict[str, str] = {}

    def fits(amount: float) -> bool:
        """Return whether there is time for an analysis, and take this time."""
        nonlocal rest
        if amount > rest:
            return False
        rest -= amount
        return True

    def left_out_unless_it_fits(name: str) -> None:
        if name not in work.optional:
            return
        amount, command = work.optional[name]
        if not fits(amount):
            left_out[name] = f"left out, because a page has no time for it with {items}; see the command {command}"

    left_out_unless_it_fits("judgement")
    left_out_unless_it_fits("pairs")
    bounds = "judgement" not in left_out and fits(work.bounds)
    if not bounds and work.bounds and "judgement" not in left_out:
        notes.append(
            f"the bounds of the systems are left out, because a page has no time for them with {items}; see the command judge"
        )
    all_coefficients = fits(work.coefficient)
    if not all_coefficients and work.coefficient:
        notes.append(
            f"only the first coefficient of agreement is computed, because a page has no time for more with {items}; see the "
            "command agree"
        )
    mistakes = "judgement" not in left_out and fits(work.mistakes)
    for name in ("precision_recall", "clustering", "golds"):
        left_out_unless_it_fits(name)
    if "judgement" in left_out:  # the figure shows its scores
        left_out["precision_recall"] = left_out["judgement"]
    figures = min(MAX_FIGURES, max(MIN_FIGURES, int(rest / (work.figure * max(1, work.sections)))))
    return PageBudget(all_coefficients, bounds, mistakes, figures, left_out, tuple(notes))


@dataclass(frozen=True)
class _Work:
    """Estimates of the work of a page, in about a microsecond."""

    # ``needed`` is the work of what every page has, ``coefficient`` that of all coefficients but the first, ``optional`` that
    # of other analyses with the command that has them too, ``figure`` that of a figure of an item, and ``sections`` the number
    # of sections with one figure per item.

    needed: float
    coefficient: float = 0.0
    bounds: float = 0.0
    mistakes: float = 0.0
    optional: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    figure: float = _FIGURE
    sections: int = 0

    @property
    def total(self) -> float:
        analyses = sum(amount for amount, _ in self.optional.values())
        figures = self.figure * MAX_FIGURES * self.sections
        return self.needed + self.coefficient + self.bounds + self.mistakes + analyses + figures

    @classmethod
    def of(cls, preparation: Preparation) -> _Work:
        subject = preparation.subject
        items, coders = len(subject.corpus.item_names), len(subject.corpus.coders)
        people, systems = len(subject.human_coders), len(subject.systems)
        kind = _kind(preparation)
        rates = _RATES.get(kind, _RATES["hierarchy"])
        measures = len(preparation.direct or subject.measures)
        nested = subject.kind == "hierarchy"
        spans = sum(len(entry.spans) for entry in subject.corpus.values() if isinstance(entry, Hierarchy))
        edits = sum(subject.possible_edits.values())
        all_pairs = math.comb(coders, 2) or 1
        of_people, of_systems = edits * math.comb(people, 2) / all_pairs, edits * systems * people / all_pairs

        def work(rate: tuple[float, float], number: float, edits: float) -> float:
            return rate[0] * number + rate[1] * edits

        coefficient = 0.0
        if people > 1:
            coefficient = work(rates.coefficient, items, of_people) + (_GAMMA * spans if kind == "spans" else 0)
            coefficient = min(coefficient, _MAX_COEFFICIENT.get(kind, math.inf))
            if kind == "dialogue":  # chance agreement is computed exactly for thousands of short items
                coefficient = max(coefficient, min(_EXACT_CHANCE * items, MAX_EXACT_WORK))
        needed = (_READING + _CONVERSION * nested) * len(subject.corpus) + coefficient
        needed += rates.aligned * min(edits, MAX_PAGE_EDITS)
        optional: dict[str, tuple[float, str]] = {}
        bounds = mistakes = 0.0
        if systems:
            judged = items * systems
            drop = 2 * coefficient if subject.kind == "dialogue" else 0.0
            optional["judgement"] = (work(rates.judgement, judged, edits) + drop, "judge")
            drawn = min(work(rates.drawn, judged, of_systems), rates.max_drawn)
            bounds = _BOUNDS * judged * people + 2 * rates.coefficient[1] * of_people * (not drop)
            bounds += 0 if kind == "spans" else drawn
            mistakes = work(_MISTAKES, judged, of_systems)
        if number_of_pairs(subject.corpus) <= MAX_REPORT_PAIRS:
            optional["pairs"] = (measures * work(rates.pairs, items, edits), "pairwise")
            if kind in ("linear", "typed", "hierarchy") and not systems:
                points = 2 * work(rates.pairs, items, edits) + _POINT * math.comb(coders, 2)
                optional["precision_recall"] = (points, "pairwise -m boundary_confusion --ordered")
        if 2 < coders <= MAX_REPORT_CODERS and kind != "spans":
            optional["clustering"] = (_CLUSTERING + rates.clustering * edits, "agree with --clusters")
        if nested:
            optional["golds"] = (_GOLD * min(spans, MAX_PAGE_GOLD), "gold")
        return cls(
            needed=needed,
            coefficient=coefficient * (measures - 1) if kind != "spans" else _MORE_OF_SPANS * items * (people > 1),
            bounds=bounds,
            mistakes=mistakes,
            optional=optional,
            figure=_FIGURE + _MARK * min(_marks_per_item(edits / items, coders), MAX_PAGE_BARS / MAX_FIGURES),
            sections=nested + bool(systems) + (preparation.spans is not None),
        )


def _kind(preparation: Preparation) -> str:
    if preparation.spans is not None or preparation.direct:
        return "spans" if preparation.spans is not None else "timed"
    first = next(iter(preparation.subject.boundaries.values()))
    typed = isinstance(first, Segmentation) and len(first.types) > 1
    return "typed" if typed and preparation.subject.kind == "linear" else preparation.subject.kind


def _marks_per_item(edits: float, coders: int) -> float:
    """Return the boundaries of all coders in an item with so many possible edits."""
    return max(0.0, edits / max(1, coders - 1) - EDITS_PER_PAIR * coders / 2)
