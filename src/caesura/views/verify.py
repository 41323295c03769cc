"""The outcome of a verification as a sentence and a table."""

from __future__ import annotations

from caesura.measures.signatures import short_signature
from caesura.tasks.verify import Verification, Verifications
from caesura.views.answer import Answer, Section
from caesura.views.answers.files import STATUS_WORDS, verification_answer
from caesura.views.table import Table


def verification_view(result: Verification | Verifications) -> Answer:
    if isinstance(result, Verifications):
        rows = tuple(
            (
                short_signature(entry.signature).partition(" = ")[0],
                STATUS_WORDS[entry.status],
                entry.expected,
                entry.recomputed,
                entry.expected_version,
            )
            for entry in result.verifications
        )
        table = Table(("number", "status", "stated", "recomputed", "version"), rows)
        return Answer(verification_answer(result), (Section("numbers", table),))
    data = ["none" if entry is None else entry for entry in (result.expected_data, result.actual_data)]
    comparison = (
        ("value", _number(result.expected), _number(result.recomputed)),
        ("data", *data),
        ("version", result.expected_version, result.version),
    )
    return Answer(result.message, (Section("comparison", Table(("compared", "in the signature", "here"), comparison)),))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.10g}"
