"""Run the fenced blocks of a page of documentation.

The language of a block says how it is tested:

    python      a doctest; the blocks of a page share their variables
    sh          one command per line, which begins with ``caesura`` and must succeed
    console     commands after ``$ ``, each followed by its output; a line ``...`` stands for any lines, and a command that
                ends with ``# exit code 1`` must fail so
    json, toml  must parse
    text        a drawing for readers; not tested

Put ``<!-- not run: reason -->`` above a block in any other language, and above a block that cannot run here. If the rest of a
page needs files or folders of test data, write ``<!-- data: oracles/nccu.jsonl -->``. If it needs libraries, write
``<!-- needs: segeval nltk -->``. Without them, the test stops there and is skipped. Each page runs in its own folder, which
has the files of examples/data; that of docs/tutorials/NAME.md has those of examples/NAME.
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
_EXIT_CODE = re.compile(r"#.*\bexit code (\d+)$")
_EXAMPLE = re.compile(r"^\s*(>>>|\$ caesura\b)")
# Sphinx processes these directives, and fails on invalid ones.
_DIRECTIVES = ("{toctree}", "{eval-rst}", "{figure}")


class PageError(AssertionError):
    """Raised when a block fails, or when no rule says how to test it."""


@dataclass(frozen=True)
class Block:
    """A fenced block. ``line`` is the number of its first line, from 0."""

    language: str
    text: str
    line: int
    skip_reason: str | None = None


@dataclass(frozen=True)
class Requirement:
    """The rest of the page needs files or folders of test data (kind ``data``) or libraries (kind ``needs``)."""

    kind: str
    names: tuple[str, ...]


def parse_page(page: str, name: str) -> Iterator[Block | Requirement]:
    """Yield blocks and requirements in their order; raise PageError for examples that no test would run."""
    skip_reason = None
    lines = iter(enumerate(page.splitlines()))
    for number, line in lines:
        if comment := _COMMENT.match(line):
            if comment[1] == "not run":
                skip_reason = comment[2]
            else:
                yield Requirement(comment[1], tuple(comment[2].split()))
        elif fence := _FENCE.match(line):
            block_lines = []
            for _, content in lines:
                if content.strip() == fence[2]:
                    break
                block_lines.append(content)
            else:
                raise PageError(f"{name}:{number + 1}: the fenced block has no end; close it")
            yield Block(fence[3], textwrap.dedent("\n".join(block_lines)) + "\n", number + 1, skip_reason)
            skip_reason = None
        elif _EXAMPLE.match(line):
            raise PageError(f"{name}:{number + 1}: put this example into a fenced block: {line.strip()!r}")
        elif skip_reason and line.strip():
            raise PageError(f"{name}:{number + 1}: expected a block after 'not run'; got {line!r}")


class PageRunner:
    """Runs the blocks of one page, whose Python blocks share their variables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.variables: dict[str, Any] = {"__name__": "__main__"}
        self.examples = 0

    def __call__(self, block: Block) -> None:
        """Run a block; raise PageError if it fails."""
        if block.skip_reason is not None or block.language.startswith(_DIRECTIVES):
            return
        runners = {
            "python": self._python,
            "sh": self._sh,
            "console": self._console,
            "json": lambda block: json.loads(block.text),
            "toml": lambda block: tomllib.loads(block.text),
            "text": self._text,
        }
        if block.language not in runners:
            self._fail(block, f"the language of a block must be {', '.join(runners)}; got {block.language!r}")
        runners[block.language](block)

    def _fail(self, block: Block, reason: str) -> NoReturn:
        raise PageError(f"{self.name}:{block.line}: {reason}")

    def _python(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.variables, self.name, self.name, block.line)
        if not test.examples:
            self._fail(block, "a python block must have examples that begin with >>>")
        report: list[str] = []
        failed, attempted = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
        self.variables = test.globs
        self.examples += attempted
        if failed:
            raise PageError("".join(report))

    def _sh(self, block: Block) -> None:
        for line in block.text.replace("\\\n", " ").splitlines():
            if arguments := shlex.split(line, comments=True):
                self._command(block, arguments)

    def _console(self, block: Block) -> None:
        commands = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        if commands[0].strip() or len(commands) == 1:
            self._fail(block, "a console block must begin with '$ caesura'")
        for command in commands[1:]:
            line, _, expected = command.partition("\n")
            while line.endswith("\\"):
                rest, _, expected = expected.partition("\n")
                line = line[:-1] + rest
            exit_code = _EXIT_CODE.search(line)
            output = self._command(block, shlex.split(line, comments=True), int(exit_code[1]) if exit_code else 0)
            if not matches(normalize(output), normalize(expected)):
                self._fail(block, f"{line} should print\n{normalize(expected)}\nbut prints\n{normalize(output)}")

    def _command(self, block: Block, arguments: list[str], exit_code: int = 0) -> str:
        if arguments[:1] != ["caesura"]:
            command = shlex.join(arguments)
            self._fail(block, f"only caesura can run here; got {command!r}. Give the reason in <!-- not run: ... -->")
        result = CliRunner().invoke(main, arguments[1:], prog_name="caesura")
        if result.exit_code != exit_code:
            self._fail(block, f"{shlex.join(arguments)} ends with exit code {result.exit_code}: {result.output}")
        self.examples += 1
        return result.stdout

    def _text(self, block: Block) -> None:
        if re.search(_EXAMPLE.pattern, block.text, re.MULTILINE):
            self._fail(block, "a text block must not contain an example")


def normalize(text: str) -> str:
    """Return the text without trailing spaces, and without blank lines at its ends."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")


def matches(output: str, expected: str) -> bool:
    """Say whether the output is the expected text, in which a line of three dots stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in expected.splitlines())
    return re.fullmatch(pattern, output + "\n" if output else "") is not None
