"""Fournier on linear segmentation: S (with Inkpen, 2012), B (2013), his thesis, and the study of the poem Kubla Khan (2013)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from caesura.agreement.clusters import cluster_coders
from caesura.agreement.coefficients import agreement
from caesura.agreement.labels import label_agreement
from caesura.agreement.pairwise import pairwise
from caesura.agreement.placed import boundaries_placed, boundary_heat
from caesura.data import stargazer
from caesura.formats import read
from caesura.measures.boundary import boundary_similarity, segmentation_similarity
from caesura.measures.confusion import boundary_confusion
from caesura.measures.many import score_many
from caesura.measures.window import window_diff
from caesura.model.corpus import Corpus
from caesura.model.index import flatnonzero
from caesura.model.segmentation import Segmentation
from caesura.papers.data import Data
from caesura.papers.entry import Both, Computation, Curves, Displays, Picture, Values
from caesura.papers.experiments import ScenarioMean, figure_5a, figure_5c, table_1
from caesura.simulation import pseudo_coders, random_coders
from caesura.statistics import MeanInterval, mean_interval

DISPLAYS = Displays()
_S, _B = "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"


def _moonstone(data: Data) -> dict[str, Corpus]:
    """Return the two groups of coders of The Moonstone whose segmentations are free: G2 and G5."""
    if data.in_folder("moonstone"):
        groups = data.json("moonstone")["groups"]
    else:
        samples = import_module("segeval.data.samples")
        groups = {name: getattr(samples, name) for name in ("KAZANTSEVA2012_G2", "KAZANTSEVA2012_G5")}
    return {name.rpartition("_")[2]: _from_masses(items) for name, items in sorted(groups.items())}


def _from_masses(items: Mapping[str, Mapping[str, Any]]) -> Corpus:
    by_chapter = sorted(items, key=lambda name: int(name.removeprefix("ch")))
    return Corpus(
        {
            item: {coder: Segmentation.from_masses(masses) for coder, masses in sorted(items[item].items())}
            for item in by_chapter
        }
    )


def _segmentations(corpus: Corpus) -> dict[tuple[str, str], Segmentation]:
    return {key: annotation for key, annotation in corpus.items() if isinstance(annotation, Segmentation)}


# -- Fournier & Inkpen (2012) -----------------------------------------------------------------------------------------

_OLD_S, _OLD_WD = "segmentation_similarity(compat='fournier2012')", "window_diff(compat='fournier2012')"


@DISPLAYS.add("fournier2012-figure-6", (14,), (1,) * 14)
@DISPLAYS.add("fournier2012-figure-7", (1, 2, 2, 2, 4, 2, 1), (1, 2, 8, 2, 1))
@DISPLAYS.add("fournier2012-figure-8", (6, 8), (7, 7))
def s_and_window_diff(_: Data, reference: Sequence[int], hypothesis: Sequence[int]) -> Computation:
    """Compare two sequences of masses."""
    a, b = Segmentation.from_masses(reference), Segmentation.from_masses(hypothesis)
    s, wd = segmentation_similarity(a, b, compat="fournier2012"), window_diff(a, b, compat="fournier2012")
    values = {
        "S": Both(segmentation_similarity(a, b).value, s.value),
        "1 - WD": Both(1 - window_diff(a, b).value, 1 - wd.value),
    }
    return Computation(values, signatures=(s.signature, wd.signature))


@DISPLAYS.add("fournier2012-figure-3", (1, 2, 2, 3, 3, 1, 2), (1, 2, 1, 2, 6, 2))
def edits_and_scores(data: Data, reference: Sequence[int], hypothesis: Sequence[int]) -> Computation:
    a, b = Segmentation.from_masses(reference), Segmentation.from_masses(hypothesis)
    parts = segmentation_similarity(a, b, compat="fournier2012").parts
    counts = {"transpositions": parts["transpositions"], "substitutions (full misses)": parts["additions"]}
    scores = s_and_window_diff(data, reference, hypothesis)
    return Computation({**counts, **scores.values}, signatures=scores.signatures)


@DISPLAYS.add("fournier2012-figure-5a")
def more_false_positives(_: Data) -> Computation:
    pairs = figure_5a()
    own, old = score_many(pairs, "window_diff"), score_many(pairs, _OLD_WD)
    similarity = score_many(pairs, _OLD_S).values
    counts = list(range(len(pairs)))
    own_first, old_first = (flatnonzero(np.isclose(scores.values, 1))[0] for scores in (own, old))
    values: Values = {
        "largest number of false positives": counts[-1],
        "window k": Both(own[7].params["window"], old[7].params["window"]),
        "false positives at which 1 - WD reaches 0": Both(own_first, old_first),
        "S falls linearly": bool(np.allclose(similarity, 1 - np.arange(99) / 99)),
    }
    lines = {"1 - WD": (counts, (1 - old.values).tolist()), "S": (counts, similarity.tolist())}
    return Computation(values, Curves("false positives", "similarity", lines), (old.total.signature,))


@DISPLAYS.add("fournier2012-figure-5b")
def near_miss(_: Data) -> Computation:
    """Move one boundary of four equal segments: "a near miss in a segment of 25 units"."""
    reference = Segmentation.from_masses([25, 25, 25, 25])
    distances = list(range(11))
    pairs = [(reference, Segmentation.from_positions(100, [25, 50 + distance, 75])) for distance in distances]
    drop = 1 - score_many(pairs, _OLD_WD).values
    measures = {
        "S (n = 3)": "segmentation_similarity(n_t=3, transposition='unit')",
        "S (n = 5, scaled)": "segmentation_similarity(n_t=5, transposition='te')",
        "S (n = 5, w_trp = 0)": "segmentation_similarity(n_t=5, w_trp=0)",
    }
    curves = {name: score_many(pairs, measure).values for name, measure in measures.items()}
    errors = np.rint((1 - curves["S (n = 3)"]) * 99)  # in a text with 99 positions
    values = {
        "all curves stay between .7 and 1": bool(min(drop.min(), *(c.min() for c in curves.values())) >= 0.7),
        "every S is preferable to the drop of 1 - WD": all(bool(np.all(c[1:] > drop[1:])) for c in curves.values()),
        "S (n = 3) counts one error up to distance 2, then two": errors[1:5].tolist() == [1, 1, 2, 2],
        "S (n = 5, w_trp = 0) forgives near misses up to distance 4": bool(
            np.all(curves["S (n = 5, w_trp = 0)"][:5] == 1)
        ),
    }
    lines = {name: (distances, curve.tolist()) for name, curve in {"1 - WD": drop, **curves}.items()}
    return Computation(values, Curves("distance between the boundaries (units)", "similarity", lines))


@DISPLAYS.add("fournier2012-figure-5c")
def longer_texts(_: Data) -> Computation:
    pairs = figure_5c()
    own, old = score_many(pairs, "window_diff"), score_many(pairs, _OLD_WD)
    similarity = score_many(pairs, _OLD_S).values
    masses = [reference.length for reference, _ in pairs]
    values: Values = {
        "1 - WD at mass 100": Both(1 - own.values[-1], 1 - old.values[-1]),
        "S approaches 1": bool(np.all(np.diff(similarity) > 0) and similarity[-1] > 0.98),
    }
    curves = {"1 - WD": 1 - old.values, "S": similarity, "k / m": old.resolved["window"] / np.array(masses)}
    lines = {name: (masses, curve.tolist()) for name, curve in curves.items()}
    return Computation(values, Curves("mass m", "similarity", lines), (old.total.signature,))


@DISPLAYS.add("fournier2012-figure-9")
def full_miss(_: Data) -> Computation:
    """One match and one full miss in a text of m units, with m = 4 and m = 100."""
    short, long = (
        segmentation_similarity(
            Segmentation.from_positions(m, [m // 4, 3 * m // 4]),
            Segmentation.from_positions(m, [m // 4, m // 2, 3 * m // 4]),
        ).value
        for m in (4, 100)
    )
    return Computation({"the same error counts less in a longer text": long > short})


@DISPLAYS.add("fournier2012-table-1")
def segment_sizes(_: Data) -> Computation:
    """Run the experiment at the size of the paper: 10 trials of 100 hypotheses, with and without its two quirks."""
    own = {_cell_label(cell): cell.mean for cell in table_1(seed=1)}
    old = {_cell_label(cell): cell for cell in table_1(seed=1, compat="fournier2012")}
    # Both sides are means over 10 trials: three standard errors of their difference.
    errors = {label: 3 * np.sqrt(2) * cell.standard_error for label, cell in old.items()}
    return Computation({label: Both(own[label], cell.mean, errors[label]) for label, cell in old.items()})


def _cell_label(cell: ScenarioMean) -> str:
    high = 45 if cell.high == 44 else cell.high  # the last column, 5 to 44, has the heading (5, 45)
    return f"{cell.measure.short_name}, {cell.scenario}, segments of {cell.low} to {high} units"


def _chapters(data: Data) -> dict[str, Corpus]:
    return {item: corpus.select(items=[item]) for corpus in _moonstone(data).values() for item in corpus.item_names}


@DISPLAYS.add("fournier2012-table-2")
def agreement_by_chapter(data: Data) -> Computation:
    chapters = _chapters(data)
    values: Values = {}
    signatures: list[str] = []
    for chapter in ("ch1", "ch2", "ch3", "ch4", "ch5", "ch8", "ch10", "ch11"):
        corpus = chapters[chapter]
        for label, name in (("pi*", "multi_pi"), ("kappa*", "multi_kappa"), ("bias", "bias")):
            own, old = (
                agreement(corpus, measure=_S, coefficient=name, compat=compat, interval=None)
                for compat in (None, "fournier2012")
            )
            values[f"{chapter} {label}"] = Both(own.value, old.value)
            signatures.append(old.signature)
        own_wd, old_wd = (pairwise(corpus, measure, ordered=True) for measure in ("window_diff", _OLD_WD))
        item, boundaries = old_wd.items[0], sum(len(text.inner) for text in _segmentations(corpus).values())
        values |= {
            f"{chapter} 1 - WD": Both(1 - own_wd.mean, 1 - old_wd.mean),
            f"{chapter} 1 - WD, deviation": Both(own_wd.deviation, old_wd.deviation),
            f"{chapter} coders": item.coders,
            f"{chapter} boundaries": Both(boundaries, boundaries + item.coders),
            f"{chapter} mass": item.units,
        }
    return Computation(values, signatures=signatures)


@DISPLAYS.add("fournier2012-figure-11")
def boundaries_of_moonstone(data: Data) -> Computation:
    pi, bias = (
        {
            chapter: agreement(corpus, measure=_S, coefficient=name, interval=None).value
            for chapter, corpus in _chapters(data).items()
        }
        for name in ("multi_pi", "bias")
    )
    values = {
        "chapter 1 has the lowest pi*": min(pi, key=lambda chapter: pi[chapter]) == "ch1",
        "chapter 1 has the highest bias": max(bias, key=lambda chapter: bias[chapter]) == "ch1",
    }
    return Computation(values, Picture("boundary_heat", (boundary_heat(_moonstone(data)["G2"]),)))


# -- Fournier (2013) --------------------------------------------------------------------------------------------------


@DISPLAYS.add("fournier2013-figure-1")
def kinds_of_edits(_: Data) -> Computation:
    parts = boundary_similarity(Segmentation.from_masses((2, 4, 4, 4)), Segmentation.from_masses((3, 3, 6, 2))).parts
    names = {"transpositions": "transpositions", "matches": "matches", "additions and deletions": "additions"}
    return Computation({label: parts[name] for label, name in names.items()})


@DISPLAYS.add("fournier2013-figure-5", (5, 6))
@DISPLAYS.add("fournier2013-figure-6", (2, 2, 7))
@DISPLAYS.add("fournier2013-figure-7", (2, 3, 3, 3))
@DISPLAYS.add("fournier2013-figure-8", (1, 1, 1, 2, 6))
def three_measures(_: Data, hypothesis: Sequence[int]) -> Computation:
    """Compare a segmentation of eleven lines with the manual one (Figure 4: 2, 3 and 6 lines)."""
    manual, automatic = Segmentation.from_masses((2, 3, 6)), Segmentation.from_masses(hypothesis)
    s, old_s = (segmentation_similarity(manual, automatic, compat=compat).value for compat in (None, "fournier2012"))
    b, wd = boundary_similarity(manual, automatic), window_diff(manual, automatic)
    values = {"S": Both(s, old_s, exact=True), "B": b.value, "1 - WD": 1 - wd.value, "window k": wd.params["window"]}
    return Computation(values, signatures=(b.signature,))


def _pi(corpus: Corpus, measure: str = _B, compat: str | None = None) -> float:
    return agreement(corpus, measure=measure, coefficient="multi_pi", compat=compat, interval=None).value


def _both_pi(corpus: Corpus, measure: str = _B) -> Both:
    return Both(_pi(corpus, measure), _pi(corpus, measure, "fournier2013"))


@DISPLAYS.add("fournier2013-stargazer")
def readers_of_stargazer(_: Data) -> Computation:
    corpus = stargazer()
    values = {"Stargazer, pi* over S": _both_pi(corpus, _S), "Stargazer, pi* over B": _both_pi(corpus, _B)}
    signature = agreement(corpus, measure=_B, compat="fournier2013", interval=None).signature
    return Computation(values, signatures=(signature,))


@DISPLAYS.add("fournier2013-moonstone")
def groups_of_moonstone(data: Data) -> Computation:
    groups = _moonstone(data)
    return Computation(
        {
            f"{name}, pi* over {letter}": _both_pi(groups[group], measure)
            for name, group in (("third group", "G2"), ("fifth group", "G5"))
            for letter, measure in (("S", _S), ("B", _B))
        }
    )


_MISSES = tuple(np.round(np.arange(0, 0.9, 0.1), 1).tolist())
_UNITS = [100] * 20


def _segment_lengths(data: Data) -> list[int]:
    """Return the lengths of all coders' segments in the free chapters of The Moonstone."""
    corpora = _moonstone(data).values()
    return [mass for corpus in corpora for text in _segmentations(corpus).values() for mass in text.masses]


def _pseudo_coders(data: Data, measure: str) -> dict[int, list[float]]:
    """Return pi* of pseudo-coders for each number of coders, by rising probability of a miss."""
    masses = _segment_lengths(data)
    return {
        n: [_pi(pseudo_coders(_UNITS, masses, coders=n, near=0.0921, miss=miss, seed=9), measure) for miss in _MISSES]
        for n in (2, 5, 10)
    }


def _miss_curves(by_coders: dict[int, list[float]], letter: str) -> Curves:
    lines = {f"{n} coders": (_MISSES, values) for n, values in by_coders.items()}
    return Curves("P(miss) while P(near) = .0921", f"pi* over {letter}", lines)


@DISPLAYS.add("fournier2013-figure-9a")
def misses_under_s(data: Data) -> Computation:
    by_coders = _pseudo_coders(data, _S)
    values = {
        "pi* over S rises with the number of misses": all(pi[-1] > pi[0] for pi in by_coders.values()),
        "pi* over S stays above .75": all(min(pi) > 0.75 for pi in by_coders.values()),
    }
    return Computation(values, _miss_curves(by_coders, "S"))


@DISPLAYS.add("fournier2013-figure-9b")
def misses_under_b(data: Data) -> Computation:
    by_coders = _pseudo_coders(data, _B)
    curves = list(by_coders.values())
    spread = max(max(column) - min(column) for column in zip(*curves, strict=True))
    values = {
        "pi* over B falls with the number of misses": all(pi[::2] == sorted(pi[::2], reverse=True) for pi in curves),
        "it falls by more than .4": all(pi[0] - pi[-1] > 0.4 for pi in curves),
        "the number of coders hardly matters (less than .1)": spread < 0.1,
    }
    return Computation(values, _miss_curves(by_coders, "B"))


@DISPLAYS.add("fournier2013-figure-9c")
def random_segmentations(data: Data) -> Computation:
    everyone = random_coders(_UNITS, _segment_lengths(data), coders=10, seed=2)
    counts = list(range(2, 11))
    s, b = ([_pi(everyone.select(coders=everyone.coders[:n]), measure) for n in counts] for measure in (_S, _B))
    values = {
        "pi* over B of random segmentations is low (below .25)": max(b) < 0.25,
        "pi* over S of random segmentations is high (above .7)": min(s) > 0.7,
    }
    return Computation(values, Curves("coders", "pi*", {"pi* over S": (counts, s), "pi* over B": (counts, b)}))


@DISPLAYS.add("fournier2013-figure-11")
def boundaries_per_unit(data: Data) -> Computation:
    placed = {name: boundaries_placed(corpus) for name, corpus in _moonstone(data).items()}
    rates = [row.per_unit for table in placed.values() for row in table.rows]
    values = {
        "coders of the two free groups": len(rates),
        "some coders place more than twice as many boundaries as others": max(rates) > 2 * min(rates),
        "all rates lie between 0 and .25": 0 <= min(rates) <= max(rates) <= 0.25,
    }
    return Computation(values, Picture("boundaries_per_coder", (placed["G5"],)))


# Columns of Table 2: boundary pairs, true positives (a near miss is half of one), false positives, false negatives.
_SEGMENTERS = {
    "Random": (1057, 279.0, 420, 318),
    "Human": (841, 444.5, 204, 153),
    "BayesSeg": (964, 361.0, 327, 219),
    "APS": (738, 212.0, 101, 411),
    "MinCut": (871, 215.0, 234, 400),
}


def _counts(segmenter: str) -> tuple[int, int, int, int]:
    """Return matches, near misses, false positives and false negatives, which follow from the printed columns."""
    pairs, tp, fp, fn = _SEGMENTERS[segmenter]
    near = round(2 * (pairs - fp - fn - tp))
    return pairs - fp - fn - near, near, fp, fn


def _interval(segmenter: str) -> MeanInterval:
    matches, near, fp, fn = _counts(segmenter)
    return mean_interval([1, 0.5, 0], [matches, near, fp + fn])


def _texts(segmenter: str) -> tuple[Segmentation, Segmentation]:
    """Return one text per side with exactly these boundary pairs, each in six units of its own."""
    matches, near, fp, fn = _counts(segmenter)
    kinds = [((3,), (3,))] * matches + [((3,), (4,))] * near + [((), (3,))] * fp + [((3,), ())] * fn
    first, second = (
        Segmentation.from_positions(6 * len(kinds), [6 * i + at for i, kind in enumerate(kinds) for at in kind[side]])
        for side in (0, 1)
    )
    return first, second


@DISPLAYS.add("fournier2013-table-2")
def five_segmenters(_: Data) -> Computation:
    values: Values = {}
    points: dict[str, tuple[list[float], list[float]]] = {}
    for segmenter in _SEGMENTERS:
        pair = _texts(segmenter)
        own, old = boundary_confusion(*pair), boundary_confusion(*pair, compat="fournier2013")
        values |= {
            f"{segmenter} B": boundary_similarity(*pair).value,
            f"{segmenter} standard error": _interval(segmenter).standard_error,
            f"{segmenter} B-precision": Both(own.precision(), old.precision()),
            f"{segmenter} B-recall": Both(own.recall(), old.recall()),
            f"{segmenter} B-F1": Both(own.f(), old.f()),
        }
        points[segmenter] = [old.recall()], [old.precision()]
    return Computation(values, Curves("B-recall", "B-precision", points))  # Figure 12


@DISPLAYS.add("fournier2013-section-6")
def sentences_about_segmenters(_: Data) -> Computation:
    """Compare the intervals that follow from Table 2 with the sentences about them."""
    bayes, human, random, aps, min_cut = map(_interval, ("BayesSeg", "Human", "Random", "APS", "MinCut"))
    is_between = random.high < bayes.low < bayes.high < human.low
    return Computation(
        {
            "BayesSeg lies between the bounds, intervals apart": is_between,
            "MinCut lies significantly below random": min_cut.high < random.low,
            "APS lies significantly below random": aps.high < random.low,
        }
    )


@DISPLAYS.add("fournier2013-thesis-table-5.3b")
def misses_in_stargazer(_: Data) -> Computation:
    annotations = list(_segmentations(stargazer()).values())
    pairs = [(a, b) for i, a in enumerate(annotations) for b in annotations[i + 1 :]]
    parts = score_many(pairs, _B).total.parts
    return Computation(
        {
            "full misses": parts["additions"],
            "near misses": parts["transpositions"],
            "matches": Both(parts["matches"], parts["matches"] + 2 * len(pairs)),
        }
    )


# -- Kubla Khan (2013) ------------------------------------------------------------------------------------------------

# The study numbers its coders 0 to 8. Their numbers of boundaries (Figure 1a) identify them, except for the two with 26
# boundaries, which the values of their clusters identify.
_CODERS = ("C9", "C3", "C1", "C7", "C5", "C2", "C8", "C6", "C4")
_CLUSTERS = ((4, 7), (0, 2), (6, 8), (1, 0, 2), (1, 0, 2, 4, 7), (3, 5, 6, 8), (5, 6, 8))  # Table 1


def _poem(data: Data) -> Corpus:
    return read(data.path("kubla-khan"))


@DISPLAYS.add("poem-figure-1a")
def boundaries_per_coder(data: Data) -> Computation:
    corpus = _poem(data)
    placed, texts = boundaries_placed(corpus), _segmentations(corpus)
    counts = {f"coder {number}": len(texts["kublakhan", coder].inner) for number, coder in enumerate(_CODERS)}
    values = {**counts, "mean": placed.mean, "deviation": placed.deviation}
    return Computation(values, Picture("boundaries_per_coder", (placed,)))


@DISPLAYS.add("poem-figure-1b")
def clusters(data: Data) -> Computation:
    clustering = cluster_coders(_poem(data), compat="fournier2013")
    formed = {frozenset(cluster.coders) for cluster in clustering.clusters}
    values = {
        f"coders {', '.join(map(str, numbers))} form a cluster": {_CODERS[number] for number in numbers} in formed
        for numbers in _CLUSTERS
    }
    return Computation(values, Picture("dendrogram", (clustering,)))


@DISPLAYS.add("poem-figure-1c")
def labels_by_line(data: Data) -> Computation:
    labels = label_agreement(_poem(data))
    by_line = [value or 0.0 for value in labels.units["kublakhan"]]
    half = len(by_line) // 2
    is_falling = bool(np.mean(by_line[:half]) > np.mean(by_line[half:]))
    values = {
        "mean similarity of labels": labels.value,
        "deviation": labels.deviation,
        "agreement on labels is highest at the beginning": is_falling,
    }
    lines = {"mean Jaccard similarity": (list(range(1, len(by_line) + 1)), by_line)}
    return Computation(values, Curves("line", "similarity of labels", lines), (labels.signature,))


@DISPLAYS.add("poem-agreement")
def agreement_of_nine(data: Data) -> Computation:
    return Computation({"pi* over B, nine coders": _both_pi(_poem(data))})


@DISPLAYS.add("poem-table-1")
def agreement_inside_clusters(data: Data) -> Computation:
    corpus = _poem(data)
    values: Values = {}
    for numbers in _CLUSTERS:
        cluster = corpus.select(coders=[_CODERS[number] for number in numbers])
        labels = label_agreement(cluster)
        name = "coders " + ", ".join(map(str, numbers))
        values |= {
            f"{name}: pi* over B": _both_pi(cluster),
            f"{name}: E(J)": labels.value,
            f"{name}: deviation of J": labels.deviation,
        }
    return Computation(values)


@DISPLAYS.add("poem-stanzas")
def ends_of_stanzas(data: Data) -> Computation:
    texts = _segmentations(_poem(data)).values()
    return Computation(
        {
            f"coders with a boundary between lines {line} and {line + 1}": sum(line in text.inner for text in texts)
            for line in (11, 30, 36)
        }
    )
