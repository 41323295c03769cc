"""Is one parser better than another, or lucky?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.errors import OptionError, Undefined
from caesura.judging.comparison import Comparison, PairOfSystems, compare
from caesura.judging.field import Field
from caesura.judging.trials import run
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.options import fraction, whole
from caesura.options import seed as check_seed
from caesura.parsing.corpus import pair_trees

__all__ = ["ParserComparison", "compare_parsers"]


@dataclass(frozen=True, eq=False)
class ParserComparison:
    """Parsers on the same sentences under one measure of trees."""

    measure: Measure
    sentences: int
    """Sentences there are, scored or not."""
    scores: Mapping[str, Score]
    """Parser -> its score over all the sentences it could be scored on."""
    comparison: Comparison
    """The paired tests, the sentences being the items."""
    excluded: tuple[str, ...]
    """What could not be scored, and why."""
    seed: int

    @property
    def pairs(self) -> tuple[PairOfSystems, ...]:
        """Two parsers each, over the sentences that both were scored on: difference, interval, p-values."""
        return self.comparison.pairs

    def left_out(self, pair: PairOfSystems) -> int:
        """How many sentences the two were not compared on, since one of them or both have no score there."""
        return self.sentences - pair.items

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": repr(self.measure),
            "sentences": self.sentences,
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "pairs": [{**one.to_dict(), "left_out": self.left_out(one)} for one in self.pairs],
            "notes": list(self.comparison.notes),
            "excluded": list(self.excluded),
            "draws": self.comparison.draws,
            "seed": self.seed,
        }


def compare_parsers(
    gold: Iterable[Tree | None],
    parsers: Mapping[str, Iterable[Tree | None]],
    *,
    measure: str | Measure = "parseval",
    alpha: float = 0.05,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int | None = None,
) -> ParserComparison:
    """Compare two parsers or more on the same sentences, under any measure of trees.

    ``parsers``: name -> its trees, as many as ``gold`` has, None for a sentence without a parse. The difference of two
    parsers is that of their corpus scores, from parts summed over the sentences that both could be scored on; how many
    were left out ``.left_out(pair)`` says. Is it luck? Approximate randomisation swaps the parses of a sentence between
    the two; the studentised paired bootstrap draws sentences anew and gives an interval (``level``). Both p-values are
    corrected by Holm over all pairs of parsers. Nothing is scored twice. See :mod:`caesura.statistics`.

    Yeh, A. (2000). More accurate tests for the statistical significance of result differences. COLING.

    >>> texts = ["(S (NP (PRP She)) (VP (VBD slept)))", "(S (NP (PRP He)) (VP (VBD sang) (ADVP (RB well))))"] * 4
    >>> wrong = ["(S (NP (PRP She)) (VP (VBD slept)))", "(S (NP (PRP He)) (VP (VBD sang)) (ADVP (RB well)))"] * 4
    >>> gold, old = ([Tree.from_brackets(one) for one in each] for each in (texts, wrong))
    >>> found = compare_parsers(gold, {"new": gold, "old": old}, seed=1)
    >>> (pair,) = found.pairs
    >>> round(pair.difference, 4), pair.randomisation, (pair.wins, pair.ties, pair.losses)
    (0.1429, 0.125, (4, 4, 0))
    """
    made = parse(measure)
    if made.view != "trees":
        raise OptionError(f"parsers are compared under a measure of trees, such as parseval; got {made.name}")
    whole(100)("replicates", replicates)
    fraction("level", level)
    fraction("alpha", alpha)
    chosen = check_seed("seed", seed)
    truth = list(gold)
    if not isinstance(parsers, Mapping) or len(parsers) < 2:
        raise OptionError("parsers: at least two are needed, as a mapping from their names to lists of trees")
    pairs = {str(name): pair_trees(truth, trees, str(name)) for name, trees in parsers.items()}
    digits = len(str(len(truth)))  # so that sentences sort by number
    names = [str(i).zfill(digits) for i in range(1, len(truth) + 1)]
    field = Field(
        items=tuple(item for item, tree in zip(names, truth, strict=True) if tree is not None),
        coders={item: {"gold": tree} for item, tree in zip(names, truth, strict=True) if tree is not None},
        systems={
            name: {item: tree for item, (_, tree) in zip(names, listed, strict=True) if tree is not None}
            for name, listed in pairs.items()
        },
        excluded=tuple(
            f"{name}: no tree for {missing} of {len(truth)} sentences"
            for name, trees in {
                "gold": truth,
                **{name: [tree for _, tree in each] for name, each in pairs.items()},
            }.items()
            if (missing := sum(tree is None for tree in trees))
        ),
    )
    trials = run(field, made, field.systems)
    for name in pairs:
        if name not in trials.segmenters:
            raise Undefined(f"{name}: none of {len(truth)} sentences could be scored")
    scores = {name: trials.score(name) for name in pairs}
    tests = compare(
        trials, tuple(pairs), alpha=alpha, level=level, replicates=replicates, seed=chosen, paired_only=True
    )
    return ParserComparison(made, len(truth), scores, tests, (*field.excluded, *trials.excluded), chosen)
