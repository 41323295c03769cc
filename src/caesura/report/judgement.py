"""A judgement as tables: who is how good, whether that is luck, and where each goes wrong."""

from __future__ import annotations

from collections.abc import Iterable

from caesura.judging.comparison import Comparison
from caesura.judging.mistakes import Mistakes
from caesura.judging.result import Drop, Judged, Judgement, Replacement
from caesura.report.table import Cell, Table

__all__ = ["comparison_table", "drop_table", "mistake_list", "mistake_table", "replacement_table", "score_tables"]


def score_tables(found: Judgement) -> list[Table]:
    """A table a measure: systems best first, then the bounds."""
    tables = []
    by_measure: dict[str, list[Judged]] = {}
    for row in found.rows:
        by_measure.setdefault(repr(row.measure), []).append(row)
    letters = {repr(one.measure): dict(zip(one.systems, one.letters, strict=True))
               for one in found.comparisons if one.letters is not None}  # fmt: skip
    for name, rows in by_measure.items():
        tables.append(_scores(rows, letters.get(name, {}), found))
    return tables


def _scores(rows: list[Judged], letters: dict[str, str], found: Judgement) -> Table:
    measure = rows[0].measure
    up = measure.higher_is_better
    systems = sorted((row for row in rows if not row.bound), key=lambda row: -row.value if up else row.value)
    bounds = [row for row in rows if row.bound]
    figures = [name for name in rows[0].score.figures if name != "f"]
    columns = ["segmenter", "value", "low", "high", "macro", *figures, *(["letters"] if letters else []), "items"]
    body: list[tuple[Cell, ...]] = []
    for row in (*systems, *bounds):
        low, high = row.interval or (None, None)
        body.append(
            (f"({row.segmenter})" if row.bound else row.segmenter, row.value, low, high, row.macro,
             *(row.score.figures[name] for name in figures),
             *([letters.get(row.segmenter, "")] if letters else []), row.items)
        )  # fmt: skip
    best = "" if up else ", an error rate: lower is better"
    notes = [f"interval: {rows[0].interval_note}".replace("interval: no interval", "no interval")]
    if letters:
        notes.append(
            f"systems that share a letter do not differ at {found.comparisons[0].alpha:g} (randomisation, Holm)"
        )
    if "human" in found.undefined and bounds:
        notes.append(f"(human) is undefined: {found.undefined['human']}")
    if rows[0].score.documents:
        notes.append(f"{found.signature.rsplit('|', 1)[0]}|{rows[0].score.signature}")
    return Table(tuple(columns), tuple(body), title=f"{measure.label}{best}", notes=tuple(notes))


def comparison_table(one: Comparison) -> Table:
    """Every pair of systems under one measure, under every test."""
    rows = [
        (" - ".join(pair.systems), pair.difference, *(pair.interval or (None, None)), pair.randomisation,
         pair.bootstrap, pair.friedman, pair.kruskal_wallis, f"{pair.wins}/{pair.ties}/{pair.losses}", pair.items)
        for pair in one.pairs
    ]  # fmt: skip
    notes = [
        "p-values are corrected for the number of pairs. Over items: approximate randomisation, studentised bootstrap; over "
        "(item, coder): Friedman with WNMT, Kruskal-Wallis"
    ]
    for name, test in (("Friedman", one.friedman), ("Kruskal-Wallis", one.kruskal_wallis)):
        if test is not None:
            notes.append(f"{name}: {test.statistic:.4f}, {test.df} degrees of freedom, p = {test.p:.3g}")
    columns = (
        "systems", "difference", "low", "high", "p randomisation", "p bootstrap", "p Friedman", "p Kruskal-Wallis",
        "wins/ties/losses", "items",
    )  # fmt: skip
    return Table(columns, tuple(rows), title=f"Systems compared, {one.measure.label}", notes=(*notes, *one.notes))


def drop_table(drops: Iterable[Drop]) -> Table:
    """What the coders' agreement loses when a system joins them."""
    listed = list(drops)
    rows = [(one.system, *_defined(one.value), one.coders, one.joined, one.undefined) for one in listed]
    columns = ("system", "drop", "coders alone", "with the system", "why")
    title = f"Drop in agreement, {listed[0].coefficient} over {listed[0].measure.label}"
    return _without_empty(Table(columns, tuple(rows), title=title))


def replacement_table(found: Iterable[Replacement]) -> Table:
    """Could a system take the place of a coder?"""
    listed = list(found)
    rows: list[tuple[Cell, ...]] = []
    for one in listed:
        if one.test is None:
            rows.append((one.system, "undefined", None, None, None, one.undefined))
        else:
            won = sum(each.rejected for each in one.test.coders)
            rows.append(
                (one.system, "yes" if one.test.passed else "no", one.test.winning_rate, one.test.advantage,
                 f"{won} of {len(one.test.coders)}", None)
            )  # fmt: skip
    columns = ("system", "may replace a coder", "winning rate", "advantage", "coders beaten", "why")
    epsilon = next((one.test.epsilon for one in listed if one.test is not None), None)
    title = f"Alternative annotator test over {listed[0].measure.label}" + (f", epsilon {epsilon:g}" if epsilon else "")
    return _without_empty(Table(columns, tuple(rows), title=title))


def _defined(value: float | None) -> tuple[Cell]:
    return ("undefined" if value is None else value,)


def _without_empty(table: Table) -> Table:
    """The same without columns in which nothing stands."""
    kept = [i for i in range(len(table.columns)) if i == 0 or any(row[i] is not None for row in table.rows)]
    return Table(
        tuple(table.columns[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in table.rows),
        title=table.title, notes=table.notes,
    )  # fmt: skip


def mistake_table(found: Iterable[Mistakes]) -> Table:
    """How often each system goes wrong in which way, over all items and coders."""
    listed = list(found)
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for one in listed:
        n = one.counts
        rows.append(
            (one.system, one.matches, n["miss"], n["false alarm"], n["near miss"], one.early, one.late, n["confusion"],
             one.offset, one.density, one.coders_density)
        )  # fmt: skip
        if one.offset:
            side = "late" if one.offset > 0 else "early"
            notes.append(
                f"{one.system} is systematically {abs(one.offset)} {side}: shifted by that, {one.offsets[one.offset]} "
                f"boundaries coincide and not {one.offsets[0]}"
            )
        if one.confused:
            most = ", ".join(f"{a} as {b} {times}" for (a, b), times in list(one.confused.items())[:5])
            notes.append(f"{one.system}, types confused most: {most}")
    columns = (
        "system", "matches", "misses", "false alarms", "near misses", "early", "late", "confusions", "offset",
        "per position", "coders' per position",
    )  # fmt: skip
    return Table(columns, tuple(rows), title="Where systems go wrong, against every coder", notes=tuple(notes))


def mistake_list(one: Mistakes) -> Table:
    """Every mistake of one system."""
    rows = [
        (each.item, each.stream, each.coder, each.kind, each.position, each.system_position,
         each.offset if each.kind == "near miss" else None, each.type, each.system_type)
        for each in one.mistakes
    ]  # fmt: skip
    columns = ("item", "stream", "coder", "kind", "coder has", "system has", "late by", "type", "system's type")
    return _without_empty(Table(columns, tuple(rows), title=f"Mistakes of {one.system}"))
