"""README and docs/ are run block by block (``tests/pages.py`` says how), and the site is built."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import caesura as cz
from caesura.formats import formats
from support.pages import Block, Need, PageError, Run, parts

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SLOW_PAGES = ("report.md",)  # it builds several reports


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW_PAGES)) for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    shutil.copytree(ROOT / "examples" / "data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    run = Run(page.name)
    with warnings.catch_warnings():  # a page may set filters of its own
        for part in list(
            parts(page.read_text(encoding="utf-8"), page.name)
        ):  # all of it is looked at before any is run
            if isinstance(part, Block):
                run(part)
            elif part.kind == "data":
                for name in part.what.split():
                    path = request.getfixturevalue("shared") / name
                    (tmp_path / path.name).symlink_to(path)
            else:
                bring(part)


def bring(need: Need) -> None:
    """Libraries a page needs. They warn when they are imported, and a warning is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in need.what.split():
            pytest.importorskip(name, reason=f"{name} is not installed: pip install caesura[test]")


def run_page(text: str) -> Run:
    run = Run("page.md")
    for part in parts(text, "page.md"):
        assert isinstance(part, Block)
        run(part)
    return run


SHARING = """
```python
>>> a = 1
```

- in a list
  ```python
  >>> a
  1
  ```

```sh
caesura --version  # which
```
"""


def test_blocks_share_their_names_and_are_counted() -> None:
    assert run_page(SHARING).examples == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```\n>>> 1\n1\n```\n", "page.md:1: a block must be python, sh, console, json, toml, text; got ''"),
        ("```pyhton\n>>> 1\n1\n```\n", "got 'pyhton'"),
        ("~~~ruby\n1\n~~~\n", "got 'ruby'"),
        ("```{code-block} python\n1\n```\n", "got '{code-block} python'"),
        ("```python\n>>> 1\n", "page.md:1: a fenced block must end"),
        ("```python\nimport caesura\n```\n", "must hold examples that begin with >>>"),
        ("text\n\n    >>> 1\n    1\n", "page.md:3: an example must stand in a fenced block"),
        ("```text\n>>> 1\n1\n```\n", "must not hide"),
        ("\n```python\n>>> 1 + 1\n3\n```\n", 'File "page.md", line 3'),
        ("```sh\nrm -r x\n```\n", "only caesura is run here; got 'rm -r x'"),
        ("```sh\ncaesura score no.bits no.bits\n```\n", "ends with 1"),
        ("```console\n$ caesura --version\ncaesura 0\n```\n", "must print\ncaesura 0\nand prints"),
        ("```console\ncaesura --version\n```\n", "must begin with"),
        ("<!-- not run: R -->\nand text\n", "page.md:2: a block must follow 'not run'"),
    ],
)
def test_nothing_escapes(text: str, message: str) -> None:
    with pytest.raises(PageError) as caught:
        run_page(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["```json\n{]\n```\n", "```toml\n= 1\n```\n"])
def test_data_must_parse(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        run_page(text)


def test_a_block_says_why_it_is_not_run() -> None:
    assert run_page("<!-- not run: it is R -->\n\n```r\nlibrary(x)\n```\n").examples == 0


def test_every_measure_has_its_place_in_the_guide() -> None:
    guide = (DOCS / "which_measure.md").read_text(encoding="utf-8")
    assert [name for name in cz.measures() if f"`{name}`" not in guide] == []


def test_proofs_named_in_the_errata_exist() -> None:
    """A row of the tables says where it is proved, as ``tests/test_x.py::test_y``."""
    named = re.findall(r"`(\w+(?:/\w+)*\.py)::(\w+)`", (DOCS / "errata.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    assert [
        one for one in named if f"\ndef {one[1]}(" not in (ROOT / "tests" / one[0]).read_text(encoding="utf-8")
    ] == []


def test_links_of_the_readme() -> None:
    """Sphinx looks after those between pages."""
    named = re.findall(r"\]\(([\w./]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [one for one in named if not (ROOT / one).is_file()] == []


@pytest.mark.slow
def test_site(tmp_path: Path) -> None:
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install caesura[docs]")
    words = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "caesura.boundary_similarity" in (tmp_path / "reference.html").read_text(encoding="utf-8")
    loaded = [
        path.name
        for path in tmp_path.glob("*.html")
        if re.search(r'(?:src|<link[^>]*href)="https?:', path.read_text("utf-8"))
    ]
    assert loaded == []  # everything the site shows is in it


def test_every_format_has_a_page_with_its_options() -> None:
    assert {page.stem for page in (DOCS / "formats").glob("*.md")} == set(formats())
    for name, one in formats().items():
        page = (DOCS / "formats" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {name}\n")
        rows = dict(re.findall(r"^\| `(\w+=.*?)` \| (.*) \|$", page, re.MULTILINE))
        assert rows == {f"{option.name}={option.default!r}": option.description for option in one.options}, name
        assert (f"caesura[{one.extra}]" in page) == bool(one.extra), name
        assert ("| access | read and write |" in page) == (one.write is not None), name
