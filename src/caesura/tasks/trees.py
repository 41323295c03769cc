"""Comparison of parses with a treebank, and of two parsers with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from caesura.engines import Engine
from caesura.errors import OptionConflictError
from caesura.judging.comparison import ParserComparison, compare_parsers
from caesura.measures.treebank import ParsevalResult, StructIoUResult, parseval_corpus, struct_iou_corpus
from caesura.model.corpus import Corpus, Source
from caesura.model.fingerprint import fingerprint_of_pairs
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.tree import Tree
from caesura.options import OptionSet, choice, number, seed, setting, switch, text
from caesura.tasks.reading import ReadingOptions, read_tree_files

Trees = Sequence[Tree | None]


@dataclass(frozen=True)
class TreeFileOptions(OptionSet):
    gold_times: str | None = setting(None, text, "Times of the gold words: CTM (first column: sentence) or TextGrid.")
    predicted_times: str | None = setting(None, text, "Times of the predicted words.")
    versus: str | None = setting(None, text, "Trees of a second parser, to compare the two parsers.")
    versus_times: str | None = setting(None, text, "Times of the second parser's words.")
    tier: str | None = setting(None, text, "Tier with the words, if a TextGrid has several.")
    snap: float = setting(
        1e-4,
        number(0, 1),
        "Maximum overlap of two words in seconds; their common edge is moved to the middle.",
        needs="gold_times",
    )
    zero_length: str = setting(
        "error",
        choice("error", "merge"),
        "Treatment of words without duration: report an error, or merge them with a neighbour.",
        needs="gold_times",
    )
    layout: str | None = setting(
        None,
        choice("lines", "brackets"),
        "One sentence per line, or trees over several lines (default: detected from the file).",
    )


@dataclass(frozen=True)
class TreeOptions(OptionSet):
    param: str | None = setting(None, text, "EVALB parameter file (default: the rules of COLLINS.prm).")
    unlabelled: bool = switch("Compute Struct-IoU without labels. (PARSEVAL always shows both.)")
    flexible_terminals: bool = switch("Allow a preterminal to pair with a node of any label in Struct-IoU.")
    threshold: float | None = setting(None, number(0, 1), "Minimum IoU (exclusive) of pairs that Struct-IoU counts.")
    compat: str | None = setting(None, choice("struct-iou"), "Compute Struct-IoU as the authors' program does.")
    strip_functions: bool = switch("Cut NP-SBJ to NP before Struct-IoU. (PARSEVAL always does.)")
    seed: int = setting(0, seed, "Random seed for the comparison of parsers.")


@dataclass(frozen=True)
class Treebanks:
    gold: Trees  # None for a sentence without a parse
    predicted: Trees
    versus: Trees | None = None
    reading: ReadingOptions = field(default_factory=ReadingOptions)  # reports about the files, and the reading errors


@dataclass(frozen=True)
class TreeStudy(Result):
    struct_iou: StructIoUResult
    parseval: ParsevalResult
    versus: tuple[ParserComparison, ...] = ()  # the comparison with a second parser under both measures
    excluded: tuple[Excluded, ...] = ()
    trees: Treebanks | None = field(default=None, metadata=HIDDEN, repr=False)  # the trees that Struct-IoU compared

    @cached_property
    def data(self) -> str | None:
        """Fingerprint of the sentences that both sides have."""
        if self.trees is None:
            return None
        sentences = enumerate(zip(self.trees.gold, self.trees.predicted, strict=False), 1)
        pairs = {str(number): pair for number, pair in sentences if None not in pair}
        return fingerprint_of_pairs(pairs) if pairs else None

    @property
    def signature(self) -> str:
        return replace(self.struct_iou.total, data=self.data).signature


def read_treebanks(gold: str, predicted: str, options: TreeFileOptions | None = None) -> Treebanks:
    options = options or TreeFileOptions()
    reading = ReadingOptions(format="ptb")
    layout = options.select("tier", "snap", "zero_length", "layout")

    def load(path: str, times: str | None) -> Trees:
        trees, paths = read_tree_files(path, times=times, excluded=reading.errors, **layout)
        sentences = {str(number): {"trees": tree} for number, tree in enumerate(trees, 1) if tree is not None}
        reading.corpora.append(Corpus(sentences).with_source(Source(paths, "ptb")))
        return trees

    sides = load(gold, options.gold_times), load(predicted, options.predicted_times)
    versus = None if options.versus is None else load(options.versus, options.versus_times)
    return Treebanks(*sides, versus, reading)


def compare_trees(
    trees: Treebanks, options: TreeOptions | None = None, *, engine: str | Engine = "threads"
) -> TreeStudy:
    options = options or TreeOptions()
    iou_options = options.select("unlabelled", "flexible_terminals", "threshold", "compat")
    iou_options = {name: value for name, value in iou_options.items() if value is not False}  # a preset may change it
    plain = _without_functions(trees) if options.strip_functions else trees
    parseval = parseval_corpus(trees.gold, trees.predicted, param=options.param, engine=engine)
    struct_iou = struct_iou_corpus(plain.gold, plain.predicted, engine=engine, **iou_options)
    if options.seed and trees.versus is None:
        raise OptionConflictError("--seed has no effect without --versus; add it")
    versus: list[ParserComparison] = []
    for side, measure in ((trees, parseval.measure), (plain, struct_iou.scores.measure)):
        if side.versus is not None:
            parsers = {"predicted": side.predicted, "versus": side.versus}
            versus.append(compare_parsers(side.gold, parsers, measure=measure, seed=options.seed))
    return TreeStudy(struct_iou, parseval, tuple(versus), trees.reading.excluded, plain)


def _without_functions(trees: Treebanks) -> Treebanks:
    def strip(side: Trees) -> Trees:
        return [tree if tree is None else tree.without_functions() for tree in side]

    versus = None if trees.versus is None else strip(trees.versus)
    return Treebanks(strip(trees.gold), strip(trees.predicted), versus, trees.reading)
