"""Random measures with random options, for hypothesis."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from caesura.measures.base import Measure

KINDS = cz.measures()
ALL = sorted(KINDS)

# What every option may be. A new option fails test_every_option_has_values until it is listed.
share = st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 1, 1.0, 1e-05]) | st.floats(0, 1, allow_subnormal=False)
label = st.sampled_from(["TOP", "-NONE-", "``", "''", ",", "", "#", "NP"])
labels = st.lists(label, max_size=4)
label_pairs = st.lists(st.tuples(label, label), max_size=3)
VALUES = {
    "window": st.integers(1, 10**6) | st.sampled_from(["5s", 2.5]),
    "padded": st.booleans(),
    "tolerance": st.integers(0, 10**6) | st.sampled_from([0.5, "0.5s", "500ms", "5%"]),
    "min_distance": st.integers(0, 9) | st.sampled_from([0.5, "2s", "5%"]),
    "n_t": st.integers(1, 50),
    "transposition": st.sampled_from(["scaled", "printed", "unit", "te"]),
    "substitution": st.sampled_from(["scaled", "printed", "unit"]),
    "wt": share,
    "ws": share,
    "w_trp": share,
    "w_sub": share,
    "alignment": st.sampled_from(["exact", "greedy"]),
    "divisor": st.sampled_from(["types", "types_squared"]),
    "denominator": st.sampled_from(["boundaries", "errors"]),
    "similarity": st.sampled_from(
        [
            {(",", "."): 0.5},
            {("a|b", "'"): 1 / 3, (",", "none"): 0.1},
            {"types": ["x", "y"], "matrix": [[1, 0.5, 0], [0.25, 1, 0], [0, 0.1, 1]]},
        ]
    ),
    "normalize": st.sampled_from(["positions", "boundaries"]),
    "algorithm": st.sampled_from(["exact", "pardist"]),
    "mover": st.sampled_from(["mean", "b", "right"]),
    "counting": st.sampled_from(["pairs", "segsimflex"]),
    "chain_strength": st.integers(1, 10**6),
    "minimal_peak": st.integers(1, 50),
    "min_count": st.integers(1, 50),
    "max_steps": st.sampled_from([6e8, 1e10, 10**12]),
    "alpha": st.sampled_from([1, 1.0, 1.5, 2]) | st.floats(1, 2),
    "beta": st.sampled_from([0, 2.0, 1e300, float("inf")]) | st.floats(0, allow_subnormal=False),
    "p_min": share,
    "p_max": share | st.floats(0, 1e300, allow_subnormal=False),
    "per_cluster": st.sampled_from(["sum", "best"]),
    "edges": st.sampled_from(["linear", "ignore"]),
    "level": st.sampled_from(["flat", "full"]),
    "labelled": st.booleans(),
    "delete_labels": labels,
    "delete_labels_for_length": labels,
    "equal_labels": label_pairs,
    "equal_words": label_pairs,
    "quote_labels": labels,
    "cutoff": st.integers(0, 10**6),
    "unlabelled": st.booleans(),
    "flexible_terminals": st.booleans(),
    "threshold": st.floats(0, 1, exclude_max=True, allow_subnormal=False),
    "extent": st.sampled_from(["same", "reference", "intersection", "union", "from_zero"]),
    "gaps": st.sampled_from(["segment", "ignore"]),
    "over": st.sampled_from(["segments", "labels"]),
    "ties": st.sampled_from(["left", "all"]),
    "direction": st.sampled_from(["reference", "hypothesis", "mean"]),
    "fill": st.sampled_from([0, 0.5, 2]),
    "frame": st.sampled_from([0.1, 1]),
    "ends": st.sampled_from(["none", "start", "end", "both"]),
    "strict": st.booleans(),
    "matching": st.sampled_from(["maximum", "nearest", "in_order", "ruptures", "mir_eval"]),
    "empty": st.sampled_from(["one", "zero"]),
    "statistic": st.sampled_from(["median", "mean"]),
    "insertion": share,
    "deletion": share,
    "shift": share,
    "costs": st.just("bookstein"),
    "coefficient": st.sampled_from(["none", "kappa", "pi"]),
    "tokenize": st.sampled_from(["words", "sacrebleu"]),
    "smooth": st.sampled_from(["none", "exp"]),
    "average": st.sampled_from(["micro", "items", "items_pr"]),
    "references": st.sampled_from(["each", "best", "union"]),
    "labels": st.booleans(),
    "chance": st.sampled_from(["none", "expected", "li2024"]),
}
# The same name means another thing to another measure.
OTHERWISE = {("flexible_similarity", "transposition"): share | st.sampled_from([{"x": 0.5, ".": 2}])}
OTHERWISE |= {(name, "level"): st.integers(1, 9) for name, kind in KINDS.items() if "timed" in kind.kinds}
OTHERWISE |= {
    ("win_pr", "window"): st.integers(1, 10**6),
    ("generalized_hamming", "normalize"): st.sampled_from(["none", "worst"]),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure with any options that go together."""
    kind = KINDS[draw(st.sampled_from(ALL))]
    names = [option.name for option in kind.options]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    compat = draw(st.sampled_from([None, *kind.presets]))
    options = {name: draw(OTHERWISE.get((kind.name, name), VALUES[name])) for name in chosen}
    try:
        return kind(compat=compat, **options)
    except OptionError:
        assume(False)
