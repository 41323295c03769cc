"""Convert coders with different tokenizations to units of characters, so that they can be compared.

Tokenizers disagree: one produces ``well-founded``, another ``well - founded``. White space is not part of any token. The
tokens of each coder, joined without white space, therefore form a text of characters, and a boundary between tokens is a
boundary between characters. If the texts of all coders are equal, no information is lost (:func:`over_characters`). If
they differ, each text is aligned with the first one by edit distance, and notes report the losses (:func:`over_edits`).

Afterwards the units of every item are characters. Lengths, windows and the reach of near misses (``n_t``) then count
characters, about five per English word. Choose these options accordingly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError, MismatchError, OptionError, TreeError
from caesura.model.corpus import Corpus, collect_errors
from caesura.model.dialogue import Annotation, Dialogue, kind_name, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.model.value import Ints

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_SPACE = re.compile(r"\s+")
_MAX_CELLS = 10**11  # maximum size of the table of an edit distance: about ten seconds


class AlignmentNote(str):
    """A note on how the texts of an item were aligned.

    Parameters
    ----------
    text : str
        The note.
    lossy : bool
        Whether boundaries were lost or moved, or characters differ between the texts.
    """

    lossy: bool

    def __new__(cls, text: str, *, lossy: bool) -> AlignmentNote:
        """Return the note with its ``lossy`` attribute."""
        note = super().__new__(cls, text)
        note.lossy = lossy
        return note


Projection = tuple[Corpus, dict[str, AlignmentNote]]
"""A corpus over characters, and notes on its items."""


def over_characters(corpus: Corpus, *, excluded: list[InputError] | None = None) -> Projection:
    """Convert every item to the characters of its text; also return notes on tokenizations that differ.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. All coders of an item must have the same characters.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.

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
    return _project_corpus(corpus, _align_equal_texts, excluded)


def over_edits(corpus: Corpus, *, excluded: list[InputError] | None = None) -> Projection:
    """Convert every item to the characters of its first coder's text; also return notes on losses.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts are known. The texts may differ.
    excluded : list, optional
        List to which errors are appended; their items are excluded. Without it the first error is raised.

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
    return _project_corpus(corpus, _align_by_edits, excluded)


ALIGNMENTS = {"characters": over_characters, "edit": over_edits}
"""Alignment functions for the values of ``read(..., align=...)``."""


def alignment_hint(a: Sequence[str] | None, b: Sequence[str] | None) -> str:
    """Return advice about units that differ, to be added to an error message.

    Parameters
    ----------
    a, b : sequence of str or None
        Units of two coders.

    Returns
    -------
    str
        The advice; empty if a text is unknown.

    Examples
    --------
    >>> alignment_hint(["well-founded"], ["well", "-", "founded"])
    "; the characters agree: read with align='characters'"
    """
    if a is None or b is None:
        return ""
    if _characters(a) == _characters(b):
        return "; the characters agree: read with align='characters'"
    return "; to align texts that differ: read with align='edit'"


# -- alignment of two texts -------------------------------------------------------------------------------------------


@dataclass
class _Alignment:
    """Map from the characters of a text to the text of the first coder.

    Attributes
    ----------
    starts : ndarray
        For each offset of the text, the start of the next character in the first text.
    ends : ndarray
        For each offset, the end of the previous character in the first text. It equals ``starts`` unless the first text
        has additional characters there.
    matched : ndarray of bool
        For each offset, whether the previous character has a counterpart.
    differing : int
        Number of characters that differ.
    """

    starts: Ints
    ends: Ints
    matched: NDArray[np.bool_]
    differing: int = 0

    @classmethod
    def identity(cls, length: int) -> _Alignment:
        """Return the alignment of a text of this length with itself."""
        offsets = np.arange(length + 1)
        return cls(offsets, offsets, np.ones(length + 1, bool))

    def moved(self, offsets: Ints) -> int:
        """Return how many of these offsets no longer lie between the same two characters."""
        return int(np.count_nonzero(~self.matched[offsets] | (self.starts[offsets] != self.ends[offsets])))


Aligner = Callable[[str, str, str, str], _Alignment]
"""Function of the first coder's name, another coder's name, and both texts."""


def _align_equal_texts(a: str, b: str, a_text: str, b_text: str) -> _Alignment:
    if b_text != a_text:
        pairs = enumerate(zip(a_text, b_text, strict=False))
        at = next((i for i, (x, y) in pairs if x != y), min(len(a_text), len(b_text)))
        raise MismatchError(
            f"all coders must have the same characters; character {at + 1} differs: {_around(a_text, at)} for {a} and "
            f"{_around(b_text, at)} for {b}; use align='edit' to align texts that differ; this may lose boundaries"
        )
    return _Alignment.identity(len(a_text))


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 10) : at + 10]) if at < len(text) else f"the end after {text[-10:]!r}"


def _align_by_edits(a: str, b: str, a_text: str, b_text: str) -> _Alignment:
    if b_text == a_text:
        return _Alignment.identity(len(a_text))
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise OptionError("align='edit' needs rapidfuzz; install caesura[align]") from None
    m, n = len(a_text), len(b_text)
    if m * n > _MAX_CELLS:
        raise MismatchError(f"texts of {m} characters for {a} and {n} for {b} are too long to align; use smaller items")
    alignment = _Alignment(np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.ones(n + 1, bool))
    for step in Levenshtein.opcodes(b_text, a_text):
        i, j, start, end = step.src_start, step.src_end, step.dest_start, step.dest_end
        if step.tag == "delete":
            alignment.starts[i:j] = alignment.ends[i + 1 : j + 1] = start
            alignment.matched[i + 1 : j + 1] = False
        elif step.tag != "insert":
            alignment.starts[i:j] = np.arange(start, end)
            alignment.ends[i + 1 : j + 1] = np.arange(start, end) + 1
        alignment.differing += 0 if step.tag == "equal" else max(j - i, end - start)
    # The beginnings of both texts are aligned, and so are the ends.
    alignment.starts[0], alignment.starts[-1], alignment.ends[-1] = 0, m, m
    return alignment


# -- one item ---------------------------------------------------------------------------------------------------------


@dataclass
class _Counts:
    """Size of one coder's text, and losses in the conversion to the first coder's text."""

    tokens: int = 0
    characters: int = 0
    differing: int = 0
    moved: int = 0
    lost: int = 0

    def losses(self, first: str) -> str:
        """Return a description of the losses; empty if there are none."""
        if not (self.differing or self.moved or self.lost):
            return ""
        differ = "differs" if self.differing == 1 else "differ"
        boundaries = "boundary" if self.moved == 1 else "boundaries"
        return (
            f"{self.differing} of {self.characters} characters {differ} from the text of {first}; {self.moved} {boundaries} "
            f"moved, {self.lost} lost"
        )


@dataclass
class _ItemProjection:
    """Conversion of one item to characters, with the counts for its note."""

    align: Aligner
    by_coder: Mapping[str, Annotation]
    tokens_differ: bool = False
    characters: int = 0
    counts: dict[str, _Counts] = field(default_factory=dict)

    def project(self) -> dict[str, Annotation]:
        """Return the annotations over characters."""
        dialogues = {coder: side for coder, side in self.by_coder.items() if isinstance(side, Dialogue)}
        if not dialogues:
            return self._project_texts(self.by_coder)
        for coder in self.by_coder:
            if coder not in dialogues:
                raise MismatchError(f"all coders must have streams, or none; {coder} has none")
        return self._project_dialogues(dialogues)

    def _project_dialogues(self, dialogues: Mapping[str, Dialogue]) -> dict[str, Annotation]:
        """Return the dialogues over characters, stream by stream."""
        streams: dict[str, dict[str, Segmentation]] = {coder: {} for coder in dialogues}
        for stream in dict.fromkeys(name for dialogue in dialogues.values() for name in dialogue):
            sides = {coder: dialogue[stream] for coder, dialogue in dialogues.items() if stream in dialogue}
            try:
                projected = self._project_texts(sides)
            except MismatchError as problem:
                raise MismatchError(f"stream {stream!r}: {problem}") from None
            for coder, side in projected.items():
                streams[coder][stream] = cast(Segmentation, side)
        return {coder: Dialogue(by_stream) for coder, by_stream in streams.items()}

    def _project_texts(self, by_coder: Mapping[str, Annotation]) -> dict[str, Annotation]:
        """Return the annotations of one text over the characters of its first coder."""
        tokens = {coder: _tokens(coder, annotation) for coder, annotation in by_coder.items()}
        first, first_tokens = next(iter(tokens.items()))
        first_text = _characters(first_tokens)
        if not first_text:
            raise MismatchError(f"expected a text of at least one character; {first} has none")
        self.tokens_differ |= any(coder_tokens != first_tokens for coder_tokens in tokens.values())
        self.characters += len(first_text)
        units = tuple(first_text)  # the coders share one tuple
        projected: dict[str, Annotation] = {}
        for coder, annotation in by_coder.items():
            text = _characters(tokens[coder])
            alignment = self.align(first, coder, first_text, text)
            counts = self.counts.setdefault(coder, _Counts())
            counts.tokens += len(tokens[coder])
            counts.characters += len(text)
            counts.differing += alignment.differing
            lengths = [len(_characters([token])) for token in tokens[coder]]
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            projected[coder] = _project_annotation(annotation, alignment, offsets, units, counts)
        return projected

    @property
    def note(self) -> AlignmentNote | None:
        """Return a note on the losses; if there are none, on tokenizations that differ."""
        first = next(iter(self.by_coder))
        losses = {coder: counts.losses(first) for coder, counts in self.counts.items()}
        if any(losses.values()):
            return AlignmentNote("; ".join(f"for {coder} {loss}" for coder, loss in losses.items() if loss), lossy=True)
        if not self.tokens_differ:
            return None
        (coder, own), *rest = self.counts.items()
        others = "".join(f", {counts.tokens} for {name}" for name, counts in rest)
        return AlignmentNote(f"{own.tokens} tokens for {coder}{others}: {self.characters} characters", lossy=False)


def _project_corpus(corpus: Corpus, align: Aligner, excluded: list[InputError] | None) -> Projection:
    annotations: dict[str, dict[str, Annotation]] = {}
    notes: dict[str, AlignmentNote] = {}
    for item in corpus.item_names:
        with collect_errors(item, excluded, MismatchError):
            projection = _ItemProjection(align, corpus.of_item(item))
            annotations[item] = projection.project()
            if (note := projection.note) is not None:
                notes[item] = note
    return Corpus(annotations), notes


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


def _characters(tokens: Sequence[str]) -> str:
    return _SPACE.sub("", "".join(tokens))


def _unescaped(word: str) -> str:
    """Return the original form of a Penn Treebank word: brackets are escaped there, and quotes have two forms."""
    plain = _BRACKETS.get(word, word).replace("\\/", "/").replace("\\*", "*")
    return plain.replace("``", '"').replace("''", '"')


# -- one annotation ---------------------------------------------------------------------------------------------------


def _project_annotation(
    annotation: Annotation, alignment: _Alignment, offsets: Ints, units: tuple[str, ...], counts: _Counts
) -> Annotation:
    """Convert an annotation to characters; ``offsets`` are the token edges in its own text."""
    if isinstance(annotation, Segmentation):
        return _project_segmentation(annotation, alignment, offsets, units, counts)
    if isinstance(annotation, Hierarchy):
        return _project_hierarchy(annotation, alignment, offsets, units, counts)
    assert isinstance(annotation, Tree)
    return _project_tree(annotation, alignment, offsets, counts)


def _project_segmentation(
    segmentation: Segmentation, alignment: _Alignment, offsets: Ints, units: tuple[str, ...], counts: _Counts
) -> Segmentation:
    own_offsets = offsets[segmentation.boundary_positions]
    # Position 0 lies before the text. The end of the text is a boundary only if the coder marked it.
    marks_end = bool(segmentation.positions.size) and int(segmentation.positions[-1]) == segmentation.length
    last = len(units) if marks_end else len(units) - 1
    rows = np.column_stack([alignment.ends[own_offsets], segmentation.codes])
    positions, codes = np.unique(rows[(rows[:, 0] > 0) & (rows[:, 0] <= last)], axis=0).T
    counts.moved += alignment.moved(np.unique(own_offsets))
    counts.lost += segmentation.positions.size - np.unique(positions).size
    labels = None
    if segmentation.labels is not None:
        # A character that only the first text has belongs to the token before it.
        ends = np.maximum.accumulate(alignment.ends[offsets])
        labels = tuple(np.repeat(np.array(segmentation.labels, object), np.diff(ends)).tolist())
    declared = segmentation.types_declared
    return Segmentation(
        len(units), positions, codes, segmentation.types, types_declared=declared, units=units, labels=labels
    )


def _project_hierarchy(
    hierarchy: Hierarchy, alignment: _Alignment, offsets: Ints, units: tuple[str, ...], counts: _Counts
) -> Hierarchy:
    spans = hierarchy.move_spans(alignment.starts[offsets], alignment.ends[offsets])
    edges = {edge for span in hierarchy.spans for edge in (span.start - 1, span.end)} - {0, hierarchy.length}
    counts.moved += alignment.moved(offsets[np.array(sorted(edges), np.int64)])
    counts.lost += len(hierarchy.spans) - len(spans)
    return Hierarchy(len(units), spans, units=units)


def _project_tree(tree: Tree, alignment: _Alignment, offsets: Ints, counts: _Counts) -> Tree:
    times = np.column_stack([alignment.starts[offsets[:-1]], alignment.ends[offsets[1:]]]).astype(np.float64)
    times[:, 0] = np.minimum(times[:, 0], times[:, 1])
    counts.moved += alignment.moved(offsets[1:-1])
    try:
        projected = tree.with_times(times, zero_length="merge")
    except TreeError as problem:
        raise MismatchError(str(problem)) from None
    counts.lost += tree.length - projected.length
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
    ...     print(problem)
    item 'x', stream 'F': token 2 is 'night' for Ann and 'knight' for Bo; to align texts that differ: read with align='edit'
    """
    differences = ((item, text_difference(corpus.of_item(item))) for item in corpus.item_names)
    return [MismatchError(f"item {item!r}{difference}") for item, difference in differences if difference is not None]


def text_difference(by_coder: Mapping[str, Annotation]) -> str | None:
    """Return the first difference between the coders' texts of one item.

    Parameters
    ----------
    by_coder : mapping of str to annotation
        Annotations of the item.

    Returns
    -------
    str or None
        The second part of an error message (": 4 tokens for ..."), or None if there is no difference.

    Notes
    -----
    The streams of every coder are compared with those of the first coder, and every text with the first known text.
    """
    (first, annotation), *_ = by_coder.items()
    for coder in by_coder:
        difference = _stream_difference(first, annotation, coder, by_coder[coder])
        if difference is not None:
            return f": {difference}"
    for stream in streams_of(annotation):
        sides = {coder: streams_of(side)[stream] for coder, side in by_coder.items()}
        base = next((coder for coder, side in sides.items() if side.units is not None), first)
        for coder, side in sides.items():
            difference = _token_difference(base, sides[base], coder, side)
            if difference is not None:
                place = f", stream {stream!r}" if isinstance(annotation, Dialogue) else ""
                return f"{place}: {difference}"
    return None


def _stream_difference(a: str, a_side: Annotation, b: str, b_side: Annotation) -> str | None:
    if isinstance(a_side, Dialogue) != isinstance(b_side, Dialogue):
        with_streams, without = (a, b) if isinstance(a_side, Dialogue) else (b, a)
        return f"{with_streams} has streams and {without} has none"
    if isinstance(a_side, Dialogue) and isinstance(b_side, Dialogue):
        for stream in (*a_side, *b_side):
            if stream not in a_side or stream not in b_side:
                present, absent = (a, b) if stream in a_side else (b, a)
                return f"{present} has stream {stream!r}, but {absent} does not"
    return None


def _token_difference(a: str, a_side: Segmentation, b: str, b_side: Segmentation) -> str | None:
    lengths = f"{a_side.length} tokens for {a} and {b_side.length} for {b}" if a_side.length != b_side.length else ""
    tokens = () if a_side.units == b_side.units else zip(a_side.units or (), b_side.units or (), strict=False)
    for i, (x, y) in enumerate(tokens, 1):
        if x != y:
            difference = f"token {i} is {x!r} for {a} and {y!r} for {b}" + (f" ({lengths})" if lengths else "")
            return difference + alignment_hint(a_side.units, b_side.units)
    return lengths + alignment_hint(a_side.units, b_side.units) if lengths else None
