"""CHAT: words of speakers, terminators as types, and nothing that rustling would silently skip."""

from __future__ import annotations

import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, CaesuraWarning, FormatError
from caesura.formats import read_settings
from support.examples import examples
from support.files import refusal

rustling = pytest.importorskip("rustling", reason="rustling is not installed: pip install caesura[talkbank]")

HEAD = "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tCHI Target_Child , MOT Mother\n"


def write_file(folder: Path, body: str, end: str = "@End\n") -> Path:
    path = folder / "t.cha"
    path.write_bytes((HEAD + body + end).encode())
    return path


def test_speakers_words_and_terminators(tmp_path: Path) -> None:
    # CHI: I want cookie +... no !      MOT: now ?
    body = (
        "*CHI:\tI want , (.) <the the> [/] &-uh cookie [= x] +...\n%mor:\tpro|I v|want n|cookie +...\n"
        "*MOT:\tnow ? \x15100_200\x15\n"
        "@Comment:\tshe laughs\n"
        "*CHI:\tno\n\t, &=laughs ! [+ bch]\n"
    )
    dialogue = cz.read(write_file(tmp_path, body))["t", "t"]
    assert isinstance(dialogue, cz.Dialogue)
    assert dialogue["CHI"].units == ("I", "want", "cookie", "no")
    assert dialogue["CHI"].boundaries == ((3, "+..."), (4, "!"))
    assert (dialogue["MOT"].units, dialogue["MOT"].boundaries) == (("now",), ((1, "?"),))
    assert dialogue["CHI"].types == ("!", "+...", "?")
    assert dialogue["CHI"].types_declared is False
    assert cz.read(tmp_path / "t.cha", types=[".", "?", "!", "+..."])["t", "t"]["MOT"].types == (".", "?", "!", "+...")


@pytest.mark.parametrize(
    "end", [".", "?", "!", "+...", "+..?", "+!?", "+.", "+/.", "+/?", "+//.", "+//?", '+"/.', '+".']
)
def test_terminators(end: str, tmp_path: Path) -> None:
    dialogue = cz.read(write_file(tmp_path, f"*CHI:\tit's so {end}\n"))["t", "t"]["CHI"]
    assert (dialogue.units, dialogue.boundaries) == (("it's", "so"), ((2, end),))


def test_terminators_inside_are_punctuation(tmp_path: Path) -> None:
    dialogue = cz.read(write_file(tmp_path, '*CHI:\tshe said " no ! no ! " then .\n'))["t", "t"]["CHI"]
    assert dialogue.units == ("she", "said", "no", "no", "then")
    assert dialogue.boundaries == ((5, "."),)


def test_units_times_keeps_tiers(tmp_path: Path) -> None:
    body = "*CHI:\tit's here .\n%mor:\tpro|it~v|be&3S adv|here .\n%gra:\t1|2|SUBJ 2|0|ROOT 3|2|JCT 4|2|PUNCT\n"
    assert cz.read(write_file(tmp_path, body))["t", "t"]["CHI"].units == ("it's", "here")


def test_names_and_ends_are_options(tmp_path: Path) -> None:
    path = write_file(tmp_path, "*CHI:\tone two\n*CHI:\tthree 。\n*CHI:\tfour .\n")
    dialogue = cz.read(path, item="i", coder="c", symbols=[".", "。"], unclassified=";")["i", "c"]["CHI"]
    assert dialogue.boundaries == ((2, ";"), (3, "。"), (4, "."))
    assert dialogue.types == (".", "。", ";")


def test_settings_file_with_the_same_options(tmp_path: Path) -> None:
    path = write_file(tmp_path, "*CHI:\tone two\n*CHI:\tthree .\n")
    (tmp_path / "s.json").write_text('{"unclassified": ";"}')
    options = read_settings(tmp_path / "s.json").reading_options("chat")
    assert cz.read(path, **options)["t", "t"]["CHI"].boundaries == ((2, ";"), (3, "."))


def test_utterances_without_a_word_warn(tmp_path: Path) -> None:
    path = write_file(tmp_path, "*CHI:\t0 .\n*MOT:\txxx .\n*CHI:\tyes .\n")
    with pytest.warns(CaesuraWarning, match="utterances without a word, which were skipped: 2"):
        dialogue = cz.read(path)["t", "t"]
    assert list(dialogue) == ["CHI"]


BAD = {
    "garbage": ("garbage\n*CHI:\ta .\n", 5, "a line must begin with @, *, % or a tab; got 'garbage'"),
    "no colon": ("*CHI\ta .\n", 5, "a main line must be like '*CHI:', a tab and words; got '*CHI\\ta .'"),
    "no end": ("*CHI:\ta .\n*CHI:\tb\n", 6, None),
    "lookalike": ("*CHI:\ta .\n*CHI:\tb 。\n", 6, None),
    "no word": ("*CHI:\t.\n", None, "expected at least one utterance with a word; got none"),
    "no line": ("", None, "expected at least one utterance with a word; got none"),
    "long": ("*CHI:\t" + "a " * 10_000 + ".\n", 5, "an utterance must have at most 10000 characters; it has more"),
    "wide": ("*CHI:\ta" + "\n\ta" * 10_000 + " .\n", 5, "an utterance must have at most 10000 characters; it has more"),
    "deep": (
        "*CHI:\ta\n*CHI:\t" + "<" * 501 + " .\n",
        6,
        "an utterance must have at most 500 of the sign <; it has more",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_damage(name: str, tmp_path: Path) -> None:
    body, line, message = BAD[name]
    error = refusal(cz.read, write_file(tmp_path, body))
    assert error.line == line
    assert error.problem == message or (message is None and "must end in one of '.', '?'" in str(error))


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    message = r"the file must end with a line @End; there is none; is the file truncated\?"
    with pytest.raises(FormatError, match=message):
        cz.read(write_file(tmp_path, "*CHI:\ta .\n", end=""))


def test_a_panic_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    class Panics:
        problem: BaseException = PanicException("index out of bounds")

        @classmethod
        def from_strs(cls, *arguments: object, **options: object) -> object:
            raise cls.problem

    monkeypatch.setattr("rustling.chat.CHAT", Panics)
    path = write_file(tmp_path, "*CHI:\ta .\n")
    with pytest.raises(FormatError, match="rustling cannot read this: index out of bounds"):
        cz.read(path)
    Panics.problem = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        cz.read(path)


def test_without_rustling(tmp_path: Path) -> None:
    path = write_file(tmp_path, "*CHI:\ta .\n")
    code = f"import sys; sys.modules['rustling'] = None; import caesura; caesura.read({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "reading this needs rustling; run pip install 'caesura[talkbank]'" in done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chat")


PIECES = [
    *["<", ">", "[", "]", "(", ")", "[/]", "[//]", "[: a]", "[x 3]", "[+ ", "&", "&=", "+", "(.)", "+...", ".", "@s"],
    *["\x15", "\t", "\n", "\n*CHI:\t", "%", "@", ":", "_", "~", "\u2028", "\u0301", "𠻺", '"', "0", "xxx", "a", "b "],
]


@examples(100)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_line_gives_a_corpus_or_our_error(pieces: list[str], folder: Path) -> None:
    path = write_file(folder, "*CHI:\t" + "".join(pieces) + "\n")
    with suppress(CaesuraError), warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        assert isinstance(cz.read(path, unclassified=";"), cz.Corpus)
