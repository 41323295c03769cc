"""Computation of all analyses that a report on a corpus shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, TypeVar

from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.coder_pairs import check_pairs
from caesura.agreement.coefficients import agreement, has_positions
from caesura.agreement.families import default_coefficient
from caesura.agreement.gamma import best_span_alignment
from caesura.agreement.gamma_alignment import ItemAlignment
from caesura.agreement.pairwise import Pairwise, pairwise
from caesura.agreement.placed import Heat, Placed, boundaries_placed, boundary_heat
from caesura.agreement.result import Agreement
from caesura.agreement.unitizing import shared_results
from caesura.agreement.unitizing_registry import default_unitizing
from caesura.errors import CaesuraError, InputError, OptionError, Undefined
from caesura.formats.settings import Settings
from caesura.gold.unify import UnifiedHierarchy
from caesura.judging.judge import Judgement, judge
from caesura.judging.participants import Systems, check_system_names, check_systems
from caesura.limits import (
    MAX_PAGE_BARS,
    MAX_PAGE_CELLS,
    MAX_PAGE_GOLD,
    MAX_REPORT_CODERS,
    MAX_REPORT_PAIRS,
    check_limit,
)
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.fuzzy import FuzzyScore
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.common_units import BoundaryTimes, boundary_times
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, streams_of, tiers_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.reading import length_of
from caesura.model.result import HIDDEN, Excluded, Result, Score
from caesura.model.seconds import one_level_as_tiers
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.text_difference import text_difference
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.notices import collect_warnings
from caesura.options import OptionSet, seed, setting, text
from caesura.progress import on_progress, report_progress
from caesura.statistics import bootstrap
from caesura.tasks.agree import AgreementOutcome, Outcome
from caesura.tasks.alignments import Alignments, align_coders, items_that_fit, possible_edits
from caesura.tasks.gold import make_gold
from caesura.tasks.measure_choice import (
    KIND_NAMES,
    choose_measures,
    compares_spans,
    default_direct_measures,
    measure_value,
    measures_in_seconds,
)
from caesura.tasks.systems import human_coders
from caesura.tasks.units import on_common_units, spans_as_hierarchies, with_units

ESSENTIAL = ("agreement", "pairs", "alignments")
"""Analyses that every report has."""
MAX_UNITS = 20_000
"""Maximum number of units of an item that a browser shows without delay."""
MAX_FIGURES = 12
"""Figures of one section of the page."""
SPANS_PER_GOLD = 20
"""Spans that are united in the time that everything else about an item takes."""
CELLS_PER_ITEM = 600
"""Units of an item in detail that take as long as everything else about it."""

_CONFUSION = "boundary_confusion(n_t=2)"
_KINDS = {Segmentation: "linear", Dialogue: "dialogue", Hierarchy: "hierarchy", Tree: "trees"}

T = TypeVar("T")


@dataclass(frozen=True)
class ReportOptions(OptionSet):
    """Measure, random seed and items of a report."""

    measure: Measure | None = setting(
        None,
        measure_value,
        "Measure that compares coders (default: B and S; S_f and S_f^B for dialogues, kappa for hierarchies, Struct-IoU and "
        "PARSEVAL for trees).",
        flags=("-m", "--measure"),
    )
    seed: int = setting(0, seed, "Random seed for bootstrap and simulated chance agreement.")
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))


@dataclass(frozen=True, eq=False)
class Subject:
    """A corpus, prepared for a report.

    Parameters
    ----------
    kind : str
        Kind of data: ``linear``, ``dialogue``, ``hierarchy`` or ``trees``.
    corpus : Corpus
        Human coders and systems; hierarchies are converted to common units.
    boundaries : Corpus
        The same corpus as segmentations; hierarchies have levels as types. Trees stay trees.
    human_coders, systems : tuple of str
        Names of the human coders and of the systems.
    measures : tuple of Measure
        Measures that compare coders; figures show the first one.
    aligner : Measure
        Measure that aligns boundaries or nodes.
    seed : int
        Random seed.
    tiers : Corpus or None
        The corpus in seconds, if it has tiers.
    times : mapping
        Item, coder and stream -> position of a boundary -> the time at which the coder put it, for tiers.
    """

    kind: str
    corpus: Corpus = field(metadata=HIDDEN, repr=False)
    boundaries: Corpus = field(metadata=HIDDEN, repr=False)
    human_coders: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    aligner: Measure
    seed: int
    tiers: Corpus | None = field(default=None, metadata=HIDDEN, repr=False)
    times: BoundaryTimes = field(default_factory=dict, metadata=HIDDEN, repr=False)

    def without_systems(self, corpus: Corpus) -> Corpus:
        """Return a corpus without the systems.

        Parameters
        ----------
        corpus : Corpus
            A corpus of human coders and systems.

        Returns
        -------
        Corpus
            The human coders' annotations.
        """
        return corpus.select(coders=[coder for coder in self.human_coders if coder in corpus.coders])

    @property
    def seconds(self) -> float:
        """Total length of the recordings, if the corpus has tiers."""
        corpus = self.tiers or Corpus({})
        recordings = (corpus.of_item(item) for item in corpus.item_names if item in self.corpus.item_names)
        return math.fsum(max(map(length_of, by_coder.values())) for by_coder in recordings)

    @property
    def units(self) -> int:
        """Total number of units of all items."""
        return sum(_length(self.corpus, item) for item in self.corpus.item_names)


@dataclass(frozen=True, eq=False)
class ParserScore:
    """The score of a parser against one treebank under one measure.

    Parameters
    ----------
    system : str
        Name of the parser.
    coder : str
        Name of the treebank's coder.
    score : Score
        Score from counts summed over sentences.
    interval : tuple of float or None
        Bootstrap interval over sentences; None if there is only one sentence.
    """

    system: str
    coder: str
    score: Score
    interval: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class FuzzyItem:
    """Fuzzy success of one system for one item.

    Parameters
    ----------
    item : str
        Name of the item.
    system : str
        Name of the system.
    score : FuzzyScore
        Score of the system.
    """

    item: str
    system: str
    score: FuzzyScore


@dataclass(frozen=True, eq=False)
class Overview:
    """One value per item and one per pair of coders, by which a reader finds where coders disagree.

    Parameters
    ----------
    label : str
        Name of the measure or coefficient; empty if there are no values.
    higher_is_better : bool
        Whether high values mean agreement.
    items : mapping of str to float
        Values of the items: of spans the first coefficient, else the mean score of the pairs of human coders, or of all pairs
        if there is only one human coder.
    pairs : mapping
        Values of the pairs of coders.
    """

    label: str = ""
    higher_is_better: bool = True
    items: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class CorpusReport(Result):
    """All analyses of a report. An analysis that does not apply to the corpus is None.

    Parameters
    ----------
    subject : Subject
        The corpus with its coders and measures.
    agreement : Outcome of tuple of AgreementOutcome
        Chance-corrected agreement of the human coders, one coefficient per measure.
    pairs : Outcome of tuple of Pairwise
        All pairs of coders, systems included, under every measure that can score at least one pair.
    clustering : Outcome of Clustering, or None
        Clusters of coders with similar segmentations.
    placed : Outcome of Placed, or None
        Boundaries per coder.
    heat : Outcome of tuple of Heat, or None
        Number of coders per position, for the items whose text is shown.
    precision_recall : Outcome of Judgement or Pairwise, or None
        B-precision and B-recall of the systems, or of the coders if there are no systems.
    judgement : Outcome of Judgement, or None
        Systems judged against human coders.
    parsers : Outcome of tuple of ParserScore, or None
        Parsers compared with treebanks.
    fuzzy : Outcome of tuple of FuzzyItem, or None
        Fuzzy success of the systems, for the items whose text is shown.
    golds : Outcome of mapping of str to UnifiedHierarchy, or None
        Conflict-free union of the human coders' hierarchies, by item: of the items with the least agreement if there are too
        many.
    spans : Outcome of mapping of str to ItemAlignment, or None
        Best alignment of the spans of all coders, for the items with the least agreement that figures have space for.
    alignments : Alignments
        Aligned boundaries or nodes of all pairs of coders.
    overview : Overview
        One value per item and per pair of coders.
    text_items : tuple of str
        Items that are shown in detail, with their text and the edits of all pairs of coders: those with the least agreement if
        there are too many.
    details_note : str
        How many items are shown in detail, if not all of them are; otherwise empty.
    notes : tuple of str
        Remarks for the reader of the report.
    excluded : tuple of Excluded
        Items and analyses that the report does not cover, with reasons.
    """

    subject: Subject
    agreement: Outcome[tuple[AgreementOutcome, ...]]
    pairs: Outcome[tuple[Pairwise, ...]]
    clustering: Outcome[Clustering] | None = None
    placed: Outcome[Placed] | None = None
    heat: Outcome[tuple[Heat, ...]] | None = None
    precision_recall: Outcome[Judgement | Pairwise] | None = None
    judgement: Outcome[Judgement] | None = None
    parsers: Outcome[tuple[ParserScore, ...]] | None = None
    fuzzy: Outcome[tuple[FuzzyItem, ...]] | None = None
    golds: Outcome[Mapping[str, UnifiedHierarchy]] | None = None
    spans: Outcome[Mapping[str, ItemAlignment]] | None = None
    alignments: Alignments
    overview: Overview
    text_items: tuple[str, ...]
    details_note: str = ""
    notes: tuple[str, ...]
    excluded: tuple[Excluded, ...]

    @property
    def other_items(self) -> tuple[str, ...]:
        """Items that are not shown in detail."""
        shown = set(self.text_items)
        return tuple(item for item in self.subject.corpus.item_names if item not in shown)

    @property
    def signatures(self) -> tuple[str, ...]:
        """Signatures of all reported numbers, for reproduction."""
        results: list[Any] = [outcome.result for outcome in self.agreement.result or ()]
        results += self.pairs.result or ()
        results += [outcome.result for outcome in (self.clustering, self.judgement) if outcome is not None]
        results += () if self.golds is None else (self.golds.result or {}).values()
        signatures = [getattr(result, "signature", None) for result in (*results, self.alignments)]
        return tuple(dict.fromkeys(filter(None, signatures)))


def analyze_corpus(
    corpus: Corpus,
    options: ReportOptions | None = None,
    *,
    systems: Systems | None = None,
    settings: Settings | None = None,
    analyses: Collection[str] | None = None,
) -> CorpusReport:
    """Compute everything that a report on a corpus shows.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, hierarchies or trees.
    options : ReportOptions, optional
        Measure, random seed and items.
    systems : sequence of str, mapping or Corpus, optional
        Systems: names of coders in the corpus, or a mapping system -> item -> annotation, or a corpus of systems.
    settings : Settings, optional
        Symbols, similarity matrix and costs of a settings file.
    analyses : collection of str, optional
        Names of the analyses to compute, which must include those of ``ESSENTIAL`` (default: all that apply).

    Returns
    -------
    CorpusReport
        The analyses. Items that cannot be analysed are listed in ``excluded``.

    Raises
    ------
    OptionError
        If no item can be used, all coders are systems, or the measure cannot score the data.
    """
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: expected a Corpus; got {type(corpus).__name__}")
    return _Analyst(corpus, options or ReportOptions(), systems, settings).report(analyses)


# -- the analyses ---------------------------------------------------------------------------------------------------


class _Analyst:
    """Computation of all analyses of a corpus, which also collects excluded items and notes."""

    def __init__(
        self, corpus: Corpus, options: ReportOptions, systems: Systems | None, settings: Settings | None
    ) -> None:
        self.excluded: list[Excluded] = []
        self.outcomes: dict[str, Outcome[Any]] = {}
        self.details_note = ""
        joined, system_names = _join_systems(corpus, systems)
        if options.items:
            joined = joined.select(items=options.items)
        if options.measure is None or compares_seconds(options.measure):
            joined = one_level_as_tiers(joined)
        self.systems = system_names
        self.spans = joined if joined.kind == "spans" else None
        tiers = joined if joined.holds(Tier) else None
        requested = () if options.measure is None else (options.measure,)
        self.direct = _direct_measures(joined, requested, settings)  # compare tiers and spans without conversion
        # The units of annotations that are compared directly place boundaries in pictures; no number depends on them.
        with collect_warnings() if self.direct else nullcontext():
            if self.direct and self.spans is not None:
                (joined,), without_units = spans_as_hierarchies(
                    [joined], layers=any(map(_crosses_itself, joined.values()))
                )
            else:
                (joined,), without_units = with_units([joined])
        self.excluded += without_units
        shared = on_common_units(self.of_one_kind(joined), warn=False)
        self.notes = list(shared.notes)
        kind = shared.corpus.kind
        items = shared.corpus.item_names if kind == "trees" else self.items_with_same_units(shared.boundaries)
        joined = shared.corpus.select(items=items)
        requested = () if self.direct else requested
        measures = choose_measures("report", joined, requested, settings=settings)
        self.subject = Subject(
            kind=kind,
            corpus=joined,
            boundaries=shared.boundaries.select(items=items),
            human_coders=human_coders(joined, system_names),
            systems=tuple(name for name in system_names if name in joined.coders),
            measures=measures,
            aligner=aligner_for(measures[0], joined),
            seed=options.seed,
            tiers=tiers,
            times={} if tiers is None else boundary_times(tiers),
        )
        self.judge_measures: tuple[Measure, ...] | None = None  # the default measures
        if kind != "hierarchy" and (requested or settings):
            self.judge_measures = tuple(dict.fromkeys((*measures, parse(_CONFUSION)))) if kind == "linear" else measures

    def of_one_kind(self, corpus: Corpus) -> Corpus:
        """Return the items of the same kind as the first one. Linear texts and dialogues may occur together."""
        if not len(corpus):
            raise OptionError("there is nothing to report: the corpus is empty")
        kinds = {key: _KINDS[type(annotation)] for key, annotation in corpus.items()}
        first = next(iter(kinds.values()))
        fitting = {"linear", "dialogue"} if first in ("linear", "dialogue") else {first}
        reasons: dict[str, str] = {}
        for (item, coder), kind in kinds.items():
            if kind not in fitting:
                plural, expected = KIND_NAMES[kind], KIND_NAMES[first]
                reasons.setdefault(item, f"coder {coder!r} has {plural}, and this report is about {expected}")
        return corpus.select(items=self.without(corpus, reasons))

    def items_with_same_units(self, boundaries: Corpus) -> tuple[str, ...]:
        """Return the items whose coders segmented the same text."""
        differences = {item: text_difference(boundaries.of_item(item)) for item in boundaries.item_names}
        reasons = {item: f"coders differ{text}" for item, text in differences.items() if text is not None}
        return self.without(boundaries, reasons)

    def without(self, corpus: Corpus, reasons: Mapping[str, str]) -> tuple[str, ...]:
        """Return the items that are not in ``reasons``, and exclude the others."""
        self.excluded += [Excluded(item, None, reason) for item, reason in reasons.items()]
        items = tuple(item for item in corpus.item_names if item not in reasons)
        if not items:
            raise OptionError(f"there is nothing to report: {'; '.join(map(str, self.excluded[:5]))}")
        return items

    @cached_property
    def text_items(self) -> tuple[str, ...]:
        """The items that are shown in detail: those with the least agreement, until the page is full."""
        items = self.ranked_items()
        if self.subject.kind != "trees":
            items = self.with_short_text(items)
        sizes = self.detail_sizes()
        chosen = set(items_that_fit({item: sizes[item] for item in items}, MAX_PAGE_CELLS))
        if len(chosen) < len(items):
            number = len(self.subject.corpus.item_names)
            shown = f"{len(chosen):,} of {number:,} items are shown in detail"
            self.details_note = (
                f"{shown}, those with the least agreement; the others are only in the table of items; choose items with "
                "--item to see them"
                if chosen
                else f"{shown}: there are too many coders, or their texts are too long"
            )
        return tuple(item for item in self.subject.corpus.item_names if item in chosen)

    def ranked_items(self) -> list[str]:
        """Return all items, those with the least agreement first and those without a value last."""
        values, sign = self.overview.items, 1 if self.overview.higher_is_better else -1
        return sorted(
            self.subject.corpus.item_names, key=lambda item: sign * values[item] if item in values else math.inf
        )

    def with_short_text(self, items: Iterable[str]) -> list[str]:
        lengths = {item: _length(self.subject.boundaries, item) for item in items}
        long = {item: length for item, length in lengths.items() if length > MAX_UNITS}
        for item, length in long.items():
            reason = f"the text is not shown: it has {length} units, above {MAX_UNITS}"
            self.excluded.append(Excluded(item, None, reason))
        return [item for item in lengths if item not in long]

    def detail_sizes(self) -> dict[str, int]:
        """Return how much a page has to contain to show each item in detail, as ``MAX_PAGE_CELLS`` counts it."""
        subject = self.subject
        sizes = possible_edits(subject.boundaries)
        for item in sizes:
            first = next(iter(subject.boundaries.of_item(item).values()))
            sizes[item] += CELLS_PER_ITEM + _number_of_words(first)
        for corpus in (subject.boundaries, subject.corpus, subject.tiers or Corpus({})):
            for (item, _), annotation in corpus.items():
                sizes[item] = sizes.get(item, 0) + _number_of_marks(annotation)
        return sizes

    def report(self, chosen: Collection[str] | None) -> CorpusReport:
        analyses = {name: entry for name, entry in self.analyses().items() if chosen is None or name in chosen}
        for step, (name, compute) in enumerate(analyses.items(), 1):
            with on_progress(None):
                self.outcomes[name] = Outcome.attempt(compute, CaesuraError)
            report_progress(step, len(analyses))
        alignments: Outcome[Alignments] = self.outcomes.pop("alignments")
        if alignments.reason is not None:
            self.notes.append(f"no two coders could be aligned: {alignments.reason}")
        return CorpusReport(
            subject=self.subject,
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
        if kind == "hierarchy" and not any(map(_crosses_itself, self.subject.corpus.values())):
            analyses["golds"] = self.golds
        if self.spans is not None:
            analyses["spans"] = self.span_alignments
        return analyses

    def exclude(self, entries: Iterable[Excluded], problem: str) -> None:
        self.excluded += [replace(entry, reason=f"{problem}: {entry.reason}") for entry in entries]

    def check_pairs(self) -> None:
        """Raise an error if there are too many pairs of coders to show all of them on a page."""
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
        judgement = judge(corpus, subject.systems, measures=measures, seed=subject.seed)
        self.excluded += judgement.excluded
        return judgement

    def precision_recall(self) -> Judgement | Pairwise:
        judgement: Judgement | None = self.outcomes.get("judgement", Outcome()).result
        if judgement is not None:
            return judgement
        self.check_pairs()
        return pairwise(self.subject.boundaries, _CONFUSION, ordered=True)

    def parsers(self) -> tuple[ParserScore, ...]:
        """Compare every parser with every treebank."""
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
        for item, system in product(self.ranked_items(), self.subject.systems):
            if len(scores) == MAX_FIGURES or item not in self.text_items:
                continue
            by_coder: dict[str, Any] = self.subject.boundaries.of_item(item)
            annotations = [by_coder[coder] for coder in by_coder if coder in self.subject.human_coders]
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
        sizes = dict.fromkeys((item for item in self.ranked_items() if item in corpus.item_names), SPANS_PER_GOLD)
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
            for item in self.ranked_items()
        }
        marked = {item: size for item, size in sizes.items() if size and len(self.spans.of_item(item)) > 1}
        if not marked:
            raise OptionError("no item has the spans of two coders")
        items = items_that_fit(marked, MAX_PAGE_BARS)[:MAX_FIGURES]
        if not items:
            hint = "draw a part of an item with the command plot"
            check_limit("spans of the item with the fewest", min(marked.values()), MAX_PAGE_BARS, hint)
        alignments = best_span_alignment(self.spans.select(items=items))
        return {item: alignments[item] for item in items if item in alignments}


def exact_chance(measure: Measure) -> str | None:
    """Return how a report computes chance agreement, so that it does not depend on random draws.

    Parameters
    ----------
    measure : Measure
        The measure.

    Returns
    -------
    str or None
        ``"exact"`` if the measure allows it.
    """
    return "exact" if measure.supports_exact_chance else None


def _length(corpus: Corpus, item: str) -> int:
    """Return the number of units of an item, according to its first coder."""
    return int(length_of(next(iter(corpus.of_item(item).values()))))


def _number_of_words(annotation: Annotation) -> int:
    """Return the number of units of a text that has words."""
    streams = {} if isinstance(annotation, Tree) else streams_of(annotation)
    return sum(text.length for text in streams.values() if text.units is not None)


def _number_of_marks(annotation: Annotation) -> int:
    """Return how many numbers a page needs to show an annotation: four for a span or interval, three for a node."""
    if isinstance(annotation, Tree):
        return 3 * len(annotation.labels)
    if isinstance(annotation, Hierarchy):
        return 4 * len(annotation.spans)
    tiers = tiers_of(annotation)
    if tiers:
        return sum(4 * len(tier.intervals) for tier in tiers.values())
    return sum(int(text.inner.size) for text in streams_of(annotation).values())


def _join_systems(corpus: Corpus, systems: Systems | None) -> tuple[Corpus, tuple[str, ...]]:
    """Return one corpus with human coders and systems, and the names of the systems."""
    if systems is None:
        return corpus, ()
    if not isinstance(systems, Mapping):
        names = check_system_names(systems)
        for name in names:
            corpus.of_coder(name)  # raises an error if the coder does not exist
        return corpus, tuple(names)
    by_system = check_systems(systems)
    rows: dict[str, dict[str, Annotation]] = {item: corpus.of_item(item) for item in corpus.item_names}
    for name, by_item in by_system.items():
        if name in corpus.coders:
            raise OptionError(f"system {name!r}: a coder has the same name; rename one of them")
        for item, annotation in by_item.items():
            rows.setdefault(item, {})[name] = annotation
    return Corpus(rows).with_source(corpus.source), tuple(by_system)


def aligner_for(measure: Measure, corpus: Corpus) -> Measure:
    """Return the measure if it aligns boundaries or nodes; otherwise return the default aligner.

    Parameters
    ----------
    measure : Measure
        The measure that compares coders.
    corpus : Corpus
        The annotations.

    Returns
    -------
    Measure
        A measure that aligns.
    """
    kind = corpus.kind
    if kind == "trees":
        return measure if measure.name == "struct_iou" else parse("struct_iou")
    if kind == "dialogue" or (kind == "linear" and measure.aligns and measure.symmetric):
        return measure
    # The units of timed hierarchies lie between the marks of the coders: two of them may be many seconds apart, and marks
    # that are near each other are one position.
    timed = any(isinstance(entry, Hierarchy) and entry.edges is not None for entry in corpus.values())
    return parse(f"boundary_similarity(n_t={1 if timed else 2})")


def _direct_measures(corpus: Corpus, requested: tuple[Measure, ...], settings: Settings | None) -> tuple[Measure, ...]:
    """Return the measures that compare tiers or spans without conversion; empty if there are none."""
    if corpus.kind == "spans" and (not requested or compares_spans(requested)):
        with collect_warnings():  # gamma, which the page shows first, allows shifts
            return default_direct_measures("report", [corpus], requested)
    if corpus.kind != "timed":
        return ()
    chosen = default_direct_measures("report", [corpus], requested, settings=settings)
    return measures_in_seconds([corpus], chosen)


def _crosses_itself(annotation: Annotation) -> bool:
    """Return whether spans of the annotation cross each other."""
    if isinstance(annotation, Spans):
        return annotation.first_crossing() is not None
    return isinstance(annotation, Hierarchy) and not annotation.nested


def _overview_of(result: Agreement) -> Overview:
    """Return the values of a coefficient by item and by pair of coders."""
    return Overview(
        label=result.coefficient,
        items={row.item: row.value for row in result.items if row.value is not None},
        pairs={row.coders: row.value for row in result.pairs if row.value is not None},
    )
