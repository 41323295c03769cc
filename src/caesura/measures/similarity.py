"""Read the matrix M of flexible similarity, estimate it from counts, and derive the costs of edits from it.

:mod:`caesura.model.similarity` describes the forms of a similarity and checks them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError, OptionError
from caesura.formats.content import decode, load, parse_json
from caesura.model.index import flatnonzero
from caesura.model.similarity import (
    NONE,
    Matrix,
    Pairs,
    Similarity,
    check_matrix,
    check_pairs,
    check_type_name,
    is_full_matrix,
)
from caesura.model.value import Floats, Ints
from caesura.notices import warn
from caesura.options import non_negative

SimilarityLike = (
    str
    | PathLike[str]
    | Matrix
    | Mapping[str, Any]
    | Mapping[tuple[str, str], float]
    | Sequence[tuple[str, str, float]]
)

_check_cost = non_negative()


def check_similarity(name: str, value: Any) -> Similarity:
    """Validate the option and return a similarity in literal form."""
    if isinstance(value, (str, PathLike)):
        return _read(Path(fspath(value)), name)
    if isinstance(value, Mapping):
        if set(value) == {"types", "matrix"}:
            return check_matrix(name, value["types"], value["matrix"])
        if value and all(isinstance(row, Mapping) for row in value.values()):
            return _named_matrix(name, value)
        return check_pairs(name, [(*_two_types(name, pair), s) for pair, s in value.items()])
    if isinstance(value, (list, tuple)):
        return check_matrix(name, *value) if _is_matrix_form(value) else check_pairs(name, value)
    raise OptionError(
        f'{name} must be {{"types": [...], "matrix": [[...]]}}, pairs {{(x, y): s}}, or a path to a CSV or JSON file; '
        f"got {type(value).__name__}"
    )


def _is_matrix_form(value: Sequence[Any]) -> bool:
    """Return whether a list is (types, matrix), not pairs."""
    if len(value) != 2 or any(isinstance(entry, str) for entry in value):
        return False
    return isinstance(value[0], (list, tuple)) and all(isinstance(name, str) for name in value[0])


def _two_types(name: str, pair: object) -> tuple[Any, Any]:
    if isinstance(pair, (tuple, list, frozenset)) and len(pair) == 2:
        x, y = pair
        return x, y
    raise OptionError(f"{name}: expected a pair of types as key, such as (',', '.'); got {pair!r}")


def _named_matrix(name: str, rows: Mapping[Any, Mapping[Any, Any]]) -> Matrix:
    """Return a matrix whose rows and columns have names, in any order."""
    rows = {_none_name(x): {_none_name(y): s for y, s in row.items()} for x, row in rows.items()}
    _check_names(name, rows)
    types = [x for x in rows if x != NONE]
    if len(types) == len(rows):
        names = ", ".join(map(repr, types))
        raise OptionError(f'{name}: expected a row and a column "none" for no boundary; got {names}')
    return check_matrix(name, types, [[rows[x][y] for y in [*types, NONE]] for x in [*types, NONE]])


def _check_names(name: str, rows: Mapping[Any, Mapping[Any, Any]]) -> None:
    """Raise an error if the names of the columns of a row differ from the names of the rows."""
    for x, row in rows.items():
        for y in [*rows, *row]:
            if y not in row or y not in rows:
                first, second = ("row", "column") if y in rows else ("column", "row")
                raise OptionError(f"{name}[{x!r}]: there is a {first} {y!r} but no {second} {y!r}")


def _none_name(key: Any) -> Any:
    return NONE if key is None or key == "" else key


def _read(path: Path, name: str) -> Similarity:
    text = decode(path, load(path, may_be_empty=True))
    if path.suffix.lower() != ".json":
        return _named_matrix(f"{name} ({path})", _read_csv(path, name, text))
    content = parse_json(str(path), text, name)
    if isinstance(content, str):
        raise OptionError(f"{name} ({path}): expected a matrix or pairs; got a string")
    return check_similarity(f"{name} ({path})", content)


def _read_csv(path: Path, name: str, text: str) -> dict[str, dict[str, float]]:
    """Return the rows of a table with column names in the first line (its first cell is ignored) and row names."""
    tables = [_parse_csv(path, name, text, delimiter) for delimiter in ",;\t"]
    # The delimiter is the one that makes the table square.
    lines = next((table for table in tables if table and all(len(row) == len(table) for _, row in table)), tables[0])
    if len(lines) < 2:
        problem = f"{name}: expected a line of column names and one line per row; got {len(lines)} lines"
        raise FormatError(path, None, problem)
    header, (_, *columns) = lines[0]
    for i, column in enumerate(columns):
        if column in columns[:i]:
            raise FormatError(path, header, f"{name}: a column may be named only once; got {column!r} again")
    rows: dict[str, dict[str, float]] = {}
    for line, (row, *cells) in lines[1:]:
        if row in rows:
            raise FormatError(path, line, f"{name}: a row may be named only once; got {row!r} again")
        if len(cells) != len(columns):
            problem = f"{name}: a row must have {len(columns)} numbers, one per column; got {len(cells)}"
            raise FormatError(path, line, problem)
        rows[row] = {column: _cell(path, line, name, cell) for column, cell in zip(columns, cells, strict=True)}
    return rows


def _cell(path: Path, line: int, name: str, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise FormatError(path, line, f"{name}: expected a number; got {cell!r}") from None


def _parse_csv(path: Path, name: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise FormatError(path, reader.line_num, f"{name}: not valid CSV: {error}") from None
    return [(line, cells) for line, cells in lines if any(cells)]


def check_transposition(name: str, value: Any) -> float | tuple[tuple[str, float], ...]:
    """Validate the option and return the cost of moving a boundary by one position."""
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if not isinstance(value, (tuple, list)):
        cost: float = _check_cost(name, value)
        return cost
    costs: dict[str, float] = {}
    for entry in value:
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise OptionError(f"{name} must be a number or a mapping from types to numbers; got {value!r}")
        type_name = check_type_name(name, entry[0])
        if type_name in costs:
            raise OptionError(f"{name}: a type may be named only once; got {type_name!r} again")
        costs[type_name] = _check_cost(f"{name}[{type_name!r}]", entry[1])
    return tuple(sorted(costs.items()))


def similarity_from_confusion(
    matrix: Sequence[Sequence[float]] | NDArray[Any], types: Sequence[str], *, smoothing: float = 0.0
) -> dict[str, Any]:
    """Estimate a similarity matrix from counts of how often experts confuse boundary types.

    Parameters
    ----------
    matrix : sequence of sequences or numpy.ndarray
        Counts of positions: rows are the types of one expert, columns those of the other, in the order of ``types``,
        followed by no boundary. Positions without a boundary from either expert, n[none, none], must be included.
    types : sequence of str
        The boundary types.
    smoothing : float, default 0
        Number added to every cell. Without smoothing, a confusion in only one direction gives a similarity of 0, and a
        type on which the experts never agreed is an error.

    Returns
    -------
    dict
        ``types`` and ``matrix``, the form that ``similarity=`` accepts. Entries are rounded to six digits.

    Raises
    ------
    OptionError
        If the matrix is invalid.

    Notes
    -----
    The estimate is Shepard's, the maximum-likelihood estimate of Luce's choice model for each pair of types
    separately::

        s[x, y] = sqrt(n[x, y] n[y, x] / (n[x, x] n[y, y])),  at most 1

    The estimate is symmetric and has 1 on the diagonal. It does not change when a row or a column is multiplied by a
    number, so a type does not become more similar because it is frequent or because an expert favors it. Types on which
    experts rarely agree look similar to the types they are confused with.

    Section 3.1 of Lai, Li & Zhang (2023) proposes confusion matrices of experts as a source of M but does not name an
    estimator. We chose this estimator.

    References
    ----------
    Shepard, R. N. (1957). Stimulus and response generalization. Psychometrika 22.

    Luce, R. D. (1963). Detection and recognition. In Handbook of Mathematical Psychology 1.

    Examples
    --------
    >>> similarity_from_confusion([[80, 20, 5], [5, 20, 0], [5, 0, 900]], [",", "."])["matrix"]
    [[1.0, 0.25, 0.018634], [0.25, 1.0, 0.0], [0.018634, 0.0, 1.0]]
    """
    names = [check_type_name(f"types[{i}]", entry) for i, entry in enumerate(types)]
    counts = _check_counts(matrix, names) + _check_cost("smoothing", smoothing)
    agreed = np.diagonal(counts)
    for i in flatnonzero(agreed == 0).tolist():
        name = [*names, NONE][i]
        raise OptionError(
            f"matrix[{name!r}, {name!r}]: there is no estimate without agreement; leave the type out, or set smoothing"
        )
    # Take the roots first, because counts may be large.
    root = np.sqrt(counts)
    s = np.minimum(root * root.T / np.outer(np.sqrt(agreed), np.sqrt(agreed)), 1).round(6)
    np.fill_diagonal(s, 1)
    check_matrix("similarity", names, s)
    return {"types": names, "matrix": s.tolist()}


def _check_counts(matrix: Any, names: list[str]) -> Floats:
    size = len(names) + 1
    try:
        counts = np.array(matrix, float)
    except (TypeError, ValueError):
        raise OptionError("matrix: expected a square matrix of counts") from None
    if counts.shape != (size, size):
        raise OptionError(
            f"matrix: expected {size} rows and columns, one for each of {len(names)} types and the last for no "
            f"boundary; got the shape {counts.shape}"
        )
    rows = [*names, NONE]
    for i, j in np.argwhere(~(np.isfinite(counts) & (counts >= 0))).tolist():
        raise OptionError(f"matrix[{rows[i]!r}, {rows[j]!r}]: a count must not be negative; got {counts[i, j]}")
    return counts


# Costs are multiples of 1 / UNIT.
UNIT = 10**12
# Reach of a pair without a limit on the distance.
UNLIMITED = 2**40


@dataclass(frozen=True, slots=True)
class FlexibleCosts:
    """Costs of edits over a list of types, as numbers and as integer multiples of 1 / scale."""

    types: tuple[str, ...]
    similarity: Floats  # M over the types and none
    transposition: Floats  # c: the cost per position of each type
    scale: int  # denominator of the whole-number costs
    arrays: tuple[Any, ...]  # arguments of the kernel; see ``kernels/flexible.pxd``
    max_boundaries: float  # smallest number of boundaries in a document whose sums might not fit into 64 bits
    symmetric: bool  # whether the matrix is symmetric


def named_types(similarity: Similarity) -> tuple[str, ...]:
    if is_full_matrix(similarity):
        return similarity[0]
    pairs = cast(Pairs, similarity or ())
    return tuple(dict.fromkeys(t for x, y, _ in pairs for t in (x, y) if t != NONE))


def _similarity_matrix(similarity: Similarity, types: tuple[str, ...]) -> Floats:
    """Return M over these types and none. A full matrix has its own types."""
    if is_full_matrix(similarity):
        return np.array(similarity[1], float)
    s = np.eye(len(types) + 1)
    place = {name: i for i, name in enumerate((*types, NONE))}
    for x, y, value in cast(Pairs, similarity or ()):
        if x in place and y in place:
            s[place[x], place[y]] = s[place[y], place[x]] = value
    return s


@lru_cache(256)
def flexible_costs(
    similarity: Similarity,
    transposition: float | tuple[tuple[str, float], ...] | None,
    default_cost: float | None,
    mover: str,
    types: tuple[str, ...],
) -> FlexibleCosts:
    T = len(types)  # noqa: N806 - the paper's symbol
    s = _similarity_matrix(similarity, types)
    cost = 1 - s
    c = _moving_costs(cost, transposition, default_cost, types)
    # The first matrix is for a left of b, the second for b left of a.
    right = np.stack([np.tile(c, (T, 1)), np.tile(c[:, None], (1, T))])
    step = {"mean": np.stack([(c[:, None] + c) / 2] * 2), "b": right[[0, 0]], "right": right}[mover]

    sub, delete, insert = _to_units(cost[:T, :T]), _to_units(cost[:T, T]), _to_units(cost[T, :T])
    # A deletion and an insertion cost at most 2, so a step cost above 4 has the same effect as 4.
    steps = _to_units(np.minimum(step, 4))
    gain = delete[:, None] + insert - sub
    reach = np.where(gain > 0, np.where(steps > 0, (gain - 1) // np.maximum(steps, 1), UNLIMITED), 0)
    steps = np.where(reach > 0, steps, 0)
    unit = int(np.gcd.reduce(np.concatenate([x.ravel() for x in (sub, delete, insert, steps)]), initial=UNIT))
    arrays = [x // unit for x in (sub.ravel(), delete, insert, steps.reshape(2, T * T), gain.ravel())]
    arrays.append(reach.reshape(2, T * T))
    floats = [cost[:T, :T].ravel(), cost[:T, T], cost[T, :T], step.reshape(2, T * T)]
    whole = [np.ascontiguousarray(x, np.int64) for x in arrays]
    exact = [np.ascontiguousarray(x, np.float64) for x in floats]
    for x in (*whole, *exact, s, c):
        x.setflags(write=False)
    scale = UNIT // unit
    return FlexibleCosts(types, s, c, scale, (*whole, *exact, float(scale)), 2.0**61 / scale, bool((s == s.T).all()))


def _moving_costs(
    cost: Floats,
    transposition: float | tuple[tuple[str, float], ...] | None,
    default_cost: float | None,
    types: tuple[str, ...],
) -> Floats:
    """Return c, the cost per position of each type."""
    T = len(types)  # noqa: N806
    if transposition is not None and not isinstance(transposition, tuple):
        return np.full(T, float(transposition))
    c = (cost[:T, T] + cost[T, :T]) / 4 if default_cost is None else np.full(T, float(default_cost))
    by_type = dict(transposition or ())
    return np.array([by_type.get(name, c[i]) for i, name in enumerate(types)], float)


def _to_units(costs: Floats) -> Ints:
    return np.rint(costs * UNIT).astype(np.int64)


@lru_cache(256)
def _pitfalls(similarity: Similarity) -> tuple[str, ...]:
    """Return warnings about entries that are valid but easily misunderstood."""
    types = named_types(similarity)
    cost = _to_units(1 - _similarity_matrix(similarity, types))
    T = len(types)  # noqa: N806
    free = [
        f"similarity: {x!r} is identical to no boundary, so leaving it out costs nothing, and it may match a "
        "boundary of the other side elsewhere in the text"
        for i, x in enumerate(types)
        if cost[i, T] == 0 or cost[T, i] == 0
    ]
    expensive = [
        f"similarity: substituting {types[i]!r} by {types[j]!r} costs {cost[i, j] / UNIT:g}, more than a deletion and an "
        f"insertion ({(cost[i, T] + cost[T, j]) / UNIT:g})"
        for i, j in np.argwhere(cost[:T, :T] > cost[:T, T, None] + cost[T, :T]).tolist()
    ]
    return (*free, *expensive)


def warn_about_pitfalls(similarity: Similarity) -> None:
    for message in _pitfalls(similarity):
        warn(message)
