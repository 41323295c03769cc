"""Recognise how files with tiers are arranged in a folder: which parts of their paths are items, and which are coders.

A TextGrid names neither its item nor its coder. The contents decide between the arrangements (docs/formats.md lists them):
files of one item have the same words or, without words, the same length. If tiers are coders and files of several folders
have the same name and the same tiers, tiers cannot be the coders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, starmap
from pathlib import Path
from typing import NamedTuple

from caesura.errors import AmbiguousFileError
from caesura.formats.folders import InputFile, Pairs
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.reading import length_of
from caesura.model.spans import Spans
from caesura.model.tier import Tier

_MAX_GROUPS = 50  # groups of files that are compared
_SAME_WORDS = 0.8  # proportion of words that two versions of a text have in common
_FOLDERS = "folders are coders"
_SEPARATOR = re.compile(r"[ _.-]+")
_NUMBER = re.compile(r"\d")
_FIXED_LENGTH, _LAST_MARK = 0.02, 0.25  # relative differences of length of one item; some formats end at the last mark


class _Arrangement(NamedTuple):
    note: str
    pattern: str  # the pattern that chooses this arrangement
    names: list[tuple[str, str]]  # item and coder of each file

    @property
    def is_possible(self) -> bool:
        """Whether no two files have the same names, and some item has several coders."""
        items = Counter(item for item, _ in self.names)
        return len(set(self.names)) == len(self.names) and max(items.values()) > 1


def name_tier_files(
    pairs: Pairs, names_elsewhere: Collection[str] | None = None, notes: list[str] | None = None
) -> Pairs:
    notes = [] if notes is None else notes
    readable = [(file, corpus) for file, corpus in pairs if corpus]
    if not all(starmap(_is_named_by_file, readable)):
        return pairs
    if any(len(corpus.coders) > 1 for _, corpus in readable):
        return _several_tiers(pairs, notes)
    if not all(starmap(_names_no_coder, readable)):
        return pairs
    if any(file.relative in (names_elsewhere or ()) for file, _ in pairs):
        return [(file._replace(item=file.relative, coder=file.root_name), corpus) for file, corpus in pairs]
    return pairs if len(pairs) < 2 else _by_arrangement(pairs, notes)


def is_from_tiers(corpus: Corpus) -> bool:
    """Return whether a corpus has tiers, or spans that were read from tiers."""
    return corpus.holds(Tier) or (corpus.source is not None and corpus.source.part == "tier" and corpus.holds(Spans))


def _is_named_by_file(file: InputFile, corpus: Corpus) -> bool:
    """Return whether a file in seconds names no item of its own."""
    return corpus.item_names == (file.stem,) and is_from_tiers(corpus)


def _names_no_coder(file: InputFile, corpus: Corpus) -> bool:
    """Return whether a file has one tier; its name describes the content and not the coder."""
    is_tier = corpus.source is not None and corpus.source.part == "tier"
    return is_tier or corpus.coders == (file.stem,)


def _several_tiers(pairs: Pairs, notes: list[str]) -> Pairs:
    """Name files whose tiers are coders: the files are items."""
    by_name: dict[tuple[str, str], list[tuple[InputFile, Corpus]]] = {}
    for file, corpus in pairs:
        for coder in corpus.coders:
            by_name.setdefault((file.stem, coder), []).append((file, corpus))
    collisions = [group for group in by_name.values() if len(group) > 1]
    if not collisions:
        return pairs
    if all(_same_material(group[0], group[1]) is False for group in islice(collisions, _MAX_GROUPS)):
        notes.append("each file is an item, named by its path")
        return [(file._replace(item=file.relative), corpus) for file, corpus in pairs]
    file, corpus = collisions[0][0]
    problem = (
        f"{collisions[0][1][0].path} has the same tiers, so that the folders could be the coders; choose the tier of the "
        "segmentation"
    )
    raise AmbiguousFileError(file.path, problem, [(f"tier {name[:80]}", {"tiers": name}) for name in corpus.coders])


def _by_arrangement(pairs: Pairs, notes: list[str]) -> Pairs:
    fitting = _fitting_arrangements(pairs)
    if fitting:
        chosen = _choose(fitting, pairs[0][0].path)
        notes.append(chosen.note)
        named = zip(pairs, chosen.names, strict=True)
        return [(file._replace(item=item, coder=coder), corpus) for (file, corpus), (item, coder) in named]
    _refuse_doubtful(pairs)
    everything = _Arrangement("", "", [("", file.relative) for file, _ in pairs])
    if _verdict(pairs, everything) is False:
        notes.append("each file is an item, named by its path, because the recordings differ")
        return [(file._replace(item=file.relative), corpus) for file, corpus in pairs]
    return pairs  # coders of one item


def _fitting_arrangements(pairs: Pairs) -> list[_Arrangement]:
    """Return the arrangements in which coders have the same words, or else those in which the lengths agree."""
    by_verdict: dict[bool | None, list[_Arrangement]] = {}
    for arrangement in _possible_arrangements(pairs):
        by_verdict.setdefault(_verdict(pairs, arrangement), []).append(arrangement)
    return by_verdict.get(True) or by_verdict.get(None) or []


def _possible_arrangements(pairs: Pairs) -> list[_Arrangement]:
    files = [file for file, _ in pairs]
    arrangements = (*_arrangements_of_folders(files), *_arrangements_of_names(files))
    return [arrangement for arrangement in arrangements if arrangement.is_possible]


def _refuse_doubtful(pairs: Pairs) -> None:
    """Raise an error if names show coders and only the times of the last marks speak against it."""
    # Where a coder's last mark is says little about the length of the recording.
    doubtful = [
        arrangement
        for arrangement in _possible_arrangements(pairs)
        if not all(_NUMBER.search(coder) for _, coder in arrangement.names)
        and all(
            _same_material(*pair) is not False or not _have_lengths(*pair) for pair in _compared(pairs, arrangement)
        )
    ]
    if not doubtful:
        return
    file = pairs[0][0]
    suffix = Path(file.path).suffix
    items = [("each file is an item", f"{{item}}{suffix}")]
    if len(file.parts) > 1:
        items = [("folders are items, and files are coders", f"{{item}}/{{coder}}{suffix}")]
    choices = dict.fromkeys([(entry.note, entry.pattern) for entry in doubtful] + items)
    problem = "the names of the files show coders, but their last marks are far apart, as in different recordings"
    raise AmbiguousFileError(file.path, problem, [(note, {"pattern": pattern}) for note, pattern in choices])


def _choose(fitting: Sequence[_Arrangement], path: str) -> _Arrangement:
    """Return the most plausible arrangement: numbers are in names of items, and folders are coders rather than items."""
    if len(fitting) == 1:
        return fitting[0]
    chosen = [entry for entry in fitting if _numbers_items(entry)]
    if len(chosen) == 1:
        return chosen[0]
    if fitting[0].note == _FOLDERS:
        return fitting[0]
    choices = [(entry.note, {"pattern": entry.pattern}) for entry in fitting]
    raise AmbiguousFileError(path, "the names of the files do not tell items from coders", choices)


def _numbers_items(arrangement: _Arrangement) -> bool:
    """Return whether all names of items have numbers, but not all names of coders."""
    items, coders = zip(*arrangement.names, strict=True)
    return all(map(_NUMBER.search, items)) and not all(map(_NUMBER.search, coders))


def _arrangements_of_folders(files: Sequence[InputFile]) -> Iterator[_Arrangement]:
    """Yield the arrangements in which folders are coders or items."""
    parts = [file.parts for file in files]
    suffix = Path(files[0].path).suffix
    if {len(entry) for entry in parts} == {2}:
        yield _Arrangement(_FOLDERS, f"{{coder}}/{{item}}{suffix}", [(p[1], p[0]) for p in parts])
        note = "folders are items, and files are coders"
        yield _Arrangement(note, f"{{item}}/{{coder}}{suffix}", [(p[0], p[1]) for p in parts])
    elif all(len(entry) > 2 for entry in parts):
        pattern = f"{{coder}}/*/{{item}}{suffix}"
        yield _Arrangement(_FOLDERS, pattern, [("/".join(p[1:]), p[0]) for p in parts])


def _arrangements_of_names(files: Sequence[InputFile]) -> Iterator[_Arrangement]:
    """Yield the arrangements in which the names of files contain item and coder."""
    suffix = Path(files[0].path).suffix
    stems = [file.stem for file in files]
    separators = [[match.span() for match in _SEPARATOR.finditer(stem)] for stem in stems]
    if all(separators):
        folder = "*/" * (len(files[0].parts) - 1)
        symbol = stems[0][slice(*separators[0][-1])]
        last = [(stem[: spans[-1][0]], stem[spans[-1][1] :]) for stem, spans in zip(stems, separators, strict=True)]
        note = "file names are item and coder"
        yield _Arrangement(note, f"{folder}{{item}}{symbol}{{coder}}{suffix}", last)
        first = [(stem[spans[0][1] :], stem[: spans[0][0]]) for stem, spans in zip(stems, separators, strict=True)]
        note = "file names are coder and item"
        yield _Arrangement(note, f"{folder}{{coder}}{symbol}{{item}}{suffix}", first)


def _verdict(pairs: Pairs, arrangement: _Arrangement) -> bool | None:
    """Return whether the files of an item have the same words; None if there are no words and their lengths agree."""
    verdicts = [_same_material(first, other) for first, other in _compared(pairs, arrangement)]
    if False in verdicts:
        return False
    return True if verdicts and None not in verdicts else None


def _compared(
    pairs: Pairs, arrangement: _Arrangement
) -> list[tuple[tuple[InputFile, Corpus], tuple[InputFile, Corpus]]]:
    by_item: dict[str, Pairs] = {}
    for pair, (item, _) in zip(pairs, arrangement.names, strict=True):
        if pair[1]:
            by_item.setdefault(item, []).append(pair)
    return [(group[0], other) for group in by_item.values() for other in group[1:]][:_MAX_GROUPS]


def _have_lengths(*pair: tuple[InputFile, Corpus]) -> bool:
    """Return whether both files have words, or both store the length of the recording."""
    words, _, fixed = zip(*(_material(corpus) for _, corpus in pair), strict=True)
    return all(fixed) or None not in words


def _same_material(first: tuple[InputFile, Corpus], second: tuple[InputFile, Corpus]) -> bool | None:
    """Return whether two files have the same words; without words, None if their lengths agree and else False."""
    words, lengths, fixed = zip(*(_material(corpus) for _, corpus in (first, second)), strict=True)
    if all(entry is not None for entry in words):
        common = (Counter(words[0]) & Counter(words[1])).total()
        return common >= _SAME_WORDS * max(map(len, words))
    tolerance = _FIXED_LENGTH if all(fixed) else _LAST_MARK
    return None if abs(lengths[0] - lengths[1]) <= tolerance * max(lengths) else False


def _material(corpus: Corpus) -> tuple[list[str] | None, float, bool]:
    """Return the words, the length in seconds, and whether the format stores the length of the recording."""
    tiers = [tier for annotation in corpus.values() for tier in tiers_of(annotation).values()]
    words = next((tier.words for tier in tiers if tier.words is not None), None)
    length = max(map(length_of, corpus.values()))
    fixed = corpus.source is not None and corpus.source.format == "textgrid"
    return None if words is None else [word.label for word in words], length, fixed
