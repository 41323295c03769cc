"""Corpora of every kind for reports, and a page parser from the standard library, independent of the writer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from random import Random
from typing import Any

import pytest

import caesura as cz
from caesura import data
from caesura.model.result import Edit
from support.oracles import read_oracle
from support.shared_data import DataFolder

Subject = tuple[cz.Corpus, list[str] | None]
TYPES = (".", ",", "?", "--", ";")

#           1    2    3    4    5    6
# ann       good|night moon|good|night stars
# bo        good night|moon good|night stars
WORDS = ("good", "night", "moon", "good", "night", "stars")


def plain() -> cz.Corpus:
    cut = cz.Segmentation.from_positions
    first = {"ann": cut(6, [1, 3, 4], units=WORDS), "bo": cut(6, [2, 4], units=WORDS), "cy": cut(6, [3], units=WORDS)}
    second = {"ann": cut(5, [2]), "bo": cut(5, [2]), "cy": cut(5, [4])}
    return cz.Corpus({"moon": first, "plain": second})


def talk() -> cz.Corpus:
    def marks(*marks_of_words: str) -> cz.Segmentation:
        return cz.Segmentation.from_marks(marks_of_words, types=TYPES)

    ann = {"F": marks("", ",", "", "", "."), "M": marks("", "?", "", ".")}
    bo = {"F": marks("", "", ",", "", "?"), "M": marks("", "?", "", "")}
    return cz.Corpus({"talk": {"ann": ann, "bo": bo}})


def nested() -> cz.Corpus:
    # Figure 4 of Carbone et al. (2004)
    first = cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)])
    second = cz.Hierarchy(8, [(1, 8), (1, 4), (5, 8)])
    third = cz.Hierarchy(8, [(1, 8), (1, 2), (3, 6)])
    return cz.Corpus({"figure 4": {"first": first, "second": second, "third": third}})


def parsed() -> cz.Corpus:
    gold = cz.Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    other = cz.Tree.from_brackets("(S (NP (DT the)) (JJ man) (VP (VBD ate)))")
    return cz.Corpus({"1": {"gold": gold, "parser": other}, "2": {"gold": gold, "parser": gold}})


# -- real ones ----------------------------------------------------------------------------------------------------------


def stargazer(shared: DataFolder) -> Subject:
    return data.stargazer(), None


def moonstone(shared: DataFolder) -> Subject:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an old program
        samples = pytest.importorskip(
            "segeval.data.samples", reason="segeval is not installed: pip install caesura[test]"
        )
    groups = {"G2": samples.KAZANTSEVA2012_G2, "G5": samples.KAZANTSEVA2012_G5}
    return cz.Corpus(
        {
            f"{chapter} ({group})": {coder: cz.Segmentation.from_masses(masses) for coder, masses in by.items()}
            for group, chapters in groups.items()
            for chapter, by in chapters.items()
        }
    ), None


def kubla_khan(shared: DataFolder) -> Subject:
    poem = (shared / "data/linear/kubla_khan_poem.txt").read_text()
    lines = [line for line in poem.splitlines() if line.strip()]
    by_coder = cz.read(shared / "data/linear/kubla_khan_fournier2013.json").of_item("kublakhan")
    units = {
        coder: cz.Segmentation.from_masses(segmentation.masses, units=lines) for coder, segmentation in by_coder.items()
    }  # type: ignore[union-attr]
    return cz.Corpus({"Kubla Khan": units}), ["C9"]


def nccu(shared: DataFolder) -> Subject:
    def marks(line: str) -> cz.Segmentation:
        return cz.Segmentation.from_marks([{" ": "", "–": "--"}.get(c, c) for c in line], types=TYPES)

    row = read_oracle("nccu.jsonl")[0]
    sides = [dict(zip(row["speakers"], map(marks, row[side]), strict=True)) for side in ("lists1", "lists2")]
    return cz.Corpus({row["text"]: {"A": sides[0], "B": sides[1]}}), None


def spam(shared: DataFolder) -> Subject:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other tracks
        corpus = cz.read(shared / "data/hierarchical_time/spam_12tracks_5annotators.json", excluded=[])
    return corpus.select(items=corpus.item_names[:1]), None


def evalb(shared: DataFolder) -> Subject:
    sides = [cz.read_trees(shared / f"data/trees/evalb/sample.{suffix}") for suffix in ("gld", "tst")]
    rows: dict[str, dict[str, cz.Tree]] = {}
    for number, pair in enumerate(zip(*sides, strict=True), 1):
        rows[str(number)] = {who: tree for who, tree in zip(("gold", "parser"), pair, strict=True) if tree is not None}
    return cz.Corpus(rows), ["parser"]


def gcdt(shared: DataFolder) -> Subject:
    return cz.read(shared / "data/discourse/gcdt_spans.json"), None


def gum(shared: DataFolder) -> Subject:
    folder = shared / "data/trees/gum_two_parsers"
    sides = {name: cz.read_trees(folder / f"GUM_bio_nida.{name}.ptb") for name in ("old", "new")}
    rows: dict[str, dict[str, cz.Tree]] = {}
    for number, (old, new) in enumerate(zip(*sides.values(), strict=True), 1):
        rows[str(number)] = {name: tree for name, tree in {"old": old, "new": new}.items() if tree is not None}
    return cz.Corpus(rows), None


def textgrid(shared: DataFolder) -> Subject:
    return cz.read(shared / "data/everyday/textgrid"), None


def twenty_documents(shared: DataFolder) -> Subject:
    """Three coders and five systems of decreasing quality on 20 documents."""
    random = Random(1)
    coders = {"A": 0.1, "B": 0.1, "C": 0.1} | {f"system {i}": 0.1 + 0.15 * i for i in range(1, 6)}

    def segmentation(places: list[int], errors: float) -> cz.Segmentation:
        kept = {place + random.choice((-1, 0, 0, 0, 1)) for place in places if random.random() > errors}
        return cz.Segmentation.from_positions(60, sorted(kept | set(random.sample(range(1, 60), int(6 * errors)))))

    items = {}
    for number in range(1, 21):
        places = sorted(random.sample(range(2, 59), 8))
        items[f"document {number}"] = {coder: segmentation(places, errors) for coder, errors in coders.items()}
    return cz.Corpus(items), [coder for coder in coders if coder.startswith("system")]


_MAKERS = (stargazer, moonstone, kubla_khan, nccu, spam, gcdt, gum, evalb, textgrid, twenty_documents)
REAL = {make.__name__: make for make in _MAKERS}
BESIDE = ("kubla_khan", "spam", "gcdt", "gum", "evalb")
"""Corpora that may not ship with the tests."""


# -- a page, read again ---------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Tags with their attributes, scripts by id, and the visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str | None, str] = {}
        self.text = ""
        self._inside: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        inside = self._inside[-1] if self._inside else ""
        if inside == "script":
            self.scripts[self.tags[-1][1].get("id")] = data
        elif inside != "style":
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]

    @property
    def common(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.scripts["common"])
        return data

    def item(self, name: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.scripts[f"item-{self.common['items'].index(name)}"])
        return data

    def edits(self, item: str, a: str, b: str) -> tuple[Edit, ...]:
        """Return the decoded edits: shape and distance from the previous edit, alternating."""
        common = self.common
        places = common["coders"].index(a), common["coders"].index(b)
        return tuple(self._edits(common, self.item(item)["edits"][f"{places[0]}-{places[1]}"]))

    @staticmethod
    def _edits(common: dict[str, Any], numbers: list[int]) -> Iterator[Edit]:
        at = 0
        for shape, distance in zip(numbers[::2], numbers[1::2], strict=True):
            kind, shift, a_type, b_type, cost, stream = common["shapes"][shape]
            at += distance
            kind_name = common["kinds"][kind]
            yield Edit(
                kind_name,
                None if kind_name == "insertion" else at if shift >= 0 else at - shift,
                None if kind_name == "deletion" else at if shift <= 0 else at + shift,
                None if a_type < 0 else common["types"][a_type],
                None if b_type < 0 else common["types"][b_type],
                cost,
                common["streams"][stream] or None,
            )
