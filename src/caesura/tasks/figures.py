"""The kinds of figures: for each kind, a function computes the arguments of the plot function from the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, get_args

from caesura.agreement.clusters import Linkage, cluster_coders
from caesura.agreement.families import coefficient_for, coefficient_name
from caesura.agreement.gamma import best_span_alignment
from caesura.agreement.pairwise import pairwise
from caesura.agreement.placed import boundaries_placed, boundary_heat
from caesura.errors import FormatError, MismatchError, OptionConflictError, OptionError
from caesura.formats.settings import Settings
from caesura.gold.unify import METHODS, unify
from caesura.judging.judge import Judgement
from caesura.limits import check_limit
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.operations import operations_table
from caesura.measures.registry import parse
from caesura.measures.treebank import struct_iou_corpus
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.result import Excluded
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.options import OptionSet, choice, preset_check, seed, setting, suggest, switch, text
from caesura.options import path as path_name
from caesura.simulation.trees import by_length, correlation, perturbation_curve
from caesura.tasks.agree import PRESETS
from caesura.tasks.judge import JudgeOptions, judge_systems
from caesura.tasks.measure_choice import choose_measures, measures_setting
from caesura.tasks.pairing import pair_items
from caesura.tasks.reading import ReadingOptions, read_tree_files
from caesura.tasks.systems import split_systems
from caesura.tasks.units import CommonUnits, on_common_units, with_units

# Coders of a figure.
MAX_FIGURE_CODERS = 200
Trees = list[Tree | None]
# The arguments of a plot function, and the items and sentences that the figure does not show.
FigureData = tuple[tuple[Any, ...], Sequence[Excluded]]


@dataclass(frozen=True)
class FigureOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting(
        "Measure with its options; for systems it may be repeated (default: as in the command that prints the same numbers)."
    )
    coefficient: str | None = setting(
        None,
        coefficient_name,
        "Coefficient inside clusters (default: pi; kappa for S_f and hierarchies).",
        flags=("-c", "--coefficient"),
    )
    systems: tuple[str, ...] = setting(
        (),
        text,
        "A coder in CORPUS that is a program, or a file with a program's output. May be repeated.",
        flags=("--system",),
    )
    items: tuple[str, ...] = setting(
        (), text, "Item to show, or number of a sentence. May be repeated.", flags=("--item",)
    )
    compat: str | None = setting(
        None, preset_check(PRESETS), "Convention of published figures for the coefficient, as in `caesura agree`."
    )
    linkage: str | None = setting(
        None,
        choice(*get_args(Linkage)),
        "How the distances of groups of coders follow from those of coders (default: average; complete with --compat "
        "fournier2013).",
    )
    method: str | None = setting(None, choice(*METHODS), "Method for the gold standard (default: conflict_free_union).")
    level: str | None = setting(
        None, choice("flat", "full"), "Whether coders must agree on spans, or on their levels too (default: flat)."
    )
    strip_functions: bool = switch("Cut NP-SBJ to NP before Struct-IoU. (PARSEVAL always does.)")
    gold_times: str | None = setting(
        None, path_name, "Times of the words of the (gold) trees: CTM (first column: sentence) or TextGrid."
    )
    predicted_times: str | None = setting(None, path_name, "Times of the words of the predicted trees.")
    reference_coder: str | None = setting(
        None, text, "Coder of the first file, if there are several (for operations).", flags=("--reference",)
    )
    hypothesis_coder: str | None = setting(
        None,
        text,
        "Coder of the second file, or second coder of the same file (for operations).",
        flags=("--hypothesis",),
    )
    seed: int | None = setting(None, seed, "Random seed (default: 0).")


@dataclass(frozen=True)
class FigureSource:
    corpora: tuple[Corpus, ...] = ()  # one corpus, or the corpora of reference and hypothesis
    system_files: Mapping[str, Corpus] = field(default_factory=dict)  # path -> corpus, for systems that are files
    trees: tuple[Trees, ...] = ()  # trees of each file; None for a sentence without a tree
    paths: tuple[str, ...] = ()
    settings: Settings | None = None
    seconds: Corpus | None = None  # the first corpus in seconds, if it contains tiers


def read_figure_source(
    form: str, files: Sequence[str], options: FigureOptions, reading: ReadingOptions
) -> FigureSource:
    paths = tuple(files)
    if form == "trees":
        inputs = zip(paths, (options.gold_times, options.predicted_times), strict=False)
        trees = tuple(read_tree_files(path, times=times, excluded=reading.errors)[0] for path, times in inputs)
        return FigureSource(trees=trees, paths=paths)
    system_files: dict[str, Corpus] = {}
    if form == "pair":
        corpora = reading.read_separately(paths)
    else:
        corpus, system_files = reading.read_with_systems(paths, options.systems)
        corpora = [corpus]
    for corpus in corpora:
        reading.require(corpus, "show")
        if corpus.kind == "trees":
            raise OptionError("this figure shows segmentations or hierarchies; the files contain trees")
    if form == "spans":
        chosen = tuple(corpus.select(items=options.items or None) for corpus in corpora)
        return FigureSource(chosen, system_files, (), paths, reading.settings)
    timed = corpora[0].select(items=options.items or None) if corpora[0].kind == "timed" else None
    converted, excluded = with_units([*corpora, *system_files.values()])
    reading.errors.extend(FormatError(paths[0], None, entry.reason) for entry in excluded)
    corpora, system_corpora = converted[: len(corpora)], converted[len(corpora) :]
    system_files = dict(zip(system_files, system_corpora, strict=True))
    chosen = tuple(corpus.select(items=options.items or None) for corpus in corpora)
    return FigureSource(chosen, system_files, (), paths, reading.settings, timed)


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One kind of figure, named after its plot function."""

    name: str  # name of the plot function in ``plot``, and of the kind on the command line
    # Function that computes the arguments of the plot function from a ``FigureSource``.
    compute: Callable[[FigureSource, FigureOptions], FigureData]
    description: str
    needs: str  # description of the required files and options
    options: tuple[str, ...]  # fields of ``FigureOptions`` that the figure uses
    source: str = "corpus"  # one ``corpus``, a ``pair`` of reference and hypothesis, ``spans`` or ``trees``
    max_files: int | None = None

    @property
    def flags(self) -> str:
        return " ".join(_FLAGS[name] for name in self.options)

    def check(self, files: Sequence[str], options: FigureOptions) -> None:
        """Raise an error if files and options do not fit together, independently of the contents of the files."""
        if not files:
            raise OptionConflictError(f"{self.name} needs {self.needs}")
        if self.max_files is not None and len(files) > self.max_files:
            raise OptionConflictError(f"{self.name} needs {self.needs}; got {len(files)} files")
        for name, flag in _FLAGS.items():
            if getattr(options, name) not in (None, (), False) and name not in self.options:
                raise OptionConflictError(f"{self.name} does not take {flag}; it takes {self.flags}")
        if len(options.measures) > 1 and self.name not in _SEVERAL_MEASURES:
            raise OptionConflictError(f"{self.name} shows one measure; got {len(options.measures)}")


_FLAGS = {
    entry.name: (entry.metadata["flags"] or (f"--{entry.name.replace('_', '-')}",))[-1]
    for entry in fields(FigureOptions)
}
_SEVERAL_MEASURES = ("systems", "items")
_CODERS = "a corpus with several coders"
_TREES = "two files of trees, gold and predicted"

# Name -> kind of figure.
KINDS: dict[str, FigureKind] = {}
_Compute = Callable[[FigureSource, FigureOptions], FigureData]


def _kind(
    description: str, needs: str, options: str, source: str = "corpus", max_files: int | None = None
) -> Callable[[_Compute], _Compute]:
    def register(compute: _Compute) -> _Compute:
        name = compute.__name__.removeprefix("_")
        limit = 2 if max_files is None and source not in ("corpus", "spans") else max_files
        KINDS[name] = FigureKind(name, compute, description, needs, tuple(options.split()), source, limit)
        return compute

    return register


def figure_kind(name: str | None) -> FigureKind:
    """Return a kind of figure by name, or raise an ``OptionConflictError`` that lists all kinds."""
    if name not in KINDS:
        if name is not None and get_close_matches(name, KINDS, 1):
            raise OptionConflictError(suggest("no kind", name, KINDS))
        problem = "expected a kind" if name is None else f"no kind {name!r}"
        raise OptionConflictError(f"{problem}; choose from {', '.join(KINDS)}")
    return KINDS[name]


# -- coders ---------------------------------------------------------------------------------------------------------


@_kind("matrix of coders, with values in cells", _CODERS, "measures items")
def _pairwise(source: FigureSource, options: FigureOptions) -> FigureData:
    corpus = _few_coders(_shared_units(source).corpus)
    measure = _measure(source, options, corpus)
    pairs = pairwise(corpus, measure, ordered=not measure.symmetric)
    return (pairs,), pairs.excluded


@_kind("coders as rows, segments as blocks", "a corpus of segmentations or dialogues", "items")
def _segments(source: FigureSource, options: FigureOptions) -> FigureData:
    return (_shared_units(source).boundaries if source.seconds is None else source.seconds,), ()


@_kind("value of every item, under one or several measures", _CODERS, "measures items")
def _items(source: FigureSource, options: FigureOptions) -> FigureData:
    corpus = _shared_units(source).corpus
    chosen = options.measures or (_measure(source, options, corpus),)
    tables = [pairwise(corpus, measure, ordered=not measure.symmetric) for measure in chosen]
    return (tables,), tables[0].excluded


@_kind("number of coders at each position", _CODERS, "items")
def _boundary_heat(source: FigureSource, options: FigureOptions) -> FigureData:
    return (boundary_heat(_shared_units(source).boundaries),), ()


@_kind(
    "coders with similar segmentations, with agreement inside clusters",
    _CODERS,
    "measures coefficient compat linkage items seed",
)
def _dendrogram(source: FigureSource, options: FigureOptions) -> FigureData:
    corpus = _few_coders(_shared_units(source).corpus)
    measure = _measure(source, options, corpus)
    name = options.coefficient and coefficient_for(options.coefficient, measure, coders=3)  # clusters of any size
    conventions = options.select("compat", "linkage")
    clustering = cluster_coders(corpus, measure, coefficient=name, seed=options.seed or 0, **conventions)
    return (clustering,), clustering.excluded


@_kind("number of boundaries of each coder", _CODERS, "items")
def _boundaries_per_coder(source: FigureSource, options: FigureOptions) -> FigureData:
    return (boundaries_placed(_shared_units(source).boundaries),), ()


def _shared_units(source: FigureSource) -> CommonUnits:
    return on_common_units(source.corpora[0])


def _few_coders(corpus: Corpus) -> Corpus:
    """Return the corpus, or raise an error if a figure has no space for its coders, before their pairs are scored."""
    check_limit("coders of a figure", len(corpus.coders), MAX_FIGURE_CODERS, "choose fewer coders")
    return corpus


def _measure(source: FigureSource, options: FigureOptions, corpus: Corpus, default: str | None = None) -> Measure:
    """Return the requested measure, or the default, or the first one for the kind of data."""
    requested = options.measures or ((parse(default),) if default else ())
    return choose_measures("score", corpus, requested, settings=source.settings)[0]


# -- systems --------------------------------------------------------------------------------------------------------

Systems = dict[str, dict[str, Annotation]]


@_kind(
    "precision against recall, of systems or of coders",
    "a corpus, and --system for systems in it or in files",
    "measures systems items seed",
)
def _precision_recall(source: FigureSource, options: FigureOptions) -> FigureData:
    corpus = _shared_units(source).boundaries
    measure = _measure(source, options, corpus, "boundary_confusion(n_t=2)")
    if not options.systems:
        pairs = pairwise(_few_coders(corpus), measure, ordered=True)
        return (pairs,), pairs.excluded
    judgement = _judge(source, options, (measure,))
    return (judgement, measure), judgement.excluded


@_kind(
    "systems with intervals, beside human coders", "a corpus and --system", "measures systems items seed", max_files=1
)
def _systems(source: FigureSource, options: FigureOptions) -> FigureData:
    judgement = _judge(source, options, options.measures)
    return (judgement,), judgement.excluded


@_kind(
    "operations on the boundaries of each type",
    "two files, or one with two coders",
    "measures reference_coder hypothesis_coder items",
    "pair",
)
def _operations(source: FigureSource, options: FigureOptions) -> FigureData:
    pairs, excluded = pair_items(*source.corpora, **options.select("reference_coder", "hypothesis_coder"))
    measure = _measure(source, options, source.corpora[0], "flexible_similarity")
    scores = score_many(pairs.values(), measure)
    failures = [Excluded(list(pairs)[i], None, str(error)) for i, error in scores.errors.items()]
    return (operations_table(scores),), (*excluded, *failures)


@_kind(
    "boundaries of a system among the marks of coders",
    "a corpus, one --system and one --item",
    "measures systems items",
    max_files=1,
)
def _clusters(source: FigureSource, options: FigureOptions) -> FigureData:
    if len(options.systems) != 1:
        raise OptionConflictError("clusters shows one system; choose it with --system")
    human_corpus, systems = _humans_and_systems(source, options)
    (by_item,) = systems.values()
    item = _only_item(human_corpus)
    if item not in by_item:
        raise OptionError(f"system {options.systems[0]!r} has no item {item!r}")
    annotations = [*human_corpus.of_item(item).values(), by_item[item]]
    coders = [annotation for annotation in annotations if isinstance(annotation, Segmentation)]
    if len(coders) < len(annotations):
        raise OptionError(f"item {item!r}: fuzzy success needs segmentations; this is a dialogue")
    measure = options.measures[0] if options.measures else parse("fuzzy_success")
    if measure.name != "fuzzy_success":
        raise OptionError(f"clusters needs the measure fuzzy_success; got {measure!r}")
    return (measure.score(Marks.of(coders[:-1]), coders[-1]),), ()


def _judge(source: FigureSource, options: FigureOptions, measures: tuple[Measure, ...]) -> Judgement:
    if not options.systems:
        raise OptionConflictError("--system is required: a coder of the corpus that is a program, or a file")
    human_corpus, systems = _humans_and_systems(source, options)
    judge_options = JudgeOptions(measures=measures, seed=options.seed or 0)
    return judge_systems(human_corpus, systems, judge_options, settings=source.settings)


def _humans_and_systems(source: FigureSource, options: FigureOptions) -> tuple[Corpus, Systems]:
    return split_systems(_shared_units(source).boundaries, options.systems, source.system_files)


def _only_item(corpus: Corpus) -> str:
    if len(corpus.item_names) != 1:
        names = ", ".join(map(repr, corpus.item_names[:10])) + (", …" if len(corpus.item_names) > 10 else "")
        raise OptionError(f"the figure shows one item; choose it with --item: {names}")
    return corpus.item_names[0]


# -- edits and gold standards ---------------------------------------------------------------------------------------


@_kind("one hierarchy made from several", "hierarchies of several coders, one --item", "method level items")
def _gold(source: FigureSource, options: FigureOptions) -> FigureData:
    item = _only_item(source.corpora[0])
    if source.corpora[0].kind != "hierarchy":
        raise OptionError(
            f"item {item!r}: gold needs spans; convert segments to spans with `caesura convert IN OUT.json --to spans-json`"
        )
    annotations = _shared_units(source).corpus.of_item(item)
    hierarchies = {coder: entry for coder, entry in annotations.items() if isinstance(entry, Hierarchy)}
    method, level = options.method or "conflict_free_union", options.level or "flat"
    return (unify(hierarchies, method=method, level=level), hierarchies), ()


@_kind("best alignment of spans, one row per coder", "spans of several coders, one --item", "items", "spans")
def _alignment(source: FigureSource, options: FigureOptions) -> FigureData:
    item = _only_item(source.corpora[0])
    alignments = best_span_alignment(source.corpora[0])
    if item not in alignments:
        raise OptionError(f"item {item!r}: an alignment needs the spans of at least two coders")
    return (alignments[item],), ()


# -- trees ----------------------------------------------------------------------------------------------------------


@_kind(
    "two trees of a sentence, with aligned nodes",
    f"{_TREES}, one --item (its number)",
    "measures items gold_times predicted_times",
    "trees",
)
def _tree_alignment(source: FigureSource, options: FigureOptions) -> FigureData:
    gold, predicted = _gold_and_predicted(source)
    chosen = options.items or ("1",)
    number = int(chosen[0]) if chosen[0].isdecimal() and len(chosen[0]) < 10 else 0
    if len(chosen) > 1 or not 1 <= number <= len(gold):
        raise OptionConflictError(
            f"--item must be the number of one sentence, from 1 to {len(gold)}; got {chosen[-1]!r}"
        )
    trees = gold[number - 1], predicted[number - 1]
    for tree, path in zip(trees, source.paths, strict=True):
        if tree is None:
            raise OptionError(f"sentence {number} has no tree in {path}")
    measure = options.measures[0] if options.measures else parse("struct_iou")
    return (*trees, measure.score(*trees)), ()


@_kind(
    "decrease of Struct-IoU with perturbed word boundaries",
    "a file of trees and --gold-times",
    "measures gold_times seed",
    "trees",
    max_files=1,
)
def _perturbation(source: FigureSource, options: FigureOptions) -> FigureData:
    trees = [tree for tree in source.trees[0] if tree is not None]
    measure = options.measures[0] if options.measures else parse("struct_iou")
    return (perturbation_curve(trees, seed=options.seed or 0, measure=measure),), ()


@_kind("scores of sentences and of the corpus up to each length", _TREES, "gold_times predicted_times", "trees")
def _by_length(source: FigureSource, options: FigureOptions) -> FigureData:
    result = struct_iou_corpus(*_gold_and_predicted(source))
    return (by_length(result),), result.excluded


@_kind("Struct-IoU against PARSEVAL F1", _TREES, "strip_functions seed", "trees")
def _correlation(source: FigureSource, options: FigureOptions) -> FigureData:
    sides: Sequence[Trees] = _gold_and_predicted(source)
    if options.strip_functions:
        sides = [[None if tree is None else tree.without_functions() for tree in side] for side in sides]
    result = correlation(*sides, seed=options.seed or 0)
    return (result,), result.excluded


def _gold_and_predicted(source: FigureSource) -> tuple[Trees, Trees]:
    if len(source.trees) != 2:
        raise OptionConflictError(
            f"expected two files of trees, gold and predicted; got {'one' if source.trees else 'none'}"
        )
    gold, predicted = source.trees
    if len(gold) != len(predicted):
        raise MismatchError(
            f"both files must have the same sentences; {source.paths[0]} has {len(gold)}, "
            f"{source.paths[1]} has {len(predicted)}"
        )
    return gold, predicted
