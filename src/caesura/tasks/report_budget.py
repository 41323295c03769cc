"""What a page contains: as much as can be computed in the time of a page, the most important analyses first.

The time is estimated from counts before the work begins, so that the same corpus always has the same page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from caesura.limits import MAX_PAGE_EDITS, MAX_PAGE_GOLD, MAX_PAGE_WORK
from caesura.model.hierarchy import Hierarchy
from caesura.tasks.report_subject import Preparation, Subject

MAX_FIGURES = 12
"""Figures of one section of the page that has one figure per item."""
MIN_FIGURES = 2
"""Figures of such a section on a page that has hardly time for them."""

# Work in about a microsecond, from profiles of pages with thousands of items.
_FIGURE = 48_000
_CLUSTERING = 150_000  # mostly the import of a library
_READING = 30  # per annotation, with everything that is done once for each
_CONVERSION = 60  # per annotation: spans and hierarchies to boundaries
_COEFFICIENT = 35  # per item, for the bootstrap
_COEFFICIENT_OF_SPANS = 150
_COEFFICIENT_OF_DIALOGUES = 600  # whose chance agreement is computed exactly
_JUDGEMENT = 100  # per item and system
_BOUNDS = 300
_DRAWS = 1_000  # per item and system, for all draws; at most _ALL_DRAWS
_ALL_DRAWS = 1_000_000
_MISTAKES = 40  # per item and system
_GOLD = 10  # per span
# Per possible edit of a pair of coders, see possible_edits.
_SCORED = 0.015
_JUDGED = 0.2
_DRAWN = 0.3
_ALIGNED = 0.1
_MISTAKEN = 1.0
_MISTAKEN_IN_DIALOGUES = 6.0


@dataclass(frozen=True)
class PageBudget:
    """The analyses that a page has time for.

    Parameters
    ----------
    all_coefficients : bool, default True
        Whether agreement is computed under every measure, or under the first one only.
    bounds : bool, default True
        Whether the systems are compared with bounds, such as random boundaries.
    mistakes : bool, default True
        Whether the mistakes of the systems are counted.
    figures : int, default 12
        Figures of each section with one figure per item.
    left_out : mapping of str to str
        Analysis -> why it is left out, and the command that computes it.
    notes : tuple of str
        What the page does not contain, for its reader.
    """

    all_coefficients: bool = True
    bounds: bool = True
    mistakes: bool = True
    figures: int = MAX_FIGURES
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def page_budget(preparation: Preparation) -> PageBudget:
    """Return what a page about a corpus can contain.

    Parameters
    ----------
    preparation : Preparation
        The corpus, its systems and its measures.

    Returns
    -------
    PageBudget
        All analyses, unless they would take more than ``MAX_PAGE_WORK``.
    """
    subject = preparation.subject
    work = _Work.of(preparation)
    if subject.kind == "trees" or work.total <= MAX_PAGE_WORK:
        return PageBudget()
    items = f"{len(subject.corpus.item_names):,} items and {len(subject.corpus.coders):,} coders"
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

    bounds = fits(work.bounds)
    if not bounds and work.bounds:
        notes.append(
            f"the bounds of the systems are left out, because a page has no time for them with {items}; see the command judge"
        )
    all_coefficients = fits(work.coefficient)
    if not all_coefficients and work.coefficient:
        notes.append(
            f"agreement is computed under the first measure only, because a page has no time for more with {items}; see the "
            "command agree"
        )
    mistakes = fits(work.mistakes)
    for name, (amount, command) in work.optional.items():
        if not fits(amount):
            left_out[name] = f"left out, because a page has no time for it with {items}; see the command {command}"
    figures = min(MAX_FIGURES, max(MIN_FIGURES, int(rest / (_FIGURE * max(1, work.sections)))))
    return PageBudget(all_coefficients, bounds, mistakes, figures, left_out, tuple(notes))


@dataclass(frozen=True)
class _Work:
    """Estimates of the work of a page, in about a microsecond.

    ``needed`` is the work of what every page has, ``coefficient`` that of all coefficients but the first, and ``sections``
    the number of sections with one figure per item.
    """

    needed: float
    coefficient: float = 0.0
    bounds: float = 0.0
    mistakes: float = 0.0
    optional: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    sections: int = 0

    @property
    def total(self) -> float:
        analyses = sum(amount for amount, _ in self.optional.values())
        figures = _FIGURE * MAX_FIGURES * self.sections
        return self.needed + self.coefficient + self.bounds + self.mistakes + analyses + figures

    @classmethod
    def of(cls, preparation: Preparation) -> _Work:
        """Estimate the work for a subject."""
        subject = preparation.subject
        items, coders = len(subject.corpus.item_names), len(subject.corpus.coders)
        people, systems = len(subject.human_coders), len(subject.systems)
        spans = subject.kind == "hierarchy"
        edits = sum(subject.possible_edits.values())
        all_pairs = math.comb(coders, 2) or 1
        of_people = edits * math.comb(people, 2) / all_pairs
        coefficient = _COEFFICIENT * items + _SCORED * of_people
        if preparation.spans is not None:
            coefficient = _COEFFICIENT_OF_SPANS * items
        elif subject.kind == "dialogue":
            coefficient += _COEFFICIENT_OF_DIALOGUES * items
        judged, of_systems = items * systems, edits * systems * people / all_pairs
        needed = (_READING + _CONVERSION * spans) * len(subject.corpus) + coefficient
        needed += _ALIGNED * min(edits, MAX_PAGE_EDITS)
        bounds = 0.0
        if systems:
            needed += _JUDGEMENT * judged + _JUDGED * of_systems + _SCORED * edits
            draws = _DRAWS * judged + (0 if spans else _DRAWN * of_people)
            bounds = _BOUNDS * judged + min(draws, _ALL_DRAWS) + 2 * _SCORED * of_people
        mistaken = _MISTAKEN_IN_DIALOGUES if subject.kind == "dialogue" else _MISTAKEN
        optional: dict[str, tuple[float, str]] = {}
        if coders > 2:
            optional["clustering"] = (_CLUSTERING + _SCORED * edits, "agree with --clusters")
        if spans:
            optional["golds"] = (_GOLD * min(_number_of_spans(subject), MAX_PAGE_GOLD), "gold")
        return cls(
            needed=needed,
            coefficient=coefficient * (len(subject.measures) - 1) if preparation.spans is None else 0.0,
            bounds=bounds,
            mistakes=_MISTAKES * judged + mistaken * of_systems,
            optional=optional,
            sections=spans + bool(systems) + (preparation.spans is not None),
        )


def _number_of_spans(subject: Subject) -> int:
    return sum(20 + len(entry.spans) for entry in subject.corpus.values() if isinstance(entry, Hierarchy))
