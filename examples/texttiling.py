"""A real segmenter judged end to end: NLTK's TextTiling against people.

    python examples/texttiling.py TEXT.txt CODERS.json      paragraphs with blank lines between, and who segmented them how
    python examples/texttiling.py FOLDER                    recorded sessions of TinyRec: NAME.json with NAME_anno.json

Needs NLTK (``pip install nltk``), which caesura itself does not. A unit is a paragraph, or an entry of a transcript.
CODERS.json has segment masses, a number of paragraphs each: ``{"items": {"my text": {"ann": [3, 5], "bo": [3, 2, 3]}}}``.

TextTiling (Hearst 1997) counts words in windows of ``w * k`` tokens and puts a boundary where vocabulary changes most, at the
nearest break between paragraphs that is 100 characters or more from the one before. A text that is too short for its windows
is left out, and said to be.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import caesura as cz
from caesura.errors import CaesuraError
from caesura.views import judgement as tables

# NLTK would download a list; this short one needs no network.
STOPWORDS = """
a about after all also am an and any are as at be because been but by can could did do does for from get go
going got had has have he her here him his how i if in into is it its just know like me more my no not now of on one or our
out really right she so some that the their them then there these they thing think this to up us very was we well were what
when which who will with would yeah yes you your
""".split()  # noqa: SIM905 - read as prose


def text_tiling(units: list[str], *, w: int = 20, k: int = 10) -> cz.Segmentation:
    """Where NLTK's TextTiling puts boundaries between units; ValueError if there is too little text."""
    from nltk.tokenize import TextTilingTokenizer

    lines = [" ".join(unit.split()) or "-" for unit in units]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, about windows without words
        tiles = TextTilingTokenizer(w=w, k=k, stopwords=STOPWORDS).tokenize("\n\n".join(lines))
    # A tile ends where a unit does: at the end of its text, before the blank line.
    ends = np.cumsum([len(line) + 2 for line in lines]) - 2
    cuts = np.cumsum([len(tile) for tile in tiles])[:-1]
    positions = np.searchsorted(ends, cuts, side="right")
    inside = (positions > 0) & (positions < len(units))
    return cz.Segmentation.from_positions(len(units), np.unique(positions[inside]))


def from_text(text: Path, coders: Path) -> tuple[cz.Corpus, dict[str, list[str]]]:
    """One text, its paragraphs as units."""
    corpus = cz.read(coders)
    if len(corpus.item_names) != 1:
        raise SystemExit(f"{coders}: one item is needed, the text; got {len(corpus.item_names)}")
    paragraphs = [part for part in text.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    return corpus, {corpus.item_names[0]: paragraphs}


def from_sessions(folder: Path) -> tuple[cz.Corpus, dict[str, list[str]]]:
    """Transcripts whose entries are the units, and one annotator's coarse topics, [first, last, title] from 0."""
    people: dict[str, dict[str, cz.Segmentation]] = {}
    units: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*_anno.json")):
        session = path.name.removesuffix("_anno.json")
        (noted,) = json.loads(path.read_text(encoding="utf-8")).values()
        (recorded,) = json.loads((folder / f"{session}.json").read_text(encoding="utf-8")).values()
        name = session.split("-")[0]
        units[name] = [entry["composite"] for entry in recorded["entries"]]
        # By their ends: in one session two topics begin before the one before them has ended, 239 for 293.
        ends = [last + 1 for _, last, *_ in noted["coarse"]]
        people[name] = {noted["annotator"]: cz.Segmentation.from_positions(ends[-1], ends[:-1])}
    if not people:
        raise SystemExit(f"{folder}: no file *_anno.json")
    return cz.Corpus(people), units


def main() -> None:
    """Read, segment, judge, print."""
    parser = argparse.ArgumentParser(description="NLTK's TextTiling judged against people.")
    parser.add_argument("source", type=Path, help="a text, or a folder of sessions")
    parser.add_argument("coders", type=Path, nargs="?", help="segment masses, with a text")
    parser.add_argument("-w", type=int, default=20, help="tokens in a pseudo-sentence (20)")
    parser.add_argument("-k", type=int, default=10, help="pseudo-sentences in a block (10)")
    given = parser.parse_args()
    if (given.coders is None) != given.source.is_dir():
        parser.error("a folder of sessions, or a text and its coders")
    corpus, units = from_sessions(given.source) if given.coders is None else from_text(given.source, given.coders)
    tiled = {}
    for item, text in units.items():
        try:
            tiled[item] = text_tiling(text, w=given.w, k=given.k)
        except ValueError as problem:
            print(f"{item}: {len(text)} units are too few for TextTiling: {problem}", file=sys.stderr)
    if not tiled:
        sys.exit("nothing is left to judge; smaller windows may help: -w 10 -k 4")
    warnings.simplefilter("ignore", cz.errors.CaesuraWarning)  # a handful of items, and the table says so
    found = cz.judge(corpus, {"texttiling": tiled}, seed=1)
    for item, mine in tiled.items():
        for coder, one in corpus.of_item(item).items():
            print(f"{item}  {coder:>12}  {one.draw()}")
        print(f"{item}  {'texttiling':>12}  {mine.draw()}\n")
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    for table in tables.score_tables(found):
        table.print(console)
    for note in tables.score_notes(found):
        print(note)
    tables.mistake_table(found.mistakes.values()).print(console)
    for what, why in found.undefined.items():
        print(f"{what}: undefined, {why}")
    for problem in found.excluded:
        print(problem, file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except CaesuraError as problem:
        sys.exit(f"texttiling: {problem}")
