"""Presets of benchmarks, several references and means over items, against what the benchmarks' programs print."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, OptionError
from caesura.measures.sigma import _tokenizer as sigma_tokenizer
from oracle import moved_times
from support.examples import examples
from support.oracles import read_oracle

masses, positions, times = cz.Segmentation.from_masses, cz.Segmentation.from_positions, cz.Segmentation.from_times
TCPD, GEBD, SUPERDIALSEG, CHUNKSEG, WTPSPLIT = (
    read_oracle(f"{name}.jsonl") for name in ("tcpd", "gebd", "superdialseg", "chunkseg", "wtpsplit")
)
close = pytest.approx


def by_id(case):
    return str(case["id"])


def ratios(score: cz.Score) -> list[float]:
    return [score.precision(), score.recall(), score.value]


def series(case):
    length = case["n_obs"]
    *references, hypothesis = (
        positions(length, sorted({t for t in marks if 0 < t < length}))
        for marks in (*case["annotations"].values(), case["prediction"])
    )
    return references, hypothesis


@pytest.mark.parametrize("case", TCPD[1:], ids=by_id)
def test_tcpd_oracle(case):
    """The program visits reference points in the order of a Python set; the preset takes them in rising order."""
    references, hypothesis = series(case)
    right = cz.boundary_f(references, hypothesis, tolerance=5, ends="start", references="union")
    peer = cz.boundary_f(references, hypothesis, compat="tcpd")
    for score, expected in ((right, case["right"]), (peer, case["peer_ascending"])):
        assert ratios(score) == close([expected[name] for name in ("precision", "recall", "f1")], abs=1e-9)
    assert cz.covering(references, hypothesis, compat="tcpd").value == close(case["peer"]["covering"], abs=1e-9)


def test_several_series_are_averaged():
    cases = [series(case) for case in TCPD[1:]]
    for measure, key in (("boundary_f(compat=tcpd)", "f1"), ("covering(compat=tcpd)", "covering")):
        expected = [{**case["peer"], **case["peer_ascending"]}[key] for case in TCPD[1:]]
        assert cz.score_many(cases, measure).total.value == close(np.mean(expected), abs=1e-9)


def videos(case):
    for name, video in case["gt"].items():
        duration = video["video_duration"]
        sides = [*video["substages_timestamps"], case["pred"].get(name, [])]
        *raters, prediction = (times(sorted({t for t in s if 0 <= t <= duration}), duration=duration) for s in sides)
        if video["f1_consis_avg"] >= 0.3:
            yield raters, prediction


@pytest.mark.parametrize("case", [case for case in GEBD[1:] if list(videos(case))], ids=by_id)
def test_gebd_oracle(case):
    pairs = list(videos(case))
    right = cz.score_many(pairs, "boundary_f(tolerance='5%', references=best, ends=marked)").total
    assert right.value == close(case["right"]["f1"], abs=1e-9)
    peer = cz.score_many(pairs, "boundary_f(compat=gebd)").total
    assert ratios(peer) == close([case["peer"][name] for name in ("precision", "recall", "f1")], abs=1e-9)


def test_gebd_without_a_consistent_video():
    """In five sets all videos are dropped. The oracle then has the F of no boundary against no boundary: 0 of 0 matches.

    That is the value of a video without boundaries, which must not be printed for a file without videos.
    """
    dropped = [case for case in GEBD[1:] if not list(videos(case))]
    assert len(dropped) == 5
    empty = times([], duration=10.0)
    nothing = cz.score_many([([empty], empty)], "boundary_f(tolerance='5%', references=best, ends=marked)").total
    assert set(nothing.parts.values()) == {0}
    for case in dropped:
        assert case["peer"] == {"f1": 0, "precision": 0, "recall": 1}
        assert case["right"]["f1"] == nothing.value
        assert all(video["f1_consis_avg"] < 0.3 for video in case["gt"].values())
        for measure in ("boundary_f(compat=gebd)", "boundary_f(tolerance='5%', references=best)"):
            with pytest.raises(OptionError, match="there are no pairs to score"):
                _ = cz.score_many(list(videos(case)), measure).total


def dialogue(case):
    return tuple(
        cz.Segmentation.from_marks(["x" if mark else "" for mark in case[side]]) for side in ("y_true", "y_pred")
    )


NUMBERS = {"pk": "pk", "window_diff": "windowdiff", "boundary_f": "f1(binary)", "segmentation_score": "score"}
SCORED_DIALOGUES = [case for case in SUPERDIALSEG[1:] if "error" not in case["peer"]]


@pytest.mark.parametrize("case", SCORED_DIALOGUES, ids=by_id)
def test_superdialseg_oracle(case):
    for name, key in NUMBERS.items():
        score = cz.parse(f"{name}(compat=superdialseg)").score(*dialogue(case))
        assert score.value == close(case["peer"][key], abs=1e-9), name


def test_superdialseg_corpus():
    pairs = [dialogue(case) for case in SCORED_DIALOGUES]
    for name, key in NUMBERS.items():
        total = cz.score_many(pairs, f"{name}(compat=superdialseg)").total
        assert total.value == close(SUPERDIALSEG[0]["corpus_shown"][key], abs=1e-9), name


def recording(case):
    return tuple(times(sorted(set(case[side])), duration=case["duration"]) for side in ("reference", "hypothesis"))


@pytest.mark.parametrize("case", [case for case in CHUNKSEG[1:] if case["peer"]], ids=by_id)
def test_chunkseg_oracle(case):
    pair, peer = recording(case), case["peer"]
    keys = {"pk": "pk", "boundary_similarity": "boundary_similarity", "generalized_hamming": "ghd"}
    keys |= {} if len(case["marks"][0]) == 1 else {"window_diff": "window_diff"}  # it gives 1 for two equal chunks
    for name, key in keys.items():
        assert cz.parse(f"{name}(compat=chunkseg)").score(*pair).value == close(peer[key], abs=1e-9), name
    marks = cz.boundary_f(*pair, compat="chunkseg")
    assert ratios(marks)[:2] == close([peer["precision"], peer["recall"]], abs=1e-9)
    collar = cz.boundary_f(*pair, compat="chunkseg-collar")
    assert ratios(collar) == close([peer[f"collar_{name}"] for name in ("precision", "recall", "f1")], abs=1e-9)


def test_window_diff_of_one_chunk_is_the_only_difference_from_chunkseg():
    """It prints 1 for two equal recordings of one chunk."""
    short = [case for case in CHUNKSEG[1:] if case["peer"] and len(case["marks"][0]) == 1]
    assert short
    for case in short:
        assert case["marks"][0] == case["marks"][1]
        assert case["peer"]["window_diff"] == 1
        assert cz.window_diff(*recording(case), compat="chunkseg").value == 0


def test_chunkseg_corpus():
    pairs, corpus = [recording(case) for case in CHUNKSEG[1:] if case["peer"]], CHUNKSEG[0]["corpus"]
    keys = {"pk": "pk", "boundary_similarity": "boundary_similarity", "generalized_hamming": "ghd", "boundary_f": "f1"}
    for name, key in keys.items():
        assert cz.score_many(pairs, f"{name}(compat=chunkseg)").total.value == close(corpus[key], abs=1e-9), name
    collar = cz.score_many(pairs, "boundary_f(compat='chunkseg-collar')").total
    assert collar.value == close(corpus["collar_f1"], abs=1e-9)


def test_chunks_need_seconds():
    text = masses([2, 3])
    with pytest.raises(OptionError, match="chunkseg divides seconds into chunks of 6 s, but the texts have units"):
        cz.pk(text, text, compat="chunkseg")
    short = times([1], duration=5)
    with pytest.raises(CaesuraError, match="a recording of 5 s has no chunk of 6 s"):
        cz.pk(short, short, compat="chunkseg")


def ends_of(sentences, separator=""):
    texts = [sentence + separator for sentence in sentences[:-1]] + sentences[-1:]
    return np.cumsum([len(text) for text in texts])


@pytest.mark.parametrize("case", [case for case in WTPSPLIT[1:] if "sentences" in case], ids=by_id)
def test_wtpsplit_oracle(case):
    reference, predicted = ends_of(case["sentences"], case["separator"]), ends_of(case["predicted"])
    a, b = (positions(int(reference[-1]), side[:-1].tolist()) for side in (reference, predicted))
    peer = cz.boundary_f(a, b, compat="wtpsplit")
    assert ratios(peer) == close([case["peer"][name] for name in ("precision", "recall", "f1")], abs=1e-9)
    assert list(peer.parts.values()) == case["right"]["counts with end of text"]
    assert ratios(cz.boundary_f(a, b)) == close(case["right"]["inner only"], abs=1e-9)


def test_evalsubtitle_by_hand():
    """Of the boundaries {2, 5, 7, 11, 13} and {3, 5, 7, 11, 12} three match; 2 and 3, 12 and 13 are next to each other."""
    a, b = positions(14, [2, 5, 7, 11, 13]), positions(14, [3, 5, 7, 11, 12])
    assert cz.boundary_f(a, b).value == close(3 / 5)
    assert cz.boundary_f(a, b, compat="evalsubtitle").value == close(4 / 6)  # with the end of the file
    assert cz.boundary_similarity(a, b, compat="evalsubtitle").value == close(1 - 2 * 0.5 / 5)
    assert cz.segmentation_similarity(a, b, compat="evalsubtitle").value == close(1 - 2 * 0.5 / 13)


WITH_BREAKS = ("a b c d <eol> e f <eob>\n", "a b c <eol> d x f <eob>\n")


def subtitles(tmp_path, texts, **options):
    """Return the pairs of lines of the two texts."""
    sides = []
    for name, text in zip(("ref", "sys"), texts, strict=True):
        path = tmp_path / f"{name}.fr"
        path.write_text(text, encoding="utf-8")
        sides.append([*cz.read(path, **options).values()])
    return list(zip(*sides, strict=True))


def test_sigma_by_hand(tmp_path):
    """Words: 5/6, 3/5, 2/4, 1/3; with breaks: 7/8, 3/7, 1/6 and 0/5, smoothed to 1/10; a third of a break per word."""
    ((a, b),) = subtitles(tmp_path, WITH_BREAKS)
    limits = np.array([5 / 6 + 1 / 3, 2 / 3 * 3 / 5 + 2 / 3 * 5 / 6, 1 / 6 + 3 / 5, 4 / 3 / 2]) * 3 / 4
    expected = 100 * (7 / 8 * 3 / 7 / 6 / 10 / np.prod(limits)) ** (1 / 4)
    score = cz.sigma(a, b, smooth="exp")
    assert score.value == close(expected)
    assert cz.sigma(a, b).value == 0
    assert score.parts["breaks_per_word"] == close(1 / 3)
    assert list(score.parts.values())[:16] == [5, 3, 2, 1, 6, 5, 4, 3, 7, 3, 1, 0, 8, 7, 6, 5]


@pytest.mark.parametrize(("breaks", "count"), [("eol", 1), ("eob", 1), ("any", 2), ("typed", 2)])
def test_sigma_of_one_type_of_breaks(tmp_path, breaks, count):
    ((a, b),) = subtitles(tmp_path, WITH_BREAKS, breaks=breaks)
    assert cz.sigma(a, b).parts["breaks_per_word"] == close(count / 6)
    assert len(a.boundaries) == len(b.boundaries) == count
    assert cz.sigma(a, a).value == 100
    wrong_type = WITH_BREAKS[0].replace("<eol>", "<eob>")
    ((a, b),) = subtitles(tmp_path, (WITH_BREAKS[0], wrong_type), breaks=breaks)
    assert (cz.sigma(a, b).value == 100) == (breaks == "any")


def sigma_of_sacrebleu(texts):
    """The formula, with the BLEU of sacreBLEU over tokens that it does not divide."""
    metrics = pytest.importorskip(
        "sacrebleu.metrics", reason="sacrebleu is not installed: pip install caesura[subtitles]"
    )
    with_breaks = [text.replace("<eol>", "\u00a4").replace("<eob>", "\u00b5").splitlines() for text in texts]
    words = [
        [" ".join(line.replace("\u00a4", "").replace("\u00b5", "").split()) for line in side] for side in with_breaks
    ]
    plain, marked = (metrics.BLEU().corpus_score(system, [reference]) for reference, system in (words, with_breaks))
    ratio = texts[1].count("<eo") / plain.totals[0]
    p = [100, *plain.precisions]
    limits = [((1 - (i - 1) * ratio) * p[i] + i * ratio * p[i - 1]) / (1 + ratio) for i in range(1, 5)]
    return 100 * marked.score / (marked.bp * np.exp(np.mean(np.log(limits))))


@examples(100)
@given(st.data())
def test_sigma_of_sentences_as_sacrebleu_counts_them(tmp_path_factory, data):
    words = st.lists(st.sampled_from(["so,", "it", "is.", "2-3", "late"]), min_size=1, max_size=9)
    tags = st.sampled_from(["", "", "", " <eol>", " <eob>"])
    texts = []
    for _ in "ab":
        lines = [" ".join(w + data.draw(tags) for w in data.draw(words)) for _ in range(3)]
        texts.append("".join(f"it is so late{data.draw(tags)}\n" if i == 0 else f"{x}\n" for i, x in enumerate(lines)))
    pairs = subtitles(tmp_path_factory.mktemp("sigma"), texts, format="subtitle-breaks")
    total = cz.score_many(pairs, "sigma(compat=evalsubtitle)").total
    assert total.value == close(sigma_of_sacrebleu(texts), rel=1e-9)


def test_sigma_of_a_side_without_words():
    text = positions(3, [1], marks=["boundary"], units=["a", "b", "c"])
    assert cz.sigma(text, positions(3, [1])).value == 100
    with pytest.raises(CaesuraError, match="both sides must have the same units; reference has 3, hypothesis has 4"):
        cz.sigma(text, positions(4, [1]))


def test_sigma_without_sacrebleu(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_13a", None)
    sigma_tokenizer.cache_clear()
    with pytest.raises(OptionError, match="tokenize='sacrebleu' needs sacrebleu"):
        cz.sigma(masses([2, 3]), masses([2, 3]), compat="evalsubtitle")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("boundary_f(tolerance='3s')", 1),
        ("boundary_f(tolerance='3s', compat=pyannote)", 1 / 2),
        ("boundary_f(tolerance=3.001, compat=ruptures)", 1 / 2),
        ("boundary_f(compat='chunkseg-collar')", 1 / 2),
        ("boundary_f(tolerance='5%', compat=gebd)", 1 / 2),
        ("boundary_f(tolerance='3s', compat=tcpd)", 2 / 3),  # the start matches too
    ],
)
def test_greedy_programs_lose_a_pair(measure, value):
    """12 and 15.5 against 10 and 13: the nearest pair, 12 and 13, leaves 15.5 and 10 alone."""
    score = cz.parse(measure).score(times([12, 15.5], duration=60), times([10, 13], duration=60))
    assert score.value == close(value, abs=1e-12)


TEXTS = [masses(m) for m in ((2, 3, 6), (2, 2, 7), (5, 6), (11,), (1, 1, 1, 2, 6))]
PAIRS = [(a, b) for a in TEXTS for b in TEXTS]


@pytest.mark.parametrize(
    "name", ["boundary_f", "pk", "purity_coverage", "v_measure(over=segments)", "boundary_similarity"]
)
def test_mean_over_items(name):
    measure = cz.parse(name)
    values = cz.score_many(PAIRS, measure).values
    scores = cz.score_many(PAIRS, measure.replace(average="items"))
    assert scores.values == close(values)
    assert scores.total.value == close(values.mean())
    assert scores.total.parts["items"] == len(PAIRS)
    assert "|average:items|" in scores.total.signature
    assert cz.parse(scores.total.signature) == scores.measure
    tally = cz.Tally(scores.measure)
    for pair in PAIRS:
        tally.update(*pair)
    assert tally.compute().value == scores.total.value


def test_f_of_mean_precision_and_recall():
    plain = cz.score_many(PAIRS, "boundary_f")
    precision, recall = (
        np.mean([getattr(plain[i], name)() for i in range(len(PAIRS))]) for name in ("precision", "recall")
    )
    total = cz.score_many(PAIRS, "boundary_f(average=items_pr)").total
    assert ratios(total) == close([precision, recall, 2 * precision * recall / (precision + recall)])


def test_micro_is_the_default_and_changes_nothing():
    score = cz.score_many(PAIRS, "boundary_f").total
    assert score.value == cz.score_many(PAIRS, "boundary_f(average=micro)").total.value
    assert "average" not in score.signature
    assert "references" not in score.params


def test_items_without_a_value_are_left_out_of_the_mean():
    pairs = [(masses([2, 3, 6]), masses([5, 6])), (masses([11]), masses([5, 6]))]
    scores = cz.score_many(pairs, "hausdorff(average=items)")
    assert list(scores.errors) == [1]
    assert scores.total.value == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pk(average=items_pr)", "average='items_pr' needs precision and recall; pk has none; use average='items'"),
        ("pk(average=macro)", "average must be one of 'micro', 'items', 'items_pr'; got 'macro'"),
        ("pk(references=union)", "references='union' needs the precision and recall of boundaries, which pk"),
    ],
)
def test_invalid_averages(text, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
        cz.parse(text)


CODERS, SYSTEM = [masses([2, 3, 6]), masses([5, 6]), masses([2, 9])], masses([2, 2, 7])


def test_mean_best_and_union_by_hand():
    """Against {2, 5}, {5} and {2}, the system {2, 4} has P 1/2, 0, 1/2 and R 1/2, 0, 1."""
    each = cz.boundary_f(CODERS, SYSTEM, references="each")
    assert each.value == close((1 / 2 + 0 + 2 / 3) / 3)
    assert [each.precision(), each.recall()] == close([1 / 3, 1 / 2])
    best = cz.boundary_f(CODERS, SYSTEM, references="best")
    assert (best.value, dict(best.parts)) == (close(2 / 3), {"matches": 1, "reference": 1, "hypothesis": 2})
    union = cz.boundary_f(CODERS, SYSTEM, references="union")
    assert ratios(union) == close([1 / 2, 1 / 2, 1 / 2])


def test_references_in_an_evaluation_and_a_judgement():
    corpus = cz.Corpus({"a": {f"coder {i}": text for i, text in enumerate(CODERS)}})
    judged = cz.judge(corpus, {"mine": {"a": SYSTEM}}, measures="boundary_f(references=union)", bounds=False)
    assert judged.row("mine", "boundary_f").value == close(1 / 2)
    result = cz.evaluate([(CODERS, SYSTEM)], "boundary_f(references=best)", engine="threads")
    assert result["boundary_f"].value == close(2 / 3)


def test_several_references_need_a_choice():
    with pytest.raises(OptionError, match="several references; choose references='each'"):
        cz.boundary_f(CODERS, SYSTEM)
    with pytest.raises(CaesuraError, match="all coders must have the same units; got 10, 11 units"):
        cz.boundary_f([masses([5, 5]), masses([5, 6])], SYSTEM, references="union")


def test_an_item_with_a_bad_reference_is_excluded_alone():
    scores = cz.score_many([([SYSTEM, masses([3])], SYSTEM), (CODERS, SYSTEM)], "boundary_f(references=best)")
    assert list(scores.errors) == [0]
    assert scores.total.value == close(2 / 3)


@pytest.mark.parametrize(
    ("preset", "plain"),
    [
        ("boundary_f(compat=mir_eval)", "boundary_f(tolerance=0.5, extent=from_zero)"),
        ("boundary_f(tolerance='3s', compat=pyannote)", "boundary_f(tolerance='3s')"),
        ("boundary_f(compat=tcpd)", "boundary_f(tolerance=5, references=union)"),
        ("pk(compat=superdialseg)", "pk"),
        ("v_measure(compat=mir_eval)", "v_measure(extent=from_zero)"),
        ("pk(window=3)", "pk(window=3)"),
    ],
)
def test_plain_measure(preset, plain):
    assert cz.parse(preset).plain() == cz.parse(plain)


grid = st.sampled_from([1, 2, 3, 7, 10, 1000])


@examples(300)
@given(grid, st.data(), st.sampled_from(["0.25", "0.5", "1", "1.5", "3"]))
def test_boundary_similarity_in_seconds_is_the_minimum(parts, data, width):
    sides = [data.draw(st.lists(st.integers(1, 5 * parts - 1), max_size=5, unique=True)) for _ in "ab"]
    a, b = (sorted(Fraction(place, parts) for place in side) for side in sides)
    score = cz.boundary_similarity(*(times([float(t) for t in side], duration=5) for side in (a, b)), n_t=f"{width}s")
    assert score.value == close(float(moved_times.boundary_similarity(a, b, Fraction(width))), abs=1e-9)
    assert sum(edit.cost for edit in score.edits) == close((1 - score.value) * len(score.edits), abs=1e-9)


@examples(200)
@given(st.integers(2, 40), st.integers(1, 9), st.data(), st.sampled_from([1, 0.1, 60]))
def test_boundary_similarity_of_units_and_seconds_is_the_same(length, n_t, data, unit):
    """Also if time and n_t are scaled together."""
    a, b = (data.draw(st.lists(st.integers(1, length - 1), unique=True).map(sorted)) for _ in "ab")
    units = cz.boundary_similarity(positions(length, a), positions(length, b), n_t=n_t)
    timed = cz.boundary_similarity(
        *(times([t * unit for t in side], duration=length * unit) for side in (a, b)), n_t=f"{round(n_t * unit, 6)}s"
    )
    assert timed.value == close(units.value, abs=1e-9)
    assert [edit.kind for edit in timed.edits] == [edit.kind for edit in units.edits]


def test_boundary_similarity_of_long_recordings():
    """Sums of costs would not fit into 64 bits in nanoseconds."""
    a = times(np.arange(1, 120_001).tolist(), duration=120_001)
    b = times((np.arange(1, 120_001) + 0.25).tolist(), duration=120_001)
    assert cz.boundary_similarity(a, b, n_t="1s").value == close(0.75, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: cz.boundary_similarity(a, a), "n_t=2 is a number of positions, but the annotations are in seconds"),
        (lambda a: cz.boundary_similarity(a, a, n_t="0s"), "n_t must be a whole number of positions, or a time"),
        (lambda a: cz.boundary_similarity(a, a, n_t="1s", alignment="greedy"), "n_t='1s': greedy pairs"),
        (lambda a: cz.segmentation_similarity(a, a), "segmentation_similarity counts positions"),
        (lambda a: cz.boundary_similarity(masses([2]), masses([2]), n_t="1s"), "n_t='1s' is in seconds, but the texts"),
    ],
)
def test_refusals_in_seconds(call, message):
    with pytest.raises(CaesuraError, match=re.escape(message)):
        call(times([2.5], duration=10))


def test_sigma_refuses_many_units_without_words() -> None:
    a, b = (cz.Segmentation.from_masses(masses) for masses in ([2 * 10**9, 1], [2 * 10**9 - 1, 2]))
    with pytest.raises(CaesuraError, match=r"no words, and 2,000,000,001 units, more than 16,777,216; give the words"):
        cz.sigma(a, b)


@pytest.mark.parametrize("ends", ["none", "start", "both", "marked"])
def test_the_union_of_one_coder_is_that_coder(ends: str) -> None:
    """Points at the ends of the extent are no inner boundaries of the union either."""
    coder = cz.Tier(points=[(0, "x"), (3, "y"), (6, "z")], end=6)
    system = cz.Tier(points=[(0.1, "w"), (2.9, "x"), (5, "y"), (6, "z")], end=6)
    union = cz.parse(f"boundary_f(references='union', tolerance='0.2s', ends='{ends}')").score([coder, coder], system)
    alone = cz.parse(f"boundary_f(tolerance='0.2s', ends='{ends}')").score(coder, system)
    assert union.value == pytest.approx(alone.value)


def test_the_best_reference_of_an_error_rate_has_the_lowest_value() -> None:
    hypothesis, near, far = (cz.Segmentation.from_masses(masses) for masses in ([3, 3, 4], [3, 3, 4], [1, 1, 8]))
    best = cz.parse("pk(references='best')").score([far, near], hypothesis)
    assert best.value == 0 < cz.pk(far, hypothesis).value
