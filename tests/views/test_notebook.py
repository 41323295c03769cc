"""Notebook output: valid HTML in which names are escaped."""

from __future__ import annotations

import subprocess
import sys
import warnings
from html.parser import HTMLParser
from typing import Any

import pytest

import caesura as cz
from caesura.data import stargazer
from caesura.tasks.plan import PlanOptions, plan
from caesura.tasks.reactions import ReactionOptions, reactions
from caesura.views.notebook import MAX_UNITS, to_html
from caesura.views.table import Table
from support.compared import compared

BAD = "<script>alert('x')</script>\"&\x07"
# A tag that caesura never writes. The control character is made visible.
SHOWN = "<script>alert('x')</script>\"&\ufffd"
EMPTY = {"line", "br", "rect"}


class Page(HTMLParser):
    """Collect text and tags. Every tag must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.cells: list[str] = []
        self.text = ""
        self.drawn: list[str] = []  # texts in drawings of rows
        self.bars = 0
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.open.append("img" if ("role", "img") in attrs else tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() in (tag, "img")

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        assert tag in EMPTY
        self.bars += tag == "rect"

    def handle_data(self, data: str) -> None:
        if "img" in self.open:
            self.drawn.append(data)
            return
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def page(value: Any) -> Page:
    text = value._repr_html_()
    assert isinstance(text, str)
    result = Page(text)
    assert "script" not in result.tags
    assert not [name for name in result.attributes if name.startswith("on")]
    return result


def test_segmentation_with_its_text() -> None:
    result = page(cz.Segmentation.from_positions(4, [2], units=["wir", BAD, "gehen", "heim"]))
    assert result.text == f"wir {SHOWN} | gehen heim"


def test_segmentation_with_types() -> None:
    two = cz.Segmentation.from_sets([set(), {BAD, "act"}], types=["act", BAD], units=list("abc"))
    assert page(two).text == f"a b {{act+{SHOWN}}} c"
    assert page(cz.Segmentation.from_masses([1, 2])).text == "·|··"


def test_long_text_is_cut() -> None:
    result = page(cz.Segmentation.from_positions(10_000_000, [3, 9_000_000]))
    assert result.text.count("·") == MAX_UNITS
    assert result.text.count("|") == 1
    assert result.text.endswith(f"… {10_000_000 - MAX_UNITS} units more")


def test_score_with_drawing_and_signature() -> None:
    a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 2, 7])
    score = cz.boundary_similarity(a, b)
    text = page(score).text
    assert text.startswith("B = 0.7500")
    assert "1 match, 1 transposition" in text
    assert "REF  ··|·· ·|······\nHYP  ··|··|· ······\n       =  < >" in text
    assert score.signature in text
    assert "REF" not in page(score + score).text  # two documents have no drawing


def test_score_with_types() -> None:
    a = cz.Segmentation.from_marks(["", ",", "", "", BAD, "."])
    b = cz.Segmentation.from_marks(["", "", ",", "", "?", "."])
    text = page(cz.flexible_similarity(a, b)).text
    assert "1 transposition, 1 substitution, 1 match" in text
    assert SHOWN in text
    sets = [cz.Segmentation.from_sets(s, types=["x", "y"]) for s in ([{"x", "y"}, set()], [{"x"}, {"y"}])]
    assert "{x+y}" in page(cz.boundary_similarity(*sets)).text
    talk = {"A": a, "B": b}
    assert "match" in page(cz.flexible_similarity(talk, talk)).text


@pytest.mark.parametrize(
    "name", [name for name, kind in cz.measures().items() if compared(kind) not in ("spans", "trees")]
)
def test_score_of_every_measure(name: str) -> None:
    first, second = (stargazer()["stargazer", reader] for reader in "13")
    if cz.parse(name).needs_labels:
        first, second = cz.Segmentation.from_labels("aabbb"), cz.Segmentation.from_labels("aaabb")
    score = cz.parse(name).score(first, second)
    text = page(score).text
    assert f"{score.measure.label} = {score.value:.4f}" in text
    for figure, value in score.figures.items():
        assert f"{figure} {value:.4f}" in text


def test_agreement() -> None:
    result = cz.agreement(stargazer())
    cells = page(result).cells
    assert cells[:5] == ["coefficient", "over", "value", "observed", "expected"]
    assert cells[5:10] == ["multi_pi", "B", *(f"{v:.4f}" for v in (result.value, result.observed, result.expected))]
    assert [cells[14 + 4 * i] for i in range(7)] == list("1234567")
    assert "positions" in page(cz.agreement(stargazer(), coefficient="alpha")).cells


def test_disagreements_and_pairs() -> None:
    corpus = cz.Corpus(
        {"<x>": {c: cz.Segmentation.from_masses(m) for c, m in {"a": [2, 3], "b": [5], "c": [5]}.items()}}
    )
    shown = to_html(cz.disagreements(corpus))
    assert "Three coders disagree at 1 place" in shown
    assert "&lt;x&gt;" in shown
    assert "<x>" not in shown
    assert shown.count("<td") == 6  # item, place, has, has not, kind, cost
    assert to_html(cz.pairwise(corpus, "boundary_similarity")).count("<tr>") == 4


def test_corpus_has_the_number_of_boundaries() -> None:
    cut = cz.Segmentation.from_masses
    corpus = cz.Corpus({BAD: {"a": cut([2, 3]), BAD: cut([5])}, "y": {"a": cz.Hierarchy(2, [(1, 2)])}})
    result = page(corpus)
    assert result.cells == ["item", "a", SHOWN, SHOWN, "1", "0", "y", "1 span", ""]
    assert result.tags.count("details") == 2
    assert result.drawn[:3] == ["a", SHOWN[:15] + "…", "0"]  # names of the rows, and the beginning of the axis
    assert result.bars == 2 + 1 + 1


def test_judgement() -> None:
    readers = stargazer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
        systems = {BAD: {"stargazer": readers["stargazer", "7"]}}
        judgement = cz.judge(readers.select(coders="123"), systems, measures="pk", seed=1, bounds=2)
    result = page(judgement)
    assert f"{judgement.row(BAD, 'pk').value:.4f}" == result.cells[result.cells.index(SHOWN) + 1]
    assert judgement.signature in result.text


def test_table() -> None:
    table = Table((BAD, "n"), (("x", 0.5), (BAD, None)), title=BAD, notes=(BAD,))
    result = page(table)
    assert result.cells == [SHOWN, "n", "x", "0.5000", SHOWN, ""]
    assert result.text.count(SHOWN) == 4
    many = page(Table(("i",), tuple((i,) for i in range(150))))
    assert len(many.cells) == 1 + 100 + 1
    assert many.cells[-1] == "… 50 more"


def test_tree_is_drawn_in_order() -> None:
    tree = cz.Tree.from_nested(("S", ("NP", ("DT", "the"), ("NN", BAD)), ("VP", "ate")))
    result = page(tree)
    cut = SHOWN[:15] + "…"
    assert result.tags.count("svg") == 1
    assert result.tags.count("text") == len(tree) + tree.length
    assert [text in result.text for text in ("SNPDTtheNN", cut, "VPate")] == [True] * 3


def test_very_large_tree_is_in_brackets() -> None:
    tree = cz.Tree.from_nested(("S", *(("N", "a"),) * 400))
    assert page(tree).text.startswith("(S (N a) (N a)")
    deep: Any = ("X", "a")
    for _ in range(2000):
        deep = ("X", deep)
    assert page(cz.Tree.from_nested(deep)).tags == ["pre"]


def test_the_renderer_is_imported_when_something_is_shown() -> None:
    code = (
        "import sys, caesura as cz\n"
        "value = cz.Segmentation.from_masses([1, 2])\n"
        "assert 'caesura.views.notebook' not in sys.modules\n"
        "assert '<code>·|··</code>' in value._repr_html_()\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-X", "utf8", "-c", code], check=True)


def test_model_works_without_a_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.model.hooks._renderer", None)
    assert cz.Segmentation.from_masses([1, 2])._repr_html_() is None


# -- drawings of annotations -------------------------------------------------------------------------------------------


def test_annotations_are_drawn() -> None:
    """One bar per segment, span or interval, with its label."""
    cut = cz.Segmentation.from_masses
    assert page(cut([2, 3, 6])).bars == 3
    talk = page(cz.Dialogue({"F": cut([1, 2]), BAD: cut([3])}))
    assert (talk.bars, talk.drawn[:2]) == (3, ["F", SHOWN[:15] + "…"])
    nested = page(cz.Hierarchy(8, [(1, 8, 1, "whole"), (1, 4, 2, BAD), (5, 8, 2)]))
    assert nested.bars == 3
    assert nested.drawn == ["whole", SHOWN, "0", "8"]
    tier = page(cz.Tier([(0.5, 1.25, "A"), (1.25, 2, BAD)], end=3))
    assert (tier.bars, tier.drawn[-2:]) == (2, ["0 s", "3 s"])
    crossing = cz.Spans([(0, 6, "x"), (4, 9, BAD)], length=10)
    assert page(crossing).bars == 2


def test_both_sides_of_a_score_are_drawn() -> None:
    score = cz.boundary_similarity(cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 9]))
    result = page(score)
    assert (result.bars, result.drawn) == (3 + 2, ["REF", "HYP", "0", "11"])


def test_gold_is_drawn() -> None:
    corpus = cz.Corpus(
        {"x": {c: cz.Segmentation.from_masses(m) for c, m in {"a": [2, 3], "b": [2, 3], "c": [5]}.items()}}
    )
    result = page(cz.gold(corpus))
    assert (result.bars, result.drawn[0]) == (2, "gold")


def test_a_drawing_of_too_many_bars_is_left_out() -> None:
    assert page(cz.Segmentation.from_masses([1] * 5000)).bars == 0


# -- results ------------------------------------------------------------------------------------------------------------


def hostile() -> cz.Corpus:
    masses = {BAD: [2, 3, 6], "b": [2, 9], "c": [5, 6]}
    return cz.Corpus({f"{BAD} {i}": {c: cz.Segmentation.from_masses(m) for c, m in masses.items()} for i in range(3)})


def spans() -> cz.Corpus:
    rows = {BAD: [(0, 4, BAD), (5, 9, "y")], "b": [(0, 5, BAD), (6, 9, "y")]}
    return cz.Corpus({BAD: {coder: cz.Spans(entries, length=10) for coder, entries in rows.items()}})


RESULTS: dict[str, Any] = {
    "clustering": lambda: cz.cluster_coders(hostile()),
    "heat": lambda: cz.boundary_heat(hostile())[0],
    "placed": lambda: cz.boundaries_placed(hostile()),
    "cochran": lambda: cz.cochran_q(hostile()),
    "scores": lambda: cz.score_many(
        [(cz.Segmentation.from_masses([2, 3]), cz.Segmentation.from_masses([5]))] * 2, "boundary_similarity"
    ),
    "curve": lambda: cz.boundary_curve(cz.Segmentation.from_masses([2, 3]), [0.1, 0.9, 0.2, 0.4]),
    "gamma": lambda: cz.agreement(spans(), coefficient="gamma", seed=1),
    "alpha": lambda: cz.agreement(spans(), coefficient="u_alpha"),
    "operations": lambda: cz.operations_table(
        [cz.boundary_similarity(*list(hostile().of_item(f"{BAD} 0").values())[:2])]
    ),
    "interval": lambda: cz.statistics.mean_interval([1.0, 2.0, 4.0]),
    "plan": lambda: plan(hostile(), PlanOptions(items=(5, 10), coders=(2, 3))),
    "reactions": lambda: reactions(options=ReactionOptions(measures=(cz.parse("B"), cz.parse("pk")))),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself(name: str) -> None:
    """Numbers and names are in cells or in a drawing, not in a ``repr``; the helper checks that names are escaped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
        result = RESULTS[name]()
    shown = page(result)
    assert shown.cells or shown.tags.count("pre")
    assert not shown.text.startswith(type(result).__name__ + "(")
