"""What README and docs show is what happens: sessions, scripts, commands, pages, grammars, set-ups."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
import pytest
from browsers import chromium
from click.testing import CliRunner
from free_ports import free_port
from own_certificates import certificate_in
from page_servers import PageServer
from real_servers import RealServer
from waiting import PATIENCE
from websockets.sync.client import connect

from treewhile.incremental.constraints import parse_grammar
from treewhile.server.commands import treewhile
from treewhile.server.protocol.frames import Incoming, Outgoing

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SERVED = "ws://127.0.0.1:8080"  # the address in the examples
# What a door's page shows runs where the package of others is there: `make test-all` has all of them.
NEEDED = {
    "inception": "cassis",
    "livekit": "livekit.agents",
    "lsp": "pygls",
    "notebook": "anywidget",
    "pipecat": "pipecat",
    "retico": "retico_core",
    "spacy": "spacy",
}
TREEWHILE = [sys.executable, "-m", "treewhile.server.commands"]


class Example(NamedTuple):
    """A block of a page."""

    page: Path
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}-{self.language}"


def examples(*languages: str) -> list[Example]:
    return [
        Example(page, language, text)
        for page in PAGES
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        if language in languages
    ]


def is_at_door(example: Example) -> bool:
    """Whether what it shows is one of the doors, which need packages of others."""
    return example.page.parent == DOCS / "doors"


@pytest.fixture(scope="module")
def server() -> Iterator[RealServer]:
    with RealServer("en") as server:
        server.wait_until_ready()
        yield server


def test_every_kind_of_example_is_run() -> None:
    kinds = {kind for page in PAGES for kind in re.findall(r"^```(\w+)$", page.read_text(), re.MULTILINE)}
    assert kinds == {"console", "constraints", "html", "ini", "js", "json", "nginx", "pycon", "python", "sh"}


def test_a_stranger_reads_the_readme_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 6 * 1024


def test_files_that_are_named_are_there() -> None:
    """Paths from the top of the repository exist, in all pages and in CONTRIBUTING."""
    named = re.compile(r"`((?:oracles|incremental|server|tests|docs|web/source)/[\w./-]*)`")
    pages = [*PAGES, ROOT / "CONTRIBUTING.md"]
    found = {(page.name, name) for page in pages for name in named.findall(page.read_text())}
    assert len(found) > 30
    assert [one for one in sorted(found) if not (ROOT / one[1]).exists()] == []


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Links, references, snippets and what is taken from docstrings."""
    pytest.importorskip("mkdocs", reason="pip install '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    folders = {page.parent if page.name == "index" else page for page in pages}
    assert all((tmp_path / folder / "index.html").exists() for folder in folders)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```pycon" in page.read_text()], ids=lambda page: page.name
)
def test_python_sessions_print_what_they_say(page: Path) -> None:
    """The sessions of a page are one."""
    text = "\n".join(example.text for example in examples("pycon") if example.page == page)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("example", examples("console"), ids=str)
def test_commands_print_what_they_say(example: Example, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(DOCS)
    for step in re.split(r"^\$ ", example.text, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        words = shlex.split(command)
        assert words[0] == "treewhile", command
        done = subprocess.run(
            [*TREEWHILE, *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert done.returncode == 0, done.stderr
        assert [line.rstrip() for line in done.stdout.splitlines()] == [
            line.rstrip() for line in expected.splitlines()
        ]


@pytest.mark.slow
@pytest.mark.parametrize("example", examples("python"), ids=str)
def test_scripts_run_to_their_ends(example: Example, server: RealServer, tmp_path: Path) -> None:
    at_a_door = is_at_door(example)
    if at_a_door and not is_there(NEEDED.get(example.page.stem, "treewhile")):
        pytest.skip(f"pip install '.[{example.page.stem}]'")
    script = tmp_path / "script.py"
    served = server.address.rstrip("/")
    text = example.text.replace(SERVED.replace("ws", "http"), served)
    script.write_text(text.replace(SERVED, served.replace("http", "ws")))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert at_a_door or not done.stderr  # others log there
    assert done.stdout


@pytest.mark.parametrize("example", [one for one in examples("js") if not is_at_door(one)], ids=str)
def test_programs_of_node_print_what_their_page_says(
    example: Example, server: RealServer, tmp_path: Path
) -> None:
    node = shutil.which("node") or pytest.skip("Node.js is missing")
    program = tmp_path / "program.mjs"
    program.write_text(example.text.replace(SERVED, server.address.rstrip("/").replace("http", "ws")))
    command = [node, "--experimental-websocket", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"```\n{done.stdout}```" in example.page.read_text()


@pytest.mark.parametrize("example", examples("json"), ids=str)
def test_messages_are_whole_and_have_nothing_else(example: Example) -> None:
    frame = json.loads(example.text)
    message = msgspec.convert(frame, Incoming | Outgoing)
    assert json.loads(msgspec.json.encode(message)) == frame


def is_there(package: str) -> bool:
    """Whether a package can be imported."""
    with suppress(ModuleNotFoundError):
        return find_spec(package) is not None
    return False


@pytest.mark.parametrize("example", examples("constraints"), ids=str)
def test_grammars_are_read(example: Example) -> None:
    assert parse_grammar(example.text).constraints


def exemplified() -> dict[str, str]:
    """The grammars of pages that have examples, indented or fenced, by the names of their pages."""
    blocks = [(example.page, example.text) for example in examples("constraints")]
    for page in PAGES:
        unfenced = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        blocks += [(page, text) for text in re.findall(r"(?:^(?: {4}.*)?\n)+", unfenced, re.MULTILINE)]
    shows = re.compile(r'^ *(?:right|wrong) "', re.MULTILINE)
    return {page.stem: text for page, text in blocks if shows.search(text)}


@pytest.mark.parametrize("name", exemplified())
def test_examples_in_grammars_show_what_they_should(name: str, tmp_path: Path) -> None:
    """With the model of Afrikaans, of which the grammars of the pages are."""
    path = tmp_path / "shown.constraints"
    path.write_text(f"include general\n{exemplified()[name]}")
    found = CliRunner().invoke(treewhile, ["grammar", "check", str(path), "--model", "af"])
    assert found.exit_code == 0, found.output


def test_there_are_grammars_with_examples() -> None:
    assert {*exemplified()} == {"constraints", "grammar"}


@pytest.mark.parametrize("example", examples("sh"), ids=str)
def test_commands_of_treewhile_have_the_options_that_are_shown(example: Example) -> None:
    lines = [shlex.split(line.rstrip("& "), comments=True) for line in example.text.splitlines()]
    for _, *words in (line for line in lines if line[:1] == ["treewhile"]):
        command: click.Command = treewhile
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found, example.text
            command = found
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


# What docs/doors/javascript.md shows takes the npm package: tests/web/test_package.py runs it.
@pytest.mark.slow
@pytest.mark.parametrize("example", [one for one in examples("html") if not is_at_door(one)], ids=str)
def test_pages_draw_a_tree_that_follows_what_is_typed(
    example: Example, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for name in ("client.js", "dep-tree.js"):
        shutil.copy(ROOT / "web" / "built" / name, tmp_path)
    with PageServer(tmp_path) as origin, RealServer("en", "--origin", origin) as server:
        page_file = example.text.replace(f"{SERVED}/", server.address.replace("http", "ws"))
        (tmp_path / "page.html").write_text(page_file)
        with chromium() as browser:
            page = browser.new_page()
            page.goto(f"{origin}/page.html")
            page.locator("input").press("End")
            page.locator("input").press_sequentially(" barks")
            page.get_by_role("img").get_by_text("barks", exact=True).wait_for(timeout=60_000)
            assert page.locator("input").input_value() == "The old dog barks"


@pytest.mark.slow
@pytest.mark.parametrize("example", examples("nginx"), ids=str)
def test_nginx_passes_websockets_on_as_configured(
    example: Example, server: RealServer, tmp_path: Path
) -> None:
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or pytest.skip("nginx is missing")
    (certificate, key), port = certificate_in(tmp_path), free_port()
    site = (
        example.text.replace(SERVED.removeprefix("ws://"), f"127.0.0.1:{server.port}")
        .replace("listen 443", f"listen 127.0.0.1:{port}")
        .replace("/etc/ssl/parse.example.org.pem", str(certificate))
        .replace("/etc/ssl/parse.example.org.key", str(key))
    )
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/errors; daemon off;\n"
        f"events {{}}\nhttp {{ access_log off; client_body_temp_path {tmp_path}/body;\n{site}}}\n"
    )
    process = subprocess.Popen(
        [nginx, "-p", str(tmp_path), "-e", f"{tmp_path}/errors", "-c", str(configuration)]
    )
    try:
        trusted = ssl.create_default_context(cafile=str(certificate))
        with connect_soon(f"wss://localhost:{port}", trusted) as socket:
            socket.send('{"type": "open", "document": "d", "version": 0, "words": ["Peter"]}')
            assert '"sentences"' in str(socket.recv(timeout=PATIENCE))
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


@pytest.mark.parametrize("example", examples("ini"), ids=str)
def test_units_of_systemd_are_understood(example: Example, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze") or pytest.skip("systemd-analyze is missing")
    if verified(analyze, tmp_path / "known.service", f"[Service]\nExecStart={sys.executable}\n")[0]:
        pytest.skip("systemd-analyze verifies nothing here")
    unit = example.text.replace("/opt/treewhile/bin/treewhile", sys.executable)
    assert verified(analyze, tmp_path / "treewhile.service", unit) == (0, [])


def verified(analyze: str, place: Path, unit: str) -> tuple[int, list[str]]:
    """The exit status for a unit, and what is said of it."""
    place.write_text(unit)
    done = subprocess.run([analyze, "verify", str(place)], capture_output=True, text=True, timeout=60)
    return done.returncode, [line for line in done.stderr.splitlines() if place.name in line]


def connect_soon(address: str, trusted: ssl.SSLContext) -> Any:
    """A connection to a server that has just been started."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return connect(address, ssl=trusted, proxy=None)
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError(f"nobody listens at {address}")
