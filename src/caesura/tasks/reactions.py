"""How do the measures react to known errors? The answer is computed on artificial texts and on real annotations."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.data import stargazer
from caesura.judging.reactions import Reactions, measure_reactions
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.options import OptionSet, path, seed, setting
from caesura.tasks.measure_choice import measures_setting
from caesura.tasks.units import with_units


@dataclass(frozen=True)
class ReactionOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        "Measure with its options. May be repeated (default: all that compare segmentations without labels)."
    )
    seed: int | None = setting(0, seed, "Random seed.")
    figure: str | None = setting(
        None, path, "File for a figure of all curves, ending in .svg, .pdf or .png.", flags=("-o", "--output")
    )


def reactions(corpus: Corpus | None = None, options: ReactionOptions | None = None) -> Reactions:
    options = options or ReactionOptions()
    (corpus,), _ = with_units([stargazer() if corpus is None else corpus])
    return measure_reactions(corpus, options.measures or None, seed=options.seed)
