"""UIMA XMI files of INCEpTION and WebAnno, read with dkpro-cassis.

An XMI file needs its type system. The units are the annotations of the DKPro type Token. Offsets count UTF-16 code units.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats import standoff
from caesura.formats.content import load
from caesura.formats.format import NAME_OPTIONS, Format, Reading
from caesura.formats.standoff import TextSpan, Tokens, Utf16Offsets
from caesura.formats.values import import_extra
from caesura.formats.xml import decode_xml, parse_xml
from caesura.model.corpus import Corpus
from caesura.notices import silence
from caesura.options import Option, path

_ID = "{http://www.omg.org/XMI}id"
_SOFA = "{http:///uima/cas.ecore}Sofa"
_VIEW = "{http:///uima/cas.ecore}View"
_TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_DOCUMENT = "uima.tcas.DocumentAnnotation"
_RELATION_FEATURES = {"Governor", "Dependent"}
_COMMON_FEATURES = ("sofa", "begin", "end")


def _read(reading: Reading) -> Corpus:
    lines = _check_document(reading, parse_xml(reading))
    document, annotations = _load_annotations(reading)

    def parse() -> tuple[Tokens, list[TextSpan]]:
        located = [(annotation, _offsets(annotation, len(document))) for annotation in annotations]
        types = dict.fromkeys(annotation.type.name for annotation in annotations if _is_span(annotation.type))
        layers = standoff.choose_layers(reading, list(types))
        feature = reading.options["feature"]
        spans = [
            TextSpan(_identify(annotation), _label(annotation, feature), (offsets,), lines.get(str(annotation.xmiID)))
            for annotation, offsets in located
            if annotation.type.name in layers
        ]
        token_offsets = sorted(offsets for annotation, offsets in located if annotation.type.name == _TOKEN)
        if token_offsets and reading.options["tokens"] is None:
            return replace(Tokens.from_offsets(document, token_offsets), from_file=True), spans
        return Tokens.tokenize(document, reading.options["tokens"]), spans

    return standoff.read_document(reading, parse)


def _check_document(reading: Reading, root: Any) -> dict[str, int]:
    # If two elements have the same id, cassis uses the last one. If a member is listed twice, it converts the offsets twice. It
    # also accepts offsets outside the text.
    lines: dict[str, int] = {}
    annotation_ids: set[str] = set()
    texts = {_number(sofa.get(_ID)): Utf16Offsets(sofa.get("sofaString") or "") for sofa in root.iterfind(_SOFA)}
    for element in root:
        name = element.get(_ID)
        if name in lines:
            raise reading.error(element.sourceline, f"an id must be unique; got {name[:40]!r} again")
        if name is not None:
            lines[name] = element.sourceline
        sofa = _number(element.get("sofa"))
        if sofa in texts and element.tag != _VIEW:
            annotation_ids.add(name)
            for edge in ("begin", "end"):
                offset = element.get(edge) or ""
                if re.fullmatch("-?[0-9]{1,18}", offset):  # cassis itself rejects all other values
                    with reading.at_line(element.sourceline, f"{edge} of the annotation {name}: "):
                        texts[sofa].to_character(int(offset))
    _check_members(reading, root, annotation_ids)
    return lines


def _number(name: str | None) -> str | None:
    """Return an id as cassis compares it: 01 equals 1."""
    try:
        return name if name is None else str(int(name[:20]))
    except ValueError:
        return name


def _check_members(reading: Reading, root: Any, annotation_ids: set[str]) -> None:
    """Raise an error if an annotation is listed twice. Elements without offsets may be in several views."""
    members: set[str] = set()
    for view in root.iterfind(_VIEW):
        for member in (view.get("members") or "").split():
            if member in members:
                raise reading.error(view.sourceline, f"a member must be listed once; got {member[:40]!r} again")
            if member in annotation_ids:
                members.add(member)


def _load_annotations(reading: Reading) -> tuple[str, list[Any]]:
    cassis = import_extra(reading, "cassis", "dkpro-cassis", "inception")
    typesystem_path = reading.options["typesystem"] or str(Path(reading.path).with_name("TypeSystem.xml"))
    if not Path(typesystem_path).exists():
        raise reading.error(None, f"the type system {typesystem_path} does not exist; set it with typesystem=")
    typesystem = Reading(typesystem_path, decode_xml(typesystem_path, load(typesystem_path)))
    parse_xml(typesystem)  # parsed only to raise errors, because cassis would expand entities
    silence(module="cassis")  # cassis warns about feature names that are reserved in Python
    try:
        cas = cassis.load_cas_from_xmi(reading.text, typesystem=cassis.load_typesystem(typesystem.text))
        texts = {sofa.sofaID: sofa.sofaString for sofa in cas.sofas if sofa.sofaString}
        view = "_InitialView" if "_InitialView" in texts else next(iter(texts), None)
        if view is not None and (view == "_InitialView" or len(texts) == 1):
            return texts[view], cas.get_view(view).select_all_annotations()
    except Exception as error:  # cassis does not validate: a damaged file can raise any exception
        message = " ".join(str(error).split())[:200]
        message = f"expected an XMI that fits its type system; got {type(error).__name__}: {message}"
        raise reading.error(None, message) from None
    raise reading.error(None, f"expected one view with a text; got {len(texts)}")


def _identify(annotation: Any) -> str:
    return f"{annotation.type.name.rpartition('.')[2]} {annotation.xmiID}"


def _offsets(annotation: Any, length: int) -> tuple[int, int]:
    try:
        return standoff.check_fragments(((annotation.begin, annotation.end),), length)[0]
    except HierarchyError as error:
        raise HierarchyError(f"{_identify(annotation)}: {error}") from None


def _is_span(kind: Any) -> bool:
    """Return whether annotations of a type are spans, and not document annotations or relations."""
    return kind.name != _DOCUMENT and not {feature.name for feature in kind.all_features} >= _RELATION_FEATURES


def _label(annotation: Any, requested: str | None) -> str | None:
    from cassis.typesystem import is_primitive

    # cassis appends an underscore to feature names that are reserved in Python.
    attributes = {
        feature.name.rstrip("_"): feature.name
        for feature in annotation.type.all_features
        if feature.name not in _COMMON_FEATURES and is_primitive(feature.rangeType)
    }
    feature = standoff.choose_feature(annotation.type.name, attributes, requested)
    value = None if feature is None else getattr(annotation, attributes[feature])
    return None if value is None or value == "" else str(value)


FORMAT = Format(
    name="xmi",
    suffixes=(".xmi",),
    other_suffixes=(".xml",),
    description="UIMA XMI of INCEpTION and WebAnno, with TypeSystem.xml in the same folder",
    read=_read,
    looks_like=lambda text: "<xmi:XMI" in text[:2000],
    companions=("TypeSystem.xml",),
    extra="inception",
    decode=decode_xml,
    options=(
        *NAME_OPTIONS,
        Option("typesystem", None, path, "file with the type system (default: TypeSystem.xml in the same folder)"),
        *standoff.LAYER_OPTIONS,
        *standoff.TOKEN_OPTIONS,
    ),
    annotation_types=standoff.ANNOTATION_TYPES,
)
