"""The scripts in examples/ run from the command line."""

from __future__ import annotations

import json
import runpy
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# Three topics without common content words; TextTiling places boundaries between them.
SENTENCES = {
    "harbour": "The harbour master watched fishing boats anchor beyond the breakwater while gulls circled the lighthouse.",
    "orchard": "Ripe pears dropped from crooked branches, and bees hummed around every blossom along the orchard fence.",
    "engine": "Pistons hammered inside the locomotive; steam hissed through brass valves until pressure gauges trembled.",
}


@dataclass(frozen=True)
class Run:
    returncode: int
    stdout: str
    stderr: str


RunExample = Callable[..., Run]


@pytest.fixture
def run_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunExample:
    """Return a function that runs the script as the command line would, in this process, which has imported NLTK."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("nltk", reason="NLTK is not installed: pip install caesura[test]")

    def run(*arguments: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["texttiling.py", *map(str, arguments)])
        code: object = None
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                runpy.run_path(str(EXAMPLES / "texttiling.py"), run_name="__main__")
            except SystemExit as end:
                code = end.code
        printed = capsys.readouterr()
        # Python prints a code that is a text, and ends with 1.
        message = f"{code}\n" if isinstance(code, str) else ""
        return Run(code if isinstance(code, int) else int(bool(message)), printed.out, printed.err + message)

    return run


@pytest.fixture
def paragraphs(tmp_path: Path) -> tuple[Path, Path]:
    text = [" ".join([sentence] * 4) for sentence in SENTENCES.values() for _ in range(5)]
    (tmp_path / "text.txt").write_text("\n\n".join(text))
    coders = {"items": {"tale": {"ann": [5, 5, 5], "bo": [5, 4, 6], "cy": [5, 10]}}}
    (tmp_path / "coders.json").write_text(json.dumps(coders))
    return tmp_path / "text.txt", tmp_path / "coders.json"


def test_texttiling_on_a_text_with_coders(run_example: RunExample, paragraphs: tuple[Path, Path]) -> None:
    process = run_example(*paragraphs, "-w", 20, "-k", 5)
    assert (process.returncode, process.stderr) == (0, "")
    assert "tale           ann  ·····|·····|·····\n" in process.stdout
    (drawing,) = (line.split()[-1] for line in process.stdout.splitlines() if line.startswith("tale    texttiling"))
    masses = [len(segment) for segment in drawing.split("|")]
    assert sum(masses) == 15
    assert {5, 10} <= set(accumulate(masses))  # and a few more positions
    assert "(human)" in process.stdout
    assert "Errors of the systems" in process.stdout


def test_texttiling_explains_errors(run_example: RunExample, paragraphs: tuple[Path, Path], tmp_path: Path) -> None:
    text, coders = paragraphs
    short = tmp_path / "short.txt"
    short.write_text("One.\n\nTwo.")
    process = run_example(short, coders)
    assert process.returncode == 1
    assert "2 units are too few for TextTiling" in process.stderr
    assert "Traceback" not in process.stderr
    assert run_example(text).returncode == 2
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n\n".join(text.read_text().split("\n\n")[:12]))
    process = run_example(fewer, coders, "-w", 10, "-k", 3)
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr == (
        "texttiling: system 'texttiling' has no item that can be judged: item 'tale', coder 'texttiling': the system differs "
        "from the coders: 15 tokens for ann and 12 for texttiling\n"
    )


@pytest.mark.slow
def test_texttiling_on_recorded_sessions(run_example: RunExample, shared: Path) -> None:
    process = run_example(shared / "data/hierarchical_text/tinyrec")
    assert process.returncode == 0
    assert process.stderr == ""
    assert "low, high: 0.95 percentile bootstrap over 5 items" in process.stdout
    assert "human: undefined, no two coders share an item" in process.stdout
