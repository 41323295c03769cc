"""ruptures: change points of a signal.

Truong, C., Oudre, L., & Vayatis, N. (2020). Selective review of offline change point detection methods. Signal Processing 167.
"""

from caesura.measures.recipes import Recipe, register

register(
    Recipe(
        name="ruptures",
        title="ruptures (Truong, Oudre & Vayatis 2020)",
        measures={"boundary_f": {"tolerance": 10, "strict": True, "matching": "ruptures", "empty": "zero"}},
        mistakes={"boundary_f": "one reference boundary uses up all estimates near it; 0 without estimates"},
    )
)
