"""The pictures of the gallery are those that the commands in it make today."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from caesura.tasks.figures import KINDS

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
REMAKE = "run python docs/pictures.py"


def _load() -> ModuleType:
    specification = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


pictures = _load()
pytestmark = pytest.mark.slow  # draws every figure again


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    pictures.write_data(folder)
    return folder


def _texts(path: Path) -> list[str]:
    """Return the texts of a picture, in order."""
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]


def _size(path: Path) -> list[float]:
    return [float(part) for part in NUMBER.findall(ElementTree.parse(path).getroot().attrib["viewBox"])]


def _outline(path: Path) -> list[list[float]]:
    """Return the numbers of each path of a picture."""
    root = ElementTree.parse(path).getroot()
    paths = root.iter("{http://www.w3.org/2000/svg}path")
    return [[float(number) for number in NUMBER.findall(element.attrib.get("d", ""))] for element in paths]


@pytest.mark.parametrize("name", pictures.COMMANDS)
def test_picture_is_current(folder: Path, name: str) -> None:
    """Texts are equal, and lines are at the same places, up to two points for another version of a font or of matplotlib."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install caesura[report]")
    pictures.run(pictures.COMMANDS[name], folder)
    ours, stored = folder / f"{name}.svg", pictures.FOLDER / f"{name}.svg"
    assert _texts(ours) == _texts(stored), REMAKE
    assert _size(ours) == pytest.approx(_size(stored), abs=2), REMAKE
    paths = zip(_outline(ours), _outline(stored), strict=True)
    for ours_path, stored_path in paths:
        assert ours_path == pytest.approx(stored_path, abs=2), REMAKE


def test_gallery_shows_every_kind_with_its_command() -> None:
    assert set(pictures.COMMANDS) == set(KINDS)
    for name, command in {**pictures.COMMANDS, "page": pictures.PAGE}.items():
        assert f"\n    {command}\n" in GALLERY, name
        assert f"](pictures/{name}.{'png' if name == 'page' else 'svg'})" in GALLERY


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    for program in ("chromium", "fc-match"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}: apt-get install chromium fontconfig fonts-noto-core")
    pictures.run(pictures.PAGE, folder)
    return folder / "report.html"


def test_page_has_the_words_of_its_picture(page: Path) -> None:
    with Image.open(pictures.FOLDER / "page.png") as image:
        stored = json.loads(image.info["Description"])
    assert "agree" in stored
    assert pictures.page_words(page) == stored, REMAKE


def test_page_looks_like_its_picture(page: Path, tmp_path: Path) -> None:
    """Compare means of small squares, on a machine with the browser and the font that drew the picture."""
    with Image.open(pictures.FOLDER / "page.png") as image:
        if image.info["Software"] != pictures.drawn_by():
            pytest.skip(f"the picture was drawn by {image.info['Software']}; here is {pictures.drawn_by()}")
        stored = _squares(image)
    pictures.photograph(page, tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as image:
        assert np.abs(_squares(image) - stored).max() < 16, REMAKE


def _squares(image: Image.Image) -> np.ndarray:
    """Return the mean brightness of squares of ten pixels."""
    size = (image.width // 10, image.height // 10)
    return np.asarray(image.convert("L").resize(size, Image.Resampling.BOX), dtype=float)


def test_page_is_shown_in_a_picture_of_reasonable_size() -> None:
    head = (pictures.FOLDER / "page.png").read_bytes()
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(head) < 200_000
    assert sum(path.stat().st_size for path in pictures.FOLDER.iterdir()) < 1_500_000
