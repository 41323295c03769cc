"""How the site is built: python -m sphinx -W -b html docs site."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

from caesura.version import __version__

project = "caesura"
copyright = "The caesura developers"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"caesura {release}"
highlight_language = "none"  # equations stand in indented blocks; what is code says so
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "groupwise"


def as_it_stands(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings are plain text, with equations as people write them; they are shown as help() shows them."""
    text = [re.sub(r":\w+:`~?([^`]*)`", r"\1", line) for line in lines]
    lines[:] = ["::", "", *(f"    {line}" for line in text), ""] if any(text) else []


def setup(app: Sphinx) -> None:
    """Sphinx asks for this."""
    app.connect("autodoc-process-docstring", as_it_stands)
