"""Tables of agreement (coefficients, coders, pairs of coders, items, clusters), and a dendrogram as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from caesura.agreement.clusters import Clustering
from caesura.agreement.cochran import CochranQ
from caesura.agreement.groups import GroupedAgreement
from caesura.agreement.labels import LabelAgreement
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.agreement.result import Agreement
from caesura.agreement.unitizing_registry import UNITIZING
from caesura.agreement.unitizing_scores import UnitizingAgreement
from caesura.errors import OptionConflictError
from caesura.measures.registry import short_signature
from caesura.model.result import Excluded
from caesura.model.segmentation import UNTYPED
from caesura.model.value import count_of
from caesura.options import OptionSet, switch
from caesura.tasks.agree import AgreementOutcome, AgreementStudy, Outcome
from caesura.views.answer import Answer, Section
from caesura.views.answers.coders import coefficient_name, headline, outcome_answer, worst_items
from caesura.views.answers.words import MEAN_NOTE, PLACEMENT_NOTE, STRENGTH_NOTE
from caesura.views.table import Cell, Table, cells, clean, extra_figures, interval_cells, or_undefined, pad, text_width

# Number of rows that a terminal shows of the main table.
MAX_ITEMS = 20
_DENSITY = {"boundaries": "per position", "spans": "per unit"}


def _defined(outcomes: Iterable[AgreementOutcome]) -> list[tuple[AgreementOutcome, Agreement]]:
    return [(outcome, outcome.result) for outcome in outcomes if outcome.result is not None]


def _heading(outcome: AgreementOutcome) -> dict[str, Any]:
    return {"coefficient": outcome.coefficient, "over": outcome.over}


def _excluded(excluded: Iterable[Excluded]) -> tuple[str, ...]:
    return tuple(f"item {entry.item!r} excluded: {entry.reason}" for entry in excluded if entry.coder is None)


def agreement_table(outcomes: Sequence[AgreementOutcome]) -> Table:
    """Return one row per coefficient and measure, with its interval."""
    results = [result for _, result in _defined(outcomes)]
    simulated = any(result.standard_error for result in results)
    columns = ["coefficient", "over", "value", "low", "high", "observed", "expected"]
    columns += ["error", "chance"] if simulated else []
    columns += ["placed", "placed expected", "reason"]
    notes, digits = agreement_notes(results), 6 if simulated else 4
    table = Table.from_records(map(_agreement_record, outcomes), columns=columns, notes=notes, digits=digits)
    return table.without_empty_columns(("expected", "placed", "placed expected", "reason"))


def agreement_notes(results: Sequence[Agreement]) -> tuple[str, ...]:
    notes = [
        result.interval_note if result.interval is None else f"interval: {result.interval_note}" for result in results
    ]
    notes += [MEAN_NOTE for result in results if result.expected is None and result.coefficient != "percent"]
    biases = {result.bias for result in results if result.bias is not None}
    notes += [f"bias, A_e(pi) - A_e(kappa): {bias:.4f}" for bias in sorted(biases)]
    return tuple(dict.fromkeys((*notes, *map(short_signature, results))))


def _agreement_record(outcome: AgreementOutcome) -> dict[str, Any]:
    result = outcome.result
    if result is None:
        return _heading(outcome) | {"value": "undefined", "reason": outcome.reason}
    record = _heading(outcome) | cells(result, "value", "observed", "expected") | interval_cells(result.interval)
    record |= {"error": result.standard_error, "chance": result.method}
    placement = outcome.placement
    return record if placement is None else record | {"placed": placement.value, "placed expected": placement.expected}


def coder_table(outcomes: Sequence[AgreementOutcome], placed: Placed) -> Table:
    """Return one row per coder: boundaries, agreement with all others, and agreement of the others without this coder."""
    by_coder = {row.coder: row for row in placed.rows}
    records: list[dict[str, Any]] = []
    notes = [_boundaries_per_item(placed)] if placed.rows else []
    for outcome, result in _defined(outcomes):
        heading = _heading(outcome)
        for row in result.coders:
            boundaries = by_coder.get(row.coder)
            counts: dict[str, Any] = {"coder": row.coder, "items": row.items}
            if boundaries is not None:
                density = boundaries.per_unit if boundaries.positions else None
                counts |= {placed.noun: boundaries.boundaries, _DENSITY[placed.noun]: density}
            without = row.without if len(result.coders) > 2 else None
            records.append(
                heading | counts | {"value": or_undefined(row.value), "without": without} | cells(row, "gain")
            )
        notes += [
            f"{outcome.coefficient} over {outcome.over}: the others agree best without {row.coder}, "
            f"{row.without:.4f} ({row.gain:+.4f})"
            for row in result.outliers[:1]
        ]
    title = "Each coder with all others"
    table = Table.from_records(records, title=title, notes=tuple(notes), group=2, split_groups=True)
    return table.without_empty_columns(("per position",))


def _boundaries_per_item(placed: Placed) -> str:
    return f"{placed.noun} per item: {placed.mean:.4f} ± {placed.deviation:.4f} over coders"


def pair_table(outcomes: Sequence[AgreementOutcome]) -> Table:
    """Return one row per pair of coders, each computed as if there were no other coders."""
    records = [
        _heading(outcome)
        | {"coders": " - ".join(row.coders), "value": or_undefined(row.value)}
        | {"observed": row.observed, "expected": row.expected, "items": row.items}
        for outcome, result in _defined(outcomes)
        for row in result.pairs
    ]
    table = Table.from_records(records, title="Pairs of coders", group=2, split_groups=True)
    return table.without_empty_columns(("expected",))


def item_table(outcomes: Sequence[AgreementOutcome]) -> Table:
    """Return one row per item, each computed as if there were no other items."""
    records = [
        _heading(outcome)
        | {"item": row.item, "value": or_undefined(row.value), "observed": row.observed, "expected": row.expected}
        for outcome, result in _defined(outcomes)
        for row in result.items
    ]
    return Table.from_records(records, title="Items", group=2, split_groups=True)


def pairwise_table(pairs: Pairwise) -> Table:
    """Return one row per pair of coders under one measure, with further figures such as precision and recall."""
    names = extra_figures(row.score for row in pairs.rows)
    records = [
        {"coders": " - ".join(row.coders), "value": row.value}
        | {name: row.score.figures.get(name) for name in names}
        | {"items": len(row.items)}
        for row in pairs.rows
    ]
    notes = (
        f"mean over pairs: {pairs.mean:.4f} ± {pairs.deviation:.4f}",
        *_excluded(pairs.excluded),
        short_signature(pairs),
    )
    return Table.from_records(records, title=pairs.measure.label, notes=notes)


def placed_table(placed: Placed) -> Table:
    """Return one row per coder: number of boundaries, in total and of each type."""
    types = list(dict.fromkeys(name for row in placed.rows for name in row.types))
    names = types if set(types) - set(UNTYPED) else []
    records = [
        cells(row, "coder", "items", "boundaries", "per item")
        | {"per position": row.per_unit if row.positions else None}
        | {name: row.types.get(name, 0) for name in names}
        for row in placed.rows
    ]
    table = Table.from_records(records, title="Boundaries", notes=(_boundaries_per_item(placed),))
    return table.without_empty_columns(("per position",))


def cluster_table(clustering: Clustering) -> Table:
    """Return one row per cluster, in the order in which they were joined."""
    rows = tuple(
        (step, ", ".join(cluster.coders), cluster.height, or_undefined(cluster.value))
        for step, cluster in enumerate(clustering.clusters, 1)
    )
    title = f"Coders joined by {clustering.linkage} linkage of 1 - {clustering.measure.label}"
    columns = ("step", "coders", "distance", clustering.coefficient)
    return Table(columns, rows, title=title, notes=(clustering.signature,))


def cochran_table(result: CochranQ) -> Table:
    """Return one row per number of coders that marked a position, with its part of Q; thresholds as notes."""
    records = [
        {"coders that marked it": row.g, "positions": row.positions, "partial Q": row.q, **cells(row, "df", "p")}
        | {"significant": "yes" if row.significant else "no"}
        for row in result.partial
    ]
    partial, chance = (
        "none" if threshold is None else f"{threshold} of {len(result.coders)} coders"
        for threshold in (result.threshold, result.chance_threshold)
    )
    notes = (
        f"threshold at alpha = {result.alpha:g} by partial Q: {partial} (lenient, because the groups depend on the outcome); "
        f"by the exact chance distribution: {chance}",
        f"percentage agreement with the majority: {result.percentage:.4f} (inflated if boundaries are rare)",
        *_excluded(result.excluded),
        result.signature,
    )
    title = f"Cochran's Q = {result.q:.4f}, {result.df} degrees of freedom, p = {result.p:.3g}"
    return Table.from_records(records, title=title, notes=notes, p_values=("p",))


def heat_table(strips: Sequence[Heat]) -> Table:
    """Return one row per position of every item: number of coders who marked it, and total number of coders."""
    if not any(strip.counts for strip in strips):
        return Table((), ())
    with_streams = any(strip.stream for strip in strips)
    names = ("item", *(("stream",) if with_streams else ()), "position", "marked by", "coders")
    rows: list[tuple[Cell, ...]] = []
    for strip in strips:
        head = (strip.item, strip.stream) if with_streams else (strip.item,)
        rows += [(*head, position, number, strip.coders) for position, number in enumerate(strip.counts, 1)]
    return Table(names, tuple(rows))


def draw_heat(strips: Sequence[Heat], *, width: int = 50) -> str:
    """Return one character per position: ``·`` for no boundary, else the number of coders, or ``#`` for ten or more."""
    lines: list[str] = []
    for strip in strips:
        name = strip.item if strip.stream is None else f"{strip.item}, {strip.stream}"
        lines += ["", f"{clean(name)}, {count_of(strip.coders, 'coder')}"]
        marks = "".join("·" if n == 0 else str(n) if n < 10 else "#" for n in strip.counts)
        starts = range(0, max(len(marks), 1), width)
        lines += [f"{start + 1:5}  {marks[start : start + width]}".rstrip() for start in starts]
    return "\n".join(lines[1:])


def label_table(result: LabelAgreement) -> Table:
    columns = ("value", "deviation", "comparisons")
    records = [{"coders": " - ".join(row.coders), **cells(row, *columns)} for row in result.pairs]
    records.append({"coders": "all", **cells(result, *columns)})
    notes = (*_excluded(result.excluded), result.signature)
    table = Table.from_records(records, title="Labels of segments, unit by unit", notes=notes)
    return table.renamed({"value": "mean Jaccard"})


# -- dendrogram ------------------------------------------------------------------------------------------------------

Coders = tuple[str, ...]
# Cluster, or single coder -> row and column of its joint.
Places = dict[Coders, tuple[int, int]]


def draw_dendrogram(clustering: Clustering, *, width: int = 60) -> str:
    """Return a dendrogram: coders on the left, joints at their distance, and coefficients to the right of them."""
    # A coefficient is omitted if it does not fit. Three coders look like this:
    #
    # ann ───┐
    #        ├ .71 ──┐
    # bo  ───┘       ├
    # cy  ───────────┘
    places, next_joint = _layout(clustering, width)
    labels = {  # two decimals without the zero before them
        cluster.coders: " undefined " if cluster.value is None else re.sub(r"\b0\.", ".", f" {cluster.value:.2f} ")
        for cluster in clustering.clusters
    }
    columns = places[clustering.clusters[-1].coders][1] + max(map(len, labels.values())) + 2
    canvas = [[" "] * columns for _ in range(2 * len(clustering.leaves) - 1)]
    for cluster in clustering.clusters:
        upper, lower = sorted(places[half] for half in cluster.halves)
        column = places[cluster.coders][1]
        for (row, start), corner in ((upper, "┐"), (lower, "┘")):
            canvas[row][start + 1 : column] = "─" * (column - start - 1)
            canvas[row][column] = corner
        for row in range(upper[0] + 1, lower[0]):
            canvas[row][column] = "│"
    for coders, label in labels.items():
        row, column = places[coders]
        canvas[row][column] = "├"
        if column + len(label) + 1 < next_joint.get(coders, columns):
            canvas[row][column + 1 : column + 1 + len(label)] = label
    names = list(map(clean, clustering.leaves))
    margin = max(map(text_width, names)) + 1
    lines = [pad(names[i // 2] if i % 2 == 0 else "", margin) + "".join(line) for i, line in enumerate(canvas)]
    return "\n".join(line.rstrip() for line in lines)


def _layout(clustering: Clustering, width: int) -> tuple[Places, dict[Coders, int]]:
    """Return the place of each joint, and for each coder or cluster the column of the next joint to its right."""
    top = max(cluster.height for cluster in clustering.clusters) or 1.0
    places: Places = {(name,): (2 * i, -1) for i, name in enumerate(clustering.leaves)}
    next_joint: dict[Coders, int] = {}
    for cluster in clustering.clusters:
        rows, columns = zip(*(places[half] for half in cluster.halves), strict=True)
        column = max(round(cluster.height / top * width), max(columns) + 1)
        places[cluster.coders] = (sum(rows) // 2, column)
        next_joint |= dict.fromkeys(cluster.halves, column)
    return places, next_joint


# -- output of the command -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgreeTables(OptionSet):
    by_coder: bool = switch(
        "Add each coder's agreement with the others, and the agreement of the others without this coder.",
        flags=("--coders",),
    )
    by_pair: bool = switch("Add one row per pair of coders.", flags=("--pairs",))
    by_category: bool = switch("Add one row per category, for spans.", flags=("--categories",))


def agreement_view(study: AgreementStudy, tables: AgreeTables, *, width: int) -> Answer:
    """Return what ``caesura agree`` prints."""
    coefficients = Section("coefficients", agreement_table(study.agreement))
    sections = [coefficients]
    if study.defined:
        sections = [
            Section("items", items_table(study)),
            coefficients,
            Section("coders", partial(coder_table, study.agreement, study.placed), tables.by_coder),
            Section("pairs", partial(pair_table, study.agreement), tables.by_pair),
            *_category_sections(study, tables),
        ]
    for name, outcome in study.analyses.items():
        sections += _analysis_sections(name, outcome, width)
    sections += _group_sections(study.groups)
    return Answer(outcome_answer(headline(study.agreement)), tuple(sections))


def category_table(outcomes: Sequence[AgreementOutcome]) -> Table:
    rows: dict[str | None, dict[str, Any]] = {}
    for outcome, result in _defined(outcomes):
        if not isinstance(result, UnitizingAgreement):
            continue
        name = UNITIZING[outcome.coefficient].category_label or coefficient_name(outcome)
        for row in result.categories:
            record = rows.setdefault(row.category, {"category": row.category or "(none)", "spans": row.spans})
            record[name] = or_undefined(row.value)
            if row.coverage is not None:
                record["coverage"] = row.coverage
            if row.reason is not None:
                record.setdefault("reason", row.reason)
    names = dict.fromkeys(name for record in rows.values() for name in record)
    columns = sorted(names, key=lambda name: name == "reason")  # reasons are last
    return Table.from_records(rows.values(), columns=columns, title="Categories of spans")


def _category_sections(study: AgreementStudy, tables: AgreeTables) -> list[Section]:
    table = category_table(study.agreement)
    if tables.by_category and not table.rows:
        raise OptionConflictError("--categories: no coefficient has a table of categories; it needs spans and -c gamma")
    return [Section("categories", table, tables.by_category)] if table.rows else []


def group_table(studies: Sequence[GroupedAgreement]) -> Table:
    """Return one row per group of coders, with mean and deviation over groups below."""
    rows: dict[str, dict[str, Any]] = {
        group.name: {"group": group.name, "coders": len(group.coders)} for group in studies[0].groups
    }
    mean: dict[str, Any] = {"group": "mean"}
    deviation: dict[str, Any] = {"group": "deviation"}
    for study in studies:
        name = coefficient_name(AgreementOutcome(None, coefficient=study.coefficient, measure=study.measure))
        mean[name], deviation[name] = study.mean, study.deviation
        placed = f"{name} placed"
        if study.placement_mean is not None:
            mean[placed], deviation[placed] = study.placement_mean, study.placement_deviation
        for group in study.groups:
            rows[group.name][name] = or_undefined(group.value)
            rows[group.name][placed] = or_undefined(None if group.placement is None else group.placement.value)
    reasons = {f"{group.name}: {group.reason}" for study in studies for group in study.groups if group.reason}
    return Table.from_records(
        [*rows.values(), mean, deviation],
        columns=["group", "coders", *(name for name in mean if name != "group")],
        title="Agreement inside groups of coders",
        notes=tuple(sorted(reasons)),
    )


def _group_sections(studies: Sequence[GroupedAgreement]) -> list[Section]:
    if not studies:
        return []
    sections = [Section("groups", group_table(studies), shown=True)]
    for group in studies[0].groups:
        if group.clusters is not None:
            table = replace(cluster_table(group.clusters), title=f"Clusters in the group {group.name}")
            sections.append(Section(f"clusters-{group.name}", table, shown=True))
    return sections


def items_table(study: AgreementStudy) -> Table:
    """Return one row for all items and one per item, least agreement first, with a column per coefficient."""
    everything: dict[str, Any] = {"item": "all"}
    by_item: dict[str, dict[str, Any]] = {row.item: {"item": row.item} for row in worst_items(study.defined[0][1])}
    columns: list[tuple[str, Agreement | None]] = []
    for outcome in study.agreement:
        name = coefficient_name(outcome)
        columns.append((name, outcome.result))
        if outcome.placement is not None:
            columns.append((f"{name} placed", outcome.placement))
    for name, result in columns:
        everything[name] = or_undefined(None if result is None else result.value)
        for row in () if result is None else result.items:
            by_item.setdefault(row.item, {"item": row.item})[name] = or_undefined(row.value)
    records = [everything, *by_item.values()] if len(by_item) > 1 else [*by_item.values()]
    has_chance = {result.expected is not None for _, result in study.defined if result.coefficient != "percent"}
    notes = [STRENGTH_NOTE] if True in has_chance else []
    notes += [PLACEMENT_NOTE] if any(outcome.placement for outcome in study.agreement) else []
    notes += [MEAN_NOTE] if False in has_chance else []
    notes += [short_signature(result) for _, result in study.defined]
    return Table.from_records(records, columns=tuple(everything), notes=tuple(notes), limit=MAX_ITEMS)


def _analysis_sections(name: str, outcome: Outcome[Any], width: int) -> list[Section]:
    result = outcome.result
    table_name = {"label_similarity": "labels"}.get(name, name)
    if result is None:
        return [Section(table_name, Table((name, "reason"), (("undefined", outcome.reason),)), shown=True)]
    if name == "heat":
        columns = max(10, min(50, width - 8))
        return [
            Section("heat", lambda: heat_table(result)),
            Section(
                "heat drawing",
                lambda: "Boundaries by position\n\n" + draw_heat(result, width=columns),
                shown=True,
                drawing=True,
            ),
        ]
    if name != "clusters":
        return [Section(table_name, cochran_table(result) if name == "cochran" else label_table(result), shown=True)]
    margin = max(map(text_width, result.coders)) + 16
    dendrogram = draw_dendrogram(result, width=max(20, min(width - margin, 60)))
    return [Section("clusters", cluster_table(result), shown=True), Section("dendrogram", dendrogram, shown=True)]
