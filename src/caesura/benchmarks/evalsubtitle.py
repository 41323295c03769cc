"""EvalSubtitle: breaks of subtitles, with Pk, WindowDiff, S and B as segeval 2.0.11 computes them.

Karakanta, A., Buet, F., Cettolo, M., & Yvon, F. (2022). Evaluating subtitle segmentation for end-to-end generation systems.
LREC.
"""

from caesura.measures.recipes import Recipe, register
from caesura.measures.window import SEGEVAL

_OF_SEGEVAL = "none beyond those of segeval"

register(
    Recipe(
        name="evalsubtitle",
        title="EvalSubtitle (Karakanta et al. 2022)",
        measures={
            "boundary_f": {"ends": "end"},
            "pk": {},
            "window_diff": {},
            "segmentation_similarity": {"alignment": "greedy", "divisor": "types_squared"},
            "boundary_similarity": {"alignment": "greedy"},
            "sigma": {"tokenize": "sacrebleu", "smooth": "exp"},
        },
        rules={"windows": SEGEVAL},
        mistakes={
            "boundary_f": "the end of the file always matches",
            "pk": _OF_SEGEVAL,
            "window_diff": _OF_SEGEVAL,
            "segmentation_similarity": _OF_SEGEVAL,
            "boundary_similarity": _OF_SEGEVAL,
            "sigma": "the upper limit is an estimate: Sigma can exceed 100 if few words agree",
        },
    )
)
