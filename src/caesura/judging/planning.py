"""How many items and coders does a study need? Answers from a pilot study.

**Agreement.** The width of an interval falls with the square root of the number of items. Its scale comes from the pilot: items
are drawn from it with replacement, and the coefficient is computed from their parts. The effect of the number of coders comes
from random subsets of the pilot's coders; for more coders than the pilot has, the variance is extrapolated as a + b / coders.

**Systems.** Two systems are simulated that make the errors of the pilot's coders: near misses, misses and false alarms
at the rates at which the coders depart from their own gold standard. The spread of the difference between two such
systems tells how large a true difference must be to be found.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from caesura.agreement.coefficients import CoderSubsets
from caesura.errors import OptionError
from caesura.gold.gold import GOLD_CODER, gold
from caesura.measures.base import Measure
from caesura.measures.many import score_crossed, score_many
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.index import bincount
from caesura.model.result import Result, signature_line, with_data
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, count_of
from caesura.notices import warn
from caesura.options import seed as check_seed
from caesura.options import whole
from caesura.progress import progress_step, report_progress
from caesura.simulation.segmentations import draw_hypotheses, move_boundaries
from caesura.statistics.intervals import block_sizes

MIN_ITEMS = 3  # fewest items of a pilot; fewer say nothing about the variation between items
_DRAWS = 2000  # resamples of the items for each subset of coders, and planned studies
_SUBSETS = 20  # most subsets of coders for each number of coders
_STUDIES = 60  # simulated pairs of systems
_MAX_NUMBERS = 8  # numbers of coders whose variance is computed; those between them are interpolated
_SIMULATED_ITEMS = 1000  # items for which systems are simulated; more are sampled
DEFAULT_ITEMS = (5, 10, 20, 50, 100, 200)  # sizes of the planned study


@dataclass(frozen=True, slots=True)
class ErrorRates(Result):
    near: float  # proportion of the gold standard's boundaries that a coder places one position off
    miss: float  # proportion that a coder does not place
    false_alarm: float  # additional boundaries per segment


@dataclass(frozen=True, slots=True)
class PlannedWidth(Result):
    items: int
    coders: int
    width: float  # expected width of the 95 % bootstrap interval over items
    extrapolated: bool  # whether the study has more coders than the pilot


@dataclass(frozen=True, slots=True)
class PlannedDifference(Result):
    """Smallest difference between two systems that a study finds."""

    items: int
    spread: float  # standard deviation of the difference between two equally good systems
    difference: float  # true difference that is found with the requested power at the 5 % level


@dataclass(frozen=True, slots=True)
class Plan(Result):
    frame_field = "widths"

    measure: Measure
    coefficient: str
    value: float  # the coefficient of the pilot
    items: int  # items of the pilot
    coders: int  # coders of the pilot
    power: float  # probability with which a difference between systems is to be found
    rates: ErrorRates
    widths: tuple[PlannedWidth, ...]
    differences: tuple[PlannedDifference, ...]
    seed: int
    signature: str  # one line to reproduce the result


def plan_study(
    pilot: Corpus,
    *,
    measure: str | Measure = "boundary_similarity(n_t=2)",
    items: Iterable[int] | None = None,
    coders: Iterable[int] | None = None,
    power: float = 0.8,
    seed: int | None = 0,
) -> Plan:
    chosen = parse(measure)
    pilot = _coded_twice(pilot)
    annotations = _annotations(pilot)
    root = check_seed("seed", seed)
    sizes = _sizes("items", DEFAULT_ITEMS if items is None else items)
    count = len(pilot.coders)
    further = 2 if count > 2 else 0
    coder_counts = _sizes("coders", range(2, count + further + 1) if coders is None else coders)
    if count == 2 and coder_counts[-1] > 2:
        raise OptionError("a pilot of two coders does not say what further coders change; ask for 2 coders")
    name = chosen.default_coefficient
    if name is None:
        raise OptionError(f"{chosen.name} has no coefficient of agreement; use B or S")
    subsets = CoderSubsets(pilot, chosen, name)
    value = subsets.of(pilot.coders)(np.ones((1, len(pilot.item_names))))
    with progress_step(1, 2):
        variances = _variances(pilot, subsets, coder_counts, np.random.default_rng([root, 1]))
    widths = tuple(
        PlannedWidth(size, number, _width(variances[number], size), number > count)
        for number in coder_counts
        for size in sizes
    )
    rng = np.random.default_rng([root, 2])
    sample = pilot
    if len(pilot.item_names) > _SIMULATED_ITEMS:
        places = np.sort(rng.choice(len(pilot.item_names), _SIMULATED_ITEMS, replace=False)).tolist()
        sample = pilot.select(items=[pilot.item_names[place] for place in places])
    items_of_sample = set(sample.item_names)
    annotations = {key: _untyped(entry) for key, entry in annotations.items() if key[0] in items_of_sample}
    references = _references(sample)
    rates = error_rates(annotations, sample, references)
    with progress_step(2, 2):
        deviations = _difference_deviations(annotations, references, chosen, rates, sizes, rng)
    differences = tuple(
        PlannedDifference(size, deviation, smallest_difference(deviation, size, power))
        for size, deviation in zip(sizes, deviations, strict=True)
    )
    facts = {"pilot": f"{len(pilot.item_names)}x{count}", "power": power, "seed": root}
    signature = with_data(signature_line("plan", over=repr(chosen), **facts), pilot.fingerprint, float(value[0]))
    return Plan(
        chosen, name, float(value[0]), len(pilot.item_names), count, power, rates, widths, differences, root, signature
    )


def _coded_twice(pilot: Corpus) -> Corpus:
    """Return the items of the pilot with at least two coders, whose agreement can be measured; warn about the others."""
    items = _shared_items(pilot, pilot.coders)
    alone = len(pilot.item_names) - len(items)
    if not alone or not items:
        return pilot
    warn(f"{count_of(alone, 'item')} of the pilot with only one coder {'is' if alone == 1 else 'are'} left out")
    return pilot.select(items=items)


def _shared_items(pilot: Corpus, coders: Sequence[str]) -> list[str]:
    chosen = set(coders)
    counts = Counter(item for item, coder in pilot if coder in chosen)
    return [item for item, number in counts.items() if number > 1]


def _annotations(pilot: Corpus) -> dict[tuple[str, str], Segmentation]:
    """Return the segmentations of the pilot, or raise why it cannot be used."""
    annotations = {key: entry for key, entry in pilot.items() if isinstance(entry, Segmentation)}
    if len(annotations) < len(pilot):
        raise OptionError(
            "a plan needs segmentations over units, such as sentences or words; there is no plan for spans, hierarchies, "
            "dialogues and trees"
        )
    if len(pilot.coders) < 2:
        raise OptionError("the pilot has one coder; a plan needs at least two, whose agreement can be measured")
    if len(pilot.item_names) < MIN_ITEMS:
        found = len(pilot.item_names)
        raise OptionError(
            f"the pilot has {found} item{'s' if found > 1 else ''}; a plan needs at least {MIN_ITEMS}, to see how items vary"
        )
    return annotations


def _sizes(name: str, values: Iterable[int]) -> list[int]:
    sizes = [whole(2)(name, value) for value in values]
    if not sizes:
        raise OptionError(f"{name}: expected at least one number; got none")
    return sorted(set(sizes))


def _variances(
    pilot: Corpus, subsets: CoderSubsets, counts: Sequence[int], rng: np.random.Generator
) -> dict[int, float]:
    """Return the variance of the coefficient per item for each number of coders."""
    available = len(pilot.coders)
    numbers = list(range(2, available + 1))
    if len(numbers) > _MAX_NUMBERS:
        numbers = sorted(set(np.geomspace(2, available, _MAX_NUMBERS).round().astype(int).tolist()))
    observed = {}
    for step, number in enumerate(numbers, 1):
        variances = [
            _variance(subsets, subset, items, rng)
            for subset in _subsets(pilot, number, rng)
            if (items := len(_shared_items(pilot, subset))) > 1
        ]
        if variances:
            observed[number] = float(np.mean(variances))
        report_progress(step, len(numbers))
    constant, slope = _fit(observed) if len(observed) > 1 else (observed[available], 0.0)
    scale = observed[available] / (constant + slope / available) if observed[available] else 1.0
    shares = np.array([1 / number for number in reversed(observed)])
    values = np.array(list(reversed(observed.values())))
    return {
        number: float(np.interp(1 / number, shares, values))
        if number <= available
        else scale * (constant + slope / number)
        for number in counts
    }


def _subsets(pilot: Corpus, number: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    if number == len(pilot.coders):
        return [tuple(pilot.coders)]
    if math.comb(len(pilot.coders), number) <= _SUBSETS:
        return list(combinations(pilot.coders, number))
    coders = np.array(pilot.coders)
    return [tuple(rng.choice(coders, number, replace=False).tolist()) for _ in range(_SUBSETS)]


def _variance(subsets: CoderSubsets, coders: tuple[str, ...], n: int, rng: np.random.Generator) -> float:
    """Return n times the variance of the coefficient over n items drawn with replacement; the coders share n items."""
    compute, shares = subsets.of(coders), np.full(n, 1 / n)
    weights = (rng.multinomial(n, shares, rows).astype(float) for rows in block_sizes(_DRAWS, n))
    values = np.concatenate([compute(block) for block in weights])
    values = values[np.isfinite(values)]
    if len(values) < _DRAWS // 2:
        raise OptionError("the coefficient is undefined for most resamples of the pilot; use more items or coders")
    # Items of the pilot vary around their own mean, so their variance is too small by (n - 1) / n.
    return float(values.var() * n * n / (n - 1))


def _fit(observed: dict[int, float]) -> tuple[float, float]:
    """Return a and b of the variance a + b / coders, both at least 0."""
    from scipy.optimize import nnls  # slow to import

    design = np.array([[1.0, 1 / number] for number in observed])
    solution, _ = nnls(design, np.array(list(observed.values())))
    return float(solution[0]), float(solution[1])


def _width(variance: float, items: int) -> float:
    """Return the width of a percentile bootstrap interval, which sees (n - 1) / n of the variance."""
    return 2 * float(ndtri(0.975)) * math.sqrt(variance / items * (items - 1) / items)


def error_rates(
    annotations: dict[tuple[str, str], Segmentation], pilot: Corpus, references: dict[str, Segmentation] | None = None
) -> ErrorRates:
    references = _references(pilot) if references is None else references
    pairs = [(references[item], annotation) for (item, _), annotation in annotations.items()]
    scores = score_many(pairs, "boundary_similarity(n_t=2)")
    parts = dict(zip(scores.part_names, scores.counts.sum(axis=0).tolist(), strict=True))
    matches, near = int(parts["matches"]), int(parts["transpositions"])
    expected = sum(len(reference.inner) for reference, _ in pairs)
    placed = sum(len(annotation.inner) for _, annotation in pairs)
    segments = expected + len(pairs)
    if not expected:
        raise OptionError("the coders of the pilot have no boundary in common, so there are no error rates to simulate")
    return ErrorRates(near / expected, (expected - matches - near) / expected, (placed - matches - near) / segments)


def _references(pilot: Corpus) -> dict[str, Segmentation]:
    golds = gold(pilot, ignore_types=True).corpus.of_coder(GOLD_CODER)
    return {item: _untyped(entry) for item, entry in golds.items() if isinstance(entry, Segmentation)}


def _untyped(annotation: Segmentation) -> Segmentation:
    return Segmentation.from_valid_entries(annotation.length, annotation.inner)


def simulate_system(reference: Segmentation, rates: ErrorRates, rng: np.random.Generator) -> Segmentation:
    """Return the output of a system that makes the errors of the pilot's coders."""
    length = reference.length
    miss, false_alarm = min(1.0, rates.miss), min(1.0, rates.false_alarm)
    near = min(1.0, rates.near / max(1e-9, 1 - rates.miss))
    # As misses, near_misses and false_alarms of caesura.simulation, without segmentations between them.
    kept = reference.inner[rng.random(reference.inner.size) >= miss] if miss else reference.inner
    ends = np.append(np.sort(move_boundaries(kept, length, near, 1, rng)), length)
    (output,) = draw_hypotheses(ends, 1, miss=0, false_alarm=false_alarm, margin=0, rng=rng)
    return Segmentation.from_valid_entries(length, output)


def system_parts(
    annotations: dict[tuple[str, str], Segmentation],
    references: dict[str, Segmentation],
    measure: Measure,
    systems: Iterable[dict[str, Segmentation]],
) -> tuple[Floats, tuple[str, ...]]:
    """Return the parts of simulated systems against all coders."""
    place = {item: i for i, item in enumerate(references)}
    coders = [(place[item], annotation) for (item, _), annotation in annotations.items() if item in place]
    item_of, texts = np.array([number for number, _ in coders], np.int64), [annotation for _, annotation in coders]
    totals = []
    for system in systems:
        outputs = [system[item] for item in references]
        scores = score_crossed(measure, texts + outputs, np.arange(len(coders)), len(coders) + item_of)
        totals.append(np.stack([bincount(item_of, column, len(outputs)) for column in scores.counts.T], axis=1))
    return np.array(totals), scores.types


def _difference_deviations(
    annotations: dict[tuple[str, str], Segmentation],
    references: dict[str, Segmentation],
    measure: Measure,
    rates: ErrorRates,
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> list[float]:
    """Return the standard deviation of the difference of two equally good systems, for each number of items."""

    def simulate() -> Iterator[dict[str, Segmentation]]:
        for number in range(2 * _STUDIES):
            report_progress(number, 2 * _STUDIES)
            yield {item: simulate_system(reference, rates, rng) for item, reference in references.items()}

    parts, types = system_parts(annotations, references, measure, simulate())
    deviations = []
    for size in sizes:
        # Every study draws its items from the pilot, and for each of them the output of a random pair of systems.
        items = rng.integers(len(references), size=(_DRAWS, size))
        draws = rng.integers(_STUDIES, size=(_DRAWS, size))
        sums = np.empty((2, _DRAWS, parts.shape[2]))
        for study, (drawn, of_items) in enumerate(zip(draws, items, strict=True)):
            sums[0, study] = parts[drawn, of_items].sum(axis=0)
            sums[1, study] = parts[_STUDIES + drawn, of_items].sum(axis=0)
        first, second = (measure.finish(side, types) for side in sums)
        deviations.append(float(np.std(first - second)))
    return deviations


def smallest_difference(deviation: float, items: int, power: float) -> float:
    """Return the true difference that the randomisation test of ``judge`` finds at 5 % with a given power."""
    if not 0.05 < power < 1:
        raise OptionError(f"power must be a number between .05 and 1; got {power!r}")
    # Randomisation swaps the systems on items, so the spread of its null distribution contains the difference d itself:
    # d - z_power s = z sqrt(s^2 + d^2 / n). Below four items the test can never be significant.
    critical, reached = float(ndtri(0.975)), float(ndtri(power)) * deviation
    share = 1 - critical**2 / items
    if share <= 0:
        return math.inf
    root = math.sqrt(max(0.0, reached**2 - share * (reached**2 - (critical * deviation) ** 2)))
    return (reached + root) / share
