"""The command line: one file per subcommand."""

from caesura.cli.agree import agree
from caesura.cli.convert import convert
from caesura.cli.demo import demo
from caesura.cli.evaluate import evaluate
from caesura.cli.info import info
from caesura.cli.judge import judge
from caesura.cli.listing import list_formats, list_measures
from caesura.cli.plot import plot
from caesura.cli.program import main
from caesura.cli.report import report
from caesura.cli.score import score
from caesura.cli.trees import trees
from caesura.cli.unify import unify

__all__ = [
    "agree",
    "convert",
    "demo",
    "evaluate",
    "info",
    "judge",
    "list_formats",
    "list_measures",
    "main",
    "plot",
    "report",
    "score",
    "trees",
    "unify",
]
