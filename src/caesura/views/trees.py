"""Tables of parses compared with a treebank, drawings of two trees, and tables of experiments with trees.

Proportions are in percent with two decimals, as EVALB prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from caesura.judging.comparison import ParserComparison
from caesura.measures.registry import short_signature
from caesura.measures.structiou import LabelIoU, NodePair
from caesura.measures.treebank import LabelCounts, ParsevalResult, StructIoUResult
from caesura.model.tree import Tree
from caesura.model.value import count_of
from caesura.options import OptionSet, setting, switch, whole
from caesura.papers.ambiguity import Ambiguity
from caesura.tasks.trees import TreeStudy
from caesura.views.answer import Answer, Section
from caesura.views.answers.scores import trees_answer
from caesura.views.judgement import draw_notes, pair_cells
from caesura.views.table import Cell, Table, cells, clean, or_undefined, pad, shorten, text_width

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
    """Return EVALB's two summaries side by side: all sentences, and those up to the cut-off length."""
    columns = ("figure", "all", f"len<={result.measure['cutoff']}")
    rows = []
    for title, name in _SUMMARY:
        values = [getattr(block, name) for block in (result.all, result.cutoff)]
        percentages = values if name == "average_crossing" else map(_percent, values)
        rows.append((title, *map(or_undefined, percentages)))
    notes = [] if result.all.valid and result.cutoff.valid else [_UNDEFINED]
    unscored = result.all.errors + result.all.skipped
    if unscored:
        notes.append(
            f"{_not_counted(unscored)}: the words of errors differ from those of the gold tree, skipped sentences have none"
        )
    notes.append(short_signature(result.total) if result.all.valid else repr(result.measure))
    return Table(columns, tuple(rows), title="PARSEVAL", notes=tuple(notes), digits=2)


def _not_counted(sentences: int) -> str:
    return f"{count_of(sentences, 'sentence')} {'is' if sentences == 1 else 'are'} excluded from all figures"


def sentence_table(result: ParsevalResult, indices: Iterable[int] | None = None) -> Table:
    """Return one row per sentence, with the columns in the order of EVALB; status 1 is an error, 2 is skipped."""
    sentences = result.sentences if indices is None else [result.sentences[index] for index in indices]
    records = [
        {"sentence": sentence.number, "length": sentence.length, "status": sentence.status}
        | {"recall": _percent(sentence.recall), "precision": _percent(sentence.precision)}
        | cells(sentence, "matched", "gold", "predicted", "crossing", "words", "correct tags")
        | {"tag accuracy": _percent(sentence.tagging_accuracy), "reason": sentence.reason}
        for sentence in sentences
    ]
    return Table.from_records(records, title="PARSEVAL, sentences", digits=2)


def struct_iou_table(result: StructIoUResult) -> Table:
    scored = len(result.scores.scored)
    records: list[dict[str, Cell]] = []
    notes = [_UNDEFINED]
    if scored:
        records = [{"level": "mean of sentences", "Struct-IoU": result.mean, "sentences": scored}]
        total = {
            "Struct-IoU": result.total.value,
            "precision": result.total.precision(),
            "recall": result.total.recall(),
        }
        records += [{"level": "corpus", **total, "sentences": scored}]
        notes = [short_signature(result.total)]
    unscored = sorted(result.errors)
    if unscored:
        reasons = "; ".join(f"{index + 1}: {result.errors[index]}" for index in unscored[:5])
        notes.append(f"{_not_counted(len(unscored))}: {reasons}{'; …' if len(unscored) > 5 else ''}")
    columns = ("level", "Struct-IoU", "precision", "recall", "sentences")
    return Table.from_records(records, columns=columns, title="Struct-IoU", notes=tuple(notes))


def struct_iou_sentences(result: StructIoUResult, indices: Iterable[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for index in indices:
        if index in result.errors:
            rows.append((index + 1, *[None] * 6, str(result.errors[index])))
            continue
        score = result[index]
        parts = (float(score.parts["iou"]), score.parts["gold"], score.parts["predicted"])
        rows.append((index + 1, score.value, score.precision(), score.recall(), *parts, None))
    columns = ("sentence", "Struct-IoU", "precision", "recall", "sum of IoU", "gold nodes", "predicted nodes", "reason")
    return Table(columns, tuple(rows), title="Struct-IoU, sentences")


def struct_iou_labels(labels: Iterable[LabelIoU]) -> Table:
    """Return one row per label with its Struct-IoU, the most frequent label first."""
    records = [
        {"label": label.label or "()", **cells(label, "gold", "predicted", "precision", "recall"), "F": label.f}
        for label in labels
    ]
    return Table.from_records(records, title="Struct-IoU, labels")


def label_table(labels: Iterable[LabelCounts]) -> Table:
    """Return one row per label with its PARSEVAL counts, the most frequent label first."""
    listed = list(labels)
    records = [
        cells(label, "label", "gold", "predicted", "gold matched", "predicted matched")
        | {"recall": 100 * label.recall, "precision": 100 * label.precision, "F": 100 * label.f}
        for label in listed
    ]
    note = "a match of different labels counts for the gold label in recall, for the predicted label in precision"
    notes = (note,) if any(label.gold_matched != label.predicted_matched for label in listed) else ()
    return Table.from_records(records, title="PARSEVAL, labels", notes=notes, digits=2)


def parser_table(comparison: ParserComparison) -> Table:
    """Return one row per pair of parsers: the difference of their scores, and its p-values."""
    records = [
        {"parsers": " - ".join(pair.systems)}
        | pair_cells(pair)
        | {"w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}", "sentences": pair.items}
        | {"excluded": comparison.excluded_sentences(pair), "borderline": ", ".join(pair.borderline)}
        for pair in comparison.pairs
    ]
    notes = (
        *(f"{name}: {score.value:.4f} over {score.documents} sentences" for name, score in comparison.scores.items()),
        "difference: of corpus scores from summed parts, over the sentences on which both parsers were scored; low, high: "
        "studentised bootstrap over sentences; p-values: corrected for the number of pairs (Holm); w/t/l: sentences won, "
        "tied, lost",
        *comparison.comparison.notes,
        *draw_notes([comparison.comparison]),
        f"{comparison.comparison.replicates} bootstrap replicates, seed {comparison.seed}",
    )
    title = f"Parsers compared: {comparison.measure.label}"
    table = Table.from_records(records, title=title, notes=notes, p_values=("p random.", "p bootstr."))
    return table.without_empty_columns(("borderline",))


def _percent(value: float | None) -> float | None:
    """Return a proportion in percent; counts and None as they are."""
    return 100 * value if isinstance(value, float) else value


# -- two trees side by side ------------------------------------------------------------------------------------------

TREE_LEGEND = "= the same span   0.50 aligned, with this IoU   < only in gold   > only in predicted"

_MARK_WIDTH = 6  # columns between the trees
_MAX_INDENT = 20  # levels; deeper nodes show their depth as a number, or their labels would not fit


def draw_tree_alignment(gold: Tree, predicted: Tree, alignment: Sequence[NodePair], *, width: int = 100) -> str:
    """Return the nodes of both trees in preorder, indented by depth, with marks between them."""
    # Aligned pairs keep their order on both sides, so that each tree can be read from top to bottom.
    gold_lines, predicted_lines = _node_lines(gold), _node_lines(predicted)
    rows: list[tuple[str, str, str]] = []
    i = j = 0
    for pair in (*alignment, None):
        next_i, next_j = (pair.gold, pair.predicted) if pair else (len(gold), len(predicted))
        rows += [(gold_lines[k], "<", "") for k in range(i, next_i)]
        rows += [("", ">", predicted_lines[k]) for k in range(j, next_j)]
        if pair:
            rows.append((gold_lines[next_i], "=" if pair.iou == 1 else f"{pair.iou:.2f}", predicted_lines[next_j]))
        i, j = next_i + 1, next_j + 1
    left_width = min(max(map(text_width, gold_lines), default=0), (width - _MARK_WIDTH) // 2)
    right_width = width - left_width - _MARK_WIDTH
    return "\n".join(
        f"{pad(shorten(gold_line, left_width), left_width)}{mark:^{_MARK_WIDTH}}"
        f"{shorten(predicted_line, right_width)}".rstrip()
        for gold_line, mark, predicted_line in rows
    )


def _node_lines(tree: Tree) -> list[str]:
    is_leaf = tree.preterminal.tolist()
    lines = []
    for i, (node, depth) in enumerate(zip(tree.nodes, tree.depth.tolist(), strict=True)):
        word = f" {tree.words[node.start]}" if is_leaf[i] else ""
        times = "" if tree.times is None else f" {node.begins:.2f}-{node.ends:.2f}"
        indent = "  " * depth if depth <= _MAX_INDENT else f"{depth:>39} "
        lines.append(clean(f"{indent}{node.label or '()'}{word}{times}"))
    return lines


# -- experiments -----------------------------------------------------------------------------------------------------

# Table 1 of Shi, Gimpel & Livescu (2024), in percent, for n = 8.
_PRINTED = {"lowest_f1": 12.5, "lowest_iou": 63.6, "random_f1": 27.3, "random_iou": 61.9}


def ambiguity_table(ambiguity: Ambiguity) -> Table:
    """Return Table 1 of the paper in percent, with the printed figures beside the computed ones."""
    rows: list[tuple[Cell, ...]] = []
    for opponent, description in (("lowest", "another plausible tree, lowest"), ("random", "random trees, mean")):
        for measure, name in (("PARSEVAL F1", "f1"), ("Struct-IoU", "iou")):
            values = 100 * getattr(ambiguity, f"{opponent}_{name}")
            printed = _PRINTED[f"{opponent}_{name}"] if ambiguity.n == 8 else None
            rows.append((description, measure, float(values.min()), float(values.max()), printed))
    title = f"N (P N){{{ambiguity.n}}}: {ambiguity.trees} plausible trees as ground truth, percent"
    columns = ("ground truth against", "unlabelled", "from", "to", "paper")
    return Table(columns, tuple(rows), title=title, notes=(ambiguity.signature,), digits=2, group=1)


# -- output of the command -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TreeTables(OptionSet):
    by_sentence: bool = switch("Add one row per sentence.")
    labels: bool = switch("Add one row per label.")
    align: bool = switch("Show both trees side by side, with the pairs marked.")
    sentences: tuple[int, ...] = setting(
        (), whole(1), "Restrict --by-sentence and --align to this sentence. May be repeated.", flags=("--sentence",)
    )


def trees_view(study: TreeStudy, tables: TreeTables, *, width: int) -> Answer:
    sentences = [number - 1 for number in tables.sentences] or range(len(study.parseval.sentences))
    scores, by_sentence, labels = study.struct_iou, tables.by_sentence, tables.labels
    sections = [
        Section("parseval", summary_table(study.parseval)),
        Section("struct-iou", struct_iou_table(scores), shown=True),
        *(Section(f"parsers-{i}", parser_table(entry), shown=True) for i, entry in enumerate(study.versus, 1)),
        Section("sentences", lambda: sentence_table(study.parseval, sentences), by_sentence),
        Section("struct-iou-sentences", lambda: struct_iou_sentences(scores, sentences), by_sentence),
        Section("labels", lambda: label_table(study.parseval.labels), labels),
        Section("struct-iou-labels", lambda: struct_iou_labels(scores.labels), labels),
    ]
    if tables.align:
        sections.append(Section("trees", "\n\n".join(_tree_drawings(study, sentences, width)), shown=True))
    more = () if tables.align else ("--align for both trees side by side",)
    return Answer(trees_answer(study), tuple(sections), more)


def _tree_drawings(study: TreeStudy, sentences: Sequence[int], width: int) -> Iterator[str]:
    scores, trees = study.struct_iou, study.trees
    for place in sentences:
        heading = f"Sentence {place + 1}: "
        gold, predicted = (None, None) if trees is None else (trees.gold[place], trees.predicted[place])
        if place in scores.errors or gold is None or predicted is None:
            yield heading + str(scores.errors.get(place, "no tree"))
            continue
        picture = draw_tree_alignment(gold, predicted, scores.alignments[place], width=width)
        yield f"{heading}Struct-IoU {scores.values[place]:.4f}, gold on the left\n{picture}"
    yield TREE_LEGEND
