"""The HTML of the page: templates, style and script in one string, and data that cannot end its own block."""

from __future__ import annotations

from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.model.result import to_json
from caesura.views.table import clean

if TYPE_CHECKING:
    from jinja2 import Environment

CONTENT_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""The page fetches nothing; images are part of it."""

# Inside a script block "</script" ends it and "<!--" changes how it is read; the two separators end a line in old JavaScript.
_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def embedded(data: Any) -> str:
    """Return JSON that is safe inside a script block, and reads back as the same data.

    Parameters
    ----------
    data : object
        Dictionaries, lists, texts and numbers.

    Returns
    -------
    str
        JSON without ``<``, ``>`` and ``&``.

    Examples
    --------
    >>> embedded({"unit": "</script>"})
    '{"unit":"\\\\u003c/script\\\\u003e"}'
    """
    return to_json(data, indent=None).translate(_ESCAPES)


def render(**context: Any) -> str:
    """Return the page.

    Parameters
    ----------
    **context : object
        Variables of the template ``page.html``.

    Returns
    -------
    str
        The page.

    Raises
    ------
    OptionError
        If jinja2 is not installed.
    """
    template = _environment().get_template("page.html")
    return (
        template.render(policy=CONTENT_POLICY, style=_asset("report.css"), script=_asset("report.js"), **context) + "\n"
    )


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise OptionError("a report needs jinja2, which is not installed; pip install 'caesura[report]'") from None
    environment = Environment(
        loader=PackageLoader("caesura.views.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        # Names in files may contain control characters, which HTML does not allow.
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.filters |= {"embedded": embedded, "zip": partial(zip, strict=True)}
    return environment


def _asset(name: str) -> str:
    return resources.files("caesura.views.page").joinpath("static", name).read_text(encoding="utf-8")
