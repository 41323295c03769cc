"""Which tier of a file contains the words, and which tiers belong to coders.

A tier is recognised by its content, and its name is evidence. If two readings of the tiers are plausible, reading stops
with an error that lists the tiers and, for each of them, the command that chooses it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from caesura.errors import AmbiguousFileError
from caesura.formats.format import Reading
from caesura.formats.timed import FileTier, IntervalRow
from caesura.formats.values import list_names, matches
from caesura.model.common_units import DEFAULT_TOLERANCE
from caesura.model.value import count_of


def _names_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD_NAMES = _names_in("word words wrd wrds ort orth token tokens tok mot mots wort wörter woerter palabras")
_SOUND_NAMES = _names_in(
    "phone phones phon phons phoneme phonemes phonetic sound sounds syllable syllables syl syls silbe silben laut laute "
    "mau kan vowel vowels"
)
_CONTENT_NAMES = _names_in(
    "iu ius ip ips phrase phrases utterance utterances utt turn turns topic topics tone tones break breaks bi pitch f0 "
    "accent accents stress error errors comment comments note notes misc remark remarks language lang type types kind "
    "marker markers chunk chunks gloss glosses translation translations pos tag tags lemma lemmas sentence sentences "
    "clause clauses discourse function functions gesture gestures gaze head hand section sections story scene scenes "
    "emotion silence silences pause pauses mute text texts label labels tier tiers level levels default prosody act acts "
    "transcription transcript orthography morph morphs morpheme morphemes segment segments boundary boundaries "
    "phase phases stroke event events"
)
_CODER_NAMES = _names_in(
    "coder annotator rater labeler labeller transcriber judge observer annotateur codierer annotierer"
)
_SILENCE = frozenset(("sil", "sp", "spn", "<sil>", "<p:>", "<p>", "#", "##", "pau", "silence", "<silence>", "_"))
_PART = re.compile(r"[^\W\d_]+|\d+")
_CAMEL_CASE = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_MIN_WORDS = 4  # fewer intervals are not evidence for a word tier without a name
_MAX_LISTED = 20  # tiers in an error
_MAX_NAME = 200  # characters of a tier that can be chosen
_MAX_TIERS = 200  # in a file with more tiers, the word tier must be named


def _matching(
    reading: Reading, tiers: Sequence[FileTier], patterns: Sequence[str], word_tier: FileTier | None
) -> list[FileTier]:
    for pattern in patterns:
        if not any(matches(tier.name, [pattern]) for tier in tiers):
            raise reading.error(None, f"tiers: {pattern!r} must match a tier; the tiers are {_tier_names(tiers)}")
    return [tier for tier in tiers if tier is not word_tier and matches(tier.name, patterns)]


def choose_tiers(reading: Reading, tiers: Sequence[FileTier]) -> tuple[list[FileTier], FileTier | None]:
    # The word tier is the one that the option ``words`` names. Otherwise it is a tier whose intervals refine all other tiers
    # (except tiers of sounds or syllables) and whose labels are mostly different short words; a name such as ``words`` or
    # ``ort`` is evidence too. If one other tier is left, it is the segmentation. If several are left, they are coders if their
    # names differ only by the name of a coder, the tiers cover the same stretches of time and, unless the names have a common
    # part, use the same labels.
    words = reading.options["words"]
    word_tier = None if words is None else find_word_tier(reading, tiers, words)
    if reading.options["tiers"] is None:
        word_tier = word_tier or _detect_words(reading, tiers)
        chosen = _segmentations(reading, tiers, word_tier)
    else:
        chosen = _matching(reading, tiers, reading.options["tiers"], word_tier)
        word_tier = word_tier or _words_for(reading, chosen, [tier for tier in tiers if tier not in chosen])
    if not chosen:
        raise reading.error(None, f"expected a tier besides the words; the tiers are {_tier_names(tiers)}")
    if reading.options["coder"] is not None and len(chosen) > 1:
        raise reading.error(None, f"with coder=..., expected one tier; choose with tiers=...: {_tier_names(chosen)}")
    _report(reading, tiers, chosen, word_tier)
    return chosen, word_tier


def find_word_tier(reading: Reading, tiers: Sequence[FileTier], name: str | None) -> FileTier:
    interval_tiers = [tier for tier in tiers if tier.points is None]
    word_tiers = [tier for tier in interval_tiers if name in (None, tier.name)]
    if len(word_tiers) != 1:
        expected = "expected one interval tier" if name is None else f"expected one interval tier named {name!r}"
        raise reading.error(None, f"{expected}, for the words; the interval tiers are {_tier_names(interval_tiers)}")
    return word_tiers[0]


def _tier_names(tiers: Sequence[FileTier]) -> str:
    return list_names(tier.name for tier in tiers)


def _report(reading: Reading, tiers: Sequence[FileTier], chosen: list[FileTier], words: FileTier | None) -> None:
    for tier in tiers:
        if tier is words:
            reading.roles[tier.name] = "words"
        elif tier in chosen:
            reading.roles[tier.name] = "segments"
        else:
            reason = "points" if tier.points is not None else "finer than the words"
            reason = reason if reading.options["tiers"] is None else "not chosen"
            reading.ignored.append(f"{tier.name[:80]} ({reason})")
    _note_silence(reading, [*chosen, *([] if words is None else [words])])


def _note_silence(reading: Reading, tiers: Sequence[FileTier]) -> None:
    silent = dict.fromkeys(row.label for tier in tiers for row in _labelled(reading, tier) if row.label in _SILENCE)
    if silent:
        listed = ", ".join(silent)
        reading.notes.append(
            f"labels that often mean silence are segments: {listed} (--reading silence=... omits them)"
        )


def _detect_words(reading: Reading, tiers: Sequence[FileTier]) -> FileTier | None:
    filled = _labelled_intervals(reading, tiers)
    points = sum(tier.points is not None for tier in tiers)
    if not 2 <= len(filled) + points <= _MAX_TIERS:
        return None
    by_name = [tier for tier in filled if _is_word_name(tier.name)]
    for group, evidence in ((by_name, True), (by_name or _without_sounds(filled), False)):
        fitting = [tier for tier in group if _is_word_tier(reading, tier, filled, has_word_name=evidence)]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _labelled_intervals(reading: Reading, tiers: Iterable[FileTier]) -> list[FileTier]:
    return [tier for tier in tiers if tier.points is None and any(_labelled(reading, tier))]


def _without_sounds(tiers: Iterable[FileTier]) -> list[FileTier]:
    return [tier for tier in tiers if not _is_sound_name(tier.name)]


def _words_for(reading: Reading, chosen: Sequence[FileTier], unchosen: Sequence[FileTier]) -> FileTier | None:
    """Return the word tier among the tiers that the user did not choose, if it refines the chosen tiers."""
    words = _detect_words(reading, [*unchosen, *chosen]) if chosen else None
    if words is None or any(tier is words for tier in chosen):
        return None
    fits = all(_refines(reading, words, tier) >= 0.8 for tier in chosen)
    return words if fits else None


def _is_word_tier(reading: Reading, tier: FileTier, filled: Sequence[FileTier], *, has_word_name: bool) -> bool:
    """Return whether a tier refines all other tiers and its labels are words; a name is evidence for the latter."""
    if not has_word_name and not _has_words(reading, tier):
        return False
    coarser = _not_finer_than(reading, tier, filled)
    if has_word_name:
        return all(_refines(reading, tier, other) >= 0.8 for other in coarser)
    most_labels = max((len(_labelled(reading, other)) for other in coarser), default=math.inf)
    return len(_labelled(reading, tier)) > most_labels and all(_refines(reading, tier, other) == 1 for other in coarser)


def _has_words(reading: Reading, tier: FileTier) -> bool:
    """Return whether the labels of a tier are mostly different short words."""
    labels = [row.label.strip() for row in _labelled(reading, tier) if row.label not in _SILENCE]
    distinct = set(labels)
    words = sum(bool(_PART.search(label)) and not re.search(r"\s", label) for label in labels)
    long_enough = sum(map(len, labels)) >= 2 * len(labels)
    varied = len(distinct) > 20 or 2 * len(distinct) >= len(labels)
    return len(labels) >= _MIN_WORDS and words >= 0.8 * len(labels) and long_enough and varied


def _is_finer(reading: Reading, tier: FileTier, words: FileTier) -> bool:
    """Return whether a tier divides the words further, such as a tier of sounds."""
    finer = len(_labelled(reading, tier)) > len(_labelled(reading, words))
    return _is_sound_name(tier.name) or (
        finer and _refines(reading, tier, words) == 1.0 and not _has_words(reading, tier)
    )


def _is_word_name(name: str) -> bool:
    return not _WORD_NAMES.isdisjoint(_parts(name))


def _not_finer_than(reading: Reading, words: FileTier, tiers: Iterable[FileTier]) -> list[FileTier]:
    """Return the tiers, except the words themselves, that do not divide the words further."""
    return [tier for tier in tiers if tier is not words and not _is_finer(reading, tier, words)]


def _is_sound_name(name: str) -> bool:
    return not _SOUND_NAMES.isdisjoint(_parts(name)) and not _is_word_name(name)


def _refines(reading: Reading, tier: FileTier, other: FileTier) -> float:
    """Return the share of edges of ``other`` that are edges of ``tier`` or lie where ``tier`` has no label."""
    rows = sorted(_labelled(reading, tier), key=lambda row: row.start)
    edges = _edges(reading, other)
    starts, ends = [row.start for row in rows], sorted(row.end for row in rows)
    times = sorted({*starts, *ends})
    fitting = 0
    for edge in edges:
        i = bisect_left(times, edge - DEFAULT_TOLERANCE)
        near = i < len(times) and times[i] <= edge + DEFAULT_TOLERANCE
        fitting += near or bisect_right(starts, edge) == bisect_left(ends, edge)
    return fitting / len(edges) if edges else 1.0


def _edges(reading: Reading, tier: FileTier) -> list[float]:
    edges = [edge for row in _labelled(reading, tier) for edge in (row.start, row.end)]
    return edges + [point.time for point in tier.points or ()]


def _labelled(reading: Reading, tier: FileTier) -> list[IntervalRow]:
    return [row for row in tier.rows if row.label.strip() and row.label not in reading.options["silence"]]


def _parts(name: str) -> list[str]:
    """Return the words and numbers in a name: ``["tonic", "vowel"]`` for ``tonicVowel``."""
    return [part.casefold() for part in _PART.findall(_CAMEL_CASE.sub(" ", name))]


def _segmentations(reading: Reading, tiers: Sequence[FileTier], words: FileTier | None) -> list[FileTier]:
    """Return the tiers that are segmentations, one per coder; raise an error if that is not clear."""
    annotations = [tier for tier in tiers if tier is not words]
    if not annotations:
        return []
    candidates = _possible_segmentations(reading, annotations, words)
    if not candidates:
        finer = f"the words and the tiers that divide words further, {_tier_names(annotations)}"
        raise AmbiguousFileError(
            reading.path, f"no tier besides {finer}; choose a tier", _choices(reading, tiers, candidates)
        )
    named_coders = reading.options.get("coders", "tier") != "tier"
    if len(candidates) == 1 or named_coders or _are_coders(reading, candidates):
        return candidates
    problem = f"several tiers could be the segmentation: {_tier_names(candidates)}; choose one, or one tier per coder"
    raise AmbiguousFileError(reading.path, problem, _choices(reading, annotations, candidates))


def _possible_segmentations(reading: Reading, tiers: list[FileTier], words: FileTier | None) -> list[FileTier]:
    """Return the interval tiers that do not divide the words further, or the point tiers if there are no others."""
    intervals = [tier for tier in tiers if tier.points is None]
    if words is None or not intervals:
        return intervals or tiers
    return _not_finer_than(reading, words, intervals)


def _choices(
    reading: Reading, tiers: Sequence[FileTier], coders: Sequence[FileTier]
) -> Iterator[tuple[str, dict[str, Any]]]:
    if 1 < len(coders) <= _MAX_LISTED and all(len(tier.name) <= _MAX_NAME for tier in coders):
        yield "one coder per tier", {"tiers": [tier.name for tier in coders]}
    for tier in [tier for tier in tiers if len(tier.name) <= _MAX_NAME][:_MAX_LISTED]:
        number = len(_labelled(reading, tier)) if tier.points is None else len(tier.points)
        kind = "interval" if tier.points is None else "point"
        yield f"tier {tier.name[:80]}, {count_of(number, kind)}", {"tiers": tier.name}


def _are_coders(reading: Reading, tiers: Sequence[FileTier]) -> bool:
    """Return whether tiers are the same annotation by different coders."""
    common, different = _split_names([_parts(tier.name) for tier in tiers])
    if not _tell_coders_apart(common, different):
        return False
    filled = [tier for tier in tiers if _labelled(reading, tier)]
    same_time = all(_share_time(reading, filled[0], tier) for tier in filled[1:])
    return same_time and (bool(common) or _share_labels(reading, filled))


def _tell_coders_apart(common: Sequence[str], different: Sequence[Sequence[str]]) -> bool:
    """Return whether the parts in which names differ may name coders: all differ, and none of them names content."""
    # Numbers name coders only if a word such as ``coder`` stands beside them.
    if not all(different) or len(set(map(tuple, different))) < len(different):
        return False
    differing = {part for parts in different for part in parts}
    if differing & (_WORD_NAMES | _SOUND_NAMES | _CONTENT_NAMES):
        return False
    numbered = any(part.isdecimal() for part in differing)
    return not numbered or not _CODER_NAMES.isdisjoint(differing.union(common))


def _split_names(names: Sequence[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the parts at the beginning and end that all names have, and the other parts of each name."""
    shortest = min(map(len, names))
    first = next((i for i in range(shortest) if len({name[i] for name in names}) > 1), shortest)
    remaining = shortest - first
    last = next((i for i in range(remaining) if len({name[-1 - i] for name in names}) > 1), remaining)
    common = names[0][:first] + names[0][len(names[0]) - last :]
    return common, [name[first : len(name) - last] for name in names]


def _share_time(reading: Reading, first: FileTier, second: FileTier) -> bool:
    """Return whether two tiers overlap for at least half of the shorter one, unlike the turns of two speakers."""
    a, b = (sorted(_labelled(reading, tier), key=lambda row: row.start) for tier in (first, second))
    common, i, j = 0.0, 0, 0
    while i < len(a) and j < len(b):
        common += max(0.0, min(a[i].end, b[j].end) - max(a[i].start, b[j].start))
        if a[i].end <= b[j].end:
            i += 1
        else:
            j += 1
    return common >= 0.5 * min(sum(row.end - row.start for row in rows) for rows in (a, b))


def _share_labels(reading: Reading, tiers: Sequence[FileTier]) -> bool:
    """Return whether each tier shares a label with another one."""
    labels = [{row.label.strip() for row in _labelled(reading, tier)} for tier in tiers]
    labels_elsewhere = [set().union(*(labels[:i] + labels[i + 1 :])) for i in range(len(labels))]
    return len(labels) > 1 and all(own & other for own, other in zip(labels, labels_elsewhere, strict=True))
