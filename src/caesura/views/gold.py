"""Tables of gold standards, of the experiment that compares all methods, and of crisp evaluation against one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from caesura.gold.candidates import Candidate
from caesura.gold.experiment import FigureSummary, Unification, UnificationRow
from caesura.gold.gold import GOLD_CODER, Gold
from caesura.gold.linear import GoldBoundary
from caesura.gold.unify import UnifiedHierarchy
from caesura.limits import short_count
from caesura.model.dialogue import texts_of
from caesura.model.result import SHORT_DATA
from caesura.model.segmentation import UNTYPED
from caesura.model.value import OnDemand, count_of
from caesura.tasks.gold import GoldStudy
from caesura.views.answer import Answer, Section
from caesura.views.answers.coders import gold_answer, unification_answer
from caesura.views.answers.systems import crisp_answer
from caesura.views.table import Cell, Table, cells, or_undefined, span_text

if TYPE_CHECKING:  # commands without systems must not import these
    from caesura.judging.crisp_gold import CrispAndFuzzy

# Number of items that a terminal shows.
MAX_ITEMS = 20
# Number of characters of a unit in a table.
MAX_TEXT = 24
_SPAN_COLUMNS = ("span", "level", "label", "coders", "weight")


def _candidate_record(gold: UnifiedHierarchy, candidate: Candidate) -> dict[str, Cell]:
    return {
        "span": span_text(gold.hierarchy, candidate.start, candidate.end),
        "level": ", ".join(map(str, candidate.levels)),
        "label": ", ".join(candidate.labels) or None,
        "coders": ", ".join(candidate.coders),
        "weight": candidate.weight,
    }


def unification_table(experiment: Unification) -> Table:
    """Return one row per method, as in Table 1 of Carbone et al. (2004): means over annotations."""
    records: list[dict[str, Cell]] = []
    notes: list[str] = []
    for row in experiment.rows:
        record: dict[str, Cell] = {"method": row.name}
        record |= {name: or_undefined(summary.mean) for name, summary in _figures(row).items()}
        records.append(record | {"spans": row.mean_spans, "coder": _best_annotators(row)})
        notes += _method_notes(row, len(experiment.items))
    if any(not row.includes_self for row in experiment.rows):
        notes.append("coder: the best annotator; BestAnnotator-self: without the annotation that is the gold standard")
    if experiment.empty_spans:
        notes.append(f"spans dropped because they became empty when times were merged: {experiment.empty_spans}")
    notes += [f"item {entry.item!r} excluded: {entry.reason}" for entry in experiment.excluded]
    title = f"Gold standards against the annotations of {count_of(len(experiment.items), 'item')}: means"
    table = Table.from_records(records, title=title, notes=(*notes, experiment.signature), digits=3)
    return table.without_empty_columns(("coder",))


def deviation_table(experiment: Unification) -> Table:
    records = [
        {"method": row.name}
        | {f"{name} sd": summary.deviation for name, summary in _figures(row).items()}
        | {"annotations": row.annotations}
        for row in experiment.rows
    ]
    return Table.from_records(records, title="Standard deviations over annotations", digits=3)


def _best_annotators(row: UnificationRow) -> str | None:
    """Return the best annotator; with several, the number of items of each."""
    names = Counter(row.best_annotators.values()).most_common()
    if len(names) == 1:
        return names[0][0]
    return ", ".join(f"{name} ({number})" for name, number in names) or None


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


def unified_table(golds: Mapping[str, UnifiedHierarchy]) -> Table:
    """Return one row per item: number of the coders' spans in the gold standard."""
    records = [
        {"item": item, "coders": len(gold.coders), "spans": len(gold.included) + len(gold.dropped)}
        | {"kept": len(gold.included), "dropped": len(gold.dropped)}
        | {"crossing pairs": gold.conflicts, "optima": None if gold.optima is None else short_count(gold.optima)}
        for item, gold in golds.items()
    ]
    notes = [note if len(golds) == 1 else f"{item}: {note}" for item, gold in golds.items() for note in gold.notes]
    notes += [gold.signature for gold in golds.values()]
    first = next(iter(golds.values()))
    title = f"{first.method}, {first.level}"
    table = Table.from_records(records, title=title, notes=tuple(dict.fromkeys(notes)))
    return table.without_empty_columns(("optima",))


def span_table(golds: Mapping[str, UnifiedHierarchy]) -> Table:
    records = [
        {"item": item, **_candidate_record(gold, candidate), **cells(candidate.span, "level", "label")}
        for item, gold in golds.items()
        for candidate in gold.included
    ]
    return Table.from_records(records, columns=("item", *_SPAN_COLUMNS), group=1).without_empty_columns(("label",))


def dropped_table(golds: Mapping[str, UnifiedHierarchy]) -> Table:
    records = []
    for item, gold in golds.items():
        for dropped in gold.dropped:
            crossed = "; ".join(
                f"{span_text(gold.hierarchy, conflict.start, conflict.end)} of {', '.join(conflict.coders)}"
                for conflict in dropped.crossed_spans
            )
            reason = {"reason": dropped.reason, "crosses": crossed or None}
            records.append({"item": item, **_candidate_record(gold, dropped), **reason})
    columns = ("item", *_SPAN_COLUMNS, "reason", "crosses")
    return Table.from_records(records, columns=columns, title="Spans that are not in the gold standard", group=1)


# -- segmentations and dialogues -------------------------------------------------------------------------------------


def gold_table(result: Gold) -> Table:
    """Return one row per item: units, boundaries, number of optima, cost and agreement with the coders."""
    records = [
        {"item": entry.item, "units": entry.units, "kept": entry.kept, "dropped": entry.dropped}
        | {"optima": short_count(entry.optima), "cost": entry.cost, "B": entry.agreement}
        for entry in result.items
    ]
    if result.in_seconds:
        records = [{name: value for name, value in record.items() if name != "units"} for record in records]
    notes = [
        "kept: boundaries of the gold standard; dropped: other boundaries of coders; optima: equally good solutions; cost: "
        "sum of boundary edit distances to the coders; B: with the coders"
    ]
    if result.thresholds:
        numbers = [
            count_of(number, "coder") + ("" if name == UNTYPED[0] else f" of {name!r}")
            for name, number in result.thresholds.items()
        ]
        notes.append(f"threshold of Cochran's Q: at least {', '.join(numbers)}")
    return Table.from_records(records, notes=(*notes, short_gold_signature(result)), digits=2, limit=MAX_ITEMS)


def short_gold_signature(result: Gold) -> str:
    """Return the short form of the signature for tables; the JSON has the long form."""
    _, *facts = result.signature.split("|")
    options = dict(fact.split(":", 1) for fact in facts if ":" in fact)
    chosen = [f"{name}={options[name]}" for name in ("n_t", "threshold", "alpha") if name in options]
    return f"{result.method}({', '.join(chosen)}) · caesura {options['caesura']} · data {options['data'][:SHORT_DATA]}"


def boundary_table(result: Gold, *, kept: bool) -> Table:
    near, title = ("near misses", "Boundaries of the gold standard") if kept else ("counts for", "Dropped boundaries")
    place = _time_of(result) if result.in_seconds else (lambda _, position: str(position))
    boundaries = [entry for entry in (result.kept if kept else result.dropped) if isinstance(entry, GoldBoundary)]
    columns: dict[str, Callable[[GoldBoundary], Cell]] = {
        "item": lambda boundary: boundary.item,
        "stream": lambda boundary: boundary.stream,
        "position": lambda boundary: boundary.position,
        "time": lambda boundary: boundary.time,
        "type": lambda boundary: boundary.type,
        "coders": lambda boundary: ", ".join(boundary.coders) or None,
        near: lambda boundary: _near_text(boundary, kept, place),
        "text": lambda boundary: _text_around(result, boundary),
    }
    if result.in_seconds:  # positions are numbers of times, which say nothing
        del columns["position"], columns["text"]
    for name in ("stream", "time", "type", near, "text"):
        if name in columns and boundaries and all(columns[name](boundary) in (None, "") for boundary in boundaries):
            del columns[name]
    rows = OnDemand(lambda number: tuple(cell(boundaries[number]) for cell in columns.values()), range(len(boundaries)))
    return Table(tuple(columns), cast("tuple[tuple[Cell, ...], ...]", rows), title=title, digits=2, group=1)


def _time_of(result: Gold) -> Callable[[GoldBoundary, int], str]:
    """Return a function that names a position in the text of a boundary by its time."""
    entries = [entry for entry in (*result.kept, *result.dropped) if isinstance(entry, GoldBoundary)]
    times = {(entry.item, entry.stream, entry.position): entry.time for entry in entries}

    def name(boundary: GoldBoundary, position: int) -> str:
        time = times.get((boundary.item, boundary.stream, position))
        return str(position) if time is None else f"{time:.2f} s"

    return name


def _near_text(boundary: GoldBoundary, kept: bool, place: Callable[[GoldBoundary, int], str]) -> str | None:
    if kept:
        return ", ".join(f"{coder} at {place(boundary, at)}" for coder, at in boundary.near.items()) or None
    coders: dict[int, list[str]] = {}
    for coder, target in boundary.near.items():
        coders.setdefault(target, []).append(coder)
    return ", ".join(f"{place(boundary, target)} ({', '.join(names)})" for target, names in coders.items()) or None


def _text_around(result: Gold, boundary: GoldBoundary) -> str | None:
    text = texts_of(result.corpus[boundary.item, GOLD_CODER])[boundary.stream or ""]
    if text.units is None:
        return None
    before, after = text.units[boundary.position - 1], "".join(text.units[boundary.position : boundary.position + 1])
    return f"{_clip(before, end=True)} | {_clip(after)}"


def _clip(text: str, *, end: bool = False) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return "…" + text[1 - MAX_TEXT :] if end else text[: MAX_TEXT - 1] + "…"


# -- crisp evaluation against a gold standard -------------------------------------------------------------------------


def crisp_table(result: CrispAndFuzzy) -> Table:
    """Return one row per system, best F first."""
    records = [
        {"system": row.system, "precision": row.precision, "recall": row.recall, "F": row.f}
        | {"fuzzy success": row.fuzzy, "reward": row.reward, "punishment": row.punishment, "items": row.items}
        for row in result.rows
    ]
    notes = (
        f"precision, recall, F: against the gold standard ({result.method}); fuzzy success = reward - punishment: against the "
        "marks of all coders",
        short_gold_signature(result.gold),
    )
    return Table.from_records(records, title="Crisp and fuzzy evaluation", notes=notes, digits=3)


def with_crisp(answer: Answer, result: CrispAndFuzzy | None) -> Answer:
    """Return the answer of ``caesura judge`` with the comparison of crisp and fuzzy evaluation, if there is one."""
    if result is None:
        return answer
    main, *others = answer.sections
    sections = (main, Section("crisp", crisp_table(result), shown=True), *others)
    return replace(answer, text=f"{answer.text} {crisp_answer(result)}".strip(), sections=sections)


# -- output of the commands ------------------------------------------------------------------------------------------


def gold_view(result: Gold, *, kept: bool = False, dropped: bool = False) -> Answer:
    """Return what ``caesura gold`` prints, and ``caesura unify`` without an evaluation."""
    golds = result.hierarchies
    main = unified_table(golds) if golds else gold_table(result)
    kept_table = partial(span_table, golds) if golds else partial(boundary_table, result, kept=True)
    others = partial(dropped_table, golds) if golds else partial(boundary_table, result, kept=False)
    sections = (Section("items", main), Section("kept", kept_table, kept), Section("dropped", others, dropped))
    return Answer(gold_answer(result), sections)


def unification_view(study: GoldStudy, *, kept: bool, dropped: bool) -> Answer:
    answer = gold_view(study.gold, kept=kept and study.evaluation is None, dropped=dropped)
    if study.evaluation is None:
        return answer
    tables = {"evaluation": unification_table(study.evaluation), "deviations": deviation_table(study.evaluation)}
    sections = tuple(Section(name, table) for name, table in tables.items())
    return Answer(unification_answer(study.evaluation), (*sections, *answer.sections))
