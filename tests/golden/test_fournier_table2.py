"""Table 2 of Fournier (2013), Evaluating text segmentation using boundary edit distance, ACL: all of its columns.

The table prints B with a ±, the number n of boundary pairs, and TP, FP and FN of the confusion matrix, for five segmenters.
Of the n pairs FP + FN have nothing on the other side; a match counts 1 into TP and a near miss one half (n_t = 2, where
all near misses are one position off). So matches + near misses = n - FP - FN and near misses = 2 (n - FP - FN - TP), and
all five rows come out as whole numbers. Mean and ± follow from those three counts: the ± is one standard error, although
the figure beside it (10b) speaks of 95 % intervals.
"""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.statistics import mean_interval

#            B      ±      n     TP     FP   FN   matches and near misses
TABLE_2 = {
    "Random": (0.2640, 0.0129, 1057, 279.0, 420, 318, 239, 80),
    "Human": (0.5285, 0.0164, 841, 444.5, 204, 153, 405, 79),
    "BayesSeg": (0.3745, 0.0146, 964, 361.0, 327, 219, 304, 114),
    "APS": (0.2873, 0.0163, 738, 212.0, 101, 411, 198, 28),
    "MinCut": (0.2468, 0.0141, 871, 215.0, 234, 400, 193, 44),
}

#            B-P     B-R     B-F1    TN
CONFUSION = {
    "Random": (0.3991, 0.4673, 0.4306, 4236.0),
    "Human": (0.6854, 0.7439, 0.7135, 4451.5),
    "BayesSeg": (0.5247, 0.6224, 0.5694, 4346.0),
    "APS": (0.6773, 0.3403, 0.4530, 4529.0),
    "MinCut": (0.4788, 0.3496, 0.4041, 4404.0),
}


def texts(segmenter: str, items: int = 5) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    """Return items with exactly the matches, near misses, false positives and false negatives of the row.

    Each takes six units, and boundaries are at least three units apart, so that no others are near:

        match  ···|···   near miss  ···|···   false positive  ······   false negative  ···|···
               ···|···              ····|··                   ···|···                  ······
    """
    _, _, _, _, fp, fn, matches, near = TABLE_2[segmenter]
    kinds = [((3,), (3,))] * matches + [((3,), (4,))] * near + [((), (3,))] * fp + [((3,), ())] * fn
    pairs = []
    for part in (kinds[k::items] for k in range(items)):
        sides = []
        for side in (0, 1):
            at = [6 * i + position for i, kind in enumerate(part) for position in kind[side]]
            sides.append(cz.Segmentation.from_positions(6 * len(part), at))
        pairs.append((sides[0], sides[1]))
    return pairs


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_confusion(segmenter):
    """Counts, B-P, B-R and B-F1 as printed."""
    B, _, n, tp, fp, fn, matches, near = TABLE_2[segmenter]  # noqa: N806
    precision, recall, f, _ = CONFUSION[segmenter]
    score = sum(cz.boundary_confusion(*pair, compat="fournier2013") for pair in texts(segmenter))
    empty = sum(a.length - 1 for a, _ in texts(segmenter)) - (matches + 2 * near + fp + fn)
    assert score.matrix.tolist() == [[tp, fp], [fn, empty]]
    assert (score.parts["matches[boundary]"], score.parts["transpositions[boundary]"]) == (matches, near)
    assert round(score.precision(), 4) == precision
    assert round(score.recall(), 4) == recall
    assert round(score.f(), 4) == f
    similarity = sum(cz.boundary_similarity(*pair) for pair in texts(segmenter))
    assert round(similarity.value, 4) == B
    assert sum(len(cz.boundary_similarity(*pair).edits) for pair in texts(segmenter)) == n


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_four_cells_fill_the_matrix(segmenter):
    """TP + FP + FN + TN is 5253 in every row, so the table was copied correctly."""
    assert sum(TABLE_2[segmenter][3:6]) + CONFUSION[segmenter][3] == 5253


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_judgement_over_boundary_pairs(segmenter):
    """B ± n through ``judge(..., interval="pairs")``, and the confusion as a further measure."""
    B, error, n, *_ = TABLE_2[segmenter]  # noqa: N806
    pairs = texts(segmenter)
    corpus = cz.Corpus({str(i): {"coder": reference} for i, (reference, _) in enumerate(pairs)})
    systems = {segmenter: {str(i): hypothesis for i, (_, hypothesis) in enumerate(pairs)}}
    confusion = "boundary_confusion(n_t=2, compat='fournier2013')"
    judgement = cz.judge(
        corpus, systems, measures=["boundary_similarity", confusion], interval="pairs", bounds=False, seed=1
    )
    row = judgement.row(segmenter, "boundary_similarity")
    assert (round(row.value, 4), round(row.standard_error, 4), row.pairs) == (B, error, n)
    assert row.interval == pytest.approx(
        (row.value - 1.96 * row.standard_error, row.value + 1.96 * row.standard_error), abs=1e-5
    )
    figures = judgement.row(segmenter, "boundary_confusion").score.figures
    assert tuple(round(figures[name], 4) for name in ("precision", "recall", "f")) == CONFUSION[segmenter][:3]


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_mean_and_standard_error(segmenter):
    B, error, n, tp, fp, fn, matches, near = TABLE_2[segmenter]  # noqa: N806
    assert (near, matches) == (2 * (n - fp - fn - tp), n - fp - fn - near)
    interval = mean_interval([1, 0.5, 0], [matches, near, fp + fn])
    assert interval.n == n
    assert round(interval.mean, 4) == B
    assert round(interval.standard_error, 4) == error
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * interval.standard_error, rel=1e-4)


def test_claims_of_section_6():
    """BayesSeg lies between the bounds, intervals apart, as the text says.

    The text also says that B puts MinCut and APS below the random baseline; by the table APS is above it.
    """
    intervals = {name: mean_interval([1, 0.5, 0], [row[6], row[7], row[4] + row[5]]) for name, row in TABLE_2.items()}
    assert intervals["Random"].high < intervals["BayesSeg"].low < intervals["BayesSeg"].high < intervals["Human"].low
    assert intervals["MinCut"].mean < intervals["Random"].mean < intervals["APS"].mean
    assert intervals["APS"].low < intervals["Random"].high
