"""The outcome of a verification as a sentence and a table."""

from __future__ import annotations

from caesura.measures.signatures import short_signature
from caesura.tasks.verify import Verification, Verifications
from caesura.views.answer import Answer, Section
from caesura.views.answers.files import STATUS_WORDS, verification_answer
from caesura.views.table import Table


def verification_view(result: Verification | Verifications) -> Answer:
    """Return whether numbers are right: one sentence, and a table if there are several numbers."""
    if isinstance(result, Verifications):
        table = Table.from_records([_record(entry) for entry in result.verifications], digits=4)
        return Answer(verification_answer(result), (Section("numbers", table),))
    rows = [
        ("value", _number(result.expected), _number(result.recomputed)),
        ("data", _fingerprint(result.expected_data), _fingerprint(result.actual_data)),
        ("version", result.expected_version, result.version),
    ]
    return Answer(
        result.message, (Section("comparison", Table(("compared", "in the signature", "here"), tuple(rows))),)
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.10g}"


def _fingerprint(data: str | None) -> str:
    return "none" if data is None else data


def _record(entry: Verification) -> dict[str, object]:
    return {
        "number": short_signature(entry.signature).partition(" = ")[0],
        "status": STATUS_WORDS[entry.status],
        "stated": entry.expected,
        "recomputed": entry.recomputed,
        "version": entry.expected_version,
    }
