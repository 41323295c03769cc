"""Results: the base class, scores of measures, and signatures.

A result is a frozen dataclass that derives from :class:`Result`. No result class writes its own JSON:
:mod:`caesura.model.plain` converts every result to dictionaries, lists, strings and numbers.

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property, wraps
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, ParamSpec, Protocol, Self, TypeVar

from caesura.errors import OptionError
from caesura.model.plain import flatten, key_text, to_frame, to_plain
from caesura.model.value import Displayed, Floats
from caesura.notices import record_warnings
from caesura.options import non_negative
from caesura.version import __version__

# Fingerprint in the signature of a result whose data have no fingerprint, because the collection is too large.
UNKNOWN_DATA = "none"
# Number of digits of a fingerprint in a short signature, and in a long one.
SHORT_DATA, DATA_DIGITS = 8, 16
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]*")
_ENTRY = re.compile(r"([a-z_][a-z0-9_]*):(.*)", re.DOTALL)
_VERSION = re.compile(r"\d++\.\d++\.\d++[0-9A-Za-z.+]*+")
_SHORT = re.compile(r"(?P<label>.+?) = (?P<value>[-−+]?\d*\.?\d+)(?P<rest>.*)", re.DOTALL)
_NAME = re.compile(r"[^()=]++")
_MAX_LENGTH = 100_000
_RESERVED = {"yes", "no", "auto", "inf", "nan", "True", "False", "None"}

HIDDEN: Mapping[str, Any] = {"json": False}
"""Metadata of a dataclass field that is not part of the result's JSON: ``field(metadata=HIDDEN)``."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """An item, or one coder's annotation of an item, that was excluded from a result.

    Parameters
    ----------
    item : str or None
        Name of the item, or None if a whole file or coder is excluded.
    coder : str or None
        Name of the coder, or None if the item is excluded for all coders.
    reason : str
        Reason for the exclusion.
    """

    item: str | None
    coder: str | None
    reason: str

    def __str__(self) -> str:
        place = [f"{kind} {name!r}" for kind, name in (("item", self.item), ("coder", self.coder)) if name is not None]
        return f"{', '.join(place)}: {self.reason}" if place else self.reason


class Reasoned:
    """Mixin of rows whose numbers may be undefined: their JSON then has the reason beside the numbers."""

    __slots__ = ()

    json_if_set: ClassVar[tuple[str, ...]] = ("reason",)

    @property
    def reason(self) -> str | None:
        """Why numbers of the row are undefined; None if they are defined."""
        return None


_Arguments = ParamSpec("_Arguments")
_ResultType = TypeVar("_ResultType", bound="Result")


def keep_warnings(function: Callable[_Arguments, _ResultType]) -> Callable[_Arguments, _ResultType]:
    """Decorate a function so that its result has the warnings of the computation; each call and thread has its own."""

    @wraps(function)
    def call(*args: _Arguments.args, **options: _Arguments.kwargs) -> _ResultType:
        with record_warnings() as messages:
            result = function(*args, **options)
        return result.with_warnings(messages) if messages else result

    return call


class Result(Displayed):
    """Base class of results, which are frozen dataclasses.

    Attributes
    ----------
    json_properties : tuple of str
        Properties that are part of the JSON in addition to the fields.
    warnings : tuple of str
        What :func:`keep_warnings` kept.
    frame_field : str or None
        Field whose entries are the rows of the data frame, or None if the result is a single row.
    """

    __slots__ = ()

    json_properties: ClassVar[tuple[str, ...]] = ()
    frame_field: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        """Give every result a short ``repr``, a signature, warnings and excluded items, unless it has its own."""
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:  # otherwise the dataclass would write its own
            parent = next(base for base in cls.__mro__[1:] if issubclass(base, Result))
            cls.__repr__ = parent.__repr__  # type: ignore[method-assign]
        declared = {name for base in cls.__mro__ for name in get_annotations(base)}
        for name, value in (("excluded", ()), ("signature", None), ("warnings", ())):
            if name not in declared and not hasattr(cls, name):
                setattr(cls, name, value)

    def with_warnings(self, messages: Iterable[str]) -> Self:
        """Return the same result with the warnings of its computation.

        Parameters
        ----------
        messages : iterable of str
            Their texts.

        Returns
        -------
        Result
            A copy.
        """
        result = copy(self)
        object.__setattr__(result, "warnings", tuple(messages))
        return result

    @property
    def data(self) -> str | None:
        """Fingerprint of the data, from the signature; None if the signature has none."""
        return data_of(getattr(self, "signature", None))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, which ``--json`` prints.

        Returns
        -------
        dict
            Fields and properties by name. Undefined numbers are None.
        """
        plain: dict[str, Any] = to_plain(self)
        return plain

    def to_frame(self) -> Any:
        """Return the main table of the result as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row per entry of the main table; a single row if there is no such table. It is a pandas data frame unless only
            polars is installed. Nested values become columns such as ``score.value``; lists of names become one text.

        Raises
        ------
        OptionError
            If neither pandas nor polars is installed.
        """
        return to_frame(self.frame_rows())

    def frame_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the main table, from which ``to_frame`` makes a data frame.

        Returns
        -------
        list of dict
            Column -> value; nested values have columns such as ``score.value``.
        """
        if self.frame_field is None:
            return [flatten(self.to_dict())]
        entries = getattr(self, self.frame_field)
        if not isinstance(entries, Mapping):
            return [flatten(_row(entry)) for entry in entries]
        return [flatten({"name": key_text(name), **_row(entry)}) for name, entry in entries.items()]

    def __repr__(self) -> str:
        return short_repr(self)


MAX_LINES = 10
"""Lines of the ``repr`` of a result."""
MAX_COLUMNS = 100
"""Columns of the ``repr`` of a result."""


def short_repr(value: Any) -> str:
    """Return a dataclass as text of at most 10 lines. Long tables are given by their number of entries."""
    name = type(value).__name__
    texts = [f"{entry.name}={_field_text(getattr(value, entry.name))}" for entry in fields(value) if entry.repr]
    line = f"{name}({', '.join(texts)})"
    if len(line) <= MAX_COLUMNS:
        return line
    limit = MAX_LINES - 2
    if len(texts) > limit:
        hidden = [text.partition("=")[0] for text in texts[limit - 1 :]]
        texts = [*texts[: limit - 1], f"... {', '.join(hidden)}"]
    lines = [f"    {text}," for text in texts]
    return "\n".join([f"{name}(", *(_cut(text) for text in lines), ")"])


def _field_text(value: Any) -> str:
    text = repr(value)
    if len(text) < MAX_COLUMNS // 2 and "\n" not in text:
        return text
    if hasattr(value, "__len__") and not isinstance(value, str):
        return f"<{len(value)} {'entry' if len(value) == 1 else 'entries'}>"
    return text if "\n" not in text else f"<{type(value).__name__}>"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_COLUMNS else f"{text[: MAX_COLUMNS - 3]}..."


def signature_line(*words: str, over: str | None = None, **facts: Any) -> str:
    """Return the signature of a result: words, ``name:value`` entries that are not None, and ``over`` or the version."""
    entries = [f"{name}:{signature_value(value)}" for name, value in facts.items() if value is not None]
    return "|".join([*words, *entries, over if over is not None else f"caesura:{__version__}"])


def signature_value(value: object) -> str:
    """Format a value for a signature: booleans as yes or no, None as ``auto``, without line breaks and bars."""
    if value is None or isinstance(value, bool):
        return option_text(value)
    return str(value).replace("|", "¦").replace("\n", " ")


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

    class Infinity(ast.NodeTransformer):
        """Replaces the name ``inf``, which Python has no literal for, with the number."""

        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.copy_location(ast.Constant(math.inf), node) if node.id == "inf" else node

    try:
        return ast.literal_eval(Infinity().visit(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"{text!r} is not the value of an option; copy the whole signature") from None


def with_data(signature: str, data: str, value: float) -> str:
    """Return a long signature with the fingerprint of the data and the value, which stand before the version."""
    head, _, version = signature.rpartition("|")
    return f"{head}|data:{data}|value:{float(value)!r}|{version}"


def data_of(signature: str | None) -> str | None:
    """Return the fingerprint in a long signature; None if there is none."""
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
    missing: tuple[str, ...] = ()  # what every signature has and this one lacks


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
    missing = []
    if "|" in text:
        entries = [
            (match[1], match[2]) if (match := _ENTRY.fullmatch(entry)) else (entry, "") for entry in text.split("|")
        ]
        last: dict[str, str] = {}  # data, value and version, at the end
        while entries and entries[-1][0] in ("data", "value", "caesura") and entries[-1][0] not in last:
            name, last[name] = entries.pop()
        value, data, version = (last.get(name) for name in ("value", "data", "caesura"))
        if not _VERSION.fullmatch(version or ""):
            missing.append(f"caesura:VERSION at the end, such as caesura:{__version__}")
        if data not in (None, UNKNOWN_DATA) and not re.fullmatch(rf"[0-9a-f]{{{DATA_DIGITS}}}", data):
            missing.append(f"digits of data:{data}, which has {len(data)} of {DATA_DIGITS}")
        return SignatureParts(tuple(entries), value, data, version, missing=tuple(missing))
    # A terminal without the dot prints a question mark.
    head, *tail = map(str.strip, re.split(r"·|(?<=\s)\?(?=\s)", text))
    match = _SHORT.fullmatch(head)
    known = dict(part.split(" ", 1) for part in tail if " " in part)
    version, data = known.get("caesura"), known.get("data")
    if match is None or match["rest"].strip():
        missing.append("the value, as in 'B(n_t=2) = .7500'")
    if version is None or not _VERSION.fullmatch(version):
        missing.append(f"the version, as in 'caesura {__version__}'")
    if data is None or not re.fullmatch(rf"[0-9a-f]{{{SHORT_DATA},{DATA_DIGITS}}}", data):
        missing.append(f"the fingerprint of the data, as in 'data 84fe092b' ({SHORT_DATA} digits)")
        data = None
    label, value = (head, None) if match is None else (match["label"], match["value"].replace("−", "-"))
    return SignatureParts(((label.strip(), ""),), value, data, version, short=True, missing=tuple(missing))


def _row(entry: Any) -> dict[str, Any]:
    plain = to_plain(entry)
    return plain if isinstance(plain, dict) else {"value": plain}


_check_beta = non_negative()


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: a matched pair of boundaries, or a boundary that was changed, moved, deleted or inserted.

    Parameters
    ----------
    kind : str
        ``match``, ``substitution``, ``transposition``, ``transposition with substitution``, ``deletion`` (only the first
        side has the boundary) or ``insertion`` (only the second side has it).
    a_position, b_position : int or None
        Positions on both sides; None on the side without a boundary. In a dialogue, positions are counted in the stream.
    a_type, b_type : str or None
        Boundary types on both sides.
    cost : float
        Cost of the edit.
    stream : str, optional
        Name of the stream, in a dialogue.
    """

    kind: str
    a_position: int | None
    b_position: int | None
    a_type: str | None
    b_type: str | None
    cost: float
    stream: str | None = None

    @property
    def position(self) -> int:
        """The leftmost position of the edit."""
        return min(position for position in (self.a_position, self.b_position) if position is not None)

    @property
    def distance(self) -> int:
        """Number of positions between both sides; 0 if only one side has a boundary."""
        return 0 if self.a_position is None or self.b_position is None else abs(self.a_position - self.b_position)


class Parts(Mapping[str, Any]):
    """The additive counts of a score, in a fixed order.

    Iteration, length and equality use only the counts, so that counts can be summed. Figures derived from the counts (such as
    precision) can also be looked up: ``score.parts["precision"]``; they may be a function of the counts.
    """

    __slots__ = ("_figures", "_known")

    def __init__(
        self,
        counts: Mapping[str, float],
        figures: Mapping[str, float] | Callable[[Mapping[str, float]], Mapping[str, float]] | None = None,
    ) -> None:
        self._known: Any = dict(counts)
        self._figures = figures or {}

    @classmethod
    def of_row(cls, names: tuple[str, ...], row: Floats, figures: Any) -> Parts:
        """Return the parts in a row of counts, which become a dictionary when they are first needed."""
        self = cls.__new__(cls)
        self._known, self._figures = (names, row.tolist()), figures or {}
        return self

    @property
    def _counts(self) -> dict[str, float]:
        if type(self._known) is tuple:
            names, row = self._known
            self._known = dict(zip(names, [int(x) if x.is_integer() else x for x in row], strict=True))
        return self._known  # type: ignore[no-any-return]

    def __getitem__(self, name: str) -> Any:
        return self._counts[name] if name in self._counts else self.figures[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return Parts, (self._counts, dict(self.figures))

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __hash__(self) -> int:
        return hash(tuple(self._counts.items()))

    def __repr__(self) -> str:
        return repr(self._counts)

    def __json__(self) -> dict[str, float]:
        return self._counts

    @property
    def figures(self) -> Mapping[str, float]:
        """Figures derived from the counts."""
        if not isinstance(self._figures, MappingProxyType):
            figures = self._figures(self._counts) if callable(self._figures) else self._figures
            self._figures = MappingProxyType(dict(figures))
        return self._figures


class _Measure(Protocol):
    @property
    def name(self) -> str:
        """Name in the registry."""

    @property
    def label(self) -> str:
        """Short text form, for tables."""

    def total(self, scores: list[Score]) -> Score:
        """Return the score of all documents together."""

    def edits_of(self, source: Any) -> tuple[Edit, ...] | None:
        """Return the edits that align both sides."""

    def signature_of(self, score: Score) -> str:
        """Return the name and every resolved option of a score in one line."""


@dataclass(frozen=True, eq=False)
class Score(Result):
    """The result of a measure.

    ``float(score)`` is ``score.value``. Scores of the same measure can be added: ``a + b`` is the score of both documents
    together, computed from the summed ``parts``. ``sum(scores)`` works in the same way.

    Parameters
    ----------
    measure : Measure
        The measure with its options; ``parse`` restores it from its ``repr``.
    value : float
        The score.
    parts : Parts
        The additive counts.
    params : mapping
        Every option with its resolved value.
    types : tuple of str
        Boundary types that the score distinguishes.
    documents : int, default 1
        Number of documents.
    source : object, optional
        Input of the alignment; edits are computed from it when needed.
    data : str, optional
        Fingerprint of the data. Tasks set it; the score of a single function call has none.
    origin : tuple of str
        First entries of the signature, if the score is part of a larger result.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("figures", "signature")

    measure: _Measure
    value: float
    parts: Parts
    params: Mapping[str, Any]
    types: tuple[str, ...] = field(metadata=HIDDEN)
    documents: int = 1
    source: Any = field(default=None, repr=False, metadata=HIDDEN)
    data: str | None = None
    origin: tuple[str, ...] = field(default=(), repr=False, metadata=HIDDEN)

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """Return the score with these fields, which are not checked; measures create their scores with it.

        Parameters
        ----------
        **values : object
            Fields by name. Fields with a default may be missing. Instead of ``source``, there may be ``find_source``, a
            function that returns it.

        Returns
        -------
        Score
        """
        self = cls.__new__(cls)
        self.__dict__.update(values)  # one step instead of one call per field, which a frozen dataclass needs
        return self

    def __float__(self) -> float:
        return self.value

    @cached_property
    def signature(self) -> str:
        """One line with everything needed to reproduce the score, and with the value if the data are known."""
        line = "|".join([*self.origin, self.measure.signature_of(self)])
        return line if self.data is None else with_data(line, self.data, self.value)

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """All edits from left to right; None if the measure does not align boundaries."""
        find_edits = self.__dict__.get("find_edits")
        if find_edits is not None:
            return find_edits()  # type: ignore[no-any-return]
        return None if self.source is None else self.measure.edits_of(self.source)

    def with_edits_from(self, find_edits: Callable[[], tuple[Edit, ...] | None]) -> Self:
        """Return the score itself, whose edits a function finds when they are needed.

        Parameters
        ----------
        find_edits : callable
            Function that returns the edits, the same as those of ``source``.

        Returns
        -------
        Score
        """
        self.__dict__["find_edits"] = find_edits
        return self

    @property
    def figures(self) -> dict[str, float]:
        """Additional figures such as precision and recall."""
        return dict(self.parts.figures)

    def __add__(self, other: object) -> Score:
        if isinstance(other, Score):
            return self.measure.total([self, other])
        return self if other == 0 else NotImplemented

    __radd__ = __add__

    def _key(self) -> tuple[Any, ...]:
        return (self.measure, self.value, self.parts, self.measure.signature_of(self), self.documents)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Score) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _restore, (type(self), values | {"params": dict(self.params)})

    def __repr__(self) -> str:
        text = f"Score({self.value:.6g}, {self.measure!r}, parts={self.parts!r})"
        short = f"Score({self.value:.6g}, {self.measure.label}, parts=<{len(self.parts)} entries>)"
        return text if len(text) <= 5 * MAX_COLUMNS else short

    def precision(self) -> float:
        """Return the precision.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no precision.
        """
        return self._figure("precision")

    def recall(self) -> float:
        """Return the recall.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no recall.
        """
        return self._figure("recall")

    def f(self, *, beta: float = 1.0) -> float:
        """Return F-beta.

        Parameters
        ----------
        beta : float, default 1
            Weight of recall relative to precision.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no precision and recall.
        """
        return f_measure(self.precision(), self.recall(), beta)

    def _figure(self, name: str) -> float:
        if name not in self.parts.figures:
            raise AttributeError(f"{self.measure.name} has no {name}")
        return self.parts.figures[name]


class _Source:
    """The input of the alignment of a score that was made from ``find_source``: it is found when it is first needed."""

    def __get__(self, score: Score | None, kind: type[Score]) -> Any:
        find_source = None if score is None else score.__dict__.get("find_source")
        if score is None or find_source is None:
            return None
        source = score.__dict__["source"] = find_source()  # from now on, the entry hides this descriptor
        return source


Score.source = _Source()  # a field with this value would be None in every score


def _restore(kind: type[Score], values: dict[str, Any]) -> Score:
    return kind(**values | {"params": MappingProxyType(values["params"])})


def ratio(part: float, whole: float, boundaries: float) -> float:
    """Return precision or recall; without a denominator it is 1 if neither side has boundaries, and 0 otherwise."""
    if whole > 0:
        return part / whole
    return 0.0 if boundaries > 0 else 1.0


def f_measure(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of precision and recall, 0 if both are 0."""
    checked = _check_beta("beta", beta)
    weight = checked * checked
    weighted = weight * precision + recall
    return (1 + weight) * precision * recall / weighted if weighted > 0 else 0.0
