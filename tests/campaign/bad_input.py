"""Small hostile files and invalid input: a value or a refusal in one line, and never an exception of another package.

Each case is a function of a folder. It returns anything, or raises a :class:`caesura.errors.CaesuraError`, which means that the
input was refused.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import caesura as cz
from caesura.cli import main
from caesura.errors import CaesuraError
from caesura.formats.settings import read_settings

from .registry import Case, attack

Make = Callable[[Path], object]
LONG = {"x": {"ann": [10**8 - 1, 1], "bo": [10**8 - 2, 2]}}
SMALL = {f"x{i}": {f"c{j}": [1 + i + j, 9 - i - j] for j in range(3)} for i in range(3)}
CASES: dict[str, Make] = {}
"""Description -> the work."""


PREPARATIONS: dict[str, Make] = {}
"""Description -> what makes large files, which is no work of this package."""


def hard(name: str, prepare: Make | None = None) -> Callable[[Make], Make]:
    """Register a function under a description, and a function that makes its files."""

    def register(make: Make) -> Make:
        CASES[name] = make
        if prepare is not None:
            PREPARATIONS[name] = prepare
        return make

    return register


def read_text(folder: Path, name: str, text: str, format: str | None = None, **options: Any) -> cz.Corpus:
    """Write a file and read it."""
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return cz.read(path, format, **options)


def command(*arguments: object, codes: Sequence[int] = (0,)) -> str:
    """Run a command in this process, and return what it printed. An exception that it does not handle is raised.

    It must end with one of the codes; if it refuses the input, it prints its reason in one line.
    """
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in codes, f"{arguments[0]} ended with {result.exit_code}: {result.output[-300:]}"
    if result.exit_code:
        lines = [line for line in result.stderr.splitlines() if line.startswith("caesura: ")]
        assert lines, f"{arguments[0]} ended with {result.exit_code} without a word"
    return result.output


# -- readers ----------------------------------------------------------------------------------------------------------

MANY = 120_000
TEXTS: dict[str, tuple[str, Callable[[], str]]] = {
    "CSV: a cell of 20,000 digits and a letter": ("a.csv", lambda: "ann,lab," + "1" * 20_000 + "x,2\n"),
    "text: a cell of 20,000 digits and a letter": ("a.txt", lambda: "ann,lab," + "1" * 20_000 + "x,2\n"),
    "brackets, deeply nested": ("a.ptb", lambda: "(S " * MANY + "(A b)" + ")" * MANY),
    "CSV: a header of different names": ("a.csv", lambda: f"text,{','.join(map(str, range(MANY)))}\nw{',1' * MANY}\n"),
    "CSV: only a header": ("a.csv", lambda: ",".join(f"column{i}" for i in range(MANY)) + "\n"),
    "CSV: a header of equal names": ("a.csv", lambda: "item,text" + ",a" * MANY + "\nx,y\n"),
    "CSV: a header of delimiters": ("a.csv", lambda: "item,text" + ",;|\t" * MANY + "\nx,y\n"),
    "WebAnno with 70,000 layers": ("a.tsv", lambda: _webanno([f"a{i}" for i in range(70_000)])),
    "WebAnno with one layer 70,000 times": ("a.tsv", lambda: _webanno(["a"] * 70_000)),
    "settings: a.a.a...=1": ("caesura.toml", lambda: "a" + ".a" * MANY + "=1\n"),
    "settings: nested lists": ("caesura.toml", lambda: "symbols = " + "[" * MANY + "]" * MANY),
    "CSV with a control character before a number": ("a.csv", lambda: "a,b,\x1f1,2\n"),
    "text with a control character before a number": ("a.txt", lambda: "a,b,\x1f1,2\n"),
}
"""Description -> name and content of a file that is read or refused."""


def _webanno(layers: Sequence[str]) -> str:
    header = "".join(f"#T_SP={layer}|v\n" for layer in layers)
    return f"#FORMAT=WebAnno TSV 3.3\n{header}\n\n#Text=a b\n1-1\t0-1\ta" + "\t_" * len(layers) + "\n"


def _read(name: str, make: Callable[[], str], folder: Path) -> object:
    if name == "caesura.toml":
        (folder / name).write_text(make())
        return read_settings(folder / name)
    return read_text(folder, name, make())


for _description, _file in TEXTS.items():
    CASES[_description] = partial(_read, *_file)


def _write_parquet(folder: Path, columns: dict[str, Any], times: int, **options: Any) -> None:
    """Write the same rows many times; compression leaves a few KB."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    block = pa.table(columns)
    with pq.ParquetWriter(folder / "a.parquet", block.schema, compression="zstd", **options) as out:
        for _ in range(times):
            out.write_table(block)
    pa.default_memory_pool().release_unused()


def _write_rows(folder: Path) -> None:
    import pyarrow as pa

    items = pa.array(["x"] * 2**20).dictionary_encode()
    _write_parquet(folder, {"item": items, "ann": pa.array([0] * 2**20, pa.int8())}, 100)


def _write_lists(folder: Path) -> None:
    import numpy as np
    import pyarrow as pa

    lists = pa.ListArray.from_arrays(pa.array([0, 2**22], pa.int32()), pa.array(np.ones(2**22, np.int64)))
    _write_parquet(folder, {"item": ["x"], "length": [2**23], "reference": lists, "hypothesis": lists}, 12)


def _write_text(folder: Path) -> None:
    _write_parquet(folder, {"item": ["x" * 2**26] * 2, "ann": [0, 1]}, 4, use_dictionary=False)


@hard("Parquet of 1.3 KB with 10^8 rows", prepare=_write_rows)
@hard("Parquet documents of few KB with lists of 10^8 positions", prepare=_write_lists)
@hard("Parquet of few KB with a text of 10^9 characters", prepare=_write_text)
def _parquet(folder: Path) -> object:
    return cz.read(folder / "a.parquet")


# -- measures and agreement -------------------------------------------------------------------------------------------


def _long_texts(folder: Path) -> list[Any]:
    return list(read_text(folder, "a.json", json.dumps({"items": LONG})).of_item("x").values())


@hard("cochran_q on 10^8 units from 100 bytes")
def _cochran(folder: Path) -> object:
    return cz.cochran_q(_long_texts(folder))


@hard("percentage_agreement on 10^8 units from 100 bytes")
def _percentage(folder: Path) -> object:
    return cz.percentage_agreement(_long_texts(folder))


@hard("label_agreement on 10^8 units from 100 bytes")
def _labels(folder: Path) -> object:
    ann = cz.Segmentation.from_masses([10**8 - 1, 1], labels=["A", "B"])
    item = {"ann": ann, "bo": cz.Segmentation.from_masses([10**8], labels=["A"])}
    return cz.label_agreement(cz.Corpus({"x": item}))


@hard("agree on 10^8 units from 100 bytes")
def _agree_units(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": LONG}))
    return command("agree", path)


_REASONS = re.compile(r"more than [\d,]+|(?:needs|compares) labels|expected (?:a Hierarchy|a Tree|Spans)")
"""What a refusal says: a limit, or that a measure needs a different kind of annotation."""


def _value_or_reason(name: str, a: cz.Segmentation, b: cz.Segmentation) -> float | str:
    """Return the value of a measure, or why it refuses the texts."""
    try:
        return cz.parse(name).score(a, b).value
    except CaesuraError as error:
        return str(error)


@hard("every measure on 2 * 10^9 units from 100 bytes")
def _measures_units(folder: Path) -> object:
    a, b = cz.Segmentation.from_masses([2 * 10**9, 1]), cz.Segmentation.from_masses([2 * 10**9 - 1, 2])
    values = 0
    for name in cz.measures():
        value = _value_or_reason(name, a, b)
        if isinstance(value, str):
            assert _REASONS.search(value), f"{name} is refused without a limit: {value}"
        else:
            assert math.isfinite(value), f"{name}: {value}"
            values += 1
    assert values >= 10, values
    return "value"


@hard("unify of 2 x 3,000 spans that all cross")
def _all_crossing(folder: Path) -> object:
    number = 3_000
    a = cz.Hierarchy(4 * number, [(i, 2 * number + i) for i in range(1, 2)])
    b = cz.Hierarchy(4 * number, [(number - i + 1, number + i + 1) for i in range(1, number - 1)])
    c = cz.Hierarchy(4 * number, [(2 * number - i + 1, 2 * number + i + 1) for i in range(1, number - 1)])
    return cz.unify([a, b, c])


@hard("exact chance with 300 types")
def _exact(folder: Path) -> object:
    types = [f"t{i}" for i in range(300)]
    a = cz.Segmentation.from_marks([types[i] if i % 2 else "" for i in range(300)], types=types)
    b = cz.Segmentation.from_marks([types[-i] if i % 3 else "" for i in range(300)], types=types)
    corpus = cz.Corpus({"x": {"ann": a, "bo": b}})
    return cz.agreement(corpus, measure="flexible_similarity", coefficient="pi", chance=cz.Exact())


@hard("B with n_t = 10^6")
def _n_t(folder: Path) -> object:
    number = 100_000
    a = cz.Segmentation.from_masses([2] * number)
    b = cz.Segmentation.from_masses([1] + [2] * (number - 1) + [1])
    return cz.boundary_similarity(a, b, n_t=10**6)


@hard("flexible_similarity with wt = 1e-320")
def _denormal(folder: Path) -> object:
    a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([3, 2, 6])
    for option in ("weights", "wt", "transposition"):
        with suppress(CaesuraError):
            cz.parse(f"boundary_similarity({option}=1e-320)").score(a, b)
    return cz.boundary_similarity(a, b, wt=1e-320)


@hard("chance with 2^40 draws")
def _draws(folder: Path) -> object:
    a, b = cz.Segmentation.from_marks(["", ",", "", "."]), cz.Segmentation.from_marks([",", "", "", "."])
    corpus, chance = cz.Corpus({"x": {"ann": a, "bo": b}}), cz.Simulate(draws=2**40)
    return cz.agreement(corpus, measure="flexible_similarity", coefficient="pi", chance=chance)


# -- bad input --------------------------------------------------------------------------------------------------------


@hard('Label Studio with "source": []')
def _source(folder: Path) -> object:
    value = {"start": 0, "end": 4, "text": "aaaa", "labels": ["A"]}
    result = {"id": "r", "type": "labels", "from_name": "label", "to_name": [], "value": value, "source": []}
    annotations = [{"id": number, "completed_by": number, "result": [result]} for number in (0, 1)]
    data = [{"id": 0, "data": {"text": "aaaa bbbb"}, "annotations": annotations, "source": []}]
    return read_text(folder, "a.json", json.dumps(data))


@hard(".lab with times of 1.7e308")
def _lab(folder: Path) -> object:
    text = "-1.7e308 0 A\n0 1.7e308 B\n"
    with suppress(CaesuraError):
        read_text(folder, "a.lab", text)
    path = folder / "b.lab"
    path.write_text("0 1.6e308 A\n1.6e308 1.7e308 B\n")
    (folder / "c.lab").write_text("0 1.5e308 A\n1.5e308 1.7e308 B\n")
    for units in ("0.01", "union", "times"):
        with suppress(CaesuraError):
            cz.read(path, units=units)
        command("score", path, folder / "c.lab", "--reading", f"units={units}", codes=(1,))
    return command("agree", path, folder / "c.lab", codes=(1,))


@hard("brat with 50,000 fragments")
def _fragments(folder: Path) -> object:
    (folder / "a.txt").write_text("a " * 50_000)
    fragments = ";".join(f"{2 * i} {2 * i + 1}" for i in range(50_000))
    corpus = read_text(folder, "a.ann", f"T1\tPER {fragments}\t{' '.join(['a'] * 50_000)}\n", "brat")
    assert len(corpus) == 1
    return corpus


@hard("a 400-digit integer in a JSON line")
def _integer(folder: Path) -> object:
    good = '{"item": "y", "length": 5, "reference": [2], "hypothesis": [3]}\n'
    for field in ("length", "item", "reference", "hypothesis", "reference_types"):
        path = folder / "a.jsonl"
        document = {"item": "x", "length": 5, "reference": [2], "hypothesis": [3], field: 7}
        number = "[" + "9" * 400 + "]" if field not in ("length", "item") else "9" * 400
        path.write_text(good + json.dumps(document).replace(": 7", f": {number}") + "\n")
        with suppress(CaesuraError):
            cz.read(path)
        with suppress(CaesuraError):
            cz.evaluate(str(path), "pk")
        command("evaluate", path, codes=(0,) if field == "item" else (1,))
    return "value"


@hard("one bad JSON line of three")
def _bad_line(folder: Path) -> object:
    good = '{"item": "%s", "length": 5, "reference": [2], "hypothesis": [3]}\n'
    path = folder / "a.jsonl"
    huge, deep = '{"item": "x", "length": ' + "9" * 5_000 + "}", "[" * 100_000
    for bad in ("{", deep, huge, "\ud800", '{"length": NaN}', "3"):
        path.write_bytes((good % "a" + bad + "\n" + good % "b").encode("utf-8", "surrogatepass"))
        assert cz.evaluate(str(path), "pk", strict=False)["pk"].value > 0  # the two good lines
    return "value"


@hard("write(Corpus({}))")
def _empty(folder: Path) -> object:
    problems = []
    for suffix in ("csv", "tsv", "json", "jsonl", "parquet", "xlsx", "bits", "ptb", "TextGrid", "eaf", "rs3", "lab"):
        try:
            cz.write(cz.Corpus({}), folder / f"empty.{suffix}")
        except CaesuraError:
            continue
        except Exception as error:
            problems.append(f"{suffix}: {type(error).__name__}")
    assert not problems, problems
    return "refused"


def _start(arguments: Sequence[object], stdout: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "caesura", *map(str, arguments)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True)


@hard("commands to /dev/full")
def _full(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": SMALL}))
    problems = []
    for arguments in (["agree", path], ["measures"], ["--help"]):
        with open("/dev/full", "w") as full:
            process = _start(arguments, full)
        lines = [line for line in process.stderr.splitlines() if not line.startswith("read ")]
        if process.returncode == 0 or "Traceback" in process.stderr or not lines or "Exception" in process.stderr:
            problems.append(f"{arguments[0]}: {process.returncode} {process.stderr[-300:]!r}")
    assert not problems, problems
    return "refused"


@hard("commands to a closed pipe")
def _closed(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": SMALL}))
    problems = []
    for arguments in (["agree", path, "--json"], ["measures"], ["--help"], ["demo"]):
        reading, writing = os.pipe()
        os.close(reading)
        process = _start(arguments, writing)
        os.close(writing)
        if "Traceback" in process.stderr or "Exception" in process.stderr:
            problems.append(f"{arguments[0]}: {process.returncode} {process.stderr[-300:]!r}")
    assert not problems, problems
    return "refused"


@hard("agree -c alpha --json with an item of one unit")
def _one_unit(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": {"x": {"ann": [1], "bo": [1]}, "y": {"ann": [2, 3], "bo": [3, 2]}}}))

    def reject(word: str) -> object:
        raise AssertionError(f"not valid JSON: {word}")

    for coefficient in ("alpha", "multi_pi", "multi_kappa", "kappa", "pi", "s"):
        for name in cz.measures():
            process = CliRunner().invoke(main, ["agree", "--quiet", str(path), "-c", coefficient, "-m", name, "--json"])
            if process.exception is not None and not isinstance(process.exception, SystemExit):
                raise process.exception
            if process.stdout.strip():
                json.loads(process.stdout, parse_constant=reject)
    return "value"


@hard("cells over 131,072 characters")
def _cells(folder: Path) -> object:
    word = "w" * 140_000
    one, two = (cz.Segmentation.from_masses(masses, units=["a", word]) for masses in ([1, 1], [2]))
    corpus = cz.Corpus({"x": {"ann": one, "bo": two}})
    for name in ("a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx"):
        try:
            cz.write(corpus, folder / name)
        except CaesuraError:
            continue
        assert cz.read(folder / name) == corpus, name
    return "value"


@hard("masses JSON of 70 bytes: a table of 10^9 units is not written")
def _long_table(folder: Path) -> object:
    (folder / "a.json").write_text('{"items": {"x": {"a": [500000000, 500000000], "b": [400000000, 600000000]}}}')
    return command("convert", folder / "a.json", folder / "b.csv", codes=(1,))


@hard("brackets of 30 KB: 8 sentences of 250 words that zigzag")
def _zigzag(folder: Path) -> object:
    for name, first in (("a", 0), ("b", 1)):
        tree = "(T w)"
        for k in range(249):
            tree = f"(A {tree} (T w))" if (k + first) % 2 else f"(A (T w) {tree})"
        (folder / f"{name}.ptb").write_text(f"{tree}\n" * 8)
    return command("trees", folder / "a.ptb", folder / "b.ptb", codes=(0, 1))


def try_case(name: str, folder: Path) -> str:
    """Return how a case ended: ``"value"``, or ``"refused: ..."`` with the message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            CASES[name](folder)
        except CaesuraError as error:
            message = str(error)
            assert message.strip(), "an error without a word"
            assert "\n" not in message.strip(), f"a message of several lines: {message[:200]}"
            assert "has no option" not in message, f"the case does not test what it says: {message[:200]}"
            return f"refused: {message}"
    return "value"


def _prepare(case: Case) -> None:
    """Make the folder of a case, and its large files."""
    folder = case.folder / str(case.number)
    folder.mkdir(exist_ok=True)
    prepare = PREPARATIONS.get(list(CASES)[case.number])
    if prepare is not None:
        prepare(folder)


# Work is not refused for being long: half a minute and 2 GB are for small files that are valid and hard.
@attack("bad input", share=1, seconds=30, megabytes=2048, total=len(CASES), quick=len(CASES), prepare=_prepare)
def bad_input(case: Case) -> str:
    """Try the cases in turn."""
    return try_case(list(CASES)[case.number], case.folder / str(case.number)).partition(":")[0]
