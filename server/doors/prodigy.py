"""Door to Prodigy: conversion between sentences and annotation tasks, one JSON object per line."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError

ROOT: Final = "root"
REFUSED: Final = ("reject", "ignore")  # answers to tasks that are dropped


class Token(msgspec.Struct):
    """Word with its position in the text; `ws` is true if white space follows."""

    text: str
    start: int
    end: int
    id: int
    ws: bool = True


class Relation(msgspec.Struct):
    """Arc between words, numbered from zero; other fields of Prodigy are ignored."""

    head: int
    child: int
    label: str


class Task(msgspec.Struct, omit_defaults=True):
    """Sentence to annotate, or annotated with the judgement `answer`."""

    text: str
    tokens: list[Token]
    relations: list[Relation] = []
    answer: str | None = None
    meta: dict[str, Any] = {}


def task_of(sentence: Sentence) -> Task:
    """Return the task of a sentence; a root is a relation of a word with itself, as in spaCy."""
    text, tokens = "", []
    for number, word in enumerate(sentence.words):
        is_last = number == len(sentence.words) - 1
        space = not is_last and "SpaceAfter=No" not in word.misc.split("|")
        tokens.append(Token(word.form, len(text), len(text) + len(word.form), number, space))
        text += word.form + " " * space
    relations = [
        Relation(head - 1 if head else number, number, word.deprel)
        for number, (head, word) in enumerate(zip(sentence.heads, sentence.words, strict=True))
        if head is not None
    ]
    return Task(text, tokens, relations)


def sentence_of(task: Task) -> Sentence:
    """Return the sentence of a task; words that are no child of a relation have no head."""
    for place, token in enumerate(task.tokens):
        if token.id != place:
            raise InputError(f"token {place} has the id {token.id}: number tokens from 0, in their order")
    sentence = Sentence.of_words([token.text for token in task.tokens])
    columns: dict[int, dict[str, str]] = {
        number: {"misc": "SpaceAfter=No"} for number, token in enumerate(task.tokens[:-1], 1) if not token.ws
    }
    for relation in task.relations:
        child, head = _checked(relation, len(task.tokens))
        if "head" in columns.setdefault(child, {}):
            raise InputError(f"token {relation.child} has two heads: leave it one of them")
        columns[child] |= {"head": str(head), "deprel": relation.label}
    return _with_text(sentence.with_columns(columns), task.text)


def write_tasks(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield a line of JSON for every sentence."""
    for sentence in sentences:
        yield msgspec.json.encode(task_of(sentence)).decode() + "\n"


def read_tasks(lines: Iterable[str]) -> Iterator[Sentence]:
    """Yield the sentences of tasks, one per line, except rejected and ignored ones."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                task = msgspec.json.decode(line, type=Task)
                if task.answer not in REFUSED:
                    yield sentence_of(task)
            except (msgspec.MsgspecError, InputError) as error:
                raise InputError(f"{error}, in the task of line {number}") from None


def _checked(relation: Relation, tokens: int) -> tuple[int, int]:
    """Return the numbers of child and head in CoNLL-U."""
    if not (0 <= relation.child < tokens and 0 <= relation.head < tokens):
        what = f"a relation joins the tokens {relation.head} and {relation.child} of {tokens}"
        raise InputError(f"{what}: count them from 0")
    is_root = relation.head == relation.child
    return relation.child + 1, 0 if is_root else relation.head + 1


def _with_text(sentence: Sentence, text: str) -> Sentence:
    """Return the sentence with the given text instead of its words joined by blanks."""
    plain = " ".join(text.split())
    lines = f"# text = {plain}\n" + "\n".join([*sentence.rows, "", ""])
    stream: Any = io.BytesIO(lines.encode(errors="surrogatepass"))
    stream.name = "the tasks"
    [found] = read_sentences(stream)
    return found
