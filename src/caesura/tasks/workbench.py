"""The state of an open corpus: what was read, how it was read, and what was computed from it."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar, cast

from caesura.errors import CaesuraError, OptionError
from caesura.formats.settings import Settings
from caesura.judging.participants import Systems
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded
from caesura.notices import collect_warnings
from caesura.tasks.alignments import Alignments
from caesura.tasks.live import LiveComputation, LiveResult, align_items, select_coders
from caesura.tasks.measure_choice import choose_measures
from caesura.tasks.report import ESSENTIAL, analyze_corpus
from caesura.tasks.report_results import CorpusReport
from caesura.tasks.report_subject import ReportOptions, Subject

# Suffixes of sound files beside annotations, in the order in which they are tried.
SOUNDS = (".wav", ".ogg", ".mp3", ".flac")
_MAX_SUBJECTS = 4  # choices of coders whose arrays are kept
_MAX_RESULTS = 32  # results that are kept for parameters that come back

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Material:
    corpus: Corpus  # the annotations of the human coders, and of systems that are named in ``systems``
    systems: Systems | None = None  # the systems, in any form that ``judge`` accepts
    settings: Settings | None = None
    excluded: tuple[Excluded, ...] = ()
    files: tuple[str, ...] = ()  # files whose changes matter

    def with_coders(self, coders: Sequence[str]) -> tuple[Corpus, Systems | None]:
        corpus = self.corpus.select(coders=[name for name in self.corpus.coders if name in coders])
        if self.systems is None:
            return corpus, None
        if isinstance(self.systems, Corpus):
            return corpus, self.systems.select(coders=[name for name in self.systems.coders if name in coders])
        if isinstance(self.systems, Mapping):
            named = cast("Mapping[str, Any]", self.systems)
            return corpus, {name: entry for name, entry in named.items() if name in coders}
        return corpus, [name for name in self.systems if name in coders]


@dataclass(frozen=True)
class Parameters:
    measure: Measure  # measure that compares coders
    coders: tuple[str, ...]  # coders and systems that take part, in the order of the corpus


class Workbench:
    """One open corpus: the material, the analyses, and a lock for everything that changes."""

    def __init__(
        self,
        load: Callable[[], Material],
        options: ReportOptions | None = None,
        *,
        title: str | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        self.lock = RLock()
        self.options = options or ReportOptions()
        self.title = title
        self.paths = tuple(paths)
        self.revision = 0
        self._load = load
        self._report_lock = Lock()  # a complete report takes long, and must not be computed by two requests at once
        self.material: Material
        self.report: CorpusReport
        self.warnings: list[str]
        self.reload()

    def reload(self) -> None:
        """Read the files again and analyse the corpus; if that fails, the state stays as it is."""
        with self.lock, collect_warnings() as warnings:
            material = self._load()
            states = _file_states([*material.files, *self.paths])
            report = analyze_corpus(
                material.corpus, self.options, systems=material.systems, settings=material.settings, analyses=ESSENTIAL
            )
            self.material, self.report, self.warnings = material, report, list(warnings)
            self.revision += 1
            self._states = states
            self._computations: OrderedDict[tuple[str, ...], LiveComputation] = OrderedDict()
            self._results: OrderedDict[Parameters, LiveResult] = OrderedDict()
            self._reports: OrderedDict[Parameters, CorpusReport] = OrderedDict()
            with suppress(CaesuraError):  # the first change of a parameter finds the arrays of all pairs ready
                self.live(self.parameters())

    @property
    def subject(self) -> Subject:
        """The corpus as the page shows it: human coders and systems, on common units."""
        return self.report.subject

    @property
    def items(self) -> tuple[str, ...]:
        """The items that the page shows in detail, in its order."""
        return self.report.text_items

    def changed_files(self) -> list[str]:
        """Return the files and folders that are not as they were when they were read."""
        with self.lock:
            now = _file_states(self._states)
            return [path for path, state in self._states.items() if now[path] != state]

    # -- parameters -----------------------------------------------------------------------------------------------

    def parameters(self, measure: str | Measure | None = None, coders: Sequence[int] | None = None) -> Parameters:
        with self.lock:
            subject, settings = self.subject, self.material.settings
        if measure is None:
            chosen = subject.measures[0]
        else:
            chosen = choose_measures("report", subject.corpus, [parse(measure)], settings=settings)[0]
        names = subject.corpus.coders
        if coders is None:
            return Parameters(chosen, names)
        if not all(isinstance(number, int) and 0 <= number < len(names) for number in coders):
            raise OptionError(f"coders: expected numbers from 0 to {len(names) - 1}; got {coders!r:.80}")
        return Parameters(chosen, tuple(names[number] for number in sorted(set(coders))))

    def live(self, parameters: Parameters) -> LiveResult:
        with self.lock:
            return _kept(
                self._results,
                parameters,
                _MAX_RESULTS,
                lambda: self._computation(parameters).result(parameters.measure),
            )

    def align(self, parameters: Parameters, items: Sequence[str]) -> Alignments:
        with self.lock:
            subject = self._computation(parameters).subject
            return align_items(subject, self.live(parameters).aligner, items)

    def complete_report(self, parameters: Parameters) -> CorpusReport:
        """Return all analyses of a report under some parameters. That takes much longer than the live numbers."""
        with self._report_lock:
            with self.lock:
                material, reports = self.material, self._reports
                measures = self.subject.measures
            chosen = None if parameters.measure == measures[0] else parameters.measure
            options = replace(self.options, measure=chosen or self.options.measure)

            def compute() -> CorpusReport:
                corpus, systems = material.with_coders(parameters.coders)
                return analyze_corpus(corpus, options, systems=systems, settings=material.settings)

            return _kept(reports, parameters, _MAX_SUBJECTS, compute)

    def _computation(self, parameters: Parameters) -> LiveComputation:
        coders = parameters.coders
        return _kept(
            self._computations, coders, _MAX_SUBJECTS, lambda: LiveComputation(select_coders(self.subject, coders))
        )

    # -- sound ----------------------------------------------------------------------------------------------------

    def sound_of(self, item: str) -> Path | None:
        """Return the sound file of an item: one with the same name beside the annotations."""
        with self.lock:
            files = [Path(name) for name in self.material.files]
            single = len(self.material.corpus.item_names) == 1
        stem = item.replace("\\", "/").rpartition("/")[2]
        is_plain = stem not in ("", ".", "..") and "\0" not in stem  # a name in a folder, and nothing outside it
        own = [file for file in files if single or file.stem == stem]
        stems = [file.with_suffix("") for file in own]
        stems += [folder / stem for folder in dict.fromkeys(file.parent for file in files) if is_plain]
        for path in dict.fromkeys(stems):
            for suffix in SOUNDS:
                candidate = path.with_name(path.name + suffix)
                if candidate.is_file():
                    return candidate
        return None


def _kept(store: OrderedDict[K, V], key: K, size: int, compute: Callable[[], V]) -> V:
    """Return a value that is kept in a store of limited size; compute it if it is not there."""
    if key in store:
        store.move_to_end(key)
        return store[key]
    value = compute()
    store[key] = value
    while len(store) > size:
        store.popitem(last=False)
    return value


def _file_states(paths: Sequence[str] | Mapping[str, object]) -> dict[str, tuple[int, int] | None]:
    """Return time and size of each file; None if it does not exist."""
    states: dict[str, tuple[int, int] | None] = {}
    for path in paths:
        try:
            status = os.stat(path)
            states[path] = (status.st_mtime_ns, status.st_size)
        except (OSError, ValueError):
            states[path] = None
    return states
