"""Recognise how the files of a folder are arranged: which of them to read, and which parts of their paths are items.

Many files contain one text of one coder and name neither. Files with the same path in two folders that are read together are
items. Otherwise the part of the path in which files with the same text differ is the coder, and files with different texts
are items. If the texts are unknown, folders with files of the same name and length are coders. docs/formats.md has examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import NamedTuple

from caesura.errors import FormatError
from caesura.formats.content import unpacked_path
from caesura.formats.folders import NON_CODERS, InputFile, collect_file_errors
from caesura.formats.format import Format
from caesura.formats.tier_layout import is_from_tiers, name_tier_files
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.reading import length_of
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import list_few
from caesura.notices import warn

_MAX_CHARACTERS = 5000  # of each text that are compared
_MAX_GROUPS = 50  # groups of files that are compared
_PIECE = 5  # characters in a piece of text
_SIMILAR = 0.4  # two versions of a text have at least this proportion of pieces in common


class LoadedFile(NamedTuple):
    file: InputFile
    corpus: Corpus | None  # its content; None if it could not be read
    format: Format | None  # its format; None if it was not recognised
    errors: tuple[FormatError, ...]  # errors of the file and of its items


def load_files(
    files: Sequence[InputFile],
    read: Callable[[str, list[FormatError] | None], Corpus],
    format_of: Callable[[str], Format | None],
    excluded: list[FormatError] | None,
) -> list[LoadedFile]:
    loaded = []
    for file in files:
        errors: list[FormatError] = []
        corpus = None
        with collect_file_errors(file, errors) as item_errors:
            corpus = read(file.path, None if excluded is None else item_errors)
        loaded.append(LoadedFile(file, corpus or None, format_of(file.path), tuple(errors)))
    return loaded


def _main_family(loaded: Sequence[LoadedFile]) -> str | None:
    """Return the family of formats that most files have; None if no family has more files than the others."""
    counts = Counter(_family(entry) for entry in loaded if entry.format is not None and entry.corpus)
    ranked = counts.most_common(2)
    is_tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return ranked[0][0] if ranked and not is_tie else None


def without_strays(path: str, loaded: Sequence[LoadedFile], ignored: list[str]) -> list[LoadedFile]:
    main = _main_family(loaded)
    if main is None:
        return list(loaded)
    of_main = [entry for entry in loaded if _family(entry) == main]
    coders = set[str]().union(*map(_named_coders, of_main))
    suffixes = {_suffix(entry) for entry in of_main}

    def belongs(entry: LoadedFile) -> bool:
        is_damaged = entry.format is None and _suffix(entry) in suffixes
        return is_damaged or _family(entry) == main or not coders.isdisjoint(_named_coders(entry))

    names = [f"{entry.file.name} ({_format_name(entry)})" for entry in loaded if not belongs(entry)]
    if names:
        ignored += names
        verb = "file is" if len(names) == 1 else "files are"
        warn(f"{path}: {len(names)} {verb} not in the format of most files ({main}) and left out: {list_few(names)}")
    return [entry for entry in loaded if belongs(entry)]


def _suffix(entry: LoadedFile) -> str:
    return unpacked_path(entry.file.path).suffix.lower()


def _named_coders(entry: LoadedFile) -> set[str]:
    return set() if entry.corpus is None else {*entry.corpus.coders} - {entry.file.stem}


def _format_name(entry: LoadedFile) -> str:
    return "unknown format" if entry.format is None else entry.format.name


def _family(entry: LoadedFile) -> str:
    """Return the name of the format, or of the group of formats that programs write for the same purpose."""
    if entry.format is None:
        return ""
    if Tier in entry.format.annotation_types:
        return "tiers"
    return "tables" if entry.format.name.startswith("table-") else entry.format.name


def with_names(
    loaded: Sequence[LoadedFile], names_elsewhere: Collection[str] | None, notes: list[str]
) -> list[tuple[InputFile, Corpus]]:
    pairs = [(entry.file, entry.corpus or Corpus({})) for entry in loaded]
    files = [file for file, _ in pairs]
    readable = [(file, corpus) for file, corpus in pairs if corpus]
    if not readable or any(map(_has_names, files)):
        return pairs
    if any(is_from_tiers(corpus) for _, corpus in readable):
        return name_tier_files(pairs, names_elsewhere, notes)
    name_no_coder = all(corpus.coders == (file.stem,) for file, corpus in readable)
    if name_no_coder and len({file.relative for file in files}) == len(files):
        return _named_by_path(pairs, names_elsewhere, notes)
    return _without_collisions(pairs, notes)


def _has_names(file: InputFile) -> bool:
    return bool(file.item or file.coder) or file.remainder is not None or file.root is None


def _named_by_path(
    pairs: list[tuple[InputFile, Corpus]], names_elsewhere: Collection[str] | None, notes: list[str]
) -> list[tuple[InputFile, Corpus]]:
    """Name files that name no coder: the path contains the item, and perhaps the coder."""
    if any(file.relative in (names_elsewhere or ()) for file, _ in pairs):
        return _as_items(pairs)
    if all(corpus.item_names in ((), (Path(file.path).absolute().parent.name,)) for file, corpus in pairs):
        notes.append("each folder is an item, and its files are coders")
        return [(file._replace(coder=file.stem), corpus) for file, corpus in pairs]
    if all(file.stem in NON_CODERS and len(file.parts) > 1 for file, _ in pairs):
        notes.append("folders are items, and files are coders")
        return [(_split(file, len(file.parts) - 1), corpus) for file, corpus in pairs]
    if len(pairs) == 1 and names_elsewhere is None:
        return pairs
    return _named_by_texts(pairs, names_elsewhere, notes)


def _named_by_texts(
    pairs: list[tuple[InputFile, Corpus]], names_elsewhere: Collection[str] | None, notes: list[str]
) -> list[tuple[InputFile, Corpus]]:
    """Name files by the part of the path that is the coder, because the texts are the same; without one, as items."""
    part = _coder_part(pairs, alone=names_elsewhere is None)
    if part is None:
        notes.append("each file is an item, named by its path, because the texts differ")
        return _as_items(pairs)
    depth = len(pairs[0][0].parts)
    if depth == 1:
        return pairs  # coders of one item
    notes.append("folders are coders" if part < depth - 1 else "folders are items, and files are coders")
    return _with_own_names([(_split(file, part), corpus) for file, corpus in pairs])


def _as_items(pairs: Sequence[tuple[InputFile, Corpus]]) -> list[tuple[InputFile, Corpus]]:
    return _with_own_names(
        [(file._replace(item=file.relative, coder=file.root_name), corpus) for file, corpus in pairs]
    )


def _with_own_names(pairs: list[tuple[InputFile, Corpus]]) -> list[tuple[InputFile, Corpus]]:
    """Leave the items of files that name their items unchanged, if no two files of a coder name the same item."""
    counts = Counter((file.coder, item) for file, corpus in pairs for item in corpus.item_names)
    if any(corpus.item_names == (file.stem,) for file, corpus in pairs) or max(counts.values()) > 1:
        return pairs
    return [(file._replace(item=None), corpus) for file, corpus in pairs]


def _split(file: InputFile, part: int) -> InputFile:
    parts = file.parts
    return file._replace(item="/".join((*parts[:part], *parts[part + 1 :])), coder=parts[part])


def _coder_part(pairs: Sequence[tuple[InputFile, Corpus]], *, alone: bool) -> int | None:
    """Return the number of the part of the paths that is the coder; None if the files are items."""
    depths = {len(file.parts) for file, _ in pairs}
    if len(depths) > 1:
        return None
    (depth,) = depths
    undecided = []
    for part in dict.fromkeys((0, depth - 2, depth - 1) if depth > 1 else (0,)):
        same = _same_texts(pairs, part)
        if same:
            return part
        if same is None:
            undecided.append(part)
    return undecided[0] if undecided and alone else None


def _same_texts(pairs: Sequence[tuple[InputFile, Corpus]], part: int) -> bool | None:
    """Return whether most files that differ only in this part of the path have the same text; None if unknown."""
    groups: dict[tuple[str, ...], list[Corpus]] = {}
    for file, corpus in pairs:
        rest = (*file.parts[:part], *file.parts[part + 1 :])
        groups.setdefault(rest, []).append(corpus)
    compared = [group for group in groups.values() if len(group) > 1]
    readable = [group for group in ([*filter(None, group)] for group in compared) if len(group) > 1][:_MAX_GROUPS]
    if not readable:
        return None if compared else False  # nothing is known about the texts of files that could not be read
    return _majority([_same_material(group) for group in readable])


def _majority(verdicts: Sequence[bool | None]) -> bool | None:
    """Return the verdict on most texts: False if more than half differ, None if more are unknown than the same."""
    counts = Counter(verdicts)
    if counts[False] > len(verdicts) / 2:
        return False
    return None if counts[None] > counts[True] else True


def _same_material(corpora: Sequence[Corpus]) -> bool | None:
    """Return whether two files of a group have the same text; a pair of files with the same items, if there is one."""
    for first, second in islice(combinations(corpora, 2), _MAX_GROUPS):
        items = {*second.item_names}
        common = [item for item in first.item_names if item in items][:_MAX_GROUPS]
        if common:
            return _majority([_same_text(_annotation(first, item), _annotation(second, item)) for item in common])
    return _same_text(next(iter(corpora[0].values())), next(iter(corpora[1].values())))


def _annotation(corpus: Corpus, item: str) -> Annotation:
    return next(iter(corpus.of_item(item).values()))


def _is_similar(first: str, second: str) -> bool:
    if not first or not second:
        return first == second
    pieces = [Counter(text[i : i + _PIECE] for i in range(max(1, len(text) - _PIECE + 1))) for text in (first, second)]
    return (pieces[0] & pieces[1]).total() >= _SIMILAR * max(piece.total() for piece in pieces)


def _same_text(a: Annotation, b: Annotation) -> bool | None:
    """Return whether two annotations have about the same text; None if the texts are unknown and the lengths agree."""
    first, second = _text(a), _text(b)
    if first is not None and second is not None:
        return _is_similar(first, second)
    if isinstance(a, Spans) and isinstance(b, Spans) and (a.bounds is None or b.bounds is None):
        return None
    longer = max(length_of(a), length_of(b))
    tolerance = 0.02 * longer if isinstance(a, Hierarchy) and a.edges is not None else 0
    return None if abs(length_of(a) - length_of(b)) <= tolerance else False


def _units(annotation: Annotation) -> Sequence[str] | None:
    """Return the texts of all units; None if a text is unknown."""
    if isinstance(annotation, Tree):
        return annotation.words
    if isinstance(annotation, Hierarchy):
        return annotation.units
    if isinstance(annotation, Spans):
        return annotation.units if annotation.text is None else annotation.text.split()
    return None if tiers_of(annotation) else _units_of_streams(annotation)


def _units_of_streams(annotation: Annotation) -> list[str] | None:
    units: list[str] = []
    for stream in texts_of(annotation).values():
        if stream.units is None:
            return None
        units += stream.units
    return units


def _text(annotation: Annotation) -> str | None:
    """Return the beginning of the text without white space; None if it is unknown."""
    units = _units(annotation)
    return None if units is None else "".join("".join(units[:_MAX_CHARACTERS]).split())[:_MAX_CHARACTERS]


def _without_collisions(pairs: list[tuple[InputFile, Corpus]], notes: list[str]) -> list[tuple[InputFile, Corpus]]:
    """Name items by the paths of the files if the names of files in several folders would collide."""
    counts = Counter((file.stem, coder) for file, corpus in pairs for coder in corpus.coders)
    if all(number == 1 for number in counts.values()):
        return pairs
    if any(corpus.item_names != (file.stem,) or corpus.coders == (file.stem,) for file, corpus in pairs if corpus):
        return pairs
    notes.append("each file is an item, named by its path")
    return [(file._replace(item=file.relative), corpus) for file, corpus in pairs]
