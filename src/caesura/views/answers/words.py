"""Numbers, lists and words for sizes in sentences."""

from __future__ import annotations

from collections.abc import Iterable

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# Landis, J. R., & Koch, G. G. (1977). The measurement of observer agreement for categorical data. Biometrics 33, page 165.
_STRENGTHS = (
    (0.0, "not beyond chance"),
    (0.2, "slightly"),
    (0.4, "fairly"),
    (0.6, "moderately"),
    (0.8, "substantially"),
    (1.0, "almost perfectly"),
)
STRENGTH_NOTE = (
    "words after Landis & Koch (1977), a convention and not a test: slightly to .20, fairly to .40, moderately to .60, "
    "substantially to .80, almost perfectly above"
)
"""Source of the words of :func:`strength`."""
PLACEMENT_NOTE = "placed: beyond the agreement of coders who place as many boundaries at random (--chance placement)"
"""Meaning of the columns with chance by placement."""
MEAN_NOTE = "mean over pairs of coders, not corrected for chance"
"""Meaning of the columns with means over pairs."""
MAX_NAMES = 4
"""Number of names that a sentence lists."""


def short(value: float | None, digits: int = 2) -> str:
    """Return a number for a sentence, without the zero before the point.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int, default 2
        Number of decimals.

    Returns
    -------
    str
        The number, or "undefined".

    Examples
    --------
    >>> short(0.616), short(-0.25), short(1.0), short(None)
    ('.62', '-.25', '1.00', 'undefined')
    """
    if value is None:
        return "undefined"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def short_interval(interval: tuple[float, float] | None) -> str:
    """Return an interval for a sentence, with a blank before it.

    Parameters
    ----------
    interval : tuple of float, optional
        The interval; None if there is none.

    Returns
    -------
    str
        The interval in brackets; empty if there is none.

    Examples
    --------
    >>> short_interval((0.604, 0.642))
    ' [.60, .64]'
    """
    return "" if interval is None else f" [{short(interval[0])}, {short(interval[1])}]"


def number_word(number: int) -> str:
    """Return a number at the beginning of a sentence: as a word up to twelve, else in digits.

    Parameters
    ----------
    number : int
        The number.

    Returns
    -------
    str
        The word, with a capital letter, or the digits.
    """
    return _NUMBERS[number].capitalize() if 0 <= number < len(_NUMBERS) else f"{number:,}"


def named(kind: str, name: str) -> str:
    """Return a name as it stands in a sentence; a number gets the word before it, or it would be read as a number.

    Parameters
    ----------
    kind : str
        What the name belongs to, such as ``"item"``.
    name : str
        The name.

    Returns
    -------
    str
        ``"item 3"`` for the name 3, ``"engine"`` for the name engine.
    """
    return f"{kind} {name}" if name.replace(".", "").replace("-", "").isdecimal() else name


def join(words: Iterable[str]) -> str:
    """Return words as an enumeration with "and".

    Parameters
    ----------
    words : iterable of str
        The words.

    Returns
    -------
    str
        The enumeration.

    Examples
    --------
    >>> join(["ann", "bo", "cy"])
    'ann, bo and cy'
    """
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def strength(value: float, interval: tuple[float, float] | None = None) -> str:
    """Return how far coders agree, in words; two words if the interval spans both.

    Parameters
    ----------
    value : float
        A chance-corrected coefficient.
    interval : tuple of float, optional
        Its confidence interval.

    Returns
    -------
    str
        An adverb of Landis & Koch (1977), or the first and the last one of the interval.

    Examples
    --------
    >>> strength(0.62), strength(0.62, (0.55, 0.7)), strength(-0.1)
    ('substantially', 'moderately to substantially', 'not beyond chance')
    """
    words = [_word(end) for end in (interval or (value, value))]
    return " to ".join(dict.fromkeys(words))


def _word(value: float) -> str:
    rounded = round(value, 2)
    return next((word for limit, word in _STRENGTHS if rounded <= limit), _STRENGTHS[-1][1])


def p_words(p: float, *, over: str = "", borderline: bool = False) -> str:
    """Return a p-value for a sentence.

    Parameters
    ----------
    p : float
        The p-value.
    over : str, optional
        What was compared, such as "over 6 items".
    borderline : bool, default False
        Whether it comes from random draws and is too close to the level to decide.

    Returns
    -------
    str
        The p-value.

    Examples
    --------
    >>> p_words(0.0312), p_words(0.0004), p_words(0.0492, over="over 30 items", borderline=True)
    ('p = .03', 'p < .001', 'p = .049 over 30 items, borderline')
    """
    digits = 3 if borderline or p < 0.0095 or 0.045 < p < 0.055 else 2
    text = "p < .001" if p < 0.001 else f"p = {short(p, digits)}"
    return f"{text}{f' {over}' if over else ''}{', borderline' if borderline else ''}"
