"""Whether what a server says in the end is what was measured: served analyses beside those of parse.

For each model a server of its own is started, and sentences of a treebank are said to it by websocket: their
words one by one, or their text letter by letter, each as soon as the one before was answered. What is told at
last, once the sentence is finished, is scored by its gold tree, beside what the best parse gives.

    options      what a client asks for: nothing promised; the default of the page; promises that are kept
    given words  a document of words, one `append` each
    letters      a document of text, one `edit` a letter, of sentences that are cut as in the treebank
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from measuring import machine
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import ClientConnection, connect

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.server.load.own_servers import SERVE, own_server

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "nothing promised": {"stability": 0},
    "default of the page": {"stability": 0.25},
    "most promised": {"stability": 1},
    "promises kept, 0.25": {"stability": 0.25, "keep_promises": True},
    "promises kept, 1": {"stability": 1, "keep_promises": True},
}
PATIENCE: Final = 60.0  # seconds for an answer

Tree = list[tuple[str, int, str]]  # form, head, relation


class Counts(NamedTuple):
    """Words that are right, and all of them; sentences that were cut otherwise are left out."""

    heads: int
    labelled: int
    words: int
    left_out: int = 0

    def told(self) -> tuple[str, str, str, str]:
        words = max(1, self.words)
        uas, las = 100 * self.heads / words, 100 * self.labelled / words
        return f"{uas:.2f}", f"{las:.2f}", str(self.words), str(self.left_out)


def score(found: Sequence[Tree | None], gold: Sequence[Tree]) -> Counts:
    heads = labelled = words = left_out = 0
    for tree, right in zip(found, gold, strict=True):
        if tree is None or [row[0] for row in tree] != [row[0] for row in right]:
            left_out += 1
            continue
        words += len(right)
        heads += sum(one[1] == other[1] for one, other in zip(tree, right, strict=True))
        labelled += sum(one[1:] == other[1:] for one, other in zip(tree, right, strict=True))
    return Counts(heads, labelled, words, left_out)


def relation(label: str) -> str:
    return label.partition(":")[0]


def gold_tree(sentence: Sentence) -> Tree:
    return [(word.form, int(word.head), relation(word.deprel)) for word in sentence.words]


def parsed(model: Model, sentence: Sentence) -> Tree:
    best = model.parse([word.form for word in sentence.words])
    return [
        (form, int(str(head)), relation(label))
        for form, head, label in zip(best.words, best.heads, best.labels, strict=True)
    ]


class Document:
    """A document at the server, whose sentences are put together from what is told."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self._socket, self._name, self._version = socket, name, 0
        self._sentences: list[dict[str, Any]] = []
        self._answered = -1

    async def say(self, type: str, **fields: Any) -> None:
        await self._socket.send(
            json.dumps({"type": type, "document": self._name, "version": self._version, **fields})
        )
        self._version += 1
        while self._answered < self._version - 1:
            await self._read()

    async def finished(self) -> Tree | None:
        """The tree once all is final, if it is one sentence."""
        await self.say("finish")
        while not all(one.get("stage") == "final" for one in self._sentences):
            await self._read()
        if len(self._sentences) != 1:
            return None
        words = self._sentences[0]["words"]
        return [(word["form"], word["head"], relation(word["label"])) for word in words]

    async def _read(self) -> None:
        async with asyncio.timeout(PATIENCE):
            message = json.loads(await self._socket.recv())
        if message.get("document") != self._name:
            return
        self._answered = max([self._answered, *message.get("answers", ())])
        if message["type"] == "sentences":
            first, removed, added = message["first"], message["removed"], message["added"]
            self._sentences[first : first + removed] = [{} for _ in range(added)]
        elif message["type"] == "analysis":
            self._sentences[message["sentence"]] = message
        elif message["type"] == "delta":
            self._apply(message)
        elif message["type"] == "error":
            sys.exit(message["message"])

    def _apply(self, delta: dict[str, Any]) -> None:
        base = self._sentences[delta["sentence"]]
        words = (base["words"] + [None] * delta["length"])[: delta["length"]]
        for number, word in delta["words"].items():
            words[int(number) - 1] = word
        self._sentences[delta["sentence"]] = {**base, **delta, "words": words}


async def served(
    url: str, sentences: Sequence[Sentence], options: dict[str, Any], by_letters: bool
) -> list[Tree | None]:
    """What a server says in the end of each sentence."""
    found: list[Tree | None] = []
    async with connect(url, compression=None, max_size=None) as socket:
        for number, sentence in enumerate(sentences):
            document = Document(socket, f"{number}")
            if by_letters:
                text = str(sentence.tokens.metadata["text"])
                await document.say("open", text="", options=options)
                for place, letter in enumerate(text):
                    await document.say("edit", start=place, end=place, text=letter)
            else:
                await document.say("open", words=[], options=options)
                for word in sentence.words:
                    await document.say("append", words=[word.form])
            found.append(await document.finished())
            await socket.send(json.dumps({"type": "close", "document": f"{number}"}))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="a model's name or file")
    parser.add_argument("--source", type=Path, required=True, help="a treebank")
    parser.add_argument("--limit", type=int, default=100, help="so many sentences")
    arguments = parser.parse_args()
    console, model = Console(width=110), load_model(arguments.model)
    sentences = [*islice(read_sentences(arguments.source), arguments.limit)]
    gold = [*map(gold_tree, sentences)]
    console.print(", ".join(machine().values()))
    table = Table(arguments.model, "UAS", "LAS", "words", "sentences cut otherwise")
    table.add_row("treewhile parse", *score([parsed(model, one) for one in sentences], gold).told())
    command = [*SERVE, "--model", arguments.model]
    with own_server(command, say=console.print) as server:
        server.wait_for_search(console.print)
        for name, options in OPTIONS.items():
            found = asyncio.run(served(server.url, sentences, options, by_letters=False))
            table.add_row(f"given words, {name}", *score(found, gold).told())
        found = asyncio.run(served(server.url, sentences, OPTIONS["default of the page"], by_letters=True))
        table.add_row("letters, default of the page", *score(found, gold).told())
    console.print(table)


if __name__ == "__main__":
    main()
