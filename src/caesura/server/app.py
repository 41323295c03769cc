"""The application: routes of all modules behind the guard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import Response

from caesura.server import adjudication, live, page, sound
from caesura.server.routes import json_response
from caesura.server.security import Guard, RequestError
from caesura.tasks.workbench import Workbench

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

# Functions that return the routes of a module; a new module adds its own here.
ROUTES: tuple[Callable[[Workbench], list[Route]], ...] = (page.routes, live.routes, sound.routes, adjudication.routes)


def create_app(workbench: Workbench, *, token: str, hosts: Iterable[str]) -> Guard:
    """Return the application that serves one open corpus."""
    routes = [route for module in ROUTES for route in module(workbench)]
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
