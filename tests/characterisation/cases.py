"""Run one recorded command or read again."""

from __future__ import annotations

import base64
import json
import lzma
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import click
from click.testing import CliRunner

import caesura as cz
from caesura.cli import main
from caesura.errors import CaesuraError

from .rows import Row, corpus_rows, csv_rows, envelope_rows, is_drawn, svg_rows, text_rows

FOLDER = Path(__file__).parent


def load(name: str) -> dict[str, Any]:
    """Return a recorded file: ``commands`` or ``reads``."""
    data: dict[str, Any] = json.loads(lzma.decompress((FOLDER / f"{name}.json.xz").read_bytes()))
    return data


def save(name: str, data: dict[str, Any]) -> None:
    """Write a recorded file."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / f"{name}.json.xz").write_bytes(lzma.compress(text.encode("utf8", "surrogatepass"), preset=9))


def encode(content: bytes) -> str | list[str]:
    """Return a file as text, or as a list with its Base64 if it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return [base64.b64encode(content).decode()]


@contextmanager
def laid_out(files: dict[str, Any]) -> Iterator[Path]:
    """Work in a new folder with some files. Its name is always the same, because names of items and coders may contain it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "files"
        folder.mkdir()
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else base64.b64decode(content[0]))
        with chdir(folder):
            yield folder


def run_command(arguments: list[str]) -> dict[str, Any]:
    """Run a command here, and return its exit code, the name of its error, and what it printed or wrote as rows."""
    # ``verify`` compares versions; the set does not.
    arguments = [argument.replace("0.2.0", cz.__version__) for argument in arguments]
    with _errors() as errors:
        result = CliRunner().invoke(main, arguments, prog_name="caesura")
    rows: list[Row] = []
    if result.exit_code in (0, 1) and "--json" in arguments and result.stdout.startswith("{"):
        rows = envelope_rows(json.loads(result.stdout))
    elif result.exit_code in (0, 1) and "--csv" in arguments:
        rows = csv_rows(result.stdout)
    elif result.exit_code in (0, 1) and "--details" in arguments:
        rows = text_rows(result.stdout)
    elif result.exit_code == 0 and arguments[0] == "convert":
        rows = [["", *row] for row in corpus_rows(cz.read(arguments[2]))]
    elif result.exit_code == 0 and arguments[0] == "plot":
        rows = [row for name in arguments if name.endswith(".svg") for row in svg_rows(Path(name).read_text("utf8"))]
    return {
        "exit": result.exit_code,
        "error": errors[0] if errors else "",
        "rows": [row for row in rows if not is_drawn(row)],
        "drawn": [row for row in rows if is_drawn(row)],
    }


@contextmanager
def _errors() -> Iterator[list[str]]:
    """Collect the names of the errors that the program turns into a message and an exit code."""
    names: list[str] = []
    leave, show = click.Context.exit, click.ClickException.show

    def spied_exit(context: click.Context, code: int = 0) -> NoReturn:
        if isinstance(error := sys.exc_info()[1], CaesuraError):
            names.append(type(error).__name__)
        leave(context, code)

    def spied_show(error: click.ClickException, file: Any = None) -> None:
        known = isinstance(error.__context__, CaesuraError)
        names.append(type(error.__context__ if known else error).__name__)
        show(error, file)

    with (
        patch.object(click.Context, "exit", spied_exit),
        patch.object(click.ClickException, "show", spied_show),
        patch.object(click.UsageError, "show", spied_show),
    ):
        yield names


def run_read(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Read a recorded file again, and return its rows, or the name of the error."""
    options = {name: _path(value, folder) for name, value in entry["options"].items()}
    excluded: list[Any] = []
    if entry["collects"]:
        options["excluded"] = excluded
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            corpus = cz.read(_path(entry["path"], folder), **options)
    except CaesuraError as error:
        return {"error": type(error).__name__, "kind": "", "rows": [], "excluded": 0}
    return {"error": "", "kind": corpus.kind, "rows": corpus_rows(corpus), "excluded": len(excluded)}


def _path(value: Any, folder: Path) -> Any:
    """Return an option in which ``<folder>`` stands for the folder of the files."""
    if isinstance(value, str):
        return value.replace("<folder>", str(folder))
    if isinstance(value, list):
        return [_path(entry, folder) for entry in value]
    return {name: _path(entry, folder) for name, entry in value.items()} if isinstance(value, dict) else value
