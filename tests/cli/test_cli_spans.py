"""Commands on spans: agree, judge, info, convert, score, gold and verify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.data import output_schema
from support.commands import invoke

ROWS = """item,coder,start,end,label,length
x,ann,0,4,a,20
x,ann,6,9,b,20
x,bo,0,5,a,20
x,bo,6,8,b,20
x,sys,1,4,a,20
x,sys,12,14,b,20
y,ann,2,4,a,12
y,bo,2,4,b,12
y,bo,5,9,a,12
y,sys,2,5,a,12
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spans.csv").write_text(ROWS)
    crossing = ROWS.replace("x,bo,6,8,b,20", "x,bo,3,8,b,20")
    Path("crossing.csv").write_text(crossing)


def test_agree() -> None:
    result = invoke("agree spans.csv -c u_alpha -c cu-alpha --categories --coders --pairs")
    assert result.exit_code == 0
    assert result.stdout.startswith("Three coders agree ")
    for words in (
        "u-alpha",
        "cu-alpha",
        "Categories of spans",
        "(k)u-alpha",
        "coverage",
        "Pairs of coders",
        "Without sys",
    ):
        assert words in result.stdout
    assert "spans per item" in result.stdout


def test_json_and_schema() -> None:
    document = json.loads(invoke("agree spans.csv -c u_alpha --json").stdout)
    (entry,) = document["results"]["agreement"]
    assert entry["coefficient"] == "u_alpha"
    assert entry["measure"] is None
    assert {row["category"] for row in entry["categories"]} == {"a", "b"}
    assert document["reading"][0]["kind"] == "spans"
    assert document["reading"][0]["items"] == {"x": 20, "y": 12}
    assert document["reading"][0]["boundaries"]["y"] == {"ann": 1, "bo": 2, "sys": 1}
    jsonschema = pytest.importorskip("jsonschema")
    assert not list(jsonschema.Draft202012Validator(output_schema()).iter_errors(document))


def test_verify_reads_long_and_short_signatures() -> None:
    document = json.loads(invoke("agree spans.csv -c 'cu_alpha(metric=nominal, bounds=(0, 20))' --json").stdout)
    long = document["results"]["agreement"][0]["signature"]
    assert "|bounds:(0.0, 20.0)|" in long
    assert "verified" in invoke(["verify", long, "spans.csv"]).stdout
    listed = invoke("agree spans.csv -c u_alpha").stdout
    short = next(line for line in listed.splitlines() if line.startswith("u_alpha = "))
    assert "verified" in invoke(["verify", short, "spans.csv"]).stdout
    assert invoke(["verify", short, "crossing.csv"]).exit_code == 1


def test_agree_lists_items_that_cannot_be_scored() -> None:
    result = invoke("agree crossing.csv -c u_alpha")
    assert result.exit_code == 1
    assert "on 1 item" in result.stdout
    assert "item 'x': coder 'bo': spans[0] (0-5 'a') and spans[1] (3-8 'b') overlap" in result.stderr
    Path("one.csv").write_text(
        "\n".join(line for line in ROWS.splitlines() if ",bo," not in line and ",sys," not in line)
    )
    alone = invoke("agree one.csv -c u_alpha")
    assert alone.exit_code == 1
    assert "u_alpha needs at least two coders; got 1" in alone.stderr


def test_hierarchy_measures_convert_spans_that_nest() -> None:
    result = invoke("agree spans.csv -m hierarchy_kappa")
    assert result.exit_code == 0
    assert "hierarchy kappa" in result.stdout
    crossing = invoke("agree crossing.csv -m hierarchy_kappa")
    assert crossing.exit_code == 1
    assert "spans[0] (0-5 'a') and spans[1] (3-8 'b') cross; a hierarchy needs spans that nest" in crossing.stderr
    assert invoke("unify spans.csv").exit_code == 0
    both = invoke("agree spans.csv -c u_alpha -m hierarchy_kappa")
    assert both.exit_code == 0
    assert "hierarchy kappa" in both.stdout


def test_judge_adds_the_drop_of_agreement_on_spans() -> None:
    result = invoke("judge spans.csv --system sys --details")
    assert result.exit_code == 0
    assert "u-alpha" in result.stdout
    document = json.loads(invoke("judge spans.csv --system sys --json").stdout)
    drops = {drop["coefficient"]: drop for drop in document["results"]["drops"] if drop["measure"] is None}
    everyone = json.loads(invoke("agree spans.csv -c u_alpha --json").stdout)["results"]["agreement"][0]
    assert drops["u_alpha"]["with_system"] == pytest.approx(everyone["value"])
    expected = pytest.approx(drops["u_alpha"]["without_system"] - drops["u_alpha"]["with_system"])
    assert drops["u_alpha"]["value"] == expected


def test_info_and_convert() -> None:
    info = invoke("info spans.csv")
    assert info.exit_code == 0
    assert "caesura agree spans.csv --categories" in info.stdout
    assert invoke("convert spans.csv spans.json").exit_code == 0
    again = invoke("agree spans.json -c u_alpha").stdout
    assert again.splitlines()[-3:] == invoke("agree spans.csv -c u_alpha").stdout.splitlines()[-3:]


def test_plot_alignment_shows_spans_that_cross() -> None:
    """Every coder's spans cross, so that none of them is a hierarchy."""
    rows = [f"x,{coder},{start},{end},a,20" for coder in ("ann", "bo") for start, end in ((0, 6), (4, 9))]
    Path("all_cross.csv").write_text("\n".join(["item,coder,start,end,label,length", *rows]) + "\n")
    result = invoke("plot alignment all_cross.csv -o alignment.svg")
    assert result.exit_code == 0, result.stderr
    assert "bo" in Path("alignment.svg").read_text()


def test_b_of_edges_counts_positions() -> None:
    """One number of positions for all commands.

    # x: ann 4 6 9,  bo 5 6 8    one match, two transpositions over 1 of 2 positions
    # y: ann 2 4,    bo 2 4 5 9  two matches, two additions
    B = 1 - (2 / 2 + 2) / 7
    """
    pair = ["--reference", "ann", "--hypothesis", "bo", "-m"]
    scores = json.loads(invoke(["score", "spans.csv", *pair, "B", "--json"]).stdout)["results"]["scores"]
    assert {entry["item"]: entry["value"] for entry in scores if entry["item"]} == pytest.approx({"x": 2 / 3, "y": 0.5})
    assert "B = .57 over 2 items" in " ".join(invoke(["score", "spans.csv", *pair, "B"]).stdout.split())
    for command in (["agree"], ["score", *pair[:4]], ["disagreements"], ["judge", "--system", "sys"]):
        for measure in ("B(n_t=1s)", "F1@0.5s"):
            result = invoke([*command, "spans.csv", "-m", measure])
            assert result.exit_code == 1
            assert "is in seconds, but the texts have units; write a number of positions" in result.stderr
        assert "seconds" not in invoke([*command, "spans.csv", "-m", "B"]).stderr
    greedy = json.loads(invoke(["score", "spans.csv", *pair, "B(alignment=greedy)", "--json"]).stdout)["results"][
        "scores"
    ]
    assert [entry["value"] for entry in greedy] == pytest.approx([entry["value"] for entry in scores])


def test_the_alpha_of_spans_is_named() -> None:
    result = invoke("agree spans.csv -c krippendorff")
    assert result.exit_code == 2
    assert "use Krippendorff's alpha for unitizing, -c u_alpha" in result.stderr


def test_spans_and_segmentations_are_not_compared() -> None:
    Path("people.json").write_text('{"items": {"z": {"cy": [2, 3], "dee": [3, 2]}}, "segmentation_type": "linear"}')
    result = invoke("agree spans.csv people.json")
    assert result.exit_code == 1
    kinds = "coder 'ann' of item 'x' has spans, and coder 'cy' of item 'z' has not; compare one kind at a time"
    assert f"the annotations are of different kinds: {kinds}" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plot", "alignement", "spans.csv"], "no kind 'alignement'; did you mean 'alignment'?"),
        (["agree", "spans.csv", "--format", "brta"], "there is no 'brta'; did you mean 'brat'?"),
    ],
)
def test_misspelt_words_have_a_suggestion(arguments: list[str], message: str) -> None:
    result = invoke(arguments)
    assert result.exit_code == 2
    assert message in result.stderr
