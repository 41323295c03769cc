"""A running adjudication: the queue of places, the decisions so far, and the gold standard that follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from threading import RLock
from typing import Any, Literal, Self

from caesura.adjudication.decisions import (
    CHOICES,
    MAX_TEXT,
    AdjudicatedGold,
    Choice,
    Decision,
    PlaceState,
    Progress,
    record_row,
)
from caesura.adjudication.disputed import DisputedCorpus, DisputedPlace, PlacedMark, PlacedMarks
from caesura.adjudication.journal import Journal
from caesura.adjudication.kinds import DisputedBoundaries, DisputedHierarchies, DisputedSpans, DisputedTiers
from caesura.agreement.compared_texts import prepare
from caesura.agreement.disagreements import disagreements
from caesura.errors import ConflictError, InputError, OptionError
from caesura.gold.gold import GOLD_CODER
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.model import checks
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus, Source, one_level_as_tiers
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import signature_line, with_data
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier
from caesura.model.value import count_of
from caesura.notices import collect_warnings
from caesura.options import choice as one_of
from caesura.options import suggest


def disputed_of(corpus: Corpus) -> DisputedCorpus:
    if corpus.kind == "trees":
        raise OptionError("trees cannot be adjudicated here; compare them with `caesura trees GOLD PREDICTED`")
    classes = {type(annotation) for annotation in corpus.values()}
    if len(classes) > 1:
        names = " and ".join(sorted(cls.__name__ for cls in classes))
        raise OptionError(f"all annotations must be of one kind to be adjudicated; this corpus has {names}")
    if corpus.origin is not None and corpus.origin.holds(Tier):  # read over words: the times count
        texts = (text for annotation in corpus.values() for text in texts_of(annotation).values())
        labels = "types" if any(text.types != UNTYPED for text in texts) else "ignore"
        source = corpus.source or Source(())
        corpus = corpus.origin.with_source(replace(source, tier_options={**source.tier_options, "labels": labels}))
    corpus = one_level_as_tiers(corpus)
    streams = {stream for annotation in corpus.values() for stream in tiers_of(annotation)}
    measure = None  # the default; over units for tiers, so that types are compared too
    if streams:
        measure = default_measures("disagreements", "linear" if streams == {""} else "dialogue")[0]
    with collect_warnings():  # about coefficients over common units, which are not computed here
        result = disagreements(corpus, measure=measure)
        if corpus.kind == "spans":
            return DisputedSpans(corpus, result)
        assert isinstance(result.measure, Measure)
        prepared = prepare(corpus, result.measure)
    if any(isinstance(annotation, Hierarchy) for annotation in corpus.values()):
        return DisputedHierarchies(corpus, result, prepared.corpus)
    if streams:
        return DisputedTiers(corpus, result, prepared.corpus, prepared.times)
    return DisputedBoundaries(corpus, result)


# What to do with open places: refuse to make a gold standard, or take what more than half of the coders have.
Undecided = Literal["refuse", "majority"]


class Adjudication:
    """An adjudication: the places where coders disagree, and the decisions about them.

    :func:`~caesura.adjudicate` starts or continues one. All methods may be called from several threads.

    Parameters
    ----------
    corpus : Corpus
        Annotations of several coders.
    journal : path-like, optional
        File to which decisions are added, and from which earlier ones are read. Without it, decisions stay in memory.
    adjudicator : str, default ""
        Name of the person who decides, unless a call of :meth:`decide` names somebody else.

    Attributes
    ----------
    places : tuple of DisputedPlace
        The queue: the costliest place first.
    types : tuple of str
        Types, categories or labels that can be chosen.
    outdated : tuple of Decision
        Decisions about places that no longer exist, because the corpus changed. They do not count.
    messages : tuple of str
        What a reader of the page should know: a journal that was cut off, items that changed or cannot be adjudicated.

    Raises
    ------
    OptionError
        If the corpus cannot be adjudicated.
    ConflictError
        If another process has the journal open.
    FormatError
        If the journal cannot be read or written.
    """

    def __init__(self, corpus: Corpus, journal: str | PathLike[str] | None = None, *, adjudicator: str = "") -> None:
        self.disputed = disputed_of(corpus)
        self.corpus = self.disputed.corpus
        self.adjudicator = _check_text("adjudicator", adjudicator)
        self._lock = RLock()
        self._by_key = {place.key: place for place in self.disputed.places}
        self._numbers = {place.key: number for number, place in enumerate(self.disputed.places)}
        self._data = {item: self.disputed.fingerprint(item) for item in self.disputed.items}
        self._stacks: dict[str, list[Decision]] = {}
        self._revisions: Counter[str] = Counter()
        self._history: list[Decision] = []
        self._records = 0
        head = {"measure": str(self.disputed.result.measure), "places": len(self._by_key)}
        self._journal = None if journal is None else Journal(journal, head)
        self._problems = (
            [] if self._journal is None else [*self._journal.messages, *self._replay(self._journal.records)]
        )

    @property
    def places(self) -> tuple[DisputedPlace, ...]:
        """The queue: the costliest place first."""
        return self.disputed.places

    @property
    def types(self) -> tuple[str, ...]:
        """Types, categories or labels that can be chosen; empty if there are none."""
        return self.disputed.types

    @property
    def journal(self) -> str | None:
        """Path of the journal; None if decisions stay in memory."""
        return None if self._journal is None else self._journal.path

    def state(self, place: DisputedPlace | str) -> PlaceState:
        """Return what was decided about a place.

        Parameters
        ----------
        place : DisputedPlace or str
            The place, or its key.

        Returns
        -------
        PlaceState
            The decision, and the revision that :meth:`decide` checks.

        Raises
        ------
        OptionError
            If there is no such place.
        """
        entry = self._find(place)
        with self._lock:
            stack = self._stacks.get(entry.key, [])
            valid = [decision for decision in stack if decision.data == self._data[entry.item]]
            earlier = stack[-1] if stack and not valid else None
            return PlaceState(entry, valid[-1] if valid else None, earlier, self._revisions[entry.key])

    def number(self, place: DisputedPlace | str) -> int:
        """Return where a place is in the queue.

        Parameters
        ----------
        place : DisputedPlace or str
            The place, or its key.

        Returns
        -------
        int
            Its number, from 0.

        Raises
        ------
        OptionError
            If there is no such place.
        """
        return self._numbers[self._find(place).key]

    def states(self) -> tuple[PlaceState, ...]:
        """Return the queue with the decisions.

        Returns
        -------
        tuple of PlaceState
            One entry per place, in the order of the queue.
        """
        with self._lock:
            return tuple(map(self.state, self.places))

    @property
    def outdated(self) -> tuple[Decision, ...]:
        """Decisions about places that no longer exist. They do not count."""
        with self._lock:
            return tuple(stack[-1] for key, stack in self._stacks.items() if stack and key not in self._by_key)

    @property
    def progress(self) -> Progress:
        """How many places are decided, and by whom."""
        states = self.states()
        decided = [state for state in states if state.decision is not None]
        names = Counter(state.decision.adjudicator for state in decided if state.decision is not None)
        return Progress(
            places=len(states),
            decided=len(decided),
            open=len(states) - len(decided),
            changed=sum(state.status == "changed" for state in states),
            cost=sum(state.place.cost for state in states),
            open_cost=sum(state.place.cost for state in states if state.decision is None),
            adjudicators=dict(names.most_common()),
            outdated=len(self.outdated),
        )

    @property
    def messages(self) -> tuple[str, ...]:
        """Sentences about the journal, about items that changed, and about items that cannot be adjudicated."""
        messages = list(self._problems)
        changed = dict.fromkeys(state.place.item for state in self.states() if state.status == "changed")
        if changed:
            number = count_of(len(changed), "item")
            hint = "these decisions do not count until you keep them"
            messages.append(f"{number} changed since places in them were decided; {hint}")
        if outdated := len(self.outdated):
            messages.append(f"{count_of(outdated, 'decision')} about places that no longer exist do not count")
        messages += [str(entry) for entry in self.disputed.excluded]
        return tuple(messages)

    def _find(self, place: DisputedPlace | str) -> DisputedPlace:
        key = place.key if isinstance(place, DisputedPlace) else place
        if key not in self._by_key:
            raise OptionError(
                f"there is no place {str(key)[:40]!r}; the corpus may have changed, so load the queue again"
            )
        return self._by_key[key]

    def decide(
        self,
        place: DisputedPlace | str,
        choice: Choice,
        *,
        coder: str | None = None,
        marks: Sequence[PlacedMark | Mapping[str, Any]] | None = None,
        type: str | None = None,
        note: str = "",
        adjudicator: str | None = None,
        revision: int | None = None,
    ) -> PlaceState:
        """Decide a place. The decision is in the journal when the method returns.

        Parameters
        ----------
        place : DisputedPlace or str
            The place, or its key.
        choice : {"coder", "majority", "none", "hand", "earlier"}
            Accept what a coder has, what more than half of the coders have, nothing, marks by hand, or the decision that was
            made before the item changed.
        coder : str, optional
            The coder, with ``"coder"``.
        marks : sequence of PlacedMark or mapping, optional
            The boundaries or spans, with ``"hand"``.
        type : str, optional
            Type for all accepted marks (default: their own).
        note : str, default ""
            A note for the record.
        adjudicator : str, optional
            Who decides (default: the adjudicator of the session).
        revision : int, optional
            The revision of the place that the adjudicator saw. If somebody decided meanwhile, it is an error.

        Returns
        -------
        PlaceState
            The place with its decision.

        Raises
        ------
        ConflictError
            If the place has another revision; the message tells who decided what.
        OptionError
            If the choice is not possible, or contradicts what is decided already.
        FormatError
            If the journal cannot be written; nothing is decided then.
        """
        entry = self._find(place)
        with self._lock:
            state = self.state(entry)
            if revision is not None and revision != state.revision:
                if state.decision is None:
                    raise ConflictError("the decision about this place was withdrawn meanwhile; look at it again")
                raise ConflictError(
                    f"this place is decided already: {state.decision}; look at it, and decide again if you differ"
                )
            chosen = self._marks(state, choice, coder, marks)
            decision = Decision(
                place=entry.key,
                item=entry.item,
                stream=entry.stream,
                choice=choice,
                coder=coder if choice == "coder" else None,
                marks=self.disputed.retyped(chosen, type),
                note=_check_text("note", note),
                adjudicator=self.adjudicator if adjudicator is None else _check_text("adjudicator", adjudicator),
                time=_now(),
                revision=state.revision + 1,
                data=self._data[entry.item],
                number=self._records + 1,
            )
            neighbours = map(self.state, self.disputed.places_of_items[entry.item])
            beside = {other.place.key: other.decision.marks for other in neighbours if other.decision is not None}
            self._build(entry.item, {**beside, entry.key: decision.marks})  # an error if it contradicts the others
            self._append(decision.to_record())
            self._push(decision)
            return self.state(entry)

    def undo(self, *, adjudicator: str | None = None) -> PlaceState:
        """Withdraw the last decision of an adjudicator; the place is as it was before.

        Parameters
        ----------
        adjudicator : str, optional
            The adjudicator (default: that of the session).

        Returns
        -------
        PlaceState
            The place.

        Raises
        ------
        OptionError
            If there is no decision to withdraw.
        ConflictError
            If somebody else decided the place since.
        """
        name = self.adjudicator if adjudicator is None else adjudicator
        with self._lock:
            own = [entry for entry in self._history if entry.adjudicator == name and entry.place in self._by_key]
            if not own:
                raise OptionError(f"{name or 'you'} made no decision that could be undone")
            decision = own[-1]
            if self._stacks[decision.place][-1] is not decision:
                raise ConflictError(f"this place was decided again: {self._stacks[decision.place][-1]}")
            self._append(
                {
                    "version": 1,
                    "number": self._records + 1,
                    "action": "undo",
                    "item": decision.item,
                    "place": decision.place,
                    "undoes": decision.number,
                    "adjudicator": name,
                    "time": _now(),
                    "revision": self._revisions[decision.place] + 1,
                    "data": self._data[decision.item],
                }
            )
            self._pop(decision)
            return self.state(decision.place)

    def _marks(
        self, state: PlaceState, choice: str, coder: str | None, marks: Sequence[PlacedMark | Mapping[str, Any]] | None
    ) -> PlacedMarks:
        """Return what the gold standard has at a place after a choice."""
        place = state.place
        one_of(*CHOICES)("choice", choice)
        if choice == "coder":
            if coder is None or coder not in place.marks:
                raise OptionError(suggest("coder: this item has no coder", str(coder), place.marks))
            return place.marks[coder]
        if choice == "hand":
            if not marks:
                raise OptionError("marks: by hand needs at least one mark; to keep nothing here, choose none")
            listed = [entry if isinstance(entry, PlacedMark) else PlacedMark.from_json(entry) for entry in marks]
            return tuple(sorted({self.disputed.check_mark(place, mark) for mark in listed}, key=_mark_order))
        if choice == "earlier":
            if state.earlier is None:
                raise OptionError("choice: there is no earlier decision about this place")
            return state.earlier.marks
        return place.majority if choice == "majority" else ()

    def _append(self, record: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.append(record)
        self._records += 1

    def _push(self, decision: Decision) -> None:
        self._stacks.setdefault(decision.place, []).append(decision)
        self._history.append(decision)
        self._revisions[decision.place] = decision.revision

    def _pop(self, decision: Decision) -> None:
        self._stacks[decision.place].remove(decision)
        self._history.remove(decision)
        self._revisions[decision.place] += 1

    def _replay(self, records: Sequence[Mapping[str, Any]]) -> list[str]:
        """Repeat the decisions of the journal; return sentences about records that make no sense."""
        problems = []
        for record in records:
            # A damaged line does not change the numbers of the others.
            self._records = number = max(self._records + 1, checks.whole_number(record.get("number")) or 0)
            try:
                if record.get("action") == "undo":
                    self._pop(next(entry for entry in self._history if entry.number == record["undoes"]))
                else:
                    self._push(Decision.from_record(record, number))
            except (OptionError, StopIteration, KeyError) as error:
                problems.append(f"record {number} of the journal does not count: {error or 'nothing to undo'}")
        return problems

    def gold(self, undecided: Undecided = "refuse") -> AdjudicatedGold:
        """Return the gold standard: what all coders agree on, and the decisions.

        Parameters
        ----------
        undecided : {"refuse", "majority"}, default "refuse"
            What to do with open places: raise an error, or take what more than half of the coders have.

        Returns
        -------
        AdjudicatedGold
            The gold standard, and the record of who decided what.

        Raises
        ------
        OptionError
            If places are open and ``undecided`` is ``"refuse"``, or if the decisions contradict each other.
        """
        one_of("refuse", "majority")("undecided", undecided)
        with self._lock:
            progress, states = self.progress, self.states()
            if progress.open and undecided == "refuse":
                are = "is" if progress.open == 1 else "are"
                raise OptionError(
                    f"{progress.open} of {count_of(progress.places, 'place')} {are} open; decide them, or take the majority "
                    "there (undecided='majority')"
                )
            marks = {
                state.place.key: state.place.majority if state.decision is None else state.decision.marks
                for state in states
            }
            annotations = {item: {GOLD_CODER: self._build(item, marks)} for item in self.disputed.items}
            signature = signature_line(
                "adjudication", decided=progress.decided, open=progress.open, undecided=undecided
            )
            notes = []
            if progress.open:
                notes.append(f"{count_of(progress.open, 'open place')}: what more than half of the coders have")
            if earlier := progress.changed + progress.outdated:
                notes.append(f"{count_of(earlier, 'decision')} from before the corpus changed do not count")
            return AdjudicatedGold(
                corpus=Corpus(annotations),
                rows=tuple(map(record_row, states)),
                progress=progress,
                undecided=undecided,
                excluded=self.disputed.excluded,
                notes=tuple(notes),
                signature=with_data(signature, self.corpus.fingerprint, progress.decided),
            )

    def _build(self, item: str, marks: Mapping[str, PlacedMarks]) -> Annotation:
        """Return the annotation of an item from what is agreed and the marks of places that have some."""
        try:
            streams = {stream: [*agreed] for stream, agreed in self.disputed.agreed(item).items()}
            for place in self.disputed.places_of_items[item]:
                streams.setdefault(place.stream or "", []).extend(marks.get(place.key, ()))
            return self.disputed.build(item, {stream: tuple(entries) for stream, entries in streams.items()})
        except InputError as error:
            raise OptionError(
                f"item {item[:80]!r}: this decision contradicts the gold standard so far: {error}; undo one of them"
            ) from None

    def close(self) -> None:
        """Close the journal, so that another process can continue the adjudication."""
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Adjudication({self.progress})"


def _mark_order(mark: PlacedMark) -> tuple[float, float, str]:
    return mark.start, -1.0 if mark.end is None else mark.end, mark.type or ""


def _check_text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise OptionError(f"{name}: expected a text of at most {MAX_TEXT:,} characters; got {str(value)[:40]!r}")
    return value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
