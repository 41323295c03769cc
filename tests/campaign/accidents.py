"""Accidents: kills and full disks. Old outputs stay as they were, and the next run gives the same result as ever."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import caesura as cz
from support.collected import collection

from .registry import Case, attack

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "data"
FILES, ROWS = 8, 400
OLD = b"the old output\n"


@dataclass
class Command:
    """A command that writes files, and what it writes if nothing happens."""

    name: str
    arguments: Callable[[Path], list[str]]  # arguments(folder) make the command write to a folder
    output: str = ""  # name of the file that it replaces; empty if it prints its result
    expected: dict[str, bytes] = field(default_factory=dict)  # file -> content; filled by the first run
    printed: Any = None  # what it prints as JSON, without times
    seconds: float = 0.0  # duration of an undisturbed run

    def start(self, folder: Path, die_at: int = 0, **options: Any) -> subprocess.Popen[bytes]:
        """Start the command; it dies at an operation on files if a number is given."""
        module = ["caesura"] if not die_at else ["tests.campaign.dying", str(die_at)]
        command = [sys.executable, "-m", *module, *self.arguments(folder)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
        return subprocess.Popen(command, cwd=ROOT, **{**pipes, **options})

    def finish(self, folder: Path) -> None:
        """Run the command to its end, and compare what it wrote and printed with the undisturbed run."""
        process = self.start(folder)
        out, err = process.communicate()
        assert process.returncode == 0, err.decode()[-500:]
        printed, written = _without_times(out), outputs(folder)
        if not self.expected and self.printed is None:
            self.printed, self.expected = printed, written
        assert printed == self.printed, "a different result after the accident"
        assert written == self.expected, f"different files: {sorted(written)}, not {sorted(self.expected)}"

    def check_old(self, folder: Path) -> str:
        """Return whether the output is the old or the new one; it must be one of them."""
        if not self.output:
            return "no output"
        content = (folder / self.output).read_bytes()
        assert content in (OLD, self.expected.get(self.output)), f"{self.output} is neither old nor new"
        return "old" if content == OLD else "new"


def _without_times(printed: bytes) -> Any:
    """Return what a command printed as JSON, without durations and the number of parts that were continued."""
    if not printed.lstrip().startswith(b"{"):
        return None  # an answer in words names files
    envelope = json.loads(printed)
    for name in ("seconds", "work", "resumed"):
        envelope["results"].pop(name, None)
    return envelope["results"], envelope["excluded"]


def outputs(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder except records, which name their run."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "kept" not in path.parts)
    drafts = [path.name for path in folder.rglob(".caesura-draft-*")]
    assert drafts == [], f"drafts were left: {drafts}"
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def commands(data: Path) -> list[Command]:
    """Return the commands, over files in a folder that is made if needed."""
    if not data.exists():
        collection(data / "documents", FILES, ROWS)
    people, talk = str(EXAMPLES / "people.json"), str(EXAMPLES / "talk.csv")
    documents, settings = str(data / "documents"), str(EXAMPLES / "matrix.toml")
    evaluate = ["evaluate", documents, "-m", "B", "-m", "pk", "--json"]
    draws = ["agree", talk, "--settings", settings, "--draws", "200000", "--no-variates", "-c", "kappa", "--json"]
    return [
        Command("evaluate", lambda folder: [*evaluate, "--checkpoint", str(folder / "kept")]),
        Command(
            "evaluate --scores",
            lambda folder: [*evaluate, "--checkpoint", str(folder / "kept"), "--scores", str(folder / "scores")],
        ),
        Command("agree", lambda folder: [*draws, "--checkpoint", str(folder / "kept")]),
        Command("convert", lambda folder: ["convert", people, str(folder / "out.csv")], "out.csv"),
        Command("gold", lambda folder: ["gold", people, "-o", str(folder / "gold.json")], "gold.json"),
        Command("report", lambda folder: ["report", people, "-o", str(folder / "page.html")], "page.html"),
        Command(
            "--output", lambda folder: ["pairwise", people, "--output", str(folder / "tables")], "tables/pairs.csv"
        ),
    ]


_commands: dict[Path, list[Command]] = {}


def command_of(case: Case) -> Command:
    """Return the command of an input, after an undisturbed run."""
    if case.folder not in _commands:
        _commands[case.folder] = commands(case.folder / "data")
    chosen = _commands[case.folder][case.number % len(_commands[case.folder])]
    if not chosen.seconds:
        with _fresh(case.folder / "undisturbed") as folder:
            started = time.monotonic()
            chosen.finish(folder)
            chosen.seconds = time.monotonic() - started
    return chosen


@contextmanager
def _fresh(folder: Path, command: Command | None = None) -> Iterator[Path]:
    """Yield a new folder, with an old output of the command."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if command is not None and command.output:
        (folder / command.output).parent.mkdir(exist_ok=True)
        (folder / command.output).write_bytes(OLD)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@attack("kills", share=2, seconds=120, total=100, quick=14)
def kill(case: Case) -> str:
    """Kill a command once or twice, at a random time or operation on files; then run it to its end."""
    command = command_of(case)
    with _fresh(case.folder / "killed", command) as folder:
        for _ in range(case.rng.choice((1, 1, 2))):
            _kill_once(command, folder, case.rng)
        state = command.check_old(folder)
        command.finish(folder)
    return f"{state} after a kill" if command.output else "continued"


def _kill_once(command: Command, folder: Path, rng: random.Random) -> None:
    if rng.random() < 0.5:
        process = command.start(folder, die_at=rng.randint(1, 60))
        process.communicate()
        return
    process = command.start(folder)
    # Nothing is written while Python and its libraries start.
    time.sleep(command.seconds * rng.uniform(0.3, 1.0))
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@attack("full disks", share=1, seconds=120, total=60, quick=14)
def fill_disk(case: Case) -> str:
    """Run a command on a disk with room for a part of its output, then again with room for all of it."""
    command = command_of(case)
    size = sum(map(len, command.expected.values())) + 2**14
    with _small_disk(case.folder / "disk", size * 4 + 2**18) as disk:
        room = int(size * case.rng.random())
        options: dict[str, Any] = {}
        with _fresh(disk / "in", command) as folder:
            filler = disk / "filler"
            if os.path.ismount(disk):
                _fill(filler, room)
            else:
                limit = max(1, int(max(map(len, [b"x" * 200, *command.expected.values()])) * case.rng.random()))
                options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            process = command.start(folder, **options)
            _, err = process.communicate()
            lines = [line for line in err.decode().splitlines() if line.startswith("caesura: ")]
            assert "Traceback" not in err.decode(), err.decode()[-500:]
            assert process.returncode in (0, 1), f"ended with {process.returncode}"
            assert process.returncode == 0 or len(lines) == 1, err.decode()[-500:]
            state = command.check_old(folder)
            assert (process.returncode == 0) == (state == "new") or not command.output, "the exit code does not fit"
            filler.unlink(missing_ok=True)
            command.finish(folder)
    return "refused" if process.returncode else "fitted"


def _fill(filler: Path, room: int) -> None:
    """Fill a disk up to some bytes."""
    free = shutil.disk_usage(filler.parent).free
    filler.write_bytes(bytes(max(0, free - room)))


@contextmanager
def _small_disk(place: Path, size: int) -> Iterator[Path]:
    """Mount a file system in memory if that is allowed; otherwise yield a plain folder."""
    place.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    mounted = mount is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield place
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


# -- damaged checkpoints ----------------------------------------------------------------------------------------------


_kept: dict[Path, tuple[dict[str, cz.Score], dict[str, bytes]]] = {}


def _edit_digit(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    digits = [i for i, byte in enumerate(content) if byte in b"0123456789"]
    if digits:
        place = rng.choice(digits)
        content[place] = ord(str((int(chr(content[place])) + rng.randint(1, 9)) % 10))
    path.write_bytes(content)


def _flip(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if content:  # it may have been truncated before
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def _truncate(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content) or 1)])


def _swap(path: Path, rng: random.Random) -> None:
    other = rng.choice(sorted(file for file in path.parent.iterdir() if file.is_file()))
    first, second = path.read_bytes(), other.read_bytes()
    path.write_bytes(second)
    other.write_bytes(first)


def _delete(path: Path, _: random.Random) -> None:
    path.unlink()


@attack("damaged checkpoints", share=1, seconds=30, quick=40)
def damage_checkpoint(case: Case) -> str:
    """Damage a finished checkpoint, its scores or its data; the next run is right, or refuses."""
    rng, kept = case.rng, case.folder / "finished"
    measures, data = ["B", "pk"], kept / "data"
    if case.folder not in _kept:
        shutil.rmtree(kept, ignore_errors=True)
        collection(data, 4, 20)
        result = cz.evaluate(data, measures, checkpoint=kept / "kept", scores=kept / "scores")
        cz.evaluate(data, ["window_diff"], checkpoint=kept / "other")
        _kept[case.folder] = dict(result), outputs(kept)
    scores, files = _kept[case.folder]
    trial = case.folder / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    shutil.copytree(kept, trial)  # keeps the times of files
    target = rng.choice(["kept/done", "kept/done", "kept", "scores", "data", "other record"])
    for _ in range(rng.randint(1, 3)):
        if target == "other record":
            shutil.copy(rng.choice(sorted((trial / "other/done").iterdir())), trial / "kept/done")
            continue
        paths = sorted(path for path in (trial / target).iterdir() if path.is_file())
        change = rng.choice([_edit_digit, _flip, _truncate, _swap, _delete])
        if paths:
            change(rng.choice(paths), rng)
    return _resume(trial, measures, scores, files, data_changed=target == "data")


def _resume(
    trial: Path, measures: list[str], scores: dict[str, cz.Score], files: dict[str, bytes], *, data_changed: bool
) -> str:
    """Continue from a damaged checkpoint, and compare the result with the sound one."""
    os.rename(trial, trial.with_name("finished-1"))  # --scores is part of the description, so the folder needs its name
    os.rename(trial.with_name("finished"), trial.with_name("finished-0"))
    os.rename(trial.with_name("finished-1"), trial.with_name("finished"))
    folder = trial.with_name("finished")
    try:
        with cz.collect_warnings() as messages:
            result = cz.evaluate(folder / "data", measures, checkpoint=folder / "kept", scores=folder / "scores")
        if data_changed:
            before, after = files, outputs(folder)
            same = [name for name in before if name.startswith("data/") and before[name] != after.get(name)]
            assert same == [], f"changed data were accepted: {same}"
        assert dict(result) == scores, "a different result"
        assert outputs(folder) == files, "different scores of documents"
        return "computed again" if messages else "same result"
    except cz.errors.CaesuraError:
        return "refused"
    finally:
        shutil.rmtree(folder)
        os.rename(trial.with_name("finished-0"), folder)
