"""How do measures react to known errors? One reference is degraded step by step, and every measure looks on.

The reference is a set of artificial texts whose segment lengths come from real readers. Each kind of error is added in ten
steps. A measure should fall with every step (monotone), should not prefer systems with many or few boundaries (density), should
not depend on the direction of reading (reversal), and may or may not forgive near misses (credit).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from caesura.errors import CaesuraError, OptionError
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.registry import measures as registered_measures
from caesura.measures.registry import parse, parse_measures
from caesura.model.corpus import Corpus
from caesura.model.index import searchsorted
from caesura.model.result import Excluded, Result, signature_line
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.notices import warn
from caesura.options import seed as check_seed
from caesura.simulation import false_alarms, misses, near_misses
from caesura.simulation.segmentations import SegmentLengths, fill_with_segments

LEVELS = tuple(np.round(np.linspace(0, 1, 11), 1).tolist())  # steps of degradation, from none to full
DENSITIES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)  # boundaries of a random segmenter per boundary of the reference
_TEXTS, _UNITS, _SCALE = 40, 800, 10  # segments are ten times as long as those of the readers, so that shifts are near
_TOLERANCE = 0.01  # a rise this small, relative to the whole fall, is sampling error
_RANKED_PAIRS = 1000  # pairs of coders by which the measures are ranked; more are sampled
_MAX_SHIFT = 4  # shorter than most segments, so that boundaries do not meet their neighbours


Text = tuple[Segmentation, Segmentation]
Degrade = Callable[[Segmentation, float, np.random.Generator], Segmentation]


def _joins(reference: Segmentation, level: float, _: np.random.Generator) -> Segmentation:
    """Join neighbouring segments from the beginning of the text on."""
    inner = reference.inner
    return Segmentation.from_positions(reference.length, inner[round(level * len(inner)) :])


def _shifts(reference: Segmentation, level: float, _: np.random.Generator) -> Segmentation:
    """Move all boundaries to the right by up to four units; those that leave the text are lost."""
    moved = [place + round(level * _MAX_SHIFT) for place in reference.inner]
    return Segmentation.from_positions(reference.length, [place for place in moved if place < reference.length])


def _splits(reference: Segmentation, level: float, _: np.random.Generator) -> Segmentation:
    """Cut segments in the middle, from the beginning of the text on."""
    edges = [0, *reference.inner, reference.length]
    middles = [(a + b) // 2 for a, b in pairwise(edges) if b - a > 1]
    chosen = middles[: round(level * len(middles))]
    return Segmentation.from_positions(reference.length, sorted({*reference.inner, *chosen}))


# Kind of error -> function of reference, level and random numbers.
DEGRADATIONS: Mapping[str, Degrade] = {
    "misses": lambda reference, level, rng: misses(reference, level, seed=rng),
    "false alarms": lambda reference, level, rng: false_alarms(reference, level, seed=rng),
    "near misses": lambda reference, level, rng: near_misses(reference, level, seed=rng),
    "shifts": _shifts,
    "joins": _joins,
    "splits": _splits,
}


@dataclass(frozen=True, slots=True)
class Reaction(Result):
    measure: Measure
    curves: Mapping[str, tuple[float, ...]]  # kind of error -> value at each level
    monotone: Mapping[str, bool]  # kind of error -> whether more errors never improve the value
    # Share of the loss by misses that near misses are spared: 1 if a near miss costs nothing, 0 if it costs as much as a miss;
    # None if misses cost nothing.
    credit: float | None
    best_density: float  # density, relative to the reference, at which a segmenter that ignores the text scores best
    reversal: float  # largest change when all texts are read backwards


@dataclass(frozen=True, slots=True)
class RankAgreement(Result):
    """How far two measures rank pairs of annotations alike."""

    first: str
    second: str
    tau: float | None  # Kendall's tau; None if a measure gives all pairs the same value


@dataclass(frozen=True, slots=True)
class Reactions(Result):
    frame_field = "reactions"

    reactions: tuple[Reaction, ...]
    ranks: tuple[RankAgreement, ...]
    pairs: int  # number of pairs of real annotations that were ranked
    excluded: tuple[Excluded, ...]  # measures that cannot compare two segmentations without labels
    signature: str  # one line to reproduce the result


def linear_measures() -> tuple[Measure, ...]:
    """Return all measures that compare two segmentations without labels, as the artificial texts are."""
    # Measures of labels take part if they can compare segments instead (``over="segments"``).
    chosen = []
    for name, measure_class in registered_measures().items():
        if "linear" not in measure_class.kinds or measure_class.accepts_marks:
            continue
        if not measure_class.needs_labels:
            chosen.append(measure_class())
        elif any(option.name == "over" for option in measure_class.options):
            chosen.append(parse(f"{name}(over='segments')"))
    return tuple(chosen)


def measure_reactions(
    corpus: Corpus, measures: str | Measure | Iterable[str | Measure] | None = None, *, seed: int | None = 0
) -> Reactions:
    root = check_seed("seed", seed)
    chosen = linear_measures() if measures is None else parse_measures(measures)
    annotations = {key: entry for key, entry in corpus.items() if isinstance(entry, Segmentation)}
    if not annotations:
        raise OptionError("reactions need segmentations, whose segment lengths the artificial texts have; got none")
    masses = np.concatenate([entry.masses for entry in annotations.values()])
    lengths = np.add.outer(_SCALE * masses, np.arange(-2, 3)).ravel()
    degraded, random_texts = _artificial_texts(lengths, np.random.default_rng([root, 3]))
    half = [pair for levels in degraded.values() for pair in levels[5]]
    directions = half, [(_reversed(a), _reversed(b)) for a, b in half]
    real = _real_pairs(annotations, np.random.default_rng([root, 4]))
    reactions, excluded = [], []
    for measure in chosen:
        try:
            reactions.append(_reaction(measure, degraded, random_texts, directions))
        except CaesuraError as error:
            excluded.append(Excluded(None, None, f"{measure.label}: {error}"))
    ranks = _ranks([reaction.measure for reaction in reactions], real)
    signature = signature_line("reactions", texts=_TEXTS, units=_UNITS, pairs=len(real), seed=root)
    return Reactions(tuple(reactions), ranks, len(real), tuple(excluded), signature)


def _artificial_texts(masses: Ints, rng: np.random.Generator) -> tuple[dict[str, list[list[Text]]], list[list[Text]]]:
    """Return random references, each with a text with errors by kind and level, and with a random text by density."""
    lengths = SegmentLengths(masses)
    references = [Segmentation.from_positions(_UNITS, fill_with_segments(_UNITS, lengths, rng)) for _ in range(_TEXTS)]
    degraded = {
        kind: [[(text, degrade(text, level, rng)) for text in references] for level in LEVELS]
        for kind, degrade in DEGRADATIONS.items()
    }
    return degraded, [[(text, _random_text(text, density, rng)) for text in references] for density in DENSITIES]


def _random_text(reference: Segmentation, density: float, rng: np.random.Generator) -> Segmentation:
    count = min(reference.length - 1, round(density * len(reference.inner)))
    return Segmentation.from_positions(
        reference.length, np.sort(rng.choice(reference.length - 1, count, replace=False) + 1)
    )


def _reaction(
    measure: Measure,
    degraded: Mapping[str, Sequence[Sequence[Text]]],
    random_texts: Sequence[Sequence[Text]],
    directions: tuple[Sequence[Text], Sequence[Text]],
) -> Reaction:
    curves = {kind: tuple(_value(measure, texts) for texts in levels) for kind, levels in degraded.items()}
    if not np.isfinite(curves["misses"][0]):
        raise OptionError("the value is undefined for segmentations without labels")
    sign = 1 if measure.higher_is_better else -1
    goodness = {kind: sign * np.array(values) for kind, values in curves.items()}
    scale = max(float(np.nanmax(values) - np.nanmin(values)) for values in goodness.values()) or 1.0
    monotone = {kind: bool(np.nanmax(np.diff(values)) <= _TOLERANCE * scale) for kind, values in goodness.items()}
    by_density = [sign * _value(measure, texts) for texts in random_texts]
    best = goodness["misses"][0]
    loss = best - goodness["misses"][-1]
    credit = float(1 - (best - goodness["near misses"][-1]) / loss) if loss > 0 else None
    forward, backward = (score_many(pairs, measure).values for pairs in directions)
    change = np.abs(forward - backward)
    reversal = float(np.nanmax(change)) if np.isfinite(change).any() else 0.0
    return Reaction(measure, curves, monotone, credit, DENSITIES[int(np.nanargmax(by_density))], reversal)


def _value(measure: Measure, texts: Sequence[Text]) -> float:
    """Return the value over all texts; texts for which it is undefined count as the worst of the others."""
    scores = score_many(texts, measure)
    values: Floats = scores.values[np.isfinite(scores.values)]
    if not len(values):
        return float("nan")
    return float(scores.total.value) if len(values) == len(texts) else float(values.mean())


def _reversed(text: Segmentation) -> Segmentation:
    return Segmentation.from_positions(text.length, [text.length - place for place in reversed(text.inner)])


def _real_pairs(annotations: Mapping[tuple[str, str], Segmentation], rng: np.random.Generator) -> list[Text]:
    """Return pairs of coders on the same item, without types: all of them, or a random sample if they are many."""
    groups: dict[tuple[str, int], list[Segmentation]] = {}
    for (item, _), entry in annotations.items():
        text = Segmentation.from_positions(entry.length, entry.inner)
        groups.setdefault((item, entry.length), []).append(text)
    sizes = np.array([math.comb(len(texts), 2) for texts in groups.values()], np.int64)
    total = int(sizes.sum())
    places = np.arange(min(total, _RANKED_PAIRS))
    if total > _RANKED_PAIRS:
        warn(f"the ranks rest on a random sample of {_RANKED_PAIRS:,} of {total:,} pairs of coders")
        places = np.sort(rng.choice(total, _RANKED_PAIRS, replace=False))
    ends = np.cumsum(sizes)
    group_of = searchsorted(ends, places, side="right")
    texts_of, pairs = list(groups.values()), []
    for group, place in zip(group_of.tolist(), (places - (ends - sizes)[group_of]).tolist(), strict=True):
        first, second = _pair_at(place, len(texts_of[group]))
        pairs.append((texts_of[group][first], texts_of[group][second]))
    return pairs


def _pair_at(place: int, number: int) -> tuple[int, int]:
    """Return a pair of whole numbers below a number by its place in the order of ``itertools.combinations``."""
    # The pairs that begin with i or a later number are (number - i) over 2.
    later = math.comb(number, 2) - place
    first = number - 1 - (1 + math.isqrt(8 * later - 7)) // 2
    return first, number - (later - math.comb(number - 1 - first, 2))


def _ranks(measures: Sequence[Measure], pairs: Sequence[Text]) -> tuple[RankAgreement, ...]:
    columns = {
        measure.label: (1 if measure.higher_is_better else -1) * score_many(pairs, measure).values
        for measure in measures
    }
    return tuple(
        RankAgreement(first, second, _tau(columns[first], columns[second]))
        for first, second in combinations(columns, 2)
    )


def _tau(first: Floats, second: Floats) -> float | None:
    defined = np.isfinite(first) & np.isfinite(second)
    if defined.sum() < 3 or np.ptp(first[defined]) == 0 or np.ptp(second[defined]) == 0:
        return None
    from scipy.stats import kendalltau  # slow to import

    return float(kendalltau(first[defined], second[defined]).statistic)
