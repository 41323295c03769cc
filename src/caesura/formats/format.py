"""The classes ``Format``, ``Reading`` and ``Writing``, which all readers and writers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, InputError, own_errors
from caesura.formats.content import (
    decode_text,
    describe_value,
    json_text,
    parse_json,
    protected_texts,
    table_text,
    texts_of,
    unpacked_path,
)
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.notices import warn
from caesura.options import Option, flag, resolve_options, text


class WarningLog:
    """Log of the changes that a reader makes to the data, with one warning per kind of change."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._messages: dict[str, None] = {}
        self._counts: dict[str, tuple[int, int, str]] = {}

    def add(self, message: str) -> None:
        self._messages[message] = None

    def count(self, change: str, place: str, number: int = 1) -> None:
        if number:
            total, places, first = self._counts.get(change, (0, 0, place))
            self._counts[change] = total + number, places + 1, first

    def emit(self) -> None:
        """Issue the warnings. They point to the line of the calling program that reads the file."""
        for message in self._messages:
            warn(f"{self.path}: {message}")
        for change, (number, places, first) in self._counts.items():
            where = "" if places == number else f" in {places} annotation{'' if places == 1 else 's'}"
            warn(f"{self.path}: {change}: {number}{where} (first in {first})")


@dataclass
class Reading:
    path: str
    text: str  # content of the file; empty for a binary format
    types: tuple[str, ...] | None = None  # boundary types that the caller declared, in ordinal order
    # List to which errors of single items are appended. If None, the first error is raised.
    excluded: list[FormatError] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # every option of the format with its value
    data: bytes = b""  # content of the file, for a binary format
    # Item -> coder -> annotation, for the part of the file that has been read.
    annotations: dict[str, dict[str, Annotation]] = field(default_factory=dict)
    # Column, tier or field -> the role that the reader gave it, such as ``"text"`` or ``"1/0 marks"``.
    roles: dict[str, str] = field(default_factory=dict)
    # Parts of the file that the reader did not use, each with the reason in brackets.
    ignored: list[str] = field(default_factory=list)
    # Conversions and decisions of the reader, such as a guessed encoding. They are not warnings.
    notes: list[str] = field(default_factory=list)
    # Items for which the file says that an annotation is not to be used.
    declined: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = WarningLog(self.path)

    @cached_property
    def stem(self) -> str:
        return unpacked_path(self.path).stem

    @property
    def item_name(self) -> str:
        return self.options["item"] or self.stem

    @property
    def coder_name(self) -> str:
        return self.options["coder"] or self.stem

    def warn(self, message: str) -> None:
        warn(f"{self.path}: {message}")

    def error(self, line: int | None, problem: str) -> FormatError:
        return FormatError(self.path, line, problem)

    def source(self, format: Format) -> Source:
        ignored, notes = tuple(self.ignored), tuple(dict.fromkeys(self.notes))
        declined = tuple(dict.fromkeys(self.declined))
        return Source(
            (self.path,), format.name, format.part, self.roles, ignored, notes, format.hint, declined=declined
        )

    def json(self, content: str) -> Any:
        return parse_json(self.path, self.text, content)

    def line_of_key(self, *keys: str) -> int | None:
        """Return the number of the line that contains the last of several nested keys in a JSON text."""
        end = 0
        for key in keys:
            match = re.compile(re.escape(json_text(key)) + r"\s*:").search(self.text, end)
            if match is None:
                return None
            end = match.end()
        return self.text.count("\n", 0, end) + 1

    @contextmanager
    def item(self, line: int | None, place: str = "") -> Iterator[None]:
        """Collect an error that occurs inside the ``with`` block, or raise it if errors are not collected."""
        try:
            with own_errors(place.removesuffix(": ") or self.path):
                yield
        except CaesuraError as error:
            problem = error if isinstance(error, FormatError) else self.error(line, f"{place}{error}")
            if self.excluded is None:
                raise problem from None
            self.excluded.append(problem)

    @contextmanager
    def at_line(self, line: int | None, place: str = "") -> Iterator[None]:
        try:
            yield
        except InputError as error:
            raise self.error(line, f"{place}{error}") from None

    def add(self, item: str, coder: str, annotation: Annotation, line: int | None = None) -> None:
        by_coder = self.annotations.setdefault(item, {})
        if coder in by_coder:
            raise self.error(line, f"item {item!r} has coder {coder!r} twice")
        by_coder[coder] = annotation

    def corpus(self) -> Corpus:
        return Corpus(self.annotations)

    def read_one(self, parse: Callable[[], Annotation]) -> Corpus:
        with self.item(None, f"item {self.item_name!r}, coder {self.coder_name!r}: "):
            self.add(self.item_name, self.coder_name, parse())
        return self.corpus()


@dataclass(frozen=True)
class Writing:
    corpus: Corpus
    path: str  # path of the file, for messages and names
    options: Mapping[str, Any]  # every option of the format with its value

    @cached_property
    def stem(self) -> str:
        return Path(self.path).stem

    @property
    def delimiter(self) -> str:
        """Character between the cells of a table: a tab in a .tsv file, otherwise a comma."""
        return "\t" if self.path.lower().endswith(".tsv") else ","

    def table_text(self, rows: Iterable[Sequence[object]], delimiter: str | None = None) -> str:
        """Return rows of cells as delimited text in which no spreadsheet finds a formula, unless ``raw`` is set."""
        delimiter = delimiter or self.delimiter
        if self.options["raw"]:
            return table_text(rows, delimiter)
        table: list[Sequence[Any]] = list(rows)
        texts = texts_of(table)
        protected = protected_texts(texts)
        if not protected:
            return table_text(table, delimiter, texts)
        number = sum(cell in protected for row in table for cell in row)
        begin = "1 cell begins" if number == 1 else f"{number:,} cells begin"
        warn(
            f"{self.path}: {begin} with =, +, -, @ or a control character and got an apostrophe, so that spreadsheets "
            "show text; caesura leaves it out when it reads the file (convert --raw, write(..., raw=True): no apostrophe)"
        )
        return table_text([[protected.get(cell, cell) for cell in row] for row in table], delimiter)

    def error(self, problem: str, item: str | None = None, coder: str | None = None) -> FormatError:
        names = {"item": item, "coder": coder}
        place = ", ".join(f"{kind} {name!r}" for kind, name in names.items() if name is not None)
        return FormatError(self.path, None, f"{place}: {problem}" if place else problem)

    def only_item(self) -> str:
        """Return the only item of the corpus, if its name matches the name of the file."""
        return self._only("item", self.corpus.item_names)

    def only_coder(self) -> str:
        """Return the only coder of the corpus, if the name matches the name of the file."""
        return self._only("coder", self.corpus.coders)

    def _only(self, kind: str, names: tuple[str, ...]) -> str:
        if len(names) != 1:
            raise self.error(f"this format stores one {kind}; choose one of {', '.join(names[:20])}")
        (name,) = names
        expected = self.options.get(kind) or self.stem
        if name != expected:
            # The reader takes the item or coder from the file name, so a different name would change it.
            problem = f"in this format the file names the {kind}: {name!r} would be read as {expected!r}"
            suffix = Path(self.path).suffix
            hint = f", or set {kind}={name!r}" if kind in self.options else f" to {name}{suffix}"
            raise self.error(f"{problem}; rename the file{hint}")
        return name

    def segmentation(self, item: str, coder: str, *, stores: Iterable[str] = ()) -> Segmentation:
        annotation = self.corpus[item, coder]
        if not isinstance(annotation, (Segmentation, Dialogue)):
            kind = type(annotation).__name__
            raise self.error(f"this format cannot store a {kind}; write spans JSON or CSV", item, coder)
        if isinstance(annotation, Dialogue):
            raise self.error("this format cannot store streams; write a .csv table", item, coder)
        self.check_contents(annotation, item, coder, stores=stores)
        return annotation

    def check_contents(self, segmentation: Segmentation, item: str, coder: str, *, stores: Iterable[str]) -> None:
        table, no_labels = "write a .csv table", "write .json, or leave them out (convert --drop-labels)"
        contents = {
            "types": ("boundary types", segmentation.types != UNTYPED, table),
            "units": ("the text of the units", segmentation.units is not None, table),
            "labels": ("segment labels", segmentation.labels is not None, no_labels),
        }
        for name, (content, present, hint) in contents.items():
            if present and name not in stores:
                raise self.error(f"this format cannot store {content}; {hint}", item, coder)

    def text(
        self, item: str, coder: str, *, stores: Iterable[str] = ("units",)
    ) -> tuple[Segmentation, tuple[str, ...]]:
        segmentation = self.segmentation(item, coder, stores=stores)
        if segmentation.units is None:
            raise self.error("this format needs the text of the units; write a .csv table", item, coder)
        return segmentation, segmentation.units

    def check_round_trip(self, content: str, read: Callable[[Reading], Corpus], **options: Any) -> str:
        # Reading could give a different corpus, because a unit may look like syntax of the format.
        try:
            # A byte order mark is also removed when a file is read.
            result = read(Reading(self.path, content.removeprefix("\ufeff"), options={**self.options, **options}))
        except CaesuraError as error:
            problem = error.problem if isinstance(error, FormatError) else error
            raise self.error(f"this format cannot store the text: {problem}") from None
        if result != self.corpus:
            raise self.error(_difference(self.corpus, result))
        return content


def _difference(corpus: Corpus, result: Corpus) -> str:
    for (item, coder), expected in corpus.items():
        actual = result.get((item, coder))
        if actual is None:
            return f"item {item!r}: this format cannot store the name"
        if not isinstance(actual, Segmentation) or not isinstance(expected, Segmentation):
            if actual != expected:
                return (
                    f"item {item!r}: {describe_value(repr(expected))} would be read as {describe_value(repr(actual))}"
                )
        elif actual != expected:
            difference = _unit_difference(expected.units or (), actual.units or ())
            return f"item {item!r}: {difference or 'its boundaries would be read differently'}"
    return "more would be read than was written"


def _unit_difference(expected: tuple[str, ...], actual: tuple[str, ...]) -> str:
    for i, (unit, actual_unit) in enumerate(zip(expected, (*actual, None), strict=False), 1):
        if unit != actual_unit:
            got = "nothing" if actual_unit is None else describe_value(actual_unit)
            return f"unit {i}, {describe_value(unit)}, would be read as {got}"
    return ""


@dataclass(frozen=True)
class Format:
    name: str  # name of the format, as in ``read(path, format=...)``
    description: str  # one line that describes the content of the format
    read: Callable[[Reading], Corpus]  # ``read(reading)`` returns the corpus of a file
    looks_like: Callable[[str], bool]  # ``looks_like(text)`` returns whether a text seems to be in this format
    suffixes: tuple[str, ...] = ()
    # ``write(writing)`` returns the text or the bytes of a file. None if the format can only be read.
    write: Callable[[Writing], str | bytes] | None = None
    options: tuple[Option, ...] = ()
    # Suffixes that this format shares with other formats. The content of a file then decides.
    other_suffixes: tuple[str, ...] = ()
    # ``decode(path, data)`` returns the text of a file that is not plain UTF-8.
    decode: Callable[[str | PathLike[str], bytes], str] | None = None
    annotation_types: tuple[type, ...] = (Segmentation, Dialogue)  # classes of annotations that the format can store
    may_be_empty: bool = False  # whether an empty file is valid and means that the text has no annotations
    magic: bytes = b""  # first bytes of a binary format
    # ``matches_bytes(data)`` decides between binary formats that begin with the same bytes.
    matches_bytes: Callable[[bytes], bool] | None = None
    # ``"item"``, ``"coder"`` or both, if the format cannot store these names and the name of the file is used.
    names_from_file: tuple[str, ...] = ()
    # Suffixes or names of files in the same folder that belong to a file of this format and are not read separately. A name may
    # contain ``{stem}``, the name of the file without suffix, and begin with ``../``, the folder above.
    companions: tuple[str, ...] = ()
    extra: str = ""  # optional dependency group that the format needs, such as ``xml`` for ``caesura[xml]``
    guesses_encoding: bool = False  # whether text that is not UTF-8 is read as Windows-1252, with a note
    # Suffixes of files that this reader reads even if they look like no format, to explain what is wrong.
    fallback: tuple[str, ...] = ()
    part: str = "field"  # name of the parts of a file that have roles: ``"column"``, ``"tier"`` or ``"field"``
    hint: str = "--format"  # command-line option that changes how a file of this format is read
    tiers: Callable[[Reading], Sequence[Any]] | None = None  # ``tiers(reading)`` returns all tiers of a file
    stores_points: bool = False  # whether tiers that are written may have points in time

    def text(self, path: str | PathLike[str], data: bytes, encoding: str | None = None) -> tuple[str, str]:
        if self.magic:
            return "", ""
        if self.decode is not None and encoding is None:
            return self.decode(path, data), ""
        return decode_text(path, data, encoding, guess=self.guesses_encoding)

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return resolve_options(f"format {self.name}", self.options, values)

    def can_hold(self, kinds: Iterable[type]) -> bool:
        return all(issubclass(kind, self.annotation_types) for kind in kinds)


ITEM = Option("item", None, text, "name of the item (default: name of the file)")
CODER = Option("coder", None, text, "name of the coder (default: name of the file)")
# Option of the tables that are written as delimited text.
RAW = Option("raw", False, flag, "whether text that a spreadsheet would run as a formula stays without an apostrophe")
# Options of formats that do not store the names of item and coder.
NAME_OPTIONS = (ITEM, CODER)
