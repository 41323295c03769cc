"""Score a hypothesis against a reference: one score per measure, in total and item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, cast

from caesura.agreement.chance_scores import ChanceScore, chance_scores, supports_chance
from caesura.errors import MismatchError, OptionConflictError, OptionError
from caesura.formats.settings import Settings
from caesura.measures.base import Measure
from caesura.measures.confusion import ConfusionScore
from caesura.measures.many import Scores, score_many
from caesura.measures.operations import OperationsTable, operations_table
from caesura.measures.registry import measures as registered_measures
from caesura.measures.registry import parse
from caesura.measures.sums import AVERAGE
from caesura.model.batch import Pair
from caesura.model.common_units import pair_over_common_units, short_spans_note
from caesura.model.corpus import Corpus, tiers_where_mixed
from caesura.model.hierarchy import Hierarchy
from caesura.model.plain import json_entries
from caesura.model.result import HIDDEN, Excluded, Result, Score
from caesura.model.segmentation import Segmentation
from caesura.notices import collect_warnings, warn
from caesura.options import OptionSet, choice, preset_check, seed, setting, switch, text
from caesura.progress import progress_step
from caesura.tasks.measure_choice import (
    KIND_NAMES,
    choose_measures,
    compares_spans,
    default_direct_measures,
    measures_in_seconds,
    measures_setting,
    requested_measures,
)
from caesura.tasks.pairing import ALL_CODERS, fingerprint_of_sides, pair_items
from caesura.tasks.units import at_level, level_setting, with_units

# Presets of all measures.
PRESETS = tuple(dict.fromkeys(preset for measure in registered_measures().values() for preset in measure.presets))


@dataclass(frozen=True)
class ScoreOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting()
    reference_coder: str | None = setting(
        None,
        text,
        "Coder of REFERENCE, if there are several; 'all' compares with all of them (see --references).",
        flags=("--reference", "--reference-coder"),
    )
    hypothesis_coder: str | None = setting(
        None, text, "Coder of HYPOTHESIS, if there are several.", flags=("--hypothesis",)
    )
    hierarchy_level: int | None = level_setting()
    by_item: bool = switch("Add one row per item.", flags=("--items",))
    compat: str | None = setting(
        None,
        preset_check(PRESETS),
        "Reproduce the conventions of a publication or program, in the measures that have them.",
    )
    only: bool = switch("Do not show the plain number beside the number of a preset.")
    average: str | None = setting(
        None,
        AVERAGE.check,
        "Value of several items: sum the counts (micro), or take a mean over items (items, items_pr).",
    )
    references: str | None = setting(
        None,
        choice("each", "best", "union"),
        "How to use several reference coders (default: each, the mean over coders).",
    )
    edits: bool = switch("Show the edit of every boundary, item by item.")
    operations: bool = switch("Show the operations on the boundaries of each type, over all items.")
    chance: bool = switch("Add the score of randomly placed boundaries, and how far the score is beyond it.")
    seed: int = setting(0, seed, "Random seed for --chance, if a measure has no formula for it.", needs="chance")


@dataclass(frozen=True, slots=True)
class ItemScore:
    item: str | None  # None for all items together
    score: Score
    edits: bool = False  # whether the JSON of the score contains the edits
    chance: ChanceScore | None = None  # the score of randomly placed boundaries, if requested
    # The value by the measure's own definition, if the score has the conventions of a preset.
    plain: float | None = None
    coder: str | None = None  # the reference coder, if there are several and this is the score of one of them

    def __json__(self) -> dict[str, Any]:
        edits = self.score.edits if self.edits and self.item is not None else None
        added = {"coder": self.coder, "plain": self.plain, "chance": self.chance, "edits": edits}
        own = {name: value for name, value in added.items() if value is not None}
        return {"item": self.item} | json_entries(self.score) | own


@dataclass(frozen=True, slots=True)
class MeasureOperations:
    measure: Measure  # the measure that aligned the boundaries
    table: OperationsTable


@dataclass(frozen=True)
class Scoring(Result):
    scores: tuple[ItemScore, ...]  # for each measure, the total score and, if requested, the score of each item
    operations: tuple[MeasureOperations, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    pairs: Mapping[str, Pair] = field(default_factory=dict, metadata=HIDDEN, repr=False)
    # The confusion matrix with the rates of each type, if boundaries have types.
    confusion: ConfusionScore | None = None

    frame_field: ClassVar[str] = "scores"

    @property
    def totals(self) -> tuple[Score, ...]:
        """The score of all items together, one per measure."""
        return tuple(entry.score for entry in self.scores if entry.item is None and entry.coder is None)

    @property
    def signature(self) -> str:
        return self.totals[0].signature


def score_corpora(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    options: ScoreOptions | None = None,
    *,
    settings: Settings | None = None,
) -> Scoring:
    options = options or ScoreOptions()
    original = tiers_where_mixed([reference, *([] if hypothesis is None else [hypothesis])])
    _check_same_kind(original)
    requested = _requested(original, options, settings)
    in_seconds = measures_in_seconds(original, requested)
    only_seconds = bool(in_seconds) and len(in_seconds) == len(set(requested))
    as_they_are = only_seconds or compares_spans(requested)
    corpora, without_units = (original, ()) if as_they_are else with_units(original, needs_lengths=True)
    corpora = at_level(corpora, options.hierarchy_level, requested)
    reference, hypothesis = corpora if len(corpora) == 2 else (corpora[0], None)
    measures = choose_measures("score", reference, requested, settings=settings, compat=options.compat)
    measures = with_aggregation(with_preset(measures, options.compat), options)
    check_only(options.only, measures)
    coders = options.select("reference_coder", "hypothesis_coder")
    pairs, unpaired = pair_items(reference, hypothesis, **coders, tiers=only_seconds)
    timed = pairs if only_seconds or not in_seconds else pair_items(original[0], *original[1:], **coders, tiers=True)[0]
    items = tuple(pairs)
    sides = [timed if measure in in_seconds else pairs for measure in measures]
    results: list[tuple[Measure, Scores]] = []
    for step, (measure, side) in enumerate(zip(measures, sides, strict=True), 1):
        with progress_step(step, len(measures)):
            results.append((measure, _score_pairs([side[item] for item in items], measure)))
    failures = [
        Excluded(items[place], None, f"{measure!r}: {error}")
        for measure, scores in results
        for place, error in scores.errors.items()
    ]
    excluded = tuple(dict.fromkeys((*without_units, *unpaired, *failures)))
    chances = _chances(list(pairs.values()), results, options)
    entries: list[ItemScore] = []
    for (_, scores), chance, side in zip(results, chances, sides, strict=True):
        entries += (*_coder_entries(side, scores, options), *_entries(scores, side, options, chance))
    if not entries:
        raise OptionError(_reasons(excluded))
    data = fingerprint_of_sides(reference, hypothesis, pairs, **coders)
    facts = reference.alignment_facts
    entries = [entry if entry.item is not None and not facts else _with_facts(entry, facts, data) for entry in entries]
    operations = _operations(results) if options.operations else ()
    return Scoring(tuple(entries), operations, excluded, pairs, _confusion(list(pairs.values()), measures))


def _check_same_kind(corpora: Sequence[Corpus]) -> None:
    """Raise an error if the two sides have different kinds of data, such as tiers in seconds and words."""
    groups = [_COMPARABLE.get(corpus.kind, corpus.kind) for corpus in corpora]
    if all(map(len, corpora)) and len(set(groups)) > 1:
        kinds = []
        for side, corpus in zip(("reference", "hypothesis"), corpora, strict=True):
            kind = KIND_NAMES[corpus.kind] + (" over units" if corpus.kind == "linear" else "")
            if any(isinstance(entry, Hierarchy) and entry.edges is not None for entry in corpus.values()):
                kind = "hierarchies in seconds"
            kinds.append(f"the {side} has {kind}")
        raise MismatchError(f"{' and '.join(kinds)}; both sides must be of the same kind")


_COMPARABLE = {
    "linear": "texts",
    "dialogue": "texts",
    "spans": "spans or hierarchies",
    "hierarchy": "spans or hierarchies",
}


def _requested(corpora: Sequence[Corpus], options: ScoreOptions, settings: Settings | None) -> tuple[Measure, ...]:
    """Return the measures that the user chose, or the defaults for tiers in seconds; none if the units decide."""
    if options.measures:
        chosen = with_preset(options.measures, options.compat)
        if options.hierarchy_level is None:
            chosen = requested_measures(corpora, chosen, settings=settings)
    elif options.hierarchy_level is not None:
        chosen = ()
    else:
        defaults = default_direct_measures("score", corpora, (), settings=settings)
        chosen = tuple(measure for measure in defaults if options.compat in (None, *measure.presets))
        chosen = with_preset(chosen, options.compat) if chosen else ()
    return with_aggregation(chosen, options)


def _reasons(excluded: Sequence[Excluded]) -> str:
    """Return why no item could be scored; a reason that all items share is said once."""
    shared = {entry.reason for entry in excluded}
    if len(excluded) > 1 and len(shared) == 1 and excluded[0].item is not None:
        return f"none of {len(excluded)} items can be scored: {shared.pop()}"
    return "\n".join(map(str, excluded))


def check_only(only: bool, measures: Sequence[Measure]) -> None:
    """Raise an error if only the numbers of presets are wanted, but no measure has a preset."""
    if only and all(measure.compat is None for measure in measures):
        raise OptionConflictError(
            "--only has no effect without a preset; add --compat NAME or -m 'MEASURE(compat=NAME)'"
        )


def with_preset(measures: Sequence[Measure], preset: str | None) -> tuple[Measure, ...]:
    """Return the measures with a preset; measures that do not have this preset are unchanged."""
    if preset is None:
        return tuple(measures)
    for measure in measures:
        if measure.compat not in (None, preset):
            raise OptionConflictError(f"--compat {preset}: {measure!r} already has a preset; remove one of them")
    if not any(preset in measure.presets for measure in measures):
        having = [entry().label for entry in registered_measures().values() if preset in entry.presets]
        raise OptionConflictError(
            f"--compat {preset}: none of these measures has this preset; it exists for {', '.join(having)}"
        )
    return tuple(measure.replace(compat=preset) if preset in measure.presets else measure for measure in measures)


def _confusion_measure(measures: Sequence[Measure]) -> Measure:
    """Return the confusion matrix with the costs of the first measure that weighs the same edits."""
    # If no measure uses the order of the types, a substitution costs a half whatever the types are.
    confusion = parse("boundary_confusion")
    ordered = next((measure for measure in measures if measure.typed), None)
    if ordered is None:
        return confusion.replace(substitution="unit", w_sub=0.5)
    if ordered.settings.get("transposition") not in ("scaled", "printed", "unit"):
        return confusion
    return confusion.replace(
        **{name: ordered.settings[name] for name in confusion.settings if name in ordered.settings}
    )


def _confusion(pairs: Sequence[Pair], measures: Sequence[Measure]) -> ConfusionScore | None:
    """Return the confusion matrix of all pairs; None if boundaries have no types."""
    sides: list[Any] = [side for pair in pairs for side in pair]
    texts = [text for side in sides for text in (side.values() if isinstance(side, Mapping) else (side,))]
    if not any(isinstance(text, Segmentation) and len(text.types) > 1 for text in texts):
        return None
    with collect_warnings():  # the measures have already warned about the order of the types
        scores = score_many(pairs, _confusion_measure(measures))
    return cast(ConfusionScore, scores.total) if scores.scored.size else None


def _with_facts(entry: ItemScore, facts: Mapping[str, Any], data: str) -> ItemScore:
    """Return a score whose signature tells how the texts of the corpus were aligned, and the data of a total."""
    score = replace(entry.score, params=MappingProxyType({**entry.score.params, **facts})) if facts else entry.score
    return replace(entry, score=replace(score, data=data) if entry.item is None else score)


def _score_pairs(pairs: Sequence[Pair], measure: Measure) -> Scores:
    """Score the pairs; convert timed hierarchies to common units first."""
    if measure.kind != "hierarchy" or not measure.needs_common_units:
        return score_many(pairs, measure)
    prepared = [pair_over_common_units(pair) for pair in pairs]
    lost = sum(number for _, number in prepared)
    if lost:
        warn(short_spans_note(lost))
    return score_many([pair for pair, _ in prepared], measure)


def with_aggregation(measures: Sequence[Measure], options: ScoreOptions) -> tuple[Measure, ...]:
    """Return the measures with the mean over items and the use of several references that the options set."""
    changes = {name: value for name, value in options.select("average", "references").items() if value is not None}
    if options.reference_coder != ALL_CODERS and options.references is not None:
        raise OptionConflictError("--references needs several reference coders; add --reference-coder all")
    default = {"references": "each"} if options.reference_coder == ALL_CODERS else {}
    return tuple(
        measure.replace(**(({} if measure["references"] is not None else default) | changes))
        if changes or default
        else measure
        for measure in measures
    )


def _entries(scores: Scores, pairs: Mapping[str, Pair], options: ScoreOptions, chance: _Chances) -> list[ItemScore]:
    if not scores.scored.size:
        return []
    items, plain = tuple(pairs), _plain_values(scores, pairs, options)
    entries = [
        ItemScore(items[i], scores[i], options.edits, chance.get(i), plain.get(i)) for i in scores.scored.tolist()
    ]
    return [*entries, ItemScore(None, scores.total, chance=chance.get(None), plain=plain.get(None))]


def _plain_values(scores: Scores, pairs: Mapping[str, Pair], options: ScoreOptions) -> dict[int | None, float]:
    """Return the values without the conventions of a preset: place of a pair, or None for all pairs -> value."""
    measure = scores.measure
    if measure.compat is None or options.only:
        return {}
    compared = list(pairs.values())
    if measure.recipe is not None and (undo := measure.recipe.undo) is not None:
        compared = [(undo(a), undo(b)) for a, b in compared]
    plain = _score_pairs(compared, measure.plain())
    if not plain.scored.size:
        return {}
    return {None: plain.total.value} | {place: float(plain.values[place]) for place in plain.scored.tolist()}


def _coder_entries(pairs: Mapping[str, Any], scores: Scores, options: ScoreOptions) -> list[ItemScore]:
    """Return the total against each reference coder, if all coders are references and each counts."""
    if options.reference_coder != ALL_CODERS or scores.measure["references"] != "each":
        return []
    entries = []
    for coder in dict.fromkeys(name for references, _ in pairs.values() for name in references.names):
        own = [([side[0].of(coder)], side[1]) for side in pairs.values() if coder in side[0].names]
        total = _score_pairs(own, scores.measure)
        if total.scored.size:
            entries.append(ItemScore(None, total.total, coder=coder))
    return entries


_Chances = Mapping[int | None, ChanceScore]  # place of a pair, or None for all pairs -> the score of random placement


def _chances(pairs: Sequence[Pair], results: Sequence[tuple[Measure, Scores]], options: ScoreOptions) -> list[_Chances]:
    if not options.chance:
        return [{} for _ in results]
    if not any(supports_chance(measure, pairs) for measure, _ in results):
        raise OptionConflictError("--chance: none of these measures compares segmentations over common units; add -m B")
    chances: list[_Chances] = []
    for measure, scores in results:
        if supports_chance(measure, pairs) and scores.scored.size:
            total, by_pair = chance_scores(pairs, scores, seed=options.seed)
            by_place: dict[int | None, ChanceScore] = {None: total}
            by_place.update(by_pair.items())
            chances.append(by_place)
        else:
            chances.append({})
    return chances


def _operations(results: Sequence[tuple[Measure, Scores]]) -> tuple[MeasureOperations, ...]:
    """Return the tables of the measures that align boundaries; measures with the same table share it."""
    tables: list[MeasureOperations] = []
    for measure, scores in results:
        if scores.scored.size and measure.aligns:
            table = operations_table(scores)
            if all(table != entry.table for entry in tables):
                tables.append(MeasureOperations(measure, table))
    if not tables:
        raise OptionConflictError("--operations: none of these measures aligns boundaries; add -m B")
    return tuple(tables)
