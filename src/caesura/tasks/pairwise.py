"""Every coder against every coder, under any measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from caesura.agreement.pairwise import Pairwise, PairwiseRow, pairwise
from caesura.agreement.placed import Placed, boundaries_placed, spans_placed
from caesura.engines import Engine
from caesura.formats.settings import Settings
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, Result
from caesura.options import OptionSet, setting, switch, text
from caesura.progress import progress_step
from caesura.tasks.measure_choice import (
    choose_measures,
    default_direct_measures,
    measures_as_they_are,
    measures_setting,
)
from caesura.tasks.units import CommonUnits, on_common_units


@dataclass(frozen=True)
class PairwiseOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        'Measure with its options, such as "B(n_t=3)". May be repeated (default: B; S_f for dialogues, kappa for '
        "hierarchies, Struct-IoU for trees)."
    )
    ordered: bool = switch(
        "Score every pair in both directions. This is the default for measures that are not symmetric, such as WD."
    )
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))


@dataclass(frozen=True)
class PairwiseStudy(Result):
    frame_field: ClassVar[str] = "rows"

    pairwise: tuple[Pairwise, ...]  # one entry per measure
    placed: Placed | None  # number of items, units and boundaries of each coder; None for trees
    excluded: tuple[Excluded, ...] = ()

    @property
    def rows(self) -> tuple[PairwiseRow, ...]:
        return tuple(row for table in self.pairwise for row in table.rows)

    @property
    def signature(self) -> str:
        return self.pairwise[0].signature


def compare_pairs(
    corpus: Corpus,
    options: PairwiseOptions | None = None,
    *,
    settings: Settings | None = None,
    engine: str | Engine = "threads",
) -> PairwiseStudy:
    options = options or PairwiseOptions()
    selected = corpus.select(items=options.items or None)
    requested = default_direct_measures("pairwise", [selected], options.measures, settings=settings)
    as_they_are = measures_as_they_are([selected], requested)
    unchanged = bool(as_they_are) and set(as_they_are) == set(requested) and selected.kind != "hierarchy"
    prepared = CommonUnits(selected, selected) if unchanged else on_common_units(selected, needs_lengths=True)
    measures = choose_measures("pairwise", prepared.corpus, requested, settings=settings)
    corpus_of = {measure: selected if measure in as_they_are else prepared.corpus for measure in measures}
    results: list[Pairwise] = []
    for step, measure in enumerate(measures, 1):
        ordered = options.ordered or not measure.symmetric
        with progress_step(step, len(measures)):
            results.append(pairwise(corpus_of[measure], measure, ordered=ordered, engine=engine))
    placed: Placed | None = None  # trees have no boundaries
    if prepared.corpus.kind == "spans":
        placed = spans_placed(prepared.corpus)
    elif prepared.corpus.kind != "trees":
        placed = boundaries_placed(prepared.boundaries)
    excluded = dict.fromkeys(entry for result in results for entry in result.excluded)
    return PairwiseStudy(tuple(results), placed, (*prepared.excluded, *excluded))
