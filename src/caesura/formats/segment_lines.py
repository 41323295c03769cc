"""Text with one segment per line, such as the .edus files of RST corpora, or a text with one sentence per line::

    Good night , moon ,
    because it is late .

The units are the words between white space, and the end of each line is a boundary. Blank lines are ignored, with a note. A
file contains one item of one coder. The name of the file is used for both unless the options ``item`` and ``coder`` are set.
Boundaries have no types. Files with the suffix ``.edus`` are recognised. Name the format for other files, because any text has
lines.
"""

from __future__ import annotations

from itertools import chain, pairwise

from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.model.value import count_of


def _read(reading: Reading) -> Corpus:
    return reading.read_one(lambda: _parse(reading))


def _parse(reading: Reading) -> Segmentation:
    lines = [line.split() for line in lines_of(reading.text)]
    segments = [words for words in lines if words]
    if not segments:
        raise reading.error(1, "expected at least one word; got none")
    reading.notes.append("each line is a segment, and its words are the units")
    if len(segments) < len(lines):
        reading.ignored.append(f"{count_of(len(lines) - len(segments), 'blank line')} (not a segment)")
    return Segmentation.from_masses([*map(len, segments)], units=chain.from_iterable(segments))


def _write(writing: Writing) -> str:
    segmentation, units = writing.text(writing.only_item(), writing.only_coder())
    edges = (0, *segmentation.inner.tolist(), segmentation.length)
    return writing.check_round_trip("".join(f"{' '.join(units[a:b])}\n" for a, b in pairwise(edges)), _read)


FORMAT = Format(
    name="segment-lines",
    suffixes=(".edus",),
    description="text with one segment per line and words as units, such as .edus files",
    read=_read,
    looks_like=lambda text: False,  # any text has lines
    write=_write,
    options=NAME_OPTIONS,
    names_from_file=("item", "coder"),
)
