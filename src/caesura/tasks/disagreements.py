"""Where coders disagree, and the disagreements as an additional tier of a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from caesura.agreement.disagreement_rows import DisagreementPlace, Disagreements
from caesura.agreement.disagreements import disagreements
from caesura.agreement.unitizing_registry import UNITIZING, resolve_unitizing
from caesura.errors import FormatError, OptionConflictError, OptionError
from caesura.formats import encode, format_for_writing, formats
from caesura.formats.format import Format
from caesura.formats.settings import Settings
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus, one_level_as_tiers
from caesura.model.tier import Interval, Point, Tier
from caesura.options import OptionSet, setting, suggest, text
from caesura.tasks.files import item_path, write_all
from caesura.tasks.measure_choice import measures_setting, requested_measures, with_settings
from caesura.tasks.units import spans_as_hierarchies

# Name of the tier that is written.
TIER_NAME = "disagreements"
# Placeholder for the name of the item in the path of a file.
ITEM = "{item}"
_HALF_WIDTH = 0.1  # seconds: how far an interval extends to each side, in formats without points


@dataclass(frozen=True)
class DisagreementOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        "Measure that aligns boundaries and sets the costs, such as B(n_t=3) (default: B; S_f for dialogues; the spans "
        "of hierarchies; gamma for spans)."
    )
    coefficient: str | None = setting(
        None, text, "For spans: gamma with its options, such as 'gamma(alpha=3)' (default: gamma)."
    )
    against: str | None = setting(
        None, text, "Compare every coder with the majority, or with this coder (default: every pair of coders)."
    )
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))


def find_disagreements(
    corpus: Corpus, options: DisagreementOptions | None = None, *, settings: Settings | None = None
) -> Disagreements:
    options = options or DisagreementOptions()
    if len(options.measures) > 1:
        raise OptionConflictError(f"disagreements are listed under one measure; got {len(options.measures)}")
    chosen: Measure | None = next(iter(options.measures), None)
    if settings is not None:
        # A settings file describes boundary types and their similarity, as for the other tasks.
        (chosen,) = with_settings([chosen or default_measures("disagreements", "dialogue")[0]], settings)
    selected = corpus.select(items=options.items or None)
    if options.coefficient is not None:
        if chosen is not None:
            raise OptionConflictError("disagreements come from a measure or from a coefficient for spans; choose one")
        resolved = resolve_unitizing(options.coefficient, {})
        if resolved is None:
            raise OptionError(suggest("coefficient: there is none for spans named", options.coefficient, UNITIZING))
        return disagreements(selected, measure=resolved, against=options.against)
    if chosen is None:
        return disagreements(selected, against=options.against)
    (chosen,) = requested_measures([selected], [chosen], settings=settings)
    (nested,), crossing = spans_as_hierarchies([selected])
    result = disagreements(nested, measure=chosen, against=options.against)
    return replace(result, excluded=(*crossing, *result.excluded))


# -- the tier ---------------------------------------------------------------------------------------------------------


def write_disagreements(result: Disagreements, corpus: Corpus, target: str) -> list[str]:
    """Write tiers in seconds with an additional tier that contains the disagreements."""
    selected = one_level_as_tiers(corpus.select(items=result.items))
    if corpus.kind == "spans":
        raise FormatError(target, None, "disagreements about spans are no tier; write a table with --csv instead")
    paths = {item: target.replace(ITEM, item_path(item)) for item in selected.item_names}
    tiers = {item: tiers for item in paths if (tiers := _tiers_of_item(selected, item))}
    file_format = _check_target(target, tiers, len(paths))
    by_item: dict[str, list[DisagreementPlace]] = {item: [] for item in paths}
    for place in result.places:
        by_item[place.item].append(place)
    corpora = {}
    for item, path in paths.items():
        with_tier = _with_tier(tiers[item], by_item[item], points=file_format.stores_points)
        corpora[path] = Corpus({item: with_tier})
    write_all({path: encode(entry, path, item=entry.item_names[0]) for path, entry in corpora.items()})
    return list(corpora)


def _check_target(target: str, tiers: Mapping[str, Mapping[str, Tier]], items: int) -> Format:
    """Return the format of the file, or raise an error if it cannot store the tiers."""
    file_format = format_for_writing(target, Corpus({"item": {"coder": Tier(end=1.0)}}))
    if not _stores_tiers(file_format):
        suffixes = ", ".join(
            suffix for entry in formats().values() if _stores_tiers(entry) for suffix in entry.suffixes
        )
        raise FormatError(target, None, f"{file_format.name} cannot store several tiers; write one of {suffixes}")
    if len(tiers) < items or not tiers:
        raise FormatError(
            target,
            None,
            "the boundaries have no times, so that there is no tier to write; write a table with --csv instead",
        )
    if items > 1 and ITEM not in target:
        path = Path(target)
        hint = f"choose one with --item, or write one file per item: {path.with_name(ITEM + path.suffix)}"
        raise FormatError(target, None, f"this format stores one item and the corpus has {items}; {hint}")
    return file_format


def _stores_tiers(entry: Format) -> bool:
    return entry.write is not None and Tier in entry.annotation_types and "coder" not in entry.names_from_file


def _tiers_of_item(corpus: Corpus, item: str) -> dict[str, Tier]:
    """Return the tiers of an item by coder, or by coder and stream; empty if an annotation has no times."""
    tiers: dict[str, Tier] = {}
    for coder, annotation in corpus.of_item(item).items():
        by_stream = tiers_of(annotation)
        if not by_stream:
            return {}
        for stream, tier in by_stream.items():
            tiers[f"{coder} {stream}" if stream else coder] = tier
    words = next((tier.words for tier in tiers.values() if tier.words is not None), None)
    if words and len({tier.words for tier in tiers.values()}) > 1:  # a file has one word tier
        for name, tier in tiers.items():
            begin, end = min(tier.begin, words[0].start), max(tier.end, words[-1].end)
            tiers[name] = Tier(tier.intervals, begin, end, tier.points, words, tier.open_end)
    return tiers


def _with_tier(tiers: Mapping[str, Tier], places: Sequence[DisagreementPlace], *, points: bool) -> dict[str, Tier]:
    """Add one tier with the disagreements, or one per stream."""
    first = next(iter(tiers.values()))
    begin, end = min(tier.begin for tier in tiers.values()), max(tier.end for tier in tiers.values())
    by_stream: dict[str | None, list[DisagreementPlace]] = {}
    for place in places:
        by_stream.setdefault(place.stream, []).append(place)
    result = dict(tiers)
    for stream, group in (by_stream or {None: []}).items():
        name = TIER_NAME if stream is None else f"{TIER_NAME} {stream}"
        while name in result:
            name += " 2"
        marks = _marks(group)
        if points:
            result[name] = Tier((), begin, end, [Point(start, label) for start, _, label in marks], first.words)
        else:
            result[name] = Tier(_widened(marks, begin, end), begin, end, None, first.words)
    return result


def _marks(places: Sequence[DisagreementPlace]) -> list[Interval]:
    """Return first and last time and label of each place, in order; places that begin at the same time are joined."""
    marks: dict[float, Interval] = {}
    for place in sorted((place for place in places if place.times), key=lambda place: place.times):
        start, end = place.times[0], place.times[-1]
        earlier = marks.get(start)
        label = place.label if earlier is None else f"{earlier.label}; {place.label}"
        marks[start] = Interval(start, end, label)
    return list(marks.values())


def _widened(marks: Sequence[Interval], begin: float, end: float) -> list[Interval]:
    """Return intervals around the marks that do not overlap, for formats without points."""
    if not marks:
        return []
    middles = [(first.start + second.start) / 2 for first, second in pairwise(marks)]
    limits = zip([begin, *middles], [*middles, end], strict=True)
    return [
        Interval(max(low, mark.start - _HALF_WIDTH), min(high, max(mark.start, mark.end) + _HALF_WIDTH), mark.label)
        for mark, (low, high) in zip(marks, limits, strict=True)
    ]
