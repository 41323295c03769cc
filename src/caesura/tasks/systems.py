"""Separating systems from human coders."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.result import Excluded
from caesura.tasks.units import at_level, with_units


def systems_with_units(
    corpus: Corpus, systems: Mapping[str, Mapping[str, Annotation]], *, level: int | None = None
) -> tuple[Corpus, dict[str, dict[str, Annotation]], tuple[Excluded, ...]]:
    """Convert the tiers of human coders and systems to segmentations over the same units."""
    by_item: dict[str, dict[str, Annotation]] = {}
    for name, by_name in systems.items():
        for item, annotation in by_name.items():
            by_item.setdefault(item, {})[name] = annotation
    corpora, excluded = with_units([corpus, Corpus(by_item)], needs_lengths=True)
    humans, programs = at_level(corpora, level)
    return humans, {name: programs.of_coder(name) if name in programs.coders else {} for name in systems}, excluded


def split_systems(
    corpus: Corpus, systems: Sequence[str], system_files: Mapping[str, Corpus]
) -> tuple[Corpus, dict[str, dict[str, Annotation]]]:
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
    coders = tuple(coder for coder in corpus.coders if coder not in systems)
    if not coders:
        raise OptionError("at least one coder must be human; all coders of the corpus are systems")
    return coders
