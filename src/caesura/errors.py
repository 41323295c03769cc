"""All exceptions of the package.

::

    CaesuraError
    ├── InputError (ValueError)      a value is invalid
    │   ├── SegmentationError        a segmentation is invalid
    │   ├── HierarchyError           a hierarchy is invalid
    │   ├── TierError                a tier is invalid, or does not fit on the chosen units
    │   ├── SpansError               spans are invalid, or cannot be compared as asked
    │   ├── ScoresError              boundary scores are invalid
    │   ├── TreeError                a tree is invalid; has .line and .column if it was read from brackets
    │   ├── MismatchError            two annotations cannot be compared
    │   ├── OptionError              a measure, option, preset or coder does not exist, or has an invalid value
    │   │   └── OptionConflictError  options contradict each other, independently of the data
    │   ├── LimitError               the work would be too large, or the numbers are out of range
    │   ├── ResourceError            the input needs more memory, depth or larger numbers than there are
    │   └── Undefined                the number is not defined for this data
    ├── FormatError (ValueError)     a file cannot be read or written; has .path and .line
    │   └── AmbiguousFileError       a file can be read in several ways
    ├── EngineError                  workers cannot be reached, died, or have a different version
    ├── ConflictError                somebody else decided or changed something meanwhile
    ├── CheckpointError              a checkpoint belongs to a different run, or cannot be written
    └── TooManyStates (ValueError)   exact chance agreement needs more states than allowed; use random draws

Each message states the place, the problem, the expected value and, if possible, a solution. ``CaesuraWarning`` is the
category of all warnings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from os import PathLike, fspath
from typing import Any

MAX_PROBLEM = 3000
"""Characters of the description of a problem with a file; of a longer one, the beginning and the end are shown."""


RESOURCE_ERRORS = (MemoryError, RecursionError, OverflowError)
"""Errors of Python that a large or hostile input causes; :func:`own_errors` turns them into a ``ResourceError``."""


class CaesuraError(Exception):
    """Base class: ``except CaesuraError`` catches every exception that this package raises on purpose."""


class InputError(CaesuraError, ValueError):
    """Raised when a value is invalid."""


class SegmentationError(InputError):
    """Raised when a segmentation is invalid: a mass of zero, an unsorted position, an undeclared type."""


class HierarchyError(InputError):
    """Raised when a hierarchy is invalid: spans that cross, a span outside the text, levels that contradict nesting."""


class TierError(InputError):
    """Raised when a tier is invalid (intervals that overlap) or does not fit on the chosen units."""


class SpansError(InputError):
    """Raised when spans are invalid (an end before its start) or a coefficient cannot compare them."""


class ScoresError(InputError):
    """Raised when boundary scores are invalid: a score that is missing or not finite, times that do not ascend."""


class TreeError(InputError):
    """Raised when a tree is invalid: brackets that do not match, a word beside a bracket, times that do not ascend.

    Parameters
    ----------
    problem : str
        Description of the problem.
    line, column : int, optional
        Position of the error, counted from 1, if the tree was read from brackets.
    """

    def __init__(self, problem: str, line: int | None = None, column: int | None = None) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(problem, line, column)

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}, column {self.column}: {self.problem}"


class MismatchError(InputError):
    """Raised when two annotations cannot be compared: different lengths, units or types."""


class OptionError(InputError):
    """Raised when a measure, option, preset or coder does not exist, or has an invalid value."""


class OptionConflictError(OptionError):
    """Raised when options contradict each other, independently of the data."""


class LimitError(InputError):
    """Raised when the work would need too much time or memory, or when numbers are too large to compute with."""


class ResourceError(InputError):
    """Raised when an input needs more memory than available, is nested too deeply, or has too large numbers."""


class Undefined(InputError):  # noqa: N818 - the name is part of the interface
    """Raised when a number is not defined for the data; the message says why."""


class FormatError(CaesuraError, ValueError):
    """Raised when a file cannot be read or written. The message starts with ``path:line:`` if the line is known.

    Parameters
    ----------
    path : str or path
        The file.
    line : int or None
        Line of the file, counted from 1; None if the error concerns the whole file.
    problem : str
        Description of the problem.
    """

    def __init__(self, path: str | PathLike[str], line: int | None, problem: str) -> None:
        self.path = fspath(path)
        self.line = line
        self.problem = problem
        super().__init__(path, line, problem)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        problem = self.problem
        if len(problem) > MAX_PROBLEM:  # it quotes a name or cell of thousands of characters
            problem = f"{problem[: MAX_PROBLEM // 2]} … {problem[-MAX_PROBLEM // 2 :]}"
        return f"{place}: {problem}"


class AmbiguousFileError(FormatError):
    """Raised when a file can be read in several ways, and only the user knows which one is right.

    Parameters
    ----------
    path : str or path
        The file.
    problem : str
        Description of the ambiguity.
    choices : iterable of (str, mapping)
        For each possible reading, its description and the reading options that choose it.
    """

    def __init__(
        self, path: str | PathLike[str], problem: str, choices: Iterable[tuple[str, Mapping[str, Any]]]
    ) -> None:
        super().__init__(path, None, problem)
        self.choices = tuple(choices)
        self.args = (path, problem, self.choices)

    def __str__(self) -> str:
        readings = []
        for description, options in self.choices:
            arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
            readings.append(f"read(path, {arguments}) for {description}")
        return f"{super().__str__()}; choose {' or '.join(readings)}"


class EngineError(CaesuraError):
    """Raised when workers cannot be reached, died, or have a different version."""


class ConflictError(CaesuraError):
    """Raised when somebody else decided a place meanwhile, or another process uses the same file."""


class CheckpointError(CaesuraError):
    """Raised when a checkpoint belongs to a different run, or cannot be written."""


class _OwnErrors:
    """The block of ``own_errors``; a class, because every call of a measure enters one."""

    __slots__ = ("place",)

    def __init__(self, place: object) -> None:
        self.place = place

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        if kind is None or not issubclass(kind, RESOURCE_ERRORS):
            return
        if issubclass(kind, MemoryError):
            problem = "it needs more memory than is available; divide the data, or use a smaller measure or option"
        elif issubclass(kind, RecursionError):
            problem = "it is nested too deeply; flatten it"
        else:
            problem = "a number is too large to compute with; use smaller numbers"
        raise ResourceError(problem if self.place is None else f"{self.place}: {problem}")


def own_errors(place: object = None) -> AbstractContextManager[None]:
    """Turn the errors of Python that a large or hostile input causes into a :class:`ResourceError`.

    Parameters
    ----------
    place : object, optional
        What is computed, such as ``"item 'a'"``; the message begins with it. If blocks are nested, the innermost counts.
        Without it, the caller adds the place, as it does to other errors of an item.

    Returns
    -------
    context manager

    Raises
    ------
    ResourceError
        Instead of ``MemoryError``, ``OverflowError`` and ``RecursionError``.

    Examples
    --------
    >>> with own_errors("item 'a'"):
    ...     float(10**400)
    Traceback (most recent call last):
    caesura.errors.ResourceError: item 'a': a number is too large to compute with; use smaller numbers
    """
    return _OwnErrors(place)


class TooManyStates(CaesuraError, ValueError):  # noqa: N818 - a signal rather than an error
    """Raised when exact chance agreement needs more states than allowed; the caller may use random draws instead."""


class CaesuraWarning(UserWarning):
    """Category of warnings about valid input that is easily misread."""
