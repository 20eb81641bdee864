"""Small sentences written for these tests, and the treebanks that lie outside the project."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from reach import Reached

from treewhile.incremental import (
    Losses,
    Restored,
    Sentence,
    complaints_placed,
    projectivize_sentence,
    read_sentences,
    restore_sentence,
)
from treewhile.oracles import InputError

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
SMALL_TREEBANKS = [path for path in sorted(DATA.rglob("*.conllu")) if path.stat().st_size < 3_000_000]


class Stream(io.BytesIO):
    name = "train.conllu"


def row(id_: object, head: object = "_", misc: str = "_") -> str:
    return f"{id_}\tx\t_\tX\t_\t_\t{head}\tdep\t_\t{misc}\n"


def sentence(text: str) -> Sentence:
    (only,) = read_sentences(Stream(text.encode()))
    return only


def tree(heads: Sequence[int | None], miscs: Sequence[str] = ()) -> str:
    texts = ["_" if head is None else str(head) for head in heads]
    pairs = zip(texts, miscs or ["_"] * len(heads), strict=True)
    return "# text = x\n" + "".join(row(id_, *pair) for id_, pair in enumerate(pairs, 1)) + "\n"


# --- what becomes of a sentence ---------------------------------------------------------------------------


def test_a_word_with_a_new_head_keeps_the_old_one_in_misc() -> None:
    text = tree([0, 1, 1, 2, 2], ["_", "_", "Gloss=x|", "_", "_"])
    projective, losses = projectivize_sentence(sentence(text))
    assert str(projective) == text.replace(row(3, 1, "Gloss=x|"), row(3, 2, "Gloss=x||OriginalHead=1"))
    assert losses == Losses(trees=1, non_projective=1, edges=5, edges_lost=1, edges_lost_by_lifting=2)


def test_a_projective_sentence_stays_as_it_is() -> None:
    before = sentence(tree([2, 0, 2]))
    assert projectivize_sentence(before) == (before, Losses(trees=1, edges=3))


def test_a_count_is_the_last_comment() -> None:
    counted = [
        projectivize_sentence(sentence(tree(heads)), with_count=True)[0] for heads in ([0], [0, 1, 1, 2, 2])
    ]
    comments = [each.comments for each in counted]
    assert comments == [("# text = x", f"# projectivizations = {number}") for number in (1, 2)]


def test_a_sentence_without_old_heads_is_restored_as_a_copy() -> None:
    before = sentence(
        tree([0, 1, 1, 2, 2], ["_", "a", "xOriginalHead=1", "OriginalHeads=2", "originalhead=1"])
    )
    assert restore_sentence(before) == (before, Restored(sentences=1))


def test_an_old_head_is_found_among_other_features() -> None:
    text = tree([0, 1, 2], ["_", "_", "Gloss=x|OriginalHead=1|SpaceAfter=No"])
    restored, counts = restore_sentence(sentence(text))
    assert str(restored) == tree([0, 1, 1], ["_", "_", "Gloss=x|SpaceAfter=No"])
    assert counts == Restored(sentences=1, heads_put_back=1)


# --- the way there and back -------------------------------------------------------------------------------


MISCS = st.sampled_from(
    [
        "_",
        "SpaceAfter=No",
        "a|b=c",
        "|",
        "a|",
        "||",
        "_|_",
        " ",
        "é\u2028 \x0b",
        "=",
        "xOriginalHead=1",
        "OriginalHeads",
    ]
)
COMMENTS = st.sampled_from(
    ["#", "# text = a  b", "# xprojectivizations = 2", "#projectivization", "# \u0085"]
)


@st.composite
def forests(draw: st.DrawFn) -> list[int | None]:
    """Heads without cycles, most of them not projective, with up to two that are unknown."""
    order = draw(st.integers(1, 7).flatmap(lambda n: st.permutations(range(1, n + 1))))
    heads: dict[int, int | None] = {
        word: draw(st.sampled_from([0, *order[:at], *order[:at]])) for at, word in enumerate(order)
    }
    heads |= dict.fromkeys(draw(st.sets(st.sampled_from(order), max_size=2)))
    return [heads[word] for word in sorted(heads)]


@st.composite
def sentence_texts(draw: st.DrawFn) -> str:
    heads = draw(forests())
    rows = [row("0.1", misc=draw(MISCS))] if draw(st.booleans()) else []
    range_end = 0
    for word, head in enumerate(heads, 1):
        if word > range_end and draw(st.booleans()):
            range_end = draw(st.integers(word, len(heads)))
            rows.append(row(f"{word}-{range_end}", misc=draw(MISCS)))
        rows.append(row(word, "_" if head is None else head, draw(MISCS)))
        if draw(st.booleans()):
            rows.append(row(f"{word}.1", misc=draw(MISCS)))
    comments = "".join(comment + "\n" for comment in draw(st.lists(COMMENTS, max_size=2)))
    text = comments + "".join(rows) + "\n"
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def is_projective_with_one_root(heads: Sequence[int]) -> bool:
    """Whether one word hangs under 0 and every word's descendants are contiguous; by definition."""
    below: list[set[int]] = [{word} for word in range(len(heads) + 1)]
    for word in range(1, len(heads) + 1):
        above = word
        while above := heads[above - 1]:
            below[above].add(word)
    return list(heads).count(0) == 1 and all(max(words) - min(words) + 1 == len(words) for words in below)


def can_be_completed(heads: Sequence[int | None]) -> bool:
    """Whether the unknown heads can be filled in so that a projective tree with one root comes out."""
    unknown = [at for at, head in enumerate(heads) if head is None]
    for filled in product(range(len(heads) + 1), repeat=len(unknown)):
        whole = [filled[unknown.index(at)] if head is None else head for at, head in enumerate(heads)]
        if is_tree(whole) and is_projective_with_one_root(whole):
            return True
    return False


def is_tree(heads: Sequence[int]) -> bool:
    reached = {0}
    for _ in heads:
        reached |= {word for word, head in enumerate(heads, 1) if head in reached}
    return len(reached) == len(heads) + 1


@given(sentence_texts(), st.booleans())
def test_any_sentence_comes_back_byte_for_byte(text: str, with_count: bool) -> None:
    before = sentence(text)
    projective, losses = projectivize_sentence(before, with_count)
    assert can_be_completed(projective.heads)
    changed = [old != new for old, new in zip(before.heads, projective.heads, strict=True)]
    assert losses.edges_lost == sum(changed)
    assert losses.edges == len(before.heads) - before.heads.count(None)
    restored, counts = restore_sentence(sentence(str(projective)))
    assert str(restored) == text
    assert counts == Restored(1, losses.edges_lost)


@pytest.mark.reaches(0.3)
@given(text=sentence_texts())
def test_a_second_layer_is_refused_or_not_there(text: str, reached: Reached) -> None:
    once, losses = projectivize_sentence(sentence(text))
    reached(losses.edges_lost)
    if losses.edges_lost:
        with pytest.raises(InputError, match=r"restore the file first, at train\.conllu:\d+, column MISC$"):
            projectivize_sentence(once)
    else:
        assert projectivize_sentence(once)[0] == once


if SMALL_TREEBANKS:

    @pytest.mark.slow
    @pytest.mark.parametrize("path", SMALL_TREEBANKS, ids=lambda path: path.name)
    def test_every_treebank_becomes_projective_and_comes_back(path: Path) -> None:
        for before in read_sentences(path):
            projective, losses = projectivize_sentence(before)
            assert can_be_completed(projective.heads)
            more_roots = max(before.heads.count(0) - 1, 0)  # which lifting leaves under the root
            assert losses.edges_lost <= losses.edges_lost_by_lifting + more_roots
            assert str(restore_sentence(projective)[0]) == str(before)


# --- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (row(1, 0, "OriginalHead=2"), 1),
        (row(1, 0, "a|OriginalHead|b"), 1),
        (row(1, 0) + row(2, 1, "OriginalHead=\r"), 2),
        (row("1-1", "_", "OriginalHead=2") + row(1, 0), 1),
        (row(1, 0) + row("1.1", "_", "a|OriginalHead=x"), 2),
    ],
)
def test_an_old_head_that_is_there_already_is_refused(text: str, line: int) -> None:
    with pytest.raises(InputError, match=rf"restore the file first, at train\.conllu:{line}, column MISC$"):
        projectivize_sentence(sentence(text + "\n"))


@pytest.mark.parametrize(
    "comment", ["# projectivizations = 3", "#projectivizations=x", "#  projectivizations \r"]
)
def test_a_count_that_is_there_already_is_refused(comment: str) -> None:
    with pytest.raises(InputError, match=r"restore the file first, in the sentence at train\.conllu:2$"):
        projectivize_sentence(sentence(f"{comment}\n{row(1, 0)}\n"))


@each(
    "misc",
    [
        "OriginalHead",
        "OriginalHead=",
        "OriginalHead=_",
        "OriginalHead=2",
        "OriginalHead=3",
        "OriginalHead=01",
        "OriginalHead=-1",
        "OriginalHead=0 ",
        "OriginalHead=\uff10",
        "OriginalHead=0|a|OriginalHead=0",
        "OriginalHead=" + "1" * 5000,
    ],
)
def test_an_old_head_that_is_no_head_is_told_with_its_place(misc: str) -> None:
    with pytest.raises(InputError) as caught:
        restore_sentence(sentence(row(1, 0) + row(2, 1, misc) + "\n"))
    message = str(caught.value)
    assert "has to be OriginalHead= and a number from 0 to 2 but not 2, once" in message
    assert message.endswith(", at train.conllu:2, column MISC")
    assert len(message) < 200


def test_a_cycle_is_told_with_the_place_of_the_sentence() -> None:
    with pytest.raises(InputError, match=r"circle.* in the sentence at train\.conllu:2, column HEAD$"):
        projectivize_sentence(sentence(tree([2, 1])))


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(KeyError), complaints_placed(sentence(tree([0]))):
        raise KeyError
