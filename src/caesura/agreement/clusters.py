"""Hierarchical clusters of coders, with the agreement inside each cluster (Fournier 2013, the poetry study)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, get_args

import numpy as np

from caesura.agreement.chance import Chance, Coefficient
from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.agreement.coefficients import SharedScores
from caesura.agreement.families import CHANCE_FAMILIES, resolve_coefficient
from caesura.agreement.nominal import TextbookChance
from caesura.engines import Engine, use_engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Excluded, Result, keep_warnings, signature_line
from caesura.model.value import Floats
from caesura.options import choice, optional, suggest, whole

Linkage = Literal["average", "single", "complete", "weighted"]


@dataclass(frozen=True, slots=True)
class CoderCluster:
    """A group of coders and the agreement within the group."""

    coders: tuple[str, ...]  # the coders, in the order of the dendrogram
    height: float  # the distance, 1 - similarity, at which the two halves were joined
    halves: tuple[tuple[str, ...], tuple[str, ...]]  # the coders of the two halves
    value: float | None  # the coefficient inside the cluster; None if it is undefined
    observed: float  # observed agreement inside the cluster
    expected: float | None  # chance agreement inside the cluster; None if no coder placed a boundary


@dataclass(frozen=True, eq=False)
class Clustering(Result):
    """Clusters of coders in the order in which they were joined. The last cluster contains all coders.

    Attributes
    ----------
    measure : Measure
        The measure of similarity.
    coefficient : str
        Name of the coefficient inside clusters.
    linkage : str
        Method that derives distances between groups from distances between coders.
    coders : tuple of str
        Order of rows and columns of ``distances``, and of the numbers in ``joins``.
    distances : numpy.ndarray
        1 - similarity of every two coders.
    joins : numpy.ndarray
        The linkage matrix of ``scipy.cluster.hierarchy``: two clusters, height, size.
    clusters : tuple of CoderCluster
        The clusters.
    excluded : tuple of Excluded
        Items that were excluded.
    signature : str
        One line with everything needed to reproduce the result.
    """

    frame_field = "clusters"

    measure: Measure
    coefficient: str
    linkage: str
    coders: tuple[str, ...]
    distances: Floats
    joins: Floats = field(metadata=HIDDEN)
    clusters: tuple[CoderCluster, ...]
    excluded: tuple[Excluded, ...]
    signature: str

    @property
    def leaves(self) -> tuple[str, ...]:
        """All coders in the order of the dendrogram, so that its lines do not cross."""
        return self.clusters[-1].coders

    def cut(self, *, height: float | None = None, clusters: int | None = None) -> tuple[tuple[str, ...], ...]:
        """Return the groups at a given height, or a given number of groups.

        Parameters
        ----------
        height : float, optional
            Distance up to which coders are joined.
        clusters : int, optional
            Number of groups.

        Returns
        -------
        tuple of tuple of str
            The coders of each group, in the order of the dendrogram.
        """
        if (height is None) == (clusters is None):
            raise OptionError("cut needs either a height or a number of clusters")
        if height is not None:
            joined = [cluster for cluster in self.clusters if cluster.height <= height]
        else:
            n = len(self.coders)
            joined = list(self.clusters[: n - whole(1, n)("clusters", clusters)])
        group: dict[str, tuple[str, ...]] = {coder: (coder,) for coder in self.coders}
        for cluster in joined:
            group |= dict.fromkeys(cluster.coders, cluster.coders)
        return tuple(dict.fromkeys(group[coder] for coder in self.leaves))


@keep_warnings
def cluster_coders(
    corpus: Corpus,
    measure: str | Measure = "boundary_similarity(n_t=2)",
    *,
    coefficient: str | None = None,
    linkage: Linkage | None = None,
    compat: str | None = None,
    chance: str | Chance | None = None,
    seed: int | None = 0,
    engine: str | Engine = "threads",
    shared: SharedScores | None = None,
) -> Clustering:
    """Join coders step by step, starting with the most similar, and compute the agreement inside each group.

    Parameters
    ----------
    corpus : Corpus
        Annotations. Every pair of coders must share at least one item.
    measure : str or Measure, default "boundary_similarity(n_t=2)"
        A symmetric measure of similarity.
    coefficient : str, optional
        Coefficient inside clusters (default: that of the measure).
    linkage : {"average", "single", "complete", "weighted"}, optional
        Method that derives distances between groups from distances between coders (default: ``"average"``).
    compat : str, optional
        Convention of published figures; see :func:`~caesura.agreement`. ``"fournier2013"`` also selects complete linkage.
    chance : {"published", "placement", "simulate", "exact"}, Placement, Simulate or Exact, optional
        Method for chance agreement; see :func:`~caesura.agreement`.
    seed : int or None, default 0
        Random seed of the simulation; None chooses a random one.
    engine : str or Engine, default "threads"
        Engine for the computation: ``"threads"``, ``"processes"``, ``"dask"``, or an open engine.
    shared : SharedScores, optional
        Scores and chance agreement of coefficients that were computed before.

    Returns
    -------
    Clustering
        The clusters, in the order in which they were joined.

    Notes
    -----
    The distance between two coders is 1 - similarity over all items that both coded. The value inside a cluster is the
    result of :func:`~caesura.agreement` for its coders only. If overall agreement is low, check whether two groups agree
    among themselves. The study does not name its linkage. Complete linkage reproduces its seven clusters; average linkage
    reproduces six of them.

    References
    ----------
    Fournier, C. (2013). An initial study of topical poetry segmentation. Computational Linguistics for Literature.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> clustering = cluster_coders(stargazer())
    >>> for cluster in clustering.clusters[:2]:
    ...     print(cluster.coders, f"{cluster.height:.4f} {cluster.value:.4f}")
    ('7', '3') 0.2500 0.6865
    ('5', '1') 0.3333 0.6394
    >>> clustering.cut(clusters=3)
    (('2',), ('5', '1', '6', '7', '3'), ('4',))
    """
    chosen = optional(choice(*get_args(Linkage)))("linkage", linkage)
    method: Linkage = chosen or ("complete" if compat == "fournier2013" else "average")
    resolved = resolve_coefficient(measure, coefficient, compat=compat, chance=chance, seed=seed)
    _check_coefficient(resolved)
    with use_engine(engine) as opened:
        model = (shared or SharedScores()).model(corpus, resolved, opened)
        observed = model.observed
        if not model.uses_measure:
            observed = score_coder_pairs(corpus, resolved.measure.observed_measure, engine=opened)
        distances = _distances(observed)
    joins, groups = _join(observed.coders, distances, method)
    n = len(observed.coders)
    members = np.array([[coder in group for coder in observed.coders] for group in groups[n:]], float)
    values, agreed, expected, _ = model.parts.of_coders(members).columns()
    clusters = [
        CoderCluster(group, height, (groups[int(a)], groups[int(b)]), *row)
        for group, (a, b, height, _), row in zip(
            groups[n:], joins.tolist(), zip(values, agreed, expected, strict=True), strict=True
        )
    ]
    facts = {"coders": n, "items": len(observed.items), **model.signature_facts}
    return Clustering(
        measure=resolved.measure,
        coefficient=resolved.name,
        linkage=method,
        coders=observed.coders,
        distances=distances,
        joins=joins,
        clusters=tuple(clusters),
        excluded=observed.excluded,
        signature=signature_line(
            "cluster_coders", f"linkage:{method}", resolved.name, over=observed.scores.total.signature, **facts
        ),
    )


def cluster_coefficients(measure: Measure) -> tuple[str, ...]:
    """Return the coefficients that are defined for two coders and for more, which clusters require."""
    if not measure.coefficients:
        return ()
    forms = CHANCE_FAMILIES[measure.chance_family].general_forms, TextbookChance.general_forms
    unsuitable = {"bias", "percent", *chain.from_iterable(forms)}
    return tuple(name for name in measure.coefficients if name not in unsuitable)


def _check_coefficient(coefficient: Coefficient) -> None:
    measure = coefficient.measure
    suitable = cluster_coefficients(measure)
    if not suitable:
        raise OptionError(f"clusters need a symmetric measure with a coefficient; {measure.name} has none")
    if coefficient.name not in suitable:
        raise OptionError(suggest(f"clusters over {measure.name} have no coefficient", coefficient.name, suitable))
    if not measure.symmetric:
        raise OptionError(
            f"clusters need a symmetric similarity: algorithm='exact' and a symmetric matrix; got {measure.label}"
        )


def _join(coders: Sequence[str], distances: Floats, method: Linkage) -> tuple[Floats, list[tuple[str, ...]]]:
    """Return the linkage matrix, and the coders of every group: first each coder alone, then the clusters."""
    from scipy.cluster.hierarchy import linkage  # slow to import
    from scipy.spatial.distance import squareform

    joins = linkage(squareform(distances, checks=False), method, optimal_ordering=True)
    groups: list[tuple[str, ...]] = [(coder,) for coder in coders]
    for a, b, _, _ in joins.tolist():
        groups.append(groups[int(a)] + groups[int(b)])
    return joins, groups


def _distances(observed: CoderPairs) -> Floats:
    n = len(observed.coders)
    distances = np.full((n, n), np.nan)
    np.fill_diagonal(distances, 0)
    values = np.maximum(1 - observed.similarity(observed.pair_parts), 0)
    distances[observed.first, observed.second] = distances[observed.second, observed.first] = values
    for a, b in np.argwhere(np.isnan(distances))[:1].tolist():
        raise OptionError(
            f"coders {observed.coders[a]!r} and {observed.coders[b]!r} share no item, so they have no distance; "
            "select coders who share items"
        )
    return distances
