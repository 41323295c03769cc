"""Lai & Li (2023): flexible similarity (S_f) of intonation units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from caesura.agreement.chance import Exact, Simulate
from caesura.agreement.coefficients import agreement
from caesura.measures.flexible import flexible_similarity
from caesura.measures.operations import operations_table
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.papers.data import CONVERSATIONS, Data
from caesura.papers.entry import (
    NOT_FREE,
    PRESET,
    REFUTED,
    REPRODUCED,
    Computation,
    Curves,
    Paper,
    Picture,
    Row,
    statement,
)

PAPER = Paper(
    "lai2023",
    "Lai & Li (2023)",
    "Lai, R. K. Y., & Li, Y. (2023). Text segmentation similarity revisited: a flexible distance-based "
    "approach for multiple boundary types.",
)
Dialogue = dict[str, Segmentation]
_TYPES = (".", ",", "?", "--", ";")
_MATRIX: dict[str, Any] = {
    "types": list(_TYPES),
    "matrix": [
        [1, 0.5, 0.25, 0.25, 1, 0],
        [0.5, 1, 0.5, 0.5, 1, 0.25],
        [0.25, 0.5, 1, 0.25, 1, 0],
        [0.25, 0.5, 0.25, 1, 1, 0.25],
        [1, 1, 1, 1, 1, 1],
        [0, 0.25, 0, 0.25, 1, 1],
    ],
}
_COSTS = {".": 0.5, ",": 0.375, "?": 0.5, "--": 0.375, ";": 0.0}
# As the authors' own figure source plots them: S_f and S_f^B under identity, then under the matrix.
_FIGURE_4: Mapping[str, tuple[str, str, str, str]] = {
    "t001": ("0.8997", "0.5623", "0.9417", "0.7453"),
    "t004": ("0.9006", "0.5149", "0.9530", "0.7700"),
    "t016": ("0.8697", "0.4262", "0.9612", "0.8290"),
}
_SWAPPED = {**_COSTS, ".": 0.375, ",": 0.5}


def _swapped_matrix() -> dict[str, Any]:
    """Return the matrix with the rows and columns of comma and period exchanged, as the figures have it."""
    order = [1, 0, 2, 3, 4, 5]
    return {"types": list(_TYPES), "matrix": [[_MATRIX["matrix"][i][j] for j in order] for i in order]}


def _streams(case: Mapping[str, Any], side: str) -> Dialogue:
    return {
        speaker: Segmentation.from_marks(
            ["--" if mark == "\N{EN DASH}" else mark.strip() for mark in line], types=list(_TYPES)
        )
        for speaker, line in zip(case["speakers"], case[side], strict=True)
    }


def _conversations(data: Data) -> dict[str, tuple[Dialogue, Dialogue]]:
    cases = [case for case in data.json(CONVERSATIONS) if case.get("config") == "identity"]
    return {case["text"]: (_streams(case, "lists1"), _streams(case, "lists2")) for case in cases}


def _similarities(
    sides: tuple[Dialogue, Dialogue], matrix: dict[str, Any] | None, **options: Any
) -> tuple[float, float]:
    score = flexible_similarity(*sides, similarity=matrix, **options)
    return score.parts["s_f"], score.parts["s_f_b"]


def _figure_2(_: Data) -> Computation:
    """The text that the caption describes: two substitutions around an r that may move right and a p " "that may move left."""
    a = Segmentation.from_marks(["p", "", "r", "", "q"], types=["p", "q", "r"])
    b = Segmentation.from_marks(["q", "r", "", "p", "p"], types=["p", "q", "r"])
    score = flexible_similarity(a, b, transposition=0.5)
    return Computation([Row("minimum cost", "3.5", float(score.parts["cost"]))], signatures=(score.signature,))


def _figure_4_identity(data: Data) -> Computation:
    return _figure_4(data, slice(0, 2), lambda sides: (_similarities(sides, None), None))


def _figure_4_matrix(data: Data) -> Computation:
    return _figure_4(
        data,
        slice(2, 4),
        lambda sides: (
            _similarities(sides, _MATRIX, transposition=_COSTS),
            _similarities(sides, _swapped_matrix(), transposition=_SWAPPED, compat="segsimflex"),
        ),
    )


Pair = tuple[float, float]


def _figure_4(
    data: Data, columns: slice, compare: Callable[[tuple[Dialogue, Dialogue]], tuple[Pair, Pair | None]]
) -> Computation:
    """Compare S_f and S_f^B of every text with the printed values in two columns of the figure."""
    rows: list[Row] = []
    values: dict[str, list[float]] = {"S_f": [], "S_f^B": []}
    conversations = _conversations(data)
    for text, printed in _FIGURE_4.items():
        own, presets = compare(conversations[text])
        for i, name in enumerate(values):
            rows.append(Row(f"{text} {name}", printed[columns][i], own[i], None if presets is None else presets[i]))
            values[name].append(own[i])
    places = list(range(1, len(_FIGURE_4) + 1))
    lines = {name: (places, column) for name, column in values.items()}
    return Computation(rows, Curves("text (001, 004, 016)", "similarity", lines))


def _figure_5(data: Data) -> Computation:
    """kappa of S_f exactly; kappa of S_f^B from simulated texts."""
    rows: list[Row] = []
    lines: dict[str, list[float]] = {}
    for text, (a, b) in _conversations(data).items():
        corpus = Corpus({text: {"A": a, "B": b}})
        values = {}
        for name, matrix, costs in (("identity", None, None), ("matrix", _MATRIX, _COSTS)):
            for normalize in ("positions", "boundaries"):
                measure = parse("flexible_similarity").replace(
                    similarity=matrix, normalize=normalize, **({} if costs is None else {"transposition": costs})
                )
                chance = Exact() if normalize == "positions" else Simulate(draws=200)
                values[name, normalize] = agreement(corpus, measure=measure, chance=chance, interval=None).value
        rows += [
            statement(
                f"{text}: kappa over S_f^B is lower than over S_f",
                values["matrix", "boundaries"] < values["matrix", "positions"],
            ),
            statement(
                f"{text}: the matrix raises kappa", values["identity", "positions"] < values["matrix", "positions"]
            ),
        ]
        for (name, normalize), value in values.items():
            lines.setdefault(f"{'S_f' if normalize == 'positions' else 'S_f^B'}, {name}", []).append(value)
    places = list(range(1, len(_FIGURE_4) + 1))
    return Computation(rows, Curves("text (001, 004, 016)", "kappa", {name: (places, y) for name, y in lines.items()}))


def _figure_6(data: Data) -> Computation:
    table = operations_table([flexible_similarity(*sides) for sides in _conversations(data).values()])
    contours = [row for row in table if row.type != ";"]
    rows = [
        statement("falls are fully matched in less than 50 % of all cases", table["."].match < 0.5),
        statement("deletions are rare: below 20 % for every contour", all(row.unpaired < 0.2 for row in contours)),
        statement("transpositions are rarer than deletions", all(row.transposition < row.unpaired for row in contours)),
        statement(
            "appeals often correspond to falls", max(table["?"].substitution.items(), key=lambda e: e[1])[0] == "."
        ),
    ]
    return Computation(rows, Picture("operations", (table,)))


_NEEDS = {"needs": (CONVERSATIONS,)}
_PLACES = "section 4.3"
# All displays of the paper.
ENTRIES = (
    PAPER.entry(
        "figure-2",
        "Figure 2",
        "section 3.2",
        "The least cost of an example.",
        REPRODUCED,
        _figure_2,
        reason="The drawing is not in the text of the paper; the marks follow the caption.",
    ),
    PAPER.entry(
        "figure-4-identity",
        "Figure 4",
        _PLACES,
        "Similarity of two transcribers under the identity matrix, in the three texts of seven that can be had.",
        REFUTED,
        _figure_4_identity,
        **_NEEDS,
        reason="The values plotted for text 004 are those of text 009. S_f of text 016, .86965, was rounded twice.",
    ),
    PAPER.entry(
        "figure-4-matrix",
        "Figure 4",
        _PLACES,
        "Similarity of two transcribers under the matrix of section 4.2, in the same three texts.",
        PRESET,
        _figure_4_matrix,
        **_NEEDS,
        preset="compat='segsimflex', comma and period exchanged in the matrix",
        reason="The figure exchanges comma and period in the matrix that the text describes.",
    ),
    PAPER.entry(
        "figure-4-others",
        "Figure 4",
        _PLACES,
        "Similarity in texts 009, 025, 036 and 049.",
        NOT_FREE,
        None,
        reason="These conversations are not published; the published data for text 036 repeat text 009.",
    ),
    PAPER.entry(
        "figure-5",
        "Figure 5",
        _PLACES,
        "kappa of S_f and S_f^B, with and without the matrix.",
        REPRODUCED,
        _figure_5,
        **_NEEDS,
    ),
    PAPER.entry(
        "figure-6",
        "Figure 6",
        _PLACES,
        "What happened to the boundaries of each type.",
        REFUTED,
        _figure_6,
        **_NEEDS,
        reason="The program counted the matches of the last participant only, so the printed shares of matches are "
        "too low.",
    ),
)
