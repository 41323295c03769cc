"""The journal: nothing is lost, nothing counts for data that changed, and only one process writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Segmentation
from caesura.errors import ConflictError, FormatError

LENGTH = 200


def corpus(**changes: list[int]) -> Corpus:
    """Return two items: 'long' with 66 places that only ann marks, and 'short' with two."""
    long = {
        "ann": Segmentation.from_positions(LENGTH, range(3, LENGTH, 3)),
        "bo": Segmentation.from_positions(LENGTH, []),
    }
    short = {"ann": [2], "bo": [5]} | changes
    return Corpus({"long": long, "short": {name: Segmentation.from_positions(9, cuts) for name, cuts in short.items()}})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus.adjudication.jsonl"


def decide_all(path: Path, number: int) -> None:
    with cz.adjudicate(corpus(), path, adjudicator="Mia") as work:
        for place in work.places[:number]:
            work.decide(place, "coder", coder="ann", note="é\n")


def test_the_next_session_continues(path: Path) -> None:
    decide_all(path, 3)
    with cz.adjudicate(corpus(), path, adjudicator="Noa") as work:
        assert work.progress.decided == 3
        assert work.progress.adjudicators == {"Mia": 3}
        assert work.messages == ()
        work.undo(adjudicator="Mia")
        work.decide(work.places[5], "none")
    with cz.adjudicate(corpus(), path) as work:
        assert work.progress.adjudicators == {"Mia": 2, "Noa": 1}
        decision = work.state(work.places[0]).decision
        assert decision is not None
        assert decision.note == "é\n"


def test_every_record_says_what_it_is_about(path: Path) -> None:
    decide_all(path, 1)
    head, record = map(json.loads, path.read_text().splitlines())
    assert (head["caesura"], head["version"]) == ("adjudication", 1)
    assert len(record["data"]) == len(record["place"]) == 16
    assert {record[name] for name in ("item", "choice", "coder", "adjudicator")} == {"long", "coder", "ann", "Mia"}
    assert record["time"].endswith("Z")
    assert (record["version"], record["number"], record["revision"], len(record["check"])) == (1, 1, 1, 12)


SCRIPT = """
    import sys
    sys.path[:0] = {paths!r}
    from adjudication.test_journal import corpus
    import caesura as cz
    work = cz.adjudicate(corpus(), {path!r}, adjudicator="Mia")
    for number, place in enumerate(work.places[:60], 1):
        work.decide(place, "none")
        print(number, flush=True)
"""


def test_a_kill_after_50_decisions_loses_none(path: Path) -> None:
    folders = [str(Path(__file__).parents[1]), *sys.path]
    script = textwrap.dedent(SCRIPT).format(paths=folders, path=str(path))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = 0
    for line in process.stdout:
        printed = int(line)
        if printed == 50:
            os.kill(process.pid, signal.SIGKILL)
            break
    printed = max([printed, *map(int, process.stdout.read().split())])
    assert process.wait(30) == -signal.SIGKILL
    process.stdout.close()
    with cz.adjudicate(corpus(), path) as work:
        assert printed <= work.progress.decided <= printed + 1
        assert work.progress.decided >= 50
        assert work.messages == ()


def test_a_second_process_is_refused(path: Path) -> None:
    folders = [str(Path(__file__).parents[1]), *sys.path]
    script = textwrap.dedent(SCRIPT).format(paths=folders, path=str(path))
    with cz.adjudicate(corpus(), path) as work:
        result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert "another process adjudicates this corpus; close it first" in result.stderr
        with pytest.raises(ConflictError, match="another process adjudicates this corpus"):
            cz.adjudicate(corpus(), path)
        work.decide(work.places[0], "none")
        assert len(path.read_text().splitlines()) == 2  # head and decision: reading is possible meanwhile
    assert result.returncode == 1


@pytest.mark.parametrize("size", [1, 20, 150, -1])
def test_a_journal_that_was_cut_off_continues(path: Path, size: int) -> None:
    """Cut the last line after some bytes, or only its line end."""
    decide_all(path, 3)
    content = path.read_bytes()
    start = content.rindex(b"\n", 0, -1) + 1
    path.write_bytes(content[: start + size] if size > 0 else content[:-1])
    with cz.adjudicate(corpus(), path) as work:
        assert work.progress.decided == (2 if size > 0 else 3)
        if size > 0:
            (message,) = work.messages
            assert (
                f"the last line was cut off after {size} bytes; it is kept in {path}.cut and does not count" in message
            )
            assert Path(f"{path}.cut").read_bytes() == content[start : start + size]
        work.decide(work.places[10], "none")
    with cz.adjudicate(corpus(), path) as work:
        assert work.progress.decided == (3 if size > 0 else 4)
        assert work.messages == ()


@pytest.mark.parametrize("size", range(0, 60, 7))
def test_a_journal_whose_first_line_was_cut_off_begins_again(path: Path, size: int) -> None:
    decide_all(path, 0)
    path.write_bytes(path.read_bytes()[:size])
    decide_all(path, 2)
    assert len(path.read_text().splitlines()) == 3  # head and two decisions


def test_a_changed_line_does_not_count(path: Path) -> None:
    decide_all(path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"coder": "ann"', b'"coder": "bo"')
    path.write_bytes(b"".join(lines))
    with cz.adjudicate(corpus(), path, adjudicator="Mia") as work:
        assert work.progress.decided == 2
        assert work.messages == (
            f"{path}:3: the checksum does not match, so this line was changed or damaged; it does not count",
        )
        work.undo()  # the numbers of the other records are as before
        assert work.progress.decided == 1


@pytest.mark.parametrize(
    "content",
    [
        b'{"items": {}}',
        b"a,b\n1,2\n",
        b"\x00\xff\n",
        b'{"caesura": "adjudication", "version": 1, "check": "0"}\n',
        b"[1]",
    ],
)
def test_a_file_that_is_no_journal_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(FormatError, match="this is not the journal of an adjudication; rename it"):
        cz.adjudicate(corpus(), path)
    assert path.read_bytes() == content


def test_decisions_about_changed_items_do_not_count(path: Path) -> None:
    """Bo adds a boundary to 'short': the place at 2 stays, the item changes."""
    with cz.adjudicate(corpus(), path, adjudicator="Mia") as work:
        for place in work.places:
            work.decide(place, "coder", coder="ann")
        assert work.progress.open == 0
    with cz.adjudicate(corpus(bo=[5, 7]), path, adjudicator="Mia") as work:
        changed = [state for state in work.states() if state.status == "changed"]
        assert [state.place.item for state in changed] == ["short", "short"]
        assert work.progress.changed == 2
        assert (work.progress.open, work.progress.decided) == (3, 66)
        assert work.messages == (
            "1 item changed since places in them were decided; these decisions do not count until you keep them",
        )
        state = work.decide(changed[0].place, "earlier")
        assert state.status == "decided"
        assert work.progress.changed == 1
    with cz.adjudicate(corpus(), path) as work:  # the item is as it was
        assert work.progress.open == 0


def test_decisions_about_places_that_are_gone_are_said(path: Path) -> None:
    decide_all(path, 68)
    with cz.adjudicate(corpus(ann=[1], bo=[8]), path) as work:
        assert len(work.outdated) == 2
        assert "2 decisions about places that no longer exist do not count" in work.messages
        assert work.gold("majority").notes[-1] == "2 decisions from before the corpus changed do not count"


def test_a_journal_that_was_deleted_is_said(path: Path) -> None:
    with cz.adjudicate(corpus(), path) as work:
        path.unlink()
        with pytest.raises(FormatError, match="the decision was not recorded: the file was deleted or replaced"):
            work.decide(work.places[0], "none")
        assert work.progress.decided == 0


def test_a_full_disk_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decide_all(path, 2)
    size = path.stat().st_size
    with cz.adjudicate(corpus(), path) as work:
        write = os.write

        def full(descriptor: int, data: bytes) -> int:
            if len(data) > 10:
                return write(descriptor, data[:10])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        monkeypatch.setattr("caesura.files._BLOCK_BYTES", 10)
        with pytest.raises(FormatError, match="the decision was not recorded: No space left on device"):
            work.decide(work.places[5], "none")
        monkeypatch.undo()
        assert path.stat().st_size == size
        assert work.progress.decided == 2
        work.decide(work.places[5], "none")
    with cz.adjudicate(corpus(), path) as work:
        assert work.progress.decided == 3
