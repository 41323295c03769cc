"""Coders who cut one text into other tokens, laid over its characters, so that they can be compared.

Tokenisers disagree: one has ``well-founded``, another ``well - founded``. White space is nobody's, so each coder's tokens
joined without it are a text of characters, and a boundary between tokens is a boundary between characters. Where these
texts are the same, nothing is lost (:func:`over_characters`); where they differ, each is laid over the first by the
fewest edits, and what that cost is said (:func:`over_edits`).

The units are then characters, for every item of the corpus: lengths, windows and the reach of near misses (``n_t``) count
characters, some five to a word of English. Choose them so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError, MismatchError, OptionError, TreeError
from caesura.model.corpus import Corpus, collect_errors
from caesura.model.dialogue import Annotation, Dialogue, kind_name
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree

Ints = NDArray[np.int64]

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_SPACE = re.compile(r"\s+")
_MOST_CELLS = 10**11  # of the table in which the fewest edits are found: some ten seconds


class AlignmentNote(str):
    """What is to be said about an item."""

    lossy: bool
    """Whether something was lost, or moved."""

    def __new__(cls, text: str, *, lossy: bool) -> AlignmentNote:
        """The text, marked."""
        made = super().__new__(cls, text)
        made.lossy = lossy
        return made


def over_characters(
    corpus: Corpus, *, excluded: list[InputError] | None = None
) -> tuple[Corpus, dict[str, AlignmentNote]]:
    """Every item over the characters of its text, and item -> how the tokens of its coders differed.

    Units become characters, white space left out; boundaries, types, labels and spans stay where they were in the text. A
    dialogue goes stream by stream. A tree keeps its words and gets character offsets as times, so that ``struct_iou``
    compares by characters; there ``-LRB-`` is ``(`` and both ways to write quotes are one, as the Penn Treebank has them.

    All coders of an item must have the same characters, and their text must be known. Otherwise a ``MismatchError`` says
    where they differ, or it is put into ``problems`` and the item left out.

    >>> ann = Segmentation.from_masses([2, 1], units=["well", "-", "founded"])
    >>> bo = Segmentation.from_bits("", units=["well-founded"])
    >>> corpus, notes = over_characters(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "ann"]
    Segmentation(12 units: ·····|·······)
    >>> notes
    {'x': '3 tokens for ann, 1 for bo: 12 characters'}
    """
    return _over(corpus, _same_characters, excluded)


def over_edits(corpus: Corpus, *, excluded: list[InputError] | None = None) -> tuple[Corpus, dict[str, AlignmentNote]]:
    """Every item over the characters of its first coder's text, and item -> what was lost on the way.

    As :func:`over_characters`, for texts that differ: each is laid over the first coder's by the fewest insertions,
    deletions and replacements of characters (Levenshtein). A boundary stays behind the character it followed; if the first
    text lacks that one, it goes to the nearest before it. Boundaries of one coder that fall together are one, with the types
    of all. The notes count the characters that differ, the boundaries that moved, and those that fell together; of spans
    and words, those of which no character is left. Needs rapidfuzz: ``caesura[align]``.

    >>> ann = Segmentation.from_masses([1, 2], units=["good", "night", "moon"])
    >>> bo = Segmentation.from_masses([2, 1], units=["good", "knight", "moon"])
    >>> corpus, notes = over_edits(Corpus({"x": {"ann": ann, "bo": bo}}))
    >>> corpus["x", "bo"]
    Segmentation(13 units: ·········|····)
    >>> notes
    {'x': 'for bo 1 of 14 characters differs from the text of ann; 0 boundaries moved, 0 lost'}
    """
    return _over(corpus, _fewest_edits, excluded)


ALIGNMENTS = {"characters": over_characters, "edit": over_edits}
"""The ways in which ``read(..., align=...)`` lays different texts over each other."""


def alignment_hint(a: Sequence[str] | None, b: Sequence[str] | None) -> str:
    """What to do about units that differ, as the end of a sentence; nothing where a text is not known.

    >>> way_out(["well-founded"], ["well", "-", "founded"])
    "; the characters agree: read with align='characters'"
    """
    if a is None or b is None:
        return ""
    if _characters(a) == _characters(b):
        return "; the characters agree: read with align='characters'"
    return "; to lay other texts over each other: read with align='edit'"


# -- a text and its place in another ----------------------------------------------------------------------------------


@dataclass
class _Loss:
    """What became of one coder's text in the text of another."""

    differ: int = 0
    of: int = 0
    moved: int = 0
    lost: int = 0

    def __str__(self) -> str:
        return f"{self.differ} of {self.of} characters {'differs' if self.differ == 1 else 'differ'}"

    @property
    def after(self) -> str:
        """The rest of the sentence."""
        return f"; {self.moved} boundar{'y' if self.moved == 1 else 'ies'} moved, {self.lost} lost"


@dataclass
class _Laid:
    """Where the characters of a text lie in the text of the first coder.

    ``ends[i]`` is where the first i characters end there, ``starts[i]`` where the character after them starts: the same,
    unless that text has something in between.
    """

    starts: Ints
    ends: Ints
    kept: NDArray[np.bool_]
    """Whether the character before has a place of its own, a place an offset."""
    differ: int = 0

    @classmethod
    def same(cls, length: int) -> _Laid:
        """A text of so many characters in itself."""
        places = np.arange(length + 1)
        return cls(places, places, np.ones(length + 1, bool))


Lay = Callable[[str, str, str, str], _Laid]
"""The first coder, the coder, and their texts."""


def _same_characters(a: str, b: str, base: str, text: str) -> _Laid:
    if text != base:
        at = next((i for i, (x, y) in enumerate(zip(base, text, strict=False)) if x != y), min(len(base), len(text)))
        said = " and ".join(f"{_around(one, at)} for {who}" for who, one in ((a, base), (b, text)))
        raise MismatchError(
            f"all coders must have the same characters; character {at + 1} differs: {said}; align='edit' lays other texts "
            "over each other, with a loss"
        )
    return _Laid.same(len(base))


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 10) : at + 10]) if at < len(text) else f"the end after {text[-10:]!r}"


def _fewest_edits(a: str, b: str, base: str, text: str) -> _Laid:
    if text == base:
        return _Laid.same(len(base))
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise OptionError("align='edit' needs rapidfuzz; install caesura[align]") from None
    if len(base) * len(text) > _MOST_CELLS:
        raise MismatchError(
            f"texts of {len(base)} characters for {a} and {len(text)} for {b} are too long to be laid over each other; cut "
            "them into smaller items"
        )
    starts = np.zeros(len(text) + 1, np.int64)
    ends = np.zeros(len(text) + 1, np.int64)
    kept = np.ones(len(text) + 1, bool)
    differ = 0
    for step in Levenshtein.opcodes(text, base):
        i, j, there, until = step.src_start, step.src_end, step.dest_start, step.dest_end
        if step.tag == "delete":
            starts[i:j] = ends[i + 1 : j + 1] = there
            kept[i + 1 : j + 1] = False
        elif step.tag != "insert":
            starts[i:j] = np.arange(there, until)
            ends[i + 1 : j + 1] = np.arange(there, until) + 1
        differ += 0 if step.tag == "equal" else max(j - i, until - there)
    # The beginning and the end of one text are those of the other.
    starts[0], starts[-1], ends[-1] = 0, len(base), len(base)
    return _Laid(starts, ends, kept, differ)


# -- a corpus ---------------------------------------------------------------------------------------------------------


@dataclass
class _Item:
    """One item on its way: what its coders are over, and what is to be said."""

    lay: Lay
    counts: dict[str, int] = field(default_factory=dict)
    """Coder -> tokens."""
    characters: int = 0
    other: bool = False
    """Whether coders have other tokens."""
    losses: dict[str, _Loss] = field(default_factory=dict)
    first: str = ""

    @property
    def note(self) -> AlignmentNote | None:
        """What was lost; where nothing was, how the tokens differed."""
        lossy = {coder: one for coder, one in self.losses.items() if one.differ or one.moved or one.lost}
        if lossy:
            said = (f"for {coder} {one} from the text of {self.first}{one.after}" for coder, one in lossy.items())
            return AlignmentNote("; ".join(said), lossy=True)
        if not self.other:
            return None
        (coder, tokens), *others = self.counts.items()
        counted = "".join(f", {number} for {who}" for who, number in others)
        return AlignmentNote(f"{tokens} tokens for {coder}{counted}: {self.characters} characters", lossy=False)


def _over(corpus: Corpus, lay: Lay, excluded: list[InputError] | None) -> tuple[Corpus, dict[str, AlignmentNote]]:
    made: dict[str, dict[str, Annotation]] = {}
    notes: dict[str, AlignmentNote] = {}
    for item in corpus.item_names:
        with collect_errors(item, excluded, MismatchError):
            one = _Item(lay)
            made[item] = _projected(corpus.of_item(item), one)
            said = one.note
            if said is not None:
                notes[item] = said
    return Corpus(made), notes


def _projected(by_coder: Mapping[str, Annotation], item: _Item) -> dict[str, Annotation]:
    item.first = next(iter(by_coder))
    streams = dict.fromkeys(name for one in by_coder.values() if isinstance(one, Dialogue) for name in one)
    if not streams:
        return _texts(by_coder, item)
    for coder, one in by_coder.items():
        if not isinstance(one, Dialogue):
            raise MismatchError(f"all coders must have streams, or none; {coder} has none")
    parts: dict[str, dict[str, Segmentation]] = {coder: {} for coder in by_coder}
    for stream in streams:
        speaking = {
            coder: one[stream] for coder, one in by_coder.items() if isinstance(one, Dialogue) and stream in one
        }
        try:
            found = _texts(speaking, item)
        except MismatchError as problem:
            raise MismatchError(f"stream {stream!r}: {problem}") from None
        for coder, side in found.items():
            assert isinstance(side, Segmentation)
            parts[coder][stream] = side
    return {coder: Dialogue(every) for coder, every in parts.items()}


def _texts(by_coder: Mapping[str, Annotation], item: _Item) -> dict[str, Annotation]:
    """Coders of one text, each over the characters of the first."""
    tokens = {coder: _tokens(coder, one) for coder, one in by_coder.items()}
    first, words = next(iter(tokens.items()))
    base = _characters(words)
    if not base:
        raise MismatchError(f"a text of at least one character is needed; {first} has none")
    item.other |= any(mine != words for mine in tokens.values())
    item.characters += len(base)
    found: dict[str, Annotation] = {}
    units = tuple(base)  # one for all coders
    for coder, one in by_coder.items():
        text = _characters(tokens[coder])
        laid = item.lay(first, coder, base, text)
        lossy = item.losses.setdefault(coder, _Loss())
        lossy.differ += laid.differ
        lossy.of += len(text)
        item.counts[coder] = item.counts.get(coder, 0) + len(tokens[coder])
        offsets = np.concatenate([[0], np.cumsum([len(_characters([word])) for word in tokens[coder]])]).astype(
            np.int64
        )
        found[coder] = _moved(one, laid, offsets, units, lossy)
    return found


def _tokens(coder: str, one: Annotation) -> Sequence[str]:
    if isinstance(one, Tree):
        return [_unescaped(word) for word in one.words]
    if not isinstance(one, (Segmentation, Hierarchy)) or (isinstance(one, Hierarchy) and one.edges is not None):
        kind = kind_name(one) if not isinstance(one, Hierarchy) else "times"
        raise MismatchError(f"coder {coder!r}: units of text are needed; got {kind}")
    if one.units is None:
        raise MismatchError(
            f"the text must be known, to be laid over characters; {coder} has {one.length} units without a text"
        )
    return one.units


def _characters(tokens: Sequence[str]) -> str:
    return _SPACE.sub("", "".join(tokens))


def _unescaped(word: str) -> str:
    """As it stands in the text: the Penn Treebank has other names for brackets, and two kinds of quotes."""
    plain = _BRACKETS.get(word, word).replace("\\/", "/").replace("\\*", "*")
    return plain.replace("``", '"').replace("''", '"')


# -- one annotation ---------------------------------------------------------------------------------------------------


def _moved(one: Annotation, laid: _Laid, offsets: Ints, units: tuple[str, ...], lossy: _Loss) -> Annotation:
    if isinstance(one, Segmentation):
        return _segmentation(one, laid, offsets, units, lossy)
    if isinstance(one, Hierarchy):
        return _hierarchy(one, laid, offsets, units, lossy)
    assert isinstance(one, Tree)
    return _tree(one, laid, offsets, lossy)


def _shifted(laid: _Laid, at: Ints) -> int:
    """How many of these offsets do not lie between the same two characters any more."""
    return int(np.count_nonzero(~laid.kept[at] | (laid.starts[at] != laid.ends[at])))


def _segmentation(one: Segmentation, laid: _Laid, offsets: Ints, units: tuple[str, ...], lossy: _Loss) -> Segmentation:
    length = len(units)
    old = offsets[np.array([position for position, _ in one.boundaries], np.int64)]
    marks = list(zip(laid.ends[old].tolist(), one.codes.tolist(), strict=True))
    # Position 0 is before the text, and its end is a boundary only where somebody marked it.
    ended = bool(one.positions.size) and int(one.positions[-1]) == one.length
    new = sorted({mark for mark in marks if 0 < mark[0] < length or (ended and mark[0] == length)})
    lossy.moved += _shifted(laid, np.unique(old))
    lossy.lost += one.positions.size - len({position for position, _ in new})
    codes = [code for _, code in new] if len(one.types) > 1 else []
    labels = None
    if one.labels is not None:
        # A character that only the first text has belongs to the token before it.
        ends = np.maximum.accumulate(laid.ends[offsets])
        labels = tuple(np.repeat(np.array(one.labels, object), np.diff(ends)).tolist())
    return Segmentation(
        length,
        np.array([position for position, _ in new], np.int64),
        np.array(codes, np.int64),
        one.types,
        types_declared=one.types_declared,
        units=units,
        labels=labels,
    )


def _hierarchy(one: Hierarchy, laid: _Laid, offsets: Ints, units: tuple[str, ...], lossy: _Loss) -> Hierarchy:
    spans = []
    for span in one.spans:
        first, last = laid.starts[offsets[span.start - 1]] + 1, laid.ends[offsets[span.end]]
        if first <= last:
            spans.append((int(first), int(last), span.level, span.label))
        else:
            lossy.lost += 1
    edges = {edge for span in one.spans for edge in (span.start - 1, span.end)} - {0, one.length}
    lossy.moved += _shifted(laid, offsets[np.array(sorted(edges), np.int64)])
    return Hierarchy(len(units), spans, units=units)


def _tree(one: Tree, laid: _Laid, offsets: Ints, lossy: _Loss) -> Tree:
    times = np.column_stack([laid.starts[offsets[:-1]], laid.ends[offsets[1:]]]).astype(np.float64)
    times[:, 0] = np.minimum(times[:, 0], times[:, 1])
    lossy.moved += _shifted(laid, offsets[1:-1])
    try:
        made = one.with_times(times, zero_length="merge")
    except TreeError as problem:
        raise MismatchError(str(problem)) from None
    lossy.lost += one.length - made.length
    return made
