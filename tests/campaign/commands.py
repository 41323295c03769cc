"""Commands on hostile names and damaged files: they end with 0, 1 or 2, and print what a terminal, JSON and CSV can contain."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import caesura as cz
from caesura.cli import main
from caesura.errors import CaesuraError

from .damaged import FORMATS, targets_of
from .random_corpora import random_corpus
from .registry import Case, attack
from .structures import CHANGES

_LINES = """
info {file}
score {file}
score {file} {file} --items --edits
score {file} --reference c0 --hypothesis c1 --details
score {file} --reference c0 --hypothesis c1 --chance --output {folder}/tables
agree {file}
agree {file} --details --clusters
agree {file} --interval coders --heat
agree {file} --cochran --label-similarity
agree {file} --chance placement
agree {file} -c kappa -c alpha -c u_alpha --details
agree {file} -c gamma(samples=30)
agree {file} -c gamma_cat(samples=30) -c cu_alpha -c ku_alpha -c alpha_u_2004
agree {file} -m S_f -c kappa --chance exact
agree {file} -m token_f --chance li2024
agree {file} -m span_f
agree {file} -m t_measure
agree {file} -m label_share -c mean
agree {file} -m WD -c mean
disagreements {file}
disagreements {file} --against majority
pairwise {file}
pairwise {file} --ordered --details
gold {file} -o {folder}/gold.json
gold {file} --method majority --details --kept --dropped
unify {file} -o {folder}/unified.json
unify {file} --evaluate
similarity {file}
judge {file} --system c1
judge {file} --system c1 --crisp --details
judge {file} --system c1 -m fuzzy_success
trees {file} {file}
trees {file} {file} --details
evaluate {file}
plan {file}
reactions {file} -m B
convert {file} {folder}/out.csv
convert {file} {folder}/out.json
convert {file} {folder}/out.parquet
convert {file} {folder}/out.xlsx
report {file} -o {folder}/page.html
report {file} --system c1 -o {folder}/page.html
plot by_length {file} {file} -o {folder}/plot.svg
"""
COMMANDS = [line.split() for line in _LINES.split("\n") if line]
PLOTS = ("pairwise", "items", "dendrogram", "segments", "boundary_heat", "boundaries_per_coder", "precision_recall")
COMMANDS += [["plot", kind, "{file}", "-o", "{folder}/plot.svg"] for kind in PLOTS]
FORMATTED = ("info", "score", "agree", "disagreements", "pairwise", "judge", "trees", "evaluate")
"""Commands that print one table as JSON and CSV."""
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = re.compile(r"[=+\-@\t\r]")
_SCRIPT = re.compile(r"<script>alert|<img src=x", re.IGNORECASE)


def _check_text(text: str, where: str) -> None:
    match = _CONTROL.search(text)
    assert match is None, f"{where} contains {match.group()!r}: {text[max(0, match.start() - 60) : match.end() + 20]!r}"
    assert "Traceback" not in text, text[-300:]


def _reject(word: str) -> Any:
    raise AssertionError(f"not valid JSON: {word}")


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").removesuffix("%"))
    except ValueError:
        return False
    return True


def _check_csv(text: str) -> None:
    for row in csv.reader(io.StringIO(text)):
        for value in row:
            assert not _FORMULA.match(value) or _is_number(value), f"a spreadsheet runs the cell {value[:60]!r}"


def _run(rng: random.Random, file: Path, folder: Path) -> str:
    """Run a command on a file, and check what it prints and writes."""
    command = list(rng.choice(COMMANDS))
    form = rng.choice(("", "", "--json", "--csv")) if command[0] in FORMATTED else ""
    arguments = [word.format(file=file, folder=folder) for word in command] + [form] * bool(form)
    outcome = CliRunner().invoke(main, arguments)
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code in (0, 1, 2), f"{command[0]} ended with {outcome.exit_code}"
    assert outcome.exit_code == 0 or outcome.stderr.strip(), f"{command[0]} ended with 1 without a word"
    assert "No such option" not in outcome.stderr, outcome.stderr[-300:]  # the command would try nothing
    _check_output(outcome, command[0], form)
    page = folder / "page.html"
    if page.exists():
        assert not _SCRIPT.search(page.read_text()), "the page contains a script of a name"
        page.unlink()
    return f"{outcome.exit_code}"


def _check_output(outcome: Result, command: str, form: str) -> None:
    _check_text(outcome.stderr, f"{command}, standard error")
    if form == "--json" and outcome.stdout.strip():
        json.loads(outcome.stdout, parse_constant=_reject)
    elif form == "--csv":
        _check_csv(outcome.stdout)
    else:
        _check_text(outcome.stdout, command)


@attack("hostile names", share=2, quick=300)
def hostile_names(case: Case) -> str:
    """Run a command on a random corpus whose names break careless programs."""
    rng, path = case.rng, case.folder / "corpus.json"
    while True:
        corpus = random_corpus(rng, hostile=0.5)
        chosen = path.with_suffix(rng.choice((".json", ".json", ".csv", ".parquet", ".jsonl")))
        try:
            cz.write(corpus, chosen)
        except CaesuraError:
            continue
        return _run(rng, chosen, case.folder)


@attack("commands on changed files", share=2, quick=300)
def changed_files(case: Case) -> str:
    """Run a command on a file of each format in turn after changes that keep its structure."""
    name = FORMATS[case.number % len(FORMATS)]
    target = targets_of(case.folder, name)[0]
    target.path.write_bytes(case.rng.choice(CHANGES[name])(case.rng, target.data))
    try:
        return _run(case.rng, target.path, case.folder)
    finally:
        target.path.write_bytes(target.data)
