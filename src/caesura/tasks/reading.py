"""Reading files with the options of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionConflictError, OptionError
from caesura.formats import NAMES, detect, find, is_collection, read_beginning, read_coders, read_together
from caesura.formats.ptb import read_trees
from caesura.formats.settings import Settings, read_settings
from caesura.measures.base import Measure
from caesura.measures.recipes import recipe_of, recipes
from caesura.model.corpus import Corpus, Source, tiers_where_mixed
from caesura.model.dialogue import Annotation
from caesura.model.plain import to_json
from caesura.model.projection import ALIGNMENTS
from caesura.model.reading import ReadingReport
from caesura.model.result import Excluded
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.options import OptionSet, choice, setting, switch, text
from caesura.options import path as path_name


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
    """Options for reading files, and the corpora and errors of all files read with them."""

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
    errors: list[FormatError] = field(default_factory=list)  # filled by the reading methods
    # The corpora, one per file or group of files; filled by the reading methods.
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
            words += ["--reading", f"{name}={value if isinstance(value, str) else to_json(value)}"]
        return words + ["--ignore-text"] * self.ignore_text + ["--align-all"] * self.align_all

    @property
    def alignment(self) -> dict[str, Any]:
        if self.ignore_text and self.align not in (None, "positions"):
            raise OptionConflictError(f"--ignore-text and --align {self.align} exclude each other; remove one of them")
        if self.align_all and self.align is None:
            raise OptionConflictError("--align-all needs --align")
        return {"align": "positions" if self.ignore_text else self.align, "align_all": self.align_all}

    @cached_property
    def settings(self) -> Settings | None:
        return None if self.settings_file is None else read_settings(self.settings_file)

    def read(self, paths: Sequence[str]) -> Corpus:
        """Read one corpus from a file, a folder, a glob, or one file or folder per coder."""
        if len(paths) == 1:
            return self.read_separately(paths)[0]
        if self.pattern is not None:
            raise OptionConflictError("--pattern applies to the files of one folder or glob; got several files")
        if all(map(os.path.isdir, paths)):
            corpora = read_together(paths, **self._arguments(paths[0]))
            return self._collect([_merge_folders(paths, corpora)])[0]
        listed = [[file.path for file in find(path, self.format)] if is_collection(path) else [path] for path in paths]
        files = [path for group in listed for path in group]
        return self._collect([read_coders(files, **self._arguments(files[0]))])[0]

    def read_in_seconds(self, paths: Sequence[str]) -> Corpus:
        """Read one corpus as ``read`` does, but keep tiers in seconds, so that results can have times."""
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
        return Tier in file_format.annotation_types and any(option.name == "units" for option in file_format.options)

    def read_beginning(self, path: str) -> Corpus | None:
        if self.alignment["align"] is not None or self.pattern is not None or self.settings_file is not None:
            return None
        corpus = read_beginning(path, self.format, types=self.types, **self.options)
        return None if corpus is None else self._collect([corpus])[0]

    def read_separately(self, paths: Sequence[str]) -> list[Corpus]:
        """Read each file as a separate corpus; all corpora have the same units."""
        return self._collect(read_together(paths, pattern=self.pattern, **self._arguments(paths[0])))

    def read_with_systems(self, paths: Sequence[str], systems: Sequence[str]) -> tuple[Corpus, dict[str, Corpus]]:
        """Read the corpus of the human coders, and the files among ``systems``."""
        files = [path for path in dict.fromkeys(systems) if Path(path).exists()]
        if len(paths) == 1:
            corpus, *system_corpora = self.read_separately([*paths, *files])
        else:
            corpus = self.read(paths)
            system_corpora = self.read_separately(files) if files else []
        return corpus, dict(zip(files, system_corpora, strict=True))

    def with_options(self, **options: Any) -> ReadingOptions:
        defaults = [(name, value) for name, value in options.items() if name not in self.options]
        return replace(self, format_options=(*self.format_options, *defaults))

    def accepts(self, path: str, option: str) -> bool:
        try:
            files = [file.path for file in find(path, self.format, self.pattern)] if is_collection(path) else [path]
            return any(entry.name == option for file in files for entry in detect(file, self.format).options)
        except FormatError:
            return False

    def for_presets(
        self, paths: Iterable[str], measures: Iterable[Measure], preset: str | None = None
    ) -> ReadingOptions:
        """Return a copy that reads files as the presets of measures need it."""
        chosen = [recipe_of(measure.name, preset or measure.compat) for measure in measures]
        chosen = chosen or [recipes().get(preset or "")]
        needed = {name: value for recipe in chosen if recipe for name, value in recipe.reading.items()}
        return self.with_options(
            **{name: value for name, value in needed.items() if all(self.accepts(path, name) for path in paths)}
        )

    @property
    def reports(self) -> tuple[ReadingReport, ...]:
        return tuple(report for report in (corpus.reading for corpus in self.corpora) if report is not None)

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        return tuple(Excluded(None, None, message) for message in dict.fromkeys(map(str, self.errors)))

    def require(self, corpus: Corpus, purpose: str) -> Corpus:
        """Return a corpus that was read, or raise an error if it is empty."""
        if corpus:
            return corpus
        if len(self.errors) == 1:
            raise self.errors[0]
        raise OptionError(f"there is nothing to {purpose}: no annotation could be read")

    def _collect(self, corpora: list[Corpus]) -> list[Corpus]:
        """Store the corpora, announce each of them, and return them. Tiers and .lab files together become tiers."""
        corpora = tiers_where_mixed(corpora)
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
    """Read the trees of a file, or of all files of a folder or glob, one after the other."""
    files = tuple(sorted(file.path for file in find(path, "ptb"))) if is_collection(path) else (path,)
    if len(files) > 1 and times is not None:
        raise FormatError(path, None, f"times belong to one file of trees; this is {len(files)} files")
    return [tree for name in files for tree in read_trees(name, times=times, **options)], files


def _merge_folders(paths: Sequence[str], corpora: Sequence[Corpus]) -> Corpus:
    """Return one corpus from several folders, such as one per coder."""
    keys = [key for corpus in corpora for key in corpus]
    same_item = all(len(corpus) == 1 for corpus in corpora) and len(dict(keys)) > 1  # one file per folder
    name_coders = not same_item and len(set(keys)) == len(keys)
    annotations: dict[str, dict[str, Annotation]] = {}
    for path, corpus in zip(paths, corpora, strict=True):
        folder = None if name_coders or len(corpus.coders) > 1 else Path(os.path.abspath(path)).name
        for (name, own_coder), annotation in corpus.items():
            item, coder = keys[0][0] if same_item else name, folder or own_coder
            if coder in annotations.setdefault(item, {}):
                problem = f"item {item!r} of coder {coder!r} is in another folder too"
                hint = "read the folder above them, with --pattern if the names do not tell item and coder"
                raise FormatError(path, None, f"{problem}; {hint}")
            annotations[item][coder] = annotation
    sources = [corpus.source for corpus in corpora if corpus.source is not None]
    return Corpus(annotations).with_source(Source.merge(sources))
