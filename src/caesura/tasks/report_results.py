"""The analyses that a report on a corpus shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.agreement.clusters import Clustering
from caesura.agreement.gamma_alignment import ItemAlignment
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.gold.unify import UnifiedHierarchy
from caesura.judging.judge import Judgement
from caesura.measures.fuzzy import FuzzyScore
from caesura.measures.operations import OperationsTable
from caesura.model.result import Excluded, Result, Score
from caesura.tasks.agree import AgreementOutcome, Outcome
from caesura.tasks.alignments import Alignments
from caesura.tasks.report_subject import Subject


@dataclass(frozen=True, eq=False)
class ParserScore:
    system: str
    coder: str
    score: Score  # score from counts summed over sentences
    interval: tuple[float, float] | None  # bootstrap interval over sentences; None if there is only one sentence


@dataclass(frozen=True, eq=False)
class FuzzyItem:
    item: str
    system: str
    score: FuzzyScore


@dataclass(frozen=True, eq=False)
class Overview:
    """One value per item and one per pair of coders, by which a reader finds where coders disagree."""

    label: str = ""  # of the measure or coefficient; empty if there are no values
    higher_is_better: bool = True
    # Values of the items: of spans the first coefficient, else the mean score of the pairs of human coders, or of all pairs if
    # there is only one human coder.
    items: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class CorpusReport(Result):
    """All analyses of a report. An analysis that does not apply to the corpus is None."""

    subject: Subject
    # Chance-corrected agreement of the human coders, one coefficient per measure.
    agreement: Outcome[tuple[AgreementOutcome, ...]]
    # All pairs of coders, systems included, under every measure that can score at least one pair.
    pairs: Outcome[tuple[Pairwise, ...]]
    clustering: Outcome[Clustering] | None = None
    placed: Outcome[Placed] | None = None
    heat: Outcome[tuple[Heat, ...]] | None = None  # number of coders per position, for the items whose text is shown
    # B-precision and B-recall of the systems, or of the coders if there are no systems.
    precision_recall: Outcome[Judgement | Pairwise] | None = None
    judgement: Outcome[Judgement] | None = None
    parsers: Outcome[tuple[ParserScore, ...]] | None = None
    # Fuzzy success of the systems, for the items whose text is shown.
    fuzzy: Outcome[tuple[FuzzyItem, ...]] | None = None
    # Conflict-free union of the human coders' hierarchies, for the items that are shown in detail.
    golds: Outcome[Mapping[str, UnifiedHierarchy]] | None = None
    # Best alignment of the spans of all coders, for the items with the least agreement.
    spans: Outcome[Mapping[str, ItemAlignment]] | None = None
    # Edits of the human coders' boundaries by type, over all items.
    operations: Outcome[OperationsTable] | None = None
    alignments: Alignments  # of the items that are shown in detail
    overview: Overview
    # Items that are shown in detail, with their text and the edits of pairs of coders: those with the least agreement.
    text_items: tuple[str, ...]
    details_note: str = ""  # how many items are shown in detail, if not all of them are; otherwise empty
    notes: tuple[str, ...]
    excluded: tuple[Excluded, ...]  # items and analyses that the report does not cover, with reasons

    @property
    def other_items(self) -> tuple[str, ...]:
        shown = set(self.text_items)
        return tuple(item for item in self.subject.corpus.item_names if item not in shown)

    @property
    def signatures(self) -> tuple[str, ...]:
        results: list[Any] = [outcome.result for outcome in self.agreement.result or ()]
        results += self.pairs.result or ()
        results += [outcome.result for outcome in (self.clustering, self.judgement) if outcome is not None]
        results += () if self.golds is None else (self.golds.result or {}).values()
        signatures = [getattr(result, "signature", None) for result in (*results, self.alignments)]
        return tuple(dict.fromkeys(filter(None, signatures)))
