"""UIMA's XMI, of INCEpTION and WebAnno, read with dkpro-cassis.

An XMI needs its type system: ``TypeSystem.xml`` beside it, as INCEpTION exports it, or the file that ``typesystem`` names. The
units are the annotations of DKPro's type Token; a text without them is cut at white space, ``tokens`` says otherwise. Offsets
count UTF-16 units in the file.

Which type is read is said by ``layer``, its name or the last part of it. Without that it is the only one of which there are
annotations in the file: tokens, sentences, parts of speech and what describes the document are none, and neither are
relations. Who reads many files should name it: in one of them there may be annotations of another type only. The label is the
feature ``value`` if there is one, else the first that is no reference; ``feature`` names another.

A file is one coder and one item, named by the file. What becomes of spans and how to choose them: see ``standoff``.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats.format import Format, Reading, load
from caesura.formats.standoff import LAYER, OPTIONS, TOKENS, Drawn, Standoff, Tokens, Utf16, check_parts, choose, file
from caesura.formats.symbols import CODER, ITEM
from caesura.formats.xml import decode_xml, parse_xml
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.options import Option, text

__all__ = ["FORMAT"]

_ID = "{http://www.omg.org/XMI}id"
_SOFA = "{http:///uima/cas.ecore}Sofa"
_VIEW = "{http:///uima/cas.ecore}View"
_TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_DOCUMENT = "uima.tcas.DocumentAnnotation"
_RELATION = {"Governor", "Dependent"}
_OF_ALL = ("sofa", "begin", "end")


def read(reading: Reading) -> Corpus:
    """One text, and the annotations of one coder."""
    item, coder = reading.options["item"] or reading.stem, reading.options["coder"] or reading.stem
    lines = _lines(reading, parse_xml(reading))
    said, found = _annotations(reading)
    standoff = Standoff(reading)
    with reading.item(None, f"item {item!r}, coder {coder!r}: "):
        places = [_place(one, len(said)) for one in found]
        there = dict.fromkeys(one.type.name for one in found if _is_span(one.type))
        names = choose(list(there), reading.options["layer"], standoff.left_out)
        drawn = [
            Drawn(_named(one), _label(one, reading.options["feature"]), (place,), lines.get(str(one.xmiID)))
            for one, place in zip(found, places, strict=True)
            if one.type.name in names
        ]
        own = sorted(place for one, place in zip(found, places, strict=True) if one.type.name == _TOKEN)
        if own and reading.options["tokens"] is None:
            tokens = Tokens.at(said, own)
        else:
            tokens = Tokens.cut(said, reading.options["tokens"])
        standoff.add(item, coder, tokens, drawn)
    standoff.warn()
    return reading.corpus()


def _lines(reading: Reading, root: Any) -> dict[str, int]:
    """Id -> line, once it is sure that cassis will read what stands there.

    It would take the last of two with one id, convert the offsets of a member that is listed twice twice, and keep offsets
    that lie nowhere.
    """
    lines: dict[str, int] = {}
    placed: set[str] = set()
    texts = {one.get(_ID): Utf16(one.get("sofaString") or "") for one in root.iterfind(_SOFA)}
    for one in root:
        name = one.get(_ID)
        if name in lines:
            raise reading.error(one.sourceline, f"an id may stand only once; got {name[:40]!r} again")
        if name is not None:
            lines[name] = one.sourceline
        if one.get("sofa") in texts and one.tag != _VIEW:
            placed.add(name)
            _check_offsets(reading, one, texts[one.get("sofa")])
    listed: set[str] = set()
    for view in root.iterfind(_VIEW):
        for member in (view.get("members") or "").split():
            if member in listed:
                raise reading.error(
                    view.sourceline, f"an annotation may be a member only once; got {member[:40]!r} again"
                )
            if member in placed:  # what has no place in a text may be in several views
                listed.add(member)
    return lines


def _check_offsets(reading: Reading, one: Any, said: Utf16) -> None:
    for name in ("begin", "end"):
        offset = one.get(name) or ""
        if re.fullmatch("-?[0-9]{1,18}", offset):  # cassis refuses others by itself
            try:
                said.character(int(offset))
            except HierarchyError as problem:
                raise reading.error(one.sourceline, f"{name} of the annotation {one.get(_ID)}: {problem}") from None


def _typesystem(reading: Reading) -> str:
    path = reading.options["typesystem"] or str(Path(reading.path).with_name("TypeSystem.xml"))
    if not Path(path).exists():
        raise reading.error(
            None, f"the type system is needed beside it, in {path}; there is no such file; or name it by typesystem="
        )
    companions = Reading(path, decode_xml(path, load(path)))
    parse_xml(companions)  # for what it refuses: cassis would expand entities
    return companions.text


def _annotations(reading: Reading) -> tuple[str, list[Any]]:
    """The text, and everything that is annotated in it, offsets in characters."""
    try:
        import cassis
    except ImportError:
        raise reading.error(None, "reading this needs dkpro-cassis; install caesura[inception]") from None
    types = _typesystem(reading)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # features with names that Python reserves
        warnings.filterwarnings("error", message="Not mapping external offset")
        try:
            cas = cassis.load_cas_from_xmi(reading.text, typesystem=cassis.load_typesystem(types))
            texts = {sofa.sofaID: sofa.sofaString for sofa in cas.sofas if sofa.sofaString}
            named = "_InitialView" if "_InitialView" in texts else next(iter(texts), None)
            if named is not None and (named == "_InitialView" or len(texts) == 1):
                return texts[named], cas.get_view(named).select_all_annotations()
        except Exception as problem:  # cassis trusts files: what is wrong with one can be any exception
            said = " ".join(str(problem).split())[:200]
            raise reading.error(
                None, f"an XMI that fits its type system is needed; got {type(problem).__name__}: {said}"
            ) from None
    raise reading.error(None, f"one view with a text is needed; got {len(texts)}")


def _named(one: Any) -> str:
    return f"{one.type.name.rpartition('.')[2]} {one.xmiID}"


def _place(one: Any, length: int) -> tuple[int, int]:
    try:
        return check_parts(((one.begin, one.end),), length)[0]
    except HierarchyError as problem:
        raise HierarchyError(f"{_named(one)}: {problem}") from None


def _is_span(kind: Any) -> bool:
    """Whether annotations of a type are spans, and not the document or a relation between spans."""
    return kind.name != _DOCUMENT and not {one.name for one in kind.all_features} >= _RELATION


def _label(one: Any, asked: str | None) -> str | None:
    from cassis.typesystem import is_primitive

    # cassis puts an underscore after names that Python reserves.
    features = {
        feature.name.rstrip("_"): feature.name
        for feature in one.type.all_features
        if feature.name not in _OF_ALL and is_primitive(feature.rangeType)
    }
    if asked is not None and asked not in features:
        raise HierarchyError(
            f"{one.type.name} has no feature {asked!r}; there are {', '.join([*features][:20]) or 'none'}"
        )
    name = asked or ("value" if "value" in features else next(iter(features), None))
    value = None if name is None else getattr(one, features[name])
    return None if value is None or value == "" else str(value)


FORMAT = Format(
    name="xmi",
    suffixes=(".xmi",),
    other_suffixes=(".xml",),
    description="UIMA XMI of INCEpTION and WebAnno, with TypeSystem.xml beside it",
    read=read,
    looks_like=lambda lines: "<xmi:XMI" in lines[:2000],
    companions=("TypeSystem.xml",),
    extra="inception",
    decode=decode_xml,
    options=(
        ITEM,
        CODER,
        Option("typesystem", None, file, "the file with the type system; by default TypeSystem.xml beside"),
        LAYER,
        Option("feature", None, text, "the feature that is the label; by default value, else the first"),
        TOKENS,
        *OPTIONS,
    ),
    annotation_types=(Hierarchy, Segmentation),
)
