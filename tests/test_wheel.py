"""What a wheel brings into an empty environment: commands, models, page and types, no sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

# One worker runs all of these: the environment that they share takes a minute.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

ROOT = Path(__file__).parent.parent
TYPED = """
from treewhile.incremental import Session, load_model
from treewhile.oracles import Configuration, optimal_steps
from treewhile.server.client import connect

reveal_type(optimal_steps(Configuration((0, 1), 2, 2), [2, 0]).shift)
reveal_type(load_model("en").parse(["a"]).heads)
reveal_type(connect("ws://127.0.0.1"))
Session(1)
"""


class Installed:
    """An environment that has the wheel and what this needs, and a folder with nothing in it."""

    def __init__(self, folder: Path) -> None:
        self.here = folder / "here"
        self.here.mkdir()
        self.programs = folder / "environment" / "bin"
        source = folder / "source"
        ignored = shutil.ignore_patterns(".*", "build", "node_modules", "tests", "docs", "*.egg-info")
        shutil.copytree(ROOT, source, ignore=ignored)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True)
        shutil.rmtree(source)
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        [wheel] = folder.glob("*.whl")
        self.run("python", "-m", "pip", "--quiet", "install", str(wheel), "mypy")

    def run(self, program: str, *arguments: str, code: int = 0) -> str:
        """What it prints, with no help from the environment of the tests."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "NUMBA_CACHE_DIR") if name in os.environ}
        kept |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
        environment = {**kept, "PATH": f"{self.programs}:/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.here,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
        )
        assert done.returncode == code, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("wheel"))


def test_the_command_parses_with_every_model_that_comes_along(installed: Installed) -> None:
    assert '"en"' in installed.run("treewhile", "models", "--json")
    for model in ("en", "af", "de", "es", "fr", "nl", "pt"):
        assert '"heads"' in installed.run("treewhile", "parse", "--json", "--model", model, "Peter drives")


def test_the_library_finds_its_models_and_grammars(installed: Installed) -> None:
    code = (
        "from treewhile.incremental import Session, load_model\n"
        "from treewhile.incremental.constraints import searcher_for\n"
        "model = load_model()\n"
        "*_, last = Session(model, searcher_for(model)).run(['Dogs', 'bark'], time_limit=None)\n"
        "print(last.stage)"
    )
    assert installed.run("python", "-c", code) == "final\n"


def test_a_server_shows_its_page(installed: Installed) -> None:
    process = subprocess.Popen(
        [installed.programs / "treewhile", "serve", "--port", "0"],
        cwd=installed.here,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        address = next(line for line in process.stdout if "open " in line).split("open ")[1].split(" ")[0]
        with build_opener(ProxyHandler({})).open(address, timeout=60) as answer:
            assert b"<title>" in answer.read()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_its_types_are_seen_from_outside(installed: Installed) -> None:
    (installed.here / "user.py").write_text(TYPED)
    said = installed.run("python", "-m", "mypy", "--strict", "user.py", code=1)
    assert 'Revealed type is "float | None"' in said
    assert 'Revealed type is "treewhile.server.client.client.Client"' in said
    assert 'Argument 1 to "Session" has incompatible type "int"' in said
    assert said.count("error:") == 1


def test_it_brings_no_tests_and_no_sources_of_the_page(installed: Installed) -> None:
    [packages] = installed.programs.parent.glob("lib/python*/site-packages")
    assert {path.name for path in (packages / "treewhile").iterdir()} == {
        "incremental",
        "oracles",
        "server",
        "web",
    }
    assert not [*(packages / "treewhile").rglob("*.ts")]
