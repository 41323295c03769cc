"""Sequences whose entries are built when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

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
