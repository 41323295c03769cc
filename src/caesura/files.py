"""Write files completely or not at all, whatever happens meanwhile: a kill, a power failure or a full disk. Hash files.

Content goes to a draft beside the file. When the draft is complete and on disk, it is renamed. All files that the program
writes are written here.

A draft is locked while its process runs. The lock ends with the process, so that a later run recognizes the drafts that
killed processes left, and deletes them.

A command does not replace the files that it reads (:func:`protect_inputs`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from errno import EACCES, ENOENT, EWOULDBLOCK
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import OptionConflictError

fcntl: Any
try:
    import fcntl
except ImportError:  # a system without these locks: drafts of killed processes stay
    fcntl = None

# End of the name of a journal of decisions, which is no file of a corpus.
JOURNAL_SUFFIX = ".adjudication.jsonl"
# File with the description of a run, and folder with its finished tasks, in the folder of a checkpoint.
RUN_FILE, RECORDS = "run.json", "done"
_DRAFT = ".caesura-draft-"
_BLOCK_BYTES = 2**20
_MAX_DESCRIPTION_START = 100  # bytes
_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
_inputs: ContextVar[set[str] | None] = ContextVar("inputs", default=None)
_open_drafts: set[Path] = set()


@contextmanager
def protect_inputs() -> Iterator[None]:
    """Refuse, inside the ``with`` block, to replace a file that was read in the block."""
    token = _inputs.set(set())
    try:
        yield
    finally:
        _inputs.reset(token)


def register_input(path: str | PathLike[str]) -> None:
    """Say that a file is read, for ``protect_inputs``."""
    inputs = _inputs.get()
    if inputs is not None:
        inputs.add(os.path.realpath(path))


def write_file(path: str | PathLike[str], data: bytes) -> None:
    """Write a file completely, or leave the file as it was."""
    write_files({path: data})


def write_files(contents: Mapping[Any, bytes | Iterable[bytes]]) -> None:
    """Write several files: all are complete on disk before the first of them gets its name."""
    with ExitStack() as stack:
        for path, data in contents.items():
            try:
                if is_special(path):
                    _write(path, data, os.O_WRONLY | os.O_APPEND)
                else:
                    delete_drafts(os.path.dirname(os.path.realpath(path)))
                    _write(stack.enter_context(new_file(path)), data)
            except OSError as error:
                error.filename = fspath(path)  # instead of that of the draft
                raise


@contextmanager
def new_file(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield the path of an empty draft, which replaces a file at the end of the ``with`` block."""
    target = Path(os.path.realpath(path))
    if str(target) in (_inputs.get() or ()):
        raise OptionConflictError(f"{fspath(path)} is an input; choose another name for the output")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), fspath(path))
    with _draft(target.parent) as (draft, descriptor):
        yield draft
        with suppress(OSError):  # a new file has no permissions to keep
            os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
        os.fsync(descriptor)
        os.replace(draft, target)
        sync_folder(target.parent)


def create_file(path: str | PathLike[str], data: bytes) -> bool:
    """Write a file only if there is none yet, even if several processes try at the same time."""
    target = Path(path)
    with _draft(target.parent) as (draft, _):
        _write(draft, data)
        try:
            os.link(draft, target)
        except FileExistsError:
            return False
        except OSError:  # a file system without links: two processes that start at the same moment are not told apart
            if target.exists():
                return False
            os.replace(draft, target)
    sync_folder(target.parent)
    return True


def delete_drafts(folder: str | PathLike[str]) -> None:
    """Delete the drafts that killed processes left in a folder."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(_DRAFT)]:
            with suppress(OSError):
                path = os.path.join(folder, name)
                descriptor = os.open(path, os.O_RDWR)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if a process writes the draft
                    os.unlink(path)
                finally:
                    os.close(descriptor)


def delete_open_drafts() -> None:
    """Delete the drafts of this process, which is about to end."""
    for draft in [*_open_drafts]:
        draft.unlink(missing_ok=True)


class AppendedFile:
    """A file to which lines are added, each of them on disk before the next; only one process may have it open."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        if not _lock(self._descriptor):
            os.close(self._descriptor)
            raise BlockingIOError(EWOULDBLOCK, "another process has the file open", fspath(path))
        sync_folder(self.path.parent)

    def read(self) -> bytes:
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        parts = []
        while data := os.read(self._descriptor, _BLOCK_BYTES):
            parts.append(data)
        return b"".join(parts)

    def truncate(self, size: int) -> None:
        os.ftruncate(self._descriptor, size)
        os.fsync(self._descriptor)

    def append(self, data: bytes) -> None:
        """Add bytes at the end; they are on disk when the method returns. After an error, the file is as it was."""
        own = os.fstat(self._descriptor)
        try:
            named = os.stat(self.path)
        except FileNotFoundError:
            named = None
        if named is None or (named.st_dev, named.st_ino) != (own.st_dev, own.st_ino):
            raise FileNotFoundError(ENOENT, "the file was deleted or replaced since it was opened", fspath(self.path))
        try:
            os.lseek(self._descriptor, own.st_size, os.SEEK_SET)
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            os.fsync(self._descriptor)
        except OSError:
            with suppress(OSError):
                self.truncate(own.st_size)
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_draft(name: str) -> bool:
    return name.startswith(_DRAFT)


def is_checkpoint(folder: str | PathLike[str]) -> bool:
    """Return whether a folder is the checkpoint of a run; its files are no files of a corpus."""
    try:
        if not os.path.isdir(os.path.join(folder, RECORDS)):
            return False
        with open(os.path.join(folder, RUN_FILE), "rb") as file:
            return file.read(_MAX_DESCRIPTION_START).lstrip().startswith(b'{"what"')
    except OSError:
        return False


def is_special(path: str | PathLike[str]) -> bool:
    """Return whether a path leads to something that cannot be replaced: a device, a pipe, an open stream or a folder."""
    try:
        return os.path.abspath(path).startswith(_STREAMS) or not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def sync_folder(folder: str | PathLike[str]) -> None:
    """Put the names of new and renamed files on disk."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_digest(path: str | PathLike[str], ranges: Iterable[tuple[int, int]] | None = None) -> str:
    """Return a hash of the content of a file, by which a later run recognizes it."""
    from hashlib import sha256  # processors have instructions for it

    digest = sha256(usedforsecurity=False)
    with open(path, "rb") as file:
        for first, last in [(0, os.fstat(file.fileno()).st_size)] if ranges is None else ranges:
            file.seek(first)
            while first < last and (data := file.read(min(_BLOCK_BYTES, last - first))):
                digest.update(data)
                first += len(data)
            digest.update(b"|")
    return digest.hexdigest()[:32]


@contextmanager
def _draft(folder: Path) -> Iterator[tuple[Path, int]]:
    """Make an empty file with a lock, and delete it at the end unless it was renamed."""
    while True:
        draft = folder / f"{_DRAFT}{os.urandom(8).hex()}"
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        if _lock(descriptor) and os.fstat(descriptor).st_nlink:
            break
        os.close(descriptor)  # another process took the draft for that of a killed process before it was locked
    _open_drafts.add(draft)
    try:
        yield draft, descriptor
    finally:
        draft.unlink(missing_ok=True)
        _open_drafts.discard(draft)
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _write(path: str | PathLike[str], data: bytes | Iterable[bytes], flags: int = os.O_WRONLY) -> None:
    with os.fdopen(os.open(path, flags), "wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        with suppress(OSError) if flags & os.O_APPEND else nullcontext():  # pipes and devices cannot be synced
            os.fsync(file.fileno())
