"""The page itself, its sections with figures, and files that change on disk."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from caesura.server.parameters import read_parameters
from caesura.server.routes import get, post
from caesura.tasks.workbench import Workbench
from caesura.views.page.build import live_policy, page_facts, report_page
from caesura.views.page.live import control_data, section_data
from caesura.views.page.sections import page_sections
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.routing import Route


def routes(workbench: Workbench) -> list[Route]:
    """Return the routes of the page."""
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
