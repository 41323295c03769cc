"""Tables of parses compared with a treebank: summary, sentences, labels, and parsers compared.

Proportions are in percent with two decimals, as EVALB prints them.
"""

from __future__ import annotations

from collections.abc import Iterable

from caesura.judging.parsers import ParserComparison
from caesura.measures.structiou import LabelIoU
from caesura.parsing.corpus import LabelCounts, ParsevalResult
from caesura.parsing.structiou import StructIoUResult
from caesura.views.table import Cell, Table, or_undefined

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
_UNDEFINED = "undefined: no sentence could be scored"


def summary_table(result: ParsevalResult) -> Table:
    """Return EVALB's two summaries side by side: all sentences, and those up to the cut-off length.

    Parameters
    ----------
    result : ParsevalResult
        PARSEVAL of a corpus.

    Returns
    -------
    Table
        Figures in percent.
    """
    rows: list[tuple[Cell, ...]] = []
    for title, name in _SUMMARY:
        values = [getattr(block, name) for block in (result.all, result.cutoff)]
        rows.append(
            (title, *(or_undefined(value if name == "average_crossing" else _percent(value)) for value in values))
        )
    notes = [] if result.all.valid and result.cutoff.valid else [_UNDEFINED]
    unscored = result.all.errors + result.all.skipped
    if unscored:
        notes.append(
            f"{_not_counted(unscored)}: the words of errors differ from those of the gold tree, skipped sentences have none"
        )
    notes.append(result.total.signature if result.all.valid else repr(result.measure))
    columns = ("figure", "all", f"len<={result.measure['cutoff']}")
    return Table(columns, tuple(rows), title="PARSEVAL", notes=tuple(notes), digits=2)


def _not_counted(sentences: int) -> str:
    return "1 sentence enters no figure" if sentences == 1 else f"{sentences} sentences enter no figure"


def sentence_table(result: ParsevalResult, indices: Iterable[int] | None = None) -> Table:
    """Return one row per sentence, with the columns in the order of EVALB; status 1 is an error, 2 is skipped.

    Parameters
    ----------
    result : ParsevalResult
        PARSEVAL of a corpus.
    indices : iterable of int, optional
        Sentences to show, counted from 0 (default: all).

    Returns
    -------
    Table
        Counts, and figures in percent.
    """
    sentences = result.sentences if indices is None else [result.sentences[index] for index in indices]
    records = [
        {
            "sentence": sentence.number,
            "length": sentence.length,
            "status": sentence.status,
            "recall": _percent(sentence.recall),
            "precision": _percent(sentence.precision),
            "matched": sentence.matched,
            "gold": sentence.gold,
            "predicted": sentence.predicted,
            "crossing": sentence.crossing,
            "words": sentence.words,
            "correct tags": sentence.correct_tags,
            "tag accuracy": _percent(sentence.tagging_accuracy),
            "reason": sentence.reason,
        }
        for sentence in sentences
    ]
    return Table.from_records(records, title="PARSEVAL, sentences", digits=2)


def struct_iou_table(result: StructIoUResult) -> Table:
    """Return Struct-IoU at the level of sentences and at the level of the corpus.

    Parameters
    ----------
    result : StructIoUResult
        Struct-IoU of a corpus.

    Returns
    -------
    Table
        Two rows; sentences that could not be scored are listed in the notes.
    """
    scored = len(result.scores.scored)
    rows: list[tuple[Cell, ...]] = []
    notes = []
    if scored:
        total = result.total
        rows = [
            ("mean of sentences", result.mean, None, None, scored),
            ("corpus", total.value, total.precision(), total.recall(), scored),
        ]
        notes.append(total.signature)
    else:
        notes.append(_UNDEFINED)
    unscored = sorted(result.errors)
    if unscored:
        reasons = "; ".join(f"{index + 1}: {result.errors[index]}" for index in unscored[:5])
        notes.append(f"{_not_counted(len(unscored))}: {reasons}{'; …' if len(unscored) > 5 else ''}")
    columns = ("level", "Struct-IoU", "precision", "recall", "sentences")
    return Table(columns, tuple(rows), title="Struct-IoU", notes=tuple(notes))


def struct_iou_sentences(result: StructIoUResult, indices: Iterable[int]) -> Table:
    """Return one row per sentence with its Struct-IoU.

    Parameters
    ----------
    result : StructIoUResult
        Struct-IoU of a corpus.
    indices : iterable of int
        Sentences to show, counted from 0.

    Returns
    -------
    Table
        Value, or the reason why the sentence could not be scored.
    """
    records: list[dict[str, Cell]] = []
    for index in indices:
        if index in result.errors:
            records.append({"sentence": index + 1, "reason": str(result.errors[index])})
            continue
        score = result[index]
        records.append(
            {
                "sentence": index + 1,
                "Struct-IoU": score.value,
                "precision": score.precision(),
                "recall": score.recall(),
                "sum of IoU": float(score.parts["iou"]),
                "gold nodes": score.parts["gold"],
                "predicted nodes": score.parts["predicted"],
            }
        )
    columns = ("sentence", "Struct-IoU", "precision", "recall", "sum of IoU", "gold nodes", "predicted nodes", "reason")
    return Table.from_records(records, columns=columns, title="Struct-IoU, sentences")


def struct_iou_labels(labels: Iterable[LabelIoU]) -> Table:
    """Return one row per label with its Struct-IoU, the most frequent label first.

    Parameters
    ----------
    labels : iterable of LabelIoU
        Labels of a corpus.

    Returns
    -------
    Table
        Numbers of nodes, precision, recall and F.
    """
    columns = ("label", "gold", "predicted", "precision", "recall", "F")
    rows = tuple(
        (label.label or "()", label.gold, label.predicted, label.precision, label.recall, label.f) for label in labels
    )
    return Table(columns, rows, title="Struct-IoU, labels")


def label_table(labels: Iterable[LabelCounts]) -> Table:
    """Return one row per label with its PARSEVAL counts, the most frequent label first.

    Parameters
    ----------
    labels : iterable of LabelCounts
        Labels of a corpus.

    Returns
    -------
    Table
        Counts, and recall, precision and F in percent.
    """
    listed = list(labels)
    records = [
        {
            "label": label.label,
            "gold": label.gold,
            "predicted": label.predicted,
            "gold matched": label.gold_matched,
            "predicted matched": label.predicted_matched,
            "recall": 100 * label.recall,
            "precision": 100 * label.precision,
            "F": 100 * label.f,
        }
        for label in listed
    ]
    note = "a match of different labels counts for the gold label in recall, for the predicted label in precision"
    notes = (note,) if any(label.gold_matched != label.predicted_matched for label in listed) else ()
    return Table.from_records(records, title="PARSEVAL, labels", notes=notes, digits=2)


def parser_table(comparison: ParserComparison) -> Table:
    """Return one row per pair of parsers: the difference of their scores, and its p-values.

    Parameters
    ----------
    comparison : ParserComparison
        Parsers compared on one treebank.

    Returns
    -------
    Table
        Scores of the parsers are in the notes.
    """
    records = []
    for pair in comparison.pairs:
        low, high = pair.interval or (None, None)
        records.append(
            {
                "parsers": " - ".join(pair.systems),
                "difference": pair.difference,
                "low": low,
                "high": high,
                "p random.": pair.randomisation,
                "p bootstr.": pair.bootstrap,
                "w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}",
                "sentences": pair.items,
                "excluded": comparison.excluded_sentences(pair),
            }
        )
    notes = (
        *(f"{name}: {score.value:.4f} over {score.documents} sentences" for name, score in comparison.scores.items()),
        "difference: of corpus scores from summed parts, over the sentences on which both parsers were scored; low, high: "
        "studentised bootstrap over sentences; p-values: corrected for the number of pairs (Holm); w/t/l: sentences won, "
        "tied, lost",
        *comparison.comparison.notes,
        f"{comparison.comparison.draws} draws, seed {comparison.seed}",
    )
    return Table.from_records(
        records,
        title=f"Parsers compared: {comparison.measure.label}",
        notes=notes,
        p_values=("p random.", "p bootstr."),
    )


def _percent(value: float | None) -> float | None:
    """Return a proportion in percent; counts and None as they are."""
    return 100 * value if isinstance(value, float) else value
