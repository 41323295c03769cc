"""TCPDBench: change points of time series that several people marked.

van den Burg, G. J. J., & Williams, C. K. I. (2020). An evaluation of change point detection algorithms. arXiv:2003.06222.
"""

from caesura.measures.recipes import Recipe, register

register(
    Recipe(
        name="tcpd",
        title="TCPDBench (van den Burg & Williams 2020)",
        measures={
            "boundary_f": {"tolerance": 5, "ends": "start", "matching": "in_order", "references": "union"},
            "covering": {"references": "each"},
        },
        mistakes={
            "boundary_f": "the start always matches; a reference boundary can take the estimate of the next one; near "
            "boundaries of several coders each want an estimate",
            "covering": "none known; the mean over coders, then over series",
        },
    )
)
