"""The page of ``cz.report``: its content for every kind of corpus, completeness and escaping."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import combinations, product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import plot
from caesura.cli import main
from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.model.result import Excluded
from caesura.progress import on_progress
from caesura.simulation import pseudo_coders
from caesura.tasks import report, report_subject
from caesura.views.page import build, sections
from caesura.views.page.build import page_scripts
from support.corpora import TALK, random_corpus
from support.examples import examples
from support.reported import Page, nested, parsed, plain, talk

KINDS = {"segmentations": plain, "dialogues": talk, "hierarchies": nested, "trees": parsed}
FIRST = ["items", "texts", "everything", "matrix-section"]  # what people look at first
SECTIONS = {
    "segmentations": ["agreement", "pairs", "coders", "heat", "precision-recall", "operations"],
    "dialogues": ["agreement", "pairs", "coders", "heat", "operations"],
    "hierarchies": ["agreement", "pairs", "coders", "heat", "precision-recall", "operations", "gold"],
    "trees": ["agreement", "pairs", "trees"],
}
SYSTEMS = {
    "segmentations": ("cy", ["systems", "clusters"]),
    "dialogues": ("bo", ["systems", "clusters"]),
    "hierarchies": ("third", ["systems", "clusters"]),
    "trees": ("parser", ["systems"]),
}


_draw = sections._draw


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Figures take most of the time, so only the tests of figures draw them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "_draw", lambda caption, *_, **__: sections.Picture(caption, "data:,"))
        yield


@pytest.fixture
def with_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_draw", _draw)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {kind: Page(cz.report(corpus())) for kind, corpus in KINDS.items()}


def section_ids(page: Page) -> list[str]:
    return [element["id"] or "" for element in page.of("section")]


# -- what stands in it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_sections_of_every_kind(pages: dict[str, Page], kind: str) -> None:
    page = pages[kind]
    assert section_ids(page) == [*FIRST, *SECTIONS[kind], "summary"]
    assert len(page.of("img")) >= len(SECTIONS[kind]) - 1  # agreement has none


@pytest.mark.slow
@pytest.mark.usefixtures("with_figures")
@pytest.mark.parametrize("kind", KINDS)
def test_programs_of_every_kind_with_all_figures(kind: str) -> None:
    name, more = SYSTEMS[kind]
    page = Page(cz.report(KINDS[kind](), systems=[name]))
    assert set(section_ids(page)) - {"excluded"} == {*FIRST, *SECTIONS[kind], *more, "summary"}
    assert "could not be drawn" not in page.text
    assert all(
        (element["src"] or "").startswith("data:image/svg+xml;base64,") and element["alt"] for element in page.of("img")
    )
    assert page.common["programs"] == [page.common["coders"].index(name)]


def test_programs_in_a_mapping_are_those_in_the_corpus() -> None:
    corpus = plain()
    people = corpus.select(coders=["ann", "bo"])
    inside = cz.report(corpus, systems=["cy"])
    assert cz.report(people, systems={"cy": corpus.of_coder("cy")}) == inside
    assert cz.report(people, systems=corpus.select(coders=["cy"])) == inside


def test_numbers_and_signatures_are_those_of_the_package(pages: dict[str, Page]) -> None:
    corpus = plain()
    with pytest.warns(CaesuraWarning, match="an interval from 2 items is too narrow") as warnings:
        result = cz.agreement(corpus, seed=0)
    assert str(warnings[0].message) in pages["segmentations"].text  # a reader of the page has to know that too
    assert f"{result.value:.4f}" in pages["segmentations"].text
    assert result.signature in pages["segmentations"].text
    assert cz.pairwise(corpus, "boundary_similarity(n_t=2)").signature in pages["segmentations"].text
    assert cz.cluster_coders(corpus, "boundary_similarity(n_t=2)").signature in pages["segmentations"].text
    exact = cz.agreement(talk(), measure="flexible_similarity", chance="exact")
    assert exact.signature in pages["dialogues"].text
    assert cz.unify(nested().of_item("figure 4")).signature in pages["hierarchies"].text  # type: ignore[arg-type]
    scores = cz.struct_iou_corpus(*([parsed()[item, coder] for item in "12"] for coder in ("gold", "parser")))  # type: ignore[list-item]
    assert scores.total.signature in pages["trees"].text


def test_parsers_have_gold_as_reference() -> None:
    """Recall refers to the brackets of the gold trees, whatever the order in the corpus."""
    by_hand = parsed()
    turned = cz.Corpus({item: dict(reversed(by_hand.of_item(item).items())) for item in by_hand.item_names})
    total = sum(cz.parseval(by_hand[item, "gold"], by_hand[item, "parser"]) for item in by_hand.item_names)  # type: ignore[arg-type, misc]
    (table,) = re.findall(r'<section id="systems".*?</section>', cz.report(turned, systems=["parser"]), re.S)
    (row,) = [row for row in re.findall("<tr>(<td.*?)</tr>", table) if "PARSEVAL F" in row]
    cells = re.findall("<td[^>]*>(.*?)</td>", row)
    assert cells[1:4] == ["parser", "gold", f"{total.value:.4f}"]
    assert f"{total.recall():.4f}" in cells
    assert f"{total.precision():.4f}" in cells


def test_the_requested_measure_is_used() -> None:
    page = Page(cz.report(plain(), measure="boundary_similarity(n_t=3)"))
    assert "boundary_similarity(n_t=3)" in page.text
    assert "segmentation_similarity" not in page.text
    windows = Page(cz.report(plain(), measure="window_diff"))  # which has no chance model, and aligns nothing
    assert "not corrected for chance" in windows.text
    assert "by boundary_similarity(n_t=2)" in windows.text


def test_one_coder_is_enough() -> None:
    excluded: list[Excluded] = []
    page = Page(cz.report(plain().select(coders=["ann"]), excluded=excluded))
    assert excluded == []
    assert "agreement needs at least two coders" in page.text
    assert page.item("moon")["edits"] == {}
    assert page.item("moon")["streams"][0]["marks"] == [[0, [1, 3, 4], [0, 0, 0]]]


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_a_coder_whose_spans_cannot_be_drawn() -> None:
    """Gamma compares spans of length 0; the pictures of an item cannot show them."""
    spans = {
        "ann": cz.Spans([(0.0, 2.5, "A"), (4.0, 4.0, "B")], seconds=True),
        "bo": cz.Spans([(0.0, 2.0, "A"), (3.5, 5.0, "B")], seconds=True),
        "cy": cz.Spans([(0.5, 2.5, "A"), (4.0, 5.0, "B")], seconds=True),
    }
    page = Page(cz.report(cz.Corpus({"talk": spans})))
    assert "a hierarchy needs spans that are longer than 0" in page.text
    assert [cell[:2] for cell in page.common["matrix"]["cells"]] == [[0, 1]]


def test_excluded_items_are_listed() -> None:
    corpus = plain()
    different = {"ann": cz.Segmentation.from_masses([3]), "bo": cz.Segmentation.from_masses([4])}
    tree = parsed()["1", "gold"]
    whole = cz.Corpus(
        {**{item: corpus.of_item(item) for item in corpus.item_names}, "odd": different, "tree": {"ann": tree}}
    )
    excluded: list[Excluded] = []
    page = Page(cz.report(whole, excluded=excluded))
    assert "excluded" in page.ids
    assert page.common["items"] == ["moon", "plain"]
    assert [entry.item for entry in excluded] == ["tree", "odd"]
    assert all(str(entry) in page.text for entry in excluded)


def test_parses_that_only_struct_iou_can_compare() -> None:
    trees = [cz.Tree.from_brackets(text) for text in ("(S (A a))", "(S (A a) (B b))")]
    excluded: list[Excluded] = []
    page = Page(cz.report(cz.Corpus({"1": dict(zip(("gold", "parser"), trees, strict=True))}), excluded=excluded))
    assert [entry.reason.split(":")[0] for entry in excluded] == ["no pairs under PARSEVAL F"]
    assert "mean Struct-IoU of pairs" in page.text


@pytest.mark.usefixtures("with_figures")
def test_the_same_corpus_makes_the_same_page() -> None:
    assert cz.report(plain(), seed=3) == cz.report(plain(), seed=3)


# -- the edits ------------------------------------------------------------------------------------------------------------


def test_edits_in_the_page_are_those_of_the_measure() -> None:
    corpus = random_corpus(5, items=6, coders="abcd", missing=0.15)
    page = Page(cz.report(corpus))
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        pairs = list(combinations([coder for coder in corpus.coders if coder in by_coder], 2))
        assert len(page.item(item)["edits"]) == len(pairs)
        for a, b in pairs:
            assert page.edits(item, a, b) == cz.boundary_similarity(by_coder[a], by_coder[b]).edits  # type: ignore[arg-type]


def test_edits_of_a_dialogue(pages: dict[str, Page]) -> None:
    by_coder = talk().of_item("talk")
    expected = cz.flexible_similarity(by_coder["ann"], by_coder["bo"]).edits  # type: ignore[arg-type]
    assert expected is not None
    assert {edit.kind for edit in expected} > {"match"}
    assert pages["dialogues"].edits("talk", "ann", "bo") == expected


def test_edits_of_hierarchies_are_over_levels(pages: dict[str, Page]) -> None:
    flat = cz.levels_as_types(nested())
    for a, b in combinations(flat.coders, 2):
        expected = cz.boundary_similarity(flat["figure 4", a], flat["figure 4", b]).edits  # type: ignore[arg-type]
        assert pages["hierarchies"].edits("figure 4", a, b) == expected


def test_aligned_nodes_of_trees(pages: dict[str, Page]) -> None:
    alignment = cz.struct_iou(parsed()["1", "gold"], parsed()["1", "parser"]).alignment  # type: ignore[arg-type]
    numbers = pages["trees"].item("1")["pairs"]["0-1"]
    expected = [(pair.gold, pair.predicted, pytest.approx(pair.iou, abs=5e-5)) for pair in alignment]
    assert list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)) == expected
    expected = [0, [[0, "S"], [1, "NP"], [2, "DT", "the"], [2, "NN", "man"], [1, "VP"], [2, "VBD", "ate"]]]
    assert pages["trees"].item("1")["trees"][0] == expected


def test_items_beyond_those_in_detail_are_only_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Page(cz.report(plain()))
    values = {whole.common["items"][number]: mean for number, mean, _ in whole.common["overview"]}
    (worst, _), (other, value) = sorted(values.items(), key=lambda entry: entry[1])
    monkeypatch.setattr(report, "MAX_ITEMS", 1)
    excluded: list[Excluded] = []
    page = Page(cz.report(plain(), excluded=excluded))
    assert (page.common["items"], page.common["others"]) == ([worst], [[other, value]])
    assert page.item(worst) == {**whole.item(worst), "edits": page.item(worst)["edits"]}
    assert page.edits(worst, "ann", "bo") == whole.edits(worst, "ann", "bo")
    assert "1 of 2 items are shown in detail, those with the least agreement" in page.text
    assert not excluded
    assert whole.common["others"] == []
    assert "shown in detail" not in whole.text
    # The numbers are those of all items.
    assert page.common["matrix"] == whole.common["matrix"]


def test_coders_beyond_those_in_detail_are_only_in_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_subject, "MAX_CODERS", 2)
    page = Page(cz.report(plain(), systems=["cy"]))
    (first, second) = page.item("moon")["streams"][0]["marks"]
    assert [page.common["coders"][number] for number, *_ in (first, second)] == ["ann", "cy"]
    assert len(page.item("moon")["edits"]) == 1
    assert "the figures of a page have space for 2 coders; got 3" in page.text
    assert len(page.common["matrix"]["cells"]) == 3


def test_a_text_too_long_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_UNITS", 5)
    excluded: list[Excluded] = []
    page = Page(cz.report(plain(), excluded=excluded))
    assert page.common["items"] == ["plain"]
    assert [name for name, _ in page.common["others"]] == ["moon"]
    assert excluded == [Excluded("moon", None, "the text is not shown: it has 6 units, above 5")]
    # A short file may declare a text that would fill the memory. It can still be compared.
    endless = {coder: cz.Segmentation.from_positions(2**31 - 1, [at]) for coder, at in (("ann", 5), ("bo", 6))}
    page = Page(cz.report(cz.Corpus({"endless": endless})))
    assert "the texts are too long to show" in page.text
    assert cz.agreement(cz.Corpus({"endless": endless})).signature in page.text


# -- one file, whole and harmless -------------------------------------------------------------------------------------------

EVIL = ("<script>ran = 1</script>", "</script><script>ran = 2</script>", "<!--", "a & b", "\u2028", "\"'>")


@pytest.fixture(scope="module")
def evil() -> str:
    def cut(at: list[int]) -> cz.Segmentation:
        return cz.Segmentation.from_positions(6, at, marks=["<b>bold</b>"] * len(at), types=["<b>bold</b>"], units=EVIL)

    corpus = cz.Corpus({"<script>ran = 3</script>": {"<i>ann</i>": cut([1, 4]), "bo\x00\ud800": cut([2, 4])}})
    return cz.report(corpus, title="</title><script>ran = 4</script>")


def test_text_is_never_markup(evil: str) -> None:
    page = Page(evil)
    assert [element.get("id") for element in page.of("script")] == ["common", "item-0", None]
    assert not any(page.of(tag) for tag in ("b", "i"))
    assert "ran = " not in page.scripts[None]
    (stream,) = page.item("<script>ran = 3</script>")["streams"]
    assert stream["units"] == [*EVIL[:4], " ", EVIL[5]]  # a separator of lines is shown as a space
    assert page.common["types"] == ["<b>bold</b>"]
    assert page.common["coders"] == ["<i>ann</i>", "bo\ufffd\ufffd"]
    assert "</title><script>ran = 4</script>" in page.text
    assert "\x00" not in evil
    evil.encode("utf-8")  # which half a surrogate pair cannot be


@examples(100)
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda values: st.lists(values) | st.dictionaries(st.text(), values)
    )
)
def test_embedded_data_cannot_end_its_block(data: object) -> None:
    text = build.embedded(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data


def test_content_security_policy(evil: str) -> None:
    (policy,) = [element["content"] for element in Page(evil).of("meta") if "http-equiv" in element]
    script = re.search(r"<script>(.*?)</script>", evil, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'none'; base-uri 'none'"
    )


def test_no_network_access(evil: str) -> None:
    names = {"http://www.w3.org/2000/svg"}  # of a kind of element; nobody goes there
    assert set(re.findall(r"https?://[^\s\"'<>]*", evil)) == names
    page = Page(evil)
    assert not any(page.of(tag) for tag in ("link", "iframe", "object", "embed", "base"))
    assert not any("src" in element for element in page.of("script"))
    assert not re.search(r"@import|url\(", page_style())
    assert all((element["href"] or "").startswith("#") for element in page.of("a"))


def test_ids_are_unique_and_references_exist(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert len(set(page.ids)) == len(page.ids)
        targets = {(element["href"] or "")[1:] for element in page.of("a")}
        targets |= {
            attributes["aria-labelledby"] or "" for _, attributes in page.tags if "aria-labelledby" in attributes
        }
        assert targets <= set(page.ids)
        assert set(re.findall(r'byId\("([a-z]+)"\)', page.scripts[None] or "")) <= set(page.ids)


@pytest.mark.usefixtures("with_figures")
@pytest.mark.slow
def test_twenty_items_of_ten_coders_are_below_three_megabytes() -> None:
    corpus = pseudo_coders([200] * 20, [5, 8, 12, 15], coders=10, near=0.1, miss=0.15, seed=1)
    words = [f"word{i}" for i in range(200)]
    texts = {
        item: {
            coder: cz.Segmentation.from_positions(200, segmentation.inner, units=words)
            for coder, segmentation in corpus.of_item(item).items()
        }  # type: ignore[union-attr]
        for item in corpus.item_names
    }
    assert len(cz.report(cz.Corpus(texts)).encode()) < 3_000_000


def page_style() -> str:
    return resources.files("caesura.views.page").joinpath("static/report.css").read_text(encoding="utf-8")


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_contrast_is_enough_in_light_and_dark() -> None:
    """AA: 4.5 to 1 for all text, on the page and in bands, and for the labels in blocks."""
    light, dark = (
        dict(re.findall(r"--([a-z]+[0-9]?): (#[0-9a-f]{6})", rules)) for rules in page_style().split("@media", 2)[:2]
    )
    blocks = {"block", "odd", "level0", "level1", "level2"}
    assert {name for name in light if not re.fullmatch("c[0-9]", name)} == set(dark) > blocks | {"paper", "band", "ink"}
    texts = set(dark) - blocks - {"paper", "band", "line"}
    for scheme in (light, dark):
        for name, ground in [*product(texts, ("paper", "band")), *product(["ink"], blocks)]:
            low, high = sorted((luminance(scheme[name]), luminance(scheme[ground])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground)


def test_items_are_ranked_by_human_coders() -> None:
    """The system is far from both coders on item "b" only; the coders themselves disagree on "a"."""
    cut = cz.Segmentation.from_positions
    items = {
        "a": {"ann": cut(9, [2, 6]), "bo": cut(9, [4]), "program": cut(9, [2, 6])},
        "b": {"ann": cut(9, [2]), "bo": cut(9, [2]), "program": cut(9, [5, 8])},
    }
    rows = Page(cz.report(cz.Corpus(items), systems=["program"])).common["overview"]
    assert [(row[0], row[1]) for row in rows] == [(0, 0.0), (1, 1.0)]


# -- what goes wrong ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("with_figures")
def test_a_figure_that_cannot_be_drawn_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OptionError("too <many> coders")

    monkeypatch.setattr(plot, "pairwise", refuse)
    page = Page(cz.report(plain()))
    assert "This figure could not be drawn: too <many> coders" in page.text
    assert section_ids(page) == [*FIRST, *SECTIONS["segmentations"], "summary"]


@pytest.mark.usefixtures("with_figures")
def test_a_bug_in_a_figure_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(plot, "pairwise", fail)
    with pytest.raises(ZeroDivisionError):
        cz.report(plain())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["ann", "bo", "cy"]}, "at least one coder must be human"),
        ({"systems": ["dan"]}, "no coder 'dan'"),
        ({"systems": "ann"}, "a mapping system -> item -> segmentation, or a Corpus; got 'ann'"),
        ({"systems": {"ann": {}}}, "system 'ann': a coder has the same name"),
        (
            {"systems": {"p": cz.Segmentation.from_masses([6])}},
            "system 'p': expected a mapping from items to segmentations",
        ),
        ({"measure": "struct_iou"}, "struct_iou cannot score segmentations; use pk, "),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_invalid_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        cz.report(plain(), **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_tiers_are_compared_in_seconds() -> None:
    """Kappa of time: observed 2/3; expected (1/3)(2/3) + (2/3)(1/3) = 4/9; so 2/5."""
    by_coder = {"ann": cz.Tier([(0, 1, "a"), (1, 3, "b")]), "bo": cz.Tier([(0, 2, "a"), (2, 3, "b")])}
    page = cz.report(cz.Corpus({"song": by_coder}))
    assert "kappa over label share = .40" in page
    assert "the units are the union of the coders" not in page
    with pytest.raises(OptionError, match="there is nothing to report"):
        cz.report(cz.Corpus({}))


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"needs matplotlib, .*pip install 'caesura\[report\]'"):
        cz.report(plain())
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    build.environment.cache_clear()
    with pytest.raises(OptionError, match=r"needs jinja2, .*pip install 'caesura\[report\]'"):
        cz.report(plain())


def test_progress_reaches_its_end() -> None:
    for kind, corpus in KINDS.items():
        for systems in (None, [SYSTEMS[kind][0]]):
            calls: list[tuple[float, int]] = []
            with on_progress(lambda done, total, calls=calls: calls.append((done, total))):
                cz.report(corpus(), systems=systems)
            steps = calls[-1][1]
            assert calls == sorted(calls)
            assert [call for call in calls if call[0] % 1 == 0] == [(done, steps) for done in range(1, steps + 1)]


# -- the command line -------------------------------------------------------------------------------------------------------

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    moon = plain().select(items=["plain"])
    cz.write(moon, "all.json")
    cz.write(moon.select(coders=["ann", "bo"]), "people.json")
    cz.write(moon.select(coders=["cy"]), "cy.json")

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(main, ["report", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return call


def test_file_is_written(run: Run) -> None:
    result = run("all.json", "-o", "page.html", "--title", "A <title>", "--system", "cy")
    assert (result.exit_code, result.stdout) == (0, "")
    assert re.fullmatch(r"wrote page\.html \(0\.\d\d MB\); open it in a browser", result.stderr.splitlines()[-1])
    page = Path("page.html").read_text(encoding="utf-8")
    assert page == cz.report(cz.read("all.json"), systems=["cy"], title="A <title>")
    assert f'<h1 dir="auto">{html.escape("A <title>")}</h1>' in page
    assert run("people.json", "-o", "other.html", "--title", "A <title>", "--system", "cy.json").exit_code == 0
    # The summary names the file, and nothing else differs.
    assert Path("other.html").read_text(encoding="utf-8").replace(">people.json<", ">all.json<") == page


def test_summary_names_files_without_folders_and_the_date(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    page = cz.report(cz.read(Path("all.json").resolve()))
    assert ">all.json<" in page
    assert str(Path.cwd()) not in page
    assert ">1970-01-02<" in page
    assert cz.read("all.json").fingerprint in Page(page).text


def test_errors_are_printed_with_exit_code_1(run: Run) -> None:
    Path("odd.json").write_text('{"items": {"a": {"x": [1, 2], "y": [2, 1]}, "b": {"x": [4], "y": [5]}}}')
    result = run("odd.json")
    assert result.exit_code == 1
    assert "caesura: item 'b': coders differ: 4 tokens for x and 5 for y\n" in result.stderr
    assert Path("report.html").exists()
    result = run("missing.json")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    result = run("all.json", "-o", "no/such/folder.html")
    message = "caesura: no/such/folder.html: cannot be written: No such file or directory"
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, message)
    with pytest.raises(FormatError):
        cz.report(plain(), path="no/such/folder.html")
    assert run().exit_code == 2


def test_settings_fill_in_flexible_similarity(run: Run) -> None:
    Path("talk.csv").write_text(TALK)
    Path("settings.json").write_text('{"normalize": "boundaries", "transposition": 0.25}')
    assert run("talk.csv", "--settings", "settings.json").exit_code == 0
    page = Page(Path("report.html").read_text(encoding="utf-8"))
    assert "transposition:0.25|normalize:boundaries" in page.text
    assert run("talk.csv", "--settings", "settings.json", "-m", "flexible_similarity").exit_code == 0
    page = Page(Path("report.html").read_text(encoding="utf-8"))
    assert "transposition:0.25" in page.text


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_downloads_have_no_formulas() -> None:
    script = page_scripts(live=False)[0]
    function = script[script.index("const quoted =") : script.index("const download =")]
    cells = '["=1+1", "+1", "-a", "@b", "\\tc", "-", -0.5, null, "a=1", "=a,b"]'
    command = ["node", "-e", f"{function} console.log(JSON.stringify({cells}.map(quoted)))"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = ["'=1+1", "'+1", "'-a", "'@b", "'\tc", "-", "-0.5", "", "a=1", '"\'=a,b"']
    assert json.loads(printed.stdout) == expected
