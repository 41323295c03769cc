"""Significance tests between all pairs of systems, or of parsers, under one measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.errors import OptionError, Undefined
from caesura.judging.pair_scores import PairScores, score_pairs
from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.dialogue import Annotation
from caesura.model.result import Excluded, Result, Score
from caesura.model.tree import Tree
from caesura.model.value import Ints
from caesura.options import OptionSet, fraction, setting, whole
from caesura.options import seed as check_seed
from caesura.statistics import (
    PairedBootstrap,
    Randomisation,
    RankTest,
    blocked_kruskal_wallis,
    friedman,
    holm,
    letters,
    wins,
)
from caesura.statistics.paired import BORDERLINE_ERRORS, DRAWS, paired_bootstraps, randomisations


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Comparison of two systems on the items that both have."""

    systems: tuple[str, str]
    # Value of the first system minus value of the second, from summed parts; None if they have no item in common.
    difference: float | None
    # Confidence interval of the difference from the studentised bootstrap; infinite if there are too few items.
    interval: tuple[float, float] | None
    # p-value of the studentised paired bootstrap over items, at least that of randomisation, Holm-corrected for all pairs.
    bootstrap: float | None
    randomisation: float | None  # p-value of randomisation over items, Holm-corrected for all pairs
    kruskal_wallis: float | None  # p-value from ranks over all items, permuted within items, corrected for all pairs
    # p-value from ranks within each item, corrected for all pairs (Wilcoxon-Nemenyi-McDonald-Thompson).
    friedman: float | None
    # Number of items on which the first system is better than the second, equal to it, or worse.
    wins: int
    ties: int
    losses: int
    items: int
    # Whether randomisation examined all assignments, so that its p-value does not depend on the seed.
    exact: bool = True
    # Tests whose p-value comes from random draws and is within three standard errors of the level: with a different seed they
    # might decide differently.
    borderline: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SystemComparison(Result):
    frame_field: ClassVar[str] = "pairs"

    measure: Measure
    systems: tuple[str, ...]
    alpha: float  # significance level of the letters
    # Tests over all systems at once; None if undefined (``notes`` gives the reason).
    kruskal_wallis: RankTest | None
    friedman: RankTest | None
    pairs: tuple[SystemPair, ...]
    # System -> its letters. Systems that share a letter do not differ significantly by randomisation. None if two systems share
    # no item.
    letters: Mapping[str, str] | None
    notes: tuple[str, ...] = field(default=())  # tests that could not be computed, with the reason
    replicates: int = 0
    draws: int = 0  # number of random swaps of the pairs that differ on more than 20 items


@dataclass(frozen=True)
class ComparisonOptions(OptionSet):
    alpha: float = setting(0.05, fraction, "Significance level.")
    level: float = setting(0.95, fraction, "Confidence level of the intervals.")
    replicates: int = setting(2000, whole(100), "Minimum number of bootstrap replicates.")
    seed: int = setting(0, check_seed, "Random seed.")


def compare_systems(
    scores: PairScores, systems: tuple[str, ...], options: ComparisonOptions, *, paired_only: bool = False
) -> SystemComparison:
    # All tests take items as independent observations. The rank tests compare the mean value over coders, item by item, on the
    # items that all systems have: the values of one item against several coders are not independent. The paired tests resample
    # or swap items and compute values from summed parts. With many pairs of systems, more than ``replicates`` replicates are
    # drawn: the smallest possible p-value is about 1 / replicates, and after multiplication by the number of pairs it must
    # still be far below alpha.
    notes: list[str] = []
    alpha = options.alpha
    needed = math.ceil(4 * math.comb(len(systems), 2) / alpha)
    replicates, draws = max(options.replicates, needed), max(DRAWS, needed)
    by_ranks = in_blocks = None
    if not paired_only:
        means = scores.item_means(systems)
        ranking: dict[str, Any] = {"alpha": alpha, "draws": draws, "seed": options.seed}
        by_ranks = _rank_test(lambda: blocked_kruskal_wallis(means, **ranking), notes)
        in_blocks = _rank_test(lambda: friedman(means, **ranking), notes)
    tests = _paired_tests(scores, [*combinations(systems, 2)], replicates, draws, options, notes)
    pairs = _corrected(tests, alpha, by_ranks, in_blocks)
    groups = None if paired_only else _letters(pairs, scores, systems, alpha, notes)
    return SystemComparison(
        measure=scores.measure,
        systems=systems,
        alpha=alpha,
        kruskal_wallis=by_ranks,
        friedman=in_blocks,
        pairs=pairs,
        letters=groups,
        notes=tuple(dict.fromkeys(notes)),
        replicates=replicates,
        draws=draws,
    )


def _rank_test(test: Callable[[], RankTest], notes: list[str]) -> RankTest | None:
    try:
        return test()
    except (Undefined, OptionError) as error:
        notes.append(str(error))
        return None


class _PairedTests(NamedTuple):
    """The paired tests of two systems, not yet corrected for the number of pairs; None if they share too few items."""

    counts: tuple[int, int, int] = 0, 0, 0  # wins, ties and losses
    swapped: Randomisation | None = None
    resampled: PairedBootstrap | None = None


def _paired_tests(
    scores: PairScores,
    pairs: Sequence[tuple[str, str]],
    replicates: int,
    draws: int,
    options: ComparisonOptions,
    notes: list[str],
) -> dict[tuple[str, str], _PairedTests]:
    # Pairs of systems that were scored on the same (item, coder) are tested together: each system is computed once for each set
    # of weights, and not once for each pair.
    groups: dict[bytes, tuple[Ints, list[tuple[str, str]]]] = {}
    for pair in pairs:
        keys = scores.common_keys(*pair)
        groups.setdefault(keys.tobytes(), (keys, []))[1].append(pair)
    tests = dict.fromkeys(pairs, _PairedTests())
    for keys, group in groups.values():
        if not len(keys):
            notes += [f"{a} and {b} share no item" for a, b in group]
            continue
        names = list(dict.fromkeys(name for pair in group for name in pair))
        parts = np.stack([scores.parts_of(name, keys) for name in names])
        numbers = [(names.index(a), names.index(b)) for a, b in group]
        swapped = randomisations(parts, numbers, scores.finish, draws, options.seed)
        values = np.column_stack([scores.finish(of_system) for of_system in parts])
        table = wins(values if scores.measure.higher_is_better else -values)
        resampled: Sequence[PairedBootstrap | None] = [None] * len(group)
        try:
            sampling = replicates, options.level, options.seed
            resampled = paired_bootstraps(parts, numbers, scores.finish, swapped, *sampling)
        except Undefined as error:
            notes += [f"{a} and {b}: {error}" for a, b in group]
        for pair, place, by_swaps, by_samples in zip(group, numbers, swapped, resampled, strict=True):
            counts = int(table.wins[place]), int(table.ties[place]), int(table.losses[place])
            tests[pair] = _PairedTests(counts, by_swaps, by_samples)
    return tests


def _corrected(
    tests: Mapping[tuple[str, str], _PairedTests], alpha: float, by_ranks: RankTest | None, in_blocks: RankTest | None
) -> tuple[SystemPair, ...]:
    """Return the pairs with p-values corrected for their number."""
    names = list(dict.fromkeys(name for pair in tests for name in pair))
    places = [(names.index(a), names.index(b)) for a, b in tests]
    # The p-value of each pair, and whether it is borderline.
    p_values = {
        "randomisation": _holm([test.swapped for test in tests.values()], alpha),
        "bootstrap": _holm([test.resampled for test in tests.values()], alpha),
        "friedman": _p_by_ranks(in_blocks, places),
        "kruskal_wallis": _p_by_ranks(by_ranks, places),
    }
    pairs = []
    for number, (pair, ((won, tied, lost), swapped, resampled)) in enumerate(tests.items()):
        of_pair = {name: column[number] for name, column in p_values.items()}
        pairs.append(
            SystemPair(
                systems=pair,
                difference=None if swapped is None else swapped.difference,
                interval=None if resampled is None else (resampled.low, resampled.high),
                **{name: p for name, (p, _) in of_pair.items()},
                wins=won,
                ties=tied,
                losses=lost,
                items=won + tied + lost,
                exact=swapped is None or swapped.exact,
                borderline=tuple(name for name, (_, close) in of_pair.items() if close),
            )
        )
    return tuple(pairs)


def _p_by_ranks(test: RankTest | None, pairs: Sequence[tuple[int, int]]) -> list[tuple[float | None, bool]]:
    if test is None:
        return [(None, False)] * len(pairs)
    return [(float(test.pairs[pair]), test.is_borderline(*pair)) for pair in pairs]


def _holm(tests: Sequence[Randomisation | PairedBootstrap | None], alpha: float) -> list[tuple[float | None, bool]]:
    """Return p-values corrected for the number of pairs that could be tested, and whether each is borderline."""
    # A corrected p-value is borderline if it would fall on the other side of alpha if all p-values from random draws were three
    # standard errors lower or higher.
    p = np.array([test.p for test in tests if test is not None])
    if not p.size:
        return [(None, False)] * len(tests)
    margin = BORDERLINE_ERRORS * np.array([test.p_error for test in tests if test is not None])
    low, high = (holm(np.clip(p + sign * margin, 0, 1)) for sign in (-1, 1))
    corrected = iter(zip(holm(p).tolist(), ((low <= alpha) & (high > alpha)).tolist(), strict=True))
    return [(None, False) if test is None else next(corrected) for test in tests]


def _letters(
    pairs: tuple[SystemPair, ...], scores: PairScores, systems: tuple[str, ...], alpha: float, notes: list[str]
) -> dict[str, str] | None:
    if any(pair.randomisation is None for pair in pairs):
        return None
    p_values = np.ones((len(systems), len(systems)))
    p_values[np.triu_indices(len(systems), 1)] = [pair.randomisation for pair in pairs]
    p_values = np.minimum(p_values, p_values.T)
    values = [scores.score(name).value for name in systems]
    try:
        groups = letters(p_values, values, alpha=alpha, higher_is_better=scores.measure.higher_is_better)
    except OptionError as error:
        notes.append(str(error))
        return None
    return dict(zip(systems, groups, strict=True))


@dataclass(frozen=True, eq=False)
class ParserComparison(Result):
    """Result of :func:`compare_parsers`.

    Attributes
    ----------
    measure : Measure
        The measure of trees.
    sentences : int
        Number of sentences, scored or not.
    scores : mapping of str to Score
        Parser -> its score over all sentences on which it could be scored.
    comparison : SystemComparison
        The paired tests; sentences are the items.
    excluded : tuple of Excluded
        Sentences that were not scored; ``coder`` is the name of the parser, or ``gold``.
    seed : int
        Random seed.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("pairs",)
    frame_field: ClassVar[str] = "pairs"

    measure: Measure
    sentences: int
    scores: Mapping[str, Score]
    comparison: SystemComparison
    excluded: tuple[Excluded, ...]
    seed: int

    @property
    def pairs(self) -> tuple[SystemPair, ...]:
        """One entry per pair of parsers, over the sentences on which both were scored."""
        return self.comparison.pairs

    def excluded_sentences(self, pair: SystemPair) -> int:
        """Return the number of sentences on which two parsers were not compared.

        Parameters
        ----------
        pair : SystemPair
            An entry of ``pairs``.

        Returns
        -------
        int
            Number of sentences for which at least one of the two parsers has no score.
        """
        return self.sentences - pair.items


def compare_parsers(
    gold: Iterable[Tree | None],
    parsers: Mapping[str, Iterable[Tree | None]],
    *,
    measure: str | Measure = "parseval",
    alpha: float = 0.05,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int | None = 0,
) -> ParserComparison:
    """Test whether parsers differ on the same sentences, under any measure of trees.

    Parameters
    ----------
    gold : iterable of Tree or None
        The gold trees; None for a sentence without a tree.
    parsers : mapping of str to iterable of Tree or None
        Parser -> its trees, one for each gold tree; None for a sentence without a parse. At least two parsers.
    measure : str or Measure, default "parseval"
        A measure of trees.
    alpha : float, default 0.05
        Significance level.
    level : float, default 0.95
        Confidence level of the intervals.
    replicates : int, default 2000
        Minimum number of bootstrap replicates.
    seed : int or None, default 0
        Random seed; None chooses a random one.

    Returns
    -------
    ParserComparison
        Scores of the parsers and tests of all pairs.

    Raises
    ------
    OptionError
        If an option is invalid or there are fewer than two parsers.
    Undefined
        If a parser could not be scored on any sentence.

    Notes
    -----
    The difference between two parsers is the difference of their corpus scores, from parts summed over the sentences on
    which both were scored; ``.excluded_sentences(pair)`` counts the others. Randomisation swaps the two parses
    of a sentence; the studentised paired bootstrap resamples sentences and also gives an interval. Both p-values
    are Holm-corrected for all pairs of parsers. See :mod:`caesura.statistics`.

    References
    ----------
    Yeh, A. (2000). More accurate tests for the statistical significance of result differences. COLING.

    Examples
    --------
    >>> right = ["(S (NP (PRP She)) (VP (VBD slept)))", "(S (NP (PRP He)) (VP (VBD sang) (ADVP (RB well))))"] * 4
    >>> wrong = ["(S (NP (PRP She)) (VP (VBD slept)))", "(S (NP (PRP He)) (VP (VBD sang)) (ADVP (RB well)))"] * 4
    >>> gold, old = ([Tree.from_brackets(text) for text in texts] for texts in (right, wrong))
    >>> result = compare_parsers(gold, {"new": gold, "old": old}, seed=1)
    >>> (pair,) = result.pairs
    >>> round(pair.difference, 4), pair.randomisation, (pair.wins, pair.ties, pair.losses)
    (0.1429, 0.125, (4, 4, 0))
    """
    tree_measure = parse(measure)
    if tree_measure.kind != "trees":
        raise OptionError(f"measure must compare trees, like parseval; got {tree_measure.name}")
    options = ComparisonOptions(alpha, level, replicates, check_seed("seed", seed))
    if not isinstance(parsers, Mapping) or len(parsers) < 2:
        raise OptionError("parsers must be a mapping from at least two names to lists of trees")
    gold_trees = list(gold)
    participants = _participants(gold_trees, parsers)
    pair_scores = score_pairs(participants, tree_measure, participants.systems)
    for name in participants.systems:
        if name not in pair_scores.rows_of:
            raise Undefined(f"{name}: none of {len(gold_trees)} sentences could be scored")
    comparison = compare_systems(pair_scores, tuple(participants.systems), options, paired_only=True)
    return ParserComparison(
        tree_measure,
        len(gold_trees),
        {name: pair_scores.score(name) for name in participants.systems},
        comparison,
        (*participants.excluded, *pair_scores.excluded),
        options.seed,
    )


def _participants(gold: list[Tree | None], parsers: Mapping[str, Iterable[Tree | None]]) -> Participants:
    """Return participants with the gold trees as coder, the parsers as systems and the sentence numbers as items."""
    from caesura.measures.treebank import pair_trees  # not needed for segmentations

    digits = len(str(len(gold)))  # so that sentences sort by number
    names = [str(i).zfill(digits) for i in range(1, len(gold) + 1)]
    excluded: list[Excluded] = []

    def by_sentence(author: str, trees: list[Tree | None]) -> dict[str, Annotation]:
        listed = list(zip(names, trees, strict=True))
        excluded.extend(Excluded(name, author, "there is no tree") for name, tree in listed if tree is None)
        return {name: tree for name, tree in listed if tree is not None}

    gold_trees = by_sentence("gold", gold)
    systems = {}
    for parser, trees in parsers.items():
        pairs = pair_trees(gold, trees, str(parser))
        systems[str(parser)] = by_sentence(str(parser), [tree for _, tree in pairs])
    coders = {name: {"gold": tree} for name, tree in gold_trees.items()}
    return Participants(tuple(gold_trees), coders, systems, tuple(excluded))
