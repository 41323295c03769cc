"""brat's .ann, with the text in the .txt beside it.

    T1	Organization 0 4	Sony
    T2	Product 10 15;24 29	Eagle Phone
    R1	Makes Arg1:T1 Arg2:T2

A line that begins with T is a span: its label, where it lies in characters from 0, without the end, and the text it covers,
with spaces for line breaks. The text must be what stands there in the .txt. Triggers of events are spans like all others;
events, relations, attributes, normalizations and notes (E, R, ``*``, A, M, N, #) are not read. An empty file is a text in which
nobody drew anything.

A file is one coder and one item, named by the file; ``read_coders`` takes several, and where they have the same name in
several folders, the folders are the coders. What becomes of spans and how to choose them: see ``standoff``.
"""

from __future__ import annotations

import re
from pathlib import Path

from caesura.errors import FormatError, HierarchyError
from caesura.formats.format import Format, Reading, decode, load
from caesura.formats.standoff import OPTIONS, TOKENS, Drawn, Standoff, Tokens, check_parts, file, plain
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option

__all__ = ["FORMAT"]

_SPAN = re.compile(r"(T\S+)\t(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)\t(.*)")
_NOT_READ = re.compile(r"(?:[ERAMN]\S+|#\S*|\*)\t\S.*")


def read(reading: Reading) -> Corpus:
    """One text, and what one coder drew in it."""
    said = _text(reading)
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    standoff = Standoff(reading)
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        standoff.add(item, coder, Tokens.cut(said, reading.options["tokens"]), _drawn(reading, said))
    standoff.warn()
    return reading.corpus()


def _text(reading: Reading) -> str:
    companions = reading.options["text"] or str(Path(reading.path).with_suffix(".txt"))
    if not Path(companions).exists():
        raise reading.error(
            None, f"the text is needed beside it, in {companions}; there is no such file; or name it by text="
        )
    return decode(companions, load(companions))


def _drawn(reading: Reading, said: str) -> list[Drawn]:
    drawn: dict[str, Drawn] = {}
    for number, line in enumerate(reading.text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip() or _NOT_READ.fullmatch(line):
            continue
        one = _span(reading, number, line, said)
        if one.name in drawn:
            raise reading.error(number, f"a name may stand only once; got {one.name[:40]!r} again")
        drawn[one.name] = one
    return list(drawn.values())


def _span(reading: Reading, number: int, line: str, said: str) -> Drawn:
    found = _SPAN.fullmatch(line)
    if found is None:
        raise reading.error(
            number,
            "a line is T1, a tab, a label with start and end (several with ; between), a tab and the text, or begins with "
            f"one of E R * A M N #; got {line[:60]!r}",
        )
    name, label, offsets, covered = found.groups()
    pairs = (pair.split(" ") for pair in offsets.split(";"))
    try:
        parts = check_parts(tuple((int(start), int(end)) for start, end in pairs), len(said))
    except HierarchyError as problem:
        raise reading.error(number, f"{name[:40]}: {problem}") from None
    there = plain(" ".join(said[start:end] for start, end in parts))
    if there != plain(covered):
        raise _differs(reading, number, name, there, covered)
    return Drawn(name, label, parts, number)


def _differs(reading: Reading, number: int, name: str, there: str, covered: str) -> FormatError:
    return reading.error(
        number,
        f"{name[:40]} must repeat what the text has there, {there[:60]!r}; got {covered[:60]!r}; is it this text?",
    )


FORMAT = Format(
    name="brat",
    suffixes=(".ann",),
    description="spans of brat, .ann with the text in a .txt beside it",
    read=read,
    looks_like=lambda lines: _SPAN.match(lines.lstrip()) is not None,
    options=(
        ITEM,
        CODER,
        Option("text", None, file, "the file with the text; by default the .txt beside"),
        TOKENS,
        *OPTIONS,
    ),
    may_be_empty=True,
    companions=(".txt",),
    annotation_types=(Hierarchy, Segmentation),
)
