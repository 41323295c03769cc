"""Description of the contents of files, and conversion of files to another format."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from caesura.errors import FormatError
from caesura.files import write_files
from caesura.formats import NAMES, detect, find, format_for_writing, formats, list_tiers, write
from caesura.formats.timed import FileTier
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus, one_level_as_tiers
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import HIDDEN, Result
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.options import OptionSet, choice, setting, switch, text
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.units import with_units

T = TypeVar("T")

# Maximum number of files whose tiers are listed.
MAX_TIER_FILES = 10


@dataclass(frozen=True)
class TierSummary:
    name: str
    kind: str  # ``"intervals"`` or ``"points"``
    number: int
    labelled: int  # number of intervals or points with a label
    begin: float  # in seconds
    end: float


@dataclass(frozen=True)
class FileInfo(Result):
    path: str
    formats: Mapping[str, int]  # format -> number of files
    files: int
    contents: Contents
    tiers: Mapping[str, tuple[TierSummary, ...]]
    # Number of rows that were read, and of all rows, if only the first rows of a large file were read.
    rows: tuple[int, int] | None
    next_commands: tuple[str, ...]
    corpus: Corpus = field(metadata=HIDDEN, repr=False)  # empty if no file could be read


def file_info(path: str | Sequence[str], reading: ReadingOptions, *, exact: bool = False) -> FileInfo:
    """Describe a file, a folder, a glob, or several of them that are one corpus."""
    paths = [path] if isinstance(path, str) else list(path)
    beginning = None if exact or len(paths) > 1 else reading.read_beginning(paths[0])
    tiers: dict[str, Sequence[FileTier]] = {}
    if beginning is not None and beginning.source is not None:
        corpus, files, rows = beginning, paths, beginning.source.rows
        formats_found = {beginning.source.format: 1}
    else:
        sources = [source.path for entry in paths for source in find(entry, reading.format, reading.pattern)]
        files, rows = list(dict.fromkeys(sources)), None
        detected = _readable(partial(detect, format=reading.format), files).values()
        formats_found = Counter(entry.name for entry in detected)
        tiers = _readable(partial(list_tiers, format=reading.format), files[:MAX_TIER_FILES])
        corpus = Corpus({})
        try:
            corpus = reading.read(paths)
        except FormatError as error:
            reading.errors.append(error)
    return FileInfo(
        path=", ".join(paths),
        formats=formats_found,
        files=len(files),
        contents=describe(corpus),
        tiers={path: tuple(map(_tier_summary, entries)) for path, entries in tiers.items() if entries},
        rows=rows,
        next_commands=next_commands(paths, corpus, reading),
        corpus=corpus,
    )


def next_commands(paths: Sequence[str], corpus: Corpus, reading: ReadingOptions) -> tuple[str, ...]:
    """Return up to three commands that fit the data."""
    source = shlex.join([*paths, *reading.flags])
    if not corpus:
        return ()
    if corpus.source is not None and corpus.source.format.startswith("documents-"):
        return (f"caesura evaluate {source}",)
    if corpus.kind == "trees":
        return (f"caesura trees {source} PREDICTED",) if len(corpus.coders) == 1 else (f"caesura score {source}",)
    if len(corpus.coders) == 1:
        return f"caesura score {source} HYPOTHESIS", f"caesura agree {source} SECOND_CODER"
    first, second, *more = corpus.coders
    sides = shlex.join(["--reference", first, "--hypothesis", second]) if more else ""
    commands = [f"caesura agree {source}", f"caesura score {source} {sides}".rstrip()]
    if corpus.kind == "spans":
        return commands[0], f"{commands[0]} --categories", commands[1]
    if corpus.kind != "dialogue":  # speech has types, which exclude each other
        commands.append(f"caesura gold {source}")
    return (*commands, *([] if corpus.kind == "hierarchy" else [f"caesura report {source}"]))


def _readable(read: Callable[[str], T], files: Sequence[str]) -> dict[str, T]:
    """Return file -> result. Files in no known format are skipped; reading them as a corpus raises the error."""
    results = {}
    for path in files:
        with suppress(FormatError):
            results[path] = read(path)
    return results


def _tier_summary(tier: FileTier) -> TierSummary:
    rows = tier.rows if tier.points is None else tier.points
    labelled = sum(bool(row.label.strip()) for row in rows)
    kind = "intervals" if tier.points is None else "points"
    return TierSummary(tier.name, kind, len(rows), labelled, float(tier.begin), float(tier.end))


@dataclass(frozen=True)
class ConvertOptions(OptionSet):
    to: str | None = setting(None, choice(*NAMES), "Format of OUT (default: by its suffix).")
    coders: tuple[str, ...] = setting((), text, "Write only this coder. May be repeated.", flags=("--coder",))
    items: tuple[str, ...] = setting((), text, "Write only this item. May be repeated.", flags=("--item",))
    reference: str | None = setting(None, text, "Reference coder, if OUT contains documents.")
    hypothesis: str | None = setting(None, text, "Hypothesis coder, if OUT contains documents.")
    drop_labels: bool = switch("Omit the labels of segments, for formats that cannot store them.")
    raw: bool = switch("Do not mark text in CSV and TSV that a spreadsheet would run as a formula.")


def convert_files(
    sources: Sequence[str], target: str, options: ConvertOptions, reading: ReadingOptions
) -> tuple[Corpus, tuple[str, ...]]:
    keeps_times = _keeps_times(sources[0], target, options, reading)
    if keeps_times:
        reading = reading.with_options(units="times")
    corpus = reading.read(sources)
    if reading.errors:
        raise reading.errors[0]
    if not keeps_times and corpus.kind != "spans":
        (corpus,), excluded = with_units([corpus])
        if excluded:
            raise FormatError(sources[0], None, excluded[0].reason)
    corpus = corpus.select(coders=options.coders or None, items=options.items or None)
    if options.drop_labels:
        by_item: dict[str, dict[str, Annotation]] = {}
        for (item, coder), entry in corpus.items():
            plain = entry.without_labels() if isinstance(entry, Segmentation) else entry
            by_item.setdefault(item, {})[coder] = plain
        corpus = Corpus(by_item)
    chosen_format = format_for_writing(target, corpus, options.to)
    if chosen_format.can_hold([Tier]) and not chosen_format.can_hold([Hierarchy]):
        corpus = one_level_as_tiers(corpus)
    corpus, notes = named_by_file(corpus, target, options.to)
    sides = options.select("reference", "hypothesis")
    chosen = {side: name for side, name in sides.items() if name is not None}
    write(corpus, target, options.to, **chosen, **({"raw": True} if options.raw else {}))
    if len(chosen) == 2:
        corpus = corpus.select(coders=tuple(chosen.values()))
    return corpus, notes


def write_corpus(corpus: Corpus, target: str) -> tuple[str, ...]:
    corpus, notes = named_by_file(corpus, target, None)
    write(corpus, target)
    return notes


def item_path(item: str) -> str:
    """Return the name of an item as a path that leads nowhere but down."""
    return "/".join(part if part not in ("", ".", "..") else "_" for part in item.split("/"))


def write_all(contents: Mapping[str, bytes]) -> None:
    """Write all files completely before the first of them gets its name; make their folders."""
    try:
        for path in contents:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_files(contents)
    except OSError as error:
        path = error.filename or next(iter(contents))
        raise FormatError(path, None, f"cannot be written: {error.strerror}") from None


def named_by_file(corpus: Corpus, target: str, format_name: str | None) -> tuple[Corpus, tuple[str, ...]]:
    """Rename the only coder or item to the file name if the format does not store its name."""
    stem = Path(target).stem
    notes = []
    for kind in format_for_writing(target, corpus, format_name).names_from_file:
        names = corpus.coders if kind == "coder" else corpus.item_names
        if len(names) == 1 and names[0] != stem:
            notes.append(f"{kind} {names[0]!r} is called {stem!r} in {target}")
            by_item = {stem if kind == "item" else item: corpus.of_item(item) for item in corpus.item_names}
            if kind == "coder":
                by_item = {item: {stem: by_coder[names[0]]} for item, by_coder in by_item.items()}
            corpus = Corpus(by_item)
    return corpus, tuple(notes)


def _keeps_times(source: str, target: str, options: ConvertOptions, reading: ReadingOptions) -> bool:
    """Return whether both the source and the target are in formats with tiers."""
    first = find(source, reading.format, reading.pattern)[0].path
    if not any(option.name == "units" for option in detect(first, reading.format).options):
        return False
    suffix = Path(target).suffix.lower()
    timed = [entry for entry in formats().values() if entry.write is not None and Tier in entry.annotation_types]
    return any(suffix in entry.suffixes if options.to is None else entry.name == options.to for entry in timed)


# -- contents of a corpus --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CoderContents:
    """Summary of one coder's annotations of one kind, over all items."""

    coder: str
    # ``segmentation``, ``dialogue``, ``hierarchy``, ``spans``, ``tree``, ``tier``, or ``points`` for tiers without intervals.
    kind: str
    items: int
    units: int  # number of units; 0 for tiers, which have times instead
    shortest: int  # units of the shortest item
    longest: int
    marks: int  # number of boundaries, spans, nodes or intervals, depending on the kind
    types: tuple[str, ...]  # boundary types, or labels of spans, nodes and intervals
    streams: tuple[str, ...]
    items_with_text: int  # items whose units have text
    items_with_labels: int
    seconds: float | None = None  # total length of the items in seconds; None for items with units

    @property
    def mark_name(self) -> str:
        return {"hierarchy": "spans", "spans": "spans", "tree": "nodes", "tier": "intervals", "points": "points"}.get(
            self.kind, "boundaries"
        )

    def __json__(self) -> dict[str, Any]:
        names = {entry.name: entry.name for entry in fields(self)} | {"marks": self.mark_name}
        if self.seconds is None:
            del names["seconds"]
        return {name: getattr(self, attribute) for attribute, name in names.items()}


@dataclass(frozen=True)
class Contents(Result):
    frame_field = "coders"

    items: tuple[str, ...]
    coders: tuple[CoderContents, ...]  # one entry per coder and kind of annotation


class _ItemContents(NamedTuple):
    units: int
    marks: int
    types: tuple[str, ...]
    streams: tuple[str, ...]
    has_text: bool
    has_labels: bool
    seconds: float | None = None


def describe(corpus: Corpus) -> Contents:
    groups: dict[tuple[str, str], list[_ItemContents]] = {}
    for (_, coder), annotation in corpus.items():
        tiers = tiers_of(annotation).values()
        kind = type(annotation).__name__.lower()
        if tiers:
            kind = "tier" if any(tier.intervals or not tier.points for tier in tiers) else "points"
        groups.setdefault((coder, kind), []).append(_item_contents(annotation))
    coders = (_coder_contents(coder, kind, items) for (coder, kind), items in groups.items())
    return Contents(corpus.item_names, tuple(coders))


def _coder_contents(coder: str, kind: str, items: Sequence[_ItemContents]) -> CoderContents:
    units, marks, types, streams, has_text, has_labels, seconds = zip(*items, strict=True)
    return CoderContents(
        coder=coder,
        kind=kind,
        items=len(items),
        units=sum(units),
        shortest=min(units),
        longest=max(units),
        marks=sum(marks),
        types=_distinct(chain.from_iterable(types)),
        streams=_distinct(chain.from_iterable(streams)),
        items_with_text=sum(has_text),
        items_with_labels=sum(has_labels),
        seconds=None if None in seconds else sum(seconds),
    )


def _item_contents(annotation: Annotation) -> _ItemContents:
    if isinstance(annotation, Hierarchy):
        labels, times = [span.label for span in annotation.spans], annotation.edges
        contents = _labelled(annotation.length, labels, annotation.units is not None)
        return contents._replace(seconds=None if times is None else float(times[-1] - times[0]))
    if isinstance(annotation, Spans):
        has_text = annotation.text is not None or annotation.units is not None
        contents = _labelled(round(annotation.length), annotation.categories, has_text)
        return contents._replace(seconds=annotation.length if annotation.axis == "seconds" else None)
    if isinstance(annotation, Tree):
        return _labelled(annotation.length, annotation.labels, True)
    if isinstance(annotation, BoundaryScores):
        return _labelled(round(annotation.length), [None] * len(annotation), False)
    if tiers := tiers_of(annotation):
        labels = [row.label for tier in tiers.values() for row in tier.rows]
        has_words = all(tier.words is not None for tier in tiers.values())
        seconds = max(tier.end for tier in tiers.values()) - min(tier.begin for tier in tiers.values())
        return _labelled(0, labels, has_words)._replace(streams=tuple(filter(None, tiers)), seconds=seconds)
    assert not isinstance(annotation, Tier)
    texts = list(texts_of(annotation).values())
    return _ItemContents(
        units=annotation.length,
        marks=sum(text.positions.size for text in texts),
        types=_distinct(name for text in texts if text.types != UNTYPED for name in text.types),
        streams=tuple(annotation) if isinstance(annotation, Dialogue) else (),
        has_text=all(text.units is not None for text in texts),
        has_labels=any(text.labels is not None for text in texts),
    )


def _labelled(units: int, labels: Sequence[str | None], has_text: bool) -> _ItemContents:
    """Return the summary of an annotation with labelled marks; the labels are the types."""
    types = _distinct(label for label in labels if label)
    return _ItemContents(units, len(labels), types, (), has_text, bool(types))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
