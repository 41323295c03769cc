"""Compare crisp evaluation against a gold standard with fuzzy evaluation against all coders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from caesura.errors import OptionError
from caesura.judging.judge import Judgement
from caesura.judging.participants import NEEDS_SEGMENTATIONS
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.options import OptionSet, setting, switch, whole

if TYPE_CHECKING:  # gold standards are imported when they are used
    from caesura.judging.crisp_gold import CrispAndFuzzy


def _gold_method(name: str, value: Any) -> tuple[str, int | None]:
    """Return the name of a method and its threshold, from text such as ``majority`` or ``threshold=3``."""
    if isinstance(value, tuple):
        return value
    from caesura.gold.linear import METHODS, method_name

    method, _, number = str(value).partition("=")
    checked = method_name(METHODS)(name, method)
    if (checked == "threshold") != bool(number):
        raise OptionError(f"{name}: write threshold=N with a number of coders; got {value!r}")
    if number and not number.strip().isdigit():
        raise OptionError(f"{name}: the threshold must be a whole number; got {number!r}")
    return checked, whole(1)("threshold", int(number)) if number else None


@dataclass(frozen=True)
class CrispOptions(OptionSet):
    """Whether to show crisp evaluation, and against which gold standard."""

    gold: tuple[str, int | None] | None = setting(
        None,
        _gold_method,
        "Gold standard of --crisp: median (the default), majority, threshold=N, cochran, any or all.",
    )
    crisp: bool = switch(
        "Show precision, recall and F against one gold standard beside fuzzy success against all coders."
    )

    @property
    def requested(self) -> bool:
        """Whether crisp evaluation is to be computed."""
        return self.crisp or self.gold is not None

    def check(self, corpus: Corpus) -> None:
        """Raise an error if crisp evaluation is requested and no item has segmentations."""
        if self.requested and not any(isinstance(annotation, Segmentation) for annotation in corpus.values()):
            raise OptionError(NEEDS_SEGMENTATIONS)


def crisp_and_fuzzy(judgement: Judgement, options: CrispOptions) -> tuple[Judgement, CrispAndFuzzy | None]:
    """Score the systems of a judgement against a gold standard of its coders, if options ask for it."""
    if not options.requested:
        return judgement, None
    from caesura.judging.crisp_gold import compare_crisp_and_fuzzy

    method, threshold = options.gold or ("median", None)
    comparison = compare_crisp_and_fuzzy(judgement.participants, method, threshold=threshold)
    excluded = tuple(dict.fromkeys((*judgement.excluded, *comparison.excluded)))
    return replace(judgement, excluded=excluded), comparison
