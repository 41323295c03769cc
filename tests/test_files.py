"""Files are written completely or not at all."""

from __future__ import annotations

import ast
import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caesura.errors import OptionConflictError
from caesura.files import (
    create_file,
    delete_drafts,
    file_digest,
    is_special,
    new_file,
    protect_inputs,
    register_input,
    write_file,
    write_files,
)

SOURCE = Path(__file__).parents[1] / "src" / "caesura"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_file(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode), names(tmp_path)) == (b"new", 0o640, ["a.json"])
    write_file(str(tmp_path / ("n" * 255)), b"long name")
    assert len(names(tmp_path)) == 2


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "a")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "a").read_bytes() == b"new"


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_a_failure_leaves_the_old_file(failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if failing == "write":
            patch.setattr("caesura.files._write", fail)
        else:
            patch.setattr(os, failing, fail)
        with pytest.raises(OSError, match="No space left") as caught:
            write_file(tmp_path / "a", b"new")
    if failing == "write":
        assert caught.value.filename == str(tmp_path / "a")
    assert (names(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"old")


def test_several_files_are_complete_before_the_first_is_renamed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        write_files({tmp_path / "a": b"new", tmp_path / "absent" / "b": b"new"})
    assert (names(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"old")


def test_pieces_are_written_completely_or_not_at_all(tmp_path: Path) -> None:
    write_files({tmp_path / "a": iter([b"one ", b"", b"two"])})
    assert (names(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"one two")

    def pieces() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_files({tmp_path / "a": pieces()})
    assert (names(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"one two")


def test_devices_and_streams_are_not_replaced(tmp_path: Path) -> None:
    assert is_special("/dev/null")
    assert not is_special(tmp_path / "absent")
    write_file("/dev/null", b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space left"):
        write_file("/dev/full", b"x")
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, b"x")
    (tmp_path / "out").write_text("before ")
    script = "from caesura.files import write_file; write_file('/dev/stdout', b'after')"
    with open(tmp_path / "out", "ab") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before after"


def test_a_file_is_created_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        created = list(pool.map(lambda i: create_file(tmp_path / "a", b"%d" % i), range(8)))
    assert sum(created) == 1
    assert (tmp_path / "a").read_bytes() == b"%d" % created.index(True)
    assert names(tmp_path) == ["a"]


def test_drafts_of_killed_processes_are_deleted_and_others_are_not(tmp_path: Path) -> None:
    script = (
        "import os, signal; from caesura.files import new_file\n"
        f"with new_file({str(tmp_path / 'a')!r}) as draft:\n    draft.write_bytes(b'x')\n    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    assert len(names(tmp_path)) == 1
    with new_file(tmp_path / "b") as draft:
        delete_drafts(tmp_path)
        assert names(tmp_path) == [draft.name]
    assert names(tmp_path) == ["b"]


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    (tmp_path / "b").write_bytes(b"0123456780")
    assert file_digest(tmp_path / "a") != file_digest(tmp_path / "b")
    assert file_digest(tmp_path / "a", [(0, 9)]) == file_digest(tmp_path / "b", [(0, 9)])
    assert file_digest(tmp_path / "a", [(0, 1), (1, 2)]) != file_digest(tmp_path / "a", [(0, 2)])


WRITING_CALLS = {"write_text", "write_bytes", "savefig", "ParquetWriter", "to_csv", "copyfile", "rename", "replace"}


def writing_calls(path: Path) -> list[str]:
    """Return calls that write files: ``open`` for writing, and methods that do it."""
    calls = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if not isinstance(node, ast.Call):
            continue
        function = ast.unparse(node.func)
        modes = [ast.unparse(value) for value in [*node.args[1:2], *(entry.value for entry in node.keywords)]]
        opens = function in ("open", "io.open", "os.fdopen", "gzip.open") or function.endswith(".open")
        if (
            (opens and any(mode.strip("'\"")[:1] in ("w", "a", "x") for mode in modes))
            or (function.rpartition(".")[2] in WRITING_CALLS and function.startswith(("os.", "shutil.", "pq.")))
            or function.rpartition(".")[2] in ("write_text", "write_bytes")
        ):
            calls.append(f"{path.name}:{node.lineno} {function}")
    return calls


def test_no_other_module_writes_files() -> None:
    found = [call for path in sorted(SOURCE.rglob("*.py")) for call in writing_calls(path) if path.name != "files.py"]
    # These write to a draft that files.new_file renames, and to an archive in memory.
    drafts = {"checkpoint.py": "draft.write_bytes", "partition.py": "pq.ParquetWriter", "unit_table.py": "out.open"}
    assert [call for call in found if drafts.get(call.partition(":")[0]) != call.split()[-1]] == []
    assert len(found) == len(drafts)


def test_a_writing_call_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("open(p, 'w')\nPath(p).write_text('x')\nos.replace(a, b)\nopen(p, 'rb')\nopen(p)\n")
    assert [call.split()[0] for call in writing_calls(tmp_path / "a.py")] == ["a.py:1", "a.py:2", "a.py:3"]


def test_an_input_is_not_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    link.symlink_to(path)
    register_input(path)  # nothing is protected yet
    with protect_inputs():
        write_file(path, b"new")
        register_input(link)
        for target in (path, link):
            with pytest.raises(OptionConflictError, match="is an input; choose another name for the output"):
                write_files({tmp_path / "other": b"x", target: b"newer"})
    assert (path.read_bytes(), names(tmp_path)) == (b"new", ["a", "link"])
    write_file(path, b"newer")


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
