"""The npm package: packed, installed into an empty folder, and used there by Node, a page and a compiler."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_servers import PageServer
from real_servers import RealServer

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
PAGE = (ROOT / "docs" / "doors" / "javascript.md").read_text()
SERVED = "ws://127.0.0.1:8080/"  # the address in the examples
OFFLINE = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"]
STRICT = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"]
PROGRAM = """
import { EditorView } from "@codemirror/view";
import { TreewhileClient, type ClientDocument, type WordView } from "treewhile/client";
import { treewhile } from "treewhile/extension";
import { DepTree, speak, type Texts, type TreeAnalysis } from "treewhile/tree";
import { de } from "treewhile/tree/texts";

const letter: ClientDocument = new TreewhileClient("ws://localhost/").open("letter");
const words: readonly WordView[] = letter.sentences.flatMap(({ analysis }) => analysis.words);
const told: Texts = de;
speak("de", told);
const drawn: TreeAnalysis = new DepTree().analysis;
new EditorView({ extensions: [treewhile(letter)] });
// @ts-expect-error: a form is text
const wrong: number = words[0]!.form;
console.log(drawn, wrong);
"""

RETURNING = """
import { TreewhileClient } from "treewhile/client";

if (PACKAGE) globalThis.WebSocket = (await import(PACKAGE)).default;
const client = new TreewhileClient(process.argv[1]);
client.connect();
let greetings = 0;
client.welcomed.listen(() => greetings++);
client.statusChanged.listen(({ state }) => state === "waiting" && console.log(state));
const letter = client.open("letter", "The dog barks");
let shown = 0;
letter.changed.listen(() => {
  const [sentence] = letter.sentences;
  if (!letter.isCurrent || !sentence || greetings === shown) return;
  shown = greetings;
  console.log(sentence.analysis.words.map(({ form }) => form).join(" "));
  if (greetings === 2) client.close();
});
"""


def example(language: str) -> str:
    """The only example of a kind on the page."""
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


def run(*command: str | Path, where: Path) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which nothing but the package is installed."""
    if shutil.which("npm") is None or not (WEB / "node_modules").exists():
        pytest.skip("npm is missing, or what the sources need: npm ci in web")
    here = tmp_path_factory.mktemp("project")
    packed = run("npm", "pack", "--json", "--pack-destination", here, where=WEB)
    [made] = json.loads(packed[packed.index("[\n") :])
    (here / "package.json").write_text('{"type": "module"}')
    run("npm", "install", *OFFLINE, here / made["filename"], where=here)
    return here


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """That of a server with the English model."""
    with RealServer("en") as server:
        server.wait_until_ready()
        yield server.address.replace("http", "ws")


def test_it_has_the_version_of_the_server() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    package, lock = (json.loads((WEB / f"package{name}.json").read_text()) for name in ("", "-lock"))
    assert {package["version"], lock["version"], lock["packages"][""]["version"]} == {project["version"]}


def test_it_brings_its_licence_and_needs_nothing(project: Path) -> None:
    package = project / "node_modules" / "treewhile"
    assert (package / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert "dependencies" not in json.loads((package / "package.json").read_text())
    assert {path.name for path in (project / "node_modules").iterdir() if path.name[0] != "."} == {
        "treewhile"
    }
    assert not [path for path in package.rglob("*.ts") if not path.name.endswith(".d.ts")]


@pytest.mark.parametrize(("module", "resolution"), [("nodenext", "nodenext"), ("esnext", "bundler")])
def test_its_types_are_seen_from_outside(project: Path, tmp_path: Path, module: str, resolution: str) -> None:
    shutil.copytree(project, tmp_path, dirs_exist_ok=True)
    (tmp_path / "node_modules" / "@codemirror").symlink_to(WEB / "node_modules" / "@codemirror")
    (tmp_path / "program.ts").write_text(PROGRAM)
    how = ["--module", module, "--moduleResolution", resolution]
    run(WEB / "node_modules" / ".bin" / "tsc", *STRICT, *how, "program.ts", where=tmp_path)
    assert (tmp_path / "program.ts").exists()


def test_the_client_runs_in_node_as_the_page_says(project: Path, address: str) -> None:
    (project / "letter.js").write_text(example("js").replace(SERVED, address))
    said = run("node", "--experimental-websocket", "letter.js", where=project)
    assert f"```\n{said}```" in PAGE


@pytest.mark.parametrize("socket", [None, WEB / "node_modules" / "ws" / "wrapper.mjs"], ids=["Node's", "ws"])
def test_the_client_in_node_outlives_a_server_that_is_killed(project: Path, socket: Path | None) -> None:
    program = RETURNING.replace("PACKAGE", json.dumps(socket and str(socket)))
    with RealServer("en") as server:
        server.wait_until_ready()
        address = server.address.replace("http", "ws")
        command = ["node", "--experimental-websocket", "--input-type=module", "--eval", program, address]
        with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as node:
            assert node.stdout
            told = map(str.strip, node.stdout)
            assert next(told) == "The dog barks"
            server.kill()
            assert [next(told), next(told)] == ["waiting", "waiting"]  # what was lost, what was refused
            server.start()
            assert [one for one in told if one != "waiting"] == ["The dog barks"]
    assert node.returncode == 0


def test_a_node_without_websockets_says_so(project: Path) -> None:
    program = 'new (await import("treewhile/client")).TreewhileClient("ws://localhost/").connect()'
    command = ["node", "--input-type=module", "--eval", f"delete globalThis.WebSocket; {program}"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "Error: there is no WebSocket here: use Node 22" in done.stderr


def test_what_needs_no_page_of_the_tree_runs_in_node(project: Path) -> None:
    program = """
        import { conlluOf, defineDepTree } from "treewhile/tree";
        console.log(conlluOf({ words: [{ form: "Rain", tag: "NOUN", head: 0, label: "root" }] }));
    """
    said = run("node", "--input-type=module", "--eval", program, where=project)
    assert said.splitlines()[:2] == ["# text = Rain", "1\tRain\t_\tNOUN\t_\t_\t0\troot\t_\t_"]


def test_its_texts_are_there_in_every_language_of_the_page(project: Path) -> None:
    program = """
        import * as texts from "treewhile/tree/texts";
        console.log(JSON.stringify(texts));
    """
    said = json.loads(run("node", "--input-type=module", "--eval", program, where=project))
    assert sorted(said) == ["af", "de", "en", "es", "fr", "nl", "pt"]
    assert said["de"]["tree.name"] == "Abhängigkeitsbaum"
    assert len({tuple(texts) for texts in said.values()}) == 1


@pytest.mark.parametrize("module", ["client", "dep-tree", "extension"])
def test_each_module_has_a_map_to_its_sources(project: Path, module: str) -> None:
    built = project / "node_modules" / "treewhile" / "dist" / f"{module}.js"
    assert built.read_text().endswith(f"//# sourceMappingURL={module}.js.map\n")
    told = json.loads(built.with_name(f"{module}.js.map").read_text())
    assert any(source.endswith("/index.ts") or "source/" in source for source in told["sources"])
    assert all(told["sourcesContent"])


def test_a_page_of_another_origin_draws_what_is_typed(project: Path, new_page: Callable[[], Any]) -> None:
    with PageServer(project) as origin, RealServer("en", "--origin", origin) as server:
        (project / "page.html").write_text(
            example("html").replace(SERVED, server.address.replace("http", "ws"))
        )
        page = new_page()
        page.goto(f"{origin}/page.html")
        page.locator("input").press("End")
        page.locator("input").press_sequentially(" barks")
        page.get_by_role("img").get_by_text("barks", exact=True).wait_for()
        assert page.locator("input").input_value() == "The old dog barks"
