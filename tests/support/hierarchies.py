"""Random hierarchies of several coders for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

import caesura as cz
from oracle.unify import cross


@st.composite
def coders(
    draw: st.DrawFn, *, max_units: int = 8, max_spans: int = 6, min_coders: int = 2, max_coders: int = 5
) -> dict[str, cz.Hierarchy]:
    """Return hierarchies of several coders over one text, with at least one span; some copy a span of the previous coder.

    Levels are derived or doubled. If they are doubled, some spans are on two levels.
    """
    length = draw(st.integers(2, max_units))
    any_span = st.tuples(st.integers(1, length), st.integers(1, length)).map(lambda pair: (min(pair), max(pair)))
    by_coder: dict[str, cz.Hierarchy] = {}
    before: list[tuple[int, int]] = []
    for coder in range(draw(st.integers(min_coders, max_coders))):
        requested = draw(st.lists(st.sampled_from(before) if before else any_span, max_size=max_spans // 2))
        requested += draw(st.lists(any_span, min_size=0 if coder else 1, max_size=max_spans - len(requested)))
        before = []
        for span in dict.fromkeys(requested):
            if not any(cross(span, chosen) for chosen in before):
                before.append(span)
        hierarchy = cz.Hierarchy(length, before)
        if draw(st.booleans()):
            label = st.sampled_from([None, "x", "y"])
            spans = [(s.start, s.end, 2 * s.level, draw(label)) for s in hierarchy]
            spans += [(a, b, level + 1, draw(label)) for a, b, level, _ in spans if draw(st.booleans())]
            hierarchy = cz.Hierarchy(length, spans)
        by_coder[f"c{coder}"] = hierarchy
    return by_coder
