"""CHAT, the .cha of TalkBank: what each speaker says, one utterance per line::

    *CHI:	I want the cookie .
    *MOT:	now ?

The words of the main lines are the units, without punctuation; those of a speaker form a running text of their own. An
utterance ends in a boundary, and its terminator (``.``, ``?``, ``!``, ``+...``, ``+//.`` and so on) is the boundary type.
Inside an utterance, as in a quotation, these signs are punctuation. What CHAT does not count as a word is not a unit: pauses,
fillers (``&-uh``), events (``&=laughs``), retraced words (``[/]``) and unintelligible words (``xxx``). An utterance without
a word has no place for a boundary; a warning gives the number of such utterances. An end without a terminator is an error
unless ``unclassified`` names its type; ``symbols`` names other terminators.

rustling takes the words out of a line. It skips lines that it does not know and has no limits, so lines are checked
before. Other tiers are not read. A file is one coder and one item.

References: https://talkbank.org/0info/manuals/CHAT.html; https://github.com/jacksonllee/rustling, version 0.9.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from caesura.formats.format import Format, Reading, lines_of
from caesura.formats.symbols import OPTIONS, Streams, Symbols
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue

_TERMINATORS = (".", "?", "!", "+...", "+..?", "+!?", "+.", "+/.", "+/?", "+//.", "+//?", '+"/.', '+".')
_MAX_CHARACTERS = 10_000  # of an utterance; the time that rustling needs grows with their square
_MAX_ANGLES = 500  # signs < in an utterance; rustling recurses at each, and thousands end the process
_MAIN_LINE = re.compile(r"\*([^\s:]{1,40}):[ \t]*(.*)")


@dataclass
class _Utterance:
    """A main line with its continuation lines."""

    speaker: str
    line: int
    text: str


def _read(reading: Reading) -> Corpus:
    """Return one dialogue."""
    return reading.read_one(lambda: _dialogue(reading))


def _dialogue(reading: Reading) -> Dialogue:
    terminators = {terminator: terminator for terminator in _TERMINATORS}
    symbols = Symbols.from_options({**reading.options, "attached": False}, reading.types, terminators)
    streams = Streams()
    utterances = list(_utterances(reading))
    wordless = 0
    for utterance, tokens in zip(utterances, _tokens(reading, utterances), strict=True):
        if not any(map(_is_word, set(tokens).difference(symbols.types))):
            wordless += 1
            continue
        with reading.at_line(utterance.line):
            tokens, boundary_type = symbols.split(tokens)
        streams.add(utterance.speaker, list(filter(_is_word, tokens)), boundary_type)
    if not streams.words:
        raise reading.error(None, "expected at least one utterance with a word; got none")
    if wordless:
        reading.warn(f"utterances without a word, which were skipped: {wordless}")
    return Dialogue(symbols.segmentations(streams, reading))


def _is_word(token: str) -> bool:
    """Return whether a token has a letter, a mark on a letter or a number; anything else is punctuation."""
    return any(unicodedata.category(character)[0] in "LMN" for character in token)


def _utterances(reading: Reading) -> Iterator[_Utterance]:
    """Yield the main lines with the lines that continue them; every other line must be of a kind that CHAT knows."""
    utterance: _Utterance | None = None
    last_header = ""
    for number, line in enumerate(lines_of(reading.text), 1):
        if line.startswith(("\t", " ")):
            _append(reading, utterance, line)
            continue
        if utterance is not None:
            yield utterance
            utterance = None
        if line.startswith("*"):
            utterance = _main_line(reading, number, line)
        elif line.startswith("@"):
            last_header = line.rstrip()
        elif line and not line.startswith("%"):
            raise reading.error(number, f"a line must begin with @, *, % or a tab; got {line[:60]!r}")
    if utterance is not None:
        yield utterance
    if last_header != "@End":
        raise reading.error(None, "the file must end in a line @End; there is none, was it cut off?")


def _main_line(reading: Reading, number: int, line: str) -> _Utterance:
    match = _MAIN_LINE.fullmatch(line.rstrip())
    if match is None:
        raise reading.error(number, f"a main line must be like '*CHI:', a tab and words; got {line[:60]!r}")
    utterance = _Utterance(match.group(1), number, match.group(2))
    _check_size(reading, utterance)
    return utterance


def _append(reading: Reading, utterance: _Utterance | None, line: str) -> None:
    """Append a continuation line; lines that continue other tiers are skipped."""
    if utterance is not None:
        utterance.text += f" {line.strip()}"
        _check_size(reading, utterance)


def _check_size(reading: Reading, utterance: _Utterance) -> None:
    if len(utterance.text) > _MAX_CHARACTERS:
        raise reading.error(utterance.line, f"an utterance must have at most {_MAX_CHARACTERS} characters; it has more")
    if utterance.text.count("<") > _MAX_ANGLES:
        raise reading.error(utterance.line, f"an utterance must have at most {_MAX_ANGLES} of the sign <; it has more")


def _tokens(reading: Reading, utterances: list[_Utterance]) -> list[list[str]]:
    """Return the tokens that rustling finds in each utterance."""
    try:
        from rustling.chat import CHAT
    except ImportError:
        raise reading.error(None, "reading this needs rustling; install caesura[talkbank]") from None
    lines = "".join(f"*{utterance.speaker}:\t{utterance.text}\n" for utterance in utterances)
    try:
        # Without mor_tier and gra_tier: their tokens would replace those of the main line.
        chat = CHAT.from_strs([lines], parallel=False, strict=False, mor_tier=None, gra_tier=None)
        tokens = [[token.word for token in utterance.tokens or ()] for utterance in chat.utterances()]
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise reading.error(None, f"rustling cannot read this: {str(error)[:200]}") from None
    if len(tokens) != len(utterances):
        raise reading.error(None, f"rustling must find {len(utterances)} utterances; it found {len(tokens)}")
    return tokens


FORMAT = Format(
    name="chat",
    suffixes=(".cha",),
    description="CHAT transcripts of TalkBank: utterances of speakers, terminators as types",
    read=_read,
    extra="talkbank",
    looks_like=lambda text: text.startswith(("@UTF8", "@Begin", "@Font")),
    options=OPTIONS,
)
