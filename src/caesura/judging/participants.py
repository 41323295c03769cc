"""Collect the coders, the systems and the items they share, and check them before anything is scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from caesura.errors import HierarchyError, OptionError
from caesura.model.annotation import tiers_of
from caesura.model.common_units import short_spans_note
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, kind_name
from caesura.model.fingerprint import fingerprint_of
from caesura.model.hierarchy import Hierarchy, common_units
from caesura.model.projection import are_same_texts, text_difference
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.value import list_few
from caesura.notices import warn

# Names of the corpus's coders that are systems; or a mapping system -> item -> segmentation; or a corpus of systems.
Systems = Sequence[str] | Mapping[str, Mapping[str, Annotation | Mapping[str, Segmentation]]] | Corpus

# Item -> coder -> annotation, or system -> item -> annotation.
Annotations = Mapping[str, Mapping[str, Annotation]]
# Message if other annotations are to be compared with a crisp gold standard.
NEEDS_SEGMENTATIONS = "the comparison of crisp and fuzzy evaluation needs segmentations without streams"


@dataclass(frozen=True, eq=False)
class Participants:
    items: tuple[str, ...]  # the items of the coders, in the order of the corpus
    coders: Annotations = field(repr=False)  # item -> coder -> annotation
    systems: Annotations = field(repr=False)  # system -> item -> annotation, for items that a coder annotated too
    # Items that a system lacks or that cannot be compared; ``coder`` may be the name of a system.
    excluded: tuple[Excluded, ...]

    @cached_property
    def coder_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(coder for by_coder in self.coders.values() for coder in by_coder))

    @cached_property
    def kind(self) -> str:
        """Kind of the coders' data: ``"linear"``, ``"dialogue"``, ``"timed"`` or ``"hierarchy"``; see ``Corpus.kind``."""
        annotations = [annotation for by_coder in self.coders.values() for annotation in by_coder.values()]
        if any(tiers_of(annotation) for annotation in annotations):
            return "timed"
        if any(isinstance(annotation, Hierarchy) for annotation in annotations):
            return "hierarchy"
        if any(isinstance(annotation, Spans) for annotation in annotations):
            return "spans"
        return "linear" if all(isinstance(annotation, Segmentation) for annotation in annotations) else "dialogue"

    @cached_property
    def fingerprint(self) -> str:
        by_item = {item: dict(by_coder) for item, by_coder in self.coders.items()}
        for system, of_system in self.systems.items():
            for item, annotation in of_system.items():
                by_item[item][system] = annotation
        return fingerprint_of(by_item.items())

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """System -> fingerprint of the annotations of the system and of the coders on its items."""
        if len(self.systems) == 1 and all(len(by_item) == len(self.items) for by_item in self.systems.values()):
            return dict.fromkeys(self.systems, self.fingerprint)  # the same annotations
        return {system: self.to_corpus(system=system).fingerprint for system in self.systems}

    def to_corpus(self, *, system: str | None = None) -> Corpus:
        if system is None:
            return Corpus({item: dict(by_coder) for item, by_coder in self.coders.items()})
        by_item = self.systems[system]
        return Corpus({item: {**self.coders[item], system: by_item[item]} for item in self.items if item in by_item})


def collect_participants(corpus: Corpus, systems: Systems, *, common_units: bool = True) -> Participants:
    """Return the coders and systems, with the items on which they can be compared."""
    by_system, human_corpus = _separate_systems(corpus, systems)
    if not by_system:
        raise OptionError("systems: expected at least one; got none")
    for name in by_system:
        if name in human_corpus.coders:
            raise OptionError(f"system {name!r}: a coder has the same name; rename one of them")
    if human_corpus.kind == "hierarchy" and common_units:
        by_system, human_corpus = _over_common_units(by_system, human_corpus)
    excluded: list[Excluded] = []
    coders: dict[str, dict[str, Annotation]] = {}
    for item in human_corpus.item_names:
        difference = _difference(human_corpus.of_item(item))
        if difference is None:
            coders[item] = human_corpus.of_item(item)
        else:
            excluded.append(Excluded(item, None, f"coders differ{difference}"))
    if not coders:
        raise OptionError(f"no item is left to judge on: {_first(excluded)}")
    comparable: dict[str, dict[str, Annotation]] = {}
    for name, by_item in by_system.items():
        before = len(excluded)
        comparable[name] = _comparable_items(name, by_item, coders, excluded)
        if not any(item in coders for item in by_item):
            raise OptionError(
                f"system {name!r} has no item in common with the coders, who have {_name_list(coders)}; "
                f"got {_name_list(by_item)}"
            )
        if not comparable[name]:
            raise OptionError(f"system {name!r} has no item that can be judged: {_first(excluded[before:])}")
    return Participants(tuple(coders), coders, comparable, tuple(excluded))


def _difference(by_coder: Mapping[str, Annotation]) -> str | None:
    """Return the first difference between the texts of one item, as the second part of an error message."""
    if are_same_texts(by_coder.values()):
        return None
    others = [coder for coder, entry in by_coder.items() if tiers_of(entry) or isinstance(entry, (Spans, Hierarchy))]
    if not others:
        return text_difference(by_coder)
    for coder, annotation in by_coder.items():
        difference = _difference_from(others[0], by_coder[others[0]], coder, annotation)
        if difference is not None:
            return f": {difference}"
    return None


def _difference_from(first: str, model: Annotation, coder: str, annotation: Annotation) -> str | None:
    """Return how an annotation differs from one with seconds, spans or a hierarchy."""
    if tiers_of(model) or tiers_of(annotation):
        if not (tiers_of(model) and tiers_of(annotation)):
            timed, other = (first, coder) if tiers_of(model) else (coder, first)
            return f"{timed} has seconds and {other} has units; convert both to units"
        same = set(tiers_of(annotation)) == set(tiers_of(model))
        return None if same else f"{first} and {coder} have different streams"
    if type(model) is not type(annotation):
        return f"{first} has {_with_article(model)} and {coder} has {_with_article(annotation)}"
    if isinstance(model, Spans) and isinstance(annotation, Spans):
        if annotation.axis != model.axis:
            return f"{first} has positions in {model.axis} and {coder} in {annotation.axis}"
        for name, sides in (("texts", (model.text, annotation.text)), ("tokens", (model.units, annotation.units))):
            if None not in sides and sides[0] != sides[1]:
                return f"{first} and {coder} have different {name}"
    if isinstance(model, Hierarchy) and isinstance(annotation, Hierarchy):
        if (annotation.edges is None) != (model.edges is None):
            timed, other = (first, coder) if model.edges is not None else (coder, first)
            return f"{timed} has times and {other} has none"
        if annotation.length != model.length and model.edges is None:
            return f"{model.length} units for {first} and {annotation.length} for {coder}"
    return None


def _with_article(annotation: Annotation) -> str:
    return "spans" if isinstance(annotation, Spans) else f"a {type(annotation).__name__.lower()}"


def _over_common_units(
    by_system: Mapping[str, Mapping[str, object]], corpus: Corpus
) -> tuple[dict[str, dict[str, object]], Corpus]:
    """Return systems and coders with timed hierarchies on units that all of them share, item by item."""
    systems = {name: dict(by_item) for name, by_item in by_system.items()}
    coders = {item: corpus.of_item(item) for item in corpus.item_names}
    dropped = 0
    for item, by_coder in coders.items():
        of_systems = {name: by_item[item] for name, by_item in systems.items() if item in by_item}
        entries = {**by_coder, **of_systems}
        timed = {name: entry for name, entry in entries.items() if isinstance(entry, Hierarchy) and entry.edges}
        try:
            shared, short_spans = common_units(timed)
        except HierarchyError:
            continue  # all times are equal; the measures raise the error
        dropped += short_spans
        by_coder |= {coder: shared[coder] for coder in by_coder if coder in shared}
        for name in of_systems.keys() & shared.keys():
            systems[name][item] = shared[name]
    if dropped:
        warn(short_spans_note(dropped))
    return systems, Corpus(coders)


def _first(excluded: Sequence[Excluded]) -> str:
    return "; ".join(map(str, excluded[:5]))


def _name_list(items: Iterable[str]) -> str:
    return list_few([repr(item) for item in items]) or "none"


def _comparable_items(
    system: str, by_item: Mapping[str, object], coders: Annotations, excluded: list[Excluded]
) -> dict[str, Annotation]:
    """Return the items that the system and a coder annotated over the same units; add the others to ``excluded``."""
    excluded += [Excluded(item, system, "no coder annotated this item") for item in by_item if item not in coders]
    comparable = {}
    for item, by_coder in coders.items():
        if item not in by_item:
            excluded.append(Excluded(item, system, "the system did not annotate this item"))
            continue
        annotation = _annotation(system, item, by_item[item])
        difference = _difference({**by_coder, system: annotation})
        if difference is None:
            comparable[item] = annotation
        else:
            excluded.append(Excluded(item, system, f"the system differs from the coders{difference}"))
    return comparable


def _separate_systems(corpus: Corpus, systems: Systems) -> tuple[Mapping[str, Mapping[str, object]], Corpus]:
    """Return system -> item -> annotation, and the corpus of the coders."""
    if isinstance(systems, Mapping):
        return check_systems(systems), corpus
    names = check_system_names(systems)
    coders = [coder for coder in corpus.coders if coder not in names]
    if not coders:
        raise OptionError("coders: expected at least one to judge against; all coders of the corpus are systems")
    return {name: corpus.of_coder(name) for name in names}, corpus.select(coders=coders)


def check_system_names(systems: Sequence[str]) -> list[str]:
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise OptionError(
            "systems must be names of coders in the corpus, a mapping system -> item -> segmentation, or a Corpus; "
            f"got {systems!r}"
        )
    names = list(dict.fromkeys(systems))
    for name in names:
        if not isinstance(name, str):
            raise OptionError(f"systems: a name must be a string; got {type(name).__name__}")
    return names


def check_systems(systems: Mapping[Any, Any]) -> dict[str, dict[str, Any]]:
    """Return the systems as nested dictionaries; names of systems and items are converted to strings."""
    if isinstance(systems, Corpus):
        return {name: systems.of_coder(name) for name in systems.coders}
    checked: dict[str, dict[str, Any]] = {}
    for name, by_item in systems.items():
        if not isinstance(by_item, Mapping) or isinstance(by_item, Dialogue):
            raise OptionError(
                f"system {name!r}: expected a mapping from items to segmentations; got {type(by_item).__name__}"
            )
        if str(name) in checked:
            raise OptionError(f"system {name!r}: the names of two systems are the same string; rename one of them")
        checked[str(name)] = {str(item): annotation for item, annotation in by_item.items()}
    return checked


def _annotation(system: str, item: str, value: object) -> Annotation:
    if isinstance(value, (Segmentation, Dialogue, Hierarchy, Spans, Tier)):
        return value
    if isinstance(value, Mapping):
        return Dialogue(value)
    raise OptionError(f"system {system!r}, item {item!r}: expected a Segmentation; got {kind_name(value)}")
