"""Where coders disagree about spans: unaligned spans, shifts and categories, by hand and against gamma."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

import caesura as cz
from caesura.agreement.gamma import best_span_alignment
from caesura.errors import OptionError
from caesura.model.result import to_plain
from caesura.tasks.disagreements import DisagreementOptions, find_disagreements
from caesura.tasks.verify import verify
from caesura.views.disagreements import disagreements_view
from caesura.views.table import Table

TEXT = "EU rejects German call. Peter Blackburn reports."


def news() -> cz.Corpus:
    """Return one item in which each kind of disagreement occurs once.

    EU rejects German call. Peter Blackburn reports.
    ORG        MISC         PER............             ann
    LOC                           PER......             bo
    """
    ann = cz.Spans([(0, 2, "ORG"), (11, 17, "MISC"), (24, 39, "PER")], text=TEXT)
    bo = cz.Spans([(0, 2, "LOC"), (30, 39, "PER")], text=TEXT)
    return cz.Corpus({"news": {"ann": ann, "bo": bo}})


def test_by_hand() -> None:
    result = cz.disagreements(news())
    # category: beta; unaligned: delta_empty; shift: ((30 - 24) / (15 + 9))^2 = 1 / 16
    assert [(row.kind, row.cost, row.positions, row.types) for row in result.rows] == [
        ("category", 1.0, (0, 0), ("ORG", "LOC")),
        ("unaligned", 1.0, (11, None), ("MISC", None)),
        ("shift", 1 / 16, (24, 30), ("PER", "PER")),
    ]
    category, alone, shift = result.places
    assert (alone.has, alone.has_not, alone.between) == (("ann",), ("bo",), "German")
    assert (shift.positions, shift.between, shift.after) == ((24, 30, 39), "Peter | Blackburn", "reports.")
    assert category.units == {"ann": (0, 2, "ORG"), "bo": (0, 2, "LOC")}
    assert result.by_kind == {"category": 1.0, "unaligned": 1.0, "shift": 1 / 16}
    assert (result.compared, result.excluded) == (1, ())


def test_answer_and_tables() -> None:
    view = disagreements_view(cz.disagreements(news()))
    assert view.text == (
        "Two coders disagree at 3 places in 1 item; the costliest is news, 0-2, 'EU': ann has 0-2 ORG, bo has 0-2 LOC."
    )
    table = view.sections[0].build()
    assert isinstance(table, Table)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert rows[2]["has"] == "24-39 PER: ann; 30-39 PER: bo"
    assert (rows[1]["place"], rows[1]["text"], rows[1]["has not"]) == ("11-17", "[German]", "bo")
    json.dumps(cz.disagreements(news()).to_dict())


def test_three_coders_share_the_disorder_of_a_place() -> None:
    """The mean over three pairs: 2/3 if a coder of three lacks the span, 1 if only one has it."""
    spans = {"ann": [(0, 10, "a"), (50, 60, "a")], "bo": [(0, 10, "a")], "cy": []}
    result = cz.disagreements(cz.Corpus({"t": {coder: cz.Spans(rows, length=90) for coder, rows in spans.items()}}))
    expected = [(pytest.approx(1.0, abs=1e-15), ("ann",)), (pytest.approx(2 / 3, abs=1e-15), ("ann", "bo"))]
    assert [(place.cost, place.has) for place in result.places] == expected
    assert [(row.coders, row.kind) for row in result.rows] == [
        (("ann", "bo"), "unaligned"),
        (("ann", "cy"), "unaligned"),
        (("ann", "cy"), "unaligned"),
        (("bo", "cy"), "unaligned"),
    ]
    with_bo = cz.disagreements(corpus := cz.Corpus(_crossing()), against="bo")
    assert {row.coders for row in with_bo.rows} == {("ann", "bo"), ("bo", "cy")}
    assert with_bo.compared == 2
    assert len(cz.disagreements(corpus)) > len(with_bo)


def _crossing() -> dict[str, dict[str, cz.Spans]]:
    """Return spans that cross, of which only the categories of the second ones differ."""
    second = {"ann": "b", "bo": "c", "cy": "d"}
    return {"t": {coder: cz.Spans([(0, 10, "a"), (5, 15, kind)], length=20) for coder, kind in second.items()}}


def test_crossing_spans() -> None:
    result = cz.disagreements(cz.Corpus(_crossing()))
    assert [(row.kind, row.positions, row.cost) for row in result.rows] == [("category", (5, 5), 1 / 3)] * 3


def test_costs_add_up_to_the_observed_disorder() -> None:
    draw = random.Random(7)
    for coders in (2, 3, 4):
        rows = {f"c{i}": [_unit(draw) for _ in range(draw.randint(4, 8))] for i in range(coders)}
        corpus = cz.Corpus({"t": {name: cz.Spans(units, length=100) for name, units in rows.items()}})
        coefficient = cz.Gamma(alpha=2, delta_empty=0.5, samples=2)
        observed: Any = cz.agreement(corpus, coefficient=coefficient, interval=None)
        mean = sum(map(len, rows.values())) / coders
        result = cz.disagreements(corpus, measure=coefficient)
        assert result.cost / mean == pytest.approx(observed.observed_disorder, abs=1e-12)


def _unit(draw: random.Random) -> tuple[int, int, str]:
    start = draw.randrange(90)
    return start, start + draw.randint(1, 10), draw.choice("ab")


def test_identical_coders_agree() -> None:
    spans = cz.Spans([(0, 10, "a"), (5, 15, "b")], length=20)
    result = cz.disagreements(cz.Corpus({"t": {"ann": spans, "bo": spans}}))
    assert (len(result), result.cost) == (0, 0)
    assert disagreements_view(result).text == "The coders agree everywhere, on 1 item."


def test_an_item_that_cannot_be_compared_is_listed() -> None:
    item = dict(news().of_item("news"))
    corpus = cz.Corpus({"news": item, "alone": {"ann": item["ann"]}})
    result = cz.disagreements(corpus)
    assert result.items == ("news",)
    assert [entry.item for entry in result.excluded] == ["alone"]


def test_seconds() -> None:
    spans = {"ann": [(1.5, 3.0)], "bo": [(2.0, 3.0)]}
    corpus = cz.Corpus({"t": {coder: cz.Spans(rows, seconds=True, length=9) for coder, rows in spans.items()}})
    (place,) = cz.disagreements(corpus).places
    assert (place.times, place.mark_times) == ((1.5, 2.0, 3.0), {"ann": (1.5,), "bo": (2.0,)})
    assert place.cost == pytest.approx(0.04, abs=1e-15)  # (0.5 / 2.5)^2


def test_signature_is_verified() -> None:
    result = cz.disagreements(news(), measure="gamma(alpha=3)", against="bo")
    assert verify(result.signature, news()).status == "verified"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"against": "majority"}, "spans have no majority"),
        ({"against": "Bo"}, "there is no coder 'Bo'"),
        ({"measure": "boundary_similarity"}, "come from the alignment of gamma, not from boundary_similarity"),
        ({"measure": "u_alpha"}, "come from the alignment of gamma"),
    ],
)
def test_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        cz.disagreements(news(), **arguments)


def test_coefficient_of_the_command() -> None:
    result = find_disagreements(news(), DisagreementOptions(coefficient="gamma(beta=0)"))
    assert [row.kind for row in result.rows] == ["unaligned", "shift"]
    nested = find_disagreements(news(), DisagreementOptions(measures=(cz.parse("hierarchy_overlap"),)))
    assert {row.kind for row in nested.rows} == {"span"}
    with pytest.raises(OptionError, match="there is none for spans named 'delta'"):
        find_disagreements(news(), DisagreementOptions(coefficient="delta"))


def _many_coders(items: int, coders: int) -> cz.Corpus:
    rng = random.Random(5)

    def spans() -> cz.Spans:
        starts = (10 * k + rng.randrange(6) for k in range(4))
        return cz.Spans([(start, start + 1 + rng.randrange(8), rng.choice("AB")) for start in starts], length=60)

    return cz.Corpus({f"x{i}": {f"c{j}": spans() for j in range(coders)} for i in range(items)})


def _dense(items: int, coders: int, spans: int) -> cz.Corpus:
    """Long spans that overlap everywhere, of which every one has partners of every coder."""
    rng = random.Random(7)

    def marked() -> cz.Spans:
        starts = sorted(rng.randrange(5 * spans) for _ in range(spans))
        return cz.Spans([(start, start + 20 + rng.randrange(30), rng.choice("AB")) for start in starts])

    return cz.Corpus({f"x{i}": {f"c{j}": marked() for j in range(coders)} for i in range(items)})


def test_small_corpora_of_a_few_coders_are_searched_in_full(recwarn: pytest.WarningsRecorder) -> None:
    for corpus in (_many_coders(items=50, coders=3), _many_coders(items=20, coders=6), _dense(2, 3, 30)):
        assert cz.disagreements(corpus).rows
    assert not recwarn.list


def test_alignments_as_json_are_those_of_the_objects() -> None:
    corpus = _many_coders(items=2, coders=3)
    aligned = best_span_alignment(corpus)
    plain = to_plain(aligned)
    assert plain == {name: to_plain(aligned[name]) for name in aligned}
    units = [unit for row in plain["x0"]["unitary"] for unit in row["units"] if unit is not None]
    spans = [span._asdict() for coder in corpus.coders for span in corpus["x0", coder].spans]
    assert sorted(map(str, units)) == sorted(map(str, spans))


def test_alignments_that_are_not_proved_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = _many_coders(items=12, coders=2)
    unproved = {name: replace(entry, proved=False) for name, entry in best_span_alignment(corpus).items()}
    module = import_module("caesura.agreement.span_disagreements")
    monkeypatch.setattr(module, "align_items", lambda *_: unproved)
    with pytest.warns(UserWarning, match="not proved to be the best") as raised:
        cz.disagreements(corpus)
    assert [str(entry.message) for entry in raised][-1] == "2 more alignments are not proved to be the best"
    assert len(raised) == 11
