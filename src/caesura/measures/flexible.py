"""Flexible segmentation similarity S_f and S_f^B: boundaries of exclusive types, in monologue and dialogue.

A similarity matrix M over the types and "none" (rows a, columns b) determines the costs of edits; c is the cost of
moving::

    substitution of x by y                1 - s[x, y]
    deletion of x (a only)                1 - s[x, none]
    insertion of y (b only)               1 - s[none, y]
    transposition of x at i to y at j     (c[x] + c[y]) / 2 * |i - j|, plus the substitution if the types differ

There are two modelling decisions. First, if both sides have a boundary at a position, these two are paired, even if
other pairs would be cheaper (``q p .`` against ``. q p`` costs 3, not 1). Second, pairs never cross. Under these rules
C is the least total cost. Among alignments of equal cost, the one with the most objects is chosen: a boundary is moved
only if that is strictly cheaper than a deletion and an insertion.

Costs are rounded to multiples of 1e-12 and added as whole numbers, so ties are exact. Cost, objects and the numbers of
pairs, insertions and deletions do not change when the text is reversed, or when the sides are swapped and M is transposed.
Which boundaries are paired may change under reversal.

Lai, Li & Zhang state that their recursion parDist computes the minimum and is symmetric if M is symmetric. Neither is true. It
can pair a boundary only with the first remaining boundary of the other side. Two moves can overlap only if annotator 1
has the earlier boundaries::

    t1        t2        parDist(t1, t2)   parDist(t2, t1)   minimum
    p p . .   . . p p   2.0               2.5               2.0
    p . .     . q p     2.5               2.5               2.0        (identity, c = 0.5)

:mod:`caesura.model.similarity` describes the forms of a similarity matrix and checks them. This module reads the
matrix, estimates it from counts, and derives the costs of edits from it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, MismatchError, OptionError
from caesura.formats.content import decode, load, parse_json
from caesura.kernels import draws as draw_kernel
from caesura.kernels import flexible as kernel
from caesura.measures.base import POSITION_COEFFICIENTS, BatchCounts, Counts, Measure, divide, option
from caesura.measures.edit_columns import NONE as NO_BOUNDARY
from caesura.measures.edit_columns import EditColumns, edit_columns
from caesura.measures.needs import Needs
from caesura.model.batch import Batch
from caesura.model.index import flatnonzero, searchsorted
from caesura.model.result import Score
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
from caesura.options import choice, non_negative

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
        for pair in value:
            if not isinstance(pair, (tuple, list, frozenset)) or len(pair) != 2:
                raise OptionError(f"{name}: expected a pair of types as key, such as (',', '.'); got {pair!r}")
        return check_pairs(name, [(*pair, s) for pair, s in value.items()])
    if isinstance(value, (list, tuple)):
        is_matrix = len(value) == 2 and isinstance(value[0], (list, tuple)) and not isinstance(value[1], str)
        if is_matrix and all(isinstance(entry, str) for entry in value[0]):  # (types, matrix), and not pairs
            return check_matrix(name, *value)
        return check_pairs(name, value)
    raise OptionError(
        f'{name} must be {{"types": [...], "matrix": [[...]]}}, pairs {{(x, y): s}}, or a path to a CSV or JSON file; '
        f"got {type(value).__name__}"
    )


def _named_matrix(name: str, rows: Mapping[Any, Mapping[Any, Any]]) -> Matrix:
    """Return a matrix whose rows and columns have names, in any order."""
    rows = {_none_name(x): {_none_name(y): s for y, s in row.items()} for x, row in rows.items()}
    for x, row in rows.items():
        for y in [*rows, *row]:
            if y not in row or y not in rows:
                first, second = ("row", "column") if y in rows else ("column", "row")
                raise OptionError(f"{name}[{x!r}]: there is a {first} {y!r} but no {second} {y!r}")
    types = [x for x in rows if x != NONE]
    if len(types) == len(rows):
        names = ", ".join(map(repr, types))
        raise OptionError(f'{name}: expected a row and a column "none" for no boundary; got {names}')
    return check_matrix(name, types, [[rows[x][y] for y in [*types, NONE]] for x in [*types, NONE]])


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
        rows[row] = {}
        for column, cell in zip(columns, cells, strict=True):
            try:
                rows[row][column] = float(cell)
            except ValueError:
                raise FormatError(path, line, f"{name}: expected a number; got {cell!r}") from None
    return rows


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
    rows, size = [*names, NONE], len(names) + 1
    try:
        counts = np.array(matrix, float)
    except (TypeError, ValueError):
        raise OptionError("matrix: expected a square matrix of counts") from None
    if counts.shape != (size, size):
        raise OptionError(
            f"matrix: expected {size} rows and columns, one for each of {len(names)} types and the last for no "
            f"boundary; got the shape {counts.shape}"
        )
    for i, j in np.argwhere(~(np.isfinite(counts) & (counts >= 0))).tolist():
        raise OptionError(f"matrix[{rows[i]!r}, {rows[j]!r}]: a count must not be negative; got {counts[i, j]}")
    counts += _check_cost("smoothing", smoothing)
    agreed = np.diagonal(counts)
    for i in flatnonzero(agreed == 0).tolist():
        raise OptionError(
            f"matrix[{rows[i]!r}, {rows[i]!r}]: there is no estimate without agreement; leave the type out, or set smoothing"
        )
    # Take the roots first, because counts may be large.
    root = np.sqrt(counts)
    s = np.minimum(root * root.T / np.outer(np.sqrt(agreed), np.sqrt(agreed)), 1).round(6)
    np.fill_diagonal(s, 1)
    check_matrix("similarity", names, s)
    return {"types": names, "matrix": s.tolist()}


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
    if transposition is not None and not isinstance(transposition, tuple):
        c = np.full(T, float(transposition))  # the cost per position of each type
    else:
        c = (cost[:T, T] + cost[T, :T]) / 4 if default_cost is None else np.full(T, float(default_cost))
        by_type = dict(transposition or ())
        c = np.array([by_type.get(name, c[i]) for i, name in enumerate(types)], float)
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


_SEGSIMFLEX = "segsimflex"
# Columns of ``FlexibleSimilarity.draw``.
DRAW_COLUMNS = ("cost", "positions", "objects", "shared", "a_only", "b_only", "shared_cost", "a_cost", "b_cost")


class FlexibleSimilarity(Measure):
    name = "flexible_similarity"
    title = "Flexible segmentation similarity S_f and S_f^B (Lai, Li & Zhang 2023)"
    summary = "typed edits with costs you choose"
    similarity: Any = option(None, check_similarity, "M: similarity of types (default: the identity)")
    transposition: Any = option(None, check_transposition, "c: cost of moving by one position")
    normalize: str = option(
        "positions",
        choice("positions", "boundaries"),
        "divide the cost by positions (S_f) or by boundaries (S_f^B)",
        always_shown=True,
    )
    algorithm: str = option("exact", choice("exact", "pardist"), "minimum cost, or the published recursion")
    mover: str | None = option(
        None,
        choice("mean", "b", "right"),
        "which boundary's c applies to a pair: the mean of both, that of b, or that of the right one",
    )
    counting: str = option(
        "pairs", choice("pairs", _SEGSIMFLEX), "whether a moved and substituted pair may count twice"
    )
    presets = MappingProxyType(
        {_SEGSIMFLEX: {"algorithm": "pardist", "transposition": 0.5, "mover": "right", "counting": _SEGSIMFLEX}}
    )
    kinds = ("linear", "dialogue")
    needs = Needs(units=True)
    column = "marked"
    places_boundaries = False
    sides = ("a", "b")
    aligns = True
    coefficients = ("kappa", "pi", "s", "s_modified", *POSITION_COEFFICIENTS)
    default_coefficient = "kappa"
    chance_family = "random_texts"
    parts = ("cost", "positions", "objects")
    options_in_short_name = ("normalize",)
    aliases = MappingProxyType({"SF": {"normalize": "positions"}, "SFB": {"normalize": "boundaries"}})

    @property
    def short_name(self) -> str:
        return "S_f" if self.normalize == "positions" else "S_f^B"

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides never changes the value; True only for the minimum cost with a symmetric matrix."""
        if not self.supports_exact_chance:
            return False
        return not is_full_matrix(self.similarity) or self.costs(self.similarity[0]).symmetric

    @property
    def supports_exact_chance(self) -> bool:
        return bool(self.algorithm == "exact")

    @property
    def fixed_types(self) -> bool:
        """Whether the similarity is a complete matrix; otherwise any type may occur."""
        return is_full_matrix(self.similarity)

    def validate(self) -> None:
        if self.counting == _SEGSIMFLEX and self.algorithm != "pardist":
            raise OptionError(
                f"counting={_SEGSIMFLEX!r} requires algorithm='pardist'; got algorithm={self.algorithm!r}"
            )
        if self.fixed_types and isinstance(self.transposition, tuple):
            types = named_types(self.similarity)
            for name, _ in self.transposition:
                if name not in types:
                    known = ", ".join(map(repr, types))
                    raise OptionError(f"transposition: type {name!r} is not in the similarity matrix; it has {known}")
        warn_about_pitfalls(self.similarity)

    @property
    def resolved_mover(self) -> str:
        """Which boundary's c applies to a pair: the mean of both for the minimum, that of b in the published recursion."""
        return self.mover or ("mean" if self.algorithm == "exact" else "b")

    @property
    def method(self) -> int:
        """The kernel's constant for algorithm and counting."""
        if self.supports_exact_chance:
            return kernel.EXACT
        return kernel.SEGSIMFLEX if self.counting == _SEGSIMFLEX else kernel.PARDIST

    def costs(self, types: tuple[str, ...]) -> FlexibleCosts:
        default_cost = None if self.compat is None else self.presets[self.compat]["transposition"]
        return flexible_costs(self.similarity, self.transposition, default_cost, self.resolved_mover, types)

    def with_settings(self, options: Mapping[str, Any]) -> Self:
        return self.replace(**{name: value for name, value in options.items() if self[name] is None})

    def scale(self, batch: Batch) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
        types = named_types(self.similarity)
        if not self.fixed_types:
            types = tuple(sorted({*types, *batch.table.types_of(np.concatenate([batch.first, batch.second]))}))
        errors: dict[int, CaesuraError] = {}
        place, code, off = batch.table.column(self.column, types)
        shared = flatnonzero(place[1:] == place[:-1]) + 1  # places with two types, or where two texts meet
        shared = shared[~np.isin(shared, off)] if len(shared) else shared
        unknown = flatnonzero(code < 0)
        if not len(unknown) and not len(shared):
            return types, errors
        unfit = searchsorted(off, np.concatenate([unknown, shared]), "right") - 1
        for name, rows in zip(self.sides, (batch.first, batch.second), strict=True):
            for row in flatnonzero(np.isin(rows, unfit)).tolist():
                text = batch.table.annotations[rows[row]]
                errors.setdefault(row, MismatchError(f"{name}: {_type_problem(text.boundaries, types)}"))
        return types, errors

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        # Sums of whole-number costs must fit into 64 bits; only costs with many digits can prevent that.
        a, b = batch.sides(self.column)
        maximum = self.costs(batch.types).max_boundaries
        if len(a.place) + len(b.place) < maximum:
            return {}
        boundaries = a.count + b.count
        return {
            int(d): OptionError(
                f"similarity and transposition have too many digits for a text with {boundaries[d]} boundaries; "
                "round them"
            )
            for d in flatnonzero(boundaries >= maximum)
        }

    def count(self, batch: Batch) -> BatchCounts:
        counts = np.empty((batch.pairs, 3))
        self._align(batch, counts)  # fills cost and objects
        counts[:, 2] = counts[:, 1]
        counts[:, 1] = batch.length
        return BatchCounts(counts, {})

    def add_streams(self, batch: Batch, counts: Counts) -> Counts:
        # Minimum costs are multiples of 1 / scale, which are added as whole numbers.
        scale = np.array([self.costs(batch.types).scale if self.supports_exact_chance else 1, 1, 1])
        sums = super().add_streams(batch, np.rint(counts * scale) if scale[0] > 1 else counts)
        return np.asarray(sums / scale, np.float64)

    def _align(self, batch: Batch, out: Counts, partners: Ints | None = None) -> None:
        a, b = batch.sides(self.column)
        costs = self.costs(batch.types).arrays
        kernel.score(a.place, a.code, a.off, b.place, b.code, b.off, costs, self.method, out, partners)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        return 1 - divide(counts[:, 0], counts[:, 1 if self.normalize == "positions" else 2])

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        cost, positions, objects = counts["cost"], counts["positions"], counts["objects"]
        return {"s_f": 1 - cost / positions, "s_f_b": 1 - cost / objects if objects else 1.0}

    def resolved_for(self, types: tuple[str, ...]) -> dict[str, Any]:
        costs = self.costs(types)
        c = costs.transposition.tolist()
        transposition = c[0] if len(set(c)) == 1 else tuple(zip(types, c, strict=True))
        return {
            "similarity": self.similarity or "identity",
            "transposition": transposition if c else self.transposition,
            "mover": self.resolved_mover,
            "matrix": "symmetric" if costs.symmetric else "asymmetric",
        }

    def draw(
        self,
        types: tuple[str, ...],
        p_a: Sequence[float] | Counts,
        p_b: Sequence[float] | Counts,
        lengths: Sequence[int] | Ints,
        *,
        draws: int,
        state: NDArray[np.uint64],
    ) -> Counts:
        """Score pairs of random texts, from which expected agreement is computed (section 3.3)."""
        # Every position, including the last, is drawn independently for each side. All draws use one random stream that starts
        # at ``state``, so the first draws do not depend on the number of draws. The GIL is released.
        streams = np.ascontiguousarray(lengths, np.int64)
        if 2 * streams.sum() >= self.costs(types).max_boundaries:
            raise OptionError("similarity and transposition have too many digits for a text this long; round them")
        joint = np.outer(p_a, p_b).ravel().astype(np.float64)
        out = np.empty((draws, len(DRAW_COLUMNS)))
        draw_kernel.draw(joint, streams, self.costs(types).arrays, self.method, state, out)
        return out

    def edit_columns(self, batch: Batch) -> EditColumns:
        free = {"transposition_cost": lambda distance: 0.0, "substitution_cost": lambda distance: 0.0}
        columns = edit_columns(batch, self.column, self._partners(batch), **free)
        return replace(columns, cost=self._edit_costs(columns))

    def _edit_costs(self, edits: EditColumns) -> Floats:
        costs = self.costs(edits.types)
        exact = self.supports_exact_chance
        substitution, deletion, insertion, step = costs.arrays[:4] if exact else costs.arrays[6:10]
        x, y, left, right = edits.a_type, edits.b_type, edits.a_position, edits.b_position
        cost = np.empty(len(x), substitution.dtype)
        cost[y == NO_BOUNDARY], cost[x == NO_BOUNDARY] = deletion[x[y == NO_BOUNDARY]], insertion[y[x == NO_BOUNDARY]]
        paired = (x != NO_BOUNDARY) & (y != NO_BOUNDARY)
        k = x[paired] * len(edits.types) + y[paired]
        steps = np.where(right[paired] < left[paired], step[1][k], step[0][k])
        cost[paired] = steps * np.abs(left - right)[paired] + substitution[k]
        values, index = np.unique(cost, return_inverse=True)  # whole numbers may have more digits than floats
        scale = costs.scale if exact else 1
        return np.array([value / scale for value in values.tolist()], np.float64)[index.reshape(-1)]

    def _partners(self, batch: Batch) -> Ints:
        partners = np.empty(len(batch.sides(self.column)[0].place), np.int64)
        self._align(batch, np.empty((batch.pairs, 2)), partners)
        return partners


def _type_problem(boundaries: Sequence[tuple[int, str]], types: tuple[str, ...]) -> str:
    """Return what is wrong with the types of a text: one is not in the matrix, or there are two at one position."""
    for position, name in boundaries:
        if name not in types:
            known = ", ".join(map(repr, types))
            return f"type {name!r} at position {position} is not in the similarity matrix; it has {known}"
    position = next(p for (p, _), (q, _) in pairwise(boundaries) if p == q)
    names = " and ".join(repr(name) for place, name in boundaries if place == position)
    return f"a position may have one type only; got {names} at position {position}"


def flexible_similarity(
    a: Any,
    b: Any,
    *,
    similarity: SimilarityLike | None = None,
    transposition: float | Mapping[str, float] | None = None,
    normalize: str = "positions",
    algorithm: str | None = None,
    compat: str | None = None,
    mover: str | None = None,
    counting: str | None = None,
) -> Score:
    """Compute flexible similarity: the cost of turning one annotation into the other, with costs of your choice.

    Parameters
    ----------
    a, b : Segmentation or mapping
        A text, or a dialogue: a mapping from the name of each stream (speaker) to its segmentation. Streams are scored
        separately and pooled.
    similarity : mapping, sequence or path, optional
        M (default: the identity). A mapping ``{"types": [...], "matrix": [[...]]}`` with a last row and column for no
        boundary; a path to a CSV or JSON file with named rows and columns, including "none"; or unordered pairs that
        differ from the identity, such as ``{(",", "."): 0.5, (",", "none"): 0.25}``. Entries are between 0 and 1; the
        diagonal is 1. With a complete matrix, a type that it does not name is an error. The matrix may be asymmetric;
        the signature shows this.
    transposition : float or mapping, optional
        c, the cost of moving by one position: one number, or a number per type (default: a quarter of the type's deletion
        plus insertion cost, the paper's "half of insertion/deletion").
    normalize : {"positions", "boundaries"}, default "positions"
        S_f or S_f^B.
    algorithm : {"exact", "pardist"}, optional
        The minimum cost (default), or the recursion of section 3.2 as printed, which misses the minimum and is not
        symmetric.
    compat : {"segsimflex"}, optional
        Preset: the R package 0.1.3. It uses the recursion with the cost of the right-hand boundary, and c = 0.5 unless
        ``transposition`` is set. It counts a moved and substituted pair as two objects if both are the last boundaries
        before the next position that both sides mark. The package also reuses results of pruned branches; this is not
        reproduced.
    mover : {"mean", "b", "right"}, optional
        Which boundary's c applies to a pair (default: the mean of both; that of b with ``algorithm="pardist"``).
    counting : {"pairs", "segsimflex"}, optional
        Whether a moved and substituted pair is one object (default), or two as in the R package.

    Returns
    -------
    Score
        S_f or S_f^B; both are in ``score.parts`` as ``s_f`` and ``s_f_b``.

    Raises
    ------
    OptionError
        If an option is invalid.
    MismatchError
        If units or streams differ, a position has two types, or a type is not in the matrix.

    Notes
    -----
    Every unit, including the last one, ends in a position, so a text has N positions. With C the least cost (see
    :mod:`caesura.measures.flexible`) and objects the number of pairs, insertions and deletions::

        S_f   = 1 - C / N           normalize="positions", from 0 to 1
        S_f^B = 1 - C / objects     normalize="boundaries", from -1 to 1; 1 if neither side has a boundary

    (section 3.1, which prints S_f^B on both left sides). A pair that is moved and substituted is one object, and can cost
    more than 1 if it is moved far; therefore S_f^B can be below 0. S_f is high for all sparse annotations, S_f^B is not. In
    chance-corrected coefficients S_f is the better choice if types are confused more often than places (section 4.4).
    Types have no order here.

    References
    ----------
    Lai, R. K. Y., Li, Y., & Zhang, S. (2023). Text segmentation similarity revisited: A flexible distance-based approach
    for multiple boundary types. Proceedings of the Society for Computation in Linguistics.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> a = Segmentation.from_marks(["", ",", "", "", "."])
    >>> b = Segmentation.from_marks(["", "", ",", "", "?"])
    >>> score = flexible_similarity(a, b, similarity={(".", "?"): 0.25})
    >>> score.value, score.parts
    (0.75, {'cost': 1.25, 'positions': 5, 'objects': 2})
    >>> [(e.kind, e.a_position, e.b_position, e.cost) for e in score.edits]
    [('transposition', 2, 3, 0.5), ('substitution', 5, 5, 0.75)]
    """
    costs: dict[str, Any] = {"similarity": similarity, "transposition": transposition, "mover": mover}
    rules = {"normalize": normalize, "algorithm": algorithm, "counting": counting}
    # A matrix may cause warnings and its file may change, so only measures without a matrix are cached.
    create: Any = FlexibleSimilarity.cached if similarity is None else FlexibleSimilarity
    return create(compat=compat, **costs, **rules).score(a, b)  # type: ignore[no-any-return]
