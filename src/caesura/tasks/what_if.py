"""What if a coder had placed a boundary elsewhere? Scores of a scratch copy of one annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caesura.errors import CaesuraError, OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.model.dialogue import Dialogue
from caesura.model.result import Result
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.tasks.report_subject import Subject

# Position and type of a boundary; None if the corpus has no types.
Boundary = tuple[int, str | None]


@dataclass(frozen=True)
class WhatIfValue:
    """One measure before and after the change."""

    measure: Measure
    before: float | None  # value of the annotation as it is in the corpus; None if it is undefined
    after: float | None  # value of the scratch copy
    reason: str | None = None  # why a value is undefined


@dataclass(frozen=True, eq=False)
class WhatIf(Result):
    """The scores of a scratch copy."""

    item: str
    coder: str  # coder whose annotation was copied: the hypothesis
    against: str  # coder that it is compared with: the reference
    values: tuple[WhatIfValue, ...]  # one entry per measure


def what_if(
    subject: Subject,
    *,
    item: str,
    coder: str,
    against: str,
    boundaries: Sequence[Boundary],
    stream: str = "",
    measure: Measure | None = None,
) -> WhatIf:
    """Score a scratch copy of an annotation against another coder, beside the annotation itself."""
    if subject.kind == "trees":
        raise OptionError("trees have no boundaries to move")
    by_coder = subject.boundaries.of_item(item)
    for name in (coder, against):
        if name not in by_coder:
            raise OptionError(f"item {item!r} was not annotated by {name}")
    original, reference = by_coder[coder], by_coder[against]
    scratch = _changed(original, boundaries, stream)
    kind = "dialogue" if isinstance(original, Dialogue) else "linear"
    measures = default_measures("score", kind)
    if measure is not None and kind in measure.kinds:
        measures = tuple(dict.fromkeys((measure, *measures)))
    values = tuple(_compare(entry, reference, original, scratch) for entry in measures)
    return WhatIf(item, coder, against, values)


def _changed(original: object, boundaries: Sequence[Boundary], stream: str) -> Segmentation | Dialogue:
    if isinstance(original, Dialogue):
        if stream not in original:
            raise OptionError(f"there is no stream {stream!r}")
        entry = original[stream]
        assert isinstance(entry, Segmentation)
        streams = {
            name: _with_boundaries(entry, boundaries) if name == stream else text for name, text in original.items()
        }
        return Dialogue(streams)  # type: ignore[arg-type]
    assert isinstance(original, Segmentation)
    return _with_boundaries(original, boundaries)


def _with_boundaries(text: Segmentation, boundaries: Sequence[Boundary]) -> Segmentation:
    by_position: dict[int, list[str]] = {}
    for position, name in boundaries:
        by_position.setdefault(position, []).append(name or UNTYPED[0])
    positions = sorted(by_position)
    if set(text.types) <= set(UNTYPED):
        inner = [position for position in positions if position != text.length]
        return Segmentation.from_positions(text.length, inner, units=text.units)
    marks = [sorted(set(by_position[position])) for position in positions]
    return Segmentation.from_positions(text.length, positions, marks=marks, types=text.types, units=text.units)


def _compare(measure: Measure, reference: object, original: object, scratch: object) -> WhatIfValue:
    values: list[float | None] = []
    reason = None
    for hypothesis in (original, scratch):
        try:
            values.append(measure.score(reference, hypothesis).value)  # type: ignore[arg-type]
        except CaesuraError as error:
            values.append(None)
            reason = str(error)
    return WhatIfValue(measure, values[0], values[1], reason)
