"""Requests whose computation takes too long, or whose page was closed, are cancelled; writing is not."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from support.server import TOKEN, Client

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")
from starlette.applications import Starlette

from caesura.progress import report_progress
from caesura.server import requests
from caesura.server.requests import post
from caesura.server.security import Guard


class Endless:
    """An answer that computes until it is cancelled, or for a while if it cannot be."""

    def __init__(self, steps: int = 10**12) -> None:
        self.steps, self.ended, self.complete = steps, Event(), False

    def __call__(self, _body: dict[str, Any]) -> dict[str, Any]:
        try:
            for step in range(self.steps):
                report_progress(step, self.steps)
            self.complete = True
            return {"complete": True}
        finally:
            self.ended.set()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "DEADLINE", 0.1)
    monkeypatch.setattr(requests, "_INTERVAL", 0.02)


def client_of(answer: Endless, *, leaves: bool = False, writes: bool = False) -> Client:
    app = Guard(Starlette(routes=[post("/api/compute", answer, writes=writes)]), TOKEN, ["127.0.0.1:8000"])
    return Client(app, leaves=leaves)


def test_a_computation_ends_at_the_deadline() -> None:
    answer = Endless()
    response = client_of(answer).post("api/compute", {})
    assert (response.status, response.error) == (
        503,
        "this took longer than 0.1 seconds and was stopped; choose fewer items or coders",
    )
    assert answer.ended.wait(10)
    assert not answer.complete


def test_a_computation_ends_if_the_page_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "DEADLINE", 1000.0)
    answer = Endless()
    client_of(answer, leaves=True).post("api/compute", {})
    assert answer.ended.wait(10)
    assert not answer.complete


@pytest.mark.parametrize("leaves", [False, True])
def test_an_answer_that_writes_is_not_cancelled(leaves: bool) -> None:
    answer = Endless(1_000_000)
    response = client_of(answer, leaves=leaves, writes=True).post("api/compute", {})
    assert (response.status, response.data["complete"]) == (200, True)
