"""The sentences with which commands answer, and the words for sizes. No other module writes such sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caesura.agreement.families import coefficient_label
from caesura.model.result import Excluded, Score
from caesura.model.value import count_of, list_few
from caesura.statistics.intervals import MIN_ITEMS
from caesura.views.table import shorten

if TYPE_CHECKING:  # every command imports this module; it must not import what all other commands need
    from caesura.agreement.coefficients import Agreement, ItemAgreement
    from caesura.agreement.disagreement_rows import DisagreementPlace, Disagreements
    from caesura.agreement.experts import ExpertSimilarity
    from caesura.agreement.pairwise import Pairwise, PairwiseRow
    from caesura.evaluation.result import Evaluation
    from caesura.gold.experiment import Unification
    from caesura.gold.gold import Gold
    from caesura.judging.comparison import SystemPair
    from caesura.judging.crisp_gold import CrispAndFuzzy
    from caesura.judging.judge import Judgement, SegmenterScore
    from caesura.model.corpus import Corpus
    from caesura.tasks.agree import AgreementOutcome, AgreementStudy
    from caesura.tasks.files import FileInfo
    from caesura.tasks.pairwise import PairwiseStudy
    from caesura.tasks.score import Scoring
    from caesura.tasks.trees import TreeStudy
    from caesura.tasks.verify import Verification, Verifications

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

# Landis, J. R., & Koch, G. G. (1977). The measurement of observer agreement for categorical data. Biometrics 33, page 165.
_STRENGTHS = (
    (0.0, "not beyond chance"),
    (0.2, "slightly"),
    (0.4, "fairly"),
    (0.6, "moderately"),
    (0.8, "substantially"),
    (1.0, "almost perfectly"),
)
STRENGTH_NOTE = (
    "words after Landis & Koch (1977), a convention and not a test: slightly to .20, fairly to .40, moderately to .60, "
    "substantially to .80, almost perfectly above"
)
"""Source of the words of :func:`strength`."""
PLACEMENT_NOTE = "placed: beyond the agreement of coders who place as many boundaries at random (docs/agreement.md)"
"""Meaning of the columns with chance by placement."""
_MIN_GAIN = 0.01  # smallest gain without a coder that is worth a sentence
_FEW = 4  # names in a sentence
_MAX_QUOTE = 40  # characters of a quotation
_MAX_LISTED = 3  # excluded items with the same reason that are listed one by one


def short(value: float | None, digits: int = 2) -> str:
    """Return a number for a sentence, without the zero before the point.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int, default 2
        Number of decimals.

    Returns
    -------
    str
        The number, or "undefined".

    Examples
    --------
    >>> short(0.616), short(-0.25), short(1.0), short(None)
    ('.62', '-.25', '1.00', 'undefined')
    """
    if value is None:
        return "undefined"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def short_interval(interval: tuple[float, float] | None) -> str:
    """Return an interval for a sentence, with a blank before it.

    Parameters
    ----------
    interval : tuple of float, optional
        The interval; None if there is none.

    Returns
    -------
    str
        The interval in brackets; empty if there is none.

    Examples
    --------
    >>> short_interval((0.604, 0.642))
    ' [.60, .64]'
    """
    return "" if interval is None else f" [{short(interval[0])}, {short(interval[1])}]"


def number_word(number: int) -> str:
    """Return a number at the beginning of a sentence: as a word up to twelve, else in digits.

    Parameters
    ----------
    number : int
        The number.

    Returns
    -------
    str
        The word, with a capital letter, or the digits.
    """
    return _NUMBERS[number].capitalize() if 0 <= number < len(_NUMBERS) else f"{number:,}"


def join(words: Iterable[str]) -> str:
    """Return words as an enumeration with "and".

    Parameters
    ----------
    words : iterable of str
        The words.

    Returns
    -------
    str
        The enumeration.

    Examples
    --------
    >>> join(["ann", "bo", "cy"])
    'ann, bo and cy'
    """
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def strength(value: float, interval: tuple[float, float] | None = None) -> str:
    """Return how far coders agree, in words; two words if the interval spans both.

    Parameters
    ----------
    value : float
        A chance-corrected coefficient.
    interval : tuple of float, optional
        Its confidence interval.

    Returns
    -------
    str
        An adverb of Landis & Koch (1977), or the first and the last one of the interval.

    Examples
    --------
    >>> strength(0.62), strength(0.62, (0.55, 0.7)), strength(-0.1)
    ('substantially', 'moderately to substantially', 'not beyond chance')
    """
    words = [_word(end) for end in (interval or (value, value))]
    return " to ".join(dict.fromkeys(words))


def _word(value: float) -> str:
    rounded = round(value, 2)
    return next((word for limit, word in _STRENGTHS if rounded <= limit), _STRENGTHS[-1][1])


# -- agreement ------------------------------------------------------------------------------------------------------


def coefficient_name(outcome: AgreementOutcome) -> str:
    """Return the coefficient and its measure for tables: ``pi(B)``.

    Parameters
    ----------
    outcome : AgreementOutcome
        One coefficient over one measure.

    Returns
    -------
    str
        The name.
    """
    label = coefficient_label(outcome.coefficient)
    if outcome.measure.chance_corrected:  # the measure is the coefficient
        return outcome.over
    return label if outcome.coefficient == "alpha" else f"{label}({outcome.over})"


def agreement_answer(study: AgreementStudy) -> str:
    """Say how far coders agree, who differs from the others, and on which item they agree least.

    Parameters
    ----------
    study : AgreementStudy
        The result of ``caesura agree``.

    Returns
    -------
    str
        One to three sentences about the first coefficient.
    """
    first = study.agreement[0]
    result = first.result
    if result is None:
        return f"Agreement is undefined: {first.reason}."
    sentences = [_agreement_sentence(first, result)]
    for outlier in result.outliers[:1] if len(result.coders) > 2 else ():
        if (outlier.gain or 0) >= _MIN_GAIN:
            sentences.append(f"Without {_coder(outlier.coder)} it would be {short(outlier.without)}.")
    worst = worst_items(result)
    if len(worst) > 1 and worst[0].value != worst[-1].value:
        sentences.append(f"Most disagreement: {worst[0].item} ({short(worst[0].value)}).")
    return " ".join(sentences)


def _coder(name: str) -> str:
    """Return the name of a coder; a number would be read as a number without the word before it."""
    return f"coder {name}" if name.isdecimal() else name


def _agreement_sentence(outcome: AgreementOutcome, result: Agreement) -> str:
    name = coefficient_name(outcome).replace("(", " over ", 1).removesuffix(")")
    figure = f"{name} = {short(result.value)}{short_interval(result.interval)}"
    coders = f"{number_word(len(result.coders))} coders"
    items = count_of(len(result.items), "item")
    if outcome.coefficient == "bias":
        return f"{coders} on {items}: {figure}."
    placement = outcome.placement
    placed = "" if placement is None else f" ({short(placement.value)} if chance means random placement)"
    return f"{coders} agree {strength(result.value, result.interval)}: {figure} on {items}{placed}."


def worst_items(result: Agreement) -> list[ItemAgreement]:
    """Return the items for which the coefficient is defined, least agreement first.

    Parameters
    ----------
    result : Agreement
        A coefficient.

    Returns
    -------
    list of ItemAgreement
        The items.
    """
    defined = [row for row in result.items if row.value is not None]
    return sorted(defined, key=lambda row: (row.value, row.item))


# -- disagreements and pairs ----------------------------------------------------------------------------------------


def disagreements_answer(result: Disagreements) -> str:
    """Say at how many places coders disagree, which place costs most, and who takes part most.

    Parameters
    ----------
    result : Disagreements
        The result of ``caesura disagreements``.

    Returns
    -------
    str
        One to three sentences.
    """
    from caesura.agreement.disagreement_rows import MAJORITY

    whom = {None: "", MAJORITY: " with the majority"}.get(result.against, f" with {result.against}")
    if not result.places:
        return f"The coders agree{whom} everywhere, on {count_of(len(result.items), 'item')}."
    items = len({place.item for place in result.places})
    of_items = "" if items == len(result.items) else f" of {len(result.items)}"
    places = count_of(len(result.places), "place")
    beginning = f"{number_word(len(result.coders))} coders disagree{whom} at {places}"
    where = f"{beginning} in {items}{of_items} {'item' if len(result.items) == 1 else 'items'}"
    place = result.places[0]
    clauses = f"{place_words(place)}: {who_words(place)}"
    if len(result.places) == 1:
        return f"{beginning}, in {clauses}."
    sentences = [f"{where}; the costliest is {clauses}."]
    shares = [(coder, cost) for coder, cost in result.by_coder.items() if coder != result.against]
    if len(result.coders) > 2:
        verb = "takes part in" if result.against is None else "differs most, with"
        sentences.append(f"{shares[0][0]} {verb} {100 * shares[0][1] / result.cost:.0f} % of the cost.")
    return " ".join(sentences)


def place_words(place: DisagreementPlace) -> str:
    """Return where a place is: item, stream, and text, time or position.

    Parameters
    ----------
    place : DisagreementPlace
        The place.

    Returns
    -------
    str
        A phrase such as ``engine, after 'the valve stuck'``.
    """
    name = place.item if place.stream is None else f"{place.item} ({place.stream})"
    time = "" if place.time is None else f" ({place.time:.2f} s)"
    if place.span is not None:
        text = f", '{shorten(place.between, _MAX_QUOTE)}'" if place.between else ""
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
    """Say which coders have a boundary at a place, and where, and which have none.

    Parameters
    ----------
    place : DisagreementPlace
        The place.

    Returns
    -------
    str
        Clauses such as ``ann and cy have a boundary, bo has none``.
    """
    noun = "a boundary" if place.span is None else "this span"
    groups: dict[str, list[str]] = {}
    for coder in place.marks:
        groups.setdefault(_marks_words(place, coder), []).append(coder)
    clauses = []
    for i, (words, coders) in enumerate(groups.items()):
        verb = f"{'has' if len(coders) == 1 else 'have'} {noun}" if not i else ""
        clauses.append(" ".join(filter(None, (_people(coders), verb, words))))
    if len(groups) > 2:
        how = (
            "nearby" if len(place.positions) > 1 else "of different types" if place.span is None else "on other levels"
        )
        clauses = [f"{_people(place.has)} have {noun} {how}"]
    if place.has_not:
        clauses.append(f"{_people(place.has_not)} {'has' if len(place.has_not) == 1 else 'have'} none")
    return ", ".join(clauses)


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
    return join(coders) if len(coders) <= _FEW else f"{len(coders)} coders"


def pairwise_answer(study: PairwiseStudy) -> str:
    """Say which coders agree most and least, and how far pairs agree on average.

    Parameters
    ----------
    study : PairwiseStudy
        The result of ``caesura pairwise``.

    Returns
    -------
    str
        One or two sentences; the second names the means under the other measures.
    """
    first, *others = study.pairwise
    label, ranked = first.measure.label, first.ranked
    best, worst = ranked[0], ranked[-1]
    if len({frozenset(row.coders) for row in ranked}) == 1:
        sentence = f"{join(best.coders)} have {score_figure(best.score)} over {count_of(len(best.items), 'item')}."
    elif best.value == worst.value:
        sentence = f"All {_pairs(first)} agree equally: {label} {short(best.value)}."
    else:
        sentence = (
            f"{_pair(first, best)} agree most ({label} {short(best.value)}), {_pair(first, worst)} least "
            f"({short(worst.value)}); the mean over {_pairs(first)} is {_mean(first)}."
        )
    further = [f"{table.measure.label} {_mean(table)}" for table in others]
    return f"{sentence} Other means: {join(further)}." if further else sentence


def _pair(table: Pairwise, row: PairwiseRow) -> str:
    names = join(row.coders)
    return names if table.measure.symmetric else f"{names} (in this order)"


def _pairs(table: Pairwise) -> str:
    return count_of(len(table.rows), "ordered pair" if table.ordered else "pair")


def _mean(table: Pairwise) -> str:
    text = f"{short(table.mean)} ± {short(table.deviation)}"
    if table.measure.higher_is_better:
        return text
    inverse = f"1 - {table.measure.label} = {short(1 - table.mean)}" if table.measure.worst == 1 else ""
    return f"{text} ({', '.join(filter(None, ('an error rate', inverse)))})"


# -- scores ---------------------------------------------------------------------------------------------------------


def score_answer(scoring: Scoring) -> str:
    """Say how close the hypothesis is to the reference.

    Parameters
    ----------
    scoring : Scoring
        The result of ``caesura score``.

    Returns
    -------
    str
        One or two sentences, first about the first measure.
    """
    first = next(entry for entry in scoring.scores if entry.item is None)
    sentence = _scores_sentence(scoring.totals, "item")
    if first.chance is None:
        return sentence
    beyond = (
        ""
        if first.chance.beyond is None
        else f"; the score is {short(first.chance.beyond)} of the way from there to the best"
    )
    label = first.score.measure.label
    return f"{sentence} Boundaries placed at random would have {label} = {short(first.chance.value)}{beyond}."


def evaluation_answer(evaluation: Evaluation) -> str:
    """Say how good the hypotheses of a collection are.

    Parameters
    ----------
    evaluation : Evaluation
        The result of ``caesura evaluate``.

    Returns
    -------
    str
        One or two sentences, first about the first measure.
    """
    return _scores_sentence([*evaluation.scores.values()], "document")


def _scores_sentence(totals: Sequence[Score], unit: str) -> str:
    first, *others = totals
    documents = count_of(first.documents, unit)
    beginning = _boundary_counts(first)
    figure = f"{score_figure(first)} over {documents}"
    figure += _error_rates([first])
    sentence = f"{beginning}: {figure}." if beginning else f"{figure}."
    further = [score_figure(score) for score in others]
    return f"{sentence} Also {join(further)}{_error_rates(others)}." if further else sentence


# Counts of boundary pairs -> text for one, and for several
_COUNTS = {
    "matches": ("1 boundary matches", "{:,} boundaries match"),
    "transpositions": ("1 is a near miss", "{:,} are near misses"),
    "substitutions": ("1 has different types", "{:,} have different types"),
    "additions": ("1 is on one side only", "{:,} are on one side only"),
}


def _boundary_counts(score: Score) -> str:
    """Say how many boundaries match, are near misses, or stand on one side only, if the measure counts them."""
    if not set(_COUNTS) <= set(score.parts):
        return ""
    counts = {name: int(score.parts[name]) for name in _COUNTS}
    total = sum(counts.values())
    if not total:
        return "Neither side has a boundary"
    texts = [_COUNTS[name][number > 1].format(number) for name, number in counts.items() if number]
    return join(texts) if counts["matches"] else f"no boundary matches, {join(texts)}".capitalize()


def score_figure(score: Score) -> str:
    """Return a score for a sentence: name, value, precision and recall.

    Parameters
    ----------
    score : Score
        The score.

    Returns
    -------
    str
        The text.
    """
    measure: Any = score.measure
    text = f"{measure.label} = {short(score.value)}"
    notes = [f"{name} {short(score.figures[name])}" for name in ("precision", "recall") if name in score.figures]
    return f"{text} ({', '.join(notes)})" if notes else text


def _error_rates(scores: Sequence[Score]) -> str:
    """Say in brackets for which scores 0 is best: error rates, and distances, which have no largest value."""
    measures: list[Any] = [score.measure for score in scores]
    rates = [measure.label for measure in measures if measure.best == 0 and measure.worst is not None]
    distances = [measure.label for measure in measures if measure.best == 0 and measure.worst is None]
    notes = [
        f"{join(labels)}: {noun if len(labels) > 1 else f'{article} {noun[:-1]}'}, 0 is best"
        for labels, article, noun in ((rates, "an", "error rates"), (distances, "a", "distances"))
        if labels
    ]
    return f" ({'; '.join(notes)})" if notes else ""


# -- systems --------------------------------------------------------------------------------------------------------


def judgement_answer(judgement: Judgement) -> str:
    """Say which system is best, whether that may be chance, and whether it is as good as people.

    Parameters
    ----------
    judgement : Judgement
        The result of ``caesura judge``.

    Returns
    -------
    str
        One to three sentences about the first measure.
    """
    measure = judgement.rows[0].measure
    best, *others = (judgement.row(name, measure, bound=False) for name in judgement.ranking(measure))
    rate = "" if measure.higher_is_better else ", an error rate"
    name = f"{best.segmenter} ({measure.label} {short(best.value)}{rate})"
    people = _people_words(judgement, best)
    if not others:
        figure = f"{measure.label} {short(best.value)}{short_interval(best.interval)}{rate}"
        sentence = f"{best.segmenter} has {figure} over {count_of(best.items, 'item')}{people and f', {people}'}."
        return " ".join(filter(None, (sentence, _random_words(judgement, best), _few_words(best, interval=False))))
    pairs = {frozenset(pair.systems): pair for pair in _pairs_under(judgement, best)}
    comparisons = [(row, pairs.get(frozenset((best.segmenter, row.segmenter)))) for row in others]
    if len(others) == 1:
        sentence = f"{name} {_lead_words(best, *comparisons[0], _alpha(judgement))}"
    else:
        sentence = f"{name} is best of {len(judgement.systems)} systems: {_leads_words(comparisons, _alpha(judgement))}"
    sentence += f", and {people}." if people else "."
    return " ".join(filter(None, (sentence, _random_words(judgement, best), _few_words(best))))


def p_words(p: float, *, over: str = "", borderline: bool = False) -> str:
    """Return a p-value for a sentence.

    Parameters
    ----------
    p : float
        The p-value.
    over : str, optional
        What was compared, such as "over 6 items".
    borderline : bool, default False
        Whether it comes from random draws and is too close to the level to decide.

    Returns
    -------
    str
        The p-value.

    Examples
    --------
    >>> p_words(0.0312), p_words(0.0004), p_words(0.0492, over="over 30 items", borderline=True)
    ('p = .03', 'p < .001', 'p = .049 over 30 items, borderline')
    """
    digits = 3 if borderline or p < 0.0095 or 0.045 < p < 0.055 else 2
    text = "p < .001" if p < 0.001 else f"p = {short(p, digits)}"
    return f"{text}{f' {over}' if over else ''}{', borderline' if borderline else ''}"


def _alpha(judgement: Judgement) -> float:
    return judgement.comparisons[0].alpha


def _pairs_under(judgement: Judgement, row: SegmenterScore) -> tuple[SystemPair, ...]:
    return next((entry.pairs for entry in judgement.comparisons if entry.measure == row.measure), ())


def _lead_words(best: SegmenterScore, row: SegmenterScore, pair: SystemPair | None, alpha: float) -> str:
    """Say whether the best of two systems is better than the other."""
    other = f"{row.segmenter} ({short(row.value)})"
    if pair is None or pair.randomisation is None:
        return f"is ahead of {other}, but they share no item, so there is no test"
    items = f"over {count_of(pair.items, 'item')}"
    p = p_words(pair.randomisation, over=items, borderline="randomisation" in pair.borderline)
    if pair.randomisation <= alpha:
        return f"is better than {other}, {p}"
    if best.value == row.value:
        return f"and {other} are equal {items}"
    return f"is ahead of {other}, but that may be chance ({p})"


def _leads_words(comparisons: Sequence[tuple[SegmenterScore, SystemPair | None]], alpha: float) -> str:
    """Say which systems the best of several is better than, and which leads may be chance."""
    groups: dict[bool, list[SegmenterScore]] = {True: [], False: []}
    p_values: dict[bool, list[tuple[float, bool]]] = {True: [], False: []}
    for row, pair in comparisons:
        p = None if pair is None else pair.randomisation
        is_better = p is not None and p <= alpha
        groups[is_better].append(row)
        if pair is not None and p is not None:
            p_values[is_better].append((p, "randomisation" in pair.borderline))
    clauses = []
    if groups[True]:
        p, close = max(p_values[True])
        largest = "largest " if len(groups[True]) > 1 else ""
        clauses.append(f"better than {_systems(groups[True])} ({largest}{p_words(p, borderline=close)})")
    if groups[False]:
        clause = f"its lead over {_systems(groups[False])} may be chance"
        if p_values[False]:
            p, close = min(p_values[False])
            smallest = "smallest " if len(groups[False]) > 1 else ""
            clause += f" ({smallest}{p_words(p, borderline=close)})"
        clauses.append(clause)
    return "; ".join(clauses)


def _systems(rows: Sequence[SegmenterScore]) -> str:
    if len(rows) > _FEW:
        return f"{len(rows)} others"
    return join(f"{row.segmenter} ({short(row.value)})" for row in rows)


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
    people = f"people ({short(human.value)})"
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


def excluded_lines(entries: Iterable[object]) -> list[str]:
    """Return what was excluded, with one line for many items that one coder or system lacks for the same reason.

    Parameters
    ----------
    entries : iterable
        Excluded items, and other messages.

    Returns
    -------
    list of str
        Lines in the order of the entries.

    Examples
    --------
    >>> excluded_lines(Excluded(f"item {i}", "mine", "the system did not annotate this item") for i in range(5000))
    ["coder 'mine', 5,000 items (item 0, item 1, item 2, ...): the system did not annotate this item"]
    """
    groups: dict[tuple[str | None, str], list[Excluded]] = {}
    listed = list(dict.fromkeys(entries))
    for entry in listed:
        if isinstance(entry, Excluded) and entry.item is not None:
            groups.setdefault((entry.coder, entry.reason), []).append(entry)
    lines: dict[str, None] = {}
    for entry in listed:
        group = groups.get((entry.coder, entry.reason), []) if isinstance(entry, Excluded) and entry.item else []
        lines[str(entry) if len(group) <= _MAX_LISTED else _group_line(group)] = None
    return list(lines)


def _group_line(group: Sequence[Excluded]) -> str:
    items = f"{len(group):,} items ({', '.join(str(entry.item) for entry in group[:3])}, ...)"
    coder = "" if group[0].coder is None else f"coder {group[0].coder!r}, "
    return f"{coder}{items}: {group[0].reason}"


# -- gold standards --------------------------------------------------------------------------------------------------


def gold_answer(result: Gold) -> str:
    """Say how large the gold standard is, how many coders support it, and whether it is unique.

    Parameters
    ----------
    result : Gold
        The result of ``caesura gold``.

    Returns
    -------
    str
        One to three sentences.
    """
    nouns = ("boundary", "boundaries") if result.unit == "boundary" else ("span", "spans")
    number = len(result.kept)
    size = f"{number:,} {nouns[number != 1]}" if number else f"no {nouns[1]}"
    text = f"The gold standard of {len(result.coders)} coders on {count_of(len(result.items), 'item')} has {size}"
    if number:
        supported = sum(len(entry.coders) > 1 for entry in result.kept)
        all_of_them = "it was" if number == 1 else "all of them were"
        which = all_of_them if supported == number else f"{supported:,} of them {'was' if supported == 1 else 'were'}"
        text += f"; {which} placed by at least two coders"
    tied = sum(entry.optima > 1 for entry in result.items)
    if not tied:
        return f"{text}."
    if len(result.items) == 1:
        return f"{text}. It is one of several equally good solutions."
    return f"{text}. {count_of(tied, 'item')} {'has' if tied == 1 else 'have'} several equally good solutions."


def crisp_answer(result: CrispAndFuzzy) -> str:
    """Say whether crisp and fuzzy evaluation agree on the best system.

    Parameters
    ----------
    result : CrispAndFuzzy
        Crisp and fuzzy evaluation of systems.

    Returns
    -------
    str
        One sentence.
    """
    best = result.rows[0]
    fuzzy = max(result.rows, key=lambda row: row.fuzzy)
    standard = f"the {result.method} gold standard"
    if len(result.rows) == 1:
        return f"Against {standard}, {best.system} has F {short(best.f)}; its fuzzy success is {short(best.fuzzy)}."
    crisp = f"Against {standard}, {best.system} is best (F {short(best.f)})"
    if fuzzy.system == best.system:
        return f"{crisp}, and under fuzzy success too ({short(fuzzy.fuzzy)})."
    return f"{crisp}; under fuzzy success, {fuzzy.system} is ({short(fuzzy.fuzzy)})."


def unification_answer(experiment: Unification) -> str:
    """Say which method is closest to the annotations of hierarchies.

    Parameters
    ----------
    experiment : Unification
        The result of ``caesura unify --evaluate``.

    Returns
    -------
    str
        One or two sentences.
    """
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


# -- trees and files ------------------------------------------------------------------------------------------------


def trees_answer(study: TreeStudy) -> str:
    """Say how close the predicted trees are to the gold trees.

    Parameters
    ----------
    study : TreeStudy
        The result of ``caesura trees``.

    Returns
    -------
    str
        One or two sentences.
    """
    block = study.parseval.all
    sentences = count_of(block.valid, "sentence")
    if not block.valid:
        return "No sentence could be scored."
    percent = {name: f"{100 * getattr(block, name):.1f}" for name in ("f", "precision", "recall", "complete")}
    text = (
        f"The predicted brackets have F1 {percent['f']} % (precision {percent['precision']}, recall {percent['recall']}) "
        f"over {sentences}; {percent['complete']} % of the sentences are completely right."
    )
    scored = len(study.struct_iou.scores.scored)
    return f"{text} Struct-IoU = {short(study.struct_iou.total.value)}." if scored else text


def info_answer(info: FileInfo) -> str:
    """Say what is in the files.

    Parameters
    ----------
    info : FileInfo
        The result of ``caesura info``.

    Returns
    -------
    str
        One or two sentences.
    """
    corpus = info.corpus
    formats = ", ".join(f"{name} ({n})" if info.files > 1 else name for name, n in info.formats.items())
    items = count_of(len(corpus.item_names), "item")
    coders = f"{count_of(len(corpus.coders), 'coder')} ({list_few(corpus.coders, _FEW)})"
    verb = "have" if ", " in info.path else "has"
    text = f"{info.path} ({formats}) {verb} {items} ({list_few(corpus.item_names, _FEW)}) of {coders}."
    if info.rows is None:
        return text
    rows, total = info.rows
    return f"{text} These are estimates from the first {rows:,} of {total:,} rows; --exact reads all of them."


def written_answer(corpus: Corpus, target: str) -> str:
    """Say what was written to a file.

    Parameters
    ----------
    corpus : Corpus
        What was written.
    target : str
        The file.

    Returns
    -------
    str
        One sentence.
    """
    coders = f"{count_of(len(corpus.coders), 'coder')} ({list_few(corpus.coders, _FEW)})"
    return f"Wrote {target}: {count_of(len(corpus.item_names), 'item')} of {coders}."


def similarity_answer(result: ExpertSimilarity, target: str | None) -> str:
    """Say which boundary types experts confuse most.

    Parameters
    ----------
    result : ExpertSimilarity
        The similarities.
    target : str or None
        The settings file that was written.

    Returns
    -------
    str
        One or two sentences.
    """
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


def list_answer(what: str, count: int) -> str:
    """Say how many measures or formats there are, and how to see one.

    Parameters
    ----------
    what : str
        ``"measures"`` or ``"formats"``, which is also the name of the command.
    count : int
        Number of entries.

    Returns
    -------
    str
        One sentence.
    """
    return f"{count} {what}; `caesura {what} NAME` shows one with its options and an example."


_KINDS = {
    "linear": "segmentations",
    "dialogue": "dialogues",
    "timed": "tiers",
    "hierarchy": "hierarchies",
    "trees": "trees",
}


def measure_answer(name: str, facts: Mapping[str, Any]) -> str:
    """Describe a measure.

    Parameters
    ----------
    name : str
        Name of the measure in Python.
    facts : mapping
        The facts of :func:`~caesura.views.listing.measure_facts`, with the names of coefficients in the papers.

    Returns
    -------
    str
        What it compares, its range, its names and its coefficients.
    """
    aliases = [alias for alias in facts["aliases"] if alias not in (name, facts["label"])]
    names = join([facts["label"], f"{name} in Python", *aliases])
    compared = f"It compares {join(_KINDS[kind] for kind in facts['compares'])}"
    limits = [f"{facts[key]:g} is {key}" for key in ("best", "worst") if facts[key] is not None]
    sentences = [f"{facts['title']}.", f"{'; '.join([compared, *limits])}.", f"Names: {names}."]
    if facts["coefficients"]:
        chance = f" with chance {join(facts['chance'])}" if len(facts["chance"]) > 1 else ""
        sentences.append(f"Coefficients of agreement: {join(facts['coefficients'])}{chance}.")
    return " ".join(sentences)


def format_answer(name: str, facts: Mapping[str, Any], suffixes: str) -> str:
    """Describe a format.

    Parameters
    ----------
    name : str
        Name of the format.
    facts : mapping
        The facts of :func:`~caesura.views.listing.format_facts`.
    suffixes : str
        Suffixes of its files.

    Returns
    -------
    str
        What it is, whether it can be written, and what it needs.
    """
    access = "reads and writes" if facts["writes"] else "reads"
    files = f" in files with the suffix {suffixes}" if suffixes else ""
    needs = f" It needs caesura[{facts['extra']}]." if facts["extra"] else ""
    return f"{name}: {facts['description']}. caesura {access} it{files}.{needs}"


def verification_answer(result: Verification | Verifications) -> str:
    """Return whether numbers are right.

    Parameters
    ----------
    result : Verification or Verifications
        The outcome for one number, or for all numbers of a JSON result.

    Returns
    -------
    str
        The sentences.
    """
    from caesura.tasks.verify import Verification as OneNumber

    if isinstance(result, OneNumber):
        return result.message
    entries = result.verifications
    if len(entries) == 1:
        return entries[0].message
    if result.status == "verified":
        return f"All {len(entries)} numbers are verified: same value, same data, same version."
    counts = Counter(STATUS_WORDS[entry.status] for entry in entries)
    listed = ", ".join(f"{number} {word}" for word, number in counts.items())
    worst = next(entry for entry in entries if entry.status == result.status)
    return f"{count_of(len(entries), 'number')}: {listed}. {worst.message}"


STATUS_WORDS = {
    "verified": "verified",
    "version": "different version: same value",
    "value": "different value",
    "data": "different data",
}
"""Status of a verification -> words."""
