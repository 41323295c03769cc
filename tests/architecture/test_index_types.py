"""Index arrays come from ``model/index.py``, because numpy's own functions give 32 bits on some machines and refuse 64."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from support.syntax import nodes

SOURCE = Path(__file__).parents[2] / "src" / "caesura"
BANNED = {"argsort", "bincount", "flatnonzero", "lexsort", "nonzero", "reduceat", "repeat", "searchsorted"}
ALLOWED = {"itertools.repeat"}


def bare_uses(path: Path) -> list[str]:
    """Return where a file uses a banned function of numpy, or a method of arrays with the same name."""
    uses = []
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and node.attr in BANNED and ast.unparse(node) not in ALLOWED:
            uses.append(f"{path.name}:{node.lineno} {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            uses += [f"{path.name}:{node.lineno} numpy.{name.name}" for name in node.names if name.name in BANNED]
    return uses


def test_only_one_module_uses_the_functions_of_numpy() -> None:
    paths = set(SOURCE.rglob("*.py")) - {SOURCE / "model" / "index.py"}
    assert [use for path in sorted(paths) for use in bare_uses(path)] == []


def test_the_module_imports_only_numpy() -> None:
    modules = {node.module for node in nodes(SOURCE / "model" / "index.py") if isinstance(node, ast.ImportFrom)}
    assert modules == {"__future__", "collections.abc", "typing", "numpy.typing"}


@pytest.mark.parametrize(
    "line",
    [
        "np.argsort(x)",
        "numpy.bincount(x)",
        "np.add.reduceat(x, starts)",
        "ufunc.reduceat(x, starts)",
        "(a + b).argsort(kind='stable')",
        "table.ends.searchsorted(3)",
        "map(np.flatnonzero, rows)",
        "x.nonzero()[0]",
        "x.repeat(2)",
        "from numpy import lexsort",
    ],
)
def test_a_bare_use_is_found(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bare.py"
    path.write_text(line)
    assert len(bare_uses(path)) == 1


def test_functions_of_the_same_name_are_no_bare_uses(tmp_path: Path) -> None:
    path = tmp_path / "fine.py"
    path.write_text("from caesura.model.index import argsort\nargsort(x)\nitertools.repeat(None, 3)\n")
    assert bare_uses(path) == []
