"""``verify`` recomputes numbers: same data in another format, one boundary moved, other options, other versions."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import caesura as cz
from caesura.errors import CaesuraWarning, OptionError
from caesura.tasks.agree import agree
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.tasks.verify import verify_all
from support.commands import invoke
from support.examples import examples
from support.strategies import Pair, corpora

DATA = Path(__file__).parents[2] / "examples" / "data"
masses = cz.Segmentation.from_masses

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")


def people() -> cz.Corpus:
    return cz.read(DATA / "people.json")


def moved() -> cz.Corpus:
    """Return the corpus with one boundary moved by one position."""
    by_item = {item: people().of_item(item) for item in people().item_names}
    by_item["engine"]["bo"] = masses([4, 6, 6])
    return cz.Corpus(by_item)


def numbers() -> dict[str, Any]:
    corpus = people()
    return {
        "B": cz.agreement(corpus),
        "S": cz.agreement(corpus, "S(n_t=5)", coefficient="multi_kappa"),
        "placement": cz.agreement(corpus, chance="placement"),
        "preset": cz.agreement(corpus, compat="fournier2013"),
        "alpha": cz.agreement(corpus, coefficient="alpha"),
        "bias": cz.agreement(corpus, coefficient="bias"),
        "S_f": cz.agreement(corpus, "S_f", chance=cz.Simulate(draws=500), seed=3),
        "plain": cz.agreement(corpus, "S_f^B", chance=cz.Simulate(draws=200, variates=False), coefficient="pi"),
        "exact": cz.agreement(corpus, "S_f", chance="exact"),
        "pairwise": cz.pairwise(corpus, "WD"),
        "ordered": cz.pairwise(corpus, "pk(window=2)", ordered=True),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        return numbers()


NAMES = ["B", "S", "placement", "preset", "alpha", "bias", "S_f", "plain", "exact", "pairwise", "ordered"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["long", "short"])
def test_agreement_and_pairwise(name: str, form: str, results: dict[str, Any]) -> None:
    text = results[name].signature if form == "long" else cz.short_signature(results[name])
    outcome = cz.verify(text, people())
    assert (outcome.status, outcome.same) == ("verified", True), outcome.message
    assert outcome.message.startswith("verified: ")
    changed = cz.verify(text, moved())
    assert (changed.status, changed.same) == ("data", False)
    assert changed.message.startswith("different data: ")
    assert changed.actual_data == moved().fingerprint


def test_a_result_instead_of_its_signature(results: dict[str, Any]) -> None:
    assert cz.verify(results["B"], people()).status == "verified"


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_same_data_in_another_format_and_order(suffix: str, tmp_path: Path, results: dict[str, Any]) -> None:
    corpus = people()
    backwards = {item: dict(reversed(corpus.of_item(item).items())) for item in reversed(corpus.item_names)}
    path = tmp_path / f"renamed{suffix}"
    cz.write(cz.Corpus(backwards), path)
    for name in ("B", "pairwise"):
        outcome = cz.verify(results[name].signature, cz.read(path))
        if name == "B":
            assert outcome.status == "verified", outcome.message
        assert outcome.actual_data == corpus.fingerprint


@pytest.mark.parametrize("form", ["long", "short"])
def test_another_option_is_a_different_value(form: str, results: dict[str, Any]) -> None:
    text = results["B"].signature if form == "long" else cz.short_signature(results["B"])
    sign = ":" if form == "long" else "="
    assert f"n_t{sign}2" in text
    outcome = cz.verify(text.replace(f"n_t{sign}2", f"n_t{sign}3"), people())
    assert outcome.status == "value"
    assert outcome.recomputed == cz.agreement(people(), "B(n_t=3)").value
    assert outcome.message.startswith("different value: the signature says multi_pi over B(n_t=3) = 0.6239, but it is")


@pytest.mark.parametrize(
    ("version", "relation"), [("99.0.0", "a later version than"), ("0.0.1", "an earlier version than")]
)
def test_another_version(version: str, relation: str, results: dict[str, Any]) -> None:
    long, short = results["B"].signature, cz.short_signature(results["B"])
    for text in (long.replace(f":{cz.__version__}", f":{version}"), short.replace(f" {cz.__version__}", f" {version}")):
        outcome = cz.verify(text, people())
        assert (outcome.status, outcome.same) == ("version", True)
        assert outcome.message.startswith("different version: same value")
        assert f"caesura {version}, {relation} {cz.__version__}." in outcome.message


def test_the_printed_digits_count(results: dict[str, Any]) -> None:
    text = cz.short_signature(results["B"])
    assert " = .6239 " in text
    assert cz.verify(text.replace(".6239", ".62"), people()).status == "verified"
    assert cz.verify(text.replace(".6239", ".6240"), people()).status == "value"
    assert cz.verify(text.replace(".6239", "0.6239"), people()).status == "verified"


MEASURES = tuple(map(cz.parse, ("B", "S", "Pk", "WD", "WinPR", "crisp", "unit_error", "S_f", "boundary_confusion")))


@given(corpora(max_documents=4, max_units=12))
@examples(25)
def test_scores_of_two_coders_in_any_order(documents: list[Pair]) -> None:
    sides: list[dict[str, Any]] = [{}, {}]
    for i, pair in enumerate(documents):
        for side, segmentation in zip(sides, pair.segmentations, strict=True):
            side[f"d{i}"] = segmentation
    first, second = (
        cz.Corpus({item: {name: text} for item, text in side.items()}) for side, name in zip(sides, "ab", strict=True)
    )
    both = cz.Corpus({item: {"b": sides[1][item], "a": sides[0][item]} for item in reversed(list(sides[0]))})
    for score in score_corpora(first, second, ScoreOptions(measures=MEASURES)).totals:
        for text in (score.signature, cz.short_signature(score)):
            assert cz.verify(text, first, second).status == "verified"
            assert cz.verify(text, second, first).status == "verified"
            assert cz.verify(text, both).status == "verified"


def test_a_score_among_several_coders() -> None:
    corpus = people()
    options = ScoreOptions(measures=(cz.parse("B"),), reference_coder="cy", hypothesis_coder="ann")
    (score,) = score_corpora(corpus, corpus, options).totals
    assert cz.verify(score.signature, corpus).status == "verified"
    assert cz.verify(score.signature, corpus.select(coders=["ann", "bo"])).status == "data"
    with pytest.raises(OptionError, match="expected two coders"):
        cz.verify(score.signature, corpus.select(coders=["ann"]))


def test_judged_systems() -> None:
    systems = {
        "mine": cz.read(DATA / "mine.json").of_coder("mine"),
        "theirs": cz.read(DATA / "theirs.json").of_coder("theirs"),
    }
    judgement = cz.judge(people(), systems, bounds=False)
    for row in judgement.rows:
        for text in (row.score.signature, cz.short_signature(row.score)):
            assert cz.verify(text, people(), systems=systems).status == "verified"
            assert cz.verify(text, moved(), systems=systems).status == "data"
    text = judgement.rows[0].score.signature
    together = cz.Corpus(
        {item: {**people().of_item(item), "mine": systems["mine"][item]} for item in people().item_names}
    )
    assert cz.verify(text, together).status == "verified"
    with pytest.raises(OptionError, match="about the system 'mine', which is not among the coders: 'ann', 'bo', 'cy'"):
        cz.verify(text, people())
    with pytest.raises(OptionError, match="about the system 'mine'; got 'theirs'"):
        cz.verify(text, people(), systems={"theirs": systems["theirs"]})
    with pytest.raises(OptionError, match="a whole result of judge has no single value"):
        cz.verify(judgement, people())


def test_evaluations_small_and_large(monkeypatch: pytest.MonkeyPatch) -> None:
    path = DATA / "documents.jsonl"
    evaluation = cz.evaluate(path, ["B", "pk"])
    for score in evaluation.values():
        assert cz.verify(score, cz.read(path)).status == "verified"
        assert cz.verify(score, path).status == "verified"
    assert evaluation.data == cz.read(path).fingerprint
    monkeypatch.setattr("caesura.evaluation.run.MAX_FINGERPRINT", 2)
    large = cz.evaluate(path, ["B"])
    assert large.data is None
    outcome = cz.verify(large["boundary_similarity"], path)
    assert outcome.status == "verified"
    assert outcome.message.endswith("The data were not compared: this number has no fingerprint.")
    with pytest.raises(OptionError, match="a whole result of evaluate has no single value"):
        cz.verify(large, path)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_the_fingerprint_of_a_collection_does_not_depend_on_partitions(engine: str) -> None:
    def documents() -> list[tuple[str, cz.Segmentation, cz.Segmentation]]:
        return [(f"d{i}", masses([i + 1, 5]), masses([5, i + 1])) for i in range(30)]

    corpus = cz.Corpus({item: {"reference": a, "hypothesis": b} for item, a, b in documents()})
    assert cz.evaluate(corpus, "pk", engine=engine).data == corpus.fingerprint


def test_what_cannot_be_verified() -> None:
    from caesura.agreement.cochran import cochran_q

    score = cz.boundary_similarity(masses([2, 3]), masses([3, 2]))
    with pytest.raises(OptionError, match=r"it lacks data:\.\.\.; value:\.\.\."):
        cz.verify(score, people())
    assert cz.short_signature(score) == f"B(n_t=2) = .5000 · caesura {cz.__version__}"
    with pytest.raises(OptionError, match="cut off or incomplete"):
        cz.verify(cochran_q(people()).signature, people())
    with pytest.raises(OptionError, match="a signature of 'unify' cannot be verified"):
        cz.verify(f"unify|data:0123456789abcdef|value:0.5|caesura:{cz.__version__}", people())
    with pytest.raises(OptionError, match="expected a signature, or a result that has one; got int"):
        cz.verify(3, people())  # type: ignore[arg-type]


def test_recordings_are_compared_over_common_units() -> None:
    """A score, an agreement and a system on tiers in seconds; a boundary moved by a second is different data."""

    def recording(shift: float = 0.0) -> cz.Corpus:
        tiers = {
            coder: cz.Tier([(0, end + shift * (coder == "b"), "x"), (end + shift * (coder == "b"), 9, "y")])
            for coder, end in (("a", 3.0), ("b", 4.0), ("c", 3.5))
        }
        return cz.Corpus({"song": tiers, "talk": tiers})

    study = agree(recording())
    assert study.signature is not None
    assert cz.verify(study.signature, recording()).status == "verified"
    assert cz.verify(study.signature, recording(1.0)).status == "data"
    first, second = recording().select(coders=["a"]), recording().select(coders=["b"])
    for score in score_corpora(first, second).totals:
        assert cz.verify(score, first, second).status == "verified"
        assert cz.verify(score, second, first).status == "verified"


def test_types_and_their_order() -> None:
    def typed(*types: str) -> cz.Corpus:
        marks = {"a": ["", "x", "", "y", ""], "b": ["", "y", "x", "", ""], "c": ["", "z", "", "y", ""]}
        return cz.Corpus({"t": {coder: cz.Segmentation.from_marks(row, types=types) for coder, row in marks.items()}})

    result = cz.agreement(typed("x", "y", "z"))
    assert cz.verify(result, typed("x", "y", "z")).status == "verified"
    assert cz.verify(result, typed("x", "z", "y")).status == "value"  # the scale is an option, not data


# -- the command --------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in DATA.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = {
    "score reference.bits hypothesis.bits": "hypothesis.bits reference.bits",
    "score gold.ptb parser.ptb": "gold.ptb parser.ptb",
    "agree people.json": "people.json",
    "agree annotators.json": "annotators.json",
    "agree talk.csv": "talk.csv",
    "pairwise people.json": "people.json",
    "judge people.json --system mine.json --system theirs.json": "people.json --system theirs.json --system mine.json",
    "evaluate documents.jsonl": "documents.jsonl",
    "trees gold.ptb parser.ptb": "gold.ptb parser.ptb",
    "agree ann.csv bo.csv cy.csv": "cy.csv ann.csv bo.csv",
    "agree readers.json --group x=1,2 --group y=3,4": "readers.json",
    "agree annotators.json --hierarchy-level 2": "annotators.json",
    "score annotators.json --reference ann --hypothesis bo --hierarchy-level 2": "annotators.json",
    "judge annotators.json --system cy --hierarchy-level 2": "annotators.json",
    "disagreements people.json": "people.json",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_json_of_a_command(command: str, folder: Path) -> None:
    Path("result.json").write_text(invoke([*command.split(), "--json"]).stdout)
    outcome = invoke(["verify", "result.json", *COMMANDS[command].split(), "--json"])
    assert outcome.exit_code == 0, outcome.output
    results = json.loads(outcome.stdout)["results"]
    assert {entry["status"] for entry in results["verifications"]} == {"verified"}
    text = invoke(["verify", "result.json", *COMMANDS[command].split()]).stdout
    assert text.startswith(("All ", "verified: "))


def test_exit_codes(folder: Path) -> None:
    line = json.loads(invoke("agree people.json --json").stdout)["signature"]
    assert invoke(["verify", line, "people.json"]).exit_code == 0
    assert invoke("convert people.json other.csv").exit_code == 0
    assert invoke(["verify", line, "other.csv"]).exit_code == 0
    later = invoke(["verify", line.replace(f"caesura:{cz.__version__}", "caesura:9.9.9"), "people.json"])
    assert later.exit_code == 0
    assert later.stdout.startswith("different version: same value")
    for wrong, words in (
        (line.replace("n_t:2", "n_t:3"), "different value"),
        (line.replace("|data:8", "|data:0"), "different data"),
    ):
        outcome = invoke(["verify", wrong, "people.json"])
        assert outcome.exit_code == 1
        assert outcome.stdout.startswith(words)
        envelope = json.loads(invoke(["verify", wrong, "people.json", "--json"]).stdout)
        assert envelope["data"] == people().fingerprint
    cut = invoke(["verify", line[:-12], "people.json"])
    assert cut.exit_code == 1
    assert "the signature is cut off or incomplete; it lacks caesura:VERSION" in cut.stderr
    assert cut.stdout == ""


def test_unreadable_items_do_not_change_the_answer(folder: Path) -> None:
    """They are listed, as by the command that computed the number."""
    Path("masses.json").write_text(
        '{"items": {"x": {"a": [2, 3, 1], "b": [1, 4, 1]}, "y": {"a": [2, 0], "b": [1, 1]}}}'
    )
    computed = invoke("score masses.json --json")
    Path("result.json").write_text(computed.stdout)
    outcome = invoke("verify result.json masses.json")
    assert (computed.exit_code, outcome.exit_code) == (1, 0)
    assert outcome.stdout.startswith("All 4 numbers are verified")
    assert "a mass must be a whole number" in outcome.stderr


def test_files_that_are_not_results(folder: Path) -> None:
    for name, problem in (
        ("missing.json", "missing.json: expected the JSON of a result"),
        ("people.json", "the JSON has no number that can be verified"),
        ("talk.csv", "talk.csv: expected the JSON of a result"),
    ):
        outcome = invoke(["verify", name, "people.json"])
        assert (outcome.exit_code, outcome.stdout) == (1, "")
        assert problem in outcome.stderr


def test_numbers_that_need_other_files_are_listed() -> None:
    judgement = cz.judge(people(), cz.read(DATA / "mine.json"), bounds=False).to_dict()
    mixed = {"judge": judgement, "agree": cz.agreement(people()).to_dict()}
    outcome = verify_all(mixed, people())
    assert outcome.status == "verified"
    assert len(outcome.verifications) == 1
    assert "the system 'mine', which is not among the coders" in outcome.excluded[0].reason
