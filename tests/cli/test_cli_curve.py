"""``caesura curve``: boundary scores in tables, JSON and seconds, thresholds from other files, figures and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import invoke
from support.everyday import expected

TABLE = "item,position,score,reference\ns1,1,0.1,0\ns1,2,0.9,1\ns1,3,0.3,0\ns1,4,0.3,1\ns1,5,0.7,0\ns1,6,0.05,0\n"


def files(tmp_path: Path, **contents: str) -> list[str]:
    """Write files such as ``scores_csv`` and return their paths."""
    paths = []
    for name, content in contents.items():
        path = tmp_path / name.replace("_", ".")
        path.write_text(content, encoding="utf-8")
        paths.append(str(path))
    return paths


def results(arguments: list[str], code: int = 0) -> dict:
    result = invoke(["curve", *arguments, "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)["results"]


def message(arguments: list[str]) -> str:
    result = invoke(["curve", *arguments])
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    return result.stderr


@pytest.mark.parametrize("tolerance", [0, 1])
def test_everyday_scores(shared, tolerance):
    entry = expected(shared, "scores.csv")
    plain = results([str(shared / "data/everyday/scores.csv"), "--tolerance", str(tolerance)])
    for name, value in entry["value"][f"tolerance={tolerance}"].items():
        assert plain[name] == pytest.approx(value, abs=1e-9), name


def test_answer_first(tmp_path):
    result = invoke(["curve", *files(tmp_path, scores_csv=TABLE)])
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert text.startswith(
        "score finds the 2 boundaries of reference with AP = .75 (1 item). The best threshold is 0.9: F = .67, precision 1.00, "
        "recall .50, with 0.143 per unit marked (reference 0.286 per unit)."
    )
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_points_and_densities(tmp_path):
    (path,) = files(tmp_path, scores_csv=TABLE)
    points = results([path])["curves"][0]["points"]
    expected = [(0.9, 1, 1), (0.7, 1, 2), (0.3, 2, 4), (0.1, 2, 5), (0.05, 2, 6)]
    assert [(p["threshold"], p["matches"], p["marked"]) for p in points] == expected
    assert results([path])["densities"] == [{"coder": "reference", "boundaries": 2, "density": 2 / 7}]
    csv = invoke(["curve", path, "--csv", "--table", "points"]).stdout.splitlines()
    assert csv[0] == "scores,reference,threshold,P,R,F,marks,per unit"
    assert csv[1].startswith("score,reference,0.9,1.0,0.5,0.66")
    assert "\\begin{tabular}" in invoke(["curve", path, "--latex"]).stdout


def test_reference_without_boundaries(tmp_path):
    (path,) = files(tmp_path, scores_csv="item,position,score,ann\na,1,0.2,0\na,2,0.4,0\n")
    plain = results([path])
    assert plain["average_precision"] is None
    assert plain["curves"][0]["reason"] == "the reference has no boundary"
    assert (plain["best_threshold"], plain["best_f"]) == (None, 1)
    assert "The best is to mark nothing: F = 1.00." in " ".join(invoke(["curve", path]).stdout.split())


def test_threshold_from_another_file_is_applied_and_both_are_printed(tmp_path):
    development = "item,position,score,ann\nd,1,0.1,0\nd,2,0.6,1\nd,3,0.2,0\nd,4,0.3,0\n"
    test = "item,position,score,ann\nt,1,0.9,1\nt,2,0.7,0\nt,3,0.2,0\nt,4,0.5,1\n"
    paths = files(tmp_path, test_csv=test, dev_csv=development)
    curve = results([paths[0], "--threshold-from", paths[1]])["curves"][0]
    assert (curve["chosen"]["threshold"], curve["chosen"]["f"]) == (0.6, 1)
    assert (curve["applied"]["threshold"], curve["applied"]["f"], curve["best"]["f"]) == (0.6, 0.5, 0.8)
    assert results([paths[0], "--threshold", "0.6"])["curves"][0]["applied"] == curve["applied"]
    text = " ".join(invoke(["curve", paths[0], "--threshold-from", paths[1]]).stdout.split())
    assert "dev.csv, where F = 1.00; here it gives F = .50; the best threshold here, 0.5, would give .80." in text
    both = invoke(["curve", paths[0], "--threshold-from", paths[1], "--threshold", "1"])
    assert both.exit_code == 2


def test_the_rule_of_wtpsplit_stands_beside_the_usual_one(tmp_path):
    rows = "".join(
        f"a,{i},{s},{m}\n" for i, (s, m) in enumerate([(0.1, 0), (0.9, 1), (0.1, 0), (0.3, 1), (0.8, 0), (0.7, 0)], 1)
    )
    (path,) = files(tmp_path, scores_csv=f"item,position,score,ann\n{rows}")
    result = invoke(["curve", path, "--compat", "wtpsplit"])
    text = " ".join(result.stdout.split())
    assert "The best threshold by the rule of wtpsplit is 0.3" in text
    assert "Without the preset it is 0.9, with F = .67." in text
    assert "wtpsplit: 1e-6 in the denominator of F" in text


def test_two_files_in_json(tmp_path):
    reference = json.dumps([{"id": "a", "masses": [2, 2]}, {"id": "b", "masses": [1, 2]}])
    scores = json.dumps([{"id": "a", "scores": [0.1, 0.9, 0.2]}, {"id": "b", "probabilities": [0.8, 0.3]}])
    paths = files(tmp_path, ref_json=reference, sys_json=scores)
    plain = results(paths)
    assert (plain["average_precision"], plain["best_threshold"]) == (1, 0.8)
    assert plain["curves"][0]["system"] == "sys"
    together = json.dumps([{"id": "a", "masses": [2, 2], "scores": [0.1, 0.9, 0.2]}])
    assert results(files(tmp_path, both_json=together))["best_threshold"] == 0.9


def test_seconds(tmp_path):
    rows = [(0.5, 0.2, 0), (1.0, 0.9, 1), (1.5, 0.6, 0), (3.5, 0.8, 0), (4.5, 0.7, 1)]
    table = "recording,time,score,ann\n" + "".join(f"r,{t},{s},{m}\n" for t, s, m in rows)
    lengths = "item,length\nr,6\n"
    paths = files(tmp_path, timed_csv=table, lengths_csv=lengths)
    plain = results([paths[0], "--reading", f"lengths={paths[1]}"])
    assert plain["axis"] == "time"
    assert plain["densities"][0]["density"] == pytest.approx(20)
    assert plain["curves"][0]["signature"].startswith("boundary_curve|tolerance:0.5s|axis:time|")
    # within 0.5 s: .9 is right, .8 is wrong, .7 is right, .6 is near 1.0, which is taken
    assert plain["average_precision"] == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)


def test_rows_with_text_are_units(tmp_path):
    good = "item,sentence,score,ann\na,One two.,0.2,0\na,Three four.,0.9,1\na,Five six.,,0\n"
    assert results(files(tmp_path, good_csv=good))["best_threshold"] == 0.9
    bad = good.replace("Five six.,,", "Five six.,0.3,")
    text = message(files(tmp_path, bad_csv=bad))
    assert (
        "bad.csv:4: item 'a': a text of 3 units has 2 inner positions, but 3 scores; the end of the text is no inner"
        in text
    )


def test_n_scores_for_n_units(tmp_path):
    reference = json.dumps([{"id": "a", "masses": [2, 2]}])
    text = message(
        files(tmp_path, ref_json=reference, sys_json=json.dumps([{"id": "a", "scores": [0.1, 0.9, 0.2, 0.3]}]))
    )
    assert "a text of 4 units has 3 inner positions, so it needs 3 scores; got 4" in text
    assert "the end of the text is no inner position" in text


@pytest.mark.parametrize(
    ("cell", "problem"), [("", "the cell is empty"), ("NaN", "got 'NaN'"), ("inf", "got 'inf'"), ("high", "got 'high'")]
)
def test_a_bad_score_is_named_and_the_other_items_are_used(tmp_path, cell, problem):
    table = f"item,position,score,ann\na,1,0.2,0\na,2,{cell},1\na,3,0.3,0\nb,1,0.2,0\nb,2,0.7,1\n"
    (path,) = files(tmp_path, scores_csv=table)
    assert f"scores.csv:3: item 'a', score 2: score must be a finite number; {problem}" in message([path])
    assert results([path], code=1)["curves"][0]["documents"] == 1


def test_bad_scores_in_json(tmp_path):
    documents = '[{"id": "a", "masses": [2, 2], "scores": [0.1, null, 0.3]}, {"id": "b", "masses": [1, 2], "scores": [0.8, 0.1]}]'
    (path,) = files(tmp_path, both_json=documents)
    assert "scores[1]: expected a finite number; got None" in message([path])
    assert results([path], code=1)["best_threshold"] == 0.8


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--tolerance", "0.5s"], "is in seconds, but the texts have units"),
        (["--tolerance", "-1"], "tolerance"),
        (["--tolerance", "nan"], "tolerance"),
        (["--reference", "bo"], "there is no coder 'bo'; there is 'reference'"),
        (["--system", "prob"], "there is no scores 'prob'"),
        (["--plot", "figure.gif"], "the suffix must name the format"),
    ],
)
def test_bad_options(tmp_path, arguments, problem):
    (path,) = files(tmp_path, scores_csv=TABLE)
    result = invoke(["curve", path, *arguments])
    assert result.exit_code in (1, 2)
    assert problem in " ".join(result.stderr.split())


def test_files_without_scores_or_without_a_reference(tmp_path):
    marks, alone = files(
        tmp_path, marks_csv="item,unit,ann\na,1,0\na,2,1\na,3,0\n", alone_csv="item,position,score\na,1,.2\na,2,.4\n"
    )
    assert "no boundary scores: expected a column called score" in message([marks])
    assert "no reference: expected a column of 0/1 marks" in message([alone])


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_figure(tmp_path, suffix):
    (path,) = files(tmp_path, scores_csv=TABLE)
    target = tmp_path / f"curve.{suffix}"
    assert invoke(["curve", path, "--plot", str(target)]).exit_code == 0
    content = target.read_bytes()
    if suffix == "svg":
        text = content.decode("utf-8")
        assert all(word in text for word in ("threshold", "marks per unit", "precision", "recall", "reference"))
    again = tmp_path / f"again.{suffix}"
    assert invoke(["curve", path, "--plot", str(again)]).exit_code == 0
    assert again.read_bytes() == content


def test_other_commands_leave_the_scores_out(tmp_path):
    (path,) = files(tmp_path, scores_csv=TABLE)
    assert json.loads(invoke(["info", path, "--json"]).stdout)["reading"][0]["coders"] == ["reference"]
    score = invoke(["score", path, "-m", "AP@1", "--reading", "scores=yes", "--json"])
    assert json.loads(score.stdout)["results"]["scores"][0]["value"] == 1


def test_several_references_have_one_threshold(tmp_path):
    """By hand: F at .9, .7 and .3 is 2/3, 1/2 and 2/3 for ann, and 0, 1/2 and 2/3 for bo; the means are 1/3, 1/2, 2/3."""
    rows = ("0.1,0,0", "0.9,1,0", "0.3,0,1", "0.3,1,0", "0.7,0,1", "0.05,0,0")
    table = "item,position,score,ann,bo\n" + "".join(f"s1,{i},{row}\n" for i, row in enumerate(rows, 1))
    paths = files(tmp_path, scores_csv=table)
    study = results(paths)
    assert [row["average_precision"] for row in study["curves"]] == [0.75, 0.5]
    assert (study["average_precision"], study["best_threshold"]) == (0.625, 0.3)
    assert study["best_f"] == pytest.approx(2 / 3)
    printed = " ".join(invoke(["curve", *paths]).stdout.split())
    message = "mean AP of .62 over 2 coders (.75 for ann and .50 for bo). The best threshold for all of them is 0.3"
    assert message in printed
    assert results([*paths, "--reference", "ann"])["best_threshold"] == 0.9
