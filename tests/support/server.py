"""An open corpus, and requests to its application without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import caesura as cz
from caesura.tasks.report_subject import ReportOptions
from caesura.tasks.workbench import Material, Workbench

TOKEN, HOST = "secret", "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"


@dataclass(frozen=True)
class Answer:
    """Status, headers and content of a response."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.content)

    @property
    def error(self) -> str:
        return str(self.data["error"])


class Client:
    """Sends requests to an ASGI application, as uvicorn would."""

    def __init__(self, app: Any, peer: str = "127.0.0.1", *, leaves: bool = False) -> None:
        self.app = app
        self.peer = peer
        self.leaves = leaves  # whether it closes the connection when the request is sent

    def request(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b"", chunks: int = 1
    ) -> Answer:
        """Send a request; headers replace the default ones, and an empty value removes one."""
        path, _, query = path.partition("?")
        fields = {"host": HOST} | {name.lower(): value for name, value in (headers or {}).items()}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in fields.items() if value != ""],
            "client": (self.peer, 50000),
            "server": ("127.0.0.1", 8000),
            "scheme": "http",
            "root_path": "",
        }
        return asyncio.run(self._send(scope, body, chunks))

    async def _send(self, scope: dict[str, Any], body: bytes, chunks: int) -> Answer:
        size = -(-len(body) // chunks) or 1
        parts = [body[i : i + size] for i in range(0, len(body), size)] or [b""]
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                if not self.leaves:
                    await asyncio.Event().wait()  # a browser that waits for the answer
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], headers, content)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self.request("GET", f"/{TOKEN}/{path}", headers)

    def post(self, path: str, data: Any) -> Answer:
        headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
        return self.request("POST", f"/{TOKEN}/{path}", headers, json.dumps(data).encode())


def open_corpus(corpus: cz.Corpus, systems: list[str] | None = None, **options: Any) -> Workbench:
    return Workbench(lambda: Material(corpus, systems), ReportOptions(**options))


def client_of(workbench: Workbench, peer: str = "127.0.0.1") -> Client:
    from caesura.server.app import create_app

    return Client(create_app(workbench, token=TOKEN, hosts=[HOST]), peer)
