"""wtpsplit: sentence segmentation over characters, and the choice of a threshold."""

from caesura.measures.recipes import Recipe, register

register(
    Recipe(
        name="wtpsplit",
        title="wtpsplit",
        measures={
            "boundary_f": {"ends": "end"},
            "boundary_curve": {"f_constant": 1e-6, "prefer": "lowest", "may_mark_nothing": False},
        },
        mistakes={
            "boundary_f": "the end of the text always matches: a text of one sentence has F 1",
            "boundary_curve": "1e-6 in the denominator of F; of equal thresholds the lowest; marks everything if nothing is "
            "right",
        },
    )
)
