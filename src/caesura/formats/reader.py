"""The reader of the files of one call: parsing, units of tiers, alignment of texts, and what was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from typing import Any

from caesura.errors import FormatError, OptionError, own_errors
from caesura.formats import timed
from caesura.formats.format import Format, Reading
from caesura.formats.registry import load_with_format
from caesura.model.annotation import tiers_of
from caesura.model.common_units import are_transcription, label_counts, never_repeat, number_segments, tiers_of_corpus
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import Annotation
from caesura.model.projection import ALIGNMENTS
from caesura.model.segmentation import check_types
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.value import count_of
from caesura.notices import warn
from caesura.options import choice, flag, optional, suggest, text

_DAMAGE = {
    "\ufeff": "a byte order mark inside the file, as after joining files",
    "\x1a": "the character Ctrl-Z (1A), which ends files of DOS",
    **{
        character: f"the control character {ord(character):X}, a space beside numbers and names"
        for character in "\x1c\x1d\x1e\x1f"
    },
}
_MAX_LOSSES = 5  # items whose losses are reported


@dataclass
class FileReader:
    format: str | None  # name of the format; None detects the format of each file
    type_names: InitVar[Iterable[str | int] | None]  # boundary types in ordinal order, if the files do not declare them
    # List to which the errors of invalid items are appended; None raises the first error.
    excluded: list[FormatError] | None
    options: Mapping[str, Any]  # options of the formats, and ``encoding``
    align: str | None = None  # as for ``read``
    align_all: bool = False
    # Whether the files may have different formats, so that each format gets only the options that it knows.
    mixed: bool = False
    # Whether labels of tiers are types if the options do not say so; None decides by their number.
    labels: str | None = None
    tier_options: dict[str, Any] = field(default_factory=dict)  # options of the last file with tiers
    formats: dict[str, Format] = field(default_factory=dict)  # name -> format, of the files that were read
    sources: dict[str, Source] = field(default_factory=dict)
    formats_by_path: dict[str, Format] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # notes on all files together
    in_time: bool = False  # whether tiers stay in seconds
    tier_units: dict[str, Any] = field(default_factory=dict)  # options for the units of tiers that stay in seconds
    aligned: tuple[int, int] = (0, 0)  # number of items that the alignment changed, and of all items
    # Whether spans are from tiers that end at the last mark, and not at the end of the recording.
    open_spans: bool = False

    def __post_init__(self, type_names: Iterable[str | int] | None) -> None:
        self.types = None if type_names is None else check_types(type_names)
        self.options = dict(self.options)
        self.encoding: str | None = optional(text)("encoding", self.options.pop("encoding", None))

    def read(self, path: str, excluded: list[FormatError] | None) -> Corpus:
        return self.parse(path, *load_with_format(path, self.format, self.encoding), excluded)

    def parse(
        self, path: str, format: Format, data: bytes, excluded: list[FormatError] | None, note: str | None = None
    ) -> Corpus:
        self.formats[format.name] = self.formats_by_path[path] = format
        resolved = format.resolve(self._options_of(format))
        content, encoding_note = format.text(path, data, self.encoding)
        reading = Reading(path, content, self.types, excluded, resolved, data if format.magic else b"")
        reading.notes += [entry for entry in (note, encoding_note) if entry]
        _warn_characters(reading)
        with own_errors(path):
            corpus = format.read(reading)
        self.sources[path] = reading.source(format)
        reading.log.emit()
        if not len(corpus) and not excluded:
            raise FormatError(path, None, f"no annotation was found; expected {format.description}")
        self.open_spans |= format.tiers is not None and format.name != "textgrid" and corpus.holds(Spans)
        if corpus.holds(Tier):
            self.tier_options = resolved if "units" in resolved else {"units": "times"}
        return corpus.with_source(self.sources[path])

    def _options_of(self, format: Format) -> dict[str, Any]:
        """Return the options for a format: all of them, or only those it knows if files of several formats are read."""
        if not self.mixed:
            return dict(self.options)
        names = {option.name for option in format.options}
        return {name: value for name, value in self.options.items() if name in names}

    def with_source(
        self, corpus: Corpus, paths: Iterable[str], ignored: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> Corpus:
        sources = [self.sources[path] for path in paths if path in self.sources]
        if not sources:
            return corpus
        source = Source.merge(sources)
        if self.align is not None:
            changed, total = self.aligned
            notes = [*notes, f"{changed} of {count_of(total, 'item')} aligned by {self.align}"]
            source = replace(source, alignment=(self.align, changed))
        return corpus.with_source(
            replace(
                source,
                ignored=(*source.ignored, *ignored),
                notes=(*source.notes, *self.notes, *notes),
                tier_options=self.tier_units if self.in_time else {},
            )
        )

    def check_options(self) -> None:
        names = dict.fromkeys(option.name for format in self.formats.values() for option in format.options)
        for name in self.options if self.formats else ():
            if name not in names:
                owners = f"format{'s' if len(self.formats) > 1 else ''} {', '.join(self.formats)}"
                raise OptionError(suggest(f"{owners}: no option", name, names))

    def finish(self, corpus: Corpus, path: str) -> Corpus:
        if corpus.holds(Tier):
            corpus = self._convert_tiers(corpus, path)
        elif self.open_spans:
            corpus = self._with_common_extents(corpus)
        return corpus if self.align is None else self._align(corpus, path, self.align)

    def _with_common_extents(self, corpus: Corpus) -> Corpus:
        """Return the corpus with spans of an item over the longest extent of its coders, and a note if some changed."""
        annotations: dict[str, dict[str, Annotation]] = {}
        for item in corpus.item_names:
            by_coder = corpus.of_item(item)
            bounds = [
                entry.bounds for entry in by_coder.values() if isinstance(entry, Spans) and entry.bounds is not None
            ]
            if len(set(bounds)) > 1:
                longest = min(first for first, _ in bounds), max(last for _, last in bounds)
                by_coder = {coder: _over_extent(entry, longest) for coder, entry in by_coder.items()}
                self.notes.append("recordings end at the last mark of all coders")
            annotations[item] = by_coder
        self.notes = list(dict.fromkeys(self.notes))
        return Corpus(annotations).with_source(corpus.source)

    def _convert_tiers(self, corpus: Corpus, path: str) -> Corpus:
        options = {"labels": None} | self.tier_options
        if options["labels"] is None:
            options["labels"] = self._use_of_labels(corpus)
        units = options["units"]
        self.in_time = units == "times" or (units is None and not _has_words(corpus))
        self.tier_units = {name: options[name] for name in ("tolerance", "labels") if name in options}
        self.tier_units |= {} if self.types is None else {"types": self.types}
        if self.in_time:
            return corpus
        return timed.convert_tiers(corpus, path, options, types=self.types, excluded=self.excluded)

    def _use_of_labels(self, corpus: Corpus) -> str:
        """Return whether labels of tiers are boundary types or ignored, because they are a transcription or numbers."""
        tiers = tiers_of_corpus(corpus)
        labels = label_counts(tiers)
        if self.labels is not None:
            return "types"
        if number_segments(tiers):
            self.notes.append("labels number the segments, so boundaries have no types (--labels types keeps them)")
            return "ignore"
        if not are_transcription(labels):
            if len(tiers) > 1 and never_repeat(tiers):
                self.notes.append("no label occurs twice in a tier; labels are taken as types (--labels ignore if not)")
            return "types"
        number = "1 label" if len(labels) == 1 else f"{len(labels)} different labels"
        self.notes.append(f"{number}: a transcription, so boundaries have no types (--labels types keeps them)")
        return "ignore"

    def _align(self, corpus: Corpus, path: str, align: str) -> Corpus:
        project = ALIGNMENTS[choice(*ALIGNMENTS)("align", align)]
        project = partial(project, only_differing=not flag("align_all", self.align_all))
        aligned, notes = timed.collect_errors(project, corpus, path, self.excluded)
        changed = sum(aligned.of_item(item) != corpus.of_item(item) for item in aligned.item_names)
        self.aligned = (changed, len(aligned.item_names))
        _warn_alignment(path, notes)
        return aligned


def _over_extent(annotation: Annotation, bounds: tuple[float, float]) -> Annotation:
    if not isinstance(annotation, Spans) or annotation.bounds is None:
        return annotation
    arrays = annotation.starts, annotation.ends, annotation.categories
    return Spans.from_arrays(*arrays, bounds=bounds, seconds=True)


def _warn_characters(reading: Reading) -> None:
    for character, problem in _DAMAGE.items():
        place = reading.text.find(character)
        if place >= 0:
            line = reading.text.count("\n", 0, place) + 1
            reading.log.add(f"line {line}: {problem}; it is part of the text here; remove it if that is wrong")


def _has_words(corpus: Corpus) -> bool:
    return any(tier.words is not None for entry in corpus.values() for tier in tiers_of(entry).values())


def _warn_alignment(path: str, notes: Mapping[str, Any]) -> None:
    """Warn about the first items whose alignment lost or changed something, and once about all other items."""
    lossy = [f"item {item!r}: {note}" for item, note in notes.items() if note.lossy]
    lossless = [f"item {item!r}: {note}" for item, note in notes.items() if not note.lossy]
    for message in lossy[:_MAX_LOSSES]:
        warn(f"{path}: {message}")
    if len(lossy) > _MAX_LOSSES:
        warn(f"{path}: the texts of {len(lossy) - _MAX_LOSSES} more items differ too")
    if lossless:
        more = f"; {len(lossless) - 1} more items have different tokens too" if len(lossless) > 1 else ""
        warn(f"{path}: {lossless[0]}{more}")
