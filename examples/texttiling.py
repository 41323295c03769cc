"""Judge a real segmenter, NLTK's TextTiling, against people.

    python examples/texttiling.py TEXT.txt CODERS.json      paragraphs separated by blank lines, and their segmentations
    python examples/texttiling.py FOLDER                    recorded sessions of TinyRec: NAME.json with NAME_anno.json

This example needs NLTK (``pip install nltk``). A unit is a paragraph, or an entry of a transcript. CODERS.json has segment
masses, that is, numbers of paragraphs: ``{"items": {"my text": {"ann": [3, 5], "bo": [3, 2, 3]}}}``.

TextTiling (Hearst 1997) counts words in windows of ``w * k`` tokens and finds the positions where the vocabulary changes
most. It places boundaries at the nearest breaks between paragraphs, at least 100 characters apart. The example lists texts
that are too short for the windows and excludes them.
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
from caesura.views.judgement import JudgeTables, judgement_view
from caesura.views.table import Table
from caesura.views.text_table import table_text

# NLTK would download a list. This short list needs no network.
STOPWORDS = """
a about after all also am an and any are as at be because been but by can could did do does for from get go
going got had has have he her here him his how i if in into is it its just know like me more my no not now of on one or our
out really right she so some that the their them then there these they thing think this to up us very was we well were what
when which who will with would yeah yes you your
""".split()  # noqa: SIM905 - read as prose


def text_tiling(units: list[str], *, w: int = 20, k: int = 10) -> cz.Segmentation:
    """Return the boundaries of NLTK's TextTiling between units; raise ValueError if the text is too short."""
    from nltk.tokenize import TextTilingTokenizer

    lines = [" ".join(unit.split()) or "-" for unit in units]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns about windows without words
        tiles = TextTilingTokenizer(w=w, k=k, stopwords=STOPWORDS).tokenize("\n\n".join(lines))
    # A tile ends with a unit: at the end of its text, before the blank line.
    ends = np.cumsum([len(line) + 2 for line in lines]) - 2
    tile_ends = np.cumsum([len(tile) for tile in tiles])[:-1]
    positions = np.searchsorted(ends, tile_ends, side="right")
    inside = (positions > 0) & (positions < len(units))
    return cz.Segmentation.from_positions(len(units), np.unique(positions[inside]))


def from_text(text: Path, coders: Path) -> tuple[cz.Corpus, dict[str, list[str]]]:
    """Return the coders of one text, and its paragraphs as units."""
    corpus = cz.read(coders)
    if len(corpus.item_names) != 1:
        raise SystemExit(f"{coders}: expected one item, the text; got {len(corpus.item_names)}")
    paragraphs = [part for part in text.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    return corpus, {corpus.item_names[0]: paragraphs}


def from_sessions(folder: Path) -> tuple[cz.Corpus, dict[str, list[str]]]:
    """Return the coarse topics of one annotator, [first, last, title] from 0, and the entries of transcripts as units."""
    people: dict[str, dict[str, cz.Segmentation]] = {}
    units: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*_anno.json")):
        session = path.name.removesuffix("_anno.json")
        (annotation,) = json.loads(path.read_text(encoding="utf-8")).values()
        (recording,) = json.loads((folder / f"{session}.json").read_text(encoding="utf-8")).values()
        name = session.split("-")[0]
        units[name] = [entry["composite"] for entry in recording["entries"]]
        # Use the ends of topics: in one session two topics begin before the end of the topic before them (239 for 293).
        ends = [last + 1 for _, last, *_ in annotation["coarse"]]
        people[name] = {annotation["annotator"]: cz.Segmentation.from_positions(ends[-1], ends[:-1])}
    if not people:
        raise SystemExit(f"{folder}: no file *_anno.json")
    return cz.Corpus(people), units


def main() -> None:
    """Read texts, segment them, judge the result, and print it."""
    parser = argparse.ArgumentParser(description="Judge NLTK's TextTiling against people.")
    parser.add_argument("source", type=Path, help="a text, or a folder of sessions")
    parser.add_argument("coders", type=Path, nargs="?", help="segment masses of the text")
    parser.add_argument("-w", type=int, default=20, help="tokens per pseudo-sentence (default: 20)")
    parser.add_argument("-k", type=int, default=10, help="pseudo-sentences per block (default: 10)")
    arguments = parser.parse_args()
    if (arguments.coders is None) != arguments.source.is_dir():
        parser.error("expected a folder of sessions, or a text and its coders")
    if arguments.coders is None:
        corpus, texts = from_sessions(arguments.source)
    else:
        corpus, texts = from_text(arguments.source, arguments.coders)
    segmentations = {}
    for item, units in texts.items():
        try:
            segmentations[item] = text_tiling(units, w=arguments.w, k=arguments.k)
        except ValueError as error:
            print(f"{item}: {len(units)} units are too few for TextTiling: {error}", file=sys.stderr)
    if not segmentations:
        sys.exit("no text can be judged; try smaller windows: -w 10 -k 4")
    warnings.simplefilter("ignore", cz.errors.CaesuraWarning)  # there are few items, as the table shows
    judgement = cz.judge(corpus, {"texttiling": segmentations}, seed=1)
    for item, segmentation in segmentations.items():
        for coder, annotation in corpus.of_item(item).items():
            print(f"{item}  {coder:>12}  {annotation.draw()}")
        print(f"{item}  {'texttiling':>12}  {segmentation.draw()}\n")
    answer = judgement_view(judgement, JudgeTables(errors=True))
    print(answer.text)
    for table in answer.blocks(details=True):
        print(f"\n{table_text(table, 100) if isinstance(table, Table) else table}")
    for name, reason in judgement.undefined.items():
        print(f"{name}: undefined, {reason}")
    for excluded in judgement.excluded:
        print(excluded, file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except CaesuraError as error:
        sys.exit(f"texttiling: {error}")
