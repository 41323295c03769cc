"""How alike two types of boundary are: the matrix M of flexible similarity, and what it makes edits cost.

A similarity is kept in one of three literal forms, so that a measure can be hashed, printed and parsed again:

    None                                       the identity, over whatever types occur
    ((x, y, s), ...)                           the identity, but for these unordered pairs
    ((type, ...), ((s, ...), ...))             a closed list of types, and the whole matrix with "none" last
"""

from __future__ import annotations

import csv
import json
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraWarning, FormatError, OptionError

NONE = "none"
"""The name of the last row and column, where it has one: no boundary."""

Pairs = tuple[tuple[str, str, float], ...]
Matrix = tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]
Similarity = Pairs | Matrix | None
SimilarityLike = (
    str
    | PathLike[str]
    | Matrix
    | Mapping[str, Any]
    | Mapping[tuple[str, str], float]
    | Sequence[tuple[str, str, float]]
)
Floats = NDArray[np.float64]


# -- from what a user has to a literal ----------------------------------------------------------------------------


def check_similarity(name: str, value: Any) -> Similarity:
    """A similarity in any form that is understood, as a literal."""
    if isinstance(value, (str, PathLike)):
        return _read(Path(fspath(value)), name)
    if isinstance(value, Mapping):
        if set(value) == {"types", "matrix"}:
            return _matrix(name, value["types"], value["matrix"])
        if value and all(isinstance(row, Mapping) for row in value.values()):
            return _named(name, value)
        return _pairs(name, [(*_two(name, pair), s) for pair, s in value.items()])
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and not any(isinstance(one, str) for one in value) and _names_only(value[0]):
            return _matrix(name, *value)
        return _pairs(name, value)
    raise OptionError(
        f'{name} must be {{"types": [...], "matrix": [[...]]}}, pairs {{(x, y): s}}, or a path to a CSV or JSON file; '
        f"got {type(value).__name__}"
    )


def _names_only(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)


def _two(name: str, pair: object) -> tuple[Any, Any]:
    if isinstance(pair, (tuple, list, frozenset)) and len(pair) == 2:
        x, y = pair
        return x, y
    raise OptionError(f"{name}: a pair of types is needed as key, such as (',', '.'); got {pair!r}")


def _type(name: str, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    raise OptionError(f"{name}: a type must be a name that is not empty; got {value!r}")


def _share(place: str, value: Any) -> float:
    number = _finite(place, value)
    if not 0 <= number <= 1:
        raise OptionError(f"{place}: a similarity must lie between 0 and 1; got {value!r}")
    return number


def _finite(place: str, value: Any) -> float:
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{place}: a number is needed; got {value!r}") from None
    if not math.isfinite(number):
        raise OptionError(f"{place}: a finite number is needed; got {value!r}")
    return int(number) if number.is_integer() else number


def _pairs(name: str, triples: Iterable[Any]) -> Pairs:
    found: dict[tuple[str, str], float] = {}
    for triple in triples:
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            raise OptionError(f"{name}: a pair is given as (type, type, similarity); got {triple!r}")
        x, y = sorted(NONE if one is None else _type(name, one) for one in triple[:2])
        if x == NONE:
            x, y = y, x
        s = _share(f"{name}[{x!r}, {y!r}]", triple[2])
        if x == y:
            if s != 1:
                raise OptionError(f"{name}[{x!r}, {x!r}]: a type is alike to itself by exactly 1; got {triple[2]!r}")
            continue
        if found.setdefault((x, y), s) != s:
            raise OptionError(
                f"{name}[{x!r}, {y!r}]: a pair is unordered and may have one value; got {found[x, y]} and {s}. "
                'Give a whole matrix, {"types": [...], "matrix": [[...]]}, if the order matters'
            )
    return tuple((x, y, s) for (x, y), s in sorted(found.items()))


def _matrix(name: str, types: Any, matrix: Any) -> Matrix:
    if isinstance(types, (str, bytes)) or not isinstance(types, (Sequence, np.ndarray)):
        raise OptionError(f"{name}: types must be a sequence of names; got {types!r}")
    if isinstance(matrix, (str, bytes)) or not isinstance(matrix, (Sequence, np.ndarray)):
        raise OptionError(f"{name}: matrix must be a sequence of rows; got {matrix!r}")
    size = len(matrix)
    if len(types) == size and size and types[-1] in (NONE, None, ""):
        types = types[:-1]  # "none" was named
    names = tuple(_type(f"{name}: types[{i}]", one) for i, one in enumerate(types))
    if not names:
        raise OptionError(f"{name}: at least one type is needed; got none")
    for i, one in enumerate(names):
        if one in names[:i]:
            raise OptionError(f"{name}: a type may be named only once; got {one!r} again")
        if one == NONE:
            raise OptionError(f'{name}: "none" stands for no boundary and comes last; got it as types[{i}]')
    if size != len(names) + 1:
        raise OptionError(
            f"{name}: the matrix must have {len(names) + 1} rows, one for each of {len(names)} types and a last one "
            f'for "none"; got {size}'
        )
    sides = (*names, NONE)
    plain = _plain_rows(matrix, size)
    if plain is not None:
        return names, plain
    rows = []
    for x, row in zip(sides, matrix, strict=True):
        if isinstance(row, (str, bytes)) or not isinstance(row, (Sequence, np.ndarray)):
            raise OptionError(f"{name}[{x!r}]: a row of {size} numbers is needed; got {row!r}")
        if len(row) != size:
            raise OptionError(f"{name}[{x!r}]: a row must have {size} numbers, as there are rows; got {len(row)}")
        rows.append(tuple(_share(f"{name}[{x!r}, {y!r}]", s) for y, s in zip(sides, row, strict=True)))
    for i, x in enumerate(sides):
        if rows[i][i] != 1:
            raise OptionError(f"{name}[{x!r}, {x!r}]: the diagonal must be exactly 1; got {rows[i][i]}")
    return names, tuple(rows)


def _plain_rows(matrix: Any, size: int) -> tuple[tuple[float, ...], ...] | None:
    """The rows of a matrix without fault; None where something has to be complained of."""
    try:
        array = np.array(matrix)
    except ValueError:
        return None
    if array.shape != (size, size) or array.dtype.kind not in "fiu":
        return None
    if not ((array >= 0) & (array <= 1)).all() or not (np.diagonal(array) == 1).all():
        return None
    return tuple(tuple(int(s) if s in (0, 1) else s for s in row) for row in array.tolist())


def _named(name: str, rows: Mapping[Any, Mapping[Any, Any]]) -> Matrix:
    """A matrix whose rows and columns carry names, in any order."""
    rows = {_none_or(key): {_none_or(y): s for y, s in row.items()} for key, row in rows.items()}
    types = [x for x in rows if x != NONE]
    for x, row in rows.items():
        for y in [*rows, *row]:
            if y not in row:
                raise OptionError(f"{name}[{x!r}]: there is a row {y!r} but no column {y!r}")
            if y not in rows:
                raise OptionError(f"{name}[{x!r}]: there is a column {y!r} but no row {y!r}")
    if NONE not in rows:
        known = ", ".join(map(repr, types))
        raise OptionError(f'{name}: a row and a column "none" are needed, for no boundary; got {known}')
    return _matrix(name, types, [[rows[x][y] for y in [*types, NONE]] for x in [*types, NONE]])


def _none_or(key: Any) -> Any:
    return NONE if key is None or key == "" else key


def _read(path: Path, name: str) -> Similarity:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FormatError(path, None, f"{name}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FormatError(path, None, f"{name}: a text file in UTF-8 is needed") from None
    place = f"{name} ({path})"
    if path.suffix.lower() == ".json":
        try:
            content = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FormatError(path, getattr(error, "lineno", None), f"{name}: no JSON: {error}") from None
        if isinstance(content, str):
            raise OptionError(f"{place}: a matrix or pairs are needed; got a string")
        return check_similarity(place, content)
    return _read_csv(path, name, text)


def _read_csv(path: Path, name: str, text: str) -> Matrix:
    """Column names in the first line (its first cell is empty or a title), a row name before each row."""
    lines = _cells(path, name, text, ",")
    for delimiter in ";\t":
        other = _cells(path, name, text, delimiter)
        if _square(other) and not _square(lines):
            lines = other
    if len(lines) < 2:
        raise FormatError(path, None, f"{name}: a line of column names and a line for each row are needed; got neither")
    columns = lines[0][1][1:]
    rows: dict[str, dict[str, float]] = {}
    for number, (row, *values) in lines[1:]:
        if row in rows:
            raise FormatError(path, number, f"{name}: a row may be named only once; got {row!r} again")
        if len(values) != len(columns):
            problem = f"{name}: a row must have {len(columns)} numbers, as there are columns; got {len(values)}"
            raise FormatError(path, number, problem)
        rows[row] = {}
        for column, cell in zip(columns, values, strict=True):
            if column in rows[row]:
                raise FormatError(path, lines[0][0], f"{name}: a column may be named only once; got {column!r} again")
            try:
                rows[row][column] = float(cell)
            except ValueError:
                raise FormatError(path, number, f"{name}: a number is needed; got {cell!r}") from None
    return _named(f"{name} ({path})", rows)


def _cells(path: Path, name: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise FormatError(path, reader.line_num, f"{name}: no CSV: {error}") from None
    return [(number, cells) for number, cells in lines if any(cells)]


def _square(lines: list[tuple[int, list[str]]]) -> bool:
    return bool(lines) and all(len(cells) == len(lines) for _, cells in lines)


def check_transposition(name: str, value: Any) -> float | tuple[tuple[str, float], ...]:
    """A cost of moving by one position: one number for all types, or a number a type."""
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if not isinstance(value, (tuple, list)):
        return _cost(name, value)
    costs: dict[str, float] = {}
    for entry in value:
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise OptionError(f"{name} must be a number or a mapping from types to numbers; got {value!r}")
        one = _type(name, entry[0])
        if one in costs:
            raise OptionError(f"{name}: a type may be named only once; got {one!r} again")
        costs[one] = _cost(f"{name}[{one!r}]", entry[1])
    return tuple(sorted(costs.items()))


def _cost(place: str, value: Any) -> float:
    number = _finite(place, value)
    if number < 0:
        raise OptionError(f"{place}: the cost of moving must not be negative; got {value!r}")
    return number


def similarity_from_confusion(
    matrix: Sequence[Sequence[float]] | NDArray[Any], types: Sequence[str], *, smoothing: float = 0.0
) -> dict[str, Any]:
    """A similarity matrix estimated from how often experts confuse one type with another.

    ``matrix`` counts positions: row what one expert put there, column what the other did, over ``types`` and, last, no
    boundary. The estimate is Shepard's, the maximum-likelihood one of Luce's choice model where each pair of types is
    looked at alone:

        s[x, y] = sqrt(n[x, y] n[y, x] / (n[x, x] n[y, y])),  at most 1

    It is symmetric and 1 on the diagonal, and does not change when a row or a column is multiplied by a number: neither
    a frequent type nor an expert who favours one looks more similar for that. Types that are rarely agreed on look
    similar to what they are taken for; and n[none, none], the positions that both left empty, matters, and must be
    counted too. ``smoothing`` is added to every cell: without it a confusion that happened in one direction only counts
    as none, and a type that was never agreed on is an error.

    Section 3.1 of Lai & Li (2023) proposes confusion matrices of experts as a source of M without saying how; the
    choice of estimator is ours. Entries are rounded to six digits. The result is what ``similarity=`` takes.

    Shepard, R. N. (1957). Stimulus and response generalization. Psychometrika 22. Luce, R. D. (1963). Detection and
    recognition. In Handbook of Mathematical Psychology 1.

    >>> similarity_from_confusion([[80, 20, 5], [5, 20, 0], [5, 0, 900]], [",", "."])["matrix"]
    [[1.0, 0.25, 0.018634], [0.25, 1.0, 0.0], [0.018634, 0.0, 1.0]]
    """
    names = [_type(f"types[{i}]", one) for i, one in enumerate(types)]
    size = len(names) + 1
    try:
        counts = np.array(matrix, float)
    except (TypeError, ValueError):
        raise OptionError("matrix: a square matrix of counts is needed") from None
    if counts.shape != (size, size):
        raise OptionError(
            f"matrix: {size} rows and columns are needed, one for each of {len(names)} types and the last for no "
            f"boundary; got the shape {counts.shape}"
        )
    sides = [*names, NONE]
    for i, j in np.argwhere(~(np.isfinite(counts) & (counts >= 0))).tolist():
        raise OptionError(f"matrix[{sides[i]!r}, {sides[j]!r}]: a count must not be negative; got {counts[i, j]}")
    counts = counts + _cost("smoothing", smoothing)
    agreed = np.diagonal(counts)
    for i in np.flatnonzero(agreed == 0).tolist():
        raise OptionError(
            f"matrix[{sides[i]!r}, {sides[i]!r}]: without any agreement there is no estimate; leave the type out, or "
            "give smoothing"
        )
    # Roots first: counts may be large.
    root = np.sqrt(counts)
    s = np.minimum(root * root.T / np.outer(np.sqrt(agreed), np.sqrt(agreed)), 1).round(6)
    np.fill_diagonal(s, 1)
    _matrix("similarity", names, s)
    return {"types": names, "matrix": s.tolist()}


# -- from a literal to costs --------------------------------------------------------------------------------------

UNIT = 10**12
"""Costs are multiples of 1 / UNIT."""
UNLIMITED = 2**40
"""A reach without end."""


@dataclass(frozen=True, slots=True)
class FlexibleCosts:
    """What edits cost over a list of types, in numbers and in whole numbers of 1 / scale."""

    types: tuple[str, ...]
    similarity: Floats
    transposition: Floats
    scale: int
    arrays: tuple[Any, ...]
    """What the kernel takes; see ``kernels/flexible.pxd``."""
    max_boundaries: float
    """With this many boundaries in one document, sums might not fit into 64 bits any more."""
    symmetric: bool
    """Whether the matrix is."""


def is_full_matrix(similarity: Similarity) -> TypeGuard[Matrix]:
    """Whether the whole matrix was given, so that other types than its own are an error."""
    return similarity is not None and len(similarity) == 2 and isinstance(similarity[1][0], tuple)


def named_types(similarity: Similarity) -> tuple[str, ...]:
    """Types that the similarity names."""
    if is_full_matrix(similarity):
        return similarity[0]
    pairs = cast(Pairs, similarity or ())
    return tuple(dict.fromkeys(t for x, y, _ in pairs for t in (x, y) if t != NONE))


def similarity_matrix(similarity: Similarity, types: tuple[str, ...]) -> Floats:
    """M over these types and none. Of a closed similarity the types are its own."""
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
    usual: float | None,
    mover: str,
    types: tuple[str, ...],
) -> FlexibleCosts:
    """Costs over these types.

    ``usual`` is what moving costs a type that ``transposition`` leaves out; None: a quarter of its deletion plus
    insertion.
    """
    T = len(types)  # noqa: N806 - the paper's symbol
    s = similarity_matrix(similarity, types)
    cost = 1 - s
    c = (cost[:T, T] + cost[T, :T]) / 4 if usual is None else np.full(T, float(usual))
    if isinstance(transposition, tuple):
        given = dict(transposition)
        c = np.array([given.get(name, c[i]) for i, name in enumerate(types)], float)
    elif transposition is not None:
        c = np.full(T, float(transposition))
    # a left of b, and b left of a.
    right = np.stack([np.tile(c, (T, 1)), np.tile(c[:, None], (1, T))])
    step = {"mean": np.stack([(c[:, None] + c) / 2] * 2), "b": right[[0, 0]], "right": right}[mover]

    sub, alone_a, alone_b = _whole(cost[:T, :T]), _whole(cost[:T, T]), _whole(cost[T, :T])
    # A deletion and an insertion cost 2 at most, so a step that costs 4 is as good as any that costs more.
    steps = _whole(np.minimum(step, 4))
    gain = alone_a[:, None] + alone_b - sub
    reach = np.where(gain > 0, np.where(steps > 0, (gain - 1) // np.maximum(steps, 1), UNLIMITED), 0)
    steps = np.where(reach > 0, steps, 0)
    unit = int(np.gcd.reduce(np.concatenate([x.ravel() for x in (sub, alone_a, alone_b, steps)]), initial=UNIT))
    arrays = [x // unit for x in (sub.ravel(), alone_a, alone_b, steps.reshape(2, T * T), gain.ravel())]
    arrays.append(reach.reshape(2, T * T))
    floats = [cost[:T, :T].ravel(), cost[:T, T], cost[T, :T], step.reshape(2, T * T)]
    whole = [np.ascontiguousarray(x, np.int64) for x in arrays]
    exact = [np.ascontiguousarray(x, np.float64) for x in floats]
    for x in (*whole, *exact, s, c):
        x.flags.writeable = False
    scale = UNIT // unit
    return FlexibleCosts(types, s, c, scale, (*whole, *exact, float(scale)), 2.0**61 / scale, bool((s == s.T).all()))


def _whole(costs: Floats) -> NDArray[np.int64]:
    return np.rint(costs * UNIT).astype(np.int64)


@lru_cache(256)
def pitfalls(similarity: Similarity) -> tuple[str, ...]:
    """What is legal in the matrix and easily read wrongly."""
    types = named_types(similarity)
    cost = _whole(1 - similarity_matrix(similarity, types))
    T = len(types)  # noqa: N806
    identical = [
        f"similarity: {x!r} is identical to no boundary, so leaving it out costs nothing, and it may pass for a "
        "boundary of the other side elsewhere in the text"
        for i, x in enumerate(types)
        if cost[i, T] == 0 or cost[T, i] == 0
    ]
    dear = [
        f"similarity: {types[i]!r} for {types[j]!r} at one position costs {cost[i, j] / UNIT:g}, more than to delete "
        f"the one and insert the other ({(cost[i, T] + cost[T, j]) / UNIT:g})"
        for i, j in np.argwhere(cost[:T, :T] > cost[:T, T, None] + cost[T, :T]).tolist()
    ]
    return (*identical, *dear)


def warn_about_pitfalls(similarity: Similarity, stacklevel: int) -> None:
    """Warn of them, as from the caller ``stacklevel`` frames up."""
    for pitfall in pitfalls(similarity):
        warnings.warn(pitfall, CaesuraWarning, stacklevel=stacklevel + 1)
