"""The table of crisp evaluation against a gold standard beside fuzzy evaluation against all coders."""

from __future__ import annotations

from dataclasses import replace

from caesura.judging.crisp_gold import CrispAndFuzzy
from caesura.views.answer import Answer, Section
from caesura.views.answers.systems import crisp_answer
from caesura.views.gold import short_gold_signature
from caesura.views.table import Table


def crisp_table(result: CrispAndFuzzy) -> Table:
    """Return one row per system, best F first."""
    records = [
        {"system": row.system, "precision": row.precision, "recall": row.recall, "F": row.f}
        | {"fuzzy success": row.fuzzy, "reward": row.reward, "punishment": row.punishment, "items": row.items}
        for row in result.rows
    ]
    notes = (
        f"precision, recall, F: against the gold standard ({result.method}); fuzzy success = reward - punishment: against the "
        "marks of all coders",
        short_gold_signature(result.gold),
    )
    return Table.from_records(records, title="Crisp and fuzzy evaluation", notes=notes, digits=3)


def with_crisp(answer: Answer, result: CrispAndFuzzy | None) -> Answer:
    """Return the answer of ``caesura judge`` with the comparison of crisp and fuzzy evaluation, if there is one."""
    if result is None:
        return answer
    main, *others = answer.sections
    sections = (main, Section("crisp", crisp_table(result), shown=True), *others)
    return replace(answer, text=f"{answer.text} {crisp_answer(result)}".strip(), sections=sections)
