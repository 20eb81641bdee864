"""The work of a corpus on Ray, which is installed by `make test-all`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "treewhile.server.commands"]
TEXT = "the dog barks.\n\nthe cat cannot see the old dog\n\n"
FILES = 12
MARK = "TREEWHILE_TEST_OF_RAY"


@pytest.fixture(scope="module")
def option(model_file: Callable[..., Path]) -> str:
    return f"--model={model_file()}"


@pytest.fixture(scope="module", autouse=True)
def is_there() -> None:
    """In another process, since Ray warns where it is imported."""
    if subprocess.run([sys.executable, "-c", "import ray.data"], capture_output=True).returncode:
        pytest.skip("pip install '.[ray]'")


def actors_of(run: str) -> list[int]:
    """The processes of Ray that work for a run."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_actor = (path / "cmdline").read_bytes().startswith(b"ray::MapWorker")
            if is_actor and f"{MARK}={run}".encode() in (path / "environ").read_bytes():
                found.append(int(path.name))
    return found


@pytest.mark.slow
def test_a_cluster_makes_the_same_bytes_whoever_is_killed(option: str, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for number in range(FILES):
        (tmp_path / "corpus" / f"{number}.txt").write_text(TEXT * 1500)
    (tmp_path / "corpus" / "bad.txt").write_bytes(TEXT.encode() + b"\xff")
    alone, out = tmp_path / "alone", tmp_path / "out"
    arguments = ["parse", option, str(tmp_path / "corpus"), "--out"]
    subprocess.run([*COMMAND, *arguments, str(alone), "--jobs", "1"], timeout=300, capture_output=True)
    environment = {**os.environ, MARK: tmp_path.name}
    command = [*COMMAND, *arguments, str(out), "--on", "ray", "--jobs", "2"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and len([*out.glob("*.conllu")]) < 2:
            time.sleep(0.01)
        killed = actors_of(tmp_path.name)[:1]
        for actor in killed:
            os.kill(actor, signal.SIGKILL)
        _, messages = process.communicate(timeout=300)
    assert killed
    assert process.returncode == 1
    assert f"save the file as UTF-8, at {tmp_path}/corpus/bad.txt:5" in messages
    assert messages.endswith(f"treewhile: 1 of {FILES + 1} files were left out; the others are in {out}\n")
    for number in range(FILES):
        made = [(folder / f"{number}.conllu").read_bytes() for folder in (alone, out)]
        assert made[0] == made[1]


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_told(option: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    command = [
        *COMMAND,
        "parse",
        option,
        str(tmp_path / "a.txt"),
        "--out",
        str(tmp_path / "out"),
        "--on",
        "ray",
    ]
    environment = {**os.environ, "RAY_ADDRESS": "auto"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "treewhile: there is no cluster of Ray at auto: " in done.stderr
    assert "Traceback" not in done.stderr
