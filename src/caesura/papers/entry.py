"""One table or figure of a paper: what is printed, how to compute it, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from caesura.model.result import HIDDEN, Result
from caesura.papers.data import Data, corpora

REPRODUCED, PRESET, REFUTED = "reproduced", "reproduced under a preset", "refuted"
NOT_FREE, NOT_RUN = "not free", "not run"
# All verdicts: three about numbers, and two about data that nobody, or not this computer, has.
VERDICTS = (REPRODUCED, PRESET, REFUTED, NOT_FREE, NOT_RUN)

Value = float | str


@dataclass(frozen=True, slots=True)
class Paper:
    key: str  # beginning of the names of its entries, such as ``"fournier2012"``
    short: str  # authors and year
    citation: str  # authors, year, title and place


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
        unit = 10.0 ** -len(self.printed.partition(".")[2])
        is_rounded = abs(value - printed) <= unit / 2 + self.error + 1e-12
        is_cut = not self.error and math.floor(value / unit + 1e-9) == round(printed / unit)
        return is_rounded or is_cut


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines to draw: a figure of a paper."""

    x_label: str
    y_label: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]  # name of each line -> x and y values


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that another function draws."""

    kind: str  # name of a function of ``views.figures``
    arguments: tuple[Any, ...]


class Both(NamedTuple):
    """A number by the definition, and the same under the preset of the entry."""

    ours: float
    preset: float
    error: float = 0.0  # as in Row
    exact: bool = False


# Label, as in ``displays.toml`` -> our number; True or False for a sentence of the paper, which prints no number.
Values = dict[str, Value | Both]


@dataclass(frozen=True, slots=True)
class Computation:
    """Our numbers for one display."""

    values: Mapping[str, Value | Both]
    figure: Curves | Picture | None = None  # the figure, redrawn
    signatures: Sequence[str] = ()


_Function = TypeVar("_Function", bound=Callable[..., Computation])


class Displays(dict[str, Callable[[Data], Computation]]):
    """Name of a display -> the function that computes it."""

    def add(self, name: str, *arguments: Any) -> Callable[[_Function], _Function]:
        """Return a decorator: the function computes this display from the data and these arguments."""

        def register(function: _Function) -> _Function:
            self[name] = lambda data: function(data, *arguments)
            return function

        return register


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or figure of a paper."""

    name: str  # name for ``caesura reproduce NAME``
    paper: Paper
    display: str  # its name in the paper, such as ``"Figure 5b"``
    place: str  # section and page
    about: str  # what it shows, in one sentence
    expected: str  # the verdict that the numbers lead to; the tests check it
    compute: Callable[[Data], Computation] | None  # None if nobody can compute it
    needs: tuple[str, ...] = ()  # names of corpora that do not ship with the package
    preset: str = ""  # options that give the printed numbers
    reason: str = ""  # why the printed numbers are not those of the definition, or what is missing
    printed: Mapping[str, str] = field(default_factory=dict)  # label -> printed number

    def run(self, data: Data) -> Reproduction:
        """Compute the display and compare it with what is printed."""
        missing = [name for name in self.needs if not data.has(name)]
        if self.compute is None or missing:
            verdict = NOT_FREE if self.compute is None else NOT_RUN
            return Reproduction(self, verdict, missing=tuple(corpora()[name].description for name in missing))
        computed = self.compute(data)
        rows = tuple(self._row(label, value) for label, value in computed.values.items())
        return Reproduction(self, verdict_of(rows), rows, computed.figure, tuple(computed.signatures))

    def _row(self, label: str, value: Value | Both) -> Row:
        if isinstance(value, bool):
            return Row(label, "yes", "yes" if value else "no")
        if isinstance(value, Both):
            ours, preset, error, exact = value
            return Row(label, self.printed[label], float(ours), float(preset), float(error), exact)
        return Row(label, self.printed[label], value if isinstance(value, str) else float(value))


def verdict_of(rows: Sequence[Row]) -> str:
    if all(row.agrees for row in rows):
        return REPRODUCED
    return PRESET if all(row.agrees_under_preset for row in rows) else REFUTED


@dataclass(frozen=True, slots=True)
class Reproduction(Result):
    """A display beside our numbers."""

    json_properties = ("name", "paper", "display", "place", "about", "preset", "reason", "largest_difference")
    frame_field = "rows"

    entry: Entry = field(metadata=HIDDEN)
    verdict: str
    rows: tuple[Row, ...] = ()  # printed numbers beside ours; empty if nothing was computed
    figure: Curves | Picture | None = field(default=None, metadata=HIDDEN)
    signatures: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # data that were not found

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def paper(self) -> str:
        return self.entry.paper.citation

    @property
    def display(self) -> str:
        return self.entry.display

    @property
    def place(self) -> str:
        return self.entry.place

    @property
    def about(self) -> str:
        return self.entry.about

    @property
    def preset(self) -> str:
        return self.entry.preset

    @property
    def reason(self) -> str:
        return self.entry.reason

    @property
    def largest_difference(self) -> float | None:
        """Largest difference between a printed number and ours; None if there are no numbers."""
        differences = [abs(row.difference) for row in self.rows if row.difference is not None]
        return max(differences, default=None)
