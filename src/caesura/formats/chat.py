"""CHAT, the .cha of TalkBank: what each speaker says, an utterance a line.

    *CHI:	I want the cookie .
    *MOT:	now ?

The words of the main lines are the units, without punctuation; those of a speaker form a running text of their own. An
utterance ends in a boundary, and its terminator (``.``, ``?``, ``!``, ``+...``, ``+//.`` and so on) is the type; inside
an utterance, as in a quotation, these are punctuation. What CHAT holds for no word is none: pauses, fillers (``&-uh``),
events (``&=laughs``), what was retraced (``[/]``) and what was not understood (``xxx``). An utterance without a word has
no place for a boundary; a warning says how many there were. An end without a terminator is an error unless
``unclassified`` names its type; ``symbols`` names other terminators.

rustling takes the words out of a line. It passes over lines that it does not know, and has no bounds, so that lines are
looked at before. Other tiers are not read. A file is one coder and one item.

References: https://talkbank.org/0info/manuals/CHAT.html; https://github.com/jacksonllee/rustling, version 0.9.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from caesura.errors import CaesuraWarning, SegmentationError
from caesura.formats.format import Format, Reading, lines_of
from caesura.formats.one_text import read_one_text
from caesura.formats.symbols import OPTIONS, Symbols
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue

__all__ = ["FORMAT"]

_TERMINATORS = (".", "?", "!", "+...", "+..?", "+!?", "+.", "+/.", "+/?", "+//.", "+//?", '+"/.', '+".')
_LONGEST = 10_000  # characters of an utterance; rustling's time grows with their square
_OPEN = 500  # of the sign < in an utterance; rustling calls itself at each, and with thousands the process ends
_MAIN = re.compile(r"\*([^\s:]{1,40}):[ \t]*(.*)")


@dataclass
class _Utterance:
    """A main line."""

    speaker: str
    line: int
    text: str


def read(reading: Reading) -> Corpus:
    """One dialogue."""
    return read_one_text(reading, lambda: _dialogue(reading))


def _dialogue(reading: Reading) -> Dialogue:
    symbols = Symbols.from_options(
        {**reading.options, "attached": False}, reading.types, {one: one for one in _TERMINATORS}
    )
    words: dict[str, list[str]] = {}
    marks: dict[str, list[str]] = {}
    utterances = list(_utterances(reading))
    silent = 0
    for utterance, tokens in zip(utterances, _tokens(reading, utterances), strict=True):
        if not any(_is_word(token) for token in tokens if token not in symbols.types):
            silent += 1
            continue
        try:
            ended, kind = symbols.split(tokens)
        except SegmentationError as problem:
            raise reading.error(utterance.line, str(problem)) from None
        said = [token for token in ended if _is_word(token)]
        words.setdefault(utterance.speaker, []).extend(said)
        marks.setdefault(utterance.speaker, []).extend([""] * (len(said) - 1) + [kind])
    if not words:
        raise reading.error(None, "at least one utterance with a word is needed; got none")
    if silent:
        were = "1 utterance has no word and was" if silent == 1 else f"{silent} utterances have no word and were"
        warnings.warn(f"{reading.path}: {were} passed over", CaesuraWarning, stacklevel=5)
    return Dialogue(symbols.segmentations(words, marks, reading.options, reading.types))


def _is_word(token: str) -> bool:
    """Whether there is a letter, a sign on a letter or a number in it; the rest is punctuation."""
    return any(unicodedata.category(character)[0] in "LMN" for character in token)


def _utterances(reading: Reading) -> Iterator[_Utterance]:
    """The main lines, with the lines that continue them; every other line must be of a kind that CHAT knows."""
    now: _Utterance | None = None
    headers = []
    for number, line in enumerate(lines_of(reading.text), 1):
        if line[:1] in ("\t", " "):
            if now is not None:
                now.text += f" {line.strip()}"
                _check_size(reading, now)
            continue
        if now is not None:
            yield now
            now = None
        if line.startswith("*"):
            found = _MAIN.fullmatch(line.rstrip())
            if found is None:
                raise reading.error(number, f"a main line must be like '*CHI:', a tab and words; got {line[:60]!r}")
            now = _Utterance(found.group(1), number, found.group(2))
            _check_size(reading, now)
        elif line.startswith("@"):
            headers.append(line.rstrip())
        elif line and not line.startswith("%"):
            raise reading.error(number, f"a line must begin with @, *, % or a tab; got {line[:60]!r}")
    if now is not None:
        yield now
    if headers[-1:] != ["@End"]:
        raise reading.error(None, "the file must end in a line @End; there is none, was it cut off?")


def _check_size(reading: Reading, utterance: _Utterance) -> None:
    if len(utterance.text) > _LONGEST:
        raise reading.error(utterance.line, f"an utterance must have at most {_LONGEST} characters; this has more")
    if utterance.text.count("<") > _OPEN:
        raise reading.error(utterance.line, f"an utterance must have at most {_OPEN} of the sign <; this has more")


def _tokens(reading: Reading, utterances: list[_Utterance]) -> list[list[str]]:
    """What rustling finds in each utterance."""
    try:
        from rustling.chat import CHAT
    except ImportError:
        raise reading.error(None, "reading this needs rustling; install caesura[talkbank]") from None
    lines = "".join(f"*{one.speaker}:\t{one.text}\n" for one in utterances)
    try:
        # Neither tier: their tokens would be laid over those of the main line.
        found = CHAT.from_strs([lines], parallel=False, strict=False, mor_tier=None, gra_tier=None).utterances()
        tokens = [[token.word for token in one.tokens or ()] for one in found]
    except BaseException as problem:
        if not isinstance(problem, Exception) and type(problem).__name__ != "PanicException":
            raise
        raise reading.error(None, f"rustling cannot read this: {str(problem)[:200]}") from None
    if len(tokens) != len(utterances):
        raise reading.error(None, f"rustling must find {len(utterances)} utterances; it found {len(tokens)}")
    return tokens


FORMAT = Format(
    name="chat",
    suffixes=(".cha",),
    description="CHAT transcripts of TalkBank: utterances of speakers, terminators as types",
    read=read,
    extra="talkbank",
    looks_like=lambda text: text.startswith(("@UTF8", "@Begin", "@Font")),
    options=OPTIONS,
)
