"""Which tier contains the words, which tiers are coders, and whether labels are types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura import Segmentation, Tier
from caesura.cli import main
from caesura.errors import AmbiguousFileError, FormatError
from caesura.model.common_units import are_transcription
from support.commands import invoke

Rows = Sequence[tuple[float, float, str]]

TEXT = "so well I think that we should go home now"
WORDS = [(i / 2, i / 2 + 0.5, word) for i, word in enumerate(TEXT.split())]  # 10 words in 5 seconds
UNITS = [(0, 1, ","), (1, 3, "."), (3, 5, ".")]
OTHER_UNITS = [(0, 1, ","), (1, 2.5, ","), (2.5, 5, ".")]
PHONES = [(i / 4, i / 4 + 0.25, "aeiou"[i % 5]) for i in range(20)]


def grid(path: Path, **tiers: Rows) -> Path:
    """Write a TextGrid of 5 seconds; a name may contain a hyphen as ``__``; points have equal start and end."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', f"0 5 <exists> {len(tiers)}"]
    for name, rows in tiers.items():
        points = bool(rows) and rows[0][0] == rows[0][1]
        lines.append(f'"{"TextTier" if points else "IntervalTier"}" "{name.replace("__", "-")}" 0 5 {len(rows)}')
        lines += [f'{start} "{label}"' if points else f'{start} {end} "{label}"' for start, end, label in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def roles(path: Path, **options: Any) -> tuple[dict[str, str], tuple[str, ...]]:
    report = cz.read(path, **options).reading
    return dict(report.roles), report.ignored


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return tmp_path / "talk.TextGrid"


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["words", "Word", "WRD", "ORT__MAU", "tokens", "mots", "Wörter", "tier_7", "anna"])
def test_words_are_found_by_content(talk: Path, name: str) -> None:
    corpus = cz.read(grid(talk, IU=UNITS, **{name: WORDS}))
    assert corpus.kind == "linear"
    expected = Segmentation.from_positions(10, [2, 6, 10], marks=[",", ".", "."], units=TEXT.split())
    assert corpus["talk", "IU"] == expected
    assert corpus.reading.roles == {"IU": "segments", name.replace("__", "-"): "words"}


def test_edges_in_silence_and_small_differences_are_no_obstacle(talk: Path) -> None:
    words = [row for row in WORDS if row[2] != "think"]  # a pause from 1.5 to 2 s
    units = [(0, 1.02, ","), (1.02, 1.7, "."), (1.9, 5, ".")]
    with pytest.warns(match=r"the largest shift is 0\.02 s"):
        assert roles(grid(talk, tier1=words, IU=units))[0] == {"tier1": "words", "IU": "segments"}
    # an edge in the middle of a word: the tier is not the word tier unless its name says so, and most edges fit
    units = [(0, 1, ","), (1, 2.25, "."), (2.25, 5, ".")]
    with pytest.raises(AmbiguousFileError, match="several tiers could be the segmentation: 'tier1', 'IU'"):
        cz.read(grid(talk, tier1=WORDS, IU=units))
    many = [(0, 1, ","), (1, 2.2, "."), *((i / 2, i / 2 + 0.5, ".") for i in range(5, 10))]
    with pytest.warns(match="edges were moved to the nearest gap between words"):
        assert roles(grid(talk, words=WORDS, IU=many))[0] == {"words": "words", "IU": "segments"}


def test_labels_of_words_are_different_and_short(talk: Path) -> None:
    repeated = [(start, end, "ab"[i % 2] * 3) for i, (start, end, _) in enumerate(WORDS)]
    with pytest.raises(AmbiguousFileError, match="several tiers"):
        cz.read(grid(talk, fine=repeated, IU=UNITS))
    phrases = [(start, end, f"{word} and more") for start, end, word in WORDS]
    with pytest.raises(AmbiguousFileError, match="several tiers"):
        cz.read(grid(talk, fine=phrases, IU=UNITS))


def test_tiers_of_sounds_are_finer_than_words(talk: Path) -> None:
    path = grid(talk, phones=PHONES, words=WORDS, IU=UNITS)
    assert roles(path) == ({"words": "words", "IU": "segments"}, ("phones (finer than the words)",))
    assert roles(grid(talk, fine=PHONES, words=WORDS, IU=UNITS))[1] == ("fine (finer than the words)",)
    with pytest.raises(AmbiguousFileError, match="no tier besides the words and the tiers that divide words") as caught:
        cz.read(grid(talk, phones=PHONES, words=WORDS))
    assert [options for _, options in caught.value.choices] == [{"tiers": "phones"}, {"tiers": "words"}]
    for _, options in caught.value.choices:  # a tier that the user chooses is not divided further
        assert cz.read(talk, **options).kind == "timed"


def test_the_user_chooses(talk: Path) -> None:
    path = grid(talk, phones=PHONES, words=WORDS, IU=UNITS, topic=UNITS[:2])
    assert roles(path, tiers="topic")[0] == {"words": "words", "topic": "segments"}
    assert roles(path, tiers=["IU", "topic"])[0] == {"words": "words", "IU": "segments", "topic": "segments"}
    assert roles(path, tiers="words")[0] == {"words": "segments"}
    assert roles(path, tiers="IU", words="phones")[0] == {"phones": "words", "IU": "segments"}
    assert cz.read(path, tiers="IU", words="phones")["talk", "IU"].length == 20
    with pytest.raises(FormatError, match="expected one interval tier named 'mots'"):
        cz.read(path, words="mots")


def test_a_single_tier_is_the_segmentation(talk: Path) -> None:
    assert roles(grid(talk, words=WORDS)) == ({"words": "segments"}, ())
    breaks = [(time, time, "4") for time in (1.0, 3.0, 5.0)]
    assert roles(grid(talk, words=WORDS, breaks=breaks))[0] == {"words": "words", "breaks": "segments"}
    assert roles(grid(talk, words=WORDS, IU=UNITS, breaks=breaks))[1] == ("breaks (points)",)


def test_labels_that_often_mean_silence(talk: Path) -> None:
    path = grid(talk, words=[(0, 0.5, "sil"), *WORDS[1:]], IU=UNITS)
    corpus = cz.read(path)
    expected = ("labels that often mean silence are segments: sil (--reading silence=... omits them)",)
    assert corpus.reading.notes == expected
    assert cz.read(path, silence=["sil"])["talk", "IU"].length == 9


# -- coders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("ann", "bo"),
        ("IU ann", "IU bo"),
        ("ann_IU", "bo_IU"),
        ("coder1", "coder2"),
        ("Rater A", "Rater B"),
        ("IU-a", "IU-b"),
    ],
)
def test_tiers_that_are_coders(talk: Path, names: tuple[str, str]) -> None:
    path = grid(talk, words=WORDS, **dict(zip(names, (UNITS, OTHER_UNITS), strict=True)))
    assert cz.read(path).coders == names


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (("IU", "topic"), (UNITS, OTHER_UNITS)),  # different annotations
        (("tonicTone", "tonicAccent"), (UNITS, OTHER_UNITS)),
        (("level 1", "level 2"), (UNITS, OTHER_UNITS)),  # numbers of levels
        (("IU", "IU bo"), (UNITS, OTHER_UNITS)),
        (("ann", "bo"), (UNITS, [(0, 3, "x"), (3, 5, "y")])),  # different labels
        (("ann", "bo"), ([(0, 1, "s"), (3, 5, "s")], [(1, 3, "s")])),  # two speakers take turns
    ],
)
def test_tiers_that_may_not_be_coders(talk: Path, names: tuple[str, str], rows: tuple[Rows, Rows]) -> None:
    path = grid(talk, words=WORDS, **dict(zip(names, rows, strict=True)))
    with pytest.raises(AmbiguousFileError, match="several tiers could be the segmentation") as caught:
        cz.read(path)
    both, first, second = caught.value.choices
    assert first == (f"tier {names[0]}, {len(rows[0])} intervals", {"tiers": names[0]})
    assert cz.read(path, **second[1]).coders == names[1:]
    assert cz.read(path, **both[1]).coders == names


def test_commands_that_choose_a_tier(talk: Path) -> None:
    grid(talk, words=WORDS, IU=UNITS, **{"Topic A": UNITS[:2]})
    result = invoke(["info", str(talk)])
    assert result.exit_code == 1
    assert "tier Topic A, 2 intervals: caesura" in result.stderr
    assert "--tier 'Topic A'" in result.stderr
    assert "--tier IU --tier 'Topic A'" in result.stderr
    chosen = CliRunner().invoke(main, ["info", str(talk), "--tier", "Topic A"])
    assert chosen.exit_code == 0
    assert "10 units; words in tier words; segments in tier Topic A; ignored: IU (not chosen)" in chosen.stderr


def test_many_tiers_take_no_time(talk: Path) -> None:
    with pytest.raises(AmbiguousFileError):
        cz.read(grid(talk, **{f"t{i}": WORDS for i in range(1000)}))


# -- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, False),
        ({",": 12, ".": 4, "?": 1}, False),
        ({"A": 1, "B": 1}, False),  # too few labels to tell
        ({"one phrase": 1}, True),
        ({"a": 1, "b": 1, "c": 2}, True),
        ({"a": 1, "b": 1, "c": 2, "d": 2}, False),
        ({str(i): 5 for i in range(20)}, False),
        ({str(i): 5 for i in range(21)}, True),
    ],
)
def test_transcriptions(labels: dict[str, int], expected: bool) -> None:
    assert are_transcription(labels) is expected


def test_labels_are_counted_over_all_files(tmp_path: Path) -> None:
    """Each file alone has too few labels to be a transcription."""
    for i, coder in enumerate(("ann", "bo")):
        (tmp_path / coder).mkdir()
        rows = [(0, 1, f"x{i}"), (1, 3, f"y{i}"), (3, 5, "z")]
        grid(tmp_path / coder / "talk.TextGrid", words=WORDS, IU=rows)
    corpus = cz.read(tmp_path)
    message = "5 different labels: a transcription, so boundaries have no types (--labels types keeps them)"
    assert message in corpus.reading.notes
    assert corpus.reading.types == ()
    assert cz.read(tmp_path, labels="types")["talk", "ann"].types == ("x0", "x1", "y0", "y1", "z")
    assert cz.read(tmp_path / "ann", labels="ignore").reading.types == ()  # type: ignore[union-attr]


# -- seconds ----------------------------------------------------------------------------------------------------------


def test_without_words_time_is_the_axis(talk: Path) -> None:
    corpus = cz.read(grid(talk, ann=UNITS, bo=OTHER_UNITS))
    assert corpus.kind == "timed"
    assert corpus["talk", "bo"] == Tier(OTHER_UNITS, end=5)
    assert corpus.reading.items == {"talk": 5}
    with pytest.warns(match="the units are the union"):
        assert cz.read(talk, units="union").kind == "linear"
    result = CliRunner().invoke(main, ["info", str(talk)])
    assert "2 coders (ann, bo), 5 seconds; segments in tiers ann, bo" in result.stderr
