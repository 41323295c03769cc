"""Select the files of a folder, derive items and coders from their names, and merge them into one corpus.

The section on folders in docs/formats.md has the rules. In a folder, paths and texts decide (:mod:`caesura.formats.layout`); in
a list of files, the names alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from caesura.errors import FormatError, OptionError
from caesura.files import JOURNAL_SUFFIX, RECORDS, RUN_FILE, is_checkpoint
from caesura.formats.content import unpacked_path
from caesura.formats.format import Format
from caesura.limits import MAX_FILES
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.value import list_few
from caesura.notices import warn
from caesura.progress import report_progress

# Character that makes a path a glob.
WILDCARD = re.compile(r"[*?\[]")
_MAX_ERRORS = 5  # reported errors per file
# Names of files in the exports of INCEpTION and WebAnno that are no coders -> reason.
NON_CODERS = {
    "INITIAL_CAS": "the text before annotation, not a coder",
    "CURATION_USER": "the curated text, not a coder; read its folder alone to compare coders with it",
}
AMBIGUOUS_SUFFIXES = (".txt", ".xml")  # the content decides whether such a file is read


class InputFile(NamedTuple):
    path: str
    item: str | None = None  # if known
    coder: str | None = None
    # Rest of the path, if a pattern contains only ``{item}`` or only ``{coder}``. It is the name of the other one.
    remainder: str | None = None
    root: str | None = None  # folder that was searched for the file

    @property
    def stem(self) -> str:
        return unpacked_path(self.path).stem

    @property
    def name(self) -> str:
        """Path relative to the folder that was searched."""
        return self.path if self.root is None else Path(os.path.relpath(self.path, self.root)).as_posix()

    @property
    def relative(self) -> str:
        """Path relative to the folder that was searched, without suffix."""
        path = unpacked_path(self.name)
        return str(path)[: len(str(path)) - len(path.suffix)]

    @property
    def parts(self) -> list[str]:
        return self.relative.split("/")

    @property
    def root_name(self) -> str:
        return Path(self.root or ".").resolve().name or "1"


# Files and their contents.
Pairs = list[tuple[InputFile, Corpus]]


def find_files(
    path: str | PathLike[str],
    pattern: str | None,
    formats: Sequence[Format],
    looks_like: Callable[[str], bool],
    ignored: list[str] | None = None,
) -> list[InputFile]:
    # Without a pattern, the files of a folder are selected by the suffixes of the formats. Files that belong to another file,
    # such as the text of an annotation, are not selected.
    root, glob = _split_glob(fspath(path))
    names, links, checkpoints = _walk(root)
    _warn_left_out(path, links, "is a link that leads to no file", "are links that lead to no file")
    if glob is not None:
        inside = (RUN_FILE, f"{RECORDS}/0.json")
        checkpoints = [
            name for name in checkpoints if any(_matches_glob(f"{name}/{file}".split("/"), glob) for file in inside)
        ]
    if checkpoints:
        kind = "1 folder is a checkpoint" if len(checkpoints) == 1 else f"{len(checkpoints)} folders are checkpoints"
        warn(f"{fspath(path)}: {kind} of an earlier run and left out: {list_few(checkpoints)}")
    candidates = names if glob is None else [name for name in names if _matches_glob(name.split("/"), glob)]
    reasons = ("is in no known format", "are in no known format")
    if pattern is not None:
        files = _Pattern(pattern).match_all(root, candidates)
        reasons = (f"does not match the pattern {pattern}", f"do not match the pattern {pattern}")
    else:
        readable = candidates
        if glob is None:
            companions = companion_names(candidates, formats)
            candidates = [name for name in candidates if name not in companions]
            readable = [name for name in candidates if _is_readable(os.path.join(root, name), formats, looks_like)]
        files = {name: InputFile(os.path.join(root, name), root=root) for name in readable}
    if not files:
        raise _no_files(path, pattern, names)
    left_out = [name for name in candidates if name not in files]
    no_coders = _leave_out_non_coders(files)
    _warn_left_out(path, left_out, *reasons)
    if ignored is not None:
        ignored += [f"{name} (a link that leads to no file)" for name in links]
        ignored += [f"{name} (the checkpoint of a run)" for name in checkpoints]
        ignored += [f"{name} ({reasons[0].removeprefix('is ')})" for name in left_out]
        ignored += no_coders
    return list(files.values())


def _leave_out_non_coders(files: dict[str, InputFile]) -> list[str]:
    """Remove the files that INCEpTION and WebAnno write beside those of the coders, unless there are no others."""
    # The result describes the files that were removed.
    descriptions = []
    for stem, reason in NON_CODERS.items():
        names = [name for name, file in files.items() if file.stem == stem]
        if 0 < len(names) < len(files):
            for name in names:
                del files[name]
            place = names[0] if len(names) == 1 else f"{len(names)} files {Path(names[0]).name}"
            descriptions.append(f"{place} ({reason})")
    return descriptions


def _no_files(path: str | PathLike[str], pattern: str | None, names: Sequence[str]) -> FormatError:
    problem = f"matches the pattern {pattern}" if pattern is not None else "can be read"
    content = f"there are {list_few(names)}" if names else "the folder is empty"
    archives = any(Path(name).suffix.lower() == ".zip" for name in names)
    hint = "; unpack the .zip files, such as exports of INCEpTION, and read what they contain" if archives else ""
    return FormatError(path, None, f"no file {problem}; {content}{hint}")


def _split_glob(path: str) -> tuple[str, Sequence[str] | None]:
    if os.path.isdir(path):
        return path, None
    parts = Path(path).parts
    first = next(i for i, part in enumerate(parts) if WILDCARD.search(part))
    root = str(Path(*parts[:first])) if first else "."
    if not os.path.isdir(root):
        raise FormatError(path, None, f"cannot be read: there is no folder {root}")
    return root, parts[first:]


def _matches_glob(parts: Sequence[str], glob: Sequence[str]) -> bool:
    """Return whether the parts of a path match the parts of a glob; ``**`` matches any number of parts."""
    starts = {0}  # numbers of path parts that the parts of the glob up to here can match
    for pattern in glob:
        if pattern == "**":
            starts = set(range(min(starts), len(parts) + 1)) if starts else starts
        else:
            starts = {i + 1 for i in starts if i < len(parts) and fnmatchcase(parts[i], pattern)}
    return len(parts) in starts


def may_read(path: str, file: str | PathLike[str]) -> bool:
    """Return whether a file, which need not exist yet, is among those that a folder or a glob stands for."""
    if os.path.isfile(path) or not (os.path.isdir(path) or WILDCARD.search(path)):
        return False
    root, glob = _split_glob(path)
    target, root = os.path.realpath(file), os.path.realpath(root)
    if target == root or os.path.commonpath([target, root]) != root:
        return False
    return glob is None or _matches_glob(os.path.relpath(target, root).split(os.sep), glob)


def _walk(root: str) -> tuple[list[str], list[str], list[str]]:
    files: list[str] = []
    links: list[str] = []
    checkpoints: list[str] = []
    entries_so_far = 0
    folders = [""]
    while folders:
        folder = folders.pop()
        if folder and is_checkpoint(os.path.join(root, folder)):
            checkpoints.append(folder)
            continue
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    entries_so_far += 1
                    if entries_so_far > MAX_FILES:
                        problem = f"expected a folder of at most {MAX_FILES} files; this has more"
                        raise FormatError(root, None, problem)
                    name = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name.startswith(".") or entry.name.endswith(JOURNAL_SUFFIX):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    elif entry.is_file():
                        files.append(name)
                    elif entry.is_symlink() and not os.path.exists(entry.path):
                        links.append(name)
        except OSError as problem:
            raise FormatError(os.path.join(root, folder), None, f"cannot be read: {problem.strerror}") from None
    return sorted(files), sorted(links), sorted(checkpoints)


def _is_readable(path: str, formats: Iterable[Format], looks_like: Callable[[str], bool]) -> bool:
    suffix = unpacked_path(path).suffix.lower()
    if not any(suffix in (*format.suffixes, *format.other_suffixes) for format in formats):
        return False
    own_suffix = any(suffix in format.suffixes for format in formats) and suffix not in AMBIGUOUS_SUFFIXES
    return own_suffix or looks_like(path)


def companion_names(names: Sequence[str], formats: Sequence[Format]) -> set[str]:
    """Return the names of files that belong to one of these files and are not read separately."""
    companions: set[str] = set()
    for name in names:
        path = Path(name)
        for format in formats:
            if path.suffix.lower() in (*format.suffixes, *format.other_suffixes):
                companions.update(
                    _companion(path, entry.format(stem=path.stem)).as_posix() for entry in format.companions
                )
    return companions


def _companion(path: Path, ending: str) -> Path:
    """Return the path of a companion: ``.txt`` is a suffix, and other endings are paths from the folder of the file."""
    if ending.startswith(".") and not ending.startswith("../"):
        return path.with_suffix(ending)
    return Path(os.path.normpath(path.parent / ending))


def _warn_left_out(path: str | PathLike[str], names: Sequence[str], singular: str, plural: str) -> None:
    if len(names) == 1:
        warn(f"{fspath(path)}: 1 file {singular} and is left out: {names[0]}")
    elif names:
        warn(f"{fspath(path)}: {len(names)} files {plural} and are left out: {list_few(names)}")


class _Pattern:
    """A pattern such as ``{coder}/{item}.TextGrid``."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not text:
            raise OptionError(f"pattern must be a string such as '{{coder}}/{{item}}.csv'; got {text!r}")
        expression = ""
        self.names: list[str] = []
        for piece in re.split(r"(\{[^{}]*\}|\*+)", text):
            if piece.startswith("{") and piece.endswith("}"):
                name = piece[1:-1]
                if name not in ("item", "coder") or name in self.names:
                    raise OptionError(f"pattern: {{item}} and {{coder}} may occur once each; got {piece} in {text!r}")
                self.names.append(name)
                expression += f"(?P<{name}>[^/]+)"
            else:
                expression += "[^/]*" if piece.startswith("*") else re.escape(piece)
        if not self.names:
            raise OptionError(f"pattern: it must contain {{item}} or {{coder}}; got {text!r}")
        self.expression = re.compile(expression, re.DOTALL)

    def match_all(self, root: str, names: Sequence[str]) -> dict[str, InputFile]:
        files: dict[str, InputFile] = {}
        for name in names:
            match = self.expression.fullmatch(name)
            if match is None:
                continue
            remainder = None
            if len(self.names) == 1:
                start, end = match.span(self.names[0])
                without_suffix = str(unpacked_path(name)).removesuffix(unpacked_path(name).suffix)
                remainder = (without_suffix[:start] + without_suffix[end:]).strip(" _.-/")
            files[name] = InputFile(os.path.join(root, name), **match.groupdict(), remainder=remainder)
        return files


class NamingScheme(NamedTuple):
    """Rules that derive items and coders from the names of all files of a corpus."""

    common_item: str  # item of the files that do not name an item
    folders_are_coders: bool  # whether the files are items and the folders are coders
    suffixes_are_coders: bool  # whether the files differ only in their suffix
    automatic: bool  # whether the names are interpreted without a pattern or names from the caller

    @classmethod
    def infer(cls, files: Sequence[InputFile], item: str | None = None) -> NamingScheme:
        stems = [file.stem for file in files]
        paths = {Path(file.path).absolute() for file in files}
        stem_paths = {(path.parent, unpacked_path(path).stem) for path in paths}
        automatic = all(file.item is file.coder is file.remainder is None for file in files)
        return cls(
            common_item=item or _common_beginning(stems) or "1",
            folders_are_coders=automatic and len(set(stems)) < len(stems) == len(stem_paths),
            # such as sample.gld and sample.tst in one folder
            suffixes_are_coders=automatic and len(stem_paths) < len(stems) == len(paths),
            automatic=automatic,
        )


def group_by_item(files: Sequence[InputFile], naming: NamingScheme) -> list[list[InputFile]] | None:
    groups: dict[str, list[InputFile]] = {}
    for file in files:
        item = file.item or file.remainder or (file.stem if naming.folders_are_coders else None)
        if item is None:
            return None
        groups.setdefault(item, []).append(file)
    return list(groups.values())


def read_all(
    files: Sequence[InputFile],
    read: Callable[[str, list[FormatError] | None], Corpus],
    *,
    same_material: bool,
    item: str | None = None,
    excluded: list[FormatError] | None = None,
    naming: NamingScheme | None = None,
    rename: Callable[[Pairs], Pairs] | None = None,
) -> Corpus:
    file_errors = None if same_material else excluded
    corpora: list[tuple[InputFile, Corpus]] = []
    for number, file in enumerate(files, 1):
        with collect_file_errors(file, file_errors) as errors:
            corpora.append((file, read(file.path, excluded if same_material else errors)))
        report_progress(number, len(files))
    if rename is not None:
        corpora = rename(corpora)
    return merge(
        corpora, naming or NamingScheme.infer(files, item), same_material=same_material, file_errors=file_errors
    )


def merge(
    corpora: Sequence[tuple[InputFile, Corpus]],
    naming: NamingScheme,
    *,
    same_material: bool = False,
    file_errors: list[FormatError] | None = None,
) -> Corpus:
    names = _NameResolver(naming, corpora, same_material)
    annotations: dict[str, dict[str, Annotation]] = {}
    for file, corpus in corpora:
        with collect_file_errors(file, file_errors):
            for key in corpus:
                name, coder = names.item(file, corpus, key[0]), names.coder(file, corpus, key[1])
                if coder in annotations.get(name, ()):
                    hint = "" if same_material else "; use a pattern with {item} and {coder} to distinguish files"
                    raise FormatError(file.path, None, f"item {name!r} has coder {coder!r} in another file too{hint}")
                annotations.setdefault(name, {})[coder] = corpus[key]
    return Corpus(annotations)


@contextmanager
def collect_file_errors(file: InputFile, excluded: list[FormatError] | None) -> Iterator[list[FormatError] | None]:
    """Collect the first few errors of a file."""
    if excluded is None:
        yield None
        return
    errors: list[FormatError] = []
    try:
        yield errors
    except FormatError as problem:
        errors.append(problem)
    excluded += errors[:_MAX_ERRORS]
    if len(errors) > _MAX_ERRORS:
        excluded.append(FormatError(file.path, None, f"{len(errors) - _MAX_ERRORS} more errors"))


class _NameResolver:
    def __init__(self, naming: NamingScheme, corpora: Sequence[tuple[InputFile, Corpus]], same_material: bool) -> None:
        self.naming = naming
        self.same_material = same_material
        # If a file has only one tier, the name of the tier describes its content ("IU"), not the coder. Then the name
        # of the file is the coder.
        self.tiers_by_file = same_material or all(
            len(corpus.coders) == 1 for _, corpus in corpora if _names_coders_by_tier(corpus)
        )
        if not same_material and naming.automatic and not naming.folders_are_coders:
            self._warn_unnamed(corpora)

    def _warn_unnamed(self, corpora: Sequence[tuple[InputFile, Corpus]]) -> None:
        unnamed = sum(self._is_coder(file, corpus) and corpus.item_names == (file.stem,) for file, corpus in corpora)
        if unnamed > 1:
            warn(
                f"{unnamed} files name no item and no coder: they are read as coders of one item, "
                f"{self.naming.common_item!r}; if that is wrong, use a pattern such as '{{item}}_{{coder}}.csv'"
            )

    def _is_coder(self, file: InputFile, corpus: Corpus) -> bool:
        """Return whether the coder can only be derived from the name of the file."""
        if corpus.coders == (file.stem,):
            return True
        return self.tiers_by_file and file.item is None and _names_coders_by_tier(corpus) and len(corpus.coders) == 1

    def coder(self, file: InputFile, corpus: Corpus, name_in_file: str) -> str:
        path = Path(file.path)
        if file.coder is not None:
            if len(corpus.coders) > 1:
                raise FormatError(path, None, f"expected one coder, {file.coder!r}; got {', '.join(corpus.coders)}")
            return file.coder
        if not self._is_coder(file, corpus):
            return name_in_file
        if file.remainder is not None:
            return file.remainder or "1"
        if self.naming.folders_are_coders:
            return path.absolute().parent.name
        return path.name if self.naming.suffixes_are_coders else file.stem

    def item(self, file: InputFile, corpus: Corpus, name_in_file: str) -> str:
        has_names = corpus.item_names != (file.stem,)
        if file.item is not None:
            return f"{file.item}/{name_in_file}" if has_names else file.item
        if has_names or self.naming.folders_are_coders:
            return name_in_file
        if file.remainder is not None:
            return file.remainder or self.naming.common_item
        return self.naming.common_item if self.same_material or self._is_coder(file, corpus) else name_in_file


def _names_coders_by_tier(corpus: Corpus) -> bool:
    """Return whether the coders of a file are the names of its tiers, not names that the file gives to coders."""
    return corpus.source is not None and corpus.source.part == "tier"


def _common_beginning(names: Sequence[str]) -> str:
    """Return the common beginning of names, up to a separator: ``t001`` for ``t001_ann`` and ``t001_anna``."""
    common = ""
    for first, *rest in zip(*(re.split(r"([ _.-]+)", name) for name in names), strict=False):
        if any(part != first for part in rest):
            break
        common += first
    return common.rstrip(" _-.")


def list_files(files: Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]]) -> list[InputFile]:
    if isinstance(files, (str, PathLike)):
        raise OptionError(f"files must be a mapping from coders to files, or a list of files; got {fspath(files)!r}")
    if isinstance(files, Mapping):
        return [InputFile(fspath(path), coder=coder) for coder, path in files.items()]
    return [InputFile(fspath(path)) for path in files]
