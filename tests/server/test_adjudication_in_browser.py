"""Adjudication by keyboard in headless Chromium, with a real server that is killed in between."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from support.browser import Browser, open_browser

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install caesura[open]")
PLACES = 50
ENTER, ESCAPE, RIGHT = "\ue007", "\ue00c", "\ue014"

# Place i is at position 4 (i + 1). Only ann marks places 0, 3, 6 ...; only bo 1, 4, 7 ...; ann and bo 2, 5, 8 ...; cy none.
OWNERS = (("ann",), ("bo",), ("ann", "bo"))


def positions(coder: str) -> list[int]:
    return [4 * (i + 1) for i in range(PLACES) if coder in OWNERS[i % 3]]


def decided() -> list[int]:
    """Return the gold standard if the keys 1 (ann), 2 (bo), m and 0 are pressed in turn."""
    rules = (lambda own: "ann" in own, lambda own: "bo" in own, lambda own: len(own) == 2, lambda own: False)
    return [4 * (i + 1) for i in range(PLACES) if rules[i % 4](OWNERS[i % 3])]


def write_corpus(path: Path) -> None:
    length = 4 * (PLACES + 1)
    units = [f"<b>{i}</b>" if i % 7 == 0 else f"word{i}" for i in range(length)]
    coders = {
        coder: cz.Segmentation.from_positions(length, positions(coder), units=units) for coder in ("ann", "bo", "cy")
    }
    cz.write(cz.Corpus({"chapter <i>1</i>": coders}), path)  # type: ignore[dict-item]


@contextmanager
def serving(path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run ``caesura open`` and yield its address and its process."""
    command = [sys.executable, "-m", "caesura", "open", str(path), "--no-browser", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if match := re.search(r"http://127\.0\.0\.1:\d+/\S+", line):
                yield match.group(), process
                break
        else:
            raise AssertionError("the server printed no address")
    finally:
        process.kill()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


class Tab:
    """A page in the browser; counts the keys that are pressed."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.driver = browser.driver
        self.run = browser.run
        self.keys = 0

    def open(self, address: str) -> None:
        self.driver.get("about:blank")
        self.browser.errors()  # of a page whose server was killed
        self.driver.get(address)
        self.until("return document.getElementById('adj-start') !== null")

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        self.keys += len(keys)
        ActionChains(self.driver).send_keys(*keys).perform()

    def until(self, condition: str, *arguments: object, seconds: float = 15) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run(condition, *arguments):
                return value
            time.sleep(0.01)
        raise AssertionError(f"not in time: {condition}; {self.text('adjudicate')[:2000]}")

    def text(self, id: str) -> str:
        return str(self.run("return document.getElementById(arguments[0]).textContent", id))

    def start(self, name: str) -> None:
        self.press("a")
        self.until("return document.activeElement.id === 'adj-name'")
        self.press(*name, ENTER)
        assert self.run("return document.activeElement.id") == "adj-card"

    def decide(self, key: str) -> None:
        before = self.text("adj-progress")
        self.press(key)
        self.until("return document.getElementById('adj-progress').textContent !== arguments[0]", before)

    def shoot(self, name: str, width: int = 1400, scheme: str = "light") -> None:
        self.browser.look(width, scheme)
        self.browser.shoot(f"{name}-{width}-{scheme}", "adjudicate")
        assert not self.browser.scrolls_sideways
        self.browser.look_as_before()

    def messages(self) -> list[Any]:
        """Return the messages of the console, without the refusals that the panel shows as a sentence."""
        return [entry for entry in self.browser.errors() if "409" not in entry["message"]]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with open_browser(tmp_path_factory) as browser:
        yield Tab(browser)


@pytest.mark.slow
def test_50_places_are_decided_and_exported_by_keyboard(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "novel.csv"
    write_corpus(path)
    tab.keys = 0
    with serving(path) as (address, process):
        tab.open(address)
        tab.start("mk")
        tab.shoot("adjudicate")
        tab.shoot("adjudicate", 390, "dark")
        for i in range(PLACES):
            tab.decide("12m0"[i % 4])
        assert "50 of 50 places decided" in tab.text("adj-progress")
        assert tab.messages() == []
        os.kill(process.pid, signal.SIGKILL)
    with serving(path) as (address, _):
        tab.open(address)
        tab.press("a")
        tab.until("return document.getElementById('adj-progress').textContent.startsWith('50 of 50 places decided')")
        tab.press(ENTER, "e")
        tab.until("return document.getElementById('adj-exported').textContent.includes('was written')")
        tab.shoot("exported")
        assert tab.messages() == []
    assert tab.keys <= 120
    gold = cz.read(tmp_path / "novel.gold.csv")
    assert gold["chapter <i>1</i>", "gold"].positions.tolist() == decided()
    assert len((tmp_path / "novel.gold.decisions.csv").read_text().splitlines()) == PLACES + 1


@pytest.mark.slow
def test_two_tabs_hand_note_and_undo(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "novel.csv"
    write_corpus(path)
    with serving(path) as (address, _):
        check_second_tab(tab, address)
        check_hand_note_undo_and_stop(tab, address)


def check_second_tab(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.start("Mia")
    first = tab.driver.current_window_handle
    tab.driver.switch_to.new_window("tab")
    try:
        tab.open(address)
        tab.start("Noa")
        second = tab.driver.current_window_handle
        tab.driver.switch_to.window(first)
        tab.decide("1")
        tab.driver.switch_to.window(second)
        tab.press("0")
        told = tab.until("return document.getElementById('adj-alert').textContent")
        assert "this place is decided already: Mia decided 4 as ann" in told
        assert tab.text("adj-place").startswith("1 of 50")
        tab.shoot("told")
        tab.decide("0")  # now with the knowledge of what Mia decided
        assert "Noa 1" in tab.text("adj-progress")
        assert tab.messages() == []
    finally:
        tab.driver.close()
        tab.driver.switch_to.window(first)


def check_hand_note_undo_and_stop(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.start("Ada")
    tab.press("h", RIGHT, RIGHT)
    assert tab.text("adj-hand-what") == "boundary at 10"
    assert tab.text("adj-context") == "word5 word6 <b>7</b> word8 word9 ┃ word10 word11 word12 word13 <b>14</b>"
    tab.shoot("by-hand", 390)
    tab.press("c", *"why n", ENTER, ENTER)  # the letter n in a note does not go to the next place
    tab.until("return document.getElementById('adj-place').textContent.startsWith('3 of 50')")
    tab.press("p")
    tab.until("return document.getElementById('adj-place').textContent.startsWith('2 of 50')")
    assert "Ada decided 10 by hand" in tab.text("adj-decision")
    assert tab.text("adj-decision").endswith(": why n")
    tab.press("u")
    tab.until("return document.getElementById('adj-decision').textContent === 'Open'")
    tab.press("e")
    told = tab.until("return document.getElementById('adj-alert').textContent")
    assert "49 of 50 places are open" in told
    tab.press("h", ESCAPE, ESCAPE)
    assert tab.run("return document.getElementById('adj-body').hidden")
    tab.press("a")
    tab.until("return !document.getElementById('adj-body').hidden")
    assert [entry for entry in tab.messages() if "400" not in entry["message"]] == []
