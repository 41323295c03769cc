"""TextGrids of Praat, long and short, in any encoding that Praat writes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import Corpus, Segmentation, Tier
from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.formats.textgrid import word_times

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "ann"
        xmin = 0
        xmax = 3
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "say ""A""
twice"
        intervals [2]:
            xmin = 1.5
            xmax = 2
            text = ""
        intervals [3]:
            xmin = 2
            xmax = 3
            text = "B"
    item [2]:
        class = "IntervalTier"
        name = "word"
        xmin = 0
        xmax = 3
        intervals: size = 4
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = "oh"
        intervals [2]:
            xmin = 0.5
            xmax = 1.4
            text = "no"
        intervals [3]:
            xmin = 1.4
            xmax = 2.0
            text = ""
        intervals [4]:
            xmin = 2.0
            xmax = 3
            text = "yes"
    item [3]:
        class = "TextTier"
        name = "tones"
        xmin = 0
        xmax = 3
        points: size = 2
        points [1]:
            number = 0.25
            mark = "H*"
        points [2]:
            number = 2.5e0
            mark = ""
"""
ANN = Tier([(0, 1.5, 'say "A"\ntwice'), (2, 3, "B")], end=3)
WORDS = [(0, 0.5, "oh"), (0.5, 1.4, "no"), (2, 3, "yes")]
TONES = Tier(points=[(0.25, "H*"), (2.5, "")], end=3)


def short(long: str) -> str:
    """Return the short form: one value per line, without names."""
    values = re.findall(r'"(?:[^"]|"")*"|<exists>|(?<=[= ])[-+0-9.e]+(?=\n)', long)
    return "\n".join(['File type = "ooTextFile short"', *values[1:]]) + "\n"


def write_file(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "talk.TextGrid"
    path.write_bytes(text.encode(encoding))
    return path


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [LONG, short(LONG), LONG.replace("\n", "\r\n"), LONG.replace("\n", "\r")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be-sig"])
def test_every_form(tmp_path: Path, text: str, encoding: str) -> None:
    text = text.replace('"B"', '"ə 你 𝄞"')
    if encoding == "utf-16-be-sig":
        text, encoding = "\ufeff" + text, "utf-16-be"
    path = write_file(tmp_path, text, encoding)
    mine = Tier([*ANN.intervals[:1], (2, 3, "ə 你 𝄞")], end=3)
    both = cz.read(path, units="times", tiers=["ann", "word"])
    assert both == Corpus({"talk": {"ann": mine, "word": Tier(WORDS, end=3)}})
    assert cz.read(path, units="times") == Corpus({"talk": {"ann": mine.with_words(WORDS)}})
    everything = Corpus({"talk": {"ann": mine.with_words(WORDS), "tones": TONES.with_words(WORDS)}})
    assert cz.read(path, units="times", tiers="*", words="word") == everything


def test_textgrids_written_by_elan_and_comments(tmp_path: Path) -> None:
    text = re.sub(r"(intervals|points) (\[\d\]):", r"\1 \2", LONG).replace("item [", "item[")
    text = text.replace("size = 3\nitem", "size = 3 ! three of them\nitem").replace("number =", "time =")
    expected = cz.read(write_file(tmp_path, LONG), units="times", tiers="*")
    assert cz.read(write_file(tmp_path, text), units="times", tiers="*") == expected


FREE_TEXT = """File type = "ooTextFile"
Object class = "TextGrid"

0 2.5 ! the time domain of the "TextGrid", 3 tiers
<exists>
3 tiers
"IntervalTier" named "Mary" ! type and name of tier 1
From 0 to 2.5 seconds ! time domain of tier 1
2 intervals coming (really!) - as Praat's manual writes them
From 0 to 1/4 "a" and
from 25% to 250% "b"
"IntervalTier" "John" 0 2.5 1 interval:
from 0 to 2.5 "c"
"TextTier" "bell" .0 2.5
1 point at +5/4 "ring ! <3"
The end ! 3
"""


def test_text_between_values_comments_and_fractions(tmp_path: Path) -> None:
    corpus = cz.read(write_file(tmp_path, FREE_TEXT), units="times", tiers="*")
    mary = Tier([(0, 0.25, "a"), (0.25, 2.5, "b")], end=2.5)
    bell = Tier(points=[(1.25, "ring ! <3")], end=2.5)
    assert corpus == Corpus({"talk": {"Mary": mary, "John": Tier([(0, 2.5, "c")], end=2.5), "bell": bell}})


def test_units(tmp_path: Path) -> None:
    # word |oh| no |  .  |yes|     gaps 1, 2, 3
    # ann  |-- A --|     |-B-|
    path = write_file(tmp_path, LONG.replace('say ""A""\ntwice', "A"))
    over_words = Segmentation.from_positions(3, [2, 3], marks=["A", "B"], units=["oh", "no", "yes"])
    assert cz.read(path, words="word") == Corpus({"talk": {"ann": over_words}})
    plain = Segmentation.from_masses([2, 1], units=["oh", "no", "yes"])
    assert cz.read(path, words="word", labels="ignore")["talk", "ann"] == plain
    steps = Segmentation.from_positions(6, [3, 4, 6], marks=["A", "boundary", "B"])
    assert cz.read(path, units=0.5, tiers="ann")["talk", "ann"] == steps
    declared = cz.read(path, words="word", types=["B", "A"])["talk", "ann"]
    assert isinstance(declared, Segmentation)
    assert declared.types == ("B", "A")
    with pytest.warns(CaesuraWarning, match="the units are the union of the coders' times"):
        union = cz.read(path, tiers="ann", units="union")
    assert union["talk", "ann"] == Segmentation.from_positions(
        3, [1, 2, 3], marks=["A", "boundary", "B"], units=["0-1.5 s", "1.5-2 s", "2-3 s"]
    )


def test_names_and_patterns(tmp_path: Path) -> None:
    path = write_file(tmp_path, LONG.replace('"tones"', '"IU [1]"').replace('"word"', '"IU 2"'))
    assert cz.read(path, units="times", tiers=["IU *"]).coders == ("IU 2", "IU [1]")
    assert cz.read(path, units="times", tiers="IU [1]").coders == ("IU [1]",)  # a name before it is a pattern
    corpus = cz.read(path, units="times", tiers="ann", item="x", coder="Ann B.")
    assert corpus == Corpus({"x": {"Ann B.": ANN}})
    for options, message in (
        ({"tiers": "nobody"}, r"tiers: 'nobody' must match a tier; the tiers are 'ann', 'IU 2', 'IU \[1\]'"),
        ({"words": "word"}, "expected one interval tier named 'word', for the words; the interval tiers are 'ann'"),
        ({"words": "IU [1]"}, "expected one interval tier named"),  # it has points
        (
            {"coder": "Ann", "tiers": ["ann", "IU 2"]},
            r"with coder=..., expected one tier; choose with tiers=...: 'ann', 'IU 2'",
        ),
        ({"tiers": "ann", "words": "ann"}, "expected a tier besides the words"),
    ):
        with pytest.raises(FormatError, match=message):
            cz.read(path, units="times", **options)
    for name, value in (("tiers", 3), ("tiers", []), ("words", 3), ("units", "time"), ("silence", [3])):
        with pytest.raises(OptionError, match=name):
            cz.read(path, **{name: value})


def test_silence_is_not_a_segment(tmp_path: Path) -> None:
    path = write_file(tmp_path, LONG.replace('"no"', '"sil"').replace('"B"', '"sp"'))
    tier = cz.read(path, units="times", words="word", silence=["sil", "sp"])["talk", "ann"]
    assert isinstance(tier, Tier)
    assert tier.words is not None
    assert ([w.label for w in tier.words], len(tier.intervals)) == (["oh", "yes"], 1)


def test_files_of_several_coders_share_their_units(tmp_path: Path) -> None:
    (tmp_path / "talk_ann.TextGrid").write_text(LONG)
    (tmp_path / "talk_bo.TextGrid").write_text(LONG.replace("1.5", "1.52").replace('"B"', '"say ""A""\ntwice"'))
    files = {name: tmp_path / f"talk_{name}.TextGrid" for name in ("ann", "bo")}
    with pytest.warns(CaesuraWarning, match="the units are the union"):
        corpus = cz.read_coders(files, tiers="ann", units="union")
    assert (corpus.item_names, corpus.coders) == (("talk",), ("ann", "bo"))
    assert [tier.positions.tolist() for tier in corpus.of_item("talk").values()] == [[1, 2, 3], [1, 2, 3]]  # type: ignore[union-attr]
    times = cz.read_coders(files, tiers="ann", units="times")
    assert times["talk", "ann"] == ANN.with_words(WORDS)


def test_the_only_tier_of_a_file_does_not_name_the_coder(tmp_path: Path) -> None:
    for folder in ("ann", "bo"):
        (tmp_path / folder).mkdir()
        for item in ("x", "y"):
            (tmp_path / folder / f"{item}.TextGrid").write_text(LONG)
    corpus = cz.read_coders(sorted(tmp_path.glob("*/*.TextGrid")), tiers="ann", units="times")
    assert (corpus.item_names, corpus.coders) == (("x", "y"), ("ann", "bo"))
    for name in ("x_ann", "x_bo"):
        (tmp_path / f"{name}.TextGrid").write_text(LONG)
    corpus = cz.read_coders(sorted(tmp_path.glob("*.TextGrid")), tiers="ann", units="times")
    assert (corpus.item_names, corpus.coders) == (("x",), ("x_ann", "x_bo"))
    with pytest.raises(FormatError, match="item 'x' has coder 'ann' in another file too"):
        cz.read_coders(sorted(tmp_path.glob("*.TextGrid")), units="times", tiers="*")


def test_a_shift_to_a_gap_warns(tmp_path: Path) -> None:
    path = write_file(tmp_path, LONG.replace("xmax = 1.5\n", "xmax = 1.25\n").replace("xmin = 1.5\n", "xmin = 1.25\n"))
    message = r"talk\.TextGrid: item 'talk': edges were moved to the nearest gap between words; the largest shift is 0\.15 s, .* at 1\.25 s"
    with pytest.warns(CaesuraWarning, match=message):
        cz.read(path, words="word")


def test_an_item_without_common_units_is_one_error(tmp_path: Path) -> None:
    path = write_file(tmp_path, LONG)
    excluded: list[FormatError] = []
    assert len(cz.read(path, tiers="ann", units=5, excluded=excluded)) == 0
    expected = [f"{path}: item 'talk': a step must not be longer than the recording, 3 s; got 5 s"]
    assert [str(error) for error in excluded] == expected
    with pytest.raises(FormatError, match="a step must not be longer"):
        cz.read(path, tiers="ann", units=5)


# -- rounding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge", ["1.40001", "1.39999"])
def test_edges_that_rounding_moved_meet_in_the_middle(tmp_path: Path, edge: str) -> None:
    path = write_file(
        tmp_path,
        LONG.replace("xmin = 1.4", f"xmin = {edge}").replace('1.4\n            text = "no"', '1.4\ntext = "no"'),
    )
    message = "tier 'word': 1 edge between neighbours differed by 0.0001 s or less and moved"
    with pytest.warns(CaesuraWarning, match=message):
        tier = cz.read(path, units="times", tiers="word")["talk", "word"]
    assert isinstance(tier, Tier)
    assert tier.intervals[1].end == pytest.approx((1.4 + float(edge)) / 2, abs=1e-12)
    if edge < "1.4":
        message = r":43: intervals must follow each other; '' starts at 1\.39999 s, before"
        with pytest.raises(FormatError, match=message):
            cz.read(path, units="times", tiers="word", snap=0)


def test_word_times(tmp_path: Path) -> None:
    path = write_file(tmp_path, LONG)
    assert word_times(path, "word") == ({"talk": [("oh", 0, 0.5), ("no", 0.5, 1.4), ("yes", 2, 3)]}, 0)
    overlapping = write_file(tmp_path, LONG.replace("xmin = 0.5", "xmin = 0.49995"))
    words, moved = word_times(overlapping, "word")
    assert (words["talk"][0][2], words["talk"][1][1], moved) == (0.499975, 0.499975, 1)
    message = r":39: intervals must follow each other; 'no' starts at 0\.49995 s, before 'oh'"
    with pytest.raises(FormatError, match=message):
        word_times(overlapping, "word", snap=1e-5)
    message = "expected one interval tier, for the words; the interval tiers are 'ann', 'word'"
    with pytest.raises(FormatError, match=message):
        word_times(path)
    message = "expected one interval tier named 'tones', for the words; the interval tiers are"
    with pytest.raises(FormatError, match=message):
        word_times(path, "tones")
    only = Corpus({"talk": {"w": Tier(WORDS)}})
    cz.write(only, path)
    assert word_times(path)[0] == {"talk": [(word, start, end) for start, end, word in WORDS]}


# -- files that cannot be ---------------------------------------------------------------------------------------------


NEXT = "of an interval, a number, must come next;"
XMAX = "xmax = 3\n            text"


NUMBER = ":14: the number of intervals or points must come"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ooTextFile"', '"ooBinaryFile"', r":1: the type of the file must be 'ooTextFile'; got 'ooBinaryFile'"),
        ('"TextGrid"', '"Sound"', r":2: the class of the object must be 'TextGrid'; got 'Sound'"),
        ("xmin = 0\nxmax = 3\n", "xmin = 3\nxmax = 0\n", r":5: xmax of the TextGrid must be > xmin; got 0 <= 3"),
        ("<exists>", "<absent>", r":6: a TextGrid must have tiers; this has none"),
        ("xmax = 1.5", "xmin = 1.5", r":17: xmax of an interval, a number, must come next; got 'xmin = 1\.5'"),
        ("xmax = 1.5", "xmax = 1,5", r":17: xmax of an interval, a number, must come next; got 'xmax = 1,5'"),
        ("xmax = 1.5", "xmax = --undefined--", rf":17: xmax {NEXT} got 'xmax = --und"),
        ("            xmax = 1.5\n", "", r":17: xmax of an interval, a number, must come next; got 'text = "),
        ("xmax = 1.5", "xmax = 0", r":16: interval end must be > start; got 0 <= 0"),
        ("xmin = 1.5", "xmin = 1.2", r":21: intervals must follow each other; '' starts at 1\.2 s, before 'say"),
        ("xmin = 1.5\n", 'xmin = 1.5 "hello"\n', rf":21: xmax {NEXT} got '\"hello\"'"),
        ("xmin = 1.5\n", 'xmin = 1.5 he"llo\n', r":21: xmax of an interval, a number, must come next; got 'he\"llo'"),
        ("xmax = 1.5", "xmax = 1/0", r":17: xmax of an interval, a number, must come next; got 'xmax = 1/0'"),
        ("xmax = 1.5", "xmax = 1.5/", r":17: xmax of an interval, a number, must come next; got 'xmax = 1.5/'"),
        ("intervals: size = 3", "intervals: size = 4", rf":28: xmin {NEXT} got 'item"),
        (
            "intervals: size = 3",
            "intervals: size = 2",
            r":24: the class of a tier must come next; got 'intervals \[3\]",
        ),
        ("intervals: size = 3", "intervals: size = -3", f"{NUMBER} next; got 'inte"),
        ("intervals: size = 3", f"intervals: size = {'9' * 5000}", r":14: the number of intervals or points must come"),
        ("size = 3\nitem", "size = 2\nitem", r":50: nothing after the 2 tiers that the file announces"),
        ("size = 3\nitem", "size = 4\nitem", r":62: the class of a tier must come next; the file ends here"),
        ("IntervalTier", "PitchTier", r":10: a tier is an IntervalTier or a TextTier; got 'PitchTier'"),
        ('name = "word"', 'name = "ann"', r":30: a coder must have one tier; got 'ann' again; choose with tiers"),
        ('"yes"', '"yes', r":51: the class of a tier must come next; got 'TextTier"),
        ('mark = ""\n', 'mark = "', r":61: a text must end in a quote; this text does not: 'mark ="),
        (XMAX, XMAX.replace("3", "1e400"), r"intervals\[1\]: end must be a time in seconds"),
        (XMAX, XMAX.replace("3", "4"), r"intervals\[1\] must lie in 0-3 s; got 2-4 s 'B'"),
        ("number = 0.25", "number = 2.75", r"points\[1\]: points must ascend; got 2\.5 s '' after 2\.75 s"),
    ],
)
def test_invalid_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in LONG
    path = write_file(tmp_path, LONG.replace(old, new, 1))
    with pytest.raises(FormatError, match=message) as caught:
        cz.read(path, units="times", tiers="*")
    assert str(caught.value).startswith(f"{path}:")
    assert "\n" not in str(caught.value)


def test_a_file_cut_off_anywhere_is_an_error(tmp_path: Path) -> None:
    text = LONG.rstrip()
    for form in (text, short(LONG).rstrip()):
        for end in range(1, len(form), 7):
            with pytest.raises(FormatError):
                cz.read(write_file(tmp_path, form[:end]), units="times", tiers="*")


@pytest.mark.parametrize(
    "junk", ['"' * 99_999, " " * 100_000, "intervals [" * 20_000, "! " * 50_000, "xmin = " * 20_000]
)
def test_junk_is_rejected_fast(tmp_path: Path, junk: str) -> None:
    """A tokenizer with backtracking would not finish."""
    with pytest.raises(FormatError):
        cz.read(write_file(tmp_path, LONG[:100] + junk + "?"))


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "t.TextGrid"
    path.write_bytes(b"\xff\xfe" + LONG.encode("utf-16-le")[:-1])
    with pytest.raises(FormatError, match="expected text in UTF-16; got bytes that are not valid"):
        cz.read(path)
    path.write_bytes(LONG.replace("yes", "oui é").encode("latin-1"))
    with pytest.raises(FormatError, match=r":49: expected text in UTF-8; got byte 0xe9"):
        cz.read(path)


def test_a_file_with_points_only(tmp_path: Path) -> None:
    cz.write(Corpus({"talk": {"tones": TONES}}), tmp_path / "talk.TextGrid")
    assert cz.read(tmp_path / "talk.TextGrid") == Corpus({"talk": {"tones": TONES}})


# -- writing ----------------------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
labels = st.one_of(texts, st.sampled_from(['"', '""', 'a"b', "a\nb", "a\r\nb", "!x", "<exists>", "xmin = 3", "ʃə"]))
times = st.floats(-1e6, 1e6, allow_nan=False).map(float)


@st.composite
def tiers(draw: st.DrawFn) -> Tier:
    at = sorted(draw(st.sets(times, min_size=2, max_size=9)))
    begin, *inner, end = at
    if draw(st.booleans()):
        return Tier(points=[(time, draw(labels)) for time in inner], begin=begin, end=end)
    marked = [(a, b, draw(labels)) for a, b in pairwise(at)]
    return Tier([row for row in marked if row[2].strip()], begin, end)


@given(by_coder=st.dictionaries(labels, tiers(), min_size=1, max_size=3))
def test_round_trip(by_coder: dict[str, Tier], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "talk.TextGrid"
    corpus = Corpus({"talk": by_coder})
    cz.write(corpus, path)
    assert cz.read(path, units="times", tiers="*") == corpus


@given(by_coder=st.dictionaries(texts.filter(lambda name: name != "w"), st.integers(1, 9), min_size=1, max_size=3))
def test_round_trip_with_words(by_coder: dict[str, int], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "talk.TextGrid"
    words = [(1, 2, "oh"), (2, 3.5, "no")]
    corpus = Corpus(
        {"talk": {c: Tier([(1, 1 + n / 10, "A")], begin=-n, end=4 + n, words=words) for c, n in by_coder.items()}}
    )
    cz.write(corpus, path, words="w")
    assert cz.read(path, units="times", words="w", tiers="*") == corpus


def test_praatio_reads_written_files(tmp_path: Path) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    mine = Corpus({"t": {"ann": ANN, "tones": Tier(points=[(0.25, "H*"), (2.5, "L")], end=3)}})
    cz.write(mine, tmp_path / "t.TextGrid")
    read = textgrid.openTextgrid(str(tmp_path / "t.TextGrid"), includeEmptyIntervals=False)
    assert [tuple(row) for row in read.getTier("ann").entries] == [tuple(row) for row in ANN.intervals]
    assert [tuple(row) for row in read.getTier("tones").entries] == [(0.25, "H*"), (2.5, "L")]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (Corpus({"talk": {"a": ANN}, "y": {"a": ANN}}), "this format stores one item; choose one of talk, y"),
        (Corpus({"y": {"a": ANN}}), r"the file names the item: 'y' would be read as 'talk'"),
        (
            Corpus({"talk": {"a": Segmentation.from_masses([2, 1])}}),
            "cannot store a Segmentation; it can be written as",
        ),
        (Corpus({"talk": {"a": cz.Hierarchy(2, [(1, 2)])}}), r"this format \(textgrid\) cannot store a Hierarchy"),
        (
            Corpus({"talk": {"a": ANN.with_words(WORDS), "b": ANN}}),
            "a TextGrid has one word tier; 'a' and 'b' have different words",
        ),
        (Corpus({"talk": {"words": ANN.with_words(WORDS)}}), "a coder has the name of the word tier, 'words'"),
        (Corpus({"talk": {"a": ANN.with_words([])}}), "a word tier must have words; got none"),
        (Corpus({"talk": {"a": Tier([(0, 1, "\ud800")])}}), r"text in UTF-8 cannot contain half a surrogate pair"),
        (Corpus({"talk": {"a": Tier([(0, 1, "a\0b")])}}), "text cannot contain a NUL character"),
    ],
)
def test_corpora_that_cannot_be_written(tmp_path: Path, corpus: Corpus, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        cz.write(corpus, tmp_path / "talk.TextGrid")
    assert not (tmp_path / "talk.TextGrid").exists()


def test_option_item_names_the_item(tmp_path: Path) -> None:
    corpus = Corpus({"a/b": {"ann": ANN}})
    cz.write(corpus, tmp_path / "talk.TextGrid", item="a/b")
    assert cz.read(tmp_path / "talk.TextGrid", item="a/b", units="times") == corpus
