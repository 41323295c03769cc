"""The page itself: templates, style and script in one string, and data that cannot end its own block."""

from __future__ import annotations

import json
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.views.table import clean

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["POLICY", "embedded", "render"]

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""Nothing is fetched, from nowhere; images are part of the page."""

# Inside a script block "</script" ends it and "<!--" changes how it is read; the two separators end a line in old JavaScript.
_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def embedded(data: Any) -> str:
    """JSON to stand inside a script block; it reads back as the same.

    >>> embedded({"unit": "</script>"})
    '{"unit":"\\\\u003c/script\\\\u003e"}'
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPED)


def render(**context: Any) -> str:
    """The page, from what the sections say."""
    made = (
        _environment()
        .get_template("page.html")
        .render(policy=POLICY, style=_asset("report.css"), script=_asset("report.js"), **context)
    )
    return made + "\n"


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise OptionError("a report needs jinja2, which is not installed; pip install 'caesura[report]'") from None
    made = Environment(
        loader=PackageLoader("caesura.views.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        # Names of strangers may hold control characters, which HTML does not.
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    made.filters |= {"embedded": embedded, "zip": partial(zip, strict=True)}
    return made


def _asset(name: str) -> str:
    return resources.files("caesura.views.page").joinpath("static", name).read_text(encoding="utf-8")
