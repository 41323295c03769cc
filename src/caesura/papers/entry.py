"""One table or figure of a paper: what is printed, how to compute it, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.model.result import HIDDEN, Result
from caesura.papers.data import Data, DataSet

REPRODUCED, PRESET, REFUTED = "reproduced", "reproduced under a preset", "refuted"
NOT_FREE, NOT_RUN = "not free", "not run"
# All verdicts: three about numbers, and two about data that nobody, or not this computer, has.
VERDICTS = (REPRODUCED, PRESET, REFUTED, NOT_FREE, NOT_RUN)

Value = float | str


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper behind the measures."""

    key: str  # beginning of the names of its entries, such as ``"fournier2012"``
    short: str  # authors and year
    citation: str  # authors, year, title and place

    def entry(
        self,
        name: str,
        display: str,
        place: str,
        about: str,
        expected: str,
        compute: Callable[[Data], Computation] | None,
        **details: Any,
    ) -> Entry:
        return Entry(f"{self.key}-{name}", self, display, place, about, expected, compute, **details)


@dataclass(frozen=True, slots=True)
class Row(Result):
    """One printed number or statement beside ours."""

    json_properties = ("difference", "agrees", "agrees_under_preset")

    label: str
    printed: str  # the number or statement as printed
    ours: Value  # the same by the definition
    preset: Value | None = None  # the same under the preset of the entry, if it differs by definition
    error: float = 0.0  # largest difference that chance explains, for numbers that come from random draws
    exact: bool = False  # whether the printed number is exact, not rounded

    @property
    def difference(self) -> float | None:
        """Our number minus the printed one, under the preset if there is one; None for statements."""
        value = self.ours if self.preset is None else self.preset
        printed = _number(self.printed)
        return None if printed is None or isinstance(value, str) else float(value) - printed

    @property
    def agrees(self) -> bool:
        """Whether the number by the definition, rounded or cut to the printed digits, is the printed one."""
        return self._agrees(self.ours)

    @property
    def agrees_under_preset(self) -> bool:
        """Whether the number under the preset agrees; without a preset, whether ours does."""
        return self.agrees if self.preset is None else self._agrees(self.preset)

    def _agrees(self, value: Value) -> bool:
        printed = _number(self.printed)
        if printed is None or isinstance(value, str):
            return str(value) == self.printed
        if self.exact:
            return math.isclose(value, printed, abs_tol=1e-9)
        unit = 10.0 ** -_decimals(self.printed)
        is_rounded = abs(value - printed) <= unit / 2 + self.error + 1e-12
        is_cut = not self.error and math.floor(value / unit + 1e-9) == round(printed / unit)
        return is_rounded or is_cut


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def statement(label: str, holds: bool) -> Row:
    """Return a row for a sentence of the paper."""
    return Row(label, "yes", "yes" if holds else "no")


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines to draw: a figure of a paper."""

    x_label: str  # x_label, y_label: Names of the axes
    y_label: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]  # name of each line -> x and y values


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that another function draws."""

    kind: str  # name of a function of ``views.figures``
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Computation:
    """What the function of an entry returns."""

    rows: Sequence[Row]  # printed numbers beside ours
    figure: Curves | Picture | None = None  # the figure, redrawn
    signatures: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or figure of a paper."""

    name: str  # name for ``caesura reproduce NAME``
    paper: Paper
    display: str  # its name in the paper, such as ``"Figure 5b"``
    place: str  # section and page
    about: str  # what it shows, in one sentence
    expected: str  # the verdict that the numbers lead to; the tests check it
    # Function of the data that returns the numbers; None if nobody can compute them.
    compute: Callable[[Data], Computation] | None
    needs: tuple[DataSet, ...] = ()  # data that do not ship with the package
    preset: str = ""  # options that give the printed numbers
    reason: str = ""  # why the printed numbers are not those of the definition, or what is missing

    def run(self, data: Data) -> Reproduction:
        """Compute the display and compare it with what is printed."""
        missing = [data_set for data_set in self.needs if not data.has(data_set)]
        if self.compute is None or missing:
            verdict = NOT_FREE if self.compute is None else NOT_RUN
            return Reproduction(self, verdict, missing=tuple(data_set.description for data_set in missing))
        computed = self.compute(data)
        return Reproduction(
            self, verdict_of(computed.rows), tuple(computed.rows), computed.figure, tuple(computed.signatures)
        )


def verdict_of(rows: Sequence[Row]) -> str:
    if all(row.agrees for row in rows):
        return REPRODUCED
    return PRESET if all(row.agrees_under_preset for row in rows) else REFUTED


@dataclass(frozen=True, slots=True)
class Reproduction(Result):
    """A display beside our numbers."""

    json_properties = ("name", "paper", "display", "place", "about", "preset", "reason", "largest_difference")
    frame_field = "rows"

    entry: Entry = field(metadata=HIDDEN)  # the display
    verdict: str
    rows: tuple[Row, ...] = ()  # printed numbers beside ours; empty if nothing was computed
    figure: Curves | Picture | None = field(default=None, metadata=HIDDEN)  # the figure, redrawn
    signatures: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # data that were not found

    @property
    def name(self) -> str:
        """Name of the entry."""
        return self.entry.name

    @property
    def paper(self) -> str:
        """Citation of the paper."""
        return self.entry.paper.citation

    @property
    def display(self) -> str:
        """Name of the table or figure in the paper."""
        return self.entry.display

    @property
    def place(self) -> str:
        """Section and page."""
        return self.entry.place

    @property
    def about(self) -> str:
        """What the display shows."""
        return self.entry.about

    @property
    def preset(self) -> str:
        """Options that give the printed numbers."""
        return self.entry.preset

    @property
    def reason(self) -> str:
        """Why the printed numbers are not those of the definition, or what is missing."""
        return self.entry.reason

    @property
    def largest_difference(self) -> float | None:
        """Largest difference between a printed number and ours; None if there are no numbers."""
        differences = [abs(row.difference) for row in self.rows if row.difference is not None]
        return max(differences, default=None)
