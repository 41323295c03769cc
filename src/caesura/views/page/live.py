"""Data of the live page for its script: what changes with the parameters, their controls, the queue of an adjudication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.adjudication.decisions import Decision, PlaceState
from caesura.adjudication.disputed import PlacedMark, PlacedMarks, plain_number
from caesura.adjudication.session import Adjudication
from caesura.measures.edit_columns import EDIT_KINDS
from caesura.measures.flexible import check_similarity
from caesura.measures.registry import measures as registered_measures
from caesura.options import Option
from caesura.tasks.adjudicate import ExportedGold
from caesura.tasks.alignments import Alignments, EditShape
from caesura.tasks.live import LiveResult, WhatIf, boundary_types, measure_problems
from caesura.tasks.report_results import CorpusReport
from caesura.tasks.report_subject import Subject
from caesura.views.answers.coders import outcome_answer
from caesura.views.page.sections import Section
from caesura.views.page.texts import matrix_cells, named_values, node_pairs, ranked_items
from caesura.views.table import Table, clean


def live_data(report: CorpusReport, result: LiveResult) -> dict[str, Any]:
    subject = report.subject
    measure = result.measure
    outcome = result.agreement
    counts, higher_is_better = result.disagreements or {}, measure.higher_is_better
    return {
        "headline": "" if subject.kind == "trees" else clean(outcome_answer(outcome)),
        "signature": None if outcome.result is None else clean(outcome.result.signature),
        "measure": clean(measure.label),
        "aligner": clean(repr(result.aligner)),
        "overview": ranked_items(report.text_items, result.items, counts, higher_is_better=higher_is_better),
        "others": named_values(report.other_items, result.items, higher_is_better=higher_is_better),
        "counted": result.disagreements is not None,
        "matrix": {"measure": clean(measure.label), "cells": matrix_cells(subject.corpus.coders, result.pairs)},
        "systems": [[clean(entry.system), round(entry.value, 4)] for entry in result.systems],
        "people": None if result.people is None else round(result.people, 4),
        "excluded": [clean(str(entry)) for entry in result.excluded],
    }


def alignment_data(report: CorpusReport, alignments: Alignments) -> dict[str, Any]:
    subject = report.subject
    coders = {coder: i for i, coder in enumerate(subject.corpus.coders)}
    numbers = {item: i for i, item in enumerate(report.text_items)}
    edits: dict[int, dict[str, Any]] = {}
    for pair in alignments.pairs:
        first, second = pair.coders
        edits.setdefault(numbers[pair.item], {})[f"{coders[first]}-{coders[second]}"] = pair.edits
    for tree in alignments.trees:
        first, second = tree.coders
        edits.setdefault(numbers[tree.item], {})[f"{coders[first]}-{coders[second]}"] = node_pairs(tree)
    return {"shapes": [_shape(shape) for shape in alignments.shapes], "items": edits}


def _shape(shape: EditShape) -> list[Any]:
    names = map(_clean_or_none, (shape.a_type, shape.b_type))
    return [EDIT_KINDS.index(shape.kind), shape.shift, *names, shape.cost, clean(shape.stream or "")]


def what_if_data(result: WhatIf) -> dict[str, Any]:
    rows = [
        [clean(entry.measure.label), entry.before, entry.after, entry.reason, entry.measure.higher_is_better]
        for entry in result.values
    ]
    return {"rows": rows}


def section_data(section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "title": section.title,
        "lead": section.lead,
        "reason": _clean_or_none(section.reason),
        "pictures": [
            {"caption": clean(entry.caption), "source": entry.source, "reason": _clean_or_none(entry.reason)}
            for entry in section.pictures
        ],
        "tables": [_table(table) for table in section.tables],
        "folded": [_table(table) for table in section.folded],
        "notes": [clean(note) for note in section.notes],
    }


def _clean_or_none(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _table(table: Table) -> dict[str, Any]:
    blocks = [
        {
            "title": clean(block.title or ""),
            "columns": [clean(name) for name in block.columns],
            "numeric": list(block.numeric_columns),
            "rows": [[clean(cell) for cell in row] for row in block.text_rows],
        }
        for block in table.grids
    ]
    return {"title": clean(table.title or ""), "blocks": blocks, "notes": [clean(note) for note in table.notes]}


# -- controls ----------------------------------------------------------------------------------------------------------


def control_data(subject: Subject) -> dict[str, Any]:
    first = subject.measures[0]
    problems = measure_problems(subject)
    types = boundary_types(subject)
    return {
        "measure": first.name,
        "values": {name: value for name, value in first.settings.items() if value is not None},
        "measures": [
            {
                "name": name,
                "title": registered_measures()[name].title,
                "problem": _clean_or_none(problem),
                "options": [
                    {
                        "name": option.name,
                        "kind": _kind(option),
                        "default": option.default,
                        "choices": list(getattr(option.check, "choices", ())),
                        "description": option.description,
                        "visible": number == 0 or option.always_shown,
                    }
                    for number, option in enumerate(registered_measures()[name].options)
                ],
            }
            for name, problem in problems.items()
        ],
        "types": [clean(name) for name in types],
    }


def _kind(option: Option) -> str:
    """Return what a control looks like: ``matrix``, ``choice``, ``flag``, ``whole``, ``number`` or ``text``."""
    if option.check is check_similarity:
        return "matrix"
    if getattr(option.check, "choices", ()):
        return "choice"
    if isinstance(option.default, bool):
        return "flag"
    value_type = getattr(option.check, "value_type", None)
    if value_type is float:
        return "number"
    return "whole" if value_type is int or isinstance(option.default, int) else "text"


# -- the queue of an adjudication: names are numbers in requests, and clean text on the page ---------------------------


def queue_data(work: Adjudication, start: int = 0, count: int = 100) -> dict[str, Any]:
    """Return a part of the queue, and everything that the panel shows around it."""
    places = work.places[start : start + count]
    return {
        **progress_data(work),
        "start": start,
        "journal": _clean_or_none(work.journal),
        "types": [clean(name) for name in work.types],
        "messages": [clean(message) for message in work.messages],
        "places": [place_data(work.state(place), start + i) for i, place in enumerate(places)],
    }


def progress_data(work: Adjudication) -> dict[str, Any]:
    progress = work.progress
    by_whom = ", ".join(f"{clean(name) or 'nobody named'} {number}" for name, number in progress.adjudicators.items())
    return {
        "total": progress.places,
        "decided": progress.decided,
        "sentence": f"{progress}{f' ({by_whom})' if by_whom else ''}.",
    }


def place_data(state: PlaceState, index: int) -> dict[str, Any]:
    place = state.place
    return {
        "index": index,
        "key": place.key,
        "item": clean(place.item),
        "stream": _clean_or_none(place.stream),
        "about": place.about,
        "seconds": place.seconds,
        "start": plain_number(place.start),
        "end": plain_number(place.end),
        "times": None if place.times is None else list(place.times),
        "coders": [[clean(coder), _marks_data(marks)] for coder, marks in place.marks.items()],
        "majority": _marks_data(place.majority),
        "kinds": list(place.kinds),
        "cost": place.cost,
        "before": clean(place.before),
        "between": clean(place.between),
        "after": clean(place.after),
        "status": state.status,
        "decision": _decision_data(state.decision),
        "earlier": _decision_data(state.earlier),
        "revision": state.revision,
    }


def export_data(exported: ExportedGold) -> dict[str, Any]:
    notes = [*exported.notes, *map(str, exported.excluded)]
    return {
        "files": [clean(path) for path in exported.files],
        "record": clean(exported.record),
        "format": exported.format,
        "notes": [clean(note) for note in notes],
    }


def _marks_data(marks: PlacedMarks) -> list[dict[str, Any]]:
    return [{**mark.__json__(), **({"type": clean(mark.type)} if mark.type is not None else {})} for mark in marks]


def _decision_data(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "sentence": clean(str(decision)),
        "choice": decision.choice,
        "coder": _clean_or_none(decision.coder),
        "marks": _marks_data(decision.marks),
        "note": clean(decision.note),
    }


def marks_from(values: Sequence[Any], types: Sequence[str]) -> list[PlacedMark]:
    """Return marks that a page sent, with numbers of types."""
    marks = []
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("type"), int) and 0 <= value["type"] < len(types):
            value = {**value, "type": types[value["type"]]}
        marks.append(PlacedMark.from_json(value))
    return marks
