"""Parses against a treebank as tables: the summary, the sentences, the labels, and parsers compared.

Shares are shown in percent with two decimals, as EVALB prints them.
"""

from __future__ import annotations

from collections.abc import Iterable

from caesura.judging.parsers import ParserComparison
from caesura.measures.structiou import LabelIoU
from caesura.parsing.corpus import LabelCounts, ParsevalResult
from caesura.parsing.structiou import StructIoUCorpus
from caesura.views.table import Cell, Table

__all__ = [
    "label_table",
    "parser_table",
    "sentence_table",
    "struct_iou_labels",
    "struct_iou_sentences",
    "struct_iou_table",
    "summary_table",
]

_SUMMARY = (
    ("sentences", "sentences"),
    ("error sentences", "errors"),
    ("skipped sentences", "skipped"),
    ("valid sentences", "valid"),
    ("bracketing recall", "recall"),
    ("bracketing precision", "precision"),
    ("bracketing F", "f"),
    ("unlabelled recall", "unlabelled_recall"),
    ("unlabelled precision", "unlabelled_precision"),
    ("unlabelled F", "unlabelled_f"),
    ("complete match", "complete"),
    ("unlabelled complete match", "unlabelled_complete"),
    ("average crossing", "average_crossing"),
    ("no crossing", "no_crossing"),
    ("2 or less crossing", "two_or_less_crossing"),
    ("tagging accuracy", "tagging_accuracy"),
)


def summary_table(found: ParsevalResult) -> Table:
    """EVALB's two summaries side by side: all sentences, and those up to the cut-off."""
    rows: list[tuple[Cell, ...]] = []
    for title, name in _SUMMARY:
        cells = [getattr(block, name) for block in (found.all, found.cutoff)]
        shares = name != "average_crossing"
        rows.append((title, *(_percent(cell) if shares else _said(cell) for cell in cells)))
    notes = []
    if not found.all.valid or not found.cutoff.valid:
        notes.append("undefined: no sentence could be scored")
    lost = found.all.errors + found.all.skipped
    if lost:
        said = "1 sentence enters" if lost == 1 else f"{lost} sentences enter"
        notes.append(f"{said} no figure: errors have other words than the gold tree, skipped ones have none")
    notes.append(found.total.signature if found.all.valid else repr(found.measure))
    columns = ("figure", "all", f"len<={found.measure['cutoff']}")
    return Table(columns, tuple(rows), title="PARSEVAL", notes=tuple(notes), digits=2)


def sentence_table(found: ParsevalResult, places: Iterable[int] | None = None) -> Table:
    """A row a sentence, the columns in the order of EVALB; status 1 is an error, 2 is skipped. ``places``: only these."""
    rows = [
        (
            one.number,
            one.length,
            one.status,
            _share(one.recall),
            _share(one.precision),
            one.matched,
            one.gold,
            one.predicted,
            one.crossing,
            one.words,
            one.correct_tags,
            _share(one.tagging_accuracy),
            one.why,
        )
        for one in (found.sentences if places is None else (found.sentences[place] for place in places))
    ]
    columns = (
        "sentence",
        "length",
        "status",
        "recall",
        "precision",
        "matched",
        "gold",
        "predicted",
        "crossing",
        "words",
        "correct tags",
        "tag accuracy",
        "why",
    )
    return Table(columns, tuple(rows), title="PARSEVAL, sentences", digits=2)


def struct_iou_table(found: StructIoUCorpus) -> Table:
    """Of sentences and of the corpus."""
    scored = len(found.scores.scored)
    rows: list[tuple[Cell, ...]] = []
    notes = []
    if scored:
        total = found.total
        rows = [
            ("mean of sentences", found.mean, None, None, scored),
            ("corpus", total.value, total.precision(), total.recall(), scored),
        ]
        notes.append(total.signature)
    else:
        notes.append("undefined: no sentence could be scored")
    lost = sorted(found.errors)
    if lost:
        said = "1 sentence enters" if len(lost) == 1 else f"{len(lost)} sentences enter"
        named = "; ".join(f"{place + 1}: {found.errors[place]}" for place in lost[:5])
        notes.append(f"{said} no figure: {named}{'; …' if len(lost) > 5 else ''}")
    columns = ("level", "Struct-IoU", "precision", "recall", "sentences")
    return Table(columns, tuple(rows), title="Struct-IoU", notes=tuple(notes))


def struct_iou_sentences(found: StructIoUCorpus, places: Iterable[int]) -> Table:
    """A row a sentence."""
    rows: list[tuple[Cell, ...]] = []
    for place in places:
        if place in found.errors:
            rows.append((place + 1, None, None, None, None, None, None, str(found.errors[place])))
            continue
        score = found[place]
        parts = (score.parts["iou"], score.parts["gold"], score.parts["predicted"])
        rows.append((place + 1, score.value, score.precision(), score.recall(), float(parts[0]), *parts[1:], None))
    columns = ("sentence", "Struct-IoU", "precision", "recall", "sum of IoU", "gold nodes", "predicted nodes", "why")
    return Table(columns, tuple(rows), title="Struct-IoU, sentences")


def struct_iou_labels(labels: Iterable[LabelIoU]) -> Table:
    """A row a label, the most frequent first."""
    rows = [(one.label or "()", one.gold, one.predicted, one.precision, one.recall, one.f) for one in labels]
    columns = ("label", "gold", "predicted", "precision", "recall", "F")
    return Table(columns, tuple(rows), title="Struct-IoU, labels")


def label_table(labels: Iterable[LabelCounts]) -> Table:
    """A row a label, the most frequent first."""
    listed = list(labels)
    rows = [
        (
            one.label,
            one.gold,
            one.predicted,
            one.gold_matched,
            one.predicted_matched,
            100 * one.recall,
            100 * one.precision,
            100 * one.f,
        )
        for one in listed
    ]
    columns = ("label", "gold", "predicted", "gold matched", "predicted matched", "recall", "precision", "F")
    notes = ["a match of different labels counts for the gold label in recall, for the predicted label in precision"]
    different = any(one.gold_matched != one.predicted_matched for one in listed)
    return Table(columns, tuple(rows), title="PARSEVAL, labels", notes=tuple(notes if different else ()), digits=2)


def parser_table(found: ParserComparison) -> Table:
    """A row a pair of parsers: by how much they differ, and whether that is luck."""
    rows = [
        (
            " - ".join(pair.systems),
            pair.difference,
            *(pair.interval or (None, None)),
            pair.randomisation,
            pair.bootstrap,
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            pair.items,
            found.left_out(pair),
        )
        for pair in found.pairs
    ]
    columns = ("parsers", "difference", "low", "high", "p random.", "p bootstr.", "w/t/l", "sentences", "left out")
    notes = [
        *(f"{name}: {score.value:.4f} over {score.documents} sentences" for name, score in found.scores.items()),
        "difference of corpus scores over the sentences that both were scored on, from summed parts; low, high: studentised "
        "bootstrap over sentences; p-values corrected for the number of pairs (Holm); w/t/l: sentences won, tied, lost",
        *found.comparison.notes,
        f"{found.comparison.draws} draws, seed {found.seed}",
    ]
    tiny = ("p random.", "p bootstr.")
    return Table(
        columns, tuple(rows), title=f"Parsers compared: {found.measure.label}", notes=tuple(notes), p_values=tiny
    )


def _share(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _said(value: float | None) -> Cell:
    return "undefined" if value is None else value


def _percent(value: float | None) -> Cell:
    """Counts as they are, shares in percent."""
    return 100 * value if isinstance(value, float) else _said(value)
