"""``caesura plot``: figures of files, as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from caesura.agreement.families import COEFFICIENTS
from caesura.cli.legacy import (
    Input,
    MeasureType,
    chosen_measures,
    complain,
    enter,
    holds_hierarchies,
    holds_trees,
    input_options,
    over_common_units,
    read_with_systems,
    same_units,
    show,
)
from caesura.cli.program import main
from caesura.errors import CaesuraError, FormatError, MismatchError, OptionError
from caesura.gold.unify import METHODS
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree

if TYPE_CHECKING:
    from caesura.formats.settings import Settings
    from caesura.judging.result import Judgement
    from caesura.tasks.pairing import PairedItems
    from caesura.views.figures.kinds import Kind

__all__ = ["plot"]


@main.command()
@click.argument("kind", metavar="KIND", required=False)
@click.argument("files", metavar="CORPUS...", nargs=-1, type=click.Path())
@click.option("-o", "--output", "target", type=click.Path(), help=".svg, .pdf or .png; by default KIND.svg.")
@click.option("--list", "listed", is_flag=True, help="List the kinds, what each needs and which options it takes.")
@click.option(
    "-m",
    "--measure",
    "chosen",
    multiple=True,
    type=MeasureType(),
    help="A measure, with options. For systems it may be repeated; by default what the command with the table takes.",
)
@click.option(
    "-c", "--coefficient", type=click.Choice(COEFFICIENTS), help="Inside clusters; by default multi_pi, over S_f kappa."
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="A coder in CORPUS that is a program, or a file with the output of one. May be repeated.",
)
@click.option("--item", "items", multiple=True, help="Only this item; of trees, the number of the sentence.")
@click.option("--method", type=click.Choice(METHODS), help="Of gold; by default conflict_free_union.")
@click.option("--gold-times", type=click.Path(), help="Times of the words of the (gold) trees: CTM or TextGrid.")
@click.option("--predicted-times", type=click.Path(), help="Times of the words of the predicted trees.")
@click.option("--reference-coder", help="Of operations: which coder of the first file, where there are several.")
@click.option("--hypothesis-coder", help="Of operations: which coder of the second, or of the same file.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Where something is drawn at random.")
@click.option("--width", type=click.FloatRange(1, 40), help="Inches; by default a column of a paper.")
@click.option("--title", help="None by default: papers have captions.")
@input_options
def plot(
    kind: str | None,
    files: tuple[str, ...],
    target: str | None,
    listed: bool,
    chosen: tuple[Measure, ...],
    coefficient: str | None,
    systems: tuple[str, ...],
    items: tuple[str, ...],
    method: str | None,
    gold_times: str | None,
    predicted_times: str | None,
    reference_coder: str | None,
    hypothesis_coder: str | None,
    seed: int | None,
    width: float | None,
    title: str | None,
    asked: Input,
) -> None:
    """Make a figure of the files, and write it as the suffix says.

    `caesura plot --list` says which kinds there are and what each needs. What cannot be used is named, the figure is made of
    the rest, and the exit code is 1.
    """
    from caesura.views.figures.canvas import format_of, save
    from caesura.views.figures.kinds import KINDS

    if listed:
        _list()
        return
    if kind not in KINDS:
        said = "a kind is needed" if kind is None else f"no kind {kind!r}"
        raise click.UsageError(f"{said}; there are {', '.join(KINDS)}")
    given: dict[str, Any] = {
        "measure": chosen,
        "coefficient": coefficient,
        "system": systems,
        "item": items,
        "method": method,
        "gold-times": gold_times,
        "predicted-times": predicted_times,
        "seed": seed,
        "reference-coder": reference_coder,
        "hypothesis-coder": hypothesis_coder,
    }
    _check_usage(KINDS[kind], files, given)
    ask = _Asked(files, given, asked)
    path = target or f"{kind}.svg"
    format_of(path)
    looks: dict[str, Any] = {"title": title} | ({} if width is None else {"width": width})
    try:
        save(KINDS[kind].draw(*_MAKERS[kind](ask), **looks), path)
    except CaesuraError as problem:
        complain([*ask.bad, str(problem)])
    click.echo(path, err=True)
    if ask.bad:
        complain(ask.bad)


def _list() -> None:
    from caesura.views.figures.kinds import KINDS
    from caesura.views.table import Table

    rows = [(kind.name, kind.description, kind.needs, _options(kind)) for kind in KINDS.values()]
    show(Table(("kind", "what it shows", "needs", "options"), tuple(rows)), None)


def _options(kind: Kind) -> str:
    return " ".join(f"--{one}" for one in kind.takes)


def _check_usage(kind: Kind, files: tuple[str, ...], given: dict[str, Any]) -> None:
    """What was asked for must go together, whatever the files hold."""
    if not files:
        raise click.UsageError(f"{kind.name} needs {kind.needs}")
    if kind.files is not None and len(files) > kind.files:
        raise click.UsageError(f"{kind.name} needs {kind.needs}; got {len(files)} files")
    for option, value in given.items():
        if value not in (None, ()) and option not in kind.takes:
            raise click.UsageError(f"{kind.name} does not take --{option}; it takes {_options(kind)}")
    if len(given["measure"]) > 1 and kind.name != "systems":
        raise click.UsageError(f"{kind.name} shows one measure; got {len(given['measure'])}")


@dataclass
class _Asked:
    """What the command line says, and how files are read by it."""

    files: tuple[str, ...]
    given: dict[str, Any]
    reading: Input
    excluded: list[FormatError] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def bad(self) -> list[str]:
        """What could not be used."""
        return [*map(str, self.excluded), *self.lost]

    @property
    def settings(self) -> Settings | None:
        """The settings file, if one was given."""
        return self.reading.settings

    def corpus(self) -> Corpus:
        """One file with all coders, or a file for each; the items that were asked for."""
        return self._chosen(self.reading.read_files(self.files, self.excluded))

    def paired(self) -> PairedItems:
        """Two files, or one with two coders."""
        from caesura.tasks.pairing import pair_items

        first, *other = map(self._chosen, self.reading.read_together(self.files, self.excluded))
        coders = self.given["reference-coder"], self.given["hypothesis-coder"]
        if not other and len(first.coders) == 2 and coders == (None, None):
            coders = first.coders[0], first.coders[1]
        found = pair_items(first, *(other or [first]), reference_coder=coders[0], hypothesis_coder=coders[1])
        self.lost += map(str, found.excluded)
        return found

    def trees(self) -> list[list[Tree | None]]:
        """One file, or gold and predicted."""
        from caesura.formats.ptb import read_trees

        times = (self.given["gold-times"], self.given["predicted-times"])
        return [
            read_trees(path, times=one, excluded=self.excluded) for path, one in zip(self.files, times, strict=False)
        ]

    def two_sides(self) -> tuple[list[Tree | None], list[Tree | None]]:
        """Gold and predicted trees, which must be two files."""
        sides = self.trees()
        if len(sides) != 2:
            raise click.UsageError("two files of trees are needed, gold and predicted; got one")
        if len(sides[0]) != len(sides[1]):
            raise MismatchError(
                f"both files must have the same sentences; {self.files[0]} has {len(sides[0])}, "
                f"{self.files[1]} {len(sides[1])}"
            )
        return sides[0], sides[1]

    def measure(self, corpus: Corpus, default: str | None = None) -> Measure:
        """The one that was asked for, or the first that suits the corpus."""
        if default is not None and not self.given["measure"]:
            return parse(default)
        return chosen_measures(self.given["measure"], self.settings, corpus)[0]

    def one_item(self, corpus: Corpus) -> str:
        """The item that was asked for, or the only one."""
        if len(corpus.item_names) != 1:
            there = ", ".join(map(repr, corpus.item_names[:10])) + (", …" if len(corpus.item_names) > 10 else "")
            raise OptionError(f"the figure shows one item; name it with --item, one of {there}")
        return corpus.item_names[0]

    def people_and_systems(self) -> tuple[Corpus, Any]:
        """The corpus without the systems, and the systems."""
        corpus, theirs = read_with_systems(self.reading, self.files, self.given["system"], self.excluded)
        return enter(self._flat(self._chosen(corpus)), self.given["system"], theirs)

    def boundaries(self) -> Corpus:
        """A corpus of segmentations; hierarchies flattened, levels as types."""
        return self._flat(self.corpus())

    def _flat(self, corpus: Corpus) -> Corpus:
        return over_common_units(corpus)[1] if holds_hierarchies(corpus) else corpus

    def _chosen(self, corpus: Corpus) -> Corpus:
        if not len(corpus):
            complain([*self.bad, "nothing is left to show"])
        if holds_trees(corpus):
            raise OptionError("this figure is of segmentations or hierarchies, and the files hold trees")
        return corpus.select(items=self.given["item"] or None)


# -- from files to what is drawn ------------------------------------------------------------------------------------


def _pairwise(ask: _Asked) -> tuple[Any, ...]:
    from caesura.agreement.pairwise import pairwise

    corpus = ask.corpus()
    if holds_hierarchies(corpus):
        corpus = over_common_units(corpus)[0]
    measure = ask.measure(corpus)
    found = pairwise(corpus, measure, ordered=not measure.symmetric)
    ask.lost += [
        f"item {item!r} left out: {why}" for item, why in ((entry.item, entry.reason) for entry in found.excluded)
    ]
    return (found,)


def _heat(ask: _Asked) -> tuple[Any, ...]:
    from caesura.agreement.placed import boundary_heat

    return (boundary_heat(ask.boundaries()),)


def _placed(ask: _Asked) -> tuple[Any, ...]:
    from caesura.agreement.placed import boundaries_placed

    return (boundaries_placed(ask.boundaries()),)


def _dendrogram(ask: _Asked) -> tuple[Any, ...]:
    from caesura.agreement.clusters import cluster_coders

    corpus = ask.corpus()
    if holds_hierarchies(corpus):
        corpus = over_common_units(corpus)[0]
    given = ask.given
    found = cluster_coders(corpus, ask.measure(corpus), coefficient=given["coefficient"], seed=given["seed"] or 0)
    ask.lost += [
        f"item {item!r} left out: {why}" for item, why in ((entry.item, entry.reason) for entry in found.excluded)
    ]
    return (found,)


def _judged(ask: _Asked, measures: tuple[Measure, ...] | None) -> Judgement:
    from caesura.judging.judge import judge

    if not ask.given["system"]:
        raise click.UsageError("--system is needed: a coder of the corpus that is a program, or a file")
    people, entered = ask.people_and_systems()
    found = judge(people, entered, measures=measures, seed=ask.given["seed"])
    ask.lost += map(str, found.excluded)
    return found


def _systems(ask: _Asked) -> tuple[Any, ...]:
    if ask.settings is None:
        return (_judged(ask, ask.given["measure"] or None),)
    return (_judged(ask, chosen_measures(ask.given["measure"], ask.settings, ask.corpus())),)


def _precision_recall(ask: _Asked) -> tuple[Any, ...]:
    from caesura.agreement.pairwise import pairwise

    if ask.given["system"]:
        measure = ask.measure(Corpus({}), "boundary_confusion(n_t=2)")
        return _judged(ask, (measure,)), measure
    corpus = ask.boundaries()
    return (pairwise(corpus, ask.measure(corpus, "boundary_confusion(n_t=2)"), ordered=True),)


def _operations(ask: _Asked) -> tuple[Any, ...]:
    from caesura.measures.many import score_many
    from caesura.measures.operations import operations_table

    paired = ask.paired()
    if not paired.pairs:
        complain([*ask.bad, "the two sides have no item in common"])
    measure = ask.measure(
        Corpus({item: {"": a} for item, (a, _) in zip(paired.items, paired.pairs, strict=True)}),
        None if ask.settings else "flexible_similarity",
    )
    scores = score_many(paired.pairs, measure)
    ask.lost += [f"item {paired.items[i]!r}: {why}" for i, why in scores.errors.items()]
    return (operations_table(scores),)


def _clusters(ask: _Asked) -> tuple[Any, ...]:
    if len(ask.given["system"]) != 1:
        raise click.UsageError("clusters shows one program; name it with --system")
    people, systems = ask.people_and_systems()
    (theirs,) = systems.values()
    item = ask.one_item(people)
    if item not in theirs:
        raise OptionError(f"system {ask.given['system'][0]!r} lacks item {item!r}")
    every = people.of_item(item)
    coders = [one for one in (*every.values(), theirs[item]) if isinstance(one, Segmentation)]
    if len(coders) <= len(every):
        raise OptionError(f"item {item!r}: fuzzy success is of segmentations, and this is a dialogue")
    measure = ask.measure(people, "fuzzy_success")
    if measure.name != "fuzzy_success":
        raise OptionError(f"clusters are those of fuzzy_success; got {measure!r}")
    return (measure.score(Marks.of(coders[:-1]), coders[-1]),)


def _gold(ask: _Asked) -> tuple[Any, ...]:
    from caesura.gold.unify import unify

    corpus = ask.corpus()
    item = ask.one_item(corpus)
    drawn = {coder: one for coder, one in corpus.of_item(item).items() if isinstance(one, Hierarchy)}
    if len(drawn) != len(corpus.of_item(item)):
        raise OptionError(f"item {item!r}: gold needs spans; `caesura convert IN OUT.json --to spans-json` makes them")
    laid, _ = same_units(drawn)
    return unify(laid, method=ask.given["method"] or "conflict_free_union"), laid


def _tree_alignment(ask: _Asked) -> tuple[Any, ...]:
    gold, predicted = ask.two_sides()
    wanted = ask.given["item"] or ("1",)
    number = int(wanted[0]) if wanted[0].isdecimal() and len(wanted[0]) < 10 else 0
    if len(wanted) > 1 or not 1 <= number <= len(gold):
        raise click.UsageError(f"--item must be the number of one sentence, from 1 to {len(gold)}; got {wanted[-1]!r}")
    one, other = gold[number - 1], predicted[number - 1]
    if one is None or other is None:
        raise OptionError(f"sentence {number} has no tree in {ask.files[0 if one is None else 1]}")
    measure = (ask.given["measure"] or (parse("struct_iou"),))[0]
    return one, other, measure.score(one, other)


def _perturbation(ask: _Asked) -> tuple[Any, ...]:
    from caesura.simulation.trees import perturbation_curve

    trees = [one for one in ask.trees()[0] if one is not None]
    given = ask.given
    return (perturbation_curve(trees, seed=given["seed"], measure=(given["measure"] or ("struct_iou",))[0]),)


def _by_length(ask: _Asked) -> tuple[Any, ...]:
    from caesura.parsing.structiou import struct_iou_corpus
    from caesura.simulation.trees import by_length

    found = struct_iou_corpus(*ask.two_sides())
    ask.lost += _sentences(found.errors)
    return (by_length(found),)


def _correlation(ask: _Asked) -> tuple[Any, ...]:
    from caesura.simulation.trees import correlation

    found = correlation(*ask.two_sides(), seed=ask.given["seed"])
    ask.lost += _sentences(found.errors)
    return (found,)


def _sentences(errors: dict[int, CaesuraError]) -> list[str]:
    return [f"sentence {place + 1}: {problem}" for place, problem in sorted(errors.items())]


_MAKERS: dict[str, Callable[[_Asked], tuple[Any, ...]]] = {
    "pairwise": _pairwise,
    "boundary_heat": _heat,
    "dendrogram": _dendrogram,
    "boundaries_per_coder": _placed,
    "precision_recall": _precision_recall,
    "systems": _systems,
    "operations": _operations,
    "clusters": _clusters,
    "gold": _gold,
    "tree_alignment": _tree_alignment,
    "perturbation": _perturbation,
    "by_length": _by_length,
    "correlation": _correlation,
}
