"""Prodigy's tasks for dependencies, from sentences and back: text, tokens and relations, an object a line."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError

ROOT: Final = "root"
REFUSED: Final = ("reject", "ignore")  # answers to tasks of which nothing is to be kept


class Token(msgspec.Struct):
    """A word with its place in the text; `ws` says whether white space follows."""

    text: str
    start: int
    end: int
    id: int
    ws: bool = True


class Relation(msgspec.Struct):
    """An arc between words by their numbers, from zero; Prodigy may say more of it, which is not read."""

    head: int
    child: int
    label: str


class Task(msgspec.Struct, omit_defaults=True):
    """A sentence that is to be annotated, or was: then `answer` says what the annotator thinks of it."""

    text: str
    tokens: list[Token]
    relations: list[Relation] = []
    answer: str | None = None
    meta: dict[str, Any] = {}


def task_of(sentence: Sentence) -> Task:
    """The task for a sentence; a root is a relation of a word with itself, as in spaCy."""
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
    """The sentence of a task; words that no relation has as its child are left without a head."""
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
    """A line of JSON for every sentence."""
    for sentence in sentences:
        yield msgspec.json.encode(task_of(sentence)).decode() + "\n"


def read_tasks(lines: Iterable[str]) -> Iterator[Sentence]:
    """The sentences of tasks, one a line, but for those that were rejected or ignored."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                task = msgspec.json.decode(line, type=Task)
                if task.answer not in REFUSED:
                    yield sentence_of(task)
            except (msgspec.MsgspecError, InputError) as error:
                raise InputError(f"{error}, in the task of line {number}") from None


def _checked(relation: Relation, tokens: int) -> tuple[int, int]:
    """The child and the head, as CoNLL-U numbers them."""
    if not (0 <= relation.child < tokens and 0 <= relation.head < tokens):
        what = f"a relation joins the tokens {relation.head} and {relation.child} of {tokens}"
        raise InputError(f"{what}: count them from 0")
    is_root = relation.head == relation.child
    return relation.child + 1, 0 if is_root else relation.head + 1


def _with_text(sentence: Sentence, text: str) -> Sentence:
    """The sentence with its own text in place of that of its words with blanks between them."""
    plain = " ".join(text.split())
    lines = f"# text = {plain}\n" + "\n".join([*sentence.rows, "", ""])
    stream: Any = io.BytesIO(lines.encode(errors="surrogatepass"))
    stream.name = "the tasks"
    [found] = read_sentences(stream)
    return found
