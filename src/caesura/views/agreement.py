"""Agreement as tables: coefficients, coders, pairs, items, clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from caesura.agreement.clusters import Clustering
from caesura.agreement.cochran import CochranQ
from caesura.agreement.labels import LabelAgreement
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.agreement.result import Agreement
from caesura.measures.base import Measure
from caesura.model.segmentation import UNTYPED
from caesura.views.table import Cell, Table, clean

__all__ = [
    "LIMITS",
    "Found",
    "agreement_table",
    "cluster_table",
    "cochran_table",
    "coder_table",
    "draw_heat",
    "heat_table",
    "item_table",
    "label_table",
    "pair_table",
    "pairwise_table",
    "placed_table",
]

LIMITS = (
    "Limits from the literature, conventions and no tests: conclusions from .80 up, tentative ones from .667 "
    "(Krippendorff 2004, for alpha);",
    ".21-.40 fair, .41-.60 moderate, .61-.80 substantial, above almost perfect (Landis & Koch 1977, who call them "
    "arbitrary).",
    "They know nothing of near misses: S-based values run high where boundaries are few, B-based ones lower.",
)


@dataclass(frozen=True)
class Found:
    """What came of one coefficient over one measure: a result, or the reason why it is undefined."""

    coefficient: str
    measure: Measure
    result: Agreement | str

    @property
    def over(self) -> str:
        """Short name of what it is computed over."""
        if self.coefficient == "alpha":
            return "positions"
        if self.measure.name == "flexible_similarity":
            return "S_f" if self.measure["normalize"] == "positions" else "S_f^B"
        if isinstance(self.result, Agreement) and self.result.measure is not None:
            return self.result.measure.label
        return self.measure.label


def _results(found: Iterable[Found]) -> list[tuple[Found, Agreement]]:
    return [(one, one.result) for one in found if isinstance(one.result, Agreement)]


def _shown(value: float | None) -> Cell:
    return "undefined" if value is None else value


def agreement_table(found: Sequence[Found]) -> Table:
    """A row a coefficient and measure, with interval; how chance was found, bias and signatures below."""
    simulated = any(one.standard_error for _, one in _results(found))
    columns = ["coefficient", "over", "value", "low", "high", "observed", "expected"]
    columns += ["error", "chance"] if simulated else []
    columns += ["why"] if any(isinstance(one.result, str) for one in found) else []
    rows: list[tuple[Cell, ...]] = []
    notes: dict[str, None] = {}
    for each in found:
        one = each.result
        cells: dict[str, Cell] = {"coefficient": each.coefficient, "over": each.over}
        if isinstance(one, str):
            cells |= {"value": "undefined", "why": one}
        else:
            low, high = one.interval or (None, None)
            cells |= {
                "value": one.value,
                "low": low,
                "high": high,
                "observed": one.observed,
                "expected": one.expected,
                "error": one.standard_error,
                "chance": one.method,
            }
            notes[f"interval: {one.interval_note}".replace("interval: no interval", "no interval")] = None
        rows.append(tuple(cells.get(name) for name in columns))
    biases = {one.bias for _, one in _results(found) if one.bias is not None}
    for bias in sorted(biases):
        notes[f"bias, A_e(pi) - A_e(kappa): {bias:.4f}"] = None
    for _, one in _results(found):
        notes[one.signature] = None
    return Table(tuple(columns), tuple(rows), notes=tuple(notes), digits=6 if simulated else 4)


def coder_table(found: Sequence[Found], placed: Placed) -> Table:
    """Each coder against all others: what was placed, agreement with them, agreement of the others without."""
    by_coder = {row.coder: row for row in placed.rows}
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = [f"boundaries per item: {placed.mean:.4f} +- {placed.deviation:.4f} over coders"]
    for each, one in _results(found):
        for row in one.coders:
            put = by_coder[row.name]
            rows.append(
                (
                    each.coefficient,
                    each.over,
                    row.name,
                    put.items,
                    put.boundaries,
                    put.per_unit,
                    _shown(row.value),
                    row.without if len(one.coders) > 2 else None,
                    row.gain,
                )
            )
        for row in one.outliers[:1]:
            notes.append(
                f"{each.coefficient} over {each.over}: without {row.name} the others agree best, "
                f"{row.without:.4f} ({row.gain:+.4f})"
            )
    columns = ("coefficient", "over", "coder", "items", "boundaries", "per position", "value", "without", "gain")
    return Table(columns, tuple(rows), title="Each coder with all others", notes=tuple(notes), group=2, apart=True)


def pair_table(found: Sequence[Found]) -> Table:
    """Each pair of coders as if there were no others."""
    rows = [
        (each.coefficient, each.over, " - ".join(row.name), _shown(row.value), row.observed, row.expected, row.items)
        for each, one in _results(found)
        for row in one.pairs
    ]
    columns = ("coefficient", "over", "coders", "value", "observed", "expected", "items")
    return Table(columns, tuple(rows), title="Pairs of coders", group=2, apart=True)


def pairwise_table(found: Pairwise) -> Table:
    """Every pair of coders under one measure, with further figures such as precision and recall."""
    figures = [row.score.figures for row in found.rows]
    names = [name for name in dict.fromkeys(name for each in figures for name in each) if name != "f"]
    rows: list[tuple[Cell, ...]] = [
        (" - ".join(row.coders), row.value, *(each.get(name) for name in names), len(row.items))
        for row, each in zip(found.rows, figures, strict=True)
    ]
    notes = (
        f"mean over pairs: {found.mean:.4f} ± {found.deviation:.4f}",
        *(f"item {item!r} left out: {why}" for item, why in found.dropped.items()),
        found.signature,
    )
    return Table(("coders", "value", *names, "items"), tuple(rows), title=found.measure.label, notes=notes)


def placed_table(found: Placed) -> Table:
    """What each coder placed."""
    types = list(dict.fromkeys(name for row in found.rows for name in row.types))
    named = types if set(types) - set(UNTYPED) else []
    rows: list[tuple[Cell, ...]] = [
        (row.coder, row.items, row.boundaries, row.per_item, row.per_unit, *(row.types.get(name, 0) for name in named))
        for row in found.rows
    ]
    columns = ("coder", "items", "boundaries", "per item", "per position", *named)
    note = f"boundaries per item: {found.mean:.4f} ± {found.deviation:.4f} over coders"
    return Table(columns, tuple(rows), title="Boundaries", notes=(note,))


def item_table(found: Sequence[Found]) -> Table:
    """Each item as if there were no other."""
    rows = [
        (each.coefficient, each.over, row.name[0], _shown(row.value), row.observed, row.expected)
        for each, one in _results(found)
        for row in one.items
    ]
    columns = ("coefficient", "over", "item", "value", "observed", "expected")
    return Table(columns, tuple(rows), title="Items", group=2, apart=True)


def cluster_table(found: Clustering) -> Table:
    """Clusters in the order in which they were joined."""
    rows = [(i, ", ".join(one.coders), one.height, _shown(one.value)) for i, one in enumerate(found.clusters, 1)]
    title = f"Coders joined by {found.method} linkage of 1 - {found.measure.label}"
    return Table(("step", "coders", "distance", found.coefficient), tuple(rows), title=title, notes=(found.signature,))


def cochran_table(found: CochranQ) -> Table:
    """The parts of Q, a row for each number of coders that marked a position; thresholds and percentage below."""
    rows = [(row.g, row.positions, row.q, row.df, row.p, "yes" if row.significant else "no") for row in found.partial]
    title = f"Cochran's Q = {found.q:.4f}, {found.df} degrees of freedom, p = {found.p:.3g}"
    partial = "none" if found.threshold is None else f"{found.threshold} of {len(found.coders)} coders"
    chance = "none" if found.chance_threshold is None else f"{found.chance_threshold} of {len(found.coders)} coders"
    notes = (
        f"threshold at alpha = {found.alpha:g}: by partial Q {partial} (lenient: groups are chosen by the outcome), "
        f"beyond what meets by chance {chance}",
        f"percentage agreement with the majority: {found.percentage:.4f} (inflated where boundaries are rare)",
        *(f"item {item!r} left out: {why}" for item, why in found.dropped.items()),
        found.signature,
    )
    columns = ("coders that marked it", "positions", "partial Q", "df", "p", "significant")
    return Table(columns, tuple(rows), title=title, notes=notes, tiny=("p",))


def heat_table(found: Sequence[Heat]) -> Table:
    """A row for every position of every item: how many marked it, of how many coders."""
    rows = [
        (one.item, *([one.stream] if any(each.stream is not None for each in found) else []), at, n, one.coders)
        for one in found
        for at, n in enumerate(one.counts, 1)
    ]
    streams = ["stream"] if any(one.stream is not None for one in found) else []
    return Table(("item", *streams, "position", "marked by", "coders"), tuple(rows))


def draw_heat(found: Sequence[Heat], *, width: int = 50) -> str:
    """A line of positions for each text: · where nobody put a boundary, else how many did, # for ten and more.

    >>> from caesura.agreement.placed import Heat
    >>> print(draw_heat([Heat("poem", None, 12, (0, 3, 0, 12, 1))]))
    poem, 12 coders
        1  ·3·#1
    """
    lines: list[str] = []
    for one in found:
        name = one.item if one.stream is None else f"{one.item}, {one.stream}"
        lines += ["", f"{clean(name)}, {one.coders} coder{'' if one.coders == 1 else 's'}"]
        marks = "".join("·" if n == 0 else str(n) if n < 10 else "#" for n in one.counts)
        starts = range(0, max(len(marks), 1), width)
        lines += [f"{first + 1:5}  {marks[first : first + width]}".rstrip() for first in starts]
    return "\n".join(lines[1:])


def label_table(found: LabelAgreement) -> Table:
    """Pairs of coders by the labels of their segments."""
    rows: list[tuple[Cell, ...]] = [
        (" - ".join(row.name), row.value, row.deviation, row.comparisons) for row in found.pairs
    ]
    rows.append(("all", found.value, found.deviation, found.comparisons))
    notes = tuple(f"item {item!r} left out: {why}" for item, why in found.dropped.items())
    return Table(
        ("coders", "mean Jaccard", "deviation", "comparisons"),
        tuple(rows),
        title="Labels of segments, unit by unit",
        notes=(*notes, found.signature),
    )
