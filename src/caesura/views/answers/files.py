"""Sentences about files, lists of measures and formats, and excluded items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from caesura.model.result import Excluded
from caesura.model.value import count_of, list_few
from caesura.views.answers.words import MAX_NAMES, join

if TYPE_CHECKING:  # commands with other results must not import these
    from caesura.model.corpus import Corpus
    from caesura.tasks.files import FileInfo

_MAX_LISTED = 3  # excluded items with the same reason that are listed one by one


def excluded_lines(entries: Iterable[object]) -> list[str]:
    """Return what was excluded, with one line for many items that one coder or system lacks for the same reason."""
    groups: dict[tuple[str | None, str], list[Excluded]] = {}
    listed = list(dict.fromkeys(entries))
    for entry in listed:
        if isinstance(entry, Excluded) and entry.item is not None:
            groups.setdefault((entry.coder, entry.reason), []).append(entry)
    lines: dict[str, None] = {}
    for entry in listed:
        group = groups.get((entry.coder, entry.reason), []) if isinstance(entry, Excluded) and entry.item else []
        line = str(entry)
        if len(group) > _MAX_LISTED:
            items = f"{len(group):,} items ({', '.join(str(entry.item) for entry in group[:3])}, ...)"
            coder = "" if group[0].coder is None else f"coder {group[0].coder!r}, "
            line = f"{coder}{items}: {group[0].reason}"
        lines[line] = None
    return list(lines)


def info_answer(info: FileInfo) -> str:
    corpus = info.corpus
    formats = ", ".join(f"{name} ({n})" if info.files > 1 else name for name, n in info.formats.items())
    items = count_of(len(corpus.item_names), "item")
    coders = f"{count_of(len(corpus.coders), 'coder')} ({list_few(corpus.coders, MAX_NAMES)})"
    verb = "have" if ", " in info.path else "has"
    text = f"{info.path} ({formats}) {verb} {items} ({list_few(corpus.item_names, MAX_NAMES)}) of {coders}."
    if info.rows is None:
        return text
    rows, total = info.rows
    return f"{text} These are estimates from the first {rows:,} of {total:,} rows; --exact reads all of them."


def written_answer(corpus: Corpus, target: str) -> str:
    coders = f"{count_of(len(corpus.coders), 'coder')} ({list_few(corpus.coders, MAX_NAMES)})"
    return f"Wrote {target}: {count_of(len(corpus.item_names), 'item')} of {coders}."


def list_answer(what: str, count: int) -> str:
    return f"{count} {what}; `caesura {what} NAME` shows one with its options and an example."


_KINDS = {
    "linear": "segmentations",
    "dialogue": "dialogues",
    "timed": "tiers",
    "hierarchy": "hierarchies",
    "spans": "spans",
    "trees": "trees",
}


def measure_answer(name: str, facts: Mapping[str, Any]) -> str:
    aliases = [alias for alias in facts["aliases"] if alias not in (name, facts["label"])]
    names = join([facts["label"], f"{name} in Python", *aliases])
    compared = f"It compares {join(_KINDS[kind] for kind in facts['compares'])}"
    limits = [f"{facts[key]:g} is {key}" for key in ("best", "worst") if facts[key] is not None]
    sentences = [f"{facts['title']}.", f"{'; '.join([compared, *limits])}.", f"Names: {names}."]
    if facts["coefficients"]:
        chance = f" with chance {join(facts['chance'])}" if len(facts["chance"]) > 1 else ""
        sentences.append(f"Coefficients of agreement: {join(facts['coefficients'])}{chance}.")
    return " ".join(sentences)


def format_answer(name: str, facts: Mapping[str, Any], suffixes: str) -> str:
    access = "reads and writes" if facts["writes"] else "reads"
    files = f" in files with the suffix {suffixes}" if suffixes else ""
    needs = f" It needs caesura[{facts['extra']}]." if facts["extra"] else ""
    return f"{name}: {facts['description']}. caesura {access} it{files}.{needs}"
