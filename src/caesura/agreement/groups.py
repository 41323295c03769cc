"""Agreement inside groups of coders, with mean and deviation over groups.

A study may have several groups of coders who each annotated a part of the texts, or coders who were trained differently. Each
group is computed as if there were no other coders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.coder_pairs import check_corpus
from caesura.agreement.coefficients import agreement_with_placement, has_positions
from caesura.agreement.families import resolve_coefficient
from caesura.agreement.result import Agreement
from caesura.errors import OptionError, Undefined
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, Result, signature_line
from caesura.options import suggest

_CLUSTER_ARGUMENTS = ("compat", "chance", "seed", "engine")


@dataclass(frozen=True, slots=True)
class CoderGroup:
    """The agreement inside one group of coders."""

    name: str
    coders: tuple[str, ...]
    agreement: Agreement | None = None  # the coefficient inside the group; None if it is undefined
    # The same with the chance agreement of random placement; None if it is not defined or not needed.
    placement: Agreement | None = None
    clusters: Clustering | None = None  # clusters of the coders of the group, if requested and possible
    reason: str | None = None  # why the coefficient is undefined; None if it is defined

    @property
    def value(self) -> float | None:
        """The coefficient; None if it is undefined."""
        return None if self.agreement is None else self.agreement.value


@dataclass(frozen=True)
class GroupedAgreement(Result):
    """Agreement inside each of several groups of coders.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    measure : Measure
        The measure.
    groups : tuple of CoderGroup
        One entry per group.
    excluded : tuple of Excluded
        Items that were excluded in a group.
    signature : str
        One line with everything needed to reproduce the numbers.
    """

    json_properties = ("mean", "deviation", "placement_mean", "placement_deviation")
    frame_field = "groups"

    coefficient: str
    measure: Measure
    groups: tuple[CoderGroup, ...]
    excluded: tuple[Excluded, ...]
    signature: str

    @property
    def values(self) -> tuple[float, ...]:
        """The coefficients of the groups in which it is defined."""
        return tuple(group.value for group in self.groups if group.value is not None)

    @property
    def mean(self) -> float | None:
        """Mean over the groups, each with the same weight; None if the coefficient is undefined in all of them."""
        return float(np.mean(self.values)) if self.values else None

    @property
    def deviation(self) -> float | None:
        """Population standard deviation over the groups; None if the coefficient is undefined in all of them."""
        return float(np.std(self.values)) if self.values else None

    @property
    def _placements(self) -> list[float]:
        return [group.placement.value for group in self.groups if group.placement is not None]

    @property
    def placement_mean(self) -> float | None:
        """Mean over the groups of the coefficient beyond random placement; None if it is not defined."""
        return float(np.mean(self._placements)) if self._placements else None

    @property
    def placement_deviation(self) -> float | None:
        """Population standard deviation over the groups of the coefficient beyond random placement."""
        return float(np.std(self._placements)) if self._placements else None


def group_agreement(
    corpus: Corpus,
    groups: Mapping[str, Sequence[str]],
    measure: str | Measure = "boundary_similarity(n_t=2)",
    *,
    coefficient: str | None = None,
    clusters: bool = False,
    **arguments: Any,
) -> GroupedAgreement:
    """Compute agreement inside each of several groups of coders.

    Parameters
    ----------
    corpus : Corpus
        Annotations of all groups.
    groups : mapping of str to sequence of str
        Name of each group -> its coders. A coder belongs to at most one group; coders without a group are not used.
    measure : str or Measure, default "boundary_similarity(n_t=2)"
        Similarity of two annotations.
    coefficient : str, optional
        Name of the coefficient (default: that of the measure).
    clusters : bool, default False
        Whether to cluster the coders of each group.
    **arguments : object
        Further arguments of :func:`~caesura.agreement`, such as ``chance``, ``interval`` and ``seed``.

    Returns
    -------
    GroupedAgreement
        One coefficient per group, their mean and their deviation. A group in which the coefficient is undefined has a
        reason instead, and does not count in the mean.

    Raises
    ------
    OptionError
        If there is no group, a coder is unknown or belongs to two groups, or an argument is invalid.

    Examples
    --------
    >>> from caesura.data import stargazer
    >>> study = group_agreement(stargazer(), {"early": ["1", "2", "3"], "late": ["4", "5", "6", "7"]}, interval=None)
    >>> [f"{group.name} {group.value:.2f}" for group in study.groups], f"{study.mean:.2f} ± {study.deviation:.2f}"
    (['early 0.45', 'late 0.43'], '0.44 ± 0.01')
    """
    check_corpus(corpus)
    checked = check_groups(groups, corpus.coders)
    compat, chance = arguments.get("compat"), arguments.get("chance")
    positions = has_positions(corpus)
    resolved = resolve_coefficient(measure, coefficient, compat=compat, chance=chance, has_positions=positions)
    results = tuple(
        _group(corpus, name, coders, measure, resolved.name, clusters, arguments) for name, coders in checked.items()
    )
    agreements = [group.agreement for group in results if group.agreement is not None]
    signature = signature_line("groups", f"groups:{len(checked)}", resolved.name, over=repr(resolved.measure))
    return GroupedAgreement(
        coefficient=resolved.name,
        measure=resolved.measure,
        groups=results,
        excluded=tuple(dict.fromkeys(entry for result in agreements for entry in result.excluded)),
        signature=signature,
    )


def check_groups(groups: Mapping[str, Sequence[str]], coders: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups, with their coders in the order of the corpus."""
    if not groups:
        raise OptionError("groups: expected at least one group of coders; got none")
    group_of: dict[str, str] = {}
    for name, members in groups.items():
        if isinstance(members, str):
            raise OptionError(f"groups[{name!r}]: expected a list of coders; got the string {members!r}")
        for coder in members:
            if coder not in coders:
                raise OptionError(suggest(f"groups[{name!r}]: there is no coder", str(coder), coders))
            if group_of.setdefault(coder, name) != name:
                raise OptionError(
                    f"coder {coder!r} is in the groups {group_of[coder]!r} and {name!r}; choose one of them"
                )
    return {name: tuple(coder for coder in coders if group_of.get(coder) == name) for name in groups}


def _group(
    corpus: Corpus,
    name: str,
    coders: tuple[str, ...],
    measure: str | Measure,
    coefficient: str,
    clusters: bool,
    arguments: Mapping[str, Any],
) -> CoderGroup:
    """Return the agreement inside one group, or the reason why it is undefined."""
    if len(coders) < 2:
        return CoderGroup(
            name, coders, reason=f"agreement needs at least two coders; got {', '.join(coders) or 'none'}"
        )
    own = corpus.select(coders=coders)
    try:
        result, placement = agreement_with_placement(own, measure, coefficient=coefficient, **arguments)
    except Undefined as error:
        return CoderGroup(name, coders, reason=str(error))
    except OptionError as error:
        if any(len(set(corpus.of_item(item)) & set(coders)) > 1 for item in corpus.item_names):
            raise
        return CoderGroup(name, coders, reason=str(error))
    own_clusters = _clusters(own, measure, coefficient, arguments) if clusters else None
    return CoderGroup(name, coders, result, placement, own_clusters)


def _clusters(
    corpus: Corpus, measure: str | Measure, coefficient: str, arguments: Mapping[str, Any]
) -> Clustering | None:
    """Return the clusters of a group; None if two of its coders share no item, or the coefficient is not for clusters."""
    chosen = {key: value for key, value in arguments.items() if key in _CLUSTER_ARGUMENTS}
    try:
        return cluster_coders(corpus, measure, coefficient=coefficient, **chosen)
    except OptionError:
        return None
