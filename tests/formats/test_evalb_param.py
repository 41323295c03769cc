"""Parameter files of EVALB."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraWarning, FormatError
from caesura.formats.evalb_param import read_evalb_param
from support.examples import examples
from support.files import refusal

WHOLE = """\
## what is deleted ##
DEBUG 0
MAX_ERROR 10
CUTOFF_LEN 70
LABELED 0\t
DELETE_LABEL TOP
DELETE_LABEL #

  # indented, but a comment
DELETE_LABEL_FOR_LENGTH -NONE-
EQ_LABEL  ADVP   PRT
EQ_WORD This this
QUOTE_LABEL ''
QUOTE_LABEL POS
"""


def read(folder: Path, text: str, name: str = "x.prm") -> dict:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return read_evalb_param(folder / name)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_key(tmp_path: Path, ending: str) -> None:
    assert read(tmp_path, WHOLE.replace("\n", ending)) == {
        "labelled": False,
        "delete_labels": ("TOP", "#"),
        "delete_labels_for_length": ("-NONE-",),
        "equal_labels": (("ADVP", "PRT"),),
        "equal_words": (("This", "this"),),
        "quote_labels": ("''", "POS"),
        "cutoff": 70,
    }


def test_defaults_are_those_of_evalb(tmp_path: Path) -> None:
    assert read(tmp_path, "DEBUG 1\n") == {
        "labelled": True,
        "delete_labels": (),
        "delete_labels_for_length": (),
        "equal_labels": (),
        "equal_words": (),
        "quote_labels": (),
        "cutoff": 40,
    }


def test_the_last_number_counts(tmp_path: Path) -> None:
    assert read(tmp_path, "CUTOFF_LEN 10\nCUTOFF_LEN 20\n")["cutoff"] == 20


def test_an_unknown_key_is_named_and_ignored(tmp_path: Path) -> None:
    with pytest.warns(CaesuraWarning) as warnings:
        options = read(tmp_path, "LABELED 0\nDELETE_LABLE X\nZ 1\n")
    place = tmp_path / "x.prm"
    expected = f"{place}:2: ignored: EVALB has no key 'DELETE_LABLE'; did you mean 'DELETE_LABEL'?"
    assert str(warnings[0].message) == expected
    message = f"{place}:3: ignored: EVALB has no key 'Z'; choose from 'DELETE_LABEL', "
    assert str(warnings[1].message).startswith(message)
    assert (options["labelled"], options["delete_labels"]) == (False, ())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("DELETE_LABEL", "DELETE_LABEL takes one value; got none (a comment has a line of its own)"),
        ("DELETE_LABEL A # b", "DELETE_LABEL takes one value; got 'A # b' (a comment has a line of its own)"),
        ("EQ_LABEL A", "EQ_LABEL takes 2 values; got 'A' (a comment has a line of its own)"),
        ("EQ_WORD a b c", "EQ_WORD takes 2 values; got 'a b c' (a comment has a line of its own)"),
        ("CUTOFF_LEN x", "CUTOFF_LEN must be a whole number from 0 to 2147483647; got 'x'"),
        ("CUTOFF_LEN -1", "CUTOFF_LEN must be a whole number from 0 to 2147483647; got '-1'"),
        ("CUTOFF_LEN ٣", "CUTOFF_LEN must be a whole number from 0 to 2147483647; got '٣'"),
        ("MAX_ERROR 99999999999", "MAX_ERROR must be a whole number from 0 to 2147483647; got '99999999999'"),
        ("LABELED 2", "LABELED must be a whole number from 0 to 1; got '2'"),
        ("DEBUG", "DEBUG takes one value; got none (a comment has a line of its own)"),
    ],
)
def test_invalid_lines(tmp_path: Path, line: str, message: str) -> None:
    error = refusal(read, tmp_path, f"# first\n{line}\n")
    assert str(error) == f"{tmp_path / 'x.prm'}:2: {message}"
    assert error.line == 2


def test_invalid_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_evalb_param(tmp_path / "missing.prm")
    (tmp_path / "binary.prm").write_bytes(b"\xff\xfe\0")
    with pytest.raises(FormatError, match=r"binary\.prm:1: "):
        read_evalb_param(tmp_path / "binary.prm")


@examples(80)
@given(st.text(alphabet="DELTE_ABQU#19 \n\t-x\u00a0", max_size=60))
def test_any_text_is_read_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.prm"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        try:
            options = read_evalb_param(path)
        except FormatError as problem:
            options = None
            message = str(problem)
    assert len(options) == 7 if options is not None else message.startswith(f"{path}:")
