"""The coefficients, over a whole corpus."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.chance import COEFFICIENTS, Chance, Draft, Estimate, distributions, exact_costs, simulate
from caesura.agreement.result import Agreement, Row, corrected
from caesura.errors import OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.many import Scores, score_many
from caesura.measures.registry import parse
from caesura.measures.streams import Dialogues
from caesura.model.corpus import Corpus

__all__ = ["agreement"]

DRAWS = 10_000
MOST_DRAWS = 1_000_000
MOST_STATES = 400_000

Progress = Callable[[int, int], None]


def agreement(
    corpus: Corpus,
    *,
    measure: str | Measure = "flexible_similarity",
    coefficient: str = "kappa",
    compat: str | None = None,
    seed: int | None = None,
    chance: str = "simulate",
    draws: int | None = None,
    tolerance: float | None = None,
    normalize: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """How far coders agree beyond chance: (observed - expected) / (1 - expected).

    1 is full agreement, 0 what chance gives, below 0 is worse than chance. Over ``flexible_similarity`` (S_f, or S_f^B
    with ``normalize="boundaries"``) the coefficients are ``kappa``, ``pi``, ``s`` and ``s_modified``; they differ in the
    distribution that chance is drawn from (:mod:`caesura.agreement.chance`). With several items costs, positions and
    objects are summed before the ratio, observed and chance alike; with more than two coders the coefficient is that
    of the mean observed and mean expected similarity over pairs of coders, and ``.pairs`` has the table.

    ``chance="simulate"``: ``draws`` pairs of texts (10,000 by default), or as many as it takes to bring the standard
    error of the coefficient below ``tolerance`` (at most ``draws``, by default a million). The same ``seed`` gives the
    same number whatever the threads and the order of coders and items. ``chance="exact"``: S_f without simulation; for
    S_f^B the exact expected cost is one more control variate. If the chain behind it has too many states, chance is
    simulated, and ``.method`` says so.

    Items with fewer than two coders, and items that cannot be scored, are left out and named in ``.dropped``.
    ``progress`` is called with the number of draws made and the most there will be. ``Undefined`` is raised where the
    coefficient has no meaning: nobody placed a boundary, or chance agreement is 1.

    >>> from caesura import Segmentation
    >>> a = Segmentation.from_marks(["", ",", "", "", ".", "", ",", "."])
    >>> b = Segmentation.from_marks(["", ",", "", "", ".", "", "", "?"])
    >>> result = agreement(Corpus({"talk": {"Ann": a, "Bo": b}}), chance="exact")
    >>> f"{result.observed:.4f} {result.expected:.4f} {result.value:.4f}"
    '0.7500 0.4593 0.5376'
    """
    made = _measure(measure, compat, normalize)
    if coefficient not in COEFFICIENTS:
        raise OptionError(f"coefficient must be one of {', '.join(COEFFICIENTS)}; got {coefficient!r}")
    if chance not in ("simulate", "exact"):
        raise OptionError(f"chance must be 'simulate' or 'exact'; got {chance!r}")
    if chance == "exact" and made["algorithm"] != "exact":
        raise OptionError("chance='exact' is for the exact alignment; with algorithm='pardist' it must be simulated")
    plan = _Plan.of(draws, tolerance, seed, threads)
    dropped: dict[str, str] = {}
    observed = _observe(corpus, made, dropped)
    pairs = [_pair(one, coefficient) for one in observed]
    expected, method = _expect(made, observed[0].scores.types, pairs, plan, chance, progress)
    rows = tuple(
        Row(pair.coders, pair.observed, each.total.value, each.total.error, len(pair.items))
        for pair, each in zip(pairs, expected, strict=True)
    )
    A = sum(row.observed for row in rows) / len(rows)  # noqa: N806 - the literature's symbols
    E = sum(row.expected for row in rows) / len(rows)  # noqa: N806
    error = float(np.sqrt(sum(row.expected_error**2 for row in rows))) / len(rows)
    value = corrected(A, E)
    if value is None:
        raise Undefined(f"chance agreement is {E:.6g}, so agreement beyond chance has no meaning")
    drawn = max(each.draws for each in expected)
    return Agreement(
        coefficient=coefficient,
        value=value,
        observed=A,
        expected=E,
        standard_error=(1 - A) / (1 - E) ** 2 * error,
        expected_error=error,
        pairs=rows,
        items=_item_rows(pairs, expected),
        measure=made,
        method=method,
        draws=drawn,
        seed=plan.seed if drawn else None,
        signature=_signature(made, observed[0].scores, coefficient, method, drawn, plan, pairs),
        dropped=dropped,
    )


def _measure(measure: str | Measure, compat: str | None, normalize: str | None) -> FlexibleSimilarity:
    made = parse(measure)
    if not isinstance(made, FlexibleSimilarity):
        raise OptionError(f"agreement over {made.name} is not there yet; flexible_similarity is")
    if compat is not None and made.compat not in (None, compat):
        raise OptionError(f"the measure has compat={made.compat!r}, and compat={compat!r} was asked for; give one")
    changed = {name: value for name, value in (("compat", compat), ("normalize", normalize)) if value is not None}
    return made.replace(**changed) if changed else made


@dataclass(frozen=True)
class _Plan:
    """How much to draw."""

    most: int
    tolerance: float | None
    seed: int
    threads: int

    @classmethod
    def of(cls, draws: int | None, tolerance: float | None, seed: int | None, threads: int | None) -> _Plan:
        for name, value in (("draws", draws), ("threads", threads)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise OptionError(f"{name} must be a whole number of at least 1; got {value!r}")
        if draws is not None and draws < 20:
            raise OptionError(f"draws must be at least 20, or there is no standard error; got {draws}")
        if tolerance is not None and not 0 < tolerance < 1:
            raise OptionError(f"tolerance must lie between 0 and 1; got {tolerance!r}")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63):
            raise OptionError(f"seed must be a whole number from 0 to 2^63 - 1; got {seed!r}")
        most = draws or (DRAWS if tolerance is None else MOST_DRAWS)
        chosen = int(np.random.SeedSequence().generate_state(1, np.uint32)[0]) if seed is None else seed
        return cls(most, tolerance, chosen, threads or os.cpu_count() or 1)


@dataclass(frozen=True)
class _Observed:
    """The scores of two coders on the items both coded."""

    coders: tuple[str, str]
    items: tuple[str, ...]
    places: tuple[int, ...]
    scores: Scores


def _observe(corpus: Corpus, measure: FlexibleSimilarity, dropped: dict[str, str]) -> list[_Observed]:
    """Everything in one batch, so that all pairs are scored over the same types."""
    if len(corpus.coders) < 2:
        raise OptionError(f"agreement needs at least two coders; got {', '.join(corpus.coders) or 'none'}")
    for item in corpus.items:
        who = list(corpus.of_item(item))
        if len(who) < 2:
            dropped[item] = f"coded by {who[0]} only"
    # With a symmetric matrix the order of the coders must not matter, not even to the random numbers.
    coders = corpus.coders
    if not measure.closed or measure.prices(measure["similarity"][0]).symmetric:
        coders = tuple(sorted(coders))
    while True:
        keys = [
            (a, b, item)
            for a, b in combinations(coders, 2)
            for item in sorted(corpus.items)
            if item not in dropped and (item, a) in corpus and (item, b) in corpus
        ]
        if not keys:
            why = "; ".join(f"item {item!r}: {reason}" for item, reason in dropped.items())
            raise OptionError(f"no item is left that two coders share{': ' if why else ''}{why}")
        scores = score_many([(corpus[item, a], corpus[item, b]) for a, b, item in keys], measure)
        if not scores.errors:
            break
        for place, problem in scores.errors.items():
            a, b, item = keys[place]
            dropped.setdefault(item, f"a is {a}, b is {b}: {problem}")
    found: dict[tuple[str, str], list[int]] = {}
    for place, (a, b, _) in enumerate(keys):
        found.setdefault((a, b), []).append(place)
    return [
        _Observed(pair, tuple(keys[place][2] for place in places), tuple(places), scores)
        for pair, places in found.items()
    ]


@dataclass(frozen=True)
class _Pair:
    """One pair of coders: what was observed, and what chance is drawn from."""

    coders: tuple[str, str]
    items: tuple[str, ...]
    observed: float
    by_item: NDArray[np.float64]
    drafts: tuple[Draft, ...]


def _pair(one: _Observed, coefficient: str) -> _Pair:
    scores = one.scores
    batch = scores.batch
    assert isinstance(batch, Dialogues)
    T = len(scores.types)  # noqa: N806
    drafts = []
    placed = 0
    for place, item in zip(one.places, one.items, strict=True):
        counts = []
        for code, off in ((batch.a_code, batch.a_off), (batch.b_code, batch.b_off)):
            codes = code[off[place] : off[place + 1]]
            by_type = np.bincount(codes[codes < T], minlength=T).astype(float)
            placed += int(by_type.sum())
            counts.append(np.append(by_type, batch.length[place] - by_type.sum()))
        lengths = np.array(batch.streams[place].lengths, np.int64)
        drafts.append(Draft("\0".join((item, *one.coders)), *distributions(coefficient, *counts), lengths))
    if not placed:
        raise Undefined("nobody placed a boundary, so agreement beyond chance has no meaning")
    rows = scores.counts[list(one.places)]
    total = float(scores.measure.finish(rows.sum(axis=0)[None, :], scores.types)[0])
    return _Pair(one.coders, one.items, total, scores.measure.finish(rows, scores.types), tuple(drafts))


def _expect(
    measure: FlexibleSimilarity,
    types: tuple[str, ...],
    pairs: Sequence[_Pair],
    plan: _Plan,
    chance: str,
    progress: Progress | None,
) -> tuple[list[Chance], str]:
    """Chance agreement of every pair, and how it was found."""
    method = "simulated, 6 control variates"
    known: list[list[float] | None] = [None] * len(pairs)
    if chance == "exact":
        found = [exact_costs(measure, types, pair.drafts, MOST_STATES) for pair in pairs]
        if any(one is None for one in found):
            method += f"; exact chance would need more than {MOST_STATES} states"
        else:
            known = found
            method = (
                "exact" if measure["normalize"] == "positions" else "simulated, 6 control variates and the exact cost"
            )
    out = []
    for i, (pair, costs) in enumerate(zip(pairs, known, strict=True)):
        if costs is not None and measure["normalize"] == "positions":
            N = [draft.positions for draft in pair.drafts]  # noqa: N806
            each = [Estimate(1 - cost / n, 0.0) for cost, n in zip(costs, N, strict=True)]
            out.append(Chance(Estimate(1 - sum(costs) / sum(N), 0.0), tuple(each), 0))
            continue

        def enough(now: Estimate, pair: _Pair = pair) -> bool:
            if plan.tolerance is None or now.value >= 1:
                return False
            # The mean over pairs is more precise than each of them.
            spread = (1 - pair.observed) / (1 - now.value) ** 2 * now.error
            return spread <= plan.tolerance * math.sqrt(len(pairs))

        out.append(
            simulate(
                measure, types, pair.drafts, seed=plan.seed, most=plan.most, enough=enough, threads=plan.threads,
                exact_costs=costs,
                progress=None if progress is None else partial(_report, progress, i * plan.most, len(pairs) * plan.most),
            )
        )  # fmt: skip
    return out, method


def _report(progress: Progress, before: int, total: int, made: int) -> None:
    progress(before + made, total)


def _item_rows(pairs: Sequence[_Pair], expected: Sequence[Chance]) -> tuple[Row, ...]:
    """Item by item, the mean over the pairs that coded it."""
    found: dict[str, list[tuple[float, Estimate]]] = {}
    for pair, each in zip(pairs, expected, strict=True):
        for item, value, estimate in zip(pair.items, pair.by_item.tolist(), each.items, strict=True):
            found.setdefault(item, []).append((value, estimate))
    return tuple(
        Row(
            (item,),
            sum(value for value, _ in rows) / len(rows),
            sum(e.value for _, e in rows) / len(rows),
            float(np.sqrt(sum(e.error**2 for _, e in rows))) / len(rows),
            1,
        )
        for item, rows in found.items()
    )


def _signature(
    measure: FlexibleSimilarity,
    scores: Scores,
    coefficient: str,
    method: str,
    drawn: int,
    plan: _Plan,
    pairs: Sequence[_Pair],
) -> str:
    coders = len({coder for pair in pairs for coder in pair.coders})
    items = len({item for pair in pairs for item in pair.items})
    words = [coefficient, f"coders:{coders}", f"items:{items}", f"chance:{method}"]
    if drawn:
        words += [f"draws:{drawn}", f"seed:{plan.seed}"]
        if plan.tolerance is not None:
            words.append(f"tolerance:{plan.tolerance:g}")
    return "|".join([*words, scores.total.signature])
