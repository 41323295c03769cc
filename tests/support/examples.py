"""Numbers of random examples."""

from __future__ import annotations

import os

from hypothesis import settings

FULL = 60
"""Random examples per test in ``.ci/run``."""

EXAMPLES = int(os.environ.get("CAESURA_EXAMPLES", "10"))
"""Random examples per test. ``.ci/run`` uses 60; 1000 looks further than there is time for in every run."""


def examples(number: int) -> settings:
    """Return settings for a test that needs its own number of random examples: that number in ``.ci/run``, else in proportion."""
    return settings(max_examples=max(1, number * EXAMPLES // FULL))
