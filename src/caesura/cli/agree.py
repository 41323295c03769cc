"""``caesura agree``: how far coders agree beyond chance, and where they differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.agreement.chance import Exact, Simulate
from caesura.agreement.families import COEFFICIENTS, PRESETS, resolve_coefficient
from caesura.cli.program import (
    DIALOGUE_MEASURES,
    Input,
    MeasureType,
    checkpoint_option,
    chosen_measures,
    complain,
    console_for_tables,
    engine_options,
    holds_hierarchies,
    holds_trees,
    input_options,
    main,
    output_options,
    over_common_units,
    show,
    span_measures,
)
from caesura.cli.progress import Progress
from caesura.engines import use_engine
from caesura.errors import FormatError, InputError, OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.result import to_plain
from caesura.model.segmentation import Segmentation
from caesura.progress import on_progress

if TYPE_CHECKING:
    from caesura.agreement.placed import Placed
    from caesura.formats.settings import Settings
    from caesura.tasks.agree import AgreementOutcome
    from caesura.views.table import Table

__all__ = ["agree"]

LINEAR_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)")


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measure",
    "chosen",
    multiple=True,
    type=MeasureType(),
    help="A symmetric measure with its options, such as 'boundary_similarity(n_t=3)'. May be repeated; by default B and "
    "S, for dialogue S_f and S_f^B.",
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    type=click.Choice(COEFFICIENTS),
    help="May be repeated; by default multi_pi, over S_f kappa. Over S_f there are kappa, pi, s and s_modified.",
)
@click.option("--coders", "by_coder", is_flag=True, help="Also: each coder with all others, and the others without.")
@click.option("--pairs", "by_pair", is_flag=True, help="Also: each pair of coders.")
@click.option("--items", "by_item", is_flag=True, help="Also: each item.")
@click.option(
    "--clusters", is_flag=True, help="Also: who segments like whom, a dendrogram with the agreement inside clusters."
)
@click.option(
    "--cochran", is_flag=True, help="Also: Cochran's Q, percentage agreement, how many coders make a boundary."
)
@click.option("--labels", is_flag=True, help="Also: Jaccard similarity of the labels of segments.")
@click.option("--heat", is_flag=True, help="Also: how many coders marked each position, item by item.")
@click.option(
    "--interval",
    type=click.Choice(["items", "coders", "none"]),
    default="items",
    show_default=True,
    help="What the bootstrap interval resamples.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How often the interval should hold the coefficient.",
)
@click.option("--replicates", type=click.IntRange(100), default=2000, show_default=True, help="Of the bootstrap.")
@click.option(
    "--chance", type=click.Choice(["simulate", "exact"]), help="Over S_f: how chance is found; by default simulate."
)
@click.option("--draws", type=click.IntRange(20), help="Over S_f: simulated pairs of texts; 10000 by default.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Over S_f: draw until the standard error is below this.",
)
@click.option(
    "--no-variates",
    is_flag=True,
    help="Over S_f: plain simulation, without the control variates that take out most of the noise.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="Of bootstrap and simulation; chosen and printed if not given."
)
@click.option(
    "--compat",
    type=click.Choice([*PRESETS, "segsimflex"]),
    help="The conventions of published figures; segsimflex is for S_f.",
)
@engine_options
@checkpoint_option
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
    no_variates: bool,
    seed: int | None,
    compat: str | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    checkpoint: str | None,
    asked: Input,
    output: str | None,
) -> None:
    """How far coders agree beyond chance, and where they differ.

    CORPUS is one file with all coders, a folder or glob, or a file for each coder. A coefficient is (observed - expected)
    / (1 - expected): 1 is full agreement, 0 what chance gives. Items that cannot be used are named, the others are used,
    and the exit code is 1.
    """
    from caesura.agreement.placed import boundaries_placed

    excluded: list[FormatError] = []
    settings = asked.settings
    corpus = asked.read_files(files, excluded)
    bad = [str(problem) for problem in excluded]
    if not len(corpus):
        complain([*bad, "nothing is left to compare"])
    flat = corpus
    if holds_trees(corpus):
        raise OptionError(
            "agreement beyond chance is not defined over trees; `caesura score` compares two files of them"
        )
    if holds_hierarchies(corpus):
        if cochran or labels:
            raise click.UsageError("--cochran and --labels are for segmentations; the corpus holds hierarchies")
        chosen = span_measures(chosen, "hierarchy_kappa")
        corpus, flat = over_common_units(corpus)
    measures = _measures(chosen, compat, settings, corpus)
    drawing = {
        "chance": chance,
        "draws": draws,
        "tolerance": tolerance,
        "variates": False if no_variates else None,
        "checkpoint": checkpoint,
    }
    _check_usage(measures, coefficients, compat, drawing)
    if checkpoint is not None and seed is None:
        raise click.UsageError("--checkpoint needs --seed, so that the same command goes on where it was")
    given: dict[str, Any] = {
        "compat": compat,
        "seed": seed,
        "interval": interval,
        "level": level,
        "replicates": replicates,
    }
    with use_engine(engine, workers, scheduler) as opened:
        given["engine"] = opened
        found, failed = _found(corpus, measures, coefficients, given, drawing)
    bad += failed
    results = [one.result for one in found if one.result is not None]
    dropped = {
        item: why for one in results for item, why in ((entry.item or "", entry.reason) for entry in one.excluded)
    }
    bad += [f"item {item!r} left out: {why}" for item, why in dropped.items()]
    ask = _Asked(measures[0], coefficients, compat, seed, chance, draws)
    wanted = {"clusters": clusters, "cochran": cochran, "labels": labels, "heat": heat}
    sections, failed = _sections(corpus, ask, wanted, dropped)
    bad += failed
    placed = boundaries_placed(flat)
    if output == "json":
        data: dict[str, Any] = {"agreement": to_plain(found), "placed": placed.to_dict()}
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


@dataclass(frozen=True)
class _Asked:
    """What the command line says that matters to clusters."""

    measure: Measure
    coefficients: tuple[str, ...]
    compat: str | None
    seed: int | None
    chance: str | None
    draws: int | None


def _sections(
    corpus: Corpus, ask: _Asked, wanted: dict[str, bool], dropped: dict[str, str]
) -> tuple[list[_Section], list[str]]:
    """An analysis that is undefined says so in its place, one that cannot be made is complained about; the others are
    made."""
    from caesura.views.table import Table

    made, bad = [], []
    for name, make in (("clusters", _clusters), ("cochran", _cochran), ("labels", _labels), ("heat", _heat)):
        if wanted[name]:
            try:
                made.append(make(corpus, ask, dropped))
            except Undefined as problem:
                table = Table((name, "reason"), (("undefined", str(problem)),))
                made.append(_Section(name, {"undefined": str(problem)}, (table,)))
            except InputError as problem:
                bad.append(f"--{name}: {problem}")
    return made, bad


def _clusters(corpus: Corpus, ask: _Asked, _dropped: dict[str, str]) -> _Section:
    from caesura.agreement.clusters import cluster_coders, cluster_coefficients
    from caesura.views.agreement import cluster_table
    from caesura.views.dendrogram import draw_dendrogram
    from caesura.views.table import text_width

    known = cluster_coefficients(ask.measure)
    coefficient = next((name for name in ask.coefficients if name in known), None)
    found = cluster_coders(
        corpus,
        ask.measure,
        coefficient=coefficient,
        compat=None if coefficient == "alpha" else ask.compat,
        seed=ask.seed or 0,
        chance=_chance({"chance": ask.chance, "draws": ask.draws}) if _simulates(ask.measure, coefficient) else None,
    )
    names = max(map(text_width, found.coders))
    drawn = draw_dendrogram(found, width=max(20, min(console_for_tables().width - names - 16, 60)))
    return _Section("clusters", found.to_dict(), (cluster_table(found),), drawn)


def _cochran(corpus: Corpus, _ask: _Asked, _dropped: dict[str, str]) -> _Section:
    from caesura.agreement.cochran import cochran_q
    from caesura.views.agreement import cochran_table

    found = cochran_q(corpus)
    return _Section("cochran", found.to_dict(), (cochran_table(found),))


def _labels(corpus: Corpus, _ask: _Asked, _dropped: dict[str, str]) -> _Section:
    from caesura.agreement.labels import label_agreement
    from caesura.views.agreement import label_table

    found = label_agreement(corpus)
    return _Section("labels", found.to_dict(), (label_table(found),))


def _heat(corpus: Corpus, _ask: _Asked, dropped: dict[str, str]) -> _Section:
    from caesura.agreement.placed import boundary_heat
    from caesura.views.agreement import draw_heat, heat_table

    found = boundary_heat(corpus.select(items=[item for item in corpus.item_names if item not in dropped]))
    data = [one.to_dict() for one in found]
    return _Section("heat", data, (heat_table(found),), "Boundaries by position\n\n" + draw_heat(found))


def _known(measure: Measure) -> tuple[str, ...]:
    """The coefficients over a measure, alpha apart."""
    return tuple(name for name in measure.coefficients if name != "alpha")


def _simulates(measure: Measure, coefficient: str | None) -> bool:
    return measure.chance_family == "random_texts" and coefficient != "alpha"


def _chance(drawing: dict[str, Any]) -> Simulate | Exact:
    """How chance is found, as a value."""
    options = {name: value for name, value in drawing.items() if name != "chance" and value is not None}
    if drawing["chance"] != "exact":
        return Simulate(**options)
    if options.pop("variates", True) is False:
        raise click.UsageError("--no-variates is plain simulation; it does not go with --chance exact")
    return Exact(**options)


def _check_usage(
    measures: tuple[Measure, ...], coefficients: tuple[str, ...], compat: str | None, drawing: dict[str, Any]
) -> None:
    """What was asked for must go together, whatever the files hold; this is usage, so that it ends with exit code 2."""
    given = [
        "--no-variates" if option == "variates" else f"--{option}"
        for option, value in drawing.items()
        if value is not None
    ]
    if given and not any(_simulates(measure, None) for measure in measures):
        raise click.UsageError(f"{', '.join(given)}: only over flexible_similarity, other measures count boundaries")
    for name in coefficients:
        if name != "alpha" and not any(name in _known(measure) for measure in measures):
            known = ", ".join((*_known(measures[0]), "alpha"))
            raise click.UsageError(f"{name} is not defined over {measures[0].name}, but {known} are")
    if coefficients != ("alpha",):
        for measure in measures:
            try:
                resolve_coefficient(measure, compat=compat)
            except OptionError as problem:
                raise click.UsageError(str(problem)) from None


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
) -> tuple[list[AgreementOutcome], list[str]]:
    """Each coefficient over each measure; alpha, which looks at none, once. And what could not be computed."""
    from caesura.agreement.coefficients import agreement
    from caesura.tasks.agree import AgreementOutcome

    found: list[AgreementOutcome] = []
    failed: dict[str, OptionError] = {}
    with Progress("draws") as progress, on_progress(progress.update):
        for i, measure in enumerate(measures):
            for name in coefficients or (str(measure.default_coefficient),):
                if i if name == "alpha" else name not in _known(measure):
                    continue
                options = dict(given)
                if _simulates(measure, name):
                    run = dict(drawing)
                    if drawing["checkpoint"] is not None:  # a run is one coefficient over one measure
                        run["checkpoint"] = Path(drawing["checkpoint"], f"{i + 1}-{name}")
                    options["chance"] = _chance(run)
                elif name == "alpha":
                    options["compat"] = None
                try:
                    result = agreement(corpus, measure=measure, coefficient=name, **options)
                except Undefined as problem:
                    found.append(AgreementOutcome(name, measure, None, str(problem)))
                except OptionError as problem:
                    failed[f"{name}: {problem}"] = problem
                else:
                    found.append(AgreementOutcome(name, measure, result))
    if failed and not found:
        raise next(iter(failed.values()))
    return found, list(failed)


def _show(
    found: list[AgreementOutcome],
    placed: Placed,
    sections: list[_Section],
    wanted: tuple[bool, bool, bool],
    output: str | None,
) -> None:
    from caesura.views.agreement import THRESHOLDS, agreement_table, coder_table, item_table, pair_table

    by_coder, by_pair, by_item = wanted
    some = any(one.result is not None for one in found)
    several = any(one.result is not None and len(one.result.coders) > 2 for one in found)
    tables = [agreement_table(found)]
    if some and (by_coder or (several and output is None)):
        tables.append(coder_table(found, placed))
    tables += [pair_table(found)] if some and by_pair else []
    tables += [item_table(found)] if some and by_item else []
    for i, table in enumerate(tables):
        if i:
            click.echo()
        show(table, output)
    for section in sections:
        for table in section.tables if output is not None or section.name != "heat" else ():
            click.echo()
            show(table, output)
        if section.text and output is None:
            click.echo(f"\n{section.text}")
    if output is None and any(one.coefficient != "bias" and one.result is not None for one in found):
        click.echo("\n" + "\n".join(THRESHOLDS))
