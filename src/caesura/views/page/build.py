"""The page of a report: one HTML file that needs only a browser."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cache, partial
from importlib import resources
from importlib.util import find_spec
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.formats.settings import Settings
from caesura.judging.participants import Systems
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.plain import to_json
from caesura.model.result import Excluded
from caesura.model.value import count_of, list_few
from caesura.notices import collect_warnings
from caesura.tasks.report import analyze_corpus
from caesura.tasks.report_results import CorpusReport
from caesura.tasks.report_subject import ReportOptions, Subject
from caesura.version import __version__
from caesura.views.answers.coders import outcome_answer
from caesura.views.figures.canvas import write_file
from caesura.views.page.sections import page_sections, short_table
from caesura.views.page.texts import page_items
from caesura.views.table import Table, clean

if TYPE_CHECKING:
    from jinja2 import Environment

_DESCRIPTIONS = {
    "linear": "segmented texts",
    "dialogue": "dialogues, with one text per speaker",
    "hierarchy": "hierarchies of spans, shown as boundaries with levels as types",
    "trees": "parses",
}
# Parts of the script of every page. They share their names, and nothing else on the page sees these.
REPORT_SCRIPTS = ("report_texts.js", "report_timeline.js", "report_lists.js", "report_pages.js")
# Scripts of the live page, in this order after the script of the report.
LIVE_SCRIPTS = ("workbench.js", "what_if.js", "adjudicate.js")
# Style sheets of the live page, after that of the report.
LIVE_STYLES = ("workbench.css", "adjudicate.css")
# Templates of the live page, in this order above the items.
LIVE_PANELS = ("workbench.html", "adjudicate.html")


def report(
    corpus: Corpus,
    *,
    systems: Systems | None = None,
    path: str | PathLike[str] | None = None,
    title: str | None = None,
    measure: str | Measure | None = None,
    seed: int = 0,
    excluded: list[Excluded] | None = None,
) -> str:
    """Return one HTML page about a corpus of any kind, which opens from disk and needs no network.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues, hierarchies or trees.
    systems : sequence of str, mapping or Corpus, optional
        The systems among the coders, in any form that :func:`~caesura.judge` accepts. The page compares them with
        the other coders.
    path : str or path-like, optional
        File to write the page to.
    title : str, optional
        Heading of the page.
    measure : str or Measure, optional
        Measure that compares coders (default: B and S; S_f and S_f^B for dialogues, kappa for hierarchies, Struct-IoU and
        PARSEVAL for trees).
    seed : int, default 0
        Random seed of bootstrap and simulated chance.
    excluded : list, optional
        List to which an :class:`~caesura.model.result.Excluded` is added for everything that the page does not cover.
        The page lists these entries too.

    Returns
    -------
    str
        The page.

    Raises
    ------
    OptionError
        If no item can be used, an option is invalid, or matplotlib or jinja2 is missing.
    FormatError
        If the file cannot be written.

    Notes
    -----
    The page shows agreement with intervals, pairs of coders as a heat map, a dendrogram, boundaries by coder and by
    position, precision against recall, operations by type, and gold hierarchies or aligned trees. Below are the texts
    with the boundaries of every coder, and the edit of each boundary between any two coders. Readers can step through
    the edits, filter, sort and save them. Every number has its signature. If an analysis is undefined for the corpus,
    the page shows the reason instead.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> page = report(stargazer(), title="Stargazer")
    >>> page.splitlines()[0], "multi_pi" in page
    ('<!DOCTYPE html>', True)
    """
    options = ReportOptions(measure=measure, seed=seed)  # type: ignore[arg-type]
    analyses, page = build_report(corpus, options, systems=systems, title=title)
    if excluded is not None:
        excluded += analyses.excluded
    if path is not None:
        write_file(page.encode(), path)
    return page


def build_report(
    corpus: Corpus,
    options: ReportOptions | None = None,
    *,
    systems: Systems | None = None,
    settings: Settings | None = None,
    title: str | None = None,
) -> tuple[CorpusReport, str]:
    """Analyse a corpus and return the analyses and the page, which shows warnings as notes."""
    if find_spec("matplotlib") is None:
        raise OptionError("a report needs matplotlib, which is not installed; pip install 'caesura[report]'")
    with collect_warnings() as messages:
        analyses = analyze_corpus(corpus, options, systems=systems, settings=settings)
        page = report_page(analyses, title, notes=messages)  # read after the figures are drawn, which may add warnings
    return analyses, page


def report_page(
    analyses: CorpusReport,
    title: str | None = None,
    *,
    notes: Iterable[str] = (),
    live: Mapping[str, Any] | None = None,
) -> str:
    subject, outcomes = analyses.subject, analyses.agreement.result or ()
    items, common = page_items(analyses)
    template = environment().get_template("page.html")
    scripts = page_scripts(live=live is not None)
    page = template.render(
        policy=content_policy(*scripts, live=live is not None),
        style="\n".join(asset(name) for name in ("report.css", *(LIVE_STYLES if live else ()))),
        scripts=scripts,
        live=live,
        panels=LIVE_PANELS if live else (),
        title=title or f"Report on {count_of(len(subject.corpus.item_names), 'item')}",
        headline=outcome_answer(outcomes[0]) if outcomes else "",
        facts=page_facts(analyses),
        signatures=analyses.signatures,
        sections=[] if live else page_sections(analyses),
        # After the figures are drawn, because drawing may add warnings.
        notes=list(dict.fromkeys((*analyses.notes, *notes))),
        details_note=analyses.details_note,
        excluded=short_table(Table(("excluded, and why",), tuple((str(entry),) for entry in analyses.excluded))),
        common=common | {"live": live is not None},
        items=items,
        aligner=repr(subject.aligner),
        version=__version__,
    )
    return page + "\n"


# Files that the summary names.
MAX_FILES = 5


def _origin(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the files without their folders, which may be private, the fingerprint of the data, and the date."""
    source = subject.corpus.source
    if source is not None and source.files:
        names = list(dict.fromkeys(PurePath(name).name for name in source.files))
        yield (f"files ({source.format})", list_few(names, MAX_FILES))
    yield ("fingerprint of the data", subject.corpus.fingerprint)
    yield ("written", _today().isoformat())


def _today() -> date:
    """Return the date, or that of SOURCE_DATE_EPOCH, with which a page can be made again byte for byte."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(seconds), UTC).date() if seconds.isdecimal() else datetime.now(UTC).date()


def page_facts(analyses: CorpusReport) -> list[tuple[str, str]]:
    subject = analyses.subject
    facts = [
        *_origin(subject),
        ("data", _DESCRIPTIONS[subject.kind] if subject.tiers is None else "recordings with tiers in seconds"),
        ("items", str(len(subject.corpus.item_names))),
        ("coders", f"{len(subject.human_coders)}: {', '.join(subject.human_coders)}"),
    ]
    if subject.systems:
        facts.append(("systems", f"{len(subject.systems)}: {', '.join(subject.systems)}"))
    facts.append(("units", _thousands(subject.units)) if subject.tiers is None else ("seconds", f"{subject.seconds:g}"))
    if analyses.placed is not None and analyses.placed.result is not None:
        facts.append(("boundaries", _thousands(sum(row.boundaries for row in analyses.placed.result.rows))))
    for outcome in analyses.agreement.result or ():
        value = "undefined" if outcome.result is None else f"{outcome.result.value:.4f}"
        facts.append((f"{outcome.coefficient} over {outcome.over}", value))
    for table in analyses.pairs.result or ():
        deviation = f" ± {table.deviation:.4f}" if len(table.rows) > 1 else ""
        facts.append((f"mean {table.measure.label} of pairs", f"{table.mean:.4f}{deviation}"))
    return [*facts, ("seed", str(subject.seed))]


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")


# -- HTML ------------------------------------------------------------------------------------------------------------


def content_policy(*scripts: str, live: bool = False) -> str:
    """Return the content security policy of a page: no network, no forms, no scripts but its own."""
    digests = (base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    sources = f"script-src {hashes}; style-src 'unsafe-inline'; img-src data:"
    server = "; connect-src 'self'; media-src 'self'" if live else ""
    return f"default-src 'none'; {sources}{server}; form-action 'none'; base-uri 'none'"


def live_policy() -> str:
    """Return the content security policy of the live page, for a header of the response."""
    return f"{content_policy(*page_scripts(live=True), live=True)}; frame-ancestors 'none'"


# Inside a script block "</script" ends it and "<!--" changes how it is read; the two separators end a line in old JavaScript.
_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def embedded(data: Any) -> str:
    """Return JSON that is safe inside a script block, and reads back as the same data."""
    return to_json(data).translate(_ESCAPES)


@cache
def environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise OptionError("a report needs jinja2, which is not installed; pip install 'caesura[report]'") from None
    templates = Environment(
        loader=PackageLoader("caesura.views.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        # Names in files may contain control characters, which HTML does not allow.
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    templates.filters |= {"embedded": embedded, "zip": partial(zip, strict=True)}
    return templates


def page_scripts(*, live: bool) -> list[str]:
    parts = "\n".join(map(asset, REPORT_SCRIPTS))
    report = f'"use strict";\n\n(() => {{\n{parts}}})();\n'
    return [report, *(map(asset, LIVE_SCRIPTS) if live else ())]


def asset(name: str) -> str:
    return resources.files("caesura.views.page").joinpath("static", name).read_text(encoding="utf-8")
