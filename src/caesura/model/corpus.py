"""Annotations of several items by several coders."""

from __future__ import annotations

from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from caesura.errors import InputError, OptionError, own_errors
from caesura.model.annotation import SAME_PLACE
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.fingerprint import fingerprint_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.hooks import converter
from caesura.model.reading import ReadingReport
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED, Segmentation, constructors_for
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import Displayed, Value, count_of

if TYPE_CHECKING:
    import pandas as pd

# Kinds of data and the classes of their annotations; the most structured kind comes first.
_KINDS: dict[str, type] = {"trees": Tree, "hierarchy": Hierarchy, "spans": Spans, "timed": Tier, "dialogue": Dialogue}
Entry = TypeVar("Entry")
_ANNOTATION_TYPES = (Segmentation, Dialogue, Hierarchy, Spans, Tier, Tree, BoundaryScores)


@dataclass(frozen=True)
class Source:
    files: tuple[str, ...]
    format: str = ""  # name of the format; several names are separated by commas
    part: str = "field"  # name of the parts of such a file: ``"column"``, ``"tier"`` or ``"field"``
    roles: Mapping[str, str] = field(default_factory=dict)  # part -> its role, such as ``"text"`` or ``"1/0 marks"``
    ignored: tuple[str, ...] = ()  # parts and files that were not used, each with the reason in brackets
    notes: tuple[str, ...] = ()  # conversions and decisions of the reader, such as a guessed encoding
    hint: str = "--format"  # option that changes how the file is read, for warnings
    # Options of ``over_units`` with which tasks convert tiers that are still in seconds.
    tier_options: Mapping[str, Any] = field(default_factory=dict)
    # Method by which texts that differ were aligned, and number of items that it changed.
    alignment: tuple[str, int] | None = None
    # Number of rows that were read, and of all rows, if only the first rows of a large file were read.
    rows: tuple[int, int] | None = None
    # Items for which the file itself says that an annotation is not to be used, such as rejected examples.
    declined: tuple[str, ...] = ()

    @classmethod
    def merge(cls, sources: Iterable[Source]) -> Source:
        listed = list(sources)
        roles: dict[str, str] = {}
        for source in listed:
            for name, role in source.roles.items():
                roles.setdefault(name, role)
        entries: dict[str, Any] = {"format": ", ".join(dict.fromkeys(source.format for source in listed))}
        for name in ("files", "ignored", "notes", "declined"):
            entries[name] = tuple(dict.fromkeys(entry for source in listed for entry in getattr(source, name)))
        return replace(listed[0] if listed else cls(()), roles=roles, **entries)


class Corpus(Value, Mapping[tuple[str, str], Annotation], Displayed):
    """Mapping from (item, coder) to the coder's annotation of the item.

    An annotation is a ``Segmentation``, a ``Dialogue`` (or a mapping from streams to segmentations), a ``Hierarchy``,
    ``Spans``, a ``Tier``, a ``Tree`` or ``BoundaryScores``. A coder need not annotate every item.

    Parameters
    ----------
    annotations : mapping of str to mapping of str to annotation
        Item -> coder -> annotation.

    Attributes
    ----------
    item_names : tuple of str
        Names of the items, in order of appearance.
    coders : tuple of str
        Names of the coders who annotated at least one item, in order of appearance.
    source : Source or None
        Files of the corpus and the roles of their parts; None if the corpus was not read from a file. It is not part of
        the value: two corpora with different sources can be equal.
    origin : Corpus or None
        The annotations before they were converted to common units, whose fingerprint this corpus has; None if they were
        not converted. It is not part of the value.

    Raises
    ------
    OptionError
        If an item has no coder, an annotation has the wrong type, or two names become equal as strings.

    Examples
    --------
    >>> corpus = Corpus({"poem": {"Ann": Segmentation.from_masses([2, 2]), "Bo": Segmentation.from_masses([1, 3])}})
    >>> corpus["poem", "Bo"]
    Segmentation(4 units: ·|···)
    >>> corpus
    Corpus(1 item, 2 coders: Ann, Bo)
    >>> list(corpus)
    [('poem', 'Ann'), ('poem', 'Bo')]
    """

    __slots__ = ("_annotations", "_by_item", "coders", "item_names", "origin", "source")

    source: Source | None
    coders: tuple[str, ...]
    item_names: tuple[str, ...]
    _annotations: dict[tuple[str, str], Annotation]
    _by_item: dict[str, dict[str, Annotation]]
    origin: Corpus | None

    def __init__(self, annotations: Mapping[str, Mapping[str, Annotation | Mapping[str, Segmentation]]]) -> None:
        by_key: dict[tuple[str, str], Annotation] = {}
        by_item: dict[str, dict[str, Annotation]] = {}
        for item, by_coder in _check_mapping(annotations, "expected a mapping from items to coders").items():
            if type(by_coder) is not dict and not isinstance(by_coder, Mapping):
                _check_mapping(by_coder, f"item {item!r}: expected a mapping from coders to annotations")
            if not by_coder:
                raise OptionError(f"item {item!r}: expected at least one coder; got none")
            item_name = item if type(item) is str else _check_name(item, "an item")
            by_name = by_item.setdefault(item_name, {})
            for coder, value in by_coder.items():
                name = coder if type(coder) is str else _check_name(coder, "a coder")
                if name in by_name:
                    problem = "two names become the same string; rename one of them"
                    raise OptionError(f"item {item!r}, coder {coder!r}: {problem}")
                entry = value if type(value) in _ANNOTATION_TYPES else _check_annotation(value, item, coder)
                by_key[item_name, name] = by_name[name] = entry
        coders = tuple(dict.fromkeys(coder for _, coder in by_key))
        names = {"coders": coders, "item_names": tuple(by_item)}
        self._fill(_annotations=by_key, _by_item=by_item, source=None, origin=None, **names)

    @cached_property
    def kind(self) -> str:
        """Kind of data, one of ``"linear"``, ``"dialogue"``, ``"timed"``, ``"spans"``, ``"hierarchy"`` and ``"trees"``.

        The most structured annotation determines the kind: first trees, then hierarchies, spans, tiers with times, and
        dialogues. A corpus without any of these is linear.
        """
        timed = (entry.timed if isinstance(entry, BoundaryScores) else bool(entry.tiers) for entry in self.values())
        classes = {Tier if in_seconds else type(entry) for entry, in_seconds in zip(self.values(), timed, strict=True)}
        kinds = (kind for kind, base in _KINDS.items() if any(issubclass(cls, base) for cls in classes))
        return next(kinds, "linear")

    @cached_property
    def reading(self) -> ReadingReport | None:
        """The reading report: content of the files and role of each part; None if the corpus was not read from a file."""
        return None if self.source is None else ReadingReport.of(self, self.source)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that are equal for equal data, whatever the format, order and path of the files.

        They cover the names of items and coders, the number of units, the boundaries with their types, and spans and times,
        but not the words. :mod:`caesura.model.fingerprint` describes the details. A corpus that was converted to common
        units has the fingerprint of its origin, so that a boundary that moves in time changes it.
        """
        return fingerprint_of(self._by_item.items()) if self.origin is None else self.origin.fingerprint

    def with_origin(self, corpus: Corpus) -> Corpus:
        """Return the same corpus with the annotations from which it was converted.

        Parameters
        ----------
        corpus : Corpus
            The annotations before the conversion, or more of them; their own origin takes precedence.

        Returns
        -------
        Corpus
            The corpus.
        """
        first = corpus if corpus.origin is None else corpus.origin
        if self._annotations.keys() == first.keys():
            return self._with(origin=first)
        return self._with(origin=Corpus(by_item((key, first[key]) for key in self._annotations)))

    @property
    def alignment_facts(self) -> dict[str, str | int]:
        """Alignment of texts that differ, and number of items it changed, for signatures; empty without alignment."""
        if self.source is None or self.source.alignment is None:
            return {}
        return dict(zip(("align", "aligned_items"), self.source.alignment, strict=True))

    def with_source(self, source: Source | None) -> Corpus:
        """Return the same corpus with a different source.

        Parameters
        ----------
        source : Source or None
            Files of the corpus and the roles of their parts.

        Returns
        -------
        Corpus
            The corpus.
        """
        corpus = self._with(source=source)
        corpus.__dict__.update(self.__dict__)  # what was computed once; the source is not part of the value
        corpus.__dict__.pop("reading", None)
        return corpus

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        coder: str | None = None,
        coders: Iterable[str] | None = None,
        text: str | None = None,
        unit: str | None = None,
        stream: str | None = None,
        types: Iterable[str | int] | None = None,
        **options: Any,
    ) -> Corpus:
        """Convert a data frame to a corpus.

        Parameters
        ----------
        frame : pandas.DataFrame, or a table with the Arrow PyCapsule interface
            One row per unit and one column per coder, or another shape that the table reader knows.
        item, coder, text, unit, stream : str, optional
            Columns with these roles (default: detected from their names).
        coders : iterable of str, optional
            Columns that contain the marks, one per coder (default: detected from their cells).
        types : iterable of str or int, optional
            Boundary types in ordinal order.
        **options
            Other options of the table reader, such as ``fields`` or ``shape``.

        Returns
        -------
        Corpus
            The annotations; ``corpus.reading`` describes the role of each column.

        Examples
        --------
        >>> frame = {"item": ["a", "a", "a"], "ann": [0, 1, 0], "bo": [1, 0, 0]}
        >>> import pandas
        >>> Corpus.from_frame(pandas.DataFrame(frame))["a", "ann"]
        Segmentation(3 units: ··|·)
        """
        columns = None if coders is None else list(coders)
        roles = {"item": item, "coder": coder, "text": text, "unit": unit, "stream": stream, "coders": columns}
        if fields := {role: column for role, column in roles.items() if column is not None}:
            options["fields"] = {**fields, **options.get("fields", {})}
        corpus: Corpus = converter().read(frame, types=types, **options)
        return corpus

    def to_frame(self) -> pd.DataFrame:
        """Convert the corpus to a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per unit and one column per coder, as in a CSV table; NA for a coder who did not annotate an item. Spans
            have one row per span, with item, coder, start, end and label.

        Raises
        ------
        FormatError
            If a table cannot represent the corpus, such as hierarchies.
        OptionError
            If pandas is not installed.
        """
        return converter().write(self)

    def holds(self, annotation_type: type) -> bool:
        """Return whether the corpus contains an annotation of a type.

        Parameters
        ----------
        annotation_type : type
            A class of the model, such as ``Tier``. A dialogue whose streams are tiers contains tiers.

        Returns
        -------
        bool
        """
        return any(
            annotation.tiers if annotation_type is Tier else isinstance(annotation, annotation_type)
            for annotation in self._annotations.values()
        )

    def of_item(self, item: str) -> dict[str, Annotation]:
        """Return the annotations of one item by coder.

        Parameters
        ----------
        item : str
            Name of the item.

        Returns
        -------
        dict
            Coder -> annotation.

        Raises
        ------
        OptionError
            If the corpus has no such item.
        """
        _check_names("item", [item], self._by_item)
        return dict(self._by_item[item])

    def of_coder(self, coder: str) -> dict[str, Annotation]:
        """Return the annotations of one coder by item.

        Parameters
        ----------
        coder : str
            Name of the coder.

        Returns
        -------
        dict
            Item -> annotation.

        Raises
        ------
        OptionError
            If the corpus has no such coder.
        """
        _check_names("coder", [coder], self.coders)
        return {item: by_coder[coder] for item, by_coder in self._by_item.items() if coder in by_coder}

    def by_coder(self) -> dict[str, dict[str, Annotation]]:
        """Return the annotations of every coder by item.

        Returns
        -------
        dict
            Coder -> item -> annotation.

        Examples
        --------
        >>> corpus = Corpus({"t": {"ann": Segmentation.from_masses([2, 1]), "bo": Segmentation.from_masses([1, 2])}})
        >>> {coder: list(annotations) for coder, annotations in corpus.by_coder().items()}
        {'ann': ['t'], 'bo': ['t']}
        """
        return by_item(((coder, item), annotation) for (item, coder), annotation in self._annotations.items())

    def select(self, *, items: Iterable[str] | None = None, coders: Iterable[str] | None = None) -> Corpus:
        """Return the part of the corpus with these items and coders.

        Parameters
        ----------
        items : iterable of str, optional
            Names of the items (default: all).
        coders : iterable of str, optional
            Names of the coders (default: all).

        Returns
        -------
        Corpus
            The selected annotations, in the order of this corpus.

        Raises
        ------
        OptionError
            If the corpus has no such item or coder.
        """
        chosen_items = set(self.item_names if items is None else items)
        chosen_coders = set(self.coders if coders is None else coders)
        _check_names("item", chosen_items, self._by_item)
        _check_names("coder", chosen_coders, dict.fromkeys(self.coders))  # a dictionary finds a name faster
        if len(chosen_items) == len(self._by_item) and len(chosen_coders) == len(self.coders):
            return self
        entries = (
            entry for entry in self._annotations.items() if entry[0][0] in chosen_items and entry[0][1] in chosen_coders
        )
        selected = Corpus(by_item(entries)).with_source(self.source)
        return selected if self.origin is None else selected.with_origin(self)

    def __getitem__(self, key: tuple[str, str]) -> Annotation:
        return self._annotations[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._annotations)

    def __len__(self) -> int:
        return len(self._annotations)

    def items(self) -> ItemsView[tuple[str, str], Annotation]:
        """Return all pairs of (item, coder) and annotation.

        Returns
        -------
        view
            The pairs, in order of appearance.
        """
        return self._annotations.items()

    def values(self) -> ValuesView[Annotation]:
        """Return all annotations.

        Returns
        -------
        view
            The annotations, in order of appearance.
        """
        return self._annotations.values()

    def _key(self) -> frozenset[tuple[tuple[str, str], Annotation]]:
        return frozenset(self._annotations.items())

    def __repr__(self) -> str:
        items, coders = count_of(len(self.item_names), "item"), count_of(len(self.coders), "coder")
        names = ", ".join(self.coders[:8]) + (", …" if len(self.coders) > 8 else "")
        return f"Corpus({items}, {coders}: {names})" if names else f"Corpus({items}, {coders})"


def by_item(entries: Iterable[tuple[tuple[str, str], Entry]]) -> dict[str, dict[str, Entry]]:
    """Return the entries of (item, coder) as item -> coder -> entry."""
    grouped: dict[str, dict[str, Entry]] = {}
    for (item, coder), entry in entries:
        grouped.setdefault(item, {})[coder] = entry
    return grouped


def convert_items(
    corpus: Corpus,
    convert: Callable[[str, str, Mapping[str, Any]], Mapping[str, Any]],
    error_class: type[InputError],
    excluded: list[InputError] | None,
    is_unchanged: Callable[[str, Mapping[str, Annotation]], bool],
) -> dict[str, dict[str, Annotation]]:
    """Convert the annotations of each item, stream by stream; without streams, the name of the stream is empty.

    ``convert`` takes item, stream and coder -> annotation. Errors are appended to a list, if there is one; their items are
    left out.
    """
    converted = {}
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        if is_unchanged(item, by_coder):
            converted[item] = by_coder
            continue
        try:
            with own_errors():
                converted[item] = _over_streams(by_coder, partial(convert, item), error_class)
        except OptionError:
            raise
        except InputError as problem:
            error = error_class(f"item {item!r}: {problem}")
            if excluded is None:
                raise error from None
            excluded.append(error)
    return converted


def _over_streams(
    by_coder: Mapping[str, Annotation],
    convert: Callable[[str, Mapping[str, Any]], Mapping[str, Any]],
    error_class: type[InputError],
) -> dict[str, Annotation]:
    dialogues = {coder: entry for coder, entry in by_coder.items() if isinstance(entry, Dialogue)}
    if not dialogues:
        return dict(convert("", by_coder))
    if without := [coder for coder in by_coder if coder not in dialogues]:
        raise error_class(f"all coders must have streams, or none; {without[0]} has none")
    converted: dict[str, dict[str, Any]] = {coder: {} for coder in dialogues}
    for stream in dict.fromkeys(name for dialogue in dialogues.values() for name in dialogue):
        try:
            present = {coder: dialogue[stream] for coder, dialogue in dialogues.items() if stream in dialogue}
            for coder, side in convert(stream, present).items():
                converted[coder][stream] = side
        except error_class as problem:
            raise error_class(f"stream {stream!r}: {problem}") from None
    return {coder: Dialogue(streams) for coder, streams in converted.items()}


def _check_mapping(value: Any, expected: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise OptionError(f"{expected}; got {value!r:.80}")
    return value


def _check_name(name: object, owner: str) -> str:
    if name is None or name != name:
        raise OptionError(f"the name of {owner} must be a string; got {name!r}")
    return str(name)


def _check_annotation(value: object, item: object, coder: object) -> Annotation:
    if isinstance(value, _ANNOTATION_TYPES):
        return value
    if isinstance(value, Mapping):
        return Dialogue(value)
    place = f"item {item!r}, coder {coder!r}"
    raise OptionError(f"{place}: expected a Segmentation; got {type(value).__name__}{constructors_for(value)}")


def _check_names(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            listed = (", ".join(map(repr, islice(known, 10))) or "none") + (", …" if len(known) > 10 else "")
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise OptionError(f"the corpus has no {kind} {name!r}; it has {listed}{hint}")


# -- annotations in seconds -------------------------------------------------------------------------------------------

# Corpora such as a reference and a hypothesis, or the annotations of a system by item.
Corpora = Sequence[Mapping[Any, Annotation]]


def tier_option(corpus: Mapping[Any, Annotation], name: str) -> Any:
    source = getattr(corpus, "source", None)
    return None if source is None else source.tier_options.get(name)


def lack_units(corpora: Corpora) -> bool:
    """Return whether all annotations are tiers without units: there are no words, and the user chose no units."""
    tiers = [annotation.tiers for corpus in corpora for annotation in corpus.values()]
    if not tiers or not all(tiers) or any(tier_option(corpus, "units") is not None for corpus in corpora):
        return False
    return all(tier.words is None for streams in tiers for tier in streams.values())


def flat_as_tiers(corpora: Corpora) -> list[dict[Any, Tier]]:
    """Return hierarchies in seconds that have one level, such as those of .lab files, as tiers."""
    converted = [{key: _as_tier(annotation) for key, annotation in corpus.items()} for corpus in corpora]
    tiers = [{key: tier for key, tier in by_key.items() if tier is not None} for by_key in converted]
    return tiers if list(map(len, tiers)) == list(map(len, converted)) else []


def _as_tier(annotation: Annotation) -> Tier | None:
    if not isinstance(annotation, Hierarchy) or annotation.edges is None or annotation.depth != 1:
        return None
    rows = [(start, end, (label or "").strip() or UNTYPED[0]) for start, end, label, _ in annotation.ranges]
    return Tier(rows, *annotation.axis.extent)


def one_level_as_tiers(corpus: Corpus) -> Corpus:
    """Return the corpus as tiers if all annotations are hierarchies in seconds with one level; otherwise the corpus itself."""
    # Every task that chooses between seconds and hierarchies by itself asks this function, so that all of them compare the same
    # file in the same way.
    if not len(corpus) or not (tiers := flat_as_tiers([corpus])):
        return corpus
    return Corpus(by_item(tiers[0].items())).with_source(corpus.source).with_origin(corpus)


def tiers_where_mixed(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpora; if some annotations are tiers, hierarchies in seconds with one level become tiers too."""
    if not any(corpus.holds(Tier) for corpus in corpora) or not any(corpus.holds(Hierarchy) for corpus in corpora):
        return list(corpora)
    converted = [by_item((key, _as_tier(entry) or entry) for key, entry in corpus.items()) for corpus in corpora]
    return [Corpus(entries).with_source(corpus.source) for entries, corpus in zip(converted, corpora, strict=True)]


def tiers_by_item(corpora: Corpora) -> dict[tuple[str, str], list[Tier]]:
    named = [[(key[0] if isinstance(key, tuple) else key, corpus[key]) for key in corpus] for corpus in corpora]
    one_item = all(len({item for item, _ in entries}) == 1 for entries in named)
    together: dict[tuple[str, str], list[Tier]] = {}
    for item, annotation in (entry for entries in named for entry in entries):
        for stream, tier in annotation.tiers.items():
            together.setdefault((named[0][0][0] if one_item else item, stream), []).append(tier)
    return together


def extent_problem(corpora: Corpora) -> str | None:
    """Return why measures that need the extent of recordings cannot be computed."""
    boundaries = "so that only boundaries are compared"
    for (item, _), tiers in tiers_by_item(corpora).items():
        if any(tier.open_end for tier in tiers):
            hint = "give the lengths with --reading lengths=FILE to compare segments too"
            return f"the lengths of the items are not known, {boundaries}; {hint}"
        begins, ends = [tier.begin for tier in tiers], [tier.end for tier in tiers]
        if max(begins) - min(begins) > SAME_PLACE or max(ends) - min(ends) > SAME_PLACE:
            extents = " and ".join(dict.fromkeys(f"{tier.begin:.10g}-{tier.end:.10g} s" for tier in tiers))
            hint = "to compare segments too, choose an extent: -m 'purity_coverage(extent=union)', reference or intersection"
            return f"item {item!r} has the extents {extents}, {boundaries}; {hint}"
    return None
