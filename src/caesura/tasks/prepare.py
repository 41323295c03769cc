"""Read files, and prepare a corpus for a task.

This module reads files with the options of the user, determines the kind of data in a corpus, chooses suitable measures,
converts hierarchies to common units and separates systems from human coders. Commands, figures and pages all use it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, InputError, OptionConflictError, OptionError, SpansError
from caesura.formats import NAMES, detect, find, is_collection, read_beginning, read_coders, read_together
from caesura.formats.ptb import read_trees
from caesura.formats.settings import Settings, read_settings
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.registry import DEFAULT_MEASURES, default_measures, parse
from caesura.measures.registry import measures as registered_measures
from caesura.model.common_units import levels_as_types, over_common_units, tiers_over_units
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import Annotation, tiers_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.projection import ALIGNMENTS
from caesura.model.reading import ReadingReport
from caesura.model.result import Excluded, to_json
from caesura.model.spans import Spans
from caesura.model.tree import Tree
from caesura.model.value import count_of
from caesura.notices import issue, warn
from caesura.options import OptionSet, choice, setting, switch, text, whole
from caesura.options import path as path_name

KIND_NAMES = {
    "linear": "segmentations",
    "dialogue": "dialogues",
    "timed": "tiers in seconds",
    "spans": "spans",
    "hierarchy": "hierarchies",
    "trees": "trees",
}
"""Kind of data -> its plural in messages."""


# -- reading ----------------------------------------------------------------------------------------------------------


def _type_names(name: str, value: Any) -> tuple[str, ...]:
    """Return boundary types from a sequence, a JSON list or a comma-separated string."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return tuple(part.strip() for part in value.split(","))
    names = _json_or_text(value) if isinstance(value, str) else value
    if isinstance(names, str) or not all(isinstance(entry, str) for entry in names):
        raise OptionError(f"expected a JSON list of names; got {value}")
    return tuple(names)


_TRUTH_VALUES = {"true": True, "yes": True, "false": False, "no": False}


def _named_value(name: str, value: Any) -> tuple[str, Any]:
    """Return the name and the value of an option such as ``units=0.01``; a pair is returned unchanged."""
    if isinstance(value, tuple):
        return value
    option, equals, content = str(value).partition("=")
    if not equals or not option.strip():
        raise OptionError(f"expected NAME=VALUE; got {value!r}")
    return option.strip(), _TRUTH_VALUES.get(content.strip().lower(), _json_or_text(content))


def _json_or_text(value: str) -> Any:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if parsed == parsed else value  # keep NaN as text


@dataclass(frozen=True)
class ReadingOptions(OptionSet):
    """Options for reading files, and the corpora and errors of all files read with them.

    Attributes
    ----------
    errors : list of FormatError
        Reading errors; filled by the reading methods.
    corpora : list of Corpus
        The corpora, one per file or group of files; filled by the reading methods.
    announce : callable, optional
        Called with every corpus that was read.
    """

    format: str | None = setting(None, choice(*NAMES), "Input format (default: detected from the file).")
    types: tuple[str, ...] | None = setting(
        None, _type_names, 'Boundary types in ordinal order, comma-separated or a JSON list: "scene,act".'
    )
    pattern: str | None = setting(
        None, text, 'Pattern of the paths in a folder or glob, such as "{coder}/{item}.TextGrid".'
    )
    align: str | None = setting(
        None,
        choice(*ALIGNMENTS),
        "How to align coders whose tokens differ: by tokens, by characters, by edit distance of characters, or by position "
        "without regard to spelling.",
    )
    align_all: bool = switch("With --align, also convert the items whose coders have the same tokens.")
    ignore_text: bool = switch("Compare positions if coders have the same number of tokens; same as --align positions.")
    fields: str | None = setting(None, text, "Columns or fields by role, such as item=doc,text=sentence,coders=A+B.")
    recipe: str | None = setting(None, text, "Recipe for a JSON file (default: chosen by its fields).")
    encoding: str | None = setting(None, text, "Encoding of the text, such as cp1252 (default: UTF-8).")
    tier: tuple[str, ...] = setting((), text, "Tier to read, for files with tiers. May be repeated.")
    words: str | None = setting(None, text, "Tier with the words, for files with tiers.")
    labels: str | None = setting(
        None, choice("types", "ignore"), "Whether labels of tiers are boundary types or ignored."
    )
    format_options: tuple[tuple[str, Any], ...] = setting(
        (),
        _named_value,
        "Option of the format as NAME=VALUE, such as tiers=ann or units=0.01. May be repeated; see `caesura formats`.",
        flags=("--reading",),
    )
    settings_file: str | None = setting(
        None, path_name, "A .toml or .json file with symbols, similarity matrix and costs.", flags=("--settings",)
    )
    quiet: bool = switch("Do not print how the files were read.")
    errors: list[FormatError] = field(default_factory=list)
    corpora: list[Corpus] = field(default_factory=list)
    announce: Callable[[Corpus], None] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of the format; the value of a repeated option is a list."""
        values: dict[str, list[Any]] = {}
        for name, value in self.format_options:
            values.setdefault(name, []).append(value)
        named = {name: listed[0] if len(listed) == 1 else listed for name, listed in values.items()}
        flags = self.select("fields", "recipe", "encoding", "words", "labels") | {"tiers": list(self.tier) or None}
        return named | {name: value for name, value in flags.items() if value is not None}

    @property
    def flags(self) -> list[str]:
        """The options that the user set, as words of a command line."""
        names = ("format", "pattern", "align", "fields", "recipe", "encoding", "words", "labels", "settings_file")
        words = []
        for name, value in self.select(*names).items():
            words += [] if value is None else [f"--{name.removesuffix('_file')}", str(value)]
        words += ["--types", ",".join(self.types)] if self.types is not None else []
        words += [word for tier in self.tier for word in ("--tier", tier)]
        for name, value in self.format_options:
            words += ["--reading", f"{name}={value if isinstance(value, str) else to_json(value, indent=None)}"]
        return words + ["--ignore-text"] * self.ignore_text + ["--align-all"] * self.align_all

    @property
    def alignment(self) -> dict[str, Any]:
        """The options ``align`` and ``align_all`` of reading."""
        if self.ignore_text and self.align not in (None, "positions"):
            raise OptionConflictError(f"--ignore-text and --align {self.align} exclude each other; remove one of them")
        if self.align_all and self.align is None:
            raise OptionConflictError("--align-all needs --align")
        return {"align": "positions" if self.ignore_text else self.align, "align_all": self.align_all}

    @cached_property
    def settings(self) -> Settings | None:
        """Symbols, similarity matrix and costs of the settings file."""
        return None if self.settings_file is None else read_settings(self.settings_file)

    def read(self, paths: Sequence[str]) -> Corpus:
        """Read one corpus from a file, a folder, a glob, or one file or folder per coder.

        Parameters
        ----------
        paths : sequence of str
            The files, folders and globs.

        Returns
        -------
        Corpus
            All annotations that could be read.
        """
        if len(paths) == 1:
            return self.read_separately(paths)[0]
        if self.pattern is not None:
            raise OptionConflictError("--pattern applies to the files of one folder or glob; got several files")
        if all(map(os.path.isdir, paths)):
            corpora = read_together(paths, **self._arguments(paths[0]))
            return self._collect([_merge_folders(paths, corpora)])[0]
        files = self._expand(paths)
        return self._collect([read_coders(files, **self._arguments(files[0]))])[0]

    def _expand(self, paths: Sequence[str]) -> list[str]:
        """Return the files among several paths, which may be folders (such as one per coder) and globs."""
        listed = [[file.path for file in find(path, self.format)] if is_collection(path) else [path] for path in paths]
        return [path for files in listed for path in files]

    def read_in_seconds(self, paths: Sequence[str]) -> Corpus:
        """Read one corpus as :meth:`read` does, but keep tiers in seconds, so that results can have times.

        Parameters
        ----------
        paths : sequence of str
            The files.

        Returns
        -------
        Corpus
            The annotations. Units that the user chose are stored in the source, for :func:`with_units`.
        """
        if not self._reads_tiers(paths[0]):
            return self.read(paths)
        others = tuple((name, value) for name, value in self.format_options if name != "units")
        corpus = replace(self, format_options=(*others, ("units", "times"))).read(paths)
        units = self.options.get("units")
        if units in (None, "times") or corpus.source is None:
            return corpus
        return corpus.with_source(replace(corpus.source, tier_options={**corpus.source.tier_options, "units": units}))

    def _reads_tiers(self, path: str) -> bool:
        """Return whether the format of the first file contains tiers; reading reports the error if it is not known."""
        try:
            file_format = detect(find(path, self.format, self.pattern)[0].path, self.format)
        except FormatError:
            return False
        return any(option.name == "units" for option in file_format.options)

    def read_beginning(self, path: str) -> Corpus | None:
        """Read the first rows of a large table.

        Parameters
        ----------
        path : str
            The file.

        Returns
        -------
        Corpus or None
            The corpus; None if the file must be read completely.
        """
        if self.alignment["align"] is not None or self.pattern is not None or self.settings_file is not None:
            return None
        corpus = read_beginning(path, self.format, types=self.types, **self.options)
        return None if corpus is None else self._collect([corpus])[0]

    def read_separately(self, paths: Sequence[str]) -> list[Corpus]:
        """Read each file as a separate corpus; all corpora have the same units.

        Parameters
        ----------
        paths : sequence of str
            The files, folders or globs.

        Returns
        -------
        list of Corpus
            One corpus per path.
        """
        return self._collect(read_together(paths, pattern=self.pattern, **self._arguments(paths[0])))

    def read_with_systems(self, paths: Sequence[str], systems: Sequence[str]) -> tuple[Corpus, dict[str, Corpus]]:
        """Read the corpus of the human coders, and the files among ``systems``.

        Parameters
        ----------
        paths : sequence of str
            Files of the human coders.
        systems : sequence of str
            Names of coders, or files with the output of programs.

        Returns
        -------
        corpus : Corpus
            Corpus of the human coders.
        system_files : dict
            Path -> corpus, for every system that is a file.
        """
        files = [path for path in dict.fromkeys(systems) if Path(path).exists()]
        if len(paths) == 1:
            corpus, *system_corpora = self.read_separately([*paths, *files])
        else:
            corpus = self.read(paths)
            system_corpora = self.read_separately(files) if files else []
        return corpus, dict(zip(files, system_corpora, strict=True))

    def with_options(self, **options: Any) -> ReadingOptions:
        """Return a copy with additional options of the format.

        Parameters
        ----------
        **options : object
            Defaults; options that the user set take precedence.

        Returns
        -------
        ReadingOptions
            A copy that shares the lists of errors and corpora.
        """
        defaults = [(name, value) for name, value in options.items() if name not in self.options]
        return replace(self, format_options=(*self.format_options, *defaults))

    def accepts(self, path: str, option: str) -> bool:
        """Return whether the format of a file has an option.

        Parameters
        ----------
        path : str
            A file, a folder or a glob.
        option : str
            Name of an option of a format.

        Returns
        -------
        bool
            Whether the format of one of the files has it; False if the format is not known, which reading reports.
        """
        try:
            files = [file.path for file in find(path, self.format, self.pattern)] if is_collection(path) else [path]
            return any(entry.name == option for file in files for entry in detect(file, self.format).options)
        except FormatError:
            return False

    def for_presets(
        self, paths: Iterable[str], measures: Iterable[Measure], preset: str | None = None
    ) -> ReadingOptions:
        """Return a copy that reads files as the presets of measures need it.

        Parameters
        ----------
        paths : iterable of str
            The files that will be read.
        measures : iterable of Measure
            The measures; if there are none, any measure that has the preset.
        preset : str, optional
            Preset of all measures that have it (default: each measure's own).

        Returns
        -------
        ReadingOptions
            A copy. Options that the user set, and files whose format does not have the option, are unchanged.
        """
        chosen = [(measure.preset_reading, preset or measure.compat) for measure in measures]
        chosen = chosen or [(measure.preset_reading, preset) for measure in registered_measures().values()]
        needed = {name: value for by_preset, key in chosen for name, value in by_preset.get(key, {}).items()}
        return self.with_options(
            **{name: value for name, value in needed.items() if all(self.accepts(path, name) for path in paths)}
        )

    @property
    def reports(self) -> tuple[ReadingReport, ...]:
        """The reading report of each corpus."""
        return tuple(report for report in (corpus.reading for corpus in self.corpora) if report is not None)

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """Files and items that could not be read."""
        return tuple(Excluded(None, None, message) for message in dict.fromkeys(map(str, self.errors)))

    def require(self, corpus: Corpus, purpose: str) -> Corpus:
        """Return a corpus that was read, or raise an error if it is empty.

        Parameters
        ----------
        corpus : Corpus
            The corpus that was read.
        purpose : str
            Purpose of the corpus, such as ``"score"``.

        Returns
        -------
        Corpus
            The corpus.

        Raises
        ------
        FormatError or OptionError
            The reading error if there is exactly one; otherwise an ``OptionError``.
        """
        if corpus:
            return corpus
        if len(self.errors) == 1:
            raise self.errors[0]
        raise OptionError(f"there is nothing to {purpose}: no annotation could be read")

    def _collect(self, corpora: list[Corpus]) -> list[Corpus]:
        """Store the corpora, announce each of them, and return them."""
        self.corpora.extend(corpora)
        for corpus in corpora:
            if self.announce is not None:
                self.announce(corpus)
        return corpora

    def _arguments(self, first: str) -> dict[str, Any]:
        """Return the arguments of the reading functions, with the settings for the format of the first file."""
        options = self.options
        if self.settings is not None:
            path = find(first, self.format, self.pattern)[0].path
            options = self.settings.reading_options(detect(path, self.format).name) | options
        if self.types is not None:
            options["types"] = self.types
        return self.select("format") | self.alignment | {"excluded": self.errors} | options


def read_tree_files(
    path: str, *, times: str | None = None, **options: Any
) -> tuple[list[Tree | None], tuple[str, ...]]:
    """Read the trees of a file, or of all files of a folder or glob, one after the other.

    Parameters
    ----------
    path : str
        A file of brackets, a folder or a glob.
    times : str, optional
        File with the times of the words.
    **options : object
        Further options of :func:`~caesura.read_trees`.

    Returns
    -------
    trees : list of Tree or None
        One entry per sentence.
    files : tuple of str
        The files, in the order of their names.

    Raises
    ------
    FormatError
        If times are given for several files.
    """
    files = tuple(sorted(file.path for file in find(path, "ptb"))) if is_collection(path) else (path,)
    if len(files) > 1 and times is not None:
        raise FormatError(path, None, f"times belong to one file of trees; this is {len(files)} files")
    return [tree for name in files for tree in read_trees(name, times=times, **options)], files


def _merge_folders(paths: Sequence[str], corpora: Sequence[Corpus]) -> Corpus:
    """Return one corpus from several folders, such as one per coder."""
    keys = [key for corpus in corpora for key in corpus]
    same_item = {len(corpus) for corpus in corpora} == {1} and len(dict(keys)) > 1  # one file per folder
    unnamed = same_item or len(set(keys)) < len(keys)  # the files do not name the coders
    annotations: dict[str, dict[str, Annotation]] = {}
    for path, corpus in zip(paths, corpora, strict=True):
        folder = Path(os.path.abspath(path)).name if unnamed and len(corpus.coders) == 1 else None
        for (name, own_coder), annotation in corpus.items():
            item, coder = keys[0][0] if same_item else name, folder or own_coder
            if coder in annotations.setdefault(item, {}):
                problem = f"item {item!r} of coder {coder!r} is in another folder too"
                hint = "read the folder above them, with --pattern if the names do not tell item and coder"
                raise FormatError(path, None, f"{problem}; {hint}")
            annotations[item][coder] = annotation
    return Corpus(annotations).with_source(Source.merge(filter(None, (corpus.source for corpus in corpora))))


# -- measures ---------------------------------------------------------------------------------------------------------


def measure_value(name: str, value: Measure | str) -> Measure:
    """Return a measure; parse it if it is a string. This function is a validator for options.

    Parameters
    ----------
    name : str
        Name of the option.
    value : Measure or str
        A measure, or a string such as ``"window_diff(window=5)"``.

    Returns
    -------
    Measure
        The measure.
    """
    return parse(value)


def measures_setting(
    description: str = 'Measure with its options, such as "window_diff(window=5)". May be repeated; see `caesura measures`.',
) -> Any:
    """Return the field of an option set for measures.

    Parameters
    ----------
    description : str, optional
        Help text of the option.

    Returns
    -------
    dataclasses.Field
        The field.
    """
    return setting((), measure_value, description, flags=("-m", "--measure"))


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
    if kind in ("timed", "spans") and requested:
        _check_measures(tuple(map(parse, requested)), task, kind)
        return tuple(dict.fromkeys(map(parse, requested)))
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
    "timed": "convert the tiers to units first: --reading units=union",
}


def _defaults(task: str, corpus: Corpus, settings: Settings | None, compat: str | None) -> tuple[Measure, ...]:
    kind = corpus.kind
    if kind == "linear" and settings is not None:
        kind = "dialogue"  # a settings file describes boundary types and their similarity
    defaults = default_measures(task, kind)
    if kind == "hierarchy" and not _all_labelled(corpus):
        defaults = tuple(measure for measure in defaults if not measure.needs_labels)
    return tuple(measure for measure in defaults if compat in (None, *measure.presets)) or defaults


def _all_labelled(corpus: Corpus) -> bool:
    hierarchies = [corpus[key] for key in corpus]
    return all(span.label is not None for entry in hierarchies if isinstance(entry, Hierarchy) for span in entry.spans)


def _check_measures(chosen: Sequence[Measure], task: str, kind: str) -> None:
    for measure in chosen:
        if kind not in measure.kinds:
            fitting = [name for name, entry in registered_measures().items() if kind in entry.kinds]
            if task == "agree":
                with_coefficients = [name for name in fitting if registered_measures()[name].coefficients]
                fitting = fitting if kind == "timed" else with_coefficients or fitting
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


# -- levels of hierarchies ---------------------------------------------------------------------------------------------


def level_setting() -> Any:
    """Return the field of an option set that chooses one level of hierarchies.

    Returns
    -------
    dataclasses.Field
        The field.
    """
    description = (
        "Compare hierarchies as segmentations on this level, 1 for the highest: with a boundary wherever a span of this "
        "level or a higher one begins or ends."
    )
    return setting(None, whole(1), description, flags=("--hierarchy-level",))


def _over_shared_units(corpora: Sequence[Corpus]) -> dict[tuple[str, str], Hierarchy]:
    """Return the hierarchies of all corpora over the same units; the place of the corpus stands before the coder's name."""
    entries: dict[str, dict[str, Annotation]] = {}
    for place, corpus in enumerate(corpora):
        for item, coder in corpus:
            entries.setdefault(item, {})[f"{place} {coder}"] = corpus[item, coder]
    shared = on_common_units(Corpus(entries)).corpus
    return {key: entry for key, entry in shared.items() if isinstance(entry, Hierarchy)}


def at_level(corpora: Sequence[Corpus], level: int | None) -> list[Corpus]:
    """Turn hierarchies into the segmentations of one level; timed ones over units that all corpora share.

    Parameters
    ----------
    corpora : sequence of Corpus
        Corpora such as a reference and a hypothesis.
    level : int or None
        The level, 1 for the highest; None returns the corpora unchanged.

    Returns
    -------
    list of Corpus
        Corpora of segmentations.

    Raises
    ------
    OptionError
        If an annotation is not a hierarchy, or no hierarchy has this level.
    """
    if level is None:
        return list(corpora)
    for corpus in corpora:
        if corpus.kind != "hierarchy":
            raise OptionError(
                f"--hierarchy-level applies to hierarchies; got {KIND_NAMES[corpus.kind]}; remove the option"
            )
    hierarchies = _over_shared_units(corpora)
    depth = max((entry.depth for entry in hierarchies.values()), default=0)
    if level > depth:
        raise OptionError(f"--hierarchy-level {level}: the deepest hierarchy has {count_of(depth, 'level')}")
    flat: list[dict[str, dict[str, Annotation]]] = [{} for _ in corpora]
    for (item, key), hierarchy in hierarchies.items():
        number, _, coder = key.partition(" ")
        flat[int(number)].setdefault(item, {})[coder] = hierarchy.at_level(level)
    return [Corpus(by_item).with_origin(corpus) for by_item, corpus in zip(flat, corpora, strict=True)]


# -- spans ------------------------------------------------------------------------------------------------------------


def compares_spans(measures: Sequence[Measure]) -> bool:
    """Return whether all measures compare spans as they are, so that spans need not become hierarchies.

    Parameters
    ----------
    measures : sequence of Measure
        Measures that the user requested.

    Returns
    -------
    bool
        True if there is a measure and every measure compares spans.
    """
    return bool(measures) and all("spans" in measure.kinds for measure in measures)


def spans_as_hierarchies(corpora: Sequence[Corpus]) -> tuple[list[Corpus], tuple[Excluded, ...]]:
    """Convert spans to hierarchies, for measures of hierarchies; coders of an item get the same length.

    Parameters
    ----------
    corpora : sequence of Corpus
        Corpora such as a reference and a hypothesis; corpora of other kinds do not change.

    Returns
    -------
    corpora : list of Corpus
        The corpora, without spans.
    excluded : tuple of Excluded
        Annotations that cannot be converted, because spans cross or have length 0.

    Raises
    ------
    SpansError
        If no annotation of a corpus can be converted.
    """
    if not any(corpus.kind == "spans" for corpus in corpora):
        return list(corpora), ()
    lengths: dict[str, float] = {}
    for corpus in corpora:
        for (item, _), annotation in corpus.items():
            if isinstance(annotation, Spans):
                lengths[item] = max(lengths.get(item, 0.0), annotation.length)
    excluded: list[Excluded] = []
    converted = [_as_hierarchies(corpus, lengths, excluded) if corpus.kind == "spans" else corpus for corpus in corpora]
    if excluded and not all(map(len, converted)):
        raise SpansError(str(excluded[0]))
    return converted, tuple(excluded)


def _as_hierarchies(corpus: Corpus, lengths: Mapping[str, float], excluded: list[Excluded]) -> Corpus:
    by_item: dict[str, dict[str, Annotation]] = {}
    for (item, coder), annotation in corpus.items():
        if not isinstance(annotation, Spans):
            by_item.setdefault(item, {})[coder] = annotation
            continue
        try:
            by_item.setdefault(item, {})[coder] = annotation.to_hierarchy(lengths[item])
        except InputError as error:
            excluded.append(Excluded(item, coder, str(error)))
    kept = {item: by_coder for item, by_coder in by_item.items() if by_coder}
    return Corpus(kept).with_source(corpus.source).with_origin(corpus)


# -- units and systems ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CommonUnits:
    """A corpus in which all coders of an item have the same units.

    Attributes
    ----------
    corpus : Corpus
        The corpus; timed hierarchies are converted to common units.
    boundaries : Corpus
        The same corpus as segmentations; hierarchies are flattened, with levels as boundary types.
    notes : tuple of str
        Messages about spans that were dropped, item by item.
    excluded : tuple of Excluded
        Items that have no common units.
    """

    corpus: Corpus
    boundaries: Corpus
    notes: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()


def measures_in_seconds(
    corpora: Sequence[Mapping[Any, Annotation]], requested: Sequence[Measure]
) -> tuple[Measure, ...]:
    """Return the requested measures that compare the tiers of some corpora in seconds, without units.

    Parameters
    ----------
    corpora : sequence of mapping
        Corpora such as a reference and a hypothesis, or the annotations of a system.
    requested : sequence of Measure
        Measures that the user requested.

    Returns
    -------
    tuple of Measure
        Measures of segments and distances, which need no units, and measures with an option in seconds, such as ``F1@0.5s``.
        Empty if a corpus has other annotations than tiers.
    """
    annotations = [annotation for corpus in corpora for annotation in corpus.values()]
    if not annotations or not all(map(tiers_of, annotations)):
        return ()
    return tuple(measure for measure in dict.fromkeys(requested) if compares_seconds(measure))


def measures_as_they_are(
    corpora: Sequence[Mapping[Any, Annotation]], requested: Sequence[Measure]
) -> tuple[Measure, ...]:
    """Return the measures that compare the annotations without conversion: tiers in seconds, or spans that may cross.

    Parameters
    ----------
    corpora : sequence of mapping
        Corpora, or annotations by any key.
    requested : sequence of Measure
        Measures that the user requested.

    Returns
    -------
    tuple of Measure
        Empty if a corpus has other annotations than tiers, or than spans.
    """
    if _axes_of_spans(corpora):
        return tuple(measure for measure in dict.fromkeys(requested) if "spans" in measure.kinds)
    return measures_in_seconds(corpora, requested)


def default_span_measures(
    task: str, corpora: Sequence[Mapping[Any, Annotation]], requested: tuple[Measure, ...]
) -> tuple[Measure, ...]:
    """Return the requested measures, or those that compare spans as they are if there are none and all data are spans.

    Parameters
    ----------
    task : str
        ``"judge"`` or ``"pairwise"``.
    corpora : sequence of mapping
        Corpora, or annotations by any key.
    requested : tuple of Measure
        Measures that the user requested.

    Returns
    -------
    tuple of Measure
        Empty if none was requested and there are other annotations than spans.
    """
    axes = _axes_of_spans(corpora)
    if requested or not axes:
        return requested
    return default_measures(task, "timed spans" if "seconds" in axes else "spans")


def _axes_of_spans(corpora: Sequence[Mapping[Any, Annotation]]) -> set[str]:
    """Return what the positions of spans count; empty if there are other annotations."""
    axes: set[str] = set()
    for corpus in corpora:
        for annotation in corpus.values():
            if not isinstance(annotation, Spans):
                return set()
            axes.add(annotation.axis)
    return axes


def with_units(corpora: Sequence[Corpus]) -> tuple[list[Corpus], tuple[Excluded, ...]]:
    """Convert tiers in seconds to segmentations, and spans to hierarchies; an item has the same units in all corpora.

    Parameters
    ----------
    corpora : sequence of Corpus
        Corpora such as a reference and a hypothesis; corpora without tiers and spans do not change.

    Returns
    -------
    corpora : list of Corpus
        The corpora, without tiers and spans.
    excluded : tuple of Excluded
        Items that cannot be converted.

    Raises
    ------
    TierError
        If no item of a corpus can be converted.
    """
    corpora, crossing = spans_as_hierarchies(corpora)
    if not any(tiers_of(annotation) for corpus in corpora for annotation in corpus.values()):
        return list(corpora), crossing
    errors: list[InputError] = []
    converted, notes = tiers_over_units(corpora, excluded=errors)
    for item, note in notes.items():
        warn(f"item {item!r}: {note}")
    if errors and not all(map(len, converted)):
        raise errors[0]
    return converted, (*crossing, *(Excluded(None, None, str(error)) for error in errors))


def systems_with_units(
    corpus: Corpus, systems: Mapping[str, Mapping[str, Annotation]], *, level: int | None = None
) -> tuple[Corpus, dict[str, dict[str, Annotation]], tuple[Excluded, ...]]:
    """Convert the tiers of human coders and systems to segmentations over the same units.

    Parameters
    ----------
    corpus : Corpus
        Annotations of the human coders.
    systems : mapping
        System -> item -> annotation.
    level : int, optional
        Level of hierarchies that becomes a segmentation (default: hierarchies do not change).

    Returns
    -------
    corpus : Corpus
        Annotations of the human coders, without tiers.
    systems : dict
        System -> item -> annotation, without tiers.
    excluded : tuple of Excluded
        Items that cannot be converted.
    """
    by_item: dict[str, dict[str, Annotation]] = {}
    for name, by_name in systems.items():
        for item, annotation in by_name.items():
            by_item.setdefault(item, {})[name] = annotation
    corpora, excluded = with_units([corpus, Corpus(by_item)])
    humans, programs = at_level(corpora, level)
    return humans, {name: programs.of_coder(name) if name in programs.coders else {} for name in systems}, excluded


def on_common_units(corpus: Corpus, *, warn: bool = True) -> CommonUnits:
    """Convert the hierarchies and tiers of a corpus to units that all coders of an item share.

    Parameters
    ----------
    corpus : Corpus
        Any corpus; a corpus without hierarchies and tiers does not change.
    warn : bool, default True
        Whether to issue the notes as warnings; they point to the line that called the task.

    Returns
    -------
    CommonUnits
        The corpus, and its boundaries.
    """
    (corpus,), excluded = with_units([corpus])
    if corpus.kind != "hierarchy":
        return CommonUnits(corpus, corpus, excluded=excluded)
    shared, notes = over_common_units(corpus)
    messages = tuple(f"item {item!r}: {note}" for item, note in notes.items())
    issue(messages if warn else ())
    return CommonUnits(shared, levels_as_types(shared), messages, excluded)


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
    human_corpus : Corpus
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
        for name in system_files[path].coders:
            if name in annotations:
                raise OptionError(f"system {name!r} occurs twice, the second time in {path}; rename one of them")
            by_item = system_files[path].of_coder(name)
            if len(by_item) == len(corpus.item_names) == 1:  # the names may differ if there is only one item
                by_item = dict(zip(corpus.item_names, by_item.values(), strict=True))
            annotations[name] = by_item
    return corpus.select(coders=human_coders(corpus, inside)), annotations


def human_coders(corpus: Corpus, systems: Collection[str]) -> tuple[str, ...]:
    """Return the coders of a corpus that are not systems.

    Parameters
    ----------
    corpus : Corpus
        Annotations of human coders and systems.
    systems : collection of str
        Names of the systems.

    Returns
    -------
    tuple of str
        The human coders.

    Raises
    ------
    OptionError
        If all coders are systems.
    """
    coders = tuple(coder for coder in corpus.coders if coder not in systems)
    if not coders:
        raise OptionError("at least one coder must be human; all coders of the corpus are systems")
    return coders
