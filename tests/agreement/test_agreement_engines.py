"""Agreement and trees on threads, in processes and on a cluster: the same to the last bit, and resumable."""

from __future__ import annotations

import hashlib
import math
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import caesura as cz
from caesura.agreement import chance_simulation
from caesura.engines import Engine, TaskResult, open_engine
from caesura.errors import CaesuraWarning, CheckpointError, OptionError
from caesura.measures import many
from caesura.measures.base import Measure
from caesura.measures.treebank import parseval_corpus, struct_iou_corpus
from caesura.progress import on_progress
from support.commands import invoke
from support.simulated import flexible_agreement as simulation

MARKS = ["", "", "", ",", "."]


class Here(Engine):
    """Runs tasks in this thread, the last first, and counts them."""

    workers = 1
    remote = False

    def __init__(self) -> None:
        self.tasks = 0

    def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[TaskResult[Any]]:
        for place, task in reversed(list(enumerate(tasks))):
            self.tasks += 1
            yield TaskResult(place, function(task))

    def __exit__(self, *_: object) -> None:
        pass


def talks(items: int = 3, coders: str = "abc", units: int = 40) -> cz.Corpus:
    """Dialogues of two streams whose coders share most marks."""
    rng = np.random.default_rng(1)

    def like(base: np.ndarray) -> cz.Segmentation:
        marks = np.where(rng.random(len(base)) < 0.7, base, rng.choice(MARKS, len(base)))
        return cz.Segmentation.from_marks(marks.tolist(), types=[",", "."])

    annotations = {}
    for i in range(items):
        streams = {name: rng.choice(MARKS, int(rng.integers(units // 2, units))) for name in "FM"}
        annotations[f"talk {i}"] = {coder: {name: like(base) for name, base in streams.items()} for coder in coders}
    return cz.Corpus(annotations)  # type: ignore[arg-type]


def poems() -> cz.Corpus:
    """Texts with sets of types."""
    rng = np.random.default_rng(2)
    sets = [set(), set(), {"line"}, {"stanza"}, {"line", "stanza"}]

    def coded(n: int) -> cz.Segmentation:
        return cz.Segmentation.from_sets([sets[k] for k in rng.integers(0, 5, n)], types=["line", "stanza"])

    return cz.Corpus({f"poem {i}": {coder: coded(20 + i) for coder in "abc"} for i in range(12)})


GOLD = [
    "(S (NP (DT the) (NN girl)) (VP (VBD slept)))",
    "(S (NP (PRP he)) (VP (VBD got) (PRT (RP up))))",
    "(X (UH yes))",
]
TOLD = ["(S (DT the) (VP (NN girl) (VBD slept)))", "(S (NP (PRP he)) (VP (VBD got)) (ADVP (RB up)))", "(X (UH yes))"]


def results(engine: Engine) -> list[Any]:
    """Return everything that runs on an engine."""
    trees = [[cz.Tree.from_brackets(text) for text in texts] * 7 for texts in (GOLD, TOLD)]
    flexible: dict[str, Any] = {"interval": "coders", "seed": 4, "engine": engine}
    iou, brackets = struct_iou_corpus(*trees, engine=engine), parseval_corpus(*trees, engine=engine)
    table = cz.pairwise(poems(), "window_diff", engine=engine)
    return [
        cz.agreement(poems(), interval="coders", seed=1, engine=engine),
        simulation(talks(), draws=2600, **flexible),
        simulation(talks(), tolerance=1.4e-4, draws=9000, normalize="boundaries", **flexible),
        (iou.values.tolist(), iou.total.parts),
        (brackets.sentences, brackets.total.parts),
        [(row.coders, row.score.parts, row.items) for row in table.rows],
    ]


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small work is spread too, and every block is a task."""
    monkeypatch.setattr(Measure, "min_parallel", 0)
    monkeypatch.setattr(many, "_REMOTE_PIECE", 50)
    monkeypatch.setattr(chance_simulation, "_TASK", 1)


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    """In one thread, in as few pieces as there can be."""
    with open_engine("threads", 1) as engine:
        return results(engine)


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize(
    ("name", "workers"),
    [("threads", 1), ("threads", 3), ("processes", 2), pytest.param("dask", 2, marks=pytest.mark.slow)],
)
def test_all_engines_give_identical_results(name: str, workers: int, expected: list[Any]) -> None:
    if name == "dask":
        pytest.importorskip("distributed", reason="Dask is not installed: pip install caesura[cluster]")
    with open_engine(name, workers) as engine:
        assert results(engine) == expected


@pytest.mark.usefixtures("in_pieces")
def test_order_of_blocks_does_not_change_the_result(expected: list[Any]) -> None:
    engine = Here()
    assert results(engine) == expected
    assert engine.tasks > 3 * 6 + 3 * 8  # blocks of three pairs of coders, and a round and more of them


def test_tolerance_uses_the_schedule(expected: list[Any]) -> None:
    """Fewer draws than the most, and more than one round."""
    assert 4000 < expected[2].draws < 9000


def test_unknown_engines() -> None:
    with pytest.raises(OptionError, match="engine must be one of 'threads', 'processes', 'dask'; got 'grid'"):
        cz.agreement(poems(), engine="grid")
    with pytest.raises(OptionError, match="engine must be one of 'threads', 'processes', 'dask'; got 'grid'"):
        cz.pairwise(poems(), "pk", engine="grid")


def test_pickled_measure_is_equal_and_does_not_warn_again() -> None:
    with pytest.warns(CaesuraWarning, match="identical to no boundary"):
        measure = cz.parse("flexible_similarity(similarity={(';', 'none'): 1})")
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert repr(again) == repr(measure)
    assert again.costs((".", ";")).similarity.tolist() == measure.costs((".", ";")).similarity.tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
def test_plain_simulation_is_mean_and_deviation_of_streams_by_item_and_block(normalize: str) -> None:
    corpus = talks(1, "ab")
    result = simulation(corpus, seed=9, draws=1200, variates=False, normalize=normalize)
    key = b"talk 0\0a\0b"
    words = np.frombuffer(hashlib.blake2b(key, digest_size=16).digest(), "<u4").tolist()
    measure = cz.parse(f"flexible_similarity(normalize='{normalize}')")
    sides = [corpus["talk 0", coder] for coder in "ab"]
    lengths = [stream.length for stream in sides[0].values()]  # type: ignore[union-attr]
    p = []
    for side in sides:
        types = [name for stream in side.values() for _, name in stream.boundaries]  # type: ignore[union-attr]
        rates = [types.count(name) / sum(lengths) for name in (",", ".")]
        p.append([*rates, 1 - sum(rates)])
    values: list[float] = []
    for block, draws in enumerate((500, 500, 200)):
        state = np.random.SeedSequence(9, spawn_key=(*words, block)).generate_state(4, np.uint64)
        rows = measure.draw((",", "."), *p, lengths, draws=draws, state=state)  # type: ignore[attr-defined]
        values += (1 - rows[:, 0] / rows[:, 1 if normalize == "positions" else 2]).tolist()
    assert result.expected == pytest.approx(np.mean(values), abs=1e-13)
    assert result.expected_error == pytest.approx(np.std(values, ddof=1) / math.sqrt(1200), rel=1e-9)
    assert result.method == "simulated, no control variates"
    assert "|chance:simulated, no control variates|draws:1200|seed:9|" in result.signature


@pytest.mark.parametrize("variates", [False, True])
def test_standard_error_is_the_spread_of_runs_with_different_seeds(variates: bool) -> None:
    corpus = talks(2, "ab")
    runs = [simulation(corpus, seed=seed, draws=1000, variates=variates) for seed in range(20)]
    variance = np.var([run.expected for run in runs], ddof=1)
    reported = np.mean([run.expected_error**2 for run in runs])
    low, high = chi2.ppf([0.0005, 0.9995], 19)
    assert low < 19 * variance / reported < high
    exact = simulation(corpus, chance="exact").expected
    assert all(abs(run.expected - exact) < 4 * run.expected_error for run in runs)
    for run in runs[:3]:  # items too
        for row, exact_row in zip(run.items, simulation(corpus, chance="exact").items, strict=True):
            assert abs(row.expected - exact_row.expected) < 4 * row.expected_error  # type: ignore[operator]


def test_progress_ends_at_the_maximum() -> None:
    steps: list[tuple[int, int]] = []
    with on_progress(lambda *step: steps.append(step)):
        simulation(talks(), seed=1, draws=1234)
        assert steps[-1] == (3702, 3702)
        steps.clear()
        simulation(talks(), seed=1, tolerance=0.01)
    assert steps == sorted(steps)
    assert steps[-1] == (3_000_000, 3_000_000)


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize("options", [{"draws": 2100}, {"tolerance": 1.5e-4, "draws": 9000, "normalize": "boundaries"}])
def test_run_continues_after_an_interruption(options: dict[str, Any], tmp_path: Path) -> None:
    corpus, folder = talks(2), tmp_path / "kept"
    expected = simulation(corpus, seed=5, **options)
    first = Here()
    assert simulation(corpus, seed=5, checkpoint=folder, engine=first, **options) == expected
    records = sorted((folder / "done").iterdir())
    assert len(records) == first.tasks > 14
    removed, damaged = records[::2], records[1]
    for record in removed:
        record.unlink()
    damaged.write_text("[[1, 2]]")
    second = Here()
    with pytest.warns(CaesuraWarning, match="is damaged or belongs to a different run"):
        assert simulation(corpus, seed=5, checkpoint=folder, engine=second, **options) == expected
    assert second.tasks == len(removed) + 1
    third = Here()
    assert simulation(corpus, seed=5, checkpoint=folder, engine=third, **options) == expected
    assert third.tasks == 0


def test_checkpoint_of_a_different_run_is_rejected(tmp_path: Path) -> None:
    corpus, options = talks(2), {"seed": 5, "draws": 100, "checkpoint": tmp_path}
    simulation(corpus, **options)
    for change, message in (
        ({"seed": 6}, "seed was 5, and is now 6"),
        ({"draws": 101}, "draws was 100, and is now 101"),
        ({"tolerance": 0.1}, "tolerance was null, and is now 0.1"),
        ({"coefficient": "pi"}, 'coefficient was "kappa", and is now "pi"'),
        ({"normalize": "boundaries"}, "measure was"),
        ({"variates": False}, "method was"),
    ):
        with pytest.raises(CheckpointError, match=message):
            simulation(corpus, **{**options, **change})
    with pytest.raises(CheckpointError, match="data was"):
        simulation(talks(3), **options)


def test_checkpoint_without_simulation(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    for options, message in (
        ({"measure": "boundary_similarity"}, "chance has no effect on multi_pi over boundary_similarity"),
        ({"coefficient": "alpha"}, "chance has no effect on alpha, which simulates nothing; leave it out"),
        ({"chance": "exact"}, "checkpoint records draws, and chance='exact' simulates nothing here; leave it out"),
    ):
        with pytest.raises(OptionError, match=message):
            simulation(talks(1), checkpoint=folder, seed=1, **options)
    with pytest.raises(OptionError, match="checkpoint needs a seed, so that the same call continues where it stopped"):
        simulation(talks(1), checkpoint=folder, seed=None)
    assert not folder.exists()


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "talks.csv"
    cz.write(talks(2), path, format="table-csv")
    return str(path)


def test_agree_keeps_finished_work(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    drawing = ["agree", table, "--seed", "5", "--draws", "200", "--interval", "none", "--no-variates", "--json"]
    plain = invoke(drawing)
    recorded = invoke([*drawing, "--workers", "2", "--checkpoint", str(folder)])
    assert plain.exit_code == recorded.exit_code == 0
    assert recorded.output == plain.output
    assert plain.output.count('"method": "simulated, no control variates"') == 2
    assert sorted(entry.name for entry in folder.iterdir()) == ["1-kappa", "2-kappa"]

    def ended(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["caesura.tasks.agree"], "agreement_with_placement", ended)
    run = invoke([*drawing, "--checkpoint", str(folder)])
    assert run.exit_code == 130
    assert f"finished work is saved in {folder}; run the same command again to continue" in run.stderr
    assert "no work was saved" in invoke(drawing).stderr


def test_simulation_options_are_rejected_without_simulation(tmp_path: Path) -> None:
    path = tmp_path / "texts.json"
    text = cz.Segmentation.from_masses([2, 3])
    cz.write(cz.Corpus({"x": {"a": text, "b": text}}), path)
    for option in (["--no-variates"], ["--checkpoint", "x", "--seed", "1"]):
        run = invoke(["agree", str(path), "-m", "boundary_similarity", *option])
        assert run.exit_code == 2
        assert f"{option[0]}: only for measures whose chance agreement is simulated" in run.stderr


def test_trees_on_an_engine(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("gold.ptb", "told.ptb")]
    for path, texts in zip(files, (GOLD, TOLD), strict=True):
        path.write_text("\n".join(texts) + "\n")
    plain, spread = (
        invoke(["trees", *map(str, files), "--json", *more]) for more in ([], ["--engine", "threads", "--workers", "2"])
    )
    assert plain.exit_code == spread.exit_code == 0
    assert spread.output == plain.output
    run = invoke(["trees", *map(str, files), "--scheduler", "tcp://nowhere:1"])
    assert run.exit_code == 1
    assert run.stderr.strip() == "caesura: scheduler is for engine='dask'; with engine='threads' leave it out"
