"""Trees in Penn Treebank brackets: ``(S (NP (PRP He)) (VP (VBD slept)))``.

Most files have one sentence per line, as EVALB expects; others spread a tree over several indented lines. By default, each line
is a sentence if the first line closes all its brackets and no line is indented more than the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import cast

from caesura.errors import FormatError, OptionError, TreeError
from caesura.formats import ctm, textgrid
from caesura.formats.content import decode, load
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.timed import WordTimes
from caesura.model.corpus import Corpus
from caesura.model.tree import Tree
from caesura.notices import warn
from caesura.options import Option, choice

_COMMENTS = ("#", "%", ";", "*x*")
_BRACKET = re.compile("[()]")


def _read(reading: Reading) -> Corpus:
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
    """Return the trees of a bracket file in order, with None for each sentence without a parse.

    Parameters
    ----------
    path : str or path-like
        Bracket file.
    times : str or path-like, optional
        CTM or TextGrid file with the times of the words.
    tier : str, optional
        Name of the interval tier with the words in a TextGrid. Not needed if the file has only one.
    snap : float, default 1e-4
        If two words overlap by this many seconds or less, the first ends and the second begins in the middle of the
        overlap. A warning gives the number of such overlaps.
    zero_length : str, default "error"
        How to treat words without a duration; see :meth:`~caesura.Tree.with_times`.
    layout : {"lines", "brackets"}, optional
        Whether each line is a sentence; by default detected.
    excluded : list of FormatError, optional
        List to which the errors of single sentences are appended; these sentences are None in the result. Without a
        list, the first error is raised.

    Returns
    -------
    list of Tree or None
        One entry per sentence.

    Raises
    ------
    FormatError
        If a tree is not valid, or the times do not fit the trees.

    Notes
    -----
    The first column of a CTM is the number or the name of the sentence. Names are matched to the trees in order. In a
    TextGrid, the tier contains the words of all trees, from the first tree to the last.
    """
    options = FORMAT.resolve({"layout": layout})
    reading = Reading(fspath(path), decode(path, load(path)), None, excluded, options)
    trees = list(_sentences(reading))
    if times is None:
        return trees
    recordings, moved = _word_times(times, tier, snap)
    if moved:
        overlaps = "1 overlap" if moved == 1 else f"{moved} overlaps"
        warn(f"{fspath(times)}: {overlaps} of words by {snap:g} s or less moved to the middle")
    timing = Reading(fspath(times), "", None, excluded)
    words = _by_sentence(timing, recordings, trees)
    return [_with_times(timing, i, tree, words.get(i), zero_length) for i, tree in enumerate(trees, 1)]


def _is_textgrid(path: str | PathLike[str]) -> bool:
    return Path(path).suffix.lower() in textgrid.FORMAT.suffixes


def _word_times(path: str | PathLike[str], tier: str | None, snap: float) -> tuple[dict[str, WordTimes], int]:
    if _is_textgrid(path):
        return textgrid.word_times(path, tier, snap=snap)
    if tier is not None:
        raise OptionError(f"tier names a tier of a .TextGrid; {fspath(path)} is read as CTM")
    return ctm.word_times(path, snap=snap)


def _by_sentence(timing: Reading, recordings: dict[str, WordTimes], trees: list[Tree | None]) -> dict[int, WordTimes]:
    lengths = {number: tree.length for number, tree in enumerate(trees, 1) if tree is not None}
    if _is_textgrid(timing.path):
        (words,) = recordings.values()  # of all sentences
        expected = sum(lengths.values())
        if len(words) != expected:
            problem = f"the trees have {expected} words, this has {len(words)}"
            raise timing.error(None, f"expected one time per word; {problem}")
        remaining = iter(words)
        return {number: list(islice(remaining, length)) for number, length in lengths.items()}
    if all(name.isascii() and name.isdecimal() for name in recordings):
        for name in recordings:
            if not 1 <= int(name) <= len(trees):
                raise timing.error(None, f"sentence {int(name)} has times, but there are {len(trees)} trees")
        return {int(name): words for name, words in recordings.items()}
    if len(recordings) != len(lengths):
        raise timing.error(None, f"expected times for {len(lengths)} trees; there are times for {len(recordings)}")
    return dict(zip(lengths, recordings.values(), strict=True))


def _with_times(
    timing: Reading, number: int, tree: Tree | None, words: WordTimes | None, zero_length: str
) -> Tree | None:
    if tree is not None:
        with timing.item(None, f"sentence {number}: "):
            if words is None:
                raise TreeError("the sentence has no times")
            return tree.with_times([(start, end) for _, start, end in words], zero_length=zero_length)
    return None


def _sentences(reading: Reading) -> Iterator[Tree | None]:
    layout = reading.options["layout"]
    content = reading.text.replace("\r\n", "\n").replace("\r", "\n")
    by_line = _is_by_line(content) if layout is None else layout == "lines"
    for line, text in _lines(content) if by_line else _brackets(content):
        tree = None
        with reading.item(line):
            try:
                tree = Tree.from_brackets(text) if text.strip() else None
            except TreeError as error:
                number = line + (error.line or 1) - 1
                raise reading.error(number, f"column {error.column}: {error.problem}") from None
        yield tree


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENTS)


def _is_by_line(text: str) -> bool:
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


def _brackets(text: str) -> Iterator[tuple[int, str]]:
    depth = first = 0
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not depth:
            if not line.strip() or _is_comment(line):
                continue
            first, lines = number, []
        ends, depth = _outermost_ends(line, depth)
        start = 0
        for end in ends:
            # Replace the preceding text by spaces, so that column numbers match the file.
            yield first, "\n".join([*lines, " " * start + line[start:end]])
            first, lines, start = number, [], end
        lines.append(" " * start + line[start:])
        if not depth and lines[-1].strip():
            yield first, "\n".join(lines)
    if depth:
        yield first, "\n".join(lines)


def _outermost_ends(line: str, depth: int) -> tuple[list[int], int]:
    ends = []
    for match in _BRACKET.finditer(line):
        depth = depth + 1 if match.group() == "(" else max(depth - 1, 0)
        if not depth:
            ends.append(match.end())
    return ends, depth


def _write(writing: Writing) -> str:
    """Return one line per sentence, empty if it has no tree. The corpus must have one coder and no times."""
    coder = writing.only_coder()
    lines: list[str] = []
    for item in writing.corpus.item_names:
        if not item.isdecimal() or not item.isascii() or str(int(item)) != item or int(item) <= len(lines):
            raise writing.error("sentences must be numbered 1, 2, 3 ... in ascending order", item)
        lines += [""] * (int(item) - 1 - len(lines))
        lines.append(_tree_text(writing, item, coder))
    return "\n".join(lines) + "\n"


def _tree_text(writing: Writing, item: str, coder: str) -> str:
    tree = cast(Tree, writing.corpus[item, coder])
    if tree.times is not None:
        raise writing.error("brackets cannot contain times; write tree.with_times(None)", item)
    labels = [("label", label, not tree.preterminal[i]) for i, label in enumerate(tree.labels)]
    for kind, text, may_be_empty in [*labels, *(("word", word, False) for word in tree.words)]:
        if (not text and not may_be_empty) or any(character in text for character in "() \t\n\r\v\f"):
            raise writing.error(
                f"a {kind} must not be empty or have blanks or brackets (-LRB-); got {text[:40]!r}", item
            )
    return tree.brackets


def _looks_like(text: str) -> bool:
    lines = (line for line in text.split("\n", 200) if line.strip() and not _is_comment(line))
    return next(lines, "").lstrip().startswith("(")


FORMAT = Format(
    name="ptb",
    suffixes=(".ptb", ".mrg", ".prd", ".gld", ".tst"),
    description="trees in the brackets of the Penn Treebank",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    names_from_file=("coder",),
    options=(
        Option("layout", None, choice("lines", "brackets"), "one sentence per line or per bracket (default: detected)"),
    ),
    annotation_types=(Tree,),
)
