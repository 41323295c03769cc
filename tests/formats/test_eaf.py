"""ELAN files: annotations with times, and annotations that refer to others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Corpus, Segmentation, Tier
from caesura.errors import AmbiguousFileError, CaesuraWarning, FormatError
from support.files import refusal

pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")

TYPES = "".join(
    f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{name}" CONSTRAINTS="{constraint}"/>'
    for name, constraint in (
        ("sub", "Symbolic_Subdivision"),
        ("assoc", "Symbolic_Association"),
        ("time", "Time_Subdivision"),
        ("in", "Included_In"),
        ("odd", "Sideways"),
    )
)


def slots(**times: int | None) -> str:
    rows = (
        f'<TIME_SLOT TIME_SLOT_ID="{n}"' + ("" if t is None else f' TIME_VALUE="{t}"') + "/>" for n, t in times.items()
    )
    return f"<TIME_ORDER>{''.join(rows)}</TIME_ORDER>\n"


def tier(name: str, *annotations: str, kind: str = "top", more: str = "") -> str:
    inside = "\n".join(f"<ANNOTATION>{annotation}</ANNOTATION>" for annotation in annotations)
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}" {more}>\n{inside}</TIER>\n'


def own(name: str, start: str, end: str, label: str | None = None) -> str:
    value = f"<ANNOTATION_VALUE>{name.upper() if label is None else label}</ANNOTATION_VALUE>"
    times = f'TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'
    return f'<ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}" {times}>{value}</ALIGNABLE_ANNOTATION>'


def hung(name: str, parent: str, previous: str | None = None) -> str:
    before = "" if previous is None else f'PREVIOUS_ANNOTATION="{previous}"'
    value = f"<ANNOTATION_VALUE>{name.upper()}</ANNOTATION_VALUE>"
    return f'<REF_ANNOTATION ANNOTATION_ID="{name}" ANNOTATION_REF="{parent}" {before}>{value}</REF_ANNOTATION>'


def write_file(tmp_path: Path, *parts: str, header: str = '<HEADER TIME_UNITS="milliseconds"/>') -> Path:
    path = tmp_path / "talk.eaf"
    top = '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top"/>'
    body = "".join(parts)
    path.write_text(f"<ANNOTATION_DOCUMENT>{header}\n{body}{top}{TYPES}</ANNOTATION_DOCUMENT>", encoding="utf-8")
    return path


def spans(path: Path, coder: str, **options: Any) -> list[tuple[float, float, str]]:
    tier_read = cz.read(path, units="times", **{"tiers": "*"} | options)["talk", coder]
    assert isinstance(tier_read, Tier)
    return [tuple(row) for row in tier_read.intervals]


# -- times ------------------------------------------------------------------------------------------------------------


def test_tiers_with_times(tmp_path: Path) -> None:
    path = write_file(
        tmp_path,
        slots(t1=500, t2=2000, t3=2000, t4=3250),
        tier("ann", own("b", "t3", "t4"), own("a", "t1", "t2")),
        tier("bo", own("c", "t1", "t4", "été\n你")),
        tier("default"),
    )
    ann, bo = Tier([(0.5, 2, "A"), (2, 3.25, "B")], end=3.25), Tier([(0.5, 3.25, "été\n你")], end=3.25)
    assert cz.read(path, units="times", tiers="*") == Corpus({"talk": {"ann": ann, "bo": bo}})


def test_association_and_subdivision(tmp_path: Path) -> None:
    # s      1                 4
    # top    |------- a -------|
    # sub    |- x -|- y -|- z -|     in the order of their chain, not of the file
    # assoc  |- p -|                 of x
    # sub2   |q|r|                   of p
    path = write_file(
        tmp_path,
        slots(t1=1000, t2=4000),
        tier("top", own("a", "t1", "t2")),
        tier("sub", hung("z", "a", "y"), hung("x", "a"), hung("y", "a", "x"), kind="sub", more='PARENT_REF="top"'),
        tier("sub2", hung("q", "p"), hung("r", "p", "q"), kind="sub", more='PARENT_REF="assoc"'),
        tier("assoc", hung("p", "x"), kind="assoc", more='PARENT_REF="sub"'),
    )
    assert spans(path, "sub") == [(1, 2, "X"), (2, 3, "Y"), (3, 4, "Z")]
    assert spans(path, "assoc") == [(1, 2, "P")]
    assert spans(path, "sub2") == [(1, 1.5, "Q"), (1.5, 2, "R")]


def test_a_division_into_thirds_leaves_no_gap(tmp_path: Path) -> None:
    path = write_file(
        tmp_path,
        slots(t1=100, t2=1100),
        tier("top", own("a", "t1", "t2")),
        tier(
            "sub",
            *(hung(n, "a", p) for n, p in (("x", None), ("y", "x"), ("z", "y"))),
            kind="sub",
            more='PARENT_REF="top"',
        ),
    )
    rows = spans(path, "sub")
    assert [row[1] for row in rows[:-1]] == [row[0] for row in rows[1:]]
    assert (rows[0][0], rows[-1][1]) == (0.1, 1.1)
    assert rows[0][1] == pytest.approx(0.1 + 1 / 3)


def test_slots_without_times_lie_evenly_between_their_neighbours(tmp_path: Path) -> None:
    # slots  t1=1000  t2  t3  t4=4000 | t5=5000
    # time   |-- x --|- y -|-- z --|      a slot of another tier in between has no effect
    path = write_file(
        tmp_path,
        slots(t1=1000, t2=None, u=1100, t3=None, t4=4000, t5=5000),
        tier("top", own("a", "t1", "t4")),
        tier("other", own("b", "u", "t5")),
        tier(
            "time",
            own("x", "t1", "t2"),
            own("y", "t2", "t3"),
            own("z", "t3", "t4"),
            kind="time",
            more='PARENT_REF="top"',
        ),
        tier("below", hung("q", "y"), kind="assoc", more='PARENT_REF="time"'),
    )
    message = r"talk\.eaf: time slots without a time, .* evenly between their neighbours: 2$"
    with pytest.warns(CaesuraWarning, match=message):
        corpus = cz.read(path, units="times", tiers="*")
    tier_read, below = corpus["talk", "time"], corpus["talk", "below"]
    assert isinstance(tier_read, Tier)
    assert isinstance(below, Tier)
    assert [tuple(row) for row in tier_read.intervals] == [(1, 2, "X"), (2, 3, "Y"), (3, 4, "Z")]
    assert [tuple(row) for row in below.intervals] == [(2, 3, "Q")]


def test_an_annotation_without_a_text_is_not_a_segment(tmp_path: Path) -> None:
    path = write_file(
        tmp_path, slots(t1=0, t2=1000, t3=2000), tier("ann", own("a", "t1", "t2", ""), own("b", "t2", "t3"))
    )
    with pytest.warns(CaesuraWarning, match="annotations without a text, which are not segments: 1$"):
        assert spans(path, "ann") == [(1, 2, "B")]


# -- who --------------------------------------------------------------------------------------------------------------


def test_names_of_coders(tmp_path: Path) -> None:
    mine = tier("t1", own("a", "s", "e"), more='ANNOTATOR="Ann" PARTICIPANT="P"')
    path = write_file(
        tmp_path, slots(s=0, e=1000), mine, tier("t2", own("b", "s", "e"), more='ANNOTATOR="Bo" PARTICIPANT="P"')
    )
    assert cz.read(path, units="times", tiers="t*").coders == ("t1", "t2")
    assert cz.read(path, units="times", coders="annotator").coders == ("Ann", "Bo")
    assert cz.read(path, units="times", coders="participant", tiers="t2").coders == ("P",)
    with pytest.raises(FormatError, match=r":5: a coder must have one tier; got 'P' again; choose with tiers"):
        cz.read(path, units="times", coders="participant")
    path = write_file(tmp_path, slots(s=0, e=1000), tier("t1", own("a", "s", "e")))
    with pytest.raises(FormatError, match=r":3: tier 't1' must name its annotator; or read with coders='tier'"):
        cz.read(path, units="times", coders="annotator")


def test_words_as_units(tmp_path: Path) -> None:
    # words  |oh|no|   |yes|
    # ann    |-A--|    |-B-|
    path = write_file(
        tmp_path,
        slots(a=0, b=500, c=1400, d=2000, e=3000),
        tier("words", own("w1", "a", "b", "oh"), own("w2", "b", "c", "no"), own("w3", "d", "e", "yes")),
        tier("ann", own("x", "a", "c", "A"), own("y", "d", "e", "B")),
    )
    segmentation = cz.read(path, words="words")["talk", "ann"]
    assert segmentation == Segmentation.from_positions(3, [2, 3], marks=["A", "B"], units=["oh", "no", "yes"])


# -- files that cannot be ---------------------------------------------------------------------------------------------

OK = slots(t1=0, t2=1000, n=None, m=None)
TOP = tier("top", own("a", "t1", "t2"))
UNDER = 'PARENT_REF="top"'
CHAIN = "the annotations that divide 'a' must form one chain"


def below(kind: str, *annotations: str) -> str:
    return tier("t", *annotations, kind=kind, more=UNDER)


A12 = own("a", "t1", "t2")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((OK, tier("t", own("a", "t1", "t9"))), r":4: a time slot must be in the time order; got 't9'"),
        ((OK, tier("t", own("a", "t1", "n"))), r":4: time slot 'n' must have a time, or neighbours in its tier that"),
        ((OK, tier("t", own("a", "n", "t2"))), r":4: time slot 'n' must have a time"),
        (
            (OK, tier("t", own("a", "t1", "n"), own("b", "n", "m"), own("c", "m", "n"))),
            r":4: time slot 'n' must have a time",
        ),
        ((OK, tier("t", own("a", "t2", "t1"))), r":4: interval end must be > start; got 0 <= 1"),
        ((OK, tier("t", A12, own("b", "t1", "t2"))), r":5: intervals must follow each other; 'B' starts"),
        ((OK, tier("t", A12, A12)), r":5: an annotation must have a unique id; got 'a'"),
        ((OK, tier("t", own("", "t1", "t2"))), r":4: an annotation must have a unique id; got 'none'"),
        (
            (OK, tier("t", "<OTHER ANNOTATION_ID='a'/>")),
            r":4: an annotation has times or refers to another; got <OTHER>",
        ),
        ((OK, tier("t", kind="none")), r":3: the type of tier 't' must be declared; got 'none'"),
        ((OK, tier("t", kind="odd")), r":3: the constraint of tier 't' is not known; got 'Sideways'"),
        ((OK, tier("t"), tier("t")), r":5: a tier must have a unique id; got 't'"),
        ((OK, tier("t", more='PARENT_REF="u"')), r":3: the parent of 't' must be a tier; got 'u'"),
        (
            (OK, TOP, tier("t", more='PARENT_REF="u"'), tier("u", more='PARENT_REF="t"')),
            r":5: every tier must be below a tier without a parent; 't' is in a cycle",
        ),
        ((OK, TOP, below("sub", hung("x", "z"))), r":6: 'x' must refer to an annotation on a tier"),
        ((OK, TOP, below("in", hung("x", "a"))), r":6: annotation 'x' must have times; its tier is"),
        ((OK, TOP, below("assoc", hung("x", "a"), hung("y", "a"))), r":7: only one annotation may be asso"),
        ((OK, TOP, below("sub", hung("x", "a"), hung("y", "a", "q"))), f":7: {CHAIN}; 'y' is not in it"),
        ((OK, TOP, below("sub", hung("x", "a", "y"), hung("y", "a", "x"))), f":6: {CHAIN}; 'x' is not in it"),
        ((slots(t1=0).replace('"0"', '"-5"'), TOP), r":2: a time must be whole milliseconds from 0 up; got '-5'"),
        (
            (slots(t1=0).replace('"0"', f'"{"9" * 5000}"'), TOP),
            r":2: a time must be whole milliseconds from 0 up; got '999",
        ),
        (
            (slots(t1=0).replace("</", '<TIME_SLOT TIME_SLOT_ID="t1"/></'), TOP),
            r":2: a time slot must have a unique id",
        ),
        ((slots(), tier("t")), r":3: item 'talk', coder 't': end: a recording must end after it begins; got 0-0 s"),
        ((OK,), "expected a tier besides the words; the tiers are none"),
    ],
)
def test_invalid_files(tmp_path: Path, parts: tuple[str, ...], message: str) -> None:
    path = write_file(tmp_path, *parts)
    with pytest.raises(FormatError, match=message) as caught:
        cz.read(path, units="times")
    assert str(caught.value).startswith(f"{path}:")


def test_time_units(tmp_path: Path) -> None:
    path = write_file(tmp_path, OK, TOP, header='<HEADER TIME_UNITS="PAL-frames"/>')
    with pytest.raises(FormatError, match=":1: times must be in milliseconds; the file has PAL-frames"):
        cz.read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html/>", ":1: expected <ANNOTATION_DOCUMENT>; got <html>"),
        ("<ANNOTATION_DOCUMENT><TIER>", ":1: not valid XML"),
        (
            '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]>\n<ANNOTATION_DOCUMENT>&z;</ANNOTATION_DOCUMENT>',
            ":1: expected a plain",
        ),
        (f"<ANNOTATION_DOCUMENT>{'<TIER>' * 5000}{'</TIER>' * 5000}</ANNOTATION_DOCUMENT>", "XML: Excessive depth"),
    ],
)
def test_untrusted_xml(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.eaf").write_text(text)
    with pytest.raises(FormatError, match=message):
        cz.read(tmp_path / "t.eaf")


def test_a_file_cut_off_anywhere_is_an_error(tmp_path: Path) -> None:
    path = write_file(tmp_path, OK, TOP)
    text = path.read_text()
    for end in range(1, len(text) - 1, 11):
        path.write_text(text[:end])
        with pytest.raises(FormatError):
            cz.read(path)


def test_deeply_nested_tiers_need_no_recursion(tmp_path: Path) -> None:
    deep = [
        tier(f"t{i}", hung(f"x{i}", f"x{i - 1}"), kind="assoc", more=f'PARENT_REF="t{i - 1}"')
        for i in reversed(range(1, 2000))
    ]
    assert spans(write_file(tmp_path, OK, *deep, tier("t0", own("x0", "t1", "t2"))), "t1999") == [(0, 1, "X1999")]


def test_without_lxml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path, OK, TOP)
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(FormatError, match=r"reading this needs lxml; run pip install 'caesura\[xml\]'"):
        cz.read(path)


# -- writing ----------------------------------------------------------------------------------------------------------


def test_written_file(tmp_path: Path) -> None:
    words = [(0, 0.5, "good"), (0.5, 1.0, "night")]
    ann = Tier([(0.5, 2, "A & <B>"), (2, 3.25, 'é "quoted"\n你')], end=4, words=words)
    bo = Tier([(0.001, 3.25, "x\ry")], end=4, words=words)
    path = tmp_path / "talk.eaf"
    cz.write(Corpus({"talk": {"ann <1>": ann, "bo": bo}}), path)
    again = cz.read(path, units="times", tiers=["ann <1>", "bo"], words="words")
    assert again == Corpus({"talk": {"ann <1>": ann, "bo": bo}})


def test_times_are_rounded_to_milliseconds(tmp_path: Path) -> None:
    path = tmp_path / "talk.eaf"
    with pytest.warns(cz.errors.CaesuraWarning, match=r"whole milliseconds; times such as 0\.12345 s are rounded"):
        cz.write(Corpus({"talk": {"ann": Tier([(0.12345, 2.00049, "A")], end=3)}}), path)
    tier_read = cz.read(path, units="times", tiers="ann")["talk", "ann"]
    assert isinstance(tier_read, Tier)
    assert (tier_read.intervals[0][:2], tier_read.end) == ((0.123, 2.0), 3.0)


def test_tiers_end_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "talk.eaf"
    corpus = Corpus({"talk": {"ann": Tier([(0, 0.038, "A")], end=3), "bo": Tier([(0, 2, "A")], end=2)}})
    with pytest.warns(cz.errors.CaesuraWarning, match="no end per tier; all tiers end at 3 s") as caught:
        cz.write(corpus, path)
    assert len(caught) == 1  # 0.038 s are whole milliseconds
    assert {tier.end for tier in cz.read(path, units="times", tiers=["ann", "bo"]).values()} == {3.0}


@pytest.mark.parametrize(
    ("tier_written", "problem"),
    [
        (Tier(points=[(1, "x")], end=2), "ELAN has no points; write a TextGrid"),
        (Tier([(1, 1.0001, "x")], end=2), "ELAN stores whole milliseconds from 0 up; got 1-1.0001 s 'x'"),
        (Tier([(-1, 1, "x")], begin=-1, end=2), "ELAN stores whole milliseconds from 0 up; got -1-1 s 'x'"),
        (Tier([(0, 1, "x\x01")], end=2), "XML cannot store the character '\\x01'"),
    ],
)
def test_tiers_that_cannot_be_written(tmp_path: Path, tier_written: Tier, problem: str) -> None:
    path = tmp_path / "talk.eaf"
    error = refusal(cz.write, Corpus({"talk": {"ann": tier_written}}), path)
    assert f"item 'talk', coder 'ann': {problem}" in str(error)
    assert not path.exists()


def test_words_must_be_the_same(tmp_path: Path) -> None:
    words = [(0, 1, "good")]
    corpus = Corpus({"talk": {"ann": Tier([(0, 1, "x")], words=words), "bo": Tier([(0, 1, "x")])}})
    with pytest.raises(FormatError, match="a file has one word tier; 'ann' and 'bo' have different words"):
        cz.write(corpus, tmp_path / "talk.eaf")
    corpus = Corpus({"talk": {"words": Tier([(0, 1, "x")], words=words)}})
    with pytest.raises(FormatError, match="a coder has the name of the word tier, 'words'"):
        cz.write(corpus, tmp_path / "talk.eaf")


@pytest.mark.parametrize(
    ("names", "patterns"),
    [
        (("ann/rec1", "bo/rec1"), ["{coder}/{item}.eaf", "{item}/{coder}.eaf"]),
        (("rec1_ann", "rec1_bo"), ["{item}_{coder}.eaf", "{item}.eaf"]),
    ],
)
def test_last_marks_far_apart_leave_coders_open(tmp_path: Path, names: tuple[str, str], patterns: list[str]) -> None:
    """A file ends at its last mark, so that two coders of a recording may end at 7 s and at 4 s."""
    for name, end in zip(names, (7000, 4000), strict=True):
        path = write_file(tmp_path, slots(a=500, b=end), tier("gesture", own("g", "a", "b", "beat")))
        (tmp_path / f"{name}.eaf").parent.mkdir(exist_ok=True)
        path.rename(tmp_path / f"{name}.eaf")
    for options in ({}, {"as_": "spans"}):
        with pytest.raises(AmbiguousFileError, match="their last marks are far apart") as caught:
            cz.read(tmp_path, **options)
        assert [choice["pattern"] for _, choice in caught.value.choices] == patterns
        corpus = cz.read(tmp_path, pattern=patterns[0], **options)
        assert set(corpus) == {("rec1", "ann"), ("rec1", "bo")}
    assert [entry.bounds for entry in corpus.values()] == [(0, 7), (0, 7)]  # spans of one recording have one extent
    assert "recordings end at the last mark of all coders" in corpus.reading.notes


def test_numbered_recordings_are_items(tmp_path: Path) -> None:
    for name, end in (("talk_1", 7000), ("talk_2", 4000)):
        write_file(tmp_path, slots(a=500, b=end), tier("gesture", own("g", "a", "b"))).rename(tmp_path / f"{name}.eaf")
    assert set(cz.read(tmp_path)) == {("talk_1", "gesture"), ("talk_2", "gesture")}
