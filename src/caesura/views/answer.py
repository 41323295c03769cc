"""The output of a command: sentences that answer its question, a main table, and everything else that can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from caesura.errors import OptionConflictError
from caesura.views.table import Block, Table


@dataclass(frozen=True)
class Section:
    """A table or a drawing with a name."""

    name: str  # name for ``--table`` and for the file in ``--output``
    # A table; or a drawing, which only a terminal shows; or a function that returns one of them when it is needed.
    block: Block | Callable[[], Block]
    shown: bool = False  # whether an option asked for this section, so that it is printed after the main table
    drawing: bool = False  # whether ``block`` is a function that returns a drawing
    # Function that returns the beginning of a long table, with a note about what it leaves out, for a terminal.
    excerpt: Callable[[], Block] | None = None

    @property
    def is_drawing(self) -> bool:
        return self.drawing or isinstance(self.block, str)

    def build(self) -> Block:
        return self.block() if callable(self.block) else self.block


@dataclass(frozen=True)
class Answer:
    text: str  # one to three sentences that answer the question of the command
    sections: tuple[Section, ...] = ()  # the main table, then everything else that can be had
    more: tuple[str, ...] = ()  # options that the last line names, with what they do

    def blocks(self, *, details: bool = False) -> list[Block]:
        """Return what a terminal shows: the main table, and the sections that options asked for."""
        chosen = [section for i, section in enumerate(self.sections) if i == 0 or details or section.shown]
        return [section.build() if section.excerpt is None else section.excerpt() for section in chosen]

    def tables(self) -> dict[str, Table]:
        built = {section.name: section.build() for section in self.sections if not section.is_drawing}
        return {name: block for name, block in built.items() if isinstance(block, Table)}

    def table(self, name: str | None = None) -> Table:
        for section in self.sections:
            if name in (None, section.name) and not section.is_drawing:
                block = section.build()
                if isinstance(block, Table):
                    return block
        if name is None:
            raise OptionConflictError("this command has no table; use --json")
        names = ", ".join(section.name for section in self.sections if not section.is_drawing)
        raise OptionConflictError(f"--table: there is no table {name!r}; the tables are {names}")

    def last_line(self, *, details: bool = False) -> str:
        hidden = [section for i, section in enumerate(self.sections) if i and not section.shown]
        tables = [section.name for section in hidden if not section.is_drawing]
        choices = f", or --table with one of {', '.join(tables)}" if tables else ""
        entries = [*([f"--details{choices}"] if hidden and not details else []), *self.more]
        return f"More: {'; '.join(entries)}." if entries else ""
