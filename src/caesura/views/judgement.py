"""Tables of a judgement: scores of systems, significance of differences, and errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from caesura.judging.comparison import SystemComparison, SystemPair
from caesura.judging.judge import Judgement, SegmenterScore
from caesura.judging.mistakes import Mistakes
from caesura.judging.substitution import AgreementDrop, Replacement
from caesura.measures.signatures import short_signature
from caesura.model.segmentation import UNTYPED
from caesura.model.value import count_of
from caesura.options import OptionSet, switch
from caesura.views.answer import Answer, Section
from caesura.views.table import Cell, Table, cells, extra_figures, interval_cells, or_undefined


def score_tables(judgement: Judgement) -> list[Table]:
    """Return one table per measure, with the systems best first and then the bounds.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders.

    Returns
    -------
    list of Table
        The tables, without their common notes.
    """
    return [_measure_table(rows, judgement) for rows in rows_by_measure(judgement)]


def score_table(judgement: Judgement) -> Table:
    """Return all measures in one table, with a column for every figure, to be read by programs.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders.

    Returns
    -------
    Table
        One row per measure and segmenter.
    """
    groups = rows_by_measure(judgement)
    figures = extra_figures(row.score for rows in groups for row in rows)
    return Table.from_records(record for rows in groups for record in _score_records(judgement, rows, figures))


def rows_by_measure(judgement: Judgement) -> list[list[SegmenterScore]]:
    """Return the rows of each measure, with the systems best first and then the bounds.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders.

    Returns
    -------
    list of list of SegmenterScore
        One list per measure.
    """
    groups: dict[str, list[SegmenterScore]] = {}
    for row in judgement.rows:
        groups.setdefault(repr(row.measure), []).append(row)
    return [_best_first(rows) for rows in groups.values()]


def _best_first(rows: list[SegmenterScore]) -> list[SegmenterScore]:
    sign = -1 if rows[0].measure.higher_is_better else 1
    return sorted(rows, key=lambda row: (row.bound, 0 if row.bound else sign * row.value))


def segmenter_name(row: SegmenterScore) -> str:
    """Return the name of a system, or of a bound in brackets.

    Parameters
    ----------
    row : SegmenterScore
        Score of a system or a bound.

    Returns
    -------
    str
        The name.
    """
    return f"({row.segmenter})" if row.bound else row.segmenter


def _measure_table(rows: list[SegmenterScore], judgement: Judgement) -> Table:
    first = rows[0]
    figures = extra_figures([first.score])
    error_rate = "" if first.measure.higher_is_better else ", an error rate: lower is better"
    no_interval = [row.interval_note for row in rows if row.interval_note.startswith("no interval:")][:1]
    records = zip(_score_records(judgement, rows, figures), rows, strict=True)
    table = Table.from_records(
        [record | {"segmenter": segmenter_name(row)} for record, row in records],
        columns=("segmenter", "value", "low", "high", "standard error", "pairs", "macro", *figures, "letters", "items"),
        title=f"{first.measure.label}{error_rate}",
        notes=(*no_interval, *(short_signature(row.score) for row in rows if not row.bound)),
    )
    names = {"standard error": "±", "value": "F" if "f" in first.score.figures else "value"}
    return table.without_empty_columns().renamed(names)


def _score_records(judgement: Judgement, rows: list[SegmenterScore], figures: list[str]) -> Iterator[dict[str, Cell]]:
    """Yield all cells of the systems and bounds under one measure; letters only if there was a test."""
    tests = [comparison for comparison in judgement.comparisons if comparison.measure == rows[0].measure]
    letters = next((comparison.letters for comparison in tests if comparison.letters is not None), {})
    for row in rows:
        yield (
            {"measure": repr(row.measure), "segmenter": row.segmenter, "bound": "yes" if row.bound else "no"}
            | {"value": row.value, **interval_cells(row.interval), "macro": row.macro}
            | {name: row.score.figures.get(name) for name in figures}
            | {"letters": None if row.bound else letters.get(row.segmenter)}
            | cells(row, "pairs", "standard error", "items")
        )


def score_notes(judgement: Judgement) -> tuple[str, ...]:
    """Return the notes that apply to all score tables.

    Parameters
    ----------
    judgement : Judgement
        Systems judged against human coders.

    Returns
    -------
    tuple of str
        Explanation of the columns, and the signature.
    """
    notes = ["value and figures: from counts summed over all items and coders; macro: the mean over items"]
    notes += _interval_notes(judgement)
    if any(comparison.letters is not None for comparison in judgement.comparisons):
        alpha = judgement.comparisons[0].alpha
        notes += [f"letters: systems that share a letter do not differ at {alpha:g} (randomisation over items, Holm)"]
    if "human" in judgement.undefined and any(row.bound for row in judgement.rows):
        notes.append(f"(human) is undefined: {judgement.undefined['human']}")
    return (*notes, judgement.signature)


def _interval_notes(judgement: Judgement) -> Iterator[str]:
    interval = next((row.interval_note for row in judgement.rows if row.interval and not row.bound), None)
    if judgement.rows[0].pairs is not None:
        level = interval.split(",")[0] if interval else ""
        yield f"low, high: {level}, mean ± z standard errors over boundary pairs; too narrow, because pairs are not independent"
    elif interval is not None:
        yield f"low, high: {interval}"
    for row in judgement.rows:
        if row.bound and row.segmenter == "random":
            yield f"low, high of (random): {row.interval_note}"
            return


def comparison_table(comparisons: Iterable[SystemComparison]) -> Table:
    """Return one row per measure and pair of systems, with the p-value of every test.

    Parameters
    ----------
    comparisons : iterable of SystemComparison
        Tests between systems, one comparison per measure.

    Returns
    -------
    Table
        Differences with intervals, p-values, and items won, tied and lost.
    """
    listed = list(comparisons)
    records = [
        {"measure": comparison.measure.label, "systems": " - ".join(pair.systems)}
        | pair_cells(pair)
        | {"p Friedman": pair.friedman, "p Kruskal": pair.kruskal_wallis}
        | {"w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}", "items": pair.items}
        for comparison in listed
        for pair in comparison.pairs
    ]
    notes = [
        "p-values are corrected for the number of pairs: randomisation and studentised bootstrap over items (Holm), Friedman "
        "(WNMT) and Kruskal-Wallis over items and coders; w/t/l: items won, tied, lost",
        "the last two tests treat the coders of an item as independent: with several coders their p-values are too small",
        *(note for comparison in listed for note in _omnibus_notes(comparison)),
        *dict.fromkeys(note for comparison in listed for note in comparison.notes),
    ]
    return Table.from_records(records, title="Systems compared", notes=tuple(notes), group=1)


def pair_cells(pair: SystemPair) -> dict[str, Cell]:
    """Return the cells of two systems or parsers: their difference, its interval, and the p-values over items.

    Parameters
    ----------
    pair : SystemPair
        The two systems or parsers.

    Returns
    -------
    dict of str to float or None
        Column -> cell.
    """
    p_values = {"p random.": pair.randomisation, "p bootstr.": pair.bootstrap}
    return {"difference": pair.difference} | interval_cells(pair.interval) | p_values


def _omnibus_notes(comparison: SystemComparison) -> Iterator[str]:
    """Yield a line with the tests over all systems at once, if there are any."""
    candidates = (("Friedman", comparison.friedman), ("Kruskal-Wallis", comparison.kruskal_wallis))
    tests = [(name, test) for name, test in candidates if test is not None]
    if tests:
        texts = "; ".join(f"{name} {test.statistic:.2f}, p = {test.p:.2g}" for name, test in tests)
        yield f"{comparison.measure.label}, all systems: {texts} ({tests[0][1].df} df)"


def drop_table(drops: Iterable[AgreementDrop]) -> Table:
    """Return one row per system: decrease in agreement when the system joins the coders.

    Parameters
    ----------
    drops : iterable of AgreementDrop
        Drop in agreement of each system.

    Returns
    -------
    Table
        Agreement without and with the system, or the reason why it is undefined.
    """
    listed = list(drops)
    records = [
        {"system": drop.system, "drop": or_undefined(drop.value)}
        | {"coders alone": drop.without_system, "with the system": drop.with_system}
        | {"items": drop.items or None, "reason": drop.reason}
        for drop in listed
    ]
    note = (
        f"{listed[0].coefficient} over {listed[0].measure.label}; 0 or below: the system agrees with the coders as well "
        "as they agree with each other"
    )
    return Table.from_records(records, title="Drop in agreement", notes=(note,)).without_empty_columns()


def replacement_table(replacements: Iterable[Replacement]) -> Table:
    """Return one row per system: whether it could replace a coder, by the alternative annotator test.

    Parameters
    ----------
    replacements : iterable of Replacement
        Test of each system.

    Returns
    -------
    Table
        Result of the test, or the reason why it is undefined.
    """
    listed = list(replacements)
    epsilon = next((replacement.test.epsilon for replacement in listed if replacement.test is not None), None)
    note = f"over {listed[0].measure.label}"
    if epsilon is not None:
        note += (
            f", epsilon {epsilon:g}; a system passes at a winning rate of .5 or more; advantage: proportion of items on "
            "which it is at least as close to the other coders as a coder"
        )
    table = Table.from_records(
        map(_replacement_record, listed),
        columns=("system", "may replace a coder", "coders beaten", "winning rate", "advantage", "reason"),
        title="Alternative annotator test",
        notes=(note,),
    )
    return table.without_empty_columns()


def _replacement_record(replacement: Replacement) -> dict[str, Cell]:
    test = replacement.test
    if test is None:
        return {"system": replacement.system, "may replace a coder": "undefined", "reason": replacement.reason}
    beaten = f"{sum(coder.rejected for coder in test.coders)} of {len(test.coders)}"
    record: dict[str, Cell] = {"system": replacement.system, "may replace a coder": "yes" if test.passed else "no"}
    return record | {"coders beaten": beaten, **cells(test, "winning rate", "advantage")}


def mistake_table(mistakes: Iterable[Mistakes]) -> Table:
    """Return one row per system: number of mistakes of each kind, over all items and coders.

    Parameters
    ----------
    mistakes : iterable of Mistakes
        Mistakes of each system.

    Returns
    -------
    Table
        Counts per kind, best shift and density of boundaries.
    """
    listed = list(mistakes)
    records = [
        cells(entry, "system", "matches")
        | {"misses": entry.counts["miss"], "false alarms": entry.counts["false alarm"]}
        | {"near misses": entry.counts["near miss"], "early": entry.early, "late": entry.late}
        | {"confusions": entry.counts["confusion"], "best shift": entry.offset}
        | {"density": entry.density, "coders' density": entry.coders_density}
        for entry in listed
    ]
    notes = [
        *(note for entry in listed for note in _mistake_notes(entry)),
        "counts are over all items and coders; density: boundaries per inner position",
    ]
    return Table.from_records(records, title="Errors of the systems", notes=tuple(notes))


def _mistake_notes(mistakes: Mistakes) -> Iterator[str]:
    if mistakes.offset and mistakes.systematic:
        side = "late" if mistakes.offset > 0 else "early"
        shift = count_of(abs(mistakes.offset), "position")
        yield (
            f"{mistakes.system} is systematically {shift} {side}: if its boundaries are shifted back, "
            f"{mistakes.offsets[mistakes.offset]} boundaries coincide instead of {mistakes.offsets[0]}"
        )
    if mistakes.confusions:
        texts = ", ".join(f"{entry.type} as {entry.system_type} {entry.count}" for entry in mistakes.confusions[:5])
        yield f"{mistakes.system}, types confused most: {texts}"


def mistake_list(mistakes: Mistakes) -> Table:
    """Return one row per mistake of one system.

    Parameters
    ----------
    mistakes : Mistakes
        Mistakes of the system.

    Returns
    -------
    Table
        Items, coders, kinds and positions.
    """
    records = [
        cells(entry, "item", "stream", "coder", "kind")
        | {"coder has": entry.position, "system has": entry.system_position}
        | {"late by": entry.offset if entry.kind == "near miss" else None}
        | {"type": _type_cell(entry.type), "system's type": _type_cell(entry.system_type)}
        for entry in mistakes.mistakes
    ]
    columns = ("item", "stream", "coder", "kind", "coder has", "system has", "late by", "type", "system's type")
    title = f"Mistakes of {mistakes.system}"
    return Table.from_records(records, columns=columns, title=title).without_empty_columns()


def _type_cell(name: str | None) -> str | None:
    return None if name in UNTYPED else name


# -- output of the command -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeTables(OptionSet):
    """Tables that are added to the scores."""

    errors: bool = switch("Show the number of errors of each kind, for each system.")
    list_errors: bool = switch("List every miss, false alarm, near miss and confusion, one per line.")


def judgement_view(judgement: Judgement, tables: JudgeTables) -> Answer:
    """Return what ``caesura judge`` prints.

    Parameters
    ----------
    judgement : Judgement
        The result.
    tables : JudgeTables
        The tables to add.

    Returns
    -------
    Answer
        Scores, tests, drop in agreement, the alternative annotator test, errors.
    """
    sections = [
        Section("scores", score_table(judgement)),
        *([Section("comparisons", comparison_table(judgement.comparisons))] if judgement.comparisons else []),
        Section("drop", drop_table(judgement.drops)),
        Section("replacement", replacement_table(judgement.replacements)),
        Section("errors", lambda: mistake_table(judgement.mistakes.values()), tables.errors or tables.list_errors),
    ]
    for system in judgement.systems:
        list_mistakes = partial(_mistakes_of, judgement, system)
        sections.append(Section(f"mistakes-{system}", list_mistakes, tables.list_errors))
    return Answer("", tuple(sections))


def _mistakes_of(judgement: Judgement, system: str) -> Table:
    return mistake_list(judgement.mistakes[system])
