"""Names of tiers, layers, labels and fields: choose them by pattern, list them in a message."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import islice


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name equals one of the patterns or matches it as in a shell.

    Parameters
    ----------
    name : str
        Name of a tier, layer or label.
    patterns : iterable of str
        Names, or patterns such as ``"PER*"``.

    Returns
    -------
    bool
        Whether one of the patterns matches.

    Examples
    --------
    >>> matches("IU [ann]", ["IU [ann]"]), matches("IU bo", ["IU *"]), matches("word", ["IU *"])
    (True, True, False)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def list_names(names: Iterable[str]) -> str:
    """Return names for a message: the first 20, at most 80 characters of each, or ``none``.

    Parameters
    ----------
    names : iterable of str
        Names from a file.

    Returns
    -------
    str
        Quoted names with commas between them.

    Examples
    --------
    >>> list_names(["word", "IU"]), list_names([])
    ("'word', 'IU'", 'none')
    """
    return ", ".join(repr(name[:80]) for name in islice(names, 20)) or "none"
