"""``evaluate``: excluded documents, checkpoints and progress. Sources have their own tests."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import caesura as cz
from caesura.cli import main
from caesura.cli.progress import Progress
from caesura.engines import open_engine
from caesura.errors import CaesuraWarning, CheckpointError, InputError, OptionError, Undefined
from caesura.evaluation.result import EvaluationProgress
from caesura.evaluation.run import partitions_per_task
from caesura.evaluation.sources import DocumentSource
from caesura.model.documents import DocumentPairs
from support.collected import collection, documents, pairs, write
from support.commands import invoke

pytest.importorskip("pyarrow", reason="needs caesura[parquet]")

MEASURES = ["segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)", "pk", "window_diff", "win_pr"]
FILES, ROWS = 5, 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    collection(tmp_path / "data", FILES, ROWS)
    return tmp_path / "data"


@pytest.fixture(scope="module")
def whole() -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    return pairs(documents(FILES * ROWS))


def totals(scored_pairs: Any, measures: list[str] = MEASURES) -> dict[str, cz.Score]:
    return {cz.parse(name).name: cz.score_many(scored_pairs, name).total for name in measures}


def follow(reports: list[EvaluationProgress]) -> AbstractContextManager[None]:
    """Collect the progress of an evaluation."""
    return cz.on_progress(lambda _done, _total, detail: reports.append(detail), with_detail=True)


def run(*arguments: object) -> Any:
    return invoke(["evaluate", *map(str, arguments)])


def test_scores_of_all_documents(folder: Path, whole: Any) -> None:
    result = cz.evaluate(folder, MEASURES)
    assert dict(result) == totals(whole)
    assert not result.partial
    assert result["pk"] is result[cz.parse("pk")]
    assert result["boundary_similarity(n_t=2)"] is result["boundary_similarity"]
    expected = (FILES * ROWS, FILES, 0, 0)
    assert (result.documents, result.partitions, result.excluded_documents, result.excluded_partitions) == expected
    with pytest.raises(KeyError):
        result["window_dif"]
    with pytest.raises(KeyError):
        result["crisp"]


def test_two_measures_with_the_same_name(folder: Path) -> None:
    result = cz.evaluate(folder, ["pk(window=3)", "pk", "pk(window=3)"])
    assert list(result) == ["pk(window=3)", "pk"]
    assert result["pk(window=3)"].params["window"] == 3
    assert result["pk"].params["window_from"] == "auto"


def test_one_measure_as_text(folder: Path, whole: Any) -> None:
    assert cz.evaluate(str(folder / "*.parquet"), "pk")["pk"] == cz.score_many(whole, "pk").total


def corrupt(folder: Path) -> None:
    """Write 000 truncated, 001 with a position beyond the text and with decreasing positions, 003 not as Parquet."""
    path = folder / "000.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    rows = documents(FILES * ROWS)[ROWS : 2 * ROWS]
    rows[4] = ([3, 40], [])
    rows[7] = ([3], [9, 5])
    write(folder / "001.parquet", rows, first=ROWS)
    (folder / "003.parquet").write_text("item,length\n")


def test_unreadable_and_unscorable_documents_are_listed_and_the_rest_are_scored(folder: Path, whole: Any) -> None:
    corrupt(folder)
    result = cz.evaluate(folder, MEASURES)
    scorable = [*whole[ROWS : ROWS + 4], *whole[ROWS + 5 : ROWS + 7], *whole[ROWS + 8 : 3 * ROWS], *whole[4 * ROWS :]]
    assert dict(result) == totals(scorable)
    expected = (True, 2, 2, FILES)
    assert (result.partial, result.excluded_documents, result.excluded_partitions, result.partitions) == expected
    messages = [str(entry) for entry in result.excluded]
    assert [message.partition(": ")[0] for message in messages] == [
        str(folder / "000.parquet"),
        f"{folder / '001.parquet'}:5",
        f"{folder / '001.parquet'}:8",
        str(folder / "003.parquet"),
    ]
    assert "not valid Parquet" in messages[0]
    assert messages[1].endswith(
        "item 'd00034': reference: positions[1]: a position must lie in 1..39 for 40 units; got 40"
    )
    assert messages[2].endswith("item 'd00037': hypothesis: positions[1]: positions must ascend; got 5 after 9")


def test_on_the_command_line(folder: Path) -> None:
    corrupt(folder)
    result = run(folder, "-m", "pk", "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    results = data["results"]
    assert (results["partial"], list(results["scores"]), results["documents"]) == (True, ["pk"], 3 * ROWS - 2)
    assert [entry["item"] for entry in data["excluded"]] == [None, "d00034", "d00037", None]
    lines = result.stderr.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("caesura: ") for line in lines)
    assert lines[-1] == "caesura: the result is partial: 2 document(s) excluded and 2 of 5 partition(s) not read"
    printed = run(folder, "-m", "pk")
    assert printed.exit_code == 1
    assert "partial: documents that could not be read or scored are missing" in printed.stdout


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_strict_stops(folder: Path, engine: str) -> None:
    corrupt(folder)
    finished: list[int] = []
    with (
        pytest.raises(InputError, match=r"a position must lie in 1\.\.39|not valid Parquet|positions must ascend"),
        cz.on_progress(lambda done, _: finished.append(done)),
        open_engine(engine, 1) as opened,
    ):
        cz.evaluate(folder, MEASURES, strict=True, engine=opened)
    assert len(finished) < FILES
    if engine == "threads":
        result = run(folder, "--strict")
        assert result.exit_code == 1
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1


def test_documents_that_are_too_short_for_a_measure(tmp_path: Path) -> None:
    collection(tmp_path / "data", 2, 10)
    write(tmp_path / "data" / "short.parquet", [([2], [3]), ([], [1])], units=4, first=100)
    result = cz.evaluate(tmp_path / "data", ["pk(window=6)", "boundary_similarity(n_t=2)"])
    assert (result["pk"].documents, result["boundary_similarity"].documents) == (20, 22)
    assert result.excluded_documents == 2
    assert [entry.measure for entry in result.excluded] == ["pk(window=6)"] * 2
    assert "window must lie in 1..3" in result.excluded[0].reason
    with pytest.raises(Undefined, match=r"pk\(window=60\): no document could be scored; .*window must lie in 1\.\.39"):
        cz.evaluate(tmp_path / "data", ["pk(window=60)", "crisp"])["pk"]
    with pytest.raises(InputError, match=r"no document could be scored; .*window must lie in"):
        cz.evaluate(tmp_path / "data", "pk(window=60)")


def test_nothing_to_score(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no document could be scored; the source is empty"):
        cz.evaluate([], "pk")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"no document could be scored; .*a\.parquet: not valid Parquet"):
        cz.evaluate(tmp_path, "pk", format="documents-parquet")
    with pytest.raises(OptionError, match="expected at least one"):
        cz.evaluate([], [])
    assert (
        run(tmp_path / "nowhere").stderr
        == f"caesura: {tmp_path / 'nowhere'}: cannot be read: No such file or directory\n"
    )


def test_many_problems_are_counted_and_the_first_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [([1], [50])] * 100 + [([1], [1])])
    result = cz.evaluate(tmp_path, "pk")
    assert (result.excluded_documents, len(result.excluded), result.documents) == (100, 20, 1)


@dataclass(frozen=True)
class Deadly:
    """A partition of five pairs. The partition with this number kills the process that reads it."""

    number: int

    @property
    def place(self) -> str:
        return f"number {self.number}"

    path = place

    @property
    def fingerprint(self) -> list[Any]:
        return [self.number]

    def chunks(self) -> Iterator[DocumentPairs]:
        if self.number == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        scored_pairs = pairs(documents(FILES * ROWS)[5 * self.number : 5 * self.number + 5])
        yield DocumentPairs([f"{i}" for i in range(5)], range(1, 6), scored_pairs)

    def types(self) -> set[str]:
        return set()


@pytest.mark.slow
def test_a_partition_that_kills_its_worker_loses_no_other_partition(
    whole: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This includes the partitions of the same task."""
    parts = [Deadly(i) for i in range(12)]
    assert partitions_per_task(len(parts), 1) == 3
    monkeypatch.setattr(import_module("caesura.tasks.evaluate"), "open_source", lambda *_: DocumentSource(parts))
    with open_engine("processes", 1) as engine:
        result = cz.evaluate(iter([]), ["pk", "win_pr"], engine=engine)
    assert dict(result) == totals([*whole[:20], *whole[25:60]], ["pk", "win_pr"])
    assert [str(entry) for entry in result.excluded] == [
        "number 4: its process died, and twice more when the task ran alone"
    ]
    assert (result.excluded_partitions, result.partitions) == (1, 12)


@pytest.mark.parametrize(
    ("partitions", "workers", "number"),
    [(None, 2, 1), (5, 2, 1), (40, 2, 5), (4000, 2, 16), (4000, 100, 10), (3, 1000, 1)],
)
def test_number_of_partitions_per_task(partitions: int | None, workers: int, number: int) -> None:
    """At most 16, and few enough that every worker has four tasks."""
    assert partitions_per_task(partitions, workers) == number


def test_a_run_is_continued(folder: Path, whole: Any, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    first = cz.evaluate(folder, MEASURES, checkpoint=checkpoint)
    for number in (1, 3):
        (checkpoint / "done" / f"{number:07}.json").unlink()
    (checkpoint / "done" / "0000004.json").write_text("{}")  # damaged: done again
    reports: list[EvaluationProgress] = []
    with (
        open_engine("processes", 2) as engine,
        follow(reports),
        pytest.warns(CaesuraWarning, match=r"0000004\.json is damaged"),
    ):
        again = cz.evaluate(folder, MEASURES, checkpoint=checkpoint, engine=engine)
    assert dict(again) == dict(first) == totals(whole)
    assert (again.resumed, again.documents, again.partitions) == (FILES - 3, FILES * ROWS, FILES)
    assert (reports[-1].resumed_documents, reports[-1].documents) == ((FILES - 3) * ROWS, FILES * ROWS)


def test_a_partition_that_could_not_be_read_is_tried_again(folder: Path, whole: Any, tmp_path: Path) -> None:
    sound = (folder / "002.parquet").read_bytes()
    stamp = (folder / "002.parquet").stat()
    broken = sound[: len(sound) // 2] + bytes(len(sound) - len(sound) // 2)
    (folder / "002.parquet").write_bytes(broken)
    os.utime(folder / "002.parquet", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert cz.evaluate(folder, MEASURES, checkpoint=tmp_path / "kept").excluded_partitions == 1
    (folder / "002.parquet").write_bytes(sound)
    os.utime(folder / "002.parquet", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    again = cz.evaluate(folder, MEASURES, checkpoint=tmp_path / "kept")
    assert (dict(again), again.resumed) == (totals(whole), FILES - 1)


def test_excluded_documents_stay_listed(folder: Path, tmp_path: Path) -> None:
    corrupt(folder)
    first = cz.evaluate(folder, MEASURES, checkpoint=tmp_path / "kept")
    again = cz.evaluate(folder, MEASURES, checkpoint=tmp_path / "kept")
    assert again.resumed == FILES - 2
    expected = (first.excluded, first.excluded_documents, dict(first))
    assert (again.excluded, again.excluded_documents, dict(again)) == expected


def test_different_arguments_and_different_data_are_rejected(folder: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "kept"
    cz.evaluate(folder, ["pk"], checkpoint=checkpoint)
    with pytest.raises(CheckpointError, match="measures was"):
        cz.evaluate(folder, ["pk(window=3)"], checkpoint=checkpoint)
    with pytest.raises(CheckpointError, match="scores was null"):
        cz.evaluate(folder, ["pk"], checkpoint=checkpoint, scores=tmp_path / "scores")
    write(folder / "001.parquet", documents(ROWS, seed=9), first=ROWS)
    with pytest.raises(CheckpointError, match="data was"):
        cz.evaluate(folder, ["pk"], checkpoint=checkpoint)
    (folder / "001.parquet").unlink()
    with pytest.raises(CheckpointError, match="partitions was 5, and is now 4"):
        cz.evaluate(folder, ["pk"], checkpoint=checkpoint)
    result = run(folder, "-m", "pk", "--checkpoint", checkpoint)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "it belongs to a different run" in result.stderr


def test_an_iterator_that_yields_different_data(whole: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its data are unknown before it yields them, so each partition is compared with its record."""
    monkeypatch.setattr("caesura.evaluation.sources.PAIRS_PER_PARTITION", 40)
    first = cz.evaluate(iter(whole), MEASURES, checkpoint=tmp_path)
    (tmp_path / "done" / "0000002.json").unlink()
    again = cz.evaluate(pairs(documents(FILES * ROWS)), MEASURES, checkpoint=tmp_path)
    assert (dict(again), again.resumed) == (dict(first), 3)
    assert dict(first) == totals(whole)
    with pytest.raises(CheckpointError, match="it belongs to different data: pairs 41 to 80 has changed"):
        cz.evaluate([*whole[:40], *whole[39:]], MEASURES, checkpoint=tmp_path)


def test_progress_as_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.cli.progress.LINE_INTERVAL", 0.0)
    lines = run(folder, "--workers", 1).stderr.splitlines()
    form = r"caesura: \d of 5 partitions, [\d,]+ documents, [\d,]+ per second, \d:\d\d:\d\d left"
    assert len(lines) == FILES
    assert all(re.fullmatch(form, line) for line in lines), lines
    assert lines[-1].startswith("caesura: 5 of 5 partitions, 150 documents")
    monkeypatch.undo()
    assert run(folder).stderr == ""


def test_time_left() -> None:
    reports: list[EvaluationProgress] = []

    def slowly() -> Iterator[Any]:
        yield from pairs(documents(3000))

    with open_engine("threads", 1) as engine, follow(reports):
        cz.evaluate(slowly(), "pk", engine=engine)
    assert [progress.total for progress in reports] == [None] * 3
    assert all(progress.seconds_left is None for progress in reports)
    assert [progress.documents for progress in reports] == [1000, 2000, 3000]


def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path) -> None:
    """A run that the user stops explains how to continue. The same command then computes the rest."""
    collection(tmp_path / "data", 30, 150)
    command = [
        sys.executable,
        "-m",
        "caesura",
        "evaluate",
        "data",
        "-m",
        "flexible_similarity",
        "--workers",
        "1",
        "--checkpoint",
        "kept",
    ]
    # If a shell runs the tests in the background, its children ignore Ctrl-C.
    running = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    end = time.monotonic() + 60
    while len(list(tmp_path.glob("kept/done/*.json"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert re.fullmatch(
        r"caesura: stopped after \d+ of 30 partitions; finished work is saved in kept; run the same command again to continue\n",
        err,
    )
    finished = len(list(tmp_path.glob("kept/done/*.json")))
    assert 2 <= finished < 30
    again = cz.evaluate(tmp_path / "data", "flexible_similarity", checkpoint=tmp_path / "kept")
    assert again.resumed == finished
    assert dict(again) == totals(pairs(documents(30 * 150)), ["flexible_similarity"])


def test_time_left_of_consecutive_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """After 1, 2 and 4 s, 10, 20 and 40 of 100 draws are finished. A second run begins at 4 s and has 5, then 10."""
    now = 0.0
    monkeypatch.setattr("caesura.cli.progress.monotonic", lambda: now)
    monkeypatch.setattr("caesura.cli.progress.LINE_INTERVAL", 1.5)
    with click.Context(main), Progress("draws") as progress:
        for now, done in ((1.0, 10), (2.0, 20), (4.0, 40), (5.0, 5), (6.0, 10)):  # noqa: B007 - the clock reads it
            progress.update(done, 100)
    assert capsys.readouterr().err.splitlines() == [
        "caesura: 20 of 100 draws, 10 per second, 0:00:08 left",
        "caesura: 40 of 100 draws, 10 per second, 0:00:06 left",
        "caesura: 10 of 100 draws, 5.0 per second, 0:00:18 left",
    ]


def test_documents_of_the_same_name_count_once_each_in_score_and_evaluate(tmp_path: Path) -> None:
    lines = [([3], [4]), ([5], [5]), ([5], [9]), ([2], [2])]
    names = ["x", "x", "y", "x (2)"]
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(
            json.dumps({"item": name, "length": 10, "reference": a, "hypothesis": b}) + "\n"
            for name, (a, b) in zip(names, lines, strict=True)
        )
    )
    with pytest.warns(CaesuraWarning, match=r"several documents have the same name; the later ones are called x \(2\)"):
        corpus = cz.read(path)
    assert corpus.item_names == ("x", "x (2)", "y", "x (2) (2)")
    pairs = [(corpus[item, "reference"], corpus[item, "hypothesis"]) for item in corpus.item_names]
    total = cz.score_many(pairs, "boundary_similarity").total
    with pytest.warns(CaesuraWarning, match="several documents have the same name, and each of them counts: x"):
        evaluated = cz.evaluate(path, measures=["boundary_similarity"])
    assert next(iter(evaluated.scores.values())).value == total.value == (0.5 + 1 + 0 + 1) / 5
