"""Bit strings, one document per line: ``0100010000`` has one bit per inner position, N-1 bits for N units."""

from __future__ import annotations

from caesura.formats.content import cut_notes
from caesura.formats.format import Format, Reading, Writing
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

_ONE_UNIT = "-"


def _read(reading: Reading) -> Corpus:
    """Return one item per line. Spaces are allowed between bits, and empty lines at the end of the file."""
    lines = reading.text.rstrip().splitlines()
    reading.notes += cut_notes(reading.text)
    for number, line in enumerate(lines, 1):
        with reading.item(number):
            name, _, bits = line.rpartition("\t")
            if "\t" in name.strip():
                raise reading.error(number, f"a line is a name, a tab and marks; got more tabs: {line[:60]!r}")
            item = name.strip() or str(number)
            marks = "".join(bits.split())
            if not marks:
                raise reading.error(number, f"expected a document, {_ONE_UNIT!r} for one unit; the line is empty")
            for column, mark in enumerate(marks, 1):
                if mark not in "01" and marks != _ONE_UNIT:
                    raise reading.error(number, f"a bit must be 0 or 1; got {mark!r} at mark {column}")
            reading.add(item, reading.stem, Segmentation.from_bits("" if marks == _ONE_UNIT else marks), number)
    return reading.corpus()


def _write(writing: Writing) -> str:
    """Return the bits of one coder. The names of the items are written unless they are 1, 2, 3 ..."""
    coder, items = writing.only_coder(), writing.corpus.item_names
    numbered = items == tuple(map(str, range(1, len(items) + 1)))
    lines = []
    for item in items:
        segmentation = writing.segmentation(item, coder)
        if item.strip() != item or "\t" in item or len(item.splitlines()) != 1:
            raise writing.error("a name in a bit string file cannot contain tabs or line breaks", item)
        lines.append(("" if numbered else f"{item}\t") + (segmentation.bits() or _ONE_UNIT))
    return "\n".join(lines) + "\n"


def _looks_like(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    marks = first.rpartition("\t")[2].split()
    return bool(marks) and set("".join(marks)) <= set("01")


FORMAT = Format(
    name="bits",
    suffixes=(".bits", ".txt"),
    description="bit strings, one document per line",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    names_from_file=("coder",),
)
