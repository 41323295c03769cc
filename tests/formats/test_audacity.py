"""Labels of Audacity: intervals and points in seconds."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Tier
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect, formats
from support.corpora import round_trip_or_refuse
from support.everyday import expected
from support.examples import examples
from support.files import file_writer, refusal
from support.shared_data import DataFolder

LABELS = "0.000000\t2.500000\tintro\n\\\t100.0\t-1.0\n2.500000\t9.000000\tmain part\n3.000000\t3.000000\tclick\n"
write_file = file_writer("talk1.txt")


def read_tier(path: Path, **options: object) -> Tier:
    tier = cz.read(path, units="times", **options)["talk1", "talk1"]
    assert isinstance(tier, Tier)
    return tier


def test_intervals_and_points(tmp_path: Path) -> None:
    path = write_file(tmp_path, LABELS)
    tier = Tier([(0, 2.5, "intro"), (2.5, 9, "main part")], points=[(3, "click")])
    assert read_tier(path) == tier
    assert read_tier(path, duration=12).end == 12
    report = cz.read(path, units="times").reading
    assert report.roles == {"1": "start", "2": "end", "3": "labels"}
    assert report.ignored == ("1 frequency range (caesura compares times only)",)
    assert report.notes == ("points are not boundaries, because there are intervals",)
    assert cz.read(path, units=0.5, labels="ignore")["talk1", "talk1"].inner.tolist() == [5]


def test_the_everyday_files(shared: DataFolder) -> None:
    entry = expected(shared, "audacity/ann/talk1.txt")
    corpus = cz.read(shared / "data/everyday/audacity", units="times")
    assert (list(corpus.item_names), list(corpus.coders)) == (["talk1"], entry["coders"])
    for coder, intervals in entry["intervals"].items():
        tier = corpus["talk1", coder]
        assert isinstance(tier, Tier)
        assert ([[*row] for row in tier.intervals], tier.end) == (intervals, entry["items"]["talk1"])
        assert [[*row] for row in tier.points or ()] == entry["points"].get(coder, [])


def test_decimal_commas_order_and_empty_labels(tmp_path: Path) -> None:
    path = write_file(tmp_path, "2,500000\t4,000000\t\n\n0,000000\t2,500000\ta, b\n")
    corpus = cz.read(path, units="times")
    assert corpus["talk1", "talk1"] == Tier([(0, 2.5, "a, b"), (2.5, 4, "boundary")])
    expected = ("decimal commas were read as decimal points", "intervals without a label have the type 'boundary'")
    assert corpus.reading.notes == expected


def test_points_alone_are_boundaries(tmp_path: Path) -> None:
    path = write_file(tmp_path, "1.0\t1.0\ta\n3.0\t3.0\t\n")
    assert read_tier(path, duration=4) == Tier(points=[(1, "a"), (3, "")], end=4)
    with pytest.warns(CaesuraWarning, match="is assumed to end at the last point.*set its length with duration="):
        assert read_tier(path).end == 3


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("2.0\t1.0\tx", ":2: end must not be before start; got 1.0 < 2.0"),
        ("x\t1.0\tx", ":2: start must be a time in seconds from 0 to 1e+12; got 'x'"),
        ("-1.0\t1.0\tx", ":2: start must be a time in seconds from 0 to 1e+12; got -1.0"),
        ("5.0", ":2: a line is start, end and label, with tabs between them; got '5.0'"),
        ("0.5\t3.0\tx", ":2: intervals must follow each other; 'x' starts at 0.5 s, before 'a' ends at 1 s"),
    ],
)
def test_errors(tmp_path: Path, line: str, problem: str) -> None:
    path = write_file(tmp_path, f"0.0\t1.0\ta\n{line}\n")
    assert str(refusal(cz.read, path, "audacity")) == f"{path}{problem}"


def test_other_formats_are_not_detected_as_labels(tmp_path: Path) -> None:
    assert detect(write_file(tmp_path, LABELS)).name == "audacity"
    others = {"a.lab": (LABELS, "lab"), "a.txt": ("0.000\tSilence\n0.464\tA, a\n25.0\tEnd\n", "salami")}
    for name, (text, format_name) in others.items():
        assert detect(write_file(tmp_path, text, name)).name == format_name
    for text in ("1\t2\tx\n", "0.0 1.0 a\n", "0.0\t1.0\ta\tb\n", "0.0\t1.0\ta\nfree\n", "\\\t1.0\t2.0\n", "0110\n"):
        with suppress(FormatError):
            assert not formats()["audacity"].looks_like(text)
    long = "".join(f"{i}.0\t{i + 1}.0\t{'x' * 900}\n" for i in range(400))
    assert detect(write_file(tmp_path, long)).name == "audacity"


TIMES = st.integers(0, 40).map(lambda time: time / 8)


@examples(80)
@given(
    st.lists(TIMES, min_size=2, unique=True).map(sorted),
    st.lists(st.tuples(TIMES, st.sampled_from(["", "p"])), unique_by=lambda point: point[0]).map(sorted),
    st.sampled_from(["a", " b c ", "é", "a\tb", "\\", "x\ny"]),
)
def test_round_trips(
    tmp_path_factory: pytest.TempPathFactory, edges: list[float], points: list[tuple[float, str]], label: str
) -> None:
    rows = [(a, b, label) for a, b in pairwise(edges)]
    last = max([edges[-1], *(time for time, _ in points)])
    corpus = Corpus({"talk1": {"talk1": Tier(rows, end=last, points=points or None)}})
    path = tmp_path_factory.mktemp("trip") / "talk1.txt"
    round_trip_or_refuse(corpus, path, "audacity", sure="\t" not in label and "\n" not in label, units="times")


def test_corpora_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "talk1.txt"
    for tier, problem in [
        (Tier([(0, 1, "a")], end=2), r"cannot store the end of the recording, 2.0 s; .* duration=2.0"),
        (Tier([(0, 1, "a")], words=[(0, 1, "w")]), "cannot store words"),
        (Tier([(0, 1, "a\nb")]), "would be read as|cannot store the text"),
    ]:
        with pytest.raises(FormatError, match=problem):
            cz.write(Corpus({"talk1": {"talk1": tier}}), path, "audacity")
    cz.write(Corpus({"talk1": {"talk1": Tier([(0, 1, "a")], end=2)}}), path, "audacity", duration=2)
    assert read_tier(path, duration=2).end == 2
