"""Every command that an ambiguous file or ``caesura info`` prints works when it is pasted."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from caesura.cli import main

MAX_QUESTIONS = 3  # until a file is read
SENTENCES = ["One.", "Two.", "Three.", "Four.", "Five."]


def table(header: str, *columns: str, delimiter: str = ",") -> str:
    """Return a table with sentences and columns of one character per row."""
    rows = zip(SENTENCES, *columns, strict=True)
    return "\n".join([header, *(delimiter.join(row) for row in rows)]) + "\n"


def document(**fields: object) -> str:
    return json.dumps(fields) + "\n"


AMBIGUOUS = {
    "numbers.csv": table("sentence,ann,bo", "00111", "00011"),
    "starts.csv": "doc,sentence,ann,bo\n"
    + "".join(f"{d},s{i},{int(i in (0, 2))},{int(i == 0)}\n" for d in "ab" for i in range(4)),
    "label.csv": table("sentence,label", "01010"),
    "empty.csv": table("sentence,ann,bo,cy", "01000", "00100", " " * 5),
    "words.csv": "speaker,token,ann\nA,x,0\nB,y,1\nA,z,0\nB,w,1\n",
    "two texts.csv": "sentence,text,ann\na,one,0\na,two,1\na,three,0\nb,four,1\nb,five,0\nb,six,0\n",
    "counts.csv": "story,sentence,count,n\na,One.,0,7\na,Two.,5,7\na,Three.,1,7\na,Four.,0,7\n",
    "events.csv": "who,what,time\np,a,1.5\np,a,4.5\nq,a,1.25\nq,a,5.0\n",
    "item's own.csv": table("doc+x,ann=1,bo", "00111", "00011").replace("One", "1"),
    "marks.jsonl": "".join(document(id=name, sentences=SENTENCES, labels=[0, 1, 0, 0, 0]) for name in "ab"),
    "fields.jsonl": document(uid="a", sents=SENTENCES, gold=[2], model=[1, 3]),
    "masses.jsonl": document(id="d", reference=[3, 2, 3], hypothesis=[3, 3, 2]),
    "tags.conll": "EU B-ORG B-ORG\nsays O O\nPeter B-PER O\n",
    "left and right.csv": "doc,coder,left,right,label\nd,a,0,8,P\nd,a,9,12,L\nd,b,4,8,P\nd,b,9,12,L\n",
    "two pairs.csv": "doc,coder,start_char,end_char,start_token,end_token\nd,a,0,8,0,2\nd,b,4,8,1,2\n",
    "duration.csv": "doc,coder,onset,duration\nd,a,0.5,60\nd,a,2,60\nd,b,1,60\n",
    "tags.csv": "token,chunk,ner\nEU,B-NP,B-ORG\nsays,B-VP,O\n",
}
CLEAR = {
    "people.csv": table("sentence,ann,bo", "01000", "00100"),
    "three.csv": table("sentence,ann,bo,cy", "01000", "00100", "01010"),
    "one coder.csv": table("sentence,ann", "01000"),
    "title.csv": "Study of news\n\n" + table("sentence;ann;bo", "01000", "00100", delimiter=";"),
    "spans.csv": "doc,coder,start,end,label\nd,ann,0,3,A\nd,ann,3,9,B\nd,bo,0,4,A\nd,bo,4,9,B\n",
    "keys.csv": "participant,movie,time\np1,storm,1.5\np1,storm,4.0\np2,storm,1.4\n",
    "documents.jsonl": document(item="a", length=6, reference=[2], hypothesis=[3]),
}


def run(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setattr(sys, "argv", ["caesura", *arguments])
    return CliRunner().invoke(main, list(arguments))


def write(folder: Path, name: str, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path(name).write_text(content, encoding="utf-8")


def check(arguments: Sequence[str], questions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a command, and all commands that it offers, until the file is read."""
    result = run(arguments, monkeypatch)
    commands = re.findall(r": (caesura .*)$", result.stderr, re.MULTILINE)
    assert result.exit_code == (1 if commands else 0), (arguments, result.stderr)
    assert questions or not commands, arguments
    for command in commands:
        check(shlex.split(command)[1:], questions - 1, monkeypatch)


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_commands_of_an_ambiguous_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, name, AMBIGUOUS[name], monkeypatch)
    result = run(["info", name], monkeypatch)
    assert result.exit_code == 1
    assert not result.stdout
    assert "caesura info " in result.stderr
    check(["info", name], MAX_QUESTIONS, monkeypatch)


@pytest.mark.parametrize("name", CLEAR)
def test_next_commands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, name, CLEAR[name], monkeypatch)
    result = run(["info", name], monkeypatch)
    assert result.exit_code == 0, result.stderr
    commands = [line.strip() for line in result.stdout.split("Next:")[1].splitlines() if line.strip()]
    assert commands
    for command in commands:
        arguments = shlex.split(command)[1:]
        for i, word in enumerate(arguments):
            if word in ("HYPOTHESIS", "SECOND_CODER"):  # another file of the same kind
                arguments[i] = "other.csv"
                Path("other.csv").write_text(Path(name).read_text().replace("ann", "bo"))
        assert run(arguments, monkeypatch).exit_code == 0, command


def test_files_of_a_folder_need_one_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study").mkdir()
    for item in ("a", "b"):
        Path(f"study/{item}.csv").write_text(table("sentence,ann,bo", "00111", "00011"))
    check(["agree", "study"], MAX_QUESTIONS, monkeypatch)
    shutil.rmtree("study")
