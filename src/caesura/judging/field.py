"""Who takes part: coders, systems and the items they share, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, kind_name
from caesura.model.segmentation import Segmentation
from caesura.model.tokens import text_difference

__all__ = ["Field", "Systems", "enter"]

Systems = Sequence[str] | Mapping[str, Mapping[str, Segmentation | Mapping[str, Segmentation]]] | Corpus
"""Names of coders in the corpus who are programs; or system -> item -> segmentation; or a corpus of systems."""


@dataclass(frozen=True, eq=False)
class Field:
    """Coders and systems side by side."""

    items: tuple[str, ...]
    """Those of the coders, in the order of the corpus."""
    coders: Mapping[str, Mapping[str, Annotation]] = field(repr=False)
    """Item -> coder -> segmentation."""
    systems: Mapping[str, Mapping[str, Annotation]] = field(repr=False)
    """System -> item -> segmentation, of items that a coder has too."""
    excluded: tuple[str, ...]
    """What is missing, in words: a system without an item is scored on what it has, and never in silence."""

    @property
    def names(self) -> tuple[str, ...]:
        """All coders, in order of appearance."""
        return tuple(dict.fromkeys(coder for by in self.coders.values() for coder in by))

    def corpus(self, *, system: str | None = None) -> Corpus:
        """The coders as a corpus; with a system, on the items it has and as one coder more."""
        if system is None:
            return Corpus({item: dict(by) for item, by in self.coders.items()})
        mine = self.systems[system]
        return Corpus({item: {**self.coders[item], system: mine[item]} for item in self.items if item in mine})


def enter(corpus: Corpus, systems: Systems) -> Field:
    """Sort out who is who."""
    named, people = _split(corpus, systems)
    if not named:
        raise OptionError("systems: at least one is needed; got none")
    excluded: list[str] = []
    for name in named:
        if name in people.coders:
            raise OptionError(f"system {name!r}: a coder has the same name; rename one of them")
    coders: dict[str, dict[str, Annotation]] = {}
    for item in people.item_names:
        said = text_difference(people.of_item(item))
        if said is None:
            coders[item] = people.of_item(item)
        else:
            excluded.append(f"item {item!r} left out, coders differ{said}")
    if not coders:
        raise OptionError(f"no item is left to judge on: {'; '.join(excluded[:5])}")
    taken: dict[str, dict[str, Annotation]] = {}
    for name, given in named.items():
        before = len(excluded)
        taken[name] = _fitting(name, given, coders, excluded)
        if not taken[name]:
            raise OptionError(
                f"{'; '.join(excluded[before : before + 5])}; nothing is left to judge system {name!r} on"
            )
    return Field(tuple(coders), coders, taken, tuple(excluded))


def _fitting(
    name: str, given: Mapping[str, object], coders: Mapping[str, Mapping[str, Annotation]], excluded: list[str]
) -> dict[str, Annotation]:
    """The items of a system that a coder has too, over the same units; what does not fit is named."""
    strange = [item for item in given if item not in coders]
    missing = [item for item in coders if item not in given]
    if strange:
        excluded.append(f"system {name!r}: no coder can be held against {_listed(strange)}; left out")
    if missing:
        have = len(coders) - len(missing)
        rest = f"; scored on {have} of {len(coders)} items" if have else ""
        excluded.append(f"system {name!r} lacks {_listed(missing)}{rest}")
    taken = {}
    for item, by in coders.items():
        if item not in given:
            continue
        mine = _annotation(name, item, given[item])
        said = text_difference({**by, name: mine})
        if said is None:
            taken[item] = mine
        else:
            excluded.append(f"system {name!r}, item {item!r} left out{said}")
    return taken


def _split(corpus: Corpus, systems: Systems) -> tuple[dict[str, Mapping[str, object]], Corpus]:
    if isinstance(systems, Corpus):
        return {name: systems.of_coder(name) for name in systems.coders}, corpus
    if isinstance(systems, Mapping):
        made: dict[str, Mapping[str, object]] = {}
        for name, given in systems.items():
            if not isinstance(given, Mapping) or isinstance(given, Dialogue):
                raise OptionError(
                    f"system {name!r}: a mapping item -> segmentation is needed; got {type(given).__name__}"
                )
            if str(name) in made:
                raise OptionError(f"system {name!r}: the name stands for two that differ in kind only")
            made[str(name)] = {str(item): one for item, one in given.items()}
        return made, corpus
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise OptionError(
            "systems: names of coders in the corpus, a mapping system -> item -> segmentation or a Corpus is needed; "
            f"got {systems!r}"
        )
    listed = list(systems)
    if strange := [name for name in listed if not isinstance(name, str)]:
        raise OptionError(f"systems: a name is a string; got {type(strange[0]).__name__}")
    names = list(dict.fromkeys(listed))
    people = [coder for coder in corpus.coders if coder not in names]
    if not people:
        raise OptionError("coders: at least one is needed to judge against; all of the corpus are systems")
    made = {name: corpus.of_coder(name) for name in names}
    return made, corpus.select(coders=people)


def _annotation(system: str, item: str, given: object) -> Annotation:
    if isinstance(given, (Segmentation, Dialogue)):
        return given
    if isinstance(given, Mapping):
        return Dialogue(given)
    raise OptionError(f"system {system!r}, item {item!r}: a Segmentation is needed; got {kind_name(given)}")


def _listed(items: Sequence[str]) -> str:
    shown = ", ".join(map(repr, items[:5])) + (f" and {len(items) - 5} more" if len(items) > 5 else "")
    return f"item {shown}" if len(items) == 1 else f"items {shown}"
