"""Protection of the local server: only this machine, only its own page, only bounded requests."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Maximum number of bytes of a request.
MAX_BODY = 1_000_000
# Methods that change nothing; a page elsewhere may cause them, but cannot read the answer.
SAFE_METHODS = ("GET", "HEAD")

_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class RequestError(Exception):
    """Raised when a request is refused, with the status of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


class Guard:
    """ASGI middleware that refuses requests from other machines, other pages and without the token."""

    # Every address begins with the token. A cookie could be read by a server on another port.

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self.app = app
        self.token = token
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no sockets
            return
        sender = _with_headers(send)
        try:
            self._check(scope)
            inner = self._without_token(scope)
        except RequestError as error:
            await JSONResponse({"error": error.message}, error.status)(scope, receive, sender)
            return
        if inner["path"] == "":  # without the slash at its end, the page would ask for addresses without the token
            await RedirectResponse(f"/{self.token}/")(scope, receive, sender)
            return
        await self.app(inner, _limited(receive), sender)

    def _check(self, scope: Scope) -> None:
        client = scope.get("client")
        if client is None or not _is_loopback(client[0]):
            raise RequestError(403, "this server answers only programs on the same machine")
        headers = _headers(scope)
        host = headers.get("host", "")
        if host not in self.hosts:
            raise RequestError(403, "this server was addressed by a name that is not its own")
        origin = headers.get("origin")
        if origin is None and scope["method"] not in SAFE_METHODS:
            raise RequestError(403, "a request that changes something must name the page that it comes from")
        if origin is not None and origin != f"http://{host}":
            raise RequestError(403, "this request comes from another page")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise RequestError(413, f"the request is too large: {MAX_BODY} bytes are allowed")

    def _without_token(self, scope: Scope) -> Scope:
        token, slash, rest = scope["path"].removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            raise RequestError(403, "the address has no valid token; use the address that `caesura open` printed")
        path = slash + rest
        return {**scope, "path": path, "raw_path": path.encode("utf-8", "replace"), "root_path": ""}


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; a header that occurs twice is refused, because programs differ in which of the two counts."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in headers and key in ("host", "origin", "content-length"):
            raise RequestError(400, f"the header {key} occurs twice")
        headers[key] = value.decode("latin-1")
    return headers


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _limited(receive: Receive) -> Receive:
    """Return a receiver that stops after ``MAX_BODY`` bytes, also if the request does not say how long it is."""
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY:
            raise RequestError(413, f"the request is too large: {MAX_BODY} bytes are allowed")
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *headers]}
        await send(message)

    return sender
