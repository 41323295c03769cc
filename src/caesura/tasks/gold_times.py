"""Times of a gold standard that was made from tiers in seconds, and the gold standard as a tier."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median

import numpy as np

from caesura.gold.gold import GOLD_CODER, Gold, GoldSpan
from caesura.gold.linear import GoldBoundary, TimeScale
from caesura.gold.tiers import recording_of, tier_of_decisions, tier_of_marks
from caesura.model.common_units import BoundaryTimes, boundary_times
from caesura.model.corpus import Corpus
from caesura.model.dialogue import streams_of, tiers_of
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier
from caesura.model.value import Ints

_DIGITS = 6  # of a second
_MAX_N_T = 1_000_000  # the largest n_t of boundary similarity


def time_scale(converted: Corpus, corpus: Corpus, n_t: float) -> TimeScale:
    """Return the times of the positions of segmentations that were made from tiers."""
    per_second = 10 ** min(_DIGITS, math.floor(math.log10(_MAX_N_T / n_t)))  # decimal fractions of seconds stay exact
    by_place: dict[tuple[str, str], dict[int, list[float]]] = {}
    for (item, _, stream), times in boundary_times(corpus).items():
        for position, time in times.items():
            by_place.setdefault((item, stream), {}).setdefault(position, []).append(time)
    places: dict[tuple[str, str], Ints] = {}
    for item in converted.item_names:
        text = next(iter(converted.of_item(item).values()))
        for stream, side in streams_of(text).items():
            end = max(tiers_of(entry)[stream].end for entry in corpus.of_item(item).values())
            marked = by_place.get((item, stream), {})
            seconds = [median(marked.get(position) or [end]) for position in range(1, side.length + 1)]
            places[item, stream] = np.rint(np.array(seconds) * per_second).astype(np.int64)
    return TimeScale(places, round(n_t * per_second))


def with_times(result: Gold, corpus: Corpus) -> Gold:
    """Return a gold standard whose boundaries have times."""
    times = boundary_times(corpus)
    if not times:
        return result
    tiers: dict[tuple[str, str], list[Tier]] = {}
    for item in result.corpus.item_names:
        for annotation in corpus.of_item(item).values():
            for stream, tier in tiers_of(annotation).items():
                tiers.setdefault((item, stream), []).append(tier)
    return replace(
        result,
        kept=tuple(_with_time(boundary, times) for boundary in result.kept),
        dropped=tuple(_with_time(boundary, times) for boundary in result.dropped),
        recordings={key: recording_of(entries) for key, entries in tiers.items()},
        tiers={key: tuple(entries) for key, entries in tiers.items()},
    )


def _with_time(boundary: GoldBoundary | GoldSpan, times: BoundaryTimes) -> GoldBoundary:
    assert isinstance(boundary, GoldBoundary)
    places = dict.fromkeys(boundary.coders, boundary.position) or boundary.near
    known = [
        times.get((boundary.item, coder, boundary.stream or ""), {}).get(position) for coder, position in places.items()
    ]
    defined = [time for time in known if time is not None]
    return replace(boundary, time=median(defined) if defined else None)


def gold_tiers(result: Gold, *, points: bool) -> Corpus:
    """Return the gold standard as tiers in seconds."""
    labels: dict[tuple[str, str], dict[float, list[str]]] = {key: {} for key in result.recordings}
    for boundary in result.kept:
        if isinstance(boundary, GoldBoundary) and boundary.time is not None:
            at = labels[boundary.item, boundary.stream or ""].setdefault(boundary.time, [])
            at += [] if boundary.type in (None, *UNTYPED) else [str(boundary.type)]
    typed = any(isinstance(boundary, GoldBoundary) and boundary.type is not None for boundary in result.kept)
    by_item: dict[str, dict[str, Tier]] = {}
    for (item, stream), recording in result.recordings.items():
        marks = sorted((time, "+".join(types)) for time, types in labels[item, stream].items())
        coder = f"{GOLD_CODER} {stream}" if stream else GOLD_CODER
        coders = result.tiers.get((item, stream), ())
        if result.in_seconds and any(tier.intervals for tier in coders):
            tier = tier_of_decisions(recording, marks, coders, typed=False)
        else:
            tier = tier_of_marks(recording, marks, points=points and not typed, typed=typed)
        by_item.setdefault(item, {})[coder] = tier
    return Corpus(by_item)
