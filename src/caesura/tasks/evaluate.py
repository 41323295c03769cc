"""Score a collection of any size against its references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

from caesura.engines import Engine, check_engine, use_engine
from caesura.errors import OptionError
from caesura.evaluation.partition import Job
from caesura.evaluation.result import Evaluation
from caesura.evaluation.run import EvaluationRun
from caesura.evaluation.sources import DocumentSource, SourceOptions, check_outputs, may_hold_tiers, open_source
from caesura.formats.settings import Settings, read_settings
from caesura.measures.axis import compares_seconds
from caesura.measures.base import Measure
from caesura.measures.registry import parse_measures
from caesura.model.corpus import lack_units
from caesura.model.result import keep_warnings
from caesura.model.segmentation import check_types
from caesura.model.tier import Tier
from caesura.options import OptionSet, flag, setting, switch, text
from caesura.tasks.measure_choice import (
    choose_measures,
    default_direct_measures,
    measures_setting,
    requested_measures,
    with_plain_measures,
    with_settings,
)
from caesura.tasks.score import check_only


@dataclass(frozen=True)
class EvaluateOptions(OptionSet):
    measures: tuple[Measure, ...] = measures_setting()
    reference: str | None = setting(None, text, "Coder who is the reference, if coders have names.")
    hypothesis: str | None = setting(None, text, "Coder who is the hypothesis, if coders have names.")
    scores: str | None = setting(None, text, "Folder for the score of every document, as Parquet.")
    strict: bool = switch("Stop at the first document or partition that cannot be scored.")
    only: bool = switch("Do not add the plain number of a measure with a preset.")

    @property
    def all_measures(self) -> tuple[Measure, ...]:
        check_only(self.only, self.measures)
        return tuple(dict.fromkeys(self.measures)) if self.only else with_plain_measures(self.measures)


@keep_warnings
def evaluate(
    source: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    reference: str | None = None,
    hypothesis: str | None = None,
    engine: str | Engine = "threads",
    checkpoint: str | PathLike[str] | None = None,
    scores: str | PathLike[str] | None = None,
    strict: bool = False,
    settings: Settings | str | PathLike[str] | None = None,
    **reading: Any,
) -> Evaluation:
    """Score a collection of any size against its references: one score per measure, over all documents.

    Parameters
    ----------
    source : path, list of paths, Corpus or iterable
        A Parquet data set (a file, a folder or a glob with one row per document, see :mod:`caesura.formats.documents`),
        JSON lines with the same fields, files of any other format, a ``Corpus``, or an iterable of pairs
        ``(reference, hypothesis)`` or ``(item, reference, hypothesis)``.
    measures : str, Measure or iterable of them, optional
        The measures. By default those of ``caesura score`` for the kind of data in the source.
    reference, hypothesis : str, optional
        The two coders, if coders have names (default: ``"reference"`` and ``"hypothesis"``).
    engine : str or Engine, default "threads"
        ``"threads"`` uses threads of this process, which suffices for Parquet because kernels release the GIL.
        ``"processes"`` suits files that Python parses. ``"dask"`` uses a Dask cluster, whose workers need the same
        version of caesura and must see the files under the same paths. An open engine is also allowed, see
        :func:`~caesura.open_engine`.
    checkpoint : path, optional
        Folder that records finished partitions. After an interruption, the same call computes the remaining partitions.
    scores : path, optional
        Folder for the score of every document, one Parquet file per partition.
    strict : bool, default False
        Stop with an error at the first document or partition that cannot be scored.
    settings : Settings or path, optional
        A settings file. Its symbols and types are used for reading, its similarity matrix and costs for the measures that
        have such options.
    **reading
        How to read files: ``format``, ``pattern``, ``align``, ``align_all``, ``types`` (boundary types in order, if the
        source does not declare them), and the options of the format, as for :func:`~caesura.read`.

    Returns
    -------
    Evaluation
        The scores by measure. Documents that cannot be scored and partitions that cannot be read are listed in
        ``.excluded``. In that case ``.partial`` is true, and the scores describe the rest.

    Raises
    ------
    InputError
        If no document could be scored or, with ``strict=True``, if any document cannot be scored.
    OptionError
        If an argument is invalid, or does not apply to the source.
    CheckpointError
        If the checkpoint belongs to different arguments or different data.

    Notes
    -----
    The source is divided into partitions. One worker reads, scores and sums each of them in batches, so that memory does
    not grow with the collection. Sums are merged, and scores are computed from them at the end. Sums are exact, so the
    result is the same to the last bit on every engine, for any number of workers and any partitions.

    Timed hierarchies are converted to common units, pair by pair, for every measure that needs units. Tiers in seconds are
    compared in seconds if all measures can do so, as the default measures do if there are no words; otherwise they get
    units, and measures of both sorts are an error.

    ``with on_progress(callback):`` around the call reports how many partitions are finished.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> def documents():
    ...     for mass in range(1, 6):
    ...         yield Segmentation.from_masses([5, 5]), Segmentation.from_masses([mass, 10 - mass])
    >>> result = evaluate(documents(), ["boundary_similarity(n_t=2)", "pk"])
    >>> result
    Evaluation(5 documents: boundary_similarity 0.1875, pk 0.428571)
    >>> result["pk"].parts
    {'errors': 15, 'windows': 35}
    """
    requested = None if measures is None else parse_measures(measures)
    flag("strict", strict)
    check_engine(engine)
    if isinstance(settings, str | PathLike):
        settings = read_settings(settings)
    folder = None if scores is None else fspath(scores)
    check_outputs(source, checkpoint=checkpoint, scores=folder)
    options, types = _reading_options(source, reference, hypothesis, settings, reading)
    if requested is None:
        opened, chosen = _open_with_defaults(source, options, types, settings)
    else:
        opened, chosen = _open_for(requested, source, options, types, settings)
    job = Job(chosen, types or opened.types, folder, strict, types_from_caller=types is not None)
    run = EvaluationRun(job, opened, options.to_record(), checkpoint)
    with use_engine(engine) as pool:
        return run.run(pool)


def _open_with_defaults(
    source: Any, options: SourceOptions, types: tuple[str, ...] | None, settings: Settings | None
) -> tuple[DocumentSource, tuple[Measure, ...]]:
    """Return the source and the default measures of ``score`` for its documents, in seconds if they have no units."""
    opened, sample = open_source(source, replace(options, in_seconds=True), types).sample()
    chosen = default_direct_measures("score", [sample], (), settings=settings)
    if not chosen and sample.holds(Tier):
        opened, sample = open_source(source, options, types).sample()
    return opened, chosen or choose_measures("score", sample, settings=settings)


def _open_for(
    requested: tuple[Measure, ...],
    source: Any,
    options: SourceOptions,
    types: tuple[str, ...] | None,
    settings: Settings | None,
) -> tuple[DocumentSource, tuple[Measure, ...]]:
    """Return the source and the requested measures, in seconds if the documents are tiers without units."""
    kinds = {compares_seconds(measure) for measure in requested}
    if settings is None and kinds != {True} and may_hold_tiers(source, options):
        opened, sample = open_source(source, replace(options, in_seconds=True), types).sample()
        if lack_units([sample]):
            return opened, requested_measures([sample], requested)
    options = replace(options, in_seconds=None if len(kinds) > 1 else kinds.pop())
    return open_source(source, options, types), with_settings(requested, settings)


def _reading_options(
    source: Any, reference: str | None, hypothesis: str | None, settings: Settings | None, reading: dict[str, Any]
) -> tuple[SourceOptions, tuple[str, ...] | None]:
    """Return the options for reading, and the boundary types: those of the caller, or else those of the settings."""
    for name in ("workers", "scheduler"):
        if name in reading:
            raise OptionError(f"{name} belongs to the engine; use engine=open_engine(..., {name}={reading[name]!r})")
    common = {name: reading.pop(name, None) for name in ("format", "pattern", "align")}
    common["align_all"] = flag("align_all", reading.pop("align_all", False))
    types = reading.pop("types", None)
    options = SourceOptions(**common, reference=reference, hypothesis=hypothesis, options=reading)
    if settings is not None:
        options = options.with_settings(source, settings)
        types = settings.types if types is None else types
    return options, None if types is None else check_types(types)
