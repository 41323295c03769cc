"""The formats, by name and by suffix."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

from caesura.errors import OptionError
from caesura.formats import folders
from caesura.formats.format import Format
from caesura.options import normalize_name, suggest

# If the content matches several formats, the first one in this order is used.
_MODULES = {
    "masses-json": "masses.JSON",
    "masses-tsv": "masses.TSV",
    "subtitle-breaks": "subtitle_breaks.FORMAT",
    "rttm": "rttm.FORMAT",
    "boris": "boris.FORMAT",
    "table-parquet": "table.PARQUET",
    "documents-parquet": "documents_parquet.FORMAT",
    "prodigy": "span_lines.PRODIGY",
    "doccano": "span_lines.DOCCANO",
    "documents-json": "documents_json.FORMAT",
    "bits": "bits.FORMAT",
    "segsimflex": "segsimflex.FORMAT",
    "rez": "rez.FORMAT",
    "spans-json": "spans_json.FORMAT",
    "rs3": "rs3.FORMAT",
    "dis": "dis.FORMAT",
    "rsd": "rsd.FORMAT",
    "lab": "lab.LAB",
    "salami": "lab.SALAMI",
    "audacity": "audacity.FORMAT",
    "elan-text": "elan_export.FORMAT",
    "ptb": "ptb.FORMAT",
    "textgrid": "textgrid.FORMAT",
    "eaf": "eaf.FORMAT",
    "ctm": "ctm.FORMAT",
    "brat": "brat.FORMAT",
    "webanno-tsv": "webanno.FORMAT",
    "xmi": "xmi.FORMAT",
    "label-studio": "label_studio.FORMAT",
    "jams": "jams.FORMAT",
    "bio": "bio.FORMAT",
    "wiki-sections": "wiki_sections.FORMAT",
    "choi": "choi.CHOI",
    "marked-text": "choi.MARKED",
    "segment-lines": "segment_lines.FORMAT",
    "srt": "subtitles.SRT",
    "vtt": "subtitles.VTT",
    "conllu": "conllu.FORMAT",
    "chat": "chat.FORMAT",
    "json": "json_fields.FORMAT",
    "table-csv": "table.CSV",
    "table-tsv": "table.TSV",
    "table-excel": "table.EXCEL",
    "table-r": "r_data.FORMAT",
    "spans-csv": "table.SPANS",
}


NAMES = tuple(_MODULES)
"""Names of all formats."""


def formats() -> dict[str, Format]:
    """Return all formats.

    Returns
    -------
    dict
        Name -> format.
    """
    return dict(_registry())


def companions(path: str | PathLike[str]) -> list[str]:
    """Return the files that are read together with a file, such as the text of a brat annotation.

    Parameters
    ----------
    path : path-like
        Path of the file.

    Returns
    -------
    list of str
        Paths of the files that exist.
    """
    names = folders.companion_names([fspath(path)], list(_registry().values()))
    return sorted(name for name in names if os.path.isfile(name))


@cache
def _registry() -> dict[str, Format]:
    """Import the modules of all formats when the first file is read, which keeps the start-up fast."""
    result = {}
    for name, place in _MODULES.items():
        module, _, attribute = place.partition(".")
        result[name] = getattr(import_module(f"caesura.formats.{module}"), attribute)
    return result


def find_format(name: str) -> Format:
    """Return the format with a name.

    Parameters
    ----------
    name : str
        Name of a format, or a suffix that only one format has. Case does not matter, and ``_`` equals ``-``.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    OptionError
        If there is no such format, or several have the suffix.
    """
    registered = formats()
    names = {normalize_name(known): known for known in registered}
    if normalize_name(name) in names:
        return registered[names[normalize_name(name)]]
    suffix = f".{name.casefold().lstrip('.')}"
    having = [entry for entry in registered.values() if suffix in (*entry.suffixes, *entry.other_suffixes)]
    if len(having) > 1:
        raise OptionError(
            f"{name!r} is a suffix of several formats; choose {', '.join(entry.name for entry in having)}"
        )
    return having[0] if having else format_by_name(name)


def format_by_name(name: str) -> Format:
    """Return the format with exactly this name.

    Parameters
    ----------
    name : str
        Name of a format.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    OptionError
        If there is no such format.
    """
    if name not in NAMES:
        raise OptionError(suggest("no format", name, NAMES))
    return _registry()[name]


def formats_by_suffix(path: str | PathLike[str]) -> list[Format]:
    """Return the formats that use the suffix of a file.

    Parameters
    ----------
    path : path-like
        Path of the file, without the suffix of a compression.

    Returns
    -------
    list of Format
        The formats, in the order of the registry.
    """
    suffix = Path(path).suffix.lower()
    return [format for format in _registry().values() if suffix in format.suffixes]
