"""Significance tests between parsers on the same sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from caesura.errors import OptionError, Undefined
from caesura.judging.comparison import SystemComparison, SystemPair, compare_systems
from caesura.judging.pair_scores import score_pairs
from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.dialogue import Annotation
from caesura.model.result import Excluded, Result, Score
from caesura.model.tree import Tree
from caesura.options import fraction, whole
from caesura.options import seed as check_seed
from caesura.parsing.corpus import pair_trees


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
        Minimum number of bootstrap replicates and random swaps.
    seed : int or None, default 0
        Random seed; None draws one.

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
    which both were scored; ``.excluded_sentences(pair)`` counts the others. Approximate randomisation swaps the two
    parses of a sentence; the studentised paired bootstrap resamples sentences and also gives an interval. Both p-values
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
    replicates = whole(100)("replicates", replicates)
    level, alpha = fraction("level", level), fraction("alpha", alpha)
    root = check_seed("seed", seed)
    if not isinstance(parsers, Mapping) or len(parsers) < 2:
        raise OptionError("parsers must be a mapping from at least two names to lists of trees")
    gold_trees = list(gold)
    participants = _participants(gold_trees, parsers)
    pair_scores = score_pairs(participants, tree_measure, participants.systems)
    for name in participants.systems:
        if name not in pair_scores.rows_of:
            raise Undefined(f"{name}: none of {len(gold_trees)} sentences could be scored")
    comparison = compare_systems(
        pair_scores,
        tuple(participants.systems),
        alpha=alpha,
        level=level,
        replicates=replicates,
        seed=root,
        paired_only=True,
    )
    return ParserComparison(
        tree_measure,
        len(gold_trees),
        {name: pair_scores.score(name) for name in participants.systems},
        comparison,
        (*participants.excluded, *pair_scores.excluded),
        root,
    )


def _participants(gold: list[Tree | None], parsers: Mapping[str, Iterable[Tree | None]]) -> Participants:
    """Return participants with the gold trees as coder, the parsers as systems and the sentence numbers as items."""
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
