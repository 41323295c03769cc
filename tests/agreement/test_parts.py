"""The table of parts: every view is the total of the items and coders it selects, also with missing coders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest

from caesura.agreement import parts as module
from caesura.agreement.parts import GroupParts, Margins, Parts, Rows, Sums


def pooled(sums: Sums) -> Rows:
    """Chance from all coders together, as in pi."""
    rate = sums.margins[:, 1] / sums.margins[:, 0]
    return Rows.of(sums.parts[:, 0] / sums.parts[:, 1], rate**2)


def own(sums: Sums) -> Rows:
    """Chance from the rates of each coder, as in kappa."""
    positions = sums.pairs.margins[:, :, :1]
    rates = sums.pairs.margins[:, :, 1:] / np.where(positions > 0, positions, np.nan)
    return Rows.of(sums.parts[:, 0] / sums.parts[:, 1], sums.pairs.mean_product(rates))


def mean(sums: Sums) -> Rows:
    """The mean of the values of single pairs."""
    with np.errstate(invalid="ignore"):
        values = sums.pairs.mean(sums.pairs.parts[:, :, 0] / sums.pairs.parts[:, :, 1])
    return Rows.of(values, np.full(len(values), np.nan), values=values)


FINISH: dict[str, Callable[[Sums], Rows]] = {"pooled": pooled, "own": own, "mean": mean}


def table(name: str, present: np.ndarray, seed: int = 0, shares: Sequence[int] | None = None) -> Parts:
    """A table of random whole numbers for the items of ``present`` (item x coder) with at least two coders."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(1, 9, (*present.shape, present.shape[1], 2)).astype(float)
    margins = rng.integers(1, 9, (*present.shape, 2)).astype(float)
    items = [i for i in range(len(present)) if present[i].sum() > 1 and (shares is None or i in shares)]
    rows = [
        (k, c, d, *numbers[i, c, d])
        for k, i in enumerate(items)
        for c, d in combinations(np.flatnonzero(present[i]), 2)
    ]
    item, first, second, *values = (np.array(column) for column in zip(*rows, strict=True))
    coders = np.unique([first, second])
    pairs, pair = np.unique(first * 100 + second, return_inverse=True)
    place = np.searchsorted(coders, np.array([pairs // 100, pairs % 100]))
    cells = [(k, c) for k, i in enumerate(items) for c in np.flatnonzero(present[i])]
    cell_item, cell_coder = np.array(cells).T
    cell_values = margins[np.array(items)[cell_item], cell_coder]
    return Parts(
        tuple(f"i{i}" for i in items),
        tuple(f"c{c}" for c in coders),
        item.astype(np.int64),
        pair.astype(np.int64),
        np.stack(values, axis=1),
        *place.astype(np.int64),
        Margins(cell_item, np.searchsorted(coders, cell_coder).astype(np.int64), cell_values),
        FINISH[name],
        name != "pooled",
    )


def presence(missing: float, seed: int, items: int = 7, coders: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).random((items, coders)) >= missing


CASES = [(name, missing, seed) for name in FINISH for missing in (0.0, 0.3, 0.6) for seed in range(4)]


@pytest.mark.parametrize(("name", "missing", "seed"), CASES)
def test_every_view_is_a_total(name: str, missing: float, seed: int) -> None:
    present = presence(missing, seed)
    parts = table(name, present)
    everything = parts.total()

    def total(chosen: np.ndarray, items: Sequence[int] | None = None) -> Rows:
        return table(name, present & chosen, shares=items).total()

    def equal(rows: Rows, place: int, expected: Rows) -> None:
        for column in ("observed", "expected"):
            assert getattr(rows, column)[place] == pytest.approx(getattr(expected, column)[0], abs=1e-14, nan_ok=True)

    everybody = np.ones(present.shape, bool)
    numbers = [int(coder[1:]) for coder in parts.coders]
    for place, item in enumerate(parts.items):
        equal(parts.by_item(), place, total(everybody, [int(item[1:])]))
    by_pair = parts.by_pair()
    for place, (c, d) in enumerate(zip(parts.first.tolist(), parts.second.tolist(), strict=True)):
        both = np.isin(np.arange(5), [numbers[c], numbers[d]])[None]
        equal(by_pair, place, total(both))
        assert parts.items_of_pairs[place] == (present[:, both[0]].sum(axis=1) == 2).sum()
    without, sets = parts.without(), parts.of_coders(1 - np.eye(len(numbers)))
    for place, coder in enumerate(numbers):
        rest = (np.arange(5) != coder)[None]
        if ((present & rest).sum(axis=1) > 1).any():
            equal(without, place, total(rest))
            equal(sets, place, total(rest))
        else:
            assert np.isnan(without.values[place])
    weights = np.random.default_rng(seed).multinomial(
        len(parts.items), np.full(len(parts.items), 1 / len(parts.items)), 6
    )
    drawn = parts.resampled(weights.astype(float))
    items = [int(item[1:]) for item in parts.items]
    for place, row in enumerate(weights):
        if (row <= 1).all():
            equal(drawn, place, total(everybody, [item for item, times in zip(items, row, strict=True) if times]))
    equal(parts.resampled(np.ones((3, len(items)))), 2, everything)
    equal(parts.of_coders(np.ones((2, len(numbers)))), 1, everything)


@pytest.mark.parametrize("name", FINISH)
def test_blocks_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    present = presence(0.4, 1)

    def views() -> list[Rows]:
        parts, rng = table(name, present), np.random.default_rng(0)
        items = rng.integers(0, 3, (9, len(parts.items))).astype(float)
        coders = rng.integers(0, 3, (9, len(parts.coders))).astype(float)
        return [parts.resampled(items), parts.of_coders(coders), parts.without()]

    together = views()
    monkeypatch.setattr(module, "BLOCK_SIZE", 1)
    for whole, divided in zip(together, views(), strict=True):
        for a, b in zip(whole[:5], divided[:5], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("name", ["pooled", "own", "mean"])
def test_coders_drawn_twice_are_not_paired_with_themselves(name: str) -> None:
    parts = table(name, np.ones((1, 3), bool))
    row = parts.of_coders(np.array([[2.0, 1.0, 0.0]]))
    pair = parts.by_pair()
    assert row.observed[0] == pair.observed[0]
    if name == "own":
        assert row.expected[0] == pytest.approx(pair.expected[0])


def test_pairs_who_share_no_item_do_not_count() -> None:
    """a and b code x, b and c code y: kappa has two pairs, not three."""
    parts = table("own", np.array([[True, True, False], [False, True, True]]))
    rates = parts.coder_margins[:, 1] / parts.coder_margins[:, 0]
    assert parts.total().expected[0] == pytest.approx((rates[0] * rates[1] + rates[1] * rates[2]) / 2)
    only_x = parts.resampled(np.array([[2.0, 0.0]]))
    assert only_x.expected[0] == pytest.approx(parts.by_item().expected[0])


def test_groups_of_coders() -> None:
    """Item 0: a b c; item 1: a b; item 2: b c. A row's part is a number that says which row it is."""
    groups = ((0, 1, 2), (0, 1), (0, 2), (1, 2))
    rows = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (2, 3)]
    item, group = np.array(rows).T
    values = np.array([1.0, 2, 4, 8, 16, 32])[:, None]
    parts = GroupParts(
        ("x", "y", "z"), ("a", "b", "c"), item, group, values, groups,
        lambda sums: Rows.of(sums.parts[:, 0], np.zeros(len(sums.parts))),
    )  # fmt: skip
    assert parts.total().observed.tolist() == [1 + 16 + 32]
    assert parts.by_item().observed.tolist() == [1, 16, 32]
    assert parts.pairs == ((0, 1), (0, 2), (1, 2))
    assert parts.by_pair().observed.tolist() == [2 + 16, 4, 8 + 32]
    assert parts.items_of_pairs.tolist() == [2, 1, 2]
    assert parts.by_coder().observed.tolist() == [22, 58, 44]
    assert parts.without().observed.tolist() == [8 + 32, 4, 2 + 16]
    assert parts.resampled(np.array([[2.0, 0, 1], [0, 3, 0]])).observed.tolist() == [34, 48]


@pytest.mark.parametrize("name", ["own", "mean"])
def test_a_pair_counts_only_if_a_draw_has_an_item_of_both(name: str) -> None:
    """x has a and b, y has a and c, z has b and c: without x, a and b still have items, but none in common."""
    present = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], bool)
    drawn = table(name, present).resampled(np.array([[0.0, 1.0, 1.0]]))
    alone = table(name, present, shares=[1, 2]).total()
    np.testing.assert_allclose([column[0] for column in drawn[:3]], [column[0] for column in alone[:3]], rtol=1e-13)
