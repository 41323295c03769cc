"""Tables of documents with a reference and a hypothesis, one row per document, for collections of any size.

The page docs/formats/documents-parquet.md lists the columns. The rows are stored as Parquet (``documents_parquet.py``) or as
JSON objects, one per line (``documents_json.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError, FormatError, OptionError, SegmentationError, TreeError
from caesura.files import file_digest
from caesura.formats.content import describe_value
from caesura.formats.format import Reading, Writing
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tree import Tree
from caesura.model.value import list_few
from caesura.notices import warn
from caesura.options import Option, text

# The two columns with annotations.
SIDES = ("reference", "hypothesis")
# All columns.
FIELDS = ("item", "length", *SIDES, *(f"{side}_types" for side in SIDES), *(f"{side}_times" for side in SIDES))
# Number of characters of the name of an unknown field that messages show.
MAX_NAME = 40
# Options that choose the coders for the two columns.
WRITING_OPTIONS = tuple(Option(side, None, text, f"for writing: the coder that is the {side}") for side in SIDES)

_Pair = tuple[Annotation, Annotation]


@dataclass(frozen=True)
class FilePart:
    path: str
    name: str  # path of the file relative to the data set
    size: int
    first: int = 0  # first row group or byte
    last: int | None = None  # end of the row groups or bytes, excluded; None for the end of the file

    @property
    def place(self) -> str:
        raise NotImplementedError

    @property
    def fingerprint(self) -> list[Any]:
        """Values that identify the part in a checkpoint; ``digest`` identifies its content."""
        return [self.name, self.size, self.first, self.last]

    def digest(self) -> str:
        try:
            return file_digest(self.path, self._ranges())
        except OSError as problem:
            raise FormatError(self.path, None, f"cannot be read: {problem.strerror}") from None

    def _ranges(self) -> list[tuple[int, int]] | None:
        """Return first byte and end of the parts of the file that belong to this part; None for the whole file."""
        raise NotImplementedError

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        raise NotImplementedError

    def types(self) -> set[str]:
        if not self._has_types():
            return set()
        return {name for chunk in self.chunks() if isinstance(chunk, Documents) for name in chunk.types if name}

    def _has_types(self) -> bool:
        raise NotImplementedError


def read_documents(reading: Reading, chunks: Iterable[Documents | DocumentPairs]) -> Corpus:
    for side in SIDES:
        if reading.options.get(side) is not None:
            raise OptionError(f"{side} is an option for writing; the columns of documents name it, leave it out")
    ignored: dict[str, None] = {}
    names = _DocumentNames()
    for chunk in chunks:
        ignored |= dict.fromkeys(chunk.ignored_fields)
        types = reading.types or getattr(chunk, "declared_types", None)
        for d in range(len(chunk)):
            name = names.of(chunk.items[d])
            with reading.item(chunk.rows[d], f"item {chunk.items[d]!r}: "):
                if d in chunk.excluded:
                    raise SegmentationError(str(chunk.excluded[d]))
                pair = chunk.pair(d, types) if isinstance(chunk, Documents) else chunk.pairs[d]
                for side, annotation in zip(SIDES, pair, strict=True):
                    if annotation is not None:
                        reading.add(name, side, annotation)
    if names.repeated:
        reading.warn(f"several documents have the same name; the later ones are called {list_few(names.repeated)}")
    if ignored:
        reading.ignored.append(f"{list_few(list(ignored))} (unknown)")
    return reading.corpus()


class _DocumentNames:
    """Names for the documents of a file. Each line is a document, so those of the same name are numbered."""

    # ``evaluate`` counts each of them too, without a look at the names of ten million documents.

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.repeated: list[str] = []

    def of(self, name: str) -> str:
        unique = name
        while (number := self._numbers.get(unique, 0) + 1) > 1:
            self._numbers[unique] = number
            unique = f"{unique} ({number})"
        self._numbers[unique] = 1
        if unique != name:
            self.repeated.append(unique)
        return unique


def parse_trees(row: Mapping[str, Any]) -> tuple[Tree | None, ...]:
    trees: list[Tree | None] = []
    for side in SIDES:
        brackets = row[side]
        if brackets is not None and not isinstance(brackets, str):
            raise TreeError(f"{side}: expected brackets; got {describe_value(brackets)}")
        try:
            trees.append(None if brackets is None else Tree.from_brackets(brackets, row.get(f"{side}_times")))
        except (CaesuraError, TypeError, ValueError) as problem:
            raise TreeError(f"{side}: {problem}") from None
    return tuple(trees)


def choose_sides(coders: Sequence[str], chosen: Mapping[str, str | None]) -> tuple[str, str]:
    reference, hypothesis = (chosen.get(side) or side for side in SIDES)
    for side, name in zip(SIDES, (reference, hypothesis), strict=True):
        if name not in coders:
            names = list_few(coders, 20) or "none"
            raise OptionError(f"no coder is called {name!r}; choose the {side}: one of {names}")
    if reference == hypothesis:
        raise OptionError(f"reference and hypothesis must be two coders; got {reference!r} for both")
    return reference, hypothesis


def document_rows(writing: Writing) -> list[dict[str, Any]]:
    pairs, incomplete = _pairs(writing)
    if incomplete:
        warn(f"{writing.path}: left out, because only one of the two coders annotated them: {list_few(incomplete)}")
    if not pairs:
        raise writing.error("no item has both coders; there is nothing to write")
    segmentations = _segmentations(pairs)
    if any(segmentation.units is not None or segmentation.labels is not None for segmentation in segmentations):
        warn(f"{writing.path}: this format cannot store the text of units and the labels; they are left out")
    typed = any(segmentation.types != UNTYPED for segmentation in segmentations)
    return [{"item": item, **_row(writing, item, pair, typed)} for item, pair in pairs.items()]


def common_types(writing: Writing) -> tuple[str, ...] | None:
    pairs, _ = _pairs(writing)
    declared = [segmentation for segmentation in _segmentations(pairs) if segmentation.types_declared]
    scales = dict.fromkeys(segmentation.types for segmentation in declared if segmentation.types != UNTYPED)
    if len(scales) > 1:
        got = " and ".join(", ".join(scale) for scale in list(scales)[:2])
        raise writing.error(f"all items must declare the same types in the same order; got {got}")
    return next(iter(scales), None)


def _pairs(writing: Writing) -> tuple[dict[str, _Pair], list[str]]:
    corpus = writing.corpus
    try:
        reference, hypothesis = choose_sides(corpus.coders, writing.options)
    except OptionError as problem:
        raise writing.error(str(problem)) from None
    pairs, incomplete = {}, []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        annotations = [by_coder[coder] for coder in (reference, hypothesis) if coder in by_coder]
        if len(annotations) == 2:
            pairs[item] = annotations[0], annotations[1]
        elif annotations:
            incomplete.append(item)
    return pairs, incomplete


def _segmentations(pairs: Mapping[str, _Pair]) -> list[Segmentation]:
    return [annotation for pair in pairs.values() for annotation in pair if isinstance(annotation, Segmentation)]


def _row(writing: Writing, item: str, pair: _Pair, typed: bool) -> dict[str, Any]:
    reference, hypothesis = pair
    if isinstance(reference, Tree) and isinstance(hypothesis, Tree):
        times = {"reference_times": reference.times, "hypothesis_times": hypothesis.times}
        columns = {name: array.tolist() for name, array in times.items() if array is not None}
        return {"reference": reference.brackets, "hypothesis": hypothesis.brackets, **columns}
    if not isinstance(reference, Segmentation) or not isinstance(hypothesis, Segmentation):
        raise writing.error("a document is two segmentations or two trees", item)
    if reference.length != hypothesis.length:
        lengths = f"{reference.length} and {hypothesis.length}"
        raise writing.error(f"both sides must have the same units; got {lengths}", item)
    row: dict[str, Any] = {"length": reference.length}
    for side, segmentation in zip(SIDES, (reference, hypothesis), strict=True):
        row[side] = [position for position, _ in segmentation.boundaries]
        if typed:
            if segmentation.types == UNTYPED and row[side]:
                raise writing.error(f"all boundaries must have types, or none; the {side} has none", item)
            row[f"{side}_types"] = [name for _, name in segmentation.boundaries]
    return row
