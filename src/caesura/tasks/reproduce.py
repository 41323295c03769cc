"""Were the papers right? Recompute their tables and figures, and compare them with what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from caesura.model.result import Result
from caesura.options import OptionSet, path, setting
from caesura.papers.data import Data
from caesura.papers.entry import VERDICTS, Entry, Reproduction
from caesura.papers.registry import find_entries
from caesura.progress import report_progress


@dataclass(frozen=True)
class ReproduceOptions(OptionSet):
    """Options of ``caesura reproduce``."""

    data: str | None = setting(
        None, path, "Folder with corpora that do not ship with the package; the list says which and where they are."
    )


@dataclass(frozen=True, slots=True)
class Reproductions(Result):
    """Displays of papers beside our numbers.

    Attributes
    ----------
    displays : tuple of Reproduction
        One entry per table or figure.
    """

    json_properties = ("counts",)
    frame_field = "displays"

    displays: tuple[Reproduction, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of displays."""
        return _count(display.verdict for display in self.displays)


@dataclass(frozen=True, slots=True)
class ListedDisplay(Result):
    """A table or figure in the list.

    Attributes
    ----------
    name : str
        Name for ``caesura reproduce NAME``.
    paper : str
        Citation of the paper.
    display, place, about : str
        Name in the paper, section and page, and what it shows.
    verdict : str
        The verdict that the numbers lead to.
    needs : tuple of str
        Corpora that it needs.
    available : bool
        Whether it can be computed here.
    """

    name: str
    paper: str
    display: str
    place: str
    about: str
    verdict: str
    needs: tuple[str, ...]
    available: bool


@dataclass(frozen=True, slots=True)
class DisplayList(Result):
    """All tables and figures that can be recomputed.

    Attributes
    ----------
    displays : tuple of ListedDisplay
        One entry per table or figure.
    corpora : mapping of str to str
        File name of each corpus that some of them need -> what it is and where it can be had.
    """

    json_properties = ("counts",)
    frame_field = "displays"

    displays: tuple[ListedDisplay, ...]
    corpora: Mapping[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of displays."""
        return _count(display.verdict for display in self.displays)


def _count(verdicts: Iterable[str]) -> dict[str, int]:
    listed = list(verdicts)
    return {verdict: listed.count(verdict) for verdict in VERDICTS}


def list_displays(options: ReproduceOptions | None = None) -> DisplayList:
    """List the tables and figures of the papers without computing them.

    Parameters
    ----------
    options : ReproduceOptions, optional
        The folder with further data.

    Returns
    -------
    DisplayList
        All displays with their verdicts, and whether they can be computed here.
    """
    data = Data((options or ReproduceOptions()).data)
    entries = find_entries(())
    displays = tuple(
        ListedDisplay(
            entry.name,
            entry.paper.citation,
            entry.display,
            entry.place,
            entry.about,
            entry.expected,
            tuple(data_set.file for data_set in entry.needs),
            entry.compute is not None and all(map(data.has, entry.needs)),
        )
        for entry in entries
    )
    return DisplayList(displays, {needed.file: needed.description for entry in entries for needed in entry.needs})


def reproduce(names: tuple[str, ...] = (), options: ReproduceOptions | None = None) -> Reproductions:
    """Recompute tables and figures of the papers behind the measures.

    Parameters
    ----------
    names : tuple of str, optional
        Names of displays, or of papers, which mean all their displays (default: all).
    options : ReproduceOptions, optional
        The folder with further data.

    Returns
    -------
    Reproductions
        Our numbers beside the printed ones, with a verdict each.

    Raises
    ------
    OptionError
        If there is no such display, or no such folder.

    Examples
    --------
    >>> result = reproduce(("fournier2013-stargazer",))
    >>> [(row.printed, round(row.ours, 4), round(row.preset, 4)) for row in result.displays[0].rows]
    [('0.7562', 0.7667, 0.7562), ('0.4405', 0.4644, 0.4405)]
    >>> result.displays[0].verdict
    'reproduced under a preset'
    """
    options = options or ReproduceOptions()
    return Reproductions(tuple(_run(find_entries(names), Data(options.data))))


def _run(entries: list[Entry], data: Data) -> Iterator[Reproduction]:
    for done, entry in enumerate(entries):
        report_progress(done, len(entries))
        yield entry.run(data)
    report_progress(len(entries), len(entries))
