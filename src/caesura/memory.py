"""What would need more than half of the memory is refused before the work begins."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path, PurePosixPath

from caesura.errors import LimitError

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
# Name of the limit in the folder of a control group, of version 2 and of version 1.
_GROUP_LIMITS = ("memory.max", "memory.limit_in_bytes")


def check_memory(what: str, needed: float, hint: str) -> None:
    """Raise an error if an amount of memory, in bytes, is more than half of what this process may use.

    ``what`` begins the message, such as "the scores of 40,000 pairs of coders"; ``hint`` ends it and says what to do.
    """
    total = memory_size()
    if needed > total / 2:
        raise LimitError(f"{what}: about {_amount(needed)} of memory, more than half of {_amount(total)}; {hint}")


@cache
def memory_size() -> int:
    """Return the bytes of memory that this process may use: those of the machine or of its control group."""
    return min(_machine_size(), *_group_limits())


def _machine_size() -> int:
    if sys.platform == "win32":
        status = (ctypes.c_uint64 * 8)(64)  # MEMORYSTATUSEX: its own size, the load, then the physical memory
        ctypes.windll.kernel32.GlobalMemoryStatusEx(status)
        return status[1]
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _group_limits() -> list[int]:
    """Return the limits of the control group of this process and of those around it (Linux)."""
    folders = {_GROUPS, _GROUPS / "memory"}
    try:
        for line in _OWN_GROUP.read_text().splitlines():
            own = PurePosixPath(line.split(":", 2)[2].lstrip("/"))
            folders |= {root / group for root in (_GROUPS, _GROUPS / "memory") for group in (own, *own.parents)}
    except (OSError, IndexError):
        pass
    limits = [sys.maxsize]
    for path in (folder / name for folder in folders for name in _GROUP_LIMITS):
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return limits


def _amount(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
