"""Times of a gold standard that was made from tiers in seconds, and the gold standard as a tier."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from caesura.gold.gold import GOLD_CODER, Gold, GoldSpan
from caesura.gold.linear import GoldBoundary
from caesura.gold.tiers import recording_of, tier_of_marks
from caesura.model.common_units import BoundaryTimes, boundary_times
from caesura.model.corpus import Corpus
from caesura.model.dialogue import tiers_of
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier


def with_times(result: Gold, corpus: Corpus) -> Gold:
    """Return a gold standard whose boundaries have times.

    Parameters
    ----------
    result : Gold
        Gold standard over units.
    corpus : Corpus
        The tiers from which it was made.

    Returns
    -------
    Gold
        The time of a boundary is the median of the times at which coders placed it, or of the near misses if no coder
        placed it exactly there. ``.recordings`` has the beginning, end and words of every recording.
    """
    times = boundary_times(corpus)
    if not times:
        return result
    recordings: dict[tuple[str, str], Tier] = {}
    for item in result.corpus.item_names:
        by_stream: dict[str, list[Tier]] = {}
        for annotation in corpus.of_item(item).values():
            for stream, tier in tiers_of(annotation).items():
                by_stream.setdefault(stream, []).append(tier)
        recordings |= {(item, stream): recording_of(tiers) for stream, tiers in by_stream.items()}
    return replace(
        result,
        kept=tuple(_with_time(boundary, times) for boundary in result.kept),
        dropped=tuple(_with_time(boundary, times) for boundary in result.dropped),
        recordings=recordings,
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
    """Return the gold standard as tiers in seconds.

    Parameters
    ----------
    result : Gold
        Gold standard with times.
    points : bool
        Whether boundaries without types become points. Otherwise, and if boundaries have types, the intervals between them are
        labelled; the label is the type of the boundary at the end of the interval.

    Returns
    -------
    Corpus
        One tier per item, or one per stream. The coder is called gold, followed by the name of the stream.
    """
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
        by_item.setdefault(item, {})[coder] = tier_of_marks(recording, marks, points=points and not typed, typed=typed)
    return Corpus(by_item)
