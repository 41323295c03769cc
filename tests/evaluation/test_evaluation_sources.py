"""Every source of documents and every way of partitioning gives the same scores as all documents at once."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.engines import open_engine
from caesura.errors import AmbiguousFileError, CaesuraWarning, FormatError, InputError, OptionError
from caesura.evaluation import sources
from caesura.evaluation.run import EvaluationRun
from caesura.evaluation.sources import SourceOptions, open_source
from caesura.formats import documents_json

MEASURES = ("pk", "boundary_similarity(n_t=2)", "window_diff", "crisp(tolerance=1)")
NUMBER = 7


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions of a few documents."""
    monkeypatch.setattr(sources, "PAIRS_PER_PARTITION", 3)
    monkeypatch.setattr(sources, "_GROUPS_PER_PARTITION", 2)
    monkeypatch.setattr(documents_json, "_PART_BYTES", 200)


def random_pairs(number: int = NUMBER, seed: int = 1) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    rng = random.Random(seed)
    pairs = []
    for _ in range(number):
        length = rng.randint(2, 12)
        bits = ["".join(rng.choice("001") for _ in range(length - 1)) for _ in range(2)]
        pairs.append((cz.Segmentation.from_bits(bits[0]), cz.Segmentation.from_bits(bits[1])))
    return pairs


def corpus_of(pairs: list[tuple[Any, Any]], reference: str = "ann", hypothesis: str = "bo") -> cz.Corpus:
    return cz.Corpus({f"t{i}": {reference: a, hypothesis: b} for i, (a, b) in enumerate(pairs)})


def same(actual: cz.Score, expected: cz.Score) -> None:
    """To the last bit."""
    bare = replace(actual, data=None)  # an evaluation knows the fingerprint of its data
    assert (bare.value, bare.parts, bare.signature) == (expected.value, expected.parts, expected.signature)


def agrees(
    source: Any, corpus: cz.Corpus, *, partitions: int, coders: tuple[str, str] = ("ann", "bo"), **reading: Any
) -> None:
    pairs = [(corpus[item, coders[0]], corpus[item, coders[1]]) for item in corpus.item_names]
    if coders != ("reference", "hypothesis"):
        reading |= {"reference": coders[0], "hypothesis": coders[1]}
    with open_engine("threads", 2) as engine:
        result = cz.evaluate(source, MEASURES, engine=engine, **reading)
    assert (result.documents, result.partitions, result.excluded) == (len(pairs), partitions, ())
    for measure in MEASURES:
        same(result[measure], cz.score_many(pairs, measure).total)


def grid(ends: list[float], name: str = "iu") -> str:
    """Write a TextGrid with one tier whose intervals end at these times."""
    rows = [f'{start}\n{end}\n"x"' for start, end in zip([0.0, *ends], ends, strict=False)]
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", str(ends[-1]), "<exists>", "1"]
    return "\n".join([*head, '"IntervalTier"', f'"{name}"', "0", str(ends[-1]), str(len(rows)), *rows, ""])


def table(columns: dict[str, cz.Segmentation]) -> str:
    bits = {name: [*segmentation.bits(), ""] for name, segmentation in columns.items()}
    length = len(next(iter(bits.values())))
    rows = [[str(i + 1), *(cells[i] for cells in bits.values())] for i in range(length)]
    return "\n".join(",".join(row) for row in [["unit", *bits], *rows]) + "\n"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("pattern", [None, "{coder}/{item}.TextGrid", "{coder}/*.TextGrid"])
def test_a_folder_of_grids(pattern: str | None, tmp_path: Path) -> None:
    for i, pair in enumerate(random_pairs()):
        for coder, side in zip(("ann", "bo"), pair, strict=True):
            put(tmp_path / coder / f"t{i}.TextGrid", grid([*(p / 2 for p in side.inner.tolist()), side.length / 2]))
    reading = {"pattern": pattern, "units": 0.5, "labels": "ignore"}
    agrees(tmp_path, cz.read(tmp_path, **reading), partitions=4, **reading)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("{coder}/{item}.csv", None),
        ("{coder}/{item}.csv", "{coder}/{item}.csv"),
        ("{item}_{coder}.csv", "{item}_{coder}.csv"),
    ],
)
def test_one_file_per_coder(name: str, pattern: str | None, tmp_path: Path) -> None:
    for i, pair in enumerate(random_pairs()):
        for coder, side in zip(("ann", "bo"), pair, strict=True):
            put(tmp_path / name.format(coder=coder, item=f"t{i}"), table({coder: side}))
    corpus = cz.read(tmp_path, pattern=pattern)
    assert (sorted(corpus.item_names), sorted(corpus.coders)) == ([f"t{i}" for i in range(NUMBER)], ["ann", "bo"])
    agrees(tmp_path, corpus, partitions=4, pattern=pattern)


def test_files_with_both_coders(tmp_path: Path) -> None:
    for i, (reference, hypothesis) in enumerate(random_pairs()):
        put(tmp_path / f"t{i}.csv", table({"ann": reference, "bo": hypothesis, "cy": reference}))
    corpus = cz.read(tmp_path)
    agrees(tmp_path, corpus, partitions=4)
    agrees(f"{tmp_path}/t*.csv", corpus, partitions=4)
    agrees(f"{tmp_path}/t[0-3].csv", cz.read(f"{tmp_path}/t[0-3].csv"), partitions=2)
    agrees(tmp_path, corpus, partitions=4, coders=("cy", "bo"))


def test_one_file(tmp_path: Path) -> None:
    corpus = corpus_of(random_pairs())
    cz.write(corpus, tmp_path / "all.json")
    agrees(tmp_path / "all.json", corpus, partitions=1)
    agrees(str(tmp_path), corpus, partitions=1)


def test_files_of_several_formats(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
    corpus = corpus_of(random_pairs(), "reference", "hypothesis")
    cz.write(corpus.select(items=["t0", "t1"]), tmp_path / "a.json")
    cz.write(corpus.select(items=["t2", "t3"]), tmp_path / "b.parquet", "documents-parquet")
    cz.write(corpus.select(items=["t4"]), tmp_path / "c.jsonl")
    cz.write(corpus.select(items=["t5", "t6"]), tmp_path / "d.parquet")
    agrees(tmp_path, corpus, partitions=2, coders=("reference", "hypothesis"))
    (tmp_path / "c.jsonl").unlink()
    (tmp_path / "a.json").unlink()
    result = cz.evaluate(tmp_path, "pk")  # the first file says what they are
    assert (result.documents, result.excluded_partitions) == (2, 1)
    assert result.excluded[0].reason == "expected one row per document; this is a table of units"


def test_the_same_names_in_several_files_are_different_documents(tmp_path: Path) -> None:
    """This does not depend on the partitions."""
    pairs = random_pairs(6)
    for i, (reference, hypothesis) in enumerate(pairs):
        cz.write(cz.Corpus({"1": {"ann": reference, "bo": hypothesis}}), tmp_path / f"f{i}.json")
    result = cz.evaluate(tmp_path, "pk", reference="ann", hypothesis="bo")
    assert result.documents == 6
    same(result["pk"], cz.score_many(pairs, "pk").total)


@pytest.fixture
def parquet(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install caesura[parquet]")
    from caesura.formats import documents_parquet

    monkeypatch.setattr(documents_parquet, "BATCH_SIZE", 2)
    monkeypatch.setattr(documents_parquet, "_MIN_SPLIT_BYTES", 0)
    monkeypatch.setattr(documents_parquet, "_ROWS_PER_TASK", 3)
    return documents_parquet


def test_data_sets(parquet: Any, tmp_path: Path) -> None:
    corpus = corpus_of(random_pairs(9), "reference", "hypothesis")
    sides = ("reference", "hypothesis")
    single = tmp_path / "one.parquet"
    cz.write(corpus, single, "documents-parquet")  # row groups of two, tasks of four rows: 4, 4, 1
    agrees(single, corpus, partitions=3, coders=sides)
    several = tmp_path / "several"
    (several / "deep").mkdir(parents=True)
    for i, item in enumerate(corpus.item_names):
        cz.write(corpus.select(items=[item]), several / ("deep" if i % 2 else "") / f"{i}.parquet", "documents-parquet")
    agrees(several, corpus, partitions=9, coders=sides)
    agrees(f"{several}/**/*.parquet", corpus, partitions=9, coders=sides)
    cz.write(corpus, tmp_path / "lines.jsonl")
    assert (tmp_path / "lines.jsonl").stat().st_size > 400
    number = open_source(tmp_path / "lines.jsonl", SourceOptions(), None).total
    assert number is not None
    assert number > 2
    agrees(tmp_path / "lines.jsonl", corpus, partitions=number, coders=sides)


SCALE = ("scene", "act", "book")


def typed_pairs(number: int = 8, *, exclusive: bool = False, declared: bool = True) -> list[tuple[Any, Any]]:
    """Types at inner positions and at the end, in an order that is not alphabetical."""
    rng = random.Random(5)
    pairs = []
    for _ in range(number):
        length = rng.randint(1, 9)
        sides = []
        for _ in range(2):
            at = {}
            for position in range(1, length + 1):
                if rng.random() < 0.5:
                    at[position] = rng.sample(SCALE, 1 if exclusive else rng.randint(1, 3))
            types = SCALE if declared else None
            sides.append(cz.Segmentation.from_positions(length, list(at), marks=list(at.values()), types=types))
        pairs.append((sides[0], sides[1]))
    return pairs


TYPED = ("pk", "boundary_similarity(n_t=2)", "boundary_confusion(n_t=2)", "segmentation_similarity(n_t=3)")


def check_types(source: Any, pairs: list[tuple[Any, Any]], measures: tuple[str, ...] = TYPED, **reading: Any) -> None:
    result = cz.evaluate(source, measures, **reading)
    assert (result.documents, result.excluded) == (len(pairs), ())
    assert result.partitions > 1
    for measure in measures:
        same(result[measure], cz.score_many(pairs, measure).total)


def test_declared_types(parquet: Any, tmp_path: Path) -> None:
    pairs = typed_pairs()
    corpus = corpus_of(pairs, "reference", "hypothesis")
    cz.write(corpus, tmp_path / "a.parquet", "documents-parquet")
    check_types(tmp_path / "a.parquet", pairs)  # in the metadata
    cz.write(corpus, tmp_path / "a.jsonl")
    check_types(tmp_path / "a.jsonl", pairs, types=SCALE)
    check_types(corpus, pairs)  # by the segmentations
    check_types(iter(pairs), pairs)
    folder = tmp_path / "tables"
    folder.mkdir()
    for item in corpus.item_names:
        cz.write(corpus.select(items=[item]), folder / f"{item}.csv")
    check_types(folder, pairs)  # by every file
    flexible = typed_pairs(exclusive=True)
    cz.write(corpus_of(flexible, "reference", "hypothesis"), tmp_path / "b.parquet", "documents-parquet")
    check_types(tmp_path / "b.parquet", flexible, ("flexible_similarity", "pk"))
    check_types(corpus_of(flexible), flexible, ("flexible_similarity",), reference="ann", hypothesis="bo")


def test_texts_without_boundaries_fit_any_types() -> None:
    """This includes a partition without any boundary."""
    empty = cz.Segmentation.from_masses([4])
    typed = typed_pairs(4)
    pairs = [(empty, empty)] * 3 + typed
    expected = cz.score_many([(empty.with_types(SCALE),) * 2] * 3 + typed, "segmentation_similarity(n_t=2)").total
    for source, types in ((corpus_of(pairs, "reference", "hypothesis"), None), (iter(pairs), SCALE)):
        result = cz.evaluate(source, "segmentation_similarity(n_t=2)", types=types)
        assert (result.partitions, result.excluded) == (3, ())
        same(result["segmentation_similarity"], expected)


def test_files_that_declare_different_types(parquet: Any, tmp_path: Path) -> None:
    pairs = typed_pairs()
    turned = [tuple(side.with_types(SCALE[::-1]) for side in pair) for pair in pairs]
    cz.write(corpus_of(pairs[:4], "reference", "hypothesis"), tmp_path / "a.parquet", "documents-parquet")
    cz.write(corpus_of(turned[4:], "reference", "hypothesis"), tmp_path / "b.parquet", "documents-parquet")
    result = cz.evaluate(tmp_path, "boundary_similarity(n_t=2)")
    same(result["boundary_similarity"], cz.score_many(pairs[:4], "boundary_similarity(n_t=2)").total)
    (reason,) = {entry.reason for entry in result.excluded}
    assert reason.endswith("this file declares book, act, scene, but others scene, act, book")
    check_types(tmp_path, pairs, types=SCALE)
    check_types(tmp_path, pairs, ("pk",))  # which does not look at types


def test_undeclared_types(parquet: Any, tmp_path: Path) -> None:
    """They are collected from all documents in alphabetical order, which matters from three types on."""
    undeclared_pairs = typed_pairs(declared=False)
    pairs = [tuple(side.with_types(sorted(SCALE)) for side in pair) for pair in undeclared_pairs]
    corpus = corpus_of(undeclared_pairs, "reference", "hypothesis")
    cz.write(corpus, tmp_path / "a.parquet", "documents-parquet")
    cz.write(corpus, tmp_path / "a.jsonl")
    for source in (tmp_path / "a.parquet", tmp_path / "a.jsonl", corpus):
        with pytest.warns(CaesuraWarning, match="was not declared; act < book < scene is assumed"):
            check_types(source, pairs)
        check_types(source, [tuple(side.with_types(SCALE) for side in pair) for pair in undeclared_pairs], types=SCALE)
    check_types(tmp_path / "a.parquet", undeclared_pairs, ("pk",))  # which does not look at types: no warning
    exclusive = typed_pairs(exclusive=True, declared=False)
    cz.write(corpus_of(exclusive, "reference", "hypothesis"), tmp_path / "b.parquet", "documents-parquet")
    check_types(tmp_path / "b.parquet", exclusive, ("flexible_similarity",))
    x, y = (cz.Segmentation.from_marks([mark, ""]) for mark in "xy")
    with pytest.raises(OptionError, match=r"only counts over the same types add up.*Declare types=\[...\]"):
        cz.evaluate(iter([(x, x)] * 3 + [(y, y)] * 3), "boundary_similarity(n_t=2)")


def test_unknown_types_are_named(parquet: Any, tmp_path: Path) -> None:
    pairs = typed_pairs()
    corpus = corpus_of(pairs, "reference", "hypothesis")
    cz.write(corpus, tmp_path / "a.parquet", "documents-parquet")
    names = [{name for side in pair for _, name in side.boundaries} for pair in pairs]
    undeclared = [i for i, types in enumerate(names) if "book" in types]
    assert 0 < len(undeclared) < len(pairs)
    for measure in ("pk", "boundary_similarity(n_t=2)", "flexible_similarity"):
        result = cz.evaluate(tmp_path / "a.parquet", measure, types=["act", "scene"])
        known = {entry.item for entry in result.excluded if entry.measure is None}
        assert known == {f"t{i}" for i in undeclared}
        reasons = [entry.reason for entry in result.excluded if not entry.measure]
        assert all("type 'book' is not declared; the declared types are 'act', 'scene'" in reason for reason in reasons)
    undeclared_pairs = typed_pairs(declared=False)
    for source in (corpus_of(undeclared_pairs, "reference", "hypothesis"), undeclared_pairs):
        result = cz.evaluate(source, "boundary_similarity(n_t=2)", types=["act", "scene"])
        assert [int(entry.place.removeprefix("pairs:")) - 1 for entry in result.excluded] == undeclared
        assert all("type 'book' at position" in entry.reason for entry in result.excluded)
        kept = [pair for i, pair in enumerate(undeclared_pairs) if i not in undeclared]
        sound = [tuple(side.with_types(["act", "scene"]) for side in pair) for pair in kept]
        same(result["boundary_similarity"], cz.score_many(sound, "boundary_similarity(n_t=2)").total)
    with pytest.raises(InputError, match="both sides must declare the same types in the same order"):
        cz.evaluate(corpus, "boundary_similarity(n_t=2)", types=["act", "scene"])


GOLD = [
    "(S (NP (DT the) (NN man)) (VP (VBD ate)))",
    "(S (NP (PRP He)) (VP (VBD got) (PRT (RP up))))",
    "(S (A a) (B b))",
    "(S (A a))",
]
PARSED = [
    "(S (DT the) (NP (NN man) (VBD ate)))",
    "(S (NP (PRP He)) (VP (VBD got)) (ADVP (RB up)))",
    "(S (A a) (B b))",
    None,
]


def test_trees(parquet: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"reference": GOLD, "hypothesis": PARSED}), tmp_path / "a.parquet", row_group_size=1)
    both = enumerate(zip(GOLD, PARSED, strict=True), 1)
    rows = [{"item": str(i), "reference": a, "hypothesis": b} for i, (a, b) in both]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    gold, parsed = ([None if text is None else cz.Tree.from_brackets(text) for text in side] for side in (GOLD, PARSED))
    for source in (tmp_path / "a.parquet", tmp_path / "a.jsonl", list(zip(gold, parsed, strict=True))):
        result = cz.evaluate(source, ["struct_iou", "parseval"])
        assert result.documents == 4
        same(result["parseval"], cz.parseval_corpus(gold, parsed).total)
        same(result["struct_iou"], cz.struct_iou_corpus(gold, parsed).total)
        assert [(entry.item, entry.measure) for entry in result.excluded] == [("4", "struct_iou"), ("4", "parseval")]
        assert all("there is no tree" in entry.reason for entry in result.excluded)


def test_trees_with_times(parquet: Any, tmp_path: Path) -> None:
    gold = [
        cz.Tree.from_brackets(text, [(i, i + 1) for i in range(text.count(") ") + 1)])
        for text in ("(S (A a) (B b))", "(S (A a))")
    ]
    parsed = [
        cz.Tree.from_brackets("(S (A a) (C c) (B b))", [(0, 0.5), (0.5, 1.25), (1.25, 2)]),
        cz.Tree.from_brackets("(S (A a))", [(0.25, 1)]),
    ]
    corpus = corpus_of(list(zip(gold, parsed, strict=True)), "reference", "hypothesis")
    expected = cz.struct_iou_corpus(gold, parsed).total
    assert 0 < expected.value < 1
    for name, kind in (("a.parquet", "documents-parquet"), ("a.jsonl", "documents-json")):
        cz.write(corpus, tmp_path / name, kind)
        same(cz.evaluate(tmp_path / name, "struct_iou")["struct_iou"], expected)


def test_objects() -> None:
    pairs = random_pairs()
    corpus = corpus_of(pairs)
    agrees(corpus, corpus, partitions=3)
    named = [(f"t{i}", *pair) for i, pair in enumerate(pairs)]
    for source in (pairs, iter(pairs), [list(pair) for pair in pairs], named):
        result = cz.evaluate(source, MEASURES)
        assert (result.documents, result.partitions) == (NUMBER, 3)
        for measure in MEASURES:
            same(result[measure], cz.score_many(pairs, measure).total)


def test_invalid_pairs_are_listed() -> None:
    pairs = random_pairs(4)
    bad = [pairs[0], ("x", pairs[1][0], None), (pairs[2][0],), 7, ("y", *pairs[3])]
    result = cz.evaluate(bad, "pk")
    expected = [("pairs:2", "x", "pk"), ("pairs:3", "3", "pk"), ("pairs:4", "4", "pk")]
    assert [(entry.place, entry.item, entry.measure) for entry in result.excluded] == expected
    same(result["pk"], cz.score_many([pairs[0], pairs[3]], "pk").total)
    assert (result.excluded_documents, result.partial) == (3, True)
    with pytest.raises(InputError, match=r"pairs:[234]: item '[x34]': pk: "):
        cz.evaluate(bad, "pk", strict=True)


def test_an_unreadable_file_and_an_excluded_item(tmp_path: Path) -> None:
    pairs = random_pairs()
    for i, pair in enumerate(pairs):
        for coder, side in zip(("ann", "bo"), pair, strict=True):
            put(tmp_path / coder / f"t{i}.csv", table({coder: side}))
    put(tmp_path / "bo" / "t2.csv", "unit,bo\n1,x\n3,y\n")
    (tmp_path / "ann" / "t5.csv").unlink()
    put(tmp_path / "ann" / "t6.csv", "")
    put(tmp_path / "bo" / "t6.csv", "")
    result = cz.evaluate(tmp_path, "pk", reference="ann", hypothesis="bo")
    assert (result.documents, result.excluded_partitions) == (4, 0)
    assert [(entry.place, entry.item) for entry in result.excluded] == [
        (f"{tmp_path}/bo/t2.csv:3", None),
        (f"{tmp_path}/ann/t6.csv:1", None),
        (f"{tmp_path}/bo/t6.csv:1", None),
        (f"{tmp_path}/bo/t5.csv", "t5"),
    ]
    assert [entry.reason for entry in result.excluded][2:] == ["the file is empty", "coder 'ann' is missing"]
    same(result["pk"], cz.score_many([pairs[i] for i in (0, 1, 3, 4)], "pk").total)


def test_an_excluded_item_of_a_corpus() -> None:
    pairs = random_pairs()
    cells = {f"t{i}": {"ann": a, "bo": b} for i, (a, b) in enumerate(pairs)}
    del cells["t4"]["bo"]
    cells["u"] = {"cy": pairs[0][0]}  # of neither
    result = cz.evaluate(cz.Corpus(cells), "pk", reference="ann", hypothesis="bo")
    assert [(entry.item, entry.reason) for entry in result.excluded] == [("t4", "coder 'bo' is missing")]
    same(result["pk"], cz.score_many([pair for i, pair in enumerate(pairs) if i != 4], "pk").total)


def test_an_unknown_coder_is_an_error_before_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_folder, both = tmp_path / "folders", tmp_path / "both"
    for i, (reference, hypothesis) in enumerate(random_pairs()):
        put(by_folder / "ann" / f"t{i}.csv", table({"ann": reference}))
        put(by_folder / "bo" / f"t{i}.csv", table({"bo": hypothesis}))
        put(both / f"t{i}.csv", table({"ann": reference, "bo": hypothesis}))
    cz.write(corpus_of(random_pairs()), tmp_path / "one.json")
    corpus = corpus_of(random_pairs())
    monkeypatch.setattr(EvaluationRun, "run", None)
    pattern = {"pattern": "{coder}/{item}.csv"}
    for source, reading in ((by_folder, {}), (by_folder, pattern), (f"{by_folder}/*/*.csv", {}), (corpus, {})):
        with pytest.raises(OptionError, match="no coder is called 'gold'; choose the reference: one of ann, bo"):
            cz.evaluate(source, "pk", reference="gold", hypothesis="bo", **reading)
        with pytest.raises(OptionError, match="no coder is called 'hypothesis'; choose the hypothesis: one of ann, bo"):
            cz.evaluate(source, "pk", reference="ann", **reading)
    monkeypatch.undo()
    for source in (both, tmp_path / "one.json"):
        with pytest.raises(OptionError, match="no coder is called 'reference'; choose the reference: one of ann, bo"):
            cz.evaluate(source, "pk")
    with pytest.raises(OptionError, match="reference and hypothesis must be two coders; got 'ann' for both"):
        cz.evaluate(corpus, "pk", reference="ann", hypothesis="ann")


def test_options_that_do_not_apply(tmp_path: Path) -> None:
    corpus = corpus_of(random_pairs(), "reference", "hypothesis")
    cz.write(corpus, tmp_path / "a.jsonl")
    folder = tmp_path / "tables"
    for i, (reference, hypothesis) in enumerate(random_pairs()):
        put(folder / f"t{i}.csv", table({"reference": reference, "hypothesis": hypothesis}))
    for source, reading, message in [
        (corpus, {"pattern": "{item}"}, "pattern has no effect with a Corpus, which has been read already"),
        (corpus, {"format": "bits"}, "format has no effect with a Corpus"),
        (corpus, {"units": 3}, "units has no effect with a Corpus"),
        (random_pairs(), {"reference": "ann"}, "reference has no effect with pairs; leave it out"),
        (random_pairs(), {"tiers": "x"}, "tiers has no effect with pairs; leave it out"),
        (tmp_path / "a.jsonl", {"hypothesis": "bo"}, "hypothesis has no effect with a table of documents"),
        (tmp_path / "a.jsonl", {"labels": False}, "labels has no effect with a table of documents"),
        (tmp_path / "a.jsonl", {"pattern": "{item}"}, "a pattern is for a folder or a glob"),
        (f"{tmp_path}/*.jsonl", {"pattern": "{item}.jsonl"}, "pattern has no effect with a table of documents"),
        (folder, {"tiers": "x"}, "format table-csv has no option 'tiers'; choose from 'fields'"),
        ({"a": 1}, {}, "source must be a path, a Corpus or an iterable of pairs"),
        (7, {}, "source must be a path, a Corpus or an iterable of pairs"),
    ]:
        with pytest.raises(OptionError, match=message.replace("(", r"\(")):
            cz.evaluate(source, "pk", **reading)


def test_an_option_that_only_some_formats_have(tmp_path: Path) -> None:
    """As in ``read``, it goes to the formats that have it."""
    for name, *bits in (("a.csv", "010", "001"), ("b.csv", "01", "01")):
        reference, hypothesis = map(cz.Segmentation.from_bits, bits)
        put(tmp_path / name, table({"reference": reference, "hypothesis": hypothesis}))
    put(tmp_path / "c.json", '{"items": {"z": {"reference": [2, 3], "hypothesis": [1, 4]}}}')
    agrees(tmp_path, cz.read(tmp_path, labels=False), partitions=2, coders=("reference", "hypothesis"), labels=False)


def test_no_documents(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no file can be read; the folder is empty"):
        cz.evaluate(tmp_path, "pk")
    for name in ("nothing.csv", "nothing.jsonl", "nothing.parquet"):
        with pytest.raises(FormatError, match="cannot be read: No such file"):
            cz.evaluate(tmp_path / name, "pk")
    for source in ([], iter(())):
        with pytest.raises(InputError, match="no document could be scored; the source is empty"):
            cz.evaluate(source, "pk")


def written(folder: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    import pyarrow.parquet as pq

    return [(path.name, pq.read_table(path).to_pylist()) for path in sorted(folder.iterdir())]


def test_scores_of_every_document(parquet: Any, tmp_path: Path) -> None:
    pairs = [*random_pairs(NUMBER - 1), (cz.Segmentation.from_masses([4]), cz.Segmentation.from_masses([2, 2]))]
    corpus = corpus_of(pairs, "reference", "hypothesis")
    cz.write(corpus, tmp_path / "a.parquet", "documents-parquet")
    cz.write(corpus, tmp_path / "a.jsonl")
    measures = ["pk", "boundary_similarity(n_t=2)", "fuzzy_success"]
    scores = {measure: cz.score_many(pairs, measure) for measure in measures}
    # no success without a boundary of the reference
    assert any(np.isnan(score.values).any() for score in scores.values())
    named = [(f"t{i}", *pair) for i, pair in enumerate(pairs)]
    for i, source in enumerate([tmp_path / "a.parquet", tmp_path / "a.jsonl", corpus, named]):
        result = cz.evaluate(source, measures, scores=tmp_path / f"out{i}")
        files = written(tmp_path / f"out{i}")
        assert [name for name, _ in files] == [f"part-{k:05}.parquet" for k in range(result.partitions)]
        rows = [row for _, part in files for row in part]
        assert [(row["item"], row["row"]) for row in rows] == [(f"t{k}", k + 1) for k in range(NUMBER)]
        for name, measure in zip(list(rows[0])[2:], measures, strict=True):
            expected = scores[measure].values
            assert [row[name] for row in rows] == [None if np.isnan(value) else value for value in expected.tolist()]


def test_unfinished_parts_leave_no_files(parquet: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "data"
    folder.mkdir()
    sides = {"reference": [[1]] * 6, "hypothesis": [[2]] * 6}
    table_ = pa.table({"item": [f"i{d}" for d in range(6)], "length": [4] * 6, **sides})
    for name in ("a", "b"):
        plain = {"compression": "none", "use_dictionary": False}
        pq.write_table(table_, folder / f"{name}.parquet", write_page_checksum=True, row_group_size=2, **plain)
    monkeypatch.setattr(parquet, "_MIN_SPLIT_BYTES", 2**20)
    whole = (folder / "b.parquet").read_bytes()
    at = whole.index(b"\x02\0\0\0i4")
    (folder / "b.parquet").write_bytes(whole[:at] + b"\x02\0\0\0j4" + whole[at + 6 :])
    result = cz.evaluate(folder, "pk", scores=tmp_path / "out")
    # the names are read for the scores, and the last could not be
    assert (result.documents, result.excluded_partitions) == (6, 1)
    assert [name for name, _ in written(tmp_path / "out")] == ["part-00000.parquet"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["part-00000.parquet"]
    with pytest.raises(OptionError, match=r"scores: the folder must be empty; .* contains part-00000\.parquet"):
        cz.evaluate(folder, "pk", scores=tmp_path / "out")

    def twice() -> Iterator[Any]:
        yield from [(cz.Segmentation.from_bits("01"),) * 2] * 4
        yield from [(cz.Segmentation.from_bits("01"), 7)] * 4

    with pytest.raises(InputError, match="pairs:5"), open_engine("threads", 1) as engine:
        cz.evaluate(twice(), "pk", scores=tmp_path / "strict", strict=True, engine=engine)
    assert not [path for path in (tmp_path / "strict").iterdir() if path.name.startswith(".")]


def test_half_a_surrogate_pair_in_a_name(parquet: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"item": "\\ud800", "length": 3, "reference": [1], "hypothesis": [2]}')
    cz.evaluate(tmp_path / "a.jsonl", "pk", scores=tmp_path / "out")
    assert written(tmp_path / "out")[0][1][0]["item"] == "\\ud800"


def write_lines(path: Path, documents: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def test_json_lines_with_other_fields_are_read_by_their_names(tmp_path: Path) -> None:
    segments = enumerate(([2, 4], [3, 3]))
    texts = [{"dial_id": i, "utterances": list("abcdef"), "segments": masses} for i, masses in segments]
    others = [{**text, "segments": [3, 3]} for text in texts]
    paths = [write_lines(tmp_path / name, lines) for name, lines in (("gold.jsonl", texts), ("mine.jsonl", others))]
    result = cz.evaluate(paths, ["crisp(tolerance=0)"], reference="gold", hypothesis="mine")
    (score,) = result.scores.values()
    assert score.value == 0.5


def test_ambiguous_json_lines_are_an_error_with_choices(tmp_path: Path) -> None:
    documents = [{"id": i, "sentences": list("abcd"), "labels": [0, 1, 0, 0]} for i in range(2)]
    path = write_lines(tmp_path / "t.jsonl", documents)
    with pytest.raises(AmbiguousFileError, match="a 1 may be at the first or at the last unit"):
        cz.evaluate(path)
