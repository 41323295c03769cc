"""JAMS: segments of music, level by level."""

from __future__ import annotations

import json
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect

Segment = tuple[float, float, Any]


def annotation(namespace: str, segments: list[Segment], name: str | None = "ann") -> dict[str, Any]:
    data = [{"time": time, "duration": lasts, "value": value, "confidence": None} for time, lasts, value in segments]
    return {"namespace": namespace, "annotation_metadata": {"annotator": {"name": name} if name else {}}, "data": data}


def write_file(tmp_path: Path, *annotations: Any, duration: Any = None, name: str = "song.jams") -> Path:
    data = {"annotations": list(annotations), "file_metadata": {"duration": duration}, "sandbox": {}}
    (tmp_path / name).write_text(json.dumps(data))
    return tmp_path / name


OPEN = annotation("segment_open", [(0, 4, "A"), (4, 5.5, "B")])
UPPER = annotation("segment_salami_upper", [(0, 4, "A"), (4, 6, "B")])
LOWER = annotation("segment_salami_lower", [(0, 2, "a"), (2, 2, "a'"), (4, 6, "b")])
FUNCTION = annotation("segment_salami_function", [(0, 3, "intro"), (3, 7, "verse")])
MULTI = annotation("multi_segment", [(0, 10, {"label": "A", "level": 0}), (0, 5, {"label": "a", "level": 1})], "bo")


def test_one_level(tmp_path: Path) -> None:
    path = write_file(tmp_path, OPEN, annotation("beat", [(0, 0, 1)]))
    assert detect(path).name == "jams"
    assert cz.read(path)["song", "ann"] == Hierarchy.from_times([(0, 4, 1, "A"), (4, 9.5, 1, "B")])
    longer = cz.read(write_file(tmp_path, OPEN, duration=12), item="s", coder="x")["s", "x"]
    assert longer == Hierarchy.from_times([(0, 4, 1, "A"), (4, 9.5, 1, "B")], duration=12)


def test_salami_has_two_levels_and_functions_are_ignored(tmp_path: Path) -> None:
    hierarchy = cz.read(write_file(tmp_path, FUNCTION, UPPER, LOWER))["song", "ann"]
    expected = Hierarchy.from_times([(0, 4, 1, "A"), (4, 10, 1, "B"), (0, 2, 2, "a"), (2, 4, 2, "a'"), (4, 10, 2, "b")])
    assert hierarchy == expected


def test_levels_are_in_the_values(tmp_path: Path) -> None:
    expected = Hierarchy.from_times([(0, 10, 1, "A"), (0, 5, 2, "a")])
    assert cz.read(write_file(tmp_path, MULTI))["song", "bo"] == expected
    from_1 = annotation(
        "multi_segment", [(0, 10, {"label": "A", "level": 1}), (0, 5, {"label": "a", "level": 2})], "bo"
    )
    assert cz.read(write_file(tmp_path, from_1))["song", "bo"] == expected


def test_coders_by_name_or_number(tmp_path: Path) -> None:
    first, second = (annotation("segment_open", [(0, end, "A")], None) for end in (4, 5))
    corpus = cz.read(write_file(tmp_path, first, OPEN, second))
    assert corpus.coders == ("1", "ann", "3")
    upper, lower = (
        annotation("segment_salami_upper", [(0, 4, "A")], ""),
        annotation("segment_salami_lower", [(0, 4, "a")], ""),
    )
    assert cz.read(write_file(tmp_path, upper, lower))["song", "1"].depth == 2  # type: ignore[union-attr]
    with pytest.raises(FormatError, match=r"coder 'ann': annotations\[1\]: a coder has one annotation in segment_open"):
        cz.read(write_file(tmp_path, OPEN, OPEN))


def test_several_kinds(tmp_path: Path) -> None:
    path = write_file(tmp_path, OPEN, UPPER, MULTI)
    message = "several kinds of segments; choose one with namespace=: multi_segment, segment_sal"
    with pytest.raises(FormatError, match=message):
        cz.read(path)
    expected = Hierarchy.from_times([(0, 4, 1, "A"), (4, 10, 1, "B")])
    assert cz.read(path, namespace="segment_salami")["song", "ann"] == expected
    message = "expected an annotation in the namespace segment_open; the namespaces are 'beat'"
    with pytest.raises(FormatError, match=message):
        cz.read(write_file(tmp_path, annotation("beat", [])), namespace="segment_open")


def test_sums_of_times_are_not_exact(tmp_path: Path) -> None:
    """In floating point, 0.1 + 0.2 is more than 0.3, so segments would cross or continue after the end."""
    path = write_file(tmp_path, annotation("segment_open", [(0.1, 0.2, "A"), (0.3, 0.3, "B")]), duration=0.6)
    assert 0.1 + 0.2 > 0.3
    hierarchy = cz.read(path)["song", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0, 0.1, 0.3, 0.6)
    with pytest.raises(FormatError, match="cross"):
        cz.read(path, snap=0)


def test_times_that_are_rounded_to_a_microsecond(tmp_path: Path) -> None:
    """B begins at 55.193832 and b ends at 55.193833: the difference is a microsecond, and more in binary."""
    start, lasts = 42.60943, 12.584403
    assert start + lasts - 55.193832 > 1e-6
    upper = annotation("segment_salami_upper", [(0, 55.193832, "A"), (55.193832, 4.806168, "B")])
    lower = annotation("segment_salami_lower", [(0, start, "a"), (start, lasts, "b"), (55.193832, 4.8, "c")])
    hierarchy = cz.read(write_file(tmp_path, upper, lower, duration=60))["song", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0, start, 55.193832, 59.993832, 60)


def test_times_of_spans_that_are_left_out(tmp_path: Path) -> None:
    """They are not edges of units, and no other time is moved to them."""
    upper = annotation("segment_salami_upper", [(0, 10, "A"), (10, 10, "B")])
    lower = annotation("segment_salami_lower", [(0, 5.0000005, "a"), (7, 6, "b"), (5.0000001, 0.3, "c")])
    path = write_file(tmp_path, upper, lower)
    with pytest.warns(CaesuraWarning, match="spans left out because they do not nest: 1 "):
        hierarchy = cz.read(path, repair=True)["song", "ann"]
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.edges == (0, 5.0000001, 5.3000001, 10, 20)


def test_beyond_the_end(tmp_path: Path) -> None:
    path = write_file(tmp_path, OPEN, duration=9)
    with pytest.raises(FormatError, match=r"a span must lie in 0-9 s; got 4-9\.5; or read with beyond='extend'"):
        cz.read(path)
    with pytest.warns(CaesuraWarning, match="extended from 9 s to 9.5 s"):
        assert cz.read(path, beyond="extend")["song", "ann"].edges == (0, 4, 9.5)  # type: ignore[union-attr]


part = partial(annotation, "segment_open")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (part([(-1, 4, "A")]), r"data\[0\]: time must be a time in seconds from 0 to 1e.12; got -1"),
        (part([(0, "x", "A")]), r"data\[0\]: duration must be a time in seconds from 0 to 1e.12; got 'x'"),
        (annotation("segment_open", [(0, 4, 7)]), r"data\[0\]: label must be a string; got 7"),
        (annotation("multi_segment", [(0, 4, "A")]), r"data\[0\]: expected a value with label and level; got 'A'"),
        (annotation("multi_segment", [(0, 4, {"label": "A", "level": -1})]), r"data\[0\]: level must be from 0 to"),
        ({"namespace": "segment_open", "data": {"time": [0]}}, r"data: expected \[.*\]; got an object"),
        (
            {"namespace": "segment_open", "data": [3]},
            r"data\[0\]: expected an object with time, duration and value; got 3",
        ),
        (annotation("segment_open", [(0, 4, "A"), (3, 4, "B")]), "0-4 s on level 1 and 3-7 s on level 1 cross"),
        (annotation("segment_open", []), "expected at least one span longer than 0 s, or a duration; got none"),
        ({"data": []}, r"annotations\[0\]: an object must have a namespace; it has none"),
        (
            annotation("beat", []),
            "expected an annotation in the namespace multi_segment, .*; the namespaces are 'beat'",
        ),
    ],
)
def test_invalid_files(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        cz.read(write_file(tmp_path, content))


def test_the_other_coder_is_still_read(tmp_path: Path) -> None:
    excluded: list[FormatError] = []
    wrong = annotation("segment_salami_lower", [(0, -2, "a")], "bo")
    upper = annotation("segment_salami_upper", [(0, 4, "A")], "bo")
    corpus = cz.read(write_file(tmp_path, UPPER, upper, wrong, LOWER), excluded=excluded)
    assert corpus.coders == ("ann",)
    assert len(excluded) == 1


def test_files_that_are_not_jams(tmp_path: Path) -> None:
    for content, message in (("[]", "an object with"), ("{", "not valid JSON"), ("[" * 10**5, "nested too deeply")):
        (tmp_path / "x.jams").write_text(content)
        with pytest.raises(FormatError, match=message):
            cz.read(tmp_path / "x.jams")
    with pytest.raises(
        FormatError, match=r"file_metadata: duration must be a time in seconds from 0 to 1e.12; got 'long'"
    ):
        cz.read(write_file(tmp_path, OPEN, duration="long"))


def test_jams_with_the_suffix_json(tmp_path: Path) -> None:
    assert detect(write_file(tmp_path, OPEN, name="song.json")).name == "jams"
    (tmp_path / "m.json").write_text('{"file_metadata": {"annotations": [2, 3]}}')
    assert detect(tmp_path / "m.json").name == "json"


def test_files_of_the_jams_library(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jams = pytest.importorskip("jams", reason="jams is not installed: pip install caesura[test]")
        song = jams.JAMS()
        song.file_metadata.duration = 10.0
        for level in ("upper", "lower"):
            hierarchy = jams.Annotation(namespace=f"segment_salami_{level}")
            hierarchy.annotation_metadata = jams.AnnotationMetadata(annotator={"name": "ann"})
            for time, lasts, value in [(0.0, 4.0, "A"), (4.0, 6.0, "B")]:
                hierarchy.append(time=time, duration=lasts, value=value if level == "upper" else value.lower())
            song.annotations.append(hierarchy)
        song.save(str(tmp_path / "song.jams"))
    read = cz.read(tmp_path / "song.jams")["song", "ann"]
    assert read == Hierarchy.from_times([(0, 4, 1, "A"), (4, 10, 1, "B"), (0, 4, 2, "a"), (4, 10, 2, "b")])
