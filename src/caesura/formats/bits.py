"""Bit strings, one document a line: ``0100010000`` has a mark for each inner position, N-1 of them.

The file is one coder, named by the file, and its documents are items 1, 2, 3 ..., so that two files go together line by
line. A document of one unit, which has no inner position, is written ``-``. A name and a tab may stand before the bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading
from caesura.formats.masses_json import plain
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

_ONE_UNIT = "-"


def read(reading: Reading) -> Corpus:
    """Spaces between bits are allowed; an empty line is not, except at the end of the file."""
    lines = reading.text.rstrip().splitlines()
    for number, line in enumerate(lines, 1):
        with reading.item(number):
            name, tab, rest = line.rpartition("\t")
            item = name.strip() if tab and name.strip() else str(number)
            marks = "".join((rest if tab else line).split())
            if not marks:
                raise reading.error(
                    number, f"a document a line is needed, {_ONE_UNIT!r} for one unit; the line is empty"
                )
            for column, mark in enumerate(marks, 1):
                if mark not in "01" and marks != _ONE_UNIT:
                    raise reading.error(number, f"a bit must be 0 or 1; got {mark!r} at mark {column}")
            if item in reading.annotations:
                raise reading.error(number, f"item {item!r} stands twice")
            reading.add(item, reading.stem, Segmentation.from_bits("" if marks == _ONE_UNIT else marks))
    return reading.corpus()


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """One coder only; names are written where they are not just 1, 2, 3 ..."""
    if len(corpus.coders) != 1:
        raise FormatError(path, None, f"bit strings hold one coder; choose one of {', '.join(corpus.coders)}")
    (coder,) = corpus.coders
    if coder != Path(path).stem:
        # The name is the file's; another one would come back as somebody else.
        raise FormatError(path, None, f"bit strings name the coder by the file; write coder {coder!r} to {coder}.bits")
    numbered = corpus.item_names == tuple(map(str, range(1, len(corpus.item_names) + 1)))
    lines = []
    for item in corpus.item_names:
        one = plain(corpus[item, coder], path, item, coder)
        if any(c in item for c in "\t\n\r") or item != item.strip() or not item or len(item.splitlines()) != 1:
            raise FormatError(path, None, f"item {item!r}: a name in a bit string file cannot hold tabs or line breaks")
        lines.append(("" if numbered else f"{item}\t") + (one.bits() or _ONE_UNIT))
    return "\n".join(lines) + "\n"


def _looks_like(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    marks = first.rpartition("\t")[2].split()
    return bool(marks) and set("".join(marks)) <= set("01")


FORMAT = Format(
    name="bits",
    suffixes=(".bits", ".txt"),
    description="bit strings, one document a line",
    read=read,
    looks_like=_looks_like,
    write=write,
    names_from_file=("coder",),
)
