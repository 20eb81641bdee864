"""Treebanks with projective trees that record the original heads.

A word whose HEAD changed has its old one as the last feature of MISC, `OriginalHead=5`; the number of optima
is in the last comment, `# projectivizations = 4`. Restoring removes exactly these, so the original text is
restored byte for byte. Hence a sentence that has them already is refused, as the two layers could not be
distinguished. DEPREL and DEPS are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import InputError, count_projectivizations, is_projective, lift, projectivize

OLD_HEAD = "OriginalHead"
COUNT = "projectivizations"


class Losses(NamedTuple):
    """Losses of projective trees, counting edges to words with a known head; a new head is a lost edge.

    Lifting is included for comparison. It allows any number of words under the root.
    """

    trees: int = 0
    non_projective: int = 0
    edges: int = 0
    edges_lost: int = 0
    edges_lost_by_lifting: int = 0


class Restored(NamedTuple):
    """Counts of restored sentences and heads."""

    sentences: int = 0
    heads_put_back: int = 0


@contextmanager
def complaints_placed(sentence: Sentence) -> Iterator[None]:
    """Append the sentence's place to an `InputError` about its heads in the block."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error}, in {_place(sentence)}, column HEAD") from error


def projectivize_sentence(sentence: Sentence, with_count: bool = False) -> tuple[Sentence, Losses]:
    """Return the sentence with its optimal projective tree under one root, and the losses.

    Unknown heads stay unknown: the tree completes the known ones.
    """
    _refuse_second_layer(sentence)
    heads = sentence.heads
    with complaints_placed(sentence):
        projective = projectivize(heads, single_root=True)
        losses = _losses(heads, projective)
    changed = _with_heads(sentence, projective) if losses.edges_lost else sentence
    if with_count:
        changed = changed.with_comment(f"# {COUNT} = {count_projectivizations(heads, single_root=True)}")
    return changed, losses


def restore_sentence(sentence: Sentence) -> tuple[Sentence, Restored]:
    """Return the sentence as before `projectivize_sentence`, and the number of restored heads."""
    numbers = range(1, len(sentence.words) + 1)
    changes = {number: before for number in numbers if (before := _columns_before(sentence, number))}
    restored = sentence.with_columns(changes) if changes else sentence
    for comment in sentence.comments:
        if re.fullmatch(f"# {COUNT} = [0-9]+", comment):
            restored = restored.without_comment(comment)
    return restored, Restored(1, len(changes))


def _refuse_second_layer(sentence: Sentence) -> None:
    for line, row in enumerate(sentence.rows, sentence.first_row_line):
        if OLD_HEAD in row and _old_heads(row.removesuffix("\r").rpartition("\t")[2]):
            raise InputError(
                f"{OLD_HEAD} stands here already, from an earlier projectivization: restore the file first, "
                f"at {sentence.file_name}:{line}, column MISC"
            )
    for comment in sentence.comments:
        if re.fullmatch(rf"#\s*{COUNT}\s*(=.*)?", comment):
            raise InputError(
                f"the comment {comment[:40]!r} stands here already, from an earlier projectivization: "
                f"restore the file first, in {_place(sentence)}"
            )


def _place(sentence: Sentence) -> str:
    return f"the sentence at {sentence.file_name}:{sentence.first_row_line}"


def _losses(heads: Sequence[int | None], projective: Sequence[int]) -> Losses:
    edges = len(heads) - heads.count(None)
    return Losses(
        1, int(not is_projective(heads)), edges, _lost(heads, projective), _lost(heads, lift(heads))
    )


def _lost(heads: Sequence[int | None], after: Sequence[int | None]) -> int:
    return sum(old is not None and old != new for old, new in zip(heads, after, strict=True))


def _with_heads(sentence: Sentence, heads: Sequence[int]) -> Sentence:
    """Return the sentence with these heads, except unknown ones, and with the old ones in MISC."""
    changes = {}
    for number, (word, head) in enumerate(zip(sentence.words, heads, strict=True), 1):
        if word.head not in ("_", str(head)):
            before = "" if word.misc == "_" else word.misc + "|"
            changes[number] = {"head": str(head), "misc": f"{before}{OLD_HEAD}={word.head}"}
    return sentence.with_columns(changes)


def _columns_before(sentence: Sentence, number: int) -> dict[str, str]:
    """Return the original HEAD and MISC of the word; empty if its head did not change."""
    word = sentence.words[number - 1]
    old_heads = _old_heads(word.misc)
    if not old_heads:
        return {}
    head = old_heads[0].partition("=")[2]
    if len(old_heads) > 1 or head not in {"0", *(other.id for other in sentence.words)} - {word.id}:
        right = f"{OLD_HEAD}= and a number from 0 to {len(sentence.words)} but not {number}"
        what = f"the old head {'|'.join(old_heads)[:40]!r} has to be {right}, once"
        raise InputError(f"{what}, at {sentence.where(number, 'misc')}")
    features = word.misc.split("|")
    features.remove(old_heads[0])
    return {"head": head, "misc": "|".join(features) or "_"}


def _old_heads(misc: str) -> list[str]:
    return [feature for feature in misc.split("|") if feature.partition("=")[0] == OLD_HEAD]


def whole_tree(sentence: Sentence) -> list[int]:
    """Return the head of every word; an InputError says where one is unknown, or names a cycle."""
    heads = sentence.heads
    known = [head for head in heads if head is not None]
    if len(known) < len(heads):
        what = "the head _ has to be a number, scores need whole trees"
        raise InputError(f"{what}, at {sentence.where(heads.index(None) + 1, 'head')}")
    with complaints_placed(sentence):
        is_projective(known)  # refuses cycles
    return known
