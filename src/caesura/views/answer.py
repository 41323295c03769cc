"""The output of a command: sentences that answer its question, a main table, and everything else that can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from caesura.errors import OptionConflictError
from caesura.limits import MAX_PRINTED_ROWS
from caesura.views.table import Block, Table


@dataclass(frozen=True)
class Section:
    """A table or a drawing with a name.

    Parameters
    ----------
    name : str
        Name for ``--table`` and for the file in ``--output``.
    block : Table, str or callable
        A table; or a drawing, which only a terminal shows; or a function that returns one of them when it is needed.
    shown : bool, default False
        Whether an option asked for this section, so that it is printed after the main table.
    drawing : bool, default False
        Whether ``block`` is a function that returns a drawing.
    """

    name: str
    block: Block | Callable[[], Block]
    shown: bool = False
    drawing: bool = False

    @property
    def is_drawing(self) -> bool:
        """Whether the section is a drawing, not a table."""
        return self.drawing or isinstance(self.block, str)

    def build(self) -> Block:
        """Return the table or drawing.

        Returns
        -------
        Table or str
            The content of the section.
        """
        return self.block() if callable(self.block) else self.block


def _first_rows(section: Section) -> Block:
    """Return the table or drawing of a section; a long table with its first rows only, and with a note."""
    block = section.build()
    if not isinstance(block, Table) or len(block.rows) <= MAX_PRINTED_ROWS or block.limit is not None:
        return block
    return replace(block, limit=MAX_PRINTED_ROWS, notes=(f"--table {section.name} prints all", *block.notes))


@dataclass(frozen=True)
class Answer:
    """The output of a command.

    Parameters
    ----------
    text : str
        One to three sentences that answer the question of the command.
    sections : tuple of Section, optional
        The main table, then everything else that can be had.
    more : tuple of str, optional
        Options that the last line names, with what they do.
    """

    text: str
    sections: tuple[Section, ...] = ()
    more: tuple[str, ...] = ()

    def blocks(self, *, details: bool = False) -> list[Block]:
        """Return what a terminal shows: the main table, and the sections that options asked for.

        Parameters
        ----------
        details : bool, default False
            Whether to show every section.

        Returns
        -------
        list of Table or str
            Tables and drawings. A terminal shows the first rows of a long table.
        """
        chosen = [section for i, section in enumerate(self.sections) if i == 0 or details or section.shown]
        return [chosen[0].build(), *map(_first_rows, chosen[1:])] if chosen else []

    def tables(self) -> dict[str, Table]:
        """Return all tables by name.

        Returns
        -------
        dict of str to Table
            Name -> table, the main table first.
        """
        built = {section.name: section.build() for section in self.sections if not section.is_drawing}
        return {name: block for name, block in built.items() if isinstance(block, Table)}

    def table(self, name: str | None = None) -> Table:
        """Return one table.

        Parameters
        ----------
        name : str, optional
            Name of the table (default: the main table).

        Returns
        -------
        Table
            The table.

        Raises
        ------
        OptionConflictError
            If there is no such table.
        """
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
        """Return the line about what else can be had.

        Parameters
        ----------
        details : bool, default False
            Whether every section was shown.

        Returns
        -------
        str
            The line; empty if there is nothing else.
        """
        hidden = [section for i, section in enumerate(self.sections) if i and not section.shown]
        tables = [section.name for section in hidden if not section.is_drawing]
        choices = f", or --table with one of {', '.join(tables)}" if tables else ""
        entries = [*([f"--details{choices}"] if hidden and not details else []), *self.more]
        return f"More: {'; '.join(entries)}." if entries else ""
