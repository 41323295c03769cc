"""Reading files into corpora and writing corpora to files.

Each format has its own module. :mod:`~caesura.formats.registry` lists them, finds the format of a file and writes with it, and
:mod:`~caesura.formats.reading` reads with it. The page docs/formats/NAME.md describes a format for users: units, boundaries,
names of items and coders, and options. The docstring of its module has what the page leaves out.

A reader never repairs or drops data silently. An invalid file raises a ``FormatError`` whose message begins with
``path:line:``. If only some items of a file are invalid, their errors can be collected, and the other items are still read.
"""

from __future__ import annotations

from caesura.formats.reading import (
    find,
    is_collection,
    list_tiers,
    read,
    read_beginning,
    read_coders,
    read_files,
    read_together,
)
from caesura.formats.registry import NAMES, companions, detect, encode, find_format, format_for_writing, formats, write
from caesura.formats.settings import read_settings
from caesura.model.projection import check_same_tokens

__all__ = [
    "NAMES",
    "check_same_tokens",
    "companions",
    "detect",
    "encode",
    "find",
    "find_format",
    "format_for_writing",
    "formats",
    "is_collection",
    "list_tiers",
    "read",
    "read_beginning",
    "read_coders",
    "read_files",
    "read_settings",
    "read_together",
    "write",
]
