"""Tables and drawings."""

from __future__ import annotations

import io

from rich.console import Console

import caesura as cz
from caesura.report.alignment import draw, edit_table
from caesura.report.table import Table


def test_every_kind_of_edit_is_drawn() -> None:
    types = ["scene", "act"]
    a = cz.Segmentation.from_sets([{"act"}, set(), {"scene"}, {"act"}, set(), set(), {"act"}, set(), set()], types)
    b = cz.Segmentation.from_sets([{"act"}, set(), {"act"}, set(), {"act"}, set(), set(), set(), {"scene"}], types)
    assert draw(a, b, cz.boundary_similarity(a, b).edits or ()).splitlines() == [
        "REF  ·{act}··{scene}·{act}·     ··{act}··       ·",
        "HYP  ·{act}··{act}  ·     ·{act}··     ··{scene}·",
        "      =      ~       >     <      -      +",
    ]


def test_long_texts_are_wrapped() -> None:
    a = cz.Segmentation.from_masses([50, 50])
    lines = draw(a, a, cz.boundary_similarity(a, a).edits or (), width=45).splitlines()
    assert max(map(len, lines)) <= 45
    assert sum(line.count("·") for line in lines if line.startswith("REF")) == 100


def test_words_and_wide_characters_line_up() -> None:
    a = cz.Segmentation.from_bits("10", units=["狗", "barked", "loudly"])
    b = cz.Segmentation.from_bits("01", units=["狗", "barked", "loudly"])
    assert draw(a, b, cz.boundary_similarity(a, b).edits or ()).splitlines() == [
        "REF  狗 | barked   loudly",
        "HYP  狗   barked | loudly",
        "        >        <",
    ]


def test_control_characters_are_not_sent_to_the_terminal() -> None:
    a = cz.Segmentation.from_bits("1", units=["\x1b[31mred", "b"])
    assert "\x1b" not in draw(a, a, cz.boundary_similarity(a, a).edits or ())


def test_edit_table_names_types_only_where_there_are_any() -> None:
    a = cz.Segmentation.from_masses([1, 1])
    assert edit_table(cz.boundary_similarity(a, a).edits or (), ("r", "h")).columns == (
        "what happened",
        "r",
        "h",
        "cost",
    )


def test_table_as_text_csv_and_latex() -> None:
    table = Table(("name", "value"), (("a_b & c", 0.12345), ("a_b & c", None)), notes=("n",), group=1)
    out = io.StringIO()
    table.print(Console(file=out, width=60))
    lines = [line.split() for line in out.getvalue().splitlines() if line.strip()]
    assert lines[0] == ["name", "value"]
    assert lines[2] == ["a_b", "&", "c", "0.1235"]
    assert lines[-1] == ["n"]
    assert table.csv() == "name,value\na_b & c,0.12345\na_b & c,\n"
    assert table.latex().splitlines()[4] == r"a\_b \& c & 0.1235 \\"


def test_markup_in_names_is_shown_and_not_obeyed() -> None:
    out = io.StringIO()
    Table(("[red]x[/red]",), (("[bold]y",),)).print(Console(file=out, width=60))
    assert "[red]x[/red]" in out.getvalue()
    assert "[bold]y" in out.getvalue()
