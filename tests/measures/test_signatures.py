"""Signatures are written and read: every measure and every option comes back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import measure_of, read_signature, short_text
from caesura.model.result import format_short, is_signature, option_text, option_value, with_data
from support.measures import measures

simple = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)


@given(simple | st.tuples(simple) | st.tuples(simple, st.tuples(simple, simple)))
def test_option_values_come_back(value: object) -> None:
    text = option_text(value)
    assert "|" not in text
    assert "\n" not in text
    again = option_value(text)
    assert again == value
    assert type(again) is type(value)


@given(measures(), st.sampled_from(["boundary", "a|b", "c:d"]))
def test_long_signatures_name_the_measure(measure: Measure, kind: str) -> None:
    """An option that the data determine is None again, whatever value the signature shows."""
    resolved = {name: 7 if value is None else value for name, value in measure.settings.items()}
    line = measure.signature({**resolved, "extent": 8}, (kind, "other"), 3)
    assert measure_of(line) == measure
    assert cz.parse(with_data(line, "0123456789abcdef", 0.1)) == measure
    assert cz.parse(f"multi_pi|coders:3|types:together|{line}") == measure


@given(measures(), st.floats(-1, 1))
def test_short_signatures_name_the_measure(measure: Measure, value: float) -> None:
    line = format_short(short_text(measure), value, "0123456789abcdef")
    if "…" in line:
        with pytest.raises(OptionError, match="abbreviated; use the long signature"):
            cz.parse(line)
        return
    assert is_signature(line)
    assert cz.parse(line) == measure
    read = read_signature(line)
    assert read.data == "01234567"
    assert math.isclose(float(read.value or ""), value, abs_tol=5.1e-5)


@given(measures())
def test_the_text_of_a_measure_is_not_a_signature(measure: Measure) -> None:
    assert not is_signature(repr(measure))
    assert not is_signature(measure.label)


def test_agreement_over_a_measure() -> None:
    read = read_signature("multi_pi(chance=placement, seed=3) over B(n_t=4) = -.1200 · caesura 0.2.0 · data 01234567")
    assert read.words == ("multi_pi",)
    assert read.facts == {"chance": "placement", "seed": "3"}
    assert read.measure == cz.parse("boundary_similarity(n_t=4)")
    assert read.value == "-.1200"


LINE = with_data(cz.parse("B").signature(cz.parse("B").settings, ("boundary",), 3), "0123456789abcdef", 0.75)
LINE = LINE.replace(cz.__version__, "0.2.0")  # a cut of a version for developers may look like a version


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a signature"),
        ("B(n_t=2)", "expected a signature"),
        ("B(n_t=2) = .7500", "lacks the version, .* the fingerprint of the data"),
        ("B(n_t=2) = .7500 · caesura 0.2.0", "lacks the fingerprint of the data"),
        ("B(n_t=2) = .7500 · caesura 0.2.0 · data 0123", "lacks the fingerprint of the data.*8 digits"),
        ("B(n_t=2) = .7500 · data 01234567", "lacks the version"),
        ("B(n_t=2) · caesura 0.2.0 · data 01234567", "lacks the value"),
        ("B(n_t= = .7500 · caesura 0.2.0 · data 01234567", "expected a signature"),
        ("X(n_t=2) = .7500 · caesura 0.2.0 · data 01234567", "there is no measure 'X'"),
        (LINE.rpartition("|")[0], "lacks caesura:VERSION at the end"),
        (LINE.replace("|caesura:0.2.0", "|caesura:0."), "lacks caesura:VERSION at the end"),
        (LINE.replace("|value:0.75", ""), "lacks value:"),
        (LINE.replace("|data:0123456789abcdef", ""), "lacks data:"),
        (LINE.replace("abcdef", ""), "digits of data:0123456789, which has 10 of 16"),
        (LINE[: LINE.index("|alignment")], "boundary_similarity lacks alignment:"),
        (LINE[:30], "boundary_similarity lacks n_t:"),
    ],
)
def test_cut_off_signatures_say_what_is_missing(text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        read_signature(text)


@given(st.integers(0, len(LINE) - 1))
def test_every_cut_is_an_error(end: int) -> None:
    with pytest.raises(OptionError):
        read_signature(LINE[:end])


def test_what_names_no_measure() -> None:
    with pytest.raises(OptionError, match="names no measure"):
        cz.parse("alpha|coders:3|caesura:0.2.0")


def test_signatures_that_a_terminal_changed() -> None:
    short = "B(n_t=4) = .7500 · caesura 0.2.0 · data 01234567"
    for text in (short.replace(" · data", "\n  · data"), short.replace("·", "?"), f"  {short}\n"):
        read = read_signature(text)
        assert (read.measure, read.value, read.data) == (cz.parse("B(n_t=4)"), ".7500", "01234567")
    assert read_signature(f" {LINE}\n").measure == cz.parse("B")
