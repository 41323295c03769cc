"""Align coders whose tokens differ, so that they can be compared.

Tokenizers disagree: one produces ``well-founded``, another ``well - founded``. Transcribers disagree too: one hears
``night``, another ``knight``. There are four ways to give all coders of an item the same units:

- :func:`over_tokens` aligns the tokens of each coder with those of the first coder, by edit distance; similar tokens
  count as similar. Units remain tokens.
- :func:`over_characters` converts the tokens to characters. White space is not part of any token, so the tokens of each
  coder, joined without white space, form a text of characters, and a boundary between tokens is a boundary between
  characters. If the texts of all coders are equal, no information is lost.
- :func:`over_edits` does the same for texts that differ: each text is aligned with the first one by edit distance.
- :func:`over_positions` ignores the spelling of tokens if all coders have the same number of tokens.

Notes report differences and losses. If units are characters, lengths, windows and the reach of near misses (``n_t``) count
characters, about five per English word. Choose these options accordingly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError, MismatchError, OptionError, TreeError
from caesura.memory import check_memory
from caesura.model.corpus import Corpus, convert_items
from caesura.model.dialogue import Annotation, Dialogue, kind_name, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import repeat
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.model.value import Ints

_BLOCK_SIZE = 256  # number of distinct tokens per call of rapidfuzz
_SPACE = re.compile(r"\s+")
_GAP = 1000  # cost of a token without counterpart
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


class AlignmentNote(str):
    lossy: bool  # whether boundaries were lost or moved, or characters differ between the texts

    def __new__(cls, text: str, *, lossy: bool) -> AlignmentNote:
        note = super().__new__(cls, text)
        note.lossy = lossy
        return note


# A corpus over common units, and notes on its items.
Projection = tuple[Corpus, dict[str, AlignmentNote]]


def over_tokens(corpus: Corpus, *, excluded: list[InputError] | None = None, only_differing: bool = True) -> Projection:
    """Align the tokens of every item with those of its first coder; also return notes on losses.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. The texts may differ.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.
    only_differing : bool, default True
        Whether items are left unchanged if their coders have the same tokens.

    Returns
    -------
    corpus : Corpus
        The annotations over the tokens of the first coder.
    notes : dict of str to AlignmentNote
        Item -> number of tokens that differ, of boundaries that moved, and of boundaries that were lost.

    Raises
    ------
    MismatchError
        If a text is unknown or too long.
    OptionError
        If rapidfuzz is not installed: ``pip install caesura[align]``.

    Notes
    -----
    The tokens of each coder are aligned with the first coder's tokens at the lowest cost. A token without counterpart costs
    1. A pair of tokens costs the proportion of characters that differ: their edit distance, divided by the length of the
    longer token. A boundary stays after the token that it followed. If the first text lacks that token, the boundary moves
    to the nearest position before it. If several boundaries of a coder move to the same position, they become one boundary
    with all their types.

    Examples
    --------
    >>> ann = Segmentation.from_masses([1, 2], units=["good", "night", "moon"])
    >>> bo = Segmentation.from_masses([3, 1], units=["good", "uh", "knight", "moon"])
    >>> corpus, notes = over_tokens(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "bo"].units, corpus["x", "bo"].positions.tolist()
    (('good', 'night', 'moon'), [2])
    >>> notes
    {'x': 'for bo 2 of 4 tokens differ from the text of ann; 0 boundaries moved, 0 lost'}
    """
    return _project_corpus(corpus, _align_tokens, "tokens", excluded, only_differing)


def over_positions(
    corpus: Corpus, *, excluded: list[InputError] | None = None, only_differing: bool = True
) -> Projection:
    """Replace the tokens of all coders of an item by those of its first coder, even if the spelling differs.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. All coders of an item must have the same number of tokens.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.
    only_differing : bool, default True
        Whether items are left unchanged if their coders have the same tokens.

    Returns
    -------
    corpus : Corpus
        The annotations over the tokens of the first coder.
    notes : dict of str to AlignmentNote
        Item -> number of tokens, for items whose tokens differ.

    Raises
    ------
    MismatchError
        If the numbers of tokens differ, or a text is unknown.

    Examples
    --------
    >>> ann = Segmentation.from_masses([1, 2], units=["good", "night", "moon"])
    >>> bo = Segmentation.from_masses([2, 1], units=["Good", "knight", "moon."])
    >>> corpus, notes = over_positions(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "bo"].units
    ('good', 'night', 'moon')
    """
    return _project_corpus(corpus, _align_positions, "tokens", excluded, only_differing)


def over_characters(
    corpus: Corpus, *, excluded: list[InputError] | None = None, only_differing: bool = False
) -> Projection:
    """Convert every item to the characters of its text; also return notes on tokenizations that differ.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. All coders of an item must have the same characters.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.
    only_differing : bool, default False
        Whether items are left unchanged if their coders have the same tokens. Their units remain tokens.

    Returns
    -------
    corpus : Corpus
        The annotations over characters.
    notes : dict of str to AlignmentNote
        Item -> number of tokens per coder, for items whose tokens differ.

    Raises
    ------
    MismatchError
        If the characters of two coders differ, or a text is unknown.

    Notes
    -----
    The new units are characters, without white space. Boundaries, types, labels and spans keep their place in the text. In
    a dialogue, each stream is converted separately. A tree keeps its words and gets character offsets as times, so that
    ``struct_iou`` compares characters. ``-LRB-`` is read as ``(``, and the two forms of quotes in the Penn Treebank are
    treated as the same character.

    Examples
    --------
    >>> ann = Segmentation.from_masses([2, 1], units=["well", "-", "founded"])
    >>> bo = Segmentation.from_bits("", units=["well-founded"])
    >>> corpus, notes = over_characters(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "ann"]
    Segmentation(12 units: ·····|·······)
    >>> notes
    {'x': '3 tokens for ann, 1 for bo: 12 characters'}
    """
    return _project_corpus(corpus, _align_equal_texts, "characters", excluded, only_differing)


def over_edits(corpus: Corpus, *, excluded: list[InputError] | None = None, only_differing: bool = False) -> Projection:
    """Convert every item to the characters of its first coder's text; also return notes on losses.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. The texts may differ.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.
    only_differing : bool, default False
        Whether items are left unchanged if their coders have the same tokens. Their units remain tokens.

    Returns
    -------
    corpus : Corpus
        The annotations over the characters of the first coder's text.
    notes : dict of str to AlignmentNote
        Item -> number of characters that differ, of boundaries that moved, and of boundaries that were lost.

    Raises
    ------
    MismatchError
        If a text is unknown or too long.
    OptionError
        If rapidfuzz is not installed: ``pip install caesura[align]``.

    Notes
    -----
    This function works like :func:`over_characters`, but the texts may differ. Each text is aligned with the first coder's
    text by the smallest number of insertions, deletions and replacements of characters (Levenshtein distance). A boundary
    stays after the character that it followed. If the first text lacks that character, the boundary moves to the nearest
    position before it. If several boundaries of a coder move to the same position, they become one boundary with all their
    types. A span or word is lost if none of its characters is left.

    Examples
    --------
    >>> ann = Segmentation.from_masses([1, 2], units=["good", "night", "moon"])
    >>> bo = Segmentation.from_masses([2, 1], units=["good", "knight", "moon"])
    >>> corpus, notes = over_edits(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "bo"]
    Segmentation(13 units: ·········|····)
    >>> notes
    {'x': 'for bo 1 of 14 characters differs from the text of ann; 0 boundaries moved, 0 lost'}
    """
    return _project_corpus(corpus, _align_by_edits, "characters", excluded, only_differing)


# Alignment functions for the values of ``read(..., align=...)``.
ALIGNMENTS = {"tokens": over_tokens, "characters": over_characters, "edit": over_edits, "positions": over_positions}


@dataclass
class _Alignment:
    """Map from the characters or tokens (the units) of a text to the text of the first coder."""

    starts: Ints  # for each offset of the text, the start of the next unit in the first text
    # For each offset, the end of the previous unit in the first text. It equals ``starts`` unless the first text has additional
    # units there.
    ends: Ints
    matched: NDArray[np.bool_]  # for each offset, whether the previous unit has a counterpart
    differing: int = 0  # number of units that differ

    @classmethod
    def identity(cls, length: int) -> _Alignment:
        offsets = np.arange(length + 1)
        return cls(offsets, offsets, np.ones(length + 1, bool))

    @classmethod
    def of_steps(cls, steps: Iterable[tuple[str, int, int, int, int]], length: int, first_length: int) -> _Alignment:
        """Return the alignment that consists of steps (kind, start and end in this text, start and end in the first)."""
        alignment = cls(np.zeros(length + 1, np.int64), np.zeros(length + 1, np.int64), np.ones(length + 1, bool))
        for kind, i, j, start, end in steps:
            if kind == "delete":
                alignment.starts[i:j] = alignment.ends[i + 1 : j + 1] = start
                alignment.matched[i + 1 : j + 1] = False
            elif kind != "insert":
                alignment.starts[i:j] = np.arange(start, end)
                alignment.ends[i + 1 : j + 1] = np.arange(start, end) + 1
            alignment.differing += 0 if kind == "equal" else max(j - i, end - start)
        # The beginnings of both texts are aligned, and so are the ends.
        alignment.starts[0], alignment.starts[-1], alignment.ends[-1] = 0, first_length, first_length
        return alignment

    def moved(self, offsets: Ints) -> int:
        """Return the number of offsets that no longer lie between the same two units."""
        return int(np.count_nonzero(~self.matched[offsets] | (self.starts[offsets] != self.ends[offsets])))


# Function of the first coder's name, another coder's name, and the units of both texts.
_Align = Callable[[str, str, Sequence[str], Sequence[str]], _Alignment]


def _align_equal_texts(a: str, b: str, a_units: Sequence[str], b_units: Sequence[str]) -> _Alignment:
    a_text, b_text = "".join(a_units), "".join(b_units)
    if b_text != a_text:
        pairs = enumerate(zip(a_text, b_text, strict=False))
        at = next((i for i, (x, y) in pairs if x != y), min(len(a_text), len(b_text)))
        raise MismatchError(
            f"all coders must have the same characters; character {at + 1} differs: {_around(a_text, at)} for {a} and "
            f"{_around(b_text, at)} for {b}; use align='tokens' to align texts that differ"
        )
    return _Alignment.identity(len(a_text))


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 10) : at + 10]) if at < len(text) else f"the end after {text[-10:]!r}"


def _align_by_edits(a: str, b: str, a_units: Sequence[str], b_units: Sequence[str]) -> _Alignment:
    m, n = len(a_units), len(b_units)
    if b_units == a_units:
        return _Alignment.identity(m)
    _check_alignment("characters", m, n, a, b, bytes_per_pair=1 / 4)
    codes = _rapidfuzz("distance", "edit").Levenshtein.opcodes("".join(b_units), "".join(a_units))
    steps = ((step.tag, step.src_start, step.src_end, step.dest_start, step.dest_end) for step in codes)
    return _Alignment.of_steps(steps, n, m)


def _check_alignment(unit: str, m: int, n: int, a: str, b: str, *, bytes_per_pair: float) -> None:
    check_memory(f"the alignment of {m:,} {unit} of {a} and {n:,} of {b}", m * n * bytes_per_pair, "use smaller items")


def _rapidfuzz(module: str, option: str) -> Any:
    try:
        return import_module(f"rapidfuzz.{module}")
    except ImportError:
        raise OptionError(f"align={option!r} needs rapidfuzz; run pip install 'caesura[align]'") from None


def _align_positions(a: str, b: str, a_units: Sequence[str], b_units: Sequence[str]) -> _Alignment:
    m, n = len(a_units), len(b_units)
    if m != n:
        raise MismatchError(
            f"all coders must have the same number of tokens; there are {m} for {a} and {n} for {b}; align='tokens' "
            "aligns texts that differ"
        )
    return _Alignment.identity(m)


def _align_tokens(a: str, b: str, a_units: Sequence[str], b_units: Sequence[str]) -> _Alignment:
    m, n = len(a_units), len(b_units)
    first = _number_of_equal(a_units, b_units)
    last = _number_of_equal(a_units[first:][::-1], b_units[first:][::-1])
    _check_alignment("tokens", m - first - last, n - first - last, a, b, bytes_per_pair=1)
    pairs = token_pairs(a_units[first : m - last], b_units[first : n - last])
    steps = [("equal", 0, first, 0, first)] if first else []
    for i, j in pairs:
        if i is None or j is None:
            _, _, at, _, place = steps[-1] if steps else ("", 0, 0, 0, 0)
            steps.append(("insert", at, at, place, place + 1) if j is None else ("delete", at, at + 1, place, place))
        else:
            i, j = i + first, j + first
            steps.append(("equal" if a_units[i] == b_units[j] else "replace", j, j + 1, i, i + 1))
    steps += [("equal", n - last, n, m - last, m)] if last else []
    return _Alignment.of_steps(steps, n, m)


def _number_of_equal(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def token_pairs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Return the alignment of two lists of tokens at the lowest cost; None for a token without counterpart."""
    # The cost of a token without counterpart is 1000. The cost of a pair is 1000 times the edit distance of both tokens divided
    # by the length of the longer one, rounded down, but at least 1 unless the tokens are equal. Costs are whole numbers, so
    # that the minimum is exact. If several alignments have the lowest cost, pairs at the end are preferred.
    if not a or not b:
        return [(i, None) for i in range(len(a))] + [(None, j) for j in range(len(b))]
    costs, a_codes, b_codes = _substitution_costs(a, b)
    columns = np.arange(len(b) + 1, dtype=np.int64) * _GAP
    row = columns.copy()
    choices = np.zeros((len(a), len(b)), np.uint8)  # 0: pair, 1: token of a alone, 2: token of b alone
    for i, code in enumerate(a_codes.tolist()):
        pair = row[:-1] + costs[code][b_codes]
        alone = row[1:] + _GAP
        best = np.concatenate([[row[0] + _GAP], np.minimum(pair, alone)])
        row = np.minimum.accumulate(best - columns) + columns
        choices[i] = np.where(row[1:] == pair, 0, np.where(row[1:] == alone, 1, 2))
    i, j = choices.shape
    pairs: list[tuple[int | None, int | None]] = []
    while i or j:
        choice = 2 if not i else 1 if not j else choices[i - 1, j - 1]
        i, j = i - int(choice != 2), j - int(choice != 1)
        pairs.append((None if choice == 2 else i, None if choice == 1 else j))
    return pairs[::-1]


def _substitution_costs(a: Sequence[str], b: Sequence[str]) -> tuple[NDArray[np.int16], Ints, Ints]:
    cdist, distance = _rapidfuzz("process", "tokens").cdist, _rapidfuzz("distance", "tokens").Levenshtein.distance
    a_words, b_words = list(dict.fromkeys(a)), list(dict.fromkeys(b))
    b_lengths = np.array([max(1, len(word)) for word in b_words])
    costs = np.empty((len(a_words), len(b_words)), np.int16)
    for start in range(0, len(a_words), _BLOCK_SIZE):
        block = a_words[start : start + _BLOCK_SIZE]
        distances = cdist(block, b_words, scorer=distance, dtype=np.int32).astype(np.int64)
        lengths = np.maximum.outer([len(word) for word in block], b_lengths)
        costs[start : start + _BLOCK_SIZE] = np.maximum(_GAP * distances // lengths, distances > 0)
    codes = [{word: i for i, word in enumerate(words)} for words in (a_words, b_words)]
    return costs, np.array([codes[0][word] for word in a]), np.array([codes[1][word] for word in b])


def _project_corpus(
    corpus: Corpus, align: _Align, unit: str, excluded: list[InputError] | None, only_differing: bool
) -> Projection:
    counts: dict[str, dict[str, Counter[str]]] = {}  # item -> coder -> sizes and losses

    def project(item: str, stream: str, by_coder: Mapping[str, Annotation]) -> dict[str, Annotation]:
        """Return the annotations of one stream over the units of the first coder."""
        by_name = counts.setdefault(item, {coder: Counter() for coder in corpus.of_item(item)})
        tokens = {coder: _tokens(coder, annotation) for coder, annotation in by_coder.items()}
        units = {coder: tuple(text if unit == "tokens" else without_space(text)) for coder, text in tokens.items()}
        first = next(iter(by_coder))
        if not "".join(units[first]):
            raise MismatchError(f"expected a text of at least one character; {first} has none")
        projected: dict[str, Annotation] = {}
        for coder, annotation in by_coder.items():
            alignment, own = align(first, coder, units[first], units[coder]), by_name[coder]
            lengths = [1 if unit == "tokens" else len(without_space([token])) for token in tokens[coder]]
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            own.update(tokens=len(tokens[coder]), units=len(units[coder]), differing=alignment.differing)
            own.update(other_tokens=list(tokens[coder]) != list(tokens[first]))
            projected[coder] = _project_annotation(annotation, alignment, offsets, units[first], own)
        return projected

    def is_unchanged(item: str, by_coder: Mapping[str, Annotation]) -> bool:
        return only_differing and not _texts_differ(by_coder)

    annotations = convert_items(corpus, project, MismatchError, excluded, is_unchanged)
    notes = {item: _note(counts[item], unit) for item in annotations if item in counts}
    return Corpus(annotations), {item: note for item, note in notes.items() if note}


def _note(counts: Mapping[str, Counter[str]], unit: str) -> AlignmentNote | None:
    (first, own), *rest = counts.items()
    losses = [
        f"for {coder} {number['differing']} of {number['units']} {unit} "
        f"{'differs' if number['differing'] == 1 else 'differ'} from the text of {first}; {number['moved']} "
        f"{'boundary' if number['moved'] == 1 else 'boundaries'} moved, {number['lost']} lost"
        for coder, number in counts.items()
        if number["differing"] or number["moved"] or number["lost"]
    ]
    if losses:
        return AlignmentNote("; ".join(losses), lossy=True)
    if not any(number["other_tokens"] for number in counts.values()):
        return None
    others = "".join(f", {number['tokens']} for {coder}" for coder, number in rest)
    return AlignmentNote(f"{own['tokens']} tokens for {first}{others}: {own['units']} {unit}", lossy=False)


def _texts_differ(by_coder: Mapping[str, Annotation]) -> bool:
    """Return whether coders have other streams, other numbers of units or other tokens; tiers have no units."""
    texts: dict[str, list[tuple[int, Sequence[str] | None]]] = {}
    for annotation in by_coder.values():
        for stream, entry in annotation.items() if isinstance(annotation, Dialogue) else [("", annotation)]:
            length, tokens = -1, None
            if isinstance(entry, (Segmentation, Hierarchy, Tree)):
                length, tokens = entry.length, entry.axis.tokens
            if isinstance(entry, Tree):
                tokens = tuple(map(_unescaped, entry.words))
            texts.setdefault(stream, []).append((length, tokens))
    for entries in texts.values():
        lengths, known = {length for length, _ in entries}, {tokens for _, tokens in entries if tokens is not None}
        if len(entries) < len(by_coder) or len(lengths) > 1 or len(known) > 1:
            return True
    return False


def _tokens(coder: str, annotation: Annotation) -> Sequence[str]:
    if isinstance(annotation, Tree):
        return [_unescaped(word) for word in annotation.words]
    if isinstance(annotation, Hierarchy) and annotation.edges is not None:
        raise MismatchError(f"coder {coder!r}: expected units of text; got times")
    if not isinstance(annotation, (Segmentation, Hierarchy)):
        raise MismatchError(f"coder {coder!r}: expected units of text; got {kind_name(annotation)}")
    if annotation.units is None:
        raise MismatchError(f"coder {coder!r}: expected units with a text; got {annotation.length} units without one")
    return annotation.units


def _unescaped(word: str) -> str:
    """Return the original form of a Penn Treebank word: brackets are escaped there, and quotes have two forms."""
    plain = _BRACKETS.get(word, word).replace("\\/", "/").replace("\\*", "*")
    return plain.replace("``", '"').replace("''", '"')


def _project_annotation(
    annotation: Annotation, alignment: _Alignment, offsets: Ints, units: tuple[str, ...], counts: Counter[str]
) -> Annotation:
    if isinstance(annotation, Segmentation):
        own_offsets = offsets[annotation.boundary_positions]
        # Position 0 lies before the text. The end of the text is a boundary only if the coder marked it.
        marks_end = annotation.positions.size > annotation.inner.size
        rows = np.column_stack([alignment.ends[own_offsets], annotation.codes])
        inside = (rows[:, 0] > 0) & (rows[:, 0] < len(units) + marks_end)
        positions, codes = np.unique(rows[inside], axis=0).T
        counts["moved"] += alignment.moved(np.unique(own_offsets))
        counts["lost"] += annotation.positions.size - np.unique(positions).size
        texts: dict[str, Any] = {"units": units, "labels": None}
        if annotation.labels is not None:
            # A character that only the first text has belongs to the token before it.
            ends = np.maximum.accumulate(alignment.ends[offsets])
            texts["labels"] = tuple(repeat(np.array(annotation.labels, object), np.diff(ends)).tolist())
        declared = annotation.types_declared
        types = annotation.types
        return Segmentation.from_valid_entries(len(units), positions, codes, types, types_declared=declared, **texts)
    if isinstance(annotation, Hierarchy):
        spans = annotation.move_spans(alignment.starts[offsets], alignment.ends[offsets])
        edges = {edge for span in annotation.spans for edge in (span.start - 1, span.end)} - {0, annotation.length}
        counts["moved"] += alignment.moved(offsets[np.array(sorted(edges), np.int64)])
        counts["lost"] += len(annotation.spans) - len(spans)
        return Hierarchy(len(units), spans, units=units, nested=annotation.nested)
    assert isinstance(annotation, Tree)
    times = np.column_stack([alignment.starts[offsets[:-1]], alignment.ends[offsets[1:]]]).astype(np.float64)
    times[:, 0] = np.minimum(times[:, 0], times[:, 1])
    counts["moved"] += alignment.moved(offsets[1:-1])
    try:
        projected = annotation.with_times(times, zero_length="merge")
    except TreeError as problem:
        raise MismatchError(str(problem)) from None
    counts["lost"] += annotation.length - projected.length
    return projected


def check_same_tokens(corpus: Corpus) -> list[MismatchError]:
    """Return the first difference between the coders' texts for each item.

    Parameters
    ----------
    corpus : Corpus
        Segmentations and dialogues.

    Returns
    -------
    list of MismatchError
        One error per item whose coders cannot be compared; empty if there is none. The errors are not raised.

    Notes
    -----
    First the streams of all coders must be the same, then the tokens of each stream. If one coder has no text, only the
    lengths are compared.

    Examples
    --------
    >>> ann = Segmentation.from_marks(["", "."], units=["good", "night"])
    >>> bo = Segmentation.from_marks([",", "."], units=["good", "knight"])
    >>> for problem in check_same_tokens(Corpus({"x": {"Ann": {"F": ann}, "Bo": {"F": bo}}})):
    ...     print(str(problem).split(";")[0])
    item 'x', stream 'F': token 2 is 'night' for Ann and 'knight' for Bo
    """
    differences = ((item, text_difference(corpus.of_item(item))) for item in corpus.item_names)
    return [MismatchError(f"item {item!r}{difference}") for item, difference in differences if difference is not None]


def text_difference(by_coder: Mapping[str, Annotation]) -> str | None:
    # The streams of every coder are compared with those of the first coder, and every text with the first known text.
    if are_same_texts(by_coder.values()):
        return None
    (first, annotation), *_ = by_coder.items()
    for coder, entry in by_coder.items():
        if isinstance(annotation, Dialogue) != isinstance(entry, Dialogue):
            with_streams, without = (first, coder) if isinstance(annotation, Dialogue) else (coder, first)
            return f": {with_streams} has streams and {without} has none"
        if (
            isinstance(annotation, Dialogue)
            and isinstance(entry, Dialogue)
            and (unshared := annotation.keys() ^ entry.keys())
        ):
            stream = next(name for name in (*annotation, *entry) if name in unshared)
            present, absent = (first, coder) if stream in annotation else (coder, first)
            return f": {present} has stream {stream!r}, but {absent} does not"
    for stream in texts_of(annotation):
        sides = {coder: texts_of(side)[stream] for coder, side in by_coder.items()}
        base = next((coder for coder, side in sides.items() if side.units is not None), first)
        for coder, side in sides.items():
            difference = _token_difference(base, sides[base], coder, side)
            if difference is not None:
                place = f", stream {stream!r}" if isinstance(annotation, Dialogue) else ""
                return f"{place}: {difference}"
    return None


def are_same_texts(annotations: Collection[object]) -> bool:
    """Return whether annotations are certainly segmentations of the same text, which most are."""
    first = next(iter(annotations))
    return type(first) is Segmentation and all(
        type(entry) is Segmentation and entry.length == first.length and entry.units is first.units
        for entry in annotations
    )


def _token_difference(a: str, a_side: Segmentation, b: str, b_side: Segmentation) -> str | None:
    lengths = f"{a_side.length} tokens for {a} and {b_side.length} for {b}" if a_side.length != b_side.length else ""
    tokens = () if a_side.units == b_side.units else zip(a_side.units or (), b_side.units or (), strict=False)
    for i, (x, y) in enumerate(tokens, 1):
        if x != y:
            difference = f"token {i} is {x!r} for {a} and {y!r} for {b}" + (f" ({lengths})" if lengths else "")
            return difference + alignment_hint(a_side.units, b_side.units)
    return lengths + alignment_hint(a_side.units, b_side.units) if lengths else None


def alignment_hint(a: Sequence[str] | None, b: Sequence[str] | None) -> str:
    """Return advice about units that differ, to be added to an error message."""
    if a is None or b is None:
        return ""
    advice = "; to align them, read with align='tokens'"
    if without_space(a) == without_space(b):
        return f"{advice} (or align='characters', because the characters agree)"
    return f"{advice} (or align='positions', which ignores the spelling)" if len(a) == len(b) else advice


def without_space(tokens: Sequence[str]) -> str:
    return _SPACE.sub("", "".join(tokens))
