"""The scripts in examples/ run, as a person would run them."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# Three subjects that share no word; TextTiling finds where they change.
SUBJECTS = {
    "harbour": "The harbour master watched fishing boats anchor beyond the breakwater while gulls circled the lighthouse.",
    "orchard": "Ripe pears dropped from crooked branches, and bees hummed around every blossom along the orchard fence.",
    "engine": "Pistons hammered inside the locomotive; steam hissed through brass valves until pressure gauges trembled.",
}


def run(*words: object) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("nltk", reason="NLTK is not installed: pip install caesura[test]")
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "texttiling.py"), *map(str, words)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def paragraphs(tmp_path: Path) -> tuple[Path, Path]:
    text = [" ".join([sentence] * 4) for sentence in SUBJECTS.values() for _ in range(5)]
    (tmp_path / "text.txt").write_text("\n\n".join(text))
    coders = {"items": {"tale": {"ann": [5, 5, 5], "bo": [5, 4, 6], "cy": [5, 10]}}}
    (tmp_path / "coders.json").write_text(json.dumps(coders))
    return tmp_path / "text.txt", tmp_path / "coders.json"


def test_texttiling_on_a_text_of_ones_own(paragraphs: tuple[Path, Path]) -> None:
    done = run(*paragraphs, "-w", 20, "-k", 5)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tale           ann  ·····|·····|·····\n" in done.stdout
    (drawn,) = (line.split()[-1] for line in done.stdout.splitlines() if line.startswith("tale    texttiling"))
    pieces = [len(piece) for piece in drawn.split("|")]
    assert sum(pieces) == 15
    assert {5, 10} <= set(accumulate(pieces))  # and a few places more
    assert "(human)" in done.stdout
    assert "Where systems go wrong" in done.stdout


def test_texttiling_says_what_is_wrong(paragraphs: tuple[Path, Path], tmp_path: Path) -> None:
    text, coders = paragraphs
    short = tmp_path / "short.txt"
    short.write_text("One.\n\nTwo.")
    done = run(short, coders)
    assert done.returncode == 1
    assert "2 units are too few for TextTiling" in done.stderr
    assert "Traceback" not in done.stderr
    assert run(text).returncode == 2
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n\n".join(text.read_text().split("\n\n")[:12]))
    done = run(fewer, coders, "-w", 10, "-k", 3)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "texttiling: system 'texttiling', item 'tale' left out: 15 tokens for ann and 12 for texttiling; nothing is left to "
        "judge system 'texttiling' on\n"
    )


@pytest.mark.slow
def test_texttiling_on_recorded_sessions(shared: Path) -> None:
    done = run(shared / "data/hierarchical_text/tinyrec")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "low, high: 0.95 percentile bootstrap over 5 items" in done.stdout
    assert "human: undefined, no two coders share an item" in done.stdout
