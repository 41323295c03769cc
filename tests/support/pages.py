"""Pages of documentation, block by block, and how each block is run.

Every fenced block is run, is data that is read, or says in a comment above it why not:

    python      a doctest; the blocks of a page share their names
    sh          a line a command, each beginning with ``caesura``; each must succeed
    console     the same after ``$ ``, followed by what it prints
    json, toml  must parse
    text        a drawing, looked at by people only

``<!-- not run: why -->`` stands above a block of any other kind, or one that cannot be run here. ``<!-- data: oracles/nccu.jsonl -->``
says that what follows needs these files or folders of test data, ``<!-- needs: segeval nltk -->`` that it needs these
libraries; without them the page is run up to there. A page runs in a folder of its own, with the files of examples/data in it.
"""

from __future__ import annotations

import doctest
import json
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from click.testing import CliRunner

from caesura.cli import main

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$")
_COMMENT = re.compile(r"^<!-- (not run|data|needs): (.+) -->$")
_EXAMPLE = re.compile(r"^\s*(>>>|\$ caesura\b)")
# What Sphinx itself makes of the page; it fails on what it cannot make.
_DIRECTIVES = ("{toctree}", "{eval-rst}")


class PageError(AssertionError):
    """A block that would escape, or that does not do what the page says."""


@dataclass(frozen=True)
class Block:
    """A fenced block. ``line`` is that of its first line, from 0."""

    language: str
    text: str
    line: int
    why_not: str | None = None


@dataclass(frozen=True)
class Need:
    """From here on the page needs files or folders of test data (``data``), or libraries (``needs``)."""

    kind: str
    what: str


def parts(page: str, name: str) -> Iterator[Block | Need]:
    """Blocks and needs in their order; an error for what nobody would run."""
    why_not = None
    lines = iter(enumerate(page.splitlines()))
    for number, line in lines:
        if comment := _COMMENT.match(line):
            if comment[1] == "not run":
                why_not = comment[2]
            else:
                yield Need(comment[1], comment[2])
        elif fence := _FENCE.match(line):
            inside = []
            for _, content in lines:
                if content.strip() == fence[2]:
                    break
                inside.append(content)
            else:
                raise PageError(f"{name}:{number + 1}: a fenced block must end; this one does not")
            yield Block(fence[3], textwrap.dedent("\n".join(inside)) + "\n", number + 1, why_not)
            why_not = None
        elif _EXAMPLE.match(line):
            raise PageError(f"{name}:{number + 1}: an example must stand in a fenced block; got {line.strip()!r}")
        elif why_not and line.strip():
            raise PageError(f"{name}:{number + 1}: a block must follow 'not run'; got {line!r}")


class Run:
    """One page being run: the names that its Python blocks share."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.examples = 0

    def __call__(self, block: Block) -> None:
        """Run a block, or say what is wrong with it."""
        if block.why_not is not None or block.language in _DIRECTIVES:
            return
        ways = {
            "python": self._python,
            "sh": self._sh,
            "console": self._console,
            "json": lambda block: json.loads(block.text),
            "toml": lambda block: tomllib.loads(block.text),
            "text": self._text,
        }
        if block.language not in ways:
            self._fail(block, f"a block must be {', '.join(ways)}; got {block.language!r}")
        ways[block.language](block)

    def _fail(self, block: Block, why: str) -> NoReturn:
        raise PageError(f"{self.name}:{block.line}: {why}")

    def _python(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, self.name, self.name, block.line)
        if not test.examples:
            self._fail(block, "a python block must hold examples that begin with >>>; it holds none")
        report: list[str] = []
        failed, attempted = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
        self.names = test.globs
        self.examples += attempted
        if failed:
            raise PageError("".join(report))

    def _sh(self, block: Block) -> None:
        for line in block.text.replace("\\\n", " ").splitlines():
            if words := shlex.split(line, comments=True):
                self._command(block, words)

    def _console(self, block: Block) -> None:
        commands = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        if commands[0].strip() or len(commands) == 1:
            self._fail(block, "a console block must begin with '$ caesura'")
        for command in commands[1:]:
            line, _, expected = command.partition("\n")
            output = self._command(block, shlex.split(line, comments=True))
            if plain(output) != plain(expected):
                self._fail(block, f"{line} must print\n{plain(expected)}\nand prints\n{plain(output)}")

    def _command(self, block: Block, words: list[str]) -> str:
        if words[:1] != ["caesura"]:
            self._fail(
                block, f"only caesura is run here; got {shlex.join(words)!r}. Say why with <!-- not run: ... -->"
            )
        result = CliRunner().invoke(main, words[1:], prog_name="caesura")
        if result.exit_code != 0:
            self._fail(block, f"{shlex.join(words)} ends with {result.exit_code}: {result.output}")
        self.examples += 1
        return result.stdout

    def _text(self, block: Block) -> None:
        if re.search(_EXAMPLE.pattern, block.text, re.MULTILINE):
            self._fail(block, "an example must not hide in a text block")


def plain(text: str) -> str:
    """Without the blanks at the ends of lines that tables have, and without blank lines around."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")
