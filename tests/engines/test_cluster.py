"""Evaluation on a real Dask cluster of this machine: the same result, also when workers or the driver are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.engines import open_engine
from caesura.errors import CheckpointError, EngineError
from caesura.evaluation.result import EvaluationProgress
from support.collected import collection, pairs

distributed = pytest.importorskip("distributed", reason="needs caesura[cluster]")

FILES, ROWS = 30, 120
# Over objects, so that a partition takes long enough to be interrupted.
MEASURES = ["flexible_similarity", "boundary_similarity(n_t=3)", "win_pr", "pk"]
PATIENCE = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collection")
    collection(folder, FILES, ROWS)
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, cz.Score]:
    """The same scores, computed from objects."""
    scored_pairs = pairs(collection(folder, FILES, ROWS))
    return {cz.parse(name).name: cz.score_many(scored_pairs, name).total for name in MEASURES}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as local_cluster:
        yield local_cluster


@pytest.mark.slow
def test_all_engines_give_the_same_result(folder: Path, expected: dict[str, cz.Score], cluster: Any) -> None:
    scheduler = cluster.scheduler_address
    for name, workers, address in (
        ("threads", 1, None),
        ("threads", 3, None),
        ("processes", 2, None),
        ("dask", None, scheduler),
    ):
        with open_engine(name, workers, address) as engine:
            result = cz.evaluate(folder, MEASURES, engine=engine)
        assert dict(result) == expected
        assert (result.partitions, result.documents, result.partial) == (FILES, FILES * ROWS, False)


@pytest.mark.slow
def test_killed_worker(folder: Path, expected: dict[str, cz.Score], cluster: Any) -> None:
    with distributed.Client(cluster, set_as_default=False) as client:
        before = client.run(os.getpid)
        victim = next(iter(before.values()))
        reports: list[int] = []

        def kill(done: int, _total: int) -> None:
            reports.append(done)
            if done == 5:
                os.kill(victim, signal.SIGKILL)

        with open_engine("dask", scheduler=client) as engine, cz.on_progress(kill):
            result = cz.evaluate(folder, MEASURES, engine=engine)
        assert dict(result) == expected
        assert not result.partial
        assert reports == list(range(1, FILES + 1))
        client.wait_for_workers(2, timeout=PATIENCE)
        assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
def test_killed_driver(folder: Path, expected: dict[str, cz.Score], cluster: Any, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    command = [
        sys.executable,
        "-m",
        "caesura",
        "evaluate",
        str(folder),
        "--engine",
        "dask",
        "--scheduler",
        cluster.scheduler_address,
        "--checkpoint",
        str(checkpoint),
    ]
    command += [word for name in MEASURES for word in ("-m", name)]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + PATIENCE
        while len(list(checkpoint.glob("done/*.json"))) < 3:
            assert driver.poll() is None, driver.communicate()
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        driver.kill()
        driver.communicate()
    finished = len(list(checkpoint.glob("done/*.json")))
    assert 3 <= finished < FILES
    reports: list[EvaluationProgress] = []
    with (
        open_engine("dask", scheduler=cluster.scheduler_address) as engine,
        cz.on_progress(lambda _done, _total, detail: reports.append(detail), with_detail=True),
    ):
        result = cz.evaluate(folder, MEASURES, engine=engine, checkpoint=checkpoint)
    assert dict(result) == expected
    assert (result.resumed, result.partitions, reports[-1].documents) == (finished, FILES, FILES * ROWS)
    # Another engine can continue it too. It has no tasks left.
    again = cz.evaluate(folder, MEASURES, checkpoint=checkpoint)
    assert (dict(again), again.resumed) == (expected, FILES)
    with pytest.raises(CheckpointError, match="measures was"):
        cz.evaluate(folder, MEASURES[1:], checkpoint=checkpoint)


@pytest.mark.slow
def test_a_task_that_kills_every_worker(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported and excluded. All other tasks finish, although they waited for the same workers."""
    monkeypatch.setattr(
        cluster.scheduler, "allowed_failures", 0
    )  # workers that it may kill: each takes a second to replace
    with open_engine("dask", scheduler=cluster.scheduler_address) as engine:
        results = sorted(engine.run(_dies_at_three, range(6)), key=lambda result: result.index)
        assert [result.value for result in results] == [0, 1, 2, None, 4, 5]
        assert "died" in (results[3].failure or "")
        with pytest.raises(EngineError, match="died"):
            results[3].unwrap()


def _dies_at_three(task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


@pytest.mark.slow
def test_workers_of_another_version(tmp_path: Path) -> None:
    """They are detected before the first task, or at their own first task if they join later."""
    patch = tmp_path / "patched.py"
    patch.write_text("import caesura.version\ncaesura.version.__version__ = '0.0.1'\n")
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
            preload=str(patch),
        ) as outdated,
        distributed.Client(outdated, set_as_default=False) as client,
    ):
        message = f"worker tcp://127.0.0.1:.* has caesura 0.0.1, but {cz.__version__} is needed"
        with pytest.raises(EngineError, match=message):
            open_engine("dask", scheduler=outdated.scheduler_address)
        from caesura.engines.cluster import run_on_worker

        with pytest.raises(EngineError, match=message):
            client.submit(run_on_worker, cz.__version__, abs, -1).result(timeout=PATIENCE)


@pytest.mark.slow
def test_no_scheduler_and_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.engines.cluster._ANSWER_SECONDS", 1)
    monkeypatch.setattr("caesura.engines.cluster._WORKER_SECONDS", 1)
    with pytest.raises(EngineError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        open_engine("dask", scheduler="tcp://127.0.0.1:9")
    with (
        distributed.LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
        ) as empty,
        pytest.raises(EngineError, match="the scheduler must have 1 worker; after 1 s it has 0"),
    ):
        open_engine("dask", scheduler=empty.scheduler_address)
    with pytest.raises(cz.errors.OptionError, match="scheduler must be an address"):
        open_engine("dask", scheduler=8786)


@pytest.mark.slow
def test_a_cluster_on_this_machine_shows_no_pages() -> None:
    """The pages of Dask would answer any host name, so that any page in a browser could read them."""
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    from caesura.engines.cluster import _start_cluster

    with _start_cluster(distributed, 1) as local_cluster:
        server = local_cluster.scheduler.http_server
        for page in ("", "status", "info/main/workers.html", "health", "metrics", "json/counts.json"):
            with pytest.raises(HTTPError, match="404"):
                urlopen(Request(f"http://127.0.0.1:{server.port}/{page}", headers={"Host": "evil.example"}))
