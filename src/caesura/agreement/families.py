"""Registry of chance models, and resolution of coefficient, measure, preset and chance options.

A measure names its family in ``chance_family`` and its coefficients in ``coefficients``. A new measure of an existing
family needs no change here. A new family needs one file and one line in this registry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesura.agreement.chance import (
    LI2024,
    Chance,
    ChanceModel,
    Coefficient,
    Exact,
    PlacedAtRandom,
    PlacedSpans,
    Placement,
    Simulate,
    SpanChance,
    as_chance,
)
from caesura.agreement.coder_pairs import COUNTING
from caesura.agreement.counts import CountChance
from caesura.agreement.label_chance import LabelChance
from caesura.agreement.mean import MEAN, AxisPlacement, MeanOverPairs, is_placeable
from caesura.agreement.nominal import NominalChance, PercentAgreement, TextbookChance
from caesura.agreement.placement import PlacementChance
from caesura.agreement.random_texts import PlacedTextChance, RandomTextChance
from caesura.agreement.unitizing_registry import UNITIZING, resolve_unitizing
from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.options import normalize_name, resolve_options, suggest
from caesura.options import seed as check_seed

# ``chance_family`` of a measure -> chance model.
CHANCE_FAMILIES: dict[str, type[ChanceModel]] = {
    "counts": CountChance,
    "random_texts": RandomTextChance,
    "spans": SpanChance,
    "labels": LabelChance,
}
# ``chance_family`` of a measure -> model for ``chance="placement"``.
PLACEMENT_MODELS: dict[str, type[ChanceModel]] = {"counts": PlacementChance, "random_texts": PlacedTextChance}
# Coefficients that only use positions and are therefore defined for all segmentations and dialogues.
POSITION_COEFFICIENTS: dict[str, type[ChanceModel]] = {
    name: model for model in (NominalChance, TextbookChance, PercentAgreement) for name in model.coefficients
}

_MODELS: list[type[ChanceModel]] = [
    *CHANCE_FAMILIES.values(),
    *dict.fromkeys(POSITION_COEFFICIENTS.values()),
    MeanOverPairs,
    PlacedSpans,
]
# Names of all coefficients.
COEFFICIENTS = tuple(dict.fromkeys([*(name for model in _MODELS for name in model.coefficients), *UNITIZING]))
# Names of people -> coefficient.
COEFFICIENT_ALIASES = {"davies_fleiss": "multi_kappa", "krippendorff": "alpha"}
_WITHOUT_POSITIONS = "annotations in seconds, hierarchies and spans"
_IN_SECONDS = (
    "use a measure such as boundary_f(tolerance='0.5s'), for spans in characters or tokens boundary_f(tolerance=2), or "
    "purity_coverage, without a coefficient: this is the mean over pairs of coders, which chance='placement' corrects for "
    "chance; or label_share, which has kappa and pi of time; files with tiers can be converted to units first (--reading "
    "units=0.01)"
)
_COEFFICIENT_LABELS = {"multi_pi": "pi", "multi_kappa": "kappa"} | {
    name: entry.label or name.replace("_", "-") for name, entry in UNITIZING.items()
}


def coefficient_label(name: str) -> str:
    """Return the name of a coefficient in the papers, for tables and figures."""
    return _COEFFICIENT_LABELS.get(name, name)


def coefficient_name(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be the name of a coefficient; got {value!r}")
    key = normalize_name(value)
    key = COEFFICIENT_ALIASES.get(key, key)
    if "(" in value and resolve_unitizing(value, {}) is not None:
        return value
    if key not in COEFFICIENTS:
        raise OptionError(suggest("there is no coefficient", value, [*COEFFICIENTS, *COEFFICIENT_ALIASES]))
    return key


def coefficient_for(name: str, measure: Measure, coders: int) -> str:
    """Return the form of a coefficient for a number of coders: ``pi`` of three coders is ``multi_pi``."""
    multi = f"multi_{name}"
    return multi if coders > 2 and multi in measure.coefficients else name


def resolve_coefficient(
    measure: str | Measure,
    coefficient: str | None = None,
    *,
    compat: str | None = None,
    chance: str | Chance | None = None,
    seed: int | None = 0,
    options: Mapping[str, Any] | None = None,
    has_positions: bool = True,
) -> Coefficient:
    requested = parse(measure)
    if requested.is_averaged:
        raise OptionError(f"{requested!r}: a coefficient pools the counts of all items; remove average and references")
    coefficient = COEFFICIENT_ALIASES.get(normalize_name(str(coefficient)), coefficient)
    value = as_chance(requested.chance_word if chance is None else chance)
    name, model_class = _choose(requested, coefficient, has_positions)
    if isinstance(value, PlacedAtRandom) or name == LI2024:
        name, model_class, value = LI2024, _span_model(requested, name), PlacedAtRandom()
    if isinstance(value, Placement):
        model_class = _placement_model(requested, name, compat)
    owner = f"{name} over {requested.name}" if model_class.uses_measure else name
    resolved = _with_preset(requested, compat, name, model_class)
    for option in [name for name in options or {} if name in ("draws", "tolerance", "variates", "checkpoint")]:
        raise OptionError(f"{option} is an option of the simulation; use chance=Simulate({option}=...)")
    settings = resolve_options(owner, model_class.options, options or {}, model_class.presets.get(compat or ""))
    value = _check_chance(value, owner, model_class, resolved, seed)
    return Coefficient(name, resolved, model_class, settings, value, compat, check_seed("seed", seed))


def _span_model(measure: Measure, name: str) -> type[ChanceModel]:
    if not measure.exact_span_chance:
        raise OptionError(
            f"chance='li2024' is for spans, and {measure.name} does not compare them; use span_f or token_f"
        )
    if name not in (MEAN, LI2024):
        raise OptionError(f"{name} is not defined over {measure.name}; leave the coefficient out")
    return PlacedSpans


def supports_placement(measure: Measure, coefficient: str) -> bool:
    """Return whether ``chance="placement"`` is defined for a coefficient over a measure."""
    model = PLACEMENT_MODELS.get(measure.chance_family)
    return model is not None and coefficient in measure.coefficients and coefficient in model.coefficients


def _placement_model(measure: Measure, name: str, compat: str | None) -> type[ChanceModel]:
    if name == MEAN:
        return AxisPlacement
    if not supports_placement(measure, name):
        raise OptionError(f"chance='placement' is not defined for {name} over {measure.name}; leave chance out")
    if compat is not None or measure.compat is not None:
        raise OptionError(
            f"compat={compat or measure.compat!r} reproduces published figures, which do not use chance='placement'; "
            "set only one of them"
        )
    return PLACEMENT_MODELS[measure.chance_family]


def _check_chance(
    value: Chance | None, owner: str, model_class: type[ChanceModel], measure: Measure, seed: int | None
) -> Chance | None:
    """Return the options of the chance computation; None if the model does not simulate."""
    if not model_class.accepts_chance:
        if value is not None:
            raise OptionError(f"chance has no effect on {owner}, which simulates nothing; leave it out")
        return None
    value = Simulate() if value is None else value
    if value.checkpoint is not None and seed is None:
        raise OptionError("checkpoint needs a seed, so that the same call continues where it stopped; set seed=...")
    if isinstance(value, Exact) and not measure.supports_exact_chance:
        raise OptionError("chance='exact' needs the exact alignment; with algorithm='pardist' chance must be simulated")
    return value


def default_coefficient(measure: Measure, *, has_positions: bool = True) -> str:
    if measure.default_coefficient is None or _lacks_positions(measure, has_positions):
        return MEAN
    return measure.default_coefficient


def correction_of_mean(measure: Measure) -> str | None:
    """Return the word for ``chance=`` that corrects the mean over pairs of a measure for chance."""
    if measure.exact_span_chance:
        return LI2024
    return "placement" if is_placeable(measure) else None


def _lacks_positions(measure: Measure, has_positions: bool) -> bool:
    return not has_positions and measure.chance_family in COUNTING


def _choose(measure: Measure, name: str | None, has_positions: bool) -> tuple[str, type[ChanceModel]]:
    """Return the coefficient (default: that of the measure) and its chance model."""
    name = default_coefficient(measure, has_positions=has_positions) if name is None else name
    if _lacks_positions(measure, has_positions) and not {"timed", "hierarchy"} & set(measure.kinds):
        raise OptionError(
            f"{measure.name} counts positions between units, and {_WITHOUT_POSITIONS} have none; {_IN_SECONDS}"
        )
    if name == MEAN or (name == LI2024 and measure.exact_span_chance):
        return name, MeanOverPairs
    if _lacks_positions(measure, has_positions) or (name in POSITION_COEFFICIENTS and not has_positions):
        raise OptionError(f"{name} counts positions between units, and {_WITHOUT_POSITIONS} have none; {_IN_SECONDS}")
    if name in POSITION_COEFFICIENTS and measure.kind in ("linear", "dialogue"):
        return name, POSITION_COEFFICIENTS[name]
    if not measure.coefficients:
        raise OptionError(
            f"{name} is not defined over {measure.name}, which has no published chance model; leave the coefficient out for "
            "the mean over pairs of coders, with chance='placement' to correct it for chance"
        )
    if name not in measure.coefficients:
        raise OptionError(suggest(f"{measure.name} has no coefficient", str(name), measure.coefficients))
    return name, CHANCE_FAMILIES[measure.chance_family].suited_to(measure)


def _with_preset(measure: Measure, compat: str | None, name: str, model_class: type[ChanceModel]) -> Measure:
    if compat is None:
        return measure
    if not model_class.uses_measure:
        raise OptionError(f"{name} has no preset; got compat={compat!r}")
    if measure.compat not in (None, compat):
        raise OptionError(
            f"the measure has compat={measure.compat!r}, which contradicts compat={compat!r}; set only one"
        )
    if model_class.presets and compat not in model_class.presets:
        raise OptionError(suggest("agreement has no preset", compat, model_class.presets))
    return measure.replace(compat=compat)
