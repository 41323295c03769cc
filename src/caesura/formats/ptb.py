"""Brackets as in the Penn Treebank: ``(S (NP (PRP He)) (VP (VBD slept)))``.

The file is one coder, named by the file, and its sentences are items 1, 2, 3 ..., so that two files go together sentence
by sentence. Most files have a sentence a line, as EVALB wants them: then an empty line is a sentence without a parse, and
a line may hold several roots. Others spread a tree over lines and indent what is inside; there a sentence is what a
bracket at the outermost level encloses, and empty lines mean nothing. ``layout`` says which; by default the file is read
line by line if its first line closes all its brackets and no line is indented more than the first.

Between trees, lines that begin with ``#``, ``%``, ``;`` or ``*x*`` are comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionError, TreeError
from caesura.formats.format import Format, Option, Problems, Reading, decode, load
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.tree import Tree

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
    path: str | PathLike[str], *, layout: str | None = None, problems: Problems | None = None
) -> list[Tree | None]:
    """The trees of a file, in order; None for a sentence without a parse.

    Given a list as ``problems``, sentences that cannot be are reported there, and are None too.
    """
    options = FORMAT.resolve({"layout": layout})
    reading = Reading(fspath(path), decode(path, load(path)), None, problems, options)
    return list(_sentences(reading))


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
    for item in corpus.items:
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
    says="trees in the brackets of the Penn Treebank",
    read=read,
    looks_like=_looks_like,
    write=write,
    stem="coder",
    options=(Option("layout", None, _layout, "'lines' for a sentence a line, 'brackets' for trees over several"),),
    holds=(Tree,),
)
