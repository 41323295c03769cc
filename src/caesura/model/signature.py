"""The grammar of signatures: how values are written, and how a signature is split into its entries.

A signature says how a number was computed, on which data, and with which version. The long form has everything::

    multi_pi|coders:3|items:6|chance:counted|boundary_similarity|documents:18|n_t:2|...|data:84fe092bf3cfdac1|value:0.62|caesura:0.3.0.dev0

    signature = entry { "|" entry } "|caesura:" version
    entry     = word | name ":" value

Words name the task or the coefficient and the measure. The options of the measure follow its name, each as an entry whose
value :func:`option_value` reads. The short form, for the screen, is::

    B(n_t=2) = .7500 · caesura 0.3.0.dev0 · data 84fe092b
    multi_pi over B(n_t=2) = .6200 · caesura 0.3.0.dev0 · data 84fe092b
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import OptionError
from caesura.version import __version__

# Fingerprint in the signature of a result whose data have no fingerprint, because the collection is too large.
UNKNOWN_DATA = "none"
# Number of digits of a fingerprint in a short signature.
SHORT_DATA = 8
# Number of digits of a fingerprint in a long signature.
DATA_DIGITS = 16

_ENTRY = re.compile(r"([a-z_][a-z0-9_]*):(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]*")
_RESERVED = {"yes", "no", "auto", "inf", "nan", "True", "False", "None"}
_VERSION = re.compile(r"\d++\.\d++\.\d++[0-9A-Za-z.+]*+")
_SHORT = re.compile(r"(?P<label>.+?) = (?P<value>[-−+]?\d*\.?\d+)(?P<rest>.*)", re.DOTALL)
_NAME = re.compile(r"[^()=]++")
_MAX_LENGTH = 100_000


def option_text(value: Any) -> str:
    """Format the value of an option so that ``option_value`` can read it."""
    if value is None or isinstance(value, bool):
        return "auto" if value is None else "yes" if value else "no"
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _RESERVED:
        return value
    return repr(value).replace("|", "\\x7c").replace("\n", " ")


def option_value(text: str) -> Any:
    words = {"auto": None, "yes": True, "no": False, "inf": math.inf}
    if text in words:
        return words[text]
    if _WORD.fullmatch(text):
        return text
    try:
        return ast.literal_eval(_with_infinity(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"{text!r} is not the value of an option; copy the whole signature") from None


def _with_infinity(tree: ast.Expression) -> ast.Expression:
    """Replace the name ``inf``, which Python has no literal for, with the number."""

    class Infinity(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.copy_location(ast.Constant(math.inf), node) if node.id == "inf" else node

    replaced: ast.Expression = Infinity().visit(tree)
    return replaced


def with_data(signature: str, data: str, value: float) -> str:
    """Return a signature with the fingerprint of the data and the value, which stand before the version.

    Parameters
    ----------
    signature : str
        A long signature.
    data : str
        Fingerprint of the data, or ``"none"``.
    value : float
        The number that the signature is about.

    Returns
    -------
    str
        The signature.
    """
    head, _, version = signature.rpartition("|")
    return f"{head}|data:{data}|value:{float(value)!r}|{version}"


def data_of(signature: str | None) -> str | None:
    """Return the fingerprint in a long signature.

    Parameters
    ----------
    signature : str or None
        The signature.

    Returns
    -------
    str or None
        The fingerprint; None if there is none.
    """
    match = re.search(rf"\|data:([0-9a-f]{{{DATA_DIGITS}}})\|", signature or "")
    return match[1] if match else None


def format_short(label: str, value: float, data: str | None = None) -> str:
    number = re.sub(r"^(-?)0\.", r"\1.", f"{value:.4f}")
    known = [] if data in (None, UNKNOWN_DATA) else [f"data {str(data)[:SHORT_DATA]}"]
    return " · ".join([f"{label} = {number}", f"caesura {__version__}", *known])


@dataclass(frozen=True)
class SignatureParts:
    # Entries of a long signature in order; a word has an empty value. One word, the label, for a short signature.
    entries: tuple[tuple[str, str], ...]
    value: str | None = None  # the number, as it is written
    data: str | None = None  # fingerprint of the data, or its beginning
    version: str | None = None
    short: bool = False  # whether it is a short signature
    missing: tuple[str, ...] = field(default=())  # what every signature has and this one lacks


def is_signature(text: str) -> bool:
    """Return whether a text looks like a signature, long or short, rather than like a measure."""
    if "|" in text:
        return "(" not in text.partition("|")[0]
    name = _NAME.match(text)
    if name is None:
        return False
    rest = text[name.end() :]
    if rest.startswith("("):
        if any(mark in rest for mark in (") = ", ") · ")):
            return True
        _, _, chance = rest.partition(") over ")
        return any(mark in chance for mark in (" = ", " · "))
    return " · " in name[0][1:] or (name[0][1:].endswith(" ") and rest.startswith("= "))


def split_signature(text: str) -> SignatureParts:
    text = " ".join(filter(None, map(str.strip, text.split("\n"))))  # a terminal may have broken the line
    if not text or len(text) > _MAX_LENGTH or not is_signature(text):
        raise OptionError(
            f"expected a signature, such as 'B(n_t=2) = .7500 · caesura {__version__} · data 84fe092b' or the long form "
            f"that --json prints; got {text[:60]!r}"
        )
    return _split_long(text) if "|" in text else _split_short(text)


def _split_long(text: str) -> SignatureParts:
    entries: list[tuple[str, str]] = []
    for entry in text.split("|"):
        match = _ENTRY.fullmatch(entry)
        entries.append((match[1], match[2]) if match else (entry, ""))
    last: dict[str, str] = {}  # data, value and version, at the end
    while entries and entries[-1][0] in ("data", "value", "caesura") and entries[-1][0] not in last:
        name, value = entries.pop()
        last[name] = value
    missing = (
        []
        if _VERSION.fullmatch(last.get("caesura", ""))
        else [f"caesura:VERSION at the end, such as caesura:{__version__}"]
    )
    if (
        "data" in last
        and last["data"] != UNKNOWN_DATA
        and not re.fullmatch(rf"[0-9a-f]{{{DATA_DIGITS}}}", last["data"])
    ):
        missing.append(f"digits of data:{last['data']}, which has {len(last['data'])} of {DATA_DIGITS}")
    return SignatureParts(
        tuple(entries), last.get("value"), last.get("data"), last.get("caesura"), missing=tuple(missing)
    )


def _split_short(text: str) -> SignatureParts:
    # A terminal without the dot prints a question mark.
    head, *tail = map(str.strip, re.split(r"·|(?<=\s)\?(?=\s)", text))
    match = _SHORT.fullmatch(head)
    known = dict(part.split(" ", 1) for part in tail if " " in part)
    version, data = known.get("caesura"), known.get("data")
    missing = []
    if match is None or match["rest"].strip():
        missing.append("the value, as in 'B(n_t=2) = .7500'")
    if version is None or not _VERSION.fullmatch(version):
        missing.append(f"the version, as in 'caesura {__version__}'")
    if data is None or not re.fullmatch(rf"[0-9a-f]{{{SHORT_DATA},{DATA_DIGITS}}}", data):
        missing.append(f"the fingerprint of the data, as in 'data 84fe092b' ({SHORT_DATA} digits)")
        data = None
    label, value = (head, None) if match is None else (match["label"], match["value"].replace("−", "-"))
    return SignatureParts(((label.strip(), ""),), value, data, version, short=True, missing=tuple(missing))
