"""How the site is built: python -m sphinx -W -b html docs site."""

from __future__ import annotations

from sphinx.domains.python import PyObject

from caesura.version import __version__

project = "caesura"
copyright = "The caesura developers"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
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
