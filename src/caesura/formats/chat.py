"""CHAT transcripts, the .cha files of TalkBank, with one utterance of a speaker per main line.

The package rustling extracts the words from each line. It skips unknown lines and has no size limits, so the lines are
checked first.

References: https://talkbank.org/0info/manuals/CHAT.html; https://github.com/jacksonllee/rustling, version 0.9.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from caesura.formats.content import lines_of
from caesura.formats.format import Format, Reading
from caesura.formats.symbols import OPTIONS, Streams, Symbols
from caesura.formats.values import import_extra
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue

_TERMINATORS = (".", "?", "!", "+...", "+..?", "+!?", "+.", "+/.", "+/?", "+//.", "+//?", '+"/.', '+".')
_MAX_CHARACTERS = 10_000  # per utterance; the run time of rustling is quadratic in this number
_MAX_ANGLES = 500  # "<" signs per utterance; rustling recurses at each of them, and thousands would crash the process
_MAIN_LINE = re.compile(r"\*([^\s:]{1,40}):[ \t]*(.*)")


@dataclass
class _Utterance:
    speaker: str
    line: int
    text: str


def _read(reading: Reading) -> Corpus:
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
    """Return whether a token contains a letter, a combining mark or a digit; all other tokens are punctuation."""
    return any(unicodedata.category(character)[0] in "LMN" for character in token)


def _utterances(reading: Reading) -> Iterator[_Utterance]:
    utterance: _Utterance | None = None
    last_header = ""
    for number, line in enumerate(lines_of(reading.text), 1):
        if not line.startswith(("\t", " ")):
            if utterance is not None:
                yield utterance
            if last_header == "@End" and line.strip():
                raise reading.error(
                    number, f"a file must end with @End; got {line[:60]!r} after it; were files joined?"
                )
            utterance = _main_line(reading, number, line)
            if line.startswith("@"):
                last_header = line.rstrip()
        elif utterance is not None:  # continuation lines of other tiers are skipped
            utterance.text += f" {line.strip()}"
        if utterance is not None:
            _check_size(reading, utterance)
    if utterance is not None:
        yield utterance
    if last_header != "@End":
        raise reading.error(None, "the file must end with a line @End; there is none; is the file truncated?")


def _main_line(reading: Reading, number: int, line: str) -> _Utterance | None:
    if not line or line.startswith(("@", "%")):
        return None
    if not line.startswith("*"):
        raise reading.error(number, f"a line must begin with @, *, % or a tab; got {line[:60]!r}")
    match = _MAIN_LINE.fullmatch(line.rstrip())
    if match is None:
        raise reading.error(number, f"a main line must be like '*CHI:', a tab and words; got {line[:60]!r}")
    return _Utterance(match.group(1), number, match.group(2))


def _check_size(reading: Reading, utterance: _Utterance) -> None:
    if len(utterance.text) > _MAX_CHARACTERS:
        raise reading.error(utterance.line, f"an utterance must have at most {_MAX_CHARACTERS} characters; it has more")
    if utterance.text.count("<") > _MAX_ANGLES:
        raise reading.error(utterance.line, f"an utterance must have at most {_MAX_ANGLES} of the sign <; it has more")


def _tokens(reading: Reading, utterances: list[_Utterance]) -> list[list[str]]:
    chat_class = import_extra(reading, "rustling.chat", "rustling", "talkbank").CHAT
    lines = "".join(f"*{utterance.speaker}:\t{utterance.text}\n" for utterance in utterances)
    try:
        # mor_tier and gra_tier are off, because their tokens would replace the tokens of the main line.
        chat = chat_class.from_strs([lines], parallel=False, strict=False, mor_tier=None, gra_tier=None)
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
