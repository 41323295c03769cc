"""Fixtures: the shared folder, reference implementations, and one hypothesis profile."""

from __future__ import annotations

import os
import warnings
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import settings

from support.examples import EXAMPLES
from support.shared_data import DataFolder

# The suite runs a second time on kernels with bounds checks. Only tests that reach a kernel on a new path take part.
if os.environ.get("CAESURA_CHECKED"):
    collect_ignore_glob = [
        "cli/*",
        "corpora/test_annotation_tools.py",
        "corpora/test_conversations.py",
        "corpora/test_discourse.py",
        "corpora/test_poem.py",
        "docs/*",
        "engines/*",
        "evaluation/*",
        "formats/*",
        "golden/*",
        "judging/*",
        "simulation/*",
        "statistics/*",
        "tasks/*",
        "views/*",
        "test_*.py",
        "agreement/test_agreement.py",
        "agreement/test_agreement_engines.py",
        "agreement/test_clusters.py",
        "agreement/test_cochran.py",
        "agreement/test_labels.py",
        "agreement/test_pairwise.py",
        "agreement/test_placed.py",
        "gold/test_unification.py",
        "measures/test_boundary_exhaustive.py",
        "measures/test_laws.py",
        "measures/test_registry.py",
        "model/test_corpus.py",
        "model/test_projection.py",
        "model/test_tier.py",
        "model/test_tree.py",
    ]

settings.register_profile("caesura", derandomize=True, deadline=None, max_examples=EXAMPLES, print_blob=True)
settings.load_profile("caesura")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """Corpora and oracles. A test whose corpus may not ship skips if there is no folder ../shared beside the checkout."""
    return DataFolder(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def segeval() -> ModuleType:
    """segeval 2.0.11, the reference program of Fournier 2013."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("segeval", reason="segeval is not installed: pip install caesura[test]")
        pytest.importorskip("segeval.data.samples")
    return module


@pytest.fixture(scope="session")
def nltk_segmentation() -> SimpleNamespace:
    """NLTK's pk and windowdiff. (The module cannot be imported as a whole: nltk.metrics hides it behind a function.)"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("nltk", reason="NLTK is not installed: pip install caesura[test]")
        from nltk.metrics.segmentation import pk, windowdiff
    return SimpleNamespace(pk=pk, windowdiff=windowdiff)
