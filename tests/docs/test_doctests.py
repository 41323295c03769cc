"""Every example in the docstrings of the package runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import caesura

ROOT = Path(__file__).parents[2]
MODULES = ["caesura", *(m.name for m in pkgutil.walk_packages(caesura.__path__, "caesura."))]


@pytest.mark.parametrize("name", [name for name in MODULES if ".kernels." not in name])
def test_examples_of_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some examples write files
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_measures_have_examples() -> None:
    examples = sum(
        doctest.testmod(importlib.import_module(f"caesura.measures.{name}")).attempted
        for name in ("window", "boundary_f", "boundary")
    )
    assert examples > 15


def test_ci_runs_the_second_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "\npython3 -m venv .venv-test && .venv-test/bin/pip install '.[test]' && .venv-test/bin/pytest\n" in readme
    assert "grep -m 1 '^python3 -m venv .venv-test && ' README.md" in (ROOT / ".ci" / "run").read_text()
