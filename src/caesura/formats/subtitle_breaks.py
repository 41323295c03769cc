"""Text with the tags ``<eol>`` and ``<eob>``, as in MuST-Cinema and EvalSubtitle, with one sentence per line.

A tag after the last word is the type of the end of the text.

References
----------
Karakanta, A., Negri, M., & Turchi, M. (2020). MuST-Cinema: a speech-to-subtitles corpus. LREC.

Karakanta, A., Buet, F., Cettolo, M., & Yvon, F. (2022). Evaluating subtitle segmentation for end-to-end generation
systems. LREC.
"""

from __future__ import annotations

import re

from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.formats.values import list_names
from caesura.model.corpus import Corpus
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, choice

_TYPES = ("eol", "eob")
_TAG = re.compile("(<eo[lb]>)")
_SEPARATE_TAG = re.compile(r"(?<!\S)<eo[lb]>(?!\S)")
_LANGUAGES = (".en", ".de", ".fr", ".es", ".it", ".nl", ".pt", ".ro", ".zh", ".ja", ".ar", ".cs", ".fa", ".ru", ".tr")


def _read(reading: Reading) -> Corpus:
    reading.roles |= {f"<{name}>": "boundary type" for name in _TYPES if f"<{name}>" in reading.text}
    lines = [*enumerate(lines_of(reading.text), 1)]
    if reading.options["items"] == "file":
        reading.notes.append("the file is one item")
        return reading.read_one(lambda: _segmentation(reading, lines))
    reading.notes.append("each line is an item")
    coder = reading.coder_name
    for number, line in lines:
        with reading.item(number, f"item '{number}': "):
            reading.add(str(number), coder, _segmentation(reading, [(number, line)]), number)
    return reading.corpus()


def _words_and_tags(reading: Reading, lines: list[tuple[int, str]]) -> tuple[list[str], list[str]]:
    units: list[str] = []
    marks: list[str] = []
    for number, line in lines:
        if len(_TAG.findall(line)) > len(_SEPARATE_TAG.findall(line)):
            reading.notes.append("tags without a space before or after them were separated from the words")
        if not line.strip():
            raise reading.error(number, "a line must have a word; it is empty")
        for token in _TAG.sub(r" \1 ", line).split():
            if not _TAG.fullmatch(token):
                units.append(token)
                marks.append("")
            elif not marks or marks[-1]:
                after = f" after <{marks[-1]}>" if marks else ""
                raise reading.error(number, f"there must be a word before each tag; got {token}{after}; remove it")
            else:
                marks[-1] = token[1:-1]
    return units, marks


def _segmentation(reading: Reading, lines: list[tuple[int, str]]) -> Segmentation:
    units, marks = _words_and_tags(reading, lines)
    breaks = reading.options["breaks"]
    if breaks == "typed":
        return Segmentation.from_marks(marks, types=reading.types or _TYPES, units=units)
    positions = [i for i, mark in enumerate(marks, 1) if mark and breaks in (mark, "any")]
    name = UNTYPED[0] if breaks == "any" else breaks
    return Segmentation.from_positions(len(units), positions, marks=[name] * len(positions), types=[name], units=units)


def _write(writing: Writing) -> str:
    coder = writing.only_coder()
    if writing.options["items"] == "file":
        writing.only_item()
    content = ""
    for item in writing.corpus.item_names:
        segmentation, units = writing.text(item, coder, stores=("types", "units"))
        if segmentation.types != _TYPES:
            types = list_names(segmentation.types)
            raise writing.error(f"the types must be 'eol' and 'eob', in this order; got {types}", item)
        if not segmentation.exclusive:
            raise writing.error("this format stores one type per position; got several", item)
        tags = dict(segmentation.boundaries)
        tokens = (f"{unit} <{tags[i]}>" if i in tags else unit for i, unit in enumerate(units, 1))
        content += f"{' '.join(tokens)}\n"
    return writing.check_round_trip(content, _read)


def _looks_like(text: str) -> bool:
    if re.match(r"\s*(?:\{|\[\s*[\[{\"]|<)", text) or "-->" in text[:10_000]:  # JSON, XML or subtitles with times
        return False
    return _SEPARATE_TAG.search(text) is not None


FORMAT = Format(
    name="subtitle-breaks",
    other_suffixes=(".txt", *_LANGUAGES),
    description="text with <eol> and <eob> between words, one item per line",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        *NAME_OPTIONS,
        Option("items", "lines", choice("lines", "file"), "whether lines or files are the items"),
        Option(
            "breaks",
            "typed",
            choice("typed", "any", *_TYPES),
            "breaks of both types, without their types, or of only one type",
        ),
    ),
    names_from_file=("coder",),
    part="tag",
    hint="--reading items=file",
)
