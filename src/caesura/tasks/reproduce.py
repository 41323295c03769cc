"""Were the papers right? Recompute their tables and figures, and compare them with what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from caesura.model.result import Result
from caesura.options import OptionSet, path, setting
from caesura.papers.data import Data, corpora
from caesura.papers.entry import VERDICTS, Reproduction
from caesura.papers.registry import find_entries
from caesura.progress import progress_step


@dataclass(frozen=True)
class ReproduceOptions(OptionSet):
    data: str | None = setting(
        None, path, "Folder with corpora that do not ship with the package; the list says which and where they are."
    )


@dataclass(frozen=True, slots=True)
class Reproductions(Result):
    json_properties = ("counts",)
    frame_field = "displays"

    displays: tuple[Reproduction, ...]

    @property
    def counts(self) -> dict[str, int]:
        return _count(display.verdict for display in self.displays)


@dataclass(frozen=True, slots=True)
class ListedDisplay(Result):
    name: str  # name for ``caesura reproduce NAME``
    paper: str
    display: str  # its name in the paper, such as Table 1
    place: str
    about: str
    verdict: str
    needs: tuple[str, ...]
    available: bool


@dataclass(frozen=True, slots=True)
class DisplayList(Result):
    json_properties = ("counts",)
    frame_field = "displays"

    displays: tuple[ListedDisplay, ...]
    corpora: Mapping[str, str]  # file name of each corpus that some of them need -> what it is and where it can be had

    @property
    def counts(self) -> dict[str, int]:
        return _count(display.verdict for display in self.displays)


def _count(verdicts: Iterable[str]) -> dict[str, int]:
    listed = list(verdicts)
    return {verdict: listed.count(verdict) for verdict in VERDICTS}


def list_displays(options: ReproduceOptions | None = None) -> DisplayList:
    """List the tables and figures of the papers without computing them."""
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
            tuple(corpora()[name].file for name in entry.needs),
            entry.compute is not None and all(map(data.has, entry.needs)),
        )
        for entry in entries
    )
    needed = [corpora()[name] for entry in entries for name in entry.needs]
    return DisplayList(displays, {data_set.file: data_set.description for data_set in needed})


def reproduce(names: tuple[str, ...] = (), options: ReproduceOptions | None = None) -> Reproductions:
    entries, data = find_entries(names), Data((options or ReproduceOptions()).data)
    displays = []
    for step, entry in enumerate(entries, 1):
        with progress_step(step, len(entries)):
            displays.append(entry.run(data))
    return Reproductions(tuple(displays))
