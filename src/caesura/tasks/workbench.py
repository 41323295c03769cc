"""The state of an open corpus: what was read, how it was read, and what was computed from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import RLock

from caesura.formats.settings import Settings
from caesura.judging.participants import Systems
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded
from caesura.notices import collect_warnings
from caesura.tasks.report import CorpusReport, ReportOptions, analyze_corpus


@dataclass(frozen=True, eq=False)
class Material:
    """What was read from the files of an open corpus.

    Parameters
    ----------
    corpus : Corpus
        The annotations of the human coders, and of systems that are named in ``systems``.
    systems : sequence of str, mapping or Corpus, optional
        The systems, in any form that :func:`~caesura.judge` accepts.
    settings : Settings, optional
        Symbols, similarity matrix and costs of a settings file.
    excluded : tuple of Excluded
        Files and items that could not be read.
    """

    corpus: Corpus
    systems: Systems | None = None
    settings: Settings | None = None
    excluded: tuple[Excluded, ...] = ()


class Workbench:
    """One open corpus: the material, the analyses, and a lock for everything that changes.

    Parameters
    ----------
    load : callable
        Function that reads the files; it is called again when the user reloads them.
    options : ReportOptions, optional
        Measure and random seed at the beginning.
    title : str, optional
        Heading of the page.
    paths : sequence of str, optional
        Files and folders that the user opened.

    Attributes
    ----------
    lock : threading.RLock
        Held while the state changes; requests may run in several threads.
    material : Material
        The corpus and its systems.
    report : CorpusReport
        The analyses of the corpus.
    warnings : list of str
        Warnings of the analyses.
    """

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
        self._load = load
        self.material: Material
        self.report: CorpusReport
        self.warnings: list[str]
        self.reload()

    def reload(self) -> None:
        """Read the files again and analyse the corpus; if that fails, the state stays as it is.

        Raises
        ------
        CaesuraError
            If the files cannot be read or analysed.
        """
        with self.lock, collect_warnings() as warnings:
            material = self._load()
            report = analyze_corpus(material.corpus, self.options, systems=material.systems, settings=material.settings)
            self.material, self.report, self.warnings = material, report, list(warnings)
