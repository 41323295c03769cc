"""Recipes: what other programs do to their data before and after a measure.

A recipe belongs to a program or a shared task whose numbers people compare with: how its files are read, what is converted
before a measure counts, which measures it has with which options (among them how items are averaged), and which mistakes of
the program its numbers repeat. Each file of ``caesura.benchmarks`` registers its own. Presets that only set options of a paper
or a library are no recipes; they stand beside the class of the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from caesura.errors import CaesuraError
from caesura.model.batch import Batch

Options = Mapping[str, Any]
Prepare = Callable[[Batch], tuple[Batch, dict[int, CaesuraError]]]
_RECIPES: dict[str, Recipe] = {}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    name: str  # name of the preset: ``compat="superdialseg"``
    title: str  # the program or the shared task
    measures: Mapping[str, Options]  # name of a measure -> the options that the program sets
    # Name of a measure -> the mistakes of the program that its number repeats.
    mistakes: Mapping[str, str] = field(default_factory=dict)
    # How its measures count, beyond their options: each family of measures reads its own names.
    rules: Mapping[str, Any] = field(default_factory=dict)
    reading: Options = field(default_factory=dict)  # options with which files must be read
    conversion: str = ""  # what ``prepare`` does, in a few words
    # Converts pairs that the measure can compare; returns the batch, and an error for each row that cannot be converted.
    prepare: Prepare | None = None
    undo: Callable[[Any], Any] | None = None  # removes what ``reading`` added to an annotation, for the plain number
    kept_in_plain: tuple[str, ...] = ()  # measures whose plain number is one of converted pairs too
    seconds: bool = False  # whether recordings are compared in seconds, even if they can become texts of common units


def register(recipe: Recipe) -> None:
    _RECIPES[recipe.name] = recipe


def recipes() -> Mapping[str, Recipe]:
    """Return all recipes by name; the first call imports those that come with caesura."""
    import_module("caesura.benchmarks")
    return _RECIPES


def recipe_of(measure: str, preset: str | None) -> Recipe | None:
    """Return the recipe of a measure that has the name of a preset; None if the preset only sets options."""
    recipe = None if preset is None else recipes().get(preset)
    return recipe if recipe is not None and measure in recipe.measures else None


def recipes_of(measure: str) -> tuple[Recipe, ...]:
    return tuple(recipe for recipe in recipes().values() if measure in recipe.measures)


class Presets:
    """Attribute of a class of measures: the presets that stand beside the class, and those of recipes."""

    def __init__(self, own: Mapping[str, Options] = MappingProxyType({})) -> None:
        self.own = own

    def __get__(self, _: Any, owner: Any) -> Mapping[str, Options]:
        recipes = {recipe.name: recipe.measures[owner.name] for recipe in recipes_of(getattr(owner, "name", ""))}
        return MappingProxyType({**self.own, **recipes, **self.own})  # those beside the class come first, and win
