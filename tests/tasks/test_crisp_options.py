"""Crisp evaluation beside a judgement: annotations that it cannot evaluate are refused before they are judged."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import OptionError
from caesura.tasks import judge as judging
from caesura.tasks.judge import CrispOptions, crisp_and_fuzzy, judge_systems

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
TEXT = cz.Segmentation.from_positions(6, [2, 4])
ANNOTATIONS = {
    "spans": cz.Spans([(0, 2, "X"), (1, 4, "Y")], length=6),
    "dialogue": cz.Dialogue({"A": TEXT}),
    "hierarchy": cz.Hierarchy(6, [(1, 6, 1), (1, 3, 2), (4, 6, 2)]),
}


@pytest.mark.parametrize("options", [CrispOptions(crisp=True), CrispOptions(gold=("majority", None))])
@pytest.mark.parametrize("kind", ANNOTATIONS)
def test_other_annotations_are_refused_before_they_are_judged(monkeypatch, kind, options):
    people = cz.Corpus({"t": dict.fromkeys(("ann", "bo"), ANNOTATIONS[kind])})
    systems = {"sys": {"t": ANNOTATIONS[kind]}}
    assert judge_systems(people, systems, crisp=CrispOptions()).rows
    monkeypatch.setattr(judging, "judge", None)
    monkeypatch.setattr(judging, "_drops_on_spans", None)
    with pytest.raises(OptionError, match="needs segmentations without streams"):
        judge_systems(people, systems, crisp=options)


def test_one_level_of_a_hierarchy_is_judged_as_a_segmentation():
    people = cz.Corpus({"t": dict.fromkeys(("ann", "bo"), ANNOTATIONS["hierarchy"])})
    systems, options = {"sys": {"t": ANNOTATIONS["hierarchy"]}}, judging.JudgeOptions(hierarchy_level=2)
    crisp = CrispOptions(crisp=True)
    _, comparison = crisp_and_fuzzy(judge_systems(people, systems, options, crisp=crisp), crisp)
    assert comparison.rows[0].f == 1
