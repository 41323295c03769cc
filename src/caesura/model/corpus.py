"""Who segmented what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from caesura.errors import InputError, OptionError
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.display import Displayed
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree

__all__ = ["Corpus", "about_item"]


class Corpus(Displayed):
    """(item, coder) -> what that coder made of that item.

    That is a ``Segmentation``, a mapping stream -> ``Segmentation`` (a dialogue), a ``Hierarchy``, a
    ``Tier`` or a ``Tree``.

    Coders may be missing for some items.

    >>> corpus = Corpus({"poem": {"Ann": Segmentation.from_masses([2, 2]), "Bo": Segmentation.from_masses([1, 3])}})
    >>> corpus["poem", "Bo"]
    Segmentation(4 units: ·|···)
    >>> corpus
    Corpus(1 item, 2 coders: Ann, Bo)
    """

    __slots__ = ("_cells", "_hash", "_rows", "coders", "item_names")

    def __init__(self, items: Mapping[str, Mapping[str, Annotation | Mapping[str, Segmentation]]]) -> None:
        cells: dict[tuple[str, str], Annotation] = {}
        coders: dict[str, None] = {}
        for item, by_coder in items.items():
            if not by_coder:
                raise OptionError(f"item {item!r}: at least one coder is needed; got none")
            for coder, given in by_coder.items():
                if not isinstance(given, (Segmentation, Hierarchy, Tier, Tree, Mapping)):
                    raise OptionError(
                        f"item {item!r}, coder {coder!r}: a Segmentation is needed; got {type(given).__name__}"
                    )
                if (str(item), str(coder)) in cells:
                    raise OptionError(
                        f"item {item!r}, coder {coder!r}: the name stands for two that differ in kind only"
                    )
                cells[str(item), str(coder)] = (
                    given if isinstance(given, (Segmentation, Dialogue, Hierarchy, Tier, Tree)) else Dialogue(given)
                )
                coders[str(coder)] = None
        rows: dict[str, dict[str, Annotation]] = {}
        for (item, coder), one in cells.items():
            rows.setdefault(item, {})[coder] = one
        object.__setattr__(self, "_cells", cells)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "coders", tuple(coders))
        object.__setattr__(self, "item_names", tuple(rows))
        object.__setattr__(self, "_hash", None)

    coders: tuple[str, ...]
    """Everyone who coded at least one item, in order of appearance."""
    item_names: tuple[str, ...]
    """Names of the items, in order of appearance."""
    _cells: dict[tuple[str, str], Annotation]
    _rows: dict[str, dict[str, Annotation]]
    _hash: int | None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Corpus is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Corpus is immutable; cannot delete {name!r}")

    def __getitem__(self, key: tuple[str, str]) -> Annotation:
        return self._cells[key]

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def get(self, item: str, coder: str) -> Annotation | None:
        """What the coder made of the item, or None if nothing."""
        return self._cells.get((item, coder))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __eq__(self, other: object) -> bool:
        return self._cells == other._cells if isinstance(other, Corpus) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(frozenset(self._cells.items())))
        return self._hash  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        return Corpus, ({item: self.of_item(item) for item in self.item_names},)

    def __repr__(self) -> str:
        items = f"{len(self.item_names)} item{'' if len(self.item_names) == 1 else 's'}"
        coders = f"{len(self.coders)} coder{'' if len(self.coders) == 1 else 's'}"
        names = ", ".join(self.coders[:8]) + (", …" if len(self.coders) > 8 else "")
        return f"Corpus({items}, {coders}: {names})" if names else f"Corpus({items}, {coders})"

    def of_item(self, item: str) -> dict[str, Annotation]:
        """Coder -> segmentation, for one item."""
        if item not in self._rows:
            raise OptionError(f"no item {item!r}; there are {_listed(self.item_names)}")
        return dict(self._rows[item])

    def of_coder(self, coder: str) -> dict[str, Annotation]:
        """Item -> segmentation, for one coder."""
        if coder not in self.coders:
            raise OptionError(f"no coder {coder!r}; there are {_listed(self.coders)}")
        return {item: one for (item, name), one in self._cells.items() if name == coder}

    def select(self, *, items: Iterable[str] | None = None, coders: Iterable[str] | None = None) -> Corpus:
        """The part of the corpus with these items and coders."""
        kept_items = set(self.item_names if items is None else items)
        kept_coders = set(self.coders if coders is None else coders)
        for name in kept_items.difference(self.item_names):
            raise OptionError(f"no item {name!r}; there are {_listed(self.item_names)}")
        for name in kept_coders.difference(self.coders):
            raise OptionError(f"no coder {name!r}; there are {_listed(self.coders)}")
        chosen: dict[str, dict[str, Annotation]] = {}
        for (item, coder), one in self._cells.items():
            if item in kept_items and coder in kept_coders:
                chosen.setdefault(item, {})[coder] = one
        return Corpus(chosen)


@contextmanager
def about_item(item: str, excluded: list[InputError] | None, kind: type[InputError]) -> Iterator[None]:
    """Whatever is wrong with the data inside concerns one item: collected if the caller asked for it, else raised."""
    try:
        yield
    except OptionError:
        raise
    except InputError as problem:
        said = kind(f"item {item!r}: {problem}")
        if excluded is None:
            raise said from None
        excluded.append(said)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return (shown or "none") + (", …" if len(names) > 10 else "")
