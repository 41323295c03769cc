"""What a release needs: one version everywhere, and kernels for every compiler and every Python."""

from __future__ import annotations

import importlib.util
import re
import sys
import sysconfig
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

import caesura
from caesura.kernels import window

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("path", "pattern"), [("CITATION.cff", r"^version: (.+)$"), ("recipe/meta.yaml", r'set version = "(.+)"')]
)
def test_all_files_name_the_same_version(path: str, pattern: str) -> None:
    match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None
    assert match[1] == caesura.__version__


def test_conda_recipe_has_the_requirements_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    parts = dict(re.findall(r"(?m)^  (host|run):\n((?:    - .*\n)+)", recipe))
    assert _requirements(parts["host"]) == {"python", "pip", *_plain(project["build-system"]["requires"])}
    python = f"python{project['project']['requires-python']}"
    assert _requirements(parts["run"]) == {python, *_plain(project["project"]["dependencies"])}


def _requirements(lines: str) -> set[str]:
    return _plain(line.removeprefix("    - ") for line in lines.splitlines())


def _plain(requirements: Iterable[str]) -> set[str]:
    return {requirement.replace(" ", "").lower() for requirement in requirements}


@pytest.mark.skipif(
    sys.implementation.name != "cpython" or bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="this Python has no limited API",
)
@pytest.mark.skipif(sys.platform == "win32", reason="the file names of Windows do not show it")
def test_kernels_are_built_against_the_limited_api() -> None:
    assert ".abi3." in Path(window.__file__ or "").name


@pytest.fixture
def build_kernels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("setuptools", minversion="77")
    spec = importlib.util.spec_from_file_location("build_kernels", ROOT / "build_kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(ROOT)
    return module


def test_every_kernel_is_an_extension_module(build_kernels: ModuleType) -> None:
    modules = build_kernels._kernels(["src/caesura/kernels/*.pyx"])
    files = sorted(path.stem for path in (ROOT / "src/caesura/kernels").glob("*.pyx"))
    assert [module.name for module in modules] == [f"caesura.kernels.{name}" for name in files]


def test_no_compiler_may_contract_a_multiplication_and_an_addition(build_kernels: ModuleType) -> None:
    assert "/fp:precise" in build_kernels._flags("msvc")[0]
    assert "-ffp-contract=off" in build_kernels._flags("unix")[0]
