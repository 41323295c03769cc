"""pyannote.metrics: segmentation of recordings by speaker.

Bredin, H. (2017). pyannote.metrics: A toolkit for reproducible evaluation, diagnostic, and error analysis of speaker
diarization systems. Interspeech.
"""

from caesura.measures.recipes import Recipe, register

register(
    Recipe(
        name="pyannote",
        title="pyannote.metrics (Bredin 2017)",
        measures={
            "boundary_f": {"matching": "nearest", "empty": "side"},
            "purity_coverage": {"fill": 0.5, "gaps": "reference"},
        },
        mistakes={
            "boundary_f": "the closest pair first can lose a pair; precision is 1 without hypothesis boundaries",
            "purity_coverage": "joins neighbouring reference intervals with equal labels",
        },
    )
)
