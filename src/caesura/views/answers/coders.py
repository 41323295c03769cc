"""Sentences about coders: agreement, disagreements, pairs, gold standards and similarity of types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caesura.agreement.families import coefficient_label, correction_of_mean
from caesura.agreement.mean import MEAN
from caesura.measures.base import POSITION_COEFFICIENTS
from caesura.model.value import count_of
from caesura.views.answers.scores import score_figure
from caesura.views.answers.words import MAX_NAMES, join, named, number_word, short, short_interval, strength
from caesura.views.table import shorten

if TYPE_CHECKING:  # commands with other results must not import these
    from caesura.agreement.disagreement_rows import DisagreementPlace, Disagreements
    from caesura.agreement.experts import ExpertSimilarity
    from caesura.agreement.pairwise import Pairwise, PairwiseRow
    from caesura.agreement.result import Agreement, ItemAgreement
    from caesura.gold.experiment import Unification
    from caesura.gold.gold import Gold
    from caesura.tasks.agree import AgreementOutcome
    from caesura.tasks.pairwise import PairwiseStudy

_MIN_GAIN = 0.01  # smallest gain without a coder that is worth a sentence
# Coefficients whose value is no degree of agreement beyond chance -> what else the sentence says.
_NO_VERDICT = {
    "bias": "",
    "percent": ", which is not corrected for chance",
    "gwet": ". AC1 is high if boundaries are rare, also by chance; give multi_kappa or alpha beside it",
}
_MAX_QUOTE = 40  # characters of a quotation


def coefficient_name(outcome: AgreementOutcome) -> str:
    """Return the coefficient and its measure for tables: ``pi(B)``."""
    label = coefficient_label(outcome.coefficient)
    if outcome.coefficient == MEAN:
        beyond = outcome.result is not None and outcome.result.expected is not None
        return f"mean {outcome.over}{' beyond placement' * beyond}"
    if outcome.measure is None:
        return label
    if outcome.measure.chance_corrected:  # the measure is the coefficient
        return outcome.over
    return label if outcome.coefficient in POSITION_COEFFICIENTS else f"{label}({outcome.over})"


def headline(outcomes: Sequence[AgreementOutcome]) -> AgreementOutcome:
    """Return the outcome that an answer begins with: the first one that says how far coders agree beyond chance."""
    verdicts = (outcome for outcome in outcomes if outcome.coefficient not in _NO_VERDICT)
    return next(verdicts, outcomes[0])


def outcome_answer(outcome: AgreementOutcome) -> str:
    """Say how far coders agree by one coefficient, who differs from the others, and on which item they agree least."""
    result = outcome.result
    if result is None:
        return f"Agreement is undefined: {outcome.reason}."
    sentences = [_agreement_sentence(outcome, result)]
    for outlier in result.outliers[:1] if len(result.coders) > 2 else ():
        if (outlier.gain or 0) >= _MIN_GAIN:
            sentences.append(f"Without {named('coder', outlier.coder)} it would be {short(outlier.without)}.")
    worst = worst_items(result)
    if len(worst) > 1 and worst[0].value != worst[-1].value:
        sentences.append(f"Most disagreement: {named('item', worst[0].item)} ({short(worst[0].value)}).")
    return " ".join(sentences)


def _agreement_sentence(outcome: AgreementOutcome, result: Agreement) -> str:
    if outcome.coefficient == MEAN:
        return _mean_sentence(outcome, result)
    name = coefficient_name(outcome)
    name = name if outcome.measure is None else name.replace("(", " over ", 1).removesuffix(")")
    figure = f"{name} = {short(result.value)}{short_interval(result.interval)}"
    coders = f"{number_word(len(result.coders))} coders"
    items = count_of(len(result.items), "item")
    if outcome.coefficient in _NO_VERDICT:
        return f"{coders} on {items}: {figure}{_NO_VERDICT[outcome.coefficient]}."
    placement = outcome.placement
    placed = "" if placement is None else f" ({short(placement.value)} if chance means random placement)"
    return f"{coders} agree {strength(result.value, result.interval)}: {figure} on {items}{placed}."


def _mean_sentence(outcome: AgreementOutcome, result: Agreement) -> str:
    """Return the mean over pairs, and whether it is corrected for chance."""
    coders, items = f"{number_word(len(result.coders))} coders", count_of(len(result.items), "item")
    pairs = count_of(len(result.pairs), "pair")
    figure = f"{short(result.value)}{short_interval(result.interval)}"
    if result.expected is None:
        kind = "" if result.measure is None or result.measure.higher_is_better else " (lower is better)"
        word = None if result.measure is None else correction_of_mean(result.measure)
        hint = "" if word is None else f"; add --chance {word}"
        sentence = f"{coders}: the mean {outcome.over} over {pairs} is {figure}{kind} on {items}."
        return f"{sentence} This is not corrected for chance{hint}."
    strong = strength(result.value, result.interval)
    observed, expected = short(result.observed), short(result.expected)
    return (
        f"{coders} agree {strong} beyond random placement: {figure} on {items}, where the mean {outcome.over} over {pairs} is "
        f"{observed} and that of randomly placed boundaries {expected}."
    )


def worst_items(result: Agreement) -> list[ItemAgreement]:
    """Return the items for which the coefficient is defined, least agreement first."""
    defined = [row for row in result.items if row.value is not None]
    rising = result.expected is not None or result.measure is None or result.measure.higher_is_better
    return sorted(defined, key=lambda row: ((row.value or 0.0) if rising else -(row.value or 0.0), row.item))


def disagreements_answer(result: Disagreements) -> str:
    """Say at how many places coders disagree, which place costs most, and who takes part most."""
    from caesura.agreement.disagreement_rows import MAJORITY

    whom = {None: "", MAJORITY: " with the majority"}.get(result.against, f" with {result.against}")
    if not result.place_count:
        return f"The coders agree{whom} everywhere, on {count_of(len(result.items), 'item')}."
    items = sum(map(bool, result.totals.places_by_item.values()))
    of_items = "" if items == len(result.items) else f" of {len(result.items)}"
    places = count_of(result.place_count, "place")
    beginning = f"{number_word(len(result.coders))} coders disagree{whom} at {places}"
    where = f"{beginning} in {items}{of_items} {'item' if len(result.items) == 1 else 'items'}"
    place = result.places[0]
    clauses = f"{place_words(place)}: {who_words(place)}"
    if result.place_count == 1:
        return f"{beginning}, in {clauses}."
    sentences = [f"{where}; the costliest is {clauses}."]
    shares = [(coder, cost) for coder, cost in result.by_coder.items() if coder != result.against]
    if len(result.coders) > 2:
        verb = "takes part in" if result.against is None else "differs most, with"
        sentences.append(f"{shares[0][0]} {verb} {100 * shares[0][1] / result.cost:.0f} % of the cost.")
    return " ".join(sentences)


def place_words(place: DisagreementPlace) -> str:
    """Return where a place is: item, stream, and text, time or position."""
    name = named("item", place.item) + ("" if place.stream is None else f" ({place.stream})")
    time = "" if place.time is None else f" ({place.time:.2f} s)"
    text = f", '{shorten(place.between, _MAX_QUOTE)}'" if place.between else ""
    if place.units:
        extent = extent_words(place.positions[0], place.positions[-1], seconds=bool(place.times))
        return f"{name}, {extent}{text}"
    if place.span is not None:
        return f"{name}, units {place.span[0]} to {place.span[1]}{text}{time}"
    if _is_quoted(place):
        return f"{name}, around '{shorten(place.between, _MAX_QUOTE)}'{time}"
    if place.before:
        words = place.before.split()
        quote = " ".join(words[-3:]) if len(words) > 1 else shorten(place.before, _MAX_QUOTE)
        return f"{name}, after '{quote}'{time}"
    if place.time is not None:
        return f"{name} at {place.time:.2f} s"
    return f"{name}, {'near' if len(place.positions) > 1 else 'after'} unit {place.position}"


def _is_quoted(place: DisagreementPlace) -> bool:
    """Return whether a place is described by the text between two positions."""
    return place.span is None and len(place.positions) == 2 and bool(place.between)


def who_words(place: DisagreementPlace) -> str:
    """Say which coders have a boundary at a place, and where, and which have none."""
    noun = "a boundary" if place.span is None else "this span"
    clauses = []
    groups: dict[str, list[str]] = units_words(place)
    if place.units:
        clauses = [f"{_have(coders)} {words}" for words, coders in groups.items()]
        summary = f"{len(groups)} different spans"
    else:
        for coder in place.marks:
            groups.setdefault(_marks_words(place, coder), []).append(coder)
        for i, (words, coders) in enumerate(groups.items()):
            people = _people(coders) if i else f"{_have(coders)} {noun}"
            clauses.append(" ".join(filter(None, (people, words))))
        difference = "of different types" if place.span is None else "on other levels"
        summary = f"{noun} {'nearby' if len(place.positions) > 1 else difference}"
    if len(groups) > 2:
        clauses = [f"{_people(place.has)} have {summary}"]
    if place.has_not:
        clauses.append(f"{_have(place.has_not)} none")
    return ", ".join(clauses)


def extent_words(start: float, end: float, *, seconds: bool) -> str:
    """Return where a span begins and ends, with at most two decimals."""
    return f"{round(start, 2):.15g}-{round(end, 2):.15g}{' s' * seconds}"


def units_words(place: DisagreementPlace) -> dict[str, list[str]]:
    """Return the different spans of a place in words, with the coders who have them."""
    groups: dict[str, list[str]] = {}
    for coder, unit in place.units.items():
        extent = extent_words(unit.start, unit.end, seconds=bool(place.times))
        category = "" if unit.category is None else f" {shorten(unit.category, _MAX_QUOTE)}"
        groups.setdefault(f"{extent}{category}", []).append(coder)
    return groups


def _marks_words(place: DisagreementPlace, coder: str) -> str:
    """Return where the boundaries of a coder are and their types, as far as coders differ in them."""
    several = len(place.positions) > 1
    types = len({kind for entries in place.marks.values() for _, kind in entries}) > 1
    marks, times = place.marks[coder], place.mark_times.get(coder, ())
    words = []
    for i, (position, kind) in enumerate(marks):
        at = f"at {times[i]:.2f} s" if len(times) == len(marks) else f"after unit {position}"
        if _is_quoted(place):
            at = "before it" if position == place.position else "after it"
        of_type = "" if not types or kind is None else _type_words(kind, is_span=place.span is not None)
        words.append(" ".join(filter(None, (of_type, at if several else ""))))
    return " and ".join(filter(None, words))


def _type_words(kind: str, *, is_span: bool) -> str:
    if not is_span:
        return f"of type '{kind}'"
    return f"on {kind}" if kind.startswith("level ") else f"as '{kind}'"


def _people(coders: Sequence[str]) -> str:
    return join(coders) if len(coders) <= MAX_NAMES else f"{len(coders)} coders"


def _have(coders: Sequence[str]) -> str:
    return f"{_people(coders)} {'has' if len(coders) == 1 else 'have'}"


def pairwise_answer(study: PairwiseStudy) -> str:
    """Say which coders agree most and least, and how far pairs agree on average."""
    first, *others = study.pairwise
    label, ranked = first.measure.label, first.ranked
    best, worst = ranked[0], ranked[-1]
    if len({frozenset(row.coders) for row in ranked}) == 1:
        sentence = f"{join(best.coders)} have {score_figure(best.score)} over {count_of(len(best.items), 'item')}."
    elif best.value == worst.value:
        sentence = f"All {pairs_words(first)} agree equally: {label} {short(best.value)}."
    else:
        sentence = (
            f"{_pair(first, best)} agree most ({label} {short(best.value)}), {_pair(first, worst)} least "
            f"({short(worst.value)}); the mean over {pairs_words(first)} is {_mean(first)}."
        )
    further = [f"{table.measure.label} {_mean(table)}" for table in others]
    return f"{sentence} Other means: {join(further)}." if further else sentence


def _pair(table: Pairwise, row: PairwiseRow) -> str:
    names = join(row.coders)
    return names if table.measure.symmetric else f"{names} (in this order)"


def pairs_words(table: Pairwise) -> str:
    return count_of(len(table.rows), "ordered pair" if table.ordered else "pair")


def _mean(table: Pairwise) -> str:
    text = f"{short(table.mean)} ± {short(table.deviation)}"
    if table.measure.higher_is_better:
        return text
    inverse = f"1 - {table.measure.label} = {short(1 - table.mean)}" if table.measure.worst == 1 else ""
    return f"{text} ({', '.join(filter(None, ('an error rate', inverse)))})"


def gold_answer(result: Gold) -> str:
    """Say how large the gold standard is, how many coders support it, and whether it is unique."""
    nouns = ("boundary", "boundaries") if result.unit == "boundary" else ("span", "spans")
    number = len(result.kept)
    size = f"{number:,} {nouns[number != 1]}" if number else f"no {nouns[1]}"
    text = f"The gold standard of {len(result.coders)} coders on {count_of(len(result.items), 'item')} has {size}"
    if number:
        supported = sum(len(entry.coders) > 1 for entry in result.kept)
        which = "it was" if number == 1 else "all of them were"
        if supported < number:
            which = f"{supported:,} of them {'was' if supported == 1 else 'were'}"
        text += f"; {which} placed by at least two coders"
    tied = sum(entry.optima > 1 for entry in result.items)
    if not tied:
        return f"{text}."
    if len(result.items) == 1:
        return f"{text}. It is one of several equally good solutions."
    return f"{text}. {count_of(tied, 'item')} {'has' if tied == 1 else 'have'} several equally good solutions."


def unification_answer(experiment: Unification) -> str:
    """Say which method is closest to the annotations of hierarchies."""
    rows = [row for row in experiment.rows if row.includes_self and row.kappa.mean is not None]
    items = count_of(len(experiment.items), "item")
    if not rows:
        return f"No method has a kappa on {items}."
    kappas = [row.kappa.mean or 0.0 for row in rows]
    best = [row for row, kappa in zip(rows, kappas, strict=True) if kappa > max(kappas) - 1e-12]
    kappa = f"mean kappa {short(max(kappas))}"
    if len(best) > 1:
        return f"{join(row.name for row in best)} are equally close to the annotations of {items}: {kappa}."
    (row,) = best
    figures = f"recall {short(row.recall.mean)} and precision {short(row.precision.mean)}"
    return (
        f"{row.name} is closest to the annotations of {items}: {kappa}, {figures}, {row.mean_spans:.1f} spans per item."
    )


def similarity_answer(result: ExpertSimilarity, target: str | None) -> str:
    """Say which boundary types experts confuse most."""
    who = f"{number_word(len(result.coders)).capitalize()} experts"
    over = f"on {count_of(len(result.items), 'item')}"
    best = next((pair for pair in result.similarities if pair.confusions and pair.similarity), None)
    if best is not None:
        other = f"{best.second!r}" if best.second != "none" else "no boundary"
        text = f"{who} confuse {best.first!r} and {other} most {over}: similarity {short(best.similarity)}"
        text += f" from {count_of(best.confusions, 'confusion')}."
    else:
        text = f"{who} confuse no two types in both directions {over}."
    return text if target is None else f"{text} Written to {target}."
