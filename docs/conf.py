"""How the site is built: python -m sphinx -W -b html docs site."""

from __future__ import annotations

import re

from sphinx.application import Sphinx
from sphinx.domains.python import PyObject

from caesura.version import __version__

project = "caesura"
copyright = "The caesura developers"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = f"caesura {release}"
highlight_language = "none"  # equations stand in indented blocks; what is code says so
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# Sphinx calls the attributes of a class "Variables".
for field in PyObject.doc_field_types:
    if field.name == "variable":
        field.label = "Attributes"


def split_names(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Document ``low, high : float`` as two attributes; napoleon does so only for parameters."""
    for i in reversed(range(len(lines))):
        if names := re.match(r"(\w+(?:, \w+)+)( : .*)$", lines[i]):
            end = next((j for j in range(i + 1, len(lines)) if not lines[j].startswith(" ")), len(lines))
            lines[i:end] = [line for name in names[1].split(", ") for line in (name + names[2], *lines[i + 1 : end])]


def setup(app: Sphinx) -> None:
    """Connect what Sphinx calls for every docstring, before napoleon (500)."""
    app.connect("autodoc-process-docstring", split_names, priority=400)
