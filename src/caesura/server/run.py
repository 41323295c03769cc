"""Start and end the server."""

from __future__ import annotations

import errno
import secrets
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from caesura.errors import OptionError
from caesura.progress import on_progress
from caesura.server.app import create_app
from caesura.tasks.workbench import Workbench

# The only address that the server listens at.
LOOPBACK = "127.0.0.1"
_HEADER_SECONDS = 10.0  # time for the headers of a request; uvicorn waits for them without end


class _Protocol(H11Protocol):
    """Closes connections that send no request, so that they do not keep others out."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_request(None)

    def on_response_complete(self) -> None:
        answered = self.cycle
        super().on_response_complete()
        self._wait_for_request(answered)

    def _wait_for_request(self, last: RequestResponseCycle | None) -> None:
        self.loop.call_later(_HEADER_SECONDS, self._close_without_request, last)

    def _close_without_request(self, last: RequestResponseCycle | None) -> None:
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()


class LocalServer:
    """A server for one open corpus, which listens at a port of this machine."""

    def __init__(self, workbench: Workbench, port: int = 0) -> None:
        self._listener = _listen(port)
        number, token = self._listener.getsockname()[1], secrets.token_urlsafe(32)
        hosts = [f"{name}:{number}" for name in (LOOPBACK, "localhost")]
        self.address = f"http://{LOOPBACK}:{number}/{token}/"
        self._server = uvicorn.Server(
            uvicorn.Config(
                create_app(workbench, token=token, hosts=hosts),
                log_level="error",
                access_log=False,  # it would contain the token
                proxy_headers=False,  # a header must not say which machine a request comes from
                server_header=False,
                lifespan="off",
                http=_Protocol,
                ws="none",
                limit_concurrency=100,
                timeout_graceful_shutdown=2,
            )
        )

    def run(self) -> None:
        """Answer requests until ``stop`` is called or the user presses Ctrl-C."""
        with self._listener:
            self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """End the server; requests that are being answered have two seconds."""
        self._server.should_exit = True


def serve(workbench: Workbench, *, port: int = 0, browser: bool = True, announce: Callable[[str], None]) -> None:
    """Serve an open corpus until the user presses Ctrl-C."""
    server = LocalServer(workbench, port)
    with on_progress(None), suppress(KeyboardInterrupt):  # uvicorn raises it again after a clean end
        announce(server.address)
        if browser:
            Thread(target=_open_browser, args=(server.address, announce), daemon=True).start()
        server.run()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        reasons = {errno.EADDRINUSE: "another program uses it", errno.EACCES: "the system does not allow it"}
        reason = reasons.get(error.errno or 0, error.strerror)
        hint = "choose another one, or omit --port for any free port"
        raise OptionError(f"port {port} cannot be used: {reason}; {hint}") from None
    return listener


def _open_browser(address: str, announce: Callable[[str], None]) -> None:
    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        announce("no browser could be started; open the address above in a browser on this machine")
