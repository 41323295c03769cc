"""Samples in the shape of published files of annotation tools.

The texts are invented; the constructs and oddities are those of the published files, which ``tests/corpora`` reads if they are
available.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy
from caesura.errors import CaesuraWarning, FormatError
from support import raw_files
from support.raw_files import SAMPLES, read_single

TEXTGRIDS = [SAMPLES / "textgrid" / f"{name}.TextGrid" for name in ("short", "long", "elan", "utf16be")]
TEXTGRIDS.append(SAMPLES / "pygamma" / "three_coders.TextGrid")
INEXACT = [SAMPLES / "textgrid" / f"inexact_{name}.TextGrid" for name in ("long", "short")]


def need_lxml() -> None:
    pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")


def spans_of(hierarchy: Any) -> list[tuple[int, int, str | None]]:
    assert isinstance(hierarchy, Hierarchy)
    return [(span.start, span.end, span.label) for span in hierarchy.spans]


# -- brat -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "counts"), [("museum", (7, 32)), ("empty", (0, 9))])
def test_brat(name: str, counts: tuple[int, int]) -> None:
    assert raw_files.check_brat(SAMPLES / "brat" / f"{name}.ann") == counts


def test_brat_span_before_a_full_stop() -> None:
    """By default punctuation is a token of its own, so that no message is needed."""
    path = SAMPLES / "brat" / "museum.ann"
    with pytest.raises(FormatError, match=r":6: .*T5 'Organization' .* ends inside token 24, 'Ulm\.'"):
        cz.read(path, tokens="whitespace", edges="error")
    with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 2 "):
        moved = read_single(path, tokens="whitespace", as_="hierarchy")
    for hierarchy, organization in ((moved, "museum of Ulm."), (read_single(path, as_="hierarchy"), "museum of Ulm")):
        assert [
            " ".join(hierarchy.units[s.start - 1 : s.end]) for s in hierarchy.spans if s.label == "Organization"
        ] == [organization]


# -- CHAT, subtitles, CoNLL-U, trees ----------------------------------------------------------------------------------


def test_chat_with_continuation_lines() -> None:
    pytest.importorskip("rustling", reason="rustling is not installed: pip install caesura[talkbank]")
    assert raw_files.check_chat(SAMPLES / "chat" / "market.cha") == 5


@pytest.mark.parametrize(
    ("name", "cues", "lines"), [("bom.vtt", 3, 0), ("comments.vtt", 3, 2), ("tags.vtt", 3, 0), ("numbered.srt", 3, 1)]
)
def test_subtitles(name: str, cues: int, lines: int) -> None:
    raw_files.check_subtitles(SAMPLES / "subtitles" / name, cues=cues, lines_within_cues=lines)


def test_subtitles_of_youtube_are_rejected() -> None:
    with pytest.raises(FormatError, match=r"youtube.sbv:1: subtitles must be .srt or .vtt; these are YouTube's .sbv"):
        cz.read(SAMPLES / "subtitles" / "youtube.sbv")


def test_conllu_of_speech() -> None:
    assert raw_files.check_conllu(SAMPLES / "conllu" / "speech.conllu") == 2


def test_conllu_with_marks_of_edus(tmp_path: Path) -> None:
    assert raw_files.check_conllu_of_gum(SAMPLES / "conllu" / "museum.conllu", tmp_path) == 4


@pytest.mark.parametrize("name", ["lines", "several_lines"])
def test_trees(name: str) -> None:
    trees = raw_files.check_ptb(SAMPLES / "ptb" / f"{name}.ptb")
    assert len(trees) == 3
    assert None not in trees


# -- discourse --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("mononuclear.rs3", [(1, 2, 1, None)]),
        ("capitalized.rs3", [(1, 2, 1, None)]),
        ("multinuclear.rs3", [(1, 3, 1, None)]),
        ("both.rs3", [(1, 4, 1, None), (1, 3, 2, None)]),
        ("museum.rs4", [(1, 4, 1, None), (2, 4, 2, None), (2, 3, 3, "joint-list")]),
    ],
)
def test_rhetorical_structure(name: str, spans: list[tuple[int, int, int, str | None]]) -> None:
    need_lxml()
    assert [tuple(span) for span in read_single(SAMPLES / "rs3" / name).spans] == spans


def test_rhetorical_structure_without_edus() -> None:
    need_lxml()
    with pytest.raises(FormatError, match=r"relations_only\.rs3:8: expected at least one EDU \(<segment>\); got none"):
        cz.read(SAMPLES / "rs3" / "relations_only.rs3")


def test_trees_and_list_of_spans_of_the_same_documents() -> None:
    """GCDT publishes both. Its list counts from 0 and also names single EDUs."""
    need_lxml()
    published = cz.read(SAMPLES / "gcdt_spans.json")
    assert spans_of(published["gcdt_news_mill", "A1"]) == [(1, 3, None), (2, 3, None)]
    assert spans_of(published["gcdt_news_mill", "A2"]) == [(1, 3, None), (1, 2, "joint-list")]
    assert cz.read_coders(sorted((SAMPLES / "gcdt").glob("*/*.rs3"))) == published
    assert cz.read(SAMPLES / "gcdt", pattern="{coder}/{item}.rs3") == published


# -- WebAnno ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "layer", "column"),
    [
        ("letter", None, 6),
        ("letter", "POS", 3),
        ("two_sentences", None, 6),
        ("quotes", None, 6),
        ("part_of_a_token", "Tex", 5),
        ("entities", None, 3),
    ],
)
def test_webanno(name: str, layer: str | None, column: int) -> None:
    raw_files.check_webanno(SAMPLES / "webanno" / f"{name}.tsv", column, layer=layer)


def test_webanno_quotes_and_sentences() -> None:
    assert read_single(SAMPLES / "webanno" / "quotes.tsv").units == ("a", "mill", "with", '"', "wings", '"')
    assert spans_of(read_single(SAMPLES / "webanno" / "two_sentences.tsv", as_="hierarchy")) == [(4, 5, "ANNO")]
    assert [tuple(span) for span in read_single(SAMPLES / "webanno" / "two_sentences.tsv")] == [(3, 5, "ANNO")]


def test_webanno_span_within_a_token() -> None:
    path = SAMPLES / "webanno" / "part_of_a_token.tsv"
    with pytest.raises(FormatError, match=r":28: .*LetterEntity\[3\] 'per-mentioned' .*inside token 19, 'Bergschen'"):
        cz.read(path, layer="LetterEntity", edges="error")
    with pytest.warns(CaesuraWarning, match="moved to the edge of the token: 1 "):
        raw_files.check_webanno(path, 4, layer="LetterEntity", edges="token")


# -- Praat and ELAN ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", TEXTGRIDS, ids=lambda path: path.stem)
def test_textgrid(path: Path) -> None:
    raw_files.check_textgrid(path)


@pytest.mark.parametrize("path", TEXTGRIDS, ids=lambda path: path.stem)
def test_praatio_reads_the_same(path: Path) -> None:
    raw_files.check_textgrid_with_praatio(path)


def test_textgrids_with_edges_that_differ_in_the_seventh_place() -> None:
    message = "tier 'phone': 2 edges between neighbours differed by"
    for path in INEXACT:
        with pytest.warns(CaesuraWarning, match=message):
            raw_files.check_textgrid(path)
    with pytest.warns(CaesuraWarning, match=message):
        long, short = map(raw_files.read_tiers, INEXACT)
    assert long == short


def test_two_ends_in_one_silence() -> None:
    #  word    sil  |RIGHT|   sp   |THE| sil
    #  Errors  .........|loud sil|
    message = r"two ends must not fall on the same position; .*s '\.' and .*s 'loud silence' both"
    with pytest.raises(FormatError, match=message):
        cz.read(INEXACT[0], words="word", tiers="Errors", silence=["sil", "sp"])


def test_rustling_reads_the_same() -> None:
    need_lxml()
    raw_files.check_eaf_with_rustling(SAMPLES / "eaf" / "interview.eaf")


def test_praat_and_elan_with_the_same_spans() -> None:
    need_lxml()
    raw_files.check_praat_and_elan(SAMPLES / "pygamma" / "three_coders.TextGrid", coders=("Ann", "Bo", "Cy"), spans=4)


def test_table_of_pygamma() -> None:
    raw_files.check_table_of_pygamma(SAMPLES / "pygamma" / "units.csv")


# -- SALAMI and Rezonator ---------------------------------------------------------------------------------------------


def test_salami_with_silences_of_zero_length() -> None:
    with pytest.warns(CaesuraWarning, match="spans of zero length left out: 4 "):
        hierarchy = read_single(SAMPLES / "salami" / "7_textfile1.txt")
    assert [round(edge, 1) for edge in hierarchy.edges] == [0, 16.6, 28.7, 69.5, 75.3, 136.4, 157.2]
    assert [span.label for span in hierarchy.spans if span.level == 1] == ["Z", "A", "B", "C"]
    assert [span.label for span in hierarchy.spans if span.level == 2] == ["a", "a", "b", "b'", "c"]


@pytest.mark.parametrize(
    ("options", "units", "kinds"),
    [
        ({"symbols": ["།"], "unclassified": ";"}, 10, {"།": 2, ";": 2}),
        ({"symbols": ["།"], "unclassified": ";", "attached": True}, 10, {"།": 3, ";": 1}),
        ({"symbols": ["/"], "unclassified": ";", "token": "wordWylie"}, 9, {"/": 3, ";": 1}),
    ],
)
def test_rezonator(options: dict[str, Any], units: int, kinds: dict[str, int], tmp_path: Path) -> None:
    dialogue = read_single(SAMPLES / "rez" / "talk.rez", **options)
    assert set(dialogue) == {"ཨ་མ་", "བུ་"}
    assert dialogue.length == units
    assert Counter(kind for side in dialogue.values() for _, kind in side.boundaries) == kinds
    cz.write(cz.Corpus({"talk": {"ann": dialogue}}), tmp_path / "talk.csv")
    assert cz.read(tmp_path / "talk.csv")["talk", "ann"] == dialogue


def test_rezonator_without_kinds() -> None:
    with pytest.warns(CaesuraWarning, match="no token is of kind 'EndNote', so all boundaries are untyped"):
        dialogue = read_single(SAMPLES / "rez" / "talk.rez")
    assert dialogue.length == 12
    assert [kind for side in dialogue.values() for _, kind in side.boundaries] == ["boundary"] * 4
