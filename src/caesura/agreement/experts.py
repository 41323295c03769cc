"""The similarity of boundary types, estimated from the annotations of experts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from caesura.agreement.coder_pairs import check_coders, check_corpus
from caesura.errors import MismatchError, OptionError
from caesura.measures.flexible import similarity_from_confusion
from caesura.measures.needs import different_units
from caesura.model.batch import stream_pairs
from caesura.model.corpus import Corpus
from caesura.model.dialogue import texts_of
from caesura.model.index import bincount
from caesura.model.result import Excluded, Result, signature_line
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.similarity import NONE
from caesura.model.value import Ints
from caesura.progress import report_progress


@dataclass(frozen=True)
class TypeSimilarity:
    """How similar two boundary types are, or a type and no boundary."""

    # The types; ``"none"`` is no boundary.
    first: str
    second: str
    similarity: float
    confusions: int  # number of positions at which one expert chose the first and the other the second


@dataclass(frozen=True)
class ExpertSimilarity(Result):
    """Similarity of boundary types, estimated from experts.

    Attributes
    ----------
    types : tuple of str
        The boundary types.
    counts : tuple of tuple of int
        Positions by the type of one expert (rows) and of the other (columns); the last of each is no boundary.
    matrix : tuple of tuple of float
        Similarities, in the same order.
    coders, items : tuple of str
        The experts and the items that were counted.
    smoothing : float
        Number that was added to every count.
    excluded : tuple of Excluded
        Items that could not be counted.
    """

    types: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    matrix: tuple[tuple[float, ...], ...]
    coders: tuple[str, ...]
    items: tuple[str, ...]
    smoothing: float
    excluded: tuple[Excluded, ...] = ()

    json_properties: ClassVar[tuple[str, ...]] = ("signature",)
    frame_field: ClassVar[str] = "similarities"

    @property
    def similarity(self) -> dict[str, Any]:
        """The form that ``similarity=`` of :func:`~caesura.flexible_similarity` accepts."""
        return {"types": list(self.types), "matrix": [list(row) for row in self.matrix]}

    @property
    def similarities(self) -> tuple[TypeSimilarity, ...]:
        """All pairs of types, and each type with no boundary, the most similar first."""
        names = (*self.types, NONE)
        rows = [
            TypeSimilarity(x, names[j], self.matrix[i][j], self.counts[i][j] + self.counts[j][i])
            for (i, x), (j, _) in combinations(enumerate(names), 2)
        ]
        return tuple(sorted(rows, key=lambda row: -row.similarity))

    @property
    def signature(self) -> str:
        """One line with everything needed to reproduce the matrix."""
        facts = f"coders:{len(self.coders)}", f"items:{len(self.items)}", f"smoothing:{self.smoothing:g}"
        return signature_line("similarity_from_experts", *facts, types="|".join(self.types))


def similarity_from_experts(corpus: Corpus, *, smoothing: float = 0.0) -> ExpertSimilarity:
    """Estimate how similar boundary types are from what experts confuse.

    Parameters
    ----------
    corpus : Corpus
        Segmentations or dialogues of at least two experts, with one type per boundary.
    smoothing : float, default 0
        Number added to every count, see :func:`~caesura.similarity_from_confusion`.

    Returns
    -------
    ExpertSimilarity
        Counts, similarities and items that could not be counted.

    Raises
    ------
    OptionError
        If there are fewer than two experts, if boundaries have no types, or if the experts never agree on a type.

    Notes
    -----
    Every pair of experts adds one count per position, for the types that the two chose there; position N, the end of the
    text, is one of them. Two experts are the rows and the columns of the counts. With more, each pair counts in both
    directions, so that the order of the experts does not matter. The estimate is that of
    :func:`~caesura.similarity_from_confusion`.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> marks = {"ann": ["", ",", "", ".", "", ",", "."], "bo": ["", ",", "", ",", "", ".", "."]}
    >>> corpus = Corpus({"talk": {coder: Segmentation.from_marks(m) for coder, m in marks.items()}})
    >>> result = similarity_from_experts(corpus)
    >>> result.counts
    ((1, 1, 0), (1, 1, 0), (0, 0, 3))
    >>> result.similarity["matrix"]
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    check_corpus(corpus)
    check_coders(corpus.coders)
    types = _types(corpus)
    counts = np.zeros((len(types) + 1, len(types) + 1), np.int64)
    items, excluded = [], []
    for number, item in enumerate(corpus.item_names, 1):
        try:
            counts += _count_item(corpus, item, types)
            items.append(item)
        except MismatchError as error:
            excluded.append(Excluded(item, None, str(error)))
        report_progress(number, len(corpus.item_names))
    if not items:
        raise OptionError("\n".join(map(str, excluded)))
    if len(corpus.coders) > 2:
        counts = counts + counts.T
    estimate = similarity_from_confusion(counts, types, smoothing=smoothing)
    return ExpertSimilarity(
        types=types,
        counts=tuple(map(tuple, counts.tolist())),
        matrix=tuple(map(tuple, estimate["matrix"])),
        coders=corpus.coders,
        items=tuple(items),
        smoothing=smoothing,
        excluded=tuple(excluded),
    )


def _types(corpus: Corpus) -> tuple[str, ...]:
    """Return the declared types, or those that occur; raise an error if boundaries have no types."""
    texts = [text for key in corpus for text in texts_of(corpus[key]).values()]
    for text in texts:
        if text.types_declared and text.types != UNTYPED:
            return text.types
    types = sort_types({name for text in texts for _, name in text.boundaries})
    if not types or types == UNTYPED:
        raise OptionError("the boundaries have no types; experts can only confuse boundaries of different types")
    return types


def _count_item(corpus: Corpus, item: str, types: tuple[str, ...]) -> Ints:
    annotations = corpus.of_item(item)
    coders = [coder for coder in corpus.coders if coder in annotations]
    if len(coders) < 2:
        raise MismatchError(f"coded by {coders[0]} only")
    size = len(types) + 1
    counts = np.zeros(size * size, np.int64)
    known: dict[tuple[str, str | None], Ints] = {}
    for pair in combinations(coders, 2):
        first, second = (texts_of(annotations[coder]) for coder in pair)
        for stream, a, b in stream_pairs(first, second, pair):
            if (problem := different_units(a, b, pair)) is not None:
                raise MismatchError(f"stream {stream!r}: {problem}")
            for coder, text in zip(pair, (a, b), strict=True):
                if (coder, stream) not in known:
                    known[coder, stream] = _codes(text, types, coder)
            counts += bincount(known[pair[0], stream] * size + known[pair[1], stream], minlength=len(counts))
    return counts.reshape(size, size)


def _codes(text: Segmentation, types: Sequence[str], coder: str) -> Ints:
    """Return the type of each position as an index, or the number of types for no boundary."""
    codes = np.full(text.length, len(types), np.int64)
    for position, name in text.boundaries:
        if codes[position - 1] < len(types):
            raise MismatchError(f"{coder}: a position may have one type only; position {position} has two")
        if name not in types:
            raise MismatchError(f"{coder}: type {name!r} at position {position} is not one of {', '.join(types)}")
        codes[position - 1] = types.index(name)
    return codes
