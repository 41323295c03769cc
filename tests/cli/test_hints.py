"""Hints of the library in the form of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from caesura.cli import main
from caesura.cli.program import for_command_line


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("one field must be the text; choose it with text=; got 'a'", "choose it with --reading text=...; got 'a'"),
        (
            "choose offsets='characters' or offsets='utf-16'; both",
            "choose --reading offsets=characters or --reading offsets=utf-16; both",
        ),
        ("of different extent, 0-5 and 0-6; set bounds=", "use -c 'COEFFICIENT(bounds=(FIRST,LAST))'"),
        (
            "set atom= to the length of an atom, such as atom=0.01",
            "use -c 'COEFFICIENT(atom=0.01)', the length of an atom",
        ),
        ("its bounds are 0-3; set atom=", "its bounds are 0-3; use -c 'COEFFICIENT(atom=SIZE)'"),
        ("read with align='tokens' (or align='edit')", "read with --align tokens (or --align edit)"),
        (
            "or read with discontinuous='hull' or discontinuous='fragments'",
            "or read with --reading discontinuous=hull or --reading discontinuous=fragments",
        ),
        ("x.txt does not exist; set it with text=", "set it with --reading text=..."),
        ("or read with repair=True, which excludes such spans", "or read with --reading repair=yes, which excludes"),
        ("got coder 'a' again; choose with tiers=...", "choose with --tier ..."),
        ("read with marker=''", "read with --reading marker="),
        ("use repair (--reading repair=yes)", "use repair (--reading repair=yes)"),
        ("use engine=open_engine(..., workers=2)", "use engine=open_engine(..., workers=2)"),
        ("use average='items'", "use average='items'"),  # an option of a measure
        ("1 + 1 = 2", "1 + 1 = 2"),
    ],
)
def test_hints(message: str, expected: str) -> None:
    assert for_command_line(message).endswith(expected) or expected in for_command_line(message)


def test_errors_of_commands_name_options_of_commands(tmp_path: Path) -> None:
    value = {"start": 4, "end": 8, "text": "Haag", "labels": ["PER"]}
    task = {"id": 1, "data": {"a": "Ms. Haag", "b": "Ms. Haag"}}
    task["annotations"] = [{"completed_by": 1, "result": [{"type": "labels", "value": value}]}]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]))
    result = CliRunner().invoke(main, ["info", str(path)])
    assert result.exit_code == 1
    assert "choose it with --reading text=...; got 'a', 'b'" in result.stderr
    assert CliRunner().invoke(main, ["info", str(path), "--reading", "text=a"]).exit_code == 0
