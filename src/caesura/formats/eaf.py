"""The .eaf files of ELAN, which contain tiers of annotations along a recording.

Annotations have times on top-level tiers and on tiers with the constraint ``Included_In`` or ``Time_Subdivision``. With
``Symbolic_Association``, an annotation has the interval of its parent; with ``Symbolic_Subdivision``, the annotations of a
parent divide its interval equally. Inside a subdivision, ELAN writes time slots without a value. Such slots are spaced evenly
between their neighbours in the chain of annotations, as ELAN displays them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from caesura.errors import FormatError
from caesura.formats.content import describe_value
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.tier_roles import choose_tiers
from caesura.formats.timed import TIER_OPTIONS, FileTier, IntervalRow, add_tiers, shared_words
from caesura.formats.xml import Node, decode_xml, parents_first, parse_xml, unique_id
from caesura.model.corpus import Corpus
from caesura.model.tier import Interval, Tier
from caesura.notices import warn
from caesura.options import Option, choice

_TIME = re.compile(r"[0-9]{1,12}")
_WITH_TIMES = ("Time_Subdivision", "Included_In")
_ASSOCIATION, _SUBDIVISION = "Symbolic_Association", "Symbolic_Subdivision"
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
"""
_TAIL = """    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_MILLISECONDS = 10**12
_NEAR_MILLISECOND = 1e-3  # milliseconds; the nearest number to a time such as 0.038 s is not exact


@dataclass
class _EafAnnotation(Node):
    """An annotation with time slots, or with a parent annotation and possibly the previous sibling."""

    label: str
    slots: tuple[str, str] | None
    previous: str | None


@dataclass
class _EafTier(Node):
    """A tier with its annotations; ``coders`` contains the attributes that may name the coder."""

    constraint: str
    coders: Mapping[str, str | None]
    annotations: list[_EafAnnotation]


def _read(reading: Reading) -> Corpus:
    document = _Document(reading)
    tiers, word_tier = choose_tiers(reading, document.file_tiers())
    empty = sum(not row.label.strip() for tier in tiers for row in tier.rows)
    if empty:
        reading.warn(f"annotations without a text, which are not segments: {empty}")
    add_tiers(reading, tiers, word_tier, [document.coder(tier.name) for tier in tiers])
    return reading.corpus()


class _Document:
    """The tiers of a file, and the times of its slots and annotations in milliseconds."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        root = parse_xml(reading)
        if root.tag != "ANNOTATION_DOCUMENT":
            raise reading.error(root.sourceline, f"expected <ANNOTATION_DOCUMENT>; got <{str(root.tag)[:40]}>")
        for header in root.iterfind("HEADER"):
            unit = header.get("TIME_UNITS", "milliseconds")
            if unit != "milliseconds":
                raise reading.error(header.sourceline, f"times must be in milliseconds; the file has {unit[:40]}")
        self.tiers = _eaf_tiers(reading, root)
        self.slots = _slots(reading, root)
        self.intervals: dict[str, tuple[Fraction, Fraction]] = {}
        self.interpolated = 0
        for tier in parents_first(reading, self.tiers, "tier"):
            self.check_slots(tier)
            self.interpolate_slots(tier)
            self.compute_intervals(tier)
        if self.interpolated:
            change = "time slots without a time, which were spaced evenly between their neighbours"
            reading.warn(f"{change}: {self.interpolated}")

    def coder(self, name: str) -> str:
        tier, source = self.tiers[name], self.reading.options["coders"]
        coder = self.reading.options["coder"] or (name if source == "tier" else tier.coders[source])
        if not coder:
            raise self.error(tier, f"tier {name[:40]!r} must name its {source}; or read with coders='tier'")
        return str(coder)

    def file_tiers(self) -> list[FileTier]:
        """Return the tiers in seconds, without an empty tier ``default``."""
        end = max((time for time in self.slots.values() if time is not None), default=Fraction(0))
        tiers = []
        for tier in self.tiers.values():
            if tier.annotations or tier.name != "default":
                rows = sorted(map(self.row, tier.annotations), key=lambda row: (row.start, row.end))
                tiers.append(FileTier(tier.name, tier.line, 0.0, float(end / 1000), rows))
        return tiers

    def row(self, annotation: _EafAnnotation) -> IntervalRow:
        start, end = self.intervals[annotation.name]
        return IntervalRow(float(start / 1000), float(end / 1000), annotation.label, annotation.line)

    def error(self, element: Node, problem: str) -> FormatError:
        return self.reading.error(element.line, problem)

    def compute_intervals(self, tier: _EafTier) -> None:
        by_parent: dict[str, list[_EafAnnotation]] = {}
        for annotation in tier.annotations:
            name, parent = annotation.name, annotation.parent
            if annotation.slots is not None:
                self.intervals[name] = self.slot_times(annotation, annotation.slots)
            elif parent is None or parent not in self.intervals:
                expected = f"{name[:40]!r} must refer to an annotation on a tier above"
                raise self.error(annotation, f"{expected}; got {describe_value(parent)}")
            elif tier.constraint not in (_ASSOCIATION, _SUBDIVISION):
                raise self.error(annotation, f"annotation {name[:40]!r} must have times; its tier is not symbolic")
            else:
                by_parent.setdefault(parent, []).append(annotation)
        for parent, group in by_parent.items():
            if tier.constraint == _ASSOCIATION and len(group) > 1:
                expected = f"only one annotation may be associated with {parent[:40]!r}"
                raise self.error(group[1], f"{expected}; got a second one")
            start, end = self.intervals[parent]
            step = (end - start) / len(group)
            for i, annotation in enumerate(self.in_order(group)):
                self.intervals[annotation.name] = (start + step * i, start + step * (i + 1))

    def slot_times(self, annotation: _EafAnnotation, slots: tuple[str, str]) -> tuple[Fraction, Fraction]:
        start, end = (self.slots[slot] for slot in slots)
        if start is None or end is None:
            slot = slots[0] if start is None else slots[1]
            expected = f"time slot {slot[:40]!r} must have a time, or neighbours in its tier that have one"
            raise self.error(annotation, f"{expected}; it has neither")
        return start, end

    def in_order(self, group: list[_EafAnnotation]) -> list[_EafAnnotation]:
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
            annotation = next(annotation for annotation in group if annotation not in order)
            expected = f"the annotations that divide {(annotation.parent or '')[:40]!r} must form one chain"
            raise self.error(annotation, f"{expected}; {annotation.name[:40]!r} is not in it")
        return order

    def check_slots(self, tier: _EafTier) -> None:
        for annotation in tier.annotations:
            for slot in annotation.slots or ():
                if slot not in self.slots:
                    raise self.error(annotation, f"a time slot must be in the time order; got {slot[:40]!r}")

    def interpolate_slots(self, tier: _EafTier) -> None:
        """Interpolate the slots without a time along chains of annotations that share slots."""
        pairs = [annotation.slots for annotation in tier.annotations if annotation.slots is not None]
        following = dict(pairs)
        for slots in pairs:
            chain = self.chain(slots, following)
            start, end = self.slots[chain[0]], self.slots[chain[-1]]
            if start is not None and end is not None:
                for i, slot in enumerate(chain[1:-1], 1):
                    self.slots[slot] = start + (end - start) * i / (len(chain) - 1)
                    self.interpolated += 1

    def chain(self, slots: tuple[str, str], following: Mapping[str, str]) -> list[str]:
        """Return the slots from the start of an annotation to the next slot with a time, or to the end of the chain."""
        chain = dict.fromkeys(slots)
        last = slots[1]
        while self.slots[last] is None and following.get(last, last) not in chain:
            last = following[last]
            chain[last] = None
        return [*chain]


def _slots(reading: Reading, root: Any) -> dict[str, Fraction | None]:
    slots: dict[str, Fraction | None] = {}
    for element in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, value = unique_id(reading, element, "TIME_SLOT_ID", slots, "a time slot"), element.get("TIME_VALUE")
        if value is not None and not _TIME.fullmatch(value):
            raise reading.error(element.sourceline, f"a time must be whole milliseconds from 0 up; got {value[:40]!r}")
        slots[name] = None if value is None else Fraction(int(value))
    return slots


def _eaf_tiers(reading: Reading, root: Any) -> dict[str, _EafTier]:
    kinds = {kind.get("LINGUISTIC_TYPE_ID"): kind for kind in root.iterfind("LINGUISTIC_TYPE")}
    tiers: dict[str, _EafTier] = {}
    annotation_ids: set[str] = set()
    for element in root.iterfind("TIER"):
        name = unique_id(reading, element, "TIER_ID", tiers, "a tier")
        line, kind = element.sourceline, element.get("LINGUISTIC_TYPE_REF")
        if kind not in kinds:
            raise reading.error(line, f"the type of tier {name[:40]!r} must be declared; got {(kind or 'none')[:40]!r}")
        constraint = (kinds[kind].get("CONSTRAINTS") or "").replace(" ", "_")
        if constraint not in ("", *_WITH_TIMES, _ASSOCIATION, _SUBDIVISION):
            raise reading.error(line, f"the constraint of tier {name[:40]!r} is not known; got {constraint[:40]!r}")
        coders = {"annotator": element.get("ANNOTATOR"), "participant": element.get("PARTICIPANT")}
        annotations = [_annotation(reading, child, annotation_ids) for child in element.iterfind("ANNOTATION/*")]
        tiers[name] = _EafTier(name, line, element.get("PARENT_REF"), constraint, coders, annotations)
    return tiers


def _annotation(reading: Reading, element: Any, ids: set[str]) -> _EafAnnotation:
    line, name = element.sourceline, unique_id(reading, element, "ANNOTATION_ID", ids, "an annotation")
    ids.add(name)
    if element.tag not in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
        raise reading.error(line, f"an annotation has times or refers to another; got <{str(element.tag)[:40]}>")
    slots = None
    if element.tag == "ALIGNABLE_ANNOTATION":
        slots = element.get("TIME_SLOT_REF1") or "", element.get("TIME_SLOT_REF2") or ""
    label, previous = element.findtext("ANNOTATION_VALUE") or "", element.get("PREVIOUS_ANNOTATION")
    return _EafAnnotation(name, line, element.get("ANNOTATION_REF"), label, slots, previous)


def _write(writing: Writing) -> str:
    # Times are rounded to whole milliseconds, as ELAN stores them, and all tiers end at the same time; a warning says so if
    # that changes a tier.
    from xml.sax.saxutils import escape, quoteattr  # slow to import: it loads urllib and ssl

    item = writing.only_item()
    tiers = cast("Mapping[str, Tier]", writing.corpus.of_item(item))
    rows: dict[str, list[tuple[int, int, str]]] = {}
    for coder, tier in tiers.items():
        if tier.points is not None:
            raise writing.error("ELAN has no points; write a TextGrid", item, coder)
        rows[coder] = _milliseconds(writing, item, coder, tier.intervals)
    words = shared_words(writing, tiers, "a file")
    if words is not None:
        rows[words[0]] = _milliseconds(writing, item, *words)
    _warn_of_losses(writing, tiers)
    last = max(round(tier.end * 1000) for tier in tiers.values())
    times = sorted({time for intervals in rows.values() for row in intervals for time in row[:2]} | {last})
    slots = {time: f"ts{i}" for i, time in enumerate(times, 1)}
    parts = [_HEAD, "    <TIME_ORDER>\n"]
    parts += [f'        <TIME_SLOT TIME_SLOT_ID="{slot}" TIME_VALUE="{time}"/>\n' for time, slot in slots.items()]
    parts.append("    </TIME_ORDER>\n")
    number = 0
    for name, intervals in rows.items():
        parts.append(f'    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID={quoteattr(name)}>\n')
        for start, end, label in intervals:
            number += 1
            text = escape(label, {"\r": "&#13;"})
            parts.append(
                f'        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="{slots[start]}" '
                f'TIME_SLOT_REF2="{slots[end]}"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>'
                "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
            )
        parts.append("    </TIER>\n")
    return "".join([*parts, _TAIL])


def _warn_of_losses(writing: Writing, tiers: Mapping[str, Tier]) -> None:
    times = [time for tier in tiers.values() for row in (*tier.intervals, *(tier.words or ())) for time in row[:2]]
    ends = {tier.end for tier in tiers.values()}
    rounded = next(
        (time for time in (*times, *ends) if abs(round(time * 1000) - time * 1000) > _NEAR_MILLISECOND), None
    )
    if rounded is not None:
        warn(f"{writing.path}: ELAN stores whole milliseconds; times such as {rounded!r} s are rounded")
    if len(ends) > 1:
        warn(f"{writing.path}: ELAN stores no end per tier; all tiers end at {max(ends):g} s")


def _milliseconds(writing: Writing, item: str, name: str, intervals: Sequence[Interval]) -> list[tuple[int, int, str]]:
    rows = []
    for text in (name, *(interval.label for interval in intervals)):
        if match := _NOT_XML.search(text):
            raise writing.error(
                f"XML cannot store the character {match.group()!r} in {describe_value(text)}", item, name
            )
    for interval in intervals:
        start, end = round(interval.start * 1000), round(interval.end * 1000)
        if not 0 <= start < end < _MAX_MILLISECONDS:
            raise writing.error(f"ELAN stores whole milliseconds from 0 up; got {interval}", item, name)
        rows.append((start, end, interval.label))
    return rows


FORMAT = Format(
    name="eaf",
    suffixes=(".eaf",),
    description="file of ELAN: tiers of annotations, one per coder",
    read=_read,
    looks_like=lambda text: "<ANNOTATION_DOCUMENT" in text[:2000],
    write=_write,
    extra="xml",
    tiers=lambda reading: _Document(reading).file_tiers(),
    decode=decode_xml,
    options=(
        *TIER_OPTIONS,
        Option(
            "coders", "tier", choice("tier", "annotator", "participant"), "attribute of a tier that names the coder"
        ),
    ),
    annotation_types=(Tier,),
    part="tier",
    names_from_file=("item",),
    hint="--tier or --labels",
)
