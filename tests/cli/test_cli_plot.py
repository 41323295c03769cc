"""``caesura plot``, from arguments to files, and Markdown tables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

import caesura as cz
from caesura import plot
from caesura.data import stargazer
from caesura.tasks.figures import KINDS
from support.commands import invoke, run_command

Run = Callable[..., Result]
GOLD = "(S (NP (DT the) (NN man)) (VP (VBD ate)))\n" * 30
PREDICTED = "(S (NP (DT the)) (NN man) (VP (VBD ate)))\n" * 15 + "(S (NP (DT the) (NN man)) (VP (VBD ate)))\n" * 15
CTM = "".join(f"{i} 1 {t}.0 1.0 {word}\n" for i in range(1, 3) for t, word in enumerate(("the", "man", "ate")))
SPANS = {"a": cz.Hierarchy(4, [(1, 4), (1, 2)]), "b": cz.Hierarchy(4, [(1, 4), (2, 3)])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plot")
    readers = stargazer()
    cz.write(readers, folder / "readers.json")
    cz.write(readers.select(coders="13"), folder / "two.json")
    items = cz.Corpus({i: {"1": readers["stargazer", "1"], "2": readers["stargazer", "2"]} for i in ("x", "y")})
    cz.write(items, folder / "items.json")
    cz.write(cz.Corpus({"spans": SPANS}), folder / "spans.json")
    for name, text in (("gold.ptb", GOLD), ("predicted.ptb", PREDICTED), ("one.ptb", GOLD[:84]), ("one.ctm", CTM)):
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder)
    return lambda line, *words: run_command(f"plot {line}", *words)


TREES = ("gold.ptb", "predicted.ptb")
ARGUMENTS = {
    "pairwise": ("readers.json", "-m", "window_diff"),
    "segments": ("readers.json", "--item", "stargazer"),
    "items": ("items.json", "-m", "boundary_similarity", "-m", "pk"),
    "boundary_heat": ("readers.json", "--item", "stargazer"),
    "dendrogram": ("readers.json", "-c", "multi_kappa", "--title", "Who reads like whom"),
    "boundaries_per_coder": ("readers.json",),
    "precision_recall": ("readers.json", "--width", "5"),
    "systems": ("readers.json", "--system", "7", "--system", "6", "-m", "boundary_similarity", "--seed", "1"),
    "operations": ("two.json",),
    "clusters": ("readers.json", "--system", "7"),
    "gold": ("spans.json", "--method", "union"),
    "alignment": ("spans.json",),
    "tree_alignment": (*TREES, "--item", "3"),
    "perturbation": ("one.ptb", "--gold-times", "one.ctm", "--seed", "1"),
    "by_length": TREES,
    "correlation": (*TREES, "--seed", "1"),
}


def strings(path: Path) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.parse(path).iter() if node.tag.endswith("}text")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_writes_its_figure(run: Run, folder: Path, kind: str) -> None:
    result = run(kind, *ARGUMENTS[kind])
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1] == f"{kind}.svg"
    assert strings(folder / f"{kind}.svg")


def test_figure_equals_the_library_figure(run: Run, folder: Path) -> None:
    """The options set the measure, the coefficient, the item and the title."""
    run("dendrogram", *ARGUMENTS["dendrogram"], "-m", "segmentation_similarity(n_t=3)", "-o", "d.svg")
    clustering = cz.cluster_coders(stargazer(), "segmentation_similarity(n_t=3)", coefficient="multi_kappa")
    plot.save(plot.dendrogram(clustering, title="Who reads like whom"), folder / "mine.svg")
    assert (folder / "d.svg").read_bytes() == (folder / "mine.svg").read_bytes()


def test_options_of_figures(run: Run, folder: Path) -> None:
    """Convention and linkage of a dendrogram, level of a gold standard, and labels without functions."""
    run("dendrogram readers.json --compat fournier2013 --linkage single -o d.svg")
    measure = "boundary_similarity(n_t=2)"
    clustering = cz.cluster_coders(stargazer(), measure, compat="fournier2013", linkage="single")
    plot.save(plot.dendrogram(clustering), folder / "mine.svg")
    assert (folder / "d.svg").read_bytes() == (folder / "mine.svg").read_bytes()
    run("gold spans.json --method majority --level full -o g.svg")
    hierarchies = cz.read(folder / "spans.json").of_item(cz.read(folder / "spans.json").item_names[0])
    gold = cz.unify(hierarchies, method="majority", level="full")
    plot.save(plot.gold(gold, hierarchies), folder / "mine.svg")
    assert (folder / "g.svg").read_bytes() == (folder / "mine.svg").read_bytes()


def test_correlation_without_functions(run: Run, folder: Path) -> None:
    """With functions the labels of the parser never match; without them they always do, so that nothing varies."""
    gold = [f"(S (NP-SBJ {'(N a) ' * n}) (VP (V b)))" for n in range(1, 41)]
    parser = [line.replace("NP-SBJ", "NP" if n % 2 else "NP-TMP") for n, line in enumerate(gold)]
    (folder / "f.ptb").write_text("\n".join(gold) + "\n")
    (folder / "p.ptb").write_text("\n".join(parser) + "\n")
    assert "F1 is the same in all" in run("correlation f.ptb p.ptb").stderr
    assert "Struct-IoU is the same in all" in run("correlation f.ptb p.ptb --strip-functions").stderr


def test_asymmetric_measures_are_plotted_in_both_directions(run: Run, folder: Path) -> None:
    run("pairwise readers.json -m pk -o c.svg")
    assert {"reference", "hypothesis"} <= set(strings(folder / "c.svg"))


@pytest.mark.parametrize(("suffix", "magic"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_file_suffix_determines_the_format(run: Run, folder: Path, suffix: str, magic: bytes) -> None:
    assert run("boundaries_per_coder readers.json -o", f"x.{suffix}").exit_code == 0
    assert (folder / f"x.{suffix}").read_bytes().startswith(magic)


def test_list_shows_every_kind_with_its_required_input(run: Run) -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert all(f"kind {kind.name}\n" in result.output for kind in KINDS.values())
    assert "--gold-times" in result.output
    assert set(KINDS) == set(ARGUMENTS)
    assert all(callable(getattr(plot, name)) for name in KINDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "expected a kind; choose from pairwise, segments"),
        ("pie readers.json", "no kind 'pie'; choose from pairwise"),
        ("pairwise", "pairwise needs a corpus with several coders"),
        ("pairwise readers.json --system 7", "pairwise does not take --system; it takes --measure --item"),
        ("pairwise readers.json -m pk -m crisp", "pairwise shows one measure; got 2"),
        ("systems readers.json", "--system is required"),
        ("systems a.json b.json --system 7", "systems needs a corpus and --system; got 2 files"),
        ("clusters readers.json", "clusters shows one system; choose it with --system"),
        ("by_length gold.ptb", "expected two files of trees, gold and predicted; got one"),
        ("tree_alignment gold.ptb predicted.ptb --item 31", "the number of one sentence, from 1 to 30; got '31'"),
        ("tree_alignment gold.ptb predicted.ptb --item ²", "the number of one sentence, from 1 to 30; got '²'"),
    ],
)
def test_invalid_usage(run: Run, arguments: str, message: str) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pairwise", "no.json"), "no.json: cannot be read: No such file or directory"),
        (("pairwise", "readers.json", "-o", "x.gif"), "x.gif: the suffix must name the format: one of .svg"),
        (("pairwise", "readers.json", "-o", "no/x.svg"), "no/x.svg: cannot be written: No such file or directory"),
        (("pairwise", "readers.json", "--item", "no"), "the corpus has no item 'no'; it has 'stargazer'"),
        (("gold", "readers.json"), "item 'stargazer': gold needs spans"),
        (("clusters", "items.json", "--system", "2"), "the figure shows one item; choose it with --item: 'x', 'y'"),
        (("clusters", "readers.json", "--system", "7", "-m", "pk"), "clusters needs the measure fuzzy_success; got pk"),
        (("operations", "readers.json"), "the reference has several coders; choose one with --reference: '1', '2'"),
        (("pairwise", "gold.ptb"), "this figure shows segmentations or hierarchies; the files contain trees"),
        (("perturbation", "one.ptb"), "expected a tree with times"),
    ],
)
def test_invalid_input_prints_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("caesura: ")
    assert message in line


def test_invalid_sentences_are_listed_and_the_rest_are_plotted(run: Run, folder: Path) -> None:
    (folder / "bad.ptb").write_text(PREDICTED[:-2] + "\n")  # the last bracket is not closed
    result = run("by_length gold.ptb bad.ptb -o rest.svg")
    assert result.exit_code == 1
    assert "caesura: bad.ptb:30: " in result.stderr
    assert (folder / "rest.svg").exists()


def test_missing_matplotlib_error_says_how_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("pairwise readers.json")
    assert result.exit_code == 1
    assert result.stderr == "caesura: figures need matplotlib, which is not installed; pip install 'caesura[report]'\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("agree", "readers.json", "--pairs"),
        ("judge", "readers.json", "--system", "7", "--draws", "2", "--replicates", "100", "--seed", "1"),
        ("score", "two.json"),
        ("unify", "spans.json", "--why"),
        ("trees", *TREES),
        ("measures",),
    ],
)
def test_every_table_in_markdown(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Every row has as many cells as the header, for any cell content."""
    monkeypatch.chdir(folder)
    result = invoke([*arguments, "--markdown"])
    assert result.exit_code == 0, result.output
    width = 0
    rules = 0
    for line in result.stdout.splitlines():
        if line.startswith("|"):
            cells = line.replace(r"\|", "").count("|") - 1
            width = width or cells
            assert cells == width
            rules += set(line) <= set("|-:")
        else:
            width = 0
    assert rules
