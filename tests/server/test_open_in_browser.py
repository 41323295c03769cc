"""The live page in headless Chromium: parameters, scratch copies, sound, files that change, and hostile names."""

from __future__ import annotations

import json
import math
import os
import struct
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import caesura as cz
from caesura.tasks.workbench import Material, Workbench
from support.browser import Browser, open_browser

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install caesura[open]")

SECONDS = 20  # limit of waiting


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory) as opened:
        yield opened


@contextmanager
def served(browser: Browser, workbench: Workbench) -> Iterator[Any]:
    """Serve an open corpus, and show it in the browser."""
    import anyio

    from caesura.server.run import LocalServer

    assert anyio.open_file  # pytest rewrites modules at their import, which must not happen in two threads at once
    server = LocalServer(workbench)
    thread = Thread(target=server.run)
    thread.start()
    try:
        browser.errors()
        browser.driver.get_log("performance")
        browser.driver.get(server.address)
        yield server
    finally:
        browser.driver.get("about:blank")
        server.stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


def wait_for(browser: Browser, condition: str, *arguments: object) -> Any:
    """Wait until a condition of the page is true, and return its value."""
    end = time.monotonic() + SECONDS
    while not (value := browser.run(f"return {condition}", *arguments)):
        assert time.monotonic() < end, f"{condition}: {browser.run('return document.body.innerText')[:2000]}"
        time.sleep(0.03)
    return value


def text(browser: Browser, element: str) -> str:
    return str(browser.run("return document.getElementById(arguments[0]).textContent", element))


def set_option(browser: Browser, name: str, value: object) -> None:
    """Type a value into the field of an option, and wait for the new numbers."""
    browser.driver.set_script_timeout(SECONDS)
    browser.driver.execute_async_script(
        "const [name, value, done] = arguments;"
        "document.addEventListener('caesura:updated', () => done(), { once: true });"
        "const field = document.querySelector(`[data-option=${name}]`);"
        "field.value = value; field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change'))",
        name,
        value,
    )


#  ann ··|··|···|···   bo ··|···|····|·   cy ·|·········
POSITIONS = {"ann": [2, 4, 7], "bo": [2, 5, 9], "cy": [1]}
UNITS = [f"word{i}" for i in range(1, 11)]


def poem() -> cz.Corpus:
    cut = cz.Segmentation.from_positions
    return cz.Corpus(
        {
            "long": {coder: cut(10, at, units=UNITS) for coder, at in POSITIONS.items()},
            "short": {coder: cut(5, [at]) for coder, at in {"ann": 2, "bo": 2, "cy": 4}.items()},
        }
    )


@pytest.fixture(scope="module")
def opened(browser: Browser) -> Iterator[Browser]:
    with served(browser, Workbench(lambda: Material(poem()))):
        yield browser


@pytest.fixture
def live(opened: Browser) -> Browser:
    opened.driver.refresh()
    wait_for(opened, "window.caesura?.ask !== undefined && document.getElementById('pair').textContent !== ''")
    opened.errors()  # what came before is another test's
    return opened


MATCH, NEAR, FIRST, SECOND = 0, 1, 4, 5


def test_parameters_change_everything(live: Browser) -> None:
    live.choose("item", "long")
    live.choose("first", "ann")
    live.choose("second", "bo")
    assert live.marks() == [(MATCH, 2), (NEAR, 4), (NEAR, 5), (FIRST, 7), (SECOND, 9)]
    before = text(live, "headline")
    set_option(live, "n_t", 3)  # 7 and 9 are two positions apart, so they are a near miss now
    assert live.marks() == [(MATCH, 2), (NEAR, 4), (NEAR, 5), (NEAR, 7), (NEAR, 9)]
    assert text(live, "headline") != before
    value = cz.pairwise(poem(), "boundary_similarity(n_t=3)").rows[0].value
    assert live.run("return document.querySelector('#matrix button[data-pair=\"0-1\"]').textContent") == f"{value:.2f}"
    assert text(live, "aligner") == "boundary_similarity(n_t=3)"
    header = live.run("return document.getElementById('overview').tHead.rows[0].cells[1].textContent")
    assert header == "B(n_t=3)"
    means = {row.item: row.mean for row in cz.pairwise(poem(), "boundary_similarity(n_t=3)").items}
    rows = live.run(
        "return [...document.querySelectorAll('#overview tbody tr')].map((row) => "
        "[row.cells[0].textContent, row.cells[1].textContent])"
    )
    assert rows == [[item, f"{means[item]:.3f}"] for item in sorted(means, key=means.__getitem__)]
    # the edits of the other items come later; then the next disagreement may be in another item
    wait_for(live, "!document.getElementById('everything').classList.contains('busy')")
    live.choose("second", "cy")
    for _ in range(4):  # three in the first item
        live.press("n")
    assert live.status().startswith("near miss: ann at 2, cy at 4, 1 of 1 in short")
    assert live.errors() == []


def test_all_disagreements_follow(live: Browser) -> None:
    set_option(live, "n_t", 4)
    wait_for(live, "!document.getElementById('everything').classList.contains('busy')")
    live.run("document.getElementById('everything').scrollIntoView({ behavior: 'instant' })")
    items = poem()
    expected = sum(
        edit.kind != "match"
        for item in items.item_names
        for a, b in (("ann", "bo"), ("ann", "cy"), ("bo", "cy"))
        for edit in cz.boundary_similarity(items[item, a], items[item, b], n_t=4).edits
    )
    wait_for(live, "document.getElementById('total').textContent.startsWith(arguments[0])", f"{expected} disagreements")


def test_coders_in_and_out_and_errors_as_sentences(live: Browser) -> None:
    def toggle(coder: int) -> None:
        live.run(f"document.querySelector('#taking-part input[value=\"{coder}\"]').click()")

    toggle(2)
    wait_for(live, "document.querySelectorAll('#matrix button').length === 2")
    assert text(live, "headline").startswith("Two coders")
    toggle(1)
    wait_for(live, "!document.getElementById('live-error').hidden")
    assert text(live, "live-error") == "choose at least two coders, one of them a person"
    assert text(live, "headline").startswith("Two coders")  # the last numbers stay
    toggle(1)
    wait_for(live, "document.getElementById('live-error').hidden")
    assert [entry for entry in live.errors() if "400" not in entry["message"]] == []


def test_other_measures_and_their_options(live: Browser) -> None:
    live.choose("measure", "boundary_f")
    wait_for(live, "document.getElementById('overview').tHead.rows[0].cells[1].textContent.startsWith('F1')")
    set_option(live, "tolerance", 1)
    value = cz.pairwise(poem(), "boundary_f(tolerance=1)").rows[0].value
    assert live.run("return document.querySelector('#matrix button[data-pair=\"0-1\"]').textContent") == f"{value:.2f}"
    assert live.run("return document.querySelectorAll('#measure optgroup option').length") > 0


def scratch_values(browser: Browser) -> dict[str, tuple[str, str]]:
    rows = browser.run(
        "return [...document.querySelectorAll('#scratch-scores tbody tr')].map((row) => [...row.cells].map((x) => x.textContent))"
    )
    return {name: (before, after) for name, before, after, _ in rows}


def expected_values(positions: list[int]) -> dict[str, tuple[str, str]]:
    cut = cz.Segmentation.from_positions
    reference, own, scratch = (cut(10, at) for at in (POSITIONS["bo"], POSITIONS["ann"], positions))
    measures = {"B": cz.boundary_similarity, "S": cz.segmentation_similarity, "WD": cz.window_diff, "Pk": cz.pk}
    return {
        name: (f"{measure(reference, own).value:.4f}", f"{measure(reference, scratch).value:.4f}")
        for name, measure in measures.items()
    }


def wait_for_scores(browser: Browser, positions: list[int]) -> None:
    expected, end = expected_values(positions), time.monotonic() + SECONDS
    while scratch_values(browser) != expected:
        assert time.monotonic() < end, (scratch_values(browser), expected)
        time.sleep(0.03)


@pytest.mark.slow
def test_what_if(live: Browser) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    live.choose("item", "long")
    live.choose("first", "ann")
    live.choose("second", "bo")
    live.run("document.querySelector('#what-if summary').click()")
    wait_for_scores(live, [2, 4, 7])
    live.run("document.querySelectorAll('#scratch .handle')[1].focus()")
    live.press(Keys.ARROW_RIGHT)  # 4 becomes 5
    wait_for_scores(live, [2, 5, 7])
    assert live.run("return document.activeElement.getAttribute('aria-valuenow')") == "5"
    live.press(Keys.DELETE)
    wait_for_scores(live, [2, 7])
    # a click on the row adds a boundary; the row has a margin of 10 pixels
    live.run("document.getElementById('scratch').scrollIntoView({ block: 'center', behavior: 'instant' })")
    track = live.driver.find_element("css selector", "#scratch .track")
    width = live.run("return document.querySelector('#scratch svg').clientWidth")
    step = (width - 20) / 10
    ActionChains(live.driver).move_to_element_with_offset(track, int(4 * step), 0).click().perform()  # 5 + 4
    wait_for_scores(live, [2, 7, 9])
    handle = live.driver.find_elements("css selector", "#scratch .handle")[1]
    ActionChains(live.driver).drag_and_drop_by_offset(handle, round(-2 * step), 0).perform()
    wait_for_scores(live, [2, 5, 9])
    assert scratch_values(live)["B"][1] == "1.0000"  # the scratch copy is what bo has
    live.shoot("what-if")
    live.run("document.getElementById('scratch-reset').click()")
    wait_for_scores(live, [2, 4, 7])
    assert live.errors() == []


@pytest.mark.slow
def test_figures_come_when_they_are_seen(live: Browser) -> None:
    assert live.run("return document.querySelectorAll('#live-sections section').length") == 0
    live.run("document.getElementById('live-sections').scrollIntoView({ behavior: 'instant' })")
    wait_for(live, "document.querySelectorAll('#live-sections section').length > 3")
    assert live.run("return [...document.images].every((image) => image.alt !== '')")
    set_option(live, "n_t", 3)
    live.run("document.querySelector('#live-sections .stale button').click()")
    wait_for(live, "document.querySelectorAll('#live-sections .stale').length === 0")
    value = cz.agreement(poem(), "boundary_similarity(n_t=3)", interval=None).value
    facts = live.run("return document.querySelector('#summary .facts').innerText")
    assert f"{value:.4f}" in facts
    expected = {live.driver.current_url.split("/")[2]}
    assert {address.split("/")[2] for address in live.requests() if address.startswith("http")} == expected
    assert live.errors() == []


@pytest.mark.parametrize("width", [390, 1400])
def test_no_sideways_scrolling_and_no_barriers(live: Browser, width: int) -> None:
    live.run("document.querySelector('#what-if summary').click(); document.getElementById('more-options').open = true")
    wait_for(live, "document.querySelectorAll('#scratch .handle').length")
    try:
        for scheme in ("light", "dark"):
            live.look(width, scheme)
            live.shoot(f"open-{width}-{scheme}", "headline")
            live.shoot(f"open-texts-{width}-{scheme}", "texts")
            assert not live.scrolls_sideways
        serious = [entry for entry in live.barriers() if entry[0] in ("serious", "critical")]
        assert serious == []
    finally:
        live.look_as_before()


@pytest.mark.slow
def test_hostile_and_long_names(browser: Browser) -> None:
    evil = "<img src=x onerror=\"document.title = 'ran'\">\u202e</script><script>document.title = 'ran'</script>"
    name = (evil * 10)[:500]
    cut = cz.Segmentation.from_marks
    units = [evil] * 3
    people = {evil: cut(["", evil, "x"], units=units), "bo": cut(["x", "", evil], units=units)}
    corpus = cz.Corpus({name: {**people, "cy": cut(["", "x", "x"])}})
    with served(browser, Workbench(lambda: Material(corpus, ["cy"]), title="safe")):
        wait_for(browser, "document.getElementById('pair').textContent !== ''")
        browser.run("document.querySelector('#what-if summary').click()")
        wait_for(browser, "document.querySelectorAll('#scratch-scores tbody tr').length")
        set_option(browser, "n_t", 3)
        browser.run("document.getElementById('live-sections').scrollIntoView({ behavior: 'instant' })")
        wait_for(browser, "document.querySelectorAll('#live-sections section').length")
        browser.look(390, "light")
        try:
            assert not browser.scrolls_sideways
        finally:
            browser.look_as_before()
        assert browser.driver.title == "safe"
        assert browser.run("return [...document.images].every((image) => image.src.startsWith('data:'))")
        assert browser.errors() == []


@pytest.mark.slow
def test_files_that_change_and_a_server_that_ends(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text(json.dumps({"items": {"a": {"ann": [2, 3], "bo": [1, 4]}}}))

    def load() -> Material:
        return Material(cz.read(path), files=(str(path),))

    with served(browser, Workbench(load)) as server:
        wait_for(browser, "window.caesura?.look !== undefined")
        assert browser.run("return document.getElementById('changed').hidden")
        path.write_text(json.dumps({"items": {"a": {"ann": [2, 3], "bo": [2, 3]}}}))
        os.utime(path, ns=(1, 1))
        browser.run("window.caesura.look()")
        wait_for(browser, "!document.getElementById('changed').hidden")
        assert "people.json" in text(browser, "changed")
        browser.run("document.getElementById('reload').click()")
        wait_for(browser, "document.querySelector('#matrix button')?.textContent === '1.00'")
        path.write_text("{")
        browser.run("document.getElementById('changed').hidden = false; document.getElementById('reload').click()")
        wait_for(browser, "!document.getElementById('live-error').hidden")
        assert "people.json" in text(browser, "live-error")
        server.stop()
        time.sleep(0.5)
        browser.run("window.caesura.look()")
        wait_for(browser, "document.getElementById('live-error').textContent.includes('The server does not answer')")


@pytest.mark.slow
def test_sound(browser: Browser, tmp_path: Path) -> None:
    """The stretch around a disagreement of 3.0 and 3.4 s is played, with one second before and after."""
    with wave.open(str(tmp_path / "talk.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(struct.pack("<h", int(3000 * math.sin(i / 3))) for i in range(8 * 8000)))
    times = cz.Segmentation.from_times
    corpus = cz.Corpus(
        {
            "talk": {"ann": times([3.0, 6.0], duration=8.0), "bo": times([3.4, 6.0], duration=8.0)},
            "silent": {"ann": times([3.0], duration=8.0), "bo": times([4.0], duration=8.0)},
        }
    )
    workbench = Workbench(lambda: Material(corpus, files=(str(tmp_path / "x.TextGrid"),)))
    with served(browser, workbench):
        wait_for(browser, "document.getElementById('pair').textContent !== ''")
        browser.choose("item", "silent")
        wait_for(
            browser, "document.getElementById('sound-missing').textContent.startsWith('There is no sound for silent')"
        )
        browser.choose("item", "talk")
        wait_for(browser, "document.getElementById('sound-missing').textContent === 'Sound: talk.wav'")
        wait_for(browser, "document.getElementById('audio').duration > 7.9")
        browser.press("n")
        places = browser.run(
            "const page = window.caesura; return page.placesOfEdit(page.itemData(page.state.item), page.state.edits[page.state.current])"
        )
        browser.press("s")
        begin, end = min(place for place, _ in places) - 1, max(place for place, _ in places) + 1
        assert browser.run("return document.getElementById('sound').dataset.stretch") == f"{begin:.3f}-{end:.3f}"
        wait_for(browser, f"document.getElementById('audio').currentTime >= {begin}")
        wait_for(browser, "document.getElementById('audio').paused")
        stopped = browser.run("return document.getElementById('audio').currentTime")
        assert end <= stopped < end + 0.8
        browser.shoot("sound")
        assert [entry for entry in browser.errors() if "404" not in entry["message"]] == []
