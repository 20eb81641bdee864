"""The language server as editors meet it: the real command, over pipes, with pygls's own client."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cases import cases, each_seed

types = pytest.importorskip("lsprotocol.types")
pytest.importorskip("pygls")

from editors import COMMAND, PATIENCE, Editor, everything, replaced  # noqa: E402

from treewhile.incremental import DocumentView, Session, ThreadedSession, load_model  # noqa: E402
from treewhile.incremental.constraints import searcher_for  # noqa: E402
from treewhile.incremental.messages import Open  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pygls")

A, B = "file:///home/ada/a%20letter.txt", "file:///home/ada/notes.md"
WRONG = "The old dogs barks at a apple. Peter drives a red"
MARKS = [("an before vowels", "0:22-0:23"), ("the dogs bark", "0:13-0:18")]


@pytest.mark.slow
async def test_a_document_is_marked_hinted_told_and_selected() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(A, WRONG)
        await editor.until(lambda: len(editor.marks(A)) == 2)
        assert [place for _, place in editor.marks(A)] == [place for _, place in MARKS]
        assert all("*" not in one.message for one in editor.diagnostics[A].diagnostics)
        assert await editor.hints(A) == [("[NOUN]", "0:49")]
        assert editor.refreshed > 0
        told = await editor.hover(A, 0, 10)
        assert told
        assert "*dogs* is the subject (nsubj) of *barks*." in told
        assert "*old* as adjective (amod)" in told
        assert "▼" in told
        assert await editor.hover(A, 0, 49), "at the end of the last word"
        assert [await editor.hover(A, *behind) for behind in ((0, 50), (0, 500), (7, 0))] == [None] * 3
        selected = await editor.selections(A, 0, 26)
        assert selected == ["0:24-0:29", "0:19-0:29", "0:0-0:30", "0:0-0:49"]


@pytest.mark.slow
async def test_marks_stay_while_letters_are_typed_and_go_with_the_mistake() -> None:
    async with Editor({"hints": False}) as editor:
        await editor.begin()
        editor.open(A, WRONG)
        await editor.until(lambda: len(editor.marks(A)) == 2)
        for version, letter in enumerate(" car", 2):
            editor.change(A, version, replaced(0, 47 + version, 47 + version, letter))
            await editor.answered(A, version)
            assert len(editor.marks(A)) == 2
        editor.change(A, 6, replaced(0, 22, 23, "an"))
        await editor.until(lambda: editor.diagnostics[A].version == 6 and len(editor.marks(A)) == 1)
        assert await editor.hints(A) == []
        editor.close(A)
        await editor.until(lambda: not editor.marks(A))
        assert editor.diagnostics[A].version is None


@pytest.mark.slow
async def test_letters_that_change_no_mark_cost_no_list_of_them() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(A, WRONG)
        await editor.until(lambda: len(editor.marks(A)) == 2)
        before = editor.lists
        for version, letter in enumerate("Well, then. ", 2):
            editor.change(A, version, replaced(0, version - 2, version - 2, letter))
            await editor.hints(A)  # which are of the text with that letter
        await editor.until(lambda: editor.diagnostics[A].version == 13)
        assert editor.lists - before < 6
        assert [place for _, place in editor.marks(A)] == ["0:34-0:35", "0:25-0:30"]


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "start"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
async def test_places_are_in_the_units_of_the_editor(encoding: str, start: int) -> None:
    async with Editor() as editor:
        answer = await editor.begin([encoding])
        assert answer.capabilities.position_encoding == encoding
        editor.open(A, "\r\n🎉é A apple fell down.\r\n")
        editor.change(A, 2, replaced(0, 0, 0, "x\r\n"))
        await editor.until(lambda: editor.marks(A))
        assert editor.marks(A)[0][1] == f"2:{start}-2:{start + 1}"


@pytest.mark.slow
async def test_only_the_prose_of_markdown_is_judged() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(B, "```\nThis is a apple.\n```\n\nThat is a apple.\n", "markdown")
        await editor.until(lambda: editor.marks(B))
        assert [place for _, place in editor.marks(B)] == ["4:8-4:9"]


@pytest.mark.slow
async def test_settings_change_in_flight_and_what_is_unknown_is_said() -> None:
    async with Editor({"severity": "error", "foo": 1}) as editor:
        await editor.begin()
        editor.open(A, WRONG)
        await editor.until(lambda: len(editor.marks(A)) == 2)
        assert {one.severity for one in editor.diagnostics[A].diagnostics} == {types.DiagnosticSeverity.Error}
        [said] = editor.shown
        assert "foo" in said
        assert "maxFileLength" in said
        editor.configure({"treewhile": {"severity": "hint"}})
        hint = {types.DiagnosticSeverity.Hint}
        await editor.until(lambda: {one.severity for one in editor.diagnostics[A].diagnostics} == hint)
        editor.configure({"treewhile": {"maxFileLength": 10}})
        await editor.until(lambda: not editor.marks(A))
        assert "maxFileLength" in editor.shown[-1]
        editor.configure({"treewhile": {"model": "none-of-these"}})
        await editor.until(lambda: "none-of-these" in editor.shown[-1])
        editor.configure({"treewhile": {}})
        await editor.until(lambda: len(editor.marks(A)) == 2)


@pytest.mark.slow
async def test_folders_have_their_own_settings() -> None:
    def asked(uri: str) -> object:
        return {"maxFileLength": 5} if "short" in uri else None

    async with Editor({"severity": "warning"}, asked) as editor:
        await editor.begin()
        editor.open("file:///short/x.txt", WRONG)
        editor.open("file:///long/x.txt", WRONG)
        await editor.until(lambda: len(editor.marks("file:///long/x.txt")) == 2)
        assert editor.marks("file:///short/x.txt") == []
        assert ["5 characters" in line for line in editor.shown] == [True]


@pytest.mark.slow
async def test_a_document_that_is_too_long_is_said_once_and_others_go_on() -> None:
    async with Editor({"maxFileLength": 100}) as editor:
        await editor.begin()
        editor.open(A, WRONG)
        editor.open(B, "A apple. " * 20)
        await editor.until(lambda: len(editor.marks(A)) == 2 and editor.shown)
        for version in range(2, 6):
            editor.change(B, version, everything("A apple. " * (20 + version)))
        assert await editor.hints(B) == []
        editor.change(B, 6, everything("A apple."))
        await editor.until(lambda: editor.marks(B))
        assert len(editor.shown) == 1


@pytest.mark.slow
async def test_what_the_session_refuses_is_said_once_and_others_go_on() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(B, "a.\n\n" * 6000)
        editor.open(A, WRONG)
        await editor.until(lambda: len(editor.marks(A)) == 2 and editor.shown)
        assert "not analysed" in editor.shown[0]
        editor.change(B, 2, everything("A apple fell."))
        assert await editor.hover(B, 0, 0) is None
        editor.close(B)
        editor.open(B, "A apple fell.")  # or with another name: a renamed file comes so
        await editor.until(lambda: editor.marks(B))
        assert len(editor.shown) == 1


@pytest.mark.slow
async def test_ten_thousand_words_without_a_full_stop_are_analysed() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(A, "word " * 10_000)
        while len(selected := await editor.selections(A, 0, 49_990)) == 1:
            pass  # only the document is known
        assert selected[0] == "0:49990-0:49994"
        assert selected[-2:] == ["0:40000-0:49999", "0:0-0:50000"]
        editor.change(A, 2, replaced(0, 0, 4, "Peter"))
        assert "*Peter*" in (await editor.hover(A, 0, 2) or "")
        assert editor.shown == []


@pytest.mark.slow
async def test_a_document_beyond_the_last_one_waits_for_room() -> None:
    async with Editor() as editor:
        await editor.begin()
        for number in range(65):
            editor.open(f"file:///{number}.txt", "A apple fell.")
        await editor.until(lambda: len(editor.diagnostics) == 65)
        await editor.until(lambda: editor.shown and editor.marks("file:///63.txt"))
        editor.close("file:///3.txt")
        await editor.until(lambda: editor.marks("file:///64.txt"))
        assert len(editor.shown) == 1


def random_change(source: random.Random, text: str) -> tuple[str, Any]:
    """A new text, and how an editor tells it, in units of UTF-16."""
    places = [n for n in range(len(text) + 1) if text[n - 1 : n + 1] != "\r\n"]
    first = source.randrange(len(places))
    start, end = places[first], places[min(first + source.choice([0, 0, 0, 1, 2, 9, 40]), len(places) - 1)]
    new = source.choice(["a", " ", "e", ".", "\n\n", "🎉", " a apple", " the dogs barks", "", "\r\n"])
    after = text[:start] + new + text[end:]
    if source.random() < 0.1:
        return after, everything(after)
    return after, types.TextDocumentContentChangePartial(
        range=types.Range(position(text, start), position(text, end)), text=new
    )


def position(text: str, place: int) -> Any:
    ends = [end.end() for end in re.finditer("\r\n|\n|\r", text) if end.end() <= place]
    before = text[ends[-1] if ends else 0 : place]
    return types.Position(len(ends), len(before.encode("utf-16-le")) // 2)


@pytest.mark.slow
@each_seed(cases(3))
async def test_after_any_history_diagnostics_are_those_of_a_fresh_document(seed: int) -> None:
    source = random.Random(seed)
    text = WRONG
    async with Editor() as editor:
        await editor.begin()
        editor.open(A, text)
        for version in range(2, 80):
            changes = []
            for _ in range(source.choice([1, 1, 2, 5])):
                text, change = random_change(source, text)
                changes.append(change)
            editor.change(A, version, *changes)
            if source.random() < 0.2:
                await editor.answered(A, version)
        editor.change(A, 80, replaced(0, 0, 0, "Dogs barks. "))
        text = f"Dogs barks. {text}"
        editor.open(B, text, version=80)
        await editor.answered(A, 80)
        expected = marked_afresh(text)
        for uri in (A, B):
            await editor.until(lambda uri=uri: sorted(editor.marks(uri)) == expected)
        assert expected
        assert editor.shown == []


def marked_afresh(text: str) -> list[tuple[str, str]]:
    """What a session says of a text, as an editor would have it."""
    model, view = load_model(), DocumentView("d")
    with ThreadedSession(Session(model, searcher_for(model))) as session:
        session.receive(Open("d", 0, text=text))
        for message in session.messages():
            view.receive(message)
            if view.has_settled(0):
                break
    marks = []
    for sentence in filter(None, view.sentences):
        for conflict in sentence.conflicts:
            if conflict.message:
                words = [sentence.words[number - 1] for number in conflict.words]
                places = min(word.start for word in words), max(word.end for word in words)
                start, end = (position(text, sentence.start + place) for place in places)
                place = f"{start.line}:{start.character}-{end.line}:{end.character}"
                marks.append((conflict.constraint, place))
    return sorted(marks)


@pytest.mark.slow
async def test_a_newer_letter_overtakes_the_questions_before_it() -> None:
    async with Editor() as editor:
        await editor.begin()
        editor.open(A, "Peter drives a")
        await editor.answered(A, 1)
        waiting = []
        for version, letter in enumerate(" red car", 2):
            editor.change(A, version, replaced(0, 12 + version, 12 + version, letter))
            waiting.append(asyncio.create_task(editor.hints(A)))
        await editor.answered(A, 9)
        assert len(await asyncio.gather(*waiting)) == 8


# --- bad input, and ends ------------------------------------------------------------------------------------


def frame(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def note(method: str, **params: object) -> bytes:
    return frame({"jsonrpc": "2.0", "method": method, "params": params})


def ask(method: str, number: int, params: object) -> bytes:
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


INITIALIZE = ask("initialize", 0, {"processId": None, "rootUri": None, "capabilities": {}})
SHUTDOWN = ask("shutdown", 99, None)
EXIT = frame({"jsonrpc": "2.0", "method": "exit"})
PLACE = {"textDocument": {"uri": "file:///none"}, "position": {"line": 1 << 30, "character": 7}}
HOSTILE = [
    ask("textDocument/hover", 1, PLACE),
    ask("textDocument/hover", 2, {"textDocument": 3}),
    ask("textDocument/selectionRange", 3, {**PLACE, "positions": []}),
    ask("no/such", 4, None),
    note("textDocument/didChange", textDocument={"uri": "file:///none", "version": 1}, contentChanges=[]),
    note("textDocument/didChange", textDocument=None),
    note("textDocument/didClose", textDocument={"uri": "file:///none"}),
    note("workspace/didChangeConfiguration", settings=[["treewhile"]]),
    note("workspace/didChangeConfiguration", settings={"treewhile": 7}),
    note("$/cancelRequest", id=77),
    frame([]),
    frame(b"{"),
    frame(b"[" * 100_000),
    frame(b"\xff\xfe"),
    b"Content-Length: x\r\n\r\n",
    b"Nonsense: 1\r\n\r\n",
]


def run_with(said: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(COMMAND, input=said, capture_output=True, timeout=PATIENCE, check=False)


@pytest.mark.slow
def test_nothing_that_is_said_stops_the_server() -> None:
    opened = note(
        "textDocument/didOpen",
        textDocument={"uri": A, "languageId": "plaintext", "version": 1, "text": "Hi \ud800."},
    )
    done = run_with(INITIALIZE + opened + b"".join(HOSTILE) + SHUTDOWN + EXIT)
    assert done.returncode == 0, done.stderr
    assert b'"id": 99, "result": null' in done.stdout or b'"id":99' in done.stdout.replace(b" ", b"")
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "code"),
    [(INITIALIZE + SHUTDOWN + EXIT, 0), (INITIALIZE + EXIT, 1), (INITIALIZE, 1), (b"", 1), (EXIT, 1)],
)
def test_the_exit_code_says_whether_it_was_shut_down(said: bytes, code: int) -> None:
    done = run_with(said)
    assert done.returncode == code, done.stderr
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_while_the_editor_is_still_there(number: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdin.write(INITIALIZE)
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        server.send_signal(number)
        assert server.wait(timeout=PATIENCE) == code
        assert server.stderr.read() == b""


KILLED_EDITOR = f"""
import os, subprocess, sys, time
server = subprocess.Popen({[*COMMAND]!r}, stdin=subprocess.PIPE)
server.stdin.write({INITIALIZE!r})
server.stdin.flush()
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for the process in /proc")
def test_a_server_ends_when_its_editor_is_killed() -> None:
    editor = subprocess.Popen([sys.executable, "-c", KILLED_EDITOR], stdout=subprocess.PIPE)
    assert editor.stdout
    server = int(editor.stdout.readline())
    assert b"Content-Length" in editor.stdout.readline()  # it has begun
    editor.send_signal(signal.SIGKILL)
    editor.wait(timeout=PATIENCE)
    assert ends(server)
    editor.stdout.close()


@pytest.mark.slow
def test_a_server_ends_with_the_process_that_it_was_told_of() -> None:
    short = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    said = ask("initialize", 0, {"processId": short.pid, "rootUri": None, "capabilities": {}})
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout
    server.stdin.write(said)
    server.stdin.flush()
    assert b"Content-Length" in server.stdout.readline()
    short.communicate(b"\n", timeout=PATIENCE)
    assert server.wait(timeout=PATIENCE) == 1
    server.stdin.close()
    server.stdout.close()


def ends(process: int) -> bool:
    """Whether a process that is nobody's child here ends."""
    for _ in range(PATIENCE * 20):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
