"""Preparation of a corpus for a task.

This module determines the kind of data in a corpus, chooses suitable measures, converts hierarchies to common units and
separates systems from human coders. Commands, figures and pages all use these functions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from caesura.errors import CaesuraWarning, OptionError
from caesura.formats.settings import Settings
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.registry import DEFAULT_MEASURES, default_measures, parse
from caesura.measures.registry import measures as registered_measures
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchies import levels_as_types, over_common_units, pair_over_common_units
from caesura.model.hierarchy import Hierarchy

KIND_NAMES = {
    "linear": "segmentations",
    "dialogue": "dialogues",
    "timed": "tiers in seconds",
    "hierarchy": "hierarchies",
    "trees": "trees",
}
"""Kind of data -> its plural in messages."""


def measure_value(name: str, value: Measure | str) -> Measure:
    """Return a measure, parsed if it is text; this is a validator for options.

    Parameters
    ----------
    name : str
        Name of the option.
    value : Measure or str
        A measure, or a text such as ``"window_diff(window=5)"``.

    Returns
    -------
    Measure
        The measure.
    """
    return parse(value)


def choose_measures(
    task: str,
    corpus: Corpus,
    requested: Sequence[Measure | str] = (),
    *,
    settings: Settings | None = None,
    compat: str | None = None,
) -> tuple[Measure, ...]:
    """Return the measures of a task: those requested, or the defaults for the kind of data.

    Parameters
    ----------
    task : str
        ``"score"``, ``"agree"``, ``"judge"`` or ``"report"``.
    corpus : Corpus
        The data.
    requested : sequence of Measure or str, optional
        Measures that the user requested.
    settings : Settings, optional
        A settings file; its matrix and costs apply to measures that do not set their own.
    compat : str, optional
        A preset; default measures without this preset are omitted.

    Returns
    -------
    tuple of Measure
        The measures, each of which can score the data.

    Raises
    ------
    OptionError
        If the task is not defined for the kind of data, or a measure cannot score it.
    """
    kind = corpus.kind
    if kind not in DEFAULT_MEASURES[task]:
        raise OptionError(f"`{task}` is not defined for {KIND_NAMES[kind]}; {_ALTERNATIVES[kind]}")
    chosen = tuple(dict.fromkeys(map(parse, requested)))
    if chosen:
        _check_measures(chosen, task, kind)
    else:
        chosen = _defaults(task, corpus, settings, compat)
    return with_settings(chosen, settings)


_ALTERNATIVES = {
    "hierarchy": "`caesura score` and `caesura agree` compare hierarchies",
    "trees": "`caesura score` and `caesura trees` compare two files of trees",
    "timed": "read the tiers over units first: --reading units=union",
}


def _defaults(task: str, corpus: Corpus, settings: Settings | None, compat: str | None) -> tuple[Measure, ...]:
    kind = corpus.kind
    if kind == "linear" and settings is not None:
        kind = "dialogue"  # a settings file describes boundary types and their similarity
    defaults = default_measures(task, kind)
    if kind == "hierarchy" and not _all_labelled(corpus):
        defaults = tuple(measure for measure in defaults if measure.name != "l_measure")
    return tuple(measure for measure in defaults if compat is None or compat in measure.presets) or defaults


def _all_labelled(corpus: Corpus) -> bool:
    hierarchies = [corpus[key] for key in corpus]
    return all(span.label is not None for entry in hierarchies if isinstance(entry, Hierarchy) for span in entry.spans)


def _check_measures(chosen: Sequence[Measure], task: str, kind: str) -> None:
    for measure in chosen:
        if kind not in measure.kinds:
            fitting = [name for name, entry in registered_measures().items() if kind in entry.kinds]
            if task == "agree":
                fitting = [name for name in fitting if registered_measures()[name].coefficients] or fitting
            raise OptionError(f"{measure.name} cannot score {KIND_NAMES[kind]}; use {', '.join(fitting)}")


def with_settings(measures: Sequence[Measure], settings: Settings | None) -> tuple[Measure, ...]:
    """Return the measures with the matrix and costs of a settings file.

    Parameters
    ----------
    measures : sequence of Measure
        The measures. Those without such options do not change.
    settings : Settings or None
        The settings file. If it sets a normalization, measures with a different one are omitted.

    Returns
    -------
    tuple of Measure
        The measures.
    """
    if settings is None:
        return tuple(measures)
    options = settings.measure_options()
    normalize = options.pop("normalize", None)
    if normalize is not None and len(measures) > 1:
        measures = [measure for measure in measures if measure.settings.get("normalize") in (None, normalize)]
    return tuple(measure.with_settings(options) for measure in measures)


@dataclass(frozen=True)
class CommonUnits:
    """A corpus in which all coders of an item have the same units.

    Attributes
    ----------
    corpus : Corpus
        The corpus; hierarchies in time are converted to common units.
    boundaries : Corpus
        The same corpus as segmentations; hierarchies are flattened, with levels as boundary types.
    notes : tuple of str
        Messages about lost spans, item by item.
    """

    corpus: Corpus
    boundaries: Corpus
    notes: tuple[str, ...] = ()


def on_common_units(corpus: Corpus) -> CommonUnits:
    """Convert the hierarchies of a corpus to units that all coders of an item share.

    Parameters
    ----------
    corpus : Corpus
        Any corpus; a corpus without hierarchies does not change.

    Returns
    -------
    CommonUnits
        The corpus, and its boundaries.
    """
    if corpus.kind != "hierarchy":
        return CommonUnits(corpus, corpus)
    shared, notes = over_common_units(corpus)
    messages = tuple(f"item {item!r}: {note}" for item, note in notes.items())
    return CommonUnits(shared, levels_as_types(shared), messages)


def warn_all(notes: Sequence[str]) -> None:
    """Issue one warning per note, located at the line that called the task.

    Parameters
    ----------
    notes : sequence of str
        The notes.
    """
    for note in notes:
        warnings.warn(note, CaesuraWarning, stacklevel=4)


def pair_on_common_units(pair: Pair, measure: Measure) -> tuple[Pair, int]:
    """Convert two hierarchies in time to common units, if the measure needs units.

    Parameters
    ----------
    pair : tuple of two annotations
        Reference and hypothesis.
    measure : Measure
        The measure that will score the pair.

    Returns
    -------
    pair : tuple of two annotations
        The pair; unchanged if it contains no hierarchies, or if they cannot be converted to common units.
    lost : int
        Number of spans that are too short to be kept.
    """
    return pair_over_common_units(pair) if measure.needs_common_units else (pair, 0)


def split_systems(
    corpus: Corpus, systems: Sequence[str], system_files: Mapping[str, Corpus]
) -> tuple[Corpus, dict[str, dict[str, Annotation]]]:
    """Separate human coders from systems.

    Parameters
    ----------
    corpus : Corpus
        Annotations of human coders; it may also contain systems.
    systems : sequence of str
        Names of coders of the corpus that are programs, or paths of files with their output.
    system_files : mapping
        Path -> corpus of the systems in that file.

    Returns
    -------
    people : Corpus
        The corpus without the systems.
    systems : dict
        System -> item -> annotation.

    Raises
    ------
    OptionError
        If a system is neither a coder nor a file, if two systems have the same name, or if no human coder is left.
    """
    inside = [name for name in systems if name in corpus.coders]
    annotations = {name: corpus.of_coder(name) for name in inside}
    for path in systems:
        if path in inside:
            continue
        if path not in system_files:
            coders = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"system {path!r} is neither a coder of the corpus ({coders}) nor a file")
        _add_systems(annotations, path, system_files[path], corpus)
    people = [coder for coder in corpus.coders if coder not in inside]
    if not people:
        raise OptionError("at least one coder must be human; all coders of the corpus are systems")
    return corpus.select(coders=people), annotations


def _add_systems(
    annotations: dict[str, dict[str, Annotation]], path: str, system_corpus: Corpus, corpus: Corpus
) -> None:
    for name in system_corpus.coders:
        if name in annotations:
            raise OptionError(f"system {name!r} occurs twice, the second time in {path}; rename one of them")
        annotations[name] = _matching_items(system_corpus.of_coder(name), corpus)


def _matching_items(by_item: dict[str, Annotation], corpus: Corpus) -> dict[str, Annotation]:
    """Return the annotations by item. If both sides have exactly one item, they are paired under any name."""
    if len(by_item) == len(corpus.item_names) == 1:
        return dict(zip(corpus.item_names, by_item.values(), strict=True))
    return by_item
