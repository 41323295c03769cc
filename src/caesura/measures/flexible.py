"""Flexible segmentation similarity S_f and S_f^B: boundaries of exclusive types, in monologue and dialogue.

A similarity matrix M over the types and "none" (rows a, columns b) says what an edit costs, and c what moving costs:

    substitution of x by y                1 - s[x, y]
    deletion of x (a only)                1 - s[x, none]
    insertion of y (b only)               1 - s[none, y]
    transposition of x at i to y at j     (c[x] + c[y]) / 2 * |i - j|, plus the substitution if the types differ

Two choices of modelling. Where both sides have a boundary at one position they mean the same one: such pairs are
forced, even where leaving them free would be cheaper (``q p .`` against ``. q p`` costs 3, not 1). And pairs never
cross. Given these, C is the least total cost, and of equal costs the one with the most objects: a boundary is moved
only if that is strictly cheaper than to delete it and insert the other.

Costs are rounded to multiples of 1e-12 and added up as whole numbers, so that ties are exact: cost, objects and the
numbers of pairs, insertions and deletions do not change when the text is read backwards, or when the sides change
places and M is transposed. Which boundaries pair may change under reversal.

The seed calls its recursion parDist the minimum and, for a symmetric M, symmetric; it is neither. It can pair a
boundary with the first remaining one of the other side only, and lets moves overlap only where annotator 1 leads:

    t1        t2        parDist(t1, t2)   parDist(t2, t1)   minimum
    p p . .   . . p p   2.0               2.5               2.0
    p . .     . q p     2.5               2.5               2.0        (identity, c = 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError
from caesura.kernels import draws as draw_kernel
from caesura.kernels import flexible as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch, Comparison, Text
from caesura.measures.similarity import (
    FlexibleCosts,
    SimilarityLike,
    check_similarity,
    check_transposition,
    flexible_costs,
    is_full_matrix,
    named_types,
    warn_about_pitfalls,
)
from caesura.measures.streams import StreamBatch, pack_streams
from caesura.model.score import Edit, Score
from caesura.options import Option, choice

_R = "segsimflex"
DRAW_COLUMNS = ("cost", "positions", "objects", "shared", "a_only", "b_only", "shared_cost", "a_cost", "b_cost")
"""Columns of :meth:`FlexibleSimilarity.draw`."""


class FlexibleSimilarity(Measure):
    """See :func:`flexible_similarity`."""

    __slots__ = ()
    name = "flexible_similarity"
    title = "Flexible segmentation similarity S_f and S_f^B (Lai & Li 2023)"
    options = (
        Option("similarity", None, check_similarity, "M: how alike types are; by default the identity"),
        Option("transposition", None, check_transposition, "c: cost of moving by one position"),
        Option("normalize", "positions", choice("positions", "boundaries"), "S_f, or S_f^B", always_shown=True),
        Option("algorithm", "exact", choice("exact", "pardist"), "the minimum, or the seed's recursion"),
        Option("mover", None, choice("mean", "b", "right"), "whose c counts for a pair"),
        Option("counting", "pairs", choice("pairs", _R), "whether a moved and substituted pair may count twice"),
    )
    presets = MappingProxyType({_R: {"algorithm": "pardist", "transposition": 0.5, "mover": "right", "counting": _R}})
    kinds = ("linear", "dialogue")
    view = "streams"
    sides = ("a", "b")
    aligns: ClassVar[bool] = True
    coefficients = ("kappa", "pi", "s", "s_modified", "alpha")
    default_coefficient = "kappa"
    chance_family = "random_texts"
    accepts_settings = True

    @property
    def short_name(self) -> str:
        return "S_f" if self["normalize"] == "positions" else "S_f^B"

    @property
    def symmetric(self) -> bool:
        """The minimum cost is symmetric if the similarity matrix is; the published recursion is not."""
        similarity = self["similarity"]
        if not self.supports_exact_chance:
            return False
        return not is_full_matrix(similarity) or self.costs(similarity[0]).symmetric

    @property
    def supports_exact_chance(self) -> bool:
        return bool(self["algorithm"] == "exact")

    def validate(self) -> None:
        """Options that go together, and a warning of traps in the matrix."""
        o = self.settings
        if o["counting"] == _R and o["algorithm"] != "pardist":
            raise OptionError(f"counting={_R!r} is a rule of the published recursion; it needs algorithm='pardist'")
        if self.fixed_types and isinstance(o["transposition"], tuple):
            known = named_types(o["similarity"])
            for name, _ in o["transposition"]:
                if name not in known:
                    there = ", ".join(map(repr, known))
                    raise OptionError(f"transposition: {name!r} is no type of the similarity matrix; it has {there}")
        warn_about_pitfalls(o["similarity"], stacklevel=4)

    @property
    def fixed_types(self) -> bool:
        """Whether a whole matrix was given; else any type may occur."""
        return is_full_matrix(self["similarity"])

    @property
    def mover(self) -> str:
        """Whose c counts for a pair: the mean of both for the minimum, the seed's recursion takes that of b."""
        o = self.settings
        return str(o["mover"] or ("mean" if o["algorithm"] == "exact" else "b"))

    @property
    def method(self) -> int:
        """The kernel's name for algorithm and counting."""
        o = self.settings
        if o["algorithm"] == "exact":
            return kernel.EXACT
        return kernel.SEGSIMFLEX if o["counting"] == _R else kernel.PARDIST

    def costs(self, types: tuple[str, ...]) -> FlexibleCosts:
        """What edits cost over these types."""
        o = self.settings
        usual = None if self.compat is None else self.presets[self.compat]["transposition"]
        return flexible_costs(o["similarity"], o["transposition"], usual, self.mover, types)

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, NDArray[np.int64], dict[int, CaesuraError]]:
        """All N positions with their types, streams end to end."""
        similarity = self["similarity"]
        return pack_streams(pairs, self.sides, named_types(similarity), is_full_matrix(similarity))

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Sums of whole-number costs must fit into 64 bits, which only costs of many digits can break."""
        most = self.costs(batch.types).max_boundaries
        if len(batch.a_pos) + len(batch.b_pos) < most:
            return {}
        boundaries = batch.a_count + batch.b_count
        return {
            int(d): OptionError(
                f"similarity and transposition have too many digits for a text with {boundaries[d]} boundaries; "
                "round them"
            )
            for d in np.flatnonzero(boundaries >= most)
        }

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """C, N and the number of objects."""
        return ("cost", "positions", "objects")

    def compute(self, batch: Batch) -> BatchCounts:
        """Costs and objects, without the edits."""
        out = np.empty((len(batch), 2))
        self._align(batch, out)
        return BatchCounts(np.column_stack([out[:, 0], batch.length, out[:, 1]]), {})

    def _align(self, batch: Batch, out: Counts, mate: NDArray[np.int64] | None = None) -> None:
        arrays = self.costs(batch.types).arrays
        b = batch
        kernel.score(b.a_pos, b.a_code, b.a_off, b.b_pos, b.b_code, b.b_off, arrays, self.method, out, mate)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        """S_f or S_f^B."""
        return 1 - divide(counts[:, 0], counts[:, 1 if self["normalize"] == "positions" else 2])

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        """Both S_f and S_f^B, whichever is the value."""
        cost, positions, objects = counts["cost"], counts["positions"], counts["objects"]
        return {"s_f": 1 - cost / positions, "s_f_b": 1 - cost / objects if objects else 1.0}

    def build_score(self, counts: Counts, types: tuple[str, ...], resolved: Mapping[str, Any], **rest: Any) -> Score:
        """As of every measure, with costs as they were resolved over the types."""
        return super().build_score(counts, types, {**resolved, **self._told(types)}, **rest)

    def _told(self, types: tuple[str, ...]) -> dict[str, Any]:
        p = self.costs(types)
        c = p.transposition.tolist()
        told: dict[str, Any] = {"similarity": self["similarity"] or "identity"}
        told["transposition"] = c[0] if len(set(c)) == 1 else tuple(zip(types, c, strict=True))
        if not c:  # nobody placed a boundary
            told["transposition"] = self["transposition"]
        return told | {"mover": self.mover, "matrix": "symmetric" if p.symmetric else "asymmetric"}

    def draw(
        self,
        types: tuple[str, ...],
        p_a: Sequence[float] | Counts,
        p_b: Sequence[float] | Counts,
        lengths: Sequence[int] | NDArray[np.int64],
        *,
        draws: int,
        state: NDArray[np.uint64],
    ) -> Counts:
        """Scores of pairs of random texts: the basis of agreement by chance (section 3.3).

        Each draw has streams of these ``lengths``; every position, the last too, is drawn by itself and for either side
        by itself from the categories ``types`` and none, with the probabilities ``p_a`` and ``p_b``. A row a draw,
        columns ``DRAWN``: the parts of a score, and counts and summed costs of the positions that both sides, only a
        and only b occupy, whose means are known (control variates). ``state`` is where the random numbers start: four words
        that are not all 0. Draws follow one another from there, so that fewer are the first of more. The GIL is free
        meanwhile.
        """
        sides = [np.ascontiguousarray(p, np.float64) for p in (p_a, p_b)]
        for p in sides:
            if p.shape != (len(types) + 1,) or not (p >= 0).all() or not abs(p.sum() - 1) < 1e-9:
                raise OptionError(
                    f"a probability for each of {len(types)} types and for none is needed, 1 in all; got {p.tolist()}"
                )
        if state.shape != (4,) or state.dtype != np.uint64 or not state.any():
            raise OptionError(f"state must be four words of 64 bits that are not all 0; got {state!r}")
        streams = np.ascontiguousarray(lengths, np.int64)
        if 2 * streams.sum() >= self.costs(types).max_boundaries:
            raise OptionError("similarity and transposition have too many digits for a text this long; round them")
        joint = np.outer(*sides).ravel()
        out = np.empty((draws, len(DRAW_COLUMNS)))
        draw_kernel.draw(joint, streams, self.costs(types).arrays, self.method, state, out)
        return out

    def align(self, batch: Batch) -> tuple[Edit, ...]:
        """What happened to every boundary, stream by stream."""
        assert isinstance(batch, StreamBatch)
        mate = np.empty(len(batch.a_pos), np.int64)
        self._align(batch, np.empty((1, 2)), mate)
        return tuple(_edits(batch, mate, self.costs(batch.types), self["algorithm"] == "exact"))


def _edits(batch: StreamBatch, mate: NDArray[np.int64], p: FlexibleCosts, exact: bool) -> list[Edit]:
    """The edits of the one document in the batch, stream by stream, from left to right in each."""
    T = len(p.types)  # noqa: N806 - the paper's symbol
    sub, alone_a, alone_b, step = (array.tolist() for array in (p.arrays[:4] if exact else p.arrays[6:10]))
    scale = p.scale if exact else 1
    a_pos, b_pos = batch.a_pos.tolist(), batch.b_pos.tolist()
    a_code, b_code = batch.a_code.tolist(), batch.b_code.tolist()
    partner = mate.tolist()
    alone = set(range(len(b_pos))).difference(partner)
    order = [(min(a_pos[i], b_pos[j]) if j >= 0 else a_pos[i], i, j) for i, j in enumerate(partner)]
    order += [(b_pos[j], -1, j) for j in alone]
    order.sort()
    streams = batch.streams[0].places()
    stream, begin, end = next(streams)
    edits = []
    for at, i, j in order:
        while at > end + 1:
            stream, begin, end = next(streams)
        if at == end + 1:  # the border between two streams
            continue
        x = p.types[a_code[i]] if i >= 0 else None
        y = p.types[b_code[j]] if j >= 0 else None
        left = a_pos[i] - begin if i >= 0 else None
        right = b_pos[j] - begin if j >= 0 else None
        if x is None:
            kind, cost = "insertion", alone_b[b_code[j]]
        elif y is None:
            kind, cost = "deletion", alone_a[a_code[i]]
        else:
            k = a_code[i] * T + b_code[j]
            b_left = b_pos[j] < a_pos[i]
            cost = step[b_left][k] * abs(a_pos[i] - b_pos[j]) + sub[k]
            if left == right:
                kind = "match" if x == y else "substitution"
            else:
                kind = "transposition" if x == y else "transposition with substitution"
        edits.append(Edit(kind, left, right, x, y, cost / scale, stream))
    return edits


def flexible_similarity(
    a: Text,
    b: Text,
    *,
    similarity: SimilarityLike | None = None,
    transposition: float | Mapping[str, float] | None = None,
    normalize: str = "positions",
    algorithm: str | None = None,
    compat: str | None = None,
    mover: str | None = None,
    counting: str | None = None,
) -> Score:
    """Flexible similarity: what it costs to turn one annotation into the other, types and places weighed as you say.

    ``a`` and ``b`` are a ``Segmentation`` each, or mappings from the streams of a dialogue (its participants) to one
    each; streams are scored apart and pooled. Every unit ends in a position, the last one too, so a text has N
    positions: with C the least cost (see the module) and objects the number of pairs, insertions and deletions,

        S_f   = 1 - C / N           ``normalize="positions"``, from 0 to 1
        S_f^B = 1 - C / objects     ``normalize="boundaries"``, from -1 to 1; 1 if nobody placed a boundary

    (section 3.1, which prints S_f^B on both left sides). A pair that is moved and substituted is one object, and can
    cost more than 1 if it is moved far: hence S_f^B below 0. S_f is high for sparse boundaries whatever they are; S_f^B
    is not, but in chance-corrected coefficients S_f is the better choice where types are confused more than places
    (section 4.4). Both stand in ``parts`` as ``s_f`` and ``s_f_b``.

    ``similarity``: ``{"types": [...], "matrix": [[...]]}`` with a last row and column for no boundary; a path to a CSV
    or JSON file with named rows and columns, "none" among them; or unordered pairs over the identity, such as
    ``{(",", "."): 0.5, (",", "none"): 0.25}``. Entries lie in [0, 1], the diagonal is 1. With a whole matrix, other
    types than its own are an error. It may be asymmetric, which the signature then says. ``transposition``: one number,
    or a mapping from types; by default a quarter of a type's deletion and insertion cost, the seed's "half of
    insertion/deletion". A position with two types is an error. Types have no order here.

    ``algorithm="pardist"`` is the recursion of section 3.2 as printed, no minimum and not symmetric.
    ``compat="segsimflex"`` is the R package 0.1.3: that recursion with the cost of the right-hand boundary (``mover``),
    a cost of moving of 0.5 unless given, and a pair that is both moved and substituted counted as two objects where
    nothing else is left of the run (``counting``). Its reuse of pruned results is not copied.

    Lai, R. K. Y., & Li, Y. (2023). Text segmentation similarity revisited: A flexible distance-based
    approach for multiple boundary types. Proceedings of the Society for Computation in Linguistics.

    >>> from caesura import Segmentation
    >>> a = Segmentation.from_marks(["", ",", "", "", "."])
    >>> b = Segmentation.from_marks(["", "", ",", "", "?"])
    >>> score = flexible_similarity(a, b, similarity={(".", "?"): 0.25})
    >>> score.value, score.parts
    (0.75, {'cost': 1.25, 'positions': 5, 'objects': 2})
    >>> [(e.kind, e.a_position, e.b_position, e.cost) for e in score.edits]
    [('transposition', 2, 3, 0.5), ('substitution', 5, 5, 0.75)]
    """
    given: dict[str, Any] = {
        "similarity": similarity,
        "transposition": transposition,
        "normalize": normalize,
        "algorithm": algorithm,
        "mover": mover,
        "counting": counting,
    }
    # A matrix may warn, and a file may change: only measures without one are kept.
    if similarity is None:
        return FlexibleSimilarity.cached(compat, **given).score(a, b)
    return FlexibleSimilarity(compat=compat, **given).score(a, b)
