"""The queue of an adjudication as data for the live page. Names are numbers in requests, and clean text on the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.adjudication.decisions import Decision, PlaceState
from caesura.adjudication.disputed import PlacedMark, PlacedMarks, plain_number
from caesura.adjudication.session import Adjudication
from caesura.tasks.adjudicate import ExportedGold
from caesura.views.table import clean


def queue_data(work: Adjudication, start: int = 0, count: int = 100) -> dict[str, Any]:
    """Return a part of the queue, and everything that the panel shows around it."""
    places = work.places[start : start + count]
    return {
        **progress_data(work),
        "start": start,
        "journal": None if work.journal is None else clean(work.journal),
        "types": [clean(name) for name in work.types],
        "messages": [clean(message) for message in work.messages],
        "places": [place_data(work.state(place), start + i) for i, place in enumerate(places)],
    }


def progress_data(work: Adjudication) -> dict[str, Any]:
    """Return how far an adjudication is."""
    progress = work.progress
    by_whom = ", ".join(f"{clean(name) or 'nobody named'} {number}" for name, number in progress.adjudicators.items())
    return {
        "total": progress.places,
        "decided": progress.decided,
        "sentence": f"{progress}{f' ({by_whom})' if by_whom else ''}.",
    }


def place_data(state: PlaceState, index: int) -> dict[str, Any]:
    """Return a place with its decision."""
    place = state.place
    return {
        "index": index,
        "key": place.key,
        "item": clean(place.item),
        "stream": None if place.stream is None else clean(place.stream),
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
    """Return which files were written."""
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
        "coder": None if decision.coder is None else clean(decision.coder),
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
