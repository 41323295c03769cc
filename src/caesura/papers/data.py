"""Data of the papers that do not ship with the package: what they are, where they can be had, and how they are found."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionError
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

_MAX_FILES = 100_000


@dataclass(frozen=True, slots=True)
class DataSet:
    """A corpus that an entry needs."""

    file: str  # name of the file that contains it
    description: str  # what it is and where it can be had
    module: str = ""  # python package that contains it too


MOONSTONE = DataSet(
    "moonstone_kazantseva2012.json",
    "eight chapters of The Moonstone (Kazantseva & Szpakowicz 2012), in the package segeval: pip install segeval",
    "segeval",
)
KUBLA_KHAN = DataSet(
    "kubla_khan_fournier2013.json",
    "nine readers of Kubla Khan (Fournier 2013), in the repository segmentation.corpora of its author",
)
CONVERSATIONS = DataSet(
    "nccu.jsonl",
    "three conversations of the NCCU corpus with two transcribers (Lai & Li 2023), in the R package segsimflex",
)
NATURAL_STORIES = DataSet(
    "ns_aligned_200.jsonl", "200 parsed sentences of the Natural Stories corpus with the times of their words"
)
TWO_PARSERS = DataSet(
    "gum_two_parsers", "sentences of the GUM corpus as two parsers analysed them, in the history of its repository"
)
SPAM = DataSet("spam_12tracks_5annotators.json", "twelve tracks of the SPAM corpus with five annotators, in msaf-data")


class Data:
    """A folder with corpora."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise OptionError(f"--data: {os.fspath(folder)!r} is not a folder")
        self.folder = None if folder is None else Path(folder)

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """File and folder names -> the first path with this name."""
        paths: dict[str, Path] = {}
        for path in self._walk():
            paths.setdefault(path.name, path)
        return paths

    def _walk(self) -> Iterator[Path]:
        if self.folder is None:
            return
        count = 0
        for folder, folders, files in os.walk(self.folder):
            folders.sort()
            for name in sorted([*folders, *files]):
                yield Path(folder, name)
                count += 1
                if count > _MAX_FILES:
                    raise OptionError(
                        f"--data: {self.folder} has more than {_MAX_FILES:,} files; name a smaller folder"
                    )

    def has(self, data_set: DataSet) -> bool:
        """Return whether a corpus is available."""
        return self.in_folder(data_set) or bool(data_set.module and _is_installed(data_set.module))

    def in_folder(self, data_set: DataSet) -> bool:
        """Return whether the folder has a corpus."""
        return data_set.file in self._paths

    def path(self, data_set: DataSet) -> Path:
        """Return the path of a corpus."""
        if not self.in_folder(data_set):
            raise OptionError(f"{data_set.file} was not found; it contains {data_set.description}")
        return self._paths[data_set.file]

    def json(self, data_set: DataSet) -> Any:
        """Return the JSON in a corpus file."""
        path = self.path(data_set)
        try:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".jsonl":
                return [json.loads(line) for line in text.splitlines() if line.strip()]
            return json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            raise FormatError(path, None, f"expected {data_set.description}; {error}") from None


def _is_installed(module: str) -> bool:
    return module in sys.modules or importlib.util.find_spec(module) is not None


def moonstone(data: Data) -> dict[str, Corpus]:
    """Return the two groups of coders of The Moonstone whose segmentations are free."""
    if data.in_folder(MOONSTONE):
        groups = data.json(MOONSTONE)["groups"]
    else:
        samples = import_module("segeval.data.samples")
        groups = {name: getattr(samples, name) for name in ("KAZANTSEVA2012_G2", "KAZANTSEVA2012_G5")}
    return {name.rpartition("_")[2]: _from_masses(items) for name, items in sorted(groups.items())}


def _from_masses(items: Mapping[str, Mapping[str, Any]]) -> Corpus:
    by_chapter = sorted(items, key=lambda name: int(name.removeprefix("ch")))
    return Corpus(
        {
            item: {coder: Segmentation.from_masses(masses) for coder, masses in sorted(items[item].items())}
            for item in by_chapter
        }
    )


def segmentations_of(corpus: Corpus) -> dict[tuple[str, str], Segmentation]:
    return {key: annotation for key, annotation in corpus.items() if isinstance(annotation, Segmentation)}
