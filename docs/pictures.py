"""Make the pictures of the gallery: ``python docs/pictures.py``.

Every picture comes from a command that the gallery shows, run on the files of ``examples/data`` and on the files that
:func:`write_treebank` makes. ``tests/docs/test_pictures.py`` runs the commands again and compares the pictures. The picture
of the page carries the words that it shows and the browser that drew it, because another browser or font draws other pixels.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from random import Random

from click.testing import CliRunner

from caesura.cli import main

DOCS = Path(__file__).parent
FOLDER = DOCS / "pictures"
EXAMPLES = DOCS.parent / "examples" / "data"
SENTENCES = 60
PAGE_SIZE = (1200, 1175)

_SYSTEMS = "people.json --system mine.json --system theirs.json"

COMMANDS = {
    "segments": "caesura plot segments readers.json -o segments.svg",
    "pairwise": "caesura plot pairwise readers.json -o pairwise.svg",
    "items": "caesura plot items people.json -m B -m S -m pk -o items.svg",
    "boundary_heat": "caesura plot boundary_heat people.json -o boundary_heat.svg",
    "dendrogram": "caesura plot dendrogram readers.json -o dendrogram.svg",
    "boundaries_per_coder": "caesura plot boundaries_per_coder readers.json -o boundaries_per_coder.svg",
    "systems": f"caesura plot systems {_SYSTEMS} -m B -m S -m pk -m WD -o systems.svg",
    "precision_recall": f"caesura plot precision_recall {_SYSTEMS} -o precision_recall.svg",
    "operations": "caesura plot operations talk.csv -o operations.svg",
    "clusters": "caesura plot clusters readers.json --system 4 --item harbour -o clusters.svg",
    "gold": "caesura plot gold annotators.json --item talk -o gold.svg",
    "alignment": "caesura plot alignment annotators.json --item talk -o alignment.svg",
    "tree_alignment": "caesura plot tree_alignment gold.ptb parser.ptb --item 1 -o tree_alignment.svg",
    "perturbation": "caesura plot perturbation treebank.ptb --gold-times treebank.ctm -o perturbation.svg",
    "by_length": "caesura plot by_length treebank.ptb parses.ptb -o by_length.svg",
    "correlation": "caesura plot correlation treebank.ptb parses.ptb -o correlation.svg",
}
"""Name of a picture -> the command that makes it."""
PAGE = f"caesura report {_SYSTEMS} --title People -o report.html"
"""The command that makes the page of the gallery and the README."""


def write_data(folder: Path) -> None:
    """Copy the example files to a folder, and write the treebank there.

    Parameters
    ----------
    folder : Path
        An existing folder.
    """
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    write_treebank(folder)


def write_treebank(folder: Path) -> None:
    """Write 60 random sentences: ``treebank.ptb``, the times of its words, and parses of the same words.

    Parameters
    ----------
    folder : Path
        An existing folder.
    """
    random = Random(20)
    trees, parses, times = [], [], []
    for number in range(1, SENTENCES + 1):
        words = [random.choice(("the", "old", "ship", "sails", "home", "now")) for _ in range(random.randint(4, 16))]
        trees.append(f"(S {_nodes(words, random, 0.5)})")
        parses.append(f"(S {_nodes(words, random, random.choice((0.5, 0.5, 0.2, 0.8)))})")
        start = 0.0
        for word in words:
            length = random.choice((0.2, 0.3, 0.4))
            times.append(f"{number} 1 {start:.2f} {length:.2f} {word}")
            start += length
    for name, lines in {"treebank.ptb": trees, "parses.ptb": parses, "treebank.ctm": times}.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _nodes(words: list[str], random: Random, balance: float) -> str:
    """Return a binary tree over words; the balance says where nodes are divided."""
    if len(words) == 1:
        return f"(W {words[0]})"
    cut = min(max(round(len(words) * random.gauss(balance, 0.15)), 1), len(words) - 1)
    left, right = (_nodes(part, random, balance) for part in (words[:cut], words[cut:]))
    return left + " " + right if random.random() < 0.2 else f"(X {left} {right})"


def run(command: str, folder: Path) -> None:
    """Run a command in a folder.

    Parameters
    ----------
    command : str
        A command that begins with ``caesura``.
    folder : Path
        Folder with the files that it reads, in which it writes.

    Raises
    ------
    RuntimeError
        If the command fails.
    """
    before = Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner().invoke(main, shlex.split(command)[1:])
    finally:
        os.chdir(before)
    if result.exit_code:
        raise RuntimeError(f"{command}: {result.output}")


class _Words(HTMLParser):
    """The words of a page up to the heading after which the picture ends."""

    IGNORED = ("head", "script", "style", "template")
    LAST = "Edits"

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._ignored = 0
        self._ended = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._ignored += tag in self.IGNORED

    def handle_endtag(self, tag: str) -> None:
        self._ignored -= tag in self.IGNORED

    def handle_data(self, data: str) -> None:
        self._ended = self._ended or data.strip() == self.LAST
        if not (self._ignored or self._ended):
            self.words += data.split()


def _browse(page: Path, *flags: str) -> str:
    """Open a page in Chromium without a window, and return what Chromium prints."""
    with tempfile.TemporaryDirectory() as profile:
        common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        common += [f"--user-data-dir={profile}", "--window-size={},{}".format(*PAGE_SIZE)]
        command = ["chromium", *common, *flags, page.as_uri()]
        return subprocess.run(command, check=True, capture_output=True, timeout=120, encoding="utf-8").stdout


def page_words(page: Path) -> list[str]:
    """Return the words of the part of a page that the picture shows, after the scripts of the page have run.

    Parameters
    ----------
    page : Path
        The HTML file.

    Returns
    -------
    list of str
        The words in order.
    """
    parser = _Words()
    parser.feed(_browse(page, "--dump-dom"))
    return parser.words


def drawn_by() -> str:
    """Return the browser and the font of this machine, which decide on the pixels of the picture.

    Returns
    -------
    str
        Version of Chromium, and file of the font.
    """
    commands = (["chromium", "--version"], ["fc-match", "sans-serif"])
    outputs = (
        subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout for command in commands
    )
    browser, font = (output.split() for output in outputs)
    return f"{' '.join(browser[:2])}, {font[0].rstrip(':')}"


def photograph(page: Path, picture: Path) -> None:
    """Make a picture of the beginning of a page with Chromium, which carries the words that it shows.

    Parameters
    ----------
    page : Path
        The HTML file.
    picture : Path
        The PNG file to write.
    """
    from PIL import Image, PngImagePlugin

    _browse(page, f"--screenshot={picture}")
    notes = PngImagePlugin.PngInfo()
    notes.add_itxt("Description", json.dumps(page_words(page), ensure_ascii=False), zip=True)
    notes.add_itxt("Software", drawn_by())
    with Image.open(picture) as image:
        image.convert("RGB").save(picture, pnginfo=notes, optimize=True)


def make_pictures(names: list[str]) -> None:
    """Make pictures of the gallery.

    Parameters
    ----------
    names : list of str
        Names of the pictures, or ``page``.
    """
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_data(folder)
        for name in names:
            if name == "page":
                run(PAGE, folder)
                photograph(folder / "report.html", FOLDER / "page.png")
            else:
                run(COMMANDS[name], folder)
                shutil.copy(folder / f"{name}.svg", FOLDER)
            print(name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the pictures of the gallery.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="picture to make (default: all)")
    make_pictures(parser.parse_args().names or [*COMMANDS, "page"])
