"""Inputs of at most 1 MB that once took seconds, minutes or gigabytes, or ended in an exception of another package.

Each case is a function of a folder. It returns a word for how it ended; a :class:`caesura.errors.CaesuraError` means that
the input was refused, and its message must be one line.
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
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import caesura as cz
from caesura.cli import main
from caesura.errors import CaesuraError

from .registry import Case, attack

Make = Callable[[Path], object]
CASES: dict[str, Make] = {}
"""Description -> the work, in the order of the table in ``docs/limits.md``."""


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


def masses(coders: int, items: int = 1, units: int = 20) -> dict[str, dict[str, list[int]]]:
    """Return masses of many coders that differ."""
    return {
        f"x{i}": {f"c{j}": [1 + (i + j) % (units - 1), units - 1 - (i + j) % (units - 1)] for j in range(coders)}
        for i in range(items)
    }


def corpus_of(masses: dict[str, dict[str, list[int]]]) -> cz.Corpus:
    """Return the corpus of masses."""
    return cz.Corpus(
        {
            item: {coder: cz.Segmentation.from_masses(m) for coder, m in coders.items()}
            for item, coders in masses.items()
        }
    )


# -- readers ----------------------------------------------------------------------------------------------------------


@hard("CSV of 20 KB: a cell of 20,000 digits and a letter")
def _digits(folder: Path) -> object:
    return read_text(folder, "a.csv", "ann,lab," + "1" * 20_000 + "x,2\n")


@hard("text of 20 KB: a cell of 20,000 digits and a letter")
def _digits_text(folder: Path) -> object:
    return read_text(folder, "a.txt", "ann,lab," + "1" * 20_000 + "x,2\n")


@hard("masses JSON of 1 MB: 70,000 coders")
def _coders(folder: Path) -> object:
    return read_text(folder, "a.json", json.dumps({"items": {"x": {f"c{i}": [1, 2] for i in range(70_000)}}}))


@hard("CSV of 276 KB: one type per row")
def _types(folder: Path) -> object:
    rows = "".join(f"x,{i},t{i}\n" for i in range(20_000))
    types = [f"t{i}" for i in range(20_000)]
    corpus = read_text(folder, "a.csv", "item,unit,ann\n" + rows, fields={"coders": ["ann"]}, types=types)
    assert [name for _, name in corpus["x", "ann"].boundaries] == types  # type: ignore[union-attr]
    return corpus


@hard("long CSV of 276 KB: one type per row")
def _types_long(folder: Path) -> object:
    rows = "".join(f"x,ann,{i},t{i}\n" for i in range(1, 18_000))
    return read_text(folder, "a.csv", "item,coder,unit,boundary\n" + rows)


@hard("documents of 276 KB: one type per boundary")
def _types_documents(folder: Path) -> object:
    positions = list(range(1, 16_000))
    document = {"item": "x", "length": 16_000, "reference": positions, "reference_types": [f"t{i}" for i in positions]}
    return read_text(folder, "a.jsonl", json.dumps({**document, "hypothesis": []}) + "\n")


@hard("CSV of 276 KB: a table of marks whose types are declared in every row")
def _types_declared(folder: Path) -> object:
    rows = "".join(f'x,F,{i},w,"[""t{i}""]",t{i},\n' for i in range(1, 9_000))
    return read_text(folder, "a.csv", "item,stream,unit,text,types,ann,bo\n" + rows)


@hard("brackets of 100 KB on one line")
def _brackets(folder: Path) -> object:
    return read_text(folder, "a.ptb", "(S (A b)) " * 10_000)


@hard("brackets of 1 MB on one line")
def _brackets_large(folder: Path) -> object:
    return read_text(folder, "a.ptb", "(S (A b)) " * 100_000)


@hard("brackets of 1 MB, nested")
def _brackets_nested(folder: Path) -> object:
    return read_text(folder, "a.ptb", "(S " * 160_000 + "(A b)" + ")" * 160_000)


@hard("spans CSV of 127 KB: one coder per row")
def _span_coders(folder: Path) -> object:
    return read_text(folder, "a.csv", "item,coder,start,end\n" + "".join(f"x,c{i},1,2\n" for i in range(10_000)))


@hard("spans CSV of 127 KB: one coder per row, with length")
def _span_coders_length(folder: Path) -> object:
    rows = "".join(f"x,c{i},1,2,3\n" for i in range(10_000))
    return read_text(folder, "a.csv", "item,coder,start,end,length\n" + rows, "spans-csv")


@hard("spans JSON of 1 MB: one coder per span")
def _span_coders_json(folder: Path) -> object:
    coders = {f"c{i}": [[1, 2, 1, "A"]] for i in range(36_000)}
    corpus = read_text(folder, "a.json", json.dumps({"items": {"x": {"length": 3, "coders": coders}}}))
    assert len(corpus.coders) == 36_000
    return corpus


def span_rows(items: int, label: Callable[[int], str]) -> str:
    """Return a CSV of three coders with two spans per item; the label of a span follows from its number."""
    rows = [
        f"x{i},c{coder},{start},{start + 5},{label(6 * i + 2 * coder + k)}\n"
        for i in range(items)
        for coder in range(3)
        for k, start in enumerate(((7 * i + 3 * coder) % 20, 25 + (11 * i + 5 * coder) % 20))
    ]
    return "item,coder,start,end,label\n" + "".join(rows)


@hard("agree on a spans CSV of 370 KB: 4,000 items, three coders")
def _span_items(folder: Path) -> object:
    path = folder / "a.csv"
    path.write_text(span_rows(4000, lambda number: "XY"[number % 2]))
    return command("agree", path)


@hard("agree on a spans CSV of 415 KB: one label per span")
def _span_labels(folder: Path) -> object:
    path = folder / "a.csv"
    path.write_text(span_rows(3500, lambda number: f"L{number}"))
    output = command("agree", path, codes=(0, 1))
    assert "the values of the 21,000 categories are left out" in output
    assert "u_alpha: " in output
    return output


@hard("WebAnno of 1 MB: 80,000 layers")
def _layers(folder: Path) -> object:
    layers = "".join(f"#T_SP=a{i}|v\n" for i in range(70_000))
    columns = "\t".join(["_"] * 70_000)
    return read_text(folder, "a.tsv", f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n#Text=a b\n1-1\t0-1\ta\t{columns}\n")


@hard("WebAnno of 1 MB: one layer 80,000 times")
def _same_layers(folder: Path) -> object:
    layers = "#T_SP=a|v\n" * 80_000
    columns = "\t".join(["_"] * 80_000)
    return read_text(folder, "a.tsv", f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n#Text=a b\n1-1\t0-1\ta\t{columns}\n")


@hard("CSV of 1 MB: 830 KB of header, different names")
def _header(folder: Path) -> object:
    names = ",".join(f"c{i}" for i in range(120_000))
    return read_text(folder, "a.csv", f"item,text,{names}\n" + f"x,w{',1' * 120_000}\n" + f"x,w{',0' * 120_000}\n")


@hard("CSV of 830 KB: only a header")
def _only_header(folder: Path) -> object:
    return read_text(folder, "a.csv", ",".join(f"column{i}" for i in range(70_000)) + "\n")


@hard("CSV of 830 KB: a header of equal names")
def _equal_header(folder: Path) -> object:
    return read_text(folder, "a.csv", "item,text," + ",".join(["a"] * 400_000) + "\nx,y\n")


@hard("CSV of 830 KB: a header of delimiters")
def _delimiters(folder: Path) -> object:
    return read_text(folder, "a.csv", "item,text" + ",;|\t" * 200_000 + "\nx,y\n")


@hard("TOML of 1 MB: a.a.a...=1")
def _dots(folder: Path) -> object:
    path = folder / "caesura.toml"
    path.write_text("a" + ".a" * 400_000 + "=1\n")
    from caesura.formats.settings import read_settings

    return read_settings(path)


@hard("TOML of 1 MB: nested lists")
def _nested_toml(folder: Path) -> object:
    path = folder / "caesura.toml"
    path.write_text("symbols = " + "[" * 500_000 + "]" * 500_000)
    from caesura.formats.settings import read_settings

    return read_settings(path)


@hard("TOML of 1 MB: one table per line")
def _tables_toml(folder: Path) -> object:
    path = folder / "caesura.toml"
    path.write_text("".join(f"[a{i}.b.c.d]\n" for i in range(60_000)))
    from caesura.formats.settings import read_settings

    return read_settings(path)


def label_studio(tasks: int, annotations: int, results: int, text: str = "aaaa bbbb") -> str:
    """Return an export of Label Studio."""
    return json.dumps(
        [
            {
                "id": t,
                "data": {"text": text},
                "annotations": [
                    {
                        "id": a,
                        "completed_by": a,
                        "result": [
                            {
                                "id": f"r{r}",
                                "type": "labels",
                                "from_name": "label",
                                "to_name": "text",
                                "value": {"start": 0, "end": 4, "text": "aaaa", "labels": ["A"]},
                            }
                            for r in range(results)
                        ],
                    }
                    for a in range(annotations)
                ],
            }
            for t in range(tasks)
        ]
    )


@hard("Label Studio of 916 KB: one annotation with many results")
def _studio_results(folder: Path) -> object:
    return read_text(folder, "a.json", label_studio(1, 1, 7_000))


@hard("Label Studio of 916 KB: many annotations")
def _studio_annotations(folder: Path) -> object:
    return read_text(folder, "a.json", label_studio(1, 5_000, 1))


@hard("Label Studio of 916 KB: many tasks")
def _studio_tasks(folder: Path) -> object:
    return read_text(folder, "a.json", label_studio(4_000, 1, 1))


@hard("Label Studio of 916 KB: a long text and many results")
def _studio_text(folder: Path) -> object:
    return read_text(folder, "a.json", label_studio(1, 1, 3_000, "aaaa " + "\U0001f600 b " * 100_000))


def _write_parquet_rows(folder: Path) -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "a.parquet"
    block = pa.table({"item": pa.array(["x"] * 2**20).dictionary_encode(), "ann": pa.array([0] * 2**20, pa.int8())})
    with pq.ParquetWriter(path, block.schema, compression="zstd") as out:
        for _ in range(100):
            out.write_table(block, row_group_size=2**20)
    return pa.default_memory_pool().release_unused()


@hard("Parquet of 1.3 KB with 10^8 rows", prepare=_write_parquet_rows)
def _parquet_rows(folder: Path) -> object:
    return cz.read(folder / "a.parquet")


def _write_parquet_lists(folder: Path) -> object:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "a.parquet"
    values = pa.array(np.ones(2**22, np.int64))
    lists = pa.ListArray.from_arrays(pa.array([0, 2**22], pa.int32()), values)
    block = pa.table({"item": ["x"], "length": [2**23], "reference": lists, "hypothesis": lists})
    with pq.ParquetWriter(path, block.schema, compression="zstd") as out:
        for _ in range(12):
            out.write_table(block)
    return pa.default_memory_pool().release_unused()


@hard("Parquet documents of few KB with lists of 10^8 positions", prepare=_write_parquet_lists)
def _parquet_lists(folder: Path) -> object:
    return cz.read(folder / "a.parquet")


def _write_parquet_text(folder: Path) -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "a.parquet"
    block = pa.table({"item": ["x" * 2**26] * 2, "ann": pa.array([0, 1], pa.int8())})
    with pq.ParquetWriter(path, block.schema, compression="zstd", use_dictionary=False) as out:
        for _ in range(4):
            out.write_table(block)
    return pa.default_memory_pool().release_unused()


@hard("Parquet of few KB with one text of 10^9 characters", prepare=_write_parquet_text)
def _parquet_text(folder: Path) -> object:
    return cz.read(folder / "a.parquet")


# -- measures and agreement -------------------------------------------------------------------------------------------


@hard("cochran_q on 10^8 units from 100 bytes")
def _cochran(folder: Path) -> object:
    corpus = read_text(folder, "a.json", json.dumps({"items": {"x": {"ann": [10**8 - 1, 1], "bo": [10**8 - 2, 2]}}}))
    return cz.cochran_q([corpus["x", "ann"], corpus["x", "bo"]])


@hard("percentage_agreement on 10^8 units from 100 bytes")
def _percentage(folder: Path) -> object:
    corpus = read_text(folder, "a.json", json.dumps({"items": {"x": {"ann": [10**8 - 1, 1], "bo": [10**8 - 2, 2]}}}))
    return cz.percentage_agreement([corpus["x", "ann"], corpus["x", "bo"]])


@hard("label_agreement on 10^8 units from 100 bytes")
def _labels(folder: Path) -> object:
    item = {
        "ann": cz.Segmentation.from_masses([10**8 - 1, 1], labels=["A", "B"]),
        "bo": cz.Segmentation.from_masses([10**8], labels=["A"]),
    }
    return cz.label_agreement(cz.Corpus({"x": item}))


@hard("agree on 10^8 units from 100 bytes")
def _agree_units(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": {"x": {"ann": [10**8 - 1, 1], "bo": [10**8 - 2, 2]}}}))
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


@hard("agreement of 1,000 coders")
def _thousand(folder: Path) -> object:
    return cz.agreement(corpus_of(masses(1_000)))


@hard("agree with 1,000 coders")
def _agree_thousand(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": masses(1_000)}))
    return command("agree", path, codes=(1,))


@hard("agreement of 30,000 coders")
def _many(folder: Path) -> object:
    return cz.agreement(corpus_of(masses(30_000)))


@hard("pairwise table of 2,000 coders")
def _pairwise(folder: Path) -> object:
    return cz.pairwise(corpus_of(masses(2_000)), "boundary_similarity")


@hard("clusters of 2,000 coders")
def _clusters(folder: Path) -> object:
    return cz.cluster_coders(corpus_of(masses(2_000)), "boundary_similarity")


@hard("clusters of 500 coders")
def _clusters_500(folder: Path) -> object:
    return cz.cluster_coders(corpus_of(masses(500)), "boundary_similarity")


@hard("report of 200 coders")
def _report_200(folder: Path) -> object:
    page = cz.report(corpus_of(masses(200, items=3)))
    assert "c199" in page
    return page


@hard("report of 500 coders")
def _report_500(folder: Path) -> object:
    page = cz.report(corpus_of(masses(500, items=3)))
    assert "c499" in page
    return page


@hard("disagreements of 500 coders")
def _disagreements(folder: Path) -> object:
    return cz.disagreements(corpus_of(masses(500)))


@hard("gold of 2,000 coders")
def _gold(folder: Path) -> object:
    return cz.gold(corpus_of(masses(2_000)))


@hard("unify of 2 x 30,000 crossing spans")
def _crossing(folder: Path) -> object:
    number = 30_000
    a = cz.Hierarchy(4 * number + 4, [(4 * i + 1, 4 * i + 2) for i in range(number)])
    b = cz.Hierarchy(4 * number + 4, [(4 * i + 2, 4 * i + 3) for i in range(number)])
    return cz.unify([a, b])


@hard("unify of 15,000 independent ties")
def _ties(folder: Path) -> object:
    number = 15_000
    a = cz.Hierarchy(4 * number + 4, [(4 * i + 1, 4 * i + 2) for i in range(number)])
    b = cz.Hierarchy(4 * number + 4, [(4 * i + 2, 4 * i + 3) for i in range(number)])
    return command_unify(folder, a, b)


def command_unify(folder: Path, *hierarchies: cz.Hierarchy) -> str:
    """Unify hierarchies on the command line."""
    path = folder / "spans.json"
    cz.write(cz.Corpus({"x": {f"c{i}": hierarchy for i, hierarchy in enumerate(hierarchies)}}), path)
    return command("unify", path, "-o", folder / "gold.json")


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
    return cz.agreement(
        cz.Corpus({"x": {"ann": a, "bo": b}}), measure="flexible_similarity", coefficient="pi", chance=cz.Exact()
    )


@hard("B with n_t = 10^6")
def _n_t(folder: Path) -> object:
    number = 100_000
    a = cz.Segmentation.from_masses([2] * number)
    b = cz.Segmentation.from_masses([1] + [2] * (number - 1) + [1])
    return cz.boundary_similarity(a, b, n_t=10**6)


@hard("window_diff with 10^6 boundaries and the largest window")
def _window(folder: Path) -> object:
    a = cz.Segmentation.from_masses([2] * 500_000)
    return cz.window_diff(a, cz.Segmentation.from_masses([1] + [2] * 499_999 + [1]), window=499_999)


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
    return cz.agreement(
        cz.Corpus({"x": {"ann": a, "bo": b}}),
        measure="flexible_similarity",
        coefficient="pi",
        chance=cz.Simulate(draws=2**40),
    )


# -- bad input --------------------------------------------------------------------------------------------------------


@hard("CSV with a control character before a number")
def _control(folder: Path) -> object:
    return read_text(folder, "a.csv", "a,b,\x1f1,2\n")


@hard("text with a control character before a number")
def _control_text(folder: Path) -> object:
    return read_text(folder, "a.txt", "a,b,\x1f1,2\n")


@hard('Label Studio with "source": []')
def _source(folder: Path) -> object:
    data = json.loads(label_studio(1, 2, 1))
    for annotation in data[0]["annotations"]:
        for result in annotation["result"]:
            result |= {"source": [], "to_name": []}
    data[0]["source"] = []
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
    for bad in (
        "{\n",
        "[" * 100_000 + "\n",
        '{"item": "x", "length": ' + "9" * 5_000 + "}\n",
        "\ud800\n",
        '{"length": NaN}\n',
        "3\n",
    ):
        path.write_bytes((good % "a" + bad + good % "b").encode("utf-8", "surrogatepass"))
        assert cz.evaluate(str(path), "pk", strict=False)["pk"].value > 0  # the two good lines
    return "value"


@hard("write(Corpus({}))")
def _empty(folder: Path) -> object:
    problems = []
    for suffix in (
        ".csv",
        ".tsv",
        ".json",
        ".jsonl",
        ".parquet",
        ".xlsx",
        ".bits",
        ".ptb",
        ".TextGrid",
        ".eaf",
        ".rs3",
        ".lab",
    ):
        try:
            cz.write(cz.Corpus({}), folder / f"empty{suffix}")
        except CaesuraError:
            continue
        except Exception as error:
            problems.append(f"{suffix}: {type(error).__name__}")
    assert not problems, problems
    return "refused"


@hard("commands to /dev/full")
def _full(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": masses(3, 3)}))
    problems = []
    for arguments in (["agree", path], ["measures"], ["--help"]):
        with open("/dev/full", "w") as full:
            process = subprocess.run(
                [sys.executable, "-m", "caesura", *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True
            )
        lines = [line for line in process.stderr.splitlines() if not line.startswith("read ")]
        if process.returncode == 0 or "Traceback" in process.stderr or not lines or "Exception" in process.stderr:
            problems.append(f"{arguments[0]}: {process.returncode} {process.stderr[-300:]!r}")
    assert not problems, problems
    return "refused"


@hard("commands to a closed pipe")
def _closed(folder: Path) -> object:
    path = folder / "a.json"
    path.write_text(json.dumps({"items": masses(3, 3)}))
    problems = []
    for arguments in (["agree", path, "--json"], ["measures"], ["--help"], ["demo"]):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.run(
            [sys.executable, "-m", "caesura", *map(str, arguments)], stdout=writing, stderr=subprocess.PIPE, text=True
        )
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
    corpus = cz.Corpus(
        {
            "x": {
                "ann": cz.Segmentation.from_masses([1, 1], units=["a", word]),
                "bo": cz.Segmentation.from_masses([2], units=["a", word]),
            }
        }
    )
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


@hard("brackets of 1 MB: 300 sentences of 250 words that zigzag")
def _zigzag(folder: Path) -> object:
    for name, first in (("a", 0), ("b", 1)):
        tree = "(T w)"
        for k in range(249):
            tree = f"(A {tree} (T w))" if (k + first) % 2 else f"(A (T w) {tree})"
        (folder / f"{name}.ptb").write_text(f"{tree}\n" * 300)
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


@attack("adversarial complexity and bad input", share=1, total=len(CASES), quick=len(CASES), prepare=_prepare)
def complexity(case: Case) -> str:
    """Try the cases in turn."""
    return try_case(list(CASES)[case.number], case.folder / str(case.number)).partition(":")[0]
