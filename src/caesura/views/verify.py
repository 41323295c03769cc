"""The outcome of a verification as a sentence and a table."""

from __future__ import annotations

from collections import Counter

from caesura.measures.registry import short_signature
from caesura.model.value import count_of
from caesura.tasks.verify import Verification, Verifications
from caesura.views.answer import Answer, Section
from caesura.views.table import Table

_STATUS_WORDS = {
    "verified": "verified",
    "version": "different version: same value",
    "value": "different value",
    "data": "different data",
}


def verification_view(result: Verification | Verifications) -> Answer:
    if isinstance(result, Verifications):
        rows = tuple(
            (
                short_signature(entry.signature).partition(" = ")[0],
                _STATUS_WORDS[entry.status],
                entry.expected,
                entry.recomputed,
                entry.expected_version,
            )
            for entry in result.verifications
        )
        table = Table(("number", "status", "stated", "recomputed", "version"), rows)
        return Answer(_sentence(result), (Section("numbers", table),))
    data = ["none" if entry is None else entry for entry in (result.expected_data, result.actual_data)]
    comparison = (
        ("value", _number(result.expected), _number(result.recomputed)),
        ("data", *data),
        ("version", result.expected_version, result.version),
    )
    return Answer(result.message, (Section("comparison", Table(("compared", "in the signature", "here"), comparison)),))


def _sentence(result: Verifications) -> str:
    entries = result.verifications
    if len(entries) == 1:
        return entries[0].message
    if result.status == "verified":
        return f"All {len(entries)} numbers are verified: same value, same data, same version."
    counts = Counter(_STATUS_WORDS[entry.status] for entry in entries)
    listed = ", ".join(f"{number} {word}" for word, number in counts.items())
    worst = next(entry for entry in entries if entry.status == result.status)
    return f"{count_of(len(entries), 'number')}: {listed}. {worst.message}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.10g}"
