from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from browsers import chromium
from page_servers import PageServer

from treewhile.incremental import LATER, Analysis, DocumentView, ExpectedWord, Session, Virtual, load_model
from treewhile.incremental.embedding import threaded_sessions
from treewhile.incremental.sessions.messages import MOST_CHARACTERS, Open
from treewhile.oracles.errors import InputError

pytest.importorskip("anywidget", reason="pip install '.[notebook]'")
notebook = pytest.importorskip("treewhile.server.doors.notebook")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]

NOUN = Virtual(1, "NOUN")
GROWING = Analysis(
    words=("A<b>", "drives", "a"),
    tags=("PROPN", "VERB", "DET"),
    features=("_", "_", "_"),
    heads=(LATER, 0, NOUN),
    labels=("dep", "root", "det"),
    expected=(ExpectedWord(NOUN, 2, "obj"),),
)
# A model of anywidget's shape, which a test looks into and changes as a kernel would.
PAGE = """<!doctype html><title>A notebook</title><div id="out"></div><script type="module">
import widget from "./notebook.js";
const heard = new Map();
globalThis.sent = [];
globalThis.begin = (traits) => {
  globalThis.traits = traits;
  const model = {
    get: (name) => traits[name],
    set: (name, value) => globalThis.put({ [name]: value }),
    save_changes: () => globalThis.sent.push({ ...traits }),
    on: (event, callback) => heard.set(event, [...(heard.get(event) ?? []), callback]),
    off: (event, callback) => heard.set(event, heard.get(event).filter((other) => other !== callback)),
  };
  globalThis.end = widget.render({ model, el: document.querySelector("#out") });
};
globalThis.put = (changes) => {
  Object.assign(globalThis.traits, changes);
  for (const name of Object.keys(changes)) for (const call of heard.get(`change:${name}`) ?? []) call();
};
globalThis.ears = () => [...heard.values()].flat().length;
</script>"""


def forms(widget: Any) -> list[list[str]]:
    return [[word["form"] for word in analysis["words"]] for analysis in widget.analyses]


def wait_until(holds: Callable[[], bool], pause: Callable[[], object] = lambda: time.sleep(0.02)) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it never came true"
        pause()


@contextmanager
def typing(text: str = "") -> Iterator[Any]:
    widget = notebook.Typing("en", text)
    try:
        yield widget
    finally:
        widget.close()


# --- what a kernel sends ------------------------------------------------------------------------------------


def test_a_text_has_a_tree_for_each_sentence() -> None:
    tree = notebook.Tree("Peter drives a red car. It does not rain.")
    assert forms(tree) == [["Peter", "drives", "a", "red", "car", "."], ["It", "does", "not", "rain", "."]]
    parsed = load_model("en").parse(forms(tree)[0])
    assert [(word["head"], word["label"]) for word in tree.analyses[0]["words"]] == parsed.decisions
    assert notebook.Tree(forms(tree)[0]).analyses == notebook.Tree(parsed).analyses == tree.analyses[:1]


def test_words_to_come_are_drawn() -> None:
    [analysis] = notebook.Tree(GROWING).analyses
    assert [word["head"] for word in analysis["words"]] == ["later", 0, -1]
    assert analysis["virtual"] == [{"node": 1, "tag": "NOUN", "head": 2, "label": "obj"}]


def test_an_analysis_is_a_table_where_there_are_no_widgets() -> None:
    formatters = pytest.importorskip("IPython.core.formatters")
    table = formatters.HTMLFormatter()(GROWING)
    rows = [re.findall("<t[dh]>(.*?)</t[dh]>", row) for row in table.split("</tr>")[:-1]]
    assert rows == [
        ["", "word", "tag", "head", "", "label"],
        ["1", "A&lt;b&gt;", "PROPN", "", "later", "dep"],
        ["2", "drives", "VERB", "0", "root", "root"],
        ["3", "a", "DET", "+1", "(expected)", "det"],
        ["+1", "(expected)", "NOUN", "2", "drives", "obj"],
    ]


def test_a_message_of_a_session_is_drawn_as_it_is() -> None:
    session, view = Session(load_model("en")), DocumentView("letter")
    session.receive(Open("letter", 0, text="Peter drives a red"))
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run_together([])[0])
    for message in session.messages_to_send():
        view.receive(message)
    [analysis] = notebook.Tree(view.sentences[0]).analyses
    assert [word["form"] for word in analysis["words"]] == ["Peter", "drives", "a", "red"]
    assert analysis["stable_upto"] == view.sentences[0].stable_upto  # type: ignore[union-attr]


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(InputError, match="xyz"):
        notebook.Tree("A dog barks.", model="xyz")
    with pytest.raises(InputError, match="xyz"):
        notebook.Typing("xyz")


# --- typing -------------------------------------------------------------------------------------------------


def test_the_tree_follows_what_is_typed() -> None:
    with typing("The dog") as widget:
        wait_until(lambda: forms(widget) == [["The", "dog"]])
        for end in range(len("The dog"), len("The dog barks at us") + 1):
            widget.text = "The dog barks at us"[:end]
        wait_until(lambda: forms(widget) == [["The", "dog", "barks", "at", "us"]])
        widget.text = "A cat sleeps"
        wait_until(lambda: forms(widget) == [["A", "cat", "sleeps"]])


def test_the_tree_is_that_of_the_sentence_at_the_cursor() -> None:
    with typing("Dogs bark. Cats sleep.") as widget:
        wait_until(lambda: forms(widget)[:1] != [] and "Cats" in forms(widget)[0])
        widget.cursor = 3
        assert forms(widget) == [["Dogs", "bark", "."]]


def test_what_is_wrong_with_a_text_is_told_until_it_is_right() -> None:
    with typing("Dogs bark") as widget:
        widget.text = "Dogs\0bark"
        wait_until(lambda: bool(widget.told))
        widget.text = "x" * (MOST_CHARACTERS + 1)
        wait_until(lambda: str(MOST_CHARACTERS) in widget.told)
        widget.text = "Cats sleep"
        wait_until(lambda: forms(widget) == [["Cats", "sleep"]] and not widget.told)


def test_it_is_told_too_where_the_text_before_has_no_answer_yet() -> None:
    for _ in range(5):
        with typing() as widget:
            widget.text = "\ud83d"
            wait_until(lambda widget=widget: bool(widget.told))
            widget.text = "Cats sleep"
            wait_until(lambda widget=widget: forms(widget) == [["Cats", "sleep"]] and not widget.told)


def test_a_widget_that_is_closed_leaves_no_thread() -> None:
    before = threading.active_count()
    with typing("Dogs bark") as widget:
        wait_until(lambda: forms(widget) == [["Dogs", "bark"]])
        assert threading.active_count() > before
    assert threading.active_count() == before
    widget.close()


def test_widgets_that_are_forgotten_leave_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threaded_sessions, "REST", 0.1)
    before = threading.active_count()
    widgets = [notebook.Typing("en", "Dogs bark") for _ in range(3)]  # as by a cell that is run again
    wait_until(lambda: all(forms(widget) == [["Dogs", "bark"]] for widget in widgets))
    wait_until(lambda: threading.active_count() == before)
    widgets[0].text = "Dogs bark loudly"
    wait_until(lambda: forms(widgets[0]) == [["Dogs", "bark", "loudly"]])
    for widget in widgets:
        widget.close()
    assert threading.active_count() == before


def test_the_cursor_goes_with_what_code_types() -> None:
    with typing("Dogs bark. ") as widget:
        widget.text += "Cats sleep."
        wait_until(lambda: forms(widget) == [["Cats", "sleep", "."]])
        widget.text = "Old " + widget.text
        assert widget.cursor == 4
        wait_until(lambda: forms(widget) == [["Old", "Dogs", "bark", "."]])
        with widget.hold_trait_notifications():  # as the box says it
            widget.cursor = 20
            widget.text = widget.text[:20] + "s" + widget.text[20:]
        assert widget.cursor == 20


# --- in a browser -------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "notebook.js").write_text(notebook.Tree(GROWING).get_state()["_esm"])
    with PageServer(tmp_path) as origin, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{origin}/page.html")
        page.wait_for_function("() => 'begin' in globalThis")
        yield page


def state(widget: Any) -> Any:
    """Those of its traits that are its own."""
    names = ("analyses", "text", "cursor", "told")
    return {name: value for name, value in widget.get_state().items() if name in names}


def drawn(page: Any, form: str) -> Any:
    return page.get_by_role("img").get_by_text(form, exact=True)


@pytest.mark.slow
def test_trees_are_drawn_and_taken_away(page: Any) -> None:
    page.evaluate("begin", state(notebook.Tree("Peter drives. It rains.")))
    expect(page.locator("dep-tree")).to_have_count(2)
    expect(drawn(page, "rains")).to_be_visible()
    expect(page.locator("textarea")).to_have_count(0)
    page.evaluate("put", state(notebook.Tree("Dogs bark.")))
    expect(page.locator("dep-tree")).to_have_count(1)
    expect(drawn(page, "bark")).to_be_visible()
    page.evaluate("end()")
    assert page.evaluate("ears()") == 0


@pytest.mark.slow
def test_what_is_typed_in_the_box_is_drawn_below(page: Any) -> None:
    with typing("The 🐕") as widget:
        page.evaluate("begin", state(widget))
        page.get_by_label("Text").press("End")
        page.get_by_label("Text").press_sequentially(" barks")
        sent = page.evaluate("sent.at(-1)")
        assert (sent["text"], sent["cursor"]) == ("The 🐕 barks", len("The 🐕 barks"))
        widget.set_state({name: sent[name] for name in ("text", "cursor")})
        # The loop that is there is that of the browser, which goes on while a page is waited for.
        wait_until(
            lambda: bool(forms(widget)) and forms(widget)[0][-1] == "barks", lambda: page.wait_for_timeout(20)
        )
        page.evaluate("put", state(widget))
        expect(drawn(page, "barks")).to_be_visible()
        page.evaluate("put", {"text": "Cats", "told": "The text is too long."})
        expect(page.get_by_label("Text")).to_have_value("Cats")
        expect(page.get_by_role("status")).to_have_text("The text is too long.")


# --- in a kernel --------------------------------------------------------------------------------------------

CELLS = [
    "from treewhile.server.doors.notebook import Tree, Typing",
    "tree = Tree('Dogs bark.')\ntree",
    "typing = Typing()\ntyping.text = 'Cats sleep'",
    "import asyncio\n"
    "for _ in range(3000):\n"
    "    if not typing.analyses:\n"
    "        await asyncio.sleep(0.02)\n"
    "print([word['form'] for word in typing.analyses[0]['words']])\n"
    "typing.close()",
    "from treewhile.incremental import load_model\nload_model('en').parse(['Dogs', 'bark'])",
]


@pytest.mark.slow
def test_widgets_live_in_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient", reason="pip install '.[doors]'")
    pytest.importorskip("ipykernel", reason="pip install '.[doors]'")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    done = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=120).execute()
    _, tree, _, typed, table = (cell.outputs for cell in done.cells)
    model = tree[0].data["application/vnd.jupyter.widget-view+json"]["model_id"]
    widgets = done.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    [analysis] = widgets[model]["state"]["analyses"]
    assert [word["form"] for word in analysis["words"]] == ["Dogs", "bark", "."]
    assert typed[0].text == "['Cats', 'sleep']\n"
    assert table[0].data["text/html"].startswith("<table>")
    assert "<td>bark</td>" in table[0].data["text/html"]
