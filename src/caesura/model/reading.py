"""The reading report: the content of files, and the role of each of their parts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import bincount, searchsorted
from caesura.model.result import HIDDEN, Result
from caesura.model.segmentation import UNTYPED
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.value import count_of, list_few

if TYPE_CHECKING:
    from caesura.model.corpus import Corpus, Source

# Above this number of items, a report has counts instead of one entry per item.
MAX_LISTED_ITEMS = 1000
_MAX_MESSAGES = 3  # of the same kind
_MAX_TYPES = 20  # more boundary types than this are implausible
_MAX_NAMES = 8  # names in one line of text
_MIN_USES = 2  # of each label, on average
_MIN_SCALE = 300  # ratio of times that may be in seconds and in milliseconds
_MIN_DEVIATIONS = 3  # standard deviations; a coder with inverted marks shares fewer boundaries than at random


@dataclass(frozen=True)
class ReadingReport(Result):
    """Content of the files of a corpus, and how it was read. As text, it is the line that commands print."""

    files: tuple[str, ...]
    format: str
    kind: str  # kind of data, as in ``Corpus.kind``
    # Item -> its length in units, or in seconds; with more than 1,000 items ``count``, ``min`` and ``max``.
    items: Mapping[str, float]
    coders: tuple[str, ...]
    # Item -> coder -> number of inner boundaries, spans or intervals; with more than 1,000 items as for ``items``.
    boundaries: Mapping[str, Any]
    types: tuple[str, ...]  # boundary types that occur or are declared
    roles: Mapping[str, str]
    ignored: tuple[str, ...]
    notes: tuple[str, ...]  # conversions and decisions of the reader
    warnings: tuple[str, ...]  # implausible properties of the data, which may show that a file was misread
    # Name of the parts that have roles: ``"column"``, ``"tier"`` or ``"field"``.
    part: str = field(default="field", metadata=HIDDEN)
    extent: float = field(default=0.0, metadata=HIDDEN)  # length of all items together, in units or in seconds
    unit: str = field(default="units", metadata=HIDDEN)  # what lengths count: units, seconds, characters or tokens

    def __str__(self) -> str:
        files = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        items = self.items["count"] if len(self.items) == 3 and "count" in self.items else len(self.items)
        coders = count_of(len(self.coders), "coder")
        facts = [
            count_of(int(items), "item"),
            f"{coders} ({list_few(self.coders, _MAX_NAMES)})" if self.coders else coders,
            f"{self.extent:.10g} {self.unit}",
        ]
        by_role: dict[str, list[str]] = {}
        for name, role in self.roles.items():
            by_role.setdefault(role, []).append(name)
        roles = [
            f"{role} in {self.part}{'s' if len(names) > 1 else ''} {list_few(names, _MAX_NAMES)}"
            for role, names in by_role.items()
        ]
        ignored = [f"ignored: {list_few(self.ignored, _MAX_NAMES)}"] if self.ignored else []
        return f"read {files} ({self.format}): {'; '.join([', '.join(facts), *roles, *ignored, *self.notes])}"

    @classmethod
    def of(cls, corpus: Corpus, source: Source) -> ReadingReport:
        by_item = {item: corpus.of_item(item) for item in corpus.item_names}
        boundaries = {
            item: {coder: number_of_boundaries(entry) for coder, entry in by_coder.items()}
            for item, by_coder in by_item.items()
        }
        lengths = {item: _item_length(by_coder.values()) for item, by_coder in by_item.items()}
        numbers = [number for by_coder in boundaries.values() for number in by_coder.values()]
        types, listed = _all_types(corpus), len(lengths) <= MAX_LISTED_ITEMS
        facts = {name: getattr(source, name) for name in ("files", "format", "part", "roles", "ignored", "notes")}
        return cls(
            kind=corpus.kind,
            items=lengths if listed else _extent(lengths.values()),
            coders=corpus.coders,
            boundaries=boundaries if listed else _extent(numbers),
            types=types,
            warnings=tuple(_implausible(corpus, boundaries, types, source.hint)),
            extent=sum(lengths.values()),
            unit=_unit(corpus),
            **facts,
        )


def _unit(corpus: Corpus) -> str:
    """Return what the lengths of annotations count."""
    units = set()
    for annotation in corpus.values():
        if annotation.tiers or (not isinstance(annotation, Dialogue) and annotation.axis.seconds):
            units.add("seconds")
        elif isinstance(annotation, Spans) and annotation.axis.tokens is not None:
            units.add("tokens" if annotation.text is None else "characters")
        else:
            units.add("units")
    return units.pop() if len(units) == 1 else "units"


def _extent(values: Iterable[float]) -> dict[str, float]:
    listed = list(values)
    return {"count": len(listed), "min": min(listed), "max": max(listed)}


def _item_length(annotations: Iterable[Annotation]) -> float:
    """Return the length of an item; an extent that only the coder's spans determine may be that of any coder."""
    first, *others = annotations
    if isinstance(first, Hierarchy) and first.axis.seconds:
        extents = [entry.axis.extent for entry in (first, *others) if isinstance(entry, Hierarchy)]
        return max(float(end - begin) for begin, end in extents)
    if isinstance(first, Spans) and first.bounds is None:
        return max(length_of(annotation) for annotation in (first, *others))
    return length_of(first)


def length_of(annotation: Annotation) -> float:
    if isinstance(annotation, Spans):
        extent = annotation.length
        return int(extent) if annotation.axis == "units" and extent % 1 == 0 else extent
    if tiers := annotation.tiers.values():
        return max(tier.end for tier in tiers) - min(tier.begin for tier in tiers)
    assert not isinstance(annotation, Tier)
    return annotation.length


def number_of_boundaries(annotation: Annotation) -> int:
    """Return the number of inner boundaries, spans, nodes or inner times of an annotation."""
    if annotation.texts:
        return sum(len(text.inner) for text in annotation.texts.values())
    if annotation.tiers:
        return sum(len(tier.rows) for tier in annotation.tiers.values())
    assert not isinstance(annotation, Tier)
    return len(annotation)


def _all_types(corpus: Corpus) -> tuple[str, ...]:
    names: dict[str | None, None] = {}
    for annotation in corpus.values():
        if isinstance(annotation, Spans):
            names |= dict.fromkeys(annotation.category_names)
        for text in annotation.texts.values():
            if text.types is not UNTYPED:
                names |= dict.fromkeys(text.types)
    return tuple(name for name in names if name is not None)


def _implausible(
    corpus: Corpus, boundaries: Mapping[str, Mapping[str, int]], types: Sequence[str], hint: str
) -> Iterator[str]:
    yield from _similar_names("items", corpus.item_names)
    yield from _similar_names("coders", corpus.coders)
    yield from _similar_names("boundary types and categories", types)
    yield from _similar_names("labels", _labels(corpus))
    yield from _mixed_kinds(corpus)
    yield from _repeated_spans(corpus)
    yield from _different_scales(corpus)
    if not any(entry.texts or _is_marked(entry) for entry in corpus.values()):
        return
    by_coder = corpus.by_coder()
    # How many boundaries each coder placed in texts with units, and how many positions these texts have.
    counts = dict.fromkeys(by_coder, (0, 0))
    for (item, coder), entry in corpus.items():
        if entry.texts:
            marks, places = counts[coder]
            places += sum(text.length - 1 for text in entry.texts.values())
            counts[coder] = marks + boundaries[item][coder], places
    yield from _inverted_coders(corpus, counts)
    advice = f"if that is wrong, change how the file is read with {hint}"
    yield from (f"{problem}; {advice}" for problem in _implausible_counts(corpus, boundaries, by_coder, counts))
    yield from (f"{problem}; {advice}" for problem in _implausible_types(corpus))


def _mixed_kinds(corpus: Corpus) -> Iterator[str]:
    others = dict.fromkeys(coder for (_, coder), entry in corpus.items() if not isinstance(entry, Spans))
    marked = dict.fromkeys(coder for (_, coder), entry in corpus.items() if isinstance(entry, Spans))
    if marked and others:
        kinds = f"spans of {list_few([*marked], _MAX_NAMES)}, other annotations of {list_few([*others], _MAX_NAMES)}"
        yield f"annotations of different kinds are read together: {kinds}; read them separately to compare them"


def _repeated_spans(corpus: Corpus) -> Iterator[str]:
    numbers: Counter[str] = Counter()
    for (_, coder), spans in corpus.items():
        if isinstance(spans, Spans):
            rows = zip(spans.starts.tolist(), spans.ends.tolist(), spans.categories, strict=True)
            numbers[coder] += len(spans) - len({*rows})
    repeated = [f"{number:,} of {coder}" for coder, number in numbers.items() if number]
    if repeated:
        listed = list_few(repeated, _MAX_MESSAGES)
        yield f"spans occur again with the same positions and category: {listed}; each of them counts"


def _different_scales(corpus: Corpus) -> Iterator[str]:
    """Yield a message for coders whose times are about 1000 times as large, or as small, as those of the others."""
    ratios: dict[str, list[float]] = {}
    if _unit(corpus) != "seconds":
        return
    for item in corpus.item_names:
        last = {coder: time for coder, entry in corpus.of_item(item).items() if (time := _last_time(entry)) > 0}
        if len(last) < 2 or max(last.values()) < _MIN_SCALE * min(last.values()):
            continue
        middle, total = float(np.median([*last.values()])), sum(last.values())
        for coder, time in last.items():
            ratios.setdefault(coder, []).append(time / (total - time if len(last) == 2 else middle))
    medians = {coder: float(np.median(values)) for coder, values in ratios.items()}
    large = [coder for coder, ratio in medians.items() if _MIN_SCALE <= ratio <= 10 * _MIN_SCALE]
    small = [coder for coder, ratio in medians.items() if _MIN_SCALE <= 1 / ratio <= 10 * _MIN_SCALE]
    word, coders = ("large", large) if large else ("small", small)
    if coders:
        who = list_few([*map(repr, coders)], _MAX_MESSAGES)
        yield f"times of {who} are about 1000 times as {word} as those of other coders; are some of them in milliseconds?"


def _last_time(annotation: Annotation) -> float:
    """Return the last time that a coder marked; 0 if there is none, or if positions are not in seconds."""
    if isinstance(annotation, Spans):
        return float(annotation.ends.max()) if annotation.axis == "seconds" and len(annotation) else 0.0
    return max((tier.rows[-1][-2] for tier in annotation.tiers.values() if tier.rows), default=0.0)


def _is_marked(annotation: Annotation) -> bool:
    """Return whether an annotation consists of spans, which may have categories or labels."""
    return isinstance(annotation, Spans | Hierarchy)


def _labels(corpus: Corpus) -> list[str]:
    counts: Counter[str] = Counter()
    for annotation in corpus.values():
        if isinstance(annotation, Hierarchy):
            counts.update(_categories(annotation))
        for text in annotation.texts.values():
            counts.update(text.labels or ())
    return list(counts) if counts.total() >= _MIN_USES * len(counts) else []


def _similar_names(what: str, names: Sequence[str]) -> Iterator[str]:
    first_of: dict[str, str] = {}
    pairs = []
    for name in names:
        first = first_of.setdefault(_spoken_name(name), name)
        if first != name:
            is_visible = unicodedata.normalize("NFC", first) != unicodedata.normalize("NFC", name)
            pairs.append(f"{first!r} and {name!r}" if is_visible else f"{first!a} and {name!a}")
    if pairs:
        problem = f"{what} whose names look alike or differ only by case are kept apart: {list_few(pairs, _MAX_NAMES)}"
        yield f"{problem}; if they are the same, rename them"


def _spoken_name(name: str) -> str:
    """Return a name without what nobody sees or says: case, blanks, invisible characters, full-width letters."""
    if name.isascii():
        return " ".join(name.split()).lower()
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return " ".join(visible.split()).casefold()


def _implausible_counts(
    corpus: Corpus,
    boundaries: Mapping[str, Mapping[str, int]],
    by_coder: Mapping[str, Mapping[str, Annotation]],
    counts: Mapping[str, tuple[int, int]],
) -> Iterator[str]:
    without = [coder for coder, (marks, places) in counts.items() if places and not marks]
    everywhere = [coder for coder, (marks, places) in counts.items() if marks == places > 1]
    yield from _of_coders(without, "no boundary")
    yield from _of_coders(everywhere, "a boundary at every position")
    # Coders that marked no span, if another coder marked one.
    numbers = {
        coder: sum(map(number_of_boundaries, entries.values()))
        for coder, entries in by_coder.items()
        if all(map(_is_marked, entries.values()))
    }
    yield from _of_coders(
        [coder for coder, n in numbers.items() if not n and any(numbers.values())], "no span in any item"
    )
    first_of_item = {item: corpus[item, next(iter(entries))] for item, entries in boundaries.items()}
    short = [item for item, entry in first_of_item.items() if entry.texts and length_of(entry) == 1]
    if short:
        yield f"{count_of(len(short), 'item')} with only one unit (first: {short[0]!r})"
    sizes = {coder: (len(entries), counts[coder]) for coder, entries in by_coder.items()}
    number_of = Counter(sizes.values())
    yield from _identical_coders({coder: by_coder[coder] for coder, size in sizes.items() if number_of[size] > 1})


def _inverted_coders(corpus: Corpus, counts: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Yield a message for coders whose boundaries are where the others have none, as if 0 and 1 were swapped."""
    # Such a coder has boundaries at more than half of the positions, the others at fewer than half. The coder shares fewer
    # boundaries with the others than at random, and the F-measure would be higher with the boundaries at the other positions.
    dense = [coder for coder, (marks, places) in counts.items() if places > marks > places / 2]
    # Equal boundaries, own boundaries, boundaries of others, and positions, over pairs with others.
    tallies = {coder: np.zeros(4) for coder in dense}
    marks, places = np.sum([entry for coder, entry in counts.items() if coder not in tallies] or [(0, 0)], axis=0)
    if not dense or not places or 2 * marks >= places:
        return
    for item in corpus.item_names:
        texts = {coder: entry.texts for coder, entry in corpus.of_item(item).items() if entry.texts}
        for stream in {stream: None for streams in texts.values() for stream in streams}:
            inner = {coder: streams[stream].inner for coder, streams in texts.items() if stream in streams}
            if len(inner) < 2 or not {*inner} & {*tallies}:
                continue
            positions, votes = np.unique(np.concatenate([*inner.values()]), return_counts=True)
            for coder in {*inner} & {*tallies}:
                own, pairs = inner[coder], len(inner) - 1
                shared = votes[searchsorted(positions, own)].sum() - len(own)
                number = texts[coder][stream].length - 1
                tallies[coder] += (shared, pairs * len(own), votes.sum() - len(own), pairs * number)
    inverted = []
    for coder, (hits, marked, others, possible) in tallies.items():
        # Hits at random have a binomial distribution: others * rate on average.
        rate = marked / possible if possible else 1.0
        is_rare = others * rate - hits > _MIN_DEVIATIONS * (others * rate * (1 - rate)) ** 0.5
        if is_rare and hits / (marked + others) < (others - hits) / (possible - marked + others):
            inverted.append(coder)
    problem = "more than half of the positions, but rarely where the others do; perhaps 0 and 1 are swapped"
    yield from _of_coders(inverted, problem, "marks", "mark")


def _of_coders(coders: Sequence[str], what: str, verb: str = "has", plural: str = "have") -> Iterator[str]:
    if len(coders) > _MAX_MESSAGES:
        yield f"{len(coders)} coders {plural} {what}: {list_few([*map(repr, coders)], _MAX_MESSAGES)}"
    else:
        yield from (f"coder {coder!r} {verb} {what}" for coder in coders)


def _identical_coders(by_coder: Mapping[str, Mapping[str, Annotation]]) -> Iterator[str]:
    by_content: dict[Any, str] = {}
    pairs = []
    for coder, entries in by_coder.items():
        first = by_content.setdefault(frozenset(entries.items()), coder)
        if first != coder:
            pairs.append((first, coder))
    if len(pairs) > _MAX_MESSAGES:
        first, second = pairs[0]
        yield f"{len(pairs)} coders have the same annotations as another coder (first: {first!r} and {second!r})"
    else:
        yield from (f"coders {first!r} and {second!r} have identical annotations everywhere" for first, second in pairs)


def _implausible_types(corpus: Corpus) -> Iterator[str]:
    boundary_types: dict[str, Counter[str]] = {}
    categories: dict[str, Counter[str]] = {}
    for (_, coder), annotation in corpus.items():
        for text in annotation.texts.values():
            if text.types is not UNTYPED:
                numbers = bincount(text.codes, minlength=len(text.types)).tolist()
                used = {name: number for name, number in zip(text.types, numbers, strict=True) if number}
                boundary_types.setdefault(coder, Counter()).update(used)
        if _is_marked(annotation):
            categories.setdefault(coder, Counter()).update(_categories(annotation))
    yield from _implausible_names(boundary_types, "boundary types")
    if corpus.holds(Spans):
        yield from _implausible_names(categories, "categories")
    else:
        yield from _types_of_one_coder(categories, "labels")


def _categories(annotation: Annotation) -> Iterator[str]:
    if isinstance(annotation, Spans):
        yield from (name for name in annotation.categories if name is not None)
    elif isinstance(annotation, Hierarchy):
        yield from (span.label for span in annotation.spans if span.label is not None)


def _implausible_names(counts: Mapping[str, Counter[str]], what: str) -> Iterator[str]:
    """Yield messages about types or categories that are too many, too rare, or used by one coder only."""
    total = sum(counts.values(), Counter[str]())
    if len(total) > _MAX_TYPES:
        yield f"there are {len(total)} {what}"
    elif len(total) > 2 and sum(number == 1 for number in total.values()) > len(total) / 2:
        yield f"most of the {len(total)} {what} occur only once"
    yield from _types_of_one_coder(counts, what)


def _types_of_one_coder(counts: Mapping[str, Counter[str]], what: str) -> Iterator[str]:
    users = Counter(name for counter in counts.values() for name in counter)
    for coder, counter in counts.items():
        others = any(name not in counter or users[name] > 1 for name in users)
        if counter and others and all(users[name] == 1 for name in counter):
            yield f"coder {coder!r} uses {what} that no other coder uses: {list_few(sorted(counter), _MAX_NAMES)}"
