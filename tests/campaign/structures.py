"""Changes of a file that keep its structure: a value, key, cell, column, attribute, reference, line or bracket is different.

Each change takes random numbers and the content of a valid file, and returns the content of a file that a program or a person
could have written by mistake. ``CHANGES`` names the changes of each format; ``test_campaign.py`` checks that no format is forgotten.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from support.fuzzing import r_frame

Change = Callable[[random.Random, bytes], bytes]


class Raw(str):
    """Text that is written to JSON without quotes."""


class Object(list[list[Any]]):
    """A JSON object as a list of ``[key, value]``, so that keys can occur twice."""


_BOUNDS = (2**31 - 1, 2**31, 2**63, -(2**63) - 1, 10**400)
_FLOATS = (0.5, -0.0, 1e-320, 1e16, 1.7e308, float("nan"), float("inf"), float("-inf"))
NUMBERS: tuple[Any, ...] = (0, -1, 1, *_BOUNDS, *_FLOATS, Raw("9" * 5000), Raw("1e999"))
"""Numbers that a field may not expect."""
_BLANK = ("", " ", "\t", "a\nb", "\r", "\0")
_INVISIBLE = ("\x1b[31mred\x07", "\x9b2J", "\u202eesrever", "a\u200bb", "\u2028", "\ufeffx", "\ud800")
_HTML = ("<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "&lt;&x;")
_FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)")
_QUOTES = ("'x", '"', '""', "a,b;c|d\te", "../../etc/passwd", "/dev/null", "C:\\aux", "a/b", "%s%n{0}$x`id`", "n" * 500)
_WORDS = ("null", "NaN", "1e5", "0", "\u0663", "item", "reference", "text", "__proto__", "constructor")
NAMES = (*_BLANK, *_INVISIBLE, *_HTML, *_FORMULAS, *_QUOTES, "e\u0301" * 250, "\U0001f600" * 60, *_WORDS)
"""Names and texts that break careless programs."""


def any_value(rng: random.Random) -> Any:
    """Return a value of any type of JSON."""
    return rng.choice((rng.choice(NUMBERS), rng.choice(NAMES), None, True, False, [], Object(), [[]], [None], ["x", 1]))


def cell(rng: random.Random) -> str:
    """Return the text of a cell, an attribute or a token."""
    value = rng.choice((rng.choice(NUMBERS), rng.choice(NAMES)))
    return str(value)


# -- JSON -------------------------------------------------------------------------------------------------------------


def encode_json(value: Any) -> str:
    """Return a value as JSON; keys may occur twice, and numbers may be too large or no numbers."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Object):
        return "{" + ", ".join(f"{json.dumps(key)}: {encode_json(entry)}" for key, entry in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(encode_json, value)) + "]"
    return json.dumps(value)


def _slots(value: Any) -> Iterator[tuple[list[Any], int]]:
    """Return every place of a value as the list that holds it and the index there."""
    if isinstance(value, Object):
        for pair in value:
            yield pair, 1
            yield from _slots(pair[1])
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield value, i
            yield from _slots(entry)


def _objects(value: Any) -> Iterator[Object]:
    if isinstance(value, Object):
        yield value
    if isinstance(value, list):
        for entry in value:
            yield from _objects(entry)


def _change_keys(rng: random.Random, root: Any) -> bool:
    """Delete, repeat or rename a key of an object; return whether there is one."""
    objects = [entry for entry in _objects(root) if entry]
    if not objects:
        return False
    chosen = rng.choice(objects)
    pair, kind = rng.choice(chosen), rng.randrange(4)
    if kind == 0:
        chosen.remove(pair)
    elif kind == 1:
        chosen.append([pair[0], rng.choice((deepcopy(pair[1]), any_value(rng)))])
    elif kind == 2:
        pair[0] = rng.choice((rng.choice(NAMES), rng.choice(rng.choice(objects))[0], pair[0].upper()))
    else:
        chosen.append([rng.choice(NAMES), any_value(rng)])
    return True


def _change_values(rng: random.Random, root: list[Any]) -> None:
    """Replace, swap, nest, unpack, repeat or remove a value."""
    slots = list(_slots(root))
    holder, i = rng.choice(slots)
    kind = rng.randrange(8)
    if kind <= 1:
        holder[i] = any_value(rng)
    elif kind == 2:
        other, j = rng.choice(slots)
        holder[i], other[j] = deepcopy(other[j]), deepcopy(holder[i])
    elif kind == 3:
        holder[i] = rng.choice(([holder[i]], Object([["a", holder[i]]]), [holder[i], deepcopy(holder[i])]))
    elif kind == 4 and isinstance(holder[i], list) and holder[i]:
        inner = rng.choice(holder[i])
        holder[i] = inner[1] if isinstance(holder[i], Object) else inner
    elif kind == 5 and isinstance(holder[i], list):
        holder[i] = type(holder[i])(deepcopy(list(holder[i])) * rng.choice((2, 50)))
    elif kind == 6:
        numbers = [slot for slot in slots if isinstance(slot[0][slot[1]], int | float)]
        holder, i = rng.choice(numbers or slots)
        holder[i] = rng.choice(NUMBERS)
    else:
        holder[i] = str(holder[i]) if not isinstance(holder[i], list) else None


def change_json(rng: random.Random, data: bytes) -> bytes:
    """Change keys and values of a JSON document; what follows it, such as a null byte, stays."""
    text = data.decode()
    body = text.rstrip("\0\n ")
    root = [json.loads(body, object_pairs_hook=lambda pairs: Object(map(list, pairs)))]
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if rng.random() < 0.6 or not _change_keys(rng, root):
            _change_values(rng, root)
    return encode_json(root[0]).encode() + text[len(body) :].encode()


def change_json_lines(rng: random.Random, data: bytes) -> bytes:
    """Change one line of JSON, or the order and number of the lines."""
    lines = data.decode().splitlines()
    i = rng.randrange(len(lines))
    if rng.random() < 0.8:
        lines[i] = change_json(rng, lines[i].encode()).decode()
    else:
        lines = rng.choice((lines[::-1], [*lines, lines[i]], ["", *lines], lines[:i] + lines[i + 1 :]))
    return "\n".join([*lines, ""]).encode()


# -- rows and columns -------------------------------------------------------------------------------------------------


def _change_rows(rng: random.Random, rows: list[list[str]]) -> list[list[str]]:
    i = rng.randrange(len(rows))
    row, kind = rows[i], rng.randrange(11)
    j = rng.randrange(len(row)) if row else 0
    if kind <= 2 and row:
        row[j] = cell(rng)
    elif kind == 3 and row:
        other = rng.choice(rows)
        row[j], value = (rng.choice(other) if other else ""), row[j]
        if other:
            other[rng.randrange(len(other))] = value
    elif kind == 4:
        return [[*row[:j], *row[j + 1 :]] for row in rows]  # a column less
    elif kind == 5:
        return [[*row[: j + 1], *row[j:]] for row in rows]  # a column twice
    elif kind == 6:
        k = rng.randrange(len(row)) if row else 0
        for entry in rows:
            if max(j, k) < len(entry):
                entry[j], entry[k] = entry[k], entry[j]
    elif kind == 7 and row:
        del row[j]
    elif kind == 8:
        rows.insert(i, rng.choice(([], [""] * len(row), list(row), ["x"] * (len(row) + 2))))
    elif kind == 9:
        return [rows[0], *rng.sample(rows[1:], len(rows) - 1)]
    else:
        del rows[i]
    return rows


def _written(rng: random.Random, rows: list[list[str]], delimiter: str) -> str:
    """Return rows as text: quoted, unquoted, or with a quotation mark that is not closed."""
    kind = rng.random()
    if kind < 0.6:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator=rng.choice(("\n", "\r\n"))).writerows(rows)
        return out.getvalue()
    text = "\n".join(delimiter.join(row) for row in rows) + "\n"
    if kind < 0.8:
        return text
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(('"', '""', "'", '"\n', ';"', "\r")) + text[at:]


def change_table(delimiter: str) -> Change:
    """Return a change of the cells, columns, rows and quotation marks of delimited text."""

    def change(rng: random.Random, data: bytes) -> bytes:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))
        for _ in range(rng.choice((1, 1, 2, 4))):
            rows = _change_rows(rng, rows) or [[]]
        return _written(rng, rows, delimiter).encode("utf-8", "surrogatepass")

    return change


def change_columns(rng: random.Random, data: bytes) -> bytes:
    """Change the columns of lines that are divided by blanks or tabs, without quotation marks."""
    text = data.decode()
    delimiter = "\t" if "\t" in text else " "
    rows = [line.split(delimiter) for line in text.splitlines()]
    for _ in range(rng.choice((1, 1, 2, 4))):
        rows = _change_rows(rng, rows) or [[]]
    return ("\n".join(delimiter.join(row) for row in rows) + "\n").encode("utf-8", "surrogatepass")


# -- XML --------------------------------------------------------------------------------------------------------------


def _change_element(rng: random.Random, elements: list[Any]) -> None:
    element, other = rng.choice(elements), rng.choice(elements)
    parent, kind = element.getparent(), rng.randrange(9)
    if kind <= 2 and element.attrib:
        element.attrib[rng.choice(sorted(element.attrib))] = _xml_text(rng)
    elif kind == 3 and element.attrib:
        del element.attrib[rng.choice(sorted(element.attrib))]
    elif kind == 4 and element.attrib and other.attrib:  # a reference to an unexpected element, or an id twice
        element.attrib[rng.choice(sorted(element.attrib))] = rng.choice(sorted(other.attrib.values()))
    elif kind == 5 and parent is not None:
        parent.append(deepcopy(element))
    elif kind == 6 and parent is not None:
        parent.remove(element)
    elif kind == 7 and parent is not None and element not in [*other.iterancestors(), other]:
        other.append(element)
    else:
        element.text = _xml_text(rng)


def _xml_text(rng: random.Random) -> str:
    """Return a text without the characters that XML cannot contain."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", cell(rng))


def change_xml(rng: random.Random, data: bytes) -> bytes:
    """Change attributes, references, texts and the place of elements."""
    from lxml import etree

    root = etree.fromstring(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        _change_element(rng, list(root.iter("*")))
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


# -- lines, words and brackets ----------------------------------------------------------------------------------------


def change_fields(rng: random.Random, data: bytes) -> bytes:
    """Change lines of the form ``name = value``: a value, the values of two lines, a block of lines."""
    lines = data.decode().splitlines()
    places = [i for i, line in enumerate(lines) if "=" in line]
    for _ in range(rng.choice((1, 1, 2, 4))):
        i, j = rng.choice(places), rng.choice(places)
        name, _, value = lines[i].partition("=")
        kind = rng.randrange(5)
        if kind <= 1:
            new = cell(rng)
            lines[i] = f"{name}= " + (f'"{new}"' if '"' in value and rng.random() < 0.8 else new)
        elif kind == 2:
            other, _, second = lines[j].partition("=")
            lines[i], lines[j] = f"{name}={second}", f"{other}={value}"
        elif kind == 3:
            lines[i:j] = []
        else:
            lines[j:j] = lines[i : i + rng.randint(1, 8)]
        places = [i for i, line in enumerate(lines) if "=" in line] or [0]
        lines = lines or [""]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def change_words(rng: random.Random, data: bytes) -> bytes:
    """Change words, numbers, brackets and marks of a text: replace, swap, repeat or delete them."""
    words = re.findall(r"[^\W\d_]+|\d+(?:\.\d+)?|\s|.", data.decode(), re.DOTALL)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        i, j = rng.randrange(len(words)), rng.randrange(len(words))
        kind = rng.randrange(6)
        if kind <= 1:
            words[i] = cell(rng)
        elif kind == 2:
            words[i], words[j] = words[j], words[i]
        elif kind == 3:
            words[i : i + rng.choice((1, 1, 3, 10))] = []
        elif kind == 4:
            words[j:j] = words[i : i + rng.choice((1, 3, 20))]
        else:
            words[i] = "".join(reversed(words[i])) if rng.random() < 0.5 else words[i] * rng.choice((2, 3, 30))
        words = words or [" "]
    return "".join(words).encode("utf-8", "surrogatepass")


# -- binary tables ----------------------------------------------------------------------------------------------------


def _arrow_columns(rng: random.Random, table: Any) -> list[tuple[str, Any]]:
    """Return the columns of an Arrow table after one change: of a type, a value, a name, or of the set of columns."""
    import pyarrow as pa

    columns = [(name, table.column(name).combine_chunks()) for name in table.column_names]
    i = rng.randrange(len(columns))
    name, values = columns[i]
    plain, kind = values.to_pylist(), rng.randrange(8)
    if kind == 0:
        del columns[i]
    elif kind == 1:
        columns.append((rng.choice((name, name.upper(), *NAMES[13:30])), values))
    elif kind == 2:
        columns[i] = (rng.choice([other for other, _ in columns]), values)
    elif kind == 3:
        columns[i] = (name, pa.nulls(len(plain), rng.choice((pa.null(), values.type))))
    elif kind == 4:
        columns[i] = (name, pa.array([str(value) for value in plain], rng.choice((pa.string(), pa.large_string()))))
    elif kind == 5:
        wide = [[value] for value in plain]
        columns[i] = (name, rng.choice((pa.array(wide), pa.array([{"a": value} for value in plain]))))
    elif kind == 6:
        number = rng.choice([value for value in NUMBERS if isinstance(value, float | int)])
        number = float(number) if abs(number) < 1e300 else 1e300 if number == number else number
        columns[i] = (name, pa.array([number] * len(plain), rng.choice((pa.float64(), pa.float32()))))
    else:
        words = [rng.choice(NAMES).encode("utf-8", "replace").decode() for _ in plain]
        columns[i] = (name, pa.array(words).dictionary_encode() if rng.random() < 0.5 else pa.array(words))
    return columns


def change_parquet(rng: random.Random, data: bytes) -> bytes:
    """Change the columns of a Parquet file: their number, names, types and values, and the rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))
    for _ in range(rng.choice((1, 1, 2))):
        columns = _arrow_columns(rng, table)
        if len({name for name, _ in columns}) < len(columns) or not columns:
            break
        table = pa.table(dict(columns))
    result = pa.Table.from_arrays([values for _, values in columns], names=[name for name, _ in columns])
    if rng.random() < 0.3:
        result = (
            result.slice(rng.randrange(result.num_rows + 1)) if rng.random() < 0.5 else pa.concat_tables([result] * 3)
        )
    out = io.BytesIO()
    pq.write_table(result, out, compression=rng.choice(("none", "snappy", "zstd")), row_group_size=rng.choice((1, 100)))
    return out.getvalue()


def change_excel(rng: random.Random, data: bytes) -> bytes:
    """Change cells of a workbook, merge them, hide a column, or add a sheet."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data))
    sheet = book.active
    for _ in range(rng.choice((1, 2, 4))):
        place, kind = sheet.cell(rng.randint(1, 5), rng.randint(1, 5)), rng.randrange(6)
        if kind <= 2:
            text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", "?", cell(rng))
            place.value = rng.choice((text, 0.5, -1, True, None, "#N/A", "=1/0"))
        elif kind == 3:
            sheet.insert_rows(place.row)
        elif kind == 4:
            sheet.delete_cols(place.column)
        else:
            book.create_sheet("more").append([cell(rng).encode("ascii", "ignore").decode().strip("\0\x1b\x07\r")[:9]])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def change_r(rng: random.Random, _: bytes) -> bytes:
    """Return a file of R with a table that has different columns, names or values."""
    import numpy as np
    import pandas as pd
    import rdata

    frame = r_frame()
    for _ in range(rng.choice((1, 1, 2))):
        name, kind = rng.choice(list(frame.columns)), rng.randrange(4)
        if kind == 0 and len(frame.columns) > 1:
            frame = frame.drop(columns=name)
        elif kind == 1:
            frame = frame.rename(columns={name: rng.choice((*NAMES[13:30], *frame.columns))})
            frame = frame.loc[:, ~frame.columns.duplicated()]
        elif kind == 2:
            frame[name] = np.array(
                [rng.choice((0.0, 1.0, -1.0, 0.5, np.nan, np.inf, 1e300)) for _ in range(len(frame))]
            )
        else:
            words = [rng.choice((*NAMES[13:30], pd.NA)) for _ in range(len(frame))]
            frame[name] = pd.array(words, dtype=pd.StringDtype("python", na_value=pd.NA))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.rds")
        rdata.write_rds(path, frame, compression=None)
        return path.read_bytes()


_COMMA, _TAB = change_table(","), change_table("\t")

CHANGES: dict[str, tuple[Change, ...]] = {
    "table-parquet": (change_parquet,),
    "documents-parquet": (change_parquet,),
    "documents-json": (change_json_lines,),
    "bio": (change_columns, change_words),
    "doccano": (change_json_lines,),
    "prodigy": (change_json_lines,),
    "choi": (change_words,),
    "wiki-sections": (change_words,),
    "marked-text": (change_words,),
    "segment-lines": (change_words,),
    "srt": (change_words,),
    "vtt": (change_words,),
    "subtitle-breaks": (change_words,),
    "conllu": (change_columns, change_fields, change_words),
    "chat": (change_columns, change_words),
    "masses-json": (change_json,),
    "masses-tsv": (_TAB,),
    "boris": (_COMMA,),
    "json": (change_json,),
    "table-csv": (_COMMA, change_words),
    "table-excel": (change_excel,),
    "table-r": (change_r,),
    "table-tsv": (_TAB,),
    "bits": (_TAB, change_words),
    "segsimflex": (_COMMA, change_words),
    "rez": (change_json,),
    "spans-json": (change_json,),
    "spans-csv": (_COMMA,),
    "rs3": (change_xml,),
    "dis": (change_words,),
    "rsd": (change_columns, change_words),
    "lab": (change_columns, change_words),
    "audacity": (change_columns, change_words),
    "elan-text": (change_columns,),
    "salami": (change_columns, change_words),
    "ptb": (change_words,),
    "textgrid": (change_fields, change_words),
    "eaf": (change_xml,),
    "ctm": (change_columns, change_words),
    "rttm": (change_columns, change_words),
    "brat": (change_columns, change_words),
    "webanno-tsv": (change_columns, change_words),
    "xmi": (change_xml,),
    "label-studio": (change_json,),
    "jams": (change_json,),
}
"""Format -> changes of its structure."""
