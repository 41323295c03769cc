"""Checks of readers against a search over the raw file, or against the reader of another library.

Every check takes a valid file. Our own samples in ``tests/data/samples`` run everywhere; the files of published corpora run
if they are available.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura import Hierarchy, Tier
from caesura.errors import FormatError

SAMPLES = Path(__file__).parents[1] / "data" / "samples"


def read_single(path: Path, **options: Any) -> Any:
    """Return the only annotation of a file."""
    corpus = cz.read(path, **options)
    (annotation,) = (corpus[key] for key in corpus)
    return annotation


def check_chat(path: Path) -> int:
    """Compare main lines and their continuations, which must consist of plain words between spaces. Return their number."""
    lines = re.findall(r"^\*(\w+):\t(.*(?:\n\t.*)*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    dialogue = read_single(path)
    assert [*dialogue] == [*dict.fromkeys(speaker for speaker, _ in lines)]
    number = 0
    for speaker, side in dialogue.items():
        utterances = [text.split() for who, text in lines if who == speaker]
        words = [word for text in utterances for word in text if unicodedata.category(word[0])[0] != "P"]
        assert side.units == tuple(words)
        assert [kind for _, kind in side.boundaries] == [text[-1] for text in utterances]
        number += len(side.boundaries)
    return number


def check_brat(path: Path) -> tuple[int, int]:
    """Compare contiguous spans in characters. Return the numbers of spans and of words between white space."""
    raw = path.read_text(encoding="utf-8")
    document = path.with_suffix(".txt").read_text(encoding="utf-8")
    annotated = re.findall(r"^T\d+\t(\S+) (\d+) (\d+)\t", raw, re.MULTILINE)
    hierarchy = read_single(path, tokens="characters", as_="hierarchy")
    assert isinstance(hierarchy, Hierarchy)
    # Number of characters before an offset, without white space.
    at = [len("".join(document[:i].split())) for i in range(len(document) + 1)]
    assert {(s.start, s.end, s.label) for s in hierarchy.spans} == {
        (at[int(start)] + 1, at[int(end)], kind) for kind, start, end in annotated
    }
    words = document.split()
    if not raw:
        assert read_single(path, tokens="whitespace", edges="error", as_="hierarchy") == Hierarchy(
            len(words), [], units=words
        )
    return len(hierarchy.spans), len(words)


def check_subtitles(path: Path, *, cues: int, lines_within_cues: int) -> None:
    raw = path.read_text(encoding="utf-8-sig")
    assert len(re.findall("-->", raw)) == cues
    # Text is everything between a line with an arrow and a blank line.
    text = re.findall(r"^.*-->.*\n((?:.+\n?)+)", raw, re.MULTILINE)
    words = [word for block in text for word in re.sub("<[^>]*>", "", block).split()]
    assert sum(block.rstrip("\n").count("\n") for block in text) == lines_within_cues
    segmentation = read_single(path)
    assert segmentation.units == tuple(words)
    kinds = Counter(kind for _, kind in segmentation.boundaries)
    assert (kinds["block"], kinds["line"]) == (cues, lines_within_cues)


def check_conllu(path: Path) -> int:
    """Compare tokens and sentences. Return the number of sentences."""
    raw = path.read_text(encoding="utf-8")
    segmentation = read_single(path, boundaries="sentences")
    assert segmentation.units == tuple(re.findall(r"^[0-9]+\t([^\t]+)", raw, re.MULTILINE))
    sentences = len(re.findall(r"^# sent_id", raw, re.MULTILINE))
    assert len(segmentation.masses) == sentences
    return sentences


def check_conllu_of_gum(path: Path, folder: Path) -> int:
    """Compare sentences, and EDUs if their mark is renamed. Return the number of EDUs."""
    raw = path.read_text(encoding="utf-8")
    sentences = check_conllu(path)
    assert f"# newdoc id = {path.stem}\n" in raw
    # MSeg is morphology and no mark of segments. Discourse= is at the first token of an EDU.
    assert "MSeg=" in raw
    with pytest.raises(FormatError, match=r"no token is marked .* the keys are .*Discourse.*key=NAME"):
        cz.read(path)
    segmentation = cz.read(path, key="Discourse")[
        path.stem, path.stem
    ]  # named by newdoc, which is the name of the file
    # The same segments under the name that DISRPT uses.
    (folder / "edus.tok").write_text(re.sub(r"(?<=[\t|])Discourse=[^|\n]*", "BeginSeg=Yes", raw), encoding="utf-8")
    assert cz.read(folder / "edus.tok")[path.stem, "edus"] == segmentation
    edus = len(segmentation.masses)
    assert edus > sentences
    return edus


def check_ptb(path: Path) -> list[cz.Tree | None]:
    """Compare the numbers of trees, brackets and words; every tree begins in the first column. Return the trees."""
    raw = path.read_text(encoding="utf-8")
    trees = cz.read_trees(path)
    assert len(trees) == sum(line.startswith("(") for line in raw.splitlines())
    assert sum(len(tree) for tree in trees if tree is not None) == raw.count("(")
    # A word is followed by the bracket that closes its tag.
    words = sum(tree.length for tree in trees if tree is not None)
    assert words == sum(1 for a, b in pairwise(raw) if b == ")" and a not in ") \n")
    return trees


def count_webanno(path: Path, column: int) -> tuple[int, int]:
    """Return the numbers of tokens and of spans in a column. A span has a number in brackets or is a single cell."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if re.match(r"\d+-\d+\t", line)]
    cells = [row[column].strip() for row in rows]
    numbers = {number for cell in cells for number in re.findall(r"\[(\d+)\]", cell)}
    return len(rows), len(numbers) + sum(cell != "_" and "[" not in cell for cell in cells)


def check_webanno(path: Path, column: int, **options: Any) -> Hierarchy:
    """Compare tokens and spans, of which no two may have the same label and tokens. Return the annotation."""
    hierarchy = read_single(path, as_="hierarchy", **options)
    assert isinstance(hierarchy, Hierarchy)
    assert (hierarchy.length, len(hierarchy.spans)) == count_webanno(path, column)
    return hierarchy


# -- Praat and ELAN ---------------------------------------------------------------------------------------------------


def read_tiers(path: Path) -> dict[str, Tier]:
    """Return all tiers of a TextGrid."""
    corpus = cz.read(path, units="times", tiers="*")
    return {coder: tier for coder, tier in corpus.of_item(path.stem).items() if isinstance(tier, Tier)}


def quoted(text: str) -> list[str]:
    """Return the texts between quotes, found character by character."""
    texts: list[str] = []
    inside = False
    i = 0
    while i < len(text):
        if text[i] == '"' and not inside:
            texts.append("")
            inside = True
        elif text[i] == '"' and text[i + 1 : i + 2] == '"':
            texts[-1] += '"'
            i += 1
        elif text[i] == '"':
            inside = False
        elif inside:
            texts[-1] += text[i]
        i += 1
    return texts


def check_textgrid(path: Path) -> None:
    """Compare the quoted texts: two of the header, then the class, the name and the labels of each tier."""
    data = path.read_bytes()
    text = data.decode("utf-16" if data[:1] == b"\xfe" else "utf-8").replace("\r\n", "\n")
    counted: list[tuple[str, list[str]]] = []
    for token in quoted(text)[2:]:
        if token in ("IntervalTier", "TextTier"):
            counted.append((token, []))
        else:
            counted[-1][1].append(token)
    tiers = read_tiers(path)
    assert [rows[0] for _, rows in counted] == [*tiers]
    for (kind, (_, *labels)), tier in zip(counted, tiers.values(), strict=True):
        assert (kind == "TextTier") == (tier.points is not None)
        if tier.points is None:
            assert [row.label for row in tier.intervals] == [label for label in labels if label.strip()]
        else:
            assert [row.label for row in tier.points] == labels


def check_textgrid_with_praatio(path: Path) -> None:
    textgrid = pytest.importorskip("praatio.textgrid", reason="praatio is not installed: pip install caesura[test]")
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = textgrid.openTextgrid(str(path), includeEmptyIntervals=False)
    tiers = read_tiers(path)
    assert tuple(tiers) == theirs.tierNames
    for name, tier in tiers.items():
        rows = [tuple(row) for row in (tier.intervals if tier.points is None else tier.points)]
        praatio_rows = [tuple(row) for row in theirs.getTier(name).entries]
        assert [row[-1].strip() for row in rows] == [row[-1] for row in praatio_rows]  # praatio strips
        for row, praatio_row in zip(rows, praatio_rows, strict=True):
            assert all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(row[:-1], praatio_row[:-1], strict=True))


def check_eaf_with_rustling(path: Path) -> None:
    elan = pytest.importorskip("rustling.elan", reason="rustling is not installed: pip install caesura[talkbank]")
    (theirs,) = elan.read_elan(str(path)).tiers()
    corpus = cz.read(path, units="times", tiers="*")
    assert corpus.coders == tuple(theirs)
    number = 0
    for name, elan_tier in theirs.items():
        tier = corpus[path.stem, name]
        assert isinstance(tier, Tier)
        rows = [(a.start_time / 1000, a.end_time / 1000, a.value) for a in elan_tier.annotations]
        assert [tuple(row) for row in tier.intervals] == sorted(rows)
        number += len(rows)
    assert number == path.read_text(encoding="utf-8").count("</ANNOTATION>")


def check_praat_and_elan(path: Path, *, coders: tuple[str, ...], spans: int) -> None:
    """Compare a TextGrid with the .eaf beside it: the same spans, to a millisecond."""
    praat, elan = (cz.read(path.with_suffix(suffix), units="times", tiers="*") for suffix in (".TextGrid", ".eaf"))
    assert praat.coders == elan.coders == coders
    number = 0
    for key in praat:
        a, b = praat[key], elan[key]
        assert isinstance(a, Tier)
        assert isinstance(b, Tier)
        for praat_row, elan_row in zip(a.intervals, b.intervals, strict=True):
            assert elan_row.label == praat_row.label
            assert elan_row[:2] == pytest.approx(praat_row[:2], abs=0.001)
            number += 1
    assert number == spans


def check_table_of_pygamma(path: Path) -> None:
    """Compare every row: coder, label, start, end."""
    rows = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    corpus = cz.read(path)
    for coder in {row[0] for row in rows}:
        spans = corpus[path.stem, coder]
        assert isinstance(spans, cz.Spans)
        assert spans.axis == "seconds"
        assert [tuple(span) for span in spans] == sorted(
            (float(start), float(end), label) for who, label, start, end in rows if who == coder
        )
