"""``caesura agree``: how far coders agree beyond chance, and where they differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caesura.agreement.coefficients import COUNTED, DRAWN
from caesura.cli.program import (
    DIALOGUE_MEASURES,
    MeasureType,
    Progress,
    chosen_measures,
    complain,
    console_for_tables,
    holds_hierarchies,
    input_options,
    load_settings,
    main,
    output_options,
    over_common_units,
    reading,
    show,
    span_measures,
)
from caesura.errors import FormatError, Undefined
from caesura.formats import read, read_coders
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

if TYPE_CHECKING:
    from caesura.agreement.placed import Placed
    from caesura.formats.settings import Settings
    from caesura.report.agreement import Found
    from caesura.report.table import Table

__all__ = ["agree"]

LINEAR_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)")


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m", "--measure", "chosen", multiple=True, type=MeasureType(),
    help="A symmetric measure with its options. May be repeated; by default B and S, for dialogue S_f and S_f^B.",
)  # fmt: skip
@click.option(
    "-c", "--coefficient", "coefficients", multiple=True,
    type=click.Choice(list(dict.fromkeys((*COUNTED, "alpha", *DRAWN)))),
    help="May be repeated; by default multi_pi, over S_f kappa.",
)  # fmt: skip
@click.option(
    "--interval", type=click.Choice(["items", "coders", "none"]), default="items", show_default=True,
    help="What the bootstrap resamples.",
)  # fmt: skip
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True)
@click.option("--replicates", type=click.IntRange(100), default=2000, show_default=True, help="Of the bootstrap.")
@click.option("--coders", "by_coder", is_flag=True, help="Each coder with all others, and the others without.")
@click.option("--pairs", "by_pair", is_flag=True, help="Each pair of coders.")
@click.option("--items", "by_item", is_flag=True, help="Each item.")
@click.option("--clusters", is_flag=True, help="Who segments like whom: a dendrogram, with agreement inside clusters.")
@click.option("--cochran", is_flag=True, help="Cochran's Q, percentage agreement, how many coders make a boundary.")
@click.option("--labels", is_flag=True, help="Jaccard similarity of segment labels.")
@click.option("--heat", is_flag=True, help="How many coders marked each position, item by item.")
@click.option("--chance", type=click.Choice(["simulate", "exact"]), help="Over S_f; by default simulate.")
@click.option("--draws", type=click.IntRange(20), help="Over S_f: simulated pairs of texts; 10000 by default.")
@click.option("--tolerance", type=float, help="Over S_f: draw until the standard error is below this.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="Of bootstrap and simulation; chosen and printed if not given."
)
@click.option("--compat", help="A preset: fournier2012, fournier2013, segeval-2.0.11; segsimflex over S_f.")
@input_options
@output_options
def agree(
    files: tuple[str, ...],
    chosen: tuple[Measure, ...],
    coefficients: tuple[str, ...],
    interval: str,
    level: float,
    replicates: int,
    by_coder: bool,
    by_pair: bool,
    by_item: bool,
    clusters: bool,
    cochran: bool,
    labels: bool,
    heat: bool,
    chance: str | None,
    draws: int | None,
    tolerance: float | None,
    seed: int | None,
    compat: str | None,
    format_: str | None,
    types: str | None,
    settings_file: str | None,
    output: str | None,
) -> None:
    """How far coders agree beyond chance, and where they differ.

    CORPUS is one file with all coders, or a file for each. Items that cannot be used are named, the others are used,
    and the exit code is 1.
    """
    from caesura.agreement.placed import boundaries_placed

    problems: list[FormatError] = []
    settings = load_settings(settings_file)
    options = reading(files[0], format_, types, settings)
    if len(files) == 1:
        corpus = read(files[0], format_, problems=problems, **options)
    else:
        corpus = read_coders(files, format_, problems=problems, **options)
    bad = [str(problem) for problem in problems]
    if not len(corpus):
        complain([*bad, "nothing is left to compare"])
    flat = corpus
    if holds_hierarchies(corpus):
        if cochran or labels:
            raise click.UsageError("--cochran and --labels are for segmentations; the corpus holds hierarchies")
        chosen = span_measures(chosen, "hierarchy_kappa")
        corpus, flat = over_common_units(corpus)
    measures = _measures(chosen, compat, settings, corpus)
    given: dict[str, Any] = {
        "compat": compat, "seed": seed, "interval": None if interval == "none" else interval, "level": level,
        "replicates": replicates,
    }  # fmt: skip
    drawing = {"chance": chance, "draws": draws, "tolerance": tolerance}
    found = _found(corpus, measures, coefficients, given, drawing, output is None)
    results = [one.result for one in found if not isinstance(one.result, str)]
    dropped = {item: why for one in results for item, why in one.dropped.items()}
    bad += [f"item {item!r} left out: {why}" for item, why in dropped.items()]
    sections = _sections(corpus, measures[0], compat, {"clusters": clusters, "cochran": cochran, "labels": labels})
    placed = boundaries_placed(flat)
    if output == "json":
        data: dict[str, Any] = {"agreement": [_plain(one) for one in found], "placed": placed.as_dict()}
        data |= {one.name: one.data for one in sections}
        click.echo(json.dumps(data | {"errors": bad}, ensure_ascii=False, indent=2))
    else:
        _show(found, placed, sections, (by_coder, by_pair, by_item), output)
    if bad:
        complain(bad)


@dataclass(frozen=True)
class _Section:
    """One of the analyses that are asked for by name: as JSON, as tables, and as text for a terminal."""

    name: str
    data: Any
    tables: tuple[Table, ...] = ()
    text: str = ""


def _sections(corpus: Corpus, measure: Measure, compat: str | None, wanted: dict[str, bool]) -> list[_Section]:
    """An analysis that cannot be made says why in its place, and the others are made."""
    made = []
    for name, make in (("clusters", _clusters), ("cochran", _cochran), ("labels", _labels)):
        if wanted[name]:
            try:
                made.append(make(corpus, measure, compat))
            except Undefined as problem:
                made.append(_Section(name, {"undefined": str(problem)}, text=f"{name}: undefined: {problem}"))
    return made


def _clusters(corpus: Corpus, measure: Measure, compat: str | None) -> _Section:
    from caesura.agreement.clusters import cluster_coders
    from caesura.report.agreement import cluster_table
    from caesura.report.dendrogram import draw_dendrogram

    found = cluster_coders(corpus, measure, compat=compat)
    drawn = draw_dendrogram(found, width=max(20, min(console_for_tables().width - 40, 60)))
    return _Section("clusters", found.as_dict(), (cluster_table(found),), drawn)


def _cochran(corpus: Corpus, _measure: Measure, _compat: str | None) -> _Section:
    from caesura.agreement.cochran import cochran_q
    from caesura.report.agreement import cochran_table

    found = cochran_q(corpus)
    return _Section("cochran", found.as_dict(), (cochran_table(found),))


def _labels(corpus: Corpus, _measure: Measure, _compat: str | None) -> _Section:
    from caesura.agreement.labels import label_agreement
    from caesura.report.agreement import label_table

    found = label_agreement(corpus)
    return _Section("labels", found.as_dict(), (label_table(found),))


def _measures(
    chosen: tuple[Measure, ...], compat: str | None, settings: Settings | None, corpus: Corpus
) -> tuple[Measure, ...]:
    """What was asked for, or what suits the corpus and knows the preset."""
    if not chosen:
        dialogue = settings is not None or any(not isinstance(corpus[key], Segmentation) for key in corpus)
        chosen = tuple(map(parse, DIALOGUE_MEASURES if dialogue else LINEAR_MEASURES))
        chosen = tuple(one for one in chosen if compat is None or compat in one.presets) or chosen
    return chosen_measures(chosen, settings, corpus)


def _found(
    corpus: Corpus,
    measures: tuple[Measure, ...],
    coefficients: tuple[str, ...],
    given: dict[str, Any],
    drawing: dict[str, Any],
    watched: bool,
) -> list[Found]:
    """Each coefficient over each measure; alpha, which looks at none, once."""
    from caesura.agreement.coefficients import agreement
    from caesura.report.agreement import Found

    found: list[Found] = []
    with Progress(watched) as progress:
        for i, measure in enumerate(measures):
            flexible = measure.name == "flexible_similarity"
            for name in coefficients or (("kappa",) if flexible or str(measure.view) == "spans" else ("multi_pi",)):
                if name == "alpha" and i:
                    continue
                options = dict(given)
                if flexible and name != "alpha":
                    options |= {**drawing, "progress": progress}
                elif name == "alpha":
                    options["compat"] = None
                elif any(value is not None for value in drawing.values()):
                    raise click.UsageError(
                        f"--chance, --draws and --tolerance are for flexible_similarity; {name} over {measure.name} "
                        "counts boundaries"
                    )
                try:
                    result = agreement(corpus, measure=measure, coefficient=name, **options)
                except Undefined as problem:
                    found.append(Found(name, measure, str(problem)))
                else:
                    found.append(Found(name, measure, result))
    return found


def _plain(one: Found) -> dict[str, Any]:
    if not isinstance(one.result, str):
        return one.result.as_dict()
    measure = None if one.coefficient == "alpha" else repr(one.measure)
    return {"coefficient": one.coefficient, "measure": measure, "value": None, "undefined": one.result}


def _show(
    found: list[Found], placed: Placed, sections: list[_Section], wanted: tuple[bool, bool, bool], output: str | None
) -> None:
    from caesura.report.agreement import LIMITS, agreement_table, coder_table, item_table, pair_table

    by_coder, by_pair, by_item = wanted
    some = any(not isinstance(one.result, str) for one in found)
    several = any(not isinstance(one.result, str) and len(one.result.coders) > 2 for one in found)
    tables = [agreement_table(found)]
    if some and (by_coder or (several and output is None)):
        tables.append(coder_table(found, placed))
    tables += [pair_table(found)] if some and by_pair else []
    tables += [item_table(found)] if some and by_item else []
    for i, table in enumerate(tables):
        if i and output is not None:
            click.echo()
        show(table, output)
    for section in sections:
        for table in section.tables:
            click.echo()
            show(table, output)
        if section.text and output is None:
            click.echo(f"\n{section.text}")
    if output is None and any(one.coefficient != "bias" and not isinstance(one.result, str) for one in found):
        click.echo("\n" + "\n".join(LIMITS))
