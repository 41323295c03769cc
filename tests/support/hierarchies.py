"""Random hierarchies of several coders for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

import caesura as cz
from oracle.unify import cross


@st.composite
def coders(
    draw: st.DrawFn, *, max_units: int = 8, most: int = 6, min_coders: int = 2, max_coders: int = 5
) -> dict[str, cz.Hierarchy]:
    """What 2 to 5 coders drew of one text, at least one span among them; some copy a span from the coder before them.

    Levels are derived, or twice that, some spans then standing on two levels.
    """
    length = draw(st.integers(2, max_units))
    span = st.tuples(st.integers(1, length), st.integers(1, length)).map(lambda pair: (min(pair), max(pair)))
    found: dict[str, cz.Hierarchy] = {}
    before: list[tuple[int, int]] = []
    for coder in range(draw(st.integers(min_coders, max_coders))):
        asked = draw(st.lists(st.sampled_from(before) if before else span, max_size=most // 2))
        asked += draw(st.lists(span, min_size=0 if coder else 1, max_size=most - len(asked)))
        mine: list[tuple[int, int]] = []
        for one in dict.fromkeys(asked):
            if not any(cross(one, other) for other in mine):
                mine.append(one)
        before = mine
        plain = cz.Hierarchy(length, mine)
        if draw(st.booleans()):
            label = st.sampled_from([None, "x", "y"])
            spans = [(s.start, s.end, 2 * s.level, draw(label)) for s in plain]
            spans += [(a, b, level + 1, draw(label)) for a, b, level, _ in spans if draw(st.booleans())]
            plain = cz.Hierarchy(length, spans)
        found[f"c{coder}"] = plain
    return found
