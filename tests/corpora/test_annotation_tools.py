"""Published files of annotation tools. ``tests/formats/test_samples.py`` makes the same checks on samples of our own."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from support.raw_files import (
    check_brat,
    check_chat,
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
from support.shared_data import DataFolder


def check_tutorial_of_brat(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
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


def check_subtitles_of_webvtt_py(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
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


def check_textgrids(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
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


def check_elan_files_of_speach(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for path in sorted((shared / "data/formats/eaf").glob("*.eaf")):
        with subtests.test("rustling reads the same", file=path.name):
            check_eaf_with_rustling(path)


def check_samples_of_pygamma(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/pygamma_multi_annotator"
    for path in sorted(folder.glob("*.csv")):
        with subtests.test("every row is a span", file=path.name):
            check_table_of_pygamma(path)
    with subtests.test("Praat and ELAN have the same spans, to a millisecond"):
        check_praat_and_elan(folder / "MaureenMarvinRobin.TextGrid", coders=("Maureen", "Marvin", "Robin"), spans=4)
    with subtests.test("the same, read as spans"):
        tiers, elan = (
            cz.read(folder / f"MaureenMarvinRobin.{end}", tiers=["Maureen", "Marvin", "Robin"], as_="spans")
            for end in ("TextGrid", "eaf")
        )
        assert tiers.kind == elan.kind == "spans"
        assert tiers.coders == elan.coders
        for key in tiers:
            a, b = tiers[key], elan[key]
            assert isinstance(a, cz.Spans)
            assert isinstance(b, cz.Spans)
            assert a.categories == b.categories
            assert a.starts == pytest.approx(b.starts, abs=0.001)


def check_webanno_files_of_neuged(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
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


def check_spoken_french_in_conllu(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """60 sentences of UD French Rhapsodie."""
    assert check_conllu(shared / "data/formats/conllu_timed/fr_rhapsodie_dev_first60.conllu") == 60


def check_rst_tace(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    folder = shared / "data/formats/rs3/rst_tace"
    for name, spans in {
        "singleMonoNuc": [(1, 2, 1, None)],
        "capitalizedRelations": [(1, 2, 1, None)],
        "singleMultiNuc": [(1, 3, 1, None)],
        "multiAndMonoNuc": [(1, 4, 1, None), (1, 3, 2, None)],
    }.items():
        with subtests.test(name):
            assert [tuple(span) for span in read_single(folder / f"{name}.rs3").spans] == spans
    with (
        subtests.test("onlyRelations"),
        pytest.raises(FormatError, match=r"onlyRelations\.rs3:8: expected at least one EDU \(<segment>\); got none"),
    ):
        cz.read(folder / "onlyRelations.rs3")


def check_cantonese_in_chat(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Three transcripts of HKCanCor."""
    paths = sorted((shared / "data/formats/cha/hkcancor").glob("*.cha"))
    assert [path.name for path in paths] == ["FC-R006_v2.cha", "FC-R009_v.cha", "FC-R016_v.cha"]
    counted = {"FC-R006_v2": 121, "FC-R009_v": 90, "FC-R016_v": 131}  # grep -c '^\*'
    for path in paths:
        with subtests.test(path.name):
            assert check_chat(path) == counted[path.stem]


def check_tibetan_in_rezonator(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A conversation of 53 units, 30 of which end in a shad that is a token of its own."""
    path = shared / "data/formats/rez/parting_0.20.1.rez"
    name = path.stem
    raw = path.read_bytes()
    assert raw.endswith(b"}\0")
    root = json.loads(raw[:-1])["ROOT"][0]
    nodes = root["nodeMap"]
    lines = [
        (unit["tagMap"]["speaker"], [nodes[nodes[entry]["token"]]["tagMap"]["word"] for entry in unit["entryList"]])
        for unit in (nodes[name] for name in nodes[root["discourseNode"]]["unitList"])
    ]
    with_shad = sum(words[-1] == "།" for _, words in lines)
    assert (len(lines), sum(len(words) for _, words in lines), with_shad) == (53, 216, 30)
    with subtests.test("no token has a kind, so all boundaries are untyped"):
        with pytest.warns(CaesuraWarning, match="no token is of kind 'EndNote', so all boundaries are untyped"):
            plain = cz.read(path)[name, name]
        assert plain.length == 216
        assert sum(len(side.boundaries) for side in plain.values()) == 53
        assert {kind for side in plain.values() for _, kind in side.boundaries} == {"boundary"}
    dialogue = cz.read(path, symbols=["།"], unclassified=";")[name, name]
    with subtests.test("symbols that are a token"):
        assert dialogue.length == 216 - 30
        assert set(dialogue) == {speaker for speaker, _ in lines}
        assert kinds_of(dialogue) == {"།": 30, ";": 23}
        for speaker, side in dialogue.items():
            mine = [words for who, words in lines if who == speaker]
            assert side.units == tuple(word for words in mine for word in words if word != "།" or word is not words[-1])
            assert len(side.boundaries) == len(mine)
    with subtests.test("symbols that are attached to a token"):
        # The first unit ends in the single token '་་།'.
        attached = cz.read(path, symbols=["།"], unclassified=";", attached=True)[name, name]
        assert attached.length == 186
        assert kinds_of(attached) == {"།": 31, ";": 22}
    with subtests.test("the transliteration"):
        wylie = cz.read(path, symbols=["/"], unclassified=";", token="wordWylie")[name, name]
        assert kinds_of(wylie) == {"/": 31, ";": 22}
    with subtests.test("a table keeps all boundaries"):
        cz.write(cz.Corpus({"parting": {"ann": dialogue}}), tmp_path / "parting.csv")
        assert cz.read(tmp_path / "parting.csv")["parting", "ann"] == dialogue


def kinds_of(dialogue: cz.Dialogue) -> Counter[str]:
    return Counter(kind for side in dialogue.values() for _, kind in side.boundaries)


CORPORA = (
    check_tutorial_of_brat,
    check_subtitles_of_webvtt_py,
    check_textgrids,
    check_elan_files_of_speach,
    check_samples_of_pygamma,
    check_webanno_files_of_neuged,
    check_spoken_french_in_conllu,
    check_rst_tace,
    check_cantonese_in_chat,
    check_tibetan_in_rezonator,
)


def test_published_files(shared: DataFolder, tmp_path: Path, subtests: pytest.Subtests) -> None:
    assert (shared / "data/formats").is_dir()  # or skip
    for check in CORPORA:
        with subtests.test(check.__name__):
            check(shared, tmp_path, subtests)
