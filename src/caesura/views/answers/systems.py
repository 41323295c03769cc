"""Sentences about systems that are compared with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caesura.agreement.families import coefficient_label
from caesura.model.value import count_of
from caesura.statistics.intervals import MIN_ITEMS
from caesura.views.answers.words import MAX_NAMES, join, p_words, short, short_interval

if TYPE_CHECKING:  # commands with other results must not import these
    from caesura.judging.comparison import SystemPair
    from caesura.judging.crisp_gold import CrispAndFuzzy
    from caesura.judging.judge import Judgement, SegmenterScore


def judgement_answer(judgement: Judgement) -> str:
    """Say which system is best, whether that may be chance, and whether it is as good as people."""
    measure = judgement.rows[0].measure
    best, *others = (judgement.row(name, measure, bound=False) for name in judgement.ranking(measure))
    rate = "" if measure.higher_is_better else ", an error rate"
    name = f"{best.segmenter} ({measure.label} {_value(best, others)}{rate})"
    people = _people_words(judgement, best)
    if not others:
        figure = f"{measure.label} {short(best.value)}{short_interval(best.interval)}{rate}"
        sentence = f"{best.segmenter} has {figure} over {count_of(best.items, 'item')}{people and f', {people}'}."
        rest = (_drop_words(judgement, best), _random_words(judgement, best), _few_words(best, interval=False))
        return " ".join(filter(None, (sentence, *rest)))
    under_measure = next((entry.pairs for entry in judgement.comparisons if entry.measure == measure), ())
    pairs = {frozenset(pair.systems): pair for pair in under_measure}
    alpha = judgement.comparisons[0].alpha
    comparisons = [(row, pairs.get(frozenset((best.segmenter, row.segmenter)))) for row in others]
    if len(others) == 1:
        sentence = f"{name} {_lead_words(best, *comparisons[0], alpha)}"
    else:
        leads = _leads_words(best, comparisons, alpha)
        sentence = f"{name} is best of {len(judgement.systems)} systems: {leads}"
    if any(pair.items < max(best.items, row.items) for row, pair in comparisons if pair is not None):
        sentence += "." if len(others) == 1 else "; systems are compared on the items that both have."
        sentence += f" {best.segmenter} is {people}." if people else ""
    else:
        sentence += f", and {people}." if people else "."
    rest = (_drop_words(judgement, best), _random_words(judgement, best), _few_words(best))
    return " ".join(filter(None, (sentence, *rest)))


def _value(row: SegmenterScore, others: Sequence[SegmenterScore]) -> str:
    """Return the value of a system, with the number of its items if another system or bound has a different number."""
    if all(other.items == row.items for other in others):
        return short(row.value)
    return f"{short(row.value)} over {count_of(row.items, 'item')}"


def _lead(best: SegmenterScore, pair: SystemPair) -> float:
    """Return by how much the best system is better than the other one on the items that both have."""
    sign = 1 if (pair.systems[0] == best.segmenter) == best.measure.higher_is_better else -1
    return sign * (pair.difference or 0.0)


def _drop_words(judgement: Judgement, best: SegmenterScore) -> str:
    """Say how the agreement on spans changes when the best system joins the coders."""
    for drop in judgement.drops:
        if drop.system == best.segmenter and drop.measure is None:
            name = coefficient_label(drop.coefficient)
            name = name[0].upper() + name[1:]
            if drop.without_system is not None and drop.with_system is not None:
                return f"{name} of the coders is {short(drop.without_system)}, with it {short(drop.with_system)}."
            values = [f"{short(value)} with {coder}" for coder, value in drop.with_coders.items() if value is not None]
            return f"{name} is {join(values[:MAX_NAMES])}." if values else ""
    return ""


def _lead_words(best: SegmenterScore, row: SegmenterScore, pair: SystemPair | None, alpha: float) -> str:
    """Say whether the best of two systems is better than the other."""
    other = f"{row.segmenter} ({_value(row, [best])})"
    if pair is None or pair.randomisation is None:
        return f"is ahead of {other}, but they share no item, so there is no test"
    if pair.items < max(best.items, row.items):
        return _lead_over_common_items(best, row, pair, alpha)
    items = f"over {count_of(pair.items, 'item')}"
    p = p_words(pair.randomisation, over=items, borderline="randomisation" in pair.borderline)
    if pair.randomisation <= alpha:
        return f"is better than {other}, {p}"
    if best.value == row.value:
        return f"and {other} are equal {items}"
    return f"is ahead of {other}, but that may be chance ({p})"


def _lead_over_common_items(best: SegmenterScore, row: SegmenterScore, pair: SystemPair, alpha: float) -> str:
    """Say which of two systems with different items is better on the items that both have."""
    assert pair.randomisation is not None
    p = p_words(pair.randomisation, borderline="randomisation" in pair.borderline)
    items = "the item" if pair.items == 1 else f"the {pair.items} items"
    lead = _lead(best, pair)
    leader = "it" if lead > 0 else row.segmenter
    start = f"has a better value than {row.segmenter} ({_value(row, [best])}), but over different items; over {items} of both"
    if not lead:
        return f"{start} they are equal"
    if pair.randomisation <= alpha:
        return f"{start} {leader} is better by {short(abs(lead))}, {p}"
    return f"{start} {leader} is ahead by {short(abs(lead))}, which may be chance ({p})"


def _leads_words(
    best: SegmenterScore, comparisons: Sequence[tuple[SegmenterScore, SystemPair | None]], alpha: float
) -> str:
    """Say which systems the best of several is better than, and which leads may be chance."""
    groups: dict[bool, list[SegmenterScore]] = {True: [], False: []}
    p_values: dict[bool, list[tuple[float, bool]]] = {True: [], False: []}
    worse = []
    for row, pair in comparisons:
        p = None if pair is None else pair.randomisation
        is_better = p is not None and p <= alpha
        if is_better and pair is not None and _lead(best, pair) < 0:
            worse.append(row)
            continue
        groups[is_better].append(row)
        if pair is not None and p is not None:
            p_values[is_better].append((p, "randomisation" in pair.borderline))
    clauses = []
    if groups[True]:
        p, close = max(p_values[True])
        largest = "largest " if len(groups[True]) > 1 else ""
        clauses.append(f"better than {_systems(best, groups[True])} ({largest}{p_words(p, borderline=close)})")
    if groups[False]:
        clause = f"its lead over {_systems(best, groups[False])} may be chance"
        if p_values[False]:
            p, close = min(p_values[False])
            smallest = "smallest " if len(groups[False]) > 1 else ""
            clause += f" ({smallest}{p_words(p, borderline=close)})"
        clauses.append(clause)
    if worse:
        clauses.append(f"but worse than {_systems(best, worse)} on the items of both")
    return "; ".join(clauses)


def _systems(best: SegmenterScore, rows: Sequence[SegmenterScore]) -> str:
    if len(rows) > MAX_NAMES:
        return f"{len(rows)} others"
    return join(f"{row.segmenter} ({_value(row, [best])})" for row in rows)


def _bound(judgement: Judgement, name: str, like: SegmenterScore) -> SegmenterScore | None:
    try:
        return judgement.row(name, like.measure, bound=True)
    except KeyError:
        return None


def _people_words(judgement: Judgement, best: SegmenterScore) -> str:
    """Compare a system with the agreement of the coders among each other."""
    human = _bound(judgement, "human", best)
    if human is None:
        return ""
    people = f"people ({_value(human, [best])})"
    if best.interval is not None and best.interval[0] <= human.value <= best.interval[1]:
        return f"close to {people}"
    is_better = best.value > human.value if best.measure.higher_is_better else best.value < human.value
    return f"close to {people}" if best.value == human.value else f"{'better' if is_better else 'worse'} than {people}"


def _random_words(judgement: Judgement, best: SegmenterScore) -> str:
    """Say so if not even the best system is better than random boundaries."""
    random = _bound(judgement, "random", best)
    if random is None or random.interval is None:
        return ""
    beyond = best.value > random.interval[1] if best.measure.higher_is_better else best.value < random.interval[0]
    return "" if beyond else f"It is not clearly better than random segments ({short(random.value)})."


def _few_words(best: SegmenterScore, *, interval: bool = True) -> str:
    """Say how uncertain a score is, and warn of few items."""
    ends = short_interval(best.interval).strip()
    if best.items < MIN_ITEMS:
        few = "One item is not enough" if best.items == 1 else f"{best.items} items are few"
        return f"{few}: the interval is {ends}." if ends and interval else f"{few}."
    return f"The interval is {ends}." if ends and interval else ""


def crisp_answer(result: CrispAndFuzzy) -> str:
    best = result.rows[0]
    fuzzy = max(result.rows, key=lambda row: row.fuzzy)
    standard = f"the {result.method} gold standard"
    if len(result.rows) == 1:
        return f"Against {standard}, {best.system} has F {short(best.f)}; its fuzzy success is {short(best.fuzzy)}."
    crisp = f"Against {standard}, {best.system} is best (F {short(best.f)})"
    if fuzzy.system == best.system:
        return f"{crisp}, and under fuzzy success too ({short(fuzzy.fuzzy)})."
    return f"{crisp}; under fuzzy success, {fuzzy.system} is ({short(fuzzy.fuzzy)})."
