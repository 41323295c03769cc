"""Computation of all analyses that a report on a corpus shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import Any

from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.coder_pairs import check_pairs
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
from caesura.limits import (
    MAX_PAGE_BARS,
    MAX_PAGE_CELLS,
    MAX_PAGE_GOLD,
    MAX_REPORT_CODERS,
    MAX_REPORT_PAIRS,
    check_limit,
)
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.old_names import streams_of, tiers_of
from caesura.model.result import Excluded
from caesura.model.spans import Spans
from caesura.model.tree import Tree
from caesura.progress import on_progress, report_progress
from caesura.statistics import bootstrap
from caesura.tasks.agree import AgreementOutcome, Outcome
from caesura.tasks.alignments import Alignments, align_coders, items_that_fit
from caesura.tasks.gold import make_gold
from caesura.tasks.report_budget import page_budget
from caesura.tasks.report_results import CorpusReport, FuzzyItem, Overview, ParserScore
from caesura.tasks.report_subject import (
    CONFUSION,
    Preparation,
    ReportOptions,
    Subject,
    crosses_itself,
    length_in,
    prepare_subject,
)

# Analyses that every report has.
ESSENTIAL = ("agreement", "pairs", "alignments")
# Spans that are united in the time that everything else about an item takes.
SPANS_PER_GOLD = 20
# Maximum number of units of an item that a browser shows without delay.
MAX_UNITS = 20_000
# Units of an item in detail that take as long as everything else about it.
CELLS_PER_ITEM = 600


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
        self.budget = page_budget(preparation)
        self.notes = [*preparation.notes, *self.budget.notes]
        self.excluded = list(preparation.excluded)
        self.outcomes: dict[str, Outcome[Any]] = {}
        self.details_note = ""

    @cached_property
    def ranked_items(self) -> list[str]:
        """All items, those with the least agreement first and those without a value last."""
        values, sign = self.overview.items, 1 if self.overview.higher_is_better else -1
        return sorted(
            self.subject.corpus.item_names, key=lambda item: sign * values[item] if item in values else math.inf
        )

    @cached_property
    def text_items(self) -> tuple[str, ...]:
        """The items that are shown in detail: those with the least agreement, until the page is full."""
        subject, candidates = self.subject, self.ranked_items
        if subject.kind != "trees":
            lengths = {item: length_in(subject.boundaries, item) for item in candidates}
            for item, length in lengths.items():
                if length > MAX_UNITS:
                    reason = f"the text is not shown: it has {length} units, above {MAX_UNITS}"
                    self.excluded.append(Excluded(item, None, reason))
            candidates = [item for item, length in lengths.items() if length <= MAX_UNITS]
        sizes = _detail_sizes(subject)
        chosen = set(items_that_fit({item: sizes[item] for item in candidates}, MAX_PAGE_CELLS))
        if len(chosen) < len(candidates):
            counts = f"{len(chosen):,} of {len(subject.corpus.item_names):,} items are shown in detail"
            self.details_note = (
                f"{counts}, those with the least agreement; the others are only in the table of items; choose items with "
                "--item to see them"
                if chosen
                else f"{counts}: there are too many coders, or their texts are too long"
            )
        return tuple(item for item in subject.corpus.item_names if item in chosen)

    def report(self, chosen: Collection[str] | None) -> CorpusReport:
        analyses = {name: entry for name, entry in self.analyses().items() if chosen is None or name in chosen}
        for step, (name, compute) in enumerate(analyses.items(), 1):
            with on_progress(None):
                reason = self.budget.left_out.get(name)
                self.outcomes[name] = Outcome(None, reason) if reason else Outcome.attempt(compute, CaesuraError)
            report_progress(step, len(analyses))
        alignments: Outcome[Alignments] = self.outcomes.pop("alignments")
        if alignments.reason is not None:
            self.notes.append(f"no two coders could be aligned: {alignments.reason}")
        return CorpusReport(
            subject=self.subject,
            budget=self.budget,
            alignments=alignments.result or Alignments(),
            overview=self.overview,
            text_items=self.text_items,
            details_note=self.details_note,
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
            analyses |= {"clustering": self.clustering, "placed": placed, "heat": self.heat}
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

    def check_pairs(self) -> None:
        check_pairs(self.subject.corpus, MAX_REPORT_PAIRS, "see the command pairwise, or choose fewer coders")

    def alignments(self) -> Alignments:
        subject = self.subject
        counted = subject.human_coders if len(subject.human_coders) > 1 else subject.corpus.coders
        corpus = subject.corpus.select(items=self.text_items) if subject.kind == "trees" else subject.boundaries
        alignments = align_coders(corpus, subject.aligner, listed=set(self.text_items), counted=set(counted))
        self.excluded += alignments.excluded
        return alignments

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
        chosen = measures if self.budget.all_coefficients else measures[:1]
        return (*on_spans, *(self.outcome(people, measure) for measure in chosen))

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
        names = default_unitizing(people)
        with shared_results():
            return tuple(
                AgreementOutcome.attempt(
                    partial(compute, coefficient=name), CaesuraError, coefficient=name, measure=None
                )
                for name in (names if self.budget.all_coefficients else names[:1])
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
        self.check_pairs()
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
        hint = "use caesura.cluster_coders, or choose fewer coders"
        check_limit("coders in clusters on a page", len(corpus.coders), MAX_REPORT_CODERS, hint)
        return cluster_coders(corpus, measure, seed=self.subject.seed, chance=exact_chance(measure))

    def heat(self) -> tuple[Heat, ...]:
        if not self.text_items:
            raise OptionError("the texts are too long to show")
        return boundary_heat(self.subject.without_systems(self.subject.boundaries.select(items=self.text_items)))

    def judgement(self) -> Judgement:
        subject = self.subject
        corpus, measures = self.compared() if self.direct else (subject.boundaries, self.judge_measures)
        judgement = judge(corpus, subject.systems, measures=measures, seed=subject.seed, bounds=self.budget.bounds)
        self.excluded += judgement.excluded
        return judgement

    def precision_recall(self) -> Judgement | Pairwise:
        judgement: Judgement | None = self.outcomes.get("judgement", Outcome()).result
        if judgement is not None:
            return judgement
        self.check_pairs()
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
        """Compute fuzzy success of the systems for the items with the least agreement, as many as figures have space for."""
        if self.subject.kind == "dialogue":
            raise OptionError("fuzzy success needs boundaries without streams; the corpus contains dialogues")
        scores: list[FuzzyItem] = []
        errors: list[InputError] = []
        shown = set(self.text_items)
        for item, system in product(self.ranked_items, self.subject.systems):
            if len(scores) == self.budget.figures:
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
        """Return the conflict-free union of the human coders' spans of the items with the least agreement."""
        corpus = self.subject.without_systems(self.subject.corpus)
        items_of_people = set(corpus.item_names)
        sizes = dict.fromkeys((item for item in self.ranked_items if item in items_of_people), SPANS_PER_GOLD)
        for (item, _), entry in corpus.items():
            sizes[item] += len(entry.spans) if isinstance(entry, Hierarchy) else 0
        items = items_that_fit(sizes, MAX_PAGE_GOLD)
        if not items:
            hint = "use the command gold"
            check_limit("spans of the item with the fewest", min(sizes.values()), MAX_PAGE_GOLD, hint)
        result = make_gold(corpus.select(items=items))
        self.exclude(result.excluded, "no gold standard")
        return result.hierarchies

    def span_alignments(self) -> Mapping[str, ItemAlignment]:
        """Align the spans of all coders on the items with the least agreement, as many as figures have space for."""
        assert self.spans is not None
        sizes = {
            item: sum(len(entry) for entry in self.spans.of_item(item).values() if isinstance(entry, Spans))
            for item in self.ranked_items
        }
        marked = {item: size for item, size in sizes.items() if size and len(self.spans.of_item(item)) > 1}
        if not marked:
            raise OptionError("no item has the spans of two coders")
        items = items_that_fit(marked, MAX_PAGE_BARS)[: self.budget.figures]
        if not items:
            hint = "draw a part of an item with the command plot"
            check_limit("spans of the item with the fewest", min(marked.values()), MAX_PAGE_BARS, hint)
        alignments = best_span_alignment(self.spans.select(items=items))
        return {item: alignments[item] for item in items if item in alignments}


def exact_chance(measure: Measure) -> str | None:
    """Return how a report computes chance agreement, so that it does not depend on random draws."""
    return "exact" if measure.supports_exact_chance else None


def _overview_of(result: Agreement) -> Overview:
    return Overview(
        label=result.coefficient,
        items={row.item: row.value for row in result.items if row.value is not None},
        pairs={row.coders: row.value for row in result.pairs if row.value is not None},
    )


def _detail_sizes(subject: Subject) -> dict[str, int]:
    """Return how much a page has to contain to show each item in detail, as ``MAX_PAGE_CELLS`` counts it."""
    sizes = dict(subject.possible_edits)
    for item in sizes:
        first = next(iter(subject.boundaries.of_item(item).values()))
        streams = {} if isinstance(first, Tree) else streams_of(first)
        words = sum(text.length for text in streams.values() if text.units is not None)
        sizes[item] += CELLS_PER_ITEM + words
    for corpus in (subject.boundaries, subject.corpus, subject.tiers or Corpus({})):
        for (item, _), annotation in corpus.items():
            sizes[item] = sizes.get(item, 0) + _number_of_marks(annotation)
    return sizes


def _number_of_marks(annotation: Annotation) -> int:
    """Return how many numbers a page needs to show an annotation: four for a span or interval, three for a node."""
    if isinstance(annotation, Tree):
        return 3 * len(annotation.labels)
    if isinstance(annotation, Hierarchy):
        return 4 * len(annotation.spans)
    if tiers := tiers_of(annotation):
        return sum(4 * len(tier.intervals) for tier in tiers.values())
    return sum(int(text.inner.size) for text in streams_of(annotation).values())
