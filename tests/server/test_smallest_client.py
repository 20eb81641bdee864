"""The client of docs/how-to/smallest-client.md has the analyses of the server, over lost connections too."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from cases import cases, each_seed
from waiting import PATIENCE

from treewhile.server.process.server import Server

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "smallest-client.md").read_text()
PIECES = ["the dog barks", " .", " ", "who came in", "\n\n", "old", "s", " she left ."]


def client_of_the_page() -> Any:
    """The class in Python that it shows."""
    [program] = re.findall(r"^```python\n(.*?)^async def main", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    return names["Letter"]


class Followed:
    """A text that is followed until the block ends."""

    def __init__(self, text: str, server: Server) -> None:
        self.letter = client_of_the_page()(text)
        self._address = f"ws://127.0.0.1:{server.port}"
        self._news = asyncio.Event()

    async def __aenter__(self) -> Followed:
        self._task = asyncio.create_task(self._follow())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._news.clear()
                await self._news.wait()

    @property
    def words(self) -> list[tuple[str, Any]]:
        return [(word["form"], word["head"]) for one in self.letter.sentences for word in one["words"]]

    async def _follow(self) -> None:
        async for _ in self.letter.follow(self._address):
            self._news.set()


@pytest.mark.slow
@each_seed(cases(3))
async def test_it_ends_with_the_trees_of_the_text(start: Callable[..., Awaitable[Server]], seed: int) -> None:
    source, server = random.Random(seed), await start()
    async with Followed("the old dog barks .", server) as typed:
        await typed.until(lambda: typed.letter.has_settled)
        for number in range(20):
            letter = typed.letter
            at = source.randint(0, len(letter.text))
            end = min(len(letter.text), at + source.choice([0, 0, 2]))
            await letter.edit(at, end, source.choice([*PIECES, ""]))
            if number == 10:
                letter.socket.transport.abort()
            if source.random() < 0.5:
                await typed.until(lambda: typed.letter.has_settled)
        await ends_as_opened(typed, server)


async def test_it_is_told_in_full_of_letters_that_change_one_word(
    start: Callable[..., Awaitable[Server]],
) -> None:
    server = await start()
    async with Followed("the old dog barks at", server) as typed:
        await typed.until(lambda: typed.letter.has_settled)
        for letter in " me":
            await typed.letter.edit(len(typed.letter.text), len(typed.letter.text), letter)
            await typed.until(lambda: bool(typed.letter.answered == typed.letter.version))
            assert "".join(form for form, _ in typed.words) == typed.letter.text.replace(" ", "")
        await ends_as_opened(typed, server)


async def ends_as_opened(typed: Followed, server: Server) -> None:
    async with Followed(typed.letter.text, server) as opened:
        await opened.until(lambda: opened.letter.has_settled)
        await typed.until(lambda: typed.letter.has_settled and typed.words == opened.words)
        assert typed.letter.answered == typed.letter.version
