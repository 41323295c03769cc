"""From a corpus to a page."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraWarning, FormatError, OptionError
from caesura.judging.participants import Systems
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.options import seed as check_seed
from caesura.version import __version__
from caesura.views.page.render import render
from caesura.views.page.results import STEPS, Results, results_of
from caesura.views.page.sections import sections_of
from caesura.views.page.subject import subject_of
from caesura.views.page.texts import KINDS
from caesura.views.table import Table, clean

__all__ = ["report"]

_WHAT = {
    "segmentations": "texts cut into segments",
    "dialogues": "dialogues, each participant a text",
    "hierarchies": "hierarchies of spans, shown as boundaries with levels as types",
    "trees": "parses",
}


def report(
    corpus: Corpus,
    *,
    systems: Systems | None = None,
    path: str | PathLike[str] | None = None,
    title: str | None = None,
    measure: str | Measure | None = None,
    seed: int = 0,
    excluded: list[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """One HTML page about a corpus, whatever it holds, that opens from disk and asks the network for nothing.

    Agreement with intervals, pairs as a heat map, dendrogram, boundaries by coder and by position, precision against
    recall, operations by type; gold hierarchies and aligned trees where there are such. And the texts: every coder's
    boundaries in them, and for any two coders what became of each boundary, to step through, filter, sort and save.
    Every number has its signature. What has no meaning for the corpus says why in its place.

    ``systems`` are the programs among the coders, as :func:`~caesura.judge` takes them; they are judged. Coders are
    compared by ``measure``: by default B and S, in dialogue S_f and S_f^B, between hierarchies kappa, between trees
    Struct-IoU and PARSEVAL. ``path`` is where the page is written; it is returned in any case. What was left out stands
    in the page, and is added to ``problems``. ``progress`` is called with the steps done and all there are.

    >>> from caesura.data import stargazer
    >>> page = report(stargazer(), title="Stargazer")
    >>> page.splitlines()[0], "multi_pi" in page
    ('<!DOCTYPE html>', True)
    """
    check_seed("seed", seed)
    if find_spec("matplotlib") is None:
        raise OptionError("a report needs matplotlib, which is not installed; pip install 'caesura[report]'")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", CaesuraWarning)
        subject = subject_of(corpus, systems, measure, seed)
        found = results_of(subject, _Steps(len(subject.corpus.item_names) + STEPS, progress))
        page = _page(found, title, told)
    for one in told:
        if not issubclass(one.category, CaesuraWarning):  # ours stand in the page
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if excluded is not None:
        excluded += dict.fromkeys(subject.excluded)
    if path is not None:
        try:
            Path(path).write_text(page, encoding="utf-8")
        except OSError as problem:
            raise FormatError(path, None, f"cannot be written: {problem.strerror}") from None
    return page


class _Steps:
    """Counts what is done, for a bar."""

    def __init__(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        self.made = 0
        self.total = total
        self.progress = progress

    def __call__(self) -> None:
        self.made += 1
        if self.progress is not None:
            self.progress(min(self.made, self.total), self.total)


def _page(found: Results, title: str | None, told: list[warnings.WarningMessage]) -> str:
    subject, texts = found.subject, found.texts
    sections = sections_of(found)
    common = {
        "kinds": KINDS,
        "coders": [clean(name) for name in subject.corpus.coders],
        "programs": [subject.corpus.coders.index(name) for name in subject.systems],
        "items": [clean(item.name) for item in texts.items],
        "trees": subject.kind == "trees",
        **texts.common,
    }
    warned = dict.fromkeys(str(one.message) for one in told if issubclass(one.category, CaesuraWarning))
    return render(
        title=title or f"Report on {_several(len(subject.corpus.item_names), 'item')}",
        facts=_facts(found),
        signatures=_signatures(found),
        notes=[*subject.notes, *warned],
        left_out=_left_out(list(dict.fromkeys(subject.excluded))),
        sections=sections,
        common=common,
        items=texts.items,
        aligner=repr(subject.aligner),
        trees=subject.kind == "trees",
        version=__version__,
    )


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _facts(found: Results) -> list[tuple[str, str]]:
    """What the corpus is, in a few lines."""
    subject = found.subject
    corpus = subject.corpus
    facts = [
        ("holds", _WHAT[subject.kind]),
        ("items", str(len(corpus.item_names))),
        ("coders", f"{len(subject.people)}: {', '.join(subject.people)}"),
    ]
    if subject.systems:
        facts.append(("programs", f"{len(subject.systems)}: {', '.join(subject.systems)}"))
    units: Any = [next(iter(corpus.of_item(item).values())) for item in corpus.item_names]
    facts.append(("units", f"{sum(one.length for one in units):,}".replace(",", " ")))
    if not isinstance(found.placed, str):
        facts.append(("boundaries", f"{sum(row.boundaries for row in found.placed.rows):,}".replace(",", " ")))
    if not isinstance(found.agreement, str):
        for one in found.agreement:
            said = "undefined" if one.result is None else f"{one.result.value:.4f}"
            facts.append((f"{one.coefficient} over {one.over}", said))
    if not isinstance(found.pairs, str):
        for each in found.pairs:
            spread = f" ± {each.deviation:.4f}" if len(each.rows) > 1 else ""
            facts.append((f"mean {each.measure.label} of pairs", f"{each.mean:.4f}{spread}"))
    return [*facts, ("seed", str(subject.seed))]


def _signatures(found: Results) -> list[str]:
    """One line for each number that others may want to reproduce."""
    said: list[str | None] = []
    if not isinstance(found.agreement, str):
        said += [one.result.signature for one in found.agreement if one.result is not None]
    for one in (found.clustering, found.judgement):
        said.append(None if one is None or isinstance(one, str) else one.signature)
    if not isinstance(found.pairs, str):
        said += [one.signature for one in found.pairs]
    said += [gold.signature for gold in (found.golds or {}).values()]
    return list(dict.fromkeys(one for one in (*said, found.texts.signature) if one is not None))


def _left_out(excluded: list[str]) -> Table:
    return Table(("left out, and why",), tuple((one,) for one in excluded))
