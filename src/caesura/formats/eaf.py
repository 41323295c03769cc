"""The .eaf files of ELAN, which contain tiers of annotations along a recording.

An annotation either has its own times or refers to a parent annotation. Annotations have times on top-level tiers and on
tiers with the constraint ``Included_In`` or ``Time_Subdivision``. With the constraint ``Symbolic_Association``, an
annotation has the same interval as its parent. With ``Symbolic_Subdivision``, all annotations with the same parent divide
its interval equally. Inside a subdivision, ELAN writes time slots without a value. Such slots are spaced evenly between
their neighbours in the chain of annotations, as ELAN displays them, and a warning gives their number.

Every tier is a coder, except the tier that the option ``words`` names and ELAN's empty tier ``default``. With
``coders="annotator"`` or ``"participant"``, this attribute of the tier is the name of the coder, and the chosen tiers must
have different names. Annotations without a text are not segments, and a warning gives their number. A file does not
contain the length of the recording, so the recording ends at the last time slot. The options are the same as for
TextGrids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from caesura.formats.format import Format, Reading
from caesura.formats.timed import TIER_OPTIONS, FileTier, IntervalRow, add_tiers, choose_tiers
from caesura.formats.xml import decode_xml, parse_xml
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier
from caesura.options import Option, choice

_TIME = re.compile(r"[0-9]{1,12}")
_WITH_TIMES = ("Time_Subdivision", "Included_In")
_ASSOCIATION, _SUBDIVISION = "Symbolic_Association", "Symbolic_Subdivision"


@dataclass
class _EafAnnotation:
    """An annotation with time slots, or with a parent annotation and possibly the previous sibling."""

    name: str
    line: int | None
    label: str
    slots: tuple[str, str] | None
    parent: str = ""
    previous: str | None = None


@dataclass
class _EafTier:
    """A tier with its annotations."""

    name: str
    line: int | None
    parent: str | None
    constraint: str
    people: Mapping[str, str | None]
    annotations: list[_EafAnnotation] = field(default_factory=list)


@dataclass
class _TimeTable:
    """Times of slots in milliseconds, intervals of annotations, and the number of interpolated slots."""

    slots: dict[str, Fraction | None]
    intervals: dict[str, tuple[Fraction, Fraction]] = field(default_factory=dict)
    interpolated: int = 0


def _read(reading: Reading) -> Corpus:
    """Return a corpus with one tier per coder."""
    eaf_tiers, file_tiers = _document(reading)
    tiers, word_tier = choose_tiers(reading, file_tiers)
    empty = sum(not row.label.strip() for tier in tiers for row in tier.rows)
    if empty:
        reading.warn(f"annotations without a text, which are not segments: {empty}")
    add_tiers(reading, tiers, word_tier, [_coder(reading, eaf_tiers[tier.name]) for tier in tiers])
    return reading.corpus()


def _tiers(reading: Reading) -> list[FileTier]:
    """Return all tiers of a file."""
    return _document(reading)[1]


def _document(reading: Reading) -> tuple[dict[str, _EafTier], list[FileTier]]:
    """Return all tiers by name, and the tiers in seconds without an empty tier ``default``."""
    root = parse_xml(reading)
    _check_root(reading, root)
    tiers = _eaf_tiers(reading, root)
    times = _TimeTable(_slots(reading, root))
    for tier in _parents_first(reading, tiers):
        _compute_intervals(reading, tier, times)
    if times.interpolated:
        reading.warn(
            f"time slots without a time, which were spaced evenly between their neighbours: {times.interpolated}"
        )
    end = max((time for time in times.slots.values() if time is not None), default=Fraction(0))
    return tiers, [
        _file_tier(tier, times, end) for tier in tiers.values() if tier.annotations or tier.name != "default"
    ]


def _check_root(reading: Reading, root: Any) -> None:
    if root.tag != "ANNOTATION_DOCUMENT":
        raise reading.error(root.sourceline, f"expected <ANNOTATION_DOCUMENT>; got <{str(root.tag)[:40]}>")
    for header in root.iterfind("HEADER"):
        unit = header.get("TIME_UNITS", "milliseconds")
        if unit != "milliseconds":
            raise reading.error(header.sourceline, f"times must be in milliseconds; the file has {unit[:40]}")


def _coder(reading: Reading, tier: _EafTier) -> str:
    source = reading.options["coders"]
    name = reading.options["coder"] or (tier.name if source == "tier" else tier.people[source])
    if not name:
        raise reading.error(tier.line, f"tier {tier.name[:40]!r} must name its {source}; or read with coders='tier'")
    return str(name)


def _file_tier(tier: _EafTier, times: _TimeTable, end: Fraction) -> FileTier:
    rows = []
    for annotation in tier.annotations:
        start, stop = times.intervals[annotation.name]
        rows.append(IntervalRow(float(start / 1000), float(stop / 1000), annotation.label, annotation.line))
    rows.sort(key=lambda row: (row.start, row.end))
    return FileTier(tier.name, tier.line, 0.0, float(end / 1000), rows)


# -- elements of the file ---------------------------------------------------------------------------------------------


def _slots(reading: Reading, root: Any) -> dict[str, Fraction | None]:
    slots: dict[str, Fraction | None] = {}
    for element in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, value, line = element.get("TIME_SLOT_ID"), element.get("TIME_VALUE"), element.sourceline
        if not name or name in slots:
            raise reading.error(line, f"a time slot must have a unique id; got {(name or 'none')[:40]!r}")
        if value is not None and not _TIME.fullmatch(value):
            raise reading.error(line, f"a time must be whole milliseconds from 0 up; got {value[:40]!r}")
        slots[name] = None if value is None else Fraction(int(value))
    return slots


def _eaf_tiers(reading: Reading, root: Any) -> dict[str, _EafTier]:
    constraints = {
        element.get("LINGUISTIC_TYPE_ID"): (element.get("CONSTRAINTS") or "").replace(" ", "_")
        for element in root.iterfind("LINGUISTIC_TYPE")
    }
    tiers: dict[str, _EafTier] = {}
    annotation_ids: set[str] = set()
    for element in root.iterfind("TIER"):
        name, line = element.get("TIER_ID"), element.sourceline
        if name is None or name in tiers:
            raise reading.error(line, f"a tier must have a unique id; got {(name or 'none')[:40]!r}")
        tiers[name] = tier = _eaf_tier(reading, element, name, constraints)
        for annotation in tier.annotations:
            if annotation.name in annotation_ids:
                raise reading.error(annotation.line, f"an id must be unique; got {annotation.name[:40]!r} again")
            annotation_ids.add(annotation.name)
    return tiers


def _eaf_tier(reading: Reading, element: Any, name: str, constraints: Mapping[str, str]) -> _EafTier:
    line, kind = element.sourceline, element.get("LINGUISTIC_TYPE_REF")
    if kind not in constraints:
        raise reading.error(line, f"the type of tier {name[:40]!r} must be declared; got {(kind or 'none')[:40]!r}")
    constraint = constraints[kind]
    if constraint not in ("", *_WITH_TIMES, _ASSOCIATION, _SUBDIVISION):
        raise reading.error(line, f"the constraint of tier {name[:40]!r} is not known; got {constraint[:40]!r}")
    people = {"annotator": element.get("ANNOTATOR"), "participant": element.get("PARTICIPANT")}
    annotations = list(_annotations(reading, element))
    return _EafTier(name, line, element.get("PARENT_REF"), constraint, people, annotations)


def _annotations(reading: Reading, tier: Any) -> Iterator[_EafAnnotation]:
    for element in tier.iterfind("ANNOTATION/*"):
        line, name = element.sourceline, element.get("ANNOTATION_ID")
        if not name:
            raise reading.error(line, "an annotation must have an id; got none")
        label = element.findtext("ANNOTATION_VALUE") or ""
        if element.tag == "ALIGNABLE_ANNOTATION":
            slots = (element.get("TIME_SLOT_REF1") or "", element.get("TIME_SLOT_REF2") or "")
            yield _EafAnnotation(name, line, label, slots)
        elif element.tag == "REF_ANNOTATION":
            parent, previous = element.get("ANNOTATION_REF") or "", element.get("PREVIOUS_ANNOTATION")
            yield _EafAnnotation(name, line, label, None, parent, previous)
        else:
            raise reading.error(line, f"an annotation has times or refers to another; got <{str(element.tag)[:40]}>")


def _parents_first(reading: Reading, tiers: dict[str, _EafTier]) -> list[_EafTier]:
    children: dict[str, list[_EafTier]] = {}
    order: list[_EafTier] = []
    for tier in tiers.values():
        if tier.parent is None:
            order.append(tier)
        elif tier.parent in tiers:
            children.setdefault(tier.parent, []).append(tier)
        else:
            raise reading.error(tier.line, f"the parent of {tier.name[:40]!r} must be a tier; got {tier.parent[:40]!r}")
    for tier in order:  # the list grows inside the loop, which replaces recursion
        order += children.pop(tier.name, [])
    if children:
        tier = next(iter(children.values()))[0]
        raise reading.error(tier.line, f"every tier must be below a top-level tier; {tier.name[:40]!r} is in a cycle")
    return order


# -- times ------------------------------------------------------------------------------------------------------------


def _compute_intervals(reading: Reading, tier: _EafTier, times: _TimeTable) -> None:
    """Compute start and end of every annotation of a tier. The intervals of its parent tier must already be known."""
    _interpolate_slots(reading, tier, times)
    by_parent: dict[str, list[_EafAnnotation]] = {}
    for annotation in tier.annotations:
        name = annotation.name
        if annotation.slots is not None:
            times.intervals[name] = _slot_times(reading, annotation, annotation.slots, times)
        elif annotation.parent not in times.intervals:
            parent = annotation.parent[:40]
            raise reading.error(
                annotation.line, f"{name[:40]!r} must refer to an annotation on a tier above; got {parent!r}"
            )
        elif tier.constraint not in (_ASSOCIATION, _SUBDIVISION):
            raise reading.error(annotation.line, f"annotation {name[:40]!r} must have times; its tier is not symbolic")
        else:
            by_parent.setdefault(annotation.parent, []).append(annotation)
    for parent, group in by_parent.items():
        if tier.constraint == _ASSOCIATION and len(group) > 1:
            raise reading.error(
                group[1].line, f"only one annotation may be associated with {parent[:40]!r}; got a second one"
            )
        start, end = times.intervals[parent]
        step = (end - start) / len(group)
        for i, annotation in enumerate(_in_order(reading, group)):
            times.intervals[annotation.name] = (start + step * i, start + step * (i + 1))


def _slot_times(
    reading: Reading, annotation: _EafAnnotation, slots: tuple[str, str], times: _TimeTable
) -> tuple[Fraction, Fraction]:
    start, end = (times.slots[slot] for slot in slots)
    if start is None or end is None:
        slot = slots[0] if start is None else slots[1]
        problem = f"time slot {slot[:40]!r} must have a time, or neighbours in its tier that have one; it has neither"
        raise reading.error(annotation.line, problem)
    return start, end


def _in_order(reading: Reading, group: list[_EafAnnotation]) -> list[_EafAnnotation]:
    """Sort annotations so that each follows the one it names as previous; keep the file order if none is named."""
    if all(annotation.previous is None for annotation in group):
        return group
    by_previous = {annotation.previous: annotation for annotation in group}
    order: list[_EafAnnotation] = []
    previous: str | None = None
    while previous in by_previous:
        order.append(by_previous.pop(previous))
        previous = order[-1].name
    if len(order) < len(group):
        reached = {annotation.name for annotation in order}
        annotation = next(annotation for annotation in group if annotation.name not in reached)
        expected = f"the annotations that divide {annotation.parent[:40]!r} must form one chain"
        raise reading.error(annotation.line, f"{expected}; {annotation.name[:40]!r} is not in it")
    return order


def _interpolate_slots(reading: Reading, tier: _EafTier, times: _TimeTable) -> None:
    """Interpolate the slots without a time along chains of annotations that share slots."""
    _check_slots(reading, tier, times)
    pairs = [annotation.slots for annotation in tier.annotations if annotation.slots is not None]
    following = dict(pairs)
    for slots in pairs:
        chain = _chain(slots, following, times)
        start, end = times.slots[chain[0]], times.slots[chain[-1]]
        if start is not None and end is not None:
            for i, slot in enumerate(chain[1:-1], 1):
                times.slots[slot] = start + (end - start) * i / (len(chain) - 1)
                times.interpolated += 1


def _check_slots(reading: Reading, tier: _EafTier, times: _TimeTable) -> None:
    for annotation in tier.annotations:
        for slot in annotation.slots or ():
            if slot not in times.slots:
                raise reading.error(annotation.line, f"a time slot must be in the time order; got {slot[:40]!r}")


def _chain(slots: tuple[str, str], following: Mapping[str, str], times: _TimeTable) -> list[str]:
    """Return the slots from the start of an annotation to the next slot with a time, or to the end of the chain."""
    chain = dict.fromkeys(slots)
    last = slots[1]
    while times.slots[last] is None and following.get(last, last) not in chain:
        last = following[last]
        chain[last] = None
    return [*chain]


FORMAT = Format(
    name="eaf",
    suffixes=(".eaf",),
    description="file of ELAN: tiers of annotations, one per coder",
    read=_read,
    looks_like=lambda text: "<ANNOTATION_DOCUMENT" in text[:2000],
    extra="xml",
    tiers=_tiers,
    decode=decode_xml,
    options=(
        *TIER_OPTIONS,
        Option(
            "coders",
            "tier",
            choice("tier", "annotator", "participant"),
            "attribute that contains the name of the coder",
        ),
    ),
    annotation_types=(Tier,),
)
