"""Names of version 0.2 that other folders still use; each is one line over what replaced it."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.model.dialogue import Annotation, texts_of
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier


def streams_of(annotation: Annotation) -> Mapping[str, Segmentation]:
    return texts_of(annotation)


def tiers_of(annotation: Annotation) -> Mapping[str, Tier]:
    return getattr(annotation, "tiers", {})
