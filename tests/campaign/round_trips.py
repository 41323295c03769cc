"""Round trips: what a format can represent is equal after writing and reading; the rest is refused when writing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.errors import CaesuraError
from caesura.formats import formats

from .damaged import check_message
from .random_corpora import random_corpus
from .registry import Case, attack

WRITTEN = tuple(name for name, entry in formats().items() if entry.write is not None)
SUFFIXES = {"segsimflex": ".csv", "audacity": ".txt", "marked-text": ".txt", "subtitle-breaks": ".fr"}
TIERS = ("eaf", "textgrid")
"""Formats in which coders are tiers, and the reader must know which of several tiers are coders."""
TRIALS = 12
"""Corpora that are tried until the format can represent one of them."""


def _as_read(name: str, annotation: Any) -> Any:
    """Return an annotation as a format represents it: the segments of a text are spans of level 1 in files of spans."""
    if not name.startswith("spans-") or not isinstance(annotation, cz.Segmentation):
        return annotation
    edges, labels = [0, *annotation.inner.tolist(), annotation.length], annotation.labels
    spans = [(a + 1, b, 1, None if labels is None else labels[a]) for a, b in pairwise(edges)]
    return cz.Hierarchy(annotation.length, spans, units=annotation.units)


def _write(corpus: cz.Corpus, path: Path, name: str) -> bool:
    """Return whether the format can represent the corpus."""
    path.unlink(missing_ok=True)
    try:
        cz.write(corpus, path, name)
    except CaesuraError as error:
        check_message(error)
        assert not path.exists(), "a file was written although it was refused"
        return False
    return True


@attack("round trips", share=3, quick=1500)
def round_trip(case: Case) -> str:
    """Write random corpora in each format in turn until one can be written, and read it again."""
    name = WRITTEN[case.number % len(WRITTEN)]
    path = case.folder / f"x0{SUFFIXES.get(name) or formats()[name].suffixes[0]}"
    for _ in range(TRIALS):
        corpus = random_corpus(case.rng, hostile=case.rng.choice((0.0, 0.0, 0.1, 0.3)))
        with cz.collect_warnings() as losses:
            written = _write(corpus, path, name)
        if written:
            break
    else:
        return "refused"
    with cz.collect_warnings():
        again = cz.read(path, name, **({"tiers": corpus.coders} if name in TIERS else {}))
    if losses:
        return "warned"
    expected = {key: _as_read(name, annotation) for key, annotation in corpus.items()}
    assert dict(again) == expected, f"{name}: {again!r}, not {corpus!r}: {path.read_bytes()[:300]!r}"
    return "equal"
