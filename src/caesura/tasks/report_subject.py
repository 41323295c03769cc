"""The subject of a report: a corpus with the names of its systems, over units that all coders of an item share."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field

from caesura.errors import OptionError
from caesura.formats.settings import Settings
from caesura.judging.participants import Systems, check_system_names, check_systems
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.common_units import BoundaryTimes, boundary_times
from caesura.model.corpus import Corpus, one_level_as_tiers
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.projection import text_difference
from caesura.model.reading import length_of
from caesura.model.result import HIDDEN, Excluded
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.notices import collect_warnings
from caesura.options import OptionSet, seed, setting, text
from caesura.tasks.measure_choice import (
    KIND_NAMES,
    choose_measures,
    compares_spans,
    default_direct_measures,
    measure_value,
    measures_in_seconds,
)
from caesura.tasks.systems import human_coders
from caesura.tasks.units import on_common_units, spans_as_hierarchies, with_units

# What a page shows in detail: items, those with the least agreement first; figures of a section with one per item; coders of a
# figure or item. Its tables have the rest.
MAX_ITEMS, MAX_FIGURES, MAX_CODERS = 200, 12, 30
# Measure of the precision and recall of boundaries.
CONFUSION = "boundary_confusion(n_t=2)"
_KINDS = {Segmentation: "linear", Dialogue: "dialogue", Hierarchy: "hierarchy", Tree: "trees"}


@dataclass(frozen=True)
class ReportOptions(OptionSet):
    measure: Measure | None = setting(
        None,
        measure_value,
        "Measure that compares coders (default: B and S; S_f and S_f^B for dialogues, kappa for hierarchies, Struct-IoU and "
        "PARSEVAL for trees).",
        flags=("-m", "--measure"),
    )
    seed: int = setting(0, seed, "Random seed for bootstrap and simulated chance agreement.")
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))


@dataclass(frozen=True, eq=False)
class Subject:
    kind: str  # ``linear``, ``dialogue``, ``hierarchy`` or ``trees``
    # Human coders and systems; hierarchies are converted to common units.
    corpus: Corpus = field(metadata=HIDDEN, repr=False)
    # The same corpus as segmentations; hierarchies have levels as types. Trees stay trees.
    boundaries: Corpus = field(metadata=HIDDEN, repr=False)
    human_coders: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]  # measures that compare coders; figures show the first one
    aligner: Measure
    seed: int
    tiers: Corpus | None = field(default=None, metadata=HIDDEN, repr=False)  # the corpus in seconds, if it has tiers
    # Item, coder and stream -> position of a boundary -> the time at which the coder put it, for tiers.
    times: BoundaryTimes = field(default_factory=dict, metadata=HIDDEN, repr=False)

    def without_systems(self, corpus: Corpus) -> Corpus:
        present = frozenset(corpus.coders)
        return corpus.select(coders=[coder for coder in self.human_coders if coder in present])

    def in_detail(self, corpus: Corpus, item: str) -> dict[str, Annotation]:
        """Return the annotations of an item that a page shows: those of ``MAX_CODERS`` coders, the systems among them."""
        by_coder = corpus.of_item(item)
        chosen = set(sorted(by_coder, key=lambda name: name not in self.systems)[:MAX_CODERS])
        return {name: annotation for name, annotation in by_coder.items() if name in chosen}

    @property
    def seconds(self) -> float:
        corpus = self.tiers or Corpus({})
        present = frozenset(self.corpus.item_names)
        recordings = (corpus.of_item(item) for item in corpus.item_names if item in present)
        return math.fsum(max(map(length_of, by_coder.values())) for by_coder in recordings)

    @property
    def units(self) -> int:
        return sum(length_in(self.corpus, item) for item in self.corpus.item_names)


@dataclass(frozen=True, eq=False)
class Preparation:
    """A subject, with what was found out while it was prepared."""

    subject: Subject
    system_names: tuple[str, ...] = ()  # names of all systems, also of those without an item in the subject
    spans: Corpus | None = None  # the spans as they are, if the corpus has spans
    direct: tuple[Measure, ...] = ()  # measures that compare spans or tiers without conversion; empty if there are none
    # Measures under which systems are judged; None for the default measures.
    judge_measures: tuple[Measure, ...] | None = None
    notes: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()


def prepare_subject(
    corpus: Corpus, options: ReportOptions, systems: Systems | None, settings: Settings | None
) -> Preparation:
    excluded: list[Excluded] = []
    joined, system_names = _join_systems(corpus, systems)
    if options.items:
        joined = joined.select(items=options.items)
    if options.measure is None or compares_seconds(options.measure):
        joined = one_level_as_tiers(joined)
    spans = joined if joined.kind == "spans" else None
    tiers = joined if joined.holds(Tier) else None
    requested = () if options.measure is None else (options.measure,)
    direct = _direct_measures(joined, requested, settings)
    # The units of annotations that are compared directly place boundaries in pictures; no number depends on them.
    with collect_warnings() if direct else nullcontext():
        if direct and spans is not None:
            layers = any(map(crosses_itself, joined.values()))
            (joined,), without_units = spans_as_hierarchies([joined], layers=layers)
        else:
            (joined,), without_units = with_units([joined])
    excluded += without_units
    shared = on_common_units(_of_one_kind(joined, excluded), warn=False)
    kind = shared.corpus.kind
    items = shared.corpus.item_names if kind == "trees" else _items_with_same_units(shared.boundaries, excluded)
    joined = shared.corpus.select(items=items)
    requested = () if direct else requested
    measures = choose_measures("report", joined, requested, settings=settings)
    subject = Subject(
        kind=kind,
        corpus=joined,
        boundaries=joined if shared.boundaries is shared.corpus else shared.boundaries.select(items=items),
        human_coders=human_coders(joined, system_names),
        systems=tuple(name for name in system_names if name in joined.coders),
        measures=measures,
        aligner=aligner_for(measures[0], joined),
        seed=options.seed,
        tiers=tiers,
        times={} if tiers is None else boundary_times(tiers),
    )
    judge_measures: tuple[Measure, ...] | None = None
    if kind != "hierarchy" and (requested or settings):
        judge_measures = tuple(dict.fromkeys((*measures, parse(CONFUSION)))) if kind == "linear" else measures
    return Preparation(subject, system_names, spans, direct, judge_measures, shared.notes, tuple(excluded))


def _of_one_kind(corpus: Corpus, excluded: list[Excluded]) -> Corpus:
    """Return the items of the same kind as the first one. Linear texts and dialogues may occur together."""
    if not len(corpus):
        raise OptionError("there is nothing to report: the corpus is empty")
    kinds = {key: _KINDS[type(annotation)] for key, annotation in corpus.items()}
    first = next(iter(kinds.values()))
    fitting = {"linear", "dialogue"} if first in ("linear", "dialogue") else {first}
    reasons: dict[str, str] = {}
    for (item, coder), kind in kinds.items():
        if kind not in fitting:
            plural, expected = KIND_NAMES[kind], KIND_NAMES[first]
            reasons.setdefault(item, f"coder {coder!r} has {plural}, and this report is about {expected}")
    return corpus.select(items=_without(corpus, reasons, excluded)) if reasons else corpus


def _items_with_same_units(boundaries: Corpus, excluded: list[Excluded]) -> tuple[str, ...]:
    differences = {item: text_difference(boundaries.of_item(item)) for item in boundaries.item_names}
    reasons = {item: f"coders differ{text}" for item, text in differences.items() if text is not None}
    return _without(boundaries, reasons, excluded)


def _without(corpus: Corpus, reasons: Mapping[str, str], excluded: list[Excluded]) -> tuple[str, ...]:
    """Return the items that are not in ``reasons``, and exclude the others."""
    excluded += [Excluded(item, None, reason) for item, reason in reasons.items()]
    items = tuple(item for item in corpus.item_names if item not in reasons)
    if not items:
        raise OptionError(f"there is nothing to report: {'; '.join(map(str, excluded[:5]))}")
    return items


def check_coders(coders: Collection[object]) -> None:
    """Raise an error if the figures of a page have no space for so many coders."""
    if len(coders) > MAX_CODERS:
        raise OptionError(f"the figures of a page have space for {MAX_CODERS} coders; got {len(coders):,}")


def length_in(corpus: Corpus, item: str) -> int:
    """Return the number of units of an item, according to its first coder."""
    return int(length_of(next(iter(corpus.of_item(item).values()))))


def _join_systems(corpus: Corpus, systems: Systems | None) -> tuple[Corpus, tuple[str, ...]]:
    """Return one corpus with human coders and systems, and the names of the systems."""
    if systems is None:
        return corpus, ()
    if not isinstance(systems, Mapping):
        names = check_system_names(systems)
        for name in names:
            corpus.of_coder(name)  # raises an error if the coder does not exist
        return corpus, tuple(names)
    by_system = check_systems(systems)
    rows: dict[str, dict[str, Annotation]] = {item: corpus.of_item(item) for item in corpus.item_names}
    for name, by_item in by_system.items():
        if name in corpus.coders:
            raise OptionError(f"system {name!r}: a coder has the same name; rename one of them")
        for item, annotation in by_item.items():
            rows.setdefault(item, {})[name] = annotation
    return Corpus(rows).with_source(corpus.source), tuple(by_system)


def aligner_for(measure: Measure, corpus: Corpus) -> Measure:
    """Return the measure if it aligns boundaries or nodes; otherwise return the default aligner."""
    kind = corpus.kind
    if kind == "trees":
        return measure if measure.name == "struct_iou" else parse("struct_iou")
    if kind == "dialogue" or (kind == "linear" and measure.aligns and measure.symmetric):
        return measure
    # The units of timed hierarchies lie between the marks of the coders: two of them may be many seconds apart, and marks
    # that are near each other are one position.
    timed = any(isinstance(entry, Hierarchy) and entry.edges is not None for entry in corpus.values())
    return parse(f"boundary_similarity(n_t={1 if timed else 2})")


def _direct_measures(corpus: Corpus, requested: tuple[Measure, ...], settings: Settings | None) -> tuple[Measure, ...]:
    """Return the measures that compare tiers or spans without conversion; empty if there are none."""
    if corpus.kind == "spans" and (not requested or compares_spans(requested)):
        with collect_warnings():  # gamma, which the page shows first, allows shifts
            return default_direct_measures("report", [corpus], requested)
    if corpus.kind != "timed":
        return ()
    chosen = default_direct_measures("report", [corpus], requested, settings=settings)
    return measures_in_seconds([corpus], chosen)


def crosses_itself(annotation: Annotation) -> bool:
    if isinstance(annotation, Spans):
        return annotation.first_crossing() is not None
    return isinstance(annotation, Hierarchy) and not annotation.nested
