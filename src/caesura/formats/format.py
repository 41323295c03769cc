"""The classes ``Format``, ``Reading`` and ``Writing``, and the helpers that all readers and writers share."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, CaesuraWarning, FormatError, InputError, OptionError
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, resolve_options, text

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A decimal number, with an optional sign and exponent."""
MAX_BYTES = 2**31
"""Maximum size of a file in bytes."""
MAX_UNPACKED = 2**28
"""Maximum size in bytes of the content of a compressed file."""
_GZIP = ".gz"


class WarningLog:
    """Log of the changes that a reader makes to the data, with one warning per kind of change.

    Parameters
    ----------
    path : str
        File that is being read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._messages: dict[str, None] = {}
        self._counts: dict[str, tuple[int, int, str]] = {}

    def add(self, message: str) -> None:
        """Record a message. Repeated messages are reported once.

        Parameters
        ----------
        message : str
            Description of the change and its place.
        """
        self._messages[message] = None

    def count(self, change: str, place: str, number: int = 1) -> None:
        """Count a change that may happen many times.

        Parameters
        ----------
        change : str
            Description of the change, such as ``"spans of zero length left out"``.
        place : str
            Place of the change. The warning names the first place.
        number : int, default 1
            Number of changes at this place. If it is 0, nothing is recorded.
        """
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
    """State of a reader: the content of the file, the options, and the annotations read so far.

    Attributes
    ----------
    path : str
        Path of the file.
    text : str
        Content of the file; empty for a binary format.
    types : tuple of str, optional
        Boundary types that the caller declared, in ordinal order.
    excluded : list of FormatError, optional
        List to which errors of single items are appended. If None, the first error is raised.
    options : mapping
        Every option of the format with its value.
    data : bytes
        Content of the file, for a binary format.
    annotations : dict
        Item -> coder -> annotation, for the part of the file that has been read.
    roles : dict
        Column, tier or field -> the role that the reader gave it, such as ``"text"`` or ``"1/0 marks"``.
    ignored : list of str
        Parts of the file that the reader did not use, each with the reason in brackets.
    notes : list of str
        Conversions and decisions of the reader, such as a guessed encoding. They are not warnings.
    log : WarningLog
        Changes that the reader makes. The warnings are issued after the file has been read.
    """

    path: str
    text: str
    types: tuple[str, ...] | None = None
    excluded: list[FormatError] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    data: bytes = b""
    annotations: dict[str, dict[str, Annotation]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = WarningLog(self.path)

    @property
    def stem(self) -> str:
        """Name of the file without folder and suffix."""
        return unpacked_path(self.path).stem

    @property
    def item_name(self) -> str:
        """Item of a file with a single item: the option ``item``, or else the name of the file."""
        return self.options["item"] or self.stem

    @property
    def coder_name(self) -> str:
        """Coder of a file with a single coder: the option ``coder``, or else the name of the file."""
        return self.options["coder"] or self.stem

    def warn(self, message: str) -> None:
        """Issue a warning about this file.

        Parameters
        ----------
        message : str
            Text of the warning.
        """
        warn(f"{self.path}: {message}")

    def error(self, line: int | None, problem: str) -> FormatError:
        """Return an error at a line of this file.

        Parameters
        ----------
        line : int or None
            Number of the line, from 1.
        problem : str
            What is wrong, and what was expected.

        Returns
        -------
        FormatError
            The error, to be raised by the caller.
        """
        return FormatError(self.path, line, problem)

    def source(self, format: Format) -> Source:
        """Return the source of the corpus that was read: the file, and the roles of its parts.

        Parameters
        ----------
        format : Format
            Format of the file.

        Returns
        -------
        Source
            The source.
        """
        ignored, notes = tuple(self.ignored), tuple(dict.fromkeys(self.notes))
        return Source((self.path,), format.name, format.part, self.roles, ignored, notes, format.hint)

    def json(self, content: str) -> Any:
        """Return the value of the JSON text in this file.

        Parameters
        ----------
        content : str
            Name of the expected content, for messages, such as ``"masses"``.

        Returns
        -------
        object
            The value.
        """
        return parse_json(self.path, self.text, content)

    def line_of_key(self, *keys: str) -> int | None:
        """Return the number of the line that contains the last of several nested keys in a JSON text.

        Parameters
        ----------
        *keys : str
            Keys, starting with the outermost.

        Returns
        -------
        int or None
            Number of the line, from 1; None if a key does not occur.
        """
        end = 0
        for key in keys:
            match = re.compile(re.escape(json_text(key)) + r"\s*:").search(self.text, end)
            if match is None:
                return None
            end = match.end()
        return self.text.count("\n", 0, end) + 1

    @contextmanager
    def item(self, line: int | None, place: str = "") -> Iterator[None]:
        """Collect an error that occurs inside the ``with`` block, or raise it if errors are not collected.

        Parameters
        ----------
        line : int or None
            Line number for errors that have none.
        place : str, default ""
            Prefix for the messages of such errors, such as ``"item 'a': "``.

        Yields
        ------
        None
            Control to the block.
        """
        try:
            yield
        except CaesuraError as error:
            problem = error if isinstance(error, FormatError) else self.error(line, f"{place}{error}")
            if self.excluded is None:
                raise problem from None
            self.excluded.append(problem)

    @contextmanager
    def at_line(self, line: int | None, place: str = "") -> Iterator[None]:
        """Turn an invalid value inside the ``with`` block into an error at a line of this file.

        Parameters
        ----------
        line : int or None
            Number of the line, from 1.
        place : str, default ""
            Prefix of the message, such as ``"T1: "``.

        Yields
        ------
        None
            Control to the block.
        """
        try:
            yield
        except InputError as error:
            raise self.error(line, f"{place}{error}") from None

    def add(self, item: str, coder: str, annotation: Annotation, line: int | None = None) -> None:
        """Add an annotation to the corpus.

        Parameters
        ----------
        item, coder : str
            Item and coder of the annotation.
        annotation : Segmentation, Dialogue, Hierarchy, Tier or Tree
            The annotation.
        line : int, optional
            Line of the annotation, for messages.

        Raises
        ------
        FormatError
            If the item already has an annotation by this coder.
        """
        by_coder = self.annotations.setdefault(item, {})
        if coder in by_coder:
            raise self.error(line, f"item {item!r} has coder {coder!r} twice")
        by_coder[coder] = annotation

    def corpus(self) -> Corpus:
        """Return all annotations as a corpus.

        Returns
        -------
        Corpus
            The annotations that were added.
        """
        return Corpus(self.annotations)

    def read_one(self, parse: Callable[[], Annotation]) -> Corpus:
        """Return the corpus of a file that contains one item of one coder.

        Parameters
        ----------
        parse : callable
            ``parse()`` returns the annotation in the file.

        Returns
        -------
        Corpus
            Corpus with one annotation.
        """
        with self.item(None, f"item {self.item_name!r}, coder {self.coder_name!r}: "):
            self.add(self.item_name, self.coder_name, parse())
        return self.corpus()


@dataclass(frozen=True)
class Writing:
    """Input of a writer: the corpus, the path and the options.

    Attributes
    ----------
    corpus : Corpus
        Corpus to write.
    path : str
        Path of the file, for messages and names.
    options : mapping
        Every option of the format with its value.
    """

    corpus: Corpus
    path: str
    options: Mapping[str, Any]

    @property
    def stem(self) -> str:
        """Name of the file without folder and suffix."""
        return Path(self.path).stem

    @property
    def delimiter(self) -> str:
        """Character between the cells of a table: a tab in a .tsv file, otherwise a comma."""
        return "\t" if self.path.lower().endswith(".tsv") else ","

    def error(self, problem: str, item: str | None = None, coder: str | None = None) -> FormatError:
        """Return an error for this file.

        Parameters
        ----------
        problem : str
            Description of the problem.
        item, coder : str, optional
            Item and coder that have the problem.

        Returns
        -------
        FormatError
            The error, to be raised by the caller.
        """
        names = {"item": item, "coder": coder}
        place = ", ".join(f"{kind} {name!r}" for kind, name in names.items() if name is not None)
        return FormatError(self.path, None, f"{place}: {problem}" if place else problem)

    def only_item(self) -> str:
        """Return the only item of the corpus, if its name matches the name of the file.

        Returns
        -------
        str
            Name of the item.

        Raises
        ------
        FormatError
            If there are several items, or if the file has a different name.
        """
        return self._only("item", self.corpus.item_names)

    def only_coder(self) -> str:
        """Return the only coder of the corpus, if the name matches the name of the file.

        Returns
        -------
        str
            Name of the coder.

        Raises
        ------
        FormatError
            If there are several coders, or if the file has a different name.
        """
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
        """Return an annotation if it is a segmentation that the format can represent completely.

        Parameters
        ----------
        item, coder : str
            Item and coder of the annotation.
        stores : iterable of str
            Data that the format can store in addition to boundaries: ``"types"``, ``"units"``, ``"labels"``.

        Returns
        -------
        Segmentation
            The annotation.

        Raises
        ------
        FormatError
            If the annotation cannot be written without loss.
        """
        annotation = self.corpus[item, coder]
        if not isinstance(annotation, (Segmentation, Dialogue)):
            kind = type(annotation).__name__
            raise self.error(f"this format cannot store a {kind}; write spans JSON or CSV", item, coder)
        if isinstance(annotation, Dialogue):
            raise self.error("this format cannot store streams; write a .csv table", item, coder)
        self.check_contents(annotation, item, coder, stores=stores)
        return annotation

    def check_contents(self, segmentation: Segmentation, item: str, coder: str, *, stores: Iterable[str]) -> None:
        """Raise an error if a segmentation has data that the format cannot store.

        Parameters
        ----------
        segmentation : Segmentation
            Segmentation to write.
        item, coder : str
            Item and coder of the segmentation, for messages.
        stores : iterable of str
            Data that the format can store in addition to boundaries: ``"types"``, ``"units"``, ``"labels"``.
        """
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
        """Return a segmentation and its units, if it has units and the format can represent it completely.

        Parameters
        ----------
        item, coder : str
            Item and coder of the annotation.
        stores : iterable of str
            As for :meth:`segmentation`.

        Returns
        -------
        segmentation : Segmentation
            The annotation.
        units : tuple of str
            The text of its units.

        Raises
        ------
        FormatError
            If the annotation is not such a segmentation, or if it has no units.
        """
        segmentation = self.segmentation(item, coder, stores=stores)
        if segmentation.units is None:
            raise self.error("this format needs the text of the units; write a .csv table", item, coder)
        return segmentation, segmentation.units

    def check_round_trip(self, content: str, read: Callable[[Reading], Corpus], **options: Any) -> str:
        """Return the content of a file if reading it gives the same corpus.

        Reading could give a different corpus, because a unit may look like syntax of the format.

        Parameters
        ----------
        content : str
            Content to write.
        read : callable
            Reader of the format.
        **options
            Options for the reader that replace the options for writing.

        Returns
        -------
        str
            The content.

        Raises
        ------
        FormatError
            If reading the content gives a different corpus.
        """
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
    """Describe the first difference between a corpus and the corpus that would be read back."""
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
    """A file format, as listed in the registry.

    Attributes
    ----------
    name : str
        Name of the format, as in ``read(path, format=...)``.
    description : str
        One line that describes the content of the format.
    read : callable
        ``read(reading)`` returns the corpus of a file.
    looks_like : callable
        ``looks_like(text)`` returns whether a text seems to be in this format.
    suffixes : tuple of str
        Suffixes of files in this format.
    write : callable, optional
        ``write(writing)`` returns the text or the bytes of a file. None if the format can only be read.
    options : tuple of Option
        Options for reading and writing.
    other_suffixes : tuple of str
        Suffixes that this format shares with other formats. The content of a file then decides.
    decode : callable, optional
        ``decode(path, data)`` returns the text of a file that is not plain UTF-8.
    annotation_types : tuple of type
        Classes of annotations that the format can store.
    may_be_empty : bool
        Whether an empty file is valid and means that the text has no annotations.
    magic : bytes
        First bytes of a binary format.
    matches_bytes : callable, optional
        ``matches_bytes(data)`` decides between binary formats that begin with the same bytes.
    names_from_file : tuple of str
        ``"item"``, ``"coder"`` or both, if the format cannot store these names and the name of the file is used.
    companions : tuple of str
        Suffixes or names of files in the same folder that belong to a file of this format and are not read separately.
        A name may contain ``{stem}``, the name of the file without suffix.
    extra : str
        Optional dependency group that the format needs, such as ``xml`` for ``caesura[xml]``.
    guesses_encoding : bool
        Whether text that is not UTF-8 is read as Windows-1252, with a note.
    fallback : tuple of str
        Suffixes of files that this reader reads even if they look like no format, to explain what is wrong.
    part : str
        Name of the parts of a file that have roles: ``"column"``, ``"tier"`` or ``"field"``.
    hint : str
        Command-line option that changes how a file of this format is read.
    tiers : callable, optional
        ``tiers(reading)`` returns all tiers of a file.
    stores_points : bool
        Whether tiers that are written may have points in time.
    """

    name: str
    description: str
    read: Callable[[Reading], Corpus]
    looks_like: Callable[[str], bool]
    suffixes: tuple[str, ...] = ()
    write: Callable[[Writing], str | bytes] | None = None
    options: tuple[Option, ...] = ()
    other_suffixes: tuple[str, ...] = ()
    decode: Callable[[str | PathLike[str], bytes], str] | None = None
    annotation_types: tuple[type, ...] = (Segmentation, Dialogue)
    may_be_empty: bool = False
    magic: bytes = b""
    matches_bytes: Callable[[bytes], bool] | None = None
    names_from_file: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    extra: str = ""
    guesses_encoding: bool = False
    fallback: tuple[str, ...] = ()
    part: str = "field"
    hint: str = "--format"
    tiers: Callable[[Reading], Sequence[Any]] | None = None
    stores_points: bool = False

    def text(self, path: str | PathLike[str], data: bytes, encoding: str | None = None) -> tuple[str, str]:
        """Return the text of a file of this format.

        Parameters
        ----------
        path : path-like
            Path of the file, for messages.
        data : bytes
            Content of the file.
        encoding : str, optional
            Encoding that the user named.

        Returns
        -------
        text : str
            The text; empty for a binary format.
        note : str
            The encoding, if it is not UTF-8.
        """
        if self.magic:
            return "", ""
        if self.decode is not None and encoding is None:
            return self.decode(path, data), ""
        return decode_text(path, data, encoding, guess=self.guesses_encoding)

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option of the format with its value.

        Parameters
        ----------
        values : mapping
            Options that the caller set.

        Returns
        -------
        dict
            Option -> value.

        Raises
        ------
        OptionError
            If the format does not have an option, or if a value is invalid.
        """
        return resolve_options(f"format {self.name}", self.options, values)

    def can_hold(self, kinds: Iterable[type]) -> bool:
        """Return whether the format can store annotations of all these classes.

        Parameters
        ----------
        kinds : iterable of type
            Classes of annotations.

        Returns
        -------
        bool
            True if all classes are in ``annotation_types``.
        """
        return all(issubclass(kind, self.annotation_types) for kind in kinds)


def warn(message: str) -> None:
    """Issue a warning that points to the line of the calling program, outside this package.

    Parameters
    ----------
    message : str
        Text of the warning.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "caesura":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CaesuraWarning, stacklevel=level)


def table_text(rows: Iterable[Sequence[object]], delimiter: str) -> str:
    """Return rows as delimited text. Reading this text gives the same cells, even if they contain carriage returns.

    Parameters
    ----------
    rows : iterable of sequences
        Cells of each row.
    delimiter : str
        Character between cells.

    Returns
    -------
    str
        One line per row.
    """
    out = io.StringIO()
    minimal = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # The csv module of Python 3.11 leaves a carriage return unquoted unless it is part of the line terminator.
        (quoted if any("\r" in str(cell) for cell in row) else minimal).writerow(row)
    return out.getvalue()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, as editors count them.

    Parameters
    ----------
    text : str
        Text whose lines end in a line feed, a carriage return or both.

    Returns
    -------
    list of str
        The lines without their line endings. An empty last line is left out.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def parse_json(path: str, text: str, content: str) -> Any:
    """Return the value of a JSON text from an untrusted file.

    Parameters
    ----------
    path : str
        Path of the file, for messages.
    text : str
        The JSON text.
    content : str
        Name of the expected content, for messages, such as ``"masses"``.

    Returns
    -------
    object
        The value.

    Raises
    ------
    FormatError
        If the text is not valid JSON, repeats a key, is nested too deeply, or has a number with too many digits.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise FormatError(path, None, f"the key {key!r} occurs twice in one object")
            result[key] = value
        return result

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as problem:
        raise FormatError(path, problem.lineno, f"not valid JSON: {problem.msg} at column {problem.colno}") from None
    except RecursionError:
        raise FormatError(path, 1, f"not valid {content}: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as problem:  # a number with more digits than Python converts
        raise FormatError(path, None, f"not valid JSON: {problem}") from None


def json_text(value: object) -> str:
    """Return a value as JSON, without escaping non-ASCII characters.

    Parameters
    ----------
    value : object
        Value to write.

    Returns
    -------
    str
        One line.
    """
    return json.dumps(value, ensure_ascii=False)


def is_json_of(text: str, keys: str, matches: Callable[[Any], bool]) -> bool:
    """Return whether a text is JSON of a certain shape.

    Parameters
    ----------
    text : str
        Content of a file.
    keys : str
        Regular expression of keys, such as ``"coders|tracks"``. A text without any of these keys is not parsed.
    matches : callable
        ``matches(data)`` returns whether the parsed data have the expected shape.

    Returns
    -------
    bool
        True if the data match. False if they do not, or if the text is not valid JSON.
    """
    if not text.lstrip().startswith(("{", "[")) or not re.search(rf'"(?:{keys})"\s*:', text):
        return False
    try:
        return matches(parse_json("", text, "JSON"))
    except FormatError:
        return False


def describe_value(value: object) -> str:
    """Return a short description of a value from an untrusted file, without the content of objects and lists.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    str
        At most 81 characters.
    """
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    if isinstance(value, (str, int, float)) or value is None:
        text = repr(value[:60] if isinstance(value, str) else value)
        return text if len(text) <= 80 else text[:80] + "…"
    return {"dict": "an object", "list": "a list"}.get(type(value).__name__, type(value).__name__)


def unpacked_path(path: str | PathLike[str]) -> Path:
    """Return the path of a file without the suffix ``.gz``.

    Parameters
    ----------
    path : path-like
        Path of a file that may be compressed, such as ``"people.csv.gz"``.

    Returns
    -------
    Path
        The path whose suffix names the format, such as ``people.csv``.
    """
    place = Path(path)
    return place.with_suffix("") if place.suffix.lower() == _GZIP and Path(place.stem).suffix else place


def load(path: str | PathLike[str], *, may_be_empty: bool = False) -> bytes:
    """Return the bytes of a file; a file whose name ends in ``.gz`` is unpacked.

    Parameters
    ----------
    path : path-like
        Path of the file.
    may_be_empty : bool, default False
        Whether a file without content is allowed.

    Returns
    -------
    bytes
        Content of the file.

    Raises
    ------
    FormatError
        If the file does not exist, is not a regular file, cannot be read, is empty, is larger than ``MAX_BYTES``, or
        unpacks to more than ``MAX_UNPACKED`` bytes.
    """
    place = Path(path)
    try:
        if "\0" in str(path):
            raise FormatError(path, None, "cannot be read: a NUL character in the name")
        if place.is_dir():
            raise FormatError(path, None, "expected a file; this is a directory")
        if place.exists() and not place.is_file():
            raise FormatError(path, None, "expected a regular file")
        size = place.stat().st_size
        if size > MAX_BYTES:
            raise FormatError(path, None, f"expected a file of at most {MAX_BYTES} bytes; this has {size}")
        data = place.read_bytes()
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
    if place.suffix.lower() == _GZIP:
        data = _unpack(path, data)
    if not may_be_empty and not data.strip():
        raise FormatError(path, 1, "the file is empty")
    return data


def _unpack(path: str | PathLike[str], data: bytes) -> bytes:
    """Return the content of a gzip file, which may consist of several parts."""
    content = bytearray()
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            content += unpacker.decompress(data, MAX_UNPACKED + 1 - len(content))
        except zlib.error as problem:
            raise FormatError(path, None, f"not a valid gzip file: {problem}") from None
        if len(content) > MAX_UNPACKED:
            limit = f"a compressed file may unpack to {MAX_UNPACKED // 2**20} MB; this unpacks to more"
            raise FormatError(path, None, f"{limit}; unpack it first: gunzip -k {path}")
        if not unpacker.eof:
            raise FormatError(path, None, "not a valid gzip file: it ends too early")
        data = unpacker.unused_data.lstrip(b"\0")
    return bytes(content)


def decode(path: str | PathLike[str], data: bytes) -> str:
    """Decode bytes as UTF-8, with or without a byte order mark, or as UTF-16 with one.

    Parameters
    ----------
    path : path-like
        Path of the file, for messages.
    data : bytes
        Content of the file.

    Returns
    -------
    str
        The text.
    """
    return decode_text(path, data)[0]


def decode_text(
    path: str | PathLike[str], data: bytes, encoding: str | None = None, *, guess: bool = False
) -> tuple[str, str]:
    """Decode bytes, and describe the encoding if it is not UTF-8.

    Parameters
    ----------
    path : path-like
        Path of the file, for messages.
    data : bytes
        Content of the file.
    encoding : str, optional
        Encoding that the user named.
    guess : bool, default False
        Whether bytes that are not UTF-8 are read as Windows-1252.

    Returns
    -------
    text : str
        The text.
    note : str
        The encoding, if it is not UTF-8.

    Raises
    ------
    FormatError
        If the bytes are not in this encoding, or contain a NUL character.
    """
    chosen, note = _encoding(data, encoding)
    try:
        text = data.decode(chosen)
    except LookupError:
        raise OptionError(f"encoding: Python knows no encoding {encoding!r}; try utf-8, cp1252 or utf-16") from None
    except UnicodeDecodeError as problem:
        if not guess or encoding is not None or b"\0" in data:
            line = data.count(b"\n", 0, problem.start) + 1
            actual = f"byte 0x{data[problem.start]:02x}"
            expected = "UTF-8" if encoding is None else encoding
            hint = "is this a binary file, or text in another encoding (--encoding)?"
            raise FormatError(path, line, f"expected text in {expected}; got {actual}; {hint}") from None
        text, note = data.decode("cp1252", errors="replace"), "read as Windows-1252, because it is not UTF-8"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(path, line, "expected text; got a NUL character; is this a binary file?")
    return text, note


def _encoding(data: bytes, encoding: str | None) -> tuple[str, str]:
    """Return the encoding to try first, and the note about it."""
    if encoding is not None:
        return encoding, f"read as {encoding}"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", "read as UTF-16"
    return "utf-8-sig", ""


ITEM = Option("item", None, text, "name of the item (default: name of the file)")
CODER = Option("coder", None, text, "name of the coder (default: name of the file)")
NAME_OPTIONS = (ITEM, CODER)
"""Options of formats that do not store the names of item and coder."""
