"""Conversations in intonation units: Santa Barbara Corpus and NCCU."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import check_same_tokens
from support.transcribers import check_unknown_texts_of_different_length

TYPES = [".", ",", "?", "--", "none"]


@pytest.mark.slow
def test_human_and_automatic_boundaries(shared: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Ten conversations with boundaries by one coder and by a program (R package segsimflex, MIT).

    Everything that is defined for one coder is computed. The rest is reported as undefined.
    """
    docs = json.loads((shared / "data/auto_vs_human/sbc_iu_boundaries_10docs.json").read_text())["docs"]
    with subtests.test("a table keeps all boundaries"):
        check_table(docs, tmp_path / "sbc.csv")
    # The file calls an unclassified boundary "none", which stands for no boundary in a judgement.
    corpus = corpus_of(docs, unclassified=";")
    before = time.process_time()
    with pytest.warns(CaesuraWarning, match="an interval from 10 items is too narrow"):
        judgement = cz.judge(corpus, ["auto"], seed=1)
    assert judgement.mistakes["auto"].matches
    seconds = time.process_time() - before
    with subtests.test("under five seconds of processor time"):
        assert seconds < 5
    for normalize in ("positions", "boundaries"):
        with subtests.test("values", normalize=normalize):
            check_values(judgement, corpus, normalize)
    with subtests.test("undefined values are reported"):
        check_undefined(judgement)
    with subtests.test("mistakes add up to the boundaries of the file"):
        check_mistakes(judgement, docs)


def corpus_of(docs: dict[str, Any], unclassified: str = "none") -> cz.Corpus:
    types = [*TYPES[:-1], unclassified]

    def segmentation(stream: dict[str, Any]) -> cz.Segmentation:
        marks = [unclassified if mark == "none" else mark for _, mark in stream["b"]]
        return cz.Segmentation.from_positions(stream["n"], [at for at, _ in stream["b"]], marks=marks, types=types)

    return cz.Corpus(
        {
            doc: {coder: {name: segmentation(stream) for name, stream in by.items()} for coder, by in coded.items()}
            for doc, coded in docs.items()
        }
    )


def check_table(docs: dict[str, Any], path: Path) -> None:
    corpus = corpus_of(docs)
    cz.write(corpus, path, raw=True)
    again = cz.read(path)
    assert again == corpus
    assert (len(again.item_names), again.coders) == (10, ("human", "auto"))
    counted = Counter(
        (coder, name)
        for item, coder in again
        for segmentation in again[item, coder].values()
        for _, name in segmentation.boundaries
    )
    assert counted == Counter(
        (coder, mark)
        for sides in docs.values()
        for coder, streams in sides.items()
        for stream in streams.values()
        for _, mark in stream["b"]
    )
    units = sum(stream["n"] for sides in docs.values() for stream in sides["human"].values())
    assert sum(again[item, "human"].length for item in again.item_names) == units
    assert check_same_tokens(again) == []


def check_values(judgement: cz.Judgement, corpus: cz.Corpus, normalize: str) -> None:
    row = judgement.row("auto", f"flexible_similarity(normalize={normalize!r})")
    scores = [
        cz.flexible_similarity(corpus[doc, "human"], corpus[doc, "auto"], normalize=normalize)
        for doc in corpus.item_names
    ]
    assert row.value == pytest.approx(sum(scores).value, abs=1e-12)
    assert row.macro == pytest.approx(sum(map(float, scores)) / 10, abs=1e-12)
    assert row.interval[0] < row.value < row.interval[1]
    assert row.by_coder == {"human": pytest.approx(row.value)}
    values = {stream.segmenter: stream.value for stream in judgement.rows if stream.measure == row.measure}
    assert list(values) == ["auto", "random", "placement", "regular", "none", "all"]
    assert values["auto"] == max(values.values())


def check_undefined(judgement: cz.Judgement) -> None:
    assert judgement.undefined == {
        "human": "expected at least two coders; got one",
        "drop": "expected at least two coders; got one",
        "replacement": "the alternative annotator test needs at least 3 coders; got 1",
        "comparison": "expected at least two systems; got one",
    }
    assert judgement.drops[0].reason == "expected at least two coders; got one"
    assert judgement.replacements[0].reason == judgement.undefined["replacement"]
    assert judgement.excluded == ()
    json.dumps(judgement.to_dict(), allow_nan=False)


def check_mistakes(judgement: cz.Judgement, docs: dict[str, Any]) -> None:
    mistakes = judgement.mistakes["auto"]
    human, auto = (
        sum(len(stream["b"]) for by in docs.values() for stream in by[who].values()) for who in ("human", "auto")
    )
    n = mistakes.counts
    paired = mistakes.matches + n["near miss"] + n["confusion"]
    assert (paired + n["miss"], paired + n["false alarm"]) == (human, auto)
    assert mistakes.offset == 0
    inner = {
        who: sum(at < stream["n"] for by in docs.values() for stream in by[who].values() for at, _ in stream["b"])
        for who in ("human", "auto")
    }
    positions = sum(stream["n"] - 1 for by in docs.values() for stream in by["human"].values())
    assert mistakes.coders_density == pytest.approx(inner["human"] / positions)
    assert mistakes.density == pytest.approx(inner["auto"] / positions)
    assert (mistakes.confusions[0].type, mistakes.confusions[0].system_type) == (",", ".")
    json.dumps(mistakes.to_dict(), allow_nan=False)


def test_two_transcribers_of_three_conversations(shared: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """The transcribers of nccu_2 have 3,869 and 3,887 tokens, and their text is unknown."""
    docs = json.loads((shared / "data/prosodic_iu/nccu_boundaries_only.json").read_text())["docs"]
    corpus = cz.Corpus(
        {
            item: {
                coder: {
                    speaker: cz.Segmentation.from_marks(marks, types=TYPES)
                    for speaker, marks in marks_by_speaker(doc[coder]).items()
                }
                for coder in ("A1", "A2")
            }
            for item, doc in docs.items()
        }
    )
    for item, doc in docs.items():
        with subtests.test("all tokens and boundaries", item=item):
            for coder in ("A1", "A2"):
                dialogue = corpus[item, coder]
                assert dialogue.length == doc[coder]["boundaries"][-1][0] == doc[coder]["n_tokens"]
                assert sum(len(side.boundaries) for side in dialogue.values()) == len(doc[coder]["boundaries"])
    with subtests.test("a table cannot contain coders with different numbers of tokens"):
        with pytest.raises(FormatError, match="item 'nccu_2': all coders must have the same number of units; got A1 "):
            cz.write(corpus, tmp_path / "nccu.csv")
        unequal = [str(problem) for problem in check_same_tokens(corpus)]
        assert [message.split(":")[0].split(",")[0] for message in unequal] == ["item 'nccu_2'"]
        comparable = corpus.select(items=["nccu_1", "nccu_4"])
        cz.write(comparable, tmp_path / "nccu.csv", raw=True)
        assert cz.read(tmp_path / "nccu.csv") == comparable
    with subtests.test("texts that are unknown cannot be aligned"):
        doc = docs["nccu_2"]
        both = {
            coder: cz.Segmentation.from_positions(
                doc[coder]["n_tokens"], [at for at, *_ in doc[coder]["boundaries"][:-1]]
            )
            for coder in ("A1", "A2")
        }
        assert {coder: annotation.length for coder, annotation in both.items()} == {"A1": 3869, "A2": 3887}
        check_unknown_texts_of_different_length(both, tmp_path)


def marks_by_speaker(side: dict[str, Any]) -> dict[str, list[str]]:
    """Return the marks of each speaker, from boundaries that are numbered within the conversation."""
    marks: dict[str, list[str]] = {}
    start = 0
    for end, mark, speaker in side["boundaries"]:
        marks.setdefault(speaker, []).extend([""] * (end - start - 1) + [mark])
        start = end
    return marks
