"""Numbers and edits under new parameters, and scores of scratch copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.server.parameters import item_of, name_of, read_parameters
from caesura.server.routes import post
from caesura.tasks.live import Boundary, boundary_types, score_scratch_copy, stream_names
from caesura.tasks.workbench import Workbench
from caesura.views.page.live import alignment_data, live_data, what_if_data
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.routing import Route

# Boundaries of a scratch copy.
MAX_BOUNDARIES = 100_000


def routes(workbench: Workbench) -> list[Route]:
    """Return the routes of the live numbers."""

    def update(body: dict[str, Any]) -> dict[str, Any]:
        """Return the numbers of the page, and the edits of the item that is open."""
        parameters = read_parameters(workbench, body)
        with workbench.lock:
            result = workbench.live(parameters)
            data = live_data(workbench.report, result)
            items = [] if body.get("item") is None else [item_of(workbench, body["item"])]
            data["edits"] = alignment_data(workbench.report, workbench.align(parameters, items))
        return data | {"revision": workbench.revision}

    def edits(body: dict[str, Any]) -> dict[str, Any]:
        """Return the edits of all items."""
        parameters = read_parameters(workbench, body)
        with workbench.lock:
            alignments = workbench.align(parameters, workbench.items)
            data = alignment_data(workbench.report, alignments)
            counts = alignments.disagreements
            return data | {"counts": [counts.get(item, 0) for item in workbench.items]}

    def what_if(body: dict[str, Any]) -> dict[str, Any]:
        """Return the scores of a scratch copy."""
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
