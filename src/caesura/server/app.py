"""The application: the page of a report, its live numbers and its sound, behind the guard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import FileResponse, HTMLResponse, Response

from caesura.errors import OptionError
from caesura.server.adjudication import adjudication_routes
from caesura.server.requests import get, item_of, json_response, name_of, post, read_parameters
from caesura.server.security import Guard, RequestError
from caesura.tasks.live import Boundary, boundary_types, score_scratch_copy, stream_names
from caesura.tasks.workbench import SOUNDS, Workbench
from caesura.views.page.build import live_policy, page_facts, report_page
from caesura.views.page.live import alignment_data, control_data, live_data, section_data, what_if_data
from caesura.views.page.sections import page_sections
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

# Boundaries of a scratch copy.
MAX_BOUNDARIES = 100_000
_SOUND_TYPES = {".wav": "audio/wav", ".ogg": "audio/ogg", ".mp3": "audio/mpeg", ".flac": "audio/flac"}


def create_app(workbench: Workbench, *, token: str, hosts: Iterable[str]) -> Guard:
    """Return the application that serves one open corpus."""
    groups = (_page_routes, _live_routes, _sound_routes, adjudication_routes)
    routes = [route for group in groups for route in group(workbench)]
    handlers = {RequestError: _refused, 404: _missing, 405: _missing, Exception: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)  # type: ignore[arg-type]
    app.router.redirect_slashes = False  # its redirection would lose the token
    return Guard(app, token, hosts)


def _refused(_request: Request, error: RequestError) -> Response:
    return json_response({"error": error.message}, error.status)


def _missing(_request: Request, _error: Exception) -> Response:
    return json_response({"error": "there is nothing at this address"}, 404)


def _failed(_request: Request, error: Exception) -> Response:
    """Return a sentence for an error of the program; the terminal shows the traceback."""
    return json_response({"error": f"the server failed: {type(error).__name__}; the terminal shows details"}, 500)


def _page_routes(workbench: Workbench) -> list[Route]:
    """Return the routes of the page itself, its sections with figures, and files that change on disk."""
    drawing = Lock()  # figures are drawn by one thread at a time

    def page(_query: dict[str, Any]) -> HTMLResponse:
        with workbench.lock:
            live = {"revision": workbench.revision, "controls": control_data(workbench.subject)}
            content = report_page(workbench.report, workbench.title, notes=workbench.warnings, live=live)
        return HTMLResponse(content, headers={"content-security-policy": live_policy()})

    def sections(body: dict[str, Any]) -> dict[str, Any]:
        report = workbench.complete_report(read_parameters(workbench, body))
        with drawing:
            shown = [section_data(section) for section in page_sections(report)]
        return {
            "sections": shown,
            "facts": [[name, clean(value)] for name, value in page_facts(report)],
            "signatures": [clean(signature) for signature in report.signatures],
        }

    def state(_query: dict[str, Any]) -> dict[str, Any]:
        changed = [clean(path) for path in workbench.changed_files()]
        return {"revision": workbench.revision, "changed": changed}

    def reload(_body: dict[str, Any]) -> dict[str, Any]:
        workbench.reload()
        return {"revision": workbench.revision}

    return [get("/", page), post("/api/sections", sections), get("/api/state", state), post("/api/reload", reload)]


def _live_routes(workbench: Workbench) -> list[Route]:
    """Return the routes of numbers and edits under new parameters, and of scores of scratch copies."""

    def update(body: dict[str, Any]) -> dict[str, Any]:
        """Return the numbers of the page, and the edits of the item that is open."""
        parameters = read_parameters(workbench, body)
        with workbench.lock:
            data = live_data(workbench.report, workbench.live(parameters))
            items = [] if body.get("item") is None else [item_of(workbench, body["item"])]
            data["edits"] = alignment_data(workbench.report, workbench.align(parameters, items))
        return data | {"revision": workbench.revision}

    def edits(body: dict[str, Any]) -> dict[str, Any]:
        parameters = read_parameters(workbench, body)
        with workbench.lock:
            alignments = workbench.align(parameters, workbench.items)
            data = alignment_data(workbench.report, alignments)
            counts = alignments.disagreements
            return data | {"counts": [counts.get(item, 0) for item in workbench.items]}

    def what_if(body: dict[str, Any]) -> dict[str, Any]:
        subject = workbench.subject
        coders = subject.corpus.coders
        types, streams = _by_shown_name(boundary_types(subject)), _by_shown_name(stream_names(subject))
        result = score_scratch_copy(
            subject,
            measure=read_parameters(workbench, body).measure,
            item=item_of(workbench, body.get("item")),
            coder=name_of("coder", coders, body.get("coder")),
            against=name_of("coder", coders, body.get("against")),
            boundaries=_boundaries(body.get("boundaries"), types),
            stream=_original(body.get("stream") or "", streams),
        )
        return what_if_data(result)

    return [post("/api/update", update), post("/api/edits", edits), post("/api/what-if", what_if)]


def _by_shown_name(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names in the files by the names on the page, which have no control characters."""
    shown: dict[str, list[str]] = {}
    for name in names:
        shown.setdefault(clean(name), []).append(name)
    return shown


def _original(name: Any, shown: Mapping[str, list[str]]) -> str:
    """Return the name in the files; a name that is not on the page stays as it is, and the task refuses it."""
    names = shown.get(name, [str(name)]) if isinstance(name, str) else [str(name)]
    if len(names) > 1:
        raise OptionError(f"{name!r}: two names differ only in characters that cannot be shown; rename one of them")
    return names[0]


def _boundaries(entries: Any, types: Mapping[str, list[str]]) -> list[Boundary]:
    if not isinstance(entries, list) or len(entries) > MAX_BOUNDARIES:
        raise OptionError(f"boundaries: expected a list of up to {MAX_BOUNDARIES} pairs of position and type")
    boundaries: list[Boundary] = []
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 2:
            raise OptionError("boundaries: expected pairs of position and type")
        position, name = entry
        if isinstance(position, bool) or not isinstance(position, int) or not (name is None or isinstance(name, str)):
            raise OptionError("boundaries: a position must be a whole number and a type a text")
        boundaries.append((position, None if name is None else _original(name, types)))
    return boundaries


def _sound_routes(workbench: Workbench) -> list[Route]:
    """Return the routes of sound files beside the annotations."""

    def about(query: dict[str, Any]) -> dict[str, Any]:
        item = item_of(workbench, query.get("item"))
        path = workbench.sound_of(item)
        return {"name": None if path is None else clean(path.name), "missing": clean(_no_sound(item))}

    def sound(query: dict[str, Any]) -> FileResponse:
        item = item_of(workbench, query.get("item"))
        path = workbench.sound_of(item)
        if path is None:
            raise RequestError(404, _no_sound(item))
        return FileResponse(path, media_type=_SOUND_TYPES[path.suffix.lower()])

    return [get("/api/sound", about), get("/sound", sound)]


def _no_sound(item: str) -> str:
    expected = f"a file with the name of the item or of its annotation that ends in {', '.join(SOUNDS)}"
    return f"There is no sound for {item}: {expected} is expected beside the annotation."
