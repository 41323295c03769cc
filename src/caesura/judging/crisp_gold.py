"""Crisp evaluation of systems against a gold standard, beside fuzzy evaluation against the marks of all coders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from caesura.errors import OptionError
from caesura.gold.gold import GOLD_CODER, Gold, gold
from caesura.judging.participants import NEEDS_SEGMENTATIONS, Participants
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.marks import Marks
from caesura.model.result import HIDDEN, Excluded, Result, signature_line
from caesura.model.segmentation import Segmentation


@dataclass(frozen=True, slots=True)
class CrispAndFuzzyRow:
    system: str
    items: int  # number of items that both kinds of evaluation could score
    # Crisp evaluation: a boundary is right if the gold standard has one at the same position.
    precision: float
    recall: float
    f: float
    fuzzy: float  # fuzzy success against the marks of all coders: reward minus punishment
    reward: float  # P of fuzzy success
    punishment: float  # N of fuzzy success


@dataclass(frozen=True)
class CrispAndFuzzy(Result):
    frame_field: ClassVar[str] = "rows"

    rows: tuple[CrispAndFuzzyRow, ...]  # one row per system, best F first
    method: str
    boundaries: int
    excluded: tuple[Excluded, ...]
    signature: str  # one line to reproduce the result
    gold: Gold = field(repr=False, metadata=HIDDEN)


def compare_crisp_and_fuzzy(
    participants: Participants, method: str = "median", *, threshold: int | None = None
) -> CrispAndFuzzy:
    """Score systems against a crisp gold standard and against the marks of all coders, on the same items."""
    # A crisp gold standard decides for each position whether it is a boundary, and a system is right or wrong. It ignores how
    # many coders agreed, and that a boundary beside a mark is better than one far from all marks. Fuzzy success keeps this
    # information. Systems that are equal under one evaluation may differ under the other.
    #
    # Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation.
    if participants.kind != "linear":
        raise OptionError(NEEDS_SEGMENTATIONS)
    standard = gold(participants.to_corpus(), method, threshold=threshold, ignore_types=True)
    excluded = [*standard.excluded]
    rows = []
    for system in participants.systems:
        row = _score_system(participants, system, standard, excluded)
        if row is not None:
            rows.append(row)
    if not rows:
        reasons = "; ".join(str(entry) for entry in excluded[:5])
        raise OptionError(f"no system can be scored against the gold standard: {reasons}")
    crisp, fuzzy = parse("crisp"), parse("fuzzy_success")
    return CrispAndFuzzy(
        rows=tuple(sorted(rows, key=lambda row: -row.f)),
        method=standard.method,
        boundaries=len(standard.kept),
        excluded=tuple(dict.fromkeys(excluded)),
        signature=signature_line("crisp_and_fuzzy", crisp=repr(crisp), fuzzy=repr(fuzzy), over=standard.signature),
        gold=standard,
    )


def _score_system(
    participants: Participants, system: str, standard: Gold, excluded: list[Excluded]
) -> CrispAndFuzzyRow | None:
    items = [item for item in participants.systems[system] if (item, GOLD_CODER) in standard.corpus]
    texts: dict[str, Any] = dict(participants.systems[system])
    coders = [[text for text in participants.coders[item].values() if isinstance(text, Segmentation)] for item in items]
    golds: list[Any] = [(standard.corpus[item, GOLD_CODER], texts[item]) for item in items]
    marks = [(Marks.of(group), texts[item]) for item, group in zip(items, coders, strict=True)]
    crisp, fuzzy = score_many(golds, "crisp"), score_many(marks, "fuzzy_success")
    scored = [i for i in range(len(items)) if i not in crisp.errors and i not in fuzzy.errors]
    for scores in (crisp, fuzzy):
        excluded += [Excluded(items[i], system, str(error)) for i, error in scores.errors.items()]
    if not scored:
        return None
    crisp_total: Any = crisp.over(np.array(scored))
    fuzzy_total: Any = fuzzy.over(np.array(scored))
    return CrispAndFuzzyRow(
        system=system,
        items=len(scored),
        precision=crisp_total.precision(),
        recall=crisp_total.recall(),
        f=crisp_total.f(),
        fuzzy=fuzzy_total.value,
        reward=fuzzy_total.p,
        punishment=fuzzy_total.n,
    )
