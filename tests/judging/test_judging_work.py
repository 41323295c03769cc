"""Work of a judgement and a plan: arrays give the numbers of objects, and the work is bounded before it is done."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.agreement.coefficients import CoderSubsets
from caesura.errors import LimitError
from caesura.judging import bounds, drawn_bounds, pair_scores, planning, substitution
from caesura.judging.bounds import Baselines
from caesura.judging.pair_scores import PAIR_BYTES, Pairing, score_pairs
from caesura.judging.participants import collect_participants
from caesura.measures.many import score_crossed, score_many
from caesura.measures.registry import default_measures, parse
from caesura.model.marks import Marks
from caesura.simulation import pseudo_coders
from caesura.statistics import bootstrap, bootstrap_many, paired
from oracle.random_texts import draw_texts

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")

MEASURES = default_measures("judge", "linear")


@pytest.fixture(scope="module")
def corpus() -> cz.Corpus:
    lengths = [3, 60, 17, 1, 40, 25, 9, 2]
    return pseudo_coders(lengths, [1, 2, 4, 9], coders=4, near=0.2, miss=0.3, seed=5)


def participants_of(corpus: cz.Corpus):
    first, *others = corpus.coders
    return collect_participants(corpus.select(coders=others), {first: corpus.of_coder(first)})


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("masses", [[1], [2, 2], [1, 1, 50], [3, 4, 9, 9, 30]])
def test_arrays_have_the_boundaries_of_objects(masses, size):
    """Rounds of draws, blocks of draws and texts shorter than a segment do not change the sequence of random numbers."""
    texts = {"a": masses, "b": [1], "c": [sum(masses), 7, 1]}
    corpus = cz.Corpus({item: {"ann": cz.Segmentation.from_masses(text)} for item, text in texts.items()})
    baselines = Baselines(collect_participants(corpus, {"bot": corpus.of_coder("ann")}))
    assert_same_texts(baselines, size)


def assert_same_texts(baselines: Baselines, size: int) -> None:
    """Compare 40 draws, ``size`` at a time, with those of the methods that draw one text after the other."""
    for bound in ("random", "placement"):
        rng = np.random.default_rng(3)
        expected = [draw_texts(baselines, rng, bound) for _ in range(40)]
        draw = baselines.draws(np.random.default_rng(3), placement=bound == "placement")
        actual: list[object] = []
        for start in range(0, 40, size):
            actual += draw(min(size, 40 - start))[1]().values()
        assert actual == expected


MARKS = {
    "types": ["", "", "a", "b"],
    "one type": ["", "", "a"],
    "several types": ["", "", "a", "b", "ab", "abc"],
    "no boundaries": [""],
}


def marked(kinds: list[str], units: int, rng: np.random.Generator) -> cz.Segmentation:
    """Return a text with random marks of these kinds after all units, the last too; "ab" stands for two types."""
    entries = [(place, "cba".index(name)) for place in range(1, units + 1) for name in rng.choice(kinds)]
    positions, codes = np.array(sorted(entries), np.int64).reshape(-1, 2).T.copy()
    return cz.Segmentation.from_valid_entries(units, positions, codes, ("c", "b", "a"))


@pytest.fixture(params=[(name, dialogue) for name in MARKS for dialogue in (False, True)], ids=str)
def typed_corpus(request) -> cz.Corpus:
    kinds, rng = MARKS[request.param[0]], np.random.default_rng(8)
    lengths = {f"x{k}": units for k, units in enumerate((1, 2, 9, 30, 14, 3))}

    def annotation(units: int) -> object:
        if not request.param[1]:
            return marked(kinds, units, rng)
        return cz.Dialogue({"S": marked(kinds, units, rng), "A": marked(kinds, 2 * units, rng)})

    return cz.Corpus({item: {coder: annotation(units) for coder in "abc"} for item, units in lengths.items()})


@pytest.mark.parametrize("size", [1, 3, 40])
def test_arrays_have_the_types_of_objects(typed_corpus, size):
    assert_same_texts(Baselines(participants_of(typed_corpus)), size)


@pytest.mark.parametrize(
    "measures", [["flexible_similarity", "S_f^B", "boundary_similarity"], ["WD", "boundary_confusion", "fuzzy_success"]]
)
def test_typed_bounds_equal_those_from_objects(typed_corpus, measures, monkeypatch):
    """Measures that are scored from arrays have the same scores and reasons as those of objects."""
    results = []
    for _ in range(2):
        try:
            results.append(cz.judge(typed_corpus, ["a"], measures=measures, seed=2, bounds=12).to_dict())
        except cz.CaesuraError as error:
            results.append(str(error))
        monkeypatch.setattr(bounds.DrawnTexts, "pairs_with", lambda *_: None)
    assert results[0] == results[1]


def test_streams_in_different_order_are_compared_by_name():
    """Arrays of a dialogue depend on the order of its streams, so they are not shared if coders have different orders."""
    a, b = cz.Segmentation.from_masses([1, 2, 4]), cz.Segmentation.from_masses([3, 2])
    coders = {"ann": cz.Dialogue({"F": a, "G": b}), "bo": cz.Dialogue({"G": b, "F": a})}
    judgement = cz.judge(cz.Corpus({"x": coders}), {"bot": {"x": cz.Dialogue({"G": b, "F": a})}}, bounds=5)
    assert judgement.row("bot", "flexible_similarity").value == 1
    assert judgement.row("human", "flexible_similarity").value == 1


@pytest.mark.parametrize(
    ("module", "name", "sizes"),
    [
        (drawn_bounds, "BLOCK_SEGMENTS", (1, 10_000)),
        (pair_scores, "BLOCK_BOUNDARIES", (1, 50)),  # in some blocks no pair has a cluster
        (paired, "_CELLS", (1, 100)),
    ],
)
def test_numbers_do_not_depend_on_the_size_of_blocks(corpus, monkeypatch, module, name, sizes):
    for interval, measures in (("items", [*MEASURES, "fuzzy_success"]), ("pairs", "B")):
        judge = partial(cz.judge, corpus, corpus.coders[:2], measures=measures, interval=interval, seed=2, bounds=30)
        expected = judge().to_dict()
        for size in sizes:
            monkeypatch.setattr(module, name, size)
            assert judge().to_dict() == expected
        monkeypatch.undo()


def test_fuzzy_success_of_random_texts_needs_no_objects(corpus, monkeypatch):
    monkeypatch.setattr(Baselines, "annotations_of", lambda *_: pytest.fail("objects were made"))
    judgement = cz.judge(corpus, corpus.coders[:1], measures=["fuzzy_success", "B"], bounds=3)
    assert judgement.row("random", "fuzzy_success").interval_note == "0.95 percentiles of 3 draws"


def test_drawn_bounds_equal_those_from_objects(corpus, monkeypatch):
    by_arrays = cz.judge(corpus, [corpus.coders[0]], seed=2, bounds=30).to_dict()
    monkeypatch.setattr(bounds.DrawnTexts, "pairs_with", lambda *_: None)
    assert cz.judge(corpus, [corpus.coders[0]], seed=2, bounds=30).to_dict() == by_arrays


@pytest.mark.parametrize(
    "measure", [*map(repr, MEASURES), "pk", "boundary_f", "boundary_similarity(references='best')"]
)
def test_crossed_pairs_have_the_scores_of_pairs(corpus, measure):
    """The arrays of an annotation are packed once and used in every pair; a measure that needs pairs gets them."""
    pairing = Pairing(participants_of(corpus), participants_of(corpus).systems, human=True)
    table, scores = pairing.table(parse(measure)), pairing.score(parse(measure)).scores
    expected = score_many(table.pairs, measure)
    assert scores.counts.tolist() == expected.counts.tolist()
    assert {row: str(error) for row, error in scores.errors.items()} == {
        row: str(error) for row, error in expected.errors.items()
    }


def test_pairs_are_those_of_the_definition():
    """Every segmenter against every coder of the item, then every coder against the others; items with other coders too."""
    text = cz.Segmentation.from_masses([1, 2])
    corpus = cz.Corpus({"x": {"a": text, "b": text, "c": text}, "y": {"c": text, "a": text}, "z": {"b": text}})
    participants = collect_participants(corpus, {"bot": {"x": text, "z": text}})
    scores = score_pairs(participants, parse("pk"), participants.systems, human=True)
    rows = zip(scores.segmenter_of, scores.item_of, scores.reference_of, scores.author_of, strict=True)
    names = (*scores.coders, None)
    listed = [
        (scores.segmenters[s].strip("\0"), scores.items[i], names[reference], names[author])
        for s, i, reference, author in rows
    ]
    assert listed == [
        *[("bot", "x", coder, None) for coder in "abc"],
        *[("human", "x", reference, author) for author in "abc" for reference in "abc" if reference != author],
        *[("human", "y", "c", "a"), ("human", "y", "a", "c"), ("bot", "z", "b", None)],
    ]


def test_marks_of_all_coders_but_one(corpus):
    texts = [text for item in corpus.item_names for text in [list(corpus.of_item(item).values())]]
    for group in texts:
        total, *others = Marks.of_groups(group, leave_one_out=True)
        assert total == Marks.of(group)
        assert others == [Marks.of(group[:i] + group[i + 1 :]) for i in range(len(group))]


def test_shared_samples_give_the_same_intervals():
    rng = np.random.default_rng(4)
    tables = [rng.integers(0, 9, (31, 3)).astype(float), rng.random((31, 2)), rng.integers(0, 2**60, (31, 2)) * 1.0]
    tables.append(tables[0][:, ::-1].copy())

    def share(sums):
        return sums[:, 0] / (sums.sum(axis=1) + 1)

    together = bootstrap_many([(table, share) for table in tables], replicates=300, seed=6)
    assert together == [bootstrap(table, share, replicates=300, seed=6) for table in tables]


def test_the_value_of_agreement_needs_no_tables(corpus):
    for name, coefficient in (
        ("boundary_similarity(n_t=2)", "multi_pi"),
        ("segmentation_similarity", "bias"),
        ("pk", "mean"),
    ):
        subsets = CoderSubsets(corpus, parse(name), coefficient, seed=1)
        result = cz.agreement(corpus, name, coefficient=coefficient, interval=None, seed=1)
        assert (subsets.value(corpus.coders), subsets.excluded) == (result.value, result.excluded)


def test_replacement_is_not_scored_if_coders_share_too_few_items(corpus, monkeypatch):
    """The reason is the same if the coders have been compared for the human bound."""
    system, *people = corpus.coders
    once = cz.Corpus(
        {item: {c: corpus[item, c] for c in (system, *people[k:])} for k, item in enumerate(corpus.item_names[1:3])}
    )
    for few, coder in ((corpus.select(items=corpus.item_names[1:2]), people[0]), (once, people[0])):
        with_scores = cz.judge(few, [system]).replacements
        monkeypatch.setattr(substitution, "score_pairs", None)
        judgement = cz.judge(few, [system], bounds=False)
        monkeypatch.undo()
        (replacement,) = judgement.replacements
        reason = f"coder {coder!r} must share at least 2 items with the system and another coder; got 1"
        assert (replacement.test, replacement.reason) == (None, reason)
        assert judgement.replacements == with_scores


def test_pairs_of_some_coders_are_not_scored_again(corpus):
    chosen = corpus.coders[1:]
    measure = parse("boundary_similarity(n_t=2)")
    restricted = score_coder_pairs(corpus, measure).restricted(chosen)
    again = score_coder_pairs(corpus.select(coders=chosen), measure)
    assert restricted is not None
    for name in ("coders", "items", "pairs"):
        assert getattr(restricted, name) == getattr(again, name)
    for name in ("item_index", "pair_index", "pair_parts"):
        assert getattr(restricted, name).tolist() == getattr(again, name).tolist()
    assert restricted.scores.values.tolist() == again.scores.values.tolist()
    assert dict(restricted.annotations) == dict(again.annotations)


def test_crossed_scores_of_texts_that_cannot_be_compared():
    texts = [cz.Segmentation.from_masses(masses) for masses in ([2, 3], [5], [4])]
    scores = score_crossed(parse("boundary_similarity"), texts, np.array([0, 0]), np.array([1, 2]))
    assert list(scores.errors) == [1]


def test_random_words_that_are_drawn_in_pieces(typed_corpus, monkeypatch):
    """Neither the number of words at once nor a low estimate of their number changes the texts."""
    monkeypatch.setattr(bounds, "MAX_WORDS", 1)
    monkeypatch.setattr(bounds.TextSource, "_words_for", lambda *_: 1)
    monkeypatch.setattr(bounds.TextSource, "_boundaries_of", lambda *_: 0)
    assert_same_texts(Baselines(participants_of(typed_corpus)), 7)


def test_words_for_many_rounds_of_long_texts_stay_few(monkeypatch):
    """A text may need more words than are drawn at once; their number grows only if the estimate was too low."""
    text = cz.Segmentation.from_masses([500, 500])
    corpus = cz.Corpus({f"x{k}": {"ann": text} for k in range(40)})
    monkeypatch.setattr(bounds, "MAX_WORDS", 100)
    source = bounds.TextSource(
        Baselines(collect_participants(corpus, {"bot": corpus.of_coder("ann")})),
        np.random.default_rng(1),
        placement=True,
    )
    source.draw(10)
    assert len(source._words) < 2000


def test_comparing_very_many_coders_needs_memory(corpus, monkeypatch):
    """Each of the three other coders is compared with the other two; fuzzy success compares nobody with a single coder."""
    pairs = sum(len(of_item) * (len(of_item) - 1) for of_item in participants_of(corpus).coders.values())
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 2 * PAIR_BYTES * pairs)
    assert cz.judge(corpus, [corpus.coders[0]], measures="B").rows
    monkeypatch.setattr("caesura.memory.memory_size", lambda: 2 * PAIR_BYTES * pairs - 1)
    judge = partial(cz.judge, corpus, [corpus.coders[0]], measures=["fuzzy_success", "pk"])
    with pytest.raises(LimitError, match=r"every coder with every other: .* of memory, .*; choose fewer coders"):
        judge()
    replacement = judge(bounds=False).replacements[0]
    assert (replacement.test, "every coder with every other" in replacement.reason) == (None, True)
    assert cz.judge(corpus, [corpus.coders[0]], measures="fuzzy_success").row("human", "fuzzy_success").bound


@pytest.mark.parametrize("coders", [3, 12])
def test_a_plan_resamples_at_most_eight_numbers_of_coders(coders, monkeypatch):
    numbers = []
    subsets_of = planning._subsets
    monkeypatch.setattr(planning, "_subsets", lambda *args: numbers.append(args[1]) or subsets_of(*args)[:1])
    pilot = pseudo_coders([12] * 8, [2, 4], coders=coders, near=0.1, miss=0.2, seed=1)
    plan = planning.plan_study(pilot, items=[10])
    assert numbers == {3: [2, 3], 12: [2, 3, 4, 6, 7, 9, 12]}[coders]
    assert [row.coders for row in plan.widths] == [*range(2, coders + 3)]


def test_a_plan_simulates_systems_on_at_most_a_thousand_items(monkeypatch):
    calls = []
    simulate = planning.simulate_system
    monkeypatch.setattr(planning, "_STUDIES", 2)
    monkeypatch.setattr(planning, "simulate_system", lambda *arguments: calls.append(1) or simulate(*arguments))
    planning.plan_study(pseudo_coders([12] * 1300, [2, 4], coders=2, near=0.1, miss=0.2, seed=1), items=[10])
    assert len(calls) == 4 * 1000
