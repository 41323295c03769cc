"""Engines of this machine, and checkpoints. The cluster has tests of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import caesura as cz
from caesura.engines import ENGINES, Checkpoint, open_engine
from caesura.engines.engine import Engine
from caesura.errors import CaesuraWarning, CheckpointError, EngineError, OptionError
from caesura.notices import warn


@pytest.fixture(params=["threads", "processes"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with open_engine(request.param, 2) as opened:
        yield opened


def square(x: int) -> int:
    if x < 0:
        raise ValueError(f"{x} is below 0")
    return x * x


def test_every_task_runs_once(engine: Engine) -> None:
    assert {result.index: result.value for result in engine.run(square, range(20))} == {x: x * x for x in range(20)}
    assert list(engine.map(square, iter([3, 1, 2]))) == [9, 1, 4]
    assert list(engine.run(square, [])) == []
    assert engine.workers == 2


def test_exceptions_of_the_function_are_raised(engine: Engine) -> None:
    with pytest.raises(ValueError, match="-1 is below 0"):
        list(engine.run(square, [1, 2, -1, 3]))
    assert list(engine.map(square, [4])) == [16]  # and the engine goes on


def test_tasks_are_fetched_only_when_workers_are_free() -> None:
    """Memory is bounded by the tasks in progress, whatever their total number."""
    requested = 0

    def endless() -> Iterator[int]:
        nonlocal requested
        while True:
            requested += 1
            yield requested

    with open_engine("threads", 2) as engine:
        results = engine.run(square, endless())
        for _ in range(10):
            next(results)
        results.close()
    assert requested <= 10 + 2 * 2


def test_without_threads_tasks_run_on_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python in a browser raises this error for every thread."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with open_engine("threads", 4) as engine:
        assert engine.workers == 1
        assert list(engine.map(lambda x: (x * x, threading.current_thread()), range(5))) == [
            (x * x, threading.main_thread()) for x in range(5)
        ]
        with pytest.raises(ValueError, match="-1 is below 0"):
            list(engine.run(square, [1, -1]))
    pairs = [(cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 2, 7]))] * 3000
    assert cz.score_many(pairs, "boundary_similarity", workers=4).values.tolist() == [0.75] * 3000


def test_results_are_in_order_even_if_the_first_is_slowest() -> None:
    late = threading.Event()

    def first_waits(x: int) -> int:
        if x == 0:
            assert late.wait(30)
        elif x == 3:
            late.set()
        return x

    with open_engine("threads", 2) as engine:
        assert list(engine.map(first_waits, range(6))) == list(range(6))


def warns(x: int) -> int:
    warn(f"{x} is odd")
    return x


def test_warnings_of_workers_are_issued(engine: Engine) -> None:
    with pytest.warns(CaesuraWarning, match="7 is odd") as caught:
        assert list(engine.map(warns, [7])) == [7]
    assert len(caught) == 1


def dies_at_three(x: int) -> int:
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def dies_once(path: str) -> str:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


@pytest.mark.slow
def test_a_process_that_dies(tmp_path: Path) -> None:
    """Its tasks run again. A task that kills every process is excluded; the others finish."""
    with open_engine("processes", 2) as engine:
        results = sorted(engine.run(dies_at_three, range(8)), key=lambda result: result.index)
        assert [result.value for result in results] == [0, 1, 2, None, 4, 5, 6, 7]
        with pytest.raises(EngineError, match="its process died, and twice more when the task ran alone"):
            results[3].unwrap()
        assert [result.value for result in engine.run(dies_once, [str(tmp_path / "marker")])] == ["done"]


def test_a_script_without_a_main_guard(tmp_path: Path) -> None:
    """The error explains the missing guard: every process would run the script again from its first line."""
    script = tmp_path / "script.py"
    script.write_text(
        "from caesura.engines import open_engine\n"
        "with open_engine('processes', 1) as engine:\n"
        "    print(list(engine.map(abs, [-1, -2])))\n"
    )
    process = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].endswith('in a script, call it under if __name__ == "__main__":')


def test_no_worker_is_left_when_the_driver_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time, test_engines\n"
        "from caesura.engines import open_engine\n"
        "with open_engine('processes', 1) as engine:\n"
        "    list(engine.run(test_engines.says_its_name, [sys.argv[1]]))\n"
    )
    pid_file = tmp_path / "pid"
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    driver = subprocess.Popen([sys.executable, "-c", code, str(pid_file)], env=os.environ | {"PYTHONPATH": paths})
    try:
        assert _in_time(pid_file.exists)
    finally:
        driver.kill()
        driver.wait()
    worker = int(pid_file.read_text())
    assert _in_time(lambda: not _alive(worker))


def says_its_name(path: str) -> None:
    unfinished = Path(f"{path}.writing")
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(path)
    time.sleep(60)


def _in_time(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 30
    while not (there := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return there


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_invalid_requests() -> None:
    with pytest.raises(OptionError, match=f"engine must be one of {', '.join(map(repr, ENGINES))}; got 'gpu'"):
        open_engine("gpu")
    for workers in (0, -1, True, 2.0, 10**6):
        with pytest.raises(OptionError, match="workers must be a whole number"):
            open_engine("threads", workers)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="scheduler is for engine='dask'"):
        open_engine("processes", scheduler="tcp://127.0.0.1:8786")


ABOUT = {"what": "test", "measures": ["pk"], "data": "abc"}


def test_a_checkpoint_is_continued(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "new" / "er", ABOUT)
    assert not checkpoint.resumed
    assert checkpoint.get("1") is None
    checkpoint.put("1", {"sums": [2**80, -1]})
    again = Checkpoint(tmp_path / "new" / "er", dict(reversed(ABOUT.items())))
    assert again.resumed
    assert again.get("1") == {"sums": [2**80, -1]}
    assert sorted(path.name for path in (tmp_path / "new" / "er" / "done").iterdir()) == ["1.json"]


@pytest.mark.parametrize("key", list(ABOUT))
def test_a_checkpoint_of_another_run(tmp_path: Path, key: str) -> None:
    Checkpoint(tmp_path, ABOUT)
    with pytest.raises(CheckpointError, match=f"it belongs to a different run: {key} was .*, and is now"):
        Checkpoint(tmp_path, ABOUT | {key: "other"})


def test_an_entry_without_a_value_is_not_the_same_as_no_entry(tmp_path: Path) -> None:
    Checkpoint(tmp_path, ABOUT | {"scores": None})
    with pytest.raises(CheckpointError, match="it belongs to a different run: scores was"):
        Checkpoint(tmp_path, ABOUT)


def test_a_folder_that_is_not_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(CheckpointError, match=r"the folder must be empty .*; it contains thesis\.tex"):
        Checkpoint(tmp_path, ABOUT)
    with pytest.raises(CheckpointError, match="cannot be used"):
        Checkpoint(tmp_path / "thesis.tex", ABOUT)
    (tmp_path / "thesis.tex").unlink()
    (tmp_path / "run.json").write_text("[1, ")
    with pytest.raises(CheckpointError, match=r"run\.json is damaged"):
        Checkpoint(tmp_path, ABOUT)


def test_incomplete_records_are_computed_again(tmp_path: Path) -> None:
    """A complete record is renamed into place. If a record is incomplete, the task runs again."""
    checkpoint = Checkpoint(tmp_path, ABOUT)
    checkpoint.put("1", [1])
    (tmp_path / "done" / "1.json").write_text('[1, {"a"')
    (tmp_path / "done" / ".caesura-draft-77").write_text("[2]")
    with pytest.warns(CaesuraWarning, match=r"1\.json is damaged or belongs to a different run; .* computed again"):
        assert checkpoint.get("1") is None
    assert checkpoint.get("2") is None
    checkpoint.put("1", [3])
    assert checkpoint.get("1") == [3]
    (tmp_path / ".caesura-draft-12").touch()  # of a run that was killed while it began
    assert Checkpoint(tmp_path, ABOUT).get("1") == [3]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["1.json", "done", "run.json"]


def test_an_edited_record_is_noticed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, ABOUT)
    checkpoint.put("1", {"sums": [1234567], "excluded": []})
    path = tmp_path / "done" / "1.json"
    sound = path.read_text()
    for damaged in (
        sound.replace("1234567", "1234568"),  # the value
        sound.replace('"task":"1"', '"task":"2"'),  # its task
        sound.replace(f'"run":"{checkpoint.identity}"', '"run":"0"'),  # its run
        sound.replace('"checksum":"', '"checksum":"0'),
        "{}",
        "",
    ):
        assert damaged != sound
        path.write_text(damaged)
        with pytest.warns(CaesuraWarning, match="is damaged or belongs to a different run"):
            assert checkpoint.get("1") is None
    (tmp_path / "done" / "2.json").write_text(sound)  # a record under another name
    with pytest.warns(CaesuraWarning, match="is damaged"):
        assert checkpoint.get("2") is None
    path.write_text(sound)
    assert checkpoint.get("1") == {"sums": [1234567], "excluded": []}


def test_an_edited_description_does_not_adopt_records(tmp_path: Path) -> None:
    Checkpoint(tmp_path, ABOUT).put("1", [1])
    path = tmp_path / "run.json"
    path.write_text(path.read_text().replace("pk", "window_diff"))
    other = Checkpoint(tmp_path, ABOUT | {"measures": ["window_diff"]})
    with pytest.warns(CaesuraWarning, match="is damaged or belongs to a different run"):
        assert other.get("1") is None


def test_results_without_a_description_are_refused(tmp_path: Path) -> None:
    Checkpoint(tmp_path, ABOUT).put("1", [1])
    (tmp_path / "run.json").unlink()
    for run in (ABOUT, ABOUT | {"measures": ["window_diff"]}):
        with pytest.raises(CheckpointError, match=r"it has results, but run\.json, .*, is missing"):
            Checkpoint(tmp_path, run)
    (tmp_path / "done" / "1.json").unlink()
    assert not Checkpoint(tmp_path, ABOUT).resumed


def test_two_runs_begin_at_the_same_time(tmp_path: Path) -> None:
    """Both see an empty folder. The one that writes the description second compares it with its own."""

    def begin(measure: str) -> str:
        try:
            return "resumed" if Checkpoint(tmp_path, ABOUT | {"measures": [measure]}).resumed else "new"
        except CheckpointError as error:
            return str(error).partition(": ")[2].partition(":")[0]

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(begin, ["pk", "window_diff"] * 4))
    assert sorted(outcomes) == sorted(["new", *["resumed"] * 3, *["it belongs to a different run"] * 4])
