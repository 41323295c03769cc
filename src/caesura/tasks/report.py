"""Computation of all analyses that a report on a corpus shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import Any

from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.coefficients import agreement, has_positions
from caesura.agreement.families import default_coefficient
from caesura.agreement.gamma import best_span_alignment
from caesura.agreement.gamma_alignment import ItemAlignment
from caesura.agreement.pairwise import Pairwise, pairwise
from caesura.agreement.placed import Heat, boundaries_placed, boundary_heat
from caesura.agreement.result import Agreement
from caesura.agreement.unitizing import shared_results
from caesura.agreement.unitizing_registry import default_unitizing
from caesura.errors import CaesuraError, InputError, OptionError, Undefined
from caesura.formats.settings import Settings
from caesura.gold.unify import UnifiedHierarchy
from caesura.judging.judge import Judgement, judge
from caesura.judging.participants import Systems
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.operations import OperationsTable
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.marks import Marks
from caesura.model.result import Excluded
from caesura.model.spans import Spans
from caesura.progress import progress_step
from caesura.statistics import bootstrap
from caesura.tasks.agree import AgreementOutcome, Outcome
from caesura.tasks.alignments import Alignments, align_coders, count_operations
from caesura.tasks.gold import make_gold
from caesura.tasks.report_results import CorpusReport, FuzzyItem, Overview, ParserScore
from caesura.tasks.report_subject import (
    CONFUSION,
    MAX_CODERS,
    MAX_FIGURES,
    MAX_ITEMS,
    Preparation,
    ReportOptions,
    check_coders,
    crosses_itself,
    length_in,
    prepare_subject,
)

# Analyses that every report has.
ESSENTIAL = ("agreement", "pairs", "alignments")
# Maximum number of units of an item that a browser shows without delay.
MAX_UNITS = 20_000


def analyze_corpus(
    corpus: Corpus,
    options: ReportOptions | None = None,
    *,
    systems: Systems | None = None,
    settings: Settings | None = None,
    analyses: Collection[str] | None = None,
) -> CorpusReport:
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: expected a Corpus; got {type(corpus).__name__}")
    return _Analyst(prepare_subject(corpus, options or ReportOptions(), systems, settings)).report(analyses)


class _Analyst:
    """Computation of all analyses of a corpus, which also collects excluded items and notes."""

    def __init__(self, preparation: Preparation) -> None:
        self.subject = preparation.subject
        self.systems = preparation.system_names
        self.spans = preparation.spans
        self.direct = preparation.direct
        self.judge_measures = preparation.judge_measures
        self.notes = [*preparation.notes]
        self.excluded = list(preparation.excluded)
        self.outcomes: dict[str, Outcome[Any]] = {}
        self.details_notes: list[str] = []

    @cached_property
    def ranked_items(self) -> list[str]:
        """All items, those with the least agreement first and those without a value last."""
        values, sign = self.overview.items, 1 if self.overview.higher_is_better else -1
        return sorted(
            self.subject.corpus.item_names, key=lambda item: sign * values[item] if item in values else math.inf
        )

    @cached_property
    def text_items(self) -> tuple[str, ...]:
        """The items that are shown in detail: those with the least agreement."""
        subject, candidates = self.subject, self.ranked_items
        if subject.kind != "trees":
            lengths = {item: length_in(subject.boundaries, item) for item in candidates}
            for item, length in lengths.items():
                if length > MAX_UNITS:
                    reason = f"the text is not shown: it has {length} units, above {MAX_UNITS}"
                    self.excluded.append(Excluded(item, None, reason))
            candidates = [item for item, length in lengths.items() if length <= MAX_UNITS]
        chosen = set(candidates[:MAX_ITEMS])
        if len(candidates) > MAX_ITEMS:
            self.details_notes.append(
                f"{MAX_ITEMS:,} of {len(subject.corpus.item_names):,} items are shown in detail, those with the least "
                "agreement; the others are only in the table of items; choose items with --item to see them"
            )
        most = max((len(subject.boundaries.of_item(item)) for item in chosen), default=0)
        if most > MAX_CODERS:
            self.details_notes.append(
                f"{MAX_CODERS} of up to {most:,} coders of an item are shown in detail; the tables have all coders"
            )
        return tuple(item for item in subject.corpus.item_names if item in chosen)

    def shown_items(self) -> tuple[str, ...]:
        """Return the items that are shown in detail; raise an error if there are none."""
        if not self.text_items:
            raise OptionError("the texts are too long to show")
        return self.text_items

    def report(self, chosen: Collection[str] | None) -> CorpusReport:
        analyses = {name: entry for name, entry in self.analyses().items() if chosen is None or name in chosen}
        for step, (name, compute) in enumerate(analyses.items(), 1):
            with progress_step(step, len(analyses)):
                self.outcomes[name] = Outcome.attempt(compute, CaesuraError)
        alignments: Outcome[Alignments] = self.outcomes.pop("alignments")
        if alignments.reason is not None:
            self.notes.append(f"no two coders could be aligned: {alignments.reason}")
        return CorpusReport(
            subject=self.subject,
            alignments=alignments.result or Alignments(),
            overview=self.overview,
            text_items=self.text_items,
            details_note="; ".join(self.details_notes),
            notes=tuple(self.notes),
            excluded=tuple(dict.fromkeys(self.excluded)),
            **self.outcomes,
        )

    def analyses(self) -> dict[str, Callable[[], Any]]:
        """Return the analyses that apply to the subject, by the name of their field in the report."""
        kind, judged = self.subject.kind, bool(self.subject.systems)
        analyses: dict[str, Callable[[], Any]] = {
            "agreement": self.agreement,
            "pairs": self.pairs,
            "alignments": self.alignments,
        }
        if kind != "trees":
            placed = partial(boundaries_placed, self.subject.boundaries)
            analyses |= {
                "operations": self.operations,
                "clustering": self.clustering,
                "placed": placed,
                "heat": self.heat,
            }
        if judged:
            systems = {"judgement": self.judgement, "fuzzy": self.fuzzy}
            analyses |= {"parsers": self.parsers} if kind == "trees" else systems
        if kind in ("linear", "hierarchy") and not self.direct:
            analyses["precision_recall"] = self.precision_recall
        if kind == "hierarchy" and not any(map(crosses_itself, self.subject.corpus.values())):
            analyses["golds"] = self.golds
        if self.spans is not None:
            analyses["spans"] = self.span_alignments
        return analyses

    def exclude(self, entries: Iterable[Excluded], problem: str) -> None:
        self.excluded += [replace(entry, reason=f"{problem}: {entry.reason}") for entry in entries]

    def alignments(self) -> Alignments:
        """Align the coders on the items that are shown in detail."""
        subject = self.subject
        shown = Corpus({item: subject.in_detail(subject.boundaries, item) for item in self.shown_items()})
        alignments = align_coders(shown, subject.aligner)
        self.excluded += alignments.excluded
        return alignments

    def operations(self) -> OperationsTable:
        subject = self.subject
        corpus = subject.boundaries
        return count_operations(
            subject.without_systems(corpus) if len(subject.human_coders) > 1 else corpus, subject.aligner
        )

    def agreement(self) -> tuple[AgreementOutcome, ...]:
        """Compute one coefficient over each measure, as ``caesura agree`` does."""
        if self.subject.kind == "trees":
            raise OptionError(
                "agreement beyond chance is not defined over trees; the pairs below show how well parses agree"
            )
        corpus, measures = self.compared()
        people = self.subject.without_systems(corpus)
        on_spans = self.agreement_on_spans()
        if on_spans and self.direct:
            return on_spans
        return (*on_spans, *(self.outcome(people, measure) for measure in measures))

    def compared(self) -> tuple[Corpus, tuple[Measure, ...]]:
        """Return the annotations that are compared and the measures: spans and tiers without units as they are."""
        subject = self.subject
        direct = self.spans or subject.tiers
        if not self.direct or direct is None:
            return subject.corpus, subject.measures
        return direct.select(items=subject.corpus.item_names), self.direct

    def agreement_on_spans(self) -> tuple[AgreementOutcome, ...]:
        """Compute the default coefficients of spans, which compare also those that are no hierarchy."""
        if self.spans is None:
            return ()
        # A coder whose spans all cross is no coder of the hierarchies, but one of the spans.
        people = self.spans.select(coders=[name for name in self.spans.coders if name not in self.systems])
        compute = partial(agreement, people, seed=self.subject.seed)
        with shared_results():
            return tuple(
                AgreementOutcome.attempt(
                    partial(compute, coefficient=name), CaesuraError, coefficient=name, measure=None
                )
                for name in default_unitizing(people)
            )

    def outcome(self, corpus: Corpus, measure: Measure) -> AgreementOutcome:
        name = default_coefficient(measure, has_positions=has_positions(corpus))
        seed, chance = self.subject.seed, exact_chance(measure)
        compute = partial(agreement, corpus, measure, coefficient=name, seed=seed, chance=chance)
        outcome = AgreementOutcome.attempt(compute, (Undefined, OptionError), coefficient=name, measure=measure)
        if outcome.result is not None:
            self.exclude(outcome.result.excluded, "excluded from agreement")
        return outcome

    def pairs(self) -> tuple[Pairwise, ...]:
        """Score all pairs under every measure that can score at least one pair. PARSEVAL cannot score all trees."""
        tables: list[Pairwise] = []
        errors: dict[str, CaesuraError] = {}
        corpus, measures = self.compared()
        for measure in measures:
            try:
                tables.append(pairwise(corpus, measure))
            except CaesuraError as error:
                errors[measure.label] = error
        if not tables:
            raise next(iter(errors.values()))
        self.excluded += [Excluded(None, None, f"no pairs under {label}: {error}") for label, error in errors.items()]
        for table in tables if self.subject.kind == "trees" else ():  # otherwise agreement lists them
            self.exclude(table.excluded, f"excluded from {table.measure.label}")
        return tuple(tables)

    @cached_property
    def overview(self) -> Overview:
        """Values of the first measure of pairs, or of the first coefficient: for spans, or if there are too many pairs."""
        coefficients: tuple[AgreementOutcome, ...] = self.outcomes["agreement"].result or ()
        coefficient = coefficients[0].result if coefficients else None
        tables: tuple[Pairwise, ...] | None = self.outcomes["pairs"].result
        if coefficient is not None and self.direct and self.spans is not None:
            return _overview_of(coefficient)
        if not tables:
            return Overview() if coefficient is None else replace(_overview_of(coefficient), pairs={})
        table = people = tables[0]
        if self.subject.systems and len(self.subject.human_coders) > 1:
            corpus = self.subject.without_systems(self.compared()[0])
            people = Outcome.attempt(lambda: pairwise(corpus, table.measure), CaesuraError).result or table
        return Overview(
            label=table.measure.label,
            higher_is_better=table.measure.higher_is_better,
            items={row.item: row.mean for row in people.items},
            pairs={row.coders: row.score.value for row in table.rows},
        )

    def clustering(self) -> Clustering:
        corpus, (measure, *_) = self.compared()
        if len(corpus.coders) < 3:
            raise OptionError(f"clusters need at least three coders; got {len(corpus.coders)}")
        check_coders(self.subject.corpus.coders)
        return cluster_coders(corpus, measure, seed=self.subject.seed, chance=exact_chance(measure))

    def heat(self) -> tuple[Heat, ...]:
        shown = self.subject.boundaries.select(items=self.shown_items())
        return boundary_heat(self.subject.without_systems(shown))

    def judgement(self) -> Judgement:
        subject = self.subject
        corpus, measures = self.compared() if self.direct else (subject.boundaries, self.judge_measures)
        judgement = judge(corpus, subject.systems, measures=measures, seed=subject.seed)
        self.excluded += judgement.excluded
        return judgement

    def precision_recall(self) -> Judgement | Pairwise:
        judgement: Judgement | None = self.outcomes.get("judgement", Outcome()).result
        if judgement is not None:
            return judgement
        check_coders(self.subject.corpus.coders)
        return pairwise(self.subject.boundaries, CONFUSION, ordered=True)

    def parsers(self) -> tuple[ParserScore, ...]:
        scores = []
        for measure, system, coder in product(self.subject.measures, self.subject.systems, self.subject.human_coders):
            gold, predicted = self.subject.corpus.of_coder(coder), self.subject.corpus.of_coder(system)
            pairs: list[Any] = [(gold[item], predicted[item]) for item in gold if item in predicted]
            batch = score_many(pairs, measure)
            if not batch.scored.size:
                continue
            interval = None
            if batch.scored.size > 1:
                finish = partial(measure.finish, types=batch.types)
                sample = bootstrap(batch.counts[batch.scored], finish, seed=self.subject.seed)
                interval = (sample.low, sample.high)
            scores.append(ParserScore(system, coder, batch.over(batch.scored), interval))
        return tuple(scores)

    def fuzzy(self) -> tuple[FuzzyItem, ...]:
        """Compute fuzzy success of the systems for the items with the least agreement."""
        if self.subject.kind == "dialogue":
            raise OptionError("fuzzy success needs boundaries without streams; the corpus contains dialogues")
        scores: list[FuzzyItem] = []
        errors: list[InputError] = []
        shown = set(self.text_items)
        for item, system in product(self.ranked_items, self.subject.systems):
            if len(scores) == MAX_FIGURES:
                break
            if item not in shown:
                continue
            by_coder: dict[str, Any] = self.subject.boundaries.of_item(item)
            annotations = [by_coder[coder] for coder in by_coder if coder not in self.subject.systems]
            if system not in by_coder or not annotations:
                continue
            try:
                score: Any = parse("fuzzy_success").score(Marks.of(annotations), by_coder[system])
                scores.append(FuzzyItem(item, system, score))
            except InputError as error:
                errors.append(error)
        if errors and not scores:
            raise errors[-1]
        return tuple(scores)

    def golds(self) -> Mapping[str, UnifiedHierarchy]:
        """Return the conflict-free union of the human coders' spans of the items that are shown in detail."""
        corpus = self.subject.without_systems(self.subject.corpus)
        items = set(self.shown_items()).intersection(corpus.item_names)
        result = make_gold(corpus.select(items=[item for item in self.ranked_items if item in items]))
        self.exclude(result.excluded, "no gold standard")
        return result.hierarchies

    def span_alignments(self) -> Mapping[str, ItemAlignment]:
        """Align the spans of all coders on the items with the least agreement."""
        assert self.spans is not None
        by_item = {item: self.spans.of_item(item) for item in self.ranked_items}
        items = [item for item, spans in by_item.items() if len(spans) > 1 and any(map(_has_spans, spans.values()))]
        if not items:
            raise OptionError("no item has the spans of two coders")
        alignments = best_span_alignment(self.spans.select(items=items[:MAX_FIGURES]))
        return {item: alignments[item] for item in items if item in alignments}


def _has_spans(annotation: Annotation) -> bool:
    return isinstance(annotation, Spans) and len(annotation) > 0


def exact_chance(measure: Measure) -> str | None:
    """Return how a report computes chance agreement, so that it does not depend on random draws."""
    return "exact" if measure.supports_exact_chance else None


def _overview_of(result: Agreement) -> Overview:
    return Overview(
        label=result.coefficient,
        items={row.item: row.value for row in result.items if row.value is not None},
        pairs={row.coders: row.value for row in result.pairs if row.value is not None},
    )
