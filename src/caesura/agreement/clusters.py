"""Coders who differ: hierarchical clusters of coders, with the agreement inside each (Fournier 2013, the poetry study)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.basis import Basis
from caesura.agreement.chance import COEFFICIENTS as DRAWN
from caesura.agreement.coefficients import basis_of, check_numbers, resolve
from caesura.agreement.counted import Convention
from caesura.agreement.drawn import Drawn, Plan
from caesura.agreement.observed import Observed, observe
from caesura.engines import open_engine
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.hierarchy import HierarchyKappa
from caesura.model.corpus import Corpus

__all__ = ["Cluster", "Clustering", "cluster_coders", "coefficients_of_clusters"]

Floats = NDArray[np.float64]
Linkage = Literal["average", "single", "complete", "weighted"]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Coders that were joined, and how well they agree among themselves."""

    coders: tuple[str, ...]
    """In the order of the dendrogram."""
    height: float
    """The distance, 1 - similarity, at which its two halves were joined."""
    halves: tuple[tuple[str, ...], tuple[str, ...]]
    value: float | None
    """The coefficient inside the cluster; None where it is undefined."""
    observed: float
    expected: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "coders": list(self.coders),
            "height": self.height,
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
        }


@dataclass(frozen=True, eq=False)
class Clustering:
    """The dendrogram: clusters in the order in which they were made, the last one has everybody."""

    measure: Measure
    coefficient: str
    method: str
    coders: tuple[str, ...]
    """The order of rows and columns of ``distances``, and of the numbers in ``linkage``."""
    distances: Floats
    linkage: Floats
    """As scipy.cluster.hierarchy has it: two clusters, height, size."""
    clusters: tuple[Cluster, ...]
    signature: str
    dropped: Mapping[str, str] = field(default_factory=dict)
    """Items left out, and why."""

    @property
    def leaves(self) -> tuple[str, ...]:
        """All coders in the order of the dendrogram, so that no lines cross."""
        return self.clusters[-1].coders

    def cut(self, *, height: float | None = None, clusters: int | None = None) -> tuple[tuple[str, ...], ...]:
        """The groups that stand when only joints up to ``height`` are made, or when so many ``clusters`` are left."""
        if (height is None) == (clusters is None):
            raise OptionError("cut needs either a height or a number of clusters")
        if clusters is not None and not 1 <= clusters <= len(self.coders):
            raise OptionError(f"clusters must lie in 1..{len(self.coders)}; got {clusters}")
        if height is not None:
            made = [one for one in self.clusters if one.height <= height]
        else:
            made = list(self.clusters[: len(self.coders) - (clusters or 1)])
        group: dict[str, tuple[str, ...]] = {coder: (coder,) for coder in self.coders}
        for one in made:
            group |= dict.fromkeys(one.coders, one.coders)
        return tuple(dict.fromkeys(group[coder] for coder in self.leaves))

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "measure": repr(self.measure),
            "coefficient": self.coefficient,
            "linkage": self.method,
            "coders": list(self.coders),
            "distances": self.distances.tolist(),
            "clusters": [one.to_dict() for one in self.clusters],
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


def cluster_coders(
    corpus: Corpus,
    measure: str | Measure = "boundary_similarity(n_t=2)",
    *,
    coefficient: str | None = None,
    linkage: Linkage | None = None,
    compat: str | None = None,
    seed: int = 0,
    chance: str | None = None,
    draws: int | None = None,
) -> Clustering:
    """Who segments like whom: coders joined step by step, the most alike first, with the agreement inside each group.

    The distance of two coders is 1 - similarity over all items both coded; ``linkage`` is how distances of groups are
    made of it, ``"average"`` by default. ``coefficient`` and ``compat`` as for
    :func:`~caesura.agreement.coefficients.agreement`; the value inside a cluster is what ``agreement`` gives for its
    coders alone, over flexible similarity with ``chance``, ``draws`` and ``seed`` as there. Where agreement is low, look
    whether two schools agree among themselves. Every pair of coders must share an item, and the similarity must be the
    same both ways. The study does not name its linkage; complete linkage gives its seven clusters and average linkage
    six of them, so ``compat="fournier2013"`` stands for complete linkage too.

    Fournier, C. (2013). An initial study of topical poetry segmentation. Computational Linguistics for Literature.

    >>> from caesura.data import stargazer
    >>> found = cluster_coders(stargazer())
    >>> for cluster in found.clusters[:2]:
    ...     print(cluster.coders, f"{cluster.height:.4f} {cluster.value:.4f}")
    ('7', '3') 0.2500 0.6865
    ('5', '1') 0.3333 0.6394
    >>> found.cut(clusters=3)
    (('2',), ('5', '1', '6', '7', '3'), ('4',))
    """
    if linkage not in (None, *get_args(Linkage)):
        raise OptionError(f"linkage must be one of {', '.join(get_args(Linkage))}; got {linkage!r}")
    method: Linkage = linkage or ("complete" if compat == "fournier2013" else "average")
    made = resolve(measure, compat)
    flexible = isinstance(made, FlexibleSimilarity)
    spans = isinstance(made, HierarchyKappa)
    name = coefficient if coefficient is not None else ("kappa" if flexible or spans else "multi_pi")
    known = coefficients_of_clusters(made)
    if name not in known:
        raise OptionError(f"coefficient must be one of {', '.join(known)} for clusters; got {name!r}")
    if not made.symmetric:
        raise OptionError(
            "clusters need a similarity that is the same both ways: algorithm='exact' and a symmetric matrix; "
            f"got {made.label}"
        )
    if chance not in (None, "simulate", "exact"):
        raise OptionError(f"chance must be 'simulate' or 'exact'; got {chance!r}")
    for option, value in (("chance", chance), ("draws", draws)):
        if value is not None and not flexible:
            raise OptionError(f"{option} has no place in clusters over {made.name}; leave it out")
    check_numbers(seed=seed)
    plan = Plan.of(draws, None, int(seed))
    o = observe(corpus, made)
    distances = _distances(o)
    from scipy.cluster.hierarchy import linkage as join  # slow to import
    from scipy.spatial.distance import squareform

    Z = join(squareform(distances, checks=False), method, optimal_ordering=True)  # noqa: N806 - scipy's symbol
    groups: list[tuple[str, ...]] = [(coder,) for coder in o.coders]
    for a, b, _, _ in Z.tolist():
        groups.append(groups[int(a)] + groups[int(b)])
    members = np.array([[coder in group for coder in o.coders] for group in groups[len(o.coders) :]], float)
    if flexible:
        with open_engine() as engine:
            basis: Basis = Drawn(o, name, plan, chance or "simulate", engine)
    else:
        basis = basis_of(o, name, Convention.of(compat))
    figures = basis.over_coders(members)
    values = figures.corrected
    clusters = tuple(
        Cluster(
            coders=groups[len(o.coders) + k],
            height=float(height),
            halves=(groups[int(a)], groups[int(b)]),
            value=None if np.isnan(values[k]) else float(values[k]),
            observed=float(figures.observed[k]),
            expected=None if np.isnan(figures.expected[k]) else float(figures.expected[k]),
        )
        for k, (a, b, height, _) in enumerate(Z.tolist())
    )
    words = ["cluster_coders", f"linkage:{method}", name, f"coders:{len(o.coders)}", f"items:{len(o.items)}"]
    if isinstance(basis, Drawn):
        words += [f"chance:{basis.method}", *([f"draws:{basis.draws}", f"seed:{seed}"] if basis.draws else [])]
    else:
        words += Convention.of(compat).words()
    signature = "|".join([*words, o.scores.total.signature])
    return Clustering(made, name, method, o.coders, distances, Z, clusters, signature, dict(o.dropped))


def coefficients_of_clusters(measure: Measure) -> tuple[str, ...]:
    """Those that clusters, which may have two coders or many, can be given."""
    if isinstance(measure, HierarchyKappa):
        return ("kappa",)
    return DRAWN if isinstance(measure, FlexibleSimilarity) else ("multi_pi", "multi_kappa", "alpha")


def _distances(o: Observed) -> Floats:
    out = np.full((len(o.coders), len(o.coders)), np.nan)
    np.fill_diagonal(out, 0)
    out[o.first, o.second] = out[o.second, o.first] = np.maximum(1 - o.similarity(o.by_pair), 0)
    for a, b in np.argwhere(np.isnan(out))[:1].tolist():
        raise OptionError(
            f"coders {o.coders[a]!r} and {o.coders[b]!r} share no item, so they have no distance; "
            "select coders or items that go together"
        )
    return out
