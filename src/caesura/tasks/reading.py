"""Reading of files for a task: the options of reading, and a summary for the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionConflictError, OptionError
from caesura.formats import detect, find, read_coders, read_together
from caesura.formats.settings import Settings
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree

MAX_LISTED_ITEMS = 1000
"""Above this number of items, a summary has counts instead of one entry per item."""


@dataclass
class ReadingOptions:
    """Options of reading, and the reading errors so far.

    Attributes
    ----------
    format : str or None
        Name of the format; None detects it from the file.
    types : list of str or None
        Boundary types in ordinal order.
    settings : Settings or None
        A settings file with symbols, similarity matrix and costs.
    pattern : str or None
        Which files of a folder to read and what their paths mean, such as ``"{coder}/{item}.TextGrid"``.
    align : str or None
        How to align coders whose tokens differ.
    options : dict
        Options of the format.
    errors : list of FormatError
        Reading errors; filled by the reading methods.
    summaries : list of dict
        One summary per file or group of files; filled by the reading methods.
    """

    format: str | None = None
    types: list[str] | None = None
    settings: Settings | None = None
    pattern: str | None = None
    align: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    errors: list[FormatError] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)

    def read(self, paths: Sequence[str]) -> Corpus:
        """Read one corpus from a file, a folder, a glob, or one file per coder.

        Parameters
        ----------
        paths : sequence of str
            The files.

        Returns
        -------
        Corpus
            All annotations that could be read.
        """
        if len(paths) == 1:
            return self.read_separately(paths)[0]
        if self.pattern is not None:
            raise OptionConflictError("a pattern describes the files of one folder or glob; got several files")
        corpus = read_coders(
            paths, self.format, align=self.align, excluded=self.errors, **self._format_options(paths[0])
        )
        self.summaries.append(summarize(paths, self._format_name(paths[0]), corpus))
        return corpus

    def read_separately(self, paths: Sequence[str]) -> list[Corpus]:
        """Read each file as a separate corpus; all corpora have the same units.

        Parameters
        ----------
        paths : sequence of str
            The files, folders or globs.

        Returns
        -------
        list of Corpus
            One corpus per path.
        """
        corpora = read_together(
            paths,
            self.format,
            pattern=self.pattern,
            align=self.align,
            excluded=self.errors,
            **self._format_options(paths[0]),
        )
        for path, corpus in zip(paths, corpora, strict=True):
            self.summaries.append(summarize([path], self._format_name(path), corpus))
        return corpora

    def read_with_systems(self, paths: Sequence[str], systems: Sequence[str]) -> tuple[Corpus, dict[str, Corpus]]:
        """Read the corpus of the human coders, and the files among ``systems``.

        Parameters
        ----------
        paths : sequence of str
            Files of the human coders.
        systems : sequence of str
            Names of coders, or files with the output of programs.

        Returns
        -------
        corpus : Corpus
            Corpus of the human coders.
        system_files : dict
            Path -> corpus, for every system that is a file.
        """
        files = [path for path in dict.fromkeys(systems) if Path(path).exists()]
        if len(paths) == 1:
            corpus, *system_corpora = self.read_separately([*paths, *files])
        else:
            corpus = self.read(paths)
            system_corpora = self.read_separately(files) if files else []
        return corpus, dict(zip(files, system_corpora, strict=True))

    def with_options(self, **options: Any) -> ReadingOptions:
        """Return a copy with additional options of the format.

        Parameters
        ----------
        **options : object
            Defaults; options that the user set take precedence.

        Returns
        -------
        ReadingOptions
            A copy that shares the lists of errors and summaries.
        """
        return replace(self, options={**options, **self.options})

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """Files and items that could not be read."""
        return tuple(Excluded(None, None, message) for message in dict.fromkeys(map(str, self.errors)))

    def require(self, corpus: Corpus, purpose: str) -> None:
        """Raise an error if nothing was read.

        Parameters
        ----------
        corpus : Corpus
            The corpus that was read.
        purpose : str
            Purpose of the corpus, such as ``"score"``.

        Raises
        ------
        FormatError or OptionError
            The reading error if there is exactly one; otherwise an ``OptionError``.
        """
        if len(corpus):
            return
        if len(self.errors) == 1:
            raise self.errors[0]
        raise OptionError(f"nothing is left to {purpose}")

    def require_any(self) -> None:
        """Raise an error because nothing could be read."""
        if len(self.errors) == 1:
            raise self.errors[0]
        raise OptionError("nothing could be read")

    def _format_name(self, path: str) -> str:
        return detect(find(path, self.format, self.pattern)[0].path, self.format).name

    def _format_options(self, first: str) -> dict[str, Any]:
        """Return types and options from the user, and from the settings for the format of the first file."""
        from_settings = {} if self.settings is None else self.settings.reading_options(self._format_name(first))
        options = from_settings | self.options
        return options if self.types is None else {**options, "types": self.types}


def summarize(paths: Sequence[str], format_name: str, corpus: Corpus) -> dict[str, Any]:
    """Return the summary of a corpus for the JSON field ``reading`` of every command.

    Parameters
    ----------
    paths : sequence of str
        The files.
    format_name : str
        Their format.
    corpus : Corpus
        The corpus that was read.

    Returns
    -------
    dict
        Files, format, kind of data, length of each item, coders, number of boundaries, boundary types.
    """
    lengths: dict[str, Any] = {}
    boundaries: dict[str, dict[str, int]] = {}
    types: dict[str, None] = {}
    for item, coder in corpus:
        annotation = corpus[item, coder]
        lengths.setdefault(item, _length(annotation))
        boundaries.setdefault(item, {})[coder] = _number_of_boundaries(annotation)
        types |= dict.fromkeys(_types(annotation))
    return {
        "files": list(paths),
        "format": format_name,
        "kind": corpus.kind,
        "items": lengths if len(lengths) <= MAX_LISTED_ITEMS else _extent(lengths.values()),
        "coders": list(corpus.coders),
        "boundaries": boundaries
        if len(lengths) <= MAX_LISTED_ITEMS
        else _extent(number for by_coder in boundaries.values() for number in by_coder.values()),
        "types": list(types),
        "roles": {},
        "ignored": [],
        "notes": [],
    }


def _extent(values: Any) -> dict[str, Any]:
    listed = list(values)
    return {"count": len(listed), "min": min(listed), "max": max(listed)}


def _length(annotation: Annotation) -> float:
    if isinstance(annotation, Tier):
        return float(annotation.end - annotation.begin)
    return annotation.length


def _number_of_boundaries(annotation: Annotation) -> int:
    if isinstance(annotation, Segmentation | Dialogue):
        return sum(int(text.inner.size) for text in streams_of(annotation).values())
    if isinstance(annotation, Tree):
        return len(annotation.nodes)
    return len(annotation.spans) if isinstance(annotation, Hierarchy) else len(annotation.intervals)


def _types(annotation: Annotation) -> list[str]:
    texts = annotation.values() if isinstance(annotation, Dialogue) else (annotation,)
    return [name for text in texts if isinstance(text, Segmentation) for name in text.types if name]
