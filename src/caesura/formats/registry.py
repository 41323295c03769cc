"""List of all formats. Their modules are imported when the first file is read, which keeps the start-up fast."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from caesura.formats.format import Format

# If the content matches several formats, the first one in this order is used.
_MODULES = {
    "masses-json": "masses.JSON",
    "masses-tsv": "masses.TSV",
    "table-csv": "unit_table.CSV",
    "table-tsv": "unit_table.TSV",
    "table-parquet": "parquet.FORMAT",
    "documents-parquet": "documents_parquet.FORMAT",
    "documents-json": "documents_json.FORMAT",
    "bits": "bits.FORMAT",
    "segsimflex": "segsimflex.FORMAT",
    "rez": "rez.FORMAT",
    "spans-json": "spans_json.FORMAT",
    "spans-csv": "spans_csv.FORMAT",
    "rs3": "rs3.FORMAT",
    "lab": "lab.LAB",
    "salami": "lab.SALAMI",
    "ptb": "ptb.FORMAT",
    "textgrid": "textgrid.FORMAT",
    "eaf": "eaf.FORMAT",
    "ctm": "ctm.FORMAT",
    "brat": "brat.FORMAT",
    "webanno-tsv": "webanno.FORMAT",
    "xmi": "xmi.FORMAT",
    "label-studio": "label_studio.FORMAT",
    "jams": "jams.FORMAT",
    "choi": "choi.CHOI",
    "marked-text": "choi.MARKED",
    "srt": "subtitles.SRT",
    "vtt": "subtitles.VTT",
    "conllu": "conllu.FORMAT",
    "chat": "chat.FORMAT",
}

NAMES = tuple(_MODULES)
"""Names of all formats."""


@cache
def registry() -> dict[str, Format]:
    """Import the modules of all formats and return the formats.

    Returns
    -------
    dict
        Name -> format.
    """
    result = {}
    for name, place in _MODULES.items():
        module, _, attribute = place.partition(".")
        result[name] = getattr(import_module(f"caesura.formats.{module}"), attribute)
    return result
