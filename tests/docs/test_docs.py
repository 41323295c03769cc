"""All blocks of the README and of docs/ run (``tests/support/pages.py`` explains how), and Sphinx builds the site."""

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
from support.pages import Block, PageError, PageRunner, Requirement, parse_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SLOW_PAGES = (
    "report.md",
    "flexible.md",
    "segmenters.md",
    "tree_experiments.md",
)  # reports, many replicates, many trees


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW_PAGES)) for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    copy_examples(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_block = PageRunner(page.name)
    parts = list(parse_page(page.read_text(encoding="utf-8"), page.name))  # checks the whole page before any block runs
    with warnings.catch_warnings():  # a page may set filters
        for part in parts:
            if isinstance(part, Block):
                run_block(part)
            elif part.kind == "data":
                for name in part.names:
                    path = request.getfixturevalue("shared") / name
                    (tmp_path / path.name).symlink_to(path)
            else:
                import_libraries(part)


def copy_examples(page: Path, folder: Path) -> None:
    """Copy the files that a page reads. A tutorial has its own folder; the README is for the top of the checkout."""
    examples = ROOT / "examples"
    if page == ROOT / "README.md":
        shutil.copytree(examples / "data", folder / "examples" / "data")
    elif page.parent.name == "tutorials":
        shutil.copytree(examples / page.stem, folder, dirs_exist_ok=True)
    else:
        shutil.copytree(examples / "data", folder, dirs_exist_ok=True)


def import_libraries(requirement: Requirement) -> None:
    """Import the libraries of a page, or skip its test. Their import warnings would be errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in requirement.names:
            pytest.importorskip(name, reason=f"{name} is not installed: pip install caesura[test]")


def run_page(text: str) -> PageRunner:
    run_block = PageRunner("page.md")
    for part in parse_page(text, "page.md"):
        assert isinstance(part, Block)
        run_block(part)
    return run_block


TWO_PYTHON_BLOCKS = """
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


def test_blocks_share_variables_and_are_counted() -> None:
    assert run_page(TWO_PYTHON_BLOCKS).examples == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "```\n>>> 1\n1\n```\n",
            "page.md:1: the language of a block must be python, sh, console, json, toml, text; got ''",
        ),
        ("```pyhton\n>>> 1\n1\n```\n", "got 'pyhton'"),
        ("~~~ruby\n1\n~~~\n", "got 'ruby'"),
        ("```{code-block} python\n1\n```\n", "got '{code-block} python'"),
        ("```python\n>>> 1\n", "page.md:1: the fenced block has no end"),
        ("```python\nimport caesura\n```\n", "must have examples that begin with >>>"),
        ("text\n\n    >>> 1\n    1\n", "page.md:3: put this example into a fenced block"),
        ("```text\n>>> 1\n1\n```\n", "must not contain an example"),
        ("\n```python\n>>> 1 + 1\n3\n```\n", 'File "page.md", line 3'),
        ("```sh\nrm -r x\n```\n", "only caesura can run here; got 'rm -r x'"),
        ("```sh\ncaesura score no.bits no.bits\n```\n", "ends with exit code 1"),
        ("```console\n$ caesura --version\ncaesura 0\n```\n", "should print\ncaesura 0\nbut prints"),
        ("```console\n$ caesura --version\n...\ncaesura 0\n```\n", "should print\n...\ncaesura 0\nbut prints"),
        ("```console\n$ caesura --version  # exit code 1\n...\n```\n", "ends with exit code 0"),
        ("```console\ncaesura --version\n```\n", "must begin with"),
        ("<!-- not run: R -->\nand text\n", "page.md:2: expected a block after 'not run'"),
    ],
)
def test_invalid_blocks_are_errors(text: str, message: str) -> None:
    with pytest.raises(PageError) as error:
        run_page(text)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["```json\n{]\n```\n", "```toml\n= 1\n```\n"])
def test_data_must_parse(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        run_page(text)


def test_three_dots_stand_for_lines_and_failures_are_announced() -> None:
    page = "```console\n$ caesura measures\n...\n$ caesura --version\ncaesura ...\n```\n"
    with pytest.raises(PageError, match="should print"):  # dots inside a line are text
        run_page(page)
    assert run_page(page.replace("caesura ...", f"caesura, version {cz.__version__}")).examples == 2
    assert run_page("```console\n$ caesura score no.bits no.bits  # exit code 1\n```\n").examples == 1


def test_a_block_with_a_reason_is_skipped() -> None:
    assert run_page("<!-- not run: it is R -->\n\n```r\nlibrary(x)\n```\n").examples == 0


def test_the_guide_names_every_measure() -> None:
    guide = (DOCS / "which_measure.md").read_text(encoding="utf-8")
    assert [name for name in cz.measures() if f"`{name}`" not in guide] == []


def test_tests_named_in_the_errata_exist() -> None:
    """The tables name a test as ``measures/test_x.py::test_y``, relative to ``tests/``."""
    references = re.findall(r"`(\w+(?:/\w+)*\.py)::(\w+)`", (DOCS / "errata.md").read_text(encoding="utf-8"))
    assert len(references) > 20
    for path, test in references:
        assert f"\ndef {test}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), (path, test)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    """Links lead to files of the repository, and to headings that exist; addresses of other servers are not tried."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for link in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if link.startswith(("https://", "http://")):
            continue
        if not target.is_file() or (anchor and anchor not in headings(target)):
            broken.append(link)
    assert broken == []


def headings(page: Path) -> set[str]:
    """Return the anchors that GitHub and Sphinx give to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Which n_t?\n\n[here](#which-n_t) [there](#nowhere) [file](none.md)\n")
    assert headings(page) == {"which-n_t"}
    with pytest.raises(AssertionError, match=r"'#nowhere', 'none.md'"):
        test_links(page)


def test_pages_for_newcomers_are_short() -> None:
    lines = {page: len(page.read_text(encoding="utf-8").splitlines()) for page in PAGES}
    assert lines[ROOT / "README.md"] <= 120
    assert {page.stem: n for page, n in lines.items() if page.parent.name == "tutorials" and not 60 <= n <= 120} == {}


@pytest.mark.slow
def test_site(tmp_path: Path) -> None:
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install caesura[docs]")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert "caesura.boundary_similarity" in (tmp_path / "reference.html").read_text(encoding="utf-8")
    for path in tmp_path.glob("*.html"):  # no page loads remote files
        assert not re.search(r'(?:src|<link[^>]*href)="https?:', path.read_text("utf-8")), path.name


def test_every_format_has_a_page_with_its_options() -> None:
    assert {page.stem for page in (DOCS / "formats").glob("*.md")} == set(formats())
    for name, file_format in formats().items():
        page = (DOCS / "formats" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {name}\n")
        rows = dict(re.findall(r"^\| `(\w+=.*?)` \| (.*) \|$", page, re.MULTILINE))
        assert rows == {f"{option.name}={option.default!r}": option.description for option in file_format.options}, name
        assert (f"caesura[{file_format.extra}]" in page) == bool(file_format.extra), name
        assert ("| access | read and write |" in page) == (file_format.write is not None), name
