"""Requests that the local server refuses: without the token, from other machines, for other names, from other pages."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.tasks.workbench import Material, Workbench

starlette = pytest.importorskip("starlette.testclient", reason="starlette is not installed: pip install caesura[open]")

TOKEN, HOST = "secret", "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"


def corpus() -> cz.Corpus:
    cut = cz.Segmentation.from_masses
    return cz.Corpus({"a": {"ann": cut([2, 3, 6]), "bo": cut([5, 6])}, "b": {"ann": cut([4]), "bo": cut([2, 2])}})


@pytest.fixture(scope="module")
def workbench() -> Workbench:
    return Workbench(lambda: Material(corpus()))


def client(workbench: Workbench, peer: str = "127.0.0.1") -> starlette.TestClient:
    from caesura.server.app import create_app

    app = create_app(workbench, token=TOKEN, hosts=[HOST])
    return starlette.TestClient(app, base_url=ORIGIN, client=(peer, 50000), raise_server_exceptions=False)


def test_the_page_needs_the_token(workbench: Workbench) -> None:
    own = client(workbench)
    assert own.get(f"/{TOKEN}/").status_code == 200
    for path in ("/", "/wrong/", f"/{TOKEN}x/", "//", f"/x/{TOKEN}/", "/%73ecret2/", "/\u00e9/"):
        response = own.get(path)
        assert response.status_code == 403
        assert "token" in response.json()["error"]


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "127.0.0.1:8001", "localhost.example.org:8000", ""])
def test_a_foreign_host_is_refused(workbench: Workbench, host: str) -> None:
    response = client(workbench).get(f"/{TOKEN}/", headers={"Host": host})
    assert (response.status_code, "name" in response.json()["error"]) == (403, True)


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(workbench: Workbench, origin: str, method: str) -> None:
    response = client(workbench).request(method, f"/{TOKEN}/", headers={"Origin": origin})
    assert response.status_code == 403


def test_a_post_needs_an_origin(workbench: Workbench) -> None:
    own = client(workbench)
    assert own.post(f"/{TOKEN}/nothing", json={}).status_code == 403
    assert own.post(f"/{TOKEN}/nothing", json={}, headers={"Origin": ORIGIN}).status_code == 404


@pytest.mark.parametrize("peer", ["192.168.1.7", "::ffff:10.0.0.1", "testclient", "0.0.0.0"])
def test_another_machine_is_refused(workbench: Workbench, peer: str) -> None:
    response = client(workbench, peer).get(f"/{TOKEN}/", headers={"X-Forwarded-For": "127.0.0.1"})
    assert (response.status_code, "same machine" in response.json()["error"]) == (403, True)


def test_large_requests_are_refused(workbench: Workbench) -> None:
    response = client(workbench).post(f"/{TOKEN}/", content=b"x" * 1_000_001, headers={"Origin": ORIGIN})
    assert response.status_code == 413


def test_answers_are_neither_stored_nor_framed(workbench: Workbench) -> None:
    headers = client(workbench).get(f"/{TOKEN}/").headers
    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
