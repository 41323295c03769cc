"""Tables of spans: other names of columns, durations, spaces, and coders who marked nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura import Corpus, Spans
from caesura.errors import AmbiguousFileError, FormatError, OptionError
from caesura.formats.column_names import SPAN_PAIRS
from support.files import text_reader

# ann |--PER--|                   |LOC|
# bo      |PER|                   |LOC|
ROWS = "d,ann,0,8,PER\nd,ann,28,32,LOC\nd,bo,4,8,PER\nd,bo,28,32,LOC\n"
SPANS = Corpus({"d": {"ann": Spans([(0, 8, "PER"), (28, 32, "LOC")]), "bo": Spans([(4, 8, "PER"), (28, 32, "LOC")])}})
# ann   |laugh|      |cough|       the same in seconds
TIMES = "r,ann,0.5,1.25,laugh\nr,ann,5.5,2.0,cough\nr,bo,0.6,1.1,laugh\nr,bo,5.4,2.1,laugh\n"
TIMED = Corpus(
    {
        "r": {
            "ann": Spans([(0.5, 1.75, "laugh"), (5.5, 7.5, "cough")], seconds=True),
            "bo": Spans([(0.6, 1.7, "laugh"), (5.4, 7.5, "laugh")], seconds=True),
        }
    }
)
read = text_reader("table.csv")


def report(corpus: Corpus) -> str:
    return str(corpus.reading)


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "end"), [*SPAN_PAIRS, ("begin", "end"), ("Start Offset", "END-OFFSET")])
def test_names_of_start_and_end(tmp_path: Path, start: str, end: str) -> None:
    corpus = read(tmp_path, f"document,annotator,{start},{end},label\n{ROWS}")
    assert corpus == SPANS
    assert f"start in column {start}; end in column {end}; label in column label" in report(corpus)


def test_a_name_without_its_partner_says_nothing(tmp_path: Path) -> None:
    rows = "d,{0},One.,3,A\nd,{0},Two.,8,A\nd,{0},Three.,13,B\nd,{0},Four.,20,B\n"
    corpus = read(tmp_path, "doc,coder,text,start_char,label\n" + rows.format("a") + rows.format("b"))
    assert corpus["d", "a"].masses == (2, 2)
    assert "ignored: start_char" in report(corpus)


def test_start_and_end_come_before_other_pairs(tmp_path: Path) -> None:
    rows = ROWS.replace("\n", ",1,2\n")
    corpus = read(tmp_path, f"document,annotator,start,end,label,token_start,token_end\n{rows}")
    assert corpus == SPANS
    assert "ignored: token_start (not used), token_end (not used)" in report(corpus)


def test_two_pairs_are_ambiguous(tmp_path: Path) -> None:
    content = "document,annotator,start_char,end_char,label,token_start,token_end\n" + ROWS.replace("\n", ",1,2\n")
    message = "several columns may be the start and the end: start_char and"
    with pytest.raises(AmbiguousFileError, match=message) as error:
        read(tmp_path, content)
    expected = [{"start": "start_char", "end": "end_char"}, {"start": "token_start", "end": "token_end"}]
    assert [options["fields"] for _, options in error.value.choices] == expected
    assert read(tmp_path, content, fields="start=start_char,end=end_char") == SPANS
    assert read(tmp_path, content, fields="start=start_char") == SPANS


def test_offsets_of_tokens_are_no_spans(tmp_path: Path) -> None:
    content = "doc,coder,token,start_char,end_char,boundary\nd,a,x,0,1,1\nd,a,y,2,3,0\nd,b,x,0,1,0\nd,b,y,2,3,0\n"
    assert read(tmp_path, content)["d", "a"].length == 2
    rows = "d,{0},The,1,4,O\nd,{0},EU,5,7,B-ORG\nd,{0},is,8,10,O\nd,{0},here,11,15,O\n"
    tags = read(tmp_path, "doc,coder,token,start_char,end_char,label\n" + rows.format("a") + rows.format("b"))
    assert tags["d", "a"] == Spans([(1, 2, "ORG")], units=["The", "EU", "is", "here"])


@pytest.mark.parametrize("name", ["entity", "tag", "annotation", "trial_type"])
def test_names_of_labels_of_spans(tmp_path: Path, name: str) -> None:
    corpus = read(tmp_path, f"document,annotator,span_start,span_end,{name}\n{ROWS}")
    assert corpus == SPANS
    assert f"label in column {name}" in report(corpus)


@pytest.mark.parametrize("text", [False, True])
def test_unknown_names_are_ambiguous(tmp_path: Path, text: bool) -> None:
    rows = ROWS.replace("PER\n", "PER,Haag\n").replace("LOC\n", "LOC,Rome\n") if text else ROWS
    content = f"document,annotator,left,right,label{',text' * text}\n{rows}"
    with pytest.raises(AmbiguousFileError, match="left and right may be the start and the end of spans") as error:
        read(tmp_path, content)
    spans, units = (options for _, options in error.value.choices)
    assert spans == {"fields": {"start": "left", "end": "right"}}
    assert units == {"fields": {"ignore": ["left", "right"]}}
    assert read(tmp_path, content, **spans) == SPANS
    assert read(tmp_path, content, **units)["d", "ann"].length == 2


def test_unknown_names_of_one_coder(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFileError, match="left and right may be the start and the end of spans"):
        read(tmp_path, "document,left,right,label\nd,0,8,PER\nd,28,32,LOC\n")
    content = "document,left,right\nd,0,8\nd,28,32\n"
    with pytest.raises(FormatError, match="if left and right are the start and the end of spans, say so with --fields"):
        read(tmp_path, content)
    assert read(tmp_path, content, fields="start=left,end=right")["d", "table"] == Spans([(0, 8), (28, 32)])


def test_other_numbers_are_no_spans(tmp_path: Path) -> None:
    # words <= characters in every row, but they do not follow each other, and are not the lengths of the texts
    rows = "d,{0},One two.,3,9,A\nd,{0},Three.,1,8,A\nd,{0},Four.,2,7,B\n"
    content = "doc,coder,text,words,characters,label\n" + rows.format("a") + rows.format("b")
    assert read(tmp_path, content)["d", "a"].masses == (2, 1)


# -- durations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", ["onset,duration", "start_time,duration", "start,duration", "start_s,dur", "begin,duration_s"]
)
def test_durations(tmp_path: Path, names: str) -> None:
    corpus = read(tmp_path, f"recording,coder,{names},label\n{TIMES}")
    assert corpus == TIMED
    assert f"the end of a segment is {names.replace(',', ' + ')}" in report(corpus)


def test_bids(tmp_path: Path) -> None:
    corpus = read(tmp_path, "onset\tduration\ttrial_type\n0.5\t1.25\tlaugh\n5.5\t2.0\tcough\n", "events.tsv")
    assert corpus["events", "events"] == TIMED["r", "ann"]


def test_units_of_durations(tmp_path: Path) -> None:
    expected = Corpus({"r": {"a": Spans([(0.5, 1.75, "x"), (2, 2.25, "y")], seconds=True)}})
    for names, rows in {
        "onset_ms,duration_ms": ("500,1250", "2000,250"),
        "onset_ms,duration": ("500,1250", "2000,250"),
        "onset,duration_ms": ("0.5,1250", "2,250"),
        "onset_ms,duration_s": ("500,1.25", "2000,0.25"),
        "onset,duration": ("0:00.5,0:01.25", "0:02,0:00.25"),
    }.items():
        content = f"recording,coder,{names},label\nr,a,{rows[0]},x\nr,a,{rows[1]},y\n"
        assert read(tmp_path, content) == expected, names
    with pytest.raises(FormatError, match="duration_ms is in milliseconds, and the unit of start is not known"):
        read(tmp_path, "recording,coder,start,duration_ms,label\nr,a,5,3,x\nr,b,5,4,x\n")
    whole = read(tmp_path, "item,coder,start,duration,label\nd,a,5,3,x\nd,b,5,4,x\n")
    assert whole == Corpus({"d": {"a": Spans([(5, 8, "x")]), "b": Spans([(5, 9, "x")])}})


def test_a_column_is_named_as_duration(tmp_path: Path) -> None:
    content = f"recording,coder,onset,lasted,label\n{TIMES}"
    assert read(tmp_path, content, fields="duration=lasted") == TIMED
    assert read(tmp_path, content, fields={"start": "onset", "duration": "lasted"}) == TIMED
    with pytest.raises(OptionError, match="fields: a duration needs a start"):
        read(tmp_path, content.replace("onset", "first"), fields="duration=lasted")
    both = "item,coder,start,end,duration,label\nd,a,5,9,3,x\nd,b,5,9,4,x\n"
    with pytest.raises(OptionError, match="fields: end and duration exclude each other"):
        read(tmp_path, both, fields="end=end,duration=duration")
    assert read(tmp_path, both, fields="duration=duration")["d", "a"] == Spans([(5, 8, "x")])


def test_a_duration_beside_start_and_end(tmp_path: Path) -> None:
    content = "item,coder,onset,offset,duration,label\nr,a,0.5,1.5,1.0,x\nr,a,2,4.5,2.5,y\n"
    corpus = read(tmp_path, content)
    assert corpus["r", "a"] == Spans([(0.5, 1.5, "x"), (2, 4.5, "y")], seconds=True)
    assert "duration of the segment (not used) in column duration" in report(corpus)


def test_a_constant_duration_may_be_that_of_the_recording(tmp_path: Path) -> None:
    content = "item,coder,onset,duration\nr,a,0.5,60\nr,a,2,60\nr,b,1,60\n"
    with pytest.raises(AmbiguousFileError, match="the duration of a segment or of the recording") as error:
        read(tmp_path, content)
    segments, events = (options for _, options in error.value.choices)
    assert read(tmp_path, content, **segments)["r", "b"] == Spans([(1, 61)], seconds=True)
    assert [point.time for point in read(tmp_path, content, **events)["r", "a"].points] == [0.5, 2.0]


def test_a_duration_without_a_number(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"table.csv:3: .*end must be a time .*; got 'n/a'"):
        read(tmp_path, "onset,duration,label\n0.5,1,x\n2,n/a,x\n3,4,x\n")


# -- cells ------------------------------------------------------------------------------------------------------------


def test_spaces_around_names_and_labels(tmp_path: Path) -> None:
    corpus = read(tmp_path, "item,coder,start,end,label\nd, ann,0,4,PER\nd,bo,0,4, PER\nd ,bo ,5,8,PER\n")
    assert corpus == Corpus({"d": {"ann": Spans([(0, 4, "PER")]), "bo": Spans([(0, 4, "PER"), (5, 8, "PER")])}})
    assert "spaces around the cells of item, coder, label were removed" in report(corpus)
    with pytest.raises(FormatError, match=r"a table cannot contain spaces around ' x'; write spans as .json"):
        cz.write(Corpus({"d": {"a": Spans([(0, 4, " x")])}}), tmp_path / "out.csv", format="spans-csv")


@pytest.mark.parametrize("delimiter", [", ", ";", " ; ", "\t"])
def test_pygamma_files(tmp_path: Path, delimiter: str) -> None:
    rows = [("Paul", "Verb", "0", "7.5"), ("Paul", "Noun", "12", "18"), ("Suzan", "Verb", "0", "7")]
    content = "".join(delimiter.join(row) + "\n" for row in rows)
    expected = {"Paul": Spans([(0, 7.5, "Verb"), (12, 18, "Noun")], seconds=True)}
    expected["Suzan"] = Spans([(0, 7, "Verb")], seconds=True)
    assert read(tmp_path, content) == Corpus({"table": expected})
    if ";" in delimiter:
        assert read(tmp_path, content.replace("7.5", "7,5")) == Corpus({"table": expected})


def test_whole_numbers_with_a_decimal_point(tmp_path: Path) -> None:
    corpus = read(tmp_path, "item,coder,start,end,label\nd,ann,1.0,4.0,PER\nd,bo,2,4.00,PER\n")
    assert corpus == Corpus({"d": {"ann": Spans([(1, 4, "PER")]), "bo": Spans([(2, 4, "PER")])}})
    leveled = read(tmp_path, "item,coder,start,end,level\nd,ann,1.0,4.0,1.0\n")
    assert leveled["d", "ann"] == cz.Hierarchy(4, [(1, 4, 1)])


def test_positions_below_the_first(tmp_path: Path) -> None:
    content = "item,coder,start,end,label\nd,a,{},4,X\nd,b,4,5,X\n"
    with pytest.raises(FormatError, match="start must be from 0 to 2147483647; got -5"):
        read(tmp_path, content.format(-5))
    assert read(tmp_path, content.format(0))["d", "a"] == Spans([(0, 4, "X")])
    with pytest.raises(FormatError, match="start must be from 1 to 2147483647; got 0"):
        read(tmp_path, content.format(0), spans="inclusive")


# -- coders who marked nothing ----------------------------------------------------------------------------------------

ABSENT = "item,coder,start,end,label\nd1,ann,0,4,A\nd1,cy,2,4,A\nd2,ann,5,8,A\n"


def test_coders_without_rows(tmp_path: Path) -> None:
    corpus = read(tmp_path, ABSENT)
    assert [*corpus] == [("d1", "ann"), ("d1", "cy"), ("d2", "ann")]
    note = (
        "coder 'cy' has no rows in item 'd2'; if this means that nothing was marked there, use --reading all_coders=yes"
    )
    assert note in report(corpus)
    complete = read(tmp_path, ABSENT, all_coders=True)
    assert complete == Corpus(
        {
            "d1": {"ann": Spans([(0, 4, "A")]), "cy": Spans([(2, 4, "A")])},
            "d2": {"ann": Spans([(5, 8, "A")]), "cy": Spans([])},
        }
    )
    assert "no rows" not in report(complete)


def test_coders_without_rows_in_tables_with_lengths(tmp_path: Path) -> None:
    content = "item,coder,start,end,label,length\nd1,ann,0,4,A,9\nd1,cy,2,4,A,9\nd2,ann,5,8,A,10\n"
    assert "all_coders=yes" in report(read(tmp_path, content))
    assert read(tmp_path, content, all_coders=True)["d2", "cy"] == Spans([], length=10)


def test_coders_without_rows_in_tables_of_hierarchies(tmp_path: Path) -> None:
    content = "item,coder,start,end,level\nd1,ann,1,6,1\nd1,cy,1,6,1\nd2,ann,2,4,1\n"
    assert ("d2", "cy") not in read(tmp_path, content)
    assert read(tmp_path, content, all_coders=True)["d2", "cy"] == cz.Hierarchy(4, [])


def test_a_row_without_a_span_is_a_coder_who_marked_nothing(tmp_path: Path) -> None:
    corpus = read(tmp_path, ABSENT + "d2,cy,,,\n")
    assert corpus["d2", "cy"] == Spans([])
    assert "no rows" not in report(corpus)


def test_rows_in_any_order_give_the_same_spans(tmp_path: Path) -> None:
    rows = ["d,a,7,9,y", "d,b,1,3,", "e,a,0,2,x", "d,a,1,4,x", "d,a,1,4,", "d,b,1,2,z"]
    corpus = read(tmp_path, "\n".join(["item,coder,start,end,label", *rows]) + "\n", fields="item=item")
    assert corpus == Corpus(
        {
            "d": {"a": Spans([(1, 4), (1, 4, "x"), (7, 9, "y")]), "b": Spans([(1, 2, "z"), (1, 3)])},
            "e": {"a": Spans([(0, 2, "x")])},
        }
    )
    assert corpus["d", "a"].codes.tolist() == [0, 1, 2]


def test_blank_labels_of_segments_cannot_be_written(tmp_path: Path) -> None:
    """A label of a line separator would be read as no label."""
    segmentation = cz.Segmentation.from_labels(["a", "\u2028"])
    with pytest.raises(FormatError, match="a table cannot contain spaces around"):
        cz.write(cz.Corpus({"x": {"ann": segmentation}}), tmp_path / "x.csv", "spans-csv")
    assert not (tmp_path / "x.csv").exists()


def test_long_names_of_columns_are_cut_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{'9' * 6000},start,end,label\na,0,5,X\na,6,9,Y\nb,0,4,X\nb,5,9,Y\n")
    with pytest.raises(AmbiguousFileError) as caught:
        cz.read(path)
    assert "…" in str(caught.value)
    assert len(str(caught.value)) < 2000
