"""An input that needs too much memory, depth or too large numbers costs its item, which the message names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura.agreement.gamma import Gamma
from caesura.agreement.unitized_alpha import AlphaU2004, UAlpha
from caesura.cli import main
from caesura.errors import ResourceError, own_errors
from caesura.gold import linear
from caesura.measures.base import BatchCounts
from caesura.measures.boundary import BoundarySimilarity
from caesura.model.batch import Batch

LARGE = 97
"""Length of the item that is too large in these tests."""


def study() -> cz.Corpus:
    """Return three items; the second one has ``LARGE`` units."""
    masses = {"a": ([2, 3, 6], [3, 2, 6]), "b": ([50, LARGE - 50], [49, LARGE - 49]), "c": ([4, 4], [3, 5])}
    return cz.Corpus(
        {
            item: {coder: cz.Segmentation.from_masses(side) for coder, side in zip(("ann", "bo"), sides, strict=True)}
            for item, sides in masses.items()
        }
    )


def without_large() -> cz.Corpus:
    return study().select(items=("a", "c"))


@pytest.fixture(params=[MemoryError, OverflowError, RecursionError])
def too_large(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let B fail in a batch with the large item, as it would without memory for it."""
    count: Callable[[BoundarySimilarity, Batch], BatchCounts] = BoundarySimilarity.count

    def fail(self: BoundarySimilarity, batch: Batch) -> BatchCounts:
        if LARGE in batch.length:
            raise request.param
        return count(self, batch)

    monkeypatch.setattr(BoundarySimilarity, "count", fail)


@pytest.mark.usefixtures("too_large")
def test_score_many_scores_the_other_pairs() -> None:
    corpus = study()
    pairs = [(corpus[item, "ann"], corpus[item, "bo"]) for item in corpus.item_names]
    scores = cz.score_many(pairs, "boundary_similarity")
    assert list(scores.errors) == [1]
    assert isinstance(scores.errors[1], ResourceError)
    assert scores.values[[0, 2]].tolist() == [float(cz.boundary_similarity(*pairs[i])) for i in (0, 2)]
    with pytest.raises(ResourceError, match=r"^boundary_similarity: "):
        cz.boundary_similarity({"speaker": pairs[1][0]}, {"speaker": pairs[1][1]})


@pytest.mark.usefixtures("too_large")
def test_agreement_names_the_item() -> None:
    result = cz.agreement(study(), measure="boundary_similarity", interval=None)
    assert [entry.item for entry in result.excluded] == ["b"]
    assert result.value == cz.agreement(without_large(), measure="boundary_similarity", interval=None).value


@pytest.mark.usefixtures("too_large")
def test_evaluate_names_the_document_and_does_not_record_its_absence(tmp_path: Path) -> None:
    for corpus, name in ((study(), "all.jsonl"), (without_large(), "rest.jsonl")):
        cz.write(corpus, tmp_path / name, reference="ann", hypothesis="bo")
    path, kept = str(tmp_path / "all.jsonl"), tmp_path / "kept"
    with cz.collect_warnings():
        result = cz.evaluate(path, ["B", "pk"], checkpoint=kept)
        expected = cz.evaluate(str(tmp_path / "rest.jsonl"), "B")
    assert [entry.item for entry in result.excluded] == ["b"]
    assert result["boundary_similarity"].parts == expected["boundary_similarity"].parts
    assert list((kept / "done").glob("*")) == []  # the next run may have more memory


@pytest.mark.usefixtures("too_large")
def test_commands_name_the_item(tmp_path: Path) -> None:
    path = str(tmp_path / "corpus.json")
    cz.write(study(), path)
    result = CliRunner().invoke(main, ["score", path, "--reference", "ann", "--hypothesis", "bo", "-m", "B"])
    assert result.exit_code == 1
    assert "item 'b'" in result.output
    assert "0.6667" in result.output  # items a and c: 1 - (1/2 + 1/2) / 3, two transpositions and one match


def test_gold_names_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = linear._decision

    def fail(text: Any, *arguments: Any) -> Any:
        if text.item == "b":
            raise MemoryError
        return decide(text, *arguments)

    monkeypatch.setattr(linear, "_decision", fail)
    result = cz.gold(study())
    assert [(entry.item, entry.reason.split(";")[0]) for entry in result.excluded] == [
        ("b", "it needs more memory than is available")
    ]
    assert result.corpus.item_names == ("a", "c")


@pytest.mark.parametrize(("kind", "method"), [(Gamma, "all_parts"), (UAlpha, "all_parts"), (AlphaU2004, "group_parts")])
def test_coefficients_of_spans_name_the_item(kind: type, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def spans(*rows: tuple[int, int, str]) -> cz.Spans:
        return cz.Spans(list(rows), length=LARGE if rows[0][1] == 33 else 50)

    def corpus(*items: str) -> cz.Corpus:
        sides = {
            "a": (spans((1, 10, "x"), (20, 30, "y")), spans((2, 10, "x"), (20, 31, "x"))),
            "b": (spans((1, 33, "x")), spans((1, 33, "y"))),
            "c": (spans((5, 10, "y"), (25, 30, "y")), spans((5, 11, "y"), (26, 30, "x"))),
        }
        return cz.Corpus({item: dict(zip(("ann", "bo"), sides[item], strict=True)) for item in items})

    compute = getattr(kind, method)

    def fail(self: Any, jobs: Any, *arguments: Any) -> Any:
        parts = [job.item for job in (jobs if isinstance(jobs, list) else [jobs])]
        if any(part.bounds[1] == LARGE for part in parts):
            raise MemoryError
        return compute(self, jobs, *arguments)

    monkeypatch.setattr(kind, method, fail)
    with cz.collect_warnings():
        result = cz.agreement(corpus("a", "b", "c"), coefficient=kind(), interval=None)
        expected = cz.agreement(corpus("a", "c"), coefficient=kind(), interval=None)
    assert [entry.item for entry in result.excluded] == ["b"]
    assert result.value == expected.value


def test_the_caller_may_add_the_place() -> None:
    with pytest.raises(ResourceError, match=r"^a number is too large to compute with"), own_errors():
        float(10**400)
