"""S_f and S_f^B: every small pair by exhaustive search, laws, tables, streams, matrices, draws."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraWarning, FormatError, MismatchError, OptionError
from caesura.measures.flexible import DRAW_COLUMNS, FlexibleSimilarity
from oracle.flexible import ONE, Oracle, runs
from support.examples import examples
from support.random_states import state

flexible = cz.flexible_similarity

# The case study's matrix (section 4.2 in words), order . , ? -- ; none.
CASE = {
    "types": [".", ",", "?", "--", ";"],
    "matrix": [
        [1, 0.5, 0.25, 0.25, 1, 0],
        [0.5, 1, 0.5, 0.5, 1, 0.25],
        [0.25, 0.5, 1, 0.25, 1, 0],
        [0.25, 0.5, 0.25, 1, 1, 0.25],
        [1, 1, 1, 1, 1, 1],
        [0, 0.25, 0, 0.25, 1, 1],
    ],
}
# Asymmetric, and within the triangle 1 - s[x, y] <= deletion + insertion.
SKEW = {"types": ["p", "q"], "matrix": [[1, 0.6, 0.25], [0.3, 1, 0], [0.1, 0.45, 1]]}


def marks(drawing: str, types: Sequence[str] = ("p", "q", "r")) -> cz.Segmentation:
    """``p . q``: a mark a unit, a dot for none."""
    return cz.Segmentation.from_marks([mark.strip(".") for mark in drawing.split()], types=types)


def of(texts: Sequence[str | None], types: Sequence[str]) -> cz.Segmentation:
    return cz.Segmentation.from_marks(texts, types=types)


def numbers(score: cz.Score) -> tuple[float, int, int, int, int]:
    """Cost, objects, pairs, insertions, deletions."""
    kinds = Counter(e.kind for e in score.edits)
    alone = kinds["insertion"] + kinds["deletion"]
    return score.parts["cost"], score.parts["objects"], kinds.total() - alone, kinds["insertion"], kinds["deletion"]


@pytest.mark.parametrize(
    ("a_marks", "b_marks", "pardist", "swapped", "minimum"),
    [("p p . .", ". . p p", 2.0, 2.5, 2.0), ("p . .", ". q p", 2.5, 2.5, 2.0)],
)
def test_published_recursion_is_neither_minimal_nor_symmetric(
    a_marks: str, b_marks: str, pardist: float, swapped: float, minimum: float
) -> None:
    a, b = marks(a_marks), marks(b_marks)
    assert flexible(a, b, transposition=0.5).parts["cost"] == minimum
    assert flexible(b, a, transposition=0.5).parts["cost"] == minimum
    assert flexible(a, b, transposition=0.5, algorithm="pardist").parts["cost"] == pardist
    assert flexible(b, a, transposition=0.5, algorithm="pardist").parts["cost"] == swapped


def test_forced_pairs_are_never_reinterpreted() -> None:
    # q p .
    # . q p     moving both by one would cost 1
    score = flexible(marks("q p ."), marks(". q p"))
    assert score.parts["cost"] == 3
    assert [e.kind for e in score.edits] == ["deletion", "substitution", "insertion"]


def test_example_of_section_3_2() -> None:
    a, b = marks("p . p . . q"), marks("q . p p . p")
    score = flexible(a, b)
    expected = [("substitution", 1, 1), ("match", 3, 0), ("insertion", 4, 1), ("substitution", 6, 1)]
    assert [(e.kind, e.position, e.cost) for e in score.edits] == expected
    assert score.parts == {"cost": 3, "positions": 6, "objects": 4}
    assert score.value == 0.5
    assert flexible(a, b, normalize="boundaries").value == 0.25
    assert score.parts["s_f_b"] == 0.25


def test_moved_and_substituted_pair_counts_as_one_object() -> None:
    a, b = marks("p . ."), marks(". q .")
    score = flexible(a, b)
    assert score.parts == {"cost": 1.5, "positions": 3, "objects": 1}
    (edit,) = score.edits
    expected = ("transposition with substitution", 1, 2, "p", "q", 1.5)
    assert (edit.kind, edit.a_position, edit.b_position, edit.a_type, edit.b_type, edit.cost) == expected
    assert score.parts["s_f_b"] == -0.5
    assert flexible(a, b, compat="segsimflex").parts["objects"] == 2


def test_ties_prefer_more_objects() -> None:
    # Moving by 4 costs 2, as deletion and insertion do: no pair.
    assert numbers(flexible(marks("p . . . ."), marks(". . . . p"))) == (2, 2, 0, 1, 1)
    assert numbers(flexible(marks("p . . ."), marks(". . . p"))) == (1.5, 1, 1, 0, 0)


def test_end_of_text_counts_as_a_boundary() -> None:
    assert flexible(marks("p"), marks("q")).parts == {"cost": 1, "positions": 1, "objects": 1}
    assert flexible(cz.Segmentation.from_masses([2, 2]), cz.Segmentation.from_bits("010")).parts["positions"] == 4
    assert flexible(cz.Segmentation.from_masses([2, 2]), cz.Segmentation.from_marks(["", 1, "", ""])).parts["cost"] == 1


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
def test_no_coder_placed_a_boundary(normalize: str) -> None:
    a = cz.Segmentation.from_masses([5])
    score = flexible(a, a, normalize=normalize)
    assert score.value == 1
    assert score.parts == {"cost": 0, "positions": 5, "objects": 0}
    assert score.edits == ()


TWO = ("p", "q")
SETTINGS: list[dict[str, Any]] = [
    {},
    {"transposition": 0.3},
    {"transposition": {"p": 0.25, "q": 0.0}},
    {"similarity": SKEW},
    {"similarity": SKEW, "transposition": {"p": 0.2, "q": 0.5}},
    {"similarity": {("p", "q"): 0.75, ("q", "none"): 0.5}},
]


def oracle_of(options: dict[str, Any], types: Sequence[str] = TWO) -> Oracle:
    similarity = options.get("similarity")
    matrix = None
    if similarity is not None:
        matrix = [
            list(map(float, row)) for row in FlexibleSimilarity(**options).costs(tuple(types)).similarity.tolist()
        ]
    return Oracle(types, matrix, options.get("transposition"))


def agree(options: dict[str, Any], pairs: Sequence[tuple[Sequence[str | None], Sequence[str | None]]]) -> None:
    oracle = oracle_of(options)
    cache: dict[Any, cz.Segmentation] = {}
    texts = [tuple(cache.setdefault(tuple(text), of(text, TWO)) for text in pair) for pair in pairs]
    scores = cz.score_many(texts, FlexibleSimilarity(**options))
    assert not scores.errors
    for pair, (cost, positions, objects) in zip(pairs, scores.counts.tolist(), strict=True):
        expected, most = oracle.score(*pair)
        assert positions == len(pair[0])
        assert (pytest.approx(expected, abs=1e-10), most) == (cost, objects), pair


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_every_pair_of_up_to_four_positions(length: int, options: dict[str, Any]) -> None:
    texts = list(itertools.product([None, *TWO], repeat=length))
    agree(options, list(itertools.product(texts, texts)))


@pytest.mark.parametrize(
    ("length", "options"), [(5, SETTINGS[4]), pytest.param(6, SETTINGS[0], marks=pytest.mark.slow)]
)
def test_every_pair_of_five_and_six_positions(length: int, options: dict[str, Any]) -> None:
    """531,441 pairs of six."""
    texts = list(itertools.product([None, *TWO], repeat=length))
    segmentations = [of(a_marks, TWO) for a_marks in texts]
    oracle = oracle_of(options)
    measure = FlexibleSimilarity(**options)
    for a_marks, a in zip(texts, segmentations, strict=True):
        counts = cz.score_many([(a, b) for b in segmentations], measure, workers=1).counts
        for b_marks, (cost, _, objects) in zip(texts, counts.tolist(), strict=True):
            expected, most = oracle.score(a_marks, b_marks)
            assert abs(expected - cost) < 1e-10, (a_marks, b_marks)
            assert most == objects, (a_marks, b_marks)


@pytest.mark.slow
@pytest.mark.parametrize(("length", "options"), [(6 if k == 4 else 5, options) for k, options in enumerate(SETTINGS)])
def test_every_run(length: int, options: dict[str, Any]) -> None:
    """Nothing shared: the alignment alone."""
    cells = [(None, None), *((x, None) for x in TWO), *((None, y) for y in TWO)]
    agree(options, [tuple(zip(*run, strict=True)) for run in itertools.product(cells, repeat=length)])


def random_text(rng: random.Random, length: int, types: Sequence[str], density: float) -> list[str | None]:
    return [rng.choice(types) if rng.random() < density else None for _ in range(length)]


@pytest.mark.parametrize("options", SETTINGS)
def test_random_longer_texts(options: dict[str, Any]) -> None:
    rng = random.Random(7)
    sizes = [(rng.randint(7, 16), rng.choice([0.2, 0.4])) for _ in range(150)]
    agree(options, [(random_text(rng, n, TWO, p), random_text(rng, n, TWO, p)) for n, p in sizes])


Problem = tuple[list[str | None], list[str | None], list[str], dict[str, Any]]

costs = st.integers(0, 100).map(lambda n: n / 100)


@st.composite
def excluded(draw: st.DrawFn) -> Problem:
    """Two texts, a matrix and c, all of two decimals, so that fractions and multiples of 1e-12 agree."""
    types = ["p", "q", "r"][: draw(st.integers(1, 3))]
    T = len(types)  # noqa: N806
    matrix = [[1 if i == j else draw(costs.filter(lambda s: s < 1)) for j in range(T + 1)] for i in range(T + 1)]
    c = draw(st.one_of(st.none(), costs.map(lambda x: 2 * x), st.fixed_dictionaries(dict.fromkeys(types, costs))))
    length = draw(st.integers(1, 14))
    a_marks, b_marks = (
        draw(st.lists(st.sampled_from([None, None, *types]), min_size=length, max_size=length)) for _ in "ab"
    )
    similarity = None if draw(st.booleans()) else {"types": types, "matrix": matrix}
    return a_marks, b_marks, types, {"similarity": similarity, "transposition": c}


@given(excluded())
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_cost_objects_and_pairs_match_the_definition(problem: Problem) -> None:
    a_marks, b_marks, types, options = problem
    oracle = Oracle(types, options["similarity"] and options["similarity"]["matrix"], options["transposition"])
    score = flexible(of(a_marks, types), of(b_marks, types), **options)
    expected, objects = oracle.score(a_marks, b_marks)
    assert score.parts["cost"] == pytest.approx(expected, abs=1e-10)
    assert score.parts["objects"] == objects == len(score.edits)
    assert math.fsum(e.cost for e in score.edits) == pytest.approx(expected, abs=1e-9)
    # The rule of the way back.
    pairs = [(y[0] - x[0], x[1], y[1]) for run in runs(a_marks, b_marks) for x, y in oracle.trace(*run)]
    moved = [(e.b_position - e.a_position, e.a_type, e.b_type) for e in score.edits if e.kind.startswith("trans")]
    assert moved == pairs


@given(excluded())
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_swap_and_reversal_change_nothing(problem: Problem) -> None:
    a_marks, b_marks, types, options = problem
    score = numbers(flexible(of(a_marks, types), of(b_marks, types), **options))
    back = numbers(flexible(of(a_marks[::-1], types), of(b_marks[::-1], types), **options))
    assert score == back
    if options["similarity"]:
        transposed = [list(row) for row in zip(*options["similarity"]["matrix"], strict=True)]
        options = options | {"similarity": {"types": types, "matrix": transposed}}
    cost, objects, pairs, insertions, deletions = numbers(flexible(of(b_marks, types), of(a_marks, types), **options))
    assert score == (cost, objects, pairs, deletions, insertions)


@given(excluded())
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_laws(problem: Problem) -> None:
    a_marks, b_marks, types, options = problem
    a, b = of(a_marks, types), of(b_marks, types)
    score = flexible(a, b, **options)
    assert 0 <= score.parts["s_f"] <= 1
    assert -1 <= score.parts["s_f_b"] <= 1
    oracle = oracle_of(options, types)
    if all(c > 0 for c in oracle.c.values()):  # no entry off the diagonal is 1
        assert (score.parts["cost"] == 0) == (a_marks == b_marks)
    cost = oracle.cost
    if all(cost[x, y] <= cost[x, None] + cost[None, y] for x in types for y in types):
        unpaired_cost = sum(cost[x, None] for x in a_marks if x) + sum(cost[None, y] for y in b_marks if y)
        assert score.parts["cost"] <= unpaired_cost / ONE + 1e-9
    more = flexible({"1": a, "2": a}, {"1": b, "2": a}, **options)
    assert more.parts["s_f"] >= score.parts["s_f"]
    assert more.parts["s_f_b"] >= score.parts["s_f_b"]


@given(excluded())
def test_identity_matrix_with_expensive_moves_is_match_percentage(problem: Problem) -> None:
    a_marks, b_marks, types, _ = problem
    score = flexible(of(a_marks, types), of(b_marks, types), transposition=2)
    assert score.value == pytest.approx(sum(x == y for x, y in zip(a_marks, b_marks, strict=True)) / len(a_marks))


@given(excluded(), st.sampled_from(["pardist", "segsimflex"]))
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_edits_of_the_published_recursion_add_up(problem: Problem, which: str) -> None:
    a_marks, b_marks, types, options = problem
    how = {"algorithm": "pardist", "mover": "mean"} if which == "pardist" else {"compat": which, "mover": "mean"}
    if options["transposition"] is None:
        options["transposition"] = 0.5
    a, b = of(a_marks, types), of(b_marks, types)
    score = flexible(a, b, **options, **how)
    assert math.fsum(e.cost for e in score.edits) == pytest.approx(score.parts["cost"], abs=1e-9)
    twice = score.parts["objects"] - len(score.edits)
    assert twice == 0 if which == "pardist" else 0 <= twice <= sum("with" in e.kind for e in score.edits)
    assert flexible(a, b, **options).parts["cost"] <= score.parts["cost"] + 1e-9


def interleaved(n: int) -> tuple[cz.Segmentation, cz.Segmentation]:
    """One run of n boundaries on either side."""
    rng = np.random.default_rng(1)
    places = np.sort(rng.choice(np.arange(1, 6 * n + 1), 2 * n, replace=False))
    side = rng.permutation(np.repeat([False, True], n))
    kinds = [TWO[k] for k in rng.integers(0, 2, n)]
    a_marks, b_marks = (cz.Segmentation.from_positions(6 * n, places[s], marks=kinds, types=TWO) for s in (side, ~side))
    return a_marks, b_marks


@pytest.mark.parametrize("options", [{}, {"transposition": 0}, {"algorithm": "pardist"}, {"compat": "segsimflex"}])
def test_a_long_run(options: dict[str, Any]) -> None:
    score = flexible(*interleaved(5_000), **options)
    assert math.fsum(e.cost for e in score.edits) == pytest.approx(score.parts["cost"])
    assert score.parts["objects"] >= 5_000


@pytest.mark.slow
def test_a_run_of_half_a_million_is_linear() -> None:
    """A quadratic table would need a terabyte."""
    score = flexible(*interleaved(250_000), transposition=0.1)
    assert score.parts["objects"] < 500_000


def test_costs_with_many_digits_are_rejected_only_on_overflow() -> None:
    a, b = interleaved(10)
    measure = FlexibleSimilarity(similarity={("p", "q"): 1 / 3})
    assert measure.costs(TWO).scale == 10**12
    assert measure.costs(TWO).max_boundaries > 10**6
    assert measure.score(a, b).parts["objects"] > 0


def test_streams_are_scored_separately_and_pooled() -> None:
    # Between the streams nothing may move: the p at the end of F and the p at the beginning of M stay alone.
    a = {"F": marks(". . p"), "M": marks(". q .")}
    b = {"F": marks(". . ."), "M": marks("p q .")}
    score = flexible(a, b)
    expected = [("F", "deletion", 3, None), ("M", "insertion", None, 1), ("M", "match", 2, 2)]
    assert [(e.stream, e.kind, e.a_position, e.b_position) for e in score.edits] == expected
    assert score.parts == {"cost": 2, "positions": 6, "objects": 3}
    stream_scores = [flexible(a[s], b[s]) for s in a]
    assert sum(stream_scores).parts == score.parts
    assert flexible(dict(reversed(a.items())), b).parts == score.parts


@given(st.lists(excluded(), min_size=1, max_size=4))
@examples(50)
def test_dialogue_is_the_sum_of_its_streams(streams: list[Any]) -> None:
    a = {str(i): of(a_marks, types) for i, (a_marks, _, types, _) in enumerate(streams)}
    b = {str(i): of(b_marks, types) for i, (_, b_marks, types, _) in enumerate(streams)}
    score = flexible(a, b)
    scores = [flexible(a[s], b[s]) for s in a]
    assert score.parts == sum(scores).parts
    for s, a_marks in zip(a, scores, strict=True):
        mine = [e for e in score.edits if e.stream == s]
        assert [(e.kind, e.a_position, e.b_position, e.cost) for e in mine] == [
            (e.kind, e.a_position, e.b_position, e.cost) for e in a_marks.edits
        ]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ({"F": "p"}, {"F": "p", "M": "p"}, r"a: no stream 'M', which the other side has; it has 'F'"),
        ({"F": "p", "M": "p"}, {"F": "p"}, r"b: no stream 'M'"),
        ({"F": "p ."}, {"F": "p"}, r"stream 'F': both sides must have the same units; a has 2, b has 1"),
        ({}, {}, r"a: a dialogue must have at least one stream; got none"),
        ("p", {"F": "p"}, r"a: expected a mapping from streams to segmentations, because the other side has 'F'"),
        ("p", "p .", r"both sides must have the same units; a has 1, b has 2"),
        ({"F": 3}, {"F": "p"}, r"stream 'F': a: expected a Segmentation; got int"),
    ],
)
def test_incomparable_dialogues(a: Any, b: Any, message: str) -> None:
    def to_text(text: Any) -> Any:
        if isinstance(text, dict):
            return {name: to_text(stream) for name, stream in text.items()}
        return marks(text) if isinstance(text, str) else text

    with pytest.raises(MismatchError, match=message):
        flexible(to_text(a), to_text(b))


def test_units_must_be_equal() -> None:
    a = cz.Segmentation.from_marks(["p", ""], units=["so", "it"])
    b = cz.Segmentation.from_marks(["p", ""], units=["so", "is"])
    with pytest.raises(MismatchError, match=r"stream 'F': unit 2 differs: a has 'it', b has 'is'"):
        flexible({"F": a}, {"F": b})


def test_two_types_at_one_position() -> None:
    crowd = cz.Segmentation.from_sets([set(), {"p", "q"}, {"p"}, set()], types=["p", "q"])
    with pytest.raises(MismatchError, match=r"b: a position may have one type only; got 'p' and 'q' at position 2"):
        flexible(marks(". p . . ."), crowd)
    with pytest.raises(MismatchError, match=r"stream 'M': a: a position may have one type only; .* at position 2"):
        flexible({"F": marks("p"), "M": crowd}, {"F": marks("p"), "M": marks(". . . . .")})


def test_only_the_invalid_item_of_a_batch_fails() -> None:
    good, crowd = marks("p . q"), cz.Segmentation.from_sets([{"p", "q"}, set()], types=["p", "q"])
    strange = cz.Segmentation.from_marks(["", "!", ""])
    similarity = {"types": ["p", "q", "r"], "matrix": np.eye(4)}
    pairs = [(good, good), (good, crowd), (good, strange), ({"F": good}, {"M": good}), 5, (good, marks(". p q"))]
    scores = cz.score_many(pairs, FlexibleSimilarity(similarity=similarity))
    assert sorted(scores.errors) == [1, 2, 3, 4]
    assert "position 1" in str(scores.errors[1])
    assert "type '!' at position 2 is not in the similarity matrix; it has 'p', 'q', 'r'" in str(scores.errors[2])
    assert scores.values[[0, 5]].tolist() == [1, pytest.approx(1 - 0.5 / 3)]
    assert scores.total.parts == {"cost": 0.5, "positions": 6, "objects": 4}
    assert scores[5].edits[0].kind == "transposition"


def test_number_of_workers_does_not_change_results() -> None:
    rng = random.Random(3)
    pairs = []
    for _ in range(300):
        names = "FM"[: rng.randint(1, 2)]
        lengths = {s: rng.randint(1, 40) for s in names}
        pairs.append(tuple({s: of(random_text(rng, n, TWO, 0.4), TWO) for s, n in lengths.items()} for _ in "ab"))
    alone = [float(flexible(*pair)) for pair in pairs]
    assert cz.score_many(pairs, "flexible_similarity", workers=3).values.tolist() == alone
    assert cz.score_many(pairs, "flexible_similarity", workers=1).values.tolist() == alone


def test_identity_matrix_accepts_all_types() -> None:
    a, b = cz.Segmentation.from_marks(["", ",", "."]), cz.Segmentation.from_marks(["", "?", "."])
    score = flexible(a, b)
    assert score.types == (",", ".", "?")
    assert score.value == pytest.approx(2 / 3)
    both = score + flexible(cz.Segmentation.from_masses([2, 1]), cz.Segmentation.from_masses([3]))
    assert both.types == (",", ".", "?", "boundary")
    assert both.parts == {"cost": 2, "positions": 6, "objects": 3}
    # Declared in another order or with more names: still the same types.
    assert flexible(a.with_types([".", ","]), b.with_types(["?", "!", "."])).value == score.value


def test_equivalent_forms_of_a_matrix(tmp_path: Path) -> None:
    names = [".", ",", ";", "none"]
    rows = [[1, 0.5, 0.3, 0], [0.5, 1, 0.2, 0.25], [0.3, 0.2, 1, 0], [0, 0.25, 0, 1]]
    by_name = {x: dict(zip(names, row, strict=True)) for x, row in zip(names, rows, strict=True)}
    (tmp_path / "m.json").write_text(json.dumps({"types": names[:-1], "matrix": rows}))
    (tmp_path / "named.json").write_text(json.dumps(dict(reversed(by_name.items()))))
    triples = [[x, y, rows[i][j]] for i, x in enumerate(names) for j, y in enumerate(names) if i < j]
    (tmp_path / "pairs.json").write_text(json.dumps(triples))
    quoted = [f'"{x}"' for x in names]
    order = [2, 0, 3, 1]
    for suffix, sep in ((".csv", ","), (".tsv", "\t"), (".semi.csv", ";")):
        lines = [sep.join(["", *quoted])] + [sep.join([quoted[i], *map(str, rows[i])]) for i in order]
        (tmp_path / f"m{suffix}").write_text("\ufeff" + "\r\n".join(lines) + "\r\n", encoding="utf-8")
    whole = FlexibleSimilarity(similarity={"types": names[:-1], "matrix": rows})
    assert FlexibleSimilarity(similarity={"types": names, "matrix": np.array(rows)}) == whole
    assert FlexibleSimilarity(similarity=tmp_path / "m.json") == whole
    assert FlexibleSimilarity(similarity=by_name) == whole

    def table(measure: FlexibleSimilarity) -> dict[tuple[str, str], float]:
        types = measure["similarity"][0] if measure.fixed_types else (".", ",", ";")
        s = measure.costs(types).similarity
        return {(x, y): s[i, j] for i, x in enumerate((*types, "none")) for j, y in enumerate((*types, "none"))}

    pairs = {(x, y): s for x, y, s in triples}
    forms = ["named.json", "pairs.json", "m.csv", "m.tsv", "m.semi.csv"]
    for form in [*[str(tmp_path / name) for name in forms], pairs, triples]:
        assert table(FlexibleSimilarity(similarity=form)) == table(whole), form


def with_entry(i: int, j: int, value: Any) -> dict[str, Any]:
    rows: list[list[Any]] = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
    rows[i][j] = value
    return {"types": ["p", "q"], "matrix": rows}


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (with_entry(0, 1, 1.5), r"similarity\['p', 'q'\] must be a number from 0 to 1; got 1.5"),
        (with_entry(2, 0, -0.1), r"similarity\['none', 'p'\] must be a number from 0 to 1; got -0.1"),
        (with_entry(0, 2, math.nan), r"similarity\['p', 'none'\] must be a number; got nan"),
        (with_entry(0, 2, math.inf), r"must be a number from 0 to 1; got inf"),
        (with_entry(0, 2, "0.5"), r"similarity\['p', 'none'\] must be a number; got '0.5'"),
        (with_entry(0, 2, None), r"must be a number; got None"),
        (with_entry(1, 1, 0.999999), r"similarity\['q', 'q'\]: the diagonal must be exactly 1; got 0.999999"),
        (with_entry(2, 2, 0), r"similarity\['none', 'none'\]: the diagonal must be exactly 1; got 0"),
        ({"types": ["p", "q"], "matrix": [[1, 0], [0, 1]]}, "must have 3 rows, one for each of 2 types and a last"),
        ({"types": ["p"], "matrix": [[1, 0], [0]]}, r"similarity\['none'\]: a row must have 2 numbers.*; got 1"),
        ({"types": ["p"], "matrix": [[1, 0], 7]}, r"similarity\['none'\]: expected a row of 2 numbers; got 7"),
        ({"types": ["p", "p"], "matrix": np.eye(3)}, r"a type may be named only once; got 'p' again"),
        ({"types": ["none", "p"], "matrix": np.eye(3)}, r"\"none\" means no boundary and must be last"),
        ({"types": ["p", ""], "matrix": np.eye(3)}, r"a type must be a name that is not empty"),
        ({"types": [], "matrix": [[1]]}, r"expected at least one type"),
        ({"types": "pq", "matrix": np.eye(3)}, r"types must be a sequence of names; got 'pq'"),
        ({"types": ["p"], "matrix": 3}, r"matrix must be a sequence of rows; got 3"),
        ({"p": {"p": 1, "none": 0}, "none": {"p": 0}}, r"similarity\['none'\]: there is a row 'none' but no column"),
        ({"p": {"p": 1, "q": 0, "none": 0}, "none": {"p": 0, "q": 0, "none": 1}}, r"a column 'q' but no row 'q'"),
        ({"p": {"p": 1}}, r"expected a row and a column \"none\" for no boundary; got 'p'"),
        ({("p", "q"): 2}, r"similarity\['p', 'q'\] must be a number from 0 to 1; got 2"),
        ({("p", "q"): 0.5, ("q", "p"): 0.25}, r"a pair is unordered and has one value; got 0.5 and 0.25"),
        ({("p", "p"): 0.5}, r"the similarity of a type to itself must be 1"),
        ({"pq": 0.5}, r"expected a pair of types as key"),
        ({("p", "q", "r"): 0.5}, r"expected a pair of types as key"),
        ([("p", 0.5)], r"a pair is written as \(type, type, similarity\)"),
        (5, r"similarity must be .* got int"),
    ],
)
def test_invalid_matrices(similarity: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        flexible(marks("p"), marks("q"), similarity=similarity)


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("m.csv", ",p,none\np,1,0\nnone,0,x\n", 3, "expected a number; got 'x'"),
        ("m.csv", ",p,none\np,1,0\nnone,0\n", 3, "a row must have 2 numbers, one per column; got 1"),
        ("m.csv", ",p,none\np,1,0\np,0,1\n", 3, "a row may be named only once; got 'p' again"),
        ("m.csv", ",p,p\np,1,0\nnone,0,1\n", 1, "a column may be named only once; got 'p' again"),
        ("m.csv", "", None, "expected a line of column names and one line per row; got 0 lines"),
        ("m.json", '{"types": ["p"],\n "matrix": [[1, 0], [0, 1]\n', 3, "not valid JSON"),
        ("missing.csv", None, None, "cannot be read"),
    ],
)
def test_unreadable_matrix_files(tmp_path: Path, name: str, text: str | None, line: int | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(FormatError) as caught:
        FlexibleSimilarity(similarity=tmp_path / name)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / name)


def test_matrix_file_without_a_none_entry(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(",p,q\np,1,0\nq,0,1\n")
    with pytest.raises(OptionError, match=r'm.csv\): expected a row and a column "none"'):
        FlexibleSimilarity(similarity=tmp_path / "m.csv")


def test_matrix_file_may_change_between_calls(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    values = []
    for s in (0.5, 0.25):
        path.write_text(f",p,q,none\np,1,{s},0\nq,{s},1,0\nnone,0,0,1\n")
        values.append(flexible(marks("p"), marks("q"), similarity=path).value)
    assert values == [0.5, 0.25]


@pytest.mark.parametrize(
    ("transposition", "message"),
    [
        (-0.5, r"transposition must be a number from 0 up; got -0.5"),
        (math.inf, r"transposition must be a number from 0 up; got inf"),
        (math.nan, r"transposition must be a number; got nan"),
        ("0.5", r"transposition must be a number; got '0.5'"),
        (True, r"transposition must be a number; got True"),
        ({"p": -1}, r"transposition\['p'\] must be a number from 0 up; got -1"),
        ([0.5, 0.5], r"transposition must be a number or a mapping from types to numbers"),
        ({"p": 0.5, "x": 0.5}, r"transposition: type 'x' is not in the similarity matrix; it has 'p', 'q'"),
    ],
)
def test_invalid_move_costs(transposition: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        flexible(marks("p"), marks("q"), similarity=SKEW, transposition=transposition)


def test_unbounded_move_costs() -> None:
    """A finite cost may be as large as it likes, and as small."""
    a, b = marks("p . . . . q"), marks(". . . . p .")
    assert flexible(a, b, transposition=1e300).parts["cost"] == 3
    assert flexible(a, b, transposition=1e-300).parts["cost"] == 1
    assert flexible(a, b, transposition={"p": 0, "q": 1e300}).parts["cost"] == 1


def test_default_move_cost_is_a_quarter_of_deletion_and_insertion() -> None:
    score = flexible(marks("p q"), marks("p q"), similarity=SKEW)
    assert score.params["transposition"] == (("p", pytest.approx(0.4125)), ("q", pytest.approx(0.3875)))
    # A type that the mapping leaves out keeps the default, or the preset's 0.5.
    score = flexible(marks("p q"), marks("p q"), transposition={"p": 0.1})
    assert dict(score.params["transposition"]) == {"p": 0.1, "q": 0.5, "r": 0.5}
    score = flexible(marks("p q"), marks("p q"), similarity=SKEW, transposition={"p": 0.1}, compat="segsimflex")
    assert dict(score.params["transposition"]) == {"p": 0.1, "q": 0.5}


def test_questionable_settings_cause_warnings() -> None:
    a = cz.Segmentation.from_marks([",", ""], types=CASE["types"])
    with pytest.warns(CaesuraWarning, match="';' is identical to no boundary") as caught:
        flexible(a, a, similarity=CASE)
    assert all(warning.filename == __file__ for warning in caught)
    with pytest.warns(CaesuraWarning, match="';' is identical to no boundary"):  # each time
        flexible(a, a, similarity=CASE)
    expensive = {"types": ["p", "q", "r"], "matrix": [[1, 0, 0.75, 0.75], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0.5, 0, 1]]}
    with pytest.warns(CaesuraWarning, match=r"substituting 'p' by 'q' costs 1, more than .* \(0.75\)"):
        flexible(marks("p"), marks("p"), similarity=expensive)


def test_measures_compare_by_value() -> None:
    for measure in (
        FlexibleSimilarity(),
        FlexibleSimilarity(similarity=SKEW, transposition={"q": 0.25, "p": 1}, normalize="boundaries"),
        FlexibleSimilarity(similarity={("p", "q"): 1 / 3}, algorithm="pardist"),
        FlexibleSimilarity(similarity={("p", "q"): 0.5, ("p", None): 0.25}),
        FlexibleSimilarity(similarity={}),
        FlexibleSimilarity(compat="segsimflex", transposition=0.25),
    ):
        assert cz.parse(repr(measure)) == measure
        assert hash(cz.parse(repr(measure))) == hash(measure)
        assert pickle.loads(pickle.dumps(measure)) == measure
    assert repr(FlexibleSimilarity(similarity=SKEW)) == (
        "flexible_similarity(similarity=(('p', 'q'), ((1, 0.6, 0.25), (0.3, 1, 0), (0.1, 0.45, 1))), normalize='positions')"
    )


def test_matrix_of_thirty_types_round_trip() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 1000, (31, 31)) / 1000
    np.fill_diagonal(s, 1)
    names = [f"type{i}" for i in range(30)]
    measure = FlexibleSimilarity(similarity={"types": names, "matrix": (s / 2 + np.eye(31) / 2).round(4)})
    assert cz.parse(repr(measure)) == measure


def test_total_reports_costs_over_all_types() -> None:
    a, b = cz.Segmentation.from_marks(["p", ""]), cz.Segmentation.from_marks(["q", ""])
    total = flexible(a, a, transposition={"p": 0.25}) + flexible(b, b, transposition={"p": 0.25})
    assert total.params["transposition"] == (("p", 0.25), ("q", 0.5))
    assert total.value == 1


def test_signature() -> None:
    a, b = marks("p . q"), marks(". p q")
    assert flexible(a, b).signature.startswith(
        "flexible_similarity|similarity:identity|transposition:0.5|normalize:positions|algorithm:exact|mover:mean|"
        "counting:pairs|matrix:symmetric|auto:similarity,transposition,mover|caesura:"
    )
    skew = flexible(a, b, similarity=SKEW)
    assert "|matrix:asymmetric|" in skew.signature
    assert "0.6, 0.25" in skew.signature
    assert "mover:b|" in flexible(a, b, algorithm="pardist").signature
    compat = flexible(a, b, compat="segsimflex").signature
    assert "|algorithm:pardist|mover:right|counting:segsimflex|" in compat
    assert "|compat:segsimflex|" in compat
    json.dumps(skew.to_dict())


def test_incompatible_options() -> None:
    with pytest.raises(OptionError, match="requires algorithm='pardist'"):
        FlexibleSimilarity(counting="segsimflex")
    with pytest.raises(OptionError, match="normalize must be one of"):
        flexible(marks("p"), marks("p"), normalize="units")
    with pytest.raises(OptionError, match="has no preset"):
        flexible(marks("p"), marks("p"), compat="nltk")


def test_similarity_from_confusion() -> None:
    # n[., ,] = 20, n[,, .] = 5, agreements 80 and 20: sqrt(100 / 1600).
    estimate = cz.similarity_from_confusion([[80, 20, 8], [5, 20, 0], [2, 0, 900]], [".", ","])
    assert estimate["types"] == [".", ","]
    assert estimate["matrix"] == [[1, 0.25, 0.014907], [0.25, 1, 0], [0.014907, 0, 1]]
    assert cz.similarity_from_confusion(np.diag([3, 4, 5]), "pq")["matrix"] == np.eye(3).tolist()
    assert (
        flexible(marks("p"), marks("p"), similarity=cz.similarity_from_confusion(np.diag([3, 4, 5]), "pq")).value == 1
    )


def test_bias_and_frequency_do_not_change_it() -> None:
    counts = np.array([[80.0, 20, 5], [6, 25, 3], [4, 2, 900]])
    estimate = cz.similarity_from_confusion(counts, "pq")["matrix"]
    scaled = counts * np.array([1, 3, 0.5])[:, None] * np.array([2, 1, 7])
    assert cz.similarity_from_confusion(scaled, "pq")["matrix"] == estimate


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2], [3, 4]], r"matrix: expected 3 rows and columns"),
        ([[1, 0, 0], [0, -1, 0], [0, 0, 1]], r"matrix\['q', 'q'\]: a count must not be negative; got -1"),
        ([[1, 0, 0], [0, math.nan, 0], [0, 0, 1]], r"matrix\['q', 'q'\]: a count must not be negative; got nan"),
        ([[0, 1, 0], [1, 5, 0], [0, 0, 9]], r"matrix\['p', 'p'\]: there is no estimate without agreement"),
        ([[1, 0], [1]], r"expected a square matrix of counts"),
    ],
)
def test_invalid_confusions(counts: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        cz.similarity_from_confusion(counts, ["p", "q"])


def test_smoothing_handles_unobserved_confusions() -> None:
    estimate = cz.similarity_from_confusion([[0, 1, 0], [1, 5, 0], [0, 0, 9]], "pq", smoothing=0.5)["matrix"]
    assert estimate[0][1] == round(1.5 / math.sqrt(0.5 * 5.5), 6)


def test_operations_table() -> None:
    # a   p p . q . . p
    # b   p q . . q . .
    a, b = marks("p p . q . . p"), marks("p q . . q . .")
    table = cz.operations_table(flexible(a, b))
    assert table.types == ("p", "q")
    p, q = table
    assert (p.boundaries, p.match, dict(p.substitution), p.unpaired) == (4, 0.5, {"q": 0.25}, 0.25)
    assert (q.boundaries, q.match, dict(q.substitution), q.transposition) == (3, 0, {"p": 1 / 3}, 2 / 3)
    for row in table:
        shares = row.match + sum(row.substitution.values()) + row.unpaired + row.transposition
        assert shares + row.transposition_with_substitution == pytest.approx(1)
    assert table["q"] is q
    with pytest.raises(OptionError, match="no boundary of type 'r'; choose from p, q"):
        table["r"]
    assert json.loads(json.dumps(table.to_dict()))["rows"][0]["match"] == 0.5


def test_operations_table_over_many() -> None:
    a, b, c = marks("p . q"), marks(". p q"), marks("q . .")
    scores = [flexible(a, b), flexible(a, c)]
    table = cz.operations_table(scores)
    assert cz.operations_table([(a, b), (a, c)]) == table
    assert cz.operations_table([({"F": a}, {"F": b}), (a, c)]) == table
    assert cz.operations_table(cz.score_many([(a, b), (a, marks("p")), (a, c)], "flexible_similarity")) == table
    assert table["p"].boundaries == 3
    assert table["p"].transposition == 2 / 3
    assert table["q"].unpaired == 1 / 4
    assert cz.operations_table([]).rows == ()
    with pytest.raises(OptionError, match="has none; use the scores that a total is made of"):
        cz.operations_table(sum(scores))
    far = cz.operations_table([(marks("p . ."), marks(". q ."))])
    assert [row.transposition_with_substitution for row in far] == [1, 1]


def test_draws_continue_from_the_random_state() -> None:
    measure = FlexibleSimilarity(similarity=SKEW)
    p_a, p_b = [0.2, 0.1, 0.7], [0.1, 0.3, 0.6]
    whole = measure.draw(TWO, p_a, p_b, [30, 50], draws=40, state=state(11))
    assert whole.shape == (40, len(DRAW_COLUMNS))
    assert (whole[:, 1] == 80).all()
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda n: measure.draw(TWO, p_a, p_b, [30, 50], draws=n, state=state(11)), (10, 20, 40, 40))
        for part in parts:
            assert np.array_equal(part, whole[: len(part)])
    assert len(np.unique(whole, axis=0)) > 35
    assert not np.array_equal(measure.draw(TWO, p_a, p_b, [30, 50], draws=40, state=state(12)), whole)


def test_draws_have_the_right_distribution() -> None:
    """Streams of 2 and 1 positions: all outcomes and their probabilities, against 200,000 draws."""
    measure = FlexibleSimilarity(similarity=SKEW)
    p_a, p_b = [0.2, 0.1, 0.7], [0.1, 0.3, 0.6]
    sides = ["p", "q", None]
    expected: Counter[tuple[float, ...]] = Counter()
    for cells in itertools.product(range(3), repeat=6):
        probability = math.prod(p_a[k] for k in cells[:3]) * math.prod(p_b[k] for k in cells[3:])
        a, b = [sides[k] for k in cells[:3]], [sides[k] for k in cells[3:]]
        score = measure.score({"1": of(a[:2], TWO), "2": of(a[2:], TWO)}, {"1": of(b[:2], TWO), "2": of(b[2:], TWO)})
        both = sum(x is not None and y is not None for x, y in zip(a, b, strict=True))
        counts = (both, 3 - a.count(None) - both, 3 - b.count(None) - both)
        expected[round(score.parts["cost"], 6), 3, score.parts["objects"], *counts] += probability
    n = 200_000
    rows = measure.draw(TWO, p_a, p_b, [2, 1], draws=n, state=state(1))
    frequencies = Counter(map(tuple, rows[:, :6].round(6).tolist()))
    assert set(frequencies) <= set(expected)
    for outcome, probability in expected.items():
        assert abs(frequencies[outcome] - n * probability) < 5 * math.sqrt(n * probability) + 5, outcome


@pytest.mark.parametrize("options", [{}, {"similarity": SKEW}, {"compat": "segsimflex"}])
def test_control_variates_have_known_means(options: dict[str, Any]) -> None:
    measure = FlexibleSimilarity(**options)
    p_a, p_b, n = np.array([0.2, 0.05, 0.75]), np.array([0.1, 0.1, 0.8]), 4000
    rows = measure.draw(TWO, p_a, p_b, [150, 50], draws=n, state=state(2**63 + 5))
    cost = 1 - measure.costs(TWO).similarity
    a, b = p_a[:2], p_b[:2]
    means = [
        a.sum() * b.sum(),
        a.sum() * p_b[2],
        p_a[2] * b.sum(),
        a @ cost[:2, :2] @ b,
        a @ cost[:2, 2] * p_b[2],
        p_a[2] * cost[2, :2] @ b,
    ]
    for k, mean in enumerate(means, 3):
        assert abs(rows[:, k].mean() - 200 * mean) < 4.5 * rows[:, k].std() / math.sqrt(n), DRAW_COLUMNS[k]
    assert (rows[:, 0] <= rows[:, 6:].sum(axis=1) + 1e-9).all()
    assert (rows[:, 2] <= rows[:, 3:6].sum(axis=1)).all() or options


def test_draws_at_the_edges() -> None:
    measure = FlexibleSimilarity()
    assert (measure.draw(TWO, [0, 0, 1], [0, 0, 1], [9], draws=3, state=state(0))[:, [0, 2, 3]] == 0).all()
    assert (measure.draw(TWO, [1, 0, 0], [0, 1, 0], [9], draws=3, state=state(0))[:, [0, 2, 3]] == 9).all()
    rare = measure.draw(TWO, [1e-18, 0, 1], [0, 0, 1], [10**6], draws=3, state=state(0))
    assert (rare[:, 2] == 0).all()
