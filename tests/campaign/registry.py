"""The list of attacks. An attack is a function that tries one input and says how that ended."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

SECONDS = 5.0
"""Processor time that one input may take."""
MEGABYTES = 1024
"""Memory that one input may take."""
MODULES = ("damaged", "bad_input", "round_trips", "commands", "accidents")
"""Modules of this folder that register attacks."""


@dataclass(frozen=True)
class Case:
    """One input: the same number and seed give the same input."""

    number: int
    rng: random.Random
    folder: Path  # shared by all inputs of a worker


@dataclass(frozen=True)
class Attack:
    """A kind of input."""

    name: str
    run: Callable[[Case], str]  # tries an input and returns a word for how it ended; any exception is a failure
    share: float  # of the inputs, relative to the other attacks
    seconds: float  # processor time that an input may take, including the processes that it starts
    megabytes: int  # memory that an input may take beyond what the process had before
    total: int | None  # number of different inputs, if they are not random
    quick: int = 0  # number of inputs in the version of two minutes, which does not depend on the speed of the machine
    prepare: Callable[[Case], object] | None = None  # makes the files of an input; not counted as its time and memory


_attacks: dict[str, Attack] = {}


def attack(
    name: str,
    *,
    share: float = 1.0,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
    total: int | None = None,
    quick: int = 0,
    prepare: Callable[[Case], object] | None = None,
) -> Callable[[Callable[[Case], str]], Callable[[Case], str]]:
    """Register a function as an attack; the parameters are those of :class:`Attack`."""

    def register(run: Callable[[Case], str]) -> Callable[[Case], str]:
        _attacks[name] = Attack(name, run, share, seconds, megabytes, total, quick, prepare)
        return run

    return register


def attacks() -> dict[str, Attack]:
    """Return name -> attack."""
    package = __name__.rpartition(".")[0]
    for module in MODULES:
        import_module(f"{package}.{module}")
    return dict(_attacks)
