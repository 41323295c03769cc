"""Lazy imports keep the start-up time short."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest

from caesura.cli import main
from caesura.cli.program import COMMANDS
from caesura.cli.progress import Progress


def loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(process.stdout.split())


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_package_loads_nothing_else() -> None:
    extra = packages(loaded_after("import caesura")) - packages(loaded_after("pass"))
    third_party = {name for name in extra if name not in sys.stdlib_module_names and not name.startswith("_")}
    assert third_party == {"caesura"}


def test_importing_a_measure_loads_only_numpy() -> None:
    extra = packages(loaded_after("import caesura; caesura.pk")) - packages(loaded_after("import numpy"))
    third_party = {name for name in extra if name not in sys.stdlib_module_names and not name.startswith("_")}
    third_party.discard("cython_runtime")  # a name that compiled modules register; there is no such package
    assert third_party == {"caesura"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"]])
def test_help_loads_neither_numpy_nor_rich(arguments: list[str]) -> None:
    command = (
        f"import runpy; sys.argv = ['caesura', *{arguments}]\ntry: runpy.run_module('caesura', run_name='__main__')"
    )
    loaded = loaded_after(f"{command}\nexcept SystemExit: pass")
    assert "click" in loaded
    assert not {"numpy", "rich", "pandas", "scipy"} & loaded


def test_help_loads_few_modules() -> None:
    """The time of ``--help`` is that of its imports: Python, click, and what the list of commands needs."""
    command = "import runpy; sys.argv = ['caesura', '--help']\ntry: runpy.run_module('caesura', run_name='__main__')"
    own = {name for name in loaded_after(f"{command}\nexcept SystemExit: pass") if name.startswith("caesura.")}
    assert own <= {
        f"caesura.{name}"
        for name in ("cli", "cli.program", "errors", "model", "model.hooks", "notices", "progress", "version")
    }


def test_folders_do_not_hide_the_functions_of_the_same_name() -> None:
    code = """
import caesura.agreement.coefficients, caesura.measures.base
import caesura
assert callable(caesura.agreement) and callable(caesura.measures)
from caesura import agreement, measures
import caesura.measures.window
assert caesura.agreement is agreement and caesura.measures is measures
assert caesura.simulation.__name__ == "caesura.simulation"
for name in caesura.__all__:
    assert getattr(caesura, name) is getattr(caesura, name), name
assert callable(caesura.agreement) and callable(caesura.measures)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scipy_is_loaded_only_when_statistics_are_used() -> None:
    assert not {"scipy", "scikit_posthocs", "pandas"} & loaded_after("import caesura.statistics")


def test_help_does_not_load_rich() -> None:
    loaded = loaded_after("import caesura.cli")
    assert "click" in loaded
    assert "rich" not in loaded


def test_numpy_random_is_loaded_only_when_used() -> None:
    extra = loaded_after("import caesura") - loaded_after(
        "import numpy"
    )  # some versions import numpy.random themselves
    assert "numpy.random" not in extra


def test_commands_are_loaded_when_used() -> None:
    loaded = loaded_after("import caesura.cli")
    assert not {"caesura.cli.score", "caesura.formats.ptb", "caesura.measures.treebank", "caesura.tasks"} & loaded


def test_summaries_are_the_first_lines_of_the_commands() -> None:
    context = click.Context(main)
    for name, entry in COMMANDS.items():
        command = main.get_command(context, name)
        assert command.help.startswith(entry.summary.rstrip(".")), name


def test_judging_loads_no_large_packages() -> None:
    """Distributions are computed by caesura itself: ``scipy.stats`` alone takes half a second to import."""
    data = Path(__file__).parents[2] / "examples" / "data"
    arguments = [str(data / "people.json"), "--system", str(data / "mine.json"), "--system", str(data / "theirs.json")]
    loaded = loaded_after(
        "import contextlib, io\n"
        "from caesura.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    main({['judge', *arguments, '--quiet']!r}, standalone_mode=False)"
    )
    assert not {"scipy", "scikit_posthocs", "statsmodels", "pandas", "matplotlib", "rich"} & packages(loaded)


def test_bar_needs_no_threads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Python in a browser raises this error for every thread."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with click.Context(main), Progress("draws") as progress:
        for finished in (1, 7, 10):
            progress.update(finished, 10)
    assert "7 of 10 draws" in capsys.readouterr().err
