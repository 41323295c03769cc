"""Damaged files: reading any of them ends in a corpus or in an error of this package.

Every run reads about 60 damaged files per format. ``CAESURA_FUZZ=2000`` reads that many, in a process of its own that may
take 2 s per file and 500 MB of memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import FormatError
from caesura.formats import detect, formats
from support import fuzzing
from support.shared_data import DataFolder

MANY = int(os.environ.get("CAESURA_FUZZ", "0"))
FEW = 60
NEEDS = {"xml": "lxml", "inception": "cassis", "parquet": "pyarrow", "r": "rdata", "talkbank": "rustling"}
DETECTED = {"spans-csv": "table-csv"}  # one reader for all tables


def need(name: str) -> None:
    if formats()[name].extra in NEEDS:
        pytest.importorskip(NEEDS[formats()[name].extra])


def test_every_format_has_a_sample() -> None:
    assert set(fuzzing.SAMPLES) == set(formats())


@pytest.mark.parametrize("name", formats())
def test_the_samples_are_valid(name: str, tmp_path: Path, shared: DataFolder) -> None:
    need(name)
    for target in fuzzing.write_samples(name, tmp_path, shared):
        sample = fuzzing.SAMPLES[name]
        assert fuzzing.read(target.read, name, **sample.options) == "corpus"
        if sample.detectable:
            assert detect(target.read).name == DETECTED.get(name, name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                corpus = cz.read(target.read, **sample.options)
                assert corpus == cz.read(target.read, name, **sample.options)


@pytest.mark.parametrize("name", formats())
def test_damaged_files(name: str, tmp_path: Path, shared: DataFolder) -> None:
    need(name)
    if MANY:
        command = [sys.executable, "-m", "support.fuzzing", name, str(MANY), str(shared.unpacked)]
        process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
        report = json.loads(process.stdout)
        assert report["wrong"] == []
        ended = report["ended"]
    else:
        targets = fuzzing.write_samples(name, tmp_path, shared)
        ends = [fuzzing.read_damaged(targets[i % len(targets)], i // len(targets), name) for i in range(FEW)]
        ended = {end: ends.count(end) for end in set(ends)}
    assert set(ended) <= {"corpus", "error"}
    assert ended["error"] > 0  # the damage is felt


# -- entities ---------------------------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
BOMBS = {
    "billion laughs": (f'[<!ENTITY l0 "ha">{LAUGHS}]', "&l11;"),
    "quadratic blow-up": (f'[<!ENTITY q "{"q" * 50_000}">]', "&q;" * 5_000),
    "external entity": ('[<!ENTITY x SYSTEM "{secret}">]', "&x;"),
    "external parameter entity": ('[<!ENTITY % x SYSTEM "{secret}"> %x;]', "&y;"),
    "external subset": ('SYSTEM "{secret}"', ""),
    "internal subset alone": ("[]", ""),
}

XML = [name for name, sample in fuzzing.SAMPLES.items() if sample.files[sample.name].startswith(b"<")]


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("name", XML)
def test_entities_are_rejected(name: str, bomb: str, tmp_path: Path) -> None:
    need(name)
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY y "never to be seen">')
    document, body = BOMBS[bomb]
    head = f"<!DOCTYPE root {document.replace('{secret}', secret.as_uri())}>"
    for target in fuzzing.write_samples(name, tmp_path, None):
        text = target.data.decode()
        at = text.rindex("</")  # inside the root
        target.path.write_text('<?xml version="1.0"?>\n' + head + text[:at] + body + text[at:])
        with pytest.raises(FormatError, match="entities are not expanded") as caught:
            cz.read(target.read, name)
        assert "never to be seen" not in str(caught.value)
        target.path.write_bytes(target.data)
    assert len(XML) >= 3


@pytest.mark.parametrize("name", XML)
def test_entities_are_rejected_in_any_encoding(name: str, tmp_path: Path) -> None:
    need(name)
    for target in fuzzing.write_samples(name, tmp_path, None)[:1]:
        text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY x "y">]>' + target.data.decode()
        target.path.write_bytes(text.encode("utf-16"))
        with pytest.raises(FormatError, match="entities are not expanded"):
            cz.read(target.read, name)
