"""Bad input for measures of time, segments, scores and presets: what a command answers, with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraError
from support.commands import invoke

FILES = {
    "a.bits": "0100\n",
    "b.bits": "0010\n",
    "song.lab": "0 30 A\n30 61 B\n61 90 A\n",
    "short.lab": "0 30.4 A\n30.4 60 B\n60 80 A\n",
    "back.lab": "0 30 A\n61 30 B\n",
    "over.rttm": "SPEAKER call 1 0.0 3.0 <NA> <NA> A <NA> <NA>\nSPEAKER call 1 2.0 3.0 <NA> <NA> B <NA> <NA>\n",
    "keys.csv": "participant,video,time\np1,m,3.5\np1,m,8\np2,m,3.7\n",
    "durations.csv": "video,duration\nm,20\n",
    "scores.csv": "item,unit,text,score,ref\ns,1,a,0.2,0\ns,2,b,0.9,1\ns,3,c,0.4,0\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)
    levels = [cz.Hierarchy.from_times([(0, 90), (0, end), (end, 90)]) for end in (30, 33)]
    cz.write(cz.Corpus({"song": dict(zip(("ann", "bo"), levels, strict=True))}), "levels.json")
    spans = {"ann": cz.Spans([(0, 4, "a"), (0, 2, "b")], length=10), "bo": cz.Spans([(0, 4, "a")], length=10)}
    cz.write(cz.Corpus({"text": spans}), "nested.json")


TIMES = "keys.csv --reading lengths=durations.csv"
CASES = [
    (1, "score a.bits b.bits -m F1@0.5s", "tolerance='0.5s' is in seconds, but the texts have units; write a"),
    (2, "score a.bits b.bits -m F1(tolerance=-1)", "tolerance must be a number from 0 up; got -1"),
    (2, "score a.bits b.bits -m F1(tolerance=nan)", "tolerance must be a number, or a text such as '0.5s'"),
    (2, "score a.bits b.bits -m F1@", "there is no tolerance after '@'; write positions, seconds or per"),
    (1, "score song.lab short.lab -m covering", "got reference 0-90 s, hypothesis 0-80 s; set extent to 're"),
    (1, "info over.rttm", "speakers must not overlap in one stream; 'A' and 'B' at 2-3 s; join all speakers"),
    (1, "info back.lab", "back.lab:2: start must not be after end; got 61 > 30"),
    (1, f"agree {TIMES} -m v_measure", "v_measure needs labels of segments; use over='segments' without them"),
    (1, f"agree {TIMES} -m label_share", "the segments have none; use rand_index or boundary_f to compare bound"),
    (1, "score levels.json -m F1@1s", "the hierarchy has the levels 1, 2; choose one with level=1"),
    (1, f"agree {TIMES} -m F1@1s -c pi", "pi counts positions between units, and annotations in seconds"),
    (1, f"agree {TIMES} -c alpha", "use a measure such as boundary_f(tolerance='0.5s'), for spans in characters"),
    (1, "curve scores.csv", "3 units has 2 inner positions, but 3 scores; the end of the text is no inner position"),
    (2, "score song.lab short.lab -m F1(compat=nltk)", "boundary_f has no preset 'nltk'; choose from 'chunkseg'"),
    (2, "score song.lab short.lab -m hausdorff --compat gebd", "it exists for F1"),
    (1, "score nested.json -m span_f(chance=li2024)", "the spans 0-4 and 0-2 overlap or nest; the exact chance"),
    (1, "agree nested.json -m span_f --chance li2024", "no item can be compared: item 'text'"),
]


@pytest.mark.parametrize(("code", "arguments", "message"), CASES, ids=[case[1] for case in CASES])
def test_commands_say_what_is_wrong_and_what_to_do(code: int, arguments: str, message: str) -> None:
    result = invoke(f"{arguments} --quiet")
    assert result.exit_code == code, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


TIMED = cz.Segmentation.from_times([3.0], duration=9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cz.segmentation_similarity(TIMED, TIMED), r"use boundary_similarity\(n_t='1s'\) or boundary_f"),
        (lambda: cz.boundary_f(TIMED, TIMED, tolerance=float("nan")), "tolerance must be a number; got nan"),
        (lambda: cz.boundary_f(TIMED, TIMED, tolerance=float("inf")), "tolerance must be"),
        (
            lambda: cz.Tier([(0, 3, "a"), (2, 4, "b")]),
            "0-3 s 'a' and 2-4 s 'b' overlap; put intervals .* one stream each",
        ),
        (lambda: cz.Tier([(3, 2, "a")]), r"intervals\[0\]: end must be > start"),
        (
            lambda: cz.average_precision(cz.Segmentation.from_masses([1, 2]), [0.1, 0.2, 0.3]),
            "needs 2 scores; got 3; the end",
        ),
        (lambda: cz.parse("hausdorff(compat=mir_eval)"), "hausdorff has no preset"),
    ],
)
def test_functions_say_what_is_wrong(call, message: str) -> None:
    with pytest.raises(CaesuraError, match=message):
        call()
