"""Tables of gold standards, item by item, and of the experiment that compares all methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from caesura.gold.candidates import Candidate
from caesura.gold.experiment import FigureSummary, Unification, UnificationRow
from caesura.gold.unify import Gold
from caesura.tasks.gold import GoldStandards
from caesura.views.answer import Answer, Section
from caesura.views.table import Cell, Table, cells, or_undefined

_SPAN_COLUMNS = ("span", "level", "label", "coders", "weight")


def _candidate_record(gold: Gold, candidate: Candidate) -> dict[str, Cell]:
    return {
        "span": span_text(gold, candidate.start, candidate.end),
        "level": ", ".join(map(str, candidate.levels)),
        "label": ", ".join(candidate.labels) or None,
        "coders": ", ".join(candidate.coders),
        "weight": candidate.weight,
    }


def unification_table(experiment: Unification) -> Table:
    """Return one row per method, as in Table 1 of Carbone et al. (2004): mean and deviation over annotations.

    Parameters
    ----------
    experiment : Unification
        Gold standards of all methods, compared with the annotations from which they were made.

    Returns
    -------
    Table
        Undefined figures and excluded items are listed in the notes.
    """
    records: list[dict[str, Cell]] = []
    notes: list[str] = []
    for row in experiment.rows:
        record: dict[str, Cell] = {"method": row.name}
        for name, summary in _figures(row).items():
            record |= {name: or_undefined(summary.mean), f"{name} sd": summary.deviation}
        records.append(record | {"spans": row.mean_spans, "annotations": row.annotations})
        notes += _method_notes(row, len(experiment.items))
    if any(not row.includes_self for row in experiment.rows):
        notes.append("BestAnnotator-self: without the annotation that is itself the gold standard")
    if experiment.empty_spans:
        notes.append(f"spans dropped because they became empty when times were merged: {experiment.empty_spans}")
    notes += [f"item {entry.item!r} excluded: {entry.reason}" for entry in experiment.excluded]
    title = f"Gold standards against the annotations they are made from, {len(experiment.items)} items"
    return Table.from_records(records, title=title, notes=(*notes, experiment.signature), digits=3)


def _figures(row: UnificationRow) -> dict[str, FigureSummary]:
    return {"kappa": row.kappa, "recall": row.recall, "precision": row.precision, "non-crossing": row.non_crossing}


def _method_notes(row: UnificationRow, items: int) -> Iterator[str]:
    for name, summary in _figures(row).items():
        if summary.undefined:
            yield f"{row.name}: {name} is undefined for {summary.undefined} of {row.annotations} annotations, excluded"
    for count, event in (
        (row.empty_golds, "the gold standard is empty"),
        (row.conflicting_golds, "the gold standard has crossing spans"),
        (row.tied_golds, "the gold standard is one of several that are equally good"),
    ):
        if count:
            yield f"{row.name}: {event} for {count} of {items} items"
    for entry in row.excluded:
        yield f"{row.name}: item {entry.item!r} excluded: {entry.reason}"


def unified_table(golds: Mapping[str, Gold]) -> Table:
    """Return one row per item: number of the coders' spans in the gold standard.

    Parameters
    ----------
    golds : mapping of item to Gold
        The gold standards, made by one method.

    Returns
    -------
    Table
        All, kept and dropped spans, and crossing pairs.
    """
    records = [
        {"item": item, "coders": len(gold.coders), "spans": len(gold.included) + len(gold.dropped)}
        | {"kept": len(gold.included), "dropped": len(gold.dropped)}
        | {"crossing pairs": gold.conflicts, "optima": gold.optima}
        for item, gold in golds.items()
    ]
    notes = [note if len(golds) == 1 else f"{item}: {note}" for item, gold in golds.items() for note in gold.notes]
    notes += [gold.signature for gold in golds.values()]
    first = next(iter(golds.values()))
    title = f"{first.method}, {first.level}"
    table = Table.from_records(records, title=title, notes=tuple(dict.fromkeys(notes)))
    return table.without_empty_columns(("optima",))


def span_table(golds: Mapping[str, Gold]) -> Table:
    """Return one row per span of a gold standard, with its coders.

    Parameters
    ----------
    golds : mapping of item to Gold
        The gold standards.

    Returns
    -------
    Table
        Spans in order, with level, label and coders.
    """
    records = [
        {"item": item, **_candidate_record(gold, candidate), **cells(candidate.span, "level", "label")}
        for item, gold in golds.items()
        for candidate in gold.included
    ]
    return Table.from_records(records, columns=("item", *_SPAN_COLUMNS), group=1).without_empty_columns(("label",))


def dropped_table(golds: Mapping[str, Gold]) -> Table:
    """Return one row per dropped span, with its coders, the reason and the spans that it crosses.

    Parameters
    ----------
    golds : mapping of item to Gold
        The gold standards.

    Returns
    -------
    Table
        Reason of each, and the spans that it crosses with their coders.
    """
    records = []
    for item, gold in golds.items():
        for dropped in gold.dropped:
            crossed = "; ".join(
                f"{span_text(gold, conflict.start, conflict.end)} of {', '.join(conflict.coders)}"
                for conflict in dropped.crossed_spans
            )
            reason = {"reason": dropped.reason, "crosses": crossed or None}
            records.append({"item": item, **_candidate_record(gold, dropped), **reason})
    columns = ("item", *_SPAN_COLUMNS, "reason", "crosses")
    return Table.from_records(records, columns=columns, title="Spans that are not in the gold standard", group=1)


def span_text(gold: Gold, start: int, end: int) -> str:
    """Return a span of the gold standard's item as text: its first and last unit, or its times in seconds.

    Parameters
    ----------
    gold : Gold
        The gold standard.
    start, end : int
        First and last unit.

    Returns
    -------
    str
        Units, or seconds if units have times.
    """
    edges = gold.hierarchy.edges
    return f"{start}-{end}" if edges is None else f"{edges[start - 1]:.2f}-{edges[end]:.2f} s"


# -- output of the command -------------------------------------------------------------------------------------------


def gold_view(result: GoldStandards, *, why: bool, spans: bool) -> Answer:
    """Return what ``caesura unify`` prints.

    Parameters
    ----------
    result : GoldStandards
        The result.
    why : bool
        Whether to show the spans that are not in the gold standards.
    spans : bool
        Whether to show the spans that are in the gold standards.

    Returns
    -------
    Answer
        The evaluation of all methods if there is one, else the gold standards.
    """
    if result.evaluation is not None:
        return Answer("", (Section("evaluation", unification_table(result.evaluation)),))
    sections = (
        Section("items", unified_table(result.golds)),
        Section("spans", span_table(result.golds), spans),
        Section("dropped", dropped_table(result.golds), why),
    )
    return Answer("", sections)
