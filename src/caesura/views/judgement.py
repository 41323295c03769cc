"""Tables of a judgement: scores of systems, significance of differences, and errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from caesura.agreement.families import coefficient_label
from caesura.judging.comparison import SystemComparison, SystemPair
from caesura.judging.judge import Judgement, SegmenterScore
from caesura.judging.mistakes import Mistake, Mistakes
from caesura.judging.substitution import AgreementDrop, Replacement
from caesura.measures.base import Measure
from caesura.measures.registry import short_signature
from caesura.model.segmentation import UNTYPED
from caesura.model.value import count_of, list_few
from caesura.options import OptionSet, switch
from caesura.views.answer import Answer, Section
from caesura.views.answers.systems import judgement_answer
from caesura.views.table import (
    ALL_ROWS,
    Cell,
    Table,
    cells,
    clean,
    extra_figures,
    interval_cells,
    latex_text,
    or_undefined,
)
from caesura.views.text_table import MAX_TEXT_ROWS


def score_tables(judgement: Judgement) -> list[Table]:
    """Return one table per measure, with the systems best first and then the bounds."""
    return [_measure_table(rows, judgement) for rows in rows_by_measure(judgement)]


def score_table(judgement: Judgement) -> Table:
    """Return all measures in one table, with a column for every figure, to be read by programs."""
    groups = rows_by_measure(judgement)
    figures = extra_figures(row.score for rows in groups for row in rows)
    records = (record for rows in groups for record in _score_records(judgement, rows, figures))
    notes = score_notes(judgement)
    return Table.from_records(records, title="All figures", group=1, split_groups=True, notes=notes)


def rows_by_measure(judgement: Judgement) -> list[list[SegmenterScore]]:
    """Return the rows of each measure, with the systems best first and then the bounds."""
    groups: dict[Measure, list[SegmenterScore]] = {}
    for row in judgement.rows:
        groups.setdefault(row.measure, []).append(row)
    for measure, rows in groups.items():
        sign = -1 if measure.higher_is_better else 1
        rows.sort(key=lambda row: (row.bound, 0 if row.bound else sign * row.value))
    return list(groups.values())


def segmenter_name(row: SegmenterScore) -> str:
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
            {"measure": row.measure.label, "segmenter": row.segmenter, "bound": "yes" if row.bound else "no"}
            | {"value": row.value, **interval_cells(row.interval), "macro": row.macro}
            | {name: row.score.figures.get(name) for name in figures}
            | {"letters": None if row.bound else letters.get(row.segmenter)}
            | cells(row, "pairs", "standard error", "items")
        )


@dataclass(frozen=True)
class SystemsTable(Table):
    """The main table of a judgement: systems, best first, and bounds, by measures."""

    # On a terminal a cell has the value and the letters. CSV has them in separate columns. LaTeX is the table of a paper.

    judgement: Judgement | None = field(default=None, repr=False)

    def csv(self, *, raw: bool = False) -> str:
        """Return values and letters of every measure in columns of their own."""
        assert self.judgement is not None
        records = []
        for name, bound in _segmenters(self.judgement):
            record: dict[str, Any] = {"segmenter": name, "bound": "yes" if bound else "no"}
            for row, letters, _ in _entries(self.judgement, name, bound):
                label = row.measure.label
                low, high = row.interval or (None, None)
                record |= {label: row.value, f"{label} low": low, f"{label} high": high, f"{label} letters": letters}
                record |= {f"{label} items": row.items} if _item_counts(self.judgement) else {}
            records.append(record)
        return Table.from_records(records).csv(raw=raw)

    def latex(self) -> str:
        """Return the table of a paper: best values in bold, letters as superscripts, and bounds below a rule."""
        assert self.judgement is not None
        measures = [rows[0].measure for rows in rows_by_measure(self.judgement)]
        heads = [
            latex_text(measure.label) + ("" if measure.higher_is_better else r" $\downarrow$") for measure in measures
        ]
        lines = [
            rf"\begin{{tabular}}{{l{'l' * len(measures)}}}",
            r"\toprule",
            rf" & {' & '.join(heads)} \\",
            r"\midrule",
        ]
        was_bound = False
        for name, bound in _segmenters(self.judgement):
            if bound and not was_bound:
                lines.append(r"\midrule")
            was_bound = bound
            cells = {entry[0].measure: _latex_cell(*entry) for entry in _entries(self.judgement, name, bound)}
            lines.append(rf"{latex_text(name)} & {' & '.join(cells.get(measure, '--') for measure in measures)} \\")
        notes = [note.replace(_IN_BRACKETS, _BELOW_RULE).replace("(human) is", "human is") for note in self.notes]
        lines += [r"\bottomrule", r"\end{tabular}", *(f"% {clean(note)}" for note in notes)]
        return "\n".join(lines) + "\n"


def _latex_cell(row: SegmenterScore, letters: str | None, best: bool) -> str:
    value = f"{row.value:.{PAPER_DIGITS}f}"
    value = rf"\textbf{{{value}}}" if best else f"${value}$" if row.value < 0 else value
    return value + (f"$^{{{letters}}}$" if letters else "")


_IN_BRACKETS, _BELOW_RULE = (
    "in brackets: bounds (see --bounds in --help)",
    "below the rule: bounds (see --bounds in --help)",
)
# Decimals of the LaTeX table.
PAPER_DIGITS = 3


def _segmenters(judgement: Judgement) -> list[tuple[str, bool]]:
    """Return the systems, best first under the first measure, and then the bounds: name, and whether it is a bound."""
    order = [*judgement.ranking(judgement.rows[0].measure), *judgement.systems]
    bounds = dict.fromkeys(row.segmenter for row in judgement.rows if row.bound)
    return [*((name, False) for name in dict.fromkeys(order)), *((name, True) for name in bounds)]


def _entries(judgement: Judgement, name: str, bound: bool) -> Iterator[tuple[SegmenterScore, str | None, bool]]:
    """Yield the row of a system or bound under each measure, its letters, and whether no system has a better value."""
    letters = {entry.measure: entry.letters for entry in judgement.comparisons if entry.letters is not None}
    for rows in rows_by_measure(judgement):
        best = round(rows[0].value, PAPER_DIGITS)
        for row in rows:
            if (row.segmenter, row.bound) == (name, bound):
                is_best = not bound and round(row.value, PAPER_DIGITS) == best and len(judgement.systems) > 1
                yield row, None if bound else letters.get(row.measure, {}).get(name), is_best


def systems_table(judgement: Judgement) -> SystemsTable:
    groups = rows_by_measure(judgement)
    single, different = len(groups) == 1, bool(_item_counts(judgement))
    widths = {rows[0].measure: max(len(f"{row.value:.4f}") for row in rows) for rows in groups}
    records = []
    for name, bound in _segmenters(judgement):
        record: dict[str, Any] = {"segmenter": f"({name})" if bound else name}
        for row, letters, _ in _entries(judgement, name, bound):
            value = f"{row.value:{widths[row.measure]}.4f}"
            record[row.measure.label] = f"{value} {letters}" if letters else value
            record |= {**interval_cells(row.interval), **cells(row, "macro", "items")} if single else {}
        if not single and different:
            record["items"] = _items_words(row.items for row, _, _ in _entries(judgement, name, bound))
        records.append(record)
    table = SystemsTable.from_records(records, notes=_main_notes(judgement), judgement=judgement)
    assert isinstance(table, SystemsTable)
    return table


def _item_counts(judgement: Judgement) -> dict[str, str]:
    """Return the number of items of each system, if systems were scored on different items."""
    counts = {
        name: [row.items for row in judgement.rows if row.segmenter == name and not row.bound]
        for name in judgement.systems
    }
    numbers = {number for items in counts.values() for number in items}
    shared = {pair.items for comparison in judgement.comparisons for pair in comparison.pairs}
    return {name: _items_words(items) for name, items in counts.items()} if len(numbers | shared) > 1 else {}


def _items_words(numbers: Iterable[int]) -> str:
    """Return a number of items; all of them if measures have different ones."""
    return ", ".join(map(str, dict.fromkeys(numbers)))


def _main_notes(judgement: Judgement) -> tuple[str, ...]:
    """Return what the letters, brackets and error rates of the main table mean, and its signature."""
    rates = [rows[0].measure.label for rows in rows_by_measure(judgement) if not rows[0].measure.higher_is_better]
    notes = _letters_notes(judgement)
    if counts := _item_counts(judgement):
        listed = list_few([f"{name} {number}" for name, number in counts.items()])
        notes.append(f"values are over different items ({listed}); letters compare systems on the items of both")
    if rates:
        notes.append(f"{', '.join(rates)}: {'error rate' if len(rates) == 1 else 'error rates'}, lower is better")
    if any(row.bound for row in judgement.rows):
        notes.append(_IN_BRACKETS)
    named = {"human": "(human) is", "baselines": "baselines are", "errors": "--errors are"}
    notes += [
        f"{words} undefined: {judgement.undefined[key]}" for key, words in named.items() if key in judgement.undefined
    ]
    best = judgement.row(judgement.ranking(judgement.rows[0].measure)[0], judgement.rows[0].measure, bound=False)
    return (*notes, f"seed {judgement.seed}", short_signature(best.score))


def _letters_notes(judgement: Judgement) -> list[str]:
    if all(comparison.letters is None for comparison in judgement.comparisons):
        return []
    alpha = judgement.comparisons[0].alpha
    close = sorted(
        {
            " - ".join(pair.systems)
            for entry in judgement.comparisons
            for pair in entry.pairs
            if "randomisation" in pair.borderline
        }
    )
    notes = [f"letters: systems that share a letter do not differ at {alpha:g} (randomisation over items, Holm)"]
    notes += [f"borderline, another --seed may change the letters: {list_few(close)}"] if close else []
    return notes


def score_notes(judgement: Judgement) -> tuple[str, ...]:
    notes = ["value and figures: from counts summed over all items and coders; macro: the mean over items"]
    notes += _interval_notes(judgement)
    notes += dict.fromkeys(row.interval_note for row in judgement.rows if row.interval_note.startswith("no interval:"))
    notes += _letters_notes(judgement)
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
        if row.bound and row.segmenter in ("random", "placement"):
            yield f"low, high of ({row.segmenter}): {row.interval_note}"
            return


def comparison_table(comparisons: Iterable[SystemComparison]) -> Table:
    """Return one row per measure and pair of systems, with the p-value of every test."""
    listed = list(comparisons)
    records = [
        {"measure": comparison.measure.label, "systems": " - ".join(pair.systems)}
        | pair_cells(pair)
        | {"p Friedman": pair.friedman, "p Kruskal": pair.kruskal_wallis}
        | {"w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}", "items": pair.items}
        | {"borderline": ", ".join(pair.borderline)}
        for comparison in listed
        for pair in comparison.pairs
    ]
    notes = [
        "p-values: corrected for the number of pairs, over items; randomisation and studentised bootstrap by Holm, Friedman "
        "(WNMT) and Kruskal-Wallis by the largest difference of ranks under permutations within items, of the mean over coders",
        "w/t/l: items won, tied, lost",
        *draw_notes(listed),
        *(note for comparison in listed for note in _omnibus_notes(comparison)),
        *dict.fromkeys(note for comparison in listed for note in comparison.notes),
    ]
    return Table.from_records(records, title="Systems compared", notes=tuple(notes), group=1, p_values=P_VALUES)


# Columns of p-values.
P_VALUES = ("p random.", "p bootstr.", "p Friedman", "p Kruskal")


def draw_notes(comparisons: Iterable[SystemComparison]) -> Iterator[str]:
    """Say how many random swaps were drawn, and what borderline means, if there are such tests."""
    listed = list(comparisons)
    drawn = [comparison for comparison in listed if not all(pair.exact for pair in comparison.pairs)]
    if drawn:
        yield f"randomisation: {drawn[0].draws:,} random swaps if two systems differ on more than 20 items, otherwise all"
    if any(pair.borderline for comparison in listed for pair in comparison.pairs):
        yield (
            f"borderline: tests from random draws whose p-value is within three standard errors of {listed[0].alpha:g}; "
            "another --seed may lead to the opposite decision"
        )


def pair_cells(pair: SystemPair) -> dict[str, Cell]:
    """Return the cells of two systems or parsers: their difference, its interval, and the p-values over items."""
    p_values = {"p random.": pair.randomisation, "p bootstr.": pair.bootstrap}
    return {"difference": pair.difference} | interval_cells(pair.interval) | p_values


def _omnibus_notes(comparison: SystemComparison) -> Iterator[str]:
    """Yield a line with the tests over all systems at once, if there are any."""
    candidates = (("Friedman", comparison.friedman), ("Kruskal-Wallis", comparison.kruskal_wallis))
    tests = [(name, test) for name, test in candidates if test is not None]
    if tests:
        texts = []
        for name, test in tests:
            methods = {"exact": "exact", "draws": f"{test.draws:,} permutations", "asymptotic": f"{test.df} df"}
            method = methods[test.method] + (", borderline" if test.is_borderline() else "")
            texts.append(f"{name} {test.statistic:.2f}, p = {test.p:.2g} ({method})")
        yield f"{comparison.measure.label}, all systems: {'; '.join(texts)}"


def drop_table(drops: Iterable[AgreementDrop]) -> Table:
    """Return one row per system: decrease in agreement when the system joins the coders."""
    listed = list(drops)
    names = [_drop_name(drop) for drop in listed]
    several = len(set(names)) > 1
    records = [
        ({"agreement": name} if several else {})
        | {"system": drop.system, "drop": or_undefined(drop.value)}
        | {"coders alone": drop.without_system, "with the system": drop.with_system}
        | {"items": drop.items or None, "reason": drop.reason}
        for drop, name in zip(listed, names, strict=True)
    ]
    meaning = "0 or below: the system agrees with the coders as well as they agree with each other"
    note = meaning if several else f"{names[0]}; {meaning}"
    return Table.from_records(records, title="Drop in agreement", notes=(note,)).without_empty_columns()


def coders_table(drops: Iterable[AgreementDrop]) -> Table:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for drop in drops:
        for coder, value in drop.with_coders.items():
            row = rows.setdefault((drop.system, coder), {"system": drop.system, "coder": coder})
            row[_drop_name(drop)] = or_undefined(value)
    return Table.from_records(rows.values(), digits=4)


def _drop_name(drop: AgreementDrop) -> str:
    if drop.measure is None:
        return coefficient_label(drop.coefficient)
    return f"{drop.coefficient} over {drop.measure.label}"


def replacement_table(replacements: Iterable[Replacement]) -> Table:
    """Return one row per system: whether it could replace a coder, by the alternative annotator test."""
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
    """Return one row per system: number of mistakes of each kind, over all items and coders."""
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


def mistake_list(mistakes: Iterable[Mistakes], limit: int | None = None) -> Table:
    """Return one row per mistake of the systems, up to a limit."""
    listed = list(mistakes)
    entries = islice(((system, entry) for system in listed for entry in system.mistakes), limit)
    rows = tuple((system.system, *_mistake_cells(entry)) for system, entry in entries)
    hidden = sum(len(system.mistakes) for system in listed) - len(rows)
    notes = (f"and {hidden:,} more; {ALL_ROWS}",) * bool(hidden)
    table = Table(("system", *_MISTAKE_COLUMNS), rows, title="Mistakes of the systems", notes=notes)
    return table.without_empty_columns()


_MISTAKE_COLUMNS = ("item", "stream", "coder", "kind", "coder has", "system has", "late by", "type", "system's type")


def _mistake_cells(mistake: Mistake) -> tuple[Cell, ...]:
    late_by = mistake.offset if mistake.kind == "near miss" else None
    types = [None if name in UNTYPED else name for name in (mistake.type, mistake.system_type)]
    positions = mistake.position, mistake.system_position
    return (mistake.item, mistake.stream, mistake.coder, mistake.kind, *positions, late_by, *types)


# -- output of the command -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeTables(OptionSet):
    errors: bool = switch("Show the number of errors of each kind, for each system.")
    list_errors: bool = switch("List every miss, false alarm, near miss and confusion, one per line.")


def judgement_view(judgement: Judgement, tables: JudgeTables) -> Answer:
    sections = [
        Section("systems", systems_table(judgement)),
        Section("scores", lambda: score_table(judgement)),
        *([Section("comparisons", comparison_table(judgement.comparisons))] if judgement.comparisons else []),
        Section("drop", drop_table(judgement.drops)),
        *([Section("coders", coders_table(judgement.drops))] if any(d.with_coders for d in judgement.drops) else []),
        Section("replacement", replacement_table(judgement.replacements)),
    ]
    if "errors" not in judgement.undefined:
        sections += [
            Section("errors", lambda: mistake_table(judgement.mistakes.values()), tables.errors),
            Section(
                "mistakes",
                lambda: mistake_list(judgement.mistakes.values()),
                tables.list_errors,
                excerpt=lambda: mistake_list(judgement.mistakes.values(), MAX_TEXT_ROWS),
            ),
        ]
    return Answer(judgement_answer(judgement), tuple(sections))
