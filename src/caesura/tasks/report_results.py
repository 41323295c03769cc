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
from caesura.model.result import HIDDEN, Excluded, Result, Score
from caesura.tasks.agree import AgreementOutcome, Outcome
from caesura.tasks.alignments import Alignments
from caesura.tasks.report_budget import PageBudget
from caesura.tasks.report_subject import Subject


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
    budget : PageBudget
        The analyses and figures that the page has time for.
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
    budget: PageBudget = field(default_factory=PageBudget, metadata=HIDDEN, repr=False)
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
