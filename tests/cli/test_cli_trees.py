"""``caesura trees``, from arguments to output and exit code."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError, OptionError
from support.commands import run_command
from support.envelope import results_of

GOLD = """(S (NP (DT the) (NN man)) (VP (VBD ate) (NP (NN rice))))
(S (NP (PRP he)) (VP (VBD slept)))
(X (UH oh))
"""
PREDICTED = """(S (NP (DT the)) (NP (NN man)) (VP (VBD ate) (NP (NN rice))))

(X (UH oh))
"""
#        0    .5    1   1.5    2
# gold   the |man-----|ate|rice|
# heard  the---|man---|ate|rice|
TIMES = """;; sentence channel start duration word
1 A 0.0 0.5 the
1 A 0.5 0.5 man
1 A 1.0 0.5 ate
1 A 1.5 0.5 rice
2 A 0.0 0.4 he
2 A 0.4 0.6 slept
3 A 0.0 0.2 oh
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.ptb").write_text(GOLD)
    Path("heard.ptb").write_text(PREDICTED)
    Path("gold.ctm").write_text(TIMES)
    Path("heard.ctm").write_text(
        "".join(line for line in TIMES.splitlines(keepends=True) if not line.startswith("2"))
        .replace("0.0 0.5 the", "0.0 0.6 the")
        .replace("0.5 0.5 man", "0.6 0.4 man")
    )
    return tmp_path


def run(line: str, *words: str) -> Result:
    return run_command(f"trees {line}", *words)


def complaint(result: Result) -> str:
    """Return the single error line of a failed run."""
    assert result.exit_code == 1, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr


def run_json(line: str) -> dict:
    result = run(f"{line} --json")
    assert result.exit_code == 0, result.stderr
    return results_of(result)


def test_both_families_of_numbers() -> None:
    result = run("gold.ptb heard.ptb")
    assert result.exit_code == 0
    for figure in ("mean of sentences", "bracketing F", "unlabelled F", "skipped sentences", "tagging accuracy"):
        assert figure in result.stdout
    assert "1 sentence is excluded from all figures: 2: predicted: there is no tree" in result.stdout
    data = run_json("gold.ptb heard.ptb")
    trees = [cz.Tree.from_brackets(line) for line in GOLD.splitlines()]
    predicted = [cz.Tree.from_brackets(line) if line else None for line in PREDICTED.splitlines()]
    expected = cz.struct_iou_corpus(trees, predicted)
    assert data["struct_iou"]["mean"] == expected.mean
    assert data["struct_iou"]["corpus"] == expected.total.value
    assert data["struct_iou"]["sentences"][1] == {
        "number": 2,
        "value": None,
        "parts": {},
        "alignment": [],
        "reason": "predicted: there is no tree",
    }
    assert data["parseval"] == json.loads(json.dumps(cz.parseval_corpus(trees, predicted).to_dict()))


def test_times() -> None:
    data = run_json("gold.ptb heard.ptb --gold-times gold.ctm --predicted-times heard.ctm --align")
    # DT 0.5 of 0.6, NN 0.4 of 0.5. The NP over "the" would add 0.6, but "man" is not below it and adds 0.8.
    first = data["struct_iou"]["sentences"][0]
    assert first["parts"]["iou"] == pytest.approx(1 + 5 / 6 + 0.8 + 1 + 1 + 1 + 1)
    assert sum(pair["iou"] for pair in first["alignment"]) == pytest.approx(first["parts"]["iou"])
    # The Python functions give the same values.
    gold = cz.read_trees("gold.ptb", times="gold.ctm")
    predicted = cz.read_trees("heard.ptb", times="heard.ctm")
    assert cz.struct_iou_corpus(gold, predicted).mean == data["struct_iou"]["mean"]


def test_times_by_name_and_from_a_textgrid() -> None:
    by_number = cz.read_trees("gold.ptb", times="gold.ctm")
    text = Path("gold.ctm").read_text()
    for number, name in (("1", "talk-b"), ("2", "talk-a"), ("3", "talk-c")):
        text = text.replace(f"\n{number} A", f"\n{name} A")
    Path("named.ctm").write_text(text)
    assert cz.read_trees("gold.ptb", times="named.ctm") == by_number
    # All sentences in one recording.
    at, intervals = 0.0, []
    for tree in by_number:
        for word, (begin, end) in zip(tree.words, tree.times.tolist(), strict=True):
            intervals.append((at + begin, at + end, word))
        at += 3
    cz.write(cz.Corpus({"talk": {"words": cz.Tier(intervals, end=at)}}), "talk.TextGrid")
    timed = cz.read_trees("gold.ptb", times="talk.TextGrid")
    assert [
        (sentence.times - sentence.times[0, 0]).round(9).tolist()
        for sentence in timed
        if sentence is not None and sentence.times is not None
    ] == [
        sentence.times.round(9).tolist()
        for sentence in by_number
        if sentence is not None and sentence.times is not None
    ]
    assert cz.read_trees("gold.ptb", times="talk.TextGrid", tier="words") == timed
    Path("short.ptb").write_text(GOLD.replace(" (NP (NN rice))", ""))
    message = r"talk.TextGrid: expected one time per word; the trees have 6 words, this has 7"
    with pytest.raises(FormatError, match=message):
        cz.read_trees("short.ptb", times="talk.TextGrid")
    with pytest.raises(OptionError, match=r"tier names a tier of a \.TextGrid"):
        cz.read_trees("gold.ptb", times="gold.ctm", tier="words")


def test_overlaps_are_snapped_and_reported() -> None:
    Path("gold.ctm").write_text(TIMES.replace("1 A 0.0 0.5 the", "1 A 0.0 0.50005 the"))
    with pytest.warns(CaesuraWarning, match=r"gold.ctm: 1 overlap of words by 0.0001 s or less moved to the middle"):
        trees = cz.read_trees("gold.ptb", times="gold.ctm")
    assert trees[0].times[0, 1] == trees[0].times[1, 0] == pytest.approx(0.500025)
    result = run("gold.ptb gold.ptb --gold-times gold.ctm --predicted-times gold.ctm --snap 0.00001")
    assert complaint(result).startswith("caesura: gold.ctm:3: intervals must follow each other; 'man' starts at 0.5 s")


def test_words_without_duration() -> None:
    Path("gold.ctm").write_text(TIMES.replace("1 A 0.5 0.5 man", "1 A 0.5 0 man").replace("1.0 0.5 ate", "0.5 1 ate"))
    both = "gold.ptb gold.ptb --gold-times gold.ctm --predicted-times gold.ctm"
    assert complaint(run(both)) == (
        "caesura: gold.ctm: sentence 1: word 2 'man': must take time; it begins and ends at 0.5 s "
        "(or use zero_length='merge')\n"
    )
    data = run_json(f"{both} --zero-length merge")
    (sentence, *_) = data["struct_iou"]["sentences"]
    assert (sentence["value"], sentence["parts"]["gold"]) == (1, 7)  # the merged node is NN man_ate; 8 nodes without it
    merged = cz.read_trees("gold.ptb", times="gold.ctm", zero_length="merge")[0]
    assert merged.brackets == "(S (NP (DT the)) (NN man_ate) (VP (NP (NN rice))))"


def test_invalid_sentence_does_not_affect_the_others() -> None:
    Path("bad.ptb").write_text(PREDICTED.replace("(X (UH oh))", "(X (UH oh)"))
    result = run("gold.ptb bad.ptb")
    assert complaint(result) == "caesura: bad.ptb:3: column 1: this bracket, (X ...), is never closed\n"
    assert "bracketing F" in result.stdout
    Path("gold.ctm").write_text(TIMES.replace("3 A 0.0 0.2 oh", "3 A 0.0 0.2 oh\n3 A 0.2 0.2 oh"))
    result = run("gold.ptb gold.ptb --gold-times gold.ctm --predicted-times gold.ctm")
    expected = "caesura: gold.ctm: sentence 3: times: expected one pair per word; got 2 for 1 words\n"
    assert complaint(result) == expected
    assert "2 sentences" in result.stdout or "corpus" in result.stdout


def test_incompatible_files() -> None:
    Path("short.ptb").write_text(GOLD.split("\n")[0] + "\n")
    message = "both sides must have the same sentences; gold has 3, predicted has 1"
    assert message in complaint(run("gold.ptb short.ptb"))
    Path("gold.ctm").write_text(TIMES.replace("\n3 A", "\n7 A"))
    message = "gold.ctm: sentence 7 has times, but there are 3 trees"
    assert message in complaint(run("gold.ptb heard.ptb --gold-times gold.ctm"))
    Path("gold.ctm").write_text(TIMES.split("3 A")[0].replace("\n1 A", "\na A").replace("\n2 A", "\nb A"))
    message = "expected times for 3 trees; there are times for 2"
    assert message in complaint(run("gold.ptb heard.ptb --gold-times gold.ctm"))
    Path("gold.ctm").write_text(TIMES.replace("2 A 0.0 0.4 he\n2 A 0.4 0.6 slept\n", ""))
    message = "gold.ctm: sentence 2: the sentence has no times"
    assert message in complaint(run("gold.ptb heard.ptb --gold-times gold.ctm --predicted-times heard.ctm"))


def test_times_on_one_side_only() -> None:
    result = run("gold.ptb heard.ptb --gold-times gold.ctm")
    assert result.exit_code == 0
    assert "undefined: no sentence could be scored" in result.stdout
    assert "both sides must have times, or neither" in " ".join(result.stdout.split())


def test_parameter_file_with_an_unknown_key() -> None:
    Path("my.prm").write_text("LABELED 1\nDELETE_LABEL S\nDELETE_LABLE NP\n")
    result = run("gold.ptb heard.ptb --param my.prm")
    assert result.exit_code == 0
    assert "my.prm:3" in result.stderr
    assert "DELETE_LABLE" in result.stderr
    assert "PARSEVAL F(delete_labels=('S',)" in result.stdout


def test_by_sentence_labels_and_alignment() -> None:
    result = run("gold.ptb heard.ptb --by-sentence --labels --align --sentence 1")
    assert result.exit_code == 0
    assert "Sentence 1: Struct-IoU" in result.stdout
    assert re.search(r"DT the +=  +DT the", result.stdout)
    assert "Sentence 2" not in result.stdout
    assert "Struct-IoU, labels" in result.stdout
    rows = list(csv.reader(io.StringIO(run("gold.ptb heard.ptb --csv --table struct-iou").stdout)))
    assert rows[0] == ["level", "Struct-IoU", "precision", "recall", "sentences"]
    assert run("gold.ptb heard.ptb --latex").stdout.count(r"\toprule") == 1
    every = run("gold.ptb heard.ptb --align")
    assert "Sentence 2: predicted: there is no tree" in every.stdout
    result = run("gold.ptb heard.ptb --sentence 4")
    assert result.exit_code == 2
    assert "there are 3 sentences; got 4" in result.stderr


def test_options_of_struct_iou() -> None:
    Path("tagged.ptb").write_text(GOLD.replace("(NP (DT", "(NP-SBJ (DT").replace("NN man", "JJ man"))
    plain = run_json("gold.ptb tagged.ptb")["struct_iou"]["sentences"][0]["parts"]["iou"]
    assert plain == 6
    assert run_json("gold.ptb tagged.ptb --strip-functions")["struct_iou"]["sentences"][0]["parts"]["iou"] == 7
    assert run_json("gold.ptb tagged.ptb --flexible-terminals")["struct_iou"]["sentences"][0]["parts"]["iou"] == 7
    assert run_json("gold.ptb tagged.ptb --compat struct-iou")["struct_iou"]["sentences"][0]["parts"]["iou"] == 7
    assert run_json("gold.ptb tagged.ptb --unlabelled")["struct_iou"]["sentences"][0]["parts"]["iou"] == 8
    assert complaint(run("gold.ptb tagged.ptb --threshold 1")).startswith("caesura: threshold must be below 1")


def test_versus() -> None:
    Path("gold.ptb").write_text(GOLD * 8)
    Path("heard.ptb").write_text(PREDICTED * 8)
    data = run_json("gold.ptb heard.ptb --versus gold.ptb --seed 1")
    parseval, iou = data["versus"]
    assert parseval["measure"].startswith("parseval")
    assert iou["measure"].startswith("struct_iou")
    assert parseval["sentences"] - parseval["pairs"][0]["items"] == 8  # every third sentence has no tree
    assert iou["pairs"][0]["difference"] < 0
    result = run("gold.ptb heard.ptb --versus gold.ptb --seed 1")
    assert result.stdout.count("Parsers compared") == 2
    assert run("gold.ptb heard.ptb --versus-times gold.ctm").exit_code == 2
