"""Input options of all commands (folders, patterns, format options, alignment) and ``caesura info``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import caesura as cz
from caesura.data import stargazer
from caesura.formats import detect, formats
from support import fuzzing
from support.commands import run_command
from support.envelope import excluded_of, results_of

Run = Callable[..., Result]

# ann |--A--|--B--|     bo |---A---|-B-|     meets at 1 s and at 1.5 s, of 3 s
GRID = """File type = "ooTextFile"
Object class = "TextGrid"

0
3
<exists>
2
"IntervalTier" "ann" 0 3 2   0 1 "A"   1 3 "B"
"IntervalTier" "bo" 0 3 2   0 1.5 "A"   1.5 3 "B"
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("talk.TextGrid").write_text(GRID)
    cz.write(stargazer(), "readers.json")
    for coder, rows in {"ann": "F,I can .\nF,not ,", "bo": "F,I .\nF,cannot ,"}.items():
        Path(coder).mkdir()
        quoted = rows.replace("F,", 'F,"').replace("\n", '"\n') + '"'
        Path(coder, "x.csv").write_text("Speaker,Utterance\n" + quoted + "\n")
    return run_command


# -- folders and alignment --------------------------------------------------------------------------------------------


def test_folder_is_read_as_a_corpus(run: Run) -> None:
    for coder in stargazer().coders:
        Path("many").mkdir(exist_ok=True)
        assert run("convert readers.json", f"many/{coder}.bits", "--coder", coder).exit_code == 0
    expected = cz.agreement(stargazer()).value
    for arguments in (["many"], ["many/*.bits"], ["many", "--pattern", "{coder}.bits"]):
        result = run("agree", *arguments, "-m", "boundary_similarity(n_t=2)", "--json")
        assert results_of(result)["agreement"][0]["value"] == pytest.approx(expected)
    assert run("convert many all.json").exit_code == 0
    again = cz.read("all.json")
    assert {coder: again["stargazer", coder].masses for coder in again.coders} == {
        coder: stargazer()["stargazer", coder].masses for coder in stargazer().coders
    }


def test_unreadable_files_are_reported_first(run: Run) -> None:
    Path("bo", "x.csv").write_text("Speaker,Utterance\nF\n")
    result = run("agree . --pattern {coder}/{item}.csv")
    assert result.exit_code == 1
    messages = [line for line in result.stderr.splitlines() if "warning" not in line]
    assert messages[0].startswith("caesura: ./bo/x.csv:2: ")
    assert messages[1] == "caesura: agreement needs at least two coders; got ann"


def test_pattern_with_a_list_of_files_is_invalid_usage(run: Run) -> None:
    result = run("agree ann/x.csv bo/x.csv --pattern {item}.csv")
    assert (result.exit_code, "--pattern applies to the files of one folder or glob" in result.stderr) == (2, True)


def test_align(run: Run) -> None:
    arguments = ["score", "ann/x.csv", "bo/x.csv", "-m", "flexible_similarity", "--types", '[".", ","]']
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert "read with --align tokens (or --align characters, because the characters agree)" in refused.stderr
    aligned = run(*arguments, "--align", "characters", "--json")
    # I c a n . n o t ,     and     I . c a n n o t ,     : of 7 characters
    assert aligned.exit_code == 0
    (total,) = [row for row in results_of(aligned)["scores"] if row["item"] is None]
    units = "Icannot"
    a, b = (
        {"F": cz.Segmentation.from_marks(marks, types=[".", ","], units=units)}
        for marks in (["", "", "", ".", "", "", ","], [".", "", "", "", "", "", ","])
    )
    assert total["value"] == cz.flexible_similarity(a, b).value
    assert "3 tokens for x, 2 for x (bo/x.csv, 2): 7 characters" in aligned.stderr


def test_reference_and_hypothesis_share_units(run: Run) -> None:
    for name, tier in (("ref", "ann"), ("hyp", "bo")):
        arguments = ["convert", "talk.TextGrid", f"{name}.TextGrid", "--coder", tier]
        assert run(*arguments).exit_code == 0
    result = run("score ref.TextGrid hyp.TextGrid -m crisp(tolerance=1) -m pk --json --reading units=union")
    assert "the units are the union of the coders' times" in result.stderr
    total = {row["measure"]: row["value"] for row in results_of(result)["scores"] if row["item"] is None}
    # over the union of times, ref is ·|·· and hyp is ··|·; the boundaries are one position apart
    assert total["boundary_f(tolerance=1)"] == 1
    assert total["pk"] == cz.pk(cz.Segmentation.from_bits("10"), cz.Segmentation.from_bits("01")).value


def test_system_file_is_projected_onto_corpus_units(run: Run) -> None:
    for name, tier in (("people", "ann"), ("system", "bo")):
        assert run("convert talk.TextGrid", f"{name}.TextGrid", "--coder", tier).exit_code == 0
    arguments = ["judge", "people.TextGrid", "--system", "system.TextGrid", "-m", "pk", "--seed", "1", "--no-bounds"]
    arguments += ["--reading", "units=union"]
    result = run(*arguments, "--json")  # over the union of their times, ·|·· and ··|·
    assert excluded_of(result) == []
    a, b = (cz.Segmentation.from_bits(bits) for bits in ("10", "01"))
    assert f"{cz.pk(a, b).value:.4f}" in run(*arguments).stdout


# -- options of the format --------------------------------------------------------------------------------------------


def test_reading_options(run: Run) -> None:
    result = run("convert talk.TextGrid steps.csv --reading units=0.5 --reading tiers=ann")
    assert result.exit_code == 0
    # 6 steps of half a second, A ends after the second, B after the sixth
    assert cz.read("steps.csv")["talk", "ann"].boundaries == ((2, "A"), (6, "B"))
    many = ["--reading", "tiers=ann", "--reading", "tiers=bo", "--reading", "units=0.5", "--reading", "labels=ignore"]
    assert run("convert talk.TextGrid both.csv", *many).exit_code == 0
    assert cz.read("both.csv").coders == ("ann", "bo")


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ("tier=ann", 1, "format textgrid has no option 'tier'; did you mean 'tiers'?"),
        ("units=fast", 1, "units must be 'words', 'union', 'times' or a number of seconds above 0; got 'fast'"),
        ("units=NaN", 1, "units must be 'words', 'union', 'times' or a number of seconds above 0; got 'NaN'"),
        ("snap=true", 1, "snap must be a number; got True"),
        ('item="7"', 0, ""),
        ("item=7", 1, "item must be a text that is not empty; got 7"),
        ("units", 2, "expected NAME=VALUE; got 'units'"),
        ("=3", 2, "expected NAME=VALUE; got '=3'"),
    ],
)
def test_option_values_are_numbers_flags_or_strings(given: str, code: int, message: str, run: Run) -> None:
    result = run("convert talk.TextGrid out.csv --reading", given)
    assert (result.exit_code, message in result.stderr) == (code, True)


# -- convert ----------------------------------------------------------------------------------------------------------


def test_tiers_stay_in_seconds_if_possible(run: Run) -> None:
    assert run("convert talk.TextGrid again.TextGrid").exit_code == 0
    before, after = (cz.read(name, units="times") for name in ("talk.TextGrid", "again.TextGrid"))
    assert after.of_item("again") == before.of_item("talk")


def test_bracket_files_use_the_file_name_as_item_name(run: Run) -> None:
    Path("gold.ptb").write_text("(S (NN x))\n")
    result = run("convert gold.ptb copy.mrg")
    assert (result.exit_code, result.stderr) == (0, "coder 'gold' is called 'copy' in copy.mrg\n")


@pytest.mark.parametrize("name", ["documents-parquet", "documents-json"])
def test_documents_of_two_coders(name: str, run: Run) -> None:
    if formats()[name].extra:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
    out = f"out{formats()[name].suffixes[0]}"
    arguments = ["convert", "readers.json", out, "--to", name]
    refused = run(*arguments, "--reference", "1")
    there = "1, 2, 3, 4, 5, 6, 7"
    expected = (1, f"caesura: {out}: no coder is called 'hypothesis'; choose the hypothesis: one of {there}\n")
    assert (refused.exit_code, refused.stderr) == expected
    assert not Path(out).exists()
    assert run(*arguments, "--reference", "2", "--hypothesis", "7").exit_code == 0
    corpus = cz.read(out)
    assert [corpus["stargazer", side] for side in corpus.coders] == [stargazer()["stargazer", who] for who in "27"]
    back = run("convert", out, "back.json")
    assert (back.exit_code, cz.read("back.json").coders) == (0, ("reference", "hypothesis"))
    misplaced = run("convert readers.json out.bits --reference 2")
    assert misplaced.exit_code == 1
    assert "format bits has no option 'reference'" in misplaced.stderr


def test_documents_cannot_contain_some_annotations(run: Run) -> None:
    Path("t.csv").write_text("item,unit,text,reference,hypothesis\na,1,x,1,0\na,2,y,0,0\nb,1,z,1,NA\nb,2,z,0,NA\n")
    result = run("convert t.csv out.jsonl")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "caesura: warning: out.jsonl: left out, because only one of the two coders annotated them: b",
        "caesura: warning: out.jsonl: this format cannot store the text of units and the labels; they are left out",
    ]
    assert Path("out.jsonl").read_text() == '{"item": "a", "length": 2, "reference": [1], "hypothesis": []}\n'
    Path("s.csv").write_text("item,coder,start,end,level,label\nx,ann,1,6,1,A\nx,ann,1,3,2,b\nx,bo,1,6,1,A\n")
    arguments = ["--reference", "ann", "--hypothesis", "bo"]
    for source, item in (("s.csv", "item 'x'"), ("ann/x.csv", "item 'x'")):
        refused = run(
            "convert", source, "no.jsonl", *arguments, *(["--reading", 'symbols=[".",","]'] if "ann" in source else [])
        )
        assert (refused.exit_code, len(refused.stderr.splitlines()), Path("no.jsonl").exists()) == (1, 1, False)
        assert f"no.jsonl: {item}" in refused.stderr
    tiers = run("convert talk.TextGrid grid.jsonl", *arguments)  # converted to units first
    assert (tiers.exit_code, cz.read("grid.jsonl")["talk", "reference"].length) == (0, 3)


def test_parquet_is_a_table_by_default(run: Run) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
    assert run("convert readers.json t.parquet").exit_code == 0
    assert detect("t.parquet").name == "table-parquet"


WRITTEN = [name for name, file_format in formats().items() if file_format.write is not None]


@pytest.mark.parametrize("name", [name for name in formats() if not formats()[name].extra])
def test_convert_between_all_formats(name: str, run: Run) -> None:
    """A conversion gives a readable file with items, or prints a one-line error."""
    sample = fuzzing.SAMPLES[name]
    Path("in").mkdir()
    for file_name, data in sample.files.items():
        Path("in", file_name).write_bytes(data)
    reading = [word for key, value in sample.options.items() for word in ("--reading", f"{key}={json.dumps(value)}")]
    reading += ["--reading", "tiers=ann"] if name == "textgrid" else []
    n_written = 0
    for target in WRITTEN:
        suffix = (*formats()[target].suffixes, *formats()[target].other_suffixes, ".txt")[0]
        out = f"out-{target}{suffix}"
        result = run("convert", f"in/{sample.name}", out, "--format", name, "--to", target, "--drop-labels", *reading)
        messages = [
            line for line in result.stderr.splitlines() if line.startswith("caesura: ") and "warning" not in line
        ]
        if result.exit_code == 0:
            n_written += 1
            assert messages == []
            options = {"segsimflex": {"symbols": [".", "?", ","]}, name: sample.options}
            options |= {timed: {"units": "times"} for timed in ("textgrid", "audacity", "eaf")}
            assert len(cz.read(out, target, **options.get(target, {}))) > 0
        else:
            assert (result.exit_code, len(messages), Path(out).exists()) == (1, 1, False)
            assert out in messages[0]
    assert n_written > 0 or formats()[name].write is None


# -- info and formats -------------------------------------------------------------------------------------------------


def test_info_of_segmentations(run: Run) -> None:
    result = run("info readers.json")
    assert result.exit_code == 0
    message = "readers.json (masses-json) has 1 item (stargazer) of 7 coders (1, 2, 3, 4 and 3\nmore)."
    assert result.output.startswith(message)
    # 21 paragraphs; the first reader placed 6 boundaries
    assert ["1", "1", "21", "21", "6", "no", "no"] in [line.split() for line in result.output.splitlines()]
    assert "· · | · · · | · · · | · | · · · | · · · · · · | · · ·" in result.output


def test_info_as_json(run: Run) -> None:
    Path("t.csv").write_text(
        'item,stream,unit,text,types,ann,bo\nx,F,1,well,"["","", ""."", ""?""]",",",\nx,F,2,no,,.,?\nx,M,1,yes,,.,.\n'
    )
    result = run("info t.csv --json")
    data = results_of(result)
    assert (data["formats"], data["files"], data["contents"]["items"]) == ({"table-csv": 1}, 1, ["x"])
    assert excluded_of(result) == []
    ann, bo = data["contents"]["coders"]
    counts = {"items": 1, "units": 3, "shortest": 3, "longest": 3, "boundaries": 3}
    contents = {"types": [",", ".", "?"], "streams": ["F", "M"], "items_with_text": 1, "items_with_labels": 0}
    assert ann == {"coder": "ann", "kind": "dialogue", **counts, **contents}
    assert bo["boundaries"] == 2
    first = {"ann, F": "well {,} no {.}", "ann, M": "yes {.}", "bo, F": "well no {?}", "bo, M": "yes {.}"}
    assert data["first"] == first


def test_info_of_tiers_without_a_tier_selection(run: Run) -> None:
    Path("p.TextGrid").write_text(
        GRID.replace("3\n<exists>\n2", "3\n<exists>\n3") + '"TextTier"\n"tone"\n0\n3\n1\n1.25\n"H*"\n'
    )
    data = results_of(run("info p.TextGrid --json"))
    expected = [("ann", "intervals", 2), ("bo", "intervals", 2), ("tone", "points", 1)]
    assert [(row["name"], row["kind"], row["number"]) for row in data["tiers"]["p.TextGrid"]] == expected
    assert [(row["coder"], row["intervals"]) for row in data["contents"]["coders"]] == [("ann", 2), ("bo", 2)]
    result = run("info p.TextGrid")
    assert result.stderr == ""  # nothing is converted to units, so there is no warning
    assert "tone" in result.output


def test_info_of_spans_and_trees(run: Run) -> None:
    for name in ("spans-csv", "ptb"):
        Path(fuzzing.SAMPLES[name].name).write_bytes(fuzzing.SAMPLES[name].files[fuzzing.SAMPLES[name].name])
    spans = results_of(run("info a.csv --json"))["contents"]["coders"]
    expected = [("hierarchy", 2, ["A", "b"]), ("hierarchy", 2, ["A", "c"])]
    assert [(row["kind"], row["spans"], row["types"]) for row in spans] == expected
    (trees,) = results_of(run("info a.ptb --json"))["contents"]["coders"]
    assert (trees["items"], trees["units"], trees["nodes"]) == (2, 6, 12)
    assert "(S (NP (DT the) (NN man)) (VP (VBD ate)))" in run("info a.ptb").output


def test_info_of_a_folder_with_a_bad_file(run: Run) -> None:
    Path("bo", "x.csv").write_text("Speaker,Utterance\nF\n")
    result = run("info . --pattern {coder}/{item}.csv")
    assert result.exit_code == 1
    assert "segsimflex (1)" in result.stdout or "segsimflex (2)" in result.stdout
    assert "caesura: ./bo/x.csv:2: " in result.stderr


def test_info_of_unreadable_files(run: Run) -> None:
    Path("bad.json").write_text("{")
    assert run("info bad.json").exit_code == 1
    assert run("info nowhere").stderr == "caesura: nowhere: cannot be read: No such file or directory\n"


def test_every_format_is_listed(run: Run) -> None:
    listed = results_of(run("formats --json"))
    assert set(listed) == set(formats())
    expected = {"default": 1e-4, "description": formats()["textgrid"].options[-1].description}
    assert listed["textgrid"]["options"]["snap"] == expected
    assert (listed["rs3"]["extra"], listed["rs3"]["writes"], listed["ptb"]["writes"]) == ("xml", False, True)
    table = run("formats").output
    assert all(name in table for name in formats())


def test_commands_of_an_ambiguous_file_can_be_pasted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["P1;a;1,5", "P1;a;4,5", "P1;b;2,5", "P2;a;1,25", "P2;b;2,75"]
    Path("t.csv").write_text("\n".join(["Sujet;Vidéo;Temps", *rows, ""]), encoding="utf-8")
    command = ["info", "t.csv"]
    for expected in ("--fields time=Temps", "--fields time=Temps,coder=Sujet,item=Vidéo"):
        monkeypatch.setattr("sys.argv", ["caesura", *command])
        result = run(*command)
        assert result.exit_code == 1
        line = next(line for line in result.stderr.splitlines() if shlex.split(line)[-1] == expected.split()[-1])
        command = shlex.split(line.partition(": caesura ")[2])
    result = run(*command)
    assert result.exit_code == 0
    assert "has 2 items (a, b) of 2 coders" in result.output


def test_truth_values_on_the_command_line(run: Run) -> None:
    Path("t.csv").write_text("item,coder,start,end\na,x,0,5\na,x,3,9\n")
    assert "--reading repair=yes" in run("info t.csv --reading as_=hierarchy").stderr
    assert run("info t.csv --reading repair=yes").exit_code == 0
