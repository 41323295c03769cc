"""What every test can ask for: the shared folder, the peers, and one hypothesis profile."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import settings

# The suite runs once more on kernels with bounds checks. What stands above the measures, and files, figures, pages and the
# command line, run no kernel that the tests of measures do not run; nor do laws and exhaustive searches touch other indices.
if os.environ.get("CAESURA_CHECKED"):
    collect_ignore_glob = [
        "browser/*", "formats/*", "golden/*", "test_agreement.py", "test_agreement_engines.py",
        "test_boundary_exhaustive.py", "test_bounds.py", "test_cli*", "test_cluster.py", "test_clusters.py",
        "test_cochran.py", "test_comparison.py", "test_corpus.py", "test_dendrogram.py", "test_docs.py",
        "test_doctests.py", "test_engines.py", "test_errors.py", "test_evaluation*", "test_examples.py",
        "test_formats.py", "test_judging.py", "test_labels.py", "test_laws.py", "test_mistakes.py",
        "test_notebook.py", "test_pairwise.py", "test_placed.py", "test_plot.py", "test_projection.py",
        "test_registry.py", "test_report*", "test_simulation.py", "test_startup.py", "test_statistics*",
        "test_study.py", "test_tier.py", "test_tree.py", "test_tree_experiments.py", "test_unification.py",
    ]  # fmt: skip

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

# CAESURA_EXAMPLES=1000 looks further than there is time for in every run.
EXAMPLES = int(os.environ.get("CAESURA_EXAMPLES", "100"))
settings.register_profile("caesura", derandomize=True, deadline=None, max_examples=EXAMPLES, print_blob=True)
settings.load_profile("caesura")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with specification, oracles and data, which stands beside a checkout and is no part of it."""
    if not SHARED.is_dir():
        pytest.skip("no folder ../shared beside the repository: its oracles and data are not here")
    return SHARED


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
