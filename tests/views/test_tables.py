"""Tables and drawings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.tasks.score import score_corpora
from caesura.views.results import draw, edit_records, scoring_view
from caesura.views.table import Table, clean, pad, shorten, text_width
from caesura.views.text_table import table_text, wrap
from support.corpora import of_masses


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
    expected = ["REF  狗 | barked   loudly", "HYP  狗   barked | loudly", "        >        <"]
    assert draw(a, b, cz.boundary_similarity(a, b).edits or ()).splitlines() == expected


def test_control_characters_are_not_sent_to_the_terminal() -> None:
    a = cz.Segmentation.from_bits("1", units=["\x1b[31mred", "b"])
    assert "\x1b" not in draw(a, a, cz.boundary_similarity(a, a).edits or ())


def test_edit_records_name_types_only_if_there_are_any() -> None:
    a = cz.Segmentation.from_masses([1, 1])
    (record,) = edit_records(cz.boundary_similarity(a, a).edits or ())
    assert tuple(record) == ("edit", "reference", "hypothesis", "cost")


def test_table_as_text_csv_and_latex() -> None:
    table = Table(("name", "value"), (("a_b & c", 0.12345), ("a_b & c", None)), notes=("n",), group=1)
    text = table_text(table, 60)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    assert lines[0] == ["name", "value"]
    assert lines[2] == ["a_b", "&", "c", "0.1235"]
    assert lines[-1] == ["n"]
    assert table.csv() == "name,value\na_b & c,0.12345\na_b & c,\n"
    assert table.latex().splitlines()[4] == r"a\_b \& c & 0.1235 \\"


def test_markup_in_names_is_not_interpreted() -> None:
    text = table_text(Table(("[red]x[/red]",), (("[bold]y",),)), 60)
    assert "[red]x[/red]" in text
    assert "[bold]y" in text


def test_empty_columns_are_not_printed() -> None:
    table = Table(("name", "low", "high"), (("a", None, 0.5), ("b", None, None)))
    text = table_text(table, 60)
    assert "low" not in text
    assert "high" in text
    assert table.csv().startswith("name,low,high\n")


def test_small_p_values_are_not_printed_as_zero() -> None:
    table = Table(("x", "p"), ((0.00001, 0.00001234), (0.0, 0.0)), p_values=("p",))
    assert table.latex().splitlines()[4:6] == [r"0.0000 & 1.2e-05 \\", r"0.0000 & 0.0000 \\"]
    assert table.csv() == "x,p\n1e-05,1.234e-05\n0.0,0.0\n"


def test_control_characters_in_tables() -> None:
    table = Table(("name",), (("\x1b[31mred\n",),), title="t", notes=("one\nline",))
    text = table_text(table, 60)
    assert "\x1b" not in text
    assert "one�line" in text
    assert table.latex().splitlines()[4] == r"�[31mred  \\"
    assert table.latex().splitlines()[-1] == "% one�line"


def test_numbers_are_never_wrapped() -> None:
    table = Table(("what", "value"), (("a long name that has to give way", -0.12345),) * 2)
    text = table_text(table, 24)
    assert text.count("-0.1235") == 2


def test_blocks_of_rows_as_separate_tables() -> None:
    rows = (("pi", "B", "ann", 0.5), ("pi", "B", "bo", 0.25), ("pi", "S", "ann", 0.75))
    table = Table(
        ("coefficient", "over", "coder", "value"), rows, title="Coders", notes=("n",), group=2, split_groups=True
    )
    text = table_text(table, 60)
    lines = [line.split() for line in text.splitlines() if line.strip() and "─" not in line]
    assert lines == [
        ["Coders:", "pi,", "B"],
        ["coder", "value"],
        ["ann", "0.5000"],
        ["bo", "0.2500"],
        ["Coders:", "pi,", "S"],
        ["coder", "value"],
        ["ann", "0.7500"],
        ["n"],
    ]
    assert table.csv().splitlines()[1] == "pi,B,ann,0.5"


def test_clean_keeps_characters_that_scripts_need() -> None:
    text = "Zo\u00e9 e\u0301 a\u00a0b \u3000狗 می\u200cروم 👩\u200d🔬"
    assert clean(text) == text
    assert clean("a\x1b\n\t\u202e\u2028\ud800\x7f") == "a" + "�" * 7
    assert (text_width("می\u200cروم"), text_width("e\u0301"), text_width("\u3000")) == (5, 1, 2)
    assert pad("狗", 4) == "狗  "


def test_control_characters_in_columns() -> None:
    text = table_text(Table(("as \x1b[31m",), ((1,),)), 60)
    assert "\x1b" not in text


def test_table_as_markdown() -> None:
    """The content of a cell is plain text and stays in its cell."""
    rows = (("a|b", 0.5), ("<b>*x*</b> [y](z) `q` $e$", None), ("one\nline\\", 2.0))
    assert Table(("name_1", "B"), rows, title="T*", notes=("n_t:2", "second")).markdown() == (
        "**T\\***\n\n"
        "| name\\_1 | B |\n|---|--:|\n"
        "| a\\|b | 0.5000 |\n"
        "| \\<b\\>\\*x\\*\\</b\\> \\[y\\](z) \\`q\\` \\$e\\$ |  |\n"
        "| one\N{REPLACEMENT CHARACTER}line\\\\ | 2.0000 |\n"
        "\nn\\_t:2  \nsecond\n"
    )


def test_text_is_truncated_by_display_width() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
    assert shorten("王小明王", 6) == "王小…"  # two columns each: five are left, and the third would take the sixth
    assert shorten("e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}s", 3) == "e\N{COMBINING ACUTE ACCENT}t…"


def test_wide_tables_become_paragraphs() -> None:
    """Every name and every value is there, whole, with the name of its column."""
    rows = ("texttiling", 0.5, 0.25, 0.75), ("bayesseg", 0.125, None, None)
    table = Table(("system", "value", "low", "high"), rows)
    first = ["system texttiling", "  value 0.5000   low 0.2500", "  high 0.7500"]
    assert table_text(table, 30).splitlines() == [*first, "system bayesseg", "  value 0.1250"]


def test_sentences_in_a_column_are_wrapped_between_words() -> None:
    table = Table(("item", "reason"), (("a", "the two coders have texts of different length"), ("b", "no coder")))
    assert table_text(table, 34).splitlines() == [
        "  item  reason",
        "  " + "─" * 32,
        "  a     the two coders have texts",
        "        of different length",
        "  b     no coder",
    ]


def test_main_tables_say_how_many_rows_are_hidden() -> None:
    table = Table(("item",), tuple((name,) for name in "abcde"), limit=3, notes=("n",))
    assert [line.strip() for line in table_text(table, 20).splitlines()][2:] == ["a", "b", "c", "and 2 more", "n"]
    assert len(table.csv().splitlines()) == 6


def test_wrapping() -> None:
    assert wrap("", 10) == [""]
    assert wrap("a-very-long-word and more", 5, "  ") == ["a-very-long-word", "  and", "  more"]
    assert wrap("    indented words", 12) == ["    indented", "words"]
    assert wrap("王小明 王小明", 7) == ["王小明", "王小明"]


@pytest.mark.parametrize("width", [20, 60, 80])
@given(rows=st.lists(st.tuples(st.text("ab 王", max_size=30), st.floats(-1, 1), st.none() | st.integers()), max_size=4))
def test_no_cell_is_ever_lost(rows: list[tuple[str, float, int | None]], width: int) -> None:
    table = Table(("what it is", "value", "a whole number"), tuple(rows))
    words = table_text(table, width).split()
    for row in table.without_empty_columns().text_rows:
        for cell in row:
            assert set(cell.split()) <= set(words)
    if rows:
        names = table.without_empty_columns().columns
        assert {word for name in names for word in name.split()} <= set(words)


def test_text_has_the_first_rows_of_a_very_long_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.views.text_table.MAX_TEXT_ROWS", 3)
    table = Table(("n",), tuple((i,) for i in range(5)), notes=("note",))
    expected = ["  2", "and 2 more; --json, --csv and --output have all rows", "note"]
    assert table_text(table, 60).splitlines()[-3:] == expected
    assert table_text(replace(table, limit=2), 60).splitlines()[-2:] == ["and 3 more", "note"]
    assert len(table.csv().splitlines()) == 6


def test_details_of_many_items_are_an_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = of_masses(**{f"x{i}": {"ann": [2, 2, 2], "bo": [1, 3, 2]} for i in range(4)})
    scoring = score_corpora(corpus)
    complete = scoring_view(scoring).blocks(details=True)
    monkeypatch.setattr("caesura.views.results.MAX_TEXT_ROWS", 3)
    monkeypatch.setattr("caesura.views.results.MAX_DRAWN_UNITS", 8)
    answer = scoring_view(scoring)
    _, items, edits, drawing = answer.blocks(details=True)
    assert isinstance(items, Table)
    assert items.rows == complete[1].rows[:3]
    assert items.notes[0].startswith("and ")
    assert "--json, --csv and --output have all rows" in items.notes[0]
    assert isinstance(edits, Table)
    assert edits.rows == complete[2].rows[:3]
    assert edits.notes == ("and more; --json, --csv and --output have all rows",)
    assert "x1: " in str(drawing)
    assert "x2: " not in str(drawing)
    assert "Only the first 8 units are drawn" in str(drawing)
    assert answer.table("items").rows == complete[1].rows  # type: ignore[union-attr]


def test_the_beginning_of_a_long_text_is_drawn() -> None:
    a, b = cz.Segmentation.from_masses([2, 3, 6]), cz.Segmentation.from_masses([2, 2, 7])
    edits = cz.boundary_similarity(a, b).edits or ()
    assert draw(a, b, edits, units=3).splitlines() == ["REF  ··|·", "HYP  ··|·", "       ="]
