from __future__ import annotations

from msgspec.structs import replace
from rich.cells import cell_len

from treewhile.incremental import DocumentView
from treewhile.incremental.sessions.messages import AnalysisMessage, Head, VirtualView, WordView
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.server.terminal.message_drawings import phrase_lines, tree_lines, word_lines


def analysis(
    forms: str, heads: list[Head], virtual: list[VirtualView] | None = None, start: int = 0
) -> AnalysisMessage:
    words = [
        WordView(form, 0, 1, "X", "_", head, "dep") for form, head in zip(forms.split(), heads, strict=True)
    ]
    return AnalysisMessage(
        "d", 0, 1, [0], 0, 0, start, "settled", ["L0"], words, virtual or [], [], 0, None, 0.1
    )


OPEN = analysis("Peter drives a", [2, 0, -1], [VirtualView(1, "NOUN", 2, "obj")])


def test_virtual_nodes_stand_after_the_words() -> None:
    assert tree_lines(OPEN, 80)[-1].split() == ["root", "Peter", "drives", "a", "[NOUN]"]
    assert "".join(tree_lines(OPEN, 80)).count("▼") == 4
    assert [line.split() for line in word_lines(OPEN)] == [
        ["a", "X", "[NOUN]", "dep"],
        ["drives", "X", "root", "dep"],
        ["Peter", "X", "drives", "dep"],
    ]


def test_what_comes_later_is_named_so() -> None:
    later = analysis("the old", [2, "later"])
    assert tree_lines(later, 80)[-1].split() == ["root", "the", "old", "…"]
    assert word_lines(later)[0].split() == ["old", "X", "…", "dep"]
    unsaid = analysis("the old", [2, None])
    assert tree_lines(unsaid, 80)[-1].split() == ["root", "the", "old"]


def test_edges_that_cross_can_be_seen_to_while_the_sentence_grows() -> None:
    crossing = analysis("A letter came that nobody", [2, 3, 0, -1, -1], [VirtualView(1, "VERB", 2, "acl")])
    assert tree_lines(crossing, 80) == [
        "          ╭────────────────────────╮",
        "  ╭───────┼──────╮    ╭───────────╮│",
        "  │   ╭───┤╭────╮│    │     ╭─────┤│",
        "  │   ▼   │▼    │▼    ▼     ▼     │▼",
        "root  A  letter came that nobody [VERB]",
    ]
    whole = analysis("A letter came that nobody opened", [2, 3, 0, 6, 6, 2])
    assert sum(line.count("┼") for line in tree_lines(whole, 80)) == 1
    only_the_end = tree_lines(whole, 30)
    assert only_the_end[-1].split()[1] == "came"
    assert "┼" not in "".join(only_the_end), "the word on which the last one hangs is hidden"


def test_of_a_long_sentence_the_last_words_are_drawn() -> None:
    long = analysis(
        " ".join("abcdefghijklmnopqrstuvwxyz"), [0, *range(1, 25), -1], [VirtualView(1, "VERB", 1, "x")]
    )
    for width in range(12, 140):
        lines = tree_lines(long, width)
        assert max(map(cell_len, lines)) <= width
        assert lines[-1].split()[-1] == "[VERB]"
    assert "a" in tree_lines(long, 140)[-1].split()


def test_the_sentence_is_that_of_the_cursor() -> None:
    first, second = analysis("a", [0]), analysis("b", [0], start=3)

    def sentence_at(sentences: list[AnalysisMessage | None], place: int) -> AnalysisMessage | None:
        view = DocumentView("d")
        view.sentences = sentences
        return view.sentence_at(place)

    assert sentence_at([first, second], 2) is first
    assert sentence_at([first, second], 3) is second
    assert sentence_at([None, second], 0) is second
    assert sentence_at([], 0) is None


def test_phrases_are_drawn_over_as_many_of_the_last_words_as_fit() -> None:
    phrases = [Constituent("S", 1, None), Constituent("NP", 1, 1), Constituent("VP", 2, None)]
    growing = replace(analysis("Peter drives a", [2, 0, 2]), constituents=phrases)
    assert phrase_lines(growing, 80) == ["┌S┄┄┄┄┄┄┄┄┄┄┄┄", "┌NP─┐ ┌VP┄┄┄┄┄", "Peter drives a"]
    assert phrase_lines(growing, 9) == ["┌S┄┄┄┄┄┄", "┌VP┄┄┄┄┄", "drives a"]
    assert phrase_lines(growing, 2) == []
