"""Coders and systems for the tests of judging."""

from __future__ import annotations

import numpy as np

import caesura as cz
from caesura.simulation import misses, near_misses, pseudo_coders, random_segmentation

B = "boundary_similarity(n_t=2)"
SYSTEMS = ("alpha", "beta", "gamma")


def people_and_systems(items=6, coders=4, seed=1):
    """Return items of several lengths. Coder 4 lacks some of them, system gamma one."""
    people = pseudo_coders(
        [20 + 7 * i for i in range(items)], [3, 4, 6, 9], coders=coders, near=0.2, miss=0.3, seed=seed
    )
    rng = np.random.default_rng(seed)
    annotations = {
        item: {
            coder: annotation
            for coder, annotation in people.of_item(item).items()
            if (item, coder) != ("item 2", "coder 4")
        }
        for item in people.item_names
    }
    systems = {name: {} for name in SYSTEMS}
    for item in people.item_names:
        first = people[item, "coder 1"]
        systems["alpha"][item] = near_misses(first, 0.3, seed=rng)
        systems["beta"][item] = misses(first, 0.5, seed=rng)
        systems["gamma"][item] = random_segmentation(first.length, [3, 4, 6, 9], seed=rng)
    systems["gamma"].pop("item 3", None)
    return cz.Corpus(annotations), systems
