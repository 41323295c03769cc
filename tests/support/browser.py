"""A page in headless Chromium, its messages and its requests.

Screenshots go to the folder in CAESURA_SCREENSHOTS, or to a temporary folder.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import caesura as cz

ROOT = Path(__file__).parents[2]
CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,1400",
    # No host but this machine can be resolved, so a page that needs the network fails.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--autoplay-policy=no-user-gesture-required",
)

AXE_PATHS = ("build/node_modules/axe-core/axe.min.js", "node_modules/axe-core/axe.min.js")
"""Where npm puts axe-core, which checks pages for barriers: ``npm install --prefix build axe-core``."""

# A page may have thousands of marks of the same kind; axe needs seconds for them and learns nothing new.
_TRIM = """
for (const kind of [".sign", ".mark", ".unit", "#edits tbody tr", "#ranked tbody tr", ".pair", "#overview tbody tr", ".plain tbody tr"]) {
  [...document.querySelectorAll(kind)].slice(30).forEach((element) => element.remove());
}
"""
_AXE = """
const done = arguments[arguments.length - 1];
axe.run().then((result) => done(result.violations.map((entry) =>
  [entry.impact, entry.id, entry.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ")])));
"""


def find_axe() -> Path | None:
    """Return the path of axe-core; None if it is not installed."""
    return next((path for name in AXE_PATHS if (path := ROOT / name).is_file()), None)


class Browser:
    """An open page, its errors and its requests."""

    def __init__(self, driver: Any, folder: Path, shots: Path) -> None:
        self.driver = driver
        self.folder = folder
        self.shots = shots

    def open(self, name: str, corpus: cz.Corpus, systems: list[str] | None = None) -> None:
        path = self.folder / f"{name}.html"
        if not path.exists():
            cz.report(corpus, systems=systems, path=path, title=name)
        self.driver.get_log("performance")  # what came before is another page's
        self.driver.get(path.as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def choose(self, control: str, value: str) -> None:
        self.run(
            "const list = document.getElementById(arguments[0]);"
            "list.value = [...list.options].find((one) => one.text === arguments[1]).value;"
            "list.dispatchEvent(new Event('change'))",
            control,
            value,
        )

    def press(self, key: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def marks(self) -> list[tuple[int, int]]:
        """Return kind and position of every visible mark, in the order of the text."""
        values = self.run(
            "return [...document.querySelectorAll('.mark:not([hidden])')].map((one) =>"
            "  [Number(one.className.match(/k(\\d)/)[1]), Number(one.parentElement.dataset.position)])"
        )
        return [(kind, position) for kind, position in values]

    def focused(self) -> tuple[str, str]:
        """Return the number of the edit with the focus, and its description."""
        number = self.run("return document.activeElement.dataset.edit ?? ''")
        return number, self.status()

    def status(self) -> str:
        return str(self.run("return document.getElementById('status').textContent"))

    def column(self, name: str) -> list[str]:
        values: list[str] = self.run(
            "const table = document.getElementById('edits');"
            "const at = [...table.tHead.rows[0].cells].findIndex((one) => one.textContent.startsWith(arguments[0]));"
            "return [...table.tBodies[0].rows].map((row) => row.cells[at].textContent)",
            name,
        )
        return values

    def shoot(self, name: str, section: str = "texts") -> None:
        self.run("document.getElementById(arguments[0]).scrollIntoView({ behavior: 'instant' })", section)
        assert self.driver.save_screenshot(str(self.shots / f"{name}.png"))

    def look(self, width: int, scheme: str) -> None:
        """Set the width of the window and the theme, ``light`` or ``dark``."""
        size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def look_as_before(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    @property
    def scrolls_sideways(self) -> bool:
        return bool(self.run("return document.documentElement.scrollWidth > document.documentElement.clientWidth"))

    def barriers(self) -> list[Any]:
        """Return what axe-core reports: impact, rule and elements. The page keeps few elements of each kind.

        Without axe-core, nothing is reported, and ``tests/views/test_report_looks.py::test_barriers_are_noticed`` is skipped.
        """
        path = find_axe()
        if path is None:
            return []
        self.run(_TRIM)
        script = path.read_text(encoding="utf-8")
        # The policy of the page allows no further script; the protocol of the browser evaluates it outside the page.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": f"{script};0"})
        self.driver.set_script_timeout(120)
        return list(self.driver.execute_async_script(_AXE))

    def requests(self) -> set[str]:
        """Return every requested address."""
        messages = (json.loads(message["message"])["message"] for message in self.driver.get_log("performance"))
        return {
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        }

    def errors(self) -> list[Any]:
        return list(self.driver.get_log("browser"))


@contextmanager
def open_browser(factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start Chromium for the tests of a module; skip them if it is not installed."""
    for program in (CHROMIUM, DRIVER):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}: apt-get install chromium chromium-driver fonts-noto-cjk fonts-noto-core")
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install caesura[test]")
    folder = factory.mktemp("pages")
    shots = Path(os.environ.get("CAESURA_SCREENSHOTS") or factory.mktemp("screenshots"))
    shots.mkdir(parents=True, exist_ok=True)
    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    try:
        yield Browser(driver, folder, shots)
    finally:
        driver.quit()
