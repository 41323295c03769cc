"""Read stand-off annotation: a text and spans of its characters. The formats of annotation tools share this code.

The units are tokens. If the file contains tokens, these are used. Otherwise the text is split at white space, and
punctuation at the start and end of a word becomes separate tokens. With ``tokens="whitespace"``, punctuation is not
separated. With ``tokens="characters"``, every character except white space is a token; use this for scripts without spaces.
Each span is converted to a range of tokens: white space at its edges is ignored, and levels are derived from nesting. Two
spans with the same label over the same tokens are merged. A span that covers no token is excluded and counted.

The reader reports these problems:

* An edge lies inside a token. By default, the span is widened to the whole token, and a warning gives the number of such
  edges. With ``edges="error"``, the reader raises an error that names the span.
* A span is discontinuous: there are tokens between its fragments. By default, this is an error that names the span.
  ``discontinuous="hull"`` reads one span from the first to the last token, and ``"fragments"`` reads each fragment as a
  span; a warning gives the number of such spans. Fragments with only white space between them are merged (brat splits spans
  at the end of a line).
* Two spans cross. By default, this is an error that names both spans. ``repair=True`` excludes spans until the rest nest,
  and a warning gives the number of excluded spans.

``labels`` selects spans by patterns such as ``"PER*"``; spans with other labels are not read.

With ``as_="segments"``, the spans are converted to a segmentation: both edges of every span are boundaries. The type of a
boundary is the label of the spans that end there. If spans begin but do not end there, the type is ``"begin"`` (option
``begin``). At the end of a span without a label, the type is ``"boundary"``. If no span has a label, boundaries have no
types. The scale consists of the types that occur, unless ``types`` declares it; ``types`` must then include ``begin``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from caesura.errors import HierarchyError
from caesura.formats.characters import TOKEN_PATTERNS, TextSpan, Tokens
from caesura.formats.format import Reading
from caesura.formats.spans import REPAIR, Continuum, SpanRow, build_hierarchy
from caesura.formats.values import list_names, matches
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, choice, names, text


class StandoffReader:
    """Converter from spans over characters to spans over tokens.

    Parameters
    ----------
    reading : Reading
        File that is being read, with the options ``OPTIONS``. Its log records the changes.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.log = reading.log

    def annotation(self, item: str, coder: str, tokens: Tokens, spans: Sequence[TextSpan]) -> Hierarchy | Segmentation:
        """Return the spans of one coder as a hierarchy or a segmentation, depending on the option ``as_``.

        Parameters
        ----------
        item, coder : str
            Names of the item and the coder, for messages.
        tokens : Tokens
            Units of the text.
        spans : sequence of TextSpan
            Spans that the coder annotated.

        Returns
        -------
        Hierarchy or Segmentation
            Spans over tokens, or a segmentation at their edges.

        Raises
        ------
        FormatError, HierarchyError
            If a span is discontinuous, has an edge inside a token or crosses another span, and the options do not
            allow it.
        """
        options = self.reading.options
        place = f"item {item!r}, coder {coder!r}"
        rows: list[SpanRow] = []
        row_names: list[str] = []
        for span in self._with_labels(spans, place):
            span_rows = self._rows(span, tokens, place)
            rows += span_rows
            row_names += [str(span)] * len(span_rows)
        if not options["repair"]:
            _refuse_crossing(rows, row_names)
        hierarchy = build_hierarchy(self.reading, item, coder, rows, Continuum(units=tokens.units))
        if options["as_"] == "spans":
            return hierarchy
        return _segmentation(hierarchy, options["begin"], self.reading.types)

    def _with_labels(self, spans: Sequence[TextSpan], place: str) -> Sequence[TextSpan]:
        """Return the spans whose label matches the option ``labels``; warn if no label matches."""
        patterns = self.reading.options["labels"]
        if patterns is None:
            return spans
        selected = [span for span in spans if matches(span.label or "", patterns)]
        if spans and not selected:
            labels = sorted({span.label for span in spans if span.label is not None})
            problem = f"none of {len(spans)} span(s) has a label like {', '.join(map(repr, patterns))}"
            self.log.add(f"{place}: {problem}; the labels are {list_names(labels)}")
        return selected

    def _rows(self, span: TextSpan, tokens: Tokens, place: str) -> list[SpanRow]:
        """Convert a span to tokens. The result has one row, one row per fragment, or no row."""
        fragments = tokens.merge_fragments(span.fragments)
        if len(fragments) > 1:
            fragments = self._resolve_gaps(span, fragments, tokens, place)
        rows = []
        for start, end in fragments:
            first, last = tokens.covered(start, end)
            if first <= last:
                if tokens.starts[first] < start:
                    self._widen(span, tokens, first, "begins", place)
                if tokens.ends[last] > end:
                    self._widen(span, tokens, last, "ends", place)
                rows.append(SpanRow(first + 1, last + 1, None, span.label))
        if not rows:
            self.log.count("spans that cover no token left out", f"{span} of {place}")
        return rows

    def _resolve_gaps(
        self, span: TextSpan, fragments: list[tuple[int, int]], tokens: Tokens, place: str
    ) -> list[tuple[int, int]]:
        """Return the fragments to read of a discontinuous span, depending on the option ``discontinuous``."""
        method = self.reading.options["discontinuous"]
        if method == "error":
            gap, _ = tokens.covered(fragments[0][1], fragments[1][0])
            problem = f"token {gap + 1}, {tokens.units[gap][:40]!r}, lies between its fragments"
            hint = "or read with discontinuous='hull' or discontinuous='fragments'"
            raise self.reading.error(span.line, f"{place}: {span} must have no gap; {problem}; {hint}")
        if method == "hull":
            self.log.count("discontinuous spans read as one span from first to last token", f"{span} of {place}")
            return [(fragments[0][0], fragments[-1][1])]
        self.log.count("discontinuous spans read as one span per fragment", f"{span} of {place}")
        return fragments

    def _widen(self, span: TextSpan, tokens: Tokens, token: int, verb: str, place: str) -> None:
        """Count an edge inside a token, or raise an error if the option ``edges`` is ``"error"``."""
        if self.reading.options["edges"] == "error":
            finer = ", or with tokens='characters'" if "tokens" in self.reading.options else ""
            problem = f"it {verb} inside token {token + 1}, {tokens.units[token][:40]!r}"
            hint = f"or read with edges='token', which widens it{finer}"
            raise self.reading.error(span.line, f"{place}: {span} must begin and end between tokens; {problem}; {hint}")
        self.log.count("span edges inside a token moved to the edge of the token", f"{span} of {place}")


def read_document(reading: Reading, parse: Callable[[], tuple[Tokens, Sequence[TextSpan]]]) -> Corpus:
    """Read a file that contains one item by one coder.

    Parameters
    ----------
    reading : Reading
        File that is being read, with the options ``item``, ``coder`` and ``OPTIONS``.
    parse : callable
        Function that returns the tokens of the text and the spans over its characters.

    Returns
    -------
    Corpus
        One item with one coder. Both names are the file name unless the options set them.
    """
    reader, item, coder = StandoffReader(reading), reading.item_name, reading.coder_name
    return reading.read_one(lambda: reader.annotation(item, coder, *parse()))


def _refuse_crossing(rows: Sequence[SpanRow], row_names: Sequence[str]) -> None:
    """Raise an error if two spans cross; the message identifies the spans as in the annotation tool."""
    enclosing: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: (rows[i].start, -rows[i].end)):
        while enclosing and rows[enclosing[-1]].end < rows[i].start:
            enclosing.pop()
        if enclosing and rows[enclosing[-1]].end < rows[i].end:
            pair = (f"{row_names[j]} over tokens {rows[j].start}-{rows[j].end}" for j in (enclosing[-1], i))
            hint = "or read with repair=True, which excludes such spans"
            raise HierarchyError(f"{' and '.join(pair)} cross; each coder's own spans must nest; {hint}")
        enclosing.append(i)


def _segmentation(hierarchy: Hierarchy, begin: str, types: tuple[str, ...] | None) -> Segmentation:
    """Return a segmentation with a boundary at both edges of every span."""
    spans, length, units = hierarchy.spans, hierarchy.length, hierarchy.units
    ends: dict[int, set[str]] = {}
    for span in spans:
        ends.setdefault(span.end, set()).add(span.label or UNTYPED[0])
    positions = sorted({span.start - 1 for span in spans} - {0} | ends.keys())
    if types is None and not any(span.label for span in spans):
        return Segmentation.from_positions(length, sorted({*positions} - {length}), units=units)
    marks = [ends.get(position, {begin}) for position in positions]
    return Segmentation.from_positions(length, positions, marks=marks, types=types, units=units)


# -- layers -----------------------------------------------------------------------------------------------------------

_AUTOMATIC_LAYERS = (
    "dkpro.core.api.lexmorph.",
    "dkpro.core.api.segmentation.",
    "dkpro.core.api.metadata.",
    "clarin.webanno.api.type.",
)
"""Layers of DKPro and WebAnno that annotate each token, each sentence or the whole text."""


def choose_layers(reading: Reading, layers: Sequence[str]) -> list[str]:
    """Return the layers to read.

    Parameters
    ----------
    reading : Reading
        File that is being read. The option ``layer`` contains patterns that match the whole name of a layer or the last
        part of its name. By default, the first manually annotated layer is read, with a warning if there are several.
    layers : sequence of str
        Names of the span layers in the file.

    Returns
    -------
    list of str
        Names of the layers to read.

    Raises
    ------
    HierarchyError
        If no layer matches the patterns.
    """
    patterns = reading.options["layer"]
    if patterns is None:
        manual = [layer for layer in layers if not any(part in layer for part in _AUTOMATIC_LAYERS)]
        if len(manual) > 1:
            change = f"the file has several span layers; only the first, {manual[0]}, was read"
            reading.log.add(f"{change}; choose other layers with layer=: {list_names(manual[1:])}")
        return manual[:1]
    selected = [layer for layer in layers if matches(layer, patterns) or matches(layer.rpartition(".")[2], patterns)]
    if not selected:
        raise HierarchyError(f"no span layer matches {list_names(patterns)}; the layers are {list_names(layers)}")
    return selected


def choose_feature(layer: str, features: Iterable[str], requested: str | None) -> str | None:
    """Return the feature that contains the label: the requested feature, or else ``value``, or else the first.

    Parameters
    ----------
    layer : str
        Name of the layer, for the error message.
    features : iterable of str
        Names of the features of the layer.
    requested : str, optional
        Value of the option ``feature``.

    Returns
    -------
    str or None
        Name of the feature, or None if the layer has no features.

    Raises
    ------
    HierarchyError
        If the requested feature does not exist.
    """
    available = list(features)
    if requested is not None and requested not in available:
        raise HierarchyError(f"layer {layer} has no feature {requested!r}; its features are {list_names(available)}")
    return requested or ("value" if "value" in available else next(iter(available), None))


# -- options ----------------------------------------------------------------------------------------------------------


ANNOTATION_TYPES = (Hierarchy, Segmentation)
"""Types of annotations between which the option ``as_`` chooses."""
TOKENS = Option("tokens", None, choice(*TOKEN_PATTERNS), "units (default: tokens of the file, or words if it has none)")
LAYER = Option("layer", None, names, "names or patterns of layers (default: the first manually annotated layer)")
FEATURE = Option("feature", None, text, "feature that is the label (default: value, or the first if there is none)")
OPTIONS = (
    Option("as_", "spans", choice("spans", "segments"), "read spans, or a segmentation at their edges"),
    Option("begin", "begin", text, "for segmentations: type of a boundary at which spans only begin"),
    Option("labels", None, names, "labels to read, a pattern or a list of patterns (default: all)"),
    Option("edges", "token", choice("token", "error"), "edge inside a token: widen the span to the token, or an error"),
    Option("discontinuous", "error", choice("error", "hull", "fragments"), "how to read a span with a gap"),
    REPAIR,
)
