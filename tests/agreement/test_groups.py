"""Agreement inside groups of coders."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.data import stargazer
from caesura.errors import FormatError, OptionError
from caesura.formats.settings import read_groups
from support.commands import invoke
from support.corpora import of_masses, random_corpus

GROUPS = {"early": ["1", "2", "3"], "late": ["4", "5", "6", "7"]}
QUIET = {"interval": None}


@pytest.mark.parametrize("measure", ["boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "crisp"])
@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa", "alpha"])
def test_a_group_is_computed_alone(measure: str, coefficient: str) -> None:
    study = cz.group_agreement(stargazer(), GROUPS, measure, coefficient=coefficient, **QUIET)
    values = []
    for group in study.groups:
        corpus = stargazer().select(coders=GROUPS[group.name])
        alone = cz.agreement(corpus, measure, coefficient=coefficient, **QUIET)
        assert group.agreement == alone
        assert group.coders == tuple(GROUPS[group.name])
        if coefficient != "alpha":
            assert group.placement == cz.agreement(
                corpus, measure, coefficient=coefficient, chance="placement", **QUIET
            )
        values.append(alone.value)
    assert study.mean == pytest.approx(np.mean(values))
    assert study.deviation == pytest.approx(np.std(values))
    assert study.values == tuple(values)


def test_undefined_groups_do_not_count() -> None:
    corpus = of_masses(
        x={"a": [2, 3], "b": [2, 1, 2], "c": [5], "d": [5], "e": [1, 4]}, y={"f": [2, 2], "e": [1, 3], "g": [4]}
    )
    groups = {"two": ["a", "b"], "empty": ["c", "d"], "one": ["e"], "apart": ["f"]}
    study = cz.group_agreement(corpus, groups, **QUIET)
    assert [group.value is None for group in study.groups] == [False, True, True, True]
    assert study.groups[1].reason == "no coder placed a boundary, so agreement beyond chance is undefined"
    assert study.groups[2].reason == "agreement needs at least two coders; got e"
    assert study.mean == study.groups[0].value
    assert study.deviation == 0
    nothing = cz.group_agreement(corpus, {"one": ["e"]}, **QUIET)
    assert nothing.mean is nothing.deviation is None
    no_item = cz.group_agreement(corpus, {"apart": ["a", "f"]}, **QUIET)
    assert no_item.groups[0].reason is not None
    assert "no item was annotated by two coders" in no_item.groups[0].reason


def test_clusters_within_groups() -> None:
    study = cz.group_agreement(stargazer(), GROUPS, clusters=True, **QUIET)
    for group in study.groups:
        alone = cz.cluster_coders(stargazer().select(coders=group.coders))
        assert group.clusters is not None
        assert group.clusters.clusters == alone.clusters
    corpus = random_corpus(3, missing=0.2)
    chance = cz.group_agreement(corpus, {"all": list("abcde")}, clusters=True, chance="placement", **QUIET)
    assert chance.groups[0].clusters is not None
    assert chance.groups[0].clusters.clusters[-1].value == pytest.approx(chance.groups[0].value)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, "expected at least one group of coders"),
        ({"x": ["1", "9"]}, r"groups\['x'\]: there is no coder '9'"),
        ({"x": ["1", "2"], "y": ["2", "3"]}, "coder '2' is in the groups 'x' and 'y'"),
        ({"x": "12"}, "expected a list of coders; got the string '12'"),
    ],
)
def test_invalid_groups(groups: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        cz.group_agreement(stargazer(), groups)


def test_invalid_arguments_are_not_hidden() -> None:
    with pytest.raises(OptionError, match="has no coefficient"):
        cz.group_agreement(stargazer(), GROUPS, coefficient="s")
    with pytest.raises(OptionError, match="level"):
        cz.group_agreement(stargazer(), GROUPS, level=2)


@pytest.mark.parametrize("text", ["coder,group\na,x\nb,x\n\nc,y\n", "group;note;Coder\nx;;a\nx;;b\ny;!;c\n"])
def test_file_of_groups(text: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(text)
    assert read_groups(path) == {"x": ("a", "b"), "y": ("c",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("coder,team\na,x\n", "1: expected the columns coder and group; there is no 'group', only: coder, team"),
        ("coder,group\na,x\nb,\n", "3: expected a coder and a group; a cell is empty or missing"),
        ("coder,group\na\n", "2: expected a coder and a group"),
    ],
)
def test_invalid_files_of_groups(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_groups(path)


@pytest.fixture
def article(tmp_path: Path) -> str:
    path = tmp_path / "stargazer.json"
    cz.write(stargazer(), path)
    return str(path)


def test_command(article: str, tmp_path: Path) -> None:
    options = ["--group", "early=1,2,3", "--group", "late=4, 5,6,7"]
    shown = invoke(["agree", article, *options])
    assert shown.exit_code == 0
    assert "Agreement inside groups of coders" in shown.stdout
    file = tmp_path / "groups.csv"
    file.write_text("coder,group\n" + "".join(f"{c},{name}\n" for name, coders in GROUPS.items() for c in coders))
    from_file = invoke(["agree", article, "--groups", str(file), "--csv", "--table", "groups", "-m", "B"])
    rows = list(csv.DictReader(from_file.stdout.splitlines()))
    assert [row["group"] for row in rows] == ["early", "late", "mean", "deviation"]
    study = cz.group_agreement(stargazer(), GROUPS)
    assert [float(row["pi(B)"]) for row in rows] == pytest.approx([*study.values, study.mean, study.deviation])
    placed = [group.placement.value for group in study.groups]
    expected = [*placed, np.mean(placed), np.std(placed)]
    assert [float(row["pi(B) placed"]) for row in rows] == pytest.approx(expected)
    outcome = json.loads(invoke(["agree", article, *options, "--json", "-m", "B"]).stdout)["results"]["groups"][0]
    assert outcome["mean"] == pytest.approx(study.mean)
    assert outcome["deviation"] == pytest.approx(study.deviation)
    clusters = invoke(["agree", article, *options, "--clusters"])
    assert "Clusters in the group late" in clusters.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group", "early"], "must be NAME=CODER,CODER,...; got 'early'"),
        (["--group", "early=1,9"], "there is no coder '9'"),
        (["--group", "early=1,2", "--groups", "x.csv"], "use only one of them"),
    ],
)
def test_invalid_options(article: str, options: list[str], message: str) -> None:
    outcome = invoke(["agree", article, *options])
    assert outcome.exit_code in (1, 2)
    assert message in " ".join(outcome.stderr.replace("│", " ").split())


def test_an_asymmetric_matrix_is_refused_and_its_mean_offered(tmp_path: Path) -> None:
    talk = tmp_path / "talk.csv"
    talk.write_text("item,unit,ann,bo\nt,1,,\nt,2,p,q\nt,3,,\nt,4,q,\nt,5,p,p\n")
    matrix = '{"types": ["p", "q"], "matrix": [[1, 0.5, 0], [0.25, 1, 0], [0, 0, 1]]}'
    (tmp_path / "m.json").write_text(matrix)
    measure = f"flexible_similarity(similarity='{tmp_path / 'm.json'}')"
    refused = invoke(["agree", str(talk), "--types", "p,q", "-m", measure])
    assert refused.exit_code == 1
    message = " ".join(refused.stderr.split())
    assert "the similarity of 'p' to 'q' is 0.5, and of 'q' to 'p' 0.25" in message
    assert "--symmetric-mean" in message
    accepted = invoke(["agree", str(talk), "--types", "p,q", "-m", measure, "--symmetric-mean", "--json"])
    assert accepted.exit_code == 0
    assert "0.375" in accepted.stdout
