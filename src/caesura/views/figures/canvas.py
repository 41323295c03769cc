"""What all figures have in common: size, fonts, colours, and how they become files.

matplotlib is imported inside the functions, and pyplot never: a figure belongs to who asked for it, and is gone when they let
go of it. The style holds while a figure is made or written, and is taken back after.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.views.table import clean, shorten, text_width

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "COLUMN",
    "GREY",
    "HATCHES",
    "MARKERS",
    "SIZE",
    "WIDEST",
    "dark",
    "drawing",
    "few",
    "format_of",
    "lines",
    "name",
    "needed",
    "room_for",
    "save",
    "svg",
    "whole_numbers",
    "wide_enough",
]

COLUMN = 3.3
"""Inches: a column of a paper in two columns."""
SIZE = 8.0
"""Points: the size of text in most captions."""
WIDEST = 40.0

# Okabe & Ito (2008): told apart by everybody. The yellow comes last, it is faint on paper.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
GREY = "#8A8A8A"
# What tells things apart where there is no colour.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++", "oooo")

# The first that is there and has the character is taken.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Noto Serif CJK SC",
    "Noto Sans Hebrew",
    "Noto Sans Arabic",
    "Noto Naskh Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
    "Arial",
)
_SUFFIXES = (".svg", ".pdf", ".png")

_one_at_a_time = threading.RLock()
T = TypeVar("T")


@cache
def _style() -> Any:
    from matplotlib.font_manager import fontManager

    there = {one.name for one in fontManager.ttflist}
    return {
        "font.family": [font for font in _FONTS if font in there] or ["sans-serif"],
        "font.size": SIZE,
        "axes.titlesize": SIZE,
        "axes.labelsize": SIZE,
        "figure.titlesize": SIZE + 1,
        "legend.fontsize": SIZE - 1,
        "xtick.labelsize": SIZE - 1,
        "ytick.labelsize": SIZE - 1,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 4.5,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        # A coder may be called "a$b$c", and is no formula.
        "text.parse_math": False,
        "text.usetex": False,
        # Text that can be searched, copied and edited; the same bytes for the same figure.
        "svg.fonttype": "none",
        "svg.hashsalt": "caesura",
        "pdf.fonttype": 42,
        "savefig.dpi": 300,
        "savefig.bbox": "standard",
    }


@contextmanager
def _styled() -> Iterator[None]:
    """matplotlib has one style for the whole process: it is ours for a moment, and in one thread."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise OptionError("figures need matplotlib, which is not installed; pip install 'caesura[report]'") from None
    with _one_at_a_time, mpl.rc_context(_style()):
        yield


@contextmanager
def drawing(width: float, height: float, title: str | None) -> Iterator[Figure]:
    """A new figure of this size in inches, to be filled; what does not fit is made to, by constrained layout."""
    with _styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        if title:
            figure.suptitle(lines(title, width * 0.85))
        yield figure


def wide_enough(width: object) -> float:
    """A width in inches that a page can have."""
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not 1 <= width <= WIDEST:
        raise OptionError(f"width must be inches, from 1 to {WIDEST:g}; got {width!r}")
    return float(width)


def needed(found: object, kind: type[T], maker: str) -> T:
    """What was given, if it is of the kind that ``maker`` returns."""
    if not isinstance(found, kind):
        raise OptionError(f"a {kind.__name__} is needed, which {maker} returns; got {type(found).__name__}")
    return found


def name(text: str, most: int = 24) -> str:
    """A name of a stranger as a label: harmless, and not so long that nothing else has room."""
    return shorten(clean(text), most)


def room_for(names: list[str], size: float = SIZE - 1) -> float:
    """About how many inches the longest of these names takes."""
    return max(map(text_width, names), default=0) * size * 0.6 / 72


def lines(text: str, inches: float) -> str:
    """In as many lines as it needs, since the layout makes room for the height of a label and not for its width."""
    return "\n".join(textwrap.wrap(clean(text), max(12, int(inches * 72 / (0.62 * SIZE)))))


def few(listed: Sequence[T], most: int, what: str) -> Sequence[T]:
    """What was given, if a figure has room for it."""
    if len(listed) > most:
        raise OptionError(f"a figure has room for {most} {what}; got {len(listed)}. Select fewer")
    return listed


def whole_numbers(axis: Axis) -> None:
    """No ticks between them."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=True, min_n_ticks=1))


def dark(colour: Any) -> bool:
    """Whether white text is read better on it than black, by its luminance."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
    return math.sqrt(0.2126 * red + 0.7152 * green + 0.0722 * blue) < 0.42


# -- files --------------------------------------------------------------------------------------------------------------


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure as SVG, PDF or PNG, whichever the suffix says.

    The same figure makes the same file, byte for byte: no date is in it. Text stays text in SVG and PDF. PNG has 300 dots an
    inch. Characters that no font on this machine has are named in a warning; not for SVG, whose reader has fonts of its own.
    """
    data = _written(figure, format_of(path))
    try:
        Path(path).write_bytes(data)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be written: {problem.strerror or problem}") from None


def format_of(path: str | PathLike[str]) -> str:
    """What the suffix says, before anything is computed; and there must be something to draw with."""
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        said = f"the suffix must say the format, one of {', '.join(_SUFFIXES)}; got {suffix or 'none'}"
        raise FormatError(path, None, said)
    with _styled():
        return suffix[1:]


def svg(figure: Figure, *, prefix: str | None = None) -> str:
    """The figure as an ``<svg>`` element to stand inside HTML.

    Every id begins with ``prefix``, so that figures on one page do not take each other's parts; by default it is made of
    what the figure shows.
    """
    text = _written(figure, "svg").decode("utf-8")
    text = text[text.index("<svg") :].rstrip()
    if prefix is None:
        prefix = "f" + hashlib.sha256(text.encode()).hexdigest()[:10]
    elif not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise OptionError(f"prefix must be letters, digits, - and _, a letter first; got {prefix!r}")
    # Only inside tags: a name in a text may look like an id.
    return re.sub(r"<[^<>!?]+>", lambda tag: _ID.sub(rf"\g<1>{prefix}-", tag[0]), text)


_ID = re.compile(r"""(\sid="|href="#|url\(#)""")

# Who wrote it with which version, and when, makes files differ that show the same.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
    "png": {"Software": None},
}


def _written(figure: Figure, kind: str) -> bytes:
    out = io.BytesIO()
    with _styled(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure.savefig(out, format=kind, metadata=_METADATA[kind])
    missing: dict[str, None] = {}
    for one in told:
        glyph = re.match(r"Glyph (\d+) ", str(one.message))
        if glyph is None:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        else:
            missing[chr(int(glyph[1]))] = None
    if missing and kind != "svg":
        shown = clean("".join(missing)[:20])
        warnings.warn(
            f"no font here has {shown}; install one that has, such as Noto Sans CJK, or write SVG, which keeps the text",
            CaesuraWarning,
            stacklevel=3,
        )
    return out.getvalue()
