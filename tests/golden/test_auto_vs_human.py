"""Ten conversations of the Santa Barbara Corpus, intonation units by people and by a program (R package segsimflex, MIT).

One coder only: everything that is defined for one is computed, and the rest is said to be undefined.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraWarning

TYPES = [".", ",", "?", "--", ";"]


@pytest.fixture(scope="module")
def conversations(shared: Path) -> tuple[cz.Corpus, dict]:
    """The file calls a boundary that nobody classified "none"; here it is ";", for none is no boundary."""
    docs = json.loads((shared / "data/auto_vs_human/sbc_iu_boundaries_10docs.json").read_text())["docs"]

    def segmentation(stream):
        marks = [";" if mark == "none" else mark for _, mark in stream["b"]]
        return cz.Segmentation.from_positions(stream["n"], [at for at, _ in stream["b"]], marks=marks, types=TYPES)

    items = {
        doc: {who: {speaker: segmentation(stream) for speaker, stream in by.items()} for who, by in coded.items()}
        for doc, coded in docs.items()
    }
    return cz.Corpus(items), docs


@pytest.fixture(scope="module")
def judged(conversations):
    corpus, docs = conversations
    before = time.process_time()
    with pytest.warns(CaesuraWarning, match="an interval from 10 items is too short"):
        judgement = cz.judge(corpus, ["auto"], seed=1)
    assert judgement.mistakes["auto"].matches
    return judgement, docs, time.process_time() - before


def test_in_under_five_seconds(judged):
    """Of processor time, so that a busy machine does not fail it."""
    assert judged[2] < 5


def test_values(judged, conversations):
    judgement, _, _ = judged
    corpus, _ = conversations
    for normalize in ("positions", "boundaries"):
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
        assert list(values) == ["auto", "random", "regular", "none", "all"]
        assert values["auto"] == max(values.values())


def test_undefined_values_are_reported(judged):
    judgement, _, _ = judged
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


def test_mistakes_add_up_to_the_boundaries_of_the_file(judged):
    judgement, docs, _ = judged
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
