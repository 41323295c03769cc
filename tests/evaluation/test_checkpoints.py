"""Checkpoints of ``evaluate`` that meet changed data, edited records, missing files or a second run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.engines import checkpoint as checkpoint_module
from caesura.engines import open_engine
from caesura.engines.checkpoint import Checkpoint
from caesura.errors import CaesuraWarning, CheckpointError, FormatError, InputError, OptionError
from caesura.evaluation import partition as partition_module
from support.collected import collection, documents, pairs, write
from support.commands import invoke

pq = pytest.importorskip("pyarrow.parquet", reason="needs caesura[parquet]")

FILES, ROWS = 3, 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    collection(tmp_path / "data", FILES, ROWS)
    return tmp_path / "data"


@pytest.fixture(scope="module")
def expected() -> cz.Score:
    return cz.score_many(pairs(documents(FILES * ROWS)), "pk").total


def change(path: Path, edit: Callable[[bytes], bytes]) -> None:
    """Change the content of a file, but neither its size nor its time."""
    stamp, content = path.stat(), path.read_bytes()
    changed = edit(content)
    assert (len(changed), changed == content) == (len(content), False)
    path.write_bytes(changed)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def lines(path: Path) -> None:
    rows = [f'{{"item":"d{i}","length":20,"reference":[{i + 2}],"hypothesis":[{i + 3}]}}\n' for i in range(9)]
    path.write_text("".join(rows))


def grids(path: Path) -> None:
    corpus = {f"i{i}": {"reference": cz.Segmentation.from_masses([2, i + 3])} for i in range(2)}
    corpus |= {item: by_coder | {"hypothesis": by_coder["reference"]} for item, by_coder in corpus.items()}
    cz.write(cz.Corpus(corpus), path)


@pytest.mark.parametrize(
    ("name", "make", "edit"),
    [
        ("a.jsonl", lines, lambda data: data.replace(b"[9]", b"[8]", 1)),
        ("a.json", grids, lambda data: data.replace(b"4", b"5", 1)),
    ],
)
def test_changed_content_with_the_same_size_and_time_is_refused(
    name: str, make: Callable[[Path], None], edit: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    source = tmp_path / name
    make(source)
    cz.evaluate(source, "pk", checkpoint=tmp_path / "kept")
    assert cz.evaluate(source, "pk", checkpoint=tmp_path / "kept").resumed == 1
    change(source, edit)
    with pytest.raises(CheckpointError, match=r"it belongs to different data: .* has changed"):
        cz.evaluate(source, "pk", checkpoint=tmp_path / "kept")


@pytest.mark.parametrize("split", [False, True], ids=["whole file", "row groups"])
def test_changed_parquet_is_refused(split: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    if split:
        monkeypatch.setattr("caesura.formats.documents_parquet._MIN_SPLIT_BYTES", 1)
        monkeypatch.setattr("caesura.formats.documents_parquet._ROWS_PER_TASK", 2)
    source = tmp_path / "a.parquet"
    columns = {"length": [40] * 6, "reference": [[7]] * 6, "hypothesis": [[7], [9], [11], [13], [15], [17]]}
    table = pa.table({**columns, "ignored": ["text"] * 6})
    options = {"compression": "none", "use_dictionary": False, "row_group_size": 2, "write_statistics": False}
    pq.write_table(table, source, **options)
    first = cz.evaluate(source, "pk", checkpoint=tmp_path / "kept")
    assert first.partitions == (3 if split else 1)
    assert cz.evaluate(source, "pk", checkpoint=tmp_path / "kept").resumed == first.partitions
    change(source, lambda data: data.replace(b"\x0f" + bytes(7), b"\x10" + bytes(7), 1))
    with pytest.raises(CheckpointError, match=r"it belongs to different data: .* has changed"):
        cz.evaluate(source, "pk", checkpoint=tmp_path / "kept")


def test_the_same_content_under_a_new_time_is_continued(folder: Path, expected: cz.Score, tmp_path: Path) -> None:
    cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    for path in folder.iterdir():
        os.utime(path, ns=(1, 1))
    again = cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    assert (again["pk"], again.resumed) == (expected, FILES)


def test_changed_companions_are_refused(tmp_path: Path) -> None:
    """A brat annotation is read with its text."""
    for coder in ("reference", "hypothesis"):
        (tmp_path / "data" / coder).mkdir(parents=True)
        (tmp_path / "data" / coder / "a.txt").write_text("one two three four")
        (tmp_path / "data" / coder / "a.ann").write_text("T1\tS 0 7\tone two\nT2\tS 8 18\tthree four\n")
    options: dict[str, Any] = {"checkpoint": tmp_path / "kept"}
    first = cz.evaluate(tmp_path / "data", "hierarchy_kappa", **options)
    assert (first.documents, first.excluded) == (1, ())
    change(tmp_path / "data" / "reference" / "a.txt", lambda data: data.replace(b"e t", b"ent"))
    with pytest.raises(CheckpointError, match="it belongs to different data"):
        cz.evaluate(tmp_path / "data", "hierarchy_kappa", **options)


def test_an_edited_digit_is_noticed(folder: Path, expected: cz.Score, tmp_path: Path) -> None:
    cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    record = tmp_path / "kept" / "done" / "0000001.json"
    edited = record.read_text().replace(f'"documents":{ROWS}', f'"documents":{ROWS + 1}', 1)
    assert edited != record.read_text()
    record.write_text(edited)
    with pytest.warns(CaesuraWarning, match=r"0000001\.json is damaged or belongs to a different run"):
        again = cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    assert (again["pk"], again.documents, again.resumed) == (expected, FILES * ROWS, FILES - 1)


def test_a_lost_description_is_refused(folder: Path, tmp_path: Path) -> None:
    cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    (tmp_path / "kept" / "run.json").unlink()
    result = invoke(["evaluate", str(folder), "-m", "window_diff", "--checkpoint", str(tmp_path / "kept")])
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert "run.json, which says what they belong to, is missing" in result.stderr


def test_records_of_another_run_are_not_used(folder: Path, expected: cz.Score, tmp_path: Path) -> None:
    cz.evaluate(folder, "window_diff", checkpoint=tmp_path / "other")
    cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    shutil.copy(tmp_path / "other" / "done" / "0000002.json", tmp_path / "kept" / "done")
    shutil.copy(tmp_path / "kept" / "done" / "0000000.json", tmp_path / "kept" / "done" / "0000001.json")
    with pytest.warns(CaesuraWarning, match="belongs to a different run"):
        again = cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept")
    assert (again["pk"], again.resumed) == (expected, 1)


def test_a_strict_run_is_strict_when_it_continues(folder: Path, tmp_path: Path) -> None:
    rows = documents(ROWS)
    rows[4] = ([3, 40], [])
    write(folder / "001.parquet", rows, first=ROWS)
    assert cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept").excluded_documents == 1
    with pytest.raises(InputError, match=r"001\.parquet:5"):
        cz.evaluate(folder, "pk", checkpoint=tmp_path / "kept", strict=True)


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_files_with_scores_are_checked_and_written_again(folder: Path, expected: cz.Score, tmp_path: Path) -> None:
    scores = tmp_path / "scores"
    options: dict[str, Any] = {"checkpoint": tmp_path / "kept", "scores": scores}
    cz.evaluate(folder, "pk", **options)
    whole = parts(scores)
    assert list(whole) == [f"part-{number:05}.parquet" for number in range(FILES)]
    (scores / "part-00000.parquet").unlink()
    change(scores / "part-00001.parquet", lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:])
    (scores / ".caesura-draft-0123456789abcdef").write_bytes(b"PAR1")  # of a run that was killed
    again = cz.evaluate(folder, "pk", **options)
    assert (again["pk"], again.documents, again.resumed) == (expected, FILES * ROWS, 1)
    assert parts(scores) == whole


@pytest.mark.parametrize("scores", [False, True])
def test_several_runs_on_one_checkpoint(scores: bool, folder: Path, expected: cz.Score, tmp_path: Path) -> None:
    options: dict[str, Any] = {"checkpoint": tmp_path / "kept"} | ({"scores": tmp_path / "out"} if scores else {})

    def evaluate(_: int) -> Any:
        with open_engine("threads", 1) as engine:
            return cz.evaluate(folder, "pk", engine=engine, **options)["pk"]

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(evaluate, range(6)))
    assert results == [expected] * 6
    files = sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and path.parent != folder)
    assert not [name for name in files if "draft" in name]
    assert len([name for name in files if name.startswith("part-")]) == FILES * scores
    assert cz.evaluate(folder, "pk", **options).resumed == FILES


def test_a_part_that_needs_too_much_memory_is_excluded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack, calls = partition_module._ColumnPacker.pack, iter(range(FILES))

    def fail_once(self: Any, measure: Any) -> Any:
        if next(calls) == 1:
            raise MemoryError
        return pack(self, measure)

    monkeypatch.setattr(partition_module._ColumnPacker, "pack", fail_once)
    with open_engine("threads", 1) as engine:
        result = cz.evaluate(folder, "pk", engine=engine)
    assert (result.documents, result.excluded_partitions) == ((FILES - 1) * ROWS, 1)
    assert "001.parquet: it needs more memory than is available" in result.excluded[0].reason


def test_a_record_that_another_run_writes_meanwhile_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = {"measure": "pk"}
    first, second = Checkpoint(tmp_path / "kept", run), Checkpoint(tmp_path / "kept", run)
    read = checkpoint_module._read

    def read_before_the_other_writes(path: Path) -> Any:
        record = read(path)
        second.put("0", {"x": 1})
        return record

    monkeypatch.setattr(checkpoint_module, "_read", read_before_the_other_writes)
    assert first.get("0") is None  # a warning would be an error
    assert first.get("0") == {"x": 1}


@pytest.mark.parametrize(
    ("option", "inside"), [("checkpoint", "kept"), ("scores", "scores"), ("checkpoint", "a/b"), ("scores", ".")]
)
def test_folders_inside_the_data_are_refused(option: str, inside: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    for source, output in (
        (folder, folder / inside),
        (tmp_path / "link", folder / inside),
        ([folder], folder / inside),
    ):
        with pytest.raises(OptionError, match=rf"{option}: .* is inside .*, so that the next run would read its files"):
            cz.evaluate(source, "pk", **{option: output})
    assert sorted(path.name for path in folder.iterdir()) == ["000.parquet", "001.parquet", "002.parquet"]


def test_folders_beside_the_files_of_a_glob(folder: Path, expected: cz.Score) -> None:
    options: dict[str, Any] = {"checkpoint": folder / "kept", "scores": folder / "scores"}
    for _ in range(2):  # the second run must not read what the first one wrote
        assert cz.evaluate(str(folder / "*.parquet"), "pk", **options)["pk"] == expected
    with pytest.raises(OptionError, match=r"scores: .* is inside"):
        cz.evaluate(str(folder / "**" / "*.parquet"), "pk", scores=folder / "again")


def test_tables_inside_the_data_are_refused(folder: Path) -> None:
    result = invoke(["evaluate", str(folder), "-m", "pk", "--output", str(folder / "tables")])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "output: " in result.stderr
    assert not (folder / "tables").exists()


def test_a_checkpoint_among_the_files_is_left_out(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    lines(data / "a.jsonl")
    once = cz.evaluate(data, "pk", checkpoint=tmp_path / "kept")
    (data / "sub").mkdir()
    shutil.move(tmp_path / "kept", data / "sub" / "kept")
    with pytest.warns(CaesuraWarning, match="1 folder is a checkpoint of an earlier run and left out: sub/kept"):
        again = cz.evaluate(data, "pk")
    assert (again["pk"], again.documents, again.excluded) == (once["pk"], 9, ())


def test_files_with_scores_are_no_annotations(tmp_path: Path) -> None:
    # Scores of 0 and 1 look like marks.
    rows = [{"item": "d", "length": 4, "reference": [2], "hypothesis": [position]} for position in (2, 2, 3, 2)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with cz.collect_warnings():
        cz.evaluate(tmp_path / "a.jsonl", "boundary_similarity(n_t=1)", scores=tmp_path / "scores")
    path = tmp_path / "scores" / "part-00000.parquet"
    assert pq.read_table(path).column(2).to_pylist() == [1, 1, 0, 1]
    with pytest.raises(FormatError, match=r"the scores of documents \(evaluate --scores\), not annotations"):
        cz.read(path)
