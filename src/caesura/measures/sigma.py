"""Sigma: how much of the BLEU that a text allows its line and subtitle breaks achieve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import import_module

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.limits import MAX_CELLS
from caesura.measures.base import BatchCounts, Counts, Measure, option
from caesura.measures.needs import Needs, different_units
from caesura.model.annotation import HAS_UNITS
from caesura.model.batch import Batch
from caesura.model.index import bincount, flatnonzero
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats
from caesura.options import choice

# Longest n-gram that BLEU counts.
ORDERS = 4
_BREAK = "\ue000"  # a private character, which texts do not contain; no tokenizer separates the number after it
_Tokenizer = Callable[[list[str]], list[str]]


class Sigma(Measure):
    name = "sigma"
    title = "BLEU of text and breaks, as a share of its upper limit for this text (Karakanta et al. 2022)"
    summary = "breaks between different words"
    short_name = "Sigma"
    places_boundaries = False
    needs = Needs(units=True, texts=False, streams=False)
    best = 100.0
    parts = tuple(f"{name}_{n}" for name in ("matches", "ngrams", "break_matches", "break_ngrams") for n in range(1, 5))

    tokenize: str = option(
        "words", choice("words", "sacrebleu"), "units as they are, or divided by the tokenizer 13a of sacreBLEU"
    )
    smooth: str = option(
        "none",
        choice("none", "exp"),
        "precision of n-grams without matches: 0, or that of 1/2, 1/4, ... of a match, as in sacreBLEU",
    )

    @property
    def needs_pairs(self) -> bool:
        return True

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        table, errors = batch.table, dict[int, CaesuraError]()
        has_words, length, other = table.has(HAS_UNITS), table.end[batch.first], table.end[batch.second]
        unknown = ~(has_words[batch.first] & has_words[batch.second])
        for row in flatnonzero(unknown & ((length != other) | (length > MAX_CELLS))).tolist():
            a, b = (table.annotations[rows[row]] for rows in (batch.first, batch.second))
            problem = different_units(a, b, self.sides)
            if problem is None and not (a.units or b.units) and a.length > MAX_CELLS:
                problem = f"no words, and {a.length:,} units, more than {MAX_CELLS:,}; give the words (units=...)"
            if problem is not None:
                errors[row] = MismatchError(problem)
        return errors

    def count(self, batch: Batch) -> BatchCounts:
        texts, tokenize = batch.table.annotations, _tokenizer() if self.tokenize == "sacrebleu" else list
        pairs = zip(batch.first.tolist(), batch.second.tolist(), strict=True)
        rows = [_counts(texts[a], texts[b], tokenize) for a, b in pairs]
        return BatchCounts(np.array(rows, np.float64).reshape(-1, len(self.parts)), {})

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        smooth = self.smooth == "exp"
        return np.array([_value(row.reshape(4, ORDERS), smooth) for row in counts], np.float64)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        words, tokens = counts["ngrams_1"], counts["break_ngrams_1"]
        return {"breaks_per_word": (tokens - words) / words if words else 0.0}


@cache
def _tokenizer() -> _Tokenizer:
    """Return the tokenizer 13a, which BLEU of sacreBLEU uses."""
    try:
        tokenizer = import_module("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    except ImportError:
        raise OptionError("sigma: tokenize='sacrebleu' needs sacrebleu; run pip install 'caesura[subtitles]'") from None
    return lambda tokens: tokenizer(" ".join(tokens)).split()


def _counts(reference: Segmentation, hypothesis: Segmentation, tokenize: _Tokenizer) -> list[int]:
    """Return the n-grams of the hypothesis that the reference has too, and all of them: without breaks, and with breaks."""
    types = {name: i for i, name in enumerate(sorted({*reference.types, *hypothesis.types}))}
    shared = reference.units or hypothesis.units or _numbers(reference.length)
    row: list[int] = []
    for with_breaks in (False, True):
        a, b = (tokenize(_tokens(side, shared, types if with_breaks else {})) for side in (reference, hypothesis))
        all_of_b = [max(0, len(b) - n + 1) for n in range(1, ORDERS + 1)]
        row += [*(all_of_b if a == b else _common_ngrams(a, b)), *all_of_b]
    return row


@lru_cache(1)  # many texts of a corpus have the same length
def _numbers(length: int) -> tuple[str, ...]:
    return tuple(map(str, range(length)))


def _tokens(text: Segmentation, shared: tuple[str, ...], types: Mapping[str, int]) -> list[str]:
    """Return the words, or the shared ones, with a token for each set of types between them, if there are types."""
    codes: dict[int, int] = {}
    for position, name in text.boundaries if types else ():
        codes[position] = codes.get(position, 0) | 1 << types[name]
    tokens: list[str] = []
    words, previous = text.units or shared, 0
    for position in sorted(codes):
        tokens += [*words[previous:position], f"{_BREAK}{codes[position]}"]
        previous = position
    return [*tokens, *words[previous:]]


def _common_ngrams(a: list[str], b: list[str]) -> list[int]:
    """Return how many n-grams of each order both texts have, each as often as in the text that has it less often."""
    tokens = [*a, *b]
    number = dict(zip(tokens, range(len(tokens)), strict=True))
    codes = np.array([number[token] for token in tokens], np.int64)
    sides = codes[: len(a)], codes[len(a) :]
    grams, distinct, common = sides, len(tokens), []
    for n in range(1, ORDERS + 1):
        if n > 1:  # an n-gram is a shorter one, by its number, and a token
            first, second = (g[:-1] * len(tokens) + side[n - 1 :] for g, side in zip(grams, sides, strict=True))
            values, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
            grams, distinct = (numbers[: len(first)], numbers[len(first) :]), len(values)
        counts = [bincount(side, minlength=distinct) for side in grams]
        common.append(int(np.minimum(*counts).sum()))
    return common


def _value(counts: Floats, smooth: bool) -> float:
    """Return Sigma. The brevity penalty is a factor of BLEU and of its upper limit, and cancels out."""
    matches, ngrams, break_matches, break_ngrams = counts
    orders = int(np.count_nonzero((ngrams > 0) & (break_ngrams > 0)))
    if not orders or not matches[0]:
        return 0.0
    ratio = (break_ngrams[0] - ngrams[0]) / ngrams[0]
    with_breaks = _precisions(break_matches, break_ngrams, smooth)[:orders]
    precisions = _precisions(matches, ngrams, smooth)[:orders]
    n, previous = np.arange(1, orders + 1), np.concatenate([[1.0], precisions[:-1]])
    limits = (precisions + ratio * (n * previous - (n - 1) * precisions)) / (1 + ratio)
    if (with_breaks == 0).any() or (limits <= 0).any():
        return 0.0
    return 100 * float(np.exp(np.mean(np.log(with_breaks) - np.log(limits))))


def _precisions(matches: Floats, ngrams: Floats, smooth: bool) -> Floats:
    """Return the precision of each order; with smoothing, orders without matches have 1/2, 1/4, ... of a match."""
    missing = (matches == 0) & smooth
    return np.where(missing, 0.5 ** np.cumsum(missing), matches) / np.maximum(1, ngrams)


def sigma(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    tokenize: str | None = None,
    smooth: str | None = None,
    compat: str | None = None,
) -> Score:
    """Compute Sigma: BLEU of a text with its breaks, in per cent of the BLEU that the breaks could reach in this text.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        Texts with breaks between their words. The words may differ, as in subtitles that a system translates.
    tokenize : {"words", "sacrebleu"}, optional
        Whether the units are the tokens (default), or the tokenizer 13a of sacreBLEU divides them, which separates
        punctuation. It needs ``pip install caesura[subtitles]``.
    smooth : {"none", "exp"}, optional
        Precision of an order of n-grams without matches: 0 (default), or that of 1/2 match for the first such order, 1/4
        for the second and so on, as in sacreBLEU.
    compat : {"evalsubtitle"}, optional
        The number that EvalSubtitle prints: ``tokenize="sacrebleu"`` and ``smooth="exp"``.

    Returns
    -------
    Score
        100 if the breaks are as good as they can be beside these words, more if few words agree; 0 if an
        order of n-grams has no matches or no limit above 0. ``score.parts["breaks_per_word"]`` is the ratio of the hypothesis.

    Raises
    ------
    MismatchError
        If a side has no words and the numbers of units differ.
    OptionError
        If sacreBLEU is needed and not installed.

    Notes
    -----
    A break is a token; breaks of different types are different tokens. With the precisions p_n of n-grams without
    breaks, p_0 = 1, and a breaks per word in the hypothesis, the precision with breaks is at most about::

        p'_n = ((1 - (n - 1) a) p_n + n a p_(n-1)) / (1 + a)
        Sigma = 100 BLEU_br / (bp_br exp(mean of log p'_n))

    where BLEU_br and its brevity penalty bp_br count breaks as tokens, and n goes from 1 to 4. The penalty cancels out. The
    n-grams of all items are summed, so read subtitles with one sentence per item. Orders that a short text does not
    have are left out.

    Do not use it to compare breaks in the same words: :func:`boundary_f` and :func:`boundary_similarity` say more. Sigma also
    depends on the quality of the words, because the limit is an estimate.

    References
    ----------
    Karakanta, A., Buet, F., Cettolo, M., & Yvon, F. (2022). Evaluating subtitle segmentation for end-to-end generation
    systems. LREC.

    Examples
    --------
    >>> texts = {"units": "we all know that it is late".split(), "marks": ["eol", "eob"]}
    >>> reference = Segmentation.from_positions(7, [3, 7], **texts)
    >>> hypothesis = Segmentation.from_positions(7, [4, 7], **texts)
    >>> f"{sigma(reference, hypothesis).value:.2f}"
    '45.97'
    """
    return Sigma.cached(compat, tokenize=tokenize, smooth=smooth).score(reference, hypothesis)
