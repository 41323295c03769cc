"""A judgement as tables: who is how good, whether that is luck, and where each goes wrong."""

from __future__ import annotations

from collections.abc import Iterable

from caesura.judging.comparison import Comparison
from caesura.judging.mistakes import Mistakes
from caesura.judging.result import Drop, Judged, Judgement, Replacement
from caesura.model.segmentation import UNTYPED
from caesura.views.table import Cell, Table

__all__ = [
    "comparison_table",
    "drop_table",
    "mistake_list",
    "mistake_table",
    "replacement_table",
    "score_notes",
    "score_table",
    "score_tables",
]


def score_tables(found: Judgement) -> list[Table]:
    """A table a measure: systems best first, then the bounds."""
    return [_scores(rows, found) for rows in _by_measure(found)]


def score_table(found: Judgement) -> Table:
    """All measures in one table, for machines."""
    listed = [(row, name) for rows in _by_measure(found) for row in rows for name in row.score.figures if name != "f"]
    figures = list(dict.fromkeys(name for _, name in listed))
    columns = (
        "measure",
        "segmenter",
        "bound",
        "value",
        "low",
        "high",
        "macro",
        *figures,
        "letters",
        "pairs",
        "standard error",
        "items",
    )
    body: list[tuple[Cell, ...]] = []
    for rows in _by_measure(found):
        letters = _letters(found, rows[0])
        for row in rows:
            low, high = row.interval or (None, None)
            body.append(
                (
                    repr(row.measure),
                    row.segmenter,
                    "yes" if row.bound else "no",
                    row.value,
                    low,
                    high,
                    row.macro,
                    *(row.score.figures.get(name) for name in figures),
                    None if row.bound else letters.get(row.segmenter),
                    row.pairs,
                    row.standard_error,
                    row.items,
                )
            )
    return Table(columns, tuple(body))


def _by_measure(found: Judgement) -> list[list[Judged]]:
    """The rows of each measure: systems best first, then the bounds."""
    made: dict[str, list[Judged]] = {}
    for row in found.rows:
        made.setdefault(repr(row.measure), []).append(row)
    out = []
    for rows in made.values():
        up = rows[0].measure.higher_is_better
        systems = sorted((row for row in rows if not row.bound), key=lambda row: -row.value if up else row.value)
        out.append([*systems, *(row for row in rows if row.bound)])
    return out


def _letters(found: Judgement, row: Judged) -> dict[str, str]:
    for one in found.comparisons:
        if one.measure == row.measure and one.letters is not None:
            return dict(zip(one.systems, one.letters, strict=True))
    return {}


def _scores(rows: list[Judged], found: Judgement) -> Table:
    measure, letters = rows[0].measure, _letters(found, rows[0])
    figures = [name for name in rows[0].score.figures if name != "f"]
    counted = any(row.pairs is not None for row in rows)
    columns = [
        "segmenter",
        "F" if "f" in rows[0].score.figures else "value",
        "low",
        "high",
        *(["±", "pairs"] if counted else []),
        "macro",
        *figures,
        *(["letters"] if letters else []),
        "items",
    ]
    body: list[tuple[Cell, ...]] = []
    for row in rows:
        low, high = row.interval or (None, None)
        body.append(
            (
                f"({row.segmenter})" if row.bound else row.segmenter,
                row.value,
                low,
                high,
                *((row.standard_error, row.pairs) if counted else ()),
                row.macro,
                *(row.score.figures[name] for name in figures),
                *(["" if row.bound else letters.get(row.segmenter, "")] if letters else []),
                row.items,
            )
        )
    error = "" if measure.higher_is_better else ", an error rate: lower is better"
    without = next((row.interval_note for row in rows if row.interval_note.startswith("no interval:")), None)
    notes = [*([] if without is None else [without]), rows[0].score.signature]
    table = Table(tuple(columns), tuple(body), title=f"{measure.label}{error}", notes=tuple(notes))
    return _without_empty(table)


def score_notes(found: Judgement) -> tuple[str, ...]:
    """What holds for all score tables, said once."""
    first = found.rows[0]
    notes = ["value and figures: from counts summed over all items and coders; macro: the mean over items"]
    interval = next((row.interval_note for row in found.rows if row.interval and not row.bound), None)
    if first.pairs is not None:
        level = interval.split(",")[0] if interval else ""
        notes.append(
            f"low, high: {level}, mean ± z standard errors over boundary pairs as if they were independent: too short"
        )
    elif interval is not None:
        notes.append(f"low, high: {interval}")
    drawn = next((row.interval_note for row in found.rows if row.bound and row.segmenter == "random"), None)
    if drawn is not None:
        notes.append(f"low, high of (random): {drawn}")
    if any(one.letters is not None for one in found.comparisons):
        alpha = found.comparisons[0].alpha
        notes.append(f"letters: systems that share one do not differ at {alpha:g} (randomisation over items, Holm)")
    if "human" in found.undefined and any(row.bound for row in found.rows):
        notes.append(f"(human) is undefined: {found.undefined['human']}")
    return (*notes, found.signature)


def comparison_table(found: Iterable[Comparison]) -> Table:
    """Every pair of systems under every measure and every test."""
    listed = list(found)
    rows = [
        (
            one.measure.label,
            " - ".join(pair.systems),
            pair.difference,
            *(pair.interval or (None, None)),
            pair.randomisation,
            pair.bootstrap,
            pair.friedman,
            pair.kruskal_wallis,
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            pair.items,
        )
        for one in listed
        for pair in one.pairs
    ]
    notes = [
        "p-values, corrected for the number of pairs: randomisation and studentised bootstrap over items (Holm), Friedman "
        "(WNMT) and Kruskal-Wallis over item and coder; w/t/l: items won, tied, lost",
        "the last two p-values take coders of one item for independent: with several coders they are too small",
    ]
    for one in listed:
        tests = (("Friedman", one.friedman), ("Kruskal-Wallis", one.kruskal_wallis))
        told = [f"{name} {test.statistic:.2f}, p = {test.p:.2g}" for name, test in tests if test is not None]
        freedom = next((test.df for _, test in tests if test is not None), None)
        if told:
            notes.append(f"{one.measure.label}, all systems: {'; '.join(told)} ({freedom} df)")
    notes += dict.fromkeys(note for one in listed for note in one.notes)
    columns = (
        "measure",
        "systems",
        "difference",
        "low",
        "high",
        "p random.",
        "p bootstr.",
        "p Friedman",
        "p Kruskal",
        "w/t/l",
        "items",
    )
    return Table(columns, tuple(rows), title="Systems compared", notes=tuple(notes), group=1)


def drop_table(drops: Iterable[Drop]) -> Table:
    """What the coders' agreement loses when a system joins them."""
    listed = list(drops)
    rows = [
        (one.system, *_defined(one.value), one.coders, one.joined, one.items or None, one.undefined) for one in listed
    ]
    columns = ("system", "drop", "coders alone", "with the system", "items", "why")
    notes = (
        f"{listed[0].coefficient} over {listed[0].measure.label}; 0 or below: the system agrees with the coders as they do "
        "with each other",
    )
    return _without_empty(Table(columns, tuple(rows), title="Drop in agreement", notes=notes))


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
                (
                    one.system,
                    "yes" if one.test.passed else "no",
                    f"{won} of {len(one.test.coders)}",
                    one.test.winning_rate,
                    one.test.advantage,
                    None,
                )
            )
    columns = ("system", "may replace a coder", "coders beaten", "winning rate", "advantage", "why")
    epsilon = next((one.test.epsilon for one in listed if one.test is not None), None)
    notes = [f"over {listed[0].measure.label}" + ("" if epsilon is None else f", epsilon {epsilon:g}")]
    if epsilon is not None:
        notes[0] += "; passed at a winning rate of .5; advantage: share of items on which it is as close as a coder"
    table = Table(columns, tuple(rows), title="Alternative annotator test", notes=tuple(notes))
    return _without_empty(table)


def _defined(value: float | None) -> tuple[Cell]:
    return ("undefined" if value is None else value,)


def _without_empty(table: Table) -> Table:
    """The same without columns in which nothing stands."""
    kept = [i for i in range(len(table.columns)) if i == 0 or any(row[i] is not None for row in table.rows)]
    return Table(
        tuple(table.columns[i] for i in kept),
        tuple(tuple(row[i] for i in kept) for row in table.rows),
        title=table.title,
        notes=table.notes,
    )


def mistake_table(found: Iterable[Mistakes]) -> Table:
    """How often each system goes wrong in which way, over all items and coders."""
    listed = list(found)
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for one in listed:
        n = one.counts
        rows.append(
            (
                one.system,
                one.matches,
                n["miss"],
                n["false alarm"],
                n["near miss"],
                one.early,
                one.late,
                n["confusion"],
                one.offset,
                one.density,
                one.coders_density,
            )
        )
        if one.offset and one.systematic:
            side = "late" if one.offset > 0 else "early"
            notes.append(
                f"{one.system} is systematically {abs(one.offset)} {side}: shifted by that, {one.offsets[one.offset]} "
                f"boundaries coincide and not {one.offsets[0]}"
            )
        if one.confused:
            most = ", ".join(f"{a} as {b} {times}" for (a, b), times in list(one.confused.items())[:5])
            notes.append(f"{one.system}, types confused most: {most}")
    columns = (
        "system",
        "matches",
        "misses",
        "false alarms",
        "near misses",
        "early",
        "late",
        "confusions",
        "best shift",
        "density",
        "coders' density",
    )
    notes.append("counts are over all items and coders; density: boundaries per inner position")
    return Table(columns, tuple(rows), title="Where systems go wrong", notes=tuple(notes))


def mistake_list(one: Mistakes) -> Table:
    """Every mistake of one system."""
    rows = [
        (
            each.item,
            each.stream,
            each.coder,
            each.kind,
            each.position,
            each.system_position,
            each.offset if each.kind == "near miss" else None,
            _named(each.type),
            _named(each.system_type),
        )
        for each in one.mistakes
    ]
    columns = ("item", "stream", "coder", "kind", "coder has", "system has", "late by", "type", "system's type")
    return _without_empty(Table(columns, tuple(rows), title=f"Mistakes of {one.system}"))


def _named(kind: str | None) -> str | None:
    return None if kind in UNTYPED else kind
