"""Pages of every kind of data in headless Chromium, at two widths and in two themes.

CAESURA_SCREENSHOTS keeps the pictures, which are made to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import caesura as cz
from support.browser import Browser, find_axe, open_browser
from support.reported import BESIDE, REAL, nested, parsed, plain, talk
from support.shared_data import DataFolder

LOOKS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
WORST = ("serious", "critical")


def timed() -> cz.Corpus:
    """Two coders in seconds.

    seconds  0      2.5    5            10
    ann      | intro | main | end       |
    bo       | intro  |   main          |
    """
    ann = cz.Tier([(0, 2.5, "intro"), (2.5, 5, "main"), (5, 10, "end")])
    bo = cz.Tier([(0, 2.6, "intro"), (2.6, 10, "main")])
    return cz.Corpus({"tape": {"ann": ann, "bo": bo}})


def long_names() -> cz.Corpus:
    """An item with a name of 500 characters, and a coder with bidirectional overrides in the name."""
    cut = cz.Segmentation.from_positions
    return cz.Corpus({"x" * 500: {"ann": cut(9, [2, 5]), "b\u202eo<b>": cut(9, [3])}})


SMALL = {make.__name__: make for make in (plain, talk, nested, timed, parsed, long_names)}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory) as browser:
        yield browser


def check_looks(browser: Browser, name: str) -> None:
    """Check an open page at both widths and in both themes: no message, no request, no sideways scrolling, no barrier."""
    page = browser.driver.current_url.partition("#")[0]
    try:
        for width, scheme in LOOKS:
            browser.look(width, scheme)
            assert not browser.scrolls_sideways, (width, scheme)
            browser.shoot(f"{name}-{width}-{scheme}-items", "items")
            browser.shoot(f"{name}-{width}-{scheme}")
        assert browser.errors() == []
        assert {url for url in browser.requests() if not url.startswith("data:")} == {page}
        assert browser.run("return [...document.images].every((one) => one.complete && one.naturalWidth > 0)")
        for width, scheme in ((1400, "light"), (390, "dark")):
            browser.look(width, scheme)
            assert [entry for entry in browser.barriers() if entry[0] in WORST] == [], (width, scheme)
    finally:
        browser.look_as_before()


@pytest.mark.skipif(find_axe() is None, reason="axe-core is not installed: npm install --prefix build axe-core")
def test_barriers_are_noticed(browser: Browser) -> None:
    browser.open("barriers", SMALL["plain"]())
    browser.run("document.body.append(document.createElement('button'))")  # a button without a name
    assert "button-name" in [rule for _, rule, _ in browser.barriers()]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_kind_of_data(browser: Browser, name: str) -> None:
    browser.open(name, SMALL[name]())
    check_looks(browser, name)


def check_corpus(browser: Browser, shared: DataFolder, name: str) -> None:
    corpus, systems = REAL[name](shared)
    browser.open(name, corpus, systems)
    browser.press("n")
    assert browser.focused()[0] != ""
    check_looks(browser, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REAL if name not in BESIDE])
def test_published_corpora(browser: Browser, shared: DataFolder, name: str) -> None:
    check_corpus(browser, shared, name)


@pytest.mark.slow
def test_corpora_that_may_not_ship(browser: Browser, shared: DataFolder, subtests: pytest.Subtests) -> None:
    assert (shared / "data/linear/kubla_khan_poem.txt").is_file()  # or skip
    for name in BESIDE:
        with subtests.test(name):
            check_corpus(browser, shared, name)


# -- the timeline -------------------------------------------------------------------------------------------------------


def bars(browser: Browser) -> list[list[float]]:
    """Return the relative start and width of every bar, and the top in pixels."""
    values: list[list[float]] = browser.run(
        "const svg = document.querySelector('#timeline svg'), width = Number(svg.getAttribute('width'));"
        "return [...svg.querySelectorAll('.block')].map((bar) => ['x', 'width', 'y'].map((name, i) =>"
        "  Number(bar.getAttribute(name)) / (i < 2 ? width : 1)))"
    )
    return values


def names(browser: Browser, kind: str) -> list[str]:
    values: list[str] = browser.run(
        f"return [...document.querySelectorAll('#timeline .names .{kind}')].map((one) => one.textContent)"
    )
    return values


def test_tiers_are_drawn_on_seconds(browser: Browser) -> None:
    browser.open("timed", timed())
    starts = [0, 0.25, 0.5, 0, 0.26]
    assert [start for start, _, _ in bars(browser)] == pytest.approx(starts)
    assert [width for _, width, _ in bars(browser)] == pytest.approx([0.25, 0.25, 0.5, 0.26, 0.74])
    ticks = browser.run("return [...document.querySelectorAll('.axis text')].map((one) => one.textContent)")
    assert ticks[-1] == "10 s"
    assert "2.5" in browser.column("ann (s)")
    browser.press("n")
    assert browser.focused()[1].startswith("near miss: ann at 2.5 s intro, bo at 2.6 s intro")
    assert browser.run("return document.querySelectorAll('#text .unit').length") == 0  # a stretch of time is no text


def test_hierarchies_are_nested_bars(browser: Browser) -> None:
    browser.open("nested", nested())
    # (1, 8) above (1, 2), (3, 6) and (7, 8) of the first coder, over 8 units
    first = bars(browser)[:4]
    assert [start for start, _, _ in first] == pytest.approx([0, 0, 2 / 8, 6 / 8])
    assert [width for _, width, _ in first] == pytest.approx([1, 2 / 8, 4 / 8, 2 / 8])
    tops = [top for _, _, top in first]
    assert tops[0] < tops[1] == tops[2] == tops[3]
    assert names(browser, "coder") == ["first", "second", "third"]


def test_a_dialogue_has_one_group_of_rows_per_speaker(browser: Browser) -> None:
    browser.open("talk", talk())
    assert names(browser, "heading") == ["F", "M"]
    assert names(browser, "coder") == ["ann", "bo", "ann", "bo"]


@pytest.mark.slow
def test_coders_can_be_switched_off(browser: Browser) -> None:
    browser.open("plain", plain())
    browser.run("document.querySelectorAll('#legend input')[1].click()")
    assert names(browser, "coder") == ["ann", "cy"]
    assert browser.status() == "bo hidden"
    browser.run("document.querySelectorAll('#legend input')[1].click()")
    assert names(browser, "coder") == ["ann", "bo", "cy"]


@pytest.mark.slow
def test_disagreements_are_filtered_by_kind_and_type(browser: Browser) -> None:
    browser.open("talk", talk())
    rows = "return [...document.querySelectorAll('#ranked tbody tr')].map((row) => row.cells[4].textContent)"
    every = browser.run(rows)
    browser.choose("kind", "only in the first")
    assert browser.run(rows) == [kind for kind in every if kind == "only in the first"] != []
    browser.choose("kind", "all kinds")
    browser.choose("type", ",")
    types = browser.run(
        "return [...document.querySelectorAll('#ranked tbody tr')].map((row) => row.cells[7].textContent + row.cells[8].textContent)"
    )
    assert types
    assert all("," in both for both in types)
