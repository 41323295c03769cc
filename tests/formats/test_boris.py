"""Events of BORIS: subjects are streams, behaviors are labels, and point events are points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Corpus, Dialogue, Tier
from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.formats import detect
from support.everyday import expected
from support.files import file_writer
from support.shared_data import DataFolder

HEADER = "Observation id,Total length,Subject,Behavior,Behavioral category,Modifiers,Behavior type,Start (s),Stop (s)\n"
EVENTS = """Observation id,o1_ann

Media file(s),
,Player #1,/video/o1.mp4
Description,"a, b"
Time offset (s),0.000

Time,Media file path,Total length,FPS,Subject,Behavior,Behavioral category,Comment,Status
0.000,/video/o1.mp4,60.0,25,infant,play,,,START
10.500,/video/o1.mp4,60.0,25,infant,smile,,,POINT
10.500,/video/o1.mp4,60.0,25,mother,hold,,,START
20.000,/video/o1.mp4,60.0,25,infant,play,,,STOP
20.000,/video/o1.mp4,60.0,25,infant,cry,,,START
50.000,/video/o1.mp4,60.0,25,infant,cry,,,STOP
50.000,/video/o1.mp4,60.0,25,mother,hold,,,STOP
"""
write_file = file_writer("boris.csv")


def event(
    start: object, stop: object, behavior: str = "play", *, subject: str = "infant", category: str = "", **options: Any
) -> str:
    cells = (options.get("observation", "o1"), options.get("length", 60), subject, behavior, category, "")
    return ",".join(map(str, (*cells, options.get("kind", "STATE"), start, stop))) + "\n"


def read(path: Path, **options: Any) -> Corpus:
    return cz.read(path, units="times", **options)


def test_the_everyday_file(shared: DataFolder) -> None:
    entry = expected(shared, "boris_aggregated.csv")
    corpus = read(shared / "data/everyday/boris_aggregated.csv", observation="{item}_{coder}")
    assert (corpus.kind, list(corpus.coders), corpus.item_names) == ("timed", entry["coders"], ("obs1",))
    for coder, streams in entry["intervals"].items():
        dialogue = corpus["obs1", coder]
        assert isinstance(dialogue, Dialogue)
        assert list(dialogue) == entry["streams"]
        for stream, intervals in streams.items():
            tier = dialogue[stream]
            assert isinstance(tier, Tier)
            assert ([[*row] for row in tier.intervals], tier.end) == (intervals, entry["items"]["obs1"])
            assert [[*row] for row in tier.points or ()] == entry["points"].get(coder, {}).get(stream, [])
    assert corpus.reading.roles["Observation id"] == "item and coder"
    assert corpus.reading.roles["Subject"] == "stream"
    assert corpus.reading.ignored[0].startswith("columns Observation date, Description, Media file, FPS")
    steps = cz.read(shared / "data/everyday/boris_aggregated.csv", observation="{item}_{coder}", units=0.5)
    assert steps.kind == "dialogue"


def test_tabular_events(tmp_path: Path) -> None:
    infant = Tier([(0, 20, "play"), (20, 50, "cry")], end=60, points=[(10.5, "smile")])
    dialogue = Dialogue({"infant": infant, "mother": Tier([(10.5, 50, "hold")], end=60)})
    path = write_file(tmp_path, EVENTS)
    assert detect(path).name == "boris"
    assert read(path) == Corpus({"o1_ann": {"boris": dialogue}})
    assert read(path, observation="{item}_{coder}") == Corpus({"o1": {"ann": dialogue}})
    assert read(path, observation="{item}_*", coder="x") == Corpus({"o1": {"x": dialogue}})
    assert read(path, observation="o1_{coder}") == Corpus({"boris": {"ann": dialogue}})
    for delimiter, name in (("\t", "boris.tsv"), (";", "boris.csv"), ("\t", "boris.txt")):
        other = write_file(tmp_path, EVENTS.replace('"a, b"', "a").replace(",", delimiter), name)
        assert detect(other).name == "boris"
        assert read(other) == read(path)


def test_one_stream_is_a_tier(tmp_path: Path) -> None:
    path = write_file(tmp_path, HEADER + event(0, 5) + event(5, 9, "cry") + event(4, 4, "smile", kind="POINT"))
    tier = Tier([(0, 5, "play"), (5, 9, "cry")], end=60, points=[(4, "smile")])
    corpus = read(path)
    assert corpus == Corpus({"o1": {"boris": tier}})
    assert corpus.reading.notes == ("point events are not boundaries in a stream that has state events",)
    assert read(path, behaviors=["c*"])["o1", "boris"] == Tier([(5, 9, "cry")], end=60)
    assert read(path, duration=70)["o1", "boris"].end == 70  # type: ignore[union-attr]
    assert cz.read(path, units=1, labels="ignore")["o1", "boris"].inner.tolist() == [5, 9]  # type: ignore[union-attr]
    with pytest.raises(FormatError, match="expected an event; no event has one of the selected behaviors"):
        read(path, behaviors=["x"])


def test_streams(tmp_path: Path) -> None:
    text = event(0, 9, "hold", category="hands") + event(2, 5, "look", category="eyes")
    path = write_file(tmp_path, HEADER + text + event(0, 3, "look", category="eyes", observation="o2"))
    excluded: list[FormatError] = []
    assert read(path, excluded=excluded).item_names == ("o2",)
    (error,) = excluded
    assert (error.line, error.problem) == (
        3,
        "behaviors must not overlap in one stream; 'hold' and 'look' of 'infant' at 2-5 s; read one stream per category "
        "with --reading streams=both, or select behaviors with --reading behaviors=...",
    )
    corpus = read(path, streams="category")
    look = Tier([(2, 5, "look")], end=60)
    assert corpus["o1", "boris"] == Dialogue({"hands": Tier([(0, 9, "hold")], end=60), "eyes": look})
    assert tuple(read(path, streams="both")["o1", "boris"]) == ("infant/hands", "infant/eyes")  # type: ignore[arg-type]


def test_a_stream_without_events_is_empty(tmp_path: Path) -> None:
    text = event(0, 9, observation="o1_ann") + event(1, 3, subject="", observation="o1_ann")
    path = write_file(tmp_path, HEADER + text + event(0, 8, observation="o1_bo"))
    corpus = read(path, observation="{item}_{coder}")
    empty = {"infant": Tier([(0, 8, "play")], end=60), "No focal subject": Tier([], end=60)}
    assert corpus["o1", "bo"] == Dialogue(empty)
    assert "streams without events are read as empty" in corpus.reading.notes
    plain = read(path).reading
    message = "each observation is an item (--reading observation={item}_{coder} finds item and coder in the ids)"
    assert message in plain.notes


def test_lengths(tmp_path: Path) -> None:
    without = read(write_file(tmp_path, HEADER + event(0, 9, length="NA")))
    assert without["o1", "boris"].end == 9  # type: ignore[union-attr]
    assert without.reading.notes[0].startswith("the file has no media length; an item ends with its last event")
    odd = read(write_file(tmp_path, HEADER + event(0, 9, length="10;20"))).reading
    assert odd.notes[0] == "the length '10;20' is not a number and was ignored"
    with pytest.warns(CaesuraWarning, match=r"the last event ends at 70 s, after the media \(60 s\)"):
        assert read(write_file(tmp_path, HEADER + event(0, 70)))["o1", "boris"].end == 70  # type: ignore[union-attr]
    expected = Tier([(0, 7, "play")], end=60)
    with pytest.warns(CaesuraWarning, match="state events of zero length left out: 1"):
        assert read(write_file(tmp_path, HEADER + event(0, 7) + event(8, 8)))["o1", "boris"] == expected
    clock = HEADER.replace(",", ";") + event("0:00:01,5", "1:02:03", length="2:00:00").replace(",", ";").replace(
        "01;5", "01,5"
    )
    corpus = read(write_file(tmp_path, clock))
    assert corpus["o1", "boris"] == Tier([(1.5, 3723, "play")], end=7200)
    assert corpus.reading.notes == ("decimal commas were read as decimal points",)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (event(3, 2), "an event must not stop before it starts; got 3-2 s"),
        (event("x", 2), "start must be a time such as 12.5 or 0:00:12.5; got 'x'"),
        (event(1, -2), "stop must be a time such as 12.5 or 0:00:12.5; got '-2'"),
        (event(1, 2, kind="STAT"), "the kind of an event must be one of STATE, POINT; got 'STAT'"),
        (event(1, 2, kind="POINT"), "a POINT must start and stop at the same time; got 1-2 s"),
        (event(1, 2, ""), "an event must have a behavior; the cell is empty"),
    ],
)
def test_errors_of_single_observations(tmp_path: Path, line: str, problem: str) -> None:
    path = write_file(tmp_path, HEADER + event(0, 1) + line + event(0, 1, observation="o2"))
    with pytest.raises(FormatError) as caught:
        read(path)
    assert str(caught.value) == f"{path}:3: {problem}"
    excluded: list[FormatError] = []
    assert read(path, excluded=excluded).item_names == ("o2",)
    assert [str(error) for error in excluded] == [str(caught.value)]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (",cry,,,STOP", ",cry,,,START", r":14: .* 'cry' of 'infant' starts twice without a STOP at 50 s"),
        (",cry,,,START", ",cry,,,STOP", r":13: .* 'cry' of 'infant' stops without a START at 20 s"),
        (
            "hold,,,STOP",
            "hold,,,POINT",
            r":11: every START needs a STOP; 'hold' of 'mother' starts at 10.5 s and never",
        ),
        (
            "50.000,/video/o1.mp4,60.0,25,mother",
            "5,,,,mother",
            r":15: 'hold' of 'mother' must not stop before it starts",
        ),
    ],
)
def test_unpaired_events(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(write_file(tmp_path, EVENTS.replace(old, new, 1)))


def test_patterns(tmp_path: Path) -> None:
    path = write_file(tmp_path, HEADER + event(0, 1) + event(0, 1, observation="o2_ann"))
    message = r":2: the observation 'o1' must match '\{item\}_\{coder\}'; change --reading"
    with pytest.raises(FormatError, match=message):
        read(path, observation="{item}_{coder}")
    excluded: list[FormatError] = []
    assert list(read(path, observation="{item}_{coder}", excluded=excluded)) == [("o2", "ann")]
    for pattern in ("x", "{item}{item}", 3):
        with pytest.raises(OptionError, match="observation must"):
            read(path, observation=pattern)
    twice = write_file(tmp_path, HEADER + event(0, 1, observation="o_1") + event(0, 1, observation="o_2"))
    with pytest.raises(FormatError, match="item 'o' has coder 'x' twice"):
        read(twice, observation="{item}_*", coder="x")


def test_folders(tmp_path: Path) -> None:
    for observation in ("o1_ann", "o1_bo", "o2_ann"):
        write_file(tmp_path, HEADER + event(0, 9, observation=observation), f"{observation}.csv")
    corpus = read(tmp_path, observation="{item}_{coder}")
    assert list(corpus) == [("o1", "ann"), ("o1", "bo"), ("o2", "ann")]


def test_headers(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected a header with the columns Subject, Behavior, Behavior type, and"):
        read(write_file(tmp_path, "a,b\n1,2\n"), format="boris")
    with pytest.raises(FormatError, match=":1: a column must occur once; got 'Subject' again"):
        read(write_file(tmp_path, HEADER.replace("Modifiers", "Subject") + event(0, 1)))
    with pytest.raises(FormatError, match="expected at least one event; got none"):
        read(write_file(tmp_path, HEADER))
    assert detect(write_file(tmp_path, "item,unit,subject,behavior,ann\nx,1,a,b,1\n")).name != "boris"
