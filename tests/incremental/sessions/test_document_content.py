from __future__ import annotations

import random
from typing import get_args

import pytest
from cases import cases, each, each_seed

from treewhile.incremental.sessions.document_content import DocumentContent, content_of
from treewhile.incremental.sessions.document_edits import (
    SentenceFinished,
    TextEdited,
    WordsCame,
    WordsWent,
    units,
)
from treewhile.incremental.sessions.messages import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Append,
    Change,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Positions,
    RefusedError,
    Revoke,
)
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE

OPTIONS = OptionChanges(levels=["L0"])


def after(*changes: Change) -> DocumentContent:
    first, *others = changes
    assert isinstance(first, Open)
    content = content_of(first)
    for change in others:
        content.take(change)
    return content


def seen(content: DocumentContent) -> tuple[object, ...]:
    if content.state == "text":
        return content.text, content.is_finished, content.size
    return content.words, content.ends, content.size


def random_changes(source: random.Random, positions: Positions, count: int) -> list[Change]:
    """Changes of a text, and what they come to, by splicing strings."""
    text, changes = "a🎉", list[Change]([Open("d", 0, text="a🎉", positions=positions)])
    for version in range(1, count):
        start, end = sorted(source.choices(range(len(text) + 1), k=2))
        new = source.choice(["🎉 dog", "cat. ", "", "é"])
        places = units(text[:start], positions), units(text[:end], positions)
        is_edit = source.random() < 0.8
        changes.append(Edit("d", version, *places, new) if is_edit else Finish("d", version))
        text = text[:start] + new + text[end:] if is_edit else text
        assert getattr(after(*changes), "text", None) == text
    return changes


def random_words(source: random.Random, count: int) -> list[Change]:
    words, changes = 1, list[Change]([Open("d", 0, words=["a"])])
    for version in range(1, count):
        kind = source.choice([Append, Append, Revoke, Finish])
        if kind is Append:
            new = source.choices(["dog", "🎉"], k=source.randint(0, 3))
            words += len(new)
            changes.append(Append("d", version, new))
        elif kind is Revoke:
            gone = source.randint(0, words)
            words -= gone
            changes.append(Revoke("d", version, gone))
        else:
            changes.append(Finish("d", version))
    return changes


@each_seed(cases(20))
@pytest.mark.parametrize("positions", get_args(Positions))
def test_the_opening_of_a_text_leads_to_it(seed: int, positions: Positions) -> None:
    content = after(*random_changes(random.Random(seed), positions, 20))
    opening = content.opening("d", 7, OPTIONS)
    assert seen(after(*opening)) == seen(content)
    assert [change.version for change in opening] == [*range(7, 7 + content.opening_length)]
    assert isinstance(opening[0], Open)
    assert (opening[0].options, opening[0].positions) == (OPTIONS, positions)


@each_seed(cases(20))
def test_the_opening_of_words_leads_to_them(seed: int) -> None:
    content = after(*random_words(random.Random(seed), 20))
    opening = content.opening("d", 7, OPTIONS)
    assert seen(after(*opening)) == seen(content)
    assert [change.version for change in opening] == [*range(7, 7 + content.opening_length)]
    assert not any(change == Append("d", change.version, []) for change in opening)


def test_changes_are_edits_in_code_points() -> None:
    content = content_of(Open("d", 0, text="🎉 dog", positions="utf16"))
    assert content.take(Edit("d", 1, 3, 6, "cat")) == TextEdited(2, 5, "cat")
    assert content.take(Finish("d", 2)) == SentenceFinished()
    assert content.size == (6, 0)
    assert content_of(Open("d", 0, words=["a"])).take(Append("d", 1, ["b"])) == WordsCame(["b"])
    assert content_of(Open("d", 0, words=["a"])).take(Revoke("d", 1, 1)) == WordsWent(1)


@each(
    "changes, code, what",
    [
        ([Open("d", 0, text="a", words=["a"])], "bad_event", "not both"),
        ([Open("d", 0, text="ab"), Edit("d", 1, 1, 3, "")], "out_of_text", "which has 2 units"),
        ([Open("d", 0, text="ab"), Edit("d", 1, 2, 1, "")], "out_of_text", "from 2 to 1"),
        (
            [Open("d", 0, text="🎉", positions="utf16"), Edit("d", 1, 1, 1, "")],
            "out_of_text",
            "places between",
        ),
        (
            [Open("d", 0, text="a" * MOST_CHARACTERS), Edit("d", 1, 0, 0, "b")],
            "too_much",
            "several documents",
        ),
        (
            [Open("d", 0, text="a" * MOST_CHARACTERS), Edit("d", 1, 7, 8, "bc")],
            "too_much",
            f"would have {MOST_CHARACTERS + 1} characters",
        ),
        ([Open("d", 0, text="a\0")], "bad_text", r"U\+0000"),
        ([Open("d", 0, text="a\ud83c")], "bad_text", "half a surrogate pair"),
        ([Open("d", 0, text="a"), Append("d", 1, ["b"])], "illegal", "edit it"),
        ([Open("d", 0, words=["a"]), Edit("d", 1, 0, 0, "b")], "illegal", "append or revoke"),
        ([Open("d", 0, words=[" "])], "bad_word", "word 1 is ' '"),
        ([Open("d", 0, words=["a"]), Append("d", 1, ["b", "\x01"])], "bad_word", "word 2"),
        ([Open("d", 0, words=["a"]), Revoke("d", 1, 2)], "out_of_text", "there are 1"),
        ([Open("d", 0, words=["a"] * (LONGEST_SENTENCE + 1))], "too_much", "finish it after"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_code_and_changes_nothing(
    changes: list[Change], code: str, what: str
) -> None:
    *before, refused = changes
    content = after(*before) if before else None
    known = seen(content) if content else ()
    with pytest.raises(RefusedError, match=what) as caught:
        content.take(refused) if content else after(refused)
    assert caught.value.code == code
    assert (seen(content) if content else ()) == known


def test_what_goes_makes_room_in_a_text_that_is_as_long_as_it_may_be() -> None:
    content = after(Open("d", 0, text="a" * MOST_CHARACTERS), Edit("d", 1, 7, 9, "bc"))
    assert content.size == (MOST_CHARACTERS, 0)


def test_words_are_bounded_over_all_sentences() -> None:
    sentences = [["a"] * LONGEST_SENTENCE] * (MOST_WORDS // LONGEST_SENTENCE)
    content = content_of(Open("d", 0, words=[]))
    for version, words in enumerate(sentences):
        content.take(Append("d", 2 * version + 1, words))
        content.take(Finish("d", 2 * version + 2))
    rest = MOST_WORDS - content.size[1]
    with pytest.raises(RefusedError, match=f"may have {MOST_WORDS} words"):
        content.take(Append("d", 10**6, ["a"] * (rest + 1)))


def test_a_change_that_is_only_checked_is_not_made() -> None:
    content = content_of(Open("d", 0, text="a"))
    content.checked(Edit("d", 1, 0, 1, "b"))
    assert seen(content) == ("a", False, (1, 0))


def test_an_opening_replaces_what_was_there() -> None:
    text, words = (
        after(Open("d", 0, text="dog"), Finish("d", 1)),
        after(Open("d", 0, words=["a"]), Finish("d", 1)),
    )
    text.take(Open("d", 2, text="ca"))
    words.take(Open("d", 2, words=["b", "c"]))
    assert (seen(text), seen(words)) == (("ca", False, (2, 0)), (["b", "c"], [], (0, 2)))


def test_a_copy_goes_its_own_way() -> None:
    text, words = (
        content_of(Open("d", 0, text="🎉", positions="utf16")),
        content_of(Open("d", 0, words=["a"])),
    )
    copies = text.copy(), words.copy()
    text.take(Edit("d", 1, 0, 2, "dog"))
    words.take(Append("d", 1, ["b"]))
    assert [seen(copied) for copied in copies] == [("🎉", False, (2, 0)), (["a"], [], (0, 1))]
    assert copies[0].take(Edit("d", 1, 2, 2, "x")) == TextEdited(1, 1, "x")
