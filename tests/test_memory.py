"""What needs more than half of the memory is refused, with the numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura import memory
from caesura.errors import LimitError


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "own").write_text("1:memory:/outer/inner\n0::/outer/inner\n")
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    (tmp_path / "memory" / "outer").mkdir(parents=True)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_OWN_GROUP", tmp_path / "own")
    memory.memory_size.cache_clear()
    yield tmp_path
    memory.memory_size.cache_clear()


def test_more_than_half_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_size", lambda: 8 * 10**9)
    memory.check_memory("the table", 4 * 10**9, "choose coders")
    with pytest.raises(LimitError) as error:
        memory.check_memory("the table", 4.1e9, "choose coders")
    assert str(error.value) == "the table: about 4.1 GB of memory, more than half of 8.0 GB; choose coders"


def test_the_memory_of_this_machine_is_known() -> None:
    assert 10**8 < memory.memory_size() < 10**15


@pytest.mark.skipif(sys.platform == "win32", reason="control groups are a part of Linux")
@pytest.mark.parametrize(
    "limits",
    [
        {"outer/inner/memory.max": "1000\n", "outer/memory.max": "max"},
        {"outer/inner/memory.max": "max", "outer/memory.max": "1000"},
        {"memory.max": "1000", "outer/memory.max": "2000"},
        {"memory/outer/memory.limit_in_bytes": "1000"},
        {"memory/memory.limit_in_bytes": "1000"},
    ],
)
def test_the_limit_of_a_control_group_or_one_around_it_counts(groups: Path, limits: dict[str, str]) -> None:
    for name, limit in limits.items():
        (groups / name).write_text(limit)
    assert memory.memory_size() == 1000
