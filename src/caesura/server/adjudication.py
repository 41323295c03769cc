"""Adjudication in the live page: the queue, decisions, undo, and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from caesura.adjudication.session import Adjudication
from caesura.errors import ConflictError, OptionError
from caesura.server.requests import get, json_response, name_of, post
from caesura.tasks.adjudicate import export_gold, journal_path
from caesura.tasks.workbench import Workbench
from caesura.views.page.live import export_data, marks_from, place_data, progress_data, queue_data

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import Route

# Maximum number of places in one answer.
MAX_PLACES = 500


class Desk:
    """The adjudication of an open corpus. It begins with the first request, and again when the files were reloaded."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self._lock = Lock()
        self._work: Adjudication | None = None
        self._material: object = None

    def work(self) -> Adjudication:
        """Return the adjudication of the corpus as it was last read."""
        with self._lock:
            material = self.workbench.material
            if self._work is not None and self._material is not material:
                self._work.close()  # the journal, which only one may have open
                self._work = None
            if self._work is None:
                people = set(self.workbench.report.subject.human_coders)
                coders = [coder for coder in material.corpus.coders if coder in people]
                journal = journal_path(self.workbench.paths) if self.workbench.paths else None
                self._work = Adjudication(material.corpus.select(coders=coders), journal)
                self._material = material
            return self._work


def adjudication_routes(workbench: Workbench) -> list[Route]:
    desk = Desk(workbench)

    def queue(query: dict[str, Any]) -> dict[str, Any]:
        return queue_data(desk.work(), _number(query, "start", 0), min(_number(query, "count", 100), MAX_PLACES))

    def decide(body: dict[str, Any]) -> Any:
        work = desk.work()
        return _unless_conflict(work, body, lambda: _decide(work, body))

    def undo(body: dict[str, Any]) -> Any:
        work = desk.work()
        name = str(body.get("adjudicator", ""))
        return _unless_conflict(work, body, lambda: _state_data(work, work.undo(adjudicator=name).place.key))

    def export(body: dict[str, Any]) -> dict[str, Any]:
        return export_data(export_gold(desk.work(), undecided="majority" if body.get("majority") is True else "refuse"))

    return [
        get("/api/adjudication", queue),
        post("/api/adjudication/decide", decide, writes=True),
        post("/api/adjudication/undo", undo, writes=True),
        post("/api/adjudication/export", export),
    ]


def _unless_conflict(
    work: Adjudication, body: dict[str, Any], act: Callable[[], dict[str, Any]]
) -> dict[str, Any] | Response:
    """Return the answer; if somebody else was faster, a sentence and the place as it is now."""
    try:
        return act()
    except ConflictError as error:
        place = str(body.get("place", ""))
        state = _state_data(work, place) if place else {}
        return json_response({"error": str(error), "conflict": True, **state}, 409)


def _decide(work: Adjudication, body: dict[str, Any]) -> dict[str, Any]:
    key, revision = str(body.get("place", "")), body.get("revision")
    if not isinstance(revision, int):
        raise OptionError("revision: expected the number of the place that was seen")
    coders = list(work.state(key).place.marks)
    marks = body.get("marks")
    work.decide(
        key,
        body.get("choice"),  # type: ignore[arg-type]
        coder=_entry(coders, body.get("coder"), "coder"),
        marks=marks_from(marks, work.types) if isinstance(marks, list) else None,
        type=_entry(work.types, body.get("type"), "type"),
        note=body.get("note", ""),
        adjudicator=body.get("adjudicator", ""),
        revision=revision,
    )
    return _state_data(work, key)


def _state_data(work: Adjudication, key: str) -> dict[str, Any]:
    return {**progress_data(work), "place": place_data(work.state(key), work.number(key))}


def _entry(names: Sequence[str], number: Any, what: str) -> str | None:
    return None if number is None else name_of(what, names, number)


def _number(query: dict[str, Any], name: str, default: int) -> int:
    text = str(query.get(name, default))
    if not text.isdecimal() or len(text) > 9:
        raise OptionError(f"{name}: expected a whole number; got {text[:40]!r}")
    return int(text)
