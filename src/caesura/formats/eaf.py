"""Annotations of ELAN, .eaf: tiers of annotations along a recording, some of which hang from others.

An annotation has times of its own (on top-level tiers, and where a tier is ``Included_In`` its parent or a
``Time_Subdivision`` of it), or it hangs from another: under ``Symbolic_Association`` it has that one's interval, under
``Symbolic_Subdivision`` all that hang from one annotation divide its interval equally. A time slot without a value, as ELAN
writes it inside a subdivision, lies evenly between its neighbours in the chain of annotations, as ELAN draws it; how many
there were is said.

Every tier is a coder, except the one that the option ``words`` names, and ELAN's empty tier ``default``. With
``coders="annotator"`` or ``"participant"`` the coder is who is named there; these must then differ among the chosen tiers.
An annotation without a text is no segment, and it is said how many there were. A file does not say how long the recording
is: it ends at the last time slot. Options are those of TextGrids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, warn
from caesura.formats.timed import TIERS, Row, TierRead, add, choose
from caesura.formats.xml import decode_xml, parse_xml
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier
from caesura.options import Option, choice

__all__ = ["FORMAT"]

_TIME = re.compile(r"[0-9]{1,12}")
_OWN_TIMES = ("Time_Subdivision", "Included_In")
_ASSOCIATION, _SUBDIVISION = "Symbolic_Association", "Symbolic_Subdivision"

Span = tuple[Fraction, Fraction]
"""Start and end, in milliseconds."""


@dataclass
class _Annotation:
    name: str
    line: int | None
    label: str
    slots: tuple[str, str] | None
    """Where it has times of its own."""
    parent: str = ""
    previous: str | None = None
    """Where it hangs from another."""


@dataclass
class _Tier:
    name: str
    line: int | None
    parent: str | None
    constraint: str
    people: Mapping[str, str | None]
    annotations: list[_Annotation] = field(default_factory=list)


@dataclass
class _Times:
    """What is known of times: of slots, and of annotations."""

    slots: dict[str, Fraction | None]
    spans: dict[str, Span] = field(default_factory=dict)
    between: int = 0
    """Slots that got a time from their neighbours."""


def read(reading: Reading) -> Corpus:
    """A tier for each coder."""
    tiers, found = _document(reading)
    chosen, words = choose(reading, found)
    empty = sum(not row.label.strip() for one in chosen for row in one.rows)
    if empty:
        _warn(reading, f"{empty} annotation(s) without a text are no segments")
    add(reading, chosen, words, [_coder(reading, tiers[one.name]) for one in chosen])
    return reading.corpus()


def _every(reading: Reading) -> list[TierRead]:
    return _document(reading)[1]


def _document(reading: Reading) -> tuple[dict[str, _Tier], list[TierRead]]:
    """The tiers by name, and those with annotations in seconds."""
    root = parse_xml(reading)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise reading.error(root.sourceline, f"<ANNOTATION_DOCUMENT> is needed; got <{str(root.tag)[:40]}>")
    for header in root.iterfind("HEADER"):
        if header.get("TIME_UNITS", "milliseconds") != "milliseconds":
            said = header.get("TIME_UNITS")[:40]
            raise reading.error(header.sourceline, f"times must be in milliseconds; the file has {said}")
    tiers = _tiers(reading, root)
    times = _Times(_slots(reading, root))
    for one in _parents_first(reading, tiers):
        _resolve(reading, one, times)
    if times.between:
        _warn(reading, f"{times.between} time slot(s) have no time, and lie evenly between their neighbours")
    end = max((time for time in times.slots.values() if time is not None), default=Fraction(0))
    return tiers, [_read(one, times, end) for one in tiers.values() if one.annotations or one.name != "default"]


def _warn(reading: Reading, said: str) -> None:
    warn(f"{reading.path}: {said}")


def _coder(reading: Reading, one: _Tier) -> str:
    way = reading.options["coders"]
    name = reading.options["coder"] or (one.name if way == "tier" else one.people[way])
    if not name:
        raise reading.error(one.line, f"tier {one.name[:40]!r} must name its {way}; it does not; or read coders='tier'")
    return str(name)


def _read(one: _Tier, times: _Times, end: Fraction) -> TierRead:
    rows = []
    for annotation in one.annotations:
        start, stop = times.spans[annotation.name]
        rows.append(Row(float(start / 1000), float(stop / 1000), annotation.label, annotation.line))
    rows.sort(key=lambda row: (row.start, row.end))
    return TierRead(one.name, one.line, 0.0, float(end / 1000), rows)


# -- what stands in the file ------------------------------------------------------------------------------------------


def _slots(reading: Reading, root: Any) -> dict[str, Fraction | None]:
    slots: dict[str, Fraction | None] = {}
    for slot in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, value = slot.get("TIME_SLOT_ID"), slot.get("TIME_VALUE")
        if not name or name in slots:
            raise reading.error(
                slot.sourceline, f"a time slot must have an id of its own; got {(name or 'none')[:40]!r}"
            )
        if value is not None and not _TIME.fullmatch(value):
            raise reading.error(slot.sourceline, f"a time must be whole milliseconds from 0 up; got {value[:40]!r}")
        slots[name] = None if value is None else Fraction(int(value))
    return slots


def _tiers(reading: Reading, root: Any) -> dict[str, _Tier]:
    constraints = {
        one.get("LINGUISTIC_TYPE_ID"): (one.get("CONSTRAINTS") or "").replace(" ", "_")
        for one in root.iterfind("LINGUISTIC_TYPE")
    }
    tiers: dict[str, _Tier] = {}
    names: set[str] = set()
    for element in root.iterfind("TIER"):
        name, line, kind = element.get("TIER_ID"), element.sourceline, element.get("LINGUISTIC_TYPE_REF")
        if name is None or name in tiers:
            raise reading.error(line, f"a tier must have an id of its own; got {(name or 'none')[:40]!r}")
        if kind not in constraints:
            raise reading.error(line, f"the type of tier {name[:40]!r} must be declared; got {(kind or 'none')[:40]!r}")
        people = {"annotator": element.get("ANNOTATOR"), "participant": element.get("PARTICIPANT")}
        one = _Tier(name, line, element.get("PARENT_REF"), constraints[kind], people)
        if one.constraint not in ("", *_OWN_TIMES, _ASSOCIATION, _SUBDIVISION):
            raise reading.error(line, f"the constraint of tier {name[:40]!r} is not known; got {one.constraint[:40]!r}")
        one.annotations = list(_annotations(reading, element))
        for annotation in one.annotations:
            if annotation.name in names:
                raise reading.error(annotation.line, f"an id may stand only once; got {annotation.name[:40]!r} again")
            names.add(annotation.name)
        tiers[name] = one
    return tiers


def _annotations(reading: Reading, tier: Any) -> Iterator[_Annotation]:
    for element in tier.iterfind("ANNOTATION/*"):
        line, name = element.sourceline, element.get("ANNOTATION_ID")
        if not name:
            raise reading.error(line, "an annotation must have an id; got none")
        label = element.findtext("ANNOTATION_VALUE") or ""
        if element.tag == "ALIGNABLE_ANNOTATION":
            slots = (element.get("TIME_SLOT_REF1") or "", element.get("TIME_SLOT_REF2") or "")
            yield _Annotation(name, line, label, slots)
        elif element.tag == "REF_ANNOTATION":
            parent, previous = element.get("ANNOTATION_REF") or "", element.get("PREVIOUS_ANNOTATION")
            yield _Annotation(name, line, label, None, parent, previous)
        else:
            raise reading.error(line, f"an annotation has times or hangs from another; got <{str(element.tag)[:40]}>")


def _parents_first(reading: Reading, tiers: dict[str, _Tier]) -> list[_Tier]:
    below: dict[str, list[_Tier]] = {}
    order: list[_Tier] = []
    for one in tiers.values():
        if one.parent is None:
            order.append(one)
        elif one.parent in tiers:
            below.setdefault(one.parent, []).append(one)
        else:
            raise reading.error(
                one.line, f"the parent of tier {one.name[:40]!r} must be a tier; got {one.parent[:40]!r}"
            )
    for one in order:  # grows while it is walked: no recursion
        order += below.pop(one.name, [])
    if below:
        lost = next(iter(below.values()))[0]
        raise reading.error(lost.line, f"a tier must hang from a top-level tier; {lost.name[:40]!r} hangs in a circle")
    return order


# -- when it was ------------------------------------------------------------------------------------------------------


def _resolve(reading: Reading, tier: _Tier, times: _Times) -> None:
    """Start and end of every annotation of a tier whose parents are resolved."""
    _fill_slots(reading, tier, times)
    hanging: dict[str, list[_Annotation]] = {}
    for one in tier.annotations:
        if one.slots is not None:
            start, end = (times.slots[slot] for slot in one.slots)
            assert start is not None
            assert end is not None
            times.spans[one.name] = (start, end)
        elif one.parent not in times.spans:
            raise reading.error(
                one.line, f"annotation {one.name[:40]!r} must hang from one on a tier above; got {one.parent[:40]!r}"
            )
        elif tier.constraint not in (_ASSOCIATION, _SUBDIVISION):
            raise reading.error(one.line, f"annotation {one.name[:40]!r} must have times; its tier is no symbolic one")
        else:
            hanging.setdefault(one.parent, []).append(one)
    for parent, group in hanging.items():
        start, end = times.spans[parent]
        if tier.constraint == _ASSOCIATION and len(group) > 1:
            raise reading.error(group[1].line, f"one annotation may be associated with {parent[:40]!r}; got another")
        for i, one in enumerate(_in_order(reading, group)):
            times.spans[one.name] = (
                start + (end - start) * i / len(group),
                start + (end - start) * (i + 1) / len(group),
            )


def _in_order(reading: Reading, group: list[_Annotation]) -> list[_Annotation]:
    """As each names the one before it; as they stand in the file if none does."""
    if all(one.previous is None for one in group):
        return group
    after = {one.previous: one for one in group}
    order: list[_Annotation] = []
    at: str | None = None
    while at in after:
        order.append(after.pop(at))
        at = order[-1].name
    if len(order) < len(group):
        reached = {one.name for one in order}
        lost = next(one for one in group if one.name not in reached)
        raise reading.error(
            lost.line, f"what divides {lost.parent[:40]!r} must form one chain; {lost.name[:40]!r} is not in it"
        )
    return order


def _fill_slots(reading: Reading, tier: _Tier, times: _Times) -> None:
    """Times for slots that have none, from a chain of annotations that meet in them."""
    following: dict[str, str] = {}
    for one in tier.annotations:
        for slot in one.slots or ():
            if slot not in times.slots:
                raise reading.error(one.line, f"a time slot must be in the time order; got {slot[:40]!r}")
        if one.slots is not None:
            following[one.slots[0]] = one.slots[1]
    for one in tier.annotations:
        if one.slots is not None and times.slots[one.slots[0]] is not None:
            chain = _chain(one.slots, following, times)
            start, end = times.slots[chain[0]], times.slots[chain[-1]]
            if start is None or end is None:
                raise _loose(reading, one, chain[-1])
            for i, slot in enumerate(chain[1:-1], 1):
                times.slots[slot] = start + (end - start) * i / (len(chain) - 1)
                times.between += 1
    for one in tier.annotations:
        for slot in one.slots or ():
            if times.slots[slot] is None:
                raise _loose(reading, one, slot)


def _chain(slots: tuple[str, str], following: Mapping[str, str], times: _Times) -> list[str]:
    """From an annotation on, to the first slot with a time; or to the last there is."""
    chain = dict.fromkeys(slots)
    last = slots[1]
    while times.slots[last] is None and following.get(last, last) not in chain:
        last = following[last]
        chain[last] = None
    return [*chain]


def _loose(reading: Reading, one: _Annotation, slot: str) -> FormatError:
    said = f"time slot {slot[:40]!r} must have a time, or neighbours in its tier that have one; it has neither"
    return reading.error(one.line, said)


FORMAT = Format(
    name="eaf",
    suffixes=(".eaf",),
    description="a file of ELAN: tiers of annotations, each a coder",
    read=read,
    looks_like=lambda lines: "<ANNOTATION_DOCUMENT" in lines[:2000],
    extra="xml",
    tiers=_every,
    decode=decode_xml,
    options=(
        *TIERS,
        Option("coders", "tier", choice("tier", "annotator", "participant"), "what names the coder of a tier"),
    ),
    annotation_types=(Tier,),
)
