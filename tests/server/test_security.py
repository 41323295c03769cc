"""Requests that the local server refuses: without the token, from other machines, for other names, from other pages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

import caesura as cz
from caesura.tasks.workbench import Workbench
from support.server import HOST, ORIGIN, TOKEN, client_of, open_corpus

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")


@pytest.fixture(scope="module")
def workbench() -> Workbench:
    cut = cz.Segmentation.from_masses
    return open_corpus(
        cz.Corpus({"a": {"ann": cut([2, 3, 6]), "bo": cut([5, 6])}, "b": {"ann": cut([4]), "bo": cut([2, 2])}})
    )


def test_the_page_needs_the_token(workbench: Workbench) -> None:
    client = client_of(workbench)
    assert client.get("").status == 200
    for path in (
        "/",
        "/wrong/",
        f"/{TOKEN}x/",
        "//",
        f"/x/{TOKEN}/",
        f"/{TOKEN[:-1]}/",
        "/\u00e9/",
        f"/{TOKEN}\u00e9/",
    ):
        answer = client.request("GET", path)
        assert (answer.status, "token" in answer.error) == (403, True)


def test_the_address_may_lack_its_last_slash(workbench: Workbench) -> None:
    answer = client_of(workbench).request("GET", f"/{TOKEN}")
    assert (answer.status, answer.headers["location"]) == (307, f"/{TOKEN}/")


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "127.0.0.1:8001", "localhost.example.org:8000", ""])
def test_a_foreign_host_is_refused(workbench: Workbench, host: str) -> None:
    """A name that somebody else's domain server points at this machine is not a name of this server."""
    answer = client_of(workbench).request("GET", f"/{TOKEN}/", {"Host": host})
    assert (answer.status, "name" in answer.error) == (403, True)


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(workbench: Workbench, origin: str, method: str) -> None:
    answer = client_of(workbench).request(method, f"/{TOKEN}/", {"Origin": origin})
    assert (answer.status, "another page" in answer.error) == (403, True)


def test_a_post_needs_an_origin(workbench: Workbench) -> None:
    client = client_of(workbench)
    assert client.request("POST", f"/{TOKEN}/api/reload", {"Content-Type": "application/json"}, b"{}").status == 403
    assert client.post("api/reload", {}).status == 200


def test_a_form_of_another_page_cannot_post(workbench: Workbench) -> None:
    """A form can send text, but no JSON without the permission of the server."""
    headers = {"Origin": ORIGIN, "Content-Type": "text/plain"}
    assert client_of(workbench).request("POST", f"/{TOKEN}/api/reload", headers, b"{}").status == 415


@pytest.mark.parametrize("peer", ["192.168.1.7", "::ffff:10.0.0.1", "testclient", "0.0.0.0"])
def test_another_machine_is_refused(workbench: Workbench, peer: str) -> None:
    answer = client_of(workbench, peer).get("", {"X-Forwarded-For": "127.0.0.1"})
    assert (answer.status, "same machine" in answer.error) == (403, True)


def test_large_requests_are_refused(workbench: Workbench) -> None:
    client, body = client_of(workbench), b" " * 1_000_001
    headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
    for length, chunks in ((str(len(body)), 1), ("", 10), ("5", 10), ("-1", 1), ("x", 1)):
        answer = client.request("POST", f"/{TOKEN}/api/update", headers | {"Content-Length": length}, body, chunks)
        assert (answer.status, "too large" in answer.error) == (413, True)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'"x"'])
def test_a_request_that_is_no_object_is_refused(workbench: Workbench, body: bytes) -> None:
    headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
    answer = client_of(workbench).request("POST", f"/{TOKEN}/api/update", headers, body)
    assert (answer.status, "JSON" in answer.error) == (400, True)


def test_there_is_no_listing(workbench: Workbench) -> None:
    client = client_of(workbench)
    for path in ("static/", "static/report.js", "..", "../", "sound/", "api", "api/", "etc/passwd"):
        assert client.get(path).status == 404
    assert client.request("DELETE", f"/{TOKEN}/", {"Origin": ORIGIN}).status == 404


def test_a_header_that_occurs_twice_is_refused(workbench: Workbench) -> None:
    client = client_of(workbench)
    headers = [(b"host", HOST.encode()), (b"host", b"example.org")]

    class Twice:
        async def __call__(self, scope: dict[str, object], receive: object, send: object) -> None:
            await client_of(workbench).app({**scope, "headers": headers}, receive, send)

    client.app = Twice()
    assert client.get("").status == 400


def test_answers_are_neither_stored_nor_framed(workbench: Workbench) -> None:
    headers = client_of(workbench).get("").headers
    assert headers["cache-control"] == "no-store"
    policy = headers["content-security-policy"]
    assert all(part in policy for part in ("default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'"))
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_a_failure_of_the_program_is_a_sentence(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(workbench, "live", fail)
    client = client_of(workbench)
    with pytest.raises(RuntimeError, match="broken"):  # starlette answers, and raises it again for the log
        client.post("api/update", {})


@contextmanager
def served(workbench: Workbench) -> Iterator[str]:
    """Serve an open corpus at its address."""
    from caesura.server.run import LocalServer

    server = LocalServer(workbench)
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield server.address
    finally:
        server.stop()
        thread.join(20)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_connections_without_a_request_do_not_keep_others_out(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr("caesura.server.run._HEADER_SECONDS", 0.5)
    with served(workbench) as address:
        place = urlsplit(address)
        idle = [socket.create_connection((place.hostname, place.port), timeout=20) for _ in range(110)]
        for connection in idle:
            connection.sendall(sent)
        assert [connection.recv(1) for connection in idle] == [b""] * len(idle)
        assert urlopen(address, timeout=20).status == 200
        for connection in idle:
            connection.close()


def test_a_second_request_must_arrive_in_time_too(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.server.run._HEADER_SECONDS", 0.5)
    with served(workbench) as address:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=20) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {place.netloc}\r\n\r\nGET /".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.count(b"HTTP/1.1 403") == 1
