"""The page itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from caesura.server.routes import get
from caesura.tasks.workbench import Workbench
from caesura.views.page.build import live_policy, report_page

if TYPE_CHECKING:
    from starlette.routing import Route


def routes(workbench: Workbench) -> list[Route]:
    """Return the routes of the page.

    Parameters
    ----------
    workbench : Workbench
        The open corpus.

    Returns
    -------
    list of starlette.routing.Route
        ``/`` is the page.
    """

    def page(_query: dict[str, Any]) -> HTMLResponse:
        with workbench.lock:
            content = report_page(workbench.report, workbench.title, notes=workbench.warnings, live=True)
        return HTMLResponse(content, headers={"content-security-policy": live_policy()})

    return [get("/", page)]
