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
# Source of the words of ``strength``.
STRENGTH_NOTE = (
    "words after Landis & Koch (1977), a convention and not a test: slightly to .20, fairly to .40, moderately to .60, "
    "substantially to .80, almost perfectly above"
)
# Meaning of the columns with chance by placement.
PLACEMENT_NOTE = "placed: beyond the agreement of coders who place as many boundaries at random (--chance placement)"
# Meaning of the columns with means over pairs.
MEAN_NOTE = "mean over pairs of coders, not corrected for chance"
# Number of names that a sentence lists.
MAX_NAMES = 4


def short(value: float | None, digits: int = 2) -> str:
    """Return a number for a sentence, without the zero before the point."""
    if value is None:
        return "undefined"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def short_interval(interval: tuple[float, float] | None) -> str:
    """Return an interval for a sentence, with a blank before it."""
    return "" if interval is None else f" [{short(interval[0])}, {short(interval[1])}]"


def number_word(number: int) -> str:
    """Return a number at the beginning of a sentence: as a word up to twelve, else in digits."""
    return _NUMBERS[number].capitalize() if 0 <= number < len(_NUMBERS) else f"{number:,}"


def named(kind: str, name: str) -> str:
    """Return a name as it stands in a sentence; a number gets the word before it, or it would be read as a number."""
    return f"{kind} {name}" if name.replace(".", "").replace("-", "").isdecimal() else name


def join(words: Iterable[str]) -> str:
    """Return words as an enumeration with "and"."""
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def strength(value: float, interval: tuple[float, float] | None = None) -> str:
    """Return how far coders agree, in words; two words if the interval spans both."""
    ends = [round(end, 2) for end in interval or (value, value)]
    words = [next((word for limit, word in _STRENGTHS if end <= limit), _STRENGTHS[-1][1]) for end in ends]
    return " to ".join(dict.fromkeys(words))


def p_words(p: float, *, over: str = "", borderline: bool = False) -> str:
    digits = 3 if borderline or p < 0.0095 or 0.045 < p < 0.055 else 2
    text = "p < .001" if p < 0.001 else f"p = {short(p, digits)}"
    return f"{text}{f' {over}' if over else ''}{', borderline' if borderline else ''}"
