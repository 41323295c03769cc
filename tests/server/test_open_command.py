"""The command ``caesura open`` as a process: address, Ctrl-C, a port in use, no browser, a missing package."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from caesura.cli import main

pytest.importorskip("starlette", reason="starlette is not installed: pip install caesura[open]")

PEOPLE = {"items": {"a": {"ann": [2, 3, 6], "bo": [5, 6]}, "b": {"ann": [4], "bo": [2, 2]}}}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.json"
    path.write_text(json.dumps(PEOPLE))
    return path


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and yield the process and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "caesura", "open", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"} | environment,
    )
    try:
        line = process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{43}/$", line)
        assert match, (line, process.stderr.read() if process.stderr and not line else "")
        yield process, match[0]
    finally:
        process.kill()
        process.communicate(timeout=10)


def test_address_requests_and_ctrl_c(people: Path) -> None:
    with running(str(people), "--no-browser") as (process, address):
        with urlopen(address, timeout=20) as response:
            page = response.read().decode()
        assert "Workbench" in page
        assert '"revision":1' in page
        root = address.rsplit("/", 2)[0]
        origin = {"Origin": root, "Content-Type": "application/json"}
        request = Request(f"{address}api/update", b'{"item": 0}', origin)
        with urlopen(request, timeout=20) as response:
            assert "coders agree" in json.load(response)["headline"]
        for wrong in (Request(f"{root}/"), Request(address, headers={"Host": "example.org"})):
            with pytest.raises(HTTPError, match="403"):
                urlopen(wrong, timeout=20)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out.strip()) == (0, "the server has ended")
    assert err.splitlines()[1:] == []  # the line on how the file was read


def test_only_this_machine_can_connect(people: Path) -> None:
    with running(str(people), "--no-browser", "--quiet") as (_, address):
        port = int(address.split(":")[2].partition("/")[0])
        own = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
        for name in own - {"127.0.0.1", "127.0.1.1"}:
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((name, port), timeout=5)


def test_a_port_in_use_is_one_sentence(people: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = CliRunner().invoke(main, ["open", str(people), "--no-browser", "--quiet", "--port", str(port)])
    assert result.exit_code == 1
    assert result.stderr == (
        f"caesura: port {port} cannot be used: another program uses it; choose another one, or omit --port for any free port\n"
    )


def test_without_a_browser_the_address_is_enough(people: Path) -> None:
    with running(str(people), "--quiet", BROWSER="/no/such/browser", PATH="", DISPLAY="") as (process, address):
        assert "no browser" in process.stdout.readline()
        with urlopen(address, timeout=20) as response:
            assert response.status == 200


def test_missing_packages_are_named(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura.cli.pictures.find_spec", lambda name: None if name == "uvicorn" else object())
    result = CliRunner().invoke(main, ["open", str(people), "--no-browser"])
    assert result.exit_code == 1
    assert "needs uvicorn, which is not installed; pip install 'caesura[open]'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--port", "70000"], 2), (["--port", "x"], 2), (["-m", "nothing"], 2), (["missing.json"], 1)],
)
def test_bad_arguments_start_no_server(people: Path, arguments: list[str], code: int) -> None:
    result = CliRunner().invoke(main, ["open", str(people), "--no-browser", *arguments])
    assert result.exit_code == code
    assert "Traceback" not in result.output


def test_excluded_items_are_listed_before_the_address(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text(json.dumps({"items": PEOPLE["items"] | {"odd": {"ann": [2, 2], "bo": [5]}}}))
    with running(str(path), "--no-browser", "--quiet") as (process, _):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err.count("'odd'")) == (1, 1)
