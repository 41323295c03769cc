"""The live page: numbers under new parameters are those of the functions that a script would call."""

from __future__ import annotations

import json
import os
import random
import wave
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.tasks.workbench import Material, Workbench
from support.reported import parsed
from support.server import Client, client_of, open_corpus

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")

CODERS = ("ann", "cy", "bo")  # not in the order of the alphabet


def random_corpus(items: int = 20, units: int = 30) -> cz.Corpus:
    draw = random.Random(1)
    return cz.Corpus(
        {
            f"text {i}": {
                coder: cz.Segmentation.from_positions(units, sorted(draw.sample(range(1, units), 5)))
                for coder in CODERS
            }
            for i in range(items)
        }
    )


@pytest.fixture(scope="module")
def workbench() -> Workbench:
    return open_corpus(random_corpus())


@pytest.fixture
def client(workbench: Workbench) -> Client:
    return client_of(workbench)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("boundary_similarity", {"n_t": 5}),
        ("boundary_similarity", {}),
        ("segmentation_similarity", {"n_t": 3}),
        ("boundary_f", {"tolerance": 2}),
        ("window_diff", {}),
        ("boundary_similarity(n_t=4)", None),
    ],
)
def test_numbers_are_those_of_the_functions(
    client: Client, measure: str, options: dict[str, Any] | None, workbench: Workbench
) -> None:
    body = {"measure": measure, "item": 2} | ({} if options is None else {"options": options})
    data = client.post("api/update", body).data
    corpus = random_corpus()
    resolved = cz.parse(measure) if options is None else type(cz.parse(measure))(**options)
    table = cz.pairwise(corpus, resolved)
    expected = {tuple(sorted(map(CODERS.index, row.coders))): round(row.value, 4) for row in table.rows}
    assert {(low, high): value for low, high, value in data["matrix"]["cells"]} == expected
    means = {row.item: row.mean for row in table.items}
    assert {number: value for number, value, _ in data["overview"]} == pytest.approx(
        {number: means[item] for number, item in enumerate(corpus.item_names)}
    )
    values = [value for _, value, _ in data["overview"]]
    assert values == sorted(values, reverse=not resolved.higher_is_better)  # the worst first
    if resolved.default_coefficient is not None:
        assert f"{cz.agreement(corpus, resolved).value:.2f}".lstrip("0") in data["headline"]


def edits_of(shapes: list[Any], packed: list[int]) -> list[tuple[int | None, int | None, float]]:
    """Return positions on both sides and cost, as the script of the page reads them."""
    edits = []
    place = 0
    for i in range(0, len(packed), 2):
        kind, shift, _, _, cost, _ = shapes[packed[i]]
        place += packed[i + 1]
        a = None if kind == 5 else place - min(shift, 0)
        b = None if kind == 4 else place + max(shift, 0)
        edits.append((a, b, cost))
    return edits


def test_edits_follow_the_parameters(client: Client) -> None:
    corpus, body = random_corpus(), {"measure": "boundary_similarity", "options": {"n_t": 5}}
    first, all_items = client.post("api/update", body | {"item": 3}).data, client.post("api/edits", body).data
    assert set(first["edits"]["items"]) == {"3"}
    assert set(all_items["items"]) == {str(number) for number in range(20)}
    for data in (first["edits"], all_items):
        for low, high in ((0, 1), (0, 2), (1, 2)):
            score = cz.boundary_similarity(corpus["text 3", CODERS[low]], corpus["text 3", CODERS[high]], n_t=5)
            expected = [(edit.a_position, edit.b_position, edit.cost) for edit in score.edits]
            assert edits_of(data["shapes"], data["items"]["3"][f"{low}-{high}"]) == expected
    counts = {number: count for number, _, count in first["overview"]}
    assert [counts[number] for number in range(20)] == all_items["counts"]
    pairs = [(CODERS[i], CODERS[j]) for i in range(3) for j in range(i + 1, 3)]
    assert counts[3] == sum(
        edit.kind != "match"
        for a, b in pairs
        for edit in cz.boundary_similarity(corpus["text 3", a], corpus["text 3", b], n_t=5).edits
    )


def test_coders_in_and_out(client: Client) -> None:
    data = client.post("api/update", {"coders": [0, 2], "item": 0}).data
    assert [cell[:2] for cell in data["matrix"]["cells"]] == [[0, 2]]
    expected = cz.agreement(random_corpus().select(coders=["ann", "bo"])).value
    assert f"{expected:.2f}".lstrip("0") in data["headline"]
    assert list(data["edits"]["items"]["0"]) == ["0-2"]
    assert "two coders" in client.post("api/update", {"coders": [1]}).error


def test_systems_are_ranked_and_not_part_of_agreement() -> None:
    client = client_of(open_corpus(random_corpus(), ["bo"]))
    data = client.post("api/update", {"measure": "boundary_similarity(n_t=3)"}).data
    people = random_corpus().select(coders=["ann", "cy"])
    assert f"{cz.agreement(people, 'boundary_similarity(n_t=3)').value:.2f}".lstrip("0") in data["headline"]
    corpus = random_corpus()
    pairs = [(corpus[item, coder], corpus[item, "bo"]) for item in corpus.item_names for coder in ("ann", "cy")]
    total = cz.score_many(pairs, "boundary_similarity(n_t=3)").total.value
    assert data["systems"] == [["bo", round(total, 4)]]
    assert "one of them a person" in client.post("api/update", {"coders": [2]}).error


@pytest.mark.parametrize(
    "body",
    [
        {"measure": "no_such_measure"},
        {"measure": 5},
        {"measure": "boundary_similarity", "options": {"n_t": 0}},
        {"measure": "boundary_similarity", "options": {"color": "red"}},
        {"measure": "boundary_similarity", "options": [1]},
        {"measure": "boundary_similarity(n_t=2" + "(" * 50_000},
        {"coders": "all"},
        {"coders": [0, 99]},
        {"coders": [0, "1"]},
        {"coders": [True, 1.5]},
        {"item": 99},
        {"item": "first"},
        {"item": -1},
        {"measure": "struct_iou"},
    ],
)
def test_bad_parameters_are_explained(client: Client, body: dict[str, Any]) -> None:
    answer = client.post("api/update", body)
    assert (answer.status, len(answer.error) > 10) == (400, True)


def test_what_if(client: Client) -> None:
    corpus = random_corpus()
    reference, original = corpus["text 1", "cy"], corpus["text 1", "ann"]
    moved = cz.Segmentation.from_positions(30, [7, 20])
    body = {"item": 1, "coder": 0, "against": 1, "boundaries": [[20, None], [7, None]]}
    rows = client.post("api/what-if", body).data["rows"]
    functions = {"B": cz.boundary_similarity, "S": cz.segmentation_similarity, "WD": cz.window_diff, "Pk": cz.pk}
    assert {name: (before, after) for name, before, after, _, _ in rows} == {
        name: (measure(reference, original).value, measure(reference, moved).value)
        for name, measure in functions.items()
    }
    rows = client.post("api/what-if", body | {"measure": "boundary_similarity(n_t=7)"}).data["rows"]
    assert rows[0][:3] == [
        "B(n_t=7)",
        cz.boundary_similarity(reference, original, n_t=7).value,
        cz.boundary_similarity(reference, moved, n_t=7).value,
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boundaries": [[30, None], [31, None]]}, "positions"),
        ({"boundaries": [[0, None]]}, "positions"),
        ({"boundaries": [["x", None]]}, "whole number"),
        ({"boundaries": [[True, None]]}, "whole number"),
        ({"boundaries": 5}, "list"),
        ({"boundaries": [[1]]}, "pairs"),
        ({"coder": 7}, "coder"),
        ({"against": None}, "coder"),
        ({"item": None}, "item"),
    ],
)
def test_bad_scratch_copies_are_explained(client: Client, change: dict[str, Any], message: str) -> None:
    body = {"item": 1, "coder": 0, "against": 1, "boundaries": []} | change
    answer = client.post("api/what-if", body)
    assert (answer.status, message in answer.error) == (400, True), answer.content


def test_what_if_with_types_and_speakers() -> None:
    cut = cz.Segmentation.from_marks
    ann = cz.Dialogue({"A": cut(["", ",", "."]), "B": cut(["?", "", "."])})
    bo = cz.Dialogue({"A": cut([",", "", "."]), "B": cut(["?", "", "."])})
    client = client_of(open_corpus(cz.Corpus({"talk": {"ann": ann, "bo": bo}})))
    body = {"item": 0, "coder": 0, "against": 1, "stream": "A", "boundaries": [[1, ","], [3, "."]]}
    rows = client.post("api/what-if", body).data["rows"]
    assert rows[0][1] == cz.flexible_similarity(bo, ann).value
    assert rows[0][2] == 1.0  # the scratch copy is what bo has
    assert client.post("api/what-if", body | {"stream": "C"}).status == 400
    assert "not declared" in client.post("api/what-if", body | {"boundaries": [[1, "<script>"]]}).error


def test_a_similarity_matrix() -> None:
    cut = cz.Segmentation.from_marks
    corpus = cz.Corpus({"talk": {"ann": cut(["", ",", ".", ","]), "bo": cut(["", ".", ".", "."])}})
    client = client_of(open_corpus(corpus))
    page = client.get("").content.decode()
    controls = json.loads(page.split('id="live">')[1].partition("</script>")[0])["controls"]
    assert controls["types"] == [",", "."]
    (option,) = (
        option
        for measure in controls["measures"]
        if measure["name"] == "flexible_similarity"
        for option in measure["options"]
        if option["kind"] == "matrix"
    )
    assert option["visible"]
    matrix = {"types": [",", "."], "matrix": [[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]}
    body = {"measure": "flexible_similarity", "options": {option["name"]: matrix}, "item": 0}
    data = client.post("api/update", body).data
    score = cz.flexible_similarity(corpus["talk", "ann"], corpus["talk", "bo"], similarity=matrix)
    assert data["matrix"]["cells"] == [[0, 1, round(score.value, 4)]]
    bad = {"types": [",", "."], "matrix": [[1, 2], [2, 1]]}
    assert client.post("api/update", body | {"options": {option["name"]: bad}}).status == 400


def test_trees_and_single_coders() -> None:
    client = client_of(open_corpus(parsed(), ["parser"]))
    data = client.post("api/update", {"item": 0}).data
    assert data["matrix"]["cells"]
    assert client.post("api/edits", {}).data["items"]["0"]
    assert "no boundaries" in client.post("api/what-if", {"item": 0, "coder": 0, "against": 1, "boundaries": []}).error
    alone = client_of(open_corpus(cz.Corpus({"a": {"ann": cz.Segmentation.from_masses([2, 2])}})))
    assert alone.get("").status == 200
    assert "two coders" in alone.post("api/update", {}).error


def test_sections_are_those_of_the_report(client: Client) -> None:
    data = client.post("api/sections", {"measure": "boundary_similarity(n_t=3)", "coders": [0, 1]}).data
    titles = [section["title"] for section in data["sections"]]
    assert titles[:2] == ["Agreement", "Pairs"]
    value = cz.agreement(random_corpus().select(coders=["ann", "cy"]), "boundary_similarity(n_t=3)").value
    assert ["multi_pi over B(n_t=3)", f"{value:.4f}"] in data["facts"]
    pictures = [picture for section in data["sections"] for picture in section["pictures"]]
    assert all(picture["source"].startswith("data:image/svg+xml;base64,") for picture in pictures)


def test_names_from_files_stay_text() -> None:
    evil = "</script><script>alert(1)</script>\u202e\0"
    cut = cz.Segmentation.from_marks
    corpus = cz.Corpus(
        {evil * 20: {evil: cut(["", evil, "x"], units=[evil] * 3), "bo": cut(["x", "", evil], units=[evil] * 3)}}
    )
    client = client_of(open_corpus(corpus))
    page = client.get("").content.decode()
    assert page.count("<script") == page.count("</script>")
    assert "alert(1)</script>" not in page
    update, edits = client.post("api/update", {"item": 0}), client.post("api/edits", {})
    for answer in (update, edits, client.get("api/sound?item=0")):
        assert answer.status == 200
        assert "\0" not in json.dumps(answer.data, ensure_ascii=False)


def test_a_very_long_text() -> None:
    """The page lists why the text of 200,000 units is not shown, and the other item is live."""
    draw, units = random.Random(2), 200_000

    def cut(length: int) -> cz.Segmentation:
        return cz.Segmentation.from_positions(length, sorted(draw.sample(range(1, length), length // 50)))

    corpus = cz.Corpus({"long": {"ann": cut(units), "bo": cut(units)}, "short": {"ann": cut(200), "bo": cut(200)}})
    client = client_of(open_corpus(corpus))
    page = client.get("").content.decode()
    assert "it has 200000 units" in page
    data = client.post("api/update", {"measure": "boundary_similarity(n_t=5)", "item": 0}).data
    assert [row[0] for row in data["overview"]] == [0]
    only = client_of(open_corpus(corpus.select(items=["long"])))
    assert only.get("").status == 200
    assert only.post("api/update", {"measure": "boundary_similarity(n_t=5)"}).data["matrix"]["cells"]


# -- files --------------------------------------------------------------------------------------------------------------


def opened(path: Path) -> Workbench:
    def load() -> Material:
        corpus = cz.read(path)
        return Material(corpus, files=corpus.source.files)

    return Workbench(load, paths=[str(path)])


def test_files_that_change_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text(json.dumps({"items": {"a": {"ann": [2, 3], "bo": [1, 4]}}}))
    client = client_of(opened(path))
    assert client.get("api/state").data["changed"] == []
    path.write_text(json.dumps({"items": {"a": {"ann": [2, 3], "bo": [2, 3]}}}))
    os.utime(path, ns=(1, 1))
    assert client.get("api/state").data["changed"] == [str(path)]
    assert client.post("api/update", {}).data["matrix"]["cells"] == [[0, 1, 0.5]]  # what was read before
    assert client.post("api/reload", {}).data["revision"] == 2
    assert client.get("api/state").data == {"revision": 2, "changed": [], "warnings": []}
    assert client.post("api/update", {}).data["matrix"]["cells"] == [[0, 1, 1.0]]
    path.write_text("{")
    answer = client.post("api/reload", {})
    assert (answer.status, "people.json" in answer.error) == (400, True)
    assert client.post("api/update", {}).data["matrix"]["cells"] == [[0, 1, 1.0]]  # the corpus stays open
    path.unlink()
    assert client.get("api/state").data["changed"] == [str(path)]


def test_sound_is_served_in_parts(tmp_path: Path) -> None:
    from caesura.tasks.workbench import SOUNDS

    (tmp_path / "x.json").write_text(json.dumps({"items": {"talk": {"ann": [2, 3], "bo": [1, 4]}, "b": {"ann": [1]}}}))
    with wave.open(str(tmp_path / "talk.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(range(256)) * 20)
    workbench = opened(tmp_path / "x.json")
    client = client_of(workbench)
    numbers = {name: number for number, name in enumerate(workbench.items)}
    place = f"item={numbers['talk']}"
    assert client.get(f"api/sound?{place}").data["name"] == "talk.wav"
    whole = client.get(f"sound?{place}")
    content = (tmp_path / "talk.wav").read_bytes()
    assert (whole.status, whole.content, whole.headers["content-type"]) == (200, content, "audio/wav")
    part = client.get(f"sound?{place}", {"Range": "bytes=100-199"})
    assert (part.status, part.content) == (206, content[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(content)}"
    assert client.get(f"sound?{place}", {"Range": "bytes=999999-"}).status == 416
    missing = client.get(f"sound?item={numbers['b']}")
    assert (missing.status, "There is no sound for b" in missing.error) == (404, True)
    about = client.get(f"api/sound?item={numbers['b']}").data
    assert about["name"] is None
    assert all(suffix in about["missing"] for suffix in SOUNDS)
    assert client.get("sound?item=99").status == 400
    assert client.get("sound").status == 400


@pytest.mark.parametrize("name", ["../secret", "..", ".", "a/../../secret", "/etc/secret", "x\0secret", ""])
def test_names_of_items_lead_to_no_other_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (tmp_path / "secret.wav").write_bytes(b"RIFF")
    cut = cz.Segmentation.from_masses
    corpus = cz.Corpus({name or "empty": {"ann": cut([2]), "bo": cut([1, 1])}, "b": {"ann": cut([1]), "bo": cut([1])}})
    workbench = Workbench(lambda: Material(corpus, files=(str(folder / "x.json"),)))
    assert workbench.sound_of(name) is None


@pytest.mark.parametrize("suffix", [".wav", ".ogg", ".mp3", ".flac"])
def test_sound_beside_the_annotation(tmp_path: Path, suffix: str) -> None:
    """The only item of a file has the sound with the name of the file."""
    cut = cz.Segmentation.from_masses
    (tmp_path / f"recording 1{suffix}").write_bytes(b"sound")
    corpus = cz.Corpus({"item": {"ann": cut([2]), "bo": cut([1, 1])}})
    workbench = Workbench(lambda: Material(corpus, files=(str(tmp_path / "recording 1.TextGrid"),)))
    assert workbench.sound_of("item") == tmp_path / f"recording 1{suffix}"
