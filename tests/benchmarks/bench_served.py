"""Whether what a server says in the end is what was measured: served analyses beside those of parse.

For each model a server of its own is started, and sentences of a treebank are said to it by websocket: their
words one by one, or their text letter by letter, each as soon as the one before was answered. What is told at
last, once the sentence is finished, is scored by its gold tree, beside what the best parse gives.

    options      what a client asks for: nothing promised; the default of the page; promises that are kept
    given words  a document of words, one `append` each
    letters      a document of text, one `edit` a letter, of sentences that are cut as in the treebank
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from itertools import islice
from typing import Any, Final

from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Sentence, load_model, parse_sentences, read_sentences
from treewhile.incremental.scores.conll_scores import ComparedTreebanks
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    ErrorMessage,
    OptionChanges,
    SentencesMessage,
)
from treewhile.oracles.trees.class_names import OF_PREFIXES
from treewhile.server.client import Document, connect
from treewhile.server.process.own_servers import SERVE, own_server

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "nothing promised": {"stability": 0},
    "default of the page": {"stability": 0.25},
    "most promised": {"stability": 1},
    "promises kept, 0.25": {"stability": 0.25, "keep_promises": True},
    "promises kept, 1": {"stability": 1, "keep_promises": True},
}
PATIENCE: Final = 60.0  # seconds for an answer


def row(found: Sequence[Sentence | None], gold: Sequence[Sentence]) -> tuple[str, ...]:
    """UAS, LAS, F1 of edges that cross, words, and the sentences cut otherwise, which are left out."""
    pairs = [(right, one) for right, one in zip(gold, found, strict=True) if one is not None]
    compared = ComparedTreebanks((right for right, _ in pairs), (one for _, one in pairs))
    scores = compared.scores()
    shares = scores["UAS"].f1, scores["LAS"].f1, compared.crossing_heads().f1
    counts = scores["Words"].gold, len(gold) - len(pairs)
    return *(f"{100 * share:.2f}" for share in shares), *map(str, counts)


def as_said(sentence: Sentence, said: Sequence[AnalysisMessage]) -> Sentence | None:
    """The sentence with the tree that was said of it, if it was cut as in the treebank."""
    if [[view.form for view in one.words] for one in said] != [[word.form for word in sentence.words]]:
        return None
    views = enumerate(said[0].words, 1)
    return sentence.with_columns(
        {number: {"head": str(view.head), "deprel": str(view.label)} for number, view in views}
    )


class Listener:
    """What stands of a document."""

    def __init__(self, messages: AsyncIterator[Any]) -> None:
        self._messages = messages
        self.analyses: list[AnalysisMessage | None] = []
        self._answered = -1

    async def hear_answer(self, version: int) -> None:
        """Listens until what was said last is answered."""
        while self._answered < version:
            await self._hear()

    async def hear_end(self) -> list[AnalysisMessage]:
        """Listens until all is final; the analyses."""
        while not all(one and one.stage == "final" for one in self.analyses):
            await self._hear()
        return [one for one in self.analyses if one]

    async def _hear(self) -> None:
        async with asyncio.timeout(PATIENCE):
            message = await anext(self._messages)
        if isinstance(message, ErrorMessage):
            raise SystemExit(message.message)
        self._answered = max([self._answered, *getattr(message, "answers", ())])
        if isinstance(message, SentencesMessage):
            added: list[AnalysisMessage | None] = [None] * message.added
            self.analyses[message.first : message.first + message.removed] = added
        elif isinstance(message, AnalysisMessage):
            self.analyses[message.sentence] = message


async def say(document: Document, sentence: Sentence, by_letters: bool) -> list[AnalysisMessage]:
    """What is said in the end of a sentence that comes letter by letter, or word by word."""
    async with aclosing(document.messages()) as messages:
        listener = Listener(messages)
        if by_letters:
            for letter in str(sentence.tokens.metadata["text"]):
                await listener.hear_answer(await document.write(letter))
        else:
            for word in sentence.words:
                await listener.hear_answer(await document.append(word.form))
        await listener.hear_answer(await document.finish())
        return await listener.hear_end()


async def served(
    url: str, sentences: Sequence[Sentence], options: dict[str, Any], by_letters: bool
) -> list[Sentence | None]:
    """What a server says in the end of each sentence."""
    found = []
    async with connect(url) as client:
        for number, sentence in enumerate(sentences):
            content = {"text": ""} if by_letters else {"words": []}
            opened = await client.open(f"{number}", options=OptionChanges(**options), **content)
            async with opened as document:
                found.append(as_said(sentence, await say(document, sentence, by_letters)))
    return found


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--limit", type=int, default=100, help="how many sentences")
    parser.add_argument("--trees", choices=OF_PREFIXES, help="the class of trees, by default the model's own")
    arguments = parser.parse_args()
    console, model = Console(width=110), load_model(arguments.model, arguments.trees)
    sentences = [*islice(read_sentences(arguments.source), arguments.limit)]
    console.print(", ".join(machine().values()))
    title = f"{arguments.model}, {model.trees}"
    table = Table(title, "UAS", "LAS", "crossing F1", "words", "sentences cut otherwise")
    table.add_row("treewhile parse", *row(parse_sentences(model, sentences), sentences))
    command = [*SERVE, "--model", arguments.model, "--trees", model.trees]
    with own_server(command, say=console.print) as server:
        server.wait_for_search(console.print)
        for name, options in OPTIONS.items():
            found = asyncio.run(served(server.url, sentences, options, by_letters=False))
            table.add_row(f"given words, {name}", *row(found, sentences))
        found = asyncio.run(served(server.url, sentences, OPTIONS["default of the page"], by_letters=True))
        table.add_row("letters, default of the page", *row(found, sentences))
    console.print(table)


if __name__ == "__main__":
    main()
