"""The lists of measures, coefficients for spans and formats, and the description of one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from caesura.agreement.chance import CHANCE_NAMES
from caesura.agreement.families import (
    CHANCE_FAMILIES,
    COEFFICIENT_ALIASES,
    COEFFICIENTS,
    coefficient_label,
    correction_of_mean,
    supports_placement,
)
from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.agreement.unitizing_registry import UNITIZING
from caesura.formats.format import Format
from caesura.measures.base import Measure
from caesura.measures.recipes import recipe_of, recipes_of
from caesura.measures.registry import AMBIGUOUS, aliases_of
from caesura.options import Option
from caesura.views.answer import Answer, Section
from caesura.views.answers.files import format_answer, list_answer, measure_answer
from caesura.views.table import Cell, Table

_EXAMPLES = {
    "linear": "caesura score ann.csv bo.csv -m {name}",
    "hierarchy": "caesura pairwise annotators.json -m {name}",
    "labels": "caesura pairwise songs.json --reading repair=yes -m {name}",
    "trees": "caesura score gold.ptb parser.ptb -m {name}",
    "marks": "caesura judge people.json --system mine.json -m {name}",
}
_BARE = re.compile(r"[\w^-]+")  # needs no quotes in a shell
_WRITING = {
    "masses-json": "people.json out.json",
    "masses-tsv": "people.json out.tsv",
    "bits": "reference.bits out.bits",
    "table-csv": "people.json out.csv",
    "table-tsv": "people.json out.tsv",
    "table-parquet": "people.json out.parquet",
    "documents-json": "people.json out.jsonl --reference ann --hypothesis bo",
    "documents-parquet": "people.json out.parquet --reference ann --hypothesis bo",
    "spans-json": "annotators.json out.json",
    "spans-csv": "annotators.json out.csv",
    "conllu": "ann.csv out.conllu",
    "ptb": "gold.ptb out.ptb",
}
_MAX_NAMES = 18  # characters of the column with the names in the papers


def measure_facts(measure_class: type[Measure]) -> dict[str, Any]:
    measure = measure_class()
    return {
        "label": measure.label,
        "title": measure.title,
        "summary": measure.summary,
        "aliases": [name for name in aliases_of(measure_class) if name not in AMBIGUOUS],
        "compares": list(measure.kinds),
        "best": measure.best,
        "worst": measure.worst,
        "options": _options(measure.options),
        "presets": {preset: dict(values) for preset, values in measure.presets.items()},
        "coefficients": list(measure.coefficients),
        "chance": _chance_words(measure),
        "example": _example(measure),
    }


def _chance_words(measure: Measure) -> list[str]:
    """Return the words for ``chance=`` that the measure supports."""
    if not measure.coefficients:
        word = correction_of_mean(measure)
        return [] if word is None else [word]
    words = ["published"]
    if any(supports_placement(measure, name) for name in measure.coefficients):
        words.append("placement")
    if CHANCE_FAMILIES[measure.chance_family].accepts_chance:
        words += ["simulate", "exact"] if measure.supports_exact_chance else ["simulate"]
    return words


def _example(measure: Measure) -> str:
    kind = "linear" if "linear" in measure.kinds else measure.kinds[0]
    if measure.accepts_marks or measure.needs_labels:
        kind = "marks" if measure.accepts_marks else "labels"
    if kind == "labels" and "level" in measure.settings:
        measure = measure.replace(level=1)
    return _EXAMPLES[kind].format(name=measure.label if _BARE.fullmatch(measure.label) else f'"{measure.label}"')


def measures_view(measures: Mapping[str, type[Measure]]) -> Answer:
    rows = tuple((_names_in_papers(entry), name, entry.summary) for name, entry in measures.items())
    table = Table(("name", "in Python", "what it compares"), rows)
    words = tuple((word, entry.description) for word, entry in CHANCE_NAMES.items())
    chance = Table(("chance", "expected agreement"), words, title="Words for --chance of agree, and chance= in Python")
    sections = (
        Section("measures", table),
        Section("chance", chance, shown=True),
        Section("aliases", partial(_all_aliases, measures)),
        Section("coefficients", _coefficients),
        Section("unitizing", partial(coefficients_table, UNITIZING)),
        Section("options", partial(_all_options, measures)),
    )
    return Answer(list_answer("measures", len(rows)), sections)


def _all_aliases(measures: Mapping[str, type[Measure]]) -> Table:
    """Return the other names of each measure, with the options that they set."""
    records = [
        {"name": alias, "measure": repr(entry(**options))}
        for entry in measures.values()
        for alias, options in aliases_of(entry).items()
        if alias not in AMBIGUOUS
    ]
    for entry in measures.values():
        options: dict[str, Any] = {} if entry.at_option is None else {entry.at_option: 2}
        records += [{"name": f"{entry().short_name}@2", "measure": repr(entry(**options))}] if options else []
    notes = ('Case does not matter, and - equals _. Options follow in parentheses: "WD(k=5)".',)
    return Table.from_records(records, notes=notes)


def _coefficients() -> Table:
    """Return the coefficients of agreement: name in the papers, names in Python, and names of people."""
    labels: dict[str, list[str]] = {}
    for name in COEFFICIENTS:
        labels.setdefault(coefficient_label(name), []).append(name)
    people = {
        name: [alias for alias, target in COEFFICIENT_ALIASES.items() if target in names]
        for name, names in labels.items()
    }
    rows = tuple((label, ", ".join(names), ", ".join(people[label])) for label, names in labels.items())
    return Table(("coefficient", "in Python", "also called"), rows)


def _names_in_papers(entry: type[Measure]) -> str:
    """Return the names that the measure has in the papers, depending on its options; only the first if they are long."""
    variants = [entry(), *(entry(**options) for options in entry.aliases.values() if options)]
    names = ", ".join(dict.fromkeys(measure.short_name for measure in variants))
    return names if len(names) <= _MAX_NAMES else entry().short_name


def _all_options(measures: Mapping[str, type[Measure]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, entry in measures.items():
        rows += [(name, *row) for row in _option_rows(entry.options)]
        if entry.presets:
            rows.append((name, "compat", "None", "preset: " + ", ".join(entry.presets)))
    return Table(("measure", "option", "default", "description"), tuple(rows), group=1)


def measure_view(measure_class: type[Measure]) -> Answer:
    facts = measure_facts(measure_class)
    rows = _option_rows(measure_class.options)
    if measure_class.presets:
        rows.append(("compat", "None", "preset: the conventions of a publication or program"))
    notes = (f"note: {measure_class.caution}",) if measure_class.caution else ()
    table = Table(("option", "default", "description"), tuple(rows), notes=notes)
    sections = [Section("options", table)] if rows else []
    if measure_class.presets:
        presets = tuple(
            (name, _preset_text(measure_class, name, values)) for name, values in measure_class.presets.items()
        )
        sections.append(Section("presets", Table(("preset", "options that it sets"), presets), shown=True))
    recipes = recipes_of(measure_class.name)
    mistakes = tuple((entry.name, entry.mistakes[measure_class.name]) for entry in recipes)
    if mistakes:
        sections.append(Section("mistakes", Table(("preset", "mistakes that it keeps"), mistakes), shown=True))
    sections.append(_example_section(facts))
    facts["coefficients"] = list(dict.fromkeys(map(coefficient_label, facts["coefficients"])))
    return Answer(measure_answer(measure_class.name, facts), tuple(sections))


def _example_section(facts: Mapping[str, Any]) -> Section:
    return Section("example", f"Example:\n  {facts['example']}", shown=True)


def _preset_text(measure_class: type[Measure], preset: str, values: Mapping[str, Any]) -> str:
    """Return the options that a preset sets, and what its program does besides."""
    recipe = recipe_of(measure_class.name, preset)
    note = measure_class.preset_notes.get(preset, "") if recipe is None else recipe.conversion
    if not note and (recipe is None or not recipe.rules):
        return _settings_text(values) or "none: the defaults are those of the paper"
    return "; ".join(filter(None, [_settings_text(values) or "none", note]))


def _settings_text(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def coefficient_facts(entry: type[UnitizingCoefficient]) -> dict[str, Any]:
    return {
        "title": entry.title,
        "summary": _summary(entry),
        "compares": ["spans"],
        "options": {
            field.name: {"default": field.default, "description": field.metadata["description"]}
            for field in entry.declared()
        },
        "presets": {preset: dict(values) for preset, values in entry.presets.items()},
        "preset_notes": dict(entry.preset_notes),
        "example": f"caesura agree spans.csv -c {entry.name}",
    }


def _summary(entry: type[UnitizingCoefficient]) -> str:
    return (entry.__doc__ or "").strip().split("\n")[0]


def coefficients_table(coefficients: Mapping[str, type[UnitizingCoefficient]]) -> Table:
    rows = tuple((name, _summary(entry)) for name, entry in coefficients.items())
    notes = ("caesura measures NAME describes a coefficient with its options and presets.",)
    return Table(
        ("coefficient", "what it says about spans"), rows, title="Coefficients of agree for spans", notes=notes
    )


def coefficient_view(entry: type[UnitizingCoefficient]) -> Answer:
    facts = coefficient_facts(entry)
    rows = tuple((name, repr(option["default"]), option["description"]) for name, option in facts["options"].items())
    sections = [Section("options", Table(("option", "default", "description"), rows))]
    if entry.presets:
        presets = tuple(
            (name, _settings_text(values), entry.preset_notes.get(name, "")) for name, values in entry.presets.items()
        )
        columns = ("preset", "options that it sets", "what it keeps and refuses")
        sections.append(Section("presets", Table(columns, presets), shown=True))
    sections.append(_example_section(facts))
    text = f"{facts['summary']} It compares the spans of all coders; 1 is best and 0 is chance. Name: {entry.name} in Python."
    return Answer(text, tuple(sections))


def format_facts(entry: Format) -> dict[str, Any]:
    return {
        "description": entry.description,
        "suffixes": entry.suffixes,
        "other_suffixes": entry.other_suffixes,
        "reads": True,
        "writes": entry.write is not None,
        "holds": [kind.__name__ for kind in entry.annotation_types],
        "extra": entry.extra or None,
        "options": _options(entry.options),
        "example": _format_example(entry),
    }


def _format_example(entry: Format) -> str:
    """Return a command that writes the format from a file of the examples, or one that reads it."""
    if entry.name in _WRITING:
        return f"caesura convert {_WRITING[entry.name]} --to {entry.name}"
    suffix = next(iter((*entry.suffixes, *entry.other_suffixes)), ".txt")
    return f"caesura info FILE{suffix} --format {entry.name}"


def formats_view(formats: Mapping[str, Format]) -> Answer:
    rows = tuple(
        (name, " ".join(entry.suffixes), "yes" if entry.write else "no", entry.description)
        for name, entry in formats.items()
    )
    notes = ("The content of a file decides if several formats have its suffix, or none.",)
    table = Table(("format", "suffixes", "writes", "description"), rows, notes=notes)
    option_rows = tuple((name, *row) for name, entry in formats.items() for row in _option_rows(entry.options))
    options = Table(("format", "option", "default", "description"), option_rows, group=1)
    return Answer(list_answer("formats", len(rows)), (Section("formats", table), Section("options", options)))


def format_view(entry: Format) -> Answer:
    facts, rows = format_facts(entry), tuple(_option_rows(entry.options))
    notes = ("Set an option with --reading option=value.",)
    sections = [Section("options", Table(("option", "default", "description"), rows, notes=notes))] if rows else []
    others = (f"({suffix})" for suffix in entry.other_suffixes if suffix not in entry.suffixes)
    suffixes = " ".join((*entry.suffixes, *others))
    return Answer(format_answer(entry.name, facts, suffixes), (*sections, _example_section(facts)))


def _option_rows(options: Iterable[Option]) -> list[tuple[Cell, ...]]:
    return [
        (" or ".join((option.name, *option.aliases)), repr(option.default), option.description) for option in options
    ]


def _options(options: Iterable[Option]) -> dict[str, Any]:
    return {option.name: {"default": option.default, "description": option.description} for option in options}
