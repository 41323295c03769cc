"""The R code of the documentation prints what the page shows, if R with jsonlite and reticulate is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```r\n(.*?)```", (ROOT / "docs" / "programs.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split("\n", 1)[0] for block in BLOCKS])
def test_code_prints_what_the_page_shows(block: str, tmp_path: Path) -> None:
    _require_packages()
    if "r_to_py" in block:
        pytest.importorskip("pandas", reason="pandas is not installed: pip install caesura[test]")
    shutil.copytree(ROOT / "examples" / "review", tmp_path / "review")
    # RETICULATE_PYTHON below chooses this environment instead of the one of the page.
    code = re.sub(r"(?m)^use_virtualenv.*$", "", block)
    (tmp_path / "review" / "block.R").write_text(code, encoding="utf-8")
    programs = tmp_path / "programs"
    programs.mkdir()
    command = programs / "caesura"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m caesura "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "RETICULATE_PYTHON": sys.executable}
    result = subprocess.run(
        ["Rscript", "block.R"], cwd=tmp_path / "review", env=variables, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    expected = [line.removeprefix("#> ") for line in block.splitlines() if line.startswith("#> ")]
    assert expected
    assert result.stdout.splitlines() == expected


def test_page_has_code_for_both_ways() -> None:
    assert [re.search(r"library\((\w+)\)", block)[1] for block in BLOCKS] == ["jsonlite", "reticulate"]  # type: ignore[index]


def _require_packages() -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("no R: apt-get install r-base-core r-cran-jsonlite r-cran-reticulate")
    code = "quit(status = !all(c('jsonlite', 'reticulate') %in% rownames(installed.packages())))"
    if subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode:
        pytest.skip("no jsonlite or reticulate: apt-get install r-cran-jsonlite r-cran-reticulate")
