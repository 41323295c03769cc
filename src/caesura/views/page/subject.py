"""What a report is about, sorted out once: what the corpus holds, who is a program, what is measured with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import OptionError
from caesura.judging.participants import Systems
from caesura.measures.base import Measure
from caesura.measures.registry import measures, parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, kind_name
from caesura.model.hierarchies import levels_as_types, over_common_units
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tokens import text_difference
from caesura.model.tree import Tree

__all__ = ["Subject", "subject_of"]

_KINDS = {Segmentation: "segmentations", Dialogue: "dialogues", Hierarchy: "hierarchies", Tree: "trees"}
_DEFAULTS = {
    "segmentations": ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)"),
    "dialogues": ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')"),
    "hierarchies": ("hierarchy_kappa",),
    "trees": ("struct_iou", "parseval"),
}
_VIEWS = {"hierarchies": "spans", "trees": "trees"}


@dataclass(frozen=True, eq=False)
class Subject:
    """A corpus, ready to be reported on."""

    kind: str
    """``segmentations``, ``dialogues``, ``hierarchies`` or ``trees``."""
    corpus: Corpus
    """People and programs; hierarchies over common units."""
    texts: Corpus | None
    """The same as boundaries, hierarchies with levels as types; None for trees."""
    people: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    """Coders are compared by these; the first is the one that figures show."""
    aligner: Measure
    """Says what became of every boundary, or of every node."""
    seed: int
    excluded: list[str] = field(default_factory=list)
    """What was left out, and why."""
    notes: list[str] = field(default_factory=list)
    """What a reader has to know."""

    def of_people(self, corpus: Corpus) -> Corpus:
        """Without the programs."""
        return corpus.select(coders=[coder for coder in self.people if coder in corpus.coders])


def subject_of(corpus: Corpus, systems: Systems | None, measure: str | Measure | None, seed: int) -> Subject:
    """Who is who, and what goes with what. Items that cannot be shown beside the others are named and left out."""
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: a Corpus is needed; got {type(corpus).__name__}")
    joined, names = _joined(corpus, systems)
    excluded: list[str] = []
    notes: list[str] = []
    kind, kept = _alike(joined, excluded)
    if kind == "hierarchies":
        kept, said = over_common_units(kept)
        notes += [f"item {item!r}: {why}" for item, why in said.items()]
    texts = None if kind == "trees" else levels_as_types(kept) if kind == "hierarchies" else kept
    if texts is not None:
        same = _over_same_units(texts, excluded)
        kept, texts = kept.select(items=same), texts.select(items=same)
    chosen = _measures(measure, kind)
    people = tuple(coder for coder in kept.coders if coder not in names)
    if not people:
        raise OptionError("at least one coder must be a person; all of the corpus are systems")
    return Subject(
        kind=kind,
        corpus=kept,
        texts=texts,
        people=people,
        systems=tuple(name for name in names if name in kept.coders),
        measures=chosen,
        aligner=_aligner(chosen[0], kind),
        seed=seed,
        excluded=excluded,
        notes=notes,
    )


def _joined(corpus: Corpus, systems: Systems | None) -> tuple[Corpus, tuple[str, ...]]:
    """Everybody in one corpus, and the names of the programs."""
    if systems is None:
        return corpus, ()
    by_system: Any = (
        {name: systems.of_coder(name) for name in systems.coders} if isinstance(systems, Corpus) else systems
    )
    if not isinstance(by_system, Mapping):
        if isinstance(by_system, str):
            raise OptionError(f"systems: a list of names, a mapping or a Corpus is needed; got {by_system!r}")
        names = tuple(dict.fromkeys(by_system))
        for name in names:
            corpus.of_coder(name)  # an error if there is none
        return corpus, names
    rows: dict[str, dict[str, Annotation]] = {item: corpus.of_item(item) for item in corpus.item_names}
    for name, given in by_system.items():
        if name in corpus.coders:
            raise OptionError(f"system {name!r}: a coder has the same name; rename one of them")
        if not isinstance(given, Mapping) or isinstance(given, Dialogue):
            raise OptionError(f"system {name!r}: a mapping item -> segmentation is needed; got {type(given).__name__}")
        for item, one in given.items():
            rows.setdefault(str(item), {})[str(name)] = one
    return Corpus(rows), tuple(map(str, by_system))


def _alike(corpus: Corpus, excluded: list[str]) -> tuple[str, Corpus]:
    """What the corpus holds, and the items that hold it."""
    if not len(corpus):
        raise OptionError("nothing is left to report on: the corpus is empty")
    found = {key: _KINDS.get(type(corpus[key])) for key in corpus}
    for key, kind in found.items():
        if kind is None:
            raise OptionError(f"item {key[0]!r}, coder {key[1]!r}: a report needs units; got {kind_name(corpus[key])}")
    kinds = set(found.values())
    first = found[next(iter(corpus))]
    # A text without streams may stand beside dialogues, nothing else goes together.
    chosen = "dialogues" if first in ("segmentations", "dialogues") and "dialogues" in kinds else str(first)
    able = ("segmentations", "dialogues") if chosen == "dialogues" else (chosen,)
    kept = []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        strange = next((coder for coder in by_coder if found[item, coder] not in able), None)
        if strange is not None:
            excluded.append(
                f"item {item!r} left out: coder {strange!r} has {found[item, strange]}, and this report is about {chosen}"
            )
        else:
            kept.append(item)
    if not kept:
        raise OptionError(f"nothing is left to report on: {'; '.join(excluded[:5])}")
    return chosen, corpus.select(items=kept)


def _over_same_units(texts: Corpus, excluded: list[str]) -> list[str]:
    """The items whose coders segmented the same text."""
    differing = {item: text_difference(texts.of_item(item)) for item in texts.item_names}
    excluded += [f"item {item!r} left out, coders differ{said}" for item, said in differing.items() if said is not None]
    same = [item for item, said in differing.items() if said is None]
    if not same:
        raise OptionError(f"nothing is left to report on: {'; '.join(excluded[:5])}")
    return same


def _measures(given: str | Measure | None, kind: str) -> tuple[Measure, ...]:
    if given is None:
        return tuple(map(parse, _DEFAULTS[kind]))
    made = parse(given)
    able = [name for name, one in measures().items() if _applies(one.view, kind)]
    if made.name not in able:
        raise OptionError(f"{made.name} does not apply: this corpus holds {kind}, for which there is {', '.join(able)}")
    return (made,)


def _applies(view: str, kind: str) -> bool:
    if kind == "dialogues":
        return view == "streams"
    return view == _VIEWS[kind] if kind in _VIEWS else view not in _VIEWS.values()


def _aligner(measure: Measure, kind: str) -> Measure:
    """The measure itself if it says what became of each boundary, else the usual one."""
    if kind == "trees":
        return measure if measure.name == "struct_iou" else parse("struct_iou")
    if kind == "dialogues":
        return measure
    if measure.aligns and measure.coefficients:
        return measure
    return parse("boundary_similarity(n_t=2)")
