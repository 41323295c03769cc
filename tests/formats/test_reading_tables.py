"""Tables as people bring them: names in German, flags, comments, times with units, and columns that may be coders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import AmbiguousFileError, CaesuraWarning, FormatError
from caesura.formats.column_names import split_unit
from caesura.formats.roles import check_fields, fields_text
from caesura.model.tier import Tier
from support.files import text_reader

read = text_reader("t.csv")


def choices(error: pytest.ExceptionInfo[AmbiguousFileError]) -> list[Any]:
    return [options for _, options in error.value.choices]


FLAGS = """doc,sentence,annotator_1,annotator_2,is_headline,has_quote,version
a,One.,0,0,1,0,1
a,Two.,1,0,0,1,1
a,Three.,0,1,0,0,1
a,Four.,0,0,0,0,1
"""
EVENTS = """Versuchsperson;Film;Zeit
P1;a;1,5
P1;a;4,5
P1;b;2,5
P2;a;1,25
P2;b;2,75
"""


def test_flags_are_not_coders(tmp_path: Path) -> None:
    corpus = read(tmp_path, FLAGS.replace(",version", ",n").replace(",1\n", ",7\n"))
    assert corpus.coders == ("annotator_1", "annotator_2")
    assert "is_headline (0/1 flags)" in corpus.reading.ignored


@pytest.mark.parametrize("digits", ["01", "\uff10\uff11"])
def test_wide_digits_are_marks(tmp_path: Path, digits: str) -> None:
    no, yes = digits
    corpus = read(tmp_path, f"item,text,ann,bo\nx,a,{no},1\nx,b,{yes},0\nx,c,{no},0\n")
    assert {coder: corpus["x", coder].masses for coder in corpus.coders} == {"ann": (2, 1), "bo": (1, 2)}


def test_flags_alone_are_coders(tmp_path: Path) -> None:
    assert read(tmp_path, "text,is_x,is_y\na,0,1\nb,1,0\nc,0,0\n").coders == ("is_x", "is_y")
    assert read(tmp_path, "text,ann,is_boundary_bo\na,0,1\nb,1,0\nc,0,0\n").coders == ("ann", "is_boundary_bo")


def test_a_column_of_ones_may_be_a_coder(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match="column version: the cells are 1 in every row") as error:
        read(tmp_path, FLAGS)
    assert choices(error)[0] == {"fields": {"coders": ["annotator_1", "annotator_2"]}}
    for options in choices(error):
        assert read(tmp_path, FLAGS, **options).coders == tuple(options["fields"]["coders"])


def test_numbered_annotators_and_other_marks(tmp_path: Path) -> None:
    text = FLAGS.replace("is_headline", "headline").replace("version", "gold").replace(",1\n", ",0\n")
    with pytest.raises(AmbiguousFileError, match=r"column headline.*not named like annotator_1") as error:
        read(tmp_path, text)
    assert read(tmp_path, text, **choices(error)[0]).coders == ("annotator_1", "annotator_2", "gold")


def test_a_comment_is_never_a_coder(tmp_path: Path) -> None:
    text = "Satz,Anna,Björn,Zoë,Bemerkung\na,,nein,FALSCH,\nb,x,ja,WAHR,unsicher\nc,,nein,FALSCH,unsicher\n"
    corpus = read(tmp_path, text)
    assert corpus.coders == ("Anna", "Björn", "Zoë")
    assert len({*corpus.values()}) == 1
    assert corpus["t", "Anna"].masses == (2, 1)
    assert corpus.reading.ignored == ("Bemerkung (comments)",)


def test_items_in_a_column_called_text(tmp_path: Path) -> None:
    rows = "".join(f"{item},{item} {i},{int(i == 3)}\n" for item in "AB" for i in range(6))
    with pytest.raises(AmbiguousFileError, match="the cells of Text repeat") as error:
        read(tmp_path, f"Text,Satz,Anna\n{rows}")
    assert read(tmp_path, f"Text,Satz,Anna\n{rows}", **choices(error)[0]).item_names == ("A", "B")


def test_events_in_german(tmp_path: Path) -> None:
    corpus = read(tmp_path, EVENTS)
    assert (corpus.item_names, corpus.coders) == (("a", "b"), ("P1", "P2"))


@pytest.mark.parametrize(("name", "scale"), [("time_s", 1), ("Time (ms)", 1000), ("seconds", 1), ("time_msec", 1000)])
def test_units_of_time(tmp_path: Path, name: str, scale: int) -> None:
    corpus = read(tmp_path, f"subject,movie,{name}\na,m,{int(2 * scale)}\na,m,{int(3 * scale)}\n")
    tier = corpus["m", "a"]
    assert isinstance(tier, Tier)
    assert [point.time for point in tier.points or ()] == [2.0, 3.0]
    assert any("milliseconds" in note for note in corpus.reading.notes) == (scale == 1000)


def test_segments_in_milliseconds(tmp_path: Path) -> None:
    corpus = read(tmp_path, "item,coder,start_ms,end_ms,label\na,x,0,1500,p\na,x,1500,4000,q\n")
    assert corpus.kind == "spans"
    assert any("milliseconds in start_ms" in note for note in corpus.reading.notes)
    assert corpus["a", "x"] == cz.Spans([(0, 1.5, "p"), (1.5, 4, "q")], seconds=True)


def test_names_of_units() -> None:
    names = {"Onset (ms)": ("onset", "ms"), "time_s": ("time", "s"), "items": ("items", "")}
    assert {name: split_unit(name) for name in names} == names


def test_named_times_decide_the_shape(tmp_path: Path) -> None:
    text = "participant,session,movie,rt\nP1,1,a,1.5\nP1,1,a,2.5\n"
    with pytest.raises(FormatError, match=r"session \(1 in every row\).*--fields time=rt"):
        read(tmp_path, text)
    assert read(tmp_path, text, fields="time=rt").coders == ("P1",)


def test_words_that_may_be_labels_or_coders_of_events(tmp_path: Path) -> None:
    text = EVENTS.replace("Versuchsperson;Film;Zeit", "Sujet;Vidéo;Temps")
    with pytest.raises(AmbiguousFileError, match="Temps may be times") as error:
        read(tmp_path, text)
    with pytest.raises(AmbiguousFileError, match="the times overlap or are not in order") as second:
        read(tmp_path, text, **choices(error)[1])
    assert {"fields": {"coder": "Sujet", "item": "Vidéo"}} in choices(second)
    corpus = read(tmp_path, text, fields={"time": "Temps", "coder": "Sujet", "item": "Vidéo"})
    assert [corpus.coders, corpus.item_names] == [("P1", "P2"), ("a", "b")]


def test_segments_of_several_coders_are_not_joined(tmp_path: Path) -> None:
    text = "interview,who,start,end,code\na,x,0,9,p\na,x,9,20,q\na,y,0,8,p\na,y,8,20,q\n"
    with pytest.raises(AmbiguousFileError, match="no column is the coder; it may be who") as error:
        read(tmp_path, text)
    assert read(tmp_path, text, **choices(error)[0]).coders == ("x", "y")


def test_an_export_of_coded_segments(tmp_path: Path) -> None:
    quotation = "A long passage of the interview that somebody selected"
    text = f"Document name,Code,Begin,End,Created by,Segment\nI1,Work,3,5,Mia,{quotation}\nI1,Home,5,9,Jo,{quotation}\n"
    corpus = read(tmp_path, text)
    assert (corpus.item_names, corpus.coders) == (("I1",), ("Mia", "Jo"))
    assert corpus.reading.roles["Code"] == "label"


def test_several_sheets(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Kodierung"
    for row in (("text", "ann"), ("a", 0), ("b", 1), ("c", 0)):
        book.active.append(row)
    sheet = book.create_sheet("Notizen")
    sheet.append(["siehe oben"])
    path = tmp_path / "t.xlsx"
    book.save(path)
    corpus = cz.read(path)
    assert corpus.coders == ("ann",)
    assert corpus.source.ignored == ("sheet Notizen (not a table)",)
    for row in (("text", "bo"), ("a", 0), ("b", 1)):
        sheet.append(row)
    book.save(path)
    with pytest.raises(AmbiguousFileError, match="2 sheets") as error:
        cz.read(path)
    assert choices(error) == [{"sheet": "Kodierung"}, {"sheet": "Notizen"}]  # their columns differ
    assert cz.read(path, sheet="Kodierung").coders == ("ann",)
    with pytest.raises(FormatError, match="no sheet 'x' with content; the sheets are Kodierung, Notizen"):
        cz.read(path, sheet="x")


def test_fields_as_text() -> None:
    fields = {"item": ("doc",), "coders": ("A", "B")}
    assert fields_text(fields) == "item=doc,coders=A+B"
    assert check_fields("fields", fields_text(fields)) == fields
    odd = {"coders": ("A+B", "C, D")}
    assert check_fields("fields", fields_text(odd)) == odd


def test_coders_joined_by_a_plus_in_python(tmp_path: Path) -> None:
    text = "text,A,B,C\na,0,0,0\nb,1,0,1\nc,0,0,0\n"
    assert read(tmp_path, text, fields={"coders": "A+B"}).coders == ("A", "B")
    assert read(tmp_path, text.replace("A,B", "A+B,B"), fields={"coders": "A+B"}).coders == ("A+B",)


def test_ends_that_may_be_included_are_mentioned(tmp_path: Path) -> None:
    corpus = read(tmp_path, "item,coder,start,end,label\na,x,3,5,p\na,x,6,9,q\na,y,3,6,p\na,y,7,9,q\n")
    assert any("--reading spans=inclusive" in note for note in corpus.reading.notes)
    corpus = read(tmp_path, "item,coder,start,end,label\na,x,3,5,p\na,x,5,9,q\n")
    assert not any("inclusive" in note for note in corpus.reading.notes)


def test_crossing_spans_name_the_option_that_repairs_them(tmp_path: Path) -> None:
    text = "item,coder,start,end,label\na,x,0,5,p\na,x,3,9,q\n"
    assert read(tmp_path, text)["a", "x"] == cz.Spans([(0, 5, "p"), (3, 9, "q")])
    with pytest.raises(FormatError, match="--reading repair=yes"):
        read(tmp_path, text, as_="hierarchy")
    with pytest.warns(CaesuraWarning, match="do not nest: 1"):
        corpus = read(tmp_path, text, repair=True)
    hierarchy = corpus["a", "x"]
    assert isinstance(hierarchy, cz.Hierarchy)
    assert len(hierarchy.spans) == 1


def test_times_of_day(tmp_path: Path) -> None:
    text = 'interview,coder,start,end,code\na,x,00:00:00,00:01:23,p\na,x,1:23,4:10.5,q\na,y,0:00,"4:10,5",q\n'
    corpus = read(tmp_path, text)
    assert corpus["a", "x"] == cz.Spans([(0, 83, "p"), (83, 250.5, "q")], seconds=True)
    assert "times such as 00:00:00 in start were converted to seconds" in corpus.reading.notes


def test_merged_cells_of_items(tmp_path: Path) -> None:
    corpus = read(tmp_path, "Story,Sentence,Ann\nA,a,0\n,b,1\n,c,0\nB,d,0\n,e,1\n,f,0\n")
    assert corpus.item_names == ("A", "B")
    assert corpus["B", "Ann"].masses == (2, 1)
    assert corpus.reading.notes == ("empty cells of Story belong to the item above them",)


def test_overlapping_segments_of_a_praat_table(tmp_path: Path) -> None:
    rows = ["0\tIU_ann\tso\t1.2", "0\tIU_bo\tso\t0.8", "0.8\tIU_bo\thome\t2.5", "1.2\tIU_ann\thome\t2.5"]
    text = "\n".join(["tmin\ttier\ttext\ttmax", *rows, ""])
    with pytest.raises(AmbiguousFileError, match="it may be tier") as error:
        read(tmp_path, text, "t.txt")
    assert read(tmp_path, text, "t.txt", **choices(error)[0]).coders == ("IU_ann", "IU_bo")


def test_decimal_commas_between_tabs(tmp_path: Path) -> None:
    text = "Datei\tKodierer\tBeginn\tEnde\tKategorie\nr\tanna\t0,0\t2,5\tA\nr\tanna\t2,5\t6,0\tB\nr\tben\t0,0\t6,0\tA\n"
    corpus = read(tmp_path, text, "t.tsv")
    assert corpus.reading.roles["Beginn"] == "start"
    assert "decimal comma in Beginn, Ende" in corpus.reading.notes
    events = read(tmp_path, "Versuchsperson\tFilm\tZeit\nP1\ta\t1,5\nP1\ta\t4,25\nP2\ta\t1,75\n", "e.tsv")
    tier = events["a", "P1"]
    assert isinstance(tier, Tier)
    assert [point.time for point in tier.points or ()] == [1.5, 4.25]


def test_thousands_between_tabs_are_not_decimals(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"t\.tsv:2: column 'start': expected a number or a time; got '1,500'"):
        read(tmp_path, "item\tcoder\tstart\tend\tlabel\nr\tann\t1,500\t2,500\tA\nr\tann\t2,500\t9,500\tB\n", "t.tsv")


def test_facts_about_items_may_not_be_coders(tmp_path: Path) -> None:
    rows = "a,One.,0,0,1\na,Two.,1,1,1\na,Three.,0,0,1\nb,Four.,0,1,0\nb,Five.,1,0,0\nb,Six.,0,0,0\n"
    with pytest.raises(AmbiguousFileError, match="female: the cells are 1 in every row of some items") as error:
        read(tmp_path, f"doc,sentence,anna,ben,female\n{rows}")
    assert choices(error)[0] == {"fields": {"coders": ["anna", "ben"]}}


@pytest.mark.parametrize("nothing", ["none", "-", "None"])
def test_words_for_no_boundary(tmp_path: Path, nothing: str) -> None:
    marks = {"ann": {3: "strong", 7: "weak"}, "bo": {3: "weak", 8: "strong"}}
    rows = "".join(f"s{i},{marks['ann'].get(i, nothing)},{marks['bo'].get(i, nothing)}\n" for i in range(1, 13))
    corpus = read(tmp_path, f"sentence,ann,bo\n{rows}")
    assert corpus["t", "ann"].boundaries == ((3, "strong"), (7, "weak"))
    assert corpus["t", "bo"].boundaries == ((3, "weak"), (8, "strong"))
    assert f"{nothing} in ann means that there is no boundary" in corpus.reading.notes


def test_signs_for_labels_stay_labels(tmp_path: Path) -> None:
    rows = "".join(f"s{i},{label}\n" for i, label in enumerate("----AAAA---BBB--"))
    corpus = read(tmp_path, f"sentence,ann\n{rows}")
    assert list(corpus["t", "ann"].positions) == [4, 8, 11, 14]


def test_a_coder_with_many_segments_beside_others(tmp_path: Path) -> None:
    """Numbers that rise at most units are segment numbers if those of the other coders are; row numbers are not."""
    rows = [("a", 1, 1, 1), ("b", 1, 2, 2), ("c", 1, 3, 3), ("d", 2, 4, 4), ("e", 2, 4, 5), ("f", 2, 5, 6)]
    text = "text,ann,bo,row\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    corpus = read(tmp_path, text)
    assert corpus.coders == ("ann", "bo")
    assert corpus["t", "bo"].inner.tolist() == [1, 2, 3, 5]
    assert read(tmp_path, text, fields={"coders": ["ann", "bo"]}) == corpus


def test_a_coder_who_marks_more_than_half_of_the_units(tmp_path: Path) -> None:
    """On its own, such a column may be text; its cells are those of the other coders."""
    ann, bo = ["a", "", "", "b", "", "a", "", "b", ""], ["a", "b", "a", "b", "", "a", "", "b", "a"]
    rows = [f"x,w{i},{marks}" for i, marks in enumerate(map(",".join, zip(ann, bo, strict=True)))]
    corpus = read(tmp_path, "\n".join(["item,text,ann,bo", *rows]) + "\n")
    assert corpus.coders == ("ann", "bo")
    assert [name for _, name in corpus["x", "bo"].boundaries] == [mark for mark in bo if mark]  # type: ignore[union-attr]
