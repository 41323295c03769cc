"""Size, fonts and colours of all figures, and functions that write figures to files.

The functions import matplotlib when they run, and never pyplot: a figure belongs to its caller, and Python frees it when the
caller drops it. The style is active only while a function draws or writes a figure.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import re
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from caesura import files
from caesura.errors import FormatError, OptionError
from caesura.notices import silence, warn
from caesura.options import number
from caesura.views.table import clean, shorten, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from caesura.papers.entry import Curves

# Width in inches of a column of a two-column paper.
COLUMN_WIDTH = 3.3
# Width in inches of both columns.
PAGE_WIDTH = 6.8
# Size of text in points, that of most captions.
FONT_SIZE = 8.0
PRINT_DPI = 300
# Pixels per inch of files, and of the heat maps of a page; at 300, each takes half a second and 100 MB.
SCREEN_DPI = 150
# Largest width of a figure in inches.
MAX_WIDTH = 40.0
_TITLE_HEIGHT = 0.2  # inches
_MAX_MARKS = 15  # on a line

# Okabe & Ito (2008): distinguishable for colour-blind readers. Yellow is last because it is faint on paper.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
GREY = "#8A8A8A"
# These distinguish marks and bars without colour.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++", "oooo")

# matplotlib takes, for each character, the first of these fonts that is installed and has it.
_FONTS = (
    "DejaVu Sans, Noto Sans CJK SC, Noto Sans CJK JP, Source Han Sans SC, WenQuanYi Zen Hei, PingFang SC, Hiragino Sans, "
    "Microsoft YaHei, Malgun Gothic, Noto Serif CJK SC, Noto Sans Hebrew, Noto Sans Arabic, Noto Naskh Arabic, "
    "Noto Sans Devanagari, Noto Sans Thai, Arial Unicode MS, Arial"
)

_lock = threading.RLock()
T = TypeVar("T")


@cache
def _style() -> Any:
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    ticks = {"labelsize": FONT_SIZE - 1, "major.width": 0.6, "major.size": 2.5}
    return {
        "font.family": [font for font in _FONTS.split(", ") if font in installed] or ["sans-serif"],
        "font.size": FONT_SIZE,
        "axes.titlesize": FONT_SIZE,
        "axes.labelsize": FONT_SIZE,
        "figure.titlesize": FONT_SIZE + 1,
        "legend.fontsize": FONT_SIZE - 1,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        **{f"{axis}tick.{name}": value for axis in "xy" for name, value in ticks.items()},
        "lines.linewidth": 1.2,
        "lines.markersize": 4.5,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "image.interpolation": "nearest",
        # A coder may be called "a$b$c", which is not a formula.
        "text.parse_math": False,
        "text.usetex": False,
        # Text that can be searched, copied and edited; the same bytes for the same figure.
        "svg.fonttype": "none",
        "svg.hashsalt": "caesura",
        "pdf.fonttype": 42,
        "savefig.bbox": "standard",
    }


@contextmanager
def _styled() -> Iterator[None]:
    """Set our style; matplotlib has one for the whole process, so only one thread may draw at a time."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise OptionError("figures need matplotlib, which is not installed; pip install 'caesura[report]'") from None
    with _lock, mpl.rc_context(_style()):
        yield


@contextmanager
def new_figure(width: float, height: float, title: str | None) -> Iterator[Figure]:
    """Yield a new figure to be filled; constrained layout makes everything fit."""
    with _styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height + (_TITLE_HEIGHT if title else 0)), layout="constrained")
        if title:
            figure.suptitle(wrap_label(title, width * 0.85))
        yield figure


@contextmanager
def new_axes(width: float, height: float, title: str | None) -> Iterator[tuple[Figure, Axes]]:
    with new_figure(width, height, title) as figure:
        yield figure, figure.add_subplot()


def draw_lines(lines: Curves, *, width: float = COLUMN_WIDTH, title: str | None = None) -> Figure:
    """Draw lines with a legend; marks tell them apart without colour."""
    with new_axes(width, width * 0.7, title) as (figure, axes):
        for i, (name, (x, y)) in enumerate(lines.lines.items()):
            step = max(1, len(x) // _MAX_MARKS)
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            axes.plot(x, y, color=colour, marker=marker, markevery=step, label=name)
        axes.set_xlabel(lines.x_label)
        axes.set_ylabel(lines.y_label)
        axes.legend()
        return figure


def write_beside(axes: Axes, text: str, point: tuple[float, float], points: tuple[float, float], **style: Any) -> None:
    axes.annotate(text, point, xytext=points, textcoords="offset points", **style)


def write_centred(axes: Axes, text: str, point: tuple[float, float], size: float, **style: Any) -> None:
    axes.text(*point, text, ha="center", va="center", fontsize=size, **style)


def draw_marks(axes: Axes, x: Any, y: Any, marker: str, colour: str, **style: Any) -> None:
    """Draw a mark at each point, without lines between the points."""
    axes.plot(x, y, linestyle="none", marker=marker, color=colour, **style)


def label_rows(axes: Axes, labels: list[str]) -> None:
    """Divide the vertical axis into rows with labels and without ticks; the first row is on top."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def check_width(width: Any) -> float:
    """Return a width in inches, from 1 to 40, or raise an ``OptionError``."""
    return float(number(1, MAX_WIDTH)("width", width))


def check_type(value: object, expected: type[T], source: str) -> T:
    if not isinstance(value, expected):
        raise OptionError(f"expected a {expected.__name__}, which {source} returns; got {type(value).__name__}")
    return value


def check_count(number: int, limit: int, noun: str) -> None:
    if number > limit:
        raise OptionError(f"a figure can show {limit} {noun}; got {number}. Select fewer")


def label_text(name: str, width: int = 24) -> str:
    """Return a name as a label: without control characters, and with at most ``width`` characters."""
    return shorten(clean(name), width)


def label_inches(labels: list[str], size: float = FONT_SIZE - 1) -> float:
    """Return the approximate width of the longest label in inches."""
    return max(map(text_width, labels), default=0) * size * 0.6 / 72


def wrap_label(text: str, inches: float) -> str:
    """Return the text in lines of at most ``inches``: the layout makes space for the height of a label only."""
    return "\n".join(textwrap.wrap(clean(text), max(12, int(inches * 72 / (0.62 * FONT_SIZE)))))


def integer_ticks(axis: Axis) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=True, min_n_ticks=1))


def is_dark(colour: Any) -> bool:
    """Return whether white text is easier to read on the colour than black text, by its luminance."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
    return math.sqrt(0.2126 * red + 0.7152 * green + 0.0722 * blue) < 0.42


# -- files --------------------------------------------------------------------------------------------------------------


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure as SVG, PDF or PNG, depending on the suffix of the path.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    path : str or path-like
        File to write, ending in ``.svg``, ``.pdf`` or ``.png``.

    Raises
    ------
    FormatError
        If the suffix is a different one, or the file cannot be written.

    Warns
    -----
    CaesuraWarning
        If no installed font has a character, except for SVG, whose reader has its own fonts.

    Notes
    -----
    The same figure makes the same file, byte for byte, because the file contains no date. Text remains text in SVG and
    PDF. PNG has 300 dots per inch.
    """
    write_file(_encode(figure, format_of(path)), path)


def write_file(data: bytes, path: str | PathLike[str]) -> None:
    try:
        files.write_file(path, data)
    except OSError as error:
        raise FormatError(path, None, f"cannot be written: {error.strerror or error}") from None


def format_of(path: str | PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix[1:] not in _METADATA:
        suffixes = ", ".join(f".{name}" for name in _METADATA)
        raise FormatError(path, None, f"the suffix must name the format: one of {suffixes}; got {suffix or 'none'}")
    with _styled():
        return suffix[1:]


def svg(figure: Figure, *, prefix: str | None = None) -> str:
    """Return the figure as an ``<svg>`` element to put into HTML.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    prefix : str, optional
        Beginning of every id, so that figures on a page do not share ids (default: computed from the content).

    Returns
    -------
    str
        The element.
    """
    text = _encode(figure, "svg", dpi=SCREEN_DPI).decode("utf-8")
    text = text[text.index("<svg") :].rstrip()
    if prefix is None:
        prefix = "f" + hashlib.sha256(text.encode()).hexdigest()[:10]
    elif not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise OptionError(f"prefix must begin with a letter and contain only letters, digits, - and _; got {prefix!r}")
    # Only inside tags: a name in a text may look like an id.
    return re.sub(r"<[^<>!?]+>", lambda tag: _ID.sub(rf"\g<1>{prefix}-", tag[0]), text)


def data_uri(figure: Figure) -> str:
    """Return the figure as the address of an embedded picture, which needs no ids of its own and cannot run anything."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg(figure).encode()).decode()


_ID = re.compile(r"""(\sid="|href="#|url\(#)""")

# Without these fields, which would make files differ that show the same.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
    "png": {"Software": None},
}


def _encode(figure: Figure, format_: str, *, dpi: float | None = None) -> bytes:
    """Return the figure as a file; ``dpi`` is the resolution of heat maps, by default that of print."""
    buffer = io.BytesIO()
    silence(message=r"Glyph \d+ ")  # the warning below says what to do
    with _styled():
        if format_ == "svg":
            _print_svg(figure, buffer, dpi or PRINT_DPI)
            return buffer.getvalue()
        figure.savefig(buffer, format=format_, metadata=_METADATA[format_], dpi=PRINT_DPI)
        missing = _missing_characters(figure)
    if missing:
        characters = clean(missing[:20])
        warn(
            f"no installed font has {characters}; install one that has, such as Noto Sans CJK, or write SVG, which keeps "
            "the text"
        )
    return buffer.getvalue()


def _print_svg(figure: Figure, buffer: io.BytesIO, dpi: float) -> None:
    """Write the figure as ``Figure.savefig`` does, but draw it once: the layout is part of the drawing."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    canvas, resolution = figure.canvas, figure.dpi
    figure.dpi = dpi
    try:
        svg_canvas: Any = FigureCanvasSVG(figure)
        svg_canvas.print_svg(buffer, metadata=_METADATA["svg"])
    finally:
        figure.dpi = resolution
        figure.set_canvas(canvas)


def _missing_characters(figure: Figure) -> str:
    """Return the characters of a figure that no font of their text has."""
    from matplotlib.text import Text

    missing: dict[str, None] = {}
    for text in figure.findobj(Text):
        characters = {character for character in text.get_text() if not character.isascii()}
        for path in _font_paths(tuple(text.get_fontfamily())) if characters and text.get_visible() else ():
            characters = {character for character in characters if ord(character) not in _characters_of(path)}
        missing |= dict.fromkeys(sorted(characters) if text.get_visible() else ())
    return "".join(missing)


def _font_paths(families: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of the fonts that matplotlib tries in turn."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont

    settings: Any = mpl.rcParams
    for family in families:
        for name in settings.get(f"font.{family}", [family]):
            with suppress(ValueError):  # not installed
                yield str(findfont(FontProperties(family=name), fallback_to_default=False))


@cache
def _characters_of(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
