"""mir_eval.segment: boundaries and labels of the parts of a song.

Raffel, C., McFee, B., Humphrey, E. J., Salamon, J., Nieto, O., Liang, D., & Ellis, D. P. W. (2014). mir_eval: A transparent
implementation of common MIR metrics. ISMIR.
"""

from caesura.measures.recipes import Recipe, register

_CLASSES = {"over": "labels", "frame": 0.1, "extent": "from_zero"}
_ENTROPIES = {**_CLASSES, "empty": "zero"}
_SAMPLES = "samples of 0.1 s in 32 bits can fall into the segment before their boundary"

register(
    Recipe(
        name="mir_eval",
        title="mir_eval.segment (Raffel et al. 2014)",
        measures={
            "boundary_f": {
                "tolerance": 0.5,
                "ends": "both",
                "matching": "mir_eval",
                "empty": "zero",
                "extent": "from_zero",
            },
            "boundary_deviation": {"ends": "both", "extent": "from_zero"},
            "rand_index": _CLASSES,
            "adjusted_rand_index": _CLASSES,
            "pairwise_f": _CLASSES,
            "v_measure": _ENTROPIES,
            "nce": _ENTROPIES,
        },
        mistakes={
            "boundary_f": "both ends always match; F is 0 if neither side has boundaries; 3.732 and 0.732 are not 3 s apart",
            "boundary_deviation": "both ends count, so at least two distances are 0",
            "rand_index": _SAMPLES,
            "adjusted_rand_index": _SAMPLES,
            "pairwise_f": _SAMPLES,
            "v_measure": f"0 for identical annotations with one label; {_SAMPLES}",
            "nce": f"0 for identical annotations with one label; {_SAMPLES}",
        },
    )
)
