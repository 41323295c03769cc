"""Make the recorded files, or record some of their entries again.

cd tests; python -m characterisation.record commands --update agree
cd tests; python -m characterisation.record reads --update .eaf
cd tests; python -m characterisation.record commands          # all cases from nothing, as at commit 310cc087
cd tests; python -m characterisation.record reads reads.json  # what capture.py wrote
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.errors import CaesuraError

from .cases import encode, laid_out, load, run_command, run_read, save

ROOT = Path(__file__).parents[2]
Case = tuple[str, str]  # folder, command
LEFT_OUT = {"open", "demo", "report"}
NO_TABLES = {"convert", "plot"}
# Files that only stand for a limit, which a test lowers, would take too long.
MAX_SECONDS = 1.0
MAX_CHARACTERS = 200_000
MAX_SLOW = 4  # slow cases of one command on one file, after which its other cases are left out


def folders() -> dict[str, dict[str, Any]]:
    """Return the folders of files in which commands run: the examples, a sample of every format, and random corpora."""
    from cli.test_option_effects import FILES
    from support.fuzzing import SAMPLES

    made = {}
    for folder in sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir()):
        files = {str(path.relative_to(folder)): encode(path.read_bytes()) for path in files_below(folder)}
        made[folder.name] = files
    made["data"] |= FILES
    samples = ROOT / "tests" / "data" / "samples"
    for folder in sorted(path for path in samples.iterdir() if path.is_dir()):
        small = [path for path in files_below(folder) if path.stat().st_size < 40_000]
        made[f"samples {folder.name}"] = {str(path.relative_to(folder)): encode(path.read_bytes()) for path in small}
    for name, sample in SAMPLES.items():
        made[f"format {name}"] = {file: encode(content) for file, content in sample.files.items()}
    made["random"] = random_files(random.Random(310))
    return made


def files_below(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".py"]


def random_files(rng: random.Random) -> dict[str, str]:
    """Return small random corpora of every kind; some coders are missing on some items."""
    files: dict[str, str] = {}

    def positions(length: int) -> list[int]:
        # Coders keep most boundaries of the item, move some by one unit, and add some.
        kept = [place + rng.choice((0, 0, 0, 1)) for place in range(3, length - 1, 4) if rng.random() < 0.8]
        return sorted({*kept, rng.randrange(1, length)})

    def masses(length: int) -> list[int]:
        return [b - a for a, b in pairwise([0, *positions(length), length])]

    def marks(words: list[str]) -> cz.Segmentation:
        types = [",", ".", "?"]
        return cz.Segmentation.from_marks([rng.choice(["", "", "", *types]) for _ in words], types=types, units=words)

    def sets(words: list[str]) -> cz.Segmentation:
        types = ["act", "scene", "beat"]
        return cz.Segmentation.from_sets([set(rng.sample(types, rng.choice((0, 0, 1, 2)))) for _ in words[1:]], types)

    def labelled(words: list[str]) -> cz.Segmentation:
        parts = masses(len(words))
        return cz.Segmentation.from_masses(parts, labels=[f"L{i % 2}{rng.randrange(3)}" for i in range(len(parts))])

    def dialogue(words: list[str]) -> cz.Dialogue:
        return cz.Dialogue({"F": marks(words), "M": marks(words[:5])})

    def hierarchy(words: list[str]) -> cz.Hierarchy:
        cut, length = rng.randint(3, len(words) - 3), len(words)
        spans = [(1, length, 1, "A"), (1, cut, 2, rng.choice("bc")), (cut + 1, length, 2, rng.choice("bc"))]
        return cz.Hierarchy(length, [*spans, (1, rng.randint(1, cut - 1), 3, rng.choice("de"))])

    def spans(words: list[str]) -> cz.Spans:
        starts = [rng.randrange(len(words) - 3) for _ in range(rng.randint(1, 5))]
        return cz.Spans([(start, start + rng.randint(1, 3), rng.choice("xyz")) for start in starts], length=len(words))

    def timed_spans(words: list[str]) -> cz.Spans:
        starts = [round(rng.uniform(0, 17), 3) for _ in range(rng.randint(1, 5))]
        return cz.Spans([(start, start + 1.25, rng.choice("xyz")) for start in starts], length=20.0, seconds=True)

    def write(name: str, make: Any, form: str | None = None) -> None:
        annotations = {}
        for item in ("bay", "elm", "fog", "oak", "sun"):
            words = [f"w{rng.randrange(30)}" for _ in range(rng.randint(9, 17))]
            coders = ["ann", "bo", *(coder for coder in ("cy", "di") if rng.random() < 0.8)]
            annotations[item] = {coder: make(words) for coder in coders}
        with tempfile.TemporaryDirectory() as folder:
            cz.write(cz.Corpus(annotations), Path(folder, name), form)
            files[name] = Path(folder, name).read_text(encoding="utf8")

    write("plain.json", lambda words: cz.Segmentation.from_masses(masses(len(words))))
    write("sparse.json", lambda words: cz.Segmentation.from_positions(len(words), positions(len(words))[:1]))
    write("words.csv", lambda words: cz.Segmentation.from_masses(masses(len(words)), units=words))
    write("typed.csv", marks)
    write("sets.csv", sets)
    write("labelled.json", labelled, "masses-json")
    write("dialogue.csv", dialogue)
    write("hierarchy.json", hierarchy, "spans-json")
    write("spans.json", spans, "spans-json")
    write("spans.csv", spans, "spans-csv")
    write("timed_spans.json", timed_spans, "spans-json")
    for item in ("dew", "ice", "sky"):
        for coder in ("ann", "bo", "cy"):
            times = [0, *sorted({round(rng.uniform(1, 29), 2) for _ in range(rng.randint(3, 6))}), 30]
            lines = [f"{a}\t{b}\t{rng.choice(('verse', 'chorus', 'bridge'))}\n" for a, b in pairwise(times)]
            if (item, coder) != ("sky", "cy"):
                files[f"songs/{coder}/{item}.lab"] = "".join(lines)
    for name in ("gold", "one", "two"):
        files[f"{name}.ptb"] = "".join(f"{tree(rng, [f'w{i}' for i in range(2 + n % 6)])}\n" for n in range(12))
    rows = [f"{item},{i},{rng.random():.3f},{rng.randrange(2)}" for item in ("a", "b", "c") for i in range(1, 15)]
    files["scores.csv"] = "\n".join(["item,position,score,ann", *rows, ""])
    documents = [
        {"item": f"d{n}", "length": 20, "reference": positions(20), "hypothesis": positions(20)} for n in range(30)
    ]
    files["documents.jsonl"] = "".join(f"{json.dumps(document)}\n" for document in documents)
    return files


def tree(rng: random.Random, words: list[str]) -> str:
    """Return a random tree in brackets."""
    if len(words) == 1:
        return f"({rng.choice(('N', 'V'))} {words[0]})"
    cut = rng.randint(1, len(words) - 1)
    return f"({rng.choice(('S', 'NP', 'VP'))} {tree(rng, words[:cut])} {tree(rng, words[cut:])})"


def page_commands() -> Iterator[Case]:
    """Yield the commands of README and documentation."""
    from support.pages import Block, parse_page

    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        own = ROOT / "examples" / page.stem
        folder = page.stem if page.parent.name == "tutorials" and own.is_dir() else "data"
        for block in parse_page(page.read_text(encoding="utf8"), page.name):
            if isinstance(block, Block) and block.skip_reason is None and block.language in ("sh", "console"):
                for line in block.text.replace("\\\n", " ").splitlines():
                    command = line.removeprefix("$ ").split("#")[0].strip()
                    if command.startswith("caesura ") and not any(sign in command for sign in "|<>&"):
                        yield folder, command.removeprefix("caesura ")


def example_commands(files: dict[str, dict[str, Any]]) -> Iterator[Case]:
    """Yield every question about every example, sample and random corpus."""
    for folder, names in files.items():
        sources = sorted({name.split("/")[0] if folder != "recordings" else name.rsplit("/", 1)[0] for name in names})
        if folder.startswith("samples "):
            sources = sources[:6]
        for source in (shlex.quote(source) for source in sources):
            yield folder, f"info {source}"
            yield folder, f"agree {source}"
            if folder in ("data", "random"):
                for command in (
                    "score",
                    "disagreements",
                    "pairwise",
                    "gold",
                    "unify",
                    "plan",
                    "similarity",
                    "curve",
                    "evaluate",
                ):
                    yield folder, f"{command} {source}"
                for command in ("info", "agree", "score", "disagreements", "pairwise", "gold", "plan"):
                    yield folder, f"{command} {source} --csv"
                yield folder, f"agree {source} --details --clusters --cochran --heat"
    yield "recordings", "agree ann bo"
    yield "recordings", "score ann bo --items"
    yield "recordings", "disagreements ann bo"
    yield "spans", "agree ann bo"
    yield (
        "spans",
        "agree ann bo -c gamma -c gamma_cat -c gamma_k -c u_alpha -c bar_u_alpha -c cu_alpha -c ku_alpha -c alpha_u_2004",
    )
    yield "spans", "agree ann bo -m span_f -m token_f --chance li2024"
    yield "spans", "judge ann bo --system tagger"
    yield "segmenters", "judge people.json --system neural.json --system lexical.json --system baseline.json"


def option_commands() -> Iterator[Case]:
    """Yield every option of every command with a value that is not its default."""
    from cli.test_option_effects import CASES

    for command, option in CASES:
        yield "data", command
        yield "data", f"{command} {option}"


VALUES = {
    "window": (1, 3), "padded": (True,), "tolerance": (1, 2, "0.5s"), "min_distance": (2,), "n_t": (1, 3, 5),
    "transposition": ("printed", "unit", "te", 0.3), "substitution": ("printed", "unit"), "wt": (0.25,), "ws": (0.25,),
    "w_trp": (0.5,), "w_sub": (0.5,), "alignment": ("greedy",), "divisor": ("types_squared",), "denominator": ("errors",),
    "normalize": ("boundaries", "worst"), "algorithm": ("pardist",), "mover": ("b", "right"), "counting": ("segsimflex",),
    "chain_strength": (3,), "minimal_peak": (2,), "min_count": (2,), "alpha": (1.5,), "beta": (0.5, 2), "p_min": (0.2,),
    "p_max": (0.8,), "per_cluster": ("best",), "edges": ("ignore",), "level": (1, 2, "full"), "labelled": (False,),
    "cutoff": (3,), "unlabelled": (True,), "flexible_terminals": (True,), "threshold": (0.5,), "extent": ("union", "reference"),
    "gaps": ("ignore",), "over": ("segments", "labels"), "ties": ("all",), "direction": ("hypothesis", "mean"), "fill": (2,),
    "frame": (0.5,), "ends": ("start", "both"), "strict": (True,), "matching": ("nearest", "in_order", "ruptures", "mir_eval"),
    "empty": ("zero",), "statistic": ("mean",), "insertion": (0.5,), "deletion": (0.5,), "shift": (0.5,), "costs": ("bookstein",),
    "coefficient": ("kappa", "pi"), "tokenize": ("words",),
    "smooth": ("exp",), "average": ("items", "items_pr"), "references": ("each", "best", "union"),
    "labels": (False,), "chance": ("expected", "li2024"),
}  # fmt: skip


def measure_texts(name: str) -> list[str]:
    """Return a measure as it comes, under each preset, and with one other value of each option."""
    kind = cz.measures()[name]
    texts = [name, *(f"{name}(compat={preset})" for preset in kind.presets)]
    return texts + [
        f"{name}({option.name}={value})" for option in kind.options for value in VALUES.get(option.name, ())
    ]


def measure_commands(files: dict[str, Any]) -> Iterator[Case]:
    """Yield one command per measure and kind of data, with all its options and presets that are accepted."""
    sources = {name: f"score {name} --reference ann --hypothesis bo" for name in RANDOM}
    sources |= {"songs": "score songs/ann songs/bo", "gold.ptb": "score gold.ptb one.ptb"}
    kinds = {"dialogue.csv": "dialogue", "hierarchy.json": "hierarchy", "songs": "timed", "gold.ptb": "trees"}
    kinds |= {"spans.json": "spans", "timed_spans.json": "spans"}
    with laid_out(files):
        for source, command in sources.items():
            for name, kind in cz.measures().items():
                if kinds.get(source, "linear") not in kind.kinds:
                    continue
                accepted = []
                for text in measure_texts(name):
                    try:
                        cz.parse(text)
                    except CaesuraError:
                        continue
                    if run_command(shlex.split(f'{command} --json -m "{text}"'))["exit"] == 0:
                        accepted.append(text)
                    elif text == name or "compat" in text:
                        yield "random", f'{command} -m "{text}"'
                if accepted:
                    yield "random", f"{command} --items " + " ".join(f'-m "{text}"' for text in accepted)


RANDOM = ("plain.json", "sparse.json", "words.csv", "typed.csv", "sets.csv", "labelled.json", "dialogue.csv", "hierarchy.json",
          "spans.json", "timed_spans.json")  # fmt: skip


def coefficient_commands() -> Iterator[Case]:
    """Yield every coefficient and every measure on every kind of data, with other kinds of chance, intervals and tables."""
    from caesura.agreement.families import COEFFICIENTS

    agree = (
        *(f"-c {name}" for name in COEFFICIENTS),
        *(f"-m {name} --interval none" for name in cz.measures()),
        "--chance placement",
        "-m S_f -c kappa --chance simulate --draws 200",
        "-m S_f -c kappa --chance exact",
        "-m span_f --chance li2024",
        "-m S_f -c s_modified",
        "-m S -m S_f -c kappa -c pi -c s",
        "--interval coders",
        "--pairs",
        "--coders",
        "--categories",
        "--label-similarity",
        "--clusters",
        "--cochran",
        "--heat",
        "--group one=ann,bo --group two=bo,cy",
    )
    gold = ("median", "majority", "threshold --threshold 2", "cochran --alpha 0.5", "any", "all")
    unify = ("conflict_free_union", "majority", "consensus", "union", "best_annotator")
    for source in (*RANDOM, "songs"):
        for options in agree:
            yield "random", f"agree {source} --replicates 100 {options}"
        judge = f"judge {source} --replicates 100 --draws 50"
        for options in (
            "--json",
            "--csv",
            "--details --quiet",
            "--system cy --errors --list-errors",
            "--crisp",
            "--gold majority",
            "-m B -m S",
        ):
            yield "random", f"{judge} --system di {options}"
        yield "random", f"pairwise {source} -m F1 --ordered"
        yield "random", f"disagreements {source} --against ann"
        for method in (*gold, *unify):
            yield "random", f"gold {source} --method {method}"
        for suffix in (".csv", ".json", ".parquet", ".xlsx", ".TextGrid", ".tsv", ".eaf", ".bio", ".jsonl", ".srt"):
            yield "random", f"convert {source} out{suffix}"
    for source in ("hierarchy.json", "spans.json"):
        for method in unify:
            yield "random", f"unify {source} --method {method} --why"
            yield "random", f"unify {source} --method {method} --level full --evaluate"


def table_commands() -> Iterator[Case]:
    """Yield commands that print all their tables, so that a changed column is seen."""
    for folder, source in [
        *(("random", name) for name in (*RANDOM, "songs")),
        ("data", "people.json"),
        ("data", "annotators.json"),
    ]:
        for command in ("info", "agree", "disagreements", "pairwise", "gold", "unify", "plan"):
            yield folder, f"{command} {source} --details --quiet"
        yield folder, f"score {source} --reference ann --hypothesis bo --details --quiet"
    for options in ("--pairs", "--coders", "--heat", "--cochran", "--clusters", "--group a=ann,bo --group b=bo,cy"):
        yield "data", f"agree people.json {options} --details --quiet"
    for command in ("judge people.json --system mine.json", "judge people.json --system mine.json --errors --list-errors",
                    "judge people.json --system mine.json --crisp", "score reference.bits hypothesis.bits --items --edits --operations",
                    "score people.json --reference ann --hypothesis bo --chance", "gold people.json --kept --dropped",
                    "unify annotators.json --why --evaluate", "trees gold.ptb parser.ptb --by-sentence --labels",
                    "trees gold.ptb parser.ptb --versus gold.ptb", "curve scores.csv", "similarity talk.csv", "reactions -m B",
                    "evaluate documents.jsonl", "agree annotators.json --categories", "measures", "formats", "reproduce"):  # fmt: skip
        yield "data", f"{command} --details --quiet"


def other_commands() -> Iterator[Case]:
    """Yield figures, lists, papers, trees and signatures."""
    kinds = ["pairwise", "segments", "items", "boundary_heat", "dendrogram", "boundaries_per_coder", "precision_recall", "operations", "alignment", "correlation", "clusters", "gold", "systems", "timeline"]  # fmt: skip
    for kind in kinds:
        for source in ("people.json", "annotators.json"):
            system = " --system cy" if kind in ("systems", "clusters") else ""
            yield "data", f"plot {kind} {source}{system} -o x.svg"
    yield "data", "curve scores.csv --csv"
    yield "data", "score reference.bits hypothesis.bits --csv"
    yield "data", "score reference.bits hypothesis.bits --items --edits --operations --csv"
    yield "data", "trees gold.ptb parser.ptb --csv"
    yield "random", "trees gold.ptb one.ptb --versus two.ptb --by-sentence --labels"
    yield "random", "trees gold.ptb two.ptb --unlabelled --threshold 0.2"
    yield "data", "measures"
    yield "data", "formats"
    for name in cz.measures():
        yield "data", f"measures {name}"
    for name in cz.formats.formats():
        yield "data", f"formats {name}"
    yield "data", "reproduce"
    for name in ("fournier-2013-table-1", "carbone", "struct-iou-ambiguity"):
        yield "data", f"reproduce {name}"
    signature = "boundary_similarity|n_t:2|transposition:scaled|substitution:scaled|wt:0|ws:0|w_trp:1|w_sub:1|alignment:exact|types:1|caesura:0.2.0"
    yield "data", f"verify '{signature}' reference.bits hypothesis.bits"


REFUSED = """
score nothing.bits hypothesis.bits
score reference.bits
score reference.bits people.json
score reference.bits hypothesis.bits -m nothing
score reference.bits hypothesis.bits -m "pk(window=0)"
score reference.bits hypothesis.bits -m "pk(window=99)"
score reference.bits hypothesis.bits -m "pk(nothing=1)"
score reference.bits hypothesis.bits -m "pk(window=3"
score reference.bits hypothesis.bits -m "boundary_f(tolerance=0.5s)"
score reference.bits hypothesis.bits --compat nothing
score reference.bits hypothesis.bits -m t_measure
score people.json --reference nobody --hypothesis bo
score people.json --reference ann --hypothesis ann
score annotators.json -m B
score gold.ptb people.json
agree reference.bits
agree people.json -c nothing
agree people.json -c gamma
agree people.json -m boundary_f
agree people.json -m "B(n_t=0)"
agree people.json --replicates 0
agree people.json --level 1.5
agree people.json --interval nothing
agree people.json --chance exact
agree people.json --group a=ann+nobody
agree people.json --seed -1
agree matrix.toml
agree ann.csv bo.csv cy.csv nothing.csv
agree people.json --format nothing
agree people.json --format bits
agree people.json --fields nothing
agree people.json --reading nothing=1
agree talk.csv --settings people.json
disagreements people.json --against nobody
disagreements people.json --limit -1
gold people.json --method nothing
gold people.json --item nothing
gold people.json --threshold 99 --method threshold
unify people.json
unify crossing.json
judge people.json
judge people.json --system nobody.json
judge people.json --system ann --system bo --system cy
judge people.json --system mine.json --alpha 2
curve people.json
plan reference.bits
plan people.json --power 2
trees gold.ptb people.json
trees gold.ptb lines.ptb
verify nothing reference.bits hypothesis.bits
evaluate people.json
evaluate documents.jsonl -m nothing
convert people.json out.nothing
convert people.json out.ptb
convert annotators.json out.srt
plot nothing people.json -o x.svg
plot pairwise reference.bits -o x.svg
plot pairwise people.json -o x.nothing
measures nothing
formats nothing
reproduce nothing
nothing people.json
info nothing.json
info
agree --nothing people.json
"""


def all_cases(files: dict[str, dict[str, Any]]) -> list[Case]:
    """Return every case once, with ``--json`` if the command has it and prints nothing else."""
    from caesura.cli.program import COMMANDS

    measures = list(measure_commands(files["random"]))
    refused = [("data", line) for line in REFUSED.strip().splitlines()]
    listed = [
        *page_commands(),
        *example_commands(files),
        *option_commands(),
        *measures,
        *coefficient_commands(),
        *table_commands(),
    ]
    cases = {}
    for folder, command in [*listed, *other_commands(), *refused]:
        words = shlex.split(command)
        if words[0] not in {*COMMANDS, "nothing"} - LEFT_OUT or {"--engine", "--help", "--version"} & {*words}:
            continue
        plain = {
            "--json",
            "--csv",
            "--latex",
            "--markdown",
            "-o",
            "--output",
            "--plot",
            "--write",
            "--table",
            "--quiet",
        } & {*words}
        cases[folder, command if plain or words[0] in NO_TABLES else f"{command} --json"] = None
    return list(cases)


def record_commands() -> None:
    """Run all cases and write what they print."""
    files = folders()
    entries = []
    slow: Counter[tuple[str, ...]] = Counter()
    for folder, command in all_cases(files):
        began, subject = time.process_time(), (folder, *command.split()[:2])
        with laid_out(files[folder]):
            entry = {"folder": folder, "command": command, **run_command(shlex.split(command))}
        slow[subject] += time.process_time() - began > MAX_SECONDS / 2
        says_something = entry["rows"] or entry["drawn"] or entry["error"] or entry["exit"] > 0
        if says_something and slow[subject] <= MAX_SLOW:
            entries.append(entry)
    save("commands", {"recorded": "caesura 0.2.0, commit 310cc087", "folders": files, "cases": entries})
    print_counts()


def record_reads(captured: Path) -> None:
    """Read every captured file once more and write the results."""
    entries = []
    for entry in json.loads(captured.read_text(encoding="utf8")):
        with laid_out(entry["files"]) as folder:
            began = time.process_time()
            now = run_read(entry, folder)
        if time.process_time() - began < MAX_SECONDS and len(json.dumps(now["rows"])) < MAX_CHARACTERS:
            entries.append(entry | now)
    save("reads", {"recorded": "caesura 0.2.0, commit 310cc087", "cases": entries})
    print_counts()


def update(name: str, part: str) -> None:
    """Record again the entries whose command or file name contains a text, and list those that change."""
    data = load(name)
    for entry in data["cases"]:
        label = entry["command" if name == "commands" else "path"]
        if part in label:
            with laid_out(data["folders"][entry["folder"]] if name == "commands" else entry["files"]) as folder:
                now = run_command(shlex.split(label)) if name == "commands" else run_read(entry, folder)
            if any(entry[key] != value for key, value in now.items()):
                print(f"changed: {label}")
            entry |= now
    save(name, data)


def print_counts() -> None:
    """Print the number of cases by command, of rows, and of refusals."""
    for name in ("commands", "reads"):
        try:
            cases = load(name)["cases"]
        except FileNotFoundError:
            continue
        kinds = Counter(case["command"].split()[0] if name == "commands" else case["kind"] or "error" for case in cases)
        rows = sum(len(case["rows"]) + len(case.get("drawn", ())) for case in cases)
        print(
            f"{name}: {len(cases)} cases, {rows} rows, {sum(bool(case['error']) for case in cases)} refusals; {dict(kinds)}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["commands", "reads"])
    parser.add_argument("captured", nargs="?", type=Path)
    parser.add_argument("--update", metavar="TEXT")
    arguments = parser.parse_args()
    if arguments.update is not None:
        update(arguments.name, arguments.update)
    elif arguments.name == "commands":
        record_commands()
    else:
        record_reads(arguments.captured)
