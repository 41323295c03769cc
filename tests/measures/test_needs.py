"""Laws over the registry: whatever two things a measure gets, it gives a score or one error that names the way out."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import caesura as cz
from caesura.errors import CaesuraError

KINDS = cz.measures()
WORDS = ["good", "night", "moon", "and", "stars", "too"]

# One annotation of every shape on every axis, about the same six units or six seconds where that is possible.
ANNOTATIONS: dict[str, Any] = {
    "marks": cz.Segmentation.from_masses([2, 4]),
    "marks with units": cz.Segmentation.from_masses([3, 3], units=WORDS),
    "types": cz.Segmentation.from_marks(["", ",", "", ".", "", "."]),
    "labels": cz.Segmentation.from_labels(list("aabbba")),
    "other length": cz.Segmentation.from_masses([2, 6]),
    "other units": cz.Segmentation.from_masses([2, 4], units=WORDS[::-1]),
    "one unit": cz.Segmentation.from_masses([1]),
    "tier": cz.Tier([(0, 2, "a"), (2, 6, "b")]),
    "tier with gap": cz.Tier([(1, 2, "a"), (3, 4, "b")], end=6),
    "longer tier": cz.Tier([(0, 2, "a"), (2, 7, "b")]),
    "points": cz.Segmentation.from_times([2, 4.5], duration=6),
    "points at the ends": cz.Tier(points=[(0, "x"), (3, "y"), (6, "z")], end=6),
    "unknown end": cz.Tier(points=[(1, "x"), (4, "y")], open_end=True),
    "hierarchy": cz.Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2)]),
    "flat hierarchy": cz.Hierarchy(6, [(1, 2, 1, "a"), (3, 6, 1, "b")]),
    "crossing levels": cz.Hierarchy(6, [(1, 3, 1, "a"), (4, 6, 1, "b"), (2, 5, 2, "c")], nested=False),
    "hierarchy in seconds": cz.Hierarchy.from_times([(0, 6, 1, "A"), (0, 2.5, 2, "a"), (2.5, 6, 2, "b")]),
    "spans": cz.Spans([(0, 2, "PER"), (3, 6, "ORG")], length=6),
    "crossing spans": cz.Spans([(0, 4, "PER"), (2, 6, "ORG")], length=6),
    "spans in seconds": cz.Spans([(0, 2.5, "laugh")], seconds=True, bounds=(0, 6)),
    "tree": cz.Tree.from_brackets("(S (NP (D the) (N moon)) (VP (V shines)))"),
    "dialogue": cz.Dialogue({"A": cz.Segmentation.from_masses([1, 2]), "B": cz.Segmentation.from_masses([2, 1])}),
    "other streams": cz.Dialogue({"A": cz.Segmentation.from_masses([1, 2])}),
    "coders' marks": cz.Marks([0, 1, 2, 0, 1], 3),
    "scores": cz.BoundaryScores([0.1, 0.9, 0.3, 0.2, 0.7]),
    "list": [0, 1, 0, 0, 1],
    "text": "010011",
    "None": None,
}


def outcome(measure: Any, a: Any, b: Any) -> tuple[str, Any]:
    """Return the value, or the class and the text of the error."""
    try:
        return "value", measure.score(a, b).value
    except CaesuraError as error:
        return type(error).__name__, str(error)


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_measure_scores_or_explains(name: str) -> None:
    measure = KINDS[name]()
    accepted = set()
    for (first, a), (second, b) in product(ANNOTATIONS.items(), repeat=2):
        kind, result = outcome(measure, a, b)
        pair = f"{name}: {first} / {second}: {result}"
        if kind == "value":
            accepted |= {first, second}
            continue
        assert len(result) > 20, pair
        assert "\n" not in result, pair
        batch = cz.score_many([(a, b)], measure)
        assert len(batch.errors) == 1, pair
        assert str(batch.errors[0]) == result, pair
    assert accepted, name


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("name", sorted(KINDS))
def test_one_bad_pair_costs_no_other(name: str) -> None:
    """A good pair among all sorts of bad ones has the value that it has alone."""
    measure = KINDS[name]()
    for good, annotation in ANNOTATIONS.items():
        if outcome(measure, annotation, annotation)[0] != "value":
            continue
        bad = [(annotation, ANNOTATIONS[other]) for other in ("list", "None", "text", "tree", "other streams")]
        bad = [pair for pair in bad if outcome(measure, *pair)[0] != "value"]
        scores = cz.score_many([(annotation, annotation), *bad], measure)
        assert set(scores.errors) == set(range(1, len(bad) + 1)), good
        assert scores[0].value == measure.score(annotation, annotation).value, good


@pytest.mark.parametrize(
    ("reference", "scores", "hint"),
    [
        ("marks", cz.BoundaryScores.from_pairs([(2, 0.9), (4, 0.1)]), "give reference in seconds, too"),
        (
            "tier",
            cz.BoundaryScores([0.1, 0.9, 0.3, 0.2, 0.7]),
            "give each score its time with BoundaryScores.from_pairs",
        ),
    ],
)
def test_scores_on_the_other_axis_have_their_own_hint(reference: str, scores: Any, hint: str) -> None:
    kind, message = outcome(KINDS["average_precision"](), ANNOTATIONS[reference], scores)
    assert (kind, message.endswith(hint)) == ("MismatchError", True), message
