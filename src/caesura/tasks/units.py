"""Converting tiers, spans and hierarchies, so that all coders of an item have the same units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.errors import InputError, OptionError, SpansError, TierError, own_errors
from caesura.measures.base import Measure
from caesura.measures.needs import UNKNOWN_END
from caesura.model.annotation import tiers_of
from caesura.model.common_units import levels_as_types, over_common_units, tiers_over_units
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded
from caesura.model.spans import Spans
from caesura.model.value import count_of
from caesura.notices import issue, warn
from caesura.options import setting, whole
from caesura.tasks.measure_choice import KIND_NAMES


def level_setting() -> Any:
    description = (
        "Compare hierarchies as segmentations on this level, 1 for the highest: with a boundary wherever a span of this "
        "level or a higher one begins or ends."
    )
    return setting(None, whole(1), description, flags=("--hierarchy-level",))


def at_level(corpora: Sequence[Corpus], level: int | None, measures: Sequence[Measure] = ()) -> list[Corpus]:
    """Turn hierarchies into the segmentations of one level; timed ones over units that all corpora share."""
    if level is None:
        return list(corpora)
    for measure in measures:
        options = [measure.settings.get(name) for name in ("tolerance", "window", "n_t")]
        if "level" in measure.settings and any(isinstance(value, str) and value.endswith("s") for value in options):
            raise OptionError(
                f"--hierarchy-level makes units, and {measure.label} compares seconds; remove the option, and choose the "
                f"level in the measure: -m '{measure.replace(level=level).label}'"
            )
    for corpus in corpora:
        if corpus.kind != "hierarchy":
            raise OptionError(
                f"--hierarchy-level applies to hierarchies; got {KIND_NAMES[corpus.kind]}; remove the option"
            )
    # One corpus, so that all have the same units; the place of the corpus stands before the coder's name.
    entries: dict[str, dict[str, Annotation]] = {}
    for place, corpus in enumerate(corpora):
        for (item, coder), annotation in corpus.items():
            entries.setdefault(item, {})[f"{place} {coder}"] = annotation
    shared = on_common_units(Corpus(entries)).corpus
    hierarchies = {key: entry for key, entry in shared.items() if isinstance(entry, Hierarchy)}
    depth = max((entry.depth for entry in hierarchies.values()), default=0)
    if level > depth:
        raise OptionError(f"--hierarchy-level {level}: the deepest hierarchy has {count_of(depth, 'level')}")
    flat: list[dict[str, dict[str, Annotation]]] = [{} for _ in corpora]
    for (item, key), hierarchy in hierarchies.items():
        number, _, coder = key.partition(" ")
        flat[int(number)].setdefault(item, {})[coder] = hierarchy.at_level(level)
    return [Corpus(by_item).with_origin(corpus) for by_item, corpus in zip(flat, corpora, strict=True)]


def spans_as_hierarchies(
    corpora: Sequence[Corpus], *, layers: bool = False
) -> tuple[list[Corpus], tuple[Excluded, ...]]:
    """Convert spans to hierarchies, for measures of hierarchies; coders of an item get the same length."""
    if not any(corpus.kind == "spans" for corpus in corpora):
        return list(corpora), ()
    lengths: dict[str, float] = {}
    for corpus in corpora:
        for (item, _), annotation in corpus.items():
            if isinstance(annotation, Spans):
                lengths[item] = max(lengths.get(item, 0.0), annotation.length)
    excluded: list[Excluded] = []
    converted = [
        _as_hierarchies(corpus, lengths, excluded, layers=layers) if corpus.kind == "spans" else corpus
        for corpus in corpora
    ]
    if excluded and not all(map(len, converted)):
        raise SpansError(str(excluded[0]))
    return converted, tuple(excluded)


def _as_hierarchies(corpus: Corpus, lengths: Mapping[str, float], excluded: list[Excluded], *, layers: bool) -> Corpus:
    by_item: dict[str, dict[str, Annotation]] = {}
    for (item, coder), annotation in corpus.items():
        if not isinstance(annotation, Spans):
            by_item.setdefault(item, {})[coder] = annotation
            continue
        try:
            with own_errors():
                by_item.setdefault(item, {})[coder] = annotation.to_hierarchy(lengths[item], layers=layers)
        except InputError as error:
            excluded.append(Excluded(item, coder, str(error)))
    kept = {item: by_coder for item, by_coder in by_item.items() if by_coder}
    return Corpus(kept).with_source(corpus.source).with_origin(corpus)


@dataclass(frozen=True)
class CommonUnits:
    corpus: Corpus  # timed hierarchies are converted to common units
    boundaries: Corpus  # the same corpus as segmentations; hierarchies are flattened, with levels as boundary types
    notes: tuple[str, ...] = ()  # messages about spans that were dropped, item by item
    excluded: tuple[Excluded, ...] = ()


def with_units(corpora: Sequence[Corpus], *, needs_lengths: bool = False) -> tuple[list[Corpus], tuple[Excluded, ...]]:
    """Convert tiers in seconds to segmentations, and spans to hierarchies; an item has the same units in all corpora."""
    corpora, crossing = spans_as_hierarchies(corpora)
    tiers = [tier for corpus in corpora for entry in corpus.values() for tier in tiers_of(entry).values()]
    if not tiers:
        return list(corpora), crossing
    if needs_lengths and any(tier.open_end for tier in tiers):
        raise TierError(UNKNOWN_END)
    errors: list[InputError] = []
    converted, notes = tiers_over_units(corpora, excluded=errors)
    for item, note in notes.items():
        warn(f"item {item!r}: {note}")
    if errors and not all(map(len, converted)):
        raise errors[0]
    return converted, (*crossing, *(Excluded(None, None, str(error)) for error in errors))


def on_common_units(corpus: Corpus, *, warn: bool = True, needs_lengths: bool = False) -> CommonUnits:
    """Convert the hierarchies and tiers of a corpus to units that all coders of an item share."""
    (corpus,), excluded = with_units([corpus], needs_lengths=needs_lengths)
    if corpus.kind != "hierarchy":
        return CommonUnits(corpus, corpus, excluded=excluded)
    shared, notes = over_common_units(corpus)
    messages = tuple(f"item {item!r}: {note}" for item, note in notes.items())
    issue(messages if warn else ())
    return CommonUnits(shared, levels_as_types(shared), messages, excluded)
