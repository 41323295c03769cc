"""DISRPT 2025: the shared task on discourse segmentation; its script counts the first token of a document."""

from __future__ import annotations

from typing import Any

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.recipes import Recipe, register
from caesura.model.batch import Batch
from caesura.model.segmentation import Segmentation

_PROBLEM = (
    "the preset counts the first token, but the texts do not begin with an empty unit; read both files with "
    "--reading first=yes"
)


def with_first_token(batch: Batch) -> tuple[Batch, dict[int, CaesuraError]]:
    """Return the texts, and an error for each pair that does not begin with an empty unit, which stands for the first token."""
    if batch.seconds:
        return batch, {}
    texts, rows = batch.table.annotations, zip(batch.first.tolist(), batch.second.tolist(), strict=True)
    lacking = [row for row, pair in enumerate(rows) if not all(_begins_empty(texts[k]) for k in pair)]
    return batch, dict.fromkeys(lacking, MismatchError(_PROBLEM))


def without_empty_unit(text: Any) -> Any:
    """Return a text without the empty unit at its beginning, so that the first token does not count."""
    if not isinstance(text, Segmentation) or text.length == 1 or not _begins_empty(text):
        return text
    return Segmentation.from_positions(text.length - 1, text.inner[text.inner > 1] - 1, units=(text.units or ())[1:])


def _begins_empty(text: Any) -> bool:
    return (text.units or (None,))[0] == ""


register(
    Recipe(
        name="disrpt-2025",
        title="DISRPT 2025, elementary discourse units",
        measures={"boundary_f": {}},
        mistakes={"boundary_f": "token 1 counts, so F rises with short documents (reading option first=yes)"},
        reading={"first": "yes"},
        conversion="the first token counts",
        prepare=with_first_token,
        undo=without_empty_unit,
    )
)
