"""Base classes of the model: immutable values, and objects that notebooks display as HTML.

``views/`` creates the HTML, but the model must not import it; see :mod:`caesura.model.hooks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from caesura.model.hooks import render

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# Whole numbers of any Python or numpy type, before they are checked.
Numbers = Sequence[int] | NDArray[Any]
# Strings, before they are checked.
Texts = Iterable[str]

# Largest number of units in a text that the kernels can index.
MAX_UNITS = 2**31 - 1
# Largest time in seconds, so that sums and differences stay exact to a tenth of a millisecond.
MAX_SECONDS = 1e12


class Value:
    """Base class of immutable objects that compare by their content."""

    # A subclass sets its slots with ``_fill``. The slots determine equality and hash; what follows from them is a cached
    # property, which is neither compared nor pickled.

    __slots__ = ("__dict__",)

    def _fill(self, **slots: Any) -> None:
        """Set the slots. Arrays become read-only; an array that other code may still change is copied first."""
        for name, value in slots.items():
            object.__setattr__(self, name, read_only(value) if isinstance(value, np.ndarray) else value)

    @classmethod
    def _trusted(cls, **slots: Any) -> Self:
        self = cls.__new__(cls)
        self._fill(**slots)
        return self

    def _with(self, **slots: Any) -> Self:
        return self._trusted(**self.__getstate__() | slots)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fill(**state)

    def _key(self) -> Any:
        """Return the content that determines equality and hash; arrays as bytes."""
        values = self.__getstate__().values()
        return tuple(value.tobytes() if isinstance(value, np.ndarray) else value for value in values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or bool(self._key() == other._key())

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} objects are immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} objects are immutable; cannot delete {name!r}")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    base: Any = array.base
    if array.flags.writeable or not (base is None or type(base) is bytes):
        array = array.copy()
        array.setflags(write=False)
    return array


def frozen_array(values: Sequence[int]) -> Ints:
    array = np.array(values, np.int64)
    array.setflags(write=False)
    return array


class Displayed:
    """Mixin with ``_repr_html_``, the method that notebooks call."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return render(self)


def list_few(names: Sequence[str], limit: int = 5) -> str:
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


T = TypeVar("T")


class OnDemand(Sequence[T]):
    """A sequence whose entries are built whenever they are asked for, because there may be millions of them."""

    def __init__(self, build: Callable[[int], T], numbers: range) -> None:
        self._build = build
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> OnDemand[T]: ...
    def __getitem__(self, place: int | slice) -> T | OnDemand[T]:
        if isinstance(place, slice):
            return OnDemand(self._build, self._numbers[place])
        return self._build(self._numbers[place])

    def __iter__(self) -> Iterator[T]:
        return map(self._build, self._numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
