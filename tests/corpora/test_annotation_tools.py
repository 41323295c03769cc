"""Published files of annotation tools. ``tests/formats/test_samples.py`` makes the same checks on samples of our own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from support.raw_files import (
    check_brat,
    check_conllu,
    check_eaf_with_rustling,
    check_praat_and_elan,
    check_subtitles,
    check_table_of_pygamma,
    check_textgrid,
    check_textgrid_with_praatio,
    check_webanno,
    read_single,
    read_tiers,
)


def test_tutorial_of_brat(shared: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/brat"
    with subtests.test("all spans and words"):
        counts = [check_brat(path) for path in sorted(folder.glob("*.ann"))]
        assert [sum(column) for column in zip(*counts, strict=True)] == [17, 1402]  # grep -c ^T, wc -w
    path = folder / "040-text_span_annotation.ann"
    with (
        subtests.test("a span that ends before a full stop"),
        pytest.raises(FormatError, match=r":4: .*T4 'GPE' .* ends inside token 41, 'California\.'"),
    ):
        cz.read(path, tokens="whitespace", edges="error")
    with subtests.test("the same span moved to the end of the token"):
        with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 1 "):
            hierarchy = read_single(path, tokens="whitespace", as_="hierarchy")
        assert covered(hierarchy) == ["Google", "Larry Page", "Sergey Brin", "California."]
    with subtests.test("the same span if punctuation is a token"):
        assert covered(read_single(path, as_="hierarchy")) == ["Google", "Larry Page", "Sergey Brin", "California"]


def covered(hierarchy: Hierarchy) -> list[str]:
    assert hierarchy.units is not None
    return [" ".join(hierarchy.units[s.start - 1 : s.end]) for s in hierarchy.spans]


# name -> cues, lines that end inside a cue; counted by hand
SUBTITLES = {
    "captions_with_bom.vtt": (4, 0),
    "comments.vtt": (3, 2),
    "cue_tags.vtt": (3, 0),
    "one_caption.srt": (1, 0),
    "one_caption.vtt": (1, 0),
    "sample.srt": (5, 0),
    "sample.vtt": (16, 0),
}


def test_subtitles_of_webvtt_py(shared: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/subtitles"
    for name, (cues, lines) in SUBTITLES.items():
        with subtests.test(name):
            check_subtitles(folder / name, cues=cues, lines_within_cues=lines)
    with (
        subtests.test("sample.sbv"),
        pytest.raises(FormatError, match=r"sample.sbv:1: subtitles must be .srt or .vtt; these are YouTube's .sbv"),
    ):
        cz.read(folder / "sample.sbv")


# In these files of kylebgorman/textgrid, edges differ in the seventh place. praatio rejects them.
INEXACT = ("long_format", "short_format")


def test_textgrids(shared: Path, subtests: pytest.Subtests) -> None:
    """Files of praatIO, kylebgorman/textgrid and pygamma-agreement."""
    paths = sorted((shared / "data/formats/textgrid").glob("*/*.TextGrid"))
    exact = [path for path in paths if path.stem not in INEXACT]
    exact.append(shared / "data/formats/pygamma_multi_annotator/MaureenMarvinRobin.TextGrid")
    assert (len(paths), len(exact)) == (14, 13)
    for path in exact:
        with subtests.test("quoted texts", file=path.name):
            check_textgrid(path)
        with subtests.test("praatio reads the same", file=path.name):
            check_textgrid_with_praatio(path)
    inexact = [path for path in paths if path.stem in INEXACT]
    for path in inexact:
        with (
            subtests.test("quoted texts", file=path.name),
            pytest.warns(CaesuraWarning, match="tier 'phone': 4 edges between neighbours differed by"),
        ):
            check_textgrid(path)
    with subtests.test("the long and the short format are equal"):
        with pytest.warns(CaesuraWarning, match="tier 'phone': 4 edges between neighbours differed by"):
            long, short = map(read_tiers, inexact)
        assert long == short
        labels = re.findall(r'^ *text = "[^"]+" *$', inexact[0].read_text(), re.MULTILINE)
        assert sum(len(tier.intervals) for tier in long.values()) == len(labels)
    with (
        subtests.test("two ends in one silence"),
        # Before 1363.34 s there is only one word, so "." and "loud silence" end in the same gap.
        pytest.raises(
            FormatError, match=r"two ends must not fall on the same position; .*s '\.' and .*s 'loud silence' both"
        ),
    ):
        cz.read(inexact[0], words="word", tiers="Errors", silence=["sil", "sp"])


def test_elan_files_of_speach(shared: Path, subtests: pytest.Subtests) -> None:
    for path in sorted((shared / "data/formats/eaf").glob("*.eaf")):
        with subtests.test("rustling reads the same", file=path.name):
            check_eaf_with_rustling(path)


def test_samples_of_pygamma(shared: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/pygamma_multi_annotator"
    for path in sorted(folder.glob("*.csv")):
        with subtests.test("every row is a span", file=path.name):
            check_table_of_pygamma(path)
    with subtests.test("Praat and ELAN have the same spans, to a millisecond"):
        check_praat_and_elan(folder / "MaureenMarvinRobin.TextGrid", coders=("Maureen", "Marvin", "Robin"), spans=4)


def test_webanno_files_of_neuged(shared: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/webanno_tsv/neuged"
    for name, layer, column in (
        ("test_input", None, 6),
        ("test_input_multi_sentence_span", None, 6),
        ("test_input_quotes", None, 6),
        ("test_input_v3.3", "Tex", 5),
        ("test_input", "POS", 3),
    ):
        with subtests.test("all tokens and spans", file=name, layer=layer):
            check_webanno(folder / f"{name}.tsv", column, layer=layer)
    with subtests.test("quotes are tokens"):
        quotes = read_single(folder / "test_input_quotes.tsv")
        assert quotes.units == ("a", "sentence", "with", '"', "quotes", '"')
    with subtests.test("a span over the end of a sentence"):
        marked = read_single(folder / "test_input_multi_sentence_span.tsv")
        assert [tuple(span) for span in marked.spans] == [(3, 5, "ANNO")]  # from 0, the end is not included
    path = folder / "test_input_v3.3.tsv"
    with (
        subtests.test("a span within a token"),
        pytest.raises(
            FormatError, match=r":47: .*LetterEntity\[3\] 'per-mentioned' .*inside token 38, 'Bernhardischen'"
        ),
    ):
        cz.read(path, layer="LetterEntity", edges="error")
    with (
        subtests.test("the same span moved to the edges of the token"),
        pytest.warns(CaesuraWarning, match="moved to the edge of the token: 1 "),
    ):
        check_webanno(path, 4, layer="LetterEntity", edges="token")


def test_spoken_french_in_conllu(shared: Path) -> None:
    """60 sentences of UD French Rhapsodie."""
    assert check_conllu(shared / "data/formats/conllu_timed/fr_rhapsodie_dev_first60.conllu") == 60
