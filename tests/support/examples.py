"""Numbers of random examples."""

from __future__ import annotations

import os

from hypothesis import settings

EXAMPLES = int(os.environ.get("CAESURA_EXAMPLES", "25"))
"""Random examples per test. ``.ci/run`` uses 60; 1000 looks further than there is time for in every run."""


def examples(number: int) -> settings:
    """Return settings for a test that needs more random examples: the given number if CAESURA_EXAMPLES is 100, else in proportion."""
    return settings(max_examples=number * EXAMPLES // 100)
