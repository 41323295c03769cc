"""Check the similarity of boundary types, as unordered pairs or as a matrix.

A similarity has one of three literal forms, so that a measure can be hashed, printed and parsed::

    None                                       the identity, over the types that occur
    ((x, y, s), ...)                           the identity, except for these unordered pairs
    ((type, ...), ((s, ...), ...))             a fixed list of types, and the full matrix with "none" last
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from caesura.errors import OptionError
from caesura.model import checks
from caesura.options import number

# Name of the last row and column, if they have names. It means no boundary.
NONE = "none"

Pairs = tuple[tuple[str, str, float], ...]
Matrix = tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]
Similarity = Pairs | Matrix | None

_check_value = number(0, 1)


def is_full_matrix(similarity: str | Similarity) -> TypeGuard[Matrix]:
    """Return whether a similarity is a full matrix, so that types that it does not name are an error."""
    return similarity is not None and len(similarity) == 2 and isinstance(similarity[1][0], tuple)


def first_asymmetry(matrix: Matrix) -> tuple[str, str, float, float] | None:
    """Return the first pair of types whose similarity depends on their order."""
    types, rows = (*matrix[0], NONE), matrix[1]
    for i, x in enumerate(types):
        for j, y in enumerate(types[:i]):
            if rows[i][j] != rows[j][i]:
                return y, x, rows[j][i], rows[i][j]
    return None


def symmetric_mean(matrix: Matrix) -> Matrix:
    types, rows = matrix
    array = (np.array(rows) + np.array(rows).T) / 2
    return types, tuple(tuple(int(s) if s in (0, 1) else s for s in row) for row in array.tolist())


def check_type_name(place: str, value: object) -> str:
    return checks.type_name(value, place, OptionError)


def check_pairs(name: str, triples: Iterable[Any]) -> Pairs:
    similarities: dict[tuple[str, str], float] = {}
    for triple in triples:
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            raise OptionError(f"{name}: a pair is written as (type, type, similarity); got {triple!r}")
        names = (NONE if entry is None else check_type_name(name, entry) for entry in triple[:2])
        x, y = sorted(names, key=lambda entry: (entry == NONE, entry))
        place = f"{name}[{x!r}, {y!r}]"
        s = _check_value(place, triple[2])
        if x == y:
            if s != 1:
                raise OptionError(f"{place}: the similarity of a type to itself must be 1; got {triple[2]!r}")
        elif similarities.setdefault((x, y), s) != s:
            raise OptionError(
                f"{place}: a pair is unordered and has one value; got {similarities[x, y]} and {s}. "
                'If the order matters, use a whole matrix, {"types": [...], "matrix": [[...]]}'
            )
    return tuple((x, y, s) for (x, y), s in sorted(similarities.items()))


def check_matrix(name: str, types: Any, matrix: Any) -> Matrix:
    if not _is_sequence(types):
        raise OptionError(f"{name}: types must be a sequence of names; got {types!r}")
    if not _is_sequence(matrix):
        raise OptionError(f"{name}: matrix must be a sequence of rows; got {matrix!r}")
    size = len(matrix)
    if len(types) == size and size and types[-1] in (NONE, None, ""):
        types = types[:-1]  # "none" was named
    names = tuple(check_type_name(f"{name}: types[{i}]", entry) for i, entry in enumerate(types))
    if not names:
        raise OptionError(f"{name}: expected at least one type; got none")
    for i, type_name in enumerate(names):
        if type_name in names[:i]:
            raise OptionError(f"{name}: a type may be named only once; got {type_name!r} again")
        if type_name == NONE:
            raise OptionError(f'{name}: "none" means no boundary and must be last; got it as types[{i}]')
    if size != len(names) + 1:
        raise OptionError(
            f"{name}: the matrix must have {len(names) + 1} rows, one for each of {len(names)} types and a last one "
            f'for "none"; got {size}'
        )
    rows = []
    names = (*names, NONE)
    for i, (x, row) in enumerate(zip(names, matrix, strict=True)):
        if not _is_sequence(row):
            raise OptionError(f"{name}[{x!r}]: expected a row of {size} numbers; got {row!r}")
        if len(row) != size:
            raise OptionError(
                f"{name}[{x!r}]: a row must have {size} numbers, one per row of the matrix; got {len(row)}"
            )
        rows.append(tuple(_check_value(f"{name}[{x!r}, {y!r}]", s) for y, s in zip(names, row, strict=True)))
        if rows[i][i] != 1:
            raise OptionError(f"{name}[{x!r}, {x!r}]: the diagonal must be exactly 1; got {rows[i][i]}")
    return names[:-1], tuple(rows)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))
