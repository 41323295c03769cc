"""Every exception of the package.

    CaesuraError
    ├── InputError (ValueError)      a value that cannot be
    │   ├── SegmentationError        no segmentation can look like this
    │   ├── HierarchyError           no hierarchy can look like this
    │   ├── TierError                no tier can look like this, or it cannot be laid over these units
    │   ├── TreeError                no tree can look like this; has .line and .column where brackets were read
    │   ├── MismatchError            two segmentations that cannot be compared
    │   ├── OptionError              a measure, option, preset or coder that does not exist or cannot have this value
    │   └── Undefined                the number asked for has no meaning here
    ├── FormatError (ValueError)     a file that cannot be read or written; has .path and .line
    ├── EngineError                  workers that cannot be reached, that died, or that have another version
    ├── CheckpointError              a checkpoint of another run, or that cannot be written
    └── TooManyStates (ValueError)   exact chance would need more states than allowed; draw at random instead

Messages name the place, what must hold, what came and, where there is one, the way out.
``CaesuraWarning`` is the category of all warnings.
"""

from __future__ import annotations

from os import PathLike, fspath

__all__ = [
    "CaesuraError",
    "CaesuraWarning",
    "CheckpointError",
    "EngineError",
    "FormatError",
    "HierarchyError",
    "InputError",
    "MismatchError",
    "OptionError",
    "SegmentationError",
    "TierError",
    "TooManyStates",
    "TreeError",
    "Undefined",
]


class CaesuraError(Exception):
    """The root: ``except CaesuraError`` catches whatever this package raises on purpose."""


class InputError(CaesuraError, ValueError):
    """A value that cannot be."""


class SegmentationError(InputError):
    """No segmentation can look like this: a mass of zero, an unsorted position, an undeclared type."""


class HierarchyError(InputError):
    """No hierarchy can look like this: spans that cross, a span outside the text, levels that contradict nesting."""


class TierError(InputError):
    """No tier can look like this, intervals that overlap or end before they start; or it does not fit on these units."""


class TreeError(InputError):
    """No tree can look like this: brackets that do not close, a word that is not alone, times that do not rise."""

    def __init__(self, problem: str, line: int | None = None, column: int | None = None) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(problem, line, column)

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}, column {self.column}: {self.problem}"


class MismatchError(InputError):
    """Two segmentations that cannot be compared: other lengths, other units, other types."""


class OptionError(InputError):
    """A measure, option, preset or coder that does not exist, or cannot have this value."""


class OptionConflictError(OptionError):
    """Raised when options do not go together, whatever the data."""


class Undefined(InputError):  # noqa: N818 - the name is part of the interface
    """The number asked for has no meaning here; the message says why."""


class FormatError(CaesuraError, ValueError):
    """A file that cannot be read or written. The message starts ``path:line:`` where the line is known."""

    def __init__(self, path: str | PathLike[str], line: int | None, problem: str) -> None:
        self.path = fspath(path)
        self.line = line
        self.problem = problem
        super().__init__(path, line, problem)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.problem}"


class EngineError(CaesuraError):
    """Workers that cannot be reached, that died, or that have another version."""


class CheckpointError(CaesuraError):
    """A checkpoint of another run, or that cannot be written."""


class TooManyStates(CaesuraError, ValueError):  # noqa: N818 - a signal more than an error
    """Exact chance would need more states than allowed: a signal to draw at random instead, and to say so."""


class CaesuraWarning(UserWarning):
    """Something legal that is easily read wrongly."""
