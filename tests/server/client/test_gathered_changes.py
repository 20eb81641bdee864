"""What is typed faster than it is answered: composed changes do what the single ones do, and none is lost."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental.sessions.document_content import TextContent, WordsContent, content_of
from treewhile.incremental.sessions.messages import Append, Change, Edit, Finish, Open, OptionChanges, Revoke
from treewhile.server.client.gathered_changes import MOST_CHANGES, MOST_CHARACTERS, GatheredChanges, composed

TEXT = "the dog 🎉 barks"
WORDS = ["the", "dog", "barks"]
OPENINGS = {"text": Open("d", 0, text=TEXT), "words": Open("d", 0, words=WORDS)}


def some_edit(content: TextContent, version: int, source: Random) -> Edit:
    """Often where a hand is: at the end, or near the start."""
    length = len(content.text)
    start = source.choice([length, source.randint(0, length), min(length, source.randint(0, 4))])
    end = min(length, start + source.choice([0, 0, 0, 1, 3]))
    back = source.choice([0, 0, 1, 2])
    return Edit("d", version, max(0, start - back), end, source.choice(["", "a", "é🎉", " ", "dog. "]))


def some_words(content: WordsContent, version: int, source: Random) -> Change:
    kind = source.choice(["append", "append", "revoke", "revoke", "finish"])
    if kind == "append":
        return Append("d", version, source.choices(WORDS, k=source.randint(0, 3)))
    if kind == "revoke":
        return Revoke("d", version, min(len(content.words), source.randint(0, 4)))
    return Finish("d", version)


def some_change(content: TextContent | WordsContent, version: int, source: Random) -> Change:
    if isinstance(content, TextContent):
        return some_edit(content, version, source)
    return some_words(content, version, source)


def state(content: TextContent | WordsContent) -> Sequence[Change]:
    return content.opening("d", 0, OptionChanges())


@pytest.mark.parametrize("kind", OPENINGS)
@given(seed=st.integers(0, 1 << 32))
def test_one_change_does_what_two_do(kind: str, seed: int) -> None:
    source, content = Random(seed), content_of(OPENINGS[kind])
    before = content.copy()
    first = some_change(content, 1, source)
    content.take(first)
    then = some_change(content, 2, source)
    content.take(then)
    whole = composed(first, then)
    if whole is not None:
        before.take(whole)
        assert state(before) == state(content)
        assert whole.version == 2


@given(seed=st.integers(0, 1 << 32))
def test_adjacent_edits_are_always_one(seed: int) -> None:
    source, content = Random(seed), content_of(OPENINGS["text"])
    assert isinstance(content, TextContent)
    first = some_edit(content, 1, source)
    content.take(first)
    start = source.randint(first.start, first.start + len(first.text))
    end = min(len(content.text), start + source.randint(0, 3))
    assert composed(first, Edit("d", 2, start, end, "x")) is not None
    assert composed(first, Edit("d", 2, max(0, first.start - 2), first.start, "")) is not None


def test_what_is_not_adjacent_and_other_changes_stay_as_they_are() -> None:
    first = Edit("d", 1, 4, 7, "cat")
    for then in (Edit("d", 2, 0, 3, "a"), Edit("d", 2, 8, 8, "x"), Finish("d", 2)):
        assert composed(first, then) is None
    assert composed(Finish("d", 1), first) is None
    assert composed(Revoke("d", 1, 1), Append("d", 2, ["a"])) is None


class Held:
    """What a server has of a document that a client changes, over a wire that may be cut."""

    def __init__(self, kind: str) -> None:
        self.content = content_of(OPENINGS[kind])
        self.version = 0
        self.changes = 0

    def take(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.version > self.version:  # what has come twice is refused
                self.content.take(change)
                self.version, self.changes = change.version, self.changes + 1


@pytest.mark.parametrize("kind", OPENINGS)
@given(seed=st.integers(0, 1 << 32))
def test_a_server_has_all_changes_in_the_end_whenever_it_answers_and_the_wire_is_cut(
    kind: str, seed: int
) -> None:
    source, content, held = Random(seed), content_of(OPENINGS[kind]), Held(kind)
    gathered, version = GatheredChanges(), 0
    for _ in range(source.randint(1, 60)):
        happens = source.choice(["change", "change", "change", "answer", "cut", "ask"])
        if happens == "change":
            version += 1
            change = some_change(content, version, source)
            content.take(change)
            held.take(gathered.add(change))
        elif happens == "answer":
            gathered.answer(held.version)
            held.take(gathered.released())
        elif happens == "ask":
            held.take(gathered.flushed())
        else:
            gathered.answer(source.randint(0, held.version))
            held.take(gathered.again())
    gathered.answer(held.version)
    held.take(gathered.released())
    gathered.answer(held.version)
    assert state(held.content) == state(content)
    assert held.version == version
    assert not gathered.unanswered


def typed(gathered: GatheredChanges, count: int, version: int = 0, at: int = 0) -> list[Change]:
    """What goes out while letters are typed."""
    out: list[Change] = []
    for letter in range(count):
        out += gathered.add(Edit("d", version + letter + 1, at + letter, at + letter, "x"))
    return out


def test_a_server_that_does_not_answer_gets_one_edit_and_then_the_rest_in_one() -> None:
    gathered = GatheredChanges()
    assert [change.version for change in typed(gathered, 50)] == [1]
    assert not gathered.is_free
    gathered.answer(1)
    assert gathered.is_free
    assert gathered.released() == [Edit("d", 50, 1, 1, "x" * 49)]
    assert not gathered.released()
    assert gathered.answer(50) == [Edit("d", 50, 1, 1, "x" * 49)]
    assert [change.version for change in typed(gathered, 1, 50, 50)] == [51]


def test_an_error_frees_what_has_waited_for_the_refused_change() -> None:
    gathered = GatheredChanges()
    (first,) = typed(gathered, 1)
    typed(gathered, 2, 1, 1)
    gathered.refuse(first.version)
    gathered.remove(first)
    assert gathered.released() == [Edit("d", 3, 1, 1, "xx")]


def test_the_end_of_a_sentence_does_not_wait() -> None:
    gathered = GatheredChanges()
    typed(gathered, 3)
    assert gathered.add(Finish("d", 4)) == [Edit("d", 3, 1, 1, "xx"), Finish("d", 4)]


def test_who_is_far_ahead_does_not_wait_and_a_paste_goes_alone() -> None:
    gathered = GatheredChanges()
    typed(gathered, 3)
    paste = Edit("d", 4, 3, 3, "y" * (MOST_CHARACTERS + 1))
    assert gathered.add(paste) == [Edit("d", 3, 1, 1, "xx"), paste]
    scattered = [Edit("d", 5 + number, 4 * number, 4 * number, "z") for number in range(MOST_CHANGES + 1)]
    out = [gathered.add(change) for change in scattered]
    assert [len(one) for one in out] == [0] * MOST_CHANGES + [MOST_CHANGES + 1]
