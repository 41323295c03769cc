"""Requests about adjudication: the queue, decisions, conflicts, undo and export."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import caesura as cz
from caesura.tasks.workbench import Material, Workbench
from support.server import client_of

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")

API = "api/adjudication"

# item a, positions  1 2 3 4 5 6 7 8 9   item b, positions  1 2 3
# ann                . | . . . | . . .                      , . .
# bo                 . . . . . | . . .                      . . .
A = {"ann": [2, 6], "bo": [6], "<i>cy</i>": [6]}


def corpus(**changes: list[int]) -> cz.Corpus:
    typed = {"ann": [",", "", "", "."], "bo": ["", "", "", "."], "<i>cy</i>": ["", "", "", "."]}
    types = [",", "."]
    return cz.Corpus(
        {
            "a": {
                coder: cz.Segmentation.from_positions(9, cuts, marks=["." for _ in cuts], types=types)
                for coder, cuts in (A | changes).items()
            },
            "b": {coder: cz.Segmentation.from_marks(row, types=types) for coder, row in typed.items()},
        }
    )


class Client:
    """Requests of one page."""

    def __init__(self, path: Path) -> None:
        cz.write(corpus(), path)
        self.workbench = Workbench(lambda: Material(cz.read(path)), paths=[str(path)])
        self.client = client_of(self.workbench)

    def queue(self, **query: object) -> Any:
        return self.client.get(f"{API}?{urlencode(query)}").data

    def post(self, path: str, status: int = 200, **body: object) -> Any:
        answer = self.client.post(f"{API}/{path}", body)
        assert answer.status == status, answer.content
        return answer.data


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path / "corpus.csv")


def test_places_are_decided_and_exported(client: Client, tmp_path: Path) -> None:
    queue = client.queue()
    assert (queue["total"], queue["decided"], queue["types"], queue["messages"]) == (2, 0, [",", "."], [])
    first, second = queue["places"]
    assert first["coders"] == [["ann", [{"start": 2, "type": "."}]], ["bo", []], ["<i>cy</i>", []]]
    assert (first["item"], second["item"], first["status"], first["revision"]) == ("a", "b", "open", 0)
    answer = client.post("decide", place=first["key"], revision=0, choice="coder", coder=0, type=0, adjudicator="Mia")
    assert answer["place"]["decision"]["sentence"].startswith("Mia decided 2 , as ann at ")
    error = client.post("export", 400)["error"]
    assert error.startswith("1 of 2 places is open; decide them")
    hand = [{"start": 3, "type": 1}]
    client.post("decide", place=second["key"], revision=0, choice="hand", marks=hand, adjudicator="Noa", note="why")
    exported = client.post("export")
    assert exported["files"] == [str(tmp_path / "corpus.gold.csv")]
    gold = cz.read(tmp_path / "corpus.gold.csv")
    assert gold["a", "gold"].boundaries == ((2, ","), (6, "."))
    assert gold["b", "gold"].boundaries == ((3, "."), (4, "."))
    assert "why" in Path(exported["record"]).read_text()
    assert client.queue(start=1, count=1)["places"][0]["decision"]["note"] == "why"
    assert client.post("undo", adjudicator="Noa")["place"]["status"] == "open"
    assert client.post("export", majority=True)["notes"] == ["1 open place: what more than half of the coders have"]


def test_the_second_decision_is_refused_with_the_first(client: Client) -> None:
    key = client.queue()["places"][0]["key"]
    client.post("decide", place=key, revision=0, choice="none", adjudicator="Mia")
    answer = client.post("decide", 409, place=key, revision=0, choice="majority", adjudicator="Noa")
    assert answer["error"].startswith("this place is decided already: Mia decided none at ")
    assert answer["place"]["revision"] == 1
    assert client.post("decide", place=key, revision=1, choice="majority", adjudicator="Noa")["decided"] == 1


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"place": "x"}, "there is no place 'x'"),
        ({"revision": "0"}, "revision: expected the number"),
        ({"choice": "all"}, "choice"),
        ({"choice": None}, "choice"),
        ({"choice": "coder", "coder": 3}, "coder: expected a number from 0 to 2; got 3"),
        ({"choice": "coder", "coder": "ann"}, "coder: expected a number from 0 to 2"),
        ({"choice": "coder"}, "coder: this item has no coder"),
        ({"choice": "none", "type": 9}, "type: expected a number from 0 to 1"),
        ({"choice": "hand", "marks": [{"start": 99, "type": 0}]}, "marks: a boundary has a whole position in"),
        ({"choice": "hand", "marks": [{"start": 3, "type": 9}]}, "the type of a mark is a text; got 9"),
        ({"choice": "hand", "marks": "3"}, "by hand needs at least one mark"),
        ({"choice": "none", "note": 7}, "note: expected a text"),
        ({"choice": "none", "adjudicator": "x" * 20_000}, "adjudicator: expected a text of at most 10,000"),
        ({"choice": "earlier"}, "there is no earlier decision"),
    ],
)
def test_a_request_that_makes_no_sense_is_a_sentence(client: Client, body: dict[str, Any], problem: str) -> None:
    key = client.queue()["places"][0]["key"]
    answer = client.post("decide", 400, **({"place": key, "revision": 0, "choice": "none"} | body))
    assert problem in answer["error"]
    assert client.queue()["decided"] == 0


def test_numbers_of_the_queue_are_checked(client: Client) -> None:
    assert "start: expected a whole number; got '-1'" in client.queue(start=-1)["error"]
    assert client.queue(start=7)["places"] == []


def test_a_second_server_is_refused(client: Client, tmp_path: Path) -> None:
    client.queue()
    assert "another process adjudicates this corpus" in Client(tmp_path / "corpus.csv").queue()["error"]


def test_files_that_were_reloaded_have_a_new_queue(client: Client, tmp_path: Path) -> None:
    for place in client.queue()["places"]:
        client.post("decide", place=place["key"], revision=0, choice="none")
    cz.write(corpus(bo=[4, 6]), tmp_path / "corpus.csv")
    client.workbench.reload()
    queue = client.queue()
    assert queue["decided"] == 1
    assert [place["status"] for place in queue["places"] if place["item"] == "a"] == [
        "changed",
        "open",
    ]  # 2 as before, 4 is new
    assert "1 item changed since places in them were decided" in queue["messages"][0]
