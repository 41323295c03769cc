"""Measure the report of a large corpus: time to write it, size of the page, and time until Chromium paints it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import caesura as cz
from bench.timing import shortest_time
from caesura.simulation import pseudo_coders
from caesura.views.table import Cell, Table

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def simulate_corpus(items: int, coders: int, units: int) -> cz.Corpus:
    return pseudo_coders([units] * items, [5, 8, 12, 15], coders=coders, near=0.1, miss=0.15, seed=1)


def tables() -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for items, goal in ((20, "below 3 MB"), (200, "below 60 s, painted below 2 s")):
            corpus, path = simulate_corpus(items, 10, 150), Path(folder) / "report.html"
            seconds = shortest_time(lambda c=corpus, p=path: cz.report(c, path=p), min_runs=1, seconds=0)  # type: ignore[misc]
            rows.append((f"{items} items, 10 coders", seconds, path.stat().st_size / 1e6, _paint_time(path), goal))
    columns = ("report", "s", "MB", "first paint, s", "goal")
    yield Table(columns, tuple(rows), title="A report on texts of 150 units", digits=2)


def _paint_time(path: Path) -> float | None:
    """Return the seconds until the first paint; None if Chromium is not installed."""
    if shutil.which(CHROMIUM) is None or shutil.which(DRIVER) is None:
        return None
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        driver.get(path.as_uri())
        script = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
        return float(driver.execute_script(script)) / 1000
    finally:
        driver.quit()
