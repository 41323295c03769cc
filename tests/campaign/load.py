"""Valid files of 1 MB of every kind and shape under every command.

The shapes go from one long item to thousands of short ones, and from two coders to hundreds. Every command must keep to the
limits of time and memory, or refuse the file in one line. ``python -m tests.campaign.load WORD ...`` prints time and memory of
the commands and files whose description contains all words.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import caesura as cz

from . import load_formats
from .registry import MEGABYTES, SECONDS, Case, attack

BYTES = load_formats.BYTES
MAX_BYTES = 2**33
"""Memory that a command may ask for before the system refuses; the limit of the campaign is lower."""
MAX_SECONDS = 60
"""Processor time after which the system ends a command; the limit of the campaign is lower."""


@dataclass(frozen=True)
class Load:
    """A file of 1 MB.

    Parameters
    ----------
    kind : str
        Kind of the annotations, which says what commands make sense.
    suffix : str
        Suffix of the file.
    make : callable
        ``make(rng)`` returns the content.
    options : tuple of str
        Options with which the commands read the file.
    companion : tuple, optional
        Name of a file that is read together with it, and a function that returns its content.
    """

    kind: str
    suffix: str
    make: Callable[[random.Random], str]
    options: tuple[str, ...] = ()
    companion: tuple[str, Callable[[], str]] | None = None


LOADS: dict[str, Load] = {}
"""Description -> file."""


def _coders(number: int) -> list[str]:
    return [f"c{j}" for j in range(number)]


# -- segmentations ----------------------------------------------------------------------------------------------------


def _masses(rng: random.Random, segments: int, units: int) -> list[int]:
    """Return the masses of a text of some units in at most so many segments."""
    cuts = sorted({rng.randrange(1, units) for _ in range(segments - 1)}) if units > 1 else []
    return [b - a for a, b in zip([0, *cuts], [*cuts, units], strict=True)]


def _linear(items: int, coders: int) -> Callable[[random.Random], str]:
    """Return a maker of masses JSON whose segmentations together fill the file."""
    segments = max(1, round((BYTES / (items * coders) - 10) / 2.2))

    def make(rng: random.Random) -> str:
        units = max(2, 5 * segments)
        table = {f"x{i}": {c: _masses(rng, segments, units) for c in _coders(coders)} for i in range(items)}
        return json.dumps({"items": table}, separators=(",", ":"))

    return make


SHAPES = ((1, 2), (1, 40), (1, 500), (4, 250), (30, 10), (100, 3), (100, 100), (700, 40), (2000, 3), (6000, 5))
MANY_ITEMS = ((11_000, 3), (15_000, 2), (25_000, 2))

for _items, _number in SHAPES + MANY_ITEMS:
    LOADS[f"masses JSON: {_items} items, {_number} coders"] = Load("linear", ".json", _linear(_items, _number))


def _units(items: int, coders: int, marks: tuple[str, ...], text: bool = True) -> Callable[[random.Random], str]:
    """Return a maker of a table with one row per unit and one column per coder."""
    width = (5 if text else 0) + 5 + sum(len(mark) + 1 for mark in marks) / len(marks) * coders
    rows = max(items, round(BYTES / width))

    def make(rng: random.Random) -> str:
        lines = ["item," + "word," * text + ",".join(_coders(coders))]
        for row in range(rows):
            word = f"w{rng.randrange(900)}," * text
            lines.append(f"x{row * items // rows},{word}" + ",".join(rng.choices(marks, k=coders)))
        return "\n".join(lines) + "\n"

    return make


for _items, _number in ((1, 2), (1, 40), (1, 500), (30, 10), (600, 40), (6000, 3), (20_000, 2)):
    LOADS[f"CSV of marks: {_items} items, {_number} coders"] = Load(
        "linear", ".csv", _units(_items, _number, ("0", "0", "0", "1"))
    )
for _items, _number in ((1, 2), (30, 10), (6000, 3)):
    LOADS[f"CSV of types: {_items} items, {_number} coders"] = Load(
        "linear", ".csv", _units(_items, _number, ("", "", "a", "b", "q")), ("--types", "a,b,q")
    )
    LOADS[f"CSV of labels: {_items} items, {_number} coders"] = Load(
        "linear",
        ".csv",
        _units(_items, _number, ("A", "A", "B", "C")),
        ("--reading", "shape=labels", "--fields", f"coders={'+'.join(_coders(_number))}"),
    )


def _dialogue(items: int, coders: int) -> Callable[[random.Random], str]:
    """Return a maker of a table with one row per unit of a speaker and one column per coder."""
    rows = round(BYTES / (13 + 1.5 * coders) / items / 2)

    def make(rng: random.Random) -> str:
        lines = ["item,stream,text," + ",".join(_coders(coders))]
        for item in range(items):
            for stream in "AB":
                for _ in range(rows):
                    marks = ",".join(rng.choices(("", "", "a", "b"), k=coders))
                    lines.append(f"x{item},{stream},w{rng.randrange(90)},{marks}")
        return "\n".join(lines) + "\n"

    return make


for _items, _number in ((1, 2), (10, 5), (3000, 2), (1, 40)):
    LOADS[f"CSV of dialogues: {_items} items, {_number} coders"] = Load("dialogue", ".csv", _dialogue(_items, _number))


# -- spans and times --------------------------------------------------------------------------------------------------


def _span_rows(items: int, coders: int, labels: int, overlap: int) -> Callable[[random.Random], str]:
    """Return a maker of a spans CSV; about ``overlap`` spans of a coder cover a place."""
    number = max(1, round(BYTES / (items * coders) / 21))

    def make(rng: random.Random) -> str:
        lines = ["item,coder,start,end,label"]
        for item in range(items):
            for coder in _coders(coders):
                for k in range(number):
                    start = 10 * k + rng.randrange(8)
                    end = start + 1 + rng.randrange(10 * overlap)
                    lines.append(f"x{item},{coder},{start},{end},L{rng.randrange(labels)}")
        return "\n".join(lines) + "\n"

    return make


for _items, _number in (
    (1, 2),
    (1, 3),
    (1, 10),
    (1, 50),
    (20, 5),
    (100, 20),
    (300, 49),
    (2000, 10),
    (8000, 2),
    (11_000, 3),
):
    LOADS[f"CSV of spans: {_items} items, {_number} coders"] = Load("spans", ".csv", _span_rows(_items, _number, 4, 1))
for _items, _number in ((1, 2), (1, 3), (20, 5), (4000, 3)):
    LOADS[f"CSV of spans that overlap: {_items} items, {_number} coders"] = Load(
        "spans", ".csv", _span_rows(_items, _number, 4, 6)
    )
LOADS["CSV of spans: 300 items, 3 coders, 1,000 labels"] = Load("spans", ".csv", _span_rows(300, 3, 1000, 1))


def _seconds(items: int, coders: int) -> Callable[[random.Random], str]:
    """Return a maker of a table of segments in seconds, one row each."""
    number = max(1, round(BYTES / (items * coders) / 28))

    def make(rng: random.Random) -> str:
        lines = ["item,coder,start,end,label"]
        for item in range(items):
            for coder in _coders(coders):
                cuts = [0.0, *sorted(rng.uniform(1, 10 * number) for _ in range(number - 1)), 10.0 * number + 1]
                for a, b in pairwise(cuts):
                    lines.append(f"x{item},{coder},{a:.3f},{b:.3f},{rng.choice('ABCD')}")
        return "\n".join(lines) + "\n"

    return make


def _textgrid(coders: int) -> Callable[[random.Random], str]:
    """Return a maker of a short TextGrid with one tier per coder."""
    number = round(BYTES / coders / 26)

    def make(rng: random.Random) -> str:
        total = 2.0 * number
        lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", f"{total}", "<exists>", str(coders)]
        for coder in _coders(coders):
            cuts = [0.0, *sorted({round(rng.uniform(0.01, total - 0.01), 3) for _ in range(number - 1)}), total]
            lines += ['"IntervalTier"', f'"{coder}"', "0", f"{total}", str(len(cuts) - 1)]
            for a, b in pairwise(cuts):
                lines += [f"{a}", f"{b}", f'"{rng.choice("ABCD")}"']
        return "\n".join(lines) + "\n"

    return make


for _number in (2, 10, 200):
    LOADS[f"TextGrid: {_number} tiers"] = Load("timed", ".TextGrid", _textgrid(_number), ("--tier", "*"))
for _items, _number in ((1, 2), (30, 10), (4000, 3)):
    LOADS[f"CSV of seconds: {_items} items, {_number} coders"] = Load("timed", ".csv", _seconds(_items, _number))


# -- hierarchies and trees --------------------------------------------------------------------------------------------


def _nested(rng: random.Random, number: int, units: int) -> list[list[int]]:
    """Return nested spans, first, last and level, from the whole text down."""
    spans, front = [], [(1, units, 1)]
    while front and len(spans) < number:
        first, last, level = front.pop(0)
        spans.append([first, last, level])
        if last - first > 1:
            cut = rng.randrange(first, last)
            front += [(first, cut, level + 1), (cut + 1, last, level + 1)]
    return spans


def _hierarchies(items: int, coders: int) -> Callable[[random.Random], str]:
    number = max(2, round(BYTES / (items * coders) / 18))

    def make(rng: random.Random) -> str:
        table = {
            f"x{i}": {"length": number, "coders": {c: _nested(rng, number, number) for c in _coders(coders)}}
            for i in range(items)
        }
        return json.dumps({"items": table}, separators=(",", ":"))

    return make


for _items, _number in ((1, 2), (1, 40), (30, 3), (3000, 3), (300, 20)):
    LOADS[f"spans JSON, nested: {_items} items, {_number} coders"] = Load(
        "hierarchy", ".json", _hierarchies(_items, _number)
    )


def _tree(rng: random.Random, words: int, deep: bool) -> str:
    """Return a binary tree in brackets; a deep one branches to the right."""
    tree = [f"(T w{rng.randrange(99)})" for _ in range(words)]
    while len(tree) > 1:
        k = len(tree) - 2 if deep else rng.randrange(len(tree) - 1)
        tree[k : k + 2] = [f"({rng.choice('ABC')} {tree[k]} {tree[k + 1]})"]
    return tree[0]


def _trees(words: int, deep: bool = False) -> Callable[[random.Random], str]:
    number = max(1, round(BYTES / (words * 12)))

    def make(rng: random.Random) -> str:
        if deep and words > 1000:  # the loop of _tree would copy it every time
            return "(A (T w) " * words + "(T w)" + ")" * words + "\n"
        return "\n".join(_tree(rng, words, deep) for _ in range(number)) + "\n"

    return make


for _words in (8, 30, 100, 300, 1000):
    LOADS[f"brackets: sentences of {_words} words"] = Load("trees", ".ptb", _trees(_words))
LOADS["brackets: sentences of 100 words, right-branching"] = Load("trees", ".ptb", _trees(100, deep=True))
LOADS["brackets: one sentence of 80,000 words, right-branching"] = Load("trees", ".ptb", _trees(80_000, deep=True))


# -- documents --------------------------------------------------------------------------------------------------------


def _documents(number: int) -> Callable[[random.Random], str]:
    boundaries = max(1, round((BYTES / number - 60) / 12))

    def make(rng: random.Random) -> str:
        lines = []
        for k in range(number):
            length = 6 * boundaries
            sides = {
                side: sorted({rng.randrange(1, length) for _ in range(boundaries)})
                for side in ("reference", "hypothesis")
            }
            lines.append(json.dumps({"item": f"x{k}", "length": length, **sides}))
        return "\n".join(lines) + "\n"

    return make


for _items in (1, 100, 12_000):
    LOADS[f"documents: {_items}"] = Load("documents", ".jsonl", _documents(_items))


# -- other formats ----------------------------------------------------------------------------------------------------

for _kind, _makers in (("one coder", load_formats.ONE_CODER), ("several coders", load_formats.SEVERAL_CODERS)):
    for _format, (_suffix, _make, _options) in _makers.items():
        LOADS[f"format {_format}"] = Load(_kind, _suffix, _make, _options, load_formats.COMPANIONS.get(_format))


# -- commands ---------------------------------------------------------------------------------------------------------

_PAIR = ("--reference", "c0", "--hypothesis", "c1")
_SPAN_COEFFICIENTS = ("gamma_cat", "gamma_k", "u_alpha", "bar_u_alpha", "cu_alpha", "ku_alpha", "alpha_u_2004")
_CONVERSIONS = tuple(
    ("convert", "{file}", f"{{folder}}/out{suffix}") for suffix in (".csv", ".json", ".parquet", ".xlsx")
)
GENERAL: tuple[tuple[str, ...], ...] = (
    ("info", "{file}"),
    ("agree", "{file}"),
    ("agree", "{file}", "--details"),
    ("agree", "{file}", "--clusters"),
    ("agree", "{file}", "--json"),
    ("disagreements", "{file}"),
    ("disagreements", "{file}", "--against", "majority", "--json"),
    ("pairwise", "{file}", "--details"),
    ("score", "{file}", *_PAIR, "--details"),
    ("score", "{file}", *_PAIR, "--json"),
    ("gold", "{file}", "-o", "{folder}/gold.json"),
    ("gold", "{file}", "--method", "majority", "--details"),
    ("plan", "{file}"),
    ("judge", "{file}", "--system", "c1"),
    ("report", "{file}", "-o", "{folder}/page.html"),
    ("report", "{file}", "--system", "c1", "-o", "{folder}/page.html"),
    *(("plot", kind, "{file}", "-o", "{folder}/plot.svg") for kind in ("pairwise", "items", "dendrogram")),
    *_CONVERSIONS,
    ("info", "{file}", "--json"),
    ("agree", "{file}", "--interval", "coders"),
    ("agree", "{file}", "--heat", "--json"),
    ("pairwise", "{file}", "--json"),
    ("pairwise", "{file}", "--ordered", "--csv"),
    ("score", "{file}", *_PAIR, "--edits"),
    ("score", "{file}", *_PAIR, "--chance", "--output", "{folder}/tables"),
    ("gold", "{file}", "--json"),
    ("gold", "{file}", "--kept", "--dropped"),
    ("judge", "{file}", "--system", "c1", "--json"),
    ("judge", "{file}", "--system", "c1", "--crisp", "--details"),
)
"""Commands for corpora of several coders."""
_POSITIONS: tuple[tuple[str, ...], ...] = (
    ("agree", "{file}", "-c", "kappa", "-c", "alpha", "-c", "bias"),
    ("agree", "{file}", "-m", "WD", "-c", "mean"),
    ("agree", "{file}", "-m", "S_f", "-c", "kappa", "--chance", "simulate"),
    ("agree", "{file}", "-m", "S_f", "-c", "kappa", "--chance", "exact"),
    ("agree", "{file}", "--chance", "placement"),
    ("agree", "{file}", "--cochran"),
    ("agree", "{file}", "--label-similarity"),
    ("similarity", "{file}"),
    ("judge", "{file}", "--system", "c1", "-m", "fuzzy_success"),
    ("reactions", "{file}"),
    *(
        ("plot", kind, "{file}", "-o", "{folder}/plot.svg")
        for kind in ("segments", "boundary_heat", "boundaries_per_coder", "operations", "precision_recall")
    ),
)
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "linear": (*GENERAL, *_POSITIONS),
    "dialogue": (*GENERAL, *_POSITIONS),
    "timed": (*GENERAL, ("agree", "{file}", "-m", "label_share", "-c", "mean")),
    "spans": (
        *GENERAL,
        *(("agree", "{file}", "-c", coefficient) for coefficient in _SPAN_COEFFICIENTS),
        ("agree", "{file}", "-m", "span_f"),
        ("agree", "{file}", "-m", "token_f", "--chance", "li2024"),
        ("unify", "{file}", "-o", "{folder}/unified.json"),
    ),
    "hierarchy": (
        *GENERAL,
        *(("agree", "{file}", "-m", measure) for measure in ("t_measure", "l_measure", "hierarchy_overlap")),
        ("unify", "{file}", "--evaluate"),
    ),
    "trees": (
        ("info", "{file}"),
        ("trees", "{file}", "{file}"),
        ("trees", "{file}", "{other}"),
        ("trees", "{file}", "{other}", "--details"),
        ("report", "{file}", "{other}", "-o", "{folder}/page.html"),
        ("plot", "by_length", "{file}", "{other}", "-o", "{folder}/plot.svg"),
        ("plot", "correlation", "{file}", "{other}", "-o", "{folder}/plot.svg"),
        ("convert", "{file}", "{folder}/out.json"),
    ),
    "one coder": (
        ("info", "{file}"),
        ("score", "{file}", "{other}"),
        ("agree", "{file}", "{other}"),
        ("report", "{file}", "{other}", "-o", "{folder}/page.html"),
        *_CONVERSIONS,
    ),
    "several coders": (
        ("info", "{file}"),
        ("agree", "{file}"),
        ("disagreements", "{file}"),
        ("gold", "{file}", "-o", "{folder}/gold.json"),
        ("report", "{file}", "-o", "{folder}/page.html"),
        *_CONVERSIONS,
    ),
    "documents": (
        ("info", "{file}"),
        ("evaluate", "{file}"),
        ("score", "{file}", "--details"),
        ("report", "{file}", "-o", "{folder}/page.html"),
        ("convert", "{file}", "{folder}/out.csv"),
    ),
}
"""Kind -> commands."""


def _commands(load: Load, number: int) -> Iterator[tuple[str, ...]]:
    """Yield the commands for a file: all of its kind, and all measures if the file has two coders."""
    yield from COMMANDS[load.kind]
    if number == 2:
        for name in cz.measures():
            if load.kind in cz.parse(name).kinds:
                yield ("score", "{file}", *_PAIR, "-m", name)


CASES = [(name, command) for name, load in LOADS.items() for command in _commands(load, 2 if " 2 " in name else 0)]
"""Description of the file, and the command. A random order: the first cases are a sample of all."""
random.Random(0).shuffle(CASES)


def write_files(name: str, folder: Path) -> dict[str, Path]:
    """Write the file of a description, and if commands compare two files, a second one, unless they exist; return their paths."""
    load, number = LOADS[name], list(LOADS).index(name)
    paths = {"file": folder / f"load{number}{load.suffix}"}
    if load.kind in ("trees", "one coder"):
        paths["other"] = folder / f"other{number}{load.suffix}"
    for role, path in paths.items():
        if not path.exists():
            path.write_text(load.make(random.Random(f"{role} {name}")))  # the same for every seed of the campaign
            if load.companion is not None:
                companion, content = load.companion
                path.with_name(companion.format(stem=path.stem)).write_text(content())
    return paths


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))


@dataclass(frozen=True)
class Run:
    """How a command ended.

    Parameters
    ----------
    code : int
        Exit code.
    messages : str
        What it printed on standard error.
    seconds, megabytes : float
        Processor time and largest memory.
    """

    code: int
    messages: str
    seconds: float
    megabytes: float

    @property
    def problem(self) -> str:
        """What is wrong with it; empty if nothing is."""
        if "Traceback" in self.messages or self.code not in (0, 1, 2):
            return f"ended with {self.code} after {self.seconds:.1f} s: {self.messages[-300:]}"
        if "No such option" in self.messages or "Invalid value for" in self.messages:
            return f"invalid command: {self.messages[-300:]}"
        if self.code and not self.messages.strip():
            return f"ended with {self.code} without a word"
        return f"took {self.megabytes:.0f} MB" if self.megabytes > MEGABYTES else ""


def run_case(number: int, folder: Path) -> Run:
    """Run a case in a process of its own."""
    name, command = CASES[number]
    paths = write_files(name, folder)
    arguments = [word.format(**paths, folder=folder) for word in command] + list(LOADS[name].options)
    messages = folder / "messages.txt"
    with messages.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "caesura", *arguments], stdout=subprocess.DEVNULL, stderr=out, preexec_fn=_limit
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return Run(process.returncode, messages.read_text(), seconds, usage.ru_maxrss / 1024)


@attack(
    "files of 1 MB",
    share=1,
    total=len(CASES),
    quick=16,
    prepare=lambda case: write_files(CASES[case.number][0], case.folder),
)
def load(case: Case) -> str:
    """Run a command on a large file."""
    run = run_case(case.number, case.folder)
    assert not run.problem, f"{CASES[case.number]}: {run.problem}"
    return "value" if run.code == 0 else "refused or excluded"


def main(words: Sequence[str]) -> None:
    """Print time, memory and the last message of every case whose description and command contain all words."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        for number, (name, command) in enumerate(CASES):
            title = f"{name} | {' '.join(command)}"
            if all(word in title for word in words):
                run = run_case(number, Path(folder))
                mark = "!!" if run.problem or run.seconds > SECONDS else "  "
                last = [line for line in run.messages.splitlines() if line.strip()][-1:]
                sizes = f"{run.seconds:5.1f} s {run.megabytes:5.0f} MB, {run.code}"
                print(f"{mark} {sizes}  {number:4} {title}  {' '.join(last)[:150]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
