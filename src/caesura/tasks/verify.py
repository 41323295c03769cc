"""Recompute a number from its signature, and say whether value, data and version are the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from itertools import combinations, permutations, product
from os import PathLike
from typing import Any, ClassVar, Literal

from caesura.agreement.chance import as_chance
from caesura.agreement.coefficients import agreement
from caesura.agreement.disagreements import disagreements
from caesura.agreement.families import COEFFICIENTS, resolve_coefficient
from caesura.agreement.pairwise import pairwise
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import UNITIZING
from caesura.errors import CaesuraError, InputError, OptionError
from caesura.judging.judge import judge
from caesura.judging.participants import collect_participants
from caesura.measures.registry import Signature, chance_word, read_number, short_text, signature_text
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import SHORT_DATA, UNKNOWN_DATA, Excluded, Result, option_value
from caesura.tasks.evaluate import evaluate
from caesura.tasks.measure_choice import measures_as_they_are
from caesura.tasks.pairing import fingerprint_of_sides, pair_items
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.tasks.units import at_level, on_common_units, with_units
from caesura.version import __version__

# Outcome of a verification: the same number; a different value; different data; a different version, but the same value.
Status = Literal["verified", "value", "data", "version"]

# Largest number of groups of coders among which the group of a signature is searched.
MAX_GROUPS = 2000
_ORDER: tuple[Status, ...] = ("verified", "version", "value", "data")


@dataclass(frozen=True)
class Verification(Result):
    """Outcome of the verification of one number.

    Attributes
    ----------
    status : str
        ``"verified"``; ``"value"`` if the value differs; ``"data"`` if the data differ; ``"version"`` if only the version
        differs.
    message : str
        The outcome as a sentence.
    signature : str
        The signature.
    expected, recomputed : float or None
        The value in the signature and the value of these data; ``recomputed`` is None if these data have none.
    expected_data, actual_data : str or None
        Fingerprints in the signature and of these data; None if it is not known.
    expected_version, version : str
        Version in the signature, and this version.
    """

    status: Status
    message: str
    signature: str
    expected: float
    recomputed: float | None
    expected_data: str | None
    actual_data: str | None
    expected_version: str
    version: str = __version__

    @property
    def data(self) -> str | None:
        """Fingerprint of these data."""
        return self.actual_data

    @property
    def same(self) -> bool:
        """Whether value and data are the same."""
        return self.status in ("verified", "version")


@dataclass(frozen=True)
class Verifications(Result):
    """Outcomes for all numbers of a JSON result.

    Attributes
    ----------
    verifications : tuple of Verification
        One per number.
    excluded : tuple of Excluded
        Numbers that cannot be verified, with the reason.
    """

    frame_field: ClassVar[str] = "verifications"

    verifications: tuple[Verification, ...]
    excluded: tuple[Excluded, ...] = ()

    @property
    def status(self) -> Status:
        """The worst status."""
        return max((entry.status for entry in self.verifications), key=_ORDER.index)

    @property
    def same(self) -> bool:
        """Whether all values and data are the same."""
        return all(entry.same for entry in self.verifications)

    @property
    def data(self) -> str | None:
        """Fingerprint of the data of the first number."""
        return self.verifications[0].actual_data

    @property
    def signature(self) -> str:
        """The signature of the first number."""
        return self.verifications[0].signature


class _Recomputed:
    """A number that can be computed again, at most once, and the fingerprint of its data."""

    def __init__(self, data: str | None, compute: Callable[[], float]) -> None:
        self.data = data
        self.compute = cache(compute)


def verify(
    signature: str | Result,
    corpus: Corpus | str | PathLike[str],
    hypothesis: Corpus | None = None,
    *,
    systems: Mapping[str, Mapping[str, Any]] | None = None,
) -> Verification:
    """Recompute a number from its signature, and say whether value, data and version are the same.

    Parameters
    ----------
    signature : str or Result
        A signature, long or short, or a result that has one.
    corpus : Corpus or path
        The data. For a score, the reference, or a corpus with both coders; the coders are found by the fingerprint. A path is
        evaluated as a collection of any size.
    hypothesis : Corpus, optional
        The hypothesis of a score.
    systems : mapping, optional
        System -> item -> annotation, for a number of ``judge`` (default: the system that the signature names is a coder of
        the corpus, and all other coders are human).

    Returns
    -------
    Verification
        ``.status`` is ``"verified"``, ``"value"``, ``"data"`` or ``"version"``; ``.message`` is a sentence.

    Raises
    ------
    OptionError
        If the signature is cut off, or belongs to a result that has no single value.

    Notes
    -----
    Different data are reported first, then a different value, then a different version. The value of a short signature is
    compared as far as it is printed; that of a long one up to a relative difference of 1e-9.

    Examples
    --------
    >>> from caesura import agreement, short_signature
    >>> from caesura.data import stargazer
    >>> result = agreement(stargazer())
    >>> verify(result.signature, stargazer()).status
    'verified'
    >>> verify(short_signature(result).replace("n_t=2", "n_t=9"), stargazer()).status
    'value'
    """
    text = signature_text(signature)
    claim = read_number(text)
    if isinstance(corpus, Corpus):
        recomputed = _recompute(claim, corpus, hypothesis, systems)
    else:
        recomputed = _collection(claim, corpus)
    same_data = _same_data(claim, recomputed.data)
    try:
        value: float | None = recomputed.compute()
    except CaesuraError:
        if same_data:
            raise
        value = None
    status: Status = "verified" if claim.version == __version__ else "version"
    if not same_data:
        status = "data"
    elif value is None or not _same_value(claim, value):
        status = "value"
    return Verification(
        status=status,
        message=_message(claim, status, value, recomputed.data),
        signature=text,
        expected=float(claim.value or math.nan),
        recomputed=value,
        expected_data=None if claim.data == UNKNOWN_DATA else claim.data,
        actual_data=recomputed.data,
        expected_version=claim.version,
    )


def verify_all(
    document: Any,
    corpus: Corpus | str | PathLike[str],
    hypothesis: Corpus | None = None,
    *,
    systems: Mapping[str, Mapping[str, Any]] | None = None,
) -> Verifications:
    """Verify every number of a JSON result that has a signature with data and value."""
    first_signature(document)
    outcomes, excluded = [], []
    for text in dict.fromkeys(signatures_in(document)):
        try:
            outcomes.append(verify(text, corpus, hypothesis, systems=systems))
        except InputError as error:
            excluded.append(Excluded(None, None, f"{text.partition('|')[0]}: {error}"))
    if not outcomes:
        raise OptionError(excluded[0].reason)
    return Verifications(tuple(outcomes), tuple(excluded))


def signatures_in(document: Any) -> Iterator[str]:
    """Yield the signatures in a JSON document that have data and value."""
    if isinstance(document, Mapping):
        text = document.get("signature")
        if isinstance(text, str) and "|data:" in text and "|value:" in text:
            yield text
        for entry in document.values():
            yield from signatures_in(entry)
    elif isinstance(document, Sequence) and not isinstance(document, str):
        for entry in document:
            yield from signatures_in(entry)


def first_signature(document: Any) -> str:
    """Return the first signature in a JSON document that has data and value."""
    for text in signatures_in(document):
        return text
    raise OptionError(
        "the JSON has no number that can be verified; expected the output of score, agree, pairwise, judge or evaluate "
        "with --json"
    )


def is_about_two_sides(text: str) -> bool:
    """Return whether a signature is that of a score, which compares a reference with a hypothesis."""
    return not read_number(text).words


# -- computing the number again -----------------------------------------------------------------------------------------


def _recompute(
    claim: Signature, corpus: Corpus, hypothesis: Corpus | None, systems: Mapping[str, Mapping[str, Any]] | None
) -> _Recomputed:
    task = claim.words[0] if claim.words else "score"
    if task == "score":
        return _score(claim, [corpus, *([] if hypothesis is None else [hypothesis])])
    if hypothesis is not None:
        raise OptionError(f"the signature is about {task}, which takes one corpus; got two")
    if task == "judge":
        return _judge(claim, corpus, systems)
    compute = _coder_task(claim, task)
    if compute is None:
        known = "score, agree, disagreements, pairwise, judge, trees and evaluate"
        raise OptionError(f"a signature of {task!r} cannot be verified; numbers of {known} can")
    parts = _parts(claim, corpus) if _is_about_spans(claim) else _parts_over_units(claim, corpus)
    return _first_with_the_data(claim, (_Recomputed(part.fingerprint, partial(compute, part)) for part in parts))


def _is_about_spans(claim: Signature) -> bool:
    """Return whether a number is a coefficient of spans, or the cost of their disagreements."""
    names = claim.words[1:2] if claim.words[0] == "disagreements" else claim.words[:1]
    return not UNITIZING.keys().isdisjoint(names)


def _coder_task(claim: Signature, task: str) -> Callable[[Corpus], float] | None:
    """Return what computes the number of a task that compares all coders of a corpus; None for other tasks."""
    measure, facts = claim.measure, claim.facts
    ordered = "ordered" in claim.words or facts.get("ordered") == "yes"
    against = None if facts.get("against") == "pairs" else facts.get("against")
    if task == "disagreements" and _is_about_spans(claim):
        return lambda corpus: (
            disagreements(corpus, measure=_unitizing_coefficient(claim, claim.words[1]), against=against).cost
        )
    if task in UNITIZING:
        return partial(_unitizing, claim)
    if task == "pairwise" and measure is not None:
        return lambda corpus: pairwise(corpus, measure, ordered=ordered).mean
    if task == "disagreements" and measure is not None:
        return lambda corpus: disagreements(corpus, measure=measure, against=against).cost
    return partial(_agreement, claim) if task in COEFFICIENTS else None


def _parts_over_units(claim: Signature, corpus: Corpus) -> Iterator[Corpus]:
    """Yield the parts of a corpus, of hierarchies level by level."""
    for _, (variant,) in _levels(claim, [corpus]):
        direct = _compares_directly(claim, [variant])
        yield from _parts(claim, variant if direct else on_common_units(variant, warn=False).corpus)


def _compares_directly(claim: Signature, corpora: Sequence[Corpus]) -> bool:
    """Return whether the measure of the signature compares tiers or spans without conversion."""
    return claim.measure is not None and bool(measures_as_they_are(corpora, [claim.measure]))


def _first_with_the_data(claim: Signature, candidates: Iterator[_Recomputed]) -> _Recomputed:
    """Return the first candidate with the fingerprint of the signature, if possible one with its value too."""
    # The levels of a hierarchy are the same data. If no candidate has the fingerprint, the first one is returned.
    first = undefined = defined = None
    for candidate in candidates:
        first = first or candidate
        if not _same_data(claim, candidate.data):
            continue
        try:
            if _same_value(claim, candidate.compute()):
                return candidate
            defined = defined or candidate
        except CaesuraError:
            undefined = undefined or candidate
    if first is None:
        raise OptionError("expected two coders to compare; there is only one, or they have no item in common")
    return defined or undefined or first


def _levels(claim: Signature, corpora: Sequence[Corpus]) -> Iterator[tuple[int | None, list[Corpus]]]:
    """Yield the corpora over units; hierarchies also level by level if the measure compares segmentations."""
    # If the measure compares tiers or spans as they are, they do not change.
    if _compares_directly(claim, corpora):
        yield None, list(corpora)
        return
    converted, _ = with_units(corpora)
    kinds = ("linear",) if claim.measure is None else claim.measure.kinds
    hierarchies = all(corpus.kind == "hierarchy" for corpus in converted)
    if not hierarchies or "hierarchy" in kinds:
        yield None, converted
    if not hierarchies or "linear" not in kinds:
        return
    depths = [entry.depth for corpus in converted for entry in corpus.values() if isinstance(entry, Hierarchy)]
    for level in range(1, max(depths) + 1):
        yield level, at_level(converted, level)


def _parts(claim: Signature, corpus: Corpus) -> Iterator[Corpus]:
    """Yield the corpus, and the groups of as many coders as the signature names, if they are not too many."""
    yield corpus
    number = int(claim.facts.get("coders", len(corpus.coders)))
    if 2 <= number < len(corpus.coders) and math.comb(len(corpus.coders), number) <= MAX_GROUPS:
        for coders in combinations(corpus.coders, number):
            yield corpus.select(coders=coders)


def _score(claim: Signature, corpora: Sequence[Corpus]) -> _Recomputed:
    """Score the two coders whose data have the fingerprint of the signature, in whatever order they are."""

    def candidates() -> Iterator[_Recomputed]:
        direct = _compares_directly(claim, corpora)
        for level, variant in _levels(claim, corpora):
            for places, coders in _sides(variant):
                reference, hypothesis = (variant[place] for place in places)
                options: dict[str, Any] = {"reference_coder": coders[0], "hypothesis_coder": coders[1]}
                with suppress(OptionError):  # coders without a common item
                    pairs, _ = pair_items(reference, hypothesis, **options, tiers=direct)
                    data = fingerprint_of_sides(reference, hypothesis, pairs, **options)
                    sides = [corpora[place] for place in places]
                    yield _Recomputed(data, partial(_total, claim, sides, {**options, "hierarchy_level": level}))

    return _first_with_the_data(claim, candidates())


def _sides(corpora: Sequence[Corpus]) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Yield the places of reference and hypothesis and their coders, in the order of the files first."""
    if len(corpora) == 1:
        for coders in permutations(corpora[0].coders, 2):
            yield (0, 0), coders
        return
    for places in ((0, 1), (1, 0)):
        for pair in product(corpora[places[0]].coders, corpora[places[1]].coders):
            yield places, pair


def _total(claim: Signature, sides: Sequence[Corpus], options: Mapping[str, Any]) -> float:
    reference, hypothesis = sides
    chosen = ScoreOptions(measures=() if claim.measure is None else (claim.measure,), **options)
    return score_corpora(reference, None if hypothesis is reference else hypothesis, chosen).totals[0].value


def _collection(claim: Signature, source: str | PathLike[str]) -> _Recomputed:
    if claim.words or claim.measure is None:
        raise OptionError("only the scores of evaluate are verified from a path; read the corpus with read(path)")
    score = evaluate(source, claim.measure)[claim.measure]
    return _Recomputed(None if score.data == UNKNOWN_DATA else score.data, lambda: score.value)


def _judge(claim: Signature, corpus: Corpus, systems: Mapping[str, Mapping[str, Any]] | None) -> _Recomputed:
    name = claim.facts.get("system", "")
    if systems is None:
        if name not in corpus.coders:
            coders = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"the signature is about the system {name!r}, which is not among the coders: {coders}")
        systems = {name: corpus.of_coder(name)}
        corpus = corpus.select(coders=[coder for coder in corpus.coders if coder != name])
    if name not in systems:
        raise OptionError(f"the signature is about the system {name!r}; got {', '.join(map(repr, systems))}")
    variants = _levels(claim, [corpus, _system_corpus(corpus, systems)])
    return _first_with_the_data(claim, (_judged(claim, name, *variant) for _, variant in variants))


def _system_corpus(corpus: Corpus, systems: Mapping[str, Mapping[str, Any]]) -> Corpus:
    """Return all systems as a corpus, because units in time depend on all of them; a single item needs no name."""
    by_item: dict[str, dict[str, Any]] = {}
    for system, of_system in systems.items():
        for item, annotation in of_system.items():
            single = len(of_system) == len(corpus.item_names) == 1
            by_item.setdefault(corpus.item_names[0] if single else item, {})[system] = annotation
    return Corpus(by_item)


def _judged(claim: Signature, name: str, people: Corpus, programs: Corpus) -> _Recomputed:
    def compute() -> float:
        judgement = judge(people, programs.select(coders=[name]), measures=claim.measure, interval=None, bounds=False)
        return judgement.row(name, claim.measure or "", bound=False).score.value

    return _Recomputed(collect_participants(people, programs.select(coders=[name])).fingerprints[name], compute)


def _agreement(claim: Signature, corpus: Corpus) -> float:
    name = claim.words[0]
    measure = claim.measure if claim.measure is not None else "boundary_similarity"
    arguments: dict[str, Any] = {"coefficient": name, "interval": None, "seed": int(claim.facts.get("seed", 0))}
    simulated = "draws" in claim.facts or "tolerance" in claim.facts
    chance = chance_word(claim.facts.get("chance", "")) or ("simulate" if simulated else "")
    if chance:
        arguments["chance"] = _chance(chance, claim.facts)
    model = resolve_coefficient(measure, name).model_class
    arguments |= {option.name: claim.facts[option.name] for option in model.options if option.name in claim.facts}
    return agreement(corpus, measure, **arguments).value


def _unitizing(claim: Signature, corpus: Corpus) -> float:
    seed = int(claim.facts.get("seed", 0))
    coefficient = _unitizing_coefficient(claim, claim.words[0])
    return agreement(corpus, coefficient=coefficient, interval=None, seed=seed).value


def _unitizing_coefficient(claim: Signature, name: str) -> UnitizingCoefficient:
    entry = UNITIZING[name]
    declared = {option.name for option in entry.declared()}
    return entry.create({name: option_value(text) for name, text in claim.facts.items() if name in declared})


def _chance(word: str, facts: Mapping[str, str]) -> Any:
    value: Any = as_chance(word)
    known = {entry.name for entry in fields(value)}
    options: dict[str, Any] = {"variates": "no control variates" not in facts.get("chance", "")}
    if "tolerance" in facts:
        options["tolerance"] = float(facts["tolerance"])
    elif "draws" in facts:
        options["draws"] = int(facts["draws"])
    return replace(value, **{name: option for name, option in options.items() if name in known})


# -- comparing ----------------------------------------------------------------------------------------------------------


def _same_data(claim: Signature, data: str | None) -> bool:
    if claim.data in (None, UNKNOWN_DATA) or data is None:
        return True
    return data.startswith(str(claim.data))


def _same_value(claim: Signature, value: float) -> bool:
    stated = claim.value or "nan"
    if claim.short:
        digits = len(stated.partition(".")[2])
        return f"{value:.{digits}f}" == f"{float(stated):.{digits}f}"
    return math.isclose(value, float(stated), rel_tol=1e-9, abs_tol=1e-12)


def _message(claim: Signature, status: Status, value: float | None, data: str | None) -> str:
    label = " over ".join(filter(None, [*claim.words[:1], "" if claim.measure is None else short_text(claim.measure)]))
    digits = len((claim.value or "").partition(".")[2]) if claim.short else 4
    stated, now = f"{float(claim.value or 0):.{digits}f}", "undefined" if value is None else f"{value:.{digits}f}"
    if now == stated and status == "value":
        stated, now = claim.value or "", repr(value)
    here = "without a fingerprint" if data is None else data[:SHORT_DATA]
    heads = {
        "verified": f"verified: {label} = {now} on data {here}, caesura {__version__}.",
        "version": f"different version: same value: {label} = {now} on data {here}.",
        "value": f"different value: the signature says {label} = {stated}, but it is {now} on data {here}.",
        "data": f"different data: the signature is about data {str(claim.data)[:SHORT_DATA]}, but these are {here}; "
        f"{label} was {stated} and is {now} here.",
    }
    notes = []
    if claim.version != __version__:
        stated_version, own = (tuple(map(int, re.findall(r"\d+", text)[:3])) for text in (claim.version, __version__))
        relation = "a later version than" if stated_version > own else "an earlier version than"
        relation = "not" if stated_version == own else relation
        notes.append(f"The signature is from caesura {claim.version}, {relation} {__version__}.")
    if claim.data == UNKNOWN_DATA or data is None:
        notes.append("The data were not compared: this number has no fingerprint.")
    return " ".join([heads[status], *notes])
