"""Brackets as in the Penn Treebank: ``(S (NP (PRP He)) (VP (VBD slept)))``.

The file is one coder, named by the file, and its sentences are items 1, 2, 3 ..., so that two files go together sentence
by sentence. Most files have a sentence a line, as EVALB wants them: then an empty line is a sentence without a parse, and
a line may hold several roots. Others spread a tree over lines and indent what is inside; there a sentence is what a
bracket at the outermost level encloses, and empty lines mean nothing. ``layout`` says which; by default the file is read
line by line if its first line closes all its brackets and no line is indented more than the first.

Between trees, lines that begin with ``#``, ``%``, ``;`` or ``*x*`` are comments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraWarning, FormatError, OptionError, TreeError
from caesura.formats import ctm, textgrid
from caesura.formats.format import Format, Reading, decode, load
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.tree import Tree
from caesura.options import Option

__all__ = ["FORMAT", "read_trees"]

_COMMENTS = ("#", "%", ";", "*x*")
_LAYOUTS = ("lines", "brackets")


def read(reading: Reading) -> Corpus:
    """A tree for each sentence that has one."""
    for number, tree in enumerate(_sentences(reading), 1):
        if tree is not None:
            reading.add(str(number), reading.stem, tree)
    return reading.corpus()


def read_trees(
    path: str | PathLike[str],
    *,
    times: str | PathLike[str] | None = None,
    tier: str | None = None,
    snap: float = 1e-4,
    zero_length: str = "error",
    layout: str | None = None,
    excluded: list[FormatError] | None = None,
) -> list[Tree | None]:
    """The trees of a file, in order; None for a sentence without a parse.

    ``times`` is a file with the times of their words. In a CTM the first column is the sentence: its number, or any name,
    and then names go with the trees in order. In a TextGrid the words of the interval tier ``tier`` (the only one, if it
    is not named) go through all trees from the first to the last. Neighbours that overlap by ``snap`` seconds or less meet
    in the middle, with a warning that says how many. ``zero_length`` is that of :meth:`~caesura.Tree.with_times`.

    Given a list as ``problems``, sentences that cannot be are reported there, and are None too.
    """
    options = FORMAT.resolve({"layout": layout})
    reading = Reading(fspath(path), decode(path, load(path)), None, excluded, options)
    trees = list(_sentences(reading))
    if times is None:
        return trees
    given, moved = _word_times(times, tier, snap)
    if moved:
        said = "1 overlap" if moved == 1 else f"{moved} overlaps"
        warnings.warn(
            f"{fspath(times)}: {said} of words by {snap:g} s or less moved to the middle", CaesuraWarning, stacklevel=2
        )
    timing = Reading(fspath(times), "", None, excluded)
    rows = _by_sentence(timing, given, trees)
    return [_timed(timing, number, tree, rows.get(number), zero_length) for number, tree in enumerate(trees, 1)]


Words = list[tuple[str, float, float]]


def _is_textgrid(path: str | PathLike[str]) -> bool:
    """All sentences in one recording; in a CTM each has a name."""
    return Path(path).suffix.lower() in textgrid.FORMAT.suffixes


def _word_times(path: str | PathLike[str], tier: str | None, snap: float) -> tuple[dict[str, Words], int]:
    if _is_textgrid(path):
        return textgrid.word_times(path, tier, snap=snap)
    if tier is not None:
        raise OptionError(f"tier names a tier of a .TextGrid; {fspath(path)} is read as CTM")
    return ctm.word_times(path, snap=snap)


def _by_sentence(timing: Reading, given: dict[str, Words], trees: list[Tree | None]) -> dict[int, Words]:
    """Number of a sentence -> its words."""
    there = [number for number, tree in enumerate(trees, 1) if tree is not None]
    if _is_textgrid(timing.path):
        (words,) = given.values()
        wanted = sum(tree.length for tree in trees if tree is not None)
        if len(words) != wanted:
            raise timing.error(None, f"a time a word is needed; the trees have {wanted} words, this has {len(words)}")
        rows, at = {}, 0
        for number in there:
            length = trees[number - 1].length  # type: ignore[union-attr]
            rows[number] = words[at : at + length]
            at += length
        return rows
    if all(name.isascii() and name.isdecimal() for name in given):
        numbered = {int(name): words for name, words in given.items()}
        strange = next((number for number in numbered if not 1 <= number <= len(trees)), None)
        if strange is not None:
            raise timing.error(None, f"sentence {strange} has times, but there are {len(trees)} trees")
        return numbered
    if len(given) != len(there):
        raise timing.error(
            None, f"times for each sentence are needed; there are {len(there)} trees, and times for {len(given)}"
        )
    return dict(zip(there, given.values(), strict=True))


def _timed(timing: Reading, number: int, tree: Tree | None, words: Words | None, zero_length: str) -> Tree | None:
    if tree is None:
        return None
    made = None
    with timing.item(None, f"sentence {number}: "):
        if words is None:
            raise TreeError("there are no times for it")
        made = tree.with_times([(start, end) for _, start, end in words], zero_length=zero_length)
    return made


def _sentences(reading: Reading) -> Iterator[Tree | None]:
    layout = reading.options["layout"]
    by_line = _by_line(reading.text) if layout is None else layout == "lines"
    for line, text in _lines(reading.text) if by_line else _brackets(reading):
        tree = None
        with reading.item(line):
            try:
                tree = Tree.from_brackets(text) if text.strip() else None
            except TreeError as problem:
                at = line + (problem.line or 1) - 1
                raise reading.error(at, f"column {problem.column}: {problem.problem}") from None
        yield tree


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENTS)


def _by_line(text: str) -> bool:
    """Whether each line is a sentence."""
    lines = [line for line in text.split("\n") if line.strip() and not _is_comment(line)]
    if not lines:
        return True
    indent = _indent(lines[0])
    return lines[0].count("(") == lines[0].count(")") and all(_indent(line) <= indent for line in lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.rstrip().split("\n"), 1):
        if not _is_comment(line):
            yield number, line


def _brackets(reading: Reading) -> Iterator[tuple[int, str]]:
    """Line and text of each bracket at the outermost level."""
    depth = 0
    first = 0
    held: list[str] = []
    for number, line in enumerate(reading.text.split("\n"), 1):
        if not depth:
            if not line.strip() or _is_comment(line):
                continue
            first, held = number, []
        begins = 0
        for at, character in enumerate(line) if "(" in line or ")" in line else ():
            if character == "(":
                depth += 1
            elif character == ")":
                depth = max(depth - 1, 0)
                if not depth:
                    # Spaces in place of what stood before, so that columns are those of the file.
                    yield first, "\n".join([*held, " " * begins + line[begins : at + 1]])
                    first, held, begins = number, [], at + 1
        held.append(" " * begins + line[begins:])
        if not depth and held[-1].strip():
            yield first, "\n".join(held)
    if depth:
        yield first, "\n".join(held)


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """A sentence a line, an empty line where there is none. One coder only, and no times."""
    if len(corpus.coders) != 1:
        raise FormatError(path, None, f"brackets hold one coder; choose one of {', '.join(corpus.coders)}")
    (coder,) = corpus.coders
    if coder != Path(path).stem:
        raise FormatError(path, None, f"brackets name the coder by the file; write coder {coder!r} to {coder}.ptb")
    lines: list[str] = []
    for item in corpus.item_names:
        if not item.isdecimal() or not item.isascii() or str(int(item)) != item or int(item) <= len(lines):
            raise FormatError(path, None, f"item {item!r}: sentences are numbered 1, 2, 3 ... and stand in order")
        lines += [""] * (int(item) - 1 - len(lines))
        lines.append(_written(corpus[item, coder], path, item))
    return "\n".join(lines) + "\n"


def _written(tree: Annotation, path: str, item: str) -> str:
    assert isinstance(tree, Tree)
    if tree.times is not None:
        raise FormatError(path, None, f"item {item!r}: brackets hold no times; write tree.with_times(None)")
    leaf = tree.preterminal
    texts = [("label", name, not leaf[i]) for i, name in enumerate(tree.labels)]
    for what, text, may_be_empty in [*texts, *(("word", word, False) for word in tree.words)]:
        if (not text and not may_be_empty) or any(c in text for c in "() \t\n\r\v\f"):
            raise FormatError(
                path,
                None,
                f"item {item!r}: a {what} cannot be empty or hold blanks or brackets (-LRB-); got {text[:40]!r}",
            )
    return tree.brackets


def _looks_like(text: str) -> bool:
    lines = (line for line in text.split("\n", 200) if line.strip() and not _is_comment(line))
    return next(lines, "").lstrip().startswith("(")


def _layout(name: str, value: Any) -> str:
    if value not in _LAYOUTS:
        raise OptionError(f"{name} must be one of {', '.join(_LAYOUTS)}; got {value!r}")
    return str(value)


FORMAT = Format(
    name="ptb",
    suffixes=(".ptb", ".mrg", ".prd", ".gld", ".tst"),
    description="trees in the brackets of the Penn Treebank",
    read=read,
    looks_like=_looks_like,
    write=write,
    names_from_file=("coder",),
    options=(Option("layout", None, _layout, "'lines' for a sentence a line, 'brackets' for trees over several"),),
    annotation_types=(Tree,),
)
