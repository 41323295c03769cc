"""The report in headless Chromium: every control works."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator

import pytest

import caesura as cz
from support.browser import Browser, open_browser
from support.reported import parsed

CHINESE = list("床前明月光，疑是地上霜")
HEBREW = ["בראשית ברא אלהים את השמים ואת הארץ", "והארץ היתה תהו ובהו", "וחשך על פני תהום ורוח אלהים"]
EVIL = ["<script>document.title = 'ran'</script>", "<img src=x onerror=\"document.title = 'ran'\">", "</script>"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory) as browser:
        yield browser


@pytest.fixture
def poem(browser: Browser) -> Browser:
    """Three coders, two items.

    position  1 2 3 4 5 6 7 8 9         1 2 3 4
    ann       . | . | . . | . .         . | . .
    bo        . | . . | . . . |         . | . .
    cy        | . . . . . . . .         . . . |
    """
    units = [f"word{i}" for i in range(1, 11)]
    long = {"ann": [2, 4, 7], "bo": [2, 5, 9], "cy": [1]}
    short = {"ann": [2], "bo": [2], "cy": [4]}
    cut = cz.Segmentation.from_positions
    items = {
        "long": {coder: cut(10, at, units=units) for coder, at in long.items()},
        "short": {coder: cut(5, at) for coder, at in short.items()},
    }
    browser.open("poem", cz.Corpus(items))
    return browser


MATCH, NEAR, FIRST, SECOND = 0, 1, 4, 5


def test_choosing_two_coders_changes_the_marks(poem: Browser) -> None:
    #  ann |2 |4 |7   bo |2 |5 |9: 2 is a match, 4 and 5 a near miss, 7 and 9 are two apart, so each is unpaired
    assert poem.marks() == [(MATCH, 2), (NEAR, 4), (NEAR, 5), (FIRST, 7), (SECOND, 9)]
    assert poem.status() == "long: ann and bo, 3 of 4 edits are disagreements"
    shapes = poem.run("return [...document.querySelectorAll('.mark')].map((one) => one.textContent)")
    assert shapes == ["●", "◆", "◇", "▲", "▼"]
    poem.choose("second", "cy")  # |1: near to ann's 2
    assert poem.marks() == [(NEAR, 1), (NEAR, 2), (FIRST, 4), (FIRST, 7)]
    poem.press("x")
    assert poem.run("return document.getElementById('pair').textContent") == "long: cy and ann"
    assert poem.marks() == [(NEAR, 1), (NEAR, 2), (SECOND, 4), (SECOND, 7)]
    poem.choose("first", "ann")
    assert (poem.marks(), poem.status()) == ([], "choose two different coders")
    ticks = poem.run(
        "return [...document.querySelectorAll('.gap')].map((one) => [one.dataset.position, one.innerText])"
    )
    assert ticks == [["1", "3"], ["2", "12"], ["4", "1"], ["5", "2"], ["7", "1"], ["9", "2"]]  # everybody's boundaries


def test_next_and_previous_move_the_focus(poem: Browser) -> None:
    poem.press("n")
    assert poem.focused() == ("1", "near miss: ann at 4, bo at 5, 1 of 3 in long")
    poem.press("n")
    poem.press("n")
    assert poem.focused() == ("3", "only in the second: bo at 9, 3 of 3 in long")
    poem.press("p")
    assert poem.focused()[0] == "2"
    poem.choose("second", "cy")
    for _ in range(4):  # three in the first item, and on into the second
        poem.press("n")
    assert poem.focused() == ("0", "only in the first: ann at 2, 1 of 2 in short")
    poem.press("p")
    assert poem.focused() == ("2", "only in the first: ann at 7, 3 of 3 in long")
    poem.run("document.getElementById('next').click()")
    assert poem.focused()[1].endswith("1 of 2 in short")
    poem.press("]")
    assert poem.status().startswith("long: ")


def test_filter(poem: Browser) -> None:
    poem.run("document.querySelector('#kinds input[value=\"1\"]').click()")
    assert poem.marks() == [(MATCH, 2), (FIRST, 7), (SECOND, 9)]
    assert poem.column("kind") == ["match", "only in the first", "only in the second"]
    poem.press("n")
    assert poem.focused()[1] == "only in the first: ann at 7, 1 of 2 in long"
    assert poem.run("return document.getElementById('count').textContent") == "3 of 4 edits"


def test_sort_and_save(poem: Browser) -> None:
    assert poem.column("ann") == ["2", "4", "7", ""]
    sort = "[...document.querySelectorAll('#edits th button')].find((one) => one.textContent.startsWith('ann')).click()"
    poem.run(sort)
    poem.run(sort)
    assert poem.column("ann") == ["", "7", "4", "2"]
    assert poem.run("return [...document.querySelectorAll('#edits th[aria-sort=descending]')].length") == 1
    assert poem.status() == "sorted by ann, descending"
    poem.run("document.querySelector('#edits tbody tr:nth-child(2) .go').click()")
    assert poem.focused()[0] == "2"
    poem.run("document.getElementById('save').click()")
    saved = poem.folder / "edits.csv"
    for _ in range(100):
        if saved.exists() and saved.stat().st_size:
            break
        time.sleep(0.05)
    with saved.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["item", "kind", "ann", "bo", "cost", "text"],
        ["long", "only in the second", "", "9", "1", "word9 | word10"],
        ["long", "only in the first", "7", "", "1", "word7 | word8"],
        ["long", "near miss", "4", "5", "0.5", "word4 | word5"],
        ["long", "match", "2", "2", "0", "word2 | word3"],
    ]
    assert poem.errors() == []


def test_trees_are_side_by_side(browser: Browser) -> None:
    browser.open("trees", parsed(), ["parser"])
    rows = browser.run(
        "return [...document.querySelectorAll('.pair')].map((one) => one.innerText.split('\\n').map((x) => x.trim()))"
    )
    expected = ["S ● S", "NP ◆ 0.50 NP", "DT the ● DT the", "NN man ▲", "▼ JJ man", "VP ● VP", "VBD ate ● VBD ate"]
    assert [" ".join(filter(None, row)) for row in rows] == expected
    browser.press("x")
    assert browser.run("return document.querySelectorAll('.pair .k4').length") == 1
    assert browser.errors() == []


def test_text_that_looks_like_a_script_is_text(browser: Browser) -> None:
    cut = cz.Segmentation.from_positions
    name = EVIL[0]
    browser.open("evil", cz.Corpus({name: {"ann": cut(3, [1], units=EVIL), EVIL[1]: cut(3, [2], units=EVIL)}}))
    assert browser.driver.title == "evil"
    assert browser.run("return [...document.querySelectorAll('.unit')].map((one) => one.textContent)") == EVIL
    browser.press("n")
    assert browser.status().startswith(f"near miss: ann at 1, {EVIL[1]} at 2")
    assert browser.run("return document.querySelectorAll('#texts script, #texts img').length") == 0
    # Even an image that a script inserts is not requested.
    browser.run("const image = new Image(); image.src = 'https://example.org/x.png'; document.body.append(image)")
    assert any("Content Security Policy" in error["message"] for error in browser.errors())


@pytest.mark.slow
def test_other_writing_systems_dark_mode_and_print(browser: Browser) -> None:
    cut = cz.Segmentation.from_positions
    browser.open(
        "scripts",
        cz.Corpus(
            {
                "李白": {"甲": cut(11, [5], units=CHINESE), "乙": cut(11, [6], units=CHINESE)},
                "בראשית": {"甲": cut(3, [1], units=HEBREW), "乙": cut(3, [2], units=HEBREW)},
            }
        ),
    )
    text = "return document.querySelector('.units').innerText.replace(/[◆◇12]/g, '')"
    assert "".join(browser.run(text).split()) == "".join(CHINESE)
    gaps = browser.run(
        "return [...document.querySelectorAll('.unit')].map((one) => one.nextSibling?.textContent ?? '')"
    )
    assert " " not in gaps  # words of Chinese stand close
    browser.shoot("chinese")
    browser.press("]")
    assert browser.run("return getComputedStyle(document.querySelector('.units')).direction") == "rtl"
    browser.shoot("hebrew")
    ground = "return getComputedStyle(document.body).backgroundColor"
    emulate = browser.driver.execute_cdp_cmd
    light = browser.run(ground)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    emulate("Emulation.setEmulatedMedia", dark)
    assert browser.run(ground) != light
    browser.shoot("dark")
    emulate("Emulation.setEmulatedMedia", {"media": "print", **dark})
    assert browser.run(ground) == light  # paper is white
    assert browser.run("return getComputedStyle(document.querySelector('.choices')).display") == "none"
    browser.shoot("print")
    emulate("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert browser.errors() == []


def test_items_come_worst_first_and_can_be_searched(poem: Browser) -> None:
    names = poem.run("return [...document.querySelectorAll('#overview .open')].map((one) => one.textContent)")
    assert names == ["long", "short"]  # mean B of the pairs: (3/8 + 1/6 + 1/6) / 3 against (1 + 0 + 0) / 3
    poem.run("const box = document.getElementById('search'); box.value = 'LON'; box.dispatchEvent(new Event('input'))")
    shown = poem.run(
        "return [...document.querySelectorAll('#overview tbody tr')].filter((row) => !row.hidden)"
        ".map((row) => row.cells[0].textContent)"
    )
    assert shown == ["long"]
    assert poem.run("return document.getElementById('found').textContent") == "1 of 2 items"


def test_timeline_has_a_row_per_coder_and_a_block_per_segment(poem: Browser) -> None:
    poem.choose("item", "long")
    names = poem.run("return [...document.querySelectorAll('#timeline .names .coder')].map((one) => one.textContent)")
    assert names == ["ann", "bo", "cy"]
    blocks = poem.run("return document.querySelectorAll('#timeline .block').length")
    assert blocks == (3 + 1) + (3 + 1) + (1 + 1)
    # bo's second boundary, at 5 of 10 units, is in the middle of the axis
    middle = poem.run(
        "const svg = document.querySelector('#timeline svg');"
        "return [...svg.querySelectorAll('.edge')].map((line) => line.x1.baseVal.value / svg.clientWidth)"
    )
    assert any(abs(place - 0.5) < 1e-6 for place in middle)


def test_selecting_in_the_timeline_selects_in_the_text_and_back(poem: Browser) -> None:
    poem.choose("item", "long")
    poem.choose("first", "ann")
    poem.choose("second", "bo")
    poem.run(
        "const svg = document.querySelector('#timeline svg'), frame = svg.getBoundingClientRect();"
        "svg.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: frame.left + frame.width * 0.69,"
        " clientY: frame.top + 5 }))"
    )
    number, said = poem.focused()
    assert "ann at 7" in said
    assert poem.run("return document.querySelectorAll('#timeline .pointer').length") == 1
    # the next disagreement, chosen in the text, moves the pointer: bo at 9
    poem.press("n")
    place = poem.run(
        "const svg = document.querySelector('#timeline svg');"
        "return svg.querySelector('.pointer').x1.baseVal.value / svg.clientWidth"
    )
    assert place == pytest.approx(0.9)
    assert poem.focused()[0] != number


def test_a_cell_of_the_matrix_opens_the_pair(poem: Browser) -> None:
    poem.run("document.querySelector('#matrix button[data-pair=\"1-2\"]').click()")
    assert "bo and cy" in poem.run("return document.getElementById('pair').textContent")


def test_a_link_shows_the_same_place(poem: Browser) -> None:
    poem.choose("item", "long")
    poem.choose("first", "bo")
    poem.choose("second", "ann")
    poem.press("n")
    address, said = poem.driver.current_url, poem.status()
    assert "item=long" in address
    poem.driver.switch_to.new_window("tab")
    try:
        poem.driver.get(address)
        assert poem.status() == said
    finally:
        poem.driver.close()
        poem.driver.switch_to.window(poem.driver.window_handles[0])


@pytest.mark.slow
def test_all_disagreements_are_listed_and_saved_once(poem: Browser) -> None:
    """Pairs of the item "long": ann-bo one near miss and two others, ann-cy four, bo-cy four; of "short": 0, 2 and 2."""
    path = poem.folder / "disagreements.csv"
    path.unlink(missing_ok=True)
    poem.run("document.getElementById('save-all').click()")
    for _ in range(50):
        if path.exists():
            break
        time.sleep(0.1)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len({tuple(row.values()) for row in rows})
    assert [float(row["cost"]) for row in rows] == sorted((float(row["cost"]) for row in rows), reverse=True)
    score = cz.boundary_similarity
    cut = cz.Segmentation.from_positions
    texts = {"long": (10, [[2, 4, 7], [2, 5, 9], [1]]), "short": (5, [[2], [2], [4]])}
    expected = sum(
        edit.kind != "match"
        for length, coders in texts.values()
        for i in range(3)
        for j in range(i + 1, 3)
        for edit in score(cut(length, coders[i]), cut(length, coders[j])).edits
    )
    assert len(rows) == expected
    poem.run("document.querySelector('#ranked .go').click()")
    assert poem.focused()[0] != ""
