"""Sound files beside the annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import FileResponse

from caesura.server.parameters import item_of
from caesura.server.routes import get
from caesura.server.security import RequestError
from caesura.tasks.workbench import SOUNDS, Workbench
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.routing import Route

_TYPES = {".wav": "audio/wav", ".ogg": "audio/ogg", ".mp3": "audio/mpeg", ".flac": "audio/flac"}


def routes(workbench: Workbench) -> list[Route]:
    """Return the routes of sound."""

    def about(query: dict[str, Any]) -> dict[str, Any]:
        item = item_of(workbench, query.get("item"))
        path = workbench.sound_of(item)
        return {"name": None if path is None else clean(path.name), "missing": clean(_missing(item))}

    def sound(query: dict[str, Any]) -> FileResponse:
        item = item_of(workbench, query.get("item"))
        path = workbench.sound_of(item)
        if path is None:
            raise RequestError(404, _missing(item))
        return FileResponse(path, media_type=_TYPES[path.suffix.lower()])

    return [get("/api/sound", about), get("/sound", sound)]


def _missing(item: str) -> str:
    expected = f"a file with the name of the item or of its annotation that ends in {', '.join(SOUNDS)}"
    return f"There is no sound for {item}: {expected} is expected beside the annotation."
