"""Agreement as printed in the papers of Fournier and Inkpen, under the preset each figure needs.

Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL-HLT. Table 2.
Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL. Section 5.
"""

from __future__ import annotations

import re
import warnings
from decimal import Decimal
from types import ModuleType

import pytest

import caesura as cz
from caesura.data import stargazer
from support.oracles import read_oracle

S, B = "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"
QUIET = {"interval": None}


def corpus_from_masses(items: dict) -> cz.Corpus:
    return cz.Corpus({i: {c: cz.Segmentation.from_masses(m) for c, m in by.items()} for i, by in items.items()})


@pytest.fixture(scope="module")
def moonstone(segeval: ModuleType) -> dict[str, cz.Corpus]:
    samples = segeval.data.samples
    return {"G2": corpus_from_masses(samples.KAZANTSEVA2012_G2), "G5": corpus_from_masses(samples.KAZANTSEVA2012_G5)}


# pi* over S and B, pi* S, B, kappa* S, B, bias
STARGAZER = (0.7667, 0.4644, 0.7670, 0.4653, 0.0014)
MOONSTONE = {"G2": (0.8987, 0.4106, 0.8987, 0.4107, 0.0002), "G5": (0.8319, 0.2406, 0.8322, 0.2421, 0.0020)}


def defaults(corpus: cz.Corpus) -> tuple[float, ...]:
    values = [
        cz.agreement(corpus, measure=measure, coefficient=name, **QUIET).value
        for name in ("multi_pi", "multi_kappa")
        for measure in (S, B)
    ]
    return tuple(round(value, 4) for value in (*values, cz.agreement(corpus, coefficient="bias", **QUIET).value))


def test_stargazer() -> None:
    """2013, section 5: .7562 and .4405, from segments counted as boundaries."""
    assert round(cz.agreement(stargazer(), measure=S, compat="fournier2013").value, 4) == 0.7562
    assert round(cz.agreement(stargazer(), measure=B, compat="fournier2013").value, 4) == 0.4405
    assert defaults(stargazer()) == STARGAZER


def test_moonstone(moonstone: dict[str, cz.Corpus]) -> None:
    """2013, section 5, prints two digits: the third and the fifth coder group."""
    printed = {"G2": (0.90, 0.40), "G5": (0.83, 0.23)}
    preset = {"G2": (0.8972, 0.4018), "G5": (0.8297, 0.2308)}
    for group, corpus in moonstone.items():
        values = [cz.agreement(corpus, measure=measure, compat="fournier2013", **QUIET).value for measure in (S, B)]
        assert tuple(round(value, 2) for value in values) == printed[group]
        assert tuple(round(value, 4) for value in values) == preset[group]
        assert defaults(corpus) == MOONSTONE[group]


# Table 2 of 2012: pi*, kappa*, bias, mean and deviation of 1-WD.
TABLE_2 = {
    "ch1": (0.7452, 0.7463, 0.0039, 0.6641, 0.1307),
    "ch2": (0.8839, 0.8840, 0.0009, 0.7619, 0.1743),
    "ch3": (0.8338, 0.8340, 0.0013, 0.6732, 0.1559),
    "ch4": (0.8414, 0.8417, 0.0019, 0.6019, 0.2245),
    "ch5": (0.8773, 0.8774, 0.0003, 0.6965, 0.1106),
    "ch8": (0.8495, 0.8496, 0.0006, 0.7505, 0.0911),
    "ch10": (0.9077, 0.9078, 0.0002, 0.7729, 0.0770),
    "ch11": (0.8130, 0.8135, 0.0022, 0.6189, 0.1294),
}


@pytest.mark.parametrize("chapter", TABLE_2)
def test_table_2_of_2012(moonstone: dict[str, cz.Corpus], chapter: str) -> None:
    group = next(corpus for corpus in moonstone.values() if chapter in corpus.item_names)
    corpus = group.select(items=[chapter])
    values = [
        cz.agreement(corpus, measure="segmentation_similarity(n_t=2)", coefficient=name, compat="fournier2012").value
        for name in ("multi_pi", "multi_kappa", "bias")
    ]
    wd = cz.pairwise(corpus, "window_diff(compat='fournier2012')", ordered=True)
    assert tuple(round(value, 4) for value in (*values, 1 - wd.mean, wd.deviation)) == TABLE_2[chapter]
    n = len(corpus.coders)
    assert len(wd.rows) == n * (n - 1)


# The last three columns: coders, boundaries (in fact segments: one more per coder) and units of each chapter.
TABLE_2_SIZES = {
    "ch1": (4, 13, 13),
    "ch2": (6, 20, 15),
    "ch3": (4, 23, 38),
    "ch4": (4, 25, 46),
    "ch5": (6, 34, 42),
    "ch8": (6, 48, 39),
    "ch10": (6, 56, 83),
    "ch11": (4, 73, 111),
}


def test_table_2_of_2012_in_one_table(moonstone: dict[str, cz.Corpus]) -> None:
    """All chapters of a group at once: one row per item, as in the paper."""
    rows = {}
    for corpus in moonstone.values():
        table = cz.pairwise(corpus, "window_diff(compat='fournier2012')", ordered=True)
        rows |= {row.item: row for row in table.items}
    printed = {chapter: values[3:] for chapter, values in TABLE_2.items()}
    assert {item: (round(1 - row.mean, 4), round(row.deviation, 4)) for item, row in rows.items()} == printed
    assert {item: (row.coders, row.boundaries + row.coders, row.units) for item, row in rows.items()} == TABLE_2_SIZES
    assert all(row.pairs == row.coders * (row.coders - 1) for row in rows.values())


def test_table_2_is_that_of_the_oracle() -> None:
    rows = read_oracle("fournier_figures.json")
    published = {}
    for row in rows:
        chapter = re.match(r"Moonstone (ch\d+) pi", row["figure"])
        if chapter:
            p = row["published"]
            published[chapter[1]] = (p["pi"], p["kappa"], p["bias"], p["one_minus_wd"], p["sd"])
    assert published == TABLE_2


def test_segeval_on_sixty_data_sets() -> None:
    """pi, kappa, bias and their parts, to ten digits."""
    checked = 0
    for case in read_oracle("segeval.jsonl"):
        if case["kind"] != "agreement":
            continue
        corpus = corpus_from_masses(case["data"])
        for letter, measure in (("S", "segmentation_similarity"), ("B", "boundary_similarity")):
            options = {"measure": f"{measure}(n_t={case['n_t']})", "compat": "segeval-2.0.11", **QUIET}
            theirs = {name: float(Decimal(value)) for name, value in case[letter].items()}
            pi, kappa, bias = (
                cz.agreement(corpus, coefficient=name, **options) for name in ("multi_pi", "multi_kappa", "bias")
            )
            ours = {
                "Aa": pi.observed,
                "pi": pi.value,
                "kappa": kappa.value,
                "bias": bias.value,
                "Ae_pi": pi.expected,
                "Ae_kappa": kappa.expected,
            }
            assert ours == pytest.approx(theirs, abs=1e-11), case["id"]
        checked += 1
    assert checked == 60


def test_segeval_itself(segeval: ModuleType) -> None:
    """Compare with the program itself on its own samples. Its bias of two identical coders differs from ours."""
    samples = segeval.data.samples
    for data in (samples.HEARST_1997_STARGAZER, samples.KAZANTSEVA2012_G2, samples.KAZANTSEVA2012_G5):
        corpus = corpus_from_masses(data)
        for fnc, measure in (
            (segeval.boundary_similarity, "boundary_similarity"),
            (segeval.segmentation_similarity, "segmentation_similarity"),
        ):
            options = {"measure": measure, "compat": "segeval-2.0.11", **QUIET}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pi = float(segeval.fleiss_pi_linear(data, fnc_compare=fnc))
                kappa = float(segeval.fleiss_kappa_linear(data, fnc_compare=fnc))
                bias = float(segeval.artstein_poesio_bias_linear(data, fnc_compare=fnc))
            assert cz.agreement(corpus, coefficient="multi_pi", **options).value == pytest.approx(pi, abs=1e-11)
            assert cz.agreement(corpus, coefficient="multi_kappa", **options).value == pytest.approx(kappa, abs=1e-11)
            assert cz.agreement(corpus, coefficient="bias", **options).value == pytest.approx(bias, abs=1e-11)
