"""Results: the base class, scores of measures, and signatures.

A result is a frozen dataclass that derives from :class:`Result`. No result class writes its own JSON:
:mod:`caesura.model.plain` converts every result to dictionaries, lists, strings and numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property, wraps
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, ParamSpec, Protocol, Self, TypeVar

from caesura.model.plain import flatten, key_text, to_frame, to_plain
from caesura.model.signature import data_of, with_data
from caesura.model.value import Displayed, Floats
from caesura.notices import record_warnings
from caesura.options import non_negative
from caesura.version import __version__

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
    """Decorate a function so that its result has the warnings of the computation as ``result.warnings``.

    Parameters
    ----------
    function : callable
        Function that returns a result.

    Returns
    -------
    callable
        The function. Warnings are issued as before, and each call and thread has its own.
    """

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
    """Return a dataclass as text of at most 10 lines.

    Parameters
    ----------
    value : object
        A dataclass.

    Returns
    -------
    str
        Name and fields, in one line if they fit. Long tables are given by their number of entries.
    """
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
    """Return the signature of a result: one line with everything needed to reproduce the result.

    Parameters
    ----------
    *words : str
        First words of the line, such as the names of the function and the coefficient.
    over : str, optional
        Signature at the end of the line, such as that of the measure, which contains the version. Without it, the version
        is added.
    **facts : object
        ``name:value`` entries. Entries whose value is None are left out.

    Returns
    -------
    str
        The line.
    """
    entries = [f"{name}:{signature_value(value)}" for name, value in facts.items() if value is not None]
    return "|".join([*words, *entries, over if over is not None else f"caesura:{__version__}"])


def signature_value(value: object) -> str:
    """Format a value for a signature: booleans as yes or no, None as ``auto``, without line breaks and bars.

    Parameters
    ----------
    value : object
        Value of an option.

    Returns
    -------
    str
        The formatted value.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "auto"
    return str(value).replace("|", "¦").replace("\n", " ")


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
    """The additive counts from which a score is computed, in a fixed order.

    Iteration, length and equality use only the counts, so that counts can be summed. Figures derived from the counts
    (precision, recall, f) can also be looked up: ``score.parts["precision"]``.

    Parameters
    ----------
    counts : mapping of str to float
        The counts.
    figures : mapping of str to float, or callable, optional
        Figures derived from the counts, or a function of the counts that computes them when they are first needed.
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
        """Return the parts in a row of counts, which become a dictionary when they are first needed.

        Parameters
        ----------
        names : tuple of str
            Name of each count.
        row : numpy.ndarray
            The counts.
        figures : callable or None
            Function of the counts that returns the figures.

        Returns
        -------
        Parts
        """
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
    """Return precision or recall, which is also defined if the denominator is 0.

    Parameters
    ----------
    part, whole : float
        Numerator and denominator.
    boundaries : float
        Total number of boundaries on both sides.

    Returns
    -------
    float
        ``part / whole``. If ``whole`` is 0, the result is 1 if neither side has boundaries, and 0 otherwise.
    """
    if whole > 0:
        return part / whole
    return 0.0 if boundaries > 0 else 1.0


def f_measure(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of precision and recall.

    Parameters
    ----------
    precision, recall : float
        Numbers from 0 to 1.
    beta : float, default 1
        Weight of recall relative to precision, at least 0.

    Returns
    -------
    float
        0 if both are 0.

    Raises
    ------
    OptionError
        If ``beta`` is negative, infinite or not a number.
    """
    checked = _check_beta("beta", beta)
    weight = checked * checked
    weighted = weight * precision + recall
    return (1 + weight) * precision * recall / weighted if weighted > 0 else 0.0
