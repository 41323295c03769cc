"""Many files as one corpus: which files, and what their names say about item and coder.

A folder is read with all that lies in it, at any depth; a string with ``*``, ``?`` or ``[`` is a glob (``**`` is any number
of folders). Hidden files are left out, and links to folders are not followed.

Item and coder are those that a file names itself. What it leaves to its name (a ``.rs3`` is an item of one coder and names
neither) follows from all names together: files of the same name in several folders are items, and the folders coders;
otherwise the files are coders of one item. A ``pattern`` says it instead: in ``{coder}/{item}.TextGrid`` or
``{item}_{coder}.eaf``, matched against the path from the folder on, ``{item}`` and ``{coder}`` stand for anything but a
slash, ``*`` for anything but a slash that means nothing, and all else for itself. A file that numbers its own items, as one
with many trees does, has items ``{item}/1``, ``{item}/2`` and so on. Where a pattern names the coders only, the rest of the
path is the item.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from caesura.errors import FormatError, OptionError
from caesura.formats.format import Format, warn
from caesura.formats.timed import holds_tiers
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation

MAX_FILES = 100_000
_MAGIC = re.compile(r"[*?\[]")
MAX_LISTED = 5  # names that a message still lists


class InputFile(NamedTuple):
    """A file, and what the caller or a pattern says about it."""

    path: str
    item: str | None = None
    coder: str | None = None
    remainder: str | None = None
    """Of a path that matched a pattern: what stands around the only name in it."""


# -- which files ------------------------------------------------------------------------------------------------------


def is_collection(path: str | PathLike[str]) -> bool:
    """Whether this is a folder or a glob. A file may have any name."""
    text = fspath(path)
    if "\0" in text or os.path.isfile(text):
        return False
    return os.path.isdir(text) or bool(_MAGIC.search(text))


def find_files(
    path: str | PathLike[str], pattern: str | None, formats: Sequence[Format], looks_like: Callable[[str], bool]
) -> list[InputFile]:
    """The files of a folder or glob. What is left out is said; to find none is an error that names some that are there.

    Of a folder without a pattern, these are the files whose suffix one of the formats has; files that belong to another one
    beside them, such as the text of an annotation, are not read by themselves. Anything may be in a .txt: there
    ``looks_like`` decides.
    """
    root, wanted = _split(fspath(path))
    there = _walk(root)
    found = [name for name in there if wanted is None or wanted.fullmatch(name)]
    if pattern is not None:
        rule = _Pattern(pattern)
        matched = [rule.source(root, name) for name in found]
        sources = [one for one in matched if one is not None]
        _say_left_out(
            path,
            [name for name, one in zip(found, matched, strict=True) if one is None],
            bool(sources),
            f"do not match the pattern {pattern}",
        )
    elif wanted is None:
        belonging = _belonging(found, formats)
        asked = [name for name in found if name not in belonging]
        known = {name for name in asked if _is_known(name, formats)}
        known -= {name for name in known if _says_nothing(name) and not looks_like(os.path.join(root, name))}
        sources = [InputFile(os.path.join(root, name)) for name in asked if name in known]
        unknown = [name for name in asked if name not in known]
        _say_left_out(path, unknown, bool(sources), "are in no known format")
    else:
        sources = [InputFile(os.path.join(root, name)) for name in found]
    if not sources:
        what = f"matches the pattern {pattern}" if pattern is not None else "can be read"
        some = f"there are {_listed(there)}" if there else "the folder is empty"
        raise FormatError(path, None, f"no file {what}; {some}")
    return sources


def _split(path: str) -> tuple[str, re.Pattern[str] | None]:
    """The folder where the search begins, and what a path from there must look like."""
    if os.path.isdir(path):
        return path, None
    parts = Path(path).parts
    first = next(i for i, part in enumerate(parts) if _MAGIC.search(part))
    root = str(Path(*parts[:first])) if first else "."
    if not os.path.isdir(root):
        raise FormatError(path, None, f"cannot be read: there is no folder {root}")
    return root, _glob(parts[first:])


def _glob(parts: Sequence[str]) -> re.Pattern[str]:
    made = []
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "**":
            made.append(".*" if last else "(?:[^/]+/)*")
        else:
            made.append(_glob_part(part) + ("" if last else "/"))
    try:
        return re.compile("".join(made), re.DOTALL)
    except re.error as problem:
        raise OptionError(f"a glob must be sound; got {'/'.join(parts)!r}: {problem}") from None


def _glob_part(part: str) -> str:
    made = ""
    for found in re.finditer(r"\*+|\?|\[(!?)(\]?[^\]]*)\]|.", part, re.DOTALL):
        text = found.group()
        if text[0] == "*":
            made += "[^/]*"
        elif text == "?":
            made += "[^/]"
        elif found.group(2):
            ranges = re.sub(r"([\\\[\]^&~|])", r"\\\1", found.group(2))
            made += f"(?!/)[{'^' if found.group(1) else ''}{ranges}]"
        else:
            made += re.escape(text)
    return made


def _walk(root: str) -> list[str]:
    """The files below a folder, as paths from there on, in order."""
    found: list[str] = []
    seen = 0
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        try:
            with os.scandir(os.path.join(root, inner)) as entries:
                for entry in entries:
                    name = f"{inner}/{entry.name}" if inner else entry.name
                    seen += 1
                    if seen > MAX_FILES:
                        raise FormatError(
                            root, None, f"a folder of at most {MAX_FILES} files is needed; this holds more"
                        )
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(name)
                    elif entry.is_file():
                        found.append(name)
        except OSError as problem:
            raise FormatError(os.path.join(root, inner), None, f"cannot be read: {problem.strerror}") from None
    return sorted(found)


def _is_known(name: str, formats: Iterable[Format]) -> bool:
    suffix = Path(name).suffix.lower()
    return any(suffix in (*one.suffixes, *one.other_suffixes) for one in formats)


def _says_nothing(name: str) -> bool:
    return Path(name).suffix.lower() in (".txt", ".xml")


def _belonging(names: Sequence[str], formats: Sequence[Format]) -> set[str]:
    """The files that others among these need, and that say nothing by themselves."""
    belonging: set[str] = set()
    for name in names:
        path = Path(name)
        for one in formats:
            if path.suffix.lower() in one.suffixes:
                companions = (path.with_suffix(b) if b.startswith(".") else path.with_name(b) for b in one.companions)
                belonging.update(other.as_posix() for other in companions)
    return belonging


def _say_left_out(path: str | PathLike[str], names: Sequence[str], some: bool, why: str) -> None:
    if names and some:
        files = "1 file is" if len(names) == 1 else f"{len(names)} files are"
        it = why.replace("do not", "does not").replace("are", "is") if len(names) == 1 else why
        warn(f"{fspath(path)}: {files} left out, which {it}: {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")


class _Pattern:
    """``{coder}/{item}.TextGrid``."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not text:
            raise OptionError(f"pattern must be a string such as '{{coder}}/{{item}}.csv'; got {text!r}")
        made = ""
        self.names: list[str] = []
        for piece in re.split(r"(\{[^{}]*\}|\*+)", text):
            if piece.startswith("{") and piece.endswith("}"):
                name = piece[1:-1]
                if name not in ("item", "coder") or name in self.names:
                    raise OptionError(f"pattern: {{item}} and {{coder}} may stand once each; got {piece} in {text!r}")
                self.names.append(name)
                made += f"(?P<{name}>[^/]+)"
            else:
                made += "[^/]*" if piece.startswith("*") else re.escape(piece)
        if not self.names:
            raise OptionError(f"pattern: {{item}} or {{coder}} must stand in it; got {text!r}")
        self.matcher = re.compile(made, re.DOTALL)

    def source(self, root: str, name: str) -> InputFile | None:
        found = self.matcher.fullmatch(name)
        if found is None:
            return None
        named = found.groupdict()
        remainder = None
        if len(named) == 1:
            start, end = found.span(self.names[0])
            bare = name.removesuffix(Path(name).suffix)
            remainder = (bare[:start] + bare[end:]).strip(" _.-/")
        return InputFile(os.path.join(root, name), named.get("item"), named.get("coder"), remainder)


# -- one corpus -------------------------------------------------------------------------------------------------------


class NamingScheme(NamedTuple):
    """What the names of all files together say about each."""

    shared: str
    """The item of files that name none."""
    by_folder: bool
    """Whether files are items, and folders coders."""
    by_suffix: bool
    """Whether nothing but the suffix tells two files apart."""
    plain: bool
    """Whether nobody said what the names mean."""

    @classmethod
    def of(cls, sources: Sequence[InputFile], item: str | None = None) -> NamingScheme:
        """From all files of a corpus."""
        stems = [Path(one.path).stem for one in sources]
        places = {(Path(one.path).absolute().parent, stem) for one, stem in zip(sources, stems, strict=True)}
        plain = all(one.item is one.coder is one.remainder is None for one in sources)
        # sample.gld and sample.tst of one folder differ in nothing but the suffix.
        files = {Path(one.path).absolute() for one in sources}
        return cls(
            shared=item or _beginning(stems) or "1",
            by_folder=plain and len(set(stems)) < len(stems) == len(places),
            by_suffix=plain and len(places) < len(stems) == len(files),
            plain=plain,
        )


def group_by_item(sources: Sequence[InputFile], naming: NamingScheme) -> list[list[InputFile]] | None:
    """The files of each item, in the order of the first; None where names do not say which item a file belongs to."""
    groups: dict[str, list[InputFile]] = {}
    for one in sources:
        item = one.item or one.remainder or (Path(one.path).stem if naming.by_folder else None)
        if item is None:
            return None
        groups.setdefault(item, []).append(one)
    return list(groups.values())


def join(
    sources: Sequence[InputFile],
    read: Callable[[str, list[FormatError] | None], Corpus],
    *,
    item: str | None = None,
    together: bool,
    excluded: list[FormatError] | None = None,
    naming: NamingScheme | None = None,
) -> Corpus:
    """The corpora of all files as one.

    ``together``: the files are what several coders made of the same material, so that an item that only its file names is
    the same for all: ``item``, or else what the names begin with in common. All of them were asked for by name, so none may
    be missing. Otherwise, given ``problems``, a file that cannot be read goes there and does not cost the others. Where
    these are some files of more, ``naming`` is what the names of all say.
    """
    found: list[tuple[InputFile, Corpus]] = []
    for source in sources:
        with _collected(source, None if together else excluded) as mine:
            found.append((source, read(source.path, excluded if together else mine)))
    names = _NameResolver(naming or NamingScheme.of(sources, item), found, together)
    cells: dict[str, dict[str, Annotation]] = {}
    for source, corpus in found:
        with _collected(source, None if together else excluded):
            for key in corpus:
                named, who = names.item(source, corpus, key[0]), names.coder(source, corpus, key[1])
                if who in cells.get(named, ()):
                    hint = "" if together else "; a pattern with {item} and {coder} tells files apart"
                    raise FormatError(source.path, None, f"item {named!r} has coder {who!r} in another file too{hint}")
                cells.setdefault(named, {})[who] = corpus[key]
    return Corpus(cells)


@contextmanager
def _collected(source: InputFile, excluded: list[FormatError] | None) -> Iterator[list[FormatError] | None]:
    """What is wrong with one file; of many complaints about the same file, the first few."""
    if excluded is None:
        yield None
        return
    mine: list[FormatError] = []
    try:
        yield mine
    except FormatError as problem:
        mine.append(problem)
    excluded += mine[:MAX_LISTED]
    if len(mine) > MAX_LISTED:
        excluded.append(FormatError(source.path, None, f"{len(mine) - MAX_LISTED} more problems"))


class _NameResolver:
    """Item and coder, where a file does not say them itself."""

    def __init__(self, naming: NamingScheme, found: Sequence[tuple[InputFile, Corpus]], together: bool) -> None:
        self.together = together
        self.shared, self.by_folder, self.by_suffix, plain = naming
        # The only tier of a file says what it holds ("IU"), not who made it; that is up to the file.
        self.tiers_by_file = together or all(len(one.coders) == 1 for _, one in found if holds_tiers(one))
        if not together and plain and not self.by_folder:
            uncertain = sum(self._by_file(*one) and one[1].item_names == (Path(one[0].path).stem,) for one in found)
            if uncertain > 1:
                warn(
                    f"{uncertain} files name no item and no coder: they are taken as coders of one item, {self.shared!r}; a "
                    "pattern such as '{item}_{coder}.csv' says otherwise"
                )

    def _by_file(self, source: InputFile, corpus: Corpus) -> bool:
        """Whether nothing but the file says who the coder is."""
        if corpus.coders == (Path(source.path).stem,):
            return True
        return self.tiers_by_file and source.item is None and holds_tiers(corpus) and len(corpus.coders) == 1

    def coder(self, source: InputFile, corpus: Corpus, own: str) -> str:
        path = Path(source.path)
        if source.coder is not None:
            if len(corpus.coders) > 1:
                raise FormatError(path, None, f"one coder is needed, {source.coder!r}; got {', '.join(corpus.coders)}")
            return source.coder
        if not self._by_file(source, corpus):
            return own
        if source.remainder is not None:
            return source.remainder or "1"
        if self.by_folder:
            return path.absolute().parent.name
        return path.name if self.by_suffix else path.stem

    def item(self, source: InputFile, corpus: Corpus, own: str) -> str:
        named = corpus.item_names != (Path(source.path).stem,)
        if source.item is not None:
            return f"{source.item}/{own}" if named else source.item
        if named or self.by_folder:
            return own
        if source.remainder is not None:
            return source.remainder or self.shared
        return self.shared if self.together or self._by_file(source, corpus) else own


def _beginning(names: Sequence[str]) -> str:
    """What names have in common up to a separator: ``t001`` for ``t001_ann`` and ``t001_anna``."""
    parts = zip(*(re.split(r"([ _.-]+)", name) for name in names), strict=False)
    common = ""
    for first, *others in parts:
        if any(other != first for other in others):
            break
        common += first
    return common.rstrip(" _-.")


def list_files(files: Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]]) -> list[InputFile]:
    """Files that the caller lists, each the work of one coder, who may be named."""
    if isinstance(files, (str, PathLike)):
        raise OptionError(f"files must be a mapping from coders to files, or a list of files; got {fspath(files)!r}")
    if isinstance(files, Mapping):
        return [InputFile(fspath(path), coder=coder) for coder, path in files.items()]
    return [InputFile(fspath(path)) for path in files]
