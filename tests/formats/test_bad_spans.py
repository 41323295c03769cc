"""Invalid files with spans: one line with the place, the rule and the actual value."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import FormatError

BAD = Path(__file__).parent / "bad"

SAID = {
    "crossing.json": r":7: item 'poem', coder 'bo': 2-5 on level 2 and 4-7 on level 2 cross; each coder's own",
    "outside.json": r":3: item 'poem', coder 'bo': spans\[0\]: a span must lie in 1\.\.8; got 1-9",
    "backwards.json": r":2: item 'poem', coder 'bo': spans\[1\]: start must not be after end; got 5 > 3",
    "levels.json": r":2: item 'poem', coder 'bo': 2-3 on level 1 lies inside 1-8 on level 2; an inner span must be deeper",
    "no_length.json": r":2: item 'poem', coder 'ann': expected the number of units, as length or as units",
    "nan.json": r":2: item 'song', coder 'ann': spans\[0\]: end must be a time in seconds from 0 to 1e.12; got nan",
    "beyond.json": r":3: item 'song', coder 'bo': spans\[1\]: a span must lie in 0-9\.5 s; got 4-12\.25; or read with",
    "damaged.json": r":3: not valid JSON: Expecting ',' delimiter at column 3",
    "unit.json": r":2: item 'song', coder 'ann': unit must be one of units, seconds; got 'minutes'",
    "backwards.csv": r":3: item 'poem', coder 'bo': start must not be after end; got 5 > 3",
    "decimal.csv": r":3: item 'poem', coder 'ann': end must be a whole number; got '4\.5'; for times name the columns",
    "outside.csv": r":3: item 'poem', coder 'ann': a span must lie in 1\.\.8; got 5-9",
    "short_row.csv": r":3: a row must have 4 cells like the header; got 3",
    "some_levels.csv": r":3: item 'poem', coder 'ann': all spans of a coder have a level, or none",
    "two_lengths.csv": r":3: item 'poem', coder 'ann': length must be the same in all rows; got '9' after '8'",
    "backwards.lab": r":2: start must not be after end; got 10\.0 > 5\.0",
    "word.lab": r":2: start must be a time in seconds from 0 to 1e.12; got 'ten'",
    "overlap.lab": r": item 'overlap', coder 'overlap': 0-10 s on level 1 and 9-20 s on level 1 cross",
    "endless_textfile1.txt": r": the last line must be End; there is none, so the last segments do not end",
    "falling_textfile1.txt": r":3: times must not decrease; got 4 after 5",
    "laughs.rs3": r":2: expected a plain document, entities are not expanded; got <!DOCTYPE",
    "undeclared_entity.rs3": r":2: not valid XML: Entity 'lol' not defined",
    "damaged.rs3": r":2: not valid XML: Opening and ending tag mismatch",
    "no_body.rs3": r":1: expected <rst> with a <body>; got <html>",
    "no_edu.rs3": r":3: expected at least one EDU \(<segment>\); got none",
    "circle.rs3": r":3: every node must be below a node without a parent; '2' is in a cycle",
    "orphan.rs3": r":3: the parent of '2' must be a node; got '9'",
    "twice.rs3": r":3: a segment must have a unique id; got '1'",
    "undeclared.rs3": r":3: a relation must be declared in the header, to tell nuclei from satellites; got 'cause'",
    "gap.rs3": r":5: the yield of node '4' must have no gap; it has 2 of the EDUs 1-3; or read with repair=True",
    "no_nucleus.rs3": r":3: a group must have a nucleus; '2' has none",
    "empty_edu.rs3": r":3: segment '2' must have a text; it is empty",
}


def test_every_bad_file_is_tested() -> None:
    assert set(SAID) == {path.name for path in BAD.iterdir()}


@pytest.mark.parametrize("name", SAID)
def test_the_message_names_the_place(name: str) -> None:
    if name.endswith(".rs3"):
        pytest.importorskip("lxml", reason="lxml is not installed: pip install caesura[xml]")
    with pytest.raises(FormatError, match=SAID[name]) as caught:
        cz.read(BAD / name)
    assert str(caught.value).startswith(str(BAD / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["crossing.json", "outside.json", "backwards.json", "levels.json", "beyond.json"])
def test_the_other_coder_is_still_read(name: str) -> None:
    excluded: list[FormatError] = []
    corpus = cz.read(BAD / name, excluded=excluded)
    assert corpus.coders == ("ann",)
    assert len(excluded) == 1
