"""Which boundary types do experts confuse? The answer is a similarity matrix for S_f, written as a settings file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from caesura.agreement.experts import ExpertSimilarity, similarity_from_experts
from caesura.errors import OptionError
from caesura.formats.settings import write_settings
from caesura.model.corpus import Corpus
from caesura.model.value import count_of
from caesura.options import OptionSet, non_negative, path, setting
from caesura.tasks.units import with_units
from caesura.version import __version__


@dataclass(frozen=True)
class SimilarityOptions(OptionSet):
    smoothing: float = setting(
        0.0, non_negative(), "Number added to every count, if experts never agree on a type or confuse it one way only."
    )
    write: str | None = setting(
        None, path, "Settings file to write, .toml or .json. Use it with --settings.", flags=("-o", "--write")
    )


def expert_similarity(corpus: Corpus, options: SimilarityOptions | None = None) -> ExpertSimilarity:
    """Estimate the similarity of boundary types from experts, and write it as a settings file if requested."""
    options = options or SimilarityOptions()
    (corpus,), without_units = with_units([corpus])
    try:
        result = similarity_from_experts(corpus, smoothing=options.smoothing)
    except OptionError as error:
        hint = "leave the type out, or set smoothing"
        raise OptionError(str(error).replace(hint, "set --smoothing 0.5, or leave the type out")) from None
    if options.write is not None:
        experts = ", ".join(result.coders)
        comment = f"estimated by caesura {__version__} from {experts} on {count_of(len(result.items), 'item')}"
        write_settings(options.write, result.similarity, comment=comment)
    return replace(result, excluded=(*without_units, *result.excluded))
