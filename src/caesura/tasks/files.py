"""What is in these files, and how are they written in another format?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caesura.errors import FormatError
from caesura.formats import detect, find, format_for_writing, formats, list_tiers, write
from caesura.formats.format import Format
from caesura.formats.registry import NAMES
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.result import HIDDEN, Result
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.options import OptionSet, choice, flag, optional, setting, text
from caesura.tasks.contents import Contents, describe
from caesura.tasks.reading import ReadingOptions

MAX_TIER_FILES = 10
"""Number of files whose tiers are listed."""


@dataclass(frozen=True)
class TierSummary:
    """One tier of a file, before any tier is chosen.

    Attributes
    ----------
    name : str
        Name of the tier.
    kind : str
        ``"intervals"`` or ``"points"``.
    number : int
        Number of intervals or points.
    labelled : int
        Number of those with a label.
    begin, end : float
        Extent of the tier in seconds.
    """

    name: str
    kind: str
    number: int
    labelled: int
    begin: float
    end: float


@dataclass(frozen=True)
class FileInfo(Result):
    """What is in a file, a folder or a glob.

    Attributes
    ----------
    path : str
        The path.
    formats : mapping
        Format -> number of files.
    files : int
        Number of files.
    contents : Contents or None
        What was read; None if nothing could be read.
    tiers : mapping
        File -> its tiers.
    corpus : Corpus or None
        What was read.
    """

    path: str
    formats: Mapping[str, int]
    files: int
    contents: Contents | None
    tiers: Mapping[str, tuple[TierSummary, ...]]
    corpus: Corpus | None = field(metadata=HIDDEN, repr=False)


def file_info(path: str, reading: ReadingOptions) -> FileInfo:
    """Describe a file, a folder or a glob.

    Parameters
    ----------
    path : str
        The path.
    reading : ReadingOptions
        How to read it; tiers are read as they are, in seconds. What cannot be read is listed there.

    Returns
    -------
    FileInfo
        Formats, contents and tiers.
    """
    files = [source.path for source in find(path, reading.format, reading.pattern)]
    detected = _detected(files, reading.format)
    if any(Tier in entry.annotation_types for entry in detected):
        reading = reading.with_options(units="times")
    corpus = None
    try:
        corpus = reading.read([path])
    except FormatError as error:
        reading.errors.append(error)
    return FileInfo(
        path=path,
        formats=Counter(entry.name for entry in detected),
        files=len(files),
        contents=describe(corpus) if corpus is not None and len(corpus) else None,
        tiers=_tiers(files, reading.format),
        corpus=corpus,
    )


def _detected(files: Sequence[str], format_name: str | None) -> list[Format]:
    """Return the formats of the files that have one; reading says what is wrong with the rest."""
    detected = []
    for path in files:
        try:
            detected.append(detect(path, format_name))
        except FormatError:
            continue
    return detected


def _tiers(files: Sequence[str], format_name: str | None) -> dict[str, tuple[TierSummary, ...]]:
    tiers: dict[str, tuple[TierSummary, ...]] = {}
    for path in files[:MAX_TIER_FILES]:
        try:
            entries = list_tiers(path, format_name)
        except FormatError:
            continue
        if entries:
            tiers[path] = tuple(map(_tier_summary, entries))
    return tiers


def _tier_summary(tier: Any) -> TierSummary:
    rows = tier.rows if tier.points is None else tier.points
    labelled = sum(bool(row.label.strip()) for row in rows)
    kind = "intervals" if tier.points is None else "points"
    return TierSummary(tier.name, kind, len(rows), labelled, float(tier.begin), float(tier.end))


@dataclass(frozen=True)
class ConvertOptions(OptionSet):
    """What to write, and how."""

    to: str | None = setting(None, optional(choice(*NAMES)), "Format of OUT (default: by its suffix).")
    coders: tuple[str, ...] = setting(
        (), text, "Write only this coder. May be repeated.", flags=("--coder",), multiple=True
    )
    items: tuple[str, ...] = setting(
        (), text, "Write only this item. May be repeated.", flags=("--item",), multiple=True
    )
    reference: str | None = setting(None, optional(text), "Coder who is the reference of documents.")
    hypothesis: str | None = setting(None, optional(text), "Coder who is the hypothesis of documents.")
    drop_labels: bool = setting(False, flag, "Leave out the labels of segments, for formats that cannot hold them.")


@dataclass(frozen=True)
class Conversion:
    """A corpus that was written to a file.

    Attributes
    ----------
    corpus : Corpus
        What was written.
    notes : tuple of str
        Names that changed.
    """

    corpus: Corpus
    notes: tuple[str, ...]


def convert_file(source: str, target: str, options: ConvertOptions, reading: ReadingOptions) -> Conversion:
    """Write a corpus in another format.

    Parameters
    ----------
    source : str
        File, folder or glob to read.
    target : str
        File to write.
    options : ConvertOptions
        Format, coders and items.
    reading : ReadingOptions
        How to read the source.

    Returns
    -------
    Conversion
        What was written.
    """
    if _keeps_times(target, options.to) and _has_tiers(source, reading):
        reading = reading.with_options(units="times")
    corpus = reading.read([source])
    if reading.errors:
        raise reading.errors[0]
    corpus = corpus.select(coders=options.coders or None, items=options.items or None)
    if options.drop_labels:
        corpus = Corpus({item: _without_labels(corpus.of_item(item)) for item in corpus.item_names})
    corpus, notes = _named_by_file(corpus, target, options.to)
    sides = {"reference": options.reference, "hypothesis": options.hypothesis}
    write(corpus, target, options.to, **{side: name for side, name in sides.items() if name is not None})
    if options.reference is not None and options.hypothesis is not None:
        corpus = corpus.select(coders=(options.reference, options.hypothesis))
    return Conversion(corpus, notes)


def _named_by_file(corpus: Corpus, target: str, format_name: str | None) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus with the file's name for what the format names by the file: the only coder, the only item."""
    stem = Path(target).stem
    notes = []
    for kind in format_for_writing(target, corpus, format_name).names_from_file:
        names = corpus.coders if kind == "coder" else corpus.item_names
        if len(names) == 1 and names[0] != stem:
            notes.append(f"{kind} {names[0]!r} is called {stem!r} in {target}")
            corpus = _renamed(corpus, kind, stem)
    return corpus, tuple(notes)


def _renamed(corpus: Corpus, kind: str, name: str) -> Corpus:
    if kind == "item":
        return Corpus({name: corpus.of_item(corpus.item_names[0])})
    return Corpus({item: {name: corpus[item, corpus.coders[0]]} for item in corpus.item_names})


def _keeps_times(target: str, format_name: str | None) -> bool:
    suffix = Path(target).suffix.lower()
    candidates = [
        entry
        for entry in formats().values()
        if (entry.name == format_name if format_name else suffix in entry.suffixes)
    ]
    return any(Tier in entry.annotation_types for entry in candidates)


def _has_tiers(source: str, reading: ReadingOptions) -> bool:
    first = find(source, reading.format, reading.pattern)[0].path
    return Tier in detect(first, reading.format).annotation_types


def _without_labels(by_coder: dict[str, Annotation]) -> dict[str, Annotation]:
    return {
        coder: annotation.without_labels() if isinstance(annotation, Segmentation) else annotation
        for coder, annotation in by_coder.items()
    }
