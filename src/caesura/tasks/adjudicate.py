"""Adjudicate the disagreements of coders, and write the gold standard in the format that the corpus came in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.adjudication.decisions import AdjudicatedGold
from caesura.adjudication.session import Adjudication, Undecided
from caesura.errors import CaesuraError, FormatError, OptionError
from caesura.files import JOURNAL_SUFFIX, write_file
from caesura.formats import encode, format_for_writing, formats, is_collection, read
from caesura.formats.content import as_text_cell, table_text, unpacked_path
from caesura.formats.format import Format
from caesura.gold.gold import GOLD_CODER
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.segmentation import UNTYPED
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.notices import collect_warnings
from caesura.tasks.files import item_path, named_by_file, write_all

# Formats for a gold standard whose own format cannot be written.
_FALLBACKS = ("spans-json", "textgrid", "table-csv", "masses-json")


def adjudicate(
    corpus: Corpus, journal: str | PathLike[str] | None = None, *, adjudicator: str = "", in_memory: bool = False
) -> Adjudication:
    """Start an adjudication of the disagreements of several coders, or continue one.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, tiers in seconds, spans or hierarchies of several coders.
    journal : path-like, optional
        File of the decisions (default: ``NAME.adjudication.jsonl`` beside the files of the corpus). Decisions in it count, and
        new ones are added, each of them on disk before the next.
    adjudicator : str, default ""
        Name of the person who decides.
    in_memory : bool, default False
        Whether to keep decisions in memory only.

    Returns
    -------
    Adjudication
        The queue of places, the costliest first, and methods to decide them. Close it, or use it in a ``with`` block.

    Raises
    ------
    OptionError
        If the corpus cannot be adjudicated, such as trees; or if it was not read from files and there is no journal.
    ConflictError
        If another process has the journal open.
    FormatError
        If the journal is not valid, or cannot be written.

    Notes
    -----
    A place is a position, a stretch of time or a span about which coders disagree. Near misses of several coders belong to one
    place. The order is that of :func:`~caesura.disagreements`: places on which many pairs disagree come first.

    The gold standard of an item has what all coders agree on, and what was decided. Places that nobody decided are open;
    :meth:`~caesura.Adjudication.gold` refuses to make a gold standard while there are open places, or takes the majority there
    on request. A decision counts only for the data that the adjudicator saw: if an item changes, its decisions are kept in the
    journal and shown, but do not count until somebody confirms them.

    Examples
    --------
    >>> from caesura import Corpus, Segmentation
    >>> coders = {"ann": [3, 5], "bo": [4, 4], "cy": [4, 2, 2]}
    >>> corpus = Corpus({"talk": {coder: Segmentation.from_masses(masses) for coder, masses in coders.items()}})
    >>> work = adjudicate(corpus, adjudicator="Mia", in_memory=True)
    >>> [place.label for place in work.places]
    ['none: ann, bo; 6: cy', '3: ann; 4: bo, cy']
    >>> work.decide(work.places[0], "none", note="no change of topic").decision.adjudicator
    'Mia'
    >>> work.decide(work.places[1], "coder", coder="bo").status
    'decided'
    >>> work.gold().corpus["talk", "gold"]
    Segmentation(8 units: ····|····)
    """
    if in_memory and journal is not None:
        raise OptionError("journal: decisions are kept in a file or in memory; choose one")
    if journal is None and not in_memory:
        files = () if corpus.source is None else corpus.source.files
        if not files:
            raise OptionError(
                "journal: the corpus was not read from files; name a file for the decisions, or set in_memory"
            )
        journal = journal_path(files)
    return Adjudication(corpus, journal, adjudicator=adjudicator)


def journal_path(paths: Sequence[str | PathLike[str]]) -> str:
    first, *more = [fspath(path) for path in paths]
    if not more and not is_collection(first):
        return str(unpacked_path(first).with_suffix(JOURNAL_SUFFIX))
    folders = [_folder_of(path) for path in (first, *more)]
    folder = Path(os.path.commonpath([os.path.abspath(path) for path in folders]))
    return str(folder.with_name(f"{folder.name or 'corpus'}{JOURNAL_SUFFIX}"))


def _folder_of(path: str) -> str:
    """Return a folder itself, the folder of a file, or the part of a glob before the first wildcard."""
    if os.path.isdir(path):
        return path
    parts = Path(path).parts
    plain = [
        part for i, part in enumerate(parts[:-1]) if not any("*" in name or "?" in name for name in parts[: i + 1])
    ]
    return str(Path(*plain)) if plain else "."


# -- export -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ExportedGold(Result):
    """Files that were written for a gold standard.

    Attributes
    ----------
    gold : AdjudicatedGold
        The gold standard.
    files : tuple of str
        Files with the gold standard.
    record : str
        Table of who decided what.
    format : str
        Format of the files.
    notes : tuple of str
        Remarks for the reader.
    excluded : tuple of Excluded
        Items without a gold standard.
    """

    gold: AdjudicatedGold = field(metadata=HIDDEN)
    files: tuple[str, ...]
    record: str
    format: str
    notes: tuple[str, ...]
    excluded: tuple[Excluded, ...]


def export_gold(
    adjudication: Adjudication, target: str | PathLike[str] | None = None, *, undecided: Undecided = "refuse"
) -> ExportedGold:
    """Write the gold standard in the format that the corpus came in, and a table of who decided what.

    Parameters
    ----------
    adjudication : Adjudication
        The decisions.
    target : path-like, optional
        File to write; its suffix names the format. If the format stores one item per file, a folder with this name gets one
        file per item (default: ``NAME.gold`` with the suffix of the corpus, beside the journal).
    undecided : {"refuse", "majority"}, default "refuse"
        What to do with open places: raise an error, or take what more than half of the coders have.

    Returns
    -------
    ExportedGold
        The files. Either all of them are written or none. What they contain was read again before they were written, and is
        what was decided.

    Raises
    ------
    OptionError
        If places are open, or if there is neither a target nor a journal.
    FormatError
        If no format can store the gold standard, or a file cannot be written.
    """
    gold = adjudication.gold(undecided)
    corpus = _without_timed_streams(gold.corpus)
    source = adjudication.corpus.source
    base, suffix = _base(adjudication, target)
    source_format = source.format if source else ""
    problems: list[str] = []
    for file_format, ending in _candidates(corpus, source_format, suffix, target):
        try:
            plan = _plan(corpus, file_format, base, ending)
            with collect_warnings() as warnings:
                contents = {path: _encoded(part, path, file_format) for path, part in plan.items()}
        except CaesuraError as error:
            problems.append(f"{file_format.name}: {error.problem if isinstance(error, FormatError) else error}")
            continue
        record = f"{base}.decisions.csv"
        contents[record] = _record_table(gold)
        _refuse_files_of_corpus(contents, source.files if source else ())
        write_all(contents)
        notes = (*gold.notes, *warnings)
        if source_format not in ("", file_format.name):
            reason = f": {problems[0]}" if problems else ""
            change = (
                f"the corpus came as {source_format}, which cannot store this; it is {file_format.name} now{reason}"
            )
            notes = (change, *notes)
        return ExportedGold(gold, tuple(plan), record, file_format.name, notes, gold.excluded)
    raise FormatError(base, None, f"no format can store this gold standard: {'; '.join(problems)[:1000]}")


def _base(adjudication: Adjudication, target: str | PathLike[str] | None) -> tuple[str, str]:
    """Return the beginning of the names of all files, and the suffix."""
    if target is not None:
        path = Path(target)
        return str(path.with_suffix("")), path.suffix
    if adjudication.journal is None:
        raise OptionError("target: the adjudication has no journal; name the file to write")
    source = adjudication.corpus.source
    suffix = unpacked_path(source.files[0]).suffix if source and source.files else ""
    return f"{adjudication.journal.removesuffix(JOURNAL_SUFFIX)}.{GOLD_CODER}", suffix


def _candidates(
    corpus: Corpus, source_format: str, suffix: str, target: str | PathLike[str] | None
) -> Iterator[tuple[Format, str]]:
    """Yield formats that may store the gold standard, with the suffix of their files; the best one first."""
    registered = formats()
    own = [registered[source_format]] if source_format in registered else []
    if target is not None:
        keeps = any(entry.write is not None and _has_suffix(entry, suffix) for entry in own)
        yield format_for_writing(target, corpus, source_format if keeps else None), suffix
        return
    kinds = {type(annotation) for annotation in corpus.values()}
    same_suffix = [entry for entry in registered.values() if suffix.lower() in entry.suffixes]
    names: set[str] = set()
    for entry in (*own, *same_suffix, *map(registered.__getitem__, _FALLBACKS)):
        if entry.write is not None and entry.can_hold(kinds) and entry.name not in names:
            names.add(entry.name)
            keeps = suffix != "" and _has_suffix(entry, suffix)
            yield entry, suffix if keeps else entry.suffixes[0] if entry.suffixes else suffix or ".txt"


def _has_suffix(entry: Format, suffix: str) -> bool:
    return suffix.lower() in (*entry.suffixes, *entry.other_suffixes)


def _plan(corpus: Corpus, file_format: Format, base: str, suffix: str) -> dict[str, Corpus]:
    """Return path -> the part of the gold standard in this file; one file per item if the file names the item."""
    if "item" not in file_format.names_from_file:
        part, _ = named_by_file(corpus, f"{base}{suffix}", file_format.name)
        return {f"{base}{suffix}": part}
    plan = {}
    for item in corpus.item_names:
        path = str(Path(base, f"{item_path(item)}{suffix}"))
        if path in plan:
            raise FormatError(path, None, "two items would have the same file; rename one of them")
        plan[path] = corpus.select(items=[item])
    return plan


def _encoded(part: Corpus, path: str, file_format: Format) -> bytes:
    """Return the content of a file, after reading it again and comparing it with what was decided."""
    names = {"item": part.item_names[0], "coder": part.coders[0]}
    options: dict[str, Any] = {}
    if "item" in file_format.names_from_file:
        declared = {option.name for option in file_format.options}
        single = {name: value for name, value in names.items() if name in declared and len(part.coders) == 1}
        options = single if "coder" in file_format.names_from_file else {"item": names["item"]}
        options = {name: value for name, value in options.items() if name in declared}
    data = encode(part, path, file_format.name, **options)
    with tempfile.TemporaryDirectory() as folder, collect_warnings():
        copy = Path(folder) / Path(path).name
        write_file(copy, data)
        again = read(copy, file_format.name, **options, **_reading_options(part, file_format))
    for key, annotation in part.items():
        if key not in again or not same_marks(annotation, again[key]):
            item, coder = key
            raise FormatError(path, None, f"item {item!r}, coder {coder!r} would be read differently")
    return data


def _reading_options(part: Corpus, file_format: Format) -> dict[str, Any]:
    names = {option.name for option in file_format.options}
    if part.holds(Tier) and "units" in names:
        several = len(part.coders) > 1 and "tiers" in names  # one tier per stream
        return {"units": "times"} | ({"tiers": list(part.coders)} if several else {})
    return {"as_": "spans"} if part.holds(Spans) and "as_" in names else {}


def same_marks(expected: Annotation, actual: Annotation) -> bool:
    return bool(_content(expected) == _content(actual))


def _content(annotation: Annotation) -> Any:
    if tiers := tiers_of(annotation):
        return {stream: (tier.intervals, tier.points or ()) for stream, tier in tiers.items()}
    if isinstance(annotation, Spans):
        return annotation.axis, annotation.spans
    if isinstance(annotation, Hierarchy):
        return annotation.ranges if annotation.edges else annotation.spans
    assert not isinstance(annotation, Tier)
    return {
        stream: (text.length, text.inner.tolist() if text.types == UNTYPED else text.boundaries)
        for stream, text in texts_of(annotation).items()
    }


def _without_timed_streams(corpus: Corpus) -> Corpus:
    """Return the corpus with one tier per stream, because no format stores streams in seconds."""
    annotations: dict[str, dict[str, Annotation]] = {}
    for (item, coder), annotation in corpus.items():
        by_coder = annotations.setdefault(item, {})
        for stream, tier in tiers_of(annotation).items():
            by_coder[f"{coder} {stream}" if stream else coder] = tier
        if not tiers_of(annotation):
            by_coder[coder] = annotation
    return Corpus(annotations)


def _record_table(gold: AdjudicatedGold) -> bytes:
    header: list[object] = [*gold.rows[0]] if gold.rows else ["item", "place", "status"]
    rows = [[as_text_cell("" if value is None else value) for value in row.values()] for row in gold.rows]
    return table_text([header, *rows], ",").encode("utf-8", "backslashreplace")


def _refuse_files_of_corpus(paths: Iterable[str], inputs: Sequence[str]) -> None:
    read_files = {os.path.realpath(name) for name in inputs}
    for path in paths:
        if os.path.realpath(path) in read_files:
            raise FormatError(
                path, None, "this file belongs to the corpus; choose a different name for the gold standard"
            )
