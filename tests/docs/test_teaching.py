"""The script of the teaching page computes the numbers of the package."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

import caesura as cz
from support.browser import Browser, open_browser

STATIC = Path(__file__).parents[2] / "docs" / "static"
UNITS, REFERENCE = 10, (3, 6)
MEASURES = {"B": "boundary_similarity", "S": "segmentation_similarity", "Pk": "pk", "WD": "window_diff"}

Pair = tuple[int, tuple[int, ...], tuple[int, ...]]


def every_pair() -> list[Pair]:
    """Every segmentation of the text against its reference, and random pairs of texts of other lengths."""
    places = range(1, UNITS)
    pairs: list[Pair] = [(UNITS, REFERENCE, hypothesis) for n in range(UNITS) for hypothesis in combinations(places, n)]
    random = Random(3)
    for _ in range(500):
        units = random.randint(4, 30)
        first, second = (random.sample(range(1, units), random.randint(0, units - 1)) for _ in range(2))
        pairs.append((units, tuple(sorted(first)), tuple(sorted(second))))
    return pairs


def script_scores(pairs: list[Pair]) -> list[dict[str, float]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    code = (
        f"const {{ scores }} = require({json.dumps(str(STATIC / 'teaching.js'))});"
        "const pairs = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(pairs.map((pair) => scores(...pair))));"
    )
    output = subprocess.run([node, "-e", code], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    values: list[dict[str, float]] = json.loads(output.stdout)
    return values


def test_measures_are_those_of_the_package() -> None:
    pairs = every_pair()
    assert len(pairs) == 2 ** (UNITS - 1) + 500
    values = script_scores(pairs)
    cut = cz.Segmentation.from_positions
    sides = [(cut(units, first), cut(units, second)) for units, first, second in pairs]
    for name, measure in MEASURES.items():
        expected = cz.score_many(sides, measure).values
        assert [row[name] for row in values] == pytest.approx(expected.tolist(), abs=1e-12), name


def test_chance_is_that_of_the_package() -> None:
    """Random placement with one probability for both sides, for every number of boundaries."""
    pairs: list[Pair] = [(UNITS, REFERENCE, tuple(range(1, n + 1))) for n in range(UNITS)]
    for (units, first, second), row in zip(pairs, script_scores(pairs), strict=True):
        cut = cz.Segmentation.from_positions
        corpus = cz.Corpus({"text": {"reference": cut(units, first), "yours": cut(units, second)}})
        for name in ("B", "S"):
            result = cz.agreement(corpus, name, coefficient="pi", chance="placement")
            assert row[f"chance {name}"] == pytest.approx(result.expected, abs=1e-12), (second, name)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory) as browser:
        browser.driver.get((STATIC / "teaching.html").as_uri())
        yield browser


def shown(browser: Browser) -> dict[str, Any]:
    values: list[tuple[str, str]] = browser.run(
        "return [...document.querySelectorAll('.value')].map((one) => [one.dataset.name, one.textContent])"
    )
    return {name: float(value) for name, value in values}


def grips(browser: Browser) -> list[int]:
    return [
        int(at) for at in browser.run("return [...document.querySelectorAll('.grip')].map((one) => one.dataset.at)")
    ]


def test_mouse_and_keyboard(browser: Browser) -> None:
    """Drag the boundary after sentence 2 to 3, move it on with an arrow key, and delete it."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    assert grips(browser) == [2, 6]
    assert shown(browser)["B"] == 0.75
    grip = browser.driver.find_element("css selector", ".grip")
    step = browser.run("return document.querySelector('svg .even').getBoundingClientRect().width / 3")
    ActionChains(browser.driver).drag_and_drop_by_offset(grip, int(step), 0).perform()
    assert grips(browser) == [3, 6]
    assert shown(browser)["B"] == 1
    assert shown(browser)["WD"] == 0
    browser.press(Keys.ARROW_RIGHT)
    assert grips(browser) == [4, 6]
    browser.press(Keys.DELETE)
    assert grips(browser) == [6]
    assert shown(browser)["B"] == 0.5
    browser.run("document.querySelector('button').click()")
    assert grips(browser) == [1, 6]
    assert browser.errors() == []


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (390, "dark")])
def test_page_has_no_barriers(browser: Browser, width: int, scheme: str) -> None:
    try:
        browser.look(width, scheme)
        assert not browser.scrolls_sideways
        assert browser.driver.save_screenshot(str(browser.shots / f"teaching-{width}-{scheme}.png"))
        assert [entry for entry in browser.barriers() if entry[0] in ("serious", "critical")] == []
    finally:
        browser.look_as_before()
