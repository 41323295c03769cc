"""EDU segmentation as the scorer of the DISRPT shared task counts it: token 1 counts, ``-nb`` leaves it out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura.cli import main
from caesura.errors import CaesuraError
from oracle.disrpt import precision_recall_f, tags
from support.oracles import read_oracle

CASES = [case for case in read_oracle("disrpt.jsonl")[1:] if case["task"] == "S"]
FILES = [(case, kind) for case in CASES for kind in ("tok", "conllu") if f"gold_{kind}" in case]


def read_pairs(tmp_path: Path, case: dict, kind: str, **options: str) -> list:
    """The documents of both files, by their order: the name of the coder is that of the file."""
    sides = []
    for side in ("gold", "pred"):
        path = tmp_path / f"{side}.{kind}"
        path.write_text(case[f"{side}_{kind}"], encoding="utf-8")
        sides.append([*cz.read(path, boundaries="segments", **options).values()])
    return list(zip(*sides, strict=True))


def ratios(score: cz.Score) -> list[float]:
    return [score.precision(), score.recall(), score.value]


@pytest.mark.parametrize(
    ("case", "kind"), FILES, ids=lambda value: str(value.get("id")) if isinstance(value, dict) else value
)
def test_segments(tmp_path, case, kind):
    peer, right = case["peer"], case["right"]
    names = ("precision", "recall", "f_score")
    if "exit" not in peer[kind]:  # it gives up on a file without marks
        total = cz.score_many(read_pairs(tmp_path, case, kind, first="yes"), "boundary_f(compat='disrpt-2025')").total
        assert ratios(total) == pytest.approx([peer[kind][name] for name in names], abs=1e-9)
        assert list(total.parts.values()) == right["counts"]
        assert ratios(total) == pytest.approx(right["with token 1"], abs=1e-9)
    inner = cz.score_many(read_pairs(tmp_path, case, kind), "boundary_f").total
    assert list(inner.parts.values()) == right["inner counts"]
    without = peer.get("conllu -nb", {})
    if kind == "conllu" and "f_score" in without:
        total = cz.score_many(read_pairs(tmp_path, case, kind, first="drop"), "boundary_f(compat='disrpt-2025')").total
        assert ratios(total) == pytest.approx([without[name] for name in names], abs=1e-9)


def test_the_preset_needs_the_first_token(tmp_path):
    (pair,) = read_pairs(tmp_path, CASES[0], "tok")[:1]
    with pytest.raises(CaesuraError, match="read both files with --reading first=yes"):
        cz.boundary_f(*pair, compat="disrpt-2025")


def inner_f(matches: int, reference: int, hypothesis: int) -> float:
    return 2 * matches / (reference + hypothesis) if reference + hypothesis else 1


PRINTED = [case for case in CASES if "f_score" in case["peer"].get("tok", {})]


@pytest.mark.parametrize("case", PRINTED[:5], ids=lambda case: str(case["id"]))
def test_commands_read_files_as_the_preset_needs(tmp_path, case):
    paths = []
    for side in ("gold", "pred"):
        paths.append(tmp_path / f"{side}.tok")
        paths[-1].write_text(case[f"{side}_tok"], encoding="utf-8")
    expected = case["peer"]["tok"]["f_score"]
    measure = "F1(compat=disrpt-2025)"
    for arguments in (["-m", "F1", "--compat", "disrpt-2025"], ["-m", measure]):
        result = CliRunner().invoke(main, ["score", *map(str, paths), *arguments, "--json"])
        assert result.exit_code == 0, result.output
        total = next(row for row in json.loads(result.stdout)["results"]["scores"] if row["item"] is None)
        assert total["value"] == pytest.approx(expected, abs=1e-9)
        assert total["plain"] == pytest.approx(inner_f(*case["right"]["inner counts"]), abs=1e-9)
        assert "a mark at the first token counts (first=yes)" in result.stderr
    plain = CliRunner().invoke(main, ["score", *map(str, paths), "-m", "F1", "--json"])
    assert "first token" not in plain.stderr


CONNECTIVES = [case for case in read_oracle("disrpt.jsonl")[1:] if case["task"] == "C"]


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("case", CONNECTIVES, ids=lambda case: str(case["id"]))
def test_connectives(tmp_path, case):
    """The scorer loses connectives at the ends of files and documents; elsewhere it agrees with the definition."""
    pairs = []
    for side in ("gold", "pred"):
        path = tmp_path / f"{side}.tok"
        path.write_text(case[f"{side}_tok"], encoding="utf-8")
        pairs.append([*cz.read(path, boundaries="connectives").values()])
    total = cz.score_many(list(zip(*pairs, strict=True)), "span_f").total
    assert ratios(total) == pytest.approx(case["right"]["spans"], abs=1e-9)
    if not case["wrong"] and "f_score" in case["peer"]["tok"]:
        assert total.value == pytest.approx(case["peer"]["tok"]["f_score"], abs=1e-9)


@pytest.mark.parametrize("case", CONNECTIVES, ids=lambda case: str(case["id"]))
def test_connectives_of_the_scorer_follow_from_its_state(case):
    """One state for the whole file explains every figure of the scorer; no option of a measure could."""
    peer = case["peer"]["tok"]
    if "exit" in peer:
        assert not {"B", "I"} & set(tags(case["gold_tok"])) or not {"B", "I"} & set(tags(case["pred_tok"]))
        return
    figures = precision_recall_f(case["gold_tok"], case["pred_tok"])
    assert figures == pytest.approx([peer[name] for name in ("precision", "recall", "f_score")], abs=1e-9)
