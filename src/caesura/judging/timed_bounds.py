"""Baselines in seconds: annotations that ignore the recording and use only statistics of the coders' segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property

import numpy as np

from caesura.judging.participants import Participants
from caesura.model.dialogue import Annotation, Dialogue, tiers_of
from caesura.model.edges import SAME_PLACE
from caesura.model.tier import Tier
from caesura.model.value import Floats

PlaceTimes = Callable[[float, float], Floats]
"""Function that takes the beginning and the end of a recording and returns boundaries in seconds."""
ChooseLabels = Callable[[int], list[str]]
"""Function that takes a number of segments and returns their labels."""


class TimedBaselines:
    """Annotations of the participants' items in seconds that ignore the recording.

    If the coders' segments have labels, all segments of a baseline have labels too: drawn from those of the coders, or the most
    frequent one.

    Parameters
    ----------
    participants : Participants
        Coders and systems. The segments of the coders provide the statistics.
    """

    def __init__(self, participants: Participants) -> None:
        self.participants = participants

    @cached_property
    def _tiers(self) -> list[Tier]:
        by_item = self.participants.coders.values()
        return [tier for by_coder in by_item for entry in by_coder.values() for tier in tiers_of(entry).values()]

    @cached_property
    def lengths(self) -> Floats:
        """Lengths of all segments of all coders, sorted so that draws do not depend on the order of the coders."""
        edges = [np.concatenate([[tier.begin], tier.edges.inner, [tier.end]]) for tier in self._tiers]
        return np.sort(np.concatenate([np.diff(places) for places in edges]))

    @cached_property
    def labels(self) -> list[str]:
        """Labels of all intervals of all coders, sorted; empty if there are none."""
        return sorted(interval.label for tier in self._tiers for interval in tier.intervals)

    @cached_property
    def rate(self) -> float:
        """Boundaries per second of a coder, over all coders."""
        boundaries = sum(tier.edges.inner.size for tier in self._tiers)
        return boundaries / sum(tier.end - tier.begin for tier in self._tiers)

    def random(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random annotation per item, with segment lengths drawn from those of the coders.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        dict of str to annotation
            Item -> annotation.
        """

        def fill(begin: float, end: float) -> Floats:
            places: list[float] = []
            place = begin + float(rng.choice(self.lengths))
            while place < end - SAME_PLACE:
                places.append(place)
                place += float(rng.choice(self.lengths))
            return np.array(places)

        return self._annotate(fill, self._drawn(rng))

    def placement(self, rng: np.random.Generator) -> dict[str, Annotation]:
        """Return one random annotation per item, with boundaries that are placed independently of each other.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        dict of str to annotation
            Item -> annotation; as many boundaries as coders place on average.
        """

        def place(begin: float, end: float) -> Floats:
            return np.sort(rng.uniform(begin, end, rng.poisson(self.rate * (end - begin))))

        return self._annotate(place, self._drawn(rng))

    def regular(self) -> dict[str, Annotation]:
        """Return one annotation per item, with all segments as long as the mean segment of the coders.

        Returns
        -------
        dict of str to annotation
            Item -> annotation.
        """
        mean = float(self.lengths.mean())
        return self._annotate(lambda begin, end: np.arange(begin + mean, end - SAME_PLACE, mean), self._frequent)

    def none(self) -> dict[str, Annotation]:
        """Return one annotation per item that has no boundaries.

        Returns
        -------
        dict of str to annotation
            Item -> annotation.
        """
        return self._annotate(lambda begin, end: np.empty(0), self._frequent)

    def _drawn(self, rng: np.random.Generator) -> ChooseLabels:
        labels = self.labels
        return lambda n: [labels[k] for k in rng.integers(0, len(labels), n).tolist()]

    def _frequent(self, n: int) -> list[str]:
        return [Counter(self.labels).most_common(1)[0][0]] * n

    def _annotate(self, place: PlaceTimes, choose: ChooseLabels) -> dict[str, Annotation]:
        annotations: dict[str, Annotation] = {}
        for item in sorted(self.participants.items):
            model = next(iter(self.participants.coders[item].values()))
            tiers = {name: self._tier(tier, place, choose) for name, tier in tiers_of(model).items()}
            annotations[item] = tiers[""] if isinstance(model, Tier) else Dialogue(tiers)
        return annotations

    def _tier(self, model: Tier, place: PlaceTimes, choose: ChooseLabels) -> Tier:
        times = place(model.begin, model.end)
        if not self.labels:
            return Tier(points=[(time, "") for time in times.tolist()], begin=model.begin, end=model.end)
        ends = [model.begin, *times.tolist(), model.end]
        return Tier(zip(ends[:-1], ends[1:], choose(len(ends) - 1), strict=True), begin=model.begin, end=model.end)
